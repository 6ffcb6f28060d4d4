/* kernel_objects.hpp: the kernel API's newer form: circular buffers, NoCs, endpoints and
 * semaphores as objects. Methods are the functions of kernel_api.hpp. */
#pragma once

#include "kernel_api.hpp"

/* ---- circular buffers --------------------------------------------------------------- */

/* Scoped locks have no effect: reports find early accesses without them. */
struct Lock {
    TW_QUIET ~Lock() {}
};

class CircularBuffer {
  protected:
    uint32_t id;

  public:
    enum class AddrSelector { WRITE_PTR, READ_PTR };
    TW_QUIET explicit CircularBuffer(uint32_t cb) : id(cb) {}
    TW_QUIET uint32_t get_cb_id() const { return id; }
    TW_QUIET operator uint32_t() const { return id; }
    TW_QUIET void reserve_back(int32_t n, TW_AT) const { cb_reserve_back(id, n, at); }
    TW_QUIET void push_back(int32_t n, TW_AT) const { cb_push_back(id, n, at); }
    TW_QUIET void wait_front(int32_t n, TW_AT) const { cb_wait_front(id, n, at); }
    TW_QUIET void pop_front(int32_t n, TW_AT) const { cb_pop_front(id, n, at); }
    TW_QUIET uint32_t get_write_ptr(TW_AT) const { return ::get_write_ptr(id, at); }
    TW_QUIET uint32_t get_read_ptr(TW_AT) const { return ::get_read_ptr(id, at); }
    TW_QUIET constexpr uint32_t get_tile_size(TW_AT) const { return ::get_tile_size(id, at); }
    TW_QUIET constexpr uint32_t get_tile_hw() const { return ::get_tile_hw(id); }
    TW_QUIET constexpr DataFormat get_dataformat(TW_AT) const
    {
        return ::get_dataformat(id, at);
    }
    TW_QUIET bool pages_reservable_at_back(int32_t n, TW_AT) const
    {
        return cb_pages_reservable_at_back(id, n, at);
    }
    TW_QUIET bool pages_available_at_front(int32_t n, TW_AT) const
    {
        return cb_pages_available_at_front(id, n, at);
    }
    TW_QUIET uint32_t get_tile_address(uint32_t tile, TW_AT) const
    {
        return ::get_tile_address(id, tile, at);
    }
    template <class T = uint32_t>
    TW_QUIET T read_tile_value(uint32_t tile, uint32_t i, TW_AT) const
    {
        return tw::l1::load<T>(::get_tile_address(id, tile, at) + (uint32_t)sizeof(T) * i, at);
    }
    TW_QUIET Lock scoped_lock() const { return {}; }
};

/* Name of a circular buffer in the newest releases, with pages called entries. */
class DataflowBuffer : public CircularBuffer {
  public:
    TW_QUIET explicit DataflowBuffer(uint32_t dfb) : CircularBuffer(dfb) {}
    TW_QUIET uint16_t get_id() const { return (uint16_t)id; }
    TW_QUIET uint32_t get_entry_size(TW_AT) const { return tw::buffer(id, 2, at); }
    TW_QUIET uint32_t get_stride_size(TW_AT) const { return tw::buffer(id, 2, at); }
    TW_QUIET uint32_t get_total_num_entries(TW_AT) const
    {
        return (uint32_t)tw::ask(at, TW_ASK_PAGES, id);
    }
    TW_QUIET uint32_t get_total_size_bytes(TW_AT) const
    {
        return get_total_num_entries(at) * get_entry_size(at);
    }
    TW_QUIET uint32_t get_local_num_entries(TW_AT) const { return get_total_num_entries(at); }
    TW_QUIET uint32_t get_local_size_bytes(TW_AT) const { return get_total_size_bytes(at); }
    TW_QUIET uint32_t get_ring_span_num_entries(TW_AT) const
    {
        return get_total_num_entries(at);
    }
    TW_QUIET uint32_t get_ring_span_bytes(TW_AT) const { return get_total_size_bytes(at); }
    TW_QUIET constexpr uint32_t get_tile_r_dim() const { return 32; }
    TW_QUIET constexpr uint32_t get_tile_c_dim() const { return 32; }
    TW_QUIET constexpr uint32_t get_tile_num_faces() const { return 4; }
    TW_QUIET constexpr uint32_t get_face_r_dim() const { return 16; }
    TW_QUIET void evil_set_read_ptr(uint32_t address, TW_AT) const
    {
        tw::ask(at, TW_SAY_POINTER, id, 4, address);
    }
    TW_QUIET void evil_set_write_ptr(uint32_t address, TW_AT) const
    {
        tw::ask(at, TW_SAY_POINTER, id, 5, address);
    }
    TW_QUIET void finish() const {}
    TW_QUIET Lock scoped_write_lock(uint16_t = 1) const { return {}; }
    TW_QUIET Lock scoped_read_lock(uint16_t = 1) const { return {}; }
};

