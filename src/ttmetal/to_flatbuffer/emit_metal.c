/* emit_metal.c: writes a module in the TTMetal dialect as a .ttm: a program for each
 * public function, whose operations are the commands of one queue. */
#include "ttmetal/to_flatbuffer/emit_metal.h"
#include "ttmetal/to_flatbuffer/import_ttm.h"

#include "ir/text.h"
#include "mlir/arith/arith.h"
#include "mlir/emitc/to_cpp/cpp.h"
#include "mlir/func/func.h"
#include "mlir/memref/memref.h"
#include "ttcore/ttcore.h"
#include "ttkernel/to_emitc/known_kernels.h"
#include "ttkernel/ttkernel.h"
#include "ttmetal/ttmetal.h"

#include <stdlib.h>

/* ---- kernels ------------------------------------------------------------------------ */

/* By TTKERNEL_ArgType_*; all but named ones, which have a value, have the operand's index
 * as only field. */
static const struct {
    fb_table_id table;
    unsigned kind;
} arguments[] = {
    [TTKERNEL_ArgType_CBPort] = {FB_TABLE_metal_KernelArgCBPort,
                                 FB_metal_KernelArgType_KernelArgCBPort},
    [TTKERNEL_ArgType_BufferAddress] = {FB_TABLE_metal_KernelArgBufferAddress,
                                        FB_metal_KernelArgType_KernelArgBufferAddress},
    [TTKERNEL_ArgType_LocalSemaphore] = {FB_TABLE_metal_KernelArgLocalSemaphore,
                                         FB_metal_KernelArgType_KernelArgLocalSemaphore},
    [TTKERNEL_ArgType_NamedArgument] = {FB_TABLE_metal_KernelArgNamedArgument,
                                        FB_metal_KernelArgType_KernelArgNamedArgument},
    [TTKERNEL_ArgType_GlobalSemaphore] = {FB_TABLE_metal_KernelArgGlobalSemaphore,
                                          FB_metal_KernelArgType_KernelArgGlobalSemaphore},
    [TTKERNEL_ArgType_Scalar] = {FB_TABLE_metal_KernelArgScalar,
                                 FB_metal_KernelArgType_KernelArgScalar},
    [TTKERNEL_ArgType_TensorAccessorArgs] =
        {FB_TABLE_metal_KernelArgTensorAccessorArgs,
         FB_metal_KernelArgType_KernelArgTensorAccessorArgs},
};

static fb_ref make_arguments(emit *e, ir_attr list)
{
    size_t count = list ? list->count : 0;
    fb_ref *refs = TW_ARENA_ARRAY(&e->arena, fb_ref, count + 1);
    for (size_t i = 0; i < count; i++) {
        uint64_t type = (uint64_t)ir_enum_value(ir_attr_param(list->items[i], "type"), 0);
        fb_row arg, row;
        if (type >= TW_COUNT(arguments))
            type = 0;
        fb_start(&arg, arguments[type].table);
        fb_put_int(&arg,
                   type == TTKERNEL_ArgType_NamedArgument
                       ? FB_metal_KernelArgNamedArgument_value
                       : 0,
                   ir_attr_int(ir_attr_param(list->items[i], "operand_index"), 0));
        fb_ref table = fb_end(&e->b, &arg);
        fb_start(&row, FB_TABLE_metal_KernelArg);
        fb_put_union(&row, FB_metal_KernelArg_arg, arguments[type].kind, table);
        refs[i] = fb_end(&e->b, &row);
    }
    return fb_make_refs(&e->b, refs, count);
}

static fb_ref make_kernel_args(emit *e, ir_attr args)
{
    fb_row row;
    fb_start(&row, FB_TABLE_metal_KernelArgs);
    fb_put_ref(&row, FB_metal_KernelArgs_crt_args,
               make_arguments(e, ir_attr_param(args, "common_rt_args")));
    fb_put_ref(&row, FB_metal_KernelArgs_rt_args,
               make_arguments(e, ir_attr_param(args, "rt_args")));
    fb_put_ref(&row, FB_metal_KernelArgs_ct_args,
               make_arguments(e, ir_attr_param(args, "ct_args")));
    return fb_end(&e->b, &row);
}

