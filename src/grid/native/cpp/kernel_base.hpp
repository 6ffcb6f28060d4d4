/* kernel_base.hpp: basis of the kernel API: locations, calls, words of L1, compile-time
 * arguments, printing. kernel_ops.hpp, generated from the operations' rows, and
 * kernel_api.hpp, written by hand, build on it. */
#pragma once

#ifndef TW_EMITTED /* kernels written by hand may use it */
#include <algorithm>
#endif
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kernel_abi.h"

#if !defined(__clang__)
#include <source_location>
#endif

/* Not counted as the kernel's own code. */
#if defined(__clang__)
#define TW_QUIET __attribute__((no_sanitize("coverage")))
#else
#define TW_QUIET __attribute__((no_sanitize_coverage))
#endif

#define TW_INSIDE TW_QUIET __attribute__((always_inline)) inline

/* After all variables: linkers put unknown sections without file contents after .bss. */
#define TW_TEXT_OF(x) #x
#define TW_TEXT(x) TW_TEXT_OF(x)
#if defined(__aarch64__)
#define TW_LARGEST_PAGE 65536
#else
#define TW_LARGEST_PAGE 4096
#endif
asm(".pushsection .tw_guard, \"aw\", @nobits\n.balign " TW_TEXT(TW_LARGEST_PAGE) "\n"
    "tw_guard: .zero 262144\n.popsection\n");
static_assert(TW_KERNEL_GUARD == 262144);
extern "C" __attribute__((visibility("hidden"))) const tw_kernel_machine *tw_guard[];
#define TW_MACHINE (*(const tw_kernel_machine *volatile *)tw_guard)

