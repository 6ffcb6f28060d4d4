/* ttnn/to_flatbuffer/ttnn_program.h: a .ttnn as the runtime reads it.
 *
 * fb_ttnn_open proves both form (verify.h) and meaning: every tensor that an operation uses
 * was defined before and not deallocated since, each is described the same everywhere,
 * shapes are sane, programs that are called exist and do not call in circles, constants
 * have the bytes they need.  After that a reader needs no further checks to walk programs;
 * what an operation demands of its own attributes stays the reader's concern.
 *
 *     fb_ttnn file;
 *     TW_TRY(fb_ttnn_open(bytes, size, &file));
 *     fb_program program = fb_ttnn_program(&file, 0);
 *     for (size_t i = 0; i < program.n_operations; i++) {
 *         fb_op op = fb_program_op(&program, i);
 *         switch (op.kind) {
 *         case FB_ttnn_OpType_MatmulOp: {
 *             uint32_t a = fb_tensor_id(op.table, FB_ttnn_MatmulOp_a);
 *             bool transpose_a = fb_get_bool(op.table, FB_ttnn_MatmulOp_transpose_a);
 *             ...
 */
#ifndef TILEWRIGHT_TTNN_TO_FLATBUFFER_TTNN_PROGRAM_H
#define TILEWRIGHT_TTNN_TO_FLATBUFFER_TTNN_PROGRAM_H

#include "flatbuffer/verify.h"
#include "tilewright/dtype.h"

/* Tensors of a higher rank are refused. */
enum { FB_MAX_RANK = 16 };

typedef struct fb_ttnn {
    fb_view root;    /* FB_TABLE_ttnn_TTNNBinary */
    fb_vec programs; /* FB_TABLE_ttnn_Program */
} fb_ttnn;

typedef struct fb_program {
    fb_view table;
    tw_str name;
    bool is_private; /* called by other programs only */
    int32_t mesh_y, mesh_x;
    fb_vec inputs, outputs; /* of FB_TABLE_ttnn_TensorRef; see fb_vec_tensor */
    fb_vec operations;
    size_t n_operations;
} fb_program;

/* The operation's table by union discriminator: FB_ttnn_OpType_MatmulOp, ... */
typedef unsigned fb_op_kind;

typedef struct fb_op {
    fb_op_kind kind;
    fb_view table; /* FB_TABLE_ttnn_<kind>; fields by FB_ttnn_<kind>_<field> */
    tw_str debug;  /* the operation as MLIR text */
    tw_str loc;    /* loc("...") */
} fb_op;

typedef struct fb_shard {
    fb_vec cores; /* fb_vec_core_range */
    uint8_t rank; /* 2, or the tensor's rank for ND shards */
    bool col_major;
    uint8_t distribution; /* ND: FB_ttnn_ShardDistributionStrategy_* */
    int64_t shape[FB_MAX_RANK];
} fb_shard;

typedef struct fb_memory_config {
    uint8_t layout;      /* FB_ttnn_TensorMemoryLayout_* */
    uint8_t buffer_type; /* FB_BufferType_* */
    bool has_shard, has_nd_shard;
    fb_shard shard;
} fb_memory_config;

typedef struct fb_tensor {
    uint32_t id; /* global id, 1 or more */
    uint8_t rank;
    bool tiled; /* false: row major */
    bool on_device;
    bool has_memory;      /* `memory` is set: whatever is not in system memory */
    uint8_t shard_status; /* FB_ttnn_ShardStatus_* */
    int32_t tile_y, tile_x;
    tw_dtype dtype;
    int64_t dims[FB_MAX_RANK];
    fb_memory_config memory;
} fb_tensor;

/* Verifies and borrows the bytes, which must outlive the view. */
tw_status fb_ttnn_open(const void *data, size_t size, fb_ttnn *out);

static inline size_t fb_ttnn_program_count(const fb_ttnn *file)
{
    return file->programs.count;
}
fb_program fb_ttnn_program(const fb_ttnn *file, size_t i);
/* Index of a program by name, -1 if there is none. */
int fb_ttnn_find(const fb_ttnn *file, tw_str name);

fb_op fb_program_op(const fb_program *program, size_t i);
/* "MatmulOp"; "NONE" for 0. */
const char *fb_op_kind_name(fb_op_kind kind);

/* ---- tensors ------------------------------------------------------------------------ */

fb_tensor fb_read_tensor(fb_view ref);
/* The field's tensor; false (and `out` untouched) if it is absent. */
bool fb_get_tensor(fb_view table, int slot, fb_tensor *out);
/* Its id alone, 0 if absent. */
uint32_t fb_tensor_id(fb_view table, int slot);
static inline fb_tensor fb_vec_tensor(fb_vec vec, size_t i)
{
    return fb_read_tensor(fb_vec_table(vec, i));
}
uint32_t fb_vec_tensor_id(fb_vec vec, size_t i);

/* Calls `fn` for every tensor reference of an operation, also those inside its parameters;
 * inputs in the order of the fields, then outputs. */
typedef tw_status fb_tensor_fn(void *user, fb_view ref, bool output);
tw_status fb_op_each_tensor(const fb_op *op, fb_tensor_fn *fn, void *user);

/* FB_DataType_* to and from ours; TW_DTYPE_COUNT, or -1, for one the other side lacks. */
tw_dtype fb_dtype_from(int64_t data_type);
int fb_dtype_to(tw_dtype dtype);

/* A number given as NumberType (fill values, clamp bounds, exponents): float or int32. */
typedef struct fb_number {
    bool is_float;
    float f;
    int32_t i;
} fb_number;
/* The union at this slot; false if it is absent. */
bool fb_get_number(fb_view table, int slot, fb_number *out);

/* Operations whose table represents several (EltwiseUnaryOp, ReductionOp, ...): the `type`
 * enumerator, and its name ("Relu"); -1 and NULL for the others. */
int fb_op_subtype(const fb_op *op);
const char *fb_op_subtype_name(const fb_op *op);

#endif
