"""The pages on adding an operation, a TTL operation and a pass work: their blocks are inserted in a copy of the tree, which is built once, and
what they add goes through text, bytecode, TTNN, .ttnn files, C++, Python, torch, TTL kernels and runs."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tilewright import sim

pytest.importorskip("torch")

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TW_BUILD") or Path(sim.__file__).parents[2])
PARTS = {"bench", "docs", "include", "meson.build", "meson_options.txt", "optional", "python", "scripts", "src", "tests", "tools", "bindings"}
EDIT = re.compile(r"[Ii]n `([^`]+)`, before `([^`]+)`(?:(?!before `).)*?\n( *)```\w+\n(.*?)^\3```", re.S | re.M)
FILE = re.compile(r"[Tt]he new file `([^`]+)`:\n+```\w+\n(.*?)^```", re.S | re.M)
PAGES = {  # how many edits and new files each has
    "adding-an-operation.md": (8, 0),
    "adding-a-ttl-operation.md": (3, 0),
    "adding-a-pass.md": (1, 2),
}
SHAPES = {"softsignish": ((4, 33), (4, 33)), "global_max_pool2d": ((2, 5, 7, 33), (2, 1, 1, 33))}


def page(name):
    return (ROOT / "docs" / name).read_text()


def edits(name):
    """(file, the line before which text is inserted, the text)"""
    return [(path, before, re.sub(f"(?m)^{indent}", "", text)) for path, before, indent, text in EDIT.findall(page(name))]


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=1500, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def environment(tree):
    return {**{k: v for k, v in os.environ.items() if k != "TW_SHARED"}, "TW_BUILD": f"{tree}/build",
            "PYTHONPATH": f"{tree}/build/python{os.pathsep}{tree}/tests/python"}


def copy_tree(tree):
    shutil.copytree(ROOT, tree, ignore=lambda folder, names: {n for n in names if n == "__pycache__" or Path(folder) == ROOT and n not in PARTS})
    for name in PAGES:
        for path, before, text in edits(name):
            old = (tree / path).read_text()
            assert old.count("\n" + before) == 1, f"{path} has no single line that begins with {before}"
            (tree / path).write_text(old.replace("\n" + before, "\n" + text + before))
        for path, text in FILE.findall(page(name)):
            assert not (tree / path).exists()
            (tree / path).write_text(text)


def take_objects(build):
    """Copies what is compiled already: commands and times are the same, so ninja compiles only what the pages change."""
    for path in (BUILD / ".ninja_log", BUILD / ".ninja_deps", *BUILD.rglob("*.o"), *BUILD.rglob("*.a")):
        copy = build / path.relative_to(BUILD)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    if not all(map(shutil.which, ("meson", "ninja"))):
        pytest.skip("no meson or ninja to build with")
    known = {o["name"]: o["value"] for o in json.loads((BUILD / "meson-info/intro-buildoptions.json").read_text())}
    if known["b_coverage"]:
        pytest.skip("objects that count for gcov do so in the files of the build that they were compiled in")
    tree = tmp_path_factory.mktemp("adding") / "tree"
    copy_tree(tree)
    run("meson", "setup", "build", f"--buildtype={known['buildtype']}", *["--werror"] * known["werror"], f"-Doptional={','.join(known['optional'])}", cwd=tree)
    take_objects(tree / "build")
    run("ninja", "-C", "build", "--quiet", "tools/tilewright.in-bin", "python/stage.stamp", "python/tilewright/_core.abi3.so", cwd=tree)
    yield tree
    shutil.rmtree(tree)


@pytest.mark.parametrize("name", PAGES)
def test_each_step_has_a_file_and_a_block(name):
    assert (len(edits(name)), len(FILE.findall(page(name)))) == PAGES[name]


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
def files(request, tree, tmp_path):
    (tmp_path / "t.mlir").write_text(module(request.param))
    return request.param, tree / "build/bin", tmp_path


def test_one_call_of_ttnn(tree):
    program = """
