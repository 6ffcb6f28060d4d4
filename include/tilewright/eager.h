/* eager.h: call one function of ttnn on tensors, at once.
 *
 * A function is a row: its name, its parameters and the operations of TTNN that it may be.
 * tw_eager_call binds arguments to the row, infers the results' types, plans the operation
 * as one step, and runs it. Plans are cached by operation, attributes, shapes, data types
 * and layouts: a cached call verifies nothing and allocates nothing but its results.
 *
 * Ownership: a session owns its plans. Arguments are the caller's and are only read, except
 * tensors that the operation modifies in place (caches, `copy`), whose data it writes. Each
 * result's data is new memory that the caller frees with tw_eager_free. A session may be
 * used by any thread; calls are serialised. A session survives fork in the child. */
#ifndef TILEWRIGHT_EAGER_H
#define TILEWRIGHT_EAGER_H

#include "tilewright/dtype.h"
#include "tilewright/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TW_TENSOR_MAX_RANK = 8, TW_EAGER_MAX_PARAMETERS = 32, TW_EAGER_MAX_RESULTS = 4 };

typedef enum tw_space { TW_ON_HOST, TW_IN_DRAM, TW_IN_L1 } tw_space;
typedef enum tw_sharding {
    TW_INTERLEAVED,
    TW_HEIGHT_SHARDED,
    TW_WIDTH_SHARDED,
    TW_BLOCK_SHARDED,
} tw_sharding;

/* A rectangle of cores, both corners included. */
typedef struct tw_cores {
    int32_t x0, y0, x1, y1;
} tw_cores;

/* Where a tensor lies. The fields from `shard` on are for sharded tensors. */
typedef struct tw_placement {
    tw_space space;
    tw_sharding sharding;
    int64_t shard[2]; /* rows and columns of elements on a core */
    bool by_columns;  /* cores are counted column by column */
    size_t n_cores;
    const tw_cores *cores; /* borrowed; a result's are those of an argument */
} tw_placement;

/* A tensor: dense, row-major data in the host's memory, whatever its layout is. Block
 * floats are held as f32. */
typedef struct tw_tensor {
    tw_dtype dtype;
    bool tiled; /* 32x32 tiles on the device; else rows */
    int rank;
    int64_t dims[TW_TENSOR_MAX_RANK];
    tw_placement placement;
    void *data;
} tw_tensor;

/* Bytes of the tensor's data; SIZE_MAX if they exceed memory's range. */
size_t tw_tensor_bytes(const tw_tensor *tensor);

typedef enum tw_value_kind {
    TW_VALUE_ABSENT, /* the parameter's default */
    TW_VALUE_NONE,
    TW_VALUE_BOOL,
    TW_VALUE_INT,
    TW_VALUE_REAL,
    TW_VALUE_TEXT,   /* strings, and cases of enumerations by name */
    TW_VALUE_LIST,   /* n items */
    TW_VALUE_RECORD, /* n items with names: the fields of a configuration */
    TW_VALUE_TENSOR,
    TW_VALUE_DEVICE,
    TW_VALUE_DTYPE,  /* i is a tw_dtype */
    TW_VALUE_LAYOUT, /* i: 0 rows, 1 tiles */
    TW_VALUE_PLACEMENT,
} tw_value_kind;

/* An argument. Whatever it points to is the caller's until the call returns. */
typedef struct tw_value {
    tw_value_kind kind;
    int64_t i; /* of BOOL, INT, DTYPE, LAYOUT */
    double real;
    size_t n;
    const char *text; /* of TEXT, n bytes; of RECORD: the type's name, NUL-terminated */
    const struct tw_value *items;
    const char *const *names; /* of RECORD */
    const tw_tensor *tensor;
    const tw_placement *placement;
} tw_value;

/* The language whose names and order of arguments a function has. */
typedef enum tw_language { TW_PYTHON, TW_CPP } tw_language;

