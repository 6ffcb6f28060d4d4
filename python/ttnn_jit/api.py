"""The decorators."""

import ttnn

from ._src import tune
from ._src.jit import JitFunction


def jit(*, enable_cache=False, graph_capture=True, math_fidelity=ttnn.MathFidelity.HiFi4, debug=False, compile_only=False,
        backend="ttnn", max_grid=None, memory_config=None, fallback=False, extra_pipeline_options=""):
    """Compiles the decorated function of ttnn operations.

    enable_cache: keep what was compiled, by the arguments' metadata (`num_entries`, `cache`).
    graph_capture: True traces to TTIR; False writes the TTNN module of the older route, operations tagged for D2M.
    math_fidelity: of the matrix unit, where the program runs on the grid.
    debug: print the IR after each step.
    compile_only: leave IR, binary and kernels in generated/jit/NAME and return the module; nothing runs.
    backend: "ttnn", the only one.
    max_grid: the last core (column, row) that may be used; (7, 7) is 8x8. None: the chip's.
    memory_config: of the results; None: that of the first operand (matmul: blocks in L1).
    fallback: run the plain function where it cannot be compiled.
    extra_pipeline_options: further options of ttir-to-ttmetal-pipeline.
    Errors: ValueError, TypeError for options and arguments that do not fit; AssertionError for functions that are not
    supported; RuntimeError where the compiler refuses the program.
    """

    def decorate(function):
        return JitFunction(function, enable_cache=enable_cache, graph_capture=graph_capture, math_fidelity=math_fidelity, debug=debug,
                           compile_only=compile_only, backend=backend, max_grid=max_grid, memory_config=memory_config,
                           fallback=fallback, extra_pipeline_options=extra_pipeline_options)

    return decorate


def autotune(*, share=0.1, verbose=True, cache=None, **choices):
    """Above `jit`: chooses a function's options, once for the metadata of a call, by the cycles of its kernels on the simulated grid.

        @ttnn_jit.autotune(max_grid=[(0, 0), (3, 3), (7, 7)], num_stream_buffers=[1, 2, 4])
        @ttnn_jit.jit(enable_cache=True)
        def f(x, y):

    choices: lists, each from small to large: of `max_grid`, `math_fidelity`, `memory_config`, `extra_pipeline_options`, or of an option of
    ttir-to-ttmetal-pipeline, with underscores. Candidates are their product. share, verbose, cache: as in ttl.autotune.
    The choice holds where kernels are made: with TILEWRIGHT_ENGINE=grid, and with compile_only.
    Candidates with an error, and those with other results than the function as it is written, are left out.
    Errors: TypeError, ValueError for lists that do not fit; RuntimeError where no candidate runs.
    """
    return tune.decorator(share, verbose, cache, choices)
