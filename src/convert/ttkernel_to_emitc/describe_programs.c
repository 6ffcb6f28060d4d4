/* describe_programs.c: what a host has to know to launch the kernels of a module, gathered
 * while they still say it, as the module's ttkernel.programs: for each ttl.kernel
 *
 *   {name = "add", grid = [2, 2], threads = ["add_datamovement0", ...],
 *    buffers = [[port, pages, bytes of a page, data type], ...],
 *    tensors = [tensor<...>, ...], outputs = [2], semaphores = [0, ...]}
 *
 * The grid is columns and rows; outputs are the tensors that threads write. */
#include "convert/ttkernel_to_emitc/ttkernel_to_emitc.h"
#include "dialect/arith/arith.h"
#include "dialect/func/func.h"
#include "dialect/ttkernel/ttkernel.h"
#include "dialect/ttl/ttl_info.h"
#include "dialect/ttnn/layout.h"

enum { MOST_TENSORS = 32, MOST_BUFFERS = 32, MOST_SEMAPHORES = 32, MOST_THREADS = 8 };

typedef struct program {
    tw_str name;
    ir_op *threads[MOST_THREADS];
    size_t n_threads, n_tensors;
    ir_type tensors[MOST_TENSORS];
    bool written[MOST_TENSORS], in_shards[MOST_TENSORS];
    ir_type buffers[MOST_BUFFERS]; /* NULL: none */
    int64_t semaphores[MOST_SEMAPHORES];
    int64_t n_semaphores;
} program;

typedef struct gathering {
    program *program;
    ir_op *func;
    bool ok;
} gathering;

/* The number of the tensor that an accessor is of; -1 where it is not known. */
static int64_t tensor_of(const gathering *g, const ir_value *accessor)
{
    ir_op *made = ir_value_def(accessor);
    ir_op *args = ir_op_is(made, TTKERNEL_OP(TensorAccessor))
                      ? ir_value_def(ir_op_operand(made, 0))
                      : NULL;
    int64_t index, base = ir_op_int(g->func, "ttl.base_cta_index", 0);
    if (!ir_op_is(args, TTKERNEL_OP(TensorAccessorArgs)) ||
        !arith_constant_int(ir_op_operand(args, 0), &index))
        return -1;
    return index - base;
}

/* Of a tensor that is written in shards its layout has to say so, for it is made. */
static bool is_known_layout(const program *p, size_t tensor)
{
    ttnn_layout l;
    return !p->written[tensor] || !p->in_shards[tensor] ||
           (ttnn_layout_of(p->tensors[tensor], &l) && ttnn_memory_is_sharded(l.memory)) ||
           ir_op_error(p->threads[0],
                       "is of a kernel that writes shards of tensor %zu, for whose layout "
                       "ttnn has no name (blocks in DRAM): let it lie in L1",
                       tensor);
}

static void note_written(gathering *g, const ir_value *place)
{
    ir_op *def = ir_value_def(place);
    if (ir_op_is(def, TTKERNEL_OP(tensor_accessor_get_noc_addr)))
        place = ir_op_operand(def, 0);
    int64_t n = tensor_of(g, place);
    if (n >= 0 && n < MOST_TENSORS)
        g->program->written[n] = true;
}

static void note_shards(gathering *g, const ir_value *accessor)
{
    int64_t n = tensor_of(g, accessor);
    if (n >= 0 && n < MOST_TENSORS)
        g->program->in_shards[n] = true;
}

static ir_walk gather(ir_op *op, void *user)
{
    gathering *g = user;
    program *p = g->program;
    int64_t n;
    if (op->def == TTKERNEL_OP(get_compile_time_arg_val) &&
        op->results[0].type->kind == IR_TYPE_DIALECT) {
        n = ir_op_int(op, "arg_index", -1);
        ir_type cb = op->results[0].type;
        g->ok = n >= 0 && n < MOST_BUFFERS && ttl_tile_data_type(cb->params[1]->type) >= 0;
        if (!g->ok)
            ir_op_error(op, "needs a circular buffer of tiles, of 32 at most, to be "
                            "launched by a library");
        else
            p->buffers[n] = cb;
    } else if (op->def == TTKERNEL_OP(noc_async_write_tile) ||
               op->def == TTKERNEL_OP(noc_async_write_page) ||
               op->def == TTKERNEL_OP(noc_async_write_shard)) {
        note_written(g, ir_op_operand(op, 1));
        if (op->def == TTKERNEL_OP(noc_async_write_shard))
            note_shards(g, ir_op_operand(op, 1));
    } else if (op->def == TTKERNEL_OP(noc_async_write)) {
        note_written(g, ir_op_operand_named(op, "dstAddress"));
    } else if (op->def == TTKERNEL_OP(get_semaphore)) {
        g->ok =
            arith_constant_int(ir_op_operand(op, 0), &n) && n >= 0 && n < MOST_SEMAPHORES;
        if (!g->ok)
            ir_op_error(op, "needs the number of one of 32 semaphores to be launched by a "
                            "library");
        else
            p->n_semaphores = TW_MAX(p->n_semaphores, n + 1);
    }
    return g->ok ? IR_WALK_ON : IR_WALK_STOP;
}

