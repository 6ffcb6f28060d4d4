"""@ttnn_jit.autotune: within 5 % of an exhaustive search in a tenth of its runs; what is not allowed is left out; choices are kept and
used by the grid's engine and by compile_only."""

import itertools
import json
import math
import os
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

import ttnn
import ttnn_jit
from tilewright import sim
from tilewright.tuning import Candidate

ROOT = Path(__file__).resolve().parents[2]
GRIDS = [(0, 0), (1, 0), (1, 1), (3, 1), (3, 3), (7, 3), (7, 7)]
WIDE = dict(max_grid=GRIDS, num_stream_buffers=[1, 2, 4], enable_multicast_inference=[False, True],
            use_tile_matmul=[False, True], use_tensor_accessor_dma=[False, True])


@pytest.fixture(scope="module")
def device():
    made = ttnn.open_device(device_id=0)
    yield made
    ttnn.close_device(made)


@pytest.fixture(autouse=True)
def on_the_grid(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_ENGINE", "grid")


def tensor(device, values, dtype=ttnn.float32):
    return ttnn.from_torch(values, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)


def cosh(x):
    return ttnn.multiply(ttnn.add(ttnn.exp(x), ttnn.exp(ttnn.neg(x))), 0.5)


def product(x, y):
    return ttnn.matmul(x, y)


def rows(x):
    return ttnn.sum(x, dim=-1, keepdim=True)


FUNCTIONS = {"cosh": (cosh, lambda x: torch.cosh(x)), "product": (product, lambda x, y: x @ y), "rows": (rows, lambda x: x.sum(-1, keepdim=True))}
SHAPES = [("product", (4, 2, 4)), ("rows", (2, 4)), ("cosh", (4, 2)), ("product", (8, 8, 8)), ("product", (2, 8, 2)), ("product", (8, 2, 4)),
          ("cosh", (8, 8)), ("cosh", (1, 8)), ("rows", (8, 2)), ("rows", (4, 4))]
if not os.environ.get("TILEWRIGHT_LONG"):
    SHAPES = SHAPES[:2]


@pytest.mark.parametrize("name, tiles", SHAPES, ids=str)
def test_within_5_percent_in_a_tenth_of_the_runs(device, name, tiles, capsys):
    write, want = FUNCTIONS[name]
    sizes = [32 * t for t in tiles]
    values = [torch.randn(*s) for s in ([sizes] if len(sizes) == 2 else [sizes[:2], sizes[1:]])]
    arguments = [tensor(device, v) for v in values]
    function = ttnn_jit.autotune(**WIDE)(ttnn_jit.jit(enable_cache=True)(write))
    got, expected = function(*arguments).to_torch(), want(*values)
    assert ((got - expected).abs() <= 4e-3 * expected.abs().max()).all()
    count = math.prod(map(len, WIDE.values()))
    (written, tried, total), = function.tables.values()
    ran = 1 + sum(math.isfinite(candidate.cycles) for candidate in tried)
    assert total == count and ran <= count / 10
    assert f"{ran - 1} of {count} candidates measured" in capsys.readouterr().out
    chosen = min([written, *tried], key=lambda candidate: candidate.cycles)
    assert list(function.choices.values()) == [chosen.values]
    best, out = math.inf, 0
    for point in itertools.product(*WIDE.values()):
        candidate = Candidate(dict(zip(WIDE, point)))
        function.measure(candidate, arguments, {}, None)
        best, out = min(best, candidate.cycles), out + (candidate.why != "")
    print(f"FIGURE {name} {tiles}: written {written.cycles:.0f}, chosen {chosen.cycles:.0f}, exhaustive {best:.0f}, {ran} of {count} runs, {out} left out")
    assert chosen.cycles <= 1.05 * best


def cycles(function, *arguments):
    launches = []
    sim._core().grid_observe(launches)
    try:
        function(*arguments)
    finally:
        sim._core().grid_observe(None)
    return sum(launch[2] for launch in launches)


def test_the_choice_runs(device, capsys):
    x, y = tensor(device, torch.randn(128, 128)), tensor(device, torch.randn(128, 128))
    one_core = ttnn_jit.jit(max_grid=(0, 0))(product)
    tuned = ttnn_jit.autotune(max_grid=[(0, 0), (1, 1), (3, 3)], share=1)(ttnn_jit.jit(max_grid=(0, 0), enable_cache=True)(product))
    first = tuned(x, y)
    assert list(tuned.choices.values()) == [{"max_grid": (3, 3)}] and tuned.num_entries == 1
    assert torch.allclose(first.to_torch(), one_core(x, y).to_torch(), atol=1e-2)
    (written, tried, _), = tuned.tables.values()
    assert cycles(tuned, x, y) == min(c.cycles for c in tried) < written.cycles == cycles(one_core, x, y)
    text = capsys.readouterr().out
    assert text.count("candidates measured") == 1 and "max_grid=(3, 3)  <- chosen" in text and "as it is written: max_grid=(0, 0)\n" in text
    tuned(tensor(device, torch.randn(64, 64)), tensor(device, torch.randn(64, 64)))
    assert len(tuned.choices) == 2 and tuned.num_entries == 2


def test_what_is_not_allowed_is_left_out(device, capsys):
    x, y = tensor(device, torch.randn(64, 64)), tensor(device, torch.randn(64, 64))
    tuned = ttnn_jit.autotune(max_grid=[(0, 0), (1, 1), (20, 20)], test_assume_l1_capacity=[2048, 0], share=1)(ttnn_jit.jit()(product))
    tuned(x, y)
    (_, tried, _), = tuned.tables.values()
    why = {(c.values["max_grid"], c.values["test_assume_l1_capacity"]): c.why for c in tried}
    assert {key for key, text in why.items() if not text} == {((0, 0), 0), ((1, 1), 0)}
    assert "expected a core within" in why[(20, 20), 0]
    assert all("L1 memory usage" in why[grid, 2048] for grid in ((0, 0), (1, 1)))
    assert "4 left out" in capsys.readouterr().out


def test_other_results_are_left_out(device):
    """The function changes each time that it is traced; its third trace is the first candidate's."""
    traces = []

    def wavering(x):
        traces.append(x)
        return ttnn.multiply(x, 1.0 if len(traces) in (1, 2, 4) else 1.01)

    tuned = ttnn_jit.autotune(max_grid=[(0, 0), (1, 1)], share=1, verbose=False)(ttnn_jit.jit()(wavering))
    tuned(tensor(device, torch.randn(64, 64)))
    (written, tried, _), = tuned.tables.values()
    assert not written.why and [c.why for c in tried] == ["other results than the function as it is written", ""]


def test_a_page_shows_the_choice(device, tmp_path):
    tuned = ttnn_jit.autotune(max_grid=[(0, 0), (1, 1)], share=1, verbose=False)(ttnn_jit.jit(max_grid=(0, 0))(rows))
    x = torch.randn(128, 64)
    got = tuned.page(tmp_path / "rows.html", tensor(device, x)).to_torch()
    assert torch.allclose(got, x.sum(-1, keepdim=True), atol=2e-2)
    (written, tried, _), = tuned.tables.values()
    best = min([written, *tried], key=lambda c: c.cycles)
    assert f">{best.cycles:.0f}</td>" in (tmp_path / "rows.html").read_text()


def test_compile_only_uses_the_choice(device, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TILEWRIGHT_ENGINE", "host")
    x = tensor(device, torch.randn(128, 128))
    text = {}
    for grid in ((0, 0), (3, 3)):
        text[grid] = ttnn_jit.jit(compile_only=True, max_grid=grid)(cosh)(x)
    assert text[0, 0] != text[3, 3]
    tuned = ttnn_jit.autotune(max_grid=[(0, 0), (3, 3)], share=1)(ttnn_jit.jit(compile_only=True, max_grid=(0, 0))(cosh))
    assert tuned(x) == text[3, 3]
    assert (tmp_path / "generated/jit/cosh/cosh.mlir").read_text() == text[3, 3]
    assert "2 of 2 candidates measured" in capsys.readouterr().out


def test_the_host_has_no_choice(device, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_ENGINE", "host")
    x = torch.randn(64, 64)
    tuned = ttnn_jit.autotune(max_grid=GRIDS)(ttnn_jit.jit(enable_cache=True)(cosh))
    assert torch.allclose(tuned(tensor(device, x)).to_torch(), torch.cosh(x), rtol=1e-5)
    assert not tuned.choices
    outer = ttnn_jit.jit()(lambda v: ttnn.neg(tuned(v)))  # a part of another function
    assert torch.allclose(outer(tensor(device, x)).to_torch(), -torch.cosh(x), rtol=1e-5)


def test_options_of_the_back_end_reach_the_kernels(device):
    x, y = tensor(device, torch.randn(64, 64)), tensor(device, torch.randn(64, 64))
    assert cycles(ttnn_jit.jit(max_grid=(0, 0), extra_pipeline_options="use-tile-matmul=true")(product), x, y) \
        != cycles(ttnn_jit.jit(max_grid=(0, 0))(product), x, y)


def test_choices_are_kept_in_a_file(device, tmp_path, capsys):
    path, x = tmp_path / "choices.json", tensor(device, torch.randn(64, 64))

    def make(**flags):
        return ttnn_jit.autotune(max_grid=[(0, 0), (1, 1)], share=1, cache=str(path))(ttnn_jit.jit(**flags)(cosh))

    make(max_grid=(0, 0))(x)
    assert "candidates measured" in capsys.readouterr().out
    assert list(json.loads(path.read_text()).values()) == [{"max_grid": "(1, 1)"}]
    again = make(max_grid=(0, 0))
    again(x)
    assert capsys.readouterr().out == "" and list(again.choices.values()) == [{"max_grid": (1, 1)}]
    make(max_grid=(1, 1))(x)  # written otherwise
    assert len(json.loads(path.read_text())) == 2
    path.write_text("{")
    with pytest.warns(RuntimeWarning, match="choices.json.*functions are tuned again"):
        make()(x)


def test_nothing_runs(device):
    tuned = ttnn_jit.autotune(max_grid=[(20, 20)])(ttnn_jit.jit(extra_pipeline_options="test-assume-l1-capacity=2048")(product))
    x, y = tensor(device, torch.randn(64, 64)), tensor(device, torch.randn(64, 64))
    with pytest.raises(RuntimeError, match=r"product\(\): none of the 1 candidates of ttnn_jit.autotune runs:\n  max_grid=\(20, 20\): .*expected a core within"):
        tuned(x, y)


def test_errors_of_the_function_are_the_callers(device):
    tuned = ttnn_jit.autotune(max_grid=GRIDS)(ttnn_jit.jit()(product))
    with pytest.raises(ValueError, match="Invalid arguments for function product"):
        tuned(tensor(device, torch.randn(64, 64)))


@pytest.mark.parametrize("make, message", [
    (lambda f: ttnn_jit.autotune()(f), "ttnn_jit.autotune needs lists of candidates"),
    (lambda f: ttnn_jit.autotune(max_grid=2)(f), "max_grid is a list of candidates, not 2"),
    (lambda f: ttnn_jit.autotune(max_grid=[2])(f), "max_grid"),
    (lambda f: ttnn_jit.autotune(max_grid=[(1, -1)])(f), r"argument 'max_grid': expected the column and row .* found \(1, -1\)"),
    (lambda f: ttnn_jit.autotune(math_fidelity=["HiFi2"])(f), "argument 'math_fidelity': expected a ttnn.MathFidelity, found 'HiFi2'"),
    (lambda f: ttnn_jit.autotune(width=[1])(f), "ttnn_jit.autotune: width=1: .* has no option 'width'.*; its lists are max_grid, "),
    (lambda f: ttnn_jit.autotune(num_stream_buffers=["many"])(f), "ttnn_jit.autotune: num-stream-buffers=many: "),
    (lambda f: ttnn_jit.autotune(max_grid=GRIDS)(f.func), r"@ttnn_jit.autotune\(...\) is written above @ttnn_jit.jit"),
    (lambda f: ttnn_jit.autotune(max_grid=GRIDS, share=2)(f), "share is more than 0 and at most 1, not 2"),
])
def test_decorators_that_do_not_fit(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make(ttnn_jit.jit()(product))


def test_the_example(capsys):
    sys.path.insert(0, str(ROOT / "examples/jit"))
    import tuned

    tuned.main()
    text = capsys.readouterr().out
    assert text.count("candidates measured") == 3 and text.endswith("tuned: as torch\n")
