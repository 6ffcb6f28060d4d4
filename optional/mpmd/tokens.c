/* tokens.c: creates tokens inside each fragment that uses them, instead of passing them
 * between fragments. */
#include "mpmd/fragments.h"
#include "mpmd/passes.h"
#include "stablehlo/stablehlo.h"

static bool is_token(ir_type t)
{
    return t->kind == IR_TYPE_DIALECT && t->def == STABLEHLO_TYPE(token);
}

static void make_tokens(ir_op *f)
{
    ir_block *body = ir_op_body(f, 0);
    ir_builder b = ir_builder_at_start(f->ctx, body, f->loc);
    bool *erased = tw_xcalloc(f->n_operands + 1u, sizeof *erased);
    b.before = body->first;
    for (uint32_t i = 0; i < body->n_args && i < f->n_operands; i++) {
        erased[i] = is_token(f->operands[i].value->type);
        if (erased[i])
            ir_value_replace_uses(body->args[i],
                                  ir_build1(&b, STABLEHLO_OP(create_token),
                                            body->args[i]->type, NULL, 0, NULL, 0));
    }
    mpmd_erase_operands(f, erased);
    free(erased);
}

static bool drop_tokens(ir_op *f)
{
    bool *erased = tw_xcalloc(f->n_results + 1u, sizeof *erased), any = false, ok = true;
    for (uint32_t i = 0; i < f->n_results; i++) {
        any |= erased[i] = is_token(f->results[i].type);
        if (erased[i] && f->results[i].uses)
            ok = ir_error_at_op(f,
                                "passes token #%u to an operation that is no fragment; "
                                "tokens cannot leave the fragment that creates them",
                                i);
    }
    if (ok && any)
        mpmd_erase_results(f, erased);
    free(erased);
    return ok;
}

bool mpmd_sink_create_token_into_fragments(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_function(func))
        return true;
    ir_block *body = ir_op_body(func, 0);
    bool ok = true;
    for (ir_op *op = body->first; op; op = op->next)
        if (mpmd_is_fragment(op))
            make_tokens(op);
    for (ir_op *op = body->first, *next; ok && op; op = next) {
        next = op->next;
        ok = !mpmd_is_fragment(op) || drop_tokens(op);
    }
    return ok;
}
