"""_ttmlir_runtime: binaries, tensors and programs under the names of tt-mlir's runtime extension."""

import json
import math
from pathlib import Path

import pytest
import torch
from test_ttm import in_tiles
from ttmlir import ir, passes
from ttmlir.passmanager import PassManager

import _ttmlir_runtime as tt

R, B = tt.runtime, tt.binary
DTYPES = {torch.float32: R.DataType.Float32, torch.bfloat16: R.DataType.BFloat16, torch.int32: R.DataType.Int32,
          torch.uint8: R.DataType.UInt8, torch.float64: R.DataType.Float64, torch.int64: R.DataType.Int64}
TEXT = """
module {
  func.func @first(%a: tensor<32x64xf32>, %b: tensor<32x64xf32>) -> (tensor<32x64xf32>, tensor<64x32xf32>) {
    %0 = "ttir.add"(%a, %b) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32> loc("sum")
    %1 = "ttir.exp"(%0) : (tensor<32x64xf32>) -> tensor<32x64xf32> loc("exp")
    %2 = "ttir.reshape"(%1) <{shape = [64 : i32, 32 : i32]}> : (tensor<32x64xf32>) -> tensor<64x32xf32> loc("folded")
    %3 = "ttir.neg"(%1) : (tensor<32x64xf32>) -> tensor<32x64xf32> loc("neg")
    return %3, %2 : tensor<32x64xf32>, tensor<64x32xf32>
  }
  func.func @second(%a: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
    %0 = "ttir.relu"(%a) : (tensor<32x32xbf16>) -> tensor<32x32xbf16>
    return %0 : tensor<32x32xbf16>
  }
}
"""


def compiled(text):
    with ir.Context():
        module = ir.Module.parse(text)
        passes.ttir_to_ttnn_runtime_pipeline(module)
        return passes.ttnn_to_flatbuffer_bin(module)


@pytest.fixture(scope="module")
def binary():
    return B.load_binary_from_capsule(compiled(TEXT))


@pytest.fixture
def device():
    yield (opened := R.open_mesh_device())
    R.unregister_hooks()
    R.close_mesh_device(opened)


def host(t, make=R.create_borrowed_host_tensor):
    return make(t.data_ptr(), list(t.shape), list(t.stride()), t.element_size(), DTYPES[t.dtype])


def as_torch(tensor):
    made = torch.zeros(tensor.get_shape(), dtype={v: k for k, v in DTYPES.items()}[tensor.get_dtype()])
    R.memcpy(host(made), tensor)
    return made


def run(device, binary, index, *inputs, retain=True):
    moved = [R.to_layout(host(t), device, R.get_layout(binary, index, i), retain) for i, t in enumerate(inputs)]
    outputs = R.submit(device, binary, index, moved)
    R.wait(outputs)
    return [as_torch(R.to_host(t, untilize=True)[0]) for t in outputs]


PAIR = torch.linspace(-2, 2, 2048).reshape(32, 64), torch.linspace(1, -1, 2048).reshape(32, 64)


# ---- binaries --------------------------------------------------------------------------------------


def test_properties_of_a_binary(binary, tmp_path):
    assert (binary.file_identifier, binary.get_num_programs(), binary.check_schema_hash()) == ("TTNN", 2, True)
    assert [binary.get_program_name(i) for i in range(2)] == ["first", "second"]
    assert not binary.is_program_private(0) and binary.get_program_mesh_shape(0) == [1, 1]
    inputs = json.loads(binary.get_program_inputs_as_json(0))
    assert inputs[0]["desc"]["shape"] == [32, 64] and inputs[0]["desc"]["shard_status"] == "Unsharded"
    assert inputs[0]["desc"]["layout"]["memory_desc"]["data_type"] == "Float32"
    assert json.loads(binary.get_program_outputs_as_json(0))[1]["desc"]["shape"] == [64, 32]
    assert json.loads(binary.get_system_desc_as_json())["chip_descs"][0]["arch"] == "Wormhole_b0"
    assert "first" in binary.as_json() and json.loads(binary.get_program_ops_as_json(1))
    binary.store(str(tmp_path / "a.ttnn"))
    again = B.load_binary_from_path(str(tmp_path / "a.ttnn"))
    assert again.id != binary.id and again.as_json() == binary.as_json()
    assert B.load_binary_from_bytes((tmp_path / "a.ttnn").read_bytes()).get_num_programs() == 2


