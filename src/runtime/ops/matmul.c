/* matmul.c: matmul and linear on the packed matrix product.
 *
 * The constant operand is known when constants are set. The first run reads it as it is;
 * before the second one the weights are packed and the product is planned again for the
 * packed form, with the same bits. */
#include "host/gemm/gemm.h"
#include "runtime/activation.h"
#include "runtime/steps.h"
#include "ttnn/ttnn.h"

#include <math.h>
#include <stdlib.h>

typedef struct product {
    krn_gemm_desc desc;
    krn_gemm_plan plan;
    const rt_buffer *scratch; /* shared with other steps */
    const void *packed;       /* NULL: the operand is not constant */
    rt_plan *owner;
    const rt_value *bias;
    rt_activation activation;
    bool wide_bias; /* not a row: it is added, and the activation applied, afterwards */
} product;

enum { MAX_COLUMNS = 256 };

/* Offset of the bias for row `row` of the result, and whether it differs between
 * columns. */
static int64_t bias_row(const rt_value *out, const rt_value *bias, int64_t row)
{
    int64_t at = 0, stride = bias->dims[bias->rank - 1];
    for (int d = out->rank - 2; d >= 0; row /= out->dims[d--]) {
        int b = d - (out->rank - bias->rank);
        if (b < 0)
            break;
        if (bias->dims[b] != 1)
            at += row % out->dims[d] * stride;
        stride *= bias->dims[b];
    }
    return at;
}

static void add_wide_bias(const product *p, const rt_value *out)
{
    float sums[MAX_COLUMNS], addends[MAX_COLUMNS];
    const rt_value *bias = p->bias;
    int64_t columns = p->desc.n, rows = columns ? out->count / columns : 0;
    bool each = bias->dims[bias->rank - 1] != 1;
    for (int64_t row = 0; row < rows; row++) {
        int64_t from = bias_row(out, bias, row);
        for (int64_t at = 0; at < columns; at += MAX_COLUMNS) {
            size_t n = (size_t)TW_MIN(columns - at, MAX_COLUMNS);
            size_t start = (size_t)(row * columns + at);
            rt_load_f32(out->dtype, rt_data(out), start, n, sums);
            rt_load_f32(bias->dtype, rt_data(bias), (size_t)(from + (each ? at : 0)),
                        each ? n : 1, addends);
            for (size_t i = 0; i < n; i++)
                sums[i] += addends[each ? i : 0];
            for (size_t i = 0; p->activation.act == KRN_GEMM_RELU && i < n; i++)
                sums[i] = sums[i] < 0 ? 0 : sums[i];
            if (p->activation.act == KRN_GEMM_CALL)
                rt_activation_apply((void *)(uintptr_t)&p->activation, sums, n);
            rt_store_f32(out->dtype, sums, n, rt_data(out), start);
        }
    }
}

/* True if the bias has the result's dimensions or ones, from the last one on. */
static bool broadcasts(const rt_value *out, const rt_value *bias)
{
    if (bias->rank < 1 || bias->rank > out->rank)
        return false;
    for (int d = 0; d < bias->rank; d++)
        if (bias->dims[d] != 1 && bias->dims[d] != out->dims[out->rank - bias->rank + d])
            return false;
    return true;
}

static void run_product(const rt_step *step)
{
    const product *p = step->state;
    krn_gemm_args args = {.a = rt_data(step->in[0]),
                          .b = p->packed ? p->packed : rt_data(step->in[1]),
                          .bias = p->desc.bias ? rt_data(p->bias) : NULL,
                          .c = rt_data(step->out),
                          .act = rt_activation_apply,
                          .act_context = (void *)(uintptr_t)&p->activation,
                          .scratch = p->scratch->data};
    krn_gemm_run(&p->plan, &args, step->pool);
    if (p->wide_bias)
        add_wide_bias(p, step->out);
}

