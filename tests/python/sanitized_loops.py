"""sanitized_loops.py: a JAX loop and a training loop of PyTorch for a build with sanitizers, which `make asan` runs.

JAX: steps of training with donated parameters, while other threads compile and run programs of their own, on the device and on the host.
PyTorch: forward, backward and optimiser steps of a compiled model on two threads. Losses must fall, and equal those of eager torch."""

import copy
import os
import threading

os.environ["JAX_PLATFORMS"] = "tt"
os.environ["TILEWRIGHT_THREADS"] = "2"

import jax
import jax.numpy as jnp
import numpy as np
import torch
from jax import lax
from tilewright.torch_backend import tt

STEPS = 10


def with_jax():
    draw = np.random.default_rng(0)
    p = [jnp.asarray(draw.standard_normal((m, n), np.float32) / 4) for m, n in ((8, 32), (32, 4))]
    x, y = jnp.asarray(draw.standard_normal((16, 8), np.float32)), jnp.ones((16, 4))

    def loss(p):
        return jnp.mean((jnp.tanh(x @ p[0]) @ p[1] - y) ** 2)

    @jax.jit(donate_argnums=0)
    def step(p):
        value, slopes = jax.value_and_grad(loss)(p)
        return [w - 0.1 * s for w, s in zip(p, slopes)], value

    results = [None] * 4

    def other(i):
        f = jax.jit(lambda v: lax.while_loop(lambda c: c.sum() < 50, lambda c: c * 1.5 + i, v))
        results[i] = [float(f(jnp.arange(4.0) + k).sum()) for k in range(4)]

    threads = [threading.Thread(target=other, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    losses = []
    for _ in range(STEPS):
        p, value = step(p)
        losses.append(float(value))
    for thread in threads:
        thread.join()
    assert losses[-1] < losses[0] and all(r and min(r) >= 50 for r in results), (losses, results)


def with_torch():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Conv2d(2, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Flatten(),
                                torch.nn.Linear(144, 3))
    x, y = torch.randn(6, 2, 8, 8), torch.randint(0, 3, (6,))
    curves = []
    for call in (model, copy.deepcopy(model)):
        torch.manual_seed(1)
        optimizer = torch.optim.AdamW(call.parameters(), lr=1e-2)
        compiled = torch.compile(call, backend=tt, options={"threads": 2}) if not curves else call
        losses = []
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(compiled(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        curves.append(losses)
    np.testing.assert_allclose(*curves, atol=1e-4)
    assert curves[0][-1] < curves[0][0]


with_jax()
with_torch()
print("both loops ran")
