/* program.c: cores and kernels of generics. */
#include "d2m/program.h"

#include <stdlib.h>

ir_value *d2m_behind(ir_value *v)
{
    ir_op *def;
    while ((def = ir_value_def(v)) && def->def == D2M_OP(view_layout))
        v = ir_op_operand(def, 0);
    return v;
}

static bool project(ir_affine_map map, const d2m_shape *grid, int64_t origin[2],
                    int64_t size[2])
{
    int64_t zeros[D2M_MAX_RANK] = {0}, last[D2M_MAX_RANK];
    d2m_shape from, to;
    if (map->n_dims != grid->n || map->n_symbols || map->n_results < 2 ||
        map->n_results > 3)
        return false;
    for (uint32_t i = 0; i < grid->n; i++)
        last[i] = grid->at[i] - 1;
    if (!d2m_map_eval(map, zeros, &from) || !d2m_map_eval(map, last, &to))
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        int64_t a = from.at[from.n - 2 + i], b = to.at[to.n - 2 + i];
        origin[i] = a < b ? a : b;
        size[i] = (a < b ? b - a : a - b) + 1;
    }
    return origin[0] >= 0 && origin[1] >= 0;
}

bool d2m_program_cores(const d2m_generic *g, int64_t origin[2], int64_t size[2])
{
    d2m_shape grid;
    ir_attr map = ir_attr_param(g->grid, "virtToPhysicalMap");
    d2m_grid_shape(g->grid, &grid);
    bool ok = grid.n == 2 && grid.at[0] > 0 && grid.at[1] > 0;
    for (uint32_t i = 0; i < 2; i++) {
        origin[i] = 0;
        size[i] = ok ? grid.at[i] : 1;
    }
    if (map && map->map->n_results)
        ok = project(map->map, &grid, origin, size);
    return ok || ir_op_error(g->op, "grid covers no rectangle of cores");
}

ir_op *d2m_kernel_of(const d2m_generic *g, ir_attr thread)
{
    ir_attr symbol = ir_attr_param(thread, "kernelSymbol");
    ir_op *kernel = symbol ? ir_symbol_resolve(g->op, symbol) : NULL;
    if (kernel && !ir_op_body(kernel, 0))
        kernel = NULL;
    if (!kernel)
        ir_op_error(g->op, "thread kernel symbol must resolve");
    return kernel;
}

bool d2m_kernel_has(ir_op *kernel, const ir_op_def *def)
{
    ir_op_list ops = ir_ops_in(kernel, NULL);
    bool found = false;
    for (size_t i = 0; i < ops.n && !found; i++)
        found = ops.at[i]->def == def;
    ir_op_list_free(&ops);
    return found;
}

bool d2m_memref_grid(ir_type memref, int64_t out[2])
{
    d2m_shape grid;
    d2m_half_of(memref, false, &grid);
    out[0] = grid.n == 2 ? grid.at[0] : 0;
    out[1] = grid.n == 2 ? grid.at[1] : 0;
    return out[0] > 0 && out[1] > 0;
}

ir_attr d2m_with_param(ir_attr attr, const char *name, ir_attr value)
{
    size_t n = attr->def->params.count;
    ir_attr *params = tw_xmalloc((n + 1) * sizeof *params);
    for (size_t i = 0; i < n; i++)
        params[i] = strcmp(attr->def->params.at[i].name, name)
                        ? ir_attr_param(attr, attr->def->params.at[i].name)
                        : value;
    ir_attr out = ir_dialect_attr(attr->ctx, attr->def, params, n);
    free(params);
    return out;
}
