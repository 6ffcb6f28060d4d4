"""Every family of TTKernel's compute operations on the simulated grid against NumPy and torch."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from grid_kernels import INT, Built, cb_type, op, to_host  # noqa: E402
from tilewright import sim  # noqa: E402

GRID = None
IDX, I32 = "index", "i32"


@pytest.fixture(scope="module", autouse=True)
def grid():
    global GRID
    GRID = sim.Grid("n150")
    yield GRID
    GRID = None


def regs(*steps, pack=((0, 0),), out=("bf16", 1)):
    """The steps between acquire and release; pack: (DST index, tile of %out)."""
    c = cb_type(out[1], out[0])
    lines = [op("tile_regs_acquire"), *steps, op("tile_regs_commit"), op("tile_regs_wait"),
             *(op("pack_tile", [f"c{d}", "out", f"c{i}"], [IDX, c, IDX], "<{out_of_order = true}>") for d, i in pack),
             op("tile_regs_release")]
    return "".join(f"    {line}\n" for line in lines)


def bits(value):
    return int(np.float32(value).view(np.int32))


def constant(name, value):
    return f"%{name} = arith.constant {value} : i32"


def copy(i, tile, dst, dtype, tiles=1):
    c = cb_type(tiles, dtype)
    return [op("copy_tile_init", [f"in{i}"], [c]), op("copy_tile", [f"in{i}", f"c{tile}", f"c{dst}"], [c, IDX, IDX])]


INITS = {"ceil": "rounding_op", "floor": "rounding_op", "trunc": "rounding_op", "frac": "rounding_op",
         "bitwise_and_binary": "binary_bitwise", "bitwise_or_binary": "binary_bitwise",
         "bitwise_xor_binary": "binary_bitwise", "binary_left_shift": "binary_shift",
         "binary_right_shift": "binary_shift", "binary_logical_right_shift": "binary_shift"}


def sfpu(name, operands, types, attrs="", init_attrs=""):
    """An operation of the vector unit after its init."""
    base = name.removesuffix("_int32").removesuffix("_tile")
    init = "binop_with_scalar" if base.endswith("_unary") else INITS.get(base, base)
    return [op(f"{init}_tile_init", attrs=init_attrs), op(name, operands, types, attrs)]


def run(arrays, dtypes, out_dtype, steps, out_shape=(32, 32), pack=((0, 0),), **config):
    tiles = out_shape[0] * out_shape[1] // 1024
    config.setdefault("wide_dst", "f32" in [*dtypes, out_dtype] or bool(INT & {*dtypes, out_dtype}))
    config.setdefault("unpack_to_dst", tuple(i for i, d in enumerate(dtypes) if d == "f32"))
    built = Built(GRID, arrays, dtypes, out_shape, out_dtype, regs(*steps, pack=pack, out=(out_dtype, tiles)), **config)
    return built.run()


def normal(seed=0, shape=(32, 32), scale=1.0):
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)


def to_bf16(x):
    return torch.from_numpy(np.ascontiguousarray(x, np.float32)).bfloat16().float().numpy()


# ---- one tile --------------------------------------------------------------------------------

T = torch
UNARY = {
    "abs": T.abs, "acos": T.acos, "asin": T.asin, "atan": T.atan, "cos": T.cos, "erf": T.erf, "erfc": T.erfc,
    "exp2": T.exp2, "exp": T.exp, "expm1": T.expm1, "gelu": T.nn.functional.gelu,
    "hardsigmoid": T.nn.functional.hardsigmoid, "log1p": T.log1p, "log": T.log, "negative": T.neg,
    "recip": T.reciprocal, "relu": T.relu, "rsqrt": T.rsqrt, "sigmoid": T.sigmoid, "sign": T.sign,
    "signbit": lambda x: T.signbit(x).float(), "silu": T.nn.functional.silu, "sin": T.sin,
    "softsign": T.nn.functional.softsign, "sqrt": T.sqrt, "square": T.square, "tan": T.tan, "tanh": T.tanh,
    "eqz": lambda x: (x == 0).float(), "nez": lambda x: (x != 0).float(), "gtz": lambda x: (x > 0).float(),
    "gez": lambda x: (x >= 0).float(), "ltz": lambda x: (x < 0).float(), "lez": lambda x: (x <= 0).float(),
    "ceil": T.ceil, "floor": T.floor, "trunc": T.trunc, "frac": T.frac,
}
POSITIVE = {"log", "sqrt", "rsqrt", "recip", "log1p"}
UNIT = {"acos", "asin"}


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    x = normal(1)
    x.flat[::7] = 0
    x = np.abs(x) + 0.25 if name in POSITIVE else np.clip(x, -0.9, 0.9) if name in UNIT else x
    want = UNARY[name](T.from_numpy(x)).numpy()
    init = "rounding_op_tile_init" if name in ("ceil", "floor", "trunc", "frac") else f"{name}_tile_init"
    got = run([x], ["f32"], "f32", [*copy(0, 0, 0, "f32"), op(init), op(f"{name}_tile", ["c0"], [IDX])])
    np.testing.assert_allclose(got, want, rtol=2e-6, atol=1e-6)
    # a 16-bit DST truncates what the vector unit stores, and holds bf16
    half = run([to_bf16(x)], ["bf16"], "bf16", [*copy(0, 0, 0, "bf16"), op(init), op(f"{name}_tile", ["c0"], [IDX])])
    want = UNARY[name](T.from_numpy(to_bf16(x))).numpy()
    np.testing.assert_allclose(half, want, rtol=2 ** -7, atol=1e-6)


INTEGERS = {"abs_tile_int32": np.abs, "negative_tile_int32": np.negative, "relu_tile_int32": lambda x: np.maximum(x, 0),
            "bitwise_not_tile": np.invert, "eqz_tile_int32": lambda x: x == 0, "nez_tile_int32": lambda x: x != 0,
            "gtz_tile_int32": lambda x: x > 0, "gez_tile_int32": lambda x: x >= 0, "ltz_tile_int32": lambda x: x < 0,
            "lez_tile_int32": lambda x: x <= 0}


def whole(seed, low=-1000, high=1000):
    return np.random.default_rng(seed).integers(low, high, (32, 32)).astype(np.int32)


@pytest.mark.parametrize("name", INTEGERS)
def test_integer_unary(name):
    x = whole(2, -3, 4)
    got = run([x], ["si32"], "si32", [*copy(0, 0, 0, "si32"), *sfpu(name, ["c0"], [IDX])])
    assert np.array_equal(got, INTEGERS[name](x).astype(np.int32))


@pytest.mark.parametrize("dtype", ["bf16", "si32"])
def test_logical_not(dtype):
    x = whole(3, -1, 2)
    tt = {"bf16": "bf16", "si32": "si32"}[dtype]
    got = run([x], [dtype], dtype, [*copy(0, 0, 0, dtype), *sfpu(
        "logical_not_tile", ["c0"], [IDX], f"<{{dtype = #ttcore.supportedDataTypes<{tt}>}}>")])
    assert np.array_equal(got, (x == 0).astype(got.dtype))


# ---- two tiles -------------------------------------------------------------------------------

BINARY = {
    "add_binary": np.add, "sub_binary": np.subtract, "mul_binary": np.multiply, "div_binary": np.divide,
    "eq_binary": np.equal, "ne_binary": np.not_equal, "gt_binary": np.greater, "ge_binary": np.greater_equal,
    "lt_binary": np.less, "le_binary": np.less_equal, "power_binary": np.power, "atan2_binary": np.arctan2,
    "binary_max": np.maximum, "binary_min": np.minimum,
}
INT_BINARY = {
    "add_int": np.add, "sub_int": np.subtract, "mul_int": np.multiply, "binary_max_int32": np.maximum,
    "binary_min_int32": np.minimum, "bitwise_and_binary": np.bitwise_and, "bitwise_or_binary": np.bitwise_or,
    "bitwise_xor_binary": np.bitwise_xor, "binary_left_shift": np.left_shift, "binary_right_shift": np.right_shift,
    "binary_logical_right_shift": lambda a, b: (a.view(np.uint32) >> b.view(np.uint32)).view(np.int32),
}


def binary_steps(name, dtype, attrs="", init_attrs=""):
    return [*copy(0, 0, 0, dtype), *copy(1, 0, 1, dtype),
            *sfpu(f"{name}_tile", ["c0", "c1", "c2"], [IDX] * 3, attrs, init_attrs)]


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    a, b = normal(4), normal(5)
    if name == "power_binary":
        a = np.abs(a)
    b.flat[::5] = a.flat[::5]
    got = run([a, b], ["f32", "f32"], "f32", binary_steps(name, "f32"), pack=((2, 0),))
    np.testing.assert_allclose(got, BINARY[name](a, b).astype(np.float32), rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("name", INT_BINARY)
def test_integer_binary(name):
    shift = "shift" in name
    a, b = whole(6), whole(7, 0, 20) if shift else whole(7)
    attrs = "<{dtype = #ttcore.supportedDataTypes<si32>}>"
    got = run([a, b], ["si32", "si32"], "si32", binary_steps(name, "si32", attrs, attrs if name == "mul_int" else ""), pack=((2, 0),))
    assert np.array_equal(got, INT_BINARY[name](a, b))


@pytest.mark.parametrize("name,fn", [("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("div", np.divide)])
def test_tile_and_number(name, fn):
    x = normal(8)
    got = run([x], ["f32"], "f32", [*copy(0, 0, 0, "f32"), constant("k", bits(1.5)),
                                    *sfpu(f"{name}_unary_tile", ["c0", "k"], [IDX, I32])])
    np.testing.assert_allclose(got, fn(x, np.float32(1.5)), rtol=3e-7)


def test_numbers_in_instructions():
    x, n = normal(9), whole(9)
    steps = [*copy(0, 0, 0, "f32"), constant("lo", bits(-0.5)), constant("hi", bits(0.75)),
             op("clamp_tile_init"), op("clamp_tile", ["c0", "lo", "hi"], [IDX, I32, I32])]
    np.testing.assert_array_equal(run([x], ["f32"], "f32", steps), np.clip(x, np.float32(-0.5), np.float32(0.75)))
    steps = [*copy(0, 0, 0, "si32"), constant("lo", -5), constant("hi", 7),
             *sfpu("clamp_tile_int32", ["c0", "lo", "hi"], [IDX, I32, I32])]
    np.testing.assert_array_equal(run([n], ["si32"], "si32", steps), np.clip(n, -5, 7))
    steps = [*copy(0, 0, 0, "si32"), constant("k", 9), *sfpu("add_unary_tile_int32", ["c0", "k"], [IDX, I32])]
    np.testing.assert_array_equal(run([n], ["si32"], "si32", steps), n + 9)
    steps = [*copy(0, 0, 0, "f32"), op("power_tile_init"), constant("k", 3), op("power_tile", ["c0", "k"], [IDX, I32])]
    np.testing.assert_allclose(run([x], ["f32"], "f32", steps), x ** 3, rtol=1e-6)
    steps = [*copy(0, 0, 0, "f32"), op("selu_tile_init"), constant("s", bits(1.0507009873554805)),
             constant("a", bits(1.6732632423543772)), op("selu_tile", ["c0", "s", "a"], [IDX, I32, I32])]
    np.testing.assert_allclose(run([x], ["f32"], "f32", steps), torch.selu(torch.from_numpy(x)).numpy(), rtol=2e-6)


def test_fill_copy_and_where():
    a, b = normal(10), normal(11)
    mask = (a > 0).astype(np.float32)
    steps = [*copy(0, 0, 0, "f32"), *copy(1, 0, 1, "f32"), *copy(2, 0, 2, "f32"), op("where_tile_init"),
             op("where_tile", ["c0", "c1", "c2", "c3"], [IDX] * 4,
                "<{dtype = #ttcore.supportedDataTypes<f32>}>")]
    got = run([mask, a, b], ["f32"] * 3, "f32", steps, pack=((3, 0),))
    np.testing.assert_array_equal(got, np.where(mask != 0, a, b))
    steps = [*copy(0, 0, 0, "f32"), op("copy_dest_values_init"),
             op("copy_dest_values", ["c0", "c3"], [IDX, IDX], "<{data_format = #ttcore.supportedDataTypes<f32>}>")]
    np.testing.assert_array_equal(run([a], ["f32"], "f32", steps, pack=((3, 0),)), a)


@pytest.mark.parametrize("source,target", [("f32", "si32"), ("si32", "f32"), ("bf16", "si32"), ("u16", "f32"),
                                           ("f32", "bf16"), ("u32", "f32")])
def test_typecast(source, target):
    x = whole(12, 0 if source.startswith("u") else -250, 250)
    attrs = f"<{{in_dtype = #ttcore.supportedDataTypes<{source}>, out_dtype = #ttcore.supportedDataTypes<{target}>}}>"
    got = run([x], [source], target, [*copy(0, 0, 0, source), op("typecast_tile_init", attrs=attrs),
                                      op("typecast_tile", ["c0"], [IDX], attrs)])
    np.testing.assert_array_equal(got, x if target != "bf16" else to_bf16(x))


@pytest.mark.parametrize("wide", [False, True])
def test_typecast_of_integers_to_bf16_rounds(wide):
    """Ties go away from zero, in a DST of either width."""
    x = np.arange(1024, dtype=np.int32).reshape(32, 32) + 256
    attrs = "<{in_dtype = #ttcore.supportedDataTypes<u16>, out_dtype = #ttcore.supportedDataTypes<bf16>}>"
    got = run([x], ["u16"], "bf16", [*copy(0, 0, 0, "u16"), op("typecast_tile_init", attrs=attrs), op("typecast_tile", ["c0"], [IDX], attrs)],
              wide_dst=wide)
    step = np.where(x < 512, 2, np.where(x < 1024, 4, 8))
    assert np.array_equal(got, (x + step // 2) // step * step)


def test_random_numbers():
    steps = [constant("seed", 7), "%seedx = arith.index_cast %seed : i32 to index", constant("lo", bits(2.0)),
             constant("by", bits(0.5)), "%lox = arith.index_cast %lo : i32 to index",
             "%byx = arith.index_cast %by : i32 to index", op("rand_tile_init", ["seedx"], [IDX]),
             op("rand_tile", ["c0", "lox", "byx"], [IDX] * 3)]
    x = np.zeros((32, 32), np.float32)
    first, second = (run([x], ["f32"], "f32", steps) for _ in range(2))
    assert first.min() >= 2 and first.max() < 2.5 and abs(first.mean() - 2.25) < 0.02
    assert np.array_equal(first, second) and len(np.unique(first)) > 1000


# ---- the matrix unit -------------------------------------------------------------------------

@pytest.mark.parametrize("name,fn", [("add", np.add), ("sub", np.subtract), ("mul", np.multiply)])
def test_eltwise_on_two_buffers(name, fn):
    a, b = to_bf16(normal(13)), to_bf16(normal(14))
    c = cb_type(1, "bf16")
    steps = [op(f"{name}_tiles_init", ["in0", "in1"], [c, c]),
             op(f"{name}_tiles", ["in0", "in1", "c0", "c0", "c0"], [c, c, IDX, IDX, IDX])]
    got = run([a, b], ["bf16", "bf16"], "bf16", steps)
    exact = fn(a, b)
    np.testing.assert_allclose(got, exact, rtol=2 ** -8)  # rounded once, to nearest
    wide = run([a, b], ["bf16", "bf16"], "f32", steps)
    np.testing.assert_array_equal(wide, exact)


@pytest.mark.parametrize("reuse", ["dest_to_srca", "dest_to_srcb"])
def test_dest_reuse(reuse):
    a, b = to_bf16(normal(15)), to_bf16(normal(16))
    c = cb_type(1, "bf16")
    attrs = f"<{{eltwise_binary_type = #ttkernel.eltwise_binary_type<sub>, reuse_type = #ttkernel.reuse_type<{reuse}>}}>"
    steps = [*copy(0, 0, 0, "bf16"), op("binary_dest_reuse_tiles_init", ["in1"], [c], attrs),
             op("binary_dest_reuse_tiles", ["in1", "c0", "c0"], [c, IDX, IDX], attrs)]
    got = run([a, b], ["bf16", "bf16"], "f32", steps)
    np.testing.assert_array_equal(got, a - b if reuse == "dest_to_srca" else b - a)


@pytest.mark.parametrize("dtype,tolerance", [("bf16", 1e-6), ("f32", 2e-3), ("bfp_bf8", 1e-6)])
def test_matmul_tiles(dtype, tolerance):
    a, b = normal(17, (32, 96)), normal(18, (96, 32))
    if dtype == "bf16":
        a, b = to_bf16(a), to_bf16(b)
    if dtype == "bfp_bf8":
        a, b = np.round(a * 4) / 4, np.round(b * 4) / 4
    c = cb_type(3, dtype)
    steps = [op("mm_init", ["in0", "in1", "out", "w0"], [c, c, cb_type(1, "f32"), I32])]
    steps += [op("matmul_tiles", ["in0", "in1", f"c{k}", f"c{k}", "c0"], [c, c, IDX, IDX, IDX]) for k in range(3)]
    got = run([a, b], [dtype, dtype], "f32", steps)
    np.testing.assert_allclose(got, a @ b, rtol=tolerance, atol=tolerance * 20)


@pytest.mark.parametrize("transpose", [0, 1])
def test_matmul_block(transpose):
    """2x2 tiles of the result, three steps of k: A is 2x3 tiles, B 3x2."""
    a, b = to_bf16(normal(19, (64, 96))), to_bf16(normal(20, (96, 64)))
    held = b
    if transpose:  # every tile of B is stored transposed
        held = np.block([[b[r:r + 32, c:c + 32].T for c in (0, 32)] for r in (0, 32, 64)])
    c = cb_type(6, "bf16")
    types = [c, c, IDX, IDX, IDX, I32, I32, I32, I32]
    init = [op("mm_block_init", ["in0", "in1", "out", f"w{transpose}", "w2", "w2", "w3"],
               [c, c, cb_type(4, "f32"), I32, I32, I32, I32])]
    steps = [*init]
    for k in range(3):
        steps.append(op("matmul_block", ["in0", "in1", f"c{k}", f"c{2 * k}", "c0", f"w{transpose}", "w2", "w2", "w3"],
                        types))
    pack = tuple((i, i) for i in range(4))
    got = run([a, held], ["bf16", "bf16"], "f32", steps, out_shape=(64, 64), pack=pack)
    np.testing.assert_allclose(got, a @ b, rtol=1e-5, atol=1e-5)
    steps = [*init, op("experimental.matmul_block", ["in0", "in1", "c0", "c0", "c0", f"w{transpose}", "w2", "w2", "w3", f"w{1 if transpose else 2}"],
                [*types, I32])]
    if transpose:  # all tiles of a column of B follow each other
        held = np.ascontiguousarray(b.T)
    got = run([a, held], ["bf16", "bf16"], "f32", steps, out_shape=(64, 64), pack=pack)
    np.testing.assert_allclose(got, a @ b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dim,axis", [("reduce_dim_row", 1), ("reduce_dim_col", 0), ("reduce_dim_scalar", None)])
@pytest.mark.parametrize("kind", ["sum", "max"])
def test_reduce(kind, dim, axis):
    x = to_bf16(normal(21, (64, 32)))
    one = np.ones((32, 32), np.float32)
    c, s = cb_type(2, "bf16"), cb_type(1, "bf16")
    attrs = (f"<{{reduce_type = #ttkernel.reduce_type<reduce_{kind}>, reduce_dim = #ttkernel.reduce_dim<{dim}>, "
             "full_fp32 = false}>")
    steps = [op("reduce_init", ["in0", "in1", "out"], [c, s, cb_type(1, "f32")], attrs)]
    steps += [op("reduce_tile", ["in0", "in1", f"c{i}", "c0", "c0"], [c, s, IDX, IDX, IDX], attrs) for i in range(2)]
    got = run([x, one], ["bf16", "bf16"], "f32", steps)
    parts = np.stack([x[:32], x[32:]])
    both = parts.sum(0) if kind == "sum" else parts.max(0)
    if axis is None:
        want = parts.sum() if kind == "sum" else parts.max()
        np.testing.assert_allclose(got[0, 0], want, rtol=1e-4)
    else:
        want = (both.sum if kind == "sum" else both.max)(axis=axis)
        np.testing.assert_allclose(got[:, 0] if axis == 1 else got[0], want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["sum", "max"])
@pytest.mark.parametrize("dim,axis", [("reduce_dim_row", 1), ("reduce_dim_col", 0)])
def test_sfpu_reduce(kind, dim, axis):
    x = whole(22)
    steps = [*copy(0, 0, 0, "si32"),
             op("sfpu_reduce_init", attrs=f"<{{reduce_type = #ttkernel.reduce_type<reduce_{kind}>, data_format = #ttcore.supportedDataTypes<si32>}}>"),
             op("sfpu_reduce", ["c0"], [IDX], f"<{{reduce_type = #ttkernel.reduce_type<reduce_{kind}>, "
                f"data_format = #ttcore.supportedDataTypes<si32>, reduce_dim = #ttkernel.reduce_dim<{dim}>}}>")]
    got = run([x], ["si32"], "si32", steps)
    assert np.array_equal(got[:, 0] if axis == 1 else got[0], (x.sum if kind == "sum" else x.max)(axis=axis))


def in_rows(x):
    """A matrix whose tile in memory, four faces, holds x row by row."""
    return x.reshape(2, 2, 16, 16).transpose(0, 2, 1, 3).reshape(32, 32)


def test_max_with_indices():
    """By the bits, as the vector unit compares: NaN above the infinities; the tiles' elements are in rows."""
    x, index = normal(23), np.arange(1024).reshape(32, 32).astype(np.float32)
    x[3, 0], x[5, 1], x[7, 1], x[2, 2], x[:9, 3] = np.nan, np.inf, np.nan, -np.nan, -0.0
    x[4, 3] = 0
    order = x.view(np.int32) ^ (x.view(np.int32) >> 31 & 0x7FFFFFFF)
    steps = [*copy(0, 0, 0, "f32"), *copy(1, 0, 1, "f32"), op("max_reduce_with_indices_init"),
             op("max_reduce_with_indices", ["c0", "c1", "c0"], [IDX] * 3, "<{num_rows = 9 : i32}>")]
    got = run([in_rows(x), in_rows(index)], ["f32", "f32"], "f32", steps, out_shape=(32, 64), pack=((0, 0), (1, 1)))
    best = order[:9].argmax(0)
    first = [np.concatenate([got[0, at:at + 16], got[1, at:at + 16]]) for at in (0, 32)]  # the first 32 elements of each tile
    assert np.array_equal(first[0].view(np.int32), x[best, np.arange(32)].view(np.int32)) and best[1] == 7 and best[3] == 4
    assert np.array_equal(first[1], best * 32 + np.arange(32))


