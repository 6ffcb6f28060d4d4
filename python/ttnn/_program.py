"""ttnn.generic_op: C++ kernels on the embedded device, described as in ttnn."""

import collections
import dataclasses
import enum
import os
import warnings
import weakref

from tilewright import sim

from ._config import CoreCoord, CoreRangeSet, MathFidelity
from ._tensor import ELEMENTS, Tensor

TILE_BYTES = {"bf16": 2048, "f16": 2048, "f32": 4096, "si32": 4096, "u32": 4096, "u16": 2048, "u8": 1024, "bfp_bf8": 1088, "bfp_bf4": 576}
FIDELITY = {MathFidelity.LoFi: 1, MathFidelity.HiFi2: 2, MathFidelity.HiFi3: 3, MathFidelity.HiFi4: 4}


@dataclasses.dataclass
class ReaderConfigDescriptor:
    """A kernel of the data movement processor that reads."""

    noc: int = 0


@dataclasses.dataclass
class WriterConfigDescriptor:
    """A kernel of the data movement processor that writes."""

    noc: int = 1


@dataclasses.dataclass
class ComputeConfigDescriptor:
    math_fidelity: MathFidelity = MathFidelity.HiFi4
    fp32_dest_acc_en: bool = False
    dst_full_sync_en: bool = False
    math_approx_mode: bool = False


@dataclasses.dataclass
class KernelDescriptor:
    """A kernel: the path of its source, or the source itself; its cores; its arguments. `runtime_args` has a list for
    each core, [x][y], or is pairs of a core and its list."""

    kernel_source: str
    core_ranges: CoreRangeSet
    compile_time_args: list = ()
    runtime_args: list = ()
    common_runtime_args: list = ()
    config: object = None
    defines: list = ()
    source_type: object = None

    class SourceType(enum.Enum):
        """The kind of kernel_source; by default a path if such a file exists."""

        FILE_PATH = 0
        SOURCE_CODE = 1


@dataclasses.dataclass
class CBFormatDescriptor:
    buffer_index: int
    data_format: object
    page_size: int


@dataclasses.dataclass
class CBDescriptor:
    total_size: int
    core_ranges: CoreRangeSet
    format_descriptors: list


@dataclasses.dataclass
class SemaphoreDescriptor:
    initial_value: int = 0
    core_ranges: CoreRangeSet = None


@dataclasses.dataclass
class ProgramDescriptor:
    """Kernels, circular buffers and semaphores. Programs of one `custom_program_hash` (an integer) differ in nothing but
    tensors and arguments of the cores: calls with the same ones share a launch, which the grid replays."""

    kernels: list
    cbs: list = ()
    semaphores: list = ()
    custom_program_hash: int = None


class TensorAccessorArgs:
    """Compile-time arguments for a kernel's access to a tensor."""

    def __init__(self, tensor):
        self.tensor = tensor

    def get_compile_time_args(self):
        return [self]


def _compile_args(args, tensors):
    out = []
    for arg in args:
        if isinstance(arg, TensorAccessorArgs):
            number = next((i for i, t in enumerate(tensors) if t is arg.tensor), None)
            if number is None:
                raise ValueError("a kernel's accessor is of a tensor that generic_op() was not given")
            arg = sim.accessor(number)
        out.append(arg)
    return out


def _core_args(kernel, x, y, width, height):
    """The lists of a rectangle's cores, row by row; none if no core has arguments."""
    if not len(kernel.runtime_args):
        return []
    if all(isinstance(pair, (list, tuple)) and len(pair) == 2 and isinstance(pair[0], CoreCoord) for pair in kernel.runtime_args):
        of = {(core.x, core.y): values for core, values in kernel.runtime_args}
        lists = [list(of.get((x + i, y + j), ())) for j in range(height) for i in range(width)]
    else:
        lists = [list(kernel.runtime_args[x + i][y + j]) for j in range(height) for i in range(width)]
    return lists if any(lists) else []


