"""Programs whose tensors exceed the memory limit of the process: an error with the number of bytes and their purpose,
never a signal."""

import os
import re
import subprocess

import numpy as np
import pytest
from conftest import ROOT

BIN = os.path.join(os.environ.get("TW_BUILD", ROOT / "build"), "bin")
LIMIT = 1_500_000  # KiB of address space

ARGUMENT = """func.func @main(%a: tensor<16384x65536xf32>) -> tensor<1x1xf32> {
  %0 = stablehlo.slice %a [0:1, 0:1] : (tensor<16384x65536xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}"""
RESULT = """func.func @main(%a: tensor<16384x65536xf32>) -> tensor<16384x65536xf32> {
  %0 = stablehlo.add %a, %a : tensor<16384x65536xf32>
  return %0 : tensor<16384x65536xf32>
}"""
BETWEEN = """func.func @main(%a: tensor<1024x{0}>) -> tensor<1024x{0}> {{
  %b = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<1024x{0}>) -> tensor<1024x{1}x{0}>
  %e = stablehlo.exponential %b : tensor<1024x{1}x{0}>
  %t = stablehlo.transpose %e, dims = [1, 0] : (tensor<1024x{1}x{0}>) -> tensor<{1}x1024x{0}>
  %z = stablehlo.constant dense<0.0> : tensor<{0}>
  %0 = stablehlo.reduce(%t init: %z) applies stablehlo.add across dimensions = [0] : (tensor<{1}x1024x{0}>, tensor<{0}>) -> tensor<1024x{0}>
  return %0 : tensor<1024x{0}>
}}"""
CONSTANT = """func.func @main() -> tensor<1x1xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<16384x65536xf32>
  %r = stablehlo.reverse %0, dims = [0] : tensor<16384x65536xf32>
  %1 = stablehlo.slice %r [0:1, 0:1] : (tensor<16384x65536xf32>) -> tensor<1x1xf32>
  return %1 : tensor<1x1xf32>
}"""
CHECK = """func.func @main() {
  %0 = stablehlo.iota dim = 0 : tensor<16384x65536xf32>
  %1 = stablehlo.tanh %0 : tensor<16384x65536xf32>
  check.expect_eq %1, %1 : tensor<16384x65536xf32>
  return
}"""


def run(folder, text, *command, limit=LIMIT):
    (folder / "p.mlir").write_text(text)
    done = subprocess.run(["sh", "-c", f'ulimit -v {limit}; exec "$0" "$@"', os.path.join(BIN, command[0]), *command[1:], "p.mlir"],
                          cwd=folder, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(("text", "expected"), [
    (ARGUMENT, r"no memory for the 4294967296 bytes of input 0, f32\[16384, 65536\]"),
    (RESULT, r"no memory for the 4294967296 bytes of output 0, f32\[16384, 65536\]"),
    (BETWEEN.format("f32", 1048576), r"p.mlir:\d+:\d+: .*no memory for \d{10} bytes of tensors|no memory for \d{10} bytes of tensors"),
    (BETWEEN.format("f64", 65536), r"p.mlir:\d+:\d+: 'stablehlo.\w+': the host cannot compute a tensor for which there is no memory"),
    (CONSTANT, r"no memory for 4294967296 bytes of tensors"),
], ids=["argument", "result", "between", "on the host", "constant"])
def test_run(tmp_path, text, expected):
    status, message = run(tmp_path, text, "tilewright", "run")
    assert status == 1 and "resource: " in message and re.search(expected, message), message


@pytest.mark.parametrize("command", [("tilewright", "run"), ("stablehlo-translate", "--interpret")])
def test_self_checks(tmp_path, command):
    status, message = run(tmp_path, CHECK, *command)
    assert status == 1 and re.search(r"no memory|this size", message) and "FAILED" in message, message


def test_ttrt(tmp_path):
    (tmp_path / "p.mlir").write_text(RESULT)
    ttnn, binary = tmp_path / "ttnn.mlir", tmp_path / "p.ttnn"
    subprocess.run([os.path.join(BIN, "ttmlir-opt"), tmp_path / "p.mlir", "--stablehlo-to-ttir-pipeline", "--ttir-to-ttnn-backend-pipeline",
                    "-o", ttnn], check=True, timeout=300)
    subprocess.run([os.path.join(BIN, "ttmlir-translate"), "--ttnn-to-flatbuffer", ttnn, "-o", binary], check=True, timeout=300)
    status, message = run(tmp_path, RESULT, "ttrt", "run", binary.name, "--result-file", "r.json")
    assert status > 0 and "no memory for the 4294967296 bytes of output 0, f32[16384, 65536]" in message, message


def test_arrays(tmp_path):
    """A member whose header claims 256 MiB, in a small file."""
    np.savez_compressed(tmp_path / "in.npz", in0=np.zeros(2**25, np.float64))
    status, message = run(tmp_path, "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }",
                       "tilewright", "run", "--inputs", "in.npz", limit=250_000)
    assert status == 1 and "no memory for the 268435584 bytes of member 'in0.npy'" in message, message


def test_limit_of_a_command(tmp_path):
    """--memory-limit: what is known by its size is named, anything else ends the command with a message."""
    status, message = run(tmp_path, ARGUMENT, "tilewright", "run", "--memory-limit=300", limit="unlimited")
    assert status == 1 and "no memory for the 4294967296 bytes of input 0" in message, message
    lines = "\n".join(f"  %v{i + 1} = stablehlo.add %v{i}, %v0 : tensor<4xf32>" for i in range(50_000))
    text = f"func.func @main(%v0: tensor<4xf32>) -> tensor<4xf32> {{\n{lines}\n  return %v50000 : tensor<4xf32>\n}}"
    status, message = run(tmp_path, text, "tilewright", "run", "--memory-limit=10", limit="unlimited")
    assert status == 1 and "resource: out of memory" in message, message
    status, message = run(tmp_path, text, "ttmlir-opt", "--canonicalize", limit=30_000)
    assert status == 1 and "ttmlir-opt: error: out of memory" in message, message
    status, message = run(tmp_path, ARGUMENT, "tilewright", "run", "--memory-limit=-1", limit="unlimited")
    assert status == 2 and "positive number of MiB" in message, message
