"""The traced graph of a function as a module of MLIR, under tt-mlir's name."""

import inspect

from . import emit
from .trace import trace
from .utils import get_core_grid_from_tensor_args


def generate_ir(function, debug, memory_config, *args, _tensor_args=None, **options):
    """(module, type of the first result) of a function traced for these arguments; memory_config: that of the results, None for the
    operands'. The module is of Python's IR and verified; `debug` prints it. _tensor_args: the tensors by name, if they are not all of
    the arguments that are tensors."""
    from ttmlir import ir

    named = _tensor_args or dict(zip(inspect.signature(function).parameters, args))
    get_core_grid_from_tensor_args(named)  # an error without a tensor
    graph = trace(function, next(iter(named.values())).device(), args, options)
    if memory_config is not None:
        graph.results = [graph.move(r, memory_config) for r in graph.results]
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(emit.ttir(graph, laid_out=True).text(True))
        if debug:
            print(f"---- IR Dump after TracingCompiler (Tracing-based) ----\n{module}")
        module.operation.verify()
        result, = [op for op in module.body.operations][-1:]
        return module, result.function_type.value.results[0]
