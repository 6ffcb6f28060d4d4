"""Ctrl-C while the library works: tools end with the shell's status 130, Python raises KeyboardInterrupt and goes on,
and no half-written file stays."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import pytest

torch = pytest.importorskip("torch")
from conftest import ROOT  # noqa: E402

NEEDS_CXX = pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")
BUILD = os.environ.get("TW_BUILD", str(ROOT / "build"))
BIN = os.path.join(BUILD, "bin")
ENDLESS = """
from grid_kernels import constants
from tilewright import sim
def program(count):
    return f'''module {{ func.func private @k() attributes {{ttkernel.thread = #ttkernel.thread<noc>}} {{
    {constants()}
    %n = arith.constant {count} : i32
    scf.for %i = %w0 to %n step %w1 : i32 {{
      %y = arith.muli %i, %i : i32
      "ttkernel.noc_async_read_barrier"() : () -> ()
    }}
    return }} }}'''
grid = sim.Grid("n150", budget=1 << 60)
launch = grid.load(program(2000000000)).launch([sim.Run("k")])
call = launch.run
again = grid.load(program(3)).launch([sim.Run("k")]).run
"""
TTL = """
import torch, ttl, ttnn
device = ttnn.open_device(device_id=0)
def make(times):
    @ttl.kernel(grid=(1, 1))
    def kernel(a, out):
        taken, given = (ttl.make_circular_buffer_like(t, shape=(1, 1)) for t in (a, out))
        @ttl.compute()
        def compute():
            for _ in range(times):
                with taken.wait() as x, given.reserve() as y:
                    y.store(x + x)
        @ttl.datamovement()
        def read():
            for _ in range(times):
                with taken.reserve() as x:
                    ttl.copy(a[0:1, 0:1], x).wait()
        @ttl.datamovement()
        def write():
            for _ in range(times):
                with given.wait() as y:
                    ttl.copy(y, out[0:1, 0:1]).wait()
    return kernel
a, out = (ttnn.from_torch(torch.ones(32, 32), layout=ttnn.TILE_LAYOUT, device=device, dtype=ttnn.float32) for _ in range(2))
call = lambda: make(2000000000)(a, out)
def again():
    make(2)(a, out)
    assert ttnn.to_torch(out)[3, 3] == 2
"""
TURNS = """
import os, threading, time
from tilewright import sim
KERNEL = '#include "dataflow_api.h"\\nvoid kernel_main() { while (get_arg_val<uint32_t>(0)) noc_async_read_barrier(); }'
def launch(endless):
    return sim.Grid("n150", budget=1 << 60).load().launch([sim.Run(KERNEL, args=[endless])])
first, second = launch(1), launch(0)
threading.Thread(target=first.run, daemon=True).start()
busy = time.process_time() + 0.1
while time.process_time() < busy:  # it has begun
    time.sleep(0.01)
call = second.run
def again():  # what the other thread runs has no end
    print("stopped", flush=True)
    os._exit(5)
"""
COMPILE = """
import torch
from tilewright import _engine
text = ["func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {", "%0 = stablehlo.add %a, %a : tensor<4xf32>"]
text += [f"%{i + 1} = stablehlo.{['add', 'multiply', 'maximum'][i % 3]} %{i}, %a : tensor<4xf32>" for i in range(60000)]
text += ["return %60000 : tensor<4xf32>", "}"]
text = "\\n".join(text)
call = lambda: _engine.native_compile(text, {})
again = lambda: _engine.native_compile("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }", {})
"""
PASSES = """
from ttmlir import ir, passmanager
context = ir.Context()
text = "".join(f"func.func @f{i}(%a: i32) -> i32 {{ %0 = arith.addi %a, %a : i32 return %0 : i32 }}" for i in range(3000))
with context:
    module = ir.Module.parse(text)
call = lambda: passmanager.PassManager.parse(f"builtin.module({'canonicalize,cse,' * 3000}cse)", context).run(module.operation)
again = lambda: passmanager.PassManager.parse("builtin.module(cse)", context).run(module.operation)
"""
RUNS = """
import torch
from tilewright import _engine
import time
def program(text, shape, threads):
    text = text.replace("T", f"tensor<{'x'.join(map(str, shape))}xf32>")
    p = _engine.native_compile("func.func @main(%a: " + text, {"threads": threads})
    a, out = torch.ones(shape), [torch.empty(shape)]
    return lambda: p.run([a], out)
def chain(op, times):
    steps = [op.replace("$", f"%{i - 1}" if i else "%a").replace("%r", f"%{i}") for i in range(times)]
    return "T) -> T { " + " ".join(steps) + f" return %{times - 1} : T }}"
