"""Element types of TTL's tiles: integers wrap as torch's, f16 is not bf16, and what has no integer form says so."""

import pytest

torch = pytest.importorskip("torch")

import ttl  # noqa: E402
from ttl_written import kernel_of as written  # noqa: E402

INTEGERS = (torch.int32, torch.uint32, torch.uint16, torch.uint8)
SMALL = (torch.int32, torch.uint16, torch.uint8)  # numbers that a signed register holds


def kernel_of(f):
    @ttl.kernel(grid=(1, 1))
    def apply(a, b, out):
        buffers = [ttl.make_circular_buffer_like(t, shape=(1, 1)) for t in (a, b, out)]
        a_cb, b_cb, out_cb = buffers

        @ttl.compute()
        def compute():
            with a_cb.wait() as x, b_cb.wait() as y, out_cb.reserve() as o:
                o.store(f(x, y))

        @ttl.datamovement()
        def read():
            with a_cb.reserve() as block:
                ttl.copy(a[0, 0], block).wait()
            with b_cb.reserve() as block:
                ttl.copy(b[0, 0], block).wait()

        @ttl.datamovement()
        def write():
            with out_cb.wait() as block:
                ttl.copy(block, out[0, 0]).wait()

    return apply


def add(x, y):
    return x + y


def subtract(x, y):
    return x - y


def multiply(x, y):
    return x * y


def largest(x, y):
    return ttl.math.max(x, y)


def smallest(x, y):
    return ttl.math.min(x, y)


def numbers(x, y):
    return x + 3 - y


def bent(x, y):
    return ttl.math.relu(x) + y


def turned(x, y):
    return ttl.math.abs(-x) - y


def raised(x, y):
    return ttl.math.exp(x) + y


def halved(x, y):
    return x + 0.5 - y


def far(x, y):
    return x + 4294967295 - y


def next_after_f32(x, y):
    return x + 16777217 - y


EXPECTED = {

    add: lambda x, y: x + y, subtract: lambda x, y: x - y, multiply: lambda x, y: x * y, numbers: lambda x, y: x + 3 - y,
    largest: torch.maximum, smallest: torch.minimum, bent: lambda x, y: x.relu() + y, turned: lambda x, y: x.abs() - y,
}


def operands(dtype):
    generator = torch.Generator().manual_seed(1)
    low, high = (-2**31, 2**31) if dtype == torch.int32 else (0, 2 ** torch.iinfo(dtype).bits)
    draw = [torch.randint(low, high, (32, 32), generator=generator) for _ in range(2)]
    edges = torch.tensor([low, high - 1, 0, 1, high // 2], dtype=torch.int64)
    for i, t in enumerate(draw):
        t[i, :5] = edges
    return [t.to(dtype) for t in draw]


@pytest.mark.parametrize("f, dtype", [(f, t) for f in (add, subtract, numbers) for t in INTEGERS]
                         + [(f, t) for f in (largest, smallest, bent) for t in SMALL],
                         ids=lambda x: getattr(x, "__name__", str(x)))
def test_integers_wrap_and_compare_exactly(f, dtype):
    a, b = operands(dtype)
    out = torch.zeros_like(a)
    kernel_of(f)(a, b, out)
    assert torch.equal(out.long(), EXPECTED[f](a.long(), b.long()).to(dtype).long())


@pytest.mark.parametrize("f", (multiply, turned), ids=lambda f: f.__name__)
def test_products_and_signs(f):
    a, b = (t % 40000 - 20000 for t in operands(torch.int32))
    out = torch.zeros_like(a)
    kernel_of(f)(a, b, out)
    assert torch.equal(out, EXPECTED[f](a, b))


def test_f16_is_no_bf16():
    a = (torch.arange(1024).reshape(32, 32) / 1024 + 1).half()  # needs ten bits behind the point
    out = torch.zeros_like(a)
    kernel_of(add)(a, a, out)
    assert torch.equal(out, a + a)


@pytest.mark.parametrize("f, dtype, text", (
    (raised, torch.int32, "computes with floating-point numbers, got tiles '!ttcore.tile<32x32, si32>'"),
    (halved, torch.int32, "0.5 with a block of si32"),
    (far, torch.int32, "4294967295 with a block of si32"),
    (next_after_f32, torch.int32, "16777217 with a block of si32"),
    (largest, torch.uint32, "reads integers as signed ones, got tiles '!ttcore.tile<32x32, u32>'"),
), ids=lambda x: getattr(x, "__name__", ""))
def test_what_has_no_integer_form(f, dtype, text):
    a, b = operands(dtype)
    with pytest.raises((RuntimeError, ttl.TTLangCompileError)) as raised_error:
        kernel_of(f)(a, b, torch.zeros_like(a))
    assert text in str(raised_error.value) and f"{__file__}:" in str(raised_error.value)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers_are_not_added_in_memory(dtype):
    kernel = written("with a_cb.wait() as a, out_cb.reserve() as o:\n    o += a")
    with pytest.raises(ttl.TTLangCompileError, match="adds to a block of (si32|u32|u16|u8): the packer adds floating-point numbers only"):
        kernel(torch.zeros(32, 32, dtype=dtype), torch.zeros(32, 32, dtype=dtype))
