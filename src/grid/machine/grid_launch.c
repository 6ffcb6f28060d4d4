/* grid_launch.c: launches of tilewright/grid.h: checked once, run many times, reported. */
#include "grid/machine/grid.h"
#include "ir/diagnostic_print.h"
#include "support/guard.h"

#include <stdlib.h>

void grid_log_begin(tw_grid *grid, const tw_kernels *kernels)
{
    ir_diagnostic_log_clear(&grid->log);
    grid->log.quotes.text = kernels->text;
    grid->log.quotes.name = kernels->name;
    grid->m->ctx = kernels->ctx;
}

/* ---- creation ---------------------------------------------------------------------- */

static tw_status copy_args(tw_launch *l, const tw_launch_spec *spec,
                           const tw_kernel_run *run, const tw_kernel_arg *from, size_t n,
                           size_t times, dev_kernel *k, int list)
{
    static const dev_arg_kind kinds[] = {
        [TW_ARG_NUMBER] = DEV_ARG_NUMBER,       [TW_ARG_CB] = DEV_ARG_CB,
        [TW_ARG_ADDRESS] = DEV_ARG_ADDRESS,     [TW_ARG_ACCESSOR] = DEV_ARG_ACCESSOR,
        [TW_ARG_SEMAPHORE] = DEV_ARG_SEMAPHORE,
    };
    k->n_args[list] = n;
    k->args[list] = TW_ARENA_ARRAY(&l->program.arena, dev_arg, n * times + 1);
    for (size_t i = 0; i < n * times; i++) {
        int64_t value = from[i].value;
        size_t limit = from[i].kind == TW_ARG_SEMAPHORE ? spec->n_semaphores
                       : from[i].kind == TW_ARG_CB      ? DEV_MAX_CBS
                                                        : spec->n_tensors;
        if ((unsigned)from[i].kind > TW_ARG_SEMAPHORE)
            return tw_error(TW_INVALID, "argument %zu of @%s is of no kind", i,
                            run->function);
        if (from[i].kind != TW_ARG_NUMBER && (value < 0 || (uint64_t)value >= limit))
            return tw_error(TW_INVALID,
                            "argument %zu of @%s names %s %lld; the launch has %zu", i,
                            run->function,
                            from[i].kind == TW_ARG_SEMAPHORE ? "semaphore"
                            : from[i].kind == TW_ARG_CB      ? "circular buffer"
                                                             : "tensor",
                            (long long)value, limit);
        k->args[list][i] = (dev_arg){kinds[from[i].kind], value};
    }
    return TW_SUCCESS;
}

static tw_status copy_kernel(tw_launch *l, const tw_launch_spec *spec,
                             const tw_kernel_run *run, dev_kernel *k)
{
    const tw_kernels *module = l->kernels;
    const dev_chip *chip = module->grid->m->chip;
    for (size_t i = 0; i < module->count && !k->function; i++)
        if (run->function && strcmp(module->at[i].name, run->function) == 0)
            k->function = module->at[i].function;
    if (!k->function)
        return tw_error(TW_NOT_FOUND, "%s has no kernel @%s", module->name,
                        run->function ? run->function : "");
    if (!dev_cores_exist(chip, run->row, run->column, run->rows, run->columns))
        return tw_error(TW_INVALID,
                        "@%s on %dx%d cores from %d,%d: the %s has %dx%d workers",
                        run->function, run->rows, run->columns, run->row, run->column,
                        chip->name, chip->grid_y, chip->grid_x);
    if (run->fidelity < 0 || run->fidelity > 4 || run->noc < 0 || run->noc > 1)
        return tw_error(TW_INVALID, "@%s: fidelity %d, NoC %d: there are 1 to 4, and 0, 1",
                        run->function, run->fidelity, run->noc);
    k->y = run->row, k->x = run->column, k->rows = run->rows, k->columns = run->columns;
    k->noc = run->noc;
    k->tensor_pages = run->tensor_pages;
    k->phases = run->fidelity;
    k->wide = run->wide_dst, k->full_sync = run->full_sync, k->approx = run->approximate;
    k->unpack_to_dst = run->unpack_to_dst;
    k->per_core = run->args_per_core;
    size_t times = run->args_per_core ? (size_t)(run->rows * run->columns) : 1;
    TW_TRY(copy_args(l, spec, run, run->args, run->n_args, times, k, DEV_ARGS_RUNTIME));
    TW_TRY(copy_args(l, spec, run, run->common_args, run->n_common_args, 1, k,
                     DEV_ARGS_COMMON));
    return copy_args(l, spec, run, run->compile_args, run->n_compile_args, 1, k,
                     DEV_ARGS_COMPILE_TIME);
}

