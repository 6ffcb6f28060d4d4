"""The debugger: kernels stop at breakpoint() and at --break, per core and thread; buffers, semaphores and DST are shown."""

import os
import re
import subprocess
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402
from tilewright import debugger, sim  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TW_BUILD", ROOT / "build")).resolve()
EXAMPLE, MATMUL = ROOT / "examples/debug.py", ROOT / "tests/lit/device/matmul.mlir"
SOURCE = EXAMPLE.read_text().splitlines()


def line(text):
    return next(i for i, each in enumerate(SOURCE, 1) if text in each)


def session(commands, *arguments, tool="ttlang-sim", environment=()):
    done = subprocess.run([BUILD / "bin" / tool, *arguments], input="\n".join(commands) + "\n", capture_output=True, text=True,
                          timeout=120, env=dict(os.environ, **dict(environment)))
    return done.stdout, done.stderr, done.returncode


def stops(text):
    """(thread, core, why, line) of each stop."""
    return [(t, c, w, int(n)) for t, c, w, n in
            re.findall(r"@(\w+) on core (\d+,\d+), cycle \d+, stopped by (\S+) before \S+, at \S+:(\d+)", text)]


def test_breakpoint_stops_on_each_core():
    out, err, status = session(["cb", "p cb('x_cb')[1][3].tolist()[:3]", "sem", "p sem(0)", "threads all", "c", "p cb(0)[0][0][:2]", "c"], EXAMPLE)
    assert (err, status) == ("", 0)
    where = line("            breakpoint()")
    assert stops(out) == [("compute", "0,0", "breakpoint()", where), ("compute", "0,1", "breakpoint()", where)]
    assert f"{where:5} |             breakpoint()" in out
    assert "circular buffer 0 ('x_cb'): 4 pages of 4096 bytes of f32; 2 filled (2 waited for), 0 reserved" in out
    assert "[416.0, 417.0, 418.0]" in out  # row 3, columns 32 to 34
    assert re.search(r"semaphore 0: 1; changed from 0 to 1 by core 0,1 in cycle \d+, at \S+debug.py:" + str(line("inc(1)")), out)
    assert "(ttl) 1\n" in out
    assert re.search(r"\* @compute +core 0,0 ", out)
    assert re.search(r"  @write +core 0,1 .*waits for 2 filled pages of circular buffer 1 \('out_cb'\), at ", out)
    assert "[64. 65.]" in out  # core 0,1: column 64


def test_stepping_shows_dst():
    out, err, _ = session(["s", "dst", *["i"] * 5, "dst", "i", "dst", "q"], EXAMPLE)
    store = line("result.store")
    assert stops(out)[1] == ("compute", "0,0", "step", store)
    assert "DST belongs to no unit" in out
    assert re.search(rf"DST belongs to the math unit; 4 tiles\n  tile 0, written at \S+debug.py:{store}\n +0 +[12] ", out)
    assert "the debugger ended the run" in err


def test_breaks_of_the_command_line():
    wait = line("ready.wait_ge(1)")
    out, err, status = session(["where", "threads", "c"], "--break", f"0,1:read:{wait}", EXAMPLE, environment={"PYTHONBREAKPOINT": "0"})
    assert stops(out)[0] == ("read", "0,1", "--break", wait)
    assert {s[:2] for s in stops(out)} == {("read", "0,1")}  # no stop at breakpoint()
    assert (err, status) == ("", 0)
    out, _, _ = session(["c"] * 4, "--break", f"*:*:{wait}", EXAMPLE, environment={"PYTHONBREAKPOINT": "0"})
    assert {s[:2] for s in stops(out)} == {("read", "0,0"), ("read", "0,1")}


