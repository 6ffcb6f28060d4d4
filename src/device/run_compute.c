/* run_compute.c: the compute thread but for the vector unit: DST's protocol, unpacking,
 * the matrix unit, packing.
 *
 * Numbers are the value level: f32 arithmetic, rounded where the hardware rounds: f32 to
 * tf32 in source registers, the matrix unit's result to nearest in a 16-bit DST, and the
 * packer's rules.  Inits are checked by the operations that need them only as far as their
 * state lives here; the others cost their call. */
#include "device/code.h"

#include "dialect/ttkernel/ttkernel.h"
#include "kernel/element.h"
#include "kernel/tile.h"

#include <math.h>

#define RUN(name) static uint32_t name(dev_thread *t, const dev_insn *in, uint32_t pc)

enum { N = DEV_TILE_ELEMENTS, SIDE = DEV_TILE_SIDE };

/* ---- DST --------------------------------------------------------------------------- */

static const char *const state_names[] = {
    "nobody", "the math unit", "the packer, which has not waited for it", "the packer"};

/* Reports once and goes on as if the step had been taken, so that one slip is one report.
 */
static void owns(dev_thread *t, ir_op *op, dev_dst_state wanted)
{
    dev_compute *c = t->compute;
    bool math = wanted == DEV_DST_MATH;
    if (c->state == wanted)
        return;
    dev_report_at(t, DEV_DST_USE, op, c->state_op,
                  c->state_op ? "the last step was here" : NULL,
                  "%s, but DST belongs to %s; %s",
                  math ? "computes in DST" : "packs from DST", state_names[c->state],
                  math ? "tile_regs_acquire comes first"
                       : "tile_regs_commit and tile_regs_wait come first");
    c->state = wanted;
    c->state_op = op;
}

static dev_slot *slot(dev_thread *t, ir_op *op, int64_t index)
{
    dev_compute *c = t->compute;
    if (index >= 0 && index < c->capacity)
        return &c->slot[index];
    dev_report_at(
        t, DEV_DST_RANGE, op, NULL, "fewer tiles at a time, or full sync, or a 16-bit DST",
        "DST tile %lld: DST holds %d tiles of %d bits with %s sync", (long long)index,
        c->capacity, c->wide ? 32 : 16, c->full_sync ? "full" : "half");
    return NULL;
}

dev_slot *dev_dst_write(dev_thread *t, ir_op *op, int64_t index)
{
    owns(t, op, DEV_DST_MATH);
    dev_slot *s = slot(t, op, index);
    if (!s)
        return NULL;
    if (s->written && !s->read)
        dev_report_at(t, DEV_DST_LOST, op, s->written, "it was written here",
                      "DST tile %lld is overwritten, and nothing has read it",
                      (long long)index);
    dev_dst_update(s, op);
    s->half = NULL;
    s->page = NULL;
    t->compute->used |= 1u << index;
    t->compute->lent &= ~(1u << index);
    return s;
}

static void job_widen(const dev_job *job)
{
    uint16_t own[N];
    const uint16_t *from = job->a, *tile = job->out;
    if (from == tile || from == tile + N)
        from = memcpy(own, from, sizeof own);
    krn_tiles()->load_bf16(from, job->out);
}

static void widen(dev_thread *t, dev_slot *s)
{
    if (s->half)
        dev_do(t->machine->jobs, (dev_job){job_widen, &s->tile, s->half});
    else if (s->page)
        dev_do(t->machine->jobs,
               (dev_job){dev_job_copy, &s->tile, s->page, .size = sizeof s->tile});
    s->half = NULL;
    s->page = NULL;
}

void dev_dst_widen(dev_thread *t, dev_slot *s)
{
    widen(t, s);
    t->compute->lent &= ~(1u << (s - t->compute->slot));
}

bool dev_dst_fetch(dev_thread *t, const uint8_t *bytes, size_t size)
{
    dev_compute *c = t->compute;
    bool any = false;
    for (uint32_t left = c->lent; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        const dev_slot *s = &c->slot[i];
        const uint8_t *from = s->half ? (const uint8_t *)s->half : (const uint8_t *)s->page;
        const size_t n = s->half ? sizeof(uint16_t[N]) : sizeof s->tile;
        if (from + n <= bytes || bytes + size <= from)
            continue;
        widen(t, &c->slot[i]);
        c->lent &= ~(1u << i);
        any = true;
    }
    return any;
}

