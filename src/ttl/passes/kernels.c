/* kernels.c: operands of threads and results of kernels go before anything else looks,
 * and threads keep to the cores of their buffers.
 *
 *   ttl.compute_thread(%cb : T) { ^bb0(%own: T): ... }     %own is %cb
 *   %r = ttl.kernel(%a, %out : T, T) -> T { ... }          %r is %out, if threads write
 * that
 *
 * A buffer with core_ranges is on some cores of the grid: words of 64 bits, in which bit n
 * of word w is the core that ttl.core_linear calls 64 w + n.  A thread that uses it under
 * no condition runs on these cores only; what a thread does under conditions of its own is
 * its author's to see to: the device reports a core that has no such buffer. */
#include "ttl/passes/kernels.h"

#include "mlir/affine/lower_affine.h"
#include "mlir/arith/arith.h"
#include "mlir/scf/scf.h"
#include "ttl/passes/distribute.h"
#include "ttl/ttl_info.h"

#include <stdlib.h>

/* ---- operands ------------------------------------------------------------------------ */

static bool is_thread(const ir_op *op)
{
    return op->def == TTL_OP(compute_thread) || op->def == TTL_OP(datamovement_thread);
}

static void settle_operands(ir_op *thread)
{
    ir_block *body = ir_op_body(thread, 0);
    for (uint32_t i = 0; body->n_args; i++) {
        ir_value_replace_uses(body->args[0], thread->operands[i].value);
        ir_block_erase_arg(body, 0);
    }
    ir_op_splice_operands(thread, 0, thread->n_operands, NULL, 0);
}

/* ---- results ------------------------------------------------------------------------- */

typedef struct written {
    const ir_block *body;
    bool *inputs;
} written;

/* The kernel's tensor behind an accessor, an element of one, a slice or a shard. */
static const ir_value *tensor_of(const ir_value *v)
{
    static const ir_op_def *const views[] = {
        TTL_OP(tensor_accessor), TTL_OP(index_accessor), TTL_OP(tensor_slice),
        TTL_OP(extract_shard),   TTL_OP(redistribute),   TTL_OP(grid_slice),
    };
    for (const ir_op *def = ir_value_def(v); def; def = ir_value_def(v)) {
        bool view = false;
        for (size_t i = 0; i < TW_COUNT(views); i++)
            view |= def->def == views[i];
        if (!view)
            break;
        v = def->operands[0].value;
    }
    return v;
}

static ir_walk note_written(ir_op *op, void *user)
{
    written *w = user;
    if (op->def != TTL_OP(copy))
        return IR_WALK_ON;
    const ir_value *to = tensor_of(op->operands[1].value);
    if (to->is_argument && to->owner == w->body)
        w->inputs[to->index] = true;
    return IR_WALK_ON;
}

/* Results are the tensors that are written, in the order of the inputs. */
static bool replace_results(ir_op *kernel, const bool *inputs)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < kernel->n_operands; i++) {
        if (!inputs[i] || n++ >= kernel->n_results)
            continue;
        ir_value *result = &kernel->results[n - 1], *input = kernel->operands[i].value;
        if (result->type != input->type)
            return ir_op_error(kernel,
                               "has result %u of type '%s', the tensor that threads write, "
                               "input %u, is '%s'",
                               n - 1, ir_type_text(kernel->ctx, result->type), i,
                               ir_type_text(kernel->ctx, input->type));
        ir_value_replace_uses(result, input);
    }
    return n == kernel->n_results ||
           ir_op_error(kernel, "has %u results, its threads write %u of its inputs",
                       kernel->n_results, n);
}

static bool settle_results(ir_op *kernel)
{
    if (!kernel->n_results)
        return true;
    bool *inputs = tw_xcalloc(kernel->n_operands + 1, sizeof *inputs);
    written w = {ir_op_body(kernel, 0), inputs};
    ir_walk_pre(kernel, note_written, &w);
    bool ok = replace_results(kernel, inputs);
    free(inputs);
    if (!ok)
        return false;
    ir_value **operands = tw_xmalloc((kernel->n_operands + 1) * sizeof *operands);
    for (uint32_t i = 0; i < kernel->n_operands; i++)
        operands[i] = kernel->operands[i].value;
    ir_builder b = ir_builder_before(kernel);
    ir_op *plain =
        ir_build_op(&b, kernel->def, NULL, 0, operands, kernel->n_operands, NULL, 0, 1);
    plain->attrs = kernel->attrs;
    for (size_t i = 0; i < kernel->def->attrs.count; i++) {
        const char *name = kernel->def->attrs.at[i].name;
        ir_op_set_attr(plain, name, ir_op_attr(kernel, name));
    }
    ir_region_take(&plain->regions[0], &kernel->regions[0]);
    ir_op_erase(kernel);
    free(operands);
    return true;
}

static bool is_kernel(const ir_op *op)
{
    return op->def == TTL_OP(kernel);
}

bool ttl_settle_kernels(ir_op *module)
{
    ir_visit_ops(module, is_thread, settle_operands);
    return ir_each_op(module, is_kernel, settle_results);
}

