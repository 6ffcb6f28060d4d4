/* propagate.h: spreading shardings over a module.
 *
 * Levels say which operations may spread them: 0 those that only pass data on and whose
 * operands nobody else reads, 1 with operands that others read, 2 factors of any operation
 * that pass data on, 3 every factor but broadcasts forward, 4 everything. */
#ifndef TILEWRIGHT_SDY_PROPAGATION_PROPAGATE_H
#define TILEWRIGHT_SDY_PROPAGATION_PROPAGATE_H

#include "ir/op.h"

enum { SDY_ALL_LEVELS = 4 };

typedef enum sdy_strategy {
    SDY_BASIC,      /* where tensors disagree, nothing is propagated */
    SDY_AGGRESSIVE, /* each tensor takes what it can */
    SDY_BASIC_THEN_AGGRESSIVE,
} sdy_strategy;

typedef struct sdy_propagate_options {
    sdy_strategy strategy;
    bool conservative; /* nothing that needs parts of axes or halos */
    bool keep_rules;   /* leave the rules on the operations */
} sdy_propagate_options;

typedef struct sdy_propagation sdy_propagation;

/* NULL after an error. */
sdy_propagation *sdy_propagation_begin(ir_op *module, const sdy_propagate_options *options);
/* Until nothing changes that a level allows. */
void sdy_propagate_to(sdy_propagation *s, int level);
void sdy_propagation_end(sdy_propagation *s);

bool sdy_is_elementwise(const ir_op *op);

#endif
