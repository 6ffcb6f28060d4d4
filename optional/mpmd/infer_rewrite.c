/* infer_rewrite.c: moves operations without a mesh into the fragments of their users, or
 * into new ones; functions and loops take and return values on meshes. */
#include "ir/rewrite/effects.h"
#include "mlir/func/func.h"
#include "mpmd/mesh_sets.h"
#include "mpmd/passes.h"

#define COPIES "mpmd.copies" /* result indices of a value's copies on other meshes */

static bool is_assign(const ir_op *op)
{
    return op->def == MPMD_OP(assign);
}

static ir_value *assign(ir_builder *b, ir_value *v, ir_attr mesh)
{
    return mpmd_build_assign(b, v, mpmd_tensor_on(mesh, v->type, NULL), NULL);
}

/* The meshes to which a value or an operation's results are assigned, in mesh order. */
static ir_attr meshes_of(ir_op_list users)
{
    ir_attr *meshes = tw_xmalloc((users.n + 1) * sizeof *meshes), list;
    ir_context *ctx = users.n ? users.at[0]->ctx : NULL;
    size_t n = 0;
    for (size_t i = 0; i < users.n; i++) {
        bool known = !is_assign(users.at[i]);
        ir_attr mesh = known ? NULL : users.at[i]->results[0].type->params[MPMD_TYPE_MESH];
        for (size_t k = 0; k < n; k++)
            known |= meshes[k] == mesh;
        size_t at = n;
        for (; !known && at > 0 &&
               mpmd_mesh_before(ir_attr_str(mesh), ir_attr_str(meshes[at - 1]));
             at--)
            meshes[at] = meshes[at - 1];
        if (!known) {
            meshes[at] = mesh;
            n++;
        }
    }
    list = n ? ir_array_attr(ctx, meshes, n) : NULL;
    free(meshes);
    ir_op_list_free(&users);
    return list;
}

/* Replaces assignments to the mesh by the value. */
static void redirect(ir_op_list users, ir_attr mesh, ir_value *to)
{
    for (size_t i = 0; i < users.n; i++)
        if (is_assign(users.at[i]) &&
            users.at[i]->results[0].type->params[MPMD_TYPE_MESH] == mesh)
            ir_op_set_operand(users.at[i], 0, to);
    ir_op_list_free(&users);
}

/* ---- into fragments ----------------------------------------------------------------- */

/* Values used in nested regions, then by the operation itself; each once. */
static mpmd_values values_read(ir_op *op)
{
    mpmd_values all = {.n = 0};
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (ir_op *inner = b->first; inner; inner = inner->next) {
                mpmd_values read = mpmd_outer_values(inner);
                for (size_t i = 0; i < read.n; i++)
                    if (!ir_op_is_ancestor(op, ir_value_block(read.at[i])->region->owner))
                        mpmd_push_new(&all, read.at[i]);
                free(read.at);
            }
    for (uint32_t i = 0; i < op->n_operands; i++)
        mpmd_push_new(&all, op->operands[i].value);
    return all;
}

typedef struct renaming {
    const mpmd_values *from;
    ir_value **to;
} renaming;

static ir_walk rename_operands(ir_op *op, void *user)
{
    const renaming *r = user;
    for (uint32_t i = 0; i < op->n_operands; i++)
        for (size_t k = 0; k < r->from->n; k++)
            if (op->operands[i].value == r->from->at[k]) {
                ir_op_set_operand(op, i, r->to[k]);
                break;
            }
    return IR_WALK_ON;
}

/* Replaces fragment arguments that are results of `op` by those of `made` inside. */
static void replace_arguments(ir_op *op, ir_op *made, ir_op *fragment, bool *erased)
{
    ir_block *body = ir_op_body(fragment, 0);
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_op_list users = mpmd_users_of(&op->results[i]);
        for (size_t k = 0; k < users.n; k++)
            for (uint32_t a = 0; is_assign(users.at[k]) && a < fragment->n_operands; a++)
                if (fragment->operands[a].value == &users.at[k]->results[0]) {
                    ir_value_replace_uses(body->args[a], &made->results[i]);
                    erased[a] = true;
                }
        ir_op_list_free(&users);
    }
}

