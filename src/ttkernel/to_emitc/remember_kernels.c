/* remember_kernels.c: ttkernel-remember-kernels: binaries hold kernels as C++, which a
 * compiler takes a second each to read. What the kernel was in TTKernel's operations is
 * found again by its C++, so that a binary can hold both and the simulated grid can run the
 * latter at once. */
#include "ir/pass/pass.h"
#include "ir/text.h"
#include "mlir/emitc/emitc.h"
#include "mlir/emitc/to_cpp/cpp.h"
#include "mlir/func/func.h"
#include "support/arena.h"
#include "ttkernel/to_emitc/known_kernels.h"
#include "ttkernel/ttkernel.h"

#include <stdlib.h>

typedef struct known {
    tw_arena arena;
    ir_mapping *before; /* function -> its text, between the pass's two runs */
    ir_mapping *by_cpp; /* C++, as an attribute -> text */
} known;

static void destroy(void *at)
{
    known *k = at;
    ir_mapping_free(k->before);
    ir_mapping_free(k->by_cpp);
    tw_arena_free(&k->arena);
    free(k);
}

static known *known_of(ir_context *ctx)
{
    known *k = ir_context_slot(ctx, IR_SLOT_KNOWN_KERNELS);
    if (!k) {
        k = tw_xcalloc(1, sizeof *k);
        k->by_cpp = ir_mapping_create();
        ir_context_set_slot(ctx, IR_SLOT_KNOWN_KERNELS, k, destroy);
    }
    return k;
}

tw_str ttkernel_known_kernel(ir_context *ctx, tw_str cpp)
{
    const known *k = ir_context_slot(ctx, IR_SLOT_KNOWN_KERNELS);
    const char *text = k ? ir_mapping_get(k->by_cpp, ir_string_attr(ctx, cpp)) : NULL;
    return text ? tw_str_from(text) : (tw_str){0};
}

/* ---- the pass ------------------------------------------------------------------------ */

static bool is_kernel(const ir_op *op)
{
    return op->def == FUNC_OP(func) && ir_op_attr(op, "ttkernel.thread") &&
           ir_op_body((ir_op *)op, 0);
}

static ir_walk find_cpp(ir_op *op, void *user)
{
    bool *cpp = user;
    *cpp = op->def == EMITC_OP(verbatim);
    return *cpp ? IR_WALK_STOP : IR_WALK_ON;
}

static ir_walk keep(ir_op *op, void *user)
{
    static const ir_print_options options = {.debug_info = true, .local_scope = true};
    known *k = user;
    tw_strbuf text = {0};
    bool cpp = false;
    if (!is_kernel(op))
        return IR_WALK_ON;
    ir_walk_pre(op, find_cpp, &cpp);
    if (cpp) /* which the grid runs as C++ */
        return IR_WALK_SKIP;
    ir_print_op(op, &options, &text);
    ir_mapping_set(k->before, op, tw_arena_copy(&k->arena, text.data, text.size));
    tw_strbuf_free(&text);
    return IR_WALK_SKIP;
}

static ir_walk name_by_cpp(ir_op *op, void *user)
{
    known *k = user;
    void *text = is_kernel(op) ? ir_mapping_get(k->before, op) : NULL;
    tw_strbuf cpp = {0};
    if (!text)
        return IR_WALK_ON;
    if (cpp_emit_kernel(op, &cpp))
        ir_mapping_set(k->by_cpp, ir_string_attr(op->ctx, (tw_str){cpp.data, cpp.size}),
                       text);
    tw_strbuf_free(&cpp);
    return IR_WALK_SKIP;
}

static bool run(ir_op *op, pass_run *run)
{
    known *k = known_of(op->ctx);
    const bool after = pass_option_bool(run, "after");
    if (after && k->before)
        ir_walk_pre(op, name_by_cpp, k);
    ir_mapping_free(k->before);
    k->before = after ? NULL : ir_mapping_create();
    if (!after)
        ir_walk_pre(op, keep, k);
    return true;
}

const pass_def ttkernel_remember_kernels_pass = {
    .name = "ttkernel-remember-kernels",
    .summary = "Remember kernels in TTKernel's operations by the C++ that they become",
    .run = run,
    .options = IR_LIST(pass_option_def,
                       {"after", PASS_BOOL, "false",
                        "The kernels that an earlier run remembered are C++ now."}),
};
