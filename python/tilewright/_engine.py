"""The one place where compiled programs cross into the C library.

`compile(text, options)` gives a program object with

    set_constant(index, tensor)   argument `index` is this tensor from now on
    run(inputs, outputs)          `inputs`: one tensor an argument, None where a constant is set;
                                  `outputs`: tensors to be written

Tensors are contiguous and on the host; only their addresses cross.
"""

_compile = None


def set_engine(function):
    """Use another engine (tests run programs on an independent one). Returns the former one."""
    global _compile
    former, _compile = _compile, function
    return former


def compile(text, options=None):
    return (_compile or native_compile)(text, options)


def native_compile(text, options=None):
    """The library's own compiler."""
    try:
        from . import _core
    except ImportError as error:
        raise ImportError(
            "Cannot find TT-MLIR toolchain: tilewright's extension module is missing "
            f"({error}). Run `make`, or `pip install .`"
        ) from error
    import torch

    return _core.compile(text, options or {}, torch.Tensor.__dlpack_c_exchange_api__)