def test_max_with_indices_of_chunks():
    """The tiles behind values and indices hold the largest so far; the earlier one of equal ones stays."""
    x, y = (np.round(normal(seed) * 2) for seed in (31, 32))
    index = np.arange(1024).reshape(32, 32).astype(np.float32)
    init, attrs = op("max_reduce_with_indices_init"), "<{num_rows = 32 : i32, accumulate = true}>"
    steps = [*copy(0, 0, 0, "f32"), *copy(1, 0, 2, "f32"), init, op("max_reduce_with_indices", ["c0", "c2", "c0"], [IDX] * 3, attrs),
             *copy(2, 0, 0, "f32"), *copy(3, 0, 2, "f32"), init, op("max_reduce_with_indices", ["c0", "c2", "c1"], [IDX] * 3, attrs)]
    got = run([in_rows(x), in_rows(index), in_rows(y), in_rows(index + 1024)], ["f32"] * 4, "f32", steps, out_shape=(32, 64), pack=((0, 0), (2, 1)))
    both = np.concatenate([x, y])
    best = both.argmax(0)
    first = [np.concatenate([got[0, at:at + 16], got[1, at:at + 16]]) for at in (0, 32)]
    assert np.array_equal(first[0], both[best, np.arange(32)]) and np.array_equal(first[1], best * 32 + np.arange(32))


