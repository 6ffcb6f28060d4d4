/* kernel_compute.hpp: functions of the compute unit of more than one operation each, and
 * names that older kernels use. */
#pragma once

#include "kernel_ops.hpp"

/* ---- compute ------------------------------------------------------------------------ */

TW_QUIET inline void compute_kernel_hw_startup(uint32_t in0, uint32_t in1, uint32_t out,
                                               TW_AT)
{
    const int64_t v[] = {in0, in1, out};
    tw::run(tw::op_compute_kernel_hw_startup, 0x111, at, 3, v);
}
TW_QUIET inline void compute_kernel_hw_startup(uint32_t in, uint32_t out, TW_AT)
{
    const int64_t v[] = {in, out};
    tw::run(tw::op_compute_kernel_hw_startup, 0x101, at, 2, v);
}
TW_QUIET inline void mm_init(uint32_t in0 = 0, uint32_t in1 = 1, uint32_t out = 16,
                             int32_t transpose = 0, TW_AT)
{
    tw::one_each(tw::op_mm_init, at, in0, in1, out, transpose);
}
TW_QUIET inline void mm_init_short(uint32_t in0 = 0, uint32_t in1 = 1,
                                   int32_t transpose = 0, TW_AT)
{
    tw::one_each(tw::op_mm_init_short, at, in0, in1, transpose);
}
TW_QUIET inline void mm_block_init(uint32_t in0, uint32_t in1, uint32_t out,
                                   int32_t transpose = 0, int32_t ct = 1, int32_t rt = 1,
                                   int32_t kt = 1, TW_AT)
{
    tw::one_each(tw::op_mm_block_init, at, in0, in1, out, transpose, ct, rt, kt);
}
TW_QUIET inline void mm_block_init_short(uint32_t in0, uint32_t in1, int32_t transpose = 0,
                                         int32_t ct = 1, int32_t rt = 1, int32_t kt = 1,
                                         TW_AT)
{
    tw::one_each(tw::op_mm_block_init_short, at, in0, in1, transpose, ct, rt, kt);
}
TW_QUIET inline void matmul_tiles(uint32_t in0, uint32_t in1, int64_t tile0, int64_t tile1,
                                  int64_t dst, TW_AT)
{
    tw::one_each(tw::op_matmul_tiles, at, in0, in1, tile0, tile1, dst);
}
/* In older kernels this gives whether the second matrix is transposed. */
TW_QUIET inline void matmul_tiles(uint32_t in0, uint32_t in1, int64_t tile0, int64_t tile1,
                                  int64_t dst, uint32_t transpose, TW_AT)
{
    const int64_t v[] = {in0, in1, tile0, tile1, dst};
    tw::run(tw::op_matmul_tiles, 0x11111, at, 5, v, 0, nullptr, 32, 2 + (transpose != 0));
}
TW_QUIET inline void add_tiles_init(uint32_t in0, uint32_t in1, bool = false, TW_AT)
{
    tw::one_each(tw::op_add_tiles_init, at, in0, in1);
}
TW_QUIET inline void sub_tiles_init(uint32_t in0, uint32_t in1, bool = false, TW_AT)
{
    tw::one_each(tw::op_sub_tiles_init, at, in0, in1);
}
TW_QUIET inline void mul_tiles_init(uint32_t in0, uint32_t in1, bool = false, TW_AT)
{
    tw::one_each(tw::op_mul_tiles_init, at, in0, in1);
}
TW_QUIET inline void add_tiles_init(TW_AT) { tw::one_each(tw::op_add_tiles_init, at, 0, 1); }
TW_QUIET inline void sub_tiles_init(TW_AT) { tw::one_each(tw::op_sub_tiles_init, at, 0, 1); }
TW_QUIET inline void mul_tiles_init(TW_AT) { tw::one_each(tw::op_mul_tiles_init, at, 0, 1); }
TW_QUIET inline void copy_tile_init(uint32_t cb = 0, TW_AT)
{
    tw::one_each(tw::op_copy_tile_init, at, cb);
}
TW_QUIET inline void copy_tile_to_dst_init_short(uint32_t cb = 0, uint32_t = 0, TW_AT)
{
    tw::one_each(tw::op_copy_tile_init, at, cb);
}
TW_QUIET inline void reconfig_data_format_srca(uint32_t cb, TW_AT)
{
    tw::one_each(tw::op_reconfig_data_format_srca, at, cb);
}
TW_QUIET inline void reconfig_data_format_srca(uint32_t, uint32_t cb, TW_AT)
{
    tw::one_each(tw::op_reconfig_data_format_srca, at, cb);
}
namespace tw {
TW_QUIET inline void packer_goes_on(at at);
}
TW_QUIET inline void pack_reconfig_data_format(uint32_t cb, TW_AT)
{
    tw::packer_goes_on(at);
    tw::one_each(tw::op_pack_reconfig_data_format, at, cb);
}
TW_QUIET inline void pack_reconfig_data_format(uint32_t, uint32_t cb, TW_AT)
{
    tw::packer_goes_on(at);
    tw::one_each(tw::op_pack_reconfig_data_format, at, cb);
}
TW_QUIET inline void copy_tile_to_dst_init_short_with_dt(uint32_t, uint32_t cb,
                                                         uint32_t = 0, TW_AT)
{
    tw::one_each(tw::op_reconfig_data_format_srca, at, cb);
    tw::one_each(tw::op_copy_tile_init, at, cb);
}

