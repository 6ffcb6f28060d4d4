"""Functions of TTIR that a program moved to the host (ttir.should_hoist), as emitted Python calls them.

    double = ttir_cpu.function('func.func @f(%x: tensor<4xi32>) -> tensor<4xi32> { ... }')
    double(torch.arange(4, dtype=torch.int32))

They compute with the element types that the text names: integers of 32 bits exactly."""

from tilewright import _core
from tilewright.sim import DTYPES

__all__ = ["function"]

_TORCH = {"f32": "float32", "bf16": "bfloat16", "f16": "float16", "si32": "int32", "u32": "uint32"}
_functions = {}


def function(text):
    """The first function of a text of TTIR, from tensors of torch to one, or to a tuple where it has several results."""
    found = _functions.get(text)
    if found is None:
        found = _functions[text] = _make(text)
    return found


def _make(text):
    import torch

    dtypes = {DTYPES[name]: getattr(torch, known) for name, known in _TORCH.items()}
    program = _core.compile(text, {"name": "a function of the host"}, None)
    inputs, outputs = program.signature()

    def bytes_of(tensor):
        return memoryview(tensor.contiguous().view(-1).view(torch.uint8).numpy()) if tensor.numel() else memoryview(b"")

    def call(*tensors):
        if len(tensors) != len(inputs):
            raise TypeError(f"a function of the host takes {len(inputs)} tensors, got {len(tensors)}")
        given = []
        for i, (tensor, (dtype, shape)) in enumerate(zip(tensors, inputs)):
            if tuple(tensor.shape) != tuple(shape):
                raise ValueError(f"a function of the host, argument {i}: expected a tensor of shape {tuple(shape)}, found {tuple(tensor.shape)}")
            given.append(tensor.to(dtypes[dtype]).contiguous())
        results = [torch.empty(tuple(shape), dtype=dtypes[dtype]) for dtype, shape in outputs]
        program.run_memory([bytes_of(t) for t in given], [bytes_of(t) for t in results])
        return results[0] if len(results) == 1 else tuple(results)

    return call
