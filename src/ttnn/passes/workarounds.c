/* workarounds.c: the pass ttnn-workaround; see workarounds.h. */
#include "ttnn/passes/workarounds.h"

#include "ir/pass/pass.h"
#include "ttcore/ttcore.h"

#include <stdlib.h>

/* The layout with what the form asks for; false if it asks for nothing else. */
static bool reformed(ir_op *op, ir_type t, const wa_form *form, ttnn_layout *out)
{
    ttnn_layout old;
    if (!ttnn_layout_of(t, &old))
        return false;
    ttnn_layout l = old;
    if (form->page != WA_ANY)
        l.tiled = form->page == WA_TILES;
    if (form->dtype)
        l.dtype = form->dtype - 1;
    int64_t memory = TTNN_TensorMemoryLayout_Interleaved;
    switch (form->memory) {
    case WA_ANYWHERE:
        break;
    case WA_HOST:
        ttnn_layout_place(&l, TTNN_BufferType_SystemMemory, TTNN_ON_HOST);
        break;
    case WA_DRAM:
        ttnn_layout_place(&l, TTNN_BufferType_DRAM, memory);
        break;
    case WA_L1:
        ttnn_layout_place(&l, TTNN_BufferType_L1, memory);
        break;
    case WA_L1_KEPT:
        ttnn_layout_place(&l, TTNN_BufferType_L1,
                          old.memory == TTNN_ON_HOST ? memory : old.memory);
        break;
    case WA_L1_HEIGHT:
        memory = TTNN_TensorMemoryLayout_HeightSharded;
        if (l.buffer == TTNN_BufferType_L1 && l.memory == memory)
            break;
        ttnn_layout_place(&l, TTNN_BufferType_L1, memory);
        if (!ttnn_layout_shard(&l, op, memory, l.grid[0], l.grid[1]))
            return false;
        break;
    }
    *out = l;
    return !ttnn_layout_equal(&l, &old);
}

static bool mend_operand(ir_op *op, uint32_t i, const wa_form *form, rw_rewriter *rw)
{
    ttnn_layout l;
    ir_value *v = op->operands[i].value;
    if (!reformed(op, v->type, form, &l))
        return false;
    ir_value *moved = tnb_to_spec(&rw->b, "_workaround", v, &l);
    if (form->const_eval)
        ir_op_set_attr(ir_value_def(moved), "ttnn.const_eval_allowed",
                       ir_unit_attr(op->ctx));
    ir_op_set_operand(op, i, moved);
    return true;
}

/* A creation that moves to the host needs no device, and the other way round. */
static void mend_device(ir_op *op, const ttnn_layout *l, rw_rewriter *rw)
{
    size_t group = ir_op_operand_index(op->def, "device");
    if (group == SIZE_MAX || op->def->operands.at[group].arity != IR_OPTIONAL)
        return;
    bool host = ttnn_layout_on_host(l), has = ir_op_operand_named(op, "device") != NULL;
    if (host && has)
        ir_op_set_operand_group(op, group, NULL, 0);
    if (!host && !has) {
        ir_value *device = tnb_device(&rw->b, op);
        ir_op_set_operand_group(op, group, &device, 1);
    }
}

static bool mend_result(ir_op *op, uint32_t i, const wa_form *form, rw_rewriter *rw)
{
    ttnn_layout l, old;
    ir_value *v = &op->results[i];
    ir_type was = v->type;
    if (!reformed(op, was, form, &l) || !ttnn_layout_of(was, &old))
        return false;
    v->type = ttnn_tensor_with(was, &l);
    if (l.buffer != old.buffer)
        mend_device(op, &l, rw);
    ir_builder after = rw->b;
    after.before = op->next;
    after.loc = tnb_suffix(op->ctx, op->loc, "_workaround");
    ir_op *back =
        ir_build_op(&after, TTNN_OP(to_tensor_spec), &was, 1, NULL, 0, NULL, 0, 0);
    rw_replace_uses(rw, v, &back->results[0]);
    ir_op_splice_operands(back, 0, 0, &v, 1);
    return true;
}

static bool mend(ir_op *op, rw_rewriter *rw)
{
    const bool *optimizer = rw->user;
    wa_forms forms;
    if ((*optimizer && !wa_with_optimizer(op)) || !wa_forms_of(op, &forms))
        return false;
    bool changed = false;
    for (uint32_t i = 0; i < op->n_operands && i < WA_MAX_OPERANDS; i++)
        changed |= mend_operand(op, i, &forms.operands[i], rw);
    for (uint32_t i = 0; i < op->n_results && i < WA_MAX_OPERANDS; i++)
        changed |= mend_result(op, i, &forms.results[i], rw);
    if (changed && forms.warning)
        ir_op_warning(op, "%s", forms.warning);
    if (changed)
        rw_modified(rw, op);
    return changed;
}

static void decompose(ir_op *module, int64_t level)
{
    static const wa_patterns *const tables[] = {&wa_shape_patterns, &wa_attention_patterns,
                                                &wa_config_patterns};
    rw_pattern all[64];
    size_t n = 0;
    for (size_t i = 0; i < TW_COUNT(tables); i++)
        for (size_t k = 0; k < tables[i]->count && n < TW_COUNT(all); k++)
            all[n++] = tables[i]->at[k];
    rw_greedy(module, all, n, &(rw_options){.max_iterations = -1, .user = &level});
}

static bool run(ir_op *module, pass_run *run)
{
    static const rw_pattern operands[] = {{NULL, mend, NULL}};
    int64_t level = pass_option_int(run, "ttnn-optimization-level");
    bool optimizer = level >= 1;
    if (level < 0 || level > 2)
        return ir_error(module->ctx, module->loc,
                        "Invalid optimization_level: %d. Must be 0, 1, or 2.", (int)level);
    if (pass_option_bool(run, "ttnn-enable-decomposition-workaround-pass"))
        decompose(module, level);
    if (pass_option_bool(run, "ttnn-enable-layout-workaround-pass"))
        rw_greedy(module, operands, 1,
                  &(rw_options){.max_iterations = 2, .user = &optimizer});
    return true;
}

const pass_def ttnn_workaround_pass = {
    .name = "ttnn-workaround",
    .title = "TTNNWorkarounds",
    .summary = "Bring operands and operations into forms that TTNN runs",
    .anchor = "builtin.module",
    .run = run,
    .options =
        IR_LIST(pass_option_def,
                {"ttnn-enable-layout-workaround-pass", PASS_BOOL, "true",
                 "Bring operands and results into the layouts and elements that work"},
                {"ttnn-enable-decomposition-workaround-pass", PASS_BOOL, "true",
                 "Rewrite operations that do not work as they are"},
                {"ttnn-optimization-level", PASS_INT, "0",
                 "From 1 on, only operations that the optimizer does not lay out itself"}),
};