/* On hardware the packer waits on its own processor: its wait, even its packs, may precede
 * the math unit's commit in the text. Then the commit is executed with the first packed
 * tile, or at the commit. Older kernels pass DST as a whole, which is equivalent. In
 * emitted kernels (TW_EMITTED) the order is TTKernel's. */
namespace tw {
inline bool old_dst, waits, handed_over; /* handed_over: the commit is still to come */
inline at wanted; /* where that commit is required: the first pack, or the wait */

/* Packs deferred until the packer owns DST; the math unit may continue until then. */
struct packing {
    at where;
    int64_t operands[3];
    bool out_of_order;
};
inline struct {
    packing at[16];
    unsigned n;
} packs;
TW_QUIET inline void pack_now(const packing &p)
{
    const int64_t attr = p.out_of_order;
    run(op_pack_tile, 0x111, p.where, 3, p.operands, 1, &attr);
}
TW_QUIET inline void pack_waiting()
{
    for (unsigned i = 0; i < packs.n; i++)
        pack_now(packs.at[i]);
    packs.n = 0;
}

TW_QUIET inline bool packer_comes_later(at at)
{
    return (old_dst || waits) && ask(at, TW_ASK_DST_IS_MATHS);
}
TW_QUIET inline void hand_over(at at)
{
    if (packer_comes_later(at)) {
        run(op_tile_regs_commit, 0, at, 0, nullptr);
        run(op_tile_regs_wait, 0, at, 0, nullptr);
        handed_over = waits;
        if (packs.n)
            wanted = packs.at[0].where;
        waits = false;
    }
    pack_waiting();
}
/* Called before operations of the packer, in its order. */
TW_QUIET inline void packer_goes_on(at at)
{
    if (packs.n)
        hand_over(at);
}
} // namespace tw

namespace tw {
/* The packer has waited, and DST was never committed. */
TW_QUIET inline void check_handed_over()
{
    if (handed_over || waits)
        ask(wanted, TW_SAY_MISTAKE,
            (int64_t)(uintptr_t)"tile_regs_wait waits for ever: no tile_regs_commit hands DST over", 1);
    handed_over = waits = false;
}
} // namespace tw
TW_QUIET inline void tile_regs_acquire(TW_AT)
{
    tw::check_handed_over();
    tw::run(tw::op_tile_regs_acquire, 0, at, 0, nullptr);
}
TW_QUIET inline void tile_regs_wait(TW_AT)
{
#ifndef TW_EMITTED
    if (tw::ask(at, TW_ASK_DST_IS_MATHS)) {
        tw::waits = true;
        tw::wanted = at;
        return;
    }
#endif
    tw::run(tw::op_tile_regs_wait, 0, at, 0, nullptr);
}
TW_QUIET inline void tile_regs_commit(TW_AT)
{
    if (tw::handed_over) {
        tw::handed_over = false;
        return;
    }
    tw::run(tw::op_tile_regs_commit, 0, at, 0, nullptr);
    if (tw::waits) {
        tw::waits = false;
        tw::run(tw::op_tile_regs_wait, 0, at, 0, nullptr);
    }
    if (!tw::old_dst)
        tw::pack_waiting();
}
TW_QUIET inline void tile_regs_release(TW_AT)
{
    tw::packer_goes_on(at);
    tw::run(tw::op_tile_regs_release, 0, at, 0, nullptr);
}
TW_QUIET inline void cb_push_back(uint32_t cb, int32_t pages, TW_AT)
{
    tw::packer_goes_on(at);
    tw::one_each(tw::op_cb_push_back, at, cb, pages);
}
TW_QUIET inline void pack_reconfig_l1_acc(int32_t on, TW_AT)
{
    tw::packer_goes_on(at);
    tw::one_each(tw::op_pack_reconfig_l1_acc, at, on);
}
namespace ckernel {
using ::tile_regs_acquire;
using ::tile_regs_commit;
using ::tile_regs_release;
using ::cb_push_back;
using ::pack_reconfig_l1_acc;
using ::tile_regs_wait;
} // namespace ckernel

