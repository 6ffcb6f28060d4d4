"""What calls, operators and methods mean inside a thread: the table from Python objects to the
code that writes IR."""

import ast
import difflib
import math

from . import composites, functions, hints, integers, spill, types
from .buffer import CircularBuffer, Making
from .emit import location, string
from .operations import OPERATIONS, WITH_NUMBER
from .values import Block, Expression, Handle, Method, Scalar, Slice, Tiles, Value, describe, has_value

_handlers = {}


def handler(*objects):
    def note(function):
        for o in objects:
            _handlers[o] = function
        return function

    return note


def find(function):
    """The handler of something that is called, or None."""
    owner = getattr(function, "__self__", None)
    plain = getattr(function, "__func__", None)
    if plain in _handlers:
        return lambda c, node, args, kwargs: _handlers[plain](c, node, [owner, *args], kwargs)
    try:
        return _handlers.get(function)
    except TypeError:  # unhashable
        return None


def take(c, node, name, args, kwargs, parameters):
    """Arguments by position or name: parameters maps names to defaults (... for none)."""
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


# ---- circular buffers -----------------------------------------------------------------------


def _begin(c, node, buffer, op):
    place = c.source.place(node)
    name = c.buffer(buffer, node)
    shape, rows = buffer.seen_by(c.kind)
    block_type, buffer_type = types.block(shape, buffer.element, rows), c.type_of(buffer)
    open_one = next((b for b in c.blocks if b.buffer is buffer and b.taken == op and not b.ended), None)
    if open_one:
        c.fail(node, f"{op}() on {buffer.called} whose block is still open",
               f"the block of line {open_one.place[1]} comes first: {open_one.release}() it")
    if op == "reserve" and buffer.padded and c.kind != "compute" and buffer not in c.padded:
        c.padded.add(buffer)
        c.writer.head.append(f"    ttl.cb_pad {name} : {buffer_type} {location(place)}")
    with c.marked(node, f"_cb_{op}"):
        view = c.writer.op(f"ttl.cb_{op} {name} : {buffer_type} -> {block_type}", place)
    value = c.writer.op(f"ttl.attach_cb {view}, {name} : ({block_type}, {buffer_type}) -> {block_type}", place)
    block = Block(buffer, value, op, place, c.kind)
    block.region, block.lines = tuple(c.regions), c.writer.lines
    c.blocks.append(block)
    return block


@handler(CircularBuffer.wait)
def cb_wait(c, node, args, kwargs):
    buffer, = take(c, node, "wait", args, kwargs, {"self": ...})
    return _begin(c, node, buffer, "wait")


@handler(CircularBuffer.reserve)
def cb_reserve(c, node, args, kwargs):
    buffer, = take(c, node, "reserve", args, kwargs, {"self": ...})
    return _begin(c, node, buffer, "reserve")


def _finish(c, node, buffer, op, implicit=""):
    place = c.source.place(node)
    for block in c.blocks:
        if block.buffer is buffer and block.release == op and not block.ended:
            block.ended, block.ended_at = place, c.evaluated
            if block.arriving and op == "push" and not c.kernel.compat:
                c.fail(block.arriving, "expects transfer handle to be synchronized with ttl.wait before its block is pushed, on "
                                       f"line {place[1]}", "end the copy: ttl.copy(...).wait()")
            if not block.filled:
                c.fail(node, f"push() of a block of {buffer.called} that holds nothing: nothing was "
                             f"{'stored in' if c.kind == 'compute' else 'copied into'} what line {block.place[1]} reserved",
                       f"line {block.renamed[1]} gives its name '{block.renamed[2]}' to something else: {block.renamed[2]}.store(expression) "
                       "fills it" if block.renamed and c.kind == "compute" else
                       "block.store(expression) before" if c.kind == "compute" else "ttl.copy(tensor[...], block).wait() before")
            break
    name = c.buffer(buffer, node)
    with c.marked(node, f"{implicit}_cb_{op}"):
        c.writer.line(f"ttl.cb_{op} {name} : {c.type_of(buffer)}", place)


@handler(CircularBuffer.pop)
def cb_pop(c, node, args, kwargs):
    _finish(c, node, *take(c, node, "pop", args, kwargs, {"self": ...}), "pop")


@handler(CircularBuffer.push)
def cb_push(c, node, args, kwargs):
    _finish(c, node, *take(c, node, "push", args, kwargs, {"self": ...}), "push")


def end(c, node, block):
    """What the end of a `with` does to a block."""
    _finish(c, node, block.buffer, block.release, "_implicit")


