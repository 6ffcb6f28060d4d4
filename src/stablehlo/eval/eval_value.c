/* eval_value.c: the wide numbers and tensors of eval.h. */
#include "stablehlo/eval/eval.h"

#include "ir/number.h"

#include <math.h>
#include <stdlib.h>

hlo_class hlo_class_of(ir_type element)
{
    switch (element->kind) {
    case IR_TYPE_INTEGER:
    case IR_TYPE_INDEX:
        return HLO_INT;
    case IR_TYPE_FLOAT:
        return HLO_FLOAT;
    case IR_TYPE_COMPLEX:
        return HLO_COMPLEX;
    default:
        return hlo_is_quantized(element) ? HLO_INT : HLO_OTHER;
    }
}

bool hlo_is_unsigned(ir_type element)
{
    return element->kind == IR_TYPE_INTEGER &&
           (element->sign == IR_UNSIGNED || element->width == 1);
}

bool hlo_stuck(hlo_eval *e, ir_op *op, const char *why)
{
    if (!e->stuck) {
        e->stuck = op;
        e->why = why;
    }
    return false;
}

const char hlo_no_memory[] = "a tensor for which there is no memory";

void *hlo_allocate(hlo_eval *e, ir_op *op, size_t bytes)
{
    void *room = tw_arena_try_alloc(e->arena, bytes);
    if (!room)
        hlo_stuck(e, op, hlo_no_memory);
    return room;
}

/* ---- rounding ----------------------------------------------------------------------- */

static double round_float(ir_type t, double x)
{
    if (t->sign == IR_F64)
        return x;
    if (t->sign == IR_F32)
        return (float)x;
    return ir_float_decode(t->sign, ir_float_encode(t->sign, x));
}

hlo_num hlo_round(ir_type element, hlo_num x)
{
    switch (element->kind) {
    case IR_TYPE_INTEGER:
        x.i = element->width == 1 ? (x.i & 1) : ir_int_wrap(element, x.i);
        break;
    case IR_TYPE_FLOAT:
        x.re = round_float(element, x.re);
        break;
    case IR_TYPE_COMPLEX:
        x.re = round_float(element->element, x.re);
        x.im = round_float(element->element, x.im);
        break;
    default:
        break;
    }
    return x;
}

double hlo_real(ir_type element, hlo_num x)
{
    if (hlo_class_of(element) != HLO_INT)
        return x.re;
    return hlo_is_unsigned(element) ? (double)(uint64_t)x.i : (double)x.i;
}

/* Clamps out-of-range values; NaN becomes 0. */
static int64_t to_integer(ir_type to, double x)
{
    if (isnan(x))
        return 0;
    x = trunc(x);
    uint32_t width = to->kind == IR_TYPE_INDEX ? 64 : to->width;
    bool is_unsigned = hlo_is_unsigned(to);
    double max = ldexp(1, (int)width - !is_unsigned), min = is_unsigned ? 0 : -max;
    if (x < min)
        x = min;
    if (x >= max)
        return is_unsigned
                   ? (int64_t)(width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1)
                   : (int64_t)((UINT64_C(1) << (width - 1)) - 1);
    return is_unsigned ? (int64_t)(uint64_t)x : (int64_t)x;
}

hlo_num hlo_convert(ir_type from, ir_type to, hlo_num x)
{
    hlo_class a = hlo_class_of(from), b = hlo_class_of(to);
    hlo_num y = {.im = 0};
    if (to->kind == IR_TYPE_INTEGER && to->width == 1) {
        y.i = a == HLO_INT ? x.i != 0 : x.re != 0;
        return y;
    }
    if (b == HLO_INT) {
        y.i = a == HLO_INT ? x.i : to_integer(to, x.re);
    } else if (from->kind == IR_TYPE_INTEGER && from->width == 64 && to->width == 32 &&
               b == HLO_FLOAT && to->sign == IR_F32) {
        /* directly: by way of a double it would be rounded twice */
        y.re = hlo_is_unsigned(from) ? (float)(uint64_t)x.i : (float)x.i;
    } else {
        y.re = hlo_real(from, x);
        y.im = a == HLO_COMPLEX ? x.im : 0;
    }
    return hlo_round(to, y);
}

/* ---- tensors ------------------------------------------------------------------------ */

hlo_value *hlo_new_bare(hlo_eval *e, ir_op *op, ir_type element, const int64_t *dims,
                        size_t rank)
{
    enum { MAX_ELEMENTS = 1 << 26 };
    size_t n = 1;
    if (rank > HLO_MAX_RANK || hlo_class_of(element) == HLO_OTHER) {
        hlo_stuck(e, op, "a tensor of this element type or rank");
        return NULL;
    }
    for (size_t i = 0; i < rank; i++)
        if (dims[i] < 0 || (dims[i] && n > MAX_ELEMENTS / (size_t)dims[i])) {
            hlo_stuck(e, op, "a tensor of this size");
            return NULL;
        } else {
            n *= (size_t)dims[i];
        }
    hlo_value *v = TW_ARENA_NEW(e->arena, hlo_value);
    v->home = e->arena;
    v->element = element;
    v->class = hlo_class_of(element);
    v->rank = rank;
    v->n = n;
    if (rank)
        memcpy(v->dims, dims, rank * sizeof *dims);
    return v;
}

