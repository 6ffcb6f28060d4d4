/* kernel_newer.hpp: names added to the kernel API in 2026, most of them for existing
 * functions. All of them are in ckernel too. */
#pragma once

#include "kernel_objects.hpp"
#include "kernel_scratchpad.hpp"
#include "kernel_tiles.hpp"

namespace ckernel {

/* ---- inits without "tile" and "short" ------------------------------------------------- */

template <auto...>
TW_QUIET inline void copy_init(uint32_t cb, uint32_t = 0, uint32_t = 0, TW_AT)
{
    copy_tile_init(cb, at);
}
template <auto...> TW_QUIET inline void transpose_init(uint32_t in, TW_AT)
{
    transpose_wh_init_short(in, at);
}
template <auto...>
TW_QUIET inline void transpose_tile(uint32_t in, uint32_t tile, uint32_t dst, TW_AT)
{
    transpose_wh_tile(in, tile, dst, at);
}
template <bool wide = false, bool faces = true, auto...>
TW_QUIET inline void transpose_dest_init(uint32_t = 0)
{
}
template <bool wide = false, bool faces = true, auto...>
TW_QUIET inline void transpose_dest(uint32_t dst, TW_AT)
{
    static_assert(faces, "transposing within faces only is not there");
    transpose_wh_dest(dst, at);
}
template <auto...> TW_QUIET inline void pack_init(uint32_t) {}
template <uint32_t columns = 8, uint32_t all_columns = columns, bool narrow = false, auto...>
TW_QUIET inline void pack_untilize_dest_init(uint32_t out, TW_AT)
{
    static_assert(!narrow, "narrow rows are not there");
    pack_untilize_dst_init<columns, all_columns>(out, 16, 4, at);
}
template <uint32_t columns = 8, uint32_t all_columns = columns, bool diagonal = false,
          bool narrow = false, auto...>
TW_QUIET inline void pack_untilize_dest(uint32_t out, uint32_t rows = 1, uint32_t block = 0,
                                        uint32_t = 0, TW_AT)
{
    static_assert(!diagonal && !narrow, "narrow rows and diagonals are not there");
    pack_untilize_dst<columns, all_columns>(out, rows, block, 16, 4, at);
}
template <BroadcastType> TW_QUIET inline void unary_bcast_uninit(uint32_t) {}

#define TW_NEWER(op, TYPE)                                                                 \
    template <auto...>                                                                     \
    TW_QUIET inline void op##_init(uint32_t a, uint32_t b, bool to_dst = false, TW_AT)     \
    {                                                                                      \
        op##_tiles_init(a, b, to_dst, at);                                                 \
    }                                                                                      \
    /* with the line of the call, as the vendor's kernel library passes it */               \
    template <auto...>                                                                     \
    TW_QUIET inline void op##_init(uint32_t a, uint32_t b, bool to_dst, int, TW_AT)        \
    {                                                                                      \
        op##_tiles_init(a, b, to_dst, at);                                                 \
    }                                                                                      \
    template <auto...>                                                                     \
    TW_QUIET inline void op##_bcast_rows_init(uint32_t a, uint32_t b, TW_AT)               \
    {                                                                                      \
        op##_bcast_rows_init_short(a, b, at);                                              \
    }                                                                                      \
    template <auto...>                                                                     \
    TW_QUIET inline void op##_bcast_cols_init(uint32_t a, uint32_t b, TW_AT)               \
    {                                                                                      \
        op##_bcast_cols_init_short(a, b, at);                                              \
    }                                                                                      \
    template <auto...>                                                                     \
    TW_QUIET inline void op##_bcast_scalar_init(uint32_t a, uint32_t b, TW_AT)             \
    {                                                                                      \
        op##_tiles_bcast_scalar_init_short(a, b, at);                                      \
    }                                                                                      \
    template <EltwiseBinaryReuseDestType reuse, auto...>                                   \
    TW_QUIET inline void op##_reuse_dest_init(uint32_t in, TW_AT)                          \
    {                                                                                      \
        binary_dest_reuse_tiles_init<EltwiseBinaryType::TYPE, reuse>(in, at);              \
    }                                                                                      \
    template <EltwiseBinaryReuseDestType reuse, auto...>                                   \
    TW_QUIET inline void op##_reuse_dest_tiles(uint32_t in, uint32_t tile, uint32_t dst,   \
                                               TW_AT)                                      \
    {                                                                                      \
        binary_dest_reuse_tiles<EltwiseBinaryType::TYPE, reuse>(in, tile, dst, at);        \
    }                                                                                      \
    template <auto...>                                                                     \
    TW_QUIET inline void op##_block(uint32_t a, uint32_t b, uint32_t tile_a,               \
                                    uint32_t tile_b, uint32_t dst, uint32_t n, TW_AT)      \
    {                                                                                      \
        for (uint32_t i = 0; i < n; i++)                                                   \
            op##_tiles(a, b, tile_a + i, tile_b + i, dst + i, at);                         \
    }
