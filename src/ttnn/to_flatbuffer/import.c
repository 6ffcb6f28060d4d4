/* import.c: programs and operations of a .ttnn as functions in the TTNN dialect. */
#include "ttnn/to_flatbuffer/import.h"

#include "ir/text.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttnn/build.h"
#include "ttnn/layout.h"
#include "ttnn/to_flatbuffer/import_impl.h"
#include "ttnn/ttnn.h"

#include <stdlib.h>

static const char place_attr[] = "tt.binary_place";

void fb_copy_place(ir_op *to, const ir_op *from)
{
    ir_op_set_attr(to, place_attr, ir_op_attr(from, place_attr));
}

void fb_imported_place(const ir_op *op, int64_t *out_program, int64_t *out_operation)
{
    ir_attr origin = ir_op_attr(op, place_attr);
    *out_program = origin ? ir_dense_array_int(origin, 0) : -1;
    *out_operation = origin ? ir_dense_array_int(origin, 1) : -1;
}

static const void *key_of(uint32_t id)
{
    return (const void *)(uintptr_t)id;
}

/* ---- values ------------------------------------------------------------------------- */

static tw_status add_operand(fb_importer *im, fb_pieces *p, fb_view ref)
{
    uint32_t id =
        (uint32_t)fb_get_int(ref, 0); /* global_id is the first of all kinds of reference */
    const bool device = ref.def == &fb_tables[FB_TABLE_DeviceRef],
               semaphore = ref.def == &fb_tables[FB_TABLE_ttnn_GlobalSemaphoreRef];
    ir_value *value = ir_mapping_get(device      ? im->devices
                                     : semaphore ? im->semaphores
                                                 : im->values,
                                     key_of(id + 1));
    if (!value)
        return tw_error(TW_INVALID, "%s %u is used before it is defined",
                        device      ? "device"
                        : semaphore ? "semaphore"
                                    : "value",
                        id);
    p->operands[p->n_operands++] = value;
    return TW_SUCCESS;
}

static tw_status add_result(fb_importer *im, fb_pieces *p, fb_view ref)
{
    uint32_t id = (uint32_t)fb_get_int(ref, 0);
    ir_type type = ir_dialect_type(im->ctx, TTNN_TYPE(global_semaphore), NULL, 0);
    p->result_ids[p->n_results] = id;
    if (ref.def == &fb_tables[FB_TABLE_ttnn_GlobalSemaphoreRef]) {
        p->results[p->n_results++] = type;
        return TW_SUCCESS;
    }
    if (ref.def != &fb_tables[FB_TABLE_ttnn_TensorRef])
        return tw_error(TW_UNSUPPORTED, "results that are no tensors");
    TW_TRY(fb_import_type(im->ctx, ref, &type));
    if (p->how && p->how->op == TTNN_OP(begin_trace_capture))
        type = tnb_trace_id_type(im->ctx);
    p->results[p->n_results++] = type;
    return TW_SUCCESS;
}

tw_status fb_add_refs(fb_importer *im, fb_pieces *p, fb_view table, int slot, bool results,
                      size_t *count)
{
    tw_status (*add)(fb_importer *, fb_pieces *, fb_view) =
        results ? add_result : add_operand;
    if (table.def->fields[slot].vector) {
        fb_vec vec = fb_get_vec(table, slot);
        for (size_t i = 0; i < vec.count; i++)
            TW_TRY(add(im, p, fb_vec_table(vec, i)));
        *count += vec.count;
        return TW_SUCCESS;
    }
    fb_view ref = fb_get_table(table, slot);
    if (ref.at) {
        TW_TRY(add(im, p, ref));
        ++*count;
    }
    return TW_SUCCESS;
}

/* References that a table's fields can hold at most. */
static size_t count_refs(fb_view table)
{
    size_t n = 8;
    for (int slot = 0; slot < table.def->n_fields; slot++)
        n += table.def->fields[slot].vector ? fb_get_vec(table, slot).count : 1;
    return n;
}

