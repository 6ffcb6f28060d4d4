"""The part of tt-mlir's runtime that is for its tests: layouts, and programs as shared objects."""

from ._tensor import Layout
from ._types import DataType


def get_dram_interleaved_tile_layout(dtype=DataType.BFloat16):
    return Layout(dtype, tiled=True)


def get_dram_interleaved_row_major_layout(dtype=DataType.BFloat16):
    return Layout(dtype, tiled=False)


def get_host_row_major_layout(dtype=DataType.BFloat16):
    return Layout(dtype, tiled=False, on_device=False)


def _objects(*_):
    raise NotImplementedError("programs as shared objects over tt-metal do not run here; load a binary instead")


open_so = close_so = get_so_programs = create_inputs = run_so_program = compare_outs = _objects
