"""Calls of ttnn's functions, generated from TTNN's rows: operation x data type x layout x class of shapes, each against torch in f64.

    python3 tests/python/ttnn_matrix.py docs/matrix.md

writes the page. A cell passes if the result has the reference's shape, an element-wise one its operands' layout, too, and is within its data type's bound of the reference,
which torch computes in f64 from the operands' stored values; it is refused if the call raises an error; otherwise it is off."""

import collections
import sys

import torch
import ttnn
from golden import elementwise
from ttmlir._native import native

F = torch.nn.functional
FLOATS = ("float32", "bfloat16", "bfloat8_b")
SIGNED, UNSIGNED = ("int32",), ("uint32", "uint16", "uint8")
INTEGERS = SIGNED + UNSIGNED
DTYPES = FLOATS + INTEGERS
LAYOUTS = {"tiles, DRAM": (ttnn.TILE_LAYOUT, ttnn.DRAM_MEMORY_CONFIG), "tiles, L1": (ttnn.TILE_LAYOUT, ttnn.L1_MEMORY_CONFIG),
           "rows, DRAM": (ttnn.ROW_MAJOR_LAYOUT, ttnn.DRAM_MEMORY_CONFIG), "rows, L1": (ttnn.ROW_MAJOR_LAYOUT, ttnn.L1_MEMORY_CONFIG)}
SHAPES = {"one element": (1,), "a tile": (32, 32), "a row": (1, 70), "not aligned": (5, 37), "a batch": (2, 3, 33, 40)}
# The largest difference from the reference, as a share of the reference's largest element (or of 1): the format's rounding, and for floats of 16
# and 8 bits that of a step in between.
BOUNDS = {"float32": 2e-5, "bfloat16": 2**-7, "bfloat8_b": 2**-5}

# name: (reference, data types, range of the operands or None)
Operation = collections.namedtuple("Operation", "reference dtypes range count", defaults=(None, 1))


def _shift_left(x, n):
    return torch.bitwise_left_shift(x, n)


def _shift_right(x, n):
    """Of the 32 bits that the value has."""
    return torch.bitwise_right_shift(x & 0xFFFFFFFF, n)


UNARY = {
    "abs": Operation(torch.abs, FLOATS + SIGNED), "acos": Operation(torch.acos, FLOATS, (-0.9, 0.9)), "asin": Operation(torch.asin, FLOATS, (-0.9, 0.9)),
    "asinh": Operation(torch.asinh, FLOATS), "atan": Operation(torch.atan, FLOATS), "cbrt": Operation(lambda x: x.sign() * x.abs() ** (1 / 3), FLOATS, (0.2, 5)),
    "ceil": Operation(torch.ceil, FLOATS), "cos": Operation(torch.cos, FLOATS), "erf": Operation(torch.erf, FLOATS), "erfc": Operation(torch.erfc, FLOATS),
    "exp": Operation(torch.exp, FLOATS), "expm1": Operation(torch.expm1, FLOATS), "floor": Operation(torch.floor, FLOATS), "gelu": Operation(F.gelu, FLOATS),
    "hardsigmoid": Operation(F.hardsigmoid, FLOATS), "isfinite": Operation(torch.isfinite, FLOATS),
    "log": Operation(torch.log, FLOATS, (0.2, 5)), "log1p": Operation(torch.log1p, FLOATS, (-0.5, 5)),
    "mish": Operation(F.mish, FLOATS), "neg": Operation(torch.neg, FLOATS + SIGNED), "reciprocal": Operation(torch.reciprocal, FLOATS, (0.5, 4)),
    "relu": Operation(F.relu, FLOATS + SIGNED), "relu6": Operation(F.relu6, FLOATS), "rsqrt": Operation(torch.rsqrt, FLOATS, (0.5, 4)), "sigmoid": Operation(torch.sigmoid, FLOATS),
    "sign": Operation(torch.sign, FLOATS + SIGNED), "silu": Operation(F.silu, FLOATS), "sin": Operation(torch.sin, FLOATS), "sqrt": Operation(torch.sqrt, FLOATS, (0, 9)),
    "tan": Operation(torch.tan, FLOATS, (-1, 1)), "tanh": Operation(torch.tanh, FLOATS), "logical_not": Operation(torch.logical_not, FLOATS + INTEGERS),
    "bitwise_not": Operation(torch.bitwise_not, SIGNED), "assign": Operation(lambda x: x, DTYPES),
}
BINARY = {
    "add": (torch.add, DTYPES), "subtract": (torch.subtract, FLOATS + SIGNED), "multiply": (torch.multiply, DTYPES), "divide": (torch.divide, FLOATS, (0.5, 4)),
    "maximum": (torch.maximum, DTYPES), "minimum": (torch.minimum, DTYPES), "atan2": (torch.atan2, FLOATS, (0.5, 4)), "remainder": (torch.remainder, FLOATS, (0.5, 4)),
    "eq": (torch.eq, DTYPES), "ne": (torch.ne, DTYPES), "lt": (torch.lt, DTYPES), "le": (torch.le, DTYPES), "gt": (torch.gt, DTYPES), "ge": (torch.ge, DTYPES),
    "logical_and": (torch.logical_and, DTYPES), "logical_or": (torch.logical_or, DTYPES), "logical_xor": (torch.logical_xor, DTYPES),
    "bitwise_and": (torch.bitwise_and, INTEGERS), "bitwise_or": (torch.bitwise_or, INTEGERS), "bitwise_xor": (torch.bitwise_xor, INTEGERS),
    "logical_left_shift": (_shift_left, ("int32", "uint32"), (0, 12)), "logical_right_shift": (_shift_right, ("int32", "uint32"), (0, 12)),
}
OPERATIONS = UNARY | {name: Operation(*given[:2], given[2] if len(given) > 2 else None, 2) for name, given in BINARY.items()}
OPERATIONS["where"] = Operation(lambda c, x, y: torch.where(c != 0, x, y), FLOATS + SIGNED, None, 3)
# Rows that have no function of their own in ttnn, or one with other arguments (their tests: test_ttnn_eager.py).
ELSEWHERE = {"typecast": "converts between data types", "pow": "pow_tensor and pow_scalar", "clamp_tensor": "clamp", "clamp_scalar": "clamp", "gelu_bw": "takes two tensors, of bf16"}


