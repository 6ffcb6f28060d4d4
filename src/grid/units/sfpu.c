/* sfpu.c: the vector unit: operations on tiles in DST.
 *
 * Functions are computed in f32 and stored as the unit stores: into a 16-bit DST by
 * truncation.  What each function computes and how long it takes stands in elementwise.def.
 */
#include "grid/native/sfpu_api.h"
#include "grid/units/code.h"
#include "grid/units/sfpu_functions.h"

#include "host/tiles/tile.h"
#include "support/bf16_f16.h"
#include "ttcore/ttcore.h"
#include "ttkernel/ttkernel.h"

#include <math.h>

enum { N = DEV_TILE_ELEMENTS, SIDE = DEV_TILE_SIDE };

static void store(dev_thread *t, dev_slot *s, double instructions)
{
    if (!s->integer)
        dev_truncate_to_dst(&s->tile, t->compute->dst.format);
    dev_book(t, s->written, 0, sfpu_cycles(t, instructions));
}

/* x: DST's format if the result is to be stored as floats, + 1. */
static void job_apply(const dev_job *job)
{
    dev_tile own, *out = dev_job_to(job, &own);
    sfpu_apply(job->with, job->a, job->b, out);
    if (job->x)
        dev_truncate_to_dst(out, (dev_dst_format)(job->x - 1));
    dev_job_put(job, out, sizeof *out);
}

static const dev_job_kind apply_job = {job_apply, DEV_REGISTER, DEV_REGISTER, DEV_REGISTER};

static void apply(dev_thread *t, const sfpu_function *u, const dev_tile *a,
                  const dev_tile *b, dev_slot *s, double cycles, bool late)
{
    dev_dst_do(t, s,
               &(dev_job){&apply_job, &s->tile, a, b, u,
                          .x = s->integer ? 0 : (uint8_t)(t->compute->dst.format + 1)},
               late);
    dev_book(t, s->written, 0, cycles);
}

/* Cycles of a function in the kernel's accuracy mode. */
static double cycles_of(const dev_thread *t, const sfpu_function *u)
{
    return sfpu_cycles_of(t, u->cost, t->compute->approx);
}

/* Where a slot's numbers lie as f32 or integers. */
static const dev_tile *numbers(dev_thread *t, dev_slot *s)
{
    if (s->page)
        return s->page;
    dev_dst_widen(t, s);
    return &s->tile;
}

/* The same of a slot that gets other numbers. */
static const dev_tile *take(dev_thread *t, dev_slot *s)
{
    const dev_tile *x = numbers(t, s);
    s->page = NULL;
    t->compute->dst.lent &= ~(1u << (s - t->compute->dst.slot));
    return x;
}

/* ---- functions of one tile, of two, and of a tile and a number --------------------- */

static uint32_t unary(dev_thread *t, const dev_insn *in, uint32_t pc,
                      const sfpu_function *u, double cycles)
{
    dev_slot *s = dev_dst_peek(t, in->op, DEV_REG(t, in, 0));
    if (!s)
        return pc + 1;
    const dev_tile *x = take(t, s);
    dev_dst_expect(t, in->op, s, u->i != NULL);
    dev_dst_update(s, in->op);
    apply(t, u, x, x, s, cycles, x != &s->tile);
    return pc + 1;
}

RUN(run_unary) /* in place */
{
    return unary(t, in, pc, in->data, cycles_of(t, in->data));
}

/* What exp_tile's attributes say: the bits of a bf16 scale, or 0, and flags. */
enum { EXP_SCALE = 0xFFFF0000, EXP_APPROXIMATE = 1, EXP_UNCLAMPED = 2 };

static int64_t exp_attributes(const ir_op *op)
{
    const ir_attr clamping = ir_op_attr(op, "input_clamping");
    return ((int64_t)ir_op_int(op, "scale", 0) & EXP_SCALE) |
           (ir_op_bool(op, "approx") ? EXP_APPROXIMATE : 0) |
           (clamping && dev_enum(op, "input_clamping") == TTKERNEL_InputClamping_None
                ? EXP_UNCLAMPED
                : 0);
}

/* Without clamping a face's 8 rows take 20 instructions (_calculate_exponential_ with 8
 * iterations and CLAMP_NEGATIVE false). */
