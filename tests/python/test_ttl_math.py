"""ttl.math against torch, at edges: zeros, infinities, tiny and large values, in both float types. Results that round
to less than the smallest normal value are zeros on the device."""

import math

import pytest

torch = pytest.importorskip("torch")

import ttl  # noqa: E402

F = torch.nn.functional
EDGES = [0.0, 1, -1, 0.5, -0.5, 2, -2, math.inf, -math.inf, math.nan, 1e-38, 1e30, -1e30, 3e38, -3e38, 88, -88, 89, -89, 1e-5, -1e-5,
         1e-3, -1e-3, 1e10, 0.999, -0.999, 1.001, 127, -127, 3.5, 2.5, -2.5, 1e-20, -1e-20, 20, -20, 10, -10, 1e20, -1e20, math.pi]
FUNCTIONS = {name: (getattr(ttl.math, name), getattr(torch, torch_name or name)) for name, torch_name in [
    *((n, None) for n in ("exp", "exp2", "expm1", "log", "log1p", "sqrt", "rsqrt", "square", "abs", "neg", "sin", "cos", "asin",
                          "acos", "atan", "tanh", "sinh", "cosh", "asinh", "acosh", "atanh", "relu", "sigmoid", "erf", "erfc",
                          "floor", "ceil", "trunc", "frac")), ("logp1", "log1p"), ("recip", "reciprocal")]}
FUNCTIONS |= {name: (getattr(ttl.math, name), getattr(F, name)) for name in
              ("silu", "selu", "softsign", "hardsigmoid", "celu", "elu", "leaky_relu", "softplus")}
FUNCTIONS |= {
    "sign": (ttl.math.sign, lambda x: torch.where(x.isnan(), x, x.sign())),
    "prelu": (lambda x: ttl.math.prelu(x, alpha=0.5), lambda x: F.leaky_relu(x, 0.5)),
    "rsub": (lambda x: ttl.math.rsub(x, 3), lambda x: 3 - x),
    "relu_max": (lambda x: ttl.math.relu_max(x, 6), lambda x: x.clamp(0, 6)),
    "relu_min": (lambda x: ttl.math.relu_min(x, 2), lambda x: x.clamp(min=2)),
    "larger": (lambda x: max(x, 0.25), lambda x: x.clamp(min=0.25)),
    "smaller": (lambda x: ttl.math.min(-3, x), lambda x: x.clamp(max=-3)),
    "celu of two": (lambda x: ttl.math.celu(x, 2.0, 0.5), lambda x: F.celu(x, 2.0)),
    "elu of two": (lambda x: ttl.math.elu(x, slope=2.0), lambda x: F.elu(x, 2.0)),
    "selu of two": (lambda x: ttl.math.selu(x, 1.0, 2.0), lambda x: F.elu(x, 2.0)),
    "softplus of three": (lambda x: ttl.math.softplus(x, 2.0, 0.5, 1.0), lambda x: F.softplus(x, 2.0, 1.0)),
    "hardtanh": (lambda x: ttl.math.hardtanh(x, min=-2, max=0.5), lambda x: F.hardtanh(x, -2, 0.5)),
    "pow": (lambda x: x**3, lambda x: x**3), "abs of": (lambda x: abs(x), torch.abs),  # noqa: PLW0108
    "round": (lambda x: ttl.math.round(x), torch.round), "fill": (lambda x: ttl.math.fill(x, -2.5), lambda x: torch.full_like(x, -2.5)),  # noqa: PLW0108
    "where of numbers": (lambda x: ttl.math.where(ttl.math.gtz(x - 0.5), 2, -3.0), lambda x: torch.where(x > 0.5, 2.0, -3.0)),
    "to number": (lambda x: 3 / x, lambda x: 3 / x),
}


def kernel_of(f):
    @ttl.kernel(grid=(1, 1))
    def apply(x, out):
        x_cb, out_cb = (ttl.make_circular_buffer_like(t, shape=(1, 1)) for t in (x, out))

        @ttl.compute()
        def compute():
            with x_cb.wait() as block, out_cb.reserve() as result:
                result.store(f(block))

        @ttl.datamovement()
        def read():
            with x_cb.reserve() as block:
                ttl.copy(x[0, 0], block).wait()

        @ttl.datamovement()
        def write():
            with out_cb.wait() as block:
                ttl.copy(block, out[0, 0]).wait()

    return apply


