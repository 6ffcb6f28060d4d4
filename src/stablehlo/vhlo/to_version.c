/* to_version.c: converts portable artifacts to the version of another release.
 *
 * An operation missing in the target becomes the row of its name that the target has.
 * Attributes common to both rows are kept; one that only the new row has gets the former
 * implicit value, one that only the old row has must equal that value. */
#include "ir/pass/pass.h"
#include "stablehlo/vhlo/vhlo.h"
#include "stablehlo/vhlo/vhlo_types.h"
#include "stablehlo/vhlo/vhlo_version.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_ATTRS = 32 };

/* ---- attributes added later --------------------------------------------------------- */

/* The implicit value before attribute `name` existed; NULL if there was none. */
static ir_attr before_it_was(ir_op *op, const char *name)
{
    static const struct {
        const char *name, *text;
    } rows[] = {
        {"accumulation_type", "#vhlo.type_v1<!vhlo.none_v1>"},
        {"allow_imprecise_accumulation", "#vhlo.type_v1<!vhlo.none_v1>"},
        {"has_dynamic_root", "#vhlo.bool_v1<false>"},
        {"input_batching_dims", "#vhlo.tensor_v1<dense<> : tensor<0xi64>>"},
        {"lhs_component_count", "#vhlo.type_v1<!vhlo.none_v1>"},
        {"lhs_precision_type", "#vhlo.type_v1<!vhlo.none_v1>"},
        {"num_primitive_operations", "#vhlo.type_v1<!vhlo.none_v1>"},
        {"operand_batching_dims", "#vhlo.tensor_v1<dense<> : tensor<0xi64>>"},
        {"result_accuracy",
         "#vhlo.result_accuracy_v1<atol = 0.000000e+00, rtol = 0.000000e+00, ulps = 0, "
         "mode = #vhlo<result_accuracy_mode_v1 DEFAULT>>"},
        {"result_tilings", "#vhlo.array_v1<[]>"},
        {"rhs_component_count", "#vhlo.type_v1<!vhlo.none_v1>"},
        {"rhs_precision_type", "#vhlo.type_v1<!vhlo.none_v1>"},
        {"scatter_indices_batching_dims", "#vhlo.tensor_v1<dense<> : tensor<0xi64>>"},
        {"source_target_pairs", "#vhlo.tensor_v1<dense<> : tensor<0xi64>>"},
        {"start_indices_batching_dims", "#vhlo.tensor_v1<dense<> : tensor<0xi64>>"},
    };
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (strcmp(rows[i].name, name) == 0)
            return ir_parse_attr(op->ctx, tw_str_from(rows[i].text));
    return NULL;
}

/* dynamic_conv formerly had a static padding besides the operand. */
static ir_attr no_padding(ir_op *op)
{
    char text[96];
    ir_type lhs = op->n_operands ? vhlo_type_to_builtin(op->operands[0].value->type) : NULL;
    if (!ir_type_is_tensor(lhs) || lhs->count < 3)
        return NULL;
    snprintf(text, sizeof text, "#vhlo.tensor_v1<dense<0> : tensor<%ux2xi64>>",
             lhs->count - 2);
    return ir_parse_attr(op->ctx, tw_str_from(text));
}

static ir_attr value_for(ir_op *op, const char *name)
{
    ir_attr value = ir_op_attr(op, name);
    if (value)
        return value;
    return op->def == VHLO_OP(dynamic_conv_v2) ? no_padding(op) : before_it_was(op, name);
}

/* True if the attributes missing in `to` have their implicit values. */
static bool may_drop_rest(ir_op *op, const ir_op_def *to)
{
    for (uint32_t i = 0; i < op->def->attrs.count; i++) {
        const char *name = op->def->attrs.at[i].name;
        bool stays = ir_def_prop_index(to, tw_str_from(name)) != SIZE_MAX;
        if (!stays && op->def != VHLO_OP(dynamic_conv_v1) &&
            ir_op_attr(op, name) != before_it_was(op, name))
            return false;
    }
    return true;
}

/* ---- restrictions of a version ------------------------------------------------------ */

static ir_type element_of(ir_type type)
{
    ir_attr element =
        type->kind == IR_TYPE_DIALECT ? ir_type_param(type, "elementType") : NULL;
    return element ? element->type : NULL;
}

/* Reductions to another element type were added in 0.17.0. */
static bool keeps_elements(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_results && i < op->n_operands; i++)
        if (element_of(op->operands[i].value->type) != element_of(op->results[i].type))
            return false;
    return true;
}

static bool custom_call_is_in(ir_op *op, uint64_t version)
{
    enum { TYPED_FFI = 4 };
    ir_attr config = ir_op_attr(op, "backend_config");
    if (version < VHLO_VERSION(1, 3, 0) &&
        ((ir_attr_is(config, IR_ATTR_DIALECT) && config->def == VHLO_ATTR(dict_v1)) ||
         ir_enum_value(ir_op_attr(op, "api_version"), 0) == TYPED_FFI))
        return false;
    for (uint32_t i = 0; version < VHLO_VERSION(1, 17, 0) && i < op->n_operands; i++)
        if (op->operands[i].value->type->kind == IR_TYPE_DIALECT &&
            op->operands[i].value->type->def == VHLO_TYPE(future_v1))
            return false;
    return true;
}

static bool meets_constraint(ir_op *op, uint64_t version)
{
    if (op->def == VHLO_OP(custom_call_v1))
        return custom_call_is_in(op, version);
    return version >= VHLO_VERSION(0, 17, 0) ||
           !ir_def_has(op->def, "VersionedOpConstraintInterface") || keeps_elements(op);
}

