/* emit_special.c: fields and operations whose tables are not their operands by name. */
#include "ir/text.h"
#include "mlir/func/func.h"
#include "support/sha256.h"
#include "ttcore/ttcore.h"
#include "ttnn/to_flatbuffer/emit_impl.h"
#include "ttnn/ttnn.h"

/* ---- constants and parameters ------------------------------------------------------- */

/* The element type of raw bytes; unlike tensors' types, 64-bit numbers stay what they are.
 */
static int raw_type(ir_type t)
{
    if (t->kind == IR_TYPE_FLOAT)
        return t->sign == IR_BF16  ? FB_DataType_BFloat16
               : t->sign == IR_F16 ? FB_DataType_Float16
               : t->sign == IR_F32 ? FB_DataType_Float32
               : t->sign == IR_F64 ? FB_DataType_Float64
                                   : -1;
    if (t->kind != IR_TYPE_INTEGER)
        return -1;
    bool is_unsigned = t->sign == IR_UNSIGNED;
    switch (t->width) {
    case 1:
        return FB_DataType_Bool;
    case 8:
        return is_unsigned ? FB_DataType_UInt8 : FB_DataType_Int8;
    case 16:
        return is_unsigned ? FB_DataType_UInt16 : FB_DataType_Int16;
    case 32:
        return is_unsigned ? FB_DataType_UInt32 : FB_DataType_Int32;
    case 64:
        return is_unsigned ? FB_DataType_UInt64 : FB_DataType_Int64;
    default:
        return -1;
    }
}

static bool put_constant(emit *e, ir_op *op, fb_row *row)
{
    ir_attr value = ir_op_attr(op, "value");
    const ir_blob *blob = NULL;
    if (ir_attr_is(value, IR_ATTR_DENSE) && !(value->splat & 2))
        blob = value->blob;
    else if (ir_attr_is(value, IR_ATTR_RESOURCE))
        blob = ir_resource_find(e->ctx, value->dialect, value->body);
    int type = value ? raw_type(ir_type_element(value->type)) : -1;
    if (!blob || type < 0)
        return fb_emit_error(e, "has a value that binaries cannot hold: %s",
                             value ? ir_type_text(e->ctx, value->type) : "none");
    fb_put_ref(row, FB_ttnn_ConstantOp_input, fb_make_bytes(&e->b, blob->data, blob->size));
    fb_put_int(row, FB_ttnn_ConstantOp_input_dtype, type);
    return true;
}

static bool put_clamp(emit *e, ir_op *op, fb_row *row)
{
    fb_row params;
    bool scalar = op->def == TTNN_OP(clamp_scalar);
    if (scalar) {
        fb_start(&params, FB_TABLE_ttnn_ClampScalarOpParams);
        fb_emit_number(e, &params, FB_ttnn_ClampScalarOpParams_min, ir_op_attr(op, "min"));
        fb_emit_number(e, &params, FB_ttnn_ClampScalarOpParams_max, ir_op_attr(op, "max"));
    } else {
        fb_start(&params, FB_TABLE_ttnn_ClampTensorOpParams);
        fb_put_ref(&params, FB_ttnn_ClampTensorOpParams_min,
                   fb_emit_value(e, ir_op_operand(op, 1)));
        fb_put_ref(&params, FB_ttnn_ClampTensorOpParams_max,
                   fb_emit_value(e, ir_op_operand(op, 2)));
    }
    fb_put_union(row, FB_ttnn_EltwiseUnaryCompositeOp_params,
                 scalar ? FB_ttnn_EltwiseUnaryCompositeOpParams_ClampScalarOpParams
                        : FB_ttnn_EltwiseUnaryCompositeOpParams_ClampTensorOpParams,
                 fb_end(&e->b, &params));
    return true;
}

static bool put_leaky_relu(emit *e, ir_op *op, fb_row *row)
{
    fb_row params;
    fb_start(&params, FB_TABLE_ttnn_EltwiseOpWithFloatParams);
    fb_put_real(&params, FB_ttnn_EltwiseOpWithFloatParams_parameter,
                ir_op_real(op, "parameter", 0));
    fb_put_union(row, FB_ttnn_EltwiseUnaryOp_params,
                 FB_ttnn_EltwiseUnaryOpParams_EltwiseOpWithFloatParams,
                 fb_end(&e->b, &params));
    return true;
}

