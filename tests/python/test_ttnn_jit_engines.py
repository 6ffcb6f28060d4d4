"""ttnn_jit's two engines give the same bytes: each function on elements, data type and layout; ties, infinities, block exponents."""

import os

import pytest

torch = pytest.importorskip("torch")

import ttnn
import ttnn_jit
from ttnn_jit._src.operations import BINARY, UNARY

LONG = bool(os.environ.get("TILEWRIGHT_LONG"))
LAYOUTS = {"dram": None, "block": (ttnn.ShardStrategy.BLOCK, (2, 2)), "height": (ttnn.ShardStrategy.HEIGHT, (2, 1)),
           "width": (ttnn.ShardStrategy.WIDTH, (1, 2))}
FLOATS = (ttnn.float32, ttnn.bfloat16, ttnn.bfloat8_b)
INTEGER = ("abs", "neg", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "logical_left_shift", "logical_right_shift", "add", "subtract",
           "multiply", "maximum", "minimum", "eq", "ne", "gt", "ge", "lt", "le", "logical_not", "logical_and", "logical_or", "logical_xor")
ONLY_INTEGER = INTEGER[2:8]
HOST_ONLY = ("cbrt", "mish", "remainder")  # D2M has no tile function for them
NAMES = [n for n in (*UNARY, *BINARY) if n not in HOST_ONLY]


@pytest.fixture(scope="module")
def device():
    made = ttnn.open_device(device_id=0)
    yield made
    ttnn.close_device(made)


def placed(device, values, dtype, layout):
    memory = LAYOUTS[layout] and ttnn.create_sharded_memory_config(
        values.shape, ttnn.CoreGrid(y=LAYOUTS[layout][1][0], x=LAYOUTS[layout][1][1]), LAYOUTS[layout][0])
    return ttnn.from_torch(values, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device, memory_config=memory or ttnn.DRAM_MEMORY_CONFIG)


def values_for(name, dtype, count, shape=(64, 64)):
    """Operands within the function's domain; values near ties, equal operands, zeros and infinities among them."""
    torch.manual_seed(len(name))
    if dtype is ttnn.int32:
        made = [torch.randint(-2**31, 2**31 - 1, shape, dtype=torch.int32) for _ in range(count)]
        if "shift" in name:
            made[1] = torch.randint(0, 31, shape, dtype=torch.int32)
        return made
    made = [torch.randn(shape) * torch.where(torch.rand(shape) < 0.1, 30.0, 1.0) for _ in range(count)]
    for values in made:
        values[0, :4] = torch.tensor([0.0, 1.0, -1.0, 0.5])
    if count == 2:
        made[1][2] = made[0][2]
    if name in ("log", "sqrt", "rsqrt", "pow", "pow_tensor", "log1p"):
        made = [v.abs() + 2**-6 for v in made]
    if name == "divide":  # the packer writes NaN as infinity
        made[1][made[1] == 0] = 2.0
    if name in ("acos", "asin"):
        made = [v.clamp(-1, 1) for v in made]
    return made


def on_both(monkeypatch, function, *operands):
    made = []
    for engine in ("host", "grid"):
        monkeypatch.setenv("TILEWRIGHT_ENGINE", engine)
        made.append(ttnn_jit.jit()(function)(*operands))
    return made


def same(a, b):
    """True for equal values; NaN equals NaN. The packer writes no bf16 below 2^-126: those are zero."""
    x, y = (t.to_torch() if t.dtype is ttnn.float32 else torch.where(t.to_torch().abs() < 2**-126, 0, t.to_torch()) for t in (a, b))
    assert a.dtype is b.dtype and x.shape == y.shape
    other = ~((x == y) | ((x != x) & (y != y)))
    if other.any():
        print(f"{int(other.sum())} values differ, the first of them {x[other][0].item()!r} and {y[other][0].item()!r}")
    return not other.any()


