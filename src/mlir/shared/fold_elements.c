/* fold_elements.c: element-wise constant folding.  A splat stays one element. Floats are
 * computed in double by the callers and rounded once, which is exact for + - * / and square
 * roots in the formats up to f64. */
#include "mlir/shared/fold_elements.h"
#include "ir/number.h"

#include <stdlib.h>

bool fold_is_numeric(ir_type e)
{
    return e->kind == IR_TYPE_INDEX || e->kind == IR_TYPE_FLOAT ||
           (e->kind == IR_TYPE_INTEGER && e->width <= 64 && e->width > 0);
}

unsigned fold_width(ir_type e)
{
    return e->kind == IR_TYPE_INDEX ? 64 : e->width;
}

uint64_t fold_low(int64_t v, ir_type e)
{
    unsigned width = fold_width(e);
    return width < 64 ? (uint64_t)v & (((uint64_t)1 << width) - 1) : (uint64_t)v;
}

static int64_t extended(int64_t v, ir_type e)
{
    unsigned spare = 64 - fold_width(e);
    return spare ? (int64_t)((uint64_t)v << spare) >> spare : v;
}

static bool is_dense(ir_attr a)
{
    return ir_attr_is(a, IR_ATTR_DENSE) && !(a->splat & 2);
}

static fold_cell cell_at(ir_attr a, size_t i)
{
    ir_type e = ir_type_element(a->type);
    fold_cell c = {0};
    if (is_dense(a)) {
        if (e->kind == IR_TYPE_FLOAT)
            c.real = ir_dense_real(a, i);
        else
            c.integer = extended(ir_dense_int(a, i), e);
    } else if (e->kind == IR_TYPE_FLOAT) {
        c.real = a->real;
    } else {
        c.integer = extended(a->value, e);
    }
    return c;
}

static bool is_constant(ir_attr a)
{
    if (!a || !a->type || !fold_is_numeric(ir_type_element(a->type)))
        return false;
    return is_dense(a) || ir_attr_is(a, IR_ATTR_INTEGER) || ir_attr_is(a, IR_ATTR_FLOAT);
}

static ir_attr scalar(ir_type type, fold_cell c)
{
    return type->kind == IR_TYPE_FLOAT ? ir_float_attr(type, c.real)
                                       : ir_integer_attr(type, c.integer);
}

static void put(char *at, ir_type e, fold_cell c)
{
    bool real = e->kind == IR_TYPE_FLOAT;
    uint64_t bits = real ? ir_float_encode((ir_float_kind)e->sign, c.real)
                         : (uint64_t)ir_int_wrap(e, c.integer);
    if (!real && fold_width(e) == 1)
        bits &= 1;
    memcpy(at, &bits, ir_dense_element_size(e));
}

ir_attr fold_constant(ir_type type, fold_cell value)
{
    ir_type e = ir_type_element(type);
    char bytes[8];
    if (!fold_is_numeric(e))
        return NULL;
    if (!ir_type_is_shaped(type))
        return scalar(type, value);
    if (ir_type_num_elements(type) < 0)
        return NULL;
    put(bytes, e, value);
    return ir_dense_attr(type, bytes, ir_dense_element_size(e));
}

bool fold_splat(ir_attr constant, fold_cell *out)
{
    if (!is_constant(constant) || (is_dense(constant) && !(constant->splat & 1)))
        return false;
    *out = cell_at(constant, 0);
    return true;
}

ir_attr fold_elements(ir_type result, const ir_attr *constants, size_t n, fold_fn *fn,
                      const void *user)
{
    enum { CAPACITY = 3 };
    fold_cell in[CAPACITY], out = {0};
    bool splat = true;
    assert(n <= CAPACITY);
    ir_type to = ir_type_element(result);
    for (size_t k = 0; k < n; k++) {
        if (!is_constant(constants[k]))
            return NULL;
        splat &= !is_dense(constants[k]) || (constants[k]->splat & 1);
    }
    if (!fold_is_numeric(to))
        return NULL;
    fold_call call = {fn, ir_type_element(constants[0]->type), to, user};
    int64_t total = ir_type_is_shaped(result) ? ir_type_num_elements(result) : 1;
    if (total <= 0)
        return NULL;
    if (splat) {
        for (size_t k = 0; k < n; k++)
            in[k] = cell_at(constants[k], 0);
        return fn(&call, in, &out) ? fold_constant(result, out) : NULL;
    }
    size_t size = ir_dense_element_size(to);
    char *bytes = tw_xmalloc((size_t)total * size);
    bool fine = true;
    for (int64_t i = 0; fine && i < total; i++) {
        for (size_t k = 0; k < n; k++)
            in[k] = cell_at(constants[k], (size_t)i);
        fine = fn(&call, in, &out);
        put(bytes + (size_t)i * size, to, out);
    }
    ir_attr dense = fine ? ir_dense_attr(result, bytes, (size_t)total * size) : NULL;
    free(bytes);
    return dense;
}
