/* tape_order.c: execution order of a tape's jobs.
 *
 * Jobs that access bytes which one of them writes form a group and keep their order. Groups
 * can be executed in any order: they are sorted by the address of their results, which
 * suits the host's caches better than the order in which cores executed them; and two host
 * threads can share them. */
#include "grid/replay/tape_fold.h"

#include <stdlib.h>

typedef struct group {
    uint32_t grain; /* the lowest observable grain of its results */
    uint32_t root;  /* index of one of its jobs */
    uint32_t size;
} group;

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static void find_groups(dev_folder *f, uint32_t *parent)
{
    for (uint32_t i = 0; i < f->n_grains; i++)
        f->grains[i].written = false, f->grains[i].touched = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        const dev_fold_job *node = &f->nodes[i];
        parent[i] = i;
        for (uint32_t k = 0; !node->dropped && k < node->n[DEV_JOB_OUT]; k++)
            f->grains[node->at[DEV_JOB_OUT] + k].written = true;
    }
    for (uint32_t i = 0; i < f->n; i++)
        for (int grain = 0; !f->nodes[i].dropped && grain < DEV_JOB_OPERANDS; grain++)
            for (uint32_t k = 0; k < f->nodes[i].n[grain]; k++) {
                dev_grain *g = &f->grains[f->nodes[i].at[grain] + k];
                if (g->written && g->touched)
                    parent[root_of(parent, i)] = root_of(parent, g->touched - 1);
                g->touched = i + 1;
            }
}

static int by_grain(const void *a, const void *b)
{
    const group *x = a, *y = b;
    return x->grain != y->grain ? (x->grain > y->grain) - (x->grain < y->grain)
                                : (x->root > y->root) - (x->root < y->root);
}

/* Lists the groups in order; returns their number. */
static size_t list_groups(const dev_folder *f, uint32_t *parent, group *groups)
{
    uint32_t *number = tw_xcalloc(f->n + 1, sizeof *number);
    size_t n = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        const dev_fold_job *node = &f->nodes[i];
        if (node->dropped)
            continue;
        const uint32_t r = root_of(parent, i), out = node->at[DEV_JOB_OUT];
        if (!number[r]) {
            groups[n] = (group){UINT32_MAX, r, 0};
            number[r] = (uint32_t)++n;
        }
        group *g = &groups[number[r] - 1];
        g->size++;
        if (f->grains[out].lasts)
            g->grain = TW_MIN(g->grain, out);
    }
    free(number);
    qsort(groups, n, sizeof *groups, by_grain);
    return n;
}

/* Splits the groups into parts of about equal size. */
static void cut(const group *groups, size_t n, uint32_t all, dev_tape *tape)
{
    for (uint32_t i = 0, at = 0; i < n; at += groups[i++].size)
        if ((uint64_t)at * DEV_TAPE_PARTS >= (uint64_t)tape->n_parts * all)
            tape->parts[tape->n_parts++] = at;
    tape->parts[tape->n_parts] = all;
}

size_t dev_fold_order(dev_folder *f, uint32_t *order)
{
    uint32_t *parent = tw_xmalloc((f->n + 1) * sizeof *parent),
             *next = tw_xcalloc(f->n + 1, sizeof *next);
    group *groups = tw_xmalloc((f->n + 1) * sizeof *groups);
    find_groups(f, parent);
    const size_t n = list_groups(f, parent, groups);
    uint32_t all = 0;
    for (size_t i = 0; i < n; i++) {
        next[groups[i].root] = all;
        all += groups[i].size;
    }
    cut(groups, n, all, f->tape);
    for (uint32_t i = 0; i < f->n; i++)
        if (!f->nodes[i].dropped)
            order[next[root_of(parent, i)]++] = i;
    free(parent);
    free(next);
    free(groups);
    return all;
}
