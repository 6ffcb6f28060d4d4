"""Attributes from plain values, by the name of the declared constraint."""

from ttmlir._native import native as _ir

BUILDERS = {}


def builder(*kinds):
    def register(function):
        for kind in kinds:
            BUILDERS[kind] = function
        return function

    return register


def _integer(width, sign):
    get = getattr(_ir.IntegerType, f"get_{sign}")
    return lambda value, context=None: _ir.IntegerAttr.get(get(width, context), int(value))


for _width in (1, 2, 4, 8, 16, 32, 64):
    BUILDERS[f"I{_width}Attr"] = _integer(_width, "signless")
    BUILDERS[f"SI{_width}Attr"] = _integer(_width, "signed")
    BUILDERS[f"UI{_width}Attr"] = _integer(_width, "unsigned")
for _name in ("Bool", "I8", "I16", "I32", "I64", "F32", "F64"):
    _class = getattr(_ir, f"Dense{_name}ArrayAttr")
    BUILDERS[f"Dense{_name}ArrayAttr"] = lambda value, context=None, cls=_class: cls.get(value, context)


@builder("BoolAttr", "I1BoolAttr")
def _bool(value, context=None):
    return _ir.BoolAttr.get(value, context)


@builder("IndexAttr")
def _index(value, context=None):
    return _ir.IntegerAttr.get(_ir.IndexType.get(context), value)


@builder("F32Attr")
def _f32(value, context=None):
    return _ir.FloatAttr.get_f32(value, context)


@builder("F64Attr")
def _f64(value, context=None):
    return _ir.FloatAttr.get_f64(value, context)


@builder("StrAttr", "SymbolNameAttr")
def _string(value, context=None):
    return _ir.StringAttr.get(value, context)


@builder("FlatSymbolRefAttr")
def _flat_symbol(value, context=None):
    return _ir.FlatSymbolRefAttr.get(value, context)


@builder("SymbolRefAttr")
def _symbol(value, context=None):
    return _ir.SymbolRefAttr.get([value] if isinstance(value, str) else value, context)


@builder("UnitAttr")
def _unit(value, context=None):
    return _ir.UnitAttr.get(context) if value else None


@builder("TypeAttr")
def _type(value, context=None):
    return _ir.TypeAttr.get(value)


@builder("AffineMapAttr")
def _affine_map(value, context=None):
    return _ir.AffineMapAttr.get(value)


@builder("IntegerSetAttr")
def _integer_set(value, context=None):
    return _ir.IntegerSetAttr.get(value)


@builder("DictionaryAttr", "DictAttr")
def _dictionary(value, context=None):
    return _ir.DictAttr.get(value, context)


@builder("ArrayAttr")
def _array(value, context=None):
    return _ir.ArrayAttr.get([guess(item, context) for item in value], context)


def _array_of(kind):
    return lambda value, context=None: _ir.ArrayAttr.get(
        [x if isinstance(x, _ir.Attribute) else BUILDERS[kind](x, context) for x in value], context)


for _array_kind, _item_kind in {
    "AffineMapArrayAttr": "AffineMapAttr", "BoolArrayAttr": "BoolAttr", "DictArrayAttr": "DictionaryAttr",
    "FlatSymbolRefArrayAttr": "FlatSymbolRefAttr", "I32ArrayAttr": "I32Attr", "I64ArrayAttr": "I64Attr",
    "I64SmallVectorArrayAttr": "I64Attr", "IndexListArrayAttr": "I64ArrayAttr", "F32ArrayAttr": "F32Attr",
    "F64ArrayAttr": "F64Attr", "StrArrayAttr": "StrAttr", "SymbolRefArrayAttr": "SymbolRefAttr",
    "TypeArrayAttr": "TypeAttr",
}.items():
    BUILDERS[_array_kind] = _array_of(_item_kind)


