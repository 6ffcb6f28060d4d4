"""Random correct kernels whose buffers have formats of their own: every float, block float and integer, changed on
the way by reconfiguration and typecasts, in DST of both widths and all its capacities, at the three levels of the
matrix unit's model and all fidelities, between tensors in DRAM, L1 and shards; and tilizing and untilizing. Values
are integers that every format on the way represents, so results are NumPy's exactly; where phases are omitted from
products, the operands are truncated as the phases imply. TILEWRIGHT_GENERATED sets the count (default 24)."""

import os
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from grid_kernels import op, port  # noqa: E402
from test_sim_generated import accessor_lines, kernel  # noqa: E402
from test_sim_generated_kernels import IDX, PAGES, Made, OneCore, lines  # noqa: E402
from test_sim_generated_units import (  # noqa: E402
    BINARY, FLOAT_UNARY, I32, INITS, INT_BINARY, INT_UNARY, SPREAD,
)
from test_sim_numerics import phases_of  # noqa: E402
from test_sim_ops import bits, sfpu  # noqa: E402
from tilewright import sim  # noqa: E402

# Integers up to here are exact in a format, also through source registers, with any values beside them.
CAPACITY = {"f32": 1 << 11, "bf16": 1 << 8, "bfp_bf8": 127, "bfp_bf4": 7, "bfp_bf2": 1, "si32": 1 << 30, "u32": 1 << 30,
        "u16": 65535, "u8": 255}
FLOATS, WHOLE = ["f32", "bf16", "bfp_bf8", "bfp_bf4", "bfp_bf2"], ["si32", "u32", "u16", "u8"]
LONG = {"si32", "u32"}  # which only a 32-bit DST holds
UNITS = ["value", "fidelity", "bit"]
TWO = BINARY | {"eq_binary": np.equal, "ne_binary": np.not_equal, "gt_binary": np.greater, "ge_binary": np.greater_equal,
                "lt_binary": np.less, "le_binary": np.less_equal}
TWO_WHOLE = INT_BINARY | {"mul_int": np.multiply, "bitwise_and_binary": np.bitwise_and, "bitwise_or_binary": np.bitwise_or,
                          "bitwise_xor_binary": np.bitwise_xor}
NUMBER = {"add": np.add, "sub": np.subtract, "mul": np.multiply}


