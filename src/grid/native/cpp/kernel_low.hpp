/* kernel_low.hpp: calls below the kernel API that kernels make directly: each half of an
 * operation by the unit that executes it, buffers' own pointers, and tilizing unpackers.
 *
 * Here a compute kernel is one thread, so what the unpacker loads is kept until the math
 * unit uses it, in order. */
#pragma once

#include "kernel_dst.hpp"

/* ---- circular buffers as the hardware keeps them ---------------------------------------- */

/* In bytes for data movement, in units of 16 bytes for the compute unit. */
#ifdef COMPILE_FOR_TRISC
constexpr uint32_t cb_addr_shift = 4;
#else
constexpr uint32_t cb_addr_shift = 0;
#endif

namespace tw {

/* A pointer of a ring: the machine's, read and set in place. */
template <int field> struct ring_pointer {
    uint8_t cb;
    TW_QUIET operator uint32_t() const { return buffer(cb, field, at_of(mine.last)) >> cb_addr_shift; }
    TW_QUIET ring_pointer &operator=(uint32_t address)
    {
        ask(mine.last, TW_SAY_POINTER, cb, field, (int64_t)address << cb_addr_shift);
        return *this;
    }
    TW_QUIET ring_pointer &operator=(const ring_pointer &o) { return *this = (uint32_t)o; }
    template <class Printer> TW_QUIET void print(Printer &p) const { p.add((uint64_t)(uint32_t)*this); }
    TW_QUIET ring_pointer &operator+=(uint32_t n) { return *this = *this + n; }
    TW_QUIET ring_pointer &operator-=(uint32_t n) { return *this = *this - n; }
};
/* The constant properties of a ring. */
struct ring_size {
    uint8_t cb, what;
    TW_QUIET operator uint32_t() const
    {
        uint32_t pages = (uint32_t)ask(mine.last, TW_ASK_PAGES, cb);
        uint32_t page = buffer(cb, 2, at_of(mine.last));
        return what == 0   ? pages
               : what == 1 ? page >> cb_addr_shift
               : what == 2 ? pages * page >> cb_addr_shift
                           : (buffer(cb, 3, at_of(mine.last)) + pages * page) >> cb_addr_shift;
    }
    template <class Printer> TW_QUIET void print(Printer &p) const { p.add((uint64_t)(uint32_t)*this); }
};

} // namespace tw

struct LocalCBInterface {
    tw::ring_size fifo_num_pages, fifo_page_size, fifo_size, fifo_limit;
    tw::ring_pointer<4> fifo_rd_ptr;
    tw::ring_pointer<5> fifo_wr_ptr;
};
namespace tw {
template <size_t... i>
constexpr std::array<LocalCBInterface, sizeof...(i)> all_rings(std::index_sequence<i...>)
{
    return {{{{i, 0}, {i, 1}, {i, 2}, {i, 3}, {i}, {i}}...}};
}
inline std::array<LocalCBInterface, 32> rings = all_rings(std::make_index_sequence<32>());
} // namespace tw
TW_QUIET inline LocalCBInterface &get_local_cb_interface(uint32_t cb, TW_AT)
{
    tw::mine.last = at;
    return tw::rings[cb & 31];
}

#define CB_RD_PTR(id) (get_local_cb_interface(id).fifo_rd_ptr << cb_addr_shift)
#define CB_WR_PTR(id) (get_local_cb_interface(id).fifo_wr_ptr << cb_addr_shift)
#define CB_RD_SZ(id) (get_local_cb_interface(id).fifo_size << cb_addr_shift)
#define CB_PAGE_COUNT(id) (get_local_cb_interface(id).fifo_num_pages)
#define CB_PAGE_SIZE(id) (get_local_cb_interface(id).fifo_page_size << cb_addr_shift)

/* ---- values in a buffer -------------------------------------------------------------- */

