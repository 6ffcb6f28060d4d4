"""ttnn_jit: a function of ttnn operations, compiled as one program.

    @ttnn_jit.jit()
    def cosh(x):
        return ttnn.multiply(ttnn.add(ttnn.exp(x), ttnn.exp(ttnn.neg(x))), 0.5)

The function is run once with tracers instead of tensors; what it did becomes a program, which later calls of
the same metadata run.
"""

from .api import autotune, jit

__all__ = ["autotune", "jit"]
