"""The rest of MLIR's Python API: adaptors, locations from tracebacks, classes for operations without a row, attached
traits, helpers of scf and memref, short names for types."""

import inspect

import pytest
from ttmlir.dialects import arith, builtin, func, memref, scf, tensor
from ttmlir.dialects._ods_common import _cext, equally_sized_accessor, segmented_accessor
from ttmlir.extras import types as T
from ttmlir.extras.meta import region_op
from ttmlir.ir import *



@pytest.fixture(autouse=True)
def context():
    with Context() as ctx, Location.unknown():
        yield ctx


def built(make, *types):
    """The text of a function that `make` fills."""
    module = Module.create()
    with InsertionPoint(module.body):
        func.FuncOp.from_py_func(*types, name="f")(make)
    assert module.operation.verify()
    return str(module)


# ---- adaptors ------------------------------------------------------------------------------------


def test_adaptor_of_segments():
    module = Module.parse("""func.func @f(%m: memref<?xf32>, %i: index) {
      %v = memref.subview %m[%i][4][%i] : memref<?xf32> to memref<4xf32, strided<[?], offset: ?>>
      return }""")
    op = module.body.operations[0].entry_block.operations[0]
    adaptor = op.Adaptor(list(op.operands), op)
    assert isinstance(op, memref.SubViewOp) and type(adaptor) is memref.SubViewOpAdaptor
    assert adaptor.source == op.operands[0] and adaptor.sizes == []
    assert adaptor.offsets == [op.operands[1]] and adaptor.strides == [op.operands[2]]
    assert list(adaptor.static_sizes) == [4]


def test_adaptor_takes_other_operands():
    module = Module.parse("func.func @f(%a: i32, %b: i32) { %0 = arith.addi %a, %b : i32 return }")
    op = module.body.operations[0].entry_block.operations[0]
    adaptor = arith.AddIOp.Adaptor([op.result, op.result], op.attributes)
    assert adaptor.lhs == op.result == adaptor.rhs
    with pytest.raises(TypeError):
        arith.AddIOp.Adaptor([3], op.attributes)


def test_own_adaptor(monkeypatch):
    monkeypatch.setattr(arith.MulIOp, "Adaptor", first := arith.MulIOp.Adaptor)
    with pytest.raises(RuntimeError, match="already registered"):
        _cext.register_op_adaptor(arith.MulIOp)(type("Mine", (OpAdaptor,), {}))
    assert _cext.register_op_adaptor(arith.MulIOp, replace=True)(type("Mine", (OpAdaptor,), {})) is arith.MulIOp.Adaptor
    monkeypatch.undo()
    assert arith.MulIOp.Adaptor is first  # as seen by the rest of this process


# ---- locations from the Python stack ---------------------------------------------------------------


def constant():
    return arith.constant(T.i32(), 3)


def test_tracebacks():
    with loc_tracebacks(), InsertionPoint(Module.create().body):
        location = constant().owner.location
    line = inspect.getsourcelines(constant)[1] + 1
    file = "".join(c if c.isascii() else "".join(f"\\{byte:02X}" for byte in c.encode()) for c in __file__)
    assert isinstance(location, CallSiteLoc) and str(location).startswith(f'loc(callsite("constant"("{file}":{line}:')
    assert '"test_tracebacks"' in str(location) and "ttmlir" not in str(location).replace(file, "")
    with InsertionPoint(Module.create().body):
        assert str(constant().owner.location) == "loc(unknown)"


def test_policies_of_tracebacks():
    given = Location.file("x.py", 1, 2)
    with InsertionPoint(Module.create().body), Location.name("outer"):
        with loc_tracebacks(max_depth=1):
            assert arith.ConstantOp(T.i32(), 1, loc=given).location == given
            assert str(constant().owner.location).startswith('loc("constant"(')
        with loc_tracebacks(max_depth=1, on_explicit_actn=OnExplicitAction.USE_TRACEBACK,
                            current_loc_actn=CurrentLocAction.NAMELOC_WRAP):
            found = str(arith.ConstantOp(T.i32(), 1, loc=given).location)
            assert found.startswith('loc("outer"("test_policies_of_tracebacks"(')
        with loc_tracebacks(current_loc_actn=CurrentLocAction.NAMELOC_WRAP):
            assert str(arith.ConstantOp(T.i32(), 1, loc=given).location) == 'loc("outer"("x.py":1:2))'


