"""Masks and sinks of attention: which of them the scale multiplies, for sequences and for one query at a time, beside torch in f64.

TTIR's attention adds both to the scaled scores, as torch does. TTNN's kernels multiply a sink, and a mask when decoding, by the scale."""

import itertools
import subprocess

import numpy as np
import pytest

import native
from one_op import real, run, segments

torch = pytest.importorskip("torch")

SCALE = 0.25


def attend(query, key, value, mask=None, sink=None):
    """[users, heads, queries, size]; heads of keys are shared."""
    q, k, v = (torch.from_numpy(t).double() for t in (query, key, value))
    k, v = (t.repeat_interleave(q.shape[1] // k.shape[1], 1) for t in (k, v))
    scores = q @ k.mT * SCALE
    if mask is not None:
        scores = scores + torch.from_numpy(mask).double()
    if sink is not None:
        column = torch.from_numpy(sink).double().expand(*scores.shape[:3], 1)
        scores = torch.cat([scores, column], -1)
    return (torch.softmax(scores, -1)[..., :k.shape[2]] @ v).numpy()


@pytest.mark.parametrize("length", [32, 1])
@pytest.mark.parametrize("masked, sunk", [(True, False), (False, True), (True, True)])
def test_of_sequences(length, masked, sunk):
    query, key, value = real(2, 4, length, 16), real(2, 2, 64, 16), real(2, 2, 64, 16)
    mask = 3 * real(2, 1, length, 64) if masked else None
    sink = 3 * real(1, 4, 1, 1) if sunk else None
    args = [t for t in (query, key, value, mask, sink) if t is not None]
    types = [f"tensor<{'x'.join(map(str, t.shape))}xf32>" for t in args]
    names = [f"%a{i}" for i in range(len(args))]
    program = native.Program(
        f"func.func @main({', '.join(f'{n}: {t}' for n, t in zip(names, types))}) -> {types[0]} {{\n"
        f"  %r = \"ttir.scaled_dot_product_attention\"({', '.join(names)}) <{{is_causal = false, scale = {SCALE} : f32, "
        f"{segments(1, 1, 1, int(masked), int(sunk))}}}> : ({', '.join(types)}) -> {types[0]}\n  return %r : {types[0]}\n}}\n")
    out, = program(*args)
    np.testing.assert_allclose(out, attend(query, key, value, mask, sink), rtol=1e-4, atol=1e-5)


USERS, HEADS, KEYS, SIZE = 3, 4, 64, 16
POSITIONS = np.array([5, 40, 63], np.int32)


def seen(causal, window, positions):
    """The keys that each user's query sees, as a mask."""
    last = POSITIONS if causal and positions else np.full(USERS, 0 if causal else KEYS - 1)
    far = last[:, None] - np.arange(KEYS)[None, :]
    hidden = (far < 0) | ((far >= window) if window else False)
    return np.where(hidden, -np.inf, 0)[:, None, None, :]


def decode_case(causal, window, positions, masked, sunk):
    query, key, value = real(1, USERS, HEADS, SIZE), real(USERS, 2, KEYS, SIZE), real(USERS, 2, KEYS, SIZE)
    mask = 4 * real(USERS, 1, HEADS, KEYS) if masked else None
    sink = 6 * real(HEADS, 32) if sunk else None
    logits = seen(causal, window, positions)
    if masked:
        logits = logits + SCALE * mask.transpose(0, 2, 1, 3)
    want = attend(query.transpose(1, 2, 0, 3), key, value, logits, SCALE * sink[:, 0].reshape(1, HEADS, 1, 1) if sunk else None)
    given = [query, key, value, mask, POSITIONS if positions else None, sink]
    attrs = (f"is_causal = {str(causal).lower()}, scale = {SCALE} : f32, {segments(*(int(t is not None) for t in given))}"
             + (f", sliding_window_size = {window} : ui32" if window else ""))
    return [t for t in given if t is not None], attrs, want.transpose(2, 0, 1, 3)


CASES = [c for c in itertools.product([True, False], [0, 8], [True, False], [True, False], [True, False])
         if not (c[0] and c[3])]  # a causal query has no mask


@pytest.mark.parametrize("case", CASES)
def test_of_one_query(case):
    inputs, attrs, want = decode_case(*case)
    out, = run("scaled_dot_product_attention_decode", inputs, [(want.shape, "f32")], attrs)
    np.testing.assert_allclose(out, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("case", CASES)
def test_of_one_query_decomposed(case):
    """By ttnn-decomposition, which leaves products, sums and a softmax."""
    inputs, attrs, want = decode_case(*case)
    types = [f"tensor<{'x'.join(map(str, t.shape))}x{'si32' if t.dtype == np.int32 else 'f32'}>" for t in inputs]
    names = [f"%a{i}" for i in range(len(inputs))]
    text = (f"func.func @main({', '.join(f'{n}: {t}' for n, t in zip(names, types))}) -> {types[0]} {{\n"
            f"  %r = \"ttnn.scaled_dot_product_attention_decode\"({', '.join(names)}) <{{{attrs}}}> : ({', '.join(types)}) -> {types[0]}\n"
            f"  return %r : {types[0]}\n}}\n")
    steps = ["--ttcore-register-device", "--ttnn-layout", "--ttnn-decomposition"]
    text = subprocess.run([native.BUILD / "bin/ttmlir-opt", *steps], input=text, capture_output=True, text=True, check=True).stdout
    assert "attention" not in text
    out, = native.Program(text)(*inputs)
    np.testing.assert_allclose(out, want, rtol=1e-4, atol=1e-5)
