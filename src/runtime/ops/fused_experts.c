/* fused_experts.c: ttnn.moe_compute on one device: what the chosen experts make of each
 * token, from weights that stay as the program gives them.
 *
 * ttnn.prepare_moe_compute_*_weights packs weights in the order of a chip's kernel.  Here
 * they compute nothing: the step of ttnn.moe_compute finds them by the buffers of their
 * results and reads what they were given. */
#include "runtime/steps.h"
#include "ttcore/ttcore.h"
#include "ttnn/ttnn.h"

#include <math.h>

/* The operands of a preparation; absent ones are NULL. */
typedef struct prepared {
    rt_value *weights[2], *biases[2];
} prepared;

/* Rows of a product: tokens of one expert are taken some at a time. */
enum { MAX_ROWS = 32 };

typedef struct moe {
    prepared up, down; /* gate and up projection; down projection */
    int64_t tokens, hidden, inner, experts, chosen, first, rows;
    int64_t activation;
    krn_gemm_plan widen, narrow;
    const rt_buffer *scratch;
    float *x, *gate, *lifted, *y; /* of `rows` tokens */
    float *bias;                  /* of one expert */
    int64_t *of;                  /* the tokens of the rows */
} moe;

/* ---- preparations -------------------------------------------------------------------- */

static void run_nothing(const rt_step *step)
{
    (void)step;
}

static tw_status prepare_weights(rt_plan *plan, ir_op *op, rt_step *step,
                                 const char *const names[4])
{
    prepared *p = TW_ARENA_NEW(&plan->arena, prepared);
    for (int i = 0; i < 2; i++) {
        p->weights[i] = names[i] ? rt_operand(op, step, names[i]) : NULL;
        p->biases[i] = names[2 + i] ? rt_operand(op, step, names[2 + i]) : NULL;
    }
    step->state = p;
    step->run = run_nothing;
    return p->weights[0] && (!names[1] || p->weights[1]) ? TW_SUCCESS : rt_misfit(op);
}

tw_status rt_prepare_moe_up(rt_plan *plan, ir_op *op, rt_step *step)
{
    static const char *const names[] = {"w0", "w1", "bias_0", "bias_1"};
    return prepare_weights(plan, op, step, names);
}

tw_status rt_prepare_moe_down(rt_plan *plan, ir_op *op, rt_step *step)
{
    static const char *const names[] = {"w2", NULL, "bias_2", NULL};
    return prepare_weights(plan, op, step, names);
}

/* What a weight was prepared of; NULL if no step of the plan prepared it. */
static const prepared *preparation_of(const rt_plan *plan, const rt_value *v)
{
    for (size_t i = plan->n_steps; i-- > 0;) {
        const rt_step *s = &plan->steps[i];
        if (s->run == run_nothing && s->n_outs && s->outs[0]->buffer == v->buffer)
            return s->state;
    }
    return NULL;
}

/* ---- a run --------------------------------------------------------------------------- */

static void add_bias(const moe *m, const rt_value *bias, int64_t expert, int64_t n,
                     int64_t rows, float *to)
{
    if (!bias)
        return;
    rt_load_f32(bias->dtype, rt_data(bias), (size_t)(expert * n), (size_t)n, m->bias);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < n; i++)
            to[r * n + i] += m->bias[i];
}

/* gate = act(gate) * up; swiglu's bounds and slope are those of GPT-OSS. */
static void activate(int64_t activation, float *gate, const float *up, int64_t n)
{
    const float limit = 7, slope = 1.702F;
    for (int64_t i = 0; i < n; i++) {
        float g = gate[i], u = up[i];
        if (activation == TTCORE_MoEActivationFunction_SwiGLU) {
            g = g > limit ? limit : g;
            u = u > limit ? limit : u < -limit ? -limit : u;
            gate[i] = (u + 1) * g / (1 + expf(-slope * g));
        } else {
            gate[i] = g / (1 + expf(-g)) * u;
        }
    }
}