static dev_slot *read_slot(dev_thread *t, ir_op *op, int64_t index)
{
    dev_slot *s = slot(t, op, index);
    if (s && !s->written)
        dev_report_at(
            t, DEV_DST_USE, op, t->compute->state_op, "DST was last handed over here",
            "DST tile %lld is read, and nothing has been written to it", (long long)index);
    if (s)
        s->read = true;
    return s;
}

dev_slot *dev_dst_peek(dev_thread *t, ir_op *op, int64_t index)
{
    owns(t, op, DEV_DST_MATH);
    return read_slot(t, op, index);
}

dev_slot *dev_dst_read(dev_thread *t, ir_op *op, int64_t index)
{
    dev_slot *s = dev_dst_peek(t, op, index);
    if (s && (s->half || s->page)) {
        dev_dst_widen(t, s);
        dev_await_bytes(t->machine);
    }
    return s;
}

/* One transition of DST's owner: from, to.  Others are reported with the last one. */
typedef struct transition {
    dev_dst_state from, to;
} transition;

RUN(run_transition)
{
    const transition *x = in->data;
    dev_compute *c = t->compute;
    t->now += t->machine->chip->cost.issue_compute;
    if (c->state != x->from)
        dev_report_at(t, DEV_DST_USE, in->op, c->state_op,
                      c->state_op ? "the last step was here" : NULL,
                      "out of order: DST belongs to %s", state_names[c->state]);
    if (x->to == DEV_DST_MATH) {
        for (; c->used; c->used &= c->used - 1) {
            dev_slot *s = &c->slot[__builtin_ctz(c->used)];
            s->written = NULL;
            s->half = NULL;
            s->page = NULL;
        }
        /* the half that comes next must have been packed; both, with full sync */
        double left = c->full_sync ? c->section[1] : c->section[0];
        c->math = TW_MAX(c->math, left);
    } else if (x->to == DEV_DST_FREE) {
        for (; c->lent; c->lent &= c->lent - 1) { /* nobody reads them any more */
            dev_slot *s = &c->slot[__builtin_ctz(c->lent)];
            s->half = NULL;
            s->page = NULL;
        }
        c->section[0] = c->section[1];
        c->section[1] = c->pack;
    } else {
        c->pack = TW_MAX(c->pack, c->math);
    }
    c->state = x->to;
    c->state_op = in->op;
    return pc + 1;
}

/* ---- time -------------------------------------------------------------------------- */

/* The unpackers run ahead of the matrix unit by two source banks at the most. */
void dev_book(dev_thread *t, const ir_op *op, size_t bytes, double cycles)
{
    const dev_cost *cost = &t->machine->chip->cost;
    dev_compute *c = t->compute;
    t->now += cost->issue_compute;
    if (bytes) {
        double start = t->now;
        t->now += cost->unpack_start + (double)bytes / cost->unpack_bytes;
        dev_span(t, DEV_TRACK_UNPACK, op, start, t->now);
    }
    double start = TW_MAX(c->math, t->now);
    c->math = start + cycles;
    dev_span(t, DEV_TRACK_MATH, op, start, c->math);
    t->now = TW_MAX(t->now, c->math - 2 * cycles);
}

/* ---- unpacking --------------------------------------------------------------------- */

/* The unpackers read pages as the last init has told them. */
static void check_format(dev_thread *t, ir_op *op, const dev_cb *cb)
{
    const dev_compute *c = t->compute;
    if (TW_UNLIKELY(cb->page != dev_tile_bytes(cb->format)))
        dev_report_at(t, DEV_FORMAT, op, NULL, "let the buffer's pages be tiles",
                      "circular buffer %d has pages of %u bytes, a tile of %s has %zu",
                      dev_cb_port(t, cb), cb->page, tw_dtype_name(cb->format),
                      dev_tile_bytes(cb->format));
    if (TW_UNLIKELY(c->formats_known && cb->format != c->unpack_format[0] &&
                    cb->format != c->unpack_format[1]))
        dev_report_at(
            t, DEV_FORMAT, op, c->format_op, "the formats were set up here",
            "circular buffer %d holds %s, but the unpackers are set up for %s%s%s; "
            "reconfig_data_format_srca changes that",
            dev_cb_port(t, cb), tw_dtype_name(cb->format),
            tw_dtype_name(c->unpack_format[0]),
            c->unpack_format[1] != c->unpack_format[0] ? " and " : "",
            c->unpack_format[1] != c->unpack_format[0] ? tw_dtype_name(c->unpack_format[1])
                                                       : "");
}