/* A core runs at most one compute kernel and two data movement kernels. */
static tw_status check_threads(const tw_launch *l)
{
    const dev_program *p = &l->program;
    for (size_t a = 0; a < p->n_kernels; a++) {
        const dev_kernel *k = &p->kernels[a];
        size_t same = 0;
        for (size_t b = 0; b < p->n_kernels; b++) {
            const dev_kernel *o = &p->kernels[b];
            same += k->code.compute == o->code.compute && k->y < o->y + o->rows &&
                    o->y < k->y + k->rows && k->x < o->x + o->columns &&
                    o->x < k->x + k->columns && o->y <= k->y && o->x <= k->x;
        }
        if (same > (k->code.compute ? 1 : 2))
            return tw_error(
                TW_INVALID, "core %d,%d would run %zu %s kernels; a core has %s", k->y,
                k->x, same, k->code.compute ? "compute" : "data movement",
                k->code.compute ? "one thread for them" : "two threads for them");
    }
    return TW_SUCCESS;
}

/* Returns the lowest address at which plain pointers of kernels in C++ work
 * (native_guard.c). */
static uint64_t first_address(const tw_launch *l, size_t n_kernels)
{
    const tw_grid *grid = l->kernels->grid;
    bool native = false;
    for (size_t i = 0; i < n_kernels; i++)
        native |= dev_native_of(&grid->natives, l->program.kernels[i].function) != NULL;
    return native ? TW_MAX(grid->m->chip->l1_base, (size_t)DEV_NATIVE_POINTERS)
                  : grid->m->chip->l1_base;
}

static tw_status copy_cbs(tw_launch *l, const tw_launch_spec *spec)
{
    dev_program *p = &l->program;
    const dev_chip *chip = l->kernels->grid->m->chip;
    uint64_t seen = 0, at = tw_align_up(first_address(l, spec->n_kernels), 1024);
    p->cbs = TW_ARENA_ARRAY(&p->arena, dev_cb_spec, spec->n_cbs + 1);
    l->cb_tensor = TW_ARENA_ARRAY(&p->arena, int, spec->n_cbs + 1);
    p->n_cbs = spec->n_cbs;
    for (size_t i = 0; i < spec->n_cbs; i++) {
        const tw_cb_config *c = &spec->cbs[i];
        size_t page = c->page_bytes ? c->page_bytes : dev_tile_bytes(c->dtype);
        if (c->port < 0 || c->port >= chip->circular_buffers || seen >> c->port & 1)
            return tw_error(TW_INVALID, "circular buffer %d is %s; there are %d", c->port,
                            c->port < 0 || c->port >= chip->circular_buffers
                                ? "out of range"
                                : "given twice",
                            chip->circular_buffers);
        seen |= UINT64_C(1) << c->port;
        if (!page || page % (size_t)chip->l1_align)
            return tw_error(TW_INVALID,
                            "circular buffer %d: pages of %zu bytes of %s; a page is a "
                            "multiple of %d bytes",
                            c->port, page, tw_dtype_name(c->dtype), chip->l1_align);
        if (c->pages <= 0 || c->pages > (int64_t)(chip->l1_bytes / page))
            return tw_error(
                c->pages > 0 ? TW_RESOURCE : TW_INVALID,
                "circular buffer %d: %lld pages of %zu bytes of %s; a core's L1 "
                "has %zu bytes, room for %zu",
                c->port, (long long)c->pages, page, tw_dtype_name(c->dtype), chip->l1_bytes,
                chip->l1_bytes / page);
        l->cb_tensor[i] = c->aliases ? c->tensor : -1;
        if (c->aliases && (c->tensor < 0 || (size_t)c->tensor >= spec->n_tensors))
            return tw_error(TW_INVALID, "circular buffer %d lies on tensor %d of %zu",
                            c->port, c->tensor, spec->n_tensors);
        p->cbs[i] = (dev_cb_spec){
            .port = c->port,
            .format = c->dtype,
            .base = (uint32_t)at,
            .page = (uint32_t)page,
            .pages = (uint32_t)c->pages,
            .fresh = !c->aliases,
            .name = c->name ? tw_arena_printf(&p->arena, "%s", c->name) : NULL};
        if (!c->aliases)
            at = tw_align_up(at + page * (size_t)c->pages, page % 1024 ? 64 : 1024);
    }
    l->cb_end = at;
    return TW_SUCCESS;
}