namespace tw {

/* ---- locations: the caller's, as a default argument ---------------------------------- */

#if defined(__clang__)
struct at {
    const char *file;
    uint32_t line, column;
    TW_QUIET operator tw_kernel_location() const { return {file, line, column, 0}; }
};
#define TW_AT tw::at at = {__builtin_FILE(), __builtin_LINE(), __builtin_COLUMN()}
#define TW_HERE (tw::at{__builtin_FILE(), __builtin_LINE(), __builtin_COLUMN()})
#else
struct at {
    const char *file;
    uint32_t line, column;
    TW_QUIET constexpr at(std::source_location l = std::source_location::current())
        : file(l.file_name()), line(l.line()), column(l.column())
    {
    }
    TW_QUIET constexpr at(const tw_kernel_location &p) : file(p.file), line(p.line), column(p.column) {}
    TW_QUIET operator tw_kernel_location() const { return {file, line, column, 0}; }
};
#define TW_AT tw::at at = std::source_location::current()
#define TW_HERE (tw::at(std::source_location::current()))
#endif
/* ---- the machine -------------------------------------------------------------------- */

struct state {
    void *thread;
    uint32_t blocks;
    tw_kernel_location last; /* for calls without a location */
};
inline thread_local state mine;

/* Location passed explicitly. */
TW_QUIET inline at at_of(const tw_kernel_location &p)
{
#if defined(__clang__)
    return {p.file, p.line, p.column};
#else
    return {p};
#endif
}
constexpr int64_t absent = TW_KERNEL_ABSENT;
/* results of get_arg_addr and get_common_arg_addr: addresses above every L1 */
constexpr uintptr_t own_arguments = 0x0F000000, common_arguments = 0x0F100000;

TW_QUIET inline __attribute__((noinline)) int64_t run(unsigned op, uint64_t groups,
                                                      tw_kernel_location where, unsigned n,
                                                      const int64_t *operands,
                                                      unsigned n_attrs = 0,
                                                      const int64_t *attrs = nullptr,
                                                      unsigned width = 32,
                                                      unsigned variant = 0)
{
    state &s = mine;
    tw_kernel_call call = {where, (uint16_t)op, (uint16_t)width, (uint8_t)n,
                           (uint8_t)n_attrs, (uint16_t)variant, s.blocks, groups, operands, attrs};
    s.blocks = 0;
    s.last = where;
    return TW_MACHINE->call(s.thread, &call);
}

TW_QUIET inline __attribute__((noinline)) int64_t ask(tw_kernel_location where,
                                                      tw_kernel_question what,
                                                      int64_t a = 0, int64_t b = 0,
                                                      int64_t c = 0, int64_t d = 0)
{
    const int64_t values[] = {a, b, c, d};
    return TW_MACHINE->ask(mine.thread, &where, what, values);
}

/* Reports an error that only the headers can detect, and ends the kernel. */
[[noreturn]] TW_QUIET inline void end_with(const char *text, at at)
{
    ask(at, TW_SAY_MISTAKE, (int64_t)(uintptr_t)text);
    __builtin_trap();
}

/* A value as a register holds it: floats by their bits. */
template <class T> TW_QUIET inline int64_t bits_of(const T &value)
{
    if constexpr (std::is_floating_point_v<T>) {
        float f = (float)value;
        uint32_t bits;
        __builtin_memcpy(&bits, &f, sizeof bits);
        return bits;
    } else {
        return (int64_t)value;
    }
}

/* One of each operand. */
template <class... T>
TW_QUIET inline int64_t one_each(unsigned op, tw_kernel_location where, T... operands)
{
    constexpr unsigned n = sizeof...(T);
    const int64_t v[n + 1] = {(int64_t)operands..., 0};
    return run(op, UINT64_C(0x11111111111111) & ((UINT64_C(1) << 4 * n) - 1), where, n, v);
}

/* ---- words of L1 ---------------------------------------------------------------------
 * A pointer into L1 is an address of the core's L1, where the host has no memory: loads and
 * stores through it are operations. `tt_l1_ptr uint32_t *` becomes a pointer to such a
 * word. A word that the compiler has copied to a variable is a plain value. */

namespace l1 {

template <class T> struct word {
    T number;

    word() = default;
    TW_QUIET explicit word(T v) : number(v) {}
    TW_INSIDE word(const word &other) : number(other.get()) {}
    TW_INSIDE word(const volatile word &other) : number(other.get()) {}

    TW_QUIET bool is_local() const volatile { return (uintptr_t)this >> 28; }
    /* out of line: the return address locates the use in the kernel */
    TW_QUIET __attribute__((noinline)) T get() const volatile;
    TW_QUIET __attribute__((noinline)) void set(T v) volatile;
    TW_INSIDE operator T() const volatile { return get(); }
    TW_INSIDE T operator=(T v) volatile { set(v); return v; }
    TW_INSIDE T operator=(const word &o) { T v = o.get(); set(v); return v; }
    TW_INSIDE T operator=(const volatile word &o) volatile { T v = o.get(); set(v); return v; }
#define TW_ASSIGN(op)                                                                      \
    TW_INSIDE T operator op##=(T v) volatile { T r = (T)(get() op v); set(r); return r; }
    TW_ASSIGN(+) TW_ASSIGN(-) TW_ASSIGN(*) TW_ASSIGN(/) TW_ASSIGN(%)
    TW_ASSIGN(&) TW_ASSIGN(|) TW_ASSIGN(^) TW_ASSIGN(<<) TW_ASSIGN(>>)
#undef TW_ASSIGN
    TW_INSIDE T operator++() volatile { T v = (T)(get() + 1); set(v); return v; }
    TW_INSIDE T operator--() volatile { T v = (T)(get() - 1); set(v); return v; }
    TW_INSIDE T operator++(int) volatile { T v = get(); set((T)(v + 1)); return v; }
    TW_INSIDE T operator--(int) volatile { T v = get(); set((T)(v - 1)); return v; }
};

/* a word of any integer type; a structure is unchanged and accessed by plain pointers */
template <class T>
using of = ::std::conditional_t<::std::is_arithmetic_v<T> || ::std::is_enum_v<T>, word<T>, T>;

using uint8_t = word<::uint8_t>;
using uint16_t = word<::uint16_t>;
using uint32_t = word<::uint32_t>;
using uint64_t = word<::uint64_t>;
using int8_t = word<::int8_t>;
using int16_t = word<::int16_t>;
using int32_t = word<::int32_t>;
namespace std {
using l1::int16_t;
using l1::int32_t;
using l1::int8_t;
using l1::uint16_t;
using l1::uint32_t;
using l1::uint8_t;
} // namespace std

} // namespace l1

/* An address of L1, of any type in the kernel. */
struct l1_address {
    int64_t value;
    template <class T> TW_QUIET l1_address(T *p) : value((int64_t)(uintptr_t)p) {}
    TW_QUIET l1_address(int64_t v) : value(v) {}
    TW_QUIET l1_address(uint64_t v) : value((int64_t)v) {}
    TW_QUIET l1_address(uint32_t v) : value((int64_t)v) {}
    TW_QUIET l1_address(int32_t v) : value(v) {}
    TW_QUIET operator int64_t() const { return value; }
};

} // namespace tw

#define tt_l1_ptr ::tw::l1::
#define tt_reg_ptr
#define FORCE_INLINE inline __attribute__((always_inline))
#define ALWI inline __attribute__((always_inline))
