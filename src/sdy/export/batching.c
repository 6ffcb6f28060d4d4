/* batching.c: sdy-explicit-gather-scatter-batching: if a component of the index vectors
 * is an iota along a dimension of the indices, that dimension and the operand dimension
 * it indexes become a batching pair, which can be sharded equally. */
#include "ir/pass/pass.h"
#include "sdy/propagation/shardings.h"
#include "stablehlo/build.h"
#include "stablehlo/passes/counting.h"
#include "stablehlo/stablehlo.h"

#include <stdlib.h>

typedef struct integers {
    int64_t at[SDY_MAX_DIMS], n;
} integers;

/* A gather or a scatter, in gather's terms. */
typedef struct indexing {
    ir_op *op;
    const char *attr;                 /* its dimension numbers */
    uint32_t indices;                 /* the operand number of the indices */
    int64_t index_dim;                /* the index vector dimension */
    size_t one, batch, batch_at, map; /* parameters: dimensions of slice size 1, ... */
    integers dropped, batches, batches_at, to;
} indexing;

static bool read_list(ir_attr numbers_attr, size_t param, integers *out)
{
    ir_attr list = numbers_attr->params[param];
    out->n = list ? list->count : 0;
    for (int64_t i = 0; i < out->n && i < SDY_MAX_DIMS; i++)
        out->at[i] = ir_attr_int(list->items[i], -1);
    return out->n <= SDY_MAX_DIMS;
}

static void remove_at(integers *list, int64_t i)
{
    list->n--;
    memmove(list->at + i, list->at + i + 1, (size_t)(list->n - i) * sizeof list->at[0]);
}

static int64_t find(const integers *list, int64_t x)
{
    for (int64_t i = 0; i < list->n; i++)
        if (list->at[i] == x)
            return i;
    return -1;
}

static bool read_op(ir_op *op, indexing *x)
{
    enum { INDEX_DIM = 5 };
    bool gather = op->def == STABLEHLO_OP(gather);
    *x = (indexing){.op = op,
                    .attr = gather ? "dimension_numbers" : "scatter_dimension_numbers",
                    .one = 1,
                    .batch = 2,
                    .batch_at = 3,
                    .map = 4};
    ir_attr d = ir_op_attr(op, x->attr);
    if (!gather && op->n_operands != 3)
        return false; /* variadic scatter */
    x->indices = 1;
    x->index_dim = ir_attr_int(d->params[INDEX_DIM], -1);
    return read_list(d, x->one, &x->dropped) && read_list(d, x->batch, &x->batches) &&
           read_list(d, x->batch_at, &x->batches_at) && read_list(d, x->map, &x->to);
}

/* The dimension of the indices along which `part` is an iota; -1 if there is none. */
static int64_t counted(const indexing *x, const ir_value *part, int64_t size)
{
    for (int64_t d = 0; d < part->type->count; d++)
        if (d != x->index_dim && part->type->dims[d] == size && size > 1 &&
            find(&x->batches_at, d) < 0 && hlo_counts_along(part, d))
            return d;
    return -1;
}

static void add_batch(indexing *x, int64_t dim, int64_t at)
{
    int64_t i = x->batches.n++;
    x->batches_at.n++;
    for (; i > 0 && x->batches.at[i - 1] > dim; i--) {
        x->batches.at[i] = x->batches.at[i - 1];
        x->batches_at.at[i] = x->batches_at.at[i - 1];
    }
    x->batches.at[i] = dim;
    x->batches_at.at[i] = at;
}

static ir_attr raw_list(ir_context *ctx, const integers *list)
{
    ir_attr items[SDY_MAX_DIMS];
    for (int64_t i = 0; i < list->n; i++)
        items[i] = ir_raw_int(ctx, list->at[i]);
    return ir_array_attr(ctx, items, (size_t)list->n);
}

static void write_op(indexing *x, ir_value *const *parts, size_t n)
{
    enum { N_PARAMS = 6 };
    ir_op *op = x->op;
    ir_context *ctx = op->ctx;
    ir_attr d = ir_op_attr(op, x->attr), params[N_PARAMS];
    int64_t dims[SDY_MAX_DIMS];
    ir_builder b = ir_builder_before(op);
    memcpy(params, d->params, sizeof params);
    params[x->one] = raw_list(ctx, &x->dropped);
    params[x->batch] = raw_list(ctx, &x->batches);
    params[x->batch_at] = raw_list(ctx, &x->batches_at);
    params[x->map] = raw_list(ctx, &x->to);
    ir_op_set_attr(op, x->attr, ir_dialect_attr(ctx, d->def, params, N_PARAMS));
    memcpy(dims, parts[0]->type->dims, parts[0]->type->count * sizeof dims[0]);
    dims[x->index_dim] = x->to.n;
    ir_type type = ir_type_with_shape(parts[0]->type, dims, parts[0]->type->count);
    ir_op_set_operand(op, x->indices,
                      n == 1 ? parts[0]
                             : hlo_concatenate(&b, type, parts, n, x->index_dim));
    if (ir_op_attr(op, "indices_are_sorted")) /* the other components may be unsorted */
        ir_op_set_attr(op, "indices_are_sorted", ir_bool_attr(ctx, false));
}

static void make_batches(ir_op *op)
{
    indexing x;
    ir_type whole = op->operands[0].value->type;
    if (!read_op(op, &x))
        return;
    ir_op *joined = ir_value_def(op->operands[x.indices].value);
    if (!joined || joined->def != STABLEHLO_OP(concatenate) ||
        ir_op_int(joined, "dimension", -1) != x.index_dim || !ir_type_is_ranked(whole) ||
        joined->results[0].type->count > SDY_MAX_DIMS)
        return;
    ir_value **kept = tw_xmalloc((joined->n_operands + 1u) * sizeof *kept);
    size_t n = 0;
    int64_t at = 0;
    bool any = false;
    for (uint32_t i = 0; i < joined->n_operands; i++) {
        ir_value *part = joined->operands[i].value;
        int64_t wide = part->type->dims[x.index_dim];
        int64_t dim = wide == 1 && at < x.to.n ? x.to.at[at] : -1;
        int64_t dropped = dim >= 0 ? find(&x.dropped, dim) : -1;
        int64_t batch = dropped >= 0 && x.to.n > 1 && x.batches.n < SDY_MAX_DIMS
                            ? counted(&x, part, whole->dims[dim])
                            : -1;
        if (batch < 0) {
            kept[n++] = part;
            at += wide;
            continue;
        }
        remove_at(&x.to, at);
        remove_at(&x.dropped, dropped);
        add_batch(&x, dim, batch);
        any = true;
    }
    if (any)
        write_op(&x, kept, n);
    free(kept);
}

static bool indexes(const ir_op *op)
{
    return op->def == STABLEHLO_OP(gather) || op->def == STABLEHLO_OP(scatter);
}

static bool run_batching(ir_op *func, pass_run *run)
{
    (void)run;
    ir_visit_ops(func, indexes, make_batches);
    return true;
}

const pass_def sdy_explicit_gather_scatter_batching_pass = {
    .name = "sdy-explicit-gather-scatter-batching",
    .title = "ExplicitGatherScatterBatchingPass",
    .summary = "Converts dimensions indexed by iotas to batching dimensions.",
    .anchor = "func.func",
    .run = run_batching,
};
