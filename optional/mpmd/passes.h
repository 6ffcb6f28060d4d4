/* passes.h: declares the functions and rows of passes.def. */
#ifndef TILEWRIGHT_SDY_MPMD_PASSES_PASSES_H
#define TILEWRIGHT_SDY_MPMD_PASSES_PASSES_H

#include "ir/pass/pass.h"

#define MPMD_PASS(id, ...)                                                                 \
    bool mpmd_##id(ir_op *op, pass_run *run);                                              \
    extern const pass_def mpmd_##id##_pass;
#include "mpmd/passes.def"

#endif
