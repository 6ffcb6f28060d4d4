"""Operations on blocks inside threads, which build expressions (see intrinsics.py)."""

import ast
import math

from . import composites, functions, hints, integers, spill, types
from .intrinsics import end, handler, take
from .intrinsics_blocks import mismatch
from .intrinsics_move import whole
from .operations import OPERATIONS, WITH_NUMBER
from .values import Block, Expression, Tiles, describe, has_value

ONE_TYPE = "operands must have one element type: convert one, ttl.math.typecast(block, dtype)"


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
    return Expression("ttl.logical_right_shift" if unsigned else row.op, operands, shape, operands[0].element, c.source.location(node))


def computing(c, node, name):
    if c.kind != "compute":
        c.fail(node, f"{name} computes, and this is a data movement thread", "move it to the @ttl.compute() thread")


ROOTS = {0.5: "sqrt", -0.5: "rsqrt", -1: "recip"}  # powers with a function of their own


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
        return Expression(op, [operand], operand.shape, operand.element, c.source.location(node), attribute)

    literal = number_literal(c, node, block, number)
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
            return made("ttl.pow_scalar", block, str(number))
        c.fail(node, f"a block to the power of {number} is not supported", "powers are positive integers, 0.5, -0.5, -1, or blocks")
    if row.name in ("max", "min") and block.element in types.FLOATS:
        bounds = (number, None) if row.name == "max" else (None, number)
        return made("ttl.clamp", block, bounds_of(c, node, block, *bounds))
    return c.fail(node, f"{row.name} of a block and a number is not supported", "store the number in a block")


INFINITIES = "0xFF800000", "0x7F800000"  # the negative one first


def number_literal(c, node, block, number):
    """A number combined with a block; it must be an integer if the block's elements are."""
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
    """MLIR's spelling: 1e-05 lacks a decimal point there."""
    mantissa, e, exponent = repr(float(number)).partition("e")
    return mantissa + ("" if "." in mantissa else ".0") + e + exponent


def from_buffer(c, node, name, operand):
    """An operand that the operation reads from its circular buffer itself: expressions get a buffer when they are
    stored."""
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
    """Checks that the result fits an operation's `output`; store() checks that it is stored there."""
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
                     f"{b.shape[0]} rows", "these inner dimensions must be equal" +
               (f"; exchanged, the operands give {(b.shape[0], a.shape[1])}" if b.shape[1] == a.shape[0] else
                ", as of the second one's transpose: ttl.transpose" if a.shape[1] == b.shape[1] else ""))
    if a.element != b.element:
        c.fail(node, f"matmul of {a.element} and {b.element}", ONE_TYPE)
    fits(c, node, "matmul", (a.shape[0], b.shape[1]), output)
    product = Expression("ttl.matmul", [a, b], (a.shape[0], b.shape[1]), a.element, c.source.location(node))
    c.kernel.flows.used(product.location, "matmul", product)
    return product


@handler(functions.transpose)
def transpose(c, node, args, kwargs):
    block, output = take(c, node, "transpose", args, kwargs, {"block": ..., "output": None})
    block = from_buffer(c, node, "transpose", block)
    fits(c, node, "transpose", block.shape[::-1], output)
    return Expression("ttl.transpose", [block], block.shape[::-1], block.element, c.source.location(node))


def invalid_dims(dims):
    if has_value(dims):
        return "dims must be known when the kernel is compiled: [0], [1], or [0, 1]"
    return f"Invalid dims: {dims}. Must be [0], [1], or [0, 1]"


def matrix_dims(c, node, block, dims):
    """The subset of rows (0) and columns (1) that dimensions name: those of matrices are the last two, and negative
    numbers count from the end."""
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
        result = Expression(f"ttl.{name}", [block, scaler], shape, block.element, c.source.location(node), dims)
        c.kernel.flows.used(result.location, name, result, dims)
        return result

    return handle


handler(functions.reduce_sum)(_reduction("reduce_sum"))
handler(functions.reduce_max)(_reduction("reduce_max"))


def bounds_of(c, node, block, low, high):
    """The bounds of a clamp; None is no bound."""
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
    return Expression("ttl.clamp", [block], block.shape, block.element, c.source.location(node),
                      bounds_of(c, node, block, low, high))


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
    return Expression("ttl.typecast", [block], block.shape, element, c.source.location(node))


def _elementwise_handler(row):
    def handle(c, node, args, kwargs):
        if kwargs:
            c.fail(node, f"{row.name}() takes no argument '{next(iter(kwargs))}'")
        return elementwise(c, node, row, args)

    return handle


for _name, _function in functions.ELEMENTWISE.items():
    handler(_function)(_elementwise_handler(OPERATIONS[_name]))

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
    return c.fail(node, f"{describe(value)} has no boolean value or bits")


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
    return broadcast_to(c, node, block, shape, kind)


def broadcast_to(c, node, value, shape, kind):
    """A broadcast block. Broadcasts read from buffers; for an element-wise expression the operands are broadcast
    instead, which is equivalent."""
    if not isinstance(value, Expression) or value.op in spill.BUFFER_OPS:
        block = from_buffer(c, node, "broadcast", value)
        return Expression("ttl.bcast", [block], shape, block.element, c.source.location(node), kind)
    operands = [broadcast_to(c, node, o, shape, kind) for o in value.operands]
    return Expression(value.op, operands, shape, value.element, value.location, value.attribute)


__all__ = ["CircularBuffer", "Making", "attribute", "block_operator", "block_unary", "end", "find", "method", "store"]
