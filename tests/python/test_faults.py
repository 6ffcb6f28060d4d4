"""Processes that are killed while they write, folders that refuse everything, many programs, calls and threads in one process."""

import concurrent.futures
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from native import Program

from tilewright import _engine

MODEL = """func.func @main(%x: tensor<{n}x64xf32>, %w: tensor<64x32xf32>) -> tensor<{n}x32xf32> {{
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<{n}x64xf32>, tensor<64x32xf32>) -> tensor<{n}x32xf32>
  %1 = stablehlo.abs %0 : tensor<{n}x32xf32>
  return %1 : tensor<{n}x32xf32>
}}"""
WRITER = """
import sys
from tilewright import _engine
model, cache, dumps = open(sys.argv[1]).read(), sys.argv[2], sys.argv[3]
for i in range(100000):
    text = model.replace("{n}", str(i % 40 + 1)).replace("{{", "{").replace("}}", "}")
    _engine.native_compile(text, {"cache_dir": cache, "dump_dir": dumps})
    if i == 0:
        print("begun", flush=True)
"""


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_memory_of_two_thousand_programs():
    w = np.ones((64, 32), np.float32)
    for i in range(2000):
        n = 1 + i % 50
        out, = Program(MODEL.format(n=n), host=i % 2 == 0)(np.full((n, 64), -1, np.float32), w)
        assert out[-1, -1] == 64
        if i == 200:
            before = resident()
    assert resident() - before < 4 << 20


def test_writers_that_are_killed(tmp_path):
    """Five processes die at any point of writing caches and dumps; what they leave is used by the next one or made again,
    never believed."""
    (tmp_path / "model").write_text(MODEL)
    cache, dumps, draw = tmp_path / "cache", tmp_path / "dumps", random.Random(3)
    for _ in range(5):
        child = subprocess.Popen([sys.executable, "-c", WRITER, tmp_path / "model", cache, dumps], stdout=subprocess.PIPE, text=True,
                                 env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)))
        assert child.stdout.readline() == "begun\n"
        time.sleep(draw.random() * 0.05)
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
    assert any(cache.iterdir())
    for n in range(1, 41):
        x, w = np.full((n, 64), -1, np.float32), np.ones((64, 32), np.float32)
        for _ in range(2):
            assert (Program(MODEL.format(n=n), cache_dir=str(cache), dump_dir=str(dumps))(x, w)[0] == 64).all()


@pytest.mark.skipif(not os.path.isdir("/sys/kernel"), reason="needs a folder in which nothing can be made")
def test_folders_that_refuse_files():
    """A cache that cannot be written is no error; a dump that cannot be written is one, which names the folder."""
    from native import Error

    x, w = np.full((3, 64), -1, np.float32), np.ones((64, 32), np.float32)
    assert (Program(MODEL.format(n=3), cache_dir="/sys/kernel")(x, w)[0] == 64).all()
    with pytest.raises(Error, match="/sys/kernel"):
        Program(MODEL.format(n=3), dump_dir="/sys/kernel/dumps")


def test_damaged_entries_of_a_cache(tmp_path):
    """Every entry cut short, emptied or with a byte changed: computed anew."""
    cache, draw = tmp_path / "cache", random.Random(5)
    x, w = np.full((3, 64), -1, np.float32), np.ones((64, 32), np.float32)
    Program(MODEL.format(n=3), cache_dir=str(cache))
    files = [f for f in cache.rglob("*") if f.is_file()]
    assert files
    for _ in range(60):
        for file in (f for f in cache.rglob("*") if f.is_file()):
            data = bytearray(file.read_bytes())
            how = draw.randrange(3)
            if how == 0 and data:
                data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
            file.write_bytes(data[:draw.randrange(len(data) + 1)] if how == 1 else b"" if how == 2 else data)
        assert (Program(MODEL.format(n=3), cache_dir=str(cache))(x, w)[0] == 64).all()




@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_memory_of_many_calls():
    """100,000 calls, with TILEWRIGHT_LONG a million, leave memory as it is after a hundredth of them."""
    calls = 1_000_000 if os.environ.get("TILEWRIGHT_LONG") else 100_000
    run, x, w = Program(MODEL.format(n=1)), np.full((1, 64), -1, np.float32), np.ones((64, 32), np.float32)
    for i in range(calls):
        out, = run(x, w)
        if i == calls // 100:
            before = resident()
    assert out[0, 0] == 64 and resident() - before < 2 << 20


@pytest.mark.parametrize("models", [1, 8])
def test_eight_threads(models):
    """Eight threads call one model, or each its own, and get their own results. The programs are Python's: those of the C library are used by one
    thread at a time."""
    programs = [_engine.native_compile(MODEL.format(n=1 + k), {}) for k in range(models)]
    w = np.ones((64, 32), np.float32)

    def work(k):
        program, rows = programs[k % models], 1 + k % models
        for i in range(200):
            out = np.empty((rows, 32), np.float32)
            program.run_memory([np.full((rows, 64), k * 200 + i, np.float32), w], [out])
            if not (out == 64 * (k * 200 + i)).all():
                return i
        return None

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [None] * 8