static bool put_slice(emit *e, ir_op *op, fb_row *row)
{
    fb_row params;
    unsigned kind;
    if (op->def == TTNN_OP(slice_static)) {
        kind = FB_ttnn_SliceOpParams_SliceStaticOpParams;
        fb_start(&params, FB_TABLE_ttnn_SliceStaticOpParams);
        if (!fb_emit_attr(e, &params, FB_ttnn_SliceStaticOpParams_begins,
                          ir_op_attr(op, "begins")) ||
            !fb_emit_attr(e, &params, FB_ttnn_SliceStaticOpParams_ends,
                          ir_op_attr(op, "ends")))
            return false;
    } else {
        kind = FB_ttnn_SliceOpParams_SliceDynamicOpParams;
        fb_start(&params, FB_TABLE_ttnn_SliceDynamicOpParams);
        fb_put_ref(&params, FB_ttnn_SliceDynamicOpParams_begins,
                   fb_emit_value(e, ir_op_operand(op, 1)));
        fb_put_ref(&params, FB_ttnn_SliceDynamicOpParams_ends,
                   fb_emit_value(e, ir_op_operand(op, 2)));
    }
    fb_put_union(row, FB_ttnn_SliceOp_params, kind, fb_end(&e->b, &params));
    return true;
}

static bool put_pool(emit *e, ir_op *op, fb_row *row)
{
    fb_row params;
    bool average = op->def == TTNN_OP(avg_pool2d);
    fb_start(&params, average ? FB_TABLE_ttnn_AvgPool2dExtraParams
                              : FB_TABLE_ttnn_MaxPool2dExtraParams);
    if (average)
        fb_put_int(&params, FB_ttnn_AvgPool2dExtraParams_count_include_pad,
                   ir_op_bool(op, "count_include_pad"));
    fb_put_union(row, FB_ttnn_Pool2dOp_extra_params,
                 average ? FB_ttnn_Pool2dExtraParams_AvgPool2dExtraParams
                         : FB_ttnn_Pool2dExtraParams_MaxPool2dExtraParams,
                 fb_end(&e->b, &params));
    return true;
}

static bool put_upsample(emit *e, ir_op *op, fb_row *row)
{
    ir_attr scale = ir_op_attr(op, "scale_factor");
    fb_row params;
    bool uniform = ir_attr_is(scale, IR_ATTR_INTEGER);
    fb_start(&params,
             uniform ? FB_TABLE_ttnn_UniformScale2D : FB_TABLE_ttnn_NonUniformScale2D);
    if (!fb_emit_attr(e, &params, 0, scale)) /* the only field of both */
        return false;
    fb_put_union(row, FB_ttnn_UpsampleOp_scale_factor,
                 uniform ? FB_ttnn_Scale2D_UniformScale2D
                         : FB_ttnn_Scale2D_NonUniformScale2D,
                 fb_end(&e->b, &params));
    return true;
}

/* The data type, only where the operation changes it. */
static bool put_to_layout(emit *e, ir_op *op, fb_row *row)
{
    ir_attr from = fb_emit_layout_of(e, ir_op_operand(op, 0)->type);
    ir_attr to = fb_emit_layout_of(e, op->results[0].type);
    if (!from || !to)
        return false;
    int before = fb_emit_data_type(e, fb_emit_layout_memref(from)->element);
    int after = fb_emit_data_type(e, fb_emit_layout_memref(to)->element);
    if (before >= 0 && after >= 0 && before != after)
        fb_put_int(row, FB_ttnn_ToLayoutOp_dtype, after);
    return before >= 0 && after >= 0;
}

static bool put_dropout(emit *e, ir_op *op, fb_row *row)
{
    int type = fb_emit_data_type(e, op->results[0].type->element);
    if (type >= 0)
        fb_put_int(row, FB_ttnn_DropoutOp_output_dtype, type);
    return type >= 0;
}

