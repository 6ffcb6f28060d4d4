"""Random kernels whose cores depend on each other or on the host: pipes in many patterns, semaphores as barriers,
integers known at run time, element types, tensors in tiles and rows, in DRAM, L1 and shards. Values are integers that
every type represents, so results are torch's exactly, under every order of threads. TILEWRIGHT_GENERATED sets the
count (default 24), TILEWRIGHT_GENERATED_SEEDS the orders (default 3).

Each kernel also has mutants, one line of its threads dropped, duplicated or exchanged with the next: a harmful one is
reported, at a line of the kernel. Run as a program it counts the outcomes: python3 FILE FIRST COUNT SEEDS.
"""

import collections
import os
import random
import re
import sys
import warnings

import pytest

torch = pytest.importorskip("torch")

import ttl  # noqa: E402
import ttnn  # noqa: E402
from ttl_written import defined  # noqa: E402

COUNT = int(os.environ.get("TILEWRIGHT_GENERATED", "24"))
ORDERS = int(os.environ.get("TILEWRIGHT_GENERATED_SEEDS", "3"))
TYPES = [torch.float32, torch.bfloat16, torch.int32]
# of a core's block `a` and the received one, `g`: exact for integers as small as these
MEETS = [("a + g", lambda a, g: a + g), ("a - g", lambda a, g: a - g), ("ttl.math.max(a, g)", torch.maximum),
         ("a + a - g", lambda a, g: a + a - g)]


def whole(generator, shape, dtype):
    return torch.randint(-9, 10, shape, generator=generator).to(dtype)


class Made:
    """A kernel's text, its arguments, its expected results."""

    name, numbers, tiled = "made", (), True
    memories, types = ["DRAM"] * 4, [None] * 4

    def on_device(self, device, tensor, where, dtype):
        memory = {"DRAM": ttnn.DRAM_MEMORY_CONFIG, "L1": ttnn.L1_MEMORY_CONFIG}.get(where) or ttnn.create_sharded_memory_config(
            tensor.shape, ttnn.CoreGrid(y=where[1], x=where[2]), getattr(ttnn.ShardStrategy, where[0]))
        return ttnn.from_torch(tensor, dtype, layout=ttnn.TILE_LAYOUT if self.tiled else ttnn.ROW_MAJOR_LAYOUT, device=device,
                               memory_config=memory)

    def run(self, order, text=None):
        """The result under an order of threads; sevens where the kernel writes nothing."""
        os.environ["TTLANG_SIM_SEED"] = str(order)  # devices read it when they are opened
        try:
            device = ttnn.open_device(device_id=0)
        finally:
            del os.environ["TTLANG_SIM_SEED"]
        arguments = [self.on_device(device, t, p, d)
                     for t, p, d in zip([*self.inputs, torch.full_like(self.want, 7)], self.memories, self.types)]
        defined(self.name, text or self.text)(*arguments, *self.numbers)
        return ttnn.to_torch(arguments[-1]).to(self.want.dtype)

    def check(self, orders):
        for order in orders:
            out = self.run(order)
            assert torch.equal(out, self.want), (order, self.text)


