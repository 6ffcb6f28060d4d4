/* kernel_address.hpp: arguments, the core's position, and addresses: on the NoC, of tensors
 * and their pages. */
#pragma once

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

/* Constants if a constant is needed; else the operation, which reports errors. A missing
 * argument, or an address known only at run time, is an out-of-bounds access for the
 * compiler. */
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
    /* 0 if known only at run time */
    constexpr uint32_t operator[](size_t i) const { return at[i].value; }
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

/* Compile-time arguments by name: {"name", value}, ... */
#ifndef KERNEL_COMPILE_TIME_ARG_MAP
#define KERNEL_COMPILE_TIME_ARG_MAP {"", 0}
#endif
namespace tw {
struct named_argument {
    std::string_view name;
    uint32_t value;
};
constexpr named_argument named_arguments[] = {KERNEL_COMPILE_TIME_ARG_MAP};
} // namespace tw
/* an unknown name is an out-of-bounds access, which the compiler reports */
consteval uint32_t get_named_compile_time_arg_val(std::string_view name)
{
    size_t i = 0;
    while (i < sizeof tw::named_arguments / sizeof *tw::named_arguments &&
           tw::named_arguments[i].name != name)
        i++;
    return tw::named_arguments[i].value;
}

/* ---- properties of circular buffers -------------------------------------------------- */

/* Constants if a constant is needed: the launch's, which the machine defines in
 * TW_BUFFER_BYTES and TW_BUFFER_FORMATS for kernels that do not compile without them. */
namespace tw {
#ifdef TW_BUFFER_BYTES
constexpr uint32_t buffer_bytes[] = TW_BUFFER_BYTES, buffer_formats[] = TW_BUFFER_FORMATS;
#else
extern const uint32_t *buffer_bytes, *buffer_formats;
#endif
} // namespace tw

template <auto...>
TW_QUIET inline constexpr uint32_t get_tile_size(uint32_t cb, TW_AT)
{
    if (__builtin_is_constant_evaluated())
        return tw::buffer_bytes[cb];
    return (uint32_t)tw::one_each(tw::op_get_tile_size, at, cb);
}
template <auto...>
TW_QUIET inline constexpr DataFormat get_dataformat(uint32_t cb, TW_AT)
{
    if (__builtin_is_constant_evaluated())
        return tw::format_of(tw::buffer_formats[cb]);
    return tw::format_of(tw::one_each(tw::op_get_dataformat, at, cb));
}

/* ---- position of the core ----------------------------------------------------------- */

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

/* ---- addresses on the NoC ----------------------------------------------------------- */

namespace tw {

/* Fields of an address: offset 0-31, x 32, y 38, x_end 44, y_end 50 (six bits each). */
TW_QUIET inline int64_t address_x(uint64_t p) { return (int64_t)(p >> 32 & 63); }
TW_QUIET inline int64_t address_y(uint64_t p) { return (int64_t)(p >> 38 & 63); }
TW_QUIET inline int64_t address_x_end(uint64_t p) { return (int64_t)(p >> 44 & 63); }
TW_QUIET inline int64_t address_y_end(uint64_t p) { return (int64_t)(p >> 50 & 63); }
TW_QUIET inline int64_t address_offset(uint64_t p) { return (int64_t)(p & 0xFFFFFFFF); }

/* The thread's own NoC is the default of operations. */
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
/* in this core's own L1 */
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
    static_assert(DRAM, "banks of DRAM; cores of L1 have addresses of their own");
    return (uint64_t)tw::one_each(tw::op_get_noc_addr_from_bank_id, at, bank,
                                  (int32_t)address);
}

/* ---- tensors ------------------------------------------------------------------------ */

/* Constants of a compile-time argument's tensor that the machine defines: its kind (1 in
 * DRAM + 2 sharded), and bytes of a page for kernels that do not compile without them. */
namespace tw {
#ifdef TW_ACCESSOR_PAGES
constexpr uint32_t accessor_pages[] = TW_ACCESSOR_PAGES;
#else
extern const uint32_t *accessor_pages;
#endif
#ifdef TW_ACCESSOR_KINDS
constexpr uint32_t accessor_kinds[] = TW_ACCESSOR_KINDS;
constexpr uint32_t kind_of(uint32_t i)
{
    return i < sizeof accessor_kinds / sizeof *accessor_kinds ? accessor_kinds[i] : 0;
}
#else
constexpr uint32_t kind_of(uint32_t) { return 0; }
#endif
/* what the type of a TensorAccessor encodes */
template <uint32_t kind> struct accessor_kind {
    static constexpr bool is_dram = kind & 1, is_interleaved = !(kind & 2);
};
} // namespace tw

template <uint32_t CTA, uint32_t CRTA = 0> struct TensorAccessorArgs {
    /* A constant does nothing; a variable executes the operation. */
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
    /* of a page, a constant if one is needed */
    constexpr uint32_t get_aligned_page_size(TW_AT) const
    {
        if (__builtin_is_constant_evaluated())
            return tw::accessor_pages[CTA];
        return (uint32_t)tw::ask(at, TW_ASK_PAGE_BYTES, ((bits ? bits : make(at)) & 0xFFFF) - 1
                                                            << 52);
    }
    static constexpr uint32_t num_compile_time_args() { return 1; }
    static constexpr uint32_t num_common_runtime_args() { return 0; }
    int64_t bits;
};

/* A tensor named by the host: its accessor and, as a common argument, its address. */
namespace tensor_accessor {
template <uint32_t CTA, uint32_t CRTA_BYTES> struct TensorBindingToken {
    using args_t = TensorAccessorArgs<CTA>;
    static constexpr uint32_t addr_crta_offset = CRTA_BYTES;
};
} // namespace tensor_accessor

