/* infer_finalize.c: assigns meshes to the entry's arguments; replaces unassign-assign
 * pairs by direct uses or transfers; lowers reductions and broadcasts; and checks that
 * every operation has a mesh. */
#include "mlir/func/func.h"
#include "mpmd/mesh_sets.h"
#include "mpmd/passes.h"

/* ---- arguments ---------------------------------------------------------------------- */

static bool assign_argument(ir_op *func, ir_value *arg, ir_builder *b)
{
    ir_op_list users = mpmd_users_of(arg);
    ir_attr kind = NULL, mesh = NULL;
    bool without = false, several = false;
    for (size_t i = 0; i < users.n; i++) {
        ir_type type = users.at[i]->results[0].type;
        if (users.at[i]->def != MPMD_OP(assign))
            continue;
        ir_attr name = type->params[MPMD_TYPE_MESH];
        ir_attr own = type->params[MPMD_TYPE_MEMORY_KIND];
        if (!mesh || strcmp(name->ident->text, mesh->ident->text) < 0)
            mesh = name;
        without |= !own;
        several |= own && kind && own != kind;
        kind = own ? own : kind;
    }
    ir_op_list_free(&users);
    if (without && kind)
        return ir_error_at_op(
            func,
            "Argument %u has different memory kinds assigned to it. Found "
            "at least one user with undefined memory kind and at least "
            "one user with a memory kind.",
            arg->index);
    if (several)
        return ir_error_at_op(
            func, "Argument %u has different memory kinds assigned to it.", arg->index);
    if (!mesh)
        return true; /* the final check reports it */
    b->loc = ir_value_loc(arg);
    arg->type = mpmd_tensor_on(mesh, arg->type, kind);
    ir_value *off = mpmd_build_unassign(b, arg, NULL);
    ir_value_replace_uses(arg, off);
    ir_op_set_operand(ir_value_def(off), 0, arg);
    return true;
}

/* ---- patterns ----------------------------------------------------------------------- */

/* The mpmd.unassign that feeds the assignment; NULL if there is none, or if its mesh is
 * equal or unequal contrary to `same_mesh`. */
static ir_op *unassign_of_assign(const ir_op *assign, bool same_mesh)
{
    ir_op *op = ir_value_def(assign->operands[0].value);
    if (!ir_op_is(op, MPMD_OP(unassign)))
        return NULL;
    bool same = op->operands[0].value->type->params[MPMD_TYPE_MESH] ==
                assign->results[0].type->params[MPMD_TYPE_MESH];
    return same == same_mesh ? op : NULL;
}

static bool back_onto_mesh(ir_op *op, rw_rewriter *rw)
{
    ir_op *unassign = unassign_of_assign(op, true);
    if (!unassign || unassign->operands[0].value->type != op->results[0].type)
        return false;
    rw_replace1(rw, op, unassign->operands[0].value);
    return true;
}

static ir_op *ancestor_in(ir_op *op, const ir_block *block)
{
    while (op && op->block != block)
        op = ir_op_parent(op);
    return op;
}

static bool use_known_transfer(ir_op *op, rw_rewriter *rw)
{
    ir_op *unassign = unassign_of_assign(op, false);
    ir_value *from = unassign ? unassign->operands[0].value : NULL;
    for (ir_operand *use = from ? from->uses : NULL; use; use = use->next_use) {
        ir_op *known = use->owner;
        ir_op *here =
            mpmd_is_transfer(known) && known->results[0].type == op->results[0].type
                ? ancestor_in(op, known->block)
                : NULL;
        if (!here)
            continue;
        if (ir_op_before(here, known))
            ir_op_insert_before(known, here);
        rw_replace1(rw, op, &known->results[0]);
        return true;
    }
    return false;
}

static bool chain(ir_op *unassign, rw_rewriter *rw)
{
    ir_op_list assigns = mpmd_cross_assigns(unassign);
    mpmd_chain_transfers(rw, &assigns, unassign->operands[0].value);
    ir_op_list_free(&assigns);
    return true;
}

static bool transfer_argument(ir_op *op, rw_rewriter *rw)
{
    ir_op *unassign = unassign_of_assign(op, false);
    ir_value *from = unassign ? unassign->operands[0].value : NULL;
    ir_op *func = from && from->is_argument ? ir_value_block(from)->region->owner : NULL;
    return func && mpmd_is_entry(func) && chain(unassign, rw);
}

