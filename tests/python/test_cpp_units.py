"""Functions of the compute API other than functions of a tile in DST: broadcasts, inits in their many forms, matrix
products, each unit by itself, the packer, tilizing: against NumPy on small integers, which every format represents."""

import shutil

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import cpp_functions as table  # noqa: E402
from tilewright import sim  # noqa: E402

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")
rng = np.random.default_rng(17)
NAMES = {"add": ("ELWADD", np.add), "sub": ("ELWSUB", np.subtract), "mul": ("ELWMUL", np.multiply)}
BROADCAST = {"ROW": lambda y: np.tile(y[:1], (32, 1)), "COL": lambda y: np.tile(y[:, :1], (1, 32)), "SCALAR": lambda y: np.full((32, 32), y[0, 0])}


def of_two(f):
    return lambda x, y: f(x, y)


def broadcasts():
    for name, (elw, f) in NAMES.items():
        for kind, broadcast in BROADCAST.items():
            word = {"ROW": "rows", "COL": "cols", "SCALAR": "scalar"}[kind]
            short = f"{name}_bcast_{word}_init_short(0, 1);" if kind != "SCALAR" else f"{name}_tiles_bcast_scalar_init_short(0, 1);"
            want = lambda x, y, f=f, broadcast=broadcast: f(x, broadcast(y))  # noqa: E731
            yield f"{short} {name}_tiles_bcast_{word}(0, 1, t, t, 0)", want
            yield f"{short} {name}_tiles_bcast<BroadcastType::{kind}>(0, 1, t, t, 0)", want
            yield (f"init_bcast<EltwiseBinaryType::{elw}, BroadcastType::{kind}>(0, 1, 16);"
                   f" any_tiles_bcast<EltwiseBinaryType::{elw}, BroadcastType::{kind}>(0, 1, t, t, 0)"), want
            if kind == "SCALAR" and name == "add":
                yield "add_bcast_scalar_init_short(0, 1); add_tiles_bcast_scalar(0, 1, t, t, 0)", want
        for init in (f"binary_tiles_init<true, EltwiseBinaryType::{elw}>(0, 1)", f"{name}_tiles_init(0, 1)", f"{name}_tiles_init()",
                     f"binary_op_init_common(0, 1, 16); {name}_tiles_init(0, 1)"):
            yield f"{init}; {name}_tiles(0, 1, t, t, 0)", of_two(f)


def product(x, y):
    return x @ y


def turned(x, y):
    return x @ y.T


UNITS = [
    *broadcasts(),
    ("mm_init(0, 1, 16); matmul_tiles(0, 1, t, t, 0)", product), ("mm_init_short(0, 1); matmul_tiles(0, 1, t, t, 0)", product),
    ("mm_init_short_with_dt(0, 1, 2); matmul_tiles(0, 1, t, t, 0)", product), ("matmul_init(0, 1); matmul_tiles(0, 1, t, t, 0)", product),
    ("mm_block_init(0, 1, 16); matmul_block(0, 1, t, t, 0, 0, 1, 1, 1)", product),
    ("mm_block_init_short(0, 1); matmul_block(0, 1, t, t, 0, 0, 1, 1, 1)", product),
    ("mm_block_init_short_with_dt(0, 1, 2); matmul_block(0, 1, t, t, 0, 0, 1, 1, 1)", product),
    ("mm_block_init_short_with_both_dt(0, 1, 2, 2); matmul_block(0, 1, t, t, 0, 0, 1, 1, 1)", product),
    ("matmul_block_init(0, 1); matmul_block(0, 1, t, t, 0, 0, 1, 1, 1)", product),
    ("UNPACK((llk_unpack_AB_matmul_init(0, 1))); MATH((llk_math_matmul_init<MATH_FIDELITY>(0, 1)));"
     " UNPACK((llk_unpack_AB_matmul(0, 1, t, t))); MATH((llk_math_matmul<MATH_FIDELITY>(0)))", product),
    ("transpose_wh_init_short(0); transpose_wh_tile(0, t, 0)", lambda x, y: x.T),
    ("copy_tile_init(0); copy_tile(0, t, 0); transpose_wh_dest_init_short(); transpose_wh_dest(0)", lambda x, y: x.T),
    ("copy_tile_to_dst_init_short(0); copy_tile_matmul_partials(0, t, 0)", lambda x, y: x),
    ("copy_tile_to_dst_init_short_with_dt(1, 0); copy_block_matmul_partials(0, t, 0, 1)", lambda x, y: x),
    ("reconfig_data_format(1, 0); reconfig_data_format_srcb(1); reconfig_data_format_srca(0); copy_tile_init(0); copy_tile(0, t, 0)",
     lambda x, y: x),
    ("UNPACK((llk_unpack_reconfig_data_format(0, 0, 1, 1))); MATH((llk_math_reconfig_data_format(0, 0, 1, 1)));"
     " UNPACK((llk_unpack_reconfig_data_format_srca(1, 0))); MATH((llk_math_reconfig_data_format_srca(1, 0)));"
     " UNPACK((llk_unpack_reconfig_data_format_srcb(0, 1))); MATH((llk_math_reconfig_data_format_srcb(0, 1)));"
     " copy_tile_init(0); copy_tile(0, t, 0)", lambda x, y: x),
    ("reconfigure_unary_bcast<BroadcastType::ROW, BroadcastType::COL>(0, 1, 16, 16); unary_bcast<BroadcastType::COL>(1, t, 0)",
     lambda x, y: BROADCAST["COL"](y)),
    ("pack_relu_config((uint32_t)ReluType::ZERO_RELU); copy_tile_init(0); copy_tile(0, t, 0)", lambda x, y: np.maximum(x, 0)),
    ("pack_relu_config(0); copy_tile_init(0); copy_tile(0, t, 0); experimental::unpack_stall_on_pack()", lambda x, y: x),
]


