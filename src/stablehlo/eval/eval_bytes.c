/* eval_bytes.c: the tensors of eval.h as bytes, row-major, in the interface's format:
 * booleans and numbers of fewer than 8 bits in a byte, complex numbers as two floats. */
#include "stablehlo/eval/eval.h"

#include "ir/number.h"

static ir_type stored(ir_type element)
{
    return hlo_is_quantized(element) ? hlo_storage(element) : element;
}

size_t hlo_byte_size(ir_type element)
{
    ir_type t = stored(element);
    switch (t->kind) {
    case IR_TYPE_INDEX:
        return 8;
    case IR_TYPE_INTEGER:
        return t->width <= 8    ? 1
               : t->width == 16 ? 2
               : t->width == 32 ? 4
               : t->width == 64 ? 8
                                : 0;
    case IR_TYPE_FLOAT:
        return t->width <= 64 ? (t->width + 7) / 8 : 0;
    case IR_TYPE_COMPLEX:
        return 2 * hlo_byte_size(t->element);
    default:
        return 0;
    }
}

static double read_float(ir_type t, const uint8_t *at)
{
    uint64_t bits = 0;
    double wide;
    float narrow;
    if (t->sign == IR_F64)
        return memcpy(&wide, at, sizeof wide), wide;
    if (t->sign == IR_F32)
        return memcpy(&narrow, at, sizeof narrow), narrow;
    memcpy(&bits, at, (t->width + 7) / 8);
    return ir_float_decode(t->sign, bits);
}

static void write_float(ir_type t, double x, uint8_t *at)
{
    float narrow = (float)x;
    if (t->sign == IR_F64) {
        memcpy(at, &x, sizeof x);
    } else if (t->sign == IR_F32) {
        memcpy(at, &narrow, sizeof narrow);
    } else {
        uint64_t bits = ir_float_encode(t->sign, x);
        memcpy(at, &bits, (t->width + 7) / 8);
    }
}

static hlo_num read_number(ir_type t, size_t size, const uint8_t *at)
{
    hlo_num x = {.i = 0};
    if (t->kind == IR_TYPE_FLOAT) {
        x.re = read_float(t, at);
    } else if (t->kind == IR_TYPE_COMPLEX) {
        x.re = read_float(t->element, at);
        x.im = read_float(t->element, at + size / 2);
    } else {
        memcpy(&x.i, at, size);
        x = hlo_round(t, x);
    }
    return x;
}

const hlo_value *hlo_with_elements(const hlo_value *v)
{
    if (!v || v->at || !v->bytes)
        return v;
    hlo_value *w = (hlo_value *)(uintptr_t)v; /* adds a form to the same tensor */
    ir_type t = stored(v->element);
    size_t size = hlo_byte_size(t);
    w->at = TW_ARENA_ARRAY(v->home, hlo_num, v->n + 1);
    for (size_t i = 0; i < v->n; i++)
        w->at[i] = read_number(t, size, (const uint8_t *)v->bytes + i * size);
    return v;
}

const void *hlo_bytes(const hlo_value *v)
{
    ir_type t = v->element ? stored(v->element) : NULL;
    size_t size = t ? hlo_byte_size(t) : 0;
    if (v->bytes || !size)
        return v->bytes;
    uint8_t *to = tw_arena_alloc(v->home, v->n * size + 1);
    for (size_t i = 0; i < v->n; i++) {
        uint8_t *at = to + i * size;
        if (t->kind == IR_TYPE_FLOAT) {
            write_float(t, v->at[i].re, at);
        } else if (t->kind == IR_TYPE_COMPLEX) {
            write_float(t->element, v->at[i].re, at);
            write_float(t->element, v->at[i].im, at + size / 2);
        } else {
            memcpy(at, &v->at[i].i, size);
        }
    }
    ((hlo_value *)(uintptr_t)v)->bytes = to;
    return to;
}

const hlo_value *hlo_copy(hlo_eval *e, const hlo_value *v)
{
    hlo_value *w = TW_ARENA_NEW(e->arena, hlo_value);
    size_t size = v->element ? hlo_byte_size(v->element) : 0;
    *w = *v;
    w->home = e->arena;
    if (v->members) {
        w->members = TW_ARENA_ARRAY(e->arena, const hlo_value *, v->n + 1);
        for (size_t i = 0; i < v->n; i++)
            w->members[i] = hlo_copy(e, v->members[i]);
        return w;
    }
    if (v->bytes)
        w->bytes = memcpy(tw_arena_alloc(e->arena, v->n * size + 1), v->bytes, v->n * size);
    w->at = NULL;
    if (v->at && !v->bytes)
        w->at = memcpy(TW_ARENA_ARRAY(e->arena, hlo_num, v->n + 1), v->at,
                       v->n * sizeof *v->at);
    return w;
}
