"""Launch TTKernel kernels on the simulated grid of tile processors.

    grid = Grid("n150")
    a = grid.tensor((64, 64), "bf16", data=torch_or_numpy_array)
    out = grid.tensor((64, 64), "bf16")
    kernels = grid.load(ttkernel_text, "kernels.py")
    launch = kernels.launch(
        [Run("reader", compile_args=[cb(0), accessor(0)], common_args=[address(0)]),
         Run("compute", compile_args=[cb(0), cb(1)]),
         Run("writer", compile_args=[cb(1), accessor(1)], common_args=[address(1)], noc=1)],
        cbs=[Buffer(0, "bf16", 2), Buffer(1, "bf16", 2)], tensors=[a, out])
    launch.run()              # KernelError, with .reports, where kernels are wrong
    out.read(array)

A launch runs as often as one likes: `launch.set_tensor(i, tensor)` and `launch.set_arg(...)` change
what it works on, `tensor.write(array)` what is there. include/tilewright/grid.h says more.
"""

import dataclasses
import functools
import math
import os
import re

from . import _named as named, forks

DTYPES = {name: i for i, name in enumerate(
    ["f32", "f16", "bf16", "bfp_f8", "bfp_bf8", "bfp_f4", "bfp_bf4", "bfp_f2", "bfp_bf2", "u32", "u16", "u8", "si32"])}
_HOST = {"float32": "f32", "float16": "f16", "bfloat16": "bf16", "uint32": "u32", "uint16": "u16", "uint8": "u8",
         "int32": "si32"}
NUMERICS = ["value", "fidelity", "bit"]  # tw_numerics
DRAM, L1, DRAM_SHARDED, L1_SHARDED = range(4)  # tw_grid_memory


@functools.cache
def _core():
    from . import _core

    return _core


# ---- arguments of kernels: kind and value, as tw_kernel_arg ----------------------------------

def cb(port):
    """The port of a circular buffer."""
    return (1, port)


def address(tensor):
    """The address of the launch's tensor of this number."""
    return (2, tensor)


def accessor(tensor):
    """TensorAccessorArgs of the launch's tensor of this number; a compile-time argument."""
    return (3, tensor)


def semaphore(number):
    """What get_semaphore takes."""
    return (4, number)


def _dtype(name):
    if name not in DTYPES:
        raise ValueError(f"no element type {name!r}; there are {', '.join(DTYPES)}")
    return DTYPES[name]


def _flat(args):
    out = []
    for arg in args:
        out.extend(arg if isinstance(arg, tuple) else (0, int(arg)))
    return out


@dataclasses.dataclass
class Run:
    """A kernel on a rectangle of cores. Arguments are integers or what the functions above give;
    `args` are get_arg_val's: one list for all cores, or a list of lists, one a core, row by row.
    Kernels that ask for things by name (Metal 2.0's args::, dfb::, tensor::, sem::) get dicts: of arguments,
    in the place of lists, and in `dfb`, `tensor` and `sem` the numbers of circular buffers, tensors and semaphores;
    in `scratch` the bytes of memory that the kernel has to itself on each core (scratch::)."""

    function: str
    cores: tuple = (0, 0, 1, 1)  # row, column, rows, columns
    compile_args: list = ()
    common_args: list = ()
    args: list = ()
    noc: int = 0
    fidelity: int = 4
    wide_dst: bool = False
    full_sync: bool = False
    approximate: bool = False
    unpack_to_dst: tuple = ()  # ports whose f32 tiles go to a 32-bit DST whole
    tensor_pages: bool = False  # an accessor with another page size than the tensor's is but warned of
    defines: dict = None  # macros of a kernel in C++ that is given here
    named_args: dict = None  # its compile-time arguments by name: get_named_compile_time_arg_val's
    dfb: dict = None  # names of circular buffers
    tensor: dict = None  # of the launch's tensors
    sem: dict = None  # of semaphores
    scratch: dict = None  # of scratchpads: their bytes
    varargs: list = ()  # behind the arguments with names: get_vararg's, as `args` of one core or of each
    common_varargs: list = ()
    argument_names: tuple = ((), ())  # of common arguments and of a core's, where they were given by name

    def _macros(self):
        if not self.named_args:
            return self.defines
        named = ", ".join(f'{{"{name}", {value}}}' for name, value in self.named_args.items())
        return {**(self.defines or {}), "KERNEL_COMPILE_TIME_ARG_MAP": named}

    def _bound(self, scratch):
        """The run without names, which are macros of the kernel's then; `scratch`: ports of its scratchpads."""
        return named.bind(self, scratch) if named.used(self) else self

    def _tuple(self):
        per_core, args = -1, self.args
        if args and isinstance(args[0], list):
            if any(len(a) != len(args[0]) for a in args):
                raise ValueError(f"@{self.function}: every core needs as many arguments as the others")
            per_core, args = len(args[0]), [a for core in args for a in core]
        return (self.function, tuple(self.cores), _flat(self.compile_args), _flat(self.common_args), _flat(args),
                per_core, (self.noc, self.fidelity, self.wide_dst, self.full_sync, self.approximate),
                sum(1 << p for p in self.unpack_to_dst), self.tensor_pages)


