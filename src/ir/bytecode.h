/* ir/bytecode.h: reading and writing MLIR's bytecode.
 *
 * Format versions 0 to 6.  ir_parse recognises bytecode by its first bytes, so that every
 * tool that reads text reads it too. */
#ifndef TILEWRIGHT_IR_BYTECODE_H
#define TILEWRIGHT_IR_BYTECODE_H

#include "ir/op.h"

enum { IR_BYTECODE_VERSION = 6 };

bool ir_is_bytecode(tw_str bytes);
/* The operation in the file, unverified; NULL after diagnostics that name the offset. */
ir_op *ir_bytecode_read(ir_context *ctx, tw_str bytes, const char *name);

typedef struct ir_bytecode_options {
    int version;          /* of the format, 0 to IR_BYTECODE_VERSION */
    const char *producer; /* NULL: this library */
    bool use_orders;      /* write use-list orders, which our reader ignores */
} ir_bytecode_options;
/* Appends the operation; false after a diagnostic.  Equal programs give equal bytes. */
bool ir_bytecode_write(ir_op *op, const ir_bytecode_options *options, tw_strbuf *out);

#endif