static double exp_cycles(const dev_thread *t, int64_t attributes)
{
    const bool approx = attributes & EXP_APPROXIMATE;
    return approx && attributes & EXP_UNCLAMPED
               ? sfpu_cycles(t, 2.5)
               : sfpu_cycles_of(t, sfpu_exp_tile.cost, approx);
}

/* imm: exp_attributes. Approximate modes are computed as the exact one; a scale is folded
 * into the constants of the approximate one, and a multiplication before the exact one. */
RUN(run_exp)
{
    uint32_t bits = (uint32_t)in->imm & EXP_SCALE;
    if (bits && bits != tw_f32_bits(1)) {
        dev_slot *s = dev_dst_read(t, in->op, DEV_REG(t, in, 0));
        if (!s)
            return pc + 1;
        dev_dst_expect(t, in->op, s, false);
        dev_await_jobs(t->machine);
        for (int i = 0; i < N; i++)
            s->tile.f[i] *= tw_f32_of_bits(bits);
        if (!(in->imm & EXP_APPROXIMATE))
            dev_book(t, in->op, 0, 2 * t->machine->chip->cost.sfpu_op);
    }
    return unary(t, in, pc, in->data, exp_cycles(t, in->imm));
}

RUN(run_logical_not)
{
    bool integer = dev_format_is_integer((tw_dtype)dev_enum(in->op, "dtype"));
    const sfpu_function *u = integer ? &sfpu_eqz_tile_int32 : &sfpu_logical_not_tile;
    return unary(t, in, pc, u, cycles_of(t, u));
}

/* Some functions take tiles that are bf16 still. */
static void (*halves_function(const sfpu_function *u))(const uint16_t *, const uint16_t *,
                                                       uint16_t *)
{
    const krn_tile_set *k = krn_tiles();
    return u == &sfpu_add_binary_tile   ? k->add_bf16
           : u == &sfpu_sub_binary_tile ? k->subtract_bf16
           : u == &sfpu_mul_binary_tile ? k->multiply_bf16
                                        : NULL;
}

static void job_halves(const dev_job *job)
{
    uint16_t own[N], *out = dev_job_to(job, own);
    halves_function(job->with)(job->a, job->b, out);
    dev_job_put(job, out, sizeof own);
}

/* True if the slot's values are in a page, not in its own bytes. */
static bool is_lent(const dev_thread *t, const dev_slot *s)
{
    return t->compute->dst.lent >> (s - t->compute->dst.slot) & 1;
}

static const dev_job_kind halves_job = {job_halves, DEV_HALF, DEV_HALF, DEV_HALF};

RUN(run_binary)
{
    const sfpu_function *u = in->data;
    bool bf16_rows = halves_function(u) != NULL;
    dev_slot *a = dev_dst_peek(t, in->op, DEV_REG(t, in, 0));
    dev_slot *b = a ? dev_dst_peek(t, in->op, DEV_REG(t, in, 1)) : NULL;
    if (!b)
        return pc + 1;
    dev_dst_expect(t, in->op, a, u->i != NULL);
    dev_dst_expect(t, in->op, b, u->i != NULL);
    if (a->late.kind)
        dev_dst_settle(t, a);
    if (b->late.kind)
        dev_dst_settle(t, b);
    const uint16_t *x = a->half, *y = b->half;
    bf16_rows = bf16_rows && x && y && t->compute->dst.format == DEV_DST_BF16;
    const dev_tile *p = bf16_rows ? NULL : numbers(t, a),
                   *q = bf16_rows ? NULL : numbers(t, b);
    const bool both_lent = is_lent(t, a) && is_lent(t, b);
    dev_pad pad = {0};
    if (TW_UNLIKELY(dev_pad_any(a->pad) || dev_pad_any(b->pad)))
        pad = a == b && u == &sfpu_sub_int_tile ? dev_pad_constant(t->machine) /* zeros */
                                                : dev_pad_of_op(t, in->op, a->pad, b->pad);
    dev_slot *s = dev_dst_write(t, in->op, DEV_REG(t, in, 2));
    if (!s)
        return pc + 1;
    s->pad = pad;
    if (bf16_rows) {
        uint16_t *out = (uint16_t *)&s->tile;
        if (x == out || y == out)
            out += N; /* the other half of the tile's bytes */
        if (!dev_dst_do(t, s, &(dev_job){&halves_job, out, x, y, u}, both_lent))
            s->half = out;
        s->integer = false;
        dev_book(t, s->written, 0, cycles_of(t, u));
        return pc + 1;
    }
    s->integer = u->i != NULL;
    apply(t, u, p, q, s, cycles_of(t, u), both_lent);
    return pc + 1;
}

