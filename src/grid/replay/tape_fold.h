/* grid/replay/tape_fold.h: state of folding a recording (tape_fold.c, tape_order.c). */
#ifndef TILEWRIGHT_GRID_REPLAY_TAPE_FOLD_H
#define TILEWRIGHT_GRID_REPLAY_TAPE_FOLD_H

#include "grid/replay/tape.h"
#include "grid/units/product.h"

typedef struct dev_fold_job {
    dev_tape_job j;
    uint32_t at[DEV_JOB_OPERANDS], n[DEV_JOB_OPERANDS]; /* grains: first, count */
    bool dropped;
    bool last_reader;     /* of its operand a */
    uint32_t onto;        /* index + 1 of the job to whose unread result it adds */
    uint32_t prepared[2]; /* indices of its operands' prepared forms, + 1; or 0 */
} dev_fold_job;

/* State of a grain. */
typedef struct dev_grain {
    uint32_t version;                /* counts the writes to it */
    uint32_t origin, origin_version; /* same bytes while it has this version */
    uint32_t writer;                 /* index of the job, + 1 */
    uint32_t touched;                /* index of the last job that accessed it, + 1 */
    bool lasts;                      /* observable after the program */
    bool needed, written, live, read;
} dev_grain;

typedef struct dev_folder {
    const dev_machine *m;
    const dev_program *p;
    dev_tape *tape;
    dev_tape_memory *known; /* by address */
    size_t n_known, known_capacity;
    uint16_t *used;                 /* of these: index in the tape, + 1 */
    dev_fold_job *nodes, *prepares; /* jobs that prepare operands */
    size_t n_prepares;
    size_t n, size; /* size: of a grain */
    dev_grain *grains;
    uint32_t n_grains;
} dev_folder;

/* Returns the index, + 1, of the job that wrote all grains of an operand and nothing else,
 * and whose result has not been read since; or 0. */
uint32_t dev_fold_sole_writer(const dev_folder *f, const dev_fold_job *node, int operand);

/* tape_products.c: prepares operands of matrix products, and lets products add to pages. */
void dev_fold_products(dev_folder *f);

/* tape_order.c: writes the indices of the remaining jobs in execution order; sets the
 * tape's parts. */
size_t dev_fold_order(dev_folder *f, uint32_t *order);

#endif
