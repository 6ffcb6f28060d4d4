/* tape_products.c: matrix products of tiles on a tape.
 *
 * Weights are read by many products: operands that are not written during the program are
 * prepared once, before all other jobs. A result that the packer only adds to a page is
 * added there by the product itself. */
#include "grid/replay/tape_fold.h"

#include <stdlib.h>

enum {
    USES = 2, /* average uses of a prepared operand that pay for preparing it */
    MAX_PREPARED = 1 << 14 /* 64 MiB */
};

typedef struct preparer {
    dev_folder *f;
    uint32_t *known[2]; /* by an operand's first grain: index of its prepared form, + 1 */
    uint32_t n, capacity, uses;
} preparer;

static bool is_product(const dev_fold_job *node)
{
    return !node->dropped && node->j.job.kind == &dev_product_job;
}

static bool is_constant(const dev_folder *f, const dev_fold_job *node, int operand)
{
    for (uint32_t i = 0; i < node->n[operand]; i++)
        if (f->grains[node->at[operand] + i].written)
            return false;
    return true;
}

static bool same_preparation(const dev_job *a, const dev_job *b)
{
    return a->kind == b->kind && a->y == b->y && a->how == b->how;
}

/* Returns the index of an operand's prepared form, + 1; 0 if it cannot be prepared. */
static uint32_t prepare(preparer *p, const dev_fold_job *node, bool second)
{
    const int operand = second ? DEV_JOB_B : DEV_JOB_A;
    const dev_job job = dev_product_prepare(&node->j.job, second);
    uint32_t *known = &p->known[second][node->at[operand]];
    if (!*known) {
        if (p->f->n_prepares == MAX_PREPARED)
            return 0;
        dev_fold_job made = {.j.job = job};
        made.j.memory[DEV_JOB_A] = node->j.memory[operand];
        made.at[DEV_JOB_A] = node->at[operand];
        made.n[DEV_JOB_A] = node->n[operand];
        size_t n = p->f->n_prepares, capacity = p->capacity;
        TW_PUSH(p->f->prepares, n, capacity, made);
        p->f->n_prepares = n;
        p->capacity = (uint32_t)capacity;
        *known = (uint32_t)n;
    }
    p->uses++;
    return same_preparation(&p->f->prepares[*known - 1].j.job, &job) ? *known : 0;
}

static void prepare_operands(preparer *p)
{
    dev_folder *f = p->f;
    for (size_t i = 0; i < f->n; i++) {
        dev_fold_job *node = &f->nodes[i];
        if (!is_product(node) || !is_constant(f, node, DEV_JOB_A) ||
            !is_constant(f, node, DEV_JOB_B))
            continue;
        const uint32_t a = prepare(p, node, false), b = prepare(p, node, true);
        node->prepared[0] = a && b ? a : 0;
        node->prepared[1] = a && b ? b : 0;
    }
}

static bool joins(dev_folder *f, dev_fold_job *pack)
{
    const uint32_t writer = dev_fold_sole_writer(f, pack, DEV_JOB_A);
    dev_fold_job *product = writer ? &f->nodes[writer - 1] : NULL;
    dev_job job;
    if (!product || !product->prepared[0] || !pack->last_reader ||
        !dev_product_join(&product->j.job, &pack->j.job, &job))
        return false;
    pack->j.job = job;
    for (int operand = DEV_JOB_A; operand <= DEV_JOB_B; operand++) {
        pack->j.memory[operand] = product->j.memory[operand];
        pack->at[operand] = product->at[operand];
        pack->n[operand] = product->n[operand];
    }
    memcpy(pack->prepared, product->prepared, sizeof pack->prepared);
    product->dropped = true;
    return true;
}

static void join(dev_folder *f)
{
    for (uint32_t i = 0; i < f->n_grains; i++) {
        f->grains[i].writer = 0;
        f->grains[i].read = false;
    }
    for (uint32_t i = 0; i < f->n; i++) {
        dev_fold_job *node = &f->nodes[i];
        if (node->dropped)
            continue;
        joins(f, node);
        for (int operand = DEV_JOB_A; operand <= DEV_JOB_B; operand++)
            for (uint32_t k = 0; k < node->n[operand]; k++)
                f->grains[node->at[operand] + k].read = true;
        for (uint32_t k = 0; k < node->n[DEV_JOB_OUT]; k++) {
            dev_grain *g = &f->grains[node->at[DEV_JOB_OUT] + k];
            g->writer = i + 1;
            g->read = node->j.job.adds;
        }
    }
}

void dev_fold_products(dev_folder *f)
{
    preparer p = {.f = f};
    for (int i = 0; i < 2; i++)
        p.known[i] = tw_xcalloc(f->n_grains + 1, sizeof *p.known[i]);
    prepare_operands(&p);
    free(p.known[0]);
    free(p.known[1]);
    if (p.uses < USES * f->n_prepares)
        f->n_prepares = 0;
    for (size_t i = 0; i < f->n; i++) {
        dev_fold_job *node = &f->nodes[i];
        if (!f->n_prepares)
            node->prepared[0] = node->prepared[1] = 0;
        if (node->prepared[0])
            node->j.job = dev_product_of_prepared(&node->j.job);
    }
    if (f->n_prepares)
        join(f);
}
