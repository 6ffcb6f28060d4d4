/* kernel_data.hpp: data movement: NoC reads, writes, multicasts; semaphores, words of
 * L1. */
#pragma once

#include "kernel_address.hpp"

/* ---- reads and writes --------------------------------------------------------------- */

namespace tw {

/* from or to a NoC address: it needs no core or bank operands */
TW_QUIET inline void read(uint64_t from, int64_t to, int64_t size, noc n, at at,
                          bool one_packet = false)
{
    const int64_t v[] = {(int64_t)from, to, size, n.id};
    run(op_noc_async_read, n.given() ? 0x111100 : 0x11100, at, n.given() ? 4 : 3, v, 0,
        nullptr, 32, one_packet);
}
TW_QUIET inline void write(int64_t from, uint64_t to, int64_t size, noc n, at at,
                           bool one_packet = false)
{
    const int64_t v[] = {from, (int64_t)to, size, n.id};
    run(op_noc_async_write, n.given() ? 0x111001 : 0x11001, at, n.given() ? 4 : 3, v, 0,
        nullptr, 32, one_packet);
}
TW_QUIET inline void multicast(unsigned op, int64_t from, uint64_t to, int64_t size,
                               int64_t receivers, bool linked, noc n, at at)
{
    const int64_t v[] = {from,         size,           receivers,
                         address_x(to), address_y(to), address_x_end(to),
                         address_y_end(to), address_offset(to), n.id};
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
/* Virtual channels are ignored. */
TW_QUIET inline void noc_async_read(uint64_t from, tw::l1_address to, uint32_t size,
                                    tw::noc noc, uint32_t, TW_AT)
{
    tw::read(from, to, size, noc, at);
}
TW_QUIET inline void noc_async_write(tw::l1_address from, uint64_t to, uint32_t size,
                                     tw::noc noc, uint32_t, TW_AT)
{
    tw::write(from, to, size, noc, at);
}
TW_QUIET inline void noc_async_read_one_packet(uint64_t from, tw::l1_address to,
                                               uint32_t size, tw::noc noc = {}, TW_AT)
{
    tw::read(from, to, size, noc, at, true);
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
    tw::write(from, to, size, noc, at, true);
}
TW_QUIET inline void noc_async_write_one_packet_with_trid(tw::l1_address from, uint64_t to,
                                                          uint32_t size, uint32_t trid,
                                                          tw::noc noc = {}, TW_AT)
{
    const int64_t v[] = {from, (int64_t)to, size, trid, noc.id};
    tw::run(tw::op_noc_async_write_one_packet_with_trid,
            noc.given() ? 0x1111001 : 0x111001, at, noc.given() ? 5 : 4, v);
}
/* Writes and reads whose core and size are set once; each call gives the offset. */
namespace tw {
inline struct {
    uint64_t address;
    uint32_t size;
} write_state, inline_state, read_state;

/* Bytes of a page; some generators give its logarithm. */
template <class Tensor> TW_QUIET inline uint32_t page_bytes(const Tensor &tensor)
{
    if constexpr (requires { tensor.page_size; })
        return tensor.page_size;
    else
        return 1u << tensor.log_base_2_of_page_size;
}
} // namespace tw
template <bool posted = false>
TW_QUIET inline void noc_async_write_one_packet_set_state(uint64_t to, uint32_t size,
                                                          tw::noc = {}, uint32_t = 0, TW_AT)
{
    tw::write_state = {to, size};
}
template <bool posted = false>
TW_QUIET inline void noc_async_write_one_packet_with_state(tw::l1_address from,
                                                           uint32_t address,
                                                           tw::noc noc = {}, TW_AT)
{
    tw::write(from, (tw::write_state.address & ~UINT64_C(0xFFFFFFFF)) | address,
              tw::write_state.size, noc, at, true);
}
TW_QUIET inline void noc_async_read_one_packet_set_state(uint64_t from, uint32_t size,
                                                         tw::noc noc = {}, TW_AT)
{
    const int64_t v[] = {(int64_t)from, size, noc.id};
    tw::read_state = {from, size};
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

namespace tw {
/* A page or a shard of a tensor, from an offset in it on. */
TW_QUIET inline void part(unsigned op, uint32_t id, const accessor &tensor,
                          l1_address here, noc n, at at, uint32_t offset = 0)
{
    const int64_t v[] = {(int32_t)id, tensor.bits, here, n.id}, attr = offset;
    run(op, n.given() ? 0x1111 : 0x111, at, n.given() ? 4 : 3, v, offset != 0, &attr);
}
} // namespace tw

template <class Kind>
TW_QUIET inline void noc_async_read_page(uint32_t id, const TensorAccessor<Kind> &tensor,
                                         tw::l1_address to, uint32_t offset = 0,
                                         tw::noc noc = {}, TW_AT)
{
    tw::part(tw::op_noc_async_read_page, id, tensor, to, noc, at, offset);
}
/* With another size: any bytes of the page. */
template <class Kind>
TW_QUIET inline void noc_async_write_page(uint32_t id, const TensorAccessor<Kind> &tensor,
                                          tw::l1_address from, uint32_t size = 0,
                                          uint32_t offset = 0, tw::noc noc = {}, TW_AT)
{
    if (size && size != tensor.page_size)
        return tw::write(from, tensor.get_noc_addr(id, offset, noc, at), size, noc, at);
    tw::part(tw::op_noc_async_write_page, id, tensor, from, noc, at, offset);
}
template <class Kind>
TW_QUIET inline void noc_async_read_shard(uint32_t id, const TensorAccessor<Kind> &tensor,
                                          tw::l1_address to, tw::noc noc = {}, TW_AT)
{
    tw::part(tw::op_noc_async_read_shard, id, tensor, to, noc, at);
}
template <class Kind>
TW_QUIET inline void noc_async_write_shard(uint32_t id, const TensorAccessor<Kind> &tensor,
                                           tw::l1_address from, tw::noc noc = {}, TW_AT)
{
    tw::part(tw::op_noc_async_write_shard, id, tensor, from, noc, at);
}
template <class Kind>
TW_QUIET inline void noc_async_read_tile(uint32_t id, const TensorAccessor<Kind> &tensor,
                                         tw::l1_address to, uint32_t offset = 0,
                                         tw::noc noc = {}, TW_AT)
{
    if (offset)
        return noc_async_read_page(id, tensor, to, offset, noc, at);
    tw::part(tw::op_noc_async_read_tile, id, tensor, to, noc, at);
}
template <class Kind>
TW_QUIET inline void noc_async_write_tile(uint32_t id, const TensorAccessor<Kind> &tensor,
                                          tw::l1_address from, tw::noc noc = {}, TW_AT)
{
    tw::part(tw::op_noc_async_write_tile, id, tensor, from, noc, at);
}
/* Other address generators. */
template <class Tensor, class = decltype(&Tensor::get_noc_addr)>
TW_QUIET inline void noc_async_read_page(uint32_t id, const Tensor &tensor,
                                         tw::l1_address to, uint32_t offset = 0,
                                         tw::noc noc = {}, TW_AT)
{
    tw::read(tensor.get_noc_addr(id, offset, noc, at), to, tw::page_bytes(tensor), noc, at);
}
template <class Tensor, class = decltype(&Tensor::get_noc_addr)>
TW_QUIET inline void noc_async_write_page(uint32_t id, const Tensor &tensor,
                                          tw::l1_address from, uint32_t size = 0,
                                          uint32_t offset = 0, tw::noc noc = {}, TW_AT)
{
    tw::write(from, tensor.get_noc_addr(id, offset, noc, at),
              size ? size : tw::page_bytes(tensor), noc, at);
}
template <class Tensor, class = decltype(&Tensor::get_noc_addr)>
TW_QUIET inline void noc_async_read_tile(uint32_t id, const Tensor &tensor,
                                         tw::l1_address to, uint32_t offset = 0,
                                         tw::noc noc = {}, TW_AT)
{
    noc_async_read_page(id, tensor, to, offset, noc, at);
}
template <class Tensor, class = decltype(&Tensor::get_noc_addr)>
TW_QUIET inline void noc_async_write_tile(uint32_t id, const Tensor &tensor,
                                          tw::l1_address from, tw::noc noc = {}, TW_AT)
{
    noc_async_write_page(id, tensor, from, 0, 0, noc, at);
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
    const int64_t v[] = {tw::address_x(to), tw::address_y(to), tw::address_offset(to),
                         (int32_t)value, (int8_t)enable, noc.id};
    tw::run(tw::op_noc_inline_dw_write, noc.given() ? 0x111111 : 0x11111, at,
            noc.given() ? 6 : 5, v);
}

/* Writes have left but may not have arrived. */
TW_QUIET inline void noc_async_writes_flushed(tw::noc noc = {}, TW_AT)
{
    const int64_t v[] = {noc.id};
    tw::run(tw::op_noc_async_write_barrier, noc.given(), at, noc.given(), v, 0, nullptr, 32, 1);
}
TW_QUIET inline void noc_async_posted_writes_flushed(tw::noc noc = {}, TW_AT)
{
    noc_async_writes_flushed(noc, at);
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
TW_QUIET inline void noc_semaphore_inc(uint64_t to, uint32_t by, tw::noc noc, uint32_t, TW_AT)
{
    noc_semaphore_inc<posted>(to, by, noc, at);
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

/* Arguments written by the kernel: they are words of L1 on hardware. */
struct written_arguments {
    ::uint32_t value[384];
    bool known[384];
};
inline written_arguments own_written, common_written;
TW_QUIET inline written_arguments &written_of(uintptr_t address)
{
    return address < common_arguments ? own_written : common_written;
}

template <class T> TW_QUIET T word<T>::get() const volatile
{
    if (is_local())
        return number;
    static_assert(sizeof(T) <= 4 || sizeof(T) == 8);
    if ((uintptr_t)this >= own_arguments) {
        const int64_t i = (int64_t)((uintptr_t)this & 0xFFFFF) / 4;
        if (i < 384 && written_of((uintptr_t)this).known[i])
            return (T)written_of((uintptr_t)this).value[i];
        const tw_kernel_location at = {nullptr, 0, 0, (uintptr_t)__builtin_return_address(0)};
        return (T)run((uintptr_t)this < common_arguments ? op_get_arg_val
                                                         : op_get_common_arg_val,
                      1, at, 1, &i);
    }
    const int64_t v[] = {(int64_t)(uintptr_t)this, 0};
    const tw_kernel_location here = {nullptr, 0, 0, (uintptr_t)__builtin_return_address(0)};
    int64_t bits = run(op_load_from_l1, 0x11, here, 2, v, 0, nullptr, 8 * sizeof(T));
    if constexpr (::std::is_floating_point_v<T>)
        return as<T>(bits);
    else
        return (T)bits;
}

/* The word at an address of L1, loaded at location `at`. */
template <class T> TW_QUIET inline T load(::uint32_t address, tw::at at)
{
    const int64_t v[] = {(int64_t)address, 0};
    return as<T>(run(op_load_from_l1, 0x11, at, 2, v, 0, nullptr, 8 * sizeof(T)));
}

template <class T> TW_QUIET void word<T>::set(T value) volatile
{
    if (is_local()) {
        number = value;
        return;
    }
    if constexpr (sizeof(T) == 4) {
        const uintptr_t i = ((uintptr_t)this & 0xFFFFF) / 4;
        if ((uintptr_t)this >= own_arguments && i < 384) {
            get(); /* reports a missing argument */
            written_of((uintptr_t)this).value[i] = (::uint32_t)bits_of(value);
            written_of((uintptr_t)this).known[i] = true;
            return;
        }
    }
    const int64_t v[] = {bits_of(value), (int64_t)(uintptr_t)this, 0};
    const tw_kernel_location here = {nullptr, 0, 0, (uintptr_t)__builtin_return_address(0)};
    run(op_store_to_l1, 0x111, here, 3, v, 0, nullptr, 8 * sizeof(T));
}

} // namespace tw::l1

/* Arguments as words of L1: at addresses reserved for them. */
TW_QUIET inline uintptr_t get_arg_addr(int i) { return tw::own_arguments + 4 * (uintptr_t)i; }
TW_QUIET inline uintptr_t get_common_arg_addr(int i)
{
    return tw::common_arguments + 4 * (uintptr_t)i;
}

#define invalidate_l1_cache() ((void)0)

/* ---- queries of circular buffers ----------------------------------------------------- */

namespace tw {
TW_QUIET inline uint32_t buffer(uint32_t cb, int field, at at)
{
    return (uint32_t)ask(at, TW_ASK_BUFFER, cb, field);
}
} // namespace tw

TW_QUIET inline bool cb_pages_available_at_front(uint32_t cb, int32_t pages, TW_AT)
{
    return (int32_t)tw::buffer(cb, 0, at) >= pages;
}
TW_QUIET inline bool cb_pages_reservable_at_back(uint32_t cb, int32_t pages, TW_AT)
{
    return (int32_t)tw::buffer(cb, 1, at) >= pages;
}
TW_QUIET inline uint32_t get_tile_address(uint32_t cb, uint32_t tile, TW_AT)
{
    return tw::buffer(cb, 4, at) + tile * tw::buffer(cb, 2, at);
}
/* Element `i` of a tile as 32-bit words. */
TW_QUIET inline uint32_t read_tile_value(uint32_t cb, uint32_t tile, uint32_t i, TW_AT)
{
    const auto *words = (const volatile tw::l1::uint32_t *)(uintptr_t)get_tile_address(cb, tile, at);
    return words[i];
}
constexpr uint32_t get_tile_hw(uint32_t) { return 1024; }
