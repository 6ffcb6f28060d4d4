/* topk.c: the vector unit's top-k: bitonic sorting of columns.
 *
 * The operations take four tiles of DST: two of values, one below the other, so that each
 * of their 32 columns is a sequence of 64, and two of their indices, which are permuted
 * alongside. Sorting all sequences at once and halving them repeatedly leaves the k largest
 * (A. Shanbhag and others, "Efficient Top-K Query Processing on GPUs", SIGMOD 2018). The
 * unit compares bit patterns as sign and magnitude, and does not swap equal values. */
#include "grid/units/compute.h"
#include "grid/units/sfpu_functions.h"

#include "ttkernel/ttkernel.h"

enum {
    ROWS = 2 * SIDE,
    PHASES = 6,           /* of sorting 64 */
    STEP_INSTRUCTIONS = 9 /* estimate: values and indices are loaded, swapped, stored */
};

/* Columns of the four tiles. */
typedef struct columns {
    dev_slot *slot[4];
} columns;

static bool take(dev_thread *t, const dev_insn *in, columns *out)
{
    int64_t first = DEV_REG(t, in, 0);
    for (int i = 0; i < 4; i++)
        if (!(out->slot[i] = dev_dst_read(t, in->op, first + i)))
            return false;
    for (int i = 0; i < 2; i++)
        if (out->slot[i]->integer)
            dev_report_at(t, DEV_FORMAT, in->op, out->slot[i]->written,
                          "the tile was written here",
                          "sorts floats, but the DST tile holds integers");
    return true;
}

static void leave(dev_thread *t, const dev_insn *in, const columns *c, int steps)
{
    for (int i = 0; i < 4; i++)
        dev_dst_update(c->slot[i], in->op);
    dev_book(t, in->op, 0, sfpu_cycles(t, steps * STEP_INSTRUCTIONS));
}

static void swap(int32_t *a, int32_t *b)
{
    int32_t was = *a;
    *a = *b;
    *b = was;
}

/* Orders two rows in each column. */
static void compare(columns *c, int a, int b, bool rising)
{
    int32_t *x = c->slot[a / SIDE]->tile.i, *y = c->slot[b / SIDE]->tile.i;
    int32_t *with_x = c->slot[2 + a / SIDE]->tile.i,
            *with_y = c->slot[2 + b / SIDE]->tile.i;
    for (size_t k = 0; k < SIDE; k++) {
        size_t i = dev_tile_index((size_t)a % SIDE, k),
               j = dev_tile_index((size_t)b % SIDE, k);
        int32_t p = sfpu_rank(x[i]), q = sfpu_rank(y[j]);
        if (rising ? p > q : p < q) {
            swap(&x[i], &y[j]);
            swap(&with_x[i], &with_y[j]);
        }
    }
}

/* Sorts the rows from `start` on, a bitonic sequence of 2^(phase + 1). */
static void merge(columns *c, int start, int phase, bool rising)
{
    for (int gap = 1 << phase; gap; gap /= 2)
        for (int i = 0; i < 2 << phase; i++)
            if (!(i & gap))
                compare(c, start + i, start + i + gap, rising);
}

static bool within(dev_thread *t, const dev_insn *in, const char *what, int64_t value,
                   int64_t low, int64_t high)
{
    if (value >= low && value <= high)
        return true;
    dev_report_at(t, DEV_ARGUMENT, in->op, NULL, NULL,
                  "%s is %lld, but may be %lld to %lld", what, (long long)value,
                  (long long)low, (long long)high);
    return false;
}

static bool power_of_two(dev_thread *t, const dev_insn *in, int64_t k)
{
    if (!within(t, in, "k", k, 2, ROWS))
        return false;
    if (!(k & (k - 1)))
        return true;
    dev_report_at(t, DEV_ARGUMENT, in->op, NULL, "sort more, and take the first",
                  "k is %lld, but sequences have a power of two", (long long)k);
    return false;
}

/* Sorts sequences of 2^(end phase + 1) in alternating directions. */
RUN(run_local_sort)
{
    int64_t rising = DEV_REG(t, in, 1), end = DEV_REG(t, in, 2), start = DEV_REG(t, in, 3);
    columns c;
    int steps = 0;
    if (!within(t, in, "the last phase", end, 0, PHASES - 1) ||
        !within(t, in, "the first phase", start, 0, end) || !take(t, in, &c))
        return pc + 1;
    for (int phase = (int)start; phase <= end; phase++) {
        for (int at = 0; at < ROWS; at += 2 << phase)
            merge(&c, at, phase, (rising & 1) != (at >> (phase + 1) & 1));
        steps += phase + 1;
    }
    leave(t, in, &c, steps);
    return pc + 1;
}

/* Distance of the sequences that an iteration works on: at most a tile. */
static int distance(int64_t k, int64_t iteration)
{
    return (int)TW_MIN(k << iteration, SIDE);
}

/* Of two sequences 2^m apart the first gets the larger values, the second the smaller; the
 * variant of kernels in C++ does the opposite. */
RUN(run_merge)
{
    int64_t m = DEV_REG(t, in, 1), k = DEV_REG(t, in, 2);
    columns c;
    if (!power_of_two(t, in, k) || !within(t, in, "the iteration", m, 0, 9) ||
        !take(t, in, &c))
        return pc + 1;
    int length = (int)TW_MIN(k, SIDE), apart = distance(length, m);
    int rows = TW_MAX(ROWS >> m, 2 * length);
    for (int at = 0, done = 0; done < rows; at += 2 * apart, done += 2 * length)
        for (int i = at; i < at + length && at + apart < ROWS; i++)
            compare(&c, i, i + apart, in->imm >> DEV_VARIANT & 1);
    leave(t, in, &c, 1);
    return pc + 1;
}

/* Sorts the sequences of 2^log k left by a merge, k * 2^(m + 1) apart, in alternating
 * directions; of those of a tile, more than k values may be sorted. */
RUN(run_rebuild)
{
    int64_t rising = DEV_REG(t, in, 1), m = DEV_REG(t, in, 2), k = DEV_REG(t, in, 3),
            log_k = DEV_REG(t, in, 4), skip = DEV_REG(t, in, 5);
    columns c;
    if (!power_of_two(t, in, k) || !within(t, in, "the iteration", m, 0, 9) ||
        !within(t, in, "log k", log_k, __builtin_ctzll((uint64_t)k),
                k < SIDE ? PHASES - 1 : __builtin_ctzll((uint64_t)k)) ||
        !take(t, in, &c))
        return pc + 1;
    int rows = (int)TW_MAX(ROWS >> (m + 1), 2 * k) >> (skip & 1);
    int apart = TW_MAX(distance(k, m + 1), (int)k);
    for (int at = 0, done = 0; done < rows && at + (1 << log_k) <= ROWS;
         at += apart, done += (int)k) {
        merge(&c, at, (int)log_k - 1, (rising & 1) != 0);
        rising = !rising;
    }
    leave(t, in, &c, (int)log_k);
    return pc + 1;
}

static const dev_op_row rows[TTKERNEL_OP_COUNT] = {
    [TTKERNEL_topk_tile_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_topk_local_sort] = {run_local_sort},
    [TTKERNEL_topk_merge] = {run_merge},
    [TTKERNEL_topk_rebuild] = {run_rebuild},
};

const dev_op_row *dev_topk_row(const ir_op_def *def)
{
    return dev_row_of(rows, def);
}
