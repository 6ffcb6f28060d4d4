"""Calls of kernels written for other releases of the kernel API, and their own code for the vector unit: results
against torch."""

import shutil

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from cpp_kernels import MOVE, bits, compute, printed  # noqa: E402
from tilewright import sim  # noqa: E402

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")
rng = np.random.default_rng(3)
TO_INTEGERS = "typecast_tile_init<0, 8>(); typecast_tile<0, 8>(0);"


def tiles(n, low=-3, high=3):
    return rng.uniform(low, high, (32, 32 * n)).astype(np.float32)


def test_functions_of_one_tile():
    half = int(np.float16(1 / np.log(2)).view(np.uint16))
    cases = [("i0_tile(0)", torch.special.i0), ("i1_tile(0)", torch.special.i1),
             ("erfinv_tile(0)", lambda x: torch.erfinv(x.clamp(-1, 1)), (-0.99, 0.99)),
             ("round_tile(0, 1)", lambda x: torch.round(x, decimals=1)),
             ("ceil_tile_float32(0)", torch.ceil), ("floor_tile_float32(0)", torch.floor),
             ("logical_not_unary_tile(0)", lambda x: (x == 0).float()),
             (f"softplus_tile(0, {bits(2)}u, {bits(0.5)}u, {bits(3)}u)", lambda x: torch.nn.functional.softplus(x, 2, 3)),
             (f"log_with_base_tile(0, {half}u)", lambda x: torch.log(x) * float(np.float16(1 / np.log(2))), (0.1, 9)),
             ("transpose_wh_dest(0)", lambda x: x.T), ("cumsum_tile(0)", lambda x: torch.cumsum(x, 0)),
             ("cumsum_tile(0, true); cumsum_tile(0, false)",
              lambda x: torch.cumsum(torch.cumsum(x, 0), 0) + torch.cumsum(x, 0)[-1:]),
             ("alt_complex_rotate90_tile(0)",
              lambda x: torch.view_as_real(torch.view_as_complex(x.reshape(32, 16, 2)) * 1j).reshape(32, 32))]
    x = np.concatenate([tiles(1, *(rest[0] if rest else (-3, 3))) for _, _, *rest in cases], axis=1)
    got = compute(x, [step + ";" for step, *_ in cases])
    for i, (step, want, *_) in enumerate(cases):
        part = slice(32 * i, 32 * i + 32)
        assert np.allclose(got[:, part], want(torch.from_numpy(x[:, part].copy())).numpy(), rtol=2e-5, atol=1e-5), step


def test_functions_of_two_tiles():
    """The result replaces the first of two operands; the second here is x * x."""
    steps = {"max_tile(0, 1)": lambda x, y: np.maximum(x, y), "rsub_binary_tile(0, 1)": lambda x, y: y - x,
             "add_binary_tile_init(); add_binary_tile(0, 1)": lambda x, y: x + y, "sub_binary_tile_init(); sub_binary_tile(0, 1)": lambda x, y: x - y,
             "mul_binary_tile_init(); mul_binary_tile(0, 1)": lambda x, y: x * y,
             "rounding_op_tile_init(); floor_tile(1); mask_tile(0, 1)": lambda x, y: np.where(np.floor(y) == 0, 0, x),
             "rounding_op_tile_init(); floor_tile(1); mask_posinf_tile(0, 1)": lambda x, y: np.where(np.floor(y) == 0, np.inf, x),
             "quant_tile_init(0x3F800000); quant_tile(0, 1); typecast_tile_init<8, 0>(); typecast_tile<8, 0>(0)":
                 lambda x, y: np.clip(np.rint(x * y + 1), -127, 127),
             f"{TO_INTEGERS} requant_tile_init(0x40000000); requant_tile(0, 1); typecast_tile_init<8, 0>(); typecast_tile<8, 0>(0)":
                 lambda x, y: np.clip(np.rint(np.trunc(x) * y + 2), -127, 127),
             f"{TO_INTEGERS} dequant_tile_init(0x3F800000); dequant_tile(0, 1)": lambda x, y: (np.trunc(x) - 1) * y,
             "dropout_kernel_init(7); dropout_tile(0, 0, 0x40000000)": lambda x, y: 2 * x,
             "dropout_kernel_init(7); dropout_tile(0, 0x7FFFFFFF, 0x40000000)": lambda x, y: 0 * x}
    x = tiles(len(steps))
    got = compute(x, [f"copy_dest_values_init(); copy_dest_values(1, 0); square_tile_init(); square_tile(1); {step};" for step in steps])
    for i, (step, want) in enumerate(steps.items()):
        part = x[:, 32 * i:32 * i + 32]
        assert np.allclose(got[:, 32 * i:32 * i + 32], want(part, part * part), atol=1e-5), step


