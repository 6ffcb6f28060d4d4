"""ttnn_jit on the host's engine: the documents' functions, flags, caches, refusals, and random functions beside torch."""

import math
import random
import re
import threading
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

import ttnn
import ttnn_jit
from ttnn_jit._src.cache import JitCache

SCALE = 0.5


@pytest.fixture(scope="module")
def device():
    made = ttnn.open_device(device_id=0)
    yield made
    ttnn.close_device(made)


def sharded(device, values, dtype=ttnn.bfloat16, strategy=ttnn.ShardStrategy.BLOCK, cores=(2, 2)):
    memory = ttnn.create_sharded_memory_config(values.shape, ttnn.CoreGrid(y=cores[0], x=cores[1]), strategy)
    return ttnn.from_torch(values, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device, memory_config=memory)


def in_dram(device, values, dtype=ttnn.float32):
    return ttnn.from_torch(values, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)


def cosh(input_tensor):
    e_pos_x = ttnn.exp(input_tensor)
    e_neg_x = ttnn.exp(ttnn.neg(input_tensor))
    nr_term = ttnn.add(e_pos_x, e_neg_x)
    return ttnn.multiply(nr_term, 0.5)


@ttnn_jit.jit(backend="ttnn", max_grid=(7, 7), debug=False)
def unary_chain(input_tensor):
    res_0 = ttnn.abs(input_tensor)
    res_1 = ttnn.sin(res_0)
    res_2 = ttnn.neg(res_1)
    output_tensor = ttnn.exp(res_2)

    return output_tensor


@ttnn_jit.jit(backend="ttnn", max_grid=(7, 7), debug=False)
def add_tree_8_to_1(in0, in1, in2, in3, in4, in5, in6, in7):
    add_0_0 = ttnn.add(in0, in1)
    add_0_1 = ttnn.add(in2, in3)
    add_0_2 = ttnn.add(in4, in5)
    add_0_3 = ttnn.add(in6, in7)
    add_1_0 = ttnn.add(add_0_0, add_0_1)
    add_1_1 = ttnn.add(add_0_2, add_0_3)
    add_2_0 = ttnn.add(add_1_0, add_1_1)
    return add_2_0


# ---- the documents' functions -------------------------------------------------------------------


@pytest.mark.parametrize("dtype, bound", [(ttnn.float32, 1e-6), (ttnn.bfloat16, 2**-7)])
def test_cosh_between_plain_calls(device, dtype, bound):
    jitted = ttnn_jit.jit()(cosh)
    a, b = torch.randn(64, 64), torch.randn(64, 64)
    x, y = sharded(device, a, dtype), sharded(device, b, dtype)
    got = jitted(x)
    assert got.memory_config() == x.memory_config() and got.dtype is dtype and got.shape == (64, 64)
    expected = torch.cosh(x.to_torch().float())
    assert ((got.to_torch().float() - expected).abs() <= bound * expected).all()
    product = ttnn.matmul(got, ttnn.exp(y))
    torch.testing.assert_close(product.to_torch().float(), got.to_torch().float() @ torch.exp(y.to_torch().float()), rtol=2**-6, atol=0.5)


def test_documents_chain_and_tree(device):
    values = torch.randn(1024, 1024)
    x = sharded(device, values, cores=(8, 8))
    got = unary_chain(x).to_torch()
    rounded = lambda t: t.to(torch.bfloat16)
    step = rounded(torch.sin(rounded(x.to_torch().abs()).float()))
    assert torch.equal(got, rounded(torch.exp(rounded(-step).float()))) or (got.float() - torch.exp(-step.float())).abs().max() <= 2**-7 * 3
    parts = [torch.randint(-8, 8, (256, 256)).float() for _ in range(8)]
    summed = add_tree_8_to_1(*(sharded(device, p) for p in parts))
    assert torch.equal(summed.to_torch().float(), sum(parts))


def bits(tensor):
    """One NaN for all: of two operands the processor returns the NaN of either."""
    values = tensor.to_torch()
    values = torch.where(values.isnan(), torch.full_like(values, torch.nan), values)
    return values.view(torch.int16 if values.dtype is torch.bfloat16 else torch.int32)


