/* explicate_tms.c: ttir-explicate-tms: the shapes that element-wise operations give
 * their operands by themselves become operations: a reshape that puts ones in front, then a
 * broadcast.  Passes that move reshapes and broadcasts then see them. */
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "ttir/build.h"

static ir_value *with_rank(ir_builder *b, ir_value *v, uint32_t rank)
{
    int64_t dims[TTIR_MAX_DIMS];
    uint32_t extra = rank - v->type->count;
    for (uint32_t d = 0; d < rank; d++)
        dims[d] = d < extra ? 1 : v->type->dims[d - extra];
    return ttir_build_reshape(b, v, dims, rank);
}

/* The shape that all operands have in common; false if they do not broadcast. */
static bool common_shape(const ir_op *op, int64_t *dims, uint32_t *out_rank)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type t = op->operands[i].value->type;
        if (!ir_type_is_tensor(t) || !ir_type_has_static_shape(t) ||
            t->count > TTIR_MAX_DIMS)
            return false;
        rank = TW_MAX(rank, t->count);
    }
    for (uint32_t d = 0; d < rank; d++)
        dims[d] = 1;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type t = op->operands[i].value->type;
        for (uint32_t d = 0; d < t->count; d++) {
            int64_t *at = &dims[rank - t->count + d];
            if (*at != 1 && t->dims[d] != 1 && t->dims[d] != *at)
                return false;
            *at = *at == 1 ? t->dims[d] : *at;
        }
    }
    *out_rank = rank;
    return true;
}

static bool explicate(ir_op *op, rw_rewriter *rw)
{
    int64_t dims[TTIR_MAX_DIMS];
    uint32_t rank;
    bool changed = false;
    if (!(op->def->traits & IR_BROADCASTABLE) || op->n_operands < 2 || op->n_results != 1 ||
        !common_shape(op, dims, &rank))
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (op->operands[i].value->type->count < rank) {
            ir_op_set_operand(op, i, with_rank(&rw->b, op->operands[i].value, rank));
            changed = true;
        }
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        if (rank && memcmp(v->type->dims, dims, rank * sizeof *dims) != 0) {
            ir_op_set_operand(op, i, ttir_build_broadcast_to(&rw->b, v, dims));
            changed = true;
        }
    }
    if (changed)
        rw_modified(rw, op);
    return changed;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    const rw_pattern patterns[] = {{NULL, explicate, NULL}};
    rw_greedy(module, patterns, 1, NULL);
    return true;
}

const pass_def ttir_explicate_tms_pass = {
    .name = "ttir-explicate-tms",
    .summary = "Make implicit reshapes and broadcasts of operands explicit",
    .anchor = "builtin.module",
    .run = run,
};
