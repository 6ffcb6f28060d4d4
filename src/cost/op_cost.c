/* op_cost.c: rows of TTNN's operations by what their programs do. */
#include "cost/cost.h"
#include "cost/product.h"
#include "cost/rows.h"

#include "ttcore/ttcore.h"
#include "ttnn/layout.h"

#include <math.h>

/* ---- element-wise functions ---------------------------------------------------------- */

enum { MAX_FUNCTIONS = 4 };

/* Functions of ttkernel/elementwise.def that compute an operation; those of equal names are
 * not listed. */
static const struct {
    uint16_t row;
    const char *functions[MAX_FUNCTIONS];
} composed[] = {
    {TTNN_asinh, {"square", "sqrt", "add", "log"}},
    {TTNN_cbrt, {"log", "mul_scalar", "exp"}},
    {TTNN_clamp_scalar, {"max", "min"}},
    {TTNN_clamp_tensor, {"max", "min"}},
    {TTNN_divide, {"div"}},
    {TTNN_gelu_bw, {"gelu", "exp", "mul", "mul"}},
    {TTNN_isfinite, {"abs", "lt"}},
    {TTNN_leaky_relu, {"relu", "mul_scalar", "add"}},
    {TTNN_logical_and, {"nez", "nez", "mul"}},
    {TTNN_logical_left_shift, {"bitwise_left_shift"}},
    {TTNN_logical_or, {"nez", "nez", "add", "nez"}},
    {TTNN_logical_xor, {"nez", "nez", "ne"}},
    {TTNN_maximum, {"max"}},
    {TTNN_minimum, {"min"}},
    {TTNN_mish, {"exp", "log1p", "tanh", "mul"}},
    {TTNN_multiply, {"mul"}},
    {TTNN_pow_scalar, {"pow"}},
    {TTNN_pow_tensor, {"pow"}},
    {TTNN_reciprocal, {"recip"}},
    {TTNN_relu6, {"relu", "min"}},
    {TTNN_remainder, {"div", "floor", "mul", "sub"}},
    {TTNN_subtract, {"sub"}},
    {TTNN_where, {"nez"}}, /* as many instructions */
};

static size_t functions_of(const ir_op *op, const char *out[MAX_FUNCTIONS])
{
    size_t n = 0;
    for (size_t i = 0; i < TW_COUNT(composed); i++)
        if (op->def == &ttnn_ops[composed[i].row]) {
            while (n < MAX_FUNCTIONS && composed[i].functions[n]) {
                out[n] = composed[i].functions[n];
                n++;
            }
            return n;
        }
    out[0] = strchr(op->def->name, '.') + 1;
    return 1;
}

/* The matrix unit adds, subtracts and multiplies two tiles of at most 16 bits. */
static bool by_matrix_unit(const ir_op *op, const cost_tensor *a, const cost_tensor *b)
{
    return (op->def == TTNN_OP(add) || op->def == TTNN_OP(subtract) ||
            op->def == TTNN_OP(multiply)) &&
           a->narrow && b->narrow && !a->integers && cost_tiles(a) == cost_tiles(b);
}

static op_cost elementwise(cost_model *m, const ir_op *op, const cost_tensor *out)
{
    const char *functions[MAX_FUNCTIONS];
    const dev_cost *c = &m->chip->cost;
    const size_t n = functions_of(op, functions);
    const double tiles = cost_tiles(out);
    double steps;
    const double cores = cost_cores(m, out, &steps);
    cost_tensor in[MAX_FUNCTIONS];
    cost_share s = {.cores = (int)cores,
                    .steps = steps,
                    .writes = out->dram,
                    .write_tile = out->tile,
                    .l1 = out->l1 && !out->memory ? out->tile : 0};
    int operands = 0;
    for (uint32_t i = 0; i < op->n_operands && operands < MAX_FUNCTIONS; i++)
        if (cost_tensor_of(op->operands[i].value->type, &in[operands])) {
            const cost_tensor *t = &in[operands++];
            if (t->dram && cost_tiles(t) == 1 && tiles > 1) {
                s.common[TW_MIN(operands - 1, 2)] = 1; /* kept by every core */
                s.common_tile = t->tile;
            } else if (t->dram) {
                s.read_tile = (s.read_tile * s.reads + t->tile) / (s.reads + 1);
                s.reads++;
            } else if (t->l1 && !cost_same_shards(t, out)) {
                s.l1 += t->tile;
            }
        }
    bool known = true;
    if (operands == 2 && by_matrix_unit(op, &in[0], &in[1]))
        s.compute =
            cost_stage(m, c->issue_compute + dev_unpack_cycles(c, in[0].tile, false),
                       dev_eltwise_cycles(c, op->def == TTNN_OP(multiply), cost_phases(op)),
                       dev_pack_cycles(c, out->tile, false));
    else
        known = cost_vector_tile(m, operands ? &in[0] : out, TW_MAX(operands, 1), functions,
                                 n, &s.compute);
    s.compute += (operands + 1) * (c->cb_poll + c->cb_update);
    op_cost r = cost_of_share(m, &s);
    r.bytes_only = !known;
    return r;
}

