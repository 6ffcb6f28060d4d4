"""Random correct kernels: pipelines of blocks over several cores, run under many seeds. Their results are NumPy's,
and nothing is reported. TILEWRIGHT_GENERATED sets the count (default 24)."""

import os
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from grid_kernels import cb_type, constants, op  # noqa: E402
from tilewright import sim  # noqa: E402

UNARY = {"exp": np.exp, "abs": np.abs, "negative": np.negative, "square": np.square, "relu": lambda x: np.maximum(x, 0)}
BINARY = {"add_binary": np.add, "sub_binary": np.subtract, "mul_binary": np.multiply, "binary_max": np.maximum}


def accessor_lines(slot, i, page):
    return f"""
    %base{i} = "ttkernel.get_common_arg_val"(%c{i}) : (index) -> i32
    %args{i} = "ttkernel.TensorAccessorArgs"(%w{slot}, %w{i}) <{{operandSegmentSizes = array<i32: 1, 1, 0>}}> : (i32, i32) -> !ttkernel.TensorAccessorArgs
    %page{i} = arith.constant {page} : i32
    %acc{i} = "ttkernel.TensorAccessor"(%args{i}, %base{i}, %page{i}) : (!ttkernel.TensorAccessorArgs, i32, i32) -> !ttkernel.TensorAccessor
"""


def kernel(name, kind, body):
    return (f"  func.func private @{name}() attributes {{ttkernel.thread = #ttkernel.thread<{kind}>}} {{\n{constants()}\n"
            f"    %x = \"ttkernel.my_logical_x_\"() : () -> index\n    %y = \"ttkernel.my_logical_y_\"() : () -> index\n"
            f"{body}    return\n  }}\n")


