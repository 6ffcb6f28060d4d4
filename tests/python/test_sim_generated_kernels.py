"""Random correct kernels of kinds other than pipelines of blocks (test_sim_generated.py): a core that sends to others
and counts ready receivers, products in sub-blocks, reductions; in f32, bf16, bfp8 and si32. Run under many seeds:
NumPy's results, the same bits each time, no reports."""

import os
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from grid_kernels import cb_type, new_host, op, port, to_host, to_numpy  # noqa: E402
from test_sim_generated import accessor_lines, kernel  # noqa: E402
from tilewright import sim  # noqa: E402

PAGES = {"f32": 4096, "bf16": 2048, "f16": 2048, "bfp_bf8": 1088, "bfp_bf4": 576, "bfp_bf2": 320, "si32": 4096, "u32": 4096,
         "u16": 2048, "u8": 1024}
CLOSE = {"f32": 1e-4, "bf16": 0.06, "bfp_bf8": 0.15, "si32": 0}
IDX = "index"


def lines(steps, indent=4):
    return "".join(" " * indent + s + "\n" for s in steps)


def numbers(rng, shape, dtype):
    if dtype == "si32":
        return rng.integers(-1000, 1000, shape).astype(np.int32)
    x = rng.uniform(-1, 1, shape).astype(np.float32)
    return x if dtype == "f32" else torch.from_numpy(x).bfloat16().float().numpy()


class Made:
    """Base of a kind of kernels: arrays, the module's text, runs, buffers, results. `formats` holds the buffers with
    another format than the others; `held` and `lies` the tensors with another format, or in another memory than DRAM."""

    numerics, formats, held, lies, semaphores = "value", {}, (), (), ()

    def outs(self):
        return [self.want]

    def given(self):
        """For each tensor: its initial contents, its element type, and its memory."""
        tensors = [*self.arrays, *(np.ones(x.shape, np.float32) for x in self.outs())]
        return list(zip(tensors, self.held or [self.dtype] * len(tensors), self.lies or [{}] * len(tensors)))

    def launched(self, grid, text=None, buffers=None, semaphores=None):
        """A launch, and the tensors of its results."""
        tensors = [grid.tensor(a.shape, d, data=to_host(a, d), **lies) for a, d, lies in self.given()]
        launch = grid.load(text or self.text, "made").launch(
            self.runs, buffers or self.buffers, tensors, self.semaphores if semaphores is None else semaphores)
        return launch, tensors[len(self.arrays):]

    def check(self, seeds):
        first = None
        for seed in seeds:
            launch, tensors = self.launched(sim.Grid("n150", seed=seed, threads=1 + seed % 2, numerics=self.numerics))
            for _ in range(3):  # the third may repeat the record of the second
                for t in tensors:
                    t.write(to_host(np.ones(t.shape), t.dtype))
                launch.run()
                assert launch.reports == [], launch.log
                outs = [to_numpy(t.read(new_host(t.shape, t.dtype))).copy() for t in tensors]
                first = first or outs
                assert all(np.array_equal(x, y) for x, y in zip(outs, first))
        for x, want in zip(first, self.outs()):
            error = np.abs(x.astype(np.float64) - want).max()
            assert error <= self.close * max(1, np.abs(want).max()), (tensors[0].dtype, error)

    def format(self, name):
        return self.formats.get(name) or self.dtype

    def type(self, name):
        return cb_type(self.pages[name], self.format(name))

    def move(self, name, direction, port_name, tiles, slot, first="c0"):
        """Pages first, first + 1, ... of tensor `slot` into, or out of, a buffer that is reserved or waited for."""
        t, reads = self.type(port_name), direction == "read"
        pointer = "get_write_ptr" if reads else "get_read_ptr"
        return f"""
    %p{name} = "ttkernel.{pointer}"(%{port_name}) : ({t}) -> i32
    scf.for %k{name} = %c0 to %c{tiles} step %c1 {{
      %t{name} = arith.addi %{first}, %k{name} : index
      %i{name} = arith.index_cast %t{name} : index to i32
      %j{name} = arith.index_cast %k{name} : index to i32
      %o{name} = arith.muli %j{name}, %page{slot} : i32
      %a{name} = arith.addi %p{name}, %o{name} : i32
      "ttkernel.noc_async_{direction}_tile"(%{'i' if reads else 't'}{name}, %acc{slot}, %a{name}) : ({'i32' if reads else IDX}, !ttkernel.TensorAccessor, i32) -> ()
    }}
    "ttkernel.noc_async_{direction}_barrier"() : () -> ()
"""

    def cb(self, what, name, n):
        return f'    "ttkernel.{what}"(%{name}, %w{n}) : ({self.type(name)}, i32) -> ()\n'