static tw_status copy_semaphores(tw_launch *l, const tw_launch_spec *spec)
{
    dev_program *p = &l->program;
    if (spec->n_semaphores > DEV_MAX_SEMAPHORES)
        return tw_error(TW_RESOURCE, "%zu semaphores; a core has %d", spec->n_semaphores,
                        DEV_MAX_SEMAPHORES);
    p->n_semaphores = spec->n_semaphores;
    p->semaphores = TW_ARENA_ARRAY(&p->arena, dev_semaphore, p->n_semaphores + 1);
    for (size_t i = 0; i < p->n_semaphores; i++)
        p->semaphores[i] = (dev_semaphore){(uint32_t)i, spec->semaphores[i]};
    return TW_SUCCESS;
}

static tw_status prepare(tw_launch *l, const tw_launch_spec *spec)
{
    tw_grid *grid = l->kernels->grid;
    dev_program *p = &l->program;
    p->kernels = TW_ARENA_ARRAY(&p->arena, dev_kernel, spec->n_kernels + 1);
    for (size_t i = 0; i < spec->n_kernels; i++)
        TW_TRY(copy_kernel(l, spec, &spec->kernels[i], &p->kernels[i]));
    TW_TRY(copy_cbs(l, spec));
    TW_TRY(copy_semaphores(l, spec));
    l->tensors = TW_ARENA_ARRAY(&p->arena, tw_grid_tensor *, spec->n_tensors + 1);
    for (size_t i = 0; i < spec->n_tensors; i++) {
        if (!spec->tensors[i] || spec->tensors[i]->grid != grid)
            return tw_error(TW_INVALID, "tensor %zu is not on this grid", i);
        l->tensors[l->n_tensors++] = spec->tensors[i];
        spec->tensors[i]->references++;
    }
    p->tensors = TW_ARENA_ARRAY(&p->arena, size_t, spec->n_tensors + 1);
    for (size_t i = 0; i < spec->n_tensors; i++)
        p->tensors[i] = spec->tensors[i]->index;
    p->n_kernels = spec->n_kernels;
    bool unsupported;
    grid_log_begin(grid, l->kernels);
    bool ok = dev_program_compile(grid->m, p, &unsupported);
    ir_flush_diagnostics(grid->m->ctx);
    if (!ok)
        return tw_error(unsupported ? TW_UNSUPPORTED : TW_INVALID, "%s",
                        tw_strbuf_text(&grid->log.text));
    return check_threads(l);
}

TW_UNDER_GUARD guarded_launch_create(tw_kernels *kernels, const tw_launch_spec *spec,
                                     tw_launch **out_launch)
{
    tw_launch *l = tw_xcalloc(1, sizeof *l);
    l->kernels = kernels;
    kernels->references++;
    tw_status status = prepare(l, spec);
    if (status == TW_SUCCESS)
        *out_launch = l;
    else
        tw_launch_destroy(l);
    return status;
}

TW_EXPORT tw_status tw_launch_create(tw_kernels *kernels, const tw_launch_spec *spec,
                                     tw_launch **out_launch)
{
    GRID_ENTER(kernels->grid);
    TW_RETURN_GUARDED(guarded_launch_create(kernels, spec, out_launch));
}

