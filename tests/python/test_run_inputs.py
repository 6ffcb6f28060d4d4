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
                          cwd=folder, capture_output=True, text=True, timeout=300)


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
    same = subprocess.run([TOOL, "run", "p.mlir", "--inputs", "in.npz", "--expect", "want.npz"], cwd=tmp_path, timeout=300)
    assert same.returncode == 0


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("bytes_first", ["<", ">"])
@pytest.mark.parametrize("element", ["f4", "i4", "c8"])
def test_any_order_is_taken(tmp_path, order, bytes_first, element):
    x = np.asarray(np.arange(6).reshape(2, 3) * (1 + 2j if element == "c8" else 1), bytes_first + element, order=order)
    done = run(tmp_path, {"f4": "f32", "i4": "i32", "c8": "complex<f32>"}[element], x)
    assert done.returncode == 0, done.stderr
    out = np.load(tmp_path / "out.npz")["out0"]
    np.testing.assert_array_equal(out[..., 0] + 1j * out[..., 1] if element == "c8" else out, 2 * x)


def test_what_is_no_number_is_refused_only_where_it_is_taken(tmp_path):
    x, labels = np.ones((2, 3), np.float32), np.array([["a"] * 3] * 2)
    done = run(tmp_path, "f32", labels)
    assert done.returncode == 1 and "array 'in0.npy' has elements of type '<U1'; numbers and truths are taken" in done.stderr
    np.savez_compressed(tmp_path / "more.npz", in0=x, labels=labels, objects=np.array([None, 1]))
    assert subprocess.run([TOOL, "run", "p.mlir", "--inputs", "more.npz"], cwd=tmp_path, timeout=300).returncode == 0


A = np.arange(6, dtype=np.float32).reshape(2, 3)
NAN, INF = A + np.float32([0, np.nan, 0]), A + np.float32([0, 0, np.inf])
NOISE = np.float32([[0.2, -0.2, 0.2], [-0.2, 0.2, -0.2]])


@pytest.mark.parametrize(("element", "array", "want", "status"), [
    ("f32", A, 2 * A, 0), ("f32", A, (2 * A).astype(np.float64), 0), ("f32", NAN, 2 * NAN, 0), ("f32", INF, 2 * INF, 0),
    ("f32", A, 2 * A + NOISE, 0),
    ("f32", A, 4 * A, 1), ("f32", A, 2 * A + 1, 1), ("f32", A, -2 * A, 1), ("f32", A, 2 * A + 10 * NOISE, 1),
    ("f32", NAN, 2 * A, 1), ("f32", A, 2 * NAN, 1), ("f32", INF, -2 * INF, 1), ("f32", INF, 2 * A, 1),
    ("f32", A, 2 * A.T, 1), ("f32", A, 2 * A.reshape(6), 1),
    ("f32", np.ones_like(A), 2 * np.ones_like(A), 0), ("f32", np.ones_like(A), 2 * np.ones_like(A) + NOISE / 200, 0), ("f32", np.ones_like(A), 3 * np.ones_like(A), 1),
    ("i32", A.astype(np.int32) + 1000000, 2 * A.astype(np.int64) + 2000000, 0),
    ("i32", A.astype(np.int32) + 1000000, 2 * A.astype(np.int32) + 2000001, 1),
    ("i1", A % 2 == 0, A % 2 == 0, 0), ("i1", A % 2 == 0, A % 3 == 0, 1),
])
def test_expect(tmp_path, element, array, want, status):
    (tmp_path / "p.mlir").write_text(PROGRAM.format(element))
    np.savez(tmp_path / "in.npz", in0=array)
    np.savez(tmp_path / "want.npz", out0=want)
    done = subprocess.run([TOOL, "run", "p.mlir", "--inputs", "in.npz", "--expect", "want.npz"], cwd=tmp_path,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == status, done.stdout + done.stderr
    assert done.stdout.startswith("out0: ")


@pytest.mark.parametrize(("arrays", "said"), [
    ({"out0": 2 * A, "out1": A}, "out1: the program has no such result, only 1"), ({"out1": A}, "has no array 'out0'")])
def test_expect_other_names(tmp_path, arrays, said):
    (tmp_path / "p.mlir").write_text(PROGRAM.format("f32"))
    np.savez(tmp_path / "in.npz", in0=A)
    np.savez(tmp_path / "want.npz", **arrays)
    done = subprocess.run([TOOL, "run", "p.mlir", "--inputs", "in.npz", "--expect", "want.npz"], cwd=tmp_path,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 1 and said in done.stdout


def test_expect_as_near_as_asked(tmp_path):
    (tmp_path / "p.mlir").write_text(PROGRAM.format("f32"))
    np.savez(tmp_path / "in.npz", in0=A)
    np.savez(tmp_path / "want.npz", out0=2 * A + NOISE)
    for pcc, status in (("0.9", 0), ("0.9999", 1), ("2", 1), ("much", 1)):
        done = subprocess.run([TOOL, "run", "p.mlir", "--inputs", "in.npz", "--expect", "want.npz", "--pcc", pcc], cwd=tmp_path, timeout=300)
        assert done.returncode == status
