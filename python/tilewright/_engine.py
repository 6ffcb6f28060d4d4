"""The only module that passes compiled programs to the C library.

`compile(program, options)` takes a module (tilewright._core.Module), or a text, and gives a program object with

    set_constant(index, tensor)   binds argument `index` to this tensor
    run(inputs, outputs)          `inputs`: one tensor an argument, None where a constant is set;
                                  `outputs`: tensors to be written

Tensors are contiguous and on the host; only their addresses are passed.
"""

import collections
import functools
import pathlib

_compile = None
_cache = collections.Counter()


def cache_info():
    """Counters of the program cache in this process: found (hit), compiled and stored (miss), damaged files replaced
    (discarded), not writable (not_kept)."""
    return {use: _cache[use] for use in ("hit", "miss", "discarded", "not_kept")}


def set_engine(function):
    """Replaces the engine (tests run programs on an independent one). Returns the former one."""
    global _compile
    former, _compile = _compile, function
    return former


def compile(program, options=None):
    return (_compile or native_compile)(program, options)


def native_compile(program, options=None):
    """The library's own compiler, which takes a module over."""
    import torch

    share_threads()
    compiled = core().compile(program, options or {}, torch.Tensor.__dlpack_c_exchange_api__)
    _cache[compiled.cache_use()] += 1
    return compiled


@functools.cache
def share_threads():
    """Lets programs run on the threads that torch has for its own operators, where its OpenMP library is known: else
    two sets of threads wait, spinning, for the same processors."""
    import torch

    folder = pathlib.Path(torch.__file__).parent / "lib"
    return any(core().use_openmp(str(path)) for path in folder.glob("lib*omp*.so*"))


def text_of(program):
    """What `compile` was given as text."""
    return program if isinstance(program, str) else program.text(True)


def refusals():
    """The exceptions raised for programs that the compiler does not support; limits of the device and of files raise
    others."""
    return NotImplementedError, core().Refused


def fingerprint(tensor):
    """A hash that changes with the tensor's values, whatever wrote them: large tensors are sampled every 2 KiB."""
    import torch

    return core().fingerprint(tensor, torch.Tensor.__dlpack_c_exchange_api__)


def extremes(tensor):
    """The minimum and maximum of a non-empty tensor of integers."""
    import torch

    found = core().extremes(tensor, torch.Tensor.__dlpack_c_exchange_api__)
    return tuple(int(v) for v in torch.aminmax(tensor)) if found is None else found


def core():
    try:
        from . import _core
    except ImportError as error:
        raise ImportError(
            "Cannot find TT-MLIR toolchain: tilewright's extension module is missing "
            f"({error}). Run `make`, or `pip install .`"
        ) from error
    return _core
