"""Launches that run again: from their third run on they may repeat the second's effect on bytes. Values, cycles and
reports are those of a launch that runs for the first time."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402
import ttnn  # noqa: E402
from grid_kernels import Built, op, to_host  # noqa: E402
from test_sim_generated import Case, kernel  # noqa: E402
from test_sim_grid import copy_body, ramp  # noqa: E402
from tilewright import sim  # noqa: E402

SHAPE = (64, 96)
COPY = "<{data_format = #ttcore.supportedDataTypes<f32>}>"


def built(grid, x, dtype="bf16", extra="", **config):
    return Built(grid, [x], [dtype], SHAPE, dtype, copy_body(6, dtype, extra=extra), wide_dst=dtype == "f32", **config)


def run(b):
    """Once, without the comparisons of Built.run."""
    b.launch.run()
    out = b.output.read(torch.zeros(SHAPE, dtype=torch.bfloat16) if b.out_dtype == "bf16" else np.zeros(SHAPE, np.float32))
    return out.float().numpy() if b.out_dtype == "bf16" else out


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("numerics", ["value", "fidelity", "bit"])
@pytest.mark.parametrize("dtype", ["bf16", "f32", "bfp_bf8", "bfp_bf4"])
def test_new_numbers_each_time(dtype, numerics, threads):
    grid = sim.Grid(threads=threads, numerics=numerics)
    exp = f'{op("exp_tile_init")}\n{op("exp_tile", ["c0"], ["index"])}'
    again = built(grid, ramp(SHAPE), dtype, exp)
    for i in range(5):
        x = (ramp(SHAPE) + i) / 64
        again.inputs[0].write(to_host(x, dtype))
        first = built(sim.Grid(numerics=numerics), x, dtype, exp)
        assert np.array_equal(run(again), run(first))
        assert again.launch.cycles == pytest.approx(first.launch.cycles)
        assert again.launch.profile == first.launch.profile


def test_inputs_must_be_defined():
    grid = sim.Grid()
    b = built(grid, ramp(SHAPE))
    for _ in range(4):
        run(b)
    x = grid.tensor(SHAPE, "bf16")
    b.launch.set_tensor(0, x)
    for _ in range(3):
        with pytest.raises(sim.KernelError, match="uninitialised read: source of a NoC read: nothing has written"):
            b.launch.run()
    x.write(to_host(ramp(SHAPE), "bf16"))
    assert np.array_equal(run(b), ramp(SHAPE))


def test_an_input_that_was_made_anew():
    """At the same address of the device, elsewhere in the host's memory, first without data."""
    grid = sim.Grid()
    b = built(grid, ramp(SHAPE))
    for _ in range(3):
        run(b)
    other = grid.tensor((32, 32), "bf16", data=to_host(ramp((32, 32)), "bf16"))
    where, keep = b.inputs[0].address, []
    for i in range(4):
        b.launch.set_tensor(0, b.output)
        b.inputs[0] = None
        b.inputs[0] = grid.tensor(SHAPE, "bf16")
        assert b.inputs[0].address == where
        b.launch.set_tensor(0, b.inputs[0])
        with pytest.raises(sim.KernelError, match="uninitialised read"):
            b.launch.run()
        b.inputs[0].write(to_host(ramp(SHAPE) + i, "bf16"))
        keep.append(np.zeros(1 << 20))
        assert np.array_equal(run(b), ramp(SHAPE) + i)
    assert other.address != where


def test_tensors_that_alternate():
    grid = sim.Grid()
    b = built(grid, ramp(SHAPE))
    inputs = [grid.tensor(SHAPE, "bf16", data=to_host(ramp(SHAPE) + i, "bf16")) for i in range(6)]
    for turn in range(5):
        for i, x in enumerate(inputs):
            b.launch.set_tensor(0, x)
            x.write(to_host(ramp(SHAPE) + i + turn, "bf16"))
            assert np.array_equal(run(b), ramp(SHAPE) + i + turn)


def test_onto_the_input():
    grid = sim.Grid()
    b = built(grid, ramp(SHAPE), extra=f'{op("abs_tile_init")}\n{op("negative_tile", ["c0"], ["index"])}'.replace("abs", "negative"))
    b.launch.set_tensor(1, b.inputs[0])
    b.output = b.inputs[0]
    for i in range(6):
        assert np.array_equal(run(b), ramp(SHAPE) * (-1) ** (i + 1))


