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

bool d2m_has_copy_nest(const dst_plan *p)
{
    return ir_op_is(p->root, AFFINE_OP(for));
}

int64_t d2m_iterations(const ir_op *op, const ir_op *root, bool *out_from_zero)
{
    ir_op *loops[LOOP_CAPACITY];
    size_t n = d2m_nest_loops(op, root, loops, LOOP_CAPACITY);
    int64_t from, step, trips, all = 1;
    *out_from_zero = true;
    for (size_t i = 0; i < n; i++)
        if (d2m_constant_bounds(loops[i], &from, &step, &trips)) {
            all *= trips;
            *out_from_zero &= from == 0 && step == 1;
        }
    return all;
}

bool d2m_copies_again(const dst_plan *p)
{
    bool from_zero;
    for (size_t i = 0; i < p->n_loads; i++)
        if (d2m_slot_tiles(&p->loads[i], p->root) <
            d2m_iterations(p->loads[i].op, p->root, &from_zero))
            return true;
    return false;
}

/* True if each iteration of the loops stores at another index. */
static bool stores_apart(const dst_access *a, ir_op *const *loops, size_t n)
{
    int64_t from, step, trips;
    for (size_t i = 0; i < n; i++)
        if (!d2m_constant_bounds(loops[i], &from, &step, &trips) ||
            (trips > 1 && !d2m_access_depends_on(a->op, d2m_loop_variable(loops[i]))))
            return false;
    return a->op->def == AFFINE_OP(store);
}

bool d2m_is_parallel(const dst_plan *p)
{
    if (!d2m_has_copy_nest(p) || !p->n_stores)
        return false;
    ir_op *loops[LOOP_CAPACITY];
    const size_t n = d2m_nest_loops(p->stores[0].op, p->root, loops, LOOP_CAPACITY);
    bool all = true;
    for (size_t i = 0; i < p->n_loads; i++)
        all &= p->loads[i].op->block == p->stores[0].op->block && !p->loads[i].n_guards &&
               p->loads[i].op->def == AFFINE_OP(load);
    for (size_t i = 0; i < p->n_stores; i++)
        all &= p->stores[i].op->block == p->stores[0].op->block &&
               stores_apart(&p->stores[i], loops, n);
    return all;
}
