/* program.c: sets up cores and threads for a program, runs it, and profiles it. */
#include "grid/native/native.h"
#include "grid/replay/tape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool dev_cores_exist(const dev_chip *chip, int64_t y, int64_t x, int64_t rows,
                     int64_t columns)
{
    return y >= 0 && x >= 0 && rows > 0 && columns > 0 && rows <= chip->grid_y &&
           columns <= chip->grid_x && y <= chip->grid_y - rows &&
           x <= chip->grid_x - columns;
}

/* false after a diagnostic */
static bool build_native(dev_machine *m, const dev_program *p, dev_native *native,
                         dev_kernel *k)
{
    bool ok;
    tw_status status = dev_native_build(m, p, native, k, &k->code, &ok);
    if (status != TW_SUCCESS) {
        ir_error(m->ctx, native->function->loc, "%s", tw_status_message(status));
        tw_status_free(status);
        ok = false;
    }
    return ok;
}

/* Initial values of semaphores in a kernel's IR (ttl.semaphore_values, pairs of index and
 * value) take precedence over the host's. */
static bool declare_semaphores(dev_program *p, ir_op *function)
{
    ir_attr pairs = ir_op_attr(function, "ttl.semaphore_values");
    const bool listed = ir_attr_is(pairs, IR_ATTR_DENSE_ARRAY);
    for (uint32_t i = 0; listed && i + 1 < pairs->count; i += 2) {
        int64_t id = ir_dense_array_int(pairs, i), value = ir_dense_array_int(pairs, i + 1);
        if (id < 0 || id >= DEV_MAX_SEMAPHORES || value < 0 || value > UINT32_MAX)
            return ir_op_error(
                function,
                "ttl.semaphore_values: semaphore %lld begins with %lld; there "
                "are %d, each of 32 bits",
                (long long)id, (long long)value, DEV_MAX_SEMAPHORES);
        size_t at = 0;
        while (at < p->n_semaphores && p->semaphores[at].id != id)
            at++;
        p->semaphores[at] = (dev_semaphore){(uint32_t)id, (uint32_t)value};
        p->n_semaphores = TW_MAX(p->n_semaphores, at + 1);
    }
    return true;
}

/* Limits a buffer to some cores of a kernel's grid (ttl.core_ranges: its port, then words
 * in which bit n of word w is core 64 w + n, row by row). */
static bool limit_buffers(dev_program *p, const dev_kernel *k)
{
    ir_attr lists = ir_op_attr(k->function, "ttl.core_ranges");
    for (uint32_t i = 0; ir_attr_is(lists, IR_ATTR_ARRAY) && i < lists->count; i++) {
        ir_attr list = lists->items[i];
        if (!ir_attr_is(list, IR_ATTR_DENSE_ARRAY) || !list->count ||
            list->type->width != 64)
            return ir_op_error(k->function,
                               "ttl.core_ranges: entry %u is no array of 64 bits, of a "
                               "port and its cores",
                               i);
        for (size_t c = 0; c < p->n_cbs; c++)
            if (p->cbs[c].port == ir_dense_array_int(list, 0)) {
                p->cbs[c].cores = list;
                p->cbs[c].y = k->y;
                p->cbs[c].x = k->x;
                p->cbs[c].columns = k->columns;
            }
    }
    return true;
}

static bool is_on(const dev_cb_spec *c, const dev_core *core)
{
    enum { WORD = 64 };
    if (!c->cores)
        return !c->rows || (core->y >= c->y && core->y < c->y + c->rows &&
                            core->x >= c->x && core->x < c->x + c->columns);
    const int64_t n = (int64_t)(core->y - c->y) * c->columns + (core->x - c->x);
    return n >= 0 && 1 + n / WORD < (int64_t)c->cores->count &&
           ((uint64_t)ir_dense_array_int(c->cores, (size_t)(1 + n / WORD)) >> n % WORD & 1);
}

