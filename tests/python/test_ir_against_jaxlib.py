"""Small programs on MLIR's own Python bindings (those in jaxlib) and on ttmlir's: the same outcomes.

A line of ir_expressions.txt is a program.  Those under a heading that begins with `#!` differ for the
reason that the heading gives; of these only is asked that nothing crashes."""

import re
from pathlib import Path

import pytest

pytest.importorskip("jaxlib.mlir.ir")
import ir_expressions  # noqa: E402

LINES = Path(__file__).with_name("ir_expressions.txt").read_text().splitlines()


def comparable(outcome):
    """As text without addresses, modules' names and classes that only the newer bindings tell apart."""
    text = ascii(outcome)
    text = re.sub(r"(jaxlib|ttmlir)\.(mlir\.)?(_mlir_libs\._mlir\.)?", "", text)
    text = re.sub(r"\b(UnknownLoc|FileLineColLoc|NameLoc|FusedLoc|CallSiteLoc)\((loc\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))\)",
                  r"\2", text)
    text = re.sub(r"Affine(Dim|Symbol|Constant|Add|Mul|Mod|FloorDiv|CeilDiv)Expr\(", "AffineExpr(", text)
    text = re.sub(r"Dense(Int|FP)ElementsAttr\(", "DenseElementsAttr(", text)
    text = re.sub(r"<(DiagnosticSeverity|WalkResult|WalkOrder)\.(\w+): \d>", r"\1.\2", text)
    return re.sub(r" at 0x[0-9a-f]+", "", text).replace("_ops_gen", "").replace("dialects._", "dialects.")


def test_same_outcomes():
    cut = next(i for i, line in enumerate(LINES) if line.startswith("#!"))
    same = [line for line in LINES[:cut] if line]
    assert len(same) > 400
    theirs, ours = (ir_expressions.outcomes(package, same) for package in ("jaxlib", "ttmlir"))
    different = [(e, a, b) for e, a, b in zip(same, theirs, ours) if comparable(a) != comparable(b)]
    assert not different


def test_what_differs_does_not_crash():
    cut = next(i for i, line in enumerate(LINES) if line.startswith("#!"))
    others = [line for line in LINES[cut:] if line and not line.startswith("#!")]
    outcomes = ir_expressions.outcomes("ttmlir", others)
    assert [e for e, outcome in zip(others, outcomes) if outcome == ("crashes",)] == []
