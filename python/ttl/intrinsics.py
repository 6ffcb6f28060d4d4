"""Calls inside a thread: the table from Python objects to the functions that emit IR; circular buffers and the grid.
Copies are in intrinsics_move.py, blocks and stores in intrinsics_blocks.py, operations on blocks in
intrinsics_math.py."""

import ast
import os

from . import functions, hints, types
from .buffer import CircularBuffer
from .emit import string
from .values import Block, Slice, Value, describe

_handlers = {}


def handler(*objects):
    def note(function):
        for o in objects:
            _handlers[o] = function
        return function

    return note


def find(function):
    """The handler of a called object, or None."""
    owner = getattr(function, "__self__", None)
    plain = getattr(function, "__func__", None)
    if plain in _handlers:
        return lambda c, node, args, kwargs: _handlers[plain](c, node, [owner, *args], kwargs)
    try:
        return _handlers.get(function)
    except TypeError:  # unhashable
        return None


def take(c, node, name, args, kwargs, parameters):
    """Binds arguments by position or name: parameters maps names to defaults (... for none)."""
    names = list(parameters)
    if len(args) > len(names):
        c.fail(node, f"{name}() takes {len(names)} argument{'s' * (len(names) != 1)}, got {len(args)}")
    got = dict(zip(names, args))
    for key, value in kwargs.items():
        if key not in parameters or key in got:
            c.fail(node, f"{name}() got an unexpected argument '{key}'", hints.parameter(key, names) if key not in got else None)
        got[key] = value
    for key, default in parameters.items():
        if key not in got and default is ...:
            c.fail(node, f"{name}() lacks the argument '{key}'")
        got.setdefault(key, default)
    return [got[n] for n in names]


# ---- circular buffers -------------------------------------------------------------------------------


def begin(c, node, buffer, op):
    location = c.source.location(node)
    name = c.buffer(buffer, node)
    shape, rows = buffer.seen_by(c.kind)
    block_type = types.block(shape, buffer.element, rows)
    open_now = [b for b in c.blocks if b.buffer is buffer and b.taken == op and not b.ended]
    in_branch = bool(c.regions) and c.regions[-1].branch
    open_one = next((b for b in open_now if not (b.maybe and in_branch)), None)  # conditions may exclude each other
    if open_one:
        c.fail(node, f"{op}() on {buffer.called} whose block is still open",
               f"the block of line {open_one.location[1]} comes first: {open_one.release}() it")
    if op == "reserve" and buffer.padded and c.kind != "compute" and buffer not in c.padded:
        c.padded.add(buffer)
        c.writer.at_head("ttl.cb_pad", (name,), (), location)
    with c.marked(node, f"_cb_{op}"):
        view = c.writer.op(f"ttl.cb_{op}", (name,), block_type, location)
    value = c.writer.op("ttl.attach_cb", (view, name), block_type, location)
    block = Block(buffer, value, op, location, c.kind)
    block.region = tuple(c.regions)
    c.blocks.append(block)
    for one in [*open_now, block]:
        one.ways = [*open_now, block]
    return block


def of_both_ways(c, node, a, b):
    """The block that one name means after an `if` whose branches have waited for one each, of the same buffer: a wait that
    is repeated changes nothing, and gives the value where it is used; it is written once in a region."""
    location, buffer, known = c.source.location(node), a.buffer, {}
    shape, rows = buffer.seen_by(c.kind)
    block_type = types.block(shape, buffer.element, rows)

    def value():
        region = c.writer.block
        if region not in known:
            name = c.buffer(buffer, node)
            view = c.writer.op("ttl.cb_wait", (name,), block_type, location)
            known[region] = c.writer.op("ttl.attach_cb", (view, name), block_type, location)
        return known[region]

    block = Block(buffer, value, "wait", a.location, c.kind)
    block.region = tuple(c.regions)
    ways = [*dict.fromkeys([*a.ways, *b.ways]), block]
    for one in ways:
        one.ways = ways
    c.blocks.append(block)
    return block


@handler(CircularBuffer.wait)
def cb_wait(c, node, args, kwargs):
    buffer, = take(c, node, "wait", args, kwargs, {"self": ...})
    return begin(c, node, buffer, "wait")


@handler(CircularBuffer.reserve)
def cb_reserve(c, node, args, kwargs):
    buffer, = take(c, node, "reserve", args, kwargs, {"self": ...})
    return begin(c, node, buffer, "reserve")


def give_back(c, node, block, op, location):
    """Marks a block as ended here, and rejects one that is not complete."""
    block.ended, block.ended_at = location, c.evaluated
    if block.arriving and op == "push" and not c.kernel.compat:
        c.fail(block.arriving, "expects transfer handle to be synchronized with ttl.wait before its block is pushed, on "
                               f"line {location[1]}", "end the copy: ttl.copy(...).wait()")
    if not block.filled:
        c.fail(node, f"push() of a block of {block.buffer.called} that holds nothing: nothing was "
                     f"{'stored in' if c.kind == 'compute' else 'copied into'} what line {block.location[1]} reserved",
               f"line {block.renamed[1]} gives its name '{block.renamed[2]}' to something else: {block.renamed[2]}.store(expression) "
               "fills it" if block.renamed and c.kind == "compute" else
               "block.store(expression) before" if c.kind == "compute" else "ttl.copy(tensor[...], block).wait() before")


