/* constraints.c: the constraints as data. */
#include "constraints/constraints.h"

#define TW_CONSTRAINT(id, ...) const ir_constraint id = {__VA_ARGS__};
#include "constraints/constraints.def"
