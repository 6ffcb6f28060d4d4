/* reductions.c: rows that are reduced: softmax, norms, sums; and pooling. A core has whole
 * rows of tiles; each stage of a row reads and writes circular buffers in L1. */
#include "cost/rows.h"
#include "ttnn/ttnn.h"

#include <math.h>

/* Per tile, the reduction of a row. */
static double reduce_tile(const cost_model *m, const cost_tensor *t, dev_reduced how,
                          bool maximum, int phases)
{
    const dev_cost *c = &m->chip->cost;
    return fmax(c->issue_compute + dev_unpack_cycles(c, t->tile, false),
                dev_reduce_cycles(c, how, maximum ? 1 : phases));
}

/* Per tile, two operands of which one is a broadcast row or column: by the vector unit.
 * Both are in DST, which holds half as many results between two inits. */
static double broadcast_tile(const cost_model *m, const cost_tensor *t,
                             const char *function, const char *then)
{
    enum { INITS = 260 }; /* of broadcast, copy and function, and an empty pipeline */
    double cycles;
    const char *const functions[] = {function, then};
    cost_vector_tile(m, t, 2, functions, then ? 2 : 1, &cycles);
    return cycles + INITS / (dev_dst_capacity(m->chip, !t->narrow, false) / 2.0);
}

/* Statistics of rows that several cores share: each sends a tile of its part to the first,
 * which adds them up and sends the sum back to all. */
static double exchange(const cost_model *m, const cost_tensor *t, double cores, int phases)
{
    enum { SEMAPHORES = 400 };
    const dev_cost *c = &m->chip->cost;
    if (cores <= 1)
        return 0;
    return 2 * (SEMAPHORES + c->noc_latency + c->noc_hop * cores) +
           cores * (fmax(t->tile / c->noc_bytes, c->issue_noc) +
                    reduce_tile(m, t, DEV_REDUCED_ROWS, false, phases));
}

/* A share of rows of tiles; `compute` is of one tile, `once` of a row, which has
 * `statistics`. Tensors in shards of both stay where they are, a row in those of several
 * cores, too; without, a row is one core's. */
static op_cost rows_of(cost_model *m, const ir_op *op, const cost_tensor *t, double compute,
                       double once, int statistics, int weights)
{
    cost_tensor in;
    if (!cost_tensor_of(op->operands[0].value->type, &in))
        in = *t;
    const bool own = t->memory != 0, local = cost_same_shards(&in, t);
    const double rows = t->batch * t->rows, all = m->chip->grid_y * m->chip->grid_x,
                 cores = own ? t->cores : fmin(rows, all),
                 columns = own ? t->shard_columns : t->columns,
                 of_a_row = ceil(t->columns / columns);
    const cost_share s = {
        .cores = (int)cores,
        .steps = own ? t->shard_rows : ceil(rows / cores),
        .reads = in.dram ? columns : 0,
        .read_tile = t->tile,
        .l1 = ((in.l1 && !local) + (t->l1 && !own)) * columns * t->tile,
        .writes = t->dram ? columns : 0,
        .write_tile = t->tile,
        .compute = columns * compute + once +
                   statistics * exchange(m, t, of_a_row, cost_phases(op)),
        .common = {1, weights > 0 ? columns : 0, weights > 1 ? columns : 0},
        .common_tile = t->tile};
    return cost_of_share(m, &s);
}

/* Stages of a row that wait for each other: inits, circular buffers, an empty pipeline. */
static double stages(const cost_model *m, int n)
{
    const dev_cost *c = &m->chip->cost;
    return n * (80 + 2 * (c->cb_poll + c->cb_update) + c->dst_acquire + c->dst_commit +
                c->dst_wait + c->dst_release);
}

/* The maximum, exp(x - maximum), the sum, a multiplication by its reciprocal. */
op_cost cost_softmax(cost_model *m, const ir_op *op, const cost_tensor *out)
{
    const int phases = cost_phases(op);
    const double recip = cost_function(m, "recip", false, !out->narrow);
    return rows_of(m, op, out,
                   reduce_tile(m, out, DEV_REDUCED_ROWS, true, phases) +
                       broadcast_tile(m, out, "sub", "exp") +
                       reduce_tile(m, out, DEV_REDUCED_ROWS, false, phases) +
                       broadcast_tile(m, out, "mul", NULL),
                   recip + stages(m, 4), 2, 0);
}

/* The mean, x - mean, its square, the sum, a product with 1 / deviation; weight and bias.
 * An RMS norm has no mean. */
