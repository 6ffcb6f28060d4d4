/* kernel_api.hpp: the part of the kernel API that is more than one operation a function:
 * arguments, addresses, tensors, the NoC, printing, and the names that older kernels use.
 * Everything else is in kernel_ops.hpp. */
#pragma once

#include "kernel_base.hpp"
#include "kernel_ops.hpp"

/* ---- arguments ---------------------------------------------------------------------- */

namespace tw {

template <class T> TW_QUIET inline T as(int64_t bits)
{
    static_assert(sizeof(T) <= 8, "an argument is a word");
    T out;
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
        out = (T)bits;
    else
        __builtin_memcpy(&out, &bits, sizeof out);
    return out;
}

/* Constants where one is needed; else the operation, which knows what is wrong.  What is not
 * there, or is an address that only a run knows, lies outside the array for the compiler. */
template <unsigned i, class List>
constexpr uint32_t compile_time_arg(const List &list, TW_AT)
{
    if (__builtin_is_constant_evaluated())
        return list.at[i < list.n && !list.known[i] ? list.n : i].value;
    const int64_t attr = i;
    return (uint32_t)run(op_get_compile_time_arg_val, 0, at, 0, nullptr, 1, &attr);
}

struct compile_time_argument {
    uint32_t value;
};

template <size_t count> struct arg_list {
    static constexpr size_t n = count;
    compile_time_argument at[count ? count : 1];
    bool known[count ? count : 1];
};

} // namespace tw

#define get_compile_time_arg_val(i) (tw::compile_time_arg<(i)>(tw_compile_time_args))
#define get_ct_arg(i) get_compile_time_arg_val(i)

template <class T> TW_QUIET inline T get_arg_val(int64_t i, TW_AT)
{
    return tw::as<T>(tw::one_each(tw::op_get_arg_val, at, i));
}
template <class T> TW_QUIET inline T get_common_arg_val(int64_t i, TW_AT)
{
    return tw::as<T>(tw::one_each(tw::op_get_common_arg_val, at, i));
}

/* ---- where the core is -------------------------------------------------------------- */

namespace tw {

struct own_noc {
    TW_QUIET operator uint8_t() const { return (uint8_t)ask(mine.last, TW_ASK_NOC); }
};

struct coordinate {
    unsigned op;
    TW_QUIET uint8_t operator[](int64_t noc) const
    {
        return (uint8_t)one_each(op, mine.last, noc);
    }
};

} // namespace tw

constexpr tw::own_noc noc_index;
constexpr tw::coordinate my_x = {tw::op_my_x}, my_y = {tw::op_my_y};

TW_QUIET inline uint32_t get_relative_logical_x(TW_AT) { return get_absolute_logical_x(at); }
TW_QUIET inline uint32_t get_relative_logical_y(TW_AT) { return get_absolute_logical_y(at); }

/* ---- places on the NoC -------------------------------------------------------------- */

namespace tw {

/* Bits of a place: address 0-31, x 32, y 38, x_end 44, y_end 50 (six each). */
TW_QUIET inline int64_t place_x(uint64_t p) { return (int64_t)(p >> 32 & 63); }
TW_QUIET inline int64_t place_y(uint64_t p) { return (int64_t)(p >> 38 & 63); }
TW_QUIET inline int64_t place_x_end(uint64_t p) { return (int64_t)(p >> 44 & 63); }
TW_QUIET inline int64_t place_y_end(uint64_t p) { return (int64_t)(p >> 50 & 63); }
TW_QUIET inline int64_t place_address(uint64_t p) { return (int64_t)(p & 0xFFFFFFFF); }

/* The thread's own NoC is what an operation takes without the operand. */
struct noc {
    int64_t id;
    TW_QUIET noc(int64_t i = absent) : id(i) {}
    TW_QUIET noc(own_noc) : id(absent) {}
    TW_QUIET noc(int i) : id(i) {}
    TW_QUIET noc(uint8_t i) : id(i) {}
    TW_QUIET noc(uint32_t i) : id(i) {}
    TW_QUIET bool given() const { return id != absent; }
};

} // namespace tw

