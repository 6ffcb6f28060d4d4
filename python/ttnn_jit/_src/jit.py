"""A function of ttnn operations that is compiled when it is called."""

import functools
import inspect
import os
import types

import ttnn

from . import emit, engine, layouts
from .cache import JitCache
from .trace import trace, tracing, with_space

DUMPS = os.path.join("generated", "jit")


def limited():
    """True under TTNN_JIT_LIMITS=1: tt-mlir's limits hold, too (shapes of whole tiles, memory configs of operations ignored)."""
    return os.environ.get("TTNN_JIT_LIMITS", "0") not in ("", "0")


def in_blocks():
    """True under TTNN_JIT_RESULTS=blocks: results without a memory config are blocks in L1 on as many cores as divide them, as in
    tt-mlir; by default they have the first operand's memory config."""
    where = os.environ.get("TTNN_JIT_RESULTS") or "operand"
    if where not in ("operand", "blocks"):
        raise ValueError(f"TTNN_JIT_RESULTS: expected operand or blocks, found {where!r}")
    return where == "blocks"


SETTINGS = tuple(map(os.fsencode, ("TTNN_JIT_LIMITS", "TILEWRIGHT_ENGINE", "TTNN_JIT_RESULTS", "TTNN_JIT_ROUNDING", "TILEWRIGHT_THREADS")))
_variables = os.environ._data  # without the conversions of os.environ, which take longer than the rest of a cached call


def settings():
    """The variables that compiled programs depend on, as they are written."""
    return tuple(map(_variables.get, SETTINGS))


class JitFunction:
    """A compiled function, with a cache of its own.

    `cache` is its JitCache, or None; `num_entries` its size; `fallback_used` is true if the last call ran the plain
    function.
    """

    def __init__(self, function, *, enable_cache, graph_capture, math_fidelity, debug, compile_only, backend, max_grid, memory_config,
                 fallback, extra_pipeline_options):
        if isinstance(function, (staticmethod, classmethod)):
            function = function.__func__
        if not isinstance(function, types.FunctionType):
            raise TypeError(f"ttnn_jit.jit: expected a function, found {type(function).__name__}")
        if backend != "ttnn":
            raise ValueError(f"ttnn_jit.jit: argument 'backend': expected 'ttnn', found {backend!r}")
        if fallback and compile_only:
            raise ValueError("ttnn_jit.jit: fallback=True is incompatible with compile_only=True: falling back returns a tensor, compiling alone a module")
        if not isinstance(math_fidelity, ttnn.MathFidelity):
            raise TypeError(f"ttnn_jit.jit: argument 'math_fidelity': expected a ttnn.MathFidelity, found {math_fidelity!r}")
        if memory_config is not None and not isinstance(memory_config, ttnn.MemoryConfig):
            raise TypeError(f"ttnn_jit.jit: argument 'memory_config': expected a ttnn.MemoryConfig, found {memory_config!r}")
        if max_grid is not None and (not hasattr(max_grid, "__len__") or len(max_grid) != 2 or min(max_grid) < 0):
            raise ValueError(f"ttnn_jit.jit: argument 'max_grid': expected the column and row of the last core, (7, 7) for 8x8, found {max_grid!r}")
        functools.update_wrapper(self, function)
        self.flags = dict(enable_cache=enable_cache, graph_capture=graph_capture, math_fidelity=math_fidelity, debug=debug, compile_only=compile_only,
                          backend=backend, max_grid=max_grid, memory_config=memory_config, fallback=fallback,
                          extra_pipeline_options=extra_pipeline_options)
        self.func, self.graph_capture, self.math_fidelity = function, graph_capture, math_fidelity
        self.debug, self.compile_only, self.max_grid = debug, compile_only, max_grid
        self.memory_config, self.fallback, self.extra_pipeline_options = memory_config, fallback, extra_pipeline_options
        self.fallback_used = False
        self.fusion = True  # of generics; without it to measure what fusion brings
        self.cache = JitCache() if enable_cache else None
        self.out_dir = os.path.join(DUMPS, function.__name__)
        self._watched, self._watched_key = [], None
        self._signature = inspect.signature(function)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    @property
    def num_entries(self):
        """The programs in its cache."""
        if self.cache is None:
            raise AssertionError("Cache is not enabled; use jit(enable_cache=True)")
        return self.cache.num_entries()

    def __call__(self, *args, **options):
        outer = tracing()
        if outer is not None:  # called by a function that is compiled: a part of that
            return self._inlined(outer, args, options)
        self.fallback_used = False
        try:
            return self._run(args, options)
        except Exception as error:
            if not self.fallback or isinstance(error, MemoryError):
                raise
            self.fallback_used = True
            if self.debug:
                print(f"[ttnn-jit] JIT compilation/execution failed, falling back to eager mode: {error}")
            return self.func(*args, **options)

    def _inlined(self, graph, args, options):
        made, _ = with_space(self.func, graph)
        return made(*args, **options)

    def _run(self, args, options):
        tensors = tuple(a for a in args if isinstance(a, ttnn.Tensor))
        if options:
            tensors += tuple(v for v in options.values() if isinstance(v, ttnn.Tensor))
        if self.compile_only:
            return self._compile(args, options)
        if self.cache is None:
            return self._compile(args, options).run(tensors)
        key = self.key_of(args, options)
        program = self.cache.get(key)
        if program is None:
            program = self._compile(args, options)
            self.cache.put(key, program)
        return program.run(tensors)

    def key_of(self, args, options):
        """What a call's program depends on."""
        return (tuple(map(_kind, args)), tuple((n, _kind(v)) for n, v in options.items()) if options else (), self._outside(), settings())

    def _outside(self):
        """What the function reads from outside. It is collected again only where a name has another object than before, or
        an object that can change."""
        for scope, name, value in self._watched:
            if scope.get(name) is not value:
                break
        else:
            if self._watched_key is not None:
                return self._watched_key
        seen = Outside(self.func)
        self._watched, self._watched_key = seen.readings, seen.key if seen.fixed else None
        return seen.key

    def graph_of(self, args, options):
        """The traced graph of a call, its results where the options put them."""
        try:
            self._signature.bind(*args, **options)
        except TypeError as error:
            raise ValueError(f"Invalid arguments for function {self.func.__name__}: {error}") from error
        device = self._device(args, options)
        most = None
        if self.max_grid is not None:
            most = (self.max_grid[1] + 1, self.max_grid[0] + 1)
            if most[0] > device.core_grid.y or most[1] > device.core_grid.x:
                raise ValueError(f"{self.func.__name__}: argument 'max_grid': expected a core within {device.core_grid.x}x{device.core_grid.y}, "
                                 f"found {tuple(self.max_grid)}, the last core of {most[1]}x{most[0]}")
        graph = trace(self.func, device, args, options, limits=limited(), most=most)
        if self.memory_config is not None:
            graph.results = [graph.move(r, self.memory_config) for r in graph.results]
        elif in_blocks():
            graph.results = [graph.move(r, layouts.blocks(r.shape, graph.cores)) for r in graph.results]
        return graph

    def _compile(self, args, options):
        graph = self.graph_of(args, options)
        if self.debug:
            print("---- IR Dump after TracingCompiler (Tracing-based) ----")
            print(self.module_text(graph, locations=False), end="")
        return engine.compile_only(self, graph) if self.compile_only else engine.compile(self, graph)

    def page(self, path, *args, **options):
        """Runs a call on the simulated grid and writes one page of HTML about it: the traced graph, generics before and after
        fusion, the schedule of DST, each core's timeline, and each kernel's C++ beside the lines of Python."""
        from . import inspect as inspected, page

        seen = inspected.run(self, args, **options)
        with open(path, "w", encoding="utf-8") as file:
            file.write(page.html(self, seen))
        return seen.results

    def module_text(self, graph, locations=True):
        """The traced graph as text."""
        made = emit.ttir(graph, laid_out=True, locations=locations) if self.graph_capture else emit.tagged_ttnn(graph, locations=locations)
        return made.text(locations)

    def _device(self, args, options):
        device = None
        for name, value in [*zip(self._signature.parameters, args), *options.items()]:
            if not isinstance(value, ttnn.Tensor):
                continue
            if value.device() is None:
                raise ValueError(f"{self.func.__name__}: argument '{name}': expected a tensor on a device, found one on the host; use ttnn.to_device")
            if not value.device().open:
                raise RuntimeError(f"{self.func.__name__}: argument '{name}': its device has been closed")
            if getattr(value, "given_back", False):
                raise ValueError(f"{self.func.__name__}: argument '{name}': ttnn.deallocate gave its memory back")
            if device is not None and value.device() is not device:
                raise ValueError(f"{self.func.__name__}: argument '{name}': its device is {value.device()}, that of the tensors before {device}")
            device = value.device()
        if device is None:
            raise AssertionError(f"{self.func.__name__}: Device is required: no argument is a tensor on a device")
        return device


