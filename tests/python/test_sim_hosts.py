"""Hosts that misuse the grid: each mistake is an exception that names it, and the device works afterwards; threads of
a host that share a grid; objects that outlive their creator."""

import gc
import shutil
import threading

import numpy as np
import pytest
from cpp_kernels import MOVE
from tilewright import sim

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")
X = np.arange(1024, dtype=np.float32).reshape(32, 32)
IDLE = '#include "dataflow_api.h"\nvoid kernel_main() {}\n'
# one kernel for all, selected by its argument
ACTIONS = """
#include "dataflow_api.h"
void kernel_main() {
    switch (get_arg_val<uint32_t>(0)) {
    case 1: for (;;) noc_async_read_barrier(); break;
    case 2: cb_wait_front(0, 1); break;
    case 3: *(volatile int *)8 = 1; break;
    case 4: cb_reserve_back(0, 9); break;
    case 5: for (volatile int i = 0; i < 3000; i++) noc_async_read_barrier(); break;
    }
}
"""


def acts(grid):
    return grid.load().launch([sim.Run(ACTIONS, args=[0])], cbs=[sim.Buffer(0, "bf16", 2)])


def copies(grid):
    """Checks that the device works."""
    a, out = grid.tensor(X.shape, "f32", data=X), grid.tensor(X.shape, "f32")
    grid.load().launch([sim.Run(MOVE, compile_args=[0, 1], args=[sim.address(0), 1]),
                        sim.Run(MOVE, compile_args=[0, 0], args=[sim.address(1), 1], noc=1)],
                       cbs=[sim.Buffer(0, "f32", 2)], tensors=[a, out]).run()
    return np.array_equal(out.read(np.empty_like(X)), X)


def launch(*runs, **given):
    return lambda grid: grid.load().launch(list(runs), **given)


def idle(**given):
    return sim.Run(IDLE, **given)


@pytest.mark.parametrize("wrong, says", [
    (launch(idle(), cbs=[sim.Buffer(i, "bf16", 1) for i in range(33)]), "circular buffer 32 is out of range; there are 32"),
    (launch(idle(), cbs=[sim.Buffer(0, "bf16", 1)] * 2), "circular buffer 0 is given twice"),
    (launch(idle(), cbs=[sim.Buffer(-1, "bf16", 1)]), "circular buffer -1 is out of range"),
    (launch(idle(), cbs=[sim.Buffer(0, "bf16", 0)]), "circular buffer 0: 0 pages"),
    (launch(idle(), cbs=[sim.Buffer(0, "bf16", -1)]), "circular buffer 0: -1 pages"),
    (launch(idle(), cbs=[sim.Buffer(0, "bf16", 2**31)]), "circular buffer 0: 2147483648 pages"),
    (launch(idle(), cbs=[sim.Buffer(0, "bf16", 2, page_bytes=7)]), "a page is a multiple of 16 bytes"),
    (launch(idle(), semaphores=[0] * 33), "33 semaphores; a core has 32"),
    (launch(idle(cores=(0, 0, 9, 9))), "9x9 cores from 0,0: the n150 has 8x8 workers"),
    (launch(idle(cores=(-1, 0, 1, 1))), "1x1 cores from -1,0"),
    (launch(idle(cores=(0, 0, 0, 1))), "0x1 cores"),
    (launch(*(sim.Run(IDLE + "\n" * i) for i in range(3))), "core 0,0 would run 3 data movement kernels"),
    (launch(sim.Run("nope")), "has no kernel @nope"),
    (launch(idle(cores=(0, 0, 1, 2), args=[[1], [1, 2]])), "every core needs as many arguments"),
    (launch(idle(cores=(0, 0, 1, 3), args=[[1], [1]])), "every core needs 1 arguments"),
    (launch(idle(args=[sim.address(3)])), "argument 0 of @kernel0 names tensor 3; the launch has 0"),
    (launch(idle(args=[sim.semaphore(3)])), "names semaphore 3"),
    (launch(idle(noc=2)), "NoC 2"),
    (launch(idle(fidelity=9)), "fidelity 9"),
    (lambda g: launch(idle(), tensors=[sim.Grid().tensor(X.shape, "f32")])(g), "tensor 0 is not on this grid"),
    (lambda g: acts(g).set_arg(0, 5, 7), "no number as argument 5"),
    (lambda g: acts(g).set_arg(5, 0, 7), "kernel 5 has no number"),
    (lambda g: acts(g).set_arg(0, 0, 7, core=9), "of core 9"),
    (lambda g: acts(g).set_tensor(0, g.tensor(X.shape, "f32")), "tensor 0 of a launch with 0"),
    (lambda g: g.tensor((-32, 32), "f32"), "dimension 0 of a tensor is -32"),
    (lambda g: g.tensor((0, 32), "f32"), "dimension 0 of a tensor is 0"),
    (lambda g: g.tensor((2**31, 2**31), "f32"), "dimension 1 of a tensor is 2147483648"),
    (lambda g: g.tensor((2048, 32 * 64 * 20), "f32", memory=sim.L1), "do not fit into the L1"),
    (lambda g: g.tensor((32, 32), "f32", memory=sim.L1_SHARDED), "0x0 shards"),
    (lambda g: g.tensor((3200, 32), "f32", memory=sim.L1_SHARDED, shards=(100, 1)), "8x8 workers"),
    (lambda g: g.tensor((32, 32), "bfp_bf8", tiled=False), "no rows of bfp_bf8"),
    (lambda g: g.tensor((32, 32), "f32").write(np.zeros((32, 32))), "no tensors of float64"),
    (lambda g: g.tensor((32, 32), "f32").write(X.T[:16]), "shape"),
    (lambda g: g.tensor((32, 32), "f32").read(X.copy()), "uninitialised read"),
    (lambda g: launch(idle(), cbs=[sim.Buffer(0, "bf16", 400), sim.Buffer(1, "bf16", 400)])(g).run(), "over-subscribed"),
])
def test_mistakes_of_hosts_are_reported(wrong, says):
    grid = sim.Grid()
    with pytest.raises(Exception, match="(?i)" + says.replace("(", r"\(")):
        wrong(grid)
    assert copies(grid)


