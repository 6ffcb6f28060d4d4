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

A launch can run repeatedly: `launch.set_tensor(i, tensor)` and `launch.set_arg(...)` change
what it works on, `tensor.write(array)` its contents. See include/tilewright/grid.h.
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
    """The index of a circular buffer."""
    return (1, port)


def address(tensor):
    """The address of the launch's tensor of this index."""
    return (2, tensor)


def accessor(tensor):
    """TensorAccessorArgs of the launch's tensor of this index; a compile-time argument."""
    return (3, tensor)


def semaphore(number):
    """The argument of get_semaphore."""
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
    """A kernel on a rectangle of cores. Arguments are integers or results of the functions above; `args` are
    get_arg_val's: one list for all cores, or a list of lists, one per core, row by row. Kernels that access arguments
    by name (Metal 2.0's args::, dfb::, tensor::, sem::) get dicts: of arguments, instead of lists, and in `dfb`,
    `tensor` and `sem` the indices of circular buffers, tensors and semaphores; in `scratch` the bytes of private
    memory per core (scratch::)."""

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
    unpack_to_dst: tuple = ()  # ports whose f32 tiles are unpacked to a 32-bit DST without rounding
    tensor_pages: bool = False  # an accessor whose page size differs from the tensor's is only warned of
    defines: dict = None  # macros of a C++ kernel passed here
    named_args: dict = None  # compile-time arguments by name: get_named_compile_time_arg_val's
    dfb: dict = None  # indices of circular buffers, by name
    tensor: dict = None  # of the launch's tensors, by name
    sem: dict = None  # of semaphores, by name
    scratch: dict = None  # bytes of scratchpads, by name
    varargs: list = ()  # after the named arguments: get_vararg's, as `args` of one core or of each
    common_varargs: list = ()
    argument_names: tuple = ((), ())  # of common and of per-core arguments, where they were passed by name

    def _macros(self):
        if not self.named_args:
            return self.defines
        named = ", ".join(f'{{"{name}", {value}}}' for name, value in self.named_args.items())
        return {**(self.defines or {}), "KERNEL_COMPILE_TIME_ARG_MAP": named}

    def _bound(self, scratch):
        """The run with positional arguments, the names being macros of the kernel; `scratch`: ports of its
        scratchpads."""
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
    tensor: int = -1  # placed on the L1 tensor of this index
    name: str = None  # for reports

    def _tuple(self):
        return (self.port, _dtype(self.dtype), self.pages, self.page_bytes, self.tensor, self.name)


diagnostics = None  # a list of the library that grids opened from now on report to, too (ttlang-sim --report)


@dataclasses.dataclass
class Explored:
    """What a search of orders did: runs, those with an order that no earlier one had, and pairs of accesses that
    were seen in an order; and if one broke the kernels: its index (0: the one without delays), the smallest number of
    delays that do it, runs that found these, and the text that Launch.set_delays takes."""

    orders: int
    distinct: int
    pairs: int
    broken: bool
    found: int
    count: int
    tries: int
    delays: str


@dataclasses.dataclass
class Help:
    """A part of the device, a circular buffer, or a line (else `file` is None), and the cycles saved where it alone is
    twice as fast (a buffer: twice as deep), or takes no time."""

    what: str
    file: str
    line: int
    twice: float
    free: float


class KernelError(RuntimeError):
    """Errors were found in kernels. `reports`: a dict for each: kind, text, kernel, file, line, column, note,
    note_file, note_line, core, times, cycle."""

    def __init__(self, text, reports):
        super().__init__(text)
        self.reports = reports


@functools.cache
def _torch_name(dtype):
    return str(dtype).removeprefix("torch.")


def _array(array, dims):
    """Type and address of a contiguous host array of torch or NumPy."""
    if tuple(array.shape) != dims:
        raise ValueError(f"an array of shape {tuple(array.shape)} and a tensor of shape {dims}")
    if hasattr(array, "data_ptr"):
        if not array.is_contiguous() or array.device.type != "cpu":
            raise ValueError("a contiguous host tensor is needed")
        name, address = _torch_name(array.dtype), array.data_ptr()
    else:
        if not array.flags.c_contiguous:
            raise ValueError("a contiguous array is needed")
        name, address = array.dtype.name, array.__array_interface__["data"][0]
    if name not in _HOST:
        raise TypeError(f"the device has no tensors of {name}")
    return DTYPES[_HOST[name]], address


