"""A program of one TTNN operation, run on numpy arrays; bf16 arrays are of class Brain."""

import numpy as np

import native

NAMES = {np.dtype(np.float32): "f32", np.dtype(np.int32): "si32", np.dtype(np.uint16): "ui16", np.dtype(np.uint32): "ui32",
         np.dtype(np.uint8): "ui8"}
RNG = np.random.default_rng(7)


def real(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def whole(high, *shape):
    return RNG.integers(0, high, shape).astype(np.int32)


class Brain(np.ndarray):
    """bf16 values, held as their bits."""


def brain(x):
    return (np.ascontiguousarray(x, np.float32).view(np.uint32) >> 16).astype(np.uint16).view(Brain)


def unbrain(x):
    return (np.asarray(x).astype(np.uint32) << 16).view(np.float32)


def element_of(a):
    return "bf16" if isinstance(a, Brain) else NAMES[a.dtype]


def type_of(shape, element):
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def tiled(shape):
    """bf16 in tiles, interleaved in DRAM."""
    rows, columns = int(np.prod(shape[:-2])) * -(-shape[-2] // 32), -(-shape[-1] // 32)
    height = shape[-2] + -shape[-2] % 32
    return (f"tensor<{'x'.join(map(str, shape))}xbf16, #ttnn.ttnn_layout<(d0, d1, d2, d3) -> "
            f"(d0 * {shape[1] * height} + d1 * {height} + d2, d3), <1x1>, "
            f"memref<{rows}x{columns}x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>>")


def run(op, inputs, outputs, attrs="", results=None, elements=()):
    """outputs: shape and element of each result; results: the values returned instead; elements: of the first inputs,
    where the arrays' types are ambiguous."""
    elements = [*elements, *map(element_of, inputs[len(elements):])]
    types = [type_of(a.shape, e) for a, e in zip(inputs, elements)]
    outs = [type_of(*o) for o in outputs]
    returned = results or [(f"%r#{i}" if len(outs) > 1 else "%r", t) for i, t in enumerate(outs)]
    bind = "" if not outs else f"%r{f':{len(outs)}' if len(outs) > 1 else ''} = "
    names = [f"%a{i}" for i in range(len(inputs))]
    text = (f"func.func @main({', '.join(f'{n}: {t}' for n, t in zip(names, types))})"
            f" -> ({', '.join(t for _, t in returned)}) {{\n"
            f"  {bind}\"ttnn.{op}\"({', '.join(names)}) <{{{attrs}}}> : ({', '.join(types)}) -> ({', '.join(outs)})\n"
            f"  return {', '.join(n for n, _ in returned)} : {', '.join(t for _, t in returned)}\n}}\n")
    return native.Program(text)(*inputs)


def in_place(op, inputs, attrs=""):
    return run(op, inputs, [], attrs, [("%a0", type_of(inputs[0].shape, element_of(inputs[0])))])[0]


def segments(*counts):
    return f"operandSegmentSizes = array<i32: {', '.join(map(str, counts))}>"