/* The bytes of a tile in the window that the kernel has waited for; NULL after a report. */
uint8_t *dev_cb_waited_tile(dev_thread *t, ir_op *op, int64_t port, int64_t index,
                            dev_cb **out)
{
    dev_cb *cb = dev_cb_get(t, op, port);
    if (!cb)
        return NULL;
    *out = cb;
    if (index < 0 || index >= cb->waited) {
        dev_report_at(
            t, DEV_CB_WINDOW, op, cb->wait_op, "the last wait is here",
            "reads tile %lld of circular buffer %lld, of which %u were waited for",
            (long long)index, (long long)port, cb->waited);
        if (index < 0 || index >= cb->pages)
            return NULL;
    }
    check_format(t, op, cb);
    size_t at = cb->base + (size_t)dev_cb_behind(cb, cb->read, (uint32_t)index) * cb->page;
    dev_check_read(t, op, &t->core->l1, at, cb->page, "tile of a circular buffer");
    return t->core->l1.bytes + at;
}

/* A tile that the unpackers read for the matrix unit; NULL after a report. */
static const uint8_t *source(dev_thread *t, ir_op *op, int64_t port, int64_t index,
                             dev_cb **cb, size_t *bytes)
{
    const uint8_t *from = dev_cb_waited_tile(t, op, port, index, cb);
    if (!from)
        return NULL;
    if (dev_format_is_integer((*cb)->format))
        dev_report_at(t, DEV_FORMAT, op, NULL,
                      "copy_tile and the integer operations on DST do it",
                      "the matrix unit computes with floats; circular buffer %lld holds %s",
                      (long long)port, tw_dtype_name((*cb)->format));
    *bytes = TW_MAX(*bytes, (size_t)(*cb)->page); /* two unpackers work side by side */
    return from;
}

static void load_source(tw_dtype format, const void *from, dev_tile *out)
{
    if (format == TW_F32)
        krn_tiles()->load_tf32(from, out->f);
    else
        dev_tile_load(format, from, out);
}

/* Into a source register. */
static bool unpack(dev_thread *t, ir_op *op, int64_t port, int64_t index, dev_tile *out,
                   size_t *bytes)
{
    dev_cb *cb;
    const uint8_t *from = source(t, op, port, index, &cb, bytes);
    if (from)
        load_source(cb->format, from, out);
    return from != NULL;
}

static void finish(dev_thread *t, dev_slot *s)
{
    dev_round_to_dst(&s->tile, t->compute->format);
    s->integer = false;
}

/* x: the format, y: whether through a source register, z: DST's format. */
static void job_load(const dev_job *job)
{
    dev_tile *tile = job->out;
    dev_tile_load((tw_dtype)job->x, job->a, tile);
    if (job->x != TW_F32)
        return;
    if (job->y)
        dev_round_to_source(tile);
    dev_truncate_to_dst(tile, (dev_dst_format)job->z);
}

RUN(run_copy_tile)
{
    dev_compute *c = t->compute;
    dev_cb *cb;
    const uint8_t *from =
        dev_cb_waited_tile(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 1), &cb);
    dev_slot *s = dev_dst_write(t, in->op, DEV_REG(t, in, 2));
    if (!from || !s)
        return pc + 1;
    if (cb->format == TW_BF16 && c->format == DEV_DST_BF16) {
        s->half = (const uint16_t *)from; /* unpacked when somebody needs it so */
        c->lent |= 1u << DEV_REG(t, in, 2);
    } else if (cb->format == TW_F32 && c->format == DEV_DST_F32 &&
               (!c->wide || c->unpack_to_dst >> dev_cb_port(t, cb) & 1)) {
        s->page = (const dev_tile *)(const void *)from;
        c->lent |= 1u << DEV_REG(t, in, 2);
    } else {
        bool by_source = c->wide && !(c->unpack_to_dst >> dev_cb_port(t, cb) & 1);
        dev_do(t->machine->jobs,
               (dev_job){job_load, &s->tile, from, .x = (uint8_t)cb->format, .y = by_source,
                         .z = (uint8_t)c->format});
    }
    s->integer = dev_format_is_integer(cb->format);
    if (s->integer && dev_tile_bytes(cb->format) == 4096 && !c->wide)
        dev_report_at(t, DEV_FORMAT, in->op, NULL,
                      "set fp32_dest_acc_en in the compute_config",
                      "tiles of %s need a 32-bit DST", tw_dtype_name(cb->format));
    dev_book(t, in->op, cb->page, t->machine->chip->cost.move_tile);
    return pc + 1;
}