void fb_add_attr(fb_importer *im, fb_pieces *p, const char *name, ir_attr value)
{
    if (value && p->n_attrs < TW_COUNT(p->attrs))
        p->attrs[p->n_attrs++] = (ir_named_attr){ir_ident_from(im->ctx, name), value};
}

/* ---- hooked fields: the way back of emit_special.c ---------------------------------- */

static tw_status constant_value(fb_importer *im, fb_pieces *p, fb_view table)
{
    fb_tensor out;
    if (!fb_get_tensor(table, FB_ttnn_ConstantOp_out, &out))
        return TW_SUCCESS;
    ir_type element =
        fb_import_element(im->ctx, fb_get_int(table, FB_ttnn_ConstantOp_input_dtype));
    tw_str raw = fb_vec_bytes(fb_get_vec(table, FB_ttnn_ConstantOp_input));
    if (!element || ir_dense_element_size(element) == 0)
        return tw_error(TW_UNSUPPORTED, "a constant in a block format");
    ir_type type = ir_tensor_type(element, out.dims, out.rank, NULL);
    fb_add_attr(im, p, "value", ir_dense_attr(type, raw.data, raw.size));
    return TW_SUCCESS;
}

static ir_attr int_array(fb_importer *im, fb_view table, int slot)
{
    fb_vec vec = fb_get_vec(table, slot);
    int64_t *values = TW_ARENA_ARRAY(&im->arena, int64_t, vec.count + 1);
    fb_vec_ints(vec, values, vec.count);
    return ir_i32_array_attr(im->ctx, values, vec.count);
}

/* Operands that a parameter table holds, in the order of its fields. */
static tw_status param_operands(fb_importer *im, fb_pieces *p, fb_view params)
{
    size_t count;
    for (int slot = 0; slot < params.def->n_fields; slot++) {
        count = 0;
        TW_TRY(fb_add_refs(im, p, params, slot, false, &count));
        if (count != 1)
            return tw_error(TW_INVALID, "a parameter's tensor is missing");
    }
    return TW_SUCCESS;
}

static tw_status slice_params(fb_importer *im, fb_pieces *p, fb_view table)
{
    fb_view params = fb_get_table(table, FB_ttnn_SliceOp_params);
    if (!params.at)
        return tw_error(TW_INVALID, "a slice without bounds");
    if (params.def == &fb_tables[FB_TABLE_ttnn_SliceDynamicOpParams])
        return param_operands(im, p, params);
    fb_add_attr(im, p, "begins", int_array(im, params, FB_ttnn_SliceStaticOpParams_begins));
    fb_add_attr(im, p, "ends", int_array(im, params, FB_ttnn_SliceStaticOpParams_ends));
    return TW_SUCCESS;
}

static tw_status unary_params(fb_importer *im, fb_pieces *p, fb_view table)
{
    fb_view params = fb_get_table(table, FB_ttnn_EltwiseUnaryOp_params);
    if (!params.at)
        return tw_error(TW_INVALID, "parameters are missing");
    fb_add_attr(
        im, p, "parameter",
        ir_f32_attr(im->ctx,
                    fb_get_real(params, FB_ttnn_EltwiseOpWithFloatParams_parameter)));
    return TW_SUCCESS;
}

static tw_status clamp_params(fb_importer *im, fb_pieces *p, fb_view table)
{
    fb_view params = fb_get_table(table, FB_ttnn_EltwiseUnaryCompositeOp_params);
    if (!params.at)
        return tw_error(TW_INVALID, "bounds are missing");
    if (params.def == &fb_tables[FB_TABLE_ttnn_ClampTensorOpParams])
        return param_operands(im, p, params);
    fb_add_attr(im, p, "min",
                fb_import_number(im->ctx, params, FB_ttnn_ClampScalarOpParams_min));
    fb_add_attr(im, p, "max",
                fb_import_number(im->ctx, params, FB_ttnn_ClampScalarOpParams_max));
    return TW_SUCCESS;
}

