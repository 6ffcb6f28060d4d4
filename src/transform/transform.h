/* transform.h: the passes within a level, one file each. */
#ifndef TILEWRIGHT_TRANSFORM_H
#define TILEWRIGHT_TRANSFORM_H

#include "pass/pass.h"

extern const pass_def inline_pass;
extern const pass_def ttcore_mark_functions_pass;
extern const pass_def ttcore_register_device_pass;
extern const pass_def ttir_decomposition_pass;
extern const pass_def ttir_fusing_pass;
extern const pass_def ttir_implicit_broadcast_fold_pass;
extern const pass_def ttnn_deallocate_pass;

#endif