TW_NEWER(add, ELWADD)
TW_NEWER(sub, ELWSUB)
TW_NEWER(mul, ELWMUL)

template <EltwiseBinaryType type, BroadcastType kind>
TW_QUIET inline void bcast_init(uint32_t a, uint32_t b, TW_AT)
{
    tw::init_broadcast(type == EltwiseBinaryType::ELWADD   ? tw::op_add_tiles_init
                       : type == EltwiseBinaryType::ELWSUB ? tw::op_sub_tiles_init
                                                           : tw::op_mul_tiles_init,
                       kind, a, b, at);
}

/* ---- several tiles per call ---------------------------------------------------------- */

template <auto...>
TW_QUIET inline void copy_block(uint32_t in, uint32_t tile, uint32_t dst, uint32_t n, TW_AT)
{
    for (uint32_t i = 0; i < n; i++)
        copy_tile(in, tile + i, dst + i, at);
}
template <auto...>
TW_QUIET inline void transpose_block(uint32_t in, uint32_t tile, uint32_t dst, uint32_t n,
                                     TW_AT)
{
    for (uint32_t i = 0; i < n; i++)
        transpose_wh_tile(in, tile + i, dst + i, at);
}
template <auto...>
TW_QUIET inline void pack_block(uint32_t dst, uint32_t cb, uint32_t n, TW_AT)
{
    matmul_pack_tile(dst, cb, n, at);
}
template <PoolType type, ReduceDim dim, auto...>
TW_QUIET inline void reduce_block(uint32_t in, uint32_t scaler, uint32_t tile,
                                  uint32_t scaler_tile, uint32_t dst, uint32_t n, TW_AT)
{
    for (uint32_t i = 0; i < n; i++)
        reduce_tile<type, dim>(in, scaler, tile + i, scaler_tile, dst + i, at);
}
} // namespace ckernel
using namespace ckernel;

/* ---- properties of tiles, and words that exist once read ----------------------------- */

namespace tw {
struct tile_size {
    uint32_t rows;
    constexpr uint32_t operator[](uint32_t) const { return rows; }
};
/* formats of circular buffers, as the compute unit's processors see them; 255: no buffer */
struct tile_format {
    template <class Number> constexpr uint32_t operator[](Number cb) const
    {
        if (__builtin_is_constant_evaluated() && !buffer_bytes[cb])
            return (uint32_t)DataFormat::Invalid;
        return (uint32_t)get_dataformat(cb);
    }
};
} // namespace tw
constexpr tw::tile_size unpack_tile_r_dim = {32}, unpack_tile_c_dim = {32},
                        pack_tile_r_dim = {32}, pack_tile_c_dim = {32},
                        unpack_tile_num_faces = {4}, pack_tile_num_faces = {4},
                        unpack_tile_face_r_dim = {16}, pack_tile_face_r_dim = {16};
constexpr tw::tile_format unpack_src_format, unpack_dst_format, pack_src_format,
    pack_dst_format;
