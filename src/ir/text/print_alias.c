/* print_alias.c: #map, #layout, #loc: collecting, ordering and printing aliases.
 *
 * Collecting runs the printer with its output discarded: the order of aliases follows the
 * printed text.  Aliases are then sorted by depth (contained ones come first), attributes
 * before types, and proposed name; equal names are numbered in that order. Locations used
 * only after operations are defined after the module. */
#include "ir/text/print_impl.h"
#include "support/hash.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct alias {
    const void *key;  /* ir_attr or ir_type */
    const char *base; /* proposed name, NULL = none */
    char name[80];
    uint32_t depth;
    bool is_type, deferrable, in_progress;
    struct alias **children;
    size_t n_children, children_capacity;
} alias;

struct ir_print_aliases {
    ir_mapping *by_key;
    alias **all; /* in order of the first visit */
    size_t count, capacity;
    alias *current; /* being visited */
    bool deferring; /* the visit is of a trailing location */
};

static const char *proposed_attr(ir_attr a)
{
    switch (a->kind) {
    case IR_ATTR_AFFINE_MAP:
        return "map";
    case IR_ATTR_INTEGER_SET:
        return "set";
    case IR_ATTR_LOC_UNKNOWN:
    case IR_ATTR_LOC_FILE:
    case IR_ATTR_LOC_NAME:
    case IR_ATTR_LOC_CALLSITE:
    case IR_ATTR_LOC_FUSED:
        return "loc";
    case IR_ATTR_DIALECT:
        if (a->def->alias && strcmp(a->def->alias, "@") == 0) {
            const ir_enum_case *c =
                a->count
                    ? ir_enum_by_value(a->def->enumeration, ir_attr_int(a->params[0], 0))
                    : NULL;
            return c ? c->text : NULL;
        }
        return a->def->alias;
    default:
        return NULL;
    }
}

static void add_child(alias *parent, alias *child)
{
    if (parent)
        TW_PUSH(parent->children, parent->n_children, parent->children_capacity, child);
}

static void undefer(alias *a)
{
    if (!a->deferrable)
        return;
    a->deferrable = false;
    for (size_t i = 0; i < a->n_children; i++)
        undefer(a->children[i]);
}

/* Returns true if the body need not be printed: visited before. */
static bool visit(ir_printer *p, const void *key, bool is_type, const char *base)
{
    struct ir_print_aliases *t = p->aliases;
    alias *known = ir_mapping_get(t->by_key, key);
    if (known && known->in_progress) {
        known->in_progress = false; /* the nested call that prints the body */
        return false;
    }
    if (known) {
        if (!t->deferring)
            undefer(known);
        add_child(t->current, known);
        return true;
    }
    alias *a = tw_xcalloc(1, sizeof *a);
    *a = (alias){.key = key,
                 .base = base,
                 .is_type = is_type,
                 .in_progress = true,
                 .deferrable = t->deferring};
    ir_mapping_set(t->by_key, key, a);
    TW_PUSH(t->all, t->count, t->capacity, a);
    add_child(t->current, a);
    alias *outer = t->current;
    t->current = a;
    if (is_type)
        ir_put_type(p, key);
    else if (ir_attr_is_loc(key))
        ir_put_location_body(p, key);
    else
        ir_put_attr(p, key);
    a->in_progress = false;
    t->current = outer;
    for (size_t i = 0; i < a->n_children; i++) {
        const alias *c = a->children[i];
        uint32_t depth = c->base ? c->depth + 1 : c->depth;
        a->depth = TW_MAX(a->depth, depth);
    }
    return true;
}

static bool put_known(ir_printer *p, const void *key, char sigil)
{
    const alias *a = ir_mapping_get(p->aliases->by_key, key);
    if (!a || !a->base || a->in_progress)
        return false;
    ir_putc(p, sigil);
    ir_put(p, a->name);
    return true;
}

bool ir_put_alias_attr(ir_printer *p, ir_attr attr)
{
    if (p->options.local_scope)
        return false;
    return p->collecting ? visit(p, attr, false, proposed_attr(attr))
                         : put_known(p, attr, '#');
}

bool ir_put_alias_type(ir_printer *p, ir_type type)
{
    if (p->options.local_scope)
        return false;
    if (p->collecting)
        return visit(p, type, true,
                     type->kind == IR_TYPE_DIALECT ? type->def->alias : NULL);
    return put_known(p, type, '!');
}

void ir_alias_visit_loc(ir_printer *p, ir_loc loc)
{
    struct ir_print_aliases *t = p->aliases;
    bool outer = t->deferring;
    t->deferring = true;
    visit(p, ir_loc_attr(p->ctx, loc), false, "loc");
    t->deferring = outer;
}