namespace tw {

/* The i-th element at an address, in any format of tiles. */
TW_QUIET inline uint32_t word_at(uint32_t address)
{
    return *(const volatile l1::uint32_t *)(uintptr_t)(address & ~3u);
}
TW_QUIET inline uint32_t bits_at(uint32_t address, uint32_t i, uint32_t bits)
{
    uint32_t at = i * bits;
    uint32_t word = word_at(address + at / 32 * 4);
    return bits == 32 ? word : word >> (at % 32) & ((1u << bits) - 1);
}
/* Block floats: an exponent for each row of a face, then signs and magnitudes. */
TW_QUIET inline float block_number(uint32_t address, uint32_t i, uint32_t bits)
{
    uint32_t exponent = bits_at(address, i / 16, 8), code = bits_at(address + 64, i, bits);
    float m = (float)(code & ((1u << (bits - 1)) - 1)) * __builtin_ldexpf(1, 2 - (int)bits);
    m *= __builtin_ldexpf(1, (int)exponent - 127);
    return code >> (bits - 1) ? -m : m;
}
TW_QUIET inline float half_number(uint32_t h)
{
    int exponent = (int)(h >> 10 & 31);
    float f = exponent ? (float)(1024 + (h & 1023)) * __builtin_ldexpf(1, exponent - 25) : 0;
    return h >> 15 ? -f : f;
}
TW_QUIET inline float number_at(DataFormat format, uint32_t address, uint32_t i)
{
    switch (format) {
    case DataFormat::Float32: return as_float(bits_at(address, i, 32));
    case DataFormat::Float16_b: return as_float(bits_at(address, i, 16) << 16);
    case DataFormat::Float16: return half_number(bits_at(address, i, 16));
    case DataFormat::Bfp8_b: return block_number(address, i, 8);
    case DataFormat::Bfp4_b: return block_number(address, i, 4);
    case DataFormat::Bfp2_b: return block_number(address, i, 2);
    case DataFormat::Int32: return (float)(int32_t)bits_at(address, i, 32);
    case DataFormat::UInt32: return (float)bits_at(address, i, 32);
    case DataFormat::UInt16: return (float)bits_at(address, i, 16);
    case DataFormat::UInt8: return (float)bits_at(address, i, 8);
    default: return 0;
    }
}

/* ---- tiles loaded by the unpacker ---------------------------------------------------- */

/* Tiles of one or two buffers; of the first, possibly rows that form a tile. */
struct unpacked {
    bool two, rows;
    uint8_t faces, face_rows; /* of rows */
    BroadcastType broadcast;
    uint16_t width; /* of the matrix, in tiles */
    uint32_t a, b;
    int64_t tile_a, tile_b;
};
inline struct {
    unpacked at[16];
    unsigned first, count;
} waiting;

TW_QUIET inline void bring(const unpacked &u, at at)
{
    if (waiting.count == 16)
        end_with("the math unit takes nothing of what 16 unpacks have brought", at);
    waiting.at[(waiting.first + waiting.count++) % 16] = u;
}
TW_QUIET inline unpacked take(at at)
{
    if (!waiting.count)
        end_with("the math unit takes tiles that nothing has unpacked", at);
    waiting.count--;
    return waiting.at[waiting.first++ % 16];
}

/* Converts row-major values of a buffer to a tile, faces consecutively; `rest` fills what
 * the unpacker does not read. */
TW_QUIET inline void make_tile(const unpacked &u, float rest, float *out, at at)
{
    DataFormat format = get_dataformat(u.a, at);
    uint32_t base = get_read_ptr(u.a, at);
    for (unsigned row = 0; row < 32; row++)
        for (unsigned column = 0; column < 32; column++) {
            unsigned face = row / 16 * 2 + column / 16;
            bool read = row % 16 < u.face_rows && face < u.faces;
            uint32_t i = (row / 16 * u.face_rows + row % 16) * 32 * u.width +
                         (uint32_t)u.tile_a * 32 + column;
            out[face_index(row, column)] = read ? number_at(format, base, i) : rest;
        }
}
TW_QUIET inline void read_tile(uint32_t cb, int64_t tile, float *out, at at)
{
    DataFormat format = get_dataformat(cb, at);
    uint32_t base = get_read_ptr(cb, at) + (uint32_t)tile * get_tile_size(cb, at);
    for (unsigned i = 0; i < 1024; i++)
        out[i] = number_at(format, base, i);
}

/* A pooling step: reduces each column of the tile over its rows, combined with DST. */
TW_QUIET inline void pool(const unpacked &u, PoolType type, int64_t dst, at at)
{
    float a[1024], scale[1024];
    bool most = type == PoolType::MAX;
    make_tile(u, most ? -__builtin_inff() : 0, a, at);
    read_tile(u.b, u.tile_b, scale, at);
    bool more = ask(at, TW_ASK_TILE_WRITTEN, dst);
    dst_tile t = more ? dst_tile::in_place(dst, 16, false, at)
                      : dst_tile::target(dst, 16, false, at);
    for (unsigned k = 0; !more && k < 1024; k++)
        t.f[k] = 0;
    for (unsigned column = 0; column < 32; column++) {
        float sum = most ? -__builtin_inff() : 0;
        for (unsigned row = 0; row < 32; row++) {
            float x = a[face_index(row, column)];
            if (most)
                sum = x > sum ? x : sum;
            else
                sum += x * scale[face_index(0, row % 16)];
        }
        float &out = t.f[face_index(0, column)];
        if (most)
            sum *= scale[0];
        out = !more ? sum : most ? (sum > out ? sum : out) : out + sum;
    }
}

constexpr unsigned binary_op(EltwiseBinaryType type)
{
    return type == EltwiseBinaryType::ELWADD   ? op_add_tiles
           : type == EltwiseBinaryType::ELWSUB ? op_sub_tiles
                                               : op_mul_tiles;
}

/* Configured once both unpacker and packer are. */
inline struct {
    bool in, out;
    uint32_t a, b, to;
} units;
TW_QUIET inline void set_up(at at)
{
    if (units.in && units.out)
        compute_kernel_hw_startup(units.a, units.b, units.to, at);
}
TW_QUIET inline void set_up_unpacker(uint32_t a, uint32_t b, at at)
{
    units.in = true, units.a = a, units.b = b;
    set_up(at);
}
TW_QUIET inline void set_up_packer(uint32_t to, at at)
{
    units.out = true, units.to = to;
    set_up(at);
}

} // namespace tw

