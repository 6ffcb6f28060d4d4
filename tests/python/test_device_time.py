"""Predicted device time: checked against kernels on the simulated grid, and shown by the tools and torch's backend."""

import json
import os
import re
import shutil
import statistics
import subprocess
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
import predicted_kernels as kernels  # noqa: E402
from tilewright import _engine  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TW_BUILD", ROOT / "build"))
NAMES = {torch.bfloat16: "bf16", torch.float32: "f32"}
TYPES = list(NAMES)
ALL = (8, 8)


def typed(shape, dtype):
    return f"tensor<{'x'.join(map(str, shape))}x{NAMES[dtype]}>"


def function(operation, shapes, out, dtype, attributes=""):
    arguments = ", ".join(f"%a{i}: {typed(s, dtype)}" for i, s in enumerate(shapes))
    names, types = ", ".join(f"%a{i}" for i in range(len(shapes))), ", ".join(typed(s, dtype) for s in shapes)
    return (f"module {{ func.func @main({arguments}) -> {typed(out, dtype)} {{\n"
            f'  %0 = "ttir.{operation}"({names}) {attributes} : ({types}) -> {typed(out, dtype)}\n'
            f"  return %0 : {typed(out, dtype)} }} }}\n")


def predicted(*args):
    operations = [o for o in _engine.native_compile(function(*args), {}).device_time()["operations"] if o["cycles"]]
    assert len(operations) == 1
    return operations[0]


def random(*shape, dtype):
    return torch.randn(shape).to(dtype)


def elementwise(n, dtype):
    """(label, predicted, simulated) of functions on n x n elements."""
    x, y = random(n, n, dtype=dtype), random(n, n, dtype=dtype)
    out = torch.zeros_like(x)
    for name, kernel, want in (("add", "add", x + y), ("multiply", "mul", x * y)):
        yield name, predicted(name, [(n, n)] * 2, (n, n), dtype), kernels.cycles(kernels.binary(kernel, 1, ALL), [x, y, out], want, 2e-2)
    for name in ("exp", "relu", "gelu", "sigmoid"):
        want = torch.nn.functional.gelu(x) if name == "gelu" else getattr(torch, name)(x)
        yield name, predicted(name, [(n, n)], (n, n), dtype), kernels.cycles(kernels.unary(name, 1, ALL), [x, out], want, 5e-2)


