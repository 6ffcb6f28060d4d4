"""The arrays that `tilewright run` accepts and rejects."""

import subprocess
import zipfile
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
def test_any_order_is_accepted(tmp_path, order, bytes_first, element):
    x = np.asarray(np.arange(6).reshape(2, 3) * (1 + 2j if element == "c8" else 1), bytes_first + element, order=order)
    done = run(tmp_path, {"f4": "f32", "i4": "i32", "c8": "complex<f32>"}[element], x)
    assert done.returncode == 0, done.stderr
    out = np.load(tmp_path / "out.npz")["out0"]
    np.testing.assert_array_equal(out[..., 0] + 1j * out[..., 1] if element == "c8" else out, 2 * x)


def test_arrays_of_text_are_rejected_only_where_they_are_read(tmp_path):
    x, labels = np.ones((2, 3), np.float32), np.array([["a"] * 3] * 2)
    done = run(tmp_path, "f32", labels)
    assert done.returncode == 1 and "array 'in0.npy' has elements of type '<U1'; numbers and booleans are accepted" in done.stderr
    np.savez_compressed(tmp_path / "more.npz", in0=x, out0=labels)
    assert subprocess.run([TOOL, "run", "p.mlir", "--inputs", "more.npz"], cwd=tmp_path, timeout=300).returncode == 0


A = np.arange(6, dtype=np.float32).reshape(2, 3)
NAN, INF = A + np.float32([0, np.nan, 0]), A + np.float32([0, 0, np.inf])
NOISE = np.float32([[0.2, -0.2, 0.2], [-0.2, 0.2, -0.2]])


def expect(folder, element, array, want, *options, shape="2x3x"):
    (folder / "p.mlir").write_text(PROGRAM.replace("2x3x", shape).format(element))
    np.savez(folder / "in.npz", in0=array)
    np.savez(folder / "want.npz", out0=want)
    done = subprocess.run([TOOL, "run", "p.mlir", "--inputs", "in.npz", "--expect", "want.npz", *options], cwd=folder,
                          capture_output=True, text=True, timeout=300)
    assert done.stdout.startswith("out0: ") or done.stderr.startswith("tilewright: invalid: --"), done.stdout + done.stderr
    return done


def bits(array):
    """bf16 values as their bits; `array` holds values that bf16 represents."""
    return (np.asarray(array, np.float32).view(np.uint32) >> 16).astype(np.uint16)


LARGE = A.astype(np.float64) + 2**53  # f64 elements beyond the precision of f32
ONES = np.ones_like(A)
INT64 = np.arange(6).reshape(2, 3) + 2**60