/* Moves or clones the operation to the start of the fragment. */
static void absorb(ir_op *fragment, ir_op *op, bool copy)
{
    ir_block *body = ir_op_body(fragment, 0);
    ir_attr mesh = ir_op_attr(fragment, "mesh_name");
    ir_builder b = ir_builder_before(fragment);
    mpmd_values read = values_read(op), operands = {.n = 0};
    uint32_t n_old = body->n_args;
    bool *erased = tw_xcalloc(n_old + read.n + 1, sizeof *erased);
    renaming r = {&read, tw_xmalloc((read.n + 1) * sizeof *r.to)};
    for (size_t i = 0; i < read.n; i++)
        r.to[i] = ir_block_add_arg(b.ctx, body, read.at[i]->type, ir_value_loc(read.at[i]));
    ir_op *made = copy ? ir_op_clone(op, NULL) : op;
    ir_walk_pre(made, rename_operands, &r);
    replace_arguments(op, made, fragment, erased);
    if (!copy)
        ir_op_remove(op);
    ir_block_prepend(body, made);
    for (uint32_t i = 0; i < n_old; i++)
        if (!erased[i])
            mpmd_push(&operands, fragment->operands[i].value);
    for (uint32_t i = n_old; i-- > 0;)
        if (erased[i])
            ir_block_erase_arg(body, i);
    for (size_t i = 0; i < read.n; i++) {
        b.loc = ir_value_loc(read.at[i]);
        mpmd_push(&operands, ir_type_is_tensor(read.at[i]->type)
                                 ? assign(&b, read.at[i], mesh)
                                 : read.at[i]);
    }
    mpmd_set_operands(fragment, &operands);
    free(r.to);
    free(erased);
    free(read.at);
    free(operands.at);
}

static void wrap_for_each_mesh(ir_op *op)
{
    ir_attr meshes = meshes_of(mpmd_users(op));
    for (uint32_t m = 0; meshes && m < meshes->count; m++) {
        ir_builder b = ir_builder_before(op);
        mpmd_values made = {.n = 0};
        mpmd_wrap(&b, op, meshes->items[m], "infer_mesh_wrap_meshless_ops", &made);
        for (uint32_t i = 0; i < op->n_results; i++) {
            redirect(mpmd_users_of(&op->results[i]), meshes->items[m], made.at[i]);
            if (!ir_type_is_tensor(op->results[i].type))
                ir_value_replace_uses(&op->results[i], made.at[i]);
        }
        free(made.at);
    }
}

static void erase_users(const ir_op_list *users)
{
    for (size_t i = 0; i < users->n; i++)
        if (is_assign(users->at[i]))
            ir_op_erase(users->at[i]);
}

/* The fragments that use an operation's results; *others if there are other users. */
static ir_op_list readers(const ir_op *op, bool *others)
{
    ir_op_list found = {.n = 0}, users = mpmd_users(op);
    for (size_t i = 0; i < users.n; i++) {
        ir_op_list next = {.n = 0};
        if (is_assign(users.at[i]))
            next = mpmd_users(users.at[i]);
        for (size_t k = 0; k < next.n; k++)
            if (mpmd_is_fragment(next.at[k]))
                mpmd_list_add(&found, next.at[k]);
            else
                *others = true;
        ir_op_list_free(&next);
    }
    ir_op_list_free(&users);
    return found;
}

static void place_op(ir_op *op, int64_t most_copies)
{
    bool others = false;
    bool trivial =
        op->n_operands <= 1 && op->n_results == 1 && !op->n_regions && rw_is_pure(op);
    mpmd_clear_sets(op);
    ir_op_list fragments = readers(op, &others), users = mpmd_users(op);
    if (fragments.n == 1 && !others) {
        absorb(fragments.at[0], op, false);
        erase_users(&users);
    } else {
        if (!fragments.n || others ||
            ((int64_t)fragments.n > most_copies && op->n_operands && !trivial))
            wrap_for_each_mesh(op);
        else
            for (size_t i = 0; i < fragments.n; i++)
                absorb(fragments.at[i], op, true);
        ir_op_list_free(&users);
        users = mpmd_users(op);
        erase_users(&users);
        ir_op_erase(op);
    }
    ir_op_list_free(&fragments);
    ir_op_list_free(&users);
}

