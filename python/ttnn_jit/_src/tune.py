"""A compiled function whose options are chosen: those whose kernels take the fewest cycles on the simulated grid."""

import hashlib
import os

import numpy
import ttnn
from tilewright import __version__, sim, tuning

from . import engine
from .jit import JitFunction

WHO = "ttnn_jit.autotune"
FLAGS = ("max_grid", "math_fidelity", "memory_config", "extra_pipeline_options")
# By how much results of candidates may differ, as a part of the largest value: f32 passes the matrix unit and the reducer as TF32,
# the others round sums in another order. Integers are equal.
BOUNDS = {ttnn.DataType.FLOAT32: 2e-3, ttnn.DataType.FLOAT16: 2.0**-8, ttnn.DataType.BFLOAT16: 2.0**-6, ttnn.DataType.BFLOAT8_B: 2.0**-5,
          ttnn.DataType.BFLOAT4_B: 2.0**-2}


def decorator(share, verbose, cache, choices):
    """What ttnn_jit.autotune returns."""
    tuning.check_lists(WHO, "max_grid=[...], num_stream_buffers=[...]", share, choices)

    def decorate(function):
        if type(function) is not JitFunction:
            raise TypeError(f"@{WHO}(...) is written above @ttnn_jit.jit(...)")
        return TunedFunction(function, choices, share, verbose, cache)

    return decorate


def option(name, value):
    """A pipeline's option: `num_stream_buffers=2` is num-stream-buffers=2."""
    if isinstance(value, bool):
        value = str(value).lower()
    elif isinstance(value, (list, tuple)):
        value = ",".join(map(str, value))
    return f"{name.replace('_', '-')}={value}"


class TunedFunction(tuning.Tuned, JitFunction):
    """A JitFunction that compiles the candidate that was chosen for a call's metadata. `choices` maps metadata to values."""

    who, thing, widest = WHO, "function", None  # grids larger than a shape fills are equal

    def __init__(self, function, choices, share, verbose, cache):
        JitFunction.__init__(self, function.func, **function.flags)
        self.fusion = function.fusion
        self.start_tuning(choices, share, verbose, cache)
        self._check()

    def _check(self):
        """Errors for candidates that are never right, where the function is decorated."""
        for name, values in self.lists.items():
            for value in values:
                if name in FLAGS:
                    self.variant({name: value})
        options = [option(name, value) for name, values in self.lists.items() if name not in FLAGS for value in values]
        if not options:
            return
        from ttmlir import ir
        from ttmlir.passmanager import PassManager

        with ir.Context():
            for text in options:
                try:
                    PassManager.parse(f"builtin.module(ttir-to-ttmetal-pipeline{{{text}}})")
                except Exception as error:
                    raise ValueError(f"{WHO}: {text}: {error}; its lists are {', '.join(FLAGS)} and options of that pipeline") from error

    def variant(self, values):
        """The function with a candidate's values."""
        flags = {**self.flags, "enable_cache": False, **{name: value for name, value in values.items() if name in FLAGS}}
        more = [option(name, value) for name, value in values.items() if name not in FLAGS and value is not None]
        flags["extra_pipeline_options"] = " ".join(filter(None, [flags["extra_pipeline_options"], *more]))
        made = JitFunction(self.func, **flags)
        made.fusion = self.fusion
        return made

    def best(self, *args, **options):
        """The function with the values that are chosen for such a call; without kernels (the host's engine) as it is written."""
        self.graph_of(args, options)  # its errors are the caller's, not a candidate's
        if engine.chosen() == "host" and not self.compile_only:
            return self.variant({})
        values = self.choice(self.key_of(args, options), args, options)
        return self.variant(values)

    def _compile(self, args, options):
        return self.best(*args, **options)._compile(args, options)

    def page(self, path, *args, **options):
        """As JitFunction's, of what was chosen."""
        with engine.on_the_grid(TTNN_JIT_ROUNDING="dst"):
            chosen = self.best(*args, **options)
        return chosen.page(path, *args, **options)

    # ---- measuring ----

    def written(self):
        return {name: getattr(self, name) if name in FLAGS else None for name in self.lists}

    def measure(self, candidate, args, kwargs, wanted):
        """Runs a candidate on the grid; `wanted`: the results to compare with, or None. Returns its results."""
        function = self.variant(candidate.values)
        function.debug = False
        launches, observe = [], sim._core().grid_observe
        observe(launches)
        try:
            program = engine.GridProgram(function, function.graph_of(args, kwargs))
            made = program.run(tuple(v for v in (*args, *kwargs.values()) if isinstance(v, ttnn.Tensor)))
            results = [(_numbers(t), BOUNDS.get(t.dtype, 0)) for t in (made if program.many else (made,))]
        except MemoryError:
            raise
        except Exception as error:
            candidate.why = tuning.first_line(error)
            return None
        finally:
            observe(None)
        if wanted is not None and any(not _close(a, b, bound) for (a, bound), (b, _) in zip(results, wanted)):
            candidate.why = "other results than the function as it is written"
            return None
        if not launches:
            candidate.why = "no kernel"
            return None
        candidate.cycles = sum(launch[2] for launch in launches)
        return results

    def name_of(self, key, args, kwargs):
        """Names function, lists and arguments in the file: the module that is compiled says all of these but the options."""
        graph, flags = self.graph_of(args, kwargs), {name: value for name, value in self.flags.items() if name in FLAGS or name == "compile_only"}
        text = repr((__version__, os.environ.get("SYSTEM_DESC_PATH"), graph.device.core_grid.y, graph.device.core_grid.x, engine.rounds_in_dst(), flags,
                     self.lists, self.module_text(graph, locations=False)))
        return f"{self.__name__}-{hashlib.sha256(text.encode()).hexdigest()[:24]}"


def _numbers(tensor):
    values = tensor.to_torch()
    return (values.double() if values.is_floating_point() else values).numpy()


def _close(a, b, bound):
    """True if results agree within a part of the largest finite value."""
    if bound == 0:
        return bool(numpy.array_equal(a, b))
    same = (a == b) | (numpy.isnan(a) & numpy.isnan(b))
    finite = numpy.isfinite(b)
    largest = numpy.abs(b[finite]).max(initial=0)
    with numpy.errstate(invalid="ignore"):
        return bool((same | (numpy.abs(a - b) <= bound * largest)).all())
