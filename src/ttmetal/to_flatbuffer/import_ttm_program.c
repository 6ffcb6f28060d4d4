/* import_ttm_program.c: programs of kernels in a .ttm as ttmetal.enqueue_program. */
#include "ir/text.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttkernel/ttkernel.h"
#include "ttmetal/to_flatbuffer/import_impl.h"
#include "ttmetal/ttmetal.h"

#include <stdlib.h>

const char ttm_source_attr[] = "tt.cpp_source";

/* ---- arguments of kernels --------------------------------------------------------- */

/* By the union's discriminator; the first field is the operand's index, but that named ones
 * have a value. */
static const int64_t argument_types[] = {
    [FB_metal_KernelArgType_KernelArgCBPort] = TTKERNEL_ArgType_CBPort,
    [FB_metal_KernelArgType_KernelArgBufferAddress] = TTKERNEL_ArgType_BufferAddress,
    [FB_metal_KernelArgType_KernelArgLocalSemaphore] = TTKERNEL_ArgType_LocalSemaphore,
    [FB_metal_KernelArgType_KernelArgNamedArgument] = TTKERNEL_ArgType_NamedArgument,
    [FB_metal_KernelArgType_KernelArgGlobalSemaphore] = TTKERNEL_ArgType_GlobalSemaphore,
    [FB_metal_KernelArgType_KernelArgScalar] = TTKERNEL_ArgType_Scalar,
    [FB_metal_KernelArgType_KernelArgTensorAccessorArgs] =
        TTKERNEL_ArgType_TensorAccessorArgs,
};

static tw_status argument_list(ttm_import_state *im, fb_view args, int slot, ir_attr *out)
{
    fb_vec list = fb_get_vec(args, slot);
    ir_attr *items = TW_ARENA_ARRAY(&im->arena, ir_attr, list.count + 1);
    for (size_t i = 0; i < list.count; i++) {
        fb_view item = fb_vec_table(list, i);
        unsigned kind = fb_get_utype(item, FB_metal_KernelArg_arg);
        fb_view arg = fb_get_table(item, FB_metal_KernelArg_arg);
        if (!kind || kind >= TW_COUNT(argument_types) || !arg.at)
            return tw_error(TW_INVALID, "argument %zu of a kernel has no kind", i);
        const bool named = kind == FB_metal_KernelArgType_KernelArgNamedArgument;
        ir_attr params[] = {
            ir_raw_int(im->ctx, argument_types[kind]),
            ir_raw_int(im->ctx,
                       fb_get_int(arg, named ? FB_metal_KernelArgNamedArgument_value : 0))};
        items[i] = ir_dialect_attr(im->ctx, TTMETAL_ATTR(kernel_arg), params, 2);
    }
    *out = ir_array_attr(im->ctx, items, list.count);
    return TW_SUCCESS;
}

static tw_status kernel_arguments(ttm_import_state *im, fb_view args, ir_attr *out)
{
    ir_attr params[3];
    if (!args.at)
        return tw_error(TW_INVALID, "a kernel lacks its arguments");
    TW_TRY(argument_list(im, args, FB_metal_KernelArgs_crt_args, &params[0]));
    TW_TRY(argument_list(im, args, FB_metal_KernelArgs_rt_args, &params[1]));
    TW_TRY(argument_list(im, args, FB_metal_KernelArgs_ct_args, &params[2]));
    *out = ir_dialect_attr(im->ctx, TTMETAL_ATTR(kernel_args), params, 3);
    return TW_SUCCESS;
}

static void find_scalars(ttm_import_state *im, fb_view args, int slot, fb_vec operands)
{
    fb_vec list = fb_get_vec(args, slot);
    for (size_t i = 0; i < list.count; i++) {
        fb_view item = fb_vec_table(list, i);
        fb_view arg = fb_get_table(item, FB_metal_KernelArg_arg);
        const bool scalar = fb_get_utype(item, FB_metal_KernelArg_arg) ==
                            FB_metal_KernelArgType_KernelArgScalar;
        const int64_t index = scalar && arg.at ? fb_get_int(arg, 0) : -1;
        if (index >= 0 && index < operands.count)
            ttm_mark_scalar(im, fb_vec_table(operands, (size_t)index));
    }
}

