"""tilewright sim --dap: sessions of an editor on kernels in IR and in C++."""

import re
import subprocess

import pytest
from dap_client import BUILD, LIMIT, NO_MESSAGES, ROOT, Client

MATMUL = ROOT / "tests/lit/device/matmul.mlir"
SOURCE = MATMUL.read_text().splitlines()


def line(text, nth=0):
    return [i for i, each in enumerate(SOURCE, 1) if text in each][nth]


@pytest.fixture
def client():
    made = Client("tilewright", "sim", "--dap")
    yield made
    if made.process.poll() is None:
        made.process.kill()
    made.process.wait(LIMIT)


def test_a_session(client):
    product, write = line('"ttkernel.matmul_tiles"'), line('"ttkernel.noc_async_write"(')
    loop = line("scf.for %k") + 1
    found = client.start(product, program=MATMUL)
    assert [(b["verified"], b["line"]) for b in found] == [(False, product)]
    placed = client.wait("breakpoint")["breakpoint"]
    assert (placed["verified"], placed["line"], placed["source"]["path"]) == (True, product, str(MATMUL))
    stopped = client.wait("stopped")
    assert (stopped["reason"], stopped["hitBreakpointIds"], stopped["allThreadsStopped"]) == ("breakpoint", [placed["id"]], True)
    assert client.where(stopped) == ("compute", product)
    assert sorted(t["name"] for t in client.get("threads")["threads"]) == [f"{t} on core 0,0" for t in ("compute", "reader", "writer")]
    client.get("next", threadId=stopped["threadId"])
    stopped = client.wait("stopped")
    assert (stopped["reason"], client.where(stopped)) == ("step", ("compute", product + 1))
    # a line without an operation moves to the next one that has some
    moved, = client.get("setBreakpoints", source={"path": str(MATMUL)}, breakpoints=[{"line": write - 1 - 4}])["breakpoints"]
    assert moved["verified"] and moved["line"] == write - 5
    removed = client.get("setBreakpoints", source={"path": str(MATMUL)}, breakpoints=[])
    assert removed == {"breakpoints": []}
    assert client.get("continue", threadId=stopped["threadId"]) == {"allThreadsContinued": True}
    assert client.wait("exited") == {"exitCode": 0}
    client.wait("terminated")
    assert client.text("stdout") == "out0: f32[64, 32] = 1030 858 847 1032 769 660 747 1030 ...\n"
    assert client.end() == 0
    assert client.process.stderr.read() == b""
    assert loop < product


def test_a_line_without_an_operation(client):
    gap = line("func.func private @writer") - 1  # empty, between two threads
    inside = line("func.func private @reader") + 1
    client.start(gap, inside, program=MATMUL)
    bodies = [client.wait("breakpoint")["breakpoint"] for _ in range(2)]
    by_line = {b["id"]: b for b in bodies}
    outside, moved = (by_line[i] for i in sorted(by_line))
    assert not outside["verified"] and "is in no thread of a kernel that has run; the nearest is" in outside["message"]
    assert moved["verified"] and moved["line"] >= inside
    client.wait("stopped")
    assert client.end() == 0