def still_open(c, node, block):
    """Fails where a block that is about to be copied has been given back."""
    if block.ended:
        c.fail(node, f"the block of {block.buffer.called} was given back on line {block.ended[1]}",
               "copy before pop() or push()")


# ---- copies -----------------------------------------------------------------------------------


_copies = []  # of other kinds: what copy() asks first


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
    """A tensor without subscript is all of it."""
    if not c.kernel.is_tensor(value):
        return value
    tiles = c.kernel.units(value)
    return Slice(value, [0] * len(tiles), list(tiles), True, c.source.place(node))


def shard_tiles(tensor):
    """(rows, columns) of tiles of a sharded tensor's shards, and how many stand side by side; None for others."""
    spec = tensor.memory_config().shard_spec if hasattr(tensor, "memory_config") else None
    if spec is None or any(d % types.TILE for d in spec.shape):
        return None
    return spec.shape[0] // types.TILE, spec.shape[1] // types.TILE, -(-tensor.shape[-1] // spec.shape[1])


def _move(c, node, part, block, kind):
    still_open(c, node, block)
    if kind == "read" and block.taken == "wait":
        c.fail(node, f"copy() into a block of {block.buffer.called} that wait() gave: it is there to be read",
               "reserve() a block to be written")
    tensor = c.tensor(part.tensor, node)
    number = c.tensors[int(tensor[4:])]
    element = c.kernel.elements[number]
    if c.kernel.is_rows(part.tensor) != block.buffer.rows:
        c.fail(node, "copy() between a tensor in rows and a block of tiles" if not block.buffer.rows else
               "copy() between a tensor in tiles and a block of rows", "make the circular buffer like this tensor")
    if element != block.element:
        c.fail(node, f"copy() between a tensor of {element} and a block of {block.element}",
               "make the circular buffer like this tensor, and convert in the compute thread: ttl.math.typecast(block, dtype)")
    row, column = _check_extents(c, node, part, block)
    starts = [c.arithmetic.value(s, node).name for s in (row, column)]
    whole_type = c.kernel.tensor_type(number)
    part_type = c.kernel.tensor_type(number, block.shape)
    place = c.source.place(node)
    view = c.writer.op(f"ttl.tensor_slice {tensor}[{', '.join(starts)}] : {whole_type} -> {part_type}", part.place)
    buffer, buffer_type = c.buffer(block.buffer, node), block.buffer.type
    if kind == "read" and not block.buffer.rows:
        c.kernel.flows.arrives(block.buffer, tuple(part.tensor.shape), part.starts, part.extents)
    if kind == "read":
        operands, operand_types = f"{view}, {buffer}", f"{part_type}, {buffer_type}"
    else:
        c.kernel.written.add(number)
        operands, operand_types = f"{buffer}, {view}", f"{buffer_type}, {part_type}"
    unit = ""
    if part.shard and part.shard[:2] == tuple(block.shape) and not block.buffer.rows:
        unit = f' {{shard = array<i64: {", ".join(map(str, part.shard))}>, unit = "shard"}}'
    name = c.writer.op(f"ttl.copy {operands}{unit} : ({operand_types}) -> !ttl.transfer_handle<{kind}>", place)
    return Handle(name, kind, place, block if kind == "read" else None)


def _check_extents(c, node, part, block):
    """Checks that a part of a tensor is as large as a block; its first row and column of tiles, the matrices of a
    tensor of more than two dimensions counted as one below the other."""
    shape = tuple(part.tensor.shape)
    tiles = c.kernel.units(part.tensor)
    if len(part.starts) != len(tiles):
        names = "(row, col)" if len(tiles) == 2 else "of a tensor of shape " + str(shape)
        c.fail(node, f"Expected {len(tiles)} tile indices {names}, got {len(part.starts)}",
               "one number is a shard, and this tensor is interleaved" if len(part.starts) == 1 else None)
    if max(block.shape) > 1 and not part.ranged:
        c.fail(node, f"CB shape {list(block.shape)} requires range syntax (e.g., tensor[0:2, 0:2]), "
                     "but got index syntax (e.g., tensor[0, 0])",
               f"Tensor shape (32, 32) (=(1, 1) tiles) does not match Block shape {block.shape} tiles")
    row, rows = _fold_rows(c, node, part, tiles)
    _check_span(c, node, part, block, "row", row if len(tiles) == 2 else part.starts[-2] if len(tiles) > 2 else 0, rows,
                block.shape[0], tiles[-2] if len(tiles) > 1 else 1, len(tiles) <= 2 or rows == part.extents[-2])
    for i in range(1, len(tiles)):
        _watch_index(c, node, part, block, i, tiles[i])
    _check_span(c, node, part, block, "column", part.starts[-1], part.extents[-1], block.shape[1], tiles[-1], True)
    return row, part.starts[-1]


