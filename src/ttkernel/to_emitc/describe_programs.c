/* describe_programs.c: what a host has to know to launch the kernels of a module, gathered
 * while they still say it, as the module's ttkernel.programs: for each ttl.kernel
 *
 *   {name = "add", grid = [2, 2], threads = ["add_datamovement0", ...],
 *    buffers = [[port, pages, bytes of a page, data type], ...],
 *    tensors = [tensor<...>, ...], `places` = [...], numbers = [3], outputs = [2],
 *    semaphores = [0, ...]}
 *
 * The grid is columns and rows; tensors are the types of all arguments, `places` what these
 * do not say (ttl.tensor_places) if there is such a thing; numbers are the arguments that
 * are integers known when the kernel runs; outputs are the tensors that threads write. */
#include "mlir/arith/arith.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore_tile.h"
#include "ttkernel/to_emitc/ttkernel_to_emitc.h"
#include "ttkernel/ttkernel.h"
#include "ttkernel/ttkernel_layout.h"
#include "ttnn/layout.h"

enum { MAX_TENSORS = 32, MAX_BUFFERS = 32, MAX_SEMAPHORES = 32, MAX_THREADS = 8 };

typedef struct program {
    tw_str name;
    ir_op *threads[MAX_THREADS];
    size_t n_threads, n_tensors;
    ir_type tensors[MAX_TENSORS];
    bool written[MAX_TENSORS], is_number[MAX_TENSORS];
    ir_attr extents;                 /* or NULL */
    int64_t buffers[MAX_BUFFERS][4]; /* as above; no pages: none */
    int64_t semaphores[MAX_SEMAPHORES];
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

static void note_written(gathering *g, const ir_value *address)
{
    ir_op *def = ir_value_def(address);
    if (ir_op_is(def, TTKERNEL_OP(tensor_accessor_get_noc_addr)))
        address = ir_op_operand(def, 0);
    int64_t n = tensor_of(g, address);
    if (n >= 0 && n < MAX_TENSORS)
        g->program->written[n] = true;
}

/* Port, pages, bytes of a page and data type of a buffer: of tiles by its type, of numbers
 * by what was noted (ttl.number_buffers) while it was known. */
static bool note_buffer(const gathering *g, ir_op *op)
{
    ir_type cb = op->results[0].type, element = cb->params[1]->type;
    const int64_t port = ir_op_int(op, "arg_index", -1);
    int64_t all[3 * MAX_BUFFERS], n = 0;
    int64_t found[] = {port, 0, ttcore_tile_bytes(element), ttcore_tile_data_type(element)};
    if (port < 0 || port >= MAX_BUFFERS)
        return ir_op_error(op, "names buffer %lld; a core has %d", (long long)port,
                           MAX_BUFFERS);
    if (ttcore_is_tile(element)) {
        found[1] = cb->params[0]->value;
    } else {
        ir_attr noted = ir_op_attr(g->func, "ttl.number_buffers");
        n = noted ? ir_attr_ints(noted, all, TW_COUNT(all)) : 0;
        found[3] = ttnn_dtype_of(element);
    }
    for (int64_t i = 0; i + 2 < n && i + 2 < (int64_t)TW_COUNT(all); i += 3)
        if (all[i] == port) {
            found[1] = all[i + 1];
            found[2] = all[i + 2];
        }
    if (found[1] < 1 || found[2] < 1)
        return ir_op_error(
            op,
            "is a circular buffer of '%s' whose pages are not known, so that "
            "a library cannot make it: lower it from a ttl.kernel",
            ir_type_text(op->ctx, element));
    memcpy(g->program->buffers[port], found, sizeof found);
    return true;
}

static ir_walk gather(ir_op *op, void *user)
{
    gathering *g = user;
    program *p = g->program;
    int64_t n;
    if (op->def == TTKERNEL_OP(get_compile_time_arg_val) &&
        op->results[0].type->kind == IR_TYPE_DIALECT) {
        g->ok = note_buffer(g, op);
    } else if (op->def == TTKERNEL_OP(noc_async_write_tile) ||
               op->def == TTKERNEL_OP(noc_async_write_page) ||
               op->def == TTKERNEL_OP(noc_async_write_shard)) {
        note_written(g, ir_op_operand(op, 1));
    } else if (op->def == TTKERNEL_OP(noc_async_write)) {
        note_written(g, ir_op_operand_named(op, "dstAddress"));
    } else if (op->def == TTKERNEL_OP(get_semaphore)) {
        g->ok =
            arith_constant_int(ir_op_operand(op, 0), &n) && n >= 0 && n < MAX_SEMAPHORES;
        if (!g->ok)
            ir_op_error(op, "needs the number of one of 32 semaphores to be launched by a "
                            "library");
        else
            p->n_semaphores = TW_MAX(p->n_semaphores, n + 1);
    }
    return g->ok ? IR_WALK_ON : IR_WALK_STOP;
}

/* Argument k of a thread is the kernel's of this number: a tensor, or an integer. */
static bool add_argument(program *p, ir_op *func, int64_t k, ir_attr types)
{
    ir_type t = k >= 0 && k < (types ? types->count : 0) ? types->items[k]->type : NULL;
    if (!t)
        return ir_op_error(func, "takes argument %lld of a kernel of %u", (long long)k,
                           types ? types->count : 0);
    p->is_number[k] =
        t->kind == IR_TYPE_INDEX || (t->kind == IR_TYPE_INTEGER && t->width == 32);
    if (!p->is_number[k] && t->kind != IR_TYPE_TENSOR)
        return ir_op_error(func,
                           "takes an argument of type '%s' when it runs; a library's "
                           "functions take tensors, i32 and index",
                           ir_type_text(func->ctx, t));
    p->tensors[k] = t; /* this thread's is settled */
    return true;
}

static bool add_thread(program *p, ir_op *func)
{
    ir_attr types = ir_op_attr(func, "ttl.tensor_types");
    ir_attr numbers = ir_op_attr(func, "ttl.crta_indices");
    ir_attr values = ir_op_attr(func, "ttl.semaphore_values");
    uint32_t n = types ? types->count : 0;
    if (p->n_threads == MAX_THREADS || n > MAX_TENSORS)
        return ir_op_error(func, "is of a kernel with more than %d threads or %d tensors",
                           MAX_THREADS, MAX_TENSORS);
    for (uint32_t i = (uint32_t)p->n_tensors; i < n; i++)
        p->tensors[i] = types->items[i]->type;
    p->n_tensors = TW_MAX(p->n_tensors, n);
    for (uint32_t i = 0; numbers && i < numbers->count; i++)
        if (!add_argument(p, func, ir_attr_int(numbers->items[i], -1), types))
            return false;
    p->extents = ir_op_attr(func, "ttl.tensor_places");
    for (uint32_t i = 0; values && i + 1 < values->count; i += 2) {
        int64_t k = ir_dense_array_int(values, i);
        if (k >= 0 && k < MAX_SEMAPHORES)
            p->semaphores[k] = ir_dense_array_int(values, i + 1);
    }
    p->threads[p->n_threads++] = func;
    gathering g = {p, func, true};
    ir_walk_pre(func, gather, &g);
    return g.ok;
}

/* ---- as an attribute ----------------------------------------------------------------- */

static ir_attr numbers(ir_context *ctx, const int64_t *at, size_t n)
{
    ir_attr items[MAX_SEMAPHORES];
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
    ir_attr threads[MAX_THREADS], tensors[MAX_TENSORS], buffers[MAX_BUFFERS];
    int64_t outputs[MAX_TENSORS], integers[MAX_TENSORS];
    size_t n_buffers = 0, n_outputs = 0, n_integers = 0;
    for (size_t i = 0; i < p->n_threads; i++)
        threads[i] = ir_string_attr(ctx, ir_symbol_name(p->threads[i]));
    for (size_t i = 0; i < p->n_tensors; i++) {
        tensors[i] = ir_type_attr(p->tensors[i]);
        if (p->written[i])
            outputs[n_outputs++] = (int64_t)i;
        if (p->is_number[i])
            integers[n_integers++] = (int64_t)i;
    }
    for (size_t i = 0; i < MAX_BUFFERS; i++)
        if (p->buffers[i][1])
            buffers[n_buffers++] = numbers(ctx, p->buffers[i], 4);
    ir_named_attr entries[] = {
        {ir_ident_from(ctx, "name"), ir_string_attr(ctx, p->name)},
        {ir_ident_from(ctx, "grid"), grid_of(p)},
        {ir_ident_from(ctx, "threads"), ir_array_attr(ctx, threads, p->n_threads)},
        {ir_ident_from(ctx, "buffers"), ir_array_attr(ctx, buffers, n_buffers)},
        {ir_ident_from(ctx, "tensors"), ir_array_attr(ctx, tensors, p->n_tensors)},
        {ir_ident_from(ctx, "numbers"), numbers(ctx, integers, n_integers)},
        {ir_ident_from(ctx, "outputs"), numbers(ctx, outputs, n_outputs)},
        {ir_ident_from(ctx, "semaphores"),
         numbers(ctx, p->semaphores, (size_t)p->n_semaphores)},
        {ir_ident_from(ctx, "places"), p->extents},
    };
    return ir_dict_attr(ctx, entries, TW_COUNT(entries) - !p->extents);
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_context *ctx = module->ctx;
    ir_attr all[MAX_THREADS];
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