/* Programs work on buffers of the device: an operand of one element on the host is a
 * scalar, also where no kernel reads it. */
static void find_unused_scalars(ttm_import_state *im, fb_vec operands)
{
    for (size_t i = 0; i < operands.count; i++) {
        fb_view ref = fb_vec_table(operands, i);
        if (ref.def != &fb_tables[FB_TABLE_metal_BufferRef])
            continue; /* a semaphore */
        fb_view desc = fb_get_table(ref, FB_metal_BufferRef_desc);
        if (desc.at && fb_get_int(desc, FB_metal_BufferDesc_host_volume) == 1 &&
            fb_get_utype(desc, FB_metal_BufferDesc_buffer_detail) ==
                FB_metal_BufferDetail_SystemBuffer)
            ttm_mark_scalar(im, ref);
    }
}

void ttm_find_scalars(ttm_import_state *im, fb_view queue)
{
    static const int lists[] = {FB_metal_KernelArgs_crt_args, FB_metal_KernelArgs_rt_args,
                                FB_metal_KernelArgs_ct_args};
    fb_vec commands = fb_get_vec(queue, FB_metal_CommandQueue_commands);
    for (size_t c = 0; c < commands.count; c++) {
        fb_view table = fb_get_table(fb_vec_table(commands, c), FB_metal_Command_type);
        if (!table.at || table.def != &fb_tables[FB_TABLE_metal_EnqueueProgramCommand])
            continue;
        fb_vec operands = fb_get_vec(table, FB_metal_EnqueueProgramCommand_arg_refs);
        fb_view program = fb_get_table(table, FB_metal_EnqueueProgramCommand_program);
        fb_vec kernels =
            program.at ? fb_get_vec(program, FB_metal_ProgramDesc_kernels) : (fb_vec){0};
        find_unused_scalars(im, operands);
        for (size_t k = 0; k < kernels.count; k++) {
            fb_view args =
                fb_get_table(fb_vec_table(kernels, k), FB_metal_KernelConfig_args);
            for (size_t i = 0; args.at && i < TW_COUNT(lists); i++)
                find_scalars(im, args, lists[i], operands);
        }
    }
}

/* ---- kernels ---------------------------------------------------------------------- */

/* The kernel in TTKernel's operations, where the file has it beside the C++; NULL if not.
 */
static ir_op *read_function(ttm_import_state *im, fb_view kernel, ir_attr thread)
{
    static const char start[] = "func.func";
    tw_str text = fb_get_str(kernel, FB_metal_KernelConfig_debug_info);
    if (im->cpp || text.size < sizeof start ||
        strncmp(text.data, start, sizeof start - 1) != 0)
        return NULL;
    ir_diagnostic_sink sink = ir_context_set_sink(im->ctx, (ir_diagnostic_sink){0});
    ir_op *module = ir_parse(im->ctx, text, "<kernel>", NULL);
    ir_op *function = module ? ir_op_body(module, 0)->first : NULL;
    if (function && !function->next && function->def == FUNC_OP(func) &&
        ir_op_body(function, 0) && ir_op_attr(function, "ttkernel.thread") == thread)
        ir_op_remove(function);
    else
        function = NULL;
    if (module)
        ir_op_erase(module);
    ir_flush_diagnostics(im->ctx);
    ir_context_set_sink(im->ctx, sink);
    return function;
}

