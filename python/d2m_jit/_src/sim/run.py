"""Kernels as Python functions."""

import functools
import inspect
import itertools
import types

from .ops import SIM_OPS, set_core
from .tensors import SimTensor


class SimKernel:
    """A kernel whose body runs with the functions of ops.py as globals."""

    def __init__(self, fn):
        functools.update_wrapper(self, fn)
        self.fn = fn
        self._body = types.FunctionType(fn.__code__, {**fn.__globals__, **SIM_OPS}, fn.__name__, fn.__defaults__, fn.__closure__)

    def __call__(self, *args, grid, num_outs=1, block_factors=None, indexing_maps=None, iterator_types=None, kernel_io_in_dram=None):
        if indexing_maps is not None or iterator_types is not None:
            raise NotImplementedError("the simulator runs kernels that loop themselves: indexing_maps and iterator_types need the device")
        self._check(args, num_outs)
        try:
            for core in itertools.product(*(range(n) for n in grid)):
                set_core(core)
                self._finish(self._body(*args))
        finally:
            set_core(None)

    def _check(self, args, num_outs):
        tensors, name = 0, self.fn.__name__
        for i, a in enumerate(args):
            if isinstance(a, SimTensor):
                if tensors < i:
                    raise TypeError(f"argument {i} to kernel '{name}' is a SimTensor but a scalar was already seen; tensor arguments must "
                                    "precede scalars")
                tensors += 1
            elif not isinstance(a, int) or isinstance(a, bool):
                raise TypeError(f"argument {i} to kernel '{name}' has unsupported type {type(a).__name__}: they are SimTensor or int")
        if num_outs < 1:
            raise ValueError(f"num_outs must be >= 1 (got {num_outs})")
        if tensors < num_outs:
            raise ValueError(f"kernel call has {tensors} tensor args; need at least {num_outs} for outputs")

    @staticmethod
    def _finish(result):
        """Runs the body of an `async def`: what it awaits is there."""
        if inspect.isasyncgen(result):
            raise NotImplementedError("async-generator kernels ('async def' with 'yield') have threads that wait for each other, which the "
                                      "simulator does not have: leave out 'yield'")
        if inspect.iscoroutine(result):
            for _ in result.__await__():
                pass


def kernel(fn):
    """Makes a function a kernel of the simulator."""
    return SimKernel(fn)
