/* models_scf.c: loops and branches with tensors. */
#include "mlir/bufferization/one_shot/one_shot.h"
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"

#include <stdlib.h>

/* ---- scf.yield ---------------------------------------------------------------------- */

static void yield_aliases(buf_state *s, ir_operand *use, buf_aliases *out)
{
    ir_op *parent = ir_op_parent(use->owner);
    size_t i = ir_operand_number(use);
    (void)s;
    if (!parent || i >= parent->n_results)
        return;
    if (parent->def == SCF_OP(if))
        buf_add_alias(out, ir_op_result(parent, i), use, true, false);
    else if (parent->def == SCF_OP(execute_region))
        buf_add_alias(out, ir_op_result(parent, i), use, true, true);
}

/* The operation around it bufferizes its operands. */
static bool yield_bufferize(buf_rewrite *r, ir_op *op)
{
    (void)r, (void)op;
    return true;
}

/* ---- scf.if ------------------------------------------------------------------------- */

static ir_op *yield_of(const ir_op *op, size_t region)
{
    const ir_block *body = ir_op_body(op, region);
    return body && ir_op_is(body->last, SCF_OP(yield)) ? body->last : NULL;
}

static void branch_sources(buf_state *s, ir_value *v, buf_aliases *out)
{
    const ir_op *op = buf_owner(v);
    (void)s;
    for (uint16_t region = 0; !v->is_argument && region < op->n_regions; region++) {
        ir_op *yield = yield_of(op, region);
        if (yield && v->index < yield->n_operands)
            buf_add_alias(out, v, &yield->operands[v->index], true,
                          op->def == SCF_OP(execute_region));
    }
}

/* Sets the operands of a terminator to buffers; those of `types` that are not NULL get that
 * type. */
static void set_yields(buf_rewrite *r, ir_op *yield, const ir_type *types)
{
    ir_builder outer = r->b;
    r->b = ir_builder_before(yield);
    for (uint32_t i = 0; i < yield->n_operands; i++) {
        ir_value *v = buf_buffer(r, ir_op_operand(yield, i));
        ir_op_set_operand(yield, i, types && types[i] ? buf_cast(r, v, types[i]) : v);
    }
    r->b = outer;
}

static bool if_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_op *yields[2] = {yield_of(op, 0), yield_of(op, 1)};
    uint32_t n = op->n_results;
    ir_type *types = tw_xmalloc((n + 1) * sizeof *types);
    ir_value **buffers = tw_xmalloc((n + 1) * sizeof *buffers);
    bool ok = true;
    for (uint16_t k = 0; ok && k < op->n_regions; k++)
        ok = buf_rewrite_region(r, &op->regions[k]);
    for (int k = 0; ok && k < 2; k++)
        if (yields[k])
            set_yields(r, yields[k], NULL);
    if (ok && yields[0] && yields[1] && n) {
        for (uint32_t i = 0; i < n; i++)
            types[i] = buf_common_type(ir_op_operand(yields[0], i)->type,
                                       ir_op_operand(yields[1], i)->type);
        set_yields(r, yields[0], types);
        set_yields(r, yields[1], types);
        ir_value *condition = ir_op_operand(op, 0);
        ir_op *made = ir_build_op(&r->b, SCF_OP(if), types, n, &condition, 1, NULL, 0, 2);
        made->attrs = op->attrs;
        for (size_t k = 0; k < 2; k++)
            ir_region_take(&made->regions[k], &op->regions[k]);
        for (uint32_t i = 0; i < n; i++)
            buffers[i] = ir_op_result(made, i);
        buf_replace(r, op, buffers);
    }
    free(types);
    free(buffers);
    return ok;
}

/* ---- scf.for ------------------------------------------------------------------------ */

enum { FIRST_INIT = 3 }; /* after the bounds and the step */

static ir_value *argument_of(const ir_operand *use)
{
    const ir_block *body = ir_op_body(use->owner, 0);
    size_t i = ir_operand_number(use);
    return i >= FIRST_INIT && body && i - FIRST_INIT + 1 < body->n_args
               ? body->args[i - FIRST_INIT + 1]
               : NULL;
}

static bool for_reads(buf_state *s, const ir_operand *use)
{
    ir_value *arg = argument_of(use);
    return arg && buf_is_read(s, arg);
}

/* The result is the buffer of the initial value if what the body yields is its argument. */
static void for_aliases(buf_state *s, ir_operand *use, buf_aliases *out)
{
    ir_op *op = use->owner, *yield = yield_of(op, 0);
    ir_value *arg = argument_of(use);
    size_t i = ir_operand_number(use) - FIRST_INIT;
    if (!arg || !yield || i >= op->n_results || i >= yield->n_operands)
        return;
    bool same = buf_are_equivalent(s, arg, ir_op_operand(yield, i));
    buf_add_alias(out, ir_op_result(op, i), use, same, same);
}

static bool for_is_writable(buf_state *s, const ir_value *v)
{
    (void)s, (void)v;
    return true;
}

static bool check_yields(buf_rewrite *r, ir_op *op, const ir_op *yield)
{
    const ir_block *body = ir_op_body(op, 0);
    if (r->options->return_allocs_from_loops)
        return true;
    for (uint32_t i = 0; i < yield->n_operands; i++) {
        const ir_value *v = ir_op_operand(yield, i);
        if (v->type->kind == IR_TYPE_TENSOR &&
            !buf_are_equivalent(r->state, body->args[i + 1], v))
            return ir_error_at_op(
                (ir_op *)yield,
                "Yield operand #%u is not equivalent to the corresponding "
                "iter bbArg",
                i);
    }
    return true;
}

static bool for_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    ir_op *yield = yield_of(op, 0);
    uint32_t n = op->n_results;
    if (!yield || yield->n_operands != n || body->n_args != n + 1)
        return ir_error_at_op(op, "op was not bufferized");
    if (!check_yields(r, op, yield))
        return false;
    ir_value **operands = tw_xmalloc((op->n_operands + 1) * sizeof *operands);
    ir_value **buffers = tw_xmalloc((n + 1) * sizeof *buffers);
    ir_type *types = tw_xmalloc((n + 1) * sizeof *types);
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = buf_buffer(r, ir_op_operand(op, i));
    for (uint32_t i = 0; i < n; i++) {
        types[i] = operands[FIRST_INIT + i]->type;
        if (buf_is_tensor(body->args[i + 1]->type))
            buf_set_argument(r, body->args[i + 1], types[i]);
    }
    bool ok = buf_rewrite_region(r, &op->regions[0]);
    if (ok) {
        set_yields(r, yield, types);
        ir_op *made = ir_build_op(&r->b, SCF_OP(for), types, n, operands, op->n_operands, NULL,
                                  0, 1);
        made->attrs = op->attrs;
        ir_region_take(&made->regions[0], &op->regions[0]);
        for (uint32_t i = 0; i < n; i++)
            buffers[i] = ir_op_result(made, i);
        buf_replace(r, op, buffers);
    }
    free(operands);
    free(buffers);
    free(types);
    return ok;
}

static const buf_model models[] = {
    {.def = SCF_OP(for),
     .reads = for_reads,
     .writes = buf_always,
     .aliases = for_aliases,
     .is_writable = for_is_writable,
     .bufferize = for_bufferize},
    {.def = SCF_OP(if), .sources = branch_sources, .bufferize = if_bufferize},
    {.def = SCF_OP(yield),
     .reads = buf_always,
     .aliases = yield_aliases,
     .is_forced = buf_always,
     .bufferize = yield_bufferize},
};
const buf_model_table buf_scf_models = {models, TW_COUNT(models)};
