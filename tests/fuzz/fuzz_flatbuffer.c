/* fuzz_flatbuffer.c: any bytes as a binary.
 *
 * A verified file must print as JSON without reads outside its bytes, as must the
 * runtime's view of it; a program must become a valid module or be rejected, and such a
 * module must become a binary again and, unless it holds kernels in C++, run: a .ttm on the
 * simulated grid; a system must survive conversion to an attribute and back. */
#include "flatbuffer/json.h"
#include "pipelines/dialects.h"
#include "run_program.h"
#include "ttcore/system/sysdesc_attr.h"
#include "ttmetal/to_flatbuffer/emit_ttm.h"
#include "ttmetal/to_flatbuffer/import_ttm.h"
#include "ttnn/to_flatbuffer/emit.h"
#include "ttnn/to_flatbuffer/import.h"
#include "ttnn/to_flatbuffer/ttnn_program.h"

#include <stdlib.h>

static volatile uint64_t sink; /* keeps reads from being optimised away */

static tw_status read_tensor(void *user, fb_view ref, bool output)
{
    (void)user, (void)output;
    fb_tensor tensor = fb_read_tensor(ref);
    for (size_t i = 0; i < tensor.memory.shard.cores.count; i++)
        sink += fb_vec_core_range(tensor.memory.shard.cores, i).end_x;
    sink += (uint64_t)tensor.dims[0] + tensor.dtype;
    return TW_SUCCESS;
}

static void read_programs(const fb_ttnn *file)
{
    for (size_t p = 0; p < fb_ttnn_program_count(file); p++) {
        fb_program program = fb_ttnn_program(file, p);
        for (size_t i = 0; i < program.n_operations; i++) {
            fb_op op = fb_program_op(&program, i);
            sink += (uint64_t)fb_op_subtype(&op) + (fb_op_subtype_name(&op) != NULL);
            tw_status_free(fb_op_each_tensor(&op, read_tensor, NULL));
        }
    }
}

static void import_program(const fb_ttnn *file)
{
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_op *module;
    tw_status status = fb_import_ttnn(ctx, file, false, &module);
    if (!status) {
        void *data;
        size_t size;
        fb_emit_options options = {.no_source = true};
        if (fb_emit_ttnn(module, &options, &data, &size))
            free(data);
    }
    tw_status_free(status);
    ir_context_destroy(ctx);
}

/* True if a kernel is only C++, which would be compiled to run. */
static bool has_cpp(const ir_op *module)
{
    for (ir_op *op = ir_op_body((ir_op *)module, 0)->first; op; op = op->next)
        if (ir_op_attr(op, ttm_source_attr) && !ir_op_body(op, 0))
            return true;
    return false;
}

/* Returns whether the grid can run the programs from operations. */
static bool import_queues(fb_view root)
{
    bool runs = false;
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_op *module;
    tw_status status = ttm_import(ctx, root, false, &module);
    if (!status) {
        void *data;
        size_t size;
        fb_emit_options options = {.no_source = true};
        if (fb_emit_ttm(module, &options, &data, &size))
            free(data);
        runs = !has_cpp(module);
    }
    tw_status_free(status);
    ir_context_destroy(ctx);
    return runs;
}

static void import_system(const fb_system *system)
{
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    fb_system *again;
    tw_status status = fb_system_from_attr(fb_system_to_attr(ctx, system), &again);
    if (!status) {
        void *data;
        size_t size;
        status = fb_sysdesc_write(again, &data, &size);
        if (!status)
            free(data);
        free(again);
    }
    tw_status_free(status);
    ir_context_destroy(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fb_file_id kind;
    fb_view root;
    tw_status status = fb_detect(data, size, &kind);
    if (!status)
        status = fb_open(data, size, kind, &root);
    if (status) {
        tw_status_free(status);
        return 0;
    }
    tw_strbuf text = {0};
    tw_status_free(fb_to_json(root, 0, 1 << 20, &text));
    tw_strbuf_free(&text);
    fb_ttnn file;
    fb_system *system = NULL;
    if (kind == FB_FILE_TTNN) {
        status = fb_ttnn_open(data, size, &file);
        if (!status) {
            read_programs(&file);
            import_program(&file);
            fuzz_compile_and_run((const char *)data, size);
        }
    } else if (kind == FB_FILE_TTM) {
        if (import_queues(root))
            fuzz_run_kernels((const char *)data, size);
    } else if (kind == FB_FILE_TTSYS) {
        status = fb_system_read(fb_get_table(root, FB_SystemDescRoot_system_desc), &system);
        if (!status) {
            import_system(system);
            free(system);
        }
    }
    tw_status_free(status);
    return 0;
}
