"""Random kernels, whose results are torch's. TILEWRIGHT_GENERATED sets the count (default 24)."""

import os
import random

import pytest

torch = pytest.importorskip("torch")

import ttl  # noqa: E402
from ttl_written import defined  # noqa: E402

COUNT = int(os.environ.get("TILEWRIGHT_GENERATED", "24"))


# ---- expressions that need more of DST than there is -----------------------------------------------

STEPS = ("{a} + {b}", "{a} - {b}", "{a} * 0.5 - {b}", "ttl.math.max({a}, {b})", "ttl.math.min({a}, {b})", "ttl.math.tanh({a}) + {b}",
         "ttl.math.sigmoid({a})", "({a} + {b}) * 0.25", "ttl.math.abs({a}) - 0.5")


class TorchMath:
    tanh, sigmoid, abs, max, min = torch.tanh, torch.sigmoid, torch.abs, torch.maximum, torch.minimum


class TorchTtl:
    math = TorchMath


class Wide:
    """Many operations, of which many are used again."""

    def __init__(self, seed):
        r = random.Random(seed)
        self.inputs = [f"x{i}" for i in range(r.randint(1, 9))]
        values, self.lines, count, sharing = list(self.inputs), [], r.randint(2, 60), r.random()
        for i in range(count):
            made = values[len(self.inputs):]
            a = r.choice(values[-6:] if r.random() < 0.5 else values)
            b = r.choice(values if r.random() < sharing else made[-4:] or values)
            self.lines.append(f"v{i} = {r.choice(STEPS).format(a=a, b=b)}")
            values.append(f"v{i}")
        made = values[len(self.inputs):]
        self.result = " + ".join(r.sample(made, r.randint(1, min(11, len(made)))))
        self.dtype, self.shape = r.choice([torch.float32, torch.bfloat16]), r.choice([(1, 1), (2, 1), (1, 3), (2, 2)])
        self.full_sync = r.random() < 0.2
        generator = torch.Generator().manual_seed(seed)
        self.tensors = [torch.randn([32 * d for d in self.shape], generator=generator).to(self.dtype) for _ in self.inputs]

    def text(self):
        names, rows, columns = ", ".join(self.inputs), *self.shape
        steps = "\n            ".join([*self.lines, f"result.store({self.result})"])
        return f"""@ttl.kernel(grid=(1, 1), dst_full_sync_en={self.full_sync})
def wide({names}, out):
    tensors = [{names}]
    cbs = [ttl.make_circular_buffer_like(t, shape={self.shape}) for t in tensors]
    out_cb = ttl.make_circular_buffer_like(out, shape={self.shape})

    @ttl.compute()
    def compute():
        {names}, = [cb.wait() for cb in cbs]
        with out_cb.reserve() as result:
            {steps}
        for cb in cbs:
            cb.pop()

    @ttl.datamovement()
    def read():
        for tensor, cb in zip(tensors, cbs):
            with cb.reserve() as block:
                ttl.copy(tensor[0:{rows}, 0:{columns}], block).wait()

    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:
            ttl.copy(block, out[0:{rows}, 0:{columns}]).wait()
"""

    def expected(self):
        names = {"ttl": TorchTtl, **{n: t.float() for n, t in zip(self.inputs, self.tensors)}}
        exec("\n".join(self.lines), names)  # noqa: S102
        return eval(self.result, names)  # noqa: S307


@pytest.mark.parametrize("seed", range(COUNT))
def test_wide_expressions(seed):
    case = Wide(seed)
    out = torch.zeros_like(case.tensors[0])
    defined("wide", case.text())(*case.tensors, out)
    expected = case.expected()
    off = (out.float() - expected).abs().max() / (expected.abs().max() + 1)
    assert off <= (1e-5 if case.dtype == torch.float32 else 0.08), case.text()


# ---- expressions as operands that must be in buffers ------------------------------------------------------

def softmax(x):
    e = ttl.math.exp(x - ttl.math.broadcast(ttl.math.reduce_max(x, dims=[1]), dims=[1]))
    return e / ttl.math.broadcast(ttl.math.reduce_sum(e, dims=[1]), dims=[1])


def centred(x):
    return x - ttl.math.broadcast(ttl.math.reduce_sum(x, dims=[1]) / 64, dims=[1])