def test_reports_come_every_time():
    b = built(sim.Grid(), ramp(SHAPE))
    wrong = Built(b.launch.kernels.grid, [ramp(SHAPE)], ["bf16"], SHAPE, "bf16",
                  copy_body(6, "bf16").replace(op("tile_regs_commit"), ""))
    reported = []
    for _ in range(4):
        with pytest.raises(sim.KernelError) as error:
            wrong.launch.run()
        reported.append([r["text"] for r in error.value.reports])
        assert np.array_equal(run(b), ramp(SHAPE))
    assert reported[1:] == reported[:-1]


def test_seeds():
    grid = sim.Grid()
    b = built(grid, ramp(SHAPE))
    want = {}
    for seed in (0, 1, 2) * 5:
        grid.set_seed(seed)
        assert np.array_equal(run(b), ramp(SHAPE))
        assert want.setdefault(seed, b.launch.cycles) == pytest.approx(b.launch.cycles)
    assert len(set(want.values())) > 1


def test_what_l1_decides_is_looked_up_every_time():
    """A word that a NoC read brought bounds a loop: a run depends on values."""
    body = f"""
    %base = "ttkernel.get_common_arg_val"(%c0) : (index) -> i32
    %args = "ttkernel.TensorAccessorArgs"(%w1, %w0) <{{operandSegmentSizes = array<i32: 1, 1, 0>}}> : (i32, i32) -> !ttkernel.TensorAccessorArgs
    %size = arith.constant 4096 : i32
    %acc = "ttkernel.TensorAccessor"(%args, %base, %size) : (!ttkernel.TensorAccessorArgs, i32, i32) -> !ttkernel.TensorAccessor
    %cb = "ttkernel.get_compile_time_arg_val"() <{{arg_index = 0 : i32}}> : () -> !ttkernel.cb<1, !ttcore.tile<32x32, si32>>
    {op("cb_reserve_back", ["cb", "w1"], ["!ttkernel.cb<1, !ttcore.tile<32x32, si32>>", "i32"])}
    %ptr = "ttkernel.get_write_ptr"(%cb) : (!ttkernel.cb<1, !ttcore.tile<32x32, si32>>) -> i32
    {op("noc_async_read_tile", ["w0", "acc", "ptr"], ["i32", "!ttkernel.TensorAccessor", "i32"])}
    {op("noc_async_read_barrier")}
    %word = "ttkernel.reinterpret_cast"(%ptr) : (i32) -> !ttkernel.l1_addr_ptr
    %many = "ttkernel.load_from_l1"(%word, %w0) : (!ttkernel.l1_addr_ptr, i32) -> i32
    %n = arith.index_cast %many : i32 to index
    scf.for %i = %c0 to %n step %c1 {{
      {op("noc_async_read_tile", ["w0", "acc", "ptr"], ["i32", "!ttkernel.TensorAccessor", "i32"])}
      {op("noc_async_read_barrier")}
    }}
    {op("cb_push_back", ["cb", "w1"], ["!ttkernel.cb<1, !ttcore.tile<32x32, si32>>", "i32"])}
    {op("cb_wait_front", ["cb", "w1"], ["!ttkernel.cb<1, !ttcore.tile<32x32, si32>>", "i32"])}
    {op("cb_pop_front", ["cb", "w1"], ["!ttkernel.cb<1, !ttcore.tile<32x32, si32>>", "i32"])}
"""
    grid = sim.Grid()
    x = grid.tensor((32, 32), "si32")
    launch = grid.load("module {\n" + kernel("k", "noc", body) + "}\n").launch(
        [sim.Run("k", compile_args=[sim.cb(0), sim.accessor(0)], common_args=[sim.address(0)])],
        [sim.Buffer(0, "si32", 1)], [x])
    took = {}
    for n in (1, 1, 1, 7, 7, 7, 1, 7):
        x.write(np.full((32, 32), n, np.int32))
        launch.run()
        assert took.setdefault(n, launch.cycles) == pytest.approx(launch.cycles)
    assert took[7] > 5 * took[1] / 2


def test_choosing():
    """where_tile with its result replacing each operand, repeated with new values."""
    for to in range(4):
        extra = "\n".join([op("copy_dest_values_init"), *(op("copy_dest_values", ["c0", f"c{i}"], ["index"] * 2, COPY) for i in (1, 2)),
                           op("gtz_tile_init"), op("gtz_tile", ["c0"], ["index"]), op("exp_tile_init"),
                           op("exp_tile", ["c1"], ["index"]), op("where_tile_init"),
                           op("where_tile", ["c0", "c1", "c2", f"c{to}"], ["index"] * 4, "<{dtype = #ttcore.supportedDataTypes<f32>}>"), op("copy_dest_values_init"),
                           *([op("copy_dest_values", [f"c{to}", "c0"], ["index"] * 2, COPY)] if to else [])])
        b = Built(sim.Grid(), [ramp((32, 32))], ["f32"], (32, 32), "f32", copy_body(1, "f32", extra=extra), wide_dst=True,
                  unpack_to_dst=(0,))
        for i in range(4):
            x = (ramp((32, 32)) - 500 + i) / 100
            b.inputs[0].write(x)
            b.launch.run()
            want = np.where(x > 0, np.exp(x), x)
            np.testing.assert_allclose(b.output.read(np.zeros((32, 32), np.float32)), want, rtol=1e-5, err_msg=str((to, i)))