def test_a_binary_carries_goldens_and_the_text_of_stages(tmp_path):
    numbers = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    golden = passes.GoldenTensor("input_0", [2, 3], [3, 1], passes.DataType.Float32, numbers.data_ptr(), 24)
    with ir.Context():
        module = ir.Module.parse(TEXT)
        passes.ttir_to_ttnn_runtime_pipeline(module)
        passes.ttnn_to_flatbuffer_file(module, str(tmp_path / "g.ttnn"), {'loc("sum")': {0: golden}}, [("canonicalize", "TEXT")])
    found = B.load_binary_from_path(str(tmp_path / "g.ttnn"))
    there = found.get_debug_info_golden('loc("sum")')[0]
    assert (there.shape, there.stride, there.dtype) == ([2, 3], [3, 1], R.DataType.Float32)
    assert torch.equal(torch.frombuffer(there.get_data_buffer(), dtype=torch.float32).reshape(2, 3), numbers)
    assert found.get_debug_info_golden('loc("other")') == {} and '"canonicalize"' in found.as_json()


def test_files_that_are_no_binaries_are_reported(tmp_path):
    for data in (b"", b"nonsense" * 8, b"\x08\0\0\0TTNN" + bytes(40)):
        with pytest.raises(RuntimeError, match="the bytes are no binary"):
            B.load_binary_from_bytes(data)
    R.get_current_system_desc().store(str(tmp_path / "s.ttsys"))
    assert B.load_system_desc_from_path(str(tmp_path / "s.ttsys")).file_identifier == "TTSY"
    with pytest.raises(RuntimeError, match="the file is of kind TTSY; expected TTNN or TTM0"):
        B.load_binary_from_path(str(tmp_path / "s.ttsys"))


def test_a_program_or_operation_that_is_not_there(binary):
    for ask in (binary.get_program_name, binary.get_program_inputs_as_json):
        with pytest.raises(IndexError, match="2 programs, no program 2"):
            ask(2)
    with pytest.raises(RuntimeError, match="has 2 inputs, no input 5"):
        R.get_layout(binary, 0, 5)


# ---- tensors ----------------------------------------------------------------------------------------


def test_owned_tensors_copy_and_borrowed_ones_look():
    numbers = torch.arange(12.0).reshape(3, 4)
    owned, borrowed = host(numbers, R.create_owned_host_tensor), host(numbers)
    numbers[0, 0] = 100
    assert as_torch(owned)[0, 0] == 0 and as_torch(borrowed)[0, 0] == 100
    assert (owned.get_shape(), owned.get_stride(), owned.get_volume(), owned.get_element_size()) == ([3, 4], [4, 1], 12, 4)
    assert owned.get_tensor_desc().physical_volume == 12 and owned.get_global_id() != borrowed.get_global_id()
    assert torch.equal(as_torch(R.create_unsafe_borrowed_host_tensor(owned)), as_torch(owned))


@pytest.mark.parametrize("view", [
    lambda t: t.T, lambda t: t[::2], lambda t: t[:, 1:3], lambda t: t[0], lambda t: t[0, 0], lambda t: t.expand(2, 3, 4), lambda t: t[:0]])
def test_owned_tensors_of_any_strides(view):
    seen = view(torch.arange(12.0).reshape(3, 4))
    assert torch.equal(as_torch(host(seen, R.create_owned_host_tensor)), seen)


def test_a_borrowed_tensor_has_to_be_dense():
    with pytest.raises(ValueError, match="has to be dense"):
        host(torch.zeros(3, 4).T)
    with pytest.raises(ValueError, match="pointer is null"):
        R.create_owned_host_tensor(0, [2], [1], 4, R.DataType.Float32)
    with pytest.raises(TypeError, match="expected a DataType"):
        R.create_owned_host_tensor(1, [2], [1], 4, "f32")


