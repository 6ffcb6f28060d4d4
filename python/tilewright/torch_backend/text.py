"""Writes StableHLO text: values, constants, one method per operation shape.

A `Builder` holds one function's lines; `Module` holds the functions. Each operation is written in its declarative
form where it has one and in the generic form otherwise, with the location that is current when it is written, so that
the compiler's messages point at the user's Python line.
"""

import math
import struct

import torch

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
    """An SSA value: its name, static shape and element type."""

    __slots__ = ("name", "shape", "element")

    def __init__(self, name, shape, element):
        self.name, self.shape, self.element = name, tuple(shape), element

    @property
    def type(self):
        return tensor_type(self.shape, self.element)

    @property
    def rank(self):
        return len(self.shape)


def tensor_type(shape, element):
    return "tensor<" + "".join(f"{d}x" for d in shape) + element + ">"


def ints(values):
    return "[" + ", ".join(str(int(v)) for v in values) + "]"


def i64s(values):
    """A dense i64 array attribute."""
    values = list(values)
    return "array<i64" + (": " + ", ".join(str(int(v)) for v in values) if values else "") + ">"


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


def quote(text):
    out = []
    for byte in text.encode():
        char = chr(byte)
        out.append(char if 32 <= byte < 127 and char not in '"\\' else f"\\{byte:02X}")
    return '"' + "".join(out) + '"'


class Module:
    """All functions of a program; `text()` is the compiler's input."""

    def __init__(self, name):
        self.name = name
        self.functions = []
        self.decompositions = {}

    def text(self):
        return f"module @{self.name} {{\n" + "".join(self.functions) + "}\n"