def lies(r, shape):
    """A memory for a tensor; shards are whole tiles."""
    rows, columns = (n // 32 for n in shape)
    memory = r.choice([sim.DRAM, sim.DRAM, sim.L1, sim.DRAM_SHARDED, sim.L1_SHARDED])
    if memory in (sim.DRAM, sim.L1):
        return {"memory": memory}
    shards = [r.choice([k for k in range(1, 5) if n % k == 0]) for n in (rows, columns)]
    cores = {"cores": (r.randint(0, 2), r.randint(0, 2), r.randint(1, 3))} if memory == sim.L1_SHARDED else {}
    return {"memory": memory, "shards": tuple(shards), **cores}


class Mixed(OneCore):
    """The units of one core among buffers of several formats."""

    close = 0

    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.wide, self.full_sync = r.random() < 0.6, r.random() < 0.4
        self.numerics, self.fidelity = r.choice(UNITS), r.randint(1, 4)
        self.most = 1 << 11 if self.wide else 1 << 8  # in DST
        formats = [*FLOATS, *FLOATS, *(f for f in WHOLE if self.wide or f not in LONG)]
        counts = [r.randint(1, 4) for _ in range(r.randint(2, 3))]
        self.of = [r.choice(FLOATS), *(r.choice(formats) for _ in counts[1:])]
        self.capacity = (4 if self.wide else 8) * (1 + self.full_sync)
        outs = {k: r.randint(1, 6) for k in ("out", "out1")[:r.randint(1, 2)]}
        self.to = {k: r.choice([*formats, *["f32", "bf16"] * 4]) for k in outs}
        self.formats = {f"in{i}": f for i, f in enumerate(self.of)} | self.to
        self.counts, rng = counts, np.random.default_rng(seed)
        self.tiles = [self.some(rng, n, f) for n, f in zip(counts, self.of)]
        self.pages = {f"in{i}": n for i, n in enumerate(counts)} | outs
        self.unpacked = tuple(i for i, f in enumerate(self.of) if f in LONG or f == "f32" and self.wide and r.random() < 0.3)
        self.results = {k: [None] * n for k, n in outs.items()}
        self.src, self.packer, steps = [None, None], None, []
        left = [(k, i) for k, n in outs.items() for i in range(n)]
        r.shuffle(left)
        self.set_up(steps, 0, 0, "out")
        while left:
            n = r.randint(1, min(self.capacity, len(left)))
            self.section(steps, left[:n], acc=False)
            left = left[n:]
        for k in [k for k, f in self.to.items() if f in ("f32", "bf16") and r.random() < 0.4]:
            self.packs(steps, k)
            steps.append(op("pack_reconfig_l1_acc", ["w1"], [I32]))  # the next results are added to the buffer's contents
            for i in r.sample(range(outs[k]), r.randint(1, outs[k])):
                self.section(steps, [(k, i)], acc=True)
            steps.append(op("pack_reconfig_l1_acc", ["w0"], [I32]))
        self.arrays = [np.concatenate(t, axis=1) for t in self.tiles]
        self.wants = [np.concatenate(x, axis=1) for x in self.results.values()]
        self.held = [*self.of, *self.to.values()]
        self.lies = [lies(r, x.shape) for x in (*self.arrays, *self.wants)]
        self.assemble(counts, outs, lines(steps), wide_dst=self.wide, full_sync=self.full_sync, fidelity=self.fidelity,
                      unpack_to_dst=self.unpacked)

    def outs(self):
        return self.wants

    def some(self, rng, n, f):
        most = min(self.r.choice([1, 3, 20, 60, 120]), CAPACITY[f], self.most)
        return rng.integers(0 if f.startswith("u") else -most, most + 1, (n, 32, 32)).astype(np.int64)

    # ---- set-up ----------------------------------------------------------------------------------

    def set_up(self, steps, a, b, out):
        """Everything: the unpackers for these inputs and the packer for this output."""
        steps.append(op("compute_kernel_hw_startup", [f"in{a}", f"in{b}", out], [self.type(f"in{a}"), self.type(f"in{b}"), self.type(out)]))
        self.src, self.packer = [self.of[a], self.of[b]], self.to[out]

    def unpacks(self, steps, a, b=None):
        """Sets up the unpacker of SrcA for one input, that of SrcB for another; None: it is not needed."""
        right = b is None or self.src[1] == self.of[b]
        if not right or a is not None and self.src[0] != self.of[a] and self.r.random() < 0.3:
            self.set_up(steps, b if a is None else a, a if b is None else b, self.r.choice(list(self.to)))
        elif a is not None and (self.src[0] != self.of[a] or self.r.random() < 0.1):
            steps.append(op("reconfig_data_format_srca", [f"in{a}"], [self.type(f"in{a}")]))
            self.src[0] = self.of[a]

    def packs(self, steps, out):
        if self.packer != self.to[out] or self.r.random() < 0.1:
            steps.append(op("pack_reconfig_data_format", [out], [self.type(out)]))
            self.packer = self.to[out]

    def section(self, steps, targets, acc):
        """DST is acquired, filled and packed into the targets."""
        steps.append(op("tile_regs_acquire"))
        made, slots = [], self.r.sample(range(self.capacity), len(targets))
        for slot, (k, i) in zip(slots, targets):
            made.append(self.tile(steps, slot, self.to[k], self.results[k][i] if acc else 0, [s for s in range(self.capacity) if s not in slots]))
        steps += [op("tile_regs_commit"), op("tile_regs_wait")]
        for at in self.r.sample(range(len(targets)), len(targets)):
            k, i = targets[at]
            self.packs(steps, k)
            steps.append(op("pack_tile", [f"c{slots[at]}", k, f"c{i}"], [IDX, self.type(k), IDX], "<{out_of_order = true}>"))
            self.results[k][i] = made[at] + (self.results[k][i] if acc else 0)
        steps.append(op("tile_regs_release"))

    # ---- tiles -----------------------------------------------------------------------------------

    def fits(self, x, f):
        return np.abs(x).max() <= (CAPACITY[f] if f in WHOLE else min(CAPACITY[f], self.most)) and (x.min() >= 0 or not f.startswith("u"))

    def tile(self, steps, slot, to, already, spare):
        """Loads a tile of values that the target can hold into DST; returns its values."""
        for attempt in range(60):
            src, packer, some = list(self.src), self.packer, []
            load = self.r.choice([self.copy, self.copy, self.eltwise, self.transposed, self.broadcast, self.product, self.reused]
                                 if attempt < 40 else [self.copy])
            x, f = load(some, slot, spare)
            if x is not None:
                x, f = self.vector(some, slot, x, f, attempt >= 20, spare)
            if x is not None and self.fits(x, to) and self.fits(x + already, to):
                x = self.cast(some, slot, x, f, to)
                if x is not None:
                    steps += some
                    return x
            self.src, self.packer = src, packer
        raise AssertionError("no numbers fit")

    def vector(self, steps, slot, x, f, small, spare):
        """Functions of the vector unit on the tile in DST; `small`: at most one of them."""
        whole = f in WHOLE
        table = {k: v for k, v in (INT_UNARY if whole else FLOAT_UNARY).items() if f in FLOATS or f == "si32"}
        names = self.r.sample(sorted(table), min(self.r.randint(0, 2), len(table)))
        if small and table:
            names = ["ltz_tile_int32" if whole else "gtz"]
        for name in names:
            init = name.removesuffix("_int32").removesuffix("_tile") if whole else INITS.get(name, name)
            steps += [op(f"{init}_tile_init"), op(name if whole else f"{name}_tile", [f"c{slot}"], [IDX])]
            x = np.asarray(table[name](x)).astype(np.int64)
            if np.abs(x).max() > (CAPACITY["si32"] if whole else self.most):
                return None, f
        if not small and table and self.r.random() < 0.3:
            x = self.with_numbers(steps, slot, x, f, spare)
        return (x, f) if np.abs(x).max() <= (CAPACITY["si32"] if whole else self.most) else (None, f)

    def cast(self, steps, slot, x, f, to):
        """Converts floats to integers or back; None where values would change."""
        if (f in WHOLE) == (to in WHOLE):
            return x if f not in WHOLE or f == to or {f, to} <= LONG else None
        held = ("f32" if self.wide else "bf16") if f not in WHOLE else f
        target = to if to in WHOLE else "f32" if self.wide else "bf16"
        attrs = f"<{{in_dtype = #ttcore.supportedDataTypes<{held}>, out_dtype = #ttcore.supportedDataTypes<{target}>}}>"
        steps += [op("typecast_tile_init", attrs=attrs), op("typecast_tile", [f"c{slot}"], [IDX], attrs)]
        return x

    def any(self, floats=True):
        """An input, a tile of it and its values."""
        side = self.r.choice([i for i, f in enumerate(self.of) if f in FLOATS or not floats])
        k = self.r.randrange(self.counts[side])
        return side, k, self.tiles[side][k]

    def copy(self, steps, slot, spare, floats=False):
        side, k, x = self.any(floats)
        self.unpacks(steps, side)
        c, f = self.type(f"in{side}"), self.of[side]
        steps += [op("copy_tile_init", [f"in{side}"], [c]), op("copy_tile", [f"in{side}", f"c{k}", f"c{slot}"], [c, IDX, IDX])]
        if not floats and spare and f != "u8" and self.r.random() < 0.4:  # and another beside it
            beside = self.r.choice(spare)
            x = self.two(steps, slot, beside, x, self.copy_of(steps, side, beside), f)
        return (x, f) if np.abs(x).max() <= (self.most if f in FLOATS else CAPACITY[f]) else (None, f)

    def copy_of(self, steps, side, slot):
        k, c = self.r.randrange(self.counts[side]), self.type(f"in{side}")
        steps.append(op("copy_tile", [f"in{side}", f"c{k}", f"c{slot}"], [c, IDX, IDX]))
        return self.tiles[side][k]

    def two(self, steps, slot, beside, x, y, f):
        """A function of two tiles of DST, replacing the first."""
        table = TWO if f in FLOATS else TWO_WHOLE if f == "si32" else {"add_int": np.add}
        name = self.r.choice(sorted(table))
        attrs = f"<{{dtype = #ttcore.supportedDataTypes<{f}>}}>" if "_int" in name and "max" not in name and "min" not in name or "bitwise" in name else ""
        steps += sfpu(f"{name}_tile", [f"c{slot}", f"c{beside}", f"c{slot}"], [IDX] * 3, attrs, attrs if name == "mul_int" else "")
        return np.asarray(table[name](x, y)).astype(np.int64)

    def with_numbers(self, steps, slot, x, f, spare):
        """A function of a tile and of numbers, or a choice between it and its negative or zero."""
        r, whole = self.r, "_int32" if f in WHOLE else ""
        low, high = sorted((r.randint(-9, 9), r.randint(-9, 9)))
        self.made = getattr(self, "made", 0) + 1
        a, b = f"low{self.made}", f"high{self.made}"
        steps += [f"%{k} = arith.constant {v if whole else bits(v)} : i32" for k, v in ((a, low), (b, high))]
        what = r.choice(["clamp", "add", "sub", *([] if whole else ["mul"]), *(["where"] if len(spare) > 1 and not whole else [])])
        if what == "clamp":
            steps += sfpu(f"clamp_tile{whole}", [f"c{slot}", a, b], [IDX, I32, I32])
            return np.clip(x, low, high)
        if what != "where":
            steps += sfpu(f"{what}_unary_tile{whole}", [f"c{slot}", a], [IDX, I32])
            return NUMBER[what](x, low)
        mask, other = r.sample(spare, 2)
        dtype = "<{%s = #ttcore.supportedDataTypes<" + ("f32" if self.wide else "bf16") + ">}>"
        for k in (mask, other):
            steps += [op("copy_dest_values_init"), op("copy_dest_values", [f"c{slot}", f"c{k}"], [IDX] * 2, dtype % "data_format")]
        steps += [*sfpu("gtz_tile", [f"c{mask}"], [IDX]), *sfpu("negative_tile", [f"c{other}"], [IDX]), op("where_tile_init"),
                  op("where_tile", [f"c{mask}", f"c{slot}", f"c{other}", f"c{slot}"], [IDX] * 4, dtype % "dtype")]
        return np.abs(x)

    def times(self, a, b, product=np.multiply):
        """A product of SrcA and SrcB; None where a part of it exceeds DST."""
        parts = [(b, a)] if self.numerics == "value" else phases_of(b.astype(np.float32), a.astype(np.float32), self.fidelity)
        most = sum(product(np.abs(y), np.abs(x)) for y, x in parts)
        return None if most.max() > self.most else sum(product(y, x) for y, x in parts).astype(np.int64)

    def eltwise(self, steps, slot, spare):
        name, fn = self.r.choice([("add", np.add), ("sub", np.subtract), ("mul", self.times)])
        (i, k, x), (j, m, y) = self.any(), self.any()
        self.unpacks(steps, i, j)
        c = [self.type(f"in{i}"), self.type(f"in{j}")]
        steps += [op(f"{name}_tiles_init", [f"in{i}", f"in{j}"], c),
                  op(f"{name}_tiles", [f"in{i}", f"in{j}", f"c{k}", f"c{m}", f"c{slot}"], [*c, IDX, IDX, IDX])]
        x = fn(x, y)
        return (x, "f32") if x is not None and np.abs(x).max() <= self.most else (None, "f32")

    def alone(self, steps, slot, init, name, attrs, floats=True):
        """An operation on one input whose init sets up everything."""
        side, k, x = self.any(floats)
        out = self.r.choice(list(self.to))
        c, o = self.type(f"in{side}"), self.type(out)
        steps += [op(init, [f"in{side}", out], [c, o], attrs), op(name, [f"in{side}", f"c{k}", f"c{slot}"], [c, IDX, IDX], attrs)]
        self.src, self.packer = [self.of[side]] * 2, self.to[out]
        return x, self.of[side]

    def transposed(self, steps, slot, spare):
        x, f = self.alone(steps, slot, "transpose_wh_init", "transpose_wh_tile", "", floats=False)
        return x.T, f

    def broadcast(self, steps, slot, spare):
        kind = self.r.choice(sorted(SPREAD))
        x, f = self.alone(steps, slot, "unary_bcast_init", "unary_bcast", f"<{{bcast_type = #ttkernel.bcast_type<{kind}>}}>")
        return SPREAD[kind](x), f

    def product(self, steps, slot, spare):
        """A sum of products of tiles of two inputs: the first is in SrcB."""
        i, j, turned = self.any()[0], self.any()[0], self.r.randrange(2)
        pairs = [(self.r.randrange(self.counts[i]), self.r.randrange(self.counts[j])) for _ in range(self.r.randint(1, 3))]
        blocks, out = turned or self.r.random() < 0.5, self.r.choice(list(self.to))
        a, b, c = f"in{i}", f"in{j}", [self.type(f"in{i}"), self.type(f"in{j}")]
        x = [self.times(self.tiles[j][m].T if turned else self.tiles[j][m], self.tiles[i][k], np.matmul) for k, m in pairs]
        if any(y is None for y in x) or sum(np.abs(y) for y in x).max() > self.most:
            return None, "f32"
        steps.append(op("mm_block_init" if blocks else "mm_init", [a, b, out, f"w{turned}", *["w1"] * 3 * blocks],
                        [*c, self.type(out), I32, *[I32] * 3 * blocks]))
        self.src, self.packer = [self.of[j], self.of[i]], self.to[out]
        for k, m in pairs:
            indices = [f"c{k}", f"c{m}", f"c{slot}"]
            steps.append(op("matmul_block", [a, b, *indices, f"w{turned}", "w1", "w1", "w1"], [*c, *[IDX] * 3, *[I32] * 4]) if blocks
                         else op("matmul_tiles", [a, b, *indices], [*c, *[IDX] * 3]))
        return sum(x), "f32"

    def reused(self, steps, slot, spare):
        """DST is an operand itself."""
        x, f = self.copy(steps, slot, (), floats=True)
        if x is None:
            return x, f
        side, k, y = self.any()
        kind, fn = self.r.choice([("add", np.add), ("sub", np.subtract), ("mul", self.times)])
        first = self.r.random() < 0.5  # DST is in SrcA
        self.unpacks(steps, *((None, side) if first else (side, None)))
        c = self.type(f"in{side}")
        attrs = (f"<{{eltwise_binary_type = #ttkernel.eltwise_binary_type<{kind}>, "
                 f"reuse_type = #ttkernel.reuse_type<dest_to_src{'a' if first else 'b'}>}}>")
        steps += [op("binary_dest_reuse_tiles_init", [f"in{side}"], [c], attrs),
                  op("binary_dest_reuse_tiles", [f"in{side}", f"c{k}", f"c{slot}"], [c, IDX, IDX], attrs)]
        x = fn(x, y) if first else fn(y, x)
        return (x, "f32") if x is not None and np.abs(x).max() <= self.most else (None, "f32")


class Rows(Made):
    """Rows of elements become tiles, a function of them is computed, tiles become rows; each step is optional. Tiles
    may have another format than rows."""

    close = 0

    def __init__(self, seed):
        r = random.Random(seed)
        self.dtype = d = r.choice(["f32", "bf16", "f16", "si32", "u32", "u16"])
        self.blocks, self.columns, self.depth = r.randint(1, 4), r.randint(1, 4), r.randint(1, 3)
        n, whole = self.columns, d in WHOLE
        shape, rng = (32 * self.blocks, 32 * n), np.random.default_rng(seed)
        tiles = r.choice([d, *FLOATS]) if not whole else d
        most = min(120, CAPACITY.get(tiles, 120))
        x = rng.integers(0 if d[0] == "u" else -most, most + 1, shape)
        table = FLOAT_UNARY if not whole else INT_UNARY if d == "si32" else {}
        table = {k: v for k, v in table.items() if k != "square"}
        stages = r.choice([["tilize"], ["untilize"], ["tilize", "compute", "untilize"], ["tilize", "untilize"],
                           ["compute", "untilize"], ["tilize", "compute"]])
        name = r.choice(sorted(table)) if table else None
        self.arrays, self.want = [x], np.asarray(table[name](x) if name and "compute" in stages else x).astype(np.int64)
        in_rows, out_rows = stages[0] == "tilize", stages[-1] == "untilize"
        memories = [r.choice([sim.DRAM, sim.L1]) for _ in range(2)]
        self.lies = [{"memory": m, "tiled": not rows} for m, rows in zip(memories, (in_rows, out_rows))]
        wide = d in LONG or d == "f32" or r.random() < 0.3
        self.held = [d if in_rows else tiles, d if out_rows else tiles]
        # buffers: of the reader, between the stages, of the writer
        names = ["in0", *(f"between{i}" for i in range(len(stages) - 1)), "out"]
        ports = [0, *range(8, 7 + len(stages)), 16]
        self.pages = {k: n * (self.depth if k in ("in0", "out") else r.randint(1, 2)) for k in names}
        self.formats = dict(zip(names, [self.held[0], *(tiles for _ in names[2:]), self.held[1]]))
        body = "".join(port(i, self.pages[k], self.format(k), k) + "\n" + (self.rows_of(k, i) if self.format(k) == d else "")
                       for i, k in enumerate(names))
        body += lines([op("compute_kernel_hw_startup", ["in0", "in0", "out"], [self.type("in0")] * 2 + [self.type("out")])])
        body += f"    scf.for %block = %c0 to %c{self.blocks} step %c1 {{\n"
        for stage, source, target in zip(stages, names, names[1:]):
            body += self.cb("cb_wait_front", source, n) + self.cb("cb_reserve_back", target, n)
            if tiles != d:
                body += lines([op("reconfig_data_format_srca", [source], [self.type(source)]),
                               op("pack_reconfig_data_format", [target], [self.type(target)])])
            body += lines(self.compute(source, target, name, whole) if stage == "compute" else self.layout(r, stage, source, target))
            body += self.cb("cb_push_back", target, n) + self.cb("cb_pop_front", source, n)
        body += "    }\n"
        self.text = ("module {\n" + kernel("reader", "noc", self.mover("in0", "read", in_rows)) + kernel("compute", "compute", body)
                     + kernel("writer", "noc", self.mover("out", "write", out_rows)) + "}\n")
        self.runs = [sim.Run("reader", compile_args=[sim.cb(0), sim.accessor(0)], common_args=[sim.address(0)]),
                     sim.Run("compute", compile_args=[sim.cb(i) for i in ports], wide_dst=wide, full_sync=r.random() < 0.3,
                             unpack_to_dst=tuple(ports) if wide and (whole or r.random() < 0.5) else ()),
                     sim.Run("writer", compile_args=[sim.cb(16), sim.accessor(1)], common_args=[sim.address(1)], noc=1)]
        self.buffers = [sim.Buffer(i, self.format(k), self.pages[k]) for i, k in zip(ports, names)]

    def rows_type(self, name):
        return f"!ttkernel.cb<{1024 * self.pages[name]}, {RAW[self.dtype]}>"

    def rows_of(self, name, i):
        """The same buffer, read or written row by row."""
        return f'    %{name}_rows = "ttkernel.get_compile_time_arg_val"() <{{arg_index = {i} : i32}}> : () -> {self.rows_type(name)}\n'

    def layout(self, r, stage, source, target):
        """Tilizing or untilizing by one of the calls that implement it."""
        n, block = f"w{self.columns}", r.random() < 0.5
        if stage == "tilize":
            a, b, c, t = f"{source}_rows", target, self.rows_type(source), self.type(target)
            call = op("experimental.tilize_block", [a, b, "w1", n], [c, t, I32, I32]) if block else op("tilize_block", [a, n, b], [c, I32, t])
            return [op("tilize_init", [a, n, b], [c, I32, t]), call, op("tilize_uninit", [a, b], [c, t])]
        a, b, c, t = source, f"{target}_rows", self.type(source), self.rows_type(target)
        if r.random() < 0.4:
            attrs = f"<{{colsPerDstPass = {self.columns} : i32, totalColTiles = {self.columns} : i32}}>"
            return [op("pack_untilize_init", [a, b], [c, t], attrs),
                    op("experimental.pack_untilize_block", [a, b, "w1", n], [c, t, I32, I32], attrs),
                    op("pack_untilize_uninit", [b], [t])]
        call = op("experimental.untilize_block", [a, b, "w1", n], [c, t, I32, I32]) if block else op("untilize_block", [a, n, b], [c, I32, t])
        return [op("untilize_init", [a], [c]), call, op("untilize_uninit", [a], [c])]

    def compute(self, source, target, name, whole):
        c, o = self.type(source), self.type(target)
        for i in range(self.columns):
            yield op("tile_regs_acquire")
            yield op("copy_tile_init", [source], [c])
            yield op("copy_tile", [source, f"c{i}", "c0"], [c, IDX, IDX])
            if name:
                init = name.removesuffix("_int32").removesuffix("_tile") if whole else INITS.get(name, name)
                yield op(f"{init}_tile_init")
                yield op(name if whole else f"{name}_tile", ["c0"], [IDX])
            yield op("tile_regs_commit")
            yield op("tile_regs_wait")
            yield op("pack_tile", ["c0", target, f"c{i}"], [IDX, o, IDX], "<{out_of_order = true}>")
            yield op("tile_regs_release")

    def mover(self, name, way, in_rows):
        """Block by block: 32 rows, which are separate pages, or tiles."""
        n, page = self.columns, PAGES[self.format(name)]
        count, size = (32, page // 32 * n) if in_rows else (n, page)
        at = f"      %first = arith.muli %block, %c{count} : index\n"
        begin, end = ("cb_reserve_back", "cb_push_back") if way == "read" else ("cb_wait_front", "cb_pop_front")
        return (port(0, self.pages[name], self.format(name), name) + "\n" + accessor_lines(1, 0, size)
                + f"    scf.for %block = %c0 to %c{self.blocks} step %c1 {{\n" + at + self.cb(begin, name, n)
                + self.move(way, way, name, count, 0, "first") + self.cb(end, name, n) + "    }\n")


RAW = {"f32": "f32", "bf16": "bf16", "f16": "f16", "si32": "si32", "u32": "ui32", "u16": "ui16"}
KINDS = [Mixed, Rows]


@pytest.mark.parametrize("number", range(int(os.environ.get("TILEWRIGHT_GENERATED", 24))))
def test_made(number):
    seeds = int(os.environ.get("TILEWRIGHT_GENERATED_SEEDS", 4)) - 1
    KINDS[number % len(KINDS)](number).check([0, *range(number * seeds + 1, number * seeds + seeds + 1)])
