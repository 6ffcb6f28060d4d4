"""Unordered accesses are reported with both lines under every schedule, in IR and in C++; those ordered by semaphores
and circular buffers are not."""

import numpy as np
import pytest

pytest.importorskip("torch")
from grid_kernels import constants  # noqa: E402
from tilewright import sim  # noqa: E402

PAGE = 2048
CB = "!ttkernel.cb<2, !ttcore.tile<32x32, bf16>>"
L1 = "!ttkernel.l1_addr_ptr"

# Fragments of kernels' bodies, each of one or more lines. %p and %s are a page of buffer 0 and a semaphore of the own
# core, %far is the page's address on core 0,1, %sfar the semaphore's.
WORDS = {
    "store": f'"ttkernel.store_to_l1"(%w7, %pp, %w0) : (i32, {L1}, i32) -> ()',
    "store there": f'"ttkernel.store_to_l1"(%w7, %pp, %w1) : (i32, {L1}, i32) -> ()',
    "load": f'%v# = "ttkernel.load_from_l1"(%pp, %w0) : ({L1}, i32) -> i32',
    "read": '"ttkernel.noc_async_read_tile"(%w0, %acc, %p) : (i32, !ttkernel.TensorAccessor, i32) -> ()\n'
            '    "ttkernel.noc_async_read_barrier"() : () -> ()',
    "write": '"ttkernel.noc_async_write_tile"(%c0, %acc, %p) : (index, !ttkernel.TensorAccessor, i32) -> ()\n'
             '    "ttkernel.noc_async_write_barrier"() : () -> ()',
    "send": '"ttkernel.noc_async_write"(%p, %x1, %y0, %p, %bytes) <{operandSegmentSizes = array<i32: 1, 2, 0, 1, 1, 0>}> '
            ': (i32, index, index, i32, i32) -> ()\n    "ttkernel.noc_async_write_barrier"() : () -> ()',
    "fill": f'"ttkernel.experimental.fill_arange_tile"(%cb) : ({CB}) -> ()',
    "fill more": f'"ttkernel.experimental.fill_arange_tile"(%cb) : ({CB}) -> ()\n'
                 f'    "ttkernel.store_to_l1"(%w9, %pp, %w3) : (i32, {L1}, i32) -> ()',
    "signal": '"ttkernel.noc_semaphore_inc"(%sfar, %w1) : (!ttkernel.noc_addr, i32) -> ()\n'
              '    "ttkernel.noc_async_atomic_barrier"() : () -> ()',
    "await": f'"ttkernel.experimental.semaphore_wait_min"(%sp, %w1) : ({L1}, i32) -> ()',
    "poll": f'%v# = "ttkernel.load_from_l1"(%sp, %w0) : ({L1}, i32) -> i32',
    "set": f'"ttkernel.noc_semaphore_set"(%sp, %w0) : ({L1}, i32) -> ()',
    "reserve": f'"ttkernel.cb_reserve_back"(%q, %w1) : ({CB}, i32) -> ()',
    "push": f'"ttkernel.cb_push_back"(%q, %w1) : ({CB}, i32) -> ()',
    "wait": f'"ttkernel.cb_wait_front"(%q, %w1) : ({CB}, i32) -> ()',
    "pop": f'"ttkernel.cb_pop_front"(%q, %w1) : ({CB}, i32) -> ()',
}
BEFORE = f"""
    %cb = "ttkernel.get_compile_time_arg_val"() <{{arg_index = 0 : i32}}> : () -> {CB}
    %q = "ttkernel.get_compile_time_arg_val"() <{{arg_index = 1 : i32}}> : () -> {CB}
    %id = "ttkernel.get_compile_time_arg_val"() <{{arg_index = 3 : i32}}> : () -> i32
    %base = "ttkernel.get_common_arg_val"(%c0) : (index) -> i32
    %args = "ttkernel.TensorAccessorArgs"(%w2, %w0) <{{operandSegmentSizes = array<i32: 1, 1, 0>}}> : (i32, i32) -> !ttkernel.TensorAccessorArgs
    %bytes = arith.constant {PAGE} : i32
    %acc = "ttkernel.TensorAccessor"(%args, %base, %bytes) : (!ttkernel.TensorAccessorArgs, i32, i32) -> !ttkernel.TensorAccessor
    %p = "ttkernel.get_write_ptr"(%cb) : ({CB}) -> i32
    %pp = "ttkernel.reinterpret_cast"(%p) : (i32) -> {L1}
    %s = "ttkernel.get_semaphore"(%id) : (i32) -> !ttkernel.local_semaphore
    %sp = "ttkernel.reinterpret_cast"(%s) : (!ttkernel.local_semaphore) -> {L1}
    %x1 = arith.constant 19 : index
    %y0 = arith.constant 18 : index
    %sfar = "ttkernel.get_noc_addr"(%x1, %y0, %s) : (index, index, !ttkernel.local_semaphore) -> !ttkernel.noc_addr
"""
DELAY = """
    scf.for %d = %c0 to %c128 step %c1 {
      %z = arith.addi %d, %d : index
      %v = "ttkernel.my_x"() : () -> index
    }
"""


