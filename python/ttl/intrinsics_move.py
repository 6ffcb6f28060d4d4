"""Copies between tensors and blocks inside threads (see intrinsics.py)."""

import ast

from . import functions, types
from .emit import string
from .intrinsics import handler, still_open, take
from .values import Block, Handle, Scalar, Slice, describe


_copies = []  # of other kinds: tried first by copy()


def register_copy(function):
    _copies.append(function)
    return function


@handler(functions.copy)
def copy(c, node, args, kwargs):
    src, dst = take(c, node, "copy", args, kwargs, {"src": ..., "dst": ...})
    if c.kind == "compute":
        c.fail(node, "copy() moves data, and this is the compute thread", "move it to a @ttl.datamovement() thread")
    for other in _copies:
        handle = other(c, node, src, dst)
        if handle:
            return handle
    src, dst = whole(c, node, src), whole(c, node, dst)
    if isinstance(dst, Slice):
        if not isinstance(src, Block):
            c.fail(node, "copy() with tensor subscript dst requires block src")
        return _move(c, node, dst, src, "write")
    if isinstance(src, Slice):
        if not isinstance(dst, Block):
            c.fail(node, "copy() with tensor subscript src requires block dst")
        return _move(c, node, src, dst, "read")
    return c.fail(node, "copy() requires at least one tensor subscript argument "
                        "(e.g., tensor[row, col] or tensor[r0:r1, c0:c1])",
                  f"got {describe(src)} and {describe(dst)}")


def whole(c, node, value):
    """A tensor without subscript is taken as a whole."""
    if not c.kernel.is_tensor(value):
        return value
    tiles = c.kernel.units(value)
    return Slice(value, [0] * len(tiles), list(tiles), True, c.source.location(node))


def shard_tiles(tensor):
    """(rows, columns) of tiles of a sharded tensor's shards, and the number of shards per row; None for others."""
    spec = tensor.memory_config().shard_spec if hasattr(tensor, "memory_config") else None
    if spec is None or any(d % types.TILE for d in spec.shape):
        return None
    return spec.shape[0] // types.TILE, spec.shape[1] // types.TILE, -(-tensor.shape[-1] // spec.shape[1])


def _move(c, node, part, block, kind):
    still_open(c, node, block)
    if kind == "read" and block.taken == "wait":
        c.fail(node, f"copy() into a block of {block.buffer.called} that wait() gave: it is there to be read",
               "copy(source, destination): ttl.copy(block, tensor[...]) writes the tensor; a block to be written is reserve()d")
    if kind == "write" and not block.filled and not c.kernel.compat:
        c.fail(node, f"copy() from a block of {block.buffer.called} that reserve() gave and nothing has filled",
               "copy(source, destination): ttl.copy(tensor[...], block) reads the tensor")
    tensor = c.tensor(part.tensor, node)
    number = c.tensors[c.arguments.index(tensor)]
    element = c.kernel.elements[number]
    if c.kernel.is_rows(part.tensor) != block.buffer.rows:
        c.fail(node, "copy() between a tensor in rows and a block of tiles" if not block.buffer.rows else
               "copy() between a tensor in tiles and a block of rows", "make the circular buffer like this tensor")
    if element != block.element:
        c.fail(node, f"copy() between a tensor of {element} and a block of {block.element}",
               "make the circular buffer like this tensor, and convert in the compute thread: ttl.math.typecast(block, dtype)")
    row, column = _check_extents(c, node, part, block)
    starts = [c.arithmetic.value(s, node).name for s in (row, column)]
    part_type = c.kernel.tensor_type(number, block.shape)
    location = c.source.location(node)
    view = c.writer.op("ttl.tensor_slice", (tensor, *starts), part_type, part.location)
    buffer = c.buffer(block.buffer, node)
    if kind == "read" and not block.buffer.rows:
        c.kernel.flows.arrives(block.buffer, tuple(part.tensor.shape), part.starts, part.extents)
    operands, unit = (view, buffer), None
    if kind == "write":
        c.kernel.written.add(number)
        operands = buffer, view
    if part.shard and part.shard[:2] == tuple(block.shape) and not block.buffer.rows:
        unit = {"shard": list(part.shard), "unit": b"shard"}
    name = c.writer.op("ttl.copy", operands, f"!ttl.transfer_handle<{kind}>", location, unit)
    return Handle(name, kind, location, block if kind == "read" else None)


