/* broadcast.h: broadcasting to shapes of which not all sizes are known. */
#ifndef TILEWRIGHT_STABLEHLO_BROADCAST_H
#define TILEWRIGHT_STABLEHLO_BROADCAST_H

#include "ir/op.h"

enum { HLO_MOST_DIMS = 32 };

/* Whether every size is known or has a bound. */
bool hlo_is_bounded(ir_type t);
/* A size as dynamic and its bound, if it has one, or as it is. */
typedef struct hlo_size {
    int64_t size;    /* the bound where the size is dynamic */
    ir_value *of;    /* whose dimension it is; NULL if it is static */
    uint32_t number; /* which */
} hlo_size;
/* Sizes of a value with static or bounded shape; false if it has another, or is unranked.
 */
bool hlo_sizes_of(ir_value *v, hlo_size *out);
/* v in a shape with more dimensions in front; operations only where they do something. */
ir_value *hlo_spread(ir_builder *b, ir_value *v, const hlo_size *sizes, size_t rank);
/* A scalar in the shape of `like`, as `type` says. */
ir_value *hlo_spread_like(ir_builder *b, ir_value *scalar, ir_value *like, ir_type type);
/* shape.shape_of */
ir_value *hlo_shape_of(ir_builder *b, ir_value *v);

#endif
