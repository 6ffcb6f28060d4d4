/* text_impl.h: what the files of this folder share with each other only. */
#ifndef TILEWRIGHT_IR_TEXT_IMPL_H
#define TILEWRIGHT_IR_TEXT_IMPL_H

#include "ir/text/parser.h"

/* lexer.c */
bool ir_token_u64(const ir_parser *p, uint64_t *out);

/* parse_attr.c */
bool ir_int_fits(ir_type type, bool negative, uint64_t magnitude);
ir_attr ir_dense_array_from(ir_parser *p, ir_type type, const ir_attr *items, size_t count);
ir_attr ir_distinct_find(ir_parser *p, int64_t id);
void ir_distinct_remember(ir_parser *p, int64_t id, ir_attr attr);

/* parse_dense.c */
ir_attr ir_parse_element(ir_parser *p, ir_type type);
ir_attr ir_parse_dense(ir_parser *p, ir_type type);
ir_attr ir_parse_dense_resource(ir_parser *p, ir_type type);
ir_attr ir_parse_sparse(ir_parser *p, ir_type type);

/* attr_format.c: #alias, #dialect.name<...>, #dialect<...> and the same with ! */
ir_attr ir_parse_dialect_attr(ir_parser *p, ir_type type);
ir_type ir_parse_dialect_type(ir_parser *p);

/* parse_op.c: a parser over a text of its own, with scratch memory */
void ir_parse_alone(ir_parser *p, ir_context *ctx, tw_str text);
void ir_parse_alone_end(ir_parser *p);

#endif