def round_blocks(array, dtype, packed=False):
    """The values of a tensor of `dtype` ("bfp_bf8", "bfp_bf4", "bfp_bf2") for an array of f32, in a new array. packed: rounded
    as a core packs values of a 32-bit DST (ties away from zero), not as the host converts them (ties to even)."""
    out = array.detach().clone() if hasattr(array, "data_ptr") else array.copy()
    host, address = _array(out, tuple(out.shape))
    if host != DTYPES["f32"]:
        raise TypeError(f"block floats are made of float32, not of {array.dtype}")
    row = out.shape[-1] if len(out.shape) else 1
    if not _core().round_blocks(_dtype(dtype), address, math.prod(out.shape) // max(row, 1), row, packed):
        raise TypeError(f"{dtype} is no block float")
    return out


class Tensor:
    """A tensor in the device's memory."""

    def __init__(self, grid, dims, dtype, memory, tiled, shards):
        self.grid, self.shape, self.dtype = grid, tuple(int(d) for d in dims), dtype
        self.memory, self.tiled = memory, tiled
        self._at = _core().tensor_create(grid._at, _dtype(dtype), self.shape, tiled, memory, shards)

    def write(self, array):
        """Copies from a torch or NumPy array of the same shape and type (f32 or bf16 for block floats); uint16 arrays
        may hold the bits of bf16."""
        dtype, address = _array(array, self.shape)
        if dtype == DTYPES["u16"] and self.dtype == "bf16":
            dtype = DTYPES["bf16"]
        _core().tensor_write(self._at, dtype, address)

    def empty(self):
        """Marks the tensor as uninitialized: kernels that read it are reported, the host reads zeros."""
        _core().tensor_empty(self._at)

    def read(self, array):
        """Copies to such an array, and returns it."""
        dtype, address = _array(array, self.shape)
        if dtype == DTYPES["u16"] and self.dtype == "bf16":
            dtype = DTYPES["bf16"]
        _core().tensor_read(self._at, dtype, address)
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
        """Runs once; returns the launch. Raises KernelError if errors are found in kernels."""
        with self.kernels.grid.lock:  # keeps the reports of other runs out
            ran = _core().launch_run(self._at)
            self.warned = ran == 2
            if not ran:
                raise KernelError(self.log, self.reports)
        return self

    def explore(self, orders, seed=0):
        """Runs in up to `orders` orders, with delays where threads meet, until one breaks the kernels: returns an
        Explored, or raises a KernelError whose `explored` it is. The tensors then have the results of a run without
        delays, or of the one that was found."""
        for name, number in (("orders", orders), ("seed", seed)):
            if not 0 <= number < 2**64:
                raise ValueError(f"{name} is a number from 0 to 2^64 - 1, not {number}")
        with self.kernels.grid.lock:
            found = Explored(*_core().launch_explore(self._at, orders, seed))
            self.warned = bool(self.reports)
            if found.broken:
                error = KernelError(self.log, self.reports)
                error.explored = found
                raise error
        return found

    def what_if(self):
        """What would help: the launch runs with each part of the device, each circular buffer and each line better in
        turn. Returns Helps in order of the cycles that they save, and the table as text. The tensors have the results
        of one run. Ctrl-C is a KeyboardInterrupt whose text is the table of what was measured."""
        with self.kernels.grid.lock:
            helps, text = _core().launch_what_if(self._at)
        return [Help(*h) for h in helps], text

    def debug(self, on_stop=None, breaks=()):
        """Runs once and stops at breakpoints ("CORE:THREAD:LINE"; * is any core or thread) and at breakpoint() in its
        threads: `on_stop` is called with a Stop; None: a prompt (tilewright.debugger)."""
        from .debugger import Stop, prompt

        with self.kernels.grid.lock:
            ran = _core().launch_debug(self._at, tuple(breaks), lambda stop: (on_stop or prompt)(Stop(stop)))
            self.warned = ran == 2
            if not ran:
                raise KernelError(self.log, self.reports)
        return self

    def set_delays(self, text, name="<delays>"):
        """Later runs have these delays: the `delays` of what was explored. "": none."""
        _core().launch_set_delays(self._at, text, name)

    def set_tensor(self, i, tensor):
        _core().launch_set_tensor(self._at, i, tensor._at)

    def set_arg(self, run, i, value, core=-1):
        """Sets argument i, by index or name, of the run of this index: a common one, or a core's."""
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
        """Output and reports of the kernels, as text."""
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
        """The last run as a trace for ui.perfetto.dev; "" without the grid's `profile`."""
        return _core().launch_output(self._at)[3]

    @property
    def trace_html(self):
        """The last run as a self-contained page."""
        return _core().launch_output(self._at)[4]

    @property
    def trace_csv(self):
        """Kernels and signposts of the last run, in the format of tt-metal's profile_log_device.csv."""
        return _core().launch_output(self._at)[5]


def _is_cpp(function):
    return isinstance(function, os.PathLike) or "\n" in function or function.endswith((".cpp", ".cc", ".cxx"))


def emitted(text, name, options=""):
    """The C++ that kernels in TTKernel become, as text or in memory."""
    pipeline = f"builtin.module(ttl-lower-signpost-to-emitc,convert-ttkernel-to-emitc{options})"
    return _core().transform(text, name, pipeline, False, False, None, True) if isinstance(text, str) else text.cpp(pipeline, name)


class Kernels:
    """A set of kernels: a TTKernel module, as text or in memory, C++ files or texts, or both."""

    def __init__(self, grid, text, name):
        self.grid = grid
        cpp = emitted(text, name) if text and grid.cpp else ""  # before a module is taken over
        self._at = _core().kernels_load(grid._at, text, name)
        self._list()
        self._add_emitted(cpp)

    def _list(self):
        self.names = dict(_core().kernels_list(self._at))  # name: "compute" or "noc"

    def _add_emitted(self, cpp):
        for part in re.split(r"(?m)^(?=// .*\n#)", cpp):
            if part.startswith("// "):
                kernel = part[3:].partition("\n")[0]
                self.add_cpp(part, kernel, self.names[kernel], {"TW_EMITTED": 1})

    def add_cpp(self, source, name=None, kind=None, defines=None):
        """A C++ kernel against the hardware's kernel API: a path, or the text itself. `name` is its name in runs
        (default: a file's name without its extension); `kind` is "compute" or "noc" (default: compute if it includes
        a header of the compute API); `defines` a dict of macros. It is compiled when a launch is made. Returns the
        kernels."""
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
    """A simulated chip: "n150", "n300" or "p150". A seed shuffles the order of threads. `numerics` selects the model
    of the matrix unit: "value", "fidelity" or "bit". With `profile`, launches record a timeline. With `cpp` (or
    TILEWRIGHT_SIM_CPP in the environment) kernels run as the C++ that is emitted for them. `threads` of the host: 1
    or 2 (default: the environment's TILEWRIGHT_THREADS, or 1); results, reports and times do not depend on it.
    `races=False` disables the detection of data races, which is a little faster."""

    def __init__(self, chip="n150", seed=0, budget=0, numerics="value", profile=False, cpp=None, threads=None,
                 races=True):
        self.cpp = bool(os.environ.get("TILEWRIGHT_SIM_CPP")) if cpp is None else cpp
        threads = min(2, int(os.environ.get("TILEWRIGHT_THREADS", "1"))) if threads is None else threads
        if numerics not in NUMERICS:
            raise ValueError(f"no numerics {numerics!r}; there are {', '.join(NUMERICS)}")
        for name, number in (("seed", seed), ("budget", budget)):
            if not 0 <= number < 2**64:
                raise ValueError(f"{name} is a number from 0 to 2^64 - 1, not {number}")
        self._at = _core().grid_open(chip, seed, budget, NUMERICS.index(numerics), profile, threads, not races,
                                    diagnostics)
        self._diagnostics = diagnostics  # lives as long as the grid
        self.rows, self.columns = _core().grid_size(self._at)
        self.lock = forks.rlock()

    def set_seed(self, seed):
        _core().grid_set_seed(self._at, seed)

    def tensor(self, dims, dtype, data=None, memory=DRAM, tiled=True, shards=(), cores=(), shard_shape=()):
        """`shards`: number of rows and columns of shards of a sharded tensor, of equal size where possible; or of
        `shard_shape` tiles or elements except the last ones. `cores`: row and column of the first core, shards per
        row of cores (default: the number of columns of shards)."""
        shards = (*(shards or (0, 0)), *(cores or (0, 0, 0)), *(shard_shape or (0, 0)))
        tensor = Tensor(self, dims, dtype, memory, tiled, shards)
        if data is not None:
            tensor.write(data)
        return tensor

    def load(self, text="", name="<kernels>"):
        return Kernels(self, text, name)
