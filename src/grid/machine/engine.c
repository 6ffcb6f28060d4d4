/* engine.c: runs ttnn.generic of TTNN programs on a grid: its kernels, circular buffers,
 * semaphores and tensors become a launch; and the programs of .ttm binaries. */
#include "ir/text.h"
#include "mlir/emitc/to_cpp/cpp.h"
#include "runtime/kernel_engine.h"
#include "support/arena.h"
#include "support/number.h"
#include "tilewright/sim.h"
#include "tilewright/tilewright.h"
#include "ttcore/ttcore.h"
#include "ttkernel/ttkernel.h"
#include "ttnn/layout.h"

#include <stdlib.h>

typedef struct engine_tensor {
    tw_grid_tensor *tensor;
    tw_dtype dtype;
    bool written;
    size_t first; /* index of the operand that owns the tensor */
} engine_tensor;

typedef struct engine_state {
    tw_grid *grid;
    tw_kernels *kernels;
    tw_launch *launch;
    engine_tensor *tensors;
    size_t n_tensors;
} engine_state;

/* What is collected for a launch. */
typedef struct engine_build {
    tw_arena arena;
    ir_op *op;
    ir_attr program;
    engine_state *state;
    tw_kernel_run *runs;
    size_t n_runs, runs_capacity;
    tw_cb_config *cbs;
    size_t n_cbs, cbs_capacity;
    uint64_t wide_ports; /* of 32-bit elements */
} engine_build;

static _Thread_local struct {
    tw_grid_observer *call;
    void *user;
} observer;

TW_EXPORT void tw_grid_engine_observe(tw_grid_observer *call, void *user)
{
    observer.call = call;
    observer.user = user;
}

static void release(void *state)
{
    engine_state *s = state;
    if (!s)
        return;
    tw_launch_destroy(s->launch);
    tw_kernels_destroy(s->kernels);
    for (size_t i = 0; i < s->n_tensors; i++)
        if (s->tensors[i].first == i)
            tw_grid_tensor_destroy(s->tensors[i].tensor);
    tw_grid_close(s->grid);
    free(s->tensors);
    free(s);
}

static int64_t number(ir_attr attr, const char *name)
{
    return ir_attr_int(ir_attr_param(attr, name), 0);
}

static size_t length(ir_attr list)
{
    return list ? list->count : 0;
}

/* ---- the grid and its tensors -------------------------------------------------------- */

/* The chip of the program's system description; an n150 without one. */
static const char *chip_of(ir_op *op)
{
    return ttnn_chip_int(op, "arch", TTCORE_Arch_WormholeB0) == TTCORE_Arch_Blackhole
               ? "p150"
               : "n150";
}

typedef struct rectangle {
    int row, column, rows, columns;
} rectangle;

static rectangle rectangle_of(ir_attr range)
{
    ir_attr start = ir_attr_param(range, "start_coord"),
            end = ir_attr_param(range, "end_coord");
    const int64_t x = number(start, "x"), y = number(start, "y");
    return (rectangle){(int)y, (int)x, (int)(number(end, "y") - y + 1),
                       (int)(number(end, "x") - x + 1)};
}

/* Shards in L1 of cores in one rectangle; interleaved pages elsewhere. */
static tw_status lay_out(ir_context *ctx, const ttnn_layout *l, ir_type type,
                         tw_grid_layout *out)
{
    const bool in_l1 = l->buffer == TTNN_BufferType_L1;
    int64_t shard[2], rows = 1;
    if (!in_l1 && l->buffer != TTNN_BufferType_DRAM)
        return tw_error(TW_UNSUPPORTED,
                        "kernels cannot reach the tensor %s in the host's "
                        "memory; move it to the device before",
                        ir_type_text(ctx, type));
    out->memory = in_l1 ? TW_L1_INTERLEAVED : TW_DRAM_INTERLEAVED;
    if (!ttnn_memory_is_sharded(l->memory))
        return TW_SUCCESS;
    ir_attr ranges = ir_attr_param(ttnn_layout_cores(ctx, l), "core_ranges");
    if (!in_l1 || length(ranges) != 1)
        return tw_error(TW_UNSUPPORTED,
                        "the tensor %s: shards lie in the L1 of one rectangle of cores",
                        ir_type_text(ctx, type));
    const rectangle cores = rectangle_of(ranges->items[0]);
    ttnn_layout_shard_elements(l, type->dims, type->count, shard);
    const int64_t columns = type->count ? type->dims[type->count - 1] : 1,
                  unit = l->tiled ? TTNN_TILE : 1;
    for (uint32_t i = 0; i + 1 < type->count; i++) /* each matrix has whole tiles */
        rows *=
            i + 2 < type->count ? type->dims[i] : tw_ceil_div(type->dims[i], unit) * unit;
    out->memory = TW_L1_SHARDED;
    out->shard_rows = (int)((rows + shard[0] - 1) / TW_MAX(shard[0], 1));
    out->shard_columns = (int)((columns + shard[1] - 1) / TW_MAX(shard[1], 1));
    out->shard_height = (shard[0] + unit - 1) / unit;
    out->shard_width = (shard[1] + unit - 1) / unit;
    out->core_row = cores.row;
    out->core_column = cores.column;
    out->core_columns = cores.columns;
    return TW_SUCCESS;
}

