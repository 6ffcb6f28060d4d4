/* lower_dtypes.c: smaller elements where the user allows them: the passes
 * ttnn-weight-dtype-conversion (right sides of products), ttnn-kv-cache-dtype-conversion
 * (caches of keys and values) and ttnn-ccl-activation-dtype-lowering (what is sent between
 * chips). */
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttnn/build.h"

#include <stdlib.h>

enum { NO_DTYPE = -1 };

static int64_t dtype_of(const ir_value *v)
{
    ttnn_layout l;
    return ttnn_layout_of(v->type, &l) ? l.dtype : ttnn_dtype_of(v->type->element);
}

static bool is_wide_float(const ir_value *v)
{
    return dtype_of(v) == TTCORE_DataType_BFloat16 ||
           dtype_of(v) == TTCORE_DataType_Float32;
}

static int64_t dtype_named(tw_str name)
{
    const ir_enum_case *c = ir_enum_by_text(&ttcore_enum_DataType, name);
    return c ? c->value : NO_DTYPE;
}

/* The option target-dtype; false after a diagnostic. */
static bool target_option(const pass_run *run, ir_op *module, int64_t *out)
{
    tw_str name = pass_option_str(run, "target-dtype");
    *out = dtype_named(name);
    if (tw_str_is(name, "none"))
        return true;
    if (*out == TTCORE_DataType_BFP_BFloat8 || *out == TTCORE_DataType_BFP_BFloat4)
        return true;
    return ir_error(module->ctx, module->loc,
                    "target-dtype is none, bfp_bf8 or bfp_bf4, not '%.*s'", (int)name.size,
                    name.data);
}

#define TARGET_OPTION                                                                      \
    IR_LIST(pass_option_def,                                                               \
            {"target-dtype", PASS_STRING, "none", "none, bfp_bf8 or bfp_bf4"})

/* ---- weights ------------------------------------------------------------------------ */

/* What a value depends on: bits beside KNOWN. */
enum { KNOWN = 1, ON_WEIGHTS = 2, ON_OTHERS = 4 };

typedef struct weights {
    int64_t target;
    ir_mapping *depends; /* of each value that was there before the first conversion */
} weights;

static uintptr_t of_argument(const ir_value *v)
{
    const ir_block *block = v->owner;
    ir_op *func = block->region ? block->region->owner : NULL;
    int64_t kind = -1;
    if (func && func->def == FUNC_OP(func))
        kind = ir_enum_value(func_arg_attr(func, v->index, "ttcore.argument_type"), -1);
    return kind == TTCORE_ArgumentType_Parameter || kind == TTCORE_ArgumentType_Constant
               ? ON_WEIGHTS
               : ON_WEIGHTS | ON_OTHERS;
}

static uintptr_t depends_on(const weights *w, const ir_value *v)
{
    const uintptr_t known = (uintptr_t)ir_mapping_get(w->depends, v);
    return known ? known : v->is_argument ? of_argument(v) : ON_OTHERS;
}

/* Operands come before their users, but for those of graph regions, which are no weights.
 */
static ir_walk note_dependence(ir_op *op, void *user)
{
    const weights *w = user;
    uintptr_t on = KNOWN;
    for (uint32_t i = 0; i < op->n_operands; i++)
        on |= depends_on(w, op->operands[i].value);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_mapping_set(w->depends, &op->results[i], (void *)on);
    return IR_WALK_ON;
}

/* True if the value comes from parameters and constants only. What conversions made is in
 * the wanted type. */
static bool is_weight(const weights *w, const ir_value *v)
{
    return (depends_on(w, v) & ~(uintptr_t)KNOWN) == ON_WEIGHTS;
}

static int64_t asked_for(ir_op *op, int64_t otherwise)
{
    ir_attr own = ir_op_attr(op, "ttcore.weight_dtype");
    if (!ir_attr_is(own, IR_ATTR_STRING))
        return otherwise;
    int64_t dtype = dtype_named(ir_attr_str(own));
    if (dtype == TTCORE_DataType_BFP_BFloat8 || dtype == TTCORE_DataType_BFP_BFloat4 ||
        dtype == TTCORE_DataType_BFloat16)
        return dtype;
    ir_op_warning(op,
                  "ignoring invalid ttcore.weight_dtype \"%s\"; legal values are: bfp_bf8, "
                  "bfp_bf4, bf16",
                  own->ident->text);
    return otherwise;
}

/* Four bits are packed by the host. */
static ir_value *cast_weight(ir_builder *b, ir_op *op, ir_value *v, int64_t dtype)
{
    ir_type to = ttnn_tensor_retyped(v->type, dtype);
    ttnn_layout l;
    if (dtype != TTCORE_DataType_BFP_BFloat4 || !ttnn_layout_of(v->type, &l))
        return ir_build1(b, TTNN_OP(typecast), to, IR_VALUES(v), NULL, 0);
    ttnn_layout_place(&l, TTNN_BufferType_SystemMemory, TTNN_ON_HOST);
    v = ir_build1(b, TTNN_OP(from_device), ttnn_tensor_with(v->type, &l), IR_VALUES(v),
                  NULL, 0);
    l.dtype = dtype;
    v = ir_build1(b, TTNN_OP(typecast), ttnn_tensor_with(v->type, &l), IR_VALUES(v), NULL,
                  0);
    ir_value *device = tnb_device(b, op);
    return ir_build1(b, TTNN_OP(to_device), to, IR_VALUES(v, device), NULL, 0);
}

