"""affine: loops, conditions and accesses by affine maps."""

from ttmlir import ir as _ir
from ttmlir.dialects import _tables
from ttmlir.dialects._loops import Loop, build_body
from ttmlir.dialects._ods_common import get_op_result_or_value as _value
from ttmlir.dialects._ods_common import get_op_results_or_values as _values

_tables.fill_all(globals(), "affine")


def _bound(bound, operands):
    """(map, operands) of a bound: an integer, a value of index type, or a map with its operands."""
    operands = list(_values(operands if operands is not None else []))
    if isinstance(bound, int):
        if operands:
            raise ValueError("a bound that is an integer has no operands")
        return _ir.AffineMap.get_constant(bound), []
    if isinstance(bound, (_ir.AffineMap, _ir.AffineMapAttr)):
        return bound, operands
    if operands:
        raise ValueError("a bound that is a value has no operands")
    return _ir.AffineMap.get_identity(1), [_value(bound)]


@_tables.register_operation()
class AffineForOp(Loop, AffineForOp):  # noqa: F821
    """affine.for(lower bound, upper bound, step, iter_args=None): created with an empty body block."""

    __slots__ = ()

    def __init__(self, lower_bound, upper_bound, step, iter_args=None, *, lower_bound_operands=None,
                 upper_bound_operands=None, loc=None, ip=None):
        lower_map, lower = _bound(lower_bound, lower_bound_operands)
        upper_map, upper = _bound(upper_bound, upper_bound_operands)
        iter_args = [_value(value) for value in _values(iter_args if iter_args is not None else [])]
        kinds = [value.type for value in iter_args]
        super().__init__(kinds, lower, upper, iter_args, lower_map, upper_map, step, loc=loc, ip=ip)
        _ir.Block.create_at_start(self.regions[0], [_ir.IndexType.get(self.context), *kinds])


def for_(start, stop, step=1, iter_args=None, *, loc=None, ip=None):
    """`for i in for_(0, n)`, `for i, carried, result in for_(0, n, 1, [a])`, as scf.for_; ends with `yield_`."""
    loop = AffineForOp(start, stop, step, iter_args, loc=loc, ip=ip)
    yield from build_body(loop)


@_tables.register_operation()
class AffineIfOp(AffineIfOp):  # noqa: F821
    """affine.if(integer set, results_=None, cond_operands=None, has_else=False): created with empty blocks."""

    __slots__ = ()

    def __init__(self, cond, results_=None, *, cond_operands=None, has_else=False, loc=None, ip=None):
        super().__init__(list(results_ or []), list(_values(cond_operands or [])), cond, loc=loc, ip=ip)
        for region in list(self.regions)[:2 if has_else else 1]:
            _ir.Block.create_at_start(region, [])

    @property
    def then_block(self):
        return self.regions[0].blocks[0]

    @property
    def else_block(self):
        blocks = self.regions[1].blocks
        return blocks[0] if len(blocks) else None


def _access(memref, indices, map):
    indices = [_value(index) for index in _values(indices if indices is not None else [])]
    return _value(memref), indices, map if map is not None else _ir.AffineMap.get_identity(len(indices))


@_tables.register_operation()
class AffineLoadOp(AffineLoadOp):  # noqa: F821
    """affine.load(memref, indices, map=None)"""

    __slots__ = ()

    def __init__(self, memref, indices=None, map=None, *, loc=None, ip=None):
        memref, indices, map = _access(memref, indices, map)
        super().__init__(memref.type.element_type, memref, indices, map, loc=loc, ip=ip)


@_tables.register_operation()
class AffineStoreOp(AffineStoreOp):  # noqa: F821
    """affine.store(value, memref, indices, map=None)"""

    __slots__ = ()

    def __init__(self, value, memref, indices=None, map=None, *, loc=None, ip=None):
        memref, indices, map = _access(memref, indices, map)
        super().__init__(_value(value), memref, indices, map, loc=loc, ip=ip)