def normalized(x):
    d = centred(x)
    return d * ttl.math.broadcast(ttl.math.rsqrt(ttl.math.reduce_sum(d * d, dims=[1]) / 64 + 1e-5), dims=[1])


IN_PLACES = {
    "softmax": (lambda a, b, c: softmax(a), lambda a, b, c: a.softmax(-1)),
    "of both operands": (lambda a, b, c: (a + b) @ (a - b), lambda a, b, c: (a + b) @ (a - b)),
    "in a row": (lambda a, b, c: a @ b @ c, lambda a, b, c: a @ b @ c),
    "beside each other": (lambda a, b, c: a @ b + b @ c, lambda a, b, c: a @ b + b @ c),
    "transposed": (lambda a, b, c: ttl.transpose(a + b) * ttl.transpose(ttl.transpose(c)), lambda a, b, c: (a + b).T * c),
    "attention": (lambda a, b, c: softmax(a @ ttl.transpose(b) * 0.125) @ c, lambda a, b, c: (a @ b.T * 0.125).softmax(-1) @ c),
    "layer norm": (lambda a, b, c: normalized(a), lambda a, b, c: torch.nn.functional.layer_norm(a, (64,))),
    "dense layer": (lambda a, b, c: centred(ttl.math.relu(a @ b + c)),
                    lambda a, b, c: (a @ b + c).relu() - (a @ b + c).relu().mean(-1, keepdim=True)),
}


@pytest.mark.parametrize("dtype", (torch.float32, torch.bfloat16), ids=("f32", "bf16"))
@pytest.mark.parametrize("name", IN_PLACES)
def test_results_that_are_read_from_buffers(name, dtype):
    function, expected = IN_PLACES[name]

    @ttl.kernel(grid=(1, 1))
    def kernel(a, b, c, out):
        a_cb, b_cb, c_cb, out_cb = (ttl.make_circular_buffer_like(t, shape=(2, 2)) for t in (a, b, c, out))

        @ttl.compute()
        def compute():
            with a_cb.wait() as x, b_cb.wait() as y, c_cb.wait() as z, out_cb.reserve() as o:
                o.store(function(x, y, z))

        @ttl.datamovement()
        def read():
            for tensor, cb in ((a, a_cb), (b, b_cb), (c, c_cb)):
                with cb.reserve() as block:
                    ttl.copy(tensor[0:2, 0:2], block).wait()

        @ttl.datamovement()
        def write():
            with out_cb.wait() as block:
                ttl.copy(block, out[0:2, 0:2]).wait()

    generator = torch.Generator().manual_seed(0)
    tensors = [torch.randn(64, 64, generator=generator).to(dtype) for _ in range(3)]
    out = torch.zeros(64, 64, dtype=dtype)
    kernel(*tensors, out)
    exact = expected(*(t.double() for t in tensors))
    assert (out.double() - exact).abs().max() <= 0.02 * (exact.abs().max() + 1)


# ---- whole kernels: cores, loops, branches, sums over iterations, expressions as operands -----------------

LEAVES = ("x", "y", "(x * 0.5)", "(y - x)", "abs(y)")
NODES = ("({a} + {b})", "({a} - {b})", "ttl.math.max({a}, {b})", "ttl.math.tanh({a})", "({a} * 0.25 + {b})", "ttl.math.relu({a})",
         "ttl.transpose({a})", "({a} @ {b}) * 0.1", "({a} + ttl.math.broadcast(ttl.math.reduce_sum({b}, dims=[1]) * 0.05, dims=[1]))",
         "({a} - ttl.math.broadcast(ttl.math.reduce_max({b}, dims=[0]), dims=[0]))")
TESTS = ("i % 2 == 0", "i > {n}", "column == row", "i * 2 + column < row + 3", "(i // 2 + row) % 3 != 1", "not i % 3", "i and column or row")


class TorchFunctions:
    tanh, relu, max = torch.tanh, torch.relu, torch.maximum

    @staticmethod
    def broadcast(x, dims):
        return x

    @staticmethod
    def reduce_sum(x, dims):
        return x.sum(dims, keepdim=True)

    @staticmethod
    def reduce_max(x, dims):
        return x.amax(dims, keepdim=True)