op_cost cost_norm(cost_model *m, const ir_op *op, const cost_tensor *out)
{
    const int phases = cost_phases(op);
    const bool centred = op->def != TTNN_OP(rms_norm),
               weight = ir_op_operand_named(op, "weight") != NULL,
               bias = ir_op_operand_named(op, "bias") != NULL;
    const char *const multiply[] = {"mul"};
    double square, tile = reduce_tile(m, out, DEV_REDUCED_ROWS, false, phases);
    cost_vector_tile(m, out, 1, multiply, 1, &square);
    tile += square + broadcast_tile(m, out, "mul", NULL);
    if (centred)
        tile += reduce_tile(m, out, DEV_REDUCED_ROWS, false, phases) +
                broadcast_tile(m, out, "sub", NULL);
    tile += (weight ? broadcast_tile(m, out, "mul", NULL) : 0) +
            (bias ? broadcast_tile(m, out, "add", NULL) : 0);
    const int n = 3 + 2 * centred + weight + bias;
    return rows_of(m, op, out, tile,
                   cost_function(m, "rsqrt", false, !out->narrow) + stages(m, n),
                   1 + centred, weight + bias);
}

/* Per channel: (x - mean) * scale + bias. */
op_cost cost_scaling(cost_model *m, const ir_op *op, const cost_tensor *out)
{
    (void)op;
    return rows_of(m, op, out,
                   broadcast_tile(m, out, "sub", NULL) +
                       broadcast_tile(m, out, "mul", NULL) +
                       broadcast_tile(m, out, "add", NULL),
                   stages(m, 3), 0, 2);
}

op_cost cost_reduction(cost_model *m, const ir_op *op, const cost_tensor *out)
{
    enum { MAX_DIMS = 8 };
    const dev_cost *c = &m->chip->cost;
    cost_tensor in;
    int64_t dims[MAX_DIMS];
    if (!cost_tensor_of(op->operands[0].value->type, &in))
        return (op_cost){0};
    const ir_type type = op->operands[0].value->type;
    const int64_t rank = type->count;
    int64_t n = ir_attr_ints(ir_op_attr(op, "dim_arg"), dims, MAX_DIMS);
    bool across = n <= 0, down = n <= 0; /* the last dimension, the last but one */
    for (int64_t i = 0; i < n && i < MAX_DIMS; i++) {
        const int64_t d = dims[i] < 0 ? dims[i] + rank : dims[i];
        across |= d == rank - 1;
        down |= d == rank - 2;
    }
    const bool maximum =
        op->def == TTNN_OP(max) || op->def == TTNN_OP(min) || op->def == TTNN_OP(argmax);
    const double tile = across || down
                            ? reduce_tile(m, &in,
                                          across && down ? DEV_REDUCED_TILE
                                          : across       ? DEV_REDUCED_ROWS
                                                         : DEV_REDUCED_COLUMNS,
                                          maximum, cost_phases(op))
                            : fmax(dev_unpack_cycles(c, in.tile, false), c->eltwise_fpu);
    /* sums of whole rows, or columns, of shards that have them stay where they are */
    const bool whole =
        in.memory && in.memory == out->memory && in.cores == out->cores &&
        ((across && !down && in.memory == TTNN_TensorMemoryLayout_HeightSharded &&
          in.shard_rows == out->shard_rows) ||
         (down && !across && in.batch == 1 &&
          in.memory == TTNN_TensorMemoryLayout_WidthSharded &&
          in.shard_columns == out->shard_columns));
    const double tiles = cost_tiles(&in), results = fmax(cost_tiles(out), 1);
    double each;
    const double cores = cost_cores(m, out, &each);
    const cost_share s = {.cores = (int)fmax(cores, 1),
                          .steps = fmax(each, 1) * ceil(tiles / results),
                          .reads = in.dram,
                          .read_tile = in.tile,
                          .writes = out->dram ? results / tiles : 0,
                          .write_tile = out->tile,
                          .l1 = (in.l1 && !whole ? in.tile : 0) +
                                (out->l1 && !out->memory ? out->tile * results / tiles : 0),
                          .compute = tile + c->cb_poll + c->cb_update};
    return cost_of_share(m, &s);
}

/* Rows of a window are reduced to one; activations are sharded in L1. */
op_cost cost_pool(cost_model *m, const ir_op *op, const cost_tensor *out)
{
    enum { ROWS = 32 };
    const dev_cost *c = &m->chip->cost;
    int64_t window[2] = {1, 1};
    ir_attr_ints(ir_op_attr(op, "kernel_size"), window, 2);
    const double sticks = cost_tiles(out) * ROWS, all = m->chip->grid_y * m->chip->grid_x,
                 cores = fmin(all, ceil(sticks / ROWS)),
                 reads = (double)(window[0] * window[1]), row = out->tile / ROWS;
    cost_tensor in;
    if (!cost_tensor_of(op->operands[0].value->type, &in))
        return (op_cost){0};
    const cost_share s = {.cores = (int)cores,
                          .steps = ceil(sticks / cores / ROWS),
                          .reads = in.dram ? cost_tiles(&in) / cost_tiles(out) : 0,
                          .read_tile = in.tile,
                          .writes = out->dram,
                          .write_tile = out->tile,
                          .l1 = ROWS * reads * fmax(row, c->issue_noc * c->noc_bytes),
                          .compute = ROWS * ceil(reads / ROWS) *
                                     reduce_tile(m, out, DEV_REDUCED_COLUMNS, true, 1)};
    return cost_of_share(m, &s);
}