def _fold_rows(c, node, part, tiles):
    """First row of tiles and their number, of all dimensions but the last."""
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
    bounded = bounded and not c.kernel.compat  # a device would tell
    if bounded and isinstance(start, int) and not 0 <= start <= tiles - size:
        c.fail(node, f"{what}s {start} to {start + size - 1}{of_tiles} are not all in the tensor, which has {tiles} of "
                     f"them (shape {tuple(part.tensor.shape)})", "indices count tiles of 32, not elements" if of_tiles else
               "indices count numbers: the tensor lies in rows")


def _watch_index(c, node, part, block, dimension, size):
    """An index that may lie outside of its dimension is looked at when the kernel runs: it would mean something in the
    next row. Of the first dimension, the page would be none of the tensor's, which is told anyway."""
    start, extent = part.starts[dimension], part.extents[dimension]
    last = dimension == len(part.starts) - 1
    extent = extent or (block.shape[-1] if last else block.shape[-2] if dimension == len(part.starts) - 2 else 1)
    if not isinstance(start, Scalar) or start.natural and start.most is not None and start.most + extent <= size or c.kernel.compat:
        return
    what = "columns" if last else "rows" if dimension == len(part.starts) - 2 else "matrices"
    c.writer.line(f'ttl.check_index {start.name}, "{what}" of {size}, {extent}', part.place)


def _wait(c, node, handle):
    if not isinstance(handle, Handle):
        c.fail(node, f"wait() needs what copy() gave, not {describe(handle)}")
    if handle.into:
        handle.into.arriving = None
    c.writer.line(f"ttl.wait {handle.name} : !ttl.transfer_handle<{handle.kind}>", c.source.place(node))


@handler(functions.wait)
def wait(c, node, args, kwargs):
    _wait(c, node, *take(c, node, "wait", args, kwargs, {"handle": ...}))


# ---- the grid -------------------------------------------------------------------------------------


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
    if dims < len(grid):  # as grid_size() does: the last one counts what is left
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
    return Slice(tensor, starts, list(factors), True, c.source.place(node))


@handler(functions.grid_size)
def grid_size(c, node, args, kwargs):
    dims, = take(c, node, "grid_size", args, kwargs, {"dims": None})
    return c.static(node, functions.fold, tuple(c.kernel.making.grid), dims, True, 1)


@handler(functions.signpost)
def signpost(c, node, args, kwargs):
    name, = take(c, node, "signpost", args, kwargs, {"name": ...})
    if not isinstance(name, str):
        c.fail(node, f"signpost() needs a text, not {describe(name)}")
    c.writer.line(f"ttl.signpost {string(name)}", c.source.place(node))


# ---- blocks -----------------------------------------------------------------------------------------


def attribute(c, node, value, name):
    """value.name for what is known only when the kernel runs."""
    if isinstance(value, Tiles) and name in ("shape", "dtype"):
        return value.element if name == "dtype" else value.buffer.shape if isinstance(value, Block) else value.shape
    known = {Block: ("store", "push", "pop"), Handle: ("wait",)}
    for kind, names in known.items():
        if isinstance(value, kind) and name in names:
            return Method(value, name)
    if isinstance(value, Tiles) and name in ("wait", "reserve"):
        c.fail(node, f"Expected CircularBufferType, got {describe(value)}", f"{name}() is for circular buffers")
    names = [n for kind, known_names in known.items() if isinstance(value, kind) for n in known_names]
    near = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean '{near[0]}'?" if near else hints.instead(name) if isinstance(value, Tiles) else None
    if isinstance(value, Slice):
        hint = hints.NUMBERS
    return c.fail(node, f"{describe(value)} has no attribute '{name}'", hint)


def method(c, node, bound, args, kwargs):
    value, name = bound.value, bound.name
    if isinstance(value, Handle):
        take(c, node, "wait", args, kwargs, {})
        return _wait(c, node, value)
    if name == "store":
        expression, acc = take(c, node, "store", args, kwargs, {"expression": ..., "acc": False})
        if isinstance(acc, Value):
            c.fail(node, "acc must be True or False, known when the kernel is compiled")
        return store(c, node, value, expression, bool(acc))
    take(c, node, name, args, kwargs, {})
    if name != value.release:
        c.fail(node, f"a block that {value.taken}() gave has no {name}()", f"use {value.release}()")
    return _finish(c, node, value.buffer, name)