@dataclasses.dataclass
class Buffer:
    """A circular buffer on all cores of the launch: port, element type, pages."""

    port: int
    dtype: str
    pages: int
    page_bytes: int = 0  # 0: a tile
    tensor: int = -1  # lies on the L1 tensor of this number
    name: str = None  # for reports

    def _tuple(self):
        return (self.port, _dtype(self.dtype), self.pages, self.page_bytes, self.tensor, self.name)


class KernelError(RuntimeError):
    """Kernels were found wrong. `reports`: a dict for each: kind, text, kernel, file, line, column,
    note, note_file, note_line, core, times, cycle."""

    def __init__(self, text, reports):
        super().__init__(text)
        self.reports = reports


@functools.cache
def _torch_name(dtype):
    return str(dtype).removeprefix("torch.")


def _array(array, dims):
    """Type and address of a contiguous host array, torch's or NumPy's."""
    if tuple(array.shape) != dims:
        raise ValueError(f"an array of shape {tuple(array.shape)} and a tensor of shape {dims}")
    if hasattr(array, "data_ptr"):
        if not array.is_contiguous() or array.device.type != "cpu":
            raise ValueError("a contiguous host tensor is needed")
        name, place = _torch_name(array.dtype), array.data_ptr()
    else:
        if not array.flags.c_contiguous:
            raise ValueError("a contiguous array is needed")
        name, place = array.dtype.name, array.__array_interface__["data"][0]
    if name not in _HOST:
        raise TypeError(f"the device has no tensors of {name}")
    return DTYPES[_HOST[name]], place


