"""Padding that counts is told: reductions and products that see what lies behind a tensor's edge."""

import warnings

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402

math = ttl.math


def run(first, then, shape, out_shape=(32, 32)):
    """Two steps on one block, the result of the first going through a buffer; what was warned of."""
    x, w, out = torch.rand(shape) + 1, torch.rand(32, 32), torch.zeros(out_shape)

    @ttl.kernel(grid=(1, 1))
    def kernel(x, w, out):
        x_cb, w_cb, t_cb, o_cb = (ttl.make_circular_buffer_like(x, shape=(1, 1)) for _ in range(4))

        @ttl.compute()
        def compute():
            with x_cb.wait() as a, w_cb.wait() as b:
                with t_cb.reserve() as t:
                    t.store(first(a, b))
                with t_cb.wait() as t, o_cb.reserve() as o:
                    o.store(then(t, b))

        @ttl.datamovement()
        def read():
            with x_cb.reserve() as a, w_cb.reserve() as b:
                ttl.copy(x[0, 0], a).wait()
                ttl.copy(w[0, 0], b).wait()

        @ttl.datamovement()
        def write():
            with o_cb.wait() as b:
                ttl.copy(b, out[0, 0]).wait()

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kernel(x, w, out)
    return [str(w.message) for w in caught if issubclass(w.category, RuntimeWarning)], x, out


@pytest.mark.parametrize("first, then, shape, said", [
    (lambda a, b: a * 1, lambda t, b: math.reduce_max(t, dims=[1]), (32, 20), "reduce_max looks at columns behind the tensor's edge, which hold 0"),
    (lambda a, b: math.exp(a), lambda t, b: math.reduce_sum(t, dims=[1]), (32, 20), "reduce_sum adds columns behind the tensor's edge, which hold 1"),
    (lambda a, b: a + 2, lambda t, b: math.reduce_sum(t, dims=[0]), (20, 32), "reduce_sum adds rows behind the tensor's edge, which hold 2"),
    (lambda a, b: math.exp(a - b), lambda t, b: math.reduce_sum(t, dims=[0, 1]), (20, 20), "which hold numbers computed from data"),
    (lambda a, b: math.exp(a), lambda t, b: t @ b, (32, 20), "this product adds what lies behind its operands' edges, which is 1 in the left one's columns"),
    (lambda a, b: 1 / (a + b), lambda t, b: math.reduce_sum(t, dims=[0]), (20, 32), "numbers computed from data"),
    (lambda a, b: ttl.transpose(a), lambda t, b: math.reduce_max(t, dims=[0]), (32, 20), "reduce_max looks at rows"),
])
def test_padding_that_counts(first, then, shape, said):
    told, *_ = run(first, then, shape)
    assert len(told) == 1 and said in told[0], told
    assert "test_ttl_padding.py:" in told[0] and "give the kernel tensors of whole tiles" in told[0]


@pytest.mark.parametrize("first, then, shape", [
    (lambda a, b: math.exp(a), lambda t, b: math.reduce_sum(t, dims=[0, 1]), (32, 32)),  # no padding
    (lambda a, b: math.relu(a) * 3, lambda t, b: math.reduce_sum(t, dims=[0, 1]), (20, 20)),  # zeros stay zeros
    (lambda a, b: math.exp(a), lambda t, b: math.reduce_sum(t, dims=[0]), (32, 20)),  # of another dimension
    (lambda a, b: math.exp(a), lambda t, b: t * 2, (20, 20)),  # nobody adds
    (lambda a, b: (a + 1) * b, lambda t, b: math.reduce_sum(t, dims=[0]), (20, 32)),  # b may be a mask
    (lambda a, b: a * 2, lambda t, b: t @ b, (32, 20)),  # products with zeros
    (lambda a, b: math.broadcast(a, dims=[1]), lambda t, b: math.reduce_max(t, dims=[1]), (32, 1)),  # spread over the padding
])
def test_padding_that_does_not_count(first, then, shape):
    told, *_ = run(first, then, shape)
    assert told == []


def test_the_numbers_that_the_warning_is_about():
    told, x, out = run(lambda a, b: math.exp(a), lambda t, b: math.reduce_sum(t, dims=[1]), (32, 20))
    assert torch.allclose(out[:, 0], x.exp().sum(1) + 12, rtol=2**-10)  # twelve columns of exp(0)


def test_whole_tiles_inside_a_tensor_with_an_edge():
    x, out = -torch.rand(40, 40), torch.zeros(32, 32)

    @ttl.kernel(grid=(1, 1))
    def kernel(x, out):
        x_cb, o_cb = (ttl.make_circular_buffer_like(x, shape=(1, 1)) for _ in range(2))

        @ttl.compute()
        def compute():
            with x_cb.wait() as a, o_cb.reserve() as o:
                o.store(math.reduce_max(a, dims=[0, 1]))

        @ttl.datamovement()
        def read():
            with x_cb.reserve() as a:
                ttl.copy(x[0, 0], a).wait()

        @ttl.datamovement()
        def write():
            with o_cb.wait() as b:
                ttl.copy(b, out[0, 0]).wait()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel(x, out)
    assert torch.allclose(out[0, 0], x[:32, :32].max(), rtol=2**-10)