RUN(run_copy_block)
{
    int64_t n = DEV_REG(t, in, 3);
    dev_cb *cb;
    for (int64_t i = 0; i < n && !t->machine->stop; i++) {
        const uint8_t *from =
            dev_cb_waited_tile(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 1) + i, &cb);
        dev_slot *s = dev_dst_write(t, in->op, DEV_REG(t, in, 2) + i);
        if (!from || !s)
            break;
        dev_tile_load(cb->format, from, &s->tile);
        finish(t, s);
        dev_book(t, in->op, cb->page, t->machine->chip->cost.move_tile);
    }
    return pc + 1;
}

/* ---- element-wise on the matrix unit ----------------------------------------------- */

static dev_eltwise kind_of(int64_t kind)
{
    return kind == TTKERNEL_EltwiseBinaryType_Add   ? DEV_ADD
           : kind == TTKERNEL_EltwiseBinaryType_Sub ? DEV_SUBTRACT
                                                    : DEV_MULTIPLY;
}

static void apply(dev_thread *t, int64_t kind, const dev_tile *a, const dev_tile *b,
                  dev_slot *s)
{
    dev_matrix_eltwise(&t->compute->unit, kind_of(kind), a, b, &s->tile);
    s->integer = false;
}

static double eltwise_cycles(const dev_thread *t, int64_t kind)
{
    return t->machine->chip->cost.eltwise_fpu *
           (kind == TTKERNEL_EltwiseBinaryType_Mul ? t->compute->phases : 1);
}

/* Row 0, column 0 or element 0, 0 of the second operand in all rows, columns, places. */
static void broadcast(int64_t kind, const dev_tile *from, dev_tile *to)
{
    bool one_row = kind == TTKERNEL_BcastType_Row || kind == TTKERNEL_BcastType_Scalar;
    bool one_column = kind == TTKERNEL_BcastType_Col || kind == TTKERNEL_BcastType_Scalar;
    for (size_t r = 0; r < SIDE; r++)
        for (size_t k = 0; k < SIDE; k++)
            to->f[dev_tile_index(r, k)] =
                from->f[dev_tile_index(one_row ? 0 : r, one_column ? 0 : k)];
}

/* x, y: the formats; z: how the second is spread, + 1; how: which operation. */
static void job_eltwise(const dev_job *job)
{
    dev_compute *c = job->unit;
    load_source((tw_dtype)job->x, job->a, &c->a);
    load_source((tw_dtype)job->y, job->b, &c->b);
    if (job->z)
        broadcast(job->z - 1, &c->b, &c->c);
    dev_matrix_eltwise(&c->unit, (dev_eltwise)job->how, &c->a, job->z ? &c->c : &c->b,
                       job->out);
}

RUN(run_eltwise)
{
    const int64_t kind = in->imm & ((1 << DEV_VARIANT) - 1),
                  spread = in->imm >> DEV_VARIANT;
    dev_cb *cb_a, *cb_b;
    size_t bytes = 0;
    const uint8_t *a =
        source(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 2), &cb_a, &bytes);
    const uint8_t *b =
        a ? source(t, in->op, DEV_REG(t, in, 1), DEV_REG(t, in, 3), &cb_b, &bytes) : a;
    dev_slot *s = dev_dst_write(t, in->op, DEV_REG(t, in, 4));
    if (!b || !s)
        return pc + 1;
    dev_do(t->machine->jobs,
           (dev_job){job_eltwise, &s->tile, a, b, .unit = t->compute,
                     .x = (uint8_t)cb_a->format, .y = (uint8_t)cb_b->format,
                     .z = (uint8_t)spread, .how = (uint8_t)kind_of(kind)});
    s->integer = false;
    dev_book(t, in->op, bytes, eltwise_cycles(t, kind));
    return pc + 1;
}

RUN(run_dest_reuse)
{
    dev_compute *c = t->compute;
    size_t bytes = 0;
    int64_t kind = dev_enum(in->op, "eltwise_binary_type");
    bool first = dev_enum(in->op, "reuse_type") == TTKERNEL_BinaryDestReuseType_DestToSrcA;
    bool ok = unpack(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 1), &c->b, &bytes);
    dev_slot *s = dev_dst_read(t, in->op, DEV_REG(t, in, 2));
    if (!ok || !s)
        return pc + 1;
    c->a = s->tile;
    dev_round_to_source(&c->a);
    apply(t, kind, first ? &c->a : &c->b, first ? &c->b : &c->a, s);
    dev_dst_update(s, in->op);
    dev_book(t, in->op, bytes, eltwise_cycles(t, kind) + t->machine->chip->cost.move_tile);
    return pc + 1;
}