@pytest.mark.parametrize("value, dtype", [(7, torch.int32), (-1.5, torch.float32)])
def test_scalars(value, dtype):
    made = as_torch(R.create_scalar_tensor(value))
    assert made.item() == value and made.dtype == dtype and made.shape == ()


def test_shards_are_parts_of_a_tensor():
    parts = [torch.full((2, 2), float(i)) for i in range(2)]
    whole = R.create_multi_device_borrowed_host_tensor([p.data_ptr() for p in parts], [2, 2], [2, 1], 4, R.DataType.Float32, {}, [1, 2])
    assert R.get_num_shards(whole) == 2
    assert [as_torch(t)[0, 0].item() for t in R.get_device_tensors(whole)] == [0, 1]
    with pytest.raises(RuntimeError, match="2 shards"):
        whole.get_data_buffer()
    with pytest.raises(ValueError, match="takes 4 shards, not 2"):
        R.create_multi_device_host_tensor([p.data_ptr() for p in parts], [2, 2], [2, 1], 4, R.DataType.Float32, {}, [2, 2])


def test_memcpy_converts_to_an_address_only():
    numbers, wide = torch.tensor([1.5, -2.0, math.inf]), torch.zeros(3, dtype=torch.bfloat16)
    R.memcpy(wide.data_ptr(), host(numbers), R.DataType.BFloat16)
    assert torch.equal(wide, numbers.to(torch.bfloat16))
    with pytest.raises(RuntimeError, match="expected the same number of elements of the same type"):
        R.memcpy(host(wide), host(numbers))


# ---- running ------------------------------------------------------------------------------------------


def test_programs_run_as_torch_does(binary, device):
    sums = torch.exp(PAIR[0] + PAIR[1])
    neg, folded = run(device, binary, 0, *PAIR)
    assert torch.allclose(neg, -sums, rtol=2e-6) and torch.equal(folded.reshape(32, 64), -neg)
    numbers = torch.linspace(-1, 1, 1024).reshape(32, 32)
    assert torch.equal(run(device, binary, 1, numbers.bfloat16())[0], numbers.bfloat16().relu())
    # to_layout converts to the type that the program requires
    assert torch.equal(run(device, binary, 1, numbers)[0], numbers.bfloat16().relu())


def test_inputs_are_gone_unless_retained(binary, device):
    layout, numbers = R.get_layout(binary, 1, 0), torch.ones(32, 32)
    kept, given = R.to_layout(host(numbers), device, layout, True), R.to_layout(host(numbers), device, layout)
    assert kept.get_retain() and not given.get_retain() and kept.has_layout(layout)
    R.submit(device, binary, 1, [kept])
    R.submit(device, binary, 1, [given])
    assert kept.is_allocated() and not given.is_allocated()
    with pytest.raises(RuntimeError, match="input 0 of program 1 has been deallocated"):
        R.submit(device, binary, 1, [given])
    R.deallocate_tensor(kept)
    assert kept.is_allocated()
    R.deallocate_tensor(kept, force=True)
    with pytest.raises(RuntimeError, match="has been deallocated"):
        kept.get_data_buffer()


def test_wrong_inputs_are_reported(binary, device):
    with pytest.raises(RuntimeError, match="takes 1 inputs, not 2"):
        R.submit(device, binary, 1, [host(PAIR[0])] * 2)
    with pytest.raises(RuntimeError, match=r"shape \[32, 32\] and Float32, expected \[32, 32\] and BFloat16; to_layout"):
        R.submit(device, binary, 1, [host(torch.ones(32, 32))])
    R.close_mesh_device(device)
    with pytest.raises(RuntimeError, match="closed"):
        R.submit(device, binary, 1, [])
    device._open = True  # the fixture closes it


# ---- meshes ------------------------------------------------------------------------------------------


