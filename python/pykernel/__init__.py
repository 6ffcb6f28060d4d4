"""pykernel: kernels of TTKernel's functions in Python.

    from pykernel import CircularBuffer, ttkernel_noc_compile

    @ttkernel_noc_compile()
    def reader(cb: CircularBuffer, address, bank):
        cb_reserve_back(cb, 1)
        noc_async_read(address, get_write_ptr(cb), get_tile_size(cb), src_bank_id=bank)
        noc_async_read_barrier()
        cb_push_back(cb, 1)

    print(reader(CircularBuffer(0), 0, 0))      # its C++

PyKernelOp makes programs of such kernels, which run on ttnn's tensors.
"""

from ._src.arguments import CircularBuffer, CompileTimeValue, Kernel
from .api import compute_thread, reader_thread, ttkernel_compile, ttkernel_noc_compile, ttkernel_tensix_compile, writer_thread

__all__ = ["CircularBuffer", "CompileTimeValue", "Kernel", "PyKernelOp", "compute_thread", "reader_thread", "ttkernel_compile",
           "ttkernel_noc_compile", "ttkernel_tensix_compile", "writer_thread"]


def __getattr__(name):
    if name != "PyKernelOp":  # it needs ttnn
        raise AttributeError(f"module 'pykernel' has no attribute '{name}'")
    from ._src.operation import PyKernelOp

    globals()[name] = PyKernelOp
    return PyKernelOp