static fb_ref make_noc_config(emit *e, ir_attr kernel)
{
    ir_attr fabric = ir_attr_param(kernel, "fabric_config_index");
    fb_row row;
    fb_start(&row, FB_TABLE_metal_NocConfig);
    fb_put_int(&row, FB_metal_NocConfig_processor,
               ir_attr_int(ir_attr_param(kernel, "dm_core_index"), 0));
    fb_put_int(&row, FB_metal_NocConfig_noc_index,
               ir_enum_value(ir_attr_param(kernel, "noc_index"), 0));
    if (fabric)
        fb_put_int(&row, FB_metal_NocConfig_fabric_config_index, ir_attr_int(fabric, 0));
    return fb_end(&e->b, &row);
}

/* Writes the thread kind given by the attribute. */
static bool put_thread(emit *e, ir_attr kernel, fb_row *row)
{
    const ir_attr_def *def = ir_attr_is(kernel, IR_ATTR_DIALECT) ? kernel->def : NULL;
    bool noc = def == TTMETAL_ATTR(noc_config), eth = def == TTMETAL_ATTR(ethernet_config);
    if (!noc && !eth && def != TTMETAL_ATTR(compute_config))
        return fb_emit_error(e, "has a kernel of a kind that binaries do not know: %s",
                             ir_attr_text(e->ctx, kernel));
    fb_ref table = noc ? make_noc_config(e, kernel)
                       : fb_emit_table(e,
                                       eth ? FB_TABLE_metal_EthernetConfig
                                           : FB_TABLE_metal_ComputeConfig,
                                       kernel);
    fb_put_union(row, FB_metal_KernelConfig_type,
                 noc   ? FB_metal_KernelConfigType_NocConfig
                 : eth ? FB_metal_KernelConfigType_EthernetConfig
                       : FB_metal_KernelConfigType_ComputeConfig,
                 table);
    return table != 0;
}

static fb_ref make_range(emit *e, ir_attr range)
{
    int64_t offset[2] = {0}, size[2] = {0};
    ir_attr_ints(ir_attr_param(range, "offset"), offset, 2);
    ir_attr_ints(ir_attr_param(range, "size"), size, 2);
    const int32_t cores[4] = {(int32_t)offset[0], (int32_t)offset[1], (int32_t)size[0],
                              (int32_t)size[1]};
    return fb_emit_cores(e, cores);
}

/* `out_known`: the kernel in TTKernel's operations, if this context has lowered it. */
static fb_ref make_source(emit *e, ir_attr symbol, tw_str *out_known)
{
    ir_op *func = ir_symbol_resolve(e->op, symbol);
    tw_strbuf text = {0};
    fb_row row;
    fb_start(&row, FB_TABLE_metal_KernelSource);
    ir_attr source = func ? ir_op_attr(func, ttm_source_attr) : NULL; /* imported */
    bool ok = true;
    if (source)
        tw_strbuf_str(&text, ir_attr_str(source));
    else
        ok = func ? cpp_emit_kernel(func, &text)
                  : fb_emit_error(e, "refers to kernel %s, which does not exist",
                                  ir_attr_text(e->ctx, symbol));
    fb_put_ref(&row, FB_metal_KernelSource_source,
               fb_make_string(&e->b, (tw_str){tw_strbuf_text(&text), text.size}));
    *out_known = ttkernel_known_kernel(e->ctx, (tw_str){tw_strbuf_text(&text), text.size});
    tw_strbuf_free(&text);
    return ok ? fb_end(&e->b, &row) : 0;
}

