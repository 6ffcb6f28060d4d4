/* linalg_to_affine.c: d2m-linalg-to-affine: linalg.generic in compute and unified threads
 * becomes loops, whose outermost one is marked for the passes that give DST to it. */
#include "d2m/generic.h"
#include "ir/pass/pass.h"
#include "mlir/linalg/linalg.h"
#include "mlir/linalg/linalg_loops.h"

static bool is_generic(const ir_op *op)
{
    return op->def == LINALG_OP(generic);
}

static void lower_region(ir_op *d2m_generic, ir_region *region, bool mark)
{
    ir_op_list ops = ir_ops_in(d2m_generic, is_generic);
    for (size_t i = 0; i < ops.n; i++) {
        const ir_op *at = ops.at[i];
        while (ir_op_parent(at) != d2m_generic)
            at = ir_op_parent(at);
        if (at->block->region != region)
            continue;
        ir_op *root = linalg_to_affine_loops(ops.at[i]);
        if (root && mark)
            ir_op_set_attr(root, "d2m.linalg_root", ir_unit_attr(root->ctx));
    }
    ir_op_list_free(&ops);
}

static bool run(ir_op *module, pass_run *run)
{
    ir_op_list generics = d2m_generics_in(module);
    for (size_t i = 0; i < generics.n; i++) {
        d2m_generic g;
        ir_op *op = generics.at[i];
        if (!d2m_generic_of(op, &g))
            continue;
        for (uint16_t r = 0; r < op->n_regions; r++) {
            int64_t thread = d2m_generic_thread(&g, r);
            if (thread == D2M_ThreadType_Compute || thread == D2M_ThreadType_Unified)
                lower_region(op, &op->regions[r], pass_option_bool(run, "mark-root-loops"));
        }
    }
    ir_op_list_free(&generics);
    return true;
}

const pass_def d2m_linalg_to_affine_pass = {
    .name = "d2m-linalg-to-affine",
    .summary = "Convert linalg operations in compute threads to affine loops",
    .anchor = "builtin.module",
    .run = run,
    .options =
        IR_LIST(pass_option_def, {"mark-root-loops", PASS_BOOL, "true",
                                  "Mark the outermost loop of each operation", NULL, NULL}),
};