/* Allocates the maximum number of semaphores, then declares those of the kernels. */
static bool complete_semaphores(dev_program *p)
{
    dev_semaphore *all =
        TW_ARENA_ARRAY(&p->arena, dev_semaphore, p->n_semaphores + DEV_MAX_SEMAPHORES);
    if (p->n_semaphores)
        memcpy(all, p->semaphores, p->n_semaphores * sizeof *all);
    p->semaphores = all;
    for (size_t i = 0; i < p->n_kernels; i++)
        if (!declare_semaphores(p, p->kernels[i].function) ||
            !limit_buffers(p, &p->kernels[i]))
            return false;
    for (size_t i = 0; i < p->n_semaphores; i++)
        p->semaphore_count = TW_MAX(p->semaphore_count, all[i].id + 1);
    return true;
}

bool dev_program_compile(dev_machine *m, dev_program *p, bool *out_unsupported)
{
    *out_unsupported = false;
    if (!complete_semaphores(p))
        return false;
    for (size_t i = 0; i < p->n_kernels; i++) {
        dev_kernel *k = &p->kernels[i];
        for (int list = 0; list < DEV_ARG_LISTS; list++)
            k->values[list] = TW_ARENA_ARRAY(
                &p->arena, int64_t, k->n_args[list] * (size_t)(k->rows * k->columns) + 1);
        dev_native *native = dev_native_of(m->natives, k->function);
        if (native
                ? !build_native(m, p, native, k)
                : !dev_code_compile(&p->arena, m, k->function, &k->code, out_unsupported))
            return false;
    }
    return true;
}

void dev_program_free(dev_program *p)
{
    for (size_t i = 0; i < p->n_kernels; i++)
        dev_code_free(&p->kernels[i].code);
    free(p->threads);
    dev_tapes_free(p->tapes);
    tw_arena_free(&p->arena);
    *p = (dev_program){0};
}

/* ---- cores ------------------------------------------------------------------------- */

static void configure_core(dev_machine *m, const dev_program *p, dev_core *core)
{
    uint32_t base = (uint32_t)m->chip->l1_base - DEV_MAX_SEMAPHORES * 16;
    for (int i = 0; i < core->n_live; i++)
        core->cb[core->live[i]] = (dev_cb){0};
    memset(core->changes, 0, sizeof core->changes);
    size_t times = 0;
    for (size_t i = 0; i < p->n_cbs; i++)
        times += 2 * (size_t)p->cbs[i].pages;
    const size_t room = 2 * times; /* after two times per page: pad and holds */
    if (room > core->cb_times_capacity) {
        core->cb_times = tw_xrealloc(core->cb_times, room * sizeof(double));
        core->cb_times_capacity = room;
    }
    for (size_t i = 0; i < room; i++)
        core->cb_times[i] = 0;
    if (m->races && times > core->n_clocks) {
        core->clocks = tw_xrealloc(core->clocks, times * sizeof *core->clocks);
        core->n_clocks = times;
    }
    if (m->races && times)
        memset(core->clocks, 0, times * sizeof *core->clocks);
    core->n_live = 0;
    double *next = core->cb_times;
    dev_clock *next_clock = core->clocks;
    for (size_t i = 0; i < p->n_cbs; i++) {
        const dev_cb_spec *c = &p->cbs[i];
        if (!is_on(c, core))
            continue;
        core->cb[c->port] = (dev_cb){.live = true,
                                     .format = c->format,
                                     .base = c->base,
                                     .page = c->page,
                                     .pages = c->pages,
                                     .tile = (uint32_t)dev_tile_bytes(c->format),
                                     .name = c->name};
        core->live[core->n_live++] = (uint8_t)c->port;
        core->cb[c->port].pushed_at = next;
        core->cb[c->port].popped_at = next + c->pages;
        core->cb[c->port].pad = (dev_pad *)(void *)(next + 2 * (size_t)c->pages);
        core->cb[c->port].holds = (uint8_t *)(next + 3 * (size_t)c->pages);
        next += 4 * (size_t)c->pages;
        if (m->races) {
            core->cb[c->port].pushed_by = next_clock;
            core->cb[c->port].popped_by = next_clock + c->pages;
            next_clock += 2 * (size_t)c->pages;
        }
        for (uint32_t k = 0; m->tensors.padded && !c->fresh && k < c->pages;
             k++) /* a tensor lies there */
            core->cb[c->port].pad[k] =
                dev_pad_of_l1(m, core, c->base + (size_t)k * c->page);
        if (c->fresh)
            dev_mark(&core->l1, c->base, (size_t)c->page * c->pages, DEV_UNDEFINED);
    }
    dev_mark(&core->l1, base, DEV_MAX_SEMAPHORES * 16, DEV_DEFINED);
    for (size_t i = 0; i < p->n_semaphores; i++)
        memcpy(core->l1.bytes + base + p->semaphores[i].id * 16, &p->semaphores[i].value,
               4);
}

