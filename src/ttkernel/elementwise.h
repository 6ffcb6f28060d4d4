/* elementwise.h: what the rows of elementwise.def say of padding: the zeros behind a
 * tensor's edge, up to whole tiles, which computing turns into other values. */
#ifndef TILEWRIGHT_TTKERNEL_ELEMENTWISE_H
#define TILEWRIGHT_TTKERNEL_ELEMENTWISE_H

typedef enum elementwise_padding {
    ELEMENTWISE_MASK,    /* may be zero by design, as a comparison's: nothing is known */
    ELEMENTWISE_DATA,    /* of values computed from data such a value */
    ELEMENTWISE_SUM,     /* the same; zero where both operands are */
    ELEMENTWISE_EXTREME, /* one of the operands; zero where both are */
    ELEMENTWISE_PRODUCT, /* zero where one operand is */
    ELEMENTWISE_QUOTIENT /* the same as DATA; two zeros give NaN */
} elementwise_padding;

#endif