static tw_status pool_params(fb_importer *im, fb_pieces *p, fb_view table)
{
    fb_view params = fb_get_table(table, FB_ttnn_Pool2dOp_extra_params);
    if (params.at && params.def == &fb_tables[FB_TABLE_ttnn_AvgPool2dExtraParams])
        fb_add_attr(
            im, p, "count_include_pad",
            ir_bool_attr(
                im->ctx,
                fb_get_bool(params, FB_ttnn_AvgPool2dExtraParams_count_include_pad)));
    return TW_SUCCESS;
}

static tw_status upsample_scale(fb_importer *im, fb_pieces *p, fb_view table)
{
    fb_view scale = fb_get_table(table, FB_ttnn_UpsampleOp_scale_factor);
    if (!scale.at)
        return tw_error(TW_INVALID, "the scale is missing");
    if (scale.def == &fb_tables[FB_TABLE_ttnn_UniformScale2D]) {
        fb_add_attr(im, p, "scale_factor", ir_si32_attr(im->ctx, fb_get_int(scale, 0)));
        return TW_SUCCESS;
    }
    int64_t values[8];
    fb_vec vec = fb_get_vec(scale, 0);
    size_t n = TW_MIN(fb_vec_ints(vec, values, TW_COUNT(values)), TW_COUNT(values));
    fb_add_attr(im, p, "scale_factor", ir_dense_i32_array(im->ctx, values, n));
    return TW_SUCCESS;
}

/* A scale or zero point for the whole tensor is a number of the file: a tensor of it. */
static ir_value *quantity(fb_importer *im, fb_view table)
{
    static const int64_t one = 1;
    bool scale = table.def == &fb_tables[FB_TABLE_ttnn_PerTensorScale];
    ttnn_layout l =
        ttnn_layout_dram(scale ? TTCORE_DataType_Float32 : TTCORE_DataType_Int32);
    ir_type type =
        ttnn_tensor_with(ir_tensor_type(ir_float_type(im->ctx, IR_F32), &one, 1, NULL), &l);
    ir_attr extent = ir_array_attr(im->ctx, (ir_attr[]){ir_raw_int(im->ctx, one)}, 1);
    ir_attr value = scale ? ir_f32_attr(im->ctx, fb_get_real(table, 0))
                          : ir_i32_attr(im->ctx, fb_get_int(table, 0));
    return ir_build1(
        &im->b, TTNN_OP(full), type, NULL, 0,
        IR_ATTRS({"shape", ir_dialect_attr(im->ctx, TTNN_ATTR(shape), &extent, 1)},
                 {"fill_value", value}));
}

/* Scales and zero points: in the file each has a union of its own. */
static tw_status quantization_params(fb_importer *im, fb_pieces *p, fb_view table)
{
    fb_view params = fb_get_table(table, FB_ttnn_EltwiseQuantizationOp_params);
    for (int slot = 1; params.at && slot < params.def->n_fields; slot += 2) {
        fb_view part = fb_get_table(params, slot);
        size_t count = 0;
        if (part.at && (part.def == &fb_tables[FB_TABLE_ttnn_PerTensorScale] ||
                        part.def == &fb_tables[FB_TABLE_ttnn_PerTensorZeroPoint])) {
            p->operands[p->n_operands++] = quantity(im, part);
            continue;
        }
        if (part.at)
            TW_TRY(fb_add_refs(im, p, part, 0, false, &count));
        if (count != 1)
            return tw_error(TW_INVALID, "a scale or zero point is missing");
    }
    return TW_SUCCESS;
}

