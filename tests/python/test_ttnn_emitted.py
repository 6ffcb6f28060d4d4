"""Emitted programs run: the Python and the C++ of a module give the bytes of its .ttnn file's run, for an operation in each program."""

import shutil
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import native  # noqa: E402
import ttnn  # noqa: E402
from emitted_operations import functions  # noqa: E402
from ttrt import emitted  # noqa: E402

BIN = native.BUILD / "bin"
FUNCTIONS = functions()


def command(text, *steps):
    """The output of a pipe of commands."""
    for step in steps:
        done = subprocess.run([BIN / step[0], *step[1:]], input=text, capture_output=True, timeout=300)
        assert done.returncode == 0, done.stderr.decode()
        text = done.stdout
    return text


def module():
    return "".join(FUNCTIONS.values()).encode()


@pytest.fixture(scope="module")
def binary():
    return command(module(), ("ttmlir-opt", "--ttir-to-ttnn-backend-pipeline"), ("ttmlir-translate", "--ttnn-to-flatbuffer"))


@pytest.fixture(scope="module")
def python():
    return command(module(), ("ttmlir-opt", "--ttir-to-emitpy-pipeline"), ("ttmlir-translate", "--mlir-to-python")).decode()


def arguments(name, program):
    """Values for each argument of a program: small, so that they are valid indices, too."""
    draw = np.random.default_rng(len(name))
    out = []
    for i in range(program.n_in):
        d = native.lib.tw_program_input(program.handle, i).contents
        kind = native.DTYPES[d.dtype]
        if kind == np.uint16 and native.DTYPE_NAMES[d.dtype] == "BF16":
            out.append((draw.standard_normal(program.shape(i)).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16))
        elif np.issubdtype(kind, np.floating):
            out.append(draw.standard_normal(program.shape(i)).astype(kind))
        else:
            out.append(draw.integers(0, 7, program.shape(i)).astype(kind))
    return out


def as_torch(array, is_bf16):
    made = torch.from_numpy(array.view(np.int16) if is_bf16 else array)
    return made.view(torch.bfloat16) if is_bf16 else made


def bits(tensor):
    return tensor.contiguous().view(torch.uint8).numpy() if tensor.dim() else tensor.reshape(1).view(torch.uint8).numpy()


def expected(name, binary):
    program = native.Program(binary, entry=name)
    given = arguments(name, program)
    kinds = [native.DTYPE_NAMES[native.lib.tw_program_input(program.handle, i).contents.dtype] == "BF16" for i in range(program.n_in)]
    return [as_torch(a.copy(), k) for a, k in zip(given, kinds)], [np.ascontiguousarray(r) for r in program(*given)]


def same(got, want):
    assert len(got) == len(want)
    for g, w in zip(got, want):
        assert tuple(g.shape) == w.shape and bits(g).tobytes() == w.tobytes()


@pytest.fixture(scope="module")
def loaded(python):
    return emitted.load_py(python)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_python_gives_the_bytes_of_the_binary(name, binary, loaded):
    inputs, want = expected(name, binary)
    templates = getattr(loaded, f"create_inputs_for_{name}")()
    got = getattr(loaded, name)([emitted._as(t, x, name) for t, x in zip(templates, inputs)])
    same([ttnn.to_torch(g) for g in (got if isinstance(got, (list, tuple)) else [got])], want)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    if not any(map(shutil.which, ("c++", "g++", "clang++"))):
        pytest.skip("no C++ compiler")
    source = command(module(), ("ttmlir-opt", "--ttir-to-emitc-pipeline"), ("ttmlir-translate", "--mlir-to-cpp")).decode()
    path = emitted.compile_cpp(source, tmp_path_factory.mktemp("emitted") / "all.so")
    library = emitted.load_cpp(path)
    assert library.programs == list(FUNCTIONS)
    return library


@pytest.mark.parametrize("name", FUNCTIONS)
def test_cpp_gives_the_bytes_of_the_binary(name, binary, library):
    inputs, want = expected(name, binary)
    got = library.call(name, [emitted._as(t, x, name) for t, x in zip(library.inputs(name), inputs)])
    same([ttnn.to_torch(g) for g in got], want)


