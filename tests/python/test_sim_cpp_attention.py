"""Calls that tt-metal's attention kernels make besides the kernel API: rows of tiles, matmuls without a macro, functions
of a tile's first column; and buffers that a kernel fills and empties by itself, without each reserve and wait."""

import shutil

import numpy as np
import pytest
from cpp_kernels import bits, compute
from tilewright import sim
from tilewright.sim import Buffer, Grid, KernelError, Run, accessor, address

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")

READ = """
#include "dataflow_api.h"
void kernel_main() {
    constexpr auto a = TensorAccessorArgs<0>();
    constexpr auto b = TensorAccessorArgs<a.next_compile_time_args_offset()>();
    const auto x = TensorAccessor(a, get_arg_val<uint32_t>(0), 2048), y = TensorAccessor(b, get_arg_val<uint32_t>(1), 2048);
    for (uint32_t cb = 0; cb < 2; cb++) {
        const uint32_t n = get_arg_val<uint32_t>(2 + cb);
        cb_reserve_back(cb, n);
        for (uint32_t i = 0; i < n; i++)
            if (cb) noc_async_read_tile(i, y, get_write_ptr(cb) + 2048 * i);
            else noc_async_read_tile(i, x, get_write_ptr(cb) + 2048 * i);
        noc_async_read_barrier();
        cb_push_back(cb, n);
    }
}
"""
WRITE = """
#include "dataflow_api.h"
void kernel_main() {
    const auto out = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);
    const uint32_t n = get_arg_val<uint32_t>(1);
    cb_wait_front(16, n);
    for (uint32_t i = 0; i < n; i++) noc_async_write_tile(i, out, get_read_ptr(16) + 2048 * i);
    noc_async_write_barrier();
    cb_pop_front(16, n);
}
"""


def words(x):
    return (np.ascontiguousarray(x, np.float32).view(np.uint32) >> 16).astype(np.uint16)


