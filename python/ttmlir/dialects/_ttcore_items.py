"""Attributes and types of ttcore with signatures that differ from their rows."""

import functools
import re
from types import SimpleNamespace

from ttmlir import ir as _ir
from ttmlir._native import native as _native
from ttmlir.dialects import _tables

# The namespace of the public module; separate, since operations are called `min` and `sum` there.
SPACE = {"__name__": "ttmlir.dialects.ttcore"}
_items = _tables.fill(SPACE, "ttcore")
_own = SimpleNamespace(**SPACE)
ir = SPACE["ir"] = _tables.Namespace("ttmlir.dialects.ttcore.ir", {**_own._PLAIN, **_items})

for _enum in (_own.MeshShardType, ir.MeshShardType):
    _tables.alias(_enum, Identity="Replicate")
for _enum in (_own.AttentionMaskType, ir.AttentionMaskType):
    _tables.alias(_enum, NoMask="None_")

TILE = (32, 32)


# ---- tiles and shapes -----------------------------------------------------------------------------


def _tile_get(ctx, height, width, data_type):
    return _native._make(ctx, "type", "ttcore.tile", [[height, width], data_type])


def _local_shape(self):
    return _native._param(self, 0).shape


def _grid_get(ctx, shape, virt_to_physical_map=None, physical_to_virt_map=None):
    """A grid; omitted maps are empty."""
    empty = _ir.AffineMap.get_empty(ctx)
    return _native._make(ctx, "attr", "ttcore.grid", [
        list(shape), empty if virt_to_physical_map is None else virt_to_physical_map,
        empty if physical_to_virt_map is None else physical_to_virt_map])


@functools.cache
def _default_system_text():
    from ttmlir.passmanager import PassManager

    with _ir.Context(), _ir.Location.unknown():
        module = _ir.Module.create()
        PassManager.parse("builtin.module(ttcore-register-device)").run(module.operation)
        return str(module.operation.attributes["ttcore.system_desc"])


def _default_system(ctx=None):
    """The default system that programs are compiled for."""
    return _ir.Attribute.parse(_default_system_text(), ctx)


def _device_of_system(ctx, system_desc, mesh_shape=(1,)):
    """The device that a program for a mesh of the system's chips is compiled for."""
    from ttmlir.passmanager import PassManager

    shape = ",".join(str(int(n)) for n in mesh_shape)
    with _ir.Context(), _ir.Location.unknown():
        module = _ir.Module.create()
        module.operation.attributes["ttcore.system_desc"] = _ir.Attribute.parse(str(system_desc))
        PassManager.parse(f"builtin.module(ttcore-register-device{{mesh-shape={shape}}})").run(module.operation)
        text = str(next(op for op in module.body if isinstance(op, _own.DeviceOp)).attributes["device_attr"])
    return _ir.Attribute.parse(text, ctx)


def _device_get(ctx, grid_shape, virt_to_physical_map, physical_to_virt_map, l1_map, dram_map, mesh_shape, chip_ids,
                mesh_topology=()):
    """A device of a grid of cores and one of DRAM banks."""
    cores, banks = _grid_get(ctx, grid_shape, virt_to_physical_map, physical_to_virt_map), _grid_get(ctx, [1, 1])
    return _native._make(ctx, "attr", "ttcore.device", [
        cores, banks, l1_map, dram_map, list(mesh_shape), list(chip_ids), list(mesh_topology)])


def _bits_of(element_type):
    """The bits of an element: a tile's element, or the type itself."""
    from ttmlir import util

    name = _own.DataType(util.element_type_to_data_type(element_type)).name
    return int(re.search(r"\d+", name)[0])


def _tiles_in_dst(self, type, full_sync_en=False, override_physical_size=0):
    """The capacity of the destination registers in tiles: with half synchronisation only half of them, and half again
    for 32 bits."""
    tiles = override_physical_size or self.dst_physical_size_tiles
    return tiles // (1 if full_sync_en else 2) // (2 if _bits_of(type) == 32 else 1)


ir.ChipDescAttr.get_dst_logical_size_tiles = _tiles_in_dst
ir.ChipDescAttr.usable_l1_size = property(lambda self: self.l1_size - self.l1_unreserved_base)
ir.ChipDescAttr.usable_dram_channel_size = property(lambda self: self.dram_unreserved_end - self.dram_unreserved_base)
_tables.rename(ir.ChipDescAttr, num_cbs="num_c_bs")
_tables.rename(ir.DeviceAttr, grid_attr="worker_grid")
ir.DeviceAttr.get = staticmethod(_device_get)
ir.DeviceAttr.from_system_desc = staticmethod(_device_of_system)
ir.SystemDescAttr.get_default = staticmethod(_default_system)
ir.TileType.get = staticmethod(_tile_get)
ir.LocalShapeAttr.local_shape = property(_local_shape)
ir.GridAttr.get = staticmethod(_grid_get)


