/* common_axes.c: see common_axes.h.
 *
 * If all tensors agree, nothing changes.  Of two tensors, the better one keeps its axes.
 * Otherwise axes are assigned greedily: of all candidates (axes of some tensor on some
 * factor), those backed by the most elements first; candidates that overlap assigned axes
 * are dropped.  The common axes of factors that need replication move to batching
 * factors. */
#include "sdy/export/common_axes.h"

#include "support/arena.h"

#include <stdlib.h>

void sdy_update_factor(sdy_projection *p, uint32_t factor, const sdy_factor_axes *axes)
{
    for (size_t i = 0; i < p->n_tensors; i++) {
        sdy_factor_sharding *f = &p->tensors[i].factors[factor];
        if (!f->present || (sdy_axes_same(&f->axes, axes) && !f->overflow.n))
            continue;
        f->axes = *axes;
        f->overflow.n = 0;
        p->tensors[i].updated = true;
    }
}

bool sdy_agreed_axes(const sdy_projection *p, uint32_t factor, sdy_factor_axes *out)
{
    bool seen = false;
    out->n = 0;
    for (size_t i = 0; i < p->n_tensors; i++) {
        const sdy_factor_sharding *f = &p->tensors[i].factors[factor];
        if (!f->present)
            continue;
        if (seen && !sdy_axes_same(out, &f->axes))
            return false;
        *out = f->axes;
        seen = true;
    }
    return true;
}

static int64_t size_of(const sdy_factor_axes *axes, ir_attr mesh)
{
    int64_t size = 1;
    for (uint32_t i = 0; i < axes->n; i++)
        size *= sdy_axis_size(mesh, axes->at[i]);
    return size;
}

static bool overlap(const sdy_factor_axes *a, const sdy_axes *list)
{
    for (uint32_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < list->n; k++)
            if (sdy_axes_overlap(a->at[i], list->at[k]))
                return true;
    return false;
}

static void add_all(sdy_axes *list, const sdy_factor_axes *axes)
{
    for (uint32_t i = 0; i < axes->n; i++)
        sdy_axes_add(list, axes->at[i]);
}

/* True if all tensors agree, no factor that needs replication is sharded, and no axis
 * occurs twice. */
static bool is_compatible(const sdy_projection *p, ir_attr rule, sdy_factor_axes *out)
{
    sdy_axes seen = {.n = 0};
    for (uint32_t k = 0; k < p->n_factors; k++) {
        if (!sdy_agreed_axes(p, k, &out[k]))
            return false;
        if (sdy_rule_lists(rule, SDY_RULE_REPLICATION, k)) {
            if (out[k].n)
                return false;
            continue;
        }
        if (overlap(&out[k], &seen))
            return false;
        add_all(&seen, &out[k]);
    }
    return true;
}

/* ---- two tensors -------------------------------------------------------------------- */

static uint32_t rank_of(const sdy_tensor_factors *t)
{
    return sdy_length(t->mapping->params[0]);
}

static bool has_compound(const sdy_projection *p)
{
    for (size_t i = 0; i < p->n_tensors; i++) {
        ir_attr dims = p->tensors[i].mapping->params[0];
        for (uint32_t d = 0; d < sdy_length(dims); d++)
            if (sdy_length(dims->items[d]->params[0]) > 1)
                return true;
    }
    return false;
}

/* Prefers fewer halos, then larger size, then more sharding. */
static int compare(const sdy_projection *p, ir_attr rule, const int64_t *sizes, size_t a,
                   size_t b)
{
    int64_t score[2][3] = {{1, sizes[a], 1}, {1, sizes[b], 1}};
    for (int s = 0; s < 2; s++)
        for (uint32_t k = 0; k < p->n_factors; k++) {
            const sdy_factor_sharding *f = &p->tensors[s ? b : a].factors[k];
            if (!f->present)
                continue;
            if (f->axes.n && sdy_rule_lists(rule, SDY_RULE_PERMUTATION, k))
                score[s][0] = 0;
            score[s][2] *= size_of(&f->axes, p->mesh) * size_of(&f->overflow, p->mesh);
        }
    for (int i = 0; i < 3; i++)
        if (score[0][i] != score[1][i])
            return score[0][i] > score[1][i] ? 1 : -1;
    return 0;
}

/* The axes before the first overlap. */
static void cut_overlaps(sdy_factor_axes *axes, const ir_attr *others, size_t n)
{
    for (uint32_t i = 0; i < axes->n; i++) {
        ir_attr axis = axes->at[i];
        for (size_t k = 0; k < n && axis; k++)
            axis = sdy_axis_before(axis, others[k]);
        if (axis == axes->at[i])
            continue;
        axes->n = i;
        if (axis)
            axes->at[axes->n++] = axis;
        return;
    }
}