def test_units():
    x, y = (rng.integers(-8, 8, (32, 32)).astype(np.float32) for _ in range(2))
    cases = [table.Case(cpp, None, cpp, 0, want, 0) for cpp, want in UNITS]
    _, results = table.run(cases, [x, y, x], "bf16", "f32", wide_dst=True)
    bad = [case.cpp for k, case in enumerate(cases) if not np.array_equal(results[0, k], case.want(x, y))]
    assert not bad, "\n".join(bad)


BY_UNIT = """
#define REDUCE_OP PoolType::SUM
#define REDUCE_DIM ReduceDim::REDUCE_ROW
#include "compute_kernel_api/reduce.h"
namespace NAMESPACE {
void MAIN {
    UNPACK((llk_unpack_AB_hw_configure_disaggregated<DST_ACCUM_MODE>(0, 1)));
    MATH((llk_math_pack_sync_init<DST_ACCUM_MODE>()));
    MATH((llk_math_hw_configure_disaggregated(0, 1)));
    PACK((llk_pack_hw_configure_disaggregated<DST_ACCUM_MODE>(16)));
    PACK((llk_pack_init(16)));
    PACK((llk_pack_dest_init<DST_ACCUM_MODE>()));
    PACK((llk_init_packer_dest_offset_registers()));
    INIT
    UNPACK((llk_wait_tiles(0, 1)));
    UNPACK((llk_wait_tiles(1, 1)));
    MATH((llk_math_wait_for_dest_available()));
    COMPUTE
    MATH((llk_math_dest_section_done<DST_ACCUM_MODE>()));
    PACK((llk_wait_for_free_tiles<false, false, false>(16, 1)));
    PACK((llk_packer_wait_for_math_done()));
    PACK_IT
    PACK((llk_pack_dest_section_done<DST_ACCUM_MODE>()));
    PACK((llk_push_tiles<false, false>(16, 1)));
    UNPACK((llk_pop_tiles(0, 1)));
    UNPACK((llk_pop_tiles(1, 1)));
}
}
"""
SUMS = ["MATH((llk_math_reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW, MATH_FIDELITY>())); PACK((llk_pack_reduce_config_v2<ReduceDim::REDUCE_ROW>(16)));"
        " reduce_init_short(0, 1, 16);",
        "UNPACK((llk_unpack_AB(0, 1, 0, 0))); MATH((llk_math_reduce<PoolType::SUM, ReduceDim::REDUCE_ROW>(0)));", "PACK((llk_pack(0, 16)));"]
PRODUCTS = ["UNPACK((llk_unpack_AB_matmul_hw_configure_disaggregated(0, 1))); UNPACK((llk_unpack_AB_matmul_init(0, 1)));"
            " MATH((llk_math_matmul_init<MATH_FIDELITY>(0, 1)));",
            "UNPACK((llk_unpack_AB_matmul(0, 1, 0, 0))); MATH((llk_math_matmul<MATH_FIDELITY>(0, 1, 0)));", "PACK((llk_matmul_pack<false, false>(0, 16, 1)));"]
