/* spatial_normalize.c: moves operations around the generics of a d2m.spatial out of it, so
 * that each of its regions holds one generic. */
#include "d2m/passes/grid_selection.h"

#include <stdlib.h>

static ir_op *only_generic(ir_op *spatial, uint16_t region)
{
    ir_block *block = ir_op_body(spatial, region);
    ir_op *found = NULL;
    for (ir_op *op = block ? block->first : NULL; op; op = op->next)
        if (op->def == D2M_OP(generic)) {
            if (found)
                return NULL;
            found = op;
        }
    return found;
}

/* Moves what is before the generic in front of the spatial operation, and what is after it
 * behind `*tail`, where it uses the spatial operation's results. */
static void hoist(ir_op *spatial, ir_op *generic, uint32_t first_result, ir_op **tail)
{
    ir_block *block = generic->block;
    for (ir_op *op = block->first, *next; op != generic; op = next) {
        next = op->next;
        ir_op_remove(op);
        ir_op_insert_before(op, spatial);
    }
    for (ir_op *op = generic->next, *next; op; op = next) {
        next = op->next;
        if (op->def == D2M_OP(spatial_yield)) {
            ir_op_erase(op);
            continue;
        }
        for (uint32_t i = 0; i < op->n_operands; i++)
            for (uint32_t r = 0; r < generic->n_results; r++)
                if (ir_op_operand(op, i) == &generic->results[r] &&
                    first_result + r < spatial->n_results)
                    ir_op_set_operand(op, i, &spatial->results[first_result + r]);
        ir_op_remove(op);
        ir_op_insert_after(op, *tail);
        *tail = op;
    }
    ir_value **results = tw_xmalloc((generic->n_results + 1) * sizeof *results);
    for (uint32_t r = 0; r < generic->n_results; r++)
        results[r] = &generic->results[r];
    ir_builder b = ir_builder_at_end(spatial->ctx, block, generic->loc);
    ir_build_op(&b, D2M_OP(spatial_yield), NULL, 0, results, generic->n_results, NULL, 0,
                0);
    free(results);
}

typedef struct value_list {
    ir_value **at;
    size_t n, capacity;
} value_list;

static void add(value_list *list, ir_value *v, bool once)
{
    for (size_t i = 0; once && i < list->n; i++)
        if (list->at[i] == v)
            return;
    if (list->n == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 8;
        list->at = tw_xrealloc(list->at, list->capacity * sizeof(*list->at));
    }
    list->at[list->n++] = v;
}

/* Operands of the generics become those of the spatial operation. */
static void take_operands(ir_op *spatial)
{
    value_list inputs = {0}, outputs = {0};
    for (uint16_t r = 0; r < spatial->n_regions; r++) {
        ir_op *generic = only_generic(spatial, r);
        size_t first, n;
        for (size_t group = 0; group < 2; group++)
            if (ir_op_operand_group(generic, group, &first, &n))
                for (size_t i = first; i < first + n; i++)
                    add(group ? &outputs : &inputs, ir_op_operand(generic, i), !group);
    }
    ir_op_set_operand_group(spatial, 0, inputs.at, inputs.n);
    ir_op_set_operand_group(spatial, 1, outputs.at, outputs.n);
    for (size_t i = 0; i < outputs.n && spatial->n_results == outputs.n; i++)
        if (outputs.at[i]->type->kind == IR_TYPE_TENSOR)
            spatial->results[i].type = outputs.at[i]->type;
    free(inputs.at);
    free(outputs.at);
}

bool d2m_normalize_spatial(ir_op *generic)
{
    ir_op *spatial = d2m_enclosing(generic, D2M_OP(spatial)), *tail = spatial;
    uint32_t results = 0;
    if (!spatial)
        return true;
    for (uint16_t r = 0; r < spatial->n_regions; r++)
        if (!only_generic(spatial, r))
            return ir_op_error(spatial,
                               "each spatial region must contain exactly one d2m.generic "
                               "op.");
    for (uint16_t r = 0; r < spatial->n_regions; r++) {
        ir_op *inner = only_generic(spatial, r);
        hoist(spatial, inner, results, &tail);
        results += inner->n_results;
    }
    take_operands(spatial);
    return true;
}
