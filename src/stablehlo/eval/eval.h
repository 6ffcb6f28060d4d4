/* eval.h: evaluates StableHLO operations one element at a time, following the
 * specification.
 *
 * This is a reference, not an engine: every element is a wide number that is rounded to
 * its type after each operation.  It runs self-checking programs that the device does not
 * support (complex numbers, odd widths, sizes known only at run time), and the parts of
 * programs that run on the host, which can call functions compiled for the device. */
#ifndef TILEWRIGHT_STABLEHLO_EVAL_EVAL_H
#define TILEWRIGHT_STABLEHLO_EVAL_EVAL_H

#include "ir/op.h"
#include "stablehlo/stablehlo.h" /* before a header that defines `complex` as a macro */
#include "support/arena.h"

#include <complex.h>

/* An integer, a float, or both parts of a complex number, by its type. */
typedef struct hlo_num {
    union {
        int64_t i;
        double re;
    };
    double im;
} hlo_num;

enum { HLO_MAX_RANK = 32 };

typedef enum hlo_class { HLO_INT, HLO_FLOAT, HLO_COMPLEX, HLO_OTHER } hlo_class;

/* A tensor, a token (only the type is used) or a tuple (`members`).  Elements are stored
 * as wide numbers, as bytes, or both; the missing form is created on demand. */
typedef struct hlo_value {
    ir_type type;    /* as declared */
    ir_type element; /* tensors only */
    hlo_class class;
    size_t rank, n;
    int64_t dims[HLO_MAX_RANK];
    hlo_num *at;       /* NULL: not created yet, see hlo_operand and hlo_with_elements */
    const void *bytes; /* row-major tw_dtype elements; NULL: not created yet */
    tw_arena *home;    /* the arena that owns all of it */
    const struct hlo_value **members;
} hlo_value;

/* A running function; a recursive call would overwrite its values. */
typedef struct hlo_frame {
    const ir_op *function;
    const struct hlo_frame *caller;
} hlo_frame;

typedef struct hlo_eval {
    ir_context *ctx;
    ir_op *module;
    tw_arena *arena;    /* arena of new values */
    tw_arena *outer;    /* arena of the operation's results while a body folds elements */
    ir_mapping *values; /* ir_value -> hlo_value */
    bool dequantized;   /* quantized operands are replaced by the floats they express */
    bool whole_windows; /* scatter drops partly out-of-bounds windows, as XLA does */
    uint64_t steps;     /* remaining operation budget */
    const hlo_frame *frame;
    ir_op *stuck; /* the operation that cannot be evaluated, or NULL */
    const char *why;
    size_t failed; /* number of failed checks */
    void (*report)(void *user, ir_op *check, const char *text);
    /* Runs a called function elsewhere, on bytes; false: it must be evaluated here. */
    bool (*call)(void *user, ir_op *call, const void *const *in, void *const *out);
    void *user;
    /* Notified of each operation's first result, in the order of execution, outside of
     * regions; or NULL. */
    void (*observe)(void *observer, const ir_op *op, const hlo_value *result);
    void *observer;
    const volatile int *cancel;
    struct process *process; /* one of several that run side by side; NULL: the only one */
} hlo_eval;

typedef enum hlo_outcome { HLO_PASSED, HLO_FAILED, HLO_STUCK } hlo_outcome;

/* Runs a function without arguments; failed checks are reported.  On STUCK, `out_op` is
 * the operation and `out_why` the reason. */
hlo_outcome hlo_eval_function(ir_op *module, ir_op *function,
                              void (*report)(void *user, ir_op *check, const char *text),
                              void *user, ir_op **out_op, const char **out_why);

/* A call of a function with tensors of static shapes, as bytes.  A scatter drops windows
 * that are partly out of bounds, as XLA and the device do, which compute other parts of
 * such programs.  (The specification, and so the other entry points, drop single
 * elements.) */
typedef struct hlo_call {
    ir_op *function;
    const void *const *inputs; /* by argument */
    void *const *outputs;      /* by result */
    bool (*call)(void *user, ir_op *call, const void *const *in, void *const *out);
    void *user;
    void (*observe)(void *observer, const ir_op *op, const hlo_value *result);
    void *observer;
    const volatile int *cancel; /* nonzero stops the run; NULL: never */
    size_t *out_peak;           /* peak bytes of values; may be NULL */
} hlo_call;
hlo_outcome hlo_eval_call(const hlo_call *c, ir_op **out_op, const char **out_why);

/* The same on constants of static shapes, one for each argument of a function with a
 * body; `outputs` gets one for each result. */
hlo_outcome hlo_eval_attrs(ir_op *function, const ir_attr *inputs, ir_attr *outputs,
                           const volatile int *cancel, ir_op **out_op,
                           const char **out_why);

/* True if the operation is implemented; some element types may still be unsupported. */
bool hlo_computes(const ir_op *op);

/* Evaluates one operation without regions on constants (dense elements; with `splat`, one
 * element represents all of a splat).  Returns an attribute of the result's type, or
 * NULL. */
ir_attr hlo_eval_constant(ir_op *op, const ir_attr *operands, bool splat);

/* ---- shared by the files ------------------------------------------------------------ */

