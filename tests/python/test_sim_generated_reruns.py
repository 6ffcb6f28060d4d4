"""Several programs of one device that alternate at random: tensors that they share, that are exchanged, freed and
recreated, in DRAM, L1 and shards; shares of cores that arguments change between runs; loops that a word of a tensor
ends. From their second run on programs may repeat the record of an earlier run, which must equal executing them.
Values are integers, and results NumPy's exactly. TILEWRIGHT_GENERATED sets the count (default 24)."""

import os
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from grid_kernels import cb_type, new_host, op, port, to_host, to_numpy  # noqa: E402
from test_sim_generated import accessor_lines, kernel  # noqa: E402
from test_sim_generated_formats import lies  # noqa: E402
from test_sim_generated_kernels import IDX, PAGES, Made, lines  # noqa: E402
from test_sim_generated_units import FLOAT_UNARY, INITS, INT_UNARY  # noqa: E402
from tilewright import sim  # noqa: E402

KINDS = {"f32": np.float32, "bf16": np.float32, "si32": np.int32, "bfp_bf8": np.float32}
EXTREMES = {"max": np.maximum, "min": np.minimum}
SHARE = """
    %start32 = "ttkernel.get_arg_val"(%c0) : (index) -> i32
    %count32 = "ttkernel.get_arg_val"(%c1) : (index) -> i32
    %start = arith.index_cast %start32 : i32 to index
    %count = arith.index_cast %count32 : i32 to index
"""
LOOP = """
    scf.for %k = %c0 to %count step %c1 {
      %at = arith.addi %start, %k : index
"""


class Program(Made):
    """Each core computes a function of one tensor, or of two, in its share of the tiles."""

    def __init__(self, r, dtype, tiles):
        self.dtype, self.tiles, self.cores = dtype, tiles, r.randint(1, 3)
        whole, depth = dtype == "si32", r.randint(1, 2)
        table = {k: v for k, v in (INT_UNARY if whole else FLOAT_UNARY).items() if k != "square"}
        self.extreme, self.functions = r.choice([None, *EXTREMES]), [(k, table[k]) for k in r.sample(sorted(table), r.randint(0, 2))]
        self.inputs = 2 if self.extreme else 1
        names = [f"in{i}" for i in range(self.inputs)]
        self.pages = dict.fromkeys([*names, "out"], depth)
        reader = "".join(port(2 * i, depth, dtype, k) + "\n" + accessor_lines(2 * i + 1, i, PAGES[dtype]) for i, k in enumerate(names))
        reader += SHARE + LOOP + "".join(self.cb("cb_reserve_back", k, 1) + self.move(f"r{i}", "read", k, 1, i, "at")
                                         + self.cb("cb_push_back", k, 1) for i, k in enumerate(names)) + "    }\n"
        writer = port(0, depth, dtype, "out") + "\n" + accessor_lines(1, 0, PAGES[dtype]) + SHARE + LOOP + self.cb("cb_wait_front", "out", 1) \
            + self.move("w", "write", "out", 1, 0, "at") + self.cb("cb_pop_front", "out", 1) + "    }\n"
        compute = "".join(port(i, depth, dtype, k) + "\n" for i, k in enumerate(self.pages))
        compute += lines([op("init_sfpu", ["in0", "out"], [self.type("in0"), self.type("out")])]) + SHARE + LOOP
        compute += "".join(self.cb("cb_wait_front", k, 1) for k in names) + self.cb("cb_reserve_back", "out", 1) + lines(self.steps(whole), 6)
        compute += self.cb("cb_push_back", "out", 1) + "".join(self.cb("cb_pop_front", k, 1) for k in names) + "    }\n"
        self.text = "module {\n" + kernel("reader", "noc", reader) + kernel("compute", "compute", compute) + kernel("writer", "noc", writer) + "}\n"
        self.buffers = [*(sim.Buffer(i, dtype, depth) for i in range(self.inputs)), sim.Buffer(16, dtype, depth)]
        self.at = (r.randint(0, 2), r.randint(0, 2), 1, self.cores)
        self.share(r)

    def steps(self, whole):
        for i in range(self.inputs):
            c = self.type(f"in{i}")
            yield op("tile_regs_acquire") if not i else ""
            yield op("copy_tile_init", [f"in{i}"], [c])
            yield op("copy_tile", [f"in{i}", "c0", f"c{i}"], [c, IDX, IDX])
        if self.extreme:
            name = f"binary_{self.extreme}" + "_int32" * whole
            yield op(f"{name}_tile_init")
            yield op(f"{name}_tile", ["c0", "c1", "c0"], [IDX] * 3)
        for name, _ in self.functions:
            init = name.removesuffix("_int32").removesuffix("_tile") if whole else INITS.get(name, name)
            yield op(f"{init}_tile_init")
            yield op(name if whole else f"{name}_tile", ["c0"], [IDX])
        yield op("tile_regs_commit")
        yield op("tile_regs_wait")
        yield op("pack_tile", ["c0", "out", "c0"], [IDX, self.type("out"), IDX], "<{out_of_order = true}>")
        yield op("tile_regs_release")

    def share(self, r):
        """Tiles of each core, disjoint; some may be unused."""
        cuts = sorted(r.randint(0, self.tiles) for _ in range(2 * self.cores))
        self.shares = [[a, b - a] for a, b in zip(cuts[::2], cuts[1::2])]

    def load(self, grid, tensors):
        ins, last = range(self.inputs), self.inputs
        runs = [sim.Run("reader", self.at, [a for i in ins for a in (sim.cb(i), sim.accessor(i))], [sim.address(i) for i in ins], self.shares),
                sim.Run("compute", self.at, [*(sim.cb(i) for i in ins), sim.cb(16)], args=self.shares,
                        wide_dst=self.dtype in ("si32", "f32"), unpack_to_dst=(0, 1)),
                sim.Run("writer", self.at, [sim.cb(16), sim.accessor(last)], [sim.address(last)], self.shares, noc=1)]
        self.launch = grid.load(self.text, "turns").launch(runs, self.buffers, tensors)

    def change(self, r):
        self.share(r)
        for run in range(3):
            for core, values in enumerate(self.shares):
                for i, value in enumerate(values):
                    self.launch.set_arg(run, i, value, core)

    def apply(self, arrays):
        """The effect of a run on the tiles of its tensors: the last is written."""
        for first, n in self.shares:
            at = slice(first, first + n)
            x = EXTREMES[self.extreme](arrays[0][at], arrays[1][at]) if self.extreme else arrays[0][at]
            for _, function in self.functions:
                x = function(x).astype(x.dtype)
            arrays[-1][at] = x


