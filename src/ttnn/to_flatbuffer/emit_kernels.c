/* emit_kernels.c: ttnn.generic: kernels, circular buffers and semaphores inside a .ttnn. */
#include "mlir/emitc/to_cpp/cpp.h"
#include "ttnn/to_flatbuffer/emit_impl.h"
#include "ttnn/ttnn.h"

/* A list by a function for its items. */
typedef fb_ref make_item(emit *e, ir_attr item);

/* 0 after diagnostics; an absent list is an empty one. */
static fb_ref make_list(emit *e, ir_attr list, make_item *make)
{
    size_t count = list ? list->count : 0;
    fb_ref *refs = TW_ARENA_ARRAY(&e->arena, fb_ref, count + 1);
    for (size_t i = 0; i < count; i++)
        if (!(refs[i] = make(e, list->items[i])))
            return 0;
    return fb_make_refs(&e->b, refs, count);
}

/* ---- arguments ---------------------------------------------------------------------- */

/* An argument's attribute, its table, and its number in the union.  All have one number in
 * their first field, but for the named one, whose number comes second. */
static const struct {
    const ir_attr_def *attr;
    fb_table_id table;
    unsigned kind;
} arguments[] = {
    {TTNN_ATTR(kernel_arg_cb_buffer_index), FB_TABLE_ttnn_KernelArgCBBufferIndex,
     FB_ttnn_KernelArgType_KernelArgCBBufferIndex},
    {TTNN_ATTR(kernel_arg_address_of_tensor), FB_TABLE_ttnn_KernelArgBufferAddressOfTensor,
     FB_ttnn_KernelArgType_KernelArgBufferAddressOfTensor},
    {TTNN_ATTR(kernel_arg_semaphore_at), FB_TABLE_ttnn_KernelArgSemaphoreAt,
     FB_ttnn_KernelArgType_KernelArgSemaphoreAt},
    {TTNN_ATTR(kernel_named_arg), FB_TABLE_ttnn_KernelArgNamedArgument,
     FB_ttnn_KernelArgType_KernelArgNamedArgument},
    {TTNN_ATTR(kernel_arg_global_semaphore), FB_TABLE_ttnn_KernelArgGlobalSemaphore,
     FB_ttnn_KernelArgType_KernelArgGlobalSemaphore},
    {TTNN_ATTR(kernel_arg_scalar), FB_TABLE_ttnn_KernelArgScalar,
     FB_ttnn_KernelArgType_KernelArgScalar},
    {TTNN_ATTR(kernel_arg_tensor_accessor_args), FB_TABLE_ttnn_KernelArgTensorAccessorArgs,
     FB_ttnn_KernelArgType_KernelArgTensorAccessorArgs},
};

static fb_ref make_argument(emit *e, ir_attr attr)
{
    for (size_t i = 0; i < TW_COUNT(arguments); i++) {
        if (!ir_attr_is(attr, IR_ATTR_DIALECT) || attr->def != arguments[i].attr)
            continue;
        fb_row row, arg;
        size_t last = attr->def->params.count - 1;
        fb_start(&row, arguments[i].table);
        if (last)
            fb_put_ref(&row, 0, fb_make_string(&e->b, ir_attr_str(attr->params[0])));
        fb_put_int(&row, (int)last, ir_attr_int(attr->params[last], 0));
        fb_ref table = fb_end(&e->b, &row);
        fb_start(&arg, FB_TABLE_ttnn_KernelArg);
        fb_put_union(&arg, FB_ttnn_KernelArg_arg, arguments[i].kind, table);
        return fb_end(&e->b, &arg);
    }
    fb_emit_error(e, "has a kernel argument that binaries do not know: %s",
                  ir_attr_text(e->ctx, attr));
    return 0;
}

static fb_ref make_arguments(emit *e, ir_attr list)
{
    fb_row row;
    fb_ref args = make_list(e, list, make_argument);
    if (!args)
        return 0;
    fb_start(&row, FB_TABLE_ttnn_KernelCoreArgs);
    fb_put_ref(&row, FB_ttnn_KernelCoreArgs_args, args);
    return fb_end(&e->b, &row);
}

