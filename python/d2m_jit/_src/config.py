"""Switches of the process: `d2m_jit.config`."""

import os
from dataclasses import dataclass, field

_PREFIX = "D2M_JIT_"


def _flag(name, default=False):
    text = os.environ.get(_PREFIX + name)
    return field(default=default if text is None else text.strip().lower() in ("1", "true", "yes", "on"))


def _text(name, default=""):
    return field(default=os.environ.get(_PREFIX + name, default))


@dataclass
class Config:
    """Each field has a variable D2M_JIT_NAME, which is read when the package is imported."""

    backend: str = _text("BACKEND", "device")  # "device": compiled, on the grid; "sim": as Python over torch
    print_pipeline: bool = _flag("PRINT_PIPELINE")
    print_ir_before_pipeline: bool = _flag("PRINT_IR_BEFORE")
    print_ir_after_pipeline: bool = _flag("PRINT_IR_AFTER")
    print_ir_after_each_pass: bool = _flag("PRINT_IR_AFTER_ALL")
    print_ir_debug_info: bool = _flag("PRINT_IR_DEBUG_INFO")  # with locations
    verify_passes: bool = _flag("VERIFY", True)
    kernel_io_in_dram: bool = _flag("KERNEL_IO_IN_DRAM")  # tensors of kernels are in DRAM
    use_tile_matmul: bool = _flag("USE_TILE_MATMUL")  # loops over tiles instead of one operation on blocks
    save_flatbuffer_path: str = _text("SAVE_FLATBUFFER_PATH", None)  # where the .ttm of the next run is written
    insert_profiler_traces: bool = _flag("INSERT_PROFILER_TRACES")  # zones of the device's profiler in kernels
    profiler_traits: str = _text("PROFILER_TRAITS")  # which operations have zones; "" is "device-zone"
    enable_perf_trace: bool = _flag("ENABLE_PERF_TRACE")  # the runtime writes what the profiler recorded


config = Config()
