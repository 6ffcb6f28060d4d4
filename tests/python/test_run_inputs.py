"""The arrays that `tilewright run` takes and refuses."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

TOOL = Path(__file__).resolve().parents[2] / "build" / "bin" / "tilewright"
PROGRAM = """
func.func @main(%a: tensor<2x3x{0}>) -> tensor<2x3x{0}> {{
  %0 = stablehlo.add %a, %a : tensor<2x3x{0}>
  return %0 : tensor<2x3x{0}>
}}
"""


def run(folder, element, array):
    (folder / "p.mlir").write_text(PROGRAM.format(element))
    np.savez(folder / "in.npz", in0=array)
    return subprocess.run([TOOL, "run", "p.mlir", "--inputs", "in.npz", "--outputs", "out.npz"],
                          cwd=folder, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(("element", "array", "found"), [
    ("f32", np.ones((3, 2), np.float32), "f32[3, 2], the program takes f32[2, 3]"),
    ("f32", np.ones(6, np.float32), "f32[6], the program takes f32[2, 3]"),
    ("f32", np.ones((2, 3), np.int32), "si32[2, 3], the program takes f32[2, 3]"),
    ("i32", np.ones((2, 3), np.float32), "f32[2, 3], the program takes si32[2, 3]"),
    ("i32", np.ones((2, 3), np.uint32), "u32[2, 3], the program takes si32[2, 3]"),
])
def test_another_array_is_refused(tmp_path, element, array, found):
    done = run(tmp_path, element, array)
    assert done.returncode == 1 and f"array 'in0' is {found}" in done.stderr
    assert not (tmp_path / "out.npz").exists()


def test_bf16_comes_as_bits_or_is_rounded(tmp_path):
    numbers = np.array([[1, 2, 3.0625], [1.00390625, -1.01171875, 0.1]], np.float32)  # two ties to even
    rounded = np.array([[1, 2, 3.0625], [1, -1.015625, 0.10009765625]], np.float32)
    for array in (numbers, (rounded.view(np.uint32) >> 16).astype(np.uint16)):
        done = run(tmp_path, "bf16", array)
        assert done.returncode == 0, done.stderr
        bits = np.load(tmp_path / "out.npz")["out0"].view(np.uint16)
        assert ((bits.astype(np.uint32) << 16).view(np.float32) == 2 * rounded).all()


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_numbers_come_as_their_parts(tmp_path, dtype):
    x = (np.arange(6) + 1j * np.arange(6)[::-1]).reshape(2, 3).astype(dtype)
    done = run(tmp_path, f"complex<f{x.real.dtype.itemsize * 8}>", x)
    assert done.returncode == 0, done.stderr
    out = np.load(tmp_path / "out.npz")["out0"]
    assert out.shape == (2, 3, 2) and out.dtype == x.real.dtype
    np.testing.assert_array_equal(out[..., 0] + 1j * out[..., 1], 2 * x)
    np.savez(tmp_path / "want.npz", out0=2 * x)
    same = subprocess.run([TOOL, "run", "p.mlir", "--inputs", "in.npz", "--expect", "want.npz"], cwd=tmp_path, timeout=60)
    assert same.returncode == 0