def test_meshes(device):
    options = R.MeshDeviceOptions()
    options.mesh_shape, options.dispatch_core_type = (2, 4), R.DispatchCoreType.ETH
    mesh = R.open_mesh_device(options)
    assert mesh.get_mesh_shape() == [2, 4] and mesh.get_device_ids() == list(range(8))
    part = R.create_sub_mesh_device(mesh, [1, 4], [1, 0])
    with pytest.raises(RuntimeError, match="must be a parent mesh"):
        R.close_mesh_device(part)
    with pytest.raises(RuntimeError, match="is no part of one of"):
        R.create_sub_mesh_device(mesh, [2, 4], [1, 0])
    R.release_sub_mesh_device(part)
    R.reshape_mesh_device(mesh, [8, 1])
    assert mesh.get_mesh_shape() == [8, 1]
    with pytest.raises(RuntimeError, match="number of devices differs"):
        R.reshape_mesh_device(mesh, [3, 1])
    R.close_mesh_device(mesh)
    with pytest.raises(AttributeError):
        options.mesh_shap = (1, 1)
    with pytest.raises(TypeError, match="mesh_shape must be a list, tuple, or None"):
        options.mesh_shape = 4


# ---- hooks --------------------------------------------------------------------------------------------


def test_hooks_see_every_operation_and_its_tensors(binary, device):
    seen, programs = [], []

    def before(_, program, op):
        seen.append(("before", R.get_op_loc_info(op)))

    def behind(of, program, op):
        assert of is binary and R.get_program_index(program) == 0
        made = R.get_op_output_tensor(op, program)
        inputs = [R.retrieve_tensor_from_pool(program, ref) for ref in R.get_op_input_refs(op)]
        seen.append((R.get_op_debug_str(op).split('"')[1], {k: as_torch(t) for k, t in made.items()}, inputs))

    R.DebugHooks.get(pre_op=before, post_op=behind, pre_program=lambda *a: programs.append("begin"),
                     post_program=lambda *a: programs.append("end"))
    neg = run(device, binary, 0, *PAIR)[0]
    made = {entry[0]: entry for entry in seen if len(entry) == 3 and entry[1]}
    assert programs == ["begin", "end"] and ("before", 'loc("sum")') in seen
    assert torch.equal(made["ttnn.add"][1][0], PAIR[0] + PAIR[1])
    assert torch.equal(as_torch(made["ttnn.add"][2][1]), PAIR[1])
    assert torch.equal(made["ttnn.neg"][1][0], neg) and made["ttnn.reshape"][1][0].shape == (64, 32)
    assert any(entry[0] == "ttnn.deallocate" for entry in seen)


@pytest.mark.parametrize("where, neg, folded", [("sum", -1, 1), ("exp", 0, 0), ("folded", None, 0), ("neg", 0, None)])
def test_a_hook_replaces_a_result(binary, device, where, neg, folded):
    """None: the result is as if nothing had been replaced."""

    def replace(_, program, op):
        refs = R.get_op_output_refs(op)
        if refs and where in R.get_op_loc_info(op):
            zeros = torch.zeros(refs[0].get_shape())
            R.update_tensor_in_pool(program, refs[0], host(zeros, R.create_owned_host_tensor))

    plain = run(device, binary, 0, *PAIR)
    R.DebugHooks.get(post_op=replace)
    for result, number, usual in zip(run(device, binary, 0, *PAIR), (neg, folded), plain):
        assert torch.equal(result, usual if number is None else torch.full_like(usual, number))
    R.unregister_hooks()
    assert torch.equal(run(device, binary, 0, *PAIR)[0], plain[0])


TRACED = """module { func.func @f(%x: tensor<64x96xf32> {ttcore.argument_type = #ttcore.argument_type<input>},
    %w: tensor<96x128xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>}, %b: tensor<128xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
    %c: tensor<1x4x64x32xf32> {ttcore.kv_cache, ttcore.argument_type = #ttcore.argument_type<input>}, %u: tensor<1x4x1x32xf32>, %i: tensor<1xi32>)
    -> (tensor<64x128xf32>, tensor<64x96xf32>, tensor<1x4x64x32xf32>) {
  %p = "ttir.exp"(%w) : (tensor<96x128xf32>) -> tensor<96x128xf32>
  %0 = "ttir.matmul"(%x, %p) : (tensor<64x96xf32>, tensor<96x128xf32>) -> tensor<64x128xf32>
  %1 = "ttir.add"(%0, %b) : (tensor<64x128xf32>, tensor<128xf32>) -> tensor<64x128xf32>
  %2 = "ttir.gelu"(%1) : (tensor<64x128xf32>) -> tensor<64x128xf32>
  %3 = "ttir.multiply"(%x, %x) : (tensor<64x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32>
  "ttir.update_cache"(%c, %u, %i) <{batch_offset = 0 : i32}> : (tensor<1x4x64x32xf32>, tensor<1x4x1x32xf32>, tensor<1xi32>) -> ()
  return %2, %3, %c : tensor<64x128xf32>, tensor<64x96xf32>, tensor<1x4x64x32xf32>
} }"""