TW_EXPORT void tw_launch_destroy(tw_launch *l)
{
    if (!l)
        return;
    GRID_ENTER(l->kernels->grid);
    for (size_t i = 0; i < l->n_tensors; i++)
        grid_tensor_release(l->tensors[i]);
    dev_program_free(&l->program);
    grid_kernels_release(l->kernels);
    tw_arena_free(&l->arena);
    tw_strbuf_free(&l->profile);
    tw_strbuf_free(&l->json);
    tw_strbuf_free(&l->csv);
    tw_strbuf_free(&l->html);
    tw_strbuf_free(&l->delays);
    tw_strbuf_free(&l->helps.text);
    tw_strbuf_free(&l->helps.json);
    tw_arena_free(&l->helps.arena);
    dev_debug_free(&l->debugger.debug);
    free(l->replay.delays.at);
    free(l);
}

/* True if a kernel in C++ may have been compiled for properties of the tensor: its page
 * size, its memory. */
static bool is_built_in(const tw_launch *l, size_t tensor)
{
    for (size_t k = 0; k < l->program.n_kernels; k++) {
        const dev_kernel *kernel = &l->program.kernels[k];
        for (size_t i = 0; kernel->code.native && i < kernel->n_args[DEV_ARGS_COMPILE_TIME];
             i++) {
            const dev_arg *a = &kernel->args[DEV_ARGS_COMPILE_TIME][i];
            if (a->kind == DEV_ARG_ACCESSOR && (size_t)a->value == tensor)
                return true;
        }
    }
    return false;
}

TW_EXPORT tw_status tw_launch_set_tensor(tw_launch *l, size_t i, tw_grid_tensor *tensor)
{
    GRID_ENTER(l->kernels->grid);
    if (i >= l->n_tensors || !tensor || tensor->grid != l->kernels->grid)
        return tw_error(TW_INVALID, "tensor %zu of a launch with %zu, or of another grid",
                        i, l->n_tensors);
    const dev_buffer *old = &tensor->grid->m->tensors.buffers[l->tensors[i]->index],
                     *now = &tensor->grid->m->tensors.buffers[tensor->index];
    if ((old->page != now->page || old->space != now->space) && is_built_in(l, i))
        return tw_error(
            TW_INVALID,
            "tensor %zu has pages of %zu bytes, the launch's had %zu (or it lies in "
            "another memory), and kernels in C++ are compiled for them: make "
            "another launch",
            i, now->page, old->page);
    tensor->references++;
    grid_tensor_release(l->tensors[i]);
    l->tensors[i] = tensor;
    return TW_SUCCESS;
}

TW_EXPORT tw_status tw_launch_set_arg(tw_launch *l, size_t kernel, int core, size_t i,
                                      int64_t value)
{
    GRID_ENTER(l->kernels->grid);
    int list = core < 0 ? DEV_ARGS_COMMON : DEV_ARGS_RUNTIME;
    dev_kernel *k = kernel < l->program.n_kernels ? &l->program.kernels[kernel] : NULL;
    size_t at = k && core > 0 && k->per_core ? (size_t)core * k->n_args[list] + i : i;
    if (!k || i >= k->n_args[list] || core >= k->rows * k->columns ||
        k->args[list][at].kind != DEV_ARG_NUMBER)
        return tw_error(TW_INVALID, "kernel %zu has no number as argument %zu of core %d",
                        kernel, i, core);
    k->args[list][at].value = value;
    return TW_SUCCESS;
}

/* ---- running ----------------------------------------------------------------------- */

/* Checks that circular buffers, which grow from below, and tensors, which grow from above,
 * do not overlap. */
