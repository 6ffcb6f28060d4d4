/* introduce_transfers.c: replaces assignments of unassigned values by transfers, also
 * into called functions; moves sums of such values to the mesh that uses them. */
#include "mlir/func/func.h"
#include "mpmd/assign.h"
#include "mpmd/passes.h"
#include "stablehlo/stablehlo.h"

/* ---- into callees ------------------------------------------------------------------- */

/* The mpmd.unassign that defines a value, also through the result of a call. */
static ir_op *unassign_of(const ir_value *v)
{
    ir_op *producer = ir_value_def(v);
    ir_op *callee =
        producer && producer->def == MPMD_OP(call) ? mpmd_callee(producer) : NULL;
    ir_value *inner = callee ? mpmd_returned(callee, v->index) : NULL;
    producer = inner ? ir_value_def(inner) : producer;
    return ir_op_is(producer, MPMD_OP(unassign)) ? producer : NULL;
}

static bool is_assigned(const ir_value *v)
{
    for (ir_operand *use = v->uses; use; use = use->next_use)
        if (use->owner->def == MPMD_OP(assign))
            return true;
    return false;
}

/* The common type of the argument at all calls before it is unassigned. */
static ir_type type_at_calls(const ir_op_list *calls, uint32_t arg)
{
    ir_type type = NULL;
    for (size_t i = 0; i < calls->n; i++) {
        ir_op *producer = unassign_of(calls->at[i]->operands[arg].value);
        ir_type own = producer ? producer->operands[0].value->type : NULL;
        if (!own || (type && own->params[MPMD_TYPE_MESH] != type->params[MPMD_TYPE_MESH]))
            return NULL;
        type = type ? type : own;
    }
    return type;
}

static void push_into(ir_op *callee)
{
    ir_block *body = ir_op_body(callee, 0);
    ir_op_list calls = mpmd_calls_of(callee);
    for (uint32_t i = 0; i < body->n_args; i++) {
        ir_value *arg = body->args[i];
        ir_type type = type_at_calls(&calls, i);
        if (!type || !is_assigned(arg))
            continue;
        ir_builder b = ir_builder_at_start(callee->ctx, body, ir_value_loc(arg));
        ir_value *on_mesh = mpmd_build_assign(&b, arg, type, NULL);
        ir_value *off = mpmd_build_unassign(&b, on_mesh, NULL);
        ir_value_replace_uses(arg, off);
        ir_op_set_operand(ir_value_def(on_mesh), 0, arg);
    }
    ir_op_list_free(&calls);
}

/* ---- patterns ----------------------------------------------------------------------- */

static ir_op *transfer_to(const ir_value *v, ir_type type)
{
    for (ir_operand *use = v->uses; use; use = use->next_use)
        if (mpmd_is_transfer(use->owner) && use->owner->results[0].type == type &&
            mpmd_between_meshes(use->owner))
            return use->owner;
    return NULL;
}

static bool assign_of_unassign(ir_op *op, rw_rewriter *rw)
{
    ir_op *unassign = ir_value_def(op->operands[0].value);
    ir_type type = op->results[0].type;
    if (!ir_op_is(unassign, MPMD_OP(unassign)))
        return false;
    ir_value *from = unassign->operands[0].value;
    ir_op *known = transfer_to(from, type);
    if (from->type == type) {
        rw_replace1(rw, op, from);
        return true;
    }
    if (known && known->block == op->block) {
        if (ir_op_before(op, known))
            ir_op_insert_before(known, op);
        rw_replace1(rw, op, &known->results[0]);
        return true;
    }
    ir_op_list assigns = mpmd_cross_assigns(unassign);
    if (assigns.n >= 2)
        mpmd_chain_transfers(rw, &assigns, from);
    else
        rw_replace1(rw, op,
                    ir_build1(&rw->b, MPMD_OP(transfer), type, IR_VALUES(from), NULL, 0));
    ir_op_list_free(&assigns);
    return true;
}

/* True for a tree of single-use sums whose leaves are unassigned values. */
static bool is_sum_of_unassigned(ir_op *root)
{
    ir_op_list open = {.n = 0};
    bool is = true;
    TW_PUSH(open.at, open.n, open.capacity, root);
    while (is && open.n) {
        ir_op *add = open.at[--open.n];
        is = add && add->def == STABLEHLO_OP(add) && ir_value_has_one_use(&add->results[0]);
        for (uint32_t i = 0; is && i < add->n_operands; i++) {
            ir_op *producer = ir_value_def(add->operands[i].value);
            if (!ir_op_is(producer, MPMD_OP(unassign)))
                TW_PUSH(open.at, open.n, open.capacity, producer);
        }
    }
    ir_op_list_free(&open);
    return is;
}

static bool assign_of_sum(ir_op *op, rw_rewriter *rw)
{
    ir_op *add = ir_value_def(op->operands[0].value);
    mpmd_values made = {.n = 0};
    if (!is_sum_of_unassigned(add))
        return false;
    rw->b.before = add;
    rw->b.block = add->block;
    rw->b.loc = add->loc;
    mpmd_wrap(&rw->b, add, op->results[0].type->params[MPMD_TYPE_MESH],
              "introduce_transfers", &made);
    rw_replace(rw, add, made.at, made.n);
    free(made.at);
    return true;
}

static const rw_pattern patterns[] = {
    {MPMD_OP(assign), assign_of_unassign, NULL},
    {MPMD_OP(assign), assign_of_sum, NULL},
};

bool mpmd_introduce_transfers(ir_op *module, pass_run *run)
{
    (void)run;
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (mpmd_is_function(op) && !mpmd_is_entry(op))
            push_into(op);
    rw_greedy(module, patterns, TW_COUNT(patterns),
              &(rw_options){.no_fold = true,
                            .no_constant_cse = true,
                            .bottom_up = true,
                            .regions = RW_REGIONS_DISABLED});
    return true;
}