@pytest.mark.parametrize("kind", ["row", "col", "scalar"])
def test_broadcast(kind):
    x = to_bf16(normal(24))
    c = cb_type(1, "bf16")
    attrs = f"<{{bcast_type = #ttkernel.bcast_type<{kind}>}}>"
    got = run([x], ["bf16"], "bf16", [op("unary_bcast_init", ["in0", "out"], [c, c], attrs),
                                      op("unary_bcast", ["in0", "c0", "c0"], [c, IDX, IDX], attrs)])
    want = {"row": np.tile(x[:1], (32, 1)), "col": np.tile(x[:, :1], (1, 32)), "scalar": np.full((32, 32), x[0, 0])}
    assert np.array_equal(got, want[kind])


@pytest.mark.parametrize("kind", ["row", "col", "scalar"])
def test_broadcast_of_integers(kind):
    """32-bit words go to DST as they are."""
    x = whole(26) * 1000003
    c = cb_type(1, "si32")
    attrs = f"<{{bcast_type = #ttkernel.bcast_type<{kind}>}}>"
    got = run([x], ["si32"], "si32", [op("unary_bcast_init", ["in0", "out"], [c, c], attrs),
                                      op("unary_bcast", ["in0", "c0", "c0"], [c, IDX, IDX], attrs)])
    want = {"row": np.tile(x[:1], (32, 1)), "col": np.tile(x[:, :1], (1, 32)), "scalar": np.full((32, 32), x[0, 0])}
    assert np.array_equal(got, want[kind])


