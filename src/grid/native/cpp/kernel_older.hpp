/* kernel_older.hpp: names, forms and constants of other releases of the API: renamed, with
 * fewer operands, or formerly global. Each maps to a function of the other headers. */
#pragma once

#include "kernel_compute.hpp"
#include "kernel_data.hpp"
#include "kernel_dst.hpp"

using namespace ckernel;

/* ---- constants ---------------------------------------------------------------------- */

constexpr auto ELWADD = EltwiseBinaryType::ELWADD, ELWSUB = EltwiseBinaryType::ELWSUB,
               ELWMUL = EltwiseBinaryType::ELWMUL;
enum class MathFidelity : uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4 };
constexpr MathFidelity MATH_FIDELITY = MathFidelity::HiFi4;
constexpr bool APPROX = false;
enum class DstSync : uint8_t { SyncHalf, SyncFull };
/* defined by the launch: native_build.c */
#ifdef TW_FULL_SYNC
#define DST_SYNC_MODE DstSync::SyncFull
#else
#define DST_SYNC_MODE DstSync::SyncHalf
#endif
#ifdef TW_WIDE_DST
#define ENABLE_FP32_DEST_ACC 1
constexpr bool DST_ACCUM_MODE = true;
#else
#define ENABLE_FP32_DEST_ACC 0
constexpr bool DST_ACCUM_MODE = false;
#endif
#ifndef EXP_APPROX_MODE
#define EXP_APPROX_MODE false
#endif

#ifdef COMPILE_FOR_TRISC
namespace ckernel {
/* also the enumerators alone */
using enum ::BroadcastType;
using enum ::PoolType;
using enum ::ReduceDim;
constexpr uint32_t TILE_HEIGHT = 32, TILE_WIDTH = 32, FACE_HEIGHT = 16, FACE_WIDTH = 16;
} // namespace ckernel
#else
#define NOC_X(x) (x)
#define NOC_Y(y) (y)
#define NOC_XY_ADDR(x, y, address) get_noc_addr(x, y, address)
#endif

template <auto = 0> TW_QUIET constexpr uint32_t min(uint32_t a, uint32_t b) { return a < b ? a : b; }
constexpr uint32_t get_tile_num_faces(uint32_t) { return 4; }

/* A division by a constant; on hardware a multiplication. */
template <uint32_t d> TW_QUIET inline uint32_t udivsi3_const_divisor(uint32_t n) { return n / d; }
template <uint32_t d> TW_QUIET inline uint32_t umodsi3_const_divisor(uint32_t n) { return n % d; }
TW_QUIET inline uint32_t fast_udiv_7(uint32_t n) { return n / 7; }
TW_QUIET inline uint32_t fast_udiv_12(uint32_t n) { return n / 12; }
TW_QUIET inline uint32_t fast_udiv_56(uint32_t n) { return n / 56; }
TW_QUIET inline uint32_t fast_udiv_94(uint32_t n) { return n / 94; }

constexpr uint16_t NEG_INF_BFLOAT16 = 0xFF80;
constexpr uint32_t NEG_INF_FLOAT32 = 0xFF800000;

constexpr bool is_power_of_2(uint32_t n) { return n && !(n & (n - 1)); }

/* ---- tensors ------------------------------------------------------------------------ */

template <bool DRAM, uint32_t page_size>
TW_QUIET inline auto get_interleaved_addr_gen(uint32_t base)
{
    return InterleavedAddrGen<DRAM>{.bank_base_address = base, .page_size = page_size};
}
template <bool DRAM, bool power_of_2>
TW_QUIET inline auto get_interleaved_addr_gen(uint32_t base, uint32_t size, uint32_t log2)
{
    return InterleavedAddrGen<DRAM>{.bank_base_address = base,
                                    .page_size = power_of_2 ? 1u << log2 : size};
}
/* the size, or its logarithm if it is a power of two */
template <bool DRAM, bool power_of_2>
TW_QUIET inline auto get_interleaved_addr_gen(uint32_t base, uint32_t size)
{
    return get_interleaved_addr_gen<DRAM, power_of_2>(base, size, size);
}

