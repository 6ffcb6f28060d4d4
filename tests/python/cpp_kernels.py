"""Helpers for tests of C++ kernels: a kernel that moves pages, tiles in DST and kernels' output."""

import shutil

import numpy as np
import pytest
from tilewright import sim

CPP = pytest.param(True, marks=pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no compiler"))


def also_in_cpp(names, cases, chosen):
    """Parametrizes with the cases, and `cpp`: False for each, and True for those selected by chosen(*case), since
    compiling is slow."""
    return pytest.mark.parametrize(f"{names}, cpp", [pytest.param(*case, False) for case in cases] + [
        pytest.param(*case, True, marks=CPP.marks) for case in cases if chosen(*case)])


def bits(value):
    return int(np.float32(value).view(np.uint32))


MOVE = """
#include "dataflow_api.h"
void kernel_main() {
    constexpr bool read = get_compile_time_arg_val(1);
    uint32_t n = get_arg_val<uint32_t>(1), cb = get_compile_time_arg_val(0);
    InterleavedAddrGen<true> tensor = {.bank_base_address = get_arg_val<uint32_t>(0), .page_size = 4096};
    for (uint32_t i = 0; i < n; i++) {
        if (read) {
            cb_reserve_back(cb, 1);
            noc_async_read_page(i, tensor, get_write_ptr(cb));
            noc_async_read_barrier();
            cb_push_back(cb, 1);
        } else {
            cb_wait_front(cb, 1);
            noc_async_write_page(i, tensor, get_read_ptr(cb));
            noc_async_write_barrier();
            cb_pop_front(cb, 1);
        }
    }
}
"""


def compute(x, steps, n=None, before="", above="", **config):
    """Applies each step to a tile of its own; returns the tiles that the compute kernel packs."""
    n = n or len(steps)
    grid = sim.Grid()
    a, out = grid.tensor(x.shape, "f32", data=x), grid.tensor(x.shape, "f32")
    cases = "".join(f"        case {i}: {step} break;\n" for i, step in enumerate(steps))
    text = f"""
#include "compute_kernel_api/common.h"
{above}
void kernel_main() {{
    unary_op_init_common(0, 16);
    copy_tile_init(0);
    {before}
    for (uint32_t i = 0; i < {n}; i++) {{
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        switch (i) {{
{cases}        default: break;
        }}
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_pop_front(0, 1);
        cb_push_back(16, 1);
    }}
}}
"""
    grid.load().launch([sim.Run(MOVE, compile_args=[0, 1], args=[sim.address(0), n]),
                        sim.Run(text, wide_dst=True, unpack_to_dst=(0,), **config),
                        sim.Run(MOVE + "\n", compile_args=[16, 0], args=[sim.address(1), n], noc=1)],
                       cbs=[sim.Buffer(0, "f32", 2), sim.Buffer(16, "f32", 2)], tensors=[a, out]).run()
    return out.read(np.empty_like(x))


def printed(body, header='#include "dataflow_api.h"', **run):
    grid = sim.Grid()
    made = grid.load().launch([sim.Run(f"{header}\nvoid kernel_main() {{\n{body}\n}}\n", **run)],
                              cbs=[sim.Buffer(0, "f32", 4)], semaphores=[0, 0])
    made.run()
    return [line.split(": ", 2)[-1] for line in made.log.splitlines() if "remark" in line]
