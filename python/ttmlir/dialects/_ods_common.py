"""Helpers that scripts over MLIR's bindings import."""

from collections.abc import Sequence as _Sequence
from types import SimpleNamespace
from typing import Optional as _Optional
from typing import Union as _Union

from ttmlir import _adaptors, _dialects, ir
from ttmlir.dialects import _tables

__all__ = ["equally_sized_accessor", "get_default_loc_context", "get_op_result_or_op_results", "get_op_result_or_value",
           "get_op_results_or_values", "segmented_accessor"]

# The bindings' extension module, as generated classes see it.
_cext = SimpleNamespace(ir=ir, globals=ir._Globals(), register_operation=_tables.register_operation,
                        register_dialect=_dialects.register_dialect, register_op_adaptor=_adaptors.register_op_adaptor,
                        register_type_caster=ir.register_type_caster, register_value_caster=ir.register_value_caster)

ResultValueTypeTuple = (ir.Operation, ir.OpView, ir.Value)
ResultValueT = ValueLike = _Union[ir.Operation, ir.OpView, ir.Value]
VariadicResultValueT = _Union[ResultValueT, _Sequence[ResultValueT]]
StaticIntLike = _Union[int, ir.IntegerAttr]
MixedInt = _Union[StaticIntLike, ValueLike]
IntOrAttrList = _Sequence[StaticIntLike]
OptionalIntList = _Optional[_Union[ir.ArrayAttr, IntOrAttrList]]
BoolOrAttrList = _Sequence[_Union[ir.BoolAttr, bool]]
OptionalBoolList = _Optional[_Union[ir.ArrayAttr, BoolOrAttrList]]
MixedValues = _Union[_Sequence[MixedInt], ir.ArrayAttr, ValueLike]
DynamicIndexList = _Sequence[_Union[MixedInt, _Sequence[MixedInt]]]


def get_default_loc_context(location=None):
    """The context of the location, or of the current one; None without either."""
    location = location if location is not None else ir.Location.current
    return location.context if location is not None else None


def get_op_result_or_value(arg):
    if isinstance(arg, (ir.OpView, ir.Operation)):
        return arg.operation.result
    return arg[0] if isinstance(arg, ir.OpResultList) else arg


def get_op_results_or_values(arg):
    return arg.operation.results if isinstance(arg, (ir.OpView, ir.Operation)) else arg


def get_op_result_or_op_results(op):
    """Its result, its results, or, where it has none, the operation."""
    return _tables.results_of(op.operation)


def segmented_accessor(elements, raw_segments, idx):
    """The elements of group `idx`; `raw_segments` are the groups' sizes."""
    sizes = list(ir.DenseI32ArrayAttr(raw_segments))
    start = sum(sizes[:idx])
    return elements[start:start + sizes[idx]]


def equally_sized_accessor(elements, n_simple, n_variadic, n_preceding_simple, n_preceding_variadic):
    """(start, length) of a group, where all variadic ones are equally long."""
    in_variadic = len(elements) - n_simple
    assert in_variadic % n_variadic == 0
    length = in_variadic // n_variadic
    return n_preceding_simple + n_preceding_variadic * length, length


# ---- static integers, mixed with values -----------------------------------------------------------


def _static(index):
    """The integer, or None for a value."""
    return index if isinstance(index, int) else index.value if isinstance(index, ir.IntegerAttr) else None


def _dispatch_mixed_values(values):
    """(values, None, integers) of a mixed list, (none, value, none) of a handle of all of them."""
    if isinstance(values, ir.ArrayAttr):
        return [], None, values
    if isinstance(values, ResultValueTypeTuple):
        return [], values, None
    integers = [_static(value) for value in values or []]
    dynamic = [value for value, integer in zip(values or [], integers) if integer is None]
    unknown = ir.ShapedType.get_dynamic_size()
    return dynamic, None, ir.DenseI64ArrayAttr.get([unknown if integer is None else integer for integer in integers])


def _dispatch_dynamic_index_list(indices):
    """(values, integers, which are scalable); scalable ones are given as a list of one."""
    dynamic, static, scalable = [], [], []
    for index in indices:
        is_plain = isinstance(index, (int, ir.IntegerAttr, *ResultValueTypeTuple))
        scalable.append(not is_plain)
        if not is_plain:
            assert len(index) == 1
            index = index[0]
        integer = _static(index)
        static.append(ir.ShapedType.get_dynamic_size() if integer is None else integer)
        if integer is None:
            dynamic.append(index)
    return dynamic, static, scalable


def _get_value_or_attribute_value(value_or_attr):
    if isinstance(value_or_attr, ir.ArrayAttr):
        return _get_value_list(value_or_attr)
    if isinstance(value_or_attr, ir.Attribute) and hasattr(value_or_attr, "value"):
        return value_or_attr.value
    return value_or_attr


def _get_value_list(sequence_or_array_attr):
    return [_get_value_or_attribute_value(value) for value in sequence_or_array_attr]


def _get_int_array_attr(values):
    if values is None:
        return None
    i64 = ir.IntegerType.get_signless(64)
    return ir.ArrayAttr.get([ir.IntegerAttr.get(i64, value) for value in _get_value_list(values)])


def _get_int_array_array_attr(values):
    if values is None:
        return None
    return ir.ArrayAttr.get([_get_int_array_attr(_get_value_list(inner)) for inner in _get_value_list(values)])