typedef struct tw_parameter {
    const char *name;     /* "" = by position only */
    const char *other[2]; /* further names that callers may use, or NULL */
    const char *meaning;  /* "a tensor", "an integer", ...: for signatures */
    const char *deflt;    /* text of the default in Python; NULL = must be given */
    bool by_position;     /* may be given without its name */
    bool is_tensor;       /* an operand */
    bool is_written;      /* one that the operation modifies */
} tw_parameter;

typedef struct tw_function {
    const char *name;      /* "ttnn.add", "ttnn::add" */
    const char *operation; /* the (first) row's name: "ttnn.add" */
    size_t n_parameters, n_results;
    const tw_parameter *parameters;
    const char
        *returns; /* in C++: "tensor", "first", "vector", "tuple3", "array2", "optionals" */
} tw_function;

/* A configuration that functions take: the name of its class, "Conv2dConfig"; the name by
 * which a TW_VALUE_RECORD is known; and its fields. */
typedef struct tw_record {
    const char *name, *type;
    size_t n_fields;
    const char *const *fields;
} tw_record;
/* NULL past the end. In C++ the name has its namespaces: "::ttnn::Conv2dConfig". */
const tw_record *tw_record_at(tw_language language, size_t i);

/* All functions of a language, sorted by name. */
size_t tw_function_count(tw_language language);
const tw_function *tw_function_at(tw_language language, size_t i); /* NULL past the end */
/* NULL if there is no such function. */
const tw_function *tw_function_named(tw_language language, const char *name);

typedef struct tw_eager tw_eager;

/* threads: that share the work of large calls; 0: one for each processor. */
tw_status tw_eager_create(int threads, tw_eager **out_session);
void tw_eager_destroy(tw_eager *session); /* NULL is allowed */

/* Calls a function: one argument for each parameter. `results` has room for
 * TW_EAGER_MAX_RESULTS; *out_results is set to their count (0 for operations in place).
 *
 * Errors name the function, the argument, what was expected, what was found: TW_INVALID for
 * arguments that do not fit, TW_UNSUPPORTED for what no kernel computes, TW_RESOURCE for
 * tensors that fit into no memory. On an error nothing is returned and nothing is modified.
 */
tw_status tw_eager_call(tw_eager *session, const tw_function *function,
                        const tw_value *arguments, tw_tensor *results, size_t *out_results);

/* Calls a function of TTIR that a program computes on the host, given as text, on tensors
 * of its arguments' types. It is compiled once. *out_results is set to the number of
 * results, of which at most `capacity` fit; their data is the caller's, as that of
 * tw_eager_call. TW_INVALID names the argument that does not fit. */
tw_status tw_eager_host(tw_eager *session, const char *text, const tw_tensor *inputs,
                        size_t n, tw_tensor *results, size_t capacity, size_t *out_results);

/* Memory as results have it, aligned to 64 bytes; NULL if there is none. */
void *tw_eager_allocate(size_t bytes);
/* Frees such memory, the data of results; some is kept for later results. NULL is allowed.
 */
void tw_eager_free(void *data);

typedef struct tw_eager_counts {
    uint64_t calls, plans; /* plans made: calls that were not cached */
    size_t cached;         /* plans held now */
} tw_eager_counts;
tw_eager_counts tw_eager_count(tw_eager *session);
/* Drops the cached plans. */
void tw_eager_forget(tw_eager *session);

/* The functions above as a table, for code that is loaded at run time and not linked to the
 * library. */
typedef struct tw_eager_api {
    tw_eager *session;
    const tw_function *(*function_named)(tw_language, const char *);
    tw_status (*call)(tw_eager *, const tw_function *, const tw_value *, tw_tensor *,
                      size_t *);
    tw_status (*host)(tw_eager *, const char *, const tw_tensor *, size_t, tw_tensor *,
                      size_t, size_t *);
    size_t (*tensor_bytes)(const tw_tensor *);
    void *(*allocate)(size_t);
    void (*free_data)(void *);
    const char *(*message)(tw_status);
    void (*free_status)(tw_status);
} tw_eager_api;
/* A table of the session. */
tw_eager_api tw_eager_table(tw_eager *session);

#ifdef __cplusplus
}
#endif
#endif