@pytest.mark.parametrize("text, message", [
    ("0,0:raeder:62", "there is no thread 'raeder' to stop in; did you mean 'reader'\\? There are reader, "),
    ("0,0:network:62", "there is no thread 'network' to stop in: there are reader, "),
    ("*:reader:5", r"line 5 has no operation of reader; the nearest that has is \d+"),
    ("*:writer:62", r"line 62 has no operation of writer; the nearest that has is \d+"),
    ("*:*:90", "line 90 has no operation of any thread; the nearest that have are 89 and 91"),
    ("5,5:reader:62", "reader does not run on core 5,5"),
    ("0,0:reader", r"a breakpoint is CORE:THREAD:LINE, such as 0,1:read:42 or \*:compute:7, not '0,0:reader'"),
    ("a,b:reader:62", "a breakpoint is CORE:THREAD:LINE"),
    ("0,0:reader:-1", "a breakpoint is CORE:THREAD:LINE"),
    ("0,0:reader:99999999999", "a breakpoint is CORE:THREAD:LINE"),
])
def test_breaks_that_stop_nowhere(text, message):
    _, err, status = session([], "sim", MATMUL, f"--break={text}", tool="tilewright")
    assert status == 1
    assert re.search(message, err), err


def test_breaks_that_stop_nowhere_in_python():
    _, err, status = session([], "--break", f"*:read:{line('def read') + 100}", EXAMPLE)
    assert status == 1
    assert f"line {line('def read') + 100} has no operation of read; the nearest that has is {line('ttl.copy(x')}" in err


def test_commands_that_do_not_exist():
    out, _, _ = session(["thraeds", "xyzzy", "delete 3", "cb nix", "thread 0,0:reed", "break 1", "p 1 +", "", "help", "q"], EXAMPLE)
    for answer in ("there is no command 'thraeds'; did you mean 'threads'?", "there is no command 'xyzzy'; help lists them",
                   "there is no breakpoint '3'; break lists them", "there is no circular buffer 'nix' on this core:",
                   "there is no thread '0,0:reed'; expected CORE:NAME of:", "a breakpoint is CORE:THREAD:LINE", "SyntaxError: ",
                   "stepi     i  run to the next operation of this thread"):
        assert answer in out, answer


def test_the_end_of_the_input_ends_the_run():
    _, err, status = session([], EXAMPLE)
    assert "the debugger ended the run" in err
    assert status == 1


def test_kernels_in_ir():
    out, err, status = session(["break", "break *:compute:94", "delete 0", "c", "dst", "s", "thread 0,0:writer", "w", "q"],
                               "sim", MATMUL, "--break=0,0:reader:62", tool="tilewright")
    assert [s[:3] for s in stops(out)] == [("reader", "0,0", "--break"), ("compute", "0,0", "--break"), ("compute", "0,0", "step")]
    assert "0: 0,0:reader:62" in out and "1: *:compute:94" in out
    assert re.search(r"DST belongs to the packer; \d+ tiles\n  tile 0, written at \S+:87\n +\d+ ", out)
    assert "@writer on core 0,0, cycle" in out
    assert "cancelled" in err
    assert status == 1


CPP = """#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    uint32_t a = get_common_arg_val<uint32_t>(0), b = get_common_arg_val<uint32_t>(1);
    constexpr auto ta = TensorAccessorArgs<2>();
    constexpr auto tb = TensorAccessorArgs<ta.next_compile_time_args_offset()>();
    const auto x = TensorAccessor(ta, a, 4096), y = TensorAccessor(tb, b, 4096);
    for (uint32_t i = 0; i < 6; i++) {
        cb_reserve_back(0, 1);
        cb_reserve_back(1, 1);
        noc_async_read_tile(i, x, get_write_ptr(0));
        noc_async_read_tile(i % 3, y, get_write_ptr(1));
        noc_async_read_barrier();
        cb_push_back(0, 1);
        cb_push_back(1, 1);
    }
}
"""


