/* open.c: a program's module as compilations begin with it: read once, made one function,
 * and asked whether the device can take it before anything is lowered. */
#include "ir/bytecode.h"
#include "ir/text.h"
#include "mlir/func/func.h"
#include "mlir/passes/passes.h"
#include "runtime/checks.h"
#include "runtime/compilation.h"
#include "runtime/hoisted.h"
#include "runtime/wide.h"
#include "sdy/single_device.h"
#include "stablehlo/stablehlo.h"
#include "ttir/from_stablehlo/stablehlo_to_ttir.h"
#include "ttnn/to_flatbuffer/import.h"
#include "ttnn/ttnn.h"

/* ---- reading ------------------------------------------------------------------------ */

tw_status rt_reported(rt_compilation *c)
{
    ir_flush_diagnostics(c->program->ctx);
    return tw_error(c->log.unsupported ? TW_UNSUPPORTED : TW_INVALID, "%s",
                    tw_strbuf_text(&c->log.text));
}

/* The module given, or that of the text or the binary. */
static tw_status read_module(rt_compilation *c)
{
    ir_context *ctx = c->program->ctx;
    fb_file_id kind = FB_FILE_COUNT;
    if (c->module)
        return c->verified || ir_verify(c->module) ? TW_SUCCESS : rt_reported(c);
    tw_str text = c->log.quotes.text;
    tw_status_free(fb_detect(text.data, text.size, &kind));
    c->binary = kind == FB_FILE_TTNN;
    if (!c->binary) {
        c->module = ir_parse(ctx, text, c->log.quotes.name, NULL);
        /* jax.export writes VHLO */
        bool ok =
            c->module && (!ir_is_bytecode(text) ||
                          rt_run_passes(c->module, "vhlo-legalize-to-stablehlo", NULL));
        ir_flush_diagnostics(ctx);
        return ok ? TW_SUCCESS : tw_error(TW_INVALID, "%s", tw_strbuf_text(&c->log.text));
    }
    fb_ttnn file;
    tw_status status = fb_ttnn_open(text.data, text.size, &file);
    if (!status)
        status = fb_import_ttnn(ctx, &file, c->options->observer != NULL, &c->module);
    return status ? tw_annotate(status, "%s", c->log.quotes.name) : TW_SUCCESS;
}

static ir_op *find_entry(ir_op *module, const char *name)
{
    ir_op *only = NULL;
    if (name)
        return ir_symbol_lookup(module, tw_str_from(name));
    ir_op *main = ir_symbol_lookup(module, TW_STR("main"));
    for (ir_op *op = ir_op_body(module, 0)->first; op && !main; op = op->next) {
        if (op->def == FUNC_OP(func) && !ir_symbol_is_private(op))
            only = only ? only : op;
    }
    return main ? main : only;
}

static tw_status no_entry(ir_op *module, const char *name)
{
    tw_strbuf there = {0};
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next) {
        tw_str symbol = ir_symbol_name(op);
        if (op->def == FUNC_OP(func) && ir_op_body(op, 0))
            tw_strbuf_printf(&there, "%s'%.*s'", there.size ? ", " : "", (int)symbol.size,
                             symbol.data);
    }
    tw_status status =
        tw_error(TW_NOT_FOUND, "the program has no function '%s' to run; it has %s", name,
                 there.size ? tw_strbuf_text(&there) : "none");
    tw_strbuf_free(&there);
    return status;
}

static ir_walk look_for_exchange(ir_op *op, void *user)
{
    ir_attr groups = ir_op_attr(op, "replica_groups");
    if (!ir_op_attr(op, "source_target_pairs") &&
        (!ir_attr_is(groups, IR_ATTR_DENSE) || groups->type->count != 2 ||
         groups->type->dims[1] <= 1))
        return IR_WALK_ON;
    *(ir_op **)user = op;
    return IR_WALK_STOP;
}

/* Rejects a sum over several devices, of which only one exists here: the value would be
 * wrong. */
static tw_status refuse_exchanges(ir_op *module)
{
    ir_op *op = NULL;
    ir_ident file;
    uint32_t line, column;
    ir_walk_pre(module, look_for_exchange, &op);
    if (!op)
        return TW_SUCCESS;
    ir_attr groups = ir_op_attr(op, "replica_groups");
    tw_status status =
        groups ? tw_error(TW_UNSUPPORTED,
                          "'%s' has groups of %lld devices; programs run on one: export it "
                          "for one device",
                          op->def->name, (long long)groups->type->dims[1])
               : tw_error(TW_UNSUPPORTED,
                          "'%s' sends between devices; programs run on one: export it for "
                          "one device",
                          op->def->name);
    return ir_loc_position(op->ctx, op->loc, &file, &line, &column)
               ? tw_annotate(status, "%s:%u:%u", file->text, line, column)
               : status;
}

