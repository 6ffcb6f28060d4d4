"""Patterns of the pdl dialect: their classes, and the results of applying them against mlir-opt."""

import gc
import shutil
import subprocess
from pathlib import Path

import pytest

from ttmlir.dialects import arith, func, pdl
from ttmlir.dialects.builtin import module as builtin_module
from ttmlir.ir import (
    Attribute,
    Context,
    IndexType,
    InsertionPoint,
    IntegerAttr,
    IntegerType,
    Location,
    MLIRError,
    Module,
    Operation,
    OpResult,
    StringAttr,
)
from ttmlir.rewrite import (
    ConversionTarget,
    GreedyRewriteConfig,
    GreedyRewriteStrictness,
    PDLModule,
    RewritePatternSet,
    apply_partial_conversion,
    apply_patterns_and_fold_greedily,
    walk_and_apply_patterns,
)

PEER = shutil.which("mlir-opt-19") or shutil.which("mlir-opt")
HERE = Path(__file__).parent
CASES = (HERE / "pdl_cases.mlir").read_text().split("// -----")
LIT = HERE.parent / "lit/dialect/pdl/operations.mlir"


def peer(text, *flags):
    command = [PEER, "--allow-unregistered-dialect", *flags, *(["-"] if text else [])]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def context():
    with Context() as ctx, Location.unknown():
        ctx.allow_unregistered_dialects = True
        yield ctx


# ---- against mlir-opt --------------------------------------------------------------------------------


def named(module, name):
    return next(op for op in module.body.operations if op.operation.attributes["sym_name"].value == name)


def as_module(op):
    return Module.parse(str(op))


@pytest.mark.skipif(PEER is None, reason="needs mlir-opt-19")
@pytest.mark.parametrize("case", CASES, ids=[case.strip().splitlines()[0][3:40] for case in CASES])
def test_does_what_mlir_opt_does(context, case):
    both = Module.parse(case)
    program = as_module(named(both, "ir"))
    frozen = PDLModule(as_module(named(both, "patterns"))).freeze()
    apply_patterns_and_fold_greedily(program, frozen)
    assert program.operation.verify()
    expected = Module.parse(peer(case, "--test-pdl-bytecode-pass"))
    assert str(program) == str(as_module(named(expected, "ir")))


@pytest.mark.skipif(PEER is None, reason="needs mlir-opt-19")
def test_locations_are_those_of_the_matched_operation(context):
    made = '%new = pdl.operation "bar.op"(%first : !pdl.value) -> (%t : !pdl.type)\n      pdl.replace %op with %new'
    both = Module.parse(CASES[2].replace("pdl.replace %op with (%first : !pdl.value)", made))
    program = Module.parse(named(both, "ir").operation.get_asm(enable_debug_info=True))
    apply_patterns_and_fold_greedily(program, PDLModule(as_module(named(both, "patterns"))).freeze())
    location = next(op for op in program.body.operations[0].regions[0].blocks[0] if op.name == "bar.op").location
    text = both.operation.get_asm(enable_debug_info=True)
    expected = Module.parse(peer(text, "--test-pdl-bytecode-pass", "--mlir-print-debuginfo"))
    body = named(expected, "ir").regions[0].blocks[0].operations[0].regions[0].blocks[0]
    other = next(op for op in body if op.name == "bar.op")
    assert str(location) == str(other.location)


def older(text):
    """In the syntax of LLVM 19."""
    return str(text).replace(") is_negated = true", ") {isNegated = true}")


@pytest.mark.skipif(PEER is None, reason="needs mlir-opt-19")
@pytest.mark.parametrize("flags", [(), ("--mlir-print-op-generic",)])
def test_prints_as_mlir_opt(context, flags):
    for text in [*LIT.read_text().split("// -----"), *CASES]:
        ours = Module.parse(text).operation.get_asm(print_generic_op_form=bool(flags)) + "\n"
        assert older(ours).strip() == peer(older(text), *flags).strip()


@pytest.mark.skipif(PEER is None, reason="needs mlir-opt-19")
def test_bytecode_there_and_back(context, tmp_path):
    for text in [*LIT.read_text().split("// -----"), *CASES]:
        ours, theirs = tmp_path / "ours.mlirbc", tmp_path / "theirs.mlirbc"
        module = Module.parse(text)
        with open(ours, "wb") as file:
            module.operation.write_bytecode(file)
        if "func.func" not in text:  # which has had attributes since
            assert peer("", ours).strip() == older(module).strip()
        peer(older(text), "--emit-bytecode", "-o", theirs)
        assert str(Module.parse(theirs.read_bytes())) == str(module)


