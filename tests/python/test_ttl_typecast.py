"""Kernels whose tensors differ in element type: ttl.math.typecast against torch, the formats that unpackers and
packer are set up for, and errors."""

import re

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402
import ttnn  # noqa: E402

bf16, f32, f16, i32 = torch.bfloat16, torch.float32, torch.float16, torch.int32
TYPES = [bf16, f32, f16, i32, torch.uint32, torch.uint16, torch.uint8]
typecast = ttl.math.typecast


def run(inputs, out, expression, iterations=1, **options):
    """One block per iteration of each tensor, `iterations` down the rows; returns the kernel, for its IR."""

    @ttl.kernel(grid=(1, 1), **options)
    def kernel(*tensors):
        def rows(t):
            return -(-t.shape[0] // 32) // iterations

        buffers = [ttl.make_circular_buffer_like(t, shape=(rows(t), -(-t.shape[1] // 32))) for t in tensors]

        @ttl.compute()
        def compute():
            for _ in range(iterations):
                blocks = [b.wait() for b in buffers[:-1]]
                with buffers[-1].reserve() as o:
                    o.store(expression(o, *blocks))
                for b in buffers[:-1]:
                    b.pop()

        @ttl.datamovement()
        def read():
            for i in range(iterations):
                for t, b in zip(tensors[:-1], buffers[:-1]):
                    with b.reserve() as block:
                        ttl.copy(t[i * rows(t):i * rows(t) + rows(t), :], block).wait()

        @ttl.datamovement()
        def write():
            for i in range(iterations):
                with buffers[-1].wait() as block:
                    ttl.copy(block, tensors[-1][i * rows(out):i * rows(out) + rows(out), :]).wait()

    kernel(*inputs, out)
    return kernel


def numbers(dtype, shape=(96, 40)):
    x = torch.randn(*shape, generator=torch.Generator().manual_seed(5)) * 90
    x[0, :10] = torch.tensor([0.0, -0.0, 1.5, -1.5, 2.5, 0.4, 127.9, 255.2, 255.9, -0.6])
    if dtype.is_floating_point:
        return x.to(dtype)
    return x.to(torch.int64).clamp(-(2**31) if dtype == i32 else 0).to(dtype)


def converted(x, dtype):
    """torch's result, saturated at an integer type's ends; between integers the low bits."""
    if dtype.is_floating_point:
        return x.to(torch.float64).to(dtype)
    low, high = torch.iinfo(dtype).min, torch.iinfo(dtype).max
    if x.dtype.is_floating_point:
        return x.double().trunc().clamp(low, high).to(torch.int64)
    return x.to(torch.int64) & (high if low == 0 else -1)


@pytest.mark.parametrize("source", TYPES, ids=str)
def test_every_pair_of_types(source):
    x = numbers(source)
    for target in TYPES:
        out = torch.zeros(x.shape, dtype=target)
        run([x], out, lambda o, b: typecast(b, o.dtype), iterations=3)
        got, want = out.double(), converted(x, target).double()
        if target == bf16:  # ties between two values the packer rounds away from 0
            assert ((got - x.double()).abs() <= x.double().abs() * 2**-8).all()
        else:
            assert torch.equal(got, want), (source, target)


def test_ends_of_integers_and_of_numbers():
    x = torch.zeros(32, 32)
    x[0, :6] = torch.tensor([float("nan"), float("inf"), -float("inf"), 3e9, -3e9, 5e9])
    for target, want in ((i32, [0, 2**31 - 1, -2**31, 2**31 - 1, -2**31, 2**31 - 1]),
                         (torch.uint32, [0, 2**32 - 1, 0, 3000000000, 0, 2**32 - 1]), (torch.uint8, [0, 255, 0, 255, 0, 255])):
        out = torch.zeros(32, 32, dtype=target)
        run([x], out, lambda o, b: typecast(b, o.dtype))
        assert out[0, :6].tolist() == want
    ties = torch.zeros(32, 32)
    ties[0, :4] = torch.tensor([1 + 2**-8, 1 + 3 * 2**-8, -1 - 2**-8, 3.4e38])  # half-way between two of bf16
    out = torch.zeros(32, 32)
    run([ties], out, lambda o, b: typecast(typecast(b, bf16), f32))
    assert torch.equal(out, ties.to(bf16).float())


@pytest.mark.parametrize("dtype,bits", [(ttnn.bfloat8_b, 6), (ttnn.bfloat4_b, 2)], ids=["bfp8", "bfp4"])
def test_shared_exponents(dtype, bits):
    """16 elements of a row share the exponent of the largest. They are rounded to bf16, the packer takes the nearest
    of bfp8, and truncates that to bfp4: less than a step away."""
    x = numbers(f32, (64, 64))
    device = ttnn.open_device(device_id=0)
    packed = ttnn.from_torch(torch.zeros(64, 64), dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)
    run([x], packed, lambda o, b: typecast(b, dtype))
    back, through = torch.zeros(64, 64), torch.zeros(64, 64)
    run([packed], back, lambda o, b: typecast(b, f32), iterations=2)
    run([x], through, lambda o, b: typecast(typecast(b, dtype), f32))  # packed in between, too
    largest = x.to(bf16).float().reshape(64, 4, 16).abs().amax(-1, keepdim=True)
    step = torch.exp2(torch.floor(torch.log2(largest)) - bits).expand(64, 4, 16).reshape(64, 64)
    most = (2 ** (bits + 1) - 1) * step
    assert ((back - x.clamp(-most, most)).abs() <= step).all()
    assert torch.equal(torch.round(back / step) * step, back) and torch.equal(back, through)


A, B = numbers(bf16, (64, 64)), numbers(f32, (64, 64))
I32 = numbers(i32, (64, 64))
MIXED = {  # inputs, the output's shape and type, expression, its torch reference, tolerance relative to the largest value
    "operands": ([A, B], (64, 64, f32), lambda o, x, y: typecast(x, f32) * y + 1, A.float() * B + 1, 2**-22),
    "three types": ([A, B, I32], (64, 64, f16), lambda o, x, y, z: typecast(typecast(x, f32) + y - typecast(z, f32), f16),
                    (A.float() + B - I32).half(), 0),
    "product": ([A, A], (64, 64, f32), lambda o, x, y: typecast(x @ y, f32), A.float() @ A.float(), 2**-20),
    "product of what was converted": ([B, A], (64, 64, f32), lambda o, x, y: typecast(typecast(x, bf16) @ y, f32),
                                      B.to(bf16).float() @ A.float(), 2**-8),  # a block of bf16 in between
    "sum": ([A], (64, 1, f32), lambda o, x: typecast(ttl.math.reduce_sum(x, dims=[1]), f32), A.float().sum(1, keepdim=True), 2**-20),
    "broadcast": ([A, B], (64, 64, f32), lambda o, x, y: y - typecast(ttl.math.broadcast(ttl.math.reduce_max(x, dims=[1]), dims=[1]), f32),
                  B - A.float().amax(1, keepdim=True), 0),
    "transpose": ([A], (64, 64, f32), lambda o, x: typecast(ttl.math.transpose(x), f32), A.float().T, 0),
    "to integers and back": ([B], (64, 64, f32), lambda o, x: x - typecast(typecast(x, i32), f32), B - B.trunc(), 0),
    "the low byte": ([I32], (64, 64, f32), lambda o, x: typecast(typecast(x, torch.uint8), f32), (I32 & 255).float(), 0),
    "half in between": ([B], (64, 64, f32), lambda o, x: typecast(typecast(x, f16), f32), B.half().float(), 0),
    "integers as they are": ([I32], (64, 64, i32), lambda o, x: x, I32, 0),
    "16 bits outside": ([A], (64, 64, bf16), lambda o, x: typecast(typecast(x, f32) / 3.0, bf16), (A.float() / 3).to(bf16), 2**-8),
}


@pytest.mark.parametrize("name", MIXED)
def test_expressions_of_several_types(name):
    inputs, (rows, columns, dtype), expression, want, tolerance = MIXED[name]
    out = torch.zeros(rows, columns, dtype=dtype)
    run(inputs, out, expression)
    assert (out.double() - want.double()).abs().max() <= tolerance * want.double().abs().max()


def test_products_of_16_bits_add_up_in_32():
    a, b, out = torch.randn(64, 256).to(bf16), torch.randn(256, 64).to(bf16), torch.zeros(64, 64)

    @ttl.kernel(grid=(1, 1))
    def product(a, b, out):
        a_cb, b_cb, out_cb = (ttl.make_circular_buffer_like(t, shape=s) for t, s in ((a, (2, 1)), (b, (1, 2)), (out, (2, 2))))

        @ttl.compute()
        def compute():
            with out_cb.reserve() as o:
                for _ in range(8):
                    with a_cb.wait() as x, b_cb.wait() as y:
                        o += ttl.math.typecast(x @ y, o.dtype)

        @ttl.datamovement()
        def read():
            for k in range(8):
                with a_cb.reserve() as x, b_cb.reserve() as y:
                    ttl.copy(a[:, k:k + 1], x).wait()
                    ttl.copy(b[k:k + 1, :], y).wait()

        @ttl.datamovement()
        def write():
            with out_cb.wait() as o:
                ttl.copy(o, out).wait()

    product(a, b, out)
    assert torch.allclose(out, a.float() @ b.float(), rtol=0, atol=2**-14)  # 256 f32 additions of numbers below 64


def calls(kernel, *tensors):
    text = kernel.ir(*tensors, level="ttkernel")
    text = text[text.index("thread<compute>"):text.index("thread<noc>")]
    return re.findall(r"ttkernel\.(reconfig_data_format_srca|pack_reconfig_data_format|copy_tile_init|scf.for)", text)


def test_units_are_reconfigured_where_formats_change():
    """None where there is one format; each of two inputs in a loop over tiles; never for one input of another format
    than the output."""
    out = torch.zeros(64, 64)
    assert calls(run([B], out, lambda o, x: x + 1), B, out) == ["copy_tile_init"]
    assert calls(run([A], out, lambda o, x: typecast(x, f32) + 1), A, out) == ["copy_tile_init"]
    assert calls(run([A, B], out, lambda o, x, y: typecast(x, f32) + y), A, B, out) == 2 * ["reconfig_data_format_srca", "copy_tile_init"]
    assert "pack_reconfig_data_format" in calls(run([A], out, lambda o, x: typecast(x @ x, f32)), A, out)
    cpp = run([A, B], out, lambda o, x, y: typecast(x, f32) + y).ir(A, B, out, level="cpp")
    assert cpp.count("reconfig_data_format_srca(") == 2 and "eltwise_unary/typecast.h" in cpp


CAST = "convert one, ttl.math.typecast(block, dtype)"
WRONG = [
    (lambda o, x, y: x + y, "add of bf16 and f32", CAST),
    (lambda o, x, y: x @ y, "matmul of bf16 and f32", CAST),
    (lambda o, x, y: ttl.math.reduce_sum(x, y, dims=[0, 1]), "reduce_sum of bf16 with a scaler of f32", CAST),
    (lambda o, x, y: y, "store() of f32 into a block of bf16", "convert it: ttl.math.typecast(expression, block.dtype)"),
    (lambda o, x, y: typecast(x, torch.float64), "no tile holds elements of torch.float64; there are bfloat16, bfloat4_b", ""),
    (lambda o, x, y: typecast(1.5, f32), "typecast needs a block, not 1.5", ""),
    (lambda o, x, y: typecast(x), "typecast() lacks the argument 'dtype'", ""),
]


@pytest.mark.parametrize("expression,message,note", WRONG, ids=[w[1] for w in WRONG])
def test_types_that_do_not_meet(expression, message, note):
    with pytest.raises(ttl.TTLangCompileError, match=re.escape(message)) as caught:
        run([numbers(bf16, (32, 32)), numbers(f32, (32, 32))], torch.zeros(32, 32, dtype=bf16), expression)
    assert note in str(caught.value)