TW_QUIET inline uint64_t get_noc_addr(int64_t x, int64_t y, tw::l1_address address,
                                      tw::noc noc = {}, TW_AT)
{
    const int64_t v[] = {x, y, address, noc.id};
    return (uint64_t)tw::run(tw::op_get_noc_addr, noc.given() ? 0x1111 : 0x111, at,
                             noc.given() ? 4 : 3, v);
}
/* of this core's own L1 */
TW_QUIET inline uint64_t get_noc_addr(uint32_t address, tw::noc noc = {}, TW_AT)
{
    int64_t x = tw::run(tw::op_my_x, 0, at, 0, nullptr);
    int64_t y = tw::run(tw::op_my_y, 0, at, 0, nullptr);
    return get_noc_addr(x, y, address, noc, at);
}
TW_QUIET inline uint64_t get_noc_multicast_addr(int64_t x0, int64_t y0, int64_t x1,
                                                int64_t y1, tw::l1_address address,
                                                tw::noc noc = {}, TW_AT)
{
    const int64_t v[] = {x0, y0, x1, y1, address, noc.id};
    return (uint64_t)tw::run(tw::op_get_noc_multicast_addr,
                             noc.given() ? 0x111111 : 0x11111, at, noc.given() ? 6 : 5, v);
}
template <bool DRAM>
TW_QUIET inline uint64_t get_noc_addr_from_bank_id(uint32_t bank, uint32_t address,
                                                   tw::noc = {}, TW_AT)
{
    static_assert(DRAM, "banks of DRAM; cores of L1 have places of their own");
    return (uint64_t)tw::one_each(tw::op_get_noc_addr_from_bank_id, at, bank,
                                  (int32_t)address);
}

/* ---- tensors ------------------------------------------------------------------------ */

template <uint32_t CTA, uint32_t CRTA = 0> struct TensorAccessorArgs {
    /* A constant does nothing; a variable is the operation. */
    constexpr TensorAccessorArgs(TW_AT) : bits(0)
    {
        if (!__builtin_is_constant_evaluated())
            bits = make(at);
    }
    static TW_QUIET int64_t make(tw::at at)
    {
        const int64_t v[] = {CTA, CRTA};
        return tw::run(tw::op_TensorAccessorArgs, 0x11, at, 2, v);
    }
    static constexpr uint32_t next_compile_time_args_offset() { return CTA + 1; }
    static constexpr uint32_t next_common_runtime_args_offset() { return CRTA; }
    static constexpr uint32_t num_compile_time_args() { return 1; }
    static constexpr uint32_t num_common_runtime_args() { return 0; }
    int64_t bits;
};

struct PageMapping {
    size_t bank_id;
    size_t bank_page_offset;
};

struct TensorAccessor {
    int64_t bits;
    uint32_t bank_base_address, page_size;

    template <uint32_t CTA, uint32_t CRTA>
    TW_QUIET TensorAccessor(const TensorAccessorArgs<CTA, CRTA> &args, uint32_t base,
                            int64_t page = tw::absent, TW_AT)
        : bank_base_address(base)
    {
        const int64_t v[] = {args.bits ? args.bits : args.make(at), (int32_t)base, page};
        bool given = page != tw::absent;
        bits = tw::run(tw::op_TensorAccessor, given ? 0x111 : 0x11, at, given ? 3 : 2, v);
        page_size = (uint32_t)tw::ask(at, TW_ASK_PAGE_BYTES, bits);
    }
    TW_QUIET uint32_t get_aligned_page_size() const { return page_size; }
    TW_QUIET uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, tw::noc noc = {},
                                   TW_AT) const
    {
        return with_noc(tw::op_tensor_accessor_get_noc_addr, page, offset, noc, at);
    }
    TW_QUIET uint64_t get_shard_noc_addr(uint32_t shard, uint32_t offset = 0,
                                         tw::noc noc = {}, TW_AT) const
    {
        return with_noc(tw::op_tensor_accessor_get_shard_noc_addr, shard, offset, noc, at);
    }
    TW_QUIET PageMapping get_bank_and_offset(uint32_t page, TW_AT) const
    {
        int64_t v =
            tw::one_each(tw::op_tensor_accessor_get_bank_and_offset, at, bits, page);
        return {(size_t)(v >> 32), (size_t)(v & 0xFFFFFFFF)};
    }
    TW_QUIET bool is_local_bank(uint32_t id, uint32_t offset = 0, tw::noc noc = {},
                                TW_AT) const
    {
        return with_noc(tw::op_tensor_accessor_is_local_bank, id, offset, noc, at);
    }
    TW_QUIET bool is_local_addr(uint32_t x, uint32_t y, tw::noc noc = {}, TW_AT) const
    {
        return with_noc(tw::op_tensor_accessor_is_local_addr, x, y, noc, at);
    }
    TW_QUIET bool is_local_page(uint32_t page, tw::noc = {}, TW_AT) const
    {
        return tw::one_each(tw::op_tensor_accessor_is_local_page, at, bits, page);
    }
    TW_QUIET bool is_local_shard(uint32_t shard, tw::noc = {}, TW_AT) const
    {
        return tw::one_each(tw::op_tensor_accessor_is_local_shard, at, bits, shard);
    }

  private:
    TW_QUIET uint64_t with_noc(unsigned op, int64_t a, int64_t b, tw::noc noc,
                               tw::at at) const
    {
        const int64_t v[] = {bits, (int32_t)a, (int32_t)b, noc.id};
        return (uint64_t)tw::run(op, noc.given() ? 0x1111 : 0x111, at, noc.given() ? 4 : 3,
                                 v);
    }
};