@pytest.mark.parametrize("dtype", ["bf16", "f16", "bfp_bf8"])
def test_transpose(dtype):
    x = np.round(normal(25) * 8) / 8
    c = cb_type(1, dtype)
    o = cb_type(1, "f32")
    got = run([x], [dtype], "f32", [op("transpose_wh_init", ["in0", "out"], [c, o]),
                                    op("transpose_wh_tile", ["in0", "c0", "c0"], [c, IDX, IDX])])
    assert np.array_equal(got.T, run([x], [dtype], "f32", copy(0, 0, 0, dtype)))


# ---- packing and layouts ---------------------------------------------------------------------

def test_l1_accumulation():
    a, b = to_bf16(normal(26)), to_bf16(normal(27))
    body = regs(*copy(0, 0, 0, "bf16"), out=("f32", 1))
    body += "    " + op("pack_reconfig_l1_acc", ["w1"], [I32]) + "\n"
    body += regs(*copy(1, 0, 0, "bf16"), out=("f32", 1))
    built = Built(GRID, [a, b], ["bf16", "bf16"], (32, 32), "f32", body, wide_dst=True)
    assert np.array_equal(built.run(), a + b)


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("dtype", ["bf16", "f32", "si32"])
def test_tilize_and_untilize(back, dtype):
    x = (np.arange(64 * 96) % 253).reshape(64, 96).astype(np.float32)
    c = cb_type(6, dtype)
    names = ("untilize_init", "experimental.untilize_block", "untilize_uninit") if back else (
        "tilize_init", "experimental.tilize_block", "tilize_uninit")
    rows = f"!ttkernel.cb<6144, {dtype}>"  # the same buffer, read or written row by row
    a, b = (["in0", "rows"], [c, rows]) if back else (["rows", "out"], [rows, c])
    init = [a[:1], b[:1]] if back else [[a[0], "w3", a[1]], [b[0], I32, b[1]]]
    end = [a[:1], b[:1]] if back else [a, b]
    body = "".join(f"    {line}\n" for line in [
        f'%rows = "ttkernel.get_compile_time_arg_val"() <{{arg_index = {int(back)} : i32}}> : () -> {rows}',
        op(names[0], *init), op(names[1], [*a, "w2", "w3"], [*b, I32, I32]), op(names[2], *end)])
    built = Built(GRID, [x], [dtype], (64, 96), dtype, body, wide_dst=True)
    if back:  # rows are in the result's pages, which are read as if they were tiles
        assert np.array_equal(tile_order(built.run()), x.reshape(-1))
    else:
        built.inputs[0].write(to_host(untile(x.reshape(-1), (64, 96)), dtype))
        assert np.array_equal(built.run(), x)