# ---- classes ---------------------------------------------------------------------------------------


def test_classes(context):
    module = Module.create()
    with InsertionPoint(module.body):
        pattern = pdl.PatternOp(1, "all")
        with InsertionPoint(pattern.body):
            i32, any_type, two = pdl.TypeOp(IntegerType.get_signless(32)), pdl.TypeOp(), pdl.TypesOp()
            pdl.TypesOp([IntegerType.get_signless(8), IndexType.get()])
            a, rest = pdl.OperandOp(i32), pdl.OperandsOp(two)
            kept, message = pdl.AttributeOp(any_type), pdl.AttributeOp(value=Attribute.parse('"x"'))
            inner = pdl.OperationOp(types=[any_type])
            result = pdl.ResultOp(inner, 0)
            results = pdl.ResultsOp(pdl.RangeType.get(pdl.ValueType.get()), inner)
            root = pdl.OperationOp("foo.op", [a, rest, result, results], {"k": kept, "s": message}, [two])
            pdl.ApplyNativeConstraintOp([], "check", args=[root, kept])
            rewrite = pdl.RewriteOp(root)
            with InsertionPoint(rewrite.add_body()):
                made = pdl.apply_native_rewrite([pdl.AttributeType.get()], "make", [kept])
                new = pdl.OperationOp(name="foo.new", attributes={"m": made}, types=[i32])
                pdl.ReplaceOp(root, with_op=new)
                pdl.ReplaceOp(root, with_values=[a])
                pdl.EraseOp(root)
        outside = pdl.PatternOp(0)
        with InsertionPoint(outside.body):
            op = pdl.OperationOp()
            pdl.RewriteOp(op, name="f", args=[op])
    assert module.operation.verify()
    assert str(module) == """\
module {
  pdl.pattern @all : benefit(1) {
    %0 = type : i32
    %1 = type
    %2 = types
    %3 = types : [i8, index]
    %4 = operand : %0
    %5 = operands : %2
    %6 = attribute : %1
    %7 = attribute = "x"
    %8 = operation  -> (%1 : !pdl.type)
    %9 = result 0 of %8
    %10 = results of %8 
    %11 = operation "foo.op"(%4, %5, %9, %10 : !pdl.value, !pdl.range<value>, !pdl.value, !pdl.range<value>)  {"k" = %6, "s" = %7} -> (%2 : !pdl.range<type>)
    apply_native_constraint "check"(%11, %6 : !pdl.operation, !pdl.attribute)
    rewrite %11 {
      %12 = apply_native_rewrite "make"(%6 : !pdl.attribute) : !pdl.attribute
      %13 = operation "foo.new"  {"m" = %12} -> (%0 : !pdl.type)
      replace %11 with %13
      replace %11 with(%4 : !pdl.value)
      erase %11
    }
  }
  pdl.pattern : benefit(0) {
    %0 = operation 
    rewrite %0 with "f"(%0 : !pdl.operation)
  }
}
"""  # noqa: W291
    assert pdl.RangeType.get(pdl.TypeType.get()).element_type == pdl.TypeType.get()
    with pytest.raises((MLIRError, ValueError)):
        pdl.RangeType.get(IndexType.get())
    assert isinstance(pdl.op_t(), pdl.OperationType)


def test_from_python_functions(context):
    patterns, index = Module.create(), IndexType.get()
    with InsertionPoint(patterns.body):

        @pdl.pattern(benefit=1, sym_name="addi_to_muli")
        def pattern():
            type = pdl.TypeOp(IndexType.get())
            a, b = pdl.OperandOp(type), pdl.OperandOp(type)
            add = pdl.OperationOp(name="arith.addi", args=[a, b], types=[type])

            @pdl.rewrite(add)
            def rewrite():
                pdl.ReplaceOp(add, with_op=pdl.OperationOp(name="arith.muli", args=[a, b], types=[type]))

    program = Module.create()
    with InsertionPoint(program.body):

        @builtin_module(sym_name="ir")
        def ir():
            @func.func(index, index)
            def add(a, b):
                return arith.addi(a, b)

    frozen = PDLModule(patterns).freeze()
    apply_patterns_and_fold_greedily(program, frozen)
    assert "arith.muli" in str(program) and "arith.addi" not in str(program)


# ---- functions ---------------------------------------------------------------------------------------