static bool put_get_device(emit *e, ir_op *op, fb_row *row)
{
    ir_attr chips = e->device ? ir_attr_param(e->device, "chipIds") : NULL;
    size_t count = chips ? chips->count : 1;
    int64_t *ids = TW_ARENA_ARRAY(&e->arena, int64_t, count + 1), offset[2] = {0, 0};
    if (chips)
        ir_attr_ints(chips, ids, count);
    ir_attr at = ir_op_attr(op, "mesh_offset");
    if (at && ir_attr_is(at, IR_ATTR_DIALECT)) {
        offset[0] = ir_attr_int(ir_attr_param(at, "y"), 0);
        offset[1] = ir_attr_int(ir_attr_param(at, "x"), 0);
    }
    fb_row device;
    fb_start(&device, FB_TABLE_DeviceRef);
    fb_put_int(&device, FB_DeviceRef_global_id, ids[0]);
    fb_ref ref = fb_end(&e->b, &device);
    fb_emit_remember(e, ir_op_result(op, 0), (uint32_t)ids[0], ref);
    fb_put_dim2d(row, FB_ttnn_GetDeviceOp_mesh, e->mesh[0], e->mesh[1]);
    fb_put_dim2d(row, FB_ttnn_GetDeviceOp_offset, offset[0], offset[1]);
    fb_put_ref(row, FB_ttnn_GetDeviceOp_chip_ids, fb_make_ints(&e->b, FB_U32, ids, count));
    fb_put_ref(row, FB_ttnn_GetDeviceOp_out, ref);
    return true;
}

static bool put_trace(emit *e, ir_op *op, fb_row *row)
{
    static const struct {
        const char *attr;
        int slot;
    } callees[] = {
        {"capture_callee", FB_ttnn_CaptureOrExecuteTraceOp_capture_program_id},
        {"execute_callee", FB_ttnn_CaptureOrExecuteTraceOp_execute_program_id},
        {"allocate_slots_callee",
         FB_ttnn_CaptureOrExecuteTraceOp_allocate_slots_program_id},
    };
    for (size_t i = 0; i < TW_COUNT(callees); i++) {
        int64_t index = fb_emit_program_index(e, ir_op_attr(op, callees[i].attr));
        if (index < 0)
            return false;
        fb_put_int(row, callees[i].slot, index);
    }
    return true;
}

/* ---- quantization ------------------------------------------------------------------- */

/* The number that fills a tensor of one element: through layouts and cached programs down
 * to ttnn.full; NULL if it is not known. */
static ir_attr constant_behind(emit *e, ir_value *value)
{
    for (ir_op *op; (op = ir_value_def(value));) {
        ir_attr callee =
            op->def == TTCORE_OP(load_cached) ? ir_op_attr(op, "callee") : NULL;
        ir_op *func = callee ? ir_symbol_resolve(e->op, callee) : NULL;
        ir_block *body = func ? ir_op_body(func, 0) : NULL;
        if (op->def == TTNN_OP(full))
            return ir_op_attr(op, "fill_value");
        if (body && body->last && body->last->n_operands == op->n_results)
            value = ir_op_operand(body->last, (size_t)(value - op->results));
        else if (op->def == TTNN_OP(to_layout) || op->def == TTNN_OP(to_device) ||
                 op->def == TTNN_OP(to_memory_config))
            value = ir_op_operand(op, 0);
        else
            return NULL;
    }
    return NULL;
}

/* A scale or zero point: one number, or a tensor with one for each index of the axis. */
static bool put_quantity(emit *e, fb_row *row, int slot, ir_value *value, bool scale)
{
    static const fb_table_id tables[2][2] = {
        {FB_TABLE_ttnn_PerAxisZeroPoint, FB_TABLE_ttnn_PerAxisScale},
        {FB_TABLE_ttnn_PerTensorZeroPoint, FB_TABLE_ttnn_PerTensorScale}};
    bool one = ir_type_num_elements(value->type) == 1;
    ir_attr number = one ? constant_behind(e, value) : NULL;
    fb_row quantity;
    fb_start(&quantity, tables[one][scale]);
    if (one && !ir_attr_is(number, scale ? IR_ATTR_FLOAT : IR_ATTR_INTEGER))
        return fb_emit_error(e,
                             "has a %s that is not a constant %s; one for the whole tensor "
                             "must be a ttnn.full",
                             scale ? "scale" : "zero point", scale ? "float" : "integer");
    if (one && scale)
        fb_put_real(&quantity, 0, ir_attr_real(number, 0));
    else if (one)
        fb_put_int(&quantity, 0, ir_attr_int(number, 0));
    else
        fb_put_ref(&quantity, 0, fb_emit_value(e, value));
    fb_put_union(row, slot,
                 one ? FB_ttnn_QuantizationScale_PerTensorScale
                     : FB_ttnn_QuantizationScale_PerAxisScale,
                 fb_end(&e->b, &quantity));
    return true;
}