COPIES = ["UNPACK((llk_unpack_A_hw_configure_disaggregated<DST_ACCUM_MODE>(0))); UNPACK((llk_unpack_A_init(0, 0, 0)));"
          " MATH((llk_math_eltwise_unary_datacopy_init<>()));",
          "UNPACK((llk_unpack_A(0, 0))); MATH((llk_math_eltwise_unary_datacopy(0)));", "PACK((llk_pack_reconfig_l1_acc(0))); pack_tile_block(0, 16, 1);"]


def launch(text, inputs, dtype="f32"):
    """All tiles of the inputs at once, as many of the result as of the first."""
    grid, n = sim.Grid("n150"), inputs[0].size // 1024
    tensors = [grid.tensor(x.shape, dtype, data=x) for x in inputs]
    out = grid.tensor(inputs[0].shape, dtype)
    grid.load().launch([sim.Run(table.MOVE, compile_args=[len(inputs), out.page_bytes, out.page_bytes],
                                args=[n, n, *(sim.address(i) for i in range(len(inputs) + 1))]),
                        sim.Run(text, wide_dst=True)],
                       cbs=[*(sim.Buffer(i, dtype, n) for i in range(len(inputs))), sim.Buffer(16, dtype, n)], tensors=[*tensors, out]).run()
    return out.read(np.empty_like(inputs[0]))


@pytest.mark.parametrize("parts, want", [
    (SUMS, lambda x, y: np.concatenate([x.sum(1, keepdims=True), np.zeros((32, 31))], 1)), (PRODUCTS, product), (COPIES, lambda x, y: x)],
    ids=["sums", "products", "copies"])
def test_kernels_of_calls_of_units(parts, want):
    """Only the low-level API."""
    x = rng.integers(-8, 8, (32, 32)).astype(np.float32)
    y = np.ones((32, 32), np.float32) if parts is SUMS else rng.integers(-8, 8, (32, 32)).astype(np.float32)
    text = BY_UNIT
    for name, part in zip(("    INIT\n", "    COMPUTE\n", "    PACK_IT\n"), parts):
        text = text.replace(name, f"    {part}\n")
    got = launch(text, [x, y])
    first = slice(0, 1) if parts is SUMS else slice(None)
    assert np.array_equal(got[:, first], want(x, y)[:, first])


DOTS = """
#include "compute_kernel_api/tilize.h"
void kernel_main() {
    INIT
    cb_wait_front(0, 1);
    cb_wait_front(1, 1);
    UNPACK((print_full_tile(1, 0, true)));
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    UNPACK_IT
    MATH((llk_math_eltwise_binary<EltwiseBinaryType::ELWMUL, BroadcastType::NONE, MATH_FIDELITY>(0)));
    dprint_tensix_dest_reg(0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
    cb_pop_front(0, 1);
    cb_pop_front(1, 1);
}
"""


@pytest.mark.parametrize("init, unpack", [
    ("tilizeA_B_dot_product_init(0, 1, 1, 16);", "unpack_tilizeA_B_block(0, 1, 1, 0);"),
    ("UNPACK((llk_unpack_tilizeA_B_hw_configure_disaggregated(0, 1))); UNPACK((llk_unpack_tilizeA_B_init(0, 1, 1)));"
     " PACK((llk_pack_hw_configure_disaggregated(16)));", "UNPACK((llk_unpack_tilizeA_B_block(0, 1, 1, 0)));")])
def test_rows_times_tiles(init, unpack):
    """The unpacker tilizes rows of the first operand."""
    x, y = (rng.integers(-8, 8, (32, 32)).astype(np.float32) for _ in range(2))
    assert np.array_equal(launch(DOTS.replace("INIT", init).replace("UNPACK_IT", unpack), [rows_of(x), y]), x * y)


def rows_of(x):
    """A matrix's elements row by row, in pages of 1024 elements."""
    return np.concatenate([np.block([[f for f in pair] for pair in page.reshape(2, 2, 16, 16)]) for page in x.reshape(-1, 1024)], 1)


