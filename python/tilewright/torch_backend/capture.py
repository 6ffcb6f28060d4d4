"""The graph that torch.compile captures: its inputs, its numbers, the user's lines. tracing.py makes it functional."""

import contextlib
import linecache
import re

import torch
from torch._subclasses import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

FRAME = re.compile(r'^\s*File "(.*)", line (\d+), in (.*)$')


@contextlib.contextmanager
def capturing():
    """For captures outside of torch's own compilation. Tracers keep their state in global variables, which torch's
    compile lock guards; meanwhile, compiled functions called in other threads check the flag."""
    from torch._dynamo.convert_frame import compile_lock

    with compile_lock:
        former = torch.compiler._is_compiling_flag
        torch.compiler._is_compiling_flag = True
        try:
            yield
        finally:
            torch.compiler._is_compiling_flag = former


def is_dynamic(value):
    if isinstance(value, torch.Tensor):
        return any(isinstance(n, torch.SymInt) for n in (*value.shape, *value.stride()))
    return isinstance(value, torch.SymInt)


def fakes_of(inputs):
    mode = FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv())
    return [fake(mode, value) for value in inputs]


def traced(gm, inputs):
    """The graph's arguments and results as fake tensors of these inputs' sizes."""
    fakes = fakes_of(inputs)
    with torch.no_grad(), on_host(gm):
        return fakes, list(gm(*fakes))


def numbers_as_tensors(gm):
    """torch passes floats as rank-0 tensors, from which the graph first extracts the number; the device computes with
    the tensors."""
    numbers = [n for n in numbers_of(gm) if all(takes_tensor(user, n) for user in n.users)]
    if not numbers:
        return gm
    graph = torch.fx.Graph()
    copies = {}
    output = graph.graph_copy(gm.graph, copies)
    for node in numbers:
        copy = copies[node]
        with graph.inserting_before(copy):
            tensor = graph.call_function(torch.ops.aten._to_copy.default, (copy.args[0],), {"dtype": torch.float32})
        tensor.meta = dict(copy.meta)
        copy.replace_all_uses_with(tensor)
        graph.erase_node(copy)
    graph.output(output).meta = dict(next(n for n in gm.graph.nodes if n.op == "output").meta)
    return torch.fx.GraphModule(gm, graph)


def numbers_of(gm):
    """The nodes that extract a number from an argument."""
    return [
        n
        for n in gm.graph.nodes
        if n.op == "call_method" and n.target == "item" and n.args[0].op == "placeholder" and is_number(n.args[0])
    ]


def takes_tensor(user, number):
    """True if a rank-0 tensor may replace the number: beside a tensor in arithmetic."""
    others = [n for n in user.all_input_nodes if n is not number]
    return getattr(user.target, "__module__", None) == "_operator" and all(
        isinstance(n.meta.get("example_value"), torch.Tensor) for n in others
    )


def literal_numbers(gm):
    """The nodes whose number must be a literal of the graph, such as an epsilon, and the argument that each extracts
    it from."""
    placeholders = [n for n in gm.graph.nodes if n.op == "placeholder"]
    return {n: placeholders.index(n.args[0]) for n in numbers_of(gm)}


def with_numbers(gm, numbers):
    """The graph with the values of these nodes as literals."""
    if not numbers:
        return gm
    copies, graph = {}, torch.fx.Graph()
    output = graph.graph_copy(gm.graph, copies)
    graph.output(output).meta = dict(next(n for n in gm.graph.nodes if n.op == "output").meta)
    for node, value in numbers.items():
        for user in list(copies[node].users):
            user.args, user.kwargs = torch.fx.node.map_arg(
                (user.args, user.kwargs), lambda n, old=copies[node], new=value: new if n is old else n
            )
        graph.erase_node(copies[node])
    return torch.fx.GraphModule(gm, graph)


def is_number(node):
    value = node.meta.get("example_value")
    return (
        isinstance(value, torch.Tensor)
        and value.dim() == 0
        and value.dtype == torch.float64
        and not getattr(node.meta.get("grapharg"), "is_tensor", True)
    )


def with_drawn_numbers(gm, runner):
    """Numbers drawn by Python's own generators inside the model come as f64, whatever type torch gave them in the
    graph."""
    drawn = [
        (i, node.meta["example_value"].dtype)
        for i, node in enumerate(n for n in gm.graph.nodes if n.op == "placeholder")
        if type(getattr(node.meta.get("grapharg"), "source", None)).__name__ == "RandomValueSource"
    ]
    if not drawn:
        return runner

    def run(*args):
        args = list(args)
        for i, dtype in drawn:
            args[i] = args[i].to(dtype)
        return runner(*args)

    return run


def with_attributes_as_inputs(gm):
    """The graph with the tensors that it holds itself, such as the parameters that an optimizer's step writes, as
    further inputs; and these tensors."""
    nodes = [n for n in gm.graph.nodes if n.op == "get_attr" and isinstance(attribute_of(gm, n.target), torch.Tensor)]
    names = list(dict.fromkeys(n.target for n in nodes))
    if not names:
        return gm, []
    tensors = [attribute_of(gm, name) for name in names]
    graph, copies, inputs = torch.fx.Graph(), {}, {}
    for node in gm.graph.nodes:
        if node.op == "placeholder":
            copies[node] = graph.node_copy(node, copies.__getitem__)
    for name, tensor in zip(names, tensors):
        inputs[name] = graph.placeholder(name.replace(".", "_"))
        inputs[name].meta = dict(next(n for n in nodes if n.target == name).meta)
        inputs[name].meta.setdefault("example_value", tensor)
    for node in nodes:
        copies[node] = inputs[node.target]
    for node in gm.graph.nodes:
        if node not in copies:
            copies[node] = graph.node_copy(node, copies.__getitem__)
    return torch.fx.GraphModule(gm, graph), tensors


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
    """While tracing, device arguments in the captured graph mean the host: programs run on the device whatever device
    their tensors were created on."""

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


class SourceLine:
    """The user's source line of a node."""

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

        # A module of torch's own that is compiled by itself has no user's line.
        modules = list((node.meta.get("nn_module_stack") or {}).values())
        self.module = getattr(modules[-1][1], "__name__", str(modules[-1][1])) if modules else None

    def __str__(self):
        if self.file:
            return f"{self.file}:{self.line}:{self.column}"
        return f"the module {self.module}" if self.module else "unknown location"
