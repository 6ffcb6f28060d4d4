"""Programs that share a constant hold one packed form of it, for as long as one of them has the constant."""

import re
import threading
from pathlib import Path

import numpy as np
import pytest
import torch
from native import Program

K, N = 40, 24


def product(rows):
    return Program(f"""func.func @main(%a: tensor<{rows}x{K}xf32>, %b: tensor<{K}x{N}xf32>) -> tensor<{rows}x{N}xf32> {{
      %0 = "ttir.matmul"(%a, %b) <{{transpose_a = false, transpose_b = false}}> : (tensor<{rows}x{K}xf32>, tensor<{K}x{N}xf32>) -> tensor<{rows}x{N}xf32>
      return %0 : tensor<{rows}x{N}xf32>
    }}""")


def agrees(program, rows, weights):
    a = np.random.default_rng(rows).standard_normal((rows, K), np.float32)
    (got,) = program(a, None)
    return np.allclose(got, a @ weights, rtol=1e-5, atol=1e-5)


@pytest.fixture
def weights():
    return np.random.default_rng(0).standard_normal((K, N)).astype(np.float32)


def test_one_form_serves_programs_with_the_same_stamp(weights):
    former = weights.copy()
    first, second = product(64), product(96)
    first.share_constant(1, weights, 1)
    assert agrees(first, 64, former) and agrees(first, 64, former)  # the second run packs
    weights += 1  # a program that packed them itself would see this
    second.share_constant(1, weights, 1)
    assert agrees(second, 96, former)


def test_another_stamp_is_another_form(weights):
    former = weights.copy()
    first, second = product(64), product(96)
    first.share_constant(1, weights, 1)
    assert agrees(first, 64, former) and agrees(first, 64, former)
    weights += 1
    second.share_constant(1, weights, 2)
    assert agrees(second, 96, weights)
    assert agrees(first, 64, former)  # its constant was not set again
    first.share_constant(1, weights, 2)
    assert agrees(first, 64, weights)


@pytest.mark.parametrize("share", [False, True])
def test_the_second_run_packs(weights, share):
    former, program = weights.copy(), product(64)
    if share:
        program.share_constant(1, weights, 1)
    else:
        program.borrow_constant(1, weights)
    assert agrees(program, 64, former)
    weights += 1  # which an owner must not do: the first run reads the memory as it is
    assert agrees(program, 64, weights)
    weights += 1
    assert agrees(program, 64, weights - 1)


@pytest.mark.parametrize("rows", [1, 2, 8, 33])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["f32", "bf16"])
def test_packing_keeps_the_bits(rows, transposed, dtype):
    """Of the first run of the model, which reads its weights as torch has them, and of later ones."""
    torch.manual_seed(rows)
    for k, n in ((17, 33), (300, 513)):
        linear, x = torch.nn.Linear(k, n, dtype=dtype), torch.randn(rows, k, dtype=dtype)
        other = torch.nn.Parameter(torch.randn(k, n, dtype=dtype))
        step = torch.compile(linear if transposed else lambda x: x @ other, backend="tt")
        with torch.no_grad():
            first, *later = [step(x).clone() for _ in range(3)]
        assert all(torch.equal(first, result) for result in later)
        torch._dynamo.reset()


def test_the_last_user_frees_the_form(weights):
    first, second = product(64), product(96)
    first.share_constant(1, weights, 1)
    assert agrees(first, 64, weights)
    assert agrees(first, 64, weights)
    del first
    weights += 1  # as another tensor at the same address
    second.share_constant(1, weights, 1)
    assert agrees(second, 96, weights)


def test_setting_a_constant_releases_the_form(weights):
    first, second = product(64), product(96)
    first.share_constant(1, weights, 1)
    assert agrees(first, 64, weights)
    other = -weights
    first.set_constant(1, other)
    assert agrees(first, 64, other)
    weights += 1
    second.share_constant(1, weights, 1)
    assert agrees(second, 96, weights)


def test_threads_share(weights):
    programs = [product(32 + i) for i in range(8)]
    wrong = []

    def use(i):
        for _ in range(20):
            programs[i].share_constant(1, weights, 1)
            for _ in range(2):
                if not agrees(programs[i], 32 + i, weights):
                    wrong.append(i)

    threads = [threading.Thread(target=use, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def resident():
    return int(re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())[1]) * 1024


def test_lengths_of_a_model_share_its_weights():
    import tilewright  # noqa: F401

    model = torch.nn.Sequential(*(torch.nn.Linear(1024, 1024) for _ in range(16))).eval()
    weights = 16 * 1024 * 1024 * 4
    compiled = torch.compile(model, backend="tt")
    with torch.no_grad():
        for rows in (32, 33):
            compiled(torch.randn(rows, 1024))
        before = resident()
        for rows in range(40, 46):
            x = torch.randn(rows, 1024)
            torch.testing.assert_close(compiled(x), model(x), rtol=1e-4, atol=1e-5)
        assert resident() - before < weights, "each length holds weights of its own"
        model[3].weight += 1  # written in place: seen by each length at its next call
        for rows in (40, 33, 41):
            x = torch.randn(rows, 1024)
            torch.testing.assert_close(compiled(x), model(x), rtol=1e-4, atol=1e-4)


def test_a_bounded_number_of_lengths_is_kept(monkeypatch):
    from tilewright.torch_backend import backend

    made = []
    real = backend.EachShape.make
    monkeypatch.setattr(backend.EachShape, "MOST", 4)
    monkeypatch.setattr(backend.EachShape, "make", lambda self, args, numbers: made.append(self) or real(self, args, numbers))
    model = torch.nn.Linear(8, 8).eval()
    torch._dynamo.reset()
    compiled = torch.compile(model, backend="tt", dynamic=True)

    def call(rows):
        x = torch.randn(rows, 8)
        torch.testing.assert_close(compiled(x), model(x), rtol=1e-4, atol=1e-5)

    with torch.no_grad():
        for rows in (2, 3, 4, 5, 2, 6, 2):  # 6 drops 3, which was used least recently
            call(rows)
        assert len(made) == 5 and len(made[0].runners) == 4
        call(3)
        assert len(made) == 6 and len(made[0].runners) == 4