def _check_extents(c, node, part, block):
    """Checks that a part of a tensor is as large as a block; returns its first row and column of tiles, the matrices
    of a tensor of more than two dimensions being stacked vertically."""
    shape = tuple(part.tensor.shape)
    tiles = c.kernel.units(part.tensor)
    if len(part.starts) != len(tiles):
        names = "(row, col)" if len(tiles) == 2 else "of a tensor of shape " + str(shape)
        c.fail(node, f"Expected {len(tiles)} tile indices {names}, got {len(part.starts)}",
               "one number is a shard, and this tensor is interleaved" if len(part.starts) == 1 else
               f"one for each dimension, those of the last two in {'numbers' if block.buffer.rows else 'tiles of 32'}")
    if max(block.shape) > 1 and not part.ranged:
        c.fail(node, f"CB shape {list(block.shape)} requires range syntax (e.g., tensor[0:2, 0:2]), "
                     "but got index syntax (e.g., tensor[0, 0])",
               f"Tensor shape (32, 32) (=(1, 1) tiles) does not match Block shape {block.shape} tiles")
    row, rows = _fold_rows(c, node, part, tiles)
    _check_span(c, node, part, block, "row", row if len(tiles) == 2 else part.starts[-2] if len(tiles) > 2 else 0, rows,
                block.shape[0], tiles[-2] if len(tiles) > 1 else 1, len(tiles) <= 2 or rows == part.extents[-2])
    for i in range(len(tiles)):
        _watch_index(c, node, part, block, i, tiles[i])
    _check_span(c, node, part, block, "column", part.starts[-1], part.extents[-1], block.shape[1], tiles[-1], True)
    return row, part.starts[-1]


def _fold_rows(c, node, part, tiles):
    """First row of tiles and the number of rows, over all dimensions but the last."""
    row, rows, ranged = 0, 1, False
    for i, (start, extent, size) in enumerate(zip(part.starts[:-1], part.extents[:-1], tiles[:-1])):
        if ranged and (start != 0 or extent != size):
            c.fail(node, f"a block is rows that follow each other: dimension {i} must be whole, 0:{size}")
        if i < len(tiles) - 2 and isinstance(start, int) and not 0 <= start <= size - (extent or 1):
            c.fail(node, f"index {start} of dimension {i} is not in the tensor (shape {tuple(part.tensor.shape)})",
                   "of a tensor of more than two dimensions, all but the last two count matrices")
        ranged = ranged or extent != 1
        rows = None if extent is None or rows is None else rows * extent
        row = start if i == 0 else c.binary(node, ast.Add(), c.binary(node, ast.Mult(), row, size), start)
    return row, rows


def _check_span(c, node, part, block, what, start, extent, size, tiles, bounded):
    of_tiles = "" if block.buffer.rows else " of tiles"
    if extent is not None and extent != size:
        c.fail(node, f"copy() of {extent} {what}s{of_tiles} and a block of {size}",
               f"the block's shape is {block.shape}: use {what}s {describe(start)}:{describe(start)}+{size}"
               if not isinstance(start, int) else
               f"the block's shape is {block.shape}: use {start}:{start + size}")
    bounded = bounded and not c.kernel.compat  # hardware does not detect it
    if bounded and isinstance(start, int) and not 0 <= start <= tiles - size:
        c.fail(node, f"{what}s {start} to {start + size - 1}{of_tiles} are not all in the tensor, which has {tiles} of "
                     f"them (shape {tuple(part.tensor.shape)})",
               f"indices are counted from 0: the last {what} is {tiles - 1}" if start < 0 else
               "indices count tiles of 32, not elements" if of_tiles else
               "indices count numbers: the tensor lies in rows")


def _watch_index(c, node, part, block, dimension, size):
    """Checks at run time an index that may be outside of its dimension: it would address the next row, or no page of
    the tensor."""
    start, extent = part.starts[dimension], part.extents[dimension]
    last = dimension == len(part.starts) - 1
    extent = extent or (block.shape[-1] if last else block.shape[-2] if dimension == len(part.starts) - 2 else 1)
    if not isinstance(start, Scalar) or start.natural and start.upper is not None and start.upper + extent <= size or c.kernel.compat:
        return
    what = "columns" if last else "rows" if dimension == len(part.starts) - 2 else "matrices"
    if what != "matrices" and not block.buffer.rows:
        what += " of tiles"
    c.writer.op("ttl.check_index", (start.name,), (), part.location, {"of": string(what), "size": size, "extent": extent})


def wait_for(c, node, handle):
    if not isinstance(handle, Handle):
        c.fail(node, f"wait() needs what copy() gave, not {describe(handle)}")
    if handle.into:
        handle.into.arriving = None
    c.writer.op("ttl.wait", (handle.name,), (), c.source.location(node))


@handler(functions.wait)
def wait(c, node, args, kwargs):
    wait_for(c, node, *take(c, node, "wait", args, kwargs, {"handle": ...}))
