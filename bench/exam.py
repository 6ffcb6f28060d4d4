#!/usr/bin/env python3
"""The exam of the simulated device's cost model: each published figure of exam_figures.tsv beside what the model
says, then the median and the worst error of each group, fitted and unseen figures apart.

exam.py [--build DIR] [--group NAME] [--quiet] [--json FILE] [--goal PERCENT]

With --goal the exit status is 1 if the median error of a group's unseen figures exceeds it."""

import argparse
import json
import os
import random
import re
import statistics
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
FIGURES = root / "bench" / "exam_figures.tsv"


def read_figures():
    for line in FIGURES.read_text().splitlines():
        if line and not line.startswith("#"):
            group, kind, chip, value, unit, case, source = line.split("\t")
            assert kind in ("fitted", "stated", "unseen"), line
            yield {"group": group, "kind": kind, "chip": chip, "value": float(value), "unit": unit, "case": case, "source": source}


def arguments(words):
    """["approx", "phases=2"]: {"approx": True, "phases": 2}."""
    pairs = (word.partition("=") for word in words)
    return {name: True if not sign else int(value) if value.isdigit() else value for name, sign, value in pairs}


# ---- compute kernels: cycles per iteration of a loop ----------------------------------------

def text_of(lines, indent=6):
    return "".join(" " * indent + line + "\n" for line in lines)


def loop_cycles(chip, steps, before=(), dtype="bf16", pages=1, times=64, profile=False, out_pages=0, out_type=None, **run):
    """Cycles that `steps` take in a loop, after `before`; of a profiled run the list of (name, unit, cycles)
    of one iteration's spans."""
    from grid_cost import cycles, kernel, port
    from grid_kernels import cb_type, op
    from tilewright import sim

    c = cb_type(pages, dtype)
    o = out_type or cb_type(out_pages, dtype)
    start = [f"%pages = arith.constant {pages} : i32"]
    if pages == 1:
        start += [op("cb_reserve_back", ["cb", "w1"], [c, "i32"]), op("experimental.fill_arange_tile", ["cb"], [c]),
                  op("cb_push_back", ["cb", "w1"], [c, "i32"])]
    start += [op("cb_wait_front", ["cb", "pages"], [c, "i32"])]
    end = [op("cb_pop_front", ["cb", "pages"], [c, "i32"])]
    if out_pages:
        start += [f"%room = arith.constant {out_pages} : i32", op("cb_reserve_back", ["out", "room"], [o, "i32"])]
        end += [op("cb_push_back", ["out", "room"], [o, "i32"])]
    if any("tile_regs_acquire" in line for line in before):
        waits = any("tile_regs_wait" in line for line in before)
        end = [op("tile_regs_commit"), op("tile_regs_wait")] * (not waits) + [op("tile_regs_release"), *end]

    def text(n):
        body = port(0, pages, dtype) + (port(1, out_pages, dtype, "out").replace(cb_type(out_pages, dtype), o) if out_pages else "")
        body += text_of([*start, *before], 4) + f"    %n = arith.constant {n} : index\n    scf.for %i = %c0 to %n step %c1 {{\n"
        return kernel("k", "compute", body + text_of(steps) + "    }\n" + text_of(end, 4)) + (
            mover("zeros", words_written(pages * 2048), 0, pages) if pages > 1 else "")

    cbs = [sim.Buffer(0, dtype, pages)] + [sim.Buffer(1, dtype, out_pages)] * bool(out_pages)
    runs = [sim.Run("k", (0, 0, 1, 1), [sim.cb(i) for i in range(len(cbs))], **run)]
    runs += [sim.Run("zeros", (0, 0, 1, 1), [sim.cb(0)])] * (pages > 1)
    if profile:
        launch = sim.Grid(chip, profile=True).load("module {\n" + text(times) + "}\n").launch(runs, cbs=cbs).run()
        clock = 1.35 if chip == "p150" else 1.0
        rows = json.loads(launch.trace_json)["traceEvents"]
        return [(e["name"], e["cat"], e["dur"] * 1000 * clock / times) for e in rows if e["ph"] == "X"]
    short, long = (cycles(sim.Grid(chip), text(n), runs, cbs=cbs) for n in (times, 2 * times))
    return (long - short) / times


def started(*more):
    """Formats and DST set up for buffer 0, DST tiles 0 to 3 written."""
    from grid_kernels import op

    return [*set_up(), op("tile_regs_acquire"), *fill(range(4)), *more]


def set_up(dtype="bf16", pages=1):
    from grid_kernels import cb_type, op

    return [op("mm_init", ["cb", "cb", "cb", "w0"], [cb_type(pages, dtype)] * 3 + ["i32"])]


