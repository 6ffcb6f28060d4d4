/* mask_states.h: what the padding of values holds after operations on them. */
#ifndef TILEWRIGHT_D2M_MASK_STATES_H
#define TILEWRIGHT_D2M_MASK_STATES_H

#include "d2m/d2m.h"
#include "ttcore/ttcore.h"

/* TTCORE_OOBVal_* of values; undef where it is not known. */
typedef struct d2m_mask_states {
    ir_mapping *known;
} d2m_mask_states;

int64_t d2m_mask_state(const d2m_mask_states *s, const ir_value *v);
void d2m_set_mask_state(d2m_mask_states *s, const ir_value *v, int64_t state);
/* The state of an operation's results from those of its operands. */
int64_t d2m_mask_state_after(const d2m_mask_states *s, const ir_op *op);

#endif
