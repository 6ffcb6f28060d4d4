"""No use of a freed object from Python crashes: it raises."""

import gc
import subprocess
import sys
import weakref

import pytest
from ttmlir._native import native
from ttmlir.dialects import func, ttir
from ttmlir.ir import *
from ttmlir.passmanager import PassManager

TEXT = """
func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "ttir.abs"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "ttir.neg"(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = "ttir.exp"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
"""


@pytest.fixture
def module():
    with Context(), Location.unknown():
        yield Module.parse(TEXT)


def test_a_value_keeps_its_module_and_context():
    with Context() as context, Location.unknown():
        value = Module.parse(TEXT).body.operations[0].entry_block.operations[0].result
        gone = weakref.ref(context)
    del context
    gc.collect()
    assert str(value.type) == "tensor<2xf32>" and value.owner.parent.parent.name == "builtin.module"
    del value
    gc.collect()
    assert gone() is None


def test_modules_are_freed_with_their_last_handle():
    with Context() as context:
        for _ in range(3):
            module = Module.parse(TEXT)
            operations = list(module.body.operations[0].entry_block.operations)
            assert context._get_live_operation_count() == 6
            del module, operations
            gc.collect()
            assert context._get_live_operation_count() == 0


def test_erased_operations_raise(module):
    block = module.body.operations[0].entry_block
    unused = block.operations[2]
    result, operands, attributes, regions = unused.result, unused.operands, unused.attributes, unused.regions
    point = InsertionPoint(unused)
    unused.erase()
    for use in (lambda: unused.name, lambda: unused.operands, lambda: unused.verify(), lambda: unused.clone(),
                lambda: unused.erase(), lambda: result.type, lambda: result.owner, lambda: list(result.uses),
                lambda: operands[0], lambda: len(operands), lambda: attributes["a"], lambda: list(attributes),
                lambda: len(regions), lambda: point.insert(Operation.create("func.return")),
                lambda: unused.walk(print), lambda: unused.get_asm(), lambda: unused.move_before(block.operations[0]),
                lambda: InsertionPoint(unused), lambda: ttir.AbsOp(Type.parse("f32"), result)):
        with pytest.raises(RuntimeError, match="invalidated"):
            use()
    assert str(unused) == "<Invalid Operation>" and "Invalidated" in str(result)
    assert len(block.operations) == 3


def test_used_results_cannot_be_erased(module):
    first = module.body.operations[0].entry_block.operations[0]
    with pytest.raises(RuntimeError, match="still have uses"):
        first.erase()
    assert "ttir.abs" in str(module)


def test_erasing_a_parent_empties_all_inside(module):
    function = module.body.operations[0]
    block, operation = function.entry_block, function.entry_block.operations[0]
    argument, region = block.arguments[0], function.regions[0]
    function.erase()
    for use in (lambda: operation.name, lambda: block.operations, lambda: argument.type, lambda: list(region),
                lambda: block.append(operation), lambda: Block.create_at_start(region)):
        with pytest.raises(RuntimeError, match="invalidated"):
            use()
    assert len(module.body.operations) == 0


def test_passes_empty_only_what_they_free(module):
    function = module.body.operations[0]
    kept, _, dead, _ = function.entry_block.operations
    PassManager.parse("builtin.module(canonicalize)").run(module.operation)
    assert kept.name == "ttir.abs" and function.name.value == "main"
    with pytest.raises(RuntimeError, match="invalidated"):
        str(dead.name)


def test_memory_that_is_used_again_stays_another_operation(module):
    block = module.body.operations[0].entry_block
    old = block.operations[2]
    operation, result = old.operation, old.result
    old.erase()
    with InsertionPoint(block.operations[2]):
        fresh = ttir.ExpOp(Type.parse("tensor<2xf32>"), block.arguments[0])
    assert fresh.operation is not operation and fresh.result != result
    with pytest.raises(RuntimeError, match="invalidated"):
        str(operation.name)


def test_block_arguments(module):
    block = module.body.operations[0].entry_block
    extra = block.add_argument(Type.parse("i32"), Location.unknown())
    more = block.add_argument(Type.parse("i64"), Location.unknown())
    with pytest.raises(ValueError, match="uses"):
        block.erase_argument(0)
    block.erase_argument(1)
    assert more.arg_number == 1 and str(more.type) == "i64"
    with pytest.raises(RuntimeError, match="invalidated"):
        str(extra.type)
    with pytest.raises(ValueError):
        block.erase_argument(5)


