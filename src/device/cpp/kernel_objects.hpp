/* kernel_objects.hpp: the kernel API's newer form: circular buffers, NoCs, endpoints and
 * semaphores as objects.  Methods are the functions of kernel_api.hpp. */
#pragma once

#include "kernel_api.hpp"

/* ---- circular buffers --------------------------------------------------------------- */

class CircularBuffer {
    uint32_t id;

  public:
    TW_QUIET explicit CircularBuffer(uint32_t cb) : id(cb) {}
    TW_QUIET uint32_t get_cb_id() const { return id; }
    TW_QUIET operator uint32_t() const { return id; }
    TW_QUIET void reserve_back(int32_t n, TW_AT) const { cb_reserve_back(id, n, at); }
    TW_QUIET void push_back(int32_t n, TW_AT) const { cb_push_back(id, n, at); }
    TW_QUIET void wait_front(int32_t n, TW_AT) const { cb_wait_front(id, n, at); }
    TW_QUIET void pop_front(int32_t n, TW_AT) const { cb_pop_front(id, n, at); }
    TW_QUIET uint32_t get_write_ptr(TW_AT) const { return ::get_write_ptr(id, at); }
    TW_QUIET uint32_t get_read_ptr(TW_AT) const { return ::get_read_ptr(id, at); }
    TW_QUIET uint32_t get_tile_size(TW_AT) const { return ::get_tile_size(id, at); }
    TW_QUIET DataFormat get_dataformat(TW_AT) const { return ::get_dataformat(id, at); }
};

/* ---- memory and places -------------------------------------------------------------- */

template <class T, class = void> class CoreLocalMem {
    uint32_t address;

  public:
    using word = tw::l1::word<T>;
    TW_QUIET explicit CoreLocalMem(uint32_t at) : address(at) {}
    TW_QUIET uint32_t get_address() const { return address; }
    TW_QUIET volatile word &operator[](uint32_t i) const
    {
        return ((volatile word *)(uintptr_t)address)[i];
    }
    TW_QUIET volatile word &operator*() const { return (*this)[0]; }
};

struct UnicastEndpoint {
    TW_QUIET uint64_t get_noc_unicast_addr(uint32_t x, uint32_t y, uint32_t address,
                                           uint8_t noc, TW_AT) const
    {
        return get_noc_addr(x, y, address, noc, at);
    }
};
struct MulticastEndpoint {};
enum class AllocatorBankType { DRAM, L1 };
template <AllocatorBankType> struct AllocatorBank {};

struct NocOptions {
    enum : uint32_t { DEFAULT = 0, TXN_ID = 1, POSTED = 2, INLINE_L1 = 4, MCAST_INCL_SRC = 8 };
};
struct NocOptVals {
    uint32_t trid = 0;
};

/* How a kernel names a place in something, and where that is: pages of tensors, */
template <class Tensor> struct noc_traits_t {
    struct args_type {
        uint32_t page_id, offset_bytes = 0;
    };
    using src_args_type = args_type;
    using dst_args_type = args_type;
    static TW_QUIET uint64_t place(const Tensor &t, const args_type &a, tw::noc n, tw::at at)
    {
        return t.get_noc_addr(a.page_id, a.offset_bytes, n, at);
    }
};
template <> struct noc_traits_t<UnicastEndpoint> {
    struct args_type {
        uint32_t noc_x, noc_y, addr;
    };
    using src_args_type = args_type;
    using dst_args_type = args_type;
    static TW_QUIET uint64_t place(const UnicastEndpoint &, const args_type &a, tw::noc n,
                                   tw::at at)
    {
        return get_noc_addr(a.noc_x, a.noc_y, a.addr, n, at);
    }
};
template <> struct noc_traits_t<MulticastEndpoint> {
    struct dst_args_mcast_type {
        uint32_t noc_x_start, noc_y_start, noc_x_end, noc_y_end, addr;
    };
    using args_type = dst_args_mcast_type;
    static TW_QUIET uint64_t place(const MulticastEndpoint &, const args_type &a, tw::noc n,
                                   tw::at at)
    {
        return get_noc_multicast_addr(a.noc_x_start, a.noc_y_start, a.noc_x_end,
                                      a.noc_y_end, a.addr, n, at);
    }
};
template <AllocatorBankType type> struct noc_traits_t<AllocatorBank<type>> {
    struct args_type {
        uint32_t bank_id, addr;
    };
    using src_args_type = args_type;
    using dst_args_type = args_type;
    static TW_QUIET uint64_t place(const AllocatorBank<type> &, const args_type &a, tw::noc,
                                   tw::at at)
    {
        return get_noc_addr_from_bank_id<type == AllocatorBankType::DRAM>(a.bank_id, a.addr,
                                                                          {}, at);
    }
};
/* local memory and buffers */
namespace tw {
struct local_args {
    uint32_t offset_bytes = 0;
};
template <class T>
TW_QUIET inline uint32_t local_address(const CoreLocalMem<T> &m, const local_args &a,
                                       bool, at)
{
    return m.get_address() + a.offset_bytes;
}
TW_QUIET inline uint32_t local_address(const CircularBuffer &cb, const local_args &a,
                                       bool write, at at)
{
    return (write ? cb.get_write_ptr(at) : cb.get_read_ptr(at)) + a.offset_bytes;
}
} // namespace tw