class Counted(Made):
    """Copies as many tiles from one tensor to another as the first word of a third says, each at the position given
    by the argument."""

    def __init__(self, r, dtype, tiles):
        self.dtype, self.tiles, self.inputs, depth = dtype, tiles, 2, r.randint(1, 2)
        self.pages, self.formats = {"in0": depth, "word": 1}, {"word": "si32"}
        word = self.cb("cb_reserve_back", "word", 1) + self.move("c", "read", "word", 1, 1) + f"""
    %word_at = "ttkernel.reinterpret_cast"(%pc) : (i32) -> !ttkernel.l1_addr_ptr
    %many = "ttkernel.load_from_l1"(%word_at, %w0) : (!ttkernel.l1_addr_ptr, i32) -> i32
    %count = arith.index_cast %many : i32 to index
    %start32 = "ttkernel.get_common_arg_val"(%c2) : (index) -> i32
    %start = arith.index_cast %start32 : i32 to index
""" + self.cb("cb_push_back", "word", 1) + self.cb("cb_wait_front", "word", 1) + self.cb("cb_pop_front", "word", 1)
        ports = port(0, depth, dtype, "in0") + "\n" + port(1, 1, "si32", "word") + "\n" + accessor_lines(2, 0, PAGES[dtype])
        # the second accessor's arguments follow the first's
        ports += accessor_lines(3, 1, PAGES["si32"])
        reader = ports + word + LOOP + self.cb("cb_reserve_back", "in0", 1) + self.move("r", "read", "in0", 1, 0, "at") \
            + self.cb("cb_push_back", "in0", 1) + "    }\n"
        writer = ports + word + LOOP + self.cb("cb_wait_front", "in0", 1) + self.move("w", "write", "in0", 1, 0, "at") \
            + self.cb("cb_pop_front", "in0", 1) + "    }\n"
        self.text = "module {\n" + kernel("reader", "noc", reader) + kernel("writer", "noc", writer) + "}\n"
        self.buffers = [sim.Buffer(0, dtype, depth), sim.Buffer(1, "si32", 1), sim.Buffer(2, "si32", 1)]
        self.at, self.first, self.many = (r.randint(0, 3), r.randint(0, 3), 1, 1), 0, 0

    def load(self, grid, tensors):
        self.word = grid.tensor((32, 32), "si32", data=np.zeros((32, 32), np.int32), memory=random.Random(self.tiles).choice([sim.DRAM, sim.L1]))
        runs = [sim.Run(name, self.at, [sim.cb(0), sim.cb(1 + i), sim.accessor(i), sim.accessor(2)], [sim.address(i), sim.address(2), 0], noc=i)
                for i, name in enumerate(("reader", "writer"))]
        self.launch = grid.load(self.text, "counted").launch(runs, self.buffers, [*tensors, self.word])

    def change(self, r):
        if r.random() < 0.5:
            self.first = r.randint(0, self.tiles - 1)
            for run in range(2):
                self.launch.set_arg(run, 2, self.first)
        self.many = r.randint(0, self.tiles - self.first)
        self.word.write(np.full((32, 32), self.many, np.int32))

    def apply(self, arrays):
        at = slice(self.first, self.first + self.many)
        arrays[-1][at] = arrays[0][at]


