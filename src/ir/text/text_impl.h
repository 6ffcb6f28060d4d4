/* text_impl.h: declarations shared only by the files of this folder. */
#ifndef TILEWRIGHT_IR_TEXT_TEXT_IMPL_H
#define TILEWRIGHT_IR_TEXT_TEXT_IMPL_H

#include "ir/text/parser.h"

/* lexer.c */
bool ir_token_u64(const ir_parser *p, uint64_t *out);
double ir_token_real(tw_str text); /* value of a number token */
bool ir_expect_punct_in(ir_parser *p, char c,
                        const char *where);                  /* "expected '<' in ..." */
bool ir_accept_dim_x(ir_parser *p);                          /* the x between dimensions */
bool ir_parse_dim_x(ir_parser *p, ir_dims *out);             /* int "x" */
const char *ir_dims_text(ir_parser *p, const ir_dims *dims); /* "2, 3" for messages */

/* parse_attr.c */
bool ir_hex_fits(ir_type type, uint64_t bits); /* bits of a float given in hex */
bool ir_int_fits(ir_type type, bool negative, uint64_t magnitude);
ir_attr ir_dense_array_from(ir_parser *p, ir_type type, const ir_attr *items, size_t count);
/* Doubles an array in the reader's memory. */
void *ir_grow_list(ir_parser *p, void *old, uint32_t *capacity, size_t element);
typedef struct ir_items {
    ir_attr *at;
    uint32_t count, capacity;
} ir_items;
static inline void ir_items_add(ir_parser *p, ir_items *list, ir_attr value)
{
    if (list->count == list->capacity)
        list->at = ir_grow_list(p, list->at, &list->capacity, sizeof *list->at);
    list->at[list->count++] = value;
}

/* parse_alias.c: per-file caches of the reader */
ir_attr ir_alias_look_ahead(ir_parser *p, tw_str name);
ir_attr ir_distinct_find(ir_parser *p, int64_t id);
void ir_distinct_remember(ir_parser *p, int64_t id, ir_attr attr);
/* The type or attribute last read from this text, NULL if not cached. */
void *ir_text_cache_get(const ir_parser *p, tw_str text);
/* The same for the text that was looked up last, if it is at `at`; for texts that end with
 * their last bracket. */
void *ir_text_latest(const ir_parser *p, const char *at, const char **out_end);
void ir_text_cache_set(ir_parser *p, tw_str text, const void *value);

/* parse_dense.c */
ir_attr ir_parse_element(ir_parser *p, ir_type type);
bool ir_parse_element_bits(ir_parser *p, ir_type type, uint64_t *out);
ir_attr ir_parse_dense(ir_parser *p, ir_type type);
ir_attr ir_parse_dense_resource(ir_parser *p, ir_type type);
ir_attr ir_parse_sparse(ir_parser *p, ir_type type);

/* dialect_symbol.c: #alias, #dialect.name<...>, #dialect<...> and the same with ! */
ir_attr ir_parse_dialect_attr(ir_parser *p, ir_type type);
ir_type ir_parse_dialect_type(ir_parser *p);

/* parse_file.c: a parser over a separate text, with scratch memory */
void ir_parse_alone(ir_parser *p, ir_context *ctx, tw_str text);
void ir_parse_alone_end(ir_parser *p);

#endif
