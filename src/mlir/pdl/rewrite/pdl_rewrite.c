/* pdl_rewrite.c: applies the rewrite of a matched pattern.
 *
 * Operations are created before the matched one, with its location (for several operations:
 * all of theirs, fused).  A rewrite that fails erases the operations that it created,
 * unless they are in use. */
#include "ir/infer.h"
#include "mlir/pdl/rewrite/pdl_impl.h"

#include <stdlib.h>

/* ---- items of handles --------------------------------------------------------------- */

static bool add_items(pdl_frame *f, ir_op *user, ir_value *handle, pdl_items *list)
{
    const pdl_bound *known = pdl_items_of(f, user, handle);
    if (!known)
        return false;
    if (list->count + known->count > list->capacity) {
        size_t capacity = 2 * (list->count + known->count);
        const void **grown = TW_ARENA_ARRAY(&f->memory, const void *, capacity);
        if (list->count)
            memcpy(grown, list->at, list->count * sizeof *grown);
        list->at = grown;
        list->capacity = capacity;
    }
    if (known->count)
        memcpy(list->at + list->count, known->items, known->count * sizeof *known->items);
    list->count += known->count;
    return true;
}

/* All items of a pdl operation's operand group, concatenated; sizes: of each handle. */
static bool items_of_group(pdl_frame *f, ir_op *op, size_t group, pdl_items *list,
                           int64_t *sizes, size_t *n_sizes)
{
    size_t start, count;
    ir_op_operand_group(op, group, &start, &count);
    for (size_t i = 0; i < count; i++) {
        size_t before = list->count;
        if (!add_items(f, op, ir_op_operand(op, start + i), list))
            return false;
        if (sizes && i < *n_sizes)
            sizes[i] = (int64_t)(list->count - before);
    }
    if (n_sizes)
        *n_sizes = count;
    return true;
}

static ir_op *operation_of(pdl_frame *f, ir_op *user, ir_value *handle)
{
    const pdl_bound *known = pdl_items_of(f, user, handle);
    return known ? (ir_op *)(uintptr_t)known->items[0] : NULL;
}

/* ---- result types ------------------------------------------------------------------- */

/* An existing operation that the new one replaces: it determines the types. */
static ir_value *replaced_by(const ir_op *op)
{
    for (const ir_operand *use = op->results[0].uses; use; use = use->next_use) {
        ir_op *user = use->owner;
        if (user->def != PDL_OP(replace) || ir_operand_number(use) == 0)
            continue;
        ir_op *replaced = ir_value_def(ir_op_operand(user, 0));
        if (replaced->block != op->block || ir_op_before(replaced, (ir_op *)(uintptr_t)op))
            return ir_op_operand(user, 0);
    }
    return NULL;
}

/* True if each handle to result types is bound. */
static bool types_are_given(pdl_frame *f, const ir_op *op, size_t *count)
{
    size_t start;
    ir_op_operand_group(op, 2, &start, count);
    for (size_t i = 0; i < *count; i++)
        if (!pdl_slot(f, ir_op_operand(op, start + i))->set)
            return false;
    return *count > 0;
}

static bool infer_types(pdl_frame *f, ir_op *op, const ir_op_state *state, pdl_items *types)
{
    ir_type found[IR_INFER_CAPACITY];
    size_t n = IR_INFER_CAPACITY;
    ir_op *probe = ir_op_create(op->ctx, state);
    bool ok = ir_infer_result_types(probe, found, &n);
    ir_op_erase(probe);
    if (!ok)
        return ir_op_error(op, "failed to infer the result types of '%s'",
                           state->def->name);
    types->at = TW_ARENA_ARRAY(&f->memory, const void *, n + 1);
    for (size_t i = 0; i < n; i++)
        types->at[i] = found[i];
    types->count = n;
    return true;
}

static bool result_types(pdl_frame *f, ir_op *op, const ir_op_state *state,
                         pdl_items *types, int64_t *sizes, size_t *n_sizes)
{
    size_t declared;
    ir_value *replaced;
    if (types_are_given(f, op, &declared))
        return items_of_group(f, op, 2, types, sizes, n_sizes);
    *n_sizes = 0;
    if (ir_def_infers(state->def))
        return infer_types(f, op, state, types);
    if ((replaced = replaced_by(op))) {
        const ir_op *old = operation_of(f, op, replaced);
        types->at =
            old ? TW_ARENA_ARRAY(&f->memory, const void *, old->n_results + 1u) : NULL;
        for (uint32_t i = 0; old && i < old->n_results; i++)
            types->at[types->count++] = old->results[i].type;
        return old != NULL;
    }
    return !declared || ir_op_error(op, "unable to infer result type for operation");
}

