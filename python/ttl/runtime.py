"""Integers that a kernel gets anew with each call, without being compiled again.

    @ttl.kernel(grid=(1, 1))
    def kernel(x, out, steps: ttl.RuntimeInt): ..."""

LOWEST, HIGHEST = -(2**31), 2**31 - 1


class RuntimeInt:
    """Annotates an integer parameter of a kernel: threads read it when they run. In the kernel's body it is
    this object, without a value."""

    def __init__(self, name, number):
        self.name, self.number = name, number  # its place among the kernel's runtime integers

    def __repr__(self):
        return f"RuntimeInt({self.name})"

    def __index__(self):
        raise TypeError(f"'{self.name}' is known only when the kernel runs; use it in threads, or annotate it as int")

    __bool__ = __index__


def is_runtime(annotation):
    """Whether a parameter's annotation is RuntimeInt; with postponed evaluation it is text."""
    return annotation is RuntimeInt or isinstance(annotation, str) and annotation.rpartition(".")[2] == "RuntimeInt"


def checked(name, value):
    """The number as kernels take it."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"'{name}' is a runtime integer, got {type(value).__name__}")
    value = value.__index__()
    if not LOWEST <= value <= HIGHEST:
        raise ValueError(f"'{name}' is an integer of 32 bits, got {value}")
    return value & 0xFFFFFFFF