ANY_ADD = """
pdl.pattern @any : benefit(1) {
  %operands = operands
  %types = types
  %op = operation "my.add"(%operands : !pdl.range<value>) -> (%types : !pdl.range<type>)
  apply_native_constraint "check"(%op : !pdl.operation)
  rewrite %op {
    %v = apply_native_rewrite "make"(%op : !pdl.operation) : !pdl.value
    replace %op with (%v : !pdl.value)
  }
}"""
ADDS = """
func.func @f(%a: i32, %b: i32) -> i32 {
  %0 = "my.add"(%a, %b) : (i32, i32) -> i32
  %1 = "my.add"(%0, %0) : (i32, i32) -> i32
  return %1 : i32
}"""


def run(patterns, program, constraints=(), rewrites=(), config=None):
    module = PDLModule(Module.parse(patterns))
    for name, function in dict(constraints).items():
        module.register_constraint_function(name, function)
    for name, function in dict(rewrites).items():
        module.register_rewrite_function(name, function)
    program = Module.parse(program) if isinstance(program, str) else program
    apply_patterns_and_fold_greedily(program, module.freeze(), config)
    return program


def names(module):
    return [op.name for op in module.body.operations[0].regions[0].blocks[0]]


def test_native_functions(context):
    seen = []

    def check(rewriter, results, values):
        (op,) = values
        seen.append(str(op))
        assert isinstance(op, Operation) and len(results) == 0
        return op.operands[0] != op.operands[1]

    def make(rewriter, results, values):
        with rewriter.ip, values[0].location:
            results.append(Operation.create("my.twice", [values[0].result.type], [values[0].operands[0]]).result)

    program = run(ANY_ADD, ADDS, {"check": check}, {"make": make})
    assert names(program) == ["my.add", "my.twice", "func.return"] and len(seen) >= 2


def test_every_kind_there_and_back(context):
    patterns = """
pdl.pattern : benefit(1) {
  %a = operand
  %rest = operands
  %t = type
  %k = attribute
  %op = operation "my.op"(%a, %rest : !pdl.value, !pdl.range<value>) {"k" = %k} -> (%t : !pdl.type)
  %sum = apply_native_constraint "sum"(%k : !pdl.attribute) : !pdl.attribute
  rewrite %op {
    %0:5 = apply_native_rewrite "all"(%a, %rest, %t, %sum, %op : !pdl.value, !pdl.range<value>, !pdl.type, !pdl.attribute, !pdl.operation) : !pdl.value, !pdl.range<value>, !pdl.type, !pdl.range<type>, !pdl.operation
    %new = operation "my.new"(%0#0, %0#1 : !pdl.value, !pdl.range<value>) {"k" = %sum} -> (%0#2, %0#3 : !pdl.type, !pdl.range<type>)
    %v = result 0 of %new
    replace %0#4 with (%v : !pdl.value)
  }
}"""

    def all_kinds(rewriter, results, values):
        a, rest, type, k, op = values
        assert isinstance(a, OpResult) and [str(v.type) for v in rest] == ["i8", "i8"] and str(type) == "i8"
        assert isinstance(k, IntegerAttr) and k.value == 42 and op.name == "my.op"
        for item in (a, [*rest, a], type, (type, IndexType.get()), op):
            results.append(item)

    def total(rewriter, results, values):
        results.append(IntegerAttr.get(IntegerType.get_signless(32), values[0].value + 1))

    program = run(patterns, """
    %c = "my.c"() : () -> i8
    %0 = "my.op"(%c, %c, %c) {k = 41 : i32} : (i8, i8, i8) -> i8
    "my.use"(%0) : (i8) -> ()
    """, {"sum": total}, {"all": all_kinds})
    assert '"my.new"(%0, %0, %0, %0) {k = 42 : i32} : (i8, i8, i8, i8) -> (i8, i8, index)' in str(program)


def test_an_outside_rewrite(context):
    patterns = """
pdl.pattern : benefit(1) {
  %op = operation "my.op"
  rewrite %op with "f"(%op : !pdl.operation)
}"""

    def f(rewriter, results, values):
        assert values[0] == values[1]
        rewriter.erase_op(values[0])

    assert "my.op" not in str(run(patterns, '"my.op"() : () -> ()', rewrites={"f": f}))