class Spread(Made):
    """One core reads blocks and sends them to a row of others, which report when they have room; all add blocks of
    their own."""

    def __init__(self, seed):
        r = random.Random(seed)
        self.dtype = r.choice(["f32", "bf16", "bfp_bf8", "si32"])
        self.cores, self.block, self.iterations, depth = r.randint(2, 5), r.randint(1, 3), r.randint(1, 4), r.randint(1, 2)
        self.loopback, self.close = r.random() < 0.5, CLOSE[self.dtype]
        n, d = self.block, self.dtype
        self.pages = {"in0": n * depth, "in1": n, "out": n}
        rng = np.random.default_rng(seed)
        a = numbers(rng, (32, 32 * n * self.iterations), d)
        b = numbers(rng, (32, 32 * n * self.iterations * self.cores), d)
        self.arrays, self.want = [a, b], b + np.tile(a, (1, self.cores))
        self.semaphores = [0, 0]
        page = PAGES[d]
        mine = f"""
    %share = arith.constant {n * self.iterations} : index
    %own = arith.muli %x, %share : index
"""
        at = f"      %step = arith.muli %r, %c{n} : index\n      %first = arith.addi %own, %step : index\n"
        names = "".join(f"""
    %sid{i} = "ttkernel.get_compile_time_arg_val"() <{{arg_index = {4 + i} : i32}}> : () -> i32
    %s{i} = "ttkernel.get_semaphore"(%sid{i}) : (i32) -> !ttkernel.local_semaphore
    %p{i} = "ttkernel.reinterpret_cast"(%s{i}) : (!ttkernel.local_semaphore) -> !ttkernel.l1_addr_ptr
""" for i in range(2))
        ports = port(0, self.pages["in0"], d, "in0") + "\n" + port(2, n, d, "in1") + "\n"
        loop = f"    scf.for %r = %c0 to %c{self.iterations} step %c1 {{\n"
        others = self.cores - 1
        bytes_ = f"    %bytes = arith.constant {n * page} : i32\n"
        corner = f"""
    %y0 = arith.constant 18 : index
    %x0 = arith.constant {18 if self.loopback else 19} : index
    %xn = arith.constant {18 + others} : index
    %all = "ttkernel.get_noc_multicast_addr"(%x0, %y0, %xn, %y0, %s1) : (index, index, index, index, !ttkernel.local_semaphore) -> !ttkernel.noc_addr
"""
        loop_back = "_loopback_src" if self.loopback else ""
        count = others + self.loopback
        own = (self.cb("cb_reserve_back", "in1", n) + self.move("b", "read", "in1", n, 1, "first")
               + self.cb("cb_push_back", "in1", n))
        sender = ports + accessor_lines(1, 0, page) + accessor_lines(3, 1, page) + names + mine + corner + bytes_ + loop + at \
            + "    %from = arith.addi %step, %c0 : index\n" + self.cb("cb_reserve_back", "in0", n) \
            + self.move("a", "read", "in0", n, 0, "from") + f"""
    "ttkernel.experimental.semaphore_wait"(%p0, %w{others}) : (!ttkernel.l1_addr_ptr, i32) -> ()
    "ttkernel.noc_semaphore_set"(%p0, %w0) : (!ttkernel.l1_addr_ptr, i32) -> ()
    "ttkernel.noc_async_write_multicast{loop_back}"(%pa, %bytes, %w{count}, %x0, %y0, %xn, %y0, %pa) <{{linked = false}}> : (i32, i32, i32, index, index, index, index, i32) -> ()
    "ttkernel.noc_semaphore_set"(%p1, %w1) : (!ttkernel.l1_addr_ptr, i32) -> ()
    "ttkernel.noc_semaphore_set_multicast{loop_back}"(%s1, %all, %w{count}) <{{linked = false}}> : (!ttkernel.local_semaphore, !ttkernel.noc_addr, i32) -> ()
    "ttkernel.noc_async_write_barrier"() : () -> ()
""" + self.cb("cb_push_back", "in0", n) + own + "    }\n"
        receiver = ports + accessor_lines(3, 1, page) + names + mine + """
    %y0 = arith.constant 18 : index
    %far = "ttkernel.get_noc_addr"(%y0, %y0, %s0) : (index, index, !ttkernel.local_semaphore) -> !ttkernel.noc_addr
""" + loop + at + self.cb("cb_reserve_back", "in0", n) + """
    "ttkernel.noc_semaphore_set"(%p1, %w0) : (!ttkernel.l1_addr_ptr, i32) -> ()
    "ttkernel.noc_semaphore_inc"(%far, %w1) : (!ttkernel.noc_addr, i32) -> ()
    "ttkernel.noc_async_atomic_barrier"() : () -> ()
    "ttkernel.experimental.semaphore_wait"(%p1, %w1) : (!ttkernel.l1_addr_ptr, i32) -> ()
""" + self.cb("cb_push_back", "in0", n) + own + "    }\n"
        types = {k: cb_type(v, d) for k, v in self.pages.items()}
        add = "add_int" if d == "si32" else "add_binary"
        attrs = "<{dtype = #ttcore.supportedDataTypes<si32>}>" if d == "si32" else ""
        compute = "".join(port(i, self.pages[k], d, k) + "\n" for i, k in enumerate(self.pages)) \
            + lines([op("init_sfpu", ["in0", "out"], [types["in0"], types["out"]])]) + loop \
            + self.cb("cb_wait_front", "in0", n) + self.cb("cb_wait_front", "in1", n) + self.cb("cb_reserve_back", "out", n)
        for k in range(n):
            compute += lines([op("tile_regs_acquire"), op("copy_tile_init", ["in0"], [types["in0"]]),
                              op("copy_tile", ["in0", f"c{k}", "c0"], [types["in0"], IDX, IDX]),
                              op("copy_tile_init", ["in1"], [types["in1"]]),
                              op("copy_tile", ["in1", f"c{k}", "c1"], [types["in1"], IDX, IDX]),
                              op(f"{add}_tile_init", attrs=attrs), op(f"{add}_tile", ["c0", "c1", "c0"], [IDX] * 3, attrs),
                              op("tile_regs_commit"), op("tile_regs_wait"),
                              op("pack_tile", ["c0", "out", f"c{k}"], [IDX, types["out"], IDX], "<{out_of_order = true}>"),
                              op("tile_regs_release")], 6)
        compute += self.cb("cb_push_back", "out", n) + self.cb("cb_pop_front", "in0", n) + self.cb("cb_pop_front", "in1", n) + "    }\n"
        writer = port(0, n, d, "out") + accessor_lines(1, 0, page) + mine + loop + at + self.cb("cb_wait_front", "out", n) \
            + self.move("w", "write", "out", n, 0, "first") + self.cb("cb_pop_front", "out", n) + "    }\n"
        self.text = ("module {\n" + kernel("sender", "noc", sender) + kernel("receiver", "noc", receiver)
                     + kernel("compute", "compute", compute) + kernel("writer", "noc", writer) + "}\n")
        args = [sim.cb(0), sim.accessor(0), sim.cb(1), sim.accessor(1), sim.semaphore(0), sim.semaphore(1)]
        wide, everywhere = d in ("f32", "si32"), (0, 0, 1, self.cores)
        self.runs = [sim.Run("sender", (0, 0, 1, 1), args, [sim.address(0), sim.address(1)]),
                     sim.Run("receiver", (0, 1, 1, others), args, [sim.address(0), sim.address(1)]),
                     sim.Run("compute", everywhere, [sim.cb(0), sim.cb(1), sim.cb(16)], wide_dst=wide, unpack_to_dst=(0, 1)),
                     sim.Run("writer", everywhere, [sim.cb(16), sim.accessor(2)], [sim.address(2)], noc=1)]
        self.buffers = [sim.Buffer(p, d, self.pages[k]) for p, k in ((0, "in0"), (1, "in1"), (16, "out"))]


