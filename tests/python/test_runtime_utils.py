"""Names of _ttmlir_runtime for ttnn's devices and for several processes: buffers, devices, arguments of tt-run, events."""

import pytest

torch = pytest.importorskip("torch")
import _ttmlir_runtime as tt_runtime  # noqa: E402
import ttnn  # noqa: E402
from _ttmlir_runtime import utils  # noqa: E402


@pytest.fixture
def device():
    made = ttnn.open_device(device_id=0)
    yield made
    if made.open:
        ttnn.close_device(made)


def test_l1_buffers_grow_down(device):
    base, size = utils.get_l1_base_allocator_addr(device), utils.get_l1_size_per_core(device)
    assert 0 < base < size and utils.get_lowest_occupied_compute_l1_address(device) is None
    a = utils.allocate_l1_buffer(device, 4096, 4096)
    b = utils.allocate_l1_buffer(device, buffer_size=64 * 2048 + 2048, page_size=2048)  # 65 pages: two on one core
    assert a.address() == size - 4096 and b.address() == a.address() - 2 * 2048 and b.size() == 65 * 2048
    assert utils.get_lowest_occupied_compute_l1_address(device) == b.address()
    a.deallocate()
    a.deallocate()
    assert not a.is_allocated() and b.is_allocated()
    c = utils.allocate_l1_buffer(device, 1024, 1024)  # in the gap
    assert size - 4096 <= c.address() == size - 1024
    with pytest.raises(RuntimeError, match="Failed to allocate L1 buffer: it needs .* the largest gap is"):
        utils.allocate_l1_buffer(device, size, size)
    del b, c
    assert utils.get_lowest_occupied_compute_l1_address(device) is None


def test_dram_buffers_grow_up(device):
    a, b = (utils.allocate_dram_buffer(device, 12 * 4096, 4096) for _ in range(2))
    assert b.address() == a.address() + 4096 and a.is_allocated()
    a.deallocate()
    assert utils.allocate_dram_buffer(device, 4096, 4096).address() == a.address()


def test_bad_input(device):
    with pytest.raises(ValueError, match="found 100 bytes in pages of 64"):
        utils.allocate_l1_buffer(device, 100, 64)
    ttnn.close_device(device)
    for call in (utils.get_l1_size_per_core, utils.create_runtime_device_from_ttnn):
        with pytest.raises(ValueError, match="expected an open device of ttnn"):
            call(device)


def test_runtime_device(device):
    made = utils.create_runtime_device_from_ttnn(device)
    assert made.get_mesh_shape() == [1, 1] and made.get_l1_size_per_core() == utils.get_l1_size_per_core(device)
    tensor = utils.create_runtime_tensor_from_ttnn(ttnn.from_torch(torch.arange(4.0)))
    assert torch.equal(ttnn.to_torch(utils.get_ttnn_tensor_from_runtime_tensor(tensor)), torch.arange(4.0))


def test_arguments_of_several_processes():
    args = tt_runtime.runtime.MultiProcessArgs.create("ranks.yaml")
    assert args.with_hosts(["a", "b"]).with_rank_file_path("r").with_mca_options({"btl": "tcp"}).with_tag_output(True) is args
    args.with_allow_run_as_root(True).with_extra_mpi_args(["--verbose"]).with_tcp_interface("eth0").with_tracy_args(["-p", "-r"])
    assert args.to_arg_string() == ('--rank-binding ranks.yaml --tcp-interface eth0 --tracy "-p -r" '
                                    '--mpi-args "--host a,b --rankfile r --mca btl tcp --tag-output --allow-run-as-root --verbose"')
    assert args.with_tracy(False).with_controller_hostname("c").get_rank_binding_path() == "ranks.yaml" and "--tracy" not in args.to_arg_string()
    with pytest.raises(ValueError, match="with_hosts"):
        args.with_hosts([])
    with pytest.raises(ValueError, match="rank_binding_path"):
        tt_runtime.runtime.MultiProcessArgs.create("")


def test_event():
    with pytest.raises(TypeError, match="Event"):
        tt_runtime.runtime.Event()