def test_detached_trees_live_by_themselves(module):
    function = module.body.operations[0].detach_from_parent()
    inside = function.entry_block.operations[0]
    del module
    gc.collect()
    assert inside.parent == function.operation and not function.attached
    with pytest.raises(ValueError, match="Detached"):
        function.detach_from_parent()
    other = Module.create()
    other.body.append(function)
    del function
    gc.collect()
    assert inside.name == "ttir.abs" and "@main" in str(other)


def test_loops_may_erase_what_they_are_given(module):
    block = module.body.operations[0].entry_block
    for operation in block:
        if operation.name == "ttir.exp":
            operation.erase()
    assert [op.name for op in block] == ["ttir.abs", "ttir.neg", "func.return"]


def test_loops_notice_that_what_comes_next_is_gone(module):
    block = module.body.operations[0].entry_block
    with pytest.raises(RuntimeError, match="erased while"):
        for operation in block:
            if operation.name == "ttir.neg":
                block.operations[2].erase()


def test_walks_may_erase(module):
    def visit(op):
        if op.name == "ttir.exp":
            op.erase()
        return WalkResult.ADVANCE

    module.operation.walk(visit)
    assert "ttir.exp" not in str(module)
    module.operation.walk(lambda op: op.erase() or WalkResult.ADVANCE if op.name == "func.func"
                          else WalkResult.ADVANCE, WalkOrder.PRE_ORDER)
    assert len(module.body.operations) == 0


def test_values_used_from_elsewhere_outlive_their_module(module):
    other = Module.parse(TEXT)
    value = other.body.operations[0].entry_block.operations[0].result
    lonely = ttir.NegOp(value.type, value, ip=False)
    del other, value
    gc.collect()
    assert lonely.operands[0].owner.name == "ttir.abs"
    assert "ttir.neg" in str(lonely)


def test_contexts_do_not_mix(module):
    with Context(), Location.unknown():
        foreign = Module.parse(TEXT)
        value = foreign.body.operations[0].entry_block.operations[0].result
    block = module.body.operations[0].entry_block
    for use in (lambda: ttir.NegOp(block.arguments[0].type, value),
                lambda: block.append(foreign.operation), lambda: block.arguments[0].replace_all_uses_with(value),
                lambda: PassManager.parse("builtin.module(cse)").run(foreign.operation)):
        with pytest.raises(ValueError, match="another Context"):
            use()


def test_attributes_and_types_of_another_context_are_copied(module):
    text = '{a = #ttcore.grid<2x3>, b = dense<[1.5, 2.5]> : tensor<2xf32>, c = affine_map<(d0) -> (d0 * 2)>, d = tensor<4xi8>}'
    with Context() as elsewhere:
        attribute, type_, plain = Attribute.parse(text), Type.parse("!ttcore.tile<32x32, bf16>"), F32Type.get()
    made = (ArrayAttr.get([UnitAttr.get(), attribute])[1], RankedTensorType.get([2], F32Type.get(), attribute).encoding)
    module.operation.attributes["a"] = attribute
    assert module.body.operations[0].entry_block.add_argument(plain, Location.unknown()).type == F32Type.get()
    for copy in (*made, module.operation.attributes["a"]):
        assert str(copy) == str(attribute) and copy == Attribute.parse(text)
        assert copy.context is module.context and copy.context is not elsewhere
    assert RankedTensorType.get([2, 2], type_).element_type.context is elsewhere  # an element type brings its Context


def test_an_operation_cannot_contain_itself(module):
    function = module.body.operations[0]
    with pytest.raises(ValueError, match="inside itself"):
        function.entry_block.append(module.operation)
    with pytest.raises(ValueError, match="inside itself"):
        function.entry_block.append(function)
    with pytest.raises(ValueError, match="inside itself"):
        inner = Operation.create("builtin.module", regions=1)
        function.entry_block.append(inner)
        function.entry_block.append_to(inner.regions[0])


def test_nesting_has_a_limit():
    with Context() as context, Location.unknown():
        context.allow_unregistered_dialects = True
        module = Module.create()
        block = module.body
        with pytest.raises(ValueError, match="nest deeper"):
            for _ in range(100_000):
                outer = Operation.create("a.b", regions=1)
                block.append(outer)
                block = Block.create_at_start(outer.regions[0])
        inner = Operation.create("a.b", regions=1)
        with pytest.raises(ValueError, match="nest deeper"):
            for _ in range(100_000):
                outer = Operation.create("a.b", regions=1)
                Block.create_at_start(outer.regions[0]).append(inner)
                inner = outer
        assert str(module).count("a.b") > 100