def fill(slots, integer=False):
    from grid_kernels import op

    if integer:
        return [op("fill_tile_init")] + [op("fill_tile_int", [f"c{i}", "w1"], ["index", "i32"],
                                            "<{dtype = #ttcore.supportedDataTypes<si32>}>") for i in slots]
    return ["%one = arith.constant 1.0 : f32", op("fill_tile_init"), *[op("fill_tile", [f"c{i}", "one"], ["index", "f32"]) for i in slots]]


def sfpu(chip, name, approx=False, wide=False, **_):
    """Cycles of a function of one tile."""
    from grid_kernels import op

    attrs = "<{approx = true}>" if name == "exp_tile" and approx else ""
    init = op(name + "_init")
    return loop_cycles(chip, [op(name, ["c0"], ["index"], attrs)], started(init), wide_dst=wide, approximate=approx)


def where(chip, out):
    """Chooses between tiles 1 and 2; out 0: over the condition."""
    from grid_kernels import op

    attrs, types = "<{dtype = #ttcore.supportedDataTypes<bf16>}>", ["index"] * 4
    steps = [op("where_tile", ["c0", "c1", *last], types, attrs) for last in ([["c2", "c0"]] if out == 0 else [["c2", "c3"], ["c3", "c2"]])]
    return loop_cycles(chip, steps, started(op("where_tile_init"))) / len(steps)


def typecast(chip, source, target):
    """Cycles of a conversion; the tile is filled again before each, which is taken off."""
    from grid_kernels import op

    attrs = f"<{{in_dtype = #ttcore.supportedDataTypes<{source}>, out_dtype = #ttcore.supportedDataTypes<{target}>}}>"
    again = [line for line in fill([0], integer=source in ("si32", "u32", "u16")) if line.startswith('"')]
    again += [op("typecast_tile_init", attrs=attrs)]
    both, fills = (loop_cycles(chip, steps, started(), wide_dst=True) for steps in ([*again, op("typecast_tile", ["c0"], ["index"], attrs)], again))
    return both - fills


def mul_int(chip, out):
    """Multiplies tiles 0 and 1; out 0: over the first."""
    from grid_kernels import op

    attrs = "<{dtype = #ttcore.supportedDataTypes<u16>}>"
    steps = [op("mul_int_tile", slots, ["index"] * 3, attrs) for slots in ([["c0", "c1", "c0"]] if out == 0 else [["c0", "c1", "c2"], ["c0", "c2", "c1"]])]
    before = [*set_up(), op("tile_regs_acquire"), *fill(range(3), integer=True), op("mul_int_tile_init", attrs=attrs)]
    return loop_cycles(chip, steps, before) / len(steps)


def matmul(chip, phases):
    """A step of a long chunk of K."""
    from grid_kernels import cb_type, op

    c = cb_type(1, "bf16")
    step = op("matmul_tiles", ["cb", "cb", "c0", "c0", "c0"], [c, c, "index", "index", "index"])
    return loop_cycles(chip, [step], [*set_up(), op("tile_regs_acquire")], fidelity=phases)


def unit(chip, instruction, phases):
    """TFLOP/s of the matrix unit while it is busy."""
    from grid_kernels import cb_type, op

    c = cb_type(1, "bf16")
    name, flops = {"mvmul": ("matmul_tiles", 65536), "elwmul": ("mul_tiles", 2048), "elwadd": ("add_tiles", 1024)}[instruction]
    operands = ["cb", "cb", "c0", "c0", "c0"]
    init = [] if name == "matmul_tiles" else [op(f"{name}_init", ["cb", "cb"], [c, c])]
    read = [] if name == "matmul_tiles" else [op("abs_tile", ["c0"], ["index"])]
    before = [*set_up(), *init, op("tile_regs_acquire"), op("abs_tile_init")]
    spans = loop_cycles(chip, [op(name, operands, [c, c, "index", "index", "index"]), *read], before, fidelity=phases, profile=True)
    return flops / sum(time for what, track, time in spans if what == name and track == "math") / 1000


# ---- unpackers and packer ----------------------------------------------------------------------

