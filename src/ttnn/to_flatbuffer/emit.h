/* ttnn/to_flatbuffer/emit.h: a module in the TTNN dialect as a .ttnn. */
#ifndef TILEWRIGHT_TTNN_TO_FLATBUFFER_EMIT_H
#define TILEWRIGHT_TTNN_TO_FLATBUFFER_EMIT_H

#include "ir/op.h"

/* One stage of the compilation, for the file's debug section. */
typedef struct fb_stage {
    const char *name; /* of the pass */
    tw_str text;
} fb_stage;

/* What a tensor should hold, for comparison at run time. */
typedef struct fb_golden {
    const char *key; /* a location as `loc("...")`, or input_K, output_K */
    const char *name;
    uint32_t device;
    int dtype; /* tw_dtype */
    const int64_t *dims;
    size_t rank;
    const void *data; /* row-major */
    size_t size;
} fb_golden;

typedef struct fb_emit_options {
    const fb_stage *stages;
    size_t n_stages;
    const fb_golden *goldens;
    size_t n_goldens;
    bool no_source;   /* leave the module's text out of the file */
    bool local_scope; /* the module's text has no aliases */
} fb_emit_options;

/* Writes the functions of the module (or of the device module inside) that run on the
 * device, private ones behind.  False after diagnostics; else the bytes are the caller's.
 */
bool fb_emit_ttnn(ir_op *module, const fb_emit_options *options, void **out_data,
                  size_t *out_size);

/* Whether operations of the row can be written. */
bool fb_emits(const ir_op_def *def);

#endif