def store(c, node, block, expression, acc=False):
    """block.store(expression): the operations of the expression are written here."""
    if block.arriving:
        c.fail(node, "Cannot write to Block: Block is locked as copy destination until tx.wait() completes (copy lock error)",
               f"the copy begins on line {block.arriving[1]}")
    if c.kind != "compute":
        c.fail(node, "store() computes, and this is a data movement thread", "use ttl.copy(), or a compute thread")
    if block.taken != "reserve":
        c.fail(node, f"store() into a block of {block.buffer.called} that wait() gave: it is there to be read",
               "reserve() a block of the output's buffer")
    if block.ended:
        c.fail(node, f"the block of {block.buffer.called} was pushed on line {block.ended[1]}", "store before push()")
    if not isinstance(expression, Tiles):
        c.fail(node, f"store() needs a block or an expression of blocks, not {describe(expression)}",
               "copy a block of it from a tensor, or compute it from one: block * 0 + number"
               if isinstance(expression, (int, float)) and not isinstance(expression, bool) else
               None if isinstance(expression, bool) else hints.no_block(expression))
    if block.stored and not acc:
        c.fail(node, f"the block of {block.buffer.called} got what it holds on line {block.stored[1]}",
               "store(expression, acc=True) adds to it; else store once, or reserve() another block")
    block.filled, block.stored = True, c.source.place(node) if not acc else block.stored
    if expression.shape not in (None, block.shape) or expression.rows != block.rows and expression.shape is not None:
        c.fail(node, mismatch(block, expression))
    if expression.element != block.element:
        c.fail(node, f"store() of {expression.element} into a block of {block.element}",
               "convert it: ttl.math.typecast(expression, block.dtype)")
    if acc and block.element in types.NUMBERS:
        c.fail(node, f"a store that adds to a block of {block.element}: the packer adds floating-point numbers only",
               "add with + in one store, or make the buffer one of float32")
    if isinstance(expression, Block):  # what is packed has been through DST
        expression = Expression("ttl.typecast", [expression], expression.shape, expression.element, c.source.place(node))
    keep_earlier(c, expression)
    parts = _store_parts(c, node, expression, block)
    value = materialize(c, node, spill.replaced(expression, parts), block, {})
    buffer = block.buffer
    c.kernel.flows.stored(buffer, expression)
    block_type = types.block(block.shape, block.element)
    adds = adding(c, node, block) if acc else ""
    c.writer.op(f"ttl.attach_cb {value}, {c.buffer(buffer, node)}{adds} : ({block_type}, {c.type_of(buffer)}) "
                f"-> {block_type}", c.source.place(node))
    block.stores.append(tuple(c.regions))
    for part in parts.values():
        _finish(c, node, part.buffer, "pop")


def adding(c, node, block):
    """How an accumulating store adds: always, where another one has been before; else not in the first rounds of the
    loops since the reserve, if these are sure to have them; else always, to zeros that are stored first."""
    around = [r for r in c.regions if not any(r is outer for outer in block.region)]
    if any(all(r.sure or any(r is own for own in c.regions) for r in regions) for regions in block.stores):
        return ' {acc = "always"}'
    if not block.stores and not any(r.branch for r in around) and all(r.sure for r in around[1:]):
        return " {acc}"
    mark = f"{block.name} = "
    at = next(i for i, line in enumerate(block.lines) if line.lstrip().startswith(mark))
    zeros = f"ttl.cb_fill {c.buffer(block.buffer, node)}, 0.0 {{reserved}} : {c.type_of(block.buffer)}"
    line = block.lines[at]
    block.lines.insert(at + 1, f"{line[:len(line) - len(line.lstrip())]}{zeros} {location(block.place)}")
    block.stores.append(block.region)
    return ' {acc = "always"}'


def _store_parts(c, node, expression, block):
    """Stores the parts of an expression that is too large for DST, and those that are read from buffers; the blocks
    that hold them."""
    if not c.kernel.spills and not spill.reads_parts(expression):
        return {}
    parts, cuts = {}, spill.cuts(expression, c.kernel.registers)
    everything = set(cuts)
    for i, part in enumerate(cuts):
        parts[part] = _stored(c, node, part, part.shape or block.shape, parts, parts.values())
        wanted = set().union(*(spill.stored_parts(p, everything) for p in [*cuts[i + 1:], expression]))
        for done in [p for p in parts if p not in wanted]:
            _finish(c, node, parts.pop(done).buffer, "pop")
    return parts