def test_integers():
    """Floats to integers, the function, and back."""
    steps = {"bitwise_and_tile(0, 12)": lambda x: x & 12, "bitwise_or_tile(0, 3)": lambda x: x | 3,
             "bitwise_xor_tile(0, 5)": lambda x: x ^ 5, "left_shift_tile(0, 2)": lambda x: x << 2,
             "right_shift_tile(0, 1)": lambda x: x >> 1, "unary_eq_tile_int32(0, 6)": lambda x: x == 6,
             "unary_ne_tile_int32(0, 6)": lambda x: x != 6, "identity_tile_uint32(0)": lambda x: x,
             "fill_tile_init(); fill_tile_int(1, 12); gcd_tile(0, 1)": lambda x: np.gcd(x, 12),
             "fill_tile_init(); fill_tile_int(1, 12); lcm_tile(0, 1)": lambda x: np.lcm(x, 12),
             "fill_tile_init(); fill_tile_int(1, 12); add_int32_tile_init(); add_int32_tile(0, 1)": lambda x: x + 12}
    x = rng.integers(0, 64, (32, 32 * len(steps)))
    got = compute(x.astype(np.float32), [f"{TO_INTEGERS} {step}; typecast_tile_init<8, 0>(); typecast_tile<8, 0>(0);" for step in steps])
    for i, (step, want) in enumerate(steps.items()):
        assert np.array_equal(got[:, 32 * i:32 * i + 32], want(x[:, 32 * i:32 * i + 32]).astype(np.float32)), step


SMOOTH = """
#ifdef TRISC_MATH
void smooth_face(float low, float high) {
    float scale = 1.0f / (high - low);
    for (int i = 0; i < 8; i++) {
        vFloat x = dst_reg[0];
        vFloat t = (x - low) * scale;
        v_if(t < 0.0f) { t = 0.0f; }
        v_elseif(t > 1.0f) { t = 1.0f; }
        v_endif;
        dst_reg[0] = t * t * (3.0f - 2.0f * t);
        dst_reg++;
    }
}
void add_face(uint32_t a, uint32_t b, uint32_t out) {
    for (int i = 0; i < 8; i++) {
        vFloat x = dst_reg[a * 32 + i];
        dst_reg[out * 32 + i] = x + dst_reg[b * 32 + i];
    }
}
void odd_columns_face() {
    for (int i = 0; i < 8; i++)
        dst_reg[i] = i % 2 ? vFloat(1.0f) : vFloat(0.0f);
}
void order_face(int which) {
    for (int i = 0; i < 8; i++, dst_reg++) {
        vFloat x = dst_reg[0], low = x, high = 0.0f;
        vec_min_max(low, high);
        dst_reg[0] = which == 0 ? low : which == 1 ? high : which == 2 ? min(x, 0.0f) : clamp(x, -1.0f, 1.0f);
    }
}
void sum_of_three_face(uint32_t a, uint32_t b, uint32_t c, uint32_t out) {
    for (int i = 0; i < 8; i++, dst_reg++)
        dst_reg[out * 32] = dst_reg[a * 32] * dst_reg[b * 32] + dst_reg[c * 32];
}
void split_face() {
    for (int i = 0; i < 8; i++, dst_reg++) {
        vFloat x = dst_reg[0], r = -1.0f;
        v_if(x >= 1.0f && x < 2.0f) {
            r = 5.0f;
            v_if(x > 1.5f) { r = 6.0f; }
            v_endif;
        }
        v_elseif(x < 0.0f) { r = setsgn(x, 0); }
        v_else { r = int32_to_float(exexp(x)); }
        v_endif;
        dst_reg[0] = r;
    }
}
void bits_face() {
    for (int i = 0; i < 8; i++) {
        vUInt b = reinterpret<vUInt>((vFloat)dst_reg[i]);
        dst_reg[i] = reinterpret<vFloat>(b & vUInt(0xFFFF0000u));
    }
}
#endif
"""