namespace tt {
enum class DstMode : uint8_t { Full, Half, Tile };
} // namespace tt
TW_QUIET inline void acquire_dst(tt::DstMode = tt::DstMode::Half, TW_AT)
{
    tw::old_dst = true;
    tile_regs_acquire(at);
}
TW_QUIET inline void release_dst(tt::DstMode = tt::DstMode::Half, TW_AT)
{
    tw::hand_over(at);
    tile_regs_release(at);
}

template <bool out_of_order = false>
TW_QUIET inline void pack_tile(int64_t dst, uint32_t cb, int64_t index = 0, TW_AT)
{
    const tw::packing p = {at, {dst, cb, index}, out_of_order};
    if (!tw::packer_comes_later(at) || tw::packs.n == 16) {
        tw::packer_goes_on(at);
        return tw::pack_now(p);
    }
    tw::packs.at[tw::packs.n++] = p;
}
/* In older releases these also configured unpackers and packer. */
namespace tw {
TW_QUIET inline void set_up_once(uint32_t in, uint32_t out, at at)
{
#ifndef TW_EMITTED
    if (!ask(at, TW_ASK_SET_UP))
        compute_kernel_hw_startup(in, out, at);
#endif
}
} // namespace tw
TW_QUIET inline void tilize_init(uint32_t in, int32_t block, uint32_t out, TW_AT)
{
    tw::set_up_once(in, out, at);
    tw::one_each(tw::op_tilize_init, at, in, block, out);
}
TW_QUIET inline void untilize_init(uint32_t in, uint32_t out, TW_AT)
{
    tw::set_up_once(in, out, at);
    tw::one_each(tw::op_untilize_init, at, in);
}
TW_QUIET inline void untilize_init(uint32_t in, TW_AT)
{
    tw::one_each(tw::op_untilize_init, at, in);
}
template <int32_t columns = 1, int32_t all_columns = columns, auto...>
TW_QUIET inline void pack_untilize_init(uint32_t in, uint32_t out, TW_AT)
{
    tw::set_up_once(in, out, at);
    const int64_t v[] = {in, out}, a[] = {columns, all_columns};
    tw::run(tw::op_pack_untilize_init, 0x11, at, 2, v, 2, a);
}
namespace ckernel {
using ::pack_untilize_init;
using ::tilize_init;
} // namespace ckernel
TW_QUIET inline void transpose_wh_init_short(uint32_t in, TW_AT)
{
    const int64_t v[] = {in, in};
    tw::run(tw::op_transpose_wh_init, 0x11, at, 2, v, 0, nullptr, 32, 1);
}