/* ---- cores --------------------------------------------------------------------------- */

enum { MAX_CORES = 4096, WORD = 64 };

typedef struct cores {
    ir_op *thread;
    bool on[MAX_CORES]; /* all of its buffers are there */
    int64_t n;
    bool limited, ok;
} cores;

/* Whether an operation of a thread is reached wherever the thread runs. */
static bool is_certain(const ir_op *op, const ir_op *thread)
{
    for (const ir_op *in = ir_op_parent(op); in && in != thread; in = ir_op_parent(in)) {
        int64_t lower, upper;
        bool more = in->def == SCF_OP(for) &&
                    arith_constant_int(in->operands[0].value, &lower) &&
                    arith_constant_int(in->operands[1].value, &upper) && lower < upper;
        if (!more && in->def != TTL_OP(block_compute) &&
            in->def != TTL_OP(compute_region) && in->def != TTL_OP(compute))
            return false;
    }
    return true;
}

static void keep(cores *c, ir_op *buffer, ir_attr mask)
{
    ir_attr words = mask->params[0];
    const int64_t most = (int64_t)words->count * WORD;
    for (int64_t i = c->n; i < most && c->ok; i++)
        if ((uint64_t)words->items[i / WORD]->value >> i % WORD & 1)
            c->ok =
                ir_op_error(buffer, "has core %lld in its core_ranges; the grid has %lld",
                            (long long)i, (long long)c->n);
    for (int64_t i = 0; i < c->n; i++)
        c->on[i] &= i < most && ((uint64_t)words->items[i / WORD]->value >> i % WORD & 1);
    c->limited = true;
}

static ir_walk note_cores(ir_op *op, void *user)
{
    cores *c = user;
    for (uint32_t i = 0; i < op->n_operands && c->ok; i++) {
        ir_op *buffer = ir_value_def(op->operands[i].value);
        ir_attr mask = buffer ? ir_op_attr(buffer, "core_ranges") : NULL;
        if (mask && op->def != TTL_OP(reshape_cb) && is_certain(op, c->thread))
            keep(c, buffer, mask);
    }
    return c->ok ? IR_WALK_ON : IR_WALK_STOP;
}

static ir_value *both(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y)
{
    return ir_build1(b, def, x->type, IR_VALUES(x, y), NULL, 0);
}

/* Whether this core is one of them, in as many comparisons as there are runs of numbers. */
static ir_value *condition(ir_builder *b, const cores *c, int64_t columns)
{
    ir_type index = ir_index_type(b->ctx);
    ir_value *x = ir_build1(b, TTL_OP(core_x), index, NULL, 0, NULL, 0);
    ir_value *y = ir_build1(b, TTL_OP(core_y), index, NULL, 0, NULL, 0);
    ir_value *number = lower_binary(
        b, ARITH_OP(addi), lower_binary(b, ARITH_OP(muli), y, arith_index(b, columns)), x);
    ir_value *any = NULL;
    for (int64_t i = 0, end; i < c->n; i = end) {
        end = i + 1;
        if (!c->on[i])
            continue;
        while (end < c->n && c->on[end])
            end++;
        ir_value *from =
            lower_compare(b, ARITH_CmpIPredicate_sge, number, arith_index(b, i));
        ir_value *to =
            lower_compare(b, ARITH_CmpIPredicate_slt, number, arith_index(b, end));
        ir_value *in = both(b, ARITH_OP(andi), from, to);
        any = any ? both(b, ARITH_OP(ori), any, in) : in;
    }
    return any;
}

ir_op *ttl_limit_to_cores(ir_op *kernel, ir_op *thread, ir_op *at)
{
    int64_t grid[2];
    cores c = {.thread = thread, .ok = true};
    ttl_grid_of(kernel, grid);
    if (grid[0] < 1 || grid[1] < 1 || grid[0] > MAX_CORES || grid[1] > MAX_CORES / grid[0])
        return at; /* nothing is known of such a grid */
    c.n = grid[0] * grid[1];
    for (int64_t i = 0; i < c.n; i++)
        c.on[i] = true;
    ir_walk_pre(thread, note_cores, &c);
    if (!c.ok || !c.limited)
        return c.ok ? at : NULL;
    ir_builder b = ir_builder_before(at);
    b.loc = thread->loc;
    ir_value *inside = condition(&b, &c, grid[0]);
    if (!inside) {
        ir_op_error(thread, "uses circular buffers that no core has all of: look at their "
                            "core_ranges");
        return NULL;
    }
    ir_op *branch = ir_build_op(&b, SCF_OP(if), NULL, 0, &inside, 1, NULL, 0, 2);
    ir_block *body = ir_block_create(kernel->ctx);
    ir_region_append(&branch->regions[0], body);
    ir_builder in = ir_builder_at_end(kernel->ctx, body, thread->loc);
    return ir_build_op(&in, SCF_OP(yield), NULL, 0, NULL, 0, NULL, 0, 0);
}
