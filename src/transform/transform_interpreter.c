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
#include "transform/ttl/ttl_kernels.h"
#include "transform/ttl/ttl_schedule.h"
#include "transform/ttl/ttl_transfers.h"

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

/* Registers that the computations of one function take, as the passes assign them. */
static ir_walk count_registers(ir_op *op, void *user)
{
    int64_t *most = user;
    *most = TW_MAX(*most, ir_op_int(op, "dst_idx", -1) + 1);
    return IR_WALK_ON;
}

/* Threads that are no functions yet: the lowering will assign registers; whether there are
 * enough is tried on a copy, and written down. */
static bool try_registers(interpreter *in, handle *from)
{
    ir_mapping *map = ir_mapping_create();
    ir_op *copy = ir_op_clone(in->module, map);
    ir_mapping_free(map);
    int64_t most = 0;
    bool ok = pass_run_nested(
        in->run,
        TW_STR("ttl-insert-synchronization,ttl-canonicalize,"
               "ttl-allocate-cbs,ttl-expand-threads,"
               "func.func(convert-ttl-to-compute),"
               "func.func(ttl-set-compute-kernel-config),"
               "func.func(ttl-assign-dst{reload-arguments=true spill=true})"),
        copy);
    ir_walk_pre(copy, count_registers, &most);
    ir_op_erase(copy);
    for (size_t i = 0; i < from->count && ok; i++)
        ir_op_set_attr(from->ops[i], "dst_registers", ir_i32_attr(in->module->ctx, most));
    return ok;
}

/* Operations are replaced: their function is asked for once, by the first. */
static bool allocate_registers(interpreter *in, ir_op *at, handle *from)
{
    ir_op *op = from->count ? from->ops[0] : NULL;
    for (; op && op->def != FUNC_OP(func); op = ir_op_parent(op))
        if (op->def == TTL_OP(kernel) || op->def == TTL_OP(program))
            return try_registers(in, from);
    if (!op)
        return !from->count || ir_op_error(at, "works on operations in functions");
    return pass_run_nested(in->run,
                           TW_STR("convert-ttl-to-compute,"
                                  "ttl-set-compute-kernel-config,"
                                  "ttl-assign-dst{reload-arguments=true spill=true}"),
                           op);
}

static bool schedule_pipeline(interpreter *in, ir_op *op, handle *from)
{
    (void)in;
    tw_str strategy = TW_STR("auto");
    ir_attr given = ir_op_attr(op, "strategy");
    if (ir_attr_is(given, IR_ATTR_STRING))
        strategy = ir_attr_str(given);
    if (!tw_str_is(strategy, "auto") && !tw_str_is(strategy, "aggressive") &&
        !tw_str_is(strategy, "conservative"))
        return ir_op_error(op,
                           "has the strategies \"aggressive\", \"conservative\" and "
                           "\"auto\", got \"%.*s\"",
                           (int)strategy.size, strategy.data);
    for (size_t i = 0; i < from->count; i++)
        ttl_schedule_pipeline(from->ops[i], tw_str_is(strategy, "conservative"));
    return true;
}

static bool optimize_buffer_factor(interpreter *in, ir_op *op, handle *from)
{
    (void)in;
    bool ok = true;
    for (size_t i = 0; i < from->count && ok; i++)
        ok = ttl_optimize_buffer_factor(op, from->ops[i]);
    return ok;
}

static bool coalesce_dma(interpreter *in, ir_op *op, handle *from)
{
    (void)in;
    bool ok = true;
    for (size_t i = 0; i < from->count && ok; i++)
        ok = ttl_coalesce_dma(op, from->ops[i]);
    return ok;
}

static bool insert_prefetch(interpreter *in, ir_op *op, handle *from)
{
    (void)in;
    return ttl_insert_prefetch(op, from->ops, from->count);
}

static bool reorder_for_locality(interpreter *in, ir_op *op, handle *from)
{
    (void)in;
    bool ok = true;
    for (size_t i = 0; i < from->count && ok; i++)
        ok = ttl_reorder_for_locality(op, from->ops[i]);
    return ok;
}

static const struct {
    const ir_op_def *def;
    bool (*change)(interpreter *in, ir_op *op, handle *from);
} schedules[] = {
    {TRANSFORM_OP(ttl_allocate_dst_registers), allocate_registers},
    {TRANSFORM_OP(ttl_coalesce_dma), coalesce_dma},
    {TRANSFORM_OP(ttl_insert_prefetch), insert_prefetch},
    {TRANSFORM_OP(ttl_optimize_buffer_factor), optimize_buffer_factor},
    {TRANSFORM_OP(ttl_reorder_for_locality), reorder_for_locality},
    {TRANSFORM_OP(ttl_schedule_pipeline), schedule_pipeline},
};

/* They change operations in place: the result names the same ones. */
static bool schedule(interpreter *in, ir_op *op)
{
    handle *from = handle_of(in, op->operands[0].value);
    handle *to = handle_of(in, &op->results[0]);
    if (!from || !to)
        return ir_op_error(op, "is one handle too many for the interpreter");
    for (size_t i = 0; i < from->count; i++)
        TW_PUSH(to->ops, to->count, to->capacity, from->ops[i]);
    for (size_t i = 0; i < TW_COUNT(schedules); i++)
        if (schedules[i].def == op->def)
            return schedules[i].change(in, op, to);
    return false;
}

/* ---- the sequence ---------------------------------------------------------------------
 */

static const struct {
    const ir_op_def *def;
    bool (*execute)(interpreter *in, ir_op *op);
} table[] = {
    {TRANSFORM_OP(structured_match), match},
    {TRANSFORM_OP(apply_registered_pass), apply_pass},
};

static bool execute(interpreter *in, ir_op *op)
{
    for (size_t i = 0; i < TW_COUNT(table); i++)
        if (table[i].def == op->def)
            return table[i].execute(in, op);
    for (size_t i = 0; i < TW_COUNT(schedules); i++)
        if (schedules[i].def == op->def)
            return schedule(in, op);
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
    if (!ttl_settle_kernels(
            module)) /* schedules look for what threads use where it is made */
        return false;
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
    if (pass_option_bool(run, "erase-sequence"))
        ir_op_erase(sequence);
    else
        ir_block_append(ir_op_body(module, 0), sequence);
    for (size_t i = 0; i < in.count; i++)
        free(in.handles[i].ops);
    return ok;
}

const pass_def transform_interpreter_pass = {
    .name = "transform-interpreter",
    .summary = "Run the module's transform sequence on the module",
    .anchor = "builtin.module",
    .options = IR_LIST(pass_option_def, {"erase-sequence", PASS_BOOL, "false",
                                         "Leave the module without the sequence"}),
    .run = run,
};
