/* dominators.c: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm". */
#include "mlir/passes/dominators.h"

#include <stdlib.h>

enum { UNSEEN = UINT32_MAX, SEEN = UINT32_MAX - 1 };

static void post_order(ir_block *b, ir_block **out, size_t *count)
{
    b->order = SEEN;
    if (b->last)
        for (uint16_t i = 0; i < b->last->n_successors; i++)
            if (b->last->successors[i]->order == UNSEEN)
                post_order(b->last->successors[i], out, count);
    out[(*count)++] = b;
}

static size_t common(const size_t *parent, size_t a, size_t b)
{
    while (a != b) {
        while (a > b)
            a = parent[a];
        while (b > a)
            b = parent[b];
    }
    return a;
}

dominators dominators_of(ir_region *region)
{
    dominators d = {0};
    size_t total = 0;
    for (ir_block *b = region->first; b; b = b->next) {
        b->order = UNSEEN;
        total++;
    }
    if (!total)
        return d;
    d.blocks = tw_xmalloc(total * sizeof(ir_block *));
    d.parent = tw_xmalloc(total * sizeof *d.parent);
    post_order(region->first, d.blocks, &d.count);
    for (size_t i = 0; i < d.count / 2; i++) {
        ir_block *swap = d.blocks[i];
        d.blocks[i] = d.blocks[d.count - 1 - i];
        d.blocks[d.count - 1 - i] = swap;
    }
    for (size_t i = 0; i < d.count; i++) {
        d.blocks[i]->order = (uint32_t)i;
        d.parent[i] = SIZE_MAX;
    }
    d.parent[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < d.count; i++) {
            ir_op *last = d.blocks[i]->last;
            if (d.parent[i] == SIZE_MAX)
                continue;
            for (uint16_t k = 0; last && k < last->n_successors; k++) {
                size_t to = last->successors[k]->order;
                if (to == 0)
                    continue;
                size_t best =
                    d.parent[to] == SIZE_MAX ? i : common(d.parent, d.parent[to], i);
                changed |= best != d.parent[to];
                d.parent[to] = best;
            }
        }
    }
    return d;
}

void dominators_free(dominators *d)
{
    free(d->blocks);
    free(d->parent);
    *d = (dominators){0};
}
