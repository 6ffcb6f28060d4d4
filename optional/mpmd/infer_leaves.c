/* infer_leaves.c: infers meshes for values and operations without users on a mesh:
 * results of the entry function, operations without users or results, unused arguments. */
#include "ir/rewrite/effects.h"
#include "mlir/func/func.h"
#include "mpmd/mesh_sets.h"
#include "mpmd/passes.h"

#define TRY_TRANSFERS "`mpmd_infer_transfers` in the partitioning options."

typedef struct leaves {
    ir_op *func;
    ir_attr first; /* the alphabetically first mesh of the topology */
    bool infer_transfers;
    int64_t errors, max; /* -1: all */
    bool ok;
} leaves;

static ir_attr first_mesh(const ir_op *func)
{
    ir_attr meshes = mpmd_meshes(func), first = NULL;
    for (uint32_t i = 0; i < meshes->count; i++) {
        ir_attr name = meshes->items[i]->params[0];
        if (!first || strcmp(name->ident->text, first->ident->text) < 0)
            first = name;
    }
    return first;
}

static void count_error(leaves *l)
{
    l->ok &= ++l->errors != l->max;
}

static ir_value *assign(ir_builder *b, ir_value *v, ir_attr mesh, const char *origin)
{
    return mpmd_build_assign(b, v, mpmd_tensor_on(mesh, v->type, NULL),
                             origin ? ir_string_attr(b->ctx, tw_str_from(origin)) : NULL);
}

/* A mesh where the value is available; NULL if it would need a transfer. */
static ir_attr mesh_for(const leaves *l, const ir_value *v, ir_attr preferred)
{
    ir_attr set = mpmd_src_set_of(v);
    if (set)
        return mpmd_set_choose(set, preferred);
    ir_attr mesh = mpmd_set_choose(preferred, NULL);
    return mesh ? mesh : l->first;
}

static void assign_results(leaves *l)
{
    ir_op *end = mpmd_end(l->func);
    ir_builder b = ir_builder_before(end);
    for (uint32_t i = 0; i < end->n_operands; i++) {
        ir_value *v = end->operands[i].value;
        if (!ir_type_is_tensor(v->type))
            continue;
        ir_op *producer = ir_value_def(v);
        ir_attr mesh =
            mesh_for(l, v, producer ? mpmd_use_set(producer) : mpmd_no_meshes(b.ctx));
        if (!mesh && !l->infer_transfers) {
            ir_error_at_op(end, "Func output %u has no mesh to be assigned to.", i);
            count_error(l);
        }
        b.loc = mpmd_result_loc(l->func, i, v);
        ir_op_set_operand(end, i, assign(&b, v, mesh ? mesh : l->first, "inferred_out"));
    }
}

/* The mesh for an unused op; `*none` is set if no mesh is possible. */
static ir_attr mesh_from(const leaves *l, ir_attr set, bool *none)
{
    *none = mpmd_set_empty(set);
    return set && !*none ? mpmd_set_choose(set, NULL) : l->first;
}

static void assign_unused(leaves *l, ir_op *op)
{
    ir_builder b = ir_builder_after(op);
    bool none;
    ir_attr mesh = mesh_from(l, mpmd_src_set(op), &none);
    if (none && !l->infer_transfers) {
        l->ok = ir_error_at_op(
            op, "src_set must not be empty for this op. Try setting " TRY_TRANSFERS);
        return;
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        if (ir_type_is_tensor(op->results[i].type))
            assign(&b, &op->results[i], mesh, "inferred_unused");
    ir_op_set_attr(op, MPMD_USE_SET, NULL);
}

static void replace_all(ir_op *op, const mpmd_values *by)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], by->at[i]);
}

/* Puts it into a fragment on each of the meshes; on one only, if it has no effect. */
static void wrap_resultless(leaves *l, ir_op *op)
{
    ir_attr set = mpmd_src_set(op);
    ir_builder b = ir_builder_before(op);
    if (mpmd_set_empty(set)) {
        l->ok = ir_error_at_op(op, "src_set must not be empty for resultless ops.");
        return;
    }
    set = set ? set : mpmd_set_add(op->ctx, NULL, l->first, NULL);
    uint32_t n = mpmd_set_size(set);
    mpmd_clear_sets(op);
    ir_attr last = NULL;
    for (uint32_t step = 0; step < n; step++) {
        ir_attr next = NULL; /* in mesh order */
        mpmd_values made = {.n = 0};
        for (uint32_t i = 0; i < n; i++) {
            ir_attr mesh = mpmd_set_mesh(set, i);
            if ((!last || mpmd_mesh_before(ir_attr_str(last), ir_attr_str(mesh))) &&
                (!next || mpmd_mesh_before(ir_attr_str(mesh), ir_attr_str(next))))
                next = mesh;
        }
        if (!next)
            break;
        mpmd_wrap(&b, op, next, "infer_mesh_wrap_resultless_ops", &made);
        replace_all(op, &made);
        free(made.at);
        last = next;
        if (rw_is_pure(op))
            break;
    }
    ir_op_erase(op);
}