static tw_status check_l1(tw_launch *l)
{
    const dev_machine *m = l->kernels->grid->m;
    uint64_t lowest = m->chip->l1_bytes;
    for (size_t i = 0; i < m->tensors.n; i++)
        if (m->tensors.buffers[i].live && dev_space_is_l1(m->tensors.buffers[i].space))
            lowest = TW_MIN(lowest, m->tensors.buffers[i].address);
    if (l->cb_end <= lowest)
        return TW_SUCCESS;
    tw_strbuf map = {0};
    for (size_t i = 0; i < l->program.n_cbs; i++) {
        const dev_cb_spec *c = &l->program.cbs[i];
        if (l->cb_tensor[i] < 0)
            tw_strbuf_printf(&map,
                             "\n  0x%08x  %u bytes: circular buffer %d, %u pages of %u",
                             c->base, c->page * c->pages, c->port, c->pages, c->page);
    }
    for (size_t i = 0; i < m->tensors.n; i++)
        if (m->tensors.buffers[i].live && dev_space_is_l1(m->tensors.buffers[i].space))
            tw_strbuf_printf(&map, "\n  0x%08llx  %zu bytes: a tensor of %s",
                             (unsigned long long)m->tensors.buffers[i].address,
                             m->tensors.buffers[i].per_bank,
                             tw_dtype_name(m->tensors.buffers[i].format));
    tw_status status =
        tw_error(TW_RESOURCE,
                 "L1 is over-subscribed: circular buffers end at 0x%llx, %s at 0x%llx:%s",
                 (unsigned long long)l->cb_end,
                 lowest == m->chip->l1_bytes ? "L1 ends" : "tensors begin",
                 (unsigned long long)lowest, tw_strbuf_text(&map));
    tw_strbuf_free(&map);
    return status;
}

/* Binds the tensors' present addresses: argument values, and buffers that alias them. */
static tw_status bind(tw_launch *l)
{
    dev_machine *m = l->kernels->grid->m;
    for (size_t i = 0; i < l->n_tensors; i++)
        l->program.tensors[i] = l->tensors[i]->index;
    for (size_t i = 0; i < l->program.n_cbs; i++) {
        dev_cb_spec *c = &l->program.cbs[i];
        if (l->cb_tensor[i] < 0)
            continue;
        const dev_buffer *b = &m->tensors.buffers[l->tensors[l->cb_tensor[i]]->index];
        if (b->space != DEV_L1 || b->per_bank < (size_t)c->page * c->pages)
            return tw_error(TW_INVALID,
                            "circular buffer %d of %u bytes lies on tensor %d, which has "
                            "%zu bytes in the L1 of a core",
                            c->port, c->page * c->pages, l->cb_tensor[i],
                            b->space == DEV_L1 ? b->per_bank : 0);
        c->base = (uint32_t)b->address;
    }
    return TW_SUCCESS;
}

static void location_of(tw_launch *l, ir_op *op, const char **file, unsigned *line,
                        unsigned *column)
{
    ir_ident name;
    if (op && ir_loc_position(l->kernels->ctx, op->loc, &name, line, column))
        *file = name->text;
}

static void keep_reports(tw_launch *l)
{
    const dev_machine *m = l->kernels->grid->m;
    tw_strbuf cores = {0};
    tw_arena_reset(&l->arena);
    l->n_reports = m->n_reports;
    l->reports = TW_ARENA_ARRAY(&l->arena, tw_grid_report, m->n_reports + 1);
    for (size_t i = 0; i < m->n_reports; i++) {
        const dev_report *from = &m->reports[i];
        tw_grid_report *to = &l->reports[i];
        tw_str kernel = dev_report_kernel(from);
        char *text = dev_report_text(m, from);
        cores.size = 0;
        dev_cores_print(m, from->cores, &cores);
        *to = (tw_grid_report){
            .kind = dev_report_name(from->what),
            .warning = dev_report_warns(from),
            .text = tw_arena_copy(&l->arena, text, strlen(text)),
            .cores = tw_arena_copy(&l->arena, tw_strbuf_text(&cores), cores.size),
            .kernel = tw_arena_copy(&l->arena, kernel.data, kernel.size),
            .note = from->note ? tw_arena_printf(&l->arena, "%s", from->note) : NULL,
            .row = from->y,
            .column_of_core = from->x,
            .times = from->times,
            .cycle = from->cycle};
        free(text);
        location_of(l, from->op, &to->file, &to->line, &to->column);
        location_of(l, from->other, &to->note_file, &to->note_line, &to->note_column);
    }
    tw_strbuf_free(&cores);
}