def _stored(c, node, part, shape, parts, taken):
    """A block of a buffer of the thread's own that holds an expression; `taken` hold others."""
    buffer = c.spill_buffer(shape, part.element, [b.buffer for b in [*taken, *c.keeping()]])
    target = _begin(c, node, buffer, "reserve")
    target.filled = True
    c.kernel.flows.stored(buffer, part)
    value = materialize(c, node, spill.inside(part, parts), target, {})
    kind = types.block(target.shape, target.element)
    c.writer.op(f"ttl.attach_cb {value}, {c.buffer(buffer, node)} : ({kind}, {buffer.type}) -> {kind}", c.source.place(node))
    _finish(c, node, buffer, "push")
    made = _begin(c, node, buffer, "wait")
    made.rows = part.rows
    return made


def keep_earlier(c, value):
    """Begins the thread again where a part of a value is needed after its blocks were given back."""
    late = spill.late(value)
    if late and late.number not in c.kept:
        raise spill.Keep(late.number)


def keep(c, node, expression):
    """Computes an expression where it stands: a block that is given back at the end of the loop's or branch's body."""
    if expression.shape is None:
        c.fail(node, "this expression is stored after its blocks were given back, and its shape is that of the store",
               "store before pop()")
    for operand in expression.operands:
        keep_earlier(c, operand)
    parts = _store_parts(c, node, expression, expression)
    block = _stored(c, node, expression, expression.shape, parts, parts.values())
    for part in parts.values():
        _finish(c, node, part.buffer, "pop")
    c.regions[-1].append(block)
    return block


def end_kept(c, node):
    """Gives back what was computed early in the region that ends here."""
    for block in c.regions[-1]:
        _finish(c, node, block.buffer, "pop")


def mismatch(a, b):
    shapes = [f"{t.rows or t.shape} {t.element} tensor{' in rows' if t.rows else ''}" for t in (a, b)]
    if a.rows or b.rows:
        return (f"shape mismatch between {shapes[0]} and {shapes[1]}; note: tensors of one kernel lie in tiles or in rows: "
                "ttnn.to_layout(tensor, ttnn.TILE_LAYOUT)")
    return (f"shape mismatch between {shapes[0]} and {shapes[1]}; note: you can use ttl.math.broadcast() to expand the "
            "smaller tensor")


def materialize(c, node, value, output, done):
    """Writes the operations of an expression, each once; gives its name in IR."""
    if isinstance(value, Block):
        if value.ended:
            c.fail(node, f"a block of {value.buffer.called} is used after line {value.ended[1]} gave it back",
                   "store before pop()")
        if value.taken == "reserve":
            c.fail(node, f"a block of {value.buffer.called} that reserve() gave is read: it is there to be written",
                   "give the expression a name and use that, or push() the block and wait() for it")
        return value.name
    if value in done:
        return done[value]
    operands = [materialize(c, node, o, output, done) for o in value.operands]
    kinds = [types.block(o.shape or output.shape, o.element) for o in value.operands]
    result = types.block(value.shape or output.shape, value.element)
    if value.op == "ttl.bcast":
        of = types.block(output.shape, output.element)
        text = f"ttl.bcast {operands[0]}, {output.name} {value.attribute} : i32 : ({kinds[0]}, {of}) -> {result}"
    else:
        text = f"{value.op} {', '.join(operands)}{value.attribute or ''} : {', '.join(kinds)} -> {result}"
    done[value] = c.writer.op(text, value.place)
    return done[value]


ONE_TYPE = "operands must have one element type: convert one, ttl.math.typecast(block, dtype)"

# ---- element-wise operations ----------------------------------------------------------------------------


def elementwise(c, node, row, operands):
    computing(c, node, row.name)
    if len(operands) != row.operands:
        c.fail(node, f"{row.name}() takes {row.operands} block{'s' if row.operands > 1 else ''}, got {len(operands)}",
               f"the largest of a block is ttl.math.reduce_{row.name}(block, dims=[...])" if row.name == "max" else None)
    integers.only_whole(c, node, row, operands)
    if row.name in composites.WHOLE and any(map(integers.is_whole, operands)):
        return c.call(node, composites.WHOLE[row.name], operands, {})
    numbers = [o for o in operands if isinstance(o, (int, float)) and not isinstance(o, bool)]
    if len(numbers) == 1 and row.operands == 2:
        return with_number(c, node, row, operands)
    for operand in operands:
        if not isinstance(operand, Tiles):
            c.fail(node, f"{row.name} needs blocks, not {describe(operand)}", hints.no_block(operand))
    shapes = [o for o in operands if o.shape is not None]
    for other in shapes[1:]:
        if other.shape != shapes[0].shape or other.rows != shapes[0].rows:
            a, b = sorted((shapes[0], other), key=lambda t: t.shape, reverse=True)
            c.fail(node, mismatch(a, b))
    for other in operands[1:]:
        if other.element != operands[0].element:
            c.fail(node, f"{row.name} of {operands[0].element} and {other.element}", ONE_TYPE)
    shape = shapes[0].shape if shapes else None
    unsigned = row.name == "bitwise_right_shift" and operands[0].element == "u32"
    return Expression("ttl.logical_right_shift" if unsigned else row.op, operands, shape, operands[0].element, c.source.place(node))


