"""The one place where compiled programs cross into the C library.

`compile(text, options)` gives a program object with

    set_constant(index, tensor)   argument `index` is this tensor from now on
    run(inputs, outputs)          `inputs`: one tensor an argument, None where a constant is set;
                                  `outputs`: tensors to be written

Tensors are contiguous and on the host; only their addresses cross.
"""

import collections

_compile = None
_cache = collections.Counter()


def cache_info():
    """How often in this process the cache folder had a program (hit), had none and has it now
    (miss), had a damaged file that was thrown away and written again (discarded), or could not be
    written (not_kept)."""
    return {use: _cache[use] for use in ("hit", "miss", "discarded", "not_kept")}


def set_engine(function):
    """Use another engine (tests run programs on an independent one). Returns the former one."""
    global _compile
    former, _compile = _compile, function
    return former


def compile(text, options=None):
    return (_compile or native_compile)(text, options)


def native_compile(text, options=None):
    """The library's own compiler."""
    import torch

    program = core().compile(text, options or {}, torch.Tensor.__dlpack_c_exchange_api__)
    _cache[program.cache_use()] += 1
    return program


def refusals():
    """The exceptions of a program that the compiler does not take; limits of the device and of files are others."""
    return NotImplementedError, core().Refused


def fingerprint(tensor):
    """A number that changes with the tensor's values, whoever wrote them: large ones are looked
    at in places 2 KiB apart."""
    import torch

    return core().fingerprint(tensor, torch.Tensor.__dlpack_c_exchange_api__)


def extremes(tensor):
    """The least and the greatest of a tensor's integers, of which there is one."""
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
