"""Patterns written in Python."""

import pytest

from ttmlir.dialects import arith
from ttmlir.ir import Context, IntegerAttr, IntegerType, Location, Module
from ttmlir.rewrite import RewritePatternSet, apply_patterns_and_fold_greedily

SOURCE = """
func.func @f(%a: i32) -> i32 {
  %c2 = arith.constant 2 : i32
  %0 = arith.muli %a, %c2 : i32
  %1 = arith.muli %0, %c2 : i32
  return %1 : i32
}
"""


def double(op, rewriter):
    factor = op.operands[1].owner
    if factor.name != "arith.constant" or factor.attributes["value"].value != 2:
        return True
    with rewriter.ip:
        new = arith.AddIOp(op.operands[0], op.operands[0])
    rewriter.replace_op(op, new)


@pytest.fixture
def module():
    with Context(), Location.unknown():
        yield Module.parse(SOURCE)


def test_applies_and_drops_what_is_unused(module):
    patterns = RewritePatternSet()
    patterns.add(arith.MulIOp, double)
    apply_patterns_and_fold_greedily(module, patterns.freeze())
    names = [op.operation.name for op in module.body.operations[0].regions[0].blocks[0].operations]
    assert names == ["arith.addi", "arith.addi", "func.return"]
    assert module.operation.verify()


def test_benefit_decides_and_failure_goes_on(module):
    tried = []

    def never(op, rewriter):
        tried.append("never")
        return True

    def second(op, rewriter):
        tried.append("second")
        return double(op, rewriter)

    patterns = RewritePatternSet()
    patterns.add("arith.muli", second)
    patterns.add("arith.muli", never, benefit=5)
    apply_patterns_and_fold_greedily(module, patterns)
    assert tried == ["never", "second"] * 2


def test_folds(module):
    def two(op, rewriter):
        with rewriter.ip:
            i32 = IntegerType.get_signless(32)
            one = arith.ConstantOp(i32, IntegerAttr.get(i32, 1))
            new = arith.MulIOp(op.operands[0], one.result)
        rewriter.replace_op(op, new.result)

    patterns = RewritePatternSet()
    patterns.add(arith.MulIOp, two)
    apply_patterns_and_fold_greedily(module, patterns)
    assert "muli" not in str(module) and "return %arg0" in str(module)


def test_endless(module):
    def again(op, rewriter):
        with rewriter.ip:
            new = arith.MulIOp(op.operands[0], op.operands[1])
        rewriter.replace_op(op, new)

    patterns = RewritePatternSet()
    patterns.add(arith.MulIOp, again)
    with pytest.raises(RuntimeError, match="failed to converge"):
        apply_patterns_and_fold_greedily(module, patterns)
    assert module.operation.verify()


def test_misuse(module):
    def wrong_type(op, rewriter):
        with rewriter.ip:
            i8 = IntegerType.get_signless(8)
            rewriter.replace_op(op, arith.ConstantOp(i8, IntegerAttr.get(i8, 1)))

    def erases_used(op, rewriter):
        rewriter.erase_op(op)

    def erases_its_operand_then_itself(op, rewriter):
        before = op.operands[0]
        rewriter.replace_op(op, before)
        op.name  # noqa: B018 (it is gone)

    for pattern, error in ((wrong_type, ValueError), (erases_used, Exception), (erases_its_operand_then_itself, Exception)):
        patterns = RewritePatternSet()
        patterns.add(arith.MulIOp, pattern)
        with pytest.raises(error):
            apply_patterns_and_fold_greedily(module, patterns)
        assert module.operation.verify()
    with pytest.raises(TypeError):
        RewritePatternSet().add(3, double)
    with pytest.raises(TypeError):
        apply_patterns_and_fold_greedily(module, [double])