/* ---- calls -------------------------------------------------------------------------- */

static ir_attr indices(ir_context *ctx, size_t from, size_t n)
{
    int64_t *all = tw_xmalloc((n + 1) * sizeof *all);
    for (size_t i = 0; i < n; i++)
        all[i] = (int64_t)(from + i);
    ir_attr made = ir_dense_i64_array(ctx, all, n);
    free(all);
    return made;
}

/* The meshes on which a function's result is used; at least one. */
static ir_attr wanted_meshes(ir_op *func, uint32_t i)
{
    ir_attr set = mpmd_io_use_set(func, "res_attrs", i);
    ir_attr src = mpmd_src_set_of(mpmd_end(func)->operands[i].value);
    ir_attr mesh = mpmd_set_choose(src, NULL), meshes = mpmd_meshes(func);
    if (mpmd_set_size(set))
        return set;
    for (uint32_t k = 0; !mpmd_set_size(src) && k < meshes->count; k++) {
        ir_attr name = meshes->items[k]->params[0];
        if (!mesh || strcmp(name->ident->text, mesh->ident->text) < 0)
            mesh = name;
    }
    return mesh ? mpmd_set_add(func->ctx, NULL, mesh, NULL) : set;
}

/* Returns each result on the meshes where it is used; additional ones are appended. */
static void assign_results(ir_op *func)
{
    ir_op *end = mpmd_end(func);
    ir_builder b = ir_builder_before(end);
    mpmd_values all = mpmd_operands(end);
    for (uint32_t i = 0; i < end->n_operands; i++) {
        ir_value *v = end->operands[i].value;
        ir_attr set = ir_type_is_tensor(v->type) ? wanted_meshes(func, i) : NULL;
        uint32_t n = mpmd_set_size(set);
        if (n > 1)
            func_set_result_attr(func, i, COPIES, indices(b.ctx, all.n, n - 1));
        b.loc = ir_value_loc(v);
        for (uint32_t k = 0; k < n; k++) {
            ir_value *made = assign(&b, v, mpmd_set_mesh(set, k));
            if (k)
                mpmd_push(&all, made);
            else
                all.at[i] = made;
        }
    }
    mpmd_set_operands(end, &all);
    free(all.at);
}

/* Takes each argument on the meshes it is assigned to; additional ones are appended. */
static void assign_arguments(ir_op *func)
{
    ir_block *body = ir_op_body(func, 0);
    uint32_t n_old = body->n_args;
    ir_op *first = body->first;
    for (uint32_t i = 0; i < n_old; i++) {
        ir_value *arg = body->args[i];
        ir_type type = arg->type;
        ir_attr meshes = ir_type_is_tensor(type) ? meshes_of(mpmd_users_of(arg)) : NULL;
        ir_builder b = ir_builder_at_start(func->ctx, body, ir_value_loc(arg));
        b.before = first;
        if (meshes && meshes->count > 1)
            func_set_arg_attr(func, i, COPIES,
                              indices(b.ctx, body->n_args, meshes->count - 1));
        for (uint32_t k = 0; meshes && k < meshes->count; k++) {
            ir_op_list users = mpmd_users_of(arg);
            ir_type on = mpmd_tensor_on(meshes->items[k], type, NULL);
            ir_value *v = k ? ir_block_add_arg(b.ctx, body, on, b.loc) : arg;
            v->type = on;
            redirect(users, meshes->items[k], mpmd_build_unassign(&b, v, NULL));
        }
    }
}

static void pad(ir_op *func, const char *list, size_t n)
{
    ir_attr attrs = ir_op_attr(func, list);
    if (attrs && n > attrs->count)
        mpmd_set_io_attr(func, list, n, n - 1, COPIES, NULL);
}

