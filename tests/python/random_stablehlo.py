"""Random StableHLO programs: chains of some sixty operations on small tensors of several element types, many of which
have a dimension of size 0 or 1. The same seed gives the same program and inputs."""

import random

import numpy as np

DTYPES = {"f32": np.float32, "i32": np.int32, "ui8": np.uint8, "i1": np.bool_}
FLOAT_UNARY = ["abs", "cbrt", "ceil", "cosine", "floor", "logistic", "negate", "round_nearest_afz", "round_nearest_even", "sign", "sine", "tanh"]
FLOAT_BINARY = ["add", "maximum", "minimum", "multiply", "subtract"]
INTEGER_UNARY = ["abs", "negate", "not", "popcnt", "sign"]
INTEGER_BINARY = ["add", "and", "maximum", "minimum", "multiply", "or", "subtract", "xor", "divide", "remainder"]
BOOL_BINARY = ["and", "or", "xor", "maximum", "minimum"]
COMBINERS = {"f32": [("add", "0.0"), ("maximum", "0xFF800000"), ("minimum", "0x7F800000")],
             "i32": [("add", "0"), ("maximum", "-2147483648"), ("minimum", "2147483647"), ("multiply", "1"), ("and", "-1"), ("or", "0"), ("xor", "0")],
             "ui8": [("add", "0"), ("maximum", "0"), ("minimum", "255")], "i1": [("and", "true"), ("or", "false")]}
KINDS = []


def kind(f):
    KINDS.append(f)
    return f


def tensor(shape, element):
    return "tensor<" + "".join(f"{d}x" for d in shape) + element + ">"


def integers(values):
    return "array<i64" + (": " + ", ".join(map(str, values)) if values else "") + ">"


class Value:
    def __init__(self, name, shape, element):
        self.name, self.shape, self.element, self.type = name, tuple(shape), element, tensor(shape, element)


class Maker:
    def __init__(self, seed):
        self.draw, self.values, self.inputs, self.lines = random.Random(seed), [], [], []

    def size(self):
        return self.draw.choice([0, 1, 1, 2, 3, 4, 5, 7])

    def shape(self, low=0, high=4):
        return [self.size() for _ in range(self.draw.randint(low, high))]

    def argument(self, shape, element):
        v = Value(f"%a{len(self.inputs)}", shape, element)
        self.inputs.append(v)
        return v

    def pick(self, elements=DTYPES, rank=0):
        """A former value, preferring later ones; or a new argument."""
        fitting = [v for v in self.values if v.element in elements and len(v.shape) >= rank]
        if not fitting or self.draw.random() < 0.1:
            return self.argument(self.shape(rank), self.draw.choice(sorted(elements)))
        return self.draw.choice(fitting[-3:] if self.draw.random() < 0.8 else fitting)

    def like(self, x, element=None):
        fitting = [v for v in self.values if v.shape == x.shape and v.element == (element or x.element)]
        return self.draw.choice(fitting) if fitting and self.draw.random() < 0.7 else self.argument(x.shape, element or x.element)

    def add(self, text, *results):
        """`text` computes values of those shapes and element types."""
        if any(len(shape) > 6 for shape, _ in results):
            return
        names = [f"%v{len(self.values) + i}" for i in range(len(results))]
        group = names[0] if len(results) == 1 else f"%r{len(self.lines)}"
        self.lines.append(f"{group}{'' if len(results) == 1 else f':{len(results)}'} = {text}")
        for i, (shape, element) in enumerate(results):
            self.values.append(Value(group if len(results) == 1 else f"{group}#{i}", shape, element))

    def constant(self, value, element):
        name = f"%c{len(self.lines)}"
        self.lines.append(f"{name} = stablehlo.constant dense<{value}> : tensor<{element}>")
        return name

    def body(self, operation, element):
        return (f"({{\n  ^bb0(%x: tensor<{element}>, %y: tensor<{element}>):\n    %z = stablehlo.{operation} %x, %y : tensor<{element}>\n"
                f"    stablehlo.return %z : tensor<{element}>\n  }})")


