/* directive_custom.h: custom<Name>(...) in operation formats (directive_custom.c). */
#ifndef TILEWRIGHT_IR_TEXT_DIRECTIVE_CUSTOM_H
#define TILEWRIGHT_IR_TEXT_DIRECTIVE_CUSTOM_H

#include "ir/text/format_impl.h"

bool ir_parse_custom_directive(op_reading *r, const dir *d);
void ir_print_custom_directive(op_writing *w, const dir *d);
/* [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]: the nine parameters of #stablehlo.conv. */
bool ir_parse_conv_dimensions(ir_parser *p, ir_attr *params);
void ir_put_conv_dimensions(ir_printer *p, const ir_attr *params);

#endif
