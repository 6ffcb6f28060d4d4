/* kernel_data.hpp: what data movement does: reads, writes and multicasts over the NoC,
 * semaphores, words of L1. */
#pragma once

#include "kernel_address.hpp"

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
