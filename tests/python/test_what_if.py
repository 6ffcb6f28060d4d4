"""What would help: of eight kernels with one planted bottleneck each, the planted one comes first; savings come true."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TW_BUILD", ROOT / "build")).resolve()
sys.path.append(str(ROOT / "examples"))
import what_if  # noqa: E402

SOURCE = (ROOT / "examples/what_if.py").read_text().splitlines()
LINE = next(i for i, line in enumerate(SOURCE, 1) if "# line: " in line)
PLANTED = {"dram": "DRAM", "noc": "NoC", "unpack": "unpackers", "math": "math units", "pack": "packer", "signal": "NoC",
           "depth": "circular buffer 0 ('x_cb') with 16 pages, not 8", "scalar": f"what_if.py:{LINE}"}
ROW = re.compile(r"^ *(-?\d+) +(-?\d+\.\d) % +(-?\d+|-)  (.*)$", re.M)


def table(capsys, monkeypatch, name, call=None):
    """Cycles, and rows of what, twice, free."""
    monkeypatch.setenv("TTLANG_SIM_WHAT_IF", "1")
    (call or what_if.CALLS[name])()
    out = capsys.readouterr().out
    return (int(re.search(r"what would help: (\d+) cycles", out)[1]),
            [(what, int(twice), free) for twice, _, free, what in ROW.findall(out)])


@pytest.mark.parametrize("name", PLANTED)
def test_the_planted_bottleneck_comes_first(name, capsys, monkeypatch):
    cycles, rows = table(capsys, monkeypatch, name)
    what, twice, _ = rows[0]
    assert PLANTED[name] in what, rows
    assert twice > cycles / 5
    assert name in ("dram", "depth") or twice > cycles * 0.3


def cycles_of(capsys, monkeypatch, call):
    monkeypatch.delenv("TTLANG_SIM_WHAT_IF", raising=False)
    monkeypatch.setenv("TTLANG_SIM_PROFILE", "1")
    for kernel in (what_if.depth, what_if.scalar, what_if.signal):
        kernel.cache.clear()  # the setting is read when a kernel is prepared
    call()
    return int(re.search(r": (\d+) cycles", capsys.readouterr().out)[1])


def test_a_deeper_buffer_saves_what_was_promised(capsys, monkeypatch):
    cycles, rows = table(capsys, monkeypatch, "depth")
    deep = cycles_of(capsys, monkeypatch, lambda: what_if.depth(*what_if.tensors(what_if.N, 8), blocks=2))
    assert cycles - deep == rows[0][1]


def test_a_shorter_loop_saves_what_was_promised(capsys, monkeypatch):
    cycles, rows = table(capsys, monkeypatch, "scalar")
    loop = [twice for what, twice, _ in rows if f"what_if.py:{LINE}" in what or f"what_if.py:{LINE - 1}" in what]
    assert len(loop) == 2
    half = cycles_of(capsys, monkeypatch, lambda: what_if.scalar(*what_if.tensors(1, what_if.N), steps=200))
    assert cycles - half == pytest.approx(sum(loop), rel=0.01)


def test_fewer_signals_save_what_was_promised(capsys, monkeypatch):
    cycles, rows = table(capsys, monkeypatch, "signal")
    line = next(twice for what, twice, _ in rows if "inc(1)" in what)
    half = cycles_of(capsys, monkeypatch, lambda: what_if.signal(*what_if.tensors(2, what_if.N), laps=15))
    assert cycles - half == pytest.approx(line, rel=0.02)


def test_results_and_cycles_are_those_of_one_run(capsys, monkeypatch):
    x, out = what_if.tensors(1, what_if.N)
    cycles, _ = table(capsys, monkeypatch, None, lambda: what_if.scalar(x, out))
    order = [i for i in range(what_if.N)]
    for _ in range(400):
        order = [(i * 5 + 3) % 16 for i in order]
    for i, at in enumerate(order):
        assert torch.equal(out[:, 32 * i:32 * i + 32], 2 * x[:, 32 * at:32 * at + 32])
    assert cycles == cycles_of(capsys, monkeypatch, lambda: what_if.scalar(x, out))


def test_the_page_has_the_table_and_marks(tmp_path):
    page = tmp_path / "trace.html"
    done = subprocess.run([BUILD / "bin/tilewright", "sim", ROOT / "tests/lit/device/matmul.mlir", "--what-if", f"--trace={page}"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    text = page.read_text()
    report = json.loads(re.search(r"<script>const report=(.*?)</script>", text, re.S)[1])
    shown = [what for _, _, _, what in ROW.findall(done.stdout)]
    assert len(report["helps"]) >= len(shown) > 5
    assert [h["what"] for h in report["helps"]][0] == shown[0] == "NoC"
    lines = [h["source"] for h in report["helps"] if h["source"]]
    trace = json.loads(re.search(r"<script>const trace=(.*?)</script>", text, re.S)[1])
    sources = {f"{kind[3]}:{kind[4]}" for kind in trace["kinds"] if kind[3]}
    assert lines[0] in sources  # is outlined


# ---- bad input --------------------------------------------------------------------------------------------------------

def test_kernels_with_errors_have_no_table():
    done = subprocess.run([BUILD / "bin/tilewright", "sim", ROOT / "examples/broken/deadlock-mutual.mlir", "--what-if"],
                          capture_output=True, text=True)
    assert done.returncode == 1
    assert "error: deadlock" in done.stderr
    assert "what would help" not in done.stdout


def test_a_kernel_that_never_ends():
    done = subprocess.run([BUILD / "bin/tilewright", "sim", ROOT / "examples/broken/endless-loop.mlir", "--what-if", "--budget=100000"],
                          capture_output=True, text=True)
    assert done.returncode == 1
    assert "an endless loop?" in done.stderr and "what would help" not in done.stdout


LONG = """import sys
import torch
import ttl