static bool convert_weight(ir_op *op, rw_rewriter *rw)
{
    const weights *w = rw->user;
    ir_value *weight = op->operands[1].value;
    if (!is_weight(w, weight))
        return false;
    int64_t dtype = asked_for(op, w->target);
    if (dtype == NO_DTYPE || dtype_of(weight) == dtype || !is_wide_float(weight))
        return false;
    ir_op_set_operand(op, 1, cast_weight(&rw->b, op, weight, dtype));
    rw_modified(rw, op);
    return true;
}

static bool run_weights(ir_op *module, pass_run *run)
{
    static const rw_pattern patterns[] = {
        {&ttnn_ops[TTNN_matmul], convert_weight, NULL},
        {&ttnn_ops[TTNN_linear], convert_weight, NULL},
        {&ttnn_ops[TTNN_sparse_matmul], convert_weight, NULL},
    };
    weights w = {0};
    if (!target_option(run, module, &w.target))
        return false;
    w.depends = ir_mapping_create();
    ir_walk_pre(module, note_dependence, &w);
    rw_greedy(module, patterns, TW_COUNT(patterns), &(rw_options){.user = &w});
    ir_mapping_free(w.depends);
    return true;
}

const pass_def ttnn_weight_dtype_conversion_pass = {
    .name = "ttnn-weight-dtype-conversion",
    .title = "TTNNWeightDtypeConversion",
    .summary = "Hold weights of products in smaller elements",
    .anchor = "builtin.module",
    .run = run_weights,
    .options = TARGET_OPTION,
};

/* ---- caches ------------------------------------------------------------------------- */

typedef struct caches {
    ir_op *func;
    int64_t dtype;
    bool indirect; /* some cache is no argument marked as one */
} caches;

static bool writes_cache(const ir_op *op)
{
    return op->def == TTNN_OP(fill_cache) || op->def == TTNN_OP(update_cache) ||
           op->def == TTNN_OP(paged_fill_cache) || op->def == TTNN_OP(paged_update_cache);
}

static ir_walk check_cache(ir_op *op, void *user)
{
    caches *c = user;
    if (!writes_cache(op))
        return IR_WALK_ON;
    const ir_value *cache = op->operands[0].value;
    c->indirect |=
        !cache->is_argument || !func_arg_attr(c->func, cache->index, "ttcore.kv_cache");
    return IR_WALK_ON;
}

static ir_walk cast_input(ir_op *op, void *user)
{
    caches *c = user;
    if (!writes_cache(op) || op->def == TTNN_OP(paged_update_cache))
        return IR_WALK_ON;
    ir_value *v = op->operands[1].value;
    if (dtype_of(v) != c->dtype) {
        ir_builder b = ir_builder_before(op);
        ir_op_set_operand(op, 1,
                          ir_build1(&b, TTNN_OP(typecast),
                                    ttnn_tensor_retyped(v->type, c->dtype), IR_VALUES(v),
                                    NULL, 0));
    }
    return IR_WALK_ON;
}

/* #ttcore<local_shape ...> names a tensor type of its own. */
static ir_attr retyped_local_shape(ir_attr a, int64_t dtype)
{
    ir_type t = a->count ? a->params[0]->type : NULL;
    if (!ir_type_is_tensor(t))
        return a;
    ir_attr param =
        ir_type_attr(ir_type_with_element(t, ttnn_dtype_element(t->ctx, dtype)));
    return ir_dialect_attr(t->ctx, a->def, &param, 1);
}

static void retype_results(ir_op *func, int64_t dtype)
{
    ir_attr list = ir_op_attr(func, "res_attrs");
    ir_op *ret = ir_op_body(func, 0)->last;
    if (!ir_attr_is(list, IR_ATTR_ARRAY) || !ret || list->count != ret->n_operands)
        return;
    ir_attr *items = tw_xmalloc((list->count + 1) * sizeof *items);
    for (uint32_t i = 0; i < list->count; i++) {
        const ir_value *v = ret->operands[i].value;
        ir_attr local = ir_dict_get(list->items[i], TW_STR("ttcore.local_shape"));
        items[i] = list->items[i];
        if (local && v->is_argument && func_arg_attr(func, v->index, "ttcore.kv_cache"))
            items[i] = ir_dict_set(func->ctx, items[i],
                                   ir_ident_from(func->ctx, "ttcore.local_shape"),
                                   retyped_local_shape(local, dtype));
    }
    ir_op_set_attr(func, "res_attrs", ir_array_attr(func->ctx, items, list->count));
    free(items);
}