static int compare(const void *x, const void *y)
{
    const alias *a = *(alias *const *)x, *b = *(alias *const *)y;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    if (a->is_type != b->is_type)
        return a->is_type ? 1 : -1;
    return strcmp(a->base, b->base);
}

/* Stable: bottom-up merge of runs keeps the order of visits among equals. */
static void stable_sort(alias **all, size_t count)
{
    alias **other = tw_xmalloc(count * sizeof *other);
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t low = 0; low < count; low += 2 * width) {
            size_t mid = TW_MIN(low + width, count), high = TW_MIN(low + 2 * width, count);
            size_t a = low, b = mid;
            for (size_t k = low; k < high; k++)
                other[k] = a < mid && (b >= high || compare(&all[a], &all[b]) <= 0)
                               ? all[a++]
                               : all[b++];
        }
        memcpy(all, other, count * sizeof *all);
    }
    free(other);
}

static void clean_base(const char *base, char *out, size_t size)
{
    size_t n = 0;
    for (; *base && n + 4 < size; base++) {
        if (isalnum((unsigned char)*base) || strchr("_$.-", *base))
            out[n++] = *base;
        else
            n += (size_t)snprintf(out + n, 3, "%02X", (unsigned char)*base);
    }
    out[n] = 0;
}

/* A number is separated from preceding digits, as of MLIR 22: #l1, #l1_1. */
static const char *before_number(const char *base)
{
    size_t n = strlen(base);
    return n && isdigit((unsigned char)base[n - 1]) ? "_" : "";
}

/* #loc, #loc1, #loc2: equal proposals are numbered in order, types and attributes
 * separately. */
static void number_names(ir_context *ctx, alias **named, size_t count)
{
    ir_mapping *next[2] = {ir_mapping_create(), ir_mapping_create()};
    for (size_t i = 0; i < count; i++) {
        alias *a = named[i];
        char base[56];
        clean_base(a->base, base, sizeof base);
        ir_ident key = ir_ident_from(ctx, a->base);
        uintptr_t number = (uintptr_t)ir_mapping_get(next[a->is_type], key);
        if (number)
            snprintf(a->name, sizeof a->name, "%s%s%zu", base, before_number(base),
                     (size_t)number);
        else
            snprintf(a->name, sizeof a->name, "%s", base);
        ir_mapping_set(next[a->is_type], key, (void *)(number + 1));
    }
    ir_mapping_free(next[0]);
    ir_mapping_free(next[1]);
}

struct ir_print_aliases *ir_aliases_collect(ir_printer *p, ir_op *op)
{
    struct ir_print_aliases *t = tw_xcalloc(1, sizeof *t);
    t->by_key = ir_mapping_create();
    p->aliases = t;
    tw_strbuf thrown = {0}, *out = p->out;
    int indent = p->indent;
    p->out = &thrown;
    p->collecting = true;
    ir_put_op(p, op);
    p->collecting = false;
    p->out = out;
    p->indent = indent;
    tw_strbuf_free(&thrown);

    alias **named = tw_xmalloc(t->count * sizeof *named);
    size_t n = 0;
    for (size_t i = 0; i < t->count; i++)
        if (t->all[i]->base)
            named[n++] = t->all[i];
    stable_sort(named, n);
    number_names(p->ctx, named, n);
    /* keep the sorted ones first for printing, the rest last for freeing */
    size_t at = n;
    alias **all = tw_xmalloc(t->count * sizeof *all);
    memcpy(all, named, n * sizeof *all);
    for (size_t i = 0; i < t->count; i++)
        if (!t->all[i]->base)
            all[at++] = t->all[i];
    if (t->count)
        memcpy(t->all, all, t->count * sizeof *all);
    free(all);
    free(named);
    return t;
}

void ir_print_aliases_free(struct ir_print_aliases *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->count; i++) {
        free(t->all[i]->children);
        free(t->all[i]);
    }
    free(t->all);
    ir_mapping_free(t->by_key);
    free(t);
}

void ir_put_alias_definitions(ir_printer *p, bool deferred)
{
    struct ir_print_aliases *t = p->aliases;
    for (size_t i = 0; i < t->count && t->all[i]->base; i++) {
        alias *a = t->all[i];
        if (a->deferrable != deferred)
            continue;
        ir_putf(p, "%c%s = ", a->is_type ? '!' : '#', a->name);
        a->in_progress = true; /* print the body, not the name */
        if (a->is_type) {
            ir_put_type(p, a->key);
        } else if (ir_attr_is_loc(a->key) && p->options.pretty_debug_info) {
            ir_put_loc_pretty(p, a->key);
        } else if (ir_attr_is_loc(a->key)) {
            ir_put(p, "loc(");
            ir_put_location_body(p, a->key);
            ir_putc(p, ')');
        } else {
            ir_put_attr(p, a->key);
        }
        a->in_progress = false;
        ir_putc(p, '\n');
    }
}