def computing(c, node, name):
    if c.kind != "compute":
        c.fail(node, f"{name} computes, and this is a data movement thread", "move it to the @ttl.compute() thread")


ROOTS = {0.5: "sqrt", -0.5: "rsqrt", -1: "recip"}  # powers that are functions


def with_number(c, node, row, operands):
    """An operation of a block and a number."""
    a, b = operands
    reverse = not isinstance(a, Tiles)
    block, number = (b, a) if reverse else (a, b)
    if not isinstance(block, Tiles):
        c.fail(node, f"{row.name} needs blocks, not {describe(block)}", hints.no_block(block))
    if integers.is_whole(block) and row.name != "div":
        if row.name == "pow" and not reverse:
            return integers.power(c, node, block, number)
        if row.name not in ("add", "sub") or reverse and row.name == "sub" or not integers.in_f32(number):
            full = integers.filled(c, node, block, number)
            return elementwise(c, node, row, [full, block] if reverse else [block, full])
    if row.name == "pow" and not reverse and number in ROOTS:
        return elementwise(c, node, OPERATIONS[ROOTS[number]], [block])

    def made(op, operand, attribute=None):
        return Expression(op, [operand], operand.shape, operand.element, c.source.place(node), attribute)

    literal = f", {number_literal(c, node, block, number)}"
    if row.name in ("add", "mul") or row.name in WITH_NUMBER and not reverse:
        return made(WITH_NUMBER[row.name], block, literal)
    if row.name == "sub":  # number - x
        return made(WITH_NUMBER["add"], made("ttl.neg", block), literal)
    if row.name == "div":  # number / x
        return made(WITH_NUMBER["mul"], made("ttl.recip", block), literal)
    if row.name == "pow" and not reverse:
        if number == 2:
            return made("ttl.square", block)
        if isinstance(number, int) and number > 0:
            return made("ttl.pow_scalar", block, f", {number}")
        c.fail(node, f"a block to the power of {number} is not supported", "powers are positive integers, 0.5, -0.5, -1, or blocks")
    if row.name in ("max", "min") and block.element in types.FLOATS:
        bounds = (number, None) if row.name == "max" else (None, number)
        return made("ttl.clamp", block, ", " + bounds_of(c, node, block, *bounds))
    return c.fail(node, f"{row.name} of a block and a number is not supported", "store the number in a block")


INFINITIES = "0xFF800000", "0x7F800000"  # the negative one first


def number_literal(c, node, block, number):
    """A number beside a block, which must be whole beside integers."""
    if isinstance(number, int) and number.bit_length() > 128:
        c.fail(node, f"an integer of {number.bit_length()} bits with a block of {block.element}", "no element type holds it")
    if math.isinf(number) and block.element in ("f32", "bf16", "f16"):
        return INFINITIES[number > 0]
    if not math.isfinite(number):
        c.fail(node, f"{number} in an expression of blocks is not supported",
               f"{block.element} has no infinity: use its largest number" if math.isinf(number) else None)
    if block.element in types.FLOATS:
        return float_literal(number)
    return float_literal(integers.checked(c, node, block, number))


def float_literal(number):
    """MLIR's spelling: 1e-05 lacks a point there."""
    mantissa, e, exponent = repr(float(number)).partition("e")
    return mantissa + ("" if "." in mantissa else ".0") + e + exponent


def from_buffer(c, node, name, operand):
    """Operands that the operation reads from their circular buffer by itself: expressions get one of their own when
    they are stored."""
    computing(c, node, name)
    if not isinstance(operand, Tiles):
        c.fail(node, f"{name} needs blocks, not {describe(operand)}", hints.no_block(operand))
    if operand.rows:
        c.fail(node, f"{name} works on tiles, and {describe(operand)} lies in rows",
               "keep the tensor in tiles: ttnn.to_layout(tensor, ttnn.TILE_LAYOUT)")
    if not isinstance(operand, Block) and (c.kernel.compat or operand.shape is None):
        c.fail(node, f"{name} input must come directly from a circular buffer, not from an elementwise result",
               "store the result in a circular buffer of its own first")
    return operand


