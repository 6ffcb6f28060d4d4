"""Reductions and movements of tensors of one to five dimensions on the grid: values that TF32 and bf16 hold exactly, so that the
grid, the host engine and torch have to give the same numbers."""

import itertools
import math
import os
import random

import pytest

torch = pytest.importorskip("torch")

import ttnn
import ttnn_jit

DTYPES = {"f32": ttnn.float32, "bf16": ttnn.bfloat16, "i32": ttnn.int32}
FLOATS = ("f32", "bf16")
TORCH = {"sum": torch.sum, "mean": torch.mean, "max": torch.amax, "min": torch.amin}


@pytest.fixture(scope="module")
def device():
    made = ttnn.open_device(device_id=0)
    yield made
    ttnn.close_device(made)


def integers(shape, seed=0, negative=False):
    """Few of -1, 0 and 1: sums of them stay below 256."""
    made = torch.Generator().manual_seed(seed)
    values = torch.randint(-1, 2, shape, generator=made) * (torch.rand(shape, generator=made) < 60 / max(60, math.prod(shape) ** 0.5))
    return (-values.abs() - 1 if negative else values).float()


def check(device, monkeypatch, write, want, *values, dtype="f32", shards=None, capture=True):
    """Both engines and torch agree; `want`: the function in torch, with results of any float type."""
    memory = ttnn.DRAM_MEMORY_CONFIG if shards is None else ttnn.create_sharded_memory_config(values[0].shape, ttnn.CoreGrid(y=shards[0], x=shards[1]),
                                                                                               ttnn.ShardStrategy.BLOCK)
    given = [ttnn.from_torch(v.int() if dtype == "i32" else v, dtype=DTYPES[dtype], layout=ttnn.TILE_LAYOUT, device=device, memory_config=memory) for v in values]
    made = []
    for engine in ("host", "grid"):
        monkeypatch.setenv("TILEWRIGHT_ENGINE", engine)
        made.append(ttnn_jit.jit(graph_capture=capture)(write)(*given))
    wanted = want(*values)
    for host, grid, expected in zip(*(v if isinstance(v, tuple) else (v,) for v in (*made, wanted))):
        assert host.dtype is grid.dtype and tuple(host.shape) == tuple(grid.shape) == tuple(expected.shape)
        assert torch.equal(host.to_torch().float(), expected.float()), "the host engine"
        assert torch.equal(grid.to_torch().float(), expected.float()), "the grid"


def subsets(rank):
    return [c for n in range(1, rank + 1) for c in itertools.combinations(range(rank), n)]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["sum", "max", "min"])
@pytest.mark.parametrize("shape", [(37,), (1, 50), (33, 1), (64, 96), (3, 5, 7), (1, 33, 1), (2, 64, 64), (3, 50, 40), (2, 3, 33, 7), (2, 1, 3, 4, 5)],
                         ids=lambda s: "x".join(map(str, s)))
def test_every_choice_of_dimensions(device, monkeypatch, shape, name, dtype):
    values = integers(shape, negative=name == "max")  # the padding must not be the largest
    for i, dims in enumerate(subsets(len(shape))):
        dims = tuple(d - len(shape) if (d + i) % 2 else d for d in dims)
        for keep in (False, True):
            if dtype == "bf16" and name == "sum" and TORCH["sum"](values, dim=dims).abs().max() > 256:
                continue
            check(device, monkeypatch, lambda a: getattr(ttnn, name)(a, dim=dims if len(dims) > 1 else dims[0], keepdim=keep),
                  lambda a: TORCH[name](a, dim=dims, keepdim=keep), values, dtype=dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(64,), (4, 33), (2, 8, 64), (3, 50, 33), (2, 4, 8, 32)], ids=lambda s: "x".join(map(str, s)))
def test_means(device, monkeypatch, shape, dtype):
    """Within the bound of TF32 and of the result's type; over rows and columns the unit multiplies by a root twice."""
    values = integers(shape) + 1
    x = ttnn.from_torch(values, dtype=DTYPES[dtype], layout=ttnn.TILE_LAYOUT, device=device)
    monkeypatch.setenv("TILEWRIGHT_ENGINE", "grid")
    for dims in subsets(len(shape)):
        got = ttnn_jit.jit()(lambda a: ttnn.mean(a, dim=dims if len(dims) > 1 else dims[0], keepdim=True))(x).to_torch().float()
        want, terms = values.mean(dims, keepdim=True), values.abs().mean(dims, keepdim=True)
        assert got.shape == want.shape and ((got - want).abs() <= (2**-8 if dtype == "f32" else 2**-6) * terms).all(), dims


