/* ttl_to_ttkernel.h: what the files of this conversion share. */
#ifndef TILEWRIGHT_TTL_TO_TTKERNEL_TTL_TO_TTKERNEL_H
#define TILEWRIGHT_TTL_TO_TTKERNEL_TTL_TO_TTKERNEL_H

#include "ir/op.h"
#include "ir/pass/pass.h"

/* Parts of the conversion, in their order; the last one takes what the others leave. */
typedef enum k_part { K_COMPUTE = 1, K_TRANSFERS = 2, K_REST = 4 } k_part;

/* One function on its way.  Operations are visited from the last to the first, so that
 * what makes an operand is still there to be asked when its user is converted. */
typedef struct k_func {
    ir_context *ctx;
    ir_op *func;
    ir_mapping *cbs; /* !ttl.cb values -> !ttkernel.cb values */
    int64_t noc; /* the NoC its transfers use: the second data movement thread's is 1, or
                  * what ttl.noc_index says */
    unsigned parts;
    bool failed;
} k_func;

/* Converts one operation and erases it; false after an error. */
typedef bool k_convert_fn(k_func *f, ir_op *op);

/* The value of the kernel's type of a buffer. */
ir_value *k_cb(k_func *f, ir_builder *b, ir_value *cb);
ir_type k_cb_type(ir_type cb);
/* An operation without results. */
ir_op *k_call(ir_builder *b, const ir_op_def *def, ir_value *const *operands, size_t n);
#define K_CALL(b, def, ...) k_call(b, def, IR_VALUES(__VA_ARGS__))
ir_value *k_arith(ir_builder *b, const char *op, ir_value *x, ir_value *y);
/* Replaces the first result by a value and erases the operation. */
bool k_replace(ir_op *op, ir_value *by);
/* "failed to legalize operation ...", with the reason. */
bool k_illegal(ir_op *op, const char *why);

/* scf.for over 0 .. extent; its variable.  *out_body builds in front of its end. */
ir_value *k_loop(ir_builder *b, int64_t extent, ir_builder *out_body);
/* The buffer that a tile lies in, NULL if nothing says. */
ir_value *k_buffer_of_tile(ir_value *tile);
/* The row-major number of a position in a tensor, from operand `first` on. */
ir_value *k_linear_index(ir_builder *b, const ir_op *op, uint32_t first, ir_type tensor);

/* transfers.c */
/* Erases a copy; a handle that loops or tensors still carry says nothing any more. */
void k_end_copy(ir_op *op);
k_convert_fn k_copy, k_wait, k_tensor_slice;

/* pipes.c: copies to and from pipes (called by k_copy), semaphores */
bool k_is_pipe(const ir_value *v);
k_convert_fn k_pipe_copy, k_drop, k_semaphore_wait, k_semaphore_set, k_semaphore_inc;
/* if_pipe_src and if_pipe_dst become scf.if around copies of their bodies. */
bool k_expand_pipes(ir_op *func);

/* tiles.c */
/* The register of DST that holds a tile value, -1 if nothing says; the one that a
 * ttl.get_tile fills. */
int64_t k_register_of(const ir_value *v);
int64_t k_taken_register(const ir_op *get_tile);
k_convert_fn k_get_tile, k_pack_tile, k_typecast;
k_convert_fn k_store, k_copy_tile, k_copy_dst, k_elementwise, k_init_sfpu;
/* spills.c: tiles that are spilled to L1 and restored go through a buffer. */
bool k_expand_spills(ir_op *func);
/* formats.c: in a compute thread whose buffers differ in format, configures unpackers and
 * packer which comes next. */
void k_set_formats(ir_op *func);
/* buffers.c */
k_convert_fn k_cb_fill, k_cb_pad, k_tile_bcast, k_tile_matmul, k_tile_reduce,
    k_tile_transpose;

#endif
