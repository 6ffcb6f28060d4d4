/* reduce_edits.h: the edits of `tilewright reduce`. */
#ifndef TILEWRIGHT_TOOLS_REDUCE_EDITS_H
#define TILEWRIGHT_TOOLS_REDUCE_EDITS_H

#include "ir/op.h"

/* All operations inside a module except terminators, owners before nested ones. */
typedef struct reduce_ops {
    ir_op **at;
    size_t count, capacity;
} reduce_ops;
void reduce_list(ir_op *module, reduce_ops *list);

/* Edits operations [first, first + count) of the list; returns the number of removed
 * things. */
typedef size_t reduce_edit(const reduce_ops *list, size_t first, size_t count);
extern reduce_edit *const reduce_edits[]; /* up to NULL */

#endif
