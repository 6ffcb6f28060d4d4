/* print_names.c: %0, %arg0, %cst_1: names of values in printed text.
 *
 * A region is numbered completely before the regions inside it, and each of those continues
 * from the counters at its parent's end; so siblings reuse numbers.  Names requested by
 * operations consume no number; a name already in use gets _N from a counter of the
 * scope. */
#include "ir/text/print_impl.h"

#include <stdio.h>
#include <stdlib.h>

/* ir_value.print_id: two bits of kind above 30 of index. */
enum { NUMBER, ARGUMENT, NAMED, GROUP };
#define ID(kind, index) ((uint32_t)(kind) << 30 | (uint32_t)(index))

typedef struct request {
    const ir_value *value;
    const char *base;
} request;

typedef struct group { /* values after the first of one name: base#k */
    uint32_t base;     /* print id of the first */
    uint32_t first;    /* index of the first */
} group;

struct ir_print_names {
    ir_ident *named;
    size_t n_named, named_capacity;
    group *groups;
    size_t n_groups, groups_capacity;
    request *requests;
    size_t n_requests, requests_capacity;
    ir_mapping *used; /* ident -> non-NULL while its scope is open */
    ir_ident *used_log;
    size_t n_used, used_capacity;
    ir_mapping *ids; /* of operations without results; NULL unless users are printed */
};

typedef struct counters {
    uint32_t value, argument, conflict;
} counters;

void ir_name_value(ir_printer *p, const ir_value *value, const char *base)
{
    request r = {value, base};
    struct ir_print_names *n = p->names;
    TW_PUSH(n->requests, n->n_requests, n->requests_capacity, r);
}

static ir_ident clean_name(ir_context *ctx, const char *base)
{
    char text[256];
    size_t n = 0;
    if (*base >= '0' && *base <= '9')
        text[n++] = '_';
    for (; *base && n + 3 < sizeof text; base++) {
        char c = *base;
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '.' || c == '-';
        if (plain)
            text[n++] = c;
        else if (c == ' ')
            text[n++] = '_';
        else
            n += (size_t)snprintf(text + n, 3, "%02X", (unsigned char)c);
    }
    return ir_ident_get(ctx, (tw_str){text, n});
}

static uint32_t take_name(ir_printer *p, const char *base, counters *c)
{
    struct ir_print_names *n = p->names;
    ir_ident name = clean_name(p->ctx, base), plain = name;
    while (ir_mapping_get(n->used, name)) {
        char text[300];
        int size = snprintf(text, sizeof text, "%s_%u", plain->text, c->conflict++);
        name = ir_ident_get(p->ctx, (tw_str){text, (size_t)size});
    }
    ir_mapping_set(n->used, name, n);
    TW_PUSH(n->used_log, n->n_used, n->used_capacity, name);
    TW_PUSH(n->named, n->n_named, n->named_capacity, name);
    return ID(NAMED, n->n_named - 1);
}

static const char *requested(const struct ir_print_names *n, const ir_value *v)
{
    for (size_t i = 0; i < n->n_requests; i++)
        if (n->requests[i].value == v)
            return n->requests[i].base;
    return NULL;
}

void ir_name_declared(ir_printer *p, ir_op *op)
{
    const ir_op_def *def = op->def;
    for (size_t g = 0; g < def->results.count; g++) {
        size_t start, count;
        if (!ir_op_result_group(op, g, &start, &count) || count == 0)
            continue;
        /* an unnamed group still starts a group of its own */
        ir_name_value(p, &op->results[start], def->results.at[g].name);
    }
}

/* The name inside a location, NULL if it has none. */
static const char *name_in(ir_attr loc)
{
    if (!loc)
        return NULL;
    switch (loc->kind) {
    case IR_ATTR_LOC_NAME:
        return loc->ident->text;
    case IR_ATTR_LOC_CALLSITE:
    case IR_ATTR_LOC_FUSED:
        for (uint32_t i = 0; i < loc->count; i++) {
            const char *found = name_in(loc->items[i]);
            if (found)
                return found;
        }
        return NULL;
    default:
        return NULL;
    }
}

static const char *name_from_loc(ir_printer *p, ir_loc loc)
{
    return p->options.names_from_locs ? name_in(ir_loc_attr(p->ctx, loc)) : NULL;
}

/* A name in the location takes precedence over those that the operation requests. */
static void rename_from_loc(ir_printer *p, ir_op *op)
{
    struct ir_print_names *n = p->names;
    const char *name = name_from_loc(p, op->loc);
    if (!name)
        return;
    for (size_t i = 0; i < n->n_requests; i++)
        if (!n->requests[i].value->is_argument)
            n->requests[i].base = name;
    if (!requested(n, &op->results[0]))
        ir_name_value(p, &op->results[0], name);
}

