"""ttnn's names that programs around kernels use: devices, memories, functions."""

import concurrent.futures
import os
import sys
import threading
import warnings

import pytest

torch = pytest.importorskip("torch")
import ttnn  # noqa: E402
from test_ttnn_ops import block_round, edge_values  # noqa: E402


@pytest.fixture(scope="module")
def device():
    with ttnn.manage_device(device_id=0) as device:
        yield device


def tile(data, device):
    return ttnn.from_torch(data, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)


@pytest.mark.parametrize("function, want", [
    (lambda t, u: ttnn.add(t, u), lambda x, y: x + y), (lambda t, u: ttnn.subtract(t, 2), lambda x, y: x - 2),
    (lambda t, u: ttnn.multiply(t, u, memory_config=ttnn.L1_MEMORY_CONFIG), lambda x, y: x * y),
    (lambda t, u: ttnn.sum(t, dim=1, keepdim=True), lambda x, y: x.sum(1, keepdim=True)),
    (lambda t, u: ttnn.max(t), lambda x, y: x.amax()), (lambda t, u: ttnn.mean(t, dim=-1), lambda x, y: x.mean(-1)),
    (lambda t, u: ttnn.gelu(t), lambda x, y: torch.nn.functional.gelu(x)), (lambda t, u: ttnn.rsqrt(t), lambda x, y: x.rsqrt()),
    (lambda t, u: ttnn.where(ttnn.gt(t, u), t, 0.5), lambda x, y: torch.where(x > y, x, 0.5)),
    (lambda t, u: ttnn.concat([t, u], dim=1), lambda x, y: torch.cat([x, y], 1)),
    (lambda t, u: ttnn.linear(t, u, bias=t, transpose_b=True), lambda x, y: x @ y.T + x),
    (lambda t, u: ttnn.permute(t, (1, 0)), lambda x, y: x.T), (lambda t, u: ttnn.unsqueeze(t, 0), lambda x, y: x[None]),
    (lambda t, u: ttnn.full_like(t, 3.0), lambda x, y: torch.full_like(x, 3.0)),
    (lambda t, u: ttnn.clone(t), lambda x, y: x), (lambda t, u: ttnn.repeat(t, (2, 1)), lambda x, y: x.repeat(2, 1)),
    (lambda t, u: ttnn.matmul(t, u), lambda x, y: x @ y), (lambda t, u: ttnn.softmax(t, dim=-1), lambda x, y: x.softmax(-1)),
])
def test_functions(device, function, want):
    torch.manual_seed(2)
    x, y = torch.rand(32, 32) + 0.5, torch.rand(32, 32)
    got = function(tile(x, device), tile(y, device))
    assert got.device() is device and got.layout == ttnn.TILE_LAYOUT
    assert torch.allclose(ttnn.to_torch(got), want(x, y))


def test_types_of_results(device):
    got = ttnn.add(tile(torch.ones(32, 32), device), 1, dtype=ttnn.bfloat16)
    assert got.dtype == ttnn.bfloat16 and (ttnn.to_torch(got) == 2).all()


def test_a_managed_device_is_closed():
    with pytest.raises(KeyError), ttnn.manage_device(device_id=0) as device:
        raise KeyError
    with pytest.raises(RuntimeError, match="has been closed"):
        tile(torch.ones(32, 32), device)


def test_memory_configurations(device):
    config = ttnn.create_sharded_memory_config((64, 64), ttnn.CoreGrid(y=2, x=2), ttnn.ShardStrategy.BLOCK)
    x = tile(torch.arange(64.0 * 64).reshape(64, 64), device)
    shards = ttnn.interleaved_to_sharded(x, config)
    back = ttnn.sharded_to_interleaved(shards)
    assert ttnn.is_sharded(shards) and not ttnn.is_sharded(back) and ttnn.get_memory_config(shards) == config
    assert (ttnn.to_torch(back) == ttnn.to_torch(x)).all() and ttnn.arange(3).shape == ttnn.Shape((3,))
    assert ttnn.get_arch_name() in ("wormhole_b0", "blackhole")
    assert ttnn.KernelDescriptor.SourceType.FILE_PATH is not ttnn.KernelDescriptor.SourceType.SOURCE_CODE


def test_every_public_name_is_there():
    """Names of ttnn and no others: neither modules that it uses nor its own helpers."""
    names = {name for name in dir(ttnn) if not name.startswith("__")}
    assert names == set(ttnn.__all__) and {"add", "manage_device", "Tensor", "generic_op", "Conv2dConfig", "transformer"} <= names
    assert not names & {"torch", "contextlib", "functions", "ELEMENTS", "on_device", "FUNCTIONS", "default_device"}
    assert all(hasattr(ttnn, name) for name in ttnn.__all__)
    assert ttnn.transformer.scaled_dot_product_attention.__doc__ and "transformer" not in dir(ttnn.transformer)


