/* op.c: operations: creation, operands, attributes, moving, walking.
 *
 * An operation is one allocation: the struct, then results, inherent attributes, regions,
 * successors and operands.  Only an operand list that outgrows its capacity moves. */
#include "ir/op.h"

#include "ir/context_impl.h"
#include "ir/text/parser.h"

#include <stdlib.h>

/* ---- inherent attributes ------------------------------------------------------------ */

static const char operand_segments[] = "operandSegmentSizes";
static const char result_segments[] = "resultSegmentSizes";

size_t ir_def_n_props(const ir_op_def *def)
{
    return def->attrs.count + !!(def->traits & IR_OPERAND_SEGMENTS) +
           !!(def->traits & IR_RESULT_SEGMENTS);
}

const char *ir_def_prop_name(const ir_op_def *def, size_t i)
{
    if (i < def->attrs.count)
        return def->attrs.at[i].name;
    return i == def->attrs.count && (def->traits & IR_OPERAND_SEGMENTS) ? operand_segments
                                                                        : result_segments;
}

size_t ir_def_prop_index(const ir_op_def *def, tw_str name)
{
    const size_t n = def->attrs.count;
    if (!name.size)
        return SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        const char *prop = def->attrs.at[i].name;
        /* names of the library's own are often the same literal */
        if (*prop == *name.data &&
            (prop == name.data || strncmp(prop, name.data, name.size) == 0) &&
            !prop[name.size])
            return i;
    }
    for (size_t i = n, all = ir_def_n_props(def); i < all; i++)
        if (tw_str_is(name, ir_def_prop_name(def, i)))
            return i;
    return SIZE_MAX;
}

ir_attr ir_op_attr_str(const ir_op *op, tw_str name)
{
    size_t i = ir_def_prop_index(op->def, name);
    return i != SIZE_MAX ? op->props[i] : ir_dict_get(op->attrs, name);
}

/* Converts to the stored form: a true flag is the unit attribute, an enum stored as an
 * integer is that integer. */
static ir_attr stored_form(const ir_op_def *def, size_t slot, ir_attr value)
{
    const ir_constraint *type = slot < def->attrs.count ? def->attrs.at[slot].type : NULL;
    if (!value || !type)
        return value;
    if (type->is_flag && value->kind == IR_ATTR_INTEGER && value->value)
        return ir_unit_attr(value->ctx);
    if (type->is_number && ir_attr_fits_storage(value, type))
        return ir_integer_attr(
            ir_integer_type(value->ctx, type->enumeration->width, IR_SIGNLESS),
            ir_enum_value(value, 0));
    return value;
}

void ir_op_set_attr(ir_op *op, const char *name, ir_attr value)
{
    size_t i = ir_def_prop_index(op->def, tw_str_from(name));
    if (i != SIZE_MAX)
        op->props[i] = stored_form(op->def, i, value);
    else
        op->attrs = ir_dict_set(op->ctx, op->attrs, ir_ident_from(op->ctx, name), value);
}

int64_t ir_op_int(const ir_op *op, const char *name, int64_t otherwise)
{
    return ir_attr_int(ir_op_attr(op, name), otherwise);
}

double ir_op_real(const ir_op *op, const char *name, double otherwise)
{
    return ir_attr_real(ir_op_attr(op, name), otherwise);
}

bool ir_op_bool(const ir_op *op, const char *name)
{
    return ir_attr_bool(ir_op_attr(op, name));
}

bool ir_op_named(const ir_op *op, const char *name)
{
    return op && strcmp(op->def->name, name) == 0;
}

/* ---- use lists ---------------------------------------------------------------------- */

static void link_use(ir_operand *use, ir_value *value)
{
    use->value = value;
    if (!value) {
        use->next_use = NULL;
        use->prev_link = NULL;
        return;
    }
    use->next_use = value->uses;
    if (use->next_use)
        use->next_use->prev_link = &use->next_use;
    use->prev_link = &value->uses;
    value->uses = use;
}

