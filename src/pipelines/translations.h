/* translations.h: modules as C++, Python, binaries and portable artifacts: one table for
 * ttmlir-translate, the IR in Python and everything else that writes files. */
#ifndef TILEWRIGHT_PIPELINES_TRANSLATIONS_H
#define TILEWRIGHT_PIPELINES_TRANSLATIONS_H

#include "support/status.h"
#include "support/strbuf.h"
#include "ttnn/to_flatbuffer/emit.h" /* what a binary holds beside its programs */

/* One direction; of its functions one is not NULL. */
typedef struct tw_translation {
    const char *name; /* "mlir-to-cpp" */
    const char *help; /* NULL: not an option of ttmlir-translate */
    bool (*to_text)(ir_op *module, tw_strbuf *out);
    /* `more` may be NULL; the caller frees the data. */
    bool (*to_binary)(ir_op *module, const fb_emit_options *more, void **out_data,
                      size_t *out_size);
    tw_status (*from_binary)(ir_context *ctx, tw_str bytes, ir_op **out_module);
} tw_translation;

/* NULL behind the last. */
const tw_translation *tw_translation_at(size_t index);
const tw_translation *tw_translation_named(const char *name);

/* The forms besides its text that an operation of TTNN has. */
typedef struct tw_row_forms {
    bool binary, python, cpp;
} tw_row_forms;
tw_row_forms tw_forms_of_row(const ir_op_def *def);

/* Portable artifacts: a module of vhlo in the bytecode of a release of StableHLO ("1.9.0",
 * or "current" for the newest). */
bool tw_artifact_write(ir_op *module, tw_str version, tw_strbuf *out);
/* The version in numbers; false if the text is no version. */
bool tw_artifact_version(tw_str text, char out[32]);

#endif