def every_value(dtype):
    """All values of bf16; as many of f32, NaN, infinities and those where exp overflows or vanishes among them."""
    values = torch.arange(65536, dtype=torch.int32).to(torch.int16).view(torch.bfloat16).reshape(256, 256)
    return values if dtype is ttnn.bfloat16 else torch.cat([values.float()[::2], torch.linspace(-115, 115, 32768).reshape(128, 256)])


@pytest.mark.parametrize("dtype", [ttnn.float32, ttnn.bfloat16])
@pytest.mark.parametrize("function", [
    cosh,
    lambda x: ttnn.add(ttnn.exp(x), ttnn.exp(ttnn.neg(x))),
    lambda x: ttnn.multiply(3.0, ttnn.add(ttnn.exp(ttnn.abs(x)), ttnn.exp(ttnn.neg(ttnn.abs(x))))),
    lambda x: ttnn.add(ttnn.multiply(ttnn.add(ttnn.exp(x), ttnn.exp(ttnn.neg(x))), 0.25), x),
    lambda x: (lambda up: (up, ttnn.multiply(ttnn.add(up, ttnn.exp(ttnn.neg(x))), 0.5)))(ttnn.exp(x)),
    lambda x: ttnn.multiply(ttnn.multiply(ttnn.add(ttnn.exp(x), ttnn.exp(ttnn.neg(x))), 0.5), 3.0),
])
def test_pairs_of_exponentials_have_the_bytes_of_plain_calls(device, function, dtype):
    x = in_dram(device, every_value(dtype), dtype)
    got, want = ttnn_jit.jit()(function)(x), function(x)
    for a, b in zip(*((v if isinstance(v, tuple) else (v,)) for v in (got, want))):
        assert torch.equal(bits(a), bits(b))


@pytest.mark.parametrize("dtype", [ttnn.float32, ttnn.bfloat16])
@pytest.mark.parametrize("sign", ["abs", "neg"])
@pytest.mark.parametrize("name", ["cos", "exp", "sigmoid", "sin", "tanh"])
def test_functions_of_signs_have_the_bytes_of_plain_calls(device, name, sign, dtype):
    """Also of a product in between, and where others read the operand whose sign changes."""
    function, turn = getattr(ttnn, name), getattr(ttnn, sign)
    x = in_dram(device, every_value(dtype), dtype)
    for write in (lambda x: function(turn(x)), lambda x: turn(function(turn(ttnn.multiply(x, 0.75)))),
                  lambda x: (lambda y: ttnn.add(function(y), y))(turn(x)), lambda x: function(turn(turn(x)))):
        assert torch.equal(bits(ttnn_jit.jit()(write)(x)), bits(write(x)))


@pytest.mark.parametrize("shape", [(1024, 1152), (1000, 1250), (777, 1480)])  # results past the caches, by whole lines of them and not
@pytest.mark.parametrize("dtype", [ttnn.float32, ttnn.bfloat16])
def test_large_sums_of_eight_have_the_bytes_of_plain_calls(device, shape, dtype):
    torch.manual_seed(shape[1])
    held = [in_dram(device, torch.randn(shape) * torch.where(torch.rand(shape) < 0.01, 1e-38, 1.0), dtype) for _ in range(8)]
    def tree(a, b, c, d, e, f, g, h):
        return ttnn.add(ttnn.add(ttnn.add(a, b), ttnn.add(c, d)), ttnn.add(ttnn.add(e, f), ttnn.add(g, h)))
    assert torch.equal(bits(ttnn_jit.jit()(tree)(*held)), bits(tree(*held)))


