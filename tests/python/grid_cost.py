"""Kernels that measure the simulated grid's cost model where figures of the hardware are published: `figures()`
returns name: (modelled figure, published figure, unit, class)."""

import numpy as np
from grid_kernels import cb_type, constants, op
from tilewright import sim


def kernel(name, kind, body):
    return (f"  func.func private @{name}() attributes {{ttkernel.thread = #ttkernel.thread<{kind}>}} {{\n{constants()}\n"
            f"{body}    return\n  }}\n")


def loop(n, body):
    return f"    %n = arith.constant {n} : index\n    scf.for %i = %c0 to %n step %c1 {{\n{body}    }}\n"


def port(n, pages, dtype, name="cb"):
    return f'    %{name} = "ttkernel.get_compile_time_arg_val"() <{{arg_index = {n} : i32}}> : () -> {cb_type(pages, dtype)}\n'


def cycles(grid, text, runs, **launch):
    return grid.load("module {\n" + text + "}\n").launch(runs, **launch).run().cycles


def dram_read():
    """Each of 12 cores reads its own bank, 8 KiB at a time, 64 times."""
    grid, c = sim.Grid("n150"), cb_type(256, "bf16")
    tensor = grid.tensor((32 * 12, 32 * 16), "f32", data=np.zeros((32 * 12, 32 * 16), np.float32))
    body = port(0, 256, "bf16") + f"""
    %base = "ttkernel.get_common_arg_val"(%c0) : (index) -> i32
    %bank = "ttkernel.get_arg_val"(%c0) : (index) -> i32
    %size = arith.constant 8192 : i32
    %all = arith.constant 256 : i32
    {op("cb_reserve_back", ["cb", "all"], [c, "i32"])}
    %start = "ttkernel.get_write_ptr"(%cb) : ({c}) -> i32
""" + loop(64, """      %i32 = arith.index_cast %i : index to i32
      %offset = arith.muli %i32, %size : i32
      %to = arith.addi %start, %offset : i32
      "ttkernel.noc_async_read"(%bank, %base, %to, %size) <{operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 0>}> : (i32, i32, i32, i32) -> ()
""") + f"""    {op("noc_async_read_barrier")}
    {op("cb_push_back", ["cb", "all"], [c, "i32"])}
"""
    n = cycles(grid, kernel("k", "noc", body),
               [sim.Run("k", (0, 0, 2, 6), [sim.cb(0)], [sim.address(0)], [[i] for i in range(12)])],
               cbs=[sim.Buffer(0, "bf16", 256)], tensors=[tensor])
    return 12 * 64 * 8192 / n


def l1_write():
    """64 writes of 8 KiB from one core to the L1 of the next, each to another address."""
    grid, c = sim.Grid("n150"), cb_type(260, "bf16")
    body = port(0, 260, "bf16") + f"""
    %size = arith.constant 8192 : i32
    %all = arith.constant 260 : i32
    %x = arith.constant 19 : index
    %y = arith.constant 18 : index
    {op("cb_reserve_back", ["cb", "all"], [c, "i32"])}
    %from = "ttkernel.get_write_ptr"(%cb) : ({c}) -> i32
    %q = "ttkernel.reinterpret_cast"(%from) : (i32) -> !ttkernel.l1_addr_ptr
    %words = arith.constant 2048 : index
    scf.for %w = %c0 to %words step %c1 {{
      %wi = arith.index_cast %w : index to i32
      "ttkernel.store_to_l1"(%w0, %q, %wi) : (i32, !ttkernel.l1_addr_ptr, i32) -> ()
    }}
""" + loop(64, """      %i1 = arith.addi %i, %c1 : index
      %i32 = arith.index_cast %i1 : index to i32
      %offset = arith.muli %i32, %size : i32
      %to = arith.addi %from, %offset : i32
      "ttkernel.noc_async_write"(%from, %x, %y, %to, %size) <{operandSegmentSizes = array<i32: 1, 2, 0, 1, 1, 0>}> : (i32, index, index, i32, i32) -> ()
""") + f"""    {op("noc_async_write_barrier")}
    {op("cb_push_back", ["cb", "all"], [c, "i32"])}
"""
    text = kernel("k", "noc", body) + kernel("idle", "noc", port(0, 260, "bf16"))
    runs = [sim.Run("k", (0, 0, 1, 1), [sim.cb(0)]), sim.Run("idle", (0, 1, 1, 1), [sim.cb(0)])]
    buffers = [sim.Buffer(0, "bf16", 260)]
    full = cycles(grid, text, runs, cbs=buffers)
    empty = cycles(grid, text.replace("%n = arith.constant 64", "%n = arith.constant 0"), runs, cbs=buffers)
    return 64 * 8192 / (full - empty)


def per_tile(chip, steps, times, fidelity=4, dtype="bf16"):
    """Cycles per iteration of a loop in a compute kernel whose operands are in L1."""
    grid, c = sim.Grid(chip), cb_type(1, dtype)
    body = port(0, 1, dtype) + "".join(f"    {line}\n" for line in [
        op("cb_reserve_back", ["cb", "w1"], [c, "i32"]), op("experimental.fill_arange_tile", ["cb"], [c]),
        op("cb_push_back", ["cb", "w1"], [c, "i32"]), op("cb_wait_front", ["cb", "w1"], [c, "i32"]),
        op("mm_init", ["cb", "cb", "cb", "w0"], [c, c, c, "i32"]), op("tile_regs_acquire"),
        op("matmul_tiles", ["cb", "cb", "c0", "c0", "c0"], [c, c, "index", "index", "index"]), op("tanh_tile_init")])
    body += loop(times, "".join(f"      {s}\n" for s in steps))
    body += "".join(f"    {line}\n" for line in [
        op("tile_regs_commit"), op("tile_regs_wait"), op("tile_regs_release"), op("cb_pop_front", ["cb", "w1"], [c, "i32"])])
    taken = [cycles(grid, kernel("k", "compute", body.replace(f"constant {times} : index\n    scf", f"constant {n} : index\n    scf")),
                    [sim.Run("k", (0, 0, 1, 1), [sim.cb(0)], fidelity=fidelity)], cbs=[sim.Buffer(0, dtype, 1)])
             for n in (times, 2 * times)]
    return (taken[1] - taken[0]) / times


def figures():
    c = cb_type(1, "bf16")
    tanh = [op("tanh_tile", ["c0"], ["index"])]
    product = [op("matmul_tiles", ["cb", "cb", "c0", "c0", "c0"], [c, c, "index", "index", "index"])]
    return {
        "DRAM read, n150, a reader a bank (tt-metal, Saturating_DRAM_bandwidth)": (dram_read(), 267, "GB/s", "data movement"),
        "L1 to L1 write, n150 (tt-metal, ideal_performance)": (l1_write(), 29, "B/cycle", "data movement"),
        "tanh, n150, a tile (tt-metal, SFPU_LUT_Retune)": (per_tile("n150", tanh, 128), 192, "cycles", "SFPU"),
        "matmul HiFi2, p150, a tile (tt-metal issue 55760)": (per_tile("p150", product, 128, fidelity=2), 34.5, "cycles", "matmul"),
    }
