"""What is wrong with binaries, references and emitted sources is an exception of the builder that names it."""

import json

import pytest

torch = pytest.importorskip("torch")
from builder.base.builder_apis import (build_module, compile_and_execute_ttir, compile_ttir_module_to_flatbuffer,  # noqa: E402
                                       compile_ttir_to_flatbuffer, execute_cpp, execute_fb, load_mlir_file)
from builder.base.builder_runtime import TTBuilderCompileException, TTBuilderGoldenException, TTBuilderRuntimeException  # noqa: E402
from builder.base.methods import BuilderError  # noqa: E402
from golden.metrics import ruled_pcc  # noqa: E402

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
    (torch.zeros(4, 4), r"its type is tensor<32x32xf32>, the tensor has shape \[4, 4\]: give a tensor of shape \[32, 32\]"),
    (torch.zeros(32, 32, dtype=torch.int32), "its type is tensor<32x32xf32>, the tensor's dtype torch.int32: give one of dtype torch.float32"),
    ("text", "expected a torch tensor, a function of a shape, or {device: tensor}, got str"),
])
@pytest.mark.parametrize("of_result", [False, True])
def test_references_of_other_shapes(golden, words, of_result):
    def body(x, builder):
        y = builder.abs(x)
        if of_result:
            builder.set_operand_goldens({y: golden})
        else:
            builder.set_goldens({x: golden})
        return y

    place = "golden of ttir.abs at .*test_builder_bad_input.py" if of_result and golden != "text" else "golden of "
    with pytest.raises(TTBuilderCompileException, match="(?s)" + place + ".*" + words):
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


# ---- wrong types, ranks and axes of operands --------------------------------------------------------------

F32, BF16, I32 = torch.float32, torch.bfloat16, torch.int32
HERE = r" at .*test_builder_bad_input.py:[0-9]+: "


@pytest.mark.parametrize("kind", ["ttir", "ttnn"])
@pytest.mark.parametrize("types, body, words", [
    ((F32, BF16), lambda x, y, b: b.matmul(x, y), "{}.matmul" + HERE + "the operands 'a' of f32 and 'b' of bf16 must have one element type: convert one of them with typecast"),
    ((BF16, I32), lambda x, y, b: b.linear(x, y), "{}.linear" + HERE + "the operands 'a' of bf16 and 'b' of s?i32 must"),
    ((F32, BF16), lambda x, y, b: b.concat([x, y], 0), r"{}.concat" + HERE + r"the operands 'inputs\[0\]' of f32 and 'inputs\[1\]' of bf16 must"),
    ((F32, F32), lambda x, y, b: b.bitwise_and(x, y), "{}.bitwise_and" + HERE + "the operand 'lhs' is of f32, but must be of integers"),
    ((I32, BF16), lambda x, y, b: b.bitwise_or(x, y), "{}.bitwise_or" + HERE + "the operand 'rhs' is of bf16, but must be of integers"),
])
def test_types_of_operands(kind, types, body, words):
    def root(builder):
        builder.func([(32, 32), (32, 32)], list(types))(body)

    with pytest.raises(BuilderError, match=words.format(kind)):
        build_module(root, kind)


@pytest.mark.parametrize("types, body, words", [
    ((F32, BF16), lambda x, y, b: b.add(x, y), "stablehlo.add" + HERE + "the operands 'lhs' of f32 and 'rhs' of bf16 must have one element type: convert one of them with convert"),
    ((I32, F32), lambda x, y, b: b.concatenate([x, y], 0), r"stablehlo.concatenate" + HERE + r"the operands 'inputs\[0\]' of i32 and 'inputs\[1\]' of f32 must"),
])
def test_types_of_stablehlo_operands(types, body, words):
    with pytest.raises(BuilderError, match=words):
        build_module(of((32, 32), (32, 32), types=types)(body), "stablehlo")


def of(*shapes, types=None):
    """Decorates a body as a function of tensors of these shapes."""
    return lambda body: lambda builder: builder.func(list(shapes), list(types or [F32] * len(shapes)))(body)


