"""Random kernels with one line missing, duplicated or changed: each is reported, under any order of threads, and the
device works afterwards. TILEWRIGHT_GENERATED sets the count (default 30)."""

import os
import random
import re

import pytest

torch = pytest.importorskip("torch")
from test_sim_generated import Case  # noqa: E402
from tilewright import sim  # noqa: E402

CB = {"circular buffer overflow", "circular buffer underflow", "circular buffer protocol", "circular buffer kept",
      "circular buffer window", "deadlock", "uninitialised read", "missing barrier", "L1 race", "DST use"}
DST = {"DST use", "lost DST tile", "deadlock", "DST range", "uninitialised read"}
# the operation, the change of a line with it, one of the kinds that are reported then
SLIPS = [
    ("cb_reserve_back", "drop", CB), ("cb_push_back", "drop", CB), ("cb_wait_front", "drop", CB),
    ("cb_pop_front", "drop", CB), ("cb_push_back", "twice", CB), ("cb_pop_front", "twice", CB),
    ("noc_async_read_barrier", "drop", {"missing barrier", "L1 race"}),
    ("noc_async_write_barrier", "drop", {"missing barrier", "L1 race"}),
    ("noc_async_read_tile", "drop", {"uninitialised read"}),
    ("tile_regs_acquire", "drop", DST), ("tile_regs_commit", "drop", DST), ("tile_regs_wait", "drop", DST),
    ("tile_regs_release", "drop", DST), ("tile_regs_acquire", "twice", DST), ("tile_regs_commit", "twice", DST),
    ("tile_regs_release", "twice", DST), ("copy_tile", "drop", DST), ("pack_tile", "drop", {"uninitialised read", "lost DST tile"}),
    ("init_sfpu", "drop", {"init"}), ("[a-z_]+_tile_init", "drop", {"init"}),
    ("copy_tile", "far", {"circular buffer window"}), ("pack_tile", "far", {"circular buffer window"}),
    ("pack_tile", "slot", {"DST range"}), ("copy_tile", "slot", {"DST range"}),
    ("cb_push_back", "more", CB), ("cb_wait_front", "more", CB),
    ("noc_async_read_tile", "page", {"NoC range"}), ("noc_async_write_tile", "page", {"NoC range"}),
    ("noc_async_read_tile", "address", {"NoC alignment", "circular buffer window", "L1 range", "uninitialised read"}),
]


def that_matter(case, matches):
    """Those whose effect no other line has."""
    if matches and matches[0][1] == "noc_async_read_barrier":
        return matches[-1:]  # the second tensor's serves the first, too
    if matches and matches[0][1].endswith("_tile_init"):
        matches = [p for p in matches if p[1] != "copy_tile_init"]  # init_sfpu's state is the same
        if case.two + len(case.unary) == 1:
            return matches[:1]  # the unit keeps its set-up
    return matches


def slip(text, r, operation, what, case):
    """The text with one mistake; None where it has no such line, or the change has no effect."""
    matches = list(re.finditer(rf' *(?:%\w+ = )?"ttkernel\.({operation})"\(([^)]*)\).*\n', text))
    matches = that_matter(case, matches)
    if not matches:
        return None
    p = r.choice(matches)
    line, operands = p[0], p[2].split(", ")
    if what == "drop":
        line = ""
    elif what == "twice":
        line += line
    elif what in ("far", "slot", "page"):
        at = {"copy_tile": {"far": 1, "slot": 2}, "pack_tile": {"far": 2, "slot": 0}}.get(p[1], {"page": 0})[what]
        narrow = p[1] == "noc_async_read_tile"
        value = {"far": case.block * case.depth, "slot": 16, "page": case.n}[what]
        made = f"    %slip = arith.constant {value} : {'i32' if narrow else 'index'}\n"
        line = made + line.replace(p[2], ", ".join([*operands[:at], "%slip", *operands[at + 1:]]), 1)
    elif what == "more":
        line = f"    %slip = arith.constant {case.block * case.depth + 1} : i32\n" + line.replace("%nb", "%slip", 1)
    elif what == "address":
        line = ("    %eight = arith.constant 8 : i32\n" + f"    %slip = arith.addi {operands[2]}, %eight : i32\n"
                + line.replace(operands[2] + ")", "%slip)", 1))
    return text[:p.start()] + line + text[p.end():]


@pytest.mark.parametrize("number", range(int(os.environ.get("TILEWRIGHT_GENERATED", 30))))
def test_mistakes_are_reported(number):
    r = random.Random(number)
    operation, what, kinds = SLIPS[number % len(SLIPS)]
    for seed in range(1000 * number, 1000 * number + 50):
        case = Case(seed)
        case.blocks = max(case.blocks, 2)
        case.n = case.rows * case.columns * case.block * case.blocks
        text = slip(case.module(), r, operation, what, case)
        if text:
            break
    for order in (0, 1 + number):
        grid = sim.Grid("n150", seed=order, budget=2_000_000, threads=1 + number % 2)
        wrong = Case(seed)
        wrong.blocks, wrong.n = case.blocks, case.n
        wrong.module = lambda: text
        with pytest.raises((sim.KernelError, AssertionError)) as messages:
            wrong.run(grid)
        launch = messages.value.reports if isinstance(messages.value, sim.KernelError) else None
        found = {x["kind"] for x in launch} if launch is not None else set(re.findall(r"warning: ([\w ]+):", str(messages.value)))
        assert found & kinds, (operation, what, str(messages.value)[:2000])
        assert all(x["line"] > 0 for x in launch or ())
        Case(seed).run(grid)