def test_kernels_own_functions_of_the_vector_unit():
    x = tiles(7)
    half = "_llk_math_eltwise_unary_sfpu_params_<false>"
    got = compute(x, [f"MATH(({half}(smooth_face, 0, VectorMode::RC, -1.0f, 2.0f)));",
                      "copy_dest_values_init(); copy_dest_values(1, 0); MATH((_llk_math_eltwise_binary_sfpu_params_<false>(add_face, 0, 1, 2)));"
                      " copy_dest_values<DataFormat::Float32>(2, 0);",
                      f"MATH(({half}(odd_columns_face, 0)));", f"MATH(({half}(split_face, 0)));",
                      f"MATH(({half}(bits_face, 0)));",
                      f"MATH(({half}(odd_columns_face, 0, VectorMode::R)));",
                      "MATH((llk_math_eltwise_unary_sfpu_init<SfpuType::unused, false>())); MATH((sfpu::_init_sfpu_config_reg()));"
                      " MATH((llk_math_eltwise_binary_sfpu_init<SfpuType::unused, false>()));"
                      " fill_tile_init(); fill_tile(1, 3.0f); MATH((_llk_math_eltwise_ternary_sfpu_params_<false>(sum_of_three_face, 0, 1, 0, 0)));"],
                  above=SMOOTH)
    part = [x[:, 32 * i:32 * i + 32] for i in range(7)]
    t = np.clip((part[0] + 1) / 3, 0, 1)
    odd = np.tile(np.arange(32) % 2, (32, 1)).astype(np.float32)
    with np.errstate(all="ignore"):
        split = np.where((part[3] >= 1) & (part[3] < 2), np.where(part[3] > 1.5, 6, 5),
                         np.where(part[3] < 0, -part[3], np.floor(np.log2(np.abs(part[3])))))
    cut = (part[4].view(np.uint32) & 0xFFFF0000).view(np.float32)
    want = [t * t * (3 - 2 * t), 2 * part[1], odd, split, cut, np.where(np.arange(32)[:, None] < 16, odd, part[5]), 4 * part[6]]
    for i, w in enumerate(want):
        assert np.allclose(got[:, 32 * i:32 * i + 32], w, atol=1e-6), i


def test_order_of_the_vector_unit():
    """As patterns of sign and magnitude: NaN beyond the infinity of its sign, -0 below 0."""
    x = tiles(1)
    x[0, :8] = [np.nan, -np.nan, np.inf, -np.inf, -0.0, 0.0, 1e30, -1e30]
    got = compute(np.concatenate([x] * 4, 1), [f"MATH((_llk_math_eltwise_unary_sfpu_params_<false>(order_face, 0, VectorMode::RC, {i})));"
                                               for i in range(4)], above=SMOOTH)
    rank = lambda v: v.view(np.int32) ^ (v.view(np.int32) >> 31 & 0x7FFFFFFF)  # noqa: E731
    smaller = lambda a, b: np.where(rank(b) < rank(a), b, a)  # noqa: E731
    larger = lambda a, b: np.where(rank(a) < rank(b), b, a)  # noqa: E731
    zero, one = np.zeros_like(x), np.ones_like(x)
    for i, want in enumerate([smaller(x, zero), larger(x, zero), smaller(x, zero), smaller(larger(x, -one), one)]):
        assert np.array_equal(got[:, 32 * i:32 * i + 32].view(np.uint32), want.view(np.uint32)), i


@pytest.mark.parametrize("step, says", [
    ("MATH((_llk_math_eltwise_unary_sfpu_params_<false>(smooth_face, 7, 4, 0.0f, 1.0f)));", "DST tile 7"),
    ("tile_regs_commit(); MATH((_llk_math_eltwise_unary_sfpu_params_<false>(smooth_face, 0, 4, 0.0f, 1.0f)));",
     "computes in DST"),
    (TO_INTEGERS + "MATH((_llk_math_eltwise_unary_sfpu_params_<false>(smooth_face, 0, 4, 0.0f, 1.0f)));",
     "computes with floats, but the DST tile holds integers"),
    ("mask_tile(0, 3);", "DST tile 3 is read, and nothing has been written to it"),
])
def test_mistakes_on_the_vector_unit(step, says):
    with pytest.raises(sim.KernelError, match=says):
        compute(tiles(1), [step], above=SMOOTH)


