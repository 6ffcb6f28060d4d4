/* passes.c: the rows of mpmd's passes. */
#include "mpmd/passes.h"

#define MPMD_PASS(id, ...)                                                                 \
    const pass_def mpmd_##id##_pass = {.run = mpmd_##id, __VA_ARGS__};
#include "mpmd/passes.def"
