/* workaround_config.c: configurations that operations need although they could leave them
 * out, and layouts that go with them. */
#include "ttcore/system/sysdesc.h"
#include "ttcore/ttcore.h"
#include "ttnn/passes/workarounds.h"

#include <stdlib.h>

static ir_attr accurate(ir_context *ctx, bool packer_l1_acc)
{
    ir_attr params[] = {ir_raw_int(ctx, TTNN_MathFidelity_HiFi4), ir_bool_attr(ctx, false),
                        ir_bool_attr(ctx, true), ir_bool_attr(ctx, packer_l1_acc), NULL};
    return ir_dialect_attr(ctx, TTNN_ATTR(device_compute_kernel_config), params,
                           TW_COUNT(params));
}

static bool set_config(ir_op *op, rw_rewriter *rw, bool packer_l1_acc)
{
    if (ir_op_attr(op, "compute_config"))
        return false;
    ir_op_set_attr(op, "compute_config", accurate(op->ctx, packer_l1_acc));
    rw_modified(rw, op);
    return true;
}

static bool rms_norm_config(ir_op *op, rw_rewriter *rw)
{
    return set_config(op, rw, true);
}

static bool reduce_scatter_config(ir_op *op, rw_rewriter *rw)
{
    return set_config(op, rw, false);
}

/* ---- convolution -------------------------------------------------------------------- */

static bool conv_to_host(ir_op *op, rw_rewriter *rw, const char *name, const char *suffix)
{
    ir_value *v = ir_op_operand_named(op, name);
    ttnn_layout l;
    if (!v || !ttnn_layout_of(v->type, &l) || (ttnn_layout_on_host(&l) && !l.tiled))
        return false;
    ttnn_layout_place(&l, TTNN_BufferType_SystemMemory, TTNN_ON_HOST);
    l.tiled = false;
    if (l.dtype == TTCORE_DataType_BFP_BFloat8)
        l.dtype = TTCORE_DataType_BFloat16;
    v = tnb_to_spec(&rw->b, suffix, v, &l);
    ir_op_set_operand_group(op, ir_op_operand_index(op->def, name), &v, 1);
    return true;
}

/* Weight and bias come from the host in rows, the result in tiles. */
static bool conv_layouts(ir_op *op, rw_rewriter *rw)
{
    ttnn_layout l;
    bool changed = conv_to_host(op, rw, "weight", "_weight");
    changed |= conv_to_host(op, rw, "bias", "_bias");
    if (ttnn_layout_of(op->results[0].type, &l) && !l.tiled) {
        l.tiled = true;
        op->results[0].type = ttnn_tensor_with(op->results[0].type, &l);
        changed = true;
    }
    if (changed)
        rw_modified(rw, op);
    return changed;
}

static bool conv_stride_folding(ir_op *op, rw_rewriter *rw)
{
    ir_attr old = ir_op_attr(op, "conv2d_config");
    ir_attr made = tnb_with(op->ctx, TTNN_ATTR(conv2d_config), old,
                            "enable_kernel_stride_folding", ir_bool_attr(op->ctx, false));
    if (made == old)
        return false;
    ir_op_set_attr(op, "conv2d_config", made);
    rw_modified(rw, op);
    return true;
}

/* ---- linear ------------------------------------------------------------------------- */

/* Shapes aligned at the end; false if they do not go together. */
static bool broadcast(const int64_t *a, size_t na, const int64_t *b, size_t nb,
                      int64_t *out, size_t *out_n)
{
    size_t n = TW_MAX(na, nb);
    for (size_t i = 0; i < n; i++) {
        int64_t x = i + na >= n ? a[i + na - n] : 1, y = i + nb >= n ? b[i + nb - n] : 1;
        if (x != y && x != 1 && y != 1)
            return false;
        out[i] = x == 1 ? y : x;
    }
    *out_n = n;
    return true;
}

static bool product_shape(const ir_op *op, int64_t *out, size_t *rank)
{
    ir_type a = op->operands[0].value->type, b = op->operands[1].value->type;
    bool ta = ir_op_bool(op, "transpose_a"), tb = ir_op_bool(op, "transpose_b");
    size_t na = a->count, nb = b->count;
    if (na == 0 || nb == 0)
        return false;
    if (na == 1 && nb == 1) {
        out[0] = 1;
        *rank = 1;
        return true;
    }
    if (!broadcast(a->dims, na < 2 ? 0 : na - 2, b->dims, nb < 2 ? 0 : nb - 2, out, rank))
        return false;
    if (na > 1)
        out[(*rank)++] = a->dims[ta ? na - 1 : na - 2];
    if (nb > 1)
        out[(*rank)++] = b->dims[tb ? nb - 2 : nb - 1];
    return true;
}

