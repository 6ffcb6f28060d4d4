/* cpu_hoist_passes.c: which operations are computed on the host:
 * cpu-hoist-manually-tagged takes those with ttir.should_hoist,
 * cpu-hoist-non-lowerable-shlo-ops those of StableHLO that have no form in TTIR,
 * cpu-hoist-const-eval what functions of constants compute. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "stablehlo/stablehlo.h"
#include "ttir/passes/cpu_hoist.h"
#include "ttir/ttir.h"

#include <stdlib.h>

static bool hoist_each(ir_op *root, ir_op_test *wanted)
{
    ir_op *device = hoist_device_module(root);
    if (!device)
        return true;
    ir_op_list all = ir_ops_in(device, wanted);
    bool ok = true;
    for (size_t i = 0; i < all.n && ok; i++) {
        const char *why = hoist_obstacle(all.at[i]);
        ok = !why || ir_op_error(all.at[i],
                                 "cannot be computed on the host: it %s; remove "
                                 "ttir.should_hoist",
                                 why);
        if (ok)
            hoist_to_host(&(hoist_group){&all.at[i], 1, all.at[i]->def->name}, root,
                          device);
    }
    ir_op_list_free(&all);
    return ok;
}

static bool is_tagged(const ir_op *op)
{
    return ir_op_attr(op, "ttir.should_hoist") != NULL;
}

static bool run_tagged(ir_op *module, pass_run *run)
{
    (void)run;
    return hoist_each(module, is_tagged);
}

const pass_def cpu_hoist_manually_tagged_pass = {
    .name = "cpu-hoist-manually-tagged",
    .title = "CPUHoistManuallyTaggedOpsTransform",
    .summary = "Move operations that are marked ttir.should_hoist to the host",
    .anchor = "builtin.module",
    .run = run_tagged,
};

static bool has_no_ttir(const ir_op *op)
{
    return op->def == STABLEHLO_OP(dynamic_update_slice) || op->def == STABLEHLO_OP(einsum);
}

static bool run_stablehlo(ir_op *module, pass_run *run)
{
    (void)run;
    return hoist_each(module, has_no_ttir);
}

const pass_def cpu_hoist_non_lowerable_shlo_ops_pass = {
    .name = "cpu-hoist-non-lowerable-shlo-ops",
    .title = "CPUHoistNonLowerableSHLOOpsTransform",
    .summary = "Move operations of StableHLO that TTIR does not have to the host",
    .anchor = "builtin.module",
    .run = run_stablehlo,
};

/* ---- functions of constants ---------------------------------------------------------- */

/* What tt-mlir computes on the host; a function of constants with anything else stays on
 * the device here, too, so that programs have the same functions. */
static const uint16_t on_host[] = {
    TTIR_abs,
    TTIR_acos,
    TTIR_add,
    TTIR_arange,
    TTIR_argmax,
    TTIR_asin,
    TTIR_asinh,
    TTIR_atan,
    TTIR_atan2,
    TTIR_avg_pool2d,
    TTIR_bitwise_and,
    TTIR_bitwise_not,
    TTIR_bitwise_or,
    TTIR_bitwise_xor,
    TTIR_broadcast,
    TTIR_cbrt,
    TTIR_ceil,
    TTIR_clamp_scalar,
    TTIR_concat,
    TTIR_concatenate_heads,
    TTIR_constant,
    TTIR_conv2d,
    TTIR_cos,
    TTIR_cumsum,
    TTIR_div,
    TTIR_dot_general,
    TTIR_embedding,
    TTIR_empty,
    TTIR_eq,
    TTIR_erf,
    TTIR_erfc,
    TTIR_exp,
    TTIR_expm1,
    TTIR_floor,
    TTIR_full,
    TTIR_ge,
    TTIR_gelu,
    TTIR_gelu_bw,
    TTIR_global_avg_pool2d,
    TTIR_gt,
    TTIR_hardsigmoid,
    TTIR_isfinite,
    TTIR_layer_norm,
    TTIR_le,
    TTIR_leaky_relu,
    TTIR_linear,
    TTIR_log,
    TTIR_log1p,
    TTIR_logical_and,
    TTIR_logical_left_shift,
    TTIR_logical_not,
    TTIR_logical_or,
    TTIR_logical_right_shift,
    TTIR_logical_xor,
    TTIR_lt,
    TTIR_matmul,
    TTIR_max,
    TTIR_max_pool2d,
    TTIR_max_pool2d_with_indices,
    TTIR_maximum,
    TTIR_mean,
    TTIR_min,
    TTIR_minimum,
    TTIR_mish,
    TTIR_multiply,
    TTIR_ne,
    TTIR_neg,
    TTIR_ones,
    TTIR_pad,
    TTIR_permute,
    TTIR_pow,
    TTIR_prod,
    TTIR_reciprocal,
    TTIR_reduce_and,
    TTIR_reduce_or,
    TTIR_relu,
    TTIR_relu6,
    TTIR_remainder,
    TTIR_repeat,
    TTIR_reshape,
    TTIR_rsqrt,
    TTIR_sigmoid,
    TTIR_sign,
    TTIR_silu,
    TTIR_sin,
    TTIR_slice_static,
    TTIR_softmax,
    TTIR_split_query_key_value_and_split_heads,
    TTIR_sqrt,
    TTIR_squeeze,
    TTIR_subtract,
    TTIR_sum,
    TTIR_tan,
    TTIR_tanh,
    TTIR_transpose,
    TTIR_typecast,
    TTIR_unsqueeze,
    TTIR_where,
    TTIR_zeros,
};

