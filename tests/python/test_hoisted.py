"""Operations that a program computes on the host (ttir.should_hoist): in modules, binaries and emitted Python, exactly."""

import subprocess

import native
import numpy as np
import pytest
from native import BUILD

torch = pytest.importorskip("torch")
import _ttmlir_runtime as tt_runtime  # noqa: E402
from builder.base.builder_apis import compile_ttir_module_to_flatbuffer, execute_cpp, execute_fb, execute_py, load_mlir_file  # noqa: E402
from builder.base.builder_runtime import TTBuilderRuntimeException  # noqa: E402
from ttrt import emitted  # noqa: E402

X = "tensor<4x32xi32>"
MODEL = f"""
func.func @model(%a: {X}, %b: {X}) -> ({X}, tensor<4x1xi32>) {{
  %0 = "ttir.multiply"(%a, %b) {{ttir.should_hoist}} : ({X}, {X}) -> {X}
  %1 = "ttir.subtract"(%0, %b) {{ttir.should_hoist}} : ({X}, {X}) -> {X}
  %2 = "ttir.max"(%1) <{{dim_arg = [1 : i32], keep_dim = true}}> {{ttir.should_hoist}} : ({X}) -> tensor<4x1xi32>
  return %1, %2 : {X}, tensor<4x1xi32>
}}"""


def arguments():
    g = np.random.default_rng(5)
    return [torch.from_numpy(g.integers(-(2**31), 2**31, (4, 32), dtype=np.int32)) for _ in range(2)]


def expected(a, b):
    a, b = a.numpy().astype(np.int64), b.numpy().astype(np.int64)
    out = (a * b - b).astype(np.int32)  # wraps
    return [out, out.max(1, keepdims=True)]


def compiled(target, text=MODEL):
    module, builder = load_mlir_file(text, golden_inputs={"model": arguments()})
    return compile_ttir_module_to_flatbuffer(module, builder, target=target)


def check(tensors):
    for i, want in enumerate(expected(*arguments())):
        assert np.array_equal(tensors[f"device_output_{i}"][0].numpy(), want)


def test_binary():
    binary, ends, _ = compiled("ttnn")
    check(execute_fb(binary, ends, disable_golden=False).tensors["program_0"])


def test_binary_calls_are_operations():
    """Hooks see each call once, with its results."""
    binary, ends, _ = compiled("ttnn")
    seen = []

    def after(binary, program, op):
        text = tt_runtime.runtime.get_op_debug_str(op)
        if "cpu_hoist_call" in text:
            seen.append([t.get_shape() for t in tt_runtime.runtime.get_op_output_tensor(op, program).values()])

    tt_runtime.runtime.DebugHooks.get(post_op=after)
    try:
        execute_fb(binary, ends)
    finally:
        tt_runtime.runtime.unregister_hooks()
    assert seen == [[[4, 32]], [[4, 32]], [[4, 1]]]


def test_emitted_python():
    source, ends, _ = compiled("emitpy")
    assert "ttir_cpu.multiply(" in source and "keepdim=True, dim=[1])" in source
    check(execute_py(source, ends).tensors["program_0"])


def test_lowered_module(tmp_path):
    """A module that was lowered with its functions of the host runs, too."""
    (tmp_path / "m.mlir").write_text(MODEL)
    for i, a in enumerate(arguments()):
        np.save(tmp_path / f"{i}.npy", a.numpy())
    subprocess.run([BUILD / "bin/ttmlir-opt", "--ttir-to-ttnn-backend-pipeline", tmp_path / "m.mlir", "-o", tmp_path / "l.mlir"], check=True)
    done = [subprocess.run([BUILD / "bin/tilewright", "run", tmp_path / name, "--seed", "3"], capture_output=True, text=True) for name in ("m.mlir", "l.mlir")]
    assert done[0].returncode == 0 and done[0].stdout == done[1].stdout and "out1" in done[0].stdout


def test_emitted_c_plus_plus():
    source, ends, _ = compiled("emitc")
    check(execute_cpp(source, ends).tensors["program_0"])


MIXED = """
func.func @model(%x: tensor<32x64xf32>, %w: tensor<64x32xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> (tensor<32x32xf32>, tensor<1x32xi32>, tensor<32x32xf32>) {
  %0 = "ttir.exp"(%w) : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = "ttir.matmul"(%x, %0) : (tensor<32x64xf32>, tensor<64x32xf32>) -> tensor<32x32xf32>
  %2 = "ttir.softmax"(%1) <{dimension = 1 : si32, numericStable = true}> {ttir.should_hoist} : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %3 = "ttir.argmax"(%2) <{dim_arg = [0 : i32], keep_dim = true}> {ttir.should_hoist} : (tensor<32x32xf32>) -> tensor<1x32xi32>
  %4 = "ttir.add"(%2, %2) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %4, %3, %2 : tensor<32x32xf32>, tensor<1x32xi32>, tensor<32x32xf32>
}"""