/* A number in every element: an f32's bits, or an integer. */
static void spread(uint32_t bits, dev_tile *to)
{
    for (int i = 0; i < N; i++)
        to->i[i] = (int32_t)bits;
}

/* size: the number's bits; x: as job_apply's. */
static void job_scalar(const dev_job *job)
{
    dev_compute *c = job->unit;
    spread(job->size, &c->c);
    sfpu_apply(job->with, job->a, &c->c, job->out);
    if (job->x)
        dev_truncate_to_dst(job->out, (dev_dst_format)(job->x - 1));
}

static void job_fill(const dev_job *job)
{
    spread(job->size, job->out);
    if (job->x)
        dev_truncate_to_dst(job->out, (dev_dst_format)(job->x - 1));
}

static const dev_job_kind scalar_job = {job_scalar, DEV_REGISTER, DEV_REGISTER,
                                        DEV_NO_BYTES},
                          fill_job = {job_fill, DEV_REGISTER, DEV_NO_BYTES, DEV_NO_BYTES};

/* The format in which a job stores floats of the slot. */
static uint8_t stored_as(const dev_thread *t, const dev_slot *s)
{
    return s->integer ? 0 : (uint8_t)(t->compute->dst.format + 1);
}

RUN(run_scalar) /* imm 1: an integer's power, taken as f32 */
{
    const sfpu_function *u = in->data;
    dev_slot *s = dev_dst_peek(t, in->op, DEV_REG(t, in, 0));
    if (!s)
        return pc + 1;
    const dev_tile *x = take(t, s);
    dev_dst_expect(t, in->op, s, u->i != NULL);
    int64_t value = DEV_REG(t, in, 1);
    dev_do(t->machine,
           &(dev_job){&scalar_job, &s->tile, x, .with = u, .unit = t->compute,
                      .size = in->imm ? tw_f32_bits((float)value) : (uint32_t)value,
                      .x = stored_as(t, s)});
    dev_dst_update(s, in->op);
    if (u == &sfpu_mul_unary_tile && !((uint32_t)value << 1)) /* times 0.0 */
        s->pad = dev_pad_constant(t->machine);
    dev_book(t, s->written, 0, cycles_of(t, u));
    return pc + 1;
}

RUN(run_clamp) /* imm 1: integers */
{
    dev_slot *s = dev_dst_peek(t, in->op, DEV_REG(t, in, 0));
    if (!s)
        return pc + 1;
    const dev_tile *x = take(t, s);
    dev_dst_expect(t, in->op, s, in->imm == 1);
    dev_do(t->machine,
           &(dev_job){&scalar_job, &s->tile, x,
                      .with = in->imm ? &sfpu_binary_max_int32_tile : &sfpu_binary_max_tile,
                      .unit = t->compute, .size = (uint32_t)DEV_REG(t, in, 1)});
    dev_do(t->machine,
           &(dev_job){&scalar_job, &s->tile, &s->tile,
                      .with = in->imm ? &sfpu_binary_min_int32_tile : &sfpu_binary_min_tile,
                      .unit = t->compute, .size = (uint32_t)DEV_REG(t, in, 2),
                      .x = stored_as(t, s)});
    dev_dst_update(s, in->op);
    dev_book(t, s->written, 0, sfpu_cycles(t, 17));
    return pc + 1;
}

/* scale * (x > 0 ? x : alpha * (exp(x) - 1)), or another function that the kernel API has
 */
