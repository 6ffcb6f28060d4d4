/* import_impl.h: shared by the files that read a .ttnn back into IR. */
#ifndef TILEWRIGHT_TTNN_TO_FLATBUFFER_IMPORT_IMPL_H
#define TILEWRIGHT_TTNN_TO_FLATBUFFER_IMPORT_IMPL_H

#include "ttnn/to_flatbuffer/emit_impl.h"
#include "ttnn/to_flatbuffer/import.h"

/* The program of a file that is being read. */
typedef struct fb_importer {
    ir_context *ctx;
    const fb_ttnn *file;
    bool numbered;
    int64_t origin[2];  /* of the program and of the operation that is read */
    ir_mapping *values; /* global id -> value, of the program */
    ir_mapping *devices, *semaphores;
    ir_value *device;   /* the program's newest; some tables leave it out */
    ir_mapping *shared; /* values that are results of operations for debuggers, too */
    ir_builder b;
    tw_arena arena;
    ir_block *module;
    ir_op *cpu; /* the module of the host's functions, read from `library` */
    tw_str library;
} fb_importer;

/* An operation's pieces while they are put together. */
typedef struct fb_pieces {
    const emit_row *how;
    ir_value **operands;
    ir_type *results;
    uint32_t *result_ids;
    size_t n_operands, n_results;
    int64_t operand_segments[64], result_segments[16];
    ir_named_attr attrs[64];
    size_t n_attrs;
} fb_pieces;

/* All references of a field, which may be a vector or absent, as operands or results. */
tw_status fb_add_refs(fb_importer *im, fb_pieces *p, fb_view table, int slot, bool results,
                      size_t *count);
void fb_add_attr(fb_importer *im, fb_pieces *p, const char *name, ir_attr value);

/* ---- import_calls.c ----------------------------------------------------------------- */

/* Calls of other programs in the file, and of functions of the host. */
tw_status fb_import_call(fb_importer *im, const fb_op *op, fb_pieces *p);
tw_status fb_import_cpu_call(fb_importer *im, const fb_op *op, fb_pieces *p);
/* The functions of a CaptureOrExecuteTraceOp. */
tw_status fb_import_trace(fb_importer *im, fb_pieces *p, fb_view table);

/* ---- import_attr.c ------------------------------------------------------------------ */

/* A tensor's type with its layout. */
tw_status fb_import_type(ir_context *ctx, fb_view tensor_ref, ir_type *out);
/* The element type of raw bytes (FB_DataType_*); NULL for block formats. */
ir_type fb_import_element(ir_context *ctx, int64_t data_type);

/* The field as an attribute of the kind that the operation's row asks for; *out is NULL if
 * it is absent. */
tw_status fb_import_attr(ir_context *ctx, const ir_attr_use *use, fb_view table, int slot,
                         ir_attr *out);
/* A table as an attribute whose parameters have its fields' names. */
tw_status fb_import_table(ir_context *ctx, const ir_attr_def *def, fb_view table,
                          ir_attr *out);
/* A field as an attribute's parameter, by its slot or by the parameter's name; *out is NULL
 * if it is absent. */
tw_status fb_import_param(ir_context *ctx, const ir_param_def *param, fb_view table,
                          int slot, ir_attr *out);
tw_status fb_import_named_param(ir_context *ctx, const ir_param_def *param, fb_view table,
                                ir_attr *out);
/* The #ttnn.program of a GenericOp. */
tw_status fb_import_program(ir_context *ctx, fb_view generic, ir_attr *out);
/* `loc("...")` as it stands in the file; unknown if it is no location. */
ir_loc fb_import_loc(ir_context *ctx, tw_str text);
/* TW_INVALID with the first error, if the module is not valid. */
tw_status fb_import_verify(ir_op *module) TW_NODISCARD;
/* NumberType as an f32 or i32 attribute. */
ir_attr fb_import_number(ir_context *ctx, fb_view table, int slot);

#endif
