/* import_ttm.c: programs and commands of a .ttm as functions in the TTMetal dialect;
 * emit_metal.c is the way there. */
#include "ir/text.h"
#include "mlir/arith/arith.h"
#include "mlir/func/func.h"
#include "mlir/memref/memref.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_tile.h"
#include "ttmetal/to_flatbuffer/import_impl.h"
#include "ttmetal/ttmetal.h"

#include <stdlib.h>

static const void *key_of(fb_view ref)
{
    /* global_id is the first field of every reference, and may be 0 */
    return (const void *)(uintptr_t)((uint64_t)fb_get_int(ref, 0) + 1);
}

/* ---- values ----------------------------------------------------------------------- */

tw_status ttm_value_of(const ttm_import_state *im, fb_view ref, ir_value **out)
{
    *out = ref.at ? ir_mapping_get(im->values, key_of(ref)) : NULL;
    if (*out)
        return TW_SUCCESS;
    return ref.at ? tw_error(TW_INVALID, "value %lld is used before it is defined",
                             (long long)fb_get_int(ref, 0))
                  : tw_error(TW_INVALID, "it lacks a buffer or semaphore");
}

static tw_status operand(const ttm_import_state *im, fb_view table, int slot,
                         ir_value **out)
{
    return ttm_value_of(im, fb_get_table(table, slot), out);
}

static tw_status define(ttm_import_state *im, fb_view ref, ir_value *value)
{
    if (!ref.at)
        return tw_error(TW_INVALID, "it lacks its result");
    if (ir_mapping_get(im->values, key_of(ref)))
        return tw_error(TW_INVALID, "value %lld is defined twice",
                        (long long)fb_get_int(ref, 0));
    ir_mapping_set(im->values, key_of(ref), value);
    return TW_SUCCESS;
}

bool ttm_is_scalar(const ttm_import_state *im, fb_view ref)
{
    return ref.at && ir_mapping_get(im->scalars, key_of(ref));
}

void ttm_mark_scalar(ttm_import_state *im, fb_view ref)
{
    ir_mapping_set(im->scalars, key_of(ref), im);
}

static tw_status type_of(const ttm_import_state *im, fb_view ref, ir_type *out,
                         ir_attr *out_map)
{
    fb_view desc = ref.at ? fb_get_table(ref, FB_metal_BufferRef_desc) : (fb_view){0};
    *out_map = NULL;
    return ttm_is_scalar(im, ref) ? ttm_import_scalar(im->ctx, desc, out)
                                  : ttm_import_type(im->ctx, desc, out, out_map);
}

/* ---- commands --------------------------------------------------------------------- */

static tw_status host_constant(ttm_import_state *im, ir_type type, tw_str bytes,
                               ir_value **out)
{
    size_t size = ir_dense_element_size(type->element);
    if (type->encoding || !size ||
        (uint64_t)ir_type_num_elements(type) * size != bytes.size)
        return tw_error(TW_INVALID, "%zu bytes are given for a constant of type %s",
                        bytes.size, ir_type_text(im->ctx, type));
    ir_attr value =
        ir_dense_attr(ir_tensor_type(type->element, type->dims, type->count, NULL),
                      bytes.data, bytes.size);
    ir_builder b = ir_builder_at_start(im->ctx, ir_op_body(im->module, 0), im->b.loc);
    ir_attr name = ir_symbol_free_name(im->module, "constant");
    ir_build_op(&b, MEMREF_OP(global), NULL, 0, NULL, 0,
                IR_ATTRS({"sym_name", name},
                         {"sym_visibility", ir_string_attr(im->ctx, TW_STR("private"))},
                         {"type", ir_type_attr(type)}, {"initial_value", value},
                         {"constant", ir_unit_attr(im->ctx)}),
                0);
    *out = ir_build1(&im->b, MEMREF_OP(get_global), type, NULL, 0,
                     IR_ATTRS({"name", ir_symbol_ref(im->ctx, ir_attr_str(name))}));
    return TW_SUCCESS;
}

