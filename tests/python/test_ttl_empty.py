"""Uninitialized tensors (ttnn.empty): kernels may write them, and earlier reads are reported."""

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402
import ttnn  # noqa: E402
from tilewright import sim  # noqa: E402

MEMORY = {"DRAM": ttnn.DRAM_MEMORY_CONFIG, "L1": ttnn.L1_MEMORY_CONFIG}


@ttl.kernel(grid=(1, 1))
def double(x, out):
    """The first tile alone."""
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))

    @ttl.compute()
    def compute():
        with x_cb.wait() as block, out_cb.reserve() as result:
            result.store(block * 2)

    @ttl.datamovement()
    def read():
        with x_cb.reserve() as block:
            ttl.copy(x[0, 0], block).wait()

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:
            ttl.copy(block, out[0, 0]).wait()


@pytest.fixture(scope="module")
def device():
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)


def options(device, memory, layout=ttnn.TILE_LAYOUT):
    return dict(dtype=ttnn.float32, layout=layout, device=device, memory_config=MEMORY[memory])


@pytest.mark.parametrize("memory", MEMORY)
def test_an_output_that_is_only_written(device, memory):
    x = ttnn.from_torch(torch.ones(64, 32), **options(device, memory))
    for out in (ttnn.empty((64, 32), **options(device, memory)), ttnn.empty((64, 32), dtype=ttnn.float32), ttnn.empty_like(x)):
        for _ in range(3):
            double(x, out)
            assert torch.equal(ttnn.to_torch(out), torch.cat([torch.full((32, 32), 2.0), torch.zeros(32, 32)]))
        again = ttnn.empty_like(out)
        double(out, again)  # the tile that the kernel has written
        assert torch.equal(ttnn.to_torch(again)[:32], torch.full((32, 32), 4.0))


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("make", [
    lambda device, memory: ttnn.empty((64, 32), **options(device, memory)),
    lambda device, memory: ttnn.empty((64, 32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT),
    lambda device, memory: ttnn.empty_like(ttnn.ones((64, 32), **options(device, memory))),
    lambda device, memory: ttnn.to_device(ttnn.empty((64, 32), dtype=ttnn.float32), device, memory_config=MEMORY[memory]),
    lambda device, memory: ttnn.to_layout(ttnn.empty((64, 32), **options(device, memory, ttnn.ROW_MAJOR_LAYOUT)), ttnn.TILE_LAYOUT),
    lambda device, memory: ttnn.to_memory_config(ttnn.empty((64, 32), **options(device, memory)), ttnn.DRAM_MEMORY_CONFIG),
], ids=["on the device", "on the host", "empty_like", "to_device", "to_layout", "to_memory_config"])
def test_a_tensor_that_is_read_before_anything_is_written(device, memory, make):
    given, out = make(device, memory), ttnn.zeros((64, 32), **options(device, memory))
    for _ in range(2):
        with pytest.raises(Exception, match="uninitialised read: source of a NoC read: nothing has written") as caught:
            double(given, out)
        assert "ttl.copy(x[0, 0], block).wait()" in str(caught.value) and "give the tensor values on the host" in str(caught.value)


def test_values_that_the_host_gives_later(device):
    given, out = ttnn.empty((64, 32), **options(device, "DRAM")), ttnn.empty((64, 32), **options(device, "DRAM"))
    assert torch.equal(ttnn.to_torch(given), torch.zeros(64, 32))
    double(given + 3, out)
    assert ttnn.to_torch(out)[0, 0] == 6
    double(ttnn.from_torch(torch.ones(64, 32), **options(device, "DRAM")), given)
    double(given, out)
    assert ttnn.to_torch(out)[0, 0] == 4


def test_a_tensor_in_l1_where_another_has_been():
    grid = sim.Grid()
    gone = grid.tensor((32, 32), "f32", data=torch.ones(32, 32), memory=sim.L1)
    address = gone.address
    del gone
    tensor = grid.tensor((32, 32), "f32", memory=sim.L1)
    assert tensor.address == address
    with pytest.raises(RuntimeError, match="no kernel has written page 0"):
        tensor.read(torch.zeros(32, 32))