/* ---- the NoC ------------------------------------------------------------------------ */

class Noc {
    tw::noc id;

  public:
    TW_QUIET Noc() {}
    TW_QUIET explicit Noc(uint8_t noc) : id(noc) {}
    TW_QUIET uint8_t get_noc_id() const { return id.given() ? (uint8_t)id.id : noc_index; }

    template <uint32_t options = NocOptions::DEFAULT, uint32_t most = NOC_MAX_BURST_SIZE + 1,
              class From, class To>
    TW_QUIET void async_read(const From &from, const To &to, uint32_t size,
                             const typename noc_traits_t<From>::args_type &where,
                             const tw::local_args &local, NocOptVals = {}, TW_AT) const
    {
        uint32_t target = tw::local_address(to, local, true, at);
        if constexpr (std::is_same_v<From, TensorAccessor>) {
            if (size == from.page_size)
                return noc_async_read_tile(where.page_id, from, target, where.offset_bytes,
                                           id, at);
        }
        tw::read(noc_traits_t<From>::place(from, where, id, at), target, size, id, at);
    }
    template <uint32_t options = NocOptions::DEFAULT, uint32_t most = NOC_MAX_BURST_SIZE + 1,
              class From, class To>
    TW_QUIET void async_write(const From &from, const To &to, uint32_t size,
                              const tw::local_args &local,
                              const typename noc_traits_t<To>::args_type &where,
                              NocOptVals values = {}, TW_AT) const
    {
        uint32_t source = tw::local_address(from, local, false, at);
        if constexpr ((options & NocOptions::TXN_ID) != 0)
            return noc_async_write_one_packet_with_trid(
                source, noc_traits_t<To>::place(to, where, id, at), size, values.trid, id,
                at);
        if constexpr (std::is_same_v<To, TensorAccessor>) {
            if (!where.offset_bytes && size == to.page_size)
                return noc_async_write_tile(where.page_id, to, source, id, at);
        }
        tw::write(source, noc_traits_t<To>::place(to, where, id, at), size, id, at);
    }
    template <uint32_t options = NocOptions::DEFAULT, uint32_t most = NOC_MAX_BURST_SIZE + 1,
              class From>
    TW_QUIET void async_write_multicast(const From &from, const MulticastEndpoint &to,
                                        uint32_t size, uint32_t receivers,
                                        const tw::local_args &local,
                                        const noc_traits_t<MulticastEndpoint>::args_type &w,
                                        bool linked = false, NocOptVals = {}, TW_AT) const
    {
        constexpr bool to_itself = (options & NocOptions::MCAST_INCL_SRC) != 0;
        tw::multicast(to_itself                    ? tw::op_noc_async_write_multicast_loopback_src
                      : most <= NOC_MAX_BURST_SIZE ? tw::op_noc_async_write_multicast_one_packet
                                                   : tw::op_noc_async_write_multicast,
                      tw::local_address(from, local, false, at),
                      noc_traits_t<MulticastEndpoint>::place(to, w, id, at), size, receivers,
                      linked, id, at);
    }
    template <uint32_t options = NocOptions::DEFAULT, uint32_t most = NOC_MAX_BURST_SIZE + 1,
              class From>
    TW_QUIET void set_async_read_state(const From &from, uint32_t size,
                                       const typename noc_traits_t<From>::args_type &where,
                                       TW_AT) const
    {
        noc_async_read_one_packet_set_state(noc_traits_t<From>::place(from, where, id, at),
                                            size, id, at);
    }
    template <uint32_t options = NocOptions::DEFAULT, uint32_t most = NOC_MAX_BURST_SIZE + 1,
              class From, class To>
    TW_QUIET void async_read_with_state(const From &from, const To &to, uint32_t size,
                                        const typename noc_traits_t<From>::args_type &where,
                                        const tw::local_args &local, TW_AT) const
    {
        noc_async_read_one_packet_with_state(noc_traits_t<From>::place(from, where, id, at),
                                             tw::local_address(to, local, true, at), size,
                                             id, at);
    }
    template <uint32_t options = NocOptions::DEFAULT>
    TW_QUIET void inline_dw_write(const UnicastEndpoint &to, uint32_t value,
                                  const noc_traits_t<UnicastEndpoint>::args_type &where,
                                  uint8_t enable = 0xF, TW_AT) const
    {
        noc_inline_dw_write(noc_traits_t<UnicastEndpoint>::place(to, where, id, at), value,
                            enable, id, at);
    }
    template <uint32_t options = NocOptions::DEFAULT>
    TW_QUIET void async_read_barrier(NocOptVals values = {}, TW_AT) const
    {
        if constexpr ((options & NocOptions::TXN_ID) != 0)
            noc_async_read_barrier_with_trid(values.trid, id.id, at);
        else
            noc_async_read_barrier(id.id, at);
    }
    template <uint32_t options = NocOptions::DEFAULT>
    TW_QUIET void async_write_barrier(NocOptVals values = {}, TW_AT) const
    {
        if constexpr ((options & NocOptions::TXN_ID) != 0)
            noc_async_write_barrier_with_trid(values.trid, id.id, at);
        else
            noc_async_write_barrier(id.id, at);
    }
    TW_QUIET void async_atomic_barrier(TW_AT) const { noc_async_atomic_barrier(id.id, at); }
    TW_QUIET void async_writes_flushed(TW_AT) const { noc_async_writes_flushed(id.id, at); }
    TW_QUIET void async_full_barrier(TW_AT) const { noc_async_full_barrier(id, at); }
};

