"""Random correct compute kernels of the units' operations: tiles come into DST by copies, sums, differences and
products of two buffers, transposed, broadcast, as matrix products by tiles and by blocks, or through DST itself; the
vector unit processes them; the packer writes them in any order, or accumulates in L1. And programs whose cores run
different kernels over shares given by per-core arguments. Values are integers that every format on the way
represents, so results are NumPy's exactly, whatever was set up before. TILEWRIGHT_GENERATED sets the count (default
24)."""

import os
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from grid_kernels import cb_type, op, port  # noqa: E402
from test_sim_generated import accessor_lines, kernel  # noqa: E402
from test_sim_generated_kernels import IDX, PAGES, Made, OneCore, lines  # noqa: E402
from tilewright import sim  # noqa: E402

I32 = "i32"
CAPACITY = {"f32": 1 << 11, "bf16": 1 << 8, "si32": 1 << 30}  # integers up to here are exact, in tf32 too
FLOAT_UNARY = {"abs": np.abs, "negative": np.negative, "relu": lambda x: np.maximum(x, 0), "square": np.square,
               "gtz": lambda x: x > 0, "sign": np.sign, "floor": np.floor}
INT_UNARY = {"abs_tile_int32": np.abs, "negative_tile_int32": np.negative, "relu_tile_int32": lambda x: np.maximum(x, 0),
             "bitwise_not_tile": np.invert, "ltz_tile_int32": lambda x: x < 0}
BINARY = {"add_binary": np.add, "sub_binary": np.subtract, "mul_binary": np.multiply, "binary_max": np.maximum,
          "binary_min": np.minimum}
INT_BINARY = {"add_int": np.add, "sub_int": np.subtract, "binary_max_int32": np.maximum, "binary_min_int32": np.minimum}
INITS = {"floor": "rounding_op"}
SPREAD = {"row": lambda x: np.tile(x[:1], (32, 1)), "col": lambda x: np.tile(x[:, :1], (1, 32)), "scalar": lambda x: np.full_like(x, x[0, 0])}
SI32 = "<{dtype = #ttcore.supportedDataTypes<si32>}>"


