"""ttnn's names that programs around kernels use: devices, memories, functions."""

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
    assert "functions" not in ttnn.__all__ and {"add", "manage_device", "Tensor", "generic_op"} <= set(ttnn.__all__)
    assert all(hasattr(ttnn, name) for name in ttnn.__all__)


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
    x, y = (torch.from_numpy(block_round(edge_values()[:, :32], 7)) for _ in range(2))
    total = ttnn.to_torch(ttnn.from_torch(x, dtype=ttnn.bfloat8_b) + ttnn.from_torch(y * 3, dtype=ttnn.bfloat8_b))
    want = x.numpy() + block_round((y * 3).numpy(), 7)
    assert torch.equal(total, torch.from_numpy(block_round(want, 7)))


def test_only_block_floats_are_rounded_so():
    from tilewright import sim

    for array, dtype, message in ((torch.zeros(4), "bf16", "bf16 is no block float"),
                               (torch.zeros(4, dtype=torch.int32), "bfp_bf8", "are made of float32, not of torch.int32")):
        with pytest.raises(TypeError, match=message):
            sim.round_blocks(array, dtype)