struct PageMapping {
    size_t bank_id;
    size_t bank_page_offset;
};

namespace tw {
/* A tensor's accessor, of any type. */
struct accessor {
    int64_t bits;
    uint32_t bank_base_address, page_size;
    using PageMapping = ::PageMapping;

    accessor() = default;
    template <uint32_t CTA, uint32_t CRTA>
    TW_QUIET accessor(const TensorAccessorArgs<CTA, CRTA> &args, uint32_t base,
                      int64_t page = tw::absent, TW_AT)
        : bank_base_address(base)
    {
        const int64_t v[] = {args.bits ? args.bits : args.make(at), (int32_t)base, page};
        bool given = page != tw::absent;
        bits = tw::run(tw::op_TensorAccessor, given ? 0x111 : 0x11, at, given ? 3 : 2, v);
        page_size = (uint32_t)tw::ask(at, TW_ASK_PAGE_BYTES, bits);
    }
    TW_QUIET uint32_t get_bank_base_address() const { return bank_base_address; }
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

} // namespace tw

template <class DSpecT> struct TensorAccessor : tw::accessor {
    using DSpec = DSpecT;
    static constexpr bool is_dram = DSpec::is_dram;
    template <uint32_t CTA, uint32_t CRTA>
    TW_QUIET TensorAccessor(const TensorAccessorArgs<CTA, CRTA> &args, uint32_t base,
                            int64_t page = tw::absent, TW_AT)
        : tw::accessor(args, base, page, at)
    {
    }
    template <uint32_t CTA, uint32_t CRTA_BYTES>
    TW_QUIET explicit TensorAccessor(tensor_accessor::TensorBindingToken<CTA, CRTA_BYTES>,
                                     int64_t page = tw::absent, TW_AT)
        : tw::accessor(TensorAccessorArgs<CTA>(at),
                       get_common_arg_val<uint32_t>(CRTA_BYTES / 4, at), page, at)
    {
    }
};
template <uint32_t CTA, uint32_t CRTA>
TensorAccessor(const TensorAccessorArgs<CTA, CRTA> &, uint32_t, int64_t = 0, tw::at = {})
    -> TensorAccessor<tw::accessor_kind<tw::kind_of(CTA)>>;
template <uint32_t CTA, uint32_t CRTA_BYTES>
TensorAccessor(tensor_accessor::TensorBindingToken<CTA, CRTA_BYTES>, int64_t = 0, tw::at = {})
    -> TensorAccessor<tw::accessor_kind<tw::kind_of(CTA)>>;
/* Accessors of different tensors in one array. */
struct AbstractTensorAccessorWrapper : tw::accessor {
    AbstractTensorAccessorWrapper() = default;
    template <class DSpec>
    TW_QUIET AbstractTensorAccessorWrapper(const TensorAccessor<DSpec> &of) : tw::accessor(of)
    {
    }
};
namespace tw {
template <class T>
constexpr bool is_accessor = ::std::is_base_of_v<accessor, ::std::remove_cvref_t<T>>;
} // namespace tw
template <class T>
constexpr bool has_get_aligned_page_size_v = requires(const T &t) { t.get_aligned_page_size(); };

/* Several tensors whose accessors are consecutive compile-time arguments, and whose
 * addresses are a core's arguments. */
namespace tw {
template <uint32_t CTA, uint32_t CRTA, uint32_t... i>
constexpr auto accessor_args(::std::integer_sequence<uint32_t, i...>)
{
    return ::std::tuple<TensorAccessorArgs<CTA + i, CRTA>...>{};
}
template <class... Args, uint32_t... i>
TW_QUIET inline auto accessors(const ::std::tuple<Args...> &args, uint32_t first,
                               ::std::integer_sequence<uint32_t, i...>, at at)
{
    return ::std::make_tuple(TensorAccessor(::std::get<i>(args),
                                            get_arg_val<uint32_t>(first + i, at), absent, at)...);
}
} // namespace tw
template <uint32_t count, uint32_t CTA, uint32_t CRTA = 0>
constexpr auto make_tensor_accessor_args_tuple()
{
    return tw::accessor_args<CTA, CRTA>(::std::make_integer_sequence<uint32_t, count>());
}
template <class... Args>
TW_QUIET inline auto make_tensor_accessor_tuple(const ::std::tuple<Args...> &args, uint32_t first,
                                                TW_AT)
{
    return tw::accessors(args, first,
                         ::std::make_integer_sequence<uint32_t, sizeof...(Args)>(), at);
}
template <class... Accessors>
TW_QUIET inline auto make_abstract_tensor_accessor_wrappers(const ::std::tuple<Accessors...> &all)
{
    return ::std::apply(
        [](const auto &...one) TW_QUIET {
            return ::std::array<AbstractTensorAccessorWrapper, sizeof...(Accessors)>{one...};
        },
        all);
}

/* A tensor's layout, as hosts encode it in arguments (buffer_types.hpp). */
namespace tt::tt_metal {
enum class TensorMemoryLayout { INTERLEAVED = 0, SINGLE_BANK = 1, HEIGHT_SHARDED = 2,
                                WIDTH_SHARDED = 3, BLOCK_SHARDED = 4 };
enum class ShardOrientation { ROW_MAJOR = 0, COL_MAJOR = 1 };
enum class BufferType { DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE };
} // namespace tt::tt_metal

/* Older kernels give the location of an interleaved tensor. */
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
/* repeats the generator's DRAM parameter */
template <bool DRAM, class Tensor, class = decltype(&Tensor::get_noc_addr)>
TW_QUIET inline uint64_t get_noc_addr(uint32_t id, const Tensor &tensor, uint32_t offset = 0,
                                      tw::noc noc = {}, TW_AT)
{
    return tensor.get_noc_addr(id, offset, noc, at);
}
