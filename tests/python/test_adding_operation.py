"""What docs/adding-an-operation.md says works: its blocks are inserted in a copy of the tree, which is built, and both operations go
through text, bytecode, TTNN, .ttnn files, C++, Python, torch and a run."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
if not os.environ.get("TILEWRIGHT_LONG"):
    pytest.skip("builds the library once more; TILEWRIGHT_LONG=1 runs it", allow_module_level=True)

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "adding-an-operation.md"
STEP = re.compile(r"^\d+\. .*?in `([^`]+)`, before `([^`]+)`.*?^   ```c\n(.*?)^   ```$", re.S | re.M)
SHAPES = {"softsignish": ((4, 33), (4, 33)), "global_max_pool2d": ((2, 5, 7, 33), (2, 1, 1, 33))}


def steps():
    text = PAGE.read_text()
    found = [(path, anchor, re.sub(r"(?m)^   ", "", block)) for part in re.split(r"(?m)^(?=\d+\. )", text)
             for path, anchor, block in STEP.findall(part)]
    assert len(found) == 8 == len(re.findall(r"(?m)^\d+\. ", text)), "a step without a block, or a block without a place"
    return found


def insert(tree, path, anchor, block):
    lines = (tree / path).read_text().splitlines(keepends=True)
    at, = [i for i, line in enumerate(lines) if line.startswith(anchor)]
    (tree / path).write_text("".join(lines[:at]) + block + "".join(lines[at:]))


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=1500, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    tree = tmp_path_factory.mktemp("tree")
    files = run("git", "ls-files", "-z", cwd=ROOT).split("\0") if (ROOT / ".git").exists() else []
    if not files or not shutil.which("meson"):
        pytest.skip("needs a checkout and meson")
    for name in filter(None, files):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    for step in steps():
        insert(tree, *step)
    run("meson", "setup", "build", "--buildtype=release", cwd=tree)
    run("ninja", "-C", tree / "build", "--quiet", "tools/tilewright.in-bin", "python/stage.stamp", "python/tilewright/_core.abi3.so")
    return tree / "build"


def module(name):
    x, y = ("x".join(map(str, shape)) + "xf32" for shape in SHAPES[name])
    return f'''func.func @main(%x: tensor<{x}>) -> tensor<{y}> {{
  %0 = "ttir.{name}"(%x) : (tensor<{x}>) -> tensor<{y}>
  return %0 : tensor<{y}>
}}
'''


def expected(name, x):
    return x / (1 + np.abs(x)) if name == "softsignish" else x.max((1, 2), keepdims=True)


@pytest.fixture(params=list(SHAPES))
def files(request, build, tmp_path):
    (tmp_path / "t.mlir").write_text(module(request.param))
    return request.param, build / "bin", tmp_path


def test_text_and_bytecode(files):
    name, tools, folder = files
    text = run(tools / "ttmlir-opt", folder / "t.mlir")
    assert f'"ttir.{name}"' in text
    run(tools / "ttmlir-opt", folder / "t.mlir", "--emit-bytecode", "-o", folder / "t.mlirbc")
    assert run(tools / "ttmlir-opt", folder / "t.mlirbc") == text
    assert "Computes" in run(tools / "tilewright", "operations", f"ttir.{name}")


def test_binary_cpp_and_python(files):
    name, tools, folder = files
    run(tools / "ttmlir-opt", folder / "t.mlir", "--ttir-to-ttnn-backend-pipeline", "-o", folder / "ttnn.mlir")
    assert f'"ttnn.{name}"' in (folder / "ttnn.mlir").read_text()
    run(tools / "ttmlir-translate", "--ttnn-to-flatbuffer", folder / "ttnn.mlir", "-o", folder / "t.ttnn")
    x = np.random.default_rng(1).standard_normal(SHAPES[name][0]).astype(np.float32)
    np.savez(folder / "in.npz", in0=x)
    for program in ("t.ttnn", "t.mlir"):
        run(tools / "tilewright", "run", folder / program, "--inputs", folder / "in.npz", "--outputs", folder / "out.npz")
        got, = np.load(folder / "out.npz").values()
        np.testing.assert_allclose(got.reshape(SHAPES[name][1]), expected(name, x), rtol=1e-6)
    cpp = run(tools / "ttmlir-opt", folder / "ttnn.mlir", "--convert-ttnn-to-emitc")
    assert f"ttnn::{name}" in cpp
    python = run(tools / "ttmlir-opt", folder / "ttnn.mlir", "--convert-ttnn-to-emitpy")
    assert f"ttnn.{name}" in python


TORCH = """
import pathlib
import sys
import torch
library = torch.library.Library("sample", "DEF")
functions = {"softsignish": lambda x: x / (1 + x.abs()), "global_max_pool2d": lambda x: x.amax((1, 2), keepdim=True)}
for name, function in functions.items():
    library.define(f"{name}(Tensor x) -> Tensor")
    library.impl(name, function, "CPU")
    torch.library.register_fake(f"sample::{name}")(function)
import tilewright.torch_backend
for name, shape in {"softsignish": (4, 33), "global_max_pool2d": (2, 5, 7, 33)}.items():
    operator = getattr(torch.ops.sample, name)
    x = torch.randn(shape)
    folder = pathlib.Path(sys.argv[1], name)
    got = torch.compile(lambda x: operator(x) + 1, backend="tt", options={"dump_dir": str(folder)})(x)
    torch.testing.assert_close(got, functions[name](x) + 1, rtol=1e-6, atol=1e-6)
    assert any(f"ttnn.{name}" in file.read_text() for file in folder.rglob("*.mlir")), "torch computed it"
print("fine")
"""


def test_torch(build, tmp_path):
    (tmp_path / "t.py").write_text(TORCH)
    environment = {**os.environ, "PYTHONPATH": str(build / "python")}
    assert "fine" in run(sys.executable, tmp_path / "t.py", tmp_path, env=environment)
