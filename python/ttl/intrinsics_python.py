"""Python's own functions inside threads (see intrinsics.py)."""

import ast
import json

from .intrinsics import elementwise, handler, take
from .operations import OPERATIONS
from .values import Scalar, Text, Tiles, Value, describe, has_value

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
    """What the kernel prints comes out when it has run."""
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
            c.fail(node, f"print() of {describe(piece)} is not supported", "print integers and text")
        else:
            text += str(piece)
    names, kinds = ", ".join(v.name for v in values), ", ".join(v.type for v in values)
    c.writer.line(f"ttkernel.dprint({json.dumps(text)}{', ' if values else ''}{names}) : ({kinds}) -> ()",
                  c.source.place(node))
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
    return c.arithmetic.integer(value, node, "int()") if isinstance(value, Scalar) else c.static(node, int, value)


@handler(bool)
def boolean(c, node, args, kwargs):
    value, = take(c, node, "bool", args, kwargs, {"x": False})
    return c.truth(value, node)


@handler(slice)
def make_slice(c, node, args, kwargs):
    return c.static(node, lambda: slice(*args, **kwargs))


def _container(function):
    """These only handle what they are given, whatever it is."""
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


@handler(range)
def bare_range(c, node, args, kwargs):
    if has_value(args):
        c.fail(node, "range() of what is known only when the kernel runs works as the head of a 'for' loop only")
    return c.static(node, lambda: range(*args, **kwargs))
