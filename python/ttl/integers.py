"""Blocks of integers combined with numbers, and the implementation of their operations (see intrinsics_math.py)."""

import ast

from . import composites, types
from .values import Expression, Tiles, describe

LIMITS = {"u32": (0, 2**32)}  # of numbers combined with blocks; other types as si32, and wrapping
SIGNED = (-(2**31), 2**31)
ONLY = {"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "bitwise_left_shift", "bitwise_right_shift"}
INSTEAD = {"bitwise_left_shift": "multiply: block * 2**n", "bitwise_right_shift": "divide: block / 2**n"}
NOT_BOOLEAN = "booleans of blocks are the values 1 or 0: a * b where both are, ttl.math.max(a, b) where one is"


def is_whole(value):
    return isinstance(value, Tiles) and value.element not in types.FLOATS


def checked(c, node, block, number):
    """A number combined with a block of integers, as an int."""
    low, high = LIMITS.get(block.element, SIGNED)
    if not low <= number < high or number != int(number):
        c.fail(node, f"{number} with a block of {block.element}", f"integers from {low} to {high - 1} fit")
    return int(number)


def in_f32(number):
    """True if f32, which holds the number operands of operations, represents this one."""
    return abs(number) <= 2**24


def filled(c, node, block, number):
    """A block like another one with all elements equal to a number."""
    number = checked(c, node, block, number)
    return Expression("ttl.fill_int", [block], block.shape, block.element, c.source.location(node),
                      str(number - 2**32 if number >= 2**31 else number))


def only_whole(c, node, row, operands):
    """Fails where an operation of integers has operands of other types."""
    other = next((o for o in operands if isinstance(o, Tiles) and not is_whole(o)), None)
    if row.name in ONLY and other:
        c.fail(node, f"{row.name} works on the bits of integers, and this is {describe(other)}", INSTEAD.get(row.name, NOT_BOOLEAN))


def division(op, number):
    """// and % by a power of two: an operation on bits, and its other operand; None for other divisors."""
    if isinstance(number, bool) or not isinstance(number, int) or number <= 0 or number & (number - 1):
        return None
    return (ast.RShift(), number.bit_length() - 1) if isinstance(op, ast.FloorDiv) else (ast.BitAnd(), number - 1)


def power(c, node, block, number):
    if isinstance(number, int) and number > 0:
        return c.call(node, composites.whole_power, [block, number], {})
    return c.fail(node, f"a block of integers to the power of {number} is not supported", "powers of integers are positive integers")
