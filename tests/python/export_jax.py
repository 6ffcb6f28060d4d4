"""Programs exported by JAX: StableHLO text, inputs and JAX's results.

export_jax.py FOLDER writes NAME.mlir, NAME.in.npz (in0, in1, ...) and NAME.out.npz (out0, ...) for each program here.
"""

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

rng = np.random.default_rng(0)


def array(*shape):
    return rng.standard_normal(shape, dtype=np.float32)


def mlp(x, w1, b1, w2, b2):
    return jax.nn.relu(x @ w1 + b1) @ w2 + b2


def attention(x, qkv, out, scale, shift):
    def norm(y):
        mean = y.mean(-1, keepdims=True)
        return (y - mean) * jax.lax.rsqrt(((y - mean) ** 2).mean(-1, keepdims=True) + 1e-5)

    n, length, width = x.shape
    q, k, v = jnp.split((norm(x) * scale + shift) @ qkv, 3, axis=-1)
    q, k, v = (t.reshape(n, length, 4, -1).transpose(0, 2, 1, 3) for t in (q, k, v))
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(width // 4).astype(np.float32)
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -jnp.inf)
    y = jax.nn.softmax(scores, -1) @ v
    return x + y.transpose(0, 2, 1, 3).reshape(x.shape) @ out


def cnn(x, k1, k2, dense):
    for kernel in (k1, k2):
        x = jax.lax.conv_general_dilated(
            x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        x = jax.nn.relu(x)
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return jax.nn.log_softmax(x.mean((1, 2)) @ dense)


PROGRAMS = {
    "mlp": (mlp, [array(32, 128), array(128, 256) / 11, array(256), array(256, 10) / 16, array(10)]),
    "attention": (
        attention,
        [array(2, 10, 32), array(32, 96) / 6, array(32, 32) / 6, array(32), array(32)],
    ),
    "cnn": (cnn, [array(2, 16, 16, 3), array(3, 3, 3, 8) / 5, array(3, 3, 8, 16) / 8, array(16, 10)]),
}


def export(name):
    """(text, inputs, results) of a program."""
    function, inputs = PROGRAMS[name]
    compiled = jax.jit(function)
    text = compiled.lower(*inputs).as_text(debug_info=True)
    results = jax.tree.leaves(compiled(*inputs))
    return text, inputs, [np.asarray(r) for r in results]


def main(folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in PROGRAMS:
        text, inputs, results = export(name)
        (folder / f"{name}.mlir").write_text(text)
        np.savez(folder / f"{name}.in.npz", **{f"in{i}": v for i, v in enumerate(inputs)})
        np.savez(folder / f"{name}.out.npz", **{f"out{i}": v for i, v in enumerate(results)})


if __name__ == "__main__":
    main(sys.argv[1])
