/* ttnn_to_ttir.h: operations of ttnn that are to become kernels, as operations of ttir. */
#ifndef TILEWRIGHT_CONVERT_TTNN_TO_TTIR_H
#define TILEWRIGHT_CONVERT_TTNN_TO_TTIR_H

#include "ir/pass/pass.h"

extern const pass_def convert_ttnn_to_ttir_pass;

#endif