/* True if an earlier kernel of the program also runs on the core. */
static bool served_before(const dev_program *p, size_t kernel, int y, int x)
{
    for (size_t i = 0; i < kernel; i++) {
        const dev_kernel *k = &p->kernels[i];
        if (y >= k->y && y < k->y + k->rows && x >= k->x && x < k->x + k->columns)
            return true;
    }
    return false;
}

static void configure_cores(dev_machine *m, const dev_program *p)
{
    for (size_t i = 0; i < p->n_kernels; i++) {
        const dev_kernel *k = &p->kernels[i];
        for (int y = k->y; y < k->y + k->rows; y++)
            for (int x = k->x; x < k->x + k->columns; x++)
                if (!served_before(p, i, y, x))
                    configure_core(m, p, dev_core_at(m, y, x));
    }
}

/* ---- threads ----------------------------------------------------------------------- */

/* Arguments as kernels see them: addresses are the tensors' present ones. */
/* The value of an argument: a 32-bit word, sign-extended in registers. */
static int64_t argument_of(const dev_machine *m, const dev_program *p, const dev_arg *a)
{
    if (a->kind == DEV_ARG_ADDRESS || a->kind == DEV_ARG_ACCESSOR) {
        const int64_t tensor = p->tensors ? (int64_t)p->tensors[a->value] : a->value;
        return a->kind == DEV_ARG_ADDRESS ? (int64_t)m->tensors.buffers[tensor].address
                                          : tensor + 1;
    }
    return a->value == (uint32_t)a->value ? (int32_t)a->value : a->value;
}

static void resolve(const dev_machine *m, const dev_program *p, dev_kernel *k)
{
    for (int list = 0; list < DEV_ARG_LISTS; list++) {
        size_t n =
            k->n_args[list] *
            (list == DEV_ARGS_RUNTIME && k->per_core ? (size_t)(k->rows * k->columns) : 1);
        for (size_t i = 0; i < n; i++)
            k->values[list][i] = argument_of(m, p, &k->args[list][i]);
    }
}

static void set_up_compute(dev_machine *m, dev_thread *t, const dev_kernel *k)
{
    if (!t->compute)
        t->compute = tw_xcalloc(1, sizeof *t->compute);
    dev_compute *c = t->compute;
    memset(c, 0, offsetof(dev_compute, dst.slot));
    for (int i = 0; i < DEV_MAX_DST; i++) {
        c->dst.slot[i].written = NULL;
        c->dst.slot[i].half = NULL;
        c->dst.slot[i].page = NULL;
        c->dst.slot[i].late.kind = NULL;
        c->dst.slot[i].integer = c->dst.slot[i].read = false;
    }
    t->is_compute = true;
    c->dst.wide = k->wide;
    c->dst.full_sync = k->full_sync;
    c->approx = k->approx;
    c->formats.unpack_to_dst = k->unpack_to_dst;
    c->phases = k->phases ? k->phases : 4;
    c->dst.capacity = dev_dst_capacity(m->chip, c->dst.wide, c->dst.full_sync);
    bool half = false, brain = false;
    for (int i = 0; i < DEV_MAX_CBS; i++)
        if (t->core->cb[i].live) {
            half |= t->core->cb[i].format == TW_F16;
            brain |= t->core->cb[i].format != TW_F16;
        }
    c->dst.format = c->dst.wide ? DEV_DST_F32 : half && !brain ? DEV_DST_F16 : DEV_DST_BF16;
    c->unit = (dev_matrix_unit){m->options.numerics, c->phases, c->dst.format,
                                strcmp(m->chip->arch, "wormhole_b0") == 0};
    c->math = c->pack = c->dst.section[0] = c->dst.section[1] = t->now;
}

