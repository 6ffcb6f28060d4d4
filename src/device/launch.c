/* launch.c: runs one ttmetal.enqueue_program: configures circular buffers, compiles its
 * kernels, starts a thread for each on each core of its range, and tells what it took. */
#include "device/launch.h"

#include "dialect/ttcore/ttcore.h"
#include "dialect/ttkernel/ttkernel.h"
#include "dialect/ttmetal/ttmetal.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_ARGS = 256 };

typedef struct kernel {
    dev_code code;
    ir_attr config;
    int64_t values[3][MAX_ARGS]; /* runtime, common runtime, compile-time */
    uint8_t kinds[3][MAX_ARGS];
    size_t counts[3];
    int64_t y, x, rows, columns;
} kernel;

typedef struct launch {
    dev_machine *m;
    ir_op *op;
    const dev_operand *operands;
    size_t n_args; /* operands before the circular buffers */
    tw_arena arena;
    kernel *kernels;
    size_t n_kernels;
    bool unsupported;
} launch;

/* ---- arguments --------------------------------------------------------------------- */

static bool argument(launch *l, kernel *k, int list, ir_attr arg)
{
    int64_t type = ir_attr_int(arg->params[0], -1), index = ir_attr_int(arg->params[1], -1),
            value = 0;
    if (k->counts[list] == MAX_ARGS)
        return ir_op_error(l->op, "a kernel takes at most %d arguments of a kind",
                           MAX_ARGS);
    if (type == TTKERNEL_ArgType_CBPort) {
        ir_attr ports = ir_op_attr(l->op, "cb_ports");
        if (index < 0 || (uint64_t)index >= ports->count)
            return ir_op_error(l->op, "cb_port[%lld]: the program has %u circular buffers",
                               (long long)index, ports->count);
        value = ir_dense_array_int(ports, (size_t)index);
    } else {
        if (index < 0 || (uint64_t)index >= l->n_args)
            return ir_op_error(l->op, "a kernel argument names operand %lld of %zu",
                               (long long)index, l->n_args);
        const dev_operand *o = &l->operands[index];
        bool buffer = type == TTKERNEL_ArgType_BufferAddress ||
                      type == TTKERNEL_ArgType_TensorAccessorArgs;
        int wanted = buffer                                    ? DEV_OPERAND_BUFFER
                     : type == TTKERNEL_ArgType_LocalSemaphore ? DEV_OPERAND_SEMAPHORE
                     : type == TTKERNEL_ArgType_Scalar         ? DEV_OPERAND_NUMBER
                                                               : DEV_OPERAND_NONE;
        if (wanted == DEV_OPERAND_NONE) {
            l->unsupported = true;
            return ir_op_error(l->op,
                               "arguments of this kind are not passed to kernels yet: %s",
                               ir_attr_text(l->m->ctx, arg));
        }
        if ((int)o->kind != wanted)
            return ir_op_error(l->op, "operand %lld does not fit the kernel argument %s",
                               (long long)index, ir_attr_text(l->m->ctx, arg));
        value = type == TTKERNEL_ArgType_BufferAddress
                    ? (int64_t)l->m->buffers[o->value].address
                : buffer ? o->value + 1
                         : o->value;
    }
    k->kinds[list][k->counts[list]] = (uint8_t)type;
    k->values[list][k->counts[list]++] = value;
    return true;
}

static bool arguments(launch *l, kernel *k, ir_attr args)
{
    static const int order[] = {1, 0,
                                2}; /* the attribute's: common, runtime, compile-time */
    for (size_t i = 0; i < 3; i++) {
        ir_attr list = args->params[i];
        for (size_t n = 0; list && n < list->count; n++)
            if (!argument(l, k, order[i], list->items[n]))
                return false;
    }
    return true;
}

static bool core_range(launch *l, kernel *k, ir_attr range)
{
    int64_t offset[2] = {0}, size[2] = {0};
    bool two = ir_attr_ints(range->params[0], offset, 2) == 2 &&
               ir_attr_ints(range->params[1], size, 2) == 2;
    const dev_chip *chip = l->m->chip;
    if (!two || offset[0] < 0 || offset[1] < 0 || size[0] <= 0 || size[1] <= 0 ||
        size[0] > chip->grid_y - offset[0] || size[1] > chip->grid_x - offset[1])
        return ir_op_error(l->op, "core range %s does not lie in the %s's %dx%d workers",
                           ir_attr_text(l->m->ctx, range), chip->name, chip->grid_y,
                           chip->grid_x);
    k->y = offset[0], k->x = offset[1], k->rows = size[0], k->columns = size[1];
    return true;
}