static fb_ref make_kernel(emit *e, ir_attr kernel)
{
    fb_row row;
    fb_start(&row, FB_TABLE_metal_KernelConfig);
    if (!put_thread(e, kernel, &row))
        return 0;
    ir_attr symbol = ir_attr_param(kernel, "kernel_symbol");
    tw_str known;
    fb_ref source = make_source(e, symbol, &known);
    if (!source)
        return 0;
    fb_ref name = fb_make_string(&e->b, ir_symbol_leaf(symbol));
    fb_ref debug = known.size ? fb_make_string(&e->b, known) : name;
    fb_put_union(&row, FB_metal_KernelConfig_kernel, FB_metal_Kernel_KernelSource, source);
    fb_put_ref(&row, FB_metal_KernelConfig_core_range_set,
               make_range(e, ir_attr_param(kernel, "core_range")));
    fb_put_ref(&row, FB_metal_KernelConfig_args,
               make_kernel_args(e, ir_attr_param(kernel, "kernel_args")));
    fb_put_ref(&row, FB_metal_KernelConfig_debug_info, debug);
    fb_put_ref(&row, FB_metal_KernelConfig_symbol, name);
    return fb_end(&e->b, &row);
}

/* ---- programs of kernels ------------------------------------------------------------ */

static bool put_program_args(emit *e, ir_op *op, size_t count, fb_row *row)
{
    fb_ref *refs = TW_ARENA_ARRAY(&e->arena, fb_ref, count + 1);
    uint8_t *kinds = tw_arena_alloc(&e->arena, count + 1);
    for (size_t i = 0; i < count; i++) {
        ir_value *value = ir_op_operand(op, i);
        const ir_type_def *def =
            value->type->kind == IR_TYPE_DIALECT ? value->type->def : NULL;
        kinds[i] =
            def == TTMETAL_TYPE(global_semaphore)  ? FB_metal_ArgRef_GlobalSemaphoreRef
            : def == TTMETAL_TYPE(local_semaphore) ? FB_metal_ArgRef_LocalSemaphoreRef
                                                   : FB_metal_ArgRef_BufferRef;
        if (!(refs[i] = fb_emit_metal_value(e, value, 0)))
            return false;
    }
    fb_put_ref(row, FB_metal_EnqueueProgramCommand_arg_refs_type,
               fb_make_bytes(&e->b, kinds, count));
    fb_put_ref(row, FB_metal_EnqueueProgramCommand_arg_refs,
               fb_make_refs(&e->b, refs, count));
    return true;
}

static fb_ref make_cbs(emit *e, ir_op *op, size_t start, size_t count)
{
    int64_t *ports = TW_ARENA_ARRAY(&e->arena, int64_t, count + 1);
    fb_ref *refs = TW_ARENA_ARRAY(&e->arena, fb_ref, count + 1);
    if (ir_attr_ints(ir_op_attr(op, "cb_ports"), ports, count) != (int64_t)count) {
        fb_emit_error(e, "has %zu circular buffers and another number of ports", count);
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        fb_row row;
        fb_ref buffer = fb_emit_metal_value(e, ir_op_operand(op, start + i), 0);
        if (!buffer)
            return 0;
        fb_start(&row, FB_TABLE_metal_CBRef);
        fb_put_int(&row, FB_metal_CBRef_port, ports[i]);
        fb_put_ref(&row, FB_metal_CBRef_buffer_ref, buffer);
        refs[i] = fb_end(&e->b, &row);
    }
    return fb_make_refs(&e->b, refs, count);
}

static fb_ref make_kernels(emit *e, ir_attr list)
{
    fb_ref *refs = TW_ARENA_ARRAY(&e->arena, fb_ref, list->count + 1);
    for (size_t i = 0; i < list->count; i++)
        if (!(refs[i] = make_kernel(e, list->items[i])))
            return 0;
    fb_row row;
    fb_start(&row, FB_TABLE_metal_ProgramDesc);
    fb_put_ref(&row, FB_metal_ProgramDesc_kernels, fb_make_refs(&e->b, refs, list->count));
    return fb_end(&e->b, &row);
}

