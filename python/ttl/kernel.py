"""Kernels: the decorators, compilation and launch."""

import ast
import functools
import inspect
import itertools
import linecache
import math
import os
import re
import sys
import threading
import warnings

from tilewright import sim

from . import compat, intrinsics_connect, intrinsics_python, padding, spill, types  # noqa: F401: their handlers
from .buffer import Making
from .compiler import Compiler
from .dependencies import Dependencies
from .errors import OnlyInThreads, TTLangCompileError, from_diagnostics, placed, quoted, snippet
from .runtime import RuntimeInt, body_of, checked, is_runtime
from .scalars import Scalar

PACKAGES = tuple(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), name, "")
                 for name in ("ttl", "ttnn", "tilewright"))
PREPARING = threading.RLock()  # one kernel's body runs at a time: what it makes is noted in Making.current
MEMORY_SPACES = ("DRAM", "L1")
FIDELITIES = {"HiFi4": 4, "HiFi3": 3, "HiFi2": 2, "LoFi": 1}  # passes over an operand's bits
SCHEDULES = {"coalesce_dma": "ttl.copy", "insert_prefetch": "ttl.copy", "reorder_for_locality": None, "schedule_pipeline": None,
             "subblock_compute_for_dst": ""}  # what each works on; "": a pass of the lowering
PASSES = ("func.func(convert-ttl-to-compute)", "func.func(ttl-set-compute-kernel-config{options})",
          "func.func(ttl-assign-dst{reload-arguments=true})", "func.func(ttl-insert-tile-regs-sync)", "func.func(ttl-lower-to-loops)",
          "func.func(ttl-annotate-cb-associations)", "convert-ttl-to-ttkernel", "canonicalize", "cse", "lower-affine")


@functools.cache
def _ttnn():
    import ttnn

    return ttnn


# ---- threads -----------------------------------------------------------------------------------


class Thread:
    """A function decorated with @ttl.compute() or @ttl.datamovement()."""

    in_threads = "a thread is not called; it runs when its kernel is called", "make it a plain function to call it here"

    def __init__(self, function, kind, verbose=False):
        functools.update_wrapper(self, function)
        self.function, self.kind, self.verbose = function, kind, verbose

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"the thread '{self.__name__}' is not called; it runs when its kernel is called")


def _thread(kind):
    def decorator(function=None, *, verbose=False):
        def wrap(f):
            thread = Thread(f, kind, verbose)
            if Making.current:
                Making.current.threads.append(thread)
            return thread

        return wrap(function) if function is not None else wrap

    decorator.__name__ = kind
    decorator.__doc__ = f"Makes a function the kernel's {kind} thread; it takes no parameters and captures what it uses."
    return decorator


compute, datamovement = _thread("compute"), _thread("datamovement")


class Program:
    """Threads as a value: a kernel that returns Program(c, d0, d1)(a, b, out) runs these, on these tensors."""

    def __init__(self, *threads, args=(), kwargs=None):
        self.threads, self.args, self.kwargs = threads, args, dict(kwargs or {})

    def __call__(self, *args, **kwargs):
        return Program(*self.threads, args=args, kwargs={**self.kwargs, **kwargs})


# ---- one kernel for one set of shapes and types ----------------------------------------------------


