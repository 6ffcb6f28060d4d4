/* dst.c: DST's protocol: its owner, the state of its tiles, and the time of the compute
 * thread; inits. */
#include "grid/units/compute.h"

#include "host/tiles/tile.h"

/* ---- DST --------------------------------------------------------------------------- */

static const char *const state_names[] = {
    "no unit", "the math unit", "the packer, which has not waited for it", "the packer"};

/* Reports once and then continues as if the step had been taken. */
void dev_dst_owns(dev_thread *t, ir_op *op, dev_dst_state wanted)
{
    dev_compute *c = t->compute;
    bool math = wanted == DEV_DST_MATH;
    if (c->dst.state == wanted)
        return;
    dev_report_at(t, DEV_DST_USE, op, c->dst.state_op,
                  c->dst.state_op ? "the last step was here" : NULL,
                  "%s, but DST belongs to %s; %s",
                  math ? "computes in DST" : "packs from DST", state_names[c->dst.state],
                  math ? "tile_regs_acquire comes first"
                       : "tile_regs_commit and tile_regs_wait come first");
    c->dst.state = wanted;
    c->dst.state_op = op;
}

dev_slot *dev_dst_slot(dev_thread *t, ir_op *op, int64_t index)
{
    dev_compute *c = t->compute;
    if (index >= 0 && index < c->dst.capacity)
        return &c->dst.slot[index];
    dev_report_at(
        t, DEV_DST_RANGE, op, NULL,
        "compute fewer tiles at a time, or launch with full sync, or with a 16-bit DST",
        "there is no DST tile %lld: DST holds %d tiles of %d bits with %s sync",
        (long long)index, c->dst.capacity, c->dst.wide ? 32 : 16,
        c->dst.full_sync ? "full" : "half");
    return NULL;
}

