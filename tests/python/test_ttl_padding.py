"""Padding that affects results is reported: reductions and products that read beyond a tensor's edge."""

import warnings

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402
import ttnn  # noqa: E402

math = ttl.math


def run(first, then, shape, out_shape=(32, 32)):
    """Two operations on one block, the result of the first going through a buffer; returns the warnings."""
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


@pytest.mark.parametrize("first, then, shape, messages", [
    (lambda a, b: a * 1, lambda t, b: math.reduce_max(t, dims=[1]), (32, 20), "reduce_max looks at columns behind the tensor's edge, which hold 0"),
    (lambda a, b: math.exp(a), lambda t, b: math.reduce_sum(t, dims=[1]), (32, 20), "reduce_sum adds columns behind the tensor's edge, which hold 1"),
    (lambda a, b: a + 2, lambda t, b: math.reduce_sum(t, dims=[0]), (20, 32), "reduce_sum adds rows behind the tensor's edge, which hold 2"),
    (lambda a, b: math.exp(a - b), lambda t, b: math.reduce_sum(t, dims=[0, 1]), (20, 20), "which hold numbers computed from data"),
    (lambda a, b: math.exp(a), lambda t, b: t @ b, (32, 20), "this product adds what lies behind its operands' edges, which is 1 in the left one's columns"),
    (lambda a, b: 1 / (a + b), lambda t, b: math.reduce_sum(t, dims=[0]), (20, 32), "numbers computed from data"),
    (lambda a, b: ttl.transpose(a), lambda t, b: math.reduce_max(t, dims=[0]), (32, 20), "reduce_max looks at rows"),
])
def test_padding_that_counts(first, then, shape, messages):
    reports, *_ = run(first, then, shape)
    assert len(reports) == 1 and messages in reports[0], reports
    assert "test_ttl_padding.py:" in reports[0] and "give the kernel tensors of whole tiles" in reports[0]


@pytest.mark.parametrize("first, then, shape", [
    (lambda a, b: math.exp(a), lambda t, b: math.reduce_sum(t, dims=[0, 1]), (32, 32)),  # no padding
    (lambda a, b: math.relu(a) * 3, lambda t, b: math.reduce_sum(t, dims=[0, 1]), (20, 20)),  # zeros stay zeros
    (lambda a, b: math.exp(a), lambda t, b: math.reduce_sum(t, dims=[0]), (32, 20)),  # of another dimension
    (lambda a, b: math.exp(a), lambda t, b: t * 2, (20, 20)),  # no sum
    (lambda a, b: (a + 1) * b, lambda t, b: math.reduce_sum(t, dims=[0]), (20, 32)),  # b may be a mask
    (lambda a, b: a * 2, lambda t, b: t @ b, (32, 20)),  # products with zeros
    (lambda a, b: math.broadcast(a, dims=[1]), lambda t, b: math.reduce_max(t, dims=[1]), (32, 1)),  # broadcast over the padding
])
def test_padding_that_does_not_count(first, then, shape):
    reports, *_ = run(first, then, shape)
    assert reports == []


def test_the_numbers_that_the_warning_is_about():
    reports, x, out = run(lambda a, b: math.exp(a), lambda t, b: math.reduce_sum(t, dims=[1]), (32, 20))
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


def elementwise(function, shapes, out_shape):
    """The warnings when three tensors, a tile each, are combined in an element-wise expression."""
    inputs, out = [torch.rand(shape) + 0.5 for shape in shapes], torch.zeros(out_shape)

    @ttl.kernel(grid=(1, 1))
    def kernel(a, b, c, out):
        buffers = [ttl.make_circular_buffer_like(t, shape=(1, 1)) for t in (a, b, c)]
        o_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))
        a_cb, b_cb, c_cb = buffers

        @ttl.compute()
        def compute():
            with a_cb.wait() as x, b_cb.wait() as y, c_cb.wait() as z, o_cb.reserve() as o:
                o.store(function(x, y, z))

        @ttl.datamovement()
        def read():
            with a_cb.reserve() as x, b_cb.reserve() as y, c_cb.reserve() as z:
                ttl.copy(a[0, 0], x).wait()
                ttl.copy(b[0, 0], y).wait()
                ttl.copy(c[0, 0], z).wait()

        @ttl.datamovement()
        def write():
            with o_cb.wait() as o:
                ttl.copy(o, out[0, 0]).wait()

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kernel(*inputs, out)
    return [str(w.message) for w in caught if issubclass(w.category, RuntimeWarning)], inputs, out


BINARY = [getattr(math, name) for name in ("add", "sub", "mul", "div", "max", "min", "pow", "atan2", "eq", "gt", "le")]
TILE, ROW, COLUMN, SOME = (32, 32), (1, 32), (32, 1), (20, 32)


