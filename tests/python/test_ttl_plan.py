"""Kernels in the forms of the language's specification: threads in a Program, shards by index, slices that the grid
gives, buffers whose shape the kernel gives, the configuration of the compute unit."""

import re

import pytest

torch = pytest.importorskip("torch")
import ttnn  # noqa: E402
from cpp_kernels import also_in_cpp  # noqa: E402
from ttlang import ttl  # noqa: E402


@pytest.fixture(scope="module")
def device():
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)


@ttl.kernel(grid=(2, 2))
def sharded_elementwise_add(a: ttnn.Tensor, b: ttnn.Tensor, out: ttnn.Tensor):
    a_cb = ttl.make_circular_buffer_like(a, shape=(1, 1), buffer_factor=2)
    b_cb = ttl.make_circular_buffer_like(b, shape=(1, 1), buffer_factor=2)
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1), buffer_factor=2)

    @ttl.datamovement()
    async def dm_reader():
        shard_id = ttl.core_linear()
        a_blk = a_cb.reserve()
        tx = ttl.copy(a[shard_id], a_blk)
        tx.wait()
        a_cb.push()
        b_blk = b_cb.reserve()
        tx = ttl.copy(b[shard_id], b_blk)
        tx.wait()
        b_cb.push()

    @ttl.compute()
    async def compute():
        a_blk = a_cb.wait()
        b_blk = b_cb.wait()
        o = out_cb.reserve()
        result = a_blk + b_blk
        o.store(result)
        a_cb.pop()
        b_cb.pop()
        out_cb.push()

    @ttl.datamovement()
    async def dm_writer():
        shard_id = ttl.core_linear()
        o_blk = out_cb.wait()
        tx = ttl.copy(o_blk, out[shard_id])
        tx.wait()
        out_cb.pop()

    return ttl.Program(compute, dm_reader, dm_writer)(a, b, out)


def test_shards_by_number(device):
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 1))])
    config = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.BLOCK_SHARDED, ttnn.BufferType.L1, ttnn.ShardSpec(cores, (32, 32)))
    x, y = (torch.randn(64, 64).bfloat16() for _ in range(2))
    a, b, out = (ttnn.from_torch(t, dtype=ttnn.bfloat16, device=device, memory_config=config)
                 for t in (x, y, torch.zeros(64, 64)))
    sharded_elementwise_add(a, b, out)
    assert torch.allclose(ttnn.to_torch(out).float(), (x.float() + y.float()), rtol=2**-7, atol=2**-7)
    ir = sharded_elementwise_add.ir(a, b, out)
    assert ir.count("ttl.core_y") == 2
    cpp = sharded_elementwise_add.ir(a, b, out, level="cpp")
    assert cpp.count("noc_async_read_shard(") == 2 and cpp.count("noc_async_write_shard(") == 1 and "read_tile" not in cpp


@pytest.mark.parametrize("memory", ["L1", "DRAM"])
@pytest.mark.parametrize("kind, shard, grid", [("HEIGHT_SHARDED", (64, 96), (1, 4)), ("WIDTH_SHARDED", (256, 32), (3, 1)),
                                               ("BLOCK_SHARDED", (64, 32), (3, 4))])
