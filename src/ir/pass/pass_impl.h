/* pass_impl.h: declarations shared by the files of src/ir/pass. */
#ifndef TILEWRIGHT_IR_PASS_PASS_IMPL_H
#define TILEWRIGHT_IR_PASS_PASS_IMPL_H

#include "ir/pass/pass.h"

typedef struct option_value {
    const char *name;
    tw_str value;
} option_value;

typedef struct statistic {
    const char *name, *description;
    uint64_t count;
} statistic;

enum { MAX_STATISTICS = 8 };

/* One element: a pass, or a nested pipeline on operations of one name. */
typedef struct element {
    const pass_def *pass; /* NULL: a nest */
    const char *anchor;
    bool deep; /* a nested pipeline at any depth, not only directly inside */
    option_value *options;
    size_t n_options;
    struct element *children;
    size_t n_children, capacity;
    double seconds;
    size_t runs;
    size_t number; /* among the passes of the pipeline, for progress */
    statistic statistics[MAX_STATISTICS];
    size_t n_statistics;
} element;

struct pass_manager {
    ir_context *ctx;
    const pass_registry *registry;
    pass_config config;
    tw_arena arena;
    element root;
    double seconds;
    ir_mapping
        *dumps; /* operation -> its files under config.tree_dir; in the outermost manager */
    bool nested;
    size_t first; /* the number of the first pass among those of all stages */
    /* the pass that failed, and the operation as text: "'func.func' operation: @main" */
    const pass_def *failed;
    char *failed_on;
};

struct pass_run {
    const pass_manager *pm;
    element *self;
};

/* The pass's name in reports: its class in MLIR if it has one. */
static inline const char *pass_title(const pass_def *pass)
{
    return pass->title ? pass->title : pass->name;
}

/* `when` is "Before", "After" or "After ... Failed" with the title inserted. */
void pass_dump(const pass_manager *pm, ir_op *op, const char *when, const pass_def *pass,
               const char *suffix);
/* "'func.func' operation: @main" */
void pass_describe(const ir_op *op, tw_strbuf *out);
/* A hash that changes when the operation changes. */
uint64_t pass_fingerprint(ir_op *op);

#endif
