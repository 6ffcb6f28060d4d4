"""Functions of one TTIR operation each, for tests of emitted Python and C++: name, arguments, result types, text."""

import re

F, H, I, U = "f32", "bf16", "si32", "ui32"


def tensor(shape, element=F):
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def op(name, operands, results, attrs="", base=None):
    """(name, function's text): operands and results are (shape, element) or a shape of f32."""
    both = [[t if isinstance(t, str) else tensor(*t) if isinstance(t[0], (list, tuple)) else tensor(t) for t in ts] for ts in (operands, results)]
    names = [f"%a{i}" for i in range(len(both[0]))]
    given = f" <{{{attrs}}}>" if attrs else ""
    n = len(results)
    made = [f"%r#{i}" if n > 1 else "%r" for i in range(n)]
    return name, (f"func.func @{name}({', '.join(f'{n}: {t}' for n, t in zip(names, both[0]))}) -> ({', '.join(both[1])}) {{\n"
                  f"  %r{f':{n}' if n > 1 else ''} = \"ttir.{base or name}\"({', '.join(names)}){given} : ({', '.join(both[0])}) -> ({', '.join(both[1])})\n"
                  f"  return {', '.join(made)} : {', '.join(both[1])}\n}}\n")


def in_place(name, operands, attrs):
    """An operation that modifies its first operand, which is returned."""
    types = [tensor(*t) for t in operands]
    names = [f"%a{i}" for i in range(len(types))]
    return name, (f"func.func @{name}({', '.join(f'{n}: {t}' for n, t in zip(names, types))}) -> {types[0]} {{\n"
                  f"  \"ttir.{name}\"({', '.join(names)}) <{{{attrs}}}> : ({', '.join(types)}) -> ()\n  return %a0 : {types[0]}\n}}\n")


def elementwise():
    """From the rows of TTIR's element-wise operations."""
    from pathlib import Path

    rows = (Path(__file__).resolve().parents[2] / "src/ttnn/elementwise.def").read_text()
    for name, form in re.findall(r"(?m)^TT_ELEMENTWISE\((\w+), \w+, (UNARY|BINARY),", rows):
        whole = name.startswith("bitwise") or "shift" in name
        for element in (I,) if whole else (F, H):
            t = ([33, 40], element)
            yield op(f"{name}_{element}", [t] * (1 if form == "UNARY" else 2), [t], base=name)


X = [2, 32, 48]
IMAGE = [1, 8, 8, 16]
WINDOW = "kernel = array<i32: 3, 3>, stride = array<i32: 2, 2>, dilation = array<i32: 1, 1>, padding = array<i32: 1, 1, 1, 1>, ceil_mode = false"
CONV = "stride = array<i32: 1, 1>, padding = array<i32: 1, 1, 1, 1>, dilation = array<i32: 1, 1>, groups = 1 : i32"