static bool transfer_any(ir_op *op, rw_rewriter *rw)
{
    ir_op *unassign = *(bool *)rw->user ? unassign_of_assign(op, false) : NULL;
    return unassign && chain(unassign, rw);
}

static bool broadcast(ir_op *op, rw_rewriter *rw)
{
    ir_op *unassign = ir_value_def(op->operands[0].value);
    ir_op_list users = mpmd_users(op);
    size_t n = 0;
    for (size_t i = 0; i < users.n; i++)
        if (users.at[i]->def == MPMD_OP(assign))
            users.at[n++] = users.at[i];
    users.n = n;
    bool done = n && ir_op_is(unassign, MPMD_OP(unassign));
    if (done)
        mpmd_chain_transfers(rw, &users, unassign->operands[0].value);
    ir_op_list_free(&users);
    return done;
}

/* ---- reductions --------------------------------------------------------------------- */

/* Reduces several values on one mesh to one. */
static ir_value *reduce_on(ir_builder *b, const mpmd_values *values, const ir_op_def *step)
{
    ir_type type = values->at[0]->type;
    b->loc = ir_value_loc(values->at[0]);
    ir_op *f = mpmd_build_fragment(b, type->params[MPMD_TYPE_MESH], &type, 1, values,
                                   "infer_mesh_convert_reduce_ops");
    ir_block *body = mpmd_add_body(f);
    ir_builder inner = ir_builder_at_end(b->ctx, body, b->loc);
    ir_value *sum = body->args[0];
    for (uint32_t i = 1; i < body->n_args; i++)
        sum = ir_build1(&inner, step, sum->type, IR_VALUES(sum, body->args[i]), NULL, 0);
    ir_build_op(&inner, MPMD_OP(return ), NULL, 0, &sum, 1, NULL, 0, 0);
    return &f->results[0];
}

/* The mesh after `last` in mesh order; NULL if there is none. */
static ir_attr next_mesh(const mpmd_values *values, ir_attr last)
{
    ir_attr next = NULL;
    for (size_t i = 0; i < values->n; i++) {
        ir_attr mesh = values->at[i]->type->params[MPMD_TYPE_MESH];
        if (mesh != last &&
            (!last || mpmd_mesh_before(ir_attr_str(last), ir_attr_str(mesh))) &&
            (!next || mpmd_mesh_before(ir_attr_str(mesh), ir_attr_str(next))))
            next = mesh;
    }
    return next;
}

/* Reduces the values of each mesh locally. */
static mpmd_values reduce_locally(ir_builder *b, const ir_op *op, const ir_op_def *step)
{
    mpmd_values found = {.n = 0}, all = {.n = 0};
    for (uint32_t i = 0; i < op->n_operands; i++)
        mpmd_push(&all, ir_value_def(op->operands[i].value)->operands[0].value);
    for (ir_attr mesh = next_mesh(&all, NULL); mesh; mesh = next_mesh(&all, mesh)) {
        mpmd_values same = {.n = 0};
        for (size_t i = 0; i < all.n; i++)
            if (all.at[i]->type->params[MPMD_TYPE_MESH] == mesh)
                mpmd_push(&same, all.at[i]);
        mpmd_push(&found, same.n == 1 ? same.at[0] : reduce_on(b, &same, step));
        free(same.at);
    }
    free(all.at);
    return found;
}

static bool is_ready(const ir_op *op)
{
    bool ready = mpmd_reduction_step(ir_op_attr(op, "reduction")) && op->results[0].uses;
    for (uint32_t i = 0; ready && i < op->n_operands; i++)
        ready = ir_op_is(ir_value_def(op->operands[i].value), MPMD_OP(unassign));
    for (ir_operand *use = op->results[0].uses; ready && use; use = use->next_use)
        ready = use->owner->def == MPMD_OP(assign);
    return ready;
}

/* Transfers all values to the mesh of the type and reduces them there. */
static ir_value *send_and_reduce(ir_builder *b, const mpmd_values *values, ir_type type,
                                 const ir_op_def *step)
{
    mpmd_values sent = {.n = 0};
    for (size_t i = 0; i < values->n; i++) {
        ir_value *v = values->at[i];
        b->loc = ir_value_loc(v);
        mpmd_push(&sent, v->type == type ? v
                                         : ir_build1(b, MPMD_OP(transfer), type,
                                                     IR_VALUES(v), NULL, 0));
    }
    ir_value *all = reduce_on(b, &sent, step);
    free(sent.at);
    return all;
}