/* The function of a kernel: one for each text and kind of thread. */
static ir_attr kernel_function(ttm_import_state *im, fb_view kernel, tw_str text,
                               bool compute)
{
    ir_context *ctx = im->ctx;
    ir_attr source = ir_string_attr(ctx, text);
    ir_attr thread =
        ir_enum_attr(ctx, TTKERNEL_ATTR(thread),
                     compute ? TTKERNEL_ThreadType_Compute : TTKERNEL_ThreadType_Noc);
    const void *key = ir_array_attr(ctx, (ir_attr[]){source, thread}, 2);
    ir_attr known = ir_mapping_get(im->by_text, key);
    if (known)
        return known;
    tw_str symbol = fb_get_str(kernel, FB_metal_KernelConfig_symbol);
    const char *base =
        symbol.size ? tw_arena_copy(&im->arena, symbol.data, symbol.size) : "kernel";
    ir_attr name = ir_symbol_free_name(im->module, base);
    ir_builder b = ir_builder_at_end(ctx, ir_op_body(im->module, 0), im->b.loc);
    ir_op *function = read_function(im, kernel, thread);
    if (function) {
        ir_op_set_attr(function, "sym_name", name);
        ir_op_set_attr(function, "sym_visibility", ir_string_attr(ctx, TW_STR("private")));
        ir_block_append(b.block, function);
    } else {
        function = func_create(&b, name, ir_function_type(ctx, NULL, 0, NULL, 0), true);
        ir_op_set_attr(function, "ttkernel.thread", thread);
    }
    ir_op_set_attr(function, ttm_source_attr, source);
    ir_attr made = ir_symbol_ref(ctx, ir_attr_str(name));
    ir_mapping_set(im->by_text, key, (void *)(uintptr_t)made);
    return made;
}

static ir_attr unpack_modes(ttm_import_state *im, fb_view config)
{
    fb_vec list = fb_get_vec(config, FB_metal_ComputeConfig_unpack_to_dest_mode);
    ir_attr *items = TW_ARENA_ARRAY(&im->arena, ir_attr, list.count + 1);
    for (size_t i = 0; i < list.count; i++)
        items[i] = ir_raw_int(im->ctx, fb_vec_int(list, i));
    return ir_array_attr(im->ctx, items, list.count);
}

/* The configuration on one rectangle of cores. */
static ir_attr configuration(ttm_import_state *im, fb_view config, ir_attr symbol,
                             ir_attr range, ir_attr args)
{
    ir_context *ctx = im->ctx;
    if (config.def == &fb_tables[FB_TABLE_metal_ComputeConfig]) {
        ir_attr params[] = {
            symbol,
            range,
            args,
            ir_raw_int(ctx, fb_get_int(config, FB_metal_ComputeConfig_math_fidelity)),
            ir_raw_int(ctx, fb_get_bool(config, FB_metal_ComputeConfig_fp32_dest_acc_en)),
            ir_raw_int(ctx, fb_get_bool(config, FB_metal_ComputeConfig_dst_full_sync_en)),
            ir_raw_int(ctx, fb_get_bool(config, FB_metal_ComputeConfig_math_approx_mode)),
            unpack_modes(im, config)};
        return ir_dialect_attr(ctx, TTMETAL_ATTR(compute_config), params, 8);
    }
    ir_attr params[] = {symbol,
                        range,
                        args,
                        ir_raw_int(ctx, fb_get_int(config, FB_metal_NocConfig_processor)),
                        ir_raw_int(ctx, fb_get_int(config, FB_metal_NocConfig_noc_index)),
                        NULL};
    return ir_dialect_attr(ctx, TTMETAL_ATTR(noc_config), params, 6);
}

typedef struct config_list {
    ir_attr *at;
    size_t n, capacity;
} config_list;

