/* kernel_print.hpp: DPRINT in both its forms. */
#pragma once

#include "kernel_base.hpp"

/* ---- printing ----------------------------------------------------------------------- */

namespace tw {

/* The text of one statement, printed line by line, the last with the statement. */
class printer {
    char text[480];
    unsigned n = 0;
    tw_kernel_location where;
    bool hex = false, fixed = false, always = false; /* always: the width persists */
    int precision = 6;
    unsigned width = 0;

    TW_QUIET void put(char c)
    {
        if (c == '\n')
            flush();
        else if (n + 1 < sizeof text)
            text[n++] = c;
    }
    TW_QUIET void flush()
    {
        text[n] = 0;
        if (n)
            TW_MACHINE->print(mine.thread, &where, text);
        n = 0;
    }
    TW_QUIET void padded(const char *s)
    {
        for (size_t k = __builtin_strlen(s); k < width; k++)
            put(' ');
        if (!always)
            width = 0;
        while (*s)
            put(*s++);
    }
    TW_QUIET void digits(uint64_t v, bool negative)
    {
        char all[24], *at = all + sizeof all - 1;
        *at = 0;
        do
            *--at = "0123456789abcdef"[v % (hex ? 16 : 10)];
        while (v /= hex ? 16 : 10);
        if (negative)
            *--at = '-';
        padded(at);
    }

  public:
    TW_QUIET explicit printer(tw_kernel_location p) : where(p) {}
    printer(const printer &) = delete;
    TW_QUIET ~printer() { flush(); }
    TW_QUIET tw_kernel_location location() const { return where; }
    TW_QUIET void set_hex(bool on) { hex = on; }
    TW_QUIET void set_fixed(bool on) { fixed = on; }
    TW_QUIET void set_precision(int n) { precision = n; }
    TW_QUIET void set_width(unsigned n, bool on) { width = n, always = on; }
    TW_QUIET void add(const char *s) { padded(s); }
    TW_QUIET void add(char c) { put(c); }
    TW_QUIET void add(bool b) { padded(b ? "1" : "0"); }
    TW_QUIET void add(double d);
    TW_QUIET void add(int64_t v)
    {
        bool negative = v < 0 && !hex;
        digits(negative ? -(uint64_t)v : (uint64_t)v, negative);
    }
    TW_QUIET void add(uint64_t v) { digits(v, false); }
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
    template <class T> TW_QUIET void any(const l1::word<T> &v) { any((T)v); }
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

/* As streams print: significant digits, or digits after the point. */
TW_QUIET inline void printer::add(double d)
{
    char all[400];
    __builtin_snprintf(all, sizeof all, fixed ? "%.*f" : "%.*g", precision, d);
    padded(all);
}

struct printing {
    printer p;
    TW_QUIET explicit printing(tw_kernel_location location) : p(location) {}
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
struct fixed_to {
    bool fixed;
    TW_QUIET void print(printer &p) const { p.set_fixed(fixed); }
};
struct precision_to {
    int n;
    TW_QUIET void print(printer &p) const { p.set_precision(n); }
};
struct width_to {
    unsigned n;
    bool always;
    TW_QUIET void print(printer &p) const { p.set_width(n, always); }
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
TW_QUIET inline tw::fixed_to FIXED() { return {true}; }
TW_QUIET inline tw::fixed_to DEFAULTFLOAT() { return {false}; }
TW_QUIET inline tw::width_to SETW(int n, bool always = true) { return {(unsigned)n, always}; }
TW_QUIET inline tw::precision_to SETPRECISION(int n) { return {n}; }
/* Values by their bits, also as stored in L1. */
struct F32 {
    float val;
    TW_QUIET F32(float v) : val(v) {}
    TW_QUIET void print(tw::printer &p) const { p.add((double)val); }
};
struct U32 {
    uint32_t val;
    TW_QUIET U32(uint32_t v) : val(v) {}
    TW_QUIET void print(tw::printer &p) const { p.add((uint64_t)val); }
};
struct BF16 {
    uint16_t val;
    TW_QUIET BF16(uint16_t v) : val(v) {}
    TW_QUIET void print(tw::printer &p) const
    {
        uint32_t bits = (uint32_t)val << 16;
        float f;
        __builtin_memcpy(&f, &bits, sizeof f);
        p.add((double)f);
    }
};

/* A circular buffer, by its port. */
namespace ttmlir {
struct CBPrinter {
    uint32_t port;
    constexpr CBPrinter(uint32_t cb) : port(cb) {}
    TW_QUIET void print(tw::printer &p) const { p.add((uint64_t)port); }
};
} // namespace ttmlir