def test_modules_as_the_documents_print_them(device, capsys):
    x = sharded(device, torch.randn(32, 32), cores=(1, 1))
    ttnn_jit.jit(debug=True)(cosh)(x)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "---- IR Dump after TracingCompiler (Tracing-based) ----"
    names = [line.split('"')[1] for line in lines if '"ttir.' in line]
    assert names == ["ttir.exp", "ttir.neg", "ttir.exp", "ttir.add", "ttir.full", "ttir.multiply"]
    assert "  func.func @cosh(%arg0: tensor<32x32xbf16, #ttnn_layout>) -> tensor<32x32xbf16, #ttnn_layout> {" in lines
    ttnn_jit.jit(debug=True, graph_capture=False)(cosh)(x)
    body = [line.strip() for line in capsys.readouterr().out.splitlines() if line.strip().startswith("%")]
    kind = "tensor<32x32xbf16, #ttnn_layout>"
    assert body == [
        '%0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device',
        f'%1 = "ttnn.exp"(%arg0) {{ttnn.hoist_generic_via_d2m}} : ({kind}) -> {kind}',
        f'%2 = "ttnn.neg"(%arg0) {{ttnn.hoist_generic_via_d2m}} : ({kind}) -> {kind}',
        f'%3 = "ttnn.exp"(%2) {{ttnn.hoist_generic_via_d2m}} : ({kind}) -> {kind}',
        f'%4 = "ttnn.add"(%1, %3) <{{dtype = #ttcore.supportedDataTypes<bf16>}}> {{ttnn.hoist_generic_via_d2m}} : ({kind}, {kind}) -> {kind}',
        '%5 = "ttnn.full"(%0) <{dtype = #ttcore.supportedDataTypes<bf16>, fill_value = 5.000000e-01 : f32, layout = #ttnn.layout<tile>, '
        f"shape = #ttnn.shape<32x32>}}> : (!ttnn.device) -> {kind}",
        f'%6 = "ttnn.multiply"(%4, %5) <{{dtype = #ttcore.supportedDataTypes<bf16>}}> {{ttnn.hoist_generic_via_d2m}} : ({kind}, {kind}) -> {kind}']


# ---- what functions may be ------------------------------------------------------------------------


def helper(a, b):
    return ttnn.concat([a, ttnn.mul(b, 3.0)], dim=0)


def test_calls_loops_numbers_and_several_results(device):
    inner = ttnn_jit.jit()(cosh)

    @ttnn_jit.jit(enable_cache=True)
    def f(a, b, n=2, flip=False):
        for _ in range(n):
            a = a + b
        if flip:
            a = -a
        return helper(a, b), ttnn.sum(a, dim=-1, keepdim=True), inner(b), a @ b, ttnn.where(ttnn.gt(a, b), a, 0.0)

    x, y = torch.randn(64, 64), torch.randn(64, 64)
    for flip in (False, True):
        got = f(in_dram(device, x), in_dram(device, y), n=3, flip=flip)
        a = (x + 3 * y) * (-1 if flip else 1)
        want = torch.cat([a, 3 * y]), a.sum(-1, keepdim=True), torch.cosh(y), a @ y, torch.where(a > y, a, 0)
        assert isinstance(got, tuple)
        for g, w in zip(got, want):
            torch.testing.assert_close(g.to_torch(), w, rtol=1e-5, atol=1e-4)
    assert f.num_entries == 2


def test_methods_scalars_and_captured_tensors(device):
    held = in_dram(device, torch.full((32, 32), 2.0))

    class Layer:
        @ttnn_jit.jit(enable_cache=True)
        def forward(self, x):
            return ttnn.add(ttnn.multiply(x, held), 1 - x)

    x = torch.randn(32, 32)
    for _ in range(2):
        torch.testing.assert_close(Layer().forward(in_dram(device, x)).to_torch(), x * 2 + (1 - x))


@pytest.mark.parametrize("write, want, bound", [
    (lambda x, y: ttnn.permute(x, (1, 0)), lambda x, y: x.T, 0),
    (lambda x, y: ttnn.transpose(x, dim0=-2, dim1=-1), lambda x, y: x.T, 0),
    (lambda x, y: ttnn.reshape(x, [32, -1]), lambda x, y: x.reshape(32, -1), 0),
    (lambda x, y: ttnn.slice(x, [0, 32], [64, 96]), lambda x, y: x[:, 32:96], 0),
    (lambda x, y: ttnn.repeat(x, (2, 1)), lambda x, y: x.repeat(2, 1), 0),
    (lambda x, y: ttnn.clamp(x, min=-0.5), lambda x, y: x.clamp(min=-0.5), 0),
    (lambda x, y: ttnn.clamp(x, min=-0.5, max=0.25), lambda x, y: x.clamp(-0.5, 0.25), 0),
    (lambda x, y: ttnn.clamp(x, ttnn.minimum(x, y), y), lambda x, y: torch.minimum(torch.maximum(x, torch.minimum(x, y)), y), 0),
    (lambda x, y: ttnn.max(x, dim=1), lambda x, y: x.amax(1), 0),
    (lambda x, y: ttnn.mean(x, dim=(0, 1), keepdim=True), lambda x, y: x.mean((0, 1), keepdim=True), 1e-6),
    (lambda x, y: ttnn.matmul(x, y, transpose_b=True), lambda x, y: x @ y.T, 1e-4),
    (lambda x, y: ttnn.subtract(2.0, x), lambda x, y: 2 - x, 0),
    (lambda x, y: ttnn.divide(x, y), lambda x, y: x / y, 1e-4),
    (lambda x, y: ttnn.typecast(x, ttnn.bfloat16), lambda x, y: x.to(torch.bfloat16), 0),
    (lambda x, y: x, lambda x, y: x, 0),
])
def test_functions_beside_torch(device, write, want, bound):
    x, y = torch.randn(64, 96), torch.randn(64, 96)
    got = ttnn_jit.jit()(write)(in_dram(device, x), in_dram(device, y)).to_torch()
    expected = want(x, y)
    assert got.shape == expected.shape and got.dtype == expected.dtype
    assert ((got.float() - expected.float()).abs() <= bound * expected.float().abs().clamp(min=1)).all()


