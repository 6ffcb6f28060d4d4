"""tensor: tensors in one piece."""

from ttmlir import ir as _ir
from ttmlir.dialects import _tables

_tables.fill_all(globals(), "tensor")


@_tables.register_operation()
class EmptyOp(EmptyOp):  # noqa: F821
    """tensor.empty(sizes, element type): sizes are numbers or values of index type."""

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