RUN(run_selu)
{
    const int64_t variant = in->imm >> DEV_VARIANT;
    dev_slot *s = dev_dst_read(t, in->op, DEV_REG(t, in, 0));
    if (!s)
        return pc + 1;
    dev_dst_expect(t, in->op, s, false);
    float scale = tw_f32_of_bits((uint32_t)DEV_REG(t, in, 1)),
          alpha = tw_f32_of_bits((uint32_t)DEV_REG(t, in, 2));
    if (variant) {
        const sfpu_api_function *u = sfpu_api_function_at((size_t)variant - 1);
        for (int i = 0; i < N; i++)
            s->tile.f[i] = u->f(s->tile.f[i], scale, alpha);
        dev_dst_update(s, in->op);
        store(t, s, u->instructions);
        return pc + 1;
    }
    dev_tile *e = &t->compute->c;
    sfpu_apply(&sfpu_expm1_tile, &s->tile, &s->tile, e);
    for (int i = 0; i < N; i++)
        s->tile.f[i] = scale * (s->tile.f[i] > 0 ? s->tile.f[i] : alpha * e->f[i]);
    dev_dst_update(s, in->op);
    store(t, s, t->compute->dst.wide ? 71 : 36); /* expm1, a comparison, two products */
    return pc + 1;
}

RUN(run_fill) /* imm 1: integers */
{
    dev_slot *s = dev_dst_write(t, in->op, DEV_REG(t, in, 0));
    if (!s)
        return pc + 1;
    s->integer = in->imm == 1;
    s->pad = dev_pad_constant(t->machine);
    dev_do(t->machine,
           &(dev_job){&fill_job, &s->tile, /* an f32's register holds its bits */
                      .size = (uint32_t)DEV_REG(t, in, 1), .x = stored_as(t, s)});
    dev_book(t, s->written, 0, sfpu_cycles(t, 2));
    return pc + 1;
}

/* ---- random numbers: a generator of our own, one a core; the same seed and core give
 * the same numbers ---- */

RUN(run_rand_init)
{
    dev_core *core = t->core;
    t->compute->random = (uint64_t)DEV_REG(t, in, 0) * UINT64_C(0x9E3779B97F4A7C15) +
                         (uint64_t)(core->y * 64 + core->x + 1);
    return dev_run_init(t, in, pc);
}

RUN(run_rand)
{
    dev_slot *s = dev_dst_write(t, in->op, DEV_REG(t, in, 0));
    if (!s)
        return pc + 1;
    float from = tw_f32_of_bits((uint32_t)DEV_REG(t, in, 1)),
          scale = tw_f32_of_bits((uint32_t)DEV_REG(t, in, 2));
    for (int i = 0; i < N; i++) { /* splitmix64 */
        uint64_t z = t->compute->random += UINT64_C(0x9E3779B97F4A7C15);
        z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
        z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
        s->tile.f[i] = from + scale * ((float)(z >> 41) * 0x1p-23f);
    }
    s->integer = false;
    store(t, s, 6);
    return pc + 1;
}

/* ---- along rows and columns -------------------------------------------------------- */

/* Sum or maximum of integers, into the first row or column. */
RUN(run_reduce)
{
    dev_slot *s = dev_dst_read(t, in->op, DEV_REG(t, in, 0));
    if (!s)
        return pc + 1;
    bool maximum = dev_enum(in->op, "reduce_type") == TTKERNEL_ReduceType_Max;
    bool rows = dev_enum(in->op, "reduce_dim") == TTKERNEL_ReduceDim_Row;
    dev_dst_expect(t, in->op, s, true);
    for (size_t i = 0; i < SIDE; i++) {
        int32_t all = s->tile.i[rows ? dev_tile_index(i, 0) : dev_tile_index(0, i)];
        for (size_t k = 1; k < SIDE; k++) {
            int32_t x = s->tile.i[rows ? dev_tile_index(i, k) : dev_tile_index(k, i)];
            all = maximum ? TW_MAX(all, x) : (int32_t)((uint32_t)all + (uint32_t)x);
        }
        s->tile.i[rows ? dev_tile_index(i, 0) : dev_tile_index(0, i)] = all;
    }
    dev_dst_update(s, in->op);
    store(t, s, 24);
    return pc + 1;
}

/* The tile's first row, of elements that are in rows as they are in memory, against the
 * largest of earlier chunks and their indices, in the tiles behind them, which become the
 * larger ones; an earlier one counts among equal ones. */