def test_every_number_of_a_scaler_counts():
    """Sums use the whole first row of its first face: a scaler with only its first element set is a mistake, and
    shows."""
    x = np.round(normal(37) * 4)
    row = np.arange(1, 17, dtype=np.float32)
    scaler = np.zeros((32, 32), np.float32)
    scaler[0, :16] = row
    weights, c = np.tile(row, 2), cb_type(1, "f32")
    for dim, want in (("row", (x @ weights)[:, None]), ("col", weights @ x), ("scalar", weights @ x @ weights)):
        attrs = f"<{{reduce_type = #ttkernel.reduce_type<reduce_sum>, reduce_dim = #ttkernel.reduce_dim<reduce_dim_{dim}>}}>"
        got = run([x, scaler], ["f32"] * 2, "f32", [op("reduce_init", ["in0", "in1", "out"], [c] * 3, attrs),
                                                    op("reduce_tile", ["in0", "in1", "c0", "c0", "c0"], [c, c, IDX, IDX, IDX], attrs), op("reduce_uninit")])
        assert np.array_equal(got[:, :1] if dim == "row" else got[0] if dim == "col" else got[0, 0], want), dim


def tilized(x, rows, tiles, init=True, before=(), **config):
    """A tile made from one row of tiles, in another format."""
    c, o = f"!ttkernel.cb<1024, {rows}>", cb_type(1, tiles)
    body = [*before, f'%rows = "ttkernel.get_compile_time_arg_val"() <{{arg_index = 0 : i32}}> : () -> {c}',
            op("compute_kernel_hw_startup", ["in0", "in0", "out" if init else "in0"], [cb_type(1, rows)] * 2 + [o if init else cb_type(1, rows)]),
            op("tilize_init", ["rows", "w1", "out"], [c, I32, o]), op("tilize_block", ["rows", "w1", "out"], [c, I32, o])]
    return Built(GRID, [untile(x.reshape(-1), (32, 32))], [rows], (32, 32), tiles, "".join(f"    {line}\n" for line in body), **config).run()


