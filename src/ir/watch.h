/* watch.h: observers of a context's passes and rewrites: validation of passes, reports of
 * what each changed. */
#ifndef TILEWRIGHT_IR_WATCH_H
#define TILEWRIGHT_IR_WATCH_H

#include "ir/context.h"

typedef struct ir_watch {
    struct ir_watch *next; /* the one that is called after this, or NULL */
    /* Each may be NULL.  `op` is the operation that the pass runs on. */
    void (*before_pass)(struct ir_watch *watch, const char *pass, ir_op *op);
    /* Called after a pass that succeeded; false after a diagnostic fails the pass. */
    bool (*after_pass)(struct ir_watch *watch, const char *pass, ir_op *op);
    /* A pattern, or with NULL a folder, has rewritten an operation of this name; the
     * operation itself may be erased. */
    void (*rewrote)(struct ir_watch *watch, void (*rule)(void), const char *op, ir_loc loc);
} ir_watch;

/* The first observer; NULL: none. */
void ir_context_set_watch(ir_context *ctx, ir_watch *watch);
ir_watch *ir_context_watch(const ir_context *ctx);

/* Calls the observers. */
void ir_watch_before_pass(ir_context *ctx, const char *pass, ir_op *op);
bool ir_watch_after_pass(ir_context *ctx, const char *pass, ir_op *op);
void ir_watch_rewrote(ir_context *ctx, void (*rule)(void), const char *op, ir_loc loc);

#endif
