/* products.c: matmuls, convolutions and attention as products of tiles. */
#include "cost/product.h"
#include "cost/rows.h"
#include "ttnn/layout.h"

#include <math.h>

enum { SIDE = 32 };

static double up_to_tiles(double n)
{
    return ceil(n / SIDE);
}

/* Cycles a tile of the result for a bias, which is broadcast over rows. */
static double bias_of(const cost_model *m, const ir_op *op, const cost_tensor *out)
{
    double cycles;
    const char *const add[] = {"add"};
    if (!ir_op_operand_if_named(op, "bias"))
        return 0;
    cost_vector_tile(m, out, 2, add, 1, &cycles);
    return cycles;
}

op_cost cost_matmul(cost_model *m, const ir_op *op, const cost_tensor *out)
{
    cost_tensor a, b;
    if (!cost_tensor_of(op->operands[0].value->type, &a) ||
        !cost_tensor_of(op->operands[1].value->type, &b))
        return (op_cost){0};
    const bool turned = ir_op_bool(op, "transpose_a");
    const cost_product p = {.batch = out->batch,
                            .rows = out->rows,
                            .inner = turned ? a.rows : a.columns,
                            .columns = out->columns,
                            .a_tile = a.tile,
                            .b_tile = b.tile,
                            .out_tile = out->tile,
                            .wide = !out->narrow,
                            .batched_b = b.batch > 1,
                            .a_dram = a.dram,
                            .b_dram = b.dram,
                            .out_dram = out->dram,
                            .out_l1 = out->l1,
                            .a = turned ? NULL : &a,
                            .out = out,
                            .phases = cost_phases(op),
                            .finish = bias_of(m, op, out)};
    return cost_of_product(m, &p);
}

/* The windows of a result's pixel are a row of the left matrix, which each core gathers in
 * L1 and tilizes; a convolution in groups multiplies by zeros outside of them, as the
 * hardware's does. */
op_cost cost_convolution(cost_model *m, const ir_op *op, const cost_tensor *out)
{
    enum { MAX_KERNEL = 3 };
    const dev_cost *c = &m->chip->cost;
    int64_t sizes[MAX_KERNEL], window = 1;
    cost_tensor in, weight;
    const ir_attr kernel = ir_op_attr(op, "kernel_size");
    if (ir_attr_is(kernel, IR_ATTR_INTEGER))
        window = (int64_t)kernel->value;
    else
        for (int64_t i = 0, n = ir_attr_ints(kernel, sizes, MAX_KERNEL);
             i < n && i < MAX_KERNEL; i++)
            window *= sizes[i];
    if (!cost_tensor_of(op->operands[0].value->type, &in) ||
        !cost_tensor_of(op->operands[1].value->type, &weight))
        return (op_cost){0};
    const double channels = (double)ir_op_int(op, "in_channels", 1),
                 made = (double)ir_op_int(op, "out_channels", 1),
                 pixels = out->elements / fmax(made, 1);
    const double stick = channels * in.tile / (SIDE * SIDE),
                 gather = (double)window * SIDE * fmax(stick / c->noc_bytes, c->issue_noc),
                 inner = up_to_tiles((double)window * channels);
    const double tilize = cost_stage(m, dev_unpack_cycles(c, in.tile, true), c->move_tile,
                                     dev_pack_cycles(c, in.tile, false));
    const cost_product p = {.batch = 1,
                            .rows = up_to_tiles(pixels),
                            .inner = inner,
                            .columns = up_to_tiles(made),
                            .a_tile = in.tile,
                            .b_tile = weight.tile > 0 ? weight.tile : in.tile,
                            .out_tile = out->tile,
                            .wide = !out->narrow,
                            .a_dram = in.dram,
                            .b_dram = true,
                            .out_dram = out->dram,
                            .out_l1 = out->l1,
                            .out = out,
                            .phases = cost_phases(op),
                            .a_extra = gather / inner,
                            .a_compute = tilize,
                            .a_bytes = cost_bytes(&in),
                            .finish = bias_of(m, op, out)};
    return cost_of_product(m, &p);
}

/* Blocks of queries, shared by cores; each reads its head's keys and values. Per tile of
 * scores: both products, the maximum, exp, the sum; per tile of the result and row of
 * scores the correction of what was summed before. */
op_cost cost_attention(cost_model *m, const ir_op *op, const cost_tensor *out)
{
    const dev_cost *c = &m->chip->cost;
    const bool decoding = op->def == TTNN_OP(scaled_dot_product_attention_decode);
    const ir_value *key = ir_op_operand_named(op, "key");
    cost_tensor q, k;
    if (!key || !cost_tensor_of(op->operands[0].value->type, &q) ||
        !cost_tensor_of(key->type, &k))
        return (op_cost){0};
    const int phases = cost_phases(op);
    const double share = ir_op_bool(op, "is_causal") && !decoding ? 0.5 : 1;
    double heads = decoding ? k.batch : q.batch, rows = decoding ? 1 : q.rows;
    const double keys = fmax(ceil(k.rows * share), 1), width = q.columns;
    const char *const steps[] = {"sub", "exp"};
    double exponential;
    cost_vector_tile(m, &q, 2, steps, 2, &exponential);
    const double reduce = 4 * c->reduce_pool * phases + 2 * c->reduce_transpose;
    const double score =
        2 * width *
            fmax(dev_matmul_cycles(c, phases), dev_unpack_cycles(c, q.tile, false)) +
        2 * reduce + exponential;
    const double correction = 2 * width * dev_eltwise_cycles(c, true, phases);
    /* a decoder's keys are divided, too, where heads leave cores idle */
    const double all = m->chip->grid_y * m->chip->grid_x;
    const double parts = decoding ? fmax(fmin(floor(all / heads), keys), 1) : 1;
    const double units = heads * rows * parts, cores = fmin(units, all);
    const double per_unit = ceil(keys / parts);
    const cost_share s = {.cores = (int)cores,
                          .steps = ceil(units / cores) * per_unit,
                          .reads = k.dram ? 2 * width : 0,
                          .read_tile = k.tile,
                          .writes = out->dram ? cost_tiles(out) / (units * per_unit) : 0,
                          .write_tile = out->tile,
                          .compute = score + correction + 4 * (c->cb_poll + c->cb_update)};
    return cost_of_share(m, &s);
}
