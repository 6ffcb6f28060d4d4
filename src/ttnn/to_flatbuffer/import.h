/* ttnn/to_flatbuffer/import.h: a .ttnn as a module in the TTNN dialect again.
 *
 * The way back of emit.h, by the same rows: code that runs or lowers TTNN IR can so run a
 * binary, also one that tt-mlir wrote.  What binaries do not keep (argument
 * attributes, the collapsing of shapes into memory) takes the form that the layout pass
 * gives it. */
#ifndef TILEWRIGHT_TTNN_TO_FLATBUFFER_IMPORT_H
#define TILEWRIGHT_TTNN_TO_FLATBUFFER_IMPORT_H

#include "ir/op.h"
#include "ttnn/to_flatbuffer/ttnn_program.h"

/* The file has passed fb_ttnn_open.  The module is verified; TW_UNSUPPORTED names an
 * operation that has no way back.  `numbered`: operations carry their numbers in the file
 * as an attribute, which copies of them keep, too. */
tw_status fb_import_ttnn(ir_context *ctx, const fb_ttnn *file, bool numbered,
                         ir_op **out_module) TW_NODISCARD;
/* The numbers of its program and of the operation in it, which a numbered import left; -1
 * where there are none. */
void fb_imported_place(const ir_op *op, int64_t *out_program, int64_t *out_operation);
/* Gives `to` the numbers of `from`. */
void fb_copy_place(ir_op *to, const ir_op *from);

#endif
