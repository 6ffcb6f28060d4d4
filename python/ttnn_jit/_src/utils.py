"""Grids of cores for shapes."""

from . import layouts


def get_maximal_block_sharding_grid(shape, core_grid):
    """The last core (column, row) of the blocks that a tensor of this shape is distributed over within a grid with the last
    core `core_grid`: as many rows and columns of cores as divide its tiles."""
    cores = layouts.blocks(shape, (core_grid[1] + 1, core_grid[0] + 1)).shard_spec.grid.bounding_box().end
    return [cores.x, cores.y]


def get_core_grid_from_tensor_args(tensor_args):
    """The last core (column, row) of the first tensor's device; tensor_args: tensors by name."""
    if not tensor_args:
        raise ValueError("expected at least one tensor, found none")
    grid = next(iter(tensor_args.values())).device().core_grid
    return grid.x - 1, grid.y - 1


__all__ = ["get_core_grid_from_tensor_args", "get_maximal_block_sharding_grid"]