def rows(count, width, dtype):
    x = random(count, width, dtype=dtype)
    out, grid, tiles = torch.zeros_like(x), kernels.grid_for(min(64, count // 32)), width // 32
    attributes = "<{dimension = 1 : si32, numericStable = true}>"
    yield ("softmax", predicted("softmax", [(count, width)], (count, width), dtype, attributes),
           kernels.cycles(kernels.softmax(tiles, grid), [x, torch.ones(32, 32).to(dtype), out], torch.softmax(x.float(), 1), 5e-2))
    weight, bias = random(1, width, dtype=dtype), random(1, width, dtype=dtype)
    attributes = f"<{{normalized_shape = array<i64: {width}>, epsilon = 1.0e-5 : f32, operandSegmentSizes = array<i32: 1, 1, 1>}}>"
    want = torch.nn.functional.layer_norm(x.float(), (width,), weight[0].float(), bias[0].float())
    share = torch.full((32, 32), 1 / width).to(dtype)
    yield ("layer norm", predicted("layer_norm", [(count, width), (width,), (width,)], (count, width), dtype, attributes),
           kernels.cycles(kernels.layer_norm(tiles, grid), [x, share, weight, bias, out], want, 8e-2))


def products(m, k, n, dtype):
    a, b = random(m, k, dtype=dtype), random(k, n, dtype=dtype)
    want, out = a.float() @ b.float(), torch.zeros(m, n).to(dtype)
    best = min(kernels.cycles(kernels.matmul(m // 256, inner, n // 256, ALL), [a, b, out], want, 5e-2) for inner in (1, 2, 4))
    yield "matmul", predicted("matmul", [(m, k), (k, n)], (m, n), dtype), best


# Group: cases, and the largest error that a prediction may have.
GROUPS = {
    "element-wise, one tile a core": (lambda t: elementwise(256, t), 0.25),
    "element-wise, many tiles": (lambda t: (x for n in (1024, 2048) for x in elementwise(n, t)), 0.22),
    "softmax, layer norm": (lambda t: (x for r in (512, 2048, 4096) for w in (128, 256, 512) for x in rows(r, w, t)), 0.30),
    "matmul": (lambda t: (x for s in ((512, 512, 512), (512, 2048, 512), (1024, 1024, 1024), (1024, 512, 2048), (256, 256, 256),
                                      (256, 1024, 1024)) for x in products(*s, t)), 0.45),
}


@pytest.mark.parametrize("group", GROUPS)
def test_predictions_are_those_of_the_simulated_grid(group):
    """And docs/device-time.md has their errors."""
    cases, bound = GROUPS[group]
    torch.manual_seed(0)
    errors = []
    for dtype in TYPES:
        for label, guess, simulated in cases(dtype):
            error = guess["cycles"] / simulated - 1
            print(f"FIGURE {label} {NAMES[dtype]}: predicted {guess['cycles']:.0f} ({guess['bound']}), simulated {simulated:.0f}, {100 * error:+.0f} %")
            assert guess["bound"] in ("compute", "noc", "dram") and not guess["bytes_only"]
            assert max(guess[part] for part in ("compute", "noc", "dram")) <= 1.1 * guess["cycles"]
            assert abs(error) <= bound, (label, dtype, guess["cycles"], simulated)
            errors.append(100 * error)
    row = re.search(rf"^\| {re.escape(group)} \| (\d+) \| ([\d.]+) % \| ([-+][\d.]+) % \|$", (ROOT / "docs/device-time.md").read_text(), re.M)
    assert row, f"docs/device-time.md has no row '{group}'"
    shown = [int(row[1]), float(row[2]), float(row[3])]
    assert shown == [len(errors), pytest.approx(statistics.median(map(abs, errors)), abs=0.6), pytest.approx(max(errors, key=abs), abs=0.6)]


def test_time_grows_with_work():
    """Twice the elements, twice the time of what is bound by DRAM; a slower function is bound by computation."""
    small, large = (predicted("relu", [(n, 1024)], (n, 1024), torch.bfloat16) for n in (4096, 8192))
    assert small["bound"] == "dram" and large["cycles"] == pytest.approx(2 * small["cycles"], rel=0.05)
    assert predicted("gelu", [(4096, 1024)], (4096, 1024), torch.bfloat16)["bound"] == "compute"
    wide = predicted("matmul", [(32, 4096), (4096, 4096)], (32, 4096), torch.bfloat16)
    assert wide["read_bytes"] >= 4096 * 4096 * 2 and wide["dram"] >= 4096 * 4096 * 2 / (12 * 23.2)


MODEL = """module {
  func.func @main(%x: tensor<64x256xf32>, %w: tensor<256x128xf32>) -> tensor<64x128xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32>
    %1 = stablehlo.tanh %0 : tensor<64x128xf32>
    return %1 : tensor<64x128xf32>
  }
}
"""


def run(folder, *options):
    (folder / "model.mlir").write_text(MODEL)
    done = subprocess.run([BUILD / "bin/tilewright", "run", "model.mlir", *options], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_profile_shows_both_times(tmp_path):
    shown = run(tmp_path, "--profile")
    assert re.search(r"^this machine took [\d.]+ us \(measured\):$", shown, re.M)
    total, programs, launches = map(float, re.search(r"^n150 would take ([\d.]+) us \(predicted\): (\d+) programs on 64 cores, ([\d.]+) us", shown, re.M).groups())
    lines = re.findall(r"^(ttnn\.\w+) +([\d.]+) +[\d.]+% (compute|NoC|DRAM) .* (model\.mlir:\d+)$", shown, re.M)
    assert {(name, line) for name, _, _, line in lines} == {("ttnn.matmul", "model.mlir:3"), ("ttnn.tanh", "model.mlir:4")}
    assert sum(float(us) for _, us, _, _ in lines) == pytest.approx(total, abs=0.02)
    assert programs == 2 and launches == pytest.approx(2 * 2.05)


PAGE = """
const page = require('fs').readFileSync(process.argv[1], 'utf8')
const list = [...page.matchAll(/<(tr|g) data-op="(\\d+)"/g)].map(m => ({ tagName: m[1] === 'tr' ? 'TR' : 'g', dataset: { op: m[2] }, on: false,
  scrolled: false, classList: { add() { this.owner.on = true }, remove() { this.owner.on = false } }, scrollIntoView() { this.scrolled = true } }))
for (const e of list) e.classList.owner = e
const document = { querySelectorAll: s => s === '.on' ? list.filter(e => e.on) : s === '[data-op]' ? list
  : s.startsWith('[data-op=') ? list.filter(e => e.dataset.op === s.match(/\\d+/)[0]) : [] }
require('vm').runInNewContext([...page.matchAll(/<script>([^]*?)<\\/script>/g)].map(m => m[1]).join('\\n'), { document })
list.find(e => e.tagName === 'g').onclick()
console.log(JSON.stringify(list.filter(e => e.on).map(e => [e.tagName, e.dataset.op, e.scrolled])))
"""


def test_page(tmp_path):
    run(tmp_path, "--profile-page=page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and "src=" not in page and "href=" not in page and "@import" not in page
    assert len(re.findall(r"<g data-op=", page)) == 2 and len(re.findall(r"<path d=", page)) == 1
    assert "model.mlir:3</td>" in page and "this machine, us" in page and "predicted, n150, 64 cores" in page.replace("\\n", " ")
    if not shutil.which("node"):
        pytest.skip("no JavaScript engine")
    done = subprocess.run(["node", "-e", PAGE, tmp_path / "page.html"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert sorted(json.loads(done.stdout)) == [["TR", "0", True], ["g", "0", False]]


def test_torch_writes_both(tmp_path):
    """The JSON has the chip's times beside the measured ones, at lines of the model; a path in .html gets the page."""
    import tilewright  # noqa: F401

    layer, x = torch.nn.Linear(64, 32), torch.randn(8, 64)

    def model(x):
        return torch.nn.functional.gelu(layer(x))

    with torch.no_grad():
        for name in ("p.json", "p.html"):
            torch._dynamo.reset()
            torch.compile(model, backend="tt", options={"profile_path": tmp_path / name})(x)
    device = json.loads((tmp_path / "p.json").read_text())["device"]
    live = [o for o in device["operations"] if o["cycles"] and not o["once"]]
    assert device["chip"] == "n150" and device["launches"] == len(live) and any("gelu" in o["operation"] for o in live)
    assert device["total_us"] == pytest.approx(device["cycles"] / 1000 + device["launches"] * device["launch_us"])
    assert {Path(o["file"]).name for o in live if o["file"]} == {Path(__file__).name} and sum(o["file"] is not None for o in live) >= 2
    assert "predicted, n150" in (tmp_path / "p.html").read_text()


def test_nothing_on_the_chip_is_an_error(tmp_path):
    (tmp_path / "host.mlir").write_text("module { func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {\n  %0 = stablehlo.add %x, %x : tensor<4xf64>\n"
                                        "  return %0 : tensor<4xf64> } }\n")
    done = subprocess.run([BUILD / "bin/tilewright", "run", "host.mlir", "--profile-page=p.html"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and "no operation of the program is lowered to the chip" in done.stderr, done.stderr