static fb_ref make_core_arguments(emit *e, ir_attr attr)
{
    ir_attr core = ir_attr_param(attr, "core_coord");
    uint64_t at[2] = {(uint64_t)ir_attr_int(ir_attr_param(core, "x"), 0),
                      (uint64_t)ir_attr_int(ir_attr_param(core, "y"), 0)};
    fb_row row;
    fb_ref args = make_arguments(e, ir_attr_param(attr, "args"));
    if (!args)
        return 0;
    fb_start(&row, FB_TABLE_ttnn_CoreRuntimeArgs);
    fb_put_struct(&row, FB_ttnn_CoreRuntimeArgs_core_coord, at);
    fb_put_ref(&row, FB_ttnn_CoreRuntimeArgs_args, args);
    return fb_end(&e->b, &row);
}

/* ---- kernels ------------------------------------------------------------------------ */

/* The C++ that the attribute holds, or that the function it names becomes. */
static fb_ref make_source(emit *e, ir_attr kernel)
{
    ir_attr symbol = ir_attr_param(kernel, "symbol_ref");
    if (!symbol)
        return fb_make_string(&e->b, ir_attr_str(ir_attr_param(kernel, "source")));
    ir_op *func = ir_symbol_resolve(e->op, symbol);
    tw_strbuf text = {0};
    fb_ref ref = 0;
    if (!func)
        fb_emit_error(e, "refers to kernel %s, which does not exist",
                      ir_attr_text(e->ctx, symbol));
    else if (cpp_emit_kernel(func, &text))
        ref = fb_make_string(&e->b, (tw_str){text.data, text.size});
    tw_strbuf_free(&text);
    return ref;
}

static const struct {
    const ir_attr_def *attr;
    fb_table_id table;
    unsigned kind;
} configs[] = {
    {TTNN_ATTR(compute_kernel), FB_TABLE_ttnn_ComputeKernelConfig,
     FB_ttnn_KernelConfig_ComputeKernelConfig},
    {TTNN_ATTR(source_compute_kernel), FB_TABLE_ttnn_ComputeKernelConfig,
     FB_ttnn_KernelConfig_ComputeKernelConfig},
    {TTNN_ATTR(data_movement_kernel), FB_TABLE_ttnn_DataMovementKernelConfig,
     FB_ttnn_KernelConfig_DataMovementKernelConfig},
    {TTNN_ATTR(read_kernel), FB_TABLE_ttnn_ReaderKernelConfig,
     FB_ttnn_KernelConfig_ReaderKernelConfig},
    {TTNN_ATTR(source_read_kernel), FB_TABLE_ttnn_ReaderKernelConfig,
     FB_ttnn_KernelConfig_ReaderKernelConfig},
    {TTNN_ATTR(write_kernel), FB_TABLE_ttnn_WriterKernelConfig,
     FB_ttnn_KernelConfig_WriterKernelConfig},
    {TTNN_ATTR(source_write_kernel), FB_TABLE_ttnn_WriterKernelConfig,
     FB_ttnn_KernelConfig_WriterKernelConfig},
};

static bool put_config(emit *e, ir_attr kernel, fb_row *row)
{
    for (size_t i = 0; i < TW_COUNT(configs); i++)
        if (ir_attr_is(kernel, IR_ATTR_DIALECT) && kernel->def == configs[i].attr) {
            fb_ref table = fb_emit_table(e, configs[i].table, kernel);
            fb_put_union(row, FB_ttnn_KernelDescriptor_config, configs[i].kind, table);
            return table != 0;
        }
    return fb_emit_error(e, "has a kernel of a kind that binaries do not know: %s",
                         ir_attr_text(e->ctx, kernel));
}

