/* dst_nests.c: loops around accesses, and what accesses depend on. */
#include "d2m/generic.h"
#include "d2m/passes/dst_access.h"
#include "d2m/passes/nests.h"
#include "mlir/affine/affine.h"
#include "mlir/loops/loops.h"
#include "mlir/memref/memref.h"
#include "mlir/scf/scf.h"
#include "ttcore/ttcore.h"

bool d2m_is_load(const ir_op *op)
{
    return ir_op_is(op, AFFINE_OP(load)) || ir_op_is(op, MEMREF_OP(load));
}

bool d2m_is_store(const ir_op *op)
{
    return ir_op_is(op, AFFINE_OP(store)) || ir_op_is(op, MEMREF_OP(store));
}

ir_value *d2m_access_memref(const ir_op *op)
{
    return ir_op_operand(op, d2m_is_store(op));
}

ir_op *d2m_linalg_root_of(const ir_op *op)
{
    ir_op *root = ir_op_parent(op);
    while (root && !ir_op_attr(root, "d2m.linalg_root"))
        root = ir_op_parent(root);
    return root;
}

static void reverse(void **at, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        void *t = at[i];
        at[i] = at[n - 1 - i];
        at[n - 1 - i] = t;
    }
}

size_t d2m_nest_loops(const ir_op *op, const ir_op *root, ir_op **out, size_t max)
{
    size_t n = 0;
    for (ir_op *loop = ir_op_parent(op); loop && n < max; loop = ir_op_parent(loop)) {
        if (loop->def != AFFINE_OP(for))
            continue;
        out[n++] = loop;
        if (loop == root)
            break;
    }
    reverse((void **)out, n);
    return n;
}

size_t d2m_outer_variables(const ir_op *op, ir_value **out, size_t max)
{
    size_t n = 0;
    for (ir_op *loop = ir_op_parent(op); loop && loop->def != D2M_OP(generic) && n < max;
         loop = ir_op_parent(loop))
        if (d2m_is_loop(loop))
            out[n++] = d2m_loop_variable(loop);
    reverse((void **)out, n);
    return n;
}

static bool depends(const ir_value *v, const ir_value *on, int depth)
{
    const ir_op *def = ir_value_def(v);
    if (v == on)
        return true;
    for (uint32_t i = 0; def && depth < 64 && i < def->n_operands; i++)
        if (depends(ir_op_operand(def, i), on, depth + 1))
            return true;
    return false;
}

bool d2m_access_depends_on(const ir_op *access, const ir_value *variable)
{
    size_t first = d2m_is_store(access) ? 1 : 0;
    ir_attr attr = ir_op_attr(access, "map");
    if (depends(ir_op_operand(access, first), variable, 0))
        return true;
    for (uint32_t i = (uint32_t)first + 1; i < access->n_operands; i++) {
        uint32_t at = i - (uint32_t)first - 1;
        bool used = !attr;
        for (uint32_t r = 0; attr && r < attr->map->n_results; r++)
            used |= at < attr->map->n_dims
                        ? ir_affine_mentions(attr->map->results[r], IR_AFFINE_DIM, at)
                        : ir_affine_mentions(attr->map->results[r], IR_AFFINE_SYMBOL,
                                             at - attr->map->n_dims);
        if (used && depends(ir_op_operand(access, i), variable, 0))
            return true;
    }
    return false;
}

int d2m_blocking_kind(const ir_op *loop)
{
    ir_attr dim = ir_op_attr(loop, "d2m.blocking_loop");
    if (!ir_attr_is(dim, IR_ATTR_INTEGER))
        return -1;
    if (ir_op_attr(loop, "d2m.reduction_loop"))
        return 1;
    d2m_generic g;
    ir_op *generic = d2m_generic_around(loop);
    return generic && d2m_generic_of(generic, &g) && dim->value >= 0 &&
                   dim->value < d2m_length(g.iterators)
               ? d2m_generic_is_reduction_loop(&g, (size_t)dim->value)
               : 0;
}

bool d2m_constant_bounds(const ir_op *loop, int64_t *from, int64_t *step, int64_t *trips)
{
    ir_affine_map low = ir_op_attr(loop, "lowerBoundMap")->map;
    ir_affine_map high = ir_op_attr(loop, "upperBoundMap")->map;
    if (low->n_results != 1 || high->n_results != 1 ||
        low->results[0]->kind != IR_AFFINE_CONSTANT ||
        high->results[0]->kind != IR_AFFINE_CONSTANT)
        return false;
    *from = low->results[0]->value;
    *step = affine_for_step(loop);
    if (*step <= 0)
        return false;
    int64_t span = high->results[0]->value - *from;
    *trips = span <= 0 ? 0 : (span - 1) / *step + 1;
    return true;
}
