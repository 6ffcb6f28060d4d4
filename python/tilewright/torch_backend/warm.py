"""Functional graphs, and their programs in StableHLO, that an earlier process made, kept in the folder of lowered programs.

torch.compile captures a model in each process; turning that graph into functional ATen operations takes nearly as long again. The
result depends on the captured graph, the metadata of its inputs, torch, and this package, which name the file. A file is JSON, or the
text of a module: reading it runs nothing that it says, and a damaged or unfitting one is made again. Graphs with functions of the user's
own, submodules or constants of their own are not kept."""

import contextlib
import functools
import hashlib
import json
import operator
import os
import re
import stat
from pathlib import Path

import torch

from .. import __version__, _engine, env
from . import profile
from .build import mlir_type, tensor_type

# What captured graphs call: functions of these modules are those of torch and Python, whose versions are in the name.
LIBRARIES = ("torch", "_operator", "math", "builtins")
PLAIN = (int, float, bool, str, type(None))
NAMED = {torch.dtype: "dtype", torch.layout: "layout", torch.memory_format: "memory_format"}


class Unkept(Exception):
    """Something that files cannot hold."""


@functools.cache
def package():
    """Of this package's sources, by which graphs are made."""
    made = hashlib.sha256(f"{__version__} {torch.__version__}".encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        made.update(path.read_bytes())
    return made.hexdigest()


def functional_graph(gm, inputs, folder):
    """tracing.functional_graph, from the folder if it is there; without a folder always by torch's tracer."""
    try:
        path = folder and os.path.join(folder, name_of(gm, inputs))
    except Unkept:
        path = None
    known = path and load(f"{path}.graph.json", lambda text: graph_of(json.loads(text)))
    if known is None:
        from . import tracing  # and with it all decompositions and rows

        known = tracing.functional_graph(gm, inputs)
        graph, mutated, lifted = known
        path = path if path and not lifted and keep(f"{path}.graph.json", text_of, graph, mutated) else None
    known[0].meta["kept"] = path
    return known


def module(graph, part, make):
    """(module, failures) of make(): the StableHLO of a part of a functional graph, which is (nodes, inputs, outputs, flags of the inputs)
    and whose module is kept beside the graph, if that is."""
    path = graph.meta.get("kept")
    if path is None:
        return make()
    *nodes, flags = part
    words = json.dumps([[[n.name for n in some] for some in nodes], flags])
    path = f"{path}.{digest(words)[:16]}.stablehlo.mlir"
    known = load(path, lambda text: module_of(text, *part[1:3]))
    if known is not None:
        return known, []
    made, failures = make()
    if made:
        keep(path, made.text, True)
    return made, failures


def module_of(text, inputs, outputs):
    """The module of a text, if it has a function of these arguments and results."""
    (given,) = re.findall(r"^  func\.func @main\((.*)$", text, re.M)
    found = re.findall(r"(?:%arg\d+: |-> |[(,] ?)(tensor<[^ ,]*>)", f"({given}")
    wanted = [tensor_type(n.meta["val"].shape, mlir_type(n.meta["val"].dtype)) for n in (*inputs, *outputs)]
    if found != wanted:
        raise ValueError(f"a function of {', '.join(found)}, not {', '.join(wanted)}")
    return _engine.core().Module.read(text)


# ---- values in files: what is not plain is a list with its kind in front


def written(value, nodes):
    if isinstance(value, torch.fx.Node):
        return ["node", nodes[value]]
    if type(value) in PLAIN:
        return value
    if type(value) in NAMED:
        return [NAMED[type(value)], str(value)]
    if isinstance(value, torch.device):
        return ["device", str(value)]
    if isinstance(value, (list, tuple)) and type(value).__name__ in ("list", "tuple", "immutable_list", "Size"):
        return ["list" if isinstance(value, list) else "tuple", [written(v, nodes) for v in value]]
    if isinstance(value, dict):
        return ["dict", [[written(k, nodes), written(v, nodes)] for k, v in value.items()]]
    if isinstance(value, slice):
        return ["slice", [written(v, nodes) for v in (value.start, value.stop, value.step)]]
    if value is Ellipsis:
        return ["ellipsis"]
    raise Unkept(type(value).__name__)


READERS = {
    "node": lambda x, nodes: nodes[x],
    "device": lambda x, nodes: torch.device(x),
    "list": lambda x, nodes: [read(v, nodes) for v in x],
    "tuple": lambda x, nodes: tuple(read(v, nodes) for v in x),
    "dict": lambda x, nodes: {read(k, nodes): read(v, nodes) for k, v in x},
    "slice": lambda x, nodes: slice(*(read(v, nodes) for v in x)),
    **{kind: lambda x, nodes, of=of: named(x, of) for of, kind in NAMED.items()},
}


def named(text, kind):
    value = getattr(torch, text.removeprefix("torch."))
    if not isinstance(value, kind):
        raise TypeError(text)
    return value


def read(value, nodes):
    if not isinstance(value, list):
        return value
    return Ellipsis if value[0] == "ellipsis" else READERS[value[0]](value[1], nodes)


def metadata(value):
    """Of a fake tensor, or of several; numbers are themselves."""
    if isinstance(value, torch.Tensor):
        return ["tensor", [[int(n) for n in value.shape], [int(n) for n in value.stride()], str(value.dtype)]]
    if isinstance(value, (list, tuple)):
        return ["tuple", [metadata(v) for v in value]]
    if type(value) in PLAIN:
        return value
    raise Unkept(type(value).__name__)


def described(value):
    """A tensor without memory, which costs less than a fake one: nothing is computed of a kept graph."""
    if not isinstance(value, list):
        return value
    if value[0] == "tuple":
        return tuple(described(v) for v in value[1])
    shape, stride, dtype = value[1]
    return torch.empty_strided(shape, stride, dtype=named(dtype, torch.dtype), device="meta")


# ---- names


def callee(target):
    """A function of torch or Python by its name."""
    if isinstance(target, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
        return str(target)
    short = getattr(target, "__name__", "")
    if getattr(torch.nn.functional, short, None) is target:  # some are made by a decorator, under one name for all
        return f"torch.nn.functional.{short}"
    module = getattr(target, "__module__", None) or getattr(type(getattr(target, "__self__", None)), "__module__", "") or ""
    name = getattr(target, "__qualname__", None) or short
    if not name or "<" in name or module.split(".")[0] not in LIBRARIES:
        raise Unkept(str(target))
    return f"{module}.{name}"


def argument(value):
    if not isinstance(value, torch.Tensor):
        if type(value) not in PLAIN and not isinstance(value, torch.SymInt):
            raise Unkept(type(value).__name__)
        return repr(int(value) if isinstance(value, torch.SymInt) else value)
    if type(value) not in (torch.Tensor, torch.nn.Parameter) and not isinstance(value, torch._subclasses.FakeTensor):
        raise Unkept(type(value).__name__)
    return [[int(n) for n in value.shape], [int(n) for n in value.stride()], str(value.dtype)]


def name_of(gm, inputs):
    """Everything that the functional graph depends on. Lines are part of it, since messages and profiles show them."""
    nodes, lines = {}, []
    for node in gm.graph.nodes:
        if node.op not in ("placeholder", "output", "call_function", "call_method"):
            raise Unkept(node.op)
        target = callee(node.target) if node.op == "call_function" else node.target if node.op == "call_method" else ""
        lines.append([node.op, target, written(node.args, nodes) if node.op != "placeholder" else None,
                      written(node.kwargs, nodes), node.meta.get("stack_trace")])
        nodes[node] = len(nodes)
    state = [torch.is_autocast_enabled("cpu"), str(torch.get_autocast_dtype("cpu")), str(torch.get_default_dtype()),
             torch.are_deterministic_algorithms_enabled()]
    text = json.dumps([package(), state, [argument(value) for value in inputs], lines])
    return hashlib.sha256(text.encode()).hexdigest()


# ---- files


def keep(path, text, *of):
    """Writes text(*of) to a file, if it can be; False if there cannot be such a text."""
    try:
        text = text(*of)
    except Unkept:
        return False
    with contextlib.suppress(OSError):  # a full disk only means no file
        profile.write_whole(path, f"{digest(text)}\n{text}")
    return True


def text_of(graph, mutated):
    """Of a functional graph, for a file."""
    nodes, lines = {}, []
    for node in graph.graph.nodes:
        if node.op == "call_function" and isinstance(node.target, torch._ops.OpOverload):
            target = str(node.target)
        elif node.op == "call_function" and node.target is operator.getitem:
            target = "getitem"
        elif node.op in ("placeholder", "output"):
            target = ""
        else:
            raise Unkept(str(node.target))
        origin = node.meta.get("original_aten")
        if origin is not None and not isinstance(origin, torch._ops.OpOverload):
            raise Unkept(str(origin))
        modules = list((node.meta.get("nn_module_stack") or {}).values())
        lines.append([node.name, node.op, target, None if node.op == "placeholder" else written(node.args, nodes), written(node.kwargs, nodes),
                      metadata(node.meta.get("val")), node.meta.get("stack_trace"), origin and str(origin),
                      getattr(modules[-1][1], "__name__", str(modules[-1][1])) if modules else None])
        nodes[node] = len(nodes)
    return json.dumps({"mutated": mutated, "nodes": lines})


@functools.cache
def overload(text):
    """torch.ops.aten.add.Tensor of "aten.add.Tensor"."""
    space, name, which = text.split(".")
    found = getattr(getattr(getattr(torch.ops, space), name), which)
    if not isinstance(found, torch._ops.OpOverload):
        raise TypeError(text)
    return found


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def contents(path):
    """Of a regular file: another kind might never end."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), encoding="utf-8") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("no file")
        return file.read()


def load(path, read):
    """What `read` makes of the text; None if there is no such file, or it is damaged."""
    try:
        known, _, text = contents(path).partition("\n")
        if known != digest(text):
            raise ValueError("other contents than written")
        return read(text)
    except OSError:
        return None
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RuntimeError) as error:
        env.log.warning("%s is damaged (%s) and made again", path, error)
        return None


class Kept:
    """A functional graph from a file. torch.fx.GraphModule would write Python for it, which takes longer than reading it, and
    is never run."""

    def __init__(self, graph):
        self.graph, self.meta = graph, {}


def graph_of(kept):
    graph, nodes = torch.fx.Graph(), []
    for name, op, target, args, kwargs, value, trace, origin, module in kept["nodes"]:
        if op == "placeholder":
            node = graph.placeholder(name)
        elif op == "output":
            node = graph.output(read(args, nodes)[0])
        else:
            function = operator.getitem if target == "getitem" else overload(target)
            node = graph.create_node("call_function", function, read(args, nodes), read(kwargs, nodes), name)
        node.meta = {"val": described(value)}
        for key, known in (("stack_trace", trace), ("original_aten", origin and overload(origin)), ("nn_module_stack", module and {"": ("", module)})):
            if known:
                node.meta[key] = known
        nodes.append(node)
    mutated = kept["mutated"]
    if not isinstance(mutated, list) or any(type(i) is not int for i in mutated) or nodes[-1].op != "output":
        raise ValueError("no graph")
    return Kept(graph), mutated, []
