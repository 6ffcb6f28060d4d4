"""Builds StableHLO: values, constants, one method per operation shape.

A `Builder` fills one function of a module (tilewright._core.Module), whose values are numbers; types and attributes are
texts that the module parses once, or numbers. Each operation has the location that is current when it is made, so that the
compiler's messages point at the user's Python line.
"""

import math

import torch

from .. import _engine

# torch element types and their spelling in MLIR; others are unsupported.
MLIR_TYPE = {
    torch.float32: "f32",
    torch.float64: "f64",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.int32: "i32",
    torch.int64: "i64",
    torch.int8: "i8",
    torch.int16: "i16",
    torch.uint8: "ui8",
    torch.bool: "i1",
    torch.complex64: "complex<f32>",
}
TORCH_TYPE = {text: dtype for dtype, text in MLIR_TYPE.items()}
FLOATS = {"f32": (32, 8), "f64": (64, 11), "f16": (16, 5), "bf16": (16, 8)}
INTEGER_BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "ui8": 8, "i1": 1}


class Unsupported(Exception):
    """A row cannot express this use of its operation; the text says why."""


def mlir_type(dtype):
    if dtype not in MLIR_TYPE:
        raise Unsupported(f"element type {dtype} is not supported")
    return MLIR_TYPE[dtype]


def is_float(element):
    return element in FLOATS


class Value:
    """An SSA value: its number in the module, static shape and element type."""

    __slots__ = ("name", "shape", "element", "_type")

    def __init__(self, name, shape, element, type=None):
        self.name, self.shape, self.element, self._type = name, tuple(shape), element, type

    @property
    def type(self):
        if self._type is None:
            self._type = tensor_type(self.shape, self.element)
        return self._type

    @property
    def rank(self):
        return len(self.shape)


def tensor_type(shape, element):
    return "tensor<" + "".join(f"{d}x" for d in shape) + element + ">"


def ints(values):
    return "[" + ", ".join(str(int(v)) for v in values) + "]"


def i64s(values):
    """A dense i64 array attribute."""
    return [int(v) for v in values]


def pairs(low, high):
    """Padding: two numbers for each dimension."""
    return f"dense<[{', '.join(f'[{int(lo)}, {int(hi)}]' for lo, hi in zip(low, high))}]> : tensor<{len(low)}x2xi64>"


def fields(kind, values):
    """A dimension-number attribute; lists without members are left out."""
    text = ", ".join(f"{key} = {ints(v) if isinstance(v, (list, tuple)) else v}"
                     for key, v in values.items() if not isinstance(v, (list, tuple)) or v)
    return f"#stablehlo.{kind}<{text}>"


def float_text(value):
    """A float literal of MLIR, which needs a point."""
    text = repr(float(value))
    if "." not in text:
        text = text.replace("e", ".0e") if "e" in text else text + ".0"
    return text


def scalar_text(value, element):
    """One element as written inside dense<...>."""
    if element == "i1":
        return "true" if value else "false"
    if element == "complex<f32>":
        value = complex(value)
        return f"({scalar_text(value.real, 'f32')}, {scalar_text(value.imag, 'f32')})"
    if not is_float(element):
        demand_fit(element, int(value), int(value))
        return str(int(value))
    value = float(value)
    if math.isfinite(value) and abs(value) <= largest(element):
        return float_text(value)
    width, exponent = FLOATS[element]
    mantissa = width - 1 - exponent
    bits = ((1 << exponent) - 1) << mantissa
    if math.isnan(value):
        bits |= 1 << (mantissa - 1)
    elif value < 0:
        bits |= 1 << (width - 1)
    return f"0x{bits:0{width // 4}X}"


def demand_fit(element, low, high):
    """The device represents 64-bit integers in 32 bits."""
    if element == "i64" and (low < -(2**31) or high >= 2**31):
        number = high if high >= 2**31 else low
        raise Unsupported(f"the integer {number} does not fit the device's 32 bits")


def largest(element):
    return torch.finfo(TORCH_TYPE[element]).max


def held_as(element):
    """The integer type whose range bounds an element on the device."""
    return torch.int32 if element == "i64" else TORCH_TYPE[element]


def lowest(element):
    """The neutral element of maximum."""
    if is_float(element):
        return -math.inf
    if element == "i1":
        return 0
    return torch.iinfo(held_as(element)).min


def highest(element):
    """The neutral element of minimum."""
    if is_float(element):
        return math.inf
    if element == "i1":
        return 1
    return torch.iinfo(held_as(element)).max


def string(text):
    """A string attribute."""
    return text.encode()


