/* fuzz_attr.h: what the text of any attribute must survive. */
#ifndef TILEWRIGHT_TESTS_FUZZ_ATTR_H
#define TILEWRIGHT_TESTS_FUZZ_ATTR_H

#include "ir/context.h"
#include "support/strbuf.h"

/* What the reader accepts prints and reads back as what prints the same; else it aborts. */
void fuzz_attr_text(ir_context *ctx, tw_str text);
/* Every dialect, without a sink's output. */
ir_context *fuzz_context(void);

#endif