def test_shards_of_many_tiles(device, kind, shard, grid, memory):
    """Whole shards where the block is one, tiles where it is not."""
    def make(parts):
        @ttl.kernel(grid=grid)
        def twice(a, out):
            rows, columns = shard[0] // 32 // parts, shard[1] // 32
            a_cb, out_cb = (ttl.make_circular_buffer_like(t, shape=(rows, columns)) for t in (a, out))

            @ttl.compute()
            def compute():
                for _ in range(parts):
                    with a_cb.wait() as x, out_cb.reserve() as o:
                        o.store(x + x)

            @ttl.datamovement()
            def read():
                n = ttl.core_linear()
                across = 96 // shard[1]
                for h in range(parts):
                    with a_cb.reserve() as b:
                        if parts == 1:
                            ttl.copy(a[n], b).wait()
                        else:
                            row, column = n // across * shard[0] // 32 + h * rows, n % across * columns
                            ttl.copy(a[row:row + rows, column:column + columns], b).wait()

            @ttl.datamovement()
            def write():
                n = ttl.core_linear()
                across = 96 // shard[1]
                for h in range(parts):
                    with out_cb.wait() as b:
                        if parts == 1:
                            ttl.copy(b, out[n]).wait()
                        else:
                            row, column = n // across * shard[0] // 32 + h * rows, n % across * columns
                            ttl.copy(b, out[row:row + rows, column:column + columns]).wait()

        return twice

    x = torch.randn(256, 96)
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(grid[0] - 1, grid[1] - 1))])
    config = ttnn.MemoryConfig(ttnn.TensorMemoryLayout[kind], ttnn.BufferType[memory], ttnn.ShardSpec(cores, shard))
    for parts in (1, 2):
        a, out = (ttnn.from_torch(t, dtype=ttnn.float32, device=device, memory_config=config) for t in (x, torch.zeros_like(x)))
        kernel = make(parts)
        kernel(a, out)
        assert torch.equal(ttnn.to_torch(out), x + x)
        text = kernel.ir(a, out, level="ttkernel")
        assert ("noc_async_read_shard" in text) == (parts == 1) == ("noc_async_write_shard" in text)


def test_shards_as_ttnn_names_them(device):
    x, y = (torch.randn(64, 64) for _ in range(2))
    config = ttnn.create_sharded_memory_config((64, 64), ttnn.CoreGrid(y=2, x=2), ttnn.ShardStrategy.BLOCK)
    assert config == ttnn.create_sharded_memory_config((32, 32), ttnn.CoreGrid(y=2, x=2), ttnn.ShardStrategy.BLOCK,
                                                       use_height_and_width_as_shard_shape=True)
    a, b, out = (ttnn.from_torch(t, dtype=ttnn.float32, device=device, memory_config=config)
                 for t in (x, y, torch.zeros(64, 64)))
    sharded_elementwise_add(a, b, out)
    assert torch.equal(ttnn.to_torch(out), x + y)
    grid = ttnn.CoreGrid(y=1, x=4)
    for strategy, shape in ((ttnn.ShardStrategy.HEIGHT, (32, 64)), (ttnn.ShardStrategy.WIDTH, (128, 16))):
        assert ttnn.create_sharded_memory_config((2, 64, 64), grid, strategy).shard_spec.shape == shape
    with pytest.raises(ttl.TTLangCompileError, match="one number is a shard, and this tensor is interleaved"):
        sharded_elementwise_add(x, y, torch.zeros(64, 64))


