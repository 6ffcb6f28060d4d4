"""Expressions that DST cannot hold at once are cut: parts of them go to circular buffers of their own.

A compiler that fails for want of registers starts again with cutting: what is used more than once is computed
first, stored, pushed and waited for by the same thread; so is whatever would make a part longer than LONGEST.
An expression that is stored after its blocks were given back is computed likewise before that."""

from .values import Block, Expression


class Keep(Exception):
    """An expression is stored after a block that it reads was given back: it is to be computed where it stands,
    into a buffer of its own."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


def late(value):
    """The largest part of an expression that was made before one of its blocks was given back, or None."""
    if not isinstance(value, Expression):
        return None
    if value.number is not None and any(value.number < b.ended_at for b in blocks_of(value) if b.ended):
        return value
    return next(filter(None, map(late, value.operands)), None)


def blocks_of(value):
    """The blocks that an expression reads, each once."""
    seen, out, rest = set(), [], [value]
    while rest:
        one = rest.pop()
        if id(one) not in seen:
            seen.add(id(one))
            if isinstance(one, Block):
                out.append(one)
            else:
                rest += one.operands
    return out


LONGEST = 24  # operations of one part
# What the passes say when one compute block does not do.
SIGNS = ("insufficient DST registers", "more operations than one compute block takes", "more inputs than one compute block takes")


def is_needed(error):
    return any(sign in str(error) for sign in SIGNS)


def cuts(expression):
    """The parts to be stored first, each after those that it needs."""
    users, order = {}, []

    def count(value):
        for operand in value.operands:
            if isinstance(operand, Expression):
                users[operand] = users.get(operand, 0) + 1
                if users[operand] == 1:
                    count(operand)
        order.append(value)

    count(expression)
    lengths, out = {}, []
    for value in order:
        length = 1 + sum(lengths.get(o, 0) for o in value.operands)
        shared = users.get(value, 0) > 1 and length > 1
        if value is not expression and (shared or length > LONGEST // 2):
            out.append(value)
            length = 0
        lengths[value] = length
    return out


def replaced(value, blocks):
    """The expression with blocks in the places of stored parts."""
    if value in blocks:
        return blocks[value]
    if isinstance(value, Block):
        return value
    value.operands = [replaced(o, blocks) for o in value.operands]
    return value