static tw_status make_tensor(engine_build *b, const rt_kernel_tensor *t, size_t i)
{
    engine_state *s = b->state;
    ttnn_layout l;
    if (!ttnn_layout_of(t->type, &l))
        return tw_error(TW_INVALID,
                        "'ttnn.generic': tensor %zu has type %s, expected one with a "
                        "#ttnn.ttnn_layout",
                        i, ir_type_text(b->op->ctx, t->type));
    tw_grid_layout layout = {
        .dtype = (tw_dtype)l.dtype, .rank = (int)t->type->count, .tiled = l.tiled};
    if (t->type->count > TW_COUNT(layout.dims))
        return tw_error(TW_UNSUPPORTED,
                        "'ttnn.generic': tensor %zu has more than 8 "
                        "dimensions",
                        i);
    for (uint32_t d = 0; d < t->type->count; d++)
        layout.dims[d] = t->type->dims[d];
    TW_TRY(lay_out(b->op->ctx, &l, t->type, &layout));
    s->tensors[i].dtype = t->dtype;
    s->tensors[i].written = t->written;
    return tw_grid_tensor_create(s->grid, &layout, &s->tensors[i].tensor);
}

/* ---- kernels ------------------------------------------------------------------------- */

static ir_op *function_of(const engine_build *b, ir_attr kernel)
{
    ir_attr symbol = ir_attr_param(kernel, "symbol_ref");
    return symbol ? ir_symbol_resolve(b->op, symbol) : NULL;
}

static ir_walk stop_at_emitc(ir_op *op, void *user)
{
    (void)user;
    return strncmp(op->def->name, "emitc.", 6) == 0 ? IR_WALK_STOP : IR_WALK_ON;
}

/* True for a function of TTKernel's operations; false once they are EmitC's. */
static bool is_ttkernel(ir_op *function)
{
    return function && ir_op_attr(function, "ttkernel.thread") && ir_op_body(function, 0) &&
           ir_walk_pre(function, stop_at_emitc, NULL) != IR_WALK_STOP;
}

/* The functions of TTKernel that the program names, as text with their locations. */
static tw_status load_functions(engine_build *b)
{
    tw_strbuf text = {0};
    ir_attr kernels = ir_attr_param(b->program, "kernels");
    const ir_print_options options = {.debug_info = true, .local_scope = true};
    for (size_t i = 0; i < length(kernels); i++) {
        ir_op *function = function_of(b, kernels->items[i]);
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again |= function_of(b, kernels->items[k]) == function;
        if (again || !is_ttkernel(function))
            continue;
        ir_print_op(function, &options, &text);
        tw_strbuf_putc(&text, '\n');
    }
    tw_status status = tw_kernels_load(b->state->grid, tw_strbuf_text(&text), text.size,
                                       "kernels", &b->state->kernels);
    tw_strbuf_free(&text);
    return status;
}

/* A kernel in C++: a text in the attribute, or a function in EmitC's operations. */
static tw_status add_cpp(engine_build *b, ir_attr kernel, bool compute, const char *name)
{
    tw_strbuf text = {0};
    ir_op *function = function_of(b, kernel);
    if (!function)
        tw_strbuf_str(&text, ir_attr_str(ir_attr_param(kernel, "source")));
    else if (!cpp_emit_kernel(function, &text)) {
        tw_strbuf_free(&text);
        return tw_error(TW_INVALID, "'ttnn.generic': kernel '%s' cannot be written as C++",
                        name);
    }
    tw_status status = tw_kernels_add_cpp(
        b->state->kernels,
        &(tw_cpp_kernel){.name = name,
                         .kind = compute ? TW_KERNEL_COMPUTE : TW_KERNEL_DATA,
                         .text = tw_strbuf_text(&text),
                         .size = text.size});
    tw_strbuf_free(&text);
    return status;
}

