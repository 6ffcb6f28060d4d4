/* scalar.c: arithmetic on registers, and branches. */
#include "grid/units/code.h"

#include "mlir/arith/arith.h"
#include "mlir/memref/memref.h"
#include "support/bf16_f16.h"

#include <math.h>

static void tick(dev_thread *t)
{
    t->now += t->machine->chip->cost.issue_scalar;
}

uint32_t dev_run_moves(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    for (uint32_t i = 0; i < in->n; i += 2)
        t->reg[in->a[i]] = t->reg[in->a[i + 1]];
    return pc + 1;
}

uint32_t dev_run_jump(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    tick(t);
    return pc + (uint32_t)in->target;
}

/* Carries the time of operations that were moved away. */
uint32_t dev_run_time(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    (void)t, (void)in;
    return pc + 1;
}

uint32_t dev_run_await_bytes(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    (void)in;
    dev_await_bytes(t->machine);
    return pc + 1;
}

uint32_t dev_run_unless(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    tick(t);
    return DEV_REG(t, in, 0) & 1 ? pc + 1 : pc + (uint32_t)in->target;
}

uint32_t dev_run_for_test(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    int64_t iv = DEV_REG(t, in, 0), upper = DEV_REG(t, in, 1), step = DEV_REG(t, in, 2);
    if (step <= 0) {
        dev_report_at(t, DEV_ARGUMENT, in->op, NULL, "hardware would turn for ever",
                      "the loop's step is %lld", (long long)step);
        return pc + (uint32_t)in->target;
    }
    return (in->imm ? (uint64_t)iv < (uint64_t)upper : iv < upper)
               ? pc + 1
               : pc + (uint32_t)in->target;
}

/* The next value and its test; back to the first operation of the body. */
uint32_t dev_run_for_step(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    int64_t next, upper = DEV_REG(t, in, 1);
    if (__builtin_add_overflow(DEV_REG(t, in, 0), DEV_REG(t, in, 2), &next))
        next = INT64_MAX; /* ends the loop, as no bound is larger */
    DEV_REG(t, in, 0) = next;
    return (in->imm ? (uint64_t)next < (uint64_t)upper : next < upper)
               ? pc + (uint32_t)in->target
               : pc + 1;
}

uint32_t dev_run_timed_for_test(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    tick(t);
    return dev_run_for_test(t, in, pc);
}

uint32_t dev_run_timed_for_step(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    tick(t);
    return dev_run_for_step(t, in, pc);
}

/* ---- integers: imm is 64 less the width of the result ------------------------------ */

static int64_t wrap(uint64_t v, int64_t shift)
{
    return (int64_t)(v << shift) >> shift;
}

#define AS_UNSIGNED(v) ((uint64_t)(v) << in->imm >> in->imm)

#define BINARY(name, expression)                                                           \
    static uint32_t name(dev_thread *t, const dev_insn *in, uint32_t pc)                   \
    {                                                                                      \
        const int64_t a = DEV_REG(t, in, 0), b = DEV_REG(t, in, 1);                        \
        const uint64_t ua = AS_UNSIGNED(a), ub = AS_UNSIGNED(b);                           \
        (void)ua, (void)ub;                                                                \
        tick(t);                                                                           \
        t->reg[in->dst] = wrap((uint64_t)(expression), in->imm);                           \
        return pc + 1;                                                                     \
    }
/* Division: by zero and the one overflow are errors of the kernel. */
#define DIVISION(name, bad, expression)                                                    \
    static uint32_t name(dev_thread *t, const dev_insn *in, uint32_t pc)                   \
    {                                                                                      \
        const int64_t a = DEV_REG(t, in, 0), b = DEV_REG(t, in, 1);                        \
        const uint64_t ua = AS_UNSIGNED(a), ub = AS_UNSIGNED(b);                           \
        (void)ua, (void)ub;                                                                \
        tick(t);                                                                           \
        if (bad) {                                                                         \
            dev_report_at(t, DEV_ARGUMENT, in->op, NULL, DEV_DIVISION_NOTE,                \
                          "division of %lld by %lld", (long long)a, (long long)b);         \
            return pc + 1;                                                                 \
        }                                                                                  \
        t->reg[in->dst] = wrap((uint64_t)(expression), in->imm);                           \
        return pc + 1;                                                                     \
    }
#define OVERFLOWS (b == 0 || (b == -1 && a == INT64_MIN >> in->imm))

