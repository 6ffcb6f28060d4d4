/* rules_calls.c: sharding rules of custom calls, by target. */
#include "ir/text.h"
#include "sdy/propagation/rules.h"
#include "sdy/sdy.h"
#include "stablehlo/stablehlo.h"

static ir_type operand(const ir_op *op, size_t i)
{
    return op->operands[i].value->type;
}

static ir_type result(const ir_op *op, size_t i)
{
    return op->results[i].type;
}

/* Batch dimensions, those before the matrices. */
static bool begin_matrices(sdy_rule_builder *b, ir_op *op, uint32_t operands,
                           uint32_t results)
{
    if (op->n_operands != operands || op->n_results != results ||
        !ir_type_is_tensor(operand(op, 0)) || operand(op, 0)->count < 2)
        return false;
    for (uint32_t d = 0; d + 2 < operand(op, 0)->count; d++)
        sdy_rule_all(b, d, operand(op, 0)->dims[d], SDY_PASS, false);
    return true;
}

/* Adds a factor with its dimension in operands 0 and 1 and results 0 and 1. */
static void add(sdy_rule_builder *b, const int64_t dims[4], int64_t size,
                sdy_factor_kind kind, bool blocked)
{
    uint32_t factor = sdy_rule_factor(b, size, kind, blocked);
    for (size_t i = 0; i < 2 && i < b->n_operands; i++)
        sdy_rule_use(b, i, dims[i], factor);
    for (size_t i = 0; i < 2; i++)
        sdy_rule_use(b, sdy_rule_result(b, i), dims[2 + i], factor);
}

enum { NONE = SDY_NO_DIM };

/* Eigenvectors are sharded like the matrix, eigenvalues like its columns. */
static bool eigh(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    if (!begin_matrices(b, op, 1, 2))
        return false;
    int64_t column = (int64_t)operand(op, 0)->count - 1, row = column - 1;
    const int64_t *dims = operand(op, 0)->dims;
    add(b, (int64_t[]){row, NONE, row, NONE}, dims[row], SDY_PASS, false);
    add(b, (int64_t[]){column, NONE, column, row}, dims[column], SDY_PASS, false);
    return true;
}

static bool qr(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    if (!begin_matrices(b, op, 1, 2))
        return false;
    int64_t column = (int64_t)operand(op, 0)->count - 1, row = column - 1;
    const int64_t *dims = operand(op, 0)->dims;
    add(b, (int64_t[]){row, NONE, row, NONE}, dims[row], SDY_REPLICATE, false);
    add(b, (int64_t[]){column, NONE, column, NONE}, dims[column], SDY_REPLICATE, false);
    if (row < result(op, 1)->count)
        add(b, (int64_t[]){NONE, NONE, NONE, row}, result(op, 1)->dims[row], SDY_REPLICATE,
            false);
    return true;
}

static bool householder(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    if (!begin_matrices(b, op, 2, 1))
        return false;
    int64_t column = (int64_t)operand(op, 0)->count - 1, row = column - 1;
    const int64_t *dims = operand(op, 0)->dims;
    add(b, (int64_t[]){row, NONE, row, NONE}, dims[row], SDY_REPLICATE, false);
    add(b, (int64_t[]){column, NONE, column, NONE}, dims[column], SDY_REPLICATE, false);
    if (row < operand(op, 1)->count)
        add(b, (int64_t[]){NONE, row, NONE, NONE}, operand(op, 1)->dims[row], SDY_REPLICATE,
            false);
    return true;
}

static bool same_rank(const ir_op *op)
{
    return op->n_operands && op->n_results && ir_type_is_tensor(operand(op, 0)) &&
           ir_type_is_tensor(result(op, 0)) &&
           operand(op, 0)->count == result(op, 0)->count;
}

static bool top_k(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    if (!same_rank(op))
        return false;
    sdy_rule_pointwise_but(b, operand(op, 0), result(op, 0), SDY_REPLICATE, true);
    return true;
}

static bool approximate_top_k(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    if (!same_rank(op) || op->n_operands != 4 || op->n_results != 2)
        return false;
    ir_type in = operand(op, 0), out = result(op, 0);
    for (uint32_t d = 0; d < in->count; d++) {
        if (in->dims[d] == out->dims[d]) {
            sdy_rule_all(b, d, in->dims[d], SDY_PASS, false);
            continue;
        }
        add(b, (int64_t[]){d, d, NONE, NONE}, in->dims[d], SDY_PASS, false);
        add(b, (int64_t[]){NONE, NONE, d, d}, out->dims[d], SDY_REPLICATE, true);
    }
    return true;
}

