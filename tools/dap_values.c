/* dap_values.c: see dap_values.h. */
#include "dap_values.h"

#include "support/arena.h"

#include <stdlib.h>

enum { SIDE = 32, TILE = SIDE * SIDE, LIMIT = 256 };

enum {
    BLOCKS,     /* pages that a thread has waited for or reserved */
    BUFFERS,    /* all circular buffers */
    SEMAPHORES, /* of the core */
    DST,        /* written tiles */
    BUFFER,     /* a: its index in the state */
    PAGES,      /* a: the port, b: the first page, row: their count */
    PAGE,       /* a: the port, b: the page: rows */
    DST_TILE,   /* a: the tile: rows */
    PAGE_ROW,   /* and the row: elements */
    DST_ROW,
    SEMAPHORE /* a: its index: its last change */
};

void dap_values_free(dap_values *v)
{
    json_decref(v->state);
    free(v->at);
    *v = (dap_values){0};
}

/* ---- the state ----------------------------------------------------------------------- */

static json_t *part(const dap_values *v, const char *name)
{
    return json_object_get(v->state, name);
}

static int number(const json_t *of, const char *name)
{
    return (int)json_number_value(json_object_get(of, name));
}

static const char *text(const json_t *of, const char *name)
{
    return json_string_value(json_object_get(of, name));
}

static void put_title(tw_strbuf *out, const json_t *buffer)
{
    const char *name = text(buffer, "name");
    if (name)
        tw_strbuf_puts(out, name);
    else
        tw_strbuf_printf(out, "circular buffer %d", number(buffer, "port"));
}

static bool load(const dap_values *v, const dap_handle *h, float *out)
{
    return h->kind == PAGE || h->kind == PAGE_ROW
               ? tw_stop_page(v->stop, h->a, (size_t)h->b, out)
               : tw_stop_dst(v->stop, h->a, out);
}

/* ---- variables ----------------------------------------------------------------------- */

static json_t *leaf(const char *name, const char *value)
{
    return json_pack("{s:s,s:s,s:i}", "name", name, "value", value, "variablesReference",
                     0);
}

static json_t *number_leaf(const char *name, int value)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%d", value);
    return leaf(name, digits);
}

/* A variable with children, if there are any. */
static json_t *nested(dap_values *v, const char *name, const char *value, size_t count,
                      dap_handle h)
{
    json_t *made = leaf(name, value);
    if (!count)
        return made;
    h.thread = v->thread;
    TW_PUSH(v->at, v->n, v->capacity, h);
    json_object_set_new(made, "variablesReference", json_integer((json_int_t)v->n));
    json_object_set_new(made, "indexedVariables", json_integer((json_int_t)count));
    return made;
}