@pytest.mark.parametrize("function", BINARY, ids=lambda f: f.__name__)
def test_padding_that_meets_values_and_is_stored(function):
    for shape, lanes in ((ROW, "1 row"), (COLUMN, "1 column"), (SOME, "20 rows")):
        for sides in ((0, 1), (1, 0)):
            reports, *_ = elementwise(lambda x, y, z: function((x, y)[sides[0]], (x, y)[sides[1]]), [TILE, shape, TILE], TILE)
            assert len(reports) == 1 and f"one operand has values in {lanes} of its tile" in reports[0], (shape, reports)
            assert "use ttl.math.broadcast" in reports[0] and "test_ttl_padding.py" in reports[0]


@pytest.mark.parametrize("function", [
    lambda x, y, z: math.where(z, x, y),
    lambda x, y, z: math.where(y, x, z),
    lambda x, y, z: math.where(z, y, x),
    lambda x, y, z: x * z + y,
    lambda x, y, z: math.exp(y) * x,
    lambda x, y, z: x + y * 2 + z,
    lambda x, y, z: math.relu(x + (y + math.fill(y, 1.0))),
    lambda x, y, z: ttl.transpose(x + y),
    lambda x, y, z: (x + y) @ z,
], ids=str)
def test_padding_in_longer_expressions(function):
    reports, *_ = elementwise(function, [TILE, ROW, TILE], TILE)
    assert len(reports) == 1 and "use ttl.math.broadcast" in reports[0], reports


@pytest.mark.parametrize("function, shapes, out_shape", [
    (lambda x, y, z: x + math.broadcast(y, dims=[0]), [TILE, ROW, TILE], TILE),
    (lambda x, y, z: x * math.broadcast(y, dims=[1]) - z, [TILE, COLUMN, TILE], TILE),
    (lambda x, y, z: x - math.broadcast(y, dims=[0, 1]), [TILE, (1, 1), TILE], TILE),
    (lambda x, y, z: x + y * z, [SOME, SOME, SOME], SOME),
    (lambda x, y, z: x + y * z, [SOME, SOME, SOME], TILE),  # padding as a unary operation leaves it
    (lambda x, y, z: x + y, [TILE, ROW, TILE], ROW),  # the wrong rows are not written
    (lambda x, y, z: math.exp(x) * y, [SOME, TILE, TILE], TILE),  # y may be a mask
    (lambda x, y, z: math.where(z, x, y), [SOME, TILE, TILE], TILE),
    (lambda x, y, z: x + math.broadcast(math.reduce_sum(y, dims=[1]), dims=[1]), [TILE, (32, 20), TILE], TILE),
    (lambda x, y, z: x * 2 + 1, [SOME, TILE, TILE], TILE),
    (lambda x, y, z: x + math.fill(y, 3), [TILE, ROW, TILE], TILE),  # a constant has no size
    (lambda x, y, z: math.typecast(math.typecast(x, ttnn.int32) + math.fill(math.typecast(y, ttnn.int32), 3), ttnn.float32), [TILE, ROW, TILE], TILE),
    (lambda x, y, z: math.max(x, y + z), [TILE, TILE, TILE], TILE),
], ids=str)
def test_padding_that_meets_padding_or_a_broadcast(function, shapes, out_shape):
    reports, *_ = elementwise(function, shapes, out_shape)
    assert reports == []


def test_one_row_of_many_that_are_computed_with():
    """Only the tiles at an edge have padding, and only those of one row are warned of."""
    t, b, out = torch.rand(72, 64), torch.rand(1, 64), torch.zeros(72, 64)

    @ttl.kernel(grid=(1, 1))
    def kernel(t, b, out):
        t_cb, b_cb, o_cb = (ttl.make_circular_buffer_like(t, shape=(1, 1)) for _ in range(3))

        @ttl.compute()
        def compute():
            for _ in range(6):
                with t_cb.wait() as x, b_cb.wait() as y, o_cb.reserve() as o:
                    o.store(x + y)

        @ttl.datamovement()
        def read():
            for row in range(3):
                for column in range(2):
                    with t_cb.reserve() as x, b_cb.reserve() as y:
                        ttl.copy(t[row, column], x).wait()
                        ttl.copy(b[0, column], y).wait()

        @ttl.datamovement()
        def write():
            for row in range(3):
                for column in range(2):
                    with o_cb.wait() as o:
                        ttl.copy(o, out[row, column]).wait()

    with pytest.warns(RuntimeWarning, match="values in 1 row of its tile"):
        kernel(t, b, out)
    assert torch.allclose(out[::32], t[::32] + b) and not torch.allclose(out, t + b)  # only rows 0, 32 and 64 are right
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel(t, torch.rand(72, 64), out)  # the same edge on both sides
