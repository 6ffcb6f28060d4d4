/* debug_values.c: what a stop shows as tiles: pages of circular buffers, and DST. */
#include "grid/debug/debug.h"

#include "grid/units/code.h"
#include "host/tiles/tile.h"

#include <stdlib.h>

enum { TILE_SIDE = DEV_TILE_SIDE, FACE = TILE_SIDE / 2, TILE_SIZE = DEV_TILE_ELEMENTS };

/* From four faces to rows. */
static void to_rows(const float *from, float *out)
{
    for (int y = 0; y < TILE_SIDE; y++)
        for (int x = 0; x < TILE_SIDE; x++) {
            const int face = y / FACE * 2 + x / FACE;
            out[y * TILE_SIDE + x] = from[face * FACE * FACE + y % FACE * FACE + x % FACE];
        }
}

static void to_floats(const dev_tile *tile, bool integer, float *out)
{
    float values[TILE_SIZE];
    for (int i = 0; i < TILE_SIZE; i++) {
        int32_t word;
        memcpy(&word, &tile->f[i], sizeof word);
        values[i] = integer ? (float)word : tile->f[i];
    }
    to_rows(values, out);
}

TW_EXPORT int tw_stop_port(const tw_stop *stop, const char *name)
{
    const dev_core *core = stop->thread->core;
    char *end;
    const long port = strtol(name, &end, 10);
    if (end != name && !*end)
        return port >= 0 && port < DEV_MAX_CBS && core->cb[port].live ? (int)port : -1;
    for (int i = 0; i < core->n_live; i++) {
        const dev_cb *cb = &core->cb[core->live[i]];
        if (cb->name && strcmp(cb->name, name) == 0)
            return core->live[i];
    }
    return -1;
}

TW_EXPORT bool tw_stop_page(tw_stop *stop, int port, size_t i, float out[1024])
{
    const dev_core *core = stop->thread->core;
    if (port < 0 || port >= DEV_MAX_CBS || !core->cb[port].live)
        return false;
    const dev_cb *cb = &core->cb[port];
    if (i >= cb->filled + cb->reserved || cb->page != dev_tile_bytes(cb->format))
        return false;
    const uint32_t page = i < cb->filled
                              ? dev_cb_behind(cb, cb->read, (uint32_t)i)
                              : dev_cb_behind(cb, cb->write, (uint32_t)i - cb->filled);
    dev_tile tile;
    dev_tile_load(cb->format, core->l1.bytes + cb->base + (size_t)page * cb->page, &tile);
    to_floats(&tile, dev_format_is_integer(cb->format), out);
    return true;
}

TW_EXPORT bool tw_stop_dst(tw_stop *stop, int i, float out[1024])
{
    const dev_thread *t = stop->thread;
    if (!t->is_compute || i < 0 || i >= t->compute->dst.capacity ||
        !t->compute->dst.slot[i].written)
        return false;
    const dev_slot *s = &t->compute->dst.slot[i];
    dev_tile tile = s->tile;
    if (s->half)
        krn_tiles()->load_bf16(s->half, tile.f);
    else if (s->page)
        tile = *s->page;
    to_floats(&tile, s->integer, out);
    return true;
}

TW_EXPORT bool tw_stop_semaphore(const tw_stop *stop, int i, uint32_t *out)
{
    const dev_machine *m = stop->m;
    const size_t base = m->chip->l1_base - DEV_MAX_SEMAPHORES * 16;
    if (i < 0 || (uint32_t)i >= m->n_semaphores)
        return false;
    memcpy(out, stop->thread->core->l1.bytes + base + (size_t)i * 16, sizeof *out);
    return true;
}