class Specialization:
    """A kernel function run once on the host and compiled for these arguments."""

    def __init__(self, kernel, args, kwargs, grid, device, spills=False):
        self.spills = spills  # whether expressions are cut into parts that DST holds
        self.options, self.device = kernel, device
        self.tensors = [a for a in [*args, *_in_order(kwargs)] if self.is_tensor(a)]
        self.n_arguments = len(self.tensors)
        self.making = Making(grid, self.block_shape, next(iter(self.tensors), None))
        self.written = set()
        self.casts = set()  # element types that threads convert to
        self.carried = {}  # pipe: the buffer whose block goes through it, and where
        self.prints = False
        self.flows = padding.Flows()
        self.signposts = os.environ.get("TTLANG_AUTO_PROFILE", "0") == "1"
        self.compat = compat.enabled()
        if self.compat:
            compat.check_kernel(grid, self.tensors, _ttnn())
        self.place()
        former, Making.current = Making.current, self.making
        try:
            result = body_of(kernel.function)(*args, **kwargs)
            self.making.done = True
            threads = self.making.threads
            if isinstance(result, Program):
                threads = list(result.threads)
                self.tensors += [a for a in result.args if self.is_tensor(a) and not any(a is t for t in self.tensors)]
            self.check(threads)
            self.elements = [types.element(t.dtype) for t in self.tensors]
            self.compile(threads)
            self.flows.tell()
            self.dependencies = Dependencies(kernel.function, [*args, *kwargs.values()])  # as the body left them
        finally:
            Making.current = former

    @staticmethod
    def is_tensor(value):
        return _ttnn().is_tensor(value)

    def tensor_number(self, tensor, fail):
        for i, t in enumerate(self.tensors):
            if t is tensor:
                return i
        if not len(tensor.shape):
            fail("a tensor without dimensions has no tiles")
        self.tensors.append(tensor)  # made by the kernel's body
        self.elements.append(types.element(tensor.dtype))
        return len(self.tensors) - 1

    def tensor_type(self, number, tiles=None):
        shape, element = tuple(self.tensors[number].shape), self.elements[number]
        of_rows = self.is_rows(self.tensors[number])
        rows, columns = tiles or (types.folded(shape) if of_rows else types.tiles_of(shape))
        return f"tensor<{rows}x{columns}x{types.number(element) if of_rows else types.tile(element)}, #layout{number}>"

    def is_rows(self, tensor):
        """Whether a tensor is counted in numbers."""
        return not self.compat and types.is_rows(tensor)

    def units(self, tensor):
        """The sizes that a tensor is indexed with: tiles, or numbers."""
        return tuple(tensor.shape) if self.is_rows(tensor) else types.tile_grid(tuple(tensor.shape))

    def block_shape(self, tensor):
        """The shape of buffers like a tensor that name none, or None."""
        factors = self.options.block_factors
        number = next((i for i, t in enumerate(self.tensors) if t is tensor), None)
        if factors is not None and number is not None and number < len(factors):
            return tuple(factors[number])
        return (self.options.granularity, 1) if self.options.granularity else None

    def check(self, threads):
        if not threads:
            raise ValueError("No threads found. Define at least one @ttl.compute() or @ttl.datamovement() function "
                             "inside your kernel.")
        kinds = [t.kind for t in threads]
        if kinds.count("compute") > 1 or kinds.count("datamovement") > 2:
            raise ValueError(f"a core runs one compute thread and two data movement threads; this kernel has "
                             f"{kinds.count('compute')} and {kinds.count('datamovement')} of them")
        if not self.options.tiled:
            raise ValueError("Only tiled tensors supported for TTNN interop; leave tiled=False out")
        for tensor in self.tensors:
            _check_tensor(tensor)

    # ---- the grid

    def place(self):
        """Rectangles of cores, and how a core finds its coordinates: grids of two dimensions are
        (columns, rows); the others go round the device's columns."""
        grid, device = self.making.grid, self.device
        if len(grid) == 2 and grid[0] <= device.columns and grid[1] <= device.rows:
            self.rectangles, self.across = [(0, 0, grid[1], grid[0])], 0
            return
        count = 1
        for size in grid:
            count *= size
        if len(grid) == 2 or count > device.rows * device.columns:
            raise ValueError(f"Kernel grid ({', '.join(map(str, grid))}) exceeds device compute grid ({device.columns}, "
                             f"{device.rows}). Reduce grid size to fit within available cores.")
        self.across = width = min(count, device.columns)
        full, rest = divmod(count, width)
        self.rectangles = [r for r in [(0, 0, full, width), (full, 0, 1, rest)] if r[2] and r[3]]

    def physical(self, core):
        """Column and row of a core of the grid."""
        if not self.across:
            return tuple(core)
        number = 0
        for size, at in zip(self.making.grid, core):
            number = number * size + at
        return number % self.across, number // self.across

    # ---- compilation

    def compile(self, threads):
        if self.compat:
            compat.tell(threads)
        compilers, self.threads, names = [], [], set()
        done = {t: self.compiled(t) for t in sorted(threads, key=lambda t: t.kind != "compute")}  # it says how blocks of numbers lie
        for thread in threads:
            compiler = done[thread]
            compiler.symbol = compiler.name
            while compiler.symbol in names:
                compiler.symbol += "_"
            names.add(compiler.symbol)
            compilers.append(compiler)
            self.threads.append((compiler.symbol, thread.kind, compiler.tensors, compiler.numbers))
        layouts = [f"#layout{i} = {types.layout(tuple(t.shape), e, self.making.grid, self.is_rows(t), types.shard_width(t))}"
                   for i, (t, e) in enumerate(zip(self.tensors, self.elements))]
        self.text = "\n".join([*layouts, "module {", *(c.text() for c in compilers), "}"]) + "\n"

    def compiled(self, thread):
        """A thread's compiler, done; it begins again where an expression proves to be stored too late."""
        kept, made = set(), len(self.making.buffers)
        while True:
            compiler = ThreadCompiler(self, thread, kept)
            try:
                compiler.compile()
                return compiler
            except spill.Keep as wanted:
                kept.add(wanted.number)
                del self.making.buffers[made:]

    @property
    def wide(self):
        """Whether DST holds 32 bits a number, and half as many tiles: for all of the kernel."""
        asked = self.options.fp32_dest_acc_en
        return types.needs_wide({b.element for b in self.making.buffers} | self.casts) if asked is None else asked

    @property
    def registers(self):
        """Tiles that DST holds."""
        return 16 // (1 if self.options.dst_full_sync_en else 2) // (2 if self.wide else 1)

    @functools.cached_property
    def lowered(self):
        """The module in TTKernel."""
        from tilewright import _core

        options = [f"fp32-dest-acc-en={int(self.wide)}"]
        if self.options.dst_full_sync_en is not None:
            options.append(f"dst-full-sync-en={int(self.options.dst_full_sync_en)}")
        pipeline = f"builtin.module({','.join(PASSES)})".replace("{options}", f"{{{' '.join(options)}}}" if options else "")
        if "subblock_compute_for_dst" in self.options.schedule:
            pipeline = pipeline.replace("func.func(ttl-insert", "func.func(ttl-subblock-compute-for-dst),func.func(ttl-insert")
        name = self.options.function.__name__
        dump = _tell if os.environ.get("TTLANG_VERBOSE_PASSES") else None
        places = os.environ.get("TTLANG_DEBUG_LOCATIONS", "0") == "1"
        try:
            _save("TTLANG_INITIAL_MLIR", "INITIAL", lambda: _core.transform(self.text, name, None, places))
            if self.options.schedule:
                self.text = _core.transform(self.text.removesuffix("}\n") + _sequence(self.options.schedule), name,
                                            "builtin.module(transform-interpreter{erase-sequence=true})", True, False, dump)
            lowered = _core.transform(self.text, name, pipeline, True, False, dump)
            _save("TTLANG_FINAL_MLIR", "FINAL", lambda: _core.transform(lowered, name, None, places))
        except RuntimeError as error:
            raise from_diagnostics(str(error)) from None
        return lowered

    @functools.cached_property
    def cpp(self):
        """The kernels as C++ for the hardware's toolchain, each behind a line "// NAME"."""
        from tilewright import _core

        try:
            return _core.transform(self.lowered, self.options.function.__name__,
                                   "builtin.module(ttl-lower-signpost-to-emitc,"
                                   "convert-ttkernel-to-emitc{functions=true})", False, False,
                                   None, True)
        except RuntimeError as error:
            raise from_diagnostics(str(error)) from None

    def write_cpp(self):
        """Writes the kernels to files of their own, and shows them."""
        import getpass
        import hashlib
        import tempfile

        folder = os.path.join(tempfile.gettempdir(), getpass.getuser())
        os.makedirs(folder, exist_ok=True)
        for name, *_ in self.threads:
            begin = self.cpp.index(f"// {name}\n")
            end = self.cpp.find("\n// ", begin + 1)
            source = self.cpp[begin:end if end >= 0 else None].rstrip() + "\n"
            digest = hashlib.sha256(source.encode()).hexdigest()[:8]
            path = os.path.join(folder, f"ttlang_kernel_{name}_{digest}.cpp")
            with open(path, "w") as file:
                file.write(source)
            print(f"=== {name} kernel written to {path} ===\n{source}{'=' * 60}")

    # ---- launch

    def launch(self, tensors, numbers):
        """Binds kernels, buffers, tensors and runtime integers; the launch, and for each integer where it goes:
        (run, argument) pairs."""
        making = self.making
        kernels = self.device.grid.load(self.lowered, self.options.function.__name__)
        wide = self.wide
        whole = [b._cb_index for b in making.buffers if b.element in types.WIDE] if wide else []
        ports = [sim.cb(i) for i in range(len(making.buffers))]
        runs, movers, places = [], 0, [[] for _ in numbers]
        for symbol, kind, used, integers in self.threads:
            addresses = [sim.address(n) for n in used] + [numbers[n] for n in integers]
            accessors = [sim.accessor(n) for n in range(len(tensors))] if kind == "datamovement" else []
            for rectangle in self.rectangles:
                for at, number in enumerate(integers):
                    places[number].append((len(runs), len(used) + at))
                runs.append(sim.Run(symbol, rectangle, ports + accessors, addresses, noc=min(movers, 1), wide_dst=wide,
                                    full_sync=bool(self.options.dst_full_sync_en), unpack_to_dst=whole,
                                    fidelity=self.options.fidelity, approximate=self.options.approximate))
            movers += kind == "datamovement"
        buffers = [sim.Buffer(b._cb_index, b.element, b.pages[0] * b.buffer_factor, b.pages[1], name=b.name)
                   for b in making.buffers]
        if self.compat:
            compat.tell_bound(runs, buffers)
        try:
            return kernels.launch(runs, buffers, tensors, making.semaphores), places
        except RuntimeError as error:
            raise self.no_room(error) from None

    def no_room(self, error):
        """What a launch says of a circular buffer, at the line that makes it."""
        text = str(error)
        if text.startswith("L1 is over-subscribed: "):
            return self.no_room_beside(text)
        number = text.removeprefix("circular buffer ").partition(":")[0]
        if not text.startswith("circular buffer ") or not number.isdigit() or int(number) >= len(self.making.buffers):
            return error
        buffer = self.making.buffers[int(number)]
        name = f"'{buffer.name}'" if buffer.name else number
        return TTLangCompileError(f"circular buffer {name}: {text.partition(': ')[2]}", *buffer.made_at, 1,
                                  "make its blocks smaller (shape) or keep fewer of them (buffer_factor)").shown()

    def no_room_beside(self, text):
        """The same of buffers that tensors in L1 leave no room for: at the line of the largest, with all that is there."""
        said, *places = text.splitlines()
        names = [b.name or f"circular buffer {i}" for i, b in enumerate(self.making.buffers)]
        found = [re.match(r" *0x0*([0-9a-f]+) +(\d+) bytes: (?:circular buffer (\d+),|(.*))", place) for place in places]
        there = [(names[int(m[3])] if m[3] else m[4], int(m[2]), m[1]) for m in found]
        largest = max((b for b in self.making.buffers), key=lambda b: math.prod(b.shape) * b.buffer_factor)
        return TTLangCompileError(
            said.rstrip(":"), *largest.made_at, 1, "each core holds " +
            ", ".join(f"{size} bytes of {name.removeprefix('a ')} at 0x{at}" for name, size, at in there) +
            "; make blocks smaller (shape), keep fewer of them (buffer_factor), or tensors in DRAM (ttnn.DRAM_MEMORY_CONFIG)").shown()