/* The kernel adds one row, to a product with one matrix. */
static bool bias_fits(const ir_op *op, ir_type bias, int64_t columns)
{
    ir_type b = op->operands[1].value->type;
    for (size_t i = 0; i + 2 < b->count; i++)
        if (b->dims[i] > 1)
            return false;
    for (size_t i = 0; i + 1 < bias->count; i++)
        if (bias->dims[i] > 1)
            return false;
    return bias->count && bias->dims[bias->count - 1] == columns;
}

static const ir_op_def *activation_of(const ir_op *op, const char **out_suffix)
{
    static const struct {
        const char *name, *suffix;
        uint16_t op;
    } known[] = {
        {"relu", "_decomp_relu", TTNN_relu}, {"sigmoid", "_decomp_sigmoid", TTNN_sigmoid},
        {"gelu", "_decomp_gelu", TTNN_gelu}, {"tanh", "_decomp_tanh", TTNN_tanh},
        {"silu", "_decomp_silu", TTNN_silu},
    };
    ir_attr a = ir_op_attr(op, "activation");
    for (size_t i = 0; ir_attr_is(a, IR_ATTR_STRING) && i < TW_COUNT(known); i++)
        if (tw_str_is(ir_attr_str(a), known[i].name)) {
            *out_suffix = known[i].suffix;
            return &ttnn_ops[known[i].op];
        }
    return NULL;
}

static bool linear_bias(ir_op *op, rw_rewriter *rw)
{
    ir_value *bias = op->n_operands > 2 ? op->operands[2].value : NULL;
    int64_t dims[TTNN_MAX_RANK], sum[TTNN_MAX_RANK];
    size_t rank = 0, sum_rank;
    const char *suffix = NULL;
    const ir_op_def *activation = activation_of(op, &suffix);
    if (!bias || !product_shape(op, dims, &rank) ||
        bias_fits(op, bias->type, dims[rank - 1]) ||
        (ir_op_attr(op, "activation") && !activation) ||
        !broadcast(dims, rank, bias->type->dims, bias->type->count, sum, &sum_rank))
        return false;
    ir_builder *b = &rw->b;
    ir_type result = op->results[0].type;
    ir_value *v = tnb_op(b, "_decomp_matmul", TTNN_OP(matmul),
                         ttnn_tensor_reshaped(result, dims, rank),
                         IR_VALUES(op->operands[0].value, op->operands[1].value),
                         IR_ATTRS({"transpose_a", ir_op_attr(op, "transpose_a")},
                                  {"transpose_b", ir_op_attr(op, "transpose_b")},
                                  {"compute_config", ir_op_attr(op, "compute_config")}));
    ir_attr weight_dtype = ir_op_attr(op, "ttcore.weight_dtype");
    if (weight_dtype)
        ir_op_set_attr(ir_value_def(v), "ttcore.weight_dtype", weight_dtype);
    v = tnb_op(b, "_decomp_add", TTNN_OP(add), ttnn_tensor_reshaped(result, sum, sum_rank),
               IR_VALUES(v, bias), NULL, 0);
    if (v->type != result)
        v = tnb_reshape(b, "_decomp_reshape", v, result->dims, result->count);
    if (activation)
        v = tnb_op(b, suffix, activation, result, IR_VALUES(v), NULL, 0);
    rw_replace1(rw, op, v);
    return true;
}

/* ---- between chips ------------------------------------------------------------------ */

/* Across both axes of the mesh in two hops. */
static bool two_hops(ir_op *op, rw_rewriter *rw)
{
    int64_t from[2], to[2];
    if (tnb_ints(op, "sender_coord", from, 2) != 2 ||
        tnb_ints(op, "receiver_coord", to, 2) != 2 || from[0] == to[0] || from[1] == to[1])
        return false;
    ir_context *ctx = op->ctx;
    ir_attr corner = ir_dense_i64_array(ctx, (int64_t[]){from[0], to[1]}, 2);
    ir_type result = op->results[0].type;
    ir_value *v = tnb_op(&rw->b, "_p2p_to_intermediate", TTNN_OP(point_to_point), result,
                         IR_VALUES(op->operands[0].value),
                         IR_ATTRS({"sender_coord", ir_op_attr(op, "sender_coord")},
                                  {"receiver_coord", corner}));
    ir_value *operands[] = {v, op->n_operands > 1 ? op->operands[1].value : NULL};
    v = tnb_op(&rw->b, "_p2p_from_intermediate", TTNN_OP(point_to_point), result, operands,
               op->n_operands,
               IR_ATTRS({"sender_coord", corner},
                        {"receiver_coord", ir_op_attr(op, "receiver_coord")}));
    rw_replace1(rw, op, v);
    return true;
}

static bool chip_cores(ir_op *op, int64_t *out)
{
    int64_t grid[2];
    if (!ttnn_device_grid(op, false, grid))
        return false;
    *out = grid[0] * grid[1];
    return true;
}