def _runs(kernel, tensors, wide, tensor_pages):
    config = kernel.config or ReaderConfigDescriptor()
    options = {"noc": getattr(config, "noc", 0), "tensor_pages": tensor_pages}
    if isinstance(config, ComputeConfigDescriptor):
        options = {"fidelity": FIDELITY[config.math_fidelity], "wide_dst": config.fp32_dest_acc_en,
                   "full_sync": config.dst_full_sync_en, "approximate": config.math_approx_mode,
                   "unpack_to_dst": tuple(wide) if config.fp32_dest_acc_en else ()}
    source = os.fspath(kernel.kernel_source)
    for r in kernel.core_ranges.ranges():
        size = r.grid_size()
        yield sim.Run(source, (r.start.y, r.start.x, size.y, size.x), _compile_args(kernel.compile_time_args, tensors),
                      list(kernel.common_runtime_args), _core_args(kernel, r.start.x, r.start.y, size.x, size.y),
                      defines=dict(kernel.defines) or None, **options)


def _buffers(cbs):
    for cb in cbs:
        for form in cb.format_descriptors:
            element = ELEMENTS[form.data_format]
            if form.page_size <= 0 or cb.total_size % form.page_size:
                raise ValueError(f"circular buffer {form.buffer_index}: {cb.total_size} bytes are not whole pages of "
                                 f"{form.page_size}")
            page = 0 if form.page_size == TILE_BYTES[element] else form.page_size
            yield sim.Buffer(form.buffer_index, element, cb.total_size // form.page_size, page)


KEPT_LAUNCHES = 64  # of a device, those used last
_KEPT = weakref.WeakKeyDictionary()  # device -> what _key() gives -> launch, and references to its tensors: it ends with them


def _key(program, tensors, on_device, tensor_pages):
    """What calls with the program's hash have in common if they may share a launch; None without a hash."""
    if program.custom_program_hash is None:
        return None

    arguments = []
    for kernel in program.kernels:
        arguments.append(tuple(kernel.common_runtime_args))
        for r in kernel.core_ranges.ranges():
            size = r.grid_size()
            arguments += map(tuple, _core_args(kernel, r.start.x, r.start.y, size.x, size.y))
    return program.custom_program_hash, tensor_pages, tuple(map(id, tensors)), tuple(map(id, on_device)), tuple(arguments)


def generic_op(io_tensors, program):
    """Runs a program's kernels on tensors of the device; returns the last tensor, which they write."""
    return launch(io_tensors, program)


def launch(io_tensors, program, tensor_pages=False):
    """generic_op(). `tensor_pages`: kernels that were compiled for another element type move the tensors' pages, with
    a RuntimeWarning at the location; otherwise they are rejected."""
    tensors = list(io_tensors)
    if not tensors or not all(isinstance(t, Tensor) and t.device() is not None for t in tensors):
        raise ValueError("generic_op() takes tensors of the device")
    device = tensors[0].device()
    on_device = [t.move(device).device_tensor for t in tensors]
    key = _key(program, tensors, on_device, tensor_pages)
    kept = _KEPT.setdefault(device, collections.OrderedDict())
    ran = kept.pop(key, (None,))[0] if key else None  # threads that call at the same time have launches of their own
    if ran is None:
        buffers = list(_buffers(program.cbs))
        wide = [b.port for b in buffers if b.dtype in ("f32", "si32", "u32")]
        runs = [run for kernel in program.kernels for run in _runs(kernel, tensors, wide, tensor_pages)]
        ran = device.grid.load("", "generic_op").launch(runs, buffers, on_device, [s.initial_value for s in program.semaphores])
    ran.run()
    if key:
        kept[key] = ran, [weakref.ref(t, lambda _: kept.pop(key, None)) for t in tensors]
        while len(kept) > KEPT_LAUNCHES:
            kept.popitem(last=False)
    if tensor_pages and ran.reports:
        warnings.warn(ran.log, RuntimeWarning, stacklevel=3)
    for tensor in tensors:
        tensor.written_on_device()
    return tensors[-1]
