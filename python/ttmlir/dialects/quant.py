"""quant: quantized types."""

from ttmlir import ir as _ir


class QuantizedType(_ir.Type):
    """Base of the quantized types."""

    __slots__ = ()
    FLAG_SIGNED = 1

    @staticmethod
    def default_minimum_for_integer(is_signed, integral_width):
        return -(1 << (integral_width - 1)) if is_signed else 0

    @staticmethod
    def default_maximum_for_integer(is_signed, integral_width):
        return (1 << (integral_width - 1)) - 1 if is_signed else (1 << integral_width) - 1


class UniformQuantizedType(QuantizedType):
    """!quant.uniform<storage:expressed, scale:zero point>"""

    __slots__ = ()

    @classmethod
    def get(cls, flags, storage_type, expressed_type, scale, zero_point, storage_type_min, storage_type_max,
            context=None):
        sign = "i" if flags & cls.FLAG_SIGNED else "u"
        width = storage_type.width
        bounds = (storage_type_min, storage_type_max)
        narrow = bounds != (cls.default_minimum_for_integer(flags & 1, width),
                            cls.default_maximum_for_integer(flags & 1, width))
        storage = f"{sign}{width}" + (f"<{bounds[0]}:{bounds[1]}>" if narrow else "")
        zero = f":{zero_point}" if zero_point else ""
        return _ir.Type.parse(f"!quant.uniform<{storage}:{expressed_type}, {scale!r}{zero}>",
                              context or storage_type.context)
