"""Random functions of ttnn operations: what a seed makes, run compiled on both engines, beside torch in f64.

random_ttnn.py [FIRST:LAST] prints the seeds that fail. A value's reference has a bound of its error, which follows from the operations that
made it: what rounding and the matrix unit may change, times what later operations make of it. Functions that jump (comparisons, floor)
read only values without error. Functions without matrix products and reductions must give the same bytes on both engines. Reductions that
drop their dimensions run on the host alone (the grid refuses the reshape), and nothing reads their results.
"""

import os
import random
import sys

import torch
import ttnn
import ttnn_jit

UNIT = {ttnn.float32: 2.0**-21, ttnn.bfloat16: 2.0**-8, ttnn.bfloat8_b: 2.0**-21, ttnn.int32: 0.0}  # of an operation's result
MATRIX = {ttnn.float32: 2.0**-9, ttnn.bfloat16: 2.0**-7, ttnn.bfloat8_b: 2.0**-6}  # of a term of a sum
SMOOTH = {  # name: torch's function, the largest slope
    "abs": (torch.abs, 1), "neg": (torch.neg, 1), "relu": (torch.relu, 1), "sin": (torch.sin, 1), "cos": (torch.cos, 1), "tanh": (torch.tanh, 1),
    "sigmoid": (torch.sigmoid, 0.25), "erf": (torch.erf, 1.13), "silu": (torch.nn.functional.silu, 1.1), "gelu": (torch.nn.functional.gelu, 1.13),
    "atan": (torch.atan, 1), "hardsigmoid": (torch.nn.functional.hardsigmoid, 0.17)}
EXACT = ("abs", "neg", "relu", "maximum", "minimum")
JUMPS = {"floor": torch.floor, "ceil": torch.ceil, "sign": torch.sign, "logical_not": torch.logical_not}
COMPARED = {"gt": torch.gt, "ge": torch.ge, "lt": torch.lt, "le": torch.le, "eq": torch.eq, "ne": torch.ne, "logical_and": torch.logical_and,
            "logical_or": torch.logical_or}
WHOLE = {"add": torch.add, "subtract": torch.sub, "multiply": torch.mul, "maximum": torch.maximum, "minimum": torch.minimum,
         "bitwise_and": torch.bitwise_and, "bitwise_or": torch.bitwise_or, "bitwise_xor": torch.bitwise_xor,
         **{name: COMPARED[name] for name in ("gt", "ge", "lt", "le", "eq", "ne")}}
SHAPES = [(64, 64), (32, 96), (96, 32), (40, 72)]
LIMIT = 1 / 4  # of the values' size: functions end before bounds reach it


class Value:
    """A step's result: f64 (or int32) reference, bound of its error, data type."""

    def __init__(self, exact, error, dtype):
        self.exact, self.error, self.dtype, self.limit = exact, error, dtype, 16

    def fits(self):
        return self.dtype is ttnn.int32 or (float(self.exact.abs().max()) < self.limit and float(self.error.max()) <= LIMIT * max(1e-3, float(self.exact.abs().max())))


def rounded(exact, error, dtype, exactly=False):
    return Value(exact, error if exactly else error + UNIT[dtype] * (exact.abs() + error) + 2.0**-22, dtype)


