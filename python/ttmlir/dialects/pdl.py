"""pdl: patterns of operations and their replacements; `ttmlir.rewrite.PDLModule` applies them.

Result types are implicit, and where a value is expected an operation may be passed for its result.
"""

from typing import NewType as _NewType

from ttmlir import ir as _ir
from ttmlir.dialects import _tables
from ttmlir.dialects._ods_common import get_op_result_or_value as _value
from ttmlir.extras.meta import region_op as _region_op

_tables.fill_all(globals(), "pdl")


def _optional(value):
    return None if value is None else _value(value)


def _values(values):
    return [_value(value) for value in values or ()]


@_tables.register_operation()
class AttributeOp(AttributeOp):  # noqa: F821
    """pdl.attribute, of a type, or the given one."""

    __slots__ = ()

    def __init__(self, valueType=None, value=None, *, loc=None, ip=None):
        super().__init__(valueType=_optional(valueType), value=value, loc=loc, ip=ip)


@_tables.register_operation()
class OperandOp(OperandOp):  # noqa: F821
    """pdl.operand"""

    __slots__ = ()

    def __init__(self, type=None, *, loc=None, ip=None):
        super().__init__(valueType=_optional(type), loc=loc, ip=ip)


@_tables.register_operation()
class OperandsOp(OperandsOp):  # noqa: F821
    """pdl.operands"""

    __slots__ = ()

    def __init__(self, types=None, *, loc=None, ip=None):
        super().__init__(valueType=_optional(types), loc=loc, ip=ip)


@_tables.register_operation()
class OperationOp(OperationOp):  # noqa: F821
    """pdl.operation; `attributes` is a dictionary by name."""

    __slots__ = ()

    def __init__(self, name=None, args=None, attributes=None, types=None, *, loc=None, ip=None):
        attributes = attributes or {}
        super().__init__(_values(args), _values(attributes.values()), list(attributes), _values(types),
                         opName=name, loc=loc, ip=ip)  # fmt: skip


@_tables.register_operation()
class PatternOp(PatternOp):  # noqa: F821
    """pdl.pattern, with an empty body."""

    __slots__ = ()

    def __init__(self, benefit, name=None, *, loc=None, ip=None):
        super().__init__(benefit, sym_name=name, loc=loc, ip=ip)
        self.regions[0].blocks.append()

    @property
    def body(self):
        return self.regions[0].blocks[0]


@_tables.register_operation()
class ReplaceOp(ReplaceOp):  # noqa: F821
    """pdl.replace, with an operation or with values."""

    __slots__ = ()

    def __init__(self, op, *, with_op=None, with_values=None, loc=None, ip=None):
        super().__init__(_value(op), _values(with_values), replOperation=_optional(with_op), loc=loc, ip=ip)


@_tables.register_operation()
class ResultOp(ResultOp):  # noqa: F821
    """pdl.result"""

    __slots__ = ()

    def __init__(self, parent, index, *, loc=None, ip=None):
        super().__init__(_value(parent), index, loc=loc, ip=ip)


@_tables.register_operation()
class RewriteOp(RewriteOp):  # noqa: F821
    """pdl.rewrite, by a function of that name, or by its body."""

    __slots__ = ()

    def __init__(self, root=None, name=None, args=None, *, loc=None, ip=None):
        super().__init__(_values(args), root=_optional(root), name=name, loc=loc, ip=ip)

    def add_body(self):
        self.regions[0].blocks.append()
        return self.body

    @property
    def body(self):
        return self.regions[0].blocks[0]


@_tables.register_operation()
class TypeOp(TypeOp):  # noqa: F821
    """pdl.type, any or the given one."""

    __slots__ = ()

    def __init__(self, constantType=None, *, loc=None, ip=None):
        super().__init__(constantType=constantType, loc=loc, ip=ip)


@_tables.register_operation()
class TypesOp(TypesOp):  # noqa: F821
    """pdl.types, any or the given ones."""

    __slots__ = ()

    def __init__(self, constantTypes=None, *, loc=None, ip=None):
        super().__init__(constantTypes=constantTypes, loc=loc, ip=ip)


pattern = _region_op(PatternOp.__base__)
rewrite = _region_op(RewriteOp)

OperationTypeT = _NewType("OperationType", OperationType)  # noqa: F821


def op_t():
    return OperationTypeT(OperationType.get())  # noqa: F821
