"""tensor: operations on whole tensors."""

from ttmlir import ir as _ir
from ttmlir.dialects import _tables
from ttmlir.extras.meta import region_op as _region_op

_tables.fill_all(globals(), "tensor")


@_tables.register_operation()
class EmptyOp(EmptyOp):  # noqa: F821
    """tensor.empty(sizes, element type): sizes are integers or values of index type."""

    __slots__ = ()

    def __init__(self, sizes, element_type, *, encoding=None, loc=None, ip=None):
        if isinstance(sizes, _ir.RankedTensorType):  # EmptyOp(type, dynamic sizes)
            super().__init__(sizes, element_type, loc=loc, ip=ip)
            return
        dynamic = [size for size in sizes if not isinstance(size, int)]
        shape = [size if isinstance(size, int) else None for size in sizes]
        super().__init__(_ir.RankedTensorType.get(shape, element_type, encoding), dynamic, loc=loc, ip=ip)


def empty(sizes, element_type, *, encoding=None, loc=None, ip=None):
    return EmptyOp(sizes, element_type, encoding=encoding, loc=loc, ip=ip).result


def _generate(result, dynamicExtents=None, *, dynamic_extents=None, loc=None, ip=None):
    extents = dynamicExtents if dynamicExtents is not None else dynamic_extents
    return GenerateOp(result, extents or [], loc=loc, ip=ip)  # noqa: F821


# A decorator: annotations of the function's parameters are index types; it returns the element.
generate = _region_op(_generate, terminator=lambda values: YieldOp(*values))  # noqa: F821
