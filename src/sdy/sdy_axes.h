/* sdy_axes.h: arithmetic on axes and sub-axes of a mesh, and on lists of them.
 *
 * An axis is an #sdy.axis_ref: a whole axis of the mesh, or a sub-axis that starts at its
 * pre-size (the product of the sizes to its left) and has a size. */
#ifndef TILEWRIGHT_SDY_SDY_AXES_H
#define TILEWRIGHT_SDY_SDY_AXES_H

#include "ir/op.h"

enum { SDY_MAX_AXES = 512 };

/* An owned list of axes. */
typedef struct sdy_axes {
    ir_attr at[SDY_MAX_AXES];
    size_t n;
} sdy_axes;

static inline uint32_t sdy_length(ir_attr list)
{
    return list ? list->count : 0;
}
/* True if a list of integers, which may be NULL, contains this one. */
static inline bool sdy_lists(ir_attr integers, int64_t value)
{
    for (uint32_t i = 0; i < sdy_length(integers); i++)
        if (ir_attr_int(integers->items[i], -1) == value)
            return true;
    return false;
}

tw_str sdy_axis_name(ir_attr axis);
ir_attr sdy_sub_axis(ir_attr axis); /* NULL for a whole axis */
int64_t sdy_pre_size(ir_attr axis); /* 1 for a whole axis */
/* The pre-size of the following sub-axis, or the size of the whole axis; -1 on overflow
 * of 64 bits. */
int64_t sdy_next_pre_size(ir_attr axis, ir_attr mesh);
/* The index of an axis in the mesh, -1 if it has none of that name. */
int64_t sdy_axis_index(ir_attr mesh, ir_attr axis);
int64_t sdy_axis_size(ir_attr mesh, ir_attr axis);
const char *sdy_axis_text(ir_attr axis, char text[128]);
/* Negative, 0 or positive by the order of `a` and `b` in the mesh. */
int sdy_compare_axes(ir_attr mesh, ir_attr a, ir_attr b);

bool sdy_axis_contains(ir_attr a, ir_attr b);
bool sdy_axis_is_suffix(ir_attr a, ir_attr of, ir_attr mesh);
bool sdy_axes_overlap(ir_attr a, ir_attr b);
/* True if the boundaries of both can be boundaries of one axis. */
bool sdy_axes_can_coexist(ir_attr a, ir_attr b);
/* The part of `a` before the start of `b`, and that after its end; NULL if empty. */
ir_attr sdy_axis_before(ir_attr a, ir_attr b);
ir_attr sdy_axis_after(ir_attr a, ir_attr b, ir_attr mesh);
/* True if `b` is the sub-axis right after `a`; and the two merged. */
bool sdy_axes_join(ir_attr a, ir_attr b);
ir_attr sdy_axis_joined(ir_attr a, ir_attr b, ir_attr mesh);

/* False if the list is full. */
bool sdy_axes_add(sdy_axes *list, ir_attr axis);
bool sdy_axes_add_all(sdy_axes *list, ir_attr axes);
/* Appends it, merged with the last axis if it continues that one. */
bool sdy_axes_add_joined(sdy_axes *list, ir_attr axis, ir_attr mesh);
/* Sorts by mesh order and merges neighbours. */
void sdy_axes_sort(sdy_axes *list, ir_attr mesh);
bool sdy_axes_equal(const sdy_axes *list, ir_attr axes);
bool sdy_axes_any_overlap(ir_attr axes, ir_attr axis);
ir_attr sdy_axes_array(ir_context *ctx, const sdy_axes *list);

#endif