static void keep_better(const sdy_projection *p, ir_attr rule, const int64_t *sizes,
                        const size_t pair[2], sdy_factor_axes *out)
{
    bool first = compare(p, rule, sizes, pair[0], pair[1]) >= 0;
    const sdy_tensor_factors *better = &p->tensors[pair[first ? 0 : 1]];
    const sdy_tensor_factors *other = &p->tensors[pair[first ? 1 : 0]];
    sdy_axes taken = {.n = 0};
    for (uint32_t k = 0; k < p->n_factors; k++) {
        out[k].n = 0;
        if (!better->factors[k].present)
            continue;
        out[k] = better->factors[k].axes;
        add_all(&taken, &out[k]);
    }
    for (uint32_t k = 0; k < p->n_factors; k++)
        if (other->factors[k].present && !better->factors[k].present) {
            out[k] = other->factors[k].axes;
            cut_overlaps(&out[k], taken.at, taken.n);
        }
}

/* ---- any number of tensors ---------------------------------------------------------- */

typedef struct candidate {
    uint32_t factor;
    sdy_factor_axes axes;
    int64_t elements; /* total of tensors with this sharding */
    int64_t kind, size;
} candidate;

typedef struct bag {
    candidate *at;
    size_t n, capacity;
} bag;

static int64_t preference(ir_attr rule, uint32_t k)
{
    return sdy_rule_lists(rule, SDY_RULE_REPLICATION, k)   ? 0
           : sdy_rule_lists(rule, SDY_RULE_PERMUTATION, k) ? 1
           : sdy_rule_lists(rule, SDY_RULE_REDUCTION, k)   ? 2
                                                           : 3;
}

static void add_candidate(bag *b, const sdy_projection *p, ir_attr rule, uint32_t factor,
                          const sdy_factor_axes *axes)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->at[i].factor == factor && sdy_axes_same(&b->at[i].axes, axes))
            return;
    candidate made = {.factor = factor,
                      .axes = *axes,
                      .kind = preference(rule, factor),
                      .size = size_of(axes, p->mesh)};
    TW_PUSH(b->at, b->n, b->capacity, made);
}

static bool is_prefix_or_same(const sdy_factor_axes *a, const sdy_factor_axes *of)
{
    return sdy_axes_prefix(a, of) != SDY_NO_PREFIX;
}

static void collect(bag *b, const sdy_projection *p, ir_attr rule, const int64_t *sizes)
{
    for (size_t i = 0; i < p->n_tensors; i++)
        for (uint32_t k = 0; k < p->n_factors; k++) {
            const sdy_factor_sharding *f = &p->tensors[i].factors[k];
            sdy_factor_axes axes = f->axes;
            for (; f->present && axes.n; axes.n--)
                add_candidate(b, p, rule, k, &axes);
        }
    for (size_t c = 0; c < b->n; c++)
        for (size_t i = 0; i < p->n_tensors; i++) {
            const sdy_factor_sharding *f = &p->tensors[i].factors[b->at[c].factor];
            if (f->present && is_prefix_or_same(&b->at[c].axes, &f->axes))
                b->at[c].elements += sizes[i];
        }
}

static int compare_axes(const sdy_factor_axes *a, const sdy_factor_axes *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (uint32_t i = 0; i < a->n; i++) {
        tw_str x = sdy_axis_name(a->at[i]), y = sdy_axis_name(b->at[i]);
        int order = memcmp(x.data, y.data, TW_MIN(x.size, y.size));
        if (a->at[i] == b->at[i])
            continue;
        if (order || x.size != y.size)
            return order ? order : x.size < y.size ? -1 : 1;
        if (sdy_pre_size(a->at[i]) != sdy_pre_size(b->at[i]))
            return sdy_pre_size(a->at[i]) < sdy_pre_size(b->at[i]) ? -1 : 1;
        return sdy_axis_contains(b->at[i], a->at[i]) ? -1 : 1;
    }
    return 0;
}

static bool is_better(const candidate *a, const candidate *b)
{
    if (a->elements != b->elements)
        return a->elements > b->elements;
    if (a->kind != b->kind)
        return a->kind > b->kind;
    if (a->size != b->size)
        return a->size > b->size;
    if (a->factor != b->factor)
        return a->factor > b->factor;
    return compare_axes(&a->axes, &b->axes) > 0;
}

/* True if all factors right before this one in a dimension are fully sharded: otherwise
 * its shards would not be contiguous. */
