/* reduction_force_keep_dim.c: ttir-reduction-force-keep-dim: reductions keep their
 * dimensions as ones, and a reshape takes them away. */
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "ttir/build.h"

enum { CAPACITY = 32 };

static bool keep_dims(ir_op *op, rw_rewriter *rw)
{
    int64_t reduced[CAPACITY], dims[CAPACITY];
    ir_value *x = op->operands[0].value;
    ir_type from = x->type, to = op->results[0].type;
    ir_attr list = ir_op_attr(op, "dim_arg");
    int64_t n = list ? ir_attr_ints(list, reduced, CAPACITY) : 0, rank = from->count;
    if (ir_op_bool(op, "keep_dim") || n < 0 || rank > CAPACITY)
        return false;
    memcpy(dims, from->dims, (size_t)rank * sizeof *dims);
    for (int64_t i = 0; i < (n ? n : rank); i++) {
        int64_t d = n ? reduced[i] : i;
        d = d < 0 ? d + rank : d;
        if (d < 0 || d >= rank)
            return false;
        dims[d] = 1;
    }
    ir_value *y =
        ir_build1(&rw->b, op->def, ttir_type_in_shape(to, dims, (size_t)rank), IR_VALUES(x),
                  IR_ATTRS({"dim_arg", list}, {"keep_dim", ir_bool_attr(op->ctx, true)}));
    rw_replace1(
        rw, op,
        ir_build1(&rw->b, TTIR_OP(reshape), to, IR_VALUES(y),
                  IR_ATTRS({"shape", ir_i32_array_attr(op->ctx, to->dims, to->count)})));
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    const rw_pattern patterns[] = {
        {TTIR_OP(argmax), keep_dims, NULL},    {TTIR_OP(max), keep_dims, NULL},
        {TTIR_OP(mean), keep_dims, NULL},      {TTIR_OP(min), keep_dims, NULL},
        {TTIR_OP(prod), keep_dims, NULL},      {TTIR_OP(reduce_and), keep_dims, NULL},
        {TTIR_OP(reduce_or), keep_dims, NULL}, {TTIR_OP(sum), keep_dims, NULL},
    };
    rw_greedy(module, patterns, TW_COUNT(patterns), NULL);
    return true;
}

const pass_def ttir_reduction_force_keep_dim_pass = {
    .name = "ttir-reduction-force-keep-dim",
    .summary = "Let reductions keep their dimensions, and reshape",
    .anchor = "builtin.module",
    .run = run,
};
