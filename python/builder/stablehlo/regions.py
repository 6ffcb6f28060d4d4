"""Regions of StableHLO operations: bodies from names of operations or from Python functions."""

import inspect

import torch
from builder.base.methods import BuilderError, dense
from ttmlir import ir
from ttmlir.dialects import stablehlo

_BODIES = {"add": stablehlo.AddOp, "max": stablehlo.MaxOp, "maximum": stablehlo.MaxOp, "min": stablehlo.MinOp, "minimum": stablehlo.MinOp,
           "mul": stablehlo.MulOp, "multiply": stablehlo.MulOp, "and": stablehlo.AndOp, "or": stablehlo.OrOp, "xor": stablehlo.XorOp,
           "sum": stablehlo.AddOp, "prod": stablehlo.MulOp}


def fill(builder, op, index, types, body):
    """Gives a region its block: `body` is "update", the name of an operation of two operands, or a function of
    (arguments..., builder)."""
    block = ir.Block.create_at_start(op.regions[index], types, [op.location] * len(types))
    before, builder._block = builder._block, block
    try:
        with ir.InsertionPoint(block):
            arguments = list(block.arguments)
            if body == "update":
                out = arguments[len(arguments) // 2:]
            elif isinstance(body, str):
                if body not in _BODIES:
                    raise BuilderError(f"{op.name} at {op.location}: no body '{body}'; there are {', '.join(sorted(_BODIES))}, update, and "
                                       f"any Python function of (arguments..., builder)")
                out = [_BODIES[body](*arguments, loc=op.location).result]
            else:
                out = builder._outputs(body, body(*arguments, *([builder] if _takes(body, len(arguments) + 1) else [])))
            stablehlo.ReturnOp(out, loc=op.location)
    finally:
        builder._block = before
    return out


def _takes(function, count):
    """True if a function can be called with that many arguments."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    return True


def _made(builder, made, common):
    return builder._finished(made, common)


def reduce(builder, many, starts, dimensions, body, common):
    """stablehlo.reduce."""
    many, starts = [builder._value(x) for x in many], [builder._value(x) for x in starts]
    shape = [n for d, n in enumerate(many[0].type.shape) if d not in dimensions]
    types = [ir.RankedTensorType.get(shape, s.type.element_type) for s in starts]
    made = stablehlo.ReduceOp(types, many, starts, dimensions, loc=builder._location(common.get("loc")))
    fill(builder, made.operation, 0, [s.type for s in starts] * 2, body)
    return _made(builder, made, common)


def pairs(padding, rank):
    """[[low, high], ...] for each dimension, of padding given as one number or one for each of the two spatial dimensions, as
    low and high of all dimensions in a row, or as such pairs."""
    padding = [padding] * 2 if isinstance(padding, int) else list(padding)
    if padding and isinstance(padding[0], int):
        padding = [[p, p] for p in padding] if len(padding) == 2 and rank == 4 else [padding[i:i + 2] for i in range(0, len(padding), 2)]
    padding = [list(p) for p in padding]
    return padding if len(padding) == rank else [[0, 0], *padding, [0, 0]]


def reduce_window(builder, many, starts, window, strides, base, dilation, padding, body, common):
    """stablehlo.reduce_window."""
    many, starts = [builder._value(x) for x in many], [builder._value(x) for x in starts]
    rank = many[0].type.rank
    ones, window = [1] * rank, list(window)
    padded = [[0, 0]] * rank if padding is None else pairs(padding, rank)
    shape = []
    for d, size in enumerate(many[0].type.shape):
        spaced = (size - 1) * (base or ones)[d] + 1 if size else 0
        reach = (window[d] - 1) * (dilation or ones)[d] + 1
        shape.append(max(0, (spaced + sum(padded[d]) - reach) // (strides or ones)[d] + 1))
    types = [ir.RankedTensorType.get(shape, s.type.element_type) for s in starts]
    made = stablehlo.ReduceWindowOp(types, many, starts, window, window_strides=strides and list(strides), base_dilations=base and list(base),
                                    window_dilations=dilation and list(dilation),
                                    padding=None if padding is None else dense(torch.tensor(padded, dtype=torch.int64)),
                                    loc=builder._location(common.get("loc")))
    fill(builder, made.operation, 0, [s.type for s in starts] * 2, body)
    return _made(builder, made, common)


def branch(builder, cls, selector, functions, common):
    """stablehlo.if and stablehlo.case; the first branch says the types."""
    selector, loc = builder._value(selector), builder._location(common.get("loc"))
    # The types are those of the first branch, which is built once in a probe that is then dropped.
    probe = cls([], selector, **({"num_branches": len(functions)} if cls is stablehlo.CaseOp else {}), loc=loc)
    types = [v.type for v in fill(builder, probe.operation, 0, [], functions[0])]
    probe.operation.erase()
    made = cls(types, selector, **({"num_branches": len(functions)} if cls is stablehlo.CaseOp else {}), loc=loc)
    for i, function in enumerate(functions):
        fill(builder, made.operation, i, [], function)
    return _made(builder, made, common)