class ThreadCompiler(Compiler):
    def __init__(self, specialization, thread, kept):
        super().__init__(specialization, thread.function, thread.kind, kept)
        self._coordinates = None

    def coordinates(self, node):
        """This core's coordinates in the kernel's grid."""
        if self._coordinates is None:
            place = self.source.place(node)
            x, y = (Scalar(self.writer.at_head(f"ttl.core_{axis} : index", place), natural=True) for axis in "xy")
            self._coordinates = [x, y]
        x, y = self._coordinates
        across, grid = self.kernel.across, self.kernel.making.grid
        if not across:
            return [x, y]
        at = self.binary(node, ast.Add(), self.binary(node, ast.Mult(), y, across), x)
        out = []
        for size in reversed(grid[1:]):
            out.append(self.binary(node, ast.Mod(), at, size))
            at = self.binary(node, ast.FloorDiv(), at, size)
        return [at, *reversed(out)]


    def physical_of(self, node, core):
        """Column and row of a core whose coordinates are numbers or Scalars."""
        across, grid = self.kernel.across, self.kernel.making.grid
        if not across:
            return core
        number = core[0]
        for size, at in zip(grid[1:], core[1:]):
            number = self.binary(node, ast.Add(), self.binary(node, ast.Mult(), number, size), at)
        return self.binary(node, ast.Mod(), number, across), self.binary(node, ast.FloorDiv(), number, across)