/* Older kernels say where an interleaved tensor lies. */
template <bool DRAM> struct InterleavedAddrGen {
    uint32_t bank_base_address;
    uint32_t page_size;
    TW_QUIET uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0, tw::noc = {},
                                   TW_AT) const
    {
        return (uint64_t)tw::ask(at, TW_ASK_INTERLEAVED, bank_base_address, id, page_size,
                                 DRAM) +
               offset;
    }
};
template <bool DRAM> struct InterleavedPow2AddrGen {
    uint32_t bank_base_address;
    uint32_t log_base_2_of_page_size;
    TW_QUIET uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0, tw::noc = {},
                                   TW_AT) const
    {
        return (uint64_t)tw::ask(at, TW_ASK_INTERLEAVED, bank_base_address, id,
                                 INT64_C(1) << log_base_2_of_page_size, DRAM) +
               offset;
    }
};
template <bool DRAM, uint32_t tile_hw = 1024> struct InterleavedAddrGenFast {
    uint32_t bank_base_address;
    uint32_t page_size;
    DataFormat data_format;
    TW_QUIET uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0, tw::noc = {},
                                   TW_AT) const
    {
        return (uint64_t)tw::ask(at, TW_ASK_INTERLEAVED, bank_base_address, id, page_size,
                                 DRAM) +
               offset;
    }
};
template <bool DRAM> using InterleavedPow2AddrGenFast = InterleavedPow2AddrGen<DRAM>;

template <class Tensor, class = decltype(&Tensor::get_noc_addr)>
TW_QUIET inline uint64_t get_noc_addr(uint32_t id, const Tensor &tensor,
                                      uint32_t offset = 0, tw::noc noc = {}, TW_AT)
{
    return tensor.get_noc_addr(id, offset, noc, at);
}

/* ---- reads and writes --------------------------------------------------------------- */

namespace tw {

/* from or to a place: no core, no bank, an address that is a place */
TW_QUIET inline void read(uint64_t from, int64_t to, int64_t size, noc n, at at)
{
    const int64_t v[] = {(int64_t)from, to, size, n.id};
    run(op_noc_async_read, n.given() ? 0x111100 : 0x11100, at, n.given() ? 4 : 3, v);
}
TW_QUIET inline void write(int64_t from, uint64_t to, int64_t size, noc n, at at)
{
    const int64_t v[] = {from, (int64_t)to, size, n.id};
    run(op_noc_async_write, n.given() ? 0x111001 : 0x11001, at, n.given() ? 4 : 3, v);
}
TW_QUIET inline void multicast(unsigned op, int64_t from, uint64_t to, int64_t size,
                               int64_t receivers, bool linked, noc n, at at)
{
    const int64_t v[] = {from,         size,           receivers,
                         place_x(to),  place_y(to),    place_x_end(to),
                         place_y_end(to), place_address(to), n.id};
    const int64_t attr = linked;
    run(op, n.given() ? 0x111111111 : 0x11111111, at, n.given() ? 9 : 8, v, 1, &attr);
}

} // namespace tw

TW_QUIET inline void noc_async_read(uint64_t from, tw::l1_address to, uint32_t size,
                                    tw::noc noc = {}, TW_AT)
{
    tw::read(from, to, size, noc, at);
}
template <uint32_t max_page_size, bool... options>
TW_QUIET inline void noc_async_read(uint64_t from, tw::l1_address to, uint32_t size,
                                    tw::noc noc = {}, TW_AT)
{
    tw::read(from, to, size, noc, at);
}
TW_QUIET inline void noc_async_read_one_packet(uint64_t from, tw::l1_address to,
                                               uint32_t size, tw::noc noc = {}, TW_AT)
{
    tw::read(from, to, size, noc, at);
}
TW_QUIET inline void noc_async_write(tw::l1_address from, uint64_t to, uint32_t size,
                                     tw::noc noc = {}, TW_AT)
{
    tw::write(from, to, size, noc, at);
}
template <uint32_t max_page_size, bool... options>
TW_QUIET inline void noc_async_write(tw::l1_address from, uint64_t to, uint32_t size,
                                     tw::noc noc = {}, TW_AT)
{
    tw::write(from, to, size, noc, at);
}
TW_QUIET inline void noc_async_write_one_packet(tw::l1_address from, uint64_t to,
                                                uint32_t size, tw::noc noc = {}, TW_AT)
{
    tw::write(from, to, size, noc, at);
}
TW_QUIET inline void noc_async_write_one_packet_with_trid(tw::l1_address from, uint64_t to,
                                                          uint32_t size, uint32_t trid,
                                                          tw::noc noc = {}, TW_AT)
{
    const int64_t v[] = {from, (int64_t)to, size, trid, noc.id};
    tw::run(tw::op_noc_async_write_one_packet_with_trid,
            noc.given() ? 0x1111001 : 0x111001, at, noc.given() ? 5 : 4, v);
}
TW_QUIET inline void noc_async_read_one_packet_set_state(uint64_t from, uint32_t size,
                                                         tw::noc noc = {}, TW_AT)
{
    const int64_t v[] = {(int64_t)from, size, noc.id};
    tw::run(tw::op_noc_async_read_one_packet_set_state, noc.given() ? 0x11100 : 0x1100, at,
            noc.given() ? 3 : 2, v);
}
TW_QUIET inline void noc_async_read_one_packet_with_state(uint64_t from, tw::l1_address to,
                                                          uint32_t size, tw::noc noc = {},
                                                          TW_AT)
{
    const int64_t v[] = {(int64_t)from, to, size, noc.id};
    tw::run(tw::op_noc_async_read_one_packet_with_state,
            noc.given() ? 0x111100 : 0x11100, at, noc.given() ? 4 : 3, v);
}