class OneCore(Made):
    """Whole operands in L1 of one core, a compute kernel from `steps`, results of `outs` tiles."""

    def assemble(self, tiles, outs, compute, **config):
        outs, last = outs if isinstance(outs, dict) else {"out": outs}, len(tiles)
        inputs = {f"in{i}": n for i, n in enumerate(tiles)}
        self.pages = inputs | outs

        def ports(names, step):
            return "".join(port(step * i, self.pages[k], self.format(k), k) + "\n" for i, k in enumerate(names))

        def accessors(names):
            return "".join(accessor_lines(2 * i + 1, i, PAGES[self.format(k)]) for i, k in enumerate(names))

        reader, writer = ports(inputs, 2) + accessors(inputs), ports(outs, 2) + accessors(outs)
        for i, (k, n) in enumerate(inputs.items()):
            reader += self.cb("cb_reserve_back", k, n) + self.move(f"r{i}", "read", k, n, i) + self.cb("cb_push_back", k, n)
        for i, (k, n) in enumerate(outs.items()):
            writer += self.cb("cb_wait_front", k, n) + self.move(f"w{i}", "write", k, n, i) + self.cb("cb_pop_front", k, n)
        body = ports(self.pages, 1) + "".join(self.cb("cb_wait_front", k, n) for k, n in inputs.items())
        body += "".join(self.cb("cb_reserve_back", k, n) for k, n in outs.items()) + compute
        body += "".join(self.cb("cb_push_back", k, n) for k, n in outs.items())
        body += "".join(self.cb("cb_pop_front", k, n) for k, n in inputs.items())
        self.text = "module {\n" + kernel("reader", "noc", reader) + kernel("compute", "compute", body) + kernel("writer", "noc", writer) + "}\n"
        numbers = [*range(last), *(16 + i for i in range(len(outs)))]
        self.runs = [sim.Run("reader", compile_args=[a for i in range(last) for a in (sim.cb(i), sim.accessor(i))],
                             common_args=[sim.address(i) for i in range(last)]),
                     sim.Run("compute", compile_args=[sim.cb(i) for i in numbers], **config),
                     sim.Run("writer", compile_args=[a for i in range(len(outs)) for a in (sim.cb(16 + i), sim.accessor(last + i))],
                             common_args=[sim.address(last + i) for i in range(len(outs))], noc=1)]
        self.buffers = [sim.Buffer(i, self.format(k), n) for i, (k, n) in zip(numbers, self.pages.items())]


