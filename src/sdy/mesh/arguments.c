/* arguments.c: records whether the caller passes and receives sharded or whole tensors,
 * and the local shape of each. Arguments with a sharding are passed presharded. For
 * results an option decides. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "sdy/mesh/mesh.h"
#include "ttcore/ttcore.h"

enum { MAX_RESULTS = 1024 };

static ir_attr status(ir_context *ctx, bool split)
{
    const ir_attr_def *def = TTCORE_ATTR(shard_status);
    const ir_enum_case *c = ir_enum_by_text(def->enumeration, split ? TW_STR("presharded")
                                                                    : TW_STR("unsharded"));
    return ir_enum_attr(ctx, def, c->value);
}

/* ---- apply-argument-shard-status ---------------------------------------------------- */

/* Marks calls of @Sharding on the value as well. */
static void mark_users(ir_value *v, ir_attr mark)
{
    for (ir_operand *u = v->uses; u; u = u->next_use)
        if (mesh_is_call(u->owner, "Sharding"))
            ir_op_set_attr(u->owner, MESH_STATUS, mark);
}

static void mark_producer(ir_op *func, uint32_t result, ir_attr mark)
{
    ir_block *body = ir_op_body(func, 0);
    ir_op *end = body ? body->last : NULL;
    ir_op *call =
        end && result < end->n_operands ? ir_value_def(end->operands[result].value) : NULL;
    ir_op *sharding = call && mesh_is_shape_call(call) && call->n_operands
                          ? ir_value_def(call->operands[0].value)
                          : NULL;
    if (sharding && mesh_is_call(sharding, "Sharding"))
        ir_op_set_attr(sharding, MESH_STATUS, mark);
}

static void mark_arguments(ir_op *func, bool shardy)
{
    ir_block *body = ir_op_body(func, 0);
    uint32_t n = ir_op_attr(func, "function_type")->type->count;
    for (uint32_t i = 0; i < n; i++) {
        bool split = func_arg_attr(func, i, shardy ? MESH_SHARDING : MESH_GSPMD) != NULL;
        ir_attr mark = status(func->ctx, split);
        func_set_arg_attr(func, i, MESH_STATUS, mark);
        if (!shardy && body)
            mark_users(body->args[i], mark);
    }
}

static bool mark_results(ir_op *func, bool shardy, const int64_t *split, int64_t n)
{
    ir_op *module = ir_op_parent(func);
    uint32_t count = ir_op_attr(func, "function_type")->type->results;
    if (n == 0 && count)
        ir_warning(func->ctx, module->loc,
                   "User did not provide result shard status, assuming all results are "
                   "unsharded.");
    else if (n != count)
        return ir_error(func->ctx, module->loc,
                        "The size of the result shard status does not match the number of "
                        "results in the function.");
    for (uint32_t i = 0; i < count; i++) {
        ir_attr mark = status(func->ctx, n && split[i]);
        func_set_result_attr(func, i, MESH_STATUS, mark);
        if (!shardy)
            mark_producer(func, i, mark);
    }
    return true;
}

static bool run_status(ir_op *module, pass_run *run)
{
    int64_t split[MAX_RESULTS];
    int64_t n = pass_option_ints(run, "result-presharded", split, MAX_RESULTS);
    bool shardy = mesh_has_shardy(module), ok = true;
    if (n < 0)
        return ir_error(module->ctx, module->loc,
                        "result-presharded is a list of 0 and 1, one for each result");
    ir_op_list all = ir_ops_in(module, mesh_is_function);
    for (size_t i = 0; i < all.n; i++)
        mark_arguments(all.at[i], shardy);
    for (size_t i = 0; i < all.n && ok; i++)
        ok = !ir_symbol_is_public(all.at[i]) || mark_results(all.at[i], shardy, split, n);
    ir_op_list_free(&all);
    return ok || ir_error(module->ctx, module->loc, "Failed to update shard status");
}

/* ---- annotate-local-shapes ---------------------------------------------------------- */

static ir_op *user_that_is(ir_value *v, const char *target)
{
    for (ir_operand *u = v->uses; u; u = u->next_use)
        if (mesh_is_call(u->owner, target) && u->owner->n_results)
            return u->owner;
    return NULL;
}

/* Follows GSPMD calls from an argument to its local shape. */
static ir_type after_calls(ir_op *func, uint32_t i)
{
    ir_block *body = ir_op_body(func, 0);
    ir_op *sharding = body ? user_that_is(body->args[i], "Sharding") : NULL, *call = NULL;
    if (!sharding)
        ir_error(func->ctx, func->loc,
                 "GSPMD presharded argument missing @Sharding custom call.");
    else if (!(call = user_that_is(&sharding->results[0], "SPMDFullToShardShape")))
        ir_error(func->ctx, func->loc,
                 "GSPMD presharded argument missing @SPMDFullToShardShape custom call.");
    return call ? call->results[0].type : NULL;
}

