"""Runs a function with tracers instead of its tensors and records the operations of TTIR that it consists of."""

import functools
import re
import sys
import threading
import types

import ttnn

from . import layouts
from .operations import HANDLERS, refuse

_current = threading.local()


class Node:
    """An operation with one result."""

    __slots__ = ("op", "operands", "shape", "dtype", "memory", "attributes", "location")

    def __init__(self, op, operands, shape, dtype, memory, attributes, location):
        self.op, self.operands, self.shape, self.dtype = op, operands, tuple(shape), dtype
        self.memory, self.attributes, self.location = memory, attributes, location


class Tracer:
    """A tensor of a function that is being compiled: metadata without values."""

    def __init__(self, graph, node):
        self._graph, self._node = graph, node

    shape = padded_shape = property(lambda self: self._node.shape)
    dtype = property(lambda self: self._node.dtype)
    layout = property(lambda self: ttnn.Layout.TILE)

    def memory_config(self):
        return self._node.memory

    def device(self):
        return self._graph.device

    def is_sharded(self):
        return self._node.memory.is_sharded()

    def get_dtype(self):
        return self._node.dtype

    def __len__(self):
        return self._node.shape[0]

    def __ttnn_function__(self, name, args, options):
        return self._graph.call(name, args, options)

    def _no_value(self, *_):
        raise TypeError("a tensor of a compiled function has no values while it is traced: branches, loops and numbers may depend on "
                        "shapes and on Python's values only; use ttnn.where, or compute it outside of the function")

    __bool__ = __int__ = __float__ = __index__ = __iter__ = to_torch = item = cpu = __getitem__ = __setitem__ = _no_value
    __hash__ = object.__hash__


def _operator(name, swapped):
    if swapped:
        return lambda self, other: self._graph.call(name, (other, self), {})
    return lambda self, other: self._graph.call(name, (self, other), {})


for _method, _name in {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "pow": "pow", "mod": "remainder"}.items():
    setattr(Tracer, f"__{_method}__", _operator(_name, False))
    setattr(Tracer, f"__r{_method}__", _operator(_name, True))
for _name in ("matmul", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Tracer, f"__{_name}__", _operator(_name, False))
Tracer.__neg__ = lambda self: self._graph.call("neg", (self,), {})
Tracer.__abs__ = lambda self: self._graph.call("abs", (self,), {})


class Space(types.ModuleType):
    """The module ttnn as a traced function sees it."""

    def __init__(self, graph):
        super().__init__("ttnn")
        self.__dict__["_graph"] = graph

    def __getattr__(self, name):
        found = getattr(ttnn, name, None)
        if name in HANDLERS or (callable(found) and not isinstance(found, type) and name not in PLAIN) or found is None:
            found = functools.partial(_call, self._graph, name)
        self.__dict__[name] = found  # looked up once in a trace
        return found


# Functions that compute nothing on tensors.
PLAIN = ("create_sharded_memory_config", "split_work_to_cores", "get_memory_config", "is_sharded", "get_arch_name")


def _call(graph, name, *args, **options):
    return graph.call(name, args, options)


class Graph:
    """What a function did: arguments, then operations, in order."""

    def __init__(self, name, device, limits=False, most=None, location=None):
        self.name, self.device, self.limits = re.sub(r"\W", "", name, flags=re.A) or "function", device, limits
        self.location = location  # file and line of the function
        self.cores = most or (device.core_grid.y, device.core_grid.x)
        self.arguments, self.nodes, self.results = [], [], []
        self.captured = []  # tensors that are no arguments, but used

    # ---- values --------------------------------------------------------------------------------

    def is_tensor(self, value):
        return isinstance(value, (Tracer, Node, ttnn.Tensor))

    def argument(self, tensor, location=None):
        node = Node("argument", (), tensor.shape, tensor.dtype, tensor.memory_config(), {}, location)
        self.arguments.append(node)
        return node

    def value(self, value):
        """The node of a tensor: a tracer's, or a further argument for a tensor from outside of the function."""
        if isinstance(value, Node):
            return value
        if isinstance(value, Tracer):
            if value._graph is not self:
                raise ValueError("a tracer was used after the call that it belongs to; return tensors instead of keeping them")
            return value._node
        if not isinstance(value, ttnn.Tensor):
            raise TypeError(f"expected a tensor, found {type(value).__name__}")
        for tensor, node in self.captured:
            if tensor is value:
                return node
        layouts.check("a tensor from outside of the function", value)
        if value.device() is not self.device:
            raise ValueError(f"tensors of two devices in one compiled function: {value.device()} and {self.device}")
        self.captured.append((value, self.argument(value)))
        return self.captured[-1][1]

    def add(self, op, operands, shape, dtype, memory, attributes=None):
        """Records an operation; attributes: by name, as tilewright._core.Module takes them."""
        self.nodes.append(Node(op, operands, shape, dtype, memory, attributes or {}, _location()))
        return self.nodes[-1]

    def move(self, value, memory):
        """The value in another memory config."""
        if memory == value.memory:
            return value
        if not isinstance(memory, ttnn.MemoryConfig):
            raise TypeError(f"expected a ttnn.MemoryConfig, found {type(memory).__name__}")
        return self.add("to_layout", [value], value.shape, value.dtype, memory)

    def call(self, name, args, options):
        handler = HANDLERS.get(name.removeprefix("ttnn."))
        if handler is None:
            refuse(name)
        try:
            return Tracer(self, handler(self, name, *args, **options))
        except TypeError as error:
            raise TypeError(f"ttnn.{name}: {error}") from None


