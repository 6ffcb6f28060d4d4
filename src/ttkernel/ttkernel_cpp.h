/* ttkernel_cpp.h: the operations' forms in C++: functions of the kernel API by their names,
 * and what their template arguments say.  Code that emits such calls and code that declares
 * the functions read the same rows. */
#ifndef TILEWRIGHT_TTKERNEL_TTKERNEL_CPP_H
#define TILEWRIGHT_TTKERNEL_TTKERNEL_CPP_H

#include "ir/op.h"
#include "support/strbuf.h"

typedef struct ttkernel_cpp_case {
    int64_t value;
    const char *text; /* "PoolType::SUM"; NULL ends a list */
} ttkernel_cpp_case;

typedef enum ttkernel_cpp_kind {
    TTKERNEL_CPP_NONE,
    TTKERNEL_CPP_CASE,       /* the case's name */
    TTKERNEL_CPP_CASE_VALUE, /* its number: static_cast<...>(name) */
    TTKERNEL_CPP_BOOL,
    TTKERNEL_CPP_NUMBER,
    TTKERNEL_CPP_IF_TRUE, /* `true`, only if the attribute is set */
    TTKERNEL_CPP_TEXT,    /* always `attr` itself */
} ttkernel_cpp_kind;

typedef struct ttkernel_cpp_arg {
    ttkernel_cpp_kind kind;
    const char *attr;
    const ttkernel_cpp_case *cases;
} ttkernel_cpp_arg;

enum { TTKERNEL_CPP_ARGS = 4 };

/* Template arguments, up to the first of no kind; NULL for none. */
const ttkernel_cpp_arg *ttkernel_cpp_args(const ir_op_def *def);
/* "add_tiles", "experimental::matmul_block" */
void ttkernel_cpp_name(const ir_op_def *def, tw_strbuf *out);
/* The enums that the cases are of, each ended by a case without a text; NULL at the end. */
const ttkernel_cpp_case *ttkernel_cpp_enum(size_t i);

#endif