CASES = [(name, dtype, layout) for i, name in enumerate(NAMES) for j, dtype in enumerate((*FLOATS, ttnn.int32))
         for k, layout in enumerate(LAYOUTS) if (name in INTEGER if dtype is ttnn.int32 else name not in ONLY_INTEGER) and (LONG or (i + j) % 4 == k)]


@pytest.mark.parametrize("name, dtype, layout", CASES, ids=lambda v: getattr(v, "value", v))
def test_each_function(device, monkeypatch, name, dtype, layout):
    count = 1 if name in UNARY else 2
    def written(x, y=None):
        return ttnn.pow(x, y) if name == "pow_tensor" else getattr(ttnn, name)(x) if y is None else getattr(ttnn, name)(x, y)

    operands = [placed(device, v, dtype, layout) for v in values_for(name, dtype, count)]
    host, grid = on_both(monkeypatch, written, *operands)
    assert same(host, grid)
    if dtype is not ttnn.bfloat8_b:  # plain functions round block floats as the host converts them
        assert same(host, written(*operands))


@pytest.mark.parametrize("dtype", [*FLOATS, ttnn.int32], ids=lambda d: d.value)
def test_other_functions(device, monkeypatch, dtype):
    x, y = (placed(device, v, dtype, "block") for v in values_for("add", dtype, 2))

    def function(a, b):
        whole = dtype is ttnn.int32
        picked = ttnn.where(ttnn.gt(a, b), a, ttnn.add(b, 3))
        return ttnn.clamp(picked, -1000 if whole else -0.75, 1000 if whole else 1.25), ttnn.multiply(a, 2), b - a

    for host, grid in zip(*on_both(monkeypatch, function, x, y)):
        assert same(host, grid)


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: d.value)
def test_chains_round_after_each_operation(device, monkeypatch, dtype):
    """The numbers of plain calls: no operation is rounded less, or more often, because it is fused."""
    x, y = (placed(device, v.clamp(-20, 20), dtype, "dram") for v in values_for("chain", dtype, 2))

    def function(a, b):
        e = ttnn.exp(ttnn.neg(ttnn.abs(a)))
        return ttnn.multiply(ttnn.add(e, b), ttnn.sigmoid(ttnn.subtract(b, e)))

    host, grid = on_both(monkeypatch, function, x, y)
    assert same(host, grid)
    if dtype is not ttnn.bfloat8_b:
        assert same(host, function(x, y))


def test_typecasts(device, monkeypatch):
    x = placed(device, values_for("cast", ttnn.float32, 1)[0].clamp(-20, 20), ttnn.float32, "dram")

    def function(a):
        half = ttnn.typecast(a, ttnn.bfloat16)
        return half, ttnn.typecast(ttnn.exp(half), ttnn.float32), ttnn.typecast(a, ttnn.bfloat8_b), ttnn.add(ttnn.typecast(half, ttnn.float32), a)

    for host, grid in zip(*on_both(monkeypatch, function, x)):
        assert same(host, grid)


def test_rounding_in_dst_is_an_option(device, monkeypatch):
    """The kernels that tt-mlir makes: one of them for a chain, whose 16-bit DST truncates."""
    x = placed(device, values_for("exp", ttnn.bfloat16, 1)[0], ttnn.bfloat16, "block")
    monkeypatch.setenv("TTNN_JIT_ROUNDING", "dst")
    host, grid = (t.to_torch().float() for t in on_both(monkeypatch, lambda a: ttnn.exp(ttnn.sin(a)), x))
    assert (host != grid).any() and ((host - grid).abs() <= 3 * 2**-7 * host.abs()).all()
    monkeypatch.setenv("TTNN_JIT_ROUNDING", "both")
    with pytest.raises(ValueError, match="TTNN_JIT_ROUNDING: expected operation or dst, found 'both'"):
        ttnn_jit.jit()(lambda a: ttnn.exp(a))(x)
