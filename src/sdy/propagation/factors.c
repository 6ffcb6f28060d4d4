/* factors.c: one step of propagation: finds the axes a factor can have, and the tensors
 * that take them over.
 *
 * First, the axes compatible between all tensors with the factor; tensors that the
 * direction excludes as sources can only shorten them.  Then conflicts: the same axis on
 * another factor of a tensor, replicated and unreduced axes, closed dimensions, and
 * factor sizes that the axes do not divide.  The basic step stops at a conflict in any
 * tensor; the aggressive one resolves each tensor separately, factor by factor. */
#include "sdy/propagation/projection.h"
#include "support/number.h"

#include <stdlib.h>

/* ---- agreement between tensors ------------------------------------------------------ */

static void put(sdy_factor_axes *list, ir_attr axis)
{
    if (list->n < SDY_MAX_FACTOR_AXES)
        list->at[list->n++] = axis;
}

static ir_attr sub_of(ir_attr axis)
{
    return sdy_sub_axis(axis);
}

/* Merges `more` into `axes`; true if later tensors may still extend them. */
static bool agree(sdy_factor_axes *axes, const sdy_factor_axes *more, bool can_expand)
{
    sdy_factor_axes old = *axes;
    uint32_t i = 0;
    axes->n = 0;
    for (; i < old.n && i < more->n; i++) {
        ir_attr a = old.at[i], b = more->at[i];
        if (!tw_str_equal(sdy_axis_name(a), sdy_axis_name(b)))
            return false;
        if (sub_of(a) == sub_of(b)) {
            put(axes, b);
        } else if (sdy_axis_is_prefix(b, a)) {
            bool ends = i + 1 == more->n;
            put(axes, ends ? a : b);
            if (!ends)
                return false;
        } else if (sdy_axis_is_prefix(a, b)) {
            bool grows = can_expand && i + 1 == old.n;
            put(axes, grows ? b : a);
            if (!grows)
                return false;
        } else {
            return false;
        }
    }
    for (uint32_t k = i; k < old.n; k++)
        put(axes, old.at[k]);
    for (uint32_t k = i; k < more->n && can_expand; k++)
        put(axes, more->at[k]);
    return can_expand;
}

static bool agree_range(const sdy_projection *p, size_t from, size_t to, uint32_t factor,
                        sdy_factor_axes *axes, bool can_expand)
{
    for (size_t i = from; i < to; i++) {
        const sdy_factor_sharding *f = &p->tensors[i].factors[factor];
        if (f->present)
            can_expand = agree(axes, &f->axes, can_expand);
    }
    return can_expand;
}

static void major_axes(const sdy_projection *p, uint32_t factor, int direction,
                       sdy_factor_axes *axes)
{
    bool backward = direction == SDY_PropagationDirection_BACKWARD;
    size_t n = p->n_tensors, cut = p->n_operands;
    axes->n = 0;
    if (direction == SDY_PropagationDirection_NONE)
        return;
    bool grows = agree_range(p, backward ? cut : 0, backward ? n : cut, factor, axes, true);
    if (direction != SDY_PropagationDirection_BOTH)
        grows = false;
    agree_range(p, backward ? 0 : cut, backward ? cut : n, factor, axes, grows);
}

/* ---- conflicts ---------------------------------------------------------------------- */

static ir_attr before_all(ir_attr axis, const ir_attr *others, uint32_t n)
{
    for (uint32_t i = 0; i < n && axis; i++)
        axis = sdy_axis_before(axis, others[i]);
    return axis;
}

static ir_attr before_list(ir_attr axis, ir_attr list)
{
    return list ? before_all(axis, list->items, list->count) : axis;
}

/* Truncates at axes used by other factors of the tensor. */
static ir_attr across(const sdy_projection *p, const sdy_tensor_factors *t, uint32_t factor,
                      ir_attr axis)
{
    for (uint32_t k = 0; k < p->n_factors && axis; k++) {
        const sdy_factor_sharding *f = &t->factors[k];
        if (k == factor || !f->present)
            continue;
        axis = before_all(axis, f->overflow.at, f->overflow.n);
        if (axis)
            axis = before_all(axis, f->axes.at, f->axes.n);
    }
    return axis;
}

/* Truncates by conflicts within the factor.  `before`: shards by preceding axes. */
static ir_attr within(const sdy_projection *p, const sdy_tensor_factors *t, uint32_t factor,
                      ir_attr axis, int64_t before)
{
    const sdy_factor_sharding *f = &t->factors[factor];
    axis = before_list(axis, t->replicated);
    axis = axis ? before_list(axis, t->unreduced) : NULL;
    if (!axis)
        return NULL;
    for (uint32_t i = 0; i < f->axes.n; i++)
        if (sdy_axis_contains(f->axes.at[i], axis))
            return axis;
    if (!f->closed && !f->overflow.n) {
        int64_t size = sdy_axis_size(p->mesh, axis), whole = p->sizes[factor];
        if (f->minor_most)
            return axis;
        int64_t common =
            before > 0 && whole % before == 0 ? tw_gcd(whole / before, size) : 1;
        if (common == size)
            return axis;
        if (common != 1)
            return sdy_axis_part(axis, sdy_pre_size(axis), common);
    }
    ir_attr last = f->axes.n ? f->axes.at[f->axes.n - 1] : NULL;
    return last && sdy_axis_is_prefix(last, axis) ? last : NULL;
}

typedef enum cut { CUT_ALL, CUT_WITHIN, CUT_ACROSS } cut;