def spread(x):
    return ttnn.subtract(ttnn.max(x, dim=-1, keepdim=True), ttnn.min(x, dim=-1, keepdim=True))


REDUCED = {  # what happens to a reduced value in the same function
    "broadcast over rows": (lambda x: ttnn.subtract(x, ttnn.max(x, dim=-1, keepdim=True)), lambda x: x - x.amax(-1, keepdim=True)),
    "broadcast over columns": (lambda x: ttnn.subtract(x, ttnn.sum(x, dim=-2, keepdim=True)), lambda x: x - x.sum(-2, keepdim=True)),
    "broadcast over matrices": (lambda x: ttnn.multiply(x, ttnn.sum(x, dim=0)), lambda x: x * x.sum(0)),
    "a number for all": (lambda x: ttnn.add(x, ttnn.max(x)), lambda x: x + x.max()),
    "a number, then again": (lambda x: ttnn.add(ttnn.neg(ttnn.sum(x)), ttnn.min(x)), lambda x: -x.sum() + x.min()),
    "transposed": (lambda x: ttnn.transpose(ttnn.sum(x, dim=-1, keepdim=True), -1, -2), lambda x: x.sum(-1, keepdim=True).transpose(-1, -2)),
    "without the dimension, transposed": (lambda x: ttnn.transpose(ttnn.sum(x, dim=0), 0, 1), lambda x: x.sum(0).transpose(0, 1)),
    "permuted": (lambda x: ttnn.permute(ttnn.max(x, dim=1, keepdim=True), (2, 0, 1)), lambda x: x.amax(1, keepdim=True).permute(2, 0, 1)),
    "reshaped": (lambda x: ttnn.reshape(ttnn.sum(x, dim=-1), (-1, 1)), lambda x: x.sum(-1).reshape(-1, 1)),
    "reduced again": (lambda x: ttnn.sum(ttnn.sum(x, dim=0), dim=0), lambda x: x.sum(0).sum(0)),
    "reduced again with its dimension": (lambda x: ttnn.max(ttnn.sum(x, dim=2, keepdim=True), dim=(0, -2), keepdim=True),
                                         lambda x: x.sum(2, keepdim=True).amax((0, 1), keepdim=True)),
    "reduced three times": (lambda x: ttnn.min(ttnn.max(ttnn.sum(x, dim=-1), dim=-1), dim=0), lambda x: x.sum(-1).amax(-1).amin(0)),
    "moved, then reduced": (lambda x: ttnn.sum(ttnn.permute(x, (2, 0, 1)), dim=1), lambda x: x.permute(2, 0, 1).sum(1)),
    "compared": (lambda x: ttnn.eq(x, ttnn.max(x, dim=1, keepdim=True)), lambda x: (x == x.amax(1, keepdim=True)).float()),
    "in a function of functions": (lambda x: ttnn.multiply(spread(x), ttnn.sum(x, dim=-1, keepdim=True)),
                                   lambda x: (x.amax(-1, keepdim=True) - x.amin(-1, keepdim=True)) * x.sum(-1, keepdim=True)),
    "several results": (lambda x: (ttnn.sum(x, dim=1), ttnn.sum(ttnn.sum(x, dim=1), dim=0, keepdim=True), ttnn.neg(x)),
                        lambda x: (x.sum(1), x.sum(1).sum(0, keepdim=True), -x)),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(2, 32, 64), (3, 33, 40), (1, 7, 5)], ids=lambda s: "x".join(map(str, s)))
@pytest.mark.parametrize("case", REDUCED)
def test_reduced_values(device, monkeypatch, case, shape, dtype):
    check(device, monkeypatch, *REDUCED[case], (integers(shape) * (torch.arange(shape[-1]) % 4 == 0)), dtype=dtype)


@pytest.mark.parametrize("shape", [(3, 4, 5, 6), (2, 33, 40), (7, 2, 33, 5)], ids=lambda s: "x".join(map(str, s)))
def test_every_permutation(device, monkeypatch, shape):
    """Of three and more dimensions that move in a ring, too."""
    values = (torch.arange(math.prod(shape)) % 509).reshape(shape).float()
    for order in itertools.permutations(range(len(shape))):
        check(device, monkeypatch, lambda a: ttnn.permute(a, order), lambda a: a.permute(order), values)