/* ---- matrix products --------------------------------------------------------------- */

enum { FRESH = 1, TRANSPOSED = 2 };

/* The product of bf16 tiles as they lie in L1; false where the general way is needed. */
static bool multiply_halves(const dev_job *job)
{
    const krn_tile_set *k = krn_tiles();
    const dev_compute *c = job->unit;
    float *out = job->out;
    return k->product_bf16 && c->unit.level == DEV_VALUE && c->format != DEV_DST_F16 &&
           job->x == TW_BF16 && job->y == TW_BF16 && !(job->how & TRANSPOSED) &&
           k->product_bf16(job->a, job->b, job->how & FRESH ? NULL : out,
                           c->format == DEV_DST_BF16, out);
}

/* x, y: the formats. */
static void job_multiply(const dev_job *job)
{
    dev_compute *c = job->unit;
    if (multiply_halves(job))
        return;
    bool transpose = job->how & TRANSPOSED;
    load_source((tw_dtype)job->x, job->a, &c->a);
    load_source((tw_dtype)job->y, job->b, transpose ? &c->c : &c->b);
    if (transpose)
        krn_tiles()->transpose(c->c.f, c->b.f);
    dev_matrix_product(&c->unit, &c->a, &c->b, !(job->how & FRESH), job->out, c->scratch);
}

/* DST += A B */
static bool multiply(dev_thread *t, const dev_insn *in, int64_t tile_a, int64_t tile_b,
                     int64_t dst, bool transpose)
{
    dev_compute *c = t->compute;
    size_t bytes = 0;
    dev_cb *cb_a, *cb_b;
    const uint8_t *a = source(t, in->op, DEV_REG(t, in, 0), tile_a, &cb_a, &bytes);
    const uint8_t *b = a ? source(t, in->op, DEV_REG(t, in, 1), tile_b, &cb_b, &bytes) : a;
    dev_slot *s = b ? slot(t, in->op, dst) : NULL;
    if (!s)
        return false;
    bool fresh = !s->written; /* the packer leaves zeros behind */
    s->read = true;
    widen(t, s);
    dev_dst_write(t, in->op, dst);
    t->machine->matrix_flops += 65536;
    dev_do(t->machine->jobs,
           (dev_job){job_multiply, &s->tile, a, b, .unit = c, .x = (uint8_t)cb_a->format,
                     .y = (uint8_t)cb_b->format,
                     .how = (uint8_t)((fresh ? FRESH : 0) | (transpose ? TRANSPOSED : 0))});
    s->integer = false;
    dev_book(t, in->op, bytes,
             t->machine->chip->cost.matmul_phase * c->phases +
                 t->machine->chip->cost.matmul_extra);
    return true;
}

RUN(run_matmul_tiles)
{
    multiply(t, in, DEV_REG(t, in, 2), DEV_REG(t, in, 3), DEV_REG(t, in, 4), false);
    return pc + 1;
}

/* rt x ct result tiles.  The plain form does one step of k per call: A's tiles stand kt
 * apart, B's follow each other.  imm 1: all of kt, with the given stride of B. */
RUN(run_matmul_block)
{
    int64_t ct = DEV_REG(t, in, 6), rt = DEV_REG(t, in, 7), kt = DEV_REG(t, in, 8);
    int64_t steps = in->imm ? kt : 1, stride = in->imm ? DEV_REG(t, in, 9) : ct;
    bool transpose = DEV_REG(t, in, 5) != 0;
    for (int64_t k = 0; k < steps; k++)
        for (int64_t r = 0; r < rt; r++)
            for (int64_t c = 0; c < ct; c++)
                if (!multiply(t, in, DEV_REG(t, in, 2) + r * kt + k,
                              DEV_REG(t, in, 3) + k * stride + c,
                              DEV_REG(t, in, 4) + r * ct + c, transpose) ||
                    t->machine->stop)
                    return pc + 1;
    return pc + 1;
}

/* ---- reduce, broadcast, transpose -------------------------------------------------- */

/* Sums are products with the scaler's first row, once for each direction, so that the
 * scaler counts twice where both are reduced.  Row: every row to its first column. */
