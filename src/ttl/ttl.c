/* ttl.c: the tables of the ttl dialect. */
#include "ttl/ttl.h"

#include "ttkernel/ttkernel_layout.h"
#include "ttl/ttl_hooks.h"

#define IR_DIALECT ttl
#define IR_ROWS "ttl/ttl.def"
#define IR_CONSTRAINTS "ttl/ttl_constraints.def"
#include "ir/dialect_tables.h"

const ir_dialect ttl_dialect = {
    .name = "ttl",
    IR_DIALECT_TABLES,
    .uses_properties = true,
    .record_prefix = "TTL_",
    .name_space = "tt::ttl",
};