def _sequence(names):
    """A transform sequence of these schedules, on the module's threads; it ends the module."""
    lines = ["transform.sequence failures(propagate) {", "^bb0(%root: !transform.any_op):"]
    for i, name in enumerate(names):
        on, ops = "%root", SCHEDULES[name]
        if ops == "":
            continue
        if ops:
            on = f"%ops{i}"
            lines.append(f'  {on} = transform.structured.match ops{{["{ops}"]}} in %root : (!transform.any_op) -> !transform.any_op')
        lines.append(f"  %done{i} = transform.ttl.{name} {on}")
    return "\n".join([*lines, "}", "}"]) + "\n"


def _tell(text):
    sys.stderr.write(text)


def _save(variable, what, text):
    path = os.environ.get(variable)
    if path:
        with open(path, "w") as file:
            file.write(text())
        print(f"SAVED {what} TO {path}")


def _check_tensor(tensor):
    ttnn = _ttnn()
    if not len(tensor.shape):
        raise ValueError("a tensor without dimensions has no tiles; give it one: tensor.reshape(1, 1)")
    if not isinstance(tensor, ttnn.Tensor) or tensor.device() is None:
        return  # lent to the device as tiles, interleaved
    if compat.enabled() and tensor.layout != ttnn.TILE_LAYOUT:
        raise ValueError(f"Only tiled tensors supported for TTNN interop: a tensor has layout {tensor.layout}. Use "
                         "ttnn.to_layout(tensor, ttnn.TILE_LAYOUT) to convert.")


