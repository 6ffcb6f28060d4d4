/* ttnn_program_verify.c: programs of kernels as attributes: sets of cores, a kernel's
 * arguments at compile time and at run time; ttnn.generic, which runs such a program, and
 * ttnn.d2m_subgraph, which names the function that becomes one. */
#include "mlir/builtin/builtin.h"
#include "mlir/func/func.h"
#include "ttnn/ttnn.h"
#include "ttnn/ttnn_hooks.h"

/* ---- cores -------------------------------------------------------------------------- */

typedef struct rect {
    int64_t x0, y0, x1, y1;
} rect;

static rect rect_of(ir_attr range)
{
    ir_attr from = ir_attr_param(range, "start_coord");
    ir_attr to = ir_attr_param(range, "end_coord");
    return (rect){
        ir_attr_int(ir_attr_param(from, "x"), 0), ir_attr_int(ir_attr_param(from, "y"), 0),
        ir_attr_int(ir_attr_param(to, "x"), 0), ir_attr_int(ir_attr_param(to, "y"), 0)};
}

static bool overlap(rect a, rect b)
{
    return a.x0 <= b.x1 && b.x0 <= a.x1 && a.y0 <= b.y1 && b.y0 <= a.y1;
}

bool ttnn_verify_core_range_set(ir_context *ctx, ir_loc loc, ir_attr set)
{
    ir_attr ranges = ir_attr_param(set, "core_ranges");
    for (uint32_t i = 0; ir_attr_is(ranges, IR_ATTR_ARRAY) && i < ranges->count; i++)
        for (uint32_t k = i + 1; k < ranges->count; k++)
            if (overlap(rect_of(ranges->items[i]), rect_of(ranges->items[k])))
                return ir_error(ctx, loc, "Core ranges overlap: %s and %s",
                                ir_attr_text(ctx, ranges->items[i]),
                                ir_attr_text(ctx, ranges->items[k]));
    return true;
}

/* ---- kernels ------------------------------------------------------------------------ */

/* Which attributes may stand where. */
enum { COMMON = 1, COMPILE_TIME = 2, KERNEL = 4 };
static const struct {
    const ir_attr_def *def;
    int where;
} attachments[] = {
    {TTNN_ATTR(kernel_arg_cb_buffer_index), COMMON | COMPILE_TIME},
    {TTNN_ATTR(kernel_arg_scalar), COMMON | COMPILE_TIME},
    {TTNN_ATTR(kernel_arg_semaphore_at), COMMON | COMPILE_TIME},
    {TTNN_ATTR(kernel_arg_address_of_tensor), COMMON},
    {TTNN_ATTR(kernel_arg_global_semaphore), COMMON},
    {TTNN_ATTR(kernel_named_arg), COMMON},
    {TTNN_ATTR(kernel_arg_tensor_accessor_args), COMPILE_TIME},
    {TTNN_ATTR(compute_kernel), KERNEL},
    {TTNN_ATTR(read_kernel), KERNEL},
    {TTNN_ATTR(write_kernel), KERNEL},
    {TTNN_ATTR(data_movement_kernel), KERNEL},
    {TTNN_ATTR(source_compute_kernel), KERNEL},
    {TTNN_ATTR(source_read_kernel), KERNEL},
    {TTNN_ATTR(source_write_kernel), KERNEL},
};

static bool stands_at(ir_attr attr, int where)
{
    for (size_t i = 0; i < TW_COUNT(attachments); i++)
        if (ir_attr_is(attr, IR_ATTR_DIALECT) && attr->def == attachments[i].def)
            return attachments[i].where & where;
    return false;
}

static bool all_stand_at(ir_attr list, int where)
{
    for (uint32_t i = 0; ir_attr_is(list, IR_ATTR_ARRAY) && i < list->count; i++)
        if (!stands_at(list->items[i], where))
            return false;
    return true;
}

/* Arguments of a core are given once. */
static bool check_cores(ir_context *ctx, ir_loc loc, ir_attr list)
{
    for (uint32_t i = 1; ir_attr_is(list, IR_ATTR_ARRAY) && i < list->count; i++) {
        ir_attr core = ir_attr_param(list->items[i], "core_coord");
        for (uint32_t k = 0; k < i; k++)
            if (ir_attr_param(list->items[k], "core_coord") == core)
                return ir_error(ctx, loc,
                                "Duplicate CoreCoord (%lld, %lld) in runtime arguments",
                                (long long)ir_attr_int(ir_attr_param(core, "x"), 0),
                                (long long)ir_attr_int(ir_attr_param(core, "y"), 0));
    }
    return true;
}

bool ttnn_verify_kernel(ir_context *ctx, ir_loc loc, ir_attr kernel)
{
    ir_attr source = ir_attr_param(kernel, "source");
    if (kernel->def == TTNN_ATTR(data_movement_kernel) &&
        ir_enum_value(ir_attr_param(kernel, "noc_mode"), 0) == TTNN_NocMode_DynamicNoc)
        return ir_error(ctx, loc, "dynamic noc mode is not supported");
    if (ir_attr_is(source, IR_ATTR_STRING) && ir_attr_str(source).size == 0)
        return ir_error(ctx, loc, "inline-source kernel requires a non-empty `source`");
    if (!all_stand_at(ir_attr_param(kernel, "common_rt_args"), COMMON))
        return ir_error(ctx, loc, "Unexpected common runtime argument");
    if (!check_cores(ctx, loc, ir_attr_param(kernel, "rt_args")))
        return false;
    return all_stand_at(ir_attr_param(kernel, "ct_args"), COMPILE_TIME) ||
           ir_error(ctx, loc, "Unexpected compile time argument");
}