@functools.lru_cache(maxsize=None)
def _is_ours(module):
    """Whether a module, by name, is none of the user's."""
    return module is not None and (module.startswith(__name__.rpartition(".")[0]) or module == "ttnn._functions")


def _location():
    """The line of the user's function."""
    frame = sys._getframe(2)
    while frame and _is_ours(frame.f_globals.get("__name__")):
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame else None


def with_space(function, graph):
    """The function whose `ttnn` records into the graph, in its globals and closure."""
    space = Space(graph)

    def swap(value):
        return space if value is ttnn else value

    scope = {name: swap(value) for name, value in function.__globals__.items()}
    closure = function.__closure__ and tuple(types.CellType(swap(cell.cell_contents)) if _is_filled(cell) and cell.cell_contents is ttnn else cell
                                             for cell in function.__closure__)
    made = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    return made, scope


def _is_filled(cell):
    try:
        cell.cell_contents
    except ValueError:
        return False
    return True


def trace(function, device, args, options, *, limits=False, most=None):
    """The graph of one call; args and options hold ttnn tensors and Python values.

    Raises AssertionError for functions that are not supported, ValueError and TypeError for operands and results that do not
    fit; each names the line.
    """
    code = getattr(function, "__code__", None)
    graph = Graph(function.__name__, device, limits, most, code and (code.co_filename, code.co_firstlineno))
    known = {}  # the same tensor twice is one argument each time, as metadata say nothing of it

    def tracer(name, value):
        if not isinstance(value, ttnn.Tensor):
            return value
        layouts.check(name, value, limits)
        node = graph.argument(value)
        known[id(node)] = value
        return Tracer(graph, node)

    names = function.__code__.co_varnames
    traced = [tracer(names[i] if i < len(names) else f"{i}", v) for i, v in enumerate(args)]
    named = {name: tracer(name, v) for name, v in options.items()}
    outer = getattr(_current, "graph", None)
    _current.graph = graph
    made, scope = with_space(function, graph)
    before = dict(scope)
    try:
        returned = made(*traced, **named)
    except (AssertionError, ValueError, TypeError) as error:
        where = _error_line(error, function)
        if where and where not in str(error):
            raise type(error)(f"{where}: {error}") from error
        raise
    except RecursionError as error:
        raise RecursionError(f"{function.__name__}: the function calls itself without end while it is traced") from error
    finally:
        _current.graph = outer
        for name, value in scope.items():  # what `global` assigned
            if before.get(name, scope) is not value:
                function.__globals__[name] = value
    graph.results = _results(graph, function, returned)
    return graph


def tracing():
    """The graph of the function that is traced in this thread, or None."""
    return getattr(_current, "graph", None)


def _error_line(error, function):
    found, step = None, error.__traceback__
    while step:
        if step.tb_frame.f_code is function.__code__:
            found = f"{function.__code__.co_filename}:{step.tb_lineno}"
        step = step.tb_next
    return found


def _results(graph, function, returned):
    values = list(returned) if isinstance(returned, (tuple, list)) else [returned]
    graph.many = isinstance(returned, (tuple, list))
    if returned is None or not values:
        raise ValueError(f"{function.__name__} returns nothing: a compiled function returns a tensor, or a tuple of them")
    for value in values:
        if not graph.is_tensor(value):
            raise ValueError(f"{function.__name__} returns {value!r}, no tensor: numbers are known before it runs; return them from plain Python")
    return [graph.value(v) for v in values]
