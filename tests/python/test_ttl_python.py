"""Ordinary Python in threads: Python's own functions, loops and data, on blocks and on numbers."""

import collections
import dataclasses
import functools
import operator

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402

SCALES = {"half": 0.5, "three": 3.0}


def halved(n):
    steps = 0
    while n > 1:
        n //= 2
        steps += 1
    return steps


def until(values, end):
    seen = []
    for v in values:
        if v == end:
            break
        seen = [*seen, v]
    return seen


def first(items, *rest, by=1):
    return items + sum(rest) * by


class Chain:
    """An object with a method that computes."""

    def __init__(self, *steps):
        self.steps = steps

    def __call__(self, x):
        for step in self.steps:
            x = step(x)
        return x

    @staticmethod
    def twice(x):
        return x + x

    @property
    def length(self):
        return len(self.steps)


@dataclasses.dataclass
class Affine:
    scale: float
    offset: object

    def apply(self, x):
        return x * self.scale + self.offset


@dataclasses.dataclass
class Pair:
    a: object
    b: object


Named = collections.namedtuple("Named", "a b")


def add_pair(pair):
    return pair.a + pair.b


def add_named(blocks):
    return blocks["a"] - blocks.get("b")


def keywords(*, a, b, c=1, **others):
    return (a + b) * c + len(others)


def power(x, n):
    return x if n == 1 else x * power(x, n - 1)


CASES = [
    ("sum", lambda x, y: sum([x, y, x])),
    ("sum of a generator", lambda x, y: sum(i * x for i in (1, 2, 3))),
    ("sum with a start", lambda x, y: sum([x, y], x)),
    ("reduce", lambda x, y: functools.reduce(lambda a, b: a * b, [x, y, x])),
    ("reduce with operator", lambda x, y: functools.reduce(operator.add, [x, y, x], y)),
    ("map", lambda x, y: sum(map(lambda a, b: a * b, [x, y], [2.0, 3.0]))),
    ("filter", lambda x, y: sum(list(filter(lambda n: n % 2, [1, 2, 3]))) * x),
    ("all and any", lambda x, y: x + y if all([True, any([0, 1])]) else x),
    ("walrus", lambda x, y: (t := x + y) * t),
    ("dict comprehension", lambda x, y: {name: x * s for name, s in SCALES.items()}["half"] + y),
    ("isinstance", lambda x, y: x if isinstance(y, (int, float)) else x + y),
    ("operator", lambda x, y: operator.sub(operator.mul(x, 2.0), y)),
    ("starred", lambda x, y: first(x, *[1.0, 2.0], by=2) + y),
    ("a loop that halves", lambda x, y: x * halved(16) + y),
    ("a loop that breaks", lambda x, y: x * len(until([5, 6, 7], 7)) + y),
    ("an object that is called", lambda x, y: Chain(lambda v: v * 2, Chain.twice)(x) + y * Chain(1, 2).length),
    ("nested lambda", lambda x, y: (lambda f, v: f(f(v)))(lambda v: v * 0.5, x + y)),
    ("conditional expression", lambda x, y: (x if len(SCALES) > 1 else y) - (y if not SCALES else x * 2)),
    ("f-string as key", lambda x, y: x * SCALES[f"{'half'}"] + y),
    ("zip and enumerate", lambda x, y: sum(b * (i + w) for i, (b, w) in enumerate(zip((x, y), (2, 3))))),
    ("sorted", lambda x, y: x * sorted([3, 1, 2], key=lambda n: -n)[0] + y),
    ("slices of lists", lambda x, y: sum([x, y, x, y][::2]) + [y, x][-1]),
    ("min and max", lambda x, y: max(x, y) - min(x, y) + max(1, 2)),
    ("a bound method", lambda x, y: Affine(2.0, y).apply(x)),
    ("a dataclass", lambda x, y: add_pair(Pair(x, y))),
    ("a named tuple", lambda x, y: Named(x, y).b * 2 + Named(b=y, a=x).a),
    ("a dict of blocks", lambda x, y: add_named({"a": x, "b": y})),
    ("partial", lambda x, y: functools.partial(first, x, by=3)(1.0) + y),
    ("keyword arguments", lambda x, y: keywords(a=x, **{"b": y, "c": 2})),
    ("recursion that ends", lambda x, y: power(x, 3) + y),
    ("a closure made in the thread", lambda x, y: (lambda n: lambda v: v * n)(3)(x + y)),
    ("chained comparison", lambda x, y: x if 0 < len(SCALES) <= 2 < 5 else y),
    ("string methods", lambda x, y: x * float(" 2.5 ".strip()) + y * "abc".index("c")),
    ("divmod and round", lambda x, y: x * divmod(7, 2)[0] + y * round(2.6)),
]


