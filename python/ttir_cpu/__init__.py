"""Operations of TTIR on tensors of torch, as functions that a program moved to the host call in emitted Python.

    ttir_cpu.add(torch.arange(4, dtype=torch.int32), torch.ones(4, dtype=torch.int32))
    ttir_cpu.sum(x, dim=[0], keepdim=True)

There is one for each operation of TTIR: operands, then its attributes by name; `dim`, `keepdim`, `negative_slope` are torch's names
of some; `dtype` is the results' element type where it is not the first operand's. The library computes them with the element
types of the tensors: integers of 32 bits exactly."""

import contextlib
import functools
import inspect
import os
import re
import sys
import threading

import torch
from tilewright import _core
from ttmlir._native import native as _native

__all__ = []  # the functions are made when they are asked for

# Element types of results by the library's numbers (tw_dtype).
_TORCH = {0: torch.float32, 1: torch.float16, 2: torch.bfloat16, 9: torch.uint32, 10: torch.uint16, 11: torch.uint8, 12: torch.int32,
          13: torch.bool, 14: torch.float64, 15: torch.int8, 16: torch.int16, 17: torch.int64}
_WIDER = {torch.bool: torch.int32, torch.int8: torch.int32, torch.int16: torch.int32, torch.int64: torch.int32, torch.uint8: torch.uint32,
          torch.uint16: torch.uint32, torch.uint64: torch.uint32, torch.float64: torch.float32}
_RENAMED = {"dim": ("dim_arg", "dimension"), "keepdim": ("keep_dim",), "negative_slope": ("parameter",)}


_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_BUILDING = threading.RLock()
_own = {}  # our modules of names that others have, too


def _packages():
    return {name: module for name, module in sys.modules.items() if name.split(".")[0] in ("builder", "golden")}


@contextlib.contextmanager
def _own_builder():
    """`builder` and `golden` are ours inside, also where tt-mlir's are imported: emitted Python runs beside them."""
    with _BUILDING:
        others = _packages()
        foreign = any(not (getattr(m, "__file__", None) or "").startswith(_ROOT + os.sep) for m in others.values())
        if foreign:
            for name in others:
                del sys.modules[name]
            sys.modules.update(_own)
        sys.path.insert(0, _ROOT)
        try:
            yield
        finally:
            sys.path.remove(_ROOT)
            if foreign:
                _own.update(_packages())
                for name in _own:
                    sys.modules.pop(name, None)
                sys.modules.update(others)


@functools.cache
def _rows():
    return {row[0]: row for row in _native._ops("ttir")}


def __getattr__(name):
    row = _rows().get(f"ttir.{name}")
    if row is None or name.startswith("_"):
        raise AttributeError(f"ttir_cpu has no function '{name}': there is no operation ttir.{name}")
    made = globals()[name] = _function(name, [operand for operand, _ in row[1]], [attribute[0] for attribute in row[2]])
    return made


def _function(name, operands, attributes):
    def call(*args, dtype=None, **named):
        if name in ("constant", "full", "zeros", "ones", "empty"):
            return _created(dtype=dtype, **named)
        given = {key if key in attributes else next((k for k in _RENAMED.get(key, ()) if k in attributes), key): value for key, value in named.items()}
        more = iter(attributes)  # behind the operands come attributes
        given |= {operands[i] if i < len(operands) else next(more): value for i, value in enumerate(args)}
        tensors = []

        def placed(value):
            """Tensors become their numbers."""
            if isinstance(value, torch.Tensor):
                tensors.append(value.to(_WIDER.get(value.dtype, value.dtype)).contiguous())
                return _Operand(len(tensors) - 1)
            return tuple(map(placed, value)) if isinstance(value, (list, tuple)) else value

        given = tuple((key, placed(value)) for key, value in given.items() if value is not None)
        ends = tuple((tuple(t.shape), t.dtype) for t in tensors)
        return _program(name, given, ends, _WIDER.get(dtype, dtype))(tensors)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"ttir.{name} on tensors of torch."
    return call


def _created(shape, dtype, fill_value=0, data=None):
    dtype = _WIDER.get(dtype, dtype)
    return torch.full(tuple(shape), fill_value, dtype=dtype) if data is None else torch.tensor(data, dtype=dtype).reshape(tuple(shape))


_METHOD_NAME = re.compile(r"(?<=[a-z])([A-Z])")  # attributes are numericStable, arguments of builder's methods numeric_stable


class _Operand(int):
    """The number of a tensor among a call's."""


@functools.lru_cache(4096)
def _program(name, given, ends, dtype):
    """The compiled operation for operands of these shapes and types."""
    def module(builder):
        @builder.func([shape for shape, _ in ends], [kind for _, kind in ends])
        def f(*operands):
            def value(x):
                return operands[x] if isinstance(x, _Operand) else [value(y) for y in x] if isinstance(x, tuple) else x

            more = {_METHOD_NAME.sub(r"_\1", key).lower(): value(x) for key, x in given}
            if name == "broadcast":  # the result's shape is given
                shape = more["broadcast_dimensions"]
                more["broadcast_dimensions"] = [wanted if have == 1 else 1 for have, wanted in zip(more["input"].type.shape, shape)]
            if dtype is not None:
                more["dtype" if name == "arange" else "output_type"] = dtype
            method = getattr(operands[-1], name)
            parameters = inspect.signature(method).parameters.values()
            if any(p.name == "in0" for p in parameters):  # tt-mlir's name of the first argument of some methods; these may want all operands
                more["in0"] = more.pop("input")
                more = {p.name: None for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD} | more
            return method(**more)

    with _own_builder():
        from builder.base.builder_apis import build_module

        text = str(build_module(module, "ttir")[0])
    program = _core.compile(text, {"name": f"ttir_cpu.{name}"}, None)
    outputs = [(tuple(shape), _TORCH[kind]) for kind, shape in program.signature()[1]]

    def call(tensors):
        results = [torch.empty(shape, dtype=kind) for shape, kind in outputs]
        program.run_memory([_bytes(t) for t in tensors], [_bytes(t) for t in results])
        return results[0] if len(results) == 1 else tuple(results)

    return call


def _bytes(tensor):
    return memoryview(tensor.view(-1).view(torch.uint8).numpy()) if tensor.numel() else memoryview(b"")