@pytest.mark.parametrize("dtype", [ttnn.int32])
def test_integers(device, dtype):
    x, y = (torch.randint(-2**31, 2**31 - 1, (32, 64), dtype=torch.int32) for _ in range(2))
    f = ttnn_jit.jit()(lambda a, b: ttnn.bitwise_xor(ttnn.bitwise_not(a), ttnn.bitwise_or(b, ttnn.bitwise_and(a, 255))))
    assert torch.equal(f(in_dram(device, x, dtype), in_dram(device, y, dtype)).to_torch(), ~x ^ (y | (x & 255)))


def test_block_floats_are_rounded(device):
    x = in_dram(device, torch.randn(64, 64), ttnn.bfloat8_b)
    got = ttnn_jit.jit()(lambda a: ttnn.add(a, a))(x)
    assert got.dtype is ttnn.bfloat8_b and torch.equal(got.to_torch(), ttnn.add(x, x).to_torch())


UNARY = {"abs": torch.abs, "neg": torch.neg, "sin": torch.sin, "tanh": torch.tanh, "sigmoid": torch.sigmoid, "relu": torch.relu, "floor": torch.floor,
         "sign": torch.sign, "silu": torch.nn.functional.silu, "erf": torch.erf}
BINARY = {"add": torch.add, "subtract": torch.sub, "multiply": torch.mul, "maximum": torch.maximum, "minimum": torch.minimum}


@pytest.mark.parametrize("seed", range(40))
def test_random_functions(device, seed):
    """Trees and diamonds of up to sixty operations, in shards of every kind, on shapes with broadcast dimensions."""
    rng = random.Random(seed)
    torch.manual_seed(seed)
    steps, shapes = [], [(64, 64)] * rng.randint(1, 4) + [rng.choice([(64, 64), (1, 64), (64, 1)])]
    for i in range(rng.randint(2, 60)):
        taken = [rng.randrange(len(shapes) + i) for _ in range(2)]
        steps.append((rng.choice([*UNARY, *BINARY]), taken))

    def build(module, operations):
        def f(*values):
            values = list(values)
            for name, (a, b) in steps:
                values.append(operations(name)(*((values[a],) if name in UNARY else (values[a], values[b]))))
            return values[-1]
        return f

    inputs = [torch.rand(s) * 2 - 1 for s in shapes]
    kind = rng.choice([None, ttnn.ShardStrategy.BLOCK, ttnn.ShardStrategy.HEIGHT, ttnn.ShardStrategy.WIDTH])
    cores = {None: None, ttnn.ShardStrategy.BLOCK: (2, 2), ttnn.ShardStrategy.HEIGHT: (2, 1), ttnn.ShardStrategy.WIDTH: (1, 2)}[kind]
    tensors = [in_dram(device, v) if kind is None or v.shape != (64, 64) else sharded(device, v, ttnn.float32, kind, cores) for v in inputs]
    want = build(torch, lambda name: UNARY.get(name) or BINARY[name])(*inputs)
    function = ttnn_jit.jit()(build(ttnn, lambda name: getattr(ttnn, name)))
    got = function(*tensors).to_torch()
    assert got.shape == want.shape
    scale = want.abs().max().clamp(min=1)
    if "floor" not in [n for n, _ in steps] and "sign" not in [n for n, _ in steps]:
        assert ((got - want).abs() <= 1e-5 * scale).all()
    else:  # a step function may turn a last bit into a whole
        assert ((got - want).abs() > 1e-5 * scale).float().mean() < 0.02


