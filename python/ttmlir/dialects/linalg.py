"""linalg: operations on whole tensors and buffers.

`linalg.matmul(a, b, outs=[c])` gives the result (or the operation, on buffers); bodies that names imply are
made with them. `generic`, `reduce` and `map` are decorators of the function that fills the body."""

from ttmlir import ir as _ir
from ttmlir._native import native as _native
from ttmlir.dialects import _tables
from ttmlir.dialects._ods_common import get_op_result_or_op_results as _results
from ttmlir.dialects._ods_common import get_op_result_or_value as _value
from ttmlir.dialects._ods_common import get_op_results_or_values as _values

_tables.fill_all(globals(), "linalg")


def fill_builtin_region(op):
    """Builds the body that the class of a named operation implies."""
    _native._fill_body(op)


def isa_contraction_op(op):
    return _native._has_interface(op.operation.name, "ContractionOpInterface")


def isa_convolution_op(op):
    return _native._has_interface(op.operation.name, "ConvolutionOpInterface")


# ---- named operations ------------------------------------------------------------------------------


def _tensors(outs):
    """A result for each output that is a tensor."""
    return [out.type for out in outs if isinstance(out.type, (_ir.RankedTensorType, _ir.UnrankedTensorType))]


def _integers(value):
    """strides=[1, 2]: integers as the dense attribute that such operations require."""
    if value is None or isinstance(value, _ir.Attribute):
        return value
    i64 = _ir.IntegerType.get_signless(64)
    kind = _ir.RankedTensorType.get([len(value)], i64)
    return _ir.DenseElementsAttr.get([_ir.IntegerAttr.get(i64, one) for one in value], kind)


def _cast(value):
    """cast=TypeFn.cast_unsigned"""
    return _ir.Attribute.parse(f"#linalg.type_fn<{value}>") if isinstance(value, TypeFn) else value  # noqa: F821


def _kind(value):
    return _ir.Attribute.parse(f"#linalg.elementwise_kind<{value}>") \
        if isinstance(value, ElementwiseKind) else value  # noqa: F821


_CONVERTED = {"strides": _integers, "dilations": _integers, "cast": _cast, "kind": _kind}


def _named(cls):
    """linalg.add(a, b, outs=[c], ...)"""

    def make(*ins, outs, loc=None, ip=None, **attributes):
        outs = [_value(out) for out in _values(outs)]
        converted = {name: _CONVERTED.get(name, lambda value: value)(value) for name, value in attributes.items()}
        op = cls(_tensors(outs), [_value(value) for value in ins], outs, loc=loc, ip=ip, **converted)
        fill_builtin_region(op)
        return _results(op)

    return _documented(make, cls, "(*ins, outs=[...], attributes)")


def _of_one(cls):
    """linalg.transpose(a, outs=[b], permutation=[1, 0])"""

    def make(input, *, outs, loc=None, ip=None, **attributes):
        if len(outs) != 1:
            raise ValueError(f"one output is wanted, got {len(outs)}")
        init = _value(outs[0])
        op = cls(_tensors([init]), _value(input), init, loc=loc, ip=ip, **attributes)
        fill_builtin_region(op)
        return _results(op)

    return _documented(make, cls, "(input, outs=[init], attributes)")


def _documented(make, cls, arguments):
    name = _tables.function_name(cls.OPERATION_NAME)
    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"{cls.OPERATION_NAME}{arguments}"
    make.__module__ = __name__
    return make


# By their operands: inputs and outputs are lists, or one input and one output.
for _cls in [value for value in globals().values() if isinstance(value, type) and issubclass(value, _ir.OpView)]:
    if _native._has_interface(_cls.OPERATION_NAME, "LinalgOp") and _cls.OPERAND_NAMES in (
            ("inputs", "outputs"), ("input", "init")) and _cls.OPERATION_NAME != "linalg.generic":
        _make = _named if _cls.OPERAND_NAMES[0] == "inputs" else _of_one
        globals()[_tables.function_name(_cls.OPERATION_NAME)] = _make(_cls)


# ---- operations with a body of their own ---------------------------------------------------------


def _body(op, kinds):
    """A decorator: the function gets the arguments of the body's block and returns the yielded value."""

    def fill(function):
        block = op.regions[0].blocks.append(*kinds)
        with _ir.InsertionPoint(block):
            returned = function(*block.arguments)
            YieldOp(list(returned) if isinstance(returned, (list, tuple)) else [returned])  # noqa: F821
        return _results(op)

    return fill


def _elements(values):
    return [getattr(value.type, "element_type", value.type) for value in values]


def _maps(maps):
    if isinstance(maps, _ir.ArrayAttr):
        return maps
    return _ir.ArrayAttr.get([one if isinstance(one, _ir.Attribute) else _ir.AffineMapAttr.get(one) for one in maps])


def _iterators(kinds):
    """Iterator types as attributes, as members of IteratorType or as their names."""
    if isinstance(kinds, _ir.ArrayAttr):
        return kinds
    return _ir.ArrayAttr.get([one if isinstance(one, _ir.Attribute) else
                              _ir.Attribute.parse(f"#linalg.iterator_type<{one}>") for one in kinds])


def generic(inputs, outputs, indexing_maps, iterator_types, *, doc=None, library_call=None, loc=None, ip=None):
    """@linalg.generic([a], [b], [map, map], ["parallel"]): gives the results."""
    inputs, outputs = ([_value(value) for value in _values(part)] for part in (inputs, outputs))
    op = GenericOp(_tensors(outputs), inputs, outputs, _maps(indexing_maps), _iterators(iterator_types),  # noqa: F821
                   doc=doc, library_call=library_call, loc=loc, ip=ip)
    return _body(op, _elements([*inputs, *outputs]))


def reduce(result, inputs, inits, dimensions, *, loc=None, ip=None):
    """@linalg.reduce([type], [a], [b], [1]): the function combines elements of inputs and of inits."""
    inputs, inits = ([_value(value) for value in _values(part)] for part in (inputs, inits))
    op = ReduceOp(result, inputs, inits, dimensions, loc=loc, ip=ip)  # noqa: F821
    return _body(op, _elements([*inputs, *inits]))


def map(result, inputs, init, *, loc=None, ip=None):
    """@linalg.map([type], [a, b], c): the function gets an element of each input."""
    inputs, init = [_value(value) for value in _values(inputs)], _value(init)
    op = MapOp(result, inputs, init, loc=loc, ip=ip)  # noqa: F821
    return _body(op, _elements(inputs))