static bool is_sink(const ir_op *op)
{
    ir_attr target = ir_op_attr(op, "call_target_name");
    return op->n_results == 0 && ir_attr_is(target, IR_ATTR_STRING) &&
           tw_str_is(ir_attr_str(target), "dce_sink");
}

/* Erases the calls by which JAX keeps an unused value in the program's text. */
static void drop_sinks(ir_op *module)
{
    ir_visit_ops(module, is_sink, ir_op_erase);
}

/* ---- the program --------------------------------------------------------------------- */

tw_status rt_open(rt_compilation *c)
{
    const tw_compile_options *o = c->options;
    bool inlined;
    TW_TRY(read_module(c));
    TW_TRY(rt_inline_hoisted(c->module, &inlined));
    if (!inlined)
        return rt_reported(c);
    if (!c->binary) {
        if (!rt_run_passes(c->module, "ttcore-unwrap-device-module,convert-tosa-to-ttir",
                           NULL))
            return rt_reported(c);
        transform_drop_shardings(c->module);
        transform_drop_exchanges(c->module);
        drop_sinks(c->module);
    }
    ir_op *entry = c->entry = find_entry(c->module, o->entry);
    if (!entry || entry->def != FUNC_OP(func) || !ir_op_body(entry, 0))
        return no_entry(c->module, o->entry ? o->entry : "main");
    transform_keep_reached(entry);
    /* the plan itself runs operations on constants once, and is what a trace would be */
    inlined = transform_inline_traces(entry) && transform_inline_programs(entry) &&
              transform_replay_traces(entry) && transform_inline_cached(entry);
    ir_flush_diagnostics(c->program->ctx);
    if (!inlined)
        return tw_error(TW_INVALID, "%s", tw_strbuf_text(&c->log.text));
    if (c->binary && o->dtype)
        return tw_error(TW_INVALID, "a binary's formats are fixed: '%s' cannot be set",
                        o->dtype);
    return c->binary ? TW_SUCCESS : refuse_exchanges(c->module);
}

tw_status rt_describe_program(rt_compilation *c)
{
    tw_program *p = c->program;
    if (!c->binary)
        TW_TRY(rt_checks_take(c->entry, &p->arena, &p->checks, &p->n_checks));
    ir_type type = ir_op_attr(c->entry, "function_type")->type;
    p->n_inputs = type->count;
    p->n_outputs = type->results;
    TW_TRY(
        rt_describe(c->entry, "argument", type->types, type->count, &p->arena, &p->inputs));
    return rt_describe(c->entry, "result", ir_function_results(type), type->results,
                       &p->arena, &p->outputs);
}

/* ---- what the device refuses --------------------------------------------------------- */

tw_status rt_refuse_values(const rt_compilation *c)
{
    if (c->binary)
        return TW_SUCCESS;
    TW_TRY(rt_refuse_wide(c->module));
    TW_TRY(rt_refuse_wide_checks(c->entry));
    ir_type type = ir_op_attr(c->entry, "function_type")->type;
    TW_TRY(rt_refuse_host_types(c->entry, "argument", type->types, type->count));
    return rt_refuse_host_types(c->entry, "result", ir_function_results(type),
                                type->results);
}

/* Reports operations of a block that no row takes. Only `if` and `case` are looked into:
 * their branches are all computed, other bodies are converted with their operation or may
 * never run. */
static bool rows_take(ir_block *block)
{
    bool ok = true;
    for (ir_op *op = block->first; op; op = op->next) {
        if (op->def == STABLEHLO_OP(if) || op->def == STABLEHLO_OP(case))
            for (uint16_t r = 0; r < op->n_regions; r++)
                if (op->regions[r].first)
                    ok &= rows_take(op->regions[r].first);
        bool dropped = op->def->traits & IR_PURE && op->n_results && ir_op_is_unused(op);
        if (!dropped && !s2t_has_row(op->def))
            ok = s2t_refuse(op);
    }
    return ok;
}

tw_status rt_refuse_by_rows(rt_compilation *c)
{
    return rows_take(ir_op_body(c->entry, 0)) ? TW_SUCCESS : rt_reported(c);
}
