/* fragment_io.c: operands and results of fragments and functions: erases unused and
 * duplicate ones, or gives each function result a value of its own. */
#include "ir/rewrite/rewrite.h"
#include "mpmd/fragments.h"
#include "mpmd/passes.h"

/* ---- unused ------------------------------------------------------------------------- */

static void trim(ir_op *fragment)
{
    uint32_t max = TW_MAX(fragment->n_operands, fragment->n_results);
    bool *erased = tw_xcalloc(max + 1u, sizeof *erased);
    bool any = false;
    for (uint32_t i = 0; i < fragment->n_results; i++)
        any |= erased[i] = !fragment->results[i].uses;
    if (any)
        fragment = mpmd_erase_results(fragment, erased);
    mpmd_drop_dead(fragment);
    ir_block *body = ir_op_body(fragment, 0);
    memset(erased, 0, (max + 1u) * sizeof *erased);
    for (uint32_t i = 0; i < body->n_args; i++)
        erased[i] = !body->args[i]->uses;
    mpmd_erase_operands(fragment, erased);
    if (!fragment->n_operands && !fragment->n_results && body->first == body->last)
        ir_op_erase(fragment);
    free(erased);
}

static bool is_fragment_or_transfer(const ir_op *op)
{
    return mpmd_is_fragment(op) || mpmd_is_transfer(op);
}

bool mpmd_fragment_dce(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_function(func))
        return true;
    ir_op_list all = ir_ops_in(func, is_fragment_or_transfer);
    for (size_t i = all.n; i-- > 0;)
        if (mpmd_is_fragment(all.at[i]))
            trim(all.at[i]);
        else if (rw_is_trivially_dead(all.at[i]))
            ir_op_erase(all.at[i]);
    ir_op_list_free(&all);
    return true;
}

/* ---- duplicates --------------------------------------------------------------------- */

static void dedup(ir_op *fragment)
{
    ir_block *body = ir_op_body(fragment, 0);
    ir_op *end = body->last;
    for (uint32_t i = 1; i < body->n_args; i++)
        for (uint32_t k = 0; k < i; k++)
            if (fragment->operands[i].value == fragment->operands[k].value) {
                ir_value_replace_uses(body->args[i], body->args[k]);
                break;
            }
    for (uint32_t i = 1; i < fragment->n_results; i++)
        for (uint32_t k = 0; k < i; k++)
            if (end->operands[i].value == end->operands[k].value &&
                fragment->results[i].type == fragment->results[k].type) {
                ir_value_replace_uses(&fragment->results[i], &fragment->results[k]);
                break;
            }
}

bool mpmd_fragment_dedup(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_function(func))
        return true;
    ir_visit_ops(func, mpmd_is_fragment, dedup);
    return true;
}

/* ---- a value for each result of a function ------------------------------------------ */

static size_t times_returned(const ir_op *end, const ir_value *v)
{
    size_t n = 0;
    for (uint32_t i = 0; i < end->n_operands; i++)
        n += end->operands[i].value == v;
    return n;
}

/* The values on a mesh that must be copied: returned twice, or an argument. */
static mpmd_values shared_on(const ir_op *end, ir_attr mesh)
{
    mpmd_values list = {.n = 0};
    for (uint32_t i = 0; i < end->n_operands; i++) {
        ir_value *v = end->operands[i].value;
        if (v->type->params[MPMD_TYPE_MESH] == mesh &&
            (v->is_argument || times_returned(end, v) > 1))
            mpmd_push_new(&list, v);
    }
    return list;
}

static void add_return_fragment(ir_op *end, ir_attr mesh)
{
    mpmd_values shared = shared_on(end, mesh), returned = {.n = 0};
    ir_type *types = tw_xmalloc((end->n_operands + 1u) * sizeof *types);
    uint32_t *at = tw_xmalloc((end->n_operands + 1u) * sizeof *at);
    ir_builder b = ir_builder_before(end);
    size_t n = 0;
    for (size_t i = 0; i < shared.n; i++)
        for (uint32_t k = 0; k < end->n_operands; k++)
            if (end->operands[k].value == shared.at[i]) {
                types[n] = shared.at[i]->type;
                at[n++] = k;
            }
    if (n) {
        ir_op *made = mpmd_build_fragment(&b, mesh, types, n, &shared, "uniquify");
        ir_block *body = mpmd_add_body(made);
        for (size_t i = 0; i < shared.n; i++)
            for (size_t k = times_returned(end, shared.at[i]); k > 0; k--)
                mpmd_push(&returned, body->args[i]);
        for (size_t i = 0; i < n; i++)
            ir_op_set_operand(end, at[i], &made->results[i]);
        ir_builder inner = ir_builder_at_end(b.ctx, body, b.loc);
        ir_build_op(&inner, MPMD_OP(return ), NULL, 0, returned.at, returned.n, NULL, 0, 0);
    }
    free(shared.at);
    free(returned.at);
    free(types);
    free(at);
}

static void add_return_transfers(ir_op *end)
{
    ir_builder b = ir_builder_before(end);
    mpmd_values seen = {.n = 0};
    for (uint32_t i = 0; i < end->n_operands; i++) {
        ir_value *v = end->operands[i].value;
        if (!mpmd_push_new(&seen, v) || v->is_argument)
            ir_op_set_operand(
                end, i, ir_build1(&b, MPMD_OP(transfer), v->type, IR_VALUES(v), NULL, 0));
    }
    free(seen.at);
}

bool mpmd_uniquify_function_inputs_outputs(ir_op *func, pass_run *run)
{
    if (!mpmd_is_function(func))
        return true;
    ir_op *end = mpmd_end(func);
    for (uint32_t i = 0; i < end->n_operands; i++)
        if (!mpmd_is_mesh_tensor(end->operands[i].value->type))
            return ir_error_at_op(
                func,
                "result %u is on no mesh; assign it to one before results "
                "get values of their own",
                i);
    if (pass_option_bool(run, "use-transfer-instead-of-fragment")) {
        add_return_transfers(end);
        return true;
    }
    ir_attr *meshes = tw_xmalloc((end->n_operands + 1u) * sizeof *meshes);
    size_t n = 0;
    for (uint32_t i = 0; i < end->n_operands; i++) {
        ir_attr mesh = end->operands[i].value->type->params[MPMD_TYPE_MESH];
        bool known = false;
        for (size_t k = 0; k < n; k++)
            known |= meshes[k] == mesh;
        if (!known)
            meshes[n++] = mesh;
    }
    for (size_t i = 0; i < n; i++)
        add_return_fragment(end, meshes[i]);
    free(meshes);
    return true;
}
