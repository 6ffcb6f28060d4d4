"""Runs programs on the embedded device. Tensors are passed in the layout that a program requires (`get_layout`,
`to_layout`); `submit` runs it; `to_host` copies results back."""

import contextlib
import ctypes

from tilewright import _core

from . import _hooks, test  # noqa: F401 (a part of the interface)
from ._debug import (  # noqa: F401
    DebugEnv, DebugStats, DistributedOptions, Event, MultiProcessArgs, PerfEnv, WorkaroundEnv, WorkerDebugStatsEntry,
    get_worker_debug_stats, launch_distributed_runtime, set_memory_log_level, set_metal_home, set_mlir_home,
    shutdown_distributed_runtime)
from ._device import (  # noqa: F401
    Device, MemoryView, MeshDeviceOptions, check_open, close_mesh_device, create_sub_mesh_device, get_arch,
    get_current_system_desc, get_num_available_devices, open_mesh_device, release_sub_mesh_device, reshape_mesh_device)
from ._hooks import (  # noqa: F401
    CallbackContext, DebugHooks, OpContext, get_op_debug_str, get_op_input_refs, get_op_loc_info, get_op_output_refs,
    get_op_output_tensor, get_program_index, invoke_cpu_op, retrieve_tensor_from_pool, unregister_hooks,
    update_tensor_in_pool, walk_program)
from ._tensor import (  # noqa: F401
    Layout, Tensor, TensorDesc, TensorRef, create_borrowed_host_tensor, create_empty_tensor,
    create_multi_device_borrowed_host_tensor, create_multi_device_host_tensor,
    create_multi_device_host_tensor_from_shards, create_owned_host_tensor, create_scalar_tensor,
    create_unsafe_borrowed_host_tensor, new_memory)
from ._types import (  # noqa: F401
    Arch, DataType, DeviceRuntime, DispatchCoreType, DistributedMode, FabricConfig, HostRuntime, MemoryBufferType,
    MemoryLogLevel)
from .binary import Binary

# ---- which runtime ---------------------------------------------------------------------------------

_RUNTIME_OF = {"TTNN": DeviceRuntime.TTNN, "TTM0": DeviceRuntime.TTMetal}
_current = {"device": DeviceRuntime.TTNN, "host": HostRuntime.Local}


def get_current_device_runtime():
    return _current["device"]


def get_available_device_runtimes():
    return [DeviceRuntime.TTNN, DeviceRuntime.TTMetal]


def set_current_device_runtime(runtime):
    if not isinstance(runtime, DeviceRuntime):
        raise TypeError(f"expected a DeviceRuntime, not {runtime!r}")
    _current["device"] = runtime


def set_compatible_device_runtime(binary):
    set_current_device_runtime(_RUNTIME_OF[binary.file_identifier])


def get_current_host_runtime():
    return _current["host"]


def get_available_host_runtimes():
    return [HostRuntime.Local]


def set_current_host_runtime(runtime):
    if runtime != HostRuntime.Local:
        raise RuntimeError(f"{runtime} is not available; HostRuntime.Local is")


def set_fabric_config(config):
    """Links between chips need no configuration; the value is only checked."""
    if not isinstance(config, FabricConfig):
        raise TypeError(f"expected a FabricConfig, not {config!r}")


# ---- layouts and moves ----------------------------------------------------------------------------


def get_layout(executable, program_index, input_index):
    """The layout that a program requires for one of its arguments."""
    inputs = executable.inputs(program_index)
    if not 0 <= input_index < len(inputs):
        raise RuntimeError(f"program {program_index} has {len(inputs)} inputs, no input {input_index}")
    memory = inputs[input_index]["desc"]["layout"]["memory_desc"]
    tile = memory.get("tile_shape") or {"x": 1, "y": 1}
    on_device = executable.file_identifier == "TTNN" and memory.get("storage_type") != "Host"
    return Layout(DataType[memory["data_type"]], tile["x"] * tile["y"] > 1, on_device)


def to_layout(tensor, device, layout, retain=None):
    """A copy of the tensor in the layout; elements are converted as the device converts them."""
    moved = tensor.converted(layout, check_open(device), tensor.get_retain() if retain is None else bool(retain))
    if layout._on_device:
        device._tensors.update(moved.shards())
    return moved


def to_host(tensor, untilize=False, blocking=True):
    """The tensor on the host: a list with one part for each device that holds one."""
    return [Tensor(t._shape, t._dtype, bytearray(t.memory())) for t in tensor.shards()]


def get_device_tensors(tensor):
    """The parts of a tensor on several devices; changing one changes the tensor."""
    return list(tensor.shards())


def get_num_shards(tensor):
    return len(tensor.shards())


