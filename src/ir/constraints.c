/* constraints.c: the constraints shared by rows of several dialects. */
#include "ir/constraints.h"

#define IR_CONSTRAINT(id, ...) const ir_constraint C_##id = {__VA_ARGS__};
#include "ir/constraints.def"