BINARY(run_addi, (uint64_t)a + (uint64_t)b)
BINARY(run_subi, (uint64_t)a - (uint64_t)b)
BINARY(run_muli, (uint64_t)a *(uint64_t)b)
BINARY(run_andi, a &b)
BINARY(run_ori, a | b)
BINARY(run_xori, a ^ b)
BINARY(run_maxsi, TW_MAX(a, b))
BINARY(run_minsi, TW_MIN(a, b))
BINARY(run_maxui, TW_MAX(ua, ub))
BINARY(run_minui, TW_MIN(ua, ub))
DIVISION(run_divsi, OVERFLOWS, a / b)
DIVISION(run_remsi, OVERFLOWS, a % b)
DIVISION(run_divui, ub == 0, ua / ub)
DIVISION(run_remui, ub == 0, ua % ub)
DIVISION(run_ceildivsi, OVERFLOWS, a / b + (a % b != 0 && (a < 0) == (b < 0)))
DIVISION(run_floordivsi, OVERFLOWS, a / b - (a % b != 0 && (a < 0) != (b < 0)))
DIVISION(run_ceildivui, ub == 0, ua / ub + (ua % ub != 0))

/* Shifts by the width or more: the core takes only the lowest bits of the amount. */
#define SHIFT(name, expression)                                                            \
    static uint32_t name(dev_thread *t, const dev_insn *in, uint32_t pc)                   \
    {                                                                                      \
        const int64_t a = DEV_REG(t, in, 0), b = DEV_REG(t, in, 1);                        \
        const uint64_t ua = AS_UNSIGNED(a), ub = AS_UNSIGNED(b);                           \
        (void)ua;                                                                          \
        tick(t);                                                                           \
        if (ub >= 64 - (uint64_t)in->imm) {                                                \
            dev_report_at(t, DEV_ARGUMENT, in->op, NULL, DEV_SHIFT_NOTE,                   \
                          "a number of %d bits is shifted by %lld", 64 - (int)in->imm,     \
                          (long long)b);                                                   \
            return pc + 1;                                                                 \
        }                                                                                  \
        t->reg[in->dst] = wrap((uint64_t)(expression), in->imm);                           \
        return pc + 1;                                                                     \
    }
SHIFT(run_shli, (uint64_t)a << ub)
SHIFT(run_shrsi, a >> ub)
SHIFT(run_shrui, ua >> ub)

static uint32_t run_cast(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    t->reg[in->dst] = wrap((uint64_t)DEV_REG(t, in, 0), in->imm);
    return pc + 1;
}

static uint32_t run_extui(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    unsigned width = ir_op_operand(in->op, 0)->type->width;
    t->reg[in->dst] =
        (int64_t)((uint64_t)DEV_REG(t, in, 0) << (64 - width) >> (64 - width));
    return pc + 1;
}

static uint32_t run_select(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    tick(t);
    t->reg[in->dst] = DEV_REG(t, in, 0) & 1 ? DEV_REG(t, in, 1) : DEV_REG(t, in, 2);
    return pc + 1;
}

static uint32_t run_cmpi(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    int64_t a = DEV_REG(t, in, 0), b = DEV_REG(t, in, 1);
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b; /* sign extension keeps unsigned order */
    const bool results[] = {
        a == b, a != b, a<b, a <= b, a> b, a >= b, ua<ub, ua <= ub, ua> ub, ua >= ub};
    tick(t);
    t->reg[in->dst] = results[in->imm];
    return pc + 1;
}

/* ---- chains ------------------------------------------------------------------------- */

bool dev_scalar_link(const dev_insn *in, dev_link *out)
{
    const bool adds = in->run == run_addi, multiplies = in->run == run_muli;
    if (!adds && !multiplies && in->run != run_cast)
        return false;
    *out = (dev_link){.dst = in->dst,
                      .a = in->a[0],
                      .b = in->a[in->n - 1],
                      .kind = adds         ? DEV_LINK_ADD
                              : multiplies ? DEV_LINK_MULTIPLY
                                           : DEV_LINK_CAST,
                      .shift = (uint16_t)in->imm};
    return true;
}

/* ---- f32 --------------------------------------------------------------------------- */

#define BINARY_F32(name, expression)                                                       \
    static uint32_t name(dev_thread *t, const dev_insn *in, uint32_t pc)                   \
    {                                                                                      \
        const float a = tw_f32_of_bits((uint32_t)DEV_REG(t, in, 0));                       \
        const float b = tw_f32_of_bits((uint32_t)DEV_REG(t, in, 1));                       \
        tick(t);                                                                           \
        t->reg[in->dst] = tw_f32_bits(expression);                                         \
        return pc + 1;                                                                     \
    }