def test_variables(client):
    client.start(line('"ttkernel.matmul_tiles"'), program=MATMUL)
    frame = client.wait("stopped")["threadId"]
    blocks = client.scope(frame, "Blocks")
    assert [b["value"] for b in blocks][:2] == ["1 page of f32", "1 page of f32"]
    assert blocks[0]["name"].endswith("(waited for)")
    tile, = client.children(blocks[0]["variablesReference"])
    assert (tile["name"], tile["value"], tile["indexedVariables"]) == ("[0]", "32x32, 0 to 6", 32)
    row, = client.children(tile["variablesReference"], start=1, count=1)
    # in0 is k % 7 over 64 x 96: row 1 begins with 96 % 7 = 5
    assert (row["name"], row["value"]) == ("[1]", "[5, 6, 0, 1, ...]")
    assert [v["value"] for v in client.children(row["variablesReference"], start=30, count=9)] == ["0", "1"]
    first, *_ = client.scope(frame, "Circular buffers")
    fields = {v["name"]: v["value"] for v in client.children(first["variablesReference"])}
    assert (fields["format"], fields["pages"], fields["bytes of a page"]) == ("f32", "3", "4096")
    assert client.scope(frame, "DST") == []
    client.get("next", threadId=frame)
    client.wait("stopped")
    written, = client.scope(frame, "DST")
    assert written["value"].endswith(f"written at line {line('ttkernel.matmul_tiles')}")
    assert client.get("evaluate", expression="cb 0", frameId=frame, context="hover")["result"].endswith("reserved")
    assert client.get("evaluate", expression="dst", frameId=frame, context="watch")["result"] == "1 tiles are written"
    assert client.get("evaluate", expression="dst 0", frameId=frame, context="watch")["indexedVariables"] == 32
    assert "@reader" in client.get("evaluate", expression="threads", frameId=frame, context="repl")["result"]
    assert "there is no circular buffer" in client.fails("evaluate", expression="y_cb", frameId=frame, context="watch")
    other = client.thread("writer on core 0,0")
    name = client.get("stackTrace", threadId=other)["stackFrames"][0]["name"]
    assert re.match(r"writer \(waits for 1 filled page of circular buffer 16\), cycle \d+$", name), name
    assert client.end() == 0


def test_stop_on_entry_and_terminate(client):
    client.start(program=MATMUL, stopOnEntry=True, args=["--chip=n300", "--seed=3"])
    stopped = client.wait("stopped")
    assert stopped["reason"] == "entry"
    where = client.where(stopped)
    client.get("stepIn", threadId=stopped["threadId"])
    assert client.wait("stopped")["reason"] == "step"
    assert where[0] in ("reader", "compute", "writer")
    client.get("terminate")
    assert client.wait("exited") == {"exitCode": 1}
    client.wait("terminated")
    assert client.end() == 0


def endless(tmp_path):
    """The reader reads for a very long time; the compute kernel waits for more tiles than that."""
    text = MATMUL.read_text().replace("%n = arith.constant 6 : i32", "%n = arith.constant 2000000000 : i32")
    text = text.replace("%i2 = arith.constant 2 : index", "%i2 = arith.constant 2000000000 : index")
    text = text.replace("%c2 = arith.constant 2 : i32\n    %size", "%c2 = arith.constant 2000000000 : i32\n    %size")
    text = text.replace("%offset = arith.muli %i, %size", "%offset = arith.muli %c0, %size")
    text = text.replace("noc_async_read_tile\"(%i, ", "noc_async_read_tile\"(%k, ")
    file = tmp_path / "endless.mlir"
    file.write_text(text)
    return file


def test_a_kernel_that_never_ends(client, tmp_path):
    file = endless(tmp_path)
    client.start(program=file)
    assert client.get("threads")["threads"]  # it runs: requests are answered
    assert "expected a stop" in client.fails("stackTrace", threadId=2)
    client.get("pause", threadId=2)
    stopped = client.wait("stopped")
    assert stopped["reason"] == "pause"
    assert "has stopped already" in client.fails("pause", threadId=2)
    client.get("continue", threadId=stopped["threadId"])
    copy = line('"ttkernel.noc_async_read_barrier"')
    client.get("setBreakpoints", source={"path": str(file)}, breakpoints=[{"line": copy}])  # while it runs
    stopped = client.wait("stopped")
    assert (stopped["reason"], client.where(stopped)) == ("breakpoint", ("reader", copy))
    client.get("setBreakpoints", source={"path": str(file)}, breakpoints=[])
    client.get("continue", threadId=stopped["threadId"])
    assert client.end() == 0  # while it runs


def test_reports_are_output_at_their_lines(client, tmp_path):
    file = tmp_path / "hang.mlir"
    file.write_text(MATMUL.read_text().replace("%n = arith.constant 6 : i32", "%n = arith.constant 5 : i32"))
    client.start(program=file)
    assert client.wait("exited") == {"exitCode": 1}
    assert "deadlock" in client.text("stderr")
    placed = [e["body"] for e in client.events if e["event"] == "output" and "line" in e["body"]]
    assert any(p["source"]["path"] == str(file) for p in placed), client.text("stderr")
    assert client.end() == 0