/* ---- reads and writes with state: set once, then only addresses ---------------------- */

namespace tw {
/* An address within the state's core. */
TW_QUIET inline uint64_t within(uint64_t core, uint64_t address)
{
    return (core & ~UINT64_C(0xFFFFFFFF)) | (address & 0xFFFFFFFF);
}
} // namespace tw
template <bool counted = true>
TW_QUIET inline void noc_async_read_one_packet_with_state(uint64_t from, tw::l1_address to,
                                                          TW_AT)
{
    tw::read(tw::within(tw::read_state.address, from), to, tw::read_state.size, {}, at, true);
}
template <bool counted>
TW_QUIET inline void noc_async_read_one_packet_with_state(uint64_t from, tw::l1_address to,
                                                          tw::noc noc, TW_AT)
{
    tw::read(tw::within(tw::read_state.address, from), to, tw::read_state.size, noc, at, true);
}
TW_QUIET inline void noc_async_read_set_state(uint64_t from, tw::noc = {}, TW_AT)
{
    tw::read_state = {from, 0};
}
template <bool counted = true>
TW_QUIET inline void noc_async_read_with_state(uint64_t from, tw::l1_address to, uint32_t size,
                                               tw::noc noc = {}, TW_AT)
{
    tw::read(tw::within(tw::read_state.address, from), to, size, noc, at);
}
TW_QUIET inline void noc_async_read_inc_num_issued(uint32_t, tw::noc = {}) {}
template <bool posted = false>
TW_QUIET inline void noc_inline_dw_write_set_state(uint64_t to, uint8_t = 0xF, uint8_t = 0,
                                                   tw::noc = {}, uint8_t = 0)
{
    tw::inline_state = {to, 4};
}
template <bool new_address = false, bool counted = true, bool posted = false,
          bool new_place = false>
TW_QUIET inline void noc_inline_dw_write_with_state(uint32_t value, uint32_t address = 0,
                                                    uint8_t = 0, tw::noc noc = {}, TW_AT)
{
    uint64_t to = tw::inline_state.address;
    noc_inline_dw_write(new_address ? tw::within(to, address) : to, value, 0xF, noc, at);
}

/* Consecutive pages of one bank of DRAM. */
namespace tw {
inline struct {
    uint32_t bank, size, trid;
} bank_state;
} // namespace tw
template <bool channel = false>
TW_QUIET inline uint32_t noc_async_read_tile_dram_sharded_set_state(uint32_t base,
                                                                    uint32_t size,
                                                                    uint32_t bank = 0,
                                                                    uint32_t = 0, tw::noc = {})
{
    tw::bank_state = {bank, size, 0};
    return base;
}
TW_QUIET inline void noc_async_read_tile_dram_sharded_with_state(uint32_t base, uint32_t from,
                                                                 tw::l1_address to,
                                                                 uint32_t = 0, tw::noc noc = {},
                                                                 TW_AT)
{
    tw::read(get_noc_addr_from_bank_id<true>(tw::bank_state.bank, base + from, noc, at), to,
             tw::bank_state.size, noc, at);
}
TW_QUIET inline void noc_async_read_tile_dram_sharded_set_trid(uint32_t trid = 0, tw::noc = {})
{
    tw::bank_state.trid = trid;
}
template <bool skip = false>
TW_QUIET inline void noc_async_read_tile_dram_sharded_with_state_with_trid(
    uint32_t base, uint32_t from, tw::l1_address to, uint32_t trid = 0, tw::noc noc = {}, TW_AT)
{
    noc_async_read_tile_dram_sharded_with_state(base, from, to, trid, noc, at);
}

/* ---- reading a buffer from the compute unit ------------------------------------------ */