@ttl.kernel(grid=(1, 1))
def long(x, out):
    given, taken = (ttl.make_circular_buffer_like(t, shape=(1, 1)) for t in (x, out))

    @ttl.compute()
    def compute():
        for _ in range(N):
            with given.wait() as block, taken.reserve() as result:
                result.store(ttl.math.exp(block))

    @ttl.datamovement()
    def read():
        for _ in range(N):
            with given.reserve() as block:
                ttl.copy(x[0, 0], block).wait()

    @ttl.datamovement()
    def write():
        for _ in range(N):
            with taken.wait() as block:
                ttl.copy(block, out[0, 0]).wait()

N = 20000
x = torch.ones(32, 32)
print("begins", flush=True)
long(x, torch.zeros(32, 32))
"""


@pytest.mark.parametrize("in_python", [False, True])
def test_a_search_that_is_interrupted_has_what_was_measured(in_python, tmp_path):
    """Some 20 runs of half a second each: Ctrl-C comes after the first and before the last."""
    if in_python:
        file = tmp_path / "long.py"
        file.write_text(LONG)
        command = [BUILD / "bin/ttlang-sim", "--what-if", file]
    else:
        file = tmp_path / "long.mlir"
        text = (ROOT / "tests/lit/device/matmul.mlir").read_text().replace("%n = arith.constant 6 : i32", "%n = arith.constant 60000 : i32")
        text = text.replace("%i2 = arith.constant 2 : index", "%i2 = arith.constant 20000 : index").replace('noc_async_read_tile"(%i, ', 'noc_async_read_tile"(%k, ')
        text = text.replace("%c2 = arith.constant 2 : i32\n    %size", "%c2 = arith.constant 20000 : i32\n    %size")
        text = text.replace("%offset = arith.muli %i, %size", "%two = arith.constant 2 : i32\n      %row = arith.remsi %i, %two : i32\n"
                                                                "      %offset = arith.muli %row, %size")
        file.write_text(text)
        command = [BUILD / "bin/tilewright", "sim", file, "--what-if"]
    for seconds in (2, 4, 8, 16, 32):  # on a busy machine the first run alone takes long
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
        if in_python:
            assert process.stdout.readline() == "begins\n"
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        assert process.returncode not in (0, None)
        if "what would help" in out:
            break
    measured = re.search(r"interrupted: of the first (\d+) that were measured", out)
    assert measured and 1 <= int(measured[1]) < 40, (out, err)
    assert re.search(r"what would help: [1-9]\d* cycles", out)
    assert "interrupted; the table has what was measured" in err


def test_a_buffer_that_l1_cannot_hold_twice():
    from tilewright import sim

    grid = sim.Grid()
    text = (ROOT / "tests/python/test_explore.py").read_text().partition('COUNT = """')[2].partition('"""')[0]
    tensor = grid.tensor((32, 32), "bf16", data=torch.zeros(32, 32, dtype=torch.bfloat16))
    launch = grid.load(text).launch([sim.Run("count", compile_args=[sim.cb(0)], common_args=[sim.address(0)])],
                                    cbs=[sim.Buffer(0, "bf16", 500)], tensors=[tensor])
    helps, shown = launch.what_if()
    assert "not tried: circular buffer 0 with 1000 pages, not 500: L1 has no space for it" in shown
    assert not any("circular buffer" in h.what for h in helps)