static void unlink_use(ir_operand *use)
{
    if (!use->prev_link)
        return;
    *use->prev_link = use->next_use;
    if (use->next_use)
        use->next_use->prev_link = use->prev_link;
    use->prev_link = NULL;
}

void ir_op_set_operand(ir_op *op, size_t i, ir_value *value)
{
    unlink_use(&op->operands[i]);
    link_use(&op->operands[i], value);
}

void ir_value_replace_uses(ir_value *from, ir_value *to)
{
    while (from->uses) {
        ir_operand *use = from->uses;
        unlink_use(use);
        link_use(use, to);
    }
}

void ir_op_splice_operands(ir_op *op, size_t start, size_t count, ir_value *const *values,
                           size_t n)
{
    size_t total = op->n_operands - count + n;
    ir_value **all = tw_xmalloc(total * sizeof *all);
    for (size_t i = 0; i < start; i++)
        all[i] = op->operands[i].value;
    for (size_t i = 0; i < n; i++)
        all[start + i] = values[i];
    for (size_t i = start + count; i < op->n_operands; i++)
        all[i - count + n] = op->operands[i].value;
    for (size_t i = 0; i < op->n_operands; i++)
        unlink_use(&op->operands[i]);
    if (total > op->operands_capacity) {
        op->operands = ir_pool_alloc(op->ctx, total * sizeof *op->operands);
        op->operands_capacity = (uint32_t)total;
    }
    op->n_operands = (uint32_t)total;
    for (size_t i = 0; i < total; i++) {
        op->operands[i].owner = op;
        link_use(&op->operands[i], all[i]);
    }
    free(all);
}

/* ---- creation ----------------------------------------------------------------------- */

static void set_attributes(ir_op *op, const ir_op_state *state)
{
    ir_named_attr few[16];
    size_t n = 0;
    ir_named_attr *rest =
        state->n_attrs <= TW_COUNT(few) ? few : tw_xmalloc(state->n_attrs * sizeof *rest);
    for (size_t i = 0; i < state->n_attrs; i++) {
        size_t slot = ir_def_prop_index(op->def, ir_ident_str(state->attrs[i].name));
        if (slot != SIZE_MAX)
            op->props[slot] = stored_form(op->def, slot, state->attrs[i].value);
        else if (state->attrs[i].value)
            rest[n++] = state->attrs[i];
    }
    if (n)
        op->attrs = ir_dict_attr(op->ctx, rest, n);
    if (rest != few)
        free(rest);
    if (state->no_defaults)
        return;
    for (size_t i = 0; i < op->def->attrs.count; i++) {
        const ir_attr_use *use = &op->def->attrs.at[i];
        if (!op->props[i] && use->deflt && !use->optional)
            op->props[i] = ir_default_attr(op->ctx, use);
    }
}

ir_op *ir_op_create(ir_context *ctx, const ir_op_state *state)
{
    size_t n_props = ir_def_n_props(state->def);
    size_t at_results = sizeof(ir_op);
    size_t at_props = at_results + state->n_results * sizeof(ir_value);
    size_t at_regions = at_props + n_props * sizeof(ir_attr);
    size_t at_successors = at_regions + state->n_regions * sizeof(ir_region);
    size_t at_operands = at_successors + state->n_successors * sizeof(ir_block *);
    size_t size = at_operands + state->n_operands * sizeof(ir_operand);

    char *memory = ir_pool_alloc(ctx, size);
    ir_op *op = (ir_op *)(void *)memory;
    op->def = state->def;
    op->loc = state->loc;
    op->ctx = ctx;
    op->pool_size = (uint32_t)size;
    op->n_results = (uint32_t)state->n_results;
    op->n_regions = (uint16_t)state->n_regions;
    op->n_successors = (uint16_t)state->n_successors;
    op->n_operands = op->operands_capacity = (uint32_t)state->n_operands;
    op->results = (ir_value *)(void *)(memory + at_results);
    op->props = (ir_attr *)(void *)(memory + at_props);
    op->regions = (ir_region *)(void *)(memory + at_regions);
    op->successors = (ir_block **)(void *)(memory + at_successors);
    op->operands = (ir_operand *)(void *)(memory + at_operands);
    for (uint32_t i = 0; i < op->n_results; i++)
        op->results[i] = (ir_value){.type = state->results[i], .owner = op, .index = i};
    for (uint32_t i = 0; i < op->n_regions; i++)
        op->regions[i].owner = op;
    for (uint32_t i = 0; i < op->n_successors; i++)
        op->successors[i] = state->successors[i];
    for (uint32_t i = 0; i < op->n_operands; i++) {
        op->operands[i].owner = op;
        link_use(&op->operands[i], state->operands[i]);
    }
    if (state->n_attrs || n_props)
        set_attributes(op, state);
    return op;
}