static void accumulate_max(dev_thread *t, const dev_insn *in, dev_slot *s, dev_slot *index)
{
    const int64_t at[2] = {DEV_REG(t, in, 0) + 1, DEV_REG(t, in, 1) + 1};
    const bool later = DEV_REG(t, in, 2) > 0;
    const bool cleared = at[0] >= 0 && at[0] < t->compute->dst.capacity &&
                         t->compute->dst.slot[at[0]].written != NULL;
    dev_slot *so_far = later || cleared ? dev_dst_read(t, in->op, at[0]) : NULL;
    dev_slot *so_far_index = so_far && later ? dev_dst_read(t, in->op, at[1]) : NULL;
    if (later && !so_far_index)
        return;
    for (size_t c = 0; later && c < SIDE; c++) {
        if (sfpu_rank(so_far->tile.i[c]) < sfpu_rank(s->tile.i[c]))
            continue;
        s->tile.i[c] = so_far->tile.i[c];
        index->tile.i[c] = so_far_index->tile.i[c];
    }
    dev_slot *const from[2] = {s, index};
    for (size_t k = 0; k < 2; k++) {
        dev_slot *to = dev_dst_write(t, in->op, at[k]);
        if (!to)
            return;
        to->tile = from[k]->tile;
        to->integer = from[k]->integer;
        to->pad = from[k]->pad;
    }
}

/* The largest of each column's first rows, in the unit's order, and its index, into row 0
 * of both tiles, whose rows of 32 elements follow each other (DataLayout::ROW_MAJOR). */
RUN(run_max_with_indices)
{
    dev_slot *s = dev_dst_read(t, in->op, DEV_REG(t, in, 0));
    dev_slot *index = s ? dev_dst_read(t, in->op, DEV_REG(t, in, 1)) : NULL;
    const bool accumulate = ir_op_bool(in->op, "accumulate");
    if (!index)
        return pc + 1;
    int64_t rows = ir_op_int(in->op, "num_rows", 32);
    dev_dst_expect(t, in->op, s, false);
    for (size_t c = 0; c < SIDE; c++) {
        size_t best = c;
        for (size_t r = 1; (int64_t)r < TW_MIN(rows, SIDE); r++)
            if (sfpu_rank(s->tile.i[r * SIDE + c]) > sfpu_rank(s->tile.i[best]))
                best = r * SIDE + c;
        s->tile.f[c] = s->tile.f[best];
        index->tile.i[c] = index->tile.i[best];
    }
    dev_dst_update(s, in->op);
    dev_dst_update(index, in->op);
    if (accumulate)
        accumulate_max(t, in, s, index);
    store(t, s, 24);
    return pc + 1;
}

/* x: as job_apply's. */
static void job_copy_dest(const dev_job *job)
{
    if (job->out != job->a)
        memcpy(job->out, job->a, sizeof(dev_tile));
    if (job->x)
        dev_truncate_to_dst(job->out, (dev_dst_format)(job->x - 1));
}

static const dev_job_kind copy_dest_job = {job_copy_dest, DEV_REGISTER, DEV_REGISTER,
                                           DEV_NO_BYTES};

RUN(run_copy_dest)
{
    dev_slot *from = dev_dst_peek(t, in->op, DEV_REG(t, in, 0));
    const dev_tile *x = from ? numbers(t, from) : NULL;
    const dev_pad pad = from ? from->pad : (dev_pad){0};
    dev_slot *to = from ? dev_dst_write(t, in->op, DEV_REG(t, in, 1)) : NULL;
    if (!to)
        return pc + 1;
    to->pad = pad;
    to->integer = from->integer;
    dev_do(t->machine, &(dev_job){&copy_dest_job, &to->tile, x, .x = stored_as(t, to)});
    dev_book(t, to->written, 0, sfpu_cycles(t, 3));
    return pc + 1;
}

enum { CHOOSES_OUT = 1, OTHER_IS_OUT, CONDITION_IS_OUT };

/* Chooses by a condition between two tiles; one of the three lies at `out`, where the
 * result goes.  how: which; x: as job_apply's, y: whether the condition is of integers. */
static void job_choose(const dev_job *job)
{
    dev_tile *out = job->out;
    const dev_tile *a = job->a, *b = job->b;
    const dev_tile *condition = job->how == CONDITION_IS_OUT ? out : a;
    const dev_tile *yes = job->how == CONDITION_IS_OUT ? a
                          : job->how == CHOOSES_OUT    ? out
                                                       : b;
    const dev_tile *no = job->how == OTHER_IS_OUT ? out : b;
    for (int i = 0; i < N; i++) {
        bool chosen = job->y ? condition->i[i] != 0 : condition->f[i] != 0;
        out->i[i] = chosen ? yes->i[i] : no->i[i];
    }
    if (job->x)
        dev_truncate_to_dst(out, (dev_dst_format)(job->x - 1));
}