@pytest.mark.parametrize("root, words", [
    (of((1, 8, 8, 4), (4, 4, 3, 3), types=(F32, BF16))(lambda x, w, b: b.conv2d(x, w, None, 1, 0, 1, 1)), "ttir.conv2d" + HERE + "the operands 'input' of f32 and 'weight' of bf16"),
    (of((1, 2, 32, 32), (1, 2, 32, 32), (1, 2, 32, 32), types=(F32, F32, BF16))(lambda q, k, v, b: b.scaled_dot_product_attention(q, k, v)),
     "ttir.scaled_dot_product_attention" + HERE + "the operands 'query' of f32 and 'value' of bf16"),
    (of((4, 4), (4, 4, 3, 3))(lambda x, w, b: b.conv2d(x, w, None, 1, 0, 1, 1)),
     "ttir.conv2d" + HERE + r"the operand 'input' is a tensor<4x4xf32>, but must have 4 dimensions \(batch, height, width, channels\): reshape it"),
    (of((1, 8, 8, 4), (3, 3))(lambda x, w, b: b.conv2d(x, w, None, 1, 0, 1, 1)), "ttir.conv2d" + HERE + "the operand 'weight' is a tensor<3x3xf32>, but must have 4"),
    (of((4, 4))(lambda x, b: b.max_pool2d(x, [2, 2], [1, 1], [1, 1], [0, 0, 0, 0], False)), "ttir.max_pool2d" + HERE + "the operand 'input' is a tensor<4x4xf32>"),
    (of((), (4, 4))(lambda x, y, b: b.matmul(x, y)), "ttir.matmul" + HERE + ".*at least 1D"),
    (of((4, 4), (4,))(lambda x, y, b: b.concat([x, y], 0)), "ttir.concat" + HERE + ".*Expected 2-D tensors, but got 1-D"),
    (of((4, 4), (4, 4))(lambda x, y, b: b.concat([x, y], 5)), "ttir.concat" + HERE + r".*expected to be in range of \[-2, 1\], but got 5"),
    (of((4, 4))(lambda x, b: b.transpose(x, 0, 3)), "ttir.transpose" + HERE + r".*expected to be in range of \[-2, 1\], but got 3"),
    (of((4, 4))(lambda x, b: b.sum(x, [7])), "ttir.sum" + HERE + r"'dim_arg' is expected to be in range of \[-2, 1\], but got 7: the operand 'input' has 2 dimensions"),
    (of((4, 4))(lambda x, b: b.sort(x, 9)[0]), "ttir.sort" + HERE + r"'dim' is expected to be in range of \[-2, 1\], but got 9"),
    (of((4, 4))(lambda x, b: b.cumsum(x, 9)), "ttir.cumsum" + HERE + r"'dim' is expected to be in range of \[-2, 1\], but got 9"),
    (of((4, 4))(lambda x, b: b.softmax(x, 5)), "ttir.softmax" + HERE + r"'dimension' is expected to be in range of \[-2, 1\], but got 5"),
    (of((4, 4))(lambda x, b: b.add(x)), "ttir.add" + HERE + "needs the argument 'rhs'; the arguments are lhs, rhs, output_type=None"),
    (of((4, 4))(lambda x, b: b.add(x, None)), "ttir.add" + HERE + "the argument 'rhs' must be a value of the program, got None"),
    (of((4, 4))(lambda x, b: b.abs(x, x)), "ttir.abs" + HERE + "no element type for .*expected a torch dtype such as torch.float32"),
    (of((4, 4))(lambda x, b: b.abs(x, foo=1)), "ttir.abs" + HERE + "has no argument 'foo'; there are input"),
    (of((4, 4), (4, 4))(lambda x, b: b.abs(x)), "@builder.func" + HERE + "'<lambda>' takes 2 arguments, but must take 3: one for each of the 2 inputs, then the builder"),
])
def test_operands_that_do_not_fit(root, words):
    with pytest.raises(BuilderError, match="(?s)" + words):
        build_module(root, "ttir")


@pytest.mark.parametrize("shapes, types, words", [
    ([(4, 4), (4, 4)], [F32], "2 shapes and 1 element types were given"),
    ([(-4, 4)], [F32], r"the shape of argument 0 must have sizes of 0 or more, got \[-4, 4\]"),
    ([(4, 4)], ["f33"], "argument 0: no element type for 'f33': expected a torch dtype such as torch.float32"),
    ([(4, 4)], [torch.float8_e4m3fn], "argument 0: no element type for torch.float8_e4m3fn"),
])
def test_arguments_of_functions(shapes, types, words):
    with pytest.raises(BuilderError, match="@builder.func" + HERE + words):
        build_module(lambda builder: builder.func(shapes, types)(lambda x, b: b.abs(x)), "ttir")


def test_dimensions_of_shards():
    def root(builder):
        @builder.func([(4, 4)], [F32])
        def model(x, builder):
            builder.preshard_arg(x, shard_dims=(-1, 3))
            return builder.abs(x)

    with pytest.raises(BuilderError, match=r"shard_dims \(-1, 3\): the shape \(4, 4\) has no dimension 3"):
        build_module(root, "ttir")


def test_files_that_are_not_there():
    with pytest.raises(FileNotFoundError, match="no/such.mlir"):
        load_mlir_file("/no/such.mlir")
    with pytest.raises((TTBuilderCompileException, FileNotFoundError), match="no system descriptor /no/such.ttsys: give a .ttsys file"):
        compile_ttir_to_flatbuffer(one(lambda x, b: b.abs(x)), system_desc_path="/no/such.ttsys", write=False)


