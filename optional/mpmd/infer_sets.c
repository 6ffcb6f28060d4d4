/* infer_sets.c: computes use sets (meshes that use each value), backward from
 * assignments, and source sets (meshes where it is available without a transfer), forward
 * from unassignments. */
#include "mlir/func/func.h"
#include "mpmd/mesh_sets.h"
#include "mpmd/passes.h"

enum { MAX_ROUNDS = 10 /* for calls whose results feed calls of the same function */ };

/* ---- use sets ----------------------------------------------------------------------- */

static void use_sets_below(ir_op *op);

static bool has_use_sets(const ir_op *func)
{
    for (uint32_t i = 0; i < ir_op_body(func, 0)->n_args; i++)
        if (mpmd_io_attr(func, "arg_attrs", i, MPMD_USE_SET))
            return true;
    return false;
}

/* Revisits the function if its results are used on additional meshes. */
static bool use_sets_of_callee(ir_op *call, ir_op *callee)
{
    bool changed = !has_use_sets(callee);
    for (uint32_t i = 0; i < call->n_results; i++) {
        ir_attr old = mpmd_io_use_set(callee, "res_attrs", i);
        ir_attr set = mpmd_add_users(&call->results[i], old);
        if (mpmd_set_size(set) == mpmd_set_size(old))
            continue;
        mpmd_put_io_set(callee, "res_attrs", i, MPMD_USE_SET, set);
        changed = true;
    }
    if (changed)
        use_sets_below(callee);
    return changed;
}

static void use_sets_of_call(ir_op *call)
{
    ir_op *callee = mpmd_callee(call);
    bool changed = callee && use_sets_of_callee(call, callee);
    bool again = callee && mpmd_is_chained(call);
    for (int i = 0; again && changed && i < MAX_ROUNDS; i++)
        changed = use_sets_of_callee(call, callee);
}

/* A value that the loop yields has the uses of the loop's result. */
static void use_sets_of_loop_end(ir_op *end, ir_op *loop)
{
    for (uint32_t i = 0; i < end->n_operands; i++) {
        ir_op *producer = ir_value_def(end->operands[i].value);
        ir_op *callee = ir_op_is(producer, MPMD_OP(call)) ? mpmd_callee(producer) : NULL;
        if (callee)
            mpmd_put_io_set(
                callee, "res_attrs", i, MPMD_USE_SET,
                mpmd_add_users(&loop->results[i], mpmd_io_use_set(callee, "res_attrs", i)));
        else if (producer)
            mpmd_put_use_set(producer,
                             mpmd_add_users(&loop->results[i], mpmd_use_set(producer)));
    }
}

static void use_sets_of_arguments(ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    for (uint32_t i = 0; i < body->n_args; i++)
        mpmd_put_io_set(op, "arg_attrs", i, MPMD_USE_SET,
                        mpmd_add_users(body->args[i], mpmd_io_use_set(op, "arg_attrs", i)));
}

static void use_set_of(ir_op *op)
{
    ir_op *parent = ir_op_parent(op);
    if (op->def == MPMD_OP(assign)) {
        mpmd_put_use_set(op, mpmd_set_of_assign(op));
    } else if (op->def == FUNC_OP(func) || op->def == MPMD_OP(for)) {
        use_sets_of_arguments(op);
    } else if (op->def == MPMD_OP(call)) {
        use_sets_of_call(op);
    } else if (op->def == MPMD_OP(return ) && ir_op_is(parent, MPMD_OP(for))) {
        use_sets_of_loop_end(op, parent);
    } else if (mpmd_is_meshless(op) || mpmd_is_terminal(op) ||
               op->def == MPMD_OP(unassign)) {
        ir_attr set = mpmd_use_set(op);
        for (uint32_t i = 0; i < op->n_results; i++)
            set = mpmd_add_users(&op->results[i], set);
        mpmd_put_use_set(op, set);
    }
}

/* In reverse order, nested operations first. */
static void use_sets_below(ir_op *op)
{
    for (uint16_t r = op->n_regions; !mpmd_is_fragment(op) && r-- > 0;)
        for (ir_block *b = op->regions[r].last; b; b = b->prev)
            for (ir_op *inner = b->last; inner; inner = inner->prev)
                use_sets_below(inner);
    if (!mpmd_is_fragment(op))
        use_set_of(op);
}

bool mpmd_infer_mesh_populate_use_set(ir_op *module, pass_run *run)
{
    (void)run;
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (mpmd_is_entry(op))
            use_sets_below(op);
    return true;
}

/* ---- source sets -------------------------------------------------------------------- */

static ir_attr add_inputs(ir_context *ctx, ir_attr set, ir_attr use_set)
{
    for (uint32_t i = 0; i < mpmd_set_size(use_set); i++)
        set = mpmd_set_add(ctx, set, mpmd_set_mesh(use_set, i), "inferred_in");
    return set;
}

