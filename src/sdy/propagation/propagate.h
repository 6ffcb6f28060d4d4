/* propagate.h: propagates shardings over a module.
 *
 * Levels say which operations may propagate: 0 pass-through ones whose operands have no
 * other users, 1 pass-through ones whose operands have, 2 pass-through factors of any
 * operation, 3 every factor but broadcasts forward, 4 everything. */
#ifndef TILEWRIGHT_SDY_PROPAGATION_PROPAGATE_H
#define TILEWRIGHT_SDY_PROPAGATION_PROPAGATE_H

#include "ir/op.h"

enum { SDY_ALL_LEVELS = 4 };

typedef enum sdy_strategy {
    SDY_BASIC,      /* on conflict nothing is propagated */
    SDY_AGGRESSIVE, /* each tensor takes as much as it can */
    SDY_BASIC_THEN_AGGRESSIVE,
} sdy_strategy;

typedef struct sdy_propagate_options {
    sdy_strategy strategy;
    bool conservative; /* nothing that needs sub-axes or halos */
    bool keep_rules;   /* leave the rules on the operations */
} sdy_propagate_options;

typedef struct sdy_propagation sdy_propagation;

/* NULL after an error. */
sdy_propagation *sdy_propagation_begin(ir_op *module, const sdy_propagate_options *options);
/* Propagates to a fixed point of what the level allows. */
void sdy_propagate_to(sdy_propagation *s, int level);
void sdy_propagation_end(sdy_propagation *s);

bool sdy_is_elementwise(const ir_op *op);

#endif
