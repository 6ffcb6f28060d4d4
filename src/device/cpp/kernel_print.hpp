/* kernel_print.hpp: DPRINT in both its forms. */
#pragma once

#include "kernel_base.hpp"

/* ---- printing ----------------------------------------------------------------------- */

namespace tw {

/* One statement's text; its lines are printed as they end, the last with the statement. */
class printer {
    char text[480];
    unsigned n = 0;
    tw_kernel_place where;
    bool hex = false;

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
    TW_QUIET ~printer() { flush(); }
    TW_QUIET tw_kernel_place place() const { return where; }
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
/* Numbers by their bits, also as what lies in L1. */
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

/* A circular buffer, by its number. */
namespace ttmlir {
struct CBPrinter {
    uint32_t port;
    constexpr CBPrinter(uint32_t cb) : port(cb) {}
    TW_QUIET void print(tw::printer &p) const { p.add((uint64_t)port); }
};
} // namespace ttmlir
