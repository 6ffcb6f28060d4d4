"""Emitted programs: Python of ttmlir-translate --mlir-to-python and C++ of --mlir-to-cpp, loaded and called.

    from ttrt import emitted
    outputs = emitted.execute_py(source)["main"]                # with the inputs that the source makes
    outputs = emitted.execute_py(source, {"main": [x, y]})["main"]  # with these tensors of torch

Both compute what a run of the same program's .ttnn file computes, bit for bit.
"""

import contextlib
import itertools
import sys
import types

import ttnn

__all__ = ["load_py", "programs", "execute_py"]

_INPUTS = "create_inputs_for_"
_number = itertools.count()


@contextlib.contextmanager
def _support():
    """Lets `import utils` find what emitted Python means by it."""
    from ttnn import _emitted

    former = sys.modules.get("utils")
    sys.modules["utils"] = _emitted
    try:
        yield
    finally:
        if former is None:
            del sys.modules["utils"]
        else:
            sys.modules["utils"] = former


def load_py(source, name=None):
    """The module of an emitted source; `name` is the file in its tracebacks."""
    name = name or f"<emitted {next(_number)}>"
    module = types.ModuleType(f"ttrt.emitted.{name}")
    code = compile(source, name, "exec")
    with _support():
        exec(code, module.__dict__)
    return module


def programs(module):
    """The names of an emitted module's programs, in the order of the source."""
    return [name for name, value in vars(module).items() if callable(value) and _INPUTS + name in vars(module)]


def _as(template, value, what):
    """A tensor of torch with the type, layout and memory of the one that the source makes."""
    if isinstance(value, ttnn.Tensor):
        return value
    if tuple(value.shape) != template.shape:
        raise ValueError(f"{what}: expected a tensor of shape {template.shape}, found {tuple(value.shape)}")
    return ttnn.from_torch(value, dtype=template.dtype, layout=template.layout, device=template.device(),
                           memory_config=template.memory_config())


def _arguments(made, given, program):
    if given is None:
        return made
    if len(given) != len(made):
        raise ValueError(f"program '{program}': expected {len(made)} inputs, found {len(given)}")
    return [_as(template, value, f"program '{program}', input {i}") for i, (template, value) in enumerate(zip(made, given))]


def _run(names, inputs, create, call):
    """{program: outputs as tensors of torch}"""
    inputs = inputs or {}
    unknown = [name for name in inputs if name not in names]
    if unknown:
        raise ValueError(f"there is no program '{unknown[0]}'; there are {', '.join(names) or 'none'}")
    if not names:
        raise ValueError(f"the source has no program: a function NAME with a function {_INPUTS}NAME")
    out = {}
    for name in names:
        results = call(name, _arguments(create(name), inputs.get(name), name))
        out[name] = [ttnn.to_torch(result) for result in results]
    return out


def execute_py(source, inputs=None, name=None):
    """Runs each program of an emitted Python source. `inputs`: {program: tensors of torch or ttnn}; a program that it
    does not name runs with the inputs that the source makes. Returns {program: outputs as tensors of torch}."""
    module = load_py(source, name)

    def call(program, arguments):
        results = getattr(module, program)(arguments)
        return results if isinstance(results, (list, tuple)) else [results]

    return _run(programs(module), inputs, lambda program: getattr(module, _INPUTS + program)(), call)
