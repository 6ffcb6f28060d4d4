"""Small programs on MLIR's own Python bindings (those in jaxlib) and on ttmlir's: the same outcomes.

A line of ir_expressions.txt is a program. Those under a heading that begins with `#!` differ for the reason that the
heading gives; they are only required not to crash.
"""

import enum
import importlib
import re
from pathlib import Path

import pytest

pytest.importorskip("jaxlib.mlir.ir")
import ir_expressions  # noqa: E402
from ttmlir._native import native as _native  # noqa: E402

LINES = Path(__file__).with_name("ir_expressions.txt").read_text().splitlines()


def comparable(outcome):
    """As text without addresses, module names, and class names that only the newer bindings distinguish."""
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


# Only for extension modules in C++; raises where nothing is current.
ELSEWHERE = {"_CAPIPtr", "_CAPICreate", "current"}


def members(cls):
    """The names that the bindings define in a class; without those of Python's own bases."""
    return {name for base in cls.__mro__ if base.__module__.startswith("jaxlib.") for name in vars(base)
            if not name.startswith("_") or name in ("__len__", "__getitem__", "__iter__", "__contains__", "__enter__")}


def test_every_name_is_there():
    from jaxlib.mlir import ir as theirs
    from ttmlir import ir as ours
    missing = []
    for name, value in vars(theirs).items():
        if name.startswith("_") or not getattr(value, "__module__", "").startswith("jaxlib."):
            continue
        mine = getattr(ours, name, None)
        if mine is None:
            missing.append(name)
        elif isinstance(value, type) and not issubclass(value, (enum.Enum, Exception)) and not name.startswith("Dynamic"):
            missing += [f"{name}.{member}" for member in members(value) - ELSEWHERE if not hasattr(mine, member)]
    assert missing == []


@pytest.mark.parametrize("dialect", ["arith", "func", "scf", "math", "cf", "memref", "stablehlo", "chlo", "sdy"])
def test_classes_of_dialects(dialect):
    """Arguments' names and adaptors' members of operations that both have."""
    theirs = importlib.import_module(f"jaxlib.mlir.dialects.{dialect}")
    ours = importlib.import_module(f"ttmlir.dialects.{dialect}")
    different, known = [], 0
    for name, cls in vars(theirs).items():
        mine = getattr(ours, name, None)
        if not isinstance(cls, type) or not hasattr(cls, "OPERATION_NAME") or mine is None or not hasattr(cls, "Adaptor"):
            continue
        known += 1
        assert mine.OPERATION_NAME == cls.OPERATION_NAME
        wanted = members(cls.Adaptor) - members(cls.Adaptor.__base__)
        different += [f"{name}.{member}" for member in wanted if not hasattr(mine.Adaptor, member)]
    # later MLIR has these attributes, and a collective broadcast of several operands
    later = {"roundingmode", "nonNeg", "operand"}
    assert known > 1 and [one for one in different if one.split(".")[1] not in later] == []


@pytest.mark.parametrize("dialect", ["arith", "stablehlo", "chlo", "sdy", "linalg", "ttcore", "ttnn", "ttir", "d2m", "vhlo"])
def test_enums_of_dialects(dialect):
    """A class for every enum, with all its cases; equal to MLIR's where its bindings have it."""
    ours = importlib.import_module(f"ttmlir.dialects.{dialect}")
    rows = _native._enums(dialect)
    assert rows
    for name, bits, cases, _ in rows:
        cls = getattr(ours, name)
        assert issubclass(cls, enum.IntFlag if bits else enum.IntEnum)
        assert {value for _, value, _ in cases} <= {int(case) for case in cls.__members__.values()}
    if importlib.util.find_spec(f"jaxlib.mlir.dialects.{dialect}") is None:
        return
    theirs = vars(importlib.import_module(f"jaxlib.mlir.dialects.{dialect}"))
    for cls in theirs.values():
        if isinstance(cls, type) and issubclass(cls, enum.IntEnum) and cls.__module__.endswith("_enum_gen"):
            assert dict(cls.__members__) == dict(getattr(ours, cls.__name__).__members__)
