/* parse_names.c: the names of values.
 *
 * Value names live in one hash table with chained entries.  A region pushes names on an
 * undo log and pops them at its end; inside, outer names are visible, also if the region is
 * isolated (the verifier reports that), except for regions whose arguments may reuse names:
 * they raise `isolation`, which every look-up compares.  A name used before its definition
 * gets a placeholder value whose uses are replaced at the definition. */
#include "ir/text/parse_impl.h"
#include "support/hash.h"

#include <stdlib.h>

static name_entry *find_name(scopes *s, tw_str name, uint32_t hash)
{
    if (!s->buckets)
        return NULL;
    for (name_entry *e = s->buckets[hash & s->mask]; e; e = e->next)
        if (e->hash == hash && e->isolation == s->isolation && e->name.size == name.size &&
            memcmp(e->name.data, name.data, name.size) == 0)
            return e;
    return NULL;
}

static void link_name(scopes *s, name_entry *e)
{
    name_entry **bucket = &s->buckets[e->hash & s->mask];
    e->next = *bucket;
    *bucket = e;
}

static name_entry *add_name(ir_parser *p, tw_str name, uint32_t hash)
{
    scopes *s = p->scopes;
    if (!s->buckets || s->count > s->mask) {
        free(s->buckets);
        s->mask = s->mask ? s->mask * 2 + 1 : 1023;
        s->buckets = tw_xcalloc(s->mask + 1, sizeof *s->buckets);
        /* Re-linking in definition order keeps the newest at each chain's head. */
        for (size_t i = 0; i < s->log_count; i++)
            link_name(s, s->log[i]);
    }
    name_entry *e = s->free_entries;
    if (e)
        s->free_entries = e->next;
    else
        e = tw_arena_alloc(ir_context_arena(p->ctx), sizeof *e);
    *e = (name_entry){.name = name, .hash = hash, .isolation = s->isolation};
    link_name(s, e);
    s->count++;
    TW_PUSH(s->log, s->log_count, s->log_capacity, e);
    return e;
}

static void pop_names(scopes *s, size_t to)
{
    while (s->log_count > to) {
        name_entry *e = s->log[--s->log_count];
        s->buckets[e->hash & s->mask] = e->next;
        s->count--;
        e->next = s->free_entries;
        s->free_entries = e;
    }
}

/* Names that differ in their numeric suffix get adjacent buckets: %0, %1, %2 are mostly
 * read in that order, which keeps memory accesses sequential. */
static uint32_t hash_name(tw_str name)
{
    uint32_t number = 0;
    size_t n = 0;
    while (n < name.size && name.data[n] > '9')
        n++;
    for (size_t i = n; i < name.size; i++)
        number = number * 10 + (uint32_t)(name.data[i] - '0');
    return n ? tw_hash_end(tw_hash_bytes(2, name.data, n)) + number : number;
}

const char *ir_name_seen_at(ir_parser *p, tw_str name)
{
    const name_entry *e = find_name(p->scopes, name, hash_name(name));
    return e ? e->at : NULL;
}

static ir_value **value_slot(ir_parser *p, name_entry *e, uint32_t number)
{
    if (number == 0 && !e->many) {
        e->count = TW_MAX(e->count, 1u);
        return &e->single;
    }
    if (number >= e->count || !e->many) {
        uint32_t count = TW_MAX(number + 1, e->count);
        ir_value **many = tw_arena_alloc(ir_context_arena(p->ctx), count * sizeof *many);
        if (e->many)
            memcpy(many, e->many, e->count * sizeof *many);
        else
            many[0] = e->single;
        e->many = many;
        e->count = count;
    }
    return &e->many[number];
}

static bool is_placeholder(const ir_value *v)
{
    return v->is_argument && !v->owner;
}

ir_value *ir_resolve(ir_parser *p, ir_ssa_use use, ir_type type)
{
    enum { MAX_RESULTS = 1 << 16 };
    scopes *s = p->scopes;
    uint32_t hash = hash_name(use.name);
    name_entry *e = find_name(s, use.name, hash);
    if (e && use.number < e->count) {
        ir_value *v = e->many ? e->many[use.number] : e->single;
        if (v) {
            if (TW_LIKELY(v->type == type))
                return v;
            ir_fail(
                p, use.at,
                "use of value '%%%.*s' expects different type than prior uses: %s vs %s",
                (int)use.name.size, use.name.data,
                tw_arena_printf(ir_context_arena(p->ctx), "'%s'",
                                ir_type_text(p->ctx, type)),
                tw_arena_printf(ir_context_arena(p->ctx), "'%s'",
                                ir_type_text(p->ctx, v->type)));
            if (!p->quiet)
                ir_note(p->ctx, ir_loc_at(p, e->at), "prior use here");
            return NULL;
        }
    }
    const ir_value *first = e && e->count ? e->many ? e->many[0] : e->single : NULL;
    if (first && !is_placeholder(first) && use.number >= e->count) {
        ir_fail(p, use.at, "reference to invalid result number");
        return NULL;
    }
    if (use.number >= MAX_RESULTS) {
        ir_fail(p, use.at, "reference to invalid result number");
        return NULL;
    }
    if (!e) {
        e = add_name(p, use.name, hash);
        e->at = use.at;
    }
    ir_value *v = tw_arena_alloc(ir_context_arena(p->ctx), sizeof *v);
    *v = (ir_value){.type = type, .is_argument = true, .index = use.number};
    *value_slot(p, e, use.number) = v;
    forward_ref *f = tw_arena_alloc(ir_context_arena(p->ctx), sizeof *f);
    *f = (forward_ref){v, use.at, s->forward};
    s->forward = f;
    return v;
}

