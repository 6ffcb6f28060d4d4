"""Functional graphs kept in the cache folder: a later process makes the same program without torch's second tracer."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

from tilewright.torch_backend import tracing, warm

# bench/models.py; the tests have a module `models` of their own.
spec = importlib.util.spec_from_file_location("whole_models", Path(__file__).resolve().parents[2] / "bench/models.py")
models = sys.modules["whole_models"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(models)


@pytest.fixture(autouse=True)
def fresh():
    torch.manual_seed(1)
    torch._dynamo.reset()


@pytest.fixture
def traced(monkeypatch):
    """Counts what torch's tracer makes."""
    made, real = [], tracing.functional_graph

    def count(*args):
        made.append(args)
        return real(*args)

    monkeypatch.setattr(tracing, "functional_graph", count)
    return made


def run(model, inputs, folder, dumps):
    torch._dynamo.reset()
    with torch.no_grad():
        return torch.compile(model, backend="tt", options={"cache_dir": folder, "dump_dir": dumps})(*inputs)


def graphs(folder):
    return sorted(folder.glob("*.graph.json"))


@pytest.mark.parametrize("name", sorted(models.MODELS))
def test_the_same_program(name, tmp_path, traced):
    """The kept graph gives the same StableHLO, byte by byte, and the same results, also where the model writes to its buffers."""
    texts, results = [], []
    for turn in range(2):
        model, inputs = models.make(name, small=True)
        results.append(run(model, inputs, tmp_path / "cache", tmp_path / f"dump{turn}"))
        texts.append((tmp_path / f"dump{turn}" / "stablehlo.mlir").read_text())
        assert len(traced) == 1 and len(graphs(tmp_path / "cache")) == 1
    assert texts[0] == texts[1] and "loc(" not in texts[0].partition("module")[0]
    for a, b in zip(torch.utils._pytree.tree_leaves(results[0]), torch.utils._pytree.tree_leaves(results[1]), strict=True):
        assert torch.equal(a, b)
    model, inputs = models.make(name, small=True)
    with torch.no_grad():
        want = torch.utils._pytree.tree_leaves(model(*inputs))
    for a, b in zip(torch.utils._pytree.tree_leaves(results[1]), want, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4)


class Two(nn.Module):
    def __init__(self, scale=2.0):
        super().__init__()
        self.layer, self.scale = nn.Linear(8, 4), scale

    def forward(self, x):
        return torch.tanh(self.layer(x)) * self.scale


OTHERS = {
    "other shape": (Two, lambda: torch.randn(3, 8)),
    "other type": (lambda: Two().bfloat16(), lambda: torch.randn(2, 8, dtype=torch.bfloat16)),
    "other strides": (Two, lambda: torch.randn(8, 2).t()),
    "other number": (lambda: Two(3.0), lambda: torch.randn(2, 8)),
}


@pytest.mark.parametrize("other", OTHERS)
def test_another_graph_is_made(other, tmp_path, traced):
    run(Two(), [torch.randn(2, 8)], tmp_path, None)
    make, inputs = OTHERS[other]
    model, x = make(), inputs()
    got = run(model, [x], tmp_path, None)
    assert len(traced) == 2 and len(graphs(tmp_path)) == 2
    torch.testing.assert_close(got, model(x), rtol=1e-2, atol=1e-2)


def test_another_state_of_torch_is_another_graph(tmp_path, traced):
    model, x = Two(), torch.randn(2, 8)
    run(model, [x], tmp_path, None)
    torch._dynamo.reset()
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        got = torch.compile(model, backend="tt", options={"cache_dir": tmp_path})(x)
        torch.testing.assert_close(got, model(x), rtol=2e-2, atol=2e-2)
    assert len(traced) == 2


