"""arith: integers and floats."""

from ttmlir import ir as _ir
from ttmlir.dialects import _tables

_tables.fill_all(globals(), "arith")


@_tables.register_operation()
class ConstantOp(ConstantOp):  # noqa: F821
    """arith.constant(result type, value): a number, an attribute, or a buffer's contents."""

    __slots__ = ()

    def __init__(self, result, value, *, loc=None, ip=None):
        if isinstance(value, _ir.Attribute):
            pass
        elif isinstance(result, (_ir.IntegerType, _ir.IndexType)):
            value = _ir.IntegerAttr.get(result, int(value))
        elif isinstance(result, _ir.FloatType):
            value = _ir.FloatAttr.get(result, float(value))
        elif isinstance(result, _ir.ShapedType) and isinstance(value, (int, float)):
            element = result.element_type
            attribute = _ir.FloatAttr if isinstance(element, _ir.FloatType) else _ir.IntegerAttr
            value = _ir.DenseElementsAttr.get_splat(result, attribute.get(element, value))
        else:
            value = _ir.DenseElementsAttr.get(value, type=result)
        super().__init__(value, results=[result], loc=loc, ip=ip)

    @classmethod
    def create_index(cls, value, *, loc=None, ip=None):
        return cls(_ir.IndexType.get(loc.context if loc is not None else None), value, loc=loc, ip=ip)

    @property
    def type(self):
        return self.results[0].type

    @property
    def value(self):
        return self.attributes["value"]

    @property
    def literal_value(self):
        if not isinstance(self.type, (_ir.IntegerType, _ir.IndexType, _ir.FloatType)):
            raise ValueError("only integer and float constants have literal values")
        return self.value.value


def constant(result, value, *, loc=None, ip=None):
    return ConstantOp(result, value, loc=loc, ip=ip).result


def _is_integer_like(type):
    return isinstance(type, (_ir.IntegerType, _ir.IndexType))


def _is_float(type):
    return isinstance(type, _ir.FloatType)