BINARY_F32(run_addf, a + b)
BINARY_F32(run_subf, a - b)
BINARY_F32(run_mulf, a *b)
BINARY_F32(run_divf, a / b)

static uint32_t run_negf(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    tick(t);
    t->reg[in->dst] = (uint32_t)DEV_REG(t, in, 0) ^ 0x80000000;
    return pc + 1;
}

BINARY_F32(run_maxf, a != a || b != b ? NAN : a > b ? a : b)
BINARY_F32(run_minf, a != a || b != b ? NAN : a < b ? a : b)

/* imm is the predicate: false, then ordered eq gt ge lt le ne ord, then the same for
 * unordered: ueq ugt uge ult ule une uno, true (arith's order). */
static uint32_t run_cmpf(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    const float a = tw_f32_of_bits((uint32_t)DEV_REG(t, in, 0));
    const float b = tw_f32_of_bits((uint32_t)DEV_REG(t, in, 1));
    const bool nan = a != a || b != b;
    const bool results[] = {false, a == b, a > b,          a >= b,
                            a < b, a <= b, !nan && a != b, true};
    int64_t p = in->imm;
    tick(t);
    t->reg[in->dst] = p < 8     ? !nan && results[p]
                      : p < 14  ? nan || results[p - 7]
                      : p == 14 ? nan
                                : true;
    return pc + 1;
}

static uint32_t run_sitofp(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    tick(t);
    t->reg[in->dst] = tw_f32_bits((float)DEV_REG(t, in, 0));
    return pc + 1;
}

static uint32_t run_uitofp(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    unsigned width = ir_op_operand(in->op, 0)->type->width;
    tick(t);
    t->reg[in->dst] =
        tw_f32_bits((float)((uint64_t)DEV_REG(t, in, 0) << (64 - width) >> (64 - width)));
    return pc + 1;
}

/* Saturates, NaN is 0: the core's conversion is software. */
static uint32_t run_fptosi(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    const float x = tw_f32_of_bits((uint32_t)DEV_REG(t, in, 0));
    const float limit = 0x1p63f / (float)(UINT64_C(1) << in->imm);
    tick(t);
    t->reg[in->dst] = x != x       ? 0
                      : x >= limit ? INT64_MAX >> in->imm
                      : x < -limit ? INT64_MIN >> in->imm
                                   : (int64_t)x;
    return pc + 1;
}

/* ---- local memory: registers from the index in the memref's own --------------------- */

static int64_t *local(dev_thread *t, const dev_insn *in, size_t memref)
{
    ir_type type = ir_op_operand(in->op, memref)->type;
    int64_t at = 0;
    tick(t);
    for (size_t i = 0; i < type->count; i++) {
        int64_t index = DEV_REG(t, in, memref + 1 + i);
        if (index < 0 || index >= type->dims[i]) {
            dev_report_at(t, DEV_ARGUMENT, in->op, NULL,
                          "it would be another variable, or the stack",
                          "index %lld of a dimension of %lld", (long long)index,
                          (long long)type->dims[i]);
            return NULL;
        }
        at = at * type->dims[i] + index;
    }
    return &t->reg[DEV_REG(t, in, memref) + at];
}

static uint32_t run_local_load(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    int64_t *at = local(t, in, 0);
    if (at)
        t->reg[in->dst] = *at;
    return pc + 1;
}

static uint32_t run_local_store(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    int64_t *at = local(t, in, 1);
    if (at)
        *at = DEV_REG(t, in, 0);
    return pc + 1;
}

/* ---- the table --------------------------------------------------------------------- */

