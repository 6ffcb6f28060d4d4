/* module.h: the contents of a tw_module, for what builds one and what takes one over. */
#ifndef TILEWRIGHT_PIPELINES_MODULE_H
#define TILEWRIGHT_PIPELINES_MODULE_H

#include "ir/op.h"
#include "tilewright/module.h"

struct tw_module {
    ir_context *ctx;
    ir_op *op;     /* builtin.module */
    bool verified; /* since it was built or changed */
    bool passed;   /* passes have run on it */
};

/* An empty module in a context with every dialect. */
tw_module *tw_module_create(void);
/* Takes the operation, which the caller then owns with its context, and frees the rest. */
ir_op *tw_module_take(tw_module *module, ir_context **out_ctx);

#endif