/* ---- arguments ----------------------------------------------------------------------- */

static const struct {
    const ir_attr_def *attr;
    tw_kernel_arg_kind kind;
} arguments[] = {
    {TTNN_ATTR(kernel_arg_cb_buffer_index), TW_ARG_CB},
    {TTNN_ATTR(kernel_arg_address_of_tensor), TW_ARG_ADDRESS},
    {TTNN_ATTR(kernel_arg_tensor_accessor_args), TW_ARG_ACCESSOR},
    {TTNN_ATTR(kernel_arg_semaphore_at), TW_ARG_SEMAPHORE},
    {TTNN_ATTR(kernel_named_arg), TW_ARG_NUMBER},
};

static tw_status read_arguments(engine_build *b, ir_attr list, tw_kernel_arg *out)
{
    for (size_t i = 0; i < length(list); i++) {
        ir_attr arg = list->items[i];
        size_t k = 0;
        while (k < TW_COUNT(arguments) &&
               (!ir_attr_is(arg, IR_ATTR_DIALECT) || arg->def != arguments[k].attr))
            k++;
        if (k == TW_COUNT(arguments))
            return tw_error(TW_UNSUPPORTED,
                            "'ttnn.generic': the kernel argument %s is not implemented",
                            ir_attr_text(b->op->ctx, arg));
        const ir_attr value = arg->params[arg->def->params.count - 1];
        out[i] = (tw_kernel_arg){arguments[k].kind, ir_attr_int(value, 0)};
    }
    return TW_SUCCESS;
}

static tw_status argument_list(engine_build *b, ir_attr kernel, const char *name,
                               const tw_kernel_arg **out, size_t *out_n)
{
    ir_attr list = ir_attr_param(kernel, name);
    tw_kernel_arg *args = TW_ARENA_ARRAY(&b->arena, tw_kernel_arg, length(list) + 1);
    *out = args;
    *out_n = length(list);
    return read_arguments(b, list, args);
}

/* The arguments of each core of a rectangle, row by row: those that `rt_args` has for it.
 */
static tw_status core_arguments(engine_build *b, ir_attr kernel, tw_kernel_run *run)
{
    ir_attr all = ir_attr_param(kernel, "rt_args");
    const size_t cores = (size_t)run->rows * (size_t)run->columns;
    size_t each = 0;
    for (size_t i = 0; i < length(all); i++)
        each = TW_MAX(each, length(ir_attr_param(all->items[i], "args")));
    if (!each)
        return TW_SUCCESS;
    tw_kernel_arg *args = TW_ARENA_ARRAY(&b->arena, tw_kernel_arg, cores * each);
    for (size_t i = 0; i < length(all); i++) {
        ir_attr core = ir_attr_param(all->items[i], "core_coord");
        const int64_t x = number(core, "x") - run->column, y = number(core, "y") - run->row;
        if (x < 0 || y < 0 || x >= run->columns || y >= run->rows)
            continue;
        TW_TRY(read_arguments(b, ir_attr_param(all->items[i], "args"),
                              args + (size_t)(y * run->columns + x) * each));
    }
    run->args = args;
    run->n_args = each;
    run->args_per_core = true;
    return TW_SUCCESS;
}

/* ---- runs ---------------------------------------------------------------------------- */

static bool is_compute(ir_attr kernel)
{
    return kernel->def == TTNN_ATTR(compute_kernel) ||
           kernel->def == TTNN_ATTR(source_compute_kernel);
}

static void configure(const engine_build *b, ir_attr kernel, tw_kernel_run *run)
{
    ir_attr modes = ir_attr_param(kernel, "unpack_to_dest_modes");
    if (!is_compute(kernel)) {
        const bool writes = kernel->def == TTNN_ATTR(write_kernel) ||
                            kernel->def == TTNN_ATTR(source_write_kernel);
        run->noc = kernel->def == TTNN_ATTR(data_movement_kernel)
                       ? (int)number(kernel, "noc_index")
                       : writes;
        return;
    }
    const int64_t fidelity = number(kernel, "math_fidelity");
    run->fidelity = fidelity ? (int)fidelity : 1;
    run->wide_dst = number(kernel, "fp32_dest_acc_en") != 0;
    run->full_sync = number(kernel, "dst_full_sync_en") != 0;
    run->approximate = number(kernel, "math_approx_mode") != 0;
    for (size_t i = 0; i < length(modes) && i < 64; i++)
        if (ir_attr_int(modes->items[i], TTNN_ComputeKernelUnpackToDestMode_Default) ==
            TTNN_ComputeKernelUnpackToDestMode_Fp32)
            run->unpack_to_dst |= UINT64_C(1) << i;
    if (length(modes) == 1 && run->unpack_to_dst) /* one mode is that of every port */
        run->unpack_to_dst = UINT64_MAX;
    run->unpack_to_dst &= b->wide_ports;
}

