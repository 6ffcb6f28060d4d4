"""Patterns written in Python."""

import pytest

from ttmlir.dialects import arith, func
from ttmlir.ir import Context, FunctionType, IntegerAttr, IntegerType, Location, MLIRError, Module, TypeAttr
from ttmlir.rewrite import (
    ConversionConfig,
    ConversionTarget,
    GreedyRewriteConfig,
    GreedyRewriteStrictness,
    RewritePatternSet,
    TypeConverter,
    apply_full_conversion,
    apply_partial_conversion,
    apply_patterns_and_fold_greedily,
    walk_and_apply_patterns,
)

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


# ---- conversion ------------------------------------------------------------------------------------

SUM = """
func.func @f(%a: i32, %b: i32) -> i32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.muli %0, %a : i32
  return %1 : i32
}
"""


def keeping(type):
    return type


def widening(type):
    return IntegerType.get_signless(64) if type == IntegerType.get_signless(32) else None


def as_sub(op, adaptor, converter, rewriter):
    with rewriter.ip:
        rewriter.replace_op(op, arith.SubIOp(adaptor.lhs, adaptor.rhs))


def converted(target, patterns, *conversions, apply=apply_partial_conversion, config=None):
    with Context(), Location.unknown():
        module = Module.parse(SUM)
        converter, given = TypeConverter(), RewritePatternSet()
        for conversion in (keeping, *conversions):
            converter.add_conversion(conversion)
        for root, function in patterns:
            given.add_conversion(root, function, converter)
        before = str(module)
        try:
            apply(module.operation, target, given.freeze(), config)
        except Exception:
            assert str(module) == before and module.operation.verify()
            raise
        assert module.operation.verify()
        return str(module)


def target(legal=(), illegal=(), legal_dialects=()):
    made = ConversionTarget()
    made.add_legal_op(*legal)
    made.add_illegal_op(*illegal)
    made.add_legal_dialect(*legal_dialects)
    return made


def test_partial_conversion():
    text = converted(target(illegal=[arith.AddIOp]), [(arith.AddIOp, as_sub)])
    assert "arith.subi %arg0, %arg1" in text and "arith.muli" in text and "addi" not in text
    # subi has no declared legality, but a pattern
    assert "arith.addi" in converted(target(), [("arith.muli", lambda op, adaptor, converter, rewriter: True)])


def test_what_cannot_be_converted():
    with pytest.raises(MLIRError, match="(?s)partial conversion failed.*'arith.addi' that was explicitly marked illegal"):
        converted(target(illegal=[arith.AddIOp]), [])
    with pytest.raises(MLIRError, match="(?s)full conversion failed.*failed to legalize operation 'builtin.module'"):
        converted(target(illegal=["arith.addi"]), [(arith.AddIOp, as_sub)], apply=apply_full_conversion)
    with pytest.raises(KeyError):
        def stumble(op, adaptor, converter, rewriter):
            rewriter.replace_op(op, op.operands[0])
            raise KeyError
        converted(target(illegal=["arith.addi"]), [(arith.AddIOp, stumble)])


def test_full_conversion():
    everything = target(illegal=["arith.addi"], legal_dialects=["arith", "func", "builtin"])
    assert "subi" in converted(everything, [(arith.AddIOp, as_sub)], apply=apply_full_conversion)


def convert_function(op, adaptor, converter, rewriter):
    kind = op.type
    if kind.inputs == [converter.convert_type(t) for t in kind.inputs]:
        return True
    op.attributes["function_type"] = TypeAttr.get(FunctionType.get(
        [converter.convert_type(t) for t in kind.inputs], [converter.convert_type(t) for t in kind.results]))
    rewriter.convert_region_types(op.regions[0], converter)


def same(cls):
    def convert(op, adaptor, converter, rewriter):
        if [v.type for v in op.operands] == [v.type for v in adaptor.operands]:
            return True
        with rewriter.ip:
            rewriter.replace_op(op, cls(*adaptor.operands) if cls is not func.ReturnOp else cls(adaptor.operands))

    return cls, convert


def test_types():
    everything = [(func.FuncOp, convert_function), same(arith.AddIOp), same(arith.MulIOp), same(func.ReturnOp)]
    text = converted(target(), everything, widening)
    assert "@f(%arg0: i64, %arg1: i64) -> i64" in text and "cast" not in text and "i32" not in text
    with pytest.raises(MLIRError, match=r"unresolved materialization from \('i32'\) to \('i64'\)"):
        converted(target(), [same(arith.AddIOp)], widening)
    config = ConversionConfig()
    config.build_materializations = False
    assert converted(target(), [same(arith.AddIOp)], widening, config=config).count("unrealized_conversion_cast") == 3


def test_type_converter():
    with Context():
        i32, i64 = (IntegerType.get_signless(width) for width in (32, 64))
        converter = TypeConverter()
        assert converter.convert_type(i32) is None
        converter.add_conversion(keeping)
        converter.add_conversion(widening)
        assert converter.convert_type(i32) == i64 == converter.convert_type(i64)
        converter.add_conversion(lambda type: 3)
        for wrong in (lambda: converter.convert_type(i32), lambda: converter.add_conversion(3),
                      lambda: RewritePatternSet().add_conversion(arith.AddIOp, as_sub, None)):
            with pytest.raises(TypeError):
                wrong()


def test_settings_of_the_greedy_driver(module):
    def grow(op, rewriter):
        with rewriter.ip:
            rewriter.replace_op(op, arith.MulIOp(op.operands[1], op.operands[0]))

    patterns, config = RewritePatternSet(), GreedyRewriteConfig()
    patterns.add(arith.MulIOp, grow)
    before = str(module)
    walk_and_apply_patterns(module.operation, patterns)
    assert str(module) != before and str(module).count("muli %c2") == 2
    config.strictness = GreedyRewriteStrictness.EXISTING_OPS
    config.enable_folding = False
    apply_patterns_and_fold_greedily(module, patterns.freeze(), config)
    config.strictness, config.max_iterations = GreedyRewriteStrictness.ANY_OP, 2
    with pytest.raises(RuntimeError, match="converge"):
        apply_patterns_and_fold_greedily(module, patterns.freeze(), config)