/* The box around cores as (columns, rows). */
static ir_attr bounding_grid(ir_context *ctx, ir_attr cores)
{
    int64_t most[2] = {0, 0};
    ir_attr list = ir_attr_param(cores, "core_ranges");
    for (uint32_t i = 0; i < list->count; i++) {
        ir_attr end = ir_attr_param(list->items[i], "end_coord");
        most[0] = TW_MAX(most[0], ir_attr_int(ir_attr_param(end, "x"), 0));
        most[1] = TW_MAX(most[1], ir_attr_int(ir_attr_param(end, "y"), 0));
    }
    ir_attr xy[] = {ir_raw_int(ctx, most[0] + 1), ir_raw_int(ctx, most[1] + 1)};
    return ir_dialect_attr(ctx, TTNN_ATTR(core_coord), xy, 2);
}

static ir_attr sharded_norm_config(ir_context *ctx, const ttnn_layout *l, ir_type t)
{
    const ir_attr_def *def = TTNN_ATTR(layernorm_sharded_multicore_program_config);
    ir_type shard = ir_attr_param(ttnn_tensor_with(t, l)->encoding, "memref")->type;
    ir_attr a =
        tnb_with(ctx, def, NULL, def->params.at[0].name, bounding_grid(ctx, l->cores));
    a = tnb_with(ctx, def, a, "subblock_w", ir_raw_int(ctx, 1));
    a = tnb_with(ctx, def, a, "block_h", ir_raw_int(ctx, shard->dims[0]));
    a = tnb_with(ctx, def, a, "block_w", ir_raw_int(ctx, shard->dims[1]));
    return tnb_with(ctx, def, a, "inplace", ir_raw_int(ctx, 0));
}

/* The input lies in columns over the cores, the weight in rows. */
static bool distributed_norm_input(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = op->operands[0].value, *weight = ir_op_operand_named(op, "weight"),
             *residual = ir_op_operand_named(op, "residual");
    ttnn_layout l, other;
    int64_t cores, tiles;
    ir_type t = x->type, result = op->results[0].type;
    if (!ttnn_layout_of(t, &l) || l.memory == TTNN_TensorMemoryLayout_WidthSharded ||
        !t->count || !chip_cores(op, &cores))
        return false;
    tiles = tnb_round_up(t->dims[t->count - 1], TTNN_TILE) / TTNN_TILE;
    int64_t used = TW_MIN(cores, tiles);
    while (used > 1 && tiles % used)
        used--;
    l = ttnn_layout_dram(ttnn_dtype_of(t->element));
    l.buffer = TTNN_BufferType_L1;
    if (!ttnn_layout_shard(&l, op, TTNN_TensorMemoryLayout_WidthSharded, 1, used))
        return false;
    ir_builder *b = &rw->b;
    x = tnb_to_spec(b, NULL, x, &l);
    if (weight && ttnn_layout_of(weight->type, &other) && other.tiled) {
        other.tiled = false;
        weight = tnb_to_spec(b, NULL, weight, &other);
    }
    if (residual)
        residual = tnb_to_spec(b, NULL, residual, &l);
    ir_attr config = ir_op_attr(op, "compute_config");
    ir_value *y = tnb_op(
        b, NULL, TTNN_OP(distributed_rms_norm), ttnn_tensor_with(result, &l),
        IR_VALUES(x, weight, residual, NULL, NULL, ir_op_operand_named(op, "device")),
        IR_ATTRS({"cluster_axis", ir_op_attr(op, "cluster_axis")},
                 {"epsilon", ir_op_attr(op, "epsilon")},
                 {"sub_device_id", ir_op_attr(op, "sub_device_id")},
                 {"num_links", ir_op_attr(op, "num_links")},
                 {"topology", ir_op_attr(op, "topology")},
                 {"compute_config", config ? config : accurate(op->ctx, true)},
                 {"program_config", sharded_norm_config(op->ctx, &l, t)}));
    if (y->type != result)
        y = tnb_op(b, NULL, TTNN_OP(to_memory_config), result, IR_VALUES(y), NULL, 0);
    rw_replace1(rw, op, y);
    return true;
}

/* ---- mixtures of experts ------------------------------------------------------------ */

typedef struct bank {
    int64_t id, x, y;
} bank;

static int in_ring(const void *a, const void *b)
{
    const bank *p = a, *q = b;
    if (p->y != q->y)
        return p->y > q->y ? -1 : 1;
    return (p->x < q->x) - (p->x > q->x);
}