class Maker:
    """Chooses operations; `steps` are (name, operands' numbers, options)."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.torch = torch.Generator().manual_seed(seed)
        self.dtype = self.rng.choice([ttnn.float32, ttnn.float32, ttnn.bfloat16, ttnn.bfloat16, ttnn.bfloat8_b, ttnn.int32])
        self.shape = self.rng.choice(SHAPES)
        self.values, self.steps, self.inexact, self.strips, self.dropped = [], [], False, False, []

    def argument(self, device):
        others = [(1, self.shape[1]), (self.shape[0], 1)]
        if self.dtype is ttnn.int32 or (self.dtype is ttnn.bfloat8_b and self.shape[1] % 32):
            others = []  # the matrix unit broadcasts floats only
        elif self.dtype is ttnn.bfloat8_b:
            others.pop()  # padding shares exponents with values beside it
        shape = self.rng.choice([self.shape] * 4 + others)
        if self.dtype is ttnn.int32:
            given = torch.randint(-2**20, 2**20, shape, dtype=torch.int32, generator=self.torch)
        else:
            given = torch.rand(shape, generator=self.torch) * 4 - 2
        tensor = ttnn.from_torch(given, dtype=self.dtype, layout=ttnn.TILE_LAYOUT, device=device, memory_config=self.memory(shape))
        held = tensor.to_torch()
        self.values.append(Value(held if self.dtype is ttnn.int32 else held.double(), torch.zeros(shape, dtype=torch.float64), self.dtype))
        return tensor

    def memory(self, shape):
        """In DRAM, or in shards of whole tiles on up to 2x2 cores."""
        rows, columns = -(-shape[0] // 32), -(-shape[1] // 32)
        whole = shape[0] % 32 == 0 and shape[1] % 32 == 0
        down, across = (2 if rows % 2 == 0 else 1), (2 if columns % 2 == 0 else 1)
        kind = self.rng.choice(["dram", "block", "height", "width"]) if whole else "dram"
        self.strips = self.strips or kind in ("height", "width")
        grid, strategy = {"dram": (None, None), "block": ((down, across), ttnn.ShardStrategy.BLOCK), "height": ((down, 1), ttnn.ShardStrategy.HEIGHT),
                          "width": ((1, across), ttnn.ShardStrategy.WIDTH)}[kind]
        return ttnn.create_sharded_memory_config(shape, ttnn.CoreGrid(y=grid[0], x=grid[1]), strategy) if grid else ttnn.DRAM_MEMORY_CONFIG

    def pick(self, *, exact=False, shape=None, dtype=None):
        """A value's number; recent ones more often."""
        found = [i for i, v in enumerate(self.values) if i not in self.dropped and (not exact or not v.error.any()) and (shape is None or v.exact.shape == shape)
                 and (v.dtype is dtype if dtype else True)]
        return self.rng.choice(found[-4:] if found and self.rng.random() < 0.7 else found) if found else None

    def add(self, name, operands, made, **options):
        if made is None or not made.fits():
            return False
        self.steps.append((name, operands, options))
        self.values.append(made)
        return True

    # ---- kinds of operations, each of which may find nothing to do ----

    def broadcast(self, *operands):
        """Notes that tiles are broadcast by the matrix unit, in TF32; the errors of the operands then."""
        errors = []
        for v in operands:
            if len({o.exact.shape for o in operands}) > 1 and v.exact.shape != self.shape and v.dtype is not ttnn.bfloat16:
                self.inexact = True
                errors.append(v.error + 2.0**-10 * v.exact.abs())
            else:
                errors.append(v.error)
        return errors

    def whole(self):
        name = self.rng.choice(list(WHOLE))
        a, b = self.pick(dtype=ttnn.int32), self.pick(dtype=ttnn.int32)
        x, y = self.values[a].exact, self.values[b].exact
        made = WHOLE[name](x, y).int()
        return self.add(name, (a, b), Value(made, torch.zeros(made.shape, dtype=torch.float64), ttnn.int32))

    def unary(self):
        name, a = self.rng.choice(list(SMOOTH)), self.pick()
        v, (function, slope) = self.values[a], SMOOTH[name]
        made = function(v.exact)
        return self.add(name, (a,), rounded(made, v.error * slope, v.dtype, name in EXACT))

    def binary(self):
        name, a = self.rng.choice(["add", "subtract", "multiply", "maximum", "minimum"]), self.pick()
        x = self.values[a]
        b = self.pick(dtype=x.dtype)
        y = self.values[b]
        ex, ey = self.broadcast(x, y)
        if name == "multiply":
            return self.add(name, (a, b), rounded(x.exact * y.exact, x.exact.abs() * ey + y.exact.abs() * ex + ex * ey, x.dtype))
        if name in EXACT:
            made = getattr(torch, name)(x.exact, y.exact)
            return self.add(name, (a, b), Value(made, torch.maximum(ex, ey), x.dtype))
        return self.add(name, (a, b), rounded(x.exact + y.exact if name == "add" else x.exact - y.exact, ex + ey, x.dtype))

    def number(self):
        name, a, by = self.rng.choice(["add", "multiply"]), self.pick(), self.rng.choice([0.5, -1.0, 2.0, 0.25])
        v = self.values[a]
        made = v.exact + by if name == "add" else v.exact * by
        return self.add(name, (a, by), rounded(made, v.error * (1 if name == "add" else abs(by)), v.dtype))

    def jump(self):
        a, name = self.pick(exact=True), self.rng.choice(list(JUMPS))
        v = self.values[a] if a is not None else None
        return v is not None and self.add(name, (a,), Value(JUMPS[name](v.exact).double(), torch.zeros_like(v.error), v.dtype))

    def where(self):
        """A choice by a comparison of values without error."""
        a, name = self.pick(exact=True), self.rng.choice(list(COMPARED))
        if a is None:
            return False
        x = self.values[a]
        b = self.pick(exact=True, dtype=x.dtype, shape=x.exact.shape)
        truth = COMPARED[name](x.exact, self.values[b].exact).double()
        self.add(name, (a, b), Value(truth, torch.zeros_like(truth), x.dtype))
        c, d = self.pick(dtype=x.dtype), self.pick(dtype=x.dtype)
        p, q = self.values[c], self.values[d]
        ep, eq, _ = self.broadcast(p, q, self.values[-1])
        made = torch.where(truth != 0, p.exact, q.exact)
        return self.add("where", (len(self.values) - 1, c, d), Value(made, torch.maximum(ep, eq).broadcast_to(made.shape).clone(), x.dtype))

    def cast(self):
        a = self.pick()
        v = self.values[a]
        if v.dtype not in (ttnn.float32, ttnn.bfloat16):
            return False
        to = ttnn.bfloat16 if v.dtype is ttnn.float32 else ttnn.float32
        return self.add("typecast", (a, to), rounded(v.exact, v.error, to))

    def clamp(self):
        a = self.pick()
        v = self.values[a]
        return self.add("clamp", (a, -0.75, 1.25), Value(v.exact.clamp(-0.75, 1.25), v.error, v.dtype))

    def reduction(self):
        """Over one dimension or both, counted from either end, kept or not."""
        name, a = self.rng.choice(["sum", "mean", "max", "min"]), self.pick(shape=torch.Size(self.shape))
        dims = self.rng.choice([0, 1, -1, -2, [0, 1], [-1, -2], [1, -2], None])
        if a is None:
            return False
        v, over = self.values[a], (0, 1) if dims is None else (dims,) if isinstance(dims, int) else tuple(dims)
        keep = not self.drops or v.dtype is ttnn.bfloat8_b
        term = MATRIX[v.dtype] * (1 + sum(self.shape[d] for d in over) / 64) * len(over)
        if name in ("max", "min"):
            made, error = getattr(v.exact, "a" + name)(over, keepdim=keep), (v.error + term * v.exact.abs()).amax(over, keepdim=keep)
        else:
            made = getattr(torch, name)(v.exact, over, keepdim=keep)
            error = getattr(torch, name)(v.error + term * (v.exact.abs() + v.error), over, keepdim=keep)
        value = rounded(made, error, v.dtype)
        value.limit = 2.0**14 if name == "sum" else value.limit
        if self.add(name, (a,), value, dim=dims, keepdim=keep):
            self.inexact = True
            self.dropped += [] if keep else [len(self.values) - 1]
        return True

    def matmul(self):
        a = self.pick(shape=torch.Size(self.shape))
        b = self.pick(shape=torch.Size((self.shape[1], self.shape[1])), dtype=a is not None and self.values[a].dtype)
        if a is None or b is None:
            return False
        x, y = self.values[a], self.values[b]
        size = x.exact.abs() + x.error, y.exact.abs() + y.error
        error = size[0] @ y.error + x.error @ size[1] + MATRIX[x.dtype] * (1 + self.shape[1] / 64) * (size[0] @ size[1])
        self.inexact = self.add("matmul", (a, b), rounded(x.exact @ y.exact, error, x.dtype)) or self.inexact
        return True

    def transpose(self):
        a = self.pick()
        v = self.values[a]
        if self.strips:  # D2M changes such shards by rows, which it does not lower to ttnn.generic
            return False
        if v.exact.shape[0] % 32 or v.exact.shape[1] % 32 or v.exact.shape[0] != v.exact.shape[1]:
            return False
        self.inexact = self.inexact or v.dtype is not ttnn.bfloat16
        return self.add("permute", (a, (1, 0)), rounded(v.exact.T, v.error.T + MATRIX[v.dtype] / 2 * v.exact.T.abs(), v.dtype))

    def choose(self):
        if self.dtype is ttnn.int32:
            return self.whole()
        kinds = [self.unary] * 8 + [self.binary] * 8 + [self.number] * 2 + [self.jump, self.where, self.cast, self.clamp]
        kinds += [*[self.reduction] * 3, self.matmul, self.transpose] if self.moves else []
        return self.rng.choice(kinds)()