TW_EXPORT void tw_launch_set_cancel(tw_launch *l, const volatile int *cancel)
{
    l->kernels->grid->m->options.cancel = cancel;
}

TW_UNDER_GUARD run_launch(tw_launch *l)
{
    tw_grid *grid = l->kernels->grid;
    dev_machine *m = grid->m;
    grid_log_begin(grid, l->kernels);
    l->profile.size = 0;
    l->ran = false;
    tw_strbuf_free(&l->json);
    tw_strbuf_free(&l->csv);
    tw_strbuf_free(&l->html);
    l->n_reports = 0;
    TW_TRY(check_l1(l));
    TW_TRY(bind(l));
    m->n_semaphores = l->program.semaphore_count;
    dev_delays replayed = {.given = &l->replay.delays};
    const bool replays = !m->delays && l->replay.delays.n;
    if (replays)
        m->delays = &replayed;
    m->profile.helps = l->helps.json.size ? tw_strbuf_text(&l->helps.json) : NULL;
    l->debugger.debug.quit = false;
    m->debug = l->debugger.on_stop ? &l->debugger.debug : NULL;
    tw_status status = dev_program_run(m, &l->program);
    m->debug = NULL;
    if (replays)
        m->delays = NULL;
    dev_delays_free(&replayed);
    grid->runs++;
    if (status == TW_SUCCESS) {
        l->ran = true;
        if (m->options.profile) {
            dev_program_profile(m, &l->program, &l->profile);
            dev_trace_perfetto(m, &l->json);
            dev_trace_csv(m, &l->program, grid->runs, &l->csv);
            dev_trace_html(m, &l->program, (tw_str){l->profile.data, l->profile.size},
                           &l->html);
        }
        if (m->n_reports) {
            keep_reports(l);
            size_t n = dev_machine_report(m);
            if (n)
                status = tw_error(TW_INVALID, "%zu problem%s found in kernels:\n%s", n,
                                  n > 1 ? "s" : "", tw_strbuf_text(&grid->log.text));
        } else {
            ir_flush_diagnostics(m->ctx);
        }
    }
    dev_threads_clear(m);
    return status;
}

static tw_status run_guarded(tw_launch *l)
{
    TW_RETURN_GUARDED(run_launch(l));
}

TW_EXPORT tw_status tw_launch_run(tw_launch *l)
{
    GRID_ENTER(l->kernels->grid);
    tw_status status = run_guarded(l);
    if (tw_is_out_of_memory(status)) /* left in the middle of a kernel */
        dev_machine_abandon(l->kernels->grid->m);
    return status;
}

/* ---- results ----------------------------------------------------------------------- */

TW_EXPORT size_t tw_launch_report_count(const tw_launch *l)
{
    return l->n_reports;
}

TW_EXPORT const tw_grid_report *tw_launch_report(const tw_launch *l, size_t i)
{
    return i < l->n_reports ? &l->reports[i] : NULL;
}

TW_EXPORT const char *tw_launch_log(const tw_launch *l)
{
    return tw_strbuf_text(&l->kernels->grid->log.text);
}

TW_EXPORT double tw_launch_cycles(const tw_launch *l)
{
    return l->program.cycles;
}

TW_EXPORT const char *tw_launch_profile(const tw_launch *l)
{
    tw_launch *own = (tw_launch *)l; /* written on first use */
    if (l->ran && !l->profile.size)
        dev_program_profile(l->kernels->grid->m, &l->program, &own->profile);
    return tw_strbuf_text(&l->profile);
}

TW_EXPORT const char *tw_launch_trace_json(const tw_launch *l)
{
    return tw_strbuf_text(&l->json);
}

TW_EXPORT const char *tw_launch_trace_csv(const tw_launch *l)
{
    return tw_strbuf_text(&l->csv);
}

TW_EXPORT const char *tw_launch_trace_html(const tw_launch *l)
{
    return tw_strbuf_text(&l->html);
}