static fb_ref make_kernel(emit *e, ir_attr kernel)
{
    fb_row row;
    fb_start(&row, FB_TABLE_ttnn_KernelDescriptor);
    if (!put_config(e, kernel, &row))
        return 0;
    const struct {
        int slot;
        fb_ref ref;
    } parts[] = {
        {FB_ttnn_KernelDescriptor_source, make_source(e, kernel)},
        {FB_ttnn_KernelDescriptor_core_ranges,
         fb_emit_core_range_set(e, ir_attr_param(kernel, "core_ranges"))},
        {FB_ttnn_KernelDescriptor_ct_args,
         make_arguments(e, ir_attr_param(kernel, "ct_args"))},
        {FB_ttnn_KernelDescriptor_rt_args,
         make_list(e, ir_attr_param(kernel, "rt_args"), make_core_arguments)},
        {FB_ttnn_KernelDescriptor_common_rt_args,
         make_arguments(e, ir_attr_param(kernel, "common_rt_args"))},
    };
    for (size_t i = 0; i < TW_COUNT(parts); i++) {
        if (!parts[i].ref)
            return 0;
        fb_put_ref(&row, parts[i].slot, parts[i].ref);
    }
    return fb_end(&e->b, &row);
}

/* ---- programs ----------------------------------------------------------------------- */

static fb_ref make_semaphore(emit *e, ir_attr attr)
{
    return fb_emit_table(e, FB_TABLE_ttnn_SemaphoreDescriptor, attr);
}

static fb_ref make_cb_format(emit *e, ir_attr attr)
{
    return fb_emit_table(e, FB_TABLE_ttnn_KernelCBFormat, attr);
}

static fb_ref make_cb(emit *e, ir_attr attr)
{
    ir_attr buffer = ir_attr_param(attr, "buffer");
    fb_ref formats = make_list(e, ir_attr_param(attr, "formats"), make_cb_format);
    fb_ref of =
        buffer ? fb_emit_table(e, FB_TABLE_ttnn_KernelGlobalCBIndexOfTensor, buffer) : 0;
    fb_row row;
    if (!formats || (buffer && !of))
        return 0;
    fb_start(&row, FB_TABLE_ttnn_KernelCBDescriptor);
    fb_put_int(&row, FB_ttnn_KernelCBDescriptor_total_size,
               ir_attr_int(ir_attr_param(attr, "total_size"), 0));
    fb_put_ref(&row, FB_ttnn_KernelCBDescriptor_core_range,
               fb_emit_core_range_set(e, ir_attr_param(attr, "core_ranges")));
    fb_put_ref(&row, FB_ttnn_KernelCBDescriptor_formats, formats);
    fb_put_ref(&row, FB_ttnn_KernelCBDescriptor_buffer, of);
    return fb_end(&e->b, &row);
}

static fb_ref make_program(emit *e, ir_attr program)
{
    fb_row row;
    fb_ref kernels = make_list(e, ir_attr_param(program, "kernels"), make_kernel);
    fb_ref semaphores =
        kernels ? make_list(e, ir_attr_param(program, "semaphores"), make_semaphore) : 0;
    fb_ref cbs = semaphores ? make_list(e, ir_attr_param(program, "cbs"), make_cb) : 0;
    if (!cbs)
        return 0;
    fb_start(&row, FB_TABLE_ttnn_ProgramDescriptor);
    fb_put_ref(&row, FB_ttnn_ProgramDescriptor_kernels, kernels);
    fb_put_ref(&row, FB_ttnn_ProgramDescriptor_semaphores, semaphores);
    fb_put_ref(&row, FB_ttnn_ProgramDescriptor_cbs, cbs);
    return fb_end(&e->b, &row);
}

static fb_ref make_mesh_coord(emit *e, ir_attr offset)
{
    int64_t at[2] = {ir_attr_int(ir_attr_param(offset, "y"), 0),
                     ir_attr_int(ir_attr_param(offset, "x"), 0)};
    fb_row row;
    fb_start(&row, FB_TABLE_ttnn_MeshCoord);
    fb_put_ref(&row, FB_ttnn_MeshCoord_coords, fb_make_ints(&e->b, FB_U32, at, 2));
    return fb_end(&e->b, &row);
}