import torch, ttnn
x = torch.rand(2, 5, 7, 33)
y = ttnn.to_torch(ttnn.global_max_pool2d(ttnn.from_torch(x, dtype=ttnn.float32)))
assert torch.equal(y.float(), x.amax((1, 2), keepdim=True)), y.shape
"""
    run(sys.executable, "-c", program, env=environment(tree))


def test_text_and_bytecode(files):
    name, tools, folder = files
    text = run(tools / "ttmlir-opt", folder / "t.mlir")
    assert f'"ttir.{name}"' in text
    run(tools / "ttmlir-opt", folder / "t.mlir", "--emit-bytecode", "-o", folder / "t.mlirbc")
    assert run(tools / "ttmlir-opt", folder / "t.mlirbc") == text
    assert "Computes" in run(tools / "tilewright", "operations", f"ttir.{name}")


def test_the_optimizer_may_keep_the_result_in_l1(tree, tmp_path):
    (tmp_path / "t.mlir").write_text("""func.func @f(%x: tensor<2x4x4x32xbf16>) -> tensor<2x1x1x32xbf16> {
  %0 = "ttir.global_max_pool2d"(%x) : (tensor<2x4x4x32xbf16>) -> tensor<2x1x1x32xbf16> loc("pool")
  %1 = "ttir.abs"(%0) : (tensor<2x1x1x32xbf16>) -> tensor<2x1x1x32xbf16>
  return %1 : tensor<2x1x1x32xbf16>
}""")
    assert "#l1" in run(tree / "build/bin/ttmlir-opt", tmp_path / "t.mlir", "--ttir-to-ttnn-backend-pipeline=enable-optimizer=true override-output-layout=pool=l1")


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


def test_torch(tree, tmp_path):
    (tmp_path / "t.py").write_text(TORCH)
    assert "fine" in run(sys.executable, tmp_path / "t.py", tmp_path, env=environment(tree))

KERNEL = """
import torch, ttl

@ttl.kernel(grid=(1, 1))
def apply(x, out):
    x_cb, out_cb = (ttl.make_circular_buffer_like(t, shape=(1, 1)) for t in (x, out))

    @ttl.compute()
    def compute():
        with x_cb.wait() as block, out_cb.reserve() as result:
            result.store(ttl.math.softshrinkish(block * 2) + block)

    @ttl.datamovement()
    def read():
        with x_cb.reserve() as block:
            ttl.copy(x[0, 0], block).wait()

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:
            ttl.copy(block, out[0, 0]).wait()

x, out = torch.randn(32, 32), torch.zeros(32, 32)
apply(x, out)
torch.testing.assert_close(out, torch.nn.functional.softshrink(x * 2) + x, rtol=1e-6, atol=1e-6)
"""


def test_the_ttl_operation_runs_beside_torch(tree):
    (tree / "kernel.py").write_text(KERNEL)
    run(sys.executable, "kernel.py", cwd=tree, env=environment(tree))


def test_the_tests_and_pages_that_a_ttl_operation_adds_to(tree):
    for command, path in re.findall(r"^(.*) > (docs/.*)$", page("adding-a-ttl-operation.md"), re.M):
        command = command.replace("PYTHONPATH=build/python ", "").replace("python3", sys.executable)
        (tree / path).write_text(run(*command.split(), cwd=tree, env=environment(tree)))
        assert "softshrinkish" in (tree / path).read_text()
    told = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/python/test_ttl_math.py",
               "tests/python/test_cpp_functions.py", "tests/python/test_docs.py", "-k", "softshrinkish or rows_of_floats or reference",
               cwd=tree, env=environment(tree))
    assert re.search(r"\d passed", told)


def test_the_pass_and_its_text_test(tree):
    opt = tree / "build/bin/ttmlir-opt"
    for word in ("--ttir-drop-relus", "Remove ttir.relu of values that are never negative", "exponentials"):
        assert word in run(opt, "--help")
    (path, text), = [f for f in FILE.findall(page("adding-a-pass.md")) if f[0].endswith(".mlir")]
    got = run(opt, tree / path, "--pass-pipeline=builtin.module(ttir-drop-relus{exponentials=false})")
    assert (text.count('"ttir.relu"('), got.count('"ttir.relu"(')) == (3, 2)
    told = subprocess.run([sys.executable, "tests/lit/run.py", "--build", "build", path], cwd=tree, capture_output=True, text=True, timeout=300)
    assert told.returncode == 77 or "1 passed, 0 failed" in told.stdout, told.stdout + told.stderr