template <class T> constexpr bool is_dataflow_buffer_v = std::is_same_v<T, DataflowBuffer>;

/* A buffer through the pointer of the opposite direction. */
template <CircularBuffer::AddrSelector which> struct CircularBufferView {
    const CircularBuffer &cb;
};
template <CircularBuffer::AddrSelector which>
TW_QUIET inline CircularBufferView<which> use(const CircularBuffer &cb)
{
    return {cb};
}

/* ---- memory and addresses ------------------------------------------------------------ */

template <class T, class = void> class CoreLocalMem {
    uint32_t address;

  public:
    using word = tw::l1::word<T>;
    using difference_type = int32_t;
    TW_QUIET CoreLocalMem(uint32_t at) : address(at) {}
    TW_QUIET explicit CoreLocalMem(const volatile void *p) : address((uint32_t)(uintptr_t)p) {}
    TW_QUIET uint32_t get_address() const { return address; }
    TW_QUIET volatile word *get_unsafe_ptr() const { return (volatile word *)(uintptr_t)address; }
    TW_QUIET volatile word *operator->() const { return get_unsafe_ptr(); }
    TW_QUIET volatile word &operator[](uint32_t i) const { return get_unsafe_ptr()[i]; }
    TW_QUIET volatile word &operator*() const { return (*this)[0]; }
    TW_QUIET CoreLocalMem &operator+=(difference_type n)
    {
        address += (uint32_t)n * (uint32_t)sizeof(T);
        return *this;
    }
    TW_QUIET CoreLocalMem &operator-=(difference_type n) { return *this += -n; }
    TW_QUIET CoreLocalMem &operator++() { return *this += 1; }
    TW_QUIET CoreLocalMem &operator--() { return *this -= 1; }
    TW_QUIET CoreLocalMem operator++(int) { return ++*this - 1; }
    TW_QUIET CoreLocalMem operator--(int) { return --*this + 1; }
    TW_QUIET CoreLocalMem operator+(difference_type n) const { return CoreLocalMem(*this) += n; }
    TW_QUIET CoreLocalMem operator-(difference_type n) const { return CoreLocalMem(*this) -= n; }
    TW_QUIET difference_type operator-(const CoreLocalMem &other) const
    {
        return (int32_t)(address - other.address) / (int32_t)sizeof(T);
    }
    TW_QUIET auto operator<=>(const CoreLocalMem &) const = default;
    TW_QUIET explicit operator bool() const { return address != 0; }
    TW_QUIET Lock scoped_lock(size_t) const { return {}; }
};

/* The part of an L1 tensor that this core holds. */
template <class T> class LocalTensorAccessor {
    CoreLocalMem<T> memory;

  public:
    template <uint32_t CTA, uint32_t CRTA_BYTES>
    TW_QUIET explicit LocalTensorAccessor(tensor_accessor::TensorBindingToken<CTA, CRTA_BYTES>,
                                          TW_AT)
        : memory(get_common_arg_val<uint32_t>(CRTA_BYTES / 4, at))
    {
    }
    TW_QUIET explicit LocalTensorAccessor(uint32_t address) : memory(address) {}
    TW_QUIET auto &operator[](uint32_t i) const { return memory[i]; }
    TW_QUIET uint32_t get_bank_base_address() const { return memory.get_address(); }
    TW_QUIET CoreLocalMem<T> local_mem() const { return memory; }
    TW_QUIET Lock scoped_lock(uint32_t, uint32_t) const { return {}; }
};