static tw_status device_mesh(fb_importer *im, fb_pieces *p, fb_view table)
{
    static const struct {
        const char *name;
        int slot;
    } pairs[] = {{"mesh_shape", FB_ttnn_GetDeviceOp_mesh},
                 {"mesh_offset", FB_ttnn_GetDeviceOp_offset}};
    const ir_attr_def *defs[] = {TTNN_ATTR(mesh_shape), TTNN_ATTR(mesh_offset)};
    for (size_t i = 0; i < 2; i++) {
        fb_dim2d dim = fb_get_dim2d(table, pairs[i].slot);
        ir_attr params[] = {ir_raw_int(im->ctx, dim.y), ir_raw_int(im->ctx, dim.x)};
        fb_add_attr(im, p, pairs[i].name, ir_dialect_attr(im->ctx, defs[i], params, 2));
    }
    p->results[0] = ir_dialect_type(im->ctx, TTNN_TYPE(device), NULL, 0);
    p->n_results = 1;
    return TW_SUCCESS;
}

static tw_status generic_program(fb_importer *im, fb_pieces *p, fb_view table)
{
    static const int slots[] = {FB_ttnn_GenericOp_io_tensors,
                                FB_ttnn_GenericOp_additional_args};
    ir_attr program;
    for (size_t i = 0; i < 2; i++) {
        size_t count = 0;
        TW_TRY(fb_add_refs(im, p, table, slots[i], false, &count));
        p->operand_segments[i] = (int64_t)count;
    }
    TW_TRY(fb_import_program(im->ctx, table, &program));
    fb_add_attr(im, p, "program", program);
    return TW_SUCCESS;
}

static tw_status nothing(fb_importer *im, fb_pieces *p, fb_view table)
{
    (void)im, (void)p, (void)table;
    return TW_SUCCESS;
}

static const struct {
    const ir_op_def *op;
    tw_status (*read)(fb_importer *im, fb_pieces *p, fb_view table);
} hooks[] = {
    {TTNN_OP(avg_pool2d), pool_params},
    {TTNN_OP(capture_or_execute_trace), fb_import_trace},
    {TTNN_OP(clamp_scalar), clamp_params},
    {TTNN_OP(clamp_tensor), clamp_params},
    {TTNN_OP(constant), constant_value},
    {TTNN_OP(dequantize), quantization_params},
    {TTNN_OP(dropout), nothing},
    {TTNN_OP(generic), generic_program},
    {TTNN_OP(get_device), device_mesh},
    {TTNN_OP(leaky_relu), unary_params},
    {TTNN_OP(max_pool2d), pool_params},
    {TTNN_OP(quantize), quantization_params},
    {TTNN_OP(requantize), quantization_params},
    {TTNN_OP(slice_dynamic), slice_params},
    {TTNN_OP(slice_static), slice_params},
    {TTNN_OP(to_layout), nothing},
    {TTNN_OP(upsample), upsample_scale},
};

static tw_status read_hooked(fb_importer *im, fb_pieces *p, fb_view table)
{
    for (size_t i = 0; p->how->hooked && i < TW_COUNT(hooks); i++)
        if (hooks[i].op == p->how->op)
            return hooks[i].read(im, p, table);
    return p->how->hooked ? tw_error(TW_UNSUPPORTED, "it has no way back into IR yet")
                          : TW_SUCCESS;
}

/* ---- operations --------------------------------------------------------------------- */

/* The row whose table and enumerator these are. */
static const emit_row *find_row(const fb_op *op)
{
    const char *subtype = fb_op_subtype_name(op);
    for (size_t i = 0; i < TTNN_OP_COUNT; i++) {
        const emit_row *row = fb_emit_row(&ttnn_ops[i]);
        if (row && row->kind == op->kind &&
            (!row->type || (subtype && strcmp(row->type, subtype) == 0)))
            return row;
    }
    return NULL;
}