hlo_value *hlo_new(hlo_eval *e, ir_op *op, ir_type element, const int64_t *dims,
                   size_t rank)
{
    hlo_value *v = hlo_new_bare(e, op, element, dims, rank);
    if (v)
        v->at = hlo_allocate(e, op, (v->n + 1) * sizeof *v->at);
    return v && v->at ? v : NULL;
}

hlo_value *hlo_new_as(hlo_eval *e, ir_op *op, ir_type type, const hlo_value *like)
{
    int64_t dims[HLO_MAX_RANK];
    if (!ir_type_is_tensor(type) || type->count > HLO_MAX_RANK) {
        hlo_stuck(e, op, "a result that is no ranked tensor");
        return NULL;
    }
    for (uint32_t i = 0; i < type->count; i++)
        dims[i] = type->dims[i] != IR_DYNAMIC         ? type->dims[i]
                  : like && like->rank == type->count ? like->dims[i]
                                                      : -1;
    return hlo_new(e, op, type->element, dims, type->count);
}

static double read_part(ir_type t, const uint8_t *at)
{
    uint64_t bits = 0;
    memcpy(&bits, at, (t->width + 7) / 8);
    return ir_float_decode(t->sign, bits);
}

hlo_value *hlo_from_attr(hlo_eval *e, ir_op *op, ir_attr dense, ir_type type)
{
    if (!ir_attr_is(dense, IR_ATTR_DENSE) || (dense->splat & 2)) {
        hlo_stuck(e, op, "a constant of this kind");
        return NULL;
    }
    hlo_value *v = hlo_new_as(e, op, ir_type_is_tensor(type) ? type : dense->type, NULL);
    if (!v)
        return NULL;
    size_t size = ir_dense_element_size(v->element);
    for (size_t i = 0; i < v->n; i++) {
        const uint8_t *at =
            (const uint8_t *)dense->blob->data + (dense->splat ? 0 : i * size);
        if (v->class == HLO_INT) {
            v->at[i].i = ir_dense_int(dense, i);
        } else if (v->class == HLO_FLOAT) {
            v->at[i].re = ir_dense_real(dense, i);
        } else {
            v->at[i].re = read_part(v->element->element, at);
            v->at[i].im = read_part(v->element->element, at + size / 2);
        }
        if (v->class == HLO_INT)
            v->at[i] = hlo_round(hlo_is_quantized(v->element) ? hlo_storage(v->element)
                                                              : v->element,
                                 v->at[i]);
    }
    return v;
}

static void write_part(ir_type t, double x, uint8_t *at, size_t size)
{
    uint64_t bits = ir_float_encode(t->sign, x);
    memcpy(at, &bits, size);
}

ir_attr hlo_to_attr(const hlo_value *v, ir_type type)
{
    size_t size = ir_dense_element_size(type->element), n = v->n;
    if (!size || hlo_class_of(type->element) != v->class)
        return NULL;
    uint8_t *data = tw_xmalloc(n * size + 1);
    for (size_t i = 0; i < n; i++) {
        uint8_t *at = data + i * size;
        if (v->class == HLO_INT) {
            memcpy(at, &v->at[i].i, size);
        } else if (v->class == HLO_FLOAT) {
            write_part(type->element, v->at[i].re, at, size);
        } else {
            write_part(type->element->element, v->at[i].re, at, size / 2);
            write_part(type->element->element, v->at[i].im, at + size / 2, size / 2);
        }
    }
    int64_t count = ir_type_num_elements(type);
    ir_attr attr = n == 1 || (int64_t)n == count
                       ? ir_dense_attr(type, data, count ? n * size : 0)
                       : NULL;
    free(data);
    return attr;
}

/* ---- indices ------------------------------------------------------------------------ */

bool hlo_next(const int64_t *dims, size_t rank, int64_t *index)
{
    for (size_t i = rank; i-- > 0;) {
        if (++index[i] < dims[i])
            return true;
        index[i] = 0;
    }
    return false;
}

size_t hlo_offset(const hlo_value *v, const int64_t *index)
{
    size_t at = 0;
    for (size_t i = 0; i < v->rank; i++)
        at = at * (size_t)v->dims[i] + (size_t)index[i];
    return at;
}

int64_t hlo_index(ir_type element, hlo_num x)
{
    const int64_t max = INT64_MAX / 2;
    if (hlo_is_unsigned(element) && (uint64_t)x.i > (uint64_t)max)
        return max;
    return TW_MIN(TW_MAX(x.i, -max), max);
}

bool hlo_inside(const hlo_value *v, const int64_t *index)
{
    for (size_t i = 0; i < v->rank; i++)
        if (index[i] < 0 || index[i] >= v->dims[i])
            return false;
    return true;
}

size_t hlo_ints(const ir_op *op, const char *name, int64_t *out)
{
    int64_t n = ir_attr_ints(ir_op_attr(op, name), out, HLO_MAX_RANK);
    return n < 0 || n > HLO_MAX_RANK ? 0 : (size_t)n;
}
