/* ttir_implicit_broadcast_fold.c: element-wise operations broadcast by themselves, so a
 * ttir.broadcast that only feeds such operations goes away, and so does a reshape that
 * only puts dimensions of size 1 in front. */
#include "dialect/ttir/ttir.h"
#include "rewrite/rewrite.h"
#include "transform/transform.h"

enum { MOST = 32 };

/* The shape the operands would broadcast to with operand `i` replaced. */
static bool still_fits(const ir_op *op, uint32_t replaced, ir_type by)
{
    ir_type result = op->results[0].type;
    int64_t dims[MOST];
    if (result->count > MOST)
        return false;
    for (uint32_t d = 0; d < result->count; d++)
        dims[d] = 1;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type t = i == replaced ? by : op->operands[i].value->type;
        if (t->count > result->count)
            return false;
        for (uint32_t d = 0; d < t->count; d++) {
            int64_t *at = &dims[result->count - t->count + d];
            if (*at == 1)
                *at = t->dims[d];
            else if (t->dims[d] != 1 && t->dims[d] != *at)
                return false;
        }
    }
    return result->count == 0 ||
           memcmp(dims, result->dims, result->count * sizeof *dims) == 0;
}

static bool adds_leading_ones(ir_op *reshape)
{
    ir_type from = reshape->operands[0].value->type, to = reshape->results[0].type;
    if (to->count < from->count)
        return false;
    uint32_t extra = to->count - from->count;
    for (uint32_t d = 0; d < to->count; d++)
        if (to->dims[d] != (d < extra ? 1 : from->dims[d - extra]))
            return false;
    return true;
}

static bool fold(ir_op *op, rw_rewriter *rw)
{
    if (!(op->def->traits & IR_BROADCASTABLE) || op->n_results != 1)
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *def = ir_value_def(op->operands[i].value);
        bool candidate = def && (def->def == TTIR_OP(broadcast) ||
                                 (def->def == TTIR_OP(reshape) && adds_leading_ones(def)));
        if (!candidate || !still_fits(op, i, def->operands[0].value->type))
            continue;
        ir_op_set_operand(op, i, def->operands[0].value);
        rw_modified(rw, op);
        return true;
    }
    return false;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    const rw_pattern patterns[] = {{NULL, fold}};
    rw_greedy(module, patterns, 1, NULL);
    return true;
}

const pass_def ttir_implicit_broadcast_fold_pass = {
    .name = "ttir-implicit-broadcast-fold",
    .summary = "Fold broadcasts into operations that broadcast implicitly",
    .anchor = "builtin.module",
    .run = run,
};
