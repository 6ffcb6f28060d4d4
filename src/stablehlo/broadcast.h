/* broadcast.h: broadcasts to shapes with dynamic sizes. */
#ifndef TILEWRIGHT_STABLEHLO_BROADCAST_H
#define TILEWRIGHT_STABLEHLO_BROADCAST_H

#include "ir/op.h"

enum { HLO_MAX_DIMS = 32 };

/* True if every size is static or bounded. */
bool hlo_is_bounded(ir_type t);
/* A dimension's size: static, or dynamic with its bound if it has one. */
typedef struct hlo_size {
    int64_t size; /* the bound if the size is dynamic */
    ir_value *of; /* the value whose dimension it is; NULL if static */
    uint32_t dim; /* the dimension */
} hlo_size;
/* Sizes of a value with a static or bounded shape; false if a size is unbounded or the
 * rank unknown. */
bool hlo_sizes_of(ir_value *v, hlo_size *out);
/* Broadcasts v by adding leading dimensions; emits only the operations needed. */
ir_value *hlo_broadcast_sizes(ir_builder *b, ir_value *v, const hlo_size *sizes,
                              size_t rank);
/* Broadcasts a scalar to the shape of `like`, with result type `type`. */
ir_value *hlo_broadcast_like(ir_builder *b, ir_value *scalar, ir_value *like, ir_type type);
/* shape.shape_of */
ir_value *hlo_shape_of(ir_builder *b, ir_value *v);

#endif
