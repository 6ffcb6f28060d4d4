"""TTL: kernels for a grid of tile processors, written in Python.

    import ttl

    @ttl.kernel(grid=(2, 2))
    def add(a, b, out):
        a_cb = ttl.make_circular_buffer_like(a, shape=(1, 1), buffer_factor=2)
        ...
        @ttl.compute()
        def compute():
            with a_cb.wait() as x, b_cb.wait() as y, out_cb.reserve() as o:
                o.store(x + y)

        @ttl.datamovement()
        def read(): ...

        @ttl.datamovement()
        def write(): ...

    add(a, b, out)      # ttnn, torch or NumPy tensors

A kernel's body runs once, on the host; its threads are compiled and run on the embedded device, on every
core of the grid."""

import sys

from . import annotations, math
from .annotations import *  # noqa: F403
from .autotune import autotune
from .buffer import CircularBuffer, make_circular_buffer_like
from .connect import Pipe, PipeNet, Semaphore, create_pipe, if_pipe_dst, if_pipe_src
from .errors import TTLangCompileError
from .composites import COMPOSITES
from .functions import (
    ELEMENTWISE,
    TensorAccessor,
    broadcast,
    clamp,
    copy,
    core,
    core_linear,
    grid_size,
    grid_slice,
    matmul,
    reduce_max,
    reduce_sum,
    signpost,
    transpose,
    typecast,
    wait,
)
from .kernel import kernel, operation, pykernel_gen, ttl_kernel
from .runtime import RuntimeInt
from .threads import Program, compute, datamovement
from .types import TILE_SHAPE
from .values import Block as TensorBlock
from .values import Handle as CopyTransferHandler

globals().update(ELEMENTWISE)
globals().update(COMPOSITES)
block_bcast, block_matmul, block_reduce_max, block_reduce_sum = broadcast, matmul, reduce_max, reduce_sum
DataflowBuffer, make_dataflow_buffer_like, node = CircularBuffer, make_circular_buffer_like, core
TransferHandle = CopyTransferHandler
ttl = sys.modules[__name__]  # for `from ttl import ttl`

__version__ = "0.1.0"
__all__ = ["CircularBuffer", "CopyTransferHandler", "DataflowBuffer", "Pipe", "PipeNet", "Program", "RuntimeInt", "Semaphore", "TILE_SHAPE", "TTLangCompileError",
           "TensorBlock", "TransferHandle", "broadcast", "clamp", "compute", "copy", "create_pipe", "if_pipe_dst", "if_pipe_src", "core", "core_linear", "datamovement",
           "grid_size", "grid_slice", "TensorAccessor", "kernel", "matmul", "reduce_max", "reduce_sum", "transpose", "typecast", "make_circular_buffer_like", "make_dataflow_buffer_like", "math", "node", "operation",
           "autotune", "pykernel_gen", "signpost", "ttl_kernel", "wait", *annotations.__all__]