def draw_factors(m, size):
    """Sizes whose product is `size`."""
    shape = []
    if size == 0:
        shape = m.shape(1)
        shape[m.draw.randrange(len(shape))] = 0
    while size > 1:
        shape.append(m.draw.choice([d for d in range(1, size + 1) if size % d == 0]))
        size //= shape[-1]
    for _ in range(m.draw.choice([0, 0, 1, 2])):
        shape.insert(m.draw.randint(0, len(shape)), 1)
    return shape


def draw_parts(m):
    """A dimension and values that are concatenated along it, with the result's sizes."""
    x = m.pick(rank=1)
    dim = m.draw.randrange(len(x.shape))
    parts = [x, *(m.argument([*x.shape[:dim], m.size(), *x.shape[dim + 1:]], x.element) if m.draw.random() < 0.5 else m.like(x)
                  for _ in range(m.draw.randint(0, 2)))]
    m.draw.shuffle(parts)
    return dim, parts, [*x.shape[:dim], sum(p.shape[dim] for p in parts), *x.shape[dim + 1:]]


def concatenation(dim, parts, shape):
    return (f'"stablehlo.concatenate"({", ".join(p.name for p in parts)}) <{{dimension = {dim} : i64}}> : '
            f"({', '.join(p.type for p in parts)}) -> {tensor(shape, parts[0].element)}")