static void reduce(const dev_tile *in, float scale, bool maximum, int64_t dim, bool fresh,
                   dev_tile *out)
{
    float side[SIDE];
    bool rows = dim == TTKERNEL_ReduceDim_Row;
    for (size_t i = 0; i < SIDE; i++) {
        side[i] = maximum ? -INFINITY : 0;
        for (size_t k = 0; k < SIDE; k++) {
            float x = in->f[rows ? dev_tile_index(i, k) : dev_tile_index(k, i)];
            side[i] = maximum ? fmaxf(side[i], x) : side[i] + x * scale;
        }
    }
    if (fresh)
        for (int i = 0; i < N; i++)
            out->f[i] = 0;
    size_t n = SIDE;
    if (dim == TTKERNEL_ReduceDim_Scalar) {
        float all = maximum ? -INFINITY : 0;
        for (size_t i = 0; i < SIDE; i++)
            all = maximum ? fmaxf(all, side[i]) : all + side[i] * scale;
        side[0] = all;
        n = 1;
    }
    for (size_t i = 0; i < n; i++) {
        float *to = &out->f[rows ? dev_tile_index(i, 0) : dev_tile_index(0, i)];
        *to = fresh ? side[i] : maximum ? fmaxf(*to, side[i]) : *to + side[i];
    }
}

RUN(run_reduce)
{
    dev_compute *c = t->compute;
    size_t bytes = 0;
    int64_t type = dev_enum(in->op, "reduce_type");
    int64_t dim = dev_enum(in->op, "reduce_dim");
    bool ok = unpack(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 2), &c->a, &bytes) &&
              unpack(t, in->op, DEV_REG(t, in, 1), DEV_REG(t, in, 3), &c->b, &bytes);
    dev_slot *s = ok ? slot(t, in->op, DEV_REG(t, in, 4)) : NULL;
    if (!s)
        return pc + 1;
    bool fresh = !s->written;
    s->read = true;
    widen(t, s);
    dev_await_bytes(t->machine);
    dev_dst_write(t, in->op, DEV_REG(t, in, 4));
    if (type != TTKERNEL_ReduceType_Max) {
        dev_matrix_cut(&t->compute->unit, true, &c->a);
        dev_matrix_cut(&t->compute->unit, false, &c->b);
    }
    reduce(&c->a, c->b.f[0], type == TTKERNEL_ReduceType_Max, dim, fresh, &s->tile);
    finish(t, s);
    dev_book(t, in->op, bytes, t->machine->chip->cost.reduce_phase * c->phases);
    return pc + 1;
}

RUN(run_bcast)
{
    dev_compute *c = t->compute;
    size_t bytes = 0;
    int64_t kind = dev_enum(in->op, "bcast_type");
    bool ok = unpack(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 1), &c->a, &bytes);
    dev_slot *s = dev_dst_write(t, in->op, DEV_REG(t, in, 2));
    if (!ok || !s)
        return pc + 1;
    broadcast(kind, &c->a, &s->tile);
    finish(t, s);
    dev_book(t, in->op, bytes, t->machine->chip->cost.move_tile);
    return pc + 1;
}

RUN(run_transpose)
{
    dev_compute *c = t->compute;
    size_t bytes = 0;
    bool ok = unpack(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 1), &c->a, &bytes);
    dev_slot *s = dev_dst_write(t, in->op, DEV_REG(t, in, 2));
    if (!ok || !s)
        return pc + 1;
    krn_tiles()->transpose(c->a.f, s->tile.f);
    finish(t, s);
    dev_book(t, in->op, bytes, t->machine->chip->cost.move_tile);
    return pc + 1;
}

/* ---- packing ----------------------------------------------------------------------- */

/* Where tile `index` of the reserved window lies; NULL after a report. */
uint8_t *dev_cb_reserved_tile(dev_thread *t, ir_op *op, dev_cb *cb, int64_t index)
{
    if (index < 0 || index >= cb->reserved) {
        dev_report_at(t, DEV_CB_WINDOW, op, cb->reserve_op, "the last reserve is here",
                      "writes tile %lld of circular buffer %d, of which %u are reserved",
                      (long long)index, dev_cb_port(t, cb), cb->reserved);
        if (index < 0 || index >= cb->pages)
            return NULL;
    }
    size_t at = cb->base + (size_t)dev_cb_behind(cb, cb->write, (uint32_t)index) * cb->page;
    dev_check_write(t, op, &t->core->l1, at, cb->page, NULL);
    dev_mark(&t->core->l1, at, cb->page, DEV_DEFINED);
    return t->core->l1.bytes + at;
}

