/* optimizer.h: which tensors stay in L1, by the model of an operation's time.
 *
 * Four passes: ttnn-override-conv-configs sets what the user decides,
 * ttnn-greedy-memory-layout-propagation asks for L1 where the model is faster
 * with it, ttnn-greedy-l1-spill-management takes back what the cores' L1 cannot hold,
 * ttnn-operation-validation-and-fallback allocates as the device does and moves to DRAM
 * what does not fit. Layouts decide where bytes are, never their values. */
#ifndef TILEWRIGHT_COST_OPTIMIZER_OPTIMIZER_H
#define TILEWRIGHT_COST_OPTIMIZER_OPTIMIZER_H

#include "cost/cost.h"
#include "ir/pass/pass.h"

/* Where the user wants the result of the operation of that name (overrides.c). */
typedef struct opt_pin {
    tw_str name;
    int64_t buffer; /* TTNN_BufferType_L1, _DRAM; -1: the optimizer chooses */
    int64_t memory; /* TTNN_TensorMemoryLayout_* of shards; 0: interleaved */
    bool met;       /* an operation has the name, and its result is there */
    ir_op *refused; /* one whose result cannot be there */
} opt_pin;

typedef struct opt_pins {
    opt_pin *at;
    size_t n, capacity;
    bool placed; /* each must have been met */
} opt_pins;

typedef struct opt_chip {
    cost_model model;
    int64_t banks, bytes, align; /* of L1 */
    int64_t grid[2];             /* rows and columns of cores */
    double usable;               /* bytes of each core for tensors and buffers */
    opt_pins pins;
} opt_chip;

/* When the passes do something: enabled, or from level 1; and what is decided before. */
#define OPT_WHEN                                                                           \
    {"enable", PASS_BOOL, "true", "Do something"},                                         \
        {"level", PASS_INT, "0", "From 1 on, do something in any case"},                   \
    {                                                                                      \
        "override-output-layout", PASS_STRING, "", "name=l1 or name=dram, ..."             \
    }
bool opt_is_on(const pass_run *run);
/* Reads override-output-layout; false after a diagnostic. The caller frees `at`. */
bool opt_read_pins(ir_op *module, tw_str text, opt_pins *out);
/* The pin of the value's operation; NULL if it has none. */
opt_pin *opt_pin_of(const opt_chip *chip, const ir_value *v);
bool opt_is_kept_in_l1(const opt_chip *chip, const ir_value *v);
/* False after a diagnostic about a pin that is not met. */
bool opt_check_pins(const opt_chip *chip, ir_op *module);
/* Calls `on` for each forward function of one block, if the pass is on, until it returns
 * false. `cap`: the share of L1 that is used. False after a diagnostic. */
bool opt_each(ir_op *module, pass_run *run, tw_str cap,
              bool (*on)(opt_chip *chip, ir_op *func, pass_run *run));

/* True if the value may be in L1: an interleaved tensor of tiles that an operation computes
 * and that only operations read which take such operands. */
bool opt_may_be_in_l1(const ir_value *v);
/* The value's type in shards of that TTNN_TensorMemoryLayout over as many cores as have
 * tiles; NULL if it or an operation around it does not take shards. */
ir_type opt_sharded(const opt_chip *chip, const ir_value *v, int64_t memory);
bool opt_is_in_l1(const ir_value *v);
int64_t opt_memory(const ir_value *v);       /* TTNN_TensorMemoryLayout_* */
void opt_place(ir_value *v, int64_t buffer); /* TTNN_BufferType_L1 or _DRAM, interleaved */
/* Bytes that the value takes, or would take, of each core's L1. */
int64_t opt_l1_bytes(const opt_chip *chip, const ir_value *v);
/* Cycles of the value's operation and of those that read it. */
double opt_cycles_around(opt_chip *chip, const ir_value *v);

/* row_major.c: lets operations that move elements read rows instead of tiles made of them;
 * how many do. */
size_t opt_move_rows(opt_chip *chip, ir_op *func);
/* True if the operation only moves elements, of rows as of tiles. */
bool opt_moves_rows(const ir_op *op);

/* A function's live ranges: operations are numbered from 0. */
typedef struct opt_range {
    ir_value *v;
    size_t first, last; /* where it is computed, where it is read for the last time */
    int64_t bytes;
} opt_range;

typedef struct opt_ranges {
    opt_range *at; /* of values in L1, by `first` */
    size_t n, capacity;
    ir_op **ops;
    size_t n_ops, ops_capacity;
} opt_ranges;

void opt_find_ranges(const opt_chip *chip, ir_op *func, opt_ranges *out);
void opt_free_ranges(opt_ranges *r);

#endif
