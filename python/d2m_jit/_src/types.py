"""Types of IR that layouts mean, and conversions between them."""

from ttmlir import ir
from ttmlir.dialects import d2m, ttcore

from .tensor_layout import TILE, DataType

_SCALARS = {"Float32": ir.F32Type.get, "Float16": ir.F16Type.get, "BFloat16": ir.BF16Type.get,
            "UInt32": lambda context: ir.IntegerType.get_unsigned(32, context)}


def scalar(dtype, context):
    return _SCALARS[dtype.name](context)


def tile(dtype, context):
    return ttcore.ir.TileType.get(context, TILE, TILE, getattr(ttcore.DataType, dtype.name))


def tile_of(type):
    """A block's element type as a tile, or an error that says what was found."""
    found = ttcore.ir.TileType.maybe_downcast(type.element_type) if isinstance(type, ir.RankedTensorType) else None
    if found is None:
        raise TypeError(f"expected a block of tiles, got {type}")
    return found


def data_type_of(tile_type):
    """The element type of tiles."""
    return DataType[tile_type.data_type.name] if tile_type.data_type.name in DataType.__members__ else None


def dtype_of_scalar(element):
    """The DataType of a host tensor's elements."""
    for name, make in _SCALARS.items():
        if element == make(element.context):
            return DataType[name]
    raise TypeError(f"unsupported element type {element}: tensors of the device are f32, bf16, f16 or ui32; pass a Layout")


def host(layout, context, shape=None, encoding=None):
    return ir.RankedTensorType.get(shape or layout.logical_shape, scalar(layout.dtype, context), encoding)


def metal_layout(layout, context):
    parts = [context, list(layout.logical_shape), int(layout.mem_space), int(ttcore.TensorMemoryLayout.Sharded)]
    if not layout.collapse:
        nothing = ir.RankedTensorType.get([0, 2], ir.IntegerType.get_signless(64, context))
        parts += [ir.DenseIntElementsAttr.get(nothing, []), []]
    return ttcore.ir.MetalLayoutAttr.get(*parts)


def device_shape(layout, context, grid):
    attribute = ttcore.ir.MetalLayoutAttr.maybe_downcast(metal_layout(layout, context))
    return list(attribute.getDeviceShape(list(grid), [TILE, TILE] if layout.tiled else []))


def device(layout, context, blocked=False):
    """The type on the device: on the cores of the layout's grid, or a core for each block, as kernels see it."""
    grid = layout.blocked_grid_shape if blocked else layout.grid_shape
    element = (tile if layout.tiled else scalar)(layout.dtype, context)
    return ir.RankedTensorType.get(device_shape(layout, context, grid), element, encoding=metal_layout(layout, context))


# ---- values ---------------------------------------------------------------------------------------------


def _view(layout, context, value, blocked):
    if layout.blocked_grid_shape == layout.grid_shape:
        return value
    grids = [layout.grid_shape, layout.blocked_grid_shape]
    source, target = [device_shape(layout, context, g) for g in (grids if blocked else reversed(grids))]
    return d2m.ViewLayoutOp(device(layout, context, blocked), value, d2m.ir.calculate_reblock_map(source, target, context)).result


def as_blocks(layout, context, value):
    """A tensor on its grid, seen as kernels see it."""
    return _view(layout, context, value, True)


def as_grid(layout, context, value):
    """The opposite of as_blocks."""
    return _view(layout, context, value, False)


def converted(type, value):
    """The tensor in another layout."""
    return d2m.ToLayoutOp([type], value, d2m.empty(type)).result


def to_device(layout, context, value):
    return as_blocks(layout, context, converted(device(layout, context), value))


def to_host(layout, context, value, type=None):
    return converted(type or host(layout, context), as_grid(layout, context, value))


def affine_map(count, terms):
    """The map of a view's function."""
    def expression(term):
        kind = term[0]
        if kind in ("dim", "const"):
            return (ir.AffineDimExpr if kind == "dim" else ir.AffineConstantExpr).get(term[1])
        make = {"+": ir.AffineExpr.get_add, "*": ir.AffineExpr.get_mul, "/": ir.AffineExpr.get_floor_div, "%": ir.AffineExpr.get_mod}
        left, right = map(expression, term[1:])
        if kind == "-":
            return ir.AffineExpr.get_add(left, ir.AffineExpr.get_mul(right, ir.AffineConstantExpr.get(-1)))
        return make[kind](left, right)

    return ir.AffineMap.get(count, 0, [expression(term) for term in terms])