def _flat(value):
    """(values, shape) of nested sequences, or of an array."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        return [value], []
    parts = [_flat(item) for item in value]
    return [x for values, _ in parts for x in values], [len(parts)] + (parts[0][1] if parts else [])


def _elements(width):
    def build(value, context=None):
        element = _ir.IndexType.get(context) if width is None else (
            _ir.F64Type.get(context) if width == "f" else _ir.IntegerType.get_signless(width, context))
        make = (lambda v: _ir.FloatAttr.get(element, v)) if width == "f" else (
            lambda v: _ir.IntegerAttr.get(element, int(v)))
        values, shape = _flat(value)
        type = _ir.RankedTensorType.get(shape, element)
        if not values:
            return _ir.Attribute.parse(f"dense<> : {type}", context)
        return _ir.DenseElementsAttr.get([make(v) for v in values], type)

    return build


BUILDERS.update(I32ElementsAttr=_elements(32), I64ElementsAttr=_elements(64), IndexElementsAttr=_elements(None),
                F64ElementsAttr=_elements("f"))


def guess(value, context):
    """An attribute for a value without a known constraint."""
    if isinstance(value, _ir.Attribute):
        return value
    if isinstance(value, bool):
        return _ir.BoolAttr.get(value, context)
    if isinstance(value, int):
        return _ir.IntegerAttr.get(_ir.IntegerType.get_signless(64, context), value)
    if isinstance(value, float):
        return _ir.FloatAttr.get_f64(value, context)
    if isinstance(value, str):
        return _ir.StringAttr.get(value, context)
    if isinstance(value, _ir.Type):
        return _ir.TypeAttr.get(value)
    if isinstance(value, _ir.AffineMap):
        return _ir.AffineMapAttr.get(value)
    if isinstance(value, dict):
        return _ir.DictAttr.get({k: guess(v, context) for k, v in value.items()}, context)
    if isinstance(value, (list, tuple)):
        return _ir.ArrayAttr.get([guess(v, context) for v in value], context)
    raise TypeError(f"expected an Attribute, got {value!r}")


# By a constraint's storage, where its name is unknown: "I32Attr with a minimum", arrays of other things, an enum's
# case.
_BY_STORAGE = {
    "BoolAttr": "BoolAttr", "StringAttr": "StrAttr", "UnitAttr": "UnitAttr", "TypeAttr": "TypeAttr",
    "FlatSymbolRefAttr": "FlatSymbolRefAttr", "SymbolRefAttr": "SymbolRefAttr", "AffineMapAttr": "AffineMapAttr",
    "DictionaryAttr": "DictionaryAttr", "DenseI32ArrayAttr": "DenseI32ArrayAttr",
    "DenseI64ArrayAttr": "DenseI64ArrayAttr", "DenseBoolArrayAttr": "DenseBoolArrayAttr", "ArrayAttr": "ArrayAttr",
}


@builder("")
def _by_storage(value, context, name, storage, value_type, enumeration):
    if enumeration and (hasattr(value, "value") or isinstance(value, (int, str))) and not isinstance(value, bool):
        made = _enum_case(value, context, name, storage, value_type)
        if made is not None:
            return made
    if storage in _BY_STORAGE:
        return BUILDERS[_BY_STORAGE[storage]](value, context)
    if storage == "IntegerAttr" and value_type:
        return _ir.IntegerAttr.get(_ir.Type.parse(value_type, context), int(value))
    if storage == "FloatAttr" and value_type:
        return _ir.FloatAttr.get(_ir.Type.parse(value_type, context), float(value))
    if storage == "DenseIntElementsAttr":
        return BUILDERS["I64ElementsAttr"](value, context)
    return guess(value, context)


def _enum_case(value, context, name, storage, value_type):
    number = value if isinstance(value, int) else getattr(value, "value", None)
    if storage == "IntegerAttr" and number is not None:
        return _ir.IntegerAttr.get(_ir.Type.parse(value_type or "i32", context), number)
    attribute = _ir._enum_attribute(storage) if storage else None
    if attribute is None:
        return None
    return _ir._make(context, "attr", attribute, [value if isinstance(value, str) else number])
