/* dialects.h: registers every dialect. */
#ifndef TILEWRIGHT_DIALECT_ALL_H
#define TILEWRIGHT_DIALECT_ALL_H

#include "ir/context.h"

void ir_register_all(ir_context *ctx);

#endif
