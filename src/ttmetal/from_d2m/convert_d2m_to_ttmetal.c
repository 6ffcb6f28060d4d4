/* convert_d2m_to_ttmetal.c: functions of hosts that run generics become functions that
 * create buffers, fill and read them, and enqueue programs. */
#include "d2m/generic.h"
#include "d2m/threads.h"
#include "ir/pass/pass.h"
#include "mlir/memref/memref.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_tile.h"
#include "ttmetal/from_d2m/from_d2m.h"
#include "ttmetal/ttmetal.h"

static bool illegal(ir_op *op)
{
    return ir_error_unlowered(op->ctx, op->loc, op->def->name, NULL);
}

static bool replace(ir_op *op, ir_value *by)
{
    if (op->n_results && by)
        ir_value_replace_uses(&op->results[0], by);
    if (!ir_op_is_unused(op))
        return illegal(op);
    ir_op_erase(op);
    return true;
}

static bool is_on_device(ir_type memref)
{
    return memref->kind == IR_TYPE_MEMREF && ir_attr_is(memref->space, IR_ATTR_DIALECT) &&
           memref->space->def == TTCORE_ATTR(memory_space);
}

/* ---- operations ---------------------------------------------------------------------- */

static bool convert_alloc(ir_op *op)
{
    ir_type type = op->results[0].type;
    ir_attr address = ir_op_attr(op, "address");
    if (!is_on_device(type))
        return true;
    if (!ir_attr_is(address, IR_ATTR_INTEGER) || op->n_operands ||
        !(d2m_is_device_layout(type->encoding) ||
          (ir_attr_is(type->encoding, IR_ATTR_DIALECT) &&
           type->encoding->def == TTCORE_ATTR(cb_layout))))
        return illegal(op);
    ir_builder b = ir_builder_before(op);
    return replace(op,
                   ir_build1(&b, TTMETAL_OP(create_buffer), type, NULL, 0,
                             IR_ATTRS({"address", address},
                                      {"virtualGridInverseMapping",
                                       ir_op_attr(op, "d2m.virtualGridInverseMapping")},
                                      {"virtualGridForwardMapping",
                                       ir_op_attr(op, "d2m.virtualGridForwardMapping")})));
}

static bool convert_dealloc(ir_op *op)
{
    ir_value *buffer = ir_op_operand(op, 0);
    if (!is_on_device(buffer->type))
        return true;
    ir_builder b = ir_builder_before(op);
    ir_build_op(&b, TTMETAL_OP(deallocate_buffer), NULL, 0, &buffer, 1, NULL, 0, 0);
    return replace(op, NULL);
}

static bool convert_transfer(ir_op *op)
{
    bool to_device = op->def == D2M_OP(to_device);
    ir_value *ends[] = {d2m_behind(ir_op_operand(op, 0)), d2m_behind(ir_op_operand(op, 1))};
    if (op->n_results || !is_on_device(ends[to_device]->type))
        return illegal(op);
    ir_builder b = ir_builder_before(op);
    ir_op *transfer = ir_build_op(
        &b, to_device ? TTMETAL_OP(enqueue_write_buffer) : TTMETAL_OP(enqueue_read_buffer),
        NULL, 0, ends, 2, NULL, 0, 0);
    if (ttcore_is_tile(ends[to_device]->type->element))
        ir_op_set_attr(transfer, TTMETAL_PAGES_ATTR, ir_unit_attr(op->ctx));
    if (!to_device)
        ir_build_op(&b, TTMETAL_OP(finish), NULL, 0, NULL, 0, NULL, 0, 0);
    return replace(op, NULL);
}

static bool convert_mesh_shard(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *input = ir_op_operand(op, 0);
    if (input->type->kind != IR_TYPE_MEMREF)
        return illegal(op);
    return replace(
        op, ir_build1(&b, TTMETAL_OP(mesh_shard), op->results[0].type, &input, 1,
                      IR_ATTRS({"shard_type", ir_op_attr(op, "shard_type")},
                               {"shard_direction", ir_op_attr(op, "shard_direction")},
                               {"shard_shape", ir_op_attr(op, "shard_shape")},
                               {"shard_dims", ir_op_attr(op, "shard_dims")})));
}

static bool convert_local_semaphore(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_type type = ir_dialect_type(op->ctx, TTMETAL_TYPE(local_semaphore), NULL, 0);
    return replace(op,
                   ir_build1(&b, TTMETAL_OP(create_local_semaphore), type, NULL, 0,
                             IR_ATTRS({"initial_value", ir_op_attr(op, "initialValue")})));
}