TW_QUIET inline void mm_init_short_with_dt(uint32_t in0, uint32_t in1, uint32_t,
                                           int32_t transpose = 0, TW_AT)
{
    reconfig_data_format_srca(in1, at);
    mm_init_short(in0, in1, transpose, at);
}
TW_QUIET inline void mm_block_init_short_with_dt(uint32_t in0, uint32_t in1, uint32_t,
                                                 int32_t transpose = 0, int32_t ct = 1,
                                                 int32_t rt = 1, int32_t kt = 1, TW_AT)
{
    reconfig_data_format_srca(in1, at);
    mm_block_init_short(in0, in1, transpose, ct, rt, kt, at);
}
/* With a format: first to second; releases without one had the opposite order. */
template <DataFormat format>
TW_QUIET inline void copy_dest_values(int64_t from, int64_t to, TW_AT)
{
    const int64_t v[] = {from, to}, attr = tw::dtype_of(format);
    tw::run(tw::op_copy_dest_values, 0x11, at, 2, v, 1, &attr);
}
TW_QUIET inline void copy_dest_values(int64_t to, int64_t from, TW_AT)
{
    copy_dest_values<DataFormat::Float32>(from, to, at);
}
TW_QUIET inline void copy_tile_matmul_partials(uint32_t cb, uint32_t tile, uint32_t dst,
                                               TW_AT)
{
    copy_tile(cb, tile, dst, at);
}
TW_QUIET inline void reconfig_data_format_srcb(uint32_t cb, TW_AT)
{
    const int64_t v[] = {cb};
    tw::run(tw::op_reconfig_data_format_srca, 1, at, 1, v, 0, nullptr, 32, 1);
}
TW_QUIET inline void reconfig_data_format_srcb(uint32_t, uint32_t cb, TW_AT)
{
    reconfig_data_format_srcb(cb, at);
}
TW_QUIET inline void reconfig_data_format(uint32_t a, uint32_t b, TW_AT)
{
    reconfig_data_format_srca(a, at);
    reconfig_data_format_srcb(b, at);
}
TW_QUIET inline void reconfig_data_format(uint32_t, uint32_t a, uint32_t, uint32_t b, TW_AT)
{
    reconfig_data_format(a, b, at);
}
template <PoolType type TW_REDUCE_OP, ReduceDim dim TW_REDUCE_DIM, bool at_start = true>
TW_QUIET inline void reduce_init_delta(uint32_t in, uint32_t scaler, uint32_t out = 16,
                                       TW_AT)
{
    reduce_init<type, dim>(in, scaler, out, at);
}
TW_QUIET inline void reduce_revert_delta(uint32_t = 16, TW_AT) { reduce_uninit(at); }
/* called by kernels inside PACK((...)) */
TW_QUIET inline void llk_pack_reconfig_l1_acc(int32_t on, TW_AT)
{
    tw::packer_goes_on(at);
    tw::one_each(tw::op_pack_reconfig_l1_acc, at, on);
}
/* The packer's relu: none, at zero, or at a threshold (a bf16) from below or above. */
enum class ReluType : uint8_t { NO_RELU, ZERO_RELU, MIN_THRESHOLD_RELU, MAX_THRESHOLD_RELU };
TW_QUIET inline void llk_pack_relu_config(uint32_t config, TW_AT)
{
    tw::packer_goes_on(at);
    const int64_t v = config;
    tw::run(tw::op_pack_reconfig_l1_acc, 1, at, 1, &v, 0, nullptr, 32, 1);
}
TW_QUIET inline void llk_pack_relu_config(ReluType type, TW_AT)
{
    llk_pack_relu_config((uint32_t)type, at);
}
TW_QUIET inline void pack_relu_config(uint32_t config, TW_AT)
{
    llk_pack_relu_config(config, at);
}
namespace ckernel {
struct ReluConfig {
    ReluType mode = ReluType::NO_RELU;
    uint32_t threshold = 0;
    static constexpr ReluConfig none() { return {}; }
    static constexpr ReluConfig zero() { return {ReluType::ZERO_RELU}; }
    static constexpr ReluConfig min_threshold(uint32_t t)
    {
        return {ReluType::MIN_THRESHOLD_RELU, t};
    }
    static constexpr ReluConfig max_threshold(uint32_t t)
    {
        return {ReluType::MAX_THRESHOLD_RELU, t};
    }
    static constexpr ReluConfig from_packed(uint32_t bits)
    {
        return {(ReluType)(bits & 3), bits >> 16};
    }
    constexpr ReluType get_mode() const { return mode; }
    constexpr uint32_t get_threshold() const { return threshold; }
};
} // namespace ckernel
using ckernel::ReluConfig;
TW_QUIET inline void llk_pack_relu_config(const ReluConfig &c, TW_AT)
{
    llk_pack_relu_config((uint32_t)c.mode | c.threshold << 16, at);
}
TW_QUIET inline void pack_relu_config(const ReluConfig &c, TW_AT)
{
    llk_pack_relu_config(c, at);
}
enum class InputClamping : uint8_t { None, ClampToNegative };
/* Sorting starts at the first phase unless the kernel gives another. */
TW_QUIET inline void topk_local_sort(uint32_t dst, int32_t rising, int32_t end, TW_AT)
{
    tw::one_each(tw::op_topk_local_sort, at, dst, rising, end, 0);
}
template <bool smallest = false, bool stable = false>
TW_QUIET inline void topk_merge(uint32_t dst, int32_t m, int32_t k, TW_AT)
{
    const int64_t v[] = {dst, m, k};
    tw::run(tw::op_topk_merge, 0x111, at, 3, v, 0, nullptr, 32, smallest);
}
TW_QUIET inline void mm_block_init_short_with_both_dt(uint32_t in0, uint32_t in1, uint32_t,
                                                      uint32_t, int32_t transpose = 0,
                                                      int32_t ct = 1, int32_t rt = 1,
                                                      int32_t kt = 1, TW_AT)
{
    reconfig_data_format(in1, in0, at);
    mm_block_init_short(in0, in1, transpose, ct, rt, kt, at);
}
TW_QUIET inline void tilize_init_short(uint32_t in, uint32_t block, uint32_t out = 16, TW_AT)
{
    tilize_init(in, (int32_t)block, out, at);
}
TW_QUIET inline void untilize_init_short(uint32_t in, TW_AT) { untilize_init(in, at); }
template <bool full = true, EltwiseBinaryType type = EltwiseBinaryType::ELWADD>
TW_QUIET inline void binary_tiles_init(uint32_t a, uint32_t b, bool = false, TW_AT)
{
    tw::one_each(type == EltwiseBinaryType::ELWADD   ? tw::op_add_tiles_init
                 : type == EltwiseBinaryType::ELWSUB ? tw::op_sub_tiles_init
                                                     : tw::op_mul_tiles_init,
                 at, a, b);
}
template <uint32_t columns = 1, uint32_t all_columns = columns, auto...>
TW_QUIET inline void pack_untilize_block(uint32_t in, uint32_t rows, uint32_t out, TW_AT)
{
    const int64_t v[] = {in, out, rows, columns}, a[] = {columns, all_columns};
    tw::run(tw::op_experimental_pack_untilize_block, 0x1111, at, 4, v, 2, a);
}
template <uint32_t columns = 1, uint32_t all_columns = columns, auto...>
TW_QUIET inline void pack_untilize_block(uint32_t in, uint32_t rows, uint32_t out,
                                         uint32_t block, TW_AT)
{
    static_assert(columns == all_columns, "blocks of a wider matrix: pack them by themselves");
    if (block)
        tw::ask(at, TW_SAY_MISTAKE,
                (int64_t)(uintptr_t)"pack_untilize_block of a block that is not the first is not "
                                    "there",
                1);
    pack_untilize_block<columns, all_columns>(in, rows, out, at);
}