class Product(OneCore):
    """A matrix product, by sub-blocks of the result's columns."""

    def __init__(self, seed):
        r = random.Random(seed)
        self.dtype, wide = r.choice(["f32", "bf16", "bfp_bf8"]), r.random() < 0.5
        self.close = max(CLOSE[self.dtype], 0.006 if wide else 0.06)  # source registers hold tf32
        m, k, n = r.randint(1, 3), r.randint(1, 4), r.randint(1, 4)
        sub = r.choice([s for s in (1, 2, 4) if n % s == 0])
        rng = np.random.default_rng(seed)
        self.arrays = [numbers(rng, (32 * m, 32 * k), self.dtype), numbers(rng, (32 * k, 32 * n), self.dtype)]
        self.want = self.arrays[0] @ self.arrays[1]
        types = [cb_type(m * k, self.dtype), cb_type(k * n, self.dtype), cb_type(m * n, self.dtype)]
        steps = [op("mm_init", ["in0", "in1", "out", "w0"], [*types, "i32"])]
        for i in range(m):
            for j in range(0, n, sub):
                steps += [op("tile_regs_acquire")]
                steps += [op("matmul_tiles", ["in0", "in1", f"c{i * k + kk}", f"c{kk * n + j + s}", f"c{s}"], [*types[:2], *[IDX] * 3])
                          for kk in range(k) for s in range(sub)]
                steps += [op("tile_regs_commit"), op("tile_regs_wait")]
                steps += [op("pack_tile", [f"c{s}", "out", f"c{i * n + j + s}"], [IDX, types[2], IDX], "<{out_of_order = true}>")
                          for s in range(sub)]
                steps += [op("tile_regs_release")]
        self.assemble([m * k, k * n], m * n, lines(steps), wide_dst=wide)