static bool is_on_host(const ir_op *op)
{
    for (size_t i = 0; i < TW_COUNT(on_host); i++)
        if (op->def == &ttir_ops[on_host[i]])
            return true;
    return false;
}

/* Exchanges between chips stay on the device and part a function. */
static bool is_barrier(const ir_op *op)
{
    return op->def == TTIR_OP(mesh_shard) || op->def == TTIR_OP(mesh_partition) ||
           ir_def_has(op->def, "CCL");
}

/* Marks creations that the function returns, with the reshapes and casts behind them: later
 * passes read their values, and the host has nothing to compute. */
static void keep_creation(ir_value *v, ir_mapping *kept)
{
    ir_value *end = v;
    ir_op *op = ir_value_def(end);
    while (op && (op->def == TTIR_OP(reshape) || op->def == TTIR_OP(typecast))) {
        end = op->operands[0].value;
        op = ir_value_def(end);
    }
    if (!op || !ir_def_has(op->def, "TTCore_CreationOpTrait"))
        return;
    for (op = ir_value_def(v);; op = ir_value_def(op->operands[0].value)) {
        ir_mapping_set(kept, op, op);
        if (&op->results[0] == end)
            return;
    }
}

static bool is_const_eval(const ir_op *op)
{
    ir_attr type = op->def == FUNC_OP(func) ? ir_op_attr(op, "tt.function_type") : NULL;
    return ir_op_body(op, 0) && ir_attr_is(type, IR_ATTR_STRING) &&
           tw_str_is(ir_attr_str(type), "const_eval");
}

static void hoist_segment(ir_op **ops, size_t n, ir_op *root, ir_op *device)
{
    for (size_t i = 0; i < n; i++)
        if (!is_on_host(ops[i]) || hoist_obstacle(ops[i])) {
            ir_op_warning(ops[i], "is not computed on the host; the constants that its "
                                  "function computes stay on the device");
            return;
        }
    if (n)
        hoist_to_host(&(hoist_group){ops, n, "const_eval"}, root, device);
}

static void hoist_function(ir_op *func, ir_op *root, ir_op *device)
{
    ir_block *body = ir_op_body(func, 0);
    ir_mapping *kept = ir_mapping_create();
    ir_op **ops = NULL;
    size_t n = 0, capacity = 0;
    for (uint32_t i = 0; i < body->last->n_operands; i++)
        keep_creation(body->last->operands[i].value, kept);
    for (ir_op *op = body->first, *next; op && op != body->last; op = next) {
        next = op->next;
        if (is_barrier(op)) {
            hoist_segment(ops, n, root, device);
            n = 0;
        } else if (!ir_mapping_get(kept, op)) {
            TW_PUSH(ops, n, capacity, op);
        }
    }
    hoist_segment(ops, n, root, device);
    ir_mapping_free(kept);
    free(ops);
}

static bool run_const_eval(ir_op *root, pass_run *run)
{
    (void)run;
    ir_op *device = hoist_device_module(root);
    if (!device)
        return true;
    ir_op_list all = ir_ops_in(device, is_const_eval);
    for (size_t i = 0; i < all.n; i++) {
        bool hoisted = false; /* by an earlier pass */
        for (ir_op *op = ir_op_body(all.at[i], 0)->first; op; op = op->next)
            hoisted |= ir_op_attr(op, "ttir.cpu_hoisted_call") != NULL;
        if (!hoisted)
            hoist_function(all.at[i], root, device);
    }
    ir_op_list_free(&all);
    return true;
}

const pass_def cpu_hoist_const_eval_pass = {
    .name = "cpu-hoist-const-eval",
    .title = "CPUHoistConstEvalTransform",
    .summary = "Compute functions of constants on the host",
    .anchor = "builtin.module",
    .run = run_const_eval,
};
