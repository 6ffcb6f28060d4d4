/* ir/text/attr_format.h: declarations shared by the interpreter of attribute and type
 * formats (attr_format.c) and its custom directives (attr_custom.c). */
#ifndef TILEWRIGHT_IR_TEXT_ATTR_FORMAT_H
#define TILEWRIGHT_IR_TEXT_ATTR_FORMAT_H

#include "ir/text/parser.h"
#include "ir/text/printer.h"

/* custom<Name>($a, $b, "word"): the parameters by index, in the order written. */
typedef struct ir_attr_directive {
    const ir_param_def *defs;
    const uint16_t *args; /* indices of parameters */
    uint32_t n_args;
    tw_str word; /* the string argument, without quotes */
    const struct ir_custom_syntax *custom;
} ir_attr_directive;

/* A custom directive; `params` are all parameters of the attribute or type. */
typedef struct ir_custom_syntax {
    const char *name;
    bool (*parse)(ir_parser *p, const ir_attr_directive *d, ir_attr *params);
    void (*print)(ir_printer *p, const ir_attr_directive *d, const ir_attr *params);
} ir_custom_syntax;

/* attr_custom.c; NULL if the name is unknown. */
const ir_custom_syntax *ir_attr_custom_find(tw_str name);

/* One parameter as formats write it: `in_full` is qualified(). */
bool ir_parse_param(ir_parser *p, const ir_param_def *def, bool in_full, ir_attr *out);
void ir_put_param(ir_printer *p, const ir_param_def *def, bool in_full, ir_attr value);

/* factor_text.c: consumes one factor (i, ..., z, z_1, ...) at the front of *word. */
bool ir_parse_factor(ir_parser *p, const char *at, tw_str *word, int64_t *out);
const char *ir_factor_text(int64_t factor, char text[24]);
void ir_put_factor(ir_printer *p, int64_t factor);

#endif
