/* spatial.c: the programs in the regions of a d2m.spatial become one. */
#include "ttkernel/ttkernel.h"
#include "ttmetal/from_d2m/from_d2m.h"
#include "ttmetal/ttmetal.h"
#include "ttnn/layout.h"

#include <stdlib.h>

typedef struct merged {
    ir_value **args, **cbs;
    ir_attr *kernels, *fabrics;
    size_t n_args, n_cbs, n_kernels, n_fabrics;
} merged;

#define APPEND(list, n, value)                                                             \
    ((list) = tw_xrealloc((list), ((n) + 1) * sizeof *(list)), (list)[(n)++] = (value))

/* Arguments are passed once, semaphores as often as they are given. */
static size_t position_of(merged *m, ir_value *v)
{
    bool shared = v->type->kind != IR_TYPE_DIALECT ||
                  (v->type->def != TTMETAL_TYPE(global_semaphore) &&
                   v->type->def != TTMETAL_TYPE(local_semaphore));
    for (size_t i = 0; shared && i < m->n_args; i++)
        if (m->args[i] == v)
            return i;
    APPEND(m->args, m->n_args, v);
    return m->n_args - 1;
}

static ir_attr move_args(ir_context *ctx, ir_attr args, const size_t *positions,
                         size_t n_positions, size_t first_cb)
{
    uint32_t n = args ? args->count : 0;
    ir_attr *at = tw_xmalloc((n + 1) * sizeof *at);
    for (uint32_t i = 0; i < n; i++) {
        ir_attr arg = args->items[i];
        int64_t kind = ir_attr_int(ir_attr_param(arg, "type"), -1);
        int64_t old = ir_attr_int(ir_attr_param(arg, "operand_index"), 0), to = old;
        if (kind == TTKERNEL_ArgType_CBPort)
            to = old + (int64_t)first_cb;
        else if (kind != TTKERNEL_ArgType_NamedArgument && old >= 0 &&
                 (size_t)old < n_positions)
            to = (int64_t)positions[old];
        at[i] = d2m_with_param(arg, "operand_index", ir_raw_int(ctx, to));
    }
    ir_attr out = ir_array_attr(ctx, at, n);
    free(at);
    return out;
}

static void add_kernel(merged *m, ir_context *ctx, ir_attr kernel, const size_t *positions,
                       size_t n_positions, size_t first_cb, size_t first_fabric)
{
    static const char *const lists[] = {"common_rt_args", "rt_args", "ct_args"};
    ir_attr args = ir_attr_param(kernel, "kernel_args");
    ir_attr fabric = ir_attr_param(kernel, "fabric_config_index");
    for (size_t i = 0; args && i < TW_COUNT(lists); i++)
        args = d2m_with_param(args, lists[i],
                              move_args(ctx, ir_attr_param(args, lists[i]), positions,
                                        n_positions, first_cb));
    kernel = d2m_with_param(kernel, "kernel_args", args);
    if (fabric)
        kernel = d2m_with_param(kernel, "fabric_config_index",
                                ir_raw_int(ctx, fabric->value + (int64_t)first_fabric));
    APPEND(m->kernels, m->n_kernels, kernel);
}

static void add_program(merged *m, ir_op *program)
{
    size_t n_args = d2m_group_size(program, "args"), first_cb = m->n_cbs;
    size_t first_fabric = m->n_fabrics;
    size_t *positions = tw_xmalloc((n_args + 1) * sizeof *positions);
    ir_attr kernels = ir_op_attr(program, "kernelConfigs");
    ir_attr fabrics = ir_op_attr(program, "fabricConnectionConfigs");
    for (size_t i = 0; i < n_args; i++)
        positions[i] = position_of(m, ir_op_operand(program, i));
    for (size_t i = n_args; i < program->n_operands; i++)
        APPEND(m->cbs, m->n_cbs, ir_op_operand(program, i));
    for (uint32_t i = 0; fabrics && i < fabrics->count; i++)
        APPEND(m->fabrics, m->n_fabrics, fabrics->items[i]);
    for (uint32_t i = 0; i < kernels->count; i++)
        add_kernel(m, program->ctx, kernels->items[i], positions, n_args, first_cb,
                   first_fabric);
    free(positions);
}

/* The only program of a region; the others move before or behind the spatial. */
static ir_op *program_of(ir_op *spatial, size_t region)
{
    ir_op *found = NULL;
    ir_block *body = ir_op_body(spatial, region);
    for (ir_op *op = body ? body->first : NULL; op; op = op->next)
        if (op->def == TTMETAL_OP(enqueue_program)) {
            if (found)
                return NULL;
            found = op;
        }
    return found;
}

static void empty_region(ir_op *spatial, ir_op *program, ir_op **after)
{
    bool behind = false;
    for (ir_op *op = program->block->first, *next; op; op = next) {
        next = op->next;
        if (op == program)
            behind = true;
        else if (op->def != D2M_OP(spatial_yield) && !behind)
            ir_op_insert_before(op, spatial);
        else if (op->def != D2M_OP(spatial_yield)) {
            ir_op_insert_after(op, *after);
            *after = op;
        }
    }
}

static bool fail(ir_op *op, const char *why)
{
    return ir_error_unlowered(op->ctx, op->loc, op->def->name, why);
}

static bool merge(ir_op *op, merged *m, ir_op **programs)
{
    int64_t most = ttnn_chip_int(op, "numCBs", -1);
    if (op->n_results)
        return fail(op, "SpatialOp with results is not supported in TTMetal lowering");
    if (most < 0)
        return fail(op, "missing ttcore.system_desc on an enclosing module for spatial CB "
                        "port remap");
    for (uint16_t r = 0; r < op->n_regions; r++) {
        programs[r] = program_of(op, r);
        if (!programs[r])
            return fail(op, "each spatial region must contain exactly one enqueue_program");
        add_program(m, programs[r]);
        if (m->n_cbs > (size_t)most)
            return fail(op, "merged spatial enqueue_program cb_ports exceed chip num_cbs");
    }
    if (!m->n_kernels)
        return fail(op, "SpatialOp has no nested enqueue_program");
    return true;
}

bool d2x_spatial(ir_op *op)
{
    merged m = {0};
    ir_op **programs = tw_xmalloc((op->n_regions + 1u) * sizeof(ir_op *));
    bool ok = merge(op, &m, programs);
    ir_op *after = op;
    for (uint16_t r = 0; ok && r < op->n_regions; r++)
        empty_region(op, programs[r], &after);
    if (ok) {
        ir_builder b = ir_builder_before(op);
        d2x_build_program(&b, m.args, m.n_args, m.cbs, m.n_cbs,
                          ir_array_attr(op->ctx, m.kernels, m.n_kernels),
                          m.n_fabrics ? ir_array_attr(op->ctx, m.fabrics, m.n_fabrics)
                                      : NULL);
        ir_op_erase(op);
    }
    free(m.args);
    free(m.cbs);
    free(m.kernels);
    free(m.fabrics);
    free(programs);
    return ok;
}