def round_blocks(array, dtype):
    """What a tensor of `dtype` ("bfp_bf8", "bfp_bf4", "bfp_bf2") holds of an array of f32, in an array of its own."""
    out = array.detach().clone() if hasattr(array, "data_ptr") else array.copy()
    host, place = _array(out, tuple(out.shape))
    if host != DTYPES["f32"]:
        raise TypeError(f"block floats are made of float32, not of {array.dtype}")
    row = out.shape[-1] if len(out.shape) else 1
    if not _core().round_blocks(_dtype(dtype), place, math.prod(out.shape) // max(row, 1), row):
        raise TypeError(f"{dtype} is no block float")
    return out


class Tensor:
    """A tensor in the device's memory."""

    def __init__(self, grid, dims, dtype, memory, tiled, shards):
        self.grid, self.shape, self.dtype = grid, tuple(int(d) for d in dims), dtype
        self.memory, self.tiled = memory, tiled
        self._at = _core().tensor_create(grid._at, _dtype(dtype), self.shape, tiled, memory, shards)

    def write(self, array):
        """From a torch or NumPy array of the same shape and type (f32 or bf16 for block floats);
        uint16 arrays may hold the bits of bf16."""
        dtype, place = _array(array, self.shape)
        if dtype == DTYPES["u16"] and self.dtype == "bf16":
            dtype = DTYPES["bf16"]
        _core().tensor_write(self._at, dtype, place)

    def empty(self):
        """From now on the tensor counts as never written: kernels that read it are reported, the host reads zeros."""
        _core().tensor_empty(self._at)

    def read(self, array):
        """Into such an array, which is also returned."""
        dtype, place = _array(array, self.shape)
        if dtype == DTYPES["u16"] and self.dtype == "bf16":
            dtype = DTYPES["bf16"]
        _core().tensor_read(self._at, dtype, place)
        return array

    @property
    def address(self):
        return _core().tensor_place(self._at)[0]

    @property
    def page_bytes(self):
        return _core().tensor_place(self._at)[1]


class Launch:
    """Kernels bound to cores, buffers, tensors and arguments."""

    def __init__(self, kernels, runs, cbs, tensors, semaphores):
        self.kernels, self.warned = kernels, False
        self._named = [run.argument_names for run in runs]
        self._at = _core().launch_create(
            kernels._at, tuple(r._tuple() for r in runs), tuple(c._tuple() for c in cbs),
            tuple(t._at for t in tensors), tuple(semaphores))

    def run(self):
        """Runs once; gives the launch. KernelError where kernels are wrong."""
        with self.kernels.grid.lock:  # what is told is this run's
            ran = _core().launch_run(self._at)
            self.warned = ran == 2
            if not ran:
                raise KernelError(self.log, self.reports)
        return self

    def set_tensor(self, i, tensor):
        _core().launch_set_tensor(self._at, i, tensor._at)

    def set_arg(self, run, i, value, core=-1):
        """Another number as argument i, or of this name, of the run of this number: a common one, or a core's."""
        if isinstance(i, str):
            names = self._named[run][core >= 0]
            if i not in names:
                raise ValueError(f"run {run} has no {'argument' if core >= 0 else 'common argument'} {i!r}; it has "
                                 + (", ".join(names) or "none with a name"))
            i = names.index(i)
        _core().launch_set_arg(self._at, run, core, i, value)

    @property
    def reports(self):
        return _core().launch_reports(self._at)

    @property
    def log(self):
        """What kernels printed and what was reported, as text."""
        return _core().launch_output(self._at)[0]

    @property
    def profile(self):
        """Cycles and stalls, a line for each kernel thread."""
        return _core().launch_output(self._at)[1]

    @property
    def cycles(self):
        return _core().launch_output(self._at)[2]

    @property
    def trace_json(self):
        """The last run for ui.perfetto.dev; "" without the grid's `profile`."""
        return _core().launch_output(self._at)[3]

    @property
    def trace_html(self):
        """The last run as a page that needs nothing else."""
        return _core().launch_output(self._at)[4]

    @property
    def trace_csv(self):
        """Kernels and signposts of the last run, as tt-metal's profile_log_device.csv has them."""
        return _core().launch_output(self._at)[5]


def _is_cpp(function):
    return isinstance(function, os.PathLike) or "\n" in function or function.endswith((".cpp", ".cc", ".cxx"))


class Kernels:
    """A set of kernels: a module of TTKernel, files or texts of C++, or both."""

    def __init__(self, grid, text, name):
        self.grid = grid
        self._at = _core().kernels_load(grid._at, text, name)
        self._list()
        if text and grid.cpp:
            self._emit(text, name)

    def _list(self):
        self.names = dict(_core().kernels_list(self._at))  # name: "compute" or "noc"

    def _emit(self, text, name):
        pipeline = "builtin.module(ttl-lower-signpost-to-emitc,convert-ttkernel-to-emitc)"
        cpp = _core().transform(text, name, pipeline, False, False, None, True)
        for part in re.split(r"(?m)^(?=// .*\n#)", cpp):
            if part.startswith("// "):
                kernel = part[3:].partition("\n")[0]
                self.add_cpp(part, kernel, self.names[kernel], {"TW_EMITTED": 1})

    def add_cpp(self, source, name=None, kind=None, defines=None):
        """A kernel in C++ against the hardware's kernel API: a path, or the text itself. `name` is
        what runs call it (a file's name without its ending); `kind` is "compute" or "noc" (default:
        compute if it includes a header of the compute API); `defines` a dict of macros. It is
        compiled when a launch is made. Gives the kernels."""
        path = None
        if isinstance(source, os.PathLike) or "\n" not in source:
            path, source = os.fspath(source), open(source).read()
            name = name or os.path.basename(path).partition(".")[0]
        if not name:
            raise ValueError("a kernel given as text needs a name")
        kind = kind or self.names.get(name) or (
            "compute" if re.search(r'#\s*include\s*[<"][^>"]*compute', source) else "noc")
        lines = "".join(f"#define {key} {value}\n" for key, value in (defines or {}).items())
        _core().kernels_add_cpp(self._at, name, kind == "compute", source, path, lines)
        self._list()
        return self

    def launch(self, runs, cbs=(), tensors=(), semaphores=()):
        """A run's `function` is a kernel's name, or a path or text of C++, which is added."""
        more, ports = named.scratchpads(runs, cbs, Buffer)
        bound = []
        for i, (run, scratch) in enumerate(zip(runs, ports, strict=True)):
            run = run._bound(scratch)
            if _is_cpp(run.function):
                text = isinstance(run.function, str) and "\n" in run.function
                name = f"kernel{i}" if text else os.path.basename(os.fspath(run.function)).partition(".")[0]
                self.add_cpp(run.function, name, defines=run._macros())
                run = dataclasses.replace(run, function=name)
            bound.append(run)
        return Launch(self, bound, [*cbs, *more], tensors, semaphores)


class Grid:
    """A simulated chip: "n150", "n300" or "p150". A seed shuffles the order of threads. `numerics`
    says how exactly the matrix unit is modelled: "value", "fidelity" or "bit". With `profile`,
    launches keep what happened when. With `cpp` (or TILEWRIGHT_SIM_CPP in the environment) kernels
    run as the C++ that is emitted for them. `threads` of the host: 1 or 2 (default: the environment's
    TILEWRIGHT_THREADS, or 1); results, reports and times do not depend on it. Without `races` nobody looks
    for accesses that nothing orders, which is a little faster."""

    def __init__(self, chip="n150", seed=0, budget=0, numerics="value", profile=False, cpp=None, threads=None,
                 races=True):
        self.cpp = bool(os.environ.get("TILEWRIGHT_SIM_CPP")) if cpp is None else cpp
        threads = min(2, int(os.environ.get("TILEWRIGHT_THREADS", "1"))) if threads is None else threads
        if numerics not in NUMERICS:
            raise ValueError(f"no numerics {numerics!r}; there are {', '.join(NUMERICS)}")
        for name, number in (("seed", seed), ("budget", budget)):
            if not 0 <= number < 2**64:
                raise ValueError(f"{name} is a number from 0 to 2^64 - 1, not {number}")
        self._at = _core().grid_open(chip, seed, budget, NUMERICS.index(numerics), profile, threads, not races)
        self.rows, self.columns = _core().grid_size(self._at)
        self.lock = forks.rlock()

    def set_seed(self, seed):
        _core().grid_set_seed(self._at, seed)

    def tensor(self, dims, dtype, data=None, memory=DRAM, tiled=True, shards=(), cores=(), shard_shape=()):
        """`shards`: into how many rows and columns of shards a sharded tensor is cut, as equal as can be, or of
        `shard_shape` tiles or numbers but the last ones. `cores`: row
        and column of the first core, shards to a row of cores (default: as many as columns of
        shards)."""
        shards = (*(shards or (0, 0)), *(cores or (0, 0, 0)), *(shard_shape or (0, 0)))
        tensor = Tensor(self, dims, dtype, memory, tiled, shards)
        if data is not None:
            tensor.write(data)
        return tensor

    def load(self, text="", name="<kernels>"):
        return Kernels(self, text, name)
