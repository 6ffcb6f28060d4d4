/* grid_selection.h: what the parts of d2m-grid-selection share. */
#ifndef TILEWRIGHT_D2M_GRID_SELECTION_H
#define TILEWRIGHT_D2M_GRID_SELECTION_H

#include "d2m/generic.h"
#include "d2m/metal_layout.h"

/* The rectangle of cores that a generic may use. */
typedef struct d2m_cores {
    int64_t shape[2], offset[2];
} d2m_cores;

/* What is chosen for one operand of a generic. */
typedef struct d2m_grid_info {
    d2m_shape grid;
    int64_t target[2];
    bool tiles;      /* scalars are padded to whole tiles */
    bool has_source; /* the operand is a view of a d2m.to_layout with a grid: */
    d2m_shape source_grid;
    ir_type *parts; /* of a composite view: the types of its inputs, NULL to keep one */
} d2m_grid_info;

typedef struct d2m_grid_plan {
    ir_op *generic;
    d2m_cores cores;
    size_t n;
    d2m_grid_info *infos;  /* of inputs and outputs */
    d2m_shape *normalized; /* grids that fit each other */
} d2m_grid_plan;

/* True for a view of the same elements in the same order over another grid. */
bool d2m_is_reblock_view(const ir_op *op);
/* True for a tensor of ttnn, cast, through views. */
bool d2m_is_ttnn_operand(const ir_value *v);
/* The d2m.to_layout behind one or more views, or NULL. */
ir_op *d2m_to_layout_behind_views(const ir_value *v);
/* The cores of the d2m.spatial region around the generic, or all of the device's. */
d2m_cores d2m_cores_of(const ir_op *generic, const int64_t device[2]);

/* Chooses grids of all operands; false after an error.  Changes nothing. */
bool d2m_plan_grids(const d2m_generic *g, const int64_t device[2], bool ttnn,
                    d2m_grid_plan *out);
void d2m_grid_plan_free(d2m_grid_plan *plan);
/* Rebuilds producers of operands and the generic; false after an error. */
bool d2m_apply_grids(const d2m_grid_plan *plan, bool ttnn);
/* The maps of a grid on these cores; none if it is in their corner and of two dimensions;
 * false after an error, if no rectangle holds it. */
bool d2m_grid_maps(ir_op *at, const d2m_shape *grid, const d2m_cores *cores,
                   d2m_virtual_grid *out);
/* Moves what surrounds generics in the d2m.spatial around this one out of it, and gives it
 * their operands. */
bool d2m_normalize_spatial(ir_op *generic);
/* Plans how topk is divided between cores; false after an error. */
bool d2m_plan_topk(ir_op *module, const int64_t device[2]);

#endif