/* eval_value.c */
hlo_class hlo_class_of(ir_type element);
/* A new tensor of those dimensions; NULL (and stuck) if it is too large or unsupported. */
hlo_value *hlo_new(hlo_eval *e, ir_op *op, ir_type element, const int64_t *dims,
                   size_t rank);
/* The same with the shape of a type, whose dynamic sizes come from `like` if given. */
hlo_value *hlo_new_as(hlo_eval *e, ir_op *op, ir_type type, const hlo_value *like);
/* The same without elements. */
hlo_value *hlo_new_bare(hlo_eval *e, ir_op *op, ir_type element, const int64_t *dims,
                        size_t rank);
hlo_value *hlo_from_attr(hlo_eval *e, ir_op *op, ir_attr dense, ir_type type);
/* The elements as an attribute of a type with the same count, or any count for a single
 * element. */
ir_attr hlo_to_attr(const hlo_value *v, ir_type type);
hlo_num hlo_round(ir_type element, hlo_num x);
hlo_num hlo_convert(ir_type from, ir_type to, hlo_num x);
double hlo_real(ir_type element, hlo_num x); /* of integers and floats */
bool hlo_is_unsigned(ir_type element);
/* An integer as an index, clamped to half the range so that offsets may be added. */
int64_t hlo_index(ir_type element, hlo_num x);
bool hlo_stuck(hlo_eval *e, ir_op *op, const char *why); /* returns false */
/* Advances to the next index of a shape; false at the end. */
bool hlo_next(const int64_t *dims, size_t rank, int64_t *index);
size_t hlo_offset(const hlo_value *v, const int64_t *index);
bool hlo_inside(const hlo_value *v, const int64_t *index);
size_t hlo_ints(const ir_op *op, const char *name, int64_t *out);

/* eval_bytes.c */
size_t hlo_byte_size(ir_type element);                  /* 0 if it has no byte form */
const hlo_value *hlo_with_elements(const hlo_value *v); /* with wide numbers */
const void *hlo_bytes(const hlo_value *v);              /* NULL if it has no byte form */
/* Allocates a tensor in e->arena; NULL, with the evaluation stuck, if out of memory. */
void *hlo_allocate(hlo_eval *e, ir_op *op, size_t bytes);
extern const char hlo_no_memory[]; /* the reason in that case */
/* Copies to e->arena. */
const hlo_value *hlo_copy(hlo_eval *e, const hlo_value *v);

/* eval.c */
/* An operand with its wide numbers; hlo_peek: in any form. */
const hlo_value *hlo_operand(const hlo_eval *e, const ir_op *op, size_t i);
const hlo_value *hlo_peek(const hlo_eval *e, const ir_op *op, size_t i);
bool hlo_set(hlo_eval *e, ir_op *op, size_t result, const hlo_value *v); /* false if NULL */
/* The element type in which a result is computed. */
ir_type hlo_result_element(const hlo_eval *e, const ir_op *op, size_t i);
/* Runs a region's block on arguments; returns the terminator's operands. */
bool hlo_run_region(hlo_eval *e, ir_op *op, size_t region, const hlo_value *const *args,
                    size_t n_args, const hlo_value **out, size_t n_out);

/* Runs a function on arguments; returns its results in any form. */
bool hlo_run_function(hlo_eval *e, ir_op *function, const hlo_value *const *args,
                      size_t n_args, const hlo_value **out, size_t n_out);

/* eval_quantized.c: runs `fn` on the dequantized operands and quantizes the results. */
bool hlo_is_quantized(ir_type element);
ir_type hlo_storage(ir_type quantized);
bool hlo_run_dequantized(hlo_eval *e, ir_op *op, bool (*fn)(struct hlo_eval *e, ir_op *op));

typedef bool hlo_fn(hlo_eval *e, ir_op *op);
hlo_fn *hlo_find_math(const ir_op_def *def);   /* eval_math.c */
hlo_fn *hlo_find_move(const ir_op_def *def);   /* eval_move.c */
hlo_fn *hlo_find_fold(const ir_op_def *def);   /* eval_fold.c */
hlo_fn *hlo_find_linear(const ir_op_def *def); /* eval_linear.c */
hlo_fn *hlo_find_norm(const ir_op_def *def);   /* eval_norm.c */
hlo_fn *hlo_find_random(const ir_op_def *def); /* eval_random.c */
hlo_fn *hlo_find_quantized(const ir_op_def *def);
hlo_fn *hlo_find_check(const ir_op_def *def); /* eval_check.c */
/* eval_parallel.c: only for programs that run side by side. */
hlo_fn *hlo_find_parallel(const ir_op_def *def);
bool hlo_knows_target(const ir_op *custom_call);
/* eval_lapack.c */
bool hlo_is_lapack(const ir_op *custom_call);
hlo_fn hlo_lapack;

/* The integers of an attribute's parameter; 0 if there are none or too many. */
static inline size_t hlo_integers(ir_attr attr, const char *name, int64_t *out)
{
    int64_t count = ir_attr_ints(ir_attr_param(attr, name), out, HLO_MAX_RANK);
    return count < 0 || count > HLO_MAX_RANK ? 0 : (size_t)count;
}

static inline bool hlo_is_in(int64_t x, const int64_t *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == x)
            return true;
    return false;
}

/* CMPLX, which clang lacks with glibc's header. */
static inline double complex hlo_complex(double re, double im)
{
    return __builtin_complex(re, im);
}

#endif