/* The mesh it is unassigned from and those it is transferred to; an argument of the entry
 * is also available where it is used. */
static void src_set_of_unassign(ir_op *op)
{
    ir_value *from = op->operands[0].value;
    ir_attr set = mpmd_set_of_assign(op);
    for (ir_operand *use = from->uses; use; use = use->next_use)
        if (mpmd_is_transfer(use->owner))
            set = mpmd_set_add(op->ctx, set,
                               use->owner->results[0].type->params[MPMD_TYPE_MESH],
                               "transfer");
    if (from->is_argument && mpmd_is_entry(mpmd_enclosing_function(op)))
        set = add_inputs(op->ctx, set,
                         mpmd_add_users(&op->results[0], mpmd_no_meshes(op->ctx)));
    mpmd_put_src_set(op, set);
}

static void src_sets_of_function(ir_op *func)
{
    for (uint32_t i = 0; i < ir_op_body(func, 0)->n_args; i++) {
        ir_attr use_set = mpmd_io_use_set(func, "arg_attrs", i);
        if (mpmd_set_size(use_set))
            mpmd_put_io_set(func, "arg_attrs", i, MPMD_SRC_SET,
                            add_inputs(func->ctx, NULL, use_set));
    }
}

/* Marks an op on different meshes as a reduction over meshes if it can be one. */
static void note_reduction(ir_op *op)
{
    ir_op *reduce = mpmd_reduce_of_concat(op);
    const char *kind = reduce ? mpmd_reduction_of_body(reduce) : mpmd_reduction_of(op);
    ir_attr attr = kind ? mpmd_reduction(op->ctx, kind) : NULL, all = NULL;
    bool joins = false;
    for (uint32_t i = 0; kind && i < op->n_operands; i++) {
        ir_attr set = mpmd_src_set_of(op->operands[i].value);
        ir_op *producer = ir_value_def(op->operands[i].value);
        if (mpmd_set_empty(set))
            return;
        all = mpmd_set_union(op->ctx, all, set);
        joins |= producer && ir_op_attr(producer, MPMD_REDUCE) == attr;
    }
    if (!kind || (!mpmd_set_empty(mpmd_src_set(op)) && !joins))
        return;
    ir_op_set_attr(op, MPMD_REDUCE, attr);
    if (reduce)
        ir_op_set_attr(reduce, MPMD_REDUCE, attr);
    mpmd_put_src_set(op, all);
}

static void src_set_of_operands(ir_op *op)
{
    ir_attr set = mpmd_src_set(op);
    for (uint32_t i = 0; i < op->n_operands; i++)
        set = mpmd_set_intersect(op->ctx, set, mpmd_src_set_of(op->operands[i].value));
    if (!set)
        return;
    mpmd_put_src_set(op, set);
    note_reduction(op);
}

static void src_sets_of_call(ir_op *call);

static void src_set(ir_op *op)
{
    if (op->def == MPMD_OP(unassign))
        src_set_of_unassign(op);
    else if (op->def == MPMD_OP(call))
        src_sets_of_call(op);
    else if (mpmd_is_meshless(op) || op->def == MPMD_OP(assign))
        src_set_of_operands(op);
    for (uint32_t i = 0; op->def == MPMD_OP(for) && i < op->n_operands; i++) {
        ir_attr set = mpmd_src_set_of(op->operands[i].value);
        if (set)
            mpmd_put_io_set(op, "arg_attrs", i, MPMD_SRC_SET, set);
    }
}

static ir_walk visit_inner(ir_op *op, void *user)
{
    if (op != user)
        src_set(op);
    return IR_WALK_ON;
}

static void src_sets_of_call(ir_op *call)
{
    ir_op *callee = mpmd_callee(call);
    for (uint32_t i = 0; callee && i < call->n_operands; i++) {
        ir_attr set =
            mpmd_set_intersect(call->ctx, mpmd_src_set_of(call->operands[i].value),
                               mpmd_io_src_set(callee, i));
        if (set)
            mpmd_put_io_set(callee, "arg_attrs", i, MPMD_SRC_SET, set);
    }
    if (callee && callee != mpmd_enclosing_function(call))
        ir_walk_post(callee, visit_inner, callee);
}

bool mpmd_infer_mesh_populate_src_set(ir_op *module, pass_run *run)
{
    (void)run;
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next) {
        if (!mpmd_is_entry(op))
            continue;
        src_sets_of_function(op);
        ir_op_list all = mpmd_flat_ops(op);
        for (size_t i = 0; i < all.n; i++)
            src_set(all.at[i]);
        ir_op_list_free(&all);
    }
    return true;
}
