/* convert_impl.h: what the files of the conversion share. */
#ifndef TILEWRIGHT_TTIR_TO_TTNN_CONVERT_IMPL_H
#define TILEWRIGHT_TTIR_TO_TTNN_CONVERT_IMPL_H

#include "ttcore/ttcore.h"
#include "ttir/to_ttnn/ttir_to_ttnn.h"
#include "ttir/ttir.h"
#include "ttnn/build.h"

/* Replaces the operation, or leaves everything alone and returns false. */
typedef bool ttnn_convert_fn(ir_op *op, ir_builder *b);

/* What rows of ttir/ttir.def name. */
#define SAME(ttnn)
#define BOTH_WAYS(ttnn)
#define BY(function) ttnn_convert_fn function;
#define BY_AND_BACK(function, ttnn) BY(function)
#define NOTHING
#define TTIR_BECOMES(id, ...) __VA_ARGS__
#include "ttir/ttir.def"
#undef SAME
#undef BOTH_WAYS
#undef BY
#undef BY_AND_BACK
#undef NOTHING
/* Of inputs that are flat already (flattened_compat_info). */
ttnn_convert_fn ttnn_convert_flat_conv2d, ttnn_convert_flat_pool;

/* Operand groups, results and attributes of the same names; `extra` adds attributes
 * (entries win over the operation's own).  A device is put in where the row wants one. */
ir_op *ttnn_build_named(ir_op *op, ir_builder *b, const ir_op_def *to,
                        const ir_attr_by_name *extra, size_t n_extra);

/* Replaces all results by those of another operation. */
bool ttnn_replace_all(ir_op *op, ir_op *made);
bool ttnn_replace_one(ir_op *op, ir_value *v);

/* A number of `n` attribute values, one standing for all; false if neither. */
bool ttnn_tuple(const ir_op *op, const char *name, int64_t *out, size_t n);

#endif
