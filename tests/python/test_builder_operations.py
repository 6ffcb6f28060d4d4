"""Operations in builders: a method and a reference for each row, the generated matrix of programs of one operation against
their references, and what mistakes are reported."""

import os
import threading

import pytest

torch = pytest.importorskip("torch")
import _ttmlir_runtime as tt_runtime  # noqa: E402
import builder_matrix  # noqa: E402
from builder import coverage  # noqa: E402
from builder.base.builder import BuilderError  # noqa: E402
from builder.base.builder_apis import *  # noqa: E402,F403
from builder.base.methods import signature  # noqa: E402
from golden import get_golden_function, get_pcc  # noqa: E402
from golden.mapping import GOLDENS, NO_REFERENCE, STRUCTURE, GoldenMapTensor, apply_sharding, apply_unsharding  # noqa: E402
from golden.metrics import get_atol_rtol, worst  # noqa: E402
from ttmlir._native import native  # noqa: E402
from ttmlir.dialects import ttir  # noqa: E402

ROWS = [row[0] for dialect in ("ttir", "ttnn", "stablehlo") for row in native._ops(dialect)]
LONG = bool(os.environ.get("TILEWRIGHT_LONG"))
SHAPES = [*builder_matrix.SHAPES]
if LONG:
    builder_matrix.SHAPES |= {"large": (130, 200), "cube": (3, 5, 7), "many": (2, 3, 4, 5)}
    SHAPES = [*builder_matrix.SHAPES]


@pytest.fixture(scope="module")
def device():
    opened = tt_runtime.runtime.open_mesh_device(tt_runtime.runtime.MeshDeviceOptions())
    yield opened
    tt_runtime.runtime.close_mesh_device(opened)


@pytest.mark.parametrize("full", ROWS)
def test_each_row_has_a_method_and_a_reference(full):
    assert coverage.method_of(full) is not None
    found = signature(full)
    named = {known for _, known, kind, _ in found.parameters if kind != "extra"}
    assert named == {name for name, _ in found.operands} | set(found.attributes)  # all can be given
    assert (full in GOLDENS) + (full in NO_REFERENCE) + (full in STRUCTURE) == 1


def test_coverage_has_a_reason_for_each_hole(capsys):
    assert coverage.main(["--holes"]) == 0
    assert "ttir: 176 operations; builder 176" in capsys.readouterr().out or len(list(native._ops("ttir"))) != 176


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", builder_matrix.DTYPES)
def test_matrix(dtype, shape, device):
    wrong = {name: why for name, why in builder_matrix.run(dtype, shape, device).items() if why}
    assert not wrong


def test_operations_without_lowering_say_so():
    for name in sorted(builder_matrix.REFUSED):
        dtype = torch.int32 if name == "right_shift" else torch.float32

        def root(builder):
            @builder.func([(32, 32)] * (n := 2 if name == "right_shift" else 1), [dtype] * n)
            def model(*operands):
                *xs, b = operands
                return getattr(b, name)(*xs)

        with pytest.raises(TTBuilderCompileException, match=f"ttir.{name}"):  # noqa: F405
            compile_ttir_to_flatbuffer(root, write=False)  # noqa: F405


# ---- references -------------------------------------------------------------------------------------------


def test_references_by_class():
    a, b = torch.randn(4, 4), torch.randn(4, 4)
    assert torch.equal(get_golden_function(ttir.AddOp)(a, b), a + b)
    assert torch.equal(get_golden_function(ttir.SumOp)(a, dim_arg=[1], keep_dim=True), a.sum(1, keepdim=True))
    with pytest.raises(AssertionError, match="No golden function found for TTIR operation: ttir.alloc"):
        get_golden_function(ttir.AllocOp)


def test_tensors_over_a_mesh():
    whole = torch.arange(64.0).reshape(8, 8)
    split = apply_sharding(GoldenMapTensor({0: whole}, (2, 4)), (2, 4), (0, 1))
    assert len(split.shard_map) == 8 and torch.equal(split.shard_at(5), whole[4:, 2:4])
    assert torch.equal(apply_unsharding(split + split, (2, 4), (0, 1)).shard_at(0), whole * 2)
    assert torch.equal(torch.exp(split).shard_at(7), whole[4:, 6:].exp())