static bool convert_global_semaphore(ir_op *op)
{
    ir_op *alloc = ir_value_def(ir_op_operand(op, 0));
    int64_t size[2], origin[2] = {0, 0};
    ir_attr address = alloc ? ir_op_attr(alloc, "address") : NULL;
    if (!(ir_op_is(alloc, MEMREF_OP(alloc)) ||
          ir_op_is(alloc, TTMETAL_OP(create_buffer))) ||
        !address || !d2m_memref_grid(ir_op_operand(op, 0)->type, size))
        return illegal(op);
    ir_builder b = ir_builder_before(op);
    ir_type type = ir_dialect_type(op->ctx, TTMETAL_TYPE(global_semaphore), NULL, 0);
    return replace(
        op,
        ir_build1(&b, TTMETAL_OP(create_global_semaphore), type, NULL, 0,
                  IR_ATTRS({"address", address}, {"initial_value", ir_op_attr(op, "value")},
                           {"core_range", d2x_core_range(op->ctx, origin, size)})));
}

static bool convert_reset(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *semaphore = ir_op_operand(op, 0);
    if (semaphore->type->def != TTMETAL_TYPE(global_semaphore))
        return illegal(op);
    ir_build_op(&b, TTMETAL_OP(reset_global_semaphore), NULL, 0, &semaphore, 1,
                IR_ATTRS({"value", ir_op_attr(op, "value")}), 0);
    return replace(op, NULL);
}

static bool convert_view(ir_op *op)
{
    return replace(op, ir_op_operand(op, 0));
}

static bool convert_alias(ir_op *op)
{
    return replace(op, NULL);
}

static const struct {
    const ir_op_def *def;
    bool (*convert)(ir_op *op);
} table[] = {
    {D2M_OP(create_global_semaphore), convert_global_semaphore},
    {D2M_OP(create_local_semaphore), convert_local_semaphore},
    {D2M_OP(mesh_shard), convert_mesh_shard},
    {D2M_OP(operand_alias), convert_alias},
    {D2M_OP(reset_global_semaphore), convert_reset},
    {D2M_OP(to_device), convert_transfer},
    {D2M_OP(to_host), convert_transfer},
    {D2M_OP(view_layout), convert_view},
    {MEMREF_OP(alloc), convert_alloc},
    {MEMREF_OP(dealloc), convert_dealloc},
};

/* ---- the pass ------------------------------------------------------------------------ */

static bool is_spatial(const ir_op *op)
{
    return op->def == D2M_OP(spatial);
}

static bool is_convertible(const ir_op *op)
{
    for (size_t i = 0; i < TW_COUNT(table); i++)
        if (table[i].def == op->def)
            return true;
    return false;
}

static bool convert(ir_op *op)
{
    for (size_t i = 0; i < TW_COUNT(table); i++)
        if (table[i].def == op->def)
            return table[i].convert(op);
    return true;
}

/* What may stay: operations of these dialects, and memrefs of hosts. */
static bool is_legal(const ir_op *op)
{
    static const char *const dialects[] = {"builtin.", "arith.",   "func.",
                                           "memref.",  "ttmetal.", "ttkernel.",
                                           "ttcore.",  "scf.",     "emitc."};
    for (size_t i = 0; i < TW_COUNT(dialects); i++)
        if (!strncmp(op->def->name, dialects[i], strlen(dialects[i])))
            return true;
    return false;
}

static bool check_rest(ir_op *module)
{
    ir_op_list ops = ir_ops_in(module, NULL);
    bool ok = true;
    for (size_t i = 0; i < ops.n && ok; i++)
        if (!is_legal(ops.at[i]))
            ok = illegal(ops.at[i]);
    ir_op_list_free(&ops);
    return ok;
}

static bool convert_programs(ir_op *module, int64_t fidelity)
{
    ir_op_list generics = d2m_generics_in(module);
    bool ok = true;
    for (size_t i = 0; i < generics.n && ok; i++)
        ok = d2x_program(generics.at[i], fidelity);
    ir_op_list_free(&generics);
    return ok;
}

/* Users before what they use, where these are erased with their users. */
static bool convert_rest(ir_op *module)
{
    ir_op_list ops = ir_ops_in(module, is_convertible);
    bool ok = true;
    for (size_t i = 0; i < ops.n && ok; i++)
        ok = convert(ops.at[i]);
    ir_op_list_free(&ops);
    ir_op_list spatials = ir_ops_in(module, is_spatial);
    for (size_t i = 0; i < spatials.n && ok; i++)
        ok = d2x_spatial(spatials.at[i]);
    ir_op_list_free(&spatials);
    return ok;
}

static bool run(ir_op *module, pass_run *run)
{
    int64_t fidelity;
    return d2x_fidelity(module, pass_option_str(run, "math-fidelity"),
                        &ttmetal_enum_MathFidelity, &fidelity) &&
           d2m_check_cores(module, "D2MToTTMetal") && convert_programs(module, fidelity) &&
           convert_rest(module) && check_rest(module);
}

const pass_def convert_d2m_to_ttmetal_pass = {
    .name = "convert-d2m-to-ttmetal",
    .title = "ConvertD2MToTTMetal",
    .summary = "Convert d2m dialect to ttmetal dialect.",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(pass_option_def, {"math-fidelity", PASS_STRING, "HiFi4",
                                         "Set the math fidelity for compute kernels."}),
};
