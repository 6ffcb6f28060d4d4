/* shape.c: data movement, constants, casts and table lookups. */
#include "host/shape.h"
#include "host/move/move.h"
#include "runtime/group.h"
#include "runtime/plan.h"
#include "support/blockfloat.h"
#include "ttnn/ttnn.h"

enum { CAPACITY = RT_MAX_RANK };

/* ---- strided copies ----------------------------------------------------------------- */

/* out[i0, i1, ...] = in[base + i0*s0 + i1*s1 + ...], out written at out_base with its own
 * strides: covers permute, slice, repeat, concat and pad. */
typedef struct copy {
    int rank;
    int64_t dims[CAPACITY], in_strides[CAPACITY], out_strides[CAPACITY];
    int64_t in_base, out_base;
    size_t size; /* of an element */
    bool moves;  /* one operand's elements, each at most once, as `moved` says */
    rt_moved moved;
} copy;

static void move_row(const copy *c, const char *from, char *to, int64_t n, int64_t in,
                     int64_t out)
{
    size_t size = c->size;
    if (in == 1 && out == 1) {
        memcpy(to, from, (size_t)n * size);
        return;
    }
    switch (size) {
#define MOVE(bytes, type)                                                                  \
    case bytes:                                                                            \
        for (int64_t i = 0; i < n; i++)                                                    \
            ((type *)(void *)to)[i * out] = ((const type *)(const void *)from)[i * in];    \
        return;
        MOVE(1, uint8_t)
        MOVE(2, uint16_t)
        MOVE(4, uint32_t)
        MOVE(8, uint64_t)
#undef MOVE
    default:
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * out * (int64_t)size, from + i * in * (int64_t)size, size);
    }
}

static void copy_few(const copy *c, const void *in, void *out)
{
    int64_t index[CAPACITY] = {0}, from = c->in_base, to = c->out_base;
    int last = c->rank - 1;
    for (int d = 0; d < c->rank; d++)
        if (c->dims[d] == 0)
            return;
    for (;;) {
        move_row(c, (const char *)in + from * (int64_t)c->size,
                 (char *)out + to * (int64_t)c->size, c->rank ? c->dims[last] : 1,
                 c->rank ? c->in_strides[last] : 1, c->rank ? c->out_strides[last] : 1);
        int d = last - 1;
        for (; d >= 0; d--) {
            from += c->in_strides[d];
            to += c->out_strides[d];
            if (++index[d] < c->dims[d])
                break;
            from -= c->in_strides[d] * c->dims[d];
            to -= c->out_strides[d] * c->dims[d];
            index[d] = 0;
        }
        if (d < 0)
            return;
    }
}

/* Few elements, or few enough that are whole rows in both tensors, are copied as they are:
 * a plan costs more. */
static bool is_small(const copy *c)
{
    enum { FEW = 2048, ROW = 64, FEW_IN_ROWS = 16384 };
    const int last = c->rank - 1;
    int64_t count = 1;
    for (int d = 0; d < c->rank; d++)
        count *= c->dims[d];
    const bool rows = last >= 0 && c->in_strides[last] == 1 && c->out_strides[last] == 1 &&
                      c->dims[last] >= ROW;
    return count <= (rows ? FEW_IN_ROWS : FEW);
}

/* Large copies are ordered and blocked by host/move, on all threads. */
static void run_copy(const copy *c, const void *in, void *out, tw_threadpool *pool)
{
    krn_copy_plan plan;
    if (is_small(c) || c->rank > KRN_MAX_RANK) {
        copy_few(c, in, out);
        return;
    }
    tw_status status = krn_plan_copy((int)c->size, c->rank, c->dims, c->in_strides,
                                     c->in_base, c->out_strides, c->out_base, &plan);
    if (status) { /* sizes of elements that it does not know */
        tw_status_free(status);
        copy_few(c, in, out);
        return;
    }
    krn_copy_run(&plan, in, out, pool);
}

