"""Programs of .ttm binaries run on the simulated grid, and give the bytes of the module that they were made of."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from test_d2m_run import BUILD, PASSES, numbers, t
from ttmlir import ir, passes

LIT = Path(__file__).parents[1] / "lit/device"


def tool(folder, name, *args, ok=True, **variables):
    ran = subprocess.run([BUILD / "bin" / name, *args], cwd=folder, capture_output=True, text=True, env={**os.environ, **variables})
    assert (ran.returncode == 0) == ok, ran.stderr
    return ran.stdout + ran.stderr


def in_tiles(x):
    """The elements in the order of tiles of 32x32, each as four faces of 16x16."""
    faces = x.reshape(x.shape[0] // 32, 2, 16, x.shape[1] // 32, 2, 16)
    return faces.transpose(0, 3, 1, 4, 2, 5).reshape(x.shape)


def same_as_module(folder, module, arrays, order=lambda x: x):
    """Runs the module and its binary on the same inputs, those of the binary in its order; returns the results."""
    np.savez(folder / "in.npz", **{f"in{i}": x for i, x in enumerate(arrays)})
    tool(folder, "tilewright", "sim", module, "--inputs=in.npz", "--outputs=module.npz")
    np.savez(folder / "in.npz", **{f"in{i}": order(x) for i, x in enumerate(arrays)})
    tool(folder, "ttmlir-opt", "--ttcore-register-device", "--convert-ttkernel-to-emitc", module, "-o", "cpp.mlir")
    tool(folder, "ttmlir-translate", "--ttmetal-to-flatbuffer", "cpp.mlir", "-o", "p.ttm")
    tool(folder, "tilewright", "sim", "p.ttm", "--inputs=in.npz", "--outputs=binary.npz")
    wanted, got = np.load(folder / "module.npz"), np.load(folder / "binary.npz")
    assert wanted.files == got.files
    for name in wanted.files:
        np.testing.assert_array_equal(got[name], order(wanted[name]))
    return [got[name] for name in got.files]


@pytest.mark.parametrize("name, shapes", [("matmul", [(64, 96), (96, 32)]), ("multicast", [(32, 32)])])
def test_written_programs(name, shapes, tmp_path):
    """Binaries copy the bytes of tensors of tiles; text that is run directly copies rows instead."""
    same_as_module(tmp_path, LIT / f"{name}.mlir", [np.round(numbers(*s) * 2) for s in shapes], in_tiles)


def test_tiles_that_the_host_reads(tmp_path):
    """A view of tiles as rows shows the host their bytes, from text and from the binary."""
    text = """#layout = #ttcore.metal_layout<logical_shape = 64x96, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func @f(%a: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %0 = d2m.empty() : tensor<1x1x2x3x!ttcore.tile<32x32, f32>, #layout>
  %1 = d2m.to_layout %a, %0 : tensor<64x96xf32> into tensor<1x1x2x3x!ttcore.tile<32x32, f32>, #layout> -> tensor<1x1x2x3x!ttcore.tile<32x32, f32>, #layout>
  %2 = d2m.view_layout %1 remapping = #id {reinterpretLayout = true} : tensor<1x1x2x3x!ttcore.tile<32x32, f32>, #layout> -> tensor<1x1x64x96xf32, #layout>
  %3 = d2m.empty() : tensor<64x96xf32>
  %4 = d2m.to_layout %2, %3 : tensor<1x1x64x96xf32, #layout> into tensor<64x96xf32> -> tensor<64x96xf32>
  return %4 : tensor<64x96xf32>
}
"""
    x = np.round(X * 2)
    (tmp_path / "f.mlir").write_text(text)
    np.savez(tmp_path / "in.npz", in0=x)
    tool(tmp_path, "ttmlir-opt", *VIEWS, "f.mlir", "-o", "p.mlir")
    tool(tmp_path, "ttmlir-opt", "--convert-ttkernel-to-emitc", "p.mlir", "-o", "cpp.mlir")
    tool(tmp_path, "ttmlir-translate", "--ttmetal-to-flatbuffer", "cpp.mlir", "-o", "p.ttm")
    for program in ("p.mlir", "p.ttm"):
        tool(tmp_path, "tilewright", "sim", program, "--inputs=in.npz", "--outputs=out.npz")
        np.testing.assert_array_equal(np.load(tmp_path / "out.npz")["out0"], in_tiles(x))


VIEWS = ("--ttcore-register-device", "--d2m-lower-to-layout", "--canonicalize", "--ttir-bufferization-pipeline", "--d2m-generate-outer-loops", "--d2m-allocate",
         "--d2m-lower-multicast-loads", "--d2m-generic-lower-to-explicit-form", "--canonicalize", "--d2m-be-pipeline", "--d2m-to-ttkernel-pre-emitc-pipeline",
         "--convert-d2m-to-ttmetal")
X, Y = numbers(64, 96), numbers(64, 96)[::-1].copy()
FUNCTIONS = {
    "grid": ("%0 = \"ttir.multiply\"(%a0, %a1) : (T, T) -> T", [X, Y], X * Y, ""),
    "dram": ("%0 = \"ttir.add\"(%a0, %a1) : (T, T) -> T", [X, Y], X + Y, "default-input-memspace=dram default-output-memspace=dram"),
    "rows": ("%1 = \"ttir.reshape\"(%a0) <{shape = [31 : i32, 9 : i32]}> : (T) -> tensor<31x9xf32>\n"
             "  %2 = \"ttir.neg\"(%1) : (tensor<31x9xf32>) -> tensor<31x9xf32>\n"
             "  %0 = \"ttir.reshape\"(%2) <{shape = [9 : i32, 31 : i32]}> : (tensor<31x9xf32>) -> T", [numbers(9, 31)], -numbers(9, 31), ""),
    "wide": ("%0 = \"ttir.abs\"(%a0) : (T) -> T", [numbers(1, 2048)], np.abs(numbers(1, 2048)), ""),
    "matmul": ("%0 = \"ttir.matmul\"(%a0, %a1) : (T, U) -> T", [numbers(64, 64), numbers(64, 64)[::-1].copy()],
               numbers(64, 64) @ numbers(64, 64)[::-1], ""),
}


def function(name):
    body, arrays, value, options = FUNCTIONS[name]
    ops = body.replace("T", t(arrays[0])).replace("U", t(arrays[-1]))
    text = (f"func.func @f({', '.join(f'%a{i}: {t(a)}' for i, a in enumerate(arrays))}) -> {t(arrays[0])} {{\n  {ops}\n"
            f"  return %0 : {t(arrays[0])}\n}}\n")
    return text, arrays, value, options


@pytest.mark.parametrize("name", FUNCTIONS)
def test_lowered_functions(name, tmp_path):
    """Binaries of the process that lowered the kernels have their IR, too."""
    text, arrays, value, options = function(name)
    (tmp_path / "f.mlir").write_text(text)
    np.savez(tmp_path / "in.npz", **{f"in{i}": x for i, x in enumerate(arrays)})
    given = f"={options}" if options else ""
    tool(tmp_path, "ttmlir-opt", *(p.format(given) for p in PASSES), "f.mlir", "-o", "p.mlir")
    with ir.Context():
        module = ir.Module.parse(text)
        passes.ttir_to_ttmetal_backend_pipeline(module, options)
        passes.ttmetal_to_flatbuffer_file(module, str(tmp_path / "p.ttm"))
    programs = ["p.mlir", "p.ttm"] + (["p.ttm --cpp"] if name in ("grid", "rows") else [])
    for k, program in enumerate(programs):
        tool(tmp_path, "tilewright", "sim", *program.split(), "--inputs=in.npz", f"--outputs=out{k}.npz")
    results = [np.load(tmp_path / f"out{k}.npz")["out0"] for k in range(len(programs))]
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])
    np.testing.assert_allclose(results[0], value, rtol=0.01, atol=0.1)


@pytest.mark.parametrize("name, numpy", [("sum", np.sum), ("max", np.max)])
def test_numbers_that_the_host_loads(name, numpy, tmp_path):
    """A reduction to a number ends with memref.load and memref.store on the host, a copy in the binary."""
    text = (f'func.func @f(%a: {t(X)}) -> tensor<f32> {{\n  %0 = "ttir.{name}"(%a) {{dim_arg = [0 : i32, 1 : i32], keep_dim = false}} : ({t(X)}) -> tensor<f32>\n'
            "  return %0 : tensor<f32>\n}\n")
    (tmp_path / "f.mlir").write_text(text)
    np.savez(tmp_path / "in.npz", in0=X)
    tool(tmp_path, "ttmlir-opt", *(p.format("") for p in PASSES), "f.mlir", "-o", "p.mlir")
    assert "memref.load" in (tmp_path / "p.mlir").read_text()
    with ir.Context():
        module = ir.Module.parse(text)
        passes.ttir_to_ttmetal_backend_pipeline(module, "")
        passes.ttmetal_to_flatbuffer_file(module, str(tmp_path / "p.ttm"))
    results = []
    for k, program in enumerate(("p.mlir", "p.ttm")):
        tool(tmp_path, "tilewright", "sim", program, "--inputs=in.npz", f"--outputs=out{k}.npz")
        results.append(np.load(tmp_path / f"out{k}.npz")["out0"])
    assert results[0].shape == () and results[0].tobytes() == results[1].tobytes()
    np.testing.assert_allclose(results[0], numpy(X), rtol=0.01, atol=0.1)


def test_loads_that_binaries_lack(tmp_path):
    (tmp_path / "p.mlir").write_text("""func.func @f(%a: memref<2xf32>) -> memref<f32> {
  %i = arith.constant 1 : index
  %x = memref.load %a[%i] : memref<2xf32>
  %r = memref.alloc() : memref<f32>
  memref.store %x, %r[] : memref<f32>
  "ttmetal.finish"() : () -> ()
  return %r : memref<f32>
}
""")
    tool(tmp_path, "ttmlir-opt", "--ttcore-register-device", "p.mlir", "-o", "q.mlir")
    assert "'memref.load' op cannot be a command of a TTMetal binary" in tool(tmp_path, "ttmlir-translate", "--ttmetal-to-flatbuffer", "q.mlir", ok=False)


@pytest.fixture(scope="module")
def binary(tmp_path_factory):
    """A binary as the commands of the documents make it."""
    folder = tmp_path_factory.mktemp("ttm")
    tool(folder, "ttrt", "query", "--quiet", "--save-artifacts", "--artifact-dir=.")
    text, arrays, value, _ = function("grid")
    (folder / "f.mlir").write_text(text)
    printed = tool(folder, "ttmlir-opt", "--mlir-print-ir-after-all", "--ttir-to-ttmetal-pipeline=system-desc-path=system_desc.ttsys",
                   "f.mlir", "-o", "p.mlir")
    assert "IR Dump After ConvertD2MToTTMetal" in printed
    tool(folder, "ttmlir-translate", "--ttmetal-to-flatbuffer", "p.mlir", "-o", "p.ttm")
    np.savez(folder / "in.npz", in0=arrays[0], in1=arrays[1])
    return folder


def test_ttrt_runs_them(binary):
    log = tool(binary, "ttrt", "run", "p.ttm", "--inputs=in.npz", "--save-artifacts", "--loops=2", TTMLIR_RUNTIME_LOGGER_LEVEL="Trace",
               TTRT_LOGGER_LEVEL="Debug")
    assert "TRACE - 0: ttmetal.create_buffer" in log and "ttmetal.enqueue_program" in log
    (result,) = json.loads((binary / "run_results.json").read_text())
    assert result["result"] == "pass" and list(result["program_results"]["program_index_0"]) == ["loop_0", "loop_1"]
    got = np.load(binary / "ttrt-artifacts/p.ttm/run/program_0/outputs.npz")["out0"]
    np.testing.assert_allclose(got, X * Y, rtol=0.004, atol=0.004)
    assert "TRACE" not in tool(binary, "ttrt", "run", "p.ttm")
    assert "is not one of Trace" in tool(binary, "ttrt", "run", "p.ttm", ok=False, TTMLIR_RUNTIME_LOGGER_LEVEL="chatty")
    assert "no program to run" in tool(binary, "ttrt", "run", "p.ttm", "--program-index=7", ok=False)


def test_damaged_files_are_errors(binary, tmp_path):
    whole = (binary / "p.ttm").read_bytes()
    rng = np.random.default_rng(0)
    for cut in rng.integers(8, len(whole), 40):
        (tmp_path / "cut.ttm").write_bytes(whole[:cut])
        assert "cut.ttm" in tool(tmp_path, "tilewright", "sim", "cut.ttm", ok=False)
    for at in rng.integers(8, len(whole), 40):
        (tmp_path / "bad.ttm").write_bytes(whole[:at] + bytes([whole[at] ^ (1 << int(at) % 8)]) + whole[at + 1:])
        ran = subprocess.run([BUILD / "bin/ttrt", "read", "bad.ttm"], cwd=tmp_path, capture_output=True)
        assert ran.returncode in (0, 1)


TWO = """
#l1 = #ttcore.memory_space<l1>
!buffer = memref<1x1x1x1x!ttcore.tile<32x32, f32>, #ttcore.shard<4096x4096, 1>, #l1>
module {
  memref.global "private" constant @c : memref<32x32xf32> = dense<1.5>
  func.func @first(%x: memref<32x32xf32>) -> (memref<32x32xf32>, memref<32x32xf32>) {
    %b = "ttmetal.create_buffer"() <{address = 4096 : i64}> : () -> !buffer
    "ttmetal.enqueue_write_buffer"(%x, %b) : (memref<32x32xf32>, !buffer) -> ()
    %y = memref.alloc() : memref<32x32xf32>
    "ttmetal.enqueue_read_buffer"(%b, %y) : (!buffer, memref<32x32xf32>) -> ()
    "ttmetal.deallocate_buffer"(%b) : (!buffer) -> ()
    %c = memref.get_global @c : memref<32x32xf32>
    return %y, %c : memref<32x32xf32>, memref<32x32xf32>
  }
  func.func @second(%x: memref<2x3xsi32>) -> memref<2x3xsi32> {
    %y = memref.alloc() : memref<2x3xsi32>
    memref.copy %x, %y : memref<2x3xsi32> to memref<2x3xsi32>
    return %y : memref<2x3xsi32>
  }
}
"""


def test_several_programs_without_kernels(tmp_path):
    (tmp_path / "two.mlir").write_text(TWO)
    tool(tmp_path, "ttmlir-opt", "--ttcore-register-device", "two.mlir", "-o", "two2.mlir")
    tool(tmp_path, "ttmlir-translate", "--ttmetal-to-flatbuffer", "two2.mlir", "-o", "two.ttm")
    tool(tmp_path, "ttrt", "run", "two.ttm", "--init=arange", "--save-artifacts")
    folder = tmp_path / "ttrt-artifacts/two.ttm/run"
    first, second = (np.load(folder / f"program_{i}/outputs.npz") for i in (0, 1))
    np.testing.assert_array_equal(first["out0"], np.arange(1024, dtype=np.float32).reshape(32, 32))
    np.testing.assert_array_equal(first["out1"], np.full((32, 32), 1.5, np.float32))
    np.testing.assert_array_equal(second["out0"], np.arange(6, dtype=np.int32).reshape(2, 3))


WORDS = """
#l1 = #ttcore.memory_space<l1>
!words = memref<1x2x1x8xui32, #ttcore.shard<32x4, 1>, #l1>
module {
  func.func @main(%n: index, %x: f32, %a: memref<4x4xf32>) -> (memref<1x16xui32>, memref<1x16xui32>, memref<4x4xf32>) {
    %seven = arith.constant -7 : i32
    %half = arith.constant 0.5 : f32
    %out = "ttmetal.create_buffer"() <{address = 104448 : i64}> : () -> !words
    %come = "ttmetal.create_global_semaphore"() <{address = 110592 : i64, initial_value = 5 : ui32, core_range = #ttmetal.core_range<0x0, 1x2>}> : () -> !ttmetal.global_semaphore
    PROGRAM
    %first = memref.alloc() : memref<1x16xui32>
    "ttmetal.enqueue_read_buffer"(%out, %first) : (!words, memref<1x16xui32>) -> ()
    "ttmetal.reset_global_semaphore"(%come) <{value = 5 : ui32}> : (!ttmetal.global_semaphore) -> ()
    PROGRAM
    %second = memref.alloc() : memref<1x16xui32>
    "ttmetal.enqueue_read_buffer"(%out, %second) : (!words, memref<1x16xui32>) -> ()
    %b = "ttmetal.mesh_shard"(%a) <{shard_dims = array<i64: -1>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 1>, shard_type = #ttcore.shard_type<replicate>}> : (memref<4x4xf32>) -> memref<4x4xf32>
    return %first, %second, %b : memref<1x16xui32>, memref<1x16xui32>, memref<4x4xf32>
  }
  func.func private @store() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
CONSTANTS
    %out = "ttkernel.get_common_arg_val"(%i0) : (index) -> i32
    %sem = "ttkernel.get_common_arg_val"(%i6) : (index) -> i32
    %p = "ttkernel.reinterpret_cast"(%out) : (i32) -> !ttkernel.l1_addr_ptr
    %s = "ttkernel.reinterpret_cast"(%sem) : (i32) -> !ttkernel.l1_addr_ptr
STORES
    %here = "ttkernel.my_logical_x_"() : () -> index
    %there = arith.subi %i1, %here : index
    %x = "ttkernel.experimental.convert_logical_x_to_translated"(%there) : (index) -> index
    %y = "ttkernel.experimental.convert_logical_y_to_translated"(%i0) : (index) -> index
    %to = "ttkernel.get_noc_addr"(%x, %y, %sem) : (index, index, i32) -> !ttkernel.noc_addr
    %by = arith.addi %here, %i1 : index
    "ttkernel.noc_semaphore_inc"(%to, %by) : (!ttkernel.noc_addr, index) -> ()
    "ttkernel.noc_async_atomic_barrier"() : () -> ()
    "ttkernel.experimental.semaphore_wait_min"(%s, %w6) : (!ttkernel.l1_addr_ptr, i32) -> ()
    %got = "ttkernel.load_from_l1"(%s, %w0) : (!ttkernel.l1_addr_ptr, i32) -> i32
    "ttkernel.store_to_l1"(%got, %p, %w5) : (i32, !ttkernel.l1_addr_ptr, i32) -> ()
    return
  }
}
"""
PROGRAM = """"ttmetal.enqueue_program"(%out, %n, %x, %seven, %half, %come) <{
      cb_ports = array<i64>,
      kernelConfigs = [
        #ttmetal.noc_config<@store, #ttmetal.core_range<0x0, 1x2>, #ttmetal.kernel_args<common_rt_args = [<buffer_address[0]>, <scalar[1]>, <scalar[2]>, <scalar[3]>, <scalar[4]>, <named_argument[4096]>, <global_semaphore[5]>]>, dm_core = 1, noc0>],
      operandSegmentSizes = array<i32: 6, 0>}> : (!words, index, f32, i32, f32, !ttmetal.global_semaphore) -> ()"""


def words():
    constants = [f"    %i{i} = arith.constant {i} : index\n    %w{i} = arith.constant {i} : i32" for i in range(8)]
    stores = [f"    %v{i} = \"ttkernel.get_common_arg_val\"(%i{i + 1}) : (index) -> i32\n"
              f"    \"ttkernel.store_to_l1\"(%v{i}, %p, %w{i}) : (i32, !ttkernel.l1_addr_ptr, i32) -> ()" for i in range(5)]
    stores += [f"    \"ttkernel.store_to_l1\"(%w{i}, %p, %w{i}) : (i32, !ttkernel.l1_addr_ptr, i32) -> ()" for i in (6, 7)]
    return (WORDS.replace("PROGRAM", PROGRAM).replace("CONSTANTS", "\n".join(constants)).replace("STORES", "\n".join(stores)))


def test_scalars_named_arguments_global_semaphores_and_shards(tmp_path):
    """Kernels get numbers of the host's as words; a global semaphore is a word that lives from program to program."""
    (tmp_path / "words.mlir").write_text(words())
    a = numbers(4, 4)
    n, x = np.uint32(2**31 + 5), np.float32(-2.25)
    first, second, shard = same_as_module(tmp_path, "words.mlir", [n, x, a])
    bits = [n, x.view(np.uint32), np.int32(-7).view(np.uint32), np.float32(0.5).view(np.uint32), np.uint32(4096)]
    for got in (first, second):  # reset between: it is 5 again
        np.testing.assert_array_equal(got[0], [*bits, 7, 6, 7, *bits, 6, 6, 7])
    np.testing.assert_array_equal(shard, a)


def test_scalars_from_python(tmp_path):
    """A program's number is a scalar tensor of any type; arrays are not numbers."""
    from _ttmlir_runtime import binary, runtime
    (tmp_path / "words.mlir").write_text(words())
    tool(tmp_path, "ttmlir-opt", "--ttcore-register-device", "--convert-ttkernel-to-emitc", "words.mlir", "-o", "cpp.mlir")
    tool(tmp_path, "ttmlir-translate", "--ttmetal-to-flatbuffer", "cpp.mlir", "-o", "p.ttm")
    program = binary.load_binary_from_path(str(tmp_path / "p.ttm"))
    runtime.set_compatible_device_runtime(program)
    a = numbers(4, 4)
    shard = runtime.create_owned_host_tensor(a.ctypes.data, [4, 4], [4, 1], 4, runtime.DataType.Float32)
    shard.set_retain(True)
    device = runtime.open_mesh_device(runtime.MeshDeviceOptions())
    try:
        first = runtime.submit(device, program, 0, [runtime.create_scalar_tensor(11), runtime.create_scalar_tensor(1.5), shard])[0]
        got = np.zeros(16, np.uint32)
        runtime.memcpy(got.ctypes.data, runtime.to_host(first)[0])
        np.testing.assert_array_equal(got[:3], [11, np.float32(1.5).view(np.uint32), 2**32 - 7])
        with pytest.raises(RuntimeError, match="input 1 of program 0 is of shape"):
            runtime.submit(device, program, 0, [runtime.create_scalar_tensor(11), shard, shard])
    finally:
        runtime.close_mesh_device(device)


@pytest.mark.parametrize("before, after, message", [
    ("address = 110592", "address = 110593", "needs an address of a word in L1, not 110593"),
    ("address = 110592", "address = 9999999999", "needs an address of a word in L1"),
    ("core_range = #ttmetal.core_range<0x0, 1x2>}", "core_range = #ttmetal.core_range<0x0, 99x2>}", "needs a core_range within"),
    ("<scalar[1]>", "<global_semaphore[1]>", "operand 1 does not fit the kernel argument"),
    ("<global_semaphore[5]>", "<scalar[5]>", "operand 5 does not fit the kernel argument"),
    ("(memref<4x4xf32>) -> memref<4x4xf32>", "(memref<4x4xf32>) -> memref<2x4xf32>", "one device is simulated, whose shard is the whole array"),
])
def test_wrong_words_are_errors(before, after, message, tmp_path):
    text = words()
    assert before in text
    text = text.replace(before, after)
    if "2x4" in after:
        text = text.replace("return %first, %second, %b : memref<1x16xui32>, memref<1x16xui32>, memref<4x4xf32>",
                            "return %first, %second, %a : memref<1x16xui32>, memref<1x16xui32>, memref<4x4xf32>")
    (tmp_path / "bad.mlir").write_text(text)
    assert message in tool(tmp_path, "tilewright", "sim", "bad.mlir", ok=False)


PARTS = """
#l1 = #ttcore.memory_space<l1>
!tile = !ttcore.tile<32x32, f32>
!buffer = memref<1x2x1x1x!tile, #ttcore.shard<4096x4096, 1>, #l1>
!cb = memref<1x1x!tile, #ttcore.cb_layout<4096x4096, 2>, #l1>
module {
  func.func @main(%x: memref<32x64xf32>) -> memref<32x64xf32> {
    %in = "ttmetal.create_buffer"() <{address = 120832 : i64}> : () -> !buffer
    %out = "ttmetal.create_buffer"() <{address = 131072 : i64}> : () -> !buffer
    %left = "ttmetal.create_buffer"() <{address = 104448 : i64}> : () -> !cb
    %right = "ttmetal.create_buffer"() <{address = 104448 : i64}> : () -> !cb
    "ttmetal.enqueue_write_buffer"(%x, %in) : (memref<32x64xf32>, !buffer) -> ()
    "ttmetal.enqueue_program"(%in, %out, %left, %right) <{
      cb_ports = array<i64: 0, 1>,
      kernelConfigs = [
        #ttmetal.noc_config<@read, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<common_rt_args = [<cb_port[0]>, <buffer_address[0]>] >, dm_core = 1, noc0>,
        #ttmetal.noc_config<@write, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<common_rt_args = [<cb_port[0]>, <buffer_address[1]>] >, dm_core = 0, noc1>,
        #ttmetal.noc_config<@read, #ttmetal.core_range<0xSECOND, 1x1>, #ttmetal.kernel_args<common_rt_args = [<cb_port[1]>, <buffer_address[0]>] >, dm_core = 1, noc0>,
        #ttmetal.noc_config<@write, #ttmetal.core_range<0xSECOND, 1x1>, #ttmetal.kernel_args<common_rt_args = [<cb_port[1]>, <buffer_address[1]>] >, dm_core = 0, noc1>],
      operandSegmentSizes = array<i32: 2, 2>}> : (!buffer, !buffer, !cb, !cb) -> ()
    %y = memref.alloc() : memref<32x64xf32>
    "ttmetal.enqueue_read_buffer"(%out, %y) : (!buffer, memref<32x64xf32>) -> ()
    return %y : memref<32x64xf32>
  }
KERNELS
}
"""
MOVE = """  func.func private @NAME() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %c1 = arith.constant 1 : i32
    %size = arith.constant 4096 : i32
    %cb = "ttkernel.get_common_arg_val"(%i0) : (index) -> !ttkernel.cb<2, !ttcore.tile<32x32, f32>>
    %remote = "ttkernel.get_common_arg_val"(%i1) : (index) -> i32
    %x = "ttkernel.my_x"() : () -> index
    %y = "ttkernel.my_y"() : () -> index
    BODY
    return
  }"""
READ = """"ttkernel.cb_reserve_back"(%cb, %c1) : (!ttkernel.cb<2, !ttcore.tile<32x32, f32>>, i32) -> ()
    %at = "ttkernel.get_write_ptr"(%cb) : (!ttkernel.cb<2, !ttcore.tile<32x32, f32>>) -> i32
    "ttkernel.noc_async_read"(%x, %y, %remote, %at, %size) <{operandSegmentSizes = array<i32: 2, 0, 1, 1, 1, 0>}> : (index, index, i32, i32, i32) -> ()
    "ttkernel.noc_async_read_barrier"() : () -> ()
    "ttkernel.cb_push_back"(%cb, %c1) : (!ttkernel.cb<2, !ttcore.tile<32x32, f32>>, i32) -> ()"""
WRITE = """"ttkernel.cb_wait_front"(%cb, %c1) : (!ttkernel.cb<2, !ttcore.tile<32x32, f32>>, i32) -> ()
    %at = "ttkernel.get_read_ptr"(%cb) : (!ttkernel.cb<2, !ttcore.tile<32x32, f32>>) -> i32
    "ttkernel.noc_async_write"(%at, %x, %y, %remote, %size) <{operandSegmentSizes = array<i32: 1, 2, 0, 1, 1, 0>}> : (i32, index, index, i32, i32) -> ()
    "ttkernel.noc_async_write_barrier"() : () -> ()
    "ttkernel.cb_pop_front"(%cb, %c1) : (!ttkernel.cb<2, !ttcore.tile<32x32, f32>>, i32) -> ()"""


def test_parts_of_the_grid_have_buffers_at_one_address(tmp_path):
    """Circular buffers of programs in parts of the grid may share an address, on one core they may not."""
    kernels = "\n".join(MOVE.replace("NAME", name).replace("BODY", body) for name, body in (("read", READ), ("write", WRITE)))
    text = PARTS.replace("KERNELS", kernels)
    x = numbers(32, 64)
    (tmp_path / "parts.mlir").write_text(text.replace("SECOND", "1"))
    np.testing.assert_array_equal(same_as_module(tmp_path, "parts.mlir", [x])[0], x)
    (tmp_path / "same.mlir").write_text(text.replace("SECOND", "0"))
    assert "overlap a live buffer of 8192 bytes at 104448" in tool(tmp_path, "tilewright", "sim", "same.mlir", ok=False)