def others():
    t = ([32, 64], I)
    yield op("add_broadcast", [[4, 1, 32], [4, 8, 32]], [[4, 8, 32]], base="add")
    yield op("where", [([32, 64], F)] * 3, [([32, 64], F)])
    yield op("clamp_scalar", [X], [X], "min = -0.5 : f32, max = 0.5 : f32")
    yield op("clamp_tensor", [X] * 3, [X])
    yield op("leaky_relu", [X], [X], "parameter = 0.1 : f32")
    yield op("gelu_bw", [[64, 32]] * 2, [[64, 32]], 'approximate = "tanh"')
    yield op("maximum_ints", [t] * 2, [t], base="maximum")
    yield op("typecast", [X], [(X, H)])
    yield op("typecast_ints", [X], [(X, I)], base="typecast")
    yield op("matmul", [[4, 32, 64], [4, 64, 16]], [[4, 32, 16]])
    yield op("matmul_transposed", [[64, 32], [16, 64]], [[32, 16]], "transpose_a = true, transpose_b = true", base="matmul")
    yield op("linear", [[32, 64], [64, 16], [16]], [[32, 16]])
    for name in ("sum", "mean", "max", "min"):
        yield op(name, [X], [[2, 48]], "dim_arg = [1 : i32], keep_dim = false")
        yield op(f"{name}_all", [X], [[1, 1, 1]], "keep_dim = true", base=name)
    yield op("prod", [X], [[2, 32, 1]], "dim_arg = [2 : i32], keep_dim = true")
    yield op("argmax", [X], [([2, 32], I)], "dim_arg = [2 : i32], keep_dim = false")
    yield op("reduce_or", [X], [[2, 48]], "dim_arg = [1 : i32], keep_dim = false")
    yield op("softmax", [X], [X], "dimension = -1 : si32")
    yield op("cumsum", [X], [X], "dim = 1 : i64")
    yield op("cumprod", [X], [X], "dim = 1 : i64")
    yield op("reshape", [X], [[64, 48]], "shape = [64 : i32, 48 : i32]")
    yield op("permute", [X], [[48, 2, 32]], "permutation = array<i64: 2, 0, 1>")
    yield op("transpose", [X], [[2, 48, 32]], "dim0 = 1 : si32, dim1 = 2 : si32")
    yield op("concat", [X, [2, 16, 48]], [[2, 48, 48]], "dim = 1 : si32")
    yield op("slice_static", [X], [[1, 16, 24]], "begins = [0 : i32, 8 : i32, 0 : i32], ends = [1 : i32, 24 : i32, 48 : i32], "
             "step = [1 : i32, 1 : i32, 2 : i32]")
    yield op("pad", [X], [[2, 35, 50]], "padding = array<i32: 0, 0, 1, 2, 2, 0>, value = 1.5 : f32")
    yield op("repeat", [X], [[4, 32, 96]], "repeat_dimensions = array<i64: 2, 1, 2>")
    yield op("repeat_interleave", [X], [[2, 96, 48]], "repeats = 3 : ui32, dim = 1 : si32")
    yield op("broadcast", [[1, 32, 1]], [X], "broadcast_dimensions = array<i64: 2, 1, 48>")
    yield op("squeeze", [[2, 1, 48]], [[2, 48]], "dim = 1 : si32")
    yield op("unsqueeze", [[2, 48]], [[2, 1, 48]], "dim = 1 : si32")
    yield op("reverse", [X], [X], "dimensions = array<i64: 1>")
    yield op("gather", [X, ([2, 8, 48], U)], [[2, 8, 48]], "dim = 1 : i32")
    yield op("embedding", [([2, 16], U), [64, 32]], [[2, 16, 32]])
    yield op("embedding_backward", [([2, 32], U), [64, 32], [2, 32, 32]], [[64, 32]])
    yield op("sort", [X], [X, (X, I)], "dim = -1 : si32, descending = true, stable = true")
    yield op("topk", [X], [[2, 32, 8], ([2, 32, 8], I)], "k = 8 : i32, dim = -1 : i32, largest = true, sorted = true")
    yield op("max_pool2d", [IMAGE], [[1, 4, 4, 16]], WINDOW)
    yield op("avg_pool2d", [IMAGE], [[1, 4, 4, 16]], WINDOW + ", count_include_pad = true")
    yield op("max_pool2d_with_indices", [IMAGE], [[1, 4, 4, 16], ([1, 4, 4, 16], I)], WINDOW)
    yield op("global_avg_pool2d", [IMAGE], [[1, 1, 1, 16]])
    yield op("upsample2d", [IMAGE], [[1, 16, 16, 16]], 'scale_factor = 2 : si32, mode = "nearest"')
    yield op("conv2d", [IMAGE, [32, 16, 3, 3], [1, 1, 1, 32]], [[1, 8, 8, 32]], CONV)
    yield op("conv_transpose2d", [IMAGE, [16, 32, 3, 3]], [[1, 17, 17, 32]],
             "stride = array<i32: 2, 2>, padding = array<i32: 0, 0, 0, 0>, output_padding = array<i32: 0, 0>, dilation = array<i32: 1, 1>, groups = 1 : i32")
    yield op("conv3d", [[1, 4, 8, 8, 16], [32, 16, 3, 3, 3]], [[1, 2, 6, 6, 32]],
             "stride = array<i32: 1, 1, 1>, padding = array<i32: 0, 0, 0>, groups = 1 : i32")
    yield op("layer_norm", [[2, 32, 64], [64], [64]], [[2, 32, 64]], "normalized_shape = array<i64: 64>, operandSegmentSizes = array<i32: 1, 1, 1>")
    yield op("rms_norm", [[2, 32, 64], [64]], [[2, 32, 64]], "normalized_shape = array<i64: 64>, operandSegmentSizes = array<i32: 1, 1, 0>")
    yield op("group_norm", [[1, 64, 1, 32], [32], [32]], [[1, 64, 1, 32]], "num_groups = 4 : i64, channel_dim = 3 : i64, operandSegmentSizes = array<i32: 1, 0, 1, 1>")
    c = [16]
    yield op("batch_norm_inference", [[2, 16, 8, 8], c, c, c, c], [[2, 16, 8, 8]], "dimension = 1 : i32, epsilon = 1.0e-5 : f32")
    q = [1, 4, 32, 64]
    yield op("scaled_dot_product_attention", [(q, H)] * 3, [(q, H)], "is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>")
    yield op("concatenate_heads", [(q, H)], [([1, 32, 256], H)])
    yield op("split_query_key_value_and_split_heads", [([2, 32, 192], H)], [([2, 2, 32, 32], H)] * 3, "num_heads = 2 : ui32, transpose_key = false")
    yield in_place("fill_cache", [(q, H), ([1, 4, 16, 64], H)], "batch_offset = 0 : i32")
    yield in_place("update_cache", [([1, 4, 32, 64], H), ([1, 4, 1, 64], H), ([1], U)], "batch_offset = 0 : i32")
    yield op("scatter", [X, ([2, 8, 48], I), [2, 8, 48]], [X], "dim = 1 : i32, scatter_reduce_type = #ttcore.reduce_type<sum>")
    rows = ([32], H)
    yield op("sampling", [([32, 64], H), ([32, 64], I), ([32], U), rows, rows], [([32], I)], "seed = 7 : ui32")
    yield op("topk_router_gpt", [([32, 64], H), ([64, 128], H), ([32, 128], H)], [([32, 4], "ui16"), ([32, 4], H)], "k = 4 : i32, num_experts = 128 : i32")
    yield op("sparse_matmul", [([2, 4, 32, 64], H), ([1, 4, 64, 96], H), ([2, 4, 1, 4], H)], [([2, 4, 1, 4, 32, 96], H)])
    codes = "tensor<32x64x!quant.uniform<i32:f32, 1.0e-1>>"
    yield ("quantized", "func.func @quantized(%a: tensor<32x64xf32>) -> tensor<32x64xf32> {\n"
           f"  %0 = \"ttir.quantize\"(%a) : (tensor<32x64xf32>) -> {codes}\n"
           f"  %1 = \"ttir.dequantize\"(%0) : ({codes}) -> tensor<32x64xf32>\n  return %1 : tensor<32x64xf32>\n}}\n")
    yield ("created", "func.func @created(%a: tensor<32x64xf32>) -> (tensor<32x64xf32>, tensor<32x64xf32>) {\n"
           "  %0 = \"ttir.zeros\"() <{shape = array<i32: 32, 64>}> : () -> tensor<32x64xf32>\n"
           "  %1 = \"ttir.ones\"() <{shape = array<i32: 32, 64>}> : () -> tensor<32x64xf32>\n"
           "  %2 = \"ttir.full\"() <{shape = array<i32: 32, 64>, fill_value = 2.5 : f32}> : () -> tensor<32x64xf32>\n"
           "  %3 = \"ttir.arange\"() <{start = 0 : si64, end = 64 : si64, step = 1 : si64, arange_dimension = 1 : i64}> : () -> tensor<32x64xf32>\n"
           "  %4 = \"ttir.constant\"() <{value = dense<[[1.5], [-2.0]]> : tensor<2x1xf32>}> : () -> tensor<2x1xf32>\n"
           "  %5 = \"ttir.add\"(%a, %1) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>\n"
           "  %6 = \"ttir.multiply\"(%5, %2) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>\n"
           "  %7 = \"ttir.add\"(%6, %3) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>\n"
           "  %8 = \"ttir.subtract\"(%7, %0) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>\n"
           "  %9 = \"ttir.repeat\"(%4) <{repeat_dimensions = array<i64: 16, 64>}> : (tensor<2x1xf32>) -> tensor<32x64xf32>\n"
           "  return %8, %9 : tensor<32x64xf32>, tensor<32x64xf32>\n}\n")


def functions():
    return {**dict(elementwise()), **dict(others())}
