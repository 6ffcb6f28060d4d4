"""The wording of reports: deadlocks of many cores, source lines of every party, singular and plural."""

import re
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402
from tilewright import sim  # noqa: E402

CORES = 64
SIGNAL = """
#include "dataflow_api.h"
void kernel_main() {
    const uint32_t me = get_arg_val<uint32_t>(0), semaphore = get_semaphore(0);
    if (me == 0) return;
    if (me % 8 == 0) noc_semaphore_inc(get_noc_addr(18, 18 + me / 8, semaphore), 1);
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore), 2);
    cb_reserve_back(0, 1);
    cb_push_back(0, 1);
}
"""
TAKE = """
#include "dataflow_api.h"
void kernel_main() {
    cb_wait_front(0, 1);
    cb_pop_front(0, 1);
}
"""


def launch(grid, *sources, cores=(0, 0, 8, 8), pages=2):
    runs = [sim.Run(text, cores, args=[[i] for i in range(cores[2] * cores[3])], noc=i) for i, text in enumerate(sources)]
    return grid.load().launch(runs, [sim.Buffer(0, "bf16", pages, name="input")], semaphores=[0])


def quoted(text):
    """Each line about a location, with the source line that is shown below it or None."""
    lines = text.splitlines()
    return [(line.partition(": ")[2], after if caret.strip() == "^" else None)
            for line, after, caret in zip(lines, lines[1:] + [""], lines[2:] + ["", ""]) if re.match(r"[^ ].*?:\d+:\d+: ", line)]


def test_a_deadlock_of_64_cores_is_three_locations():
    """One line for a location and the differences between cores, however many there are."""
    with pytest.raises(sim.KernelError) as caught:
        launch(sim.Grid("n150"), SIGNAL, TAKE).run()
    messages = quoted(str(caught.value))
    assert messages == [
        ("error: deadlock: no thread can go on: @kernel0 waits for the semaphore at 0x200 to be 2 (it is 0 to 1); "
         "on cores 0,1-7,7 no thread ever changed it; on cores 1,0-7,0 @kernel0 changed it last (kernel @kernel0, "
         f"cores 0,1-7,7 and 1,0-7,0, cycle {caught.value.reports[0]['cycle']:.0f})", SIGNAL.splitlines()[6]),
        ("note: let another core count it up as often as this kernel expects, before it waits itself", None),
        ("note: @kernel1 on cores 0,0-7,7 waits for 1 filled page of circular buffer 0 ('input') (none is there); "
         "no thread ever pushed to it", TAKE.splitlines()[3]),
    ]
    assert len(str(caught.value)) < 1200


def kernel(reads, takes):
    @ttl.kernel(grid=(8, 8))
    def pages(x):
        cb = ttl.make_circular_buffer_like(x, shape=(1, 1), buffer_factor=2)

        @ttl.datamovement()
        def bring():
            column, row = ttl.core(dims=2)
            for _ in range(reads(row, column)):
                with cb.reserve() as block:
                    ttl.copy(x[0, 0], block).wait()

        @ttl.datamovement()
        def take():
            column, row = ttl.core(dims=2)
            for _ in range(takes(row, column)):
                with cb.wait():
                    pass

    return pages