struct UnicastEndpoint {
    TW_QUIET uint64_t get_noc_unicast_addr(uint32_t x, uint32_t y, uint32_t address,
                                           uint8_t noc, TW_AT) const
    {
        return get_noc_addr(x, y, address, noc, at);
    }
};
struct PrecomposedUnicastEndpoint {};
struct MulticastEndpoint {
    TW_QUIET uint64_t get_noc_multicast_addr(uint32_t x0, uint32_t y0, uint32_t x1,
                                             uint32_t y1, uint32_t address, uint8_t noc,
                                             TW_AT) const
    {
        return ::get_noc_multicast_addr(x0, y0, x1, y1, address, noc, at);
    }
};
enum class AllocatorBankType { L1, DRAM };
template <AllocatorBankType type> struct AllocatorBank {
    TW_QUIET uint64_t get_noc_addr_from_bank_id(uint32_t bank, uint32_t address, uint8_t noc,
                                                TW_AT) const
    {
        return ::get_noc_addr_from_bank_id<type == AllocatorBankType::DRAM>(bank, address,
                                                                            noc, at);
    }
};

enum class NocOptions : uint32_t {
    DEFAULT = 0,
    TXN_ID = 1,
    POSTED = 2,
    INLINE_L1 = 4,
    MCAST_INCL_SRC = 8,
    CUSTOM_VC = 16,
};
constexpr NocOptions operator|(NocOptions a, NocOptions b)
{
    return (NocOptions)((uint32_t)a | (uint32_t)b);
}
constexpr bool has_flag(NocOptions options, NocOptions flag)
{
    return ((uint32_t)options & (uint32_t)flag) != 0;
}
struct NocOptVals {
    uint32_t vc = NOC_UNICAST_WRITE_VC;
    uint32_t trid = 0;
};

/* How a kernel names a location in an object, and its address: on the NoC (`noc_address`), in the
 * core's own memory (`local`), on many cores (`multicast_address`). Pages of tensors: */
namespace tw {
struct page_args {
    uint32_t page_id = 0, offset_bytes = 0;
};
struct local_args {
    uint32_t offset_bytes = 0;
};
struct core_args {
    uint32_t noc_x = 0, noc_y = 0, addr = 0;
};
struct ring_args {
    uint32_t noc_x_start = 0, noc_y_start = 0, noc_x_end = 0, noc_y_end = 0, offset_bytes = 0;
};
struct cores_args {
    uint32_t noc_x_start = 0, noc_y_start = 0, noc_x_end = 0, noc_y_end = 0, addr = 0;
};
template <class Args> struct both_ways {
    using args_type = Args;
    using src_args_type = Args;
    using dst_args_type = Args;
};
} // namespace tw