static bool is_legal(ir_op *op, uint64_t version)
{
    if (!vhlo_row_is_in(op->def->name, version) || !meets_constraint(op, version))
        return false;
    for (size_t i = 0; i < ir_def_n_props(op->def); i++)
        if (!vhlo_attr_is_in(op->props[i], version))
            return false;
    for (uint32_t i = 0; op->attrs && i < op->attrs->count; i++)
        if (!vhlo_attr_is_in(op->attrs->entries[i].value, version))
            return false;
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!vhlo_type_is_in(op->operands[i].value->type, version))
            return false;
    for (uint32_t i = 0; i < op->n_results; i++)
        if (!vhlo_type_is_in(op->results[i].type, version))
            return false;
    return true;
}

/* ---- operations --------------------------------------------------------------------- */

static bool fits_row(const ir_op *op, const ir_op_def *to)
{
    bool one = to->operands.count == 1 && to->operands.at[0].arity == IR_ONE;
    return (!one || op->n_operands == 1) && (to->regions.count || op->n_regions == 0);
}

/* Converts the operation to row `to`; NULL if that cannot express it. */
static ir_op *convert(ir_op *op, const ir_op_def *to)
{
    ir_named_attr attrs[MAX_ATTRS];
    if (to->attrs.count > MAX_ATTRS || !fits_row(op, to) || !may_drop_rest(op, to))
        return NULL;
    for (uint32_t i = 0; i < to->attrs.count; i++) {
        const char *name = to->attrs.at[i].name;
        attrs[i] = (ir_named_attr){ir_ident_from(op->ctx, name), value_for(op, name)};
        if (!attrs[i].value)
            return NULL;
    }
    ir_value **operands = tw_xmalloc((op->n_operands + 1u) * sizeof *operands);
    ir_type *results = tw_xmalloc((op->n_results + 1u) * sizeof *results);
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = op->operands[i].value;
    for (uint32_t i = 0; i < op->n_results; i++)
        results[i] = op->results[i].type;
    ir_op *made = ir_op_create(op->ctx, &(ir_op_state){.def = to,
                                                       .loc = op->loc,
                                                       .attrs = attrs,
                                                       .n_attrs = to->attrs.count,
                                                       .operands = operands,
                                                       .n_operands = op->n_operands,
                                                       .results = results,
                                                       .n_results = op->n_results,
                                                       .n_regions = op->n_regions});
    free(operands);
    free(results);
    made->attrs = op->attrs;
    for (uint16_t i = 0; i < op->n_regions; i++)
        ir_region_take(&made->regions[i], &op->regions[i]);
    ir_op_insert_before(made, op);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], &made->results[i]);
    ir_op_erase(op);
    return made;
}

static tw_str base_name(const ir_op_def *def)
{
    tw_str base = tw_str_from(def->name + strlen("vhlo."));
    while (base.size && base.data[base.size - 1] != '_')
        base.size--;
    base.size -= base.size > 0;
    return base;
}

typedef struct conversion {
    ir_op **ops;
    size_t count, capacity;
} conversion;

static ir_walk note_op(ir_op *op, void *user)
{
    conversion *c = user;
    if (strncmp(op->def->name, "vhlo.", 5) == 0)
        TW_PUSH(c->ops, c->count, c->capacity, op);
    return IR_WALK_ON;
}

static bool convert_all(ir_op *module, uint64_t version)
{
    conversion c = {0};
    bool ok = true;
    ir_walk_pre(module, note_op, &c);
    for (size_t i = 0; ok && i < c.count; i++) {
        if (is_legal(c.ops[i], version))
            continue;
        ir_loc loc = c.ops[i]->loc;
        const ir_op_def *from = c.ops[i]->def;
        const ir_op_def *to = vhlo_op_in(module->ctx, base_name(from), version);
        ir_op *made = to && to != from ? convert(c.ops[i], to) : NULL;
        ok = (made && is_legal(made, version)) ||
             ir_error_unlowered(module->ctx, loc, from->name, NULL);
    }
    free(c.ops);
    return ok;
}

static bool read_version(ir_op *module, tw_str text, uint64_t *out_version)
{
    char oldest[32], current[32];
    ir_context *ctx = module->ctx;
    vhlo_version_text(VHLO_OLDEST, oldest);
    vhlo_version_text(VHLO_CURRENT, current);
    if (text.size == 0)
        return ir_error(ctx, module->loc,
                        "No target version specified.\n"
                        "Target version must be of the form `#.#.#`.");
    if (!vhlo_version_from(text, out_version))
        return ir_error(ctx, module->loc,
                        "Invalid target version argument '%.*s'\n"
                        "Target version must be of the form `#.#.#`.",
                        (int)text.size, text.data);
    if (*out_version < VHLO_OLDEST)
        return ir_error(ctx, module->loc,
                        "target version %.*s is less than minimum supported %s",
                        (int)text.size, text.data, oldest);
    if (*out_version > VHLO_CURRENT)
        return ir_error(ctx, module->loc,
                        "target version %.*s is greater than current version %s",
                        (int)text.size, text.data, current);
    *out_version &= ~UINT64_C(0xFFFFF); /* rows change with minor versions only */
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    uint64_t version;
    char text[32];
    if (!read_version(module, pass_option_str(run, "target"), &version))
        return false;
    vhlo_version_text(version, text);
    return convert_all(module, version) ||
           ir_error(module->ctx, module->loc, "failed to convert VHLO to v%s", text);
}

const pass_def vhlo_to_version_pass = {
    .name = "vhlo-to-version",
    .title = "VhloToVersionPass",
    .summary = "Convert between versions of VHLO",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(pass_option_def,
                       {"target", PASS_STRING, "", "Version to convert to: #.#.#"}),
};