def _kind(value):
    """What a compiled program depends on of an argument: metadata of tensors, values of others."""
    if isinstance(value, ttnn.Tensor):
        return value.cache_key
    if isinstance(value, (list, tuple)):
        return (type(value), tuple(map(_kind, value)))
    try:
        hash(value)
    except TypeError:
        return (type(value), id(value), repr(value))
    return (type(value), value)


class Outside:
    """What a function, and functions that it calls, read from globals and closures: `key` to compare, `readings` the names and
    objects behind them (dictionary, name, object); `fixed` if none of these objects can change."""

    def __init__(self, function):
        self.readings, self.fixed, self._seen = [], True, set()
        self.key = tuple(self._of(function))

    def _of(self, function):
        if function in self._seen:
            return
        self._seen.add(function)
        yield function.__code__
        for name in function.__code__.co_names:
            if name in function.__globals__:
                value = function.__globals__[name]
                self.readings.append((function.__globals__, name, value))
                yield from self._value(value)
        for cell in function.__closure__ or ():
            self.fixed = False  # a cell may be given another object
            try:
                yield from self._value(cell.cell_contents)
            except ValueError:
                yield None

    def _value(self, value):
        if isinstance(value, JitFunction):
            value = value.func
        if isinstance(value, types.FunctionType):
            yield from self._of(value)
        elif isinstance(value, (types.ModuleType, ttnn.Tensor, type, types.BuiltinFunctionType)):
            yield id(value)
        else:
            self.fixed = self.fixed and isinstance(value, (int, float, str, bytes, type(None)))
            yield _kind(value)
