/* host.c: programs partly run by the device; see host.h. */
#include "ir/text.h"
#include "mlir/builtin/builtin.h"
#include "mlir/func/func.h"
#include "pipelines/registry.h"
#include "runtime/program_impl.h"
#include "runtime/split.h"
#include "runtime/wide.h"
#include "stablehlo/chlo/chlo.h"
#include "stablehlo/eval/eval.h"
#include "stablehlo/stablehlo.h"
#include "support/arena.h"
#include "ttir/from_stablehlo/stablehlo_to_ttir.h"

#include <stdio.h>
#include <stdlib.h>

struct rt_host {
    tw_arena arena;
    ir_op *func;
    pass_manager *probe; /* used while the program is split */
    rt_split split;
    tw_program **segments; /* NULL where the host computes the body */
    tw_host_op *ops;
    size_t n_ops;
    size_t peak;      /* peak bytes of the evaluator's values in any run */
    tw_status failed; /* a segment's, during a run */
};

static bool is_of(const ir_op *op, const ir_op_def *ops, size_t count)
{
    return op->def >= ops && op->def < ops + count;
}

typedef struct contents {
    bool stablehlo, others;
} contents;

static ir_walk look_at_dialect(ir_op *op, void *user)
{
    contents *found = user;
    found->stablehlo |=
        is_of(op, stablehlo_ops, STABLEHLO_OP_COUNT) || is_of(op, chlo_ops, CHLO_OP_COUNT);
    found->others |= op->def != FUNC_OP(func) && op->def != FUNC_OP(return ) &&
                     op->def != BUILTIN_OP(module);
    return found->stablehlo ? IR_WALK_STOP : IR_WALK_ON;
}

bool rt_host_takes(ir_op *module)
{
    contents found = {0};
    ir_walk_pre(module, look_at_dialect, &found);
    return found.stablehlo || !found.others;
}

/* ---- support by the device ----------------------------------------------------------- */

typedef struct probe {
    ir_op *op;
    ir_block *body;
    ir_mapping *copies;
} probe;

static void bring(probe *p, ir_value *v)
{
    static const uint16_t moves[] = {STABLEHLO_broadcast_in_dim, STABLEHLO_constant,
                                     STABLEHLO_convert, STABLEHLO_iota, STABLEHLO_reshape};
    if (ir_mapping_get(p->copies, v))
        return;
    ir_op *def = v->is_argument ? NULL : ir_value_def(v);
    for (size_t i = 0; def && i < TW_COUNT(moves); i++)
        if (def->def == &stablehlo_ops[moves[i]]) {
            for (uint32_t k = 0; k < def->n_operands; k++)
                bring(p, def->operands[k].value);
            ir_block_append(p->body, ir_op_clone(def, p->copies));
            return;
        }
    ir_mapping_set(p->copies, v,
                   ir_block_add_arg(p->op->ctx, p->body, v->type, p->op->loc));
}

static ir_walk bring_operands(ir_op *op, void *user)
{
    probe *p = user;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        ir_op *at = v->is_argument ? ir_value_block(v)->region->owner : ir_value_def(v);
        while (at && at != p->op)
            at = ir_op_parent(at);
        if (!at)
            bring(p, v);
    }
    return IR_WALK_ON;
}

/* Returns a module with a function that contains only this operation. */
static ir_op *make_probe(ir_op *op)
{
    probe p = {op, ir_block_create(op->ctx), ir_mapping_create()};
    ir_walk_pre(op, bring_operands, &p);
    ir_op *copy = ir_op_clone(op, p.copies), *module = ir_module_create(op->ctx, op->loc);
    ir_block_append(p.body, copy);
    ir_value **out = tw_xmalloc((op->n_results + 1) * sizeof *out);
    for (uint32_t i = 0; i < op->n_results; i++)
        out[i] = &copy->results[i];
    ir_builder b = ir_builder_at_end(op->ctx, p.body, op->loc);
    ir_build_op(&b, FUNC_OP(return ), NULL, 0, out, op->n_results, NULL, 0, 0);
    b = ir_builder_at_end(op->ctx, ir_op_body(module, 0), op->loc);
    ir_op *f = func_create(&b, ir_string_attr(op->ctx, TW_STR("main")),
                           ir_function_type(op->ctx, NULL, 0, NULL, 0), false);
    ir_region_append(&f->regions[0], p.body);
    func_refresh_type(f);
    ir_mapping_free(p.copies);
    free(out);
    return module;
}

