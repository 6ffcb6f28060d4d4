"""Cuts expressions that do not fit DST: parts of them go to circular buffers of their own.

A compiler that fails for lack of registers restarts with cutting: values used more than once are computed first,
stored, pushed and waited for by the same thread; so are values that would make a part longer than LONGEST. An
expression that is stored after its blocks were released is computed in the same way before the release.
"""

from .values import Block, Expression


class Keep(Exception):
    """An expression is stored after a block that it reads was released: it must be computed eagerly, into a buffer of
    its own."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


def late(value):
    """The largest part of an expression that was made before one of its blocks was released, or None."""
    rest, seen = [value] * any(b.ended for b in blocks_of(value)), set()
    while rest:
        one = rest.pop()
        if not isinstance(one, Expression) or id(one) in seen:
            continue
        seen.add(id(one))
        if one.number is not None and any(one.number < b.ended_at for b in blocks_of(one) if b.ended):
            return one
        rest += reversed(one.operands)
    return None


def blocks_of(value):
    """The blocks that an expression reads, each once."""
    seen, out, rest = set(), [], [value]
    while rest:
        one = rest.pop()
        if id(one) not in seen:
            seen.add(id(one))
            if isinstance(one, Block):
                out.append(one)
            elif isinstance(one, Expression):
                rest += one.operands
    return out


LONGEST = 24  # operations of one part
ACCUMULATE = ("ttl.matmul", "ttl.reduce_sum", "ttl.reduce_max")  # they add to a register that must be empty
PACKED = ("f16", "bfp_bf8", "bfp_bf4", "u16", "u8")  # types that packing rounds or truncates to
BUFFER_OPS = (*ACCUMULATE, "ttl.bcast", "ttl.transpose")  # they read circular buffers, not DST
RULES = ("dst capacity", "compute block capacity")  # of the passes' errors where one compute block is not enough


def is_needed(error):
    """True if the expression, cut to parts, may compile."""
    return getattr(error, "rule", "") in RULES


def is_packed(value):
    """True if a conversion is complete once its result is in a buffer."""
    return value.op == "ttl.typecast" and value.element in PACKED


def reads_parts(expression):
    """True if an operation in an expression reads the result of another one from a buffer."""
    seen, rest = set(), [expression]
    while rest:
        value = rest.pop()
        if isinstance(value, Expression) and value not in seen:
            if value.op in BUFFER_OPS and any(isinstance(o, Expression) for o in value.operands):
                return True
            if value is not expression and is_packed(value):
                return True
            seen.add(value)
            rest += value.operands
    return False


def cuts(expression, registers):
    """The parts to be stored first, in dependency order, so that `registers` of DST suffice."""
    users, order = {}, []

    def count(value):
        for operand in value.operands:
            if isinstance(operand, Expression):
                users[operand] = users.get(operand, 0) + 1
                if users[operand] == 1:
                    count(operand)
        order.append(value)

    count(expression)
    needs, lengths, out = {}, {}, []  # registers and operations of a part, as far as it is not stored

    def cut(value):
        out.append(value)
        needs[value], lengths[value] = 1, 0

    for value in order:
        for operand in dict.fromkeys(value.operands if value.op in BUFFER_OPS else ()):
            if isinstance(operand, Expression) and lengths[operand]:
                cut(operand)
        operands = [o for o in dict.fromkeys(value.operands) if isinstance(o, Expression)]
        while True:
            each = sorted((needs.get(o, 1) for o in value.operands), reverse=True)
            needs[value] = max(n + i for i, n in enumerate(each))  # the operand that needs most is computed first
            lengths[value] = 1 + sum(lengths[o] for o in operands)
            if needs[value] <= registers and lengths[value] <= LONGEST:
                break
            cut(max((o for o in operands if lengths[o]), key=lambda o: (needs[o], lengths[o])))
        if value is not expression and (users[value] > 1 or value.op in ACCUMULATE or is_packed(value)):
            cut(value)
    return out


def replaced(value, blocks):
    """The expression with stored parts replaced by blocks."""
    return blocks[value] if value in blocks else inside(value, blocks)


def inside(value, blocks):
    """The same for its operands only."""
    if isinstance(value, Block) or not blocks:
        return value
    return value.of([replaced(o, blocks) for o in value.operands])


def stored_parts(value, parts):
    """Those of the parts that an expression reads."""
    out = set()
    for operand in getattr(value, "operands", ()):
        out |= {operand} if operand in parts else stored_parts(operand, parts)
    return out
