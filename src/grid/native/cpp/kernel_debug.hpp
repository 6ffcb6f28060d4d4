/* kernel_debug.hpp: debugging: tiles and rows for DPRINT, timeline zones, assertions. */
#pragma once

#include "kernel_low.hpp"

/* ---- tiles ------------------------------------------------------------------------------ */

struct SliceRange {
    uint8_t h0, h1, hs, w0, w1, ws;
    static constexpr SliceRange hw0_32_16() { return {0, 32, 16, 0, 32, 16}; }
    static constexpr SliceRange hw0_32_8() { return {0, 32, 8, 0, 32, 8}; }
    static constexpr SliceRange hw0_32_4() { return {0, 32, 4, 0, 32, 4}; }
    static constexpr SliceRange h0_w0_32() { return {0, 1, 1, 0, 32, 1}; }
    static constexpr SliceRange h0_32_w0() { return {0, 32, 1, 0, 1, 1}; }
    static constexpr SliceRange h0_32_w1() { return {0, 32, 1, 1, 2, 1}; }
    static constexpr SliceRange hw041() { return {0, 4, 1, 0, 4, 1}; }
};
#define TSLICE_RD_PTR true
#define TSLICE_WR_PTR false
#define TSLICE_INPUT_CB true
#define TSLICE_OUTPUT_CB false

/* Elements of a tile in a buffer: by row and column of the matrix, or in memory order
 * (`as_rows`) as consecutive rows of 32. */
struct TileSlice {
    uint32_t cb, tile;
    SliceRange range;
    bool lines, as_rows, at_read;
    TW_QUIET TileSlice(uint32_t c, int t, SliceRange s, bool endl_rows = true,
                       bool print_untilized = false)
        : cb(c), tile((uint32_t)t), range(s), lines(endl_rows), as_rows(!print_untilized),
          at_read(true)
    {
    }
    TW_QUIET TileSlice(uint32_t c, int t, SliceRange s, bool, bool read, bool endl_rows,
                       bool print_untilized)
        : TileSlice(c, t, s, endl_rows, print_untilized)
    {
        at_read = read;
    }
    TW_QUIET void print(tw::printer &p) const
    {
        tw_kernel_location where = p.location();
        tw::at at = tw::at_of(where);
        DataFormat format = get_dataformat(cb, at);
        uint32_t base = (at_read ? get_read_ptr(cb, at) : get_write_ptr(cb, at)) +
                        tile * get_tile_size(cb, at);
        for (unsigned h = range.h0; h < range.h1; h += range.hs) {
            for (unsigned w = range.w0; w < range.w1; w += range.ws) {
                p.add((double)tw::number_at(format, base,
                                            as_rows ? h * 32 + w : tw::face_index(h, w)));
                p.add(' ');
            }
            if (lines)
                p.add('\n');
        }
    }
};
#define TSLICE(...) (TileSlice(__VA_ARGS__))

/* A whole tile of a buffer; a tile of DST. */
TW_QUIET inline void print_full_tile(uint32_t cb, uint32_t tile = 0, bool untilize = false, TW_AT)
{
    for (uint8_t row = 0; row < 32; row++) {
        tw::printing line(at);
        line << (uint32_t)row << ": "
             << TileSlice(cb, (int)tile, {row, (uint8_t)(row + 1), 1, 0, 32, 1}, false, untilize);
    }
}
template <auto...> TW_QUIET inline void dprint_tensix_dest_reg(int tile, TW_AT)
{
    const float *f = (const float *)(uintptr_t)tw::ask(at, TW_ASK_TILE, tile);
    for (unsigned row = 0; row < 32; row++) {
        tw::printing line(at);
        for (unsigned column = 0; column < 32; column++)
            line << f[tw::face_index(row, column)] << " ";
    }
}

namespace tw {
template <class F> TW_QUIET inline void print_pages(uint32_t numbers, uint32_t pages, at at, F number)
{
    for (uint32_t page = 0; page < pages; page++) {
        printing line(at);
        line << page << ": ";
        for (uint32_t i = 0; i < numbers; i++)
            line << number(page * numbers + i) << " ";
    }
}
} // namespace tw
TW_QUIET inline void print_bf16_pages(uint32_t from, uint32_t numbers, uint32_t pages,
                                      uint32_t start = 0, TW_AT)
{
    tw::print_pages(numbers, pages, at, [=](uint32_t i) TW_QUIET {
        return tw::number_at(DataFormat::Float16_b, from, start * numbers + i);
    });
}
TW_QUIET inline void print_f32_pages(uint32_t from, uint32_t numbers, uint32_t pages,
                                     uint32_t start = 0, TW_AT)
{
    tw::print_pages(numbers, pages, at, [=](uint32_t i) TW_QUIET {
        return tw::number_at(DataFormat::Float32, from, start * numbers + i);
    });
}
TW_QUIET inline void print_u32_pages(uint32_t from, uint32_t numbers, uint32_t pages,
                                     uint32_t start = 0, TW_AT)
{
    tw::print_pages(numbers, pages, at, [=](uint32_t i) TW_QUIET {
        return tw::bits_at(from, start * numbers + i, 32);
    });
}

/* On hardware prints of several processors wait for each other. */
struct WAIT {
    uint32_t signal;
    TW_QUIET void print(tw::printer &) const {}
};
struct RAISE {
    uint32_t signal;
    TW_QUIET void print(tw::printer &) const {}
};

/* ---- zones of the timeline ----------------------------------------------------------- */

namespace tw {
class zone {
    at where;
    const char *name;
    int64_t start;

  public:
    TW_QUIET zone(const char *n, at at) : where(at), name(n), start(ask(at, TW_ASK_CYCLE)) {}
    TW_QUIET ~zone() { ask(where, TW_SAY_ZONE, (int64_t)(uintptr_t)name, start); }
    zone(const zone &) = delete;
};
} // namespace tw
#define TW_JOIN_(a, b) a##b
#define TW_JOIN(a, b) TW_JOIN_(a, b)
#define DeviceZoneScopedN(name) tw::zone TW_JOIN(tw_zone_, __LINE__)(name, TW_HERE)
#define DeviceZoneScopedMainN(name) DeviceZoneScopedN(name)
#define DeviceZoneScopedMainChildN(name) DeviceZoneScopedN(name)
#define DeviceZoneScopedSumN1(name) DeviceZoneScopedN(name)
#define DeviceZoneScopedSumN2(name) DeviceZoneScopedN(name)
#define DeviceTimestampedData(name, value)                                                 \
    (tw::ask(TW_HERE, TW_SAY_ZONE, (int64_t)(uintptr_t)(name), tw::ask(TW_HERE, TW_ASK_CYCLE)))
#define DeviceRecordEvent(id) ((void)(id))

/* ---- checks --------------------------------------------------------------------------------- */

#define ASSERT(condition, ...)                                                             \
    ((condition) ? (void)0                                                                 \
                 : (void)tw::ask(TW_HERE, TW_SAY_ASSERTION, (int64_t)(uintptr_t)#condition))
#define LIGHTWEIGHT_ASSERT(...) ASSERT(__VA_ARGS__)
#define WAYPOINT(x)
#define PAUSE()
#define WATCHER_RING_BUFFER_PUSH(x) ((void)(x))