def test_a_thousand_operations(device):
    def f(x):
        for i in range(1000):
            x = ttnn.add(x, 1.0) if i % 2 else ttnn.neg(x)
        return x

    x = torch.randint(-8, 8, (32, 32)).float()
    want = x
    for i in range(1000):
        want = want + 1 if i % 2 else -want
    assert torch.equal(ttnn_jit.jit()(f)(in_dram(device, x)).to_torch(), want)


# ---- flags and caches --------------------------------------------------------------------------------


def test_cache_by_metadata_values_and_outside(device):
    global SCALE
    SCALE = 0.5

    @ttnn_jit.jit(enable_cache=True)
    def f(x, power=2):
        return ttnn.multiply(ttnn.pow(x, power), SCALE)

    assert f.num_entries == 0
    a, b = torch.rand(32, 32) + 1, torch.rand(32, 32) + 1
    for v in (a, b, a):
        torch.testing.assert_close(f(in_dram(device, v)).to_torch(), v**2 * 0.5)
    assert (f.num_entries, f.cache.hits, f.cache.misses) == (1, 2, 1)
    f(in_dram(device, torch.rand(64, 32)))
    f(in_dram(device, a, ttnn.bfloat16))
    f(sharded(device, torch.rand(64, 64)))
    torch.testing.assert_close(f(in_dram(device, a), power=3).to_torch(), a**3 * 0.5)
    assert f.num_entries == 5
    SCALE = 4.0
    torch.testing.assert_close(f(in_dram(device, a)).to_torch(), a**2 * 4)
    assert f.num_entries == 6
    factor = 2.0

    @ttnn_jit.jit(enable_cache=True)
    def g(x):
        return x * factor

    torch.testing.assert_close(g(in_dram(device, a)).to_torch(), a * 2)
    factor = 3.0
    torch.testing.assert_close(g(in_dram(device, a)).to_torch(), a * 3)


def test_the_device_counts_programs(device):
    device.clear_program_cache()
    x = in_dram(device, torch.randn(32, 32))
    functions = [ttnn_jit.jit(enable_cache=True)(f) for f in (lambda a: ttnn.exp(a), lambda a: ttnn.neg(a))]
    for function in functions * 2:
        function(x)
    ttnn_jit.jit()(lambda a: ttnn.abs(a))(x)  # not kept
    assert device.num_program_cache_entries() == 2
    ttnn.exp(x)
    assert device.num_program_cache_entries() == 3
    device.clear_program_cache()
    assert device.num_program_cache_entries() == 0 and torch.equal(functions[1](x).to_torch(), -x.to_torch())


def test_caches_are_apart_and_bounded():
    with pytest.raises(AssertionError, match="enable_cache=True"):
        ttnn_jit.jit()(cosh).num_entries
    cache = JitCache(2)
    for key in "abc":
        cache.put(key, key)
    assert (len(cache), cache.get("a"), cache.get("c")) == (2, None, "c")
    with pytest.raises(ValueError, match="at least 1"):
        JitCache(0)


def test_memory_config_of_results(device):
    x = sharded(device, torch.randn(64, 64))
    assert ttnn_jit.jit(memory_config=ttnn.DRAM_MEMORY_CONFIG)(cosh)(x).memory_config() == ttnn.DRAM_MEMORY_CONFIG
    inner = ttnn_jit.jit()(lambda a: ttnn.exp(a, memory_config=ttnn.DRAM_MEMORY_CONFIG))
    assert inner(x).memory_config() == ttnn.DRAM_MEMORY_CONFIG
    y = in_dram(device, torch.randn(64, 64))
    made = ttnn_jit.jit()(lambda a: ttnn.matmul(a, a))(y).memory_config()
    assert made.memory_layout is ttnn.TensorMemoryLayout.BLOCK_SHARDED and made.buffer_type is ttnn.BufferType.L1