static bool put_quantization(emit *e, ir_op *op, fb_row *row)
{
    static const int two[] = {FB_ttnn_QuantizeDequantizeOpParams_scale,
                              FB_ttnn_QuantizeDequantizeOpParams_zero_point};
    static const int four[] = {
        FB_ttnn_RequantizeOpParams_in_scale, FB_ttnn_RequantizeOpParams_in_zero_point,
        FB_ttnn_RequantizeOpParams_out_scale, FB_ttnn_RequantizeOpParams_out_zero_point};
    bool again = op->def == TTNN_OP(requantize);
    fb_row params;
    fb_start(&params, again ? FB_TABLE_ttnn_RequantizeOpParams
                            : FB_TABLE_ttnn_QuantizeDequantizeOpParams);
    for (size_t i = 0; i < (again ? 4 : 2); i++)
        if (!put_quantity(e, &params, again ? four[i] : two[i], ir_op_operand(op, i + 1),
                          i % 2 == 0))
            return false;
    fb_put_union(row, FB_ttnn_EltwiseQuantizationOp_params,
                 again ? FB_ttnn_EltwiseQuantizationOpParams_RequantizeOpParams
                       : FB_ttnn_EltwiseQuantizationOpParams_QuantizeDequantizeOpParams,
                 fb_end(&e->b, &params));
    return true;
}

static const struct {
    const ir_op_def *op;
    bool (*put)(emit *e, ir_op *op, fb_row *row);
} hooks[] = {
    {TTNN_OP(avg_pool2d), put_pool},         {TTNN_OP(capture_or_execute_trace), put_trace},
    {TTNN_OP(clamp_scalar), put_clamp},      {TTNN_OP(clamp_tensor), put_clamp},
    {TTNN_OP(constant), put_constant},       {TTNN_OP(dropout), put_dropout},
    {TTNN_OP(get_device), put_get_device},   {TTNN_OP(leaky_relu), put_leaky_relu},
    {TTNN_OP(max_pool2d), put_pool},         {TTNN_OP(slice_dynamic), put_slice},
    {TTNN_OP(slice_static), put_slice},      {TTNN_OP(to_layout), put_to_layout},
    {TTNN_OP(upsample), put_upsample},       {TTNN_OP(generic), fb_emit_generic},
    {TTNN_OP(quantize), put_quantization},   {TTNN_OP(dequantize), put_quantization},
    {TTNN_OP(requantize), put_quantization},
};

bool fb_emit_hooked(emit *e, const emit_row *how, ir_op *op, fb_row *row)
{
    for (size_t i = 0; i < TW_COUNT(hooks); i++)
        if (hooks[i].op == op->def)
            return hooks[i].put(e, op, row);
    return fb_emit_error(e, "cannot be written to a binary yet (%s)", how->hooked);
}

/* ---- calls -------------------------------------------------------------------------- */

int64_t fb_emit_program_index(emit *e, ir_attr symbol)
{
    ir_op *callee = symbol ? ir_symbol_resolve(e->op, symbol) : NULL;
    for (size_t i = 0; callee && i < e->n_functions; i++)
        if (e->functions[i] == callee)
            return (int64_t)i;
    fb_emit_error(e, "refers to %s, which is not a program of the binary",
                  symbol ? ir_attr_text(e->ctx, symbol) : "nothing");
    return -1;
}

/* A name for what a function computes: the hash of its generic text. */
static fb_ref make_program_hash(emit *e, ir_op *function)
{
    tw_strbuf text = {0};
    char hash[65];
    ir_print_options options = {.generic = true, .local_scope = true};
    ir_print_op(function, &options, &text);
    tw_sha256_hex(text.data, text.size, hash);
    tw_strbuf_free(&text);
    return fb_make_string(&e->b, (tw_str){hash, 64});
}