static tw_status read_groups(fb_importer *im, fb_pieces *p, fb_view table, bool results)
{
    const ir_op_def *def = p->how->op;
    uint32_t n = results ? def->results.count : def->operands.count;
    int64_t *segments = results ? p->result_segments : p->operand_segments;
    for (uint32_t group = 0; group < n; group++) {
        const ir_operand_def *g =
            results ? &def->results.at[group] : &def->operands.at[group];
        size_t count = 0;
        for (int slot = 0; slot < table.def->n_fields; slot++) {
            emit_source source = fb_emit_source(p->how, slot);
            bool all = results && source.index == SIZE_MAX && group == 0;
            if (source.kind == (results ? EMIT_RESULT : EMIT_OPERAND) &&
                (source.index == group || all))
                TW_TRY(fb_add_refs(im, p, table, slot, results, &count));
        }
        if (count == 0 && g->arity == IR_ONE && !results && im->device &&
            tw_str_is(tw_str_from(g->name), "device")) {
            p->operands[p->n_operands++] = im->device; /* the table leaves it out */
            count = 1;
        }
        segments[group] = (int64_t)count;
        bool hooked = p->how->hooked != NULL;
        if (count == 0 && g->arity == IR_ONE && !hooked && !results)
            return tw_error(TW_INVALID, "the operand '%s' is missing", g->name);
    }
    return TW_SUCCESS;
}

static tw_status read_attrs(fb_importer *im, fb_pieces *p, fb_view table)
{
    for (int slot = 0; slot < table.def->n_fields; slot++) {
        emit_source source = fb_emit_source(p->how, slot);
        if (source.kind != EMIT_ATTR)
            continue;
        const ir_attr_use *use = &p->how->op->attrs.at[source.index];
        ir_attr value;
        TW_TRY(fb_import_attr(im->ctx, use, table, slot, &value));
        fb_add_attr(im, p, use->name, value);
    }
    return TW_SUCCESS;
}

static ir_op *build(fb_importer *im, fb_pieces *p, ir_loc loc)
{
    const ir_op_def *def = p->how->op;
    if (def->traits & IR_OPERAND_SEGMENTS)
        fb_add_attr(im, p, "operandSegmentSizes",
                    ir_dense_i32_array(im->ctx, p->operand_segments, def->operands.count));
    if (def->traits & IR_RESULT_SEGMENTS)
        fb_add_attr(im, p, "resultSegmentSizes",
                    ir_dense_i32_array(im->ctx, p->result_segments, def->results.count));
    ir_op_state state = {.def = def,
                         .loc = loc,
                         .operands = p->operands,
                         .n_operands = p->n_operands,
                         .results = p->results,
                         .n_results = p->n_results,
                         .attrs = p->attrs,
                         .n_attrs = p->n_attrs};
    return ir_build(&im->b, &state);
}

/* `loc("...")` as it stands in the file; unknown if it is no location. */
ir_loc fb_import_loc(ir_context *ctx, tw_str text)
{
    if (!text.size)
        return IR_LOC_UNKNOWN;
    ir_diagnostic_sink sink = ir_context_set_sink(ctx, (ir_diagnostic_sink){0});
    ir_attr attr = ir_parse_attr(ctx, text);
    ir_flush_diagnostics(ctx);
    ir_context_set_sink(ctx, sink);
    return ir_attr_is_loc(attr) ? ir_loc_from_attr(attr) : IR_LOC_UNKNOWN;
}

/* Operations for debuggers compute nothing: the result of one, if it has any, is its
 * operand.  `kind` to the slot of the result, -1 without one. */
static const struct {
    uint32_t kind;
    int result;
} debug_kinds[] = {
    {FB_ttnn_OpType_AnnotateOp, FB_ttnn_AnnotateOp_result},
    {FB_ttnn_OpType_BreakpointOp, -1},
    {FB_ttnn_OpType_PrintOp, -1},
    {FB_ttnn_OpType_MemorySnapshotOp, -1},
    {FB_ttnn_OpType_RegionStartOp, FB_ttnn_RegionStartOp_result},
    {FB_ttnn_OpType_RegionEndOp, FB_ttnn_RegionEndOp_result},
};

