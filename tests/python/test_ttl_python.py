"""What Python writers write in threads: Python's own functions, loops and data, on blocks and on numbers."""

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
    assert torch.allclose(out, want, rtol=2**-9, atol=2**-9)
