/* transform_interpreter.c: runs the module's transform sequence on the module.
 *
 * What it executes: named_sequence @__transform_main or a top-level sequence;
 * structured.match by operation names, apply_registered_pass, and the scheduling of TTL
 * kernels (transform.ttl.*).  Anything else is an error that names the operation. */
#include "dialect/func/func.h"
#include "dialect/transform/transform.h"
#include "dialect/ttl/ttl.h"
#include "support/strbuf.h"
#include "transform/transform.h"
#include "transform/ttl/ttl_schedule.h"

#include <stdlib.h>

typedef struct handle {
    ir_op **ops;
    size_t count, capacity;
} handle;

typedef struct interpreter {
    pass_run *run;
    ir_op *module;
    ir_value *values[256]; /* handles are few: found one after the other */
    handle handles[256];
    size_t count;
} interpreter;

static handle *handle_of(interpreter *in, ir_value *v)
{
    for (size_t i = 0; i < in->count; i++)
        if (in->values[i] == v)
            return &in->handles[i];
    if (in->count == TW_COUNT(in->values))
        return NULL;
    in->values[in->count] = v;
    in->handles[in->count] = (handle){0};
    return &in->handles[in->count++];
}

/* ---- structured.match ---------------------------------------------------------------- */

typedef struct matching {
    ir_attr names;
    handle *out;
} matching;

static ir_walk match_op(ir_op *op, void *user)
{
    matching *m = user;
    for (uint32_t i = 0; i < m->names->count; i++)
        if (tw_str_is(ir_attr_str(m->names->items[i]), op->def->name))
            TW_PUSH(m->out->ops, m->out->count, m->out->capacity, op);
    return IR_WALK_ON;
}

static bool match(interpreter *in, ir_op *op)
{
    handle *from = handle_of(in, op->operands[0].value);
    handle *to = handle_of(in, &op->results[0]);
    ir_attr names = ir_op_attr(op, "ops");
    if (!from || !to)
        return ir_op_error(op, "is one handle too many for the interpreter");
    if (!ir_attr_is(names, IR_ATTR_ARRAY))
        return ir_op_error(op, "matches by names of operations only: ops{[...]}");
    matching m = {names, to};
    for (size_t i = 0; i < from->count; i++)
        ir_walk_pre(from->ops[i], match_op, &m);
    return true;
}

/* ---- apply_registered_pass ------------------------------------------------------------
 */

static bool apply_pass(interpreter *in, ir_op *op)
{
    tw_strbuf text = {0};
    tw_str name = ir_attr_str(ir_op_attr(op, "pass_name"));
    tw_strbuf_printf(&text, "%.*s", (int)name.size, name.data);
    /* passes over kernels need their functions and host: the whole module */
    bool ok = pass_run_nested(in->run, (tw_str){text.data, text.size}, in->module);
    tw_strbuf_free(&text);
    handle *to = op->n_results ? handle_of(in, &op->results[0]) : NULL;
    if (to)
        TW_PUSH(to->ops, to->count, to->capacity, in->module);
    return ok;
}

/* ---- scheduling of TTL ----------------------------------------------------------------
 */

static bool allocate_registers(interpreter *in, ir_op *at, ir_op *op)
{
    for (; op && op->def != FUNC_OP(func); op = ir_op_parent(op))
        if (op->def == TTL_OP(kernel) || op->def == TTL_OP(program))
            return ir_op_error(at, "needs threads that are functions: apply "
                                   "\"ttl-expand-threads\" first");
    return op && pass_run_nested(in->run,
                                 TW_STR("convert-ttl-to-compute,"
                                        "ttl-set-compute-kernel-config,"
                                        "ttl-assign-dst{reload-arguments=true}"),
                                 op);
}

static bool schedule(interpreter *in, ir_op *op)
{
    handle *from = handle_of(in, op->operands[0].value);
    handle *to = handle_of(in, &op->results[0]);
    if (!from || !to)
        return ir_op_error(op, "is one handle too many for the interpreter");
    tw_str strategy = TW_STR("auto");
    ir_attr given = ir_op_attr(op, "strategy");
    if (ir_attr_is(given, IR_ATTR_STRING))
        strategy = ir_attr_str(given);
    if (op->def == TRANSFORM_OP(ttl_schedule_pipeline) && !tw_str_is(strategy, "auto") &&
        !tw_str_is(strategy, "aggressive") && !tw_str_is(strategy, "conservative"))
        return ir_op_error(op,
                           "has the strategies \"aggressive\", \"conservative\" and "
                           "\"auto\", got \"%.*s\"",
                           (int)strategy.size, strategy.data);
    bool registers = op->def == TRANSFORM_OP(ttl_allocate_dst_registers);
    for (size_t i = 0; i < from->count; i++) {
        if (op->def == TRANSFORM_OP(ttl_optimize_buffer_factor)) {
            if (!ttl_optimize_buffer_factor(op, from->ops[i]))
                return false;
        } else if (!registers) {
            ttl_schedule_pipeline(from->ops[i], tw_str_is(strategy, "conservative"));
        }
        TW_PUSH(to->ops, to->count, to->capacity, from->ops[i]);
    }
    /* operations are replaced: their function is asked for once, by the first */
    return !registers || !from->count || allocate_registers(in, op, from->ops[0]);
}

/* ---- the sequence ---------------------------------------------------------------------
 */

static const struct {
    const ir_op_def *def;
    bool (*execute)(interpreter *in, ir_op *op);
} table[] = {
    {TRANSFORM_OP(structured_match), match},
    {TRANSFORM_OP(apply_registered_pass), apply_pass},
    {TRANSFORM_OP(ttl_allocate_dst_registers), schedule},
    {TRANSFORM_OP(ttl_optimize_buffer_factor), schedule},
    {TRANSFORM_OP(ttl_schedule_pipeline), schedule},
};

static bool execute(interpreter *in, ir_op *op)
{
    for (size_t i = 0; i < TW_COUNT(table); i++)
        if (table[i].def == op->def)
            return table[i].execute(in, op);
    return ir_op_error(op, "is not executed by the interpreter of transforms");
}

static ir_op *find_sequence(ir_op *module)
{
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (op->def == TRANSFORM_OP(sequence) ||
            (op->def == TRANSFORM_OP(named_sequence) &&
             tw_str_is(ir_symbol_name(op), "__transform_main")))
            return op;
    return NULL;
}

static bool run(ir_op *module, pass_run *run)
{
    ir_op *sequence = find_sequence(module);
    if (!sequence)
        return ir_error(module->ctx, module->loc,
                        "could not find a nested named sequence with name: "
                        "__transform_main");
    interpreter in = {.run = run, .module = module};
    ir_block *body = ir_op_body(sequence, 0);
    handle *root = body->n_args ? handle_of(&in, body->args[0]) : NULL;
    if (root)
        TW_PUSH(root->ops, root->count, root->capacity, module);
    bool ok = true;
    /* passes see the module without the sequence that runs them */
    ir_op_remove(sequence);
    for (ir_op *op = body->first; op && ok; op = op->next)
        if (op->def != TRANSFORM_OP(yield))
            ok = execute(&in, op);
    ir_builder b = ir_builder_at_end(module->ctx, ir_op_body(module, 0), sequence->loc);
    ir_block_append(b.block, sequence);
    for (size_t i = 0; i < in.count; i++)
        free(in.handles[i].ops);
    return ok;
}

const pass_def transform_interpreter_pass = {
    .name = "transform-interpreter",
    .summary = "Run the module's transform sequence on the module",
    .anchor = "builtin.module",
    .run = run,
};