def fits(c, node, name, shape, output):
    """What an operation is told to write to can hold its result; store() says where that goes."""
    if output is not None and not isinstance(output, Block):
        c.fail(node, f"the output of {name} is a block, not {describe(output)}")
    if output is not None and output.shape != shape:
        c.fail(node, f"{name} gives a block of {shape} tiles, and its output has {output.shape}", f"store the result in one of {shape}")


@handler(functions.matmul)
def matmul(c, node, args, kwargs):
    a, b, output = take(c, node, "matmul", args, kwargs, {"a": ..., "b": ..., "output": None})
    a, b = (from_buffer(c, node, "matmul", x) for x in (a, b))
    if a.shape[1] != b.shape[0]:
        c.fail(node, f"matmul of {a.shape} and {b.shape} tiles: the first has {a.shape[1]} columns, the second "
                     f"{b.shape[0]} rows")
    if a.element != b.element:
        c.fail(node, f"matmul of {a.element} and {b.element}", ONE_TYPE)
    fits(c, node, "matmul", (a.shape[0], b.shape[1]), output)
    product = Expression("ttl.matmul", [a, b], (a.shape[0], b.shape[1]), a.element, c.source.place(node))
    c.kernel.flows.used(product.place, "matmul", product)
    return product


@handler(functions.transpose)
def transpose(c, node, args, kwargs):
    block, output = take(c, node, "transpose", args, kwargs, {"block": ..., "output": None})
    block = from_buffer(c, node, "transpose", block)
    fits(c, node, "transpose", block.shape[::-1], output)
    return Expression("ttl.transpose", [block], block.shape[::-1], block.element, c.source.place(node))


def invalid_dims(dims):
    if has_value(dims):
        return "dims must be known when the kernel is compiled: [0], [1], or [0, 1]"
    return f"Invalid dims: {dims}. Must be [0], [1], or [0, 1]"


def matrix_dims(c, node, block, dims):
    """Which of rows (0) and columns (1) dimensions name: those of matrices are the last two, and negative numbers
    count from the end."""
    given = list(dims) if isinstance(dims, (list, tuple)) else [dims]
    if not all(isinstance(d, int) and not isinstance(d, bool) for d in given):
        c.fail(node, invalid_dims(dims))
    found = {(d if d >= 0 else d + block.rank) - (block.rank - 2) for d in given}
    if not found or not found <= {0, 1} or block.rank == 1 and found != {1}:
        c.fail(node, invalid_dims(dims) if block.rank == 2 else
               f"Invalid dims: {dims} of a block of {block.rank} dimension{'s' if block.rank > 1 else ''}. Must be "
               + ("[0]" if block.rank == 1 else f"of its last two, {block.rank - 2} and {block.rank - 1}"))
    return sorted(found)


def _reduction(name):
    def handle(c, node, args, kwargs):
        block, scaler, output, dims, axis = take(c, node, name, args, kwargs, {"block": ..., "scaler": None, "output": None, "dims": None,
                                                                               "axis": None})
        block = from_buffer(c, node, name, block)
        dims = axis if dims is None else dims
        dims = [0, 1] if dims is None else matrix_dims(c, node, block, dims)
        scaler = c.ones(node, block.element) if scaler is None else from_buffer(c, node, name, scaler)
        if scaler.element != block.element:
            c.fail(node, f"{name} of {block.element} with a scaler of {scaler.element}", ONE_TYPE)
        if scaler.shape != (1, 1):
            c.fail(node, f"{name}() needs a scaler of one tile, not {scaler.shape}")
        shape = (1 if 0 in dims else block.shape[0], 1 if 1 in dims else block.shape[1])
        fits(c, node, name, shape, output)
        result = Expression(f"ttl.{name}", [block, scaler], shape, block.element, c.source.place(node), f" {dims}")
        c.kernel.flows.used(result.place, name, result, dims)
        return result

    return handle


_handlers[functions.reduce_sum], _handlers[functions.reduce_max] = _reduction("reduce_sum"), _reduction("reduce_max")


def bounds_of(c, node, block, low, high):
    """The bounds of a clamp, of which None is no bound."""
    return ", ".join(end if bound is None else number_literal(c, node, block, bound)
                     for bound, end in zip((low, high), INFINITIES))


@handler(functions.clamp)
def clamp(c, node, args, kwargs):
    block, low, high = take(c, node, "clamp", args, kwargs, {"block": ..., "min": ..., "max": ...})
    computing(c, node, "clamp")
    if not isinstance(block, Tiles):
        c.fail(node, f"clamp needs a block, not {describe(block)}")
    for bound in (low, high):
        if isinstance(bound, bool) or not isinstance(bound, (int, float)):
            c.fail(node, f"the bounds of clamp are numbers, not {describe(bound)}")
    if integers.is_whole(block) and not (integers.in_f32(low) and integers.in_f32(high)):
        return c.call(node, composites.whole_clamp, [block, low, high], {})
    return Expression("ttl.clamp", [block], block.shape, block.element, c.source.place(node),
                      f", {bounds_of(c, node, block, low, high)}")