@pytest.mark.parametrize("dtype", FLOATS)
def test_one_tile_beside_many(device, monkeypatch, dtype):
    """A fused kernel computes one tile of the reduced value and several of the other operand."""
    order, dims = (2, 0, 3, 4, 1), (2, 1)
    values = (torch.arange(5 * 3 * 5 * 7) % 127 - 60).reshape(5, 1, 3, 5, 7).float()
    check(device, monkeypatch,
          lambda a: ttnn.add(ttnn.neg(ttnn.permute(ttnn.max(a, dim=dims, keepdim=True), order)), ttnn.permute(ttnn.multiply(a, 2.0), order)),
          lambda a: (2 * a - a.amax(dims, keepdim=True)).permute(order), values, dtype=dtype)


MOVED = {
    "concat": (lambda x: ttnn.concat([x, ttnn.neg(x), x], dim=1), lambda x: torch.cat([x, -x, x], 1)),
    "concat of matrices": (lambda x: ttnn.concat([x, x], dim=0), lambda x: torch.cat([x, x])),
    "slice": (lambda x: ttnn.slice(x, [1, 0, 0], [2, *x.shape[1:]]), lambda x: x[1:2]),
    "split": (lambda x: ttnn.reshape(x, (x.shape[0], 2, x.shape[1] // 2, x.shape[2])), lambda x: x.reshape(x.shape[0], 2, x.shape[1] // 2, x.shape[2])),
    "merged": (lambda x: ttnn.reshape(x, (-1, x.shape[-1])), lambda x: x.reshape(-1, x.shape[-1])),
    "a vector beside it": (lambda x: ttnn.add(x, ttnn.reshape(ttnn.slice(x, [0, 0, 0], [1, 1, x.shape[2]]), (-1,))), lambda x: x + x[0, 0]),
}


@pytest.mark.parametrize("shards", [None, (2, 1)], ids=["dram", "blocks"])
@pytest.mark.parametrize("shape", [(2, 64, 32), (2, 50, 40)], ids=lambda s: "x".join(map(str, s)))
@pytest.mark.parametrize("case", MOVED)
def test_moved_arguments(device, monkeypatch, case, shape, shards):
    if shards and shape[1] % 32:
        pytest.skip("shards of whole tiles")
    check(device, monkeypatch, *MOVED[case], integers(shape), shards=shards)


CUT = {  # parts of rows that are no multiples of what the NoC aligns to
    "concat": (lambda x: ttnn.concat([x, ttnn.neg(x), x], dim=-1), lambda x: torch.cat([x, -x, x], -1)),
    "slice": (lambda x: ttnn.slice(x, [0] * (len(x.shape) - 2) + [1, 2], [*x.shape[:-1], x.shape[-1] - 1]), lambda x: x[..., 1:, 2:-1]),
    "slice with steps": (lambda x: ttnn.slice(x, [0] * len(x.shape), [*x.shape], [1] * (len(x.shape) - 1) + [2]), lambda x: x[..., ::2]),
    "one row": (lambda x: ttnn.reshape(x, (-1,)), lambda x: x.reshape(-1)),
    "other rows": (lambda x: ttnn.reshape(x, (x.shape[-1], -1)), lambda x: x.reshape(x.shape[-1], -1)),
    "one column": (lambda x: ttnn.reshape(x, (-1, 1)), lambda x: x.reshape(-1, 1)),
    "repeat": (lambda x: ttnn.repeat(x, [1] * (len(x.shape) - 1) + [3]), lambda x: x.repeat(*[1] * (x.dim() - 1), 3)),
    "a slice as one row": (lambda x: ttnn.neg(ttnn.reshape(ttnn.slice(x, [0] * (len(x.shape) - 1) + [1], [*x.shape]), (-1,))), lambda x: -x[..., 1:].reshape(-1)),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(5, 7), (33, 50), (3, 5, 7), (2, 33, 9), (2, 3, 4, 5)], ids=lambda s: "x".join(map(str, s)))
@pytest.mark.parametrize("case", CUT)
def test_rows_that_are_cut_anywhere(device, monkeypatch, case, shape, dtype):
    check(device, monkeypatch, *CUT[case], (torch.arange(math.prod(shape)) % 251 - 125).reshape(shape).float(), dtype=dtype)


OLDER = {"permute": (lambda x: ttnn.permute(ttnn.neg(x), (2, 0, 1)), lambda x: (-x).permute(2, 0, 1)),
         "transpose": (lambda x: ttnn.neg(ttnn.transpose(x, -2, -1)), lambda x: -x.transpose(-2, -1)),
         "product": (lambda x: ttnn.matmul(x, ttnn.transpose(x, 1, 2)), lambda x: x @ x.transpose(1, 2)), **MOVED, **CUT}


@pytest.mark.parametrize("shape", [(2, 64, 32), (2, 10, 7)], ids=lambda s: "x".join(map(str, s)))
@pytest.mark.parametrize("case", OLDER)
def test_movements_of_the_older_route(device, monkeypatch, case, shape):
    check(device, monkeypatch, *OLDER[case], integers(shape), capture=False)


def test_shards_that_are_reduced(device, monkeypatch):
    values = integers((4, 64, 64))
    for dims in subsets(3):
        check(device, monkeypatch, lambda a: ttnn.sum(a, dim=dims if len(dims) > 1 else dims[0]), lambda a: a.sum(dims), values, shards=(4, 2))


def test_products_of_matrices(device, monkeypatch):
    x = integers((3, 50, 40))
    check(device, monkeypatch, lambda a, b: ttnn.sum(ttnn.matmul(a, b), dim=0), lambda a, b: (a @ b).sum(0), x, x.transpose(1, 2).contiguous())


# ---- random functions --------------------------------------------------------------------------

SIZES = (1, 2, 3, 5, 7, 17, 31, 32, 33, 40, 50, 64)


def steps_of(draw, shape):
    """Up to four steps, (name, arguments) each, that a tensor of this shape can go through."""
    made, now = [], tuple(shape)
    for _ in range(draw.randint(1, 4)):
        kind, rank = draw.choice(("reduce", "reduce", "permute", "reshape", "beside", "neg")), len(now)
        if kind == "reduce" and rank:
            dims = draw.sample(range(rank), draw.randint(1, min(rank, 3)))
            keep = draw.random() < 0.5
            made.append((draw.choice(("sum", "max", "min")), [d - draw.choice((0, rank)) for d in dims], keep))
            now = tuple(1 if i in dims else s for i, s in enumerate(now) if keep or i not in dims)
        elif kind == "permute" and rank > 1:
            made.append(("permute", draw.sample(range(rank), rank)))
            now = tuple(now[i] for i in made[-1][1])
        elif kind == "reshape" and rank:
            at = draw.randrange(rank)
            part = next((n for n in (2, 3, 5) if now[at] % n == 0), 1)
            now = draw.choice(((math.prod(now),), (*now[:at], 1, *now[at:]), (*now[:at], part, now[at] // part, *now[at + 1:])))
            made.append(("reshape", now))
        elif kind == "neg":
            made.append(("neg",))
        elif kind == "beside" and all(a == b or 1 in (a, b) for a, b in zip(reversed(shape), reversed(now))):
            wide = tuple(torch.broadcast_shapes(shape, now))
            if math.prod(wide) < 20000:
                made.append(("beside",))
                now = wide
    return made


def apply(steps, x, plain):
    """The steps with torch's functions (plain) or ttnn's; `beside` subtracts from the first value."""
    first = x
    for name, *more in steps:
        if name in TORCH:
            dims, keep = more
            x = TORCH[name](x, dim=dims, keepdim=keep) if plain else getattr(ttnn, name)(x, dim=dims if len(dims) > 1 else dims[0], keepdim=keep)
        elif name in ("permute", "reshape"):
            x = getattr(x, name)(*more) if plain else getattr(ttnn, name)(x, *more)
        elif name == "neg":
            x = -x if plain else ttnn.neg(x)
        else:
            x = first - x if plain else ttnn.subtract(first, x)
    return x


@pytest.mark.parametrize("first", range(0, 1000 if os.environ.get("TILEWRIGHT_LONG") else 60, 20))
def test_random_functions(device, monkeypatch, first):
    refused = 0
    for seed in range(first, first + 20):
        draw = random.Random(seed)
        shape = [draw.choice(SIZES) for _ in range(draw.choice((1, 2, 2, 3, 3, 3, 4, 4, 5)))]
        while math.prod(shape[:-2]) * -(-math.prod(shape[-2:-1]) // 32) > 60 or math.prod(shape) > 20000:
            shape[draw.randrange(len(shape))] = draw.choice((1, 2, 3))
        steps, values = steps_of(draw, shape), integers(shape, seed, negative=seed % 3 == 0)
        want = apply(steps, values, True)
        exact = all(apply(steps[:n], values, True).abs().max() <= 256 for n in range(len(steps) + 1))
        try:
            if exact:
                check(device, monkeypatch, lambda a: apply(steps, a, False), lambda a: want, values, dtype="bf16" if seed % 2 else "f32")
        except RuntimeError as error:  # what L1 has no room for; never another number
            assert "memory capacity" in str(error), (seed, shape, steps)
            assert __file__ in str(error)
            refused += 1
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {shape} {steps}: {error}") from error
    assert refused <= 1
