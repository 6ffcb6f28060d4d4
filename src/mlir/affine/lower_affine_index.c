/* lower_affine_index.c: lowers linearize_index and delinearize_index. */
#include "mlir/affine/affine.h"
#include "mlir/affine/lower_affine.h"

#include <stdlib.h>

/* The basis without the first size if there is one for each index: it is not needed. */
typedef struct basis {
    const ir_op *op;
    ir_attr sizes;
    uint32_t from, n;
} basis;

static basis basis_of(const ir_op *op, size_t n_indices)
{
    ir_attr sizes = ir_op_attr(op, "static_basis");
    uint32_t from = sizes->count && n_indices == sizes->count;
    return (basis){op, sizes, from, sizes->count - from};
}

/* For each size the product of it and of all following sizes. */
static ir_value **strides_of(ir_builder *b, const basis *of, bool as_unsigned)
{
    ir_value **strides = tw_xmalloc((of->n + 1) * sizeof *strides), *product = NULL;
    size_t first, left;
    int64_t number = 1;
    ir_op_operand_group(of->op, 1, &first, &left);
    for (uint32_t i = of->n; i-- > 0;) {
        int64_t size = ir_dense_array_int(of->sizes, of->from + i);
        if (size == IR_DYNAMIC) {
            ir_value *value = ir_op_operand(of->op, first + --left);
            product = product ? lower_exact(b, ARITH_OP(muli), product, value, as_unsigned)
                              : value;
        } else {
            number = (int64_t)((uint64_t)number * (uint64_t)size);
        }
        if (product && number == 1) {
            strides[i] = product;
            continue;
        }
        strides[i] = arith_index(b, number);
        if (product)
            strides[i] = lower_exact(b, ARITH_OP(muli), product, strides[i], as_unsigned);
    }
    return strides;
}

/* The number of enclosing loops in which the value is invariant. */
static unsigned loops_without(const ir_op *op, const ir_value *value)
{
    unsigned n = 0;
    for (const ir_op *at = ir_op_parent(op); at; at = ir_op_parent(at)) {
        if (!ir_def_has(at->def, "LoopLikeOpInterface"))
            continue;
        const ir_block *block = ir_value_block(value);
        for (const ir_op *owner = block->region->owner; owner; owner = ir_op_parent(owner))
            if (owner == at)
                return n;
        n++;
    }
    return n;
}

typedef struct term {
    ir_value *value;
    unsigned loops;
} term;

void lower_affine_linearize(ir_op *op)
{
    size_t first, n;
    ir_builder b = ir_builder_before(op);
    ir_op_operand_group(op, 0, &first, &n);
    basis of = basis_of(op, n);
    ir_value **strides = n > 1 ? strides_of(&b, &of, ir_op_bool(op, "disjoint")) : NULL;
    term *terms = tw_xmalloc((n + 1) * sizeof *terms);
    for (size_t i = 0; i < n; i++) {
        ir_value *index = ir_op_operand(op, first + i);
        term made = {index, loops_without(op, index)};
        size_t at = i;
        if (i + 1 < n)
            made.value = lower_exact(&b, ARITH_OP(muli), index, strides[i], false);
        /* the most invariant first */
        for (; at > 0 && terms[at - 1].loops < made.loops; at--)
            terms[at] = terms[at - 1];
        terms[at] = made;
    }
    ir_value *sum = n ? terms[0].value : arith_index(&b, 0);
    for (size_t i = 1; i < n; i++)
        sum = lower_exact(&b, ARITH_OP(addi), sum, terms[i].value, false);
    free(terms);
    free(strides);
    ir_value_replace_uses(&op->results[0], sum);
    ir_op_erase(op);
}

/* The remainder of a positive divisor, never negative. */
static ir_value *remainder_of(ir_builder *b, ir_value *x, ir_value *y, ir_value *zero)
{
    ir_value *r = lower_binary(b, ARITH_OP(remsi), x, y);
    ir_value *negative = lower_compare(b, ARITH_CmpIPredicate_slt, r, zero);
    ir_value *corrected = lower_exact(b, ARITH_OP(addi), r, y, false);
    return ir_build1(b, ARITH_OP(select), r->type, IR_VALUES(negative, corrected, r), NULL,
                     0);
}

void lower_affine_delinearize(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *index = ir_op_operand(op, 0);
    basis of = basis_of(op, op->n_results);
    if (op->n_results == 1) {
        ir_value_replace_uses(&op->results[0], index);
    } else if (op->n_results) {
        ir_value **strides = strides_of(&b, &of, true);
        ir_value *zero = arith_index(&b, 0);
        ir_value_replace_uses(&op->results[0],
                              lower_binary(&b, ARITH_OP(floordivsi), index, strides[0]));
        for (uint32_t i = 0; i < of.n; i++) {
            ir_value *part = remainder_of(&b, index, strides[i], zero);
            if (i + 1 < of.n)
                part = lower_binary(&b, ARITH_OP(divsi), part, strides[i + 1]);
            ir_value_replace_uses(&op->results[i + 1], part);
        }
        free(strides);
    }
    ir_op_erase(op);
}
