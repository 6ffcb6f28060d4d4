/* preallocate_mcast_semaphores.c: d2m-preallocate-mcast-semaphores: two semaphores for each
 * load that one core does for others. */
#include "d2m/generic.h"
#include "d2m/passes/cbs.h"
#include "d2m/passes/nests.h"
#include "ir/pass/pass.h"
#include "mlir/scf/scf.h"

#include <stdlib.h>

static bool is_multicast(const ir_op *op)
{
    return op->def == D2M_OP(remote_load) && d2m_group_size(op, "mcastStartIndex") > 0 &&
           d2m_group_size(op, "mcastShape") > 0;
}

static ir_value *build_semaphore(ir_builder *b)
{
    return ir_build1(
        b, D2M_OP(create_local_semaphore),
        ir_dialect_type(b->ctx, D2M_TYPE(local_semaphore), NULL, 0), NULL, 0,
        IR_ATTRS({"initialValue",
                  ir_integer_attr(ir_integer_type(b->ctx, 32, IR_UNSIGNED), 0)}));
}

static void run_generic(ir_op *generic)
{
    ir_op_list loads = ir_ops_in(generic, is_multicast);
    size_t first, n;
    bool done = false;
    for (size_t i = 0; i < loads.n; i++)
        done |= ir_op_attr(loads.at[i], "preallocated_semaphores") != NULL;
    for (size_t i = 0; i < loads.n && !done; i++) {
        ir_builder b = ir_builder_before(generic);
        if (!ir_op_operand_group(generic, 2, &first, &n))
            break;
        ir_value **values = tw_xmalloc((n + 2) * sizeof *values);
        for (size_t v = 0; v < n; v++)
            values[v] = ir_op_operand(generic, first + v);
        values[n] = build_semaphore(&b);
        values[n + 1] = build_semaphore(&b);
        int64_t at[] = {(int64_t)(first + n), (int64_t)(first + n + 1)};
        ir_op_set_operand_group(generic, 2, values, n + 2);
        free(values);
        ir_op_set_attr(loads.at[i], "preallocated_semaphores",
                       ir_i64_array_attr(generic->ctx, at, 2));
    }
    ir_op_list_free(&loads);
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_visit_ops(module, d2m_is_generic, run_generic);
    return true;
}

const pass_def d2m_preallocate_mcast_semaphores_pass = {
    .name = "d2m-preallocate-mcast-semaphores",
    .summary = "Allocate semaphores for multicast loads",
    .anchor = "builtin.module",
    .run = run,
};