template <class Tensor> struct noc_traits_t : tw::both_ways<tw::page_args> {
    static TW_QUIET uint64_t noc_address(const Tensor &t, const tw::page_args &a, tw::noc n, tw::at at)
    {
        return t.get_noc_addr(a.page_id, a.offset_bytes, n, at);
    }
};
template <> struct noc_traits_t<UnicastEndpoint> : tw::both_ways<tw::core_args> {
    static TW_QUIET uint64_t noc_address(const UnicastEndpoint &, const tw::core_args &a, tw::noc n,
                                   tw::at at)
    {
        return get_noc_addr(a.noc_x, a.noc_y, a.addr, n, at);
    }
    static TW_QUIET uint32_t local(const UnicastEndpoint &, const tw::core_args &a, bool, tw::at)
    {
        return a.addr;
    }
};
namespace tw {
struct composed_args {
    uint64_t noc_addr = 0;
};
} // namespace tw
template <>
struct noc_traits_t<PrecomposedUnicastEndpoint> : tw::both_ways<tw::composed_args> {
    static TW_QUIET uint64_t noc_address(const PrecomposedUnicastEndpoint &,
                                   const tw::composed_args &a, tw::noc, tw::at)
    {
        return a.noc_addr;
    }
};
template <> struct noc_traits_t<MulticastEndpoint> {
    using dst_args_mcast_type = tw::cores_args;
    using args_type = dst_args_mcast_type;
    static TW_QUIET uint64_t multicast_address(const MulticastEndpoint &, const tw::cores_args &a,
                                    tw::noc n, tw::at at)
    {
        return get_noc_multicast_addr(a.noc_x_start, a.noc_y_start, a.noc_x_end,
                                      a.noc_y_end, a.addr, n, at);
    }
};
namespace tw {
struct bank_args {
    uint32_t bank_id = 0, addr = 0;
};
} // namespace tw
template <AllocatorBankType type>
struct noc_traits_t<AllocatorBank<type>> : tw::both_ways<tw::bank_args> {
    static TW_QUIET uint64_t noc_address(const AllocatorBank<type> &b, const tw::bank_args &a,
                                   tw::noc n, tw::at at)
    {
        return get_noc_addr_from_bank_id<type == AllocatorBankType::DRAM>(a.bank_id, a.addr,
                                                                          n, at);
    }
};
/* local memory and buffers */
template <class T, class A>
struct noc_traits_t<CoreLocalMem<T, A>> : tw::both_ways<tw::local_args> {
    static TW_QUIET uint32_t local(const CoreLocalMem<T, A> &m, const tw::local_args &a, bool,
                                   tw::at)
    {
        return m.get_address() + a.offset_bytes;
    }
};
template <class T> struct noc_traits_t<LocalTensorAccessor<T>> : tw::both_ways<tw::local_args> {
    static TW_QUIET uint32_t local(const LocalTensorAccessor<T> &t, const tw::local_args &a,
                                   bool, tw::at)
    {
        return t.get_bank_base_address() + a.offset_bytes;
    }
};
template <> struct noc_traits_t<CircularBuffer> : tw::both_ways<tw::local_args> {
    using dst_args_mcast_type = tw::ring_args;
    static TW_QUIET uint32_t local(const CircularBuffer &cb, const tw::local_args &a,
                                   bool write, tw::at at)
    {
        return (write ? cb.get_write_ptr(at) : cb.get_read_ptr(at)) + a.offset_bytes;
    }
    static TW_QUIET uint64_t multicast_address(const CircularBuffer &cb, const tw::ring_args &a,
                                    tw::noc n, tw::at at)
    {
        return get_noc_multicast_addr(a.noc_x_start, a.noc_y_start, a.noc_x_end, a.noc_y_end,
                                      cb.get_write_ptr(at) + a.offset_bytes, n, at);
    }
};
template <> struct noc_traits_t<DataflowBuffer> : noc_traits_t<CircularBuffer> {};
template <CircularBuffer::AddrSelector which>
struct noc_traits_t<CircularBufferView<which>> : tw::both_ways<tw::local_args> {
    using dst_args_mcast_type = tw::ring_args;
    static constexpr bool writes = which == CircularBuffer::AddrSelector::WRITE_PTR;
    static TW_QUIET uint32_t local(const CircularBufferView<which> &v, const tw::local_args &a,
                                   bool, tw::at at)
    {
        return noc_traits_t<CircularBuffer>::local(v.cb, a, writes, at);
    }
    static TW_QUIET uint64_t multicast_address(const CircularBufferView<which> &v, const tw::ring_args &a,
                                    tw::noc n, tw::at at)
    {
        return get_noc_multicast_addr(a.noc_x_start, a.noc_y_start, a.noc_x_end, a.noc_y_end,
                                      local(v, {a.offset_bytes}, writes, at), n, at);
    }
};

/* ---- the NoC ------------------------------------------------------------------------ */

class Noc {
    tw::noc id;
    template <class T> using src_args = typename noc_traits_t<T>::src_args_type;
    template <class T> using dst_args = typename noc_traits_t<T>::dst_args_type;
    template <class T> using mcast_args = typename noc_traits_t<T>::dst_args_mcast_type;
    template <class T>
    TW_QUIET uint64_t noc_address(const T &thing, const src_args<T> &where, tw::at at) const
    {
        return noc_traits_t<T>::noc_address(thing, where, id, at);
    }
    template <class T>
    static TW_QUIET uint32_t local(const T &thing, const src_args<T> &where, bool write,
                                   tw::at at)
    {
        return noc_traits_t<T>::local(thing, where, write, at);
    }
    template <class T> static constexpr bool whole_pages = tw::is_accessor<T>;

