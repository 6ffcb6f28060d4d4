"""Programs of single operations, generated from TTIR's rows: each operation, element type and class of shapes that makes sense.

A cell is one function; the functions of a module are compiled together, run, and compared with their references."""

import torch
from builder.base.builder_apis import build_module, compile_ttir_module_to_flatbuffer, execute_fb
from golden import elementwise
from ttmlir._native import native

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "i32": torch.int32}
SHAPES = {"scalar": (1,), "tile": (32, 32), "row": (1, 70), "unaligned": (5, 37), "batched": (2, 3, 33, 40)}
# Values for which an operation is defined, or for which a small error stays small: (low, high).
RANGES = {"acos": (-1, 1), "asin": (-1, 1), "log": (0.1, 5), "log1p": (-0.9, 5), "sqrt": (0, 9), "rsqrt": (0.1, 9), "reciprocal": (0.2, 5),
          "tan": (-1.4, 1.4), "exp": (-3, 3), "exp2": (-3, 3), "expm1": (-3, 3), "pow": (0.2, 2.5), "div": (0.5, 4), "remainder": (0.5, 4),
          "atan2": (0.5, 4), "cbrt": (0.2, 5), "logical_left_shift": (0, 20), "logical_right_shift": (0, 20), "right_shift": (0, 20)}