TW_QUIET inline void noc_async_read_tile(uint32_t id, const TensorAccessor &tensor,
                                         tw::l1_address to, uint32_t offset = 0,
                                         tw::noc noc = {}, TW_AT)
{
    if (offset)
        return tw::read(tensor.get_noc_addr(id, offset, noc, at), to,
                        tensor.page_size - offset, noc, at);
    const int64_t v[] = {(int32_t)id, tensor.bits, to, noc.id};
    tw::run(tw::op_noc_async_read_tile, noc.given() ? 0x1111 : 0x111, at,
            noc.given() ? 4 : 3, v);
}
TW_QUIET inline void noc_async_write_tile(uint32_t id, const TensorAccessor &tensor,
                                          tw::l1_address from, tw::noc noc = {}, TW_AT)
{
    const int64_t v[] = {(int32_t)id, tensor.bits, from, noc.id};
    tw::run(tw::op_noc_async_write_tile, noc.given() ? 0x1111 : 0x111, at,
            noc.given() ? 4 : 3, v);
}
template <class Tensor, class = decltype(Tensor::page_size)>
TW_QUIET inline void noc_async_read_tile(uint32_t id, const Tensor &tensor,
                                         tw::l1_address to, uint32_t offset = 0,
                                         tw::noc noc = {}, TW_AT)
{
    tw::read(tensor.get_noc_addr(id, offset, noc, at), to, tensor.page_size - offset, noc,
             at);
}
template <class Tensor, class = decltype(Tensor::page_size)>
TW_QUIET inline void noc_async_write_tile(uint32_t id, const Tensor &tensor,
                                          tw::l1_address from, tw::noc noc = {}, TW_AT)
{
    tw::write(from, tensor.get_noc_addr(id, 0, noc, at), tensor.page_size, noc, at);
}
template <class Tensor>
TW_QUIET inline void noc_async_read_page(uint32_t id, const Tensor &tensor,
                                         tw::l1_address to, uint32_t offset = 0,
                                         tw::noc noc = {}, TW_AT)
{
    noc_async_read_tile(id, tensor, to, offset, noc, at);
}
template <class Tensor>
TW_QUIET inline void noc_async_write_page(uint32_t id, const Tensor &tensor,
                                          tw::l1_address from, uint32_t size = 0,
                                          uint32_t offset = 0, tw::noc noc = {}, TW_AT)
{
    tw::write(from, tensor.get_noc_addr(id, offset, noc, at),
              size ? size : tensor.page_size - offset, noc, at);
}
template <class Tensor>
TW_QUIET inline void noc_async_read_shard(uint32_t id, const Tensor &tensor,
                                          tw::l1_address to, uint32_t size,
                                          tw::noc noc = {}, TW_AT)
{
    tw::read(tensor.get_shard_noc_addr(id, 0, noc, at), to, size, noc, at);
}
template <class Tensor>
TW_QUIET inline void noc_async_write_shard(uint32_t id, const Tensor &tensor,
                                           tw::l1_address from, uint32_t size,
                                           tw::noc noc = {}, TW_AT)
{
    tw::write(from, tensor.get_shard_noc_addr(id, 0, noc, at), size, noc, at);
}

TW_QUIET inline void noc_async_write_multicast(tw::l1_address from, uint64_t to,
                                               uint32_t size, uint32_t receivers,
                                               bool linked = false, tw::noc noc = {}, TW_AT)
{
    tw::multicast(tw::op_noc_async_write_multicast, from, to, size, receivers, linked, noc,
                  at);
}
TW_QUIET inline void noc_async_write_multicast_one_packet(tw::l1_address from, uint64_t to,
                                                          uint32_t size, uint32_t receivers,
                                                          bool linked = false,
                                                          tw::noc noc = {}, TW_AT)
{
    tw::multicast(tw::op_noc_async_write_multicast_one_packet, from, to, size, receivers,
                  linked, noc, at);
}
TW_QUIET inline void noc_async_write_multicast_loopback_src(tw::l1_address from,
                                                            uint64_t to, uint32_t size,
                                                            uint32_t receivers,
                                                            bool linked = false,
                                                            tw::noc noc = {}, TW_AT)
{
    tw::multicast(tw::op_noc_async_write_multicast_loopback_src, from, to, size, receivers,
                  linked, noc, at);
}