SMALL = b"""func.func @twice(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = "ttir.add"(%a, %a) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}
"""


@pytest.mark.parametrize("pipeline, translation, execute", [("emitpy", "python", emitted.execute_py), ("emitc", "cpp", emitted.execute_cpp)])
def test_sources_are_executed(pipeline, translation, execute):
    source = command(SMALL, ("ttmlir-opt", f"--ttir-to-{pipeline}-pipeline"), ("ttmlir-translate", f"--mlir-to-{translation}")).decode()
    x = torch.rand(32, 32)
    assert torch.equal(execute(source)["twice"][0], torch.full((32, 32), 2.0))  # of its own inputs, which are ones
    assert torch.equal(execute(source, {"twice": [x]})["twice"][0], 2 * x)
    for inputs, message in (({"once": [x]}, "there is no program 'once'; there are twice"), ({"twice": []}, "expected 1 inputs, found 0"),
                            ({"twice": [x[:5]]}, r"program 'twice', input 0: expected a tensor of shape \(32, 32\), found \(5, 32\)")):
        with pytest.raises(ValueError, match=message):
            execute(source, inputs)


def test_bad_sources(monkeypatch):
    with pytest.raises(ValueError, match="the source has no program"):
        emitted.execute_py("x = 1\n")
    with pytest.raises(SyntaxError):
        emitted.execute_py("def f(:\n")
    with pytest.raises(RuntimeError, match="does not compile"):
        emitted.execute_cpp("int x = ;\n")
    monkeypatch.setenv("TILEWRIGHT_CXX", "/nowhere/c++")
    with pytest.raises(RuntimeError, match="no C\\+\\+ compiler.*TILEWRIGHT_CXX"):
        emitted.execute_cpp("int x;\n")


def test_shared_objects_of_the_runtime(tmp_path):
    """tt-mlir's names for the same: _ttmlir_runtime.runtime.test."""
    from _ttmlir_runtime import runtime, utils

    source = command(SMALL, ("ttmlir-opt", "--ttir-to-emitc-pipeline"), ("ttmlir-translate", "--mlir-to-cpp")).decode()
    path = str(emitted.compile_cpp(source, tmp_path / "twice.so"))
    handle = runtime.test.open_so(path)
    assert runtime.test.get_so_programs(handle, path) == ["twice"]
    device = runtime.open_mesh_device()
    made = runtime.test.create_inputs(handle, "twice", device, path)
    assert [t.get_shape() for t in made] == [[32, 32]]
    x = torch.rand(32, 32)
    given = [utils.create_runtime_tensor_from_ttnn(ttnn.from_torch(x))]
    out, = runtime.test.run_so_program(handle, "twice", given, device)
    assert torch.equal(ttnn.to_torch(utils.get_ttnn_tensor_from_runtime_tensor(out)), 2 * x)
    runtime.test.close_so(handle)
    runtime.close_mesh_device(device)
    with pytest.raises(ValueError, match="is no library of emitted programs"):
        runtime.test.open_so(str(native.BUILD / "libtilewright.so"))


def test_errors_of_operations_in_cpp():
    """An exception of C++ with the library's message."""
    source = command(SMALL, ("ttmlir-opt", "--ttir-to-emitc-pipeline"), ("ttmlir-translate", "--mlir-to-cpp")).decode()
    with pytest.raises(RuntimeError, match="ttnn::add.*do not broadcast"):
        emitted.execute_cpp(source.replace("::ttnn::Shape({32, 32})", "::ttnn::Shape({5, 32})", 1).replace(
            "ttnn::add(v2, v2", "ttnn::add(v2, ttnn::ones(::ttnn::Shape({7, 1}), ::ttnn::DataType::FLOAT32, ::ttnn::Layout::TILE)"))


