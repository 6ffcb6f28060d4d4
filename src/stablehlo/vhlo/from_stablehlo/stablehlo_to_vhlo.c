/* stablehlo_to_vhlo.c: converts StableHLO to VHLO, the form of portable artifacts.
 *
 * Every operation becomes the newest row of its name in vhlo; all attributes of that row
 * are written explicitly (defaults.c), some of them parts of a StableHLO attribute.
 * Operations of other dialects stay if the option allows it, with casts at the boundary. */
#include "stablehlo/vhlo/from_stablehlo/stablehlo_to_vhlo.h"

#include "mlir/builtin/builtin.h"
#include "mlir/func/func.h"
#include "stablehlo/stablehlo.h"
#include "stablehlo/vhlo/vhlo.h"
#include "stablehlo/vhlo/vhlo_merged.h"
#include "stablehlo/vhlo/vhlo_types.h"
#include "stablehlo/vhlo/vhlo_version.h"

#include <stdlib.h>

enum { MAX_ATTRS = 32 };

typedef struct conversion {
    bool others; /* other dialects may stay */
    ir_op **ops; /* in text order: parents come first */
    size_t count, capacity;
} conversion;

/* ---- attributes --------------------------------------------------------------------- */

static ir_attr part_value(ir_context *ctx, const ir_param_def *def, ir_attr param)
{
    if (def->kind == IR_PARAM_TYPE)
        return stablehlo_attr_to_vhlo(ctx, param, false);
    if (def->kind == IR_PARAM_BOOL)
        return vhlo_bool(ctx, param->value);
    if (!def->array)
        return vhlo_i64(ctx, param->value);
    int64_t *values = tw_xmalloc((param->count + 1) * sizeof *values);
    for (uint32_t i = 0; i < param->count; i++)
        values[i] = param->items[i]->value;
    ir_attr list = vhlo_i64_list(ctx, values, param->count);
    free(values);
    return list;
}

/* The value of `name` inside a merged attribute of the operation, or NULL. */
static ir_attr part_of_merged(ir_op *op, const char *name)
{
    for (size_t m = 0; m < VHLO_MERGED_COUNT; m++) {
        const vhlo_merged_row *row = &vhlo_merged[m];
        ir_attr whole = ir_op_attr(op, row->name);
        if (!ir_attr_is(whole, IR_ATTR_DIALECT) || whole->def != row->def)
            continue;
        for (uint32_t i = 0; i < row->def->params.count; i++)
            if (strcmp(row->parts[i], name) == 0)
                return part_value(op->ctx, &row->def->params.at[i], whole->params[i]);
    }
    return NULL;
}

static ir_attr part_of_channel(ir_op *op, const char *name)
{
    ir_attr handle = ir_op_attr(op, "channel_handle");
    bool id = strcmp(name, "channel_id") == 0;
    if (!ir_attr_is(handle, IR_ATTR_DIALECT) || (!id && strcmp(name, "channel_type") != 0))
        return NULL;
    return vhlo_i64(op->ctx, handle->params[id ? 0 : 1]->value);
}

static ir_attr own_value(ir_op *op, const char *name, bool others)
{
    ir_attr value = ir_op_attr(op, name);
    if (value->kind == IR_ATTR_UNIT)
        return vhlo_bool(op->ctx, true);
    if (strcmp(name, "api_version") == 0)
        return ir_enum_attr(op->ctx, VHLO_ATTR(api_version_v1), ir_enum_value(value, 0));
    return stablehlo_attr_to_vhlo(op->ctx, value, others);
}

static ir_attr value_of(ir_op *op, const char *name, bool others)
{
    ir_attr value = part_of_merged(op, name);
    value = value ? value : part_of_channel(op, name);
    return value                  ? value
           : ir_op_attr(op, name) ? own_value(op, name, others)
                                  : vhlo_default(op, name);
}

static bool collect_attrs(ir_op *op, const ir_op_def *def, bool others,
                          ir_named_attr *attrs)
{
    for (uint32_t i = 0; i < def->attrs.count; i++) {
        const char *name = def->attrs.at[i].name;
        attrs[i] =
            (ir_named_attr){ir_ident_from(op->ctx, name), value_of(op, name, others)};
        if (!attrs[i].value)
            return false;
    }
    return true;
}

static bool convert_discardable(ir_op *op, ir_op *to, bool others)
{
    for (uint32_t i = 0; op->attrs && i < op->attrs->count; i++) {
        ir_named_attr entry = op->attrs->entries[i];
        ir_attr value = stablehlo_attr_to_vhlo(op->ctx, entry.value, others);
        if (!value)
            return false;
        ir_op_set_attr(to, entry.name->text, value);
    }
    return true;
}

/* ---- operations --------------------------------------------------------------------- */

static const ir_op_def *counterpart(ir_op *op)
{
    if (op->def == FUNC_OP(func))
        return VHLO_OP(func_v1);
    if (op->def == FUNC_OP(call))
        return VHLO_OP(call_v1);
    if (op->def == FUNC_OP(return ))
        return VHLO_OP(return_v1);
    return vhlo_op_in(op->ctx, tw_str_from(op->def->name + strlen("stablehlo.")),
                      VHLO_CURRENT);
}

static bool convert_arguments(ir_op *op, bool others)
{
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (uint32_t i = 0; i < b->n_args; i++) {
                ir_type type = stablehlo_type_to_vhlo(b->args[i]->type, others);
                if (!type)
                    return false;
                b->args[i]->type = type;
            }
    return true;
}

