"""Random TTIR functions that read caches, write them in place and then use what they read before, against NumPy. The operations are those
that canonicalization, fusing and the exchange of permutes and reshapes combine, so that a pattern which reads a cache again behind a
write gives other numbers."""

import numpy as np
import pytest
from native import Program

N, T = 32, "tensor<1x1x32x32xf32>"  # of all values but rows
TOLERANCE = 2e-4  # of the largest value: a chain of at most 24 operations in f32, products of 32 terms among them


def mean(x):
    return x.mean(-1, keepdims=True)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Function:
    """The lines of a function, and what each value is."""

    def __init__(self, seed):
        self.r = np.random.default_rng(seed)
        self.lines, self.count, self.values = [], 0, []
        self.inputs = [self.r.standard_normal((1, 1, N, N)).astype(np.float32) for _ in range(4)]
        self.caches = {"%c0": self.inputs[0].copy(), "%c1": self.inputs[1].copy()}
        self.fixed = [("%x", self.inputs[2]), ("%w", 0.2 * self.inputs[3])]
        self.inputs[3] = self.fixed[1][1]

    def emit(self, operation, operands, types, result, attributes=""):
        name = f"%{self.count}"
        self.count += 1
        self.lines.append(f'  {name} = "ttir.{operation}"({", ".join(operands)}) <{{{attributes}}}> : ({", ".join(types)}) -> {result}')
        return name

    def pick(self):
        """A cache as it is now, a late value, or a read-only argument."""
        kind = self.r.integers(5)
        if kind < 2 or not self.values:
            name = "%c0" if kind == 0 else "%c1"
            return name, self.caches[name].copy()
        return self.values[-1 - self.r.integers(min(4, len(self.values)))] if kind < 4 else self.fixed[self.r.integers(2)]

    def unary(self):
        name, x = self.pick()
        op, attributes, of = UNARY[self.r.integers(len(UNARY))]
        return self.emit(op, [name], [T], T, attributes), of(x)

    def binary(self):
        (a, x), (b, y) = self.pick(), self.pick()
        op, of = BINARY[self.r.integers(len(BINARY))]
        return self.emit(op, [a, b], [T, T], T), of(x, y)

    def number(self):
        """An operation beside a constant, which patterns of activations look for."""
        name, x = self.pick()
        value = float(self.r.choice([0, 1, 0.5, 3, 6]))
        full = self.emit("full", [], [], T, f"shape = array<i32: 1, 1, {N}, {N}>, fill_value = {value} : f32")
        op, of = NUMBER[self.r.integers(len(NUMBER))]
        return self.emit(op, [name, full], [T, T], T), of(x, np.float32(value))

    def product(self):
        (a, x), (b, y) = self.pick(), self.fixed[1]
        return self.emit("matmul", [a, b], [T, T], T), x @ y

    def reduced(self):
        """Rows' sums, means or maxima, without their dimension, with it again and everywhere."""
        name, x = self.pick()
        op, of = [("sum", np.sum), ("mean", np.mean), ("max", np.max)][self.r.integers(3)]
        short = self.emit(op, [name], [T], f"tensor<1x1x{N}xf32>", "dim_arg = [3 : i32], keep_dim = false")
        self.maybe_write()
        column = self.emit("reshape", [short], [f"tensor<1x1x{N}xf32>"], f"tensor<1x1x{N}x1xf32>", f"shape = [1 : i32, 1 : i32, {N} : i32, 1 : i32]")
        self.maybe_write()
        wide = self.emit("broadcast", [column], [f"tensor<1x1x{N}x1xf32>"], T, f"broadcast_dimensions = array<i64: 1, 1, 1, {N}>")
        scale = np.float32(1 / N if op == "sum" else 1)
        return self.scaled(wide, of(x, axis=-1, keepdims=True) * np.ones_like(x), scale)

    def scaled(self, name, x, scale):
        if scale == 1:
            return name, x
        full = self.emit("full", [], [], T, f"shape = array<i32: 1, 1, {N}, {N}>, fill_value = {scale} : f32")
        return self.emit("multiply", [name, full], [T, T], T), x * scale

    def flat(self):
        """A reshape and its inverse around an operation."""
        name, x = self.pick()
        other = f"tensor<1x{N}x{N}xf32>"
        low = self.emit("reshape", [name], [T], other, f"shape = [1 : i32, {N} : i32, {N} : i32]")
        self.maybe_write()
        middle = self.emit("neg", [low], [other], other)
        self.maybe_write()
        return self.emit("reshape", [middle], [other], T, f"shape = [1 : i32, 1 : i32, {N} : i32, {N} : i32]"), -x

    def cut(self):
        """Two parts of a value beside each other, the later one first."""
        name, x = self.pick()
        half, parts = f"tensor<1x1x{N}x{N // 2}xf32>", []
        for begin in (N // 2, 0):
            numbers = [f"{key} = [{', '.join(f'{v} : i32' for v in of)}]" for key, of in
                       (("begins", (0, 0, 0, begin)), ("ends", (1, 1, N, begin + N // 2)), ("step", (1, 1, 1, 1)))]
            parts.append(self.emit("slice_static", [name], [T], half, ", ".join(numbers)))
        self.maybe_write()
        return self.emit("concat", parts, [half, half], T, "dim = 3 : si32"), np.concatenate([x[..., N // 2:], x[..., :N // 2]], -1)

    def maybe_write(self):
        if self.r.integers(3) == 0:
            self.write()

    def write(self):
        """One row of a cache, or its first rows, become those of %x."""
        cache = f"%c{self.r.integers(2)}"
        if self.r.integers(2):
            at = int(self.r.integers(N))
            index = self.emit("constant", [], [], "tensor<1xi32>", f"value = dense<{at}> : tensor<1xi32>")
            self.lines.append(f'  "ttir.update_cache"({cache}, %row, {index}) <{{batch_offset = 0 : i32}}> : ({T}, tensor<1x1x1x{N}xf32>, tensor<1xi32>) -> ()')
            self.caches[cache][..., at:at + 1, :] = self.inputs[2][..., :1, :]
        else:
            self.lines.append(f'  "ttir.fill_cache"({cache}, %x) <{{batch_offset = 0 : i32}}> : ({T}, {T}) -> ()')
            self.caches[cache][...] = self.inputs[2]

    def made(self, length):
        steps = [self.unary, self.unary, self.binary, self.binary, self.number, self.number, self.product, self.reduced, self.flat, self.cut]
        for _ in range(length):
            name, x = steps[self.r.integers(len(steps))]()
            if np.abs(x).max() > 100:
                name, x = self.emit("tanh", [name], [T], T), np.tanh(x)
            self.values.append((name, x.astype(np.float32)))
            self.maybe_write()
        results = [self.values[i] for i in sorted(self.r.choice(length, min(5, length), replace=False))] + list(self.caches.items())
        lines = "\n".join(self.lines)
        return f"""func.func @f(%c0: {T}, %c1: {T}, %x: {T}, %w: {T}, %row: tensor<1x1x1x{N}xf32>) -> ({", ".join([T] * len(results))}) {{
{lines}
  return {", ".join(n for n, _ in results)} : {", ".join([T] * len(results))}
}}""", [x for _, x in results]


UNARY = [
    ("relu", "", lambda x: np.maximum(x, 0)), ("neg", "", lambda x: -x), ("abs", "", np.abs), ("sigmoid", "", sigmoid), ("tanh", "", np.tanh),
    ("clamp_scalar", "min = 0.0 : f32, max = 2.0 : f32", lambda x: np.clip(x, 0, 2)),
    ("permute", "permutation = array<i64: 0, 1, 3, 2>", lambda x: x.swapaxes(-1, -2)),
    ("transpose", "dim0 = 2 : si32, dim1 = 3 : si32", lambda x: x.swapaxes(-1, -2)),
    ("reverse", "dimensions = array<i64: 3>", lambda x: x[..., ::-1]),
    ("softmax", "dimension = 3 : si32", softmax),
    ("rms_norm", f"normalized_shape = array<i64: {N}>, epsilon = 1.0e-5 : f32, operandSegmentSizes = array<i32: 1, 0, 0>",
     lambda x: x / np.sqrt(mean(x * x) + 1e-5)),
]
IDENTITY = [
    ("typecast", ""), ("permute", "permutation = array<i64: 0, 1, 2, 3>"), ("reverse", "dimensions = array<i64: 0, 1>"),
    ("reshape", f"shape = [1 : i32, 1 : i32, {N} : i32, {N} : i32]"), ("transpose", "dim0 = 0 : si32, dim1 = 1 : si32"),
    ("slice_static", f"begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, {N} : i32, {N} : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]"),
    ("broadcast", "broadcast_dimensions = array<i64: 1, 1, 1, 1>"), ("concat", "dim = 2 : si32"), ("sum", "dim_arg = [1 : i32], keep_dim = true"),
    ("repeat", "repeat_dimensions = array<i64: 1, 1, 1, 1>"), ("pad", "padding = array<i32: 0, 0, 0, 0, 0, 0, 0, 0>, value = 0.0 : f32"),
]
UNARY += [(name, attributes, np.copy) for name, attributes in IDENTITY]
BINARY = [("add", np.add), ("subtract", np.subtract), ("multiply", np.multiply), ("maximum", np.maximum), ("minimum", np.minimum)]
NUMBER = BINARY[:3] + [("maximum", np.maximum), ("minimum", np.minimum)]


def check(seed):
    function = Function(seed)
    text, wanted = function.made(4 + seed % 9)
    row = np.ascontiguousarray(function.inputs[2][..., :1, :])
    inputs = [x.copy() for x in function.inputs] + [row]
    for i, (got, want) in enumerate(zip(Program(text)(*inputs), wanted)):
        worst = np.abs(got - want).max()
        assert worst <= TOLERANCE * max(1, np.abs(want).max()), f"seed {seed}, result {i}: off by {worst}\n{text}"


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_reads_before_writes(first):
    for seed in range(first, first + 50):
        check(seed)
