/* flops.c: see flops.h.  A multiplication and its addition count as two. */
#include "ttnn/flops.h"

#include "ttnn/layout.h"

enum { MAX_KERNEL = 3, TILE_FLOPS = 2 * TTNN_TILE * TTNN_TILE * TTNN_TILE };

static uint64_t elements(const ir_value *v)
{
    int64_t n = v && ir_type_is_tensor(v->type) ? ir_type_num_elements(v->type) : 0;
    return n > 0 ? (uint64_t)n : 0;
}

static uint64_t tiles(int64_t n)
{
    return (uint64_t)((n + TTNN_TILE - 1) / TTNN_TILE);
}

/* ---- matrix products ---------------------------------------------------------------- */

typedef struct product {
    uint64_t batch;
    int64_t m, k, n;
} product;

static bool product_of(const ir_op *op, product *out)
{
    ir_type a = op->operands[0].value->type, r = op->results[0].type;
    if (a->count < 2 || r->count < 2)
        return false;
    bool turned = op->def != TTNN_OP(sparse_matmul) && ir_op_bool(op, "transpose_a");
    *out = (product){1, r->dims[r->count - 2], a->dims[a->count - (turned ? 2 : 1)],
                     r->dims[r->count - 1]};
    for (uint32_t i = 0; i + 2 < r->count; i++)
        out->batch *= (uint64_t)r->dims[i];
    return true;
}

static uint64_t matmul(const ir_op *op)
{
    product p;
    return product_of(op, &p) ? 2 * p.batch * (uint64_t)p.m * (uint64_t)p.k * (uint64_t)p.n
                              : 0;
}

uint64_t ttnn_matmul_tiles(const ir_op *op)
{
    product p;
    return product_of(op, &p) ? p.batch * tiles(p.m) * tiles(p.k) * tiles(p.n) : 0;
}

/* Of the blocks of experts (third dimension from the end) only that many take part. */
static uint64_t sparse_matmul(const ir_op *op)
{
    ir_type r = op->results[0].type;
    int64_t taking_part = ir_op_int(op, "nnz", -1);
    int64_t blocks = r->count >= 3 ? r->dims[r->count - 3] : 0;
    uint64_t all = matmul(op);
    return taking_part >= 0 && blocks > 0 ? all / (uint64_t)blocks * (uint64_t)taking_part
                                          : all;
}

/* ---- convolutions: by attributes, prepared weights are padded */

static uint64_t kernel_size(const ir_op *op)
{
    int64_t sizes[MAX_KERNEL];
    ir_attr a = ir_op_attr(op, "kernel_size");
    if (ir_attr_is(a, IR_ATTR_INTEGER))
        return (uint64_t)a->value;
    int64_t n = ir_attr_ints(a, sizes, MAX_KERNEL);
    uint64_t size = 1;
    for (int64_t i = 0; i < n && i < MAX_KERNEL; i++)
        size *= (uint64_t)sizes[i];
    return size;
}

static uint64_t channels(const ir_op *op, const char *name)
{
    int64_t groups = ir_op_int(op, "groups", 1);
    return (uint64_t)(ir_op_int(op, name, 0) / (groups > 0 ? groups : 1));
}

static uint64_t convolution(const ir_op *op)
{
    return 2 * elements(&op->results[0]) * channels(op, "in_channels") * kernel_size(op);
}

/* Each element of the input goes to all positions under the window. */
static uint64_t transposed(const ir_op *op)
{
    return 2 * elements(op->operands[0].value) * channels(op, "out_channels") *
           kernel_size(op);
}

/* ---- attention ---------------------------------------------------------------------- */

typedef struct attention {
    int64_t batch, heads, rows, keys, dk, dv;
    bool halved; /* only keys up to the row take part: about half */
} attention;

/* [batch, heads, sequence, size] each. */
static bool attention_of(const ir_op *op, attention *out)
{
    ir_type q = op->operands[0].value->type, k = op->operands[1].value->type;
    if (q->count != 4 || k->count != 4)
        return false;
    bool latent = op->def == TTNN_OP(flash_mla_prefill);
    const ir_value *value = ir_op_operand_named(op, "value");
    if (!latent && (!value || value->type->count != 4))
        return false;
    int64_t window = latent ? -1 : ir_op_int(op, "sliding_window_size", -1);
    *out = (attention){q->dims[0],
                       q->dims[1],
                       q->dims[2],
                       window >= 0 && window < k->dims[2] ? window : k->dims[2],
                       q->dims[3],
                       latent ? ir_op_int(op, "head_dim_v", 0) : value->type->dims[3],
                       ir_op_bool(op, "is_causal") && window < 0};
    return true;
}

static uint64_t attention_flops(const ir_op *op)
{
    attention a;
    if (!attention_of(op, &a))
        return 0;
    return 2 * (uint64_t)a.batch * (uint64_t)a.heads * (uint64_t)a.rows * (uint64_t)a.keys *
           (uint64_t)(a.dk + a.dv) / (a.halved ? 2 : 1);
}

uint64_t ttnn_attention_tiles(const ir_op *op)
{
    attention a;
    if (!attention_of(op, &a))
        return 0;
    return (uint64_t)a.batch * (uint64_t)a.heads * tiles(a.rows) * tiles(a.keys) *
           (tiles(a.dk) + tiles(a.dv)) / (a.halved ? 2 : 1);
}

/* ---- the table ---------------------------------------------------------------------- */

static const struct {
    uint16_t row;
    uint64_t (*count)(const ir_op *op);
} counts[] = {
    {TTNN_conv1d, convolution},
    {TTNN_conv2d, convolution},
    {TTNN_conv3d, convolution},
    {TTNN_conv_transpose2d, transposed},
    {TTNN_flash_mla_prefill, attention_flops},
    {TTNN_linear, matmul},
    {TTNN_matmul, matmul},
    {TTNN_scaled_dot_product_attention, attention_flops},
    {TTNN_sparse_matmul, sparse_matmul},
};

/* Of d copies that are added up on a ring of d chips each chip adds (d - 1) / d. */
static uint64_t reduction(const ir_op *op, const int64_t mesh[2])
{
    int64_t axis = ir_op_int(op, "cluster_axis", -1);
    uint64_t n = elements(op->operands[0].value);
    return axis < 0 || axis > 1 ? 0 : n - n / (uint64_t)TW_MAX(mesh[axis], 1);
}

uint64_t ttnn_flops(const ir_op *op, const int64_t mesh[2])
{
    for (size_t i = 0; i < TW_COUNT(counts); i++)
        if (op->def == &ttnn_ops[counts[i].row])
            return counts[i].count(op);
    if (op->def == TTNN_OP(all_reduce) || op->def == TTNN_OP(all_reduce_async) ||
        op->def == TTNN_OP(reduce_scatter))
        return reduction(op, mesh);
    return 0;
}

uint64_t ttnn_fidelity_cycles(int64_t fidelity)
{
    static const struct {
        int64_t fidelity;
        uint64_t phases;
    } rows[] = {{TTNN_MathFidelity_LoFi, 1},
                {TTNN_MathFidelity_HiFi2, 2},
                {TTNN_MathFidelity_HiFi3, 3}};
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (rows[i].fidelity == fidelity)
            return 16 * rows[i].phases;
    return 64;
}

double ttnn_peak_flops(uint64_t cores, uint64_t clock, int64_t fidelity)
{
    return (double)cores * (double)clock * TILE_FLOPS /
           (double)ttnn_fidelity_cycles(fidelity);
}