/* The packer's work; x: the format of the page, how: whether it adds to it. */
static void job_store(const dev_job *job)
{
    dev_compute *c = job->unit;
    const dev_tile *tile = job->a;
    void *page = job->out;
    const tw_dtype format = (tw_dtype)job->x;
    if (!job->how) {
        dev_tile_store(format, c->format, tile, page);
    } else if (format == TW_F32) {
        krn_tiles()->add(tile->f, page, page);
    } else if (format == TW_BF16 && c->format == DEV_DST_BF16) {
        krn_tiles()->sum_bf16(tile->f, page);
    } else {
        dev_tile_load(format, page, &c->c);
        krn_tiles()->add(tile->f, c->c.f, c->c.f);
        for (int i = 0; i < N && format == TW_BF16; i++) /* rounds to nearest even */
            c->c.f[i] = krn_bf16_value(krn_bf16_bits(c->c.f[i]));
        dev_tile_store(format, c->format, &c->c, page);
    }
}

/* A tile that is bf16 in DST and in L1 keeps its bits. */
static void store(dev_thread *t, ir_op *op, dev_slot *s, tw_dtype format, uint8_t *page)
{
    dev_compute *c = t->compute;
    dev_jobs *jobs = t->machine->jobs;
    bool adds = c->l1_accumulate;
    if (s->half && format == TW_BF16 && c->format == DEV_DST_BF16 && !adds) {
        dev_do(jobs, (dev_job){dev_job_copy, page, s->half, .size = sizeof(uint16_t[N])});
        return;
    }
    if (s->page && format == TW_F32 && !adds) {
        dev_do(jobs, (dev_job){dev_job_copy, page, s->page, .size = sizeof s->tile});
        return;
    }
    dev_dst_widen(t, s);
    if (adds && format != TW_F32 && format != TW_BF16 && format != TW_F16) {
        dev_report_at(t, DEV_FORMAT, op, NULL, "hardware's sums would be silently wrong",
                      "the packer cannot accumulate in L1 with %s", tw_dtype_name(format));
        adds = false;
    }
    dev_do(jobs, (dev_job){job_store, page, &s->tile, .unit = c, .x = (uint8_t)format,
                           .how = adds});
}

static void pack(dev_thread *t, ir_op *op, int64_t dst, int64_t port, int64_t index)
{
    dev_compute *c = t->compute;
    dev_cb *cb = dev_cb_get(t, op, port);
    if (!cb)
        return;
    owns(t, op, DEV_DST_PACK);
    dev_slot *s = read_slot(t, op, dst);
    if (!s)
        return;
    if (c->l1_accumulate) {
        size_t page = (size_t)((cb->write + (uint64_t)index) % cb->pages);
        dev_check_read(t, op, &t->core->l1, cb->base + page * cb->page, cb->page,
                       "tile that the packer adds to");
    }
    uint8_t *to = dev_cb_reserved_tile(t, op, cb, index);
    if (!to)
        return;
    if (TW_UNLIKELY(c->pack_known && cb->format != c->pack_format))
        dev_report_at(t, DEV_FORMAT, op, c->pack_op, "the format was set up here",
                      "circular buffer %lld holds %s, but the packer is set up for %s; "
                      "pack_reconfig_data_format changes that",
                      (long long)port, tw_dtype_name(cb->format),
                      tw_dtype_name(c->pack_format));
    if (s->integer != dev_format_is_integer(cb->format))
        dev_report_at(t, DEV_FORMAT, op, s->written, "the tile was written here",
                      "packs %s to circular buffer %lld of %s; typecast_tile converts",
                      s->integer ? "integers" : "floats", (long long)port,
                      tw_dtype_name(cb->format));
    store(t, op, s, cb->format, to);
    t->now += t->machine->chip->cost.issue_compute;
    double start = TW_MAX(c->pack, c->math);
    c->pack = start + (double)cb->page / t->machine->chip->cost.pack_bytes;
    dev_span(t, DEV_TRACK_PACK, op, start, c->pack);
}

RUN(run_pack)
{
    dev_cb *cb = dev_cb_get(t, in->op, DEV_REG(t, in, 1));
    if (cb) /* in order: behind the tile packed last */
        pack(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 1),
             in->imm ? DEV_REG(t, in, 2) : cb->packed++);
    return pc + 1;
}

