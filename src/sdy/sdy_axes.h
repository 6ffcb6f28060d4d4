/* sdy_axes.h: arithmetic on axes and sub-axes of a mesh, and on lists of them.
 *
 * An axis is an #sdy.axis_ref: a whole axis of the mesh, or a part of it that begins at its
 * pre-size (what lies to its left) and has a size. */
#ifndef TILEWRIGHT_SDY_SDY_AXES_H
#define TILEWRIGHT_SDY_SDY_AXES_H

#include "ir/op.h"

enum { SDY_MOST_AXES = 512 };

/* A list of axes of its own. */
typedef struct sdy_axes {
    ir_attr at[SDY_MOST_AXES];
    size_t n;
} sdy_axes;

static inline uint32_t sdy_length(ir_attr list)
{
    return list ? list->count : 0;
}
/* Whether a list of integers, which may be absent, has this one. */
static inline bool sdy_lists(ir_attr numbers, int64_t number)
{
    for (uint32_t i = 0; i < sdy_length(numbers); i++)
        if (ir_attr_int(numbers->items[i], -1) == number)
            return true;
    return false;
}

tw_str sdy_axis_name(ir_attr axis);
ir_attr sdy_sub_axis(ir_attr axis); /* NULL of a whole axis */
int64_t sdy_pre_size(ir_attr axis); /* 1 of a whole axis */
/* Where the next sub-axis can begin, or the size of the whole axis; -1 beyond 64 bits. */
int64_t sdy_next_pre_size(ir_attr axis, ir_attr mesh);
/* The place of an axis in the mesh, -1 if it has none of that name. */
int64_t sdy_axis_place(ir_attr mesh, ir_attr axis);
int64_t sdy_axis_size(ir_attr mesh, ir_attr axis);
const char *sdy_axis_text(ir_attr axis, char text[128]);
/* Negative, 0 or positive, as `a` comes before `b` on the mesh or not. */
int sdy_compare_axes(ir_attr mesh, ir_attr a, ir_attr b);

bool sdy_axis_contains(ir_attr a, ir_attr b);
bool sdy_axis_is_suffix(ir_attr a, ir_attr of, ir_attr mesh);
bool sdy_axes_overlap(ir_attr a, ir_attr b);
/* Whether the borders of both can be borders of one axis. */
bool sdy_axes_can_coexist(ir_attr a, ir_attr b);
/* What of `a` comes before `b` begins, and after it ends; NULL if nothing. */
ir_attr sdy_axis_before(ir_attr a, ir_attr b);
ir_attr sdy_axis_after(ir_attr a, ir_attr b, ir_attr mesh);
/* Whether `b` is the sub-axis right after `a`, and the two as one. */
bool sdy_axes_join(ir_attr a, ir_attr b);
ir_attr sdy_axis_joined(ir_attr a, ir_attr b, ir_attr mesh);

/* False if there is no room. */
bool sdy_axes_add(sdy_axes *list, ir_attr axis);
bool sdy_axes_add_all(sdy_axes *list, ir_attr axes);
/* Adds it, as one with the last axis if it continues that. */
bool sdy_axes_add_joined(sdy_axes *list, ir_attr axis, ir_attr mesh);
/* Sorts by the mesh and joins neighbours. */
void sdy_axes_sort(sdy_axes *list, ir_attr mesh);
bool sdy_axes_equal(const sdy_axes *list, ir_attr axes);
bool sdy_axes_any_overlap(ir_attr axes, ir_attr axis);
ir_attr sdy_axes_array(ir_context *ctx, const sdy_axes *list);

#endif