@pytest.mark.parametrize("call, error, parts", [
    (lambda t: ttnn.add(t, torch.ones(32, 32)), TypeError, ("ttnn.add", "class Tensor", "ttnn.from_torch")),
    (lambda t: ttnn.add(t, "2"), ValueError, ("ttnn.add", "'input_tensor_b'", "expected a tensor or a number", "found '2'")),
    (lambda t: ttnn.add(t), ValueError, ("ttnn.add", "'input_tensor_b'", "found nothing")),
    (lambda t: ttnn.add(t, t, t), TypeError, ("ttnn.add", "at most 2", "found 3")),
    (lambda t: ttnn.add(t, t, out=t), TypeError, ("ttnn.add", "no argument 'out'", "memory_config")),
    (lambda t: ttnn.add(t, input_tensor_a=t), TypeError, ("ttnn.add", "'input_tensor_a' is given twice")),
    (lambda t: ttnn.add(t, ttnn.typecast(ttnn.reshape(t, (1, 1024)), ttnn.float32)), ValueError, ("(32, 32)", "(1, 1024)", "broadcast")),
    (lambda t: ttnn.add(t, t, dtype="bfloat16"), ValueError, ("'dtype'", "a data type", "found 'bfloat16'")),
    (lambda t: ttnn.add(t, t, memory_config="L1"), ValueError, ("'memory_config'", "a memory config", "found 'L1'")),
    (lambda t: ttnn.sum(t, dim=2), ValueError, ("ttnn.sum",)),
    (lambda t: ttnn.sum(t, dim="x"), ValueError, ("ttnn.sum", "'dim'", "found 'x'")),
    (lambda t: ttnn.permute(t, (0, 0)), ValueError, ("ttnn.permute", "0, 0", "permutation")),
    (lambda t: ttnn.reshape(t, (7, 7)), ValueError, ("ttnn.reshape", "1024 elements")),
    (lambda t: ttnn.concat([t, 3]), ValueError, ("ttnn.concat", "'tensors'", "a list of tensors")),
    (lambda t: ttnn.matmul(t, ttnn.reshape(t, (64, 16))), ValueError, ("ttnn.matmul", "matching inner dimensions")),
    (lambda t: ttnn.to_layout(ttnn.typecast(t, ttnn.bfloat8_b), ttnn.ROW_MAJOR_LAYOUT), ValueError, ("ttnn.to_layout", "tiles")),
    (lambda t: ttnn.multiply(ttnn.typecast(t, ttnn.int32), 0.5), ValueError, ("ttnn.multiply", "0.5", "typecast the tensor")),
    (lambda t: ttnn.Conv2dConfig(width=3), TypeError, ("Conv2dConfig", "'width'", "weights_dtype")),
    (lambda t: ttnn.matmul(t, t, compute_kernel_config=ttnn.WormholeComputeKernelConfig(math_fidelity="best")), ValueError, ("ttnn.matmul",)),
])
def test_bad_input(device, call, error, parts):
    with pytest.raises(error) as raised:
        call(tile(torch.ones(32, 32), device))
    assert all(part in str(raised.value) for part in parts), raised.value


def test_deallocated_tensors_are_refused(device):
    t = tile(torch.ones(32, 32), device)
    ttnn.deallocate(t)
    with pytest.raises(ValueError, match="ttnn.neg: expected a tensor, found one that ttnn.deallocate gave back"):
        ttnn.neg(t)


def test_memory_of_results(device):
    """As the argument says, else as the first operand's; configurations of programs are accepted."""
    t = tile(torch.ones(64, 64), device)
    l1 = ttnn.add(t, t, memory_config=ttnn.L1_MEMORY_CONFIG)
    assert l1.memory_config() is ttnn.L1_MEMORY_CONFIG and ttnn.neg(l1).memory_config() is ttnn.L1_MEMORY_CONFIG
    config = ttnn.create_sharded_memory_config((64, 64), ttnn.CoreGrid(y=2, x=2), ttnn.ShardStrategy.BLOCK)
    shards = ttnn.multiply(t, 3.0, memory_config=config)
    assert shards.memory_config() == config and ttnn.relu(shards).memory_config() == config
    assert not ttnn.is_sharded(ttnn.sum(shards, dim=0, keepdim=True)) and (ttnn.to_torch(shards) == 3).all()
    program = ttnn.MatmulMultiCoreReuseProgramConfig(compute_with_storage_grid_size=ttnn.CoreCoord(8, 8), in0_block_w=1, out_subblock_h=1,
                                                     out_subblock_w=1, per_core_M=1, per_core_N=1)
    kernel = ttnn.WormholeComputeKernelConfig(math_fidelity=ttnn.MathFidelity.HiFi4, fp32_dest_acc_en=True)
    assert (ttnn.to_torch(ttnn.matmul(t, t, program_config=program, compute_kernel_config=kernel)) == 64).all()


