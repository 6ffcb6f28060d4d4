"""Random StableHLO programs of some ninety operations on all element types: sizes 0, 1, primes and 33, windows with
padding, strides and dilations, groups, gathers and scatters of any dimension numbers, loops, branches, several results.

The generator knows of every value whether it is exact (each correct implementation computes the same bits: integers, and floats
that hold integers within their format) and a bound of its magnitude. Operations that are not continuous (rounding, comparisons,
sorting, conversions to integers) get exact operands only, so that a difference in the last digit stays one. What StableHLO
leaves to the implementation is not generated: division of integers by zero, shifts by the width or more, conversions of what
does not fit, initial values of reductions that are not neutral. The same seed gives the same program and inputs."""

import math
import random
import sys
from pathlib import Path

import ml_dtypes
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))
from random_stablehlo import (concatenation, draw_dot, draw_factors, draw_padding, draw_parts, draw_slice,  # noqa: E402
                              integers, sorting, tensor)

FLOATS = {"f64": 2**53, "f32": 2**24, "f16": 2**11, "bf16": 2**8}  # integers up to this bound are exact
SIGNED, UNSIGNED = ["i8", "i16", "i32", "i64"], ["ui8", "ui16", "ui32", "ui64"]
INTEGERS = SIGNED + UNSIGNED
LIMIT = {e: 2 ** (int(e.lstrip("ui")) - e.startswith("i")) - 1 for e in INTEGERS}
NUMPY = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i1": np.bool_,
         **{e: np.dtype(e.replace("ui", "uint") if e[0] == "u" else e.replace("i", "int")) for e in INTEGERS}}
WEIGHTS = {"f32": 8, "i32": 4, "bf16": 2, "f16": 1, "f64": 1, "i1": 2, "i64": 2, "ui8": 1, "ui32": 1, "i8": 1, "i16": 1, "ui16": 1, "ui64": 1}
MOST = 3000  # elements of one value
KINDS = {}


def kind(weight=1):
    def add(f):
        KINDS[f] = weight
        return f
    return add


def count(shape):
    return int(np.prod(shape, dtype=np.int64)) if len(shape) else 1


class Value:
    """bound: the largest magnitude where the value is exact; exact: every implementation computes the same."""

    def __init__(self, name, shape, element, exact=True, bound=4):
        self.name, self.shape, self.element, self.exact, self.bound = name, tuple(shape), element, exact, bound
        self.type, self.size = tensor(shape, element), count(shape)


class Maker:
    def __init__(self, seed, weights=None):
        weights = weights or WEIGHTS
        self.allowed, self.draw, self.values, self.inputs, self.lines, self.data = weights, random.Random(seed), [], [], [], []
        self.numbers = np.random.default_rng(seed)
        self.elements = self.draw.choices(list(weights), list(weights.values()), k=self.draw.randint(1, 3))
        self.sizes = self.draw.choice([[0, 1, 1, 2, 3, 4, 5, 7], [1, 2, 3, 5, 7, 13], [1, 2, 3, 33], [1, 2, 4, 8, 16], [1, 2, 3, 32, 33, 64]])

    # ---- values

    def size(self):
        return self.draw.choice(self.sizes)

    def shape(self, low=0, high=4):
        out = [self.size() for _ in range(self.draw.randint(low, high))]
        while count([max(d, 1) for d in out]) > MOST:
            out[self.draw.randrange(len(out))] = self.draw.choice([1, 2, 3])
        return out

    def element(self, among):
        fitting = [e for e in self.elements if e in among]
        return self.draw.choice(fitting or sorted(e for e in among if e in self.allowed) or sorted(among))

    def argument(self, shape, element, values=None):
        """values: "positive", "indices" (around what a dimension holds); else small integers, at times fractions or edges."""
        how = values or (self.draw.choices(["integers", "fractions", "edges"], [12, 4, 1])[0] if element in FLOATS else "integers")
        v = Value(f"%a{len(self.inputs)}", shape, element, how not in ("fractions", "edges"), 9 if element[0] == "u" else 4)
        n, dtype = self.numbers, NUMPY[element]
        if element == "i1":
            data = n.integers(0, 2, v.shape).astype(bool)
        elif how == "positive":
            data = n.integers(1, 4, v.shape).astype(dtype)
        elif how == "indices":
            data = n.integers(-1 if element[0] != "u" else 0, 5, v.shape).astype(dtype)
        elif how == "fractions":
            data = n.normal(0, 1.5, v.shape).astype(dtype)
        elif how == "edges":
            data = n.choice(np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 0.5, 1.5, 2.5, -2.5, 100, 1e-3]), v.shape).astype(dtype)
        else:
            data = (n.integers(0, 9, v.shape) if element[0] == "u" else n.integers(-3, 4, v.shape)).astype(dtype)
        self.inputs.append(v)
        self.data.append(data)
        return v

    def pick(self, among=tuple(WEIGHTS), rank=0, exact=False, most_rank=6):
        """A former value, preferring later ones; or a new argument. exact: with the same bits everywhere."""
        fitting = [v for v in self.values if v.element in among and rank <= len(v.shape) <= most_rank and (v.exact or not exact)]
        if not fitting or self.draw.random() < 0.12:
            return self.argument(self.shape(rank, min(4, most_rank)), self.element(among), "integers" if exact else None)
        return self.draw.choice(fitting[-4:] if self.draw.random() < 0.8 else fitting)

    def like(self, x, element=None, exact=False, shape=None):
        e, shape = element or x.element, tuple(x.shape if shape is None else shape)
        fitting = [v for v in self.values if v.shape == shape and v.element == e and (v.exact or not exact)]
        return (self.draw.choice(fitting) if fitting and self.draw.random() < 0.7
                else self.argument(shape, e, "integers" if exact else None))

    def add(self, text, *results, exact=True, bound=4):
        """`text` computes values of those (shape, element)s."""
        if any(len(shape) > 6 or count(shape) > MOST or element not in self.allowed for shape, element in results):
            return None
        names = [f"%v{len(self.values) + i}" for i in range(len(results))]
        group = names[0] if len(results) == 1 else f"%r{len(self.lines)}"
        self.lines.append(f"{group}{'' if len(results) == 1 else f':{len(results)}'} = {text}")
        out = []
        for i, (shape, element) in enumerate(results):
            b = bound[i] if isinstance(bound, list) else bound
            e = exact[i] if isinstance(exact, list) else exact
            if element in FLOATS:
                e = e and b <= FLOATS[element]
            elif element != "i1":
                e, b = True, min(b, LIMIT[element] + 1)
            else:
                e = True
            out.append(Value(group if len(results) == 1 else f"{group}#{i}", shape, element, e, b))
        self.values += out
        return out

    def literal(self, value, element):
        if element == "i1":
            return "true" if value else "false"
        if element not in FLOATS:
            return str(int(value))
        if value in (np.inf, -np.inf):
            return {"f64": "0x7FF0000000000000", "f32": "0x7F800000", "f16": "0x7C00", "bf16": "0x7F80"}[element].replace(
                "0x7", "0xF" if value < 0 else "0x7", 1)
        return f"{float(value)}"

    def constant(self, value, element):
        name = f"%c{len(self.lines)}"
        self.lines.append(f"{name} = stablehlo.constant dense<{self.literal(value, element)}> : tensor<{element}>")
        return name

    def body(self, operation, element):
        return (f"({{\n  ^bb0(%x: tensor<{element}>, %y: tensor<{element}>):\n    %z = stablehlo.{operation} %x, %y : tensor<{element}>\n"
                f"    stablehlo.return %z : tensor<{element}>\n  }})")

    def combiner(self, element):
        """An associative operation and its neutral element."""
        if element == "i1":
            return self.draw.choice([("and", 1), ("or", 0), ("maximum", 0), ("minimum", 1)])
        low, high = ((-np.inf, np.inf) if element in FLOATS else (0, LIMIT[element]) if element[0] == "u" else (-LIMIT[element] - 1, LIMIT[element]))
        out = [("add", 0), ("add", 0), ("maximum", low), ("minimum", high), ("multiply", 1)]
        if element not in FLOATS:
            out += [("and", -1 if element[0] == "i" else high), ("or", 0), ("xor", 0)]
        return self.draw.choice(out)