class Reduction(OneCore):
    """Sums or maxima of rows, columns or everything, over several tiles."""

    def __init__(self, seed):
        r = random.Random(seed)
        self.dtype, kind, dim = r.choice(["f32", "bf16"]), r.choice(["sum", "max"]), r.choice(["row", "col", "scalar"])
        tiles, self.close = r.randint(1, 4), max(CLOSE[self.dtype], 0.006)
        rng = np.random.default_rng(seed)
        x = numbers(rng, (32, 32 * tiles), self.dtype) * np.float32(0.25)
        x = x if self.dtype == "f32" else torch.from_numpy(x).bfloat16().float().numpy()
        self.arrays = [x, np.ones((32, 32), np.float32)]
        blocks = x.reshape(32, tiles, 32)
        fn, start = (np.sum, 0) if kind == "sum" else (np.max, None)
        part = {"row": lambda: fn(blocks, axis=(1, 2)), "col": lambda: fn(blocks, axis=(0, 1)),
                "scalar": lambda: fn(blocks)}[dim]()
        self.want = np.zeros((32, 32), np.float32)
        self.where = {"row": (slice(None), 0), "col": (0, slice(None)), "scalar": (0, 0)}[dim]
        self.want[self.where] = part
        d, c, s, o = self.dtype, cb_type(tiles, self.dtype), cb_type(1, self.dtype), cb_type(1, self.dtype)
        attrs = f"<{{reduce_type = #ttkernel.reduce_type<reduce_{kind}>, reduce_dim = #ttkernel.reduce_dim<reduce_dim_{dim}>}}>"
        steps = [op("reduce_init", ["in0", "in1", "out"], [c, s, o], attrs), op("tile_regs_acquire")]
        steps += [op("reduce_tile", ["in0", "in1", f"c{i}", "c0", "c0"], [c, s, IDX, IDX, IDX], attrs) for i in range(tiles)]
        steps += [op("reduce_uninit"), op("tile_regs_commit"), op("tile_regs_wait"),
                  op("pack_tile", ["c0", "out", "c0"], [IDX, o, IDX], "<{out_of_order = true}>"), op("tile_regs_release")]
        self.assemble([tiles, 1], 1, lines(steps), wide_dst=self.dtype == "f32")


KINDS = [Spread, Product, Reduction]


@pytest.mark.parametrize("number", range(int(os.environ.get("TILEWRIGHT_GENERATED", 24))))
def test_made(number):
    seeds = int(os.environ.get("TILEWRIGHT_GENERATED_SEEDS", 4)) - 1
    KINDS[number % 3](number).check([0, *range(number * seeds + 1, number * seeds + seeds + 1)])
