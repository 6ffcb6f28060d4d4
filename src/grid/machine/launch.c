/* launch.c: builds a program from one ttmetal.enqueue_program and runs it. */
#include "grid/machine/launch.h"

#include "ttcore/ttcore.h"
#include "ttkernel/ttkernel.h"
#include "ttmetal/ttmetal.h"

#include <stdlib.h>

typedef struct launch {
    dev_machine *m;
    ir_op *op;
    const dev_operand *operands;
    size_t n_args; /* operands before the circular buffers */
    dev_program program;
    bool unsupported;
} launch;

/* ---- arguments --------------------------------------------------------------------- */

static bool argument(launch *l, ir_attr arg, dev_arg *out)
{
    static const struct {
        dev_arg_kind kind;
        int operand;
    } kinds[] = {
        [TTKERNEL_ArgType_BufferAddress] = {DEV_ARG_ADDRESS, DEV_OPERAND_BUFFER},
        [TTKERNEL_ArgType_TensorAccessorArgs] = {DEV_ARG_ACCESSOR, DEV_OPERAND_BUFFER},
        [TTKERNEL_ArgType_LocalSemaphore] = {DEV_ARG_SEMAPHORE, DEV_OPERAND_SEMAPHORE},
        [TTKERNEL_ArgType_Scalar] = {DEV_ARG_NUMBER, DEV_OPERAND_NUMBER},
        [TTKERNEL_ArgType_GlobalSemaphore] = {DEV_ARG_NUMBER, DEV_OPERAND_GLOBAL_SEMAPHORE},
    };
    int64_t type = ir_attr_int(arg->params[0], -1), index = ir_attr_int(arg->params[1], -1);
    if (type == TTKERNEL_ArgType_CBPort) {
        ir_attr ports = ir_op_attr(l->op, "cb_ports");
        if (index < 0 || (uint64_t)index >= ports->count)
            return ir_op_error(l->op, "cb_port[%lld]: the program has %u circular buffers",
                               (long long)index, ports->count);
        *out = (dev_arg){DEV_ARG_CB, ir_dense_array_int(ports, (size_t)index)};
        return true;
    }
    if (type == TTKERNEL_ArgType_NamedArgument) { /* its value is where others name one */
        *out = (dev_arg){DEV_ARG_NUMBER, index};
        return true;
    }
    if (index < 0 || (uint64_t)index >= l->n_args)
        return ir_op_error(l->op, "a kernel argument names operand %lld of %zu",
                           (long long)index, l->n_args);
    const dev_operand *o = &l->operands[index];
    int wanted = type >= 0 && (size_t)type < TW_COUNT(kinds) ? kinds[type].operand
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
    *out = (dev_arg){kinds[type].kind, o->value};
    return true;
}

static bool arguments(launch *l, dev_kernel *k, ir_attr args)
{
    /* order in the attribute: common, runtime, compile-time */
    static const int order[] = {DEV_ARGS_COMMON, DEV_ARGS_RUNTIME, DEV_ARGS_COMPILE_TIME};
    for (size_t i = 0; i < DEV_ARG_LISTS; i++) {
        ir_attr list = args->params[i];
        size_t n = list ? list->count : 0;
        dev_arg *to = TW_ARENA_ARRAY(&l->program.arena, dev_arg, n + 1);
        k->args[order[i]] = to;
        k->n_args[order[i]] = n;
        for (size_t a = 0; a < n; a++)
            if (!argument(l, list->items[a], &to[a]))
                return false;
    }
    return true;
}

static bool core_range(launch *l, dev_kernel *k, ir_attr range)
{
    int64_t offset[2] = {0}, size[2] = {0};
    bool two = ir_attr_ints(range->params[0], offset, 2) == 2 &&
               ir_attr_ints(range->params[1], size, 2) == 2;
    const dev_chip *chip = l->m->chip;
    if (!two || !dev_cores_exist(chip, offset[0], offset[1], size[0], size[1]))
        return ir_op_error(l->op, "core range %s does not lie in the %s's %dx%d workers",
                           ir_attr_text(l->m->ctx, range), chip->name, chip->grid_y,
                           chip->grid_x);
    k->y = (int)offset[0], k->x = (int)offset[1];
    k->rows = (int)size[0], k->columns = (int)size[1];
    return true;
}

static uint64_t unpack_modes(ir_attr modes)
{
    uint64_t bits = 0;
    if (modes && modes->count == 1) /* one for all */
        return ir_attr_int(modes->items[0], 1) == 0 ? UINT64_MAX : 0;
    for (size_t i = 0; modes && i < modes->count && i < 64; i++)
        bits |= (uint64_t)(ir_attr_int(modes->items[i], 1) == 0) << i;
    return bits;
}

