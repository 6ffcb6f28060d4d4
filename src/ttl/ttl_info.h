/* ttl_info.h: what several passes ask about ttl operations. */
#ifndef TILEWRIGHT_TTL_TTL_INFO_H
#define TILEWRIGHT_TTL_TTL_INFO_H

#include "ttcore/ttcore_tile.h"
#include "ttkernel/elementwise.h"
#include "ttkernel/ttkernel_layout.h"
#include "ttl/ttl.h"

enum { TTL_MAX_BUFFERS = 32 };

/* The circular buffer that a tensor's pages lie in: of ttl.attach_cb, ttl.cb_wait, or
 * behind casts; NULL if it has none. */
ir_value *ttl_attached_cb(ir_value *tensor);
/* The value behind unrealized casts of one value. */
ir_value *ttl_behind_casts(ir_value *v);

/* The tensor of a !ttl.block; any other type is itself.  The block that a buffer gives. */
ir_type ttl_block_tensor(ir_type t);
ir_type ttl_block_of_cb(ir_type cb);
/* The same block with a memref for its tensor; other types are themselves. */
ir_type ttl_block_in_memory(ir_type t);

/* Of a !ttl.cb: tiles of one block, of the whole buffer (at most TW_PRODUCT_MAX), and the
 * shape's extents. */
int64_t ttl_cb_block_size(ir_type cb);
int64_t ttl_cb_capacity(ir_type cb);
size_t ttl_cb_rank(ir_type cb);
int64_t ttl_cb_dim(ir_type cb, size_t i);
ir_type ttl_cb_element(ir_type cb);

/* The buffer that an operand names: itself, or that of a block or tensor of one. */
ir_value *ttl_buffer_of(const ir_op *op, uint32_t operand);
/* What makes a buffer, behind ttl.reshape_cb; NULL of an argument. */
ir_op *ttl_bind_of(ir_value *cb);
/* How many pages a block of a buffer consists of: tiles are pages; of numbers in rows a
 * page has as many as a tile, or all where that does not come out even.  A ttl.bind_cb with
 * `ttl.padded` has pages of a tile's numbers anyway, the last one not full.  That numbers
 * lie in rows is given by `ttl.rows`, which the lowering sets where it sees a copy from or
 * to such a tensor; else each element of a block is a page. */
int64_t ttl_block_pages(ir_value *cb);
/* The bytes of a block of a !ttl.cb without that, 0 if unknown. */
int64_t ttl_block_bytes(ir_type cb);
/* The bytes of all blocks, at most TW_PRODUCT_MAX. */
int64_t ttl_cb_bytes(ir_type cb);

/* How an element-wise operation runs at the level of tiles.  `tensor` works on blocks,
 * `tile` in the body of a ttl.compute. */
typedef enum ttl_form {
    TTL_UNARY,        /* in place in DST */
    TTL_UNARY_CAST,   /* the same, to another type */
    TTL_UNARY_NUMBER, /* the same, with a number: the attribute `value` */
    TTL_UNARY_POWER,  /* with an integer: `value` */
    TTL_UNARY_FILL,   /* of an integer only, `value` */
    TTL_UNARY_RANGE,  /* with two: `min` and `max` */
    TTL_BINARY,       /* two of DST to a third */
    TTL_TERNARY       /* three of DST to a fourth */
} ttl_form;

/* A row of ttkernel/elementwise.def. */
typedef struct ttl_elementwise {
    const char *name, *meaning; /* meaning: one line, NULL if Python has no such function */
    const ir_op_def *tensor, *tile;
    const ir_op_def *init, *compute; /* of ttkernel; NULL: it is for integers only */
    ttl_form form;
    elementwise_padding padding;
    uint8_t n_numbers; /* that `compute` takes behind the registers, always the same */
    int32_t numbers[2];
    const ir_op_def *int_init, *int_compute; /* on tiles of integers; NULL: it has none */
    bool is_signed;                          /* and reads them as signed ones of 32 bits */
} ttl_elementwise;

/* The row of a tensor-level or tile-level operation, or NULL. */
const ttl_elementwise *ttl_elementwise_of(const ir_op_def *def);
/* The row whose tiles an operation of TTKernel computes, or NULL. */
const ttl_elementwise *ttl_elementwise_computed_by(const ir_op_def *compute);
/* All rows, one after the other; NULL behind the last. */
const ttl_elementwise *ttl_elementwise_at(size_t i);
/* The names of the attributes that hold its numbers, up to the first NULL. */
const char *const *ttl_number_names(ttl_form form);

/* Operations on blocks whose tile form reads circular buffers, not DST, so that only blocks
 * in buffers can be their operands. */
typedef struct ttl_buffer_op {
    const ir_op_def *tensor, *tile;
    bool accumulates; /* adds to what its register holds */
} ttl_buffer_op;

/* The row of a tensor-level operation, or of a tile-level one, or NULL. */
const ttl_buffer_op *ttl_buffer_op_of(const ir_op_def *def);
const ttl_buffer_op *ttl_buffer_op_of_tile(const ir_op_def *def);

/* Tile operations that compute, by what they read: unary ones overwrite their input in
 * DST, some read circular buffers directly. */
bool ttl_is_tile_compute(const ir_op *op);
bool ttl_is_tile_unary(const ir_op *op);
bool ttl_reads_cb(const ir_op *op);

/* The function around an operation. */
ir_op *ttl_function_of(ir_op *op);

#endif