static void product(const rt_step *step, const krn_gemm_plan *plan, const float *a,
                    const rt_value *b, int64_t expert, float *c)
{
    const moe *m = step->state;
    const size_t matrix =
        (size_t)(m->hidden * m->inner) * tw_dtype_size(b->dtype) * (size_t)expert;
    const krn_gemm_args args = {.a = a,
                                .b = (const char *)rt_data(b) + matrix,
                                .c = c,
                                .scratch = m->scratch->data};
    krn_gemm_run(plan, &args, step->pool);
}

static bool chose(const rt_step *step, const moe *m, int64_t token, int64_t slot,
                  int64_t expert)
{
    return rt_int_at(step->in[1], token * m->chosen + slot) == expert;
}

/* The first `rows` rows of x are tokens of the expert. */
static void run_rows(const rt_step *step, const moe *m, int64_t expert, int64_t rows)
{
    const int64_t e = m->first + expert;
    product(step, &m->widen, m->x, m->up.weights[0], e, m->gate);
    product(step, &m->widen, m->x, m->up.weights[1], e, m->lifted);
    add_bias(m, m->up.biases[0], e, m->inner, rows, m->gate);
    add_bias(m, m->up.biases[1], e, m->inner, rows, m->lifted);
    activate(m->activation, m->gate, m->lifted, rows * m->inner);
    product(step, &m->narrow, m->gate, m->down.weights[0], e, m->y);
    add_bias(m, m->down.biases[0], e, m->hidden, rows, m->y);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t slot = 0; slot < m->chosen; slot++)
            if (chose(step, m, m->of[r], slot, expert))
                rt_store_f32(step->out->dtype, m->y + r * m->hidden, (size_t)m->hidden,
                             rt_data(step->out),
                             (size_t)((slot * m->tokens + m->of[r]) * m->hidden));
}

static void run_moe(const rt_step *step)
{
    const moe *m = step->state;
    const rt_value *x = step->in[0];
    memset(rt_data(step->out), 0,
           (size_t)step->out->count * tw_dtype_size(step->out->dtype));
    for (int64_t expert = 0; expert < m->experts && !rt_stopped(step); expert++) {
        int64_t rows = 0;
        for (int64_t t = 0; t < m->tokens; t++) {
            bool chosen = false;
            for (int64_t slot = 0; slot < m->chosen && !chosen; slot++)
                chosen = chose(step, m, t, slot, expert);
            if (!chosen)
                continue;
            rt_load_f32(x->dtype, rt_data(x), (size_t)(t * m->hidden), (size_t)m->hidden,
                        m->x + rows * m->hidden);
            m->of[rows++] = t;
            if (rows < m->rows)
                continue;
            run_rows(step, m, expert, rows);
            rows = 0;
        }
        if (rows)
            run_rows(step, m, expert, rows);
    }
}

/* ---- the step ------------------------------------------------------------------------ */

static bool holds(const rt_value *v, int64_t matrices, int64_t elements)
{
    return !v || v->count == matrices * elements;
}

static tw_status plan_product(const rt_plan *plan, int64_t rows, int64_t n, int64_t k,
                              const rt_value *b, krn_gemm_plan *out)
{
    const krn_gemm_desc d = {.m = rows,
                             .n = n,
                             .k = k,
                             .a = TW_F32,
                             .b = b->dtype,
                             .c = TW_F32,
                             .threads = rt_product_threads(plan->pool, rows * n, k)};
    return krn_gemm_prepare(&d, out);
}

/* The step reads the tokens, their experts and the weights themselves, not what the
 * preparations give, whose memory is then free. */
static void read_weights(rt_plan *plan, const moe *m, rt_step *step)
{
    const prepared *parts[] = {&m->up, &m->down};
    rt_value **in = TW_ARENA_ARRAY(&plan->arena, rt_value *, 8);
    in[0] = step->in[0];
    in[1] = step->in[1];
    step->n_in = 2;
    for (size_t p = 0; p < TW_COUNT(parts); p++)
        for (size_t i = 0; i < 2; i++) {
            if (parts[p]->weights[i])
                in[step->n_in++] = parts[p]->weights[i];
            if (parts[p]->biases[i])
                in[step->n_in++] = parts[p]->biases[i];
        }
    step->in = in;
}