@pytest.mark.parametrize(("element", "array", "want", "status"), [
    ("f32", A, 2 * A, 0), ("f32", A, (2 * A).astype(np.float64), 0), ("f32", NAN, 2 * NAN, 0), ("f32", INF, 2 * INF, 0),
    ("f32", A, 2 * A * np.float32(1.00009), 0), ("f32", A, 2 * A * np.float32(1.0002), 1), ("f32", A, 2 * A + NOISE, 1),
    ("f32", A, 2 * A * np.float32(1.085), 1), ("f32", ONES, 2 * ONES + np.float32([[2.4e-7, 0, 0], [0, 0, 0]]), 0),
    ("f32", A, 4 * A, 1), ("f32", A, 2 * A + 1, 1), ("f32", A, -2 * A, 1),
    ("f32", A * 1e-20, 2e-20 * A, 0), ("f32", A * 1e-20, 0 * A, 0), ("f32", A * 1e-20, 2.1e-20 * A, 1),
    ("f32", A * 1e-7, 0 * A, 0), ("f32", A * 1e-5, 0 * A, 1),
    ("f32", NAN, 2 * A, 1), ("f32", A, 2 * NAN, 1), ("f32", INF, -2 * INF, 1), ("f32", INF, 2 * A, 1), ("f32", INF, NAN, 1),
    ("f32", A, 2 * A.T, 1), ("f32", A, 2 * A.reshape(6), 1), ("f32", A, (2 * A).astype(np.int32), 1), ("f32", A, A > 1, 1),
    ("f64", A.astype(np.float64), 2 * A.astype(np.float64) * (1 + 1e-9), 0), ("f64", A.astype(np.float64), 2 * A.astype(np.float64) * (1 + 1e-7), 1), ("f64", LARGE, 2 * LARGE, 0),
    ("f16", A.astype(np.float16), 2 * A, 0), ("f16", A.astype(np.float16), 2 * A * 1.003, 0), ("f16", A.astype(np.float16), 2 * A * 1.01, 1),
    ("bf16", A, bits(2 * A), 0), ("bf16", A, 2 * A * 1.02, 0), ("bf16", A, 2 * A * 1.085, 1), ("bf16", ONES, 2 * ONES + NOISE / 10, 0),
    ("bf16", 1 + A / 32, 2 + (A[::-1, ::-1]) / 64, 1),
    ("i32", A.astype(np.int32) + 1000000, 2 * A.astype(np.int64) + 2000000, 0),
    ("i32", A.astype(np.int32) + 1000000, 2 * A.astype(np.int32) + 2000001, 1),
    ("i32", A.astype(np.int32), 2 * A, 1), ("i32", A.astype(np.int32), A > 1, 1),
    ("i64", INT64, 2 * INT64, 0), ("i64", INT64, 2 * INT64 + 1, 1), ("ui64", 4 * INT64.astype(np.uint64), 8 * INT64.astype(np.uint64) + np.uint64(1), 1),
    ("i8", A.astype(np.int8), 2 * A.astype(np.int8), 0), ("i8", A.astype(np.int8), 2 * A.astype(np.int8) + np.int8(1), 1),
    ("ui8", A.astype(np.uint8), 2 * A.astype(np.uint8), 0), ("i16", A.astype(np.int16), 2 * A.astype(np.int16), 0),
    ("i1", A % 2 == 0, A % 2 == 0, 0), ("i1", A % 2 == 0, (A % 2 == 0).astype(np.uint8), 0), ("i1", A % 2 == 0, A % 3 == 0, 1),
    ("i1", A % 2 == 0, (A % 2 == 0).astype(np.int32), 1),
])
def test_expect(tmp_path, element, array, want, status):
    done = expect(tmp_path, element, array, want)
    assert done.returncode == status, done.stdout + done.stderr


@pytest.mark.parametrize(("shape", "dims"), [("", ()), ("1x", (1,)), ("0x", (0,)), ("2x0x3x", (2, 0, 3)), ("3x1x2x", (3, 1, 2))])
@pytest.mark.parametrize("element", ["f32", "bf16", "i32"])
def test_expect_shapes(tmp_path, element, shape, dims):
    x = np.ones(dims, np.int32 if element == "i32" else np.float32)
    right, wrong = expect(tmp_path, element, x, 2 * x, shape=shape), expect(tmp_path, element, x, 3 * x, shape=shape)
    assert (right.returncode, wrong.returncode) == (0, 1 if x.size else 0), right.stdout + wrong.stdout + wrong.stderr


def test_expect_reports_the_worst_element(tmp_path):
    done = expect(tmp_path, "f32", A, 2 * A + np.float32([[0, 0, 0], [0, 0.5, 0.25]]))
    assert "DIFFERS; 2 of 6 elements are outside their bound; worst at [1, 1]: got 8, wanted 8.5, difference 0.5, bound 0.001025" in done.stdout
    done = expect(tmp_path, "i64", INT64, 2 * INT64 + [[0, 0, 1], [0, 0, 0]])
    assert f"1 of 6 elements are outside their bound; worst at [0, 2]: got {2**61 + 4}, wanted {2**61 + 5}, difference 1" in done.stdout
    done = expect(tmp_path, "f32", NAN, 2 * A)
    assert "2 of 6 elements are outside their bound; worst at [0, 1]: got nan, wanted 2, difference inf" in done.stdout