class Builder:
    """The body of one function."""

    def __init__(self, module):
        self.module = module
        self.lines = []
        self.count = 0
        self.loc = "loc(unknown)"

    # -- writing lines ----------------------------------------------------------------------

    def fresh(self, shape, element):
        self.count += 1
        return Value(f"%{self.count - 1}", shape, element)

    def op(self, text, shape, element):
        """Writes one operation with one result."""
        out = self.fresh(shape, element)
        self.lines.append(f"    {out.name} = {text} {self.loc}\n")
        return out

    def op_many(self, text, types):
        """Writes one operation with several results; `types` are (shape, element) pairs."""
        if len(types) == 1:
            return [self.op(text, *types[0])]
        name = f"%{self.count}"
        self.count += 1
        self.lines.append(f"    {name}:{len(types)} = {text} {self.loc}\n")
        return [Value(f"{name}#{i}", s, e) for i, (s, e) in enumerate(types)]

    def finish(self, name, arguments, results, private=False, attributes=None):
        """Closes the function and adds it to the module."""
        attributes = attributes or [""] * len(arguments)
        heads = ", ".join(f"{a.name}: {a.type}{t}" for a, t in zip(arguments, attributes))
        types = ", ".join(r.type for r in results)
        names = ", ".join(r.name for r in results)
        self.module.functions.append(
            f"  func.func {'private ' if private else ''}@{name}({heads})"
            + (f" -> {types}" if len(results) == 1 else f" -> ({types})")
            + " {\n"
            + "".join(self.lines)
            + (f"    return {names} : {types}\n" if results else "    return\n")
            + "  }\n"
        )

    # -- constants --------------------------------------------------------------------------

    def splat(self, value, shape, element):
        return self.op(
            f"stablehlo.constant dense<{scalar_text(value, element)}> : {tensor_type(shape, element)}",
            shape,
            element,
        )

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
        if not flat.numel():
            body = ""
        elif element == "i1":
            body = nested([scalar_text(v, element) for v in flat.tolist()], shape)
        else:
            body = '"0x' + bytes(flat.view(torch.uint8).numpy()).hex().upper() + '"'
        return self.op(
            f"stablehlo.constant dense<{body}> : {tensor_type(shape, element)}", shape, element
        )

    # -- element-wise -----------------------------------------------------------------------

    def unary(self, name, x):
        if name == "abs" and x.element == "ui8":
            return x
        return self.op(f"stablehlo.{name} {x.name} : {x.type}", x.shape, x.element)

    def function(self, name, *operands):
        """A CHLO function of operands of one type."""
        x = operands[0]
        names, types = ", ".join(v.name for v in operands), ", ".join(v.type for v in operands)
        return self.op(f"chlo.{name} {names} : {types} -> {x.type}", x.shape, x.element)

    def binary(self, name, x, y):
        assert x.type == y.type, (name, x.type, y.type)
        return self.op(f"stablehlo.{name} {x.name}, {y.name} : {x.type}", x.shape, x.element)

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

    def compare(self, direction, x, y):
        kind = "FLOAT" if is_float(x.element) else "UNSIGNED" if x.element in ("i1", "ui8") else "SIGNED"
        return self.op(
            f"stablehlo.compare {direction}, {x.name}, {y.name}, {kind} : "
            f"({x.type}, {y.type}) -> {tensor_type(x.shape, 'i1')}",
            x.shape,
            "i1",
        )

    def select(self, pred, x, y):
        return self.op(
            f"stablehlo.select {pred.name}, {x.name}, {y.name} : {pred.type}, {x.type}",
            x.shape,
            x.element,
        )

    def convert(self, x, element):
        if x.element == element:
            return x
        if element == "i1":
            return self.compare("NE", x, self.splat(0, x.shape, x.element))
        return self.op(
            f"stablehlo.convert {x.name} : ({x.type}) -> {tensor_type(x.shape, element)}",
            x.shape,
            element,
        )

    # -- shape ------------------------------------------------------------------------------

    def reshape(self, x, shape):
        shape = tuple(shape)
        if x.shape == shape:
            return x
        return self.op(
            f"stablehlo.reshape {x.name} : ({x.type}) -> {tensor_type(shape, x.element)}",
            shape,
            x.element,
        )

    def transpose(self, x, order):
        order = [d % x.rank for d in order]
        if order == list(range(x.rank)):
            return x
        shape = [x.shape[d] for d in order]
        return self.op(
            f"stablehlo.transpose {x.name}, dims = {ints(order)} : "
            f"({x.type}) -> {tensor_type(shape, x.element)}",
            shape,
            x.element,
        )

    def broadcast_in_dim(self, x, shape, dims):
        return self.op(
            f"stablehlo.broadcast_in_dim {x.name}, dims = {ints(dims)} : "
            f"({x.type}) -> {tensor_type(shape, x.element)}",
            shape,
            x.element,
        )

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
        ranges = ", ".join(
            f"{a}:{b}" + (f":{s}" if s != 1 else "") for a, b, s in zip(starts, limits, strides)
        )
        shape = [max(0, -(-(b - a) // s)) for a, b, s in zip(starts, limits, strides)]
        return self.op(
            f"stablehlo.slice {x.name} [{ranges}] : ({x.type}) -> {tensor_type(shape, x.element)}",
            shape,
            x.element,
        )

    def slice_dim(self, x, dim, start, limit, stride=1):
        starts, limits, strides = [0] * x.rank, list(x.shape), [1] * x.rank
        starts[dim], limits[dim], strides[dim] = start, max(start, limit), stride
        return self.slice(x, starts, limits, strides)

    def concat(self, xs, dim):
        if len(xs) == 1:
            return xs[0]
        shape = list(xs[0].shape)
        shape[dim] = sum(x.shape[dim] for x in xs)
        names, types = ", ".join(x.name for x in xs), ", ".join(x.type for x in xs)
        return self.op(
            f"stablehlo.concatenate {names}, dim = {dim} : "
            f"({types}) -> {tensor_type(shape, xs[0].element)}",
            shape,
            xs[0].element,
        )

    def iota(self, shape, dim, element):
        return self.op(
            f"stablehlo.iota dim = {dim} : {tensor_type(shape, element)}", shape, element
        )

    def pad(self, x, value, low, high, interior=None):
        interior = interior or [0] * x.rank
        if not any(low) and not any(high) and not any(interior):
            return x
        shape = [
            lo + n + max(n - 1, 0) * i + hi for n, lo, hi, i in zip(x.shape, low, high, interior)
        ]
        if not isinstance(value, Value):
            value = self.scalar(value, x.element)
        return self.op(
            f"stablehlo.pad {x.name}, {value.name}, low = {ints(low)}, high = {ints(high)}, "
            f"interior = {ints(interior)} : ({x.type}, {value.type}) -> "
            f"{tensor_type(shape, x.element)}",
            shape,
            x.element,
        )

    def reverse(self, x, dims):
        return self.op(
            f"stablehlo.reverse {x.name}, dims = {ints(dims)} : {x.type}", x.shape, x.element
        )

    # -- reductions, windows, contractions --------------------------------------------------

    def reduce(self, name, x, dims, init, keep=False):
        """Reduces by one operation; `init` is its neutral element."""
        dims = sorted(d % x.rank for d in dims) if x.rank else []
        shape = [n for d, n in enumerate(x.shape) if d not in dims]
        out = x
        if dims:
            start = self.scalar(init, x.element)
            out = self.op(
                f"stablehlo.reduce({x.name} init: {start.name}) applies stablehlo.{name} across "
                f"dimensions = {ints(dims)} : ({x.type}, {start.type}) -> "
                f"{tensor_type(shape, x.element)}",
                shape,
                x.element,
            )
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
        unit = tensor_type((), x.element)
        pads = "[" + ", ".join(f"[{lo}, {hi}]" for lo, hi in zip(low, high)) + "]"
        return self.op(
            f'"stablehlo.reduce_window"({x.name}, {start.name}) <{{base_dilations = '
            f"{i64s([1] * x.rank)}, padding = dense<{pads}> : tensor<{x.rank}x2xi64>, "
            f"window_dilations = {i64s(dilations)}, window_dimensions = {i64s(window)}, "
            f"window_strides = {i64s(strides)}}}> ({{\n"
            f"    ^bb0(%lhs: {unit}, %rhs: {unit}):\n"
            f"      %acc = stablehlo.{name} %lhs, %rhs : {unit}\n"
            f"      stablehlo.return %acc : {unit}\n"
            f"    }}) : ({x.type}, {start.type}) -> {tensor_type(shape, x.element)}",
            shape,
            x.element,
        )

    def dot(self, x, y, contract, batch=((), ())):
        """dot_general: batch dimensions first, then the free ones of x, then those of y."""
        (xc, yc), (xb, yb) = contract, batch
        shape = (
            [x.shape[d] for d in xb]
            + [n for d, n in enumerate(x.shape) if d not in xb and d not in xc]
            + [n for d, n in enumerate(y.shape) if d not in yb and d not in yc]
        )
        batching = f"batching_dims = {ints(xb)} x {ints(yb)}, " if xb else ""
        return self.op(
            f"stablehlo.dot_general {x.name}, {y.name}, {batching}contracting_dims = {ints(xc)} x "
            f"{ints(yc)} : ({x.type}, {y.type}) -> {tensor_type(shape, x.element)}",
            shape,
            x.element,
        )

    def convolution(self, x, kernel, layout, shape, stride, pads, lhs_dilate, rhs_dilate, groups):
        window = (
            f"stride = {ints(stride)}, pad = [{', '.join(ints(p) for p in pads)}], "
            f"lhs_dilate = {ints(lhs_dilate)}, rhs_dilate = {ints(rhs_dilate)}"
        )
        return self.op(
            f"stablehlo.convolution({x.name}, {kernel.name}) dim_numbers = {layout}, "
            f"window = {{{window}}} {{batch_group_count = 1 : i64, feature_group_count = "
            f"{groups} : i64}} : ({x.type}, {kernel.type}) -> {tensor_type(shape, x.element)}",
            shape,
            x.element,
        )

    # -- indexed access ---------------------------------------------------------------------

    def gather(self, x, indices, dims, slice_sizes, shape):
        """`dims` are the fields of #stablehlo.gather in their written order."""
        fields = ", ".join(
            f"{key} = {ints(value) if isinstance(value, (list, tuple)) else value}"
            for key, value in dims.items()
            if not isinstance(value, (list, tuple)) or value
        )
        return self.op(
            f'"stablehlo.gather"({x.name}, {indices.name}) <{{dimension_numbers = '
            f"#stablehlo.gather<{fields}>, indices_are_sorted = false, slice_sizes = "
            f"{i64s(slice_sizes)}}}> : ({x.type}, {indices.type}) -> "
            f"{tensor_type(shape, x.element)}",
            shape,
            x.element,
        )

    def scatter(self, x, indices, updates, dims, combine=None):
        """Writes `updates` into `x`; `combine` names the combining operation, None replaces."""
        fields = ", ".join(
            f"{key} = {ints(value) if isinstance(value, (list, tuple)) else value}"
            for key, value in dims.items()
            if not isinstance(value, (list, tuple)) or value
        )
        unit = tensor_type((), x.element)
        body = "" if combine is None else f"      %acc = stablehlo.{combine} %old, %new : {unit}\n"
        result = "%new" if combine is None else "%acc"
        return self.op(
            f'"stablehlo.scatter"({x.name}, {indices.name}, {updates.name}) <{{'
            f"indices_are_sorted = false, scatter_dimension_numbers = "
            f"#stablehlo.scatter<{fields}>, unique_indices = false}}> ({{\n"
            f"    ^bb0(%old: {unit}, %new: {unit}):\n{body}"
            f"      stablehlo.return {result} : {unit}\n"
            f"    }}) : ({x.type}, {indices.type}, {updates.type}) -> {x.type}",
            x.shape,
            x.element,
        )

    def sort(self, keys, payload, dim, descending):
        """Stable sort of `keys`, which moves `payload` along."""
        a, b = tensor_type((), keys.element), tensor_type((), payload.element)
        kind = "FLOAT" if is_float(keys.element) else "SIGNED"
        if keys.element in ("i1", "ui8"):
            kind = "UNSIGNED"
        flag = tensor_type((), "i1")
        return self.op_many(
            f'"stablehlo.sort"({keys.name}, {payload.name}) <{{dimension = {dim} : i64, '
            f"is_stable = true}}> ({{\n"
            f"    ^bb0(%a: {a}, %b: {a}, %i: {b}, %j: {b}):\n"
            f"      %less = stablehlo.compare {'GT' if descending else 'LT'}, %a, %b, {kind} : "
            f"({a}, {a}) -> {flag}\n"
            f"      stablehlo.return %less : {flag}\n"
            f"    }}) : ({keys.type}, {payload.type}) -> ({keys.type}, {payload.type})",
            [(keys.shape, keys.element), (payload.shape, payload.element)],
        )

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
            arguments = [Value(f"%arg{i}", o.shape, o.element) for i, o in enumerate(operands)]
            results = build(inner, *arguments)
            results = list(results) if isinstance(results, (list, tuple)) else [results]
            inner.finish(label, arguments, results, private=True)
            found = label, [(r.shape, r.element) for r in results]
            self.module.decompositions[key] = found
        label, types = found
        ins = ", ".join(o.type for o in operands)
        outs = ", ".join(tensor_type(*t) for t in types)
        outs = outs if len(types) == 1 else f"({outs})"
        results = self.op_many(
            f"stablehlo.composite {quote(name)} {', '.join(o.name for o in operands)} "
            f"{{composite_attributes = {{{attributes}}}, decomposition = @{label}}} : "
            f"({ins}) -> {outs}",
            types,
        )
        return results[0] if len(results) == 1 else results


def nested(items, shape):
    """A flat list of element texts as nested brackets."""
    if not shape:
        return items[0]
    step = len(items) // shape[0] if shape[0] else 0
    return (
        "[" + ", ".join(nested(items[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])) + "]"
    )