/* A constant that kernels get as a word. */
static tw_status scalar_constant(ttm_import_state *im, ir_type type, tw_str bytes,
                                 ir_value **out)
{
    size_t size = ir_dense_element_size(type);
    if (!size || bytes.size != size)
        return tw_error(TW_INVALID, "%zu bytes are given for a scalar of type %s",
                        bytes.size, ir_type_text(im->ctx, type));
    if (type->kind == IR_TYPE_INTEGER)
        type = ir_integer_type(im->ctx, type->width, IR_SIGNLESS);
    ir_attr dense =
        ir_dense_attr(ir_tensor_type(type, NULL, 0, NULL), bytes.data, bytes.size);
    ir_attr value = type->kind == IR_TYPE_FLOAT
                        ? ir_float_attr(type, ir_dense_real(dense, 0))
                        : ir_integer_attr(type, ir_dense_int(dense, 0));
    *out = ir_build1(&im->b, ARITH_OP(constant), type, NULL, 0, IR_ATTRS({"value", value}));
    return TW_SUCCESS;
}

static tw_status host_alloc(ttm_import_state *im, fb_view table)
{
    fb_view ref = fb_get_table(table, FB_metal_HostAllocCommand_dst);
    fb_vec data = fb_get_vec(table, FB_metal_HostAllocCommand_data);
    ir_type type;
    ir_attr map;
    ir_value *made;
    TW_TRY(type_of(im, ref, &type, &map));
    if (ttm_is_scalar(im, ref)) {
        TW_TRY(scalar_constant(im, type, fb_vec_bytes(data), &made));
        return define(im, ref, made);
    }
    if (type->space)
        return tw_error(TW_INVALID, "it allocates a buffer of the device on the host");
    if (data.at) {
        TW_TRY(host_constant(im, type, fb_vec_bytes(data), &made));
    } else {
        static const int64_t none[] = {0, 0};
        made = ir_build1(
            &im->b, MEMREF_OP(alloc), type, NULL, 0,
            IR_ATTRS({"operandSegmentSizes", ir_dense_i32_array(im->ctx, none, 2)}));
    }
    return define(im, ref, made);
}

static tw_status give_back(ttm_import_state *im, fb_view table)
{
    fb_vec results = fb_get_vec(table, FB_metal_ReturnCommand_results);
    ir_value **values = TW_ARENA_ARRAY(&im->arena, ir_value *, results.count + 1);
    for (size_t i = 0; i < results.count; i++)
        TW_TRY(ttm_value_of(im, fb_vec_table(results, i), &values[i]));
    ir_build_op(&im->b, FUNC_OP(return ), NULL, 0, values, results.count, NULL, 0, 0);
    return TW_SUCCESS;
}

static tw_status create_buffer(ttm_import_state *im, fb_view table)
{
    fb_view ref = fb_get_table(table, FB_metal_CreateBufferCommand_ref);
    ir_type type;
    ir_attr map;
    TW_TRY(type_of(im, ref, &type, &map));
    if (!type->space)
        return tw_error(TW_INVALID, "it creates a buffer in the host's memory");
    ir_attr address = ir_i64_attr(im->ctx, fb_get_int(ref, FB_metal_BufferRef_address));
    return define(
        im, ref,
        ir_build1(&im->b, TTMETAL_OP(create_buffer), type, NULL, 0,
                  IR_ATTRS({"address", address}, {"virtualGridForwardMapping", map})));
}

static tw_status one_operand(ttm_import_state *im, fb_view table, const ir_op_def *def,
                             const ir_attr_by_name *attrs, size_t n_attrs)
{
    ir_value *of;
    TW_TRY(operand(im, table, 0, &of));
    ir_build_op(&im->b, def, NULL, 0, &of, 1, attrs, n_attrs, 0);
    return TW_SUCCESS;
}

static tw_status deallocate(ttm_import_state *im, fb_view table)
{
    return one_operand(im, table, TTMETAL_OP(deallocate_buffer), NULL, 0);
}

