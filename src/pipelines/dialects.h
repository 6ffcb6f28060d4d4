/* dialects.h: registers every dialect. */
#ifndef TILEWRIGHT_PIPELINES_DIALECTS_H
#define TILEWRIGHT_PIPELINES_DIALECTS_H

#include "ir/context.h"

void ir_register_all(ir_context *ctx);

#endif
