"""Caches that a model writes: a few rows are written where they are, and torch sees a write; everything else is as in torch."""

import ctypes

import native
import numpy as np
import pytest
import torch
from native import DTYPES, Program
from torch import nn

from tilewright import _engine
from tilewright.torch_backend import tt


class Cache(nn.Module):
    """One row of a cache is replaced, or added to; what is computed from it, before and after, is returned."""

    def __init__(self, shape, how, dtype=torch.float32):
        super().__init__()
        self.how = how
        self.register_buffer("cache", torch.randn(shape).to(dtype))

    def forward(self, row, at):
        before = self.cache.sum((0, 1, 2)) if "before" in self.how else None
        if "scatter" in self.how:
            self.cache.scatter_(2, at.view(1, 1, 1, 1).expand(row.shape), row)
        else:
            self.cache.index_copy_(2, at, row)
        if "old" in self.how:
            return self.cache.sum((0, 1, 2)) - before
        after = self.cache.amax(2)
        if "returned" in self.how:
            return after, self.cache
        return (after, before) if "before" in self.how else after


@pytest.fixture(autouse=True)
def fresh():
    torch.manual_seed(1)
    torch._dynamo.reset()


def results(r):
    return [r] if torch.is_tensor(r) else [x for x in r if x is not None]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("how", ["copied", "scatter", "before", "old before", "returned"])
@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (2, 3, 7, 5), (1, 4, 64, 16)])
def test_steps(shape, how, dtype):
    model, want = Cache(shape, how, dtype), Cache(shape, how, dtype)
    want.load_state_dict(model.state_dict())
    compiled = torch.compile(model, backend=tt)
    with torch.no_grad():
        for step in range(5):
            row = torch.randn(*shape[:2], 1, shape[3]).to(dtype)
            at, address, version = torch.tensor([step % shape[2]]), model.cache.data_ptr(), model.cache._version
            got, expected = results(compiled(row, at)), results(want(row, at))
            for g, e in zip(got, expected, strict=True):
                torch.testing.assert_close(g.float(), e.float(), rtol=1e-2 if dtype == torch.bfloat16 else 1e-5, atol=1e-1 if dtype == torch.bfloat16 else 1e-4)
            assert torch.equal(model.cache, want.cache)
            assert model.cache.data_ptr() == address and model.cache._version > version


def test_other_memory_and_strides():
    model, want = Cache((2, 2, 8, 4), "copied"), Cache((2, 2, 8, 4), "copied")
    compiled = torch.compile(model, backend=tt)
    with torch.no_grad():
        for step, make in enumerate([torch.clone, torch.clone, lambda t: t.transpose(0, 1).contiguous().transpose(0, 1), torch.clone]):
            model.cache = make(torch.randn(2, 2, 8, 4))
            want.cache = model.cache.clone()
            row, at = torch.randn(2, 2, 1, 4), torch.tensor([step])
            torch.testing.assert_close(compiled(row, at), want(row, at))
            assert torch.equal(model.cache, want.cache)


def test_overlapping_argument():
    """A row that is computed from a part of the cache itself."""

    def step(cache, part, at):
        cache.index_copy_(2, at, part * 2)
        return cache.amax(2) + part.mean()

    compiled = torch.compile(step, backend=tt)
    a = torch.randn(1, 1, 8, 4)
    b = a.clone()
    for i in range(4):
        at = torch.tensor([i])
        torch.testing.assert_close(compiled(a, a[:, :, 7:], at), step(b, b[:, :, 7:], at))
        assert torch.equal(a, b)


def test_argument_that_is_written():
    """A cache that is an argument, read by another program's call later."""

    def step(cache, row, at):
        cache.index_copy_(2, at, row)
        return cache.mean()

    compiled = torch.compile(step, backend=tt)
    a = torch.randn(1, 2, 16, 8)
    b = a.clone()
    for i in range(4):
        row, at = torch.randn(1, 2, 1, 8), torch.tensor([3 * i])
        torch.testing.assert_close(compiled(a, row, at), step(b, row, at))
        assert torch.equal(a, b)


def programs_of(fn, tensors):
    """The texts that torch.compile(fn, backend="tt") compiles."""
    seen = []

    def keep(text, settings=None):
        seen.append(_engine.text_of(text))
        return _engine.native_compile(text, settings)

    former = _engine.set_engine(keep)
    try:
        torch.compile(fn, backend=tt)(*tensors)
    finally:
        _engine.set_engine(former)
    return seen


@pytest.mark.parametrize("old", [False, True])
def test_program_updates(old):
    """A run writes the row only, into the input's memory; not where the old values are read later."""

    def step(cache, row, at):
        kept = cache.clone()
        cache.index_copy_(2, at, row)
        return cache.mean() - kept.mean() if old else cache.mean()

    tensors = torch.randn(1, 2, 16, 8), torch.randn(1, 2, 1, 8), torch.tensor([5])
    (text,) = programs_of(step, [t.clone() for t in tensors])
    program = Program(text)
    arrays = [t.numpy() for t in tensors]
    order = [next(k for k, a in enumerate(arrays) if a.shape == program.shape(i)) for i in range(program.n_in)]
    arrays = [arrays[k] if arrays[k].dtype == np.float32 else arrays[k].astype(DTYPES[native.lib.tw_program_input(program.handle, i).contents.dtype])
              for i, k in enumerate(order)]
    cache = order.index(0)
    results = program(*arrays)
    (out,) = [i for i, r in enumerate(results) if r.shape == (1, 2, 16, 8)]
    updates = native.lib.tw_program_updates
    updates.argtypes, updates.restype = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t], ctypes.c_bool
    found = [(i, o) for i in range(program.n_in + 1) for o in range(program.n_out + 1) if updates(program.handle, i, o)]
    assert found == ([] if old else [(cache, out)])
    if old:
        return
    mine = [a.copy() for a in arrays]
    outs = [np.zeros_like(r) for r in results]
    outs[out] = mine[cache]
    ins = (ctypes.c_void_p * len(mine))(*[a.ctypes.data for a in mine])
    to = (ctypes.c_void_p * len(outs))(*[o.ctypes.data for o in outs])
    assert not native.lib.tw_program_run(program.handle, ins, to)
    for got, want in zip(outs, results):
        np.testing.assert_array_equal(got, want)