static tw_status start(dev_machine *m, const dev_kernel *k)
{
    for (int i = 0; i < k->rows * k->columns; i++) {
        dev_core *core = dev_core_at(m, k->y + i / k->columns, k->x + i % k->columns);
        dev_thread *t = dev_thread_add(m, core, &k->code);
        if (t->reg_capacity < k->code.n_regs) {
            t->reg = tw_xrealloc(t->reg, k->code.n_regs * sizeof *t->reg);
            t->reg_capacity = k->code.n_regs;
        }
        memcpy(t->reg, k->code.image, k->code.n_regs * sizeof *t->reg);
        for (int list = 0; list < DEV_ARG_LISTS; list++) {
            t->args[list] = k->values[list];
            t->arg_specs[list] = k->args[list];
            t->n_args[list] = k->n_args[list];
        }
        if (k->per_core)
            t->args[DEV_ARGS_RUNTIME] += (size_t)i * k->n_args[DEV_ARGS_RUNTIME];
        t->at = k->function;
        if (k->code.compute)
            set_up_compute(m, t, k);
        else
            t->noc = k->noc;
        t->tensor_pages = k->tensor_pages;
        if (t->fiber)
            tw_fiber_restart(t->fiber);
        else
            TW_TRY(tw_fiber_create(dev_code_run, t, 256 * 1024, &t->fiber));
    }
    return TW_SUCCESS;
}

static void keep_figures(const dev_machine *m, dev_program *p)
{
    p->n_threads = 0;
    p->noc_bytes = m->profile.noc_bytes;
    p->dram_bytes = m->profile.dram_bytes;
    p->noc_transfers = m->profile.noc_transfers;
    for (size_t i = 0; i < m->n_threads; i++) {
        const dev_thread *t = m->threads[i];
        double end =
            t->is_compute ? fmax(t->now, fmax(t->compute->math, t->compute->pack)) : t->now;
        dev_figures f = {.y = t->core->y,
                         .x = t->core->x,
                         .function = t->code->function,
                         .cycles = end - m->begin,
                         .operations = t->steps};
        memcpy(f.stalled, t->stalled, sizeof f.stalled);
        TW_PUSH(p->threads, p->n_threads, p->threads_capacity, f);
    }
}

bool dev_program_sees_bytes(const dev_program *p)
{
    bool sees = false;
    for (size_t i = 0; i < p->n_kernels; i++)
        sees |= p->kernels[i].code.sees_bytes || p->kernels[i].code.entry;
    return sees;
}

/* Runs the threads instruction by instruction (not from a tape). */
static tw_status execute(dev_machine *m, dev_program *p)
{
    m->work.defers =
        dev_does_at_once(m) && !dev_is_watched(m) && !dev_program_sees_bytes(p);
    for (size_t i = 0; i < p->n_kernels; i++)
        TW_TRY(start(m, &p->kernels[i]));
    dev_races_begin(m);
    if (m->work.jobs)
        dev_jobs_begin(m->work.jobs);
    dev_machine_run(m);
    if (m->work.jobs)
        dev_jobs_end(m->work.jobs);
    p->cycles = m->finish - m->begin;
    keep_figures(m, p);
    if (m->delays)
        dev_delays_end_program(m);
    if (m->speed)
        dev_speed_end_program(m, p);
    return m->cancelled ? tw_error(TW_CANCELLED, "interrupted") : TW_SUCCESS;
}

static tw_status execute_and_record(dev_machine *m, dev_program *p)
{
    dev_recording recording = {0};
    m->work.recording = &recording;
    m->work.saw_bytes = false;
    tw_status status = execute(m, p);
    if (status == TW_SUCCESS)
        dev_tapes_keep(m, p);
    m->work.recording = NULL;
    free(recording.jobs);
    return status;
}

/* Starts this process's second host thread; without it one thread does everything. */
static void find_second_thread(dev_machine *m)
{
    if (!m->options.two_threads || (m->work.jobs && dev_jobs_are_here(m->work.jobs)))
        return;
    dev_jobs_destroy(m->work.jobs);
    m->work.jobs = NULL;
    tw_status_free(dev_jobs_create(&m->work.jobs));
}

