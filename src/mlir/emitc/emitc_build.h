/* emitc_build.h: builders of emitc types, attributes and operations. */
#ifndef TILEWRIGHT_MLIR_EMITC_EMITC_BUILD_H
#define TILEWRIGHT_MLIR_EMITC_EMITC_BUILD_H

#include "ir/op.h"
#include "support/strbuf.h"

/* !emitc.opaque<"text"> and #emitc.opaque<"text"> */
ir_type emitc_opaque_type(ir_context *ctx, const char *text);
ir_attr emitc_opaque_attr(ir_context *ctx, const char *text);
/* !emitc.ptr<to> and !emitc.lvalue<of> */
ir_type emitc_ptr_type(ir_type to);
ir_type emitc_lvalue_type(ir_type of);
ir_value *emitc_literal(ir_builder *b, ir_type type, const char *text);
/* Writes a text as a C++ string literal. `has_escapes`: backslashes in it already begin
 * escape sequences. */
void emitc_put_quoted(tw_strbuf *out, tw_str text, bool has_escapes);

#endif