def unpack(chip, both=False, **_):
    """Bytes per cycle of each unpacker that runs."""
    from grid_kernels import cb_type, op

    c = cb_type(1, "bf16")
    name, read = "add_tiles" if both else "copy_tile", op("abs_tile", ["c0"], ["index"])
    before = [*set_up(), op("abs_tile_init")]
    if both:
        before += [op("add_tiles_init", ["cb", "cb"], [c, c])]
        step = op(name, ["cb", "cb", "c0", "c0", "c0"], [c, c, "index", "index", "index"])
    else:
        before += [op("copy_tile_init", ["cb"], [c])]
        step = op(name, ["cb", "c0", "c0"], [c, "index", "index"])
    spans = loop_cycles(chip, [step, read], [*before, op("tile_regs_acquire")], profile=True)
    return 2048 / sum(time for what, track, time in spans if what == name and track == "unpack")


def pack(chip, accumulate=False):
    """Bytes per cycle of the packer."""
    from grid_kernels import cb_type, op

    c = cb_type(1, "bf16")
    before = [*set_up(), op("tile_regs_acquire"), *fill([0]), op("tile_regs_commit"), op("tile_regs_wait"),
              op("pack_tile", ["c0", "out", "c0"], ["index", c, "index"], "<{out_of_order = true}>"),
              op("pack_reconfig_l1_acc", ["w1" if accumulate else "w0"], ["i32"])]
    step = op("pack_tile", ["c0", "out", "c0"], ["index", c, "index"], "<{out_of_order = true}>")
    spans = loop_cycles(chip, [step], before, profile=True, out_pages=1)
    times = sorted(time * 64 for what, track, time in spans if what == "pack_tile" and track == "pack")
    return 2048 / times[len(times) // 2]


def untilize(chip, tiles):
    """Cycles a tile of the packer's untilizing, in a row of `tiles` tiles."""
    from grid_kernels import cb_type, op

    c, rows = cb_type(tiles, "bf16"), f"!ttkernel.cb<{1024 * tiles}, bf16>"
    before = [*set_up(pages=tiles), op("pack_untilize_init", ["cb", "out"], [c, rows], f"<{{colsPerDstPass = {tiles} : i32, totalColTiles = {tiles} : i32}}>"),
              f"%t = arith.constant {tiles} : i32"]
    step = op("experimental.pack_untilize_block", ["cb", "out", "w1", "t"], [c, rows, "i32", "i32"],
              f"<{{colsPerDstPass = {tiles} : i32, totalColTiles = {tiles} : i32}}>")
    return loop_cycles(chip, [step], before, pages=tiles, out_pages=tiles, out_type=rows) / tiles


# ---- data movement --------------------------------------------------------------------------

def mover(name, moves, times, pages, dtype="bf16"):
    """A thread that makes room in buffer 0, then `times` moves, and waits for them."""
    from grid_cost import kernel, port
    from grid_kernels import cb_type, op

    c = cb_type(pages, dtype)
    body = port(0, pages, dtype) + text_of([
        f"%all = arith.constant {pages} : i32", op("cb_reserve_back", ["cb", "all"], [c, "i32"]),
        f'%start = "ttkernel.get_write_ptr"(%cb) : ({c}) -> i32', f"%n = arith.constant {times} : index"], 4)
    body += moves + text_of([op("noc_async_read_barrier"), op("noc_async_write_barrier"), op("cb_push_back", ["cb", "all"], [c, "i32"])], 4)
    return kernel(name, "noc", body)


def words_written(bytes_):
    """Defines the first bytes of the buffer, so that they may be sent."""
    return text_of(['%l = "ttkernel.reinterpret_cast"(%start) : (i32) -> !ttkernel.l1_addr_ptr', f"%words = arith.constant {bytes_ // 4} : index",
                    "scf.for %w = %c0 to %words step %c1 {", "  %wi = arith.index_cast %w : index to i32",
                    '  "ttkernel.store_to_l1"(%w0, %l, %wi) : (i32, !ttkernel.l1_addr_ptr, i32) -> ()', "}"], 4)


def to_core(chip, row, column, bytes_, times):
    """Cycles of `times` writes from core 0,0 to another."""
    from grid_cost import cycles, kernel, port
    from grid_kernels import cb_type, op
    from tilewright import sim

    pages, c = 130, cb_type(130, "bf16")
    moves = text_of([f"%size = arith.constant {bytes_} : i32", f"%x = arith.constant {18 + column} : index",
                     f"%y = arith.constant {18 + row} : index", "%far = arith.constant 16384 : i32", "%to = arith.addi %start, %far : i32"], 4)
    moves += words_written(bytes_) + text_of([
        "scf.for %i = %c0 to %n step %c1 {",
        '  "ttkernel.noc_async_write"(%start, %x, %y, %to, %size) <{operandSegmentSizes = array<i32: 1, 2, 0, 1, 1, 0>}>'
        " : (i32, index, index, i32, i32) -> ()", "}"], 4)
    other = kernel("other", "noc", port(0, pages, "bf16") + text_of([
        f"%all = arith.constant {pages} : i32", op("cb_reserve_back", ["cb", "all"], [c, "i32"]), op("cb_push_back", ["cb", "all"], [c, "i32"])], 4))
    runs = [sim.Run("k", (0, 0, 1, 1), [sim.cb(0)]), sim.Run("other", (row, column, 1, 1), [sim.cb(0)])]
    taken = [cycles(sim.Grid(chip), mover("k", moves, n, pages) + other, runs, cbs=[sim.Buffer(0, "bf16", pages)]) for n in (times, 0)]
    return taken[0] - taken[1]


def noc(chip, what, bytes=0, hops=0, to=""):
    if what == "write":  # many packets to the next core
        return 256 * bytes / to_core(chip, 0, 1, bytes, 256)
    if what == "latency":
        return to_core(chip, 0, hops, 16, 1) - issue_cycles(chip)
    row, column = {"column": (3, 0), "row": (0, 3), "other": (2, 3)}[to]
    return read_from(chip, row, column) - issue_cycles(chip)


def issue_cycles(chip):
    """The core's own time for a call, measured where transfers are small and many."""
    return to_core(chip, 0, 1, 16, 256) / 256


def read_from(chip, row, column):
    """Cycles of one small read of another core's L1, which the host has written: a sharded tensor's."""
    import numpy as np
    from grid_cost import cycles
    from tilewright import sim

    taken = []
    for n in (1, 0):
        grid = sim.Grid(chip)
        far = grid.tensor((32, 32), "f32", data=np.zeros((32, 32), np.float32), memory=sim.L1_SHARDED, shards=(1, 1),
                          cores=(row, column, 1), shard_shape=(32, 32))
        moves = text_of(['%far = "ttkernel.get_common_arg_val"(%c0) : (index) -> i32', "%size = arith.constant 32 : i32",
                         f"%x = arith.constant {18 + column} : index", f"%y = arith.constant {18 + row} : index",
                         "scf.for %i = %c0 to %n step %c1 {",
                         '  "ttkernel.noc_async_read"(%x, %y, %far, %start, %size) <{operandSegmentSizes = array<i32: 2, 0, 1, 1, 1, 0>}>'
                         " : (index, index, i32, i32, i32) -> ()", "}"], 4)
        taken.append(cycles(grid, mover("k", moves, n, 2), [sim.Run("k", (0, 0, 1, 1), [sim.cb(0)], [sim.address(0)])],
                            cbs=[sim.Buffer(0, "bf16", 2)], tensors=[far]))
    return taken[0] - taken[1]


# Routers of the workers' rows and columns and of the channels on Wormhole, as in chip_costs.c.
ROWS, COLUMNS = (1, 2, 3, 5, 7, 8, 9, 10), (1, 2, 3, 4, 6, 7, 8, 9)
CHANNELS = ((11, 0), (1, 0), (5, 0), (7, 0), (1, 5), (11, 5), (2, 5), (9, 5), (8, 5), (4, 5), (5, 5), (7, 5))


def way(core, channel, noc, direction):
    """Links down (or up, on NoC 1) and right (left) that data takes between a core and a channel."""
    here, there = (ROWS[core[0]], COLUMNS[core[1]]), CHANNELS[channel]
    source, target = (there, here) if (direction == "read") != (noc == 1) else (here, there)
    return (target[0] - source[0]) % 12, (target[1] - source[1]) % 10


def dram(chip, direction, cores, channels, noc, pairs):
    """GB/s of cores that each move 1 MiB between L1 and a channel, in packets of 8 KiB. Random pairs are fair: the
    channels have equally many cores. Carefully chosen ones move data along rows as far as they can."""
    import numpy as np
    from grid_cost import cycles
    from tilewright import sim

    grid, pages, packets = sim.Grid(chip), 512, 128
    everywhere = [(y, x) for y in range(grid.rows) for x in range(grid.columns)]
    choose, results = random.Random(1), []
    for _ in range(3 if pairs == "random" else 1):
        if pairs == "near":
            of, left = {}, set(everywhere)
            for bank in list(range(12)) * (cores // 12):
                core = min(left, key=lambda core: way(core, bank, noc, direction))
                left.remove(core)
                of[core] = bank
        else:
            of = dict(zip(choose.sample(everywhere, cores), [i % channels for i in range(cores)]))
        grid = sim.Grid(chip)
        tensor = grid.tensor((32 * 48, 32 * 64), "f32", data=np.zeros((32 * 48, 32 * 64), np.float32))
        sizes, values = (("0, 1, 1, 1, 1, 0", "%bank, %at, %to, %size") if direction == "read" else ("1, 0, 1, 1, 1, 0", "%to, %bank, %at, %size"))
        moves = text_of(['%base = "ttkernel.get_common_arg_val"(%c0) : (index) -> i32', '%bank = "ttkernel.get_arg_val"(%c0) : (index) -> i32',
                         "%size = arith.constant 8192 : i32", '%mine = "ttkernel.get_arg_val"(%c1) : (index) -> index'], 4)
        if direction == "write":
            moves += words_written(8192)
        moves += text_of(["scf.for %i = %c0 to %n step %c1 {", "  %i32 = arith.index_cast %i : index to i32",
                          "  %offset = arith.muli %i32, %size : i32", "  %at = arith.addi %base, %offset : i32",
                          "  %to = arith.addi %start, %" + ("offset" if direction == "read" else "w0") + " : i32",
                          f'  "ttkernel.noc_async_{direction}"({values}) <{{operandSegmentSizes = array<i32: {sizes}>}}> : (i32, i32, i32, i32) -> ()', "}"], 4)
        taken = []
        for n in (packets, 0):
            args = [[of.get(core, 0), n if core in of else 0] for core in everywhere]
            text = mover("k", moves, n, pages).replace("scf.for %i = %c0 to %n", "scf.for %i = %c0 to %mine")
            runs = [sim.Run("k", (0, 0, grid.rows, grid.columns), [sim.cb(0)], [sim.address(0)], args, noc=noc)]
            taken.append(cycles(grid, text, runs, cbs=[sim.Buffer(0, "bf16", pages)], tensors=[tensor]))
        results.append(cores * packets * 8192 / (taken[0] - taken[1]))
    return statistics.mean(results)


def launch(chip):
    """Microseconds between two programs."""
    from grid_cost import kernel
    from tilewright import sim

    done = sim.Grid(chip, profile=True).load("module {\n" + kernel("k", "noc", "") + "}\n").launch([sim.Run("k", (0, 0, 1, 1))]).run()
    return float(re.search(r"after ([\d.]+) us of launch", done.profile)[1])


MEASURES = {f.__name__: f for f in (sfpu, where, typecast, mul_int, matmul, unit, unpack, pack, untilize, noc, dram, launch)}


def measure(figure):
    what, *words = figure["case"].split()
    plain = [word for word in words if "=" not in word]
    takes = {"sfpu": 1, "unit": 1, "noc": 1, "dram": 1, "typecast": 2}.get(what, 0)
    named = arguments([word for word in words if word not in plain[:takes]])
    return MEASURES[what](figure["chip"], *plain[:takes], **named)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(root / "build"))
    parser.add_argument("--group", default="")
    parser.add_argument("--quiet", action="store_true", help="only the table")
    parser.add_argument("--json", default="")
    parser.add_argument("--goal", type=float, default=0)
    options = parser.parse_args()
    sys.path[:0] = [str(Path(options.build) / "python"), str(root / "tests/python")]
    os.environ.setdefault("TW_BUILD", options.build)
    figures = [figure for figure in read_figures() if options.group in figure["group"]]
    if not figures:
        sys.exit(f"no group of {FIGURES.name} contains {options.group!r}")
    for figure in figures:
        figure["model"] = measure(figure)
        figure["error"] = figure["model"] / figure["value"] - 1
        if not options.quiet:
            print(f"{figure['group']:16s} {figure['kind']:7s}{figure['chip']:5s} {figure['case']:50s}"
                  f"{figure['model']:9.2f} {figure['unit']:8s} published {figure['value']:<9g}{figure['error']:+7.1%}")
    groups, missed = {}, []
    for figure in figures:
        groups.setdefault((figure["group"], figure["kind"]), []).append(figure)
    print("\n| group | kind | figures | median error | worst error | of |\n|---|---|---|---|---|---|")
    for (group, kind), members in sorted(groups.items()):
        worst = max(members, key=lambda figure: abs(figure["error"]))
        median = statistics.median(abs(figure["error"]) for figure in members)
        print(f"| {group} | {kind} | {len(members)} | {100 * median:.1f} % | {100 * worst['error']:+.1f} % | {worst['chip']}, `{worst['case']}` |")
        if options.goal and kind == "unseen" and median * 100 > options.goal:
            missed.append(group)
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=1) + "\n")
    if missed:
        sys.exit(f"more than {options.goal:g} % off in the median: {', '.join(missed)}")


if __name__ == "__main__":
    main()
