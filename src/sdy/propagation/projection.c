/* projection.c: converts shardings to factors and back; see projection.h. */
#include "sdy/propagation/projection.h"

#include "support/arena.h"
#include "support/number.h"

#include <stdlib.h>

ir_attr sdy_axis_part(ir_attr axis, int64_t pre_size, int64_t size)
{
    ir_context *ctx = axis->ctx;
    ir_attr sizes[] = {ir_raw_int(ctx, pre_size), ir_raw_int(ctx, size)};
    ir_attr params[] = {axis->params[0],
                        ir_dialect_attr(ctx, SDY_ATTR(sub_axis_info), sizes, 2)};
    return ir_dialect_attr(ctx, SDY_ATTR(axis_ref), params, 2);
}

bool sdy_axis_is_prefix(ir_attr a, ir_attr of)
{
    return a == of || (sdy_axis_contains(of, a) && sdy_pre_size(a) == sdy_pre_size(of));
}

sdy_prefix sdy_axes_prefix(const sdy_factor_axes *a, const sdy_factor_axes *of)
{
    if (!a->n)
        return of->n ? SDY_STRICT_PREFIX : SDY_EQUAL;
    if (a->n > of->n)
        return SDY_NO_PREFIX;
    for (uint32_t i = 0; i + 1 < a->n; i++)
        if (a->at[i] != of->at[i])
            return SDY_NO_PREFIX;
    uint32_t last = a->n - 1;
    if (a->n == of->n && a->at[last] == of->at[last])
        return SDY_EQUAL;
    return sdy_axis_is_prefix(a->at[last], of->at[last]) ? SDY_STRICT_PREFIX
                                                         : SDY_NO_PREFIX;
}

bool sdy_expand(sdy_tensor_factors *t, uint32_t factor, const sdy_factor_axes *axes)
{
    sdy_factor_sharding *f = &t->factors[factor];
    if (!f->present || sdy_axes_prefix(&f->axes, axes) != SDY_STRICT_PREFIX)
        return false;
    f->axes = *axes;
    return true;
}

bool sdy_rule_lists(ir_attr rule, size_t list, int64_t factor)
{
    return sdy_lists(rule->params[list], factor);
}

/* ---- to factors --------------------------------------------------------------------- */

/* The remaining axes of a dimension: from index `at`, of which a part if it was split. */
typedef struct rest {
    ir_attr axes, mesh;
    uint32_t at;
    int64_t size, pre_size; /* pre_size 0: the unsplit axis */
} rest;

static bool has_rest(const rest *r)
{
    return r->at < sdy_length(r->axes);
}

static void next_axis(rest *r)
{
    r->pre_size = 0;
    r->size = has_rest(r) ? sdy_axis_size(r->mesh, r->axes->items[r->at]) : 0;
}

static ir_attr rest_axis(const rest *r)
{
    ir_attr axis = r->axes->items[r->at];
    return r->pre_size ? sdy_axis_part(axis, r->pre_size, r->size) : axis;
}

static bool push(sdy_factor_axes *list, ir_attr axis)
{
    if (list->n == SDY_MAX_FACTOR_AXES)
        return false;
    list->at[list->n++] = axis;
    return true;
}

static bool push_joined(sdy_factor_axes *list, ir_attr axis, ir_attr mesh)
{
    ir_attr *last = list->n ? &list->at[list->n - 1] : NULL;
    if (!last || !sdy_axes_join(*last, axis))
        return push(list, axis);
    *last = sdy_axis_joined(*last, axis, mesh);
    return true;
}

static bool take_rest(sdy_factor_axes *list, rest *r)
{
    for (; has_rest(r); r->at++, next_axis(r))
        if (!push_joined(list, rest_axis(r), r->mesh))
            return false;
    return true;
}

/* Takes the axes that divide the factor; the rest overflows. */
static bool fill_factor(sdy_factor_sharding *f, int64_t size, rest *r)
{
    while (has_rest(r)) {
        int64_t common = r->size == 1 ? 1 : tw_gcd(size, r->size);
        if (r->size != 1 && common <= 1)
            break;
        ir_attr axis = r->axes->items[r->at];
        if (r->size > common) {
            int64_t pre = r->pre_size ? r->pre_size : sdy_pre_size(axis);
            if (!push(&f->axes, sdy_axis_part(axis, pre, common)))
                return false;
            r->pre_size = pre * common;
            r->size /= common;
            size /= common;
        } else {
            if (!push(&f->axes, rest_axis(r)))
                return false;
            size /= r->size;
            r->at++;
            next_axis(r);
        }
    }
    return size <= 1 || !has_rest(r) || take_rest(&f->overflow, r);
}

static bool project_dim(sdy_projection *p, sdy_tensor_factors *t, ir_attr mapping,
                        ir_attr axes, bool closed)
{
    rest r = {.axes = axes, .mesh = p->mesh};
    ir_attr list = mapping->params[0];
    bool overflows = false;
    next_axis(&r);
    for (uint32_t i = 0; i < sdy_length(list); i++) {
        int64_t at = list->items[i]->value;
        if (at < 0 || at >= p->n_factors)
            return false;
        sdy_factor_sharding *f = &t->factors[at];
        f->present = true;
        f->minor_most = i + 1 == list->count;
        f->closed = closed || overflows;
        if (overflows)
            continue;
        if (f->minor_most ? !take_rest(&f->axes, &r) : !fill_factor(f, p->sizes[at], &r))
            return false;
        overflows = f->overflow.n > 0;
    }
    return true;
}