def run(function, dtype=torch.float32):
    torch.manual_seed(7)
    x, y = (torch.rand(64, 32).to(dtype) for _ in range(2))
    out = torch.zeros_like(x)

    @ttl.kernel(grid=(1, 1))
    def kernel(x, y, out):
        x_cb, y_cb, o_cb = (ttl.make_circular_buffer_like(t, shape=(1, 1)) for t in (x, y, out))

        @ttl.compute()
        def compute():
            for _ in range(2):
                with x_cb.wait() as a, y_cb.wait() as b, o_cb.reserve() as o:
                    o.store(function(a, b))

        @ttl.datamovement()
        def read():
            for i in range(2):
                with x_cb.reserve() as a, y_cb.reserve() as b:
                    handles = [ttl.copy(x[i, 0], a), ttl.copy(y[i, 0], b)]
                    for handle in handles:
                        handle.wait()

        @ttl.datamovement()
        def write():
            for i in range(2):
                with o_cb.wait() as b:
                    ttl.copy(b, out[i, 0]).wait()

    kernel(x, y, out)
    return x, y, out


@pytest.mark.parametrize("function", [c[1] for c in CASES], ids=[c[0] for c in CASES])
def test_python_on_blocks(function):
    x, y, out = run(function)
    if function is dict(CASES)["min and max"]:
        want = torch.max(x, y) - torch.min(x, y) + 2
    else:
        want = function(x, y)
    assert torch.allclose(out, want, rtol=1e-6, atol=1e-6)


# ---- whole kernels ----------------------------------------------------------------------------------------


def mover(x, out, count, source, target=lambda i: (i, 0)):
    """The threads of a kernel that copies tiles: number i from source(i) to target(i)."""
    cb = ttl.make_circular_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for i in range(count):
            with cb.reserve() as b:
                ttl.copy(x[source(i)], b).wait()

    @ttl.datamovement()
    def write():
        for i in range(count):
            with cb.wait() as b:
                ttl.copy(b, out[target(i)]).wait()


def tiles(x, numbers):
    return torch.cat([x[32 * n:32 * n + 32] for n in numbers])


def test_numbers_that_loops_exchange():
    x, out = torch.rand(128, 32), torch.zeros(128, 32)

    @ttl.kernel(grid=(1, 1))
    def kernel(x, out):
        cb = ttl.make_circular_buffer_like(x, shape=(1, 1))

        @ttl.datamovement()
        def read():
            a, b = 0, 1
            for _ in range(4):
                with cb.reserve() as block:
                    ttl.copy(x[a, 0], block).wait()
                a, b = b, (a + b) % 4

        @ttl.datamovement()
        def write():
            for i in range(4):
                with cb.wait() as block:
                    ttl.copy(block, out[i, 0]).wait()

    kernel(x, out)
    assert torch.equal(out, tiles(x, (0, 1, 1, 2)))