static void name_results(ir_printer *p, ir_op *op, counters *c)
{
    struct ir_print_names *n = p->names;
    if (op->n_results == 0) {
        if (n->ids) /* one more than the number, which may be 0 */
            ir_mapping_set(n->ids, op, (void *)(uintptr_t)(++c->value));
        return;
    }
    n->n_requests = 0;
    if (p->options.generic)
        ; /* the generic form requests no names */
    else if (op->def->name_values)
        op->def->name_values(p, op);
    else if (op->def->results.count > 1 && !(op->def->traits & IR_ASM_INTERFACE))
        ir_name_declared(p, op);
    rename_from_loc(p, op);
    if (op->n_results == 1) {
        const char *base = n->n_requests ? requested(n, &op->results[0]) : NULL;
        op->results[0].print_id =
            base && *base ? take_name(p, base, c) : ID(NUMBER, c->value++);
        return;
    }
    uint32_t current = 0;
    bool open = false;
    for (uint32_t i = 0; i < op->n_results; i++) {
        const char *base = requested(n, &op->results[i]);
        if (base || !open) {
            current = base && *base ? take_name(p, base, c) : ID(NUMBER, c->value++);
            uint32_t end = i + 1;
            while (end < op->n_results && !requested(n, &op->results[end]))
                end++;
            open = true;
            if (end - i > 1) {
                group g = {current, i};
                TW_PUSH(n->groups, n->n_groups, n->groups_capacity, g);
                for (uint32_t k = i; k < end; k++)
                    op->results[k].print_id = ID(GROUP, n->n_groups - 1);
                i = end - 1;
                continue;
            }
        }
        op->results[i].print_id = current;
    }
}

static void number_region(ir_printer *p, ir_region *region, counters *shared);

/* If all names are unique, as in the generic form, the last region comes first. */
static void number_nested_uniquely(ir_printer *p, ir_region *region, counters *c)
{
    for (ir_block *b = region->last; b; b = b->prev)
        for (ir_op *op = b->last; op; op = op->prev)
            for (uint16_t r = op->n_regions; r-- > 0;)
                number_region(p, &op->regions[r], c);
}

static void number_region(ir_printer *p, ir_region *region, counters *shared)
{
    counters c = *shared;
    struct ir_print_names *n = p->names;
    size_t outer_used = n->n_used;
    ir_op *owner = region->owner;
    uint32_t label = 0;
    bool nested = false;
    for (ir_block *b = region->first; b; b = b->next) {
        b->order = label++;
        n->n_requests = 0;
        if (b->n_args && owner && owner->def->name_values && !p->options.generic)
            owner->def->name_values(p, owner);
        for (uint32_t i = 0; i < b->n_args; i++) {
            const char *base = requested(n, b->args[i]);
            if (!base && (base = name_from_loc(p, b->args[i]->loc)) && b == region->first)
                c.argument++; /* it still consumes an index */
            b->args[i]->print_id = base && *base        ? take_name(p, base, &c)
                                   : b == region->first ? ID(ARGUMENT, c.argument++)
                                                        : ID(NUMBER, c.value++);
        }
        for (ir_op *op = b->first; op; op = op->next) {
            nested |= op->n_regions != 0;
            name_results(p, op, &c);
        }
    }
    if (p->options.generic || p->options.unique_names) {
        *shared = c;
        if (nested)
            number_nested_uniquely(p, region, shared);
    } else if (nested) {
        for (ir_block *b = region->first; b; b = b->next)
            for (ir_op *op = b->first; op; op = op->next)
                for (uint16_t r = 0; r < op->n_regions; r++)
                    number_region(p, &op->regions[r],
                                  &(counters){c.value, c.argument, c.conflict});
    }
    while (n->n_used > outer_used)
        ir_mapping_set(n->used, n->used_log[--n->n_used], NULL);
}

struct ir_print_names *ir_names_create(ir_printer *p, ir_op *op)
{
    struct ir_print_names *n = tw_xcalloc(1, sizeof *n);
    n->used = ir_mapping_create();
    if (p->options.value_users)
        n->ids = ir_mapping_create();
    p->names = n;
    bool unique = p->options.generic || p->options.unique_names;
    counters c = {0};
    name_results(p, op, &c);
    if (!unique && op->n_results == 0)
        c.value = 0; /* the outer numbering does not depend on it */
    for (uint16_t r = 0; r < op->n_regions; r++)
        number_region(p, &op->regions[unique ? op->n_regions - 1 - r : r], &c);
    return n;
}