# ---- kernels -----------------------------------------------------------------------------------------


class Kernel:
    """What @ttl.kernel makes of a function: call it with tensors."""

    in_threads = "a kernel is called on the host, not in a thread", "call it after this one"

    def __init__(self, function, grid, memory_space, tiled, fp32_dest_acc_en, dst_full_sync_en, granularity,
                 block_factors=None, math_fidelity="HiFi4", math_approx_mode=False, schedule=()):
        functools.update_wrapper(self, function)
        self.function, self.grid = function, grid
        self.memory_space, self.tiled, self.granularity = memory_space, tiled, granularity
        self.fp32_dest_acc_en, self.dst_full_sync_en = fp32_dest_acc_en, dst_full_sync_en
        self.schedule = schedule
        self.block_factors, self.fidelity, self.approximate = block_factors, FIDELITIES[math_fidelity], math_approx_mode
        self.signature = inspect.signature(function)
        self.parameters = self.signature.parameters
        self.cache = {}
        names = [name for name, p in self.parameters.items() if is_runtime(p.annotation)]
        self.runtime = {name: RuntimeInt(name, i) for i, name in enumerate(names)}

    def __get__(self, instance, kind=None):
        """A kernel that is a method gets its object first, which it reads when it is compiled."""
        return self if instance is None else functools.partial(self, instance)

    def split(self, args, kwargs):
        """Arguments by position where they can be, with RuntimeInts in the places of runtime integers, and these
        integers' values."""
        if not self.runtime and not kwargs:
            return args, kwargs, ()
        try:
            bound = self.signature.bind_partial(*args, **kwargs)
        except TypeError as error:
            raise self.at_decorator(TypeError(f"{self.__name__}() {error}")) from None
        if not self.runtime:
            return bound.args, bound.kwargs, ()
        bound.apply_defaults()
        numbers = []
        for name, stands in self.runtime.items():
            if name not in bound.arguments:
                raise TypeError(f"{self.__name__}() lacks the argument '{name}'")
            numbers.append(checked(name, bound.arguments[name]))
            bound.arguments[name] = stands
        return bound.args, bound.kwargs, tuple(numbers)

    def __call__(self, *args, **kwargs):
        args, kwargs, numbers = self.split(args, kwargs)
        tensor = _ttnn().Tensor
        key = tuple([a.cache_key if isinstance(a, tensor) else _key(a) for a in args])
        if kwargs:
            key += tuple((k, _key(v)) for k, v in sorted(kwargs.items()))
        entry = self.cache.get(key)
        if entry is None or not entry.special.dependencies.unchanged():
            entry = self.prepare(args, kwargs)
            if entry.reusable:
                self.cache[key] = entry
        Making.last_grid = entry.special.making.grid
        if not entry.compile_only:
            tensors = [args[i] for i in entry.tensor_arguments]
            with entry.device.lock:
                entry.run(tensors + [kwargs[name] for name in entry.tensor_keywords], numbers)

    def ir(self, *args, level="ttl", locations=False, **kwargs):
        """The kernel's IR for these arguments, as text: "ttl" (what the front end makes), "ttkernel" (what runs)
        or "cpp" (C++ for the hardware)."""
        from tilewright import _core

        args, kwargs, _ = self.split(args, kwargs)
        special = self.prepare(args, kwargs).special
        if level == "cpp":
            return special.cpp
        texts = {"ttl": lambda: special.text, "ttkernel": lambda: special.lowered}
        if level not in texts:
            raise ValueError(f"no level '{level}': there are {', '.join(texts)}, cpp")
        try:
            return _core.transform(texts[level](), self.function.__name__, None, locations)
        except RuntimeError as error:
            raise from_diagnostics(str(error)) from None

    def prepare(self, args, kwargs):
        try:
            with PREPARING:
                return Prepared(self, args, kwargs)
        except TTLangCompileError as error:
            raise error.shown() from None
        except compat.TensorError as error:
            frame = sys._getframe(1)
            while frame.f_globals.get("__name__") == __name__:
                frame = frame.f_back
            file, line = compat.assignment(frame, error.number)
            raise ValueError(snippet("error", str(error), file, line, 1)) from None
        except (ValueError, TypeError, OnlyInThreads) as error:
            if self.is_of_body(error):
                raise
            raise self.at_decorator(error) from None

    def at_decorator(self, error):
        """An error about the kernel as a whole, shown at its decorator, or at the line of its body that caused it."""
        try:
            line, column = self.raised_at(error) or (inspect.getsourcelines(self.function)[1], 1)
            label = type(error).__name__ if compat.enabled() else None  # Python writes it, too
            shown = snippet(label, str(error), inspect.getsourcefile(self.function), line, column)
            return type(error)(shown)
        except (OSError, TypeError):
            return error

    def is_of_body(self, error):
        """Whether an exception is the body's own, not of what it calls here: it is passed on with its traceback."""
        inside, ours = False, False
        trace = None if compat.enabled() else error.__traceback__
        while trace:
            code = trace.tb_frame.f_code
            ours = inside and (ours or code.co_filename.startswith(PACKAGES))
            inside = inside or code is self.function.__code__
            trace = trace.tb_next
        return inside and not ours

    def raised_at(self, error):
        """Line and column of the kernel's body where an exception came up, or None."""
        found = None
        trace = None if compat.enabled() else error.__traceback__
        while trace:
            if trace.tb_frame.f_code is self.function.__code__:
                text = linecache.getline(self.function.__code__.co_filename, trace.tb_lineno)
                found = trace.tb_lineno, len(text) - len(text.lstrip()) + 1
            trace = trace.tb_next
        return found