def test_helpers_with_loops_and_negative_numbers():
    def largest_root(n, square):
        best = 0
        for i in range(n):
            best = i if i * i <= square else best
        return best

    x, out = torch.rand(128, 32), torch.zeros(64, 32)

    @ttl.kernel(grid=(1, 1))
    def kernel(x, out):
        def source(i):
            n = i - 7 + ttl.core(dims=1)  # -7, -6
            return largest_root(4, n % 4 + 3 * (n // 4 + 2)), 0  # of 1 and 2

        mover(x, out, 2, source)

    kernel(x, out)
    assert torch.equal(out, tiles(x, (1, 1)))


def test_threads_that_return_early():
    x, out = torch.rand(128, 32), torch.zeros(128, 32)

    @ttl.kernel(grid=(4, 1))
    def kernel(x, out):
        cb = ttl.make_circular_buffer_like(x, shape=(1, 1))

        @ttl.datamovement()
        def read():
            at = ttl.core(dims=1)
            if at > 1:
                return
            with cb.reserve() as b:
                ttl.copy(x[at, 0], b).wait()

        @ttl.datamovement()
        def write():
            at = ttl.core(dims=1)
            if at > 1:
                return
            with cb.wait() as b:
                ttl.copy(b, out[at, 0]).wait()

    kernel(x, out)
    assert torch.equal(out[:64], x[:64]) and not out[64:].any()


@pytest.mark.parametrize("items, message", [([0] * 5, None), (range(5), "a loop over a list is unrolled")])
def test_buffers_that_are_exchanged(items, message):
    x, out = torch.rand(32, 32), torch.zeros(32, 32)

    @ttl.kernel(grid=(1, 1))
    def kernel(x, out):
        x_cb, p_cb, q_cb, o_cb = (ttl.make_circular_buffer_like(x, shape=(1, 1)) for _ in range(4))

        @ttl.compute()
        def compute():
            with x_cb.wait() as a, p_cb.reserve() as p:
                p.store(a * 1)
            source, target = p_cb, q_cb
            if message:
                for _ in range(5):
                    with source.wait() as s, target.reserve() as t:
                        t.store(s * 2)
                    source, target = target, source
            for _ in items:
                with source.wait() as s, target.reserve() as t:
                    t.store(s * 2)
                source, target = target, source
            with source.wait() as s, o_cb.reserve() as o:
                o.store(s + 1)

        @ttl.datamovement()
        def read():
            with x_cb.reserve() as b:
                ttl.copy(x[0, 0], b).wait()

        @ttl.datamovement()
        def write():
            with o_cb.wait() as b:
                ttl.copy(b, out[0, 0]).wait()

    if message:
        with pytest.raises(ttl.TTLangCompileError, match=message):
            kernel(x, out)
        return
    kernel(x, out)
    assert torch.allclose(out, x * 32 + 1, rtol=1e-6)


class Layer:
    """A kernel with weights of its object's."""

    def __init__(self, weight):
        self.weight = weight

    @ttl.kernel(grid=(1, 1))
    def forward(self, x, out):
        x_cb, w_cb, o_cb = (ttl.make_circular_buffer_like(t, shape=(1, 1)) for t in (x, self.weight, out))

        @ttl.compute()
        def compute():
            with x_cb.wait() as a, w_cb.wait() as w, o_cb.reserve() as o:
                o.store(a * w)

        @ttl.datamovement()
        def read():
            with x_cb.reserve() as a, w_cb.reserve() as w:
                ttl.copy(x[0, 0], a).wait()
                ttl.copy(self.weight[0, 0], w).wait()

        @ttl.datamovement()
        def write():
            with o_cb.wait() as b:
                ttl.copy(b, out[0, 0]).wait()


def test_weights_of_an_object_may_change():
    layer, x, out = Layer(torch.rand(32, 32)), torch.rand(32, 32), torch.zeros(32, 32)
    for change in (lambda: None, lambda: layer.weight.mul_(3), lambda: setattr(layer, "weight", torch.rand(32, 32))):
        change()
        layer.forward(x, out)
        assert torch.allclose(out, x * layer.weight, rtol=1e-6)
