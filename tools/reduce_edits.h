/* reduce_edits.h: what `tilewright reduce` takes away. */
#ifndef TILEWRIGHT_TOOLS_REDUCE_EDITS_H
#define TILEWRIGHT_TOOLS_REDUCE_EDITS_H

#include "ir/op.h"

/* All operations inside a module but terminators, owners before what is inside. */
typedef struct reduce_ops {
    ir_op **at;
    size_t count, capacity;
} reduce_ops;
void reduce_list(ir_op *module, reduce_ops *list);

/* Changes operations [first, first + count) of the list; how many things went away. */
typedef size_t reduce_edit(const reduce_ops *list, size_t first, size_t count);
extern reduce_edit *const reduce_edits[]; /* up to NULL */

#endif