WHOLE = """
#include "compute_kernel_api/tilize.h"
#include "compute_kernel_api/untilize.h"
#include "compute_kernel_api/pack_untilize.h"
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    cb_wait_front(0, 2);
    cb_reserve_back(16, 2);
    STEPS
    cb_push_back(16, 2);
    cb_pop_front(0, 2);
}
"""
TILIZES = ["tilize_init(0, 2, 16); tilize_block(0, 2, 16); tilize_uninit(0, 16);",
           "tilize_init_short(0, 2); tilize_block(0, 2, 16); tilize_uninit(0, 16);",
           "tilize_init_short_with_dt(0, 0, 2); tilize_block(0, 2, 16); tilize_uninit_with_dt(0, 0, 16);",
           "tilize_init_unpack(0, 2); tilize_init(0, 2, 16); experimental::tilize_block(0, 16, 1, 2); tilize_uninit(0, 16);"]
PACK = "for (uint32_t i = 0; i < 2; i++) { copy_tile(0, i, i); } tile_regs_commit(); tile_regs_wait();"
UNTILIZES = ["untilize_init(0); untilize_block(0, 2, 16); untilize_uninit(0);",
             "untilize_init_short(0); experimental::untilize_block(0, 16, 1, 2); untilize_uninit(0);",
             "pack_untilize_init<2>(0, 16); pack_untilize_block<2>(0, 1, 16); pack_untilize_uninit(16);",
             "pack_untilize_init_short<2>(0, 16); experimental::pack_untilize_block<2, 2>(0, 16, 1, 2); pack_untilize_uninit(16);",
             f"copy_tile_init(0); pack_untilize_dst_init<2>(16); tile_regs_acquire(); {PACK} pack_untilize_dst<2>(16); tile_regs_release();"
             " pack_untilize_uninit(16);"]


@pytest.mark.parametrize("steps", TILIZES + UNTILIZES)
def test_rows_and_tiles(steps):
    x = rng.integers(-100, 100, (32, 64)).astype(np.float32)
    text = WHOLE.replace("STEPS", steps)
    if steps in TILIZES:
        assert np.array_equal(launch(text, [rows_of(x)]), x)
    else:
        assert np.array_equal(launch(text, [x]), rows_of(x))


PACKS = """
#include "compute_kernel_api/common.h"
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_tile_init(0);
    cb_wait_front(0, 2);
    cb_reserve_back(16, 2);
    tile_regs_acquire();
    for (uint32_t i = 0; i < 2; i++) copy_tile(0, i, i);
    tile_regs_commit();
    tile_regs_wait();
    STEPS
    tile_regs_release();
    cb_push_back(16, 2);
    cb_pop_front(0, 2);
}
"""


@pytest.mark.parametrize("steps, want", [
    ("pack_tile(0, 16); pack_tile(1, 16);", lambda a, b: (a, b)), ("pack_tile<true>(0, 16, 1); pack_tile<true>(1, 16, 0);", lambda a, b: (b, a)),
    ("pack_tile_block(0, 16, 2);", lambda a, b: (a, b)), ("matmul_pack_tile(0, 16, 2);", lambda a, b: (a, b)),
    ("pack_reconfig_data_format(16); pack_tile<true>(0, 16, 0); pack_tile<true>(1, 16, 1); pack_reconfig_l1_acc(1); pack_tile<true>(1, 16, 0);"
     " pack_tile<true>(0, 16, 1); pack_reconfig_l1_acc(0);", lambda a, b: (a + b, a + b)),
    ("pack_tile<true>(0, 16, 0); pack_tile<true>(1, 16, 1); PACK((llk_pack_reconfig_l1_acc(1))); pack_tile<true>(0, 16, 1);"
     " PACK((llk_pack_reconfig_l1_acc(0)));", lambda a, b: (a, a + b)),
    ("pack_reconfig_data_format(0, 16); PACK((llk_pack_relu_config(ReluType::ZERO_RELU))); pack_tile(0, 16);"
     " PACK((llk_pack_relu_config(ReluType::NO_RELU))); pack_tile(1, 16);", lambda a, b: (np.maximum(a, 0), b)),
])
def test_packs(steps, want):
    x = rng.integers(-100, 100, (32, 64)).astype(np.float32)
    assert np.array_equal(launch(PACKS.replace("STEPS", steps), [x]), np.concatenate(want(x[:, :32], x[:, 32:]), 1))