static bool is_data(ir_type t)
{
    return ir_type_is_tensor(t) && ir_type_has_static_shape(t);
}

static const char *refusal(void *user, ir_op *op)
{
    rt_host *h = user;
    if (op->def == STABLEHLO_OP(while))
        return "how often it runs depends on data";
    if (op->def == STABLEHLO_OP(if) || op->def == STABLEHLO_OP(case))
        return "a branch loops as data says, or calls";
    if (op->def == FUNC_OP(call))
        return "a call that is not inlined";
    for (uint32_t i = 0; i < op->n_operands + op->n_results; i++)
        if (!is_data(i < op->n_operands ? op->operands[i].value->type
                                        : op->results[i - op->n_operands].type))
            return "the device does not support it";
    const char *why = rt_wide_reason(op);
    if (why)
        return why;
    if (op->n_regions && rt_wants_64_bits(op))
        return "64-bit numbers in its body";
    if (!s2t_has_row(op->def))
        return "the device does not support it";
    ir_op *module = make_probe(op);
    ir_diagnostic_sink sink = ir_context_set_sink(op->ctx, (ir_diagnostic_sink){0});
    bool ok = pass_manager_run(h->probe, module);
    ir_flush_diagnostics(op->ctx);
    ir_context_set_sink(op->ctx, sink);
    ir_op_erase(module);
    return ok ? NULL : "the device does not support it";
}

/* ---- construction -------------------------------------------------------------------- */

static void find_location(tw_host_op *out, ir_op *op)
{
    ir_ident file;
    uint32_t column;
    if (ir_loc_position(op->ctx, op->loc, &file, &out->line, &column))
        out->file = file->text;
}

static ir_walk look_for_unknown(ir_op *op, void *user)
{
    bool known =
        hlo_computes(op) || op->def->traits & IR_TERMINATOR || op->def == FUNC_OP(func);
    if (!known)
        *(ir_op **)user = op;
    return known ? IR_WALK_ON : IR_WALK_STOP;
}

/* Writes "file:7:3" as far as known, and the operation's name, with its target if it is a
 * call. */
static void put_name(ir_op *op, tw_strbuf *out)
{
    ir_ident file;
    uint32_t line, column;
    ir_attr target = ir_op_attr(op, "call_target_name");
    if (ir_loc_position(op->ctx, op->loc, &file, &line, &column))
        tw_strbuf_printf(out, "%s:%u:%u: ", file->text, line, column);
    tw_strbuf_printf(out, "'%s'", op->def->name);
    if (ir_attr_is(target, IR_ATTR_STRING))
        tw_strbuf_printf(out, " of '@%.*s'", (int)ir_attr_str(target).size,
                         ir_attr_str(target).data);
}

/* Checks that the host supports every operation left to it. */
static tw_status check_known(ir_op *at)
{
    ir_op *unknown = NULL;
    tw_strbuf name = {0};
    ir_walk_pre(at, look_for_unknown, &unknown);
    if (!unknown)
        return TW_SUCCESS;
    put_name(unknown, &name);
    tw_status status = tw_error(TW_UNSUPPORTED,
                                "%s: neither the device nor the host has a rule for it; "
                                "compute it outside and pass the result as an argument",
                                tw_strbuf_text(&name));
    tw_strbuf_free(&name);
    return status;
}

/* Records names and locations of the host's operations before passes change them, merging
 * equal names with equal reasons. */
