"""d2m-python-rewrites: patterns in Python files, run by ttmlir-opt without an interpreter of its own."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("torch")
from test_options import OPT

MODULE = """module attributes {test.kept = 1 : i32} {
  func.func @forward(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
    %r = "ttir.exp"(%x) : (tensor<32x32xf32>) -> tensor<32x32xf32>
    return %r : tensor<32x32xf32>
  }
}
"""
PATTERN = """import d2m_jit as d2m
from ttmlir import ir

@d2m.pattern(root="ttir.{before}")
def rewrite(op, rewriter):
    {body}
"""
REPLACE = """with op.location, ir.InsertionPoint(op):
        return ir.Operation.create("ttir.{}", results=[op.results[0].type], operands=[op.operands[0]]).results[0]"""


def run(folder, *paths, **environment):
    """ttmlir-opt without PYTHONPATH: it finds the packages beside itself."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    (folder / "tmp").mkdir(exist_ok=True)
    done = subprocess.run([OPT.absolute(), f"--d2m-python-rewrites=module-path={','.join(map(str, paths))}"], input=MODULE, capture_output=True, text=True,
                          env={**kept, "TILEWRIGHT_PYTHON": sys.executable, "TMPDIR": str(folder / "tmp"), **environment})
    assert not list((folder / "tmp").iterdir())  # nothing is left
    return done


def write(path, before, body):
    path.write_text(PATTERN.format(before=before, body=body))
    return path


def test_files_of_patterns(tmp_path):
    """Patterns of several files count together; the module's attributes stay."""
    first, second = (write(tmp_path / f"{a}.py", a, REPLACE.format(b)) for a, b in (("exp", "neg"), ("neg", "abs")))
    assert run(tmp_path, first).stdout == MODULE.replace("ttir.exp", "ttir.neg").replace("%x", "%arg0").replace("%r", "%0") + "\n"
    assert '"ttir.abs"(%arg0)' in run(tmp_path, first, second).stdout
    assert '"ttir.exp"(%arg0)' in run(tmp_path, second).stdout


def test_a_kernel_in_place_of_an_operation(tmp_path):
    body = """grid = d2m.infer_layout(op.operands[0])
    raise LookupError(type(grid).__name__)"""
    done = run(tmp_path, write(tmp_path / "p.py", "exp", body))
    assert done.returncode == 1 and "LookupError: Layout" in done.stderr


@pytest.mark.parametrize("text, words", [
    ("raise ValueError('two\\nlines')", "{python}: ValueError: two lines at {path}:1"),
    ("x = 1\nx +", "{python}: SyntaxError"),
    (PATTERN.format(before="exp", body="return 3"), "TypeError: pattern 'rewrite' returned a int"),
    (PATTERN.format(before="exp", body=REPLACE.format("no_such")), "no_such"),
], ids=["an exception", "no Python", "no value", "no operation"])
def test_errors_name_the_file(tmp_path, text, words):
    path = tmp_path / "patterns.py"
    path.write_text(text)
    done = run(tmp_path, path)
    assert done.returncode == 1 and not done.stdout
    assert done.stderr.startswith("<stdin>:1:1: error: 'builtin.module' op d2m-python-rewrites: ")
    assert words.format(python=sys.executable, path=path) in done.stderr


def test_what_is_missing_is_named(tmp_path):
    path = write(tmp_path / "p.py", "exp", REPLACE.format("neg"))
    assert "module-path=absent.py: No such file or directory" in run(tmp_path, path, "absent.py").stderr
    assert "/absent/python cannot be run: install Python, or let TILEWRIGHT_PYTHON name it" in run(tmp_path, path, TILEWRIGHT_PYTHON="/absent/python").stderr
    done = subprocess.run([OPT.absolute(), f"--d2m-python-rewrites=module-path={path}"], input=MODULE, capture_output=True, text=True,
                          env={**os.environ, "TMPDIR": str(tmp_path / "absent")})
    assert "let TMPDIR name one that can be written" in done.stderr
