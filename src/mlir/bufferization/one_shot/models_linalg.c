/* models_linalg.c: structured operations of linalg: results are the buffers of `outs`. */
#include "ir/like.h"
#include "mlir/bufferization/one_shot/one_shot.h"
#include "mlir/linalg/linalg.h"

#include <stdlib.h>

static bool outputs_of(const ir_op *op, size_t *first, size_t *n)
{
    static const char *const names[] = {"outputs", "inits", "init"};
    for (size_t i = 0; i < TW_COUNT(names); i++) {
        size_t group = ir_op_operand_index(op->def, names[i]);
        if (group != SIZE_MAX)
            return ir_op_operand_group(op, group, first, n);
    }
    return false;
}

static bool is_output(const ir_operand *use)
{
    size_t first, n, i = ir_operand_number(use);
    return outputs_of(use->owner, &first, &n) && i >= first && i < first + n;
}

/* The body's argument for an operand, or NULL if there is none. */
static const ir_value *element_of(const ir_operand *use)
{
    const ir_block *body = ir_op_body(use->owner, 0);
    size_t i = ir_operand_number(use);
    return body && i < body->n_args ? body->args[i] : NULL;
}

/* An operand is read if the body uses its elements. */
static bool linalg_reads(buf_state *s, const ir_operand *use)
{
    const ir_value *element = element_of(use);
    (void)s;
    return !element || element->uses;
}

static bool linalg_writes(buf_state *s, const ir_operand *use)
{
    (void)s;
    return is_output(use);
}

static void linalg_aliases(buf_state *s, ir_operand *use, buf_aliases *out)
{
    size_t first, n, i = ir_operand_number(use);
    (void)s;
    if (outputs_of(use->owner, &first, &n) && i >= first &&
        i - first < use->owner->n_results)
        buf_add_alias(out, ir_op_result(use->owner, i - first), use, true, true);
}

static ir_affine_map map_of(const ir_op *op, size_t i)
{
    ir_attr maps = ir_op_attr(op, "indexing_maps");
    return ir_attr_is(maps, IR_ATTR_ARRAY) && i < maps->count &&
                   ir_attr_is(maps->items[i], IR_ATTR_AFFINE_MAP)
               ? maps->items[i]->map
               : NULL;
}

static bool linalg_is_elementwise(buf_state *s, ir_op *op, const ir_operand *read,
                                  const ir_operand *write)
{
    ir_attr kinds = ir_op_attr(op, "iterator_types");
    ir_affine_map a = map_of(op, ir_operand_number(read));
    ir_affine_map b = map_of(op, ir_operand_number(write));
    (void)s;
    if (!a || !b || !ir_affine_map_is_identity(a) || !ir_affine_map_is_identity(b))
        return false;
    for (uint32_t i = 0; kinds && i < kinds->count; i++)
        if (ir_enum_value(kinds->items[i], -1) != LINALG_IteratorType_parallel)
            return false;
    return kinds != NULL;
}

static bool linalg_bufferize(buf_rewrite *r, ir_op *op)
{
    size_t first, n;
    ir_value **operands = tw_xmalloc((op->n_operands + 1) * sizeof *operands);
    ir_value **buffers = tw_xmalloc((op->n_results + 1) * sizeof *buffers);
    if (!outputs_of(op, &first, &n))
        n = first = 0;
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = buf_buffer(r, ir_op_operand(op, i));
    for (uint32_t i = 0; i < op->n_results; i++)
        buffers[i] = first + i < op->n_operands ? operands[first + i] : NULL;
    ir_op *made = ir_build_like(&r->b, op,
                                (ir_op_state){.loc = op->loc,
                                              .operands = operands,
                                              .n_operands = op->n_operands,
                                              .n_regions = op->n_regions});
    made->attrs = op->attrs;
    for (uint16_t k = 0; k < op->n_regions; k++)
        ir_region_take(&made->regions[k], &op->regions[k]);
    buf_replace(r, op, buffers);
    free(operands);
    free(buffers);
    return true;
}

/* One model for all structured operations. */
static const buf_model structured = {.reads = linalg_reads,
                                     .writes = linalg_writes,
                                     .aliases = linalg_aliases,
                                     .is_elementwise = linalg_is_elementwise,
                                     .bufferize = linalg_bufferize};

static const buf_model *find(const ir_op_def *def)
{
    return def->interfaces && ir_def_has(def, "LinalgOp") ? &structured : NULL;
}

const buf_model_table buf_linalg_models = {.find = find};