/* ---- one operand broadcast ----------------------------------------------------------- */

namespace tw {
constexpr unsigned variant_of(BroadcastType kind)
{
    return kind == BroadcastType::NONE ? 0 : 1 + (unsigned)kind;
}
TW_QUIET inline void with_broadcast(unsigned op, BroadcastType kind, uint32_t a, uint32_t b,
                                    int64_t tile_a, int64_t tile_b, int64_t dst, at at)
{
    const int64_t v[] = {a, b, tile_a, tile_b, dst};
    run(op, 0x11111, at, 5, v, 0, nullptr, 32, variant_of(kind));
}
TW_QUIET inline void init_broadcast(unsigned op, BroadcastType kind, uint32_t a, uint32_t b,
                                    at at)
{
    const int64_t v[] = {a, b};
    run(op, 0x11, at, 2, v, 0, nullptr, 32, variant_of(kind));
}
} // namespace tw

#define TW_BROADCASTS(op)                                                                  \
    template <BroadcastType kind>                                                          \
    TW_QUIET inline void op##_tiles_bcast(uint32_t a, uint32_t b, int64_t tile_a,          \
                                          int64_t tile_b, int64_t dst, TW_AT)              \
    {                                                                                      \
        tw::with_broadcast(tw::op_##op##_tiles, kind, a, b, tile_a, tile_b, dst, at);      \
    }                                                                                      \
    TW_QUIET inline void op##_tiles_bcast_rows(uint32_t a, uint32_t b, int64_t tile_a,     \
                                               int64_t tile_b, int64_t dst, TW_AT)         \
    {                                                                                      \
        op##_tiles_bcast<BroadcastType::ROW>(a, b, tile_a, tile_b, dst, at);               \
    }                                                                                      \
    TW_QUIET inline void op##_tiles_bcast_cols(uint32_t a, uint32_t b, int64_t tile_a,     \
                                               int64_t tile_b, int64_t dst, TW_AT)         \
    {                                                                                      \
        op##_tiles_bcast<BroadcastType::COL>(a, b, tile_a, tile_b, dst, at);               \
    }                                                                                      \
    TW_QUIET inline void op##_tiles_bcast_scalar(uint32_t a, uint32_t b, int64_t tile_a,   \
                                                 int64_t tile_b, int64_t dst, TW_AT)       \
    {                                                                                      \
        op##_tiles_bcast<BroadcastType::SCALAR>(a, b, tile_a, tile_b, dst, at);            \
    }                                                                                      \
    TW_QUIET inline void op##_bcast_rows_init_short(uint32_t a = 0, uint32_t b = 1, TW_AT) \
    {                                                                                      \
        tw::init_broadcast(tw::op_##op##_tiles_init, BroadcastType::ROW, a, b, at);        \
    }                                                                                      \
    TW_QUIET inline void op##_bcast_cols_init_short(uint32_t a = 0, uint32_t b = 1, TW_AT) \
    {                                                                                      \
        tw::init_broadcast(tw::op_##op##_tiles_init, BroadcastType::COL, a, b, at);        \
    }                                                                                      \
    TW_QUIET inline void op##_tiles_bcast_scalar_init_short(uint32_t a = 0,                \
                                                            uint32_t b = 1, TW_AT)         \
    {                                                                                      \
        tw::init_broadcast(tw::op_##op##_tiles_init, BroadcastType::SCALAR, a, b, at);     \
    }
TW_BROADCASTS(add)
TW_BROADCASTS(sub)
TW_BROADCASTS(mul)

template <EltwiseBinaryType type, BroadcastType kind>
TW_QUIET inline void init_bcast(uint32_t a, uint32_t b, uint32_t out = 16, TW_AT)
{
    binary_op_init_common(a, b, out, at);
    tw::init_broadcast(type == EltwiseBinaryType::ELWADD   ? tw::op_add_tiles_init
                       : type == EltwiseBinaryType::ELWSUB ? tw::op_sub_tiles_init
                                                           : tw::op_mul_tiles_init,
                       kind, a, b, at);
}
template <EltwiseBinaryType type, BroadcastType kind>
TW_QUIET inline void any_tiles_bcast(uint32_t a, uint32_t b, int64_t tile_a, int64_t tile_b,
                                     int64_t dst, TW_AT)
{
    tw::with_broadcast(type == EltwiseBinaryType::ELWADD   ? tw::op_add_tiles
                       : type == EltwiseBinaryType::ELWSUB ? tw::op_sub_tiles
                                                           : tw::op_mul_tiles,
                       kind, a, b, tile_a, tile_b, dst, at);
}

/* ---- older and alternative names of integer functions -------------------------------- */

#define TW_INTEGERS(name, to, format)                                                      \
    TW_QUIET inline void name##_tile_init(TW_AT) { to##_tile_init(at); }                   \
    TW_QUIET inline void name##_tile(int64_t a, int64_t b, int64_t dst, TW_AT)             \
    {                                                                                      \
        to##_tile<DataFormat::format>(a, b, dst, at);                                      \
    }
TW_INTEGERS(add_int32, add_int, Int32)
TW_INTEGERS(add_uint32, add_int, UInt32)
TW_INTEGERS(add_uint16, add_int, UInt16)
TW_INTEGERS(sub_int32, sub_int, Int32)
TW_INTEGERS(sub_uint32, sub_int, UInt32)
TW_INTEGERS(sub_uint16, sub_int, UInt16)
TW_QUIET inline void fill_tile_bitcast(int64_t dst, uint32_t bits, TW_AT)
{
    tw::one_each(tw::op_fill_tile, at, dst, bits);
}
TW_QUIET inline void where_fp32_tile(int64_t c, int64_t a, int64_t b, int64_t dst, TW_AT)
{
    where_tile<DataFormat::Float32>(c, a, b, dst, at);
}
TW_QUIET inline void where_int32_tile(int64_t c, int64_t a, int64_t b, int64_t dst, TW_AT)
{
    where_tile<DataFormat::Int32>(c, a, b, dst, at);
}