static bool put_program(emit *e, ir_op *op, fb_row *row)
{
    ir_attr fabric = ir_op_attr(op, "fabricConnectionConfigs");
    size_t at, n_args, n_cbs;
    if (!ir_op_operand_group(op, 0, &at, &n_args) ||
        !ir_op_operand_group(op, 1, &at, &n_cbs))
        return fb_emit_error(e, "has counts of operands that do not fit its definition");
    if (!put_program_args(e, op, n_args, row))
        return false;
    fb_ref cbs = make_cbs(e, op, n_args, n_cbs);
    fb_ref kernels = cbs ? make_kernels(e, ir_op_attr(op, "kernelConfigs")) : 0;
    fb_put_ref(row, FB_metal_EnqueueProgramCommand_cbs, cbs);
    fb_put_ref(row, FB_metal_EnqueueProgramCommand_program, kernels);
    return kernels &&
           (!fabric ||
            fb_emit_attr(e, row, FB_metal_EnqueueProgramCommand_fabric_connection_configs,
                         fabric));
}

/* ---- other commands ----------------------------------------------------------------- */

static bool put_value(emit *e, fb_row *row, int slot, ir_value *value, uint64_t number)
{
    fb_ref ref = fb_emit_metal_value(e, value, number);
    fb_put_ref(row, slot, ref);
    return ref != 0;
}

static bool put_source_and_target(emit *e, ir_op *op, fb_row *row)
{
    return put_value(e, row, 0, ir_op_operand(op, 0), 0) &&
           put_value(e, row, 1, ir_op_operand(op, 1), 0);
}

static bool put_result(emit *e, ir_op *op, fb_row *row)
{
    return put_value(e, row, 0, ir_op_result(op, 0),
                     (uint64_t)ir_attr_int(ir_op_attr(op, "address"), 0));
}

static bool put_operand(emit *e, ir_op *op, fb_row *row)
{
    return put_value(e, row, 0, ir_op_operand(op, 0), 0);
}

static bool put_nothing(emit *e, ir_op *op, fb_row *row)
{
    (void)e, (void)op, (void)row;
    return true;
}

/* A constant that a program passes to its kernels: an allocation with its value. */
static bool put_constant(emit *e, ir_op *op, fb_row *row)
{
    const ir_type type = ir_op_result(op, 0)->type;
    ir_attr value = ir_op_attr(op, "value");
    const bool is_float = type->kind == IR_TYPE_FLOAT;
    const bool is_word = type->kind == IR_TYPE_INDEX || (!is_float && type->width > 32);
    ir_type array = ir_tensor_type(
        is_word ? ir_integer_type(e->ctx, 32, IR_UNSIGNED) : type, NULL, 0, NULL);
    ir_attr dense = is_float ? ir_dense_splat(array, ir_attr_real(value, 0))
                             : ir_dense_splat_int(array, ir_attr_int(value, 0));
    fb_put_ref(row, FB_metal_HostAllocCommand_data,
               fb_make_bytes(&e->b, dense->blob->data,
                             ir_dense_element_size(ir_type_element(array))));
    return put_value(e, row, 0, ir_op_result(op, 0), 0);
}

static bool is_passed(const ir_op *op)
{
    for (const ir_operand *use = op->results[0].uses; use; use = use->next_use)
        if (use->owner->def == TTMETAL_OP(enqueue_program))
            return true;
    return false;
}

static bool put_global(emit *e, ir_op *op, fb_row *row)
{
    ir_op *global = ir_symbol_resolve(op, ir_op_attr(op, "name"));
    ir_attr value = global ? ir_op_attr(global, "initial_value") : NULL;
    if (!ir_attr_is(value, IR_ATTR_DENSE) ||
        ir_type_element(value->type)->kind != IR_TYPE_FLOAT)
        return fb_emit_error(e, "refers to a constant that binaries cannot hold; they "
                                "have dense floats");
    size_t size = (ir_type_element(value->type)->width + 7) / 8;
    size_t count = (size_t)ir_type_num_elements(value->type);
    char *bytes = tw_arena_alloc(&e->arena, size * count + 1);
    for (size_t i = 0; i < count; i++)
        memcpy(bytes + i * size,
               (const char *)value->blob->data + (value->splat ? 0 : i * size), size);
    fb_put_ref(row, FB_metal_HostAllocCommand_data,
               fb_make_bytes(&e->b, bytes, size * count));
    return put_value(e, row, 0, ir_op_result(op, 0), 0);
}