  public:
    enum class AddressType { NOC, LOCAL_L1 };
    TW_QUIET Noc() {}
    TW_QUIET explicit Noc(uint8_t noc) : id(noc) {}
    TW_QUIET uint8_t get_noc_id() const { return id.given() ? (uint8_t)id.id : noc_index; }
    TW_QUIET bool is_local_bank(uint32_t x, uint32_t y, TW_AT) const
    {
        return x == (uint32_t)tw::one_each(tw::op_my_x, at, get_noc_id()) &&
               y == (uint32_t)tw::one_each(tw::op_my_y, at, get_noc_id());
    }

    template <NocOptions options = NocOptions::DEFAULT,
              uint32_t most = NOC_MAX_BURST_SIZE + 1, bool traced = true, class From, class To>
    TW_QUIET void async_read(const From &from, const To &to, uint32_t size,
                             const src_args<From> &where, const dst_args<To> &local_where,
                             NocOptVals values = {}, TW_AT) const
    {
        uint32_t target = local(to, local_where, true, at);
        if constexpr (has_flag(options, NocOptions::TXN_ID))
            noc_async_read_tile_dram_sharded_set_trid(values.trid, id);
        else if constexpr (whole_pages<From>) {
            if (size == from.page_size)
                return noc_async_read_tile(where.page_id, from, target, where.offset_bytes,
                                           id, at);
        }
        tw::read(noc_address(from, where, at), target, size, id, at);
    }
    template <NocOptions options = NocOptions::DEFAULT,
              uint32_t most = NOC_MAX_BURST_SIZE + 1, bool traced = true, class From, class To>
    TW_QUIET void async_write(const From &from, const To &to, uint32_t size,
                              const src_args<From> &local_where, const dst_args<To> &where,
                              NocOptVals values = {}, TW_AT) const
    {
        uint32_t source = local(from, local_where, false, at);
        if constexpr (has_flag(options, NocOptions::TXN_ID))
            return noc_async_write_one_packet_with_trid(source, noc_address(to, where, at), size,
                                                        values.trid, id, at);
        if constexpr (whole_pages<To>) {
            if (!where.offset_bytes && size == to.page_size)
                return noc_async_write_tile(where.page_id, to, source, id, at);
        }
        tw::write(source, noc_address(to, where, at), size, id, at);
    }
    template <NocOptions options = NocOptions::DEFAULT,
              uint32_t most = NOC_MAX_BURST_SIZE + 1, bool traced = true, class From, class To>
    TW_QUIET void async_write_multicast(const From &from, const To &to, uint32_t size,
                                        uint32_t receivers, const src_args<From> &local_where,
                                        const mcast_args<To> &where, bool linked = false,
                                        TW_AT) const
    {
        constexpr bool to_itself = has_flag(options, NocOptions::MCAST_INCL_SRC);
        tw::multicast(to_itself                    ? tw::op_noc_async_write_multicast_loopback_src
                      : most <= NOC_MAX_BURST_SIZE ? tw::op_noc_async_write_multicast_one_packet
                                                   : tw::op_noc_async_write_multicast,
                      local(from, local_where, false, at),
                      noc_traits_t<To>::multicast_address(to, where, id, at), size, receivers, linked, id,
                      at);
    }
    template <NocOptions options = NocOptions::DEFAULT,
              uint32_t most = NOC_MAX_BURST_SIZE + 1, class From>
    TW_QUIET void set_async_read_state(const From &from, uint32_t size,
                                       const src_args<From> &where, NocOptVals = {},
                                       TW_AT) const
    {
        noc_async_read_one_packet_set_state(noc_address(from, where, at), size, id, at);
    }
    template <NocOptions options = NocOptions::DEFAULT,
              uint32_t most = NOC_MAX_BURST_SIZE + 1, class From, class To>
    TW_QUIET void async_read_with_state(const From &from, const To &to, uint32_t size,
                                        const src_args<From> &where,
                                        const dst_args<To> &local_where, NocOptVals = {},
                                        TW_AT) const
    {
        noc_async_read_one_packet_with_state(noc_address(from, where, at),
                                             local(to, local_where, true, at),
                                             size ? size : tw::read_state.size, id, at);
    }
    template <NocOptions options = NocOptions::DEFAULT,
              uint32_t most = NOC_MAX_BURST_SIZE + 1, class To>
    TW_QUIET void set_async_write_state(const To &to, uint32_t size, const dst_args<To> &where,
                                        NocOptVals = {}, TW_AT) const
    {
        noc_async_write_one_packet_set_state(noc_address(to, where, at), size, id, 0, at);
    }
    template <NocOptions options = NocOptions::DEFAULT,
              uint32_t most = NOC_MAX_BURST_SIZE + 1, class From, class To>
    TW_QUIET void async_write_with_state(const From &from, const To &to, uint32_t size,
                                         const src_args<From> &local_where,
                                         const dst_args<To> &where, NocOptVals = {},
                                         TW_AT) const
    {
        if (size)
            tw::write_state.size = size;
        noc_async_write_one_packet_with_state(local(from, local_where, false, at),
                                              local(to, where, true, at), id, at);
    }
    template <NocOptions options = NocOptions::DEFAULT, class To>
    TW_QUIET void inline_dw_write(const To &to, uint32_t value, const dst_args<To> &where,
                                  uint8_t enable = 0xF, NocOptVals = {}, TW_AT) const
    {
        noc_inline_dw_write(noc_address(to, where, at), value, enable, id, at);
    }
    /* zeros come from the memory reserved by the firmware */
    template <class To>
    TW_QUIET void async_write_zeros(const To &to, uint32_t size, dst_args<To> where = {},
                                    TW_AT) const
    {
        const uint64_t zeros = get_noc_addr((uint32_t)MEM_ZEROS_BASE, id, at);
        for (uint32_t n; size; size -= n, where.offset_bytes += n) {
            n = size < MEM_ZEROS_SIZE ? size : MEM_ZEROS_SIZE;
            tw::read(zeros, local(to, where, true, at), n, id, at);
        }
    }
    TW_QUIET void write_zeros_l1_barrier(TW_AT) const { noc_async_read_barrier(id.id, at); }
    template <NocOptions options = NocOptions::DEFAULT>
    TW_QUIET void async_read_barrier(NocOptVals values = {}, TW_AT) const
    {
        if constexpr (has_flag(options, NocOptions::TXN_ID))
            noc_async_read_barrier_with_trid(values.trid, id.id, at);
        else
            noc_async_read_barrier(id.id, at);
    }
    template <NocOptions options = NocOptions::DEFAULT>
    TW_QUIET void async_write_barrier(NocOptVals values = {}, TW_AT) const
    {
        if constexpr (has_flag(options, NocOptions::TXN_ID))
            noc_async_write_barrier_with_trid(values.trid, id.id, at);
        else
            noc_async_write_barrier(id.id, at);
    }
    TW_QUIET void async_atomic_barrier(TW_AT) const { noc_async_atomic_barrier(id.id, at); }
    template <NocOptions options = NocOptions::DEFAULT>
    TW_QUIET void async_writes_flushed(NocOptVals = {}, TW_AT) const
    {
        noc_async_writes_flushed(id.id, at);
    }
    TW_QUIET void async_full_barrier(TW_AT) const { noc_async_full_barrier(id, at); }
};

