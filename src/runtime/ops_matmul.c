/* ops_matmul.c: matmul and linear on the packed matrix product.
 *
 * Which operand is constant is known when constants are set: then the weights are packed
 * and the product is planned again for the packed form. */
#include "dialect/ttnn/ttnn.h"
#include "kernel/gemm.h"
#include "runtime/activation.h"
#include "runtime/plan.h"

#include <math.h>
#include <stdlib.h>

typedef struct product {
    krn_gemm_desc desc;
    krn_gemm_plan plan;
    void *scratch, *packed; /* heap, freed with the plan's buffers */
    rt_plan *owner;
    const rt_value *bias;
    rt_activation activation;
} product;

static void run_product(const rt_step *step)
{
    const product *p = step->state;
    krn_gemm_args args = {.a = rt_data(step->in[0]),
                          .b = p->packed ? p->packed : rt_data(step->in[1]),
                          .bias = p->bias ? rt_data(p->bias) : NULL,
                          .c = rt_data(step->out),
                          .act = rt_activation_apply,
                          .act_context = (void *)(uintptr_t)&p->activation,
                          .scratch = p->scratch};
    krn_gemm_run(&p->plan, &args, NULL);
}

static void settle_product(rt_step *step)
{
    product *p = step->state;
    bool constant = step->in[1]->buffer->constant && !step->constant;
    if (constant == (p->packed != NULL) && p->scratch) {
        if (constant) /* the weights may have been set again */
            krn_gemm_pack_b(&p->plan, rt_data(step->in[1]), p->packed);
        return;
    }
    p->desc.constant_b = constant;
    tw_status status = krn_gemm_prepare(&p->desc, &p->plan);
    assert(status == TW_SUCCESS); /* prepare checked the same description */
    tw_status_free(status);
    p->scratch = rt_scratch_alloc(p->owner, p->plan.scratch_bytes);
    p->packed = NULL;
    if (constant) {
        p->packed = rt_scratch_alloc(p->owner, p->plan.packed_b_bytes);
        krn_gemm_pack_b(&p->plan, rt_data(step->in[1]), p->packed);
    }
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

static tw_status prepare_product(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *a = step->in[0], *b = step->in[1];
    product *p = TW_ARENA_NEW(&plan->arena, product);
    krn_gemm_desc *d = &p->desc;
    if (a->rank < 2 || b->rank < 2)
        return tw_error(TW_UNSUPPORTED, "'%s' of vectors is not implemented",
                        op->def->name);
    d->transpose_a = ir_op_bool(op, "transpose_a");
    d->transpose_b = ir_op_bool(op, "transpose_b");
    const int64_t *am = a->dims + a->rank - 2, *bm = b->dims + b->rank - 2;
    d->m = am[d->transpose_a];
    d->k = am[!d->transpose_a];
    d->n = bm[!d->transpose_b];
    if (bm[d->transpose_b] != d->k)
        return shape_mismatch(op, step);
    d->batch_rank_a = a->rank - 2;
    d->batch_rank_b = b->rank - 2;
    memcpy(d->batch_a, a->dims, (size_t)d->batch_rank_a * sizeof *d->batch_a);
    memcpy(d->batch_b, b->dims, (size_t)d->batch_rank_b * sizeof *d->batch_b);
    d->a = a->dtype;
    d->b = b->dtype;
    d->c = step->out->dtype;
    if (step->n_in > 2) {
        p->bias = step->in[2];
        d->bias = true;
        d->bias_dtype = p->bias->dtype;
        if (p->bias->count != d->n)
            return tw_error(TW_UNSUPPORTED,
                            "'%s': a bias that is no row is not implemented",
                            op->def->name);
    }
    TW_TRY(rt_activation_read(op, ir_op_attr(op, "activation"), &p->activation));
    d->act = p->activation.act;
    d->threads = 1;
    p->owner = plan;
    TW_TRY(krn_gemm_prepare(d, &p->plan));
    step->state = p;
    step->run = run_product;
    step->settle = settle_product;
    return TW_SUCCESS;
}

const rt_kernel rt_matmul_kernels[] = {
    {TTNN_linear, prepare_product},
    {TTNN_matmul, prepare_product},
    {0, NULL},
};