def test_the_device_works_after_every_end_of_a_kernel():
    grid = sim.Grid(budget=20000)
    made = acts(grid)
    for action, kind in [(1, "budget"), (2, "deadlock"), (3, "L1 range"), (4, "circular buffer overflow")] * 2:
        made.set_arg(0, 0, action, core=0)
        with pytest.raises(sim.KernelError) as error:
            made.run()
        assert [r["kind"] for r in error.value.reports] == [kind]
        made.set_arg(0, 0, 0, core=0)
        assert made.run().reports == []
        assert copies(grid)


def test_launches_outlive_tensors_and_grids():
    grid = sim.Grid()
    a, out = grid.tensor(X.shape, "f32", data=X), grid.tensor(X.shape, "f32")
    made = grid.load().launch([sim.Run(MOVE, compile_args=[0, 1], args=[sim.address(0), 1]),
                               sim.Run(MOVE, compile_args=[0, 0], args=[sim.address(1), 1], noc=1)],
                              cbs=[sim.Buffer(0, "f32", 2)], tensors=[a, out])
    del a, grid
    gc.collect()
    for _ in range(4):
        made.run()
    assert np.array_equal(out.read(np.empty_like(X)), X)


@pytest.mark.parametrize("shared", ["grid", "launch", "nothing"])
def test_threads_of_a_host(shared):
    grids = [sim.Grid()] * 3 if shared != "nothing" else [sim.Grid() for _ in range(3)]
    launches = [acts(g) for g in grids] if shared != "launch" else [acts(grids[0])] * 3
    for made in launches:
        made.set_arg(0, 0, 5, core=0)
    cycles, errors = set(), []

    def work(made, grid):
        try:
            for _ in range(5):
                cycles.add(round(made.run().cycles))
                assert copies(grid)
        except BaseException as error:  # noqa: BLE001: it belongs to the test
            errors.append(error)

    threads = [threading.Thread(target=work, args=pair) for pair in zip(launches, grids)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors and len(cycles) == 1


# private state of a core: variables, lent pages of L1, the end caused by a mistake
OWN = """
#include "dataflow_api.h"
uint32_t count = 7, squares[64];
struct Total { uint32_t n; Total() : n(40) {} } total;
uint32_t step(uint32_t by) { static uint32_t sum = 1; return sum += by; }
void kernel_main() {
    uint32_t by = get_arg_val<uint32_t>(0), n = get_arg_val<uint32_t>(1), last = 0;
    for (uint32_t i = 0; i < n; i++) {
        count += by;
        total.n += 2 * by;
        squares[i % 64] = by * i;
        last = step(3 * by);
        noc_async_read_barrier();
    }
    ASSERT(count == 7 + n * by && total.n == 40 + 2 * n * by && last == 1 + 3 * n * by);
    for (uint32_t i = 0; i < 64; i++)
        ASSERT(squares[i] == by * (n - 64 + i));
}
"""
PLAIN = """
#include "dataflow_api.h"
void kernel_main() {
    uint32_t by = get_arg_val<uint32_t>(0), n = get_arg_val<uint32_t>(1);
    cb_reserve_back(0, 1);
    uint32_t *p = (uint32_t *)get_write_ptr(0), sum = 0;
    for (uint32_t i = 0; i < 512; i++)
        p[i] = by * i;
    for (uint32_t i = 0; i < n; i++) {
        noc_async_read_barrier();
        for (uint32_t k = 0; k < 512; k++)
            sum += p[k];
    }
    ASSERT(sum == n * by * (511 * 512 / 2));
}
"""
WRONG = """
#include "dataflow_api.h"
void kernel_main() {
    for (uint32_t i = 0; i < get_arg_val<uint32_t>(1); i++)
        noc_async_read_barrier();
    if (get_arg_val<uint32_t>(0) % 2)
        *(volatile int *)8 = 1;
}
"""


@pytest.mark.parametrize("kernel, iterations", [(OWN, 3008), (PLAIN, 300), (WRONG, 1000)], ids=["variables", "pointers", "faults"])
def test_kernels_of_grids_in_threads_have_memory_of_their_own(kernel, iterations):
    errors, wrong = [], kernel is WRONG

    def work(by):
        try:
            grid = sim.Grid("n150", seed=by)
            run = sim.Run(kernel, (0, 0, 1, 3), args=[by, iterations])
            made = grid.load().launch([run], cbs=[sim.Buffer(0, "f32", 2)])
            for _ in range(6):
                if wrong and by % 2:
                    with pytest.raises(sim.KernelError, match="(?i)L1 range"):
                        made.run()
                else:
                    assert made.run().reports == []
        except BaseException as error:  # noqa: BLE001: it belongs to the test
            errors.append(error)

    threads = [threading.Thread(target=work, args=[by]) for by in (1, 2, 3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors, errors[0]


def test_alternating_grids_share_a_kernel_and_keep_its_variables():
    grids = [sim.Grid() for _ in range(3)]
    launches = [g.load().launch([sim.Run(OWN, args=[i + 1, 128])]) for i, g in enumerate(grids)]
    for _ in range(2):
        for made in launches:
            assert made.run().reports == []
    del grids[1:], launches[1:]
    gc.collect()
    assert launches[0].run().reports == []