static void describe(rt_host *h)
{
    h->ops = TW_ARENA_ARRAY(&h->arena, tw_host_op, h->split.n_host + 1);
    for (size_t i = 0; i < h->split.n_host; i++) {
        const rt_host_part *part = &h->split.host[i];
        size_t k = 0;
        while (k < h->n_ops &&
               (h->ops[k].name != part->op->def->name || h->ops[k].why != part->why))
            k++;
        if (k == h->n_ops) {
            h->ops[k] = (tw_host_op){.name = part->op->def->name, .why = part->why};
            find_location(&h->ops[h->n_ops++], part->op);
        }
        h->ops[k].count++;
    }
}

/* A module with only the device's function, which is its entry. */
static ir_op *module_of(ir_op *func)
{
    ir_op *module = ir_module_create(func->ctx, func->loc);
    ir_mapping *map = ir_mapping_create();
    ir_op *copy = ir_op_clone(func, map);
    ir_op_set_attr(copy, "sym_visibility", NULL);
    ir_block_append(ir_op_body(module, 0), copy);
    ir_mapping_free(map);
    return module;
}

static tw_status compile_segment(rt_host *h, size_t i, const tw_compile_options *o)
{
    tw_strbuf dump = {0};
    char name[32];
    snprintf(name, sizeof name, "device_%zu", i);
    if (o->dump_dir)
        tw_strbuf_printf(&dump, "%s/%s", o->dump_dir, name);
    tw_compile_options inner = *o;
    inner.progress = NULL; /* a segment's steps say little of the whole */
    inner.entry = name;
    inner.host = false;
    inner.cache_dir = NULL;
    inner.dump_dir = o->dump_dir ? tw_strbuf_text(&dump) : NULL;
    tw_status status =
        rt_compile_part(module_of(h->split.segments[i]), &inner, &h->segments[i]);
    if (tw_status_code(status) == TW_UNSUPPORTED) {
        tw_status_free(status); /* the host also has the body */
        status = TW_SUCCESS;
    }
    tw_strbuf_free(&dump);
    return status;
}

static tw_status prepare(ir_op *module, const char *pipeline, const tw_compile_options *o)
{
    if (rt_run_passes(module, pipeline, o->cancel))
        return TW_SUCCESS;
    return tw_is_cancelled(o->cancel)
               ? rt_interrupted()
               : tw_error(TW_UNSUPPORTED, "the host cannot take the program either");
}

static tw_status check_all_known(const rt_host *h)
{
    TW_TRY(check_known(h->func));
    for (size_t i = 0; i < h->split.n_segments; i++)
        if (!h->segments[i])
            TW_TRY(check_known(h->split.segments[i]));
    return TW_SUCCESS;
}

static tw_status make(rt_host *h, ir_op *func, const tw_compile_options *o, bool *out_named)
{
    ir_op *module = ir_op_parent(func);
    tw_str name = ir_symbol_name(func);
    TW_TRY(prepare(module,
                   "convert-arith-to-stablehlo,"
                   "stablehlo-legalize-composite-to-call,inline,"
                   "chlo-legalize-to-stablehlo{except=" TW_CHLO_OF_TTIR "},"
                   "func.func(stablehlo-flatten-control-flow),cse",
                   o));
    h->func = ir_symbol_lookup(module, name);
    h->probe =
        pass_manager_create(module->ctx, &tw_passes, &(pass_config){.no_verify = true});
    if (!pass_manager_add(h->probe,
                          TW_STR("stablehlo-to-ttir-pipeline{enable-aggressive-"
                                 "simplification=false enable-cpu-fallback=false}")))
        return tw_error(TW_INTERNAL, "no pipeline from StableHLO");
    rt_split_function(h->func, refusal, h, &h->split);
    describe(h);
    if (!h->split.n_segments && o->pipeline_options && *o->pipeline_options)
        ir_warning(module->ctx, h->func->loc,
                   "pipeline options have no effect: no part of the program runs on the "
                   "device");
    h->segments = TW_ARENA_ARRAY(&h->arena, tw_program *, h->split.n_segments + 1);
    for (size_t i = 0; i < h->split.n_segments; i++)
        TW_TRY(compile_segment(h, i, o));
    TW_TRY(prepare(module, "chlo-legalize-to-stablehlo", o));
    tw_status status = check_all_known(h);
    *out_named = status != TW_SUCCESS;
    return status;
}

