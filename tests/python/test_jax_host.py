"""Output of jax.export, as text and as a portable artifact, through `tilewright run`: programs partly executed by the
host, against jax's results."""

import subprocess
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax

TOOL = Path(__file__).resolve().parents[2] / "build" / "bin" / "tilewright"


def real(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def power_iteration(a):
    a = a @ a.T

    def again(state):
        return (state[1] > 1e-4) & (state[2] < 200)

    def step(state):
        w = a @ state[0]
        w = w / jnp.linalg.norm(w)
        return w, jnp.max(jnp.abs(w - state[0])), state[2] + 1

    v = lax.while_loop(again, step, (jnp.full(64, 0.125, jnp.float32), jnp.float32(1), 0))[0]
    return v @ a @ v


def train(x, w, v, y, steps):
    def loss(p):
        return jnp.mean((jnp.tanh(x @ p[0]) @ p[1] - y) ** 2)

    return lax.fori_loop(0, steps, lambda i, p: jax.tree.map(lambda a, b: a - 0.05 * b, p, jax.grad(loss)(p)), (w, v))


def branches(x, n):
    return lax.fori_loop(0, n, lambda i, v: lax.switch(i % 3, [jnp.sin, jnp.cos, lambda a: a @ a], v), x)


def branch_that_never_ends(x):
    return lax.cond(x[0] > 1e9, lambda v: lax.while_loop(lambda s: s[0] < 1, lambda s: s * 0, v), lambda v: v * 2, x)


def bodies(x):
    def both(a, b):
        return a[0] + b[0] * 0.5, jnp.maximum(a[1], b[1]) * 1.0

    return lax.reduce((x, x), (np.float32(0), np.float32(-np.inf)), both, (1,)), lax.cumlogsumexp(x, 1)


def matrices(a, b):
    q, r = jnp.linalg.qr(b)
    w, v = jnp.linalg.eigh(a @ a.T)
    u, s, t = jnp.linalg.svd(b, full_matrices=False)
    return (jnp.linalg.cholesky(a @ a.T + 4 * jnp.eye(4)), jnp.linalg.solve(a, b[:4]), jnp.linalg.det(a), q, r, w,
            (v * w) @ v.T, s, (u * s) @ t)


def numbers(seed):
    key = jax.random.key(seed)
    rbg = jax.random.key(seed, impl="rbg")
    return (jax.random.bits(key, (70,)), jax.random.normal(key, (5, 7)), jax.random.permutation(key, 20),
            jax.random.bits(rbg, (7, 3)), jax.random.uniform(rbg, (16,)))


def complex_numbers(a, b):
    z = a + 1j * b
    return jnp.tan(z) * jnp.fft.fft(z), jnp.abs(z ** 1.5), jnp.sort(a * b)


def special(x):
    sp = jax.scipy.special
    return sp.gammainc(2.0, jnp.abs(x)), sp.betainc(2.0, 3.0, jax.nn.sigmoid(x))


PROGRAMS = {
    "power_iteration": (power_iteration, real(64, 64)),
    "train": (train, real(64, 8), real(8, 16), real(16, 1), real(64, 1), np.int32(10)),
    "branches": (branches, real(4, 4) / 2, np.int32(5)),
    "branch_that_never_ends": (branch_that_never_ends, real(3)),
    "bodies": (bodies, real(4, 10)),
    "matrices": (matrices, real(4, 4), real(6, 3)),
    "numbers": (numbers, np.uint32(7)),
    "complex_numbers": (complex_numbers, real(2, 6), real(2, 6) + 1),
    "special": (special, real(9)),
}


def integers(a, b):
    return (a * b, a // (b + 1), a % (b + 1), a << 3, a >> 5, jnp.sum(a * b), jnp.cumsum(a), jnp.sort(a),
            a.astype(float), a.astype(jnp.int32), jnp.argsort(a), jnp.max(a), a.astype(jnp.uint64) * 3)


def doubles(x, w):
    return jnp.tanh(x @ w), jax.grad(lambda v: jnp.sum(jnp.sin(x @ v)))(w), (x * 1e12).astype(jnp.int64)


def indices(x):
    return (jnp.sum(x > 0), jnp.argmax(x), jnp.arange(5) * 2**33, x[jnp.arange(0, 100, 7)],
            jnp.nonzero(x > 1, size=5)[0], jax.random.bits(jax.random.key(3), (9,), jnp.uint64))


WIDE = {
    "integers": (integers, np.random.default_rng(1).integers(-(2**40), 2**40, 10),
                 np.random.default_rng(2).integers(0, 2**20, 10)),
    "doubles": (doubles, real(8, 16).astype(np.float64), real(16, 4).astype(np.float64)),
    "indices": (indices, real(100)),
}


def as_stored(a):
    return np.stack([a.real, a.imag], -1) if a.dtype.kind == "c" else a


def check(folder, function, *arguments):
    arguments = [jnp.asarray(a) for a in arguments]
    exported = export.export(jax.jit(function))(*arguments)
    wanted = [np.asarray(r) for r in jax.tree.leaves(jax.jit(function)(*arguments))]
    (folder / "p.mlir").write_text(exported.mlir_module())
    (folder / "p.bc").write_bytes(exported.mlir_module_serialized)
    np.savez(folder / "in.npz", **{f"in{i}": as_stored(np.asarray(a)) for i, a in enumerate(arguments)})
    np.savez(folder / "want.npz", **{f"out{i}": as_stored(r) for i, r in enumerate(wanted)})
    for form in "p.mlir", "p.bc":
        done = subprocess.run(
            [TOOL, "run", form, "--inputs", "in.npz", "--expect", "want.npz", "--pcc", "0.999999", "--outputs", "o.npz"],
            cwd=folder, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, (done.stdout, done.stderr)
        got = np.load(folder / "o.npz")
        for i, r in enumerate(wanted):
            if r.dtype.kind in "iub":
                np.testing.assert_array_equal(got[f"out{i}"], r)
            elif r.dtype == np.float64:
                np.testing.assert_allclose(got[f"out{i}"], r, rtol=1e-13)
    return done.stderr


@pytest.mark.skipif(not TOOL.is_file(), reason="needs the command-line tools: run make")
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name, tmp_path):
    assert "runs on the host" in check(tmp_path, *PROGRAMS[name])


@pytest.mark.skipif(not TOOL.is_file(), reason="needs the command-line tools: run make")
@pytest.mark.parametrize("name", WIDE)
def test_64_bits(name, tmp_path):
    with jax.enable_x64(True):
        assert "runs on the host" in check(tmp_path, *WIDE[name])