def tiles(x, y, shape, body):
    """What a compute kernel packs into 16; its operands in 0 and 1 have arrived. Numbers are small integers."""
    grid = Grid()
    tensors = [grid.tensor(x.shape, "bf16", data=words(x)), grid.tensor(y.shape, "bf16", data=words(y)), grid.tensor(shape, "bf16")]
    counts = [a.size // 1024 for a in (x, y)]
    text = f"""
#include "api/compute/reduce_custom.h"
#include "api/compute/bcast.h"
#include "api/compute/matmul.h"
#include "api/compute/experimental/matmul_custom.h"
#include "api/compute/experimental/sdpa_sub_custom.h"
void pack(uint32_t n, uint32_t to = 16) {{
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t i = 0; i < n; i++) pack_tile(i, to);
    tile_regs_release();
}}
void kernel_main() {{
    compute_kernel_hw_startup(0, 1, 16);
    cb_wait_front(0, {counts[0]});
    cb_wait_front(1, {counts[1]});
    {body}
    cb_pop_front(0, {counts[0]});
    cb_pop_front(1, {counts[1]});
}}
"""
    n = shape[0] * shape[1] // 1024
    launch = grid.load().launch([Run(READ, compile_args=[accessor(0), accessor(1)], args=[address(0), address(1), *counts]), Run(text),
                                 Run(WRITE, compile_args=[accessor(2)], args=[address(2), n], noc=1)],
                                cbs=[Buffer(0, "bf16", counts[0]), Buffer(1, "bf16", counts[1]), Buffer(16, "bf16", n), Buffer(24, "bf16", 2)],
                                tensors=tensors).run()
    return (tensors[2].read(np.empty(shape, np.uint16)).astype(np.uint32) << 16).view(np.float32), launch


def integers(seed, *shape):
    return np.random.default_rng(seed).integers(-60, 60, shape).astype(np.float32)


@pytest.mark.parametrize("init, row, uninit", [
    ("reduce_block_max_row_init<3>(16)", "reduce_block_max_row<3>(0, 1, {}, {})", "reduce_block_max_row_uninit(0)"),
    ("reduce_block_max_row_init_runtime(16, 3, 0, 1)", "reduce_block_max_row_runtime(0, 1, {}, {})", "reduce_block_max_row_uninit_runtime(0)"),
])
def test_maximum_of_a_row_of_tiles(init, row, uninit):
    x, one = integers(1, 64, 96), np.ones((32, 32), np.float32)
    got, _ = tiles(x, one, (64, 32), f"cb_reserve_back(16, 2); tile_regs_acquire(); {init}; {row.format(0, 0)}; {row.format(3, 1)}; "
                                     f"{uninit}; pack(2); cb_push_back(16, 2);")
    assert np.array_equal(got[:, 0], x.max(1))


def test_maximum_of_a_row_and_of_what_was_there():
    """With tiles of earlier maxima in DST, as attention has."""
    x, before = integers(2, 32, 64), integers(3, 32, 32)
    both = np.concatenate([before, np.ones((32, 32), np.float32)], 1)
    got, _ = tiles(x, both, (32, 32), """
        cb_reserve_back(16, 1); tile_regs_acquire();
        UNPACK((llk_unpack_A_init<BroadcastType::NONE, false, EltwiseBinaryReuseDestType::NONE, UnpackToDestEn>(0, true, 1)));
        MATH((llk_math_eltwise_unary_datacopy_init<DataCopyType::A2D, DST_ACCUM_MODE, BroadcastType::NONE, false, PackMode::Default>(1)));
        copy_tile(1, 0, 0);
        reduce_block_max_row_init<2>(16);
        cb_pop_front(1, 1); cb_wait_front(1, 1);
        reduce_block_max_row<2>(0, 1, 0, 0);
        reduce_block_max_row_uninit(0);
        pack(1); cb_push_back(16, 1); cb_reserve_back(1, 1); cb_push_back(1, 1); cb_wait_front(1, 2);""")
    assert np.array_equal(got[:, 0], np.maximum(x.max(1), before[:, 0]))


def test_differences_from_a_column():
    x, m = integers(4, 32, 96), integers(5, 32, 32)
    got, _ = tiles(x, m, (32, 96), "cb_reserve_back(16, 3); sub_bcast_cols_init_short_custom(0, 1, 3); tile_regs_acquire(); "
                                   "sub_tiles_bcast_cols_custom(0, 1, 0, 0, 0, 3); pack(3); cb_push_back(16, 3);")
    assert np.array_equal(got, x - m[:, :1])


@pytest.mark.parametrize("init", ["mm_no_mop_init_short", "mm_no_mop_reinit_short"])
def test_matmul_without_a_macro(init):
    a, b = integers(6, 64, 64) % 3, integers(7, 64, 64) % 3
    got, _ = tiles(a, b, (64, 64), f"{init}(0, 1, false, 2, 2, 2); matmul_set_in1_column_stride(1, 1); cb_reserve_back(16, 4); tile_regs_acquire(); "
                                   "for (uint32_t i = 0; i < 2; i++) matmul_block_no_mop(0, 1, i, 2 * i, 0, false, 2, 2, 2); pack(4); cb_push_back(16, 4);")
    assert np.array_equal(got, a @ b)


@pytest.mark.parametrize("call, text", [
    ("mm_no_mop_init_short_fidelity<MathFidelity::LoFi>(0, 1)", "another fidelity than the launch's"),
    ("mm_no_mop_reinit_short_fidelity<MathFidelity::LoFi>(0, 1)", "another fidelity than the launch's"),
    ("matmul_block_no_mop_fidelity<MathFidelity::LoFi>(0, 1, 0, 0, 0, false, 1, 1, 1)", "another fidelity than the launch's"),
    ("matmul_set_in1_column_stride(1, 2)", "that lie apart"),
    ("TTI_SETRWC(p_setrwc::CLR_NONE, p_setrwc::CR_D, 8, 0, 0, p_setrwc::SET_D)", "TTI_SETRWC is not simulated"),
])
def test_what_is_not_there(call, text):
    x = integers(8, 32, 32)
    with pytest.raises(KernelError, match=text):
        tiles(x, x, (32, 32), f"{call};")


def own(first):
    """A buffer that the kernel alone uses gets twice its operand by a sum in place."""
    return f"""
        copy_tile_init(0); cb_reserve_back(24, 2);
        for (uint32_t i = 0; i < 2; i++) {{ tile_regs_acquire(); copy_tile(0, i, 0); pack(1, 24); }}
        cb_push_back(24, 2); {first}
        add_tiles_init(24, 0);
        for (uint32_t i = 0; i < 2; i++) {{ tile_regs_acquire(); add_tiles(24, 0, i, i, 0); pack(1, 24); }}
        cb_pop_front(24, 2); cb_reserve_back(24, 2); cb_push_back(24, 2);
        copy_tile_init(24); cb_wait_front(24, 2); cb_reserve_back(16, 2);
        for (uint32_t i = 0; i < 2; i++) {{ tile_regs_acquire(); copy_tile(24, i, 0); pack(1); }}
        cb_push_back(16, 2); cb_pop_front(24, 2);"""


def test_sums_in_place():
    """Hardware's packer comes after its unpacker: the result is right, and a warning says what is missing."""
    x = integers(9, 32, 64)
    got, launch = tiles(x, x, (32, 64), own("cb_wait_front(24, 2);"))
    assert np.array_equal(got, 2 * x)
    assert "warning: circular buffer window: writes tile 0 of circular buffer 24, of which 0 are reserved" in launch.log
    assert "this kernel alone fills and empties the buffer" in launch.log


def test_pops_of_what_it_has_pushed():
    """A wait for pages that the kernel pushed later covers earlier ones."""
    x = integers(10, 32, 32)
    made = "copy_tile_init(0); cb_reserve_back(24, 1); tile_regs_acquire(); copy_tile(0, 0, 0); pack(1, 24); cb_push_back(24, 1); "
    later = "cb_reserve_back(24, 1); cb_push_back(24, 1); cb_wait_front(24, 2); cb_pop_front(24, 2); "
    passed = "cb_reserve_back(16, 1); tile_regs_acquire(); copy_tile(0, 0, 0); pack(1); cb_push_back(16, 1);"
    got, launch = tiles(x, x, (32, 32), made + later + passed)
    assert np.array_equal(got, x) and "window" not in launch.log
    with pytest.raises(KernelError, match="error: circular buffer underflow: pops 1 page of circular buffer 24, of which 0 were waited for"):
        tiles(x, x, (32, 32), made + "cb_pop_front(24, 1); " + passed)


@pytest.mark.parametrize("body, text", [
    ("pack(1);", "error: circular buffer window: writes tile 0 of circular buffer 16, of which 0 are reserved"),
    (own("cb_wait_front(24, 2);").replace("pack(1, 24); }\n        cb_pop", "tile_regs_commit(); tile_regs_wait(); pack_tile<true>(0, 24, 2); tile_regs_release(); }\n        cb_pop"),
     "error: circular buffer window: writes tile 2 of circular buffer 24"),
])
def test_other_buffers_need_a_reserve(body, text):
    x = integers(11, 32, 64)
    with pytest.raises(KernelError, match=text):
        tiles(x, x, (32, 64), ("copy_tile_init(0); tile_regs_acquire(); copy_tile(0, 0, 0); " if body.startswith("pack") else "") + body)


ABOVE = """
#include "experimental/llk_sfpu/ckernel_sfpu_sdpa.h"
template <bool wide = WIDE> void column_exp(uint32_t dst) {
    SFPU_UNARY_CALL(DST_SYNC_MODE, wide, calculate_exponential_first_column, (false, 0x3F00, wide), dst, VectorMode::C);
}
template <bool wide = WIDE> void column_recip(uint32_t dst) {
    SFPU_UNARY_CALL(DST_SYNC_MODE, wide, calculate_recip_first_column, (wide), dst, VectorMode::C);
}
template <bool wide = WIDE> void column_softplus(uint32_t dst) {
    SFPU_UNARY_CALL(DST_SYNC_MODE, wide, calculate_softplus_first_column, (wide), dst, VectorMode::C, 0x40000000, 0x3F000000, 0x41A00000);
}
template <bool wide = WIDE, uint32_t kind> void column_scalar(uint32_t dst) {
    SFPU_UNARY_CALL(DST_SYNC_MODE, wide, calculate_binop_with_scalar, (APPROX, kind, 8, wide), dst, VectorMode::C, 0x40400000);
}
"""


@pytest.mark.parametrize("wide", [False, True])
def test_functions_of_the_first_column(wide):
    rng = np.random.default_rng(12)
    x = (rng.integers(1, 256, (32, 32 * 7)) / 32).astype(np.float32)
    init = "MATH((SFPU_UNARY_INIT_FN(reciprocal, sfpu::sfpu_reciprocal_init, (APPROX)))); MATH((ckernel::sfpu::sfpu_reciprocal_init<false>()));"
    steps = ["MATH((column_exp(0)));", f"{init} MATH((column_recip(0)));", "MATH((column_softplus(0)));", "MATH((column_scalar<WIDE, ADD_UNARY>(0)));",
             "MATH((column_scalar<WIDE, SUB_UNARY>(0)));", "MATH((column_scalar<WIDE, MUL_UNARY>(0)));",
             "fill_tile_init(); fill_tile(1, 4); binary_max_tile_init(); binary_max_tile(0, 1, 0, VectorMode::C);"]
    got = compute(x, steps, above=f"#define WIDE {str(wide).lower()}\n{ABOVE}")
    want = [np.exp(x * 0.5), 1 / x, np.log1p(np.exp(2 * x)) / 2, x + 3, x - 3, x * 3, np.maximum(x, 4)]
    for i, w in enumerate(want):
        np.testing.assert_allclose(got[:, 32 * i], w[:, 32 * i], rtol=2e-6)
        if i < 3:  # odd columns, and the right half, are left
            assert np.array_equal(got[:, 32 * i + 1:32 * i + 32:2], x[:, 32 * i + 1:32 * i + 32:2])
        assert np.array_equal(got[:, 32 * i + 16:32 * i + 32], x[:, 32 * i + 16:32 * i + 32])


@pytest.mark.parametrize("four", [False, True])
def test_joining_two_parts_of_a_softmax(four):
    """Maxima in tiles 0 and 1, sums in 3 and in 4 or 2."""
    rng = np.random.default_rng(13)
    x = (rng.integers(-64, 64, (32, 32)) / 16).astype(np.float32)
    a, sum_a, sum_b = 1.5, 3.0, 5.0
    last = 2 if four else 4
    results = ["0", "1", "2", "3"]
    fill = f"fill_tile_init(); fill_tile(1, {a}f); fill_tile(3, {sum_b}f); fill_tile({last}, {sum_a}f);"
    call = f"MATH((_llk_math_eltwise_unary_sfpu_params_<false>(ckernel::sfpu::calculate_fused_max_sub_exp_add_tile<{str(four).lower()}, {str(four).lower()}>, 0, " \
           "(int)VectorMode::C, 0x3F00)));"
    steps = [f"{fill} {call} copy_dest_values_init(); copy_dest_values(0, {i});" if i != "0" else f"{fill} {call}" for i in results]
    got = compute(np.concatenate([x] * 4, 1), steps, above=f"#define WIDE false\n{ABOVE}", full_sync=not four)
    b = x[:, 0]
    most = np.maximum(b, a)
    f, g = np.exp((b - most) / 2), np.exp((a - most) / 2)
    for i, want in enumerate([f, g, most, f * sum_b + g * sum_a]):
        np.testing.assert_allclose(got[:, 32 * i], want, rtol=2e-6)


def test_scale_has_bits_below_bf16():
    """A scale that the vector unit multiplies by first: softmax's 1 / sqrt(d)."""
    x = integers(14, 32, 32) / 32
    scale = bits(1 / 3)
    got = compute(x, [f"exp_tile_init<true, {scale}u, InputClamping::None>(); exp_tile<true, false, InputClamping::None, 32>(0, VectorMode::None);"])
    np.testing.assert_allclose(got, np.exp(x / 3), rtol=2e-6)


def test_handshakes_within_a_core_are_over():
    """Semaphores between the processors of a core, and what selects their registers."""
    x = integers(15, 32, 32)
    got = compute(x, ["PACK((t6_semaphore_init(semaphore::FPU_SFPU, 0, 1))); PACK((t6_semaphore_post<p_stall::STALL_PACK>(semaphore::PACK_DONE))); "
                      "UNPACK((t6_semaphore_wait_on_zero<p_stall::STALL_SYNC>(semaphore::UNPACK_MATH_DONE))); UNPACK((t6_semaphore_get<>(semaphore::PACK_DONE))); "
                      "math::set_addr_mod_base(); math::clear_addr_mod_base(); if (ckernel::read_tile_value(0, 0, 0) == 1) tensix_sync();"])
    assert np.array_equal(got, x)