tw_status rt_host_create(ir_op *func, const tw_compile_options *options, rt_host **out_host,
                         bool *out_named)
{
    rt_host *h = tw_xcalloc(1, sizeof *h);
    *out_host = NULL;
    *out_named = false;
    tw_status status = make(h, func, options, out_named);
    if (h->probe)
        pass_manager_destroy(h->probe);
    h->probe = NULL;
    if (status != TW_SUCCESS) {
        rt_host_destroy(h);
        return status;
    }
    *out_host = h;
    return TW_SUCCESS;
}

void rt_host_destroy(rt_host *h)
{
    if (!h)
        return;
    for (size_t i = 0; h->segments && i < h->split.n_segments; i++)
        tw_program_destroy(h->segments[i]);
    rt_split_free(&h->split);
    tw_arena_free(&h->arena);
    free(h);
}

/* ---- running ------------------------------------------------------------------------ */

static bool call_segment(void *user, ir_op *call, const void *const *in, void *const *out)
{
    rt_host *h = user;
    int64_t i = rt_segment_of(call);
    tw_program *p = i >= 0 && (size_t)i < h->split.n_segments ? h->segments[i] : NULL;
    if (!p || h->failed)
        return false;
    tw_status status = tw_program_run(p, in, out);
    if (tw_status_code(status) == TW_UNSUPPORTED) /* integers that do not fit in 32 bits */
        tw_status_free(status);
    else
        h->failed = status;
    return status == TW_SUCCESS;
}

tw_status rt_host_run(rt_host *h, const void *const *inputs, void *const *outputs,
                      const volatile int *cancel)
{
    ir_op *stuck;
    const char *why;
    h->failed = TW_SUCCESS;
    for (size_t i = 0; i < h->split.n_segments; i++)
        if (h->segments[i])
            tw_program_set_cancel(h->segments[i], cancel);
    size_t peak = 0;
    hlo_outcome o = hlo_eval_call(&(hlo_call){.function = h->func,
                                              .inputs = inputs,
                                              .outputs = outputs,
                                              .call = call_segment,
                                              .user = h,
                                              .cancel = cancel,
                                              .out_peak = &peak},
                                  &stuck, &why);
    h->peak = TW_MAX(h->peak, peak);
    if (h->failed)
        return h->failed;
    if (tw_is_cancelled(cancel))
        return rt_interrupted();
    if (o == HLO_PASSED)
        return TW_SUCCESS;
    tw_strbuf name = {0};
    put_name(stuck ? stuck : h->func, &name);
    tw_status status =
        tw_error(why == hlo_no_memory ? TW_RESOURCE : TW_UNSUPPORTED,
                 "%s: the host cannot compute %s", tw_strbuf_text(&name), why ? why : "it");
    tw_strbuf_free(&name);
    return status;
}

/* ---- queries ------------------------------------------------------------------------- */

size_t rt_host_op_count(const rt_host *h)
{
    return h->n_ops;
}

const tw_host_op *rt_host_op(const rt_host *h, size_t i)
{
    return i < h->n_ops ? &h->ops[i] : NULL;
}

size_t rt_host_peak(const rt_host *h)
{
    return h->peak;
}

size_t rt_host_segment_count(const rt_host *h)
{
    return h->split.n_segments;
}

tw_program *rt_host_segment(const rt_host *h, size_t i)
{
    return i < h->split.n_segments ? h->segments[i] : NULL;
}
