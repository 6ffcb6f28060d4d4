"""ttnn_jit on what is wrong, too large or interrupted: an error that names it, never a crash, a hang or a wrong number."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

torch = pytest.importorskip("torch")

import ttnn
import ttnn_jit


@pytest.fixture(scope="module")
def device():
    made = ttnn.open_device(device_id=0)
    yield made
    ttnn.close_device(made)


def tensor(device, values, dtype=ttnn.float32):
    return ttnn.from_torch(values, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)


def total(*tensors):
    out = tensors[0]
    for t in tensors[1:]:
        out = ttnn.add(out, t)
    return out


@pytest.mark.parametrize("engine, count", [("host", 200), ("grid", 40)])
def test_many_tensors(device, monkeypatch, engine, count):
    """More than a core has circular buffers: several kernels."""
    monkeypatch.setenv("TILEWRIGHT_ENGINE", engine)
    values = torch.randint(-8, 8, (count, 32, 32)).float()
    got = ttnn_jit.jit()(total)(*(tensor(device, v) for v in values))
    assert torch.equal(got.to_torch(), values.sum(0))


def test_too_many_tensors(device):
    x = tensor(device, torch.ones(32, 32))
    with pytest.raises(ValueError, match="300 arguments and 1 results"):
        ttnn_jit.jit()(total)(*[x] * 300)


def test_what_is_returned_as_it_came(device, monkeypatch):
    """An argument, a tensor from outside, the same result twice."""
    x, outside = tensor(device, torch.randn(32, 32)), tensor(device, torch.randn(32, 32))

    def function(a):
        made = ttnn.neg(a)
        return a, outside, made, made

    for engine in ("host", "grid"):
        monkeypatch.setenv("TILEWRIGHT_ENGINE", engine)
        a, b, c, d = (t.to_torch() for t in ttnn_jit.jit()(function)(x))
        assert torch.equal(a, x.to_torch()) and torch.equal(b, outside.to_torch()) and torch.equal(c, -x.to_torch()) and torch.equal(c, d)


def test_writes_in_place(device):
    """`+=` makes a new value; what would change a tensor is refused."""
    def function(a):
        a += 1.0
        return a

    def element(a):
        a[0] = 1.0
        return a

    x = tensor(device, torch.zeros(32, 32))
    assert (ttnn_jit.jit()(function)(x).to_torch() == 1).all() and (x.to_torch() == 0).all()
    with pytest.raises(TypeError, match="has no values while it is traced"):
        ttnn_jit.jit()(element)(x)
    with pytest.raises(AssertionError, match="Function add not supported: with argument 'output_tensor'"):
        ttnn_jit.jit()(lambda a: ttnn.add(a, a, output_tensor=a))(x)


def test_given_back_tensors(device):
    x = tensor(device, torch.zeros(32, 32))
    ttnn.deallocate(x)
    with pytest.raises(ValueError, match="ttnn.deallocate gave its memory back"):
        ttnn_jit.jit()(lambda a: ttnn.exp(a))(x)


@pytest.mark.parametrize("engine, count", [("host", 10_000), ("grid", 2_000)])
def test_ten_thousand_operations(device, monkeypatch, engine, count):
    """On the grid 10,000 take 14 s, and a fifth of them a fifth of that."""
    monkeypatch.setenv("TILEWRIGHT_ENGINE", engine)

    def function(a):
        for i in range(count):
            a = ttnn.add(a, 1.0) if i % 2 else ttnn.neg(a)
        return a

    start = time.process_time()
    got = ttnn_jit.jit()(function)(tensor(device, torch.zeros(32, 32)))
    want = torch.zeros(32, 32)
    for i in range(count):
        want = want + 1 if i % 2 else -want
    assert torch.equal(got.to_torch(), want) and time.process_time() - start < 20


@pytest.mark.parametrize("engine", ["host", "grid"])
def test_shards_that_differ(device, monkeypatch, engine):
    """tt-mlir refuses them; here the result has the first operand's."""
    monkeypatch.setenv("TILEWRIGHT_ENGINE", engine)
    a, b, c = (torch.randint(-8, 8, (128, 128)).float() for _ in range(3))
    spec = lambda strategy, y, x: ttnn.create_sharded_memory_config((128, 128), ttnn.CoreGrid(y=y, x=x), strategy)
    rows, blocks = spec(ttnn.ShardStrategy.HEIGHT, 4, 1), spec(ttnn.ShardStrategy.BLOCK, 2, 2)
    held = [ttnn.from_torch(v, layout=ttnn.TILE_LAYOUT, device=device, memory_config=m) for v, m in ((a, rows), (b, blocks), (c, ttnn.DRAM_MEMORY_CONFIG))]
    got = ttnn_jit.jit()(lambda x, y, z: ttnn.add(ttnn.multiply(x, y), z))(*held)
    assert torch.equal(got.to_torch(), a * b + c) and got.memory_config() == rows


