/* import_kernels.c: the program of a ttnn.generic out of a .ttnn: its kernels' C++,
 * circular buffers and semaphores.  emit_kernels.c is the way there. */
#include "ttnn/to_flatbuffer/import_impl.h"
#include "ttnn/ttnn.h"

/* One item of a list. */
typedef tw_status read_item(ir_context *ctx, fb_view item, ir_attr *out);

static tw_status read_list(ir_context *ctx, fb_view table, int slot, read_item *read,
                           ir_attr *out)
{
    fb_vec vec = fb_get_vec(table, slot);
    ir_attr *items = TW_ARENA_ARRAY(ir_context_arena(ctx), ir_attr, vec.count + 1);
    for (uint32_t i = 0; i < vec.count; i++)
        TW_TRY(read(ctx, fb_vec_table(vec, i), &items[i]));
    *out = ir_array_attr(ctx, items, vec.count);
    return TW_SUCCESS;
}

/* ---- arguments ---------------------------------------------------------------------- */

static tw_status read_argument(ir_context *ctx, fb_view item, ir_attr *out)
{
    static const struct {
        fb_table_id table;
        const ir_attr_def *attr;
    } kinds[] = {
        {FB_TABLE_ttnn_KernelArgCBBufferIndex, TTNN_ATTR(kernel_arg_cb_buffer_index)},
        {FB_TABLE_ttnn_KernelArgBufferAddressOfTensor,
         TTNN_ATTR(kernel_arg_address_of_tensor)},
        {FB_TABLE_ttnn_KernelArgSemaphoreAt, TTNN_ATTR(kernel_arg_semaphore_at)},
        {FB_TABLE_ttnn_KernelArgNamedArgument, TTNN_ATTR(kernel_named_arg)},
        {FB_TABLE_ttnn_KernelArgGlobalSemaphore, TTNN_ATTR(kernel_arg_global_semaphore)},
        {FB_TABLE_ttnn_KernelArgScalar, TTNN_ATTR(kernel_arg_scalar)},
        {FB_TABLE_ttnn_KernelArgTensorAccessorArgs,
         TTNN_ATTR(kernel_arg_tensor_accessor_args)},
    };
    fb_view arg = fb_get_table(item, FB_ttnn_KernelArg_arg);
    for (size_t i = 0; arg.at && i < TW_COUNT(kinds); i++) {
        if (arg.def != &fb_tables[kinds[i].table])
            continue;
        ir_attr params[2];
        size_t n = 0;
        if (kinds[i].attr->params.count == 2) {
            params[0] = ir_string_attr(ctx, fb_get_str(arg, 0));
            n = 1;
        }
        params[n] = ir_raw_int(ctx, fb_get_int(arg, (int)n));
        *out = ir_dialect_attr(ctx, kinds[i].attr, params, n + 1);
        return TW_SUCCESS;
    }
    return tw_error(TW_UNSUPPORTED,
                    "a kernel's argument of kind %s has no way back into IR",
                    arg.at ? fb_short_name(arg.def->name) : "NONE");
}

static tw_status read_arguments(ir_context *ctx, fb_view kernel, int slot, ir_attr *out)
{
    fb_view args = fb_get_table(kernel, slot);
    *out = ir_array_attr(ctx, NULL, 0);
    return args.at ? read_list(ctx, args, FB_ttnn_KernelCoreArgs_args, read_argument, out)
                   : TW_SUCCESS;
}

static tw_status read_core_arguments(ir_context *ctx, fb_view item, ir_attr *out)
{
    const ir_attr_def *def = TTNN_ATTR(core_runtime_args);
    ir_attr params[2] = {0};
    TW_TRY(fb_import_param(ctx, &def->params.at[0], item,
                           FB_ttnn_CoreRuntimeArgs_core_coord, &params[0]));
    if (!params[0])
        return tw_error(TW_INVALID, "a core's arguments lack the core");
    TW_TRY(read_arguments(ctx, item, FB_ttnn_CoreRuntimeArgs_args, &params[1]));
    *out = ir_dialect_attr(ctx, def, params, 2);
    return TW_SUCCESS;
}

/* ---- kernels ------------------------------------------------------------------------ */

/* The attribute that holds a kernel's C++; there is none for a data movement kernel, which
 * becomes the reader or writer on its NoC. */
static tw_status kind_of(fb_view config, const ir_attr_def **out)
{
    if (!config.at)
        return tw_error(TW_INVALID, "a kernel lacks its configuration");
    if (config.def == &fb_tables[FB_TABLE_ttnn_ComputeKernelConfig])
        *out = TTNN_ATTR(source_compute_kernel);
    else if (config.def == &fb_tables[FB_TABLE_ttnn_ReaderKernelConfig])
        *out = TTNN_ATTR(source_read_kernel);
    else if (config.def == &fb_tables[FB_TABLE_ttnn_WriterKernelConfig])
        *out = TTNN_ATTR(source_write_kernel);
    else if (fb_get_int(config, FB_ttnn_DataMovementKernelConfig_noc_mode) !=
             FB_ttnn_NocMode_DM_DEDICATED_NOC)
        return tw_error(TW_UNSUPPORTED, "a kernel with a dynamic NoC");
    else
        *out = fb_get_int(config, FB_ttnn_DataMovementKernelConfig_noc) == FB_NocIndex_Noc0
                   ? TTNN_ATTR(source_read_kernel)
                   : TTNN_ATTR(source_write_kernel);
    return TW_SUCCESS;
}