KEPT = b"""func.func @shifted(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = "ttir.full"() <{shape = array<i32: 32, 32>, fill_value = 2.5 : f32}> : () -> tensor<32x32xf32>
  %1 = "ttir.exp"(%0) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %2 = "ttir.add"(%a, %1) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %2 : tensor<32x32xf32>
}
"""


def test_process_ends_with_constants_that_cpp_keeps(tmp_path):
    """The library's static destructors free them after Python has ended."""
    source = command(KEPT, ("ttmlir-opt", "--ttir-to-emitc-pipeline"), ("ttmlir-translate", "--mlir-to-cpp")).decode()
    assert "static" in source or "global" in source
    (tmp_path / "kept.cpp").write_text(source)
    done = subprocess.run([sys.executable, "-c", "import sys; from ttrt import emitted\n"
                           "print(float(emitted.execute_cpp(open(sys.argv[1]).read())['shifted'][0][0, 0]))", tmp_path / "kept.cpp"],
                          capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "") and abs(float(done.stdout) - 1 - 12.182494) < 1e-4


# ---- modules for export, functions of a model's modules -------------------------------------------------------------------------------

MODEL = b"""#a = loc("0|Encoder[enc]|Linear[enc.a]|/model.py:7|forward|8|aten__mm")
#b = loc("1|Encoder[enc]|ReLU[enc.r]|/model.py:7|forward|9|aten__relu")
#c = loc("2|Decoder[dec]|/model.py:15|forward|16|aten__mm")
#d = loc("3|/model.py:22|forward|23|aten__add")
#e = loc("4|Decoder[dec]|/model.py:15|forward|17|aten__mul")
func.func @main(%x: tensor<32x32xf32> {ttcore.argument_type = #ttcore.argument_type<input>}, %w: tensor<32x64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}, %v: tensor<64x32xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> (tensor<32x32xf32>, tensor<32x64xf32>) {
  %0 = "ttir.matmul"(%x, %w) : (tensor<32x32xf32>, tensor<32x64xf32>) -> tensor<32x64xf32> loc(#a)
  %1 = "ttir.relu"(%0) : (tensor<32x64xf32>) -> tensor<32x64xf32> loc(#b)
  %2 = "ttir.add"(%x, %x) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32> loc(#d)
  %3 = "ttir.matmul"(%1, %v) : (tensor<32x64xf32>, tensor<64x32xf32>) -> tensor<32x32xf32> loc(#c)
  %4 = "ttir.multiply"(%3, %3) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32> loc(#e)
  %5 = "ttir.multiply"(%v, %v) : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %6 = "ttir.matmul"(%1, %5) : (tensor<32x64xf32>, tensor<64x32xf32>) -> tensor<32x32xf32> loc(#c)
  %7 = "ttir.add"(%4, %6) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32> loc(#e)
  %8 = "ttir.add"(%7, %2) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32> loc(#d)
  return %8, %1 : tensor<32x32xf32>, tensor<32x64xf32>
}
"""


def model_inputs():
    draw = np.random.default_rng(4)
    return [torch.from_numpy(draw.standard_normal(s).astype(np.float32)) for s in ((32, 32), (32, 64), (64, 32))]


def model_results():
    binary = command(MODEL, ("ttmlir-opt", "--ttir-to-ttnn-backend-pipeline"), ("ttmlir-translate", "--ttnn-to-flatbuffer"))
    return [torch.from_numpy(np.ascontiguousarray(r)) for r in native.Program(binary, entry="main")(*(t.numpy() for t in model_inputs()))]


def translate(options, pipeline="emitpy", to="python"):
    return command(MODEL, ("ttmlir-opt", f"--ttir-to-{pipeline}-pipeline={options}"), ("ttmlir-translate", f"--mlir-to-{to}")).decode()


def test_functions_of_modules():
    source = translate("try-recover-structure=true")
    functions = [line.split("(")[0][4:] for line in source.splitlines() if line.startswith("def ")]
    assert [f for f in functions if "const" not in f] == ["_main", "Encoder_0", "forward_1", "Decoder_2", "forward_3", "create_activations_for__main",
                                                                   "create_weights_for__main", "main"]
    assert "ttnn.matmul" not in source.split("def _main(")[1].split("def ")[0]
    got, want = emitted.execute_py(source, {"_main": model_inputs()})["_main"], model_results()
    assert all(torch.equal(g, w) for g, w in zip(got, want, strict=True))


@pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")
def test_functions_of_modules_in_cpp():
    source = translate("try-recover-structure=true", "emitc", "cpp")
    assert "Encoder_0(" in source and "Decoder_2(" in source
    got, want = emitted.execute_cpp(source, {"_main": model_inputs()})["_main"], model_results()
    assert all(torch.equal(g, w) for g, w in zip(got, want, strict=True))


@pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")
def test_functions_of_several_results_in_cpp():
    t = "tensor<32x32xf32>"
    text = f"""#a = loc("0|Model[m]|Encoder[m.e]|/m.py:3|forward|4|aten__mm")
#b = loc("1|Model[m]|Encoder[m.e]|/m.py:3|forward|5|aten__relu")
#c = loc("2|Model[m]|Decoder[m.d]|/m.py:9|forward|10|aten__mul")
func.func @f(%x: {t}, %w: {t}) -> {t} {{
  %0 = "ttir.matmul"(%x, %w) : ({t}, {t}) -> {t} loc(#a)
  %1 = "ttir.relu"(%0) : ({t}) -> {t} loc(#b)
  %2 = "ttir.sin"(%0) : ({t}) -> {t} loc(#c)
  %3 = "ttir.multiply"(%2, %1) : ({t}, {t}) -> {t} loc(#c)
  return %3 : {t}
}}""".encode()
    source = command(text, ("ttmlir-opt", "--ttir-to-emitc-pipeline=try-recover-structure=true", "--mlir-print-debuginfo"), ("ttmlir-translate", "--mlir-to-cpp")).decode()
    assert "std::tuple<::ttnn::Tensor, ::ttnn::Tensor> Encoder_0(" in source
    draw = torch.Generator().manual_seed(2)
    given = [torch.randn(32, 32, generator=draw) for _ in range(2)]
    binary = command(text, ("ttmlir-opt", "--ttir-to-ttnn-backend-pipeline"), ("ttmlir-translate", "--ttnn-to-flatbuffer"))
    want = native.Program(binary, entry="f")(*(t.numpy() for t in given))
    want = want[0] if isinstance(want, (list, tuple)) else want
    assert np.array_equal(emitted.execute_cpp(source, {"f": given})["f"][0].numpy(), want)


@pytest.mark.parametrize("structure", ["false", "true"])
def test_module_for_export(structure):
    """@forward takes tensors of the host and the device that all of its functions use."""
    source = translate(f"target-module=true try-recover-structure={structure}")
    assert "def forward(input, device):" in source and "get_device" not in source and "def main(" not in source
    device = ttnn.open_device(device_id=0)
    try:
        got = emitted.load_py(source).forward([ttnn.from_torch(t) for t in model_inputs()], device)
        assert all(torch.equal(ttnn.to_torch(g), w) for g, w in zip(got, model_results(), strict=True))
    finally:
        ttnn.close_device(device)


KINDS = {name: f"{{ttcore.argument_type = #ttcore.argument_type<{name}>}}" for name in ("input", "parameter", "constant")}
WEIGHTS = f"""func.func @net(%w: tensor<32x64xf32> {KINDS["parameter"]}, %x: tensor<32x64xf32> {KINDS["input"]}, %c: tensor<32x64xf32> {KINDS["constant"]},
                 %i: tensor<32x64xi32> {KINDS["constant"]}) -> (tensor<32x64xf32>, tensor<32x64xi32>) {{
  %0 = "ttir.add"(%w, %c) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  %1 = "ttir.sum"(%0) <{{dim_arg = [1 : i32], keep_dim = true}}> : (tensor<32x64xf32>) -> tensor<32x1xf32>
  %2 = "ttir.multiply"(%x, %1) : (tensor<32x64xf32>, tensor<32x1xf32>) -> tensor<32x64xf32>
  %3 = "ttir.multiply"(%i, %i) : (tensor<32x64xi32>, tensor<32x64xi32>) -> tensor<32x64xi32>
  return %2, %3 : tensor<32x64xf32>, tensor<32x64xi32>
}}
""".encode()