def test_kernels_in_cpp(tmp_path):
    kernel = tmp_path / "reader.cpp"
    kernel.write_text(CPP)
    out, err, status = session(["cb", "s", "c", "delete 0", "break *:compute:94", "c", "thread 0,0:reader", "w", "q"],
                               "sim", MATMUL, f"--kernel=reader={kernel}", "--break=0,0:reader:12", tool="tilewright")
    assert stops(out) == [("reader", "0,0", "--break", 12), ("reader", "0,0", "step", 13), ("reader", "0,0", "--break", 12),
                          ("compute", "0,0", "--break", 94)]
    assert "   12 |         noc_async_read_barrier();" in out
    assert "circular buffer 0: 3 pages of 4096 bytes of f32; 0 filled (0 waited for), 1 reserved" in out
    assert "cancelled" in err and status == 1
    out, _, status = session([], "sim", MATMUL, f"--kernel=reader={kernel}", "--break=0,0:reader:4", tool="tilewright")
    assert status == 0 and not stops(out)  # a line without a call
    _, err, status = session([], "sim", MATMUL, f"--kernel=reader={kernel}", "--break=0,0:raeder:12", tool="tilewright")
    assert status == 1 and "did you mean 'reader'?" in err


# ---- from Python ------------------------------------------------------------------------------------------------------

@pytest.fixture
def launch():
    text = (ROOT / "tests/python/test_explore.py").read_text().partition('COUNT = """')[2].partition('"""')[0]
    grid = sim.Grid()
    tensor = grid.tensor((32, 32), "bf16", data=torch.full((32, 32), 1.5).bfloat16())
    launch = grid.load(text).launch([sim.Run("count", compile_args=[sim.cb(0)], common_args=[sim.address(0)])],
                                    cbs=[sim.Buffer(0, "bf16", 1, name="pages")], tensors=[tensor])
    launch.stop_line = next(i for i, each in enumerate(text.splitlines(), 1) if "load_from_l1" in each)
    return launch


def test_stops_as_objects(launch):
    seen = []

    def look(stop):
        seen.append((stop, stop.command("where"), stop.cb("pages")[0].copy(), stop.sem(0), stop.dst(0)))

    launch.debug(look, breaks=[f"*:count:{launch.stop_line}"])
    (stop, where, tile, semaphore, dst), = seen
    assert "@count on core 0,0" in where and "before ttkernel.load_from_l1" in where
    assert (tile == 1.5).all()
    assert semaphore is None and dst is None
    with pytest.raises(ValueError, match="this stop is over"):
        stop.command("where")
    cycles = launch.cycles
    launch.run()
    assert launch.cycles == cycles  # a stop costs no cycles


def test_an_exception_at_a_stop_ends_the_run(launch):
    def fail(stop):
        raise LookupError("not here")

    with pytest.raises(LookupError, match="not here"):
        launch.debug(fail, breaks=[f"*:count:{launch.stop_line}"])
    launch.run()  # the grid is usable


def test_the_prompt_reads_until_it_goes_on(launch):
    commands, shown = iter(["p cb('pages')[0][0, 0]", "c"]), []
    launch.debug(lambda stop: debugger.prompt(stop, read=lambda text: next(commands), write=shown.append),
                 breaks=[f"*:count:{launch.stop_line}"])
    assert "1.5\n" in shown


def test_emitted_kernels_have_no_breakpoint():
    @ttl.kernel(grid=(1, 1))
    def kernel(x):
        cb = ttl.make_circular_buffer_like(x, shape=(1, 1))

        @ttl.datamovement()
        def read():
            with cb.reserve() as block:
                ttl.copy(x[0, 0], block).wait()
                breakpoint()

        @ttl.datamovement()
        def write():
            with cb.wait() as block:
                ttl.copy(block, x[0, 0]).wait()

    x = torch.zeros(32, 32)
    assert "breakpoint" in kernel.ir(x, level="ttkernel")
    assert "breakpoint" not in kernel.ir(x, level="cpp")