static const dev_op_row rows[ARITH_OP_COUNT] = {
    [ARITH_addi] = {run_addi, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_subi] = {run_subi, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_muli] = {run_muli, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_andi] = {run_andi, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_ori] = {run_ori, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_xori] = {run_xori, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_shli] = {run_shli, .moves = DEV_TO_PROLOGUE, .by_jobs = true},
    [ARITH_shrsi] = {run_shrsi, .moves = DEV_TO_PROLOGUE, .by_jobs = true},
    [ARITH_shrui] = {run_shrui, .moves = DEV_TO_PROLOGUE, .by_jobs = true},
    [ARITH_maxsi] = {run_maxsi, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_minsi] = {run_minsi, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_maxui] = {run_maxui, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_minui] = {run_minui, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_divsi] = {run_divsi, .moves = DEV_TO_PROLOGUE, .by_jobs = true},
    [ARITH_remsi] = {run_remsi, .moves = DEV_TO_PROLOGUE, .by_jobs = true},
    [ARITH_divui] = {run_divui, .moves = DEV_TO_PROLOGUE, .by_jobs = true},
    [ARITH_remui] = {run_remui, .moves = DEV_TO_PROLOGUE, .by_jobs = true},
    [ARITH_ceildivsi] = {run_ceildivsi, .moves = DEV_TO_PROLOGUE, .by_jobs = true},
    [ARITH_floordivsi] = {run_floordivsi, .moves = DEV_TO_PROLOGUE, .by_jobs = true},
    [ARITH_ceildivui] = {run_ceildivui, .moves = DEV_TO_PROLOGUE, .by_jobs = true},
    [ARITH_index_cast] = {run_cast, .moves = DEV_ANYWHERE, .untimed = true,
                          .by_jobs = true},
    [ARITH_index_castui] = {run_extui, .moves = DEV_ANYWHERE, .untimed = true,
                            .by_jobs = true},
    [ARITH_extsi] = {run_cast, .moves = DEV_ANYWHERE, .untimed = true, .by_jobs = true},
    [ARITH_extui] = {run_extui, .moves = DEV_ANYWHERE, .untimed = true, .by_jobs = true},
    [ARITH_trunci] = {run_cast, .moves = DEV_ANYWHERE, .untimed = true, .by_jobs = true},
    [ARITH_bitcast] = {run_cast, .moves = DEV_ANYWHERE, .untimed = true, .by_jobs = true},
    [ARITH_select] = {run_select, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_cmpi] = {run_cmpi, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_addf] = {run_addf, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_subf] = {run_subf, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_mulf] = {run_mulf, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_divf] = {run_divf, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_negf] = {run_negf, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_maximumf] = {run_maxf, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_minimumf] = {run_minf, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_cmpf] = {run_cmpf, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_sitofp] = {run_sitofp, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_uitofp] = {run_uitofp, .moves = DEV_ANYWHERE, .by_jobs = true},
    [ARITH_fptosi] = {run_fptosi, .moves = DEV_ANYWHERE, .by_jobs = true},
};

static const dev_op_row load_row = {run_local_load, .by_jobs = true},
                        store_row = {run_local_store, .by_jobs = true};

/* True for rows that compute in f32 only. */
static bool takes_f32(const dev_op_row *row)
{
    dev_run_fn *const f32[] = {run_addf, run_subf, run_mulf, run_divf,  run_negf,
                               run_maxf, run_minf, run_cmpf, run_fptosi};
    for (size_t i = 0; i < TW_COUNT(f32); i++)
        if (row->run == f32[i])
            return true;
    return false;
}

static int64_t width_of(ir_type t)
{
    return t->kind == IR_TYPE_INTEGER && t->width < 64 ? t->width : 64;
}

const dev_op_row *dev_scalar_row(const ir_op *op, int64_t *out_imm)
{
    if (op->def == MEMREF_OP(load) || op->def == MEMREF_OP(store))
        return op->def == MEMREF_OP(load) ? &load_row : &store_row;
    if (op->def < arith_ops || op->def >= arith_ops + ARITH_OP_COUNT)
        return NULL;
    const dev_op_row *row = &rows[op->def - arith_ops];
    if (!row->run)
        return NULL;
    for (size_t i = 0; i < op->n_operands; i++) {
        ir_type t = ir_op_operand(op, i)->type;
        bool fits = t->kind == IR_TYPE_INDEX ||
                    (t->kind == IR_TYPE_INTEGER && t->width <= 64) ||
                    ir_type_is_float(t, IR_F32) ||
                    (row->run == run_select && t->kind == IR_TYPE_DIALECT);
        if (!fits || (takes_f32(row) && !ir_type_is_float(t, IR_F32)))
            return NULL;
    }
    if ((row->run == run_sitofp || row->run == run_uitofp) &&
        !ir_type_is_float(ir_op_result(op, 0)->type, IR_F32))
        return NULL;
    /* f32 registers hold zero-extended bits: bitcasts to i32 sign-extend, from i32 need not
     */
    *out_imm = row->run == run_cmpi || row->run == run_cmpf
                   ? ir_op_int(op, "predicate", 0)
                   : 64 - width_of(ir_op_result(op, 0)->type);
    return row;
}