static ir_attr cut_axis(const sdy_projection *p, const sdy_tensor_factors *t,
                        uint32_t factor, ir_attr axis, int64_t before, cut how)
{
    if (how == CUT_WITHIN)
        return within(p, t, factor, axis, before);
    if (how == CUT_ACROSS)
        return across(p, t, factor, axis);
    for (size_t i = 0; i < p->n_tensors && axis; i++) {
        t = &p->tensors[i];
        axis = across(p, t, factor, axis);
        if (axis && t->factors[factor].present)
            axis = within(p, t, factor, axis, before);
    }
    return axis;
}

/* Trims the axes to the longest prefix without conflict. */
static void cut_axes(const sdy_projection *p, const sdy_tensor_factors *t, uint32_t factor,
                     sdy_factor_axes *axes, cut how, bool conservative)
{
    int64_t before = 1;
    for (uint32_t i = 0; i < axes->n; i++) {
        ir_attr axis = cut_axis(p, t, factor, axes->at[i], before, how);
        if (!axis || (conservative && sdy_sub_axis(axis))) {
            axes->n = i;
            return;
        }
        if (axis != axes->at[i]) {
            axes->at[i] = axis;
            axes->n = i + 1;
            return;
        }
        before *= sdy_axis_size(p->mesh, axis);
    }
}

/* ---- the basic step ----------------------------------------------------------------- */

static void basic(sdy_projection *p, const sdy_step *step)
{
    for (uint32_t k = 0; k < p->n_factors; k++) {
        sdy_factor_axes axes;
        major_axes(p, k, step->direction(step, k), &axes);
        cut_axes(p, NULL, k, &axes, CUT_ALL, step->conservative);
        for (size_t i = 0; i < p->n_tensors; i++)
            p->tensors[i].updated |= sdy_expand(&p->tensors[i], k, &axes);
    }
}

/* ---- the aggressive step ------------------------------------------------------------ */

/* A factor, with the largest tensor that already has all of its axes. */
typedef struct candidate {
    uint32_t factor;
    int64_t source_size, source, sharded;
} candidate;

static int by_preference(const void *x, const void *y)
{
    const candidate *a = x, *b = y;
    if (a->source_size != b->source_size)
        return a->source_size > b->source_size ? -1 : 1;
    if (a->sharded != b->sharded)
        return a->sharded > b->sharded ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return a->factor < b->factor ? -1 : a->factor > b->factor;
}

static void find_sources(const sdy_projection *p, const sdy_factor_axes *axes,
                         candidate *order)
{
    for (size_t i = 0; i < p->n_tensors; i++) {
        const sdy_tensor_factors *t = &p->tensors[i];
        int64_t size = 1;
        for (uint32_t k = 0; k < p->n_factors; k++)
            if (t->factors[k].present && __builtin_mul_overflow(size, p->sizes[k], &size))
                size = INT64_MAX;
        for (uint32_t k = 0; k < p->n_factors; k++)
            if (t->factors[k].present && axes[k].n &&
                sdy_axes_prefix(&axes[k], &t->factors[k].axes) != SDY_NO_PREFIX &&
                size > order[k].source_size) {
                order[k].source_size = size;
                order[k].source = (int64_t)i;
            }
    }
}

static int64_t total(const sdy_projection *p, const sdy_factor_axes *axes)
{
    int64_t size = 1;
    for (uint32_t i = 0; i < axes->n; i++)
        size *= sdy_axis_size(p->mesh, axes->at[i]);
    return size;
}

/* Conflicts in results also limit the operands of element-wise operations. */
static void cut_to_results(const sdy_projection *p, uint32_t factor, sdy_factor_axes *axes)
{
    for (size_t i = p->n_operands; i < p->n_tensors; i++) {
        const sdy_factor_sharding *f = &p->tensors[i].factors[factor];
        if (f->present && sdy_axes_prefix(&f->axes, axes) == SDY_STRICT_PREFIX)
            *axes = f->axes;
    }
}

static void update_tensor(sdy_projection *p, size_t tensor, const sdy_step *step,
                          const candidate *order, const sdy_factor_axes *all)
{
    sdy_tensor_factors *t = &p->tensors[tensor];
    for (uint32_t i = 0; i < p->n_factors; i++) {
        uint32_t k = order[i].factor;
        sdy_factor_axes axes = all[k];
        if (!t->factors[k].present)
            continue;
        cut_axes(p, t, k, &axes, CUT_WITHIN, step->conservative);
        if (sdy_axes_prefix(&t->factors[k].axes, &axes) != SDY_STRICT_PREFIX)
            continue;
        cut_axes(p, t, k, &axes, CUT_ACROSS, step->conservative);
        if (!axes.n)
            continue;
        if (tensor < p->n_operands && step->elementwise)
            cut_to_results(p, k, &axes);
        t->updated |= sdy_expand(t, k, &axes);
    }
}

static void aggressive(sdy_projection *p, const sdy_step *step)
{
    size_t n = p->n_factors + 1u;
    sdy_factor_axes *axes = tw_xmalloc(n * sizeof *axes);
    candidate *order = tw_xmalloc(n * sizeof *order);
    bool any = false;
    for (uint32_t k = 0; k < p->n_factors; k++) {
        major_axes(p, k, step->direction(step, k), &axes[k]);
        order[k] = (candidate){k, -1, -1, step->elementwise ? total(p, &axes[k]) : 0};
        any |= axes[k].n > 0;
    }
    if (any) {
        find_sources(p, axes, order);
        qsort(order, p->n_factors, sizeof *order, by_preference);
        for (size_t i = p->n_operands; i < p->n_tensors; i++)
            update_tensor(p, i, step, order, axes);
        for (size_t i = 0; i < p->n_operands; i++)
            update_tensor(p, i, step, order, axes);
    }
    free(axes);
    free(order);
}

void sdy_propagate_factors(sdy_projection *p, const sdy_step *step)
{
    if (step->aggressive)
        aggressive(p, step);
    else
        basic(p, step);
}
