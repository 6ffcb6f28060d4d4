"""Layouts of tensors on the device. This module needs neither IR nor torch, so that the simulator runs without a compiler."""

import enum
import math

TILE = 32


class DataType(enum.IntEnum):
    """The element types of device tensors, with the values of ttcore's enum."""

    Float32 = 0
    Float16 = 1
    BFloat16 = 2
    UInt32 = 9


class MemorySpace(enum.IntEnum):
    """ttcore's memory spaces."""

    System = 0
    SystemMMIO = 1
    DeviceDRAM = 2
    DeviceL1 = 3


float32, float16, bfloat16, uint32 = DataType.Float32, DataType.Float16, DataType.BFloat16, DataType.UInt32

_NAMES = {"fp32": float32, "f32": float32, "float32": float32, "fp16": float16, "f16": float16, "float16": float16,
          "bf16": bfloat16, "bfloat16": bfloat16, "u32": uint32, "uint32": uint32}
_SPACES = {"l1": MemorySpace.DeviceL1, "dram": MemorySpace.DeviceDRAM}


def _to_data_type(dtype):
    """The element type that a name, a torch dtype or an enum's member means."""
    name = getattr(dtype, "name", None)
    if name in DataType.__members__:
        return DataType[name]
    found = _NAMES.get(str(dtype).removeprefix("torch."))
    if found is None:
        raise TypeError(f"unsupported data type {dtype!r}: tensors of the device are float32, bfloat16, float16 or uint32")
    return found


def _to_mem_space(space):
    name = getattr(space, "name", None)
    if name in MemorySpace.__members__:
        return MemorySpace[name]
    found = _SPACES.get(space.lower()) if isinstance(space, str) else None
    if found is None:
        raise ValueError(f"unsupported memory space {space!r}: it is 'l1' or 'dram'")
    return found


def _sizes(what, sizes, rank=None):
    """A list of positive integers."""
    out = list(sizes)
    if any(not isinstance(n, int) or isinstance(n, bool) or n <= 0 for n in out) or not out:
        raise ValueError(f"{what} must have positive integers, got {out}")
    if rank is not None and len(out) != rank:
        raise ValueError(f"{what} must have {rank} numbers, one for each dimension of the shape, got {out}")
    return out


class Layout:
    """How a tensor lies on the device.

    shape: the logical shape. dtype: float32, bfloat16, float16, uint32, or torch's. block_shape: what a kernel loads at
    once, in tiles (in elements if `tiled` is False). grid_shape: the cores that hold the tensor; None: one for each block.
    collapse: leading dimensions are folded into one for the grid. mem_space: "l1" or "dram".
    """

    FIELDS = ("shape", "dtype", "block_shape", "grid_shape", "tiled", "collapse", "mem_space")

    def __init__(self, shape, dtype, block_shape, grid_shape=None, tiled=True, collapse=True, mem_space="l1"):
        self.logical_shape = _sizes("shape", shape)
        rank = len(self.logical_shape)
        self.dtype = _to_data_type(dtype)
        self.block_shape = _sizes("block_shape", block_shape, rank)
        self.tiled, self.collapse = bool(tiled), bool(collapse)
        if self.tiled and rank < 2:
            raise ValueError(f"a tiled layout needs two dimensions or more, got the shape {self.logical_shape}")
        self.mem_space = _to_mem_space(mem_space)
        self.blocked_grid_shape = []
        for dim, (size, block) in enumerate(zip(self.shape_in_blocks_unit(), self.block_shape)):
            if size % block:
                raise ValueError(f"dimension {dim} has {size} {'tiles' if self.tiled else 'elements'}, which blocks of {block} do not divide: "
                                 f"shape {self.logical_shape}, block_shape {self.block_shape}")
            self.blocked_grid_shape.append(size // block)
        self.grid_shape = list(self.blocked_grid_shape) if grid_shape is None else _sizes("grid_shape", grid_shape)

    def shape_in_blocks_unit(self):
        """The shape in tiles, or in elements of an untiled layout."""
        shape = list(self.logical_shape)
        if self.tiled:
            shape[-2:] = [math.ceil(n / TILE) for n in shape[-2:]]
        return shape

    @property
    def shape(self):
        return self.logical_shape

    def replace(self, **changes):
        """The same layout with other values of some fields."""
        return Layout(**{**{name: getattr(self, name) for name in self.FIELDS}, **changes})

    def __repr__(self):
        return f"Layout({', '.join(f'{name}={getattr(self, name)!r}' for name in self.FIELDS)})"