/* ---- semaphores --------------------------------------------------------------------- */

enum class ProgrammableCoreType { TENSIX, ACTIVE_ETH, IDLE_ETH };
enum class SemScope : uint8_t { LOCAL_NONATOMIC, DM_LOCAL_CACHED, EXTERNAL, COMPUTE_ATOMIC };
struct SemaphoreBindingToken {
    uint32_t id;
    SemScope scope;
};

template <ProgrammableCoreType = ProgrammableCoreType::TENSIX> class Semaphore {
    uint32_t address;

    TW_QUIET uint64_t many(const Noc &noc, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
                           tw::at at) const
    {
        return get_noc_multicast_addr(x0, y0, x1, y1, address, noc.get_noc_id(), at);
    }
    static TW_QUIET void send(NocOptions options, uint32_t from, uint64_t to,
                              uint32_t receivers, bool linked, tw::at at)
    {
        if (has_flag(options, NocOptions::MCAST_INCL_SRC))
            noc_semaphore_set_multicast_loopback_src(from, to, receivers, linked, {}, at);
        else
            noc_semaphore_set_multicast(from, to, receivers, linked, {}, at);
    }

  public:
    TW_QUIET explicit Semaphore(uint32_t id, TW_AT) : address(get_semaphore(id, at)) {}
    TW_QUIET explicit Semaphore(SemaphoreBindingToken token, TW_AT) : Semaphore(token.id, at)
    {
    }
    TW_QUIET uint32_t get_address() const { return address; }
    TW_QUIET uint32_t value(TW_AT) const { return tw::l1::load<uint32_t>(address, at); }
    TW_QUIET void set(uint32_t value, TW_AT) const { noc_semaphore_set(address, value, at); }
    TW_QUIET void wait(uint32_t value, TW_AT) const { noc_semaphore_wait(address, value, at); }
    TW_QUIET void wait_min(uint32_t value, TW_AT) const
    {
        noc_semaphore_wait_min(address, value, at);
    }
    TW_QUIET void up(uint32_t by, TW_AT) const { set(value(at) + by, at); }
    TW_QUIET void down(uint32_t by, TW_AT) const
    {
        wait_min(by, at);
        set(value(at) - by, at);
    }
    TW_QUIET void up(const Noc &noc, uint32_t x, uint32_t y, uint32_t by,
                     uint8_t = NOC_UNICAST_WRITE_VC, TW_AT) const
    {
        noc_semaphore_inc(get_noc_addr(x, y, address, noc.get_noc_id(), at), by,
                          noc.get_noc_id(), at);
    }
    template <NocOptions options = NocOptions::DEFAULT>
    TW_QUIET void set_multicast(const Noc &noc, uint32_t x0, uint32_t y0, uint32_t x1,
                                uint32_t y1, uint32_t receivers, bool linked = false,
                                TW_AT) const
    {
        send(options, address, many(noc, x0, y0, x1, y1, at), receivers, linked, at);
    }
    TW_QUIET void inc_multicast(const Noc &noc, uint32_t x0, uint32_t y0, uint32_t x1,
                                uint32_t y1, uint32_t by, uint32_t receivers, TW_AT) const
    {
        noc_semaphore_inc_multicast(many(noc, x0, y0, x1, y1, at), by, receivers,
                                    noc.get_noc_id(), at);
    }
    /* sends this one's value to another, on one core or many */
    template <ProgrammableCoreType type>
    TW_QUIET void relay_unicast(const Noc &noc, const Semaphore<type> &to, uint32_t x,
                                uint32_t y, TW_AT) const
    {
        noc_semaphore_set_remote(address,
                                 get_noc_addr(x, y, to.get_address(), noc.get_noc_id(), at),
                                 noc.get_noc_id(), at);
    }
    template <NocOptions options = NocOptions::DEFAULT, ProgrammableCoreType type>
    TW_QUIET void relay_multicast(const Noc &noc, const Semaphore<type> &to, uint32_t x0,
                                  uint32_t y0, uint32_t x1, uint32_t y1, uint32_t receivers,
                                  bool linked = false, TW_AT) const
    {
        send(options, address,
             get_noc_multicast_addr(x0, y0, x1, y1, to.get_address(), noc.get_noc_id(), at),
             receivers, linked, at);
    }
};

/* ---- inits of matrix products: configure everything if the product's init comes with that
 * of the unit, for its own operands ---- */

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
using ::DataflowBuffer;
using ::MulticastEndpoint;
using ::Noc;
using ::noc_traits_t;
using ::NocOptions;
using ::NocOptVals;
using ::PrecomposedUnicastEndpoint;
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

/* ---- not executed by the device: the machine reports the call ------------------------ */

namespace tw {
/* Location of a call with any number of operands. */
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