def test_rows_from_dst():
    """pack_untilize_dst: two tiles horizontally as rows of 64 elements."""
    grid = sim.Grid()
    x = tiles(2)
    a = grid.tensor(x.shape, "f32", data=x)
    text = """
#include "compute_kernel_api/pack_untilize.h"
void kernel_main() {
    unary_op_init_common(0, 16);
    copy_tile_init(0);
    pack_untilize_dst_init_short<2>(16);
    cb_wait_front(0, 2);
    cb_reserve_back(16, 2);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    copy_tile(0, 1, 1);
    tile_regs_commit();
    tile_regs_wait();
    pack_untilize_dst<2>(16);
    tile_regs_release();
    cb_pop_front(0, 2);
    cb_push_back(16, 2);
}
"""
    check = """
#include "dataflow_api.h"
void kernel_main() {
    cb_wait_front(16, 2);
    tt_l1_ptr uint32_t *rows = (tt_l1_ptr uint32_t *)get_read_ptr(16);
    DPRINT << (uint32_t)rows[0] << " " << (uint32_t)rows[33] << " " << (uint32_t)rows[64] << " "
           << (uint32_t)rows[127] << " " << (uint32_t)rows[2047] << ENDL();
    cb_pop_front(16, 2);
}
"""
    made = grid.load().launch([sim.Run(MOVE, compile_args=[0, 1], args=[sim.address(0), 2]),
                               sim.Run(text, wide_dst=True, unpack_to_dst=(0,)), sim.Run(check, noc=1)],
                              cbs=[sim.Buffer(0, "f32", 2), sim.Buffer(16, "f32", 2)], tensors=[a])
    made.run()
    flat = x.reshape(-1).view(np.uint32)
    assert " ".join(str(flat[i]) for i in (0, 33, 64, 127, 2047)) in made.log


def test_words_of_any_type_and_constants_of_the_launch():
    """tt_l1_ptr before a template's parameter and after a type; get_tile_size as a constant expression."""
    header = """#include "dataflow_api.h"
template <class T> uint32_t sum(uint32_t address, uint32_t n) {
    volatile tt_l1_ptr T *p = reinterpret_cast<volatile tt_l1_ptr T *>(address);
    T all = 0;
    for (uint32_t i = 0; i < n; i++) { p[i] = T(i + 1); all += p[i]; }
    return all;
}
struct pair { uint32_t first, second; };"""
    body = """
    constexpr uint32_t page = get_tile_size(0);
    constexpr auto format = get_dataformat(0);
    uint8_t any[page / 1024];
    cb_reserve_back(0, 1);
    volatile uint32_t tt_l1_ptr *words = (volatile uint32_t tt_l1_ptr *)get_write_ptr(0);
    DPRINT << (uint32_t)sizeof any << " " << (uint32_t)(format == DataFormat::Float32) << " "
           << sum<uint16_t>(get_write_ptr(0), 4) << " " << (uint32_t)words[1] << ENDL();
    cb_push_back(0, 1);
    cb_wait_front(0, 1);
    cb_pop_front(0, 1);"""
    assert printed(body, header) == [f"core 0,0: 4 1 10 {3 | 4 << 16}"]


def test_headers_of_the_kernels_own_count(tmp_path, monkeypatch):
    """A changed header is read again; TT_METAL_HOME is the directory of a kernel's other headers."""
    (tmp_path / "home/ops").mkdir(parents=True)
    (tmp_path / "home/ops/more.hpp").write_text("constexpr uint32_t more = 30;\n")
    monkeypatch.setenv("TT_METAL_HOME", str(tmp_path / "home"))
    kernel = tmp_path / "kernel.cpp"
    kernel.write_text('#include "own.hpp"\n#include "ops/more.hpp"\nvoid kernel_main() { DPRINT << own + more << ENDL(); }\n')
    for own in (1, 2):
        (tmp_path / "own.hpp").write_text(f"constexpr uint32_t own = {own};\n")
        made = sim.Grid().load().launch([sim.Run(str(kernel))])
        made.run()
        assert f"core 0,0: {own + 30}" in made.log


