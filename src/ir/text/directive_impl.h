/* directive_impl.h: declarations shared by the files with custom<Name>(...) directives. */
#ifndef TILEWRIGHT_IR_TEXT_DIRECTIVE_IMPL_H
#define TILEWRIGHT_IR_TEXT_DIRECTIVE_IMPL_H

#include "ir/text/directive_custom.h"

typedef struct custom_directive {
    const char *name; /* NULL ends a table */
    bool (*parse)(op_reading *r, const dir *d);
    void (*print)(op_writing *w, const dir *d);
} custom_directive;

extern const custom_directive ir_hlo_type_directives[];   /* directive_hlo_types.c */
extern const custom_directive ir_hlo_attr_directives[];   /* directive_hlo_attrs.c */
extern const custom_directive ir_hlo_window_directives[]; /* directive_hlo_window.c */
extern const custom_directive ir_index_directives[];      /* directive_index.c */
extern const custom_directive ir_pdl_directives[];        /* directive_pdl.c */
extern const custom_directive ir_transform_directives[];  /* directive_transform.c */

/* directive_access.c: the group, attribute, ... that a directive's argument refers to */
group_state *dir_group(op_reading *r, const dir *arg);
void dir_add_type(op_reading *r, const dir *arg, ir_type type);
void dir_set_attr(op_reading *r, const dir *arg, ir_attr value);
ir_attr dir_attr_of(op_writing *w, const dir *arg);
ir_type dir_type_of(op_writing *w, const dir *arg, size_t i); /* NULL past the last */
size_t dir_count_of(op_writing *w, const dir *arg);

/* directive_hlo_attrs.c: the list parameter of an attribute of dimension numbers */
ir_attr dir_raw_list(ir_context *ctx, const ir_dims *dims);

#endif
