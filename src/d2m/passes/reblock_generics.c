/* reblock_generics.c: d2m-reblock-generics: generics get the block factors that
 * allocation/block_factors.h chooses; later users of an output see it through a view with
 * the old shards. */
#include "d2m/allocation/block_factors.h"
#include "d2m/generic.h"
#include "d2m/metal_layout.h"
#include "ir/pass/pass.h"

#include <stdlib.h>

static bool find_policy(tw_str name, block_policy *out)
{
    static const char *const names[] = {[BLOCK_AUTO] = "auto",
                                        [BLOCK_BOUNDED] = "bounded",
                                        [BLOCK_AUTO_MN] = "auto-mn",
                                        [BLOCK_MIN] = "min",
                                        [BLOCK_MAX] = "max"};
    for (size_t i = 0; i < TW_COUNT(names); i++)
        if (tw_str_is(name, names[i])) {
            *out = (block_policy)i;
            return true;
        }
    return false;
}

/* Uses of the output behind the view become uses of the view. */
static void redirect_later_uses(ir_value *output, ir_value *view)
{
    ir_op *at = ir_value_def(view);
    for (ir_operand *use = output->uses, *next; use; use = next) {
        ir_op *holder = use->owner;
        next = use->next_use;
        while (holder && holder->block != at->block)
            holder = ir_op_parent(holder);
        if (holder && holder != at && ir_op_before(at, holder))
            ir_op_set_operand(use->owner, ir_operand_number(use), view);
    }
}

static bool reblock(ir_op *op, block_policy policy)
{
    d2m_generic g;
    d2m_shape factors;
    d2m_reblocking made;
    if (!d2m_generic_read(op, &g))
        return false;
    if (g.n_loops == 0)
        return true;
    d2m_choose_block_factors(&g, policy, &factors);
    bool same = true;
    for (uint32_t d = 0; d < g.n_loops; d++)
        same &= factors.at[d] == d2m_generic_factor(&g, d);
    if (same)
        return true;
    if (g.n_outputs != 1)
        return ir_op_error(op, "cannot change the block factors of several outputs");
    ir_value *output = d2m_generic_output(&g, 0);
    bool has_results = op->n_results > 0;
    if (!d2m_generic_reblock(op, NULL, &factors, true, &made))
        return false;
    if (!has_results && made.restored)
        redirect_later_uses(output, made.restored);
    free(made.views);
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    block_policy policy;
    tw_str name = pass_option_str(run, "test-buffer-size-policy");
    if (!find_policy(name, &policy))
        return ir_op_error(module,
                           "invalid test-buffer-size-policy '%.*s' (expected one of: auto, "
                           "bounded, auto-mn, min, max)",
                           (int)name.size, name.data);
    ir_op_list generics = d2m_generics_in(module);
    bool ok = true;
    for (size_t i = 0; ok && i < generics.n; i++)
        ok = reblock(generics.at[i], policy);
    ir_op_list_free(&generics);
    return ok;
}

const pass_def d2m_reblock_generics_pass = {
    .name = "d2m-reblock-generics",
    .title = "D2MReblockGenerics",
    .summary = "Choose the block factors of d2m.generic operations",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(pass_option_def,
                       {"num-stream-buffers", PASS_INT, "2", "Blocks of a circular buffer",
                        .no_effect = "the sizes of all choices grow equally with it"},
                       {"test-buffer-size-policy", PASS_STRING, "auto",
                        "How blocks are sized: auto, bounded, auto-mn, min, max"}),
};