def test_a_kernel_in_a_tree_finds_its_headers(tmp_path, monkeypatch):
    """Without TT_METAL_HOME: the parent directory that contains tt_metal, and includes of ttnn programs from there."""
    monkeypatch.delenv("TT_METAL_HOME", raising=False)
    for folder in ("tt_metal", "ttnn/cpp/ttnn/operations/new/kernels"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "ttnn/cpp/ttnn/operations/new/one.hpp").write_text("constexpr uint32_t one = 1;\n")
    (tmp_path / "two.hpp").write_text("constexpr uint32_t two = 2;\n")
    kernel = tmp_path / "ttnn/cpp/ttnn/operations/new/kernels/kernel.cpp"
    kernel.write_text('#include "ttnn/operations/new/one.hpp"\n#include "cpp/ttnn/operations/new/one.hpp"\n#include "two.hpp"\n'
                      "static_assert(two == 2 * one);\nvoid kernel_main() { DPRINT << one << two << ENDL(); }\n"
                      .replace('#include "cpp', '#define one other\n#include "cpp').replace('#include "two', '#undef one\n#include "two'))
    made = sim.Grid().load().launch([sim.Run(str(kernel))])
    made.run()
    assert "core 0,0: 12" in made.log


def test_reductions_that_macros_name():
    """REDUCE_OP and REDUCE_DIM defined before the header of reductions, and inits with a flag for the first."""
    grid = sim.Grid()
    x, ones = tiles(1), np.ones((32, 32), np.float32)
    a, b, out = (grid.tensor(x.shape, "f32", data=x), grid.tensor(x.shape, "f32", data=ones), grid.tensor(x.shape, "f32"))
    text = """
#define REDUCE_OP PoolType::MAX
#define REDUCE_DIM ReduceDim::REDUCE_COL
#include "compute_kernel_api/reduce.h"
namespace NAMESPACE {
void MAIN {
    reduce_init<true>(0, 1, 16);
    cb_wait_front(0, 1);
    cb_wait_front(1, 1);
    reduce_init_delta<false>(0, 1, 16);
    tile_regs_acquire();
    reduce_tile(0, 1, 0, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    cb_reserve_back(16, 1);
    pack_tile(0, 16);
    cb_push_back(16, 1);
    tile_regs_release();
    reduce_revert_delta<REDUCE_DIM>(16);
    cb_pop_front(0, 1);
    cb_pop_front(1, 1);
}
}
"""
    read = MOVE.replace("void kernel_main() {", "static void one(uint32_t cb, uint32_t base) {\n"
                        "    auto t = get_interleaved_addr_gen<true, true>(base, 12);\n"
                        "    cb_reserve_back(cb, 1);\n"
                        "    noc_async_read_one_packet_set_state(get_noc_addr(0, t), 4096);\n"
                        "    noc_async_read_one_packet_with_state<true>((uint32_t)get_noc_addr(0, t), get_write_ptr(cb));\n"
                        "    noc_async_read_barrier();\n    cb_push_back(cb, 1);\n}\nvoid kernel_main() {\n"
                        "    one(0, get_arg_val<uint32_t>(0));\n    one(1, get_arg_val<uint32_t>(1));\n    return;")
    grid.load().launch([sim.Run(read, compile_args=[0, 1], args=[sim.address(0), sim.address(1)]),
                        sim.Run(text, wide_dst=True),
                        sim.Run(MOVE, compile_args=[16, 0], args=[sim.address(2), 1], noc=1)],
                       cbs=[sim.Buffer(0, "f32", 2), sim.Buffer(1, "f32", 2), sim.Buffer(16, "f32", 2)],
                       tensors=[a, b, out]).run()
    assert np.allclose(out.read(np.empty_like(x))[0], x.max(0), rtol=2**-10)


def test_inits_in_two_parts():
    x = tiles(1)
    got = compute(x, ["MATH((llk_math_eltwise_binary_init<ELWMUL, BroadcastType::NONE, MATH_FIDELITY>()));"
                      "UNPACK((llk_unpack_AB_init<BroadcastType::NONE>(0, 0))); mul_tiles(0, 0, 0, 0, 0);"])
    assert np.allclose(got, x * x, rtol=2**-9)