class Piped(Made):
    """Each core loads blocks of its own and sends them through pipes; received blocks are combined with its own. Two
    data movement threads per core: one sends, the other receives and writes, so a ring does not deadlock."""

    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.columns, self.rows = r.choice([(2, 1), (3, 1), (1, 3), (2, 2), (4, 1), (3, 2)])
        cores = [(c, y) for y in range(self.rows) for c in range(self.columns)]
        self.block = (r.randint(1, 2), r.randint(1, 2))
        self.iterations, factors = r.randint(1, 4), [r.randint(1, 3) for _ in range(3)]
        self.dynamic = r.random() < 0.5
        pipes, ends = self.pattern(cores)
        counts = collections.Counter(core for _, reached in ends for core in reached)
        several = max(counts.values()) > 1  # sums in L1, which are of floats
        self.meet, combine = MEETS[0] if several else r.choice(MEETS)
        dtype = r.choice(TYPES[:2] if several else TYPES)
        generator = torch.Generator().manual_seed(seed)
        high, wide = 32 * self.block[0], 32 * self.block[1]
        x = whole(generator, (len(cores) * self.iterations * high, wide), dtype)
        blocks = x.reshape(len(cores), self.iterations, high, wide)
        want = blocks.clone()
        for i in range(self.iterations):
            for source, reached in ends:
                for core in reached:
                    want[core, i] = combine(want[core, i], blocks[source, i])
        self.inputs, self.want = [x], want.reshape(x.shape)
        self.numbers = (self.iterations,) if self.dynamic else ()
        self.text = self.write(pipes, counts, factors)

    def pattern(self, cores):
        """Pipes as text, and (source, receiving cores) by index."""
        n, r, at = len(cores), self.r, dict(zip(range(len(cores)), cores))
        kind = r.choice(["ring", "back", "gather", "spread", "rows", "pairs", "multicast"])
        if kind in ("ring", "back"):
            ends = [(i, [(i + (1 if kind == "ring" else n - 1)) % n]) for i in range(n)]
        elif kind == "gather":
            ends = [(i, [0]) for i in range(1, n)]
        elif kind == "spread":
            source = r.randrange(n)
            ends = [(source, [i]) for i in range(n) if i != source]
        elif kind == "pairs":
            ends = [(i, [i - 1]) for i in range(1, n, 2)]
        else:
            return self.multicasts(kind, cores)
        r.shuffle(ends)
        return [f"ttl.Pipe({at[s]}, {at[d[0]]})" for s, d in ends], ends

    def multicasts(self, kind, cores):
        """From the first core of a row to the others of it, or from a core to a range without it."""
        number = {core: i for i, core in enumerate(cores)}
        if kind == "rows" and self.columns > 1:
            rows = [((0, y), (slice(1, self.columns), y)) for y in range(self.rows)]
        elif self.columns > 1:
            rows = [((0, self.r.randrange(self.rows)), (slice(1, self.columns), slice(0, self.rows)))]
        else:
            rows = [((0, 0), (0, slice(1, self.rows)))]
        ends = [(number[s], [number[c] for c in cores if all(
            (v.start <= k < v.stop) if isinstance(v, slice) else v == k for v, k in zip(d, c))]) for s, d in rows]
        return [f"ttl.Pipe({s}, {d})" for s, d in rows], ends

    def write(self, pipes, counts, factors):
        high, wide = self.block
        meet = "\n".join(self.cases(counts))
        times = "iterations" if self.dynamic else str(self.iterations)
        return f"""@ttl.kernel(grid=({self.columns}, {self.rows}))
def made(x, out{', iterations: ttl.RuntimeInt' if self.dynamic else ''}):
    own_cb, got_cb, out_cb = (ttl.make_circular_buffer_like(x, shape=({high}, {wide}), buffer_factor=f) for f in {factors})
    net = ttl.PipeNet([{', '.join(pipes)}])

    @ttl.datamovement()
    def read():
        core = ttl.core_linear()

        def send(pipe):
            sent = ttl.copy(own, pipe)
            sent.wait()

        for i in range({times}):
            top = (core * {times} + i) * {high}
            own = own_cb.reserve()
            came = ttl.copy(x[top:top + {high}, 0:{wide}], own)
            came.wait()
            net.if_src(send)
            own_cb.push()

    @ttl.compute()
    def compute():
        core = ttl.core_linear()
        for i in range({times}):
            a = own_cb.wait()
            o = out_cb.reserve()
{meet}
            out_cb.push()
            own_cb.pop()

    @ttl.datamovement()
    def write():
        core = ttl.core_linear()

        def receive(pipe):
            got = got_cb.reserve()
            came = ttl.copy(pipe, got)
            came.wait()
            got_cb.push()

        for i in range({times}):
            top = (core * {times} + i) * {high}
            net.if_dst(receive)
            made = out_cb.wait()
            gone = ttl.copy(made, out[top:top + {high}, 0:{wide}])
            gone.wait()
            out_cb.pop()
"""

    def cases(self, counts):
        """The work of a core depends on how many blocks it receives."""
        pad, word = " " * 12, "if"
        groups = collections.defaultdict(list)
        for core in range(self.columns * self.rows):
            groups[counts[core]].append(core)
        for n, cores in groups.items():
            if len(groups) > 1:
                yield f"{pad}{word} {' or '.join(f'core == {c}' for c in cores)}:"
            word, inside = "elif", pad + "    " * (len(groups) > 1)
            if n < 2:
                yield f"{inside}g = got_cb.wait()" if n else f"{inside}o.store(a)"
                yield f"{inside}o.store({self.meet})" if n else ""
                yield f"{inside}got_cb.pop()" if n else ""
                continue
            yield f"{inside}o += a"
            for _ in range(n):
                yield f"{inside}g = got_cb.wait()"
                yield f"{inside}o += g"
                yield f"{inside}got_cb.pop()"


