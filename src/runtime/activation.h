/* activation.h: the functions that products, convolutions and norms apply to their results.
 */
#ifndef TILEWRIGHT_RUNTIME_ACTIVATION_H
#define TILEWRIGHT_RUNTIME_ACTIVATION_H

#include "host/gemm/gemm.h"
#include "host/strips/strip.h"
#include "ir/op.h"

typedef struct rt_activation {
    krn_gemm_act act;
    krn_strip_function *fn; /* of KRN_GEMM_CALL */
    float args[2];
} rt_activation;

/* From a name, as ttnn.linear has it, or a ttnn.unary_with_param; without one there is
 * none. TW_UNSUPPORTED names what the kernels lack. */
tw_status rt_activation_read(const ir_op *op, ir_attr attr,
                             rt_activation *out_activation) TW_NODISCARD;
/* In place; as krn_gemm_args wants it, the context is an rt_activation. */
void rt_activation_apply(void *context, float *values, size_t count);

#endif