/* "32x32, 0 to 3999" and its rows. */
static json_t *tile(dap_values *v, const char *name, dap_handle h, const char *more)
{
    float values[TILE];
    tw_strbuf shown = {0};
    if (!load(v, &h, values))
        return leaf(name, "none"); /* a page that has gone */
    float low = values[0], high = values[0];
    for (int i = 0; i < TILE; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    tw_strbuf_printf(&shown, "32x32, %g to %g%s", (double)low, (double)high, more);
    json_t *made = nested(v, name, tw_strbuf_text(&shown), SIDE, h);
    tw_strbuf_free(&shown);
    return made;
}

static json_t *row(dap_values *v, const dap_handle *of, int i)
{
    float values[TILE];
    char name[16], shown[96] = "none";
    dap_handle h = *of;
    h.kind = of->kind == PAGE ? PAGE_ROW : DST_ROW;
    h.row = i;
    snprintf(name, sizeof name, "[%d]", i);
    if (load(v, of, values)) {
        const float *x = values + (size_t)i * SIDE;
        snprintf(shown, sizeof shown, "[%g, %g, %g, %g, ...]", (double)x[0], (double)x[1],
                 (double)x[2], (double)x[3]);
    }
    return nested(v, name, shown, SIDE, h);
}

static json_t *element(const dap_values *v, const dap_handle *of, int i)
{
    float values[TILE];
    char name[16], shown[32] = "none";
    snprintf(name, sizeof name, "[%d]", i);
    if (load(v, of, values))
        snprintf(shown, sizeof shown, "%.9g", (double)values[of->row * SIDE + i]);
    return leaf(name, shown);
}

static json_t *pages(dap_values *v, const json_t *buffer, const char *name, int first,
                     int count)
{
    tw_strbuf shown = {0};
    const bool tiles = json_is_true(json_object_get(buffer, "tiles"));
    tw_strbuf_printf(&shown, "%d page%s of %s%s", count, count == 1 ? "" : "s",
                     text(buffer, "format"), tiles ? "" : ", which are no tiles");
    json_t *made = nested(
        v, name, tw_strbuf_text(&shown), tiles ? (size_t)count : 0,
        (dap_handle){.kind = PAGES, .a = number(buffer, "port"), .b = first, .row = count});
    tw_strbuf_free(&shown);
    return made;
}

static json_t *buffer(dap_values *v, size_t i)
{
    enum { FIELDS = 8 };
    const json_t *b = json_array_get(part(v, "buffers"), i);
    tw_strbuf name = {0}, shown = {0};
    put_title(&name, b);
    tw_strbuf_printf(&shown, "%d of %d pages filled, %d reserved", number(b, "filled"),
                     number(b, "pages"), number(b, "reserved"));
    json_t *made = nested(v, tw_strbuf_text(&name), tw_strbuf_text(&shown), FIELDS,
                          (dap_handle){.kind = BUFFER, .a = (int)i});
    tw_strbuf_free(&name);
    tw_strbuf_free(&shown);
    return made;
}

static json_t *field(dap_values *v, const dap_handle *of, int i)
{
    static const struct {
        const char *title, *name;
    } fields[] = {{"port", "port"},        {"format", "format"},
                  {"pages", "pages"},      {"bytes of a page", "bytes"},
                  {"filled", "filled"},    {"waited for", "waited"},
                  {"reserved", "reserved"}};
    const json_t *b = json_array_get(part(v, "buffers"), (size_t)of->a);
    if (i >= (int)TW_COUNT(fields))
        return pages(v, b, "tiles", 0, number(b, "filled") + number(b, "reserved"));
    const char *value = text(b, fields[i].name);
    return value ? leaf(fields[i].title, value)
                 : number_leaf(fields[i].title, number(b, fields[i].name));
}

static json_t *semaphore(dap_values *v, size_t i)
{
    const json_t *s = json_array_get(part(v, "semaphores"), i);
    char name[32], value[16];
    snprintf(name, sizeof name, "semaphore %zu", i);
    snprintf(value, sizeof value, "%u",
             (unsigned)json_integer_value(json_object_get(s, "value")));
    return nested(v, name, value, json_object_get(s, "from") ? 1 : 0,
                  (dap_handle){.kind = SEMAPHORE, .a = (int)i});
}

static json_t *last_change(const dap_values *v, const dap_handle *of)
{
    const json_t *s = json_array_get(part(v, "semaphores"), (size_t)of->a);
    tw_strbuf shown = {0};
    tw_strbuf_printf(&shown, "%u; it was %u until core %d,%d changed it in cycle %.0f",
                     (unsigned)json_integer_value(json_object_get(s, "value")),
                     (unsigned)json_integer_value(json_object_get(s, "from")),
                     number(s, "y"), number(s, "x"),
                     json_number_value(json_object_get(s, "cycle")));
    if (text(s, "file"))
        tw_strbuf_printf(&shown, ", at %s:%d", text(s, "file"), number(s, "line"));
    json_t *made = leaf("last change", tw_strbuf_text(&shown));
    tw_strbuf_free(&shown);
    return made;
}

static json_t *dst(dap_values *v, size_t i)
{
    const json_t *d = json_array_get(part(v, "dst"), i);
    char name[32], more[64] = "";
    snprintf(name, sizeof name, "tile %d", number(d, "tile"));
    if (json_object_get(d, "line"))
        snprintf(more, sizeof more, ", written at line %d", number(d, "line"));
    return tile(v, name, (dap_handle){.kind = DST_TILE, .a = number(d, "tile")}, more);
}

/* ---- children ------------------------------------------------------------------------ */

static json_t *blocks(dap_values *v)
{
    json_t *found = json_array(), *b;
    size_t i;
    json_array_foreach(part(v, "buffers"), i, b)
    {
        tw_strbuf name = {0};
        put_title(&name, b);
        const size_t size = name.size;
        if (number(b, "waited")) {
            tw_strbuf_puts(&name, " (waited for)");
            json_array_append_new(
                found, pages(v, b, tw_strbuf_text(&name), 0, number(b, "waited")));
            name.size = size;
        }
        if (number(b, "reserved")) {
            tw_strbuf_puts(&name, " (reserved)");
            json_array_append_new(found, pages(v, b, tw_strbuf_text(&name),
                                               number(b, "filled"), number(b, "reserved")));
        }
        tw_strbuf_free(&name);
    }
    return found;
}

static size_t count_blocks(const dap_values *v)
{
    size_t i, n = 0;
    json_t *b;
    json_array_foreach(part(v, "buffers"), i, b) n +=
        (number(b, "waited") > 0) + (number(b, "reserved") > 0);
    return n;
}

static size_t count_children(const dap_values *v, const dap_handle *h)
{
    switch (h->kind) {
    case BLOCKS:
        return count_blocks(v);
    case BUFFERS:
        return json_array_size(part(v, "buffers"));
    case SEMAPHORES:
        return json_array_size(part(v, "semaphores"));
    case DST:
        return json_array_size(part(v, "dst"));
    case BUFFER:
        return 8;
    case PAGES:
        return (size_t)h->row;
    case SEMAPHORE:
        return 1;
    default:
        return SIDE;
    }
}

static json_t *child(dap_values *v, const dap_handle *h, size_t i)
{
    char name[32];
    snprintf(name, sizeof name, "[%zu]", i);
    switch (h->kind) {
    case BUFFERS:
        return buffer(v, i);
    case SEMAPHORES:
        return semaphore(v, i);
    case DST:
        return dst(v, i);
    case BUFFER:
        return field(v, h, (int)i);
    case PAGES:
        return tile(v, name, (dap_handle){.kind = PAGE, .a = h->a, .b = h->b + (int)i}, "");
    case PAGE:
    case DST_TILE:
        return row(v, h, (int)i);
    case SEMAPHORE:
        return last_change(v, h);
    default:
        return element(v, h, (int)i);
    }
}

json_t *dap_scopes(dap_values *v)
{
    static const char *const names[] = {"Blocks", "Circular buffers", "Semaphores", "DST"};
    json_t *scopes = json_array();
    for (int kind = BLOCKS; kind <= DST; kind++) {
        const dap_handle h = {.kind = kind, .thread = v->thread};
        const size_t count = count_children(v, &h);
        TW_PUSH(v->at, v->n, v->capacity, h);
        json_array_append_new(scopes, json_pack("{s:s,s:I,s:I,s:b}", "name", names[kind],
                                                "variablesReference", (json_int_t)v->n,
                                                "indexedVariables", (json_int_t)count,
                                                "expensive", 0));
    }
    return scopes;
}

int dap_thread_of(const dap_values *v, json_int_t reference)
{
    return reference > 0 && (size_t)reference <= v->n ? v->at[reference - 1].thread : -1;
}

json_t *dap_variables(dap_values *v, json_int_t reference, json_int_t start,
                      json_int_t count)
{
    const dap_handle h = v->at[reference - 1];
    if (h.kind == BLOCKS)
        return blocks(v);
    json_t *found = json_array();
    const size_t total = count_children(v, &h), from = start > 0 ? (size_t)start : 0;
    const size_t most = count > 0 ? (size_t)count : LIMIT;
    const size_t end = from < total ? from + TW_MIN(most, total - from) : from;
    for (size_t i = from; i < end; i++)
        json_array_append_new(found, child(v, &h, i));
    if (end < total && count <= 0) {
        char more[96];
        snprintf(more, sizeof more, "%zu more, from %zu: ask with start and count",
                 total - end, end);
        json_array_append_new(found, leaf("...", more));
    }
    return found;
}

/* ---- names --------------------------------------------------------------------------- */

/* "sem 0", "semaphore 0" and "dst 0"; -1 for another text. */
static long index_behind(const char *text, const char *word)
{
    const size_t n = strlen(word);
    char *end;
    if (strncmp(text, word, n) != 0 || text[n] != ' ')
        return -1;
    const long i = strtol(text + n + 1, &end, 10);
    return *end || end == text + n + 1 ? -1 : i;
}

json_t *dap_named(dap_values *v, const char *wanted)
{
    size_t i;
    json_t *b;
    const long port = index_behind(wanted, "cb");
    json_array_foreach(part(v, "buffers"), i, b)
    {
        tw_strbuf title = {0};
        put_title(&title, b);
        const char *name = tw_strbuf_text(&title);
        const bool same = strcmp(wanted, name) == 0 || port == number(b, "port") ||
                          (strncmp(wanted, "cb ", 3) == 0 && strcmp(wanted + 3, name) == 0);
        tw_strbuf_free(&title);
        if (same)
            return buffer(v, i);
    }
    if (strcmp(wanted, "dst") == 0) {
        char shown[48];
        const size_t n = json_array_size(part(v, "dst"));
        snprintf(shown, sizeof shown, "%zu tiles are written", n);
        return nested(v, "dst", shown, n, (dap_handle){.kind = DST});
    }
    const long a = index_behind(wanted, "sem"), c = index_behind(wanted, "semaphore");
    const long s = a >= 0 ? a : c, d = index_behind(wanted, "dst");
    if (s >= 0 && (size_t)s < json_array_size(part(v, "semaphores")))
        return semaphore(v, (size_t)s);
    json_array_foreach(part(v, "dst"), i, b) if (d == number(b, "tile")) return dst(v, i);
    return NULL;
}

void dap_put_names(const dap_values *v, tw_strbuf *out)
{
    size_t i;
    json_t *b;
    json_array_foreach(part(v, "buffers"), i, b)
    {
        put_title(out, b);
        tw_strbuf_puts(out, ", ");
    }
    for (i = 0; i < json_array_size(part(v, "semaphores")); i++)
        tw_strbuf_printf(out, "semaphore %zu, ", i);
    tw_strbuf_puts(out, "dst");
}