RUN(run_pack_block)
{
    dev_cb *cb = dev_cb_get(t, in->op, DEV_REG(t, in, 1));
    for (int64_t i = 0; cb && i < DEV_REG(t, in, 2) && !t->machine->stop; i++)
        pack(t, in->op, DEV_REG(t, in, 0) + i, DEV_REG(t, in, 1), cb->packed++);
    return pc + 1;
}

RUN(run_l1_accumulate)
{
    t->compute->l1_accumulate = DEV_REG(t, in, 0) != 0;
    t->now += t->machine->chip->cost.issue_compute;
    return pc + 1;
}

RUN(run_nothing)
{
    (void)in;
    t->now += t->machine->chip->cost.issue_compute;
    return pc + 1;
}

/* ---- the table --------------------------------------------------------------------- */

static const transition acquire = {DEV_DST_FREE, DEV_DST_MATH};
static const transition commit = {DEV_DST_MATH, DEV_DST_COMMITTED};
static const transition wait = {DEV_DST_COMMITTED, DEV_DST_PACK};
static const transition release = {DEV_DST_PACK, DEV_DST_FREE};

static const dev_op_row rows[TTKERNEL_OP_COUNT] = {
    [TTKERNEL_tile_regs_acquire] = {run_transition, &acquire, .by_jobs = true},
    [TTKERNEL_tile_regs_commit] = {run_transition, &commit, .by_jobs = true},
    [TTKERNEL_tile_regs_wait] = {run_transition, &wait, .by_jobs = true},
    [TTKERNEL_tile_regs_release] = {run_transition, &release, .by_jobs = true},
    [TTKERNEL_copy_tile] = {run_copy_tile, .by_jobs = true},
    [TTKERNEL_copy_block_matmul_partials] = {run_copy_block},
    [TTKERNEL_add_tiles] = {run_eltwise, .imm = TTKERNEL_EltwiseBinaryType_Add,
                            .by_jobs = true},
    [TTKERNEL_sub_tiles] = {run_eltwise, .imm = TTKERNEL_EltwiseBinaryType_Sub,
                            .by_jobs = true},
    [TTKERNEL_mul_tiles] = {run_eltwise, .imm = TTKERNEL_EltwiseBinaryType_Mul,
                            .by_jobs = true},
    [TTKERNEL_binary_dest_reuse_tiles] = {run_dest_reuse},
    [TTKERNEL_matmul_tiles] = {run_matmul_tiles, .by_jobs = true},
    [TTKERNEL_matmul_block] = {run_matmul_block, .by_jobs = true},
    [TTKERNEL_experimental_matmul_block] = {run_matmul_block, .imm = 1, .by_jobs = true},
    [TTKERNEL_reduce_tile] = {run_reduce},
    [TTKERNEL_unary_bcast] = {run_bcast},
    [TTKERNEL_transpose_wh_tile] = {run_transpose},
    [TTKERNEL_pack_tile] = {run_pack, .flag = "out_of_order", .by_jobs = true},
    [TTKERNEL_pack_tile_block] = {run_pack_block, .by_jobs = true},
    [TTKERNEL_pack_reconfig_l1_acc] = {run_l1_accumulate, .by_jobs = true},
    [TTKERNEL_experimental_unpack_stall_on_pack] = {run_nothing, .by_jobs = true},
    [TTKERNEL_binary_op_init_common] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_unary_op_init_common] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_compute_kernel_hw_startup] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_init_sfpu] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_add_tiles_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_sub_tiles_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_mul_tiles_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_binary_dest_reuse_tiles_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_copy_tile_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_copy_dest_values_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_mm_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_mm_init_short] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_mm_block_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_mm_block_init_short] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_reduce_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_reduce_uninit] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_unary_bcast_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_transpose_wh_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_tilize_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_tilize_uninit] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_untilize_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_untilize_uninit] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_pack_untilize_init] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_pack_untilize_uninit] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_pack_reconfig_data_format] = {dev_run_init, .by_jobs = true},
    [TTKERNEL_reconfig_data_format_srca] = {dev_run_init, .by_jobs = true},
};

const dev_op_row *dev_compute_row(const ir_op_def *def)
{
    if (def < ttkernel_ops || def >= ttkernel_ops + TTKERNEL_OP_COUNT)
        return NULL;
    const dev_op_row *row = &rows[def - ttkernel_ops];
    return row->run ? row : NULL;
}