static tw_status import_debug(fb_importer *im, const fb_op *op, int result, bool *found)
{
    *found = true;
    uint32_t id = (uint32_t)fb_get_int(fb_get_table(op->table, 0), 0);
    ir_value *value = ir_mapping_get(im->values, key_of(id + 1));
    if (!value)
        return tw_error(TW_INVALID, "value %u is used before it is defined", id);
    if (result >= 0) {
        uint32_t made = (uint32_t)fb_get_int(fb_get_table(op->table, result), 0);
        ir_mapping_set(im->values, key_of(made + 1), value);
        ir_mapping_set(im->shared, value, value);
    }
    return TW_SUCCESS;
}

/* True if the operation frees a value that lives on as the result of one for debuggers. */
static bool frees_shared(const fb_importer *im, const fb_op *op)
{
    if (op->kind != FB_ttnn_OpType_DeallocateOp)
        return false;
    uint32_t id = (uint32_t)fb_get_int(fb_get_table(op->table, 0), 0);
    ir_value *value = ir_mapping_get(im->values, key_of(id + 1));
    return value && ir_mapping_get(im->shared, value);
}

static tw_status import_op(fb_importer *im, const fb_op *op)
{
    bool found = false;
    for (size_t i = 0; !found && i < TW_COUNT(debug_kinds); i++)
        if (op->kind == debug_kinds[i].kind)
            TW_TRY(import_debug(im, op, debug_kinds[i].result, &found));
    if (found || frees_shared(im, op))
        return TW_SUCCESS;
    fb_pieces p = {.how = find_row(op)};
    size_t most = count_refs(op->table);
    p.operands = TW_ARENA_ARRAY(&im->arena, ir_value *, most);
    p.results = TW_ARENA_ARRAY(&im->arena, ir_type, most);
    p.result_ids = TW_ARENA_ARRAY(&im->arena, uint32_t, most);
    if (op->kind == FB_ttnn_OpType_LoadCachedOp || op->kind == FB_ttnn_OpType_FuncCallOp) {
        TW_TRY(fb_import_call(im, op, &p));
    } else if (op->kind == FB_ttnn_OpType_CpuOp) {
        TW_TRY(fb_import_cpu_call(im, op, &p));
    } else if (!p.how) {
        return tw_error(TW_UNSUPPORTED, "it has no way back into IR");
    } else {
        TW_TRY(read_groups(im, &p, op->table, false));
        TW_TRY(read_groups(im, &p, op->table, true));
        TW_TRY(read_attrs(im, &p, op->table));
        TW_TRY(read_hooked(im, &p, op->table));
    }
    ir_op *made = build(im, &p, fb_import_loc(im->ctx, op->loc));
    if (im->numbered)
        ir_op_set_attr(made, place_attr, ir_dense_i64_array(im->ctx, im->origin, 2));
    if (op->kind == FB_ttnn_OpType_GetDeviceOp) {
        fb_view device = fb_get_table(op->table, FB_ttnn_GetDeviceOp_out);
        uint32_t id = (uint32_t)fb_get_int(device, FB_DeviceRef_global_id);
        im->device = ir_op_result(made, 0);
        ir_mapping_set(im->devices, key_of(id + 1), im->device);
        return TW_SUCCESS;
    }
    for (size_t i = 0; i < p.n_results; i++)
        ir_mapping_set(ir_type_is_tensor(p.results[i]) ? im->values : im->semaphores,
                       key_of(p.result_ids[i] + 1), ir_op_result(made, i));
    return TW_SUCCESS;
}

/* ---- programs ----------------------------------------------------------------------- */

/* What a program is to others: the functions of traces are found by who names them. */
typedef enum role {
    FORWARD,
    CONST_EVAL,
    TRACE_MAIN,
    TRACE_ALLOCATE,
    TRACE_CAPTURE,
    TRACE_EXECUTE,
} role;

static const char *const role_names[] = {
    "forward_device",        "const_eval",    "trace_main", "trace_allocate_slots",
    "trace_run_and_capture", "trace_execute",
};

