/* deallocs.c: when tensors are freed: ttnn-deallocate puts deallocations behind last uses,
 * ttnn-adjust-deallocs keeps what lives on, ttnn-force-final-deallocs leaves one for what
 * shares memory, ttnn-remove-deallocs none. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttnn/build.h"

#include <stdlib.h>

static bool function_is(const ir_op *func, const char *start)
{
    ir_attr type = ir_op_attr(func, "tt.function_type");
    return ir_attr_is(type, IR_ATTR_STRING) &&
           strncmp(type->ident->text, start, strlen(start)) == 0;
}

static bool is_conv(const ir_op *op)
{
    return op->def == TTNN_OP(conv2d) || op->def == TTNN_OP(conv_transpose2d);
}

/* Whether the convolution itself frees its input: only what is in L1. */
static bool conv_frees(const ir_op *op, const ir_value *v)
{
    ir_attr config = is_conv(op) ? ir_op_attr(op, "conv2d_config") : NULL;
    ttnn_layout l;
    return config && op->operands[0].value == v &&
           ir_attr_bool(ir_attr_param(config, "deallocate_activation")) &&
           ttnn_layout_of(v->type, &l) && l.buffer == TTNN_BufferType_L1;
}

/* ---- ttnn-deallocate ---------------------------------------------------------------- */

typedef struct last_use {
    ir_value *value;
    ir_op *last;
} last_use;

typedef struct last_uses {
    last_use *list;
    size_t count, capacity;
} last_uses;

/* One block in order: the operation that uses a value last, itself or inside a region. */
typedef struct order {
    ir_mapping *last;
    ir_op *now;
} order;

static ir_walk use_now(ir_op *op, void *user)
{
    const order *o = user;
    for (uint32_t i = 0; i < op->n_operands; i++)
        ir_mapping_set(o->last, op->operands[i].value, o->now);
    return IR_WALK_ON;
}

static ir_mapping *find_last_users(ir_block *block)
{
    order o = {.last = ir_mapping_create()};
    for (o.now = block->first; o.now; o.now = o.now->next)
        ir_walk_pre(o.now, use_now, &o);
    return o.last;
}

/* Where the value is used last in its block; where it is made, if nowhere. */
static ir_op *last_user(const ir_mapping *last, ir_value *v, ir_block *block)
{
    ir_op *user = ir_mapping_get(last, v);
    return user ? user : v->is_argument ? block->first : ir_value_def(v);
}

/* Whether a const-eval function returns the operand as it is: the cached tensor is the same
 * one, and freed with its own last use. */
static bool is_handed_on(const ir_operand *use)
{
    ir_op *op = use->owner;
    ir_op *func = op->def == TTCORE_OP(load_cached)
                      ? ir_symbol_resolve(op, ir_op_attr(op, "callee"))
                      : NULL;
    const ir_block *body = func ? ir_op_body(func, 0) : NULL;
    const size_t at = (size_t)(use - op->operands);
    if (!body || !body->last || at >= body->n_args)
        return false;
    for (uint32_t i = 0; i < body->last->n_operands; i++)
        if (body->last->operands[i].value == body->args[at])
            return true;
    return false;
}

static void collect(last_uses *l, const ir_mapping *last, ir_value *v, ir_block *block)
{
    if (!ir_type_is_tensor(v->type))
        return;
    for (ir_operand *use = v->uses; use; use = use->next_use)
        if (is_handed_on(use) ||
            (use->owner->def == TTNN_OP(moe_compute) &&
             ir_op_operand_named(use->owner, "optional_output_tensor") == v))
            return; /* another value is the same tensor */
    last_use u = {v, last_user(last, v, block)};
    TW_PUSH(l->list, l->count, l->capacity, u);
}

static bool insert(const last_use *u)
{
    if (u->last->def->traits & IR_TERMINATOR || u->last->def == TTNN_OP(deallocate))
        return true;
    for (ir_operand *use = u->value->uses; use; use = use->next_use)
        if (use->owner != u->last && conv_frees(use->owner, u->value))
            return ir_error(use->owner->ctx, use->owner->loc,
                            "use-after-free detected: op deallocates its input but is not "
                            "the last user");
    if (conv_frees(u->last, u->value))
        return true;
    ir_builder b = ir_builder_after(u->last);
    ir_build_op(&b, TTNN_OP(deallocate), NULL, 0, &u->value, 1,
                IR_ATTRS({"force", ir_bool_attr(b.ctx, false)}), 0);
    return true;
}

static bool run_deallocate(ir_op *func, pass_run *run)
{
    last_uses l = {0};
    ir_block *block = ir_op_body(func, 0);
    bool own_args = pass_option_bool(run, "arguments") &&
                    !function_is(func, "const_eval") && !function_is(func, "trace_");
    bool ok = true;
    for (ir_block *b = block; b; b = b->next) {
        ir_mapping *last = find_last_users(b);
        for (uint32_t i = 0; b == block && own_args && i < b->n_args; i++)
            collect(&l, last, b->args[i], b);
        for (ir_op *op = b->first; op; op = op->next)
            for (uint32_t i = 0; i < op->n_results; i++)
                collect(&l, last, &op->results[i], b);
        ir_mapping_free(last);
    }
    for (size_t i = 0; ok && i < l.count; i++)
        ok = insert(&l.list[i]);
    free(l.list);
    return ok;
}

