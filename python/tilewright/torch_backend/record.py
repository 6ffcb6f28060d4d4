"""A functional graph of ATen operations recorded in one run of the captured graph.

torch's ahead-of-time tracer runs a graph several times, since it has to make writes and aliases functional. Most graphs of
inference have none: they are recorded here in a third of the time, before dispatch, as that tracer would write them. Whatever needs
more than that raises Unrecorded, and the graph is traced by torch."""

import functools
import operator

import torch
from torch._decomp import _should_decompose_because_unsafe_op
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx.experimental.proxy_tensor import ProxyTorchDispatchMode, disable_autocast_cache
from torch.utils._pytree import tree_map_only

# What a node of the captured graph passes on to those that it becomes.
HANDED_ON = ("stack_trace", "nn_module_stack", "source_fn_stack")

CONSTANTS = (torch.ops.aten.lift_fresh.default, torch.ops.aten.lift_fresh_copy.default)


class Unrecorded(Exception):
    """A graph that torch has to trace: it writes, draws, branches on values or calls other graphs."""


def draws(op, args, kwargs):
    """True if a call draws random numbers; dropout of nothing draws none."""
    if torch.Tag.nondeterministic_seeded not in op.tags:
        return False
    given = {a.name: args[i] if i < len(args) else kwargs.get(a.name, a.default_value) for i, a in enumerate(op._schema.arguments)}
    return given.get("train") is not False and given.get("dropout_p", given.get("p", 1)) != 0


def depends(op, args):
    """True if the shape, or a number, of a call depends on values: indices do only if they are masks."""
    if op is torch.ops.aten.index.Tensor:
        return any(i is not None and i.dtype in (torch.bool, torch.uint8) for i in args[1])
    return torch.Tag.data_dependent_output in op.tags or torch.Tag.dynamic_output_shape in op.tags


@functools.cache
def is_made_of_parts(op):
    """True of an operator that is made of others and may return an alias, or hide a write."""
    aliases = any(a.alias_info for a in op._schema.arguments) or _should_decompose_because_unsafe_op(op)
    return aliases and op._can_decompose() and torch._C._dispatch_has_kernel(op.name())


def memory_of(tensor):
    """Tensors with the same key read the same elements of the same memory, and are equal, since nothing is written."""
    return tensor.untyped_storage()._cdata, tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.dtype


class Recorder(ProxyTorchDispatchMode):
    """Adds a node to its graph for each operator that is called before dispatch."""

    def __init__(self, decomposition_of):
        super().__init__(None, "fake", pre_dispatch=True)
        self.decomposition_of = decomposition_of
        self.graph = torch.fx.Graph()
        self.nodes = {}  # of a tensor, by its identity; with the tensor, which keeps the identity its own
        self.readers = {}  # of a tensor, by what it reads: torch's factories return another one than the operator does
        self.origin = None  # the node of the captured graph that is run
        self.original = None  # the operator that was called, of which others are parts

    def node_of(self, tensor):
        known = self.nodes.get(id(tensor)) or self.readers.get(memory_of(tensor))
        if known is None:
            raise Unrecorded("a tensor made elsewhere")
        return known[0]

    def know(self, tensor, node):
        node.meta["val"] = tensor
        self.nodes.setdefault(id(tensor), (node, tensor))
        self.readers.setdefault(memory_of(tensor), (node, tensor))

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is torch.ops.prim.device.default:
            return func(*args, **kwargs)
        if is_made_of_parts(func):
            with self:
                return func.decompose(*args, **kwargs)
        decomposition = self.decomposition_of(func)
        if decomposition:
            outer, self.original = self.original, self.original or func
            try:
                with self:
                    made = decomposition(*args, **kwargs)
            finally:
                self.original = outer
            if made is not NotImplemented:
                return made
        if func._schema.is_mutable or func in CONSTANTS or draws(func, args, kwargs) or depends(func, args):
            raise Unrecorded(str(func))
        return self.record(func, args, kwargs)

    def record(self, func, args, kwargs):
        written = tree_map_only(torch.Tensor, self.node_of, (args, kwargs))
        out = func(*args, **kwargs)
        node = self.graph.call_function(func, *written)
        self.describe(node, func)
        if isinstance(out, torch.Tensor):
            self.know(out, node)
        elif isinstance(out, (tuple, list)) and all(isinstance(t, torch.Tensor) for t in out):
            node.meta["val"] = type(out)(out)
            for i, tensor in enumerate(out):
                part = self.graph.call_function(operator.getitem, (node, i))
                self.describe(part, func)
                self.know(tensor, part)
        else:
            raise Unrecorded(str(func))
        return out

    def describe(self, node, func):
        meta = self.origin.meta if self.origin else {}
        node.meta.update({k: meta[k] for k in HANDED_ON if k in meta})
        node.meta["original_aten"] = self.original or func


class Rerun(torch.fx.Interpreter):
    """Runs the captured graph, telling the recorder which node is run."""

    def __init__(self, gm, recorder):
        super().__init__(gm)
        self.recorder = recorder
        self.extra_traceback = False

    def run_node(self, node):
        if node.op not in ("placeholder", "call_function", "call_method", "output"):
            raise Unrecorded(node.op)
        if isinstance(node.target, torch._ops.HigherOrderOperator):
            raise Unrecorded(str(node.target))
        self.recorder.origin = node
        return super().run_node(node)


def recorded(gm, fakes, decomposition_of):
    """The graph module of ATen operations that `gm` becomes, which writes no argument."""
    mode = next((value.fake_mode for value in fakes if isinstance(value, FakeTensor)), None)
    if mode is None:
        raise Unrecorded("no tensors")
    recorder = Recorder(decomposition_of)
    for i, value in enumerate(fakes):
        node = recorder.graph.placeholder(f"arg{i}_1")
        node.meta["val"] = value if isinstance(value, torch.Tensor) else None
        if isinstance(value, FakeTensor):
            recorder.know(value, node)
    with mode, enable_python_dispatcher(), recorder, disable_autocast_cache():
        results = Rerun(gm, recorder).run(*fakes)
    if not isinstance(results, (tuple, list)) or not all(isinstance(r, torch.Tensor) or r is None for r in results):
        raise Unrecorded("results")
    recorder.graph.output(tuple(r if r is None else recorder.node_of(r) for r in results))
    recorder.graph.eliminate_dead_code()
    return torch.fx.GraphModule({}, recorder.graph)