def _in_order(kwargs):
    """Values in the order of their names, however a call wrote them."""
    return [kwargs[name] for name in sorted(kwargs)]


def _key(value):
    if isinstance(value, (list, tuple, set, frozenset, dict)):
        items = value.items() if isinstance(value, dict) else value
        return (type(value), tuple(map(_key, items)))
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return (tuple(value.shape), str(value.dtype))
    try:
        hash(value)
    except TypeError:
        return (type(value), id(value))  # whoever keeps the key keeps the value: its Dependencies
    return (type(value), value)


class Prepared:
    """A specialization on its device, ready to run."""

    def __init__(self, kernel, args, kwargs):
        ttnn = _ttnn()
        grid, self.device = self.resolve(kernel, args, kwargs)
        kwargs = dict(kwargs)
        for name, value in (("grid", grid), ("memory_space", kernel.memory_space), ("tiled", kernel.tiled),
                            ("granularity", kernel.granularity)):
            if name in kernel.parameters and name not in kwargs and value is not None:
                kwargs[name] = value
        special = Specialization(kernel, args, kwargs, grid, self.device)
        try:
            special.lowered  # noqa: B018: compiles
        except RuntimeError as error:
            if not spill.is_needed(error):
                raise
            special = Specialization(kernel, args, kwargs, grid, self.device, spills=True)
        self.special = special
        # Tensors that the body computes anew for each call, from the arguments' values.
        self.reusable = len(special.tensors) == special.n_arguments
        self.hidden = [ttnn.on_device(t, self.device, True) for t in special.tensors[special.n_arguments:]]
        self.launch, self.bound = None, None
        self.tensor_arguments = [i for i, a in enumerate(args) if ttnn.is_tensor(a)]
        self.tensor_keywords = [name for name in sorted(kwargs) if ttnn.is_tensor(kwargs[name])]
        self.numbers = None
        self.profiled = special.signposts or os.environ.get("TTLANG_SIM_PROFILE", "0") == "1"
        self.compile_only = os.environ.get("TTLANG_COMPILE_ONLY", "0") == "1"
        if self.compile_only:
            special.write_cpp()  # whoever only compiles wants the result

    @staticmethod
    def resolve(kernel, args, kwargs):
        """The grid as a tuple, and the device that it is for."""
        ttnn = _ttnn()
        device = next((a.device() for a in args if isinstance(a, ttnn.Tensor) and a.device() is not None), None)
        grid = kernel.grid
        if callable(grid):
            grid = grid(*args, **kwargs)
        if isinstance(grid, str) and grid in ("auto", "full"):
            device = device or ttnn.default_device()
            grid = (device.columns, device.rows)
        grid = (grid,) if isinstance(grid, int) else grid
        if not isinstance(grid, (tuple, list)) or not grid or not all(isinstance(g, int) and g > 0 for g in grid):
            raise ValueError(f"a grid is a tuple of positive integers, a function that gives one, or \"auto\", not {grid!r}")
        return tuple(grid), device or ttnn.device_for(tuple(grid))

    def run(self, tensors, numbers):
        ttnn = _ttnn()
        every = tensors + self.special.tensors[len(tensors):]
        for number in self.special.written:
            why_not = ttnn.unwritable(every[number])
            if why_not:
                raise self.special.options.at_decorator(ValueError(
                    f"the kernel writes tensor {number} of shape {tuple(every[number].shape)}, which {why_not}"))
        lent = [ttnn.on_device(t, self.device, True) for t in tensors]
        on_device = [t.device_tensor for t in lent + self.hidden]
        if self.launch is None:
            self.launch, self.places = self.special.launch(on_device, numbers)
        elif on_device != self.bound:
            for i, (new, old) in enumerate(zip(on_device, self.bound)):
                if new is not old:
                    self.launch.set_tensor(i, new)
        if numbers != self.numbers:
            for number, places in zip(numbers, self.places):
                for run, argument in places:
                    self.launch.set_arg(run, argument, number)
        self.bound, self.numbers = on_device, numbers
        try:
            self.launch.run()
        except RuntimeError as error:
            raise self.special.no_room(error) from None
        finally:
            if self.special.prints:
                print(self.launch.log, end="")
            elif self.launch.warned:
                tell_warnings(self.launch)
            if self.profiled:
                print(f"{self.special.options.function.__name__}: {self.launch.cycles:.0f} cycles\n{self.launch.profile}")
            if os.environ.get("TTLANG_SIM_TRACE"):
                write_trace(self.launch, os.environ["TTLANG_SIM_TRACE"])
            for number in self.special.written:
                ttnn.written(every[number], (lent + self.hidden)[number])


