"""Decorators: calling the decorated function compiles it."""

import functools

from ._src.compiler import compiled


def ttkernel_compile(kernel_type=None, verbose=False, optimize=False, thread_type=""):
    """Makes a function a kernel: a call gives its C++, and prints its module.

    kernel_type: "noc", "compute", or None for a function of no thread, whose call gives the module. verbose: the C++ has the
    Python lines as comments. optimize: passes remove what is not needed. thread_type: "reader", "writer" or "compute", where
    a PyKernelOp runs the kernel.
    Errors: PyKernelError, with the line.
    """

    def decorate(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            return compiled(function, args, kwargs, kernel_type, verbose, optimize, shown=True)

        call.compile = functools.partial(compiled, function, kernel_type=kernel_type, verbose=verbose, optimize=optimize, shown=False)
        call._decorator_name = f"{thread_type}_thread"
        return call

    return decorate


def ttkernel_noc_compile(verbose=False, optimize=False):
    """A kernel that moves data."""
    return ttkernel_compile("noc", verbose, optimize)


def ttkernel_tensix_compile(verbose=False, optimize=False):
    """A kernel that computes."""
    return ttkernel_compile("compute", verbose, optimize)


def reader_thread(verbose=False, optimize=False):
    """The kernel of a PyKernelOp that reads."""
    return ttkernel_compile("noc", verbose, optimize, "reader")


def writer_thread(verbose=False, optimize=False):
    """The kernel of a PyKernelOp that writes."""
    return ttkernel_compile("noc", verbose, optimize, "writer")


def compute_thread(verbose=False, optimize=False):
    """The kernel of a PyKernelOp that computes."""
    return ttkernel_compile("compute", verbose, optimize, "compute")
