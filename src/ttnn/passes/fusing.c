/* fusing.c: activations go into the convolutions and products that they follow
 * (ttnn-fusing); decompositions replace the composites that name them
 * (ttnn-resolve-composites). */
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttnn/build.h"
#include "ttnn/layout.h"
#include "ttnn/passes/decomposition.h"

#include <stdlib.h>

/* ---- activations -------------------------------------------------------------------- */

typedef struct activation {
    uint16_t op;
    const char *name;
    int64_t type; /* TTNN_UnaryOpType_* */
    bool conv, product;
} activation;

static const activation activations[] = {
    {TTNN_gelu, "gelu", TTNN_UnaryOpType_Gelu, false, true},
    {TTNN_relu, "relu", TTNN_UnaryOpType_Relu, true, false},
    {TTNN_relu6, "relu6", TTNN_UnaryOpType_Relu6, true, false},
    {TTNN_sigmoid, "sigmoid", TTNN_UnaryOpType_Sigmoid, true, true},
    {TTNN_silu, "silu", TTNN_UnaryOpType_Silu, true, true},
};

static const activation *activation_of(const ir_op *op)
{
    for (size_t i = 0; i < TW_COUNT(activations); i++)
        if (op->def == &ttnn_ops[activations[i].op])
            return &activations[i];
    return NULL;
}

static ir_op *only_user(const ir_op *op)
{
    return ir_value_has_one_use(&op->results[0]) ? op->results[0].uses->owner : NULL;
}

static void take_over(ir_op *op, ir_op *user, rw_rewriter *rw)
{
    rw_replace_uses(rw, &user->results[0], user->operands[0].value);
    rw_erase(rw, user);
    rw_modified(rw, op);
}

/* Also behind the reshape that gives the result its image back. */
static bool fuse_conv(ir_op *op, rw_rewriter *rw)
{
    ir_attr config = ir_op_attr(op, "conv2d_config");
    ir_op *user = only_user(op);
    if (!user || (config && ir_attr_param(config, "activation")))
        return false;
    if (user->def == TTNN_OP(reshape))
        user = only_user(user);
    const activation *a = user ? activation_of(user) : NULL;
    if (!a || !a->conv)
        return false;
    ir_context *ctx = op->ctx;
    ir_attr unary = tnb_with(ctx, TTNN_ATTR(unary_with_param), NULL, "op_type",
                             ir_raw_int(ctx, a->type));
    int64_t dtype = ttnn_dtype_of(op->operands[1].value->type->element);
    config = tnb_with(ctx, TTNN_ATTR(conv2d_config), config, "activation", unary);
    config = tnb_with(ctx, TTNN_ATTR(conv2d_config), config, "weights_dtype",
                      ir_raw_int(ctx, dtype));
    ir_op_set_attr(op, "conv2d_config", config);
    take_over(op, user, rw);
    return true;
}

static bool fuse_product(ir_op *op, rw_rewriter *rw)
{
    ir_op *user = only_user(op);
    const activation *a = user ? activation_of(user) : NULL;
    if (!a || !a->product || ir_op_attr(op, "activation"))
        return false;
    ir_op_set_attr(op, "activation", ir_string_attr(op->ctx, tw_str_from(a->name)));
    take_over(op, user, rw);
    return true;
}

static bool run_fusing(ir_op *module, pass_run *run)
{
    static const rw_pattern patterns[] = {
        {&ttnn_ops[TTNN_conv2d], fuse_conv, NULL},
        {&ttnn_ops[TTNN_matmul], fuse_product, NULL},
        {&ttnn_ops[TTNN_linear], fuse_product, NULL},
    };
    if (pass_option_bool(run, "enable-op-constraints"))
        return ttnn_no_op_constraints(module);
    rw_greedy(module, patterns, TW_COUNT(patterns), &(rw_options){0});
    return true;
}

const pass_def ttnn_fusing_pass = {
    .name = "ttnn-fusing",
    .title = "TTNNFusing",
    .summary = "Put activations into convolutions and products",
    .anchor = "builtin.module",
    .run = run_fusing,
    .options = IR_LIST(pass_option_def,
                       {"enable-op-constraints", PASS_BOOL, "false",
                        "Ask whether tt-metal's kernels accept it"},
                       {"max-fallback-attempts", PASS_INT, "10000", "Layouts tried",
                        TTNN_NO_OP_CONSTRAINTS},
                       {"enable-rope-fusion", PASS_BOOL, "false", "Where they accept it",
                        TTNN_NO_OP_CONSTRAINTS},
                       {"enable-sdpa-fusion", PASS_BOOL, "false", "Where they accept it",
                        TTNN_NO_OP_CONSTRAINTS}),
};

/* ---- composites --------------------------------------------------------------------- */

typedef struct resolving {
    bool ok, promote;
    ir_op **done; /* functions that were put in */
    size_t count, capacity;
} resolving;

/* Composites that are an operation of TTNN, some on Blackhole only. */
static const struct {
    const char *name;
    uint16_t op;
    bool blackhole;
} typed[] = {
    {"flash_mla_prefill", TTNN_flash_mla_prefill, false},
    {"indexer_score_dsa", TTNN_indexer_score_dsa, true},
    {"rotary_embedding", TTNN_rotary_embedding, false},
    {"topk_router_gpt", TTNN_topk_router_gpt, false},
};

/* Whether the program is known to run on another chip than Blackhole. */
static bool is_other_chip(ir_op *op)
{
    int64_t arch = ttnn_chip_int(op, "arch", TTCORE_Arch_Blackhole);
    return arch != TTCORE_Arch_Blackhole;
}

