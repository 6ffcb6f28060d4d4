"""Blocks inside threads: their methods, and the expressions stored in them (see intrinsics.py)."""

import difflib

from . import hints, spill, types
from .intrinsics import begin, finish, take
from .intrinsics_move import wait_for
from .values import Block, Expression, Handle, Method, Slice, Tiles, Value, describe


def attribute(c, node, value, name):
    """value.name for values known only at run time."""
    if isinstance(value, Tiles) and name in ("shape", "dtype"):
        return value.element if name == "dtype" else value.buffer.shape if isinstance(value, Block) else value.shape
    known = {Block: ("store", "push", "pop"), Handle: ("wait",)}
    for kind, names in known.items():
        if isinstance(value, kind) and name in names:
            return Method(value, name)
    if isinstance(value, Tiles) and name in ("wait", "reserve"):
        c.fail(node, f"Expected CircularBufferType, got {describe(value)}", f"{name}() is for circular buffers" +
               ("; a copy is waited for by its handle: ttl.copy(...).wait()" if name == "wait" and c.kind != "compute" else ""))
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
        return wait_for(c, node, value)
    if name == "store":
        expression, acc = take(c, node, "store", args, kwargs, {"expression": ..., "acc": False})
        if isinstance(acc, Value):
            c.fail(node, "acc must be True or False, known when the kernel is compiled")
        return store(c, node, value, expression, bool(acc))
    take(c, node, name, args, kwargs, {})
    if name != value.release:
        c.fail(node, f"a block that {value.taken}() gave has no {name}()", f"use {value.release}()")
    return finish(c, node, value.buffer, name)


def store(c, node, block, expression, acc=False):
    """block.store(expression): emits the operations of the expression."""
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
    block.filled, block.stored = True, c.source.location(node) if not acc else block.stored
    if expression.shape not in (None, block.shape) or expression.rows != block.rows and expression.shape is not None:
        c.fail(node, mismatch(block, expression))
    if expression.element != block.element:
        c.fail(node, f"store() of {expression.element} into a block of {block.element}",
               "convert it: ttl.math.typecast(expression, block.dtype)")
    if acc and block.element in types.NUMBERS:
        c.fail(node, f"a store that adds to a block of {block.element}: the packer adds floating-point numbers only",
               "add with + in one store, or make the buffer one of float32")
    if isinstance(expression, Block):  # packed values have been through DST
        expression = Expression("ttl.typecast", [expression], expression.shape, expression.element, c.source.location(node))
    keep_earlier(c, expression)
    parts = _store_parts(c, node, expression, block)
    value = materialize(c, node, spill.replaced(expression, parts), block, {})
    buffer = block.buffer
    c.kernel.flows.stored(buffer, expression)
    block_type = types.block(block.shape, block.element)
    adds = adding(c, node, block) if acc else None
    c.writer.op("ttl.attach_cb", (value, c.buffer(buffer, node)), block_type, c.source.location(node), adds)
    block.stores.append(tuple(c.regions))
    for part in parts.values():
        finish(c, node, part.buffer, "pop")


ALWAYS = {"acc": b"always"}


def adding(c, node, block):
    """The mode of an accumulating store: it always adds, if another store came before; otherwise it adds except in
    the first iterations of the loops since the reserve, if these are sure to run; otherwise it always adds, to zeros
    that are stored first."""
    around = [r for r in c.regions if not any(r is outer for outer in block.region)]
    if any(all(r.sure or any(r is own for own in c.regions) for r in regions) for regions in block.stores):
        return ALWAYS
    if not block.stores and not any(r.branch for r in around) and all(r.sure for r in around[1:]):
        return {"acc": None}
    c.writer.behind(block.name, "ttl.cb_fill", (c.buffer(block.buffer, node),), block.location, {"value": "0.0 : f32", "reserved": None})
    block.stores.append(block.region)
    return ALWAYS


def _store_parts(c, node, expression, block):
    """Stores the parts of an expression that is too large for DST, and those that are read from buffers; returns the
    blocks that hold them."""
    if not c.kernel.spills and not spill.reads_parts(expression):
        return {}
    parts, cuts = {}, spill.cuts(expression, c.kernel.registers)
    everything = set(cuts)
    for i, part in enumerate(cuts):
        parts[part] = _stored(c, node, part, part.shape or block.shape, parts, parts.values())
        wanted = set().union(*(spill.stored_parts(p, everything) for p in [*cuts[i + 1:], expression]))
        for done in [p for p in parts if p not in wanted]:
            finish(c, node, parts.pop(done).buffer, "pop")
    return parts