def test_negated_constraints(context):
    text = ANY_ADD.replace("(%op : !pdl.operation)\n  rewrite", "(%op : !pdl.operation) {isNegated = true}\n  rewrite")

    def same(rewriter, results, values):
        return values[0].operands[0] == values[0].operands[1]

    def operand(rewriter, results, values):
        results.append(values[0].operands[0])

    assert names(run(text, ADDS, {"check": same}, {"make": operand})) == ["my.add", "func.return"]


# ---- errors --------------------------------------------------------------------------------------------


class Mine(Exception):
    pass


def fine(rewriter, results, values):
    return None


def first_operand(rewriter, results, values):
    results.append(values[0].operands[0])


def raising(rewriter, results, values):
    raise Mine("no")


@pytest.mark.parametrize("check, make, error, text", [
    (raising, first_operand, Mine, "no"),
    (fine, raising, Mine, "no"),
    (fine, fine, ValueError, "appended 0 results where the pattern has 1"),
    (fine, lambda r, out, v: out.append(v[0].operands[0].type), TypeError, "Value"),
    (fine, lambda r, out, v: out.append(3), TypeError, "expected a Value"),
    (lambda r, out, v: v[0].result.replace_all_uses_with(v[0].operands[0]) or v[0].erase(), first_operand, MLIRError,
     "constraint 'check' has erased operations"),
    (fine, lambda r, out, v: out.append(v[0].operands[0]) or r.replace_op(v[0], v[0].operands[0]), MLIRError, "erased"),
    (fine, lambda r, out, v: out.append(Operation.create("my.gone", [v[0].result.type], ip=False).result), MLIRError, "erased"),
])
def test_functions_that_misbehave(context, check, make, error, text):
    program = Module.parse(ADDS)
    with pytest.raises(error, match=text):
        run(ANY_ADD, program, {"check": check}, {"make": make})
    assert program.operation.verify()
    gc.collect()
    apply_patterns_and_fold_greedily(program, RewritePatternSet().freeze())


def test_a_failed_rewrite_is_rolled_back(context):
    patterns = """
pdl.pattern : benefit(1) {
  %op = operation "my.op"
  rewrite %op {
    %new = operation "my.left_over"
    apply_native_rewrite "fail"(%op : !pdl.operation)
    erase %op
  }
}"""
    program = run(patterns, '"my.op"() : () -> ()', rewrites={"fail": lambda *_: True})
    assert str(program) == 'module {\n  "my.op"() : () -> ()\n}\n'


def test_the_root_of_everything_erased(context):
    program = Module.parse(ADDS)

    def all_gone(rewriter, results, values):
        program.body.operations[0].erase()

    with pytest.raises((MLIRError, ValueError, RuntimeError)):
        run(ANY_ADD, program, {"check": fine}, {"make": all_gone})
    assert str(program) == "module {\n}\n"


def test_a_run_within_a_run(context):
    program, other = Module.parse(ADDS), Module.parse(ADDS)

    def nested(rewriter, results, values):
        if len(list(other.body.operations[0].regions[0].blocks[0])) == 3:
            run(ANY_ADD, other, {"check": fine}, {"make": first_operand})
        results.append(values[0].operands[0])

    run(ANY_ADD, program, {"check": fine}, {"make": nested})
    assert names(program) == names(other) == ["func.return"]


def test_endless(context):
    patterns = """
pdl.pattern : benefit(1) {
  %op = operation "my.op"
  rewrite %op {
    %new = operation "my.op"
    erase %op
  }
}"""
    with pytest.raises(RuntimeError, match="pattern application failed to converge"):
        run(patterns, '"my.op"() : () -> ()')
    growing = patterns.replace("erase %op", '%more = operation "my.op"\n    erase %op')
    config = GreedyRewriteConfig()
    config.max_num_rewrites = 5
    with pytest.raises(RuntimeError, match="pattern application failed to converge"):
        run(growing, '"my.op"() : () -> ()', config=config)


def test_a_chain_longer_than_the_rounds(context):
    step = """
pdl.pattern : benefit(1) {{
  %op = operation "my.op{}"
  rewrite %op {{
    %new = operation "my.op{}"
    erase %op
  }}
}}"""
    program = run("".join(step.format(i, i + 1) for i in range(50)), '"my.op0"() : () -> ()')
    assert '"my.op50"' in str(program)