/* Copies convert nothing: an operand has the result's type, or an integer's of its size. */
static tw_status check_types(const ir_op *op, const rt_step *step, uint32_t n_in)
{
    const tw_dtype to = step->out->dtype;
    for (uint32_t i = 0; i < n_in; i++) {
        const tw_dtype from = step->in[i]->dtype;
        if (from != to && (rt_is_float(from) || rt_is_float(to) ||
                           tw_dtype_size(from) != tw_dtype_size(to)))
            return tw_error(TW_INVALID,
                            "'%s' moves operand %u of %s into a result of %s: it converts "
                            "nothing; cast the operand to the result's type before",
                            op->def->name, i, tw_dtype_name(from), tw_dtype_name(to));
    }
    return TW_SUCCESS;
}

static void dense_strides(const rt_value *v, int64_t *out)
{
    krn_dense_strides(v->rank, v->dims, out);
}

static void run_one_copy(const rt_step *step)
{
    run_copy(step->state, rt_data(step->in[0]), rt_data(step->out), step->pool);
}

static copy *new_copy(rt_plan *plan, rt_step *step)
{
    copy *c = TW_ARENA_NEW(&plan->arena, copy);
    c->rank = step->out->rank;
    c->size = tw_dtype_size(step->out->dtype);
    for (int d = 0; d < c->rank; d++)
        c->dims[d] = step->out->dims[d];
    dense_strides(step->out, c->out_strides);
    step->state = c;
    step->run = run_one_copy;
    return c;
}

/* Makes a step that copies these elements of its operand. */
static void move_step(rt_plan *plan, const rt_moved *moved, rt_step *step)
{
    int64_t strides[CAPACITY];
    copy *c = new_copy(plan, step);
    dense_strides(step->in[0], strides);
    c->moves = true;
    c->moved = *moved;
    for (int d = 0; d < c->rank; d++) {
        const int64_t stride = strides[moved->order[d]];
        c->in_strides[d] = stride * moved->steps[d];
        c->in_base += stride * moved->begins[d];
    }
}

void rt_permute_step(rt_plan *plan, const int64_t *order, rt_step *step)
{
    rt_moved moved = {0};
    for (int d = 0; d < step->out->rank; d++) {
        moved.order[d] = order[d];
        moved.steps[d] = 1;
    }
    move_step(plan, &moved, step);
}

const rt_moved *rt_moved_by(const rt_step *step)
{
    const copy *c = step->state;
    return step->op && step->run == run_one_copy && c->moves ? &c->moved : NULL;
}

tw_status rt_prepare_permute(rt_plan *plan, ir_op *op, rt_step *step)
{
    int64_t order[CAPACITY];
    TW_TRY(check_types(op, step, 1));
    if (ir_attr_ints(ir_op_attr(op, "permutation"), order, CAPACITY) != step->out->rank)
        return tw_error(TW_INVALID, "'%s': permutation of another rank", op->def->name);
    rt_permute_step(plan, order, step);
    return TW_SUCCESS;
}

tw_status rt_prepare_slice(rt_plan *plan, ir_op *op, rt_step *step)
{
    int64_t ends[CAPACITY];
    const rt_value *in = step->in[0], *out = step->out;
    rt_moved moved = {0};
    TW_TRY(check_types(op, step, 1));
    if (ir_attr_ints(ir_op_attr(op, "begins"), moved.begins, CAPACITY) != in->rank ||
        ir_attr_ints(ir_op_attr(op, "ends"), ends, CAPACITY) != in->rank ||
        ir_attr_ints(ir_op_attr(op, "step"), moved.steps, CAPACITY) != in->rank)
        return tw_error(TW_INVALID, "'%s': bounds of another rank", op->def->name);
    for (int d = 0; d < out->rank; d++) {
        moved.order[d] = d;
        moved.begins[d] += moved.begins[d] < 0 ? in->dims[d] : 0; /* from the end */
        int64_t last = moved.begins[d] + (out->dims[d] - 1) * moved.steps[d];
        if (out->dims[d] && (moved.begins[d] < 0 || last < 0 || last >= in->dims[d]))
            return tw_error(TW_INVALID, "'%s': dimension %d is cut at %lld of %lld",
                            op->def->name, d, (long long)last, (long long)in->dims[d]);
    }
    move_step(plan, &moved, step);
    return TW_SUCCESS;
}

