/* rewrite.h: pattern rewriting.
 *
 * A pattern is a function on operations of one row; it either changes nothing and returns
 * false, or changes the IR through the rewriter and returns true.  Patterns never report
 * errors: the pass decides how to treat a failure to match. */
#ifndef TILEWRIGHT_IR_REWRITE_REWRITE_H
#define TILEWRIGHT_IR_REWRITE_REWRITE_H

#include "ir/op.h"

typedef struct rw_rewriter {
    ir_builder b; /* placed before the matched operation, with its location */
    struct rw_driver *driver;
    void *user; /* of rw_options */
} rw_rewriter;

typedef bool rw_pattern_fn(ir_op *op, rw_rewriter *rw);

typedef struct rw_pattern {
    const ir_op_def *root; /* NULL: any operation */
    rw_pattern_fn *apply;
    const char *name; /* for canonicalize{disable-patterns=...}; may be NULL */
} rw_pattern;

/* A dialect's canonical patterns. */
typedef struct rw_pattern_table {
    const rw_pattern *at;
    size_t count;
} rw_pattern_table;

/* Replaces the results and erases the operation. */
void rw_replace(rw_rewriter *rw, ir_op *op, ir_value *const *values, size_t count);
void rw_replace1(rw_rewriter *rw, ir_op *op, ir_value *value);
/* The same where the value may be one that was there before: false, and nothing is done, if
 * it may be written later (rw_is_kept). */
bool rw_replace_if_kept(rw_rewriter *rw, ir_op *op, ir_value *value);
/* Moves a block's operations, except its terminator, before the operation; the terminator's
 * operands replace the results. */
void rw_replace_by_block(rw_rewriter *rw, ir_op *op, ir_block *block);
void rw_erase(rw_rewriter *rw, ir_op *op);
/* Clones the operation with its regions before it, to be modified. */
ir_op *rw_copy(rw_rewriter *rw, ir_op *op);
/* Notifies the driver that a pattern changed the operation in place. */
void rw_modified(rw_rewriter *rw, ir_op *op);
/* Replaces uses of a value, revisiting the users. */
void rw_replace_uses(rw_rewriter *rw, ir_value *from, ir_value *to);

/* Simplification of regions' control flow between iterations. */
typedef enum rw_regions {
    RW_REGIONS_NORMAL, /* removes unreachable blocks and dead block arguments */
    RW_REGIONS_DISABLED,
} rw_regions;

typedef struct rw_options {
    int max_iterations;   /* 0: 10; negative: no limit */
    int64_t max_rewrites; /* per iteration; 0: no limit */
    bool no_fold;         /* patterns only */
    bool no_dce;
    bool no_constant_cse; /* constants keep their positions */
    bool bottom_up;
    rw_regions regions;
    /* For patterns that run code which may free operations without the driver's knowledge:
     * receives the driver, for rw_forget; and is asked after each pattern whether to stop.
     * May be NULL. */
    struct rw_driver **driver;
    const bool *stop;
    bool *converged; /* set to whether the last iteration changed nothing; may be NULL */
    void *user;
} rw_options;

/* Applies the patterns and the rows' folders below `root` until nothing changes.
 * Returns whether anything changed. */
bool rw_greedy(ir_op *root, const rw_pattern *patterns, size_t count,
               const rw_options *options);

/* Notifies the driver that an operation (or a block, which is ignored) was freed. */
void rw_forget(struct rw_driver *driver, const void *thing);

/* True if an unused operation may be removed. */
bool rw_is_trivially_dead(const ir_op *op);
/* The constant value of a value defined by a constant-like operation, or NULL. */
ir_attr rw_constant(const ir_value *v);
/* The region that constants are hoisted to: the outermost one below an isolated
 * operation or one that keeps constants. */
ir_region *rw_constants_home(ir_block *block);

/* Operands of a branch: [control][for successor 0][for successor 1]...  The rows with
 * successors keep a segment per successor at the end; cf.br has one. */
bool rw_successor_operands(const ir_op *op, uint16_t successor, size_t *start,
                           size_t *count);

/* Removes unreachable blocks, and dead arguments and operations in regions of several
 * blocks; nested regions too.  Returns whether anything changed. */
bool rw_simplify_regions(ir_op *root);

#endif