def refuse(folder, option, file):
    """The error message for a file of arrays."""
    (folder / "p.mlir").write_text(PROGRAM.format("f32"))
    np.savez(folder / "in.npz", in0=A)
    files = {"--inputs": "in.npz", option: file}
    done = subprocess.run([TOOL, "run", "p.mlir", *(word for pair in files.items() for word in pair)], cwd=folder,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 1 and "pcc" not in done.stdout, done.stdout
    return done.stdout + done.stderr


def damage(path, after, offset, bits):
    content = bytearray(path.read_bytes())
    content[content.index(after) + offset] ^= bits
    path.write_bytes(content)


@pytest.mark.parametrize("option", ["--inputs", "--expect"])
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_a_damaged_archive_is_refused(tmp_path, option, save):
    name = "in0" if option == "--inputs" else "out0"
    save(tmp_path / "x.npz", **{name: A})
    if save is np.savez:
        damage(tmp_path / "x.npz", b"\x93NUMPY", 128 + 5, 0x40)  # an element: only the checksum detects it
        expected = f"x.npz: member '{name}.npy' is damaged: CRC error"
    else:
        damage(tmp_path / "x.npz", f"{name}.npy".encode(), 40, 4)
        expected = f"x.npz: member '{name}.npy' is damaged: "
    assert expected in refuse(tmp_path, option, "x.npz")


@pytest.mark.parametrize(("after", "offset", "bits", "expected"), [
    (b"NUMPY", 5, 4, "byte 6 says version 5 of the format"),
    (b"'<f4'", 1, 2, "field 'descr' is '>f4'"),  # valid: the other byte order
    (b"'<f4'", 1, 1, "field 'descr' is '=f4'"),
    (b"'<f4'", 1, 64, "field 'descr' is '|f4'"),
    (b"'<f4'", 1, 4, "field 'descr' is '8f4'"),
    (b"False", 0, 1, "field 'fortran_order' is Galse"),
    (b"(2, 3)", 1, 31, "field 'shape' is (-, 3)"),
    (b"(2, 3)", 2, 22, "field 'shape' is (2: 3)"),
    (b"(2, 3)", 1, 11, "holds 24 bytes of the 108 that field 'shape' asks for"),
    (b"'shape'", 1, 1, "its header has no field 'shape'"),
])
def test_a_damaged_header_is_refused(tmp_path, after, offset, bits, expected):
    np.save(tmp_path / "x.npy", A)
    damage(tmp_path / "x.npy", after, offset, bits)
    if any(f"'{order}f4'" in expected for order in "<>=|"):
        (tmp_path / "p.mlir").write_text(PROGRAM.format("f32"))
        assert subprocess.run([TOOL, "run", "p.mlir", "--inputs", "x.npy"], cwd=tmp_path, timeout=300).returncode == 0
    else:
        assert expected in refuse(tmp_path, "--inputs", "x.npy")


def test_two_members_of_a_name_are_refused(tmp_path):
    np.save(tmp_path / "in0.npy", A)
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.write(tmp_path / "in0.npy", "in0.npy")
        archive.write(tmp_path / "in0.npy", "in0.npy")
    assert "x.npz: two members are called 'in0.npy'" in refuse(tmp_path, "--inputs", "x.npz")


@pytest.mark.parametrize(("option", "names", "expected"), [
    ("--inputs", ["in0", "in1"], "no argument of the program is called 'in1'; it has in0, which the file has: leave the array out"),
    ("--inputs", ["ln0"], "no argument of the program is called 'ln0'; it has in0; did you mean 'in0'?"),
    ("--inputs", ["arr_0"], "no argument of the program is called 'arr_0'; it has in0; numpy.savez(FILE, in0=...) gives such names"),
    ("--inputs", ["in00"], "no argument of the program is called 'in00'"),
    ("--inputs", ["in0", "out1"], "no argument of the program is called 'out1'"),
    ("--expect", ["out0", "out1"], "no result of the program is called 'out1'; it has out0, which the file has: leave the array out"),
    ("--expect", ["out1"], "no result of the program is called 'out1'; it has out0; did you mean 'out0'?"),
    ("--expect", ["out0", "in1"], "no result of the program is called 'in1'"),
    ("--expect", ["in0"], "x.npz has no array 'out0'"),
])
def test_arrays_of_other_types_or_shapes_are_rejected(tmp_path, option, names, expected):
    np.savez(tmp_path / "x.npz", **{name: A for name in names})
    assert expected in refuse(tmp_path, option, "x.npz")


def test_one_file_for_arguments_and_results(tmp_path):
    (tmp_path / "p.mlir").write_text(PROGRAM.format("f32"))
    np.savez(tmp_path / "x.npz", in0=A, out0=2 * A)
    done = subprocess.run([TOOL, "run", "p.mlir", "--inputs", "x.npz", "--expect", "x.npz"], cwd=tmp_path, timeout=300)
    assert done.returncode == 0


@pytest.mark.parametrize(("options", "status"), [
    (["--atol", "0.21"], 0), (["--atol", "0.19"], 1), (["--rtol", "0.3"], 1), (["--rtol", "0.12", "--atol", "0.21"], 0),
    (["--atol", "0.21", "--pcc", "0.9"], 0), (["--atol", "0.21", "--pcc", "0.9999"], 1), (["--pcc", "0.9"], 1),
    (["--pcc", "2"], 1), (["--pcc", "much"], 1), (["--atol", "-1"], 1), (["--rtol", "inf"], 1), (["--rtol", ""], 1),
])
def test_expect_as_near_as_asked(tmp_path, options, status):
    done = expect(tmp_path, "f32", A, 2 * A + NOISE, *options)
    assert done.returncode == status, done.stdout + done.stderr


def test_expect_knows_the_format_of_a_computation(tmp_path):
    assert expect(tmp_path, "f32", A + np.float32(0.11), 2 * A + np.float32(0.22)).returncode == 0
    assert expect(tmp_path, "f32", A + np.float32(0.11), 2 * A + np.float32(0.22), "--dtype", "bf16").returncode == 0
    assert expect(tmp_path, "f32", A + np.float32(0.11), 2 * A + np.float32(0.22), "--dtype", "bf16", "--atol", "1e-4").returncode == 1
    wide = A.astype(np.float64)
    assert expect(tmp_path, "f64", wide, 2 * wide * (1 + 1e-7)).returncode == 1  # on the host
    assert expect(tmp_path, "f64", wide, 2 * wide * (1 + 1e-7), "--no-host").returncode == 0  # in f32 on the device


FREED = """
#dram = #ttnn.buffer_type<dram>
#f32 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #dram>, <interleaved>>
#bf16 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
func.func @main(%a: tensor<8x8xf32, #f32>) -> tensor<8x8xbf16, #bf16> {
  %0 = "ttnn.typecast"(%a) : (tensor<8x8xf32, #f32>) -> tensor<8x8xbf16, #bf16>
  %1 = "ttnn.neg"(%0) : (tensor<8x8xbf16, #bf16>) -> tensor<8x8xbf16, #bf16>
  "ttnn.deallocate"(%0) <{force = false}> : (tensor<8x8xbf16, #bf16>) -> ()
  %2 = "ttnn.typecast"(%a) : (tensor<8x8xf32, #f32>) -> tensor<8x8xbf16, #bf16>
  %3 = "ttnn.multiply"(%1, %2) : (tensor<8x8xbf16, #bf16>, tensor<8x8xbf16, #bf16>) -> tensor<8x8xbf16, #bf16>
  "ttnn.deallocate"(%2) <{force = false}> : (tensor<8x8xbf16, #bf16>) -> ()
  return %3 : tensor<8x8xbf16, #bf16>
}
"""


def test_equal_casts_stay_two_tensors_where_one_is_freed(tmp_path):
    (tmp_path / "p.mlir").write_text(FREED)
    a = np.arange(-32, 32, dtype=np.float32).reshape(8, 8) / 8
    np.savez(tmp_path / "in.npz", in0=a)
    np.savez(tmp_path / "want.npz", out0=-a * a)
    done = subprocess.run([TOOL, "run", "p.mlir", "--inputs", "in.npz", "--expect", "want.npz"], cwd=tmp_path,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr + done.stdout