def draw_slice(m, x):
    """A slice of x: its operation, and the result's sizes."""
    begin = [m.draw.randint(0, d) for d in x.shape]
    end = [m.draw.randint(b, d) for b, d in zip(begin, x.shape)]
    for i, d in enumerate(x.shape):
        if m.draw.random() < 0.5:
            begin[i], end[i] = 0, d
    step = [m.draw.choice([1, 1, 2, 3]) for _ in x.shape]
    shape = [-(-(e - b) // s) for b, e, s in zip(begin, end, step)]
    return (f'"stablehlo.slice"({x.name}) <{{start_indices = {integers(begin)}, limit_indices = {integers(end)}, strides = {integers(step)}}}> : '
            f"({x.type}) -> {tensor(shape, x.element)}", shape)


def draw_padding(m, x):
    """Low, high and interior padding of x, and the sizes with it."""
    low, high = ([m.draw.choice([0, 0, 1, 2, -1]) for _ in x.shape] for _ in range(2))
    interior = [m.draw.choice([0, 0, 0, 1, 2]) for _ in x.shape]
    return low, high, interior, [lo + hi + d + max(d - 1, 0) * i for lo, hi, d, i in zip(low, high, x.shape, interior)]


def draw_dot(m, x):
    """Batch and contracted dimensions of x, those of the right operand, its sizes and the result's."""
    dims = m.draw.sample(range(len(x.shape)), len(x.shape))
    n_batch = m.draw.randint(0, len(dims))
    n_contract = m.draw.randint(0, len(dims) - n_batch)
    batch, contract = dims[:n_batch], dims[n_batch:n_batch + n_contract]
    free = [m.size() for _ in range(m.draw.choice([0, 1, 1, 2]))]
    sizes = [("b", d) for d in batch] + [("c", d) for d in contract] + [("f", n) for n in free]
    m.draw.shuffle(sizes)
    right = {(how, n): i for i, (how, n) in enumerate(sizes) if how != "f"}
    shape = [x.shape[d] for d in batch] + [d for i, d in enumerate(x.shape) if i not in batch + contract] + [n for how, n in sizes if how == "f"]
    return batch, contract, right, [n if how == "f" else x.shape[n] for how, n in sizes], shape


def sorting(operands, dim, how, key):
    """The operation that sorts operands along a dimension by one of them."""
    arguments = ", ".join(f"%x{i}: tensor<{o.element}>, %y{i}: tensor<{o.element}>" for i, o in enumerate(operands))
    e, types = operands[key].element, ", ".join(o.type for o in operands)
    return (f'"stablehlo.sort"({", ".join(o.name for o in operands)}) <{{dimension = {dim} : i64, is_stable = true}}> ({{\n  ^bb0({arguments}):\n'
            f"    %p = stablehlo.compare {how}, %x{key}, %y{key} : (tensor<{e}>, tensor<{e}>) -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n"
            f"  }}) : ({types}) -> ({types})")


@kind
def unary(m):
    x = m.pick(["f32", "i32"])
    name = m.draw.choice(FLOAT_UNARY if x.element == "f32" else INTEGER_UNARY)
    m.add(f'"stablehlo.{name}"({x.name}) : ({x.type}) -> {x.type}', (x.shape, x.element))


@kind
def binary(m):
    x = m.pick(["f32", "i32", "i1"])
    y = m.like(x)
    name = m.draw.choice({"f32": FLOAT_BINARY, "i32": INTEGER_BINARY, "i1": BOOL_BINARY}[x.element])
    m.add(f"stablehlo.{name} {x.name}, {y.name} : {x.type}", (x.shape, x.element))


@kind
def compare(m):
    x = m.pick()
    y, how = m.like(x), m.draw.choice(["EQ", "NE", "LT", "LE", "GT", "GE"])
    m.add(f"stablehlo.compare {how}, {x.name}, {y.name} : ({x.type}, {x.type}) -> {tensor(x.shape, 'i1')}", (x.shape, "i1"))


@kind
def select(m):
    x = m.pick()
    y, p = m.like(x), m.like(x, "i1")
    m.add(f"stablehlo.select {p.name}, {x.name}, {y.name} : {p.type}, {x.type}", (x.shape, x.element))


@kind
def clamp(m):
    x = m.pick(["f32", "i32"])
    low, high = (m.constant(v if x.element == "i32" else f"{v}.0", x.element) for v in (-1, 2))
    m.add(f"stablehlo.clamp {low}, {x.name}, {high} : (tensor<{x.element}>, {x.type}, tensor<{x.element}>) -> {x.type}", (x.shape, x.element))


@kind
def convert(m):
    x, element = m.pick(["i32", "ui8", "i1"]), m.draw.choice(["f32", "i32"])
    m.add(f"stablehlo.convert {x.name} : ({x.type}) -> {tensor(x.shape, element)}", (x.shape, element))


@kind
def iota(m):
    shape, element = m.shape(1), m.draw.choice(["f32", "i32", "ui8"])
    m.add(f"stablehlo.iota dim = {m.draw.randrange(len(shape))} : {tensor(shape, element)}", (shape, element))


@kind
def reshape(m):
    x = m.pick()
    shape = draw_factors(m, int(np.prod(x.shape)))
    m.add(f"stablehlo.reshape {x.name} : ({x.type}) -> {tensor(shape, x.element)}", (shape, x.element))


@kind
def transpose(m):
    x = m.pick()
    order = m.draw.sample(range(len(x.shape)), len(x.shape))
    shape = [x.shape[i] for i in order]
    m.add(f"stablehlo.transpose {x.name}, dims = {order} : ({x.type}) -> {tensor(shape, x.element)}", (shape, x.element))


@kind
def broadcast(m):
    x = m.pick()
    rank = len(x.shape) + m.draw.choice([0, 1, 1, 2])
    dims = m.draw.sample(range(rank), len(x.shape))
    shape = [m.size() for _ in range(rank)]
    for i, d in enumerate(dims):
        shape[d] = x.shape[i] if x.shape[i] != 1 or m.draw.random() < 0.5 else m.size()
    if np.prod(shape) <= 4000:
        m.add(f"stablehlo.broadcast_in_dim {x.name}, dims = {dims} : ({x.type}) -> {tensor(shape, x.element)}", (shape, x.element))


@kind
def concatenate(m):
    dim, parts, shape = draw_parts(m)
    m.add(concatenation(dim, parts, shape), (shape, parts[0].element))


@kind
def slice_(m):
    x = m.pick()
    text, shape = draw_slice(m, x)
    m.add(text, (shape, x.element))


@kind
def dynamic_slice(m):
    x = m.pick(rank=1)
    sizes = [m.draw.randint(0, d) if m.draw.random() < 0.5 else d for d in x.shape]
    starts = [m.constant(m.draw.randint(-1, 4), "i32") for _ in x.shape]
    m.add(f'"stablehlo.dynamic_slice"({x.name}, {", ".join(starts)}) <{{slice_sizes = {integers(sizes)}}}> : '
          f"({x.type}, {', '.join(['tensor<i32>'] * len(sizes))}) -> {tensor(sizes, x.element)}", (sizes, x.element))


@kind
def dynamic_update_slice(m):
    x = m.pick(rank=1)
    update = m.argument([m.draw.randint(0, d) if m.draw.random() < 0.5 else d for d in x.shape], x.element)
    starts = [m.constant(m.draw.randint(-1, 4), "i32") for _ in x.shape]
    m.add(f'"stablehlo.dynamic_update_slice"({x.name}, {update.name}, {", ".join(starts)}) : '
          f"({x.type}, {update.type}, {', '.join(['tensor<i32>'] * len(starts))}) -> {x.type}", (x.shape, x.element))


@kind
def pad(m):
    x = m.pick(["f32", "i32"])
    low, high, interior, shape = draw_padding(m, x)
    if min(shape, default=0) >= 0:
        value = m.constant("7.0" if x.element == "f32" else "7", x.element)
        m.add(f"stablehlo.pad {x.name}, {value}, low = {low}, high = {high}, interior = {interior} : "
              f"({x.type}, tensor<{x.element}>) -> {tensor(shape, x.element)}", (shape, x.element))


@kind
def reverse(m):
    x = m.pick(rank=1)
    dims = m.draw.sample(range(len(x.shape)), m.draw.randint(1, len(x.shape)))
    m.add(f"stablehlo.reverse {x.name}, dims = {dims} : {x.type}", (x.shape, x.element))


@kind
def reduce(m):
    x = m.pick()
    dims = sorted(m.draw.sample(range(len(x.shape)), m.draw.randint(0, len(x.shape))))
    operation, init = m.draw.choice(COMBINERS[x.element])
    shape = [d for i, d in enumerate(x.shape) if i not in dims]
    m.add(f'"stablehlo.reduce"({x.name}, {m.constant(init, x.element)}) <{{dimensions = {integers(dims)}}}> {m.body(operation, x.element)} : '
          f"({x.type}, tensor<{x.element}>) -> {tensor(shape, x.element)}", (shape, x.element))


@kind
def reduce_window(m):
    x = m.pick(rank=1)
    operation, init = COMBINERS[x.element][0]
    window, stride = ([m.draw.choice([1, 1, 2, 3]) for _ in x.shape] for _ in range(2))
    padding = [[m.draw.choice([0, 0, 1]), m.draw.choice([0, 0, 2])] for _ in x.shape]
    padded = [d + sum(p) for d, p in zip(x.shape, padding)]
    shape = [0 if p < w else (p - w) // s + 1 for p, w, s in zip(padded, window, stride)]
    m.add(f'"stablehlo.reduce_window"({x.name}, {m.constant(init, x.element)}) <{{window_dimensions = {integers(window)}, '
          f"window_strides = {integers(stride)}, padding = dense<{padding}> : tensor<{len(padding)}x2xi64>}}> {m.body(operation, x.element)} : "
          f"({x.type}, tensor<{x.element}>) -> {tensor(shape, x.element)}", (shape, x.element))


@kind
def running_sum(m):
    x = m.pick(["i32", "f32"], 1)
    dim = m.draw.randrange(len(x.shape))
    if x.shape[dim]:
        window = [d if i == dim else 1 for i, d in enumerate(x.shape)]
        padding = [[d - 1, 0] for d in window]
        init = m.constant("0" if x.element == "i32" else "0.0", x.element)
        m.add(f'"stablehlo.reduce_window"({x.name}, {init}) <{{window_dimensions = {integers(window)}, padding = dense<{padding}> : '
              f"tensor<{len(window)}x2xi64>}}> {m.body('add', x.element)} : ({x.type}, tensor<{x.element}>) -> {x.type}", (x.shape, x.element))


@kind
def sort(m):
    x = m.pick(rank=1)
    operands = [x, *(m.like(x, m.draw.choice(list(DTYPES))) for _ in range(m.draw.choice([0, 0, 1, 2])))]
    dim, how, key = m.draw.randrange(len(x.shape)), m.draw.choice(["LT", "GT"]), m.draw.randrange(len(operands))
    if m.draw.random() < 0.3:  # indices
        element = m.draw.choice(["i32", "f32", "ui8"])
        m.lines.append(f"%i{len(m.lines)} = stablehlo.iota dim = {dim} : {tensor(x.shape, element)}")
        operands.append(Value(f"%i{len(m.lines) - 1}", x.shape, element))
    m.add(sorting(operands, dim, how, key), *((o.shape, o.element) for o in operands))


@kind
def dot(m):
    x = m.pick(["f32", "i32"])
    batch, contract, right, y_shape, shape = draw_dot(m, x)
    y = m.argument(y_shape, x.element)
    if np.prod(shape) <= 4000:
        m.add(f"stablehlo.dot_general {x.name}, {y.name}, batching_dims = {batch} x {[right['b', d] for d in batch]}, "
              f"contracting_dims = {contract} x {[right['c', d] for d in contract]} : ({x.type}, {y.type}) -> {tensor(shape, x.element)}",
              (shape, x.element))


@kind
def gather(m):
    x = m.pick(rank=1)
    dim, count = m.draw.randrange(len(x.shape)), m.size()
    if x.shape[dim]:
        index = m.argument([count, 1], "i32")
        sizes = [1 if i == dim else d for i, d in enumerate(x.shape)]
        shape = [count, *(d for i, d in enumerate(x.shape) if i != dim)]
        m.add(f'"stablehlo.gather"({x.name}, {index.name}) <{{dimension_numbers = #stablehlo.gather<offset_dims = {list(range(1, len(shape)))}, '
              f"collapsed_slice_dims = [{dim}], start_index_map = [{dim}], index_vector_dim = 1>, slice_sizes = {integers(sizes)}}}> : "
              f"({x.type}, {index.type}) -> {tensor(shape, x.element)}", (shape, x.element))


@kind
def scatter(m):
    x = m.pick(["f32", "i32"], 1)
    count = m.size()
    index, updates = m.argument([count, 1], "i32"), m.argument([count, *x.shape[1:]], x.element)
    m.add(f'"stablehlo.scatter"({x.name}, {index.name}, {updates.name}) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = '
          f"{list(range(1, len(x.shape)))}, inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> "
          f"{m.body(m.draw.choice(['add', 'maximum', 'minimum']), x.element)} : ({x.type}, {index.type}, {updates.type}) -> {x.type}",
          (x.shape, x.element))


def make(seed, length=9):
    """The text of a program and its inputs. Initial values of reductions are neutral, as XLA drops other values where
    it can, and operations for which XLA's fast forms are wrong are absent (atan2 of zeros, leading zeros of
    constants)."""
    m = Maker(seed)
    while len(m.values) < length:
        m.draw.choice(KINDS)(m)
    results = m.values[-4:]
    arguments, types = ", ".join(f"{v.name}: {v.type}" for v in m.inputs), ", ".join(v.type for v in results)
    text = (f"func.func @main({arguments}) -> ({types}) {{\n  " + "\n  ".join(m.lines)
            + f"\n  return {', '.join(v.name for v in results)} : {types}\n}}")
    rng = np.random.default_rng(seed)
    return text, [rng.integers(-3, 4, v.shape).astype(DTYPES[v.element]) if v.element != "ui8" else rng.integers(0, 9, v.shape).astype(np.uint8)
                  for v in m.inputs]