/* ---- tilizing unpackers ----------------------------------------------------------------- */

template <bool negative = true, bool zero = false>
TW_QUIET inline void tilizeA_B_reduce_init(uint32_t a, uint32_t b, uint32_t, uint32_t out,
                                           uint32_t = 4, uint32_t = 16, TW_AT)
{
    compute_kernel_hw_startup(a, b, out, at);
}
TW_QUIET inline void tilizeA_B_dot_product_init(uint32_t a, uint32_t b, uint32_t, uint32_t out,
                                                uint32_t = 4, uint32_t = 16, TW_AT)
{
    compute_kernel_hw_startup(a, b, out, at);
}
template <auto...> TW_QUIET inline void llk_unpack_tilizeA_B_init(...) {}
template <bool negative = true, uint32_t again = 1, bool zero = false, bool zero_reduce = false>
TW_QUIET inline void unpack_tilizeA_B_block(uint32_t a, uint32_t b, uint32_t block, uint32_t tile,
                                            uint32_t faces = 4, uint32_t rows = 16, TW_AT)
{
    for (uint32_t i = 0; i < block; i++)
        tw::bring({true, true, (uint8_t)faces, (uint8_t)rows, BroadcastType::NONE,
                   (uint16_t)block, a, b, i, tile},
                  at);
}
template <auto...>
TW_QUIET inline void llk_unpack_tilizeA_B_block(uint32_t a, uint32_t b, uint32_t block,
                                                uint32_t tile, uint32_t faces = 4,
                                                uint32_t rows = 16, TW_AT)
{
    unpack_tilizeA_B_block(a, b, block, tile, faces, rows, at);
}
TW_QUIET inline void tilize_init_unpack(uint32_t in, uint32_t, TW_AT)
{
    reconfig_data_format_srca(in, at);
}

/* ---- by unit ------------------------------------------------------------------------- */