def test_layouts_and_types_that_no_program_has(device):
    x = torch.zeros(64, 64)
    cores = ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 1))})
    column_major = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.BLOCK_SHARDED, ttnn.BufferType.L1, ttnn.ShardSpec(cores, (32, 32), ttnn.ShardOrientation.COL_MAJOR))
    in_dram = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.BLOCK_SHARDED, ttnn.BufferType.DRAM, ttnn.ShardSpec(cores, (32, 32)))
    for memory, words in ((column_major, "Column major sharding is not supported"), (in_dram, "Sharded DRAM tensors are not supported")):
        held = ttnn.from_torch(x, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, memory_config=memory)
        with pytest.raises(ValueError, match=words):
            ttnn_jit.jit()(lambda a: ttnn.exp(a))(held)


def test_a_shape_with_no_legal_grid(device, monkeypatch):
    """37 times 41 tiles, on rows and columns of up to eight: all of it on a core, which has no room."""
    x = torch.randn(37 * 32, 41 * 32)
    function = ttnn_jit.jit()(lambda a: ttnn.relu(ttnn.neg(a)))
    assert torch.equal(function(tensor(device, x)).to_torch(), torch.relu(-x))
    monkeypatch.setenv("TILEWRIGHT_ENGINE", "grid")
    with pytest.raises(RuntimeError, match="Failed to run pass manager: d2m-fe-pipeline refuses"):
        function(tensor(device, x))


@pytest.mark.parametrize("shape", [(1, 1), (3, 5, 7, 9), (33, 65)])
def test_shapes_of_no_whole_tiles(device, monkeypatch, shape):
    monkeypatch.setenv("TILEWRIGHT_ENGINE", "grid")
    x = torch.randn(shape)
    got = ttnn_jit.jit()(lambda a: ttnn.relu(ttnn.neg(a)))(tensor(device, x))
    assert torch.equal(got.to_torch(), torch.relu(-x))


def test_folders_that_cannot_be_written(device, tmp_path, monkeypatch):
    """compile_only where its folder cannot be made: the path is named, and nothing is left half-written."""
    x = tensor(device, torch.zeros(32, 32))
    (tmp_path / "generated").write_text("a file")
    monkeypatch.chdir(tmp_path)

    def function(a):
        return ttnn.exp(a)

    with pytest.raises(OSError, match="generated"):
        ttnn_jit.jit(compile_only=True)(function)(x)
    with pytest.raises(OSError, match="nowhere"):
        ttnn_jit.jit()(function).page(tmp_path / "nowhere" / "page.html", x)
    assert [p.name for p in tmp_path.iterdir()] == ["generated"]
    if os.path.exists("/dev/full"):
        with pytest.raises(OSError, match="No space left"):
            ttnn_jit.jit()(function).page("/dev/full", x)


def test_first_calls_from_eight_threads(device, monkeypatch):
    """On both engines; the function is compiled at most once for each thread, and kept once."""
    for engine in ("host", "grid"):
        monkeypatch.setenv("TILEWRIGHT_ENGINE", engine)
        function, failed = ttnn_jit.jit(enable_cache=True)(lambda a: ttnn.exp(ttnn.neg(a))), []
        x = tensor(device, torch.randn(64, 64))
        want = ttnn.exp(ttnn.neg(x)).to_torch()
        barrier = threading.Barrier(8)

        def work():
            barrier.wait()
            try:
                if not torch.equal(function(x).to_torch(), want):
                    failed.append("wrong")
            except Exception as error:
                failed.append(error)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert not failed and function.num_entries == 1


PROGRAM = """
import os, sys, torch, ttnn, ttnn_jit
device = ttnn.open_device(device_id=0)
x = ttnn.from_torch(torch.ones(*{shape}), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
def short(a):
    return ttnn.neg(a)
def long(a):
    for i in range({length}):
        a = ttnn.sin(ttnn.exp(ttnn.neg(a)))
    return a
f = ttnn_jit.jit(enable_cache=True)(long)
{before}
print("begins", flush=True)
try:
    {call}
    print("ended", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
os.environ.pop("TILEWRIGHT_ENGINE", None)
print(torch.equal(ttnn_jit.jit()(short)(x).to_torch(), -x.to_torch()))
"""


@pytest.mark.parametrize("engine, shape, length, before, call", [
    ("host", (32, 32), 4000, "", "while True: ttnn_jit.jit()(long)(x)"), ("host", (4096, 4096), 40, "f(x)", "while True: f(x)"),
    ("grid", (64, 64), 300, "", "while True: ttnn_jit.jit()(long)(x)"), ("grid", (1024, 1024), 3, "f(x)", "while True: f(x)")])
def test_ctrl_c(engine, shape, length, before, call):
    """In compilation and in runs; the next call works."""
    text = textwrap.dedent(PROGRAM).format(shape=shape, length=length, before=before, call=call)
    child = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env={**os.environ, "TILEWRIGHT_ENGINE": engine})
    try:
        assert child.stdout.readline() == "begins\n", child.stderr.read()
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=120)
    finally:
        child.kill()
    assert (child.returncode, out) == (0, "interrupted\nTrue\n"), err