class Module:
    """All functions of a program; `made` is the compiler's input."""

    def __init__(self, name):
        self.made = _engine.core().Module()
        self.made.set_name(name)
        self.decompositions = {}


class Builder:
    """The body of one function."""

    def __init__(self, module):
        self.module, self.made = module, module.made
        self.block = self.made.block()
        self.loc = None
        self._apart = None

    # -- making operations --------------------------------------------------------------------

    def argument(self, shape, element):
        """The next argument of the function."""
        type = tensor_type(shape, element)
        return Value(self.made.argument(self.block, type, None), shape, element, type)

    def stand_in(self, shape, element):
        """A value of no function, instead of one that cannot be computed."""
        if self._apart is None:
            self._apart = self.made.block()
        return Value(self.made.argument(self._apart, tensor_type(shape, element), None), shape, element)

    def op(self, name, operands, shape, element, attributes=None, regions=None):
        """Makes one operation with one result."""
        type = tensor_type(shape, element)
        number = self.made.op(self.block, name, tuple([x.name for x in operands]), type, attributes, self.loc, regions)
        return Value(number, shape, element, type)

    def op_many(self, name, operands, types, attributes=None, regions=None):
        """Makes one operation with several results; `types` are (shape, element) pairs."""
        kinds = tuple(tensor_type(*t) for t in types)
        first = self.made.op(self.block, name, tuple(x.name for x in operands), kinds, attributes, self.loc, regions)
        return [Value(first + i, *t) for i, t in enumerate(types)]

    def region(self, elements, build):
        """The block of a region over single elements; `build(builder, *arguments)` returns its results."""
        inner = Builder(self.module)
        inner.loc = self.loc
        results = build(inner, *(inner.argument((), e) for e in elements))
        self.made.op(inner.block, "stablehlo.return", tuple(r.name for r in results), (), None, self.loc)
        return inner.block

    def combining(self, name, element):
        """The region of an operation that combines two elements."""
        return self.region((element, element), lambda c, x, y: [c.op(f"stablehlo.{name}", (x, y), (), element)])

    def finish(self, name, results, private=False, attributes=()):
        """Closes the function and adds it to the module, a public one in front."""
        self.made.op(self.block, "func.return", tuple(r.name for r in results), (), None, None)
        self.made.function(name, self.block, None, {}, list(attributes), private, not private)

    # -- constants --------------------------------------------------------------------------

    def splat(self, value, shape, element):
        return self.op("stablehlo.constant", (), shape, element,
                       {"value": f"dense<{scalar_text(value, element)}> : {tensor_type(shape, element)}"})

    def scalar(self, value, element):
        return self.splat(value, (), element)

    def literal(self, tensor):
        """A tensor's value as a constant."""
        tensor = tensor.detach().cpu().contiguous()
        element, shape = mlir_type(tensor.dtype), tuple(tensor.shape)
        flat = tensor.reshape(-1)
        if element == "i64" and flat.numel():
            demand_fit(element, int(flat.min()), int(flat.max()))
        if flat.numel() and bool((flat == flat[0]).all()):
            return self.splat(flat[0].item(), shape, element)
        type = tensor_type(shape, element)
        value = (type, bytes(flat.view(torch.uint8).numpy())) if flat.numel() else f"dense<> : {type}"
        return self.op("stablehlo.constant", (), shape, element, {"value": value})

    # -- element-wise -----------------------------------------------------------------------

    def unary(self, name, x):
        if name == "abs" and x.element == "ui8":
            return x
        return self.op(f"stablehlo.{name}", (x,), x.shape, x.element)

    def function(self, name, *operands):
        """A CHLO function of operands of one type."""
        x = operands[0]
        return self.op(f"chlo.{name}", operands, x.shape, x.element)

    def binary(self, name, x, y):
        assert x.type == y.type, (name, x.type, y.type)
        return self.op(f"stablehlo.{name}", (x, y), x.shape, x.element)

    def add(self, x, y):
        return self.binary("add", x, self.like(y, x))

    def sub(self, x, y):
        return self.binary("subtract", x, self.like(y, x))

    def mul(self, x, y):
        return self.binary("multiply", x, self.like(y, x))

    def div(self, x, y):
        return self.binary("divide", x, self.like(y, x))

    def like(self, value, other):
        """`value` (a Value or a number) with the shape and element type of `other`."""
        return self.lift(value, other.shape, other.element)

    def lift(self, value, shape, element):
        if isinstance(value, Value):
            return self.broadcast(self.convert(value, element), shape)
        return self.splat(value, shape, element)

    def compare(self, direction, x, y, kind=None):
        kind = kind or "FLOAT" if is_float(x.element) else "UNSIGNED" if x.element in ("i1", "ui8") else "SIGNED"
        return self.op("stablehlo.compare", (x, y), x.shape, "i1",
                       {"comparison_direction": f"#stablehlo<comparison_direction {direction}>",
                        "compare_type": f"#stablehlo<comparison_type {kind}>"})

    def select(self, pred, x, y):
        return self.op("stablehlo.select", (pred, x, y), x.shape, x.element)

    def convert(self, x, element):
        if x.element == element:
            return x
        if element == "i1":
            return self.compare("NE", x, self.splat(0, x.shape, x.element))
        return self.op("stablehlo.convert", (x,), x.shape, element)

    # -- shape ------------------------------------------------------------------------------

    def reshape(self, x, shape):
        shape = tuple(shape)
        if x.shape == shape:
            return x
        return self.op("stablehlo.reshape", (x,), shape, x.element)

    def transpose(self, x, order):
        order = [d % x.rank for d in order]
        if order == list(range(x.rank)):
            return x
        shape = [x.shape[d] for d in order]
        return self.op("stablehlo.transpose", (x,), shape, x.element, {"permutation": i64s(order)})

    def broadcast_in_dim(self, x, shape, dims):
        return self.op("stablehlo.broadcast_in_dim", (x,), shape, x.element, {"broadcast_dimensions": i64s(dims)})

    def broadcast(self, x, shape):
        """NumPy's rule: align at the last dimension."""
        shape = tuple(shape)
        if x.shape == shape:
            return x
        return self.broadcast_in_dim(x, shape, range(len(shape) - x.rank, len(shape)))

    def slice(self, x, starts, limits, strides=None):
        strides = strides or [1] * x.rank
        if list(starts) == [0] * x.rank and tuple(limits) == x.shape and set(strides) <= {1}:
            return x
        shape = [max(0, -(-(b - a) // s)) for a, b, s in zip(starts, limits, strides)]
        return self.op("stablehlo.slice", (x,), shape, x.element,
                       {"start_indices": i64s(starts), "limit_indices": i64s(limits), "strides": i64s(strides)})

    def slice_dim(self, x, dim, start, limit, stride=1):
        starts, limits, strides = [0] * x.rank, list(x.shape), [1] * x.rank
        starts[dim], limits[dim], strides[dim] = start, max(start, limit), stride
        return self.slice(x, starts, limits, strides)

    def concat(self, xs, dim):
        if len(xs) == 1:
            return xs[0]
        shape = list(xs[0].shape)
        shape[dim] = sum(x.shape[dim] for x in xs)
        return self.op("stablehlo.concatenate", xs, shape, xs[0].element, {"dimension": int(dim)})

    def iota(self, shape, dim, element):
        return self.op("stablehlo.iota", (), shape, element, {"iota_dimension": int(dim)})

    def pad(self, x, value, low, high, interior=None):
        interior = interior or [0] * x.rank
        if not any(low) and not any(high) and not any(interior):
            return x
        shape = [
            lo + n + max(n - 1, 0) * i + hi for n, lo, hi, i in zip(x.shape, low, high, interior)
        ]
        if not isinstance(value, Value):
            value = self.scalar(value, x.element)
        return self.op("stablehlo.pad", (x, value), shape, x.element,
                       {"edge_padding_low": i64s(low), "edge_padding_high": i64s(high), "interior_padding": i64s(interior)})

    def reverse(self, x, dims):
        return self.op("stablehlo.reverse", (x,), x.shape, x.element, {"dimensions": i64s(dims)})

    # -- reductions, windows, contractions --------------------------------------------------

    def reduce(self, name, x, dims, init, keep=False):
        """Reduces by one operation; `init` is its neutral element."""
        dims = sorted(d % x.rank for d in dims) if x.rank else []
        shape = [n for d, n in enumerate(x.shape) if d not in dims]
        out = x
        if dims:
            start = self.scalar(init, x.element)
            out = self.op("stablehlo.reduce", (x, start), shape, x.element, {"dimensions": i64s(dims)},
                          (self.combining(name, x.element),))
        if keep:
            out = self.reshape(out, [1 if d in dims else n for d, n in enumerate(x.shape)])
        return out

    def keep_dims(self, reduced, shape, dims):
        """Broadcasts a reduced value back over the reduced dimensions."""
        return self.broadcast_in_dim(
            reduced, shape, [d for d in range(len(shape)) if d not in set(dims)]
        )

    def reduce_window(self, name, x, init, window, strides, low, high, dilations=None):
        dilations = dilations or [1] * x.rank
        shape = [
            (n + lo + hi - (d * (w - 1) + 1)) // s + 1
            for n, lo, hi, w, d, s in zip(x.shape, low, high, window, dilations, strides)
        ]
        start = self.scalar(init, x.element)
        return self.op("stablehlo.reduce_window", (x, start), shape, x.element,
                       {"base_dilations": [1] * x.rank, "padding": pairs(low, high), "window_dilations": i64s(dilations),
                        "window_dimensions": i64s(window), "window_strides": i64s(strides)}, (self.combining(name, x.element),))

    def dot(self, x, y, contract, batch=((), ())):
        """dot_general: batch dimensions first, then the free ones of x, then those of y."""
        (xc, yc), (xb, yb) = contract, batch
        shape = (
            [x.shape[d] for d in xb]
            + [n for d, n in enumerate(x.shape) if d not in xb and d not in xc]
            + [n for d, n in enumerate(y.shape) if d not in yb and d not in yc]
        )
        numbers = {"lhs_batching_dimensions": xb, "rhs_batching_dimensions": yb, "lhs_contracting_dimensions": xc,
                   "rhs_contracting_dimensions": yc}
        return self.op("stablehlo.dot_general", (x, y), shape, x.element,
                       {"dot_dimension_numbers": fields("dot", {key: list(v) for key, v in numbers.items()})})

    def convolution(self, x, kernel, layout, shape, stride, pads, lhs_dilate, rhs_dilate, groups):
        return self.op("stablehlo.convolution", (x, kernel), shape, x.element,
                       {"dimension_numbers": f"#stablehlo.conv<{layout}>", "window_strides": i64s(stride),
                        "padding": pairs(*zip(*pads)), "lhs_dilation": i64s(lhs_dilate), "rhs_dilation": i64s(rhs_dilate),
                        "batch_group_count": 1, "feature_group_count": int(groups)})

    # -- indexed access ---------------------------------------------------------------------

    def gather(self, x, indices, dims, slice_sizes, shape):
        """`dims` are the fields of #stablehlo.gather in their written order."""
        return self.op("stablehlo.gather", (x, indices), shape, x.element,
                       {"dimension_numbers": fields("gather", dims), "indices_are_sorted": False, "slice_sizes": i64s(slice_sizes)})

    def scatter(self, x, indices, updates, dims, combine=None):
        """Writes `updates` into `x`; `combine` names the combining operation, None replaces."""
        def body(c, old, new):
            return [new if combine is None else c.op(f"stablehlo.{combine}", (old, new), (), x.element)]

        return self.op("stablehlo.scatter", (x, indices, updates), x.shape, x.element,
                       {"indices_are_sorted": False, "scatter_dimension_numbers": fields("scatter", dims), "unique_indices": False},
                       (self.region((x.element, x.element), body),))

    def sort(self, keys, payload, dim, descending):
        """Stable sort of `keys`, which moves `payload` along."""
        body = self.region((keys.element, keys.element, payload.element, payload.element),
                           lambda c, x, y, i, j: [c.compare("GT" if descending else "LT", x, y)])
        return self.op_many("stablehlo.sort", (keys, payload), [(keys.shape, keys.element), (payload.shape, payload.element)],
                            {"dimension": int(dim), "is_stable": True}, (body,))

    # -- composites -------------------------------------------------------------------------

    def composite(self, name, operands, attributes, build):
        """A named operation with its decomposition, written by `build(builder, *arguments)` and inlined by compilers
        that do not know the name. Equal ones share it."""
        attributes = ", ".join(f"{key} = {value}" for key, value in sorted(attributes.items()))
        key = (name, tuple(o.type for o in operands), attributes)
        found = self.module.decompositions.get(key)
        if found is None:
            label = f"{name.rsplit('.')[-1]}_{len(self.module.decompositions)}"
            inner = Builder(self.module)
            inner.loc = self.loc
            results = build(inner, *(inner.argument(o.shape, o.element) for o in operands))
            results = list(results) if isinstance(results, (list, tuple)) else [results]
            inner.finish(label, results, private=True)
            found = label, [(r.shape, r.element) for r in results]
            self.module.decompositions[key] = found
        label, types = found
        results = self.op_many("stablehlo.composite", operands, types,
                               {"name": string(name), "composite_attributes": f"{{{attributes}}}", "decomposition": f"@{label}"})
        return results[0] if len(results) == 1 else results
