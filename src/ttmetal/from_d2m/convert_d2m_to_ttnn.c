/* convert_d2m_to_ttnn.c: functions of hosts on tensors of TTNN that run generics: buffers
 * become tensors, generics become ttnn.generic. */
#include "d2m/generic.h"
#include "d2m/metal_layout.h"
#include "d2m/threads.h"
#include "ir/pass/pass.h"
#include "mlir/memref/memref.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_tile.h"
#include "ttir/ttir.h"
#include "ttmetal/from_d2m/from_d2m.h"
#include "ttmetal/from_d2m/ttnn_programs.h"
#include "ttnn/build.h"
#include "ttnn/layout.h"

#include <stdlib.h>

/* ---- tensors of buffers -------------------------------------------------------------- */

/* Rows and columns of the cores that hold a buffer's shards; false if they form no
 * rectangle. */
static bool cores_of(ir_value *buffer, const d2m_shape *grid, int64_t cores[2],
                     bool *mapped)
{
    ir_affine_map forward = d2m_virtual_grid_of(buffer).forward;
    d2m_shape whole, physical;
    *mapped = forward && forward->n_results;
    if (*mapped) {
        if (!d2m_shape_of(buffer->type, &whole) ||
            !d2m_map_shape(forward, &whole, &physical) || physical.n < 2)
            return false;
        cores[0] = physical.at[0];
        cores[1] = physical.at[1];
        return true;
    }
    cores[0] = grid->at[0];
    cores[1] = grid->at[1];
    return grid->n == 2;
}

/* The layout of a buffer as TTNN has it, with the rows and columns of its tensor. Shards of
 * more dimensions, and grids of more, are rows below each other: on each core the same
 * bytes. */
static bool layout_of(ir_value *buffer, ttnn_layout *out, int64_t dims[2])
{
    ir_type type = buffer->type;
    d2m_shape grid, shard;
    int64_t cores[2];
    bool mapped;
    d2m_half_of(type, false, &grid);
    d2m_half_of(type, true, &shard);
    const bool tiled = ttcore_is_tile(type->element),
               interleaved = type->encoding->def == TTCORE_ATTR(interleaved);
    int64_t dtype =
        tiled ? ttcore_tile_data_type(type->element) : ttnn_dtype_of(type->element);
    if (grid.n < 2 || shard.n != grid.n || dtype < 0 ||
        !cores_of(buffer, &grid, cores, &mapped) || (interleaved && grid.n != 2))
        return false;
    const bool flat = grid.n == 2; /* the tensor is seen in one piece */
    const int64_t columns = shard.at[shard.n - 1], rows = d2m_volume(&shard) / columns;
    dims[0] = (flat ? grid.at[0] : cores[0]) * rows * (tiled ? TTNN_TILE : 1);
    dims[1] = (flat ? grid.at[1] : cores[1]) * columns * (tiled ? TTNN_TILE : 1);
    *out = ttnn_layout_dram(dtype);
    out->tiled = tiled;
    out->buffer = ir_enum_value(type->space, -1) == TTCORE_MemorySpace_DeviceL1
                      ? TTNN_BufferType_L1
                      : TTNN_BufferType_DRAM;
    if (interleaved)
        return true;
    memcpy(out->grid, cores, sizeof out->grid);
    out->memory = !mapped || !flat ? TTNN_TensorMemoryLayout_BlockSharded
                  : grid.at[0] > 1 ? TTNN_TensorMemoryLayout_HeightSharded
                                   : TTNN_TensorMemoryLayout_WidthSharded;
    int64_t rect[1][4] = {{0, 0, out->grid[1] - 1, out->grid[0] - 1}};
    out->cores = ttnn_core_ranges(type->ctx, rect, 1);
    return true;
}

static ir_op *cast_of(const ir_value *buffer)
{
    for (const ir_operand *use = buffer->uses; use; use = use->next_use)
        if (use->owner->def == TTIR_OP(ttnn_metal_layout_cast))
            return use->owner;
    return NULL;
}

static ir_value *build_empty(ir_op *at, ir_type type)
{
    ir_builder b = ir_builder_after(at);
    ir_value *device = tnb_device(&b, at);
    return ir_build1(&b, TTNN_OP(empty), type, &device, 1,
                     IR_ATTRS({"shape", tnb_shape(b.ctx, type->dims, type->count)}));
}

static bool backs_semaphore(const ir_value *buffer)
{
    for (const ir_operand *use = buffer->uses; use; use = use->next_use)
        if (use->owner->def == D2M_OP(create_global_semaphore))
            return true;
    return false;
}