def combined(operation, bound, n):
    """The bound of n values that a combiner joined."""
    return bound * max(n, 1) if operation == "add" else 2.0 ** min(80, max(n, 1) * math.log2(max(bound, 2))) if operation == "multiply" else bound


# ---- element by element -----------------------------------------------------------------------------------------------------------

SMOOTH = ["cbrt", "cosine", "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "rsqrt", "sine", "sqrt", "tan", "tanh"]
STEPS = ["ceil", "floor", "round_nearest_afz", "round_nearest_even", "sign"]


@kind(5)
def unary(m):
    x = m.pick([*FLOATS, *INTEGERS, "i1"])
    if x.element in FLOATS:
        name = m.draw.choice(["abs", "negate"] + SMOOTH + (STEPS if x.exact else []))
        if name.startswith("log") and any(line.startswith(f'{x.name} = "stablehlo.exponential') for line in m.lines):
            return  # XLA cancels them, and with them an overflow
    elif x.element == "i1":
        name = "not"
    else:
        name = m.draw.choice(["not", "popcnt", "count_leading_zeros", "negate"] + (["abs", "sign"] if x.element[0] != "u" else []))
    bound = {"popcnt": 64, "count_leading_zeros": 64, "not": 2.0**64 if x.element[0] == "u" else x.bound + 1,
             "negate": 2.0**64 if x.element[0] == "u" else x.bound}.get(name, x.bound)
    m.add(f'"stablehlo.{name}"({x.name}) : ({x.type}) -> {x.type}', (x.shape, x.element), exact=x.exact and name not in SMOOTH, bound=bound)


@kind(6)
def binary(m):
    x = m.pick()
    names = {"i1": ["and", "or", "xor", "maximum", "minimum"]}.get(
        x.element, ["add", "subtract", "multiply", "maximum", "minimum"] + ([] if x.element in FLOATS else ["and", "or", "xor"]))
    name, y = m.draw.choice(names), m.like(x)
    bound = x.bound * y.bound if name == "multiply" else x.bound + y.bound
    if name in ("and", "or", "xor"):
        bound = 2 * max(x.bound, y.bound) + 1
    if name == "subtract" and x.element[0] == "u":
        bound = 2.0**64
    pair = [x, y]
    m.draw.shuffle(pair)
    m.add(f"stablehlo.{name} {pair[0].name}, {pair[1].name} : {x.type}", (x.shape, x.element), exact=x.exact and y.exact, bound=bound)


@kind(2)
def quotient(m):
    """Divisors that are not zero; the remainder of exact values only, as it jumps."""
    x = m.pick([*FLOATS, *INTEGERS])
    name = m.draw.choice(["divide", "remainder"])
    if x.element in FLOATS and not x.exact:
        name = "divide"
    y = m.argument(x.shape, x.element, "positive")
    m.add(f"stablehlo.{name} {x.name}, {y.name} : {x.type}", (x.shape, x.element),
          exact=x.element not in FLOATS or (name == "remainder" and x.exact), bound=x.bound)


@kind()
def power(m):
    x = m.pick([*FLOATS, *INTEGERS], exact=True)
    y = m.argument(x.shape, x.element, "positive")
    m.add(f"stablehlo.power {x.name}, {y.name} : {x.type}", (x.shape, x.element), exact=x.element not in FLOATS, bound=2.0**64)


@kind()
def atan2(m):
    x = m.pick(FLOATS)
    y = m.argument(x.shape, x.element, "positive")
    m.add(f"stablehlo.atan2 {x.name}, {y.name} : {x.type}", (x.shape, x.element), exact=False)


@kind(2)
def shift(m):
    x = m.pick(INTEGERS)
    y, name = m.argument(x.shape, x.element, "positive"), m.draw.choice(["shift_left", "shift_right_arithmetic", "shift_right_logical"])
    m.add(f"stablehlo.{name} {x.name}, {y.name} : {x.type}", (x.shape, x.element), bound=2.0**64)


@kind(3)
def compare(m):
    x = m.pick(exact=True)
    y, how = m.like(x, exact=True), m.draw.choice(["EQ", "NE", "LT", "LE", "GT", "GE"])
    m.add(f"stablehlo.compare {how}, {x.name}, {y.name} : ({x.type}, {x.type}) -> {tensor(x.shape, 'i1')}", (x.shape, "i1"))


@kind()
def is_finite(m):
    x = m.pick(FLOATS, exact=True) if m.draw.random() < 0.5 else m.argument(m.shape(), m.element(FLOATS), "edges")
    m.add(f"stablehlo.is_finite {x.name} : ({x.type}) -> {tensor(x.shape, 'i1')}", (x.shape, "i1"))


@kind(3)
def select(m):
    x = m.pick()
    y = m.like(x)
    p = m.like(x, "i1", shape=x.shape if m.draw.random() < 0.7 else ())
    m.add(f"stablehlo.select {p.name}, {x.name}, {y.name} : {p.type}, {x.type}", (x.shape, x.element), exact=x.exact and y.exact,
          bound=max(x.bound, y.bound))


@kind(2)
def clamp(m):
    x = m.pick([*FLOATS, *INTEGERS])
    low, high = (m.constant(v, x.element) for v in (0 if x.element[0] == "u" else -1, 2))
    m.add(f"stablehlo.clamp {low}, {x.name}, {high} : (tensor<{x.element}>, {x.type}, tensor<{x.element}>) -> {x.type}", (x.shape, x.element),
          exact=x.exact, bound=2)


@kind(5)
def convert(m):
    """Between all types; to integers only what fits."""
    x = m.pick()
    to = m.draw.choice([e for e in WEIGHTS if e != x.element])
    if to not in FLOATS and not x.exact:
        return
    if to in INTEGERS and (x.bound > LIMIT[to] or (to[0] == "u" and x.element != "i1" and x.element[0] != "u")):
        return
    m.add(f"stablehlo.convert {x.name} : ({x.type}) -> {tensor(x.shape, to)}", (x.shape, to), exact=x.exact, bound=1 if x.element == "i1" else x.bound)


@kind()
def bitcast_convert(m):
    same = {"i8": "ui8", "ui8": "i8", "i16": "ui16", "ui16": "i16", "i32": "ui32", "ui32": "i32", "i64": "ui64", "ui64": "i64", "f32": "i32",
            "f64": "i64", "f16": "i16", "bf16": "i16"}
    x = m.pick(same, exact=True)
    if x.element in FLOATS:
        x = m.argument(x.shape, x.element, "positive")
    to = same[x.element]
    m.add(f"stablehlo.bitcast_convert {x.name} : ({x.type}) -> {tensor(x.shape, to)}", (x.shape, to), bound=2.0**64)


@kind()
def bitcast_width(m):
    """Elements that are taken apart or put together."""
    x = m.pick(["i32", "ui32", "i16", "ui16"])
    half = {"i32": "i16", "ui32": "ui16", "i16": "i8", "ui16": "ui8"}[x.element]
    shape = [*x.shape, 2]
    m.add(f"stablehlo.bitcast_convert {x.name} : ({x.type}) -> {tensor(shape, half)}", (shape, half), bound=2.0**64)


@kind()
def reduce_precision(m):
    x = m.pick(["f32"], exact=True)
    m.add(f"stablehlo.reduce_precision {x.name}, format = e{m.draw.choice([5, 8])}m{m.draw.choice([7, 10])} : {x.type}", (x.shape, x.element),
          exact=x.bound < 128, bound=x.bound)


@kind()
def complex_(m):
    """Through a complex value and back to its parts."""
    x = m.pick(["f32", "f64"])
    y, c = m.like(x), tensor(x.shape, f"complex<{x.element}>")
    n = len(m.lines)
    m.lines.append(f"%z{n} = stablehlo.complex {x.name}, {y.name} : {c}")
    name = m.draw.choice(["add", "multiply", "subtract"])
    m.lines.append(f"%w{n} = stablehlo.{name} %z{n}, %z{n} : {c}")
    part = m.draw.choice(["real", "imag"])
    m.add(f"stablehlo.{part} %w{n} : ({c}) -> {x.type}", (x.shape, x.element), exact=x.exact and y.exact, bound=2 * max(x.bound, y.bound) ** 2)


@kind()
def mapped(m):
    x = m.pick([*FLOATS, *INTEGERS])
    y, name = m.like(x), m.draw.choice(["add", "maximum", "multiply"])
    m.add(f'"stablehlo.map"({x.name}, {y.name}) <{{dimensions = {integers(range(len(x.shape)))}}}> {m.body(name, x.element)} : '
          f"({x.type}, {x.type}) -> {x.type}", (x.shape, x.element), exact=x.exact and y.exact,
          bound=x.bound * y.bound if name == "multiply" else x.bound + y.bound)


# ---- shapes -----------------------------------------------------------------------------------------------------------------------

@kind()
def iota(m):
    shape, element = m.shape(1), m.element([*FLOATS, *INTEGERS])
    m.add(f"stablehlo.iota dim = {m.draw.randrange(len(shape))} : {tensor(shape, element)}", (shape, element), bound=max(shape))


@kind()
def constant(m):
    """One whose elements differ."""
    shape, element = m.shape(0, 2), m.element(WEIGHTS)
    if 0 < count(shape) <= 40:
        low = 0 if element[0] == "u" else -3
        data = m.numbers.integers(low, 4, shape)
        text = str(np.vectorize(lambda v: m.literal(bool(v % 2) if element == "i1" else v, element), otypes=[object])(data).tolist()).replace("'", "")
        m.add(f"stablehlo.constant dense<{text}> : {tensor(shape, element)}", (shape, element))


@kind(3)
def reshape(m):
    x = m.pick()
    shape = draw_factors(m, x.size)
    m.add(f"stablehlo.reshape {x.name} : ({x.type}) -> {tensor(shape, x.element)}", (shape, x.element), exact=x.exact, bound=x.bound)


@kind(3)
def transpose(m):
    x = m.pick()
    order = m.draw.sample(range(len(x.shape)), len(x.shape))
    shape = [x.shape[i] for i in order]
    m.add(f"stablehlo.transpose {x.name}, dims = {order} : ({x.type}) -> {tensor(shape, x.element)}", (shape, x.element), exact=x.exact, bound=x.bound)


@kind(4)
def broadcast(m):
    x = m.pick()
    rank = len(x.shape) + m.draw.choice([0, 1, 1, 2])
    dims = m.draw.sample(range(rank), len(x.shape)) if m.draw.random() < 0.5 else sorted(m.draw.sample(range(rank), len(x.shape)))
    shape = [m.size() for _ in range(rank)]
    for i, d in enumerate(dims):
        shape[d] = x.shape[i] if x.shape[i] != 1 or m.draw.random() < 0.5 else m.size()
    m.add(f"stablehlo.broadcast_in_dim {x.name}, dims = {dims} : ({x.type}) -> {tensor(shape, x.element)}", (shape, x.element), exact=x.exact,
          bound=x.bound)


@kind(2)
def concatenate(m):
    dim, parts, shape = draw_parts(m)
    m.add(concatenation(dim, parts, shape), (shape, parts[0].element), exact=all(p.exact for p in parts),
          bound=max(p.bound for p in parts))


@kind(3)
def slice_(m):
    x = m.pick()
    text, shape = draw_slice(m, x)
    m.add(text, (shape, x.element), exact=x.exact, bound=x.bound)


def starts_of(m, x):
    """Start indices: constants or arguments, of any integer type, outside at times."""
    element = m.draw.choice(["i32", "i32", "i64", "ui32", "i8"])
    if m.draw.random() < 0.5:
        return [m.constant(m.draw.randint(0 if element[0] == "u" else -1, 4), element) for _ in x.shape], element
    return [m.argument((), element, "indices").name for _ in x.shape], element


@kind(2)
def dynamic_slice(m):
    x = m.pick(rank=1)
    sizes = [m.draw.randint(0, d) if m.draw.random() < 0.5 else d for d in x.shape]
    starts, e = starts_of(m, x)
    m.add(f'"stablehlo.dynamic_slice"({x.name}, {", ".join(starts)}) <{{slice_sizes = {integers(sizes)}}}> : '
          f"({x.type}, {', '.join([f'tensor<{e}>'] * len(sizes))}) -> {tensor(sizes, x.element)}", (sizes, x.element), exact=x.exact, bound=x.bound)


@kind(2)
def dynamic_update_slice(m):
    x = m.pick(rank=1)
    update = m.argument([m.draw.randint(0, d) if m.draw.random() < 0.5 else d for d in x.shape], x.element)
    starts, e = starts_of(m, x)
    m.add(f'"stablehlo.dynamic_update_slice"({x.name}, {update.name}, {", ".join(starts)}) : '
          f"({x.type}, {update.type}, {', '.join([f'tensor<{e}>'] * len(starts))}) -> {x.type}", (x.shape, x.element),
          exact=x.exact and update.exact, bound=max(x.bound, update.bound))


@kind(3)
def pad(m):
    x = m.pick()
    low, high, interior, shape = draw_padding(m, x)
    if min(shape, default=0) >= 0:
        value = m.constant(1 if x.element == "i1" else 7, x.element)
        m.add(f"stablehlo.pad {x.name}, {value}, low = {low}, high = {high}, interior = {interior} : "
              f"({x.type}, tensor<{x.element}>) -> {tensor(shape, x.element)}", (shape, x.element), exact=x.exact, bound=max(x.bound, 7))


@kind()
def reverse(m):
    x = m.pick(rank=1)
    dims = m.draw.sample(range(len(x.shape)), m.draw.randint(1, len(x.shape)))
    m.add(f"stablehlo.reverse {x.name}, dims = {dims} : {x.type}", (x.shape, x.element), exact=x.exact, bound=x.bound)


@kind()
def barrier(m):
    x = m.pick()
    y = m.pick()
    m.add(f"stablehlo.optimization_barrier {x.name}, {y.name} : {x.type}, {y.type}", (x.shape, x.element), (y.shape, y.element),
          exact=[x.exact, y.exact], bound=[x.bound, y.bound])


# ---- reductions and windows -------------------------------------------------------------------------------------------------------

@kind(4)
def reduce(m):
    x = m.pick()
    dims = sorted(m.draw.sample(range(len(x.shape)), m.draw.randint(0, len(x.shape))))
    operation, init = m.combiner(x.element)
    shape = [d for i, d in enumerate(x.shape) if i not in dims]
    n = count([x.shape[i] for i in dims])
    m.add(f'"stablehlo.reduce"({x.name}, {m.constant(init, x.element)}) <{{dimensions = {integers(dims)}}}> {m.body(operation, x.element)} : '
          f"({x.type}, tensor<{x.element}>) -> {tensor(shape, x.element)}", (shape, x.element),
          exact=x.exact and not (n == 0 and abs(init) == np.inf), bound=2.0**64 if n == 0 else combined(operation, x.bound, n))


@kind()
def reduce_two(m):
    """Two tensors, reduced side by side."""
    x = m.pick(FLOATS)
    y = m.like(x, m.element(INTEGERS))
    dims = sorted(m.draw.sample(range(len(x.shape)), m.draw.randint(0, len(x.shape))))
    shape, n = [d for i, d in enumerate(x.shape) if i not in dims], count([x.shape[i] for i in dims])
    a, b = x.element, y.element
    m.add(f'"stablehlo.reduce"({x.name}, {y.name}, {m.constant(0, a)}, {m.constant(0, b)}) <{{dimensions = {integers(dims)}}}> ({{\n'
          f"  ^bb0(%x: tensor<{a}>, %y: tensor<{b}>, %s: tensor<{a}>, %t: tensor<{b}>):\n    %z = stablehlo.add %x, %s : tensor<{a}>\n"
          f"    %w = stablehlo.xor %y, %t : tensor<{b}>\n    stablehlo.return %z, %w : tensor<{a}>, tensor<{b}>\n  }}) : "
          f"({x.type}, {y.type}, tensor<{a}>, tensor<{b}>) -> ({tensor(shape, a)}, {tensor(shape, b)})", (shape, a), (shape, b),
          exact=[x.exact, True], bound=[x.bound * max(n, 1), 2.0**64])


@kind(2)
def arg_reduce(m):
    """The index of the first maximum or minimum, as jax writes it."""
    x = m.pick(["f32", "i32", "bf16", "i8", "ui8", "f16", "i64"], 1, exact=True)
    dim, i = m.draw.randrange(len(x.shape)), m.draw.choice(["i32", "i64", "ui32"])
    if not x.shape[dim]:
        return
    how, e = m.draw.choice(["GT", "LT"]), x.element
    low, high = (-np.inf, np.inf) if e in FLOATS else (0, LIMIT[e]) if e[0] == "u" else (-LIMIT[e] - 1, LIMIT[e])
    tie = m.draw.choice(["LT", "LT", "LT", "GT"])
    n = len(m.lines)
    m.lines.append(f"%i{n} = stablehlo.iota dim = {dim} : {tensor(x.shape, i)}")
    shape = [d for k, d in enumerate(x.shape) if k != dim]
    m.add(f'"stablehlo.reduce"({x.name}, %i{n}, {m.constant(low if how == "GT" else high, e)}, {m.constant(0, i)}) '
          f"<{{dimensions = array<i64: {dim}>}}> ({{\n  ^bb0(%a: tensor<{e}>, %b: tensor<{i}>, %c: tensor<{e}>, %d: tensor<{i}>):\n"
          f"    %0 = stablehlo.compare {how}, %a, %c : (tensor<{e}>, tensor<{e}>) -> tensor<i1>\n"
          f"    %1 = stablehlo.compare NE, %a, %a : (tensor<{e}>, tensor<{e}>) -> tensor<i1>\n    %2 = stablehlo.or %0, %1 : tensor<i1>\n"
          f"    %3 = stablehlo.compare EQ, %a, %c : (tensor<{e}>, tensor<{e}>) -> tensor<i1>\n"
          f"    %4 = stablehlo.compare {tie}, %b, %d : (tensor<{i}>, tensor<{i}>) -> tensor<i1>\n    %5 = stablehlo.and %3, %4 : tensor<i1>\n"
          f"    %6 = stablehlo.or %2, %5 : tensor<i1>\n    %7 = stablehlo.select %2, %a, %c : tensor<i1>, tensor<{e}>\n"
          f"    %8 = stablehlo.select %6, %b, %d : tensor<i1>, tensor<{i}>\n    stablehlo.return %7, %8 : tensor<{e}>, tensor<{i}>\n  }}) : "
          f"({x.type}, {tensor(x.shape, i)}, tensor<{e}>, tensor<{i}>) -> ({tensor(shape, e)}, {tensor(shape, i)})", (shape, e), (shape, i),
          exact=[x.exact, True], bound=[x.bound, max(x.shape)])


def windowed(m, x, window, stride, padding, base, dilation):
    spread = [0 if d == 0 else (d - 1) * b + 1 for d, b in zip(x.shape, base)]
    padded = [d + sum(p) for d, p in zip(spread, padding)]
    reach = [(w - 1) * k + 1 for w, k in zip(window, dilation)]
    return [0 if p < r or p == 0 else (p - r) // s + 1 for p, r, s in zip(padded, reach, stride)]


@kind(3)
def reduce_window(m):
    x = m.pick(rank=1)
    operation, init = m.combiner(x.element)
    window, stride = ([m.draw.choice([1, 1, 2, 3]) for _ in x.shape] for _ in range(2))
    base, dilation = ([m.draw.choice([1, 1, 1, 2]) for _ in x.shape] for _ in range(2))
    padding = [[m.draw.choice([0, 0, 1]), m.draw.choice([0, 0, 2])] for _ in x.shape]
    shape = windowed(m, x, window, stride, padding, base, dilation)
    m.add(f'"stablehlo.reduce_window"({x.name}, {m.constant(init, x.element)}) <{{window_dimensions = {integers(window)}, '
          f"window_strides = {integers(stride)}, base_dilations = {integers(base)}, window_dilations = {integers(dilation)}, "
          f"padding = dense<{padding}> : tensor<{len(padding)}x2xi64>}}> {m.body(operation, x.element)} : "
          f"({x.type}, tensor<{x.element}>) -> {tensor(shape, x.element)}", (shape, x.element),
          exact=x.exact and abs(init) != np.inf, bound=2.0**64 if abs(init) > 2**30 else combined(operation, max(x.bound, abs(init)), count(window)))


@kind()
def running(m):
    """A cumulative sum, product or extreme."""
    x = m.pick(["i32", "f32", "i64", "bf16"], 1)
    dim = m.draw.randrange(len(x.shape))
    if x.shape[dim]:
        window = [d if i == dim else 1 for i, d in enumerate(x.shape)]
        padding = [[d - 1, 0] if m.draw.random() < 0.8 else [0, d - 1] for d in window]
        operation, init = m.combiner(x.element)
        if abs(init) != np.inf and operation not in ("and", "or", "xor"):
            m.add(f'"stablehlo.reduce_window"({x.name}, {m.constant(init, x.element)}) <{{window_dimensions = {integers(window)}, padding = '
                  f"dense<{padding}> : tensor<{len(window)}x2xi64>}}> {m.body(operation, x.element)} : ({x.type}, tensor<{x.element}>) -> {x.type}",
                  (x.shape, x.element), exact=x.exact, bound=combined(operation, x.bound, x.shape[dim]))


@kind()
def select_and_scatter(m):
    x = m.pick(["f32", "i32", "bf16", "i64"], 1, exact=True)
    window = [m.draw.choice([1, 2, 3]) for _ in x.shape]
    stride = [m.draw.choice([1, 2]) for _ in x.shape]
    shape = windowed(m, x, window, stride, [[0, 0]] * len(window), [1] * len(window), [1] * len(window))
    if count(shape) == 0 or count(shape) > MOST:
        return
    source, e, how = m.argument(shape, x.element, "integers"), x.element, m.draw.choice(["GE", "LE"])
    m.add(f'"stablehlo.select_and_scatter"({x.name}, {source.name}, {m.constant(0, e)}) <{{window_dimensions = {integers(window)}, '
          f"window_strides = {integers(stride)}}}> ({{\n  ^bb0(%a: tensor<{e}>, %b: tensor<{e}>):\n    %p = stablehlo.compare {how}, %a, %b : "
          f"(tensor<{e}>, tensor<{e}>) -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n  }}, {{\n  ^bb0(%a: tensor<{e}>, %b: tensor<{e}>):\n"
          f"    %s = stablehlo.add %a, %b : tensor<{e}>\n    stablehlo.return %s : tensor<{e}>\n  }}) : "
          f"({x.type}, {source.type}, tensor<{e}>) -> {x.type}", (x.shape, e), bound=4 * count(window))


@kind(3)
def sort(m):
    x = m.pick(rank=1, exact=True)
    operands = [x, *(m.like(x, m.draw.choice(list(WEIGHTS)), exact=True) for _ in range(m.draw.choice([0, 0, 1, 2])))]
    dim, how, key = m.draw.randrange(len(x.shape)), m.draw.choice(["LT", "GT", "LT", "GT", "LE", "GE"][:4]), m.draw.randrange(len(operands))
    if m.draw.random() < 0.3:  # indices
        element = m.draw.choice(["i32", "f32", "ui8", "i64"])
        m.lines.append(f"%i{len(m.lines)} = stablehlo.iota dim = {dim} : {tensor(x.shape, element)}")
        operands.append(Value(f"%i{len(m.lines) - 1}", x.shape, element, bound=max(x.shape)))
    m.add(sorting(operands, dim, how, key), *((o.shape, o.element) for o in operands), exact=[o.exact for o in operands],
          bound=[o.bound for o in operands])


# ---- products ---------------------------------------------------------------------------------------------------------------------

@kind(4)
def dot(m):
    x = m.pick(["f32", "i32", "f64", "bf16", "f16", "i64", "i8", "ui8"])
    batch, contract, right, y_shape, shape = draw_dot(m, x)
    depth = count([x.shape[d] for d in contract])
    if count(shape) > MOST or count(y_shape) > MOST or depth * count(shape) > 100_000:
        return
    y = m.like(x, shape=y_shape)
    to = m.draw.choice([x.element, x.element, {"bf16": "f32", "f16": "f32", "i8": "i32", "ui8": "i32"}.get(x.element, x.element)])
    if to == "i32" and x.element == "ui8":
        to = "ui32"
    m.add(f"stablehlo.dot_general {x.name}, {y.name}, batching_dims = {batch} x {[right['b', d] for d in batch]}, "
          f"contracting_dims = {contract} x {[right['c', d] for d in contract]} : ({x.type}, {y.type}) -> {tensor(shape, to)}",
          (shape, to), exact=x.exact and y.exact, bound=max(depth, 1) * x.bound * y.bound)


@kind(2)
def convolution(m):
    n = m.draw.choice([1, 1, 2, 2, 3])
    groups, batch_groups = m.draw.choice([(1, 1), (1, 1), (1, 1), (2, 1), (3, 1), (1, 2)])
    e = m.element(["f32", "bf16", "i32", "f16", "f64"])
    batch, channels = m.draw.choice([1, 2, 4]) * batch_groups, m.draw.choice([1, 2, 3]) * groups
    space = [m.draw.choice([1, 2, 5, 7, 8]) for _ in range(n)]
    window, stride = [m.draw.choice([1, 2, 3]) for _ in range(n)], [m.draw.choice([1, 1, 2, 3]) for _ in range(n)]
    padding = [[m.draw.choice([0, 1, 2, -1]), m.draw.choice([0, 1, 2])] for _ in range(n)]
    left, right = ([m.draw.choice([1, 1, 1, 2]) for _ in range(n)] for _ in range(2))
    out_channels = m.draw.choice([1, 2, 3]) * groups * batch_groups
    flip = [m.draw.random() < 0.15 for _ in range(n)]
    x = Value("", space, e)
    out = windowed(m, x, window, stride, padding, left, right)
    if any(o == 0 for o in out) or any((d - 1) * b + 1 + sum(p) <= 0 for d, b, p in zip(space, left, padding)):
        return
    names = [str(i) for i in range(n)]

    def arranged(first, second, spatial):
        """Dimension letters in a random order, and sizes to match."""
        letters = [first, second, *names]
        m.draw.shuffle(letters)
        return letters, [spatial[s] for s in letters]

    lhs, lhs_shape = arranged("b", "f", {"b": batch, "f": channels, **dict(zip(names, space))})
    rhs, rhs_shape = arranged("i", "o", {"i": channels // groups, "o": out_channels, **dict(zip(names, window))})
    res, res_shape = arranged("b", "f", {"b": batch // batch_groups, "f": out_channels, **dict(zip(names, out))})
    if max(count(lhs_shape), count(rhs_shape), count(res_shape)) > MOST:
        return
    # Of padding and what is not finite, XLA leaves out the products; StableHLO and the device do not.
    how = m.draw.choice(["integers", "integers", "fractions"]) if e in FLOATS else "integers"
    a, b = m.argument(lhs_shape, e, how), m.argument(rhs_shape, e, how)
    depth = count(window) * channels // groups

    def letters(order):
        return "[" + ", ".join(order) + "]"

    m.add(f"stablehlo.convolution({a.name}, {b.name}) dim_numbers = {letters(lhs)}x{letters(rhs)}->{letters(res)}, window = {{stride = {stride}, "
          f"pad = {padding}, lhs_dilate = {left}, rhs_dilate = {right}, reverse = {str(flip).lower()}}} {{batch_group_count = {batch_groups} : i64, "
          f"feature_group_count = {groups} : i64}} : ({a.type}, {b.type}) -> {tensor(res_shape, e)}", (res_shape, e), exact=a.exact and b.exact,
          bound=16 * depth)


# ---- gather, scatter --------------------------------------------------------------------------------------------------------------

def index_plan(m, x):
    """Batch dimensions, indexed dimensions, those that collapse, window sizes, and the indices."""
    rank = len(x.shape)
    order = m.draw.sample(range(rank), rank)
    batched = sorted(order[:m.draw.choice([0, 0, 0, 1])] if rank > 1 else [])
    rest = [d for d in order if d not in batched]
    indexed = rest[:m.draw.randint(1, len(rest))]
    sizes = [1 if d in batched else m.draw.randint(min(1, n), n) if m.draw.random() < 0.5 else n for d, n in enumerate(x.shape)]
    collapsed = sorted(d for d in rest if d in indexed and m.draw.random() < 0.6)
    for d in collapsed:
        sizes[d] = 1
    if any(s > n for s, n in zip(sizes, x.shape)):
        return None
    batch_sizes = [x.shape[d] for d in batched]
    shape = [*batch_sizes, *(m.draw.choice([0, 1, 2, 3, 5]) for _ in range(m.draw.choice([0, 1, 1, 2])))]
    vector = m.draw.randint(0, len(shape))
    implicit = len(indexed) == 1 and m.draw.random() < 0.3
    full = list(shape)
    if not implicit:
        full.insert(vector, len(indexed))
    index_batch = [i if implicit or i < vector else i + 1 for i in range(len(batched))]
    element = m.draw.choice(["i32", "i32", "i64", "ui32", "i8", "ui8"])
    return {"batched": batched, "indexed": indexed, "collapsed": collapsed, "sizes": sizes, "shape": shape, "index_batch": index_batch,
            "vector": len(full) if implicit else vector, "index": m.argument(full, element, "indices"),
            "window": [s for d, s in enumerate(sizes) if d not in collapsed + batched]}


def with_windows(m, batch, window):
    """A result's shape: batch and window dimensions mixed; and where the windows' dimensions are."""
    rank = len(batch) + len(window)
    at = sorted(m.draw.sample(range(rank), len(window)))
    b, w = iter(batch), iter(window)
    return [next(w) if i in at else next(b) for i in range(rank)], at


@kind(3)
def gather(m):
    x = m.pick(rank=1, most_rank=4)
    p = index_plan(m, x)
    if p:
        shape, at = with_windows(m, p["shape"], p["window"])
        m.add(f'"stablehlo.gather"({x.name}, {p["index"].name}) <{{dimension_numbers = #stablehlo.gather<offset_dims = {at}, '
              f'collapsed_slice_dims = {p["collapsed"]}, operand_batching_dims = {p["batched"]}, start_indices_batching_dims = {p["index_batch"]}, '
              f'start_index_map = {p["indexed"]}, index_vector_dim = {p["vector"]}>, slice_sizes = {integers(p["sizes"])}, '
              f'indices_are_sorted = false}}> : ({x.type}, {p["index"].type}) -> {tensor(shape, x.element)}', (shape, x.element),
              exact=x.exact, bound=x.bound)


@kind(3)
def scatter(m):
    x = m.pick(rank=1, most_rank=4)
    p = index_plan(m, x)
    if p:
        shape, at = with_windows(m, p["shape"], p["window"])
        if count(shape) > MOST or len(shape) > 6:
            return
        updates = m.argument(shape, x.element)
        operation = m.draw.choice(["add", "maximum", "minimum", "multiply"] if x.element != "i1" else ["and", "or"])
        m.add(f'"stablehlo.scatter"({x.name}, {p["index"].name}, {updates.name}) <{{scatter_dimension_numbers = #stablehlo.scatter<'
              f'update_window_dims = {at}, inserted_window_dims = {p["collapsed"]}, input_batching_dims = {p["batched"]}, '
              f'scatter_indices_batching_dims = {p["index_batch"]}, scatter_dims_to_operand_dims = {p["indexed"]}, '
              f'index_vector_dim = {p["vector"]}>}}> {m.body(operation, x.element)} : ({x.type}, {p["index"].type}, {updates.type}) -> {x.type}',
              (x.shape, x.element), exact=x.exact and updates.exact, bound=combined(operation, max(x.bound, updates.bound), updates.size + 1))


# ---- control flow -----------------------------------------------------------------------------------------------------------------

@kind()
def while_(m):
    """A loop whose trip count is constant or an argument; it carries a value and a counter."""
    x = m.pick([*FLOATS, *INTEGERS])
    y, operation = m.like(x), m.draw.choice(["add", "subtract", "maximum", "minimum"])
    e = m.draw.choice(["i32", "i32", "i64"])
    end = m.constant(m.draw.randint(0, 4), e) if m.draw.random() < 0.6 else m.argument((), e, "indices").name
    zero, one = m.constant(0, e), m.constant(1, e)
    c = f"tensor<{e}>"
    m.add(f'"stablehlo.while"({zero}, {x.name}) ({{\n  ^bb0(%i: {c}, %s: {x.type}):\n    %p = stablehlo.compare LT, %i, {end} : ({c}, {c}) -> tensor<i1>\n'
          f"    stablehlo.return %p : tensor<i1>\n  }}, {{\n  ^bb0(%i: {c}, %s: {x.type}):\n    %j = stablehlo.add %i, {one} : {c}\n"
          f"    %t = stablehlo.{operation} %s, {y.name} : {x.type}\n    stablehlo.return %j, %t : {c}, {x.type}\n  }}) : ({c}, {x.type}) -> ({c}, {x.type})",
          ((), e), (x.shape, x.element), exact=[True, x.exact and y.exact], bound=[8, 2.0**64 if x.element[0] == "u" and operation == "subtract" else x.bound + 8 * y.bound])


@kind()
def case(m):
    x = m.pick([*FLOATS, *INTEGERS])
    y, n = m.like(x), m.draw.randint(1, 3)
    operations = [m.draw.choice(["add", "maximum", "multiply", "subtract"]) for _ in range(n)]
    index = m.argument((), "i32", "indices").name if m.draw.random() < 0.7 else m.constant(m.draw.randint(-1, 3), "i32")
    branches = ", ".join(f"{{\n    %t = stablehlo.{o} {x.name}, {y.name} : {x.type}\n    stablehlo.return %t : {x.type}\n  }}" for o in operations)
    m.add(f'"stablehlo.case"({index}) ({branches}) : (tensor<i32>) -> {x.type}', (x.shape, x.element), exact=x.exact and y.exact,
          bound=2.0**64 if x.element[0] == "u" else x.bound * y.bound + x.bound + y.bound)


@kind()
def if_(m):
    x = m.pick([*FLOATS, *INTEGERS])
    y, p = m.like(x), m.argument((), "i1")
    m.add(f'"stablehlo.if"({p.name}) ({{\n    %t = stablehlo.add {x.name}, {y.name} : {x.type}\n    stablehlo.return %t : {x.type}\n  }}, {{\n'
          f"    stablehlo.return {y.name} : {x.type}\n  }}) : (tensor<i1>) -> {x.type}", (x.shape, x.element), exact=x.exact and y.exact,
          bound=x.bound + y.bound)


# ---- norms, linear algebra --------------------------------------------------------------------------------------------------------

@kind()
def batch_norm(m):
    x = m.pick(["f32", "f64"], 1, most_rank=4)
    dim, e = m.draw.randrange(len(x.shape)), x.element
    n = x.shape[dim]
    if x.size == 0:
        return
    t = tensor([n], e)
    scale, offset, mean, variance = (m.argument([n], e, "positive") for _ in range(4))
    if m.draw.random() < 0.5:
        m.add(f'"stablehlo.batch_norm_inference"({x.name}, {scale.name}, {offset.name}, {mean.name}, {variance.name}) <{{epsilon = 0.5 : f32, '
              f"feature_index = {dim} : i64}}> : ({x.type}, {t}, {t}, {t}, {t}) -> {x.type}", (x.shape, e), exact=False)
    else:
        m.add(f'"stablehlo.batch_norm_training"({x.name}, {scale.name}, {offset.name}) <{{epsilon = 0.5 : f32, feature_index = {dim} : i64}}> : '
              f"({x.type}, {t}, {t}) -> ({x.type}, {t}, {t})", (x.shape, e), ([n], e), ([n], e), exact=False)


@kind()
def triangular(m):
    n, k, e = m.draw.choice([1, 2, 3, 5]), m.draw.choice([1, 2, 4]), m.draw.choice(["f32", "f64"])
    left, lower, unit = (m.draw.random() < 0.5 for _ in range(3))
    a, b = m.argument([n, n], e, "positive"), m.argument([n, k] if left else [k, n], e, "integers")
    how = m.draw.choice(["NO_TRANSPOSE", "TRANSPOSE"])
    m.add(f'"stablehlo.triangular_solve"({a.name}, {b.name}) <{{left_side = {str(left).lower()}, lower = {str(lower).lower()}, unit_diagonal = '
          f"{str(unit).lower()}, transpose_a = #stablehlo<transpose {how}>}}> : ({a.type}, {b.type}) -> {b.type}", (b.shape, e), exact=False)


def make(seed, length=None, elements=None, without=()):
    """(text, inputs, whether each result is exact). elements: weights of element types; without: names of kinds."""
    m = Maker(seed, elements)
    length = length or m.draw.choice([1, 2, 3, 5, 8, 12])
    kinds = [k for k in KINDS if k.__name__ not in without]
    weights = [KINDS[k] for k in kinds]
    for _ in range(300):
        if len(m.values) >= length:
            break
        m.draw.choices(kinds, weights)[0](m)
    results = m.values[-m.draw.choice([1, 2, 4, 4]):]
    arguments, types = ", ".join(f"{v.name}: {v.type}" for v in m.inputs), ", ".join(v.type for v in results)
    text = (f"func.func @main({arguments}) -> ({types}) {{\n  " + "\n  ".join(m.lines)
            + f"\n  return {', '.join(v.name for v in results)} : {types}\n}}\n")
    return text, m.data, [v.exact for v in results]