static tw_status two_operands(ttm_import_state *im, fb_view table, const ir_op_def *def)
{
    ir_value *ends[2];
    TW_TRY(operand(im, table, 0, &ends[0]));
    TW_TRY(operand(im, table, 1, &ends[1]));
    ir_op *op = ir_build_op(&im->b, def, NULL, 0, ends, 2, NULL, 0, 0);
    for (size_t i = 0; i < 2; i++)
        if (def != MEMREF_OP(copy) && ends[i]->type->kind == IR_TYPE_MEMREF &&
            ttcore_is_tile(ends[i]->type->element))
            ir_op_set_attr(op, TTMETAL_PAGES_ATTR, ir_unit_attr(im->ctx));
    return TW_SUCCESS;
}

static tw_status write_buffer(ttm_import_state *im, fb_view table)
{
    return two_operands(im, table, TTMETAL_OP(enqueue_write_buffer));
}

static tw_status read_buffer(ttm_import_state *im, fb_view table)
{
    return two_operands(im, table, TTMETAL_OP(enqueue_read_buffer));
}

enum { MAX_NUMBER_RANK = 8 };

/* Arrays of one element may differ in their shapes: the number is loaded and stored. */
static bool is_one_number(const ir_value *const *ends)
{
    const ir_type from = ends[0]->type, to = ends[1]->type;
    return from->kind == IR_TYPE_MEMREF && to->kind == IR_TYPE_MEMREF &&
           ir_type_num_elements(from) == 1 && ir_type_num_elements(to) == 1 &&
           from->element == to->element && from->count != to->count &&
           TW_MAX(from->count, to->count) <= MAX_NUMBER_RANK;
}

static tw_status copy(ttm_import_state *im, fb_view table)
{
    ir_value *ends[2], *operands[2 + MAX_NUMBER_RANK];
    TW_TRY(operand(im, table, 0, &ends[0]));
    TW_TRY(operand(im, table, 1, &ends[1]));
    if (!is_one_number((const ir_value *const *)ends))
        return two_operands(im, table, MEMREF_OP(copy));
    ir_value *zero = arith_index(&im->b, 0);
    for (size_t i = 0; i < TW_COUNT(operands); i++)
        operands[i] = zero;
    operands[0] = ends[0];
    ir_value *number = ir_build1(&im->b, MEMREF_OP(load), ends[0]->type->element, operands,
                                 1 + ends[0]->type->count, NULL, 0);
    operands[0] = number;
    operands[1] = ends[1];
    ir_build_op(&im->b, MEMREF_OP(store), NULL, 0, operands, 2 + ends[1]->type->count, NULL,
                0, 0);
    return TW_SUCCESS;
}

static tw_status local_semaphore(ttm_import_state *im, fb_view table)
{
    fb_view ref = fb_get_table(table, FB_metal_CreateLocalSemaphoreCommand_ref);
    if (!ref.at)
        return tw_error(TW_INVALID, "it lacks its result");
    ir_attr value =
        ir_integer_attr(ir_integer_type(im->ctx, 32, IR_UNSIGNED),
                        fb_get_int(ref, FB_metal_LocalSemaphoreRef_initial_value));
    ir_type type = ir_dialect_type(im->ctx, TTMETAL_TYPE(local_semaphore), NULL, 0);
    return define(im, ref,
                  ir_build1(&im->b, TTMETAL_OP(create_local_semaphore), type, NULL, 0,
                            IR_ATTRS({"initial_value", value})));
}

ir_attr ttm_import_range(ir_context *ctx, const uint8_t *range)
{
    ir_attr params[2];
    for (size_t i = 0; i < 2; i++) {
        ir_attr at[2];
        for (size_t k = 0; k < 2; k++) {
            int32_t v = (int32_t)fb_load_int(range + 8 * i + 4 * k, FB_I32);
            at[k] = ir_raw_int(ctx, v);
        }
        params[i] = ir_array_attr(ctx, at, 2);
    }
    return ir_dialect_attr(ctx, TTMETAL_ATTR(core_range), params, 2);
}

