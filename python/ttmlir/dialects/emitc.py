"""emitc: its operations, attributes and types, from the library's rows."""

from ttmlir.dialects import _tables

_tables.fill_all(globals(), "emitc")

_plain_logical_not = logical_not  # noqa: F821


def logical_not(*args, loc=None, ip=None, results=None):
    """not: of an operand, or of a result type, which is i1, and an operand."""
    return _plain_logical_not(args[-1], loc=loc, ip=ip, results=list(args[:-1]) or results)