class Reruns:
    """A device, tensors, programs, and the operations on them."""

    def __init__(self, seed, orders):
        self.r, self.orders = random.Random(seed), orders
        r, self.rng = self.r, np.random.default_rng(seed)
        self.dtype, self.tiles = r.choice(list(KINDS)), r.randint(1, 8)
        self.grid = sim.Grid("n150", seed=r.choice(orders), threads=r.randint(1, 2))
        self.arrays = [None] * r.randint(3, 5)
        self.tensors = [None] * len(self.arrays)
        self.memories = [lies(r, (32, 32 * self.tiles)) for _ in self.arrays]
        for i in range(len(self.arrays)):
            self.anew(i)
        self.programs = [r.choice([Program, Program, Counted])(r, self.dtype, self.tiles) for _ in range(r.randint(1, 3))]
        for p in self.programs:
            p.bound = self.binding(p)
            p.load(self.grid, [self.tensors[i] for i in p.bound])

    def binding(self, p):
        """The tensors of a program; the last, which is written, may be read, too, where tiles keep their positions."""
        n = p.inputs + 1 if isinstance(p, Program) else 2
        some = self.r.sample(range(len(self.tensors)), n)
        if isinstance(p, Program) and self.r.random() < 0.3:
            some[-1] = some[0]
        return some

    def numbers(self):
        return self.rng.integers(-100, 101, (self.tiles, 32, 32)).astype(KINDS[self.dtype])

    def write(self, i):
        self.arrays[i] = self.numbers()
        self.tensors[i].write(to_host(np.concatenate(self.arrays[i], axis=1), self.dtype))

    def anew(self, i):
        self.tensors[i] = None
        self.tensors[i] = self.grid.tensor((32, 32 * self.tiles), self.dtype, **self.memories[i])
        self.write(i)

    def look(self, i):
        got = to_numpy(self.tensors[i].read(new_host(self.tensors[i].shape, self.dtype)))
        assert np.array_equal(got, np.concatenate(self.arrays[i], axis=1)), i

    def step(self):
        r = self.r
        p = r.choice(self.programs)
        what = r.choice(["run"] * 6 + ["write", "write", "bind", "change", "change", "seed", "anew"])
        if what == "run":
            for _ in range(r.choice([1, 1, 2, 4])):
                p.launch.run()
                assert p.launch.reports == [], p.launch.log
                p.apply([self.arrays[i] for i in p.bound])
            self.look(p.bound[-1])
        elif what == "write":
            self.write(r.randrange(len(self.tensors)))
        elif what == "change":
            p.change(r)
        elif what == "seed":
            self.grid.set_seed(r.choice(self.orders))
        elif what == "bind":
            same = self.binding(p)
            if all(self.memories[a] == self.memories[b] for a, b in zip(same, p.bound)):  # layouts belong to the launch
                p.bound = same
                self.bind(p)
        else:
            i = r.randrange(len(self.tensors))
            self.anew(i)
            for p in self.programs:
                self.bind(p)

    def bind(self, p):
        for slot, i in enumerate(p.bound):
            p.launch.set_tensor(slot, self.tensors[i])

    def check(self, steps=40):
        for _ in range(steps):
            self.step()
        for i in range(len(self.tensors)):
            self.look(i)


@pytest.mark.parametrize("number", range(int(os.environ.get("TILEWRIGHT_GENERATED", 24))))
def test_reruns(number):
    Reruns(number, range(int(os.environ.get("TILEWRIGHT_GENERATED_SEEDS", 4)))).check()
