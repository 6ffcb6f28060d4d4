"""Programs as JAX prints them: parsing and printing does not change them.

JAX's printer is a newer MLIR than tt-mlir's, which no longer doubles the blank before an attribute's own text; runs
of blanks are folded before the texts are compared.
"""

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

jax = pytest.importorskip("jax")
jnp, lax = jax.numpy, jax.lax

BUILD = Path(os.environ.get("TILEWRIGHT_BUILD", Path(__file__).resolve().parents[2] / "build"))
OPT = BUILD / "bin" / "ttmlir-opt"

X = np.ones((4, 8), np.float32)
W = np.ones((8, 16), np.float32)
IMAGE, KERNEL = np.ones((1, 16, 16, 3), np.float32), np.ones((3, 3, 3, 8), np.float32)

PROGRAMS = {
    "mlp": (lambda x, w: jax.nn.softmax(jax.nn.relu(x @ w)), X, W),
    "gradient": (lambda x, w: jax.grad(lambda v: jnp.tanh(x @ v).sum())(w), X, W),
    "convolution": (
        lambda a, k: lax.conv_general_dilated(
            a, k, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),
        IMAGE, KERNEL),
    "pooling": (
        lambda a: lax.reduce_window(a, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
        IMAGE),
    "sort": (lambda a: jnp.sort(a, axis=1), X),
    "top_k": (lambda a: lax.top_k(a, 2), X),
    "gather": (lambda a, i: a[i], X, np.array([0, 2, 1])),
    "scatter": (lambda a, i: a.at[i].add(1.0), X, np.array([0, 2])),
    "while": (
        lambda a: lax.while_loop(lambda c: c[0] < 10, lambda c: (c[0] + 1, c[1] * 2), (0, a)), X),
    "scan": (lambda a: lax.scan(lambda c, v: (c + v, c * v), jnp.zeros(8), a), X),
    "cond": (lambda a: lax.cond(a.sum() > 0, lambda v: v + 1, lambda v: v - 1, a), X),
    "switch": (lambda i, a: lax.switch(i, [lambda v: v, lambda v: -v], a), 1, X),
    "random": (lambda k: jax.random.normal(k, (4, 4)), np.zeros(2, np.uint32)),
    "precision": (lambda a, b: lax.dot(a, b, precision=lax.Precision.HIGHEST), X, W),
    "complex": (lambda a: jnp.fft.fft(a) * 1j + 2, X),
    "types": (lambda a: (a.astype(jnp.bfloat16) * 1.7).astype(jnp.float8_e4m3fn), X),
    "integers": (lambda a: (a.astype(jnp.int8) // 3) % 5 | 1, X),
    "constants": (
        lambda a: a + jnp.arange(8.0) + np.linspace(0, 1, 8).astype(np.float32), X),
    "weights": (
        lambda a: a @ np.random.RandomState(0).randn(8, 64).astype(np.float32), X),
    "slices": (
        lambda a, b: lax.dynamic_update_slice(jnp.pad(a, ((1, 2), (0, 3))), b, (1, 2)), X,
        np.zeros((2, 2), np.float32)),
    "argmax": (lambda a: jnp.argmax(a, 1), X),
    "custom_call": (jnp.linalg.cholesky, np.eye(4, dtype=np.float32)),
    "attention": (
        lambda q: jax.nn.dot_product_attention(q, q, q), np.ones((1, 8, 2, 4), np.float32)),
}

FORMS = {
    "pretty": ([], {}),
    "generic": (["--mlir-print-op-generic"], {"print_generic_op_form": True}),
    "locations": (["--mlir-print-debuginfo"], {"enable_debug_info": True}),
}


def folded(text):
    return re.sub(r"[ \n]+", " ", text).strip()


@pytest.mark.skipif(not OPT.exists(), reason=f"{OPT} is not built")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_prints_as_jax_does(name, form, tmp_path):
    function, *arguments = PROGRAMS[name]
    flags, asm = FORMS[form]
    module = jax.jit(function).lower(*arguments).compiler_ir("stablehlo")
    text = module.operation.get_asm(large_elements_limit=None, **asm)
    source = tmp_path / "program.mlir"
    source.write_text(text)
    done = subprocess.run([OPT, *flags, source], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert folded(done.stdout) == folded(text)