static tw_status global_semaphore(ttm_import_state *im, fb_view table)
{
    fb_view ref = fb_get_table(table, FB_metal_CreateGlobalSemaphoreCommand_ref);
    fb_vec cores = fb_get_vec(table, FB_metal_CreateGlobalSemaphoreCommand_core_range_set);
    ir_attr value = NULL;
    if (!ref.at || cores.count != 1)
        return tw_error(TW_INVALID, "a global semaphore needs its result and one rectangle "
                                    "of cores");
    if (fb_has(table, FB_metal_CreateGlobalSemaphoreCommand_initial_value))
        value = ir_integer_attr(
            ir_integer_type(im->ctx, 32, IR_UNSIGNED),
            fb_get_int(table, FB_metal_CreateGlobalSemaphoreCommand_initial_value));
    ir_type type = ir_dialect_type(im->ctx, TTMETAL_TYPE(global_semaphore), NULL, 0);
    ir_attr address =
        ir_i64_attr(im->ctx, fb_get_int(ref, FB_metal_GlobalSemaphoreRef_address));
    return define(
        im, ref,
        ir_build1(
            &im->b, TTMETAL_OP(create_global_semaphore), type, NULL, 0,
            IR_ATTRS({"address", address}, {"initial_value", value},
                     {"core_range", ttm_import_range(im->ctx, fb_vec_struct(cores, 0))})));
}

static tw_status reset_semaphore(ttm_import_state *im, fb_view table)
{
    ir_attr value =
        ir_integer_attr(ir_integer_type(im->ctx, 32, IR_UNSIGNED),
                        fb_get_int(table, FB_metal_ResetGlobalSemaphoreCommand_value));
    return one_operand(im, table, TTMETAL_OP(reset_global_semaphore),
                       IR_ATTRS({"value", value}));
}

/* Commands of a queue are done in order, which is all that events wait for. */
static tw_status nothing(ttm_import_state *im, fb_view table)
{
    (void)im, (void)table;
    return TW_SUCCESS;
}

static tw_status finish(ttm_import_state *im, fb_view table)
{
    (void)table;
    ir_build_op(&im->b, TTMETAL_OP(finish), NULL, 0, NULL, 0, NULL, 0, 0);
    return TW_SUCCESS;
}

static ir_attr int_list(ttm_import_state *im, fb_view table, int slot)
{
    fb_vec vec = fb_get_vec(table, slot);
    int64_t *values = TW_ARENA_ARRAY(&im->arena, int64_t, vec.count + 1);
    fb_vec_ints(vec, values, vec.count);
    return ir_dense_i64_array(im->ctx, values, vec.count);
}

static tw_status mesh_shard(ttm_import_state *im, fb_view table)
{
    fb_view ref = fb_get_table(table, FB_metal_MeshShardCommand_dst);
    ir_context *ctx = im->ctx;
    ir_type type;
    ir_attr map;
    ir_value *from;
    TW_TRY(operand(im, table, FB_metal_MeshShardCommand_src, &from));
    TW_TRY(type_of(im, ref, &type, &map));
    /* the dialect has a kind more, before the others */
    ir_attr kind =
                ir_enum_attr(ctx, TTCORE_ATTR(shard_type),
                             fb_get_int(table, FB_metal_MeshShardCommand_shard_type) + 1),
            way =
                ir_enum_attr(ctx, TTCORE_ATTR(shard_direction),
                             fb_get_int(table, FB_metal_MeshShardCommand_shard_direction));
    return define(
        im, ref,
        ir_build1(&im->b, TTMETAL_OP(mesh_shard), type, &from, 1,
                  IR_ATTRS({"shard_type", kind}, {"shard_direction", way},
                           {"shard_shape",
                            int_list(im, table, FB_metal_MeshShardCommand_shard_shape)},
                           {"shard_dims",
                            int_list(im, table, FB_metal_MeshShardCommand_shard_dims)})));
}

static tw_status host_function(ttm_import_state *im, fb_view table)
{
    (void)im;
    tw_str name = fb_get_str(table, FB_metal_CpuCommand_func_name);
    return tw_error(TW_UNSUPPORTED,
                    "it calls the function '%.*s' of a library for the host's processor, "
                    "which is not loaded; compile without hoisting",
                    (int)name.size, name.data ? name.data : "");
}

