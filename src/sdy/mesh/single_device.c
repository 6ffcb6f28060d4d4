/* single_device.c: removes collectives from programs for a single device. */
#include "sdy/single_device.h"
#include "stablehlo/stablehlo.h"

/* False if the module declares several devices. */
static bool is_single(ir_op *module)
{
    return ir_op_int(module, "mhlo.num_partitions", 1) == 1 &&
           ir_op_int(module, "mhlo.num_replicas", 1) == 1;
}

/* True if every group has one device. */
static bool has_single_groups(ir_op *op)
{
    ir_attr groups = ir_op_attr(op, "replica_groups");
    return ir_attr_is(groups, IR_ATTR_DENSE) && groups->type->count == 2 &&
           groups->type->dims[1] == 1 && ir_type_num_elements(groups->type) > 0 &&
           ir_dense_int(groups, 0) == 0;
}

/* True if a device only sends to itself. */
static bool sends_to_itself(ir_op *op)
{
    ir_attr pairs = ir_op_attr(op, "source_target_pairs");
    return ir_attr_is(pairs, IR_ATTR_DENSE) && ir_type_num_elements(pairs->type) == 2 &&
           ir_dense_int(pairs, 0) == 0 && ir_dense_int(pairs, 1) == 0;
}

static bool exchanges(const ir_op *op)
{
    static const uint16_t rows[] = {STABLEHLO_all_gather, STABLEHLO_all_reduce,
                                    STABLEHLO_all_to_all, STABLEHLO_collective_broadcast,
                                    STABLEHLO_reduce_scatter};
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (op->def == &stablehlo_ops[rows[i]])
            return true;
    return false;
}

static bool keeps_types(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        if (i >= op->n_operands || op->operands[i].value->type != op->results[i].type)
            return false;
    return true;
}

static ir_walk visit(ir_op *op, void *single)
{
    bool own = (exchanges(op) && has_single_groups(op)) ||
               (op->def == STABLEHLO_OP(collective_permute) && sends_to_itself(op));
    if (own && keeps_types(op)) {
        for (uint32_t i = 0; i < op->n_results; i++)
            ir_value_replace_uses(&op->results[i], op->operands[i].value);
        ir_op_erase(op);
    } else if (*(bool *)single && (op->def == STABLEHLO_OP(partition_id) ||
                                   op->def == STABLEHLO_OP(replica_id))) {
        ir_builder b = ir_builder_before(op);
        ir_type type = op->results[0].type;
        ir_value *zero = ir_build1(&b, STABLEHLO_OP(constant), type, NULL, 0,
                                   IR_ATTRS({"value", ir_dense_splat_int(type, 0)}));
        ir_value_replace_uses(&op->results[0], zero);
        ir_op_erase(op);
    }
    return IR_WALK_ON;
}

void transform_drop_exchanges(ir_op *module)
{
    bool single = is_single(module);
    ir_walk_post(module, visit, &single);
}