static bool may_shard(const sdy_projection *p, const bool *full, uint32_t factor)
{
    for (size_t i = 0; i < p->n_tensors; i++) {
        ir_attr dims = p->tensors[i].mapping->params[0];
        for (uint32_t d = 0; d < sdy_length(dims); d++) {
            ir_attr list = dims->items[d]->params[0];
            for (uint32_t k = 1; k < sdy_length(list); k++)
                if (list->items[k]->value == factor && !full[list->items[k - 1]->value])
                    return false;
        }
    }
    return true;
}

/* The rest of a candidate after another has been assigned its axes; false if empty. */
static bool reduce(candidate *c, const candidate *best, const sdy_factor_axes *given,
                   ir_attr mesh)
{
    const sdy_factor_axes *before = &given[c->factor];
    if (c->factor == best->factor) {
        if (sdy_axes_prefix(&best->axes, &c->axes) != SDY_STRICT_PREFIX)
            return false;
    } else {
        cut_overlaps(&c->axes, best->axes.at, best->axes.n);
        if (!c->axes.n || sdy_axes_same(&c->axes, before))
            return false;
    }
    c->size = size_of(&c->axes, mesh) / TW_MAX(size_of(before, mesh), (int64_t)1);
    return true;
}

static void assign_greedily(const sdy_projection *p, ir_attr rule, const int64_t *sizes,
                            sdy_factor_axes *out)
{
    bag b = {.n = 0};
    bool *full = calloc(p->n_factors + 1u, sizeof *full);
    for (uint32_t k = 0; k < p->n_factors; k++)
        out[k].n = 0;
    collect(&b, p, rule, sizes);
    while (b.n && full) {
        const candidate *found = NULL;
        for (size_t i = 0; i < b.n; i++)
            if (may_shard(p, full, b.at[i].factor) &&
                (!found || is_better(&b.at[i], found)))
                found = &b.at[i];
        if (!found)
            break;
        candidate best = *found;
        out[best.factor] = best.axes;
        if (size_of(&best.axes, p->mesh) == p->sizes[best.factor])
            full[best.factor] = true;
        for (size_t i = 0; i < b.n;) {
            if (reduce(&b.at[i], &best, out, p->mesh))
                i++;
            else
                b.at[i] = b.at[--b.n];
        }
    }
    free(full);
    free(b.at);
}

/* ---- replication -------------------------------------------------------------------- */

static bool is_everywhere(const sdy_projection *p, uint32_t factor)
{
    for (size_t i = 0; i < p->n_tensors; i++)
        if (rank_of(&p->tensors[i]) && !p->tensors[i].factors[factor].present)
            return false;
    return true;
}

static void push_joined(sdy_factor_axes *list, ir_attr axis, ir_attr mesh)
{
    ir_attr *last = list->n ? &list->at[list->n - 1] : NULL;
    if (last && sdy_axes_join(*last, axis))
        *last = sdy_axis_joined(*last, axis, mesh);
    else if (list->n < SDY_MAX_FACTOR_AXES)
        list->at[list->n++] = axis;
}

static void move_to_batches(const sdy_projection *p, ir_attr rule, sdy_factor_axes *out,
                            const sdy_factor_axes *axes)
{
    uint32_t next = 0;
    for (uint32_t k = 0; k < p->n_factors && next < axes->n; k++) {
        int64_t sharded = size_of(&out[k], p->mesh);
        if (preference(rule, k) != 3 || !is_everywhere(p, k) || !p->sizes[k] ||
            p->sizes[k] % sharded)
            continue;
        int64_t room = p->sizes[k] / sharded;
        while (next < axes->n && room % sdy_axis_size(p->mesh, axes->at[next]) == 0) {
            room /= sdy_axis_size(p->mesh, axes->at[next]);
            push_joined(&out[k], axes->at[next++], p->mesh);
        }
    }
}

void sdy_find_common_axes(const sdy_projection *p, ir_attr rule, const int64_t *sizes,
                          sdy_factor_axes *out)
{
    size_t pair[2], n = 0;
    if (is_compatible(p, rule, out))
        return;
    for (size_t i = 0; i < p->n_tensors; i++)
        if (rank_of(&p->tensors[i])) {
            if (n < 2)
                pair[n] = i;
            n++;
        }
    if (n == 2 && !sdy_length(rule->params[SDY_RULE_REPLICATION]) && !has_compound(p)) {
        keep_better(p, rule, sizes, pair, out);
        return;
    }
    assign_greedily(p, rule, sizes, out);
    for (uint32_t k = 0; k < p->n_factors; k++) {
        sdy_factor_axes axes = out[k];
        if (!sdy_rule_lists(rule, SDY_RULE_REPLICATION, k))
            continue;
        out[k].n = 0;
        if (is_everywhere(p, k) && axes.n)
            move_to_batches(p, rule, out, &axes);
    }
}
