/* heads.c: attention heads split, joined and rotated. */
#include "host/move/move.h"
#include "runtime/steps.h"
#include "ttnn/ttnn.h"

/* ---- splitting and joining: up to three strided copies */

typedef struct moves {
    int count;
    krn_copy_plan plan[3];
    const rt_value *from[3];
    const rt_value *to[3];
} moves;

static void run_moves(const rt_step *step)
{
    const moves *m = step->state;
    for (int i = 0; i < m->count; i++)
        krn_copy_run(&m->plan[i], rt_data(m->from[i]), rt_data(m->to[i]), step->pool);
}

static moves *new_moves(rt_plan *plan, rt_step *step)
{
    moves *m = TW_ARENA_NEW(&plan->arena, moves);
    step->state = m;
    step->run = run_moves;
    return m;
}

/* The sizes are those of the four loops; strides in elements. */
static tw_status add_move(moves *m, const rt_value *from, int64_t offset,
                          const rt_value *to, const int64_t size[4],
                          const int64_t from_strides[4], const int64_t to_strides[4])
{
    int i = m->count++;
    m->from[i] = from;
    m->to[i] = to;
    return krn_plan_copy((int)tw_dtype_size(to->dtype), 4, size, from_strides, offset,
                         to_strides, 0, &m->plan[i]);
}

/* [B, H, S, d] to [B, S, H * d], also written [B, 1, S, H * d]. */
tw_status rt_prepare_concat_heads(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *x = step->in[0], *out = step->out;
    if (x->rank != 4 || x->count != out->count || x->dtype != out->dtype ||
        rt_dim(out, -1) != x->dims[1] * x->dims[3] || rt_dim(out, -2) != x->dims[2])
        return rt_misfit(op);
    int64_t h = x->dims[1], s = x->dims[2], d = x->dims[3];
    return add_move(new_moves(plan, step), x, 0, out, (int64_t[]){x->dims[0], s, h, d},
                    (int64_t[]){h * s * d, d, s * d, 1},
                    (int64_t[]){s * h * d, h * d, d, 1});
}

/* [1, B, padded heads, d] to [1, 1, B, heads * d]. */
tw_status rt_prepare_concat_heads_decode(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *x = step->in[0], *out = step->out;
    int64_t h = ir_op_int(op, "num_heads", 0);
    if (x->rank != 4 || x->dims[0] != 1 || h < 1 || h > x->dims[2] ||
        x->dtype != out->dtype || out->count != x->dims[1] * h * x->dims[3])
        return rt_misfit(op);
    int64_t b = x->dims[1], d = x->dims[3];
    return add_move(new_moves(plan, step), x, 0, out, (int64_t[]){1, b, h, d},
                    (int64_t[]){0, x->dims[2] * d, d, 1}, (int64_t[]){0, h * d, d, 1});
}

/* Copies the heads at `offset` in rows of x [B, S, width] to `out` [B, H, S, d] or [B, H,
 * d, S]. */
static tw_status add_heads(moves *m, ir_op *op, const rt_value *x, int64_t offset,
                           int64_t heads, int64_t d, bool transposed, const rt_value *out)
{
    int64_t b = x->dims[0], s = rt_dim(x, -2), width = rt_dim(x, -1);
    if (out->count != b * heads * s * d || out->dtype != x->dtype ||
        offset + heads * d > width)
        return rt_misfit(op);
    return add_move(
        m, x, offset, out, (int64_t[]){b, heads, s, d}, (int64_t[]){s * width, d, width, 1},
        (int64_t[]){heads * s * d, s * d, transposed ? 1 : d, transposed ? s : 1});
}

tw_status rt_prepare_split_heads(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *x = rt_operand(op, step, "input_tensor");
    const rt_value *kv = rt_operand(op, step, "kv_input_tensor");
    int64_t hq = ir_op_int(op, "num_heads", 0), hkv = ir_op_int(op, "num_kv_heads", hq);
    if (x->rank < 3 || hq < 1 || hkv < 1 ||
        x->count != x->dims[0] * rt_dim(x, -2) * rt_dim(x, -1))
        return rt_misfit(op);
    int64_t d = rt_dim(x, -1) / (kv ? hq : hq + 2 * hkv);
    moves *m = new_moves(plan, step);
    const rt_value *rest = kv ? kv : x;
    int64_t at = kv ? 0 : hq * d;
    TW_TRY(add_heads(m, op, x, 0, hq, d, false, step->outs[0]));
    TW_TRY(
        add_heads(m, op, rest, at, hkv, d, ir_op_bool(op, "transpose_key"), step->outs[1]));
    return add_heads(m, op, rest, at + hkv * d, hkv, d, false, step->outs[2]);
}