static ir_op *make(ir_op *op, const ir_op_def *def, const ir_named_attr *attrs, bool others)
{
    ir_value **operands = tw_xmalloc((op->n_operands + 1u) * sizeof *operands);
    ir_type *results = tw_xmalloc((op->n_results + 1u) * sizeof *results);
    bool ok = true;
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = op->operands[i].value;
    for (uint32_t i = 0; ok && i < op->n_results; i++)
        ok = (results[i] = stablehlo_type_to_vhlo(op->results[i].type, others)) != NULL;
    ir_op_state state = {.def = def,
                         .loc = op->loc,
                         .attrs = attrs,
                         .n_attrs = def->attrs.count,
                         .operands = operands,
                         .n_operands = op->n_operands,
                         .results = results,
                         .n_results = op->n_results,
                         .n_regions = op->n_regions};
    ir_op *to = ok ? ir_op_create(op->ctx, &state) : NULL;
    free(operands);
    free(results);
    return to;
}

static bool convert_op(ir_op *op, bool others)
{
    ir_named_attr attrs[MAX_ATTRS];
    const ir_op_def *def = counterpart(op);
    if (!def || def->attrs.count > MAX_ATTRS || !collect_attrs(op, def, others, attrs) ||
        !convert_arguments(op, others))
        return false;
    ir_op *to = make(op, def, attrs, others);
    if (!to)
        return false;
    for (uint16_t i = 0; i < op->n_regions; i++)
        ir_region_take(&to->regions[i], &op->regions[i]);
    ir_op_insert_before(to, op);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], &to->results[i]);
    bool ok = convert_discardable(op, to, others);
    ir_op_erase(op);
    return ok;
}

static ir_walk note_op(ir_op *op, void *user)
{
    conversion *c = user;
    bool is_ours = strncmp(op->def->name, "stablehlo.", 10) == 0 ||
                   strncmp(op->def->name, "func.", 5) == 0;
    if (is_ours)
        TW_PUSH(c->ops, c->count, c->capacity, op);
    return IR_WALK_ON;
}

/* ---- the boundary to other dialects ------------------------------------------------- */

static bool is_vhlo(const ir_op *op)
{
    return strncmp(op->def->name, "vhlo.", 5) == 0;
}

/* Inserts a cast of `value` to `type` for its users on the other side of the boundary. */
static void cast_uses(ir_value *value, ir_type type, bool for_vhlo)
{
    ir_op *made = NULL;
    for (ir_operand *use = value->uses, *next; use; use = next) {
        next = use->next_use;
        if (use->owner == made || is_vhlo(use->owner) != for_vhlo)
            continue;
        if (!made) {
            ir_op *def = ir_value_def(value);
            ir_builder b = def ? ir_builder_after(def)
                               : ir_builder_at_start(type->ctx, ir_value_block(value),
                                                     ir_value_loc(value));
            made = ir_build_op(&b, BUILTIN_OP(unrealized_conversion_cast), &type, 1,
                               IR_VALUES(value), NULL, 0, 0);
        }
        ir_op_set_operand(use->owner, ir_operand_number(use), &made->results[0]);
    }
}

static void cast_value(ir_value *value)
{
    ir_type back = vhlo_type_to_builtin(value->type);
    if (back && back != value->type) {
        cast_uses(value, back, false);
        return;
    }
    ir_type to = vhlo_type_from(value->type);
    if (to && to != value->type)
        cast_uses(value, to, true);
}

static ir_walk cast_values(ir_op *op, void *user)
{
    (void)user;
    if (op->def == BUILTIN_OP(unrealized_conversion_cast))
        return IR_WALK_ON;
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (uint32_t i = 0; i < b->n_args; i++)
                cast_value(b->args[i]);
    for (uint32_t i = 0; i < op->n_results; i++)
        cast_value(&op->results[i]);
    return IR_WALK_ON;
}

/* Finds an operation of another dialect, which must not remain. */
static ir_walk find_other(ir_op *op, void *user)
{
    bool *ok = user;
    if (!is_vhlo(op) && op->def != BUILTIN_OP(module))
        *ok = ir_op_error(op,
                          "failed to legalize operation '%s' that was explicitly "
                          "marked illegal",
                          op->def->name);
    return *ok ? IR_WALK_ON : IR_WALK_STOP;
}

static bool run(ir_op *op, pass_run *run)
{
    conversion c = {.others = pass_option_bool(run, "allow-other-dialects")};
    bool ok = true;
    ir_walk_pre(op, note_op, &c);
    for (size_t i = 0; ok && i < c.count; i++) {
        ir_loc loc = c.ops[i]->loc;
        const char *name = c.ops[i]->def->name;
        ok = convert_op(c.ops[i], c.others) || ir_error_unlowered(op->ctx, loc, name, NULL);
    }
    free(c.ops);
    if (ok && c.others)
        ir_walk_pre(op, cast_values, NULL);
    else if (ok)
        ir_walk_pre(op, find_other, &ok);
    return ok;
}

const pass_def stablehlo_legalize_to_vhlo_pass = {
    .name = "stablehlo-legalize-to-vhlo",
    .title = "StablehloLegalizeToVhloPass",
    .summary = "Legalize StableHLO to VHLO",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(pass_option_def, {"allow-other-dialects", PASS_BOOL, "false",
                                         "Keep operations of other dialects"}),
};