def test_frames_that_are_left_out():
    _cext.globals.register_traceback_file_exclusion(__file__)
    try:
        with loc_tracebacks(), InsertionPoint(Module.create().body):
            assert __file__ not in str(constant().owner.location)
    finally:
        from ttmlir import _tracebacks
        _tracebacks.POLICY.excluded.remove(__file__)


# ---- operations without a row ----------------------------------------------------------------------


@_cext.register_dialect
class MineDialect(Dialect):
    DIALECT_NAMESPACE = "mine"


@_cext.register_operation(MineDialect)
class PairOp(OpView):
    OPERATION_NAME = "mine.pair"
    _ODS_REGIONS = (1, True)

    def __init__(self, first, second, *, loc=None, ip=None):
        super().__init__(self.OPERATION_NAME, self._ODS_REGIONS, None, None, results=[first.type],
                         operands=[first, second], loc=loc, ip=ip)

    @property
    def first(self):
        return self.operands[0]


def test_class_for_an_operation_without_a_row(context):
    with pytest.raises(ValueError, match="no registered operation"):
        PairOp(*(arith.ConstantOp(T.i32(), 1, ip=False).result,) * 2, ip=False)
    context.allow_unregistered_dialects = True
    module = Module.parse('func.func @f(%a: i32) { %0 = "mine.pair"(%a, %a) ({}) : (i32, i32) -> i32 return }')
    op = module.body.operations[0].entry_block.operations[0]
    assert type(op) is PairOp and op.first == op.operands[1]
    with InsertionPoint(op):
        made = PairOp(op.result, op.first)
    assert len(made.regions) == 1 and type(made.operation.opview) is PairOp
    assert made.operation.name == "mine.pair"


def test_attached_traits_and_interfaces(context):
    context.allow_unregistered_dialects = True

    class Speculates(ConditionallySpeculatable):
        @staticmethod
        def getSpeculatability(op):
            return Speculatability.Speculatable

    assert IsTerminatorTrait.attach("mine.end")
    Speculates.attach("mine.pair")
    op = Operation.create("mine.pair", ip=False)
    assert ConditionallySpeculatable(op).getSpeculatability() is Speculatability.Speculatable
    assert not PairOp.has_trait(IsTerminatorTrait)
    for wrong in (func.ReturnOp, "func.return"):
        with pytest.raises(ValueError, match="its row says what it has"):
            NoTerminatorTrait.attach(wrong)
    with pytest.raises(ValueError, match="lacks its dialect"):
        MemoryEffectsOpInterface.attach("end")


# ---- helpers of dialects ---------------------------------------------------------------------------


def test_for():
    def body(n, x):
        for i in scf.for_(10):
            arith.addi(i, i)
            scf.yield_([])
        for _, carried, result in scf.for_(2, n, 3, [x]):
            scf.yield_([arith.addi(carried, carried)])
        for _, carried, results in scf.for_(0, n, iter_args=[result, x]):
            scf.yield_(list(reversed(carried)))
        return results

    text = built(body, T.index(), T.i32())
    assert text.count("scf.for") == 3 and "step %c3" in text
    assert "iter_args(%arg3 = %0, %arg4 = %arg1) -> (i32, i32)" in text
    with pytest.raises(ValueError, match="not 1.5"):
        next(scf.for_(1.5))