def test_tilizing_goes_through_dst():
    """Tiles have the packer's format, and f32 the precision of a source register or of DST, as when tiles are copied."""
    x = normal(35)
    for tiles, config in (("bfp_bf8", {}), ("bf16", {"wide_dst": True}), ("f32", {"wide_dst": True}), ("f32", {})):
        want = run([x], ["f32"], tiles, copy(0, 0, 0, "f32"), wide_dst=config.get("wide_dst", False), unpack_to_dst=())
        assert np.array_equal(tilized(x, "f32", tiles, **config), want), (tiles, config)
    assert np.array_equal(tilized(x, "f32", "f32", wide_dst=True, unpack_to_dst=(0,)), x)
    with pytest.raises(sim.KernelError, match="16 holds bfp_bf8, but the packer is set up for bf16"):
        tilized(x, "bf16", "bfp_bf8", init=False)
    with pytest.raises(sim.KernelError, match="packs floats to circular buffer 16 of si32"):
        tilized(x, "f32", "si32", wide_dst=True)
    with pytest.raises(sim.KernelError, match="DST use: takes DST itself, which has not been released"):
        tilized(x, "bf16", "bf16", before=[op("tile_regs_acquire")])


@pytest.mark.parametrize("config", [{}, {"wide_dst": True}, {"wide_dst": True, "unpack_to_dst": (0,)}])
@pytest.mark.parametrize("dtype", ["f32", "bf16", "si32"])
def test_a_block_of_tiles_is_copied_as_tiles_are(dtype, config):
    x, c = normal(36, (32, 96), 1000), cb_type(3, dtype)
    if dtype == "si32" and not config:
        return  # needs a 32-bit DST
    one = [line for i in range(3) for line in copy(0, i, i, dtype, 3)]
    block = [op("copy_tile_init", ["in0"], [c]), op("copy_block_matmul_partials", ["in0", "c0", "c0", "c3"], [c, IDX, IDX, IDX])]
    config = {"wide_dst": False, "unpack_to_dst": ()} | config
    a, b = (run([x], [dtype], dtype, steps, (32, 96), [(i, i) for i in range(3)], **config) for steps in (one, block))
    assert np.array_equal(a, b) and np.array_equal(a, x.astype(np.int32) if dtype == "si32" else a)