class Meeting(Made):
    """Every core writes a block to memory, all synchronise, and each reads the block of another: several iterations,
    counted by semaphores."""

    def __init__(self, seed):
        r = random.Random(seed)
        dtype, self.columns, self.rows = r.choice(TYPES), r.randint(1, 4), r.randint(1, 3)
        n = self.columns * self.rows
        iterations, shift, chief = r.randint(1, 4), r.randrange(n), r.randrange(n)
        shape, target = (r.randint(1, 2), r.randint(1, 2)), (chief % self.columns, chief // self.columns)
        high, wide = 32 * shape[0], 32 * shape[1]
        generator = torch.Generator().manual_seed(seed)
        x = whole(generator, (n * high, wide), dtype)
        blocks = x.reshape(n, high, wide)
        for _ in range(iterations):
            blocks = blocks.roll(-shift, 0)
        self.inputs, self.want = [x, torch.zeros(iterations * n * high, wide, dtype=dtype)], blocks.reshape(x.shape)
        get = "go.get_remote_multicast().set(k + 1)" if r.random() < 0.5 else "go.get_remote_multicast((slice(0, %d), slice(0, %d))).set(k + 1)" % (
            self.columns, self.rows)
        self.text = f"""@ttl.kernel(grid=({self.columns}, {self.rows}))
def made(x, between, out):
    cb = ttl.make_circular_buffer_like(x, shape={shape}, buffer_factor={r.randint(1, 2)})
    back = ttl.make_circular_buffer_like(x, shape={shape}, buffer_factor={r.randint(1, 2)})
    arrived, go = ttl.Semaphore(), ttl.Semaphore()

    @ttl.datamovement()
    def work():
        core = ttl.core_linear()
        first = cb.reserve()
        came = ttl.copy(x[core * {shape[0]}:(core + 1) * {shape[0]}, 0:{shape[1]}], first)
        came.wait()
        cb.push()
        for k in range({iterations}):
            block = cb.wait()
            top = (k * {n} + core) * {shape[0]}
            gone = ttl.copy(block, between[top:top + {shape[0]}, 0:{shape[1]}])
            gone.wait()
            cb.pop()
            if core == {chief}:
                arrived.wait_ge({n - 1} * (k + 1))
                {get}
            else:
                arrived.get_remote({target}).inc()
            go.wait_ge(k + 1)
            other = (k * {n} + (core + {shift}) % {n}) * {shape[0]}
            next = cb.reserve()
            came = ttl.copy(between[other:other + {shape[0]}, 0:{shape[1]}], next)
            came.wait()
            cb.push()

        last = cb.wait()
        gone = ttl.copy(last, out[core * {shape[0]}:(core + 1) * {shape[0]}, 0:{shape[1]}])
        gone.wait()
        cb.pop()
"""


class Placed(Made):
    """Blocks go from tensors to a tensor, up to a run-time bound, each with its own element type, in tiles or rows,
    in DRAM, L1 or shards; cores have different numbers of blocks, DST either width and all capacities."""

    STEPS = [("x + y", lambda x, y: x + y), ("x - y", lambda x, y: x - y), ("ttl.math.max(x, y)", torch.maximum),
             ("ttl.math.relu(x) - y", lambda x, y: x.relu() - y), ("x + 3 - ttl.math.abs(y)", lambda x, y: x + 3 - y.abs()),
             ("x * y", lambda x, y: x * y)]
    BLOCK_FLOATS, UNSIGNED = ["bfloat8_b"], ["uint32", "uint16"]

    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.tiled, n = r.random() < 0.6, r.randint(1, 4)
        kinds = ["float32", "bfloat16", "int32", *self.UNSIGNED, *(self.BLOCK_FLOATS if self.tiled else [])]
        kind, result = r.choice(kinds), r.choice(kinds)
        unit = 32 if self.tiled else 1
        high, wide = (r.randint(1, 2), r.randint(1, 2)) if self.tiled else (r.choice([1, 2, 4, 16]), r.choice([32, 64, 96]))
        most = r.randint(1, 3)  # blocks of a core
        self.shape = (n * most * high * unit, wide * unit)
        self.memories = [self.memory() for _ in range(3)]
        self.types = [getattr(ttnn, t) for t in (kind, kind, result)]
        generator = torch.Generator().manual_seed(seed)
        self.inputs = [whole(generator, self.shape, torch.int32) for _ in range(2)]
        if kind in self.UNSIGNED:
            self.inputs = [x.abs() for x in self.inputs]
        used, step = r.randint(1, most), r.randint(1, 2)
        first = r.randrange(used)
        self.numbers = (first, used)
        never_below = [s for s in self.STEPS if kind in self.UNSIGNED and s[0] in ("x + y", "x * y", *["ttl.math.max(x, y)"] * (kind == "uint16"))]
        text, function = r.choice(never_below or self.STEPS)
        if result in self.UNSIGNED and not never_below:
            text, function = "ttl.math.abs(x)", lambda x, _: x.abs()
        self.want = torch.full(self.shape, 7, dtype=torch.int32)
        options = "".join(f", {k}={v}" for k, v in (
            ("fp32_dest_acc_en", r.choice([None, True])), ("dst_full_sync_en", r.choice([None, True, False])),
            ("compute_config", r.choice([None, {"math_fidelity": "LoFi"}]))) if v is not None)
        rows = high * unit
        for core in range(n):
            for i in range(first, used, step):
                at = slice((core * most + i) * rows, (core * most + i + 1) * rows)
                self.want[at] = function(self.inputs[0][at], self.inputs[1][at])
        self.text = f"""@ttl.kernel(grid=({n}, 1){options})
def made(x, y, out, first: ttl.RuntimeInt, used: ttl.RuntimeInt):
    x_cb, y_cb, out_cb = (ttl.make_circular_buffer_like(t, shape=({high}, {wide}), buffer_factor=f)
                          for t, f in zip((x, y, out), {[r.randint(1, 3) for _ in range(3)]}))

    @ttl.datamovement()
    def read():
        for i in range(first, used, {step}):
            top = (ttl.core(dims=1) * {most} + i) * {high}
            a = x_cb.reserve()
            b = y_cb.reserve()
            one = ttl.copy(x[top:top + {high}, 0:{wide}], a)
            two = ttl.copy(y[top:top + {high}, 0:{wide}], b)
            one.wait()
            two.wait()
            x_cb.push()
            y_cb.push()

    @ttl.compute()
    def compute():
        for i in range(first, used, {step}):
            x = x_cb.wait()
            y = y_cb.wait()
            o = out_cb.reserve()
            o.store(ttl.math.typecast({text}, o.dtype))
            out_cb.push()
            y_cb.pop()
            x_cb.pop()

    @ttl.datamovement()
    def write():
        for i in range(first, used, {step}):
            top = (ttl.core(dims=1) * {most} + i) * {high}
            made = out_cb.wait()
            gone = ttl.copy(made, out[top:top + {high}, 0:{wide}])
            gone.wait()
            out_cb.pop()
"""

    def memory(self):
        """DRAM, L1, or shards on some rows and columns of cores."""
        if not self.tiled:
            return self.r.choice(["DRAM", "L1"])
        down, across = (self.r.choice([k for k in range(1, 5) if n // 32 % k == 0]) for n in self.shape)
        return self.r.choice(["DRAM", "L1", ("HEIGHT", down, 1), ("HEIGHT", 1, down), ("WIDTH", across, 1), ("WIDTH", 1, across),
                              ("BLOCK", down, across)])


KINDS = [Piped, Meeting, Placed]


@pytest.mark.parametrize("number", range(COUNT))
def test_made(number):
    KINDS[number % len(KINDS)](number).check([0, *range(number * ORDERS + 1, number * ORDERS + ORDERS)])


# ---- mutants -----------------------------------------------------------------------------------------------------

MUTABLE = re.compile(r"^ +((\w+) = )?\w+(\.\w+)*\(.*\)$|^ +net\.|^ +g = ")


def mutants(right):
    """(change, text) of all mutations."""
    lines = right.text.splitlines(True)
    for i, line in enumerate(lines):
        if not MUTABLE.match(line.rstrip()) or "ttl.core" in line:
            continue
        messages = f"{line.strip()} in line {i + 1}"
        if "=" not in line.split("(")[0]:
            yield f"drop {messages}", "".join(lines[:i] + lines[i + 1:])
            yield f"twice {messages}", "".join(lines[:i] + [line] + lines[i:])
        after = lines[i + 1] if i + 1 < len(lines) else ""
        if MUTABLE.match(after.rstrip()) and re.match(" *", after)[0] == re.match(" *", line)[0]:
            yield f"swap {messages}", "".join(lines[:i] + [after, line] + lines[i + 2:])


def outcome(number, orders):
    """The outcome of mutant `number`, the change, the reports; `unplaced`: no line of the kernel was named."""
    right = KINDS[number % len(KINDS)](number)
    what, text = random.Random(number).choice(list(mutants(right)))
    harm = False
    for order in [0, *range(number * orders + 1, number * orders + orders)]:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", RuntimeWarning)
            try:
                harm |= not torch.equal(right.run(order, text), right.want)
            except SyntaxError as error:
                return "reported", what, str(error), text
            except Exception as error:  # noqa: BLE001: whatever it is, it names a line
                warned = [error]
        if warned:
            messages = str(warned[0] if isinstance(warned[0], Exception) else warned[0].message)
            placed = re.search(r"<generated made -?\d+>:(\d+)", messages)
            return "reported" if placed and int(placed[1]) <= text.count("\n") else "unplaced", what, messages, text
    return "missed" if harm else "harmless", what, None, text


@pytest.mark.parametrize("number", range(COUNT))
def test_no_harm_is_missed(number):
    became, what, messages, _ = outcome(number, 2)
    assert became not in ("missed", "unplaced"), (what, messages)


def main():
    counts, first, n, orders = collections.Counter(), *map(int, sys.argv[1:])
    for number in range(first, first + n):
        became, what, messages, text = outcome(number, orders)
        counts[became] += 1
        if became != "reported":
            print(f"{became}: {number}: {what}" + (f": {messages[:300]}" if messages else ""), flush=True)
    print(dict(counts))
    sys.exit(counts["missed"] + counts["unplaced"] > 0)


if __name__ == "__main__":
    main()
