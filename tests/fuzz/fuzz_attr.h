/* fuzz_attr.h: round-trip check of an attribute's text. */
#ifndef TILEWRIGHT_TESTS_FUZZ_ATTR_H
#define TILEWRIGHT_TESTS_FUZZ_ATTR_H

#include "ir/context.h"
#include "support/strbuf.h"

/* An accepted text prints, and parses to an attribute that prints the same; else it
 * aborts. */
void fuzz_attr_text(ir_context *ctx, tw_str text);
/* Every dialect, with diagnostics discarded. */
ir_context *fuzz_context(void);

#endif