def test_results_in_blocks(device, monkeypatch):
    """TTNN_JIT_RESULTS=blocks: results without a memory config are where tt-mlir puts them."""
    from ttnn_jit._src.utils import get_core_grid_from_tensor_args, get_maximal_block_sharding_grid

    x = in_dram(device, torch.randn(96, 320))
    function = ttnn_jit.jit(enable_cache=True)(lambda a: ttnn.exp(a))
    assert function(x).memory_config() == ttnn.DRAM_MEMORY_CONFIG
    monkeypatch.setenv("TTNN_JIT_RESULTS", "blocks")
    assert get_core_grid_from_tensor_args({"x": x}) == (7, 7) and get_maximal_block_sharding_grid((96, 320), (7, 7)) == [4, 2]
    assert function(x).memory_config() == ttnn.create_sharded_memory_config((96, 320), ttnn.CoreGrid(y=3, x=5), ttnn.ShardStrategy.BLOCK)
    assert ttnn_jit.jit(memory_config=ttnn.DRAM_MEMORY_CONFIG)(lambda a: ttnn.exp(a))(x).memory_config() == ttnn.DRAM_MEMORY_CONFIG
    monkeypatch.setenv("TTNN_JIT_RESULTS", "l1")
    with pytest.raises(ValueError, match="TTNN_JIT_RESULTS: expected operand or blocks, found 'l1'"):
        function(x)


def test_fallback_runs_the_plain_function(device, capsys):
    f = ttnn_jit.jit(fallback=True, debug=True)(lambda x: ttnn.mul(x, 2.0))
    x = torch.randn(32, 32)
    torch.testing.assert_close(f(in_dram(device, x)).to_torch(), x * 2)
    assert f.fallback_used and "falling back to eager mode" in capsys.readouterr().out
    with pytest.raises(ValueError, match="incompatible with compile_only"):
        ttnn_jit.jit(fallback=True, compile_only=True)(cosh)


def test_threads_share_a_function(device):
    f = ttnn_jit.jit(enable_cache=True)(cosh)
    x = torch.randn(64, 64)
    tensor, failed = in_dram(device, x), []

    def work():
        for _ in range(20):
            if not torch.allclose(f(tensor).to_torch(), torch.cosh(x), rtol=1e-5):
                failed.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed and f.num_entries == 1


# ---- what is refused -----------------------------------------------------------------------------------


def kept(x, _seen=[]):
    _seen.append(x)
    return ttnn.exp(_seen[0])


@pytest.mark.parametrize("write, kind, words", [
    (lambda x: ttnn.mul(x, 2.0), AssertionError, "Function mul not supported; did you mean ttnn.multiply?"),
    (lambda x: ttnn.softmax(x, dim=-1), AssertionError, "Function softmax not supported"),
    (lambda x: ttnn.nothing(x), AssertionError, "Function nothing not supported"),
    (lambda x: ttnn.exp(x, speed=3), AssertionError, "Function exp not supported: with argument 'speed'"),
    (lambda x: None, ValueError, "returns nothing"),
    (lambda x: 3, ValueError, "returns 3, no tensor"),
    (lambda x: ttnn.exp(x) if x else x, TypeError, "has no values while it is traced"),
    (lambda x: ttnn.add(x, float(x)), TypeError, "has no values while it is traced"),
    (lambda x: ttnn.add(x, "2"), TypeError, "expected a tensor or a number, found str"),
    (lambda x: ttnn.exp(), TypeError, "ttnn.exp: .*missing"),
    (lambda x: ttnn.matmul(x, ttnn.reshape(x, [32, 128])), ValueError, "inner sizes that are equal"),
    (lambda x: ttnn.add(x, ttnn.slice(x, [0, 0], [32, 32])), ValueError, "do not broadcast"),
    (lambda x: ttnn.sum(x, dim=2), ValueError, "expected a dimension from -2 to 1, found 2"),
    (lambda x: ttnn.permute(x, (0, 0)), ValueError, "each of 2 dimensions once"),
    (lambda x: ttnn.reshape(x, [3, -1]), ValueError, "expected a shape of 4096 elements"),
    (lambda x: ttnn.concat([x, ttnn.slice(x, [0, 0], [32, 32])], dim=0), ValueError, "equal but for dimension 0"),
    (lambda x: ttnn.add(x, ttnn.typecast(x, ttnn.bfloat16)), ValueError, "operands of one data type"),
])
def test_refusals_name_the_line(device, write, kind, words):
    with pytest.raises(kind, match=words) as error:
        ttnn_jit.jit()(write)(in_dram(device, torch.randn(64, 64)))
    assert __file__ in str(error.value) or "returns" in words


def recursive(x):
    return recursive(x)