@pytest.mark.parametrize("reads, takes, messages", [
    (lambda row, column: 0, lambda row, column: 1,  # a loop without iterations never pushes
     "@take waits for 1 filled page of circular buffer 0 ('cb') (none is there); no thread ever pushed to it, and no other kernel of the core "
     "does (kernel @take, cores 0,0-7,7, "),
    (lambda row, column: row // 7, lambda row, column: 1,
     "@take waits for 1 filled page of circular buffer 0 ('cb') (none is there); no thread ever pushed to it: @bring, which would, has ended "
     "(kernel @take, cores 0,0-6,7, "),
    (lambda row, column: 3, lambda row, column: column // 7,
     "@bring waits for 1 free page of circular buffer 0 ('cb') (none of 2 is free); no thread ever popped from it: @take, which would, has "
     "ended (kernel @bring, cores 0,0-7,6, "),
    (lambda row, column: column + 1, lambda row, column: column + 2,
     "@take waits for 1 filled page of circular buffer 0 ('cb') (none is there); @bring, which pushed to it last, has ended (kernel @take, "
     "cores 0,0-7,7, "),
    (lambda row, column: row // 4, lambda row, column: 2,
     "@take waits for 1 filled page of circular buffer 0 ('cb') (none is there); on cores 0,0-3,7 no thread ever pushed to it: @bring, which "
     "would, has ended; on cores 4,0-7,7 @bring, which pushed to it last, has ended (kernel @take, cores 0,0-7,7, "),
])
def test_a_wait_cycle_of_64_cores(reads, takes, messages):
    with warnings.catch_warnings(), pytest.raises(RuntimeError) as caught:
        warnings.simplefilter("ignore")
        kernel(reads, takes)(torch.ones(32, 32))
    assert "no thread can go on: " + messages in str(caught.value)


def test_every_location_shows_its_line():
    """The error's, and the notes' in other threads and other files."""
    with warnings.catch_warnings(), pytest.raises(RuntimeError) as caught:
        warnings.simplefilter("ignore")
        kernel(lambda row, column: row // 7, lambda row, column: 1)(torch.ones(32, 32))
    lines = [line for _, line in quoted(str(caught.value))]
    assert lines[0].strip() == "with cb.wait():" and lines[1:] == [None]  # the advice is about the same location
    with pytest.raises(sim.KernelError) as caught:
        launch(sim.Grid("n150"), TAKE.replace("    cb_pop", "    cb_wait_front(0, 1);\n    cb_pop"), TAKE, cores=(0, 0, 1, 1)).run()
    assert [line for what, line in quoted(str(caught.value)) if "waits for" in what] == [TAKE.splitlines()[3]] * 2


@pytest.mark.parametrize("pages, source, messages", [
    (1, "cb_reserve_back(0, 2);", "reserves 2 pages of circular buffer 0 ('input'), which has 1"),
    (2, "cb_wait_front(0, 3);", "waits for 3 pages of circular buffer 0 ('input'), which has 2"),
    (2, "cb_reserve_back(0, 1); cb_push_back(0, 2);", "pushes 2 pages to circular buffer 0 ('input'), of which 1 is reserved"),
    (2, "cb_push_back(0, 1);", "pushes 1 page to circular buffer 0 ('input'), of which 0 are reserved"),
    (2, "cb_reserve_back(0, 2); cb_push_back(0, 2); cb_wait_front(0, 1); cb_pop_front(0, 2);",
     "pops 2 pages of circular buffer 0 ('input'), of which 1 was waited for"),
    (2, "cb_reserve_back(0, 2); cb_push_back(0, 1); cb_wait_front(0, 2);",
     "waits for 2 filled pages of circular buffer 0 ('input') (1 is there)"),
    (3, "cb_reserve_back(0, 2); cb_push_back(0, 2); cb_reserve_back(0, 3);",
     "waits for 3 free pages of circular buffer 0 ('input') (1 of 3 is free)"),
])
def test_singular_and_plural(pages, source, messages):
    text = f'#include "dataflow_api.h"\nvoid kernel_main() {{ {source} }}\n'
    with pytest.raises(sim.KernelError) as caught:
        launch(sim.Grid("n150"), text, cores=(0, 0, 1, 1), pages=pages).run()
    assert messages in str(caught.value)


def test_warnings_show_their_line():
    @ttl.kernel(grid=(1, 1))
    def keeps(x):
        cb = ttl.make_circular_buffer_like(x, shape=(1, 1))

        @ttl.datamovement()
        def bring():
            with cb.reserve() as block:
                ttl.copy(x[0, 0], block).wait()

        @ttl.datamovement()
        def take():
            cb.wait()

    with pytest.warns(RuntimeWarning) as caught:
        keeps(np.ones((32, 32), np.float32))
    (what, line), (note, _) = quoted(str(caught[0].message))
    assert "has 1 page that the kernel waited for and never pops" in what and line.strip() == "cb.wait()"
    assert note == "note: pop what was waited for"
