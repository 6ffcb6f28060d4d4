"""Element types of TTL's tiles: integers wrap as torch's, f16 is not bf16, and operations without an integer form are
reported."""

import re

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import ttl  # noqa: E402
from ttl_written import kernel_of as written  # noqa: E402

INTEGERS = (torch.int32, torch.uint32, torch.uint16, torch.uint8)
SMALL = (torch.int32, torch.uint16, torch.uint8)  # values that a signed register represents


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
    a = (torch.arange(1024).reshape(32, 32) / 1024 + 1).half()  # needs ten fraction bits
    out = torch.zeros_like(a)
    kernel_of(add)(a, a, out)
    assert torch.equal(out, a + a)


@pytest.mark.parametrize("f, dtype, text", (
    (raised, torch.int32, "computes with floating-point numbers, got tiles '!ttcore.tile<32x32, si32>'"),
    (halved, torch.int32, "0.5 with a block of si32"),
    (far, torch.int32, "4294967295 with a block of si32"),
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


# Operations of integers and numbers, and NumPy's reference in 64 bits.
WITH_NUMBERS = [
    "a + N", "N + a", "a - N", "N - a", "a * N", "N * a", "a ** 2", "a ** 5", "a & N", "N & a", "a | N", "a ^ N", "a << 3", "a >> 2", "~a", "-a",
    "a // 8", "a % 8", "a & b", "a | b", "a ^ b", "eqz(a - N)", "fill(a, N)", "where(a, b, N)", "where(gt(a, N), N, b)", "square(a)", "sign(a)",
    *(f"{name}({pair})" for name in ("max", "min", "eq", "ne", "lt", "le", "gt", "ge") for pair in ("a, N", "N, a", "a, b")),
]
SIGNED = ("-a", "sign", "max", "min", "lt", "le", "gt", "ge", "where(gt")  # operations that the device has for signed values only
NUMPY = {"max": np.maximum, "min": np.minimum, "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
         "ge": np.greater_equal, "where": np.where, "square": np.square, "sign": np.sign, "eqz": lambda a: a == 0, "fill": np.full_like}


def kernel_of_two(compute):
    return written(f"with a_cb.wait() as a, b_cb.wait() as b, out_cb.reserve() as o:\n    {compute}", parameters="a, b, out")


@pytest.mark.parametrize("dtype", ("int32", "uint32", "uint16", "uint8"))
def test_integers_with_numbers(dtype):
    limits = np.iinfo(dtype)
    rng = np.random.default_rng(1)
    a, b = (rng.integers(limits.min, limits.max, (32, 32), endpoint=True).astype(dtype) for _ in range(2))
    a[0, :6] = b[0, 3:9] = [limits.min, limits.max, 0, 1, 3, limits.max // 2]
    numbers = (3, 123456789) if limits.bits == 32 else (3,)
    for number in (*numbers, -7, -2**31) if dtype == "int32" else numbers:
        for text in WITH_NUMBERS:
            if dtype == "uint32" and text.startswith(SIGNED):
                continue
            out = np.zeros_like(a)
            spelt = re.sub(r"[a-z]{2,}(?=\()", r"ttl.math.\g<0>", text).replace("N", str(number))
            kernel_of_two(f"o.store({spelt})")(a, b, out)
            with np.errstate(over="ignore"):
                want = eval(text, {**NUMPY, "a": a.astype(np.int64), "b": b.astype(np.int64), "N": number})  # noqa: S307
            np.testing.assert_array_equal(out, np.asarray(want).astype(dtype), f"{text} with {number}")


@pytest.mark.parametrize("text, dtype, message", (
    ("a / 3", "int32", "no ttl.div_scalar for integers"), ("a // 3", "int32", "'//' of blocks of integers is not supported"),
    ("a % b", "int32", "the device divides floating-point numbers only, and integers by powers of two"),
    ("a ** -2", "int32", "a block of integers to the power of -2 is not supported"), ("a * 0.5", "int32", "0.5 with a block of si32"),
    ("a * 2**40", "int32", "integers from -2147483648 to 2147483647 fit"), ("a | b", "float32", "bitwise_or works on the bits of integers"),
    ("~a", "float32", "booleans of blocks are the values"), ("ttl.math.max(a, 3)", "uint32", "as signed ones, got tiles '!ttcore.tile<32x32, u32>' for ttl.max"),
), ids=str)
def test_integers_without_a_form(text, dtype, message):
    a = np.ones((32, 32), dtype)
    with pytest.raises((RuntimeError, ttl.TTLangCompileError), match=re.escape(message)):
        kernel_of_two(f"o.store({text})")(a, a, a)


def test_what_is_read_twice_is_compiled_once():
    """Each iteration doubles the paths to the first value."""
    a = np.ones((32, 32), np.int32)
    out = np.zeros_like(a)
    kernel_of_two("x = a\n    for _ in list(range(30)):\n        x = x + x\n    o.store(x)")(a, a, out)
    assert (out == 2**30).all()