def test_measures():
    nan, inf = float("nan"), float("inf")
    assert get_pcc(torch.tensor([nan, 1, inf]), torch.tensor([nan, 1, inf])) == 1
    assert get_pcc(torch.tensor([nan, 1, 2.0]), torch.tensor([0, 1, 2.0])) == 0
    assert get_pcc(torch.tensor([inf, 1, 2.0]), torch.tensor([3e38, 1, 2.0])) == 0
    assert get_pcc(torch.zeros(0, 3), torch.zeros(0, 3)) == 1 and get_pcc(torch.zeros(0, 3), torch.zeros(0, 2)) == 0
    assert get_pcc(torch.full((4,), 2.0), torch.full((4,), 2.0)) == 1 and get_pcc(torch.full((4,), 2.0), torch.full((4,), 3.0)) == 0
    assert get_pcc(torch.tensor([5.0]), torch.tensor([5.01])) == 1 and get_pcc(torch.tensor([5.0]), torch.tensor([7.0])) == 0
    assert abs(get_pcc(torch.tensor([1.0, 2, 3]), torch.tensor([1.0, 2, 2.5])) - 0.981981) < 1e-5
    assert worst(torch.tensor([[1.0, 2], [3, 4]]), torch.tensor([[1.0, 2], [0, 4]])) == ((1, 0), 3.0, 0.0)
    assert get_atol_rtol(torch.tensor([1.0, 4]), torch.tensor([2.0, 4])) == (1.0, 0.5)


# ---- mistakes ---------------------------------------------------------------------------------------------


def built(body, shapes=((4, 5), (4, 5)), dtypes=(torch.float32, torch.float32), kind="ttir"):
    def root(builder):
        builder.func(list(shapes), list(dtypes))(body)

    return build_module(root, kind)  # noqa: F405


@pytest.mark.parametrize("shapes, body, words", [
    (((4, 5), (3, 5)), lambda a, b, x: x.add(a, b), "ttir.add at .*test_builder_operations.py:[0-9]+: operands of shapes .4, 5. and .3, 5. do not broadcast"),
    (((4, 5), (4, 5)), lambda a, b, x: x.matmul(a, b), "ttir.matmul at .*do not fit.*4, 5"),
    (((4, 5), (4, 5)), lambda a, b, x: x.softmax(a, dimension=7), "dimension"),
    (((4, 5), (4, 5)), lambda a, b, x: x.reshape(a, (3, 3)), "ttir.reshape at .*20 elements, the shape .3, 3. 9"),
    (((4, 5), (4, 5)), lambda a, b, x: x.concat([a, x.transpose(b, 0, 1)], 0), "ttir.concat at .*do not fit"),
    (((4, 5), (4, 5)), lambda a, b, x: x.permute(a, [0, 0]), "ttir.permute"),
    (((4, 5), (4, 5)), lambda a, b, x: x.add(a), "ttir.add at .*needs the argument 'rhs'; the arguments are lhs, rhs"),
    (((4, 5), (4, 5)), lambda a, b, x: x.add(a, b, wrong=1), "ttir.add at .*has no argument 'wrong'"),
    (((4, 5), (4, 5)), lambda a, b, x: x.add(a, b, in1=b), "got the argument 'in1' twice"),
    (((4, 5), (4, 5)), lambda a, b, x: x.typecast(a, torch.complex32), "no element type for torch.complex32"),
    (((4, 5), (4, 5)), lambda a, b, x: 3, "returns int 3: it must return values"),
    (((4, 5), (4, 5)), lambda a, b, x: x.set_goldens({a: torch.zeros(3, 3)}), "its type is tensor<4x5xf32>, the tensor has shape .3, 3."),
    (((4, 5), (4, 5)), lambda a, b, x: x.set_goldens({a: torch.zeros(4, 5, dtype=torch.int32)}), "the tensor's dtype torch.int32"),
])
def test_mistakes_in_operations(shapes, body, words):
    with pytest.raises((BuilderError, TypeError), match="(?s)" + words):
        built(body, shapes)


def test_numbers_are_no_operands():
    with pytest.raises(TypeError, match="ttir.add at .*'rhs' must be a value of the program.*got float 2.0"):
        built(lambda a, b, x: x.add(a, 2.0))


def test_operations_outside_of_functions():
    def root(builder):
        builder.zeros((2, 2), torch.float32)

    with pytest.raises(BuilderError, match="ttir.zeros at .*inside a function"):
        build_module(root, "ttir")  # noqa: F405


def test_operands_of_other_functions_and_programs():
    kept = []

    def root(builder):
        @builder.func([(4, 4)], [torch.float32])
        def first(x, builder):
            kept.append(x)
            return builder.exp(x)

        @builder.func([(4, 4)], [torch.float32])
        def second(x, builder):
            return builder.add(x, kept[0])

    with pytest.raises(BuilderError, match="(?s)not valid.*ttir.add"):
        build_module(root, "ttir")  # noqa: F405
    with pytest.raises(BuilderError, match="ttir.add at .*'rhs' is a value of another builder's program"):
        built(lambda a, b, x: x.add(a, kept[0]))


