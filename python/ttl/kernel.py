"""Kernels: the decorators, compilation and launch."""

import functools
import inspect
import itertools
import os
import sys
import warnings

from tilewright import forks
from tilewright.source import remember

from . import compat, intrinsics_connect, intrinsics_python, searches, spill  # noqa: F401: handlers of two
from .buffer import Making
from .errors import OnlyInThreads, TTLangCompileError, at_line, placed, quoted, snippet
from .runtime import RuntimeInt, checked, is_runtime
from .specialization import SCHEDULES, Specialization, ttnn_module

PACKAGES = tuple(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), name, "")
                 for name in ("ttl", "ttnn", "tilewright"))
PREPARING = forks.rlock()  # one kernel's body runs at a time: the objects it makes are recorded in Making.current
os.register_at_fork(after_in_child=lambda: setattr(Making, "current", None))  # a child of fork must not see the kernel of another thread
MEMORY_SPACES = ("DRAM", "L1")
FIDELITIES = {"HiFi4": 4, "HiFi3": 3, "HiFi2": 2, "LoFi": 1}  # passes over an operand's bits


class Kernel:
    """The result of @ttl.kernel on a function: call it with tensors."""

    in_threads = "a kernel is called on the host, not in a thread", "call it after this one"

    def __init__(self, function, grid, memory_space, tiled, fp32_dest_acc_en, dst_full_sync_en, granularity,
                 block_factors=None, math_fidelity="HiFi4", math_approx_mode=False, schedule=()):
        functools.update_wrapper(self, function)
        remember(function.__code__.co_filename, function.__globals__)
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
        """A kernel that is a method gets its object as the first argument, which it reads at compile time."""
        return self if instance is None else functools.partial(self, instance)

    def split(self, args, kwargs):
        """Arguments by position where possible, runtime integers replaced by RuntimeInts; and these integers' values."""
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
        for name, symbol in self.runtime.items():
            if name not in bound.arguments:
                raise TypeError(f"{self.__name__}() lacks the argument '{name}'")
            numbers.append(checked(name, bound.arguments[name]))
            bound.arguments[name] = symbol
        return bound.args, bound.kwargs, tuple(numbers)

    def __call__(self, *args, **kwargs):
        args, kwargs, numbers = self.split(args, kwargs)
        tensor = ttnn_module().Tensor
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
        """The kernel's IR for these arguments, as text: "ttl" (the front end's output), "ttkernel" (what runs) or
        "cpp" (C++ for the hardware)."""
        args, kwargs, _ = self.split(args, kwargs)
        special = self.prepare(args, kwargs, bool(locations) if level == "ttl" else None).special
        if level == "cpp":
            return special.cpp
        texts = {"ttl": lambda: special.text, "ttkernel": lambda: special.lowered.text(bool(locations))}
        if level not in texts:
            raise ValueError(f"no level '{level}': there are {', '.join(texts)}, cpp")
        return texts[level]()

    def prepare(self, args, kwargs, shown=None):
        try:
            with PREPARING:
                return Prepared(self, args, kwargs, shown)
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
            label = type(error).__name__ if compat.enabled() else None  # Python prints it, too
            shown = snippet(label, str(error), inspect.getsourcefile(self.function), line, column)
            return type(error)(shown)
        except (OSError, TypeError):
            return error

    def is_of_body(self, error):
        """True if an exception was raised by the body itself, not by functions it calls here: it is passed on with
        its traceback."""
        inside, ours = False, False
        trace = None if compat.enabled() else error.__traceback__
        while trace:
            code = trace.tb_frame.f_code
            ours = inside and (ours or code.co_filename.startswith(PACKAGES))
            inside = inside or code is self.function.__code__
            trace = trace.tb_next
        return inside and not ours

    def raised_at(self, error):
        """Line and column in the kernel's body where an exception was raised, or None."""
        found = None
        trace = None if compat.enabled() else error.__traceback__
        while trace:
            if trace.tb_frame.f_code is self.function.__code__:
                found = at_line(self.function.__code__.co_filename, trace.tb_lineno)[1:]
            trace = trace.tb_next
        return found


def _key(value):
    if isinstance(value, (list, tuple, set, frozenset, dict)):
        items = value.items() if isinstance(value, dict) else value
        return (type(value), tuple(map(_key, items)))
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return (tuple(value.shape), str(value.dtype))
    try:
        hash(value)
    except TypeError:
        return (type(value), id(value))  # the holder of the key, its Dependencies, keeps the value alive
    return (type(value), value)


