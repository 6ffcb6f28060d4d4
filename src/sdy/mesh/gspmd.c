/* gspmd.c: see gspmd.h.
 *
 * The devices of `{devices=[4,2]<=[2,4]T(1,0)}` are laid out over the dimensions of the
 * tensor (and one more, with last_tile_dim_replicate, over which it is replicated).
 * Meshes have two axes; for a one-dimensional list of devices the first has size 1. */
#include "sdy/mesh/gspmd.h"

#include "support/number.h"

enum { MAX_DEVICES = 1024 };

typedef struct layout {
    int64_t tiles[GSPMD_MAX_DIMS + 1], mesh[GSPMD_MAX_DIMS], ids[MAX_DEVICES];
    int64_t n_tiles, n_mesh, n_ids;
    bool repeated; /* the last tile dimension is replication */
} layout;

static bool has(tw_str text, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= text.size; i++)
        if (memcmp(text.data + i, word, n) == 0)
            return true;
    return false;
}

/* The text after a word, up to a space or closing brace; empty if the word is absent. */
static tw_str text_after(tw_str text, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= text.size; i++) {
        if (memcmp(text.data + i, word, n) != 0)
            continue;
        tw_str rest = {text.data + i + n, 0};
        while (i + n + rest.size < text.size && rest.data[rest.size] != ' ' &&
               rest.data[rest.size] != '}')
            rest.size++;
        return rest;
    }
    return (tw_str){NULL, 0};
}

/* Parses "[1,2]" at the front; -1 if it is absent. */
static int64_t parse_list(tw_str *text, int64_t *out, size_t max)
{
    const char *end = text->size ? memchr(text->data, ']', text->size) : NULL;
    if (!end || *text->data != '[')
        return -1;
    size_t used = (size_t)(end - text->data) + 1;
    int64_t n = tw_read_numbers((tw_str){text->data + 1, used - 2}, out, max);
    *text = (tw_str){text->data + used, text->size - used};
    return n;
}

static bool read_layout(tw_str text, layout *l)
{
    tw_str rest = text_after(text, "devices=");
    l->repeated = has(text, "last_tile_dim_replicate");
    l->n_tiles = parse_list(&rest, l->tiles, TW_COUNT(l->tiles));
    l->n_ids = l->n_mesh = 0;
    if (l->n_tiles < 1)
        return false;
    if (rest.size < 2 || memcmp(rest.data, "<=", 2) != 0) {
        l->n_ids = tw_read_numbers(rest, l->ids, MAX_DEVICES);
        return l->n_ids > 0;
    }
    rest = (tw_str){rest.data + 2, rest.size - 2};
    l->n_mesh = parse_list(&rest, l->mesh, TW_COUNT(l->mesh));
    return l->n_mesh > 0;
}

/* Finds the mesh, and whether the tiles name its axes from last to first. */
static bool find_mesh(layout *l, int64_t mesh[2], bool *line, bool *reversed)
{
    int64_t total = l->n_mesh ? 1 : l->n_ids, n = 0;
    for (int64_t i = 0; i < l->n_mesh; i++)
        total *= l->mesh[i];
    *line = false;
    for (int64_t i = 0; i < l->n_tiles; i++)
        *line |= l->tiles[i] == total;
    *reversed = l->n_mesh > 1;
    if (*reversed) {
        mesh[0] = l->mesh[0];
        mesh[1] = l->mesh[1];
        return l->n_mesh == 2;
    }
    if (*line) {
        mesh[0] = 1;
        mesh[1] = total;
        return true;
    }
    for (int64_t i = 0; i < l->n_tiles; i++)
        if (l->tiles[i] != 1) {
            if (n < 2)
                mesh[n] = l->tiles[i];
            n++;
        }
    if (n == 2 && l->n_ids > 1 && l->ids[0] + 1 != l->ids[1]) {
        int64_t first = mesh[0];
        mesh[0] = mesh[1];
        mesh[1] = first;
        *reversed = true;
    }
    return n == 2;
}

static const char *assign_devices(layout *l, gspmd_sharding *s)
{
    bool line, reversed;
    if (!find_mesh(l, s->mesh, &line, &reversed))
        return "Only support 2d hardware mesh config.";
    s->rank = (size_t)(l->n_tiles - l->repeated);
    s->dims[0] = s->dims[1] = -1;
    if (s->rank > GSPMD_MAX_DIMS)
        return "GSPMD sharding of too many dimensions.";
    int64_t axis = line; /* the size-1 first axis of a line splits nothing */
    for (size_t d = 0; d < s->rank; d++) {
        s->shape[d] = l->tiles[d];
        if (l->tiles[d] == 1)
            continue;
        int64_t at = reversed ? 1 - axis : axis;
        if (at < 0 || at > 1 || s->mesh[at] != l->tiles[d])
            return "Fail to determine shardDims.";
        s->dims[at] = (int64_t)d;
        axis++;
    }
    return NULL;
}

static bool is_braced(tw_str text)
{
    return text.size > 1 && *text.data == '{' && text.data[text.size - 1] == '}';
}

const char *gspmd_read(tw_str call, tw_str operand, gspmd_sharding *out)
{
    gspmd_sharding made = {.mesh = {-1, -1}, .dims = {-1, -1}};
    layout l;
    if (!is_braced(call))
        return "Fail to parse opShardingStr GSPMD sharding.";
    if (!is_braced(operand))
        return "Fail to parse operandShardingStr GSPMD sharding.";
    if (has(call, "maximal") || has(operand, "maximal"))
        return "Fail to parse GSPMD sharding with maximal.";
    made.devices = has(call, "devices=") || has(operand, "devices=");
    if (!made.devices && !has(call, "replicated") && !has(operand, "replicated"))
        return "Could not determine shard type from GSPMD sharding strings.";
    if (made.devices) {
        if (!read_layout(has(call, "devices=") ? call : operand, &l))
            return "Fail to parse GSPMD devices string.";
        const char *wrong = assign_devices(&l, &made);
        if (wrong)
            return wrong;
    }
    *out = made;
    return NULL;
}