void ir_op_remove(ir_op *op)
{
    if (!op->block)
        return;
    if (op->prev)
        op->prev->next = op->next;
    else
        op->block->first = op->next;
    if (op->next)
        op->next->prev = op->prev;
    else
        op->block->last = op->prev;
    op->block = NULL;
    op->prev = op->next = NULL;
}

/* Drops every use inside before freeing, so that the order of operations does not
 * matter. */
static void drop_uses(ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        unlink_use(&op->operands[i]);
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (ir_op *o = b->first; o; o = o->next)
                drop_uses(o);
}

static void free_op(ir_op *op)
{
    for (uint16_t r = 0; r < op->n_regions; r++)
        while (op->regions[r].first)
            ir_block_erase(op->ctx, op->regions[r].first);
    ir_notify_freed(op->ctx, op);
    ir_pool_free(op->ctx, op, op->pool_size);
}

void ir_op_erase(ir_op *op)
{
    drop_uses(op);
    ir_op_remove(op);
    free_op(op);
}

/* ---- placement ---------------------------------------------------------------------- */

static void insert_between(ir_op *op, ir_block *block, ir_op *prev, ir_op *next)
{
    ir_op_remove(op);
    op->block = block;
    op->prev = prev;
    op->next = next;
    if (prev)
        prev->next = op;
    else
        block->first = op;
    if (next)
        next->prev = op;
    else
        block->last = op;
}

void ir_op_insert_before(ir_op *op, ir_op *before)
{
    if (op == before)
        return;
    ir_op_remove(op);
    insert_between(op, before->block, before->prev, before);
}

void ir_op_insert_after(ir_op *op, ir_op *after)
{
    if (op == after)
        return;
    ir_op_remove(op);
    insert_between(op, after->block, after, after->next);
}

void ir_block_append(ir_block *block, ir_op *op)
{
    ir_op_remove(op);
    insert_between(op, block, block->last, NULL);
}

void ir_block_prepend(ir_block *block, ir_op *op)
{
    ir_op_remove(op);
    insert_between(op, block, NULL, block->first);
}

bool ir_op_before(ir_op *a, ir_op *b)
{
    assert(a->block == b->block);
    if (a == b)
        return false;
    /* Searches in both directions at once: nearby operations are found quickly. */
    ir_op *up = a->prev, *down = a->next;
    while (up || down) {
        if (down == b && down)
            return true;
        if (up == b && up)
            return false;
        up = up ? up->prev : NULL;
        down = down ? down->next : NULL;
    }
    return false;
}

bool ir_op_is_ancestor(const ir_op *ancestor, const ir_op *op)
{
    while (op && op != ancestor)
        op = ir_op_parent(op);
    return op != NULL;
}

bool ir_op_is_unused(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        if (op->results[i].uses)
            return false;
    return true;
}

ir_loc ir_value_loc(const ir_value *v)
{
    return v->is_argument ? v->loc : ((ir_op *)v->owner)->loc;
}

/* ---- groups ------------------------------------------------------------------------- */