/* ---- semaphores --------------------------------------------------------------------- */

template <int = 0> class Semaphore {
    uint32_t address;

  public:
    TW_QUIET explicit Semaphore(uint32_t id, TW_AT) : address(get_semaphore(id, at)) {}
    TW_QUIET uint32_t get_address() const { return address; }
    TW_QUIET void set(uint32_t value, TW_AT) const { noc_semaphore_set(address, value, at); }
    TW_QUIET void wait(uint32_t value, TW_AT) const { noc_semaphore_wait(address, value, at); }
    TW_QUIET void wait_min(uint32_t value, TW_AT) const
    {
        noc_semaphore_wait_min(address, value, at);
    }
    TW_QUIET void up(const Noc &noc, uint32_t x, uint32_t y, uint32_t by, TW_AT) const
    {
        noc_semaphore_inc(get_noc_addr(x, y, address, noc.get_noc_id(), at), by,
                          noc.get_noc_id(), at);
    }
    TW_QUIET void set_multicast(const Noc &noc, uint32_t x0, uint32_t y0, uint32_t x1,
                                uint32_t y1, uint32_t receivers, bool linked = false,
                                TW_AT) const
    {
        noc_semaphore_set_multicast(
            address, get_noc_multicast_addr(x0, y0, x1, y1, address, noc.get_noc_id(), at),
            receivers, linked, {}, at);
    }
};

/* ---- inits of products: set up as a whole where the product's init comes with that of the
 * unit, for its own operands ---- */

