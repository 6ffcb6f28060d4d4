/* import_calls.c: calls in a .ttnn: of other programs of the file, those of traces
 * included, and of functions of the host, which stand in a library. */
#include "ir/text.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttnn/to_flatbuffer/import_impl.h"

static const emit_row call_row = {.op = FUNC_OP(call)};

/* Reads a program's library as the module of functions of the host inside the module;
 * equal libraries of other programs are read once. */
static tw_status import_library(fb_importer *im, fb_vec libraries, int64_t id)
{
    for (size_t i = 0; i < libraries.count; i++) {
        fb_view library = fb_vec_table(libraries, i);
        if (fb_get_int(library, FB_DynamicLib_dylib_id) != id)
            continue;
        tw_str text = fb_vec_bytes(fb_get_vec(library, FB_DynamicLib_raw_file));
        if (im->library.size == text.size &&
            (!text.size || memcmp(im->library.data, text.data, text.size) == 0))
            return TW_SUCCESS;
        if (im->library.data)
            return tw_error(TW_UNSUPPORTED, "several libraries of functions of the host");
        if (text.size >= 4 && memcmp(text.data,
                                     "\x7f"
                                     "ELF",
                                     4) == 0)
            return tw_error(TW_UNSUPPORTED,
                            "its library is machine code, which is not run here; compile "
                            "the program with tilewright");
        ir_diagnostic_sink sink = ir_context_set_sink(im->ctx, (ir_diagnostic_sink){0});
        ir_op *cpu = ir_parse(im->ctx, text, "library", NULL);
        ir_flush_diagnostics(im->ctx);
        ir_context_set_sink(im->ctx, sink);
        if (!cpu)
            return tw_error(TW_INVALID, "its library of functions of the host is no IR");
        ir_builder b = ir_builder_at_end(im->ctx, im->module, IR_LOC_UNKNOWN);
        ir_op *made = ir_build_op(&b, TTCORE_OP(cpu_module), NULL, 0, NULL, 0, NULL, 0, 1);
        ir_block *only = ir_block_create(im->ctx);
        ir_region_append(&made->regions[0], only);
        ir_block_append(only, cpu);
        im->library = text;
        im->cpu = cpu;
        return TW_SUCCESS;
    }
    return tw_error(TW_INVALID, "the program has no library %lld", (long long)id);
}

/* Declares the function for the call as it stands in the file. */
static void declare(fb_importer *im, tw_str name, const fb_pieces *p)
{
    ir_op *module = im->module->region->owner;
    if (ir_symbol_lookup(module, name))
        return;
    ir_type *types = TW_ARENA_ARRAY(&im->arena, ir_type, p->n_operands + 1);
    for (size_t i = 0; i < p->n_operands; i++)
        types[i] = p->operands[i]->type;
    ir_builder b = ir_builder_at_end(im->ctx, im->module, IR_LOC_UNKNOWN);
    ir_op *made = func_create(
        &b, ir_string_attr(im->ctx, name),
        ir_function_type(im->ctx, types, p->n_operands, p->results, p->n_results), true);
    ir_op_set_attr(made, "tt.function_type",
                   ir_string_attr(im->ctx, TW_STR("forward_cpu_declaration")));
}

tw_status fb_import_cpu_call(fb_importer *im, const fb_op *op, fb_pieces *p)
{
    size_t count = 0;
    TW_TRY(fb_add_refs(im, p, op->table, FB_ttnn_CpuOp_ins, false, &count));
    TW_TRY(fb_add_refs(im, p, op->table, FB_ttnn_CpuOp_outs, true, &count));
    fb_program program = fb_ttnn_program(im->file, (size_t)im->origin[0]);
    TW_TRY(import_library(im, fb_get_vec(program.table, FB_ttnn_Program_dylibs),
                          fb_get_int(op->table, FB_ttnn_CpuOp_dylib_id)));
    tw_str name = fb_get_str(op->table, FB_ttnn_CpuOp_func_name);
    if (!ir_symbol_lookup(im->cpu, name))
        return tw_error(TW_INVALID, "its library has no function '%.*s'",
                        (int)TW_MIN(name.size, (size_t)100), name.data);
    declare(im, name, p);
    fb_add_attr(im, p, "callee", ir_symbol_ref(im->ctx, name));
    fb_add_attr(im, p, "ttir.cpu_hoist_call", ir_unit_attr(im->ctx));
    p->how = &call_row;
    return TW_SUCCESS;
}

/* Calls of other programs in the file. */
tw_status fb_import_call(fb_importer *im, const fb_op *op, fb_pieces *p)
{
    bool cached = op->kind == FB_ttnn_OpType_LoadCachedOp;
    size_t count = 0;
    TW_TRY(fb_add_refs(im, p, op->table,
                       cached ? FB_ttnn_LoadCachedOp_inputs : FB_ttnn_FuncCallOp_inputs,
                       false, &count));
    TW_TRY(fb_add_refs(im, p, op->table,
                       cached ? FB_ttnn_LoadCachedOp_outputs : FB_ttnn_FuncCallOp_outputs,
                       true, &count));
    int64_t callee = fb_get_int(op->table, cached ? FB_ttnn_LoadCachedOp_program_idx
                                                  : FB_ttnn_FuncCallOp_program_id);
    fb_program program = fb_ttnn_program(im->file, (size_t)callee);
    fb_add_attr(im, p, "callee", ir_symbol_ref(im->ctx, program.name));
    static const emit_row cached_row = {.op = TTCORE_OP(load_cached)};
    p->how = cached ? &cached_row : &call_row;
    return TW_SUCCESS;
}

tw_status fb_import_trace(fb_importer *im, fb_pieces *p, fb_view table)
{
    static const struct {
        const char *name;
        int slot;
    } callees[] = {
        {"allocate_slots_callee",
         FB_ttnn_CaptureOrExecuteTraceOp_allocate_slots_program_id},
        {"capture_callee", FB_ttnn_CaptureOrExecuteTraceOp_capture_program_id},
        {"execute_callee", FB_ttnn_CaptureOrExecuteTraceOp_execute_program_id},
    };
    for (size_t i = 0; i < TW_COUNT(callees); i++) {
        fb_program program =
            fb_ttnn_program(im->file, (size_t)fb_get_int(table, callees[i].slot));
        fb_add_attr(im, p, callees[i].name, ir_symbol_ref(im->ctx, program.name));
    }
    return TW_SUCCESS;
}
