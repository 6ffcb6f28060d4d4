"""Searches of orders: each kernel of examples/explore is right in its first order; a search finds the order that breaks it,
and the delays run it again. The same kernel with its lines "right: ..." is silent."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
from tilewright import sim  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TW_BUILD", ROOT / "build")).resolve()
TOOL, PYTHON_TOOL = BUILD / "bin/tilewright", BUILD / "bin/ttlang-sim"
EXAMPLES = sorted((ROOT / "examples/explore").glob("*.mlir"))
# The kernels of docs/kernel-errors.md whose error depends on the order: found without a delay.
ORDERED = ["barrier-missing-read", "barrier-missing-write", "barrier-wrong-noc", "barrier-wrong-id", "noc-order", "l1-race",
           "l1-race-two-threads", "dram-race", "deadlock-mutual", "semaphore-overshoot", "semaphore-reset", "semaphore-overwritten"]
ORDERS = 10_000 if os.environ.get("TILEWRIGHT_LONG") else 500


def run(*arguments, cwd, tool=TOOL):
    return subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=120)


def righted(file, folder):
    """The example with its faults corrected."""
    text, n = re.subn(r"(?m)^( *).*(?://|#) right: (.*)$", r"\1\2", file.read_text())
    assert n == 1
    copy = folder / file.name
    copy.write_text(text)
    return copy


@pytest.mark.parametrize("file", EXAMPLES, ids=[f.stem for f in EXAMPLES])
def test_an_order_that_breaks_it_is_found(file, tmp_path):
    plain = run("sim", file, cwd=tmp_path)
    assert plain.returncode == 0, plain.stderr
    assert plain.stderr == ""
    found = run("sim", file, "--explore=1000", cwd=tmp_path)
    wanted = re.search(r"// Found: ([^,\n]*)", file.read_text())[1]
    first = re.search(rf"{re.escape(str(file))}:\d+:\d+: error: .*", found.stderr)[0]
    assert found.returncode == 1
    assert wanted in found.stderr
    assert re.search(r"note: found in order \d+ with seed 0; it needs (one delay|these delays):", found.stderr)
    # "both lines": the report's own note, in front of those on the search, is at another line
    assert len(set(re.findall(r"mlir:(\d+):\d+: (?:error|note)", found.stderr.partition("note: found")[0]))) > 1 or "endless" in wanted
    if wanted != "order":  # results that differ are no report of one run
        again = run("sim", file, f"--replay={file.name}.delays", cwd=tmp_path)
        assert again.returncode == 1
        assert first in again.stderr


@pytest.mark.parametrize("file", EXAMPLES, ids=[f.stem for f in EXAMPLES])
def test_the_right_kernel_is_silent(file, tmp_path):
    silent = run("sim", righted(file, tmp_path), f"--explore={ORDERS}", "--seed=3", cwd=tmp_path)
    assert silent.returncode == 0, silent.stderr
    assert f"{ORDERS} of {ORDERS} orders with seed 3" in silent.stderr
    assert silent.stderr.endswith("; no error\n")
    assert not list(tmp_path.glob("*.delays"))


@pytest.mark.parametrize("name", ORDERED)
def test_classes_that_depend_on_the_order(name, tmp_path):
    found = run("sim", ROOT / f"examples/broken/{name}.mlir", "--explore=100", cwd=tmp_path)
    assert found.returncode == 1
    assert "1 of 100 orders" in found.stderr
    assert not list(tmp_path.glob("*.delays"))


def test_one_seed_gives_one_search(tmp_path):
    file = ROOT / "examples/explore/sent-word-almost.mlir"
    texts = [re.sub(r" in \d+\.\d s", "", run("sim", file, "--explore=500", f"--seed={seed}", cwd=tmp_path).stderr)
             for seed in (5, 5, 6)]
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]


# ---- kernels in Python ------------------------------------------------------------------------------------------------

GATHER = ROOT / "examples/explore/ttl/gather.py"


def test_in_python(tmp_path):
    assert run(GATHER, cwd=tmp_path, tool=PYTHON_TOOL).returncode == 0
    found = run("--explore", 1000, GATHER, cwd=tmp_path, tool=PYTHON_TOOL)
    assert found.returncode == 1
    assert "DRAM race" in found.stderr
    assert re.search(r"gather: \d+ of 1000 orders with seed 0 in .* s: .*; an error", found.stderr)
    lines = (tmp_path / "gather.delays").read_text().splitlines()
    assert lines[0] == "tilewright delays 1"
    assert sum(line.startswith("delay ") for line in lines) == 1
    again = run("--replay", tmp_path / "gather.delays", GATHER, cwd=tmp_path, tool=PYTHON_TOOL)
    assert "DRAM race" in again.stderr


def test_ten_thousand_orders_of_a_right_kernel(tmp_path):
    silent = run("--explore", 10_000, righted(GATHER, tmp_path), cwd=tmp_path, tool=PYTHON_TOOL)
    assert silent.returncode == 0, silent.stderr
    assert "10000 of 10000 orders" in silent.stderr
    assert silent.stderr.endswith("; no error\n")


COUNT = """
func.func private @count() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
  %c0 = arith.constant 0 : index
  %w0 = arith.constant 0 : i32
  %w1 = arith.constant 1 : i32
  %bytes = arith.constant 2048 : i32
  %cb = "ttkernel.get_compile_time_arg_val"() <{arg_index = 0 : i32}> : () -> !ttkernel.cb<1, !ttcore.tile<32x32, bf16>>
  %base = "ttkernel.get_common_arg_val"(%c0) : (index) -> i32
  "ttkernel.cb_reserve_back"(%cb, %w1) : (!ttkernel.cb<1, !ttcore.tile<32x32, bf16>>, i32) -> ()
  %at = "ttkernel.get_write_ptr"(%cb) : (!ttkernel.cb<1, !ttcore.tile<32x32, bf16>>) -> i32
  %from = "ttkernel.get_noc_addr_from_bank_id"(%w0, %base) : (i32, i32) -> !ttkernel.noc_addr
  "ttkernel.noc_async_read"(%from, %at, %bytes) <{operandSegmentSizes = array<i32: 0, 0, 1, 1, 1, 0>}> : (!ttkernel.noc_addr, i32, i32) -> ()
  "ttkernel.noc_async_read_barrier"() : () -> ()
  %word = "ttkernel.reinterpret_cast"(%at) : (i32) -> !ttkernel.l1_addr_ptr
  %old = "ttkernel.load_from_l1"(%word, %w0) : (!ttkernel.l1_addr_ptr, i32) -> i32
  %new = arith.addi %old, %w1 : i32
  "ttkernel.store_to_l1"(%new, %word, %w0) : (i32, !ttkernel.l1_addr_ptr, i32) -> ()
  "ttkernel.noc_async_write"(%at, %from, %bytes) <{operandSegmentSizes = array<i32: 1, 0, 0, 1, 1, 0>}> : (i32, !ttkernel.noc_addr, i32) -> ()
  "ttkernel.noc_async_write_barrier"() : () -> ()
  "ttkernel.cb_push_back"(%cb, %w1) : (!ttkernel.cb<1, !ttcore.tile<32x32, bf16>>, i32) -> ()
  "ttkernel.cb_wait_front"(%cb, %w1) : (!ttkernel.cb<1, !ttcore.tile<32x32, bf16>>, i32) -> ()
  "ttkernel.cb_pop_front"(%cb, %w1) : (!ttkernel.cb<1, !ttcore.tile<32x32, bf16>>, i32) -> ()
  return
}
"""


@pytest.fixture
def counter():
    """A launch that adds 1 to its tensor's first word in place, and the tensor."""
    grid = sim.Grid()
    tensor = grid.tensor((32, 32), "bf16", data=torch.zeros(32, 32, dtype=torch.bfloat16))
    return grid.load(COUNT).launch([sim.Run("count", compile_args=[sim.cb(0)], common_args=[sim.address(0)])],
                                   cbs=[sim.Buffer(0, "bf16", 1)], tensors=[tensor]), tensor


