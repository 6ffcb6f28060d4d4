"""From the graph that torch.compile captured to a functional graph of ATen operations.

torch's ahead-of-time tracer removes mutation and views' aliasing; tracing before dispatch keeps
composite operators (linear, attention, norms) whole.  Operators without a row in our table are
replaced by torch's own decomposition of them, if there is one.
"""

import functools
import linecache
import re
import warnings

import torch
from torch._functorch.aot_autograd import aot_export_module
from torch._subclasses import FakeTensorMode

from .decompose import OWN
from .rows import ROWS

FRAME = re.compile(r'^\s*File "(.*)", line (\d+), in (.*)$')


@functools.cache
def decompositions():
    """torch's decompositions of every operator that has no row of its own."""
    from torch._decomp import decomposition_table

    table = {op: f for op, f in decomposition_table.items() if op not in ROWS}
    for name in torch._C._dispatch_get_all_op_names():
        if not name.startswith("aten::"):
            continue
        packet, _, overload = name[6:].partition(".")
        op = getattr(getattr(torch.ops.aten, packet, None), overload or "default", None)
        if op is None or op in ROWS or op in table:
            continue
        # Composite operators are defined by other operators, which may have rows.
        if torch._C._dispatch_has_kernel_for_dispatch_key(name, "CompositeImplicitAutograd"):
            table[op] = functools.partial(decompose, op)
    table.update(OWN)
    return table


def decompose(op, *args, **kwargs):
    return op.decompose(*args, **kwargs)


def functional_graph(gm, inputs):
    """Trace `gm` on CPU fake tensors of the inputs' shapes.

    Returns the ATen graph module and, for each of the graph's first outputs, the index of the
    input that it replaces (mutated inputs come before the results)."""
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    fakes = [fake(mode, value) for value in inputs]
    with torch.no_grad(), warnings.catch_warnings(), on_host(gm):
        warnings.simplefilter("ignore")
        graph, signature = export(gm, fakes, not casts_by_itself(gm))
    drop_tokens(graph, len(signature.input_tokens or ()))
    lifted = len(signature.parameters) + len(signature.buffers)
    order = {name: i for i, name in enumerate(signature.user_inputs)}
    mutated = [order[name] for name in signature.user_inputs_to_mutate.values()]
    attributes = [*signature.inputs_to_parameters.values(), *signature.inputs_to_buffers.values()]
    return graph, mutated, [attribute_of(gm, name) for name in attributes][:lifted]


def export(gm, fakes, pre_dispatch):
    """Some of torch's own composites work in place, which the trace from before dispatch does not
    undo: they are traced from behind it."""
    try:
        return aot_export_module(
            gm, fakes, trace_joint=False, pre_dispatch=pre_dispatch, decompositions=decompositions()
        )
    except AssertionError as error:
        if pre_dispatch and "functional graph" in str(error):
            return export(gm, fakes, False)
        raise


def casts_by_itself(gm):
    """Whether autocast is at work, around the call or in the graph. Its casts are made while
    dispatching, so only a trace from behind that shows them; composites are then in parts."""
    return torch.is_autocast_enabled("cpu") or any(
        node.target is torch.amp.autocast_mode._enter_autocast for node in gm.graph.nodes
    )


def drop_tokens(graph, count):
    """Operations with effects are tied in order by tokens, which are no values: they stand first
    among inputs and results.  The order of the graph's nodes is order enough."""
    if not count:
        return
    output = next(n for n in graph.graph.nodes if n.op == "output")
    output.args = (tuple(output.args[0])[count:],)
    for node in [n for n in graph.graph.nodes if n.op == "placeholder"][:count]:
        if node.users:
            raise NotImplementedError("Operation with side effects not supported")
        graph.graph.erase_node(node)


def attribute_of(gm, path):
    for part in path.split("."):
        gm = getattr(gm, part)
    return gm


def fake(mode, value):
    if not isinstance(value, torch.Tensor):
        return int(value) if isinstance(value, torch.SymInt) else value
    with mode:
        return torch.empty_strided(
            [int(n) for n in value.shape],
            [int(n) for n in value.stride()],
            dtype=value.dtype,
            device="cpu",
        )


class on_host:
    """While tracing, device arguments in the captured graph mean the host: programs run on the
    device wherever their tensors were asked to live."""

    def __init__(self, gm):
        self.gm = gm
        self.changed = []

    def __enter__(self):
        for node in self.gm.graph.nodes:
            old = node.args, node.kwargs
            new = torch.fx.node.map_aggregate(old, host_device)
            if new != old:
                self.changed.append((node, old))
                node.args, node.kwargs = new
        if self.changed:
            self.gm.recompile()

    def __exit__(self, *_):
        for node, (args, kwargs) in self.changed:
            node.args, node.kwargs = args, kwargs


def host_device(value):
    if isinstance(value, torch.device) and value.type != "cpu":
        return torch.device("cpu")
    if isinstance(value, str) and re.fullmatch(r"(xla|tt)(:\d+)?", value):
        return "cpu"
    return value


class Place:
    """The user's line that made a node."""

    def __init__(self, node):
        self.file, self.line, self.column, self.code = None, 0, 1, ""
        lines = (node.meta.get("stack_trace") or "").splitlines()
        for i in range(len(lines) - 1, -1, -1):
            match = FRAME.match(lines[i])
            if match:
                self.file, self.line = match[1], int(match[2])
                self.code = lines[i + 1].strip() if i + 1 < len(lines) else ""
                source = linecache.getline(self.file, self.line)
                indent = len(source) - len(source.lstrip()) if source else 0
                caret = re.match(r"^    (\s*)[~^]+", lines[i + 2]) if i + 2 < len(lines) else None
                self.column = indent + (len(caret[1]) if caret else 0) + 1
                break

        # A module of torch's own, compiled by itself, has no line of the user's.
        modules = list((node.meta.get("nn_module_stack") or {}).values())
        self.module = getattr(modules[-1][1], "__name__", str(modules[-1][1])) if modules else None

    def __str__(self):
        if self.file:
            return f"{self.file}:{self.line}:{self.column}"
        return f"the module {self.module}" if self.module else "unknown place"