static ir_type before_calls(ir_op *func, uint32_t i)
{
    ir_block *body = ir_op_body(func, 0);
    ir_op *end = body ? body->last : NULL;
    ir_op *call = end && i < end->n_operands ? ir_value_def(end->operands[i].value) : NULL;
    if (call && mesh_is_call(call, "SPMDShardToFullShape") && call->n_operands)
        return call->operands[0].value->type;
    ir_error(func->ctx, func->loc,
             "GSPMD presharded result missing @SPMDShardToFullShape custom call.");
    return NULL;
}

static bool is_replicated(ir_attr text)
{
    static const char word[] = "replicated";
    if (!ir_attr_is(text, IR_ATTR_STRING))
        return false;
    tw_str s = ir_attr_str(text);
    for (size_t i = 0; i + sizeof word - 1 <= s.size; i++)
        if (memcmp(s.data + i, word, sizeof word - 1) == 0)
            return true;
    return false;
}

typedef ir_attr get_fn(const ir_op *func, size_t i, const char *name);
typedef void set_fn(ir_op *func, size_t i, const char *name, ir_attr value);

/* Arguments, or results. */
static const struct side {
    const char *name, *capital;
    get_fn *get;
    set_fn *set;
    ir_type (*gspmd)(ir_op *func, uint32_t i);
} sides[] = {
    {"argument", "Argument", func_arg_attr, func_set_arg_attr, after_calls},
    {"result", "Result", func_result_attr, func_set_result_attr, before_calls},
};

static bool annotate(ir_op *func, const struct side *side, uint32_t i, ir_type type)
{
    ir_op *module = ir_op_parent(func);
    ir_context *ctx = func->ctx;
    ir_attr sharding = side->get(func, i, MESH_SHARDING);
    ir_attr gspmd = side->get(func, i, MESH_GSPMD);
    if (side->get(func, i, MESH_LOCAL_SHAPE))
        return ir_error(ctx, module->loc,
                        "%s already has local shape annotation, cannot annotate local "
                        "shape",
                        side->capital);
    if (side->get(func, i, MESH_STATUS) == status(ctx, true)) {
        if (gspmd && !is_replicated(gspmd)) {
            type = side->gspmd(func, i);
        } else if (!gspmd && sharding) {
            ir_op *mesh = mesh_first(module);
            type = mesh ? mesh_local_type(type, sharding, ir_op_attr(mesh, "mesh")) : NULL;
            if (!type)
                ir_error(ctx, module->loc,
                         "Could not compute local sharded shape for %s %u: tensor sharding "
                         "is incompatible with tensor shape.",
                         side->name, i);
        }
    }
    if (!type)
        return false;
    ir_attr local = ir_type_attr(type);
    side->set(func, i, MESH_LOCAL_SHAPE,
              ir_dialect_attr(ctx, TTCORE_ATTR(local_shape), &local, 1));
    return true;
}

/* True if the caller passes or receives a part of a tensor. Without any, local shapes are
 * the types. */
static bool is_presharded(ir_op *func)
{
    ir_type type = ir_op_attr(func, "function_type")->type;
    ir_attr split = status(func->ctx, true);
    for (uint32_t i = 0; i < type->count; i++)
        if (func_arg_attr(func, i, MESH_STATUS) == split)
            return true;
    for (uint32_t i = 0; i < type->results; i++)
        if (func_result_attr(func, i, MESH_STATUS) == split)
            return true;
    return false;
}

static bool annotate_side(ir_op *module, const struct side *side)
{
    ir_op_list all = ir_ops_in(module, mesh_is_function);
    bool ok = true, args = side == &sides[0];
    for (size_t f = 0; f < all.n && ok; f++) {
        if (!is_presharded(all.at[f]))
            continue;
        ir_type type = ir_op_attr(all.at[f], "function_type")->type;
        const ir_type *types = args ? type->types : ir_function_results(type);
        uint32_t n = args ? type->count : type->results;
        for (uint32_t i = 0; i < n && ok; i++)
            ok = annotate(all.at[f], side, i, types[i]);
    }
    ir_op_list_free(&all);
    return ok || ir_error(module->ctx, module->loc,
                          "Failed to annotate local shapes for %ss.", side->name);
}

static bool run_shapes(ir_op *module, pass_run *run)
{
    (void)run;
    return annotate_side(module, &sides[0]) && annotate_side(module, &sides[1]);
}

const pass_def apply_argument_shard_status_pass = {
    .name = "apply-argument-shard-status",
    .title = "ApplyArgumentShardStatusPass",
    .summary = "Marks arguments and results as presharded or unsharded.",
    .anchor = "builtin.module",
    .run = run_status,
    .options = IR_LIST(pass_option_def, {"result-presharded", PASS_LIST, "",
                                         "1 for each result that is left split, else 0"}),
};

const pass_def annotate_local_shapes_pass = {
    .name = "annotate-local-shapes",
    .title = "AnnotateLocalShapesPass",
    .summary = "Annotates arguments and results of functions that take or return parts of "
               "tensors with their local shapes.",
    .anchor = "builtin.module",
    .run = run_shapes,
};