static const struct {
    unsigned kind;
    const char *name;
    tw_status (*read)(ttm_import_state *im, fb_view table);
} commands[] = {
    {FB_metal_CommandType_HostAllocCommand, "HostAllocCommand", host_alloc},
    {FB_metal_CommandType_ReturnCommand, "ReturnCommand", give_back},
    {FB_metal_CommandType_EnqueueProgramCommand, "EnqueueProgramCommand",
     ttm_import_program},
    {FB_metal_CommandType_EnqueueWriteBufferCommand, "EnqueueWriteBufferCommand",
     write_buffer},
    {FB_metal_CommandType_EnqueueReadBufferCommand, "EnqueueReadBufferCommand",
     read_buffer},
    {FB_metal_CommandType_CreateBufferCommand, "CreateBufferCommand", create_buffer},
    {FB_metal_CommandType_DeallocateBufferCommand, "DeallocateBufferCommand", deallocate},
    {FB_metal_CommandType_CreateGlobalSemaphoreCommand, "CreateGlobalSemaphoreCommand",
     global_semaphore},
    {FB_metal_CommandType_ResetGlobalSemaphoreCommand, "ResetGlobalSemaphoreCommand",
     reset_semaphore},
    {FB_metal_CommandType_CreateLocalSemaphoreCommand, "CreateLocalSemaphoreCommand",
     local_semaphore},
    {FB_metal_CommandType_EnqueueRecordEventCommand, "EnqueueRecordEventCommand", nothing},
    {FB_metal_CommandType_EnqueueWaitForEventCommand, "EnqueueWaitForEventCommand",
     nothing},
    {FB_metal_CommandType_EventSynchronizeCommand, "EventSynchronizeCommand", nothing},
    {FB_metal_CommandType_MemrefCopyCommand, "MemrefCopyCommand", copy},
    {FB_metal_CommandType_CpuCommand, "CpuCommand", host_function},
    {FB_metal_CommandType_FinishCommand, "FinishCommand", finish},
    {FB_metal_CommandType_MeshShardCommand, "MeshShardCommand", mesh_shard},
};

static tw_status import_command(ttm_import_state *im, fb_view command)
{
    unsigned kind = fb_get_utype(command, FB_metal_Command_type);
    im->b.loc = fb_import_loc(im->ctx, fb_get_str(command, FB_metal_Command_loc));
    for (size_t i = 0; i < TW_COUNT(commands); i++)
        if (commands[i].kind == kind) {
            tw_status status =
                commands[i].read(im, fb_get_table(command, FB_metal_Command_type));
            return status ? tw_annotate(status, "%s", commands[i].name) : status;
        }
    return tw_error(TW_INVALID, "it has no kind");
}

/* ---- programs --------------------------------------------------------------------- */

static tw_status import_queue(ttm_import_state *im, fb_view queue)
{
    fb_vec list = fb_get_vec(queue, FB_metal_CommandQueue_commands);
    const unsigned last = FB_metal_CommandType_ReturnCommand;
    for (size_t i = 0; i < list.count; i++) {
        fb_view command = fb_vec_table(list, i);
        const bool returns = fb_get_utype(command, FB_metal_Command_type) == last;
        tw_status status = returns != (i + 1 == list.count)
                               ? tw_error(TW_INVALID, "the queue must end with its only "
                                                      "ReturnCommand")
                               : import_command(im, command);
        if (status)
            return tw_annotate(status, "command %zu", i);
    }
    return list.count ? TW_SUCCESS : tw_error(TW_INVALID, "the queue has no commands");
}

/* The program of the only device. */
static tw_status device_program(fb_view program, fb_view *out)
{
    fb_vec all = fb_get_vec(program, FB_metal_Program_device_programs);
    if (all.count != 1)
        return tw_error(TW_UNSUPPORTED, "it is for %u devices; programs run on one",
                        all.count);
    *out = fb_vec_table(all, 0);
    fb_view mesh = fb_get_table(*out, FB_metal_DeviceProgram_mesh);
    fb_vec extents = mesh.at ? fb_get_vec(mesh, FB_metal_MeshDesc_mesh_shape) : (fb_vec){0};
    for (size_t i = 0; i < extents.count; i++)
        if (fb_vec_int(extents, i) != 1)
            return tw_error(TW_UNSUPPORTED,
                            "it is for a mesh of devices with the extent %lld; programs "
                            "run on one",
                            (long long)fb_vec_int(extents, i));
    return TW_SUCCESS;
}