static void convert_caches(ir_op *func, int64_t dtype)
{
    caches c = {func, dtype, false};
    ir_walk_pre(func, check_cache, &c);
    if (c.indirect)
        return;
    ir_block *entry = ir_op_body(func, 0);
    for (uint32_t i = 0; i < entry->n_args; i++) {
        if (!func_arg_attr(func, i, "ttcore.kv_cache"))
            continue;
        ir_attr local = func_arg_attr(func, i, "ttcore.local_shape");
        if (local)
            func_set_arg_attr(func, i, "ttcore.local_shape",
                              retyped_local_shape(local, dtype));
        entry->args[i]->type = ttnn_tensor_retyped(entry->args[i]->type, dtype);
    }
    retype_results(func, dtype);
    func_refresh_type(func);
    ir_walk_pre(func, cast_input, &c);
}

static ir_walk convert_function(ir_op *op, void *user)
{
    const int64_t *dtype = user;
    ir_attr type = op->def == FUNC_OP(func) ? ir_op_attr(op, "tt.function_type") : NULL;
    if (ir_attr_is(type, IR_ATTR_STRING) &&
        tw_str_is(ir_attr_str(type), "forward_device") && ir_op_body(op, 0))
        convert_caches(op, *dtype);
    return IR_WALK_ON;
}

static bool run_caches(ir_op *module, pass_run *run)
{
    int64_t target;
    if (!target_option(run, module, &target))
        return false;
    if (target != NO_DTYPE)
        ir_walk_pre(module, convert_function, &target);
    return true;
}

const pass_def ttnn_kv_cache_dtype_conversion_pass = {
    .name = "ttnn-kv-cache-dtype-conversion",
    .title = "TTNNKVCacheDtypeConversion",
    .summary = "Hold caches of keys and values in smaller elements",
    .anchor = "builtin.module",
    .run = run_caches,
    .options = TARGET_OPTION,
};

/* ---- between chips ------------------------------------------------------------------ */

enum { MAX_STEPS = 64 };

typedef struct flow {
    ir_op *steps[MAX_STEPS];
    size_t count;
    bool sent;        /* some step is a collective */
    ir_operand *exit; /* where the value goes after the steps */
} flow;

static bool is_collective(const ir_op *op)
{
    return op->def == TTNN_OP(all_gather) || op->def == TTNN_OP(reduce_scatter) ||
           op->def == TTNN_OP(all_reduce);
}

/* Follows a product through views, collectives and, if `silu`, that. */
static bool follow(ir_op *product, bool silu, flow *f)
{
    ir_value *v = &product->results[0];
    *f = (flow){0};
    if (!is_wide_float(v))
        return false;
    for (;;) {
        if (!ir_value_has_one_use(v))
            return false;
        ir_op *user = v->uses->owner;
        bool view = user->def == TTNN_OP(reshape) || user->def == TTNN_OP(slice_static) ||
                    user->def == TTNN_OP(to_memory_config);
        if (!view && !is_collective(user) && !(silu && user->def == TTNN_OP(silu))) {
            f->exit = v->uses;
            return f->sent;
        }
        if (user->n_results != 1 || f->count == MAX_STEPS)
            return false;
        f->sent |= is_collective(user);
        f->steps[f->count++] = user;
        v = &user->results[0];
    }
}

static bool ends_in_sum(ir_op *product, flow *f)
{
    if (!follow(product, false, f) || f->exit->owner->def != TTNN_OP(add))
        return false;
    return is_wide_float(f->exit->owner->operands[1 - ir_operand_number(f->exit)].value);
}

/* ... times something, into a product that ends in a sum. */
static bool ends_in_gate(ir_op *product, flow *f)
{
    flow rest;
    if (!follow(product, true, f) || f->exit->owner->def != TTNN_OP(multiply))
        return false;
    ir_value *gate = &f->exit->owner->results[0];
    return ir_value_has_one_use(gate) && gate->uses->owner->def == TTNN_OP(matmul) &&
           ends_in_sum(gate->uses->owner, &rest);
}

static void narrow(ir_op *op)
{
    ir_value *v = &op->results[0];
    if (is_wide_float(v))
        v->type = ttnn_tensor_retyped(v->type, TTCORE_DataType_BFP_BFloat8);
}

static ir_walk lower_product(ir_op *op, void *user)
{
    flow f;
    (void)user;
    if (op->def != TTNN_OP(matmul))
        return IR_WALK_ON;
    bool sum = ends_in_sum(op, &f);
    if (!sum && !ends_in_gate(op, &f))
        return IR_WALK_ON;
    narrow(op);
    for (size_t i = 0; i < f.count; i++)
        narrow(f.steps[i]);
    if (!sum)
        narrow(f.exit->owner);
    return IR_WALK_ON;
}

static bool run_activations(ir_op *module, pass_run *run)
{
    (void)run;
    ir_walk_pre(module, lower_product, NULL);
    return true;
}

const pass_def ttnn_ccl_activation_dtype_lowering_pass = {
    .name = "ttnn-ccl-activation-dtype-lowering",
    .title = "TTNNCCLActivationDtypeLowering",
    .summary = "Send products between chips in smaller elements",
    .anchor = "builtin.module",
    .run = run_activations,
};