enum class SrcOrder { Normal, Reverse };
namespace tw {
inline struct {
    bool known;
    uint32_t a, b, out;
} product;
} // namespace tw

template <SrcOrder>
TW_QUIET inline void compute_kernel_hw_startup(uint32_t a, uint32_t b, uint32_t out, TW_AT)
{
    compute_kernel_hw_startup(a, b, out, at);
    tw::product = {true, a, b, out};
}
TW_QUIET inline void matmul_init(uint32_t a, uint32_t b, int32_t transpose = 0, TW_AT)
{
    if (tw::product.known && tw::product.a == a && tw::product.b == b)
        mm_init(a, b, tw::product.out, transpose, at);
    else
        mm_init_short(a, b, transpose, at);
    tw::product.known = false;
}
TW_QUIET inline void matmul_block_init(uint32_t a, uint32_t b, int32_t transpose = 0,
                                       int32_t ct = 1, int32_t rt = 1, int32_t kt = 1, TW_AT)
{
    if (tw::product.known && tw::product.a == a && tw::product.b == b)
        mm_block_init(a, b, tw::product.out, transpose, ct, rt, kt, at);
    else
        mm_block_init_short(a, b, transpose, ct, rt, kt, at);
    tw::product.known = false;
}

namespace experimental {
using ::AllocatorBank;
using ::AllocatorBankType;
using ::CircularBuffer;
using ::CoreLocalMem;
using ::MulticastEndpoint;
using ::Noc;
using ::noc_traits_t;
using ::NocOptions;
using ::NocOptVals;
using ::Semaphore;
using ::UnicastEndpoint;
} // namespace experimental

/* ---- the mesh: one chip -------------------------------------------------------------- */

namespace experimental {
struct FabricConnectionManager {
    int64_t number;
    TW_QUIET FabricConnectionManager(TW_AT)
        : number(tw::run(tw::op_experimental_create_fabric_connection_manager, 0, at, 0, nullptr))
    {
    }
};
TW_QUIET inline size_t get_my_logical_mesh_position(const FabricConnectionManager &m,
                                                    uint64_t dim, TW_AT)
{
    const int64_t attr = (int64_t)dim;
    return (size_t)tw::run(tw::op_experimental_get_my_logical_mesh_position, 1, at, 1,
                           &m.number, 1, &attr);
}
template <class Position>
TW_QUIET inline int16_t get_device_id_from_logical_mesh_position(const FabricConnectionManager &m,
                                                                 const Position &position, TW_AT)
{
    int64_t v[8] = {m.number}, n = 1;
    for (auto index : position)
        v[n++] = index;
    return (int16_t)tw::run(tw::op_experimental_get_device_id_from_logical_mesh_position,
                            (uint64_t)(n - 1) << 4 | 1, at, (unsigned)n, v);
}
} // namespace experimental

/* ---- what the device does not execute: the machine says so where it is called ------------- */

namespace tw {
/* The place of a call whose operands are of any number. */
struct fabric_call {
    at where;
    TW_QUIET fabric_call(const experimental::FabricConnectionManager &, TW_AT) : where(at) {}
};
} // namespace tw
#define TW_NOT_EXECUTED(name)                                                              \
    template <class... T> TW_QUIET inline void name(tw::fabric_call call, const T &...)    \
    {                                                                                      \
        tw::run(tw::op_experimental_##name, 0, call.where, 0, nullptr);                    \
    }
namespace experimental {
TW_NOT_EXECUTED(setup_fabric_connections)
TW_NOT_EXECUTED(close_fabric_connections)
TW_NOT_EXECUTED(fabric_fast_write_any_len)
TW_NOT_EXECUTED(fabric_mcast_fast_write_any_len)
TW_NOT_EXECUTED(fabric_sem_inc)
TW_NOT_EXECUTED(fabric_mcast_sem_inc)
template <class F> TW_QUIET inline void invoke_sfpi(F &&, TW_AT)
{
    tw::run(tw::op_invoke_sfpi, 0, at, 0, nullptr);
}
} // namespace experimental

#ifdef TW_OWN_POOL_TYPE
#undef PoolType
#endif