static bool add_thread(program *p, ir_op *func)
{
    ir_attr types = ir_op_attr(func, "ttl.tensor_types");
    ir_attr numbers = ir_op_attr(func, "ttl.crta_indices");
    ir_attr values = ir_op_attr(func, "ttl.semaphore_values");
    uint32_t n = types ? types->count : 0;
    if (p->n_threads == MOST_THREADS || n > MOST_TENSORS)
        return ir_op_error(func, "is of a kernel with more than %d threads or %d tensors",
                           MOST_THREADS, MOST_TENSORS);
    for (uint32_t i = (uint32_t)p->n_tensors; i < n; i++)
        p->tensors[i] = types->items[i]->type;
    p->n_tensors = TW_MAX(p->n_tensors, n);
    for (uint32_t i = 0; numbers && i < numbers->count; i++) {
        int64_t k = ir_attr_int(numbers->items[i], -1);
        if (k < 0 || k >= n || types->items[k]->type->kind != IR_TYPE_TENSOR)
            return ir_op_error(func, "takes a number when it runs, which a library's "
                                     "function over tensors cannot give");
        p->tensors[k] = types->items[k]->type; /* this thread's is settled */
    }
    for (uint32_t i = 0; values && i + 1 < values->count; i += 2) {
        int64_t k = ir_dense_array_int(values, i);
        if (k >= 0 && k < MOST_SEMAPHORES)
            p->semaphores[k] = ir_dense_array_int(values, i + 1);
    }
    p->threads[p->n_threads++] = func;
    gathering g = {p, func, true};
    ir_walk_pre(func, gather, &g);
    for (size_t i = 0; g.ok && i < p->n_tensors; i++)
        g.ok = is_known_layout(p, i);
    return g.ok;
}

/* ---- as an attribute ----------------------------------------------------------------- */

static ir_attr numbers(ir_context *ctx, const int64_t *at, size_t n)
{
    ir_attr items[MOST_SEMAPHORES];
    for (size_t i = 0; i < n; i++)
        items[i] = ir_i64_attr(ctx, at[i]);
    return ir_array_attr(ctx, items, n);
}

static ir_attr grid_of(const program *p)
{
    int64_t sizes[2] = {1, 1};
    ir_attr grid = ir_op_attr(p->threads[0], "grid");
    if (ir_attr_is(grid, IR_ATTR_DIALECT))
        grid = ir_attr_param(grid, "dimensions");
    for (uint32_t i = 0; ir_attr_is(grid, IR_ATTR_ARRAY) && i < grid->count && i < 2; i++)
        sizes[i] = ir_attr_int(grid->items[i], grid->items[i]->value);
    return numbers(p->threads[0]->ctx, sizes, 2);
}

static ir_attr describe(const program *p)
{
    ir_context *ctx = p->threads[0]->ctx;
    ir_attr threads[MOST_THREADS], tensors[MOST_TENSORS], buffers[MOST_BUFFERS];
    int64_t outputs[MOST_TENSORS];
    size_t n_buffers = 0, n_outputs = 0;
    for (size_t i = 0; i < p->n_threads; i++)
        threads[i] = ir_string_attr(ctx, ir_symbol_name(p->threads[i]));
    for (size_t i = 0; i < p->n_tensors; i++) {
        tensors[i] = ir_type_attr(p->tensors[i]);
        if (p->written[i])
            outputs[n_outputs++] = (int64_t)i;
    }
    for (int64_t i = 0; i < MOST_BUFFERS; i++)
        if (p->buffers[i]) {
            ir_type tile = p->buffers[i]->params[1]->type;
            int64_t cb[] = {i, p->buffers[i]->params[0]->value, ttl_page_bytes(tile),
                            ttl_tile_data_type(tile)};
            buffers[n_buffers++] = numbers(ctx, cb, 4);
        }
    ir_named_attr entries[] = {
        {ir_ident_from(ctx, "name"), ir_string_attr(ctx, p->name)},
        {ir_ident_from(ctx, "grid"), grid_of(p)},
        {ir_ident_from(ctx, "threads"), ir_array_attr(ctx, threads, p->n_threads)},
        {ir_ident_from(ctx, "buffers"), ir_array_attr(ctx, buffers, n_buffers)},
        {ir_ident_from(ctx, "tensors"), ir_array_attr(ctx, tensors, p->n_tensors)},
        {ir_ident_from(ctx, "outputs"), numbers(ctx, outputs, n_outputs)},
        {ir_ident_from(ctx, "semaphores"),
         numbers(ctx, p->semaphores, (size_t)p->n_semaphores)},
    };
    return ir_dict_attr(ctx, entries, TW_COUNT(entries));
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_context *ctx = module->ctx;
    ir_attr all[MOST_THREADS];
    size_t n = 0;
    program p = {.n_threads = 0};
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next) {
        if (op->def != FUNC_OP(func) || !ir_op_attr(op, "ttkernel.thread"))
            continue;
        ir_attr kernel = ir_op_attr(op, "ttl.of_kernel");
        if (!ir_attr_is(kernel, IR_ATTR_STRING))
            return ir_op_error(op, "comes from no ttl.kernel, so that its tensors are not "
                                   "known: a library cannot launch it");
        if (p.n_threads && !tw_str_equal(p.name, ir_attr_str(kernel))) {
            if (n + 1 == TW_COUNT(all))
                return ir_op_error(op, "is of one kernel too many for a library");
            all[n++] = describe(&p);
            p = (program){.n_threads = 0};
        }
        p.name = ir_attr_str(kernel);
        if (!add_thread(&p, op))
            return false;
    }
    if (p.n_threads)
        all[n++] = describe(&p);
    ir_op_set_attr(module, "ttkernel.programs", ir_array_attr(ctx, all, n));
    return true;
}

const pass_def ttkernel_describe_programs_pass = {
    .name = "ttkernel-describe-programs",
    .summary = "Gather what a host has to know to launch a module's kernels",
    .anchor = "builtin.module",
    .run = run,
};