/* One core for each DRAM bank, in the order of a ring through the banks' owners. */
static ir_attr bank_ring(ir_op *op, size_t *out_count)
{
    for (ir_op *at = op; at; at = ir_op_parent(at)) {
        ir_attr system = ir_op_attr(at, "ttcore.system_desc");
        ir_attr chips = system ? ir_attr_param(system, "chipDescs") : NULL;
        if (!ir_attr_is(chips, IR_ATTR_ARRAY) || !chips->count)
            continue;
        ir_attr list = ir_attr_param(chips->items[0], "dramBankToLogicalWorkerNoc0");
        bank banks[FB_MAX_BANKS];
        int64_t rects[FB_MAX_BANKS][4];
        size_t n = ir_attr_is(list, IR_ATTR_ARRAY)
                       ? TW_MIN(list->count, (uint32_t)FB_MAX_BANKS)
                       : 0;
        for (size_t i = 0; i < n; i++)
            banks[i] =
                (bank){(int64_t)i, ir_attr_int(ir_attr_param(list->items[i], "x"), 0),
                       ir_attr_int(ir_attr_param(list->items[i], "y"), 0)};
        qsort(banks, n, sizeof *banks, in_ring);
        for (size_t i = 0; i < n; i++)
            memcpy(rects[i], (int64_t[]){banks[i].id, 0, banks[i].id, 0}, sizeof rects[i]);
        *out_count = n;
        return n ? ttnn_core_ranges(op->ctx, (const int64_t(*)[4])rects, n) : NULL;
    }
    return NULL;
}

/* Block floats on the banks, by way of the host. */
static ir_value *expert_weight(ir_builder *b, ir_op *op, ir_value *v, ir_attr ring,
                               size_t banks)
{
    ttnn_layout l;
    if (!ttnn_layout_of(v->type, &l))
        return v;
    ir_type t = v->type;
    ttnn_layout_place(&l, TTNN_BufferType_SystemMemory, TTNN_ON_HOST);
    v = tnb_op(b, NULL, TTNN_OP(from_device), ttnn_tensor_with(t, &l), IR_VALUES(v), NULL,
               0);
    l.tiled = true;
    v = tnb_op(b, NULL, TTNN_OP(to_tensor_spec), ttnn_tensor_with(t, &l), IR_VALUES(v),
               NULL, 0);
    l.dtype = TTCORE_DataType_BFP_BFloat4;
    v = tnb_op(b, NULL, TTNN_OP(typecast), ttnn_tensor_with(t, &l), IR_VALUES(v), NULL, 0);
    l.buffer = TTNN_BufferType_DRAM;
    l.memory = TTNN_TensorMemoryLayout_HeightSharded;
    l.grid[0] = (int64_t)banks;
    l.cores = ring;
    ir_value *device = tnb_device(b, op);
    return tnb_op(b, NULL, TTNN_OP(to_device), ttnn_tensor_with(t, &l),
                  IR_VALUES(v, device), NULL, 0);
}

static bool moe_gpt_layouts(ir_op *op, rw_rewriter *rw)
{
    ttnn_layout l;
    int64_t cores;
    size_t banks = 0;
    if (op->n_operands < 6 || op->n_results < 5 ||
        !ttnn_layout_of(op->results[3].type, &l) ||
        (l.buffer == TTNN_BufferType_L1 &&
         l.memory == TTNN_TensorMemoryLayout_HeightSharded) ||
        !chip_cores(op, &cores))
        return false;
    ir_attr ring = bank_ring(op, &banks);
    if (!ring)
        return false;
    for (uint32_t i = 3; i < 5; i++) {
        ir_type t = op->results[i].type;
        if (!ttnn_layout_of(t, &l))
            continue;
        l.buffer = TTNN_BufferType_L1;
        if (ttnn_layout_shard(&l, op, TTNN_TensorMemoryLayout_HeightSharded, cores, 1))
            op->results[i].type = ttnn_tensor_with(t, &l);
    }
    for (uint32_t i = 4; i < 6; i++)
        ir_op_set_operand(op, i,
                          expert_weight(&rw->b, op, op->operands[i].value, ring, banks));
    rw_modified(rw, op);
    return true;
}

static const rw_pattern patterns[] = {
    {TTNN_OP(linear), linear_bias, NULL},
    {TTNN_OP(conv1d), conv_layouts, NULL},
    {TTNN_OP(conv2d), conv_layouts, NULL},
    {TTNN_OP(conv_transpose2d), conv_layouts, NULL},
    {TTNN_OP(conv2d), conv_stride_folding, NULL},
    {TTNN_OP(conv_transpose2d), conv_stride_folding, NULL},
    {TTNN_OP(point_to_point), two_hops, NULL},
    {TTNN_OP(rms_norm), rms_norm_config, NULL},
    {TTNN_OP(reduce_scatter), reduce_scatter_config, NULL},
    {TTNN_OP(distributed_rms_norm), distributed_norm_input, NULL},
    {TTNN_OP(moe_gpt), moe_gpt_layouts, NULL},
};

const wa_patterns wa_config_patterns = {patterns, TW_COUNT(patterns)};