static role *find_roles(fb_importer *im)
{
    size_t n = fb_ttnn_program_count(im->file);
    role *roles = TW_ARENA_ARRAY(&im->arena, role, n + 1);
    for (size_t p = 0; p < n; p++) {
        fb_program program = fb_ttnn_program(im->file, p);
        for (size_t i = 0; i < program.n_operations; i++) {
            fb_op op = fb_program_op(&program, i);
            if (op.kind == FB_ttnn_OpType_LoadCachedOp)
                roles[fb_get_int(op.table, FB_ttnn_LoadCachedOp_program_idx)] = CONST_EVAL;
            if (op.kind != FB_ttnn_OpType_CaptureOrExecuteTraceOp)
                continue;
            const struct {
                int slot;
                role is;
            } named[] = {
                {FB_ttnn_CaptureOrExecuteTraceOp_allocate_slots_program_id, TRACE_ALLOCATE},
                {FB_ttnn_CaptureOrExecuteTraceOp_capture_program_id, TRACE_CAPTURE},
                {FB_ttnn_CaptureOrExecuteTraceOp_execute_program_id, TRACE_EXECUTE}};
            for (size_t k = 0; k < TW_COUNT(named); k++)
                roles[fb_get_int(op.table, named[k].slot)] = named[k].is;
        }
    }
    for (size_t p = 0; p < n; p++) {
        fb_program program = fb_ttnn_program(im->file, p);
        for (size_t i = 0; i < program.n_operations && roles[p] == TRACE_CAPTURE; i++) {
            fb_op op = fb_program_op(&program, i);
            if (op.kind == FB_ttnn_OpType_FuncCallOp)
                roles[fb_get_int(op.table, FB_ttnn_FuncCallOp_program_id)] = TRACE_MAIN;
        }
    }
    return roles;
}

static tw_status tensor_types(fb_importer *im, fb_vec refs, ir_type **out)
{
    *out = TW_ARENA_ARRAY(&im->arena, ir_type, refs.count + 1);
    for (size_t i = 0; i < refs.count; i++)
        TW_TRY(fb_import_type(im->ctx, fb_vec_table(refs, i), &(*out)[i]));
    return TW_SUCCESS;
}

static tw_status make_function(fb_importer *im, const fb_program *program, role is,
                               ir_block *module, ir_op **out)
{
    ir_type *inputs, *outputs;
    TW_TRY(tensor_types(im, program->inputs, &inputs));
    TW_TRY(tensor_types(im, program->outputs, &outputs));
    ir_context *ctx = im->ctx;
    for (size_t i = 0; is == TRACE_EXECUTE && i < program->inputs.count; i++)
        inputs[i] = tnb_trace_id_type(ctx);
    for (size_t i = 0; is == TRACE_CAPTURE && i < program->outputs.count; i++)
        outputs[i] = tnb_trace_id_type(ctx);
    ir_type type = ir_function_type(ctx, inputs, program->inputs.count, outputs,
                                    program->outputs.count);
    ir_builder b = ir_builder_at_end(ctx, module, IR_LOC_UNKNOWN);
    *out = func_create(&b, ir_string_attr(ctx, program->name), type, program->is_private);
    ir_op_set_attr(*out, "tt.function_type",
                   ir_string_attr(ctx, tw_str_from(role_names[is])));
    ir_block *body = func_add_body(*out);
    for (size_t i = 0; i < program->inputs.count; i++)
        ir_mapping_set(im->values, key_of(fb_vec_tensor_id(program->inputs, i) + 1),
                       body->args[i]);
    return TW_SUCCESS;
}