/* The range of a declared group in a flat list of values. */
static bool group_range(const ir_operand_def *defs, size_t n_defs, size_t total,
                        ir_attr segments, bool sized, bool same_size, size_t group,
                        size_t *out_start, size_t *out_count)
{
    if (sized) {
        if (!ir_attr_is(segments, IR_ATTR_DENSE_ARRAY) || segments->count != n_defs)
            return false;
        size_t start = 0, count = 0;
        for (size_t i = 0; i <= group; i++) {
            int64_t n = ir_dense_array_int(segments, i);
            start += count;
            if (n < 0 || (size_t)n > total - TW_MIN(start, total))
                return false;
            count = (size_t)n;
        }
        *out_start = start;
        *out_count = count;
        return true;
    }
    size_t variable = 0, before = 0;
    for (size_t i = 0; i < n_defs; i++) {
        variable += defs[i].arity != IR_ONE;
        before += i < group && defs[i].arity != IR_ONE;
    }
    size_t fixed = n_defs - variable;
    if (total < fixed || (variable == 0 && total != fixed))
        return false;
    if (variable > 1 && !same_size)
        return false;
    if (variable && (total - fixed) % variable)
        return false;
    size_t each = variable ? (total - fixed) / variable : 0;
    *out_start = group - before + before * each;
    *out_count = defs[group].arity == IR_ONE ? 1 : each;
    return true;
}

bool ir_op_operand_group(const ir_op *op, size_t group, size_t *out_start,
                         size_t *out_count)
{
    const ir_op_def *def = op->def;
    bool sized = def->traits & IR_OPERAND_SEGMENTS;
    return group < def->operands.count &&
           group_range(def->operands.at, def->operands.count, op->n_operands,
                       sized ? op->props[def->attrs.count] : NULL, sized,
                       def->traits & IR_SAME_VARIADIC_OPERANDS, group, out_start,
                       out_count);
}

bool ir_op_result_group(const ir_op *op, size_t group, size_t *out_start, size_t *out_count)
{
    const ir_op_def *def = op->def;
    bool sized = def->traits & IR_RESULT_SEGMENTS;
    return group < def->results.count &&
           group_range(def->results.at, def->results.count, op->n_results,
                       sized ? op->props[ir_def_n_props(def) - 1] : NULL, sized,
                       def->traits & IR_SAME_VARIADIC_RESULTS, group, out_start, out_count);
}