dev_slot *dev_dst_write(dev_thread *t, ir_op *op, int64_t index)
{
    dev_dst_owns(t, op, DEV_DST_MATH);
    dev_slot *s = dev_dst_slot(t, op, index);
    if (!s)
        return NULL;
    if (s->written && !s->read)
        dev_report_at(t, DEV_DST_LOST, op, s->written, "it was written here",
                      "DST tile %lld is overwritten, and nothing has read it",
                      (long long)index);
    dev_dst_update(s, op);
    s->pad = (dev_pad){0};
    dev_slot_forget(s);
    t->compute->dst.used |= 1u << index;
    t->compute->dst.lent &= ~(1u << index);
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

static const dev_job_kind widen = {job_widen, DEV_REGISTER, DEV_HALF, DEV_NO_BYTES};

bool dev_dst_do(dev_thread *t, dev_slot *s, const dev_job *job, bool late)
{
    if (!late || !t->machine->work.defers) {
        dev_do(t->machine, job);
        return false;
    }
    s->late = *job;
    t->compute->dst.lent |= 1u << (s - t->compute->dst.slot);
    return true;
}

/* Computes what was put off, into the tile's own bytes. */
static void compute_late(dev_thread *t, dev_slot *s)
{
    dev_job job = s->late;
    s->late.kind = NULL;
    job.out = &s->tile;
    dev_do(t->machine, &job);
    s->half = job.kind->out == DEV_HALF ? job.out : NULL;
}

void dev_dst_fill(dev_thread *t, dev_slot *s)
{
    if (s->late.kind)
        compute_late(t, s);
    if (s->half)
        dev_do(t->machine, &(dev_job){&widen, &s->tile, s->half});
    else if (s->page)
        dev_do(t->machine,
               &(dev_job){&dev_job_copy, &s->tile, s->page, .size = sizeof s->tile});
    s->half = NULL;
    s->page = NULL;
}

void dev_dst_widen(dev_thread *t, dev_slot *s)
{
    dev_dst_fill(t, s);
    t->compute->dst.lent &= ~(1u << (s - t->compute->dst.slot));
}

void dev_dst_settle(dev_thread *t, dev_slot *s)
{
    if (s->late.kind)
        compute_late(t, s);
    else
        dev_dst_fill(t, s);
    t->compute->dst.lent &= ~(1u << (s - t->compute->dst.slot));
}

void dev_dst_fetch_lent(dev_thread *t)
{
    dev_dst *dst = &t->compute->dst;
    while (dst->lent)
        dev_dst_settle(t, &dst->slot[__builtin_ctz(dst->lent)]);
}

/* True if a page that the slot still refers to touches a range. */
static bool refers_to(const dev_slot *s, const uint8_t *bytes, size_t size)
{
    const dev_job *late = s->late.kind ? &s->late : NULL;
    const bool half = late ? late->kind->out == DEV_HALF : s->half != NULL;
    const size_t n = half ? sizeof(uint16_t[N]) : sizeof s->tile;
    const void *const from[] = {late   ? late->a
                                : half ? (const void *)s->half
                                       : s->page,
                                late ? late->b : NULL};
    for (size_t i = 0; i < TW_COUNT(from) && from[i]; i++)
        if ((const uint8_t *)from[i] + n > bytes && (const uint8_t *)from[i] < bytes + size)
            return true;
    return false;
}

bool dev_dst_fetch(dev_thread *t, const uint8_t *bytes, size_t size)
{
    dev_compute *c = t->compute;
    bool any = false;
    for (uint32_t left = c->dst.lent; left; left &= left - 1) {
        dev_slot *s = &c->dst.slot[__builtin_ctz(left)];
        if (!refers_to(s, bytes, size))
            continue;
        dev_dst_settle(t, s);
        any = true;
    }
    return any;
}

dev_slot *dev_dst_use(dev_thread *t, ir_op *op, int64_t index)
{
    dev_slot *s = dev_dst_slot(t, op, index);
    if (s && !s->written)
        dev_report_at(
            t, DEV_DST_USE, op, t->compute->dst.state_op, "DST last changed its owner here",
            "DST tile %lld is read, and nothing has been written to it", (long long)index);
    if (s)
        s->read = true;
    return s;
}

void dev_dst_expect(dev_thread *t, ir_op *op, const dev_slot *s, bool integer)
{
    if (s->integer != integer)
        dev_report_at(t, DEV_FORMAT, op, s->written, "the tile was written here",
                      "computes with %s, but the DST tile holds %s",
                      integer ? "integers" : "floats", s->integer ? "integers" : "floats");
}

dev_slot *dev_dst_peek(dev_thread *t, ir_op *op, int64_t index)
{
    dev_dst_owns(t, op, DEV_DST_MATH);
    return dev_dst_use(t, op, index);
}

dev_slot *dev_dst_read(dev_thread *t, ir_op *op, int64_t index)
{
    dev_slot *s = dev_dst_peek(t, op, index);
    if (s && (s->half || s->page || s->late.kind)) {
        dev_dst_widen(t, s);
        dev_await_jobs(t->machine);
    }
    return s;
}

void dev_dst_finish(dev_thread *t, dev_slot *s)
{
    dev_round_to_dst(&s->tile, t->compute->dst.format);
    s->integer = false;
}

/* A transition of DST's owner: from, to. Any other is reported with the last transition. */
typedef struct transition {
    dev_dst_state from, to;
} transition;

RUN(run_transition)
{
    const transition *x = in->data;
    dev_compute *c = t->compute;
    const dev_cost *cost = &t->machine->chip->cost;
    if (c->dst.state == DEV_DST_MATH && x->to == DEV_DST_PACK)
        dev_report_at(t, DEV_DST_USE, in->op, c->dst.state_op, "the last step was here",
                      "tile_regs_wait waits for ever: no tile_regs_commit hands DST over");
    else if (c->dst.state != x->from)
        dev_report_at(t, DEV_DST_USE, in->op, c->dst.state_op,
                      c->dst.state_op ? "the last step was here" : NULL,
                      "out of order: DST belongs to %s", state_names[c->dst.state]);
    if (x->to == DEV_DST_MATH) {
        for (; c->dst.used; c->dst.used &= c->dst.used - 1) {
            dev_slot *s = &c->dst.slot[__builtin_ctz(c->dst.used)];
            s->written = NULL;
            dev_slot_forget(s);
        }
        /* the next half must have been packed; both, with full sync */
        double left = c->dst.full_sync ? c->dst.section[1] : c->dst.section[0];
        c->math = TW_MAX(c->math, left) + cost->dst_acquire;
    } else if (x->to == DEV_DST_FREE) {
        for (; c->dst.lent;
             c->dst.lent &= c->dst.lent - 1) /* these pages are not read any more */
            dev_slot_forget(&c->dst.slot[__builtin_ctz(c->dst.lent)]);
        c->pack += cost->dst_release;
        c->dst.section[0] = c->dst.section[1];
        c->dst.section[1] = c->pack;
    } else if (x->to == DEV_DST_COMMITTED) {
        c->math += cost->dst_commit;
    } else {
        c->pack = TW_MAX(c->pack, c->math) + cost->dst_wait;
    }
    c->dst.state = x->to;
    c->dst.state_op = in->op;
    return pc + 1;
}

/* ---- time -------------------------------------------------------------------------- */

/* The unpackers run ahead of the matrix unit by at most two source banks. */
static void book(dev_thread *t, const ir_op *op, double unpack, double cycles)
{
    dev_compute *c = t->compute;
    if (unpack > 0) {
        double start = t->now + t->machine->chip->cost.issue_compute;
        t->now = start + unpack;
        dev_span(t, DEV_TRACK_UNPACK, op, start, t->now);
    }
    double start = TW_MAX(c->math, t->now);
    c->math = start + cycles;
    dev_span(t, DEV_TRACK_MATH, op, start, c->math);
    t->now = TW_MAX(t->now, c->math - 2 * cycles);
}

void dev_book(dev_thread *t, const ir_op *op, size_t bytes, double cycles)
{
    const dev_cost *cost = &t->machine->chip->cost;
    book(t, op, bytes ? dev_unpack_cycles(cost, (double)bytes, false) : 0, cycles);
}

void dev_book_alone(dev_thread *t, const ir_op *op, size_t bytes, double cycles)
{
    book(t, op, dev_unpack_cycles(&t->machine->chip->cost, (double)bytes, true), cycles);
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

const dev_op_row *dev_dst_row(const ir_op_def *def)
{
    return dev_row_of(rows, def);
}