static bool put_global_semaphore(emit *e, ir_op *op, fb_row *row)
{
    ir_attr value = ir_op_attr(op, "initial_value");
    if (value)
        fb_put_int(row, FB_metal_CreateGlobalSemaphoreCommand_initial_value,
                   ir_attr_int(value, 0));
    fb_put_ref(row, FB_metal_CreateGlobalSemaphoreCommand_core_range_set,
               make_range(e, ir_op_attr(op, "core_range")));
    return put_result(e, op, row);
}

static bool put_local_semaphore(emit *e, ir_op *op, fb_row *row)
{
    return put_value(e, row, 0, ir_op_result(op, 0),
                     (uint64_t)ir_attr_int(ir_op_attr(op, "initial_value"), 0));
}

static bool put_reset(emit *e, ir_op *op, fb_row *row)
{
    fb_put_int(row, FB_metal_ResetGlobalSemaphoreCommand_value,
               ir_attr_int(ir_op_attr(op, "value"), 0));
    return put_operand(e, op, row);
}

static bool put_mesh_shard(emit *e, ir_op *op, fb_row *row)
{
    return put_value(e, row, FB_metal_MeshShardCommand_src, ir_op_operand(op, 0), 0) &&
           put_value(e, row, FB_metal_MeshShardCommand_dst, ir_op_result(op, 0), 0) &&
           fb_emit_attr(e, row, FB_metal_MeshShardCommand_shard_type,
                        ir_op_attr(op, "shard_type")) &&
           fb_emit_attr(e, row, FB_metal_MeshShardCommand_shard_direction,
                        ir_op_attr(op, "shard_direction")) &&
           fb_emit_attr(e, row, FB_metal_MeshShardCommand_shard_shape,
                        ir_op_attr(op, "shard_shape")) &&
           fb_emit_attr(e, row, FB_metal_MeshShardCommand_shard_dims,
                        ir_op_attr(op, "shard_dims"));
}

static fb_ref make_values(emit *e, ir_op *op)
{
    fb_ref *refs = TW_ARENA_ARRAY(&e->arena, fb_ref, op->n_operands + 1);
    for (size_t i = 0; i < op->n_operands; i++)
        if (!(refs[i] = fb_emit_metal_value(e, ir_op_operand(op, i), 0)))
            return 0;
    return fb_make_refs(&e->b, refs, op->n_operands);
}

static bool put_return(emit *e, ir_op *op, fb_row *row)
{
    fb_ref refs = make_values(e, op);
    fb_put_ref(row, FB_metal_ReturnCommand_results, refs);
    return refs != 0;
}

static bool has_one_element(const ir_value *memref)
{
    return ir_type_has_static_shape(memref->type) &&
           ir_type_num_elements(memref->type) == 1;
}

/* The load whose number the operation stores, if both arrays have one element and nothing
 * may write the first one in between: binaries have no loads, but a copy does the same. */
static ir_op *stored_load(const ir_op *store)
{
    ir_op *load =
        store->def == MEMREF_OP(store) ? ir_value_def(ir_op_operand(store, 0)) : NULL;
    if (!ir_op_is(load, MEMREF_OP(load)) || load->block != store->block ||
        load->results[0].uses->next_use || !has_one_element(ir_op_operand(load, 0)) ||
        !has_one_element(ir_op_operand(store, 1)))
        return NULL;
    for (const ir_op *op = load->next; op != store; op = op->next)
        if (op->def != MEMREF_OP(alloc) && op->def != ARITH_OP(constant))
            return NULL;
    return load;
}