/* Assigns operands of broadcasts and reductions to a mesh and unassigns them. */
static void assign_terminal(leaves *l, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_attr preferred = mpmd_use_set(op);
    const char *origin = op->def == MPMD_OP(reduce) ? "reduce" : "broadcast";
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        ir_attr mesh = mesh_for(l, v, preferred);
        if (!mesh)
            mesh = mpmd_set_choose(preferred, NULL);
        b.loc = ir_value_loc(v);
        ir_value *on = assign(&b, v, mesh ? mesh : l->first, origin);
        ir_op_set_operand(op, i, mpmd_build_unassign(&b, on, NULL));
    }
    ir_op_set_attr(op, MPMD_USE_SET, NULL);
}

static bool has_tensor_result(const ir_op *op)
{
    bool any = false;
    for (uint32_t i = 0; i < op->n_results; i++)
        any |= ir_type_is_tensor(op->results[i].type);
    return any;
}

static void visit_all(leaves *l)
{
    ir_op_list all = mpmd_flat_ops(l->func);
    for (size_t i = 0; i < all.n && l->ok; i++) {
        ir_op *op = all.at[i];
        if (mpmd_is_terminal(op))
            assign_terminal(l, op);
        else if (!mpmd_is_meshless(op))
            continue;
        else if (!has_tensor_result(op))
            wrap_resultless(l, op);
        else if (ir_op_is_unused(op))
            assign_unused(l, op);
        else
            ir_op_set_attr(op, MPMD_USE_SET, NULL);
    }
    ir_op_list_free(&all);
    mpmd_clear_io_use_sets(l->func);
}

static void assign_unused_arguments(leaves *l)
{
    ir_block *body = ir_op_body(l->func, 0);
    for (uint32_t i = 0; i < body->n_args; i++)
        if (!body->args[i]->uses && ir_type_is_tensor(body->args[i]->type))
            body->args[i]->type = mpmd_tensor_on(l->first, body->args[i]->type, NULL);
}

/* ---- called functions --------------------------------------------------------------- */

static void report_callee(leaves *l, ir_loc loc, const char *what, uint32_t i)
{
    tw_str name = ir_symbol_name(l->func);
    ir_error(l->func->ctx, loc, "Callee @%.*s unused %s %u has no mesh to be assigned to.",
             (int)name.size, name.data, what, i);
    count_error(l);
}

static void callee_inputs(leaves *l)
{
    ir_block *body = ir_op_body(l->func, 0);
    for (uint32_t i = 0; i < body->n_args; i++) {
        ir_value *arg = body->args[i];
        bool none;
        if (arg->uses || !ir_type_is_tensor(arg->type))
            continue;
        ir_attr mesh = mesh_from(l, mpmd_io_src_set(l->func, i), &none);
        if (none && !l->infer_transfers) {
            report_callee(l, ir_value_loc(arg), "input", i);
            return;
        }
        mpmd_put_io_set(
            l->func, "arg_attrs", i, MPMD_USE_SET,
            mpmd_set_add(l->func->ctx, NULL, mesh, "inferred_unused_callee_in"));
    }
}

static void callee_outputs(leaves *l)
{
    ir_op *end = mpmd_end(l->func);
    ir_op_list calls = mpmd_calls_of(l->func);
    for (uint32_t i = 0; calls.n && i < end->n_operands; i++) {
        ir_value *v = end->operands[i].value;
        bool none, used = false;
        for (size_t k = 0; k < calls.n; k++)
            used |= calls.at[k]->results[i].uses != NULL;
        if (used || !ir_type_is_tensor(v->type))
            continue;
        ir_attr mesh = mesh_from(l, mpmd_src_set_of(v), &none);
        if (none && !l->infer_transfers) {
            report_callee(l, end->loc, "output", i);
            break;
        }
        mpmd_put_io_set(
            l->func, "res_attrs", i, MPMD_USE_SET,
            mpmd_set_add(l->func->ctx, NULL, mesh, "inferred_unused_callee_out"));
    }
    ir_op_list_free(&calls);
}

