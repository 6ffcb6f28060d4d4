/* emit_impl.h: shared by the files that write a .ttnn. */
#ifndef TILEWRIGHT_TTNN_TO_FLATBUFFER_EMIT_IMPL_H
#define TILEWRIGHT_TTNN_TO_FLATBUFFER_EMIT_IMPL_H

#include "flatbuffer/builder.h"
#include "support/arena.h"
#include "ttnn/to_flatbuffer/emit.h"

/* A value that has been written: the one table that represents it. */
typedef struct emit_value {
    uint32_t id; /* global id */
    fb_ref ref;
} emit_value;

typedef struct emit {
    ir_context *ctx;
    ir_op *root, *module; /* all of it; the device's module inside, or the same */
    ir_op *cpu;           /* the host's module inside, or NULL */
    const fb_emit_options *options;
    fb_builder b;
    tw_arena arena;
    ir_mapping *values; /* ir_value -> emit_value */
    ir_mapping *descs;  /* tensor type -> emit_value (its ref: a TensorDesc) */
    uint32_t next_id;
    ir_attr device; /* ttcore.device, NULL if the module has none */
    int64_t mesh[2];
    int64_t dram_banks, l1_alignment; /* of the system's first chip */
    ir_op **functions;                /* in the order of the programs */
    size_t n_functions;
    fb_ref debug_info, dylibs;
    ir_op *op;         /* being written; for messages */
    ir_attr arg_attrs; /* of the value being described: a dictionary or NULL */
} emit;

/* How an operation becomes a table: BINARY(table, ...) in ttnn/ttnn.def.
 *
 * A field is filled from the operand, attribute or result of its own name (case and
 * underscores aside); `in` is the operand `input`, `out` the only result.  Fields named
 * memory_config, memcfg, dtype, output_dtype and layout come from the first result's
 * layout.  What differs is in the row:
 *   .type    enumerator of the field `type`
 *   .names   "field=source ...": another operand or attribute; "->r" is result r, "->*" all
 *   .hooked  fields that the operation's hook in emit_special.c writes
 *   .never   fields that are not written */
typedef struct emit_row {
    const ir_op_def *op;
    uint16_t table; /* fb_table_id */
    uint16_t kind;  /* union discriminator; 0: binaries do not hold it */
    const char *type, *names, *hooked, *never;
} emit_row;

/* NULL if the operation cannot be written. */
const emit_row *fb_emit_row(const ir_op_def *def);

/* Where a field's value comes from. */
typedef enum emit_source_kind {
    EMIT_UNKNOWN, /* a hole in the tables; a test looks for them */
    EMIT_NEVER,
    EMIT_HOOKED,
    EMIT_TYPE,          /* the row's enumerator */
    EMIT_OPERAND,       /* group `index` */
    EMIT_RESULT,        /* group `index`; all results if index is SIZE_MAX */
    EMIT_ATTR,          /* property `index` */
    EMIT_MEMORY_CONFIG, /* the rest: from the first result's layout */
    EMIT_DTYPE,
    EMIT_LAYOUT,
} emit_source_kind;
typedef struct emit_source {
    emit_source_kind kind;
    size_t index;
} emit_source;
emit_source fb_emit_source(const emit_row *row, int slot);

/* ---- emit.c ------------------------------------------------------------------------- */

/* loc(...) as a string. */
fb_ref fb_emit_loc(emit *e, ir_loc loc);

/* ---- emit_op.c ---------------------------------------------------------------------- */

/* The operation's union member; 0 after diagnostics. */
fb_ref fb_emit_op(emit *e, ir_op *op, unsigned *out_kind);
/* A dialect attribute as a table, parameter by parameter; 0 after diagnostics. */
fb_ref fb_emit_table(emit *e, unsigned table, ir_attr attr);
/* Writes an attribute into a field by the field's kind. */
bool fb_emit_attr(emit *e, fb_row *row, int slot, ir_attr attr);
/* The file's value of an attribute that wraps an enumeration, by the case's name. */
int64_t fb_emit_case(ir_attr attr, fb_enum_id id, int64_t otherwise);
/* NumberType of a float or integer attribute. */
bool fb_emit_number(emit *e, fb_row *row, int slot, ir_attr attr);

/* ---- emit_special.c ----------------------------------------------------------------- */

/* Fills the row's hooked fields. */
bool fb_emit_hooked(emit *e, const emit_row *how, ir_op *op, fb_row *row);
/* emit_kernels.c: the program of a ttnn.generic. */
bool fb_emit_generic(emit *e, ir_op *op, fb_row *row);
/* Operations of other dialects: calls and cached programs. */
fb_ref fb_emit_call(emit *e, ir_op *op, unsigned *out_kind);
/* Index of a function among the programs; -1 after diagnostics. */
int64_t fb_emit_program_index(emit *e, ir_attr symbol);

/* ---- emit_tensor.c ------------------------------------------------------------------ */

/* The reference of a tensor, device or semaphore value, made at first sight. */
fb_ref fb_emit_value(emit *e, ir_value *value);
fb_ref fb_emit_values(emit *e, ir_op *op, size_t start, size_t count, bool results);
/* MemoryConfig of a ttnn layout; 0 in system memory. */
fb_ref fb_emit_memory_config(emit *e, ir_attr layout);
fb_ref fb_emit_core_range_set(emit *e, ir_attr core_range_set);
/* FB_DataType_*, or -1 after diagnostics. */
int fb_emit_data_type(emit *e, ir_type element);
/* The layout of a tensor type: its encoding's; NULL after diagnostics. */
ir_attr fb_emit_layout_of(emit *e, ir_type type);
ir_type fb_emit_layout_memref(ir_attr layout);
bool fb_emit_is_tiled(ir_attr layout);
void fb_emit_remember(emit *e, const ir_value *value, uint32_t id, fb_ref ref);

/* ---- sysdesc_attr.c ----------------------------------------------------------------- */
#include "ttcore/system/sysdesc_attr.h"

bool fb_emit_error(emit *e, const char *format, ...) TW_PRINTF(2, 3);

/* A kind of file: roots begin with the same fields: version, hashes, system, source. */
typedef struct fb_root {
    fb_file_id file;
    fb_table_id table;
    const char *source; /* what the module's text is called */
    bool inner;         /* the text is that of the device's module only */
    bool (*put_programs)(emit *e, fb_row *root);
} fb_root;
/* Writes a module as a file of that kind; see fb_emit_ttnn. */
bool fb_emit_binary(ir_op *module, const fb_root *kind, const fb_emit_options *options,
                    void **out_data, size_t *out_size);

#endif
