/* propagation.c: ttnn-greedy-memory-layout-propagation: a result is asked to be in L1 where
 * the model says that its operation and those that read it are faster so.
 *
 * In the order of the program, twice: an operation's operands are decided before its result
 * is, and then beside it. Shards are tiles that each core has of its own; operations on
 * operands in equal shards send nothing. Whether all of it fits is the next pass's
 * question. */
#include "cost/optimizer/optimizer.h"

#include "ttnn/ttnn.h"

#include <math.h>
#include <stdlib.h>

/* Puts the value where the user wants it. */
static void place_pinned(const opt_chip *chip, opt_pin *pin, ir_value *v)
{
    const ir_type shards = pin->memory ? opt_sharded(chip, v, pin->memory) : NULL;
    if (pin->buffer == TTNN_BufferType_L1 &&
        (!opt_may_be_in_l1(v) || (pin->memory && !shards))) {
        pin->refused = ir_value_def(v);
        return;
    }
    pin->met = true;
    if (shards)
        v->type = shards;
    else if (pin->buffer == TTNN_BufferType_L1)
        opt_place(v, TTNN_BufferType_L1);
}

/* ---- values that are decided together ------------------------------------------------ */

enum { MAX_VIEWS = 8, DRAM = 0, L1 = 1, CHOICES = 5 };

/* A value and views of it, which are free where all are in the same memory. */
typedef struct family {
    ir_value *at[MAX_VIEWS];
    ir_type choices[CHOICES][MAX_VIEWS];
    size_t n;
} family;

static bool is_member(const family *f, const ir_value *v)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->at[i] == v)
            return true;
    return false;
}

static bool is_decided(const opt_chip *chip, const ir_value *v)
{
    const opt_pin *pin = opt_pin_of(chip, v);
    return (!pin || pin->buffer < 0) && opt_may_be_in_l1(v);
}

static void add_views(const opt_chip *chip, family *f)
{
    for (size_t i = 0; i < f->n; i++)
        for (ir_operand *use = f->at[i]->uses; use && f->n < MAX_VIEWS; use = use->next_use)
            if (cost_is_view(use->owner) && is_decided(chip, &use->owner->results[0]))
                f->at[f->n++] = &use->owner->results[0];
}

/* Cycles, of choices that take as many those that move fewer bytes. */
static double weight_of(opt_chip *chip, const ir_op *op)
{
    const double per_byte = 1e-9;
    const op_cost c = cost_of_op(&chip->model, op);
    return c.cycles + per_byte * c.noc_bytes;
}

/* Of the operations that compute or read members, each once. */
static double cycles_of(opt_chip *chip, const family *f)
{
    double cycles = weight_of(chip, ir_value_def(f->at[0]));
    for (size_t i = 0; i < f->n; i++)
        for (const ir_operand *use = f->at[i]->uses; use; use = use->next_use) {
            size_t first = 0;
            while (!is_member(f, use->owner->operands[first].value))
                first++;
            if (first == ir_operand_number(use))
                cycles += weight_of(chip, use->owner);
        }
    return cycles;
}

static void find_choices(const opt_chip *chip, family *f)
{
    static const int64_t kinds[] = {TTNN_TensorMemoryLayout_HeightSharded,
                                    TTNN_TensorMemoryLayout_BlockSharded,
                                    TTNN_TensorMemoryLayout_WidthSharded};
    static_assert(TW_COUNT(kinds) == CHOICES - 2, "a choice for each kind of shards");
    for (size_t i = 0; i < f->n; i++) {
        ir_value *v = f->at[i];
        f->choices[DRAM][i] = v->type;
        opt_place(v, TTNN_BufferType_L1);
        f->choices[L1][i] = v->type;
        v->type = f->choices[DRAM][i];
        for (size_t k = 0; k < TW_COUNT(kinds); k++)
            f->choices[L1 + 1 + k][i] = opt_sharded(chip, v, kinds[k]);
    }
}