/* ---- creation ----------------------------------------------------------------------- */

static ir_loc location(pdl_frame *f)
{
    ir_loc locs[64];
    size_t n = 0;
    for (const ir_op *op = f->pattern->pattern->regions[0].first->first;
         op && n < TW_COUNT(locs); op = op->next)
        if (op->def == PDL_OP(operation)) {
            const ir_op *matched = pdl_slot(f, &op->results[0])->items[0];
            if (matched)
                locs[n++] = matched->loc;
        }
    return ir_loc_fused(f->pattern->pattern->ctx, locs, n);
}

typedef struct named_list {
    ir_named_attr *at;
    size_t count;
} named_list;

static void add_segments(ir_context *ctx, named_list *attrs, const char *name,
                         const int64_t *sizes, size_t count)
{
    ir_ident ident = ir_ident_from(ctx, name);
    for (size_t i = 0; i < attrs->count; i++)
        if (attrs->at[i].name == ident)
            return;
    attrs->at[attrs->count++] =
        (ir_named_attr){ident, ir_dense_i32_array(ctx, sizes, count)};
}

static bool attributes_of(pdl_frame *f, ir_op *op, named_list *attrs)
{
    ir_attr names = ir_op_attr(op, "attributeValueNames");
    pdl_items values = {0};
    if (!items_of_group(f, op, 1, &values, NULL, NULL))
        return false;
    attrs->at = TW_ARENA_ARRAY(&f->memory, ir_named_attr, values.count + 2);
    for (size_t i = 0; i < values.count; i++)
        attrs->at[attrs->count++] =
            (ir_named_attr){names->items[i]->ident, (ir_attr)values.at[i]};
    return true;
}

/* Binds handles to result types that are still unbound to the types created. */
static void bind_types(pdl_frame *f, const ir_op *op, const ir_op *made)
{
    size_t start, count;
    ir_op_operand_group(op, 2, &start, &count);
    for (size_t i = 0; i < count; i++) {
        pdl_bound *slot = pdl_slot(f, ir_op_operand(op, start + i));
        bool all = slot->range && count == 1;
        if (slot->set || (!all && (slot->range || i >= made->n_results)))
            continue;
        size_t n = all ? made->n_results : 1;
        const void **types = TW_ARENA_ARRAY(&f->memory, const void *, n + 1);
        for (size_t k = 0; k < n; k++)
            types[k] = made->results[all ? k : i].type;
        pdl_bind(f, slot, types, n);
    }
}

/* Sets the insertion point: before the matched operation. */
static bool set_insertion_point(pdl_frame *f, ir_op *op, ir_builder *b)
{
    if (!f->root || !f->root->block)
        return ir_op_error(op, "creates an operation before the matched one, which has "
                               "been erased");
    *b = f->rw->b;
    b->block = f->root->block;
    b->before = f->root;
    return true;
}

static bool make(pdl_frame *f, ir_op *op)
{
    enum { MAX_GROUPS = 64 };
    int64_t operand_sizes[MAX_GROUPS], result_sizes[MAX_GROUPS];
    size_t n_operands = MAX_GROUPS, n_results = MAX_GROUPS;
    ir_context *ctx = op->ctx;
    tw_str name = ir_attr_str(ir_op_attr(op, "opName"));
    const ir_op_def *def = ir_context_op_def(ctx, name);
    pdl_items operands = {0}, types = {0};
    named_list attrs = {0};
    ir_builder b;
    if (!def && !ir_context_allows_unregistered(ctx))
        return ir_op_error(op, "creates '%.*s', which is not a known operation",
                           (int)name.size, name.data);
    def = def ? def : ir_context_op_def_or_unregistered(ctx, name);
    if (!set_insertion_point(f, op, &b) || !attributes_of(f, op, &attrs) ||
        !items_of_group(f, op, 0, &operands, operand_sizes, &n_operands))
        return false;
    if ((def->traits & IR_OPERAND_SEGMENTS) && n_operands == def->operands.count)
        add_segments(ctx, &attrs, "operandSegmentSizes", operand_sizes, n_operands);
    ir_op_state state = {.def = def,
                         .loc = location(f),
                         .operands = (ir_value *const *)(const void *)operands.at,
                         .n_operands = operands.count,
                         .attrs = attrs.at,
                         .n_attrs = attrs.count};
    if (!result_types(f, op, &state, &types, result_sizes, &n_results))
        return false;
    if ((def->traits & IR_RESULT_SEGMENTS) && n_results == def->results.count)
        add_segments(ctx, &attrs, "resultSegmentSizes", result_sizes, n_results);
    state.n_attrs = attrs.count;
    state.results = (const ir_type *)(const void *)types.at;
    state.n_results = types.count;
    state.n_regions = def->regions.count;
    ir_op *made = ir_build(&b, &state);
    const void *item = made;
    TW_PUSH(f->made, f->n_made, f->made_capacity, made);
    pdl_bind(f, pdl_slot(f, &op->results[0]), &item, 1);
    bind_types(f, op, made);
    return true;
}

