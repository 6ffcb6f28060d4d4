/* interpret.h: runs the functions of a module of any level on sets of inputs: StableHLO by
 * the reference evaluator, TTIR and TTNN by it after ttir_to_stablehlo, and what has no
 * reference as programs of the embedded device. */
#ifndef TILEWRIGHT_RUNTIME_INTERPRET_H
#define TILEWRIGHT_RUNTIME_INTERPRET_H

#include "ir/op.h"
#include "runtime/validate/validate.h"
#include "support/arena.h"
#include "support/compare.h"

/* The results of one function; `out` NULL: it does not run on this set. */
typedef struct interpreted {
    const char *name;
    size_t n_in, n_out;
    const tw_tensor_desc *in, *out_types;
    void **out[VALIDATE_SETS];
    bool reference; /* by the evaluator, */
    bool rewritten; /* from TTIR or TTNN */
} interpreted;

typedef struct snapshot {
    tw_arena arena;
    tw_str text; /* with locations */
    interpreted *at;
    size_t n;
    bool orders;   /* some operation sorts */
    int coarse;    /* fraction bits of the narrowest float that the module computes with */
    size_t narrow; /* how often the text names narrow floats */
} snapshot;

/* Runs every public function with arguments of static shapes. */
void snapshot_take(snapshot *s, ir_op *module);
void snapshot_free(snapshot *s);
/* The text, without running anything. */
void snapshot_print(snapshot *s, ir_op *module);

/* The values of argument i in a set; `data` has room for them. */
void interpret_fill(const tw_tensor_desc *d, size_t i, size_t set, void *data);
const char *interpret_set_name(size_t set);

/* The result of one operation of a run, in order. */
typedef struct traced {
    const char *name, *file;
    unsigned line, column;
    tw_tensor_desc type;
    const void *data;
    double operands[4]; /* the first elements of the first operands */
    size_t n_operands;
} traced;

typedef struct trace {
    tw_arena arena;
    traced *at;
    size_t n, capacity, bytes;
    bool meanings; /* of TTIR or TTNN: one result for each of its operations */
} trace;

/* Runs a function of the text, as it was interpreted, and records each operation's first
 * result; false if it does not run. */
bool interpret_trace(tw_str text, const interpreted *f, size_t set, trace *out);
/* The same by the evaluator on given inputs, in at most `seconds`; *out_why is the
 * reason where it does not run. Functions of TTIR and TTNN are rewritten for it. */
bool interpret_trace_reference(ir_op *module, const char *name, const void *const *inputs,
                               void *const *outputs, int seconds, trace *out,
                               const char **out_why);
/* The last result of the trace at the location and of the type of another one, or NULL. */
const traced *trace_counterpart(const trace *t, const traced *of);
/* An observer of a program that records into a trace: its user. */
void interpret_record(void *user, const tw_op_event *event);
void trace_free(trace *t);

#endif
