"""Tensors in files: operations that write and read them, and ttnn's and the runtime's functions."""

import numpy as np
import pytest

import native

torch = pytest.importorskip("torch")
import ttnn  # noqa: E402


def dumping(path, element="f32", base="ttir"):
    t = f"tensor<33x5x{element}>"
    op = '"debug.dump"(%0)' if base == "ttir" else '"ttnn.dump_tensor"(%0)'
    return (f"func.func @main(%a: {t}) -> {t} {{\n  %0 = \"{base}.neg\"(%a) : ({t}) -> {t}\n"
            f"  {op} <{{file_path = \"{path}\"}}> : ({t}) -> ()\n  %1 = \"{base}.abs\"(%0) : ({t}) -> {t}\n  return %1 : {t}\n}}\n")


@pytest.mark.parametrize("base", ["ttir", "ttnn"])
def test_a_program_writes_a_tensor(tmp_path, base):
    program = native.Program(dumping(tmp_path / "x.tensorbin", base=base))
    for seed in range(2):  # each run writes it
        x = np.random.default_rng(seed).standard_normal((33, 5)).astype(np.float32)
        out, = program(x)
        np.testing.assert_array_equal(np.load(tmp_path / "x.tensorbin"), -x)
        np.testing.assert_array_equal(out, abs(x))


def test_a_folder_that_is_missing(tmp_path):
    program = native.Program(dumping(tmp_path / "none/x.tensorbin"))
    with pytest.raises(Exception, match="none/x.tensorbin"):
        program(np.zeros((33, 5), np.float32))


def loading(path, element="f32", shape="33x5"):
    t = f"tensor<{shape}x{element}>"
    return (f"func.func @main(%a: {t}) -> {t} {{\n  %0 = \"ttnn.load_tensor\"() <{{file_path = \"{path}\"}}> : () -> {t}\n"
            f"  %1 = \"ttnn.add\"(%a, %0) : ({t}, {t}) -> {t}\n  return %1 : {t}\n}}\n")


@pytest.mark.parametrize("element, kind", [("f32", np.float32), ("f32", np.float16), ("si32", np.int32), ("si32", np.uint8), ("f32", np.float64)])
def test_a_program_reads_a_tensor(tmp_path, element, kind):
    x = np.random.default_rng(3).integers(0, 99, (33, 5)).astype(kind)
    with open(tmp_path / "x.tensorbin", "wb") as file:
        np.save(file, x)
    host = np.float32 if element == "f32" else np.int32
    out, = native.Program(loading(tmp_path / "x.tensorbin", element))(np.full((33, 5), 2, host))
    np.testing.assert_array_equal(out, x.astype(host) + 2)


def damaged(tmp_path, change):
    with open(tmp_path / "x.tensorbin", "wb") as file:
        np.save(file, np.zeros((33, 5), np.float32))
    data = change((tmp_path / "x.tensorbin").read_bytes())
    (tmp_path / "x.tensorbin").write_bytes(data)


@pytest.mark.parametrize("change, message", [
    (lambda data: b"", "is no array of NumPy"), (lambda data: data[:40], "ends within its header"),
    (lambda data: data[:-4], "does not hold as many bytes as its shape needs"), (lambda data: data.replace(b"<f4", b"<c8"), "unsupported type"),
    (lambda data: data.replace(b"False", b"True "), "is not in row-major order"), (lambda data: data.replace(b"(33, 5)", b"(5, 33)"), "another shape"),
])
def test_damaged_files(tmp_path, change, message):
    damaged(tmp_path, change)
    with pytest.raises(Exception, match=f"x.tensorbin' .*{message}"):
        native.Program(loading(tmp_path / "x.tensorbin"))


def test_functions_of_ttnn(tmp_path):
    for dtype in (ttnn.float32, ttnn.bfloat16, ttnn.int32, ttnn.uint16):
        x = ttnn.from_torch(torch.arange(70).reshape(7, 10), dtype=dtype)
        ttnn.dump_tensor(tmp_path / "x.tensorbin", x)
        assert torch.equal(ttnn.to_torch(ttnn.load_tensor(tmp_path / "x.tensorbin")).double(), ttnn.to_torch(x).double())
    (tmp_path / "x.tensorbin").write_bytes(b"no array")
    with pytest.raises(ValueError, match="ttnn.load_tensor: .*x.tensorbin is no array of NumPy"):
        ttnn.load_tensor(tmp_path / "x.tensorbin")


def test_functions_of_the_runtime(tmp_path):
    from _ttmlir_runtime import runtime, utils

    x = torch.randn(4, 6)
    path = str(tmp_path / "x.tensorbin")
    runtime.dump_tensor(utils.create_runtime_tensor_from_ttnn(ttnn.from_torch(x, dtype=ttnn.float32)), path)
    back = utils.get_ttnn_tensor_from_runtime_tensor(runtime.load_tensor(path))
    assert torch.equal(ttnn.to_torch(back), x)