# ---- metal layouts ----------------------------------------------------------------------------------
# Dimensions collapse in half-open intervals to the physical ones; each is aligned first.


def _intervals(attribute, rank):
    """The intervals in order, negative ends counted from the back; trailing dimensions that they leave out are
    intervals of their own."""
    flat = [int(x) for x in attribute]
    full = sorted((a + rank if a < 0 else a, b + rank if b < 0 else b) for a, b in zip(flat[::2], flat[1::2]))
    covered = max((end for _, end in full), default=0)
    full += [(i, i + 1) for i in range(covered, rank)]
    return [(0, 0), *full] if rank == 1 and len(full) == 1 else full


def _default_intervals(ctx, rank):
    """All but the last dimension as one."""
    if rank == 0:
        return _ir.Attribute.parse("dense<> : tensor<0x2xi64>", ctx)
    i64 = _ir.IntegerType.get_signless(64, ctx)
    return _ir.DenseElementsAttr.get([_ir.IntegerAttr.get(i64, x) for x in (0, rank - 1, rank - 1, rank)],
                                     _ir.RankedTensorType.get([2, 2], i64))


def _tile_alignments(rank, intervals):
    """A tile's sides for the ends of the last two physical dimensions, one elsewhere."""
    alignments = [1] * rank
    if rank < 2:
        return [TILE[1]] * rank
    for back in (1, 2):
        if back <= len(intervals):
            alignments[intervals[-back][1] - 1] = TILE[-back]
    return alignments


def _metal_layout_get(ctx, logical_shape, memory_space, memory_layout=None, collapsed_intervals=None,
                      dim_alignments=None):
    shape = list(logical_shape)
    if memory_layout is None:
        memory_layout = _own.TensorMemoryLayout.Sharded
    if collapsed_intervals is None:
        collapsed_intervals = _default_intervals(ctx, len(shape))
    if dim_alignments is None:
        dim_alignments = _tile_alignments(len(shape), _intervals(collapsed_intervals, len(shape)))
    return _native._make(ctx, "attr", "ttcore.metal_layout", [
        shape, list(dim_alignments), collapsed_intervals, memory_space, memory_layout])


def _up(n, to):
    return -(-n // to) * to


def _physical_shape(self, tile_shape):
    shape, alignments = self.logical_shape, list(self.dim_alignments or [1] * len(self.logical_shape))
    physical = []
    for start, end in _intervals(self.collapsed_intervals, len(shape)):
        if start == end:
            continue
        size = _up(shape[end - 1], alignments[end - 1])
        for d in range(end - 2, start - 1, -1):
            size = _up(shape[d] * size, alignments[d])
        physical.append(size)
    if not shape:
        physical = list(TILE)
    if len(shape) == 1:
        physical.insert(0, TILE[0])
    if tile_shape:
        for back in (1, 2):
            if physical[-back] % tile_shape[-back]:
                raise ValueError(f"{physical} does not divide into tiles of {list(tile_shape)}")
            physical[-back] //= tile_shape[-back]
    return physical


def _device_shape(self, grid_shape, tile_shape):
    """The grid's shape, then the shape of each shard."""
    physical = _physical_shape(self, list(tile_shape))
    grid = list(grid_shape)
    if len(grid) < len(physical) or any(p % g for p, g in zip(physical, grid)):
        raise ValueError(f"{physical} does not divide over a grid of {grid}")
    return grid + [p // g for p, g in zip(physical, grid)]


def _layout_of(type):
    """The metal layout of a ranked tensor type, or None."""
    encoding = type.encoding if isinstance(type, _ir.RankedTensorType) else None
    return encoding if isinstance(encoding, ir.MetalLayoutAttr) else None


ir.MetalLayoutAttr.get = staticmethod(_metal_layout_get)
ir.MetalLayoutAttr.getDeviceShape = _device_shape
ir.MetalLayoutAttr.getLayout = staticmethod(_layout_of)
ir.MetalLayoutAttr.wrapped = lambda self: self
_param_alignments = ir.MetalLayoutAttr.dim_alignments
ir.MetalLayoutAttr.dim_alignments = property(lambda self: _param_alignments.__get__(self) or None)
ir.MeshAttr.name = property(lambda self: _native._param(self, 0).value)
ir.DeviceAttr.unwrap = lambda self: self