TW_QUIET inline void noc_inline_dw_write(uint64_t to, uint32_t value, uint8_t enable = 0xF,
                                         tw::noc noc = {}, TW_AT)
{
    const int64_t v[] = {tw::place_x(to), tw::place_y(to), tw::place_address(to),
                         (int32_t)value, (int8_t)enable, noc.id};
    tw::run(tw::op_noc_inline_dw_write, noc.given() ? 0x111111 : 0x11111, at,
            noc.given() ? 6 : 5, v);
}

/* Writes leave their source before they arrive; here both are one. */
TW_QUIET inline void noc_async_writes_flushed(tw::noc noc = {}, TW_AT)
{
    noc_async_write_barrier(noc.id, at);
}
TW_QUIET inline void noc_async_full_barrier(tw::noc noc = {}, TW_AT)
{
    noc_async_read_barrier(noc.id, at);
    noc_async_write_barrier(noc.id, at);
    noc_async_atomic_barrier(noc.id, at);
}

/* ---- semaphores --------------------------------------------------------------------- */

TW_QUIET inline void noc_semaphore_set(tw::l1_address semaphore, uint32_t value, TW_AT)
{
    tw::one_each(tw::op_noc_semaphore_set, at, semaphore, value);
}
TW_QUIET inline void noc_semaphore_wait(tw::l1_address semaphore, uint32_t value, TW_AT)
{
    tw::one_each(tw::op_experimental_semaphore_wait, at, semaphore, value);
}
TW_QUIET inline void noc_semaphore_wait_min(tw::l1_address semaphore, uint32_t value, TW_AT)
{
    tw::one_each(tw::op_experimental_semaphore_wait_min, at, semaphore, (int32_t)value);
}
template <bool posted = false>
TW_QUIET inline void noc_semaphore_inc(uint64_t to, uint32_t by, tw::noc noc = {}, TW_AT)
{
    const int64_t v[] = {(int64_t)to, by, noc.id}, attr = posted;
    tw::run(tw::op_noc_semaphore_inc, noc.given() ? 0x111 : 0x11, at, noc.given() ? 3 : 2,
            v, 1, &attr);
}
template <bool posted = false>
TW_QUIET inline void noc_semaphore_inc_multicast(uint64_t to, uint32_t by,
                                                 uint32_t receivers, tw::noc noc = {},
                                                 TW_AT)
{
    const int64_t v[] = {(int64_t)to, by, receivers, noc.id}, attr = posted;
    tw::run(tw::op_noc_semaphore_inc_multicast, noc.given() ? 0x1111 : 0x111, at,
            noc.given() ? 4 : 3, v, 1, &attr);
}
TW_QUIET inline void noc_semaphore_set_remote(tw::l1_address from, uint64_t to,
                                              tw::noc noc = {}, TW_AT)
{
    const int64_t v[] = {from, (int64_t)to, noc.id};
    tw::run(tw::op_remote_sram_write_u32, noc.given() ? 0x111 : 0x11, at,
            noc.given() ? 3 : 2, v);
}
TW_QUIET inline void remote_sram_write_u32(tw::l1_address from, uint64_t to,
                                           tw::noc noc = {}, TW_AT)
{
    noc_semaphore_set_remote(from, to, noc, at);
}
TW_QUIET inline void noc_semaphore_set_multicast(tw::l1_address from, uint64_t to,
                                                 uint32_t receivers, bool linked = false,
                                                 tw::noc = {}, TW_AT)
{
    const int64_t v[] = {from, (int64_t)to, receivers}, attr = linked;
    tw::run(tw::op_noc_semaphore_set_multicast, 0x111, at, 3, v, 1, &attr);
}
TW_QUIET inline void noc_semaphore_set_multicast_loopback_src(tw::l1_address from,
                                                              uint64_t to,
                                                              uint32_t receivers,
                                                              bool linked = false,
                                                              tw::noc = {}, TW_AT)
{
    const int64_t v[] = {from, (int64_t)to, receivers}, attr = linked;
    tw::run(tw::op_noc_semaphore_set_multicast_loopback_src, 0x111, at, 3, v, 1, &attr);
}
namespace experimental {
TW_QUIET inline void semaphore_wait(tw::l1_address s, uint32_t value, TW_AT)
{
    noc_semaphore_wait(s, value, at);
}
TW_QUIET inline void semaphore_wait_min(tw::l1_address s, uint32_t value, TW_AT)
{
    noc_semaphore_wait_min(s, value, at);
}
} // namespace experimental

/* ---- words of L1 -------------------------------------------------------------------- */