/* ---- replacing and erasing ---------------------------------------------------------- */

static bool replace(pdl_frame *f, ir_op *op)
{
    ir_op *old = operation_of(f, op, ir_op_operand(op, 0));
    size_t start, count;
    pdl_items values = {0};
    ir_op_operand_group(op, 1, &start, &count);
    if (!old || !items_of_group(f, op, 2, &values, NULL, NULL))
        return false;
    if (count) {
        ir_op *by = operation_of(f, op, ir_op_operand(op, start));
        if (!by)
            return false;
        values.at = TW_ARENA_ARRAY(&f->memory, const void *, by->n_results + 1u);
        for (uint32_t i = 0; i < by->n_results; i++)
            values.at[values.count++] = &by->results[i];
        if (by == old)
            return ir_op_error(op, "replaces '%s' by itself", old->def->name);
    }
    if (values.count != old->n_results)
        return ir_op_error(op, "replaces '%s', which has %u results, by %zu values",
                           old->def->name, old->n_results, values.count);
    for (size_t i = 0; i < values.count; i++)
        if (ir_value_def(values.at[i]) == old)
            return ir_op_error(op, "replaces a result of '%s' by one of its own",
                               old->def->name);
    rw_replace(f->rw, old, (ir_value *const *)(const void *)values.at, values.count);
    pdl_frame_freed(f, old);
    return true;
}

static ir_walk used_from_outside(ir_op *op, void *user)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        for (const ir_operand *use = op->results[i].uses; use; use = use->next_use)
            if (!ir_op_is_ancestor(user, use->owner))
                return IR_WALK_STOP;
    return IR_WALK_ON;
}

static bool erase(pdl_frame *f, ir_op *op)
{
    ir_op *old = operation_of(f, op, ir_op_operand(op, 0));
    if (!old)
        return false;
    if (ir_walk_pre(old, used_from_outside, old) == IR_WALK_STOP)
        return ir_op_error(op, "erases '%s', whose results are still used", old->def->name);
    rw_erase(f->rw, old);
    pdl_frame_freed(f, old);
    return true;
}

/* ---- entry point -------------------------------------------------------------------- */

static bool bind_result(pdl_frame *f, ir_op *op)
{
    ir_op *of = operation_of(f, op, ir_op_operand(op, 0));
    const void *const *things;
    size_t n;
    if (!of)
        return false;
    if (!pdl_results_of(f, op, of, &things, &n))
        return ir_op_error(op, "'%s' has no such results: it has %u", of->def->name,
                           of->n_results);
    pdl_bind(f, pdl_slot(f, &op->results[0]), things, n);
    return true;
}

static pdl_verdict run_one(pdl_frame *f, ir_op *op)
{
    bool ok = true;
    pdl_items list = {0};
    switch (op->def - pdl_ops) {
    case PDL_operation:
        ok = make(f, op);
        break;
    case PDL_result:
    case PDL_results:
        ok = bind_result(f, op);
        break;
    case PDL_range:
        ok = items_of_group(f, op, 0, &list, NULL, NULL);
        if (ok)
            pdl_bind(f, pdl_slot(f, &op->results[0]), list.at, list.count);
        break;
    case PDL_apply_native_rewrite:
        return pdl_call_native(f, op);
    case PDL_replace:
        ok = replace(f, op);
        break;
    case PDL_erase:
        ok = erase(f, op);
        break;
    default: /* attribute, type, types */
        pdl_bind_constant(f, op);
        break;
    }
    return ok ? PDL_YES : PDL_STOP;
}

static void erase_created(pdl_frame *f)
{
    while (f->n_made) {
        ir_op *op = f->made[--f->n_made];
        if (op && ir_op_is_unused(op) && !op->n_regions)
            rw_erase(f->rw, op);
    }
}

pdl_verdict pdl_run_rewrite(pdl_frame *f)
{
    ir_op *rewrite = f->pattern->rewrite;
    if (ir_op_attr(rewrite, "name"))
        return pdl_call_native(f, rewrite);
    pdl_verdict verdict = PDL_YES;
    for (ir_op *op = rewrite->regions[0].first->first; op && verdict == PDL_YES;
         op = op->next)
        verdict = run_one(f, op);
    if (verdict != PDL_YES)
        erase_created(f);
    return verdict;
}