static bool prepare_kernel(launch *l, kernel *k, ir_attr config)
{
    bool compute = config->def == TTMETAL_ATTR(compute_config);
    if (!compute && config->def != TTMETAL_ATTR(noc_config)) {
        l->unsupported = true;
        return ir_op_error(
            l->op, "kernels of this kind are not executed by the simulated device: %s",
            ir_attr_text(l->m->ctx, config));
    }
    ir_op *function = ir_symbol_resolve(l->op, config->params[0]);
    if (!function)
        return ir_op_error(l->op, "there is no kernel %s",
                           ir_attr_text(l->m->ctx, config->params[0]));
    k->config = config;
    bool unsupported = false;
    bool ok = dev_code_compile(&l->arena, function, &k->code, &unsupported);
    l->unsupported |= unsupported;
    if (ok && k->code.compute != compute)
        ok = ir_op_error(function,
                         "ttkernel.thread and the program's configuration disagree on the "
                         "kind of thread");
    return ok && core_range(l, k, config->params[1]) && arguments(l, k, config->params[2]);
}

/* ---- circular buffers -------------------------------------------------------------- */

static bool configure_cbs(launch *l, dev_core *core)
{
    ir_attr ports = ir_op_attr(l->op, "cb_ports");
    memset(core->cb, 0, sizeof core->cb);
    for (size_t i = 0; i < ports->count; i++) {
        int64_t port = ir_dense_array_int(ports, i);
        const dev_operand *o = &l->operands[l->n_args + i];
        if (port < 0 || port >= l->m->chip->circular_buffers || core->cb[port].live)
            return ir_op_error(
                l->op, "cb_ports: port %lld is %s; there are %d", (long long)port,
                port < 0 || port >= l->m->chip->circular_buffers ? "out of range"
                                                                 : "given twice",
                l->m->chip->circular_buffers);
        const dev_buffer *b =
            o->kind == DEV_OPERAND_BUFFER ? &l->m->buffers[o->value] : NULL;
        if (!b || b->space != DEV_L1)
            return ir_op_error(l->op, "circular buffer %lld needs a buffer in l1",
                               (long long)port);
        size_t page = dev_tile_bytes(b->format);
        if (b->per_place % page)
            return ir_op_error(
                l->op,
                "circular buffer %lld of %zu bytes does not divide into tiles of %zu",
                (long long)port, b->per_place, page);
        core->cb[port] = (dev_cb){.live = true,
                                  .format = b->format,
                                  .base = (uint32_t)b->address,
                                  .page = (uint32_t)page,
                                  .pages = (uint32_t)(b->per_place / page)};
    }
    return true;
}

/* ---- threads ----------------------------------------------------------------------- */

static void set_up_compute(launch *l, dev_thread *t, ir_attr config)
{
    dev_compute *c = t->compute = tw_xcalloc(1, sizeof *c);
    ir_attr unpack = config->params[7];
    int64_t fidelity = ir_attr_int(config->params[3], 4);
    c->wide = ir_attr_bool(config->params[4]);
    c->full_sync = ir_attr_bool(config->params[5]);
    c->approx = ir_attr_bool(config->params[6]);
    c->unpack_to_dst = unpack && unpack->count && ir_attr_int(unpack->items[0], 1) == 0;
    c->phases = fidelity ? (int)fidelity : 1;
    c->capacity = dev_dst_capacity(l->m->chip, c->wide, c->full_sync);
    bool half = false, brain = false;
    for (int i = 0; i < DEV_MAX_CBS; i++)
        if (t->core->cb[i].live) {
            half |= t->core->cb[i].format == TW_F16;
            brain |= t->core->cb[i].format != TW_F16;
        }
    c->format = c->wide ? DEV_DST_F32 : half && !brain ? DEV_DST_F16 : DEV_DST_BF16;
    c->math = c->pack = c->section[0] = c->section[1] = t->now;
}

static tw_status start(launch *l, kernel *k)
{
    for (int64_t y = k->y; y < k->y + k->rows; y++)
        for (int64_t x = k->x; x < k->x + k->columns; x++) {
            dev_thread *t =
                dev_thread_add(l->m, dev_core_at(l->m, (int)y, (int)x), &k->code);
            t->reg = tw_xcalloc(k->code.n_regs, sizeof *t->reg);
            memcpy(t->reg, k->code.image, k->code.n_regs * sizeof *t->reg);
            for (int i = 0; i < 3; i++) {
                t->args[i] = k->values[i];
                t->arg_kinds[i] = k->kinds[i];
                t->n_args[i] = k->counts[i];
            }
            t->at = k->code.function;
            if (k->code.compute)
                set_up_compute(l, t, k->config);
            else
                t->noc = (int)ir_attr_int(k->config->params[4], 0);
            TW_TRY(tw_fiber_create(dev_code_run, t, 256 * 1024, &t->fiber));
        }
    return TW_SUCCESS;
}