def test_kernels_and_functions_share_tensors(device):
    """An operation reads what a kernel wrote, and a kernel what an operation modified."""
    t, out = tile(torch.rand(32, 32), device), ttnn.empty((32, 32), ttnn.float32, device=device)
    out.move(device).device_tensor.write(torch.full((32, 32), 5.0))
    out.written_on_device()
    assert (ttnn.to_torch(ttnn.add(out, 1.0)) == 6).all()
    ttnn.copy(t, out)
    assert torch.equal(out.device_tensor.read(torch.empty(32, 32)), ttnn.to_torch(t)) and torch.equal(ttnn.to_torch(out), ttnn.to_torch(t))


def test_nothing_leaks_and_plans_are_kept(device):
    from tilewright.sim import _core

    t = tile(torch.rand(32, 32), device)
    ttnn.exp(t)
    calls, plans, _ = _core().ttnn_counts()
    references = sys.getrefcount(t), sys.getrefcount(ttnn.DRAM_MEMORY_CONFIG), sys.getrefcount(device)
    for _ in range(10000):
        ttnn.exp(t)
    assert _core().ttnn_counts()[:2] == (calls + 10000, plans)
    assert (sys.getrefcount(t), sys.getrefcount(ttnn.DRAM_MEMORY_CONFIG), sys.getrefcount(device)) == references
    device.clear_program_cache()
    assert device.num_program_cache_entries() == 0
    ttnn.exp(t)
    assert device.num_program_cache_entries() == 1


def test_threads_on_one_device(device):
    """Calls of several threads are serialised; each has its own result."""
    inputs = [tile(torch.full((256, 256), float(i)), device) for i in range(4)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            made = list(pool.map(lambda t: ttnn.multiply(t, 2.0), inputs))
            assert [ttnn.to_torch(m)[0, 0].item() for m in made] == [0, 2, 4, 6]


def test_a_child_of_fork_calls_functions(device):
    """Also where another thread was in a call."""
    t, small = tile(torch.full((512, 512), 2.0), device), tile(torch.full((32, 32), 2.0), device)
    ttnn.exp(t)
    running = threading.Event()
    running.set()

    def work():
        while running.is_set():
            ttnn.exp(t)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of a fork while threads run
            for _ in range(5):
                child = os.fork()
                if child == 0:
                    os._exit(0 if ttnn.to_torch(ttnn.add(small, 1.0))[31, 31].item() == 3 else 1)
                assert os.waitpid(child, 0)[1] == 0
    finally:
        running.clear()
        thread.join()


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (1, 1)])
def test_small_tensors(shape):
    x = torch.rand(shape)
    t = ttnn.from_torch(x)
    for made, want in ((ttnn.add(t, t), x + x), (ttnn.exp(t), x.exp()), (ttnn.add(t, 1.0), x + 1)):
        assert made.shape == shape and torch.allclose(ttnn.to_torch(made), want)


def test_tensors_own_their_numbers():
    """Neither torch's later writes to its tensor nor a kernel's writes are visible to the other."""
    device = ttnn.open_device(device_id=0)
    ones = torch.ones(32, 32)
    for options in ({}, {"layout": ttnn.TILE_LAYOUT, "device": device}):
        tensor = ttnn.from_torch(ones, **options)
        ones.zero_()
        got = ttnn.to_torch(tensor)
        assert torch.equal(got, torch.ones(32, 32))
        got.zero_()
        assert torch.equal(ttnn.to_torch(tensor), torch.ones(32, 32))
        ones.fill_(1)


@pytest.mark.parametrize("dtype, width", [(ttnn.bfloat8_b, 7), (ttnn.bfloat4_b, 3)], ids=["bfp8", "bfp4"])
def test_block_floats_are_rounded_on_the_host(device, dtype, width):
    """Against test_ttnn_ops' model of the format; the same tensor on the device has the same values."""
    x = torch.from_numpy(edge_values())
    want = torch.from_numpy(block_round(x.numpy(), width))
    assert not torch.equal(want, x) and ttnn.from_torch(x, dtype=dtype).layout == ttnn.TILE_LAYOUT
    given = x.clone()
    for tensor in (ttnn.from_torch(x, dtype=dtype), ttnn.Tensor(x.numpy(), dtype), ttnn.typecast(ttnn.from_torch(x), dtype),
                   ttnn.from_torch(x, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)):
        got = ttnn.to_torch(tensor)
        assert torch.equal(got, want) and got.dtype == torch.float32
    assert torch.equal(x, given)  # belongs to the caller
    held = ttnn.from_torch(x, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)
    held.written_on_device()  # so that its values are read back
    assert torch.equal(ttnn.to_torch(held), want)
    row = x[0, :40]
    assert torch.equal(ttnn.to_torch(ttnn.from_torch(row, dtype=dtype)), torch.from_numpy(block_round(row.numpy()[None], width)[0]))
    for shape in ((), (0,), (3, 0)):
        assert ttnn.to_torch(ttnn.from_torch(torch.zeros(shape), dtype=dtype)).shape == shape


