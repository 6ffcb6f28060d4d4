"""Models and other tests' programs through jax.jit on the platform tt and on the CPU; run by test_jax_live.py in a process of its own.

Writes one line of JSON: {name: None or what was wrong}."""

import json
import sys
import traceback

import jax
import jax.numpy as jnp
import numpy as np
import test_jax_functions
import test_jax_host
from jax import lax, nn

CPU, TT = jax.devices("cpu")[0], jax.devices("tt")[0]
wrong = {}


def real(*shape):
    return (np.random.default_rng(sum(shape)).standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)


def compare(want, got, tolerance):
    want, got = np.asarray(want), np.asarray(got)
    assert got.dtype == want.dtype and got.shape == want.shape
    if want.dtype.kind in "biu":
        np.testing.assert_array_equal(got, want)
        return
    want, got = (x.astype(np.complex128 if want.dtype.kind == "c" else np.float64) for x in (want, got))
    finite = np.isfinite(want)
    np.testing.assert_array_equal(got[~finite], want[~finite])
    largest = np.abs(want[finite]).max(initial=1e-2)  # smaller results are what cancellation left
    assert np.abs(got - want)[finite].max(initial=0) <= tolerance * largest, np.abs(got - want)[finite].max() / largest


def program(name, function, arguments, tolerance):
    try:
        want, got = (jax.tree.leaves(jax.jit(function)(*jax.device_put(arguments, device))) for device in (CPU, TT))
        for w, g in zip(want, got, strict=True):
            assert g.devices() == {TT}
            compare(w, g, tolerance)
        wrong[name] = None
    except Exception:
        wrong[name] = traceback.format_exc()[-1500:]


# -- models, forward and gradient ----------------------------------------------------------------


def mlp(p, x):
    for w, b in p:
        x = jnp.tanh(x @ w + b)
    return x


def cnn(p, x):
    for w in p[:-1]:
        x = nn.relu(lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
        x = lax.reduce_window(x, -np.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return x.mean((1, 2)) @ p[-1]


def norm(x):
    x = x - x.mean(-1, keepdims=True)
    return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5)


def transformer(p, x):
    q, k, v = jnp.split(norm(x) @ p["qkv"], 3, -1)
    q, k, v = (t.reshape(*t.shape[:2], 2, -1) for t in (q, k, v))
    x = x + nn.dot_product_attention(q, k, v, is_causal=True).reshape(x.shape) @ p["out"]
    return x + nn.gelu(norm(x) @ p["up"]) @ p["down"]


def rnn(p, x):
    def cell(state, y):
        i, f, g, o = jnp.split(y @ p["x"] + state[0] @ p["h"], 4, -1)
        c = nn.sigmoid(f) * state[1] + nn.sigmoid(i) * jnp.tanh(g)
        h = nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zero = jnp.zeros((x.shape[0], p["h"].shape[0]), x.dtype)
    return lax.scan(cell, (zero, zero), x.swapaxes(0, 1))[1]


def diffusion(p, x):
    """A step that removes noise: a network of the image and the time, and the next image."""
    time = jnp.linspace(0.1, 0.9, x.shape[0], dtype=x.dtype)
    wave = jnp.concatenate([jnp.sin(time[:, None] * p["waves"]), jnp.cos(time[:, None] * p["waves"])], -1)
    hidden = nn.silu(x.reshape(x.shape[0], -1) @ p["in"] + wave @ p["time"])
    noise = (hidden @ p["out"]).reshape(x.shape)
    keep = jnp.exp(-time)[:, None, None]
    return (x - (1 - keep) * noise) / jnp.sqrt(keep)


def loop(p, x):
    x = lax.fori_loop(0, 5, lambda i, v: jnp.where(i % 2 == 0, jnp.sin(v @ p), v * 0.9), x)
    return lax.cond(x.sum() > 0, lambda v: v * 2, lambda v: v - 1, x)


def algebra(p, x):
    positive = p @ p.T + 4 * jnp.eye(p.shape[0])
    factor = jnp.linalg.cholesky(positive)
    return jnp.linalg.solve(positive, x), jax.scipy.linalg.solve_triangular(factor, x, lower=True), jnp.linalg.slogdet(positive)[1]


MODELS = {
    "mlp": (mlp, [(real(8, 16), real(16)), (real(16, 4), real(4))], real(32, 8)),
    "cnn": (cnn, [real(3, 3, 2, 4), real(3, 3, 4, 8), real(8, 5)], real(2, 12, 12, 2)),
    "transformer": (transformer, {"qkv": real(16, 48), "out": real(16, 16), "up": real(16, 64), "down": real(64, 16)}, real(2, 7, 16)),
    "rnn": (rnn, {"x": real(3, 20), "h": real(5, 20)}, real(2, 6, 3)),
    "diffusion": (diffusion, {"waves": real(6), "time": real(12, 20), "in": real(24, 20), "out": real(20, 24)}, real(3, 6, 4)),
    "loop": (loop, real(6, 6), real(4, 6)),
}


def nano_gpt(p, tokens):
    """A GPT of two layers, heads and embeddings; the logits of the next characters."""
    x = p["words"][tokens] + p["positions"][: tokens.shape[1]]
    for layer in p["layers"]:
        x = transformer(layer, x)
    return norm(x) @ p["words"].T


def nano_weights(draw, vocabulary=27, length=12, width=16):
    def weights(*shape):
        return (draw.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)

    layer = {"qkv": (width, 3 * width), "out": (width, width), "up": (width, 4 * width), "down": (4 * width, width)}
    return {"words": weights(vocabulary, width), "positions": weights(length, width) / 4,
            "layers": [{name: weights(*shape) for name, shape in layer.items()} for _ in range(2)]}


def losses_of_nano_gpt(device, steps=100):
    import optax

    draw = np.random.default_rng(0)
    text = np.frombuffer(("the quick brown fox jumps over the lazy dog " * 20).encode(), np.uint8)
    text = np.where(text == ord(" "), 26, text - ord("a")).astype(np.int32)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-2))

    def loss(p, tokens):
        return optax.softmax_cross_entropy_with_integer_labels(nano_gpt(p, tokens[:, :-1]), tokens[:, 1:]).mean()

    @jax.jit(donate_argnums=(0, 1))
    def step(p, state, tokens):
        value, slopes = jax.value_and_grad(loss)(p, tokens)
        updates, state = optimizer.update(slopes, state, p)
        return optax.apply_updates(p, updates), state, value

    with jax.default_device(device):
        p = jax.device_put(nano_weights(draw), device)
        state, losses = optimizer.init(p), []
        for _ in range(steps):
            starts = draw.integers(0, text.size - 13, 4)
            p, state, value = step(p, state, jax.device_put(np.stack([text[i : i + 13] for i in starts]), device))
            losses.append(float(value))
    return np.array(losses)


