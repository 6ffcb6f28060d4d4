"""Passes over text: tilewright._core.transform."""

import pytest
from tilewright import _core

TEXT = """func.func @f(%a: i32) -> i32 {
  %0 = arith.constant 2 : i32
  %1 = arith.constant 3 : i32
  %2 = arith.addi %0, %1 : i32
  %3 = arith.addi %a, %2 : i32
  return %3 : i32
}
"""


def test_pipeline_runs():
    text = TEXT.replace("constant 3", "constant 2")
    assert _core.transform(text, "f.mlir", "builtin.module(func.func(cse))").count("arith.constant") == 1


def test_locations_and_generic_form():
    text = _core.transform(TEXT, "f.mlir", None, True, True)
    assert '"arith.addi"' in text and 'loc("f.mlir":4:8)' in text
    assert _core.transform(text, "f.mlir", None) == _core.transform(TEXT, "f.mlir", None)


def test_dump_sees_each_pass():
    seen = []
    _core.transform(TEXT, "f.mlir", "canonicalize,cse", False, False, seen.append)
    assert "".join(seen).count("// -----// IR Dump After") == 2


@pytest.mark.parametrize("text, pipeline, message", [
    ("func.func @f() { return 1 }", None, "f.mlir:1:"),
    (TEXT, "canonicalise", "did you mean 'canonicalize'"),
    (TEXT.replace("%a, %2", "%a, %9"), None, "use of undeclared SSA value name"),
])
def test_errors_hold_the_diagnostics(text, pipeline, message):
    with pytest.raises(RuntimeError, match=message):
        _core.transform(text, "f.mlir", pipeline)
