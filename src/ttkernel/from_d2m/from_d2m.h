/* from_d2m.h: shared by the files of convert-d2m-to-ttkernel.
 *
 * Operations are converted in program order.  Each new operation is built beside the old
 * one, which stays until the function is done, since conversions look at the users and the
 * definitions of d2m values; `values` maps old values to new ones. */
#ifndef TILEWRIGHT_TTKERNEL_FROM_D2M_FROM_D2M_H
#define TILEWRIGHT_TTKERNEL_FROM_D2M_FROM_D2M_H

#include "d2m/d2m.h"
#include "ir/op.h"
#include "ir/pass/pass.h"
#include "mlir/arith/arith.h"
#include "ttkernel/ttkernel.h"

typedef struct d2k {
    ir_context *ctx;
    ir_op *func;
    ir_mapping *values;
    ir_mapping *accessors; /* d2m.get_arg -> its TensorAccessorArgs value */
    ir_op_list dead;
    ir_op *const *ops; /* of the function, in order */
    size_t n_ops;
    size_t before_load, before_store; /* of `ops`: before the first ones in L1 */
    bool compile_time_args;
    int64_t noc; /* the NoC of the thread's core, -1 outside data movement threads */
} d2k;

/* Converts one operation; false after an error. */
typedef bool d2k_convert_fn(d2k *k, ir_op *op);

/* ---- convert_d2m_to_ttkernel.c ------------------------------------------------------- */

/* "failed to legalize operation ...", with the reason. */
bool d2k_illegal(ir_op *op, const char *why);
/* What a value has become; the value itself if it is unchanged. */
ir_value *d2k_value(const d2k *k, ir_value *v);
void d2k_map(d2k *k, ir_value *from, ir_value *to);
/* The type that values of a d2m type become; the type itself if it is kept. */
ir_type d2k_type(ir_type type);
/* Marks the operation as converted, `by` (may be NULL) as its first result. */
bool d2k_done(d2k *k, ir_op *op, ir_value *by);

ir_op *d2k_call(ir_builder *b, const ir_op_def *def, ir_value *const *operands, size_t n);
#define D2K_CALL(b, def, ...) d2k_call(b, def, IR_VALUES(__VA_ARGS__))
ir_value *d2k_int(ir_builder *b, uint32_t width, int64_t value);
ir_value *d2k_binary(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y);
ir_value *d2k_compare(ir_builder *b, int64_t predicate, ir_value *x, ir_value *y);
ir_value *d2k_to_i32(ir_builder *b, ir_value *index); /* arith.index_cast */
/* An scf.if without results; `out_body` builds at its end. */
void d2k_if(ir_builder *b, ir_value *condition, bool with_else, ir_builder *out_then,
            ir_builder *out_else);
/* An scf.for; returns its variable. */
ir_value *d2k_for(ir_builder *b, ir_value *from, ir_value *to, ir_value *step,
                  ir_builder *out_body);

/* The TTCORE_MemorySpace_ of a memref; System without one. */
int64_t d2k_space(ir_type memref);
/* The row-major position of indices (operands from `first` on) in a memref. */
ir_value *d2k_linear_index(d2k *k, ir_builder *b, ir_op *op, size_t first, ir_type memref);

/* ---- arguments.c --------------------------------------------------------------------- */

/* Sets the thread and the arguments of the function, which has no others. */
void d2k_signature(d2k *k);
d2k_convert_fn d2k_arg;

/* ---- tiles.c: what compute operations share ------------------------------------------ */

