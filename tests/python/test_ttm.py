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


def same_as_module(folder, module, arrays):
    """Runs the module and its binary on the same inputs; returns the results."""
    np.savez(folder / "in.npz", **{f"in{i}": x for i, x in enumerate(arrays)})
    tool(folder, "tilewright", "sim", module, "--inputs=in.npz", "--outputs=module.npz")
    tool(folder, "ttmlir-opt", "--ttcore-register-device", "--convert-ttkernel-to-emitc", module, "-o", "cpp.mlir")
    tool(folder, "ttmlir-translate", "--ttmetal-to-flatbuffer", "cpp.mlir", "-o", "p.ttm")
    tool(folder, "tilewright", "sim", "p.ttm", "--inputs=in.npz", "--outputs=binary.npz")
    wanted, got = np.load(folder / "module.npz"), np.load(folder / "binary.npz")
    assert wanted.files == got.files
    for name in wanted.files:
        np.testing.assert_array_equal(got[name], wanted[name])
    return [got[name] for name in got.files]


@pytest.mark.parametrize("name, shapes", [("matmul", [(64, 96), (96, 32)]), ("multicast", [(32, 32)])])
def test_written_programs(name, shapes, tmp_path):
    same_as_module(tmp_path, LIT / f"{name}.mlir", [np.round(numbers(*s) * 2) for s in shapes])


X, Y = numbers(64, 96), numbers(64, 96)[::-1].copy()
FUNCTIONS = {
    "grid": ("%0 = \"ttir.multiply\"(%a0, %a1) : (T, T) -> T", [X, Y], X * Y, ""),
    "dram": ("%0 = \"ttir.add\"(%a0, %a1) : (T, T) -> T", [X, Y], X + Y, "default-input-memspace=dram default-output-memspace=dram"),
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
    programs = ["p.mlir", "p.ttm"] + (["p.ttm --cpp"] if name == "grid" else [])
    for k, program in enumerate(programs):
        tool(tmp_path, "tilewright", "sim", *program.split(), "--inputs=in.npz", f"--outputs=out{k}.npz")
    results = [np.load(tmp_path / f"out{k}.npz")["out0"] for k in range(len(programs))]
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])
    np.testing.assert_allclose(results[0], value, rtol=0.01, atol=0.1)


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
