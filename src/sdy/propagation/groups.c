/* groups.c: see groups.h.
 *
 * An axis or sub-axis is a digit of a device's index in the mesh: it has a size and a
 * stride.  The axes that are not named are the other digits, in mesh order. */
#include "sdy/propagation/groups.h"

#include "sdy/propagation/shardings.h"
#include "sdy/sdy.h"
#include "stablehlo/build.h"
#include "stablehlo/stablehlo.h"
#include "support/arena.h"

#include <stdlib.h>

enum { MAX_DIGITS = 64 };

typedef struct digits {
    int64_t size[MAX_DIGITS], stride[MAX_DIGITS];
    size_t n;
} digits;

int64_t sdy_mesh_size(ir_attr mesh)
{
    int64_t total = 1;
    for (uint32_t i = 0; i < sdy_length(mesh->params[0]); i++)
        if (__builtin_mul_overflow(
                total, ir_attr_int(mesh->params[0]->items[i]->params[1], 1), &total) ||
            total > SDY_MAX_DEVICES)
            return SDY_MAX_DEVICES + 1;
    return total;
}

int64_t sdy_axes_size(ir_attr mesh, const ir_attr *axes, size_t n)
{
    int64_t size = 1;
    for (size_t i = 0; i < n; i++)
        size *= sdy_axis_size(mesh, axes[i]);
    return size;
}

static bool add_digit(digits *d, ir_attr mesh, ir_attr axis)
{
    int64_t index = sdy_axis_index(mesh, axis), stride = 1;
    ir_attr all = mesh->params[0];
    if (index < 0 || d->n == MAX_DIGITS)
        return false;
    for (uint32_t i = (uint32_t)index + 1; i < sdy_length(all); i++)
        stride *= ir_attr_int(all->items[i]->params[1], 1);
    int64_t whole = ir_attr_int(all->items[index]->params[1], 1);
    int64_t size = sdy_axis_size(mesh, axis);
    d->size[d->n] = size;
    d->stride[d->n++] = stride * (whole / (sdy_pre_size(axis) * size));
    return true;
}

static bool add_others(digits *d, ir_attr mesh, const ir_attr *axes, size_t n)
{
    for (uint32_t i = 0; i < sdy_length(mesh->params[0]); i++) {
        ir_attr params[] = {mesh->params[0]->items[i]->params[0], NULL};
        ir_attr axis = ir_dialect_attr(mesh->ctx, SDY_ATTR(axis_ref), params, 2);
        sdy_axes rest = {.n = 0};
        sdy_axes_minus(&axis, 1, axes, n, mesh, &rest);
        for (size_t k = 0; k < rest.n; k++)
            if (!add_digit(d, mesh, rest.at[k]))
                return false;
    }
    return true;
}

static int64_t device_at(ir_attr mesh, int64_t index)
{
    ir_attr ids = mesh->params[1];
    return sdy_length(ids) ? ir_attr_int(ids->items[index], index) : index;
}

ir_attr sdy_replica_groups(ir_attr mesh, const ir_attr *axes, size_t n)
{
    digits d = {.n = 0};
    int64_t total = sdy_mesh_size(mesh);
    bool ok = total <= SDY_MAX_DEVICES && add_others(&d, mesh, axes, n);
    for (size_t i = 0; i < n && ok; i++)
        ok = add_digit(&d, mesh, axes[i]);
    if (!ok)
        return NULL;
    int64_t members = sdy_axes_size(mesh, axes, n);
    int64_t *ids = tw_xmalloc((size_t)total * sizeof *ids);
    for (int64_t i = 0; i < total; i++) {
        int64_t rest = i, index = 0;
        for (size_t k = d.n; k > 0; k--) {
            index += rest % d.size[k - 1] * d.stride[k - 1];
            rest /= d.size[k - 1];
        }
        ids[i] = device_at(mesh, index);
    }
    ir_type i64 = ir_integer_type(mesh->ctx, 64, IR_SIGNLESS);
    ir_attr made =
        ir_dense_i64(ir_tensor_type(i64, (int64_t[]){total / members, members}, 2, NULL),
                     ids, (size_t)total);
    free(ids);
    return made;
}

bool sdy_part_indices(ir_attr mesh, const ir_attr *axes, size_t n, int64_t *out)
{
    digits d = {.n = 0};
    int64_t total = sdy_mesh_size(mesh);
    if (total > SDY_MAX_DEVICES)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!add_digit(&d, mesh, axes[i]))
            return false;
    for (int64_t index = 0; index < total; index++) {
        int64_t part = 0;
        for (size_t k = 0; k < d.n; k++)
            part = part * d.size[k] + index / d.stride[k] % d.size[k];
        out[device_at(mesh, index)] = part;
    }
    return true;
}

void sdy_fill_reduction(ir_op *exchange, const ir_op *of)
{
    static const struct {
        int64_t kind;
        uint16_t row;
    } rows[] = {
        {SDY_ReductionOp_SUM, STABLEHLO_add},
        {SDY_ReductionOp_MAX, STABLEHLO_maximum},
        {SDY_ReductionOp_MIN, STABLEHLO_minimum},
    };
    int64_t kind = ir_enum_value(ir_op_attr(of, "reduction_op"), SDY_ReductionOp_SUM);
    ir_type type = hlo_scalar_type(exchange->results[0].type->element);
    ir_block *block = hlo_add_block(exchange, 0, (ir_type[]){type, type}, 2);
    ir_builder b = ir_builder_at_end(exchange->ctx, block, exchange->loc);
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (rows[i].kind == kind) {
            ir_value *made = ir_build1(&b, &stablehlo_ops[rows[i].row], type,
                                       IR_VALUES(block->args[0], block->args[1]), NULL, 0);
            hlo_return(&b, &made, 1);
        }
}
