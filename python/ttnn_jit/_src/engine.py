"""What runs a graph: the host's fused engine (one pass over memory for chains of operations on elements), or kernels on the
simulated grid (TILEWRIGHT_ENGINE=grid)."""

import os

import ttnn
from tilewright import _engine
from ttnn import _host as hosts

from . import emit


def chosen():
    """TILEWRIGHT_ENGINE: host (the default) or grid."""
    name = os.environ.get("TILEWRIGHT_ENGINE") or "host"
    if name not in ("host", "grid"):
        raise ValueError(f"TILEWRIGHT_ENGINE: expected host or grid, found {name!r}")
    return name


class HostProgram:
    """A compiled graph: `run` takes the tensors of the call, as a tuple."""

    def __init__(self, graph):
        self.captured = tuple(tensor for tensor, _ in graph.captured)
        self.many = graph.many
        self.results = [(r.shape, r.dtype, r.memory) for r in graph.results]
        torch = hosts.torch()
        kinds = [getattr(torch, hosts.NAMES[emit.element_type(dtype)]) for _, dtype, _ in self.results]
        self.like = tuple(ttnn.Tensor(torch.empty(shape, dtype=kind), emit.element_type(dtype), ttnn.Layout.TILE, None, memory)
                          for kind, (shape, dtype, memory) in zip(kinds, self.results))
        for tensor, (_, _, memory) in zip(self.like, self.results):
            tensor._set(ttnn._tensor._CODES[tensor.dtype], True, tensor.shape, memory, graph.device)
        self.rounded = any(emit.element_type(dtype) is not dtype for _, dtype, _ in self.results)
        self.call = _engine.core().ttnn_run
        self.program = _engine.native_compile(emit.ttir(graph, laid_out=False, name="main"), {})

    def run(self, tensors):
        """A tensor, or a tuple of them if the function returns one."""
        made = self.call(self.program, tensors + self.captured, self.like)
        if self.rounded:  # block floats are computed as f32
            made = tuple(t if t.dtype is dtype else ttnn.typecast(t, dtype) for t, (_, dtype, _) in zip(made, self.results))
        return made if self.many else made[0]


def compile(function, graph):
    """The program of a graph on the chosen engine."""
    if chosen() == "grid":
        raise NotImplementedError("TILEWRIGHT_ENGINE=grid: kernels for the grid are not built yet; unset it")
    return HostProgram(graph)


def compile_only(function, graph):
    """Writes IR, binary and kernels to the function's folder; returns the module."""
    raise NotImplementedError("compile_only: kernels for the grid are not built yet")
