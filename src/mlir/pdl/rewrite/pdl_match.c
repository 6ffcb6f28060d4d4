/* pdl_match.c: matches a pattern at an operation, and binds its handles.
 *
 * Operations that define operands follow from those already matched.  Those reachable only
 * through users are searched for: each user is tried, and its bindings are undone if it
 * does not match. */
#include "mlir/pdl/rewrite/pdl_impl.h"

#include <stdlib.h>

/* Operations of the pattern whose counterpart is known and yet to be compared. */
typedef struct work {
    pdl_frame *f;
    struct pair {
        const ir_op *pattern;
        ir_op *op;
    } * left;
    size_t n_left, capacity;
} work;

/* ---- types and attributes ----------------------------------------------------------- */

static bool match_types(pdl_frame *f, const ir_value *handle, const void *const *types,
                        size_t count)
{
    const ir_op *def = ir_value_def(handle);
    ir_attr wanted = def->props ? def->props[0] : NULL; /* the constant */
    bool is_type = def->def == PDL_OP(type), is_types = def->def == PDL_OP(types);
    if (is_type && wanted && (count != 1 || types[0] != wanted->type))
        return false;
    if (is_types && wanted) {
        if (wanted->count != count)
            return false;
        for (size_t i = 0; i < count; i++)
            if (wanted->items[i]->type != types[i])
                return false;
    }
    return pdl_unify(f, handle, types, count);
}

/* The attribute's type, if it has one. */
static ir_type type_of_attr(ir_attr attr)
{
    switch (attr->kind) {
    case IR_ATTR_INTEGER:
    case IR_ATTR_FLOAT:
    case IR_ATTR_DENSE:
    case IR_ATTR_SPARSE:
    case IR_ATTR_RESOURCE:
        return attr->type;
    case IR_ATTR_STRING:
        return attr->type ? attr->type : ir_none_type(attr->ctx);
    default:
        return NULL;
    }
}

static bool match_attribute(pdl_frame *f, const ir_value *handle, ir_attr attr)
{
    const ir_op *def = ir_value_def(handle);
    const void *item = attr;
    if (!attr)
        return false;
    if (def->def == PDL_OP(attribute)) {
        ir_attr wanted = ir_op_attr(def, "value");
        if (wanted && wanted != attr)
            return false;
        const void *type = def->n_operands ? type_of_attr(attr) : NULL;
        if (def->n_operands && (!type || !match_types(f, ir_op_operand(def, 0), &type, 1)))
            return false;
    }
    return pdl_unify(f, handle, &item, 1);
}

static bool match_value_types(pdl_frame *f, const ir_value *handle,
                              const void *const *values, size_t count)
{
    const void **types = TW_ARENA_ARRAY(&f->memory, const void *, count + 1);
    for (size_t i = 0; i < count; i++)
        types[i] = ((const ir_value *)values[i])->type;
    return match_types(f, handle, types, count);
}

/* ---- values ------------------------------------------------------------------------- */

static bool expect(work *w, const ir_op *pattern, ir_op *op)
{
    const pdl_bound *slot = pdl_slot(w->f, &pattern->results[0]);
    struct pair pair = {pattern, op};
    if (slot->set)
        return slot->items[0] == op;
    TW_PUSH(w->left, w->n_left, w->capacity, pair);
    return true;
}

static bool match_values(work *w, const ir_value *handle, const void *const *values,
                         size_t count)
{
    pdl_frame *f = w->f;
    const ir_op *def = ir_value_def(handle);
    bool known = pdl_slot(f, handle)->set;
    if (!pdl_unify(f, handle, values, count))
        return false;
    if (known)
        return true;
    if (def->def == PDL_OP(operand) || def->def == PDL_OP(operands))
        return !def->n_operands ||
               match_value_types(f, ir_op_operand(def, 0), values, count);
    if (def->def != PDL_OP(result) && def->def != PDL_OP(results))
        return true; /* bound by a constraint */
    ir_op *producer = count ? ir_value_def(values[0]) : NULL;
    const void *const *made;
    size_t n;
    return producer && pdl_results_of(f, def, producer, &made, &n) && n == count &&
           memcmp(made, values, count * sizeof *values) == 0 &&
           expect(w, ir_value_def(ir_op_operand(def, 0)), producer);
}