ONLY_INTEGERS = {"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "logical_left_shift", "logical_right_shift", "right_shift"}
INTEGERS = ONLY_INTEGERS | {"abs", "neg", "sign", "add", "subtract", "multiply", "maximum", "minimum", "eq", "ne", "lt", "le", "gt", "ge",
                            "logical_and", "logical_or", "logical_xor", "logical_not", "where", "relu", "clamp_scalar"}


def elementwise_operations():
    """[(name, number of operands)] of TTIR's element-wise operations without required attributes."""
    out = []
    for row in native._ops("ttir"):
        name = row[0].split(".", 1)[1]
        if name in elementwise.SHARED and all(optional for _, _, optional, _ in row[2]) and name not in ("typecast", "selu"):
            out.append((name, len(row[1])))
    return out


def _last(shape):
    return len(shape) - 1


# Other operations: functions of (builder, shape) that give the shapes of arguments and the function of them.
OTHERS = {
    "sum": lambda s: ([s], lambda b, x: b.sum(x, dim_arg=[_last(s)])), "mean": lambda s: ([s], lambda b, x: b.mean(x, dim_arg=[0])),
    "max": lambda s: ([s], lambda b, x: b.max(x, dim_arg=[_last(s)])), "min": lambda s: ([s], lambda b, x: b.min(x)),
    "prod": lambda s: ([s], lambda b, x: b.prod(x, dim_arg=[_last(s)], keep_dim=True)),
    "argmax": lambda s: ([s], lambda b, x: b.argmax(x, dim_arg=[_last(s)])),
    "reduce_or": lambda s: ([s], lambda b, x: b.reduce_or(x, dim_arg=[_last(s)])),
    "softmax": lambda s: ([s], lambda b, x: b.softmax(x, dimension=_last(s))), "cumsum": lambda s: ([s], lambda b, x: b.cumsum(x, 0)),
    "transpose": lambda s: ([s], lambda b, x: b.transpose(x, 0, _last(s))) if len(s) > 1 else None,
    "permute": lambda s: ([s], lambda b, x: b.permute(x, list(range(len(s)))[::-1])),
    "reshape": lambda s: ([s], lambda b, x: b.reshape(x, (-1,))), "unsqueeze": lambda s: ([s], lambda b, x: b.unsqueeze(x, 0)),
    "concat": lambda s: ([s, s], lambda b, x, y: b.concat([x, y], dim=_last(s))),
    "repeat": lambda s: ([s], lambda b, x: b.repeat(x, [2] + [1] * _last(s))),
    "repeat_interleave": lambda s: ([s], lambda b, x: b.repeat_interleave(x, 2, _last(s))),
    "broadcast": lambda s: ([(1, *s)], lambda b, x: b.broadcast(x, [3] + [1] * len(s))),
    "slice": lambda s: ([(4, *s)], lambda b, x: b.slice(x, [1] + [0] * len(s), [4, *s], [2] + [1] * len(s))),
    "index": lambda s: ([(6, *s)], lambda b, x: b.index(x, 0, 1, 6, 2)), "reverse": lambda s: ([s], lambda b, x: b.reverse(x, [_last(s)])),
    "pad": lambda s: ([s], lambda b, x: b.pad(x, [1, 2] * len(s), 0.5)), "clamp_scalar": lambda s: ([s], lambda b, x: b.clamp_scalar(x, -1, 1)),
    "leaky_relu": lambda s: ([s], lambda b, x: b.leaky_relu(x, 0.1)), "typecast": lambda s: ([s], lambda b, x: b.typecast(x, torch.bfloat16)),
    "sort": lambda s: ([s], lambda b, x: b.sort(x, dim=_last(s))[0]), "topk": lambda s: ([s], lambda b, x: b.topk(x, 1)),
    "matmul": lambda s: ([s, (*s[:-2], s[-1], 24)], lambda b, x, y: b.matmul(x, y)) if len(s) > 1 else None,
    "linear": lambda s: ([s, (s[-1], 24), (24,)], lambda b, x, y, z: b.linear(x, y, bias=z)) if len(s) == 2 else None,
    "layer_norm": lambda s: ([s, s[-1:], s[-1:]], lambda b, x, w, y: b.layer_norm(x, [s[-1]], weight=w, bias=y)) if s[-1] > 1 else None,
    "rms_norm": lambda s: ([s, s[-1:]], lambda b, x, w: b.rms_norm(x, [s[-1]], weight=w)),
    "max_pool2d": lambda s: ([s], lambda b, x: b.max_pool2d(x, 2, 2, 1, 0, False)) if len(s) == 4 else None,
    "avg_pool2d": lambda s: ([s], lambda b, x: b.avg_pool2d(x, 3, 2, 1, [1, 1, 1, 1], True)) if len(s) == 4 else None,
    "global_avg_pool2d": lambda s: ([s], lambda b, x: b.global_avg_pool2d(x)) if len(s) == 4 else None,
    "conv2d": lambda s: ([(1, 9, 11, 8), (6, 8, 3, 3), (1, 1, 1, 6)], lambda b, x, w, y: b.conv2d(x, w, y, [1, 1], [1, 1, 1, 1], [1, 1], 1)) if len(s) == 4 else None,
    "upsample2d": lambda s: ([(1, 4, 5, 32)], lambda b, x: b.upsample2d(x, None, 2)) if len(s) == 4 else None,
    "concatenate_heads": lambda s: ([(1, 4, 32, 32)], lambda b, x: b.concatenate_heads(x)) if len(s) == 4 else None,
    "scaled_dot_product_attention": lambda s: ([(1, 4, 32, 32)] * 3, lambda b, q, k, v: b.scaled_dot_product_attention(q, k, v)) if len(s) == 4 else None,
}
# Operations of TTIR that no lowering to TTNN has, here and in tt-mlir.
REFUSED = {"exp2", "frac", "signbit", "softsign", "square", "trunc", "right_shift"}
# Sums and products of many bf16 values, rounded in between.
ROUNDED_OFTEN = {"prod": 8, "scaled_dot_product_attention": 4, "cumsum": 4}
# Operations that the device computes in bf16 whatever their operands are, as tt-mlir's workarounds say.
THROUGH_BF16 = {"gelu_bw", "tanh", "prod", "reverse", "sort", "topk", "max_pool2d", "avg_pool2d", "upsample2d"}
# reduce_or is lowered to a sum, as tt-mlir lowers it: it is compared where at most one element is set.
OTHER_INTEGERS = {"transpose", "permute", "reshape", "unsqueeze", "concat", "repeat", "broadcast", "slice", "index", "sum", "max", "min"}


def values(name, shape, dtype, position):
    """The contents of an argument."""
    draw = torch.Generator().manual_seed(sum(map(ord, name)) * 7 + position + len(shape))
    low, high = RANGES.get(name, (-3, 3))
    if name == "reduce_or":
        return torch.nn.functional.one_hot(torch.randint(0, shape[-1], shape[:-1], generator=draw), shape[-1]).to(dtype)
    if dtype is torch.int32:
        return torch.randint(int(low) if low > -1 or name in RANGES else -50, int(high) if name in RANGES else 50, shape, generator=draw, dtype=torch.int32)
    return (torch.rand(shape, generator=draw) * (high - low) + low).to(dtype)


def cells(dtype, shape):
    """{name: (argument shapes, function of a builder and the arguments)}"""
    out = {}
    for name, count in elementwise_operations():
        if name in REFUSED or name == "gelu_bw" and shape == "scalar" or dtype == "i32" and name not in INTEGERS or dtype != "i32" and name in ONLY_INTEGERS:
            continue
        out[name] = [SHAPES[shape]] * count, lambda b, *xs, name=name: getattr(b, name)(*xs)
    for name, make in OTHERS.items():
        made = make(SHAPES[shape])
        if made is not None and (dtype != "i32" or name in OTHER_INTEGERS | INTEGERS):
            out[name] = made
    return out


def module_of(chosen, dtype):
    """The function of a builder that makes a module of these cells."""
    def root(builder):
        for name, (shapes, body) in chosen.items():
            def function(*operands, name=name, body=body):
                *xs, b = operands
                b.set_goldens({x: values(name, tuple(x.type.shape), DTYPES[dtype], i) for i, x in enumerate(xs)})
                return body(b, *xs)

            function.__name__ = f"f_{name}"
            builder.func(shapes, [DTYPES[dtype]] * len(shapes))(function)

    return root


def run(dtype, shape, device, chosen=None):
    """{name: None, or what is wrong} of all cells."""
    chosen = cells(dtype, shape) if chosen is None else chosen
    module, builder = build_module(module_of(chosen, dtype), "ttir")
    compiled, ends, _ = compile_ttir_module_to_flatbuffer(module, builder)
    _, tensors = execute_fb(compiled, ends, None, device=device, check_pcc=False)
    out = {}
    for i, name in enumerate(chosen):
        got, want = (tensors[f"program_{i}"][f"{kind}_output_0"][0].to(torch.float64) for kind in ("device", "golden"))
        short = dtype == "bf16" or dtype == "f32" and name in THROUGH_BF16
        bound = 2**-7 if short else 2e-5 if dtype == "f32" else 0
        scale = max(1.0, want.abs().max().item()) * (ROUNDED_OFTEN.get(name, 1) if short else 1)
        off = (got - want).abs().max().item() if want.numel() else 0.0
        off = 0.0 if torch.equal(got.isnan(), want.isnan()) and not (got - want).nan_to_num().abs().max() > bound * scale else off
        out[name] = None if got.shape == want.shape and off <= bound * scale else f"{off} off, scale {scale}, shape {tuple(got.shape)}"
    return out