@pytest.mark.parametrize("options", ["", "split-files=false", "enable-cpu-hoisted-const-eval=false", "enable-const-eval=false"])
def test_constants_are_kept(options):
    """Weights in a dictionary, functions of constants in a file of their own: the values of the .ttnn file's run, in the order of the arguments."""
    draw = np.random.default_rng(7)
    given = [torch.from_numpy(draw.standard_normal((32, 64)).astype(np.float32)) for _ in range(3)]
    given.append(torch.from_numpy(draw.integers(-(2**20), 2**20, (32, 64), dtype=np.int32)))
    source = command(WEIGHTS, ("ttmlir-opt", f"--ttir-to-emitpy-pipeline={options}"), ("ttmlir-translate", "--mlir-to-python")).decode()
    binary = command(WEIGHTS, ("ttmlir-opt", "--ttir-to-ttnn-backend-pipeline=" + options.replace("split-files=false", "")),
                     ("ttmlir-translate", "--ttnn-to-flatbuffer"))
    assert ('# File: "consteval"' in source) == (options in ("", "enable-cpu-hoisted-const-eval=false"))
    want = [np.ascontiguousarray(r) for r in native.Program(binary, entry="net")(*[t.numpy() for t in given])]
    module = emitted.load_py(source)
    assert emitted.programs(module) == ["net"] and [t.shape for t in emitted.inputs(module, "net")] == [(32, 64)] * 4
    tensors = [emitted._as(t, x, "net") for t, x in zip(emitted.inputs(module, "net"), given)]
    same([ttnn.to_torch(r) for r in emitted.call(module, "net", tensors)], want)
    w, x, c, i = (t.numpy() for t in given)
    np.testing.assert_array_equal(want[1], i * i)  # wraps
    np.testing.assert_allclose(want[0], x * (w.astype(np.float64) + c).sum(1, keepdims=True), rtol=2e-3, atol=2e-3)
    other = [emitted._as(t, x + 1, "net") for t, x in zip(emitted.inputs(module, "net"), given)]  # other weights: nothing old is kept
    np.testing.assert_array_equal(ttnn.to_torch(emitted.call(module, "net", other)[1]).numpy(), (i + 1) * (i + 1))


def test_traced_python():
    """A traced function captures in its first call and replays in later ones, with the inputs of then."""
    text = """func.func @f(%x: tensor<32x32xf32>, %w: tensor<32x32xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %0 = "ttir.add"(%x, %w) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = "ttir.multiply"(%0, %x) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0, %1 : tensor<32x32xf32>, tensor<32x32xf32>
}"""
    source = command(text.encode(), ("ttmlir-opt", "--ttir-to-ttnn-common-pipeline=enable-trace=true", "--ttnn-common-to-emitpy-pipeline"),
                     ("ttmlir-translate", "--mlir-to-python")).decode()
    assert source.count("ttnn.begin_trace_capture") == 1
    loaded = emitted.load_py(source)
    draw = torch.Generator().manual_seed(3)
    w = torch.randn(32, 32, generator=draw)
    for _ in range(3):
        x = torch.randn(32, 32, generator=draw)
        given = loaded.create_inputs_for_f()
        first, second = loaded.f([emitted._as(t, v, "f") for t, v in zip(given, (x, w))])
        torch.testing.assert_close(ttnn.to_torch(first), x + w)
        torch.testing.assert_close(ttnn.to_torch(second), (x + w) * x)


