"""Integers that the body of a kernel computes with although only its threads know them: arguments that are passed
with each call, without recompiling, and the coordinates of a core.

    @ttl.kernel(grid=(8, 8))
    def kernel(x, out, steps: ttl.RuntimeInt):
        first = ttl.core(dims=1) * steps

Operators give further such integers; each thread that uses one computes it."""

import ast
import builtins
import types

LOWEST, HIGHEST = -(2**31), 2**31 - 1


class Later:
    """An integer or boolean of threads: an operation on others. In the kernel's body it has no value."""

    def __init__(self, operation, *operands):
        self.operation, self.operands = operation, operands  # a class of ast, or min or max

    def __repr__(self):
        return f"what {self.what()} gives"

    def what(self):
        return next((o.what() for o in self.operands if isinstance(o, Later)), "a thread")

    def __index__(self):
        raise TypeError(f"'{self.what()}' is known only when the kernel runs; use it in threads, or annotate it as int"
                        if isinstance(self, RuntimeInt) else
                        f"{self!r} is known only on each core when the kernel runs; decide and loop on it in threads")

    __bool__ = __int__ = __float__ = __index__
    __hash__ = object.__hash__


def _operator(operation, turned):
    def method(self, other):
        if isinstance(other, bool) or not isinstance(other, (int, Later)):
            return NotImplemented
        return Later(operation, other, self) if turned else Later(operation, self, other)

    return method


for _name, _operation in {"add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "floordiv": ast.FloorDiv, "mod": ast.Mod,
                          "lshift": ast.LShift, "rshift": ast.RShift, "and": ast.BitAnd, "or": ast.BitOr,
                          "xor": ast.BitXor}.items():
    setattr(Later, f"__{_name}__", _operator(_operation, False))
    setattr(Later, f"__r{_name}__", _operator(_operation, True))
for _name, _operation in {"eq": ast.Eq, "ne": ast.NotEq, "lt": ast.Lt, "le": ast.LtE, "gt": ast.Gt, "ge": ast.GtE}.items():
    setattr(Later, f"__{_name}__", _operator(_operation, False))
for _name, _operation in {"neg": ast.USub, "pos": ast.UAdd, "invert": ast.Invert}.items():
    setattr(Later, f"__{_name}__", lambda self, operation=_operation: Later(operation, self))
Later.__abs__ = lambda self: Later(max, self, -self)
Later.__divmod__ = lambda self, other: (self // other, self % other)
Later.__rdivmod__ = lambda self, other: (other // self, other % self)


class RuntimeInt(Later):
    """Annotates an integer parameter of a kernel: threads read it at run time. In the kernel's body it is this
    object, without a value."""

    def __init__(self, name, number):
        super().__init__(None)
        self.name, self.number = name, number  # its index among the kernel's runtime integers

    def __repr__(self):
        return f"RuntimeInt({self.name})"

    def what(self):
        return self.name


class Coordinate(Later):
    """One coordinate of the core that a thread runs on, as returned by ttl.core(dims=...) there."""

    def __init__(self, dims, number):
        super().__init__(None)
        self.dims, self.number = dims, number

    def what(self):
        return "ttl.core()"


def is_later(value):
    """True if a value is, or a tuple, list or slice holds, a value of threads."""
    if isinstance(value, slice):
        value = value.start, value.stop, value.step
    return isinstance(value, Later) or isinstance(value, (tuple, list)) and any(map(is_later, value))


def _extreme(function):
    def least_or_most(*args, **kwargs):
        items = list(args[0]) if len(args) == 1 and not kwargs else args
        if not any(isinstance(i, Later) for i in items):
            return function(*([items] if len(args) == 1 and not kwargs else args), **kwargs)
        return Later(function, *items)

    return least_or_most


def body_of(function):
    """A kernel's body, with min() and max() that accept such integers, too."""
    if not isinstance(function, types.FunctionType) or not {"min", "max"} & set(function.__code__.co_names):
        return function
    scope = function.__globals__
    former = scope.get("__builtins__", builtins)
    scope["__builtins__"] = {**vars(builtins), "min": _extreme(min), "max": _extreme(max)}
    try:  # a function's globals are fixed when it is made
        body = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__, function.__closure__)
    finally:
        scope["__builtins__"] = former
    body.__kwdefaults__ = function.__kwdefaults__
    return body


def is_runtime(annotation):
    """True if a parameter's annotation is RuntimeInt; with postponed evaluation it is text."""
    return annotation is RuntimeInt or isinstance(annotation, str) and annotation.rpartition(".")[2] == "RuntimeInt"


def checked(name, value):
    """The integer as kernels receive it."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"'{name}' is a runtime integer, got {type(value).__name__}")
    value = value.__index__()
    if not LOWEST <= value <= HIGHEST:
        raise ValueError(f"'{name}' is an integer of 32 bits, got {value}")
    return value & 0xFFFFFFFF