/* The pointer is 16 bytes before the tile, as on hardware: its values begin at [4]. */
TW_QUIET inline void cb_get_tile(uint32_t cb, uint32_t tile, volatile void *out, TW_AT)
{
    uint32_t address = get_tile_address(cb, tile, at) - 16;
    __builtin_memcpy((void *)out, &address, sizeof address);
}
TW_QUIET inline void cb_release_tile(uint32_t) {}

/* the formats are the call's */
TW_QUIET inline void typecast_tile_init(TW_AT)
{
    const int64_t a[] = {tw::absent, tw::absent};
    tw::run(tw::op_typecast_tile_init, 0, at, 0, nullptr, 2, a);
}

/* ---- inits that give the previous format --------------------------------------------- */

TW_QUIET inline void tilize_init_short_with_dt(uint32_t, uint32_t in, uint32_t block,
                                               uint32_t out = 16, TW_AT)
{
    reconfig_data_format_srca(in, at);
    tilize_init_short(in, block, out, at);
}
TW_QUIET inline void tilize_uninit_with_dt(uint32_t in, uint32_t next, uint32_t out, TW_AT)
{
    tilize_uninit(in, out, at);
    reconfig_data_format_srca(next, at);
}
TW_QUIET inline void add_bcast_scalar_init_short(uint32_t a = 0, uint32_t b = 1, TW_AT)
{
    tw::init_broadcast(tw::op_add_tiles_init, BroadcastType::SCALAR, a, b, at);
}
template <BroadcastType, BroadcastType kind>
TW_QUIET inline void reconfigure_unary_bcast(uint32_t, uint32_t in, uint32_t, uint32_t out,
                                             TW_AT)
{
    reconfig_data_format_srcb(in, at);
    pack_reconfig_data_format(out, at);
    unary_bcast_init<kind>(in, out, at);
}
TW_QUIET inline void matmul_pack_tile(uint32_t dst, uint32_t cb, uint32_t count, TW_AT)
{
    for (uint32_t i = 0; i < count; i++)
        pack_tile(dst + i, cb, 0, at);
}
template <uint32_t columns = 8, uint32_t all_columns = columns>
TW_QUIET inline void pack_untilize_init_short(uint32_t in, uint32_t out, TW_AT)
{
    pack_untilize_init(in, out, at);
}

/* ---- the init of a binary operation as two parts: the unit's and the unpacker's ----- */

namespace tw {
inline struct {
    EltwiseBinaryType type;
    BroadcastType kind;
    uint32_t a, b;
    bool math, unpack;
} parts;

TW_QUIET inline void init_of_halves(at at)
{
    if (!parts.math || !parts.unpack)
        return;
    init_broadcast(parts.type == EltwiseBinaryType::ELWADD   ? op_add_tiles_init
                   : parts.type == EltwiseBinaryType::ELWSUB ? op_sub_tiles_init
                                                              : op_mul_tiles_init,
                   parts.kind, parts.a, parts.b, at);
    parts.math = parts.unpack = false;
}
} // namespace tw

template <EltwiseBinaryType type, BroadcastType kind = BroadcastType::NONE, auto...>
TW_QUIET inline void llk_math_eltwise_binary_init(uint32_t = 0, uint32_t = 0, uint32_t = 0, TW_AT)
{
    tw::parts.type = type, tw::parts.kind = kind;
    tw::parts.math = true;
    tw::init_of_halves(at);
}
template <BroadcastType kind = BroadcastType::NONE>
TW_QUIET inline void llk_unpack_AB_init(uint32_t a = 0, uint32_t b = 1, uint32_t = 0, TW_AT)
{
    tw::parts.a = a, tw::parts.b = b;
    tw::parts.unpack = true;
    tw::init_of_halves(at);
}

/* ---- two operands: the result replaces the first ------------------------------------- */