static tw_status import_program(fb_importer *im, size_t index, role is, ir_block *module)
{
    fb_program program = fb_ttnn_program(im->file, index);
    int n = (int)TW_MIN(program.name.size, (size_t)100);
    if (fb_get_vec(program.table, FB_ttnn_Program_semaphore_inputs).count)
        return tw_error(TW_UNSUPPORTED, "program '%.*s': semaphores as inputs", n,
                        program.name.data);
    ir_mapping_free(im->values);
    ir_mapping_free(im->devices);
    ir_mapping_free(im->semaphores);
    im->device = NULL;
    ir_mapping_free(im->shared);
    im->values = ir_mapping_create();
    im->devices = ir_mapping_create();
    im->semaphores = ir_mapping_create();
    im->shared = ir_mapping_create();
    ir_op *function;
    TW_TRY(make_function(im, &program, is, module, &function));
    im->b = ir_builder_at_end(im->ctx, ir_op_body(function, 0), IR_LOC_UNKNOWN);
    for (size_t i = 0; i < program.n_operations; i++) {
        fb_op op = fb_program_op(&program, i);
        im->origin[0] = (int64_t)index;
        im->origin[1] = (int64_t)i;
        tw_status status = import_op(im, &op);
        if (status)
            return tw_annotate(status, "program '%.*s', operation %zu (%s)", n,
                               program.name.data, i, fb_op_kind_name(op.kind));
    }
    ir_value **values = TW_ARENA_ARRAY(&im->arena, ir_value *, program.outputs.count + 1);
    for (size_t i = 0; i < program.outputs.count; i++) {
        values[i] =
            ir_mapping_get(im->values, key_of(fb_vec_tensor_id(program.outputs, i) + 1));
        if (!values[i])
            return tw_error(TW_INVALID, "program '%.*s': output %zu is not defined", n,
                            program.name.data, i);
    }
    ir_op_state end = {
        .def = FUNC_OP(return ), .operands = values, .n_operands = program.outputs.count};
    ir_build(&im->b, &end);
    return TW_SUCCESS;
}

/* ---- the module --------------------------------------------------------------------- */

typedef struct first_error {
    char *text;
} first_error;

static void keep_first(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    first_error *e = user;
    (void)ctx;
    if (!e->text && d->severity == IR_ERROR)
        e->text = tw_xstrdup(d->text);
}

tw_status fb_import_verify(ir_op *module)
{
    first_error error = {0};
    ir_diagnostic_sink before =
        ir_context_set_sink(module->ctx, (ir_diagnostic_sink){keep_first, &error});
    bool ok = ir_verify(module);
    ir_flush_diagnostics(module->ctx);
    ir_context_set_sink(module->ctx, before);
    tw_status status = ok ? TW_SUCCESS
                          : tw_error(TW_INVALID, "the program is not valid: %s",
                                     error.text ? error.text : "no reason given");
    free(error.text);
    return status;
}

static tw_status import_module(fb_importer *im, ir_op *module)
{
    fb_system *system;
    TW_TRY(fb_system_read(fb_get_table(im->file->root, FB_ttnn_TTNNBinary_system_desc),
                          &system));
    ir_op_set_attr(module, "ttcore.system_desc", fb_system_to_attr(im->ctx, system));
    free(system);
    ir_block *body = im->module = ir_op_body(module, 0);
    const role *roles = find_roles(im);
    for (size_t i = 0; i < fb_ttnn_program_count(im->file); i++)
        TW_TRY(import_program(im, i, roles[i], body));
    return fb_import_verify(module);
}

tw_status fb_import_ttnn(ir_context *ctx, const fb_ttnn *file, bool numbered,
                         ir_op **out_module)
{
    fb_importer im = {.ctx = ctx, .file = file, .numbered = numbered};
    ir_op *module = ir_module_create(ctx, IR_LOC_UNKNOWN);
    tw_status status = import_module(&im, module);
    ir_mapping_free(im.values);
    ir_mapping_free(im.devices);
    ir_mapping_free(im.semaphores);
    ir_mapping_free(im.shared);
    tw_arena_free(&im.arena);
    if (status)
        ir_op_erase(module);
    else
        *out_module = module;
    return status;
}