static const dev_job_kind choose_job = {job_choose, DEV_REGISTER, DEV_REGISTER,
                                        DEV_REGISTER};

RUN(run_where)
{
    dev_slot *s[3];
    const dev_tile *x[3];
    for (size_t i = 0; i < 3; i++) {
        if (!(s[i] = dev_dst_peek(t, in->op, DEV_REG(t, in, i))))
            return pc + 1;
        x[i] = numbers(t, s[i]);
    }
    const bool by_integers = s[0]->integer, integers = s[1]->integer;
    const dev_pad pads[] = {s[0]->pad, s[1]->pad, s[2]->pad};
    dev_slot *to = dev_dst_write(t, in->op, DEV_REG(t, in, 3));
    if (!to)
        return pc + 1;
    to->integer = integers;
    if (TW_UNLIKELY(t->machine->tensors.padded))
        to->pad = dev_pad_of_where(t, in->op, pads);
    dev_job job = {
        &choose_job,           &to->tile,        x[0],        x[1], .how = OTHER_IS_OUT,
        .x = stored_as(t, to), .y = by_integers, .adds = true};
    if (x[0] == &to->tile)
        job.a = x[1], job.b = x[2], job.how = CONDITION_IS_OUT;
    else if (x[1] == &to->tile)
        job.b = x[2], job.how = CHOOSES_OUT;
    else if (x[2] != &to->tile)
        dev_do(t->machine, &(dev_job){&copy_dest_job, &to->tile, x[2]});
    dev_do(t->machine, &job);
    /* _calculate_where_: over the condition the stores come with its loads */
    dev_book(t, to->written, 0, sfpu_cycles(t, to == s[0] ? 3 : 4));
    return pc + 1;
}

static int32_t to_integer(float x, int64_t type)
{
    double low = type == TTCORE_DataType_Int32 ? -2147483648.0 : 0;
    double high = type == TTCORE_DataType_UInt16  ? 65535
                  : type == TTCORE_DataType_UInt8 ? 255
                  : type == TTCORE_DataType_Int32 ? 2147483647
                                                  : 4294967295.0;
    double v = isnan(x) ? 0 : fmin(fmax(trunc((double)x), low), high);
    return (int32_t)(uint32_t)(int64_t)v;
}

/* What becomes bf16 is rounded, as the unit does before it stores: integers to nearest,
 * ties away (SFPSTOCHRND), floats to nearest even.  x: as job_apply's; y: from, z: to. */
static void job_typecast(const dev_job *job)
{
    const dev_tile *from = job->a;
    dev_tile *out = job->out;
    const bool integer_from = dev_format_is_integer((tw_dtype)job->y);
    const bool integer_to = dev_format_is_integer((tw_dtype)job->z);
    for (int i = 0; i < N; i++) {
        if (integer_from && !integer_to)
            out->f[i] = job->y == TTCORE_DataType_UInt32 ? (float)(uint32_t)from->i[i]
                                                         : (float)from->i[i];
        else if (!integer_from && integer_to)
            out->i[i] = to_integer(from->f[i], job->z);
        else if (!integer_to && job->z == TTCORE_DataType_BFloat16)
            out->f[i] = tw_bf16_value(tw_bf16_nearest_even(from->f[i]));
        else
            out->i[i] = from->i[i];
        if (integer_from && job->z == TTCORE_DataType_BFloat16)
            out->f[i] = tw_bf16_value(dev_bf16_ties_away(out->f[i]));
    }
    if (job->x)
        dev_truncate_to_dst(out, (dev_dst_format)(job->x - 1));
}

static const dev_job_kind typecast_job = {job_typecast, DEV_REGISTER, DEV_REGISTER,
                                          DEV_NO_BYTES};

/* Returns the instructions per row of a conversion: those of ckernel_sfpu_typecast.h; of
 * what the packer converts, none. */