class Case:
    """A random pipeline, determined by the seed."""

    def __init__(self, seed):
        r = random.Random(seed)
        self.dtype = r.choice(["f32", "bf16"])
        self.rows, self.columns = r.randint(1, 3), r.randint(1, 3)
        self.block, self.blocks = r.randint(1, 3), r.randint(1, 4)
        self.depth = r.randint(1, 3)
        self.two = r.random() < 0.6
        self.binary = r.choice(sorted(BINARY))
        # each once: exp of exp would magnify the truncation of a 16-bit DST
        self.unary = r.sample(sorted(UNARY), r.randint(0, 3))
        self.each_barrier = r.random() < 0.5  # one barrier for a transfer, or for a block
        self.noc = r.randint(0, 1)
        self.n = self.rows * self.columns * self.block * self.blocks
        self.page = 4096 if self.dtype == "f32" else 2048
        self.cb = cb_type(self.block * self.depth, self.dtype)

    def block_of_tiles(self, inside, ports, before, after):
        tiles = self.block * self.blocks
        waits = "".join(f"      {op(before, [p, 'nb'], [self.cb, 'i32'])}\n" for p in ports)
        frees = "".join(f"      {op(after, [p, 'nb'], [self.cb, 'i32'])}\n" for p in ports)
        return f"""
    %columns = arith.constant {self.columns} : index
    %tiles = arith.constant {tiles} : index
    %row = arith.muli %y, %columns : index
    %core = arith.addi %row, %x : index
    %first = arith.muli %core, %tiles : index
    %nb = arith.constant {self.block} : i32
    %step = arith.constant {self.block} : index
    %end = arith.addi %first, %tiles : index
    scf.for %at = %first to %end step %step {{
{waits}{inside}{frees}    }}
"""

    def moves(self, verb, get, port, i, barrier):
        each = f"        {op(barrier)}\n" if self.each_barrier else ""
        last = "" if self.each_barrier else f"      {op(barrier)}\n"
        cast = f"%id{i} = arith.index_cast %t{i} : index to i32" if "read" in verb else f"%id{i} = arith.addi %t{i}, %c0 : index"
        kind = "i32" if "read" in verb else "index"
        return f"""
      %p{i} = {op(get, [port], [self.cb], results=["i32"]).replace("-> (i32)", "-> i32")}
      scf.for %k{i} = %c0 to %step step %c1 {{
        %t{i} = arith.addi %at, %k{i} : index
        {cast}
        %k32{i} = arith.index_cast %k{i} : index to i32
        %o{i} = arith.muli %k32{i}, %page{i} : i32
        %a{i} = arith.addi %p{i}, %o{i} : i32
        {op(verb, [f"id{i}", f"acc{i}", f"a{i}"], [kind, "!ttkernel.TensorAccessor", "i32"])}
{each}      }}
{last}"""

    def compute(self):
        text = ""
        for i in range(self.block):
            steps = [op("tile_regs_acquire"), op("copy_tile_init", ["in0"], [self.cb]),
                     op("copy_tile", ["in0", f"c{i}", "c0"], [self.cb, "index", "index"])]
            if self.two:
                steps += [op("copy_tile_init", ["in1"], [self.cb]),
                          op("copy_tile", ["in1", f"c{i}", "c1"], [self.cb, "index", "index"]),
                          op(f"{self.binary}_tile_init"), op(f"{self.binary}_tile", ["c0", "c1", "c0"], ["index"] * 3)]
            for name in self.unary:
                steps += [op(f"{name}_tile_init"), op(f"{name}_tile", ["c0"], ["index"])]
            steps += [op("tile_regs_commit"), op("tile_regs_wait"),
                      op("pack_tile", ["c0", "out", f"c{i}"], ["index", self.cb, "index"], "<{out_of_order = true}>"),
                      op("tile_regs_release")]
            text += "".join(f"      {s}\n" for s in steps)
        return text

    def module(self):
        def port(name, n):
            return f'    %{name} = "ttkernel.get_compile_time_arg_val"() <{{arg_index = {n} : i32}}> : () -> {self.cb}\n'

        inputs = [f"in{i}" for i in range(1 + self.two)]
        reader = "".join(port(p, 2 * i) + accessor_lines(2 * i + 1, i, self.page) for i, p in enumerate(inputs))
        reader += self.block_of_tiles("".join(self.moves("noc_async_read_tile", "get_write_ptr", p, i,
                                                         "noc_async_read_barrier") for i, p in enumerate(inputs)),
                                      inputs, "cb_reserve_back", "cb_push_back")
        writer = port("out", 0) + accessor_lines(1, 0, self.page)
        writer += self.block_of_tiles(self.moves("noc_async_write_tile", "get_read_ptr", "out", 0,
                                                 "noc_async_write_barrier"), ["out"], "cb_wait_front", "cb_pop_front")
        compute = "".join(port(p, i) for i, p in enumerate([*inputs, "out"]))
        compute += f"    {op('init_sfpu', ['in0', 'out'], [self.cb, self.cb])}\n"
        reserve = f"      {op('cb_reserve_back', ['out', 'nb'], [self.cb, 'i32'])}\n"
        push = f"      {op('cb_push_back', ['out', 'nb'], [self.cb, 'i32'])}\n"
        compute += self.block_of_tiles(reserve + self.compute() + push, inputs, "cb_wait_front", "cb_pop_front")
        return ("module {\n" + kernel("reader", "noc", reader) + kernel("compute", "compute", compute)
                + kernel("writer", "noc", writer) + "}\n")

    def inputs(self):
        """Arrays in f32, and their form for the kernels."""
        rng = np.random.default_rng(self.n)
        arrays = [rng.uniform(-1, 1, (32, 32 * self.n)).astype(np.float32) for _ in range(1 + self.two)]
        return [torch.from_numpy(a) if self.dtype == "f32" else torch.from_numpy(a).bfloat16() for a in arrays]

    def run(self, grid):
        """The results of the kernels, and the launch."""
        inputs, cores = self.inputs(), (0, 0, self.rows, self.columns)
        shape = tuple(inputs[0].shape)
        tensors = [grid.tensor(shape, self.dtype, data=t) for t in inputs] + [grid.tensor(shape, self.dtype)]
        last = len(tensors) - 1
        kernels = grid.load(self.module())
        runs = [sim.Run("reader", cores, [a for i in range(last) for a in (sim.cb(i), sim.accessor(i))],
                        [sim.address(i) for i in range(last)], noc=self.noc),
                sim.Run("compute", cores, [*(sim.cb(i) for i in range(last)), sim.cb(16)],
                        wide_dst=self.dtype == "f32", unpack_to_dst=(0, 1)),
                sim.Run("writer", cores, [sim.cb(16), sim.accessor(last)], [sim.address(last)], noc=1 - self.noc)]
        buffers = [sim.Buffer(i, self.dtype, self.block * self.depth) for i in (*range(last), 16)]
        launch = kernels.launch(runs, buffers, tensors)
        outs = []
        for _ in range(3):  # the third repeats the record of the second
            launch.run()
            assert launch.reports == [], launch.log
            outs.append(tensors[-1].read(torch.zeros(shape, dtype=inputs[0].dtype)))
            tensors[-1].write(torch.ones(shape, dtype=inputs[0].dtype))
        tensors[-1].write(outs[0])
        assert torch.equal(outs[1], outs[0]) and torch.equal(outs[2], outs[0])
        return outs[0].float().numpy(), launch

    def check(self, seeds):
        want = [t.float().numpy() for t in self.inputs()]
        want = BINARY[self.binary](*want) if self.two else want[0]
        for name in self.unary:
            want = UNARY[name](want)
        outs = [self.run(sim.Grid("n150", seed=seed))[0] for seed in seeds]
        for out in outs[1:]:
            assert np.array_equal(out, outs[0])
        np.testing.assert_allclose(outs[0], want, rtol=1e-5 if self.dtype == "f32" else 0.08,
                                   atol=1e-5 if self.dtype == "f32" else 0.02)


@pytest.mark.parametrize("number", range(int(os.environ.get("TILEWRIGHT_GENERATED", 24))))
def test_generated(number):
    seeds = int(os.environ.get("TILEWRIGHT_GENERATED_SEEDS", 4)) - 1
    Case(number).check([0, *range(number * seeds + 1, number * seeds + seeds + 1)])