/* ---- copies -------------------------------------------------------------------------- */

/* Tiles in and out; `pieces`: contiguous parts of a tile, each a transfer of its own. */
static op_cost moved(cost_model *m, const ir_op *op, const cost_tensor *out, double pieces,
                     double compute)
{
    const dev_cost *c = &m->chip->cost;
    double in = 0, in_bytes = 0, l1_bytes = out->l1 && !out->memory ? cost_bytes(out) : 0;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        cost_tensor t;
        if (!cost_tensor_of(op->operands[i].value->type, &t))
            continue;
        in += t.dram ? cost_tiles(&t) : 0;
        in_bytes += t.dram ? cost_bytes(&t) : 0;
        l1_bytes += t.l1 ? fmin(cost_bytes(&t), cost_bytes(out)) : 0;
    }
    const double tiles = cost_tiles(out);
    double steps;
    const double cores = cost_cores(m, out, &steps);
    in = fmin(in, tiles); /* a gather reads what it writes */
    const cost_share s = {.cores = (int)cores,
                          .steps = steps,
                          .reads = in / tiles,
                          .read_tile = in > 0 ? fmax(in_bytes / fmax(in, 1), 1) : 0,
                          .writes = out->dram,
                          .write_tile = out->tile,
                          .l1 = l1_bytes / tiles,
                          .compute = fmax(compute, (pieces - 1) * c->issue_noc)};
    cost_share limited = s;
    limited.read_tile = fmin(s.read_tile, out->tile * 2);
    return cost_of_share(m, &limited);
}

/* Pieces of a tile's transfer when a permutation moves its rows or columns: face rows. */
static double pieces_of(const ir_op *op)
{
    enum { FACE_ROWS = 64, MAX_RANK = 16 };
    int64_t order[MAX_RANK];
    const ir_type type = op->operands[0].value->type;
    if (op->def == TTNN_OP(permute)) {
        const int64_t n = ir_attr_ints(ir_op_attr(op, "permutation"), order, MAX_RANK);
        if (n < 2 || n > MAX_RANK)
            return FACE_ROWS;
        const bool kept = order[n - 1] == n - 1 && order[n - 2] == n - 2,
                   turned = order[n - 1] == n - 2 && order[n - 2] == n - 1;
        return kept || turned ? 1 : FACE_ROWS;
    }
    if (op->def == TTNN_OP(transpose)) {
        const int64_t rank = type->count, a = ir_op_int(op, "dim0", 0),
                      b = ir_op_int(op, "dim1", 1);
        const int64_t x = a < 0 ? a + rank : a, y = b < 0 ? b + rank : b;
        const bool inner = x >= rank - 2 && y >= rank - 2,
                   outer = x < rank - 2 && y < rank - 2;
        return inner || outer ? 1 : FACE_ROWS;
    }
    if (op->def == TTNN_OP(reshape)) {
        const ir_type to = op->results[0].type;
        const bool row = type->count && to->count &&
                         type->dims[type->count - 1] == to->dims[to->count - 1];
        return row ? FACE_ROWS / 2.0 : FACE_ROWS;
    }
    return 1;
}

bool cost_is_view(const ir_op *op)
{
    if (op->def != TTNN_OP(reshape))
        return false;
    const ir_type a = op->operands[0].value->type, b = op->results[0].type;
    ttnn_layout from, to;
    if (ttnn_layout_of(a, &from) && ttnn_layout_of(b, &to) && !from.tiled && !to.tiled)
        return true;
    if (a->count < 1 || b->count < 1 || a->dims[a->count - 1] != b->dims[b->count - 1])
        return false;
    const int64_t x = a->count > 1 ? a->dims[a->count - 2] : 1,
                  y = b->count > 1 ? b->dims[b->count - 2] : 1;
    return x == y || (x % 32 == 0 && y % 32 == 0);
}

/* ---- rows ---------------------------------------------------------------------------- */

/* True if the first operand lies as the result does. */
static bool stays(const ir_op *op, const cost_tensor *out)
{
    cost_tensor in;
    return cost_tensor_of(op->operands[0].value->type, &in) && in.dram == out->dram &&
           in.l1 == out->l1 && (in.memory == out->memory) &&
           (!in.memory || cost_same_shards(&in, out));
}

static op_cost copies(cost_model *m, const ir_op *op, const cost_tensor *out)
{
    if (cost_is_view(op) && stays(op, out))
        return (op_cost){0};
    return moved(m, op, out, pieces_of(op), m->chip->cost.move_tile);
}

/* Tilizing and untilizing pass through DST. */
static op_cost relaid(cost_model *m, const ir_op *op, const cost_tensor *out)
{
    const dev_cost *c = &m->chip->cost;
    ttnn_layout from, to;
    const bool known = ttnn_layout_of(op->operands[0].value->type, &from) &&
                       ttnn_layout_of(op->results[0].type, &to);
    if (known && (ttnn_layout_on_host(&from) || ttnn_layout_on_host(&to) ||
                  ttnn_layout_equal(&from, &to)))
        return (op_cost){0};
    double unpack = dev_unpack_cycles(c, out->tile, true);
    return moved(m, op, out, 1,
                 cost_stage(m, unpack, c->move_tile, dev_pack_cycles(c, out->tile, false)));
}