@pytest.mark.parametrize("rewrite, text", [
    ("erase %inner", "erases 'my.inner', whose results are still used"),
    ("replace %op with (%v, %v : !pdl.value, !pdl.value)", "replaces 'my.op', which has 1 results, by 2 values"),
    ("erase %inner\n    replace %op with (%v : !pdl.value)", "still used"),
    ("replace %op with (%v : !pdl.value)\n    erase %inner\n    erase %inner", "still used|erased"),
    ("replace %op with %op", "by itself"),
    ("%r = result 3 of %inner\n    replace %op with (%r : !pdl.value)", "no such results"),
    ('%new = operation "arith.addi"(%v : !pdl.value)\n    replace %op with %new', "failed to infer the result types of 'arith.addi'"),
    ('%new = operation "arith.cmpi"(%v, %v : !pdl.value, !pdl.value)\n    replace %op with %new',
     "failed to infer the result types of 'arith.cmpi'"),
])
def test_rewrites_that_cannot_be(context, rewrite, text):
    patterns = f"""
pdl.pattern : benefit(1) {{
  %t = type
  %inner = operation "my.inner" -> (%t : !pdl.type)
  %v = result 0 of %inner
  %op = operation "my.op"(%v : !pdl.value) -> (%t : !pdl.type)
  rewrite %op {{
    {rewrite}
  }}
}}"""
    program = Module.parse('%0 = "my.inner"() : () -> i32\n%1 = "my.op"(%0) : (i32) -> i32\n"my.use"(%0, %1) : (i32, i32) -> ()')
    with pytest.raises(MLIRError) as raised:
        run(patterns, program)
    assert any(part in str(raised.value) for part in text.split("|"))
    assert program.operation.verify()


def test_unknown_operations_are_not_made():
    with Context(), Location.unknown():
        patterns = ANY_ADD.replace("my.add", "arith.addi").replace(
            '%v = apply_native_rewrite "make"(%op : !pdl.operation) : !pdl.value',
            '%new = operation "my.new" -> (%types : !pdl.range<type>)\n    %v = result 0 of %new')
        program = ADDS.replace('"my.add"', '"arith.addi"')
        with pytest.raises(MLIRError, match="creates 'my.new', which is not a known operation"):
            run(patterns, program, {"check": fine})


def test_misuse(context):
    with pytest.raises(ValueError, match="no constraint function 'check' is registered"):
        PDLModule(Module.parse(ANY_ADD)).freeze()
    with pytest.raises(TypeError):
        PDLModule(ANY_ADD)
    module = PDLModule(Module.parse(ANY_ADD))
    for name, function in ((3, fine), ("check", 3)):
        with pytest.raises(TypeError):
            module.register_constraint_function(name, function)
    broken = Module.create()
    with InsertionPoint(broken.body):
        pdl.PatternOp(1)
    with pytest.raises(MLIRError, match="expects a non-empty block"):
        PDLModule(broken)
    module.register_constraint_function("check", fine)
    module.register_rewrite_function("make", first_operand)
    frozen = module.freeze()
    with Context() as other:
        other.allow_unregistered_dialects = True
        program = Module.parse(ADDS)
        with pytest.raises(ValueError, match="[Cc]ontext"):
            apply_patterns_and_fold_greedily(program, frozen)
    with pytest.raises(TypeError):
        apply_patterns_and_fold_greedily(3, frozen)
    with pytest.raises(TypeError):
        apply_patterns_and_fold_greedily(Module.parse(ADDS), module)
    with pytest.raises(NotImplementedError):
        apply_partial_conversion(Module.parse(ADDS).operation, ConversionTarget(), frozen)


def test_the_module_may_go(context):
    module = PDLModule(Module.parse(ANY_ADD))
    module.register_constraint_function("check", fine)
    module.register_rewrite_function("make", first_operand)
    frozen = module.freeze()
    del module
    gc.collect()
    for _ in range(2):
        program = Module.parse(ADDS)
        apply_patterns_and_fold_greedily(program.operation, frozen)
        assert names(program) == ["func.return"]


def test_walks_and_strictness(context):
    def rename(op, rewriter):
        with rewriter.ip:
            new = Operation.create("my.add", [op.result.type], list(op.operands), {"made": StringAttr.get("x")})
        rewriter.replace_op(op, new)

    patterns = RewritePatternSet()
    patterns.add("my.add", rename)
    program = Module.parse(ADDS)
    walk_and_apply_patterns(program.operation, patterns.freeze())
    assert str(program).count("made") == 2
    program = Module.parse(ADDS)
    config = GreedyRewriteConfig()
    config.strictness = GreedyRewriteStrictness.EXISTING_OPS
    apply_patterns_and_fold_greedily(program, patterns.freeze(), config)
    assert str(program).count("made") == 2