_traces = itertools.count(1)


def write_trace(launch, path):
    """What the launch did when, as a page or JSON; later launches' go into files of their own: trace-2.html, ..."""
    number = next(_traces)
    stem, suffix = os.path.splitext(path)
    with open(path if number == 1 else f"{stem}-{number}{suffix}", "w", encoding="utf-8") as file:
        file.write(launch.trace_html if suffix == ".html" else launch.trace_json)


def tell_warnings(launch):
    """What the device warns of, as Python's warnings; padding was told, with the numbers that it holds, when the
    kernel was compiled."""
    for report in launch.reports:
        if report["kind"] != "padding":
            place = noted = (report["file"], report["line"], report["column"])
            if report["note_file"]:
                noted = (report["note_file"], report["note_line"], report["note_column"])
            said = placed(place, "warning", report["text"]) + quoted(place)
            if report["note"]:
                said += "\n" + placed(noted, "note", report["note"]) + (quoted(noted) if noted != place else "")
            warnings.warn(said, RuntimeWarning, stacklevel=4)


def kernel(grid=None, indexing_maps=None, iterator_types=None, num_outs=1, memory_space="L1", tiled=True,
           fp32_dest_acc_en=None, dst_full_sync_en=None, granularity=None, block_factors=None, compute_config=None,
           schedule=()):
    """Makes a function a kernel. `grid`: (columns, rows) of cores, any other number of dimensions, a function
    of the arguments, or "auto" (also "full") for all cores of the device (the default). `block_factors`: for each tensor the
    shape in tiles of buffers that are made like it without a shape; `granularity`: rows of tiles of the others.
    `compute_config`: math_fidelity ("HiFi4", "HiFi3", "HiFi2", "LoFi"), fp32_dest_acc_en, math_approx_mode. `schedule`:
    names of transforms of the ttl dialect, in order: "coalesce_dma", "insert_prefetch", "reorder_for_locality",
    "schedule_pipeline", "subblock_compute_for_dst"."""
    if num_outs != 1:
        raise ValueError(f"num_outs must be 1, got {num_outs}")
    if memory_space not in MEMORY_SPACES:
        raise ValueError(f"Invalid memory_space: {memory_space!r}. Must be one of: {', '.join(MEMORY_SPACES)}")
    if not isinstance(tiled, bool):
        raise TypeError(f"tiled must be a boolean, got {type(tiled).__name__}")
    if iterator_types is not None and indexing_maps is None:
        raise ValueError("indexing_maps must be set when iterator_types is set")
    grid = "auto" if grid is None else grid
    config = dict(compute_config or {})
    fidelity, approximate = config.pop("math_fidelity", "HiFi4"), config.pop("math_approx_mode", False)
    wide = config.pop("fp32_dest_acc_en", fp32_dest_acc_en)
    if config:
        raise ValueError(f"compute_config has no '{next(iter(config))}': there are math_fidelity, fp32_dest_acc_en and "
                         "math_approx_mode")
    if fidelity not in FIDELITIES:
        raise ValueError(f"Invalid math_fidelity: {fidelity!r}. Must be one of: {', '.join(FIDELITIES)}")
    schedule = (schedule,) if isinstance(schedule, str) else tuple(schedule)
    for name in schedule:
        if name not in SCHEDULES:
            raise ValueError(f"Invalid schedule: {name!r}. Must be one of: {', '.join(SCHEDULES)}")

    def decorate(function=None, *more, **named):
        if more or named or not inspect.isroutine(function):
            above = f" above '{grid.__name__}'" if inspect.isfunction(grid) else ""
            raise TypeError(f"ttl.kernel is written with parentheses{above}: @ttl.kernel() or @ttl.kernel(grid=(columns, rows))")
        if inspect.iscoroutinefunction(function):
            raise TypeError(f"the kernel '{function.__name__}' is to be a plain function: leave out 'async'")
        return Kernel(function, grid, memory_space, tiled, wide, dst_full_sync_en, granularity, block_factors, fidelity,
                      bool(approximate), schedule)

    return decorate


pykernel_gen = ttl_kernel = operation = kernel