template <auto...>
TW_QUIET inline void llk_unpack_A_hw_configure_disaggregated(uint32_t a, uint32_t = 0, TW_AT)
{
    tw::set_up_unpacker(a, a, at);
}
template <auto...>
TW_QUIET inline void llk_unpack_AB_hw_configure_disaggregated(uint32_t a, uint32_t b,
                                                              uint32_t = 0, TW_AT)
{
    tw::set_up_unpacker(a, b, at);
}
template <auto...>
TW_QUIET inline void llk_unpack_AB_matmul_hw_configure_disaggregated(uint32_t a, uint32_t b,
                                                                     uint32_t = 0, TW_AT)
{
    tw::set_up_unpacker(a, b, at);
}
template <auto...>
TW_QUIET inline void llk_unpack_tilizeA_B_hw_configure_disaggregated(uint32_t a, uint32_t b, TW_AT)
{
    tw::set_up_unpacker(a, b, at);
}
template <auto...>
TW_QUIET inline void llk_pack_hw_configure_disaggregated(uint32_t out, TW_AT)
{
    tw::set_up_packer(out, at);
}
template <auto...> TW_QUIET inline void llk_pack_init(...) {}
template <auto...> TW_QUIET inline void llk_pack_dest_init(...) {}
template <auto...> TW_QUIET inline void llk_init_packer_dest_offset_registers(...) {}
template <auto...> TW_QUIET inline void llk_math_pack_sync_init() {}
template <auto...> TW_QUIET inline void llk_math_hw_configure_disaggregated(...) {}
template <auto...> TW_QUIET inline void llk_pack_reduce_config_v2(...) {}
template <auto...> TW_QUIET inline void llk_math_reconfig_data_format(...) {}
template <auto...> TW_QUIET inline void llk_math_reconfig_data_format_srca(...) {}
template <auto...> TW_QUIET inline void llk_math_reconfig_data_format_srcb(...) {}
template <auto...>
TW_QUIET inline void llk_unpack_reconfig_data_format(uint32_t, uint32_t a, uint32_t, uint32_t b,
                                                     TW_AT)
{
    reconfig_data_format(a, b, at);
}
template <auto...>
TW_QUIET inline void llk_unpack_reconfig_data_format_srca(uint32_t, uint32_t a, TW_AT)
{
    reconfig_data_format_srca(a, at);
}
template <auto...>
TW_QUIET inline void llk_unpack_reconfig_data_format_srcb(uint32_t, uint32_t b, TW_AT)
{
    reconfig_data_format_srcb(b, at);
}

template <auto...> TW_QUIET inline void llk_math_wait_for_dest_available(TW_AT)
{
    tile_regs_acquire(at);
}
template <auto...> TW_QUIET inline void llk_math_dest_section_done(TW_AT) { tile_regs_commit(at); }
template <auto...> TW_QUIET inline void llk_packer_wait_for_math_done(TW_AT) { tile_regs_wait(at); }
template <auto...> TW_QUIET inline void llk_pack_dest_section_done(TW_AT) { tile_regs_release(at); }
template <auto...> TW_QUIET inline void llk_wait_tiles(uint32_t cb, int32_t n, TW_AT)
{
    cb_wait_front(cb, n, at);
}
template <auto...> TW_QUIET inline void llk_pop_tiles(uint32_t cb, int32_t n, uint32_t = 0, TW_AT)
{
    cb_pop_front(cb, n, at);
}
template <auto...> TW_QUIET inline void llk_wait_for_free_tiles(uint32_t cb, int32_t n, TW_AT)
{
    cb_reserve_back(cb, n, at);
}
template <auto...> TW_QUIET inline void llk_push_tiles(uint32_t cb, int32_t n, TW_AT)
{
    cb_push_back(cb, n, at);
}

/* Each init is executed at its second half. */
namespace tw {
inline struct {
    bool math, unpack;
    uint32_t cb;
} copy_halves;
TW_QUIET inline void init_copy(at at)
{
    if (copy_halves.math && copy_halves.unpack) {
        copy_tile_init(copy_halves.cb, at);
        copy_halves.math = copy_halves.unpack = false;
    }
}
} // namespace tw
template <auto...>
TW_QUIET inline void llk_unpack_A_init(uint32_t = 0, uint32_t = 0, uint32_t cb = 0, TW_AT)
{
    tw::copy_halves.unpack = true, tw::copy_halves.cb = cb;
    tw::init_copy(at);
}
template <auto...>
TW_QUIET inline void llk_math_eltwise_unary_datacopy_init(uint32_t = 0, uint32_t = 0,
                                                          uint32_t = 0, TW_AT)
{
    tw::copy_halves.math = true;
    tw::init_copy(at);
}
template <auto...>
TW_QUIET inline void llk_unpack_AB_matmul_init(uint32_t a, uint32_t b, uint32_t transpose = 0,
                                               uint32_t ct = 1, uint32_t rt = 1, uint32_t kt = 1,
                                               TW_AT)
{
    if (ct == 1 && rt == 1 && kt == 1)
        mm_init_short(a, b, (int32_t)transpose, at);
    else
        mm_block_init_short(a, b, (int32_t)transpose, (int32_t)ct, (int32_t)rt, (int32_t)kt, at);
}
template <auto...> TW_QUIET inline void llk_math_matmul_init(...) {}

