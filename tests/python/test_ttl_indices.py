"""Indices outside of a tensor's dimension are reported where they would address another row, and cost nothing where
they fit."""

import os

import numpy as np
import pytest
import ttl

pytestmark = pytest.mark.skipif("TILEWRIGHT_SIM_CPP" in os.environ, reason="C++ for hardware does not look at indices")


def moved(grid, index, x, out, extent=1, *numbers):
    """Copies blocks of `extent` tiles from x[index(...)] to the same position of out."""
    @ttl.kernel(grid=grid)
    def kernel(x, out, n: ttl.RuntimeInt):
        cb = ttl.make_circular_buffer_like(x, shape=(1, extent))

        @ttl.datamovement()
        def read():
            for at in range(3):
                with cb.reserve() as block:
                    ttl.copy(x[index(at, n)], block).wait()

        @ttl.datamovement()
        def write():
            for at in range(3):
                with cb.wait() as block:
                    ttl.copy(block, out[index(at, n)]).wait()

    kernel(x, out, *numbers or (0,))
    return kernel.ir(x, out, *numbers or (0,))


def tensors(*shape):
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    return x, np.zeros_like(x)


@pytest.mark.parametrize("shape, index, extent, text", [
    ((64, 64), lambda at, n: (0, at), 1, "column 2 is not in the tensor, which has 2"),
    ((64, 96), lambda at, n: (0, slice(at, at + 2)), 2, "columns 2 to 3 are not all in the tensor, which has 3"),
    ((64, 96), lambda at, n: (1, at - 1), 1, "column -1 is not in the tensor, which has 3"),
    ((64, 96), lambda at, n: (0, n), 1, "column 3 is not in the tensor, which has 3"),
    ((2, 64, 32), lambda at, n: (0, at, 0), 1, "row 2 is not in the tensor, which has 2"),
    ((2, 2, 32, 32), lambda at, n: (0, at, 0, 0), 1, "matrix 2 is not in the tensor, which has 2"),
])
def test_outside(shape, index, extent, text):
    with pytest.raises(RuntimeError, match=f"NoC range: {text}") as reports:
        moved((1, 1), index, *tensors(*shape), extent, 3)
    assert "test_ttl_indices.py:23" in str(reports.value)


def test_grid_larger_than_the_tensor():
    @ttl.kernel(grid=(3, 1))
    def kernel(x, out):
        cb = ttl.make_circular_buffer_like(x, shape=(1, 1))

        @ttl.datamovement()
        def read():
            with cb.reserve() as block:
                ttl.copy(x[0, ttl.core(dims=1)], block).wait()

        @ttl.datamovement()
        def write():
            with cb.wait() as block:
                ttl.copy(block, out[0, ttl.core(dims=1)]).wait()

    x, out = tensors(64, 64)
    with pytest.raises(RuntimeError, match="column 2 is not in the tensor, which has 2 columns of tiles .*core 0,2"):
        kernel(x, out)
    x, out = tensors(64, 96)
    kernel(x, out)
    assert np.array_equal(out[:32], x[:32])
    assert "check_index" not in kernel.ir(x, out)


@pytest.mark.parametrize("index, known", [
    (lambda at, n: (0, at), True),
    (lambda at, n: (at % 2, (at * 5 + 1) % 3), True),
    (lambda at, n: (at // 2, 2 - at), False),
    (lambda at, n: (0, min(at + n, 2)), False),
    (lambda at, n: (0, at + n), False),
    (lambda at, n: (0, (at + n) % 3), True),
])
def test_inside(index, known):
    """Nothing is reported, and indices known to fit are not checked."""
    x, out = tensors(64, 96)
    text = moved((1, 1), index, x, out)
    assert ("check_index" in text) == (not known)
    assert all(np.array_equal(out[r * 32:r * 32 + 32, c * 32:c * 32 + 32], x[r * 32:r * 32 + 32, c * 32:c * 32 + 32])
               for r, c in (index(at, 0) for at in range(3)))


def test_looking_takes_no_time_and_is_not_in_the_cpp():
    @ttl.kernel(grid=(1, 1))
    def kernel(x, out, n: ttl.RuntimeInt):
        cb = ttl.make_circular_buffer_like(x, shape=(1, 1))

        @ttl.datamovement()
        def read():
            with cb.reserve() as block:
                ttl.copy(x[0, n], block).wait()

        @ttl.datamovement()
        def write():
            with cb.wait() as block:
                ttl.copy(block, out[0, n]).wait()

    x, out = tensors(32, 64)
    kernel(x, out, 1)
    assert np.array_equal(out[:, 32:], x[:, 32:]) and not out[:, :32].any()
    assert "check_index" in kernel.ir(x, out, 1, level="ttkernel")
    assert "check" not in kernel.ir(x, out, 1, level="cpp")
