"""The part of tt-mlir's runtime that is for its tests: layouts, and programs as shared objects."""

from ._tensor import Layout
from ._types import DataType


def get_dram_interleaved_tile_layout(dtype=DataType.BFloat16):
    return Layout(dtype, tiled=True)


def get_dram_interleaved_row_major_layout(dtype=DataType.BFloat16):
    return Layout(dtype, tiled=False)


def get_host_row_major_layout(dtype=DataType.BFloat16):
    return Layout(dtype, tiled=False, on_device=False)


def open_so(path):
    """A library of emitted C++ (ttrt.emitted.compile_cpp)."""
    from ttrt import emitted

    return emitted.load_cpp(path)


def close_so(handle):
    """No-op: a library stays loaded as long as the process."""


def get_so_programs(handle, path=None):
    """The names of its programs."""
    return list(handle.programs)


def create_inputs(handle, name, device=None, path=None):
    """The inputs that the program's source makes."""
    from .utils import create_runtime_tensor_from_ttnn

    return [create_runtime_tensor_from_ttnn(t) for t in handle.inputs(name)]


def run_so_program(handle, name, inputs, device=None):
    """The program's results for tensors of the runtime."""
    from ttrt import emitted

    from .utils import create_runtime_tensor_from_ttnn, get_ttnn_tensor_from_runtime_tensor

    values = [get_ttnn_tensor_from_runtime_tensor(t).to_torch() for t in inputs]
    given = [emitted._as(template, value, f"program '{name}'") for template, value in zip(handle.inputs(name), values)]
    return [create_runtime_tensor_from_ttnn(t) for t in handle.call(name, given)]


def compare_outs(first, second):
    """True if tensors of the runtime are equal, one by one."""
    return len(first) == len(second) and all(bytes(a.get_data_buffer()) == bytes(b.get_data_buffer()) for a, b in zip(first, second))