size_t ir_op_operand_index(const ir_op_def *def, const char *name)
{
    for (size_t i = 0; i < def->operands.count; i++)
        if (strcmp(def->operands.at[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

ir_value *ir_op_operand_if_named(const ir_op *op, const char *name)
{
    size_t group = ir_op_operand_index(op->def, name), start, count;
    if (group == SIZE_MAX || !ir_op_operand_group(op, group, &start, &count) || count == 0)
        return NULL;
    return op->operands[start].value;
}

ir_value *ir_op_operand_named(const ir_op *op, const char *name)
{
    assert(ir_op_operand_index(op->def, name) != SIZE_MAX && "no such operand in the row");
    return ir_op_operand_if_named(op, name);
}

void ir_op_set_operand_group(ir_op *op, size_t group, ir_value *const *values, size_t count)
{
    size_t start, old;
    bool ok = ir_op_operand_group(op, group, &start, &old);
    assert(ok);
    if (!ok)
        return;
    if (op->def->traits & IR_OPERAND_SEGMENTS) {
        ir_attr *slot = &op->props[op->def->attrs.count];
        int64_t sizes[64];
        size_t n = op->def->operands.count;
        assert(n <= TW_COUNT(sizes));
        for (size_t i = 0; i < n; i++)
            sizes[i] = ir_dense_array_int(*slot, i);
        sizes[group] = (int64_t)count;
        *slot = ir_dense_i32_array(op->ctx, sizes, n);
    }
    ir_op_splice_operands(op, start, old, values, count);
}

/* ---- cloning ------------------------------------------------------------------------ */

struct ir_mapping {
    struct pair {
        const void *from;
        void *to;
    } * slots;
    size_t mask, count;
};

ir_mapping *ir_mapping_create(void)
{
    return tw_xcalloc(1, sizeof(ir_mapping));
}

void ir_mapping_free(ir_mapping *map)
{
    if (map)
        free(map->slots);
    free(map);
}

static struct pair *mapping_slot(const ir_mapping *map, const void *from)
{
    size_t i = tw_hash_end(tw_hash_ptr(0, from)) & map->mask;
    while (map->slots[i].from && map->slots[i].from != from)
        i = (i + 1) & map->mask;
    return &map->slots[i];
}

void ir_mapping_reserve(ir_mapping *map, size_t count)
{
    ir_mapping grown = {.mask = map->slots ? map->mask : 31, .count = map->count};
    while (count * 2 > grown.mask)
        grown.mask = grown.mask * 2 + 1;
    if (map->slots && grown.mask == map->mask)
        return;
    grown.slots = tw_xcalloc(grown.mask + 1, sizeof *grown.slots);
    for (size_t i = 0; map->slots && i <= map->mask; i++)
        if (map->slots[i].from)
            *mapping_slot(&grown, map->slots[i].from) = map->slots[i];
    free(map->slots);
    *map = grown;
}

void **ir_mapping_at(ir_mapping *map, const void *from)
{
    if (!map->slots || map->count * 2 > map->mask)
        ir_mapping_reserve(map, map->count + 1);
    struct pair *slot = mapping_slot(map, from);
    map->count += !slot->from;
    slot->from = from;
    return &slot->to;
}

void ir_mapping_set(ir_mapping *map, const void *from, void *to)
{
    *ir_mapping_at(map, from) = to;
}

void *ir_mapping_get(const ir_mapping *map, const void *from)
{
    return map->slots ? mapping_slot(map, from)->to : NULL;
}

static void clone_region(ir_region *to, const ir_region *from, ir_context *ctx,
                         ir_mapping *map)
{
    /* Blocks and arguments first: successors may point forward. */
    for (ir_block *b = from->first; b; b = b->next) {
        ir_block *copy = ir_block_create(ctx);
        ir_region_append(to, copy);
        ir_mapping_set(map, b, copy);
        for (uint32_t i = 0; i < b->n_args; i++)
            ir_mapping_set(map, b->args[i],
                           ir_block_add_arg(ctx, copy, b->args[i]->type, b->args[i]->loc));
    }
    for (ir_block *b = from->first; b; b = b->next)
        for (ir_op *op = b->first; op; op = op->next)
            ir_block_append(ir_mapping_get(map, b), ir_op_clone(op, map));
    /* Uses before definitions (graph regions) still point at the originals: remap them. */
    for (ir_block *b = to->first; b; b = b->next)
        for (ir_op *op = b->first; op; op = op->next)
            for (uint32_t i = 0; i < op->n_operands; i++) {
                ir_value *v = ir_mapping_get(map, op->operands[i].value);
                if (v)
                    ir_op_set_operand(op, i, v);
            }
}

ir_op *ir_op_clone(ir_op *op, ir_mapping *map)
{
    ir_mapping *own = map ? NULL : ir_mapping_create();
    ir_mapping *m = map ? map : own;
    ir_value **operands = tw_xmalloc(op->n_operands * sizeof *operands);
    ir_type *types = tw_xmalloc(op->n_results * sizeof *types);
    ir_block **successors = tw_xmalloc(op->n_successors * sizeof *successors);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = ir_mapping_get(m, op->operands[i].value);
        operands[i] = v ? v : op->operands[i].value;
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        types[i] = op->results[i].type;
    for (uint16_t i = 0; i < op->n_successors; i++) {
        ir_block *b = ir_mapping_get(m, op->successors[i]);
        successors[i] = b ? b : op->successors[i];
    }
    ir_op *copy = ir_op_create(op->ctx, &(ir_op_state){.def = op->def,
                                                       .loc = op->loc,
                                                       .operands = operands,
                                                       .n_operands = op->n_operands,
                                                       .results = types,
                                                       .n_results = op->n_results,
                                                       .successors = successors,
                                                       .n_successors = op->n_successors,
                                                       .n_regions = op->n_regions,
                                                       .no_defaults = true});
    copy->attrs = op->attrs;
    size_t n_props = ir_def_n_props(op->def);
    if (n_props)
        memcpy(copy->props, op->props, n_props * sizeof *op->props);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_mapping_set(m, &op->results[i], &copy->results[i]);
    for (uint16_t i = 0; i < op->n_regions; i++)
        clone_region(&copy->regions[i], &op->regions[i], op->ctx, m);
    free(operands);
    free(types);
    free(successors);
    ir_mapping_free(own);
    return copy;
}

/* ---- building ----------------------------------------------------------------------- */

ir_builder ir_builder_before(ir_op *op)
{
    return (ir_builder){.ctx = op->ctx, .block = op->block, .before = op, .loc = op->loc};
}

ir_builder ir_builder_after(ir_op *op)
{
    return (ir_builder){
        .ctx = op->ctx, .block = op->block, .before = op->next, .loc = op->loc};
}

ir_builder ir_builder_at_end(ir_context *ctx, ir_block *block, ir_loc loc)
{
    return (ir_builder){.ctx = ctx, .block = block, .loc = loc};
}

ir_builder ir_builder_at_start(ir_context *ctx, ir_block *block, ir_loc loc)
{
    return (ir_builder){.ctx = ctx, .block = block, .before = block->first, .loc = loc};
}

ir_op *ir_build(ir_builder *b, const ir_op_state *state)
{
    ir_op *op = ir_op_create(b->ctx, state);
    if (b->before)
        ir_op_insert_before(op, b->before);
    else if (b->block)
        ir_block_append(b->block, op);
    if (b->created)
        b->created(b->user, op);
    return op;
}

ir_op *ir_build_op(ir_builder *b, const ir_op_def *def, const ir_type *results,
                   size_t n_results, ir_value *const *operands, size_t n_operands,
                   const ir_attr_by_name *attrs, size_t n_attrs, size_t n_regions)
{
    enum { CAPACITY = 64 };
    ir_named_attr named[CAPACITY];
    int64_t few_segments[CAPACITY], *segments = few_segments;
    ir_value *few[CAPACITY], **present = few;
    assert(n_attrs < CAPACITY - 1);
    if (n_operands > CAPACITY) { /* variadic lists may exceed the array */
        present = tw_xmalloc(n_operands * sizeof(*present));
        segments = tw_xmalloc(n_operands * sizeof(*segments));
    }
    size_t n = 0, n_present = 0;
    bool sized = false;
    for (size_t i = 0; i < n_attrs; i++) {
        if (attrs[i].value)
            named[n++] =
                (ir_named_attr){ir_ident_from(b->ctx, attrs[i].name), attrs[i].value};
        sized |= strcmp(attrs[i].name, operand_segments) == 0;
    }
    for (size_t i = 0; i < n_operands; i++) {
        segments[i] = operands[i] != NULL;
        if (operands[i])
            present[n_present++] = operands[i];
    }
    if ((def->traits & IR_OPERAND_SEGMENTS) && !sized && n_operands == def->operands.count)
        named[n++] = (ir_named_attr){ir_ident_from(b->ctx, operand_segments),
                                     ir_dense_i32_array(b->ctx, segments, n_operands)};
    ir_op *op = ir_build(b, &(ir_op_state){.def = def,
                                           .loc = b->loc,
                                           .operands = present,
                                           .n_operands = n_present,
                                           .results = results,
                                           .n_results = n_results,
                                           .attrs = named,
                                           .n_attrs = n,
                                           .n_regions = n_regions});
    if (n_operands > CAPACITY) {
        free(present);
        free(segments);
    }
    return op;
}

ir_value *ir_build1(ir_builder *b, const ir_op_def *def, ir_type result,
                    ir_value *const *operands, size_t n_operands,
                    const ir_attr_by_name *attrs, size_t n_attrs)
{
    return ir_op_result(
        ir_build_op(b, def, &result, 1, operands, n_operands, attrs, n_attrs, 0), 0);
}

ir_op *ir_module_create(ir_context *ctx, ir_loc loc)
{
    const ir_op_def *def = ir_context_op_def_or_unregistered(ctx, TW_STR("builtin.module"));
    ir_op *module =
        ir_op_create(ctx, &(ir_op_state){.def = def, .loc = loc, .n_regions = 1});
    ir_region_append(&module->regions[0], ir_block_create(ctx));
    return module;
}