def make(seed, device):
    """(maker, tensors, numbers of the values that are returned)"""
    maker = Maker(seed)
    maker.moves, maker.drops = maker.rng.random() < 0.5, maker.rng.random() < 0.2
    tensors = [maker.argument(device) for _ in range(maker.rng.randint(1, 5))]
    wanted = maker.rng.randint(2, 60)
    for _ in range(4 * wanted):
        if len(maker.steps) >= wanted:
            break
        maker.choose()
    first = len(tensors)
    results = [len(maker.values) - 1] if maker.rng.random() < 0.8 else maker.rng.sample(range(first, len(maker.values)), min(2, len(maker.steps)))
    return maker, tensors, sorted({*results, *maker.dropped})


def function_of(maker, results):
    def function(*tensors):
        values = list(tensors)
        for name, operands, options in maker.steps:
            numbers = 1 if name in ("typecast", "permute", "clamp") or isinstance(operands[-1], float) else len(operands)
            given = [values[o] if i < numbers else o for i, o in enumerate(operands)]
            values.append(getattr(ttnn, name)(*given, **options))
        return tuple(values[r] for r in results)

    return function


def blocks(values):
    """The largest magnitude of each sixteen columns, for each element."""
    columns = -(-values.shape[1] // 16) * 16
    wide = torch.nn.functional.pad(values.abs(), (0, columns - values.shape[1])).reshape(values.shape[0], -1, 16).amax(2)
    return wide.repeat_interleave(16, 1)[:, : values.shape[1]]


def check(seed, device, engines=("host", "grid")):
    """Raises AssertionError if a result is wrong; returns what was run: (operations, bytes compared or not)."""
    maker, tensors, results = make(seed, device)
    function, ran, before = function_of(maker, results), {}, os.environ.get("TILEWRIGHT_ENGINE")
    engines = ("host",) if maker.dropped else engines
    try:
        for engine in engines:
            os.environ["TILEWRIGHT_ENGINE"] = engine
            ran[engine] = [t.to_torch() for t in ttnn_jit.jit()(function)(*tensors)]
    finally:
        os.environ.pop("TILEWRIGHT_ENGINE")
        if before is not None:
            os.environ["TILEWRIGHT_ENGINE"] = before
    for n, number in enumerate(results):
        want = maker.values[number]
        bound = want.error + (2.0**-5 * blocks(want.exact) if want.dtype is ttnn.bfloat8_b else 2.0**-120)
        for engine, made in ran.items():
            got = made[n]
            assert got.shape == want.exact.shape, f"seed {seed}: {engine}: shape {tuple(got.shape)}, not {tuple(want.exact.shape)}"
            wrong = ~((got.double() - want.exact.double()).abs() <= bound)
            assert not wrong.any(), (f"seed {seed}: {engine}: {int(wrong.sum())} values of {want.dtype} are wrong, the first {got[wrong][0].item()!r}, "
                                     f"not {want.exact[wrong][0].item()!r} +- {bound.broadcast_to(wrong.shape)[wrong][0].item():.3g}")
        if len(ran) == 2 and not maker.inexact:
            a, b = (torch.where(t.abs() < 2.0**-126, 0, t) for t in (ran["host"][n], ran["grid"][n]))
            assert torch.equal(a, b), f"seed {seed}: {int((a != b).sum())} values of {want.dtype} differ between the engines"
    return len(maker.steps), not maker.inexact


def main():
    first, _, last = (sys.argv[1] if len(sys.argv) > 1 else "0:100").partition(":")
    failed, refused, total, equal = [], [], 0, 0
    device = ttnn.open_device(device_id=0)
    for seed in range(int(first), int(last)):
        try:
            steps, bytes_too = check(seed, device)
            total, equal = total + steps, equal + bytes_too
        except AssertionError as error:
            failed.append(seed)
            print(error, flush=True)
        except Exception as error:
            refused.append(seed)
            print(f"seed {seed}: {type(error).__name__}: {str(error)[:300]}", flush=True)
    print(f"{int(last) - int(first)} functions, {total} operations, {equal} compared byte by byte; {len(failed)} wrong, {len(refused)} refused")


if __name__ == "__main__":
    main()