def training():
    try:
        want, got = losses_of_nano_gpt(CPU), losses_of_nano_gpt(TT)
        assert np.abs(got - want).max() < 1e-3 and got[-1] < got[0] / 2, (np.abs(got - want).max(), got[0], got[-1])
        wrong["NanoGPT"] = None
    except ImportError as error:
        wrong["NanoGPT"] = f"skipped: {error}"
    except Exception:
        wrong["NanoGPT"] = traceback.format_exc()[-1500:]


def squares(function):
    return lambda p, x: sum((y.astype(jnp.float32) ** 2).mean() for y in jax.tree.leaves(function(p, x)))


def models():
    for name, (function, weights, x) in MODELS.items():
        for dtype, tolerance in ((jnp.float32, 1e-5), (jnp.bfloat16, 2e-2)):
            arguments = jax.tree.map(lambda a: np.asarray(a, dtype), (weights, x))
            program(f"{name} {dtype.__name__}", function, arguments, tolerance)
            program(f"gradient of {name} {dtype.__name__}", jax.value_and_grad(squares(function)), arguments, tolerance)
    program("algebra", algebra, (real(6, 6), real(6, 2)), 1e-5)
    program("gradient of algebra", jax.value_and_grad(squares(algebra)), (real(6, 6), real(6, 2)), 1e-5)


def programs():
    """Of test_jax_functions.py and test_jax_host.py."""
    for case in test_jax_functions.ALL:
        function, arrays, kind = case.values
        if kind == "f32" or kind == "i32" and "f32" not in str(case.id):
            program(f"live {case.id}", function, test_jax_functions.inputs(arrays, kind), 1e-4)
    for name, (function, *arguments) in test_jax_host.PROGRAMS.items():
        program(f"live {name}", function, arguments, 1e-4)


if __name__ == "__main__":
    models()
    programs()
    training()
    json.dump(wrong, sys.stdout)