static bool put_load_and_store(emit *e, ir_op *op, fb_row *row)
{
    ir_op *load = stored_load(op);
    return load ? put_value(e, row, 0, ir_op_operand(load, 0), 0) &&
                      put_value(e, row, 1, ir_op_operand(op, 1), 0)
                : fb_emit_error(e, "cannot be a command of a TTMetal binary, unless it "
                                   "stores the element of an array that has only one");
}

/* True for what the command of a later operation does, or what kernels do not get. */
static bool is_part_of_command(const ir_op *op)
{
    if (op->def == ARITH_OP(constant))
        return !is_passed(op);
    const ir_operand *use = op->def == MEMREF_OP(load) ? op->results[0].uses : NULL;
    return use && stored_load(use->owner) == op;
}

/* Operations that become commands. */
static const struct command {
    const ir_op_def *op;
    fb_table_id table;
    unsigned kind;
    bool (*put)(emit *e, ir_op *op, fb_row *row);
} commands[] = {
    {ARITH_OP(constant), FB_TABLE_metal_HostAllocCommand,
     FB_metal_CommandType_HostAllocCommand, put_constant},
    {MEMREF_OP(alloc), FB_TABLE_metal_HostAllocCommand,
     FB_metal_CommandType_HostAllocCommand, put_result},
    {MEMREF_OP(get_global), FB_TABLE_metal_HostAllocCommand,
     FB_metal_CommandType_HostAllocCommand, put_global},
    {MEMREF_OP(copy), FB_TABLE_metal_MemrefCopyCommand,
     FB_metal_CommandType_MemrefCopyCommand, put_source_and_target},
    {MEMREF_OP(store), FB_TABLE_metal_MemrefCopyCommand,
     FB_metal_CommandType_MemrefCopyCommand, put_load_and_store},
    {FUNC_OP(return ), FB_TABLE_metal_ReturnCommand, FB_metal_CommandType_ReturnCommand,
     put_return},
    {TTMETAL_OP(create_buffer), FB_TABLE_metal_CreateBufferCommand,
     FB_metal_CommandType_CreateBufferCommand, put_result},
    {TTMETAL_OP(deallocate_buffer), FB_TABLE_metal_DeallocateBufferCommand,
     FB_metal_CommandType_DeallocateBufferCommand, put_operand},
    {TTMETAL_OP(enqueue_write_buffer), FB_TABLE_metal_EnqueueWriteBufferCommand,
     FB_metal_CommandType_EnqueueWriteBufferCommand, put_source_and_target},
    {TTMETAL_OP(enqueue_read_buffer), FB_TABLE_metal_EnqueueReadBufferCommand,
     FB_metal_CommandType_EnqueueReadBufferCommand, put_source_and_target},
    {TTMETAL_OP(enqueue_program), FB_TABLE_metal_EnqueueProgramCommand,
     FB_metal_CommandType_EnqueueProgramCommand, put_program},
    {TTMETAL_OP(create_global_semaphore), FB_TABLE_metal_CreateGlobalSemaphoreCommand,
     FB_metal_CommandType_CreateGlobalSemaphoreCommand, put_global_semaphore},
    {TTMETAL_OP(reset_global_semaphore), FB_TABLE_metal_ResetGlobalSemaphoreCommand,
     FB_metal_CommandType_ResetGlobalSemaphoreCommand, put_reset},
    {TTMETAL_OP(create_local_semaphore), FB_TABLE_metal_CreateLocalSemaphoreCommand,
     FB_metal_CommandType_CreateLocalSemaphoreCommand, put_local_semaphore},
    {TTMETAL_OP(finish), FB_TABLE_metal_FinishCommand, FB_metal_CommandType_FinishCommand,
     put_nothing},
    {TTMETAL_OP(mesh_shard), FB_TABLE_metal_MeshShardCommand,
     FB_metal_CommandType_MeshShardCommand, put_mesh_shard},
};