static bool configure_cores(launch *l)
{
    uint32_t base = (uint32_t)l->m->chip->l1_base - DEV_MAX_SEMAPHORES * 16;
    for (size_t i = 0; i < l->n_kernels; i++) {
        const kernel *k = &l->kernels[i];
        for (int64_t y = k->y; y < k->y + k->rows; y++)
            for (int64_t x = k->x; x < k->x + k->columns; x++) {
                dev_core *core = dev_core_at(l->m, (int)y, (int)x);
                if (!configure_cbs(l, core))
                    return false;
                dev_mark(&core->l1, base, DEV_MAX_SEMAPHORES * 16, DEV_DEFINED);
                for (size_t s = 0; s < l->n_args; s++)
                    if (l->operands[s].kind == DEV_OPERAND_SEMAPHORE) {
                        uint32_t value = (uint32_t)ir_op_int(
                            ir_value_def(ir_op_operand(l->op, s)), "initial_value", 0);
                        memcpy(core->l1.bytes + base + l->operands[s].value * 16, &value,
                               4);
                    }
            }
    }
    return true;
}

/* ---- what it took ------------------------------------------------------------------ */

static void show_profile(launch *l, double begin, tw_strbuf *out)
{
    dev_machine *m = l->m;
    tw_strbuf_printf(
        out,
        "program: %.0f cycles, %.2f us on %s; %llu transfers, %llu bytes on the NoC, "
        "%llu of DRAM\n",
        m->finish - begin, (m->finish - begin) / m->chip->clock_ghz / 1000, m->chip->name,
        (unsigned long long)m->noc_transfers, (unsigned long long)m->noc_bytes,
        (unsigned long long)m->dram_bytes);
    tw_strbuf_puts(
        out, "core   kernel                    cycles   wait space    wait data  wait sem  "
             "wait noc  operations\n");
    for (size_t i = 0; i < m->n_threads; i++) {
        const dev_thread *t = m->threads[i];
        tw_str name = ir_symbol_name(t->code->function);
        double end =
            t->compute ? fmax(t->now, fmax(t->compute->math, t->compute->pack)) : t->now;
        tw_strbuf_printf(out, "%2d,%-2d  @%-22.*s %9.0f %12.0f %12.0f %9.0f %9.0f %11llu\n",
                         t->core->y, t->core->x, (int)name.size, name.data, end - begin,
                         t->stalled[DEV_WAIT_CB_SPACE], t->stalled[DEV_WAIT_CB_DATA],
                         t->stalled[DEV_WAIT_SEMAPHORE], t->stalled[DEV_WAIT_BARRIER],
                         (unsigned long long)t->steps);
    }
}

static tw_status run(launch *l, tw_strbuf *profile)
{
    dev_machine *m = l->m;
    double begin = m->finish;
    for (size_t i = 0; i < l->n_kernels; i++)
        TW_TRY(start(l, &l->kernels[i]));
    TW_TRY(dev_machine_run(m));
    show_profile(l, begin, profile);
    size_t reports = dev_machine_report(m);
    if (reports)
        return tw_error(TW_INVALID, "%zu problem%s found in kernels", reports,
                        reports > 1 ? "s" : "");
    return TW_SUCCESS;
}

tw_status dev_launch(dev_machine *m, ir_op *op, const dev_operand *operands,
                     tw_strbuf *profile)
{
    size_t start_of_args;
    launch l = {.m = m, .op = op, .operands = operands};
    ir_attr configs = ir_op_attr(op, "kernelConfigs"), ports = ir_op_attr(op, "cb_ports");
    size_t start_of_cbs, n_cbs;
    if (!ir_op_operand_group(op, 0, &start_of_args, &l.n_args) ||
        !ir_op_operand_group(op, 1, &start_of_cbs, &n_cbs) || n_cbs != ports->count)
        return tw_error(TW_INVALID,
                        "enqueue_program: as many cb_ports as circular buffers are needed");
    l.n_kernels = configs->count;
    l.kernels = tw_xcalloc(l.n_kernels + 1, sizeof *l.kernels);
    bool ok = true;
    for (size_t i = 0; i < l.n_kernels && ok; i++)
        ok = prepare_kernel(&l, &l.kernels[i], configs->items[i]);
    ok = ok && configure_cores(&l);
    tw_status status = ok ? run(&l, profile)
                          : tw_error(l.unsupported ? TW_UNSUPPORTED : TW_INVALID,
                                     "the program cannot be launched");
    dev_threads_clear(m);
    for (size_t i = 0; i < l.n_kernels; i++) {
        free(l.kernels[i].code.insns);
        free(l.kernels[i].code.image);
    }
    free(l.kernels);
    tw_arena_free(&l.arena);
    return status;
}