static fb_ref make_mesh_program(emit *e, ir_attr attr)
{
    ir_attr cores = ir_attr_param(attr, "mesh_range");
    fb_row range, row;
    fb_ref program = make_program(e, ir_attr_param(attr, "program"));
    if (!program)
        return 0;
    fb_start(&range, FB_TABLE_ttnn_MeshCoordRange);
    fb_put_ref(&range, FB_ttnn_MeshCoordRange_start,
               make_mesh_coord(e, ir_attr_param(cores, "start_coord")));
    fb_put_ref(&range, FB_ttnn_MeshCoordRange_end,
               make_mesh_coord(e, ir_attr_param(cores, "end_coord")));
    fb_start(&row, FB_TABLE_ttnn_MeshProgram);
    fb_put_ref(&row, FB_ttnn_MeshProgram_device_range, fb_end(&e->b, &range));
    fb_put_ref(&row, FB_ttnn_MeshProgram_program, program);
    return fb_end(&e->b, &row);
}

static fb_ref make_mesh_programs(emit *e, ir_attr attr)
{
    fb_row row;
    fb_ref programs = make_list(e, ir_attr_param(attr, "mesh_programs"), make_mesh_program);
    fb_ref fabric = fb_emit_table(e, FB_TABLE_FabricConnectionConfig,
                                  ir_attr_param(attr, "fabric_connection_config"));
    if (!programs || !fabric)
        return 0;
    fb_start(&row, FB_TABLE_ttnn_MeshProgramDescriptor);
    fb_put_ref(&row, FB_ttnn_MeshProgramDescriptor_mesh_programs, programs);
    fb_put_ref(&row, FB_ttnn_MeshProgramDescriptor_fabric_connection_config, fabric);
    return fb_end(&e->b, &row);
}

/* ---- the operation ------------------------------------------------------------------ */

static bool put_operands(emit *e, ir_op *op, fb_row *row)
{
    size_t start, n_tensors, n_more;
    if (!ir_op_operand_group(op, 0, &start, &n_tensors) ||
        !ir_op_operand_group(op, 1, &start, &n_more))
        return fb_emit_error(e, "has counts of operands that do not fit its definition");
    fb_ref tensors = fb_emit_values(e, op, 0, n_tensors, false);
    fb_ref *refs = TW_ARENA_ARRAY(&e->arena, fb_ref, n_more + 1);
    uint8_t *kinds = tw_arena_alloc(&e->arena, n_more + 1);
    for (size_t i = 0; tensors && i < n_more; i++) {
        ir_value *value = ir_op_operand(op, n_tensors + i);
        bool semaphore = value->type->kind == IR_TYPE_DIALECT &&
                         value->type->def == TTNN_TYPE(global_semaphore);
        kinds[i] = semaphore ? FB_ttnn_ArgRef_GlobalSemaphoreRef : FB_ttnn_ArgRef_TensorRef;
        if (!(refs[i] = fb_emit_value(e, value)))
            return false;
    }
    fb_put_ref(row, FB_ttnn_GenericOp_io_tensors, tensors);
    fb_put_ref(row, FB_ttnn_GenericOp_additional_args_type,
               fb_make_bytes(&e->b, kinds, n_more));
    fb_put_ref(row, FB_ttnn_GenericOp_additional_args, fb_make_refs(&e->b, refs, n_more));
    return tensors != 0;
}

bool fb_emit_generic(emit *e, ir_op *op, fb_row *row)
{
    ir_attr program = ir_op_attr(op, "program");
    bool mesh = ir_attr_is(program, IR_ATTR_DIALECT) &&
                program->def == TTNN_ATTR(mesh_program_descriptor);
    if (!put_operands(e, op, row))
        return false;
    fb_ref ref = mesh ? make_mesh_programs(e, program) : make_program(e, program);
    fb_put_union(row, FB_ttnn_GenericOp_program,
                 mesh ? FB_ttnn_ProgramType_MeshProgramDescriptor
                      : FB_ttnn_ProgramType_ProgramDescriptor,
                 ref);
    return ref != 0;
}