static bool prepare_kernel(launch *l, dev_kernel *k, ir_attr config)
{
    bool compute = config->def == TTMETAL_ATTR(compute_config);
    if (!compute && config->def != TTMETAL_ATTR(noc_config)) {
        l->unsupported = true;
        return ir_op_error(
            l->op, "kernels of this kind are not executed by the simulated device: %s",
            ir_attr_text(l->m->ctx, config));
    }
    k->function = ir_symbol_resolve(l->op, config->params[0]);
    if (!k->function)
        return ir_op_error(l->op, "there is no kernel %s",
                           ir_attr_text(l->m->ctx, config->params[0]));
    bool is_compute;
    if (!dev_code_kind(k->function, &is_compute))
        return false;
    if (is_compute != compute)
        return ir_op_error(k->function,
                           "ttkernel.thread and the program's configuration disagree on "
                           "the kind of thread");
    if (compute) {
        int64_t fidelity = ir_attr_int(config->params[3], 4);
        k->phases = fidelity ? (int)fidelity : 1;
        k->wide = ir_attr_bool(config->params[4]);
        k->full_sync = ir_attr_bool(config->params[5]);
        k->approx = ir_attr_bool(config->params[6]);
        k->unpack_to_dst = unpack_modes(config->params[7]);
    } else {
        k->noc = (int)ir_attr_int(config->params[4], 0);
    }
    return core_range(l, k, config->params[1]) && arguments(l, k, config->params[2]);
}

/* ---- circular buffers and semaphores ----------------------------------------------- */

static bool names_cb(ir_attr args, size_t cb)
{
    for (size_t i = 0; args && i < DEV_ARG_LISTS; i++) {
        ir_attr list = args->params[i];
        for (size_t a = 0; list && a < list->count; a++)
            if (ir_attr_int(list->items[a]->params[0], -1) == TTKERNEL_ArgType_CBPort &&
                ir_attr_int(list->items[a]->params[1], -1) == (int64_t)cb)
                return true;
    }
    return false;
}

/* Adds the cores of a program's kernels that name its circular buffer; false if none. */
static bool add_cores(const ir_op *program, size_t cb, int64_t at[2], int64_t size[2])
{
    ir_attr configs = ir_op_attr(program, "kernelConfigs");
    bool any = false;
    for (size_t i = 0; configs && i < configs->count; i++) {
        ir_attr config = configs->items[i], range = config->params[1];
        int64_t first[2], extent[2];
        if (!names_cb(config->params[2], cb) || !range ||
            ir_attr_ints(range->params[0], first, 2) != 2 ||
            ir_attr_ints(range->params[1], extent, 2) != 2)
            continue;
        for (size_t d = 0; d < 2; d++) {
            const int64_t end = TW_MAX(first[d] + extent[d], size[0] ? at[d] + size[d] : 0);
            first[d] = size[0] ? TW_MIN(first[d], at[d]) : first[d];
            extent[d] = end - first[d];
        }
        memcpy(at, first, sizeof first);
        memcpy(size, extent, sizeof extent);
        any = true;
    }
    return any;
}

void dev_cb_only(const ir_value *buffer, int64_t at[2], int64_t size[2])
{
    size_t start, count;
    size[0] = size[1] = 0;
    for (const ir_operand *use = buffer->uses; use; use = use->next_use) {
        ir_op *program = use->owner;
        if (program->def != TTMETAL_OP(enqueue_program) ||
            !ir_op_operand_group(program, 1, &start, &count))
            continue;
        for (size_t i = 0; i < count; i++)
            if (ir_op_operand(program, start + i) == buffer &&
                !add_cores(program, i, at, size)) {
                size[0] = size[1] = 0;
                return;
            }
    }
}

/* A buffer that lies where another of the program does is on its own cores only. */
static void limit_cb(launch *l, size_t cb)
{
    dev_cb_spec *c = &l->program.cbs[cb];
    const uint64_t end = c->base + (uint64_t)c->page * c->pages;
    const ir_value *of = ir_op_operand(l->op, l->n_args + cb);
    int64_t at[2], size[2];
    for (size_t i = 0; i < l->program.n_cbs; i++) {
        const dev_cb_spec *o = &l->program.cbs[i];
        if (i == cb || ir_op_operand(l->op, l->n_args + i) == of || o->base >= end ||
            c->base >= o->base + (uint64_t)o->page * o->pages)
            continue;
        dev_cb_only(of, at, size);
        c->y = (int)at[0], c->x = (int)at[1];
        c->rows = (int)size[0], c->columns = (int)size[1];
        return;
    }
}

/* A page is a tile. Rows that do not fill tiles have as many pages as tiles that they
 * begin, which is what kernels count, all of one size; 0 if they do not divide so. */
static size_t page_of(const dev_buffer *b, ir_type type)
{
    const size_t tile = dev_tile_bytes(b->format);
    ir_attr layout = type->encoding;
    const bool is_cb =
        ir_attr_is(layout, IR_ATTR_DIALECT) && layout->def == TTCORE_ATTR(cb_layout);
    const size_t copies = is_cb ? (size_t)TW_MAX(ir_attr_int(layout->params[1], 1), 1) : 1;
    if (b->tiled || b->per_bank % tile == 0)
        return b->per_bank % tile ? 0 : tile;
    const size_t pages = copies * ((b->per_bank / copies + tile - 1) / tile);
    return pages && b->per_bank % (pages * 16) == 0 ? b->per_bank / pages : 0;
}

