"""Short names for types: `T.tensor(4, 4, T.f32())`."""

from functools import partial

from ttmlir import ir as _ir


def index():
    return _ir.IndexType.get()


def i(width):
    return _ir.IntegerType.get_signless(width)


def si(width):
    return _ir.IntegerType.get_signed(width)


def ui(width):
    return _ir.IntegerType.get_unsigned(width)


def bool():
    return i(1)


def _short(make, name):
    make.__name__ = make.__qualname__ = name
    return make


for _width in (8, 16, 32, 64):
    for _make in (i, si, ui):
        _name = f"{_make.__name__}{_width}"
        globals()[_name] = _short(lambda make=_make, width=_width: make(width), _name)

_FLOATS = {"f16": "F16Type", "f32": "F32Type", "tf32": "FloatTF32Type", "f64": "F64Type", "bf16": "BF16Type",
           "f8E5M2": "Float8E5M2Type", "f8E4M3": "Float8E4M3Type", "f8E4M3FN": "Float8E4M3FNType",
           "f8E4M3B11FNUZ": "Float8E4M3B11FNUZType", "f8E3M4": "Float8E3M4Type", "f4E2M1FN": "Float4E2M1FNType",
           "f6E2M3FN": "Float6E2M3FNType", "f6E3M2FN": "Float6E3M2FNType", "f8E8M0FNU": "Float8E8M0FNUType"}
for _name, _class in _FLOATS.items():
    globals()[_name] = _short(lambda cls=getattr(_ir, _class): cls.get(), _name)


def none():
    return _ir.NoneType.get()


def complex(type):
    return _ir.ComplexType.get(type)


def opaque(dialect_namespace, type_data):
    return _ir.OpaqueType.get(dialect_namespace, type_data)


def _shaped(shape, element_type, make):
    """Sizes with the element type last, or passed by name."""
    last_is_type = len(shape) > 0 and isinstance(shape[-1], _ir.Type)
    if last_is_type == (element_type is not None):
        raise ValueError("the element type is either the last argument or element_type=")
    if last_is_type:
        *shape, element_type = shape
    return make(list(shape), element_type) if shape else make(element_type)


def _is_unranked(shape):
    return len(shape) == 0 or (len(shape) == 1 and isinstance(shape[0], _ir.Type))


def vector(*shape, element_type=None, scalable=None, scalable_dims=None):
    return _shaped(shape, element_type, partial(_ir.VectorType.get, scalable=scalable, scalable_dims=scalable_dims))


def tensor(*shape, element_type=None, encoding=None):
    """Without sizes: an unranked tensor."""
    encoding = _ir.StringAttr.get(encoding) if isinstance(encoding, str) else encoding
    if not _is_unranked(shape):
        return _shaped(shape, element_type, partial(_ir.RankedTensorType.get, encoding=encoding))
    if encoding is not None:
        raise ValueError("an unranked tensor has no encoding")
    return _shaped(shape, element_type, _ir.UnrankedTensorType.get)


def memref(*shape, element_type=None, memory_space=None, layout=None):
    """Without sizes: an unranked memref."""
    if memory_space is not None:
        memory_space = _ir.Attribute.parse(str(memory_space))
    if _is_unranked(shape):
        return _shaped(shape, element_type, partial(_ir.UnrankedMemRefType.get, memory_space=memory_space))
    return _shaped(shape, element_type, partial(_ir.MemRefType.get, memory_space=memory_space, layout=layout))


def tuple(*elements):
    return _ir.TupleType.get_tuple(elements)


def function(*, inputs, results):
    return _ir.FunctionType.get(inputs, results)