/* Starts are operands: clamped so that the slice stays inside, as StableHLO specifies. */
static void run_slice_dynamic(const rt_step *step)
{
    copy c = *(const copy *)step->state;
    const rt_value *in = step->in[0], *starts = step->in[1];
    int64_t at[CAPACITY];
    rt_load_i64(starts->dtype, rt_data(starts), 0, (size_t)in->rank, at);
    for (int d = 0; d < in->rank; d++) {
        int64_t most = in->dims[d] - c.dims[d];
        c.in_base += TW_MIN(TW_MAX(at[d], 0), most) * c.in_strides[d];
    }
    run_copy(&c, rt_data(in), rt_data(step->out), step->pool);
}

tw_status rt_prepare_slice_dynamic(rt_plan *plan, ir_op *op, rt_step *step)
{
    if (step->n_in != 3 || step->in[1]->count != step->in[0]->rank ||
        ir_op_attr(op, "step"))
        return tw_error(TW_UNSUPPORTED, "'%s' with steps is not implemented",
                        op->def->name);
    TW_TRY(check_types(op, step, 1));
    copy *c = new_copy(plan, step);
    dense_strides(step->in[0], c->in_strides);
    step->run = run_slice_dynamic;
    return TW_SUCCESS;
}

/* Each dimension of the input and its repetition are two dimensions of the copy. */
tw_status rt_prepare_repeat(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *in = step->in[0];
    copy *c = new_copy(plan, step);
    int64_t strides[CAPACITY], out_strides[CAPACITY];
    TW_TRY(check_types(op, step, 1));
    dense_strides(in, strides);
    dense_strides(step->out, out_strides);
    c->rank = 0;
    for (int d = 0; d < in->rank; d++) {
        int64_t times = in->dims[d] ? step->out->dims[d] / in->dims[d] : 0;
        if (times != 1 || in->dims[d] == 0) {
            if (c->rank == CAPACITY)
                return tw_error(TW_UNSUPPORTED, "'%s' repeats too many dimensions",
                                op->def->name);
            c->dims[c->rank] = times;
            c->in_strides[c->rank] = 0;
            c->out_strides[c->rank++] = out_strides[d] * in->dims[d];
        }
        if (in->dims[d] != 1) {
            if (c->rank == CAPACITY)
                return tw_error(TW_UNSUPPORTED, "'%s' repeats too many dimensions",
                                op->def->name);
            c->dims[c->rank] = in->dims[d];
            c->in_strides[c->rank] = strides[d];
            c->out_strides[c->rank++] = out_strides[d];
        }
    }
    return TW_SUCCESS;
}

static void run_concat(const rt_step *step)
{
    const copy *parts = step->state;
    for (uint32_t i = 0; i < step->n_in; i++)
        run_copy(&parts[i], rt_data(step->in[i]), rt_data(step->out), step->pool);
}

tw_status rt_prepare_concat(rt_plan *plan, ir_op *op, rt_step *step)
{
    int64_t dim = ir_op_int(op, "dim", 0), at = 0, out_strides[CAPACITY];
    copy *parts = TW_ARENA_ARRAY(&plan->arena, copy, step->n_in);
    TW_TRY(check_types(op, step, step->n_in));
    dim += dim < 0 ? step->out->rank : 0;
    if (step->channels_last)
        dim = rt_channels_last_dim((int)dim);
    dense_strides(step->out, out_strides);
    for (uint32_t i = 0; i < step->n_in; i++) {
        copy *c = &parts[i];
        c->rank = step->out->rank;
        c->size = tw_dtype_size(step->out->dtype);
        for (int d = 0; d < c->rank; d++) {
            c->dims[d] = step->in[i]->dims[d];
            c->out_strides[d] = out_strides[d];
        }
        dense_strides(step->in[i], c->in_strides);
        c->out_base = at * out_strides[dim];
        at += step->in[i]->dims[dim];
    }
    step->state = parts;
    step->run = run_concat;
    return TW_SUCCESS;
}

/* ---- reshape: another view of the same memory --------------------------------------- */

static void run_typecast(const rt_step *step)
{
    rt_convert_into(step->in[0]->dtype, rt_data(step->in[0]), step->out);
}