static tw_status import_kernel(ttm_import_state *im, fb_view kernel, config_list *out)
{
    fb_view config = fb_get_table(kernel, FB_metal_KernelConfig_type);
    fb_view source = fb_get_table(kernel, FB_metal_KernelConfig_kernel);
    fb_vec ranges = fb_get_vec(kernel, FB_metal_KernelConfig_core_range_set);
    ir_attr args;
    if (!config.at || config.def == &fb_tables[FB_TABLE_metal_EthernetConfig])
        return tw_error(TW_UNSUPPORTED, "a kernel of an Ethernet core");
    if (!source.at || source.def != &fb_tables[FB_TABLE_metal_KernelSource])
        return tw_error(TW_UNSUPPORTED, "a kernel of machine code; C++ is run");
    if (config.def == &fb_tables[FB_TABLE_metal_NocConfig] &&
        fb_has(config, FB_metal_NocConfig_fabric_config_index))
        return tw_error(TW_UNSUPPORTED, "a kernel that uses the fabric between devices");
    tw_str text = fb_get_str(source, FB_metal_KernelSource_source);
    TW_TRY(kernel_arguments(im, fb_get_table(kernel, FB_metal_KernelConfig_args), &args));
    ir_attr symbol = kernel_function(
        im, kernel, text, config.def == &fb_tables[FB_TABLE_metal_ComputeConfig]);
    for (size_t i = 0; i < ranges.count; i++) {
        ir_attr range = ttm_import_range(im->ctx, fb_vec_struct(ranges, i));
        ir_attr made = configuration(im, config, symbol, range, args);
        TW_PUSH(out->at, out->n, out->capacity, made);
    }
    return TW_SUCCESS;
}

/* ---- the program ------------------------------------------------------------------ */

typedef struct operand_list {
    ir_value **at;
    int64_t *ports;
    int64_t groups[2];
} operand_list;

static tw_status import_operands(ttm_import_state *im, fb_view table, operand_list *out)
{
    fb_vec args = fb_get_vec(table, FB_metal_EnqueueProgramCommand_arg_refs);
    fb_vec cbs = fb_get_vec(table, FB_metal_EnqueueProgramCommand_cbs);
    out->at = TW_ARENA_ARRAY(&im->arena, ir_value *, (size_t)args.count + cbs.count + 1);
    out->ports = TW_ARENA_ARRAY(&im->arena, int64_t, cbs.count + 1);
    out->groups[0] = args.count;
    out->groups[1] = cbs.count;
    for (size_t i = 0; i < args.count; i++) {
        tw_status status = ttm_value_of(im, fb_vec_table(args, i), &out->at[i]);
        if (status)
            return tw_annotate(status, "argument %zu", i);
    }
    for (size_t i = 0; i < cbs.count; i++) {
        fb_view cb = fb_vec_table(cbs, i);
        out->ports[i] = fb_get_int(cb, FB_metal_CBRef_port);
        tw_status status = ttm_value_of(im, fb_get_table(cb, FB_metal_CBRef_buffer_ref),
                                        &out->at[args.count + i]);
        if (status)
            return tw_annotate(status, "circular buffer %lld", (long long)out->ports[i]);
    }
    return TW_SUCCESS;
}

tw_status ttm_import_program(ttm_import_state *im, fb_view table)
{
    fb_view program = fb_get_table(table, FB_metal_EnqueueProgramCommand_program);
    fb_vec kernels =
        program.at ? fb_get_vec(program, FB_metal_ProgramDesc_kernels) : (fb_vec){0};
    operand_list operands;
    config_list configs = {0};
    TW_TRY(import_operands(im, table, &operands));
    for (size_t i = 0; i < kernels.count; i++) {
        tw_status status = import_kernel(im, fb_vec_table(kernels, i), &configs);
        if (status) {
            free(configs.at);
            return tw_annotate(status, "kernel %zu", i);
        }
    }
    const size_t n_cbs = (size_t)operands.groups[1];
    ir_build_op(
        &im->b, TTMETAL_OP(enqueue_program), NULL, 0, operands.at,
        (size_t)operands.groups[0] + n_cbs,
        IR_ATTRS({"cb_ports", ir_dense_i64_array(im->ctx, operands.ports, n_cbs)},
                 {"kernelConfigs", ir_array_attr(im->ctx, configs.at, configs.n)},
                 {"operandSegmentSizes", ir_dense_i32_array(im->ctx, operands.groups, 2)}),
        0);
    free(configs.at);
    return TW_SUCCESS;
}
