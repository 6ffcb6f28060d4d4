"""Emitted programs run: the Python and the C++ of a module give the bytes of its .ttnn file's run, for an operation in each program."""

import os
import subprocess

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
