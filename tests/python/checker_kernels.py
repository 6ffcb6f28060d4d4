"""The C++ program of tests/python/test_sim_checker.py: many small kernels as the cases of three switches (a reader,
a compute kernel, a writer), so that they are compiled once."""

import numpy as np
from tilewright import sim

PRELUDE = """
#include "dataflow_api.h"
#define WORD(at) (*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(at))
template <class T> void take(uint32_t cb, uint32_t i, const T& from) {
    cb_reserve_back(cb, 1);
    noc_async_read_tile(i, from, get_write_ptr(cb));
    noc_async_read_barrier();
    cb_push_back(cb, 1);
}
template <class T> void give(uint32_t cb, uint32_t i, const T& to) {
    cb_wait_front(cb, 1);
    noc_async_write_tile(i, to, get_read_ptr(cb));
    noc_async_write_barrier();
    cb_pop_front(cb, 1);
}
InterleavedAddrGenFast<true> tiles(int argument, DataFormat format) {
    return {.bank_base_address = get_common_arg_val<uint32_t>(argument),
            .page_size = format == DataFormat::Float32 ? 4096u : 2048u, .data_format = format};
}
void kernel_main() {
    const uint32_t which = get_common_arg_val<uint32_t>(0), me = get_arg_val<uint32_t>(0);
    [[maybe_unused]] const uint32_t l1 = get_common_arg_val<uint32_t>(5), gone = get_common_arg_val<uint32_t>(6),
                                    gone_l1 = get_common_arg_val<uint32_t>(7);
    [[maybe_unused]] const InterleavedAddrGenFast<true> whole = {
        .bank_base_address = get_common_arg_val<uint32_t>(8), .page_size = 4096, .data_format = DataFormat::Int32};
    const auto a = tiles(1, DataFormat::Float16_b), b = tiles(2, DataFormat::Float16_b), out = tiles(3, DataFormat::Float16_b);
    const auto wide = tiles(4, DataFormat::Float32);
    const uint32_t s0 = get_semaphore(0), s1 = get_semaphore(1), s2 = get_semaphore(2);
    (void)s0; (void)s1; (void)s2; (void)me;
    switch (which) {
%s    }
}
"""
COMPUTE = """
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_binary.h"
#include "compute_kernel_api/matmul.h"
#include "compute_kernel_api/eltwise_unary/exp.h"
#include "compute_kernel_api/reduce.h"
#include "compute_kernel_api/transpose_wh.h"
#include "compute_kernel_api/tilize.h"
#include "compute_kernel_api/untilize.h"
#include "compute_kernel_api/pack_untilize.h"
#include "compute_kernel_api/bcast.h"
#define PACK_DST tile_regs_commit(); tile_regs_wait()
void pass(uint32_t i = 0, uint32_t from = 0, uint32_t to = 16) {  // a tile that the caller waited for
    tile_regs_acquire();
    copy_tile(from, i, 0);
    PACK_DST;
    pack_tile(0, to);
    tile_regs_release();
}
void one(uint32_t from = 0, uint32_t to = 16) {
    cb_wait_front(from, 1);
    cb_reserve_back(to, 1);
    pass(0, from, to);
    cb_pop_front(from, 1);
    cb_push_back(to, 1);
}
void kernel_main() {
    const uint32_t which = get_common_arg_val<uint32_t>(0);
    switch (which) {
%s    }
}
"""
START = "unary_op_init_common(0, 16);"
CASES = {}


class Case:
    def __init__(self, expect, reader="", compute="", writer="", **config):
        self.expect, self.reader, self.compute, self.writer, self.config = expect, reader, compute, writer, config


def case(name, expect=None, reader="", compute="", writer="", **config):
    assert name not in CASES, name
    CASES[name] = Case(expect, reader, compute, writer, **config)


def body(which):
    return "".join(f"    case {i}: {{  // {name}\n{getattr(c, which)}\n    }} break;\n"
                   for i, (name, c) in enumerate(CASES.items()))


def sources():
    return PRELUDE.replace("%s", body("reader")), COMPUTE.replace("%s", body("compute")), \
        PRELUDE.replace("%s", body("writer"))


def run(name, texts, seed=0, chip="n150"):
    grid = sim.Grid(chip, seed=seed, budget=200000)
    index, c = list(CASES).index(name), CASES[name]
    x = np.arange(4096, dtype=np.float32).reshape(32, 128) % 13 - 6
    bits = (x.view(np.uint32) >> 16).astype(np.uint16)
    a, b = grid.tensor(x.shape, "bf16", data=bits), grid.tensor(x.shape, "bf16", data=bits)
    out = grid.tensor(x.shape, "bf16")
    wide = grid.tensor(x.shape, "f32", data=x)
    gone, gone_l1 = grid.tensor(x.shape, "bf16", data=bits), grid.tensor((32, 32 * 64), "bf16", memory=sim.L1)
    whole = grid.tensor(x.shape, "si32", data=x.astype(np.int32))
    cores = c.config.get("cores", (0, 0, 1, 1))
    l1 = grid.tensor((32, 32 * 64), "bf16", memory=sim.L1)
    freed = [gone.address, gone_l1.address]
    del gone, gone_l1
    common = [index, *(sim.address(i) for i in range(5)), *freed, sim.address(5)]
    n = cores[2] * cores[3]
    args = [[i] for i in range(n)]
    dm = dict(common_args=common, args=args)
    which = c.config.get("threads", "rcw")
    runs = []
    if "r" in which:
        runs.append(sim.Run(texts[0], cores, **dm))
    if "c" in which:
        runs.append(sim.Run(texts[1], cores, common_args=[index], wide_dst=c.config.get("wide", False),
                            full_sync=c.config.get("full_sync", False)))
    if "w" in which:
        runs.append(sim.Run(texts[2], cores, noc=1, **dm))
    cbs = [sim.Buffer(0, "bf16", 2), sim.Buffer(1, "bf16", 2), sim.Buffer(2, "f32", 2), sim.Buffer(3, "bf16", 3),
           sim.Buffer(4, "bf16", 4), sim.Buffer(16, "bf16", 2), sim.Buffer(17, "f32", 2), sim.Buffer(24, "bf16", 1),
           sim.Buffer(5, "bfp_bf8", 2), sim.Buffer(20, "bf16", 16), sim.Buffer(6, "si32", 2)]
    launch = grid.load().launch(runs, cbs=cbs, tensors=[a, b, out, wide, l1, whole], semaphores=[0, 0, 0, 0])
    try:
        launch.run()
    except sim.KernelError:
        pass
    return launch