/* The state of a generator is replicated. */
static bool combine(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    for (const ir_operand *u = op->results[0].uses; u; u = u->next_use)
        if (u->owner->def == STABLEHLO_OP(rng_bit_generator)) {
            sdy_rule_all(b, 0, result(op, 0)->dims[0], SDY_REPLICATE, true);
            return result(op, 0)->count == 1;
        }
    return sdy_rule_pointwise(b, op, conservative);
}

static const struct {
    const char *target;
    sdy_rule_fn *rule; /* NULL: no rule, by intent */
} rows[] = {
    {"ApproxTopK", approximate_top_k},
    {"Cholesky", sdy_rule_pointwise},
    {"CompactWyHelper", sdy_rule_pointwise},
    {"Eigh", eigh},
    {"InspectSharding", sdy_rule_pointwise},
    {"InvertDiagBlocksLowerTriangular", sdy_rule_pointwise},
    {"InvertDiagBlocksUpperTriangular", sdy_rule_pointwise},
    {"LayoutConstraint", sdy_rule_pointwise},
    {"MoveToDevice", sdy_rule_pointwise},
    {"MoveToHost", sdy_rule_pointwise},
    {"PartialReduce", approximate_top_k},
    {"ProductOfElementaryHouseholderReflectors", householder},
    {"Qr", qr},
    {"QrDecompositionBlock", qr},
    {"X64Combine", combine},
    {"X64SplitHigh", sdy_rule_pointwise},
    {"X64SplitLow", sdy_rule_pointwise},
    {"_SPMDInternalOp_MultiPad", sdy_rule_pointwise},
    {"_SPMDInternalOp_MultiRotate", sdy_rule_pointwise},
    {"_SPMDInternalOp_MultiSlice", sdy_rule_pointwise},
    {"_SPMDInternalOp_RotateRight", sdy_rule_pointwise},
    {"_SPMDInternalOp_Wrap", sdy_rule_pointwise},
    {"annotate_device_placement", sdy_rule_pointwise},
    {"mhlo.erf", sdy_rule_pointwise},
    {"mhlo.topk", top_k},
    {"sdy_testonly", NULL},
    {"tpu_custom_call", NULL},
    {"xla.debug.Log", NULL},
    {"xla.megascale.provide_metadata", sdy_rule_pointwise},
    {"xla_ffi_python_cpu_callback", NULL},
    {"xla_ffi_python_gpu_callback", NULL},
    {"xla_python_cpu_callback", NULL},
    {"xla_python_gpu_callback", NULL},
};

bool sdy_rule_custom_call(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    tw_str target = ir_attr_str(ir_op_attr(op, "call_target_name"));
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (tw_str_is(target, rows[i].target))
            return rows[i].rule && op->n_results && rows[i].rule(b, op, conservative);
    return sdy_rule_tt(b, op, conservative);
}

bool sdy_knows_call(const ir_op *op)
{
    tw_str target = ir_attr_str(ir_op_attr(op, "call_target_name"));
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (tw_str_is(target, rows[i].target))
            return true;
    return sdy_is_tt_call(op);
}

tw_str sdy_user_rule_text(const ir_op *op)
{
    ir_attr dict = op->def == STABLEHLO_OP(custom_call)
                       ? ir_op_attr(op, "mhlo.frontend_attributes")
                       : NULL;
    ir_attr text = ir_attr_is(dict, IR_ATTR_DICT)
                       ? ir_dict_get(dict, TW_STR("xla.sdy.custom_sharding_rule"))
                       : NULL;
    tw_str s = ir_attr_is(text, IR_ATTR_STRING) ? ir_attr_str(text) : (tw_str){0};
    while (s.size && *s.data == ' ')
        s = (tw_str){s.data + 1, s.size - 1};
    return s;
}

ir_attr sdy_user_rule(const ir_op *op)
{
    enum { IS_CUSTOM = 7, N_PARAMS };
    tw_str text = sdy_user_rule_text(op);
    ir_attr read = text.size ? ir_parse_attr(op->ctx, text) : NULL, params[N_PARAMS];
    if (!ir_attr_is(read, IR_ATTR_DIALECT) || read->def != SDY_ATTR(op_sharding_rule))
        return NULL;
    memcpy(params, read->params, sizeof params);
    params[IS_CUSTOM] = ir_raw_int(op->ctx, 0);
    return ir_dialect_attr(op->ctx, SDY_ATTR(op_sharding_rule), params, N_PARAMS);
}