def test_results_of_block_floats_are_block_floats():
    """Computed in f32, stored as bf16, then packed into blocks: the packer cuts what a block cannot hold."""
    x, y = (torch.from_numpy(block_round(edge_values()[:, :32], 7)) for _ in range(2))
    total = ttnn.to_torch(ttnn.from_torch(x, dtype=ttnn.bfloat8_b) + ttnn.from_torch(y * 3, dtype=ttnn.bfloat8_b)).numpy()
    want = (x + torch.from_numpy(block_round((y * 3).numpy(), 7))).bfloat16().float().numpy()
    assert (block_round(total, 7) == total).all()
    step = abs(want).reshape(len(want), -1, 16).max(-1).repeat(16, 1) / 64  # of a block's mantissas
    assert (abs(total - want) <= step).all()


def test_only_block_floats_are_rounded_so():
    from tilewright import sim

    for array, dtype, message in ((torch.zeros(4), "bf16", "bf16 is no block float"),
                               (torch.zeros(4, dtype=torch.int32), "bfp_bf8", "are made of float32, not of torch.int32")):
        with pytest.raises(TypeError, match=message):
            sim.round_blocks(array, dtype)


def test_the_machine(device):
    """What tests of ttnn ask about boards, chips and dispatch before they open a device."""
    assert ttnn.cluster.get_cluster_type() is ttnn.cluster.ClusterType.N150 and not ttnn.device.is_blackhole()
    assert ttnn.get_num_devices() == len(ttnn.get_pcie_device_ids()) == 1 and not ttnn.using_distributed_env()
    config = ttnn.DispatchCoreConfig(ttnn.DispatchCoreType.ETH, ttnn.DispatchCoreAxis.ROW)
    with ttnn.manage_device(device_id=0, dispatch_core_config=config) as other:
        assert other.core_grid == device.core_grid  # no core is reserved
    x = tile(torch.ones(32, 32), device)
    assert ttnn.from_host_shards([x], ttnn.MeshShape(1, 1)) is x
    with pytest.raises(ValueError, match="expected one tensor and a mesh of one chip, found 2 and"):
        ttnn.from_host_shards([x, x], ttnn.MeshShape(1, 2))
    assert ttnn.get_device_tensors(x) == [x] and x.cpu().device() is None and x.cpu().cpu().device() is None


def test_correlation():
    x = torch.randn(100)
    assert ttnn.pearson_correlation_coefficient(x, 2 * x + 1) == pytest.approx(1) and ttnn.pearson_correlation_coefficient(x, -x) == pytest.approx(-1)
    y = torch.randn(100)
    assert ttnn.pearson_correlation_coefficient(x, y) == pytest.approx(torch.corrcoef(torch.stack([x, y]).double())[0, 1].item())
    ones, nan = torch.ones(4), torch.tensor([1.0, 2.0, float("nan"), float("inf")])
    assert ttnn.pearson_correlation_coefficient(ones, ones) == 1 and ttnn.pearson_correlation_coefficient(ones, x[:4]) == 0
    assert ttnn.pearson_correlation_coefficient(nan, nan) == 1 and ttnn.pearson_correlation_coefficient(nan, x[:4]) == 0
    with pytest.raises(ValueError, match="expected tensors of as many values, found 4 and 100"):
        ttnn.pearson_correlation_coefficient(ones, x)


@pytest.mark.parametrize("strategy, shape", [(ttnn.ShardStrategy.HEIGHT, (2048, 32)), (ttnn.ShardStrategy.WIDTH, (32, 2048))])
def test_shards_go_along_rows_of_cores(device, strategy, shape):
    """64 shards of one dimension are on all 64 cores."""
    memory = ttnn.create_sharded_memory_config(shape, ttnn.CoreGrid(y=8, x=8), strategy)
    values = torch.randn(shape)
    got = ttnn.from_torch(values, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device, memory_config=memory)
    back = torch.empty(shape)
    got.move(device).device_tensor.read(back)
    assert torch.equal(back, values)


def test_shard_specs_by_ttnn_names():
    grid = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 1))])
    spec = ttnn.ShardSpec(grid=grid, shard_shape=(32, 64), shard_orientation=ttnn.ShardOrientation.ROW_MAJOR)
    assert spec == ttnn.ShardSpec(grid, [32, 64]) and spec.shape == (32, 64)
    with pytest.raises(TypeError, match="ShardSpec: argument 'shard_shape': expected"):
        ttnn.ShardSpec(grid)