@handler(functions.typecast)
def typecast(c, node, args, kwargs):
    block, dtype = take(c, node, "typecast", args, kwargs, {"block": ..., "dtype": ...})
    computing(c, node, "typecast")
    if not isinstance(block, Tiles):
        c.fail(node, f"typecast needs a block, not {describe(block)}")
    element = c.static(node, types.element, dtype)
    c.kernel.casts.add(element)
    if element == block.element:
        return block
    return Expression("ttl.typecast", [block], block.shape, element, c.source.place(node))


def _elementwise_handler(row):
    def handle(c, node, args, kwargs):
        if kwargs:
            c.fail(node, f"{row.name}() takes no argument '{next(iter(kwargs))}'")
        return elementwise(c, node, row, args)

    return handle


for _name, _function in functions.ELEMENTWISE.items():
    _handlers[_function] = _elementwise_handler(OPERATIONS[_name])

OPERATORS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow", ast.BitAnd: "bitwise_and",
             ast.BitOr: "bitwise_or", ast.BitXor: "bitwise_xor", ast.LShift: "bitwise_left_shift", ast.RShift: "bitwise_right_shift"}


NO_OPERATORS = {ast.FloorDiv: "use ttl.math.floor(a / b)", ast.Mod: "use a - ttl.math.floor(a / b) * b"}
NO_DIVISION = ("the device divides floating-point numbers only, and integers by powers of two: convert, "
               "ttl.math.typecast(block, ttnn.float32)")


def block_operator(c, node, op, a, b):
    if isinstance(op, ast.MatMult):
        return matmul(c, node, [a, b], {})
    if type(op) in NO_OPERATORS and integers.is_whole(a) and integers.division(op, b):
        op, b = integers.division(op, b)
    if type(op) not in OPERATORS:
        symbol = ast.unparse(ast.BinOp(ast.Name("a"), op, ast.Name("b")))[2:-2]
        whole = integers.is_whole(a) or integers.is_whole(b)
        c.fail(node, f"'{symbol}' of blocks{' of integers' * whole} is not supported",
               NO_DIVISION if whole else NO_OPERATORS.get(type(op), "of blocks there are + - * / ** @"))
    return elementwise(c, node, OPERATIONS[OPERATORS[type(op)]], [a, b])


def block_unary(c, node, op, value):
    if isinstance(op, ast.UAdd):
        return value
    if isinstance(op, ast.USub):
        return elementwise(c, node, OPERATIONS["neg"], [value])
    if isinstance(op, ast.Invert):
        return elementwise(c, node, OPERATIONS["bitwise_not"], [value])
    return c.fail(node, f"{describe(value)} has no truth value or bits")


BROADCASTS = {frozenset([0]): 2, frozenset([1]): 1, frozenset([0, 1]): 3}  # TTL's row, col, scalar


@handler(functions.broadcast)
def broadcast(c, node, args, kwargs):
    block, output, dims, axis = take(c, node, "broadcast", args, kwargs, {"block": ..., "output": None, "dims": None, "axis": None})
    dims = axis if dims is None else dims
    if dims is None:
        c.fail(node, "broadcast() lacks the argument 'dims'", "[0] repeats a row, [1] a column, [0, 1] one number")
    computing(c, node, "broadcast")
    if not isinstance(block, Tiles):
        from_buffer(c, node, "broadcast", block)
    kind = BROADCASTS[frozenset(matrix_dims(c, node, block, dims))]
    if c.kernel.compat:
        from_buffer(c, node, "broadcast", block)
    shape = output.shape if isinstance(output, Tiles) else None
    return spread(c, node, block, shape, kind)


def spread(c, node, value, shape, kind):
    """A block, broadcast. Broadcasts read from buffers; of an element-wise expression the operands are
    broadcast instead, which is the same."""
    if not isinstance(value, Expression) or value.op in spill.BUFFER_OPS:
        block = from_buffer(c, node, "broadcast", value)
        return Expression("ttl.bcast", [block], shape, block.element, c.source.place(node), kind)
    operands = [spread(c, node, o, shape, kind) for o in value.operands]
    return Expression(value.op, operands, shape, value.element, value.place, value.attribute)


__all__ = ["CircularBuffer", "Making", "attribute", "block_operator", "block_unary", "end", "find", "method", "store"]