/* Elements with the padding of tiles. */
static int64_t padded_volume(ir_type type, bool tiled)
{
    int64_t all = tiled && type->count < 2 ? TTNN_TILE : 1;
    for (uint32_t i = 0; i < type->count; i++)
        all *= tiled && i + 2 >= type->count
                   ? (type->dims[i] + TTNN_TILE - 1) / TTNN_TILE * TTNN_TILE
                   : type->dims[i];
    return all;
}

static bool convert_alloc(ir_op *op, ir_mapping *tensors)
{
    ir_value *buffer = &op->results[0];
    ir_attr layout = buffer->type->encoding;
    if (backs_semaphore(buffer) ||
        (ir_attr_is(layout, IR_ATTR_DIALECT) && layout->def == TTCORE_ATTR(cb_layout)))
        return true;
    if (!ttnn_device_of(op))
        return ir_op_error(op, "could not find device attribute");
    ttnn_layout l, wanted;
    int64_t dims[2];
    if (!d2m_is_device_layout(layout) || !layout_of(buffer, &l, dims)) {
        ir_op_error(
            op, "Unsupported memref.alloc: expected shards over a grid of cores, found %s",
            ir_type_text(op->ctx, buffer->type));
        ir_help(op->ctx,
                "values between the host's memory and kernels need arguments and results "
                "with layouts of ttnn");
        return false;
    }
    ir_type type = ir_tensor_type(ttnn_dtype_element(op->ctx, l.dtype), dims, 2,
                                  ttnn_layout_attr(op->ctx, &l, dims, 2));
    ir_op *cast = cast_of(buffer);
    if (cast) {
        ir_type result = cast->results[0].type;
        if (!ttnn_layout_of(result, &wanted) ||
            padded_volume(result, wanted.tiled) != padded_volume(type, l.tiled) ||
            wanted.buffer != l.buffer ||
            (l.memory != TTNN_TensorMemoryLayout_Interleaved &&
             memcmp(wanted.grid, l.grid, sizeof l.grid) != 0))
            return ir_op_error(op, "ttnn_metal_layout_cast and converted type must have "
                                   "the same volume, buffer type and grid shape");
        type = result;
    }
    ir_mapping_set(tensors, buffer, build_empty(op, type));
    return true;
}

static bool convert_empty(ir_op *op, ir_mapping *tensors)
{
    ttnn_layout l;
    if (!ttnn_layout_of(op->results[0].type, &l))
        return ir_op_error(op, "unsupported encoding type");
    ir_mapping_set(tensors, &op->results[0], build_empty(op, op->results[0].type));
    return true;
}

/* ---- semaphores ---------------------------------------------------------------------- */

static bool convert_semaphore(ir_op *op, ir_mapping *tensors)
{
    int64_t grid[2];
    if (!ir_op_is(ir_value_def(ir_op_operand(op, 0)), MEMREF_OP(alloc)) ||
        !d2m_memref_grid(ir_op_operand(op, 0)->type, grid))
        return ir_op_error(op, "its memory must be that of a memref.alloc over a grid");
    int64_t rect[1][4] = {{0, 0, grid[1] - 1, grid[0] - 1}};
    ir_builder b = ir_builder_after(op);
    ir_value *device = tnb_device(&b, op);
    ir_type type = ir_dialect_type(op->ctx, TTNN_TYPE(global_semaphore), NULL, 0);
    ir_mapping_set(
        tensors, &op->results[0],
        ir_build1(&b, TTNN_OP(create_global_semaphore), type, &device, 1,
                  IR_ATTRS({"initial_value", ir_op_attr(op, "value")},
                           {"core_range_set", ttnn_core_ranges(op->ctx, rect, 1)})));
    return true;
}

static bool convert_reset(ir_op *op, ir_mapping *tensors)
{
    ir_value *semaphore = ir_mapping_get(tensors, ir_op_operand(op, 0));
    if (!semaphore)
        return ir_op_error(op, "its semaphore must be one that the function creates");
    ir_builder b = ir_builder_after(op);
    ir_build_op(&b, TTNN_OP(reset_global_semaphore), NULL, 0, &semaphore, 1,
                IR_ATTRS({"value", ir_op_attr(op, "value")}), 0);
    return true;
}

/* ---- the pass ------------------------------------------------------------------------ */

typedef bool convert_fn(ir_op *op, ir_mapping *tensors);

/* Converts all operations of a kind; conversions do not erase what they convert. */
static bool convert_all(ir_op *module, const ir_op_def *def, convert_fn *convert,
                        ir_mapping *tensors)
{
    ir_op_list ops = ir_ops_in(module, NULL);
    bool ok = true;
    for (size_t i = 0; i < ops.n && ok; i++)
        if (ops.at[i]->def == def)
            ok = convert(ops.at[i], tensors);
    ir_op_list_free(&ops);
    return ok;
}