bool mpmd_infer_mesh_assign_mesh_func_leaves(ir_op *module, pass_run *run)
{
    leaves l = {.infer_transfers = pass_option_bool(run, "infer-transfers"),
                .max = pass_option_int(run, "error-limit"),
                .ok = true};
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next) {
        if (!mpmd_is_function(op) || !(l.first = first_mesh(op)))
            continue;
        l.func = op;
        if (mpmd_is_entry(op)) {
            assign_unused_arguments(&l);
            assign_results(&l);
            visit_all(&l);
            func_refresh_type(op);
        } else {
            visit_all(&l);
            callee_inputs(&l);
            callee_outputs(&l);
        }
    }
    return l.ok && (l.infer_transfers || !l.errors);
}

/* ---- input-output constraints ------------------------------------------------------- */

/* A mesh possible for both; NULL if there is none. */
static ir_attr common_mesh(ir_op *func, const mpmd_constraint *c)
{
    ir_value *in = ir_op_body(func, 0)->args[c->input];
    ir_value *out = mpmd_end(func)->operands[c->output].value;
    ir_op *producer = ir_value_def(out);
    ir_context *ctx = func->ctx;
    if (mpmd_is_mesh_tensor(out->type))
        return out->type->params[MPMD_TYPE_MESH];
    ir_attr src = mpmd_src_set_of(out);
    ir_attr use = producer ? mpmd_use_set(producer) : mpmd_no_meshes(ctx);
    ir_attr in_use = mpmd_is_mesh_tensor(in->type)
                         ? mpmd_set_add(ctx, NULL, in->type->params[MPMD_TYPE_MESH], NULL)
                         : mpmd_io_use_set(func, "arg_attrs", c->input);
    if (!mpmd_set_size(in_use))
        return mpmd_set_choose(mpmd_set_size(use) ? use : src, NULL);
    ir_attr mesh = mpmd_set_choose(
        mpmd_set_size(use) ? mpmd_set_intersect(ctx, use, in_use) : NULL, NULL);
    return mesh ? mesh : mpmd_set_choose(mpmd_set_intersect(ctx, in_use, src), NULL);
}

static bool assign_both(ir_op *func, const mpmd_constraint *c, ir_attr mesh)
{
    ir_value *in = ir_op_body(func, 0)->args[c->input];
    ir_op *end = mpmd_end(func);
    ir_value *out = end->operands[c->output].value;
    if (mpmd_is_mesh_tensor(in->type) && in->type->params[MPMD_TYPE_MESH] != mesh)
        return ir_error_at_op(func,
                              "input %u and output %u are to be on one mesh, but the user "
                              "put them on different ones",
                              c->input, c->output);
    if (ir_type_is_tensor(out->type)) {
        ir_builder b = ir_builder_before(end);
        b.loc = mpmd_result_loc(func, c->output, out);
        ir_op_set_operand(end, c->output, assign(&b, out, mesh, "io_constraint_out"));
    }
    if (ir_type_is_tensor(in->type)) {
        ir_builder b =
            ir_builder_at_start(func->ctx, ir_op_body(func, 0), ir_value_loc(in));
        in->type = mpmd_tensor_on(mesh, in->type, NULL);
        ir_value *off = mpmd_build_unassign(
            &b, in, ir_string_attr(func->ctx, TW_STR("io_constraint_in")));
        ir_value_replace_uses(in, off);
        ir_op_set_operand(ir_value_def(off), 0, in);
    }
    return true;
}

bool mpmd_infer_mesh_assign_using_input_output_constraints(ir_op *module, pass_run *run)
{
    bool ok = true;
    for (ir_op *op = ir_op_body(module, 0)->first; ok && op; op = op->next) {
        mpmd_constraint *all;
        size_t n;
        if (!mpmd_is_entry(op))
            continue;
        ok = mpmd_parse_constraints(op, pass_option_str(run, "constraints"), &all, &n);
        for (size_t i = 0; ok && i < n; i++) {
            ir_attr mesh = common_mesh(op, &all[i]);
            ok = !mesh || assign_both(op, &all[i], mesh);
        }
        free(all);
        func_refresh_type(op);
    }
    return ok;
}
