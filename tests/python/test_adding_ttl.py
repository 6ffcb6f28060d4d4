"""docs/adding-a-ttl-operation.md in a copy of the tree: its edits, the build, the new operation in a TTL kernel beside torch, the
tests that it adds to, and the generated pages."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tilewright import sim

pytest.importorskip("torch")

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TW_BUILD") or Path(sim.__file__).parents[2])
PAGE = ROOT / "docs/adding-a-ttl-operation.md"
PARTS = {"bench", "docs", "include", "meson.build", "meson_options.txt", "optional", "python", "scripts", "src", "tests", "tools"}
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


def options():
    return {o["name"]: o["value"] for o in json.loads((BUILD / "meson-info/intro-buildoptions.json").read_text())}


def edits():
    """(file, the line before which text is inserted, the text)"""
    return re.findall(r"In `([^`]+)`, before `([^`]+)`:\n\n```\w+\n(.*?)```", PAGE.read_text(), re.S)


def run(tree, *command, **more):
    env = {**os.environ, "PYTHONPATH": f"{tree}/build/python{os.pathsep}{tree}/tests/python", "TW_BUILD": f"{tree}/build"}
    env.pop("TW_SHARED", None)
    done = subprocess.run(command, cwd=tree, env=env, text=True, capture_output=True, timeout=900, **more)
    assert done.returncode == 0, " ".join(map(str, command)) + "\n" + done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    if not all(map(shutil.which, ("meson", "ninja"))):
        pytest.skip("no meson or ninja to build with")
    known = options()
    if not os.environ.get("TILEWRIGHT_LONG") and (not shutil.which("ccache") or known["debug"]):
        pytest.skip("without ccache, or with debug information, all is compiled again: TILEWRIGHT_LONG=1 does")
    tree = tmp_path_factory.mktemp("adding") / "tree"
    shutil.copytree(ROOT, tree, ignore=lambda folder, names: {n for n in names if n == "__pycache__" or Path(folder) == ROOT and n not in PARTS})
    for path, before, text in edits():
        old = (tree / path).read_text()
        assert old.count("\n" + before) == 1, f"{path} has no single line that begins with {before}"
        (tree / path).write_text(old.replace("\n" + before, "\n" + text + before))
    run(tree, "meson", "setup", "build", f"--buildtype={known['buildtype']}", *["--werror"] * known["werror"])
    run(tree, "ninja", "-C", "build", "python/stage.stamp", "python/tilewright/_core.abi3.so", "tools/tilewright.in-bin")
    yield tree
    shutil.rmtree(tree)


def test_the_page_has_three_places():
    assert [path for path, *_ in edits()] == ["src/ttkernel/elementwise.def", "tests/python/cpp_functions.py", "tests/python/test_ttl_math.py"]


def test_the_operation_runs_beside_torch(tree):
    (tree / "kernel.py").write_text(KERNEL)
    run(tree, sys.executable, "kernel.py")


def test_the_tests_and_pages_that_it_adds_to(tree):
    for line in re.findall(r"^(.*) > (docs/.*)$", PAGE.read_text(), re.M):
        command, path = line[0].replace("PYTHONPATH=build/python ", "").replace("python3", sys.executable), tree / line[1]
        path.write_text(run(tree, *command.split()))
        assert "softshrinkish" in path.read_text()
    told = run(tree, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/python/test_ttl_math.py",
               "tests/python/test_cpp_functions.py", "tests/python/test_docs.py", "-k", "softshrinkish or rows_of_floats or reference")
    assert re.search(r"\d passed", told)