class Units(OneCore):
    """One core's units in any sequence."""

    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.dtype, self.close = r.choice(["f32", "bf16", "si32"]), 0
        self.wide = self.dtype != "bf16" or r.random() < 0.5
        n, m, out = r.randint(1, 4), r.randint(1, 4), r.randint(1, 6)
        rng = np.random.default_rng(seed)
        self.tiles = [rng.integers(-2, 3, (k, 32, 32)).astype(np.int32 if self.dtype == "si32" else np.float32) for k in (n, m)]
        self.arrays = [np.concatenate(t, axis=1) for t in self.tiles]
        self.types = [cb_type(n, self.dtype), cb_type(m, self.dtype), cb_type(out, self.dtype)]
        self.slots = r.choice([1, 2, 3, 4]) if self.wide else r.choice([1, 2, 4, 8])
        self.full_sync = r.random() < 0.2
        results, steps = [None] * out, [op("binary_op_init_common", ["in0", "in1", "out"], self.types)]
        for first in range(0, out, self.slots):
            mine = list(range(first, min(first + self.slots, out)))
            r.shuffle(mine)
            steps += self.section(mine, results, acc=False)
        if self.dtype != "si32" and r.random() < 0.5:  # the next results are added to the buffer's contents
            steps += [op("pack_reconfig_l1_acc", ["w1"], [I32])]
            for t in r.sample(range(out), r.randint(1, out)):
                steps += self.section([t], results, acc=True)
            steps += [op("pack_reconfig_l1_acc", ["w0"], [I32])]
        self.want = np.concatenate(results, axis=1)
        fidelity = {"f32": r.choice([3, 4]), "bf16": r.choice([2, 3, 4])}.get(self.dtype, 4)  # enough for values so small
        self.assemble([n, m], out, lines(steps), wide_dst=self.wide, full_sync=self.full_sync, fidelity=fidelity,
                      unpack_to_dst=(0, 1) if self.dtype == "si32" or self.wide and r.random() < 0.3 and self.copies_only else ())

    copies_only = False

    def section(self, targets, results, acc):
        """DST is acquired, filled and packed into the targets."""
        steps, made = [op("tile_regs_acquire")], []
        self.spare = len(targets)  # products add to the tile's former contents
        for slot in range(len(targets)):
            while True:
                some, x = self.tile(slot)
                total = x + (results[targets[slot]] if acc else 0)
                if max(np.abs(x).max(), np.abs(total).max()) <= CAPACITY[self.dtype]:
                    break
            steps += some
            made.append(x)
        steps += [op("tile_regs_commit"), op("tile_regs_wait")]
        for slot in self.r.sample(range(len(targets)), len(targets)):
            steps.append(op("pack_tile", [f"c{slot}", "out", f"c{targets[slot]}"], [IDX, self.types[2], IDX], "<{out_of_order = true}>"))
            results[targets[slot]] = made[slot] + (results[targets[slot]] if acc else 0)
        return [*steps, op("tile_regs_release")]

    def tile(self, slot):
        """Loads a tile into DST; returns its values."""
        r, whole = self.r, self.dtype == "si32"
        load = r.choice([self.copy] if whole else [self.copy, self.eltwise, self.transposed, self.broadcast, self.product, self.reused])
        steps, x = load(slot)
        if load == self.copy and r.random() < 0.5 and self.spare < (4 if self.wide else 8):
            more, y = self.copy(self.spare)
            name, fn = r.choice(sorted((INT_BINARY if whole else BINARY).items()))
            attrs = SI32 if name in ("add_int", "sub_int") else ""
            steps += [*more, op(f"{name}_tile_init"), op(f"{name}_tile", [f"c{slot}", f"c{self.spare}", f"c{slot}"], [IDX] * 3, attrs)]
            x = fn(x, y)
        for name, fn in r.sample(sorted((INT_UNARY if whole else FLOAT_UNARY).items()), r.randint(0, 2)):
            init = name.removesuffix("_int32").removesuffix("_tile") if whole else INITS.get(name, name)
            steps += [op(f"{init}_tile_init"), op(name if whole else f"{name}_tile", [f"c{slot}"], [IDX])]
            y = fn(x).astype(x.dtype)
            if np.abs(y).max() > CAPACITY[self.dtype]:
                return self.tile(slot)
            x = y
        return steps, x

    def any(self, side):
        k = self.r.randrange(len(self.tiles[side]))
        return k, self.tiles[side][k]

    def copy(self, slot):
        side = self.r.randrange(2)
        k, x = self.any(side)
        c = self.types[side]
        return [op("copy_tile_init", [f"in{side}"], [c]), op("copy_tile", [f"in{side}", f"c{k}", f"c{slot}"], [c, IDX, IDX])], x

    def eltwise(self, slot):
        name, fn = self.r.choice([("add", np.add), ("sub", np.subtract), ("mul", np.multiply)])
        (i, x), (j, y), c = self.any(0), self.any(1), self.types
        return [op(f"{name}_tiles_init", ["in0", "in1"], c[:2]),
                op(f"{name}_tiles", ["in0", "in1", f"c{i}", f"c{j}", f"c{slot}"], [*c[:2], IDX, IDX, IDX])], fn(x, y)

    def transposed(self, slot):
        (k, x), c = self.any(0), self.types
        return [op("transpose_wh_init", ["in0", "out"], [c[0], c[2]]),
                op("transpose_wh_tile", ["in0", f"c{k}", f"c{slot}"], [c[0], IDX, IDX])], x.T

    def broadcast(self, slot):
        kind, (k, x), c = self.r.choice(sorted(SPREAD)), self.any(0), self.types
        attrs = f"<{{bcast_type = #ttkernel.bcast_type<{kind}>}}>"
        return [op("unary_bcast_init", ["in0", "out"], [c[0], c[2]], attrs),
                op("unary_bcast", ["in0", f"c{k}", f"c{slot}"], [c[0], IDX, IDX], attrs)], SPREAD[kind](x)

    def product(self, slot):
        """A sum of products of tiles; of blocks of one tile where that is set up."""
        c, terms = self.types, self.r.randint(1, 3)
        pairs = [(self.any(0), self.any(1)) for _ in range(terms)]
        x = sum(a @ b for (_, a), (_, b) in pairs)
        if np.abs(x).max() > CAPACITY[self.dtype]:
            return self.product(slot)
        if self.r.random() < 0.5:
            return [op("mm_init", ["in0", "in1", "out", "w0"], [*c, I32])] + [
                op("matmul_tiles", ["in0", "in1", f"c{i}", f"c{j}", f"c{slot}"], [*c[:2], IDX, IDX, IDX]) for (i, _), (j, _) in pairs], x
        turned = self.r.randrange(2)
        if turned:
            x = sum(a @ b.T for (_, a), (_, b) in pairs)
            if np.abs(x).max() > CAPACITY[self.dtype]:
                return self.product(slot)
        return [op("mm_block_init", ["in0", "in1", "out", f"w{turned}", "w1", "w1", "w1"], [*c, I32, I32, I32, I32])] + [
            op("matmul_block", ["in0", "in1", f"c{i}", f"c{j}", f"c{slot}", f"w{turned}", "w1", "w1", "w1"],
               [*c[:2], IDX, IDX, IDX, I32, I32, I32, I32]) for (i, _), (j, _) in pairs], x

    def reused(self, slot):
        """DST is an operand itself."""
        steps, x = self.copy(slot)
        (k, y), c = self.any(1), self.types[1]
        kind, fn = self.r.choice([("add", np.add), ("sub", np.subtract), ("mul", np.multiply)])
        side = self.r.choice(["dest_to_srca", "dest_to_srcb"])
        attrs = f"<{{eltwise_binary_type = #ttkernel.eltwise_binary_type<{kind}>, reuse_type = #ttkernel.reuse_type<{side}>}}>"
        return [*steps, op("binary_dest_reuse_tiles_init", ["in1"], [c], attrs),
                op("binary_dest_reuse_tiles", ["in1", f"c{k}", f"c{slot}"], [c, IDX, IDX], attrs)], fn(x, y) if side == "dest_to_srca" else fn(y, x)