static op_cost bytes_only(cost_model *m, const ir_op *op, const cost_tensor *out)
{
    op_cost r = moved(m, op, out, 1, 0);
    r.bytes_only = true;
    return r;
}

static op_cost nothing(cost_model *m, const ir_op *op, const cost_tensor *out)
{
    (void)m, (void)op, (void)out;
    return (op_cost){0};
}

typedef op_cost cost_fn(cost_model *m, const ir_op *op, const cost_tensor *out);

static const struct {
    uint16_t row;
    cost_fn *cost;
} rows[] = {
    {TTNN_arange, copies},
    {TTNN_argmax, cost_reduction},
    {TTNN_assign, copies},
    {TTNN_avg_pool2d, cost_pool},
    {TTNN_batch_norm_inference, cost_scaling},
    {TTNN_concat, copies},
    {TTNN_concatenate_heads, copies},
    {TTNN_constant, nothing},
    {TTNN_conv1d, cost_convolution},
    {TTNN_conv2d, cost_convolution},
    {TTNN_conv3d, cost_convolution},
    {TTNN_conv_transpose2d, cost_convolution},
    {TTNN_copy, copies},
    {TTNN_embedding, copies},
    {TTNN_empty, nothing},
    {TTNN_from_device, nothing},
    {TTNN_full, copies},
    {TTNN_get_device, nothing},
    {TTNN_global_avg_pool2d, cost_reduction},
    {TTNN_group_norm, cost_norm},
    {TTNN_layer_norm, cost_norm},
    {TTNN_linear, cost_matmul},
    {TTNN_matmul, cost_matmul},
    {TTNN_max, cost_reduction},
    {TTNN_max_pool2d, cost_pool},
    {TTNN_mean, cost_reduction},
    {TTNN_min, cost_reduction},
    {TTNN_nlp_concat_heads, copies},
    {TTNN_nlp_concat_heads_decode, copies},
    {TTNN_nlp_create_qkv_heads_decode, copies},
    {TTNN_ones, copies},
    {TTNN_pad, copies},
    {TTNN_permute, copies},
    {TTNN_prod, cost_reduction},
    {TTNN_repeat, copies},
    {TTNN_repeat_interleave, copies},
    {TTNN_reshape, copies},
    {TTNN_rms_norm, cost_norm},
    {TTNN_scaled_dot_product_attention, cost_attention},
    {TTNN_scaled_dot_product_attention_decode, cost_attention},
    {TTNN_slice_dynamic, copies},
    {TTNN_slice_static, copies},
    {TTNN_softmax, cost_softmax},
    {TTNN_split_query_key_value_and_split_heads, copies},
    {TTNN_sum, cost_reduction},
    {TTNN_to_device, nothing},
    {TTNN_to_layout, relaid},
    {TTNN_to_memory_config, relaid},
    {TTNN_to_tensor_spec, relaid},
    {TTNN_transpose, copies},
    {TTNN_typecast, relaid},
    {TTNN_zeros, copies},
};

op_cost cost_of_op(cost_model *m, const ir_op *op)
{
    cost_tensor out;
    if (op->def < ttnn_ops || op->def >= ttnn_ops + TTNN_OP_COUNT ||
        op->def == TTNN_OP(deallocate))
        return (op_cost){0};
    if (!op->n_results || !cost_tensor_of(op->results[0].type, &out)) {
        /* an update of an operand in place writes what it is given */
        if (op->n_operands < 2 || !cost_tensor_of(op->operands[1].value->type, &out))
            return (op_cost){0};
        return moved(m, op, &out, 1, 0);
    }
    if (cost_tiles(&out) < 1)
        return (op_cost){0};
    if (ttnn_is_elementwise(op->def))
        return elementwise(m, op, &out);
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (op->def == &ttnn_ops[rows[i].row])
            return rows[i].cost(m, op, &out);
    return bytes_only(m, op, &out);
}

void cost_open(cost_model *m, const dev_chip *chip)
{
    *m = (cost_model){.chip = chip};
}

const dev_chip *cost_chip_of(ir_op *module)
{
    const ir_attr system = ir_op_attr(module, "ttcore.system_desc");
    const ir_attr chips = system ? ir_attr_param(system, "chipDescs") : NULL;
    if (!ir_attr_is(chips, IR_ATTR_ARRAY) || chips->count == 0)
        return NULL;
    const int64_t arch = ir_enum_value(ir_attr_param(chips->items[0], "arch"), -1);
    const ir_enum_case *name = ir_enum_by_value(&ttcore_enum_Arch, arch);
    return name ? dev_chip_find(tw_str_from(name->text)) : NULL;
}
