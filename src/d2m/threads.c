/* threads.c: checks of threads and their cores. */
#include "d2m/threads.h"

#include "d2m/d2m.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttnn/layout.h"

bool d2m_is_quasar(ir_op *op)
{
    return ttnn_chip_int(op, "arch", -1) == TTCORE_Arch_Quasar;
}

int64_t d2m_core_noc(ir_op *op, int64_t core)
{
    return d2m_is_quasar(op) || core == 1 ? 0 : 1;
}

static int64_t core_of(ir_attr thread)
{
    return ir_attr_int(ir_attr_param(thread, "dmCoreIndex"), -1);
}

static bool moves_data(ir_attr thread)
{
    return ir_attr_is(thread, IR_ATTR_DIALECT) && thread->def == D2M_ATTR(thread) &&
           ir_attr_int(ir_attr_param(thread, "threadType"), -1) ==
               D2M_ThreadType_Datamovement;
}

int64_t d2m_thread_noc(ir_op *func)
{
    ir_attr thread = ir_op_attr(func, "d2m.thread");
    return moves_data(thread) ? d2m_core_noc(func, core_of(thread)) : -1;
}

bool d2m_check_cores(ir_op *root, const char *backend)
{
    if (d2m_is_quasar(root)) {
        ir_op *module = root;
        while (ir_op_parent(module))
            module = ir_op_parent(module);
        return ir_error(module->ctx, module->loc, "%s lowering does not support Quasar",
                        backend);
    }
    ir_op_list ops = ir_ops_in(root, NULL);
    bool ok = true;
    for (size_t i = 0; i < ops.n && ok; i++) {
        ir_op *op = ops.at[i];
        ir_attr one = op->def == FUNC_OP(func) ? ir_op_attr(op, "d2m.thread") : NULL;
        ir_attr all = op->def == D2M_OP(generic) ? ir_op_attr(op, "threads") : NULL;
        bool beyond = moves_data(one) && core_of(one) >= 2;
        for (uint32_t t = 0; all && t < all->count; t++)
            beyond |= moves_data(all->items[t]) && core_of(all->items[t]) >= 2;
        if (beyond)
            ok = ir_error(op->ctx, op->loc,
                          "DM core indices greater than 1 are not supported by %s "
                          "lowering yet",
                          backend);
    }
    ir_op_list_free(&ops);
    return ok;
}