static bool reduce(ir_op *op, rw_rewriter *rw)
{
    if (!is_ready(op))
        return false;
    const ir_op_def *step = mpmd_reduction_step(ir_op_attr(op, "reduction"));
    ir_builder b = rw->b;
    b.before = op->next;
    mpmd_values local = reduce_locally(&b, op, step), wanted = {.n = 0};
    for (ir_operand *use = op->results[0].uses; use; use = use->next_use)
        mpmd_push_new(&wanted, &use->owner->results[0]);
    for (ir_attr mesh = next_mesh(&wanted, NULL); mesh; mesh = next_mesh(&wanted, mesh)) {
        ir_value *all = NULL;
        for (size_t i = 0; i < wanted.n; i++) {
            ir_type type = wanted.at[i]->type;
            if (type->params[MPMD_TYPE_MESH] != mesh)
                continue;
            if (!all || all->type != type)
                all = send_and_reduce(&b, &local, type, step);
            rw_replace_uses(rw, wanted.at[i], all);
        }
    }
    for (size_t i = 0; i < wanted.n; i++)
        rw_erase(rw, ir_value_def(wanted.at[i]));
    rw_erase(rw, op);
    free(local.at);
    free(wanted.at);
    return true;
}

static const rw_pattern patterns[] = {
    {MPMD_OP(assign), back_onto_mesh, NULL},    {MPMD_OP(assign), use_known_transfer, NULL},
    {MPMD_OP(assign), transfer_argument, NULL}, {MPMD_OP(assign), transfer_any, NULL},
    {MPMD_OP(broadcast), broadcast, NULL},      {MPMD_OP(reduce), reduce, NULL},
};

/* ---- the check ---------------------------------------------------------------------- */

static bool check_types(ir_op *func)
{
    ir_type type = ir_op_attr(func, "function_type")->type;
    bool ok = true;
    for (uint32_t i = 0; i < type->count + type->results; i++) {
        bool in = i < type->count;
        if (!mpmd_is_mesh_tensor(type->types[i]))
            ok = ir_error_at_op(func, "function %s %u is not a MeshTensorType, but a '%s'",
                                in ? "input" : "output", in ? i : i - type->count,
                                ir_type_text(func->ctx, type->types[i]));
    }
    return ok;
}

static bool check(ir_op *func)
{
    ir_op_list all = ir_ops_in(func, NULL);
    bool ok = check_types(func);
    for (size_t i = 0; i < all.n; i++) {
        ir_op *op = all.at[i];
        if (op->def == MPMD_OP(assign) || op->def == MPMD_OP(unassign) ||
            op->def == MPMD_OP(broadcast))
            ok =
                ir_error_at_op(op, "assigns, unassigns or broadcasts are not allowed after "
                                   "mesh inference.");
        if (mpmd_is_meshless(op))
            ok = ir_error_at_op(op, "no more meshless ops are expected at this point.");
        mpmd_clear_sets(op);
    }
    ir_op_list_free(&all);
    return ok;
}

bool mpmd_infer_mesh_finalize(ir_op *module, pass_run *run)
{
    bool transfers = pass_option_bool(run, "infer-transfers"), ok = true;
    for (ir_op *op = ir_op_body(module, 0)->first; ok && op; op = op->next) {
        if (!mpmd_is_entry(op))
            continue;
        ir_block *body = ir_op_body(op, 0);
        ir_builder b = ir_builder_at_start(module->ctx, body, op->loc);
        for (uint32_t i = 0; ok && i < body->n_args; i++)
            ok = !ir_type_is_tensor(body->args[i]->type) ||
                 assign_argument(op, body->args[i], &b);
    }
    if (!ok)
        return false;
    rw_greedy(module, patterns, TW_COUNT(patterns),
              &(rw_options){.no_fold = true,
                            .no_constant_cse = true,
                            .bottom_up = true,
                            .user = &transfers});
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next) {
        if (!mpmd_is_function(op))
            continue;
        func_refresh_type(op);
        ok &= check(op);
        mpmd_clear_io_sets(op);
    }
    return ok;
}
