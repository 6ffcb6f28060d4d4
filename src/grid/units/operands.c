/* operands.c: see operands.h: a cache in sets of two. A tile is prepared when it is read
 * for the second time; its bank's version says whether its bytes may have changed. */
#include "grid/units/operands.h"

#include "grid/units/product.h"

#include <stdlib.h>

enum { SETS = 512, WAYS = 2 };

typedef struct operand {
    const void *tile;
    uint64_t version;
    const dev_job_kind *kind; /* of the job that prepares it, with its parameters */
    uint8_t format, transposed;
    bool ready;
    dev_prepared *prepared; /* or NULL */
} operand;

struct dev_operands {
    operand at[SETS][WAYS];
    uint8_t next[SETS]; /* to be replaced */
};

/* Pages of a bank are 2 KiB apart or more. */
static size_t set_of(const void *tile)
{
    return (size_t)((uintptr_t)tile / 2048 * UINT64_C(0x9E3779B97F4A7C15) >> 32) % SETS;
}

static bool is_of(const operand *o, const dev_job *prepare, uint64_t version)
{
    return o->tile == prepare->a && o->version == version && o->kind == prepare->kind &&
           o->format == prepare->y && o->transposed == prepare->how;
}

/* Returns an operand of a product, prepared; NULL: it is read for the first time. */
static const dev_prepared *find(dev_machine *m, const dev_job *product, bool second,
                                const dev_memory *bank)
{
    dev_job prepare = dev_product_prepare(product, second);
    const size_t set = set_of(prepare.a);
    operand *o = m->operands->at[set];
    for (size_t i = 0; i < WAYS; i++, o++) {
        if (!is_of(o, &prepare, bank->version))
            continue;
        if (!o->prepared)
            o->prepared = tw_xmalloc_lines(sizeof *o->prepared);
        prepare.out = o->prepared;
        if (!o->ready)
            dev_do(m, &prepare);
        o->ready = true;
        return o->prepared;
    }
    o = &m->operands->at[set][m->operands->next[set]++ % WAYS];
    *o = (operand){prepare.a,   bank->version, prepare.kind, prepare.y,
                   prepare.how, false,         o->prepared};
    return NULL;
}

bool dev_operands_reuse(dev_machine *m, dev_job *product, const dev_memory *bank_a,
                        const dev_memory *bank_b)
{
    if (!m->operands)
        m->operands = tw_xcalloc(1, sizeof *m->operands);
    const dev_prepared *a = find(m, product, false, bank_a),
                       *b = find(m, product, true, bank_b);
    if (!a || !b)
        return false;
    *product = dev_product_of_prepared(product);
    product->a = a;
    product->b = b;
    return true;
}

void dev_operands_free(struct dev_operands *operands)
{
    for (size_t i = 0; operands && i < SETS; i++)
        for (size_t k = 0; k < WAYS; k++)
            free(operands->at[i][k].prepared);
    free(operands);
}