def test_half_made_operations_print_and_fail_to_verify():
    with Context() as context, Location.unknown():
        for dialect in ("func", "scf", "ttir", "stablehlo", "arith", "memref", "tensor", "ttnn", "ttcore", "linalg"):
            for row in native._ops(dialect):
                bare = Operation.create(row[0], regions=len(row[5]))
                assert row[0] in str(bare)
                try:
                    bare.verify()
                except MLIRError:
                    pass
        assert context._get_live_operation_count() <= 1


def test_nothing_is_current_outside_with_blocks():
    assert Context.current is None and Location.current is None
    with pytest.raises(RuntimeError, match="no Context"):
        F32Type.get()
    with pytest.raises(ValueError):
        str(InsertionPoint.current)
    with Context():
        with pytest.raises(RuntimeError, match="no Location"):
            Module.create()


def test_stacks_belong_to_threads():
    import threading

    found = []
    with Context(), Location.unknown():
        thread = threading.Thread(target=lambda: found.append(Context.current))
        thread.start()
        thread.join()
    assert found == [None]


def test_classes_that_only_the_library_makes():
    for cls in (Operation, Block, Region, Module, Location, AffineMap, OpResultList):
        with pytest.raises(TypeError):
            cls()
    with pytest.raises(TypeError):
        OpView()
    half = func.FuncOp.__new__(func.FuncOp)
    with pytest.raises(RuntimeError):
        str(half.operands)
    with pytest.raises(RuntimeError):
        str(half.entry_block)


BRANCHES = """
func.func @f(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  cf.br ^bb2
^bb2:
  return
}
"""


def test_branch_outlives_its_block():
    with Context() as context, Location.unknown():
        context.allow_unregistered_dialects = True
        module = Module.parse(BRANCHES)
        blocks = module.body.operations[0].regions[0].blocks
        taken = blocks[1].operations[0].detach_from_parent()
        made = Operation.create("some.branch", successors=[blocks[2], blocks[1]], ip=False)
        outer = Operation.create("some.region", regions=1, ip=False)
        Block.create_at_start(outer.regions[0], []).append(Operation.create("some.branch", successors=[blocks[1]], ip=False))
        copies = [op.clone(ip=False) for op in (taken, made, outer)]
        del blocks
        module.body.operations[0].erase()
        for op in (taken, made, outer, *copies):
            str(op), op.get_asm(print_generic_op_form=True)
            inner = op if len(op.successors) else op.regions[0].blocks[0].operations[0]
            with pytest.raises(RuntimeError, match="the block has been erased"):
                inner.successors[0]


def test_branch_to_a_block_that_moved():
    with Context(), Location.unknown():
        module, other = Module.parse(BRANCHES), Module.parse(BRANCHES)
        region = module.body.operations[0].regions[0]
        region.blocks[2].append_to(other.body.operations[0].regions[0])
        with pytest.raises(MLIRError, match="reference to block defined in another region"):
            module.operation.verify()
        other.body.operations[0].erase()
        assert '"cf.br"()[^bb' in str(module)
        with pytest.raises(RuntimeError, match="the block has been erased"):
            region.blocks[1].operations[0].successors[0]
        with pytest.raises(MLIRError):
            module.operation.verify()


def test_text_of_an_invalid_operation_assumed_verified():
    with Context(), Location.unknown():
        for name in ("func.func", "llvm.func", "emitc.include", "cf.switch"):
            op = Operation.create(name, regions=1, ip=False)
            assert f'"{name}"' in op.get_asm(assume_verified=True)


def test_a_terminator_without_its_parent():
    with Context(), Location.unknown():
        value = Operation.create("arith.constant", [IndexType.get()], [], {"value": IntegerAttr.get(IndexType.get(), 1)})
        assert Operation.create("scf.reduce.return", [], [value.result], ip=False).verify()


def test_texts_of_deep_nests_end():
    with Context():
        kind, attribute = IntegerType.get_signless(1), UnitAttr.get()
        for _ in range(100_000):
            kind, attribute = TupleType.get_tuple([kind]), ArrayAttr.get([attribute])
        assert "TYPE NESTED DEEPER THAN 2000" in str(kind)
        assert "ATTRIBUTE NESTED DEEPER THAN 2000" in str(attribute)


def test_blocks_that_are_never_left():
    """An entry that is still current when the interpreter ends is freed after the module of its class."""
    script = """
from ttmlir.ir import Context, InsertionPoint, Location, Module
context = Context(); context.__enter__()
location = Location.unknown(); location.__enter__()
module = Module.create()
InsertionPoint(module.body).__enter__()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