const pass_def ttnn_deallocate_pass = {
    .name = "ttnn-deallocate",
    .title = "TTNNDeallocate",
    .summary = "Insert deallocations after last uses",
    .anchor = "func.func",
    .run = run_deallocate,
    .options =
        IR_LIST(pass_option_def, {"arguments", PASS_BOOL, "true",
                                  "Free arguments too; false: they are the caller's"}),
};

/* ---- ttnn-adjust-deallocs, ttnn-remove-deallocs ------------------------------------- */

/* Weights and what is computed from them once outlive the call. */
static bool lives_on(const ir_value *v)
{
    if (!v->is_argument)
        return ir_value_def(v)->def == TTCORE_OP(load_cached);
    ir_op *func = ((ir_block *)v->owner)->region->owner;
    int64_t kind = ir_enum_value(func_arg_attr(func, v->index, "ttcore.argument_type"), -1);
    return func->def == FUNC_OP(func) &&
           (kind == TTCORE_ArgumentType_Parameter || kind == TTCORE_ArgumentType_Constant);
}

static ir_walk remove_if(ir_op *op, void *user)
{
    const bool *all = user;
    if (op->def == TTNN_OP(deallocate) && (*all || lives_on(op->operands[0].value)))
        ir_op_erase(op);
    return IR_WALK_ON;
}

static bool run_adjust(ir_op *module, pass_run *run)
{
    (void)run;
    bool all = false;
    ir_walk_post(module, remove_if, &all);
    return true;
}

static bool run_remove(ir_op *module, pass_run *run)
{
    (void)run;
    bool all = true;
    ir_walk_post(module, remove_if, &all);
    return true;
}

const pass_def ttnn_adjust_deallocs_pass = {
    .name = "ttnn-adjust-deallocs",
    .title = "TTNNAdjustDeallocs",
    .summary = "Keep weights and cached tensors",
    .anchor = "builtin.module",
    .run = run_adjust,
};

const pass_def ttnn_remove_deallocs_pass = {
    .name = "ttnn-remove-deallocs",
    .title = "TTNNRemoveDeallocs",
    .summary = "Remove deallocations",
    .anchor = "builtin.module",
    .run = run_remove,
};

/* ---- ttnn-force-final-deallocs ------------------------------------------------------ */

/* A reshape in one memory that keeps the rows of tiles together is another view of it. */
static bool is_view(const ir_op *op)
{
    ttnn_layout a, b;
    if (op->def != TTNN_OP(reshape))
        return false;
    ir_type in = op->operands[0].value->type, out = op->results[0].type;
    if (!ttnn_layout_of(in, &a) || !ttnn_layout_of(out, &b) || !in->count || !out->count ||
        a.buffer != b.buffer || a.memory != b.memory || a.tiled != b.tiled ||
        in->dims[in->count - 1] != out->dims[out->count - 1])
        return false;
    if (!a.tiled)
        return true;
    int64_t rows_in = in->count > 1 ? in->dims[in->count - 2] : 1;
    int64_t rows_out = out->count > 1 ? out->dims[out->count - 2] : 1;
    return rows_in == rows_out || (rows_in % TTNN_TILE == 0 && rows_out % TTNN_TILE == 0);
}

static ir_value *root_of(ir_value *v)
{
    for (ir_op *op = ir_value_def(v); op && is_view(op); op = ir_value_def(v))
        v = op->operands[0].value;
    return v;
}

typedef struct roots {
    ir_mapping *kept, *seen, *forced;
    ir_op **list;
    size_t count, capacity;
} roots;

static ir_walk find_roots(ir_op *op, void *user)
{
    roots *r = user;
    if (op->def == FUNC_OP(return ))
        for (uint32_t i = 0; i < op->n_operands; i++)
            ir_mapping_set(r->kept, root_of(op->operands[i].value), r);
    if (is_conv(op) && conv_frees(op, op->operands[0].value))
        ir_mapping_set(r->kept, root_of(op->operands[0].value), r);
    if (op->def == TTNN_OP(deallocate)) {
        ir_value *root = root_of(op->operands[0].value);
        uintptr_t n = (uintptr_t)ir_mapping_get(r->seen, root);
        ir_mapping_set(r->seen, root, (void *)(n + 1));
        TW_PUSH(r->list, r->count, r->capacity, op);
    }
    return IR_WALK_ON;
}

static bool run_force(ir_op *func, pass_run *run)
{
    (void)run;
    roots r = {.kept = ir_mapping_create(),
               .seen = ir_mapping_create(),
               .forced = ir_mapping_create()};
    ir_walk_pre(func, find_roots, &r);
    for (size_t i = r.count; i-- > 0;) {
        ir_value *root = root_of(r.list[i]->operands[0].value);
        bool kept = ir_mapping_get(r.kept, root) != NULL;
        if (!kept && (uintptr_t)ir_mapping_get(r.seen, root) < 2)
            continue;
        if (kept || ir_mapping_get(r.forced, root)) {
            ir_op_erase(r.list[i]);
            continue;
        }
        ir_mapping_set(r.forced, root, root);
        ir_op_set_attr(r.list[i], "force", ir_bool_attr(func->ctx, true));
    }
    ir_mapping_free(r.kept);
    ir_mapping_free(r.seen);
    ir_mapping_free(r.forced);
    free(r.list);
    return true;
}

const pass_def ttnn_force_final_deallocs_pass = {
    .name = "ttnn-force-final-deallocs",
    .title = "TTNNForceFinalDeallocs",
    .summary = "Free shared memory once, by force",
    .anchor = "func.func",
    .run = run_force,
};
