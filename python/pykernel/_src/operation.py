"""PyKernelOp: a program of kernels, called on ttnn's tensors."""

import collections
import math

import ttnn
from ttnn._program import TILE_BYTES
from ttnn._tensor import ELEMENTS

from .arguments import Arguments, CircularBuffer, CompileTimeValue, Kernel

OpCircularBuffer = collections.namedtuple("OpCircularBuffer", ["cb_type", "cb_format", "cb_descriptor"])
OpKernel = collections.namedtuple("OpKernel", ["kernel_type", "kernel_descriptor"])

CONFIGS = {"reader_thread": ttnn.ReaderConfigDescriptor, "writer_thread": ttnn.WriterConfigDescriptor,
           "compute_thread": ttnn.ComputeConfigDescriptor}
NAMES = {"BFLOAT16": "BFloat16", "FLOAT32": "Float32", "UINT32": "UInt32", "UINT8": "UInt8", "UINT16": "UInt16", "INT32": "Int32",
         "FLOAT16": "Float16", "BFLOAT8_B": "BFP_BFloat8", "BFLOAT4_B": "BFP_BFloat4"}  # of data types in ttcore


class PyKernelOp:
    """An operation made of kernels. A subclass defines invoke(*tensors, **options), which gives a program (create_program), and
    define_core_ranges for more cores than the first. Calls on tensors of the same kind compile once."""

    def __init__(self):
        self.ttnn = ttnn
        self.kernel_cache = {}  # by the kind of the tensors and the options: addresses of their memory
        self.defined_core_ranges = None

    # ---- what a subclass defines ------------------------------------------------------------------------

    def define_core_ranges(self, tensors, options):
        """The cores of the program."""
        first = ttnn.CoreCoord(0, 0)
        return ttnn.CoreRangeSet([ttnn.CoreRange(first, first)])

    def invoke(self, *tensors, **options):
        """The program for tensors of this kind."""
        raise NotImplementedError(f"{type(self).__name__} has no invoke(), which gives the program of its kernels")

    # ---- parts of a program -----------------------------------------------------------------------------

    def get_core_ranges(self, core_ranges=None):
        """These cores, or those of the operation."""
        if core_ranges is None and self.defined_core_ranges is None:
            raise ValueError("an operation's cores are known when it is called: pass core_ranges before")
        return self.defined_core_ranges if core_ranges is None else core_ranges

    def get_buffer_addr(self, tensor):
        return tensor.buffer_address()

    def make_ct_args(self, **values):
        return [CompileTimeValue(key, value) for key, value in values.items()]

    def create_rt_args(self, core_ranges=None):
        """Zeros for each core, [x][y]."""
        size = self.get_core_ranges(core_ranges).bounding_box().grid_size()
        return [[0] * size.y for _ in range(size.x)]

    def create_cb(self, tensor, buffer_index, core_ranges=None, **options):
        """A circular buffer with room for a tensor."""
        page = TILE_BYTES[ELEMENTS[tensor.dtype]]
        form = ttnn.CBFormatDescriptor(buffer_index=buffer_index, data_format=tensor.dtype, page_size=page)
        size = math.ceil(tensor.volume() / 1024) * page
        descriptor = ttnn.CBDescriptor(total_size=size, core_ranges=self.get_core_ranges(core_ranges), format_descriptors=[form])
        return OpCircularBuffer(CircularBuffer(buffer_index, tuple(tensor.shape), NAMES[tensor.dtype.name]), form, descriptor)

    def create_kernel(self, kernel, *args, core_ranges=None, tensor_accessor_configs=None, **values):
        """A kernel with its arguments: circular buffers, integers of all cores, lists [x][y] of a list of integers for each core.
        tensor_accessor_configs: of tensors that it accesses, or tensors. values: compile-time values."""
        config = CONFIGS.get(getattr(kernel, "_decorator_name", None))
        if config is None:
            raise ValueError(f"'{getattr(kernel, '__name__', kernel)}' is not the kernel of a thread: decorate it with @reader_thread(), "
                             "@writer_thread() or @compute_thread()")
        cores = self.get_core_ranges(core_ranges)
        given, buffers, common, own = [], [], [], []
        for i, arg in enumerate(args):
            if isinstance(arg, OpCircularBuffer):
                given.append(arg.cb_type)
                buffers.append(arg.cb_type.cb_id)
            elif isinstance(arg, int):
                given.append(Arguments.make_common(arg, len(common)))
                common.append(arg)
            elif isinstance(arg, (list, tuple)):
                own.append(self._of_cores(i, arg, cores))
                given.append(0)
            else:
                raise TypeError(f"argument {i} of kernel '{kernel.__name__}' is a {type(arg).__name__}: they are circular buffers, integers, or "
                                "lists [x][y] with a list of integers for each core")
        source = kernel.compile([*given, *self.make_ct_args(**values)])
        made = Kernel(kernel.__name__, source)
        descriptor = ttnn.KernelDescriptor(
            kernel_source=made.dump_to_file(), core_ranges=cores, compile_time_args=[*buffers, *self._accessors(tensor_accessor_configs)],
            runtime_args=self._joined(own), common_runtime_args=common, config=config())
        return OpKernel(made, descriptor)

    def create_program(self, kernels, cbs, semaphores=()):
        return ttnn.ProgramDescriptor(kernels=[k.kernel_descriptor for k in kernels], cbs=[cb.cb_descriptor for cb in cbs],
                                      semaphores=list(semaphores))

    @staticmethod
    def _of_cores(i, arg, cores):
        """Checks lists of integers for each core."""
        size = cores.bounding_box().grid_size()
        if not arg:
            raise IndexError("Empty list provided as positional argument.")
        if len(arg) != size.x or any(not isinstance(column, (list, tuple)) or len(column) != size.y for column in arg):
            raise ValueError(f"argument {i} has values for other cores than the kernel's: [x][y] of {size.x} x {size.y}")
        if not all(isinstance(values, (list, tuple)) and all(isinstance(v, int) for v in values) for column in arg for values in column):
            raise TypeError("Core-Specific RT Args must all be lists of integers across the 2D Core Grid.")
        return arg

    @staticmethod
    def _joined(own):
        """The values of each core, one argument behind the other. The caller's lists are not changed."""
        return [[[v for values in cells for v in values] for cells in zip(*columns)] for columns in zip(*own)]

    def _accessors(self, configs):
        """The compile-time arguments of accessors."""
        out = []
        for config in [] if configs is None else configs if isinstance(configs, (list, tuple)) else [configs]:
            out += [int(config)] if isinstance(config, int) else ttnn.TensorAccessorArgs(config).get_compile_time_args()
        return out

    # ---- calls ------------------------------------------------------------------------------------------

    def __call__(self, *tensors, **options):
        """Runs the operation; returns the last tensor, which it writes."""
        for i, tensor in enumerate(tensors):
            if tensor.device() is None:
                raise ValueError(f"argument {i} is a tensor of the host: move it to the device with ttnn.to_device(tensor, device)")
        self.defined_core_ranges = self.define_core_ranges(tensors, options)
        key = repr([(tuple(t.shape), t.dtype, t.layout, t.memory_config(), t.buffer_address()) for t in tensors]), repr(options)
        if key not in self.kernel_cache:
            program = self.invoke(*tensors, **options)
            if program is None:
                raise ValueError(f"{type(self).__name__}.invoke() returned no program: return create_program(kernels, buffers)")
            accessors = [a for k in program.kernels for a in k.compile_time_args if isinstance(a, ttnn.TensorAccessorArgs)]
            self.kernel_cache[key] = program, [(a, next((i for i, t in enumerate(tensors) if t is a.tensor), None)) for a in accessors]
        program, accessors = self.kernel_cache[key]
        for accessor, number in accessors:  # of this call's tensors
            if number is not None:
                accessor.tensor = tensors[number]
        try:
            return ttnn.generic_op(tensors, program)
        finally:
            for accessor, number in accessors:  # which the cache does not keep
                if number is not None:
                    accessor.tensor = None