static double typecast_instructions(tw_dtype from, tw_dtype to)
{
    static const struct {
        uint8_t from, to;
        float instructions;
    } rows[] = {
        {TW_U16, TW_BF16, 1}, {TW_I32, TW_BF16, 4},  {TW_U32, TW_BF16, 3},
        {TW_F32, TW_BF16, 3}, {TW_U16, TW_F32, 1},   {TW_I32, TW_F32, 4},
        {TW_U32, TW_F32, 3},  {TW_F32, TW_U16, 2},   {TW_BF16, TW_U16, 2},
        {TW_U32, TW_U16, 2},  {TW_I32, TW_U16, 3},   {TW_U16, TW_U32, 1},
        {TW_U16, TW_I32, 1},  {TW_F32, TW_I32, 13},  {TW_BF16, TW_I32, 13},
        {TW_F32, TW_U32, 11}, {TW_BF16, TW_U32, 11},
    };
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (rows[i].from == from && rows[i].to == to)
            return rows[i].instructions;
    return 4; /* assumed: 8-bit integers */
}

RUN(run_typecast)
{
    dev_slot *s = dev_dst_peek(t, in->op, DEV_REG(t, in, 0));
    if (!s)
        return pc + 1;
    const dev_tile *x = take(t, s);
    int64_t from = dev_enum(in->op, "in_dtype"), to = dev_enum(in->op, "out_dtype");
    dev_dst_expect(t, in->op, s, dev_format_is_integer((tw_dtype)from));
    s->integer = dev_format_is_integer((tw_dtype)to);
    dev_need_wide_dst(t, in->op, (tw_dtype)to);
    dev_do(t->machine, &(dev_job){&typecast_job, &s->tile, x, .x = stored_as(t, s),
                                  .y = (uint8_t)from, .z = (uint8_t)to});
    dev_dst_update(s, in->op);
    dev_book(t, s->written, 0,
             sfpu_cycles(t, typecast_instructions((tw_dtype)from, (tw_dtype)to)));
    return pc + 1;
}

/* ---- the table --------------------------------------------------------------------- */

#define TILE(sort, shape, op, init, ...)                                                   \
    [TTKERNEL_##op] = {.data = &sfpu_##op, .by_jobs = true, .run = RUN_##shape}, init
#define RUN_UNARY_TILE run_unary
#define RUN_UNARY_TILE_AT_DST0 run_unary
#define RUN_BINARY_TILE run_binary
#define RUN_TYPED_BINARY_TILE run_binary
#define RUN_NUMBER_TILE run_scalar
#define RUN_POWER_TILE run_scalar, .imm = 1
#define OWN(init) [TTKERNEL_##init] = {dev_run_init, .by_jobs = true},
#define TYPED(init) OWN(init)
#define USES(init)
#define INIT(init, header) OWN(init)

static const dev_op_row rows[TTKERNEL_OP_COUNT] = {
#include "ttkernel/elementwise.def"
    [TTKERNEL_exp_tile] = {run_exp, &sfpu_exp_tile, .immediate = exp_attributes,
                           .by_jobs = true},
    [TTKERNEL_exp_tile_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_logical_not_tile] = {run_logical_not},
    [TTKERNEL_logical_not_tile_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_clamp_tile] = {run_clamp, .by_jobs = true},
    [TTKERNEL_clamp_tile_int32] = {run_clamp, .imm = 1, .by_jobs = true},
    [TTKERNEL_clamp_tile_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_selu_tile] = {run_selu},
    [TTKERNEL_selu_tile_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_fill_tile] = {run_fill, .by_jobs = true},
    [TTKERNEL_fill_tile_int] = {run_fill, .imm = 1, .by_jobs = true},
    [TTKERNEL_fill_tile_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_rand_tile] = {run_rand},
    [TTKERNEL_rand_tile_init] = {run_rand_init},
    [TTKERNEL_sfpu_reduce] = {run_reduce},
    [TTKERNEL_sfpu_reduce_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_max_reduce_with_indices] = {run_max_with_indices},
    [TTKERNEL_max_reduce_with_indices_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_copy_dest_values] = {run_copy_dest, .by_jobs = true},
    [TTKERNEL_where_tile] = {run_where, .by_jobs = true},
    [TTKERNEL_where_tile_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_typecast_tile] = {run_typecast, .by_jobs = true},
    [TTKERNEL_typecast_tile_init] = {dev_run_init, .by_jobs = true},
};

const dev_op_row *dev_sfpu_row(const ir_op_def *def)
{
    return dev_row_of(rows, def);
}
