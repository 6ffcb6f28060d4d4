/* emit.c: a module's functions as the programs of a .ttnn. */
#include "ttnn/to_flatbuffer/emit.h"

#include "ttnn/to_flatbuffer/emit_impl.h"

#include "ir/text.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttnn/to_flatbuffer/ttnn_program.h"
#include "ttnn/ttnn.h"

#include <stdlib.h>

bool fb_emit_error(emit *e, const char *format, ...)
{
    va_list args;
    tw_strbuf text = {0};
    va_start(args, format);
    tw_strbuf_vprintf(&text, format, args);
    va_end(args);
    ir_op_error(e->op, "%s", tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    return false;
}

/* ---- functions ---------------------------------------------------------------------- */

/* Functions of these types are programs; forward ones come first. */
static const char *const program_types[] = {
    "forward_device",        "const_eval",    "trace_main", "trace_allocate_slots",
    "trace_run_and_capture", "trace_execute",
};

static int program_type(emit *e, ir_op *function)
{
    ir_attr type = ir_op_attr(function, "tt.function_type");
    e->op = function;
    if (!ir_attr_is(type, IR_ATTR_STRING)) {
        fb_emit_error(
            e, "function is missing required 'tt.function_type' attribute during "
               "flatbuffer translation; run --ttcore-mark-functions-as-forward first");
        return -2;
    }
    for (size_t i = 0; i < TW_COUNT(program_types); i++)
        if (tw_str_is(ir_attr_str(type), program_types[i]))
            return (int)i;
    return -1;
}

static ir_walk count_function(ir_op *op, void *user)
{
    emit *e = user;
    if (op->def != FUNC_OP(func))
        return IR_WALK_ON;
    e->n_functions++;
    return program_type(e, op) == -2 ? IR_WALK_STOP : IR_WALK_SKIP;
}

static ir_walk take_forward(ir_op *op, void *user)
{
    emit *e = user;
    if (op->def != FUNC_OP(func))
        return IR_WALK_ON;
    if (program_type(e, op) == 0 && ir_op_body(op, 0))
        e->functions[e->n_functions++] = op;
    return IR_WALK_SKIP;
}

static ir_walk take_other(ir_op *op, void *user)
{
    emit *e = user;
    if (op->def != FUNC_OP(func))
        return IR_WALK_ON;
    if (program_type(e, op) > 0 && ir_op_body(op, 0))
        e->functions[e->n_functions++] = op;
    return IR_WALK_SKIP;
}

/* Functions of modules inside the module are programs, too. */
static bool collect_functions(emit *e)
{
    if (ir_walk_pre(e->module, count_function, e) == IR_WALK_STOP)
        return false;
    e->functions = TW_ARENA_ARRAY(&e->arena, ir_op *, e->n_functions + 1);
    e->n_functions = 0;
    ir_walk_pre(e->module, take_forward, e);
    ir_walk_pre(e->module, take_other, e);
    if (e->n_functions)
        return true;
    e->op = e->module;
    fb_emit_error(e, "the module has no function that could be a program");
    return false;
}

/* The module inside ttcore.device_module or ttcore.cpu_module; `otherwise` without one. */
static ir_op *module_inside(ir_op *root, const ir_op_def *def, ir_op *otherwise)
{
    ir_block *body = ir_op_body(root, 0);
    for (ir_op *op = body ? body->first : NULL; op; op = op->next)
        if (op->def == def && ir_op_body(op, 0) && ir_op_body(op, 0)->first)
            return ir_op_body(op, 0)->first;
    return otherwise;
}

static void find_device(emit *e)
{
    ir_block *body = ir_op_body(e->module, 0);
    for (ir_op *op = body ? body->first : NULL; op && !e->device; op = op->next)
        if (op->def == TTCORE_OP(device))
            e->device = ir_op_attr(op, "device_attr");
    e->mesh[0] = e->mesh[1] = 1;
    ir_attr mesh = e->device ? ir_attr_param(e->device, "meshShape") : NULL;
    if (mesh && mesh->count == 2)
        ir_attr_ints(mesh, e->mesh, 2);
}

/* ---- a program ---------------------------------------------------------------------- */

fb_ref fb_emit_loc(emit *e, ir_loc loc)
{
    tw_strbuf text = {0};
    ir_print_loc(e->ctx, loc, &text);
    fb_ref ref = fb_make_string(&e->b, (tw_str){tw_strbuf_text(&text), text.size});
    tw_strbuf_free(&text);
    return ref;
}

static fb_ref emit_operation(emit *e, ir_op *op, ir_op_printer *printer)
{
    unsigned kind = 0;
    e->op = op;
    fb_ref table = fb_emit_op(e, op, &kind);
    if (!table)
        return 0;
    tw_strbuf text = {0};
    ir_op_printer_print(printer, op, &text);
    fb_row row;
    fb_start(&row, FB_TABLE_ttnn_Operation);
    fb_put_union(&row, FB_ttnn_Operation_type, kind, table);
    fb_put_ref(&row, FB_ttnn_Operation_debug_info,
               fb_make_string(&e->b, (tw_str){tw_strbuf_text(&text), text.size}));
    fb_put_ref(&row, FB_ttnn_Operation_loc_info, fb_emit_loc(e, op->loc));
    tw_strbuf_free(&text);
    return fb_end(&e->b, &row);
}

/* Entry of arg_attrs or res_attrs; NULL unless it says how the tensor is distributed. */
static ir_attr spread_attrs(ir_op *function, const char *name, size_t i)
{
    ir_attr list = ir_op_attr(function, name);
    ir_attr dict = list && i < list->count ? list->items[i] : NULL;
    bool says = ir_attr_is(dict, IR_ATTR_DICT) &&
                (ir_dict_get(dict, TW_STR("ttcore.shard_status")) ||
                 ir_dict_get(dict, TW_STR("ttcore.local_shape")));
    return says ? dict : NULL;
}

typedef struct parts {
    fb_ref *inputs, *semaphores, *operations, *outputs;
    size_t n_inputs, n_semaphores, n_operations, n_outputs;
} parts;

static bool emit_arguments(emit *e, ir_op *function, parts *p)
{
    ir_block *body = ir_op_body(function, 0);
    p->inputs = TW_ARENA_ARRAY(&e->arena, fb_ref, body->n_args + 1);
    p->semaphores = TW_ARENA_ARRAY(&e->arena, fb_ref, body->n_args + 1);
    for (size_t i = 0; i < body->n_args; i++) {
        ir_type type = body->args[i]->type;
        e->arg_attrs = spread_attrs(function, "arg_attrs", i);
        fb_ref ref = fb_emit_value(e, body->args[i]);
        e->arg_attrs = NULL;
        if (!ref)
            return false;
        if (type->kind == IR_TYPE_DIALECT && type->def == TTNN_TYPE(global_semaphore))
            p->semaphores[p->n_semaphores++] = ref;
        else
            p->inputs[p->n_inputs++] = ref;
    }
    return true;
}

/* Results whose attributes say how they are distributed must be described so when their
 * operation is written, which is before the return. */
static bool describe_results(emit *e, ir_op *function)
{
    ir_block *body = ir_op_body(function, 0);
    ir_op *last = body->last;
    for (size_t i = 0; last && last->def == FUNC_OP(return ) && i < last->n_operands; i++) {
        e->arg_attrs = spread_attrs(function, "res_attrs", i);
        if (e->arg_attrs && !fb_emit_value(e, ir_op_operand(last, i)))
            return false;
        e->arg_attrs = NULL;
    }
    return true;
}

static bool emit_body(emit *e, ir_op *function, parts *p)
{
    ir_block *body = ir_op_body(function, 0);
    size_t n = 0;
    for (ir_op *op = body->first; op; op = op->next)
        n++;
    p->operations = TW_ARENA_ARRAY(&e->arena, fb_ref, n + 1);
    ir_print_options options = {.debug_info = true,
                                .local_scope = true,
                                .assume_verified = true,
                                .skip_regions = true,
                                .elide_elements = 16};
    ir_op_printer *printer = ir_op_printer_create(function, &options);
    bool ok = true;
    for (ir_op *op = body->first; op && ok; op = op->next) {
        e->op = op;
        if (op->def == FUNC_OP(return )) {
            p->outputs = TW_ARENA_ARRAY(&e->arena, fb_ref, op->n_operands + 1);
            for (; p->n_outputs < op->n_operands && ok; p->n_outputs++) {
                p->outputs[p->n_outputs] =
                    fb_emit_value(e, ir_op_operand(op, p->n_outputs));
                ok = p->outputs[p->n_outputs] != 0;
            }
            continue;
        }
        fb_ref ref = emit_operation(e, op, printer);
        ok = ref != 0;
        p->operations[p->n_operations++] = ref;
    }
    ir_op_printer_free(printer);
    return ok;
}

static fb_ref emit_program(emit *e, ir_op *function)
{
    parts p = {0};
    e->op = function;
    if (function->regions[0].first != function->regions[0].last) {
        fb_emit_error(e, "has several blocks, which a program cannot hold");
        return 0;
    }
    if (!emit_arguments(e, function, &p) || !describe_results(e, function) ||
        !emit_body(e, function, &p))
        return 0;
    fb_row row;
    fb_start(&row, FB_TABLE_ttnn_Program);
    fb_put_ref(&row, FB_ttnn_Program_name, fb_make_string(&e->b, ir_symbol_name(function)));
    fb_put_ref(&row, FB_ttnn_Program_inputs, fb_make_refs(&e->b, p.inputs, p.n_inputs));
    fb_put_ref(&row, FB_ttnn_Program_outputs, fb_make_refs(&e->b, p.outputs, p.n_outputs));
    fb_put_ref(&row, FB_ttnn_Program_operations,
               fb_make_refs(&e->b, p.operations, p.n_operations));
    fb_put_ref(&row, FB_ttnn_Program_semaphore_inputs,
               fb_make_refs(&e->b, p.semaphores, p.n_semaphores));
    fb_put_ref(&row, FB_ttnn_Program_dylibs, e->dylibs);
    fb_put_ref(&row, FB_ttnn_Program_debug_info, e->debug_info);
    fb_put_int(&row, FB_ttnn_Program_private, ir_symbol_is_private(function));
    fb_put_dim2d(&row, FB_ttnn_Program_mesh_shape, e->mesh[0], e->mesh[1]);
    return fb_end(&e->b, &row);
}

/* ---- debug information -------------------------------------------------------------- */

static fb_ref make_mlir(emit *e, const char *name, tw_str source)
{
    fb_row row;
    fb_start(&row, FB_TABLE_MLIR);
    fb_put_ref(&row, FB_MLIR_source, fb_make_string(&e->b, source));
    fb_put_ref(&row, FB_MLIR_name, fb_make_string(&e->b, tw_str_from(name)));
    return fb_end(&e->b, &row);
}

static fb_ref make_golden_tensor(emit *e, const fb_golden *g)
{
    int64_t strides[FB_MAX_RANK];
    size_t rank = TW_MIN(g->rank, (size_t)FB_MAX_RANK);
    int64_t stride = 1;
    for (size_t i = rank; i--; stride *= g->dims[i])
        strides[i] = stride;
    fb_row tensor, device;
    fb_start(&tensor, FB_TABLE_GoldenTensor);
    fb_put_ref(&tensor, FB_GoldenTensor_name, fb_make_string(&e->b, tw_str_from(g->name)));
    fb_put_ref(&tensor, FB_GoldenTensor_shape, fb_make_ints(&e->b, FB_I64, g->dims, rank));
    fb_put_ref(&tensor, FB_GoldenTensor_stride, fb_make_ints(&e->b, FB_I64, strides, rank));
    fb_put_int(&tensor, FB_GoldenTensor_dtype, fb_dtype_to((tw_dtype)g->dtype));
    fb_put_ref(&tensor, FB_GoldenTensor_data, fb_make_bytes(&e->b, g->data, g->size));
    fb_start(&device, FB_TABLE_GoldenDeviceTensor);
    fb_put_int(&device, FB_GoldenDeviceTensor_device, g->device);
    fb_put_ref(&device, FB_GoldenDeviceTensor_value, fb_end(&e->b, &tensor));
    return fb_end(&e->b, &device);
}

/* Goldens of one key stand next to each other. */
static fb_ref make_golden_map(emit *e)
{
    const fb_golden *g = e->options->goldens;
    size_t n = e->options->n_goldens, n_keys = 0;
    fb_ref *keys = TW_ARENA_ARRAY(&e->arena, fb_ref, n + 1);
    fb_ref *devices = TW_ARENA_ARRAY(&e->arena, fb_ref, n + 1);
    for (size_t i = 0, next; i < n; i = next) {
        size_t count = 0;
        for (next = i; next < n && strcmp(g[next].key, g[i].key) == 0; next++)
            devices[count++] = make_golden_tensor(e, &g[next]);
        fb_row row;
        fb_start(&row, FB_TABLE_GoldenKV);
        fb_put_ref(&row, FB_GoldenKV_value, fb_make_refs(&e->b, devices, count));
        fb_put_ref(&row, FB_GoldenKV_key, fb_make_string(&e->b, tw_str_from(g[i].key)));
        keys[n_keys++] = fb_end(&e->b, &row);
    }
    fb_row info;
    fb_start(&info, FB_TABLE_GoldenInfo);
    fb_put_ref(&info, FB_GoldenInfo_golden_map, fb_make_refs(&e->b, keys, n_keys));
    return fb_end(&e->b, &info);
}

static void make_debug_info(emit *e)
{
    size_t n = e->options->n_stages;
    fb_ref *stages = TW_ARENA_ARRAY(&e->arena, fb_ref, n + 1);
    for (size_t i = 0; i < n; i++)
        stages[i] = make_mlir(e, e->options->stages[i].name, e->options->stages[i].text);
    fb_row row;
    fb_start(&row, FB_TABLE_DebugInfo);
    fb_put_ref(&row, FB_DebugInfo_mlir_stages, fb_make_refs(&e->b, stages, n));
    fb_put_ref(&row, FB_DebugInfo_golden_info, make_golden_map(e));
    e->debug_info = fb_end(&e->b, &row);
}

/* The functions of the host as one library: the text of their module, where tt-mlir puts
 * machine code. */
static void make_libraries(emit *e)
{
    fb_ref library = 0;
    if (e->cpu) {
        tw_strbuf text = {0};
        fb_row row;
        ir_print_op(e->cpu, &(ir_print_options){.assume_verified = true}, &text);
        fb_start(&row, FB_TABLE_DynamicLib);
        fb_put_int(&row, FB_DynamicLib_dylib_id, 0);
        fb_put_ref(&row, FB_DynamicLib_raw_file,
                   fb_make_bytes(&e->b, text.data, text.size));
        library = fb_end(&e->b, &row);
        tw_strbuf_free(&text);
    }
    e->dylibs = fb_make_refs(&e->b, &library, library ? 1 : 0);
}

/* ---- the file ----------------------------------------------------------------------- */

static fb_ref make_system(emit *e)
{
    ir_attr desc = ir_op_attr(e->module, "ttcore.system_desc");
    fb_system *system = NULL;
    e->op = e->module;
    tw_status status = fb_system_from_attr(
        desc ? desc : ir_op_attr(e->root, "ttcore.system_desc"), &system);
    if (status) {
        fb_emit_error(e, "%s", tw_status_message(status));
        tw_status_free(status);
        return 0;
    }
    e->dram_banks = system->n_kinds ? system->kinds[0].num_dram_channels : 1;
    e->l1_alignment = system->n_kinds ? system->kinds[0].noc_l1_address_align_bytes : 1;
    fb_ref ref = fb_make_system_desc(&e->b, system);
    free(system);
    return ref;
}

static bool put_ttnn_programs(emit *e, fb_row *root)
{
    if (!collect_functions(e))
        return false;
    fb_ref *programs = TW_ARENA_ARRAY(&e->arena, fb_ref, e->n_functions + 1);
    for (size_t i = 0; i < e->n_functions; i++)
        if (!(programs[i] = emit_program(e, e->functions[i])))
            return false;
    fb_put_ref(root, FB_ttnn_TTNNBinary_programs,
               fb_make_refs(&e->b, programs, e->n_functions));
    return true;
}

static const fb_root ttnn_root = {FB_FILE_TTNN, FB_TABLE_ttnn_TTNNBinary, "ttnn", false,
                                  put_ttnn_programs};

static bool emit_file(emit *e, const fb_root *kind, void **out_data, size_t *out_size)
{
    fb_row root;
    fb_start(&root, kind->table);
    find_device(e);
    fb_ref system = make_system(e);
    if (!system)
        return false;
    fb_put_ref(&root, FB_ttnn_TTNNBinary_system_desc, system);
    make_debug_info(e);
    make_libraries(e);
    if (!kind->put_programs(e, &root))
        return false;
    tw_strbuf source = {0};
    ir_print_options options = {.debug_info = true, .local_scope = e->options->local_scope};
    if (!e->options->no_source)
        ir_print_op(kind->inner ? e->module : e->root, &options, &source);
    fb_put_ref(&root, FB_ttnn_TTNNBinary_mlir,
               make_mlir(e, kind->source, (tw_str){tw_strbuf_text(&source), source.size}));
    tw_strbuf_free(&source);
    fb_put_stamp(&e->b, &root, kind->file,
                 (struct fb_stamp){FB_ttnn_TTNNBinary_version,
                                   FB_ttnn_TTNNBinary_schema_hash,
                                   FB_ttnn_TTNNBinary_ttmlir_git_hash});
    fb_ref ref = fb_end(&e->b, &root);
    e->op = e->root;
    tw_status status = fb_finish(&e->b, kind->file, ref, out_data, out_size);
    if (!status)
        return true;
    fb_emit_error(e, "%s", tw_status_message(status));
    tw_status_free(status);
    return false;
}

bool fb_emit_binary(ir_op *module, const fb_root *kind, const fb_emit_options *options,
                    void **out_data, size_t *out_size)
{
    static const fb_emit_options none = {0};
    emit e = {
        .ctx = module->ctx,
        .root = module,
        .module = module_inside(module, TTCORE_OP(device_module), module),
        .cpu = module_inside(module, TTCORE_OP(cpu_module), NULL),
        .options = options ? options : &none,
        .values = ir_mapping_create(),
        .descs = ir_mapping_create(),
    };
    bool ok = emit_file(&e, kind, out_data, out_size);
    fb_builder_free(&e.b);
    ir_mapping_free(e.values);
    ir_mapping_free(e.descs);
    tw_arena_free(&e.arena);
    return ok;
}

bool fb_emit_ttnn(ir_op *module, const fb_emit_options *options, void **out_data,
                  size_t *out_size)
{
    return fb_emit_binary(module, &ttnn_root, options, out_data, out_size);
}
