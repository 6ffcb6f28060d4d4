/* grid/machine/launch.h: the host's side: tensors between host and device, and programs. */
#ifndef TILEWRIGHT_GRID_MACHINE_LAUNCH_H
#define TILEWRIGHT_GRID_MACHINE_LAUNCH_H

#include "grid/machine/program.h"

/* ---- tensors (buffer.c) ------------------------------------------------------------ */

/* An array in host memory, row-major. */
typedef struct dev_array {
    tw_dtype dtype;
    int64_t rows, columns; /* leading dimensions folded */
    size_t bytes;
    uint8_t *data;
    ir_type padded; /* the type if it has a #ttcore.host_layout, else NULL */
    bool as_pages;  /* its bytes are a tensor's pages one after the other, not rows */
} dev_array;

/* The element type of a host array or of a tile. */
bool dev_element_type(ir_type t, tw_dtype *out, bool *out_tiled);
bool dev_array_describe(ir_type t, dev_array *out);
/* The strides of an array, in elements: row-major, or those of a #ttcore.host_layout, which
 * must lie within its volume. */
bool dev_array_strides(ir_type t, int64_t out[DEV_MAX_SHARD_DIMS]);
/* Creates a tensor of a device memref at an address; false after a diagnostic at `op`. */
bool dev_buffer_create(dev_machine *m, ir_op *op, ir_type type, uint64_t address,
                       size_t *out_index);
/* Creates a tensor from a description (space, format, shards, address unless it is to be
 * chosen); each core or bank holds `copies` of a shard. */
tw_status dev_buffer_add(dev_machine *m, dev_buffer b, bool choose_address, int64_t copies,
                         size_t *out_index);
void dev_buffer_remove(dev_machine *m, size_t index);
/* True if the array has as many bytes as the tensor's pages. */
bool dev_has_pages_of(const dev_machine *m, size_t buffer, const dev_array *a);
tw_status dev_buffer_write(dev_machine *m, size_t buffer, const dev_array *from);
/* Marks its bytes as never written; the host reads zeros. */
void dev_buffer_empty(dev_machine *m, size_t buffer);
/* Copies the data even if parts of it were never written, which is an error. */
tw_status dev_buffer_read(dev_machine *m, size_t buffer, const dev_array *to);

/* ---- programs (launch.c) ----------------------------------------------------------- */

/* Meaning of an operand of the host function. */
typedef struct dev_operand {
    enum {
        DEV_OPERAND_NONE,
        DEV_OPERAND_BUFFER,
        DEV_OPERAND_SEMAPHORE,
        DEV_OPERAND_NUMBER,
        DEV_OPERAND_GLOBAL_SEMAPHORE
    } kind;
    int64_t value; /* index of a buffer; id, address of a semaphore; a number's bits */
} dev_operand;

/* The rectangle around the cores whose kernels name a circular buffer, in all programs that
 * have it; size 0 if one does not say, since its kernels may know the port. */
void dev_cb_only(const ir_value *buffer, int64_t at[2], int64_t size[2]);
/* Runs one ttmetal.enqueue_program with the meanings of its operands. */
tw_status dev_launch(dev_machine *m, ir_op *op, const dev_operand *operands,
                     tw_strbuf *profile, tw_strbuf *json, tw_strbuf *html);

#endif
