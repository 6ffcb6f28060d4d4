/* parse_alias.c: per-file caches of a reader: aliases, distinct attributes, and the texts
 * of types and attributes read before. */
#include "ir/text/text_impl.h"
#include "support/hash.h"

#include <stdlib.h>

typedef struct distinct_row {
    int64_t id;
    ir_attr attr;
} distinct_row;

/* Types repeat in a file: a text read before is not parsed again. An alias has one meaning
 * in the whole file, so equal texts mean equal types. */
enum { CACHE_SIZE = 512, CACHED_TEXT = 256 };

typedef struct cached {
    uint32_t hash, size;
    const char *at; /* in the source */
    const void *value;
} cached;

struct ir_alias_table {
    ir_mapping *attrs, *types; /* by identifier */
    ir_mapping *where; /* attributes read ahead of their definition's position: their `#` */
    const char *ahead_from; /* start of the lookahead, NULL outside */
    distinct_row *distincts;
    size_t n_distincts, distincts_capacity;
    cached *cache;
    const cached *latest; /* the last one looked up */
};

static struct ir_alias_table *alias_table(ir_parser *p)
{
    if (!p->aliases) {
        p->aliases = tw_xcalloc(1, sizeof *p->aliases);
        p->aliases->attrs = ir_mapping_create();
        p->aliases->types = ir_mapping_create();
        p->aliases->where = ir_mapping_create();
    }
    return p->aliases;
}

void ir_aliases_free(ir_parser *p)
{
    if (!p->aliases)
        return;
    ir_mapping_free(p->aliases->attrs);
    ir_mapping_free(p->aliases->types);
    ir_mapping_free(p->aliases->where);
    free(p->aliases->distincts);
    free(p->aliases->cache);
    free(p->aliases);
    p->aliases = NULL;
}

ir_attr ir_alias_attr(const ir_parser *p, tw_str name)
{
    return p->aliases ? ir_mapping_get(p->aliases->attrs, ir_ident_get(p->ctx, name))
                      : NULL;
}

ir_type ir_alias_type(const ir_parser *p, tw_str name)
{
    return p->aliases ? ir_mapping_get(p->aliases->types, ir_ident_get(p->ctx, name))
                      : NULL;
}

bool ir_parse_alias_definition(ir_parser *p)
{
    bool is_type = p->tok.kind == IR_TOK_BANG;
    const char *kind = is_type ? "type" : "attribute", *at = p->tok.at;
    tw_str name = {at + 1, p->tok.size - 1};
    struct ir_alias_table *t = alias_table(p);
    ir_mapping *map = is_type ? t->types : t->attrs;
    ir_ident id = ir_ident_get(p->ctx, name);
    bool again = !is_type && ir_mapping_get(t->where, id) == at;
    if (!again && ir_mapping_get(map, id))
        return ir_fail(p, at, "redefinition of %s alias id '%s'", kind, id->text);
    if (memchr(name.data, '.', name.size))
        return ir_fail(p, at, "%s names with a '.' are reserved for dialect-defined names",
                       kind);
    ir_next(p);
    if (!ir_expect_punct_in(
            p, '=', is_type ? "in type alias definition" : "in attribute alias definition"))
        return false;
    const void *value =
        is_type ? (const void *)ir_parse_a_type(p) : ir_parse_an_attr(p, NULL);
    if (!value)
        return false;
    ir_mapping_set(map, id, (void *)(uintptr_t)value);
    if (!is_type)
        ir_mapping_set(t->where, id, (void *)(uintptr_t)at);
    return true;
}

/* Reads `#name = ...` further down; NULL if there is none.  Only locations may look ahead.
 */
static ir_attr look_ahead(ir_parser *p, const char *from, tw_str name)
{
    for (const char *c = from; c < p->end;) {
        const char *hash = memchr(c, '#', (size_t)(p->end - c));
        if (!hash || (size_t)(p->end - hash) <= name.size + 1)
            return NULL;
        c = hash + 1;
        const char *after = hash + 1 + name.size;
        if (hash == p->begin || hash[-1] != '\n' ||
            memcmp(hash + 1, name.data, name.size) != 0 || (*after != ' ' && *after != '='))
            continue;
        ir_token tok = p->tok;
        const char *cursor = p->cursor;
        ir_lex_at(p, hash);
        bool ok = ir_parse_alias_definition(p);
        p->tok = tok;
        p->cursor = cursor;
        return ok ? ir_alias_attr(p, name) : NULL;
    }
    return NULL;
}

/* Other definitions that it refers to may lie in between. */
ir_attr ir_alias_look_ahead(ir_parser *p, tw_str name)
{
    struct ir_alias_table *t = alias_table(p);
    const char *outer = t->ahead_from;
    if (!outer)
        t->ahead_from = p->cursor;
    ir_attr found = look_ahead(p, t->ahead_from, name);
    t->ahead_from = outer;
    return found;
}

/* ---- distinct[n]<...> ------------------------------------------------------------ */

ir_attr ir_distinct_find(ir_parser *p, int64_t id)
{
    for (size_t i = 0; p->aliases && i < p->aliases->n_distincts; i++)
        if (p->aliases->distincts[i].id == id)
            return p->aliases->distincts[i].attr;
    return NULL;
}

void ir_distinct_remember(ir_parser *p, int64_t id, ir_attr attr)
{
    struct ir_alias_table *t = alias_table(p);
    distinct_row row = {id, attr};
    TW_PUSH(t->distincts, t->n_distincts, t->distincts_capacity, row);
}

/* ---- text cache --------------------------------------------------------------------- */

static uint32_t hash_text(tw_str text)
{
    return tw_hash_end(tw_hash_bytes(0, text.data, text.size));
}

void *ir_text_cache_get(const ir_parser *p, tw_str text)
{
    if (!p->aliases || !p->aliases->cache || text.size > CACHED_TEXT)
        return NULL;
    uint32_t hash = hash_text(text);
    const cached *c = &p->aliases->cache[hash % CACHE_SIZE];
    if (c->hash != hash || c->size != text.size || memcmp(c->at, text.data, text.size) != 0)
        return NULL;
    p->aliases->latest = c;
    return (void *)(uintptr_t)c->value;
}

void *ir_text_latest(const ir_parser *p, const char *at, const char **out_end)
{
    const cached *c = p->aliases ? p->aliases->latest : NULL;
    if (!c || c->at[c->size - 1] != '>' || (size_t)(p->end - at) < c->size ||
        memcmp(c->at, at, c->size) != 0)
        return NULL;
    *out_end = at + c->size;
    return (void *)(uintptr_t)c->value;
}

void ir_text_cache_set(ir_parser *p, tw_str text, const void *value)
{
    if (text.size > CACHED_TEXT || p->failed)
        return;
    struct ir_alias_table *t = alias_table(p);
    if (!t->cache)
        t->cache = tw_xcalloc(CACHE_SIZE, sizeof *t->cache);
    uint32_t hash = hash_text(text);
    t->cache[hash % CACHE_SIZE] = (cached){hash, (uint32_t)text.size, text.data, value};
}