void ir_names_free(struct ir_print_names *n)
{
    if (!n)
        return;
    ir_mapping_free(n->used);
    if (n->ids)
        ir_mapping_free(n->ids);
    free(n->named);
    free(n->groups);
    free(n->requests);
    free(n->used_log);
    free(n);
}

static void put_id(ir_printer *p, uint32_t id)
{
    uint32_t index = id & 0x3FFFFFFF;
    const struct ir_print_names *n = p->names;
    if ((id >> 30 == NAMED && index >= n->n_named) ||
        (id >> 30 == GROUP && index >= n->n_groups)) {
        ir_put(p, "<<UNKNOWN SSA VALUE>>");
        return;
    }
    switch (id >> 30) {
    case NUMBER:
        ir_putc(p, '%');
        tw_strbuf_u64(p->out, index);
        break;
    case ARGUMENT:
        ir_put(p, "%arg");
        tw_strbuf_u64(p->out, index);
        break;
    case NAMED:
        ir_putc(p, '%');
        ir_put_str(p, ir_ident_str(p->names->named[index]));
        break;
    default:
        put_id(p, p->names->groups[index].base);
        break;
    }
}

void ir_put_value(ir_printer *p, const ir_value *v)
{
    if (!v) {
        ir_put(p, "<<NULL VALUE>>");
        return;
    }
    put_id(p, v->print_id);
    if (v->print_id >> 30 == GROUP && (v->print_id & 0x3FFFFFFF) < p->names->n_groups) {
        ir_putc(p, '#');
        tw_strbuf_u64(p->out, v->index - p->names->groups[v->print_id & 0x3FFFFFFF].first);
    }
}

void ir_put_result_names(ir_printer *p, const ir_op *op)
{
    uint32_t i = 0;
    while (i < op->n_results) {
        uint32_t id = op->results[i].print_id, end = i + 1;
        if (i)
            ir_put(p, ", ");
        put_id(p, id);
        if (id >> 30 == GROUP) {
            while (end < op->n_results && op->results[end].print_id == id)
                end++;
            ir_putc(p, ':');
            tw_strbuf_u64(p->out, end - i);
        }
        i = end;
    }
    ir_put(p, " = ");
}

/* ---- users of values, as comments --------------------------------------------------- */

static void put_op_id(ir_printer *p, const ir_op *op)
{
    uintptr_t id = (uintptr_t)ir_mapping_get(p->names->ids, op);
    ir_putf(p, "%%%llu", id ? (unsigned long long)id - 1 : 0);
}

/* True if this use is the first by its operation in the list. */
static bool is_first_use(const ir_value *v, const ir_operand *use)
{
    for (const ir_operand *u = v->uses; u != use; u = u->next_use)
        if (u->owner == use->owner)
            return false;
    return true;
}

static void put_users(ir_printer *p, const ir_value *v)
{
    if (!v->uses)
        ir_put(p, "unused");
    for (const ir_operand *u = v->uses; u; u = u->next_use) {
        if (!is_first_use(v, u))
            continue;
        if (u != v->uses)
            ir_put(p, ", ");
        if (!u->owner->n_results)
            put_op_id(p, u->owner);
        for (uint32_t i = 0; i < u->owner->n_results; i++) {
            ir_put(p, i ? ", " : "");
            ir_put_value(p, &u->owner->results[i]);
        }
    }
}

void ir_put_argument_users(ir_printer *p, const ir_value *arg)
{
    ir_put(p, "// ");
    ir_put_value(p, arg);
    ir_put(p, arg->uses ? " is used by " : " is unused");
    if (arg->uses)
        put_users(p, arg);
}

void ir_put_result_users(ir_printer *p, const ir_op *op)
{
    const ir_op *only = NULL;
    bool used = false, many = op->n_results > 1;
    for (uint32_t i = 0; i < op->n_results; i++)
        for (const ir_operand *u = op->results[i].uses; u; u = u->next_use) {
            many |= (used && u->owner != only) || u->owner->n_results > 1;
            only = u->owner;
            used = true;
        }
    if (!op->n_results && op->n_operands) {
        ir_put(p, " // id: ");
        put_op_id(p, op);
    } else if (op->n_results && !used) {
        ir_put(p, " // unused");
    } else if (op->n_results) {
        ir_put(p, many ? " // users: " : " // user: ");
        for (uint32_t i = 0; i < op->n_results; i++) {
            ir_put(p, i ? ", " : "");
            ir_put(p, op->n_results > 1 ? "(" : "");
            put_users(p, &op->results[i]);
            ir_put(p, op->n_results > 1 ? ")" : "");
        }
    }
}