#define TW_INTO_FIRST(name)                                                                \
    template <auto... options> TW_QUIET inline void name(int64_t a, int64_t b, TW_AT)      \
    {                                                                                      \
        name<options...>(a, b, a, at);                                                     \
    }                                                                                      \
    namespace ckernel {                                                                    \
    using ::name;                                                                          \
    }
TW_INTO_FIRST(add_binary_tile)
TW_INTO_FIRST(sub_binary_tile)
TW_INTO_FIRST(mul_binary_tile)
TW_INTO_FIRST(div_binary_tile)
TW_INTO_FIRST(power_binary_tile)
TW_INTO_FIRST(binary_max_tile)
TW_INTO_FIRST(binary_min_tile)
TW_INTO_FIRST(binary_max_int32_tile)
TW_INTO_FIRST(binary_min_int32_tile)
TW_INTO_FIRST(binary_left_shift_tile)
TW_INTO_FIRST(binary_right_shift_tile)
TW_INTO_FIRST(binary_logical_right_shift_tile)
TW_INTO_FIRST(eq_binary_tile)

#define TW_OLD_INTEGERS(name, to, format)                                                  \
    TW_QUIET inline void name(int64_t a, int64_t b, TW_AT)                                 \
    {                                                                                      \
        to<DataFormat::format>(a, b, a, at);                                               \
    }
TW_OLD_INTEGERS(add_int32_tile, add_int_tile, Int32)
TW_OLD_INTEGERS(add_uint32_tile, add_int_tile, UInt32)
TW_OLD_INTEGERS(add_uint16_tile, add_int_tile, UInt16)
TW_OLD_INTEGERS(sub_int32_tile, sub_int_tile, Int32)
TW_OLD_INTEGERS(sub_uint16_tile, sub_int_tile, UInt16)
TW_OLD_INTEGERS(mul_uint16_tile, mul_int_tile, UInt16)
TW_OLD_INTEGERS(bitwise_and_binary_tile, bitwise_and_binary_tile, Int32)
TW_OLD_INTEGERS(bitwise_or_binary_tile, bitwise_or_binary_tile, Int32)
TW_OLD_INTEGERS(bitwise_xor_binary_tile, bitwise_xor_binary_tile, Int32)
TW_OLD_INTEGERS(bitwise_and_uint16_binary_tile, bitwise_and_binary_tile, UInt16)
TW_OLD_INTEGERS(bitwise_or_uint16_binary_tile, bitwise_or_binary_tile, UInt16)
TW_OLD_INTEGERS(bitwise_xor_uint16_binary_tile, bitwise_xor_binary_tile, UInt16)
TW_QUIET inline void mul_uint16_tile_init(TW_AT) { mul_int_tile_init(at); }

/* ---- reductions: the first argument is whether it is the kernel's first one ---------- */

template <bool at_start, PoolType type, ReduceDim dim, auto...>
TW_QUIET inline void reduce_init(uint32_t in, uint32_t scaler, uint32_t out = 16, TW_AT)
{
    reduce_init<type, dim>(in, scaler, out, at);
}
template <bool at_start, PoolType type, ReduceDim dim, auto...>
TW_QUIET inline void reduce_init_delta(uint32_t in, uint32_t scaler, uint32_t out = 16, TW_AT)
{
    reduce_init<type, dim>(in, scaler, out, at);
}
template <PoolType type, ReduceDim dim>
TW_QUIET inline void reduce_init_short(uint32_t in, uint32_t scaler, uint32_t out = 16, TW_AT)
{
    reduce_init<type, dim>(in, scaler, out, at);
}
template <ReduceDim> TW_QUIET inline void reduce_revert_delta(uint32_t = 16, TW_AT)
{
    reduce_uninit(at);
}
namespace ckernel {
using ::reduce_init;
using ::reduce_init_delta;
using ::reduce_init_short;
using ::reduce_revert_delta;
} // namespace ckernel