template <BroadcastType kind = BroadcastType::NONE, auto...>
TW_QUIET inline void llk_unpack_A(uint32_t cb, uint32_t tile, bool = false, TW_AT)
{
    tw::bring({false, false, 4, 16, kind, 1, cb, cb, tile, tile}, at);
}
template <BroadcastType kind = BroadcastType::NONE>
TW_QUIET inline void llk_unpack_AB(uint32_t a, uint32_t b, uint32_t tile_a, uint32_t tile_b, TW_AT)
{
    tw::bring({true, false, 4, 16, kind, 1, a, b, tile_a, tile_b}, at);
}
template <auto...>
TW_QUIET inline void llk_unpack_AB_matmul(uint32_t a, uint32_t b, uint32_t tile_a,
                                          uint32_t tile_b, uint32_t = 1, uint32_t = 1,
                                          uint32_t = 1, TW_AT)
{
    tw::bring({true, false, 4, 16, BroadcastType::NONE, 1, a, b, tile_a, tile_b}, at);
}
template <auto...>
TW_QUIET inline void llk_math_eltwise_unary_datacopy(uint32_t dst, uint32_t = 0, TW_AT)
{
    tw::unpacked u = tw::take(at);
    copy_tile(u.a, (uint32_t)u.tile_a, dst, at);
}
template <auto...>
TW_QUIET inline void llk_math_matmul(uint32_t dst, TW_AT)
{
    tw::unpacked u = tw::take(at);
    matmul_tiles(u.a, u.b, u.tile_a, u.tile_b, dst, at);
}
template <auto...>
TW_QUIET inline void llk_math_matmul(uint32_t, uint32_t, uint32_t dst, uint32_t transpose = 0,
                                     int32_t ct = 1, int32_t rt = 1, int32_t kt = 1, TW_AT)
{
    if (ct == 1 && rt == 1 && kt == 1)
        return llk_math_matmul(dst, at);
    tw::unpacked u = tw::take(at);
    matmul_block(u.a, u.b, u.tile_a, u.tile_b, dst, (int32_t)transpose, ct, rt, kt, at);
}
template <EltwiseBinaryType type, BroadcastType kind = BroadcastType::NONE, auto...>
TW_QUIET inline void llk_math_eltwise_binary(uint32_t dst, TW_AT)
{
    tw::unpacked u = tw::take(at);
    if (!u.rows)
        return tw::with_broadcast(tw::binary_op(type), kind, u.a, u.b, u.tile_a, u.tile_b, dst, at);
    float a[1024], b[1024];
    tw::make_tile(u, 0, a, at);
    tw::read_tile(u.b, u.tile_b, b, at);
    tw::dst_tile t = tw::dst_tile::target(dst, 8, false, at);
    for (unsigned k = 0; k < 1024; k++)
        t.f[k] = type == EltwiseBinaryType::ELWADD   ? a[k] + b[k]
                 : type == EltwiseBinaryType::ELWSUB ? a[k] - b[k]
                                                     : a[k] * b[k];
}
template <EltwiseBinaryType type, BroadcastType kind = BroadcastType::NONE, auto...>
TW_QUIET inline void llk_math_eltwise_binary(uint32_t, uint32_t, uint32_t dst, bool = true, TW_AT)
{
    llk_math_eltwise_binary<type, kind>(dst, at);
}
template <PoolType type, ReduceDim dim, auto...>
TW_QUIET inline void llk_math_reduce_init(...)
{
}
template <PoolType type, ReduceDim dim, auto...>
TW_QUIET inline void llk_math_reduce(uint32_t dst, uint32_t = 4, TW_AT)
{
    tw::unpacked u = tw::take(at);
    if (u.rows)
        tw::pool(u, type, dst, at);
    else
        reduce_tile<type, dim>(u.a, u.b, u.tile_a, u.tile_b, dst, at);
}
template <bool out_of_order = false, auto...>
TW_QUIET inline void llk_pack(uint32_t dst, uint32_t cb, uint32_t index = 0, TW_AT)
{
    pack_tile<out_of_order>(dst, cb, index, at);
}
template <auto...>
TW_QUIET inline void llk_matmul_pack(uint32_t dst, uint32_t cb, uint32_t n = 1, TW_AT)
{
    matmul_pack_tile(dst, cb, n, at);
}