def last(call, reference, dtypes=FLOATS):
    """An operation along the last dimension: functions of ttnn's tensor and of torch's, both with that dimension."""
    return lambda x: call(x, len(x.shape) - 1), lambda x: reference(x, x.dim() - 1), dtypes


# Other functions of one tensor.
OTHERS = {
    "sum": last(lambda x, d: ttnn.sum(x, dim=d), lambda x, d: x.sum(d)), "mean": last(lambda x, d: ttnn.mean(x, dim=d), lambda x, d: x.mean(d)),
    "max": last(lambda x, d: ttnn.max(x, dim=d), lambda x, d: x.amax(d)), "min": last(lambda x, d: ttnn.min(x, dim=d), lambda x, d: x.amin(d)),
    "softmax": last(lambda x, d: ttnn.softmax(x, dim=d), lambda x, d: x.softmax(d)), "cumsum": last(lambda x, d: ttnn.cumsum(x, dim=d), lambda x, d: x.cumsum(d)),
    "reshape": (lambda x: ttnn.reshape(x, (-1,)), lambda x: x.reshape(-1), DTYPES), "concat": last(lambda x, d: ttnn.concat([x, x], dim=d), lambda x, d: torch.cat([x, x], d), DTYPES),
    "permute": (lambda x: ttnn.permute(x, list(range(len(x.shape)))[::-1]), lambda x: x.permute(*range(x.dim())[::-1]), DTYPES),
    "repeat": (lambda x: ttnn.repeat(x, [2] * len(x.shape)), lambda x: x.repeat(*[2] * x.dim()), DTYPES),
    "repeat_interleave": last(lambda x, d: ttnn.repeat_interleave(x, 2, dim=d), lambda x, d: x.repeat_interleave(2, d), ("float32", "bfloat16")),
    "slice": last(lambda x, d: ttnn.slice(x, [0] * (d + 1), [*x.shape[:d], (x.shape[d] + 1) // 2], [1] * (d + 1)), lambda x, d: x.narrow(d, 0, (x.shape[d] + 1) // 2), DTYPES),
    "leaky_relu": (lambda x: ttnn.leaky_relu(x, negative_slope=0.1), lambda x: F.leaky_relu(x, 0.1), FLOATS),
    "rms_norm": (lambda x: ttnn.rms_norm(x), lambda x: x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-12), FLOATS),
    "matmul": (lambda x: ttnn.matmul(x, ttnn.permute(x, [*range(len(x.shape) - 2), len(x.shape) - 1, len(x.shape) - 2])), lambda x: x @ x.transpose(-1, -2), FLOATS),
}
TOGETHER = [*OPERATIONS, *OTHERS]


def missing():
    """Element-wise rows with a function in ttnn that the tables above lack."""
    rows = [row[0].split(".", 1)[1] for row in native._ops("ttnn")]
    return [name for name in rows if name in elementwise.SHARED and hasattr(ttnn, name) and name not in TOGETHER and name not in ELSEWHERE]


def operand(name, dtype, shape, position, limits):
    draw = torch.Generator().manual_seed(sum(map(ord, name + dtype)) + 31 * position + len(shape))
    if dtype in FLOATS:
        low, high = limits or (-3, 3)
        return torch.rand(shape, generator=draw) * (high - low) + low
    low, high = limits or ((-50, 50) if dtype in SIGNED else (0, 15))
    return torch.randint(low, high, shape, generator=draw, dtype=torch.int32)


def stored(tensor):
    """The elements that a tensor holds, as f64 or i64."""
    values = ttnn.to_torch(tensor)
    return values.to(torch.float64 if values.dtype.is_floating_point else torch.int64)


def cell(name, dtype, layout, shape, device):
    """"" if it passes, "refused: ..." or "off: ..."."""
    op = OPERATIONS.get(name)
    order, memory = LAYOUTS[layout]
    given = [operand(name, dtype, SHAPES[shape], i, op.range if op else None) for i in range(op.count if op else 1)]
    try:
        tensors = [ttnn.from_torch(x, dtype=getattr(ttnn, dtype), layout=order, device=device, memory_config=memory) for x in given]
        if op:
            got, reference = getattr(ttnn, name)(*tensors), op.reference
        else:
            got, reference = OTHERS[name][0](tensors[0]), OTHERS[name][1]
    except Exception as error:  # noqa: BLE001
        return f"refused: {str(error).splitlines()[0]}"
    if op and (got.layout != order or got.memory_config() != memory):
        return f"off: in {got.layout}, {got.memory_config().buffer_type}"
    want, got = reference(*map(stored, tensors)).to(torch.float64), stored(got).to(torch.float64)
    if got.shape != want.shape:
        return f"off: shape {tuple(got.shape)} in place of {tuple(want.shape)}"
    bound = BOUNDS.get(dtype, 0) * max(1.0, want.abs().max().item())
    difference = (got - want).abs().max().item()
    return "" if difference <= bound else f"off: by {difference:.3g}, bound {bound:.3g}"


def dtypes_of(name):
    return OPERATIONS[name].dtypes if name in OPERATIONS else OTHERS[name][2]


def cells(names=TOGETHER, layouts=LAYOUTS, shapes=SHAPES):
    """Block floats are in tiles; products are of matrices."""
    for name in names:
        for dtype in dtypes_of(name):
            for layout in layouts:
                for shape in shapes:
                    if not (dtype == "bfloat8_b" and layout.startswith("rows") or name == "matmul" and len(SHAPES[shape]) < 2):
                        yield name, dtype, layout, shape


def run(device, chosen):
    return {key: cell(*key, device) for key in chosen}


def page(results):
    """The page of the documents."""
    count = collections.Counter(text.split(":")[0] for text in results.values())
    reasons = collections.Counter(text for text in results.values() if text)
    lines = ["# Matrix of operations", "",
             "Each function of ttnn that is made from a row of its operations, in each data type that has a meaning for it, in four layouts (tiles or rows, in",
             f"DRAM or L1; element-wise results keep them) and five classes of shapes ({', '.join('x'.join(map(str, s)) for s in SHAPES.values())}), called and compared with torch in f64:",
             f"of {len(results):,} cells {count['']:,} pass, {count['off']:,} are off, {count['refused']:,} are refused. Block floats (bfloat8_b) exist in tiles only. Bounds, as a share of the",
             f"largest element: {', '.join(f'{k} {v:.2g}' for k, v in BOUNDS.items())}; integers are exact. The page is written by `python3 tests/python/ttnn_matrix.py docs/matrix.md`,",
             "and `tests/python/test_ttnn_matrix.py` runs its cells.", "", "| function | " + " | ".join(DTYPES) + " |", "|---|" + "---|" * len(DTYPES)]
    for name in TOGETHER:
        row = []
        for dtype in DTYPES:
            of = [text for key, text in results.items() if key[:2] == (name, dtype)]
            row.append(f"{of.count('')} of {len(of)}" if of else "")
        lines.append(f"| `ttnn.{name}` | " + " | ".join(row) + " |")
    if reasons:
        lines += ["", "| cells | reason |", "|---|---|", *(f"| {n} | {text} |" for text, n in reasons.most_common())]
    lines += ["", "Not in the table: " + "; ".join(f"`{name}` ({why})" for name, why in ELSEWHERE.items()) + "."]
    return "\n".join(lines) + "\n"


def main(path):
    with ttnn.manage_device(device_id=0) as device:
        results = run(device, list(cells()))
    with open(path, "w") as out:
        out.write(page(results))
    bad = [(key, text) for key, text in results.items() if text]
    for key, text in bad[:60]:
        print(*key, text, sep=" | ")
    print(len(results), "cells,", len(bad), "do not pass")


if __name__ == "__main__":
    main(sys.argv[1])