def test_types_of_elements_that_agree():
    """Element-wise operations convert; a matrix product has operands of one type after a typecast."""
    def root(builder):
        @builder.func([(32, 32), (32, 32)], [F32, BF16])
        def model(x, y, builder):
            return builder.add(builder.matmul(x, builder.typecast(y, F32)), y)

    assert not compile_and_execute_ttir(root).failures


@pytest.mark.parametrize("body, words", [
    ('"ttir.concat"(%a, %b) <{dim = 0 : si32}> : (tensor<8x8xf32>, tensor<8x8xbf16>) -> tensor<16x8xf32>',
     "ttnn.concat' moves operand 1 of bf16 into a result of f32: it converts nothing; cast the operand to the result's type before"),
    ('"ttir.permute"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<8x8xf32>) -> tensor<8x8xbf16>', "ttnn.permute' moves operand 0 of f32 into a result of bf16"),
    ('"ttir.pad"(%b) <{padding = array<i32: 1, 1, 0, 0>, value = 0.0 : f32}> : (tensor<8x8xbf16>) -> tensor<10x8xf32>', "ttnn.pad' moves operand 0 of bf16 into a result of f32"),
    ('"ttir.reshape"(%b) <{shape = [64 : i32]}> : (tensor<8x8xbf16>) -> tensor<64xf32>', "ttnn.reshape' moves operand 0 of bf16 into a result of f32"),
])
def test_moves_between_types(body, words):
    """Programs that verify, but would copy elements of one size as ones of another."""
    result = body.rsplit("-> ", 1)[1]
    text = f"func.func @model(%a: tensor<8x8xf32>, %b: tensor<8x8xbf16>) -> {result} {{ %0 = {body} return %0 : {result} }}"
    binary, ends, inner = compile_ttir_module_to_flatbuffer(*load_mlir_file(text))
    with pytest.raises(TTBuilderRuntimeException, match=words):
        execute_fb(binary, {}, inner)


def test_operations_that_a_target_cannot_express():
    root = of((32, 32))(lambda x, b: b.sort(x, 1)[0])
    with pytest.raises(TTBuilderCompileException, match="(?s)target 'ttmetal'.*test_builder_bad_input.py:[0-9]+.*failed to legalize operation 'ttir.sort'"):
        compile_ttir_to_flatbuffer(root, target="ttmetal", write=False)


# ---- what decides where correlation does not ---------------------------------------------------------------


@pytest.mark.parametrize("golden, found, pcc, rule", [
    ([], [], 1.0, "no elements: the shapes decide"),
    ([1.0, 2.0], [1.0], 0.0, "other numbers of elements disagree"),
    ([float("nan")] * 2, [float("nan")] * 2, 1.0, "all elements are NaN"),
    ([float("nan")] * 2, [1.0, 2.0], 0.0, "all elements are NaN"),
    ([float("inf"), 1.0], [float("-inf"), 1.0], 0.0, "infinities and NaN agree with equal ones only"),
    ([float("inf"), 1.0], [float("inf"), 1.0], 1.0, None),
    ([0.0, 0.0], [1.0, 2.0], 0.0, "one tensor is zero"),
    ([2.0], [2.01], 1.0, "one element: it is close within"),
    ([2.0], [3.0], 0.0, "one element: it is close within"),
    ([2.0, 2.0], [2.0 + 1e-7, 2.0 + 1e-7], 1.0, None),
    ([2.0, 2.0], [3.0, 3.0], 0.0, "constant tensors: close within"),
    ([2.0, 2.0], [2.0, 2.01], 1.0, "one tensor is constant"),
    ([1.0, 2.0, 3.0], [1.0, 2.0, 3.5], 0.993399, None),
])
def test_rules_of_correlation(golden, found, pcc, rule):
    value, said = ruled_pcc(torch.tensor(golden), torch.tensor(found))
    assert value == pytest.approx(pcc, abs=1e-5) and (said is None if rule is None else said.startswith(rule)), (value, said)


def test_reports_name_the_rule():
    def other(x, builder):
        builder.set_goldens({x: torch.full((32, 32), 3.0)})
        out = builder.neg(x)
        builder.set_operand_goldens({out: torch.full((32, 32), 7.0)})
        return out

    with pytest.raises(TTBuilderGoldenException, match="actual_pcc=0.0 < expected_pcc=0.99 .constant tensors: close within atol=.*, rtol=.* or not.") as caught:
        compile_and_execute_ttir(one(other))
    assert "constant tensors: close within" in str(caught.value.report)