static void refresh_type(ir_op *func)
{
    func_refresh_type(func);
    ir_type type = ir_op_attr(func, "function_type")->type;
    pad(func, "arg_attrs", type->count);
    pad(func, "res_attrs", type->results);
}

/* The index of the result on the type's mesh: the original, or one of its copies. */
static uint32_t index_of(ir_op *callee, uint32_t i, ir_type type)
{
    ir_op *end = mpmd_end(callee);
    ir_attr copies = func_result_attr(callee, i, COPIES);
    if (i < end->n_operands && end->operands[i].value->type != type)
        for (uint32_t k = 0; copies && k < copies->count; k++) {
            uint32_t at = (uint32_t)ir_dense_array_int(copies, k);
            if (at < end->n_operands && end->operands[at].value->type == type)
                return at;
        }
    return i;
}

/* Rewrites a call to the operands and results of its changed callee. */
static bool rewrite_call(ir_op *call)
{
    ir_op *callee = mpmd_callee(call);
    ir_block *body = callee ? ir_op_body(callee, 0) : NULL;
    if (!callee || !mpmd_is_function(callee) || mpmd_is_entry(callee))
        return ir_error_at_op(call, "calls no private function with a topology and a body; "
                                    "mpmd-copy-topology-from-main makes it one");
    ir_builder b = ir_builder_before(call);
    ir_op *end = mpmd_end(callee);
    mpmd_values operands = mpmd_operands(call);
    ir_type *types = tw_xmalloc((end->n_operands + 1u) * sizeof *types);
    while (operands.n < body->n_args)
        mpmd_push(&operands, NULL);
    for (uint32_t i = 0; i < call->n_operands; i++) {
        ir_value *v = call->operands[i].value;
        ir_attr copies = func_arg_attr(callee, i, COPIES);
        if (!ir_type_is_tensor(v->type) || !mpmd_is_mesh_tensor(body->args[i]->type))
            continue;
        b.loc = ir_value_loc(v);
        operands.at[i] = mpmd_build_assign(&b, v, body->args[i]->type, NULL);
        for (uint32_t k = 0; copies && k < copies->count; k++) {
            int64_t at = ir_dense_array_int(copies, k);
            operands.at[at] = mpmd_build_assign(&b, v, body->args[at]->type, NULL);
        }
    }
    for (uint32_t i = 0; i < end->n_operands; i++)
        types[i] = end->operands[i].value->type;
    b.loc = call->loc;
    ir_op *made =
        ir_build_op(&b, MPMD_OP(call), types, end->n_operands, operands.at, operands.n,
                    IR_ATTRS({"callee", ir_op_attr(call, "callee")}), 0);
    made->attrs = call->attrs;
    for (uint32_t i = 0; i < TW_MIN(call->n_results, end->n_operands); i++) {
        ir_op_list users = mpmd_users_of(&call->results[i]);
        for (size_t k = 0; k < users.n; k++) {
            if (!is_assign(users.at[k]) || !ir_type_is_tensor(call->results[i].type))
                continue;
            uint32_t at = index_of(callee, i, users.at[k]->results[0].type);
            b.loc = users.at[k]->loc;
            ir_op_set_operand(users.at[k], 0,
                              mpmd_build_unassign(&b, &made->results[at], NULL));
        }
        ir_op_list_free(&users);
    }
    ir_op_erase(call);
    free(operands.at);
    free(types);
    return true;
}

/* ---- loops -------------------------------------------------------------------------- */

static bool rewrite_block(ir_block *block, int64_t most_copies);

static bool assign_forwarded(ir_op *loop)
{
    ir_op *end = mpmd_end(loop);
    ir_builder b = ir_builder_before(end);
    for (uint32_t i = 0; i < end->n_operands; i++) {
        ir_value *v = end->operands[i].value;
        ir_op *producer = ir_value_def(v);
        if (!ir_type_is_tensor(v->type))
            continue;
        ir_attr set = producer ? mpmd_use_set(producer) : NULL;
        if (mpmd_set_size(set) != 1)
            return ir_error_at_op(loop,
                                  "value %u that the loop carries is wanted on %u meshes; "
                                  "it can be on one",
                                  i, mpmd_set_size(set));
        b.loc = ir_value_loc(v);
        ir_op_set_operand(end, i, assign(&b, v, mpmd_set_mesh(set, 0)));
    }
    return true;
}