@pytest.mark.parametrize("number", range(200, 206))
def test_generated_under_seeds(number):
    """Case.run compares three runs of a launch."""
    Case(number).run(sim.Grid(threads=1 + number % 2, seed=number))


def product(n, cores, steps):
    """The product of square tensors; a core has a band of the result's rows and keeps two sums."""

    @ttl.kernel(grid=(1, cores))
    def kernel(a, b, out):
        a_cb = ttl.make_circular_buffer_like(a, shape=(1, steps), buffer_factor=2)
        b_cb = ttl.make_circular_buffer_like(b, shape=(steps, 1), buffer_factor=2)
        out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1), buffer_factor=2)

        @ttl.compute()
        def compute():
            for _ in range(n // cores * n):
                with out_cb.reserve() as z:
                    for _ in range(n // steps):
                        with a_cb.wait() as x, b_cb.wait() as y:
                            z.store(x @ y, acc=True)

        @ttl.datamovement()
        def read():
            _, y = ttl.core(dims=2)
            for r in range(n // cores):
                for c in range(n):
                    for k in range(n // steps):
                        with a_cb.reserve() as to_a, b_cb.reserve() as to_b:
                            first = ttl.copy(a[y * (n // cores) + r:y * (n // cores) + r + 1, k * steps:(k + 1) * steps], to_a)
                            second = ttl.copy(b[k * steps:(k + 1) * steps, c:c + 1], to_b)
                            first.wait()
                            second.wait()

        @ttl.datamovement()
        def write():
            _, y = ttl.core(dims=2)
            for r in range(n // cores):
                for c in range(n):
                    with out_cb.wait() as done:
                        ttl.copy(done, out[y * (n // cores) + r:y * (n // cores) + r + 1, c:c + 1]).wait()

    return kernel


@pytest.mark.parametrize("cores", [1, 4])
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_products(dtype, cores):
    device = ttnn.open_device(device_id=0)
    kernel = product(4, cores, 2)
    out = ttnn.from_torch(torch.zeros(128, 128).to(getattr(torch, dtype)), layout=ttnn.TILE_LAYOUT, device=device)
    for i in range(5):
        a, b = (torch.randn(128, 128, generator=torch.Generator().manual_seed(2 * i + k)).to(getattr(torch, dtype)) for k in (0, 1))
        x, y = (ttnn.from_torch(t, layout=ttnn.TILE_LAYOUT, device=device) for t in (a, b))
        kernel(x, y, out)
        repeated = ttnn.to_torch(out).clone()
        product(4, cores, 2)(x, y, out)
        assert torch.equal(repeated, ttnn.to_torch(out))
        torch.testing.assert_close(repeated.float(), a.float() @ b.float(), rtol=0.05, atol=0.3)


def row_by_column(to_a, tile):
    """The product of four tiles and four tiles, onto one of them."""

    @ttl.kernel(grid=(1, 1))
    def kernel(a, b):
        a_cb = ttl.make_circular_buffer_like(a, shape=(1, 1), buffer_factor=2)
        b_cb = ttl.make_circular_buffer_like(b, shape=(1, 1), buffer_factor=2)
        out_cb = ttl.make_circular_buffer_like(a, shape=(1, 1), buffer_factor=2)

        @ttl.compute()
        def compute():
            with out_cb.reserve() as z:
                for _ in range(4):
                    with a_cb.wait() as x, b_cb.wait() as y:
                        z.store(x @ y, acc=True)

        @ttl.datamovement()
        def read():
            for k in range(4):
                with a_cb.reserve() as x, b_cb.reserve() as y:
                    first = ttl.copy(a[0, k], x)
                    second = ttl.copy(b[k, 0], y)
                    first.wait()
                    second.wait()

        @ttl.datamovement()
        def write():
            with out_cb.wait() as done:
                if to_a:
                    ttl.copy(done, a[0, tile]).wait()
                else:
                    ttl.copy(done, b[tile, 0]).wait()

    return kernel


@pytest.mark.parametrize("to_a,tile", [(to_a, tile) for to_a in (True, False) for tile in (0, 1, 3)])
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_a_sum_onto_its_operand(dtype, to_a, tile):
    """Partial sums are in the tensor only where no later product reads the former contents."""
    device = ttnn.open_device(device_id=0)
    a, b = (torch.randn(s, generator=torch.Generator().manual_seed(1)).to(getattr(torch, dtype)) / 8 for s in ((32, 128), (128, 32)))
    x, y = (ttnn.from_torch(t, layout=ttnn.TILE_LAYOUT, device=device) for t in (a, b))
    kernel = row_by_column(to_a, tile)
    for i in range(5):
        kernel(x, y)
        into = a[:, tile * 32:tile * 32 + 32] if to_a else b[tile * 32:tile * 32 + 32]
        into.copy_(sum((a[:, k * 32:k * 32 + 32].float() @ b[k * 32:k * 32 + 32].float()) for k in range(4)).to(a.dtype))
        torch.testing.assert_close(ttnn.to_torch(x if to_a else y), a if to_a else b, rtol=0.05, atol=0.05)


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_operands_that_stay_while_others_change(dtype, threads, monkeypatch):
    """Prepared operands are valid until the host or a kernel writes the tensor, or it is another tensor."""
    monkeypatch.setenv("TILEWRIGHT_THREADS", threads)
    device = ttnn.open_device(device_id=0)

    def numbers(seed):
        return torch.randn(128, 128, generator=torch.Generator().manual_seed(seed)).to(getattr(torch, dtype))

    def tensor(seed):
        return ttnn.from_torch(numbers(seed), layout=ttnn.TILE_LAYOUT, device=device)

    kernel, other = product(4, 4, 2), product(4, 1, 2)
    x, y, z, out = tensor(0), tensor(1), tensor(2), tensor(3)
    changes = [
        lambda: None, lambda: None, lambda: None,
        lambda: x.replace(numbers(4)), lambda: y.replace(numbers(5)), lambda: None,
        lambda: other(y, z, x), lambda: other(y, z, x), lambda: None, lambda: other(x, z, y), lambda: other(z, z, y),
        lambda: other(z, x, y),
    ]
    before = None
    for i, change in enumerate(changes + changes[3:]):
        change()
        kernel(x, y, out)
        repeated = ttnn.to_torch(out)
        product(4, 4, 2)(x, y, out)
        assert torch.equal(repeated, ttnn.to_torch(out)), i
        assert (before is not None and torch.equal(before, repeated)) == (i in (1, 2, 5, 7, 8, 14, 16, 17)), i
        before = repeated
    addresses = set()
    for seed in range(6, 14):  # others at the same addresses
        y = None
        other(z, z, x), kernel(x, z, out)
        y = tensor(seed)
        kernel(x, y, out)
        addresses.add(y.buffer_address())
        repeated = ttnn.to_torch(out)
        product(4, 4, 2)(x, y, out)
        assert torch.equal(repeated, ttnn.to_torch(out))
    assert len(addresses) < 8, addresses


@ttl.kernel(grid=(8, 8))
def twice(a, out):
    a_cb = ttl.make_circular_buffer_like(a, shape=(1, 7), buffer_factor=2)
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 7), buffer_factor=2)

    @ttl.compute()
    def compute():
        for _ in range(8):
            with a_cb.wait() as x, out_cb.reserve() as z:
                z.store(x + x)

    @ttl.datamovement()
    def read():
        x, y = ttl.core(dims=2)
        for r in range(8):
            with a_cb.reserve() as to:
                ttl.copy(a[y * 8 + r:y * 8 + r + 1, x * 7:x * 7 + 7], to).wait()

    @ttl.datamovement()
    def write():
        x, y = ttl.core(dims=2)
        for r in range(8):
            with out_cb.wait() as done:
                ttl.copy(done, out[y * 8 + r:y * 8 + r + 1, x * 7:x * 7 + 7]).wait()


def test_a_tensor_that_is_written_past_the_caches():
    """More than a megabyte in each bank."""
    device = ttnn.open_device(device_id=0)
    out = ttnn.from_torch(torch.zeros(2048, 1792), layout=ttnn.TILE_LAYOUT, device=device)
    for i in range(4):
        a = torch.rand(2048, 1792, generator=torch.Generator().manual_seed(i))
        twice(ttnn.from_torch(a, layout=ttnn.TILE_LAYOUT, device=device), out)
        assert torch.equal(ttnn.to_torch(out), a + a)