@pytest.mark.parametrize("dtype, ulps", ((torch.float32, 16), (torch.bfloat16, 6)), ids=("f32", "bf16"))
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_torchs(name, dtype, ulps):
    function, expected = FUNCTIONS[name]
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(1024, generator=generator, dtype=torch.float64) * torch.randn(1024, generator=generator).exp()
    x[:len(EDGES)] = torch.tensor(EDGES)
    x = x.to(dtype).reshape(32, 32)
    out = torch.zeros_like(x)
    kernel_of(function)(x, out)
    exact = expected(x.double())
    got, want, kind = out.double(), exact.to(dtype).double(), torch.finfo(dtype)
    special = ~torch.isfinite(want)
    assert torch.equal(got[special].nan_to_num(7.0), want[special].nan_to_num(7.0)), (x[special], out[special])
    step = torch.exp2(torch.floor(torch.log2(want.abs().clamp(min=kind.tiny)))) * kind.eps
    off = ((got - exact).abs() - (want.abs() < 4 * kind.tiny) * 4 * kind.tiny)[~special] / step[~special]
    worst = off.argmax()
    assert off.max() <= ulps, (x[~special][worst], got[~special][worst], exact[~special][worst])


def test_gelu_keeps_its_tail():
    """Inputs where half of 1 + erf(x) is below the precision of 1; erfc(z) turns a unit in z's last place into z * z
    of its own."""
    x = torch.linspace(-13, 13, 1024).reshape(32, 32)
    out = torch.zeros_like(x)
    kernel_of(ttl.math.gelu)(x, out)
    assert torch.allclose(out.double(), x.double() / 2 * torch.special.erfc(-x.double() / math.sqrt(2)), rtol=2**-16, atol=0)


@pytest.mark.parametrize("f", [torch.maximum, torch.minimum])
def test_nan_goes_through_maxima_and_minima(f):
    a, b = (torch.tensor(v * 256, dtype=torch.float32).reshape(32, 32) for v in ([math.nan, 1, 2, math.nan], [1, math.nan, 3, math.nan]))
    out = torch.zeros(32, 32)

    @ttl.kernel(grid=(1, 1))
    def kernel(a, b, out):
        a_cb, b_cb, out_cb = (ttl.make_circular_buffer_like(t, shape=(1, 1)) for t in (a, b, out))

        @ttl.compute()
        def compute():
            with a_cb.wait() as x, b_cb.wait() as y, out_cb.reserve() as o:
                o.store(ttl.math.max(x, y) if f is torch.maximum else ttl.math.min(x, y))

        @ttl.datamovement()
        def read():
            with a_cb.reserve() as x, b_cb.reserve() as y:
                ttl.copy(a, x).wait()
                ttl.copy(b, y).wait()

        @ttl.datamovement()
        def write():
            with out_cb.wait() as o:
                ttl.copy(o, out).wait()

    kernel(a, b, out)
    assert torch.equal(out.nan_to_num(7.0), f(a, b).nan_to_num(7.0))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_infinities_as_numbers(dtype):
    """A number combined with a block may be an infinity: masks are made so."""
    @ttl.kernel(grid=(1, 1))
    def kernel(x, out):
        x_cb, out_cb = (ttl.make_circular_buffer_like(t, shape=(1, 1)) for t in (x, out))

        @ttl.datamovement()
        def read():
            with x_cb.reserve() as block:
                ttl.copy(x[0, 0], block).wait()

        @ttl.compute()
        def compute():
            with x_cb.wait() as block, out_cb.reserve() as result:
                result.store(ttl.math.max(block + float("-inf"), -1) + ttl.math.exp(block - float("inf")))

        @ttl.datamovement()
        def write():
            with out_cb.wait() as block:
                ttl.copy(block, out[0, 0]).wait()

    x, out = torch.randn(32, 32).to(dtype), torch.zeros(32, 32, dtype=dtype)
    kernel(x, out)
    assert torch.equal(out, torch.full_like(out, -1))
    with pytest.raises(Exception, match="si32 with|infinity|si32"):
        kernel(torch.ones(32, 32, dtype=torch.int32), torch.ones(32, 32, dtype=torch.int32))