def word(tensor):
    return int(tensor.read(torch.zeros(32, 32, dtype=torch.bfloat16)).view(torch.int32)[0, 0])


def test_each_run_finds_the_tensors_as_they_were(counter):
    launch, tensor = counter
    launch.run()
    assert word(tensor) == 1
    cycles = launch.cycles
    found = launch.explore(200, seed=1)
    assert (found.orders, found.broken, found.delays) == (200, False, "")
    assert word(tensor) == 2  # as of one run
    assert launch.cycles == cycles


def test_delays_cost_their_cycles(counter):
    launch, _ = counter
    launch.run()
    cycles = launch.cycles
    launch.set_delays("tilewright delays 1\ndelay 0 0 start 0 1000\ndelay 0 0 arrival 0 500  # a comment\n")
    launch.run()
    assert launch.cycles == cycles + 1500
    launch.set_delays("")
    launch.run()
    assert launch.cycles == cycles


# ---- bad input --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("text, message", [
    ("", "x.delays:1: expected 'tilewright delays 1', which --explore writes"),
    ("module {}\n", "x.delays:1: expected 'tilewright delays 1', which --explore writes, found 'module {}'"),
    ("tilewright delays 1\ndelay 0 0 begin 0 5\n", "x.delays:2: expected 'seed NUMBER', 'budget NUMBER' or 'delay PROGRAM THREAD "
                                                   "start|call|arrival COUNT CYCLES', found 'delay 0 0 begin 0 5'"),
    ("tilewright delays 1\nseed 1\ndelay 0 0 call 0 -5\n", "x.delays:3: expected"),
    ("tilewright delays 1\nseed 99999999999999999999\n", "x.delays:2: expected"),
])
def test_files_that_hold_no_delays(text, message, tmp_path):
    (tmp_path / "x.delays").write_text(text)
    done = run("sim", EXAMPLES[0], "--replay=x.delays", cwd=tmp_path)
    assert done.returncode == 1
    assert message in done.stderr


