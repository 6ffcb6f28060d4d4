/* parse_impl.h: the state shared by the readers of operations, regions and names. */
#ifndef TILEWRIGHT_IR_TEXT_PARSE_IMPL_H
#define TILEWRIGHT_IR_TEXT_PARSE_IMPL_H

#include "ir/text/text_impl.h"

typedef struct name_entry {
    struct name_entry *next; /* in the bucket */
    tw_str name;
    uint32_t hash;
    uint32_t isolation;
    uint32_t count; /* values under the name; 1 uses `single` */
    ir_value *single;
    ir_value **many;
    const char *at;
} name_entry;

typedef struct forward_ref {
    ir_value *placeholder;
    const char *at;
    struct forward_ref *next;
} forward_ref;

typedef struct block_name {
    tw_str name;
    ir_block *block;
    const char *used_at; /* first reference */
    bool defined;
} block_name;

typedef struct block_scope {
    block_name *blocks;
    size_t count, capacity;
} block_scope;

typedef struct late_loc { /* loc(#alias) before the alias is defined */
    ir_loc *slot;
    tw_str alias;
    const char *at;
} late_loc;

typedef struct scratch_chunk {
    struct scratch_chunk *older;
    size_t size, used;
    _Alignas(16) char data[];
} scratch_chunk;

typedef struct known_types { /* the types of the last operation with the same type text */
    const ir_op_def *def;
    tw_str text;
    ir_type *types;
    uint32_t n_inputs, n_results, capacity;
} known_types;

enum { KNOWN_TYPES = 64 };

struct ir_op_scopes {
    name_entry **buckets;
    size_t mask, count;
    name_entry **log; /* definitions in order */
    size_t log_count, log_capacity;
    uint32_t isolation, isolations;
    forward_ref *forward;
    block_scope *blocks;
    ir_block *into; /* the block that the current operation will be appended to */
    const char *default_dialect;
    late_loc *late;
    size_t n_late, late_capacity;
    scratch_chunk *scratch;
    name_entry *free_entries;
    known_types known[KNOWN_TYPES];
};

typedef struct ir_op_scopes scopes;

/* parse_file.c: memory that lasts until its operation is created */
typedef struct scratch_mark {
    scratch_chunk *chunk;
    size_t used;
} scratch_mark;

scratch_mark ir_mark_scratch(scopes *s);
void ir_release_scratch(scopes *s, scratch_mark mark);
void *ir_grow_scratch(ir_parser *p, void *old, uint32_t *capacity, size_t element);

#define PUSH_SCRATCH(p, list, count, capacity, value)                                      \
    do {                                                                                   \
        if ((count) == (capacity))                                                         \
            (list) = ir_grow_scratch((p), (list), &(capacity), sizeof *(list));            \
        (list)[(count)++] = (value);                                                       \
    } while (0)

/* parse_names.c */
/* The position of the name's first use, NULL if unused. */
const char *ir_name_seen_at(ir_parser *p, tw_str name);
/* Binds %name to `count` values starting at `values` (contiguous results), or to one
 * argument. */
bool ir_define(ir_parser *p, tw_str name, const char *at, ir_value *values, uint32_t count);
/* Drops the names logged after `outer`. */
void ir_leave_names(ir_parser *p, size_t outer, bool keep_unresolved);
/* Reports names that were never defined. */
bool ir_check_forward(ir_parser *p);

/* parse_region.c */
bool ir_parse_trailing_loc(ir_parser *p, ir_loc *slot, bool slot_stays);
bool ir_resolve_late_locs(ir_parser *p);
bool ir_parse_region_of(ir_parser *p, ir_region *region, const ir_op_def *def,
                        const ir_parsed_arg *args, size_t n_args, bool new_scope);

/* parse_op.c: parses one operation, appended to the block if there is one */
ir_op *ir_parse_operation(ir_parser *p, ir_block *into);

#endif