ir_value *ir_find_value(ir_parser *p, ir_ssa_use use)
{
    const name_entry *e = find_name(p->scopes, use.name, hash_name(use.name));
    ir_value *v = !e || use.number >= e->count ? NULL
                  : e->many                    ? e->many[use.number]
                                               : e->single;
    return v && !is_placeholder(v) ? v : NULL;
}

bool ir_define(ir_parser *p, tw_str name, const char *at, ir_value *values, uint32_t count)
{
    uint32_t hash = hash_name(name);
    name_entry *e = find_name(p->scopes, name, hash);
    if (!e) {
        e = add_name(p, name, hash);
        e->at = at;
        e->count = count;
        if (count == 1) {
            e->single = values;
            return true;
        }
        e->many = tw_arena_alloc(ir_context_arena(p->ctx), count * sizeof *e->many);
        for (uint32_t i = 0; i < count; i++)
            e->many[i] = &values[i];
        return true;
    }
    uint32_t known = e->count;
    for (uint32_t i = 0; i < TW_MAX(known, count); i++) {
        ir_value *old = i < known ? (e->many ? e->many[i] : e->single) : NULL;
        if (old && !is_placeholder(old)) {
            ir_fail(p, at, "redefinition of SSA value '%%%.*s'", (int)name.size, name.data);
            if (!p->quiet)
                ir_note(p->ctx, ir_loc_at(p, e->at), "previously defined here");
            return false;
        }
        if (i >= count) {
            if (old)
                return ir_fail(p, e->at, "reference to invalid result number");
            continue;
        }
        if (old && old->type != values[i].type) {
            ir_fail(p, at, "definition of SSA value '%%%.*s#%u' has type '%s'",
                    (int)name.size, name.data, i, ir_type_text(p->ctx, values[i].type));
            if (!p->quiet)
                ir_note(p->ctx, ir_loc_at(p, e->at), "previously used here with type '%s'",
                        ir_type_text(p->ctx, old->type));
            return false;
        }
        if (old) {
            ir_value_replace_uses(old, &values[i]);
            old->owner = &values[i]; /* resolved */
        }
        *value_slot(p, e, i) = &values[i];
    }
    e->at = at;
    return true;
}

/* Removes and returns the names logged after `outer` that are still undefined. */
static name_entry *remove_unresolved(scopes *s, size_t outer, size_t *out_count)
{
    name_entry *kept = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = outer; i < s->log_count; i++) {
        const name_entry *e = s->log[i];
        const ir_value *v = e->many ? e->many[0] : e->single;
        if (v && is_placeholder(v))
            TW_PUSH(kept, count, capacity, *e);
    }
    *out_count = count;
    return kept;
}

/* Names that were only used inside may still be defined outside, and an undo log cannot
 * keep some of its entries: the unresolved ones are added again in the outer scope. */
void ir_leave_names(ir_parser *p, size_t outer, bool keep_unresolved)
{
    size_t count = 0;
    name_entry *kept = keep_unresolved ? remove_unresolved(p->scopes, outer, &count) : NULL;
    pop_names(p->scopes, outer);
    for (size_t i = 0; i < count; i++) {
        name_entry *e = add_name(p, kept[i].name, kept[i].hash);
        e->count = kept[i].count;
        e->single = kept[i].single;
        e->many = kept[i].many;
        e->at = kept[i].at;
    }
    free(kept);
}

static int compare_positions(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    return x < y ? -1 : x > y;
}

bool ir_check_forward(ir_parser *p)
{
    const char **positions = NULL;
    size_t n = 0, capacity = 0;
    for (forward_ref *f = p->scopes->forward; f; f = f->next)
        if (!f->placeholder->owner)
            TW_PUSH(positions, n, capacity, f->at);
        else if (f->placeholder->uses) /* by an operation whose own region defines it */
            ir_value_replace_uses(f->placeholder, f->placeholder->owner);
    if (n && !p->failed) {
        qsort(positions, n, sizeof *positions, compare_positions);
        for (size_t i = 0; i < n; i++) {
            p->failed = false;
            ir_fail(p, positions[i], "use of undeclared SSA value name");
        }
    }
    free(positions);
    return !n;
}