static bool configure_cbs(launch *l)
{
    ir_attr ports = ir_op_attr(l->op, "cb_ports");
    const int limit = l->m->chip->circular_buffers;
    uint64_t seen = 0;
    for (size_t i = 0; i < ports->count; i++) {
        int64_t port = ir_dense_array_int(ports, i);
        const dev_operand *o = &l->operands[l->n_args + i];
        if (port < 0 || port >= limit || seen >> port & 1)
            return ir_op_error(
                l->op, "cb_ports: port %lld is %s; there are %d", (long long)port,
                port < 0 || port >= limit ? "out of range" : "given twice", limit);
        seen |= UINT64_C(1) << port;
        const dev_buffer *b =
            o->kind == DEV_OPERAND_BUFFER ? &l->m->tensors.buffers[o->value] : NULL;
        if (!b || b->space != DEV_L1)
            return ir_op_error(l->op, "circular buffer %lld needs a buffer in l1",
                               (long long)port);
        size_t page = page_of(b, ir_op_operand(l->op, l->n_args + i)->type);
        if (!page)
            return ir_op_error(
                l->op,
                "circular buffer %lld of %zu bytes does not divide into tiles of %zu",
                (long long)port, b->per_bank, dev_tile_bytes(b->format));
        l->program.cbs[i] = (dev_cb_spec){(int)port, b->format, (uint32_t)b->address,
                                          (uint32_t)page, (uint32_t)(b->per_bank / page)};
    }
    for (size_t i = 0; i < ports->count; i++)
        limit_cb(l, i);
    return true;
}

static bool semaphores(launch *l)
{
    dev_program *p = &l->program;
    uint64_t seen = 0;
    p->semaphores = TW_ARENA_ARRAY(&p->arena, dev_semaphore, l->n_args + 1);
    for (size_t i = 0; i < l->n_args; i++)
        if (l->operands[i].kind == DEV_OPERAND_SEMAPHORE) {
            if (seen >> l->operands[i].value & 1)
                return ir_op_error(l->op, "there are at most %d semaphores",
                                   DEV_MAX_SEMAPHORES);
            seen |= UINT64_C(1) << l->operands[i].value;
            p->semaphores[p->n_semaphores++] =
                (dev_semaphore){(uint32_t)l->operands[i].value,
                                (uint32_t)ir_op_int(ir_value_def(ir_op_operand(l->op, i)),
                                                    "initial_value", 0)};
        }
    return true;
}

static bool prepare(launch *l, ir_attr configs)
{
    dev_program *p = &l->program;
    p->n_kernels = configs->count;
    p->kernels = TW_ARENA_ARRAY(&p->arena, dev_kernel, p->n_kernels + 1);
    for (size_t i = 0; i < p->n_kernels; i++)
        if (!prepare_kernel(l, &p->kernels[i], configs->items[i]))
            return false;
    if (!configure_cbs(l) || !semaphores(l))
        return false;
    if (!dev_program_compile(l->m, p, &l->unsupported))
        return false;
    l->m->n_semaphores = TW_MAX(l->m->n_semaphores, p->semaphore_count);
    return true;
}

tw_status dev_launch(dev_machine *m, ir_op *op, const dev_operand *operands,
                     tw_strbuf *profile, tw_strbuf *json, tw_strbuf *html)
{
    size_t start_of_args, start_of_cbs;
    launch l = {.m = m, .op = op, .operands = operands};
    ir_attr configs = ir_op_attr(op, "kernelConfigs"), ports = ir_op_attr(op, "cb_ports");
    if (!ir_op_operand_group(op, 0, &start_of_args, &l.n_args) ||
        !ir_op_operand_group(op, 1, &start_of_cbs, &l.program.n_cbs) ||
        l.program.n_cbs != ports->count)
        return tw_error(TW_INVALID,
                        "enqueue_program: as many cb_ports as circular buffers are needed");
    l.program.cbs = TW_ARENA_ARRAY(&l.program.arena, dev_cb_spec, l.program.n_cbs + 1);
    tw_status status = prepare(&l, configs)
                           ? dev_program_run(m, &l.program)
                           : tw_error(l.unsupported ? TW_UNSUPPORTED : TW_INVALID,
                                      "the program cannot be launched");
    if (status == TW_SUCCESS) {
        dev_program_profile(m, &l.program, profile);
        if (m->options.profile) { /* of the last program */
            tw_strbuf_free(json);
            tw_strbuf_free(html);
            dev_trace_perfetto(m, json);
            dev_trace_html(m, &l.program, (tw_str){profile->data, profile->size}, html);
        }
        size_t reports = dev_machine_report(m);
        if (reports)
            status = tw_error(TW_INVALID, "%zu problem%s found in kernels", reports,
                              reports > 1 ? "s" : "");
    }
    dev_threads_clear(m);
    dev_program_free(&l.program);
    return status;
}
