/* attr_format_impl.h: compiled formats of attributes and types, which attr_format.c
 * interprets. */
#ifndef TILEWRIGHT_IR_TEXT_ATTR_FORMAT_IMPL_H
#define TILEWRIGHT_IR_TEXT_ATTR_FORMAT_IMPL_H

#include "ir/text/attr_format.h"

typedef enum af_kind {
    AF_LITERAL, /* text */
    AF_BLANK,   /* ` ` */
    AF_EMPTY,   /* `` */
    AF_PARAM,   /* param, in_full */
    AF_STRUCT,  /* fields: name = value */
    AF_LIST,    /* params: fields without names */
    AF_CUSTOM,  /* directive */
    AF_GROUP,   /* ( then )? or ( then ) : ( otherwise )? */
} af_kind;

typedef struct af_element af_element;

typedef struct af_list {
    af_element *at;
    uint32_t count;
} af_list;

typedef struct af_field {
    uint16_t param;
    bool in_full;
} af_field;

struct af_element {
    uint8_t kind;
    bool in_full;
    bool anchor_inside_then; /* AF_GROUP: the side that holds the anchor */
    uint16_t param;          /* AF_PARAM; AF_GROUP: the anchor */
    tw_str text;
    af_field *fields;
    uint32_t n_fields;
    ir_attr_directive directive;
    af_list then, otherwise;
};

typedef struct af_form {
    const char *mnemonic, *cls;
    const ir_param_def *params;
    uint32_t n_params;
    ir_attr *defaults; /* the value of an absent parameter; NULL if it is mandatory */
    af_list body;
    const char *wrong; /* where the format has something that the reader does not know */
} af_form;

enum { MAX_PARAMS = 64 };

/* The compiled format of a row. */
const af_form *ir_compiled_attr_format(ir_context *ctx, const ir_attr_def *def);
const af_form *ir_compiled_type_format(ir_context *ctx, const ir_type_def *def);
bool ir_param_may_be_absent(const ir_param_def *def);
/* True if a parameter, or any one in a group, is written. */
bool ir_param_is_present(const af_form *c, uint16_t param, const ir_attr *params);
bool ir_group_is_present(const af_form *c, const af_element *group, const ir_attr *params);

#endif