static fb_ref emit_load_cached(emit *e, ir_op *op)
{
    ir_attr callee = ir_op_attr(op, "callee");
    int64_t index = fb_emit_program_index(e, callee);
    fb_row row;
    if (index < 0)
        return 0;
    fb_start(&row, FB_TABLE_ttnn_LoadCachedOp);
    fb_put_ref(&row, FB_ttnn_LoadCachedOp_inputs,
               fb_emit_values(e, op, 0, op->n_operands, false));
    fb_put_ref(&row, FB_ttnn_LoadCachedOp_outputs,
               fb_emit_values(e, op, 0, op->n_results, true));
    fb_put_ref(&row, FB_ttnn_LoadCachedOp_callee_name,
               fb_make_string(&e->b, ir_symbol_leaf(callee)));
    fb_put_int(&row, FB_ttnn_LoadCachedOp_program_idx, index);
    fb_put_ref(&row, FB_ttnn_LoadCachedOp_program_hash,
               make_program_hash(e, e->functions[index]));
    return fb_end(&e->b, &row);
}

/* A call of a function of the host, which stands in the program's library 0. */
static fb_ref emit_cpu(emit *e, ir_op *op)
{
    tw_str name = ir_symbol_leaf(ir_op_attr(op, "callee"));
    ir_op *body = e->cpu ? ir_symbol_lookup(e->cpu, name) : NULL;
    if (!body || !ir_op_body(body, 0)) {
        fb_emit_error(e,
                      "calls '%.*s' on the host, but the module has no ttcore.cpu_module "
                      "with its body",
                      (int)name.size, name.data);
        return 0;
    }
    fb_row row;
    fb_start(&row, FB_TABLE_ttnn_CpuOp);
    fb_put_ref(&row, FB_ttnn_CpuOp_ins, fb_emit_values(e, op, 0, op->n_operands, false));
    fb_put_ref(&row, FB_ttnn_CpuOp_outs, fb_emit_values(e, op, 0, op->n_results, true));
    fb_put_ref(&row, FB_ttnn_CpuOp_func_name, fb_make_string(&e->b, name));
    fb_put_int(&row, FB_ttnn_CpuOp_dylib_id, 0);
    return fb_end(&e->b, &row);
}

static fb_ref emit_func_call(emit *e, ir_op *op)
{
    int64_t index = fb_emit_program_index(e, ir_op_attr(op, "callee"));
    if (index < 0)
        return 0;
    fb_ref *tensors = TW_ARENA_ARRAY(&e->arena, fb_ref, op->n_operands + 1);
    fb_ref *semaphores = TW_ARENA_ARRAY(&e->arena, fb_ref, op->n_operands + 1);
    size_t n_tensors = 0, n_semaphores = 0;
    for (size_t i = 0; i < op->n_operands; i++) {
        ir_value *v = ir_op_operand(op, i);
        fb_ref ref = fb_emit_value(e, v);
        if (!ref)
            return 0;
        if (ir_type_is_tensor(v->type))
            tensors[n_tensors++] = ref;
        else
            semaphores[n_semaphores++] = ref;
    }
    fb_row row;
    fb_start(&row, FB_TABLE_ttnn_FuncCallOp);
    fb_put_int(&row, FB_ttnn_FuncCallOp_program_id, index);
    fb_put_ref(&row, FB_ttnn_FuncCallOp_inputs, fb_make_refs(&e->b, tensors, n_tensors));
    fb_put_ref(&row, FB_ttnn_FuncCallOp_semaphore_inputs,
               fb_make_refs(&e->b, semaphores, n_semaphores));
    fb_put_ref(&row, FB_ttnn_FuncCallOp_outputs,
               fb_emit_values(e, op, 0, op->n_results, true));
    return fb_end(&e->b, &row);
}

fb_ref fb_emit_call(emit *e, ir_op *op, unsigned *out_kind)
{
    if (op->def == TTCORE_OP(load_cached)) {
        *out_kind = FB_ttnn_OpType_LoadCachedOp;
        return emit_load_cached(e, op);
    }
    if (op->def == FUNC_OP(call) && ir_op_attr(op, "ttir.cpu_hoist_call")) {
        *out_kind = FB_ttnn_OpType_CpuOp;
        return emit_cpu(e, op);
    }
    if (op->def == FUNC_OP(call)) {
        *out_kind = FB_ttnn_OpType_FuncCallOp;
        return emit_func_call(e, op);
    }
    fb_emit_error(e, "cannot be written to a TTNN binary; it must be lowered before");
    return 0;
}