static void plan_product(product *p, bool packed)
{
    if (packed == p->desc.constant_b && p->scratch)
        return;
    p->desc.constant_b = packed;
    tw_status status = krn_gemm_prepare(&p->desc, &p->plan);
    assert(status == TW_SUCCESS); /* prepare checked the same description */
    tw_status_free(status);
}

static void finalize_product(rt_step *step)
{
    product *p = step->state;
    const bool constant =
        step->in[1]->buffer->constant && !step->in[1]->buffer->written && !step->constant;
    plan_product(p, constant);
    p->packed = constant ? rt_packed_b(p->owner, step->in[1], &p->plan) : NULL;
    plan_product(p, p->packed != NULL);
    p->scratch = rt_shared_scratch(p->owner, p->plan.scratch_bytes);
    step->packed = p->packed != NULL;
    step->waits = constant && !p->packed;
}

static tw_status shape_mismatch(ir_op *op, const rt_step *step)
{
    tw_strbuf text = {0};
    for (int i = 0; i < 2; i++) {
        tw_strbuf_puts(&text, i ? " @ [" : "[");
        for (int d = 0; d < step->in[i]->rank; d++)
            tw_strbuf_printf(&text, "%s%lld", d ? ", " : "",
                             (long long)step->in[i]->dims[d]);
        tw_strbuf_putc(&text, ']');
    }
    tw_status status =
        tw_error(TW_INVALID, "Shape mismatch in matmul: %s", tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    (void)op;
    return status;
}

tw_status rt_prepare_product(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *a = step->in[0], *b = step->in[1];
    product *p = TW_ARENA_NEW(&plan->arena, product);
    krn_gemm_desc *d = &p->desc;
    if (a->rank < 1 || b->rank < 1)
        return rt_misfit(op);
    /* A vector is a row on the left, a column on the right; it is not transposed. */
    const int64_t row[] = {1, a->dims[0]}, column[] = {b->dims[0], 1};
    d->transpose_a = a->rank > 1 && ir_op_bool(op, "transpose_a");
    d->transpose_b = b->rank > 1 && ir_op_bool(op, "transpose_b");
    const int64_t *am = a->rank > 1 ? a->dims + a->rank - 2 : row;
    const int64_t *bm = b->rank > 1 ? b->dims + b->rank - 2 : column;
    d->m = am[d->transpose_a];
    d->k = am[!d->transpose_a];
    d->n = bm[!d->transpose_b];
    if (bm[d->transpose_b] != d->k)
        return shape_mismatch(op, step);
    d->batch_rank_a = TW_MAX(a->rank - 2, 0);
    d->batch_rank_b = TW_MAX(b->rank - 2, 0);
    memcpy(d->batch_a, a->dims, (size_t)d->batch_rank_a * sizeof *d->batch_a);
    memcpy(d->batch_b, b->dims, (size_t)d->batch_rank_b * sizeof *d->batch_b);
    d->a = a->dtype;
    d->b = b->dtype;
    d->c = step->out->dtype;
    if (step->n_in > 2) {
        p->bias = step->in[2];
        d->bias_dtype = p->bias->dtype;
        d->bias = p->bias->count == d->n && p->bias->rank > 0 &&
                  p->bias->dims[p->bias->rank - 1] == d->n;
        p->wide_bias = !d->bias;
        if (p->wide_bias && (!broadcasts(step->out, p->bias) || !rt_is_float(d->c)))
            return tw_error(TW_UNSUPPORTED, "'%s': a bias of that shape is not implemented",
                            op->def->name);
    }
    TW_TRY(rt_activation_read(op, ir_op_attr(op, "activation"), &p->activation));
    d->act = p->wide_bias ? KRN_GEMM_NONE : p->activation.act;
    d->threads = rt_product_threads(plan->pool, step->out->count, d->k);
    p->owner = plan;
    TW_TRY(krn_gemm_prepare(d, &p->plan));
    step->state = p;
    step->run = run_product;
    step->finalize = finalize_product;
    return TW_SUCCESS;
}
