/* translations.c: the table of translations.h. */
#include "pipelines/translations.h"

#include "emitpy/to_python/python.h"
#include "ir/bytecode.h"
#include "mlir/emitc/to_cpp/cpp.h"
#include "stablehlo/vhlo/vhlo_version.h"
#include "ttmetal/to_flatbuffer/emit_ttm.h"
#include "ttnn/to_emitc/ttnn_to_emitc.h"
#include "ttnn/to_emitpy/ttnn_to_emitpy.h"
#include "ttnn/to_flatbuffer/import.h"

#include <stdio.h>

static tw_status flatbuffer_to_ttnn(ir_context *ctx, tw_str bytes, ir_op **out_module)
{
    fb_ttnn file;
    TW_TRY(fb_ttnn_open(bytes.data, bytes.size, &file));
    return fb_import_ttnn(ctx, &file, false, out_module);
}

static const tw_translation translations[] = {
    {"ttnn-to-flatbuffer", "Translate the TTNN dialect to a flatbuffer",
     .to_binary = fb_emit_ttnn},
    {"ttmetal-to-flatbuffer", "Translate the TTMetal dialect to a flatbuffer",
     .to_binary = fb_emit_ttm},
    {"flatbuffer-to-ttnn", "Translate a .ttnn flatbuffer to the TTNN dialect",
     .from_binary = flatbuffer_to_ttnn},
    {"mlir-to-cpp", "Translate the EmitC dialect to C++", .to_text = cpp_emit},
    {"ttkernel-to-cpp", "Translate kernels in the EmitC dialect to C++",
     .to_text = cpp_emit_kernels},
    {"mlir-to-python", "Translate the EmitPy dialect to Python", .to_text = python_emit},
    {"ttkernel-to-cpp-one", NULL, .to_text = cpp_emit_kernel},
};

const tw_translation *tw_translation_at(size_t index)
{
    return index < TW_COUNT(translations) ? &translations[index] : NULL;
}

const tw_translation *tw_translation_named(const char *name)
{
    for (size_t i = 0; i < TW_COUNT(translations); i++)
        if (strcmp(translations[i].name, name) == 0)
            return &translations[i];
    return NULL;
}

tw_row_forms tw_forms_of_row(const ir_op_def *def)
{
    return (tw_row_forms){.binary = fb_emits(def),
                          .python = ttnn_find_call(py_calls, def) != NULL,
                          .cpp = ttnn_find_call(cpp_calls, def) != NULL};
}

/* ---- portable artifacts */

bool tw_artifact_version(tw_str text, char out[32])
{
    uint64_t version;
    if (!vhlo_version_from(text, &version))
        return false;
    vhlo_version_text(version, out);
    return true;
}

bool tw_artifact_write(ir_op *module, tw_str version, tw_strbuf *out)
{
    char text[32], producer[64];
    uint64_t number;
    if (!vhlo_version_from(version, &number))
        return ir_error(module->ctx, module->loc, "'%.*s' is no version of StableHLO",
                        (int)version.size, version.data);
    vhlo_version_text(number, text);
    snprintf(producer, sizeof producer, "StableHLO_v%s", text);
    const ir_bytecode_options options = {
        .version = vhlo_bytecode_version(number), .producer = producer, .use_orders = true};
    return ir_bytecode_write(module, &options, out);
}
