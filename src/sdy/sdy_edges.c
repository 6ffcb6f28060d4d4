/* sdy_edges.c: verifies records of propagation: the value of an operation that gave an
 * axis to others, step by step. */
#include "sdy/sdy.h"
#include "sdy/sdy_verify.h"

static bool contains(ir_attr list, uint32_t n, ir_attr item)
{
    for (uint32_t i = 0; i < n; i++)
        if (list->items[i] == item)
            return true;
    return false;
}

static bool check_entry(ir_context *ctx, ir_loc loc, long long step, ir_attr entry)
{
    ir_attr source = entry->params[1], targets = entry->params[2];
    tw_str axis = sdy_axis_name(entry->params[0]);
    for (uint32_t i = 0; i < sdy_length(targets); i++) {
        if (targets->items[i] == source)
            return ir_error(ctx, loc,
                            "propagation edges have a source that is the same as a target");
        if (contains(targets, i, targets->items[i]))
            return ir_error(ctx, loc,
                            "propagation edges have duplicate targets for step index: %lld "
                            "and axis: %.*s",
                            step, (int)axis.size, axis.data);
    }
    return true;
}

bool sdy_verify_propagation_edges(ir_context *ctx, ir_loc loc, ir_attr edges)
{
    ir_attr steps = edges->params[0];
    for (uint32_t i = 0; i < sdy_length(steps); i++) {
        long long step = steps->items[i]->params[0]->value;
        if (step < 0)
            return ir_error(ctx, loc, "propagation edges have negative step index: %lld",
                            step);
        for (uint32_t k = 0; k < i; k++)
            if (steps->items[k]->params[0]->value == step)
                return ir_error(ctx, loc,
                                "propagation edges have duplicate step index: %lld", step);
        ir_attr entries = steps->items[i]->params[1];
        for (uint32_t k = 0; k < sdy_length(entries); k++)
            if (!check_entry(ctx, loc, step, entries->items[k]))
                return false;
    }
    return true;
}

/* ---- on an operation ---------------------------------------------------------------- */

static bool is_result(ir_attr ref)
{
    return ir_attr_int(ref->params[0], -1) == SDY_EdgeNodeType_RESULT;
}

static ir_value *value_of(ir_op *op, ir_attr ref)
{
    int64_t i = ref->params[1]->value;
    if (is_result(ref))
        return i >= 0 && i < op->n_results ? &op->results[i] : NULL;
    return i >= 0 && i < op->n_operands ? op->operands[i].value : NULL;
}

static bool check_ref(ir_op *op, ir_attr ref)
{
    bool result = is_result(ref);
    uint32_t n = result ? op->n_results : op->n_operands;
    int64_t i = ref->params[1]->value;
    return op->def == SDY_OP(func_data_flow_edge) || (i >= 0 && i < n) ||
           ir_op_error(op,
                       "expected a value ref to have %s index in range [0, %u), got: %lld",
                       result ? "a result" : "an operand", n, (long long)i);
}

/* The mesh that all shardings so far have in common. */
typedef struct meshes {
    ir_attr common;
    bool any, differ;
} meshes;

static void note_sharding(ir_op *op, ir_attr ref, meshes *m)
{
    ir_value *value = value_of(op, ref);
    ir_attr sharding = value ? sdy_sharding_of(value) : NULL;
    ir_attr mesh = sharding ? sdy_mesh_of(op, sharding) : NULL;
    m->any |= sharding != NULL;
    if (!mesh || (!sdy_length(mesh->params[0]) && !sdy_length(mesh->params[1])))
        return;
    m->differ |= m->common && m->common != mesh;
    m->common = mesh;
}

typedef bool entry_fn(ir_op *op, ir_attr entry, meshes *m);

static bool note_entry(ir_op *op, ir_attr entry, meshes *m)
{
    ir_attr targets = entry->params[2];
    note_sharding(op, entry->params[1], m);
    for (uint32_t i = 0; i < sdy_length(targets); i++)
        note_sharding(op, targets->items[i], m);
    return true;
}

static bool check_refs(ir_op *op, ir_attr entry, meshes *m)
{
    ir_attr targets = entry->params[2];
    if (sdy_axis_index(m->common, entry->params[0]) < 0)
        return ir_op_error(op, "expected axis ref to be in one of the meshes");
    if (!check_ref(op, entry->params[1]))
        return false;
    for (uint32_t i = 0; i < sdy_length(targets); i++)
        if (!check_ref(op, targets->items[i]))
            return false;
    return true;
}

static bool each_entry(ir_op *op, ir_attr edges, entry_fn *fn, meshes *m)
{
    ir_attr steps = edges->params[0];
    for (uint32_t i = 0; i < sdy_length(steps); i++) {
        ir_attr entries = steps->items[i]->params[1];
        for (uint32_t k = 0; k < sdy_length(entries); k++)
            if (!fn(op, entries->items[k], m))
                return false;
    }
    return true;
}

bool sdy_check_edges(ir_op *op, ir_attr edges)
{
    meshes m = {0};
    each_entry(op, edges, note_entry, &m);
    if (!m.any)
        return ir_op_error(op, "expected propagation edges attr to reference a sharding.");
    if (m.differ || !m.common)
        return ir_op_error(op, "expected a common mesh for propagation edges attr.");
    return each_entry(op, edges, check_refs, &m);
}
