/* vector_costs.c: the column of elementwise.def with instructions. */
#include "ttkernel/vector_costs.h"

/* The modes of elementwise.def as eight numbers: of each chip exact with a 16-bit and a
 * 32-bit DST, approximate with either. */
#define EVERY(n) (n, n, n, n, n, n, n, n)
#define BY_DST(narrow, wide) (narrow, wide, narrow, wide, narrow, wide, narrow, wide)
#define MODES(approximate, narrow, wide)                                                   \
    (narrow, wide, approximate, approximate, narrow, wide, approximate, approximate)
#define PER_CHIP(approximate, narrow, wide, bh_approximate, bh_narrow, bh_wide)            \
    (narrow, wide, approximate, approximate, bh_narrow, bh_wide, bh_approximate,           \
     bh_approximate)
#define ESTIMATE(...) __VA_ARGS__
#define COST(a, b, c, d, e, f, g, h)                                                       \
    {                                                                                      \
        {                                                                                  \
            {{a, b}, {c, d}},                                                              \
            {                                                                              \
                {e, f},                                                                    \
                {                                                                          \
                    g, h                                                                   \
                }                                                                          \
            }                                                                              \
        }                                                                                  \
    }

#define VECTOR_COST(op, instructions)                                                      \
    const vector_cost vector_cost_##op = COST instructions;
#define TILE(sort, shape, op, init, header, instructions, ...) VECTOR_COST(op, instructions)
#include "ttkernel/elementwise.def"
/* exp: approximate as _calculate_exponential_ with FAST_APPROX: 24 instructions for a
 * face's 8 rows; exact as _sfpu_exp_21f_bf16_ and _sfpu_exp_fp32_accurate_. */
VECTOR_COST(exp_tile, MODES(3, 28, 63))
VECTOR_COST(logical_not_tile, EVERY(9))

/* Names with functions on floats and on integers; a form without one is NULL. */
static const struct {
    const char *name;
    const vector_cost *of_floats, *of_integers;
} rows[] = {
#define TILE(sort, shape, op, ...) true ? &vector_cost_##op:
#define ELEMENTWISE(name, form, padding, meaning, floats, integers)                        \
    {#name, floats NULL, integers NULL},
#include "ttkernel/elementwise.def"
};

const vector_cost *vector_cost_of(const char *name, bool integers)
{
    if (!integers && strcmp(name, "exp") == 0)
        return &vector_cost_exp_tile;
    if (!integers && strcmp(name, "logical_not") == 0)
        return &vector_cost_logical_not_tile;
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (strcmp(rows[i].name, name) == 0)
            return integers ? rows[i].of_integers : rows[i].of_floats;
    return NULL;
}