def memcpy(dst, src, dstDataType=None):
    """Copies the elements of `src` to a tensor, or to an address with room for them, converted to another type there
    if given."""
    if isinstance(dst, Tensor):
        want, room = dst.get_dtype(), dst.memory()
    else:
        want = dstDataType or src.get_dtype()
        size = src.get_volume() * want.size
        room = (ctypes.c_char * size).from_address(dst) if size else bytearray()
    if isinstance(dst, Tensor) and (dst.get_volume() != src.get_volume() or want.held != src.get_dtype().held):
        raise RuntimeError(f"memcpy of {src} to {dst}: expected the same number of elements of the same type")
    if src.get_volume():
        _core.convert(room, want.held.value, src.memory(), src.get_dtype().held.value)


def deallocate_tensor(tensor, force=False):
    """Frees the tensor; a retained one only with `force`."""
    if force or not tensor.get_retain():
        tensor.release()


def dump_tensor(tensor, path):
    """Writes a tensor to a file, in NumPy's format."""
    import ttnn

    from .utils import get_ttnn_tensor_from_runtime_tensor

    ttnn.dump_tensor(path, get_ttnn_tensor_from_runtime_tensor(tensor))


def load_tensor(path, device=None):
    """The tensor of a file that dump_tensor() or numpy.save() wrote."""
    import ttnn

    from .utils import create_runtime_tensor_from_ttnn

    tensor = create_runtime_tensor_from_ttnn(ttnn.load_tensor(path))
    return tensor if device is None else to_layout(tensor, device, Layout(tensor.get_dtype()))


# ---- running ------------------------------------------------------------------------------------------


def _compiled(binary, index, observed):
    """The program ready to run; an observed one calls the hooks of each run."""
    key = index, observed
    if key not in binary._compiled:
        options = {"name": f"program {index}", "entry": binary.get_program_name(index),
                   "observer": _hooks.notify if observed else None}
        binary._compiled[key] = _core.compile(binary._file.bytes, options, None)
    return binary._compiled[key]


def _check_inputs(program, index, inputs):
    wanted = program.signature()[0]
    if len(inputs) != len(wanted):
        raise RuntimeError(f"program {index} takes {len(wanted)} inputs, not {len(inputs)}")
    for i, (tensor, (dtype, shape)) in enumerate(zip(inputs, wanted)):
        if not tensor.is_allocated():
            raise RuntimeError(f"input {i} of program {index} has been deallocated (set_retain keeps inputs)")
        if len(tensor.shards()) > 1:
            raise NotImplementedError(f"input {i} of program {index} has {len(tensor.shards())} shards: programs over "
                                      "several devices do not run yet")
        if not tensor.get_shape() and not shape and tensor.get_dtype().size == DataType(dtype).size:
            continue  # kernels get a scalar as a word, whatever its type
        if tensor.get_shape() == shape and _is_block(tensor) and dtype == DataType.Float32.value:
            continue
        if tensor.get_shape() != shape or tensor.get_dtype().held.value != dtype:
            raise RuntimeError(f"input {i} of program {index} is of shape {tensor.get_shape()} and {tensor.get_dtype().name}, "
                               f"expected {shape} and {DataType(dtype).name}; to_layout(tensor, device, "
                               f"get_layout(binary, {index}, {i})) converts types")


def _is_block(tensor):
    return tensor.get_dtype() is not tensor.get_dtype().held


@contextlib.contextmanager
def _memory_of(inputs):
    """The inputs' memory as programs take it: block floats as f32, which is exact; what a program writes to them comes back."""
    rooms = [t.memory() for t in inputs]
    blocks = [i for i, t in enumerate(inputs) if _is_block(t)]
    wide, held = DataType.Float32.held.value, {i: inputs[i].get_dtype().held.value for i in blocks}
    for i in blocks:
        rooms[i] = new_memory(inputs[i].get_shape(), DataType.Float32)
        _core.convert(rooms[i], wide, inputs[i].memory(), held[i])
    yield rooms
    for i in blocks:
        _core.convert(inputs[i].memory(), held[i], rooms[i], wide)


def submit(device, executable, program_index, inputs):
    """Runs a program and returns its results, which are on the device. Inputs that are not retained are freed."""
    check_open(device)
    watch = _hooks.watch(device, executable, program_index)
    program = _compiled(executable, program_index, watch is not None)
    _check_inputs(program, program_index, inputs)
    outputs = [Tensor(shape, DataType(dtype), new_memory(shape, DataType(dtype)), Layout(DataType(dtype)), device)
               for dtype, shape in program.signature()[1]]
    with watch.over(inputs) if watch else contextlib.nullcontext():
        try:
            with _memory_of(inputs) as rooms:
                program.run_memory(rooms, [t.memory() for t in outputs])
        finally:
            device._used = None
    for tensor in inputs:
        deallocate_tensor(tensor)
    device._tensors.update(outputs)
    return outputs


def wait(tensors, cq_id=None):
    """Returns once tensors, or an event, are ready: at once, since submit() is synchronous."""