MESH = """module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x4>]>} {
  func.func @f(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
    %0 = "ttir.mesh_shard"(%x) <{shard_dims = array<i64: 0, -1>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 2, 1>, shard_type = #ttcore.shard_type<devices>}> : (tensor<64x128xf32>) -> tensor<32x128xf32>
    %1 = "ttir.add"(%0, %0) : (tensor<32x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
    %2 = "ttir.mesh_shard"(%1) <{shard_dims = array<i64: 0, -1>, shard_direction = #ttcore.shard_direction<shard_to_full>, shard_shape = array<i64: 2, 1>, shard_type = #ttcore.shard_type<devices>}> : (tensor<32x128xf32>) -> tensor<64x128xf32>
    return %2 : tensor<64x128xf32>
  }
}"""
# The same over a mesh of one chip, in TTNN, since the mesh_shard of one chip folds.
ONE_CHIP = """#host = #ttnn.buffer_type<system_memory>
#dram = #ttnn.buffer_type<dram>
#outside = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #host>>
#rows = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #dram>, <interleaved>>
#tiles = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
func.func @f(%x: tensor<64x128xf32, #outside>) -> tensor<64x128xf32, #outside> {
  %d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device
  %0 = "ttnn.distribute_tensor"(%x, %d) <{mapper_config = #ttnn.mesh_mapper_config<placements = [<shard, 0 : i32>, <replicate>], mesh_shape_override = [1 : ui32, 1 : ui32]>}> : (tensor<64x128xf32, #outside>, !ttnn.device) -> tensor<64x128xf32, #outside>
  "ttnn.deallocate"(%x) <{force = false}> : (tensor<64x128xf32, #outside>) -> ()
  %1 = "ttnn.to_device"(%0, %d) : (tensor<64x128xf32, #outside>, !ttnn.device) -> tensor<64x128xf32, #rows>
  %2 = "ttnn.to_layout"(%1) : (tensor<64x128xf32, #rows>) -> tensor<64x128xf32, #tiles>
  %3 = "ttnn.add"(%2, %2) : (tensor<64x128xf32, #tiles>, tensor<64x128xf32, #tiles>) -> tensor<64x128xf32, #tiles>
  %4 = "ttnn.to_layout"(%3) : (tensor<64x128xf32, #tiles>) -> tensor<64x128xf32, #rows>
  %5 = "ttnn.from_device"(%4) : (tensor<64x128xf32, #rows>) -> tensor<64x128xf32, #outside>
  %6 = "ttnn.aggregate_tensor"(%5, %d) <{composer_config = #ttnn.mesh_composer_config<dims = [0 : i32, 1 : i32], mesh_shape_override = [1 : ui32, 1 : ui32]>}> : (tensor<64x128xf32, #outside>, !ttnn.device) -> tensor<64x128xf32, #outside>
  "ttnn.deallocate"(%5) <{force = false}> : (tensor<64x128xf32, #outside>) -> ()
  return %6 : tensor<64x128xf32, #outside>
}"""


@pytest.mark.parametrize("language", ["python", "cpp"])
def test_distribution_over_meshes(language, tmp_path):
    """A tensor is distributed and joined: on one chip the program runs, over several its C++ compiles and a run says what is missing."""
    steps = {"python": "--ttir-to-emitpy-pipeline", "cpp": "--ttir-to-emitc-pipeline"}[language]
    run = {"python": emitted.execute_py, "cpp": emitted.execute_cpp}[language]
    x = torch.randn(64, 128, generator=torch.Generator().manual_seed(5))
    one = command(ONE_CHIP.encode(), ("ttmlir-opt", steps), ("ttmlir-translate", f"--mlir-to-{language}")).decode()
    assert torch.equal(run(one, {"f": [x]})["f"][0], x + x)
    several = command(MESH.encode(), ("ttmlir-opt", steps + "=mesh-shape=2,4"), ("ttmlir-translate", f"--mlir-to-{language}")).decode()
    assert ("PlacementReplicate()" if language == "python" else "MeshMapperConfig::Replicate{}") in several
    if language == "cpp":
        emitted.compile_cpp(several, tmp_path / "several.so")
    with pytest.raises((RuntimeError, NotImplementedError), match="mesh.*one chip.*mesh-shape=1,1"):
        run(several, {"f": [x]})