static bool project_tensor(sdy_projection *p, sdy_tensor_factors *t, ir_attr sharding,
                           bool closed)
{
    ir_attr dims = t->mapping->params[0], none = ir_array_attr(p->mesh->ctx, NULL, 0);
    t->factors = calloc(p->n_factors + 1u, sizeof *t->factors);
    if (!t->factors || (sharding && sdy_sharding_rank(sharding) != sdy_length(dims)))
        return false;
    t->replicated = sharding ? sharding->params[SDY_REPLICATED] : none;
    t->unreduced = sharding ? sharding->params[SDY_UNREDUCED] : none;
    t->reduction = sharding ? sharding->params[SDY_REDUCTION]
                            : ir_raw_int(p->mesh->ctx, SDY_ReductionOp_SUM);
    for (uint32_t d = 0; d < sdy_length(dims); d++) {
        ir_attr dim = sharding ? sdy_dim_at(sharding, d) : NULL;
        if (!project_dim(p, t, dims->items[d], dim ? dim->params[SDY_DIM_AXES] : none,
                         dim ? sdy_is_closed(dim) : closed))
            return false;
    }
    return true;
}

sdy_projection *sdy_project(ir_attr rule, ir_attr mesh, const ir_attr *shardings,
                            bool closed_if_missing)
{
    ir_attr sizes = rule->params[SDY_RULE_SIZES];
    ir_attr operands = rule->params[SDY_RULE_OPERANDS];
    ir_attr results = rule->params[SDY_RULE_RESULTS];
    sdy_projection *p = tw_xmalloc(sizeof *p);
    *p = (sdy_projection){.mesh = mesh, .n_factors = sdy_length(sizes)};
    p->n_operands = sdy_length(operands);
    p->n_tensors = p->n_operands + sdy_length(results);
    p->sizes = tw_xmalloc((p->n_factors + 1u) * sizeof *p->sizes);
    for (uint32_t i = 0; i < p->n_factors; i++)
        p->sizes[i] = sizes->items[i]->value;
    p->tensors = tw_xmalloc((p->n_tensors + 1) * sizeof *p->tensors);
    memset(p->tensors, 0, (p->n_tensors + 1) * sizeof *p->tensors);
    for (size_t i = 0; i < p->n_tensors; i++) {
        sdy_tensor_factors *t = &p->tensors[i];
        t->mapping =
            i < p->n_operands ? operands->items[i] : results->items[i - p->n_operands];
        if (!project_tensor(p, t, shardings[i], closed_if_missing)) {
            sdy_projection_free(p);
            return NULL;
        }
    }
    return p;
}

void sdy_projection_free(sdy_projection *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->n_tensors; i++)
        free(p->tensors[i].factors);
    free(p->tensors);
    free(p->sizes);
    free(p);
}

/* ---- and back ----------------------------------------------------------------------- */

static int64_t add_axes(sdy_axes *dim, const sdy_factor_axes *axes, ir_attr mesh)
{
    int64_t size = 1;
    for (uint32_t i = 0; i < axes->n; i++) {
        size *= sdy_axis_size(mesh, axes->at[i]);
        if (i == 0)
            sdy_axes_add_joined(dim, axes->at[i], mesh);
        else
            sdy_axes_add(dim, axes->at[i]);
    }
    return size;
}

static ir_attr unproject_dim(const sdy_projection *p, const sdy_tensor_factors *t,
                             ir_attr mapping)
{
    ir_attr list = mapping->params[0];
    sdy_axes axes = {.n = 0};
    bool closed = false;
    for (uint32_t i = 0; i < sdy_length(list); i++) {
        int64_t at = list->items[i]->value;
        const sdy_factor_sharding *f = &t->factors[at];
        closed |= f->closed;
        int64_t size = add_axes(&axes, &f->axes, p->mesh);
        if (f->overflow.n) {
            add_axes(&axes, &f->overflow, p->mesh);
            break;
        }
        if (size < p->sizes[at]) /* further axes would not be contiguous */
            break;
    }
    return sdy_dim(mapping->ctx, sdy_axes_array(mapping->ctx, &axes), closed, NULL);
}

ir_attr sdy_unproject(const sdy_projection *p, size_t tensor, ir_attr mesh_ref)
{
    const sdy_tensor_factors *t = &p->tensors[tensor];
    ir_attr mappings = t->mapping->params[0];
    ir_context *ctx = mesh_ref->ctx;
    uint32_t rank = sdy_length(mappings);
    ir_attr *dims = tw_xmalloc((rank + 1u) * sizeof *dims);
    for (uint32_t d = 0; d < rank; d++)
        dims[d] = unproject_dim(p, t, mappings->items[d]);
    ir_attr params[] = {mesh_ref, ir_array_attr(ctx, dims, rank), t->replicated,
                        t->unreduced, t->reduction};
    free(dims);
    return ir_dialect_attr(ctx, SDY_ATTR(sharding), params, TW_COUNT(params));
}