static tw_status read_part(ir_context *ctx, const ir_param_def *param, fb_view kernel,
                           fb_view config, ir_attr *out)
{
    if (strcmp(param->name, "source") == 0) {
        *out = ir_string_attr(ctx, fb_get_str(kernel, FB_ttnn_KernelDescriptor_source));
        return TW_SUCCESS;
    }
    if (strcmp(param->name, "core_ranges") == 0)
        return fb_import_param(ctx, param, kernel, FB_ttnn_KernelDescriptor_core_ranges,
                               out);
    if (strcmp(param->name, "ct_args") == 0)
        return read_arguments(ctx, kernel, FB_ttnn_KernelDescriptor_ct_args, out);
    if (strcmp(param->name, "common_rt_args") == 0)
        return read_arguments(ctx, kernel, FB_ttnn_KernelDescriptor_common_rt_args, out);
    if (strcmp(param->name, "rt_args") == 0)
        return read_list(ctx, kernel, FB_ttnn_KernelDescriptor_rt_args, read_core_arguments,
                         out);
    return fb_import_named_param(ctx, param, config, out);
}

static tw_status read_kernel(ir_context *ctx, fb_view kernel, ir_attr *out)
{
    enum { MAX_PARTS = 16 };
    fb_view config = fb_get_table(kernel, FB_ttnn_KernelDescriptor_config);
    const ir_attr_def *def;
    ir_attr params[MAX_PARTS] = {0};
    TW_TRY(kind_of(config, &def));
    if (fb_get_int(kernel, FB_ttnn_KernelDescriptor_source_type) !=
        FB_ttnn_SourceType_SOURCE_CODE)
        return tw_error(TW_UNSUPPORTED, "a kernel whose source is in a file");
    for (size_t i = 0; i < def->params.count && i < MAX_PARTS; i++) {
        TW_TRY(read_part(ctx, &def->params.at[i], kernel, config, &params[i]));
        if (!params[i] && def->params.at[i].array)
            params[i] = ir_array_attr(ctx, NULL, 0);
        if (!params[i])
            return tw_error(TW_INVALID, "a kernel lacks %s", def->params.at[i].name);
    }
    *out = ir_dialect_attr(ctx, def, params, def->params.count);
    return TW_SUCCESS;
}

/* ---- programs ----------------------------------------------------------------------- */

static tw_status read_semaphore(ir_context *ctx, fb_view item, ir_attr *out)
{
    return fb_import_table(ctx, TTNN_ATTR(kernel_semaphore), item, out);
}

static tw_status read_cb(ir_context *ctx, fb_view item, ir_attr *out)
{
    static const int slots[] = {
        FB_ttnn_KernelCBDescriptor_total_size, FB_ttnn_KernelCBDescriptor_core_range,
        FB_ttnn_KernelCBDescriptor_formats, FB_ttnn_KernelCBDescriptor_buffer};
    const ir_attr_def *def = TTNN_ATTR(kernel_cb);
    ir_attr params[TW_COUNT(slots)] = {0};
    for (size_t i = 0; i < TW_COUNT(slots); i++) {
        TW_TRY(fb_import_param(ctx, &def->params.at[i], item, slots[i], &params[i]));
        if (!params[i] && def->params.at[i].array)
            params[i] = ir_array_attr(ctx, NULL, 0);
        if (!params[i] && !def->params.at[i].optional)
            return tw_error(TW_INVALID, "a circular buffer lacks %s",
                            def->params.at[i].name);
    }
    *out = ir_dialect_attr(ctx, def, params, TW_COUNT(slots));
    return TW_SUCCESS;
}

tw_status fb_import_program(ir_context *ctx, fb_view generic, ir_attr *out)
{
    fb_view program = fb_get_table(generic, FB_ttnn_GenericOp_program);
    ir_attr params[3];
    if (!program.at)
        return tw_error(TW_INVALID, "the program is missing");
    if (program.def != &fb_tables[FB_TABLE_ttnn_ProgramDescriptor])
        return tw_error(TW_UNSUPPORTED, "a program for a mesh of devices");
    TW_TRY(read_list(ctx, program, FB_ttnn_ProgramDescriptor_kernels, read_kernel,
                     &params[0]));
    TW_TRY(read_list(ctx, program, FB_ttnn_ProgramDescriptor_cbs, read_cb, &params[1]));
    TW_TRY(read_list(ctx, program, FB_ttnn_ProgramDescriptor_semaphores, read_semaphore,
                     &params[2]));
    *out = ir_dialect_attr(ctx, TTNN_ATTR(program), params, 3);
    return TW_SUCCESS;
}