static bool loop_arguments(ir_op *loop)
{
    ir_block *body = ir_op_body(loop, 0);
    ir_op *first = body->first;
    for (uint32_t i = 0; i < body->n_args; i++) {
        ir_value *arg = body->args[i];
        ir_attr meshes =
            ir_type_is_tensor(arg->type) ? meshes_of(mpmd_users_of(arg)) : NULL;
        ir_builder b = ir_builder_before(first);
        if (meshes && meshes->count > 1)
            return ir_error_at_op(loop,
                                  "value %u that the loop carries is read on %u meshes; it "
                                  "can be on one",
                                  i, meshes->count);
        if (!meshes)
            continue;
        ir_op_list users = mpmd_users_of(arg);
        arg->type = mpmd_tensor_on(meshes->items[0], arg->type, NULL);
        b.loc = ir_value_loc(arg);
        redirect(users, meshes->items[0], mpmd_build_unassign(&b, arg, NULL));
    }
    return true;
}

static bool rewrite_loop(ir_op *loop, int64_t most_copies)
{
    ir_block *body = ir_op_body(loop, 0);
    if (!assign_forwarded(loop) || !rewrite_block(body, most_copies) ||
        !loop_arguments(loop))
        return false;
    ir_builder b = ir_builder_before(loop);
    for (uint32_t i = 0; i < loop->n_operands; i++) {
        ir_value *v = loop->operands[i].value;
        if (!ir_type_is_tensor(v->type) || !mpmd_is_mesh_tensor(body->args[i]->type))
            continue;
        b.loc = ir_value_loc(v);
        ir_op_set_operand(loop, i, mpmd_build_assign(&b, v, body->args[i]->type, NULL));
    }
    b = ir_builder_after(loop);
    for (uint32_t i = 0; i < loop->n_results; i++) {
        ir_value *v = &loop->results[i];
        ir_op_list users = mpmd_users_of(v);
        v->type = body->last->operands[i].value->type;
        for (size_t k = 0; k < users.n; k++)
            if (is_assign(users.at[k]) && mpmd_is_mesh_tensor(v->type)) {
                b.loc = users.at[k]->loc;
                ir_op_set_operand(users.at[k], 0, mpmd_build_unassign(&b, v, NULL));
            }
        ir_op_list_free(&users);
    }
    mpmd_clear_io_sets(loop);
    return true;
}

/* In reverse order, so that users are rewritten first. */
static bool rewrite_block(ir_block *block, int64_t most_copies)
{
    bool ok = true;
    for (ir_op *op = block->last, *prev; ok && op; op = prev) {
        prev = op->prev;
        if (op->def == MPMD_OP(call))
            ok = rewrite_call(op);
        else if (op->def == MPMD_OP(for))
            ok = rewrite_loop(op, most_copies);
        else if (mpmd_is_meshless(op))
            place_op(op, most_copies);
    }
    return ok;
}

bool mpmd_infer_mesh_rewrite_using_analysis(ir_op *module, pass_run *run)
{
    int64_t max = pass_option_int(run, "max-clones");
    ir_op *first = ir_op_body(module, 0)->first;
    bool ok = true;
    for (ir_op *op = first; ok && op; op = op->next)
        if (mpmd_is_function(op) && !mpmd_is_entry(op)) {
            assign_results(op);
            ok = rewrite_block(ir_op_body(op, 0), max);
            assign_arguments(op);
        }
    for (ir_op *op = first; ok && op; op = op->next)
        if (mpmd_is_entry(op))
            ok = rewrite_block(ir_op_body(op, 0), max);
    for (ir_op *op = first; ok && op; op = op->next)
        if (mpmd_is_function(op))
            refresh_type(op);
    return ok;
}