@pytest.mark.parametrize("granularity", [1, 2, 4])
def test_granularity_shapes_buffers(granularity):
    @ttl.kernel(grid=(1, 1), granularity=granularity)
    def double(a, out, granularity):
        rows = a.shape[0] // 32
        a_cb = ttl.CircularBuffer(a, buffer_factor=2)
        out_cb = ttl.make_circular_buffer_like(out, buffer_factor=2)
        assert a_cb.shape == (granularity, 1)

        @ttl.compute()
        def compute():
            for _ in range(rows // granularity):
                with a_cb.wait() as x, out_cb.reserve() as o:
                    o.store(x + x)

        @ttl.datamovement()
        def read():
            for rt_block in range(rows // granularity):
                row_slice = slice(rt_block * granularity, (rt_block + 1) * granularity)
                a_block = a_cb.reserve()
                ttl.copy(ttl.TensorAccessor(a)[row_slice, :], a_block).wait()
                a_cb.push()

        @ttl.datamovement()
        def write():
            for rt_block in range(rows // granularity):
                with out_cb.wait() as b:
                    ttl.copy(b, out[rt_block * granularity:(rt_block + 1) * granularity, :]).wait()

    x, out = torch.randn(128, 32), torch.zeros(128, 32)
    double(x, out)
    assert torch.allclose(out, x * 2, rtol=1e-6)


def test_block_factors_and_grid_slices():
    @ttl.kernel(grid=(2, 2), block_factors=[(2, 1), (2, 1)])
    def negate(a, out):
        a_cb, out_cb = (ttl.make_circular_buffer_like(t) for t in (a, out))

        @ttl.compute()
        def compute():
            with a_cb.wait() as x, out_cb.reserve() as o:
                o.store(-x)

        @ttl.datamovement()
        def read():
            with a_cb.reserve() as b:
                ttl.copy(ttl.grid_slice(a, [2, 1]), b).wait()

        @ttl.datamovement()
        def write():
            with out_cb.wait() as b:
                ttl.copy(b, ttl.grid_slice(out, [2, 1])).wait()

    x, out = torch.randn(128, 64), torch.zeros(128, 64)
    negate(x, out)
    assert torch.allclose(out, -x, rtol=1e-6)


def test_compute_config():
    def make(**config):
        @ttl.kernel(grid=(1, 1), compute_config=config)
        def product(a, b, out):
            cbs = [ttl.make_circular_buffer_like(t, shape=(1, 1)) for t in (a, b, out)]

            @ttl.compute()
            def compute():
                with cbs[0].wait() as x, cbs[1].wait() as y, cbs[2].reserve() as o:
                    o.store(x @ y)

            @ttl.datamovement()
            def read():
                for cb, t in ((cbs[0], a), (cbs[1], b)):
                    with cb.reserve() as block:
                        ttl.copy(t, block).wait()

            @ttl.datamovement()
            def write():
                with cbs[2].wait() as block:
                    ttl.copy(block, out).wait()

        return product

    a, b, out = torch.randn(32, 32), torch.randn(32, 32), torch.zeros(32, 32)
    for config in ({}, {"math_fidelity": "LoFi"}, {"math_fidelity": "HiFi2", "math_approx_mode": True}):
        make(**config)(a, b, out)
        assert torch.allclose(out, a @ b, atol=0.05)
    with pytest.raises(ValueError, match="Invalid math_fidelity: 'HiFi5'"):
        make(math_fidelity="HiFi5")
    with pytest.raises(ValueError, match="compute_config has no 'speed'"):
        make(speed=1)


# ---- the specification's IR on the device -------------------------------------------------------------------

KERNEL = """
!tensor = tensor<2x2x!ttcore.tile<32x32, bf16>, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>>
func.func @host(%a: !tensor, %b: !tensor, %out: !tensor) {
  ttl.kernel(%a, %b, %out : !tensor, !tensor, !tensor) attributes {grid = #ttl.grid<[2, 2]>} {
  ^bb0(%ka: !tensor, %kb: !tensor, %kout: !tensor):
    %a_cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,bf16>, buffer_factor=2, memory_space=L1
    %b_cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,bf16>, buffer_factor=2, memory_space=L1
    %out_cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,bf16>, buffer_factor=2, memory_space=L1
    %a_accessor = ttl.tensor_accessor %ka {layout = #ttl.layout<interleaved>, memory_space = DRAM}
    %b_accessor = ttl.tensor_accessor %kb {layout = #ttl.layout<interleaved>, memory_space = DRAM}
    %out_accessor = ttl.tensor_accessor %kout {layout = #ttl.layout<interleaved>, memory_space = DRAM}
    ttl.datamovement_thread {
      %x, %y = ttl.core(dims = 2) : index, index
      %a_blk = ttl.cb_reserve %a_cb
      %tx_a = ttl.copy %a_accessor[%y, %x], %a_blk : !ttl.mem_tx
      ttl.cb_push %a_blk
      %b_blk = ttl.cb_reserve %b_cb
      %tx_b = ttl.copy %b_accessor[%y, %x], %b_blk : !ttl.mem_tx
      ttl.cb_push %b_blk
    }
    ttl.compute_thread {
      %a_blk = ttl.cb_wait %a_cb
      %b_blk = ttl.cb_wait %b_cb
      %o_blk = ttl.cb_reserve %out_cb
      OPERATION
      ttl.block_store %o_blk, %result
      ttl.cb_pop %a_blk
      ttl.cb_pop %b_blk
      ttl.cb_push %o_blk
    }
    ttl.datamovement_thread {
      %number = ttl.core_linear() : index
      %o_blk = ttl.cb_wait %out_cb
      %tx_out = ttl.copy %o_blk, %out_accessor[%number] : !ttl.mem_tx
      ttl.wait %tx_out
      ttl.cb_pop %o_blk
    }
  }
  return
}
"""
PASSES = ("builtin.module(ttl-validate,ttl-insert-synchronization,ttl-infer-dst-requirements,ttl-allocate-cbs,ttl-expand-threads,"
          "ttl-assign-dst-registers,ttl-lower-to-ttkernel)")


BLOCK = "!ttl.block<tensor<1x1x!ttcore.tile<32x32, bf16>>, !ttl.cb<[1, 1], !ttcore.tile<32x32, bf16>, 2, L1>>"
TILE = "tensor<1x1x!ttcore.tile<32x32, bf16>>"
DENSE = f"""%result = ttl.compute_region ins(%a_blk, %b_blk : {BLOCK}, {BLOCK}) outs(%o_blk : {BLOCK}) {{
      ^bb0(%x: {BLOCK}, %w: {BLOCK}):
        %product = ttl.block_matmul %x, %w
        %activated = ttl.block_relu %product
        %most = ttl.block_reduce_max %activated {{axis = 1 : i64}}
        %spread = ttl.block_bcast %most {{axis = 1 : i64}}
        %centred = ttl.block_sub %activated, %spread
        ttl.yield %centred : {TILE}
      }} {{keep_in_dst = true}}"""


def of_tiles(function):
    """Applies the function to each 32x32 by itself, as a core computes it."""
    return lambda a, b: torch.cat([torch.cat([function(a[r:r + 32, c:c + 32], b[r:r + 32, c:c + 32]) for c in (0, 32)], 1)
                                   for r in (0, 32)])


def dense(x, w):
    activated = (x @ w).relu()
    return activated - activated.amax(1, keepdim=True)


@pytest.mark.parametrize("operation, want", [
    ("%result = ttl.block_sub %a_blk, %b_blk", lambda a, b: a - b),
    ("%p = ttl.block_mul %a_blk, %b_blk\n%result = ttl.block_relu %p", lambda a, b: (a * b).relu()),
    ("%result = ttl.block_matmul %a_blk, %b_blk", of_tiles(torch.matmul)),
    # reductions of computed values, and of whole blocks: %ones is a tile that the thread fills
    (DENSE, of_tiles(dense)),
    ("%e = ttl.block_exp %a_blk\n%s = ttl.block_reduce_sum %e\n%t = ttl.block_bcast %s\n%q = ttl.block_recip %t\n"
     "%result = ttl.block_mul %e, %q", of_tiles(lambda x, _: x.exp() / x.exp().sum())),
    ("%s = ttl.block_mul %a_blk, %b_blk\n%m = ttl.block_reduce_max %s\n%result = ttl.block_bcast %m {axis = 1 : i64}",
     of_tiles(lambda x, y: torch.cat([(x * y).max().reshape(1, 1).expand(1, 32), torch.zeros(31, 32)]))),
    ("%r = ttl.block_bcast %a_blk {axis = 0 : i64}\n%result = ttl.block_add %r, %b_blk",
     lambda a, b: a.reshape(2, 32, 64)[:, :1].expand(2, 32, 64).reshape(64, 64) + b),
])
def test_the_plans_ir_runs(operation, want):
    from tilewright import _core, sim

    torch.manual_seed(4)
    grid = sim.Grid("n150")
    a, b = (torch.randn(64, 64).bfloat16() for _ in range(2))
    tensors = [grid.tensor((64, 64), "bf16", data=t) for t in (a, b)] + [grid.tensor((64, 64), "bf16")]
    text = _core.transform(KERNEL.replace("OPERATION", operation), "plan.mlir", PASSES)
    kernels = grid.load(text, "plan.mlir")
    buffers = int(re.search(r"base_cta_index = (\d+)", text)[1])  # the thread's private buffers follow the kernel's
    ports, accessors = [sim.cb(i) for i in range(buffers)], [sim.accessor(i) for i in range(3)]
    cores = (0, 0, 2, 2)
    kernels.launch(
        [sim.Run("host_datamovement0", cores, ports + accessors, [sim.address(0), sim.address(1)]),
         sim.Run("host_compute0", cores, ports),
         sim.Run("host_datamovement1", cores, ports + accessors, [sim.address(2)], noc=1)],
        [sim.Buffer(i, "bf16", 2) for i in range(buffers)], tensors).run()
    got = tensors[2].read(torch.empty(64, 64, dtype=torch.bfloat16)).float()
    expected = want(a.float(), b.float())
    roundings = 2 if "recip" in operation else 1  # values in intermediate buffers are bf16, too
    assert (got - expected).abs().max() <= roundings * 2.0**-7 * expected.abs().max()


@pytest.mark.parametrize("plain", ["tensor<64x64xbf16>", "tensor<2x2x!ttcore.tile<32x32, bf16>>"])
def test_accessors_have_the_layout_of_plain_tensors(plain):
    """Elements or tiles without an encoding, as in the specification's tensors."""
    from tilewright import _core

    head, body = KERNEL.strip().split("\n", 1)
    body = body.replace("OPERATION", "%result = ttl.block_sub %a_blk, %b_blk")
    text = body.replace("!tensor", plain)
    made, wanted = (re.sub(r"ttl.tensor_types = \[.*\]", "", _core.transform(t, "plan.mlir", PASSES).split("func.func @host_", 1)[1])
                    for t in (text, head + "\n" + body))
    assert made == wanted
    whole = _core.transform(text, "plan.mlir", "builtin.module(ttl-insert-synchronization,ttl-canonicalize)")
    host = whole[whole.index("func.func @host"):].split("\n", 1)[0]
    assert host.count("tensor<2x2x!ttcore.tile<32x32, bf16>, #ttnn_layout>") == 3, host
    with pytest.raises(RuntimeError, match="needs a tensor whose elements tiles hold, got 'tensor<64x64xf64>'"):
        _core.transform(text.replace(plain, "tensor<64x64xf64>"), "plan.mlir", PASSES)


DISTRIBUTED = """
!dist = !ttl.dist_tensor<grid = [2, 2], shard = [32, 64], f32, sharded, L1>
func.func @distributed_add(%A: !dist, %B: !dist, %out: !dist) {
  ttl.kernel(%A, %B, %out : !dist, !dist, !dist) attributes {grid = #ttl.grid<[2, 2]>} {
  ^bb0(%a: !dist, %b: !dist, %o: !dist):
    %a_cb = ttl.create_cb shape=[1, 2], element_type=!ttcore.tile<32x32, f32>, buffer_factor=2, memory_space=L1
    %b_cb = ttl.create_cb shape=[1, 2], element_type=!ttcore.tile<32x32, f32>, buffer_factor=2, memory_space=L1
    %o_cb = ttl.create_cb shape=[1, 2], element_type=!ttcore.tile<32x32, f32>, buffer_factor=2, memory_space=L1
    %a_local = ttl.extract_shard %a
    %b_all = ttl.redistribute %b strategy=replicated
    %b_whole = ttl.extract_shard %b_all
    %o_local = ttl.extract_shard %o
    ttl.datamovement_thread {
      %c0 = arith.constant 0 : index
      %a_blk = ttl.cb_reserve %a_cb
      %ta = ttl.copy %a_local, %a_blk
      ttl.wait %ta
      ttl.cb_push %a_blk
      %b_blk = ttl.cb_reserve %b_cb
      %tb = ttl.copy %b_whole[%c0, %c0], %b_blk
      ttl.wait %tb
      ttl.cb_push %b_blk
    }
    ttl.compute_thread {
      %a_blk = ttl.cb_wait %a_cb
      %b_blk = ttl.cb_wait %b_cb
      %o_blk = ttl.cb_reserve %o_cb
      %sum = ttl.block_add %a_blk, %b_blk
      ttl.block_store %o_blk, %sum
      ttl.cb_pop %a_blk
      ttl.cb_pop %b_blk
      ttl.cb_push %o_blk
    }
    ttl.datamovement_thread {
      %o_blk = ttl.cb_wait %o_cb
      %to = ttl.copy %o_blk, %o_local
      ttl.wait %to
      ttl.cb_pop %o_blk
    }
  }
  return
}
"""


@pytest.mark.parametrize("strategy", ["replicated", "interleaved", "sharded"])
def test_distributed_tensors(strategy):
    """Each core adds its shard of one tensor and its part of the other: the first block, or its shard."""
    from tilewright import _core, sim

    torch.manual_seed(4)
    grid = sim.Grid("n150")
    a, b = (torch.randn(64, 128) for _ in range(2))
    tensors = [grid.tensor((64, 128), "f32", data=t) for t in (a, b)] + [grid.tensor((64, 128), "f32")]
    text = _core.transform(DISTRIBUTED.replace("strategy=replicated", f"strategy={strategy}"), "plan.mlir", PASSES)
    kernels = grid.load(text, "plan.mlir")
    ports, accessors = [sim.cb(i) for i in range(3)], [sim.accessor(i) for i in range(3)]
    cores = (0, 0, 2, 2)
    kernels.launch(
        [sim.Run("distributed_add_datamovement0", cores, ports + accessors, [sim.address(0), sim.address(1)]),
         sim.Run("distributed_add_compute0", cores, ports, wide_dst=True, unpack_to_dst=(0, 1, 2)),
         sim.Run("distributed_add_datamovement1", cores, ports + accessors, [sim.address(2)], noc=1)],
        [sim.Buffer(i, "f32", 4) for i in range(3)], tensors).run()
    got = tensors[2].read(torch.empty(64, 128))
    assert torch.allclose(got, a + (b[:32, :64].repeat(2, 2) if strategy == "replicated" else b))


SEMAPHORE = """
!tensor = tensor<1x1x!ttcore.tile<32x32, f32>, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, f32>, #ttnn.buffer_type<dram>>, <interleaved>>>
func.func @gate(%x: !tensor, %out: !tensor) {
  ttl.kernel(%x, %out : !tensor, !tensor) attributes {grid = #ttl.grid<[1, 1]>} {
  ^bb0(%kx: !tensor, %kout: !tensor):
    %cb = ttl.create_cb shape=[1,1], element_type=!ttcore.tile<32x32,f32>, buffer_factor=1, memory_space=L1
    %open = ttl.create_semaphore {initial_value = 7 : i32}
    %from = ttl.tensor_accessor %kx {layout = #ttl.layout<interleaved>, memory_space = DRAM}
    %to = ttl.tensor_accessor %kout {layout = #ttl.layout<interleaved>, memory_space = DRAM}
    ttl.datamovement_thread {
      %c0 = arith.constant 0 : index
      %in = ttl.cb_reserve %cb
      %tx = ttl.copy %from[%c0, %c0], %in : !ttl.mem_tx
      ttl.wait %tx
      ttl.cb_push %in
    }
    ttl.datamovement_thread {
      %c0 = arith.constant 0 : index
      ttl.semaphore_wait %open, 7 {comparison = "equal", reset_value = 0}
      %done = ttl.cb_wait %cb
      %tx = ttl.copy %done, %to[%c0, %c0] : !ttl.mem_tx
      ttl.wait %tx
      ttl.cb_pop %done
    }
  }
  return
}
"""


@pytest.mark.parametrize("semaphores", [(), (0, 0), (3,)])
def test_initial_values_of_semaphores_in_ir(semaphores):
    """Whatever initial values the launch gives them; in each of its runs."""
    from tilewright import _core, sim

    grid = sim.Grid("n150")
    x = torch.randn(32, 32)
    tensors = [grid.tensor((32, 32), "f32", data=x), grid.tensor((32, 32), "f32")]
    text = _core.transform(SEMAPHORE, "plan.mlir", PASSES)
    kernels = grid.load(text, "plan.mlir")
    args = [sim.cb(0), sim.accessor(0), sim.accessor(1)]
    launch = kernels.launch([sim.Run("gate_datamovement0", compile_args=args, common_args=[sim.address(0)]),
                             sim.Run("gate_datamovement1", compile_args=args, common_args=[sim.address(1)], noc=1)],
                            [sim.Buffer(0, "f32", 1)], tensors, semaphores)
    for _ in range(4):
        launch.run()
        assert torch.equal(tensors[1].read(torch.empty(32, 32)), x)
        tensors[1].write(torch.zeros(32, 32))
    closed = grid.load(text.replace("array<i64: 0, 7>", "array<i64: 0, 6>"), "plan.mlir")
    launch = closed.launch([sim.Run("gate_datamovement1", compile_args=args, common_args=[sim.address(1)], noc=1)],
                           [sim.Buffer(0, "f32", 1)], tensors, semaphores)
    with pytest.raises(sim.KernelError, match="waits? for"):
        launch.run()
    with pytest.raises(RuntimeError, match="semaphore 99 begins with 7; there are"):
        grid.load(text.replace("array<i64: 0, 7>", "array<i64: 99, 7>"), "plan.mlir").launch(
            [sim.Run("gate_datamovement1", compile_args=args, common_args=[sim.address(1)])], [sim.Buffer(0, "f32", 1)], tensors)


# ---- kernels with a name and arguments ------------------------------------------------------------------------

NAMED = """
ttl.kernel @sharded_elementwise_add(
  %a: tensor<128x64xf32>,
  %b: tensor<128x64xf32>,
  %out: tensor<128x64xf32>
) attributes {grid = #ttl.grid<[2, 2]>, block_factors = [[2, 1], [2, 1], [2, 1]], compute_config = {fp32_dest_acc_en = true}} {
  %a_cb = ttl.create_cb shape=[2,1], element_type=!ttcore.tile<32x32,f32>, buffer_factor=2, memory_space=L1
  %b_cb = ttl.create_cb shape=[2,1], element_type=!ttcore.tile<32x32,f32>, buffer_factor=2, memory_space=L1
  %out_cb = ttl.create_cb shape=[2,1], element_type=!ttcore.tile<32x32,f32>, buffer_factor=2, memory_space=L1
  %a_accessor = ttl.tensor_accessor %a {layout = LAYOUT, memory_space = DRAM}
  %b_accessor = ttl.tensor_accessor %b {layout = LAYOUT, memory_space = DRAM}
  %out_accessor = ttl.tensor_accessor %out {layout = LAYOUT, memory_space = DRAM}
  ttl.datamovement_thread {
    %shard_id = ttl.core_linear() : index
    %zero = arith.constant 0 : index
    %a_blk = ttl.cb_reserve %a_cb
    %tx_a = ttl.copy %a_accessor[PLACE], %a_blk : !ttl.mem_tx
    ttl.wait %tx_a
    ttl.cb_push %a_blk
    %b_blk = ttl.cb_reserve %b_cb
    %tx_b = ttl.copy %b_accessor[PLACE], %b_blk : !ttl.mem_tx
    ttl.wait %tx_b
    ttl.cb_push %b_blk
  }
  ttl.compute_thread {
    %a_blk = ttl.cb_wait %a_cb
    %b_blk = ttl.cb_wait %b_cb
    %o_blk = ttl.cb_reserve %out_cb
    %result = ttl.block_add %a_blk, %b_blk
    ttl.block_store %o_blk, %result
    ttl.cb_pop %a_blk
    ttl.cb_pop %b_blk
    ttl.cb_push %o_blk
  }
  ttl.datamovement_thread {
    %shard_id = ttl.core_linear() : index
    %zero = arith.constant 0 : index
    %o_blk = ttl.cb_wait %out_cb
    %tx_out = ttl.copy %o_blk, %out_accessor[PLACE] : !ttl.mem_tx
    ttl.wait %tx_out
    ttl.cb_pop %o_blk
  }
}
"""


@also_in_cpp("layout, index, memory, unit", [
    ("#ttl.layout<sharded, grid=[2,2], tiles_per_shard=[2,1]>", "%shard_id", "DRAM_SHARDED", "shard"),
    ("#ttl.layout<sharded, grid=[2,2], tiles_per_shard=[2,1]>", "%shard_id", "L1_SHARDED", "shard"),
    ("#ttl.layout<sharded, grid=[2,2], tiles_per_shard=[2,1]>", "%zero, %zero", "DRAM_SHARDED", "tile"),
    ("#ttl.layout<sharded, grid=[4,2], tiles_per_shard=[1,1]>", "%zero", "DRAM_SHARDED", "tile"),  # a block is two of them
    ("#ttl.layout<interleaved>", "%zero, %zero", "DRAM", "page"),
], lambda layout, index, memory, unit: unit != "tile" and memory != "L1_SHARDED")
def test_named_kernels_run(layout, index, memory, unit, cpp):
    """Moved by the accessor's layout: shards, pages or tiles; in C++, too."""
    from tilewright import _core, sim

    torch.manual_seed(4)
    grid = sim.Grid("n150", cpp=cpp)
    lies = {"memory": getattr(sim, memory)} | ({"shards": (2, 2)} if "SHARDED" in memory else {})
    a, b = (torch.randn(128, 64) for _ in range(2))
    tensors = [grid.tensor((128, 64), "f32", data=t, **lies) for t in (a, b, torch.zeros(128, 64))]
    passes = PASSES.replace("ttl-validate", "ttl-validate,ttl-verify-layouts")
    text = _core.transform(NAMED.replace("LAYOUT", layout).replace("PLACE", index), "plan.mlir", passes)
    assert text.count(f"noc_async_read_{unit}(") == 2 and text.count(f"noc_async_write_{unit}(") == 1
    assert text.count("compute_config = {fp32_dest_acc_en = true}") == 3
    ports, accessors = [sim.cb(i) for i in range(3)], [sim.accessor(i) for i in range(3)]
    name, cores = "sharded_elementwise_add", (0, 0, 2, 2) if index == "%shard_id" else (0, 0, 1, 1)
    grid.load(text, "plan.mlir").launch(
        [sim.Run(f"{name}_datamovement0", cores, ports + accessors, [sim.address(0), sim.address(1)]),
         sim.Run(f"{name}_compute0", cores, ports, wide_dst=True, unpack_to_dst=(0, 1, 2)),
         sim.Run(f"{name}_datamovement1", cores, ports + accessors, [sim.address(2)], noc=1)],
        [sim.Buffer(i, "f32", 4) for i in range(3)], tensors).run()
    got = tensors[2].read(torch.empty(128, 64))
    if index == "%shard_id":
        assert torch.equal(got, a + b)
    else:
        assert torch.equal(got[:64, :32], (a + b)[:64, :32]) and not got[64:].any()