/* Returns true with *out = 0 if the op is not a command. */
static bool emit_command(emit *e, ir_op *op, ir_op_printer *printer, fb_ref *out)
{
    const struct command *c = commands, *end = commands + TW_COUNT(commands);
    while (c < end && c->op != op->def)
        c++;
    *out = 0;
    e->op = op;
    if (is_part_of_command(op))
        return true;
    if (c == end)
        return fb_emit_error(e, "cannot be a command of a TTMetal binary");
    fb_row table, row;
    fb_start(&table, c->table);
    if (!c->put(e, op, &table))
        return false;
    tw_strbuf text = {0};
    ir_op_printer_print(printer, op, &text);
    fb_start(&row, FB_TABLE_metal_Command);
    fb_put_union(&row, FB_metal_Command_type, c->kind, fb_end(&e->b, &table));
    fb_put_ref(&row, FB_metal_Command_loc, fb_emit_loc(e, op->loc));
    fb_put_ref(&row, FB_metal_Command_debug_info,
               fb_make_string(&e->b, (tw_str){tw_strbuf_text(&text), text.size}));
    tw_strbuf_free(&text);
    *out = fb_end(&e->b, &row);
    return true;
}

/* ---- programs ----------------------------------------------------------------------- */

static fb_ref make_queue(emit *e, ir_op *function)
{
    static const ir_print_options options = {.debug_info = true,
                                             .local_scope = true,
                                             .assume_verified = true,
                                             .skip_regions = true,
                                             .elide_elements = 16};
    ir_block *body = ir_op_body(function, 0);
    size_t n = 0;
    bool ok = true;
    for (ir_op *op = body->first; op; op = op->next)
        n++;
    fb_ref *refs = TW_ARENA_ARRAY(&e->arena, fb_ref, n + 1), ref;
    ir_op_printer *printer = ir_op_printer_create(function, &options);
    n = 0;
    for (ir_op *op = body->first; op && ok; op = op->next)
        if ((ok = emit_command(e, op, printer, &ref)) && ref)
            refs[n++] = ref;
    ir_op_printer_free(printer);
    if (!ok)
        return 0;
    fb_row row;
    fb_start(&row, FB_TABLE_metal_CommandQueue);
    fb_put_ref(&row, FB_metal_CommandQueue_name,
               fb_make_string(&e->b, ir_symbol_name(function)));
    fb_put_ref(&row, FB_metal_CommandQueue_commands, fb_make_refs(&e->b, refs, n));
    return fb_end(&e->b, &row);
}

static fb_ref make_mesh(emit *e)
{
    fb_row row;
    fb_start(&row, FB_TABLE_metal_MeshDesc);
    fb_put_ref(&row, FB_metal_MeshDesc_mesh_shape, fb_make_ints(&e->b, FB_I64, e->mesh, 2));
    return fb_end(&e->b, &row);
}

/* Descriptions of values for tools. */
static fb_ref make_tensors(emit *e, const ir_type *types, size_t n)
{
    fb_ref *refs = TW_ARENA_ARRAY(&e->arena, fb_ref, n + 1);
    for (size_t i = 0; i < n; i++)
        if (!(refs[i] = fb_emit_metal_tensor(e, types[i])))
            return 0;
    return fb_make_refs(&e->b, refs, n);
}

static fb_ref make_device_program(emit *e, ir_op *function)
{
    ir_block *body = ir_op_body(function, 0);
    fb_ref *inputs = TW_ARENA_ARRAY(&e->arena, fb_ref, body->n_args + 1);
    for (size_t i = 0; i < body->n_args; i++)
        if (!(inputs[i] = fb_emit_metal_value(e, body->args[i], 0)))
            return 0;
    fb_ref queue = make_queue(e, function);
    fb_ref outputs = queue ? make_values(e, body->last) : 0;
    fb_row row;
    if (!outputs)
        return 0;
    fb_start(&row, FB_TABLE_metal_DeviceProgram);
    fb_put_ref(&row, FB_metal_DeviceProgram_inputs,
               fb_make_refs(&e->b, inputs, body->n_args));
    fb_put_ref(&row, FB_metal_DeviceProgram_outputs, outputs);
    fb_put_ref(&row, FB_metal_DeviceProgram_command_queues, fb_make_refs(&e->b, &queue, 1));
    fb_put_ref(&row, FB_metal_DeviceProgram_mesh, make_mesh(e));
    return fb_end(&e->b, &row);
}

