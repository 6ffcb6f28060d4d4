/* device/launch.h: the host's side: tensors between host and device, and programs. */
#ifndef TILEWRIGHT_DEVICE_LAUNCH_H
#define TILEWRIGHT_DEVICE_LAUNCH_H

#include "device/code.h"

/* ---- tensors (buffer.c) ------------------------------------------------------------ */

/* An array in host memory, row-major. */
typedef struct dev_array {
    tw_dtype dtype;
    int64_t rows, columns; /* leading dimensions folded */
    size_t bytes;
    uint8_t *data;
} dev_array;

/* The element type of a host array or of a tile. */
bool dev_element_type(ir_type t, tw_dtype *out, bool *out_tiled);
bool dev_array_describe(ir_type t, dev_array *out);
/* Makes a tensor of a device memref at an address; false after a diagnostic at `op`. */
bool dev_buffer_create(dev_machine *m, ir_op *op, ir_type type, uint64_t address,
                       size_t *out_index);
bool dev_buffer_write(dev_machine *m, ir_op *op, size_t buffer, const dev_array *from);
bool dev_buffer_read(dev_machine *m, ir_op *op, size_t buffer, const dev_array *to);

/* ---- programs (launch.c) ----------------------------------------------------------- */

/* What an operand of the host function stands for. */
typedef struct dev_operand {
    enum {
        DEV_OPERAND_NONE,
        DEV_OPERAND_BUFFER,
        DEV_OPERAND_SEMAPHORE,
        DEV_OPERAND_NUMBER
    } kind;
    int64_t value; /* buffer's index; semaphore; number */
} dev_operand;

/* Runs one ttmetal.enqueue_program.  `operands` are its operands' meanings. */
tw_status dev_launch(dev_machine *m, ir_op *op, const dev_operand *operands,
                     tw_strbuf *profile);

#endif
