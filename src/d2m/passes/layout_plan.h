/* layout_plan.h: the steps from one layout of a tensor to another. */
#ifndef TILEWRIGHT_D2M_LAYOUT_PLAN_H
#define TILEWRIGHT_D2M_LAYOUT_PLAN_H

#include "d2m/metal_layout.h"

typedef enum d2m_step_kind {
    D2M_STEP_HOST_TO_DEVICE,
    D2M_STEP_DEVICE_TO_HOST,
    D2M_STEP_L1_TO_DRAM,
    D2M_STEP_DRAM_TO_L1,
    D2M_STEP_TILIZE,
    D2M_STEP_UNTILIZE,
    D2M_STEP_REBUFFER, /* the same elements in a buffer on other cores */
    D2M_STEP_RESHARD,  /* another grid, padding or collapse, in L1 */
    D2M_STEP_REMAP,    /* a view */
} d2m_step_kind;

/* What matters of a tensor: its type, the map of the view that it is (or NULL), the virtual
 * grid of its buffer. */
typedef struct d2m_layout_state {
    ir_type type;
    ir_affine_map remapping;
    d2m_virtual_grid maps;
} d2m_layout_state;

typedef struct d2m_step {
    d2m_step_kind kind;
    ir_type input; /* of tilize and untilize */
    d2m_layout_state to;
} d2m_step;

enum { D2M_MAX_STEPS = 16 };

typedef struct d2m_layout_plan {
    d2m_step at[D2M_MAX_STEPS];
    size_t n;
} d2m_layout_plan;

d2m_layout_state d2m_layout_state_of(const ir_value *v);
/* The steps without those that undo each other; false if a type on the way does not
 * divide. */
bool d2m_plan_layouts(const d2m_layout_state *from, const d2m_layout_state *to,
                      d2m_layout_plan *out);

/* From coordinates of the second device tensor to those of the first, by way of the
 * elements that the user sees; NULL if they see others or one is in tiles and the other
 * not. */
ir_affine_map d2m_layout_map(ir_type from, ir_type to);
/* True if one is the other over another grid, and no more. */
bool d2m_only_reblocks(ir_type from, ir_type to);

#endif