@pytest.mark.parametrize("options", ["", "enable-cpu-hoisted-const-eval=true"])
def test_c_plus_plus_has_the_bytes_of_the_binary(tmp_path, options):
    """Functions of the host of several types, weights that the host prepares, in C++ and in a binary."""
    def tool(*commands):
        text = MIXED
        for command in commands:
            text = subprocess.run([BUILD / "bin" / command[0], *command[1:]], input=text, capture_output=True, text=True, check=True).stdout
        return text

    source = tool(("ttmlir-opt", f"--ttir-to-emitc-pipeline={options}"), ("ttmlir-translate", "--mlir-to-cpp"))
    assert source.count("::ttir_cpu::call(R\"ttir(func.func @cpu_hoisted") == 2 + bool(options)
    tool(("ttmlir-opt", f"--ttir-to-ttnn-backend-pipeline={options or 'enable-cpu-hoisted-const-eval=false'}"),
         ("ttmlir-translate", "--ttnn-to-flatbuffer", "-o", tmp_path / "m.ttnn"))
    g = np.random.default_rng(7)
    arrays = [g.standard_normal((32, 64)).astype(np.float32), g.standard_normal((64, 32)).astype(np.float32)]
    np.savez(tmp_path / "in.npz", **{f"in{i}": a for i, a in enumerate(arrays)})
    subprocess.run([BUILD / "bin/tilewright", "run", tmp_path / "m.ttnn", "--entry", "model", "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz"], check=True,
                   capture_output=True)
    want = np.load(tmp_path / "out.npz")
    found = emitted.execute_cpp(source, {"model": [torch.from_numpy(a) for a in arrays]})["model"]
    assert [t.dtype for t in found] == [torch.float32, torch.int32, torch.float32]
    for i, tensor in enumerate(found):
        assert tensor.numpy().tobytes() == want[f"out{i}"].tobytes()


def test_types_of_functions_of_the_host():
    """A call with other tensors than the function takes is an error that names the argument."""
    source, ends, _ = compiled("emitc")
    wrong = source.replace("tensor<4x32xi32>", "tensor<8x32xi32>")
    with pytest.raises(TTBuilderRuntimeException, match=r"argument 0 of a function of the host: expected si32 \[8, 32\], found si32 \[4, 32\]"):
        execute_cpp(wrong, ends)


BEGIN = b"module {\n  func.func @cpu_hoisted"  # of the library; the module's own text indents its functions


@pytest.mark.parametrize("old, new, message", [
    (BEGIN, b"m\xffdule {\n  func.func @cpu_hoisted", "is no IR"),
    (BEGIN, b"\x7fELF   {\n  func.func @cpu_hoisted", "machine code"),
    (b"\n  func.func @cpu_hoisted_ttir_max", b"\n  func.func @cpu_haisted_ttir_max", "no function 'cpu_hoisted_ttir_max"),
    (b"\n    %0 = \"ttir.subtract\"(%arg0, %arg1)", b"\n    %0 = \"ttir.subtrakt\"(%arg0, %arg1)", "is no IR"),
])
def test_damaged_library(tmp_path, old, new, message):
    binary, ends, _ = compiled("ttnn")
    binary.store(str(tmp_path / "m.ttnn"))
    data = (tmp_path / "m.ttnn").read_bytes()
    assert data.count(old) == 1 and len(old) == len(new)
    (tmp_path / "d.ttnn").write_bytes(data.replace(old, new))
    with pytest.raises(TTBuilderRuntimeException, match=message):
        execute_fb(str(tmp_path / "d.ttnn"), ends)


def test_library_of_another_program(tmp_path):
    """A function whose types are not the call's is rejected before anything runs."""
    binary, ends, _ = compiled("ttnn")
    binary.store(str(tmp_path / "m.ttnn"))
    data = (tmp_path / "m.ttnn").read_bytes()
    at = data.index(BEGIN)
    end = data.index(b"\0", at)
    (tmp_path / "d.ttnn").write_bytes(data[:at] + data[at:end].replace(b"4x32xi32", b"4x16xi32") + data[end:])
    with pytest.raises(TTBuilderRuntimeException, match="tensors of other types"):
        execute_fb(str(tmp_path / "d.ttnn"), ends)


def test_result_that_is_its_argument():
    """A conversion to bf16 is none on the host: the result outlives the argument's deallocation."""
    text = """func.func @model(%a: tensor<4x32xf32>) -> tensor<4x32xbf16> {
      %0 = "ttir.typecast"(%a) {ttir.should_hoist} : (tensor<4x32xf32>) -> tensor<4x32xbf16>
      return %0 : tensor<4x32xbf16>
    }"""
    module, builder = load_mlir_file(text, golden_inputs={"model": [torch.arange(128).reshape(4, 32) / 7]})
    binary, ends, _ = compile_ttir_module_to_flatbuffer(module, builder)
    found = execute_fb(binary, ends).tensors["program_0"]["device_output_0"][0]
    assert torch.equal(found, (torch.arange(128).reshape(4, 32) / 7).bfloat16())


def test_results_of_the_device_are_operands_on_the_host():
    """Operands of ttir.empty become tensors, which the host is given."""
    t, r, i = "tensor<1x6x6x4xi32>", "tensor<1x3x3x4xi32>", "tensor<1x3x3x4xi64>"
    program = native.Program(
        f"func.func @main(%a: {t}) -> ({r}, {i}) {{\n  %0 = ttir.empty() : {r}\n  %1 = ttir.empty() : {i}\n"
        f"  %2:2 = \"ttir.max_pool2d_with_indices\"(%a, %0, %1) <{{ceil_mode = false, dilation = array<i32: 1, 1>, kernel = array<i32: 2, 2>, "
        f"padding = array<i32: 0, 0, 0, 0>, stride = array<i32: 2, 2>}}> {{ttir.should_hoist}} : ({t}, {r}, {i}) -> ({r}, {i})\n"
        f"  return %2#0, %2#1 : {r}, {i}\n}}\n")
    x = np.random.default_rng(0).permutation(144).astype(np.int32).reshape(1, 6, 6, 4)
    values, places = program(x)
    want = x.reshape(1, 3, 2, 3, 2, 4).max((2, 4))
    np.testing.assert_array_equal(values, want)
    np.testing.assert_array_equal(np.take_along_axis(x.reshape(36, 4), places.reshape(9, 4).astype(int), 0), want.reshape(9, 4))
