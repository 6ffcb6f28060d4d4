/* ttmetal_verify.c: verifies the operations of the ttmetal dialect. */
#include "ir/rules/rules.h"
#include "ttcore/ttcore.h"
#include "ttmetal/ttmetal.h"
#include "ttmetal/ttmetal_hooks.h"

static int64_t space_of(ir_type t)
{
    bool is_memref = t->kind == IR_TYPE_MEMREF || t->kind == IR_TYPE_UNRANKED_MEMREF;
    return is_memref && ir_attr_is(t->space, IR_ATTR_DIALECT) ? ir_enum_value(t->space, -1)
                                                              : -1;
}

static bool is_of_device(int64_t space)
{
    return space == TTCORE_MemorySpace_DeviceDRAM || space == TTCORE_MemorySpace_DeviceL1;
}

/* A kernel that uses the fabric must name a connection of the kernel's NoC. */
static bool fits_fabric(ir_op *op, ir_attr kernel)
{
    ir_attr fabrics = ir_op_attr(op, "fabricConnectionConfigs");
    ir_attr index = ir_attr_param(kernel, "fabric_config_index");
    uint32_t count = fabrics ? fabrics->count : 0;
    if (!index)
        return true;
    CHK_ERROR_IF(
        index->value < 0 || index->value >= count,
        "fabric_config_index %lld is out of range for fabricConnectionConfigs of size "
        "%u",
        (long long)index->value, count);
    CHK_ERROR_IF(ir_attr_param(fabrics->items[index->value], "noc_index") !=
                     ir_attr_param(kernel, "noc_index"),
                 "fabric_config_index %lld noc_index does not match NocConfig noc_index",
                 (long long)index->value);
    return true;
}

bool ttmetal_verify_program(ir_op *op)
{
    ir_attr kernels = ir_op_attr(op, "kernelConfigs");
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type t = ir_op_operand(op, i)->type;
        CHK_ERROR_IF(t->kind == IR_TYPE_MEMREF && !is_of_device(space_of(t)),
                     "Operand tensor to EnqueueProgramOp must be in device memory space");
    }
    for (uint32_t i = 0; i < kernels->count; i++)
        if (kernels->items[i]->def == TTMETAL_ATTR(noc_config) &&
            !fits_fabric(op, kernels->items[i]))
            return false;
    return true;
}

bool ttmetal_verify_read(ir_op *op)
{
    int64_t space = space_of(ir_op_operand_named(op, "output")->type);
    CHK_ERROR_IF(is_of_device(space), "Output tensor must be in system memory space");
    return true;
}

bool ttmetal_verify_write(ir_op *op)
{
    CHK_ERROR_IF(!is_of_device(space_of(ir_op_operand_named(op, "output")->type)),
                 "Output tensor must be in device memory space");
    return true;
}
