"""ttnn_jit on the simulated grid (TILEWRIGHT_ENGINE=grid): D2M's kernels beside torch and beside the host's engine.

f32 functions on elements are exact to 1e-5 of the largest value; what passes through the matrix unit or the reducer has TF32
operands (10 bits); bf16 chains keep 16 bits in DST between operations.
"""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import ttnn
import ttnn_jit
from tilewright import sim

BIN = Path(sim.__file__).parents[2] / "bin"
STRATEGIES = {"block": (ttnn.ShardStrategy.BLOCK, (2, 2)), "height": (ttnn.ShardStrategy.HEIGHT, (2, 1)), "width": (ttnn.ShardStrategy.WIDTH, (1, 2)), "dram": None}


@pytest.fixture(scope="module")
def device():
    made = ttnn.open_device(device_id=0)
    yield made
    ttnn.close_device(made)


@pytest.fixture(autouse=True)
def on_the_grid(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_ENGINE", "grid")


def tensor(device, values, placed, dtype=ttnn.float32):
    memory = STRATEGIES[placed]
    if memory:
        memory = ttnn.create_sharded_memory_config(values.shape, ttnn.CoreGrid(y=memory[1][0], x=memory[1][1]), memory[0])
    return ttnn.from_torch(values, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device, memory_config=memory or ttnn.DRAM_MEMORY_CONFIG)


EXACT, TF32 = 1e-5, 2e-3
CASES = {
    "exp": (lambda x, y: ttnn.exp(x), lambda x, y: torch.exp(x), EXACT),
    "add": (lambda x, y: ttnn.add(x, y), lambda x, y: x + y, 0),
    "chain": (lambda x, y: ttnn.sigmoid(ttnn.sin(ttnn.abs(x))), lambda x, y: torch.sigmoid(torch.sin(x.abs())), EXACT),
    "tree": (lambda x, y: ttnn.multiply(ttnn.add(x, y), ttnn.subtract(x, y)), lambda x, y: (x + y) * (x - y), 0),
    "where": (lambda x, y: ttnn.where(ttnn.gt(x, y), x, y), torch.maximum, 0),
    "numbers": (lambda x, y: ttnn.add(ttnn.multiply(x, 2.0), 1.0), lambda x, y: x * 2 + 1, 0),
    "two users": (lambda x, y: (lambda e: ttnn.add(e, ttnn.multiply(e, y)))(ttnn.exp(x)), lambda x, y: torch.exp(x) * (1 + y), EXACT),
    "matmul": (lambda x, y: ttnn.matmul(x, y), lambda x, y: x @ y, TF32),
    "sum of rows": (lambda x, y: ttnn.sum(x, dim=-1, keepdim=True), lambda x, y: x.sum(-1, keepdim=True), TF32),
    "sum of columns": (lambda x, y: ttnn.sum(x, dim=0, keepdim=True), lambda x, y: x.sum(0, keepdim=True), TF32),
    "mean": (lambda x, y: ttnn.mean(x, dim=1, keepdim=True), lambda x, y: x.mean(1, keepdim=True), TF32),
    "mean of all": (lambda x, y: ttnn.mean(ttnn.abs(x), dim=[0, 1], keepdim=True), lambda x, y: x.abs().mean((0, 1), keepdim=True), TF32),
    "maximum of rows": (lambda x, y: ttnn.max(x, dim=1, keepdim=True), lambda x, y: x.amax(1, keepdim=True), TF32),
    "transpose": (lambda x, y: ttnn.permute(x, (1, 0)), lambda x, y: x.T, TF32),
}


@pytest.mark.parametrize("placed", STRATEGIES)
@pytest.mark.parametrize("case", CASES)
def test_beside_torch(device, case, placed):
    write, want, bound = CASES[case]
    x, y = torch.randn(64, 64), torch.randn(64, 64)
    got = ttnn_jit.jit()(write)(tensor(device, x, placed), tensor(device, y, placed)).to_torch()
    expected = want(x, y)
    assert got.shape == expected.shape
    assert ((got - expected).abs() <= bound * expected.abs().max()).all()


DROPPED = {  # reductions that drop dimensions, and what follows them
    "rows": (lambda x: ttnn.sum(x, dim=-1), lambda x: x.sum(-1)),
    "columns": (lambda x: ttnn.max(x, dim=0, keepdim=False), lambda x: x.amax(0)),
    "all": (lambda x: ttnn.mean(x), lambda x: x.mean()),
    "elements behind": (lambda x: ttnn.add(ttnn.sqrt(ttnn.multiply(ttnn.sum(ttnn.abs(x), dim=1), 0.25)), ttnn.mean(ttnn.abs(x), dim=1)),
                        lambda x: (x.abs().sum(1) * 0.25).sqrt() + x.abs().mean(1)),
    "several results": (lambda x: (ttnn.min(x, dim=1), ttnn.neg(x), ttnn.min(x, dim=1, keepdim=True)), lambda x: (x.amin(1), -x, x.amin(1, keepdim=True))),
    "a memory config": (lambda x: ttnn.sum(x, dim=0, memory_config=ttnn.L1_MEMORY_CONFIG), lambda x: x.sum(0)),
}


@pytest.mark.parametrize("dtype", [ttnn.float32, ttnn.bfloat16, ttnn.bfloat8_b])
@pytest.mark.parametrize("placed", STRATEGIES)
@pytest.mark.parametrize("case", DROPPED)
def test_dropped_dimensions(device, case, placed, dtype, monkeypatch):
    """The grid keeps them, and the results are those of the host: shapes, places, values within TF32's and the type's bounds."""
    write, want = DROPPED[case]
    x = tensor(device, torch.randn(64, 128), placed, dtype)
    got = ttnn_jit.jit()(write)(x)
    monkeypatch.setenv("TILEWRIGHT_ENGINE", "host")
    host, expected = ttnn_jit.jit()(write)(x), want(x.to_torch().float())
    bound = {ttnn.float32: 2**-9, ttnn.bfloat16: 2**-7, ttnn.bfloat8_b: 2**-5}[dtype]
    for a, b, c in zip(*(v if isinstance(v, tuple) else (v,) for v in (got, host, expected))):
        assert a.shape == b.shape == c.shape and a.dtype is b.dtype is dtype and a.memory_config() == b.memory_config()
        assert ((a.to_torch().float() - c).abs() <= bound * c.abs().max() + bound * 128 ** 0.5 / 8).all()


def chain(x):
    return ttnn.exp(ttnn.neg(ttnn.sin(ttnn.abs(x))))


def tree(*parts):
    a, b, c, d = (ttnn.add(parts[i], parts[i + 1]) for i in range(0, 8, 2))
    return ttnn.add(ttnn.add(a, b), ttnn.add(c, d))


@pytest.mark.parametrize("write, inputs", [(chain, 1), (tree, 8)])
def test_both_engines_give_the_same_bytes(device, write, inputs, monkeypatch):
    """f32 in a 32-bit DST: no rounding between operations but f32's own."""
    parts = [tensor(device, torch.randn(128, 64), "block") for _ in range(inputs)]
    on_grid = ttnn_jit.jit()(write)(*parts).to_torch()
    monkeypatch.setenv("TILEWRIGHT_ENGINE", "host")
    assert torch.equal(on_grid, ttnn_jit.jit()(write)(*parts).to_torch())


def test_bf16_chain(device):
    x = tensor(device, torch.randn(64, 64), "block", ttnn.bfloat16)
    got = ttnn_jit.jit()(chain)(x)
    want = torch.exp(-torch.sin(x.to_torch().float().abs()))
    assert got.dtype is ttnn.bfloat16 and ((got.to_torch().float() - want).abs() <= 4 * 2**-8 * want).all()


def test_one_kernel_for_a_chain(device, capsys, monkeypatch, tmp_path):
    """The documents' promise: one fused generic; and what compile_only leaves behind."""
    monkeypatch.chdir(tmp_path)
    x = tensor(device, torch.randn(64, 64), "block", ttnn.bfloat16)
    module = ttnn_jit.jit(compile_only=True, math_fidelity=ttnn.MathFidelity.HiFi2)(chain)(x)
    assert module.count('"ttnn.generic"(') == 1 and "math_fidelity = hifi2" in module
    assert capsys.readouterr().out.startswith("---- IR Dump after ttnn_to_ttmetal_pipeline ----")
    left = {p.name for p in (tmp_path / "generated/jit/chain").iterdir()}
    assert {"chain.mlir", "chain.ttnn", "compute_kernel1.cpp"} <= left
    source = (tmp_path / "generated/jit/chain/compute_kernel1.cpp").read_text()
    assert [name for name in ("abs_tile", "sin_tile", "negative_tile", "exp_tile") if name + "(" in source] == ["abs_tile", "sin_tile", "negative_tile", "exp_tile"]


def test_the_older_route(device):
    x = torch.randn(64, 64)
    got = ttnn_jit.jit(graph_capture=False)(chain)(tensor(device, x, "block")).to_torch()
    torch.testing.assert_close(got, torch.exp(-torch.sin(x.abs())), rtol=1e-5, atol=1e-5)


def test_commands_of_the_documents(device, tmp_path):
    """ttmlir-opt's module becomes a binary, whose kernels in C++ give the numbers of the run in Python."""
    values = torch.randn(64, 64)
    x = tensor(device, values, "block")
    ttnn_text = ttnn_jit.jit()(chain)
    from ttnn_jit._src.trace import trace

    (tmp_path / "f.mlir").write_text(ttnn_text.module_text(trace(chain, device, (x,), {})))
    opt = [BIN / "ttmlir-opt", tmp_path / "f.mlir", "--ttir-to-ttmetal-pipeline=ttnn-mode=true", "-o", tmp_path / "g.mlir"]
    subprocess.run(list(map(str, opt)), check=True, capture_output=True)
    subprocess.run([str(BIN / "ttmlir-translate"), "--ttnn-to-flatbuffer", str(tmp_path / "g.mlir"), "-o", str(tmp_path / "g.ttnn")], check=True)
    np.savez(tmp_path / "in.npz", in0=values.numpy())
    np.savez(tmp_path / "want.npz", out0=ttnn_text(x).to_torch().numpy())
    ran = subprocess.run([BIN / "tilewright", "run", "g.ttnn", "--entry=chain", "--inputs=in.npz", "--expect=want.npz", "--atol=0", "--rtol=0"],
                         cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    ran = subprocess.run([BIN / "ttrt", "run", "g.ttnn"], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_what_the_pipeline_refuses_names_the_pass(device):
    x = tensor(device, torch.randn(64, 64), "block")
    with pytest.raises(RuntimeError, match="Failed to run pass manager: d2m-fe-pipeline refuses"):
        ttnn_jit.jit(extra_pipeline_options="nothing-such=1")(chain)(x)


@pytest.mark.parametrize("shape", [(1, 64), (64, 1)])
def test_what_is_computed_on_a_broadcast_tile(device, shape):
    """The tile that a broadcast writes is the operand of a function that computes in place."""
    x, y = torch.randn(64, 64).round(), torch.randn(shape).round()
    got = ttnn_jit.jit()(lambda a, b: ttnn.logical_or(a, b))(tensor(device, x, "dram"), tensor(device, y, "dram")).to_torch()
    assert torch.equal(got, torch.logical_or(x, y).float())


def test_compiled_again_where_a_kernel_does_not_fit(device, capsys):
    """More tiles live than DST has in a fused kernel; shards that D2M changes by rows only."""
    def wide(a, b, c):
        return ttnn.where(ttnn.gt(ttnn.add(a, b), ttnn.multiply(b, c)), ttnn.where(ttnn.lt(a, c), ttnn.add(a, c), b), ttnn.multiply(a, c))

    a, b, c = torch.randn(3, 64, 64)
    got = ttnn_jit.jit()(wide)(*(tensor(device, v, "dram") for v in (a, b, c))).to_torch()
    assert torch.equal(got, torch.where(a + b > b * c, torch.where(a < c, a + c, b), a * c))
    x = torch.randn(32, 96)
    memory = ttnn.create_sharded_memory_config((32, 96), ttnn.CoreGrid(y=1, x=1), ttnn.ShardStrategy.WIDTH)
    shards = ttnn.from_torch(x, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device, memory_config=memory)
    got = ttnn_jit.jit(debug=True)(lambda v, w: ttnn.multiply(ttnn.exp(v), w))(shards, tensor(device, torch.ones(1, 96), "dram"))
    assert got.memory_config() == memory and ((got.to_torch() - torch.exp(x)).abs() <= 1e-5 * torch.exp(x).max()).all()


def gate(a, b, c):
    s = ttnn.sigmoid(ttnn.add(a, b))
    t = ttnn.exp(ttnn.neg(c))
    return ttnn.multiply(s, t)


def test_what_one_sees(device, tmp_path):
    """The page: the graph, generics before and after fusion, the schedule of DST, timelines, C++ beside the lines of Python."""
    from ttnn_jit._src import inspect

    parts = [tensor(device, torch.randn(64, 64), "block", ttnn.bfloat16) for _ in range(3)]
    function = ttnn_jit.jit()(gate)
    first = gate.__code__.co_firstlineno
    seen = inspect.run(function, parts)
    assert [[t[0] for t in g.tiles] for g in seen.apart] == [["add"], ["sigmoid"], ["negative"], ["exp"], ["mul"]] and len(seen.fused) == 1
    assert {t[2] for t in seen.fused[0].tiles} == {first + 1, first + 2, first + 3}
    kernel, = (k for k in seen.kernels if k.steps)
    steps = [(s.name, s.line[1] - first, s.reads, s.writes) for s in kernel.steps]
    assert ("sigmoid_tile", 1, (0,), (0,)) in steps and steps[-1][0] == "pack_tile" and 1 <= kernel.tiles <= 8
    assert all(set(s.reads) | set(s.writes) <= set(s.live) for s in kernel.steps)
    called = {line[1] - first for line, cpp in zip(kernel.lines, kernel.cpp.splitlines()) if line and "exp_tile(" in cpp}
    assert called == {2} and seen.cycles > 0 and seen.bytes_moved == 4 * 64 * 64 * 2
    function.fusion = False
    apart = inspect.run(function, parts)
    assert len(apart.launches) > len(seen.launches) and apart.cycles > seen.cycles and torch.equal(apart.results.to_torch(), seen.results.to_torch())
    function.fusion = True
    made = function.page(tmp_path / "gate.html", *parts)
    page = (tmp_path / "gate.html").read_text()
    assert torch.equal(made.to_torch(), seen.results.to_torch()) and page.startswith("<!doctype html>")
    for part in ("Before fusion: 5", "After fusion: 1", "Schedule of DST", "timeline of launch 0", "exp_tile(", "argument 2", "t = ttnn.exp(ttnn.neg(c))"):
        assert part in page, part
    assert not re.search(r'(src|href)="(?!#)', page), "it needs no other file"


@pytest.mark.skipif(not shutil.which("chromium"), reason="no chromium")
def test_the_page_in_a_browser(device, tmp_path):
    """The scripts of its timelines run: no exception, bars are drawn, and the frame is as high as its contents."""
    x = tensor(device, torch.randn(64, 64), "block", ttnn.bfloat16)
    ttnn_jit.jit()(chain).page(tmp_path / "chain.html", x)
    text = (tmp_path / "chain.html").read_text()
    watch = ("<script>addEventListener('load', () => setTimeout(() => { const f = document.querySelector('iframe'), d = f.contentDocument; "
             "document.title = `rows ${d.querySelectorAll('tr').length} ${f.clientHeight >= d.documentElement.offsetHeight}`; }, 2000));</script>")
    (tmp_path / "chain.html").write_text(text.replace("</body>", watch + "</body>"))
    ran = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom", "--virtual-time-budget=8000",
                          f"file://{tmp_path}/chain.html"], capture_output=True, text=True, timeout=120)
    rows, whole = re.search(r"<title>rows (\d+) (\w+)</title>", ran.stdout).groups()
    assert int(rows) > 5 and whole == "true" and "Uncaught" not in ran.stderr


@pytest.mark.parametrize("shape, grid", [((256, 256), (3, 3)), ((256, 64), (4, 4)), ((96, 160), (3, 1)), ((256, 64), (5, 2)), ((224, 224), (6, 6))])
@pytest.mark.parametrize("name", ["sum", "max", "min"])
def test_reductions_on_grids_of_any_shape(device, shape, grid, name):
    """Shards of rows on cores that are no column: each core has its own."""
    values = torch.randn(*shape)
    for dim in (-1, -2):
        got = ttnn_jit.jit(max_grid=grid)(lambda a: getattr(ttnn, name)(a, dim=dim, keepdim=True))(tensor(device, values, "dram")).to_torch()
        want = getattr(values.double(), name)(dim=dim, keepdim=True)
        want = want if name == "sum" else want.values
        bound = 2.0**-10 * (values.double().abs().sum(dim, keepdim=True) if name == "sum" else want.abs()) + 1e-6
        assert ((got.double() - want).abs() <= bound).all()


def test_a_matrix_times_itself(device):
    """One operand with two maps: loads go along the rows of the one and the columns of the other."""

    def function(a):
        b = ttnn.exp(a)
        return ttnn.matmul(b, b)

    for n in (64, 96, 256):
        values = torch.rand(n, n)
        made = values.double().exp()
        got = ttnn_jit.jit()(function)(tensor(device, values, "dram")).to_torch()
        assert ((got.double() - made @ made).abs() <= 2.0**-9 * (1 + n * 2.0**-15) * (made @ made)).all()


@pytest.mark.parametrize("dtype", [ttnn.float32, ttnn.bfloat16])
@pytest.mark.parametrize("kinds", ["rcr", "ccr", "rcc", "rcf"])
def test_choices_among_broadcast_tiles(device, kinds, dtype):
    """Three operands that are broadcast: as many tiles of DST as three results."""
    shapes = {"r": (1, 64), "c": (64, 1), "f": (64, 64)}
    given = [tensor(device, torch.randn(*shapes[k]).where(torch.rand(shapes[k]) < 0.7, 0.0), "dram", dtype) for k in kinds]
    got = ttnn_jit.jit()(lambda x, y, z: ttnn.where(x, y, z))(*given).to_torch().float()
    x, y, z = (t.to_torch().float() for t in given)
    want = torch.where(x != 0, y, z)
    assert ((got - want).abs() <= 2.0**-10 * want.abs()).all()


@pytest.mark.parametrize("count, kernels", [(125, 1), (300, 3)])
def test_long_chains(device, count, kernels):
    """A chain needs two tiles of scratch memory, whatever its length; as many operations are fused as have room in L1 for their buffers."""
    from ttnn_jit._src import inspect

    def function(a):
        for i in range(count):
            a = ttnn.add(a, 1.0) if i % 2 else ttnn.neg(a)
        return a

    values = torch.zeros(32, 32)
    want = values
    for i in range(count):
        want = want + 1 if i % 2 else -want
    x = tensor(device, values, "dram")
    jitted = ttnn_jit.jit(enable_cache=True)(function)
    for _ in range(2):  # its buffers are given back, its argument is not
        assert torch.equal(jitted(x).to_torch(), want)
    assert torch.equal(x.to_torch(), values)
    seen = inspect.run(jitted, (x,))
    assert torch.equal(seen.results.to_torch(), want) and len([g for g in seen.fused if any(t[0] == "negative" for t in g.tiles)]) == kernels


def test_a_transposition_beside_others(device):
    """Each sets up the unpackers for itself."""
    values = torch.randn(64, 64)
    got = ttnn_jit.jit()(lambda a: ttnn.multiply(ttnn.minimum(ttnn.cos(a), ttnn.permute(a, (1, 0))), ttnn.clamp(ttnn.sign(a), -0.75, 1.25)))(
        tensor(device, values, "dram")).to_torch()
    want = torch.minimum(values.cos(), values.T) * values.sign().clamp(-0.75, 1.25)
    assert ((got - want).abs() <= 2.0**-9 * (1 + want.abs())).all()


def test_a_sharded_row_of_results(device):
    """The padding of a reduced shard counts as its memory."""
    memory = ttnn.create_sharded_memory_config((96, 32), ttnn.CoreGrid(y=1, x=1), ttnn.ShardStrategy.BLOCK)
    values = torch.randn(96, 32)
    x = ttnn.from_torch(values, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device, memory_config=memory)
    got = ttnn_jit.jit()(lambda a: ttnn.max(ttnn.relu(a), dim=0, keepdim=True))(x).to_torch()
    want = values.relu().amax(0, keepdim=True)
    assert ((got - want).abs() <= 2.0**-10 * want).all()


@pytest.mark.parametrize("name", ["reciprocal", "log", "max"])
def test_padding_beside_block_floats(device, name):
    """The last 8 of 72 columns share exponents with padding, which these functions make infinite."""
    x = tensor(device, torch.rand(40, 72) + 1, "dram", ttnn.bfloat8_b)
    got = ttnn_jit.jit()(lambda a: ttnn.max(a, dim=0, keepdim=True) if name == "max" else getattr(ttnn, name)(a))(x).to_torch().double()
    values = x.to_torch().double()
    want = values.amax(0, keepdim=True) if name == "max" else getattr(torch, name)(values)
    assert ((got - want).abs() <= 2.0**-6).all()
