/* ttir_to_ttnn.h: layouts and the conversion of operations. */
#ifndef TILEWRIGHT_TTIR_TO_TTNN_TTIR_TO_TTNN_H
#define TILEWRIGHT_TTIR_TO_TTNN_TTIR_TO_TTNN_H

#include "ir/pass/pass.h"

/* The tensor's type on the device: element narrowed to what the device has (f64 to f32,
 * 64-bit integers to si32, i1 to bf16), DRAM, interleaved, in 32x32 tiles. */
ir_type ttnn_device_type(ir_type tensor);
/* The same numbers in the type's elements; what is no dense attribute stays. */
ir_attr ttnn_convert_elements(ir_attr value, ir_type to);

#endif
