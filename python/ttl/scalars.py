"""Integers and booleans that are known only at run time: arith operations with Python's semantics."""

import ast
import dataclasses
import functools

from . import hints
from .values import Scalar, Slice, Tiles, Value, describe, same

PLAIN = {ast.Add: "addi", ast.Sub: "subi", ast.Mult: "muli", ast.LShift: "shli", ast.RShift: "shrsi",
         ast.BitAnd: "andi", ast.BitOr: "ori", ast.BitXor: "xori"}
# Results of these on naturals are naturals (a left shift may overflow, as in hardware).
NATURAL = (ast.Add, ast.Mult, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor, ast.FloorDiv, ast.Mod)
ORDER = {ast.Eq: 0, ast.NotEq: 1, ast.Lt: 2, ast.LtE: 3, ast.Gt: 4, ast.GtE: 5}  # predicates of arith.cmpi


@functools.cache
def symbol_of(operator):
    """As it is written between two operands."""
    return ast.unparse(ast.BinOp(ast.Name("a"), operator(), ast.Name("b")))[2:-2]


class Arithmetic:
    def __init__(self, compiler):
        self.compiler, self.writer = compiler, compiler.writer

    # ---- queries ------------------------------------------------------------------------

    @staticmethod
    def is_integer(x):
        return isinstance(x, int) and not isinstance(x, bool) or isinstance(x, Scalar) and x.type == "index"

    @staticmethod
    def is_scalar(x):
        return isinstance(x, (int, Scalar))  # bool is an int

    @staticmethod
    def type_of(x):
        return x.type if isinstance(x, Scalar) else "i1" if isinstance(x, bool) else "index"

    @staticmethod
    def upper(x):
        """An upper bound of the value, or None."""
        return x.upper if isinstance(x, Scalar) else int(x)

    @staticmethod
    def is_natural(x):
        return x.natural if isinstance(x, Scalar) else not isinstance(x, bool) and x >= 0

    def value(self, x, node):
        """A Scalar, from a constant if need be."""
        if isinstance(x, Scalar):
            return x
        if not -2**63 <= x < 2**63:
            self.compiler.fail(node, f"an integer of {x.bit_length()} bits in a kernel", "the device computes indices with 32 bits")
        kind = self.type_of(x)
        location = self.compiler.source.location(node)
        return Scalar(self.writer.constant(x, kind, location), kind, self.is_natural(x), int(x))

    def integer(self, x, node, what):
        """A Scalar of type index; True and False count as 1 and 0."""
        if not self.is_scalar(x):
            hint = "floating-point numbers are known only at compile time" if isinstance(x, float) else \
                hints.NUMBERS if isinstance(x, (Slice, Tiles)) else \
                "take it apart: row, column = ..." if isinstance(x, tuple) else None
            self.compiler.fail(node, f"{what} needs integers, not {describe(x)}", hint)
        x = self.value(int(x) if isinstance(x, bool) else x, node)
        if x.type == "i1":
            one, zero = self.value(1, node), self.value(0, node)
            return self.emit(node, "select", (x, one, zero), natural=True)
        return x

    def emit(self, node, name, operands, kind="index", natural=False, upper=None, attributes=None):
        values = tuple(x.name for x in operands)
        return Scalar(self.writer.op(f"arith.{name}", values, kind, self.compiler.source.location(node), attributes), kind, natural, upper)

    # ---- operations -----------------------------------------------------------------------

    def binary(self, node, op, a, b):
        symbol = symbol_of(type(op))
        if isinstance(op, (ast.Div, ast.Pow, ast.MatMult)):
            self.compiler.fail(node, f"'{symbol}' of {describe(a)} and {describe(b)} is not supported in threads",
                               "use '//' for integers" if isinstance(op, ast.Div) else None)
        x, y = (self.integer(v, node, f"'{symbol}'") for v in (a, b))
        both = x.natural and y.natural
        if isinstance(op, (ast.FloorDiv, ast.Mod)):
            if isinstance(b, int) and b == 0:
                self.compiler.fail(node, "integer division or modulo by zero")
            result = self.divide(node, isinstance(op, ast.Mod), x, y, both)
            if both and isinstance(op, ast.FloorDiv) and isinstance(b, int) and x.upper is not None:
                result = dataclasses.replace(result, upper=x.upper // b)
            return result
        natural = both and isinstance(op, NATURAL)
        return self.emit(node, PLAIN[type(op)], (x, y), natural=natural, upper=_upper(op, x, y))

    def divide(self, node, remainder, x, y, both):
        """Python rounds down, and its remainder has the divisor's sign; for naturals the hardware's division is the
        same."""
        if both:
            upper = _minimum(x.upper, y.upper and y.upper - 1) if remainder else x.upper  # a divisor may be 1
            return self.emit(node, "remsi" if remainder else "divsi", (x, y), natural=True, upper=upper)
        quotient = self.emit(node, "floordivsi", (x, y))
        if not remainder:
            return quotient
        product = self.emit(node, "muli", (quotient, y))
        return self.emit(node, "subi", (x, product), natural=y.natural,
                         upper=y.upper - 1 if y.natural and y.upper else None)

    def unary(self, node, op, x):
        if isinstance(op, ast.Not):
            boolean = self.boolean(node, x)
            true = self.value(True, node)
            return self.emit(node, "xori", (boolean, true), "i1")
        x = self.integer(x, node, "the operator")
        if isinstance(op, ast.UAdd):
            return x
        if isinstance(op, ast.USub):
            return self.emit(node, "subi", (self.value(0, node), x))
        return self.emit(node, "subi", (self.value(-1, node), x))  # ~x

    def among(self, node, a, b, inside):
        """a in b, or not, for a known collection of integers."""
        found = False
        if isinstance(b, range) and b:
            found = self.both(node, self.compare(node, ast.GtE(), a, min(b[0], b[-1])), self.compare(node, ast.LtE(), a, max(b[0], b[-1])))
            if abs(b.step) != 1:
                rest = self.binary(node, ast.Mod(), self.binary(node, ast.Sub(), a, b[0]), abs(b.step))
                found = self.both(node, found, self.compare(node, ast.Eq(), rest, 0))
        elif not isinstance(b, range):
            for one in b:
                equal = self.compare(node, ast.Eq(), a, one)
                found = equal if found is False else self.logical(node, False, found, equal)
        if inside:
            return found
        return self.unary(node, ast.Not(), found) if isinstance(found, Value) else not found

    def compare(self, node, op, a, b):
        if isinstance(op, (ast.In, ast.NotIn)) and isinstance(b, (tuple, list, set, frozenset, range)):
            return self.among(node, a, b, isinstance(op, ast.In))
        if type(op) not in ORDER:
            self.compiler.fail(node, f"cannot compare {describe(a)} and {describe(b)} in this way in a thread")
        x, y = (self.integer(v, node, "a comparison") for v in (a, b))
        return self.emit(node, "cmpi", (x, y), "i1", attributes={"predicate": ORDER[type(op)]})

    def boolean(self, node, x):
        if x.type == "i1":
            return x
        return self.emit(node, "cmpi", (x, self.value(0, node)), "i1", attributes={"predicate": ORDER[ast.NotEq]})

    def logical(self, node, is_and, a, b):
        return self.emit(node, "andi" if is_and else "ori", (a, b), "i1")

    def both(self, node, a, b):
        if not isinstance(a, Value):
            return b if a else a
        if not isinstance(b, Value):
            return a if b else b
        return self.logical(node, True, self.boolean(node, a), self.boolean(node, b))

    def select(self, node, test, a, b):
        if same(a, b):
            return a
        if not (self.is_scalar(a) and self.is_scalar(b)) or self.type_of(a) != self.type_of(b):
            self.compiler.fail(node, f"which of {describe(a)} and {describe(b)} is meant is known only when the kernel runs",
                               "write an 'if' with a store() on each way" if isinstance(a, Tiles) or isinstance(b, Tiles) else None)
        kind = self.type_of(a)
        x, y = self.value(a, node), self.value(b, node)
        return self.emit(node, "select", (test, x, y), kind, x.natural and y.natural,
                         self.upper_of(x, y))

    @staticmethod
    def upper_of(x, y):
        return None if x.upper is None or y.upper is None else max(x.upper, y.upper)

    def extreme(self, node, values, largest):
        """min() and max() of integers."""
        if not any(isinstance(v, Value) for v in values):
            return (max if largest else min)(values)
        result = self.integer(values[0], node, "min() or max()")
        for value in values[1:]:
            y = self.integer(value, node, "min() or max()")
            natural = (result.natural or y.natural) if largest else (result.natural and y.natural)
            result = self.emit(node, "maxsi" if largest else "minsi", (result, y), natural=natural, upper=self.upper_of(result, y) if largest else _minimum(result.upper, y.upper))
        return result


def _minimum(a, b):
    return b if a is None else a if b is None else min(a, b)


def _upper(op, x, y):
    """An upper bound of the result."""
    if isinstance(op, ast.Sub):
        return x.upper if y.natural else None
    if x.upper is None or y.upper is None:
        return None
    if isinstance(op, ast.Add):
        return x.upper + y.upper
    return x.upper * y.upper if isinstance(op, ast.Mult) and x.natural and y.natural else None
