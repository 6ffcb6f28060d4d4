"""Python's own functions inside threads (see intrinsics.py)."""

import ast
import functools

from . import hints
from .emit import string
from .expressions import STATIC_BINARY
from .intrinsics import handler, take
from .intrinsics_math import elementwise
from .operations import OPERATIONS
from .values import Local, Method, Scalar, Text, Tiles, Value, describe, has_value


def _extreme(largest):
    def handle(c, node, args, kwargs):
        values = list(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
        if any(isinstance(v, Tiles) for v in values):
            return elementwise(c, node, OPERATIONS["max" if largest else "min"], values)
        if kwargs or not any(isinstance(v, Value) for v in values):
            return c.static(node, lambda: (max if largest else min)(*args, **kwargs))
        return c.arithmetic.extreme(node, values, largest)

    return handle


handler(min)(_extreme(False))
handler(max)(_extreme(True))


@handler(print)
def show(c, node, args, kwargs):
    """The kernel's prints are shown after the run."""
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    kwargs.pop("flush", None)
    if kwargs:
        c.fail(node, f"print() takes no argument '{next(iter(kwargs))}' in threads")
    pieces = []
    for i, arg in enumerate(args):
        pieces += ([sep] if i else []) + (arg.parts if isinstance(arg, Text) else [arg])
    text, values = "", []
    for piece in [*pieces, end]:
        if isinstance(piece, Scalar):
            values.append(c.arithmetic.integer(piece, node, "print()"))
            text += "{}"
        elif isinstance(piece, Value):
            c.fail(node, f"print() of {describe(piece)} is not supported", hints.SHOWN)
        else:
            text += str(piece)
    c.writer.op("ttkernel.dprint", tuple(v.name for v in values), (), c.source.location(node), {"fmt": string(text)})
    c.kernel.prints = True


@handler(abs)
def absolute(c, node, args, kwargs):
    value, = take(c, node, "abs", args, kwargs, {"x": ...})
    if isinstance(value, Tiles):
        return elementwise(c, node, OPERATIONS["abs"], [value])
    if isinstance(value, Value):
        return c.arithmetic.extreme(node, [value, c.arithmetic.unary(node, ast.USub(), value)], True)
    return c.static(node, abs, value)


@handler(int)
def integer(c, node, args, kwargs):
    value, = take(c, node, "int", args, kwargs, {"x": 0})
    return c.arithmetic.integer(value, node, "int()") if isinstance(value, Value) else c.static(node, int, value)


@handler(bool)
def boolean(c, node, args, kwargs):
    value, = take(c, node, "bool", args, kwargs, {"x": False})
    return c.boolean(value, node)


@handler(slice)
def make_slice(c, node, args, kwargs):
    return c.static(node, lambda: slice(*args, **kwargs))


def _container(function):
    """These only pass their arguments on, whatever they are."""
    def handle(c, node, args, kwargs):
        return c.static(node, lambda: function(*args, **kwargs))

    return handle


for _function in (tuple, list, zip, enumerate, reversed):
    handler(_function)(_container(_function))


@handler(len)
def length(c, node, args, kwargs):
    value, = take(c, node, "len", args, kwargs, {"x": ...})
    if isinstance(value, Value):
        c.fail(node, f"{describe(value)} has no length")
    return c.static(node, len, value)


def class_of(value):
    """The result of type(): runtime values are Python's integers and booleans."""
    return (int if value.type == "index" else bool) if isinstance(value, Scalar) else type(value)


@handler(isinstance)
def is_instance(c, node, args, kwargs):
    value, kinds = take(c, node, "isinstance", args, kwargs, {"object": ..., "classinfo": ...})
    return c.static(node, lambda: issubclass(class_of(value), kinds) if isinstance(value, Scalar) else isinstance(value, kinds))


@handler(type)
def kind_of(c, node, args, kwargs):
    return class_of(args[0]) if len(args) == 1 and not kwargs else c.static(node, lambda: type(*args, **kwargs))


@handler(callable)
def is_callable(c, node, args, kwargs):
    value, = take(c, node, "callable", args, kwargs, {"object": ...})
    return isinstance(value, (Local, Method)) or not isinstance(value, Value) and callable(value)


@handler(sum)
def total(c, node, args, kwargs):
    items, start = take(c, node, "sum", args, kwargs, {"iterable": ..., "start": 0})
    return fold(c, node, lambda a, b: c.binary(node, ast.Add(), a, b), items, *([] if start == 0 and has_value(items) else [start]))


@handler(functools.reduce)
def reduced(c, node, args, kwargs):
    function, items, *first = args
    return fold(c, node, lambda a, b: c.call(node, function, [a, b], {}), items, *first)


def fold(c, node, function, items, *first):
    values = [*first, *c.static(node, list, items)]
    if not values:
        c.fail(node, "reduce() of an empty list with no initial value")
    result = values[0]
    for value in values[1:]:
        result = function(result, value)
    return result


@handler(map)
def mapped(c, node, args, kwargs):
    function, *lists = args
    return [c.call(node, function, list(items), {}) for items in c.static(node, lambda: list(zip(*lists)))]


@handler(filter)
def filtered(c, node, args, kwargs):
    function, items = take(c, node, "filter", args, kwargs, {"function": ..., "iterable": ...})
    kept = []
    for item in c.static(node, list, items):
        keep = item if function is None else c.call(node, function, [item], {})
        if isinstance(keep, Value):
            c.fail(node, "filter() asks what is known only when the kernel runs", "use 'if'")
        kept += [item] if keep else []
    return kept


def _all(is_all):
    def handle(c, node, args, kwargs):
        items, = take(c, node, "all" if is_all else "any", args, kwargs, {"iterable": ...})
        result = is_all
        for item in c.static(node, list, items):
            value = c.boolean(item, node)
            if not isinstance(value, Scalar) and bool(value) != is_all:
                return value
            if isinstance(value, Scalar):
                result = value if isinstance(result, bool) else c.arithmetic.logical(node, is_all, result, value)
        return result

    return handle


handler(all)(_all(True))
handler(any)(_all(False))


@handler(divmod)
def quotient_and_rest(c, node, args, kwargs):
    a, b = take(c, node, "divmod", args, kwargs, {"a": ..., "b": ...})
    return c.binary(node, ast.FloorDiv(), a, b), c.binary(node, ast.Mod(), a, b)


def _operator(op):
    def handle(c, node, args, kwargs):
        a, b = take(c, node, STATIC_BINARY[op].__name__, args, kwargs, {"a": ..., "b": ...})
        return c.binary(node, op(), a, b)

    return handle


for _op in STATIC_BINARY:
    handler(STATIC_BINARY[_op])(_operator(_op))
handler(pow)(_operator(ast.Pow))


@handler(range)
def bare_range(c, node, args, kwargs):
    if has_value(args):
        c.fail(node, "range() of what is known only when the kernel runs works as the head of a 'for' loop only")
    return c.static(node, lambda: range(*args, **kwargs))
