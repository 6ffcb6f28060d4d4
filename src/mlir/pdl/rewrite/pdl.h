/* pdl.h: patterns written in the pdl dialect, matched and applied as they stand.
 *
 * A set is compiled once: each pattern's operations are put in the order in which they are
 * found, starting from its root.  Functions that the patterns name are the caller's; they
 * may change the program as they like, if the frame is told what was freed. */
#ifndef TILEWRIGHT_MLIR_PDL_REWRITE_PDL_H
#define TILEWRIGHT_MLIR_PDL_REWRITE_PDL_H

#include "ir/rewrite/rewrite.h"

typedef enum pdl_kind {
    PDL_KIND_ATTRIBUTE,
    PDL_KIND_OPERATION,
    PDL_KIND_TYPE,
    PDL_KIND_VALUE
} pdl_kind;

/* What a handle stands for; of a range there may be any number. */
typedef struct pdl_bound {
    pdl_kind kind;
    bool range;
    bool set;
    uint32_t count;
    const void **items;  /* ir_attr, ir_op, ir_type or ir_value; NULL: erased meanwhile */
    const void **owners; /* of values: the operation or block that they are of */
} pdl_bound;

typedef enum pdl_verdict {
    PDL_NO,   /* it does not match, or a function said that it failed */
    PDL_YES,  /* it matched; the rewrite is done */
    PDL_STOP, /* an error was reported: nothing more may be applied */
} pdl_verdict;

typedef struct pdl_frame pdl_frame;

/* A function by name.  `at` is the matched operation (NULL: erased meanwhile).  Results
 * are declared by kind and range and are to be bound with pdl_bind. */
typedef struct pdl_call {
    ir_ident name;
    bool constraint;
    ir_op *at;
    const pdl_bound *args;
    size_t n_args;
    pdl_bound *results;
    size_t n_results;
    pdl_frame *frame;
} pdl_call;
typedef struct pdl_natives {
    pdl_verdict (*call)(void *user, const pdl_call *call);
    void *user;
    pdl_frame *frame; /* the one at work: to be told what is freed */
} pdl_natives;

typedef struct pdl_pattern pdl_pattern;
typedef struct pdl_patterns pdl_patterns;

/* Takes the module over, whether it succeeds or not.  NULL: reported. */
pdl_patterns *pdl_patterns_create(ir_op *module);
void pdl_patterns_free(pdl_patterns *set);
size_t pdl_patterns_count(const pdl_patterns *set); /* in the order of the text */
const pdl_pattern *pdl_patterns_at(const pdl_patterns *set, size_t i);
int64_t pdl_pattern_benefit(const pdl_pattern *p);
const ir_op_def *pdl_pattern_root(const pdl_pattern *p); /* NULL: any operation */
/* Names of functions that the patterns call: visits each use until one answers false. */
typedef bool pdl_name_fn(void *user, ir_op *op, ir_ident name, bool constraint);
bool pdl_patterns_each_name(const pdl_patterns *set, pdl_name_fn *visit, void *user);

/* Tries the pattern at an operation. */
pdl_verdict pdl_apply(const pdl_pattern *p, ir_op *op, rw_rewriter *rw,
                      pdl_natives *natives);

/* Binds `count` things of the result's kind. */
void pdl_bind(pdl_frame *frame, pdl_bound *to, const void *const *items, size_t count);
/* An operation or block was freed. */
void pdl_frame_freed(pdl_frame *frame, const void *thing);

#endif
