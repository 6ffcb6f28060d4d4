"""ttlang-sim --dap: sessions of an editor, by messages of the Debug Adapter Protocol."""

import subprocess

import pytest

pytest.importorskip("torch")
from dap_client import BUILD, LIMIT, NO_MESSAGES, ROOT, Client  # noqa: E402

EXAMPLE = ROOT / "examples/debug.py"
SOURCE = EXAMPLE.read_text().splitlines()


def line(text):
    return next(i for i, each in enumerate(SOURCE, 1) if text in each)


@pytest.fixture
def client():
    made = Client("ttlang-sim", "--dap")
    yield made
    if made.process.poll() is None:
        made.process.kill()
    made.process.wait(LIMIT)


def test_a_session(client):
    wanted = [line("ready.wait_ge(1)"), line("ready.get_remote")]
    assert [b["verified"] for b in client.start(*wanted, program=EXAMPLE)] == [False, False]
    placed = [client.wait("breakpoint")["breakpoint"] for _ in wanted]
    assert [(b["verified"], b["line"]) for b in placed] == [(True, n) for n in wanted]
    stopped = client.wait("stopped")
    assert stopped["reason"] == "breakpoint" and stopped["allThreadsStopped"]
    assert client.where(stopped) == ("read", wanted[1])
    names = [t["name"] for t in client.get("threads")["threads"]]
    assert sorted(names) == sorted(f"{t} on core 0,{x}" for t in ("compute", "read", "write") for x in (0, 1))
    # without the lines, it stops at breakpoint()
    assert client.get("setBreakpoints", source={"path": str(EXAMPLE)}, breakpoints=[]) == {"breakpoints": []}
    assert client.get("continue", threadId=stopped["threadId"]) == {"allThreadsContinued": True}
    stopped = client.wait("stopped")
    assert (stopped["reason"], client.where(stopped)) == ("breakpoint", ("compute", line("            breakpoint()")))
    client.get("next", threadId=stopped["threadId"])
    stopped = client.wait("stopped")
    assert (stopped["reason"], client.where(stopped)) == ("step", ("compute", line("result.store")))
    for _ in range(2):
        client.get("continue", threadId=stopped["threadId"])
        if _ == 0:
            stopped = client.wait("stopped")
            assert client.where(stopped)[1] == line("            breakpoint()")
    assert client.wait("exited") == {"exitCode": 0}
    client.wait("terminated")
    assert client.end() == 0
    assert client.process.stderr.read() == b""
    assert client.text("stderr") == ""


def test_variables(client):
    client.start(program=EXAMPLE)
    frame = client.wait("stopped")["threadId"]
    blocks = client.scope(frame, "Blocks")
    assert [(b["name"], b["value"]) for b in blocks] == [("x_cb (waited for)", "2 pages of f32"), ("out_cb (reserved)", "2 pages of f32")]
    tiles = client.children(blocks[0]["variablesReference"])
    assert [t["value"] for t in tiles] == ["32x32, 0 to 3999", "32x32, 32 to 4031"]
    assert tiles[0]["indexedVariables"] == 32
    row, = client.children(tiles[1]["variablesReference"], start=3, count=1)
    assert (row["name"], row["value"]) == ("[3]", "[416, 417, 418, 419, ...]")
    assert [v["value"] for v in client.children(row["variablesReference"], start=30, count=10)] == ["446.0", "447.0"]
    x_cb, out_cb = client.scope(frame, "Circular buffers")
    assert (x_cb["name"], x_cb["value"]) == ("x_cb", "2 of 4 pages filled, 0 reserved")
    fields = {v["name"]: v["value"] for v in client.children(x_cb["variablesReference"])}
    assert (fields["format"], fields["pages"], fields["bytes of a page"], fields["waited for"]) == ("f32", "4", "4096", "2")
    semaphore, *_ = client.scope(frame, "Semaphores")
    assert (semaphore["name"], semaphore["value"]) == ("semaphore 0", "1")
    change, = client.children(semaphore["variablesReference"])
    assert "it was 0 until core 0,1 changed it" in change["value"] and f"debug.py:{line('inc(1)')}" in change["value"]
    assert client.scope(frame, "DST") == []
    # operations within the line that writes DST
    client.get("next", threadId=frame)
    client.wait("stopped")
    while not client.scope(frame, "DST"):
        client.get("stepIn", threadId=frame)
        assert client.wait("stopped")["reason"] == "step"
    tile, = client.scope(frame, "DST")
    assert tile["value"].endswith(f"written at line {line('result.store')}")
    # names, and another thread and its core
    assert client.get("evaluate", expression="x_cb", frameId=frame, context="hover")["result"] == "2 of 4 pages filled, 0 reserved"
    assert client.get("evaluate", expression="sem 0", frameId=frame, context="watch")["result"] == "1"
    assert client.get("evaluate", expression="dst", frameId=frame, context="watch")["indexedVariables"] == 1
    assert client.get("evaluate", expression="p cb('x_cb')[1][3][:2].tolist()", frameId=frame, context="repl")["result"] == "[416.0, 417.0]"
    assert "there is no block" in client.fails("evaluate", expression="y_cb", frameId=frame, context="watch")
    other = client.thread("write on core 0,1")
    assert "waits for 2 filled pages of circular buffer 1 ('out_cb')" in client.get("stackTrace", threadId=other)["stackFrames"][0]["name"]
    old = blocks[0]["variablesReference"]
    client.get("stepOut", threadId=frame)
    client.wait("stopped")
    assert "earlier stop" in client.fails("variables", variablesReference=old + 1000)
    assert client.end() == 0