class TorchLanguage:
    math = TorchFunctions

    @staticmethod
    def transpose(x):
        return x.T


class Whole:
    """Square blocks flow through every core; the operations on one depend on its index and the core's coordinates."""

    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.grid = r.choice([(1, 1), (2, 1), (1, 3), (2, 2), (3, 2)])
        self.blocks, self.size, self.iterations = r.randint(1, 4), r.randint(1, 2), r.randint(1, 3)
        self.factor = r.randint(1, 3)
        self.lines = []
        self.statements("", r.randint(1, 3))
        self.adds = self.iterations > 1
        generator = torch.Generator().manual_seed(seed)
        side = 32 * self.size
        self.columns, self.rows = self.grid
        shape = (self.rows * self.blocks * self.iterations * side, self.columns * side)
        self.x, self.y = (torch.randn(shape, generator=generator) for _ in range(2))

    def expression(self, depth):
        if depth == 0:
            return self.r.choice(LEAVES)
        return self.r.choice(NODES).format(a=self.expression(depth - 1), b=self.expression(self.r.randrange(depth)))

    def statements(self, indent, depth):
        """z, whatever branch is taken."""
        if depth and self.r.random() < 0.6:
            self.lines.append(f"{indent}if {self.r.choice(TESTS).format(n=self.r.randint(0, 2))}:")
            self.statements(indent + "    ", depth - 1)
            self.lines.append(f"{indent}else:")
            self.statements(indent + "    ", depth - 1)
            return
        self.lines.append(f"{indent}z = {self.expression(self.r.randint(0, 2))}")
        self.lines.append(f"{indent}STORE")

    def text(self):
        store = "o += z" if self.adds else "o.store(z)"
        body = "\n".join(" " * 24 + line.replace("STORE", store) for line in self.lines)
        n, s = self.blocks * self.iterations, self.size
        return f"""@ttl.kernel(grid={self.grid})
def whole(a, b, out):
    a_cb, b_cb, o_cb = (ttl.make_circular_buffer_like(t, shape=({s}, {s}), buffer_factor={self.factor}) for t in (a, b, out))
    column, row = ttl.core(dims=2)
    left = slice(column * {s}, column * {s} + {s})

    @ttl.datamovement()
    def read():
        for i in range({n}):
            top = (row * {n} + i) * {s}
            with a_cb.reserve() as x, b_cb.reserve() as y:
                first, second = ttl.copy(a[top:top + {s}, left], x), ttl.copy(b[top:top + {s}, left], y)
                first.wait()
                second.wait()

    @ttl.compute()
    def compute():
        for block in range({self.blocks}):
            with o_cb.reserve() as o:
                for k in range({self.iterations}):
                    i = block * {self.iterations} + k
                    with a_cb.wait() as x, b_cb.wait() as y:
{body}

    @ttl.datamovement()
    def write():
        for i in range({self.blocks}):
            top = (row * {self.blocks} + i) * {s}
            with o_cb.wait() as o:
                ttl.copy(o, out[top:top + {s}, left]).wait()
"""

    def expected(self):
        side = 32 * self.size
        out = torch.zeros(self.rows * self.blocks * side, self.columns * side, dtype=torch.float64)
        code = compile("\n".join(self.lines).replace("STORE", "pass"), "expected", "exec")
        for row in range(self.rows):
            for column in range(self.columns):
                for i in range(self.blocks * self.iterations):
                    top, left = (row * self.blocks * self.iterations + i) * side, column * side
                    names = {"ttl": TorchLanguage, "i": i, "row": row, "column": column}
                    for name, t in (("x", self.x), ("y", self.y)):
                        names[name] = t[top:top + side, left:left + side].double()
                    exec(code, names)  # noqa: S102
                    to = (row * self.blocks + i // self.iterations) * side
                    out[to:to + side, left:left + side] += names["z"]
        return out


@pytest.mark.parametrize("seed", range(COUNT))
def test_whole_kernels(seed):
    case = Whole(seed)
    expected = case.expected()
    out = torch.zeros(expected.shape)
    defined("whole", case.text())(case.x, case.y, out)
    assert (out - expected).abs().max() <= 0.01 * (expected.abs().max() + 1), case.text()
