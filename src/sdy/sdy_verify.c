/* sdy_verify.c: verifies sdy's operations and attributes. */
#include "sdy/sdy_verify.h"

#include "mlir/func/func.h"
#include "sdy/sdy.h"
#include "stablehlo/stablehlo_verify.h"
#include "support/strbuf.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_of(ir_attr attr, const ir_attr_def *def)
{
    return ir_attr_is(attr, IR_ATTR_DIALECT) && attr->def == def;
}

/* ---- meshes ------------------------------------------------------------------------- */

bool sdy_verify_mesh_axis(ir_context *ctx, ir_loc loc, ir_attr axis)
{
    int64_t size = axis->params[1]->value;
    return size > 0 ||
           ir_error(ctx, loc, "axis size must be at least 1, got: %lld", (long long)size);
}

static int compare_ids(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static bool check_device_ids(ir_context *ctx, ir_loc loc, ir_attr ids)
{
    uint32_t n = ids->count;
    int64_t *sorted = tw_xmalloc(n * sizeof *sorted);
    bool is_sorted = true, complete = true;
    for (uint32_t i = 0; i < n; i++) {
        sorted[i] = ids->items[i]->value;
        is_sorted &= i == 0 || sorted[i - 1] <= sorted[i];
    }
    qsort(sorted, n, sizeof *sorted, compare_ids);
    for (uint32_t i = 0; i < n; i++)
        complete &= sorted[i] == i;
    if (!complete) {
        tw_strbuf text = {0};
        for (uint32_t i = 0; i < n; i++)
            tw_strbuf_printf(&text, "%s%lld", i ? ", " : "", (long long)sorted[i]);
        ir_error(ctx, loc, "sorted device ids must be iota(product(axes)), got: %s",
                 tw_strbuf_text(&text));
        tw_strbuf_free(&text);
    }
    free(sorted);
    if (complete && is_sorted)
        return ir_error(ctx, loc,
                        "if the ordered device ids are the same as iota(product(axes)), no "
                        "need to specify them for simplicity");
    return complete;
}

bool sdy_verify_mesh(ir_context *ctx, ir_loc loc, ir_attr mesh)
{
    ir_attr axes = mesh->params[0], ids = mesh->params[1];
    int64_t total = 1;
    for (uint32_t i = 0; i < sdy_length(ids); i++)
        if (ids->items[i]->value < 0)
            return ir_error(ctx, loc, "device id must be non-negative, got: %lld",
                            (long long)ids->items[i]->value);
    if (sdy_length(axes) == 0)
        return sdy_length(ids) <= 1 ||
               ir_error(ctx, loc, "axes is empty and device_ids has more than one element");
    for (uint32_t i = 0; i < axes->count; i++) {
        ir_attr name = axes->items[i]->params[0];
        for (uint32_t k = 0; k < i; k++)
            if (axes->items[k]->params[0] == name)
                return ir_error(ctx, loc, "duplicate axis name: \"%s\"", name->ident->text);
        if (__builtin_mul_overflow(total, axes->items[i]->params[1]->value, &total))
            total = -1;
    }
    if (sdy_length(ids) == 0)
        return true;
    if (total != sdy_length(ids))
        return ir_error(ctx, loc,
                        "total product of axis sizes must match total number of device "
                        "ids, got: %lld != %u",
                        (long long)total, sdy_length(ids));
    return check_device_ids(ctx, loc, ids);
}

/* ---- attributes of operations and functions ----------------------------------------- */

static ir_type *result_types(const ir_op *op)
{
    ir_type *types = tw_xmalloc((op->n_results + 1u) * sizeof *types);
    for (uint32_t i = 0; i < op->n_results; i++)
        types[i] = op->results[i].type;
    return types;
}

static ir_type *operand_types(const ir_op *op)
{
    ir_type *types = tw_xmalloc((op->n_operands + 1u) * sizeof *types);
    for (uint32_t i = 0; i < op->n_operands; i++)
        types[i] = op->operands[i].value->type;
    return types;
}

static bool check_results(ir_op *op, ir_attr per_value)
{
    ir_type *types = result_types(op);
    bool ok = sdy_check_shardings(&(sdy_location){op, "result "}, per_value, types,
                                  op->n_results);
    free(types);
    return ok;
}

static bool is_list_of_edges(ir_attr attr)
{
    if (!ir_attr_is(attr, IR_ATTR_ARRAY))
        return false;
    for (uint32_t i = 0; i < attr->count; i++)
        if (!is_of(attr->items[i], SDY_ATTR(propagation_edges)))
            return false;
    return true;
}

bool sdy_verify_discardable(ir_op *op, ir_named_attr attr)
{
    if (tw_str_is(ir_ident_str(attr.name), "sdy.sharding"))
        return is_of(attr.value, SDY_ATTR(sharding_per_value))
                   ? check_results(op, attr.value)
                   : ir_op_error(op, "should have a sharding attribute of type "
                                     "TensorShardingPerValueAttr");
    if (tw_str_is(ir_ident_str(attr.name), "sdy.sharding_rule"))
        return is_of(attr.value, SDY_ATTR(op_sharding_rule))
                   ? sdy_check_rule(op, attr.value)
                   : ir_op_error(op,
                                 "should have a sharding rule attribute of type "
                                 "OpShardingRuleAttr for attr named 'sdy.sharding_rule'");
    if (tw_str_is(ir_ident_str(attr.name), "sdy.propagation_edges"))
        return is_of(attr.value, SDY_ATTR(propagation_edges))
                   ? sdy_check_edges(op, attr.value)
                   : ir_op_error(op, "should have a propagation edges attribute of type "
                                     "PropagationEdgesAttr for attr named "
                                     "'sdy.propagation_edges'");
    if (tw_str_is(ir_ident_str(attr.name), "sdy.result_propagation_edges") ||
        tw_str_is(ir_ident_str(attr.name), "sdy.block_arg_propagation_edges"))
        return is_list_of_edges(attr.value) ||
               ir_op_error(op, "should have a propagation edges attribute of type "
                               "ArrayAttr<PropagationEdgesAttr> for attr named "
                               "'sdy.result_propagation_edges' or "
                               "'sdy.block_arg_propagation_edges'");
    return true;
}

bool sdy_verify_function_attr(ir_op *op, bool result, size_t index, ir_named_attr attr)
{
    ir_attr function = ir_op_attr(op, "function_type");
    char prefix[64];
    const sdy_location w = {op, prefix};
    if (op->def != FUNC_OP(func) || !tw_str_is(ir_ident_str(attr.name), "sdy.sharding") ||
        !ir_attr_is(function, IR_ATTR_TYPE))
        return true;
    ir_type type = function->type;
    if (index >= (result ? type->results : type->count))
        return true;
    snprintf(prefix, sizeof prefix, "%s %zu - ", result ? "result" : "arg", index);
    if (!is_of(attr.value, SDY_ATTR(sharding)))
        return sdy_fail(&w, "should have a sharding attribute of type TensorShardingAttr");
    return sdy_check_sharding(
        &w, attr.value, result ? ir_function_results(type)[index] : type->types[index]);
}

/* ---- operations --------------------------------------------------------------------- */

bool sdy_verify_sharded_value(ir_op *op)
{
    ir_attr sharding = ir_op_attr(op, "sharding");
    return !is_of(sharding, SDY_ATTR(sharding)) ||
           sdy_check_sharding(&(sdy_location){op, ""}, sharding, op->results[0].type);
}

bool sdy_verify_reshard(ir_op *op)
{
    ir_attr to = ir_op_attr(op, "sharding");
    ir_attr from = sdy_sharding_through_barriers(op->operands[0].value);
    if (!sdy_verify_sharded_value(op))
        return false;
    if (!from || !is_of(to, SDY_ATTR(sharding)))
        return true;
    const ir_enum_case *goes =
        ir_enum_by_value(&sdy_enum_ReductionOp, ir_attr_int(from->params[4], 0));
    return sdy_check_unreduced(op, from, to, "sum", goes ? goes->text : "sum");
}

static bool check_edge(ir_op *op, const char *name, const char *operand)
{
    ir_type type = sdy_shaped(op->results[0].type);
    if (!ir_type_is_ranked(type) || !ir_type_has_static_shape(type))
        return ir_op_error(op, "expected %s to have a static-shaped result. type: '%s'",
                           name, ir_type_text(op->ctx, type));
    return ir_value_has_one_use(op->operands[0].value) ||
           ir_op_error(op, "expected %s of %s to have a single user", operand, name);
}

bool sdy_verify_data_flow_edge(ir_op *op)
{
    ir_op *producer = ir_value_def(op->operands[0].value);
    if (!check_edge(op, "sdy.data_flow_edge", "input"))
        return false;
    if (producer && strncmp(producer->def->name, "sdy.", 4) == 0 &&
        !ir_def_has(producer->def, "ShardableDataFlowOpInterface")) {
        ir_op_error(op, "expected input of sdy.data_flow_edge to not be defined by an "
                        "SdyDialect op (other than an sdy.named_computation).");
        ir_note(op->ctx, producer->loc,
                "sdy op defining the input of the sdy.data_flow_edge");
        return false;
    }
    return sdy_verify_sharded_value(op);
}

bool sdy_verify_func_data_flow_edge(ir_op *op)
{
    ir_value *operand = op->operands[0].value;
    ir_op *producer = ir_value_def(operand);
    if (!check_edge(op, "sdy.func_data_flow_edge", "operand"))
        return false;
    if (operand->is_argument) {
        ir_block *block = ir_value_block(operand);
        return (block && block->region && ir_op_is(block->region->owner, FUNC_OP(func))) ||
               ir_op_error(op, "expected operand of sdy.func_data_flow_edge to be a block "
                               "argument of a func op.");
    }
    return ir_op_is(producer, FUNC_OP(call)) ||
           ir_op_error(op, "expected operand of sdy.func_data_flow_edge to be a result of "
                           "call op.");
}

bool sdy_verify_propagation_barrier(ir_op *op)
{
    ir_attr direction = ir_op_attr(op, "allowed_direction");
    const ir_enum_case *both =
        ir_enum_by_text(&sdy_enum_PropagationDirection, TW_STR("BOTH"));
    return !both || ir_enum_value(direction, -1) != both->value ||
           ir_op_error(op, "cannot specify `BOTH` as the direction. Not blocking "
                           "propagation direction makes the op redundant.");
}

/* Quantized results hold values of their storage type. */
bool sdy_verify_constant(ir_op *op)
{
    ir_type value = ir_op_attr(op, "value")->type, result = op->results[0].type;
    if (value == result || result->element->kind == IR_TYPE_DIALECT)
        return true;
    ir_op_error(op,
                "inferred type(s) '%s' are incompatible with return type(s) of operation "
                "'%s'",
                ir_type_text(op->ctx, value), ir_type_text(op->ctx, result));
    return ir_op_error(op, "failed to infer returned types");
}

bool sdy_verify_named_computation(ir_op *op)
{
    static const char *const names[] = {"in_shardings", "out_shardings"};
    ir_block *body = ir_op_body(op, 0);
    if (!body)
        return true;
    if (body->n_args != op->n_operands)
        return ir_error_at_op(
            op,
            "number of block arguments must match the number of operands: %u "
            "!= %u",
            body->n_args, op->n_operands);
    for (uint32_t i = 0; i < body->n_args; i++)
        if (body->args[i]->type != op->operands[i].value->type)
            return ir_error_at_op(
                op,
                "expected the type of the %u'th block argument to match the "
                "type of the corresponding operand: '%s' vs '%s'",
                i, ir_type_text(op->ctx, body->args[i]->type),
                ir_type_text(op->ctx, op->operands[i].value->type));
    bool ok = true;
    for (size_t i = 0; ok && i < TW_COUNT(names); i++) {
        ir_attr list = ir_op_attr(op, names[i]);
        ir_type *types = i ? result_types(op) : operand_types(op);
        char prefix[32];
        snprintf(prefix, sizeof prefix, "%s ", names[i]);
        if (is_of(list, SDY_ATTR(sharding_per_value)))
            ok = sdy_check_shardings(&(sdy_location){op, prefix}, list, types,
                                     i ? op->n_results : op->n_operands);
        free(types);
    }
    return ok;
}

/* Result types are those of the values that the body returns. */
bool sdy_verify_named_results(ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    ir_op *end = body ? body->last : NULL;
    if (!end)
        return true;
    ir_type *types = operand_types(end);
    bool ok = stablehlo_check_inferred(op, types, end->n_operands) ||
              ir_op_error(op, "failed to infer returned types");
    free(types);
    return ok;
}

/* ---- manual_computation ------------------------------------------------------------- */

/* The operands or results of the computation: outer and inner types, and shardings. */
typedef struct side {
    const char *kind;
    ir_type *outer, *inner;
    size_t n_outer, n_inner;
    ir_attr shardings, manual;
} side;

static bool is_manual(const side *s, ir_attr axis)
{
    for (uint32_t i = 0; i < sdy_length(s->manual); i++)
        if (tw_str_equal(ir_attr_str(axis->params[0]), ir_attr_str(s->manual->items[i])))
            return true;
    return false;
}

static bool check_order(ir_op *op, const side *s, size_t index, ir_attr sharding)
{
    char manual[128], free_axis[128];
    for (uint32_t d = 0; d < sdy_sharding_rank(sharding); d++) {
        ir_attr axes = sharding->params[1]->items[d]->params[0];
        for (uint32_t i = 1; i < sdy_length(axes); i++)
            if (is_manual(s, axes->items[i]) && !is_manual(s, axes->items[i - 1]))
                return ir_op_error(
                    op,
                    "%s sharding at index %zu must have all manual axes come before free "
                    "axes in its dimension sharding at index %u. Saw manual axis %s after "
                    "free axis %s",
                    s->kind, index, d, sdy_axis_text(axes->items[i], manual),
                    sdy_axis_text(axes->items[i - 1], free_axis));
    }
    return true;
}

static bool check_local(ir_op *op, const side *s, size_t index, ir_attr sharding)
{
    enum { MAX_RANK = 64 };
    int64_t dims[MAX_RANK];
    ir_type outer = s->outer[index];
    ir_attr mesh = sdy_mesh_of(op, sharding);
    if (!ir_type_is_ranked(outer) || outer->count > MAX_RANK || !mesh ||
        sdy_sharding_rank(sharding) != outer->count)
        return true;
    for (uint32_t d = 0; d < outer->count; d++) {
        ir_attr axes = sharding->params[1]->items[d]->params[0];
        int64_t size = 1;
        for (uint32_t i = 0; i < sdy_length(axes); i++)
            if (is_manual(s, axes->items[i]))
                size *= sdy_axis_size(mesh, axes->items[i]);
        dims[d] = outer->dims[d];
        if (dims[d] == IR_DYNAMIC)
            continue;
        if (dims[d] % size != 0)
            return ir_op_error(op,
                               "%s dimension size %lld is not divisible by the manual axes "
                               "size %lld",
                               s->kind, (long long)dims[d], (long long)size);
        dims[d] /= size;
    }
    ir_type wanted = ir_tensor_type(outer->element, dims, outer->count, NULL);
    return wanted == s->inner[index] ||
           ir_op_error(op,
                       "%s shape, corresponding sharding, and region %s shape at index %zu "
                       "must match. Expected local shape '%s', actual local shape '%s'",
                       s->kind, s->kind, index, ir_type_text(op->ctx, wanted),
                       ir_type_text(op->ctx, s->inner[index]));
}

static bool check_side(ir_op *op, const side *s)
{
    char prefix[32];
    if (s->n_outer == 0 && s->n_inner == 0 && sdy_length(s->shardings->params[0]) == 0)
        return true;
    snprintf(prefix, sizeof prefix, "%s ", s->kind);
    if (!sdy_check_shardings(&(sdy_location){op, prefix}, s->shardings, s->outer,
                             s->n_outer))
        return false;
    if (s->n_outer != s->n_inner)
        return ir_op_error(op,
                           "number of op %ss and region %ss must match. Op has %zu op %ss "
                           "and %zu region %ss",
                           s->kind, s->kind, s->n_outer, s->kind, s->n_inner, s->kind);
    for (size_t i = 0; i < s->n_outer; i++) {
        ir_attr sharding = s->shardings->params[0]->items[i];
        if (!check_order(op, s, i, sharding) || !check_local(op, s, i, sharding))
            return false;
    }
    return true;
}

/* The mesh that all non-empty shardings share; *out_same is false if they differ. */
static ir_attr common_mesh(ir_op *op, ir_attr in, ir_attr out, bool *out_same)
{
    ir_attr lists[] = {in->params[0], out->params[0]}, common = NULL;
    *out_same = true;
    for (size_t l = 0; l < 2; l++)
        for (uint32_t i = 0; i < sdy_length(lists[l]); i++) {
            ir_attr mesh = sdy_mesh_of(op, lists[l]->items[i]);
            if (!mesh ||
                (sdy_length(mesh->params[0]) == 0 && sdy_length(mesh->params[1]) == 0))
                continue;
            if (common && mesh != common)
                *out_same = false;
            common = mesh;
        }
    return common;
}

static bool check_manual_axes(ir_op *op, ir_attr in, ir_attr out, ir_attr manual)
{
    bool same;
    ir_attr mesh = common_mesh(op, in, out, &same);
    if (sdy_length(in->params[0]) == 0 && sdy_length(out->params[0]) == 0)
        return true;
    if ((!same || !mesh) && sdy_length(manual))
        return ir_op_error(op, "all in and out shardings must be bound to the same mesh or "
                               "an empty mesh.");
    for (uint32_t i = 0; mesh && i < sdy_length(manual); i++) {
        bool found = false;
        for (uint32_t k = 0; k < sdy_length(mesh->params[0]); k++)
            found |= tw_str_equal(ir_attr_str(mesh->params[0]->items[k]->params[0]),
                                  ir_attr_str(manual->items[i]));
        if (!found)
            return ir_op_error(op, "unknown manual axis: \"%s\"",
                               manual->items[i]->ident->text);
    }
    return true;
}

static bool check_not_nested(ir_op *op, ir_attr manual)
{
    for (ir_op *p = ir_op_parent(op); p; p = ir_op_parent(p)) {
        ir_attr axes = p->def == op->def ? ir_op_attr(p, "manual_axes") : NULL;
        ir_attr names = is_of(axes, SDY_ATTR(manual_axes)) ? axes->params[0] : NULL;
        for (uint32_t i = 0; i < sdy_length(manual); i++)
            for (uint32_t k = 0; k < sdy_length(names); k++)
                if (names->items[k] == manual->items[i])
                    return sdy_fail_bound(&(sdy_location){op, ""},
                                          ir_attr_str(manual->items[i]), p);
    }
    return true;
}

bool sdy_verify_manual_computation(ir_op *op)
{
    ir_attr in = ir_op_attr(op, "in_shardings"), out = ir_op_attr(op, "out_shardings");
    ir_attr axes = ir_op_attr(op, "manual_axes");
    ir_block *body = ir_op_body(op, 0);
    if (!is_of(in, SDY_ATTR(sharding_per_value)) ||
        !is_of(out, SDY_ATTR(sharding_per_value)) || !is_of(axes, SDY_ATTR(manual_axes)) ||
        !body)
        return true;
    ir_op *end = body->last;
    side operands = {.kind = "operand",
                     .outer = operand_types(op),
                     .n_outer = op->n_operands,
                     .shardings = in,
                     .manual = axes->params[0]};
    side results = {.kind = "result",
                    .outer = result_types(op),
                    .n_outer = op->n_results,
                    .shardings = out,
                    .manual = axes->params[0]};
    operands.inner = tw_xmalloc((body->n_args + 1u) * sizeof *operands.inner);
    for (uint32_t i = 0; i < body->n_args; i++)
        operands.inner[operands.n_inner++] = body->args[i]->type;
    results.inner = end ? operand_types(end) : NULL;
    results.n_inner = end ? end->n_operands : 0;
    bool ok = check_not_nested(op, axes->params[0]) && check_side(op, &operands) &&
              check_side(op, &results) && check_manual_axes(op, in, out, axes->params[0]);
    free(operands.outer);
    free(operands.inner);
    free(results.outer);
    free(results.inner);
    return ok;
}