tw_status rt_prepare_moe_compute(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *x = step->in[0], *chosen = step->in[1];
    const rt_value *w01 = rt_operand(op, step, "matmul_w0_w1_tensor");
    const rt_value *w2 = rt_operand(op, step, "matmul_w2_tensor");
    const prepared *up = w01 ? preparation_of(plan, w01) : NULL,
                   *down = w2 ? preparation_of(plan, w2) : NULL;
    if (!up || !down || !up->weights[1])
        return tw_error(TW_UNSUPPORTED,
                        "'%s' needs weights that ttnn.prepare_moe_compute_w0_w1_weights "
                        "and ttnn.prepare_moe_compute_w2_weights prepare in the program: "
                        "only a chip knows the order of prepared ones",
                        op->def->name);
    moe *m = TW_ARENA_NEW(&plan->arena, moe);
    m->up = *up;
    m->down = *down;
    const rt_value *w0 = up->weights[0];
    if (w0->rank != 4 || x->rank < 2 || chosen->rank < 1 || step->out->rank != 3 ||
        !rt_is_float(x->dtype) || !rt_is_float(w0->dtype) || !rt_is_float(step->out->dtype))
        return rt_misfit(op);
    const int64_t layer = ir_op_int(op, "layer_id", 0), layers = w0->dims[0];
    m->experts = w0->dims[1];
    m->hidden = w0->dims[2];
    m->inner = w0->dims[3];
    m->first = layer * m->experts;
    m->chosen = rt_dim(chosen, -1);
    m->tokens = m->hidden ? x->count / m->hidden : 0;
    m->activation = ir_enum_value(ir_op_attr(op, "activation_function"),
                                  TTCORE_MoEActivationFunction_Silu);
    const int64_t all = layers * m->experts, matrix = m->hidden * m->inner;
    const int64_t *wanted = step->out->dims;
    if (layer >= layers || rt_dim(x, -1) != m->hidden ||
        chosen->count != m->tokens * m->chosen || wanted[0] != m->chosen ||
        wanted[1] != m->tokens || wanted[2] != m->hidden ||
        !holds(up->weights[1], all, matrix) || !holds(down->weights[0], all, matrix) ||
        !holds(up->biases[0], all, m->inner) || !holds(up->biases[1], all, m->inner) ||
        !holds(down->biases[0], all, m->hidden))
        return rt_misfit(op);
    m->rows = TW_MIN(TW_MAX(m->tokens, 1), (int64_t)MAX_ROWS);
    TW_TRY(plan_product(plan, m->rows, m->inner, m->hidden, w0, &m->widen));
    TW_TRY(plan_product(plan, m->rows, m->hidden, m->inner, down->weights[0], &m->narrow));
    if (up->weights[1]->dtype != w0->dtype)
        return rt_misfit(op);
    m->scratch =
        rt_shared_scratch(plan, TW_MAX(m->widen.scratch_bytes, m->narrow.scratch_bytes));
    const size_t wide = (size_t)(m->rows * m->inner + 1) * sizeof(float),
                 slim = (size_t)(m->rows * m->hidden + 1) * sizeof(float);
    m->x = rt_scratch_alloc(plan, slim);
    m->y = rt_scratch_alloc(plan, slim);
    m->gate = rt_scratch_alloc(plan, wide);
    m->lifted = rt_scratch_alloc(plan, wide);
    m->bias =
        rt_scratch_alloc(plan, (size_t)(TW_MAX(m->inner, m->hidden) + 1) * sizeof *m->bias);
    m->of = rt_scratch_alloc(plan, (size_t)m->rows * sizeof *m->of);
    read_weights(plan, m, step);
    step->state = m;
    step->run = run_moe;
    return TW_SUCCESS;
}