def kernel(name, words):
    body = "".join("    " + (DELAY if w == "delay" else WORDS[w].replace("#", str(i))) + "\n" for i, w in enumerate(words))
    return (f"  func.func private @{name}() attributes {{ttkernel.thread = #ttkernel.thread<noc>}} {{\n{constants()}{BEFORE}"
            f"{body}    return\n  }}\n")


def run(first, second, same_core, seed=0, cpp=False, races=True):
    """Two kernels, on one core or on two; the launch, its reports and the text."""
    grid = sim.Grid("n150", seed=seed, cpp=cpp, races=races)
    tensor = grid.tensor((32, 32), "bf16", data=np.ones((32, 32), np.uint16))
    text = "module {\n" + kernel("first", first) + kernel("second", second) + "}\n"
    cores = (0, 0, 1, 1) if same_core else (0, 1, 1, 1)
    args = [sim.cb(0), sim.cb(1), sim.accessor(0), sim.semaphore(0)]
    runs = [sim.Run("first", (0, 0, 1, 1), args, [sim.address(0)]), sim.Run("second", cores, args, [sim.address(0)], noc=1)]
    launch = grid.load(text, "k.mlir").launch(runs, [sim.Buffer(0, "bf16", 2), sim.Buffer(1, "bf16", 2)], [tensor], [0])
    try:
        launch.run()
    except sim.KernelError:
        pass
    return launch.reports, text.splitlines()


# the first kernel's fragments, the second's, whether they share a core; the report, and its two operations
RACES = [
    (["fill", "delay", "store"], ["delay", "load"], True, "L1 race", {"store_to_l1|fill_arange_tile", "load_from_l1"}),
    (["fill", "store"], ["store"], True, "L1 race", {"fill_arange_tile|store_to_l1", "store_to_l1"}),
    (["fill", "reserve", "push", "store"], ["wait", "load", "pop"], True, "L1 race", {"store_to_l1", "load_from_l1"}),
    (["wait", "load", "pop"], ["fill", "reserve", "push", "read"], True, "L1 race", {"noc_async_read_tile", "load_from_l1"}),
    (["fill more", "send"], ["fill", "delay", "load"], False, "L1 race", {"noc_async_write|store_to_l1", "load_from_l1|fill_arange_tile"}),
    (["fill", "signal", "send"], ["await", "delay", "load"], False, "L1 race", {"noc_async_write", "load_from_l1"}),
    (["fill more", "write"], ["fill", "write"], False, "DRAM race", {"noc_async_write_tile"}),
    (["fill", "write"], ["delay", "read"], False, "DRAM race", {"noc_async_write_tile", "noc_async_read_tile"}),
    (["signal"], ["set"], False, "semaphore", {"noc_semaphore_inc", "noc_semaphore_set"}),
    (["signal"], ["delay", "delay", "delay", "delay", "delay", "set"], False, "semaphore", {"noc_semaphore_inc", "noc_semaphore_set"}),
]
ORDERED = [
    (["fill", "store", "reserve", "push"], ["wait", "load", "pop"], True),
    (["fill", "reserve", "push", "reserve", "push", "reserve", "store", "push"],
     ["wait", "load", "pop", "wait", "pop", "wait", "pop"], True),
    (["store"], ["store there"], True),  # other bytes of the same sixteen
    (["fill", "send", "signal"], ["await", "load"], False),
    (["fill", "write", "signal"], ["await", "read"], False),
    (["fill", "write"], ["fill", "write"], False),  # the same bytes
    (["read"], ["read"], False),
    (["signal"], ["await", "set"], False),
    (["signal"], ["poll", "poll"], False),
]


def operation(lines, number):
    """The name of the operation in a line of the text."""
    return lines[number - 1].split('"ttkernel.')[-1].split('"')[0].split(".")[-1]


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
@pytest.mark.parametrize("first, second, same_core, kind, ops", RACES, ids=["-".join(c[0] + ["|"] + c[1]) for c in RACES])
def test_races(first, second, same_core, kind, ops, seed):
    reports, lines = run(first, second, same_core, seed)
    found = [r for r in reports if r["kind"] == kind]
    assert found, reports
    names = [operation(lines, n) for n in (found[0]["line"], found[0]["note_line"])]
    assert all(any(n in want.split("|") for want in ops) for n in names), found
    assert all(any(n in want.split("|") for n in names) for want in ops), found
    assert found[0]["note"] and found[0]["cycle"] >= 0


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
@pytest.mark.parametrize("first, second, same_core", ORDERED, ids=["-".join(c[0] + ["|"] + c[1]) for c in ORDERED])
def test_order(first, second, same_core, seed):
    reports, _ = run(first, second, same_core, seed)
    assert not reports, reports


@pytest.mark.parametrize("case", [0, 4, 6, 8])
def test_races_in_cpp(case):
    first, second, same_core, kind, _ = RACES[case]
    reports, _ = run(first, second, same_core, cpp=True)
    found = [r for r in reports if r["kind"] == kind]
    assert found and found[0]["line"] > 1 and found[0]["note_line"] > 1, reports


def test_without_the_race_detector():
    assert not [r for r in run(*RACES[0][:3], races=False)[0] if r["kind"] == "L1 race"]
