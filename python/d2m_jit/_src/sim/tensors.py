"""Tensors and blocks of the simulator."""

import torch

from ..table import SIGNS
from ..tensor_layout import TILE, DataType

TORCH = {DataType.Float32: torch.float32, DataType.Float16: torch.float16, DataType.BFloat16: torch.bfloat16, DataType.UInt32: torch.uint32}


class SimTensor:
    """A tensor of the device: its elements, padded to whole tiles. Grid and memory do not change them."""

    __slots__ = ("layout", "buffer", "is_view", "mesh")

    def __init__(self, layout, buffer, is_view=False, mesh=None):
        self.layout, self.buffer, self.is_view, self.mesh = layout, buffer, is_view, mesh

    def to_logical(self):
        """The elements without padding."""
        return self.buffer[tuple(slice(n) for n in self.layout.logical_shape)].clone()

    def to_host(self):
        from .host import to_host

        return to_host(self)[0]

    def __await__(self):
        yield from ()
        return self

    def __repr__(self):
        return f"SimTensor({self.layout!r}{', a view' if self.is_view else ''})"


class SimBlock:
    """What kernels compute with: `tiles` has the shape (rows, columns, 32, 32). Functions of blocks are its methods."""

    __slots__ = ("tiles", "reduced_axes")

    def __init__(self, tiles, reduced_axes=()):
        self.tiles, self.reduced_axes = tiles, frozenset(reduced_axes)

    @property
    def tile_grid(self):
        return tuple(self.tiles.shape[:2])

    @classmethod
    def from_2d(cls, elements, reduced_axes=()):
        rows, columns = elements.shape
        if rows % TILE or columns % TILE:
            raise ValueError(f"block shape {(rows, columns)} is not tile-aligned (32x32)")
        tiles = elements.reshape(rows // TILE, TILE, columns // TILE, TILE).permute(0, 2, 1, 3)
        return cls(tiles.contiguous(), reduced_axes)

    def to_2d(self):
        rows, columns = self.tile_grid
        return self.tiles.permute(0, 2, 1, 3).reshape(rows * TILE, columns * TILE)

    def __await__(self):
        yield from ()
        return self

    def __getattr__(self, name):
        from .ops import SIM_METHODS

        if name not in SIM_METHODS:
            raise AttributeError(f"SimBlock has no method '{name}'")
        return lambda *args, **kwargs: SIM_METHODS[name](self, *args, **kwargs)

    def __repr__(self):
        return f"SimBlock(tile_grid={self.tile_grid}, dtype={self.tiles.dtype})"


for _sign, _name in SIGNS.items():
    setattr(SimBlock, _sign, lambda self, *other, name=_name: getattr(self, name)(*other))
