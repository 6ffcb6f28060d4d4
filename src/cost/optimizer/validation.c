/* validation.c: ttnn-operation-validation-and-fallback: allocates tensors in L1 as the
 * device does, first fit, an operation after the other; what finds no gap is computed into
 * DRAM. */
#include "cost/optimizer/optimizer.h"

#include "ttnn/ttnn.h"

#include <stdlib.h>

typedef struct held {
    int64_t address, bytes;
    size_t last;
} held;

typedef struct bank {
    held *at; /* sorted by address */
    size_t n, capacity;
    int64_t bytes;
} bank;

static void release_ended(bank *b, size_t position)
{
    size_t kept = 0;
    for (size_t i = 0; i < b->n; i++)
        if (b->at[i].last >= position)
            b->at[kept++] = b->at[i];
    b->n = kept;
}

/* False if no gap is large enough. */
static bool allocate(bank *b, int64_t bytes, size_t last)
{
    int64_t at = 0;
    size_t i = 0;
    for (; i < b->n && b->at[i].address - at < bytes; i++)
        at = b->at[i].address + b->at[i].bytes;
    if (bytes > b->bytes - at)
        return false;
    const held made = {at, bytes, last};
    TW_PUSH(b->at, b->n, b->capacity, made);
    memmove(b->at + i + 1, b->at + i, (b->n - 1 - i) * sizeof *b->at);
    b->at[i] = made;
    return true;
}

static bool no_gap(ir_op *op, int64_t bytes)
{
    return ir_op_error(op,
                       "override-output-layout keeps this result in L1, where no gap of "
                       "%lld bytes is left; put it or what lives beside it into DRAM",
                       (long long)bytes);
}

static bool validate(const opt_chip *chip, ir_op *func, size_t *moved)
{
    bool ok = true;
    bank b = {.bytes = chip->bytes -
                       ir_op_int(ir_op_parent(func), "ttnn.l1_const_eval_usage", 0)};
    opt_ranges r;
    size_t next = 0;
    opt_find_ranges(chip, func, &r);
    for (size_t i = 0; ok && i < r.n_ops && next < r.n; i++) {
        release_ended(&b, i);
        for (; ok && next < r.n && r.at[next].first == i; next++) {
            if (allocate(&b, r.at[next].bytes, r.at[next].last))
                continue;
            if (opt_is_kept_in_l1(chip, r.at[next].v)) {
                ok = no_gap(r.ops[i], r.at[next].bytes);
                continue;
            }
            opt_place(r.at[next].v, TTNN_BufferType_DRAM);
            (*moved)++;
        }
    }
    opt_free_ranges(&r);
    free(b.at);
    return ok;
}

static bool run_on(opt_chip *chip, ir_op *func, pass_run *run)
{
    size_t moved = 0;
    const bool ok = validate(chip, func, &moved);
    pass_count(run, "moved", "tensors that found no gap in L1", moved);
    return ok;
}

static bool run(ir_op *module, pass_run *run)
{
    return opt_each(module, run, TW_STR("1"), run_on);
}

const pass_def ttnn_operation_validation_and_fallback_pass = {
    .name = "ttnn-operation-validation-and-fallback",
    .title = "TTNNOperationValidationAndFallback",
    .summary = "Allocate tensors in L1 as the device does; others go to DRAM",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(pass_option_def, OPT_WHEN),
};