enum class p_dim_stride_target : uint8_t { IGNORE, FACE_ROW_MAJOR };
namespace ckernel {
enum class RsqrtMode { Default, Fast };
} // namespace ckernel
namespace ckernel {
template <class T> TW_QUIET inline auto load_blocking(const volatile tw::l1::word<T> *word)
{
    return word->get();
}
} // namespace ckernel

/* ---- data movement -------------------------------------------------------------------- */

TW_QUIET inline void noc_async_read_set_trid(uint32_t trid = 0, tw::noc noc = {})
{
    noc_async_read_tile_dram_sharded_set_trid(trid, noc);
}
/* templates, so that a kernel's own definitions are preferred */
template <auto...> constexpr uint32_t align(uint32_t n, uint32_t to)
{
    return (n + to - 1) / to * to;
}
template <auto...> constexpr uint32_t align_power_of_2(uint32_t n, uint32_t to)
{
    return align(n, to);
}

/* ---- untilizing by the packer's wider path of some chips: the same bytes ------------- */

namespace ckernel {
template <uint32_t columns, auto...>
TW_QUIET inline void fast_untilize_init(uint32_t in, uint32_t out, int = 0, TW_AT)
{
    pack_untilize_init<columns, columns>(in, out, at);
}
template <uint32_t columns, auto...>
TW_QUIET inline void fast_untilize_init_skip_remap(uint32_t in, uint32_t out, int = 0, TW_AT)
{
    pack_untilize_init<columns, columns>(in, out, at);
}
template <uint32_t columns, auto...>
TW_QUIET inline void fast_untilize_block(uint32_t in, uint32_t out, uint32_t first = 0,
                                         uint32_t into = 0, TW_AT)
{
    if (first || into)
        tw::ask(at, TW_SAY_MISTAKE,
                (int64_t)(uintptr_t)"fast_untilize_block of tiles that are not the first is not "
                                    "there",
                1);
    pack_untilize_block<columns, columns>(in, 1, out, at);
}
template <uint32_t columns, auto...>
TW_QUIET inline void fast_untilize_uninit(uint32_t out, TW_AT)
{
    pack_untilize_uninit(out, at);
}
} // namespace ckernel

namespace ckernel {
TW_QUIET inline void rand_tile_init(uint32_t seed, uint32_t stream, TW_AT)
{
    ::rand_tile_init(seed + stream * 0x9E3779B9, at);
}
} // namespace ckernel

/* ---- values -------------------------------------------------------------------------- */

constexpr uint16_t POS_INF_BFLOAT16 = 0x7F80, NAN_BFLOAT16 = 0x7FFF;
constexpr int32_t NEG_INF_INT32 = INT32_MIN, POS_INF_INT32 = INT32_MAX;
constexpr uint32_t INT32_SIGN_MASK = 0x80000000;
template <auto...> TW_QUIET inline bool int32_greater(int32_t a, int32_t b) { return a > b; }
template <auto...> TW_QUIET inline float bf16_to_fp32(uint16_t bits)
{
    return __builtin_bit_cast(float, (uint32_t)bits << 16);
}
template <auto...> TW_QUIET inline uint16_t fp32_to_bf16_truncate(float x)
{
    return (uint16_t)(__builtin_bit_cast(uint32_t, x) >> 16);
}
/* ties to even */
template <auto...> TW_QUIET inline uint16_t fp32_to_bf16(float x)
{
    const uint32_t bits = __builtin_bit_cast(uint32_t, x);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

/* ---- mailboxes ------------------------------------------------------------------------ */

/* Words from one processor of a core to another. Here a compute kernel is one thread, so
 * kernels that mention them compile and are reported if they use one. */
namespace ckernel {
enum ThreadId { BriscThreadId, UnpackThreadId, MathThreadId, PackThreadId };
TW_QUIET inline void mailbox_write(uint8_t, uint32_t, TW_AT)
{
    tw::end_with("mailboxes between the processors of a core are not simulated", at);
}
TW_QUIET inline uint32_t mailbox_read(uint8_t, TW_AT)
{
    tw::end_with("mailboxes between the processors of a core are not simulated", at);
}
} // namespace ckernel