/* False if a member cannot be so, or L1 has no room for it. */
static bool choose(opt_chip *chip, family *f, size_t choice)
{
    bool ok = true;
    for (size_t i = 0; i < f->n; i++)
        ok &= f->choices[choice][i] != NULL;
    for (size_t i = 0; ok && i < f->n; i++) {
        f->at[i]->type = f->choices[choice][i];
        ok = choice == DRAM || (double)opt_l1_bytes(chip, f->at[i]) <= chip->usable;
    }
    return ok;
}

/* Asks for the fastest of what it was, DRAM, interleaved L1 and shards in L1. */
static size_t decide(opt_chip *chip, family *f, size_t now, size_t n_choices)
{
    double least = cycles_of(chip, f);
    for (size_t i = 0; i < n_choices; i++) {
        const double cycles = choose(chip, f, i) ? cycles_of(chip, f) : INFINITY;
        if (cycles < least) {
            least = cycles;
            now = i;
        }
    }
    choose(chip, f, now);
    return now;
}

/* What is decided for a value changes what is best for those around it; in a second sweep
 * they are known. No choice makes the function slower. */
static void ask_for_l1(opt_chip *chip, ir_op *func, bool shards, size_t counts[2])
{
    family *families = NULL;
    size_t n = 0, capacity = 0;
    for (ir_op *op = ir_op_body(func, 0)->first; op; op = op->next)
        for (uint32_t i = 0; i < op->n_results; i++) {
            ir_value *v = &op->results[i];
            opt_pin *pin = opt_pin_of(chip, v);
            if (pin)
                place_pinned(chip, pin, v);
            bool known = !is_decided(chip, v) || opt_is_in_l1(v);
            for (size_t k = n; k-- > 0 && !known && cost_is_view(op);)
                known = is_member(&families[k], v);
            if (known)
                continue;
            family f = {.at = {v}, .n = 1};
            add_views(chip, &f);
            find_choices(chip, &f);
            TW_PUSH(families, n, capacity, f);
        }
    size_t *chosen = tw_xcalloc(n + 1, sizeof *chosen);
    for (int sweep = 0; sweep < 2; sweep++)
        for (size_t i = 0; i < n; i++)
            chosen[i] = decide(chip, &families[i], chosen[i], shards ? CHOICES : L1 + 1);
    for (size_t i = 0; i < n; i++) {
        counts[0] += chosen[i] >= L1 ? families[i].n : 0;
        counts[1] += chosen[i] > L1 ? families[i].n : 0;
    }
    free(chosen);
    free(families);
}

static bool run_on(opt_chip *chip, ir_op *func, pass_run *run)
{
    size_t counts[2] = {0};
    const size_t rows =
        pass_option_bool(run, "row-major-enabled") ? opt_move_rows(chip, func) : 0;
    pass_count(run, "rows", "operations that read rows instead of tiles", rows);
    ask_for_l1(chip, func,
               pass_option_bool(run, "enable-l1-sharding-layouts") ||
                   pass_option_int(run, "level") > 1,
               counts);
    pass_count(run, "asked", "tensors that are asked to be in L1", counts[0]);
    pass_count(run, "sharded", "of these in shards", counts[1]);
    chip->pins.placed = true;
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    return opt_each(module, run, pass_option_str(run, "tensor-l1-usage-cap"), run_on);
}

const pass_def ttnn_greedy_memory_layout_propagation_pass = {
    .name = "ttnn-greedy-memory-layout-propagation",
    .title = "TTNNGreedyMemoryLayoutPropagation",
    .summary = "Ask for tensors in L1 where the model of time is faster with them",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(
        pass_option_def, OPT_WHEN,
        {"tensor-l1-usage-cap", PASS_STRING, "0.95", "Share of L1 for tensors and buffers"},
        {"enable-l1-sharding-layouts", PASS_BOOL, "true",
         "Try shards in L1 too, as from level 2 on"},
        {"row-major-enabled", PASS_BOOL, "false",
         "Move rows where tiles are made of them for that only"}),
};
