"""The code in the documents runs, and the reference matches the package."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def run(code, path):
    """Runs the code as a file, since kernels are read from theirs; returns its names."""
    path.write_text(code)
    names = {"__name__": "__main__"}
    exec(compile(code, str(path), "exec"), names)
    return names


def blocks(page):
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.S)


def test_first_kernel_of_the_ttl_page(tmp_path):
    torch = pytest.importorskip("torch")
    code, = blocks("ttl.md")
    names = run(code, tmp_path / "first.py")
    torch.testing.assert_close(names["out"], names["x"] * 2 + 1, rtol=1e-2, atol=1e-2)


def test_the_ttl_tutorial(tmp_path):
    pytest.importorskip("torch")
    code = blocks("ttl-tutorial.md")
    assert len(code) == 8
    run("\n".join(code), tmp_path / "tutorial.py")


def test_patterns_of_the_python_page(tmp_path):
    code, = [block for block in blocks("python.md") if "PDLModule" in block]
    run(code, tmp_path / "patterns.py")


def test_the_page_on_ttnn(tmp_path):
    pytest.importorskip("torch")
    code = blocks("ttnn.md")
    assert len(code) == 3
    run("\n".join(code), tmp_path / "eager.py")


def test_the_page_on_kernels_of_blocks(tmp_path):
    torch = pytest.importorskip("torch")
    code, = blocks("d2m-jit.md")
    names = run(code, tmp_path / "blocks.py")
    torch.testing.assert_close(names["result"], 3 * names["x"].exp() * names["y"], rtol=1e-2, atol=1e-2)


def test_the_page_on_pykernel(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    code, = blocks("pykernel.md")
    names = run(code, tmp_path / "operation.py")
    torch.testing.assert_close(names["result"], names["ttnn"].to_torch(names["x"]).exp(), rtol=1e-2, atol=1e-2)
    names["ttnn"].close_device(names["device"])


def test_the_stub_of_ttnn():
    """Editors complete what the package has."""
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "ttnn_stubs.py")], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.stdout == (ROOT / "python/ttnn/__init__.pyi").read_text(), done.stderr or "run scripts/ttnn_stubs.py > python/ttnn/__init__.pyi"


def test_the_ttl_reference():
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "ttl_reference.py")], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.stdout == (DOCS / "ttl-reference.md").read_text(), done.stderr or "run scripts/ttl_reference.py > docs/ttl-reference.md"


def test_the_page_on_one_operation(tmp_path, monkeypatch, capsys):
    pytest.importorskip("torch")
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "builder_page.py")], capture_output=True, text=True, timeout=60)
    assert done.stdout == (DOCS / "one-operation.md").read_text(), "run scripts/builder_page.py > docs/one-operation.md"
    monkeypatch.chdir(tmp_path)
    run("\n".join(blocks("one-operation.md")), tmp_path / "page.py")
    shown = capsys.readouterr().out
    assert "ttir.layer_norm" in shown and "ttnn.layer_norm" in shown and "FAIL" not in shown
