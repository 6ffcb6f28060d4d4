"""The cost model against published figures, and the profile derived from it."""

import importlib.util
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from grid_kernels import Built, cb_type, op  # noqa: E402
from test_sim_ops import copy, regs  # noqa: E402
import ttl  # noqa: E402
import ttnn  # noqa: E402
from tilewright import sim  # noqa: E402


ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TW_BUILD") or Path(sim.__file__).parents[2])
EXAM = ROOT / "bench/exam.py"


def test_published_figures(tmp_path):
    """The fitted figures are met, and in each group the median error of those that nothing was fitted on is below 15 %."""
    results = tmp_path / "figures.json"
    done = subprocess.run([sys.executable, EXAM, "--build", BUILD, "--quiet", "--goal", "15", "--json", results], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(results.read_text())
    assert len(figures) > 100 and {f["kind"] for f in figures} == {"fitted", "stated", "unseen"}
    for f in figures:
        assert f["kind"] != "fitted" or abs(f["error"]) < 0.04, f
    table = re.findall(r"^\| (.*?) +\| (\w+) +\| (\d+) \| ([\d.]+) % \| ([-+]?[\d.]+) % \|", (ROOT / "docs/exactness.md").read_text(), re.M)
    shown = {(group, kind): [int(n), float(median), float(worst)] for group, kind, n, median, worst in table}
    groups = {}
    for f in figures:
        groups.setdefault((f["group"], f["kind"]), []).append(100 * f["error"])
    assert set(shown) == set(groups), "docs/exactness.md lists other groups"
    for key, errors in groups.items():
        n, median, worst = shown[key]
        assert n == len(errors) and median == pytest.approx(statistics.median(map(abs, errors)), abs=0.06), key
        assert worst == pytest.approx(max(errors, key=abs), abs=0.06), key


def per_tile(name, wide=False, approximate=False):
    """Cycles of an operation of one tile, as the exam measures them."""
    return exam().sfpu("n150", name, approx=approximate, wide=wide)


def exam():
    spec = importlib.util.spec_from_file_location("exam", EXAM)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_accuracy_and_width_cost():
    """A row of elementwise.def: MODES(18, 29, 28) instructions a row, of 32 rows, and 8 cycles a call."""
    assert per_tile("sqrt_tile", approximate=True) == 18 * 32 + 8 == per_tile("sqrt_tile", wide=True, approximate=True)
    assert per_tile("sqrt_tile") == 29 * 32 + 8 and per_tile("sqrt_tile", wide=True) == 28 * 32 + 8
    assert per_tile("exp_tile", approximate=True) < per_tile("exp_tile") / 8 < per_tile("exp_tile", wide=True) / 16


def test_inits_and_acquires_cost():
    """What a schedule saves that hoists an init, or computes more tiles per acquire."""
    measure, tanh = exam(), op("tanh_tile", ["c0"], ["index"])
    hoisted = measure.loop_cycles("n150", [tanh], measure.started(op("tanh_tile_init")), approximate=True)
    inside = measure.loop_cycles("n150", [op("tanh_tile_init"), tanh], measure.started(), approximate=True)
    assert inside - hoisted == 12
    c = cb_type(1, "bf16")

    def turn(tiles):
        fills = [line for i in range(tiles) for line in (op("fill_tile", [f"c{i}", "one"], ["index", "f32"]), op("tanh_tile", [f"c{i}"], ["index"]))]
        packs = [op("pack_tile", [f"c{i}", "out", "c0"], ["index", c, "index"], "<{out_of_order = true}>") for i in range(tiles)]
        inits = [op("fill_tile_init"), *fills[::2], op("tanh_tile_init"), *fills[1::2]]
        return [op("tile_regs_acquire"), *inits, op("tile_regs_commit"), op("tile_regs_wait"), *packs, op("tile_regs_release")]

    before = [*measure.set_up(), "%one = arith.constant 1.0 : f32"]
    one, four = (measure.loop_cycles("n150", turn(n), before, out_pages=1, approximate=True) for n in (1, 4))
    assert one - four / 4 == pytest.approx(3 / 4 * (2 + 7 + 2 * 12), abs=0.1)  # acquire, commit, two inits


def test_values_do_not_depend_on_the_cost_model():
    """Approximate modes cost less and compute the same."""
    x, out = np.linspace(-2, 2, 1024, dtype=np.float32).reshape(32, 32), []
    for approximate in (False, True):
        built = Built(sim.Grid("n150"), [x], ["f32"], (32, 32), "f32",
                      regs(*copy(0, 0, 0, "f32"), op("tanh_tile_init"), op("tanh_tile", ["c0"], ["index"]), out=("f32", 1)),
                      wide_dst=True, approximate=approximate)
        out.append(built.run())
    assert np.array_equal(*out)


@pytest.fixture(scope="module")
def profiled():
    grid = sim.Grid("n150", profile=True)
    c = cb_type(2, "bf16")
    steps = [op("mm_init", ["in0", "in1", "out", "w0"], [c, c, cb_type(1, "bf16"), "i32"])]
    steps += [op("matmul_tiles", ["in0", "in1", f"c{k}", f"c{k}", "c0"], [c, c, "index", "index", "index"]) for k in range(2)]
    x = np.ones((32, 64), np.float32)
    built = Built(grid, [x, x.T.copy()], ["bf16", "bf16"], (32, 32), "bf16", regs(*steps))
    built.run()
    return built.launch


def test_trace_for_perfetto(profiled):
    events = json.loads(profiled.trace_json)["traceEvents"]
    rows = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    spans = [e for e in events if e["ph"] == "X"]
    assert {"compute math", "compute unpack", "compute pack", "readers NoC", "readers waits", "write waits"} <= set(rows.values())
    assert {s["name"] for s in spans} >= {"matmul_tiles", "pack_tile", "noc_async_read_tile", "cb_wait_front"}
    for s in spans:
        assert s["dur"] > 0 and 0 <= s["ts"] and s["ts"] + s["dur"] <= profiled.cycles / 1000 + 1e-3
    for row, name in rows.items():  # a unit does one thing at a time; transfers that overlap have lanes
        mine = sorted((s["ts"], s["dur"]) for s in spans if s["tid"] == row)
        assert all(a + d <= b + 2e-4 for (a, d), (b, _) in zip(mine, mine[1:])), name
    assert "readers NoC 2" in rows.values()
    assert {s["args"]["buffer"] for s in spans if s["name"] == "cb_wait_front"} == {"buffer 0", "buffer 1", "buffer 16"}
    math = sum(s["dur"] for s in spans if rows[s["tid"]] == "compute math")
    assert math == pytest.approx(2 * (4 * 16 + 2.5) / 1000, rel=1e-3)


def test_profile_as_text(profiled):
    text = profiled.profile
    assert re.search(r"cycles in cb_wait_front \(buffer \d+\) of @\w+, core 0,0\n +at .*:\d+\n", text)
    assert all(len(line) <= 80 for line in text.splitlines() if " at " not in line)
    assert "1 core: math busy" in text and "roofline:" in text and "memory-bound" in text
    assert text.count("|") >= 18 and "DRAM, bytes of a bank" in text and "after 2.05 us of launch" in text


PAGE = """
const page = require('fs').readFileSync(process.argv[1], 'utf8'), things = {}
let drawn = 0
const thing = () => ({ innerHTML: '', set textContent(v) { this.innerHTML = v }, clientWidth: 1200, getContext: () => ({ fillRect() { drawn++ }, fillText() {} }) })
for (const m of page.matchAll(/id="(\\w+)"/g)) things[m[1]] = thing()
const world = { document: { getElementById: id => things[id], createElement: thing } }
require('vm').runInNewContext([...page.matchAll(/<script>([^]*?)<\\/script>/g)].map(m => m[1]).join('\\n'), world)
things.each.checked = true
things.each.onchange()
things.filter.oninput({ target: { value: 'math' } })
things.c.onwheel({ preventDefault() {}, offsetX: 400, deltaY: -1 })
things.c.onmousemove({ offsetX: 500, offsetY: 5 })
things.c.ondblclick()
console.log(JSON.stringify([drawn, things.threads.innerHTML, things.waits.innerHTML, things.roof.innerHTML.length]))
"""


@pytest.mark.skipif(not shutil.which("node"), reason="no JavaScript engine")
def test_the_page_runs(profiled, tmp_path):
    (tmp_path / "page.html").write_text(profiled.trace_html)
    done = subprocess.run(["node", "-e", PAGE, tmp_path / "page.html"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    drawn, threads, waits, roof = json.loads(done.stdout)
    assert drawn > 20 and all(f"@{name}<" in threads for name in ("readers", "compute", "write")) and roof > 100
    assert "cb_wait_front (buffer 0)" in waits


def test_profile_as_a_page(profiled):
    page = profiled.trace_html
    assert page.startswith("<!doctype html>") and "http" not in page and "matmul_tiles" in page
    trace = page[page.index("const trace=") + 12:]
    trace = json.loads(trace[:trace.index("</script>")])
    report = page[page.index("const report=") + 13:]
    report = json.loads(report[:report.index("</script>")])
    assert report["cycles"] == round(profiled.cycles) and len(report["cores"]) == report["grid"][0] * report["grid"][1]
    assert report["roof"]["flops"] > 0 and {t["kernel"] for t in report["threads"]} == {"readers", "compute", "write"}
    assert all(sum(t["stalls"]) <= t["cycles"] + 4 for t in report["threads"])
    moved = [int(n) for n in re.findall(r"(\d+) bytes on the NoC, (\d+) of DRAM", profiled.profile)[0]]
    assert [sum(report["cores"]), sum(report["banks"])] == moved
    # the waits of a thread's spans add up to its stalls; with its work they are its whole time
    events = json.loads(profiled.trace_json)["traceEvents"]
    rows = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    perfetto = sorted((rows[e["tid"]], e["name"], e["args"].get("buffer", ""), e["args"].get("line", 0), round(e["ts"] * 1e3), round(e["dur"] * 1e3))
                      for e in events if e["ph"] == "X")
    shown = []
    for row, kind, start, dur in zip(*[iter(trace["spans"])] * 4):
        name, cat, buffer, file, line = trace["kinds"][kind]
        core, position, row = trace["rows"][row].split(" ", 2)
        assert (core, position) == ("core", "0,0") and f" {cat}" in row and (not line) == (not file)
        shown.append((row, name, buffer, line, start, dur))
    for a, b in zip(perfetto, sorted(shown), strict=True):  # tenths of cycles there, nanoseconds here: 1 GHz
        assert a[:4] == b[:4] and a[4:] == pytest.approx([n / 10 for n in b[4:]], abs=1)
    for t in report["threads"]:
        waits = sum(e["dur"] for e in events if e["ph"] == "X" and rows[e["tid"]] == f"{t['kernel']} waits")
        assert 1000 * waits == pytest.approx(sum(t["stalls"]), abs=4)


def test_every_event_is_what_perfetto_loads(profiled):
    trace = json.loads(profiled.trace_json)
    assert trace["displayTimeUnit"] in ("ns", "ms")
    for e in trace["traceEvents"]:
        assert e["ph"] in "XM" and isinstance(e["pid"], int) and isinstance(e["name"], str) and e["name"]
        if e["ph"] == "M":
            assert e["name"] in ("process_name", "thread_name") and isinstance(e["args"]["name"], str)
            assert e["name"] == "process_name" or isinstance(e["tid"], int)
        else:
            assert isinstance(e["tid"], int) and isinstance(e["ts"], (int, float)) and e["dur"] >= 0 and e["cat"]


@pytest.mark.skipif(not shutil.which("node"), reason="no JavaScript")
def test_the_page_draws_itself(profiled, tmp_path):
    """Its script runs to its end on a stub document, and shows kernels, waits and the roof."""
    (tmp_path / "page.html").write_text(profiled.trace_html)
    (tmp_path / "run.js").write_text(r"""
const page = require('fs').readFileSync(process.argv[2], 'utf8'), made = {}
const element = id => made[id] = made[id] || {innerHTML: '', textContent: '', clientWidth: 900, getContext: () => ({fillRect() {}, fillText() {}})}
global.document = {getElementById: element, createElement: () => ({set textContent(v) { this.innerHTML = v }})}
new Function([...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(m => m[1]).join('\n')).call(globalThis)
for (let y = 5; y < 90; y += 14) for (let x = 200; x < 900 && !element('tip').textContent; x += 5) made.c.onmousemove({offsetX: x, offsetY: y})
made.filter.oninput({target: {value: 'waits'}})
console.log(['threads', 'waits', 'roof'].map(id => made[id].innerHTML).join('\n') + made.tip.textContent)
""")
    reports = subprocess.run(["node", "run.js", "page.html"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert reports.returncode == 0, reports.stderr
    assert "@compute" in reports.stdout and "cb_wait_front" in reports.stdout and "of its roof" in reports.stdout and "us" in reports.stdout


def test_a_page_of_many_cores_and_events_stays_small():
    """A tenth of Perfetto's text, drawn at once."""
    @ttl.kernel(grid=(8, 8))
    def copies(x, out):
        x_cb, out_cb = (ttl.make_circular_buffer_like(t, shape=(1, 1)) for t in (x, out))

        @ttl.datamovement()
        def read():
            for _ in range(120):
                with x_cb.reserve() as block:
                    ttl.copy(x[0, 0], block).wait()

        @ttl.compute()
        def compute():
            for _ in range(120):
                with x_cb.wait() as block, out_cb.reserve() as result:
                    result.store(block + block)

        @ttl.datamovement()
        def write():
            column, row = ttl.core(dims=2)
            for _ in range(120):
                with out_cb.wait() as block:
                    ttl.copy(block, out[row, column]).wait()

    device = ttnn.open_device()
    device.grid = sim.Grid("n150", profile=True)
    x, out = (ttnn.from_torch(torch.ones(256, 256), layout=ttnn.TILE_LAYOUT, device=device) for _ in range(2))
    copies(x, out)
    launch, = [entry.launch for entry in copies.cache.values()]
    page, events = launch.trace_html, launch.trace_json.count('"ph":"X"')
    assert events > 60000 and len(page) < 25 * events and len(page) * 6 < len(launch.trace_json)


def test_nothing_is_kept_without_profile():
    grid = sim.Grid("n150")
    x = np.ones((32, 32), np.float32)
    built = Built(grid, [x], ["f32"], (32, 32), "f32", regs(*copy(0, 0, 0, "f32"), out=("f32", 1)), wide_dst=True)
    built.run()
    assert built.launch.trace_json == "" and built.launch.trace_html == "" and "roofline" not in built.launch.profile


def sent(pairs, noc=0):
    """Cycles for cores that each send 64 pages to another: ((row, column), (row, column)) of the two."""
    c = cb_type(4, "bf16")
    text = f"""module {{
  func.func private @send() attributes {{ttkernel.thread = #ttkernel.thread<noc>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 64 : index
    %bytes = arith.constant 8192 : i32
    %cb = "ttkernel.get_compile_time_arg_val"() <{{arg_index = 0 : i32}}> : () -> {c}
    %x = "ttkernel.get_arg_val"(%c0) : (index) -> index
    %y = "ttkernel.get_arg_val"(%c1) : (index) -> index
    %to_cb = "ttkernel.get_compile_time_arg_val"() <{{arg_index = 1 : i32}}> : () -> {c}
    %p = "ttkernel.get_write_ptr"(%cb) : ({c}) -> i32
    %to = "ttkernel.get_write_ptr"(%to_cb) : ({c}) -> i32
    %w0 = arith.constant 0 : i32
    %w1 = arith.constant 1 : i32
    %words = arith.constant 2048 : i32
    %l = "ttkernel.reinterpret_cast"(%p) : (i32) -> !ttkernel.l1_addr_ptr
    scf.for %i = %w0 to %words step %w1 : i32 {{
      "ttkernel.store_to_l1"(%w0, %l, %i) : (i32, !ttkernel.l1_addr_ptr, i32) -> ()
    }}
    scf.for %i = %c0 to %n step %c1 {{
      "ttkernel.noc_async_write"(%p, %x, %y, %to, %bytes) <{{operandSegmentSizes = array<i32: 1, 2, 0, 1, 1, 0>}}> : (i32, index, index, i32, i32) -> ()
    }}
    "ttkernel.noc_async_write_barrier"() : () -> ()
    return
  }}
  func.func private @idle() attributes {{ttkernel.thread = #ttkernel.thread<noc>}} {{
    return
  }}
}}
"""
    grid = sim.Grid("n150")
    runs = [sim.Run("send", (*a, 1, 1), [sim.cb(0), sim.cb(1)], args=[b[1] + 18, b[0] + 18], noc=noc) for a, b in pairs]
    runs += [sim.Run("idle", (0, 0, grid.rows, grid.columns))]  # so that all cores have the buffer
    return grid.load(text).launch(runs, [sim.Buffer(i, "bf16", 4) for i in (0, 1)], []).run().cycles


def test_links_are_shared():
    """Transfers use shared links one after the other; other links cost nothing."""
    alone = sent([((0, 0), (0, 2))])
    assert sent([((0, 0), (0, 2)), ((3, 0), (3, 2))]) == pytest.approx(alone)
    assert sent([((0, 0), (0, 1)), ((0, 1), (0, 2))]) < alone * 1.01  # one after the other
    both = 2 * 64 * 8192 / 30 - 64 * 8192 / 28.1  # a link takes 30 bytes a cycle, an interface 28.1
    shared = sent([((0, 0), (0, 2)), ((0, 1), (0, 3))])  # from 0,1 to 0,2
    assert shared - alone == pytest.approx(both, rel=0.05)
    # NoC 0 goes right, then down: both turn into column 2; NoC 1 goes up first, on other links
    assert sent([((0, 0), (2, 2)), ((0, 1), (3, 2))]) - sent([((0, 0), (2, 2))]) == pytest.approx(both, rel=0.05)
    assert sent([((4, 3), (2, 2)), ((4, 4), (3, 2))], noc=1) - sent([((4, 3), (2, 2))], noc=1) < both / 2