typedef enum part_mode { SINGLE, GROUPED, ALL } part_mode;

/* The values of a pattern operation's i-th handle to operands or result types: one by one
 * up to the first range, by declared groups from there on. */
static bool part(pdl_frame *f, ir_op *op, bool operands, size_t i, bool range,
                 part_mode mode, const void *const **out, size_t *count)
{
    size_t total = operands ? op->n_operands : op->n_results, start = i, n = 1;
    uint64_t sized = operands ? IR_OPERAND_SEGMENTS : IR_RESULT_SEGMENTS;
    if (mode == ALL) {
        n = total;
    } else if (mode == GROUPED && (op->def->traits & sized)) {
        size_t groups = operands ? op->def->operands.count : op->def->results.count;
        if (i >= groups || !(operands ? ir_op_operand_group(op, i, &start, &n)
                                      : ir_op_result_group(op, i, &start, &n)))
            return false;
    } else if (mode == GROUPED) { /* a group begins there, and its end is unknown */
        if (i > total)
            return false;
        n = total - i;
    }
    if (start + n > total || (!range && n != 1))
        return false;
    const void **things = TW_ARENA_ARRAY(&f->memory, const void *, n + 1);
    for (size_t k = 0; k < n; k++)
        things[k] = operands ? ir_op_operand(op, start + k) : ir_op_result(op, start + k);
    *out = things;
    *count = n;
    return true;
}

/* ---- operations --------------------------------------------------------------------- */

static bool match_parts(work *w, const ir_op *pattern, ir_op *op, bool operands)
{
    size_t start, count, have = operands ? op->n_operands : op->n_results, singles = 0;
    ir_op_operand_group(pattern, operands ? 0 : 2, &start, &count);
    for (size_t i = 0; i < count; i++)
        singles += !pdl_is_range(ir_op_operand(pattern, start + i)->type);
    if (singles == count ? have != count : have < singles)
        return false;
    bool grouped = false;
    for (size_t i = 0; i < count; i++) {
        const ir_value *handle = ir_op_operand(pattern, start + i);
        const void *const *things;
        size_t n;
        bool range = pdl_is_range(handle->type);
        grouped |= range;
        /* a single range binds everything */
        if (!part(w->f, op, operands, i, range,
                  grouped && count > 1 ? GROUPED
                  : grouped            ? ALL
                                       : SINGLE,
                  &things, &n) ||
            !(operands ? match_values(w, handle, things, n)
                       : match_value_types(w->f, handle, things, n)))
            return false;
    }
    return true;
}

static bool match_attributes(pdl_frame *f, const ir_op *pattern, const ir_op *op)
{
    ir_attr names = ir_op_attr(pattern, "attributeValueNames");
    size_t start, count;
    ir_op_operand_group(pattern, 1, &start, &count);
    for (size_t i = 0; i < count; i++)
        if (!match_attribute(f, ir_op_operand(pattern, start + i),
                             ir_op_attr_str(op, ir_attr_str(names->items[i]))))
            return false;
    return true;
}

static bool match_operation(work *w, const ir_op *pattern, ir_op *op)
{
    const void *item = op;
    ir_attr name = ir_op_attr(pattern, "opName");
    bool known = pdl_slot(w->f, &pattern->results[0])->set;
    if (!pdl_unify(w->f, &pattern->results[0], &item, 1))
        return false;
    if (known)
        return true;
    return (!name || tw_str_is(ir_attr_str(name), op->def->name)) &&
           match_attributes(w->f, pattern, op) && match_parts(w, pattern, op, true) &&
           match_parts(w, pattern, op, false);
}

static bool match_left(work *w)
{
    while (w->n_left) {
        struct pair pair = w->left[--w->n_left];
        if (!match_operation(w, pair.pattern, pair.op))
            return false;
    }
    return true;
}