def damages(text):
    """The first ones are found by the digest, the others have a valid one."""
    yield text[: len(text) // 2]
    yield ""
    at = text.index("[2, 8]")
    yield text[:at] + "[3, 8]" + text[at + 6:]
    yield from (f"{warm.digest(body)}\n{body}" for body in bodies(text.partition("\n")[2]))


def bodies(text):
    whole = json.loads(text)
    yield "[]"
    yield json.dumps({"nodes": whole["nodes"]})
    yield json.dumps({**whole, "mutated": "x"})
    yield json.dumps({**whole, "nodes": whole["nodes"][:-1]})
    for target in ("aten.no_such.default", "aten.add", "os.system.x"):
        yield json.dumps({**whole, "nodes": [[*n[:2], target, *n[3:]] if n[1] == "call_function" else n for n in whole["nodes"]]})
    yield json.dumps({**whole, "nodes": [[*n[:3], [["node", 10 ** 6]], *n[4:]] if n[1] == "call_function" else n for n in whole["nodes"]]})
    yield json.dumps({**whole, "nodes": [[*n[:5], ["tensor", [[-1], [1], "torch.nn"]], *n[6:]] for n in whole["nodes"]]})


def test_damaged_files_are_made_again(tmp_path, traced):
    model, x = Two(), torch.randn(2, 8)
    want = run(model, [x], tmp_path, None)
    (path,) = graphs(tmp_path)
    text = path.read_text()
    for i, damaged in enumerate(damages(text)):
        path.write_text(damaged)
        assert torch.equal(run(model, [x], tmp_path, None), want)
        assert len(traced) == i + 2 and path.read_text() == text


def modules(folder):
    return sorted(folder.glob("*.stablehlo.mlir"))


def test_damaged_modules_are_made_again(tmp_path, traced):
    """Cut, of other arguments or results, of no function, no text at all; all but the first with a valid digest."""
    model, x = Two(), torch.randn(2, 8)
    want = run(model, [x], tmp_path, None)
    (path,) = modules(tmp_path)
    text = path.read_text()
    body = text.partition("\n")[2]
    assert "tensor<2x8xf32>" in body and "-> tensor<2x4xf32>" in body
    bodies = [body.replace("2x8x", "3x8x"), body.replace("2x4x", "2x5x"), body.replace("@main(", "@other("), "module {\n}\n", "no module",
              body.replace("f32>", "f33>"), body.replace("stablehlo.tanh", "stablehlo.tann")]
    for damaged in (text[: len(text) // 2], *(f"{warm.digest(b)}\n{b}" for b in bodies)):
        path.write_text(damaged)
        assert torch.equal(run(model, [x], tmp_path, None), want)
        assert len(traced) == 1 and path.read_text() == text


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_entries_that_are_no_files_are_replaced(tmp_path, traced, make):
    model, x = Two(), torch.randn(2, 8)
    want = run(model, [x], tmp_path, None)
    (path,) = graphs(tmp_path)
    path.unlink()
    make(path)
    assert torch.equal(run(model, [x], tmp_path, None), want) and len(traced) == 2
    assert path.is_file() and not path.is_symlink()


def own(x):
    return x * 3


torch._dynamo.allow_in_graph(own)


def test_functions_of_the_user_are_not_kept(tmp_path, traced):
    """Their code may differ in the next process."""
    assert torch.equal(run(lambda x: own(x) + 1, [torch.ones(4)], tmp_path, None), torch.full((4,), 4.0))
    assert len(traced) == 1 and not graphs(tmp_path)


PROCESS = """
import sys, torch, tilewright
from tilewright.torch_backend import tracing
real, made = tracing.functional_graph, []
tracing.functional_graph = lambda *args: made.append(1) or real(*args)
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(36, 5)).eval()
with torch.no_grad():
    print(len(made), torch.compile(model, backend="tt", options={"cache_dir": sys.argv[1]})(torch.ones(1, 3, 8, 8)).tolist(), len(made))
"""

UNTRACED = """
import sys, torch, tilewright
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.GELU(), torch.nn.LayerNorm(4))
with torch.no_grad():
    torch.compile(model, backend="tt", options={"cache_dir": sys.argv[1]})(torch.ones(2, 8))
print(sorted(m.rpartition(".")[2] for m in sys.modules if m.startswith("tilewright.torch_backend.")))
"""


def test_a_later_process(tmp_path):
    outputs = [subprocess.run([sys.executable, "-c", PROCESS, tmp_path], check=True, capture_output=True, text=True).stdout for _ in range(2)]
    assert outputs[0].endswith(" 1\n") and outputs[1].endswith(" 0\n") and outputs[0][:-2] == outputs[1][:-2]


def test_a_later_process_imports_neither_decompositions_nor_rows(tmp_path):
    first, later = (subprocess.run([sys.executable, "-c", UNTRACED, tmp_path], check=True, capture_output=True, text=True).stdout for _ in range(2))
    for name in ("'tracing'", "'record'", "'emit'", "'nn'", "'decompose'", "'decompose_training'"):
        assert name in first and name not in later