static const ir_op_def *typed_row(ir_op *op)
{
    ir_attr name = ir_op_attr(op, "composite_name");
    for (size_t i = 0; ir_attr_is(name, IR_ATTR_STRING) && i < TW_COUNT(typed); i++)
        if (tw_str_is(ir_attr_str(name), typed[i].name))
            return typed[i].blackhole && is_other_chip(op) ? NULL : &ttnn_ops[typed[i].op];
    return NULL;
}

/* Operands in their order; optional ones where an attribute has_<name> says so. */
static bool promote(ir_op *op, const ir_op_def *row)
{
    ir_attr given = ir_op_attr(op, "composite_attributes");
    ir_value *operands[16] = {NULL};
    ir_attr_by_name attrs[16];
    ir_type results[8];
    size_t n = 0, next = 0;
    if (row->operands.count > TW_COUNT(operands) || op->n_results > TW_COUNT(results))
        return false;
    for (uint32_t g = 0; g < row->operands.count; g++) {
        tw_strbuf flag = {0};
        tw_strbuf_printf(&flag, "has_%s", row->operands.at[g].name);
        bool wanted =
            row->operands.at[g].arity == IR_ONE ||
            (given && ir_attr_bool(ir_dict_get(given, (tw_str){flag.data, flag.size})));
        tw_strbuf_free(&flag);
        if (wanted && next < op->n_operands)
            operands[g] = op->operands[next++].value;
    }
    if (next != op->n_operands)
        return false;
    for (uint32_t k = 0; given && k < row->attrs.count && n < TW_COUNT(attrs); k++) {
        const char *name = row->attrs.at[k].name;
        ir_attr value = ir_dict_get(given, tw_str_from(name));
        if (value)
            attrs[n++] = (ir_attr_by_name){name, value};
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        results[i] = op->results[i].type;
    ir_builder b = ir_builder_before(op);
    ir_op *made = ir_build_op(&b, row, results, op->n_results, operands,
                              row->operands.count, attrs, n, 0);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], &made->results[i]);
    return true;
}

static bool put_in(ir_op *op, ir_op *func)
{
    ir_block *body = func ? ir_op_body(func, 0) : NULL;
    ir_attr ref = ir_op_attr(op, "decomposition");
    if (!body || body->n_args != op->n_operands || body->last->n_operands != op->n_results)
        return ir_op_error(op, "decomposition function '%s' not found",
                           ir_symbol_leaf(ref).data);
    ir_mapping *map = ir_mapping_create();
    for (uint32_t i = 0; i < body->n_args; i++)
        ir_mapping_set(map, body->args[i], op->operands[i].value);
    for (ir_op *inner = body->first; inner != body->last; inner = inner->next)
        ir_op_insert_before(ir_op_clone(inner, map), op);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i],
                              ir_mapping_get(map, body->last->operands[i].value));
    ir_mapping_free(map);
    return true;
}

static ir_walk resolve(ir_op *op, void *user)
{
    resolving *r = user;
    if (op->def != TTCORE_OP(composite))
        return IR_WALK_ON;
    ir_op *func = ir_symbol_resolve(op, ir_op_attr(op, "decomposition"));
    const ir_op_def *row = r->promote ? typed_row(op) : NULL;
    if (!(row && promote(op, row)) && !put_in(op, func)) {
        r->ok = false;
        return IR_WALK_STOP;
    }
    bool known = !func;
    for (size_t i = 0; i < r->count; i++)
        known |= r->done[i] == func;
    if (!known)
        TW_PUSH(r->done, r->count, r->capacity, func);
    ir_op_erase(op);
    return IR_WALK_ON;
}

static ir_walk find_use(ir_op *op, void *user)
{
    ir_op **func = user;
    if (op->def == TTCORE_OP(composite) &&
        ir_symbol_resolve(op, ir_op_attr(op, "decomposition")) == *func)
        *func = NULL;
    return *func ? IR_WALK_ON : IR_WALK_STOP;
}

static bool run_composites(ir_op *module, pass_run *run)
{
    tw_str how = pass_option_str(run, "composite-resolution");
    bool validate = tw_str_is(how, "validate");
    resolving r = {.ok = true, .promote = tw_str_is(how, "force-promote")};
    if (!validate && !r.promote && !tw_str_is(how, "auto") && !tw_str_is(how, "inline"))
        return ir_error(module->ctx, module->loc,
                        "composite-resolution is auto, inline, validate or force-promote, "
                        "not '%.*s'",
                        (int)how.size, how.data);
    if (validate)
        ir_warning(module->ctx, module->loc,
                   "composite-resolution=validate requires the optimizer and "
                   "TTMLIR_ENABLE_OPMODEL; falling back to inline");
    ir_walk_post(module, resolve, &r);
    for (size_t i = 0; r.ok && i < r.count; i++) {
        ir_op *func = r.done[i];
        ir_walk_pre(module, find_use, &func);
        if (func)
            ir_op_erase(func);
    }
    free(r.done);
    return r.ok;
}

const pass_def ttnn_resolve_composites_pass = {
    .name = "ttnn-resolve-composites",
    .title = "TTNNResolveComposites",
    .summary = "Replace composites by their decompositions or by operations",
    .anchor = "builtin.module",
    .run = run_composites,
    .options = IR_LIST(pass_option_def, {"composite-resolution", PASS_STRING, "auto",
                                         "auto, inline, validate or force-promote"}),
};