static fb_ref emit_program(emit *e, ir_op *function)
{
    ir_type type = ir_op_attr(function, "function_type")->type;
    e->op = function;
    if (function->regions[0].first != function->regions[0].last ||
        !ir_op_body(function, 0)->last) {
        fb_emit_error(e, "has several blocks, which a program cannot hold");
        return 0;
    }
    fb_ref device = make_device_program(e, function);
    e->op = function;
    fb_ref inputs = device ? make_tensors(e, type->types, type->count) : 0;
    fb_ref outputs = inputs ? make_tensors(e, ir_function_results(type), type->results) : 0;
    fb_row row;
    if (!outputs)
        return 0;
    fb_start(&row, FB_TABLE_metal_Program);
    fb_put_ref(&row, FB_metal_Program_name,
               fb_make_string(&e->b, ir_symbol_name(function)));
    fb_put_ref(&row, FB_metal_Program_inputs, inputs);
    fb_put_ref(&row, FB_metal_Program_outputs, outputs);
    fb_put_ref(&row, FB_metal_Program_device_programs, fb_make_refs(&e->b, &device, 1));
    fb_put_ref(&row, FB_metal_Program_debug_info, e->debug_info);
    fb_put_dim2d(&row, FB_metal_Program_mesh_shape, e->mesh[0], e->mesh[1]);
    return fb_end(&e->b, &row);
}

static bool is_program(const ir_op *op)
{
    return op->def == FUNC_OP(func) && ir_op_body((ir_op *)op, 0) &&
           !ir_symbol_is_private(op);
}

static fb_ref make_programs(emit *e)
{
    fb_ref *programs = NULL;
    size_t n = 0, capacity = 0;
    ir_block *body = ir_op_body(e->module, 0);
    bool ok = true;
    for (ir_op *op = body ? body->first : NULL; op && ok; op = op->next)
        if (is_program(op)) {
            fb_ref program = emit_program(e, op);
            TW_PUSH(programs, n, capacity, program);
            ok = program != 0;
        }
    fb_ref refs = ok ? fb_make_refs(&e->b, programs, n) : 0;
    free(programs);
    return refs;
}

bool fb_emit_metal_file(emit *e, fb_row *root)
{
    fb_ref programs = make_programs(e);
    fb_put_ref(root, FB_metal_TTMetalBinary_programs, programs);
    fb_put_ref(root, FB_metal_TTMetalBinary_dylibs, e->dylibs);
    return programs != 0;
}

/* ---- the file ----------------------------------------------------------------------- */

static const fb_root metal_root = {FB_FILE_TTM, FB_TABLE_metal_TTMetalBinary, "ttmetal",
                                   true, fb_emit_metal_file};
_Static_assert(
    (int)FB_ttnn_TTNNBinary_version == FB_metal_TTMetalBinary_version &&
        (int)FB_ttnn_TTNNBinary_schema_hash == FB_metal_TTMetalBinary_schema_hash &&
        (int)FB_ttnn_TTNNBinary_ttmlir_git_hash == FB_metal_TTMetalBinary_ttmlir_git_hash &&
        (int)FB_ttnn_TTNNBinary_system_desc == FB_metal_TTMetalBinary_system_desc &&
        (int)FB_ttnn_TTNNBinary_mlir == FB_metal_TTMetalBinary_mlir,
    "fields that both roots have");

bool fb_emit_ttm(ir_op *module, const fb_emit_options *options, void **out_data,
                 size_t *out_size)
{
    return fb_emit_binary(module, &metal_root, options, out_data, out_size);
}
