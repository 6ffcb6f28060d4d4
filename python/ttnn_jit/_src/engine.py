"""What runs a graph: the host's fused engine (one pass over memory for chains of operations on elements), or kernels on the
simulated grid (TILEWRIGHT_ENGINE=grid)."""

import contextlib
import math
import os

import ttnn
from tilewright import _engine, sim
from ttnn import _host as hosts, _tensor

from . import emit


FUSED, UNFUSED = "enable-elementwise-fusion=true join-compute=true", "enable-elementwise-fusion=false"
# What a fused kernel may lack, by the rules of the errors of D2M's passes.
TOO_MUCH = {"dst capacity": "DST", "scratch capacity": "scratch memory", "l1 capacity": "L1"}


def chosen():
    """TILEWRIGHT_ENGINE: host (the default) or grid."""
    name = os.environ.get("TILEWRIGHT_ENGINE") or "host"
    if name not in ("host", "grid"):
        raise ValueError(f"TILEWRIGHT_ENGINE: expected host or grid, found {name!r}")
    return name


@contextlib.contextmanager
def on_the_grid(**more):
    """TILEWRIGHT_ENGINE=grid, and other variables, while it is entered."""
    variables = {"TILEWRIGHT_ENGINE": "grid", **more}
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


SHARED = 1 << 16  # elements from which on threads share the work of a function


def threads():
    """TILEWRIGHT_THREADS, or the processors that this process may use."""
    return int(os.environ.get("TILEWRIGHT_THREADS") or 0) or len(os.sched_getaffinity(0))


def packed(tensor, dtype):
    """A tensor of f32 as one of block floats, rounded as a core packs them."""
    values = sim.round_blocks(tensor.values(), _tensor.ELEMENTS[dtype], packed=True)
    return ttnn.Tensor(values, dtype, ttnn.Layout.TILE, tensor.device(), tensor.memory_config())


def reshaped(tensor, shape, memory):
    if tensor.shape == shape and tensor.memory_config() == memory:
        return tensor
    return ttnn.Tensor(tensor.values().reshape(shape), tensor.dtype, ttnn.Layout.TILE, tensor.device(), memory)


def rounds_in_dst():
    """TTNN_JIT_ROUNDING: `operation` (the default): on the grid, too, each operation's result is rounded to its type, to nearest,
    so that both engines give the same bytes; `dst`: kernels as tt-mlir makes them, in which a 16-bit DST truncates."""
    how = os.environ.get("TTNN_JIT_ROUNDING") or "operation"
    if how not in ("operation", "dst"):
        raise ValueError(f"TTNN_JIT_ROUNDING: expected operation or dst, found {how!r}")
    return how == "dst"


class HostProgram:
    """A compiled graph: `run` takes the tensors of the call, as a tuple."""

    def __init__(self, function, graph):
        self.captured = tuple(tensor for tensor, _ in graph.captured)
        self.many = graph.many
        self.results = [(r.shape, r.dtype, r.memory) for r in graph.results]
        graph = self.adapted(graph)
        computed = [(r.shape, r.dtype, r.memory) for r in graph.results]
        self.reshaped = computed != self.results
        torch = hosts.torch()
        kinds = [getattr(torch, hosts.NAMES[emit.element_type(dtype)]) for _, dtype, _ in self.results]
        self.like = tuple(ttnn.Tensor(torch.empty(shape, dtype=kind), emit.element_type(dtype), ttnn.Layout.TILE, None, memory)
                          for kind, (shape, dtype, memory) in zip(kinds, computed))
        for tensor, (_, _, memory) in zip(self.like, computed):
            tensor._set(ttnn._tensor._CODES[tensor.dtype], True, tensor.shape, memory, graph.device)
        self.rounded = any(emit.element_type(dtype) is not dtype for _, dtype, _ in self.results)
        self.call = _engine.core().ttnn_run
        self.program = self.compiled(function, graph)
        graph.device.programs.add(self)

    def adapted(self, graph):
        """The graph that is compiled."""
        return graph

    def compiled(self, function, graph):
        large = max((math.prod(node.shape) for node in (*graph.arguments, *graph.nodes)), default=0) >= SHARED
        return _engine.native_compile(emit.ttir(graph, laid_out=False, name="main"), {"as_written": True, "threads": threads() if large else 1})

    def run(self, tensors):
        """A tensor, or a tuple of them if the function returns one."""
        made = self.call(self.program, tensors + self.captured, self.like)
        if self.reshaped:
            made = tuple(reshaped(t, shape, memory) for t, (shape, _, memory) in zip(made, self.results))
        if self.rounded:  # block floats are computed as f32
            made = tuple(t if t.dtype is dtype else packed(t, dtype) for t, (_, dtype, _) in zip(made, self.results))
        return made if self.many else made[0]


BACK = ("max-dst-physical-size-tiles", "use-tile-matmul", "disable-l1-acc", "use-tensor-accessor-dma")  # what d2m-be-pipeline reads