product = chain("%r = stablehlo.dot_general $, %a, contracting_dims = [1] x [0] : (T, T) -> T", 1), 6000, 6000
powers = chain("%r = stablehlo.atan2 $, %a : T", 2000), 1024, 2048
rows = chain('%r = "ttir.softmax"($) <{dimension = 1 : si32, numericStable = true}> : (T) -> T', 500), 1 << 14, 1 << 10
for text, m, n in (product, powers, rows):
    for threads in (1, 2):
        call = program(text, (m, n), threads)
        try:
            print("ready", flush=True)
            call()
        except KeyboardInterrupt:
            print(time.process_time(), flush=True)
        program(text, (m // 500, n // 500), threads)()
"""
REST = """
import sys, time
try:
    print("ready", flush=True)
    call()
except KeyboardInterrupt:
    again()
    print("stopped", flush=True)
    time.sleep(0)  # a signal still pending would strike here
    sys.exit(5)
"""


def listen():
    """As in a terminal: a test run in the background may ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def worked(pid):
    """Processor seconds of a process: unlike the clock, independent of other load."""
    return time.clock_gettime((~pid << 3) | 2)  # CPUCLOCK_SCHED


def wait_until_busy(pid, seconds):
    before = worked(pid)
    for _ in range(6000):
        if worked(pid) >= before + seconds:
            return
        time.sleep(0.01)
    raise TimeoutError(f"process {pid} does nothing")


def outcome(child):
    try:
        return child.communicate(timeout=300)[0]
    finally:
        child.kill()


@pytest.mark.parametrize("what", [ENDLESS, TTL, pytest.param(TURNS, marks=NEEDS_CXX), COMPILE, PASSES], ids=["grid", "ttl", "turns", "compile", "passes"])
def test_python_goes_on_after_an_interrupt(tmp_path, what):
    (tmp_path / "script.py").write_text(what + REST)
    env = dict(os.environ, PYTHONPATH=os.pathsep.join([os.path.join(BUILD, "python"), str(ROOT / "tests/python")]))
    with subprocess.Popen([sys.executable, "script.py"], cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True,
                          preexec_fn=listen) as child:
        assert child.stdout.readline() == "ready\n"
        wait_until_busy(child.pid, 0.1)
        child.send_signal(signal.SIGINT)
        out = outcome(child)
    assert (out, child.returncode) == ("stopped\n", 5)


def test_long_runs_end_at_once(tmp_path):
    """A matmul, element-wise operations and rows of seconds, on one thread and on two: cancelled within a fifth of a
    second of work, and the next program runs."""
    (tmp_path / "script.py").write_text(RUNS)
    env = dict(os.environ, PYTHONPATH=os.pathsep.join([os.path.join(BUILD, "python"), str(ROOT / "tests/python")]))
    with subprocess.Popen([sys.executable, "script.py"], cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True,
                          preexec_fn=listen) as child:
        took = []
        for _ in range(6):
            assert child.stdout.readline() == "ready\n"
            wait_until_busy(child.pid, 0.3)
            sent = worked(child.pid)
            child.send_signal(signal.SIGINT)
            took.append(float(child.stdout.readline()) - sent)
        assert (outcome(child), child.returncode) == ("", 0)
    assert max(took) < 0.2, took


def test_tools_end_a_long_run(tmp_path):
    t = "tensor<7000x7000xf32>"
    (tmp_path / "p.mlir").write_text(f"func.func @main(%a: {t}) -> {t} {{ %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] :"
                                     f" ({t}, {t}) -> {t} return %0 : {t} }}")
    command = f"{BIN}/tilewright run {tmp_path}/p.mlir --outputs {tmp_path}/out.npz; echo status $?"
    with subprocess.Popen(["sh", "-c", command], stdout=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=listen) as child:
        tool = only_child(child.pid)
        wait_until_busy(tool, 0.7)
        before = children_worked() + worked(tool)
        os.kill(tool, signal.SIGINT)
        assert outcome(child) == "status 130\n"
    assert children_worked() - before < 0.2
    assert {p.name for p in tmp_path.iterdir()} == {"p.mlir"}


def long_program(path):
    lines = [f"%{i + 1} = stablehlo.{['add', 'multiply', 'maximum'][i % 3]} %{i}, %a : tensor<4xf32>" for i in range(20000)]
    path.write_text("\n".join(["func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {",
                               "%0 = stablehlo.add %a, %a : tensor<4xf32>", *lines, "return %20000 : tensor<4xf32>", "}"]))
    return path


def test_tools_leave_no_partial_file(tmp_path):
    program = long_program(tmp_path / "program.mlir")
    dumps = tmp_path / "dumps"
    command = f"{BIN}/tilewright run {program} --dump {dumps} --outputs {tmp_path}/out.npz; echo status $?"
    for when in ("stablehlo.mlir", "ttnn.mlir"):
        with subprocess.Popen(["sh", "-c", command], stdout=subprocess.PIPE, text=True, start_new_session=True,
                              preexec_fn=listen) as child:
            for _ in range(3000):
                if (dumps / when).exists():
                    break
                time.sleep(0.01)
            os.kill(only_child(child.pid), signal.SIGINT)
            out = outcome(child)
        assert out == "status 130\n"
        left = {p.name for p in tmp_path.rglob("*")} - {"dumps", "program.mlir"}
        assert left <= {"stablehlo.mlir", "ttir_initial.mlir", "ttir_optimized.mlir", "ttnn.mlir", "program.ttnn.fb"}
        for path in dumps.glob("*.mlir"):
            assert path.read_text().rstrip().endswith("}")
            path.unlink()


def children_worked():
    """Processor seconds of children that have ended, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def only_child(shell):
    """Only the tool gets the signal: a shell that also got it would not return its status."""
    while not (children := open(f"/proc/{shell}/task/{shell}/children").read().split()):
        time.sleep(0.01)
    assert len(children) == 1
    return int(children[0])