def test_arguments_are_checked(device):
    f = ttnn_jit.jit()(cosh)
    rows = ttnn.from_torch(torch.randn(32, 32), layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
    in_l1 = ttnn.from_torch(torch.randn(32, 32), layout=ttnn.TILE_LAYOUT, device=device, memory_config=ttnn.L1_MEMORY_CONFIG)
    fine = in_dram(device, torch.randn(32, 32))
    for tensor, words in ((rows, "Only Layout.Tile tensors are supported"), (in_l1, "Interleaved L1 tensors are not supported"),
                          (ttnn.from_torch(torch.randn(32, 32)), "expected a tensor on a device")):
        with pytest.raises(ValueError, match=words):
            f(tensor)
    with pytest.raises(ValueError, match="Invalid arguments for function cosh"):
        f(fine, fine)
    with pytest.raises(AssertionError, match="Device is required"):
        f(3)
    with pytest.raises(RecursionError, match="calls itself without end"):
        ttnn_jit.jit()(recursive)(fine)
    with pytest.raises(ValueError, match="used after the call"):
        kept_jit = ttnn_jit.jit()(kept)
        kept_jit(fine), kept_jit(fine)
    other = ttnn.open_device(device_id=0)
    with pytest.raises(ValueError, match="its device is"):
        ttnn_jit.jit()(lambda a, b: a + b)(fine, in_dram(other, torch.randn(32, 32)))
    closed = in_dram(other, torch.randn(32, 32))
    ttnn.close_device(other)
    with pytest.raises(RuntimeError, match="has been closed"):
        f(closed)


@pytest.mark.parametrize("options, kind, words", [
    ({"backend": "metal"}, ValueError, "expected 'ttnn', found 'metal'"),
    ({"max_grid": (-1, 0)}, ValueError, "column and row of the last core"),
    ({"math_fidelity": 4}, TypeError, "expected a ttnn.MathFidelity"),
    ({"memory_config": "l1"}, TypeError, "expected a ttnn.MemoryConfig"),
])
def test_options_are_checked(options, kind, words):
    with pytest.raises(kind, match=words):
        ttnn_jit.jit(**options)(cosh)


def test_grid_beyond_the_chip(device):
    x = in_dram(device, torch.randn(32, 32))
    with pytest.raises(ValueError, match=r"found \(20, 20\), the last core of 21x21"):
        ttnn_jit.jit(max_grid=(20, 20))(cosh)(x)


def test_limits_of_tt_mlir(device, monkeypatch):
    monkeypatch.setenv("TTNN_JIT_LIMITS", "1")
    x, y = sharded(device, torch.randn(64, 64)), sharded(device, torch.randn(64, 64), cores=(1, 2), strategy=ttnn.ShardStrategy.WIDTH)
    with pytest.raises(ValueError, match="identical shard specs"):
        ttnn_jit.jit()(lambda a, b: a + b)(x, y)
    with pytest.warns(UserWarning, match="memory_config is ignored"):
        made = ttnn_jit.jit()(lambda a: ttnn.exp(a, memory_config=ttnn.DRAM_MEMORY_CONFIG))(x)
    assert made.memory_config() == x.memory_config()
    with pytest.raises(ValueError, match="expected whole tiles of 32x32, found shape"):
        ttnn_jit.jit()(cosh)(in_dram(device, torch.randn(33, 32)))


def test_engine_is_named(device, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_ENGINE", "quick")
    with pytest.raises(ValueError, match="expected host or grid"):
        ttnn_jit.jit()(cosh)(in_dram(device, torch.randn(32, 32)))


def test_infinities_and_nan(device):
    x = torch.tensor([[math.inf, -math.inf, math.nan, 0.0] * 8] * 32)
    got = ttnn_jit.jit()(lambda a: ttnn.maximum(ttnn.exp(a), ttnn.multiply(a, math.inf)))(in_dram(device, x)).to_torch()
    torch.testing.assert_close(got, torch.maximum(torch.exp(x), x * math.inf), equal_nan=True)


def test_the_page(capsys):
    """docs/ttnn-jit.md's example."""
    page = (Path(__file__).resolve().parents[2] / "docs/ttnn-jit.md").read_text()
    code = re.search(r"```python\n(.*?)```", page, re.S)[1]
    exec(compile(code, "ttnn-jit.md", "exec"), {"__name__": "page"})
    assert capsys.readouterr().out == "1\n"