def test_stop_on_entry_and_step(client):
    client.start(program=EXAMPLE, stopOnEntry=True)
    stopped = client.wait("stopped")
    assert stopped["reason"] == "entry"
    where = client.where(stopped)
    client.get("next", threadId=stopped["threadId"])
    stopped = client.wait("stopped")
    assert stopped["reason"] in ("step", "breakpoint")
    assert client.where(stopped) != where
    client.get("terminate")
    assert client.wait("exited") == {"exitCode": 1}
    client.wait("terminated")
    assert client.end() == 0


LOOP = '''import sys
import torch
import ttl

@ttl.kernel(grid=(1, 1))
def spin(x, out):
    cb = ttl.make_circular_buffer_like(x, shape=(1, 1))

    @ttl.compute()
    def compute():
        for _ in range(N):
            with cb.wait():
                pass

    @ttl.datamovement()
    def read():
        for _ in range(N):
            with cb.reserve() as block:
                # one tile
                ttl.copy(x[0, 0], block).wait()

    @ttl.datamovement()
    def write():
        pass

N = 100000000
x = torch.ones(32, 32)
print("begins", *sys.argv[1:])
spin(x, torch.zeros(32, 32))
'''


def test_pause_and_breakpoints_of_a_run(client, tmp_path):
    file = tmp_path / "spin.py"
    file.write_text(LOOP)
    copy = next(i for i, each in enumerate(LOOP.splitlines(), 1) if "ttl.copy" in each)
    client.start(program=file, args=["a", "b"])
    while client.wait("output")["output"] != "begins a b\n":
        pass
    assert "expected a stop" in client.fails("continue", threadId=2)
    client.get("pause", threadId=2)
    stopped = client.wait("stopped")
    assert stopped["reason"] == "pause"
    client.get("continue", threadId=2)
    client.get("setBreakpoints", source={"path": str(file)}, breakpoints=[{"line": copy - 1}])  # a comment
    stopped = client.wait("stopped")
    assert (stopped["reason"], client.where(stopped)) == ("breakpoint", ("read", copy))
    assert client.get("evaluate", expression="cb 0", context="hover")["result"].endswith("1 reserved")
    client.get("setBreakpoints", source={"path": str(file)}, breakpoints=[])
    client.get("continue", threadId=2)
    assert client.end() == 0  # while it runs


def test_reports_are_output_at_their_lines(client, tmp_path):
    file = tmp_path / "hang.py"
    file.write_text(LOOP.replace("    def read():\n        for _ in range(N)", "    def read():\n        for _ in range(N - 1)").replace("100000000", "3"))
    client.start(program=file)
    assert client.wait("exited") == {"exitCode": 1}
    assert "deadlock" in client.text("stderr")
    placed = [e["body"] for e in client.events if e["event"] == "output" and "line" in e["body"]]
    assert any(p["source"]["path"] == str(file) for p in placed), client.text("stderr")
    assert client.end() == 0


# ---- bad input ------------------------------------------------------------------------------------------------------------

def test_requests_that_fail(client, tmp_path):
    client.get("initialize")
    assert client.fails("fly") == "there is no request 'fly'"
    assert "a launch request comes first" in client.fails("configurationDone")
    assert "no file '/nix.py'" in client.fails("launch", program="/nix.py")
    assert "list of strings" in client.fails("launch", program=str(EXAMPLE), args="x")
    assert "not as expected" in client.fails("setBreakpoints")
    assert "positive lines" in client.fails("setBreakpoints", source={"path": str(EXAMPLE)}, breakpoints=[{"line": -4}])
    assert "expected a stop" in client.fails("scopes", frameId=1)
    client.get("launch", program=str(EXAMPLE))
    assert "launched already" in client.fails("launch", program=str(EXAMPLE))
    client.get("setBreakpoints", source={"path": str(EXAMPLE)}, breakpoints=[{"line": len(SOURCE)}])
    client.get("configurationDone")
    frame = client.wait("stopped")["threadId"]
    outside = client.wait("breakpoint")["breakpoint"]
    assert not outside["verified"] and "is in no thread of a kernel that has run; the nearest is" in outside["message"]
    assert "there is no thread 77" in client.fails("stackTrace", threadId=77)
    assert "not as expected" in client.fails("stackTrace", threadId="x")
    for reference in (0, -1, 10**9):
        assert "earlier stop" in client.fails("variables", variablesReference=reference)
    assert client.get("evaluate", expression="p 1 +", frameId=frame, context="repl")["result"].startswith("SyntaxError")
    assert "there is no command 'nix'" in client.get("evaluate", expression="nix", frameId=frame, context="repl")["result"]
    assert client.end() == 0


@pytest.mark.parametrize("data, message", NO_MESSAGES)
@pytest.mark.parametrize("stopped", [False, True])
def test_bytes_that_are_no_message(client, data, message, stopped):
    if stopped:
        client.start(program=EXAMPLE)
        client.wait("stopped")
    client.raw(data)
    client.process.stdin.close()
    assert client.process.wait(LIMIT) == 1
    assert message in client.process.stderr.read().decode()


def test_programs_that_fail(client, tmp_path):
    file = tmp_path / "wrong.py"
    file.write_text("import sys\nprint('out')\nbreakpoint()\nsys.exit('sorry')\n")
    client.start(program=file)
    assert client.wait("exited") == {"exitCode": 1}
    assert client.text("stdout") == "out\n"
    assert "breakpoint() outside of a kernel's threads" in client.text("stderr") and client.text("stderr").endswith("sorry\n")
    assert client.end() == 0


def test_options_that_do_not_fit():
    done = subprocess.run([BUILD / "bin/ttlang-sim", "--dap", EXAMPLE], capture_output=True, text=True, timeout=LIMIT)
    assert (done.returncode, done.stdout) == (1, "")
    assert "--dap takes no file" in done.stderr