def tile_order(x):
    """The elements of an array in the memory order of tiles."""
    r, c = x.shape
    return x.reshape(r // 32, 2, 16, c // 32, 2, 16).transpose(0, 3, 1, 4, 2, 5).reshape(-1)


def untile(flat, shape):
    """The array whose tiled memory is `flat`."""
    r, c = shape
    return flat.reshape(r // 32, c // 32, 2, 2, 16, 16).transpose(0, 2, 4, 1, 3, 5).reshape(r, c)


@pytest.mark.parametrize("name,want", [
    ("experimental.write_row_mask_tile", lambda r, c: r < 5), ("experimental.write_col_mask_tile", lambda r, c: c < 5),
    ("experimental.fill_arange_tile", lambda r, c: r * 32 + c)])
@pytest.mark.parametrize("dtype", ["f32", "si32"])
def test_patterns(name, want, dtype):
    c = cb_type(1, dtype)
    operands = (["in0"], [c]) if "arange" in name else (["w5", "in0"], [I32, c])
    got = run([np.zeros((32, 32))], [dtype], dtype, [op(name, *operands), *copy(0, 0, 0, dtype)])
    rows, columns = np.indices((32, 32))
    assert np.array_equal(got, want(rows, columns).astype(got.dtype))


# ---- rejected operations ---------------------------------------------------------------------

def test_refused_by_name():
    with pytest.raises(NotImplementedError, match="'ttkernel.invoke_sfpi' op is not executed by the simulated device"):
        run([normal()], ["bf16"], "bf16", ["ttkernel.invoke_sfpi { }"])
    fabric = ["%f = ttkernel.experimental.create_fabric_connection_manager() : () -> !ttkernel.fabric_connection_manager",
              "ttkernel.experimental.setup_fabric_connections(%f) : (!ttkernel.fabric_connection_manager) -> ()"]
    with pytest.raises(NotImplementedError, match="setup_fabric_connections' op is not executed .*come with the mesh"):
        run([normal()], ["bf16"], "bf16", fabric)


def test_exp_with_a_scale():
    """The scale is a bf16; iterations other than a tile's are rejected."""
    x, scale = normal(34), "scale = %d : i32" % bits(0.3)
    steps = [*copy(0, 0, 0, "f32"), op("exp_tile_init", attrs=f"<{{{scale}}}>"),
             op("exp_tile", ["c0"], [IDX], f"<{{{scale}}}>")]
    cut = np.uint32(np.float32(0.3).view(np.uint32) & 0xFFFF0000).view(np.float32)
    assert np.allclose(run([x], ["f32"], "f32", steps), np.exp(x * cut), rtol=2e-6)
    with pytest.raises(NotImplementedError, match="exp_tile.*in 8 iterations"):
        run([x], ["f32"], "f32", [op("exp_tile", ["c0"], [IDX], "<{iterations = 4 : i32}>")])


# ---- top-k -----------------------------------------------------------------------------------

def topk(x, steps):
    """The state after the steps on 64 rows of values, and on the rows' indices."""
    rows = np.repeat(np.arange(64, dtype=np.float32)[:, None], 32, 1)
    arrays = [x[:32], x[32:], rows[:32], rows[32:]]
    before = [line for i in range(4) for line in copy(i, 0, i, "f32")]
    got = run(arrays, ["f32"] * 4, "f32", [*before, op("topk_tile_init"), *steps], out_shape=(128, 32),
              pack=[(i, i) for i in range(4)], full_sync=True)
    assert np.array_equal(np.take_along_axis(x, got[64:].astype(int), 0), got[:64])
    return got[:64]


def local_sort(rising, end, start=0):
    return op("topk_local_sort", ["c0", f"w{rising}", f"w{end}", f"w{start}"], [IDX, I32, I32, I32])


@pytest.mark.parametrize("rising", [0, 1])
@pytest.mark.parametrize("end", range(6))
def test_topk_local_sort(rising, end):
    x = normal(31, (64, 32))
    got = topk(x, [local_sort(rising, end)])
    length = 2 << end
    for i in range(0, 64, length):
        want = np.sort(x[i:i + length], axis=0)
        assert np.array_equal(got[i:i + length], want if rising != i // length % 2 else want[::-1])


@pytest.mark.parametrize("k", [4, 8, 16, 32])
def test_topk_of_64(k):
    """Sequences of k are merged in pairs until one is left."""
    x = np.round(normal(32, (64, 32)) * 4) / 4  # with ties
    log, steps = k.bit_length() - 1, []
    steps.append(local_sort(0, log - 1))
    for m in range(6 - log):
        steps.append(op("topk_merge", ["c0", f"w{m}", f"w{k}"], [IDX, I32, I32]))
        steps.append(op("topk_rebuild", ["c0", "w0", f"w{m}", f"w{k}", f"w{log}", f"w{int(k == 32)}"],
                        [IDX, I32, I32, I32, I32, I32]))
    assert np.array_equal(topk(x, steps)[:k], -np.sort(-x, axis=0)[:k])


def test_topk_reports_unsupported_forms():
    with pytest.raises(sim.KernelError, match="k is 3, but sequences have a power of two"):
        topk(normal(33, (64, 32)), [op("topk_merge", ["c0", "w0", "w3"], [IDX, I32, I32])])
    with pytest.raises(sim.KernelError, match="the last phase is 6, but may be 0 to 5"):
        topk(normal(33, (64, 32)), [local_sort(0, 6)])


def test_formats_are_checked():
    with pytest.raises(sim.KernelError, match="data format: computes with integers, but the DST tile holds floats"):
        run([normal()], ["f32"], "f32", [*copy(0, 0, 0, "f32"), *sfpu("abs_tile_int32", ["c0"], [IDX])])
    with pytest.raises(sim.KernelError, match="tiles of si32 need a 32-bit DST"):
        run([whole(1)], ["si32"], "si32", copy(0, 0, 0, "si32"), wide_dst=False)
    cast = "<{in_dtype = #ttcore.supportedDataTypes<bf16>, out_dtype = #ttcore.supportedDataTypes<si32>}>"
    with pytest.raises(sim.KernelError, match="tiles of si32 need a 32-bit DST"):
        run([whole(1)], ["bf16"], "si32", [*copy(0, 0, 0, "bf16"), op("typecast_tile_init", attrs=cast), op("typecast_tile", ["c0"], [IDX], cast)],
            wide_dst=False)
    c = cb_type(1, "f32")
    add = "<{eltwise_binary_type = #ttkernel.eltwise_binary_type<add>, reuse_type = #ttkernel.reuse_type<dest_to_srca>}>"
    steps = [*copy(1, 0, 0, "si32"), op("reconfig_data_format_srca", ["in0"], [c]), op("binary_dest_reuse_tiles_init", ["in0"], [c], add),
             op("binary_dest_reuse_tiles", ["in0", "c0", "c0"], [c, IDX, IDX], add)]
    startup = op("compute_kernel_hw_startup", ["in1", "in0", "out"], [cb_type(1, "si32"), c, c])
    with pytest.raises(sim.KernelError, match="computes with floats, but the DST tile holds integers"):
        Built(GRID, [normal(), whole(1)], ["f32", "si32"], (32, 32), "f32", f"    {startup}\n" + regs(*steps, out=("f32", 1)), wide_dst=True).run()