static tw_status argument_types(ttm_import_state *im, fb_vec inputs, ir_type *out)
{
    ir_attr map;
    for (size_t i = 0; i < inputs.count; i++) {
        TW_TRY(type_of(im, fb_vec_table(inputs, i), &out[i], &map));
        if (out[i]->space)
            return tw_error(TW_UNSUPPORTED, "input %zu is on the device", i);
    }
    return TW_SUCCESS;
}

static tw_status import_function(ttm_import_state *im, fb_view program, fb_view device)
{
    fb_vec inputs = fb_get_vec(device, FB_metal_DeviceProgram_inputs);
    fb_vec queues = fb_get_vec(device, FB_metal_DeviceProgram_command_queues);
    ir_type *types = TW_ARENA_ARRAY(&im->arena, ir_type, inputs.count + 1);
    ir_attr name = ir_string_attr(im->ctx, fb_get_str(program, FB_metal_Program_name));
    if (queues.count != 1)
        return tw_error(TW_UNSUPPORTED, "it has %u command queues; one is run",
                        queues.count);
    if (ir_symbol_lookup(im->module, ir_attr_str(name)))
        return tw_error(TW_INVALID, "there is another of its name");
    ttm_find_scalars(im, fb_vec_table(queues, 0));
    TW_TRY(argument_types(im, inputs, types));
    ir_builder b = ir_builder_at_end(im->ctx, ir_op_body(im->module, 0), IR_LOC_UNKNOWN);
    ir_op *function = func_create(
        &b, name, ir_function_type(im->ctx, types, inputs.count, NULL, 0), false);
    ir_block *body = func_add_body(function);
    im->b = ir_builder_at_end(im->ctx, body, IR_LOC_UNKNOWN);
    for (size_t i = 0; i < inputs.count; i++)
        TW_TRY(define(im, fb_vec_table(inputs, i), body->args[i]));
    TW_TRY(import_queue(im, fb_vec_table(queues, 0)));
    func_refresh_type(function);
    return TW_SUCCESS;
}

static tw_status import_programs(ttm_import_state *im, fb_view root)
{
    fb_vec programs = fb_get_vec(root, FB_metal_TTMetalBinary_programs);
    for (size_t i = 0; i < programs.count; i++) {
        fb_view program = fb_vec_table(programs, i), device;
        tw_str name = fb_get_str(program, FB_metal_Program_name);
        im->values = ir_mapping_create();
        im->scalars = ir_mapping_create();
        tw_status status = device_program(program, &device);
        if (!status)
            status = import_function(im, program, device);
        ir_mapping_free(im->values);
        ir_mapping_free(im->scalars);
        if (status)
            return tw_annotate(status, "program '%.*s'", (int)name.size, name.data);
    }
    return TW_SUCCESS;
}

static tw_status import_module(ttm_import_state *im, fb_view root)
{
    fb_system *system;
    fb_view desc = fb_get_table(root, FB_metal_TTMetalBinary_system_desc);
    if (desc.at) {
        TW_TRY(fb_system_read(desc, &system));
        ir_op_set_attr(im->module, "ttcore.system_desc",
                       fb_system_to_attr(im->ctx, system));
        free(system);
    }
    TW_TRY(import_programs(im, root));
    return fb_import_verify(im->module);
}

tw_status ttm_import(ir_context *ctx, fb_view root, bool cpp, ir_op **out_module)
{
    ttm_import_state im = {.ctx = ctx, .cpp = cpp, .by_text = ir_mapping_create()};
    im.module = ir_module_create(ctx, IR_LOC_UNKNOWN);
    tw_status status = import_module(&im, root);
    ir_mapping_free(im.by_text);
    tw_arena_free(&im.arena);
    if (status)
        ir_op_erase(im.module);
    else
        *out_module = im.module;
    return status;
}