@pytest.mark.parametrize("options", ["", " optimization-level=1"])
def test_traced_programs(device, options):
    """A binary with a trace, weights that are computed once and a cache: the bytes of the one without, in each run; hooks see its operations."""
    with ir.Context():
        modules = [ir.Module.parse(TRACED) for _ in range(2)]
        for module, pipeline in zip(modules, ("", "enable-trace=true" + options)):
            passes.ttir_to_ttnn_backend_pipeline(module, pipeline)
        plain, traced = (B.load_binary_from_capsule(passes.ttnn_to_flatbuffer_bin(m)) for m in modules)
    names = [traced.get_program_name(i) for i in range(traced.get_num_programs())]
    assert names[0] == "f" and {"trace_0_f", "allocate_slots_trace_0_f", "run_and_capture_trace_0_f", "execute_trace_0_f"} < set(names)
    assert all(traced.is_program_private(i) == (i > 0) for i in range(len(names)))
    draw, seen = torch.Generator().manual_seed(1), []
    shapes = [64, 96], [96, 128], [128], [1, 4, 64, 32], [1, 4, 1, 32]
    for i in range(3):
        inputs = [torch.randn(s, generator=draw) for s in shapes] + [torch.tensor([5 + i], dtype=torch.int32)]
        cache = inputs[3].clone()
        wanted, found = run(device, plain, 0, *inputs), run(device, traced, 0, *inputs)
        assert all(torch.equal(a, b) for a, b in zip(wanted, found))
        cache[:, :, 5 + i] = inputs[4][:, :, 0]
        assert torch.equal(found[2], cache)
    R.DebugHooks.get(post_op=lambda _, program, op: seen.append(R.get_op_debug_str(op).split('"')[1]))
    run(device, traced, 0, *inputs)
    assert {"ttnn.linear", "ttnn.multiply", "ttnn.paged_update_cache"} < set(seen) and seen.count("ttnn.multiply") == 1


def test_memory_as_a_program_takes_it(binary, device):
    taken = []
    R.DebugHooks.get(post_op=lambda *a: taken.append(device.get_memory_view()[R.MemoryBufferType.DRAM].total_bytes_allocated_per_bank))
    run(device, binary, 0, *PAIR)
    # a tile of f32 is 4 KiB and is in one of 12 banks: two arguments of two tiles, one more for the sum
    assert taken[0] == 3 * 4096 and min(taken) == 4096


def test_what_a_hook_raises_ends_the_program(binary, device):
    def fail(*_):
        raise KeyError("mine")

    R.DebugHooks.get(pre_op=fail)
    with pytest.raises(KeyError, match="mine"):
        run(device, binary, 0, *PAIR)
    with pytest.raises(TypeError, match="post_op must be a function"):
        R.DebugHooks.get(post_op=3)
    R.unregister_hooks()
    assert len(run(device, binary, 0, *PAIR)) == 2


def test_a_program_can_be_walked_without_running(binary):
    names = []
    R.walk_program(binary, 0, lambda b, program, op: names.append(R.get_op_debug_str(op).split('"')[1]))
    assert [n for n in names if n != "ttnn.deallocate"] == ["ttnn.add", "ttnn.exp", "ttnn.reshape", "ttnn.neg"]