namespace tw::l1 {

template <class T> TW_QUIET T word<T>::get() const volatile
{
    if (is_local())
        return number;
    static_assert(sizeof(T) <= 4 || sizeof(T) == 8);
    const int64_t v[] = {(int64_t)(uintptr_t)this, 0};
    const tw_kernel_place here = {nullptr, 0, 0, (uintptr_t)__builtin_return_address(0)};
    return (T)run(op_load_from_l1, 0x11, here, 2, v, 0, nullptr, 8 * sizeof(T));
}

template <class T> TW_QUIET void word<T>::set(T value) volatile
{
    if (is_local()) {
        number = value;
        return;
    }
    const int64_t v[] = {(int64_t)value, (int64_t)(uintptr_t)this, 0};
    const tw_kernel_place here = {nullptr, 0, 0, (uintptr_t)__builtin_return_address(0)};
    run(op_store_to_l1, 0x111, here, 3, v, 0, nullptr, 8 * sizeof(T));
}

} // namespace tw::l1

#define invalidate_l1_cache() ((void)0)

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
/* Older kernels say here whether the second matrix is transposed. */
TW_QUIET inline void matmul_tiles(uint32_t in0, uint32_t in1, int64_t tile0, int64_t tile1,
                                  int64_t dst, uint32_t transpose, TW_AT)
{
    if (transpose)
        tw::one_each(tw::op_matmul_block, at, in0, in1, tile0, tile1, dst, 1, 1, 1, 1);
    else
        tw::one_each(tw::op_matmul_tiles, at, in0, in1, tile0, tile1, dst);
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
TW_QUIET inline void pack_reconfig_data_format(uint32_t cb, TW_AT)
{
    tw::one_each(tw::op_pack_reconfig_data_format, at, cb);
}
TW_QUIET inline void pack_reconfig_data_format(uint32_t, uint32_t cb, TW_AT)
{
    tw::one_each(tw::op_pack_reconfig_data_format, at, cb);
}
TW_QUIET inline void copy_tile_to_dst_init_short_with_dt(uint32_t, uint32_t cb,
                                                         uint32_t = 0, TW_AT)
{
    tw::one_each(tw::op_reconfig_data_format_srca, at, cb);
    tw::one_each(tw::op_copy_tile_init, at, cb);
}

/* Older kernels hand DST over as a whole: the packer takes it with the first tile that it
 * packs. */
namespace tw {
inline bool old_dst;

TW_QUIET inline void hand_over(at at)
{
    if (old_dst && ask(at, TW_ASK_DST_IS_MATHS)) {
        tile_regs_commit(at);
        tile_regs_wait(at);
    }
}
} // namespace tw

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
    tw::hand_over(at);
    const int64_t v[] = {dst, cb, index}, attr = out_of_order;
    tw::run(tw::op_pack_tile, 0x111, at, 3, v, 1, &attr);
}
TW_QUIET inline void untilize_init(uint32_t in, uint32_t = 0, TW_AT)
{
    tw::one_each(tw::op_untilize_init, at, in);
}
TW_QUIET inline void transpose_wh_init_short(uint32_t in, TW_AT)
{
    tw::one_each(tw::op_transpose_wh_init, at, in, in);
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
template <uint32_t columns = 1, uint32_t all_columns = columns>
TW_QUIET inline void pack_untilize_block(uint32_t in, uint32_t rows, uint32_t out, TW_AT)
{
    const int64_t v[] = {in, out, rows, columns}, a[] = {columns, all_columns};
    tw::run(tw::op_experimental_pack_untilize_block, 0x1111, at, 4, v, 2, a);
}

/* ---- one operand broadcast ----------------------------------------------------------- */

namespace tw {
TW_QUIET inline void with_broadcast(unsigned op, BroadcastType kind, uint32_t a, uint32_t b,
                                    int64_t tile_a, int64_t tile_b, int64_t dst, at at)
{
    const int64_t v[] = {a, b, tile_a, tile_b, dst};
    unsigned variant = kind == BroadcastType::NONE ? 0 : 1 + (unsigned)kind;
    run(op, 0x11111, at, 5, v, 0, nullptr, 32, variant);
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
        op##_tiles_init(a, b, false, at);                                                  \
    }                                                                                      \
    TW_QUIET inline void op##_bcast_cols_init_short(uint32_t a = 0, uint32_t b = 1, TW_AT) \
    {                                                                                      \
        op##_tiles_init(a, b, false, at);                                                  \
    }                                                                                      \
    TW_QUIET inline void op##_tiles_bcast_scalar_init_short(uint32_t a = 0,                \
                                                            uint32_t b = 1, TW_AT)         \
    {                                                                                      \
        op##_tiles_init(a, b, false, at);                                                  \
    }
TW_BROADCASTS(add)
TW_BROADCASTS(sub)
TW_BROADCASTS(mul)

template <EltwiseBinaryType type, BroadcastType>
TW_QUIET inline void init_bcast(uint32_t a, uint32_t b, uint32_t out = 16, TW_AT)
{
    binary_op_init_common(a, b, out, at);
    tw::one_each(type == EltwiseBinaryType::ELWADD   ? tw::op_add_tiles_init
                 : type == EltwiseBinaryType::ELWSUB ? tw::op_sub_tiles_init
                                                     : tw::op_mul_tiles_init,
                 at, a, b);
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

/* ---- older and other names of integers' functions ----------------------------------- */

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

/* ---- printing ----------------------------------------------------------------------- */

namespace tw {

/* One statement's text; printed when the statement ends. */
class printer {
    char text[480];
    unsigned n = 0;
    tw_kernel_place where;
    bool hex = false;

    TW_QUIET void put(char c)
    {
        if (n + 1 < sizeof text)
            text[n++] = c;
    }
    TW_QUIET void digits(uint64_t v, unsigned base)
    {
        char reverse[24];
        unsigned k = 0;
        do
            reverse[k++] = "0123456789abcdef"[v % base];
        while (v /= base);
        while (k)
            put(reverse[--k]);
    }

  public:
    TW_QUIET explicit printer(tw_kernel_place p) : where(p) {}
    printer(const printer &) = delete;
    TW_QUIET ~printer()
    {
        while (n && text[n - 1] == '\n')
            n--;
        text[n] = 0;
        if (n)
            machine->print(mine.thread, &where, text);
    }
    TW_QUIET void set_hex(bool on) { hex = on; }
    TW_QUIET void add(const char *s)
    {
        while (*s)
            put(*s++);
    }
    TW_QUIET void add(char c) { put(c); }
    TW_QUIET void add(bool b) { put(b ? '1' : '0'); }
    TW_QUIET void add(double d);
    TW_QUIET void add(int64_t v)
    {
        if (v < 0 && !hex)
            put('-');
        digits(v < 0 && !hex ? -(uint64_t)v : (uint64_t)v, hex ? 16 : 10);
    }
    TW_QUIET void add(uint64_t v) { digits(v, hex ? 16 : 10); }
    template <class T> TW_QUIET void any(const T &v)
    {
        if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, char>)
            add(v);
        else if constexpr (std::is_floating_point_v<T>)
            add((double)v);
        else if constexpr (std::is_enum_v<T>)
            add((int64_t)v);
        else if constexpr (std::is_unsigned_v<T>)
            add((uint64_t)v);
        else if constexpr (std::is_integral_v<T>)
            add((int64_t)v);
        else
            v.print(*this);
    }
    TW_QUIET void any(const char *s) { add(s); }
    template <class T> TW_QUIET void any(const volatile l1::word<T> &v) { any((T)v); }
    TW_QUIET void format(const char *f) { add(f); }
    template <class T, class... Rest>
    TW_QUIET void format(const char *f, const T &v, const Rest &...rest)
    {
        for (; *f; f++) {
            if (f[0] == '{') {
                const char *end = f;
                while (*end && *end != '}')
                    end++;
                if (*end) {
                    any(v);
                    return format(end + 1, rest...);
                }
            }
            put(*f);
        }
    }
};

/* Six significant digits, as streams print. */
TW_QUIET inline void printer::add(double d)
{
    if (d != d)
        return add("nan");
    if (d < 0) {
        put('-');
        d = -d;
    }
    if (d > 1.7e308)
        return add("inf");
    int exponent = 0;
    double scaled = d;
    for (; scaled >= 10; exponent++)
        scaled /= 10;
    for (; scaled && scaled < 1; exponent--)
        scaled *= 10;
    bool plain = exponent >= -5 && exponent < 6;
    uint64_t number = (uint64_t)(scaled * 100000 + 0.5);
    char all[8];
    for (int i = 5; i >= 0; i--, number /= 10)
        all[i] = (char)('0' + number % 10);
    int last = 5;
    while (last > 0 && all[last] == '0')
        last--;
    if (plain && exponent < 0) {
        add("0.");
        for (int i = -1; i > exponent; i--)
            put('0');
    }
    int point = plain ? exponent : 0;
    for (int i = 0; i <= last || (plain && i <= point); i++) {
        put(all[i]);
        if (i == point && i < last)
            put('.');
    }
    if (!plain) {
        put('e');
        add((int64_t)exponent);
    }
}

struct printing {
    printer p;
    TW_QUIET explicit printing(tw_kernel_place place) : p(place) {}
    template <class T> TW_QUIET printing &operator<<(const T &v)
    {
        p.any(v);
        return *this;
    }
    TW_QUIET printing &operator<<(const char *s)
    {
        p.add(s);
        return *this;
    }
    template <class... T> TW_QUIET void operator()(const char *f, const T &...v)
    {
        p.format(f, v...);
    }
};
struct end_line {
    TW_QUIET void print(printer &p) const { p.add('\n'); }
};
struct base_to {
    bool hex;
    TW_QUIET void print(printer &p) const { p.set_hex(hex); }
};
struct nothing {
    TW_QUIET void print(printer &) const {}
};

} // namespace tw

#define DPRINT (tw::printing(TW_HERE))
#define DPRINT_MATH(x) x
#define DPRINT_PACK(x) x
#define DPRINT_UNPACK(x) x
#define DPRINT_DATA0(x) x
#define DPRINT_DATA1(x) x
TW_QUIET inline tw::end_line ENDL() { return {}; }
TW_QUIET inline tw::base_to HEX() { return {true}; }
TW_QUIET inline tw::base_to DEC() { return {false}; }
TW_QUIET inline tw::nothing FIXED() { return {}; }
TW_QUIET inline tw::nothing DEFAULTFLOAT() { return {}; }
TW_QUIET inline tw::nothing SETW(int, bool = true) { return {}; }
TW_QUIET inline tw::nothing SETPRECISION(int) { return {}; }
TW_QUIET inline float F32(float f) { return f; }
TW_QUIET inline uint32_t U32(uint32_t v) { return v; }
TW_QUIET inline float BF16(uint16_t v)
{
    uint32_t bits = (uint32_t)v << 16;
    float f;
    __builtin_memcpy(&f, &bits, sizeof f);
    return f;
}

/* ---- the rest ----------------------------------------------------------------------- */

#ifndef NAN
#define NAN (__builtin_nanf(""))
#endif
#ifndef INFINITY
#define INFINITY (__builtin_inff())
#endif
#define MEM_ZEROS_BASE (tw::run(tw::op_mem_zeros_base, 0, TW_HERE, 0, nullptr))
#define MEM_ZEROS_SIZE (tw::run(tw::op_mem_zeros_size, 0, TW_HERE, 0, nullptr))
enum VectorMode { None = 0, R = 1, C = 2, RC = 4, RC_custom = 6, Invalid = 0xFF };
#define INVALID 0
#define VALID 1
#define NOC_MAX_BURST_SIZE 8192
#define L1_ALIGNMENT 16
#define NOC_UNICAST_WRITE_VC 1
#define NOC_MULTICAST_WRITE_VC 4
#define UNPACK(x) x
#define MATH(x) x
#define PACK(x) x
#define DeviceZoneScopedN(name)
#define DeviceZoneScopedMainN(name)
#define DeviceZoneScopedMainChildN(name)
#define WAYPOINT(x)
#define ASSERT(x)
#define NAMESPACE
#define MAIN kernel_main()

namespace tt {
enum CBIndex : uint8_t {
    c_0, c_1, c_2, c_3, c_4, c_5, c_6, c_7, c_8, c_9, c_10, c_11, c_12, c_13, c_14, c_15,
    c_16, c_17, c_18, c_19, c_20, c_21, c_22, c_23, c_24, c_25, c_26, c_27, c_28, c_29,
    c_30, c_31,
};
/* the older names of inputs, intermediates and outputs */
enum CB : uint8_t {
    c_in0, c_in1, c_in2, c_in3, c_in4, c_in5, c_in6, c_in7,
    dataflow0, dataflow1, dataflow2, dataflow3, dataflow4, dataflow5, dataflow6, dataflow7,
    c_out0, c_out1, c_out2, c_out3, c_out4, c_out5, c_out6, c_out7,
    c_intermed0, c_intermed1, c_intermed2, c_intermed3, c_intermed4, c_intermed5,
    c_intermed6, c_intermed7,
};
using ::DataFormat;
} // namespace tt
namespace ckernel {
enum class DataLayout { TILE, ROW_MAJOR };
using ::matmul_tiles;
using ::mm_init;
using ::pack_tile;
} // namespace ckernel

/* ---- what the machine looks for ----------------------------------------------------- */

#define TW_KERNEL_MODULE(...)                                                              \
    extern "C" __attribute__((visibility("hidden"))) TW_QUIET void                         \
    __sanitizer_cov_trace_pc()                                    \
    {                                                                                      \
        if (++tw::mine.blocks >= 4096) {                                                   \
            uint32_t blocks = tw::mine.blocks;                                             \
            tw::mine.blocks = 0;                                                           \
            tw::machine->step(tw::mine.thread, blocks);                                    \
        }                                                                                  \
    }                                                                                      \
    static void (*const tw_entries[])(void) = {__VA_ARGS__};                               \
    TW_QUIET static void tw_bind(const tw_kernel_machine *m) { tw::machine = m; }          \
    TW_QUIET static void tw_enter(void *t)                                                 \
    {                                                                                      \
        tw::mine.thread = t;                                                               \
        tw::mine.blocks = 0;                                                               \
    }                                                                                      \
    extern "C" __attribute__((visibility("default"))) const tw_kernel_module_info          \
        tw_kernel_module = {TW_KERNEL_ABI, sizeof tw_entries / sizeof *tw_entries,         \
                            tw_bind, tw_enter, tw_entries}