/* ---- integers: sums of a tile ------------------------------------------------------------ */

/* Leaves the rows that the unit processes at a time: 4 for columns, 2 columns for rows. */
TW_QUIET inline void sfpu_sum_int_init() {}
TW_QUIET inline void sfpu_sum_int_col(uint32_t dst, TW_AT)
{
    tw::dst_tile t = tw::dst_tile::in_place(dst, 30, true, at);
    for (unsigned row = 4; row < 32; row++)
        for (unsigned column = 0; column < 32; column++)
            t.i[tw::face_index(row % 4, column)] += t.i[tw::face_index(row, column)];
}
TW_QUIET inline void sfpu_sum_int_row(uint32_t dst, TW_AT)
{
    tw::dst_tile t = tw::dst_tile::in_place(dst, 40, true, at);
    for (unsigned row = 0; row < 32; row++)
        for (unsigned column = 0; column < 32; column++)
            if (unsigned to = column % 16 & ~1u; to != column)
                t.i[tw::face_index(row, to)] += t.i[tw::face_index(row, column)];
}
TW_QUIET inline void sfpu_add_int(uint32_t dst, uint32_t = 2, int32_t = 8, TW_AT)
{
    tw::of_two_integers(dst, dst + 1, dst, 4, at, [](int32_t x, int32_t y) TW_QUIET { return x + y; });
}

/* ---- rows of a tile to others -------------------------------------------------------- */

/* Adds row i to row idx[i] of the next tile if valid; the address is cb_get_tile's. */
TW_QUIET inline void reshuffle_rows_tile_init() {}
TW_QUIET inline void reshuffle_rows_tile(uint32_t dst, uint32_t indices, TW_AT)
{
    tw::dst_tile from = tw::dst_tile::source(dst, false, at),
                 to = tw::dst_tile::in_place(dst + 1, 64, false, at);
    for (unsigned row = 0; row < 32; row++) {
        uint32_t target = tw::bits_at(indices + 16, row, 8);
        for (unsigned column = 0; target < 32 && column < 32; column++)
            to.f[tw::face_index(target, column)] += from.f[tw::face_index(row, column)];
    }
}

/* ---- no effect here ------------------------------------------------------------------ */

TW_QUIET inline void tensix_sync() {}
#define TTI_NOP ((void)0)
#define TTI_SFPNOP ((void)0)
#define TTI_STALLWAIT(...) ((void)0)
namespace ckernel {
TW_QUIET inline void wait(uint32_t cycles, TW_AT) { tw::ask(at, TW_ASK_CYCLE, cycles); }
namespace sfpu {
TW_QUIET inline void _init_sfpu_config_reg() {}
} // namespace sfpu
} // namespace ckernel
TW_QUIET inline uint32_t mulsi3(uint32_t a, uint32_t b) { return a * b; }

/* ---- time ----------------------------------------------------------------------------------- */

namespace c_tensix_core {
TW_QUIET inline uint64_t read_wall_clock(TW_AT) { return (uint64_t)tw::ask(at, TW_ASK_CYCLE); }
} // namespace c_tensix_core
TW_QUIET inline uint64_t get_timestamp(TW_AT) { return (uint64_t)tw::ask(at, TW_ASK_CYCLE); }
TW_QUIET inline uint32_t get_timestamp_32b(TW_AT) { return (uint32_t)tw::ask(at, TW_ASK_CYCLE); }
TW_QUIET inline void riscv_wait(uint32_t cycles, TW_AT) { tw::ask(at, TW_ASK_CYCLE, cycles); }

/* ---- addresses in banks -------------------------------------------------------------- */

constexpr uint8_t DM_DEDICATED_NOC = 0, DM_DYNAMIC_NOC = 1, noc_mode = DM_DEDICATED_NOC;
#define NUM_NOCS 2
