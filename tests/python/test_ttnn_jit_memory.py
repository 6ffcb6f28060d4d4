"""What ttnn_jit tells of a device's memory before a function is compiled, under tt-mlir's names."""

import pytest

torch = pytest.importorskip("torch")

import ttnn
from _ttmlir_runtime import utils
from ttnn_jit._src.ir_generator import generate_ir
from ttnn_jit._src.memory_analyzer import MemoryAnalyzer


@pytest.fixture
def device():
    made = ttnn.open_device(device_id=0)
    yield made
    ttnn.close_device(made)


def tensor(device, placed="block", dtype=ttnn.bfloat16):
    if placed == "dram":
        memory = ttnn.DRAM_MEMORY_CONFIG
    else:
        memory = ttnn.create_sharded_memory_config((256, 256), ttnn.CoreGrid(y=2, x=2), ttnn.ShardStrategy.BLOCK)
    return ttnn.from_torch(torch.randn(256, 256), dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device, memory_config=memory)


def generated(x, **options):
    return generate_ir(lambda x: ttnn.exp(x), False, None, x, _tensor_args={"x": x}, **options)


def test_ir_and_its_result(device, capsys):
    x = tensor(device)
    module, kind = generate_ir(lambda x: ttnn.exp(x), True, None, x)
    assert "ttir.exp" in str(module) and list(kind.shape) == [256, 256] and "block_sharded" in str(kind)
    assert "---- IR Dump after TracingCompiler" in capsys.readouterr().out
    moved = generate_ir(lambda x: ttnn.exp(x), False, ttnn.DRAM_MEMORY_CONFIG, x)[1]
    assert "#ttnn.buffer_type<dram>" in str(moved)
    with pytest.raises(ValueError, match="expected at least one tensor"):
        generate_ir(lambda: None, False, None)


@pytest.mark.parametrize("placed, dtype, size", [("block", ttnn.bfloat16, 4 * 4 * 2048), ("block", ttnn.float32, 4 * 4 * 4096),
                                                 ("dram", ttnn.bfloat16, 8 * 8 * 2048)])
def test_result_takes_its_bytes(device, placed, dtype, size):
    found = MemoryAnalyzer(device, generated(tensor(device, placed, dtype))[1])
    start, end = found._output_addr_range
    assert found.enabled and end - start == size
    inside = found._l1_addr_range if placed == "block" else found._dram_addr_range
    assert inside[0] <= start and end <= inside[1]
    assert found.get_output_range_str() == f" not-implemented-preallocated-output-tensor-addr-range={start},{end}"


def test_buffers_of_the_user_are_left_out(device):
    kind = generated(tensor(device))[1]
    before = MemoryAnalyzer(device, kind)
    kept = utils.allocate_l1_buffer(device, 64 * 2048, 2048)
    after = MemoryAnalyzer(device, kind)
    assert after._l1_addr_range == (before._l1_addr_range[0], kept.address()) and kept.address() < before._l1_addr_range[1]
    assert after.get_l1_range_str() == f" available-l1-addr-range={after._l1_addr_range[0]},{kept.address()}"
    kept.deallocate()
    assert MemoryAnalyzer(device, kind)._l1_addr_range == before._l1_addr_range
    assert before.get_dram_range_str().startswith(" not-implemented-dram-addr-range=")


def test_statistics(device, capsys):
    kind = generated(tensor(device))[1]
    MemoryAnalyzer(device, kind).print_stats()
    assert "[L1] Memory View: 64 banks" in (printed := capsys.readouterr().out) and "[DRAM] Memory View: 12 banks" in printed
    off = MemoryAnalyzer(device, kind, perform_memory_analysis=False)
    assert not off.enabled and off.get_l1_range_str() == off.get_dram_range_str() == off.get_output_range_str() == ""
    off.print_stats()
    assert capsys.readouterr().out == ""


def test_type_without_layout(device):
    from ttmlir import ir

    with ir.Context(), ir.Location.unknown(), pytest.raises(ValueError, match="expected the type of a tensor with a #ttnn.ttnn_layout of tiles"):
        MemoryAnalyzer(device, ir.RankedTensorType.get([32, 32], ir.F32Type.get()))


def test_closed_device():
    device = ttnn.open_device(device_id=0)
    kind = generated(tensor(device))[1]
    ttnn.close_device(device)
    with pytest.raises(ValueError, match="expected an open device"):
        MemoryAnalyzer(device, kind)
