/* tensor.c: see tensor.h. */
#include "cost/tensor.h"

#include "ttcore/ttcore_tile.h"
#include "ttkernel/vector_costs.h"
#include "ttnn/flops.h"
#include "ttnn/layout.h"

#include <math.h>

enum { SIDE = 32 };

static double up_to_tiles(int64_t n)
{
    return ceil((double)n / SIDE);
}

static void find_shards(ir_type type, const ttnn_layout *l, cost_tensor *out)
{
    int64_t shard[2];
    ttnn_layout_shard_elements(l, type->dims, type->count, shard);
    out->memory = l->memory;
    out->shard_rows = up_to_tiles(shard[0]);
    out->shard_columns = up_to_tiles(shard[1]);
    out->cores = (int)(l->grid[0] * l->grid[1]);
}

bool cost_tensor_of(ir_type type, cost_tensor *out)
{
    ttnn_layout l;
    if (!ir_type_is_tensor(type) || !ir_type_has_static_shape(type))
        return false;
    const size_t rank = type->count;
    const bool laid_out = ttnn_layout_of(type, &l);
    *out = (cost_tensor){.batch = 1,
                         .rows = rank > 1 ? up_to_tiles(type->dims[rank - 2]) : 1,
                         .columns = rank ? up_to_tiles(type->dims[rank - 1]) : 1,
                         .elements = (double)ir_type_num_elements(type)};
    for (size_t i = 0; i + 2 < rank; i++)
        out->batch *= (double)type->dims[i];
    const ir_type element =
        laid_out ? ttnn_dtype_element(type->ctx, l.dtype) : type->element;
    const ir_type tile = element ? ttcore_tile_of(element) : NULL;
    out->tile = tile ? (double)ttcore_tile_bytes(tile)
                     : (double)(SIDE * SIDE) * (double)ttcore_scalar_bytes(type->element);
    if (laid_out && !l.tiled) { /* rows are not padded to tiles */
        out->rows = fmax(ceil(out->elements / (SIDE * SIDE)), 1);
        out->batch = out->columns = 1;
    }
    out->narrow = out->tile <= 2 * SIDE * SIDE;
    out->integers = type->element->kind == IR_TYPE_INTEGER;
    out->dram = !laid_out || l.buffer == TTNN_BufferType_DRAM;
    out->l1 = laid_out && l.buffer == TTNN_BufferType_L1;
    if (out->l1 && l.tiled && ttnn_memory_is_sharded(l.memory))
        find_shards(type, &l, out);
    return true;
}

bool cost_same_shards(const cost_tensor *a, const cost_tensor *b)
{
    return a->memory && a->memory == b->memory && a->cores == b->cores &&
           a->shard_rows == b->shard_rows && a->shard_columns == b->shard_columns;
}

double cost_cores(const cost_model *m, const cost_tensor *out, double *out_tiles)
{
    const double tiles = cost_tiles(out),
                 cores = out->memory ? out->cores
                                     : fmin(m->chip->grid_y * m->chip->grid_x, tiles);
    *out_tiles = out->memory ? out->shard_rows * out->shard_columns : ceil(tiles / cores);
    return cores;
}

int cost_phases(const ir_op *op)
{
    const ir_attr config = ir_op_attr(op, "compute_config");
    const ir_attr fidelity = config ? ir_attr_param(config, "math_fidelity") : NULL;
    return (int)(ttnn_fidelity_cycles(ir_enum_value(fidelity, TTNN_MathFidelity_HiFi4)) /
                 16);
}

double cost_function(const cost_model *m, const char *name, bool integers, bool wide)
{
    const vector_cost *c = vector_cost_of(name, integers);
    return c ? dev_vector_cycles(&m->chip->cost, c->row[m->chip->generation][false][wide])
             : 0;
}

double cost_stage(const cost_model *m, double unpack, double math, double pack)
{
    const dev_cost *c = &m->chip->cost;
    return fmax(fmax(unpack, math + c->dst_acquire + c->dst_commit),
                pack + c->dst_wait + c->dst_release);
}

bool cost_vector_tile(const cost_model *m, const cost_tensor *t, int copies,
                      const char *const *functions, size_t n, double *out)
{
    const dev_cost *c = &m->chip->cost;
    double math = copies * c->move_tile;
    bool known = true;
    for (size_t i = 0; i < n; i++) {
        double cycles = cost_function(m, functions[i], t->integers, !t->narrow);
        if (cycles == 0)
            cycles = cost_function(m, functions[i], false, !t->narrow);
        known &= cycles > 0;
        math += cycles;
    }
    *out = cost_stage(m, copies * (c->issue_compute + dev_unpack_cycles(c, t->tile, true)),
                      math, dev_pack_cycles(c, t->tile, false));
    return known;
}