/* True if a reshape changes which elements of block floats share an exponent. */
static bool regroups(const rt_value *in, const rt_value *out)
{
    int64_t from = in->rank ? in->dims[in->rank - 1] : 1;
    int64_t to = out->rank ? out->dims[out->rank - 1] : 1;
    return tw_dtype_is_block(out->format) && from != to && (from % 16 || to % 16);
}

tw_status rt_prepare_reshape(rt_plan *plan, ir_op *op, rt_step *step)
{
    TW_TRY(check_types(op, step, 1));
    if (step->in[0]->count != step->out->count)
        return tw_error(TW_INVALID, "'%s' changes the number of elements", op->def->name);
    if (rt_must_copy(plan, op) || regroups(step->in[0], step->out)) {
        step->run = run_typecast;
        step->on_grid = true;
        return TW_SUCCESS;
    }
    step->out->buffer = step->in[0]->buffer;
    step->run = NULL;
    return TW_SUCCESS;
}

/* ---- constants ---------------------------------------------------------------------- */

static void fill_element(const rt_value *v, const void *element)
{
    size_t size = tw_dtype_size(v->dtype);
    char *to = rt_data(v);
    for (int64_t i = 0; i < v->count; i++)
        memcpy(to + (size_t)i * size, element, size);
}

static void run_full(const rt_step *step)
{
    fill_element(step->out, step->state);
}

tw_status rt_prepare_full(rt_plan *plan, ir_op *op, rt_step *step)
{
    ir_attr value = ir_op_attr(op, "fill_value");
    char *element = tw_arena_alloc(&plan->arena, 8);
    step->n_in = 0;
    if (ir_attr_is(value, IR_ATTR_FLOAT)) {
        float f = (float)value->real;
        rt_store_f32(step->out->dtype, &f, 1, element, 0);
    } else {
        int64_t i = ir_attr_int(value, 0);
        rt_store_i64(step->out->dtype, &i, 1, element, 0);
    }
    step->state = element;
    step->run = run_full;
    return TW_SUCCESS;
}

tw_status rt_prepare_zeros_ones(rt_plan *plan, ir_op *op, rt_step *step)
{
    int64_t value = op->def == TTNN_OP(ones);
    char *element = tw_arena_alloc(&plan->arena, 8);
    step->n_in = 0;
    rt_store_i64(step->out->dtype, &value, 1, element, 0);
    step->state = element;
    step->run = run_full;
    return TW_SUCCESS;
}

static void run_constant(const rt_step *step)
{
    ir_attr value = step->state;
    size_t bytes = (size_t)step->out->count * tw_dtype_size(step->out->dtype);
    if (value->splat & 1)
        fill_element(step->out, value->blob->data);
    else
        memcpy(rt_data(step->out), value->blob->data, bytes);
}

tw_status rt_prepare_constant(rt_plan *plan, ir_op *op, rt_step *step)
{
    (void)plan;
    ir_attr value = ir_op_attr(op, "value");
    size_t element = ir_dense_element_size(ir_type_element(op->results[0].type));
    if (!ir_attr_is(value, IR_ATTR_DENSE) || value->splat & 2 ||
        element != tw_dtype_size(step->out->dtype))
        return tw_error(TW_UNSUPPORTED, "'%s' holds no dense numbers", op->def->name);
    step->n_in = 0;
    /* the attribute lives as long as the program's context */
    step->state = (void *)(uintptr_t)value;
    step->run = run_constant;
    return TW_SUCCESS;
}

typedef struct range {
    int64_t start, step;
} range;

static void run_arange(const rt_step *step)
{
    const range *r = step->state;
    for (int64_t i = 0; i < step->out->count; i++) {
        int64_t v = r->start + i * r->step;
        rt_store_i64(step->out->dtype, &v, 1, rt_data(step->out), (size_t)i);
    }
}

tw_status rt_prepare_arange(rt_plan *plan, ir_op *op, rt_step *step)
{
    range *r = TW_ARENA_NEW(&plan->arena, range);
    *r = (range){ir_op_int(op, "start", 0), ir_op_int(op, "step", 1)};
    step->n_in = 0;
    step->state = r;
    step->run = run_arange;
    return TW_SUCCESS;
}

/* ---- pad, casts --------------------------------------------------------------------- */

typedef struct pad {
    copy inside;
    char element[8];
} pad;