class Prepared:
    """A specialization on its device, ready to run."""

    def __init__(self, kernel, args, kwargs, shown=None):
        ttnn = ttnn_module()
        grid, self.device = self.resolve(kernel, args, kwargs)
        kwargs = dict(kwargs)
        for name, value in (("grid", grid), ("memory_space", kernel.memory_space), ("tiled", kernel.tiled),
                            ("granularity", kernel.granularity), ("block_factors", kernel.block_factors)):
            if name in kernel.parameters and name not in kwargs and value is not None:
                kwargs[name] = value
        special = Specialization(kernel, args, kwargs, grid, self.device, shown)
        try:
            special.lowered  # noqa: B018: compiles
        except RuntimeError as error:
            if not spill.is_needed(error):
                raise
            special = Specialization(kernel, args, kwargs, grid, self.device, shown, spills=True)
        self.special = special
        # False for tensors that the body computes from the arguments' values for each call.
        self.reusable = len(special.tensors) == special.n_arguments
        self.hidden = [ttnn._tensor.on_device(t, self.device, True) for t in special.tensors[special.n_arguments:]]
        self.launch, self.bound = None, None
        self.lent = {}  # tensor index -> device tensor that host arrays are copied to
        self.tensor_arguments = [i for i, a in enumerate(args) if ttnn._tensor.is_tensor(a)]
        self.tensor_keywords = [name for name in sorted(kwargs) if ttnn._tensor.is_tensor(kwargs[name])]
        self.numbers = None
        self.profiled = special.signposts or os.environ.get("TTLANG_SIM_PROFILE", "0") == "1"
        self.compile_only = os.environ.get("TTLANG_COMPILE_ONLY", "0") == "1"
        if self.compile_only:
            special.write_cpp()  # compile-only callers want the result

    @staticmethod
    def resolve(kernel, args, kwargs):
        """The grid as a tuple, and its device."""
        ttnn = ttnn_module()
        devices = {}
        for name, value in [*enumerate(args), *kwargs.items()]:
            if isinstance(value, ttnn.Tensor) and value.device() is not None:
                devices.setdefault(value.device(), name)
        if len(devices) > 1:
            (one, first), (other, second) = list(devices.items())[:2]
            raise ValueError(f"argument {first} lies on {one}, argument {second} on {other}, which is another one; a kernel "
                             "runs on one device: ttnn.to_device(ttnn.from_device(tensor), device) moves a tensor")
        device = next(iter(devices), None)
        grid = kernel.grid
        if callable(grid):
            grid = grid(*args, **kwargs)
        if isinstance(grid, str) and grid in ("auto", "full"):
            device = device or ttnn._tensor.default_device()
            grid = (device.columns, device.rows)
        grid = (grid,) if isinstance(grid, int) else grid
        if not isinstance(grid, (tuple, list)) or not grid or not all(isinstance(g, int) and g > 0 for g in grid):
            raise ValueError(f"a grid is a tuple of positive integers, a function that gives one, or \"auto\", not {grid!r}")
        return tuple(grid), device or ttnn._tensor.device_for(tuple(grid))

    def run(self, tensors, numbers):
        ttnn = ttnn_module()
        every = tensors + self.special.tensors[len(tensors):]
        for number in self.special.written:
            why_not = ttnn._tensor.unwritable(every[number])
            if why_not:
                raise self.special.options.at_decorator(ValueError(
                    f"the kernel writes tensor {number} of shape {tuple(every[number].shape)}, which {why_not}"))
        lent = [self.lend(i, t) for i, t in enumerate(tensors)]
        on_device = [t.device_tensor for t in lent + self.hidden]
        if self.launch is None:
            self.launch, self.slots = self.special.launch(on_device, numbers)
        elif on_device != self.bound:
            for i, (new, old) in enumerate(zip(on_device, self.bound)):
                if new is not old:
                    self.launch.set_tensor(i, new)
        if numbers != self.numbers:
            for number, slots in zip(numbers, self.slots):
                for run, argument in slots:
                    self.launch.set_arg(run, argument, number)
        self.bound, self.numbers = on_device, numbers
        try:
            searches.run(self.launch, self.special.options.function.__name__, self.special.breakpoints)
        except RuntimeError as error:
            raise self.special.no_room(error) from None
        finally:
            if self.special.prints:
                print(self.launch.log, end="")
            elif self.launch.warned:
                warn_of(self.launch)
            if self.profiled:
                print(f"{self.special.options.function.__name__}: {self.launch.cycles:.0f} cycles\n{self.launch.profile}")
            if os.environ.get("TTLANG_SIM_TRACE"):
                write_trace(self.launch, os.environ["TTLANG_SIM_TRACE"])
            if os.environ.get("TTLANG_PROFILE_CSV"):
                write_csv(self.launch, os.environ["TTLANG_PROFILE_CSV"])
            for number in self.special.written:
                ttnn._tensor.written(every[number], (lent + self.hidden)[number])
            for tensor in self.lent.values():
                tensor.forget_host()

    def lend(self, number, value):
        """A tensor on the device. Host arrays reuse the device memory of the last call."""
        ttnn = ttnn_module()
        if isinstance(value, ttnn.Tensor):
            return ttnn._tensor.on_device(value, self.device, True)
        if number in self.lent:
            ttnn._tensor.lend_again(self.lent[number], value)
        else:
            self.lent[number] = ttnn._tensor.on_device(value, self.device, True)
        return self.lent[number]


_traces = itertools.count(1)


def write_trace(launch, path):
    """Writes the launch's timeline as a page or JSON; later launches are written to files of their own: trace-2.html,
    ..."""
    number = next(_traces)
    stem, suffix = os.path.splitext(path)
    with open(path if number == 1 else f"{stem}-{number}{suffix}", "w", encoding="utf-8") as file:
        file.write(launch.trace_html if suffix == ".html" else launch.trace_json)


_tables = set()  # files that this process has started


def write_csv(launch, path):
    """Appends the launch's zones to those of earlier launches, in the format of tt-metal's profiler."""
    lines = launch.trace_csv.splitlines(keepends=True)
    with open(path, "a" if path in _tables else "w", encoding="utf-8") as file:
        file.writelines(lines[2:] if path in _tables else lines)
    _tables.add(path)


def warn_of(launch):
    """The device's warnings as Python's warnings; padding was reported, with the values that it holds, at compile
    time."""
    for report in launch.reports:
        if report["kind"] != "padding":
            location = noted = (report["file"], report["line"], report["column"])
            if report["note_file"]:
                noted = (report["note_file"], report["note_line"], report["note_column"])
            message = placed(location, "warning", report["text"]) + quoted(location)
            if report["note"]:
                message += "\n" + placed(noted, "note", report["note"]) + (quoted(noted) if noted != location else "")
            warnings.warn(message, RuntimeWarning, stacklevel=4)


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