/* [1, 1, B, (Hq + 2 Hkv) d] to [1, B, H, d] each: users are in the positions' dimension. */
tw_status rt_prepare_create_heads_decode(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *x = step->in[0];
    int64_t hq = ir_op_int(op, "num_heads", 0), hkv = ir_op_int(op, "num_kv_heads", hq);
    if (step->n_in > 1 || ir_op_attr(op, "slice_size"))
        return tw_error(TW_UNSUPPORTED, "'%s' of a part of the batch is not implemented",
                        op->def->name);
    if (x->rank != 4 || hq < 1 || hkv < 1 || x->dims[0] * x->dims[1] != 1)
        return rt_misfit(op);
    int64_t users = x->dims[2], width = x->dims[3], d = width / (hq + 2 * hkv), at = 0;
    moves *m = new_moves(plan, step);
    for (int i = 0; i < 3; i++) {
        int64_t h = i ? hkv : hq;
        const rt_value *out = step->outs[i];
        if (out->count != users * h * d || out->dtype != x->dtype)
            return rt_misfit(op);
        TW_TRY(add_move(m, x, at, out, (int64_t[]){1, users, h, d},
                        (int64_t[]){0, width, d, 1}, (int64_t[]){0, h * d, d, 1}));
        at += h * d;
    }
    return TW_SUCCESS;
}

/* ---- rotation */

typedef struct rotary {
    const rt_value *cos, *sin, *mix; /* mix: 32x32, applied to 32 columns at a time */
    float *row, *cosines, *sines, *mixed;
    int64_t token;   /* of the caches, for every row; -1: the row's own position */
    int position;    /* the axis that the caches' rows follow */
    int64_t padding; /* rows of each matrix of the result that are not the input's */
} rotary;

/* mixed = rotate_half(row), or row times the matrix. */
static void mix_row(const rotary *r, int64_t d)
{
    if (!r->mix) {
        for (int64_t i = 0; i < d / 2; i++) {
            r->mixed[i] = -r->row[i + d / 2];
            r->mixed[i + d / 2] = r->row[i];
        }
        return;
    }
    for (int64_t j = 0; j < d; j++) {
        float sum = 0;
        for (int64_t i = 0; i < 32; i++)
            sum += r->row[j / 32 * 32 + i] * rt_real_at(r->mix, i * 32 + j % 32);
        r->mixed[j] = sum;
    }
}

static void run_rotary(const rt_step *step)
{
    const rotary *r = step->state;
    const rt_value *x = step->in[0];
    int64_t d = rt_dim(x, -1), rows = d ? x->count / d : 0;
    int64_t inner = r->position == 2 ? 1 : x->dims[2], most = r->cos->count / d - 1;
    if (r->padding)
        memset(rt_data(step->out), 0,
               (size_t)step->out->count * tw_dtype_size(step->out->dtype));
    for (int64_t i = 0; i < rows; i++) {
        int64_t at = i / inner % x->dims[r->position];
        at = TW_MIN(r->token >= 0 ? r->token : at, most);
        rt_load_f32(x->dtype, rt_data(x), (size_t)(i * d), (size_t)d, r->row);
        rt_load_f32(r->cos->dtype, rt_data(r->cos), (size_t)(at * d), (size_t)d,
                    r->cosines);
        rt_load_f32(r->sin->dtype, rt_data(r->sin), (size_t)(at * d), (size_t)d, r->sines);
        mix_row(r, d);
        for (int64_t k = 0; k < d; k++)
            r->row[k] = r->row[k] * r->cosines[k] + r->mixed[k] * r->sines[k];
        rt_store_f32(step->out->dtype, r->row, (size_t)d, rt_data(step->out),
                     (size_t)((i + i / x->dims[2] * r->padding) * d));
    }
}

/* Results may have rows behind the input's, up to whole tiles. */
static bool is_padded_like(const rt_value *out, const rt_value *x, int64_t *out_padding)
{
    if (x->rank != 4 || out->rank != 4)
        return false;
    *out_padding = out->dims[2] - x->dims[2];
    return out->dims[0] == x->dims[0] && out->dims[1] == x->dims[1] &&
           out->dims[3] == x->dims[3] && x->dims[2] > 0 &&
           (*out_padding == 0 || out->dims[2] == (x->dims[2] + 31) / 32 * 32);
}

tw_status rt_prepare_rotary(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *x = step->in[0];
    rotary *r = TW_ARENA_NEW(&plan->arena, rotary);
    bool decode = ir_op_bool(op, "is_decode_mode");
    r->cos = rt_operand(op, step, "cos_cache");
    r->sin = rt_operand(op, step, "sin_cache");
    r->mix = rt_operand(op, step, "trans_mat");
    r->token = ir_op_int(op, "token_index", -1);
    r->position = decode ? 1 : 2;
    if (!is_padded_like(step->out, x, &r->padding) || x->dims[3] % 2 ||
        rt_dim(r->cos, -1) != x->dims[3] || r->cos->count != r->sin->count ||
        (r->mix && (x->dims[3] % 32 || r->mix->count != 1024)) ||
        (r->token < 0 && r->cos->count < x->dims[r->position] * x->dims[3]) ||
        (r->token >= 0 && r->cos->count < (r->token + 1) * x->dims[3]))
        return rt_misfit(op);
    size_t bytes = (size_t)(x->dims[3] + 1) * sizeof(float);
    r->row = rt_scratch_alloc(plan, bytes);
    r->mixed = rt_scratch_alloc(plan, bytes);
    r->cosines = rt_scratch_alloc(plan, bytes);
    r->sines = rt_scratch_alloc(plan, bytes);
    step->state = r;
    step->run = run_rotary;
    return TW_SUCCESS;
}