def test_forall():
    def body(n):
        loop = scf.ForallOp([0, n], [n, 8], [1, 2])
        assert loop.rank == 2 and len(loop.induction_variables) == 2 and len(loop.inner_iter_args) == 0
        end = loop.terminator()
        assert loop.terminator() == end and isinstance(end, scf.InParallelOp) and len(end.block.operations) == 0
        shared = tensor.empty([4], T.f32())
        loop = scf.ForallOp([0], [4], [1], [shared])
        assert [a.type for a in loop.inner_iter_args] == [shared.type]
        loop.terminator()

    text = built(body, T.index())
    assert "scf.forall (%arg1, %arg2) = (0, %arg0) to (%arg0, 8) step (1, 2)" in text
    assert "shared_outs(%arg2 = %0) -> (tensor<4xf32>)" in text


def test_switch():
    def body(i):
        def case(op, number, value):
            scf.yield_([arith.constant(T.i32(), number + value)])

        def rest(op):
            scf.yield_([arith.constant(T.i32(), -1)])

        return scf.index_switch([T.i32()], i, [2, 5], case, rest)

    text = built(body, T.index())
    assert "case 2 {" in text and "case 5 {" in text and "constant 6 : i32" in text and "default {" in text


def test_if():
    def body(c):
        op = scf.IfOp(c, [T.i32()], has_else=True)
        for block, value in ((op.then_block, 1), (op.else_block, 2)):
            with InsertionPoint(block):
                scf.yield_([arith.constant(T.i32(), value)])
        assert scf.IfOp(c, ip=False).else_block is None
        return op.result

    assert "} else {" in built(body, T.bool())


def test_subview():
    def body(m, i):
        assert str(memref.subview(m, [0, 0], [4, 8], [1, 1]).type) == "memref<4x8xf32>"
        assert str(memref.subview(m, [1, 2], [2, 2], [1, 3]).type) == "memref<2x2xf32, strided<[8, 3], offset: 10>>"
        assert str(memref.subview(m, [i, 0], [2, 2], [1, 1]).type) == "memref<2x2xf32, strided<[8, 1], offset: ?>>"
        one = arith.constant(T.index(), 1)
        assert str(memref.subview(m, [one, 0], [1, 8], [1, 1]).type) == "memref<1x8xf32, strided<[8, 1], offset: 8>>"
        with pytest.raises(ValueError, match="explicit result type"):
            memref.subview(m, [0, 0], [i, 2], [1, 1])
        memref.subview(m, [0, 0], [i, 2], [1, 1], result_type=Type.parse("memref<?x2xf32, strided<[8, 1]>>"))

    assert "memref.subview %arg0[%arg1, 0] [2, 2] [1, 1]" in built(body, T.memref(4, 8, T.f32()), T.index())


def test_region_decorators():
    outer = Module.create()
    with InsertionPoint(outer.body):
        @builtin.module
        def empty():
            pass

        @builtin.module(sym_name="named", attrs={"mine.x": UnitAttr.get()})
        def named():
            func.FuncOp("f", ([], []), visibility="private")

        @region_op(lambda: scf.ExecuteRegionOp([T.i32()]), terminator=lambda values: scf.yield_(values))
        def value():
            return arith.constant(T.i32(), 4)

    assert isinstance(empty, Operation) and isinstance(value, OpResult)
    assert "module @named attributes {mine.x} {\n    func.func private @f()" in str(outer)
    with pytest.raises(ValueError, match="annotation"), InsertionPoint(outer.body):
        region_op(lambda: scf.ExecuteRegionOp([]))(lambda x: None)


def test_short_types():
    texts = {T.tensor(2, 3, T.f32()): "tensor<2x3xf32>", T.tensor(T.bf16()): "tensor<*xbf16>",
             T.memref(4, T.i8(), memory_space=1): "memref<4xi8, 1>", T.memref(element_type=T.f16()): "memref<*xf16>",
             T.vector(2, 4, T.si(7), scalable=[False, True]): "vector<2x[4]xsi7>",
             T.function(inputs=[T.index()], results=[T.ui8()]): "(index) -> ui8",
             T.tuple(T.f64(), T.none()): "tuple<f64, none>", T.complex(T.f32()): "complex<f32>", T.f8E4M3FN(): "f8E4M3FN"}
    assert [str(t) for t in texts] == list(texts.values())
    for wrong in (lambda: T.tensor(2), lambda: T.tensor(2, T.f32(), element_type=T.f32()),
                  lambda: T.tensor(T.f32(), encoding="x")):
        with pytest.raises(ValueError):
            wrong()