def test_constants_inside_an_observed_program(device):
    """Operations that depend on no argument are recomputed in each observed run, so that replacing a value lasts for
    one."""
    found = B.load_binary_from_capsule(compiled("""
      func.func @f(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
        %0 = "ttir.full"() <{shape = array<i32: 32, 32>, fill_value = 2.0 : f32}> : () -> tensor<32x32xf32> loc("two")
        %1 = "ttir.multiply"(%a, %0) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
        return %1 : tensor<32x32xf32>
      }"""))
    times = []

    def replace(_, program, op):
        made = R.get_op_output_tensor(op, program)
        if made and "ttnn.full" in R.get_op_debug_str(op):
            times.append(as_torch(made[0]).unique().item())
            R.update_tensor_in_pool(program, R.get_op_output_refs(op)[0], host(torch.full(made[0].get_shape(), 5.0), R.create_owned_host_tensor))

    R.DebugHooks.get(post_op=replace)
    for _ in range(2):
        assert torch.equal(run(device, found, 0, torch.ones(32, 32))[0], torch.full((32, 32), 5.0))
    assert times == [2, 2]


# ---- settings ---------------------------------------------------------------------------------------------


def test_settings_are_single_objects():
    first = R.PerfEnv.get(dump_device_rate=7)
    assert R.PerfEnv.get() is first and first.dump_device_rate == 7 and "dump_device_rate: 7" in str(first)
    R.DebugStats.get().increment_stat("a", 2)
    assert R.DebugStats.get().get_stat("a") == 2
    R.DebugStats.get().clear()
    with pytest.raises(TypeError, match="DebugEnv.get.. takes"):
        R.DebugEnv.get(no_such=1)
    R.set_compatible_device_runtime(B.load_binary_from_capsule(compiled(TEXT)))
    assert R.get_current_device_runtime() == R.DeviceRuntime.TTNN
    with pytest.raises(RuntimeError, match="not available"):
        R.set_current_host_runtime(R.HostRuntime.Distributed)


def test_tensors_of_ttnn_cross():
    import ttnn

    numbers = torch.linspace(-1, 1, 1024).reshape(32, 32).bfloat16()
    there = tt.utils.create_runtime_tensor_from_ttnn(ttnn.from_torch(numbers, dtype=ttnn.bfloat16), retain=True)
    assert there.get_retain() and torch.equal(as_torch(there), numbers)
    assert torch.equal(ttnn.to_torch(tt.utils.get_ttnn_tensor_from_runtime_tensor(there)), numbers)


def test_programs_of_ttmetal_are_binaries_too(tmp_path):
    """They can be inspected and run."""
    with ir.Context():
        module = ir.Module.parse((Path(__file__).parents[1] / "lit/device/matmul.mlir").read_text())
        PassManager.parse("builtin.module(ttcore-register-device,convert-ttkernel-to-emitc)").run(module.operation)
        passes.ttmetal_to_flatbuffer_file(module, str(tmp_path / "a.ttm"))
        found = B.load_binary_from_capsule(passes.ttmetal_to_flatbuffer_bin(module))
    assert B.load_binary_from_path(str(tmp_path / "a.ttm")).as_json() == found.as_json()
    assert (found.file_identifier, found.get_num_programs()) == ("TTM0", 1) and "matmul_tiles" in found.as_json()
    assert found.check_schema_hash()
    R.set_compatible_device_runtime(found)
    assert R.get_current_device_runtime() == R.DeviceRuntime.TTMetal
    device = R.open_mesh_device()
    shapes = [i["desc"]["shape"] for i in found.inputs(0)]
    given = [torch.randint(-3, 4, shape).float() for shape in shapes]
    tiles = [torch.from_numpy(in_tiles(x.numpy())) for x in given]  # binaries copy pages as they are
    tensors = [R.to_layout(host(x, R.create_owned_host_tensor), device, R.get_layout(found, 0, i)) for i, x in enumerate(tiles)]
    (result,) = R.submit(device, found, 0, tensors)
    assert torch.equal(as_torch(R.to_host(result)[0]), torch.from_numpy(in_tiles((given[0] @ given[1]).numpy())))
    R.close_mesh_device(device)
    R.set_current_device_runtime(R.DeviceRuntime.TTNN)