tw_status dev_program_run(dev_machine *m, dev_program *p)
{
    find_second_thread(m);
    m->begin = m->finish;
    const size_t cores = (size_t)(m->chip->grid_y * m->chip->grid_x);
    m->profile.noc_bytes = m->profile.dram_bytes = m->profile.noc_transfers =
        m->profile.n_spans = 0;
    m->profile.spans_lost = 0;
    m->profile.matrix_flops = 0;
    memset(m->profile.core_bytes, 0, cores * sizeof *m->profile.core_bytes);
    memset(m->profile.bank_bytes, 0,
           (size_t)m->chip->dram_banks * sizeof *m->profile.bank_bytes);
    memset(m->profile.busy, 0, cores * sizeof *m->profile.busy);
    for (size_t i = 0; m->debug && i < m->debug->n; i++)
        TW_TRY(dev_break_check(m, p, &m->debug->breaks[i]));
    if (m->speed)
        dev_speed_begin_program(m, p);
    configure_cores(m, p);
    for (size_t i = 0; i < p->n_kernels; i++)
        resolve(m, p, &p->kernels[i]);
    if (p->abandoned != m->work.abandoned) { /* a run may have been changing them */
        p->tapes = NULL;
        p->abandoned = m->work.abandoned;
    }
    if (!dev_is_watched(m) && dev_tapes_play(m, p))
        return m->cancelled ? tw_error(TW_CANCELLED, "interrupted") : TW_SUCCESS;
    return !dev_is_watched(m) && dev_tapes_want(m, p) ? execute_and_record(m, p)
                                                      : execute(m, p);
}

/* ---- profile ------------------------------------------------------------------------- */

static void put_figures(const char *core, const dev_figures *t, tw_strbuf *out)
{
    tw_str name = ir_symbol_name(t->function);
    tw_strbuf_printf(out, "%-5s @%-17.*s%9.0f%11.0f%10.0f%9.0f%9.0f%8llu\n", core,
                     (int)name.size, name.data, t->cycles, t->stalled[DEV_WAIT_CB_SPACE],
                     t->stalled[DEV_WAIT_CB_DATA], t->stalled[DEV_WAIT_SEMAPHORE],
                     t->stalled[DEV_WAIT_BARRIER], (unsigned long long)t->operations);
}

/* One line per kernel: means over its cores. */
static void put_means(const dev_program *p, tw_strbuf *out)
{
    for (size_t i = 0; i < p->n_threads; i++) {
        dev_figures mean = {.function = p->threads[i].function};
        unsigned n = 0;
        bool first = true;
        for (size_t k = 0; k < p->n_threads; k++) {
            const dev_figures *t = &p->threads[k];
            if (t->function != mean.function)
                continue;
            first &= k >= i;
            n++;
            mean.cycles += t->cycles;
            mean.operations += t->operations;
            for (int w = 0; w < DEV_WAIT_COUNT; w++)
                mean.stalled[w] += t->stalled[w];
        }
        if (!first)
            continue;
        mean.cycles /= n;
        mean.operations /= n;
        for (int w = 0; w < DEV_WAIT_COUNT; w++)
            mean.stalled[w] /= n;
        char cores[16];
        snprintf(cores, sizeof cores, "%ux", n);
        put_figures(cores, &mean, out);
    }
}

void dev_program_profile(const dev_machine *m, const dev_program *p, tw_strbuf *out)
{
    enum { MAX_LINES = 48 };
    static const char *const levels[] = {"value", "fidelity", "bit"};
    tw_strbuf_printf(out,
                     "program: %.0f cycles, %.2f us on %s after %.2f us of launch; numbers "
                     "by %s\n"
                     "%llu transfers, %llu bytes on the NoC, %llu of DRAM\n",
                     p->cycles, p->cycles / m->chip->clock_ghz / 1000, m->chip->name,
                     m->chip->cost.launch_us, levels[m->options.numerics],
                     (unsigned long long)p->noc_transfers, (unsigned long long)p->noc_bytes,
                     (unsigned long long)p->dram_bytes);
    tw_strbuf_puts(
        out, "core  kernel               cycles wait space wait data wait sem wait noc"
             "     ops\n");
    if (p->n_threads > MAX_LINES)
        put_means(p, out);
    for (size_t i = 0; i < p->n_threads && p->n_threads <= MAX_LINES; i++) {
        char core[16];
        snprintf(core, sizeof core, "%2d,%-2d", p->threads[i].y, p->threads[i].x);
        put_figures(core, &p->threads[i], out);
    }
    if (m->options.profile)
        dev_trace_text(m, p, out);
}