def _stored(c, node, part, shape, parts, taken):
    """A block of a private buffer of the thread that holds an expression; `taken` hold others."""
    buffer = c.spill_buffer(shape, part.element, [b.buffer for b in [*taken, *c.keeping()]])
    target = begin(c, node, buffer, "reserve")
    target.filled = True
    c.kernel.flows.stored(buffer, part)
    value = materialize(c, node, spill.inside(part, parts), target, {})
    kind = types.block(target.shape, target.element)
    c.writer.op("ttl.attach_cb", (value, c.buffer(buffer, node)), kind, c.source.location(node))
    finish(c, node, buffer, "push")
    made = begin(c, node, buffer, "wait")
    made.rows = part.rows
    return made


def keep_earlier(c, value):
    """Restarts the thread where a part of a value is needed after its blocks were released."""
    late = spill.late(value)
    if late and late.number not in c.kept:
        raise spill.Keep(late.number)


def keep(c, node, expression):
    """Computes an expression eagerly: a block that is released at the end of the loop's or branch's body."""
    if expression.shape is None:
        c.fail(node, "this expression is stored after its blocks were given back, and its shape is that of the store",
               "store before pop()")
    for operand in expression.operands:
        keep_earlier(c, operand)
    parts = _store_parts(c, node, expression, expression)
    block = _stored(c, node, expression, expression.shape, parts, parts.values())
    for part in parts.values():
        finish(c, node, part.buffer, "pop")
    c.regions[-1].append(block)
    return block


def end_kept(c, node):
    """Releases the blocks that were computed eagerly in the region that ends here."""
    for block in c.regions[-1]:
        finish(c, node, block.buffer, "pop")


def product_in(value, shape):
    """The matrix product that gives an expression its shape, or None."""
    if not isinstance(value, Expression) or value.shape != shape:
        return None
    if value.op == "ttl.matmul":
        return value
    return next(filter(None, (product_in(o, shape) for o in value.operands)), None)


def of_product(value, wanted):
    """A note about a shape that results from a matrix product."""
    a, b = value.operands
    text = f"the product of {a.shape} and {b.shape} tiles has {value.shape}"
    if b.shape[1] == a.shape[0] and (b.shape[0], a.shape[1]) == tuple(wanted):
        return f"{text}; its operands exchanged give {wanted}"
    return f"{text}: rows of the first, columns of the second"


def mismatch(a, b):
    shapes = [f"{t.rows or t.shape} {t.element} tensor{' in rows' if t.rows else ''}" for t in (a, b)]
    if a.rows or b.rows:
        return (f"shape mismatch between {shapes[0]} and {shapes[1]}; note: tensors of one kernel lie in tiles or in rows: "
                "ttnn.to_layout(tensor, ttnn.TILE_LAYOUT)")
    for one, other in ((a, b), (b, a)):
        product = product_in(one, one.shape)
        if product:
            return f"shape mismatch between {shapes[0]} and {shapes[1]}; note: {of_product(product, other.shape)}"
    return (f"shape mismatch between {shapes[0]} and {shapes[1]}; note: you can use ttl.math.broadcast() to expand the "
            "smaller tensor")


def fills(value):
    """True if an expression is a block's zeros, or the number, of fill()."""
    return value.op in ("ttl.signbit", "ttl.fill_int") or value.op == "ttl.sub" and value.operands[0] is value.operands[1]


def materialize(c, node, value, output, done):
    """Emits the operations of an expression, each once; returns its value in IR."""
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
    if fills(value) and isinstance(value.operands[0], Block) and value.operands[0].taken == "reserve":
        c.fail(node, f"fill() like a block of {value.operands[0].buffer.called} that reserve() gave: it has no values yet", hints.FILL)
    operands = [materialize(c, node, o, output, done) for o in value.operands]
    result = types.block(value.shape or output.shape, value.element)
    if value.op == "ttl.bcast":
        operands.append(output.name)
    done[value] = c.writer.op(value.op, tuple(operands), result, value.location, attributes_of(value))
    return done[value]


def attributes_of(expression):
    """The attributes of an expression's operation: of its kind, dimensions, number or bounds."""
    of, op = expression.attribute, expression.op
    if of is None:
        return None
    if op == "ttl.bcast":
        return {"bcast_type": f"{of} : i32"}
    if isinstance(of, list):
        return {"dims": of}
    if op == "ttl.clamp":
        low, high = of.split(", ")
        return {"min": f"{low} : f32", "max": f"{high} : f32"}
    return {"value": f"{of} : {'i32' if op in ('ttl.fill_int', 'ttl.pow_scalar') else 'f32'}"}
