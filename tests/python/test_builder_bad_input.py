"""What is wrong with binaries, references and emitted sources is an exception of the builder that names it."""

import json

import pytest

torch = pytest.importorskip("torch")
from builder.base.builder_apis import (build_module, compile_and_execute_ttir, compile_ttir_module_to_flatbuffer, execute_cpp, execute_fb,  # noqa: E402
                                       load_mlir_file)
from builder.base.builder_runtime import TTBuilderCompileException, TTBuilderGoldenException, TTBuilderRuntimeException  # noqa: E402
from builder.base.methods import BuilderError  # noqa: E402

X = "tensor<32x32xf32>"
ABS = f'func.func @model(%a: {X}) -> {X} {{ %0 = "ttir.abs"(%a) : ({X}) -> {X} return %0 : {X} }}'


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """(bytes of a binary, its references, a path for changed ones)"""
    path = tmp_path_factory.mktemp("bad") / "model.ttnn"
    binary, ends, _ = compile_ttir_module_to_flatbuffer(*load_mlir_file(ABS))
    binary.store(str(path))
    return path.read_bytes(), ends, path


def test_cut_binaries(written):
    data, ends, path = written
    for size in range(0, len(data), len(data) // 50):
        path.write_bytes(data[:size])
        with pytest.raises(TTBuilderRuntimeException, match="model.ttnn: .*binary"):
            execute_fb(path, ends)


def test_binary_of_another_version(written):
    data, ends, path = written
    path.write_bytes(data)
    wanted = json.loads(execute_binary(path).as_json())["schema_hash"]
    path.write_bytes(data.replace(wanted.encode(), b"0" * len(wanted)))
    with pytest.raises(TTBuilderRuntimeException, match="another version of the schemas.*000000000000.*compile it again"):
        execute_fb(path, ends)


def execute_binary(path):
    import _ttmlir_runtime as tt_runtime

    return tt_runtime.binary.load_binary_from_path(str(path))


def one(body, shape=(32, 32), dtype=torch.float32):
    def root(builder):
        @builder.func([shape], [dtype])
        def model(x, builder):
            return body(x, builder)

    return root


@pytest.mark.parametrize("golden, words", [
    (torch.zeros(4, 4), r"set_goldens.*\[4, 4\].*\[32, 32\]|\(4, 4\).*\(32, 32\)|shape"),
    ("text", "tensor"),
])
def test_references_of_other_shapes(golden, words):
    def body(x, builder):
        builder.set_goldens({x: golden})
        return builder.abs(x)

    with pytest.raises((BuilderError, TypeError, ValueError, TTBuilderCompileException), match="(?s)" + words):
        compile_and_execute_ttir(one(body))


@pytest.mark.parametrize("value", [0.0, 3.0, float("inf"), float("nan")])
def test_constant_tensors_agree_with_themselves(value):
    """Correlation of constants is undefined: equal ones agree, others do not."""
    def same(x, builder):
        builder.set_goldens({x: torch.full((32, 32), value)})
        return builder.neg(builder.neg(x))

    assert not compile_and_execute_ttir(one(same)).failures

    def other(x, builder):
        builder.set_goldens({x: torch.full((32, 32), value)})
        out = builder.neg(x)
        builder.set_operand_goldens({out: torch.full((32, 32), 7.0)})
        return out

    with pytest.raises(TTBuilderGoldenException, match="worst at"):
        compile_and_execute_ttir(one(other))


def test_operand_of_another_function():
    kept = []

    def root(builder):
        @builder.func([(4, 4)], [torch.float32])
        def first(x, builder):
            kept.append(builder.abs(x))
            return kept[0]

        @builder.func([(4, 4)], [torch.float32])
        def second(x, builder):
            return builder.add(x, kept[0])

    with pytest.raises(BuilderError, match="(?s)not valid.*ttir.add"):
        build_module(root, "ttir")


def test_operands_of_two_types():
    def root(builder):
        @builder.func([(4, 4), (4, 4)], [torch.float32, torch.int32])
        def model(x, y, builder):
            return builder.matmul(x, y)

    with pytest.raises(TTBuilderRuntimeException, match="program 0 .'model'. did not run: .*matmul: operands of f32 and s?i32 with a result of f32: convert them to one type"):
        compile_and_execute_ttir(root)


def test_layout_that_a_type_does_not_have():
    import ttnn

    with ttnn.manage_device(device_id=0) as device, pytest.raises(NotImplementedError, match="no rows of bfp_bf8, only tiles .layout=ttnn.TILE_LAYOUT"):
        ttnn.from_torch(torch.ones(4, 4), dtype=ttnn.bfloat8_b, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)


@pytest.mark.parametrize("shape", [(0, 4), (3, 0, 2)])
def test_tensors_without_elements(shape):
    """They run, and agree with a reference of their shape."""
    assert not compile_and_execute_ttir(one(lambda x, builder: builder.exp(x), shape)).failures


def test_no_compiler(monkeypatch):
    source, ends, _ = compile_ttir_module_to_flatbuffer(*load_mlir_file(ABS), target="emitc")
    monkeypatch.setenv("TILEWRIGHT_CXX", "/no/such/compiler")
    with pytest.raises(TTBuilderRuntimeException, match="no C\\+\\+ compiler: /no/such/compiler.*TILEWRIGHT_CXX"):
        execute_cpp(source, ends)
