/* d2m_spatial.c: verifies d2m.spatial: one d2m.generic for each range of cores, with a
 * grid inside that range. */
#include "d2m/d2m_verify.h"

/* Inclusive range of rows and columns of cores. */
typedef struct box {
    int64_t start[2], end[2];
} box;

static box box_of(ir_attr range)
{
    box b;
    const char *const names[] = {"y", "x"};
    for (int i = 0; i < 2; i++) {
        b.start[i] =
            ir_attr_int(ir_attr_param(ir_attr_param(range, "start_coord"), names[i]), 0);
        b.end[i] =
            ir_attr_int(ir_attr_param(ir_attr_param(range, "end_coord"), names[i]), 0);
    }
    return b;
}

/* Projects the cores of a box onto the virtual grid. */
static bool project(const box *b, ir_affine_map map, box *out)
{
    uint32_t skip = map->n_results == 3;
    if (map->n_dims != 2 || map->n_results - skip != 2)
        return false;
    *out = (box){{INT64_MAX, INT64_MAX}, {INT64_MIN, INT64_MIN}};
    for (int64_t y = b->start[0]; y <= b->end[0]; y++)
        for (int64_t x = b->start[1]; x <= b->end[1]; x++)
            for (uint32_t i = 0; i < 2; i++) {
                int64_t at;
                if (!ir_affine_eval(map->results[i + skip], (int64_t[]){y, x}, NULL, &at))
                    return false;
                out->start[i] = TW_MIN(out->start[i], at);
                out->end[i] = TW_MAX(out->end[i], at);
            }
    return true;
}

static bool check_part(ir_op *op, const ir_op *inner, const box *b)
{
    int64_t grid[D2M_MAX_RANK];
    ir_attr attr = ir_op_attr(inner, "grid");
    int64_t rank = ir_attr_ints(ir_attr_param(attr, "shape"), grid, D2M_MAX_RANK);
    ir_attr map = ir_attr_param(attr, "physicalToVirtMap");
    int64_t rows = b->end[0] - b->start[0] + 1, columns = b->end[1] - b->start[1] + 1;
    box virtual;
    if (rank != 2)
        return ir_op_error(op,
                           "d2m.generic inside d2m.spatial: only 2D grid is considered for "
                           "now, got %lldD",
                           (long long)rank);
    if (!ir_attr_is(map, IR_ATTR_AFFINE_MAP) || map->map->n_results == 0)
        return (grid[0] <= rows && grid[1] <= columns) ||
               ir_op_error(
                   op,
                   "generic op grid shape [%lld, %lld] exceeds region CoreRange shape "
                   "[%lld, %lld]",
                   (long long)grid[0], (long long)grid[1], (long long)rows,
                   (long long)columns);
    if (!project(b, map->map, &virtual))
        return true;
    return (virtual.start[0] <= 0 && virtual.end[0] >= grid[0] - 1 &&
            virtual.start[1] <= 0 && virtual.end[1] >= grid[1] - 1) ||
           ir_op_error(
               op,
               "generic op grid not contained in region grid_ranges [%lld, %lld] to "
               "[%lld, %lld]",
               (long long)b->start[0], (long long)b->start[1], (long long)b->end[0],
               (long long)b->end[1]);
}

bool d2m_check_spatial(ir_op *op)
{
    ir_attr ranges = ir_op_attr(op, "grid_ranges");
    if (d2m_length(ranges) == 0)
        return ir_op_error(op, "grid_ranges must contain at least one CoreRange");
    if (ranges->count != op->n_regions)
        return ir_op_error(
            op, "number of CoreRanges (%u) must match the number of Regions (%u)",
            ranges->count, op->n_regions);
    for (uint16_t r = 0; r < op->n_regions; r++) {
        const ir_op *inner = NULL;
        unsigned n = 0;
        if (!op->regions[r].first)
            return ir_op_error(op, "each spatial region must not be empty");
        for (ir_op *o = op->regions[r].first->first; o; o = o->next)
            if (o->def == D2M_OP(generic)) {
                inner = o;
                n++;
            }
        if (n != 1)
            return ir_op_error(
                op, "each region must contain exactly one d2m.generic op, got %u", n);
        box b = box_of(ranges->items[r]);
        if (!check_part(op, inner, &b))
            return false;
    }
    return true;
}