def test_kernels_in_cpp(client, tmp_path):
    kernel = tmp_path / "reader.cpp"
    kernel.write_text('''#include "api/dataflow/dataflow_api.h"
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
''')
    wanted = 12
    client.start(wanted, program=MATMUL, path=kernel, args=[f"--kernel=reader={kernel}"])
    stopped = client.wait("stopped")
    assert (stopped["reason"], client.where(stopped)) == ("breakpoint", ("reader", wanted))
    assert client.wait("breakpoint")["breakpoint"]["verified"]
    frame, = client.get("stackTrace", threadId=stopped["threadId"])["stackFrames"]
    assert frame["source"]["path"] == str(kernel)
    assert client.scope(stopped["threadId"], "Circular buffers")
    client.get("next", threadId=stopped["threadId"])
    stopped = client.wait("stopped")
    assert client.where(stopped) == ("reader", wanted + 1)
    client.get("setBreakpoints", source={"path": str(kernel)}, breakpoints=[])
    client.get("continue", threadId=stopped["threadId"])
    assert client.wait("exited") == {"exitCode": 0}
    assert client.text("stdout").startswith("out0: f32[64, 32] = 1030 858 847")
    assert client.end() == 0


# ---- bad input ------------------------------------------------------------------------------------------------------------

def test_requests_that_fail(client):
    client.get("initialize")
    assert client.fails("fly") == "there is no request 'fly'"
    assert "a launch request comes first" in client.fails("configurationDone")
    assert "no file '/nix.mlir'" in client.fails("launch", program="/nix.mlir")
    assert "no file ''" in client.fails("launch")
    assert "list of strings" in client.fails("launch", program=str(MATMUL), args="x")
    assert "list of strings" in client.fails("launch", program=str(MATMUL), args=[1])
    assert "names a folder" in client.fails("launch", program=str(MATMUL), cwd="/nix")
    assert "object of strings" in client.fails("launch", program=str(MATMUL), env={"A": 1})
    assert 'expected "source" with a path' in client.fails("setBreakpoints")
    assert "positive lines" in client.fails("setBreakpoints", source={"path": str(MATMUL)}, breakpoints=[{"line": -4}])
    assert "expected a stop" in client.fails("scopes", frameId=1)
    client.get("launch", program=str(MATMUL), stopOnEntry=True)
    assert "launched already" in client.fails("launch", program=str(MATMUL))
    client.get("configurationDone")
    frame = client.wait("stopped")["threadId"]
    assert "there is no thread 77" in client.fails("stackTrace", threadId=77)
    assert 'expected an integer as "threadId"' in client.fails("stackTrace", threadId="x")
    for reference in (0, -1, 10**9):
        assert "earlier stop" in client.fails("variables", variablesReference=reference)
    assert "there is no command 'nix'" in client.get("evaluate", expression="nix", frameId=frame, context="repl")["result"]
    assert client.end() == 0


@pytest.mark.parametrize("data, message", NO_MESSAGES)
@pytest.mark.parametrize("stopped", [False, True])
def test_bytes_that_are_no_message(client, data, message, stopped):
    if stopped:
        client.start(program=MATMUL, stopOnEntry=True)
        client.wait("stopped")
    client.raw(data)
    client.process.stdin.close()
    assert client.process.wait(LIMIT) == 1
    assert message in client.process.stderr.read().decode()


@pytest.mark.parametrize("args, message", [
    (["--explore=10"], "do not work with --dap"), (["--what-if"], "do not work with --dap"), (["--break=*:*:62"], "do not work with --dap"),
    (["--nix"], "--nix"), (["--dap"], "--dap takes no FILE"),
])
def test_programs_that_do_not_start(client, args, message):
    client.start(program=MATMUL, args=args)
    assert client.wait("exited")["exitCode"] != 0
    assert message in client.text("stderr")
    assert client.end() == 0


def test_options_that_do_not_fit():
    done = subprocess.run([BUILD / "bin/tilewright", "sim", "--dap", MATMUL], capture_output=True, text=True, timeout=LIMIT)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--dap takes no FILE" in done.stderr