def finish(c, node, buffer, op, implicit=""):
    location = c.source.location(node)
    found = next((b for b in c.blocks if b.buffer is buffer and b.release == op and not b.ended), None)
    for block in found.ways if found else ():
        if not block.ended:
            give_back(c, node, block, op, location)
    name = c.buffer(buffer, node)
    with c.marked(node, f"{implicit}_cb_{op}"):
        c.writer.op(f"ttl.cb_{op}", (name,), (), location)


@handler(CircularBuffer.pop)
def cb_pop(c, node, args, kwargs):
    finish(c, node, *take(c, node, "pop", args, kwargs, {"self": ...}), "pop")


@handler(CircularBuffer.push)
def cb_push(c, node, args, kwargs):
    finish(c, node, *take(c, node, "push", args, kwargs, {"self": ...}), "push")


def end(c, node, block):
    """Ends a block at the end of its `with`."""
    finish(c, node, block.buffer, block.release, "_implicit")


def still_open(c, node, block):
    """Fails where a block that is about to be copied has been released."""
    if block.ended:
        c.fail(node, f"the block of {block.buffer.called} was given back on line {block.ended[1]}",
               "copy before pop() or push()")


# ---- the grid ---------------------------------------------------------------------------------------


@handler(functions.core)
def core(c, node, args, kwargs):
    dims, = take(c, node, "core", args, kwargs, {"dims": None})
    grid = tuple(c.kernel.making.grid)
    if isinstance(dims, Value):
        c.fail(node, "core() needs a known number of dimensions")
    dims = len(grid) if dims is None else dims
    if c.kernel.compat and dims != 2:
        c.fail(node, f"core() currently only supports dims=2, got dims={dims}")
    c.static(node, functions.fold, grid, dims, False, 1)  # checks dims
    at = c.coordinates(node)
    if dims < len(grid):  # as in grid_size(): the last one flattens the remaining dimensions
        last = at[dims - 1]
        for size, coordinate in zip(grid[dims:], at[dims:]):
            last = c.binary(node, ast.Add(), c.binary(node, ast.Mult(), last, size), coordinate)
        at = [*at[:dims - 1], last]
    at = [*at, *[0] * (dims - len(at))]
    return at[0] if dims == 1 else tuple(at)


@handler(functions.core_linear)
def core_linear(c, node, args, kwargs):
    take(c, node, "core_linear", args, kwargs, {})
    if len(c.kernel.making.grid) != 2:
        return core(c, node, [1], {})
    column, row = c.coordinates(node)
    return c.binary(node, ast.Add(), c.binary(node, ast.Mult(), row, c.kernel.making.grid[0]), column)


@handler(functions.grid_slice)
def grid_slice(c, node, args, kwargs):
    tensor, factors = take(c, node, "grid_slice", args, kwargs, {"tensor": ..., "block_factors": ...})
    if not c.kernel.is_tensor(tensor) or len(tensor.shape) != 2:
        c.fail(node, f"grid_slice() needs a tensor of two dimensions, not {describe(tensor)}")
    if len(c.kernel.making.grid) != 2 or not isinstance(factors, (list, tuple)) or len(factors) != 2:
        c.fail(node, "grid_slice() needs a grid of two dimensions, and the rows and columns of tiles that a core takes")
    column, row = c.coordinates(node)
    starts = [c.binary(node, ast.Mult(), at, size) for at, size in zip((row, column), factors)]
    return Slice(tensor, starts, list(factors), True, c.source.location(node))


@handler(functions.grid_size)
def grid_size(c, node, args, kwargs):
    dims, = take(c, node, "grid_size", args, kwargs, {"dims": None})
    return c.static(node, functions.fold, tuple(c.kernel.making.grid), dims, True, 1)


@handler(breakpoint)
def stop_here(c, node, args, kwargs):
    """Stops the thread on each core when the kernel runs; PYTHONBREAKPOINT=0 leaves it out, as Python's."""
    if args or kwargs:
        c.fail(node, "breakpoint() in a thread takes no arguments")
    if os.environ.get("PYTHONBREAKPOINT") != "0":
        c.kernel.breakpoints = True
        c.writer.op("ttl.signpost", (), (), c.source.location(node), {"name": string("breakpoint")})


@handler(functions.signpost)
def signpost(c, node, args, kwargs):
    name, = take(c, node, "signpost", args, kwargs, {"name": ...})
    if not isinstance(name, str):
        c.fail(node, f"signpost() needs a text, not {describe(name)}")
    c.writer.op("ttl.signpost", (), (), c.source.location(node), {"name": string(name)})
