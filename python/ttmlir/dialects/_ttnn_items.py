"""Attributes and types of ttnn with signatures that differ from their rows."""

from math import prod
from types import SimpleNamespace

from ttmlir import ir as _ir
from ttmlir._native import native as _native
from ttmlir.dialects import _tables, ttcore

# The namespace of the public module; separate, since operations are called `min` and `sum` there.
SPACE = {"__name__": "ttmlir.dialects.ttnn"}
_items = _tables.fill(SPACE, "ttnn", enums_from=[ttcore])
_own = SimpleNamespace(**SPACE)
ir = SPACE["ir"] = _tables.Namespace("ttmlir.dialects.ttnn.ir", {**_own._PLAIN, **_items})

TILE = (32, 32)


# ---- layouts -------------------------------------------------------------------------------------------


def _up(n, to):
    return -(-n // to) * to


def _linear(ctx, shape, grid):
    """All but the last dimension as one, so that a tensor has as many dimensions as the grid."""
    rank = len(shape)
    dims = [_ir.AffineDimExpr.get(d, ctx) for d in range(rank)]
    results = dims[-min(rank, len(grid)):] if rank else []
    if rank > 1 and prod(shape):
        folded, step = dims[rank - 2], 1
        for d in range(rank - 2, -1, -1):
            term = dims[d] * step if step != 1 else dims[d]
            folded = term if d == rank - 2 else term + folded
            step *= shape[d]
        results = [folded, dims[-1]]
    zero = _ir.AffineConstantExpr.get(0, ctx)
    results = [zero] * (len(grid) - len(results)) + results
    return _ir.AffineMap.get(rank, 0, results, ctx)


def _folded_shape(shape, grid):
    """The shape that `_linear` gives: the largest index of each result, plus one."""
    shape = list(shape)
    if len(shape) > 1 and prod(shape):
        shape = [prod(shape[:-1]), shape[-1]]
    return [1] * (len(grid) - len(shape)) + shape[-len(grid):]


def _shard_shape(shape, grid, tiled, buffer_type, memory_layout):
    folded = _folded_shape(shape, grid)
    if memory_layout in (None, _own.TensorMemoryLayout.Interleaved) and buffer_type != _own.BufferType.L1:
        return folded
    if memory_layout is None:
        raise ValueError("a tensor in L1 needs a memory layout")
    if memory_layout != _own.TensorMemoryLayout.Interleaved:
        return [-(-size // cores) for size, cores in zip(folded, grid)]
    cores = prod(grid)
    if tiled:
        tiles = prod(-(-size // side) for size, side in zip(folded[-2:], TILE)) * prod(folded[:-2])
        return [TILE[0]] * (len(grid) - 1) + [TILE[1] * -(-tiles // cores)]
    return [1] * (len(grid) - 1) + [-(-prod(folded) // cores)]


def _layout_get(ctx, shape, type, buffer_type, grid_shape, core_range_set=None, memLayout=None, tensorMesh=None):
    """The layout of a tensor of that shape; `type` is its element type, a tile's for tiled ones."""
    buffer_type, grid = _own.BufferType(int(buffer_type)), list(grid_shape)
    memory_layout = None if memLayout is None else _own.TensorMemoryLayout(int(memLayout))
    if buffer_type == _own.BufferType.SystemMemory:
        memory_layout, grid = None, [1, 1]
    elif buffer_type == _own.BufferType.DRAM and memory_layout == _own.TensorMemoryLayout.Interleaved:
        grid = [1, 1]
    shape = list(shape)
    tiled = isinstance(type, ttcore.ir.TileType)
    if tiled:
        for back in range(1, min(2, len(shape)) + 1):
            shape[-back] = _up(shape[-back], TILE[-back])
    shard = _shard_shape(shape, grid, tiled, buffer_type, memory_layout)
    if tiled:
        shard = shard[:-2] + [-(-size // side) for size, side in zip(shard[-2:], TILE)]
    memref = _ir.MemRefType.get(shard, type, memory_space=ir.BufferTypeAttr.get(ctx, buffer_type))
    return _layout_get_with_linear(ctx, _linear(ctx, shape, grid), grid, memref, core_range_set, memory_layout,
                                   tensorMesh)


def _layout_get_with_linear(ctx, linear, grid_shape, memref, core_range_set=None, memLayout=None, tensorMesh=None):
    memory_layout = None if memLayout is None else ir.TensorMemoryLayoutAttr.get(ctx, int(memLayout))
    return _native._make(ctx, "attr", "ttnn.ttnn_layout", [
        linear, list(grid_shape), memref, memory_layout, tensorMesh, False, core_range_set])


def _memory_layout(self):
    layout = self.mem_layout
    return None if layout is None else int(layout.value)


def _data_type(self):
    from ttmlir.util import element_type_to_data_type

    return element_type_to_data_type(self.memref.element_type)


def _is_tiled(self):
    return int(_own.Layout.Tile if isinstance(self.memref.element_type, ttcore.ir.TileType) else _own.Layout.RowMajor)


for _cls in (ir.TTNNLayoutAttr, ir.TTNNNDLayoutAttr):
    _cls.tensor_memory_layout_as_int = property(_memory_layout)
    _cls.memory_layout_as_int = property(_is_tiled)
    _cls.memory_space = property(lambda self: self.memref.memory_space)
    _cls.data_type_as_int = property(_data_type)
ir.TTNNLayoutAttr.get = staticmethod(_layout_get)
ir.TTNNLayoutAttr.get_with_linear = staticmethod(_layout_get_with_linear)


def _nd_layout_get(ctx, grid, memref, memLayout, shardOrientation=None, shardDistributionStrategy=None):
    return _native._make(ctx, "attr", "ttnn.ttnn_nd_layout", [
        grid, memref, memLayout,
        ir.ShardOrientationAttr.get(ctx, _own.ShardOrientation.RowMajor if shardOrientation is None
                                    else shardOrientation),
        ir.ShardDistributionStrategyAttr.get(
            ctx, _own.ShardDistributionStrategy.Grid2D if shardDistributionStrategy is None
            else shardDistributionStrategy)])


ir.TTNNNDLayoutAttr.get = staticmethod(_nd_layout_get)
ir.TTNNNDLayoutAttr.grid_attr = ir.TTNNNDLayoutAttr.grid
ir.TTNNNDLayoutAttr.grid_shape = property(lambda self: self.grid.shape)
ir.TTNNNDLayoutAttr.shard_orientation_as_int = property(lambda self: int(self.shard_orientation.value))
ir.TTNNNDLayoutAttr.shard_distribution_strategy_as_int = property(
    lambda self: int(self.shard_distribution_strategy.value))
ir.ShardSpecAttr.shard_shape = ir.ShardSpecAttr.shape
_config_get = ir.Conv2dConfigAttr.get


def _conv2d_config_get(ctx, dtype, *rest):
    """The first value is one that configurations no longer have."""
    return _config_get(ctx, *rest)


ir.Conv2dConfigAttr.get = staticmethod(_conv2d_config_get)