def options_of(function, graph):
    """The options of the compiler for a function: for its front end, for its back end, for programs."""
    front = ["ttnn-mode=true", FUSED if function.fusion else UNFUSED]
    if function.max_grid is not None:
        front.append(f"override-device-shape={graph.cores[0]},{graph.cores[1]}")
    if os.environ.get("SYSTEM_DESC_PATH"):
        front.append(f"system-desc-path={os.environ['SYSTEM_DESC_PATH']}")
    extra = function.extra_pipeline_options.split()
    back = [text for text in extra if text.split("=")[0].lstrip("-") in BACK]
    front += [text for text in extra if text not in back]
    return " ".join(front), " ".join(["enable-op-scheduler=true", *back]), f"set-math-fidelity={function.math_fidelity.name}"


def module_of(function, graph, rounded):
    """The module that D2M compiles; rounded: as emit.ttir_for_d2m."""
    return emit.ttir_for_d2m(graph, rounded) if function.graph_capture else emit.tagged_ttnn(graph)


def apply(function, graph, module, pipelines):
    """Runs pipelines, (name, options) each, on a module (tilewright._core.Module), which is verified before the first and when it is
    compiled, and after each pass with `debug`; RuntimeError with the diagnostics, and their `rule`, where one fails."""
    if not function.graph_capture:
        pipelines = [("convert-ttnn-to-ttir", ""), *pipelines]
    for name, options in pipelines:
        try:
            module.run(f"builtin.module({name}{options and '{' + options + '}'})", graph.name, None, function.debug)
        except RuntimeError as error:
            raise refusal(name, graph, error, getattr(error, "rule", "")) from error
        if function.debug:
            print(f"---- IR Dump after {name} ----\n{module.text()}", end="")


def refusal(pipeline, graph, error, rule=""):
    made = RuntimeError(f"Failed to run pass manager: {pipeline} refuses {graph.name}: {error}")
    made.rule = rule
    return made


def lower(function, graph, pipelines, rounded):
    """The module after pipelines as one of Python's IR (ttmlir.ir), in the current context, for what looks into it."""
    from ttmlir import ir

    if not function.graph_capture:
        pipelines = [("convert-ttnn-to-ttir", ""), *pipelines]
    module = ir.Module.parse(module_of(function, graph, rounded).text(True))
    lower_more(function, graph, module, pipelines)
    return module


def lower_more(function, graph, module, pipelines):
    """`apply` for a module of Python's IR. It is verified after each pipeline, and after each pass with `debug`."""
    from ttmlir.passmanager import PassManager

    for name, options in pipelines:
        try:
            passes = PassManager.parse(f"builtin.module({name}{options and '{' + options + '}'})")
            passes.enable_verifier(function.debug)
            passes.run(module.operation)
            module.operation.verify()
        except Exception as error:
            raise refusal(name, graph, error) from error
        if function.debug:
            print(f"---- IR Dump after {name} ----\n{module}", end="")


class GridProgram(HostProgram):
    """A compiled graph as kernels on the simulated grid."""

    def adapted(self, graph):
        return emit.keeping_dims(graph)

    def compiled(self, function, graph):
        front, order, programs = options_of(function, graph)
        rest = [("d2m-be-pipeline", order), ("d2m-to-ttkernel-pre-emitc-pipeline", ""), ("d2m-to-ttnn-pipeline", programs), ("ttnn-deallocate", "arguments=false")]
        while True:
            module = module_of(function, graph, not (rounds_in_dst() or function.compile_only))
            try:
                apply(function, graph, module, [("d2m-fe-pipeline", front), *rest])
                return _engine.native_compile(module, {"entry": graph.name})
            except RuntimeError as error:
                rule = getattr(error, "rule", "")
                if rule in TOO_MUCH and FUSED in front:
                    front, why = front.replace(FUSED, UNFUSED), f"without fusion, as a fused kernel needs more {TOO_MUCH[rule]} than there is"
                else:
                    raise
                if function.debug:
                    print(f"---- {graph.name} is compiled again {why} ----")


def compile(function, graph):
    """The program of a graph on the chosen engine."""
    return (GridProgram if chosen() == "grid" else HostProgram)(function, graph)


def compile_only(function, graph):
    """Writes IR, binary and kernels in C++ to the function's folder; prints and returns the module's text."""
    from ttmlir import ir, passes

    with ir.Context(), ir.Location.unknown():
        module = lower(function, graph, [("ttir-to-ttmetal-pipeline", " ".join(options_of(function, graph)))], rounded=False)
        text = str(module)
        if not function.debug:
            print("---- IR Dump after ttnn_to_ttmetal_pipeline ----")
            print(text, end="")
        os.makedirs(function.out_dir, exist_ok=True)
        with open(os.path.join(function.out_dir, f"{graph.name}.mlir"), "w", encoding="utf-8") as file:
            file.write(text)
        passes.ttkernel_to_cpp_file(module, function.out_dir)
        passes.ttnn_to_flatbuffer_file(module, os.path.join(function.out_dir, f"{graph.name}.ttnn"))
    return text