bool ttnn_verify_program(ir_context *ctx, ir_loc loc, ir_attr program)
{
    return all_stand_at(ir_attr_param(program, "kernels"), KERNEL) ||
           ir_error(ctx, loc, "Unexpected kernel");
}

/* ---- ttnn.generic ------------------------------------------------------------------- */

/* Whether an argument of class `def` names one of `most` things. */
static bool names_one(ir_attr list, const ir_attr_def *def, const char *index, size_t most)
{
    for (uint32_t i = 0; ir_attr_is(list, IR_ATTR_ARRAY) && i < list->count; i++)
        if (ir_attr_is(list->items[i], IR_ATTR_DIALECT) && list->items[i]->def == def &&
            (uint64_t)ir_attr_int(ir_attr_param(list->items[i], index), 0) >= most)
            return false;
    return true;
}

static bool check_program(ir_op *op, ir_attr program, size_t n_tensors)
{
    static const char *const lists[] = {"common_rt_args", "ct_args"};
    ir_attr kernels = ir_attr_param(program, "kernels");
    ir_attr semaphores = ir_attr_param(program, "semaphores");
    size_t n_semaphores = ir_attr_is(semaphores, IR_ATTR_ARRAY) ? semaphores->count : 0;
    if (n_tensors == 0)
        return ir_error_at_op(op, "GenericOp must have at least one operand");
    for (uint32_t i = 0; ir_attr_is(kernels, IR_ATTR_ARRAY) && i < kernels->count; i++) {
        ir_attr kernel = kernels->items[i];
        if (!names_one(ir_attr_param(kernel, "common_rt_args"),
                       TTNN_ATTR(kernel_arg_address_of_tensor), "tensor_index", n_tensors))
            return ir_op_error(op, "Address of tensor at index is out of bounds");
        for (size_t l = 0; l < TW_COUNT(lists); l++)
            if (!names_one(ir_attr_param(kernel, lists[l]),
                           TTNN_ATTR(kernel_arg_semaphore_at), "semaphore_index",
                           n_semaphores))
                return ir_op_error(op, "Semaphore at index is out of bounds");
    }
    return true;
}

bool ttnn_check_generic(ir_op *op)
{
    ir_attr program = ir_op_attr(op, "program");
    size_t start, n_tensors;
    if (!ir_op_operand_group(op, 0, &start, &n_tensors))
        return true;
    if (program->def != TTNN_ATTR(mesh_program_descriptor))
        return check_program(op, program, n_tensors);
    ir_attr programs = ir_attr_param(program, "mesh_programs");
    for (uint32_t i = 0; ir_attr_is(programs, IR_ATTR_ARRAY) && i < programs->count; i++)
        if (!check_program(op, ir_attr_param(programs->items[i], "program"), n_tensors))
            return false;
    return true;
}

/* ---- ttnn.d2m_subgraph -------------------------------------------------------------- */

bool ttnn_check_subgraph(ir_op *op)
{
    ir_attr ref = ir_op_attr(op, "d2m_func");
    tw_str name = ir_attr_str(ref->items[0]);
    ir_op *module = ir_op_parent(op);
    size_t start, n_inputs;
    while (module && module->def != BUILTIN_OP(module))
        module = ir_op_parent(module);
    ir_op *function = module ? ir_symbol_lookup(module, name) : NULL;
    CHK_ERROR_IF(!ir_op_is(function, FUNC_OP(func)),
                 "Could not find D2M function '%s' in parent module.",
                 ir_attr_text(op->ctx, ref));
    if (!ir_op_operand_group(op, 0, &start, &n_inputs))
        return true;
    ir_type type = ir_op_attr(function, "function_type")->type;
    CHK_ERROR_IF(type->count != n_inputs, "D2M function must have %zu arguments, got %u",
                 n_inputs, type->count);
    for (size_t i = 0; i < n_inputs; i++)
        CHK_ERROR_IF(op->operands[start + i].value->type != type->types[i],
                     "D2M function argument type %zu mismatch: expected '%s', got '%s'", i,
                     ir_type_text(op->ctx, op->operands[start + i].value->type),
                     ir_type_text(op->ctx, type->types[i]));
    CHK_ERROR_IF(type->results != op->n_results,
                 "D2M function must have %u return values, got %u", op->n_results,
                 type->results);
    for (uint32_t i = 0; i < op->n_results; i++)
        CHK_ERROR_IF(op->results[i].type != ir_function_results(type)[i],
                     "D2M function return type %u mismatch: expected '%s', got '%s'", i,
                     ir_type_text(op->ctx, op->results[i].type),
                     ir_type_text(op->ctx, ir_function_results(type)[i]));
    return true;
}