static tw_status add_kernel(engine_build *b, ir_attr kernel, size_t index)
{
    ir_op *function = function_of(b, kernel);
    ir_attr symbol = ir_attr_param(kernel, "symbol_ref"),
            ranges = ir_attr_param(ir_attr_param(kernel, "core_ranges"), "core_ranges");
    tw_kernel_run run = {0};
    if (symbol && !function)
        return tw_error(TW_INVALID, "'ttnn.generic': there is no kernel %s",
                        ir_attr_text(b->op->ctx, symbol));
    tw_str name = function ? ir_symbol_name(function) : (tw_str){0};
    run.function = function ? tw_arena_copy(&b->arena, name.data, name.size)
                            : tw_arena_printf(&b->arena, "kernel%zu", index);
    if (!is_ttkernel(function))
        TW_TRY(add_cpp(b, kernel, is_compute(kernel), run.function));
    configure(b, kernel, &run);
    TW_TRY(argument_list(b, kernel, "ct_args", &run.compile_args, &run.n_compile_args));
    TW_TRY(
        argument_list(b, kernel, "common_rt_args", &run.common_args, &run.n_common_args));
    for (size_t i = 0; i < length(ranges); i++) {
        const rectangle r = rectangle_of(ranges->items[i]);
        tw_kernel_run part = run;
        part.row = r.row, part.column = r.column, part.rows = r.rows,
        part.columns = r.columns;
        TW_TRY(core_arguments(b, kernel, &part));
        TW_PUSH(b->runs, b->n_runs, b->runs_capacity, part);
    }
    return TW_SUCCESS;
}

static tw_status add_cb(engine_build *b, ir_attr cb)
{
    ir_attr formats = ir_attr_param(cb, "formats"), of = ir_attr_param(cb, "buffer");
    const int64_t total = number(cb, "total_size");
    for (size_t i = 0; i < length(formats); i++) {
        ir_attr format = formats->items[i];
        const int64_t page = number(format, "page_size");
        tw_cb_config made = {.port = (int)number(format, "buffer_index"),
                             .dtype = (tw_dtype)number(format, "dtype"),
                             .pages = page > 0 ? total / page : 0,
                             .page_bytes = (size_t)page,
                             .aliases = of != NULL,
                             .tensor = of ? (int)number(of, "tensor_operand_index") : 0};
        if (page <= 0 || total % page)
            return tw_error(TW_INVALID,
                            "'ttnn.generic': circular buffer %d has %lld bytes, no whole "
                            "pages of %lld",
                            made.port, (long long)total, (long long)page);
        if (made.dtype == TW_F32 || made.dtype == TW_I32 || made.dtype == TW_U32)
            b->wide_ports |= UINT64_C(1) << (made.port & 63);
        TW_PUSH(b->cbs, b->n_cbs, b->cbs_capacity, made);
    }
    return TW_SUCCESS;
}

/* Initial values by id. */
static uint32_t *semaphores_of(engine_build *b, size_t *out_n)
{
    enum { SEMAPHORES = 32 };
    ir_attr list = ir_attr_param(b->program, "semaphores");
    uint32_t *values = TW_ARENA_ARRAY(&b->arena, uint32_t, SEMAPHORES);
    *out_n = 0;
    for (size_t i = 0; i < length(list); i++) {
        const int64_t id = number(list->items[i], "id");
        if (id < 0 || id >= SEMAPHORES)
            continue;
        values[id] = (uint32_t)number(list->items[i], "initial_value");
        *out_n = TW_MAX(*out_n, (size_t)id + 1);
    }
    return values;
}