static bool is_spatial(const ir_op *op)
{
    return op->def == D2M_OP(spatial);
}

static bool convert_programs(ir_op *module, const ir_mapping *tensors, int64_t fidelity,
                             bool fp32_dest)
{
    ir_op_list ops = d2m_generics_in(module);
    bool ok = true;
    for (size_t i = 0; i < ops.n && ok; i++)
        ok = d2t_program(ops.at[i], tensors, fidelity, fp32_dest);
    ir_op_list_free(&ops);
    ops = ir_ops_in(module, is_spatial);
    for (size_t i = 0; i < ops.n && ok; i++)
        ok = d2t_spatial(ops.at[i]);
    ir_op_list_free(&ops);
    return ok;
}

/* Casts to tensors give the tensor behind them. */
static void resolve_casts(ir_op *module, const ir_mapping *tensors)
{
    ir_op_list ops = ir_ops_in(module, NULL);
    for (size_t i = 0; i < ops.n; i++) {
        ir_op *op = ops.at[i];
        bool cast = op->def == TTIR_OP(ttnn_metal_layout_cast) &&
                    ir_type_is_tensor(op->results[0].type);
        ir_value *to = op->def == D2M_OP(empty) ? ir_mapping_get(tensors, &op->results[0])
                       : cast ? d2t_tensor_of(tensors, ir_op_operand(op, 0))
                              : NULL;
        if (to)
            ir_value_replace_uses(&op->results[0], to);
    }
    ir_op_list_free(&ops);
}

static bool is_leftover(const ir_op *op)
{
    static const ir_op_def *const defs[] = {
        TTIR_OP(ttnn_metal_layout_cast),
        D2M_OP(view_layout),
        D2M_OP(empty),
        D2M_OP(reset_global_semaphore),
        D2M_OP(create_global_semaphore),
        D2M_OP(create_local_semaphore),
        MEMREF_OP(dealloc),
        MEMREF_OP(alloc),
        D2M_OP(operand_alias),
    };
    for (size_t i = 0; i < TW_COUNT(defs); i++)
        if (op->def == defs[i])
            return true;
    return false;
}

static bool clean_up(ir_op *module)
{
    ir_op_list ops = ir_ops_in(module, is_leftover);
    for (size_t i = ops.n; i-- > 0;)
        if (ir_op_is_unused(ops.at[i]))
            ir_op_erase(ops.at[i]);
    ir_op_list_free(&ops);
    ops = ir_ops_in(module, NULL);
    bool ok = true;
    for (size_t i = 0; i < ops.n && ok; i++) {
        const ir_op *op = ops.at[i];
        if (!strncmp(op->def->name, "d2m.", 4))
            ok = ir_error_at_op(ops.at[i], "unexpected D2M op after conversion");
        else if (op->def == MEMREF_OP(alloc) || op->def == MEMREF_OP(dealloc))
            ok = ir_error_at_op(ops.at[i], "unexpected memref op after conversion");
        else if (op->def == TTIR_OP(ttnn_metal_layout_cast))
            ok = ir_error_at_op(ops.at[i], "unexpected layout cast after conversion");
    }
    ir_op_list_free(&ops);
    return ok;
}

static bool run(ir_op *module, pass_run *run)
{
    int64_t fidelity;
    if (!d2x_fidelity(module, pass_option_str(run, "math-fidelity"),
                      &ttnn_enum_ComputeKernelMathFidelity, &fidelity) ||
        !d2m_check_cores(module, "D2MToTTNN"))
        return false;
    ir_mapping *tensors = ir_mapping_create();
    bool ok =
        convert_all(module, MEMREF_OP(alloc), convert_alloc, tensors) &&
        convert_all(module, D2M_OP(empty), convert_empty, tensors) &&
        convert_all(module, D2M_OP(create_global_semaphore), convert_semaphore, tensors) &&
        convert_all(module, D2M_OP(reset_global_semaphore), convert_reset, tensors) &&
        convert_programs(module, tensors, fidelity, pass_option_bool(run, "fp32-dest-acc"));
    if (ok)
        resolve_casts(module, tensors);
    ir_mapping_free(tensors);
    return ok && clean_up(module);
}

const pass_def convert_d2m_to_ttnn_pass = {
    .name = "convert-d2m-to-ttnn",
    .title = "ConvertD2MToTTNN",
    .summary = "Convert d2m generics to ttnn generics.",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(
        pass_option_def,
        {"math-fidelity", PASS_STRING, "HiFi4",
         "Set the math fidelity for compute kernels."},
        {"fp32-dest-acc", PASS_BOOL, "false",
         "Keep f32 and 32-bit integers whole in DST; else they are rounded to 16 bits."}),
};