/* The circular buffer behind a memref or a tile loaded from one; NULL if unknown. */
ir_value *d2k_cb(d2k *k, ir_value *v);
/* The buffers of the function's first load from and first store to L1; NULL if none. */
ir_value *d2k_in_cb(d2k *k);
ir_value *d2k_out_cb(d2k *k);
/* Tiles from one row of a block in L1 to the next, in the memory that it is a part of. */
int64_t d2k_row_stride(ir_value *block);
/* The index of the store to DST that takes the tile; NULL if none does. */
ir_value *d2k_dst_of(d2k *k, ir_value *tile);
ir_op *d2k_dst_store(ir_value *tile);
/* Moves the definition of an index in front of the builder's position. */
void d2k_ensure_before(ir_builder *b, ir_value *v);
/* A builder behind the later one of the values' definitions, in an outer block too. */
ir_builder d2k_after(ir_op *op, ir_value *const *values, size_t n);
/* A condition that holds in the first iteration of all loops around the operation, in the
 * block if one is given, that the index does not depend on; NULL without such loops. */
ir_value *d2k_first_iteration(ir_builder *b, ir_op *op, ir_value *index,
                              const ir_block *within);
/* The outermost loop that the index does not depend on, NULL if there is none. */
ir_op *d2k_reduction_loop(ir_op *op, ir_value *index);
/* The bits of a float attribute, or the value of an integer one, as a constant i32. */
ir_value *d2k_bits(ir_builder *b, ir_attr attr);
ir_attr d2k_dtype(ir_type tile); /* #ttcore.supportedDataTypes of a tile type */

/* True for a buffer of elements, not tiles, that the thread fills. */
bool d2k_has_elements(const ir_value *memory);
d2k_convert_fn d2k_elementwise, d2k_load, d2k_store, d2k_fill, d2k_rand, d2k_typecast;

/* ---- units.c: matrix unit, packer and unpacker --------------------------------------- */

/* False with *done unset if the vector unit computes the operation. */
bool d2k_fpu_binary(d2k *k, ir_op *op, bool *done);
d2k_convert_fn d2k_matmul, d2k_matmul_block, d2k_reduce, d2k_sfpu_reduce, d2k_bcast,
    d2k_transpose, d2k_tilize, d2k_untilize, d2k_topk, d2k_argmax;

/* ---- transfers.c, semaphores.c, rows.c */

/* An address that a NoC transfer reads or writes. */
typedef struct d2k_endpoint {
    ir_value *x, *y, *bank, *address; /* x and y, or bank */
} d2k_endpoint;

/* The NoC of the thread as an i8 constant, NULL if unknown. */
ir_value *d2k_noc(d2k *k, ir_builder *b);
/* Translated coordinates of a logical core. */
void d2k_translate(ir_builder *b, ir_value *y, ir_value *x, ir_value **out_y,
                   ir_value **out_x);
/* The last translated core of a rectangle. */
void d2k_translate_end(ir_builder *b, ir_value *const start[2], ir_value *const shape[2],
                       ir_value **out_y, ir_value **out_x);
d2k_endpoint d2k_endpoint_at(d2k *k, ir_builder *b, ir_value *memory,
                             ir_value *const index[3]);
void d2k_read(ir_builder *b, const d2k_endpoint *from, ir_value *to, ir_value *size,
              ir_value *noc);
void d2k_write(ir_builder *b, ir_value *from, const d2k_endpoint *to, ir_value *size,
               ir_value *noc);
/* Operands of a group, converted; returns their count. */
size_t d2k_group(d2k *k, ir_op *op, const char *name, ir_value **out, size_t max);
/* The manager of fabric connections of the function, NULL if it has none. */
ir_value *d2k_fabric(d2k *k);
ir_value *d2k_device_id(d2k *k, ir_builder *b, ir_value *const *position, size_t n);
/* The last device of a range; a condition that this device is in it. */
void d2k_device_end(ir_builder *b, ir_value *const *start, ir_value *const *shape, size_t n,
                    ir_value **out);
ir_value *d2k_in_devices(d2k *k, ir_builder *b, ir_value *const *start,
                         ir_value *const *end, size_t n);

d2k_convert_fn d2k_dma_read, d2k_dma_write, d2k_dma_wait;
d2k_convert_fn d2k_semaphore_update, d2k_semaphore_wait, d2k_device_synchronize;
d2k_convert_fn d2k_copy_rows;

#endif