static tw_status build(engine_build *b, const rt_kernel_tensor *tensors)
{
    engine_state *s = b->state;
    ir_attr kernels = ir_attr_param(b->program, "kernels"),
            cbs = ir_attr_param(b->program, "cbs");
    tw_grid_tensor **bound = TW_ARENA_ARRAY(&b->arena, tw_grid_tensor *, s->n_tensors);
    if (!ir_attr_is(b->program, IR_ATTR_DIALECT) || b->program->def != TTNN_ATTR(program))
        return tw_error(TW_UNSUPPORTED, "'ttnn.generic' for a mesh of devices is not "
                                        "implemented by the runtime");
    TW_TRY(tw_grid_open(
        &(tw_grid_options){.chip = chip_of(b->op), .profile = observer.call != NULL},
        &s->grid));
    for (size_t i = 0; i < s->n_tensors; i++)
        s->tensors[i].first = tensors[i].first;
    for (size_t i = 0; i < s->n_tensors; i++) {
        if (tensors[i].first == i)
            TW_TRY(make_tensor(b, &tensors[i], i));
        bound[i] = s->tensors[tensors[i].first].tensor;
    }
    TW_TRY(load_functions(b));
    for (size_t i = 0; i < length(cbs); i++)
        TW_TRY(add_cb(b, cbs->items[i]));
    for (size_t i = 0; i < length(kernels); i++)
        TW_TRY(add_kernel(b, kernels->items[i], i));
    tw_launch_spec spec = {.kernels = b->runs,
                           .n_kernels = b->n_runs,
                           .cbs = b->cbs,
                           .n_cbs = b->n_cbs,
                           .tensors = bound,
                           .n_tensors = s->n_tensors};
    spec.semaphores = semaphores_of(b, &spec.n_semaphores);
    return tw_launch_create(s->kernels, &spec, &s->launch);
}

static tw_status prepare(ir_op *op, const rt_kernel_tensor *tensors, size_t n_tensors,
                         void **out_state)
{
    engine_build b = {.op = op, .program = ir_op_attr(op, "program")};
    b.state = tw_xcalloc(1, sizeof *b.state);
    b.state->tensors = tw_xcalloc(n_tensors, sizeof *b.state->tensors);
    b.state->n_tensors = n_tensors;
    tw_status status = build(&b, tensors);
    free(b.runs);
    free(b.cbs);
    tw_arena_free(&b.arena);
    if (status)
        release(b.state);
    else
        *out_state = b.state;
    return status;
}

static tw_status run(void *state, void *const *data)
{
    engine_state *s = state;
    for (size_t i = 0; i < s->n_tensors; i++)
        if (s->tensors[i].first == i)
            TW_TRY(
                tw_grid_tensor_write(s->tensors[i].tensor, s->tensors[i].dtype, data[i]));
    tw_status status = tw_launch_run(s->launch);
    if (observer.call)
        observer.call(observer.user, s->launch);
    if (status)
        return tw_annotate(status, "%s", tw_launch_log(s->launch));
    for (size_t i = 0; i < s->n_tensors; i++)
        if (s->tensors[i].written && s->tensors[i].first == i)
            TW_TRY(tw_grid_tensor_read(s->tensors[i].tensor, s->tensors[i].dtype, data[i]));
    return TW_SUCCESS;
}

/* ---- programs of a .ttm -------------------------------------------------------------- */

static tw_status open_queue(tw_str bytes, const tw_compile_options *options,
                            void **out_queue)
{
    tw_sim *sim;
    TW_TRY(tw_sim_load(bytes.data, bytes.size,
                       &(tw_sim_options){.name = options->name,
                                         .entry = options->entry,
                                         .observer = options->observer},
                       &sim));
    *out_queue = sim;
    return TW_SUCCESS;
}

static const tw_tensor_desc *queue_input(const void *queue, size_t i)
{
    return tw_sim_input(queue, i);
}

static const tw_tensor_desc *queue_output(const void *queue, size_t i)
{
    return tw_sim_output(queue, i);
}

static tw_status run_queue(void *queue, const void *const *inputs, void *const *outputs,
                           const volatile int *cancel)
{
    tw_sim_set_cancel(queue, cancel);
    tw_status status = tw_sim_run(queue, inputs, outputs);
    const char *log = tw_sim_log(queue);
    return status && *log ? tw_annotate(status, "%s", log) : status;
}

static void close_queue(void *queue)
{
    tw_sim_destroy(queue);
}

static const struct tw_kernel_engine engine = {
    .prepare = prepare,
    .run = run,
    .release = release,
    .open = open_queue,
    .input = queue_input,
    .output = queue_output,
    .run_queue = run_queue,
    .close = close_queue,
};

TW_EXPORT const struct tw_kernel_engine *tw_grid_engine(void)
{
    return &engine;
}