/* ---- constraints -------------------------------------------------------------------- */

/* Handles not used by an operation of the pattern: results, and constants. */
static bool bind_rest(pdl_frame *f)
{
    for (const ir_op *op = f->pattern->pattern->regions[0].first->first; op;
         op = op->next) {
        pdl_bound *slot = op->n_results ? pdl_slot(f, &op->results[0]) : NULL;
        const void *const *things;
        size_t n;
        if (!slot || slot->set)
            continue;
        if (op->def == PDL_OP(result) || op->def == PDL_OP(results)) {
            const pdl_bound *of = pdl_slot(f, ir_op_operand(op, 0));
            if (!pdl_results_of(f, op, (ir_op *)(uintptr_t)of->items[0], &things, &n))
                return false;
            pdl_bind(f, slot, things, n);
        } else {
            pdl_bind_constant(f, op);
        }
    }
    return true;
}

static pdl_verdict check_constraints(pdl_frame *f)
{
    if (!bind_rest(f))
        return PDL_NO;
    for (ir_op *op = f->pattern->pattern->regions[0].first->first; op; op = op->next) {
        if (op->def != PDL_OP(apply_native_constraint))
            continue;
        pdl_verdict verdict = pdl_call_native(f, op);
        if (verdict != PDL_YES)
            return verdict;
    }
    return PDL_YES;
}

/* ---- the search --------------------------------------------------------------------- */

/* The operations that use a value (of a range its first one), each once. */
static pdl_items users_of(pdl_frame *f, const ir_value *handle)
{
    pdl_items list = {0};
    const pdl_bound *slot = pdl_slot(f, handle);
    if (!slot->set) { /* a result that has not been bound yet */
        const ir_op *def = ir_value_def(handle);
        const pdl_bound *of = pdl_slot(f, ir_op_operand(def, 0));
        const void *const *things;
        size_t n;
        if (!pdl_results_of(f, def, (ir_op *)(uintptr_t)of->items[0], &things, &n))
            return list;
        pdl_bind(f, pdl_slot(f, handle), things, n);
        slot = pdl_slot(f, handle);
    }
    const ir_value *value = slot->count ? slot->items[0] : NULL;
    for (const ir_operand *use = value ? value->uses : NULL; use; use = use->next_use)
        list.capacity++;
    list.at = TW_ARENA_ARRAY(&f->memory, const void *, list.capacity + 1);
    ir_mapping *seen = ir_mapping_create();
    for (const ir_operand *use = value ? value->uses : NULL; use; use = use->next_use)
        if (!ir_mapping_get(seen, use->owner)) {
            ir_mapping_set(seen, use->owner, use->owner);
            list.at[list.count++] = use->owner;
        }
    ir_mapping_free(seen);
    return list;
}

static pdl_verdict search(work *w, size_t step)
{
    pdl_frame *f = w->f;
    if (!match_left(w))
        return PDL_NO;
    if (step == f->pattern->n_upward)
        return check_constraints(f);
    const pdl_upward *up = &f->pattern->upward[step];
    if (pdl_slot(f, &up->operation->results[0])->set)
        return search(w, step + 1);
    pdl_items users = users_of(f, up->through);
    size_t bytes = f->pattern->n_slots * sizeof *f->slots;
    const void *saved = tw_arena_copy(&f->memory, f->slots, bytes);
    for (size_t i = 0; i < users.count; i++) {
        w->n_left = 0;
        pdl_verdict verdict = expect(w, up->operation, (ir_op *)(uintptr_t)users.at[i])
                                  ? search(w, step + 1)
                                  : PDL_NO;
        if (verdict != PDL_NO)
            return verdict;
        memcpy(f->slots, saved, bytes);
    }
    return PDL_NO;
}

pdl_verdict pdl_match(pdl_frame *f, ir_op *op)
{
    work w = {.f = f};
    expect(&w, f->pattern->root, op);
    pdl_verdict verdict = search(&w, 0);
    free(w.left);
    return verdict;
}