static void run_pad(const rt_step *step)
{
    const pad *p = step->state;
    fill_element(step->out, p->element);
    run_copy(&p->inside, rt_data(step->in[0]), rt_data(step->out), step->pool);
}

tw_status rt_prepare_pad(rt_plan *plan, ir_op *op, rt_step *step)
{
    int64_t amounts[2 * CAPACITY], in_strides[CAPACITY];
    const rt_value *in = step->in[0];
    pad *p = TW_ARENA_NEW(&plan->arena, pad);
    copy *c = &p->inside;
    float value = (float)ir_op_real(op, "value", 0);
    TW_TRY(check_types(op, step, 1));
    if (ir_attr_ints(ir_op_attr(op, "padding"), amounts, 2 * CAPACITY) != 2 * in->rank)
        return tw_error(TW_INVALID, "'%s': padding of another rank", op->def->name);
    c->rank = in->rank;
    c->size = tw_dtype_size(in->dtype);
    dense_strides(in, in_strides);
    dense_strides(step->out, c->out_strides);
    for (int d = 0; d < in->rank; d++) { /* negative amounts crop */
        int64_t low = amounts[2 * d], high = amounts[2 * d + 1];
        c->in_strides[d] = in_strides[d];
        c->in_base += low < 0 ? -low * in_strides[d] : 0;
        c->out_base += low > 0 ? low * c->out_strides[d] : 0;
        c->dims[d] = in->dims[d] + TW_MIN(low, 0) + TW_MIN(high, 0);
        c->dims[d] = TW_MAX(c->dims[d], 0);
    }
    const tw_dtype t = step->out->dtype;
    if ((t == TW_I32 && value >= 0x1p31f) || (t == TW_U32 && value >= 0x1p32f)) {
        /* the largest value below the maximum that f32 can represent */
        const int64_t most = t == TW_I32 ? INT32_MAX : UINT32_MAX;
        rt_store_i64(t, &most, 1, p->element, 0);
    } else {
        rt_store_f32(t, &value, 1, p->element, 0);
    }
    step->state = p;
    step->run = run_pad;
    return TW_SUCCESS;
}

tw_status rt_prepare_typecast(rt_plan *plan, ir_op *op, rt_step *step)
{
    const rt_value *in = step->in[0], *out = step->out;
    const float none[2] = {0};
    if (in->format == out->format && !rt_must_leave(in, op))
        return rt_prepare_reshape(plan, op, step);
    if (in->count == out->count && !tw_dtype_is_block(out->format) &&
        (rt_is_float(in->dtype) || rt_is_float(out->dtype)) && in->dtype != TW_F64 &&
        out->dtype != TW_F64 && in->rank == out->rank &&
        memcmp(in->dims, out->dims, (size_t)in->rank * sizeof *in->dims) == 0)
        return rt_group_prepare(plan, step, KRN_STRIP_copy, none);
    step->on_grid = true;
    step->run = run_typecast;
    return TW_SUCCESS;
}

/* ---- rows of a table ---------------------------------------------------------------- */

static void run_embedding(const rt_step *step)
{
    const rt_value *ids = step->in[0], *table = step->in[1];
    int64_t rows = table->dims[table->rank - 2], width = table->dims[table->rank - 1];
    size_t bytes = (size_t)width * tw_dtype_size(table->dtype);
    for (int64_t i = 0; i < ids->count; i++) {
        int64_t row;
        rt_load_i64(ids->dtype, rt_data(ids), (size_t)i, 1, &row);
        row = TW_MIN(TW_MAX(row, 0), rows - 1); /* StableHLO's gather clamps */
        memcpy((char *)rt_data(step->out) + (size_t)i * bytes,
               (const char *)rt_data(table) + (size_t)row * bytes, bytes);
    }
}

tw_status rt_prepare_embedding(rt_plan *plan, ir_op *op, rt_step *step)
{
    (void)plan;
    const rt_value *table = step->in[1];
    if (table->rank < 2 || table->dims[table->rank - 2] == 0 ||
        table->dtype != step->out->dtype ||
        step->out->count != step->in[0]->count * table->dims[table->rank - 1])
        return tw_error(TW_INVALID, "'%s': table and result do not fit", op->def->name);
    step->run = run_embedding;
    return TW_SUCCESS;
}