def test_groups_of_values():
    assert segmented_accessor([1, 2, 3, 4], DenseI32ArrayAttr.get([1, 2, 1]), 1) == [2, 3]
    assert equally_sized_accessor(range(7), 1, 2, 1, 1) == (4, 3)


def test_diagnostics_outlive_their_handler(context):
    kept = []
    context.attach_diagnostic_handler(lambda d: kept.append((d, DiagnosticInfo(d))) or True)
    Location.file("a", 1, 2).emit_error("first")
    (_, info), = kept
    assert (str(info), info.severity, str(info.location), info.notes) == \
        ("first", DiagnosticSeverity.ERROR, 'loc("a":1:2)', [])


def test_paths_of_extension_modules(context):
    from ttmlir import ir, passmanager
    from ttmlir._mlir_libs import _mlir, _ttmlir
    from ttmlir._mlir_libs._mlir.ir import Module as same
    from ttmlir.dialects import ttcore
    assert same is ir.Module and _mlir.passmanager is passmanager and _mlir.register_operation is _cext.register_operation
    assert _ttmlir.tt_ir is ttcore.ir and not hasattr(_ttmlir, "nothing_ir")
    _ttmlir.register_dialects(ir.DialectRegistry())
    _ttmlir.register_dialect(context)
    with pytest.raises(AttributeError):
        _ttmlir.register_dialect(3)


def test_errors_as_in_mlir():
    with Context(), Location.unknown():
        i32, f32 = IntegerType.get_signless(32), F32Type.get()
        with pytest.raises(MLIRError, match='error: "3 3":1:3: found trailing characters'):
            Attribute.parse("3 3")
        with pytest.raises(MLIRError, match='error: "!foo.bar":1:6: `!"foo"<"bar">` type created with unregistered'):
            Type.parse("!foo.bar")
        with pytest.raises(MLIRError, match="positive constant sizes but got 2, 0"):
            VectorType.get([2, 0], f32)
        with pytest.raises(ValueError, match="mutually exclusive"):
            VectorType.get([2], f32, scalable=[True], scalable_dims=[0])
        with pytest.raises(ValueError, match=r"Expected a static ShapedType for the shaped_type parameter: Type\(i32\)"):
            DenseElementsAttr.get_splat(i32, IntegerAttr.get(i32, 1))
        with pytest.raises(ValueError, match=r"must be equal: shaped=Type\(tensor<2xf32>\), element=Attribute\(1 : i32\)"):
            DenseElementsAttr.get_splat(RankedTensorType.get([2], f32), IntegerAttr.get(i32, 1))


def test_insertion_points_and_parents_as_in_mlir():
    with Context(), Location.unknown():
        module = Module.parse("func.func @f() { return }")
        block = module.body.operations[0].entry_block
        with pytest.raises(IndexError, match="already has a terminator"), InsertionPoint(block):
            arith.constant(F32Type.get(), 1.0)
        with InsertionPoint.at_block_terminator(block):
            arith.constant(F32Type.get(), 1.0)
        assert [op.operation.name for op in block] == ["arith.constant", "func.return"]
        assert module.operation.parent is None
        with pytest.raises(ValueError, match="Detached operations have no parent"):
            _ = block.operations[0].operation.clone().operation.parent
        with pytest.raises(ValueError, match="Expected a 'arith.addi' op, got: 'arith.constant'"):
            arith.AddIOp.parse("arith.constant 1 : i32")
        assert str(arith.FastMathFlags.nnan | arith.FastMathFlags.ninf) == "nnan,ninf"
        assert str(arith.FastMathFlags.none) == "none"
