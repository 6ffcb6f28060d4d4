"""A source of a NoC write may change once a receiver has answered the word that followed the write, without a barrier
of writes."""

import shutil

import numpy as np
import pytest
from tilewright.sim import Buffer, Grid, KernelError, Run, accessor, address

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")


# Reads one tile after another into one page, and multicasts each, then a flag; receivers copy it and answer.
SENDER = """
#include "dataflow_api.h"
void kernel_main() {
    const auto x = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);
    const uint32_t answers = get_semaphore(0), flag = get_semaphore(1), page = get_write_ptr(0);
    volatile tt_l1_ptr uint32_t *counted = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(answers);
    volatile tt_l1_ptr uint32_t *sets = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(flag);
    cb_reserve_back(0, 1);
    for (uint32_t i = 0; i < 4; i++) {
        if (ANSWERED && i) {
            noc_semaphore_wait(counted, 2);
            noc_semaphore_set(counted, 0);
        }
        noc_async_read_tile(i, x, page);
        noc_async_read_barrier();
        noc_async_write_multicast(page, get_noc_multicast_addr(19, 18, 20, 18, page), 2048, 2);
        *sets = i + 1;
        noc_semaphore_set_multicast(flag, get_noc_multicast_addr(19, 18, 20, 18, flag), 2);
    }
    if (!ANSWERED)
        noc_semaphore_wait(counted, 8);
    else
        noc_semaphore_wait(counted, 2);
    noc_async_write_barrier();
    cb_push_back(0, 1);
    cb_wait_front(0, 1);
    cb_pop_front(0, 1);
}
"""
RECEIVER = """
#include "dataflow_api.h"
void kernel_main() {
    const auto y = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);
    const uint32_t flag = get_semaphore(1), page = get_write_ptr(0);
    volatile tt_l1_ptr uint32_t *seen = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(flag);
    cb_reserve_back(0, 1);
    for (uint32_t i = 0; i < 4; i++) {
        noc_semaphore_wait_min(seen, i + 1);
        noc_async_write_tile(4 * get_arg_val<uint32_t>(1) + i, y, page);
        noc_async_write_barrier();
        noc_semaphore_inc(get_noc_addr(18, 18, get_semaphore(0)), 1);
        noc_async_atomic_barrier();
    }
    cb_push_back(0, 1);
    cb_wait_front(0, 1);
    cb_pop_front(0, 1);
}
"""


def launch(answered):
    grid = Grid("n150")
    x = np.arange(4 * 1024, dtype=np.uint16).reshape(128, 32)
    tensors = [grid.tensor(x.shape, "bf16", data=x), grid.tensor((256, 32), "bf16")]
    grid.load().launch(
        [Run(SENDER, (0, 0, 1, 1), compile_args=[accessor(0)], args=[address(0)], defines={"ANSWERED": int(answered)}),
         Run(RECEIVER, (0, 1, 1, 2), compile_args=[accessor(1)], args=[[address(1), 0], [address(1), 1]])],
        cbs=[Buffer(0, "bf16", 1)], tensors=tensors, semaphores=[0, 0]).run()
    return x, tensors[1].read(np.empty((256, 32), np.uint16))


def test_answered_writes_have_left():
    x, got = launch(True)
    np.testing.assert_array_equal(got, np.concatenate([x, x]))


def test_writes_without_an_answer_may_still_be_sent():
    with pytest.raises(KernelError, match="overwrites bytes that a NoC write may still be sending"):
        launch(False)
