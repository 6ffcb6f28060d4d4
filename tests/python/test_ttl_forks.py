"""Children of fork, created while another thread runs a kernel: they run the same kernel, and end."""

import os
import shutil
import signal
import threading
import time

import pytest

pytest.importorskip("torch")
import numpy as np  # noqa: E402
import ttl  # noqa: E402
from tilewright import sim  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # fork with threads
ROWS = 40


@ttl.kernel(grid=(2, 1))
def double(x, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))

    @ttl.compute()
    def compute():
        for _ in range(ROWS):
            with x_cb.wait() as block, out_cb.reserve() as result:
                result.store(block * 2)

    @ttl.datamovement()
    def read():
        column, _ = ttl.core(dims=2)
        for row in range(ROWS):
            with x_cb.reserve() as block:
                ttl.copy(x[row, column], block).wait()

    @ttl.datamovement()
    def write():
        column, _ = ttl.core(dims=2)
        for row in range(ROWS):
            with out_cb.wait() as block:
                ttl.copy(block, out[row, column]).wait()


def in_child(work, seconds=10):
    """True if a child of fork has finished some work within that time."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            status = 0 if work() else 2
        finally:
            os._exit(status)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "it hangs"


def beside(work, function, children=8):
    """The exit codes of children that do some work while another thread calls a function again and again."""
    over, failed = threading.Event(), []

    def calls():
        try:
            while not over.is_set():
                function()
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=calls)
    thread.start()
    try:
        ends = []
        for i in range(children):
            time.sleep(0.003 * i + 0.001)
            ends.append(in_child(work))
    finally:
        over.set()
        thread.join()
    assert not failed, failed
    return ends


def doubled():
    x, out = np.random.default_rng(1).random((32 * ROWS, 64), np.float32), np.zeros((32 * ROWS, 64), np.float32)
    for _ in range(4):  # the third one repeats the record of the second
        out[:] = 0
        double(x, out)
        if not np.allclose(out, x * 2, rtol=1e-2):
            return False
    return True


@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_kernel_that_another_thread_is_at(threads, monkeypatch):
    from ttnn import _tensor as tensor

    monkeypatch.setenv("TILEWRIGHT_THREADS", threads)
    tensor._shared_device.cache_clear()
    double.cache.clear()
    assert doubled()
    assert beside(doubled, doubled) == [0] * 8
    assert doubled()  # nothing has changed here
    tensor._shared_device.cache_clear()
    double.cache.clear()


def test_kernels_that_another_thread_compiles():
    def fresh():
        double.cache.clear()
        return doubled()

    assert fresh()
    assert beside(fresh, fresh, 6) == [0] * 6


CPP = """
#include "dataflow_api.h"
void kernel_main() {
    volatile uint32_t n = 0;
    for (uint32_t i = 0; i < 200000; i++) { n = n + 1; }
    cb_reserve_back(0, 1);
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0)) = n;
    cb_push_back(0, 1);
    cb_wait_front(0, 1);
    cb_pop_front(0, 1);
}
"""


@pytest.mark.skipif(not shutil.which("c++"), reason="no C++ compiler")
def test_a_kernel_in_cpp_that_another_thread_is_at():
    grid = sim.Grid()
    launch = grid.load().launch([sim.Run(CPP)], [sim.Buffer(0, "bf16", 1)], [])

    def run():
        launch.run()
        return launch.cycles > 0

    assert run()
    assert beside(run, run) == [0] * 8
    assert run()
