"""memref: buffers and views of them."""

from itertools import accumulate as _accumulate
from operator import mul as _mul

from ttmlir import ir as _ir
from ttmlir.dialects import _tables
from ttmlir.dialects._ods_common import MixedValues, _dispatch_mixed_values  # noqa: F401  (scripts import them)
from ttmlir.dialects.arith import ConstantOp as _ConstantOp

_tables.fill_all(globals(), "memref")

MemRefType, UnrankedMemRefType = _ir.MemRefType, _ir.UnrankedMemRefType

_plain_subview = subview  # noqa: F821


def _known(size):
    """The integer of a size or a constant, or None."""
    if isinstance(size, _ir.OpResult):
        op = size.owner.operation.opview
        return op.literal_value if isinstance(op, _ConstantOp) else None
    return size if isinstance(size, int) and not _ir.ShapedType.is_dynamic_size(size) else None


def _subview_type(source, offsets, sizes, strides):
    """The type of a view whose sizes and strides are known."""
    source_strides, source_offset = source.get_strides_and_offset()
    if None in [_known(stride) for stride in source_strides]:
        return None
    known = [_known(offset) for offset in (*offsets, source_offset)]
    if None in known:
        offset = _ir.ShapedType.get_dynamic_size()
    else:
        offset = source_offset + sum(map(_mul, known, source_strides))
    view_strides = [one * other for one, other in zip(source_strides, strides)]
    packed = [1, *_accumulate(reversed(sizes[1:]), _mul)][::-1]
    layout = None if view_strides == packed and offset == 0 else _ir.StridedLayoutAttr.get(offset, view_strides)
    return _ir.MemRefType.get(sizes, source.element_type, layout, source.memory_space)


def subview(source, offsets, sizes, strides, *, result_type=None, loc=None, ip=None):
    """A view of a buffer; its type is inferred where sizes and strides are known."""
    offsets, sizes, strides = (list(part) if part is not None else [] for part in (offsets, sizes, strides))
    if result_type is None:
        known_sizes, known_strides = [_known(s) for s in sizes], [_known(s) for s in strides]
        if None not in known_sizes + known_strides:
            result_type = _subview_type(source.type, offsets, known_sizes, known_strides)
        if result_type is None:
            raise ValueError("mixed static/dynamic offset/sizes/strides requires explicit result type.")
        offsets = [one if _known(one) is None else _known(one) for one in offsets]
        sizes, strides = known_sizes, known_strides
    parts = [_dispatch_mixed_values(part) for part in (offsets, sizes, strides)]
    return _plain_subview(result_type, source, *(dynamic for dynamic, _, _ in parts), *(static for _, _, static in parts),
                          loc=loc, ip=ip)