def test_mistakes_around_programs(tmp_path, device):
    with pytest.raises(BuilderError, match="no builder 'ttxx'; there are ttir, stablehlo, ttnn, d2m"):
        build_module(lambda b: None, "ttxx")  # noqa: F405
    with pytest.raises(ValueError, match="Unsupported target: riscv; there are ttnn"):
        compile_ttir_to_flatbuffer(lambda b: None, target="riscv")  # noqa: F405
    with pytest.raises(BuilderError, match="no public function with a body"):
        load_mlir_file("module {}")  # noqa: F405
    with pytest.raises(BuilderError, match="golden_inputs names other; the module's functions are f"):
        load_mlir_file("func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }", golden_inputs={"other": []})  # noqa: F405
    with pytest.raises(TTBuilderRuntimeException, match="no binary .*missing.ttnn"):  # noqa: F405
        execute_fb(tmp_path / "missing.ttnn", device=device)  # noqa: F405
    (tmp_path / "cut.ttnn").write_bytes(b"\x10\0\0\0TTNN")
    with pytest.raises(TTBuilderRuntimeException, match="cut.ttnn: .*no binary"):  # noqa: F405
        execute_fb(tmp_path / "cut.ttnn", device=device)  # noqa: F405
    (tmp_path / "file").write_text("")
    with pytest.raises(TTBuilderCompileException, match="cannot write .*give another output_root"):  # noqa: F405
        compile_ttir_to_flatbuffer(exponential, output_root=str(tmp_path / "file"))  # noqa: F405


def exponential(builder):
    @builder.func([(32, 32)], [torch.float32])
    def model(x, builder):
        return builder.exp(x)


def test_wrong_results_are_golden_mismatches(device):
    def root(builder):
        @builder.func([(32, 32)], [torch.float32])
        def model(x, builder):
            y = builder.exp(x)
            builder.set_operand_goldens({y: torch.randn(32, 32)})
            return y

    with pytest.raises(TTBuilderGoldenException, match=r"actual_pcc=.* < expected_pcc=0.99 .*worst at \(\d+, \d+\): expected .* found") as caught:  # noqa: F405
        compile_and_execute_ttir(root, device=device)  # noqa: F405
    assert caught.value.report.failures


def test_closed_devices_and_exceptions_in_hooks():
    opened = tt_runtime.runtime.open_mesh_device(tt_runtime.runtime.MeshDeviceOptions())
    tt_runtime.runtime.close_mesh_device(opened)
    with pytest.raises(TTBuilderRuntimeException, match="did not run: .*closed"):  # noqa: F405
        compile_and_execute_ttir(exponential, device=opened)  # noqa: F405


def test_empty_and_single_elements(device):
    for shape in ((1,), (1, 1, 1, 1)):
        def root(builder, shape=shape):
            @builder.func([shape], [torch.float32])
            def model(x, builder):
                return builder.neg(x)

        assert not compile_and_execute_ttir(root, device=device).failures  # noqa: F405


def test_two_threads_on_one_device(device):
    failures = []

    def work():
        try:
            for _ in range(3):
                compile_and_execute_ttir(exponential, device=device)  # noqa: F405
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_nothing_leaks(device):
    import gc
    import resource

    module, builder = build_module(exponential, "ttir")  # noqa: F405
    compiled, ends, inner = compile_ttir_module_to_flatbuffer(module, builder)  # noqa: F405

    def some(count):
        for _ in range(count):
            execute_fb(compiled, ends, inner, device=device)  # noqa: F405
        for _ in range(count // 10):
            build_module(exponential, "ttir")  # noqa: F405
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    some(60)
    before = some(100)
    assert some(10000 if LONG else 300) - before < 8000  # KiB


def test_debug_operations(device, capfd):
    """print prints its operand; annotations and regions change nothing; all come back from binaries."""
    def root(builder):
        @builder.func([(2, 3)], [torch.float32])
        def model(x, builder):
            builder.set_goldens({x: torch.arange(6.0).reshape(2, 3)})
            y = builder.region_start(builder.annotate(builder.neg(x), "negative"), "part")
            return builder.region_end(builder.print(y, "negated"), "part")

    assert not compile_and_execute_ttir(root, device=device).failures  # noqa: F405
    assert "negated [2, 3] Float32 [-0, -1, -2, -3, -4, -5]" in capfd.readouterr().out
    compiled = compile_ttir_to_flatbuffer(root, write=False)[1]  # noqa: F405
    names = []
    tt_runtime.runtime.walk_program(compiled, 0, lambda op: names.append(tt_runtime.runtime.get_op_debug_str(op)))
    assert any("debug.print" in name for name in names) and any("ttnn.neg" in name for name in names)


def test_errors_in_hooks_reach_the_caller(device):
    def broken(*_):
        raise KeyError("mine")

    tt_runtime.runtime.DebugHooks.get(post_op=broken)
    try:
        with pytest.raises(TTBuilderRuntimeException, match="mine"):  # noqa: F405
            compile_and_execute_ttir(exponential, device=device)  # noqa: F405
    finally:
        tt_runtime.runtime.unregister_hooks()


def test_write_between_reads(tmp_path):
    """An addition after its operand is written is not the one before."""

    def module(builder):
        @builder.func([(32, 32), (32, 32)], [torch.float32, torch.float32])
        def f(x, y, builder):
            before = builder.add(x, y)
            builder.copy(builder.exp(before), x)
            return before, builder.add(x, y)

    compile_and_execute_ttnn(module, output_root=str(tmp_path))  # noqa: F405