class Shares(Made):
    """Two kinds of cores run different kernels; each core's share of the tiles (it may be empty) is given by its
    arguments."""

    def __init__(self, seed):
        r = random.Random(seed)
        self.dtype, self.close = r.choice(["f32", "bf16", "si32"]), 0
        split, cores, depth = r.randint(1, 3), 0, r.randint(1, 3)
        cores = split + r.randint(1, 3)
        counts = [r.randint(0, 4) for _ in range(cores)]
        if not sum(counts):
            counts[0] = 2
        starts = [sum(counts[:i]) for i in range(cores)]
        n = sum(counts)
        rng, whole = np.random.default_rng(seed), self.dtype == "si32"
        x = rng.integers(-9, 10, (n, 32, 32)).astype(np.int32 if whole else np.float32)
        chosen = r.sample(sorted((INT_UNARY if whole else FLOAT_UNARY).items()), 2)
        want = [chosen[int(core >= split)][1](x[t]).astype(x.dtype)
                for core in range(cores) for t in range(starts[core], starts[core] + counts[core])]
        self.arrays, self.want = [np.concatenate(x, axis=1)], np.concatenate(want, axis=1)
        d, c = self.dtype, cb_type(depth, self.dtype)
        self.pages = {"in0": depth, "out": depth}
        share = """
    %start32 = "ttkernel.get_arg_val"(%c0) : (index) -> i32
    %count32 = "ttkernel.get_arg_val"(%c1) : (index) -> i32
    %start = arith.index_cast %start32 : i32 to index
    %count = arith.index_cast %count32 : i32 to index
    scf.for %k = %c0 to %count step %c1 {
      %at = arith.addi %start, %k : index
"""
        reader = port(0, depth, d, "in0") + "\n" + accessor_lines(1, 0, PAGES[d]) + share + self.cb("cb_reserve_back", "in0", 1) \
            + self.move("r", "read", "in0", 1, 0, "at") + self.cb("cb_push_back", "in0", 1) + "    }\n"
        writer = port(0, depth, d, "out") + "\n" + accessor_lines(1, 0, PAGES[d]) + share + self.cb("cb_wait_front", "out", 1) \
            + self.move("w", "write", "out", 1, 0, "at") + self.cb("cb_pop_front", "out", 1) + "    }\n"
        text = kernel("reader", "noc", reader) + kernel("writer", "noc", writer)
        for i, (name, _) in enumerate(chosen):
            init = name.removesuffix("_int32").removesuffix("_tile") if whole else INITS.get(name, name)
            steps = [op("tile_regs_acquire"), op("copy_tile_init", ["in0"], [c]), op("copy_tile", ["in0", "c0", "c0"], [c, IDX, IDX]),
                     op(f"{init}_tile_init"), op(name if whole else f"{name}_tile", ["c0"], [IDX]), op("tile_regs_commit"),
                     op("tile_regs_wait"), op("pack_tile", ["c0", "out", "c0"], [IDX, c, IDX], "<{out_of_order = true}>"),
                     op("tile_regs_release")]
            text += kernel(f"compute{i}", "compute", port(0, depth, d, "in0") + "\n" + port(1, depth, d, "out") + "\n"
                           + lines([op("init_sfpu", ["in0", "out"], [c, c])]) + share + self.cb("cb_wait_front", "in0", 1)
                           + self.cb("cb_reserve_back", "out", 1) + lines(steps, 6) + self.cb("cb_push_back", "out", 1)
                           + self.cb("cb_pop_front", "in0", 1) + "    }\n")
        self.text = "module {\n" + text + "}\n"
        args = [[s, n] for s, n in zip(starts, counts)]
        parts, config = [(0, split), (split, cores - split)], {"wide_dst": d != "bf16", "unpack_to_dst": (0,)}
        self.runs = [sim.Run("reader", (0, 0, 1, cores), [sim.cb(0), sim.accessor(0)], [sim.address(0)], args=args),
                     *(sim.Run(f"compute{i}", (0, at, 1, k), [sim.cb(0), sim.cb(16)], args=args[at:at + k], **config)
                       for i, (at, k) in enumerate(parts)),
                     sim.Run("writer", (0, 0, 1, cores), [sim.cb(16), sim.accessor(1)], [sim.address(1)], args=args, noc=1)]
        self.buffers = [sim.Buffer(0, d, depth), sim.Buffer(16, d, depth)]


KINDS = [Units, Shares]


@pytest.mark.parametrize("number", range(int(os.environ.get("TILEWRIGHT_GENERATED", 24))))
def test_made(number):
    seeds = int(os.environ.get("TILEWRIGHT_GENERATED_SEEDS", 4)) - 1
    KINDS[number % len(KINDS)](number).check([0, *range(number * seeds + 1, number * seeds + seeds + 1)])
