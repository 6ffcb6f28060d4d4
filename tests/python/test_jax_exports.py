"""Text that JAX exports, through the library and through the shell."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch

pytest.importorskip("jax")
import export_jax  # noqa: E402

from tilewright import _engine  # noqa: E402

BIN = Path(__file__).resolve().parents[2] / "build" / "bin"


@pytest.mark.parametrize("name", export_jax.PROGRAMS)
def test_through_the_library(name):
    text, inputs, results = export_jax.export(name)
    program = _engine.native_compile(text)
    outputs = [torch.empty(r.shape) for r in results]
    program.run([torch.from_numpy(v) for v in inputs], outputs)
    for got, want in zip(outputs, results):
        np.testing.assert_allclose(got.numpy(), want, rtol=2e-5, atol=2e-5)


def test_from_the_shell(tmp_path):
    tool = BIN / "tilewright"
    if not tool.is_file():
        pytest.skip("needs the command-line tools: run make")
    export_jax.main(tmp_path)
    for name in export_jax.PROGRAMS:
        done = subprocess.run(
            [tool, "run", f"{name}.mlir", "--inputs", f"{name}.in.npz", "--expect", f"{name}.out.npz"],
            cwd=tmp_path, capture_output=True, text=True, timeout=300,
        )
        assert done.returncode == 0, (name, done.stdout, done.stderr)
