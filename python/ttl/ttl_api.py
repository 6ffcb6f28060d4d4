"""`from ttl.ttl_api import *`: the language's names without prefix."""

from . import (
    CircularBuffer,
    CopyTransferHandler,
    Program,
    Semaphore,
    TensorAccessor,
    TensorBlock,
    compute,
    copy,
    core,
    datamovement,
    grid_size,
    kernel,
    make_circular_buffer_like,
    pykernel_gen,
    ttl_kernel,
)

__all__ = ["CircularBuffer", "CopyTransferHandler", "Program", "Semaphore", "TensorAccessor", "TensorBlock", "compute", "copy", "core", "datamovement",
           "grid_size", "kernel", "make_circular_buffer_like", "pykernel_gen", "ttl_kernel"]