def test_delays_of_another_program(tmp_path):
    (tmp_path / "x.delays").write_text("tilewright delays 1\ndelay 0 77 start 0 5\ndelay 0 0 start 0 5\n")
    done = run("sim", EXAMPLES[0], "--replay=x.delays", cwd=tmp_path)
    assert done.returncode == 0
    assert "warning: 1 of the 2 delays of x.delays are at points that this program does not reach" in done.stderr


def test_numbers_of_orders(tmp_path):
    assert "--explore=-1: a number of orders is not negative" in run("sim", EXAMPLES[0], "--explore=-1", cwd=tmp_path).stderr
    assert "--explore 0: a number of orders is positive" in run("--explore", 0, GATHER, cwd=tmp_path, tool=PYTHON_TOOL).stderr
    assert "no such file; --explore writes one" in run("--replay", "none", GATHER, cwd=tmp_path, tool=PYTHON_TOOL).stderr


def test_a_kernel_that_never_ends(tmp_path):
    done = run("sim", ROOT / "examples/broken/endless-loop.mlir", "--explore=10", "--budget=100000", cwd=tmp_path)
    assert done.returncode == 1
    assert "an endless loop?" in done.stderr
    assert "1 of 10 orders" in done.stderr


@pytest.mark.parametrize("in_python", [False, True])
def test_a_search_that_is_interrupted(in_python, tmp_path):
    command = ([sys.executable, PYTHON_TOOL, "--explore", "100000000", "--seed", "4", righted(GATHER, tmp_path)] if in_python else
               [TOOL, "sim", righted(EXAMPLES[0], tmp_path), "--explore=100000000", "--seed=4"])
    if in_python:  # says when it has imported torch
        command[-1].write_text(command[-1].read_text().replace("    gather(x,", '    print("begins", flush=True)\n    gather(x,'))
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    start = time.process_time()
    if in_python:
        assert process.stdout.readline() == "begins\n"
    time.sleep(2)  # some orders
    process.send_signal(signal.SIGINT)
    _, text = process.communicate(timeout=60)
    assert process.returncode not in (0, None)
    assert re.search(r"interrupted after \d+ of 100000000 orders with seed 4", text), text
    assert time.process_time() - start < 10
