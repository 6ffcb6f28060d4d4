/* write_uses.c: use-list orders that reading would not restore.
 *
 * Readers prepend each use to the list, so it runs from the last use in the program to the
 * first.  Any other order is written: for each such value the indices of its uses, last use
 * first; as pairs of only the differing ones if they are fewer than half. */
#include "ir/bytecode/writer.h"

#include <stdlib.h>

/* A use's position in the program; operations are numbered in op->order >> 1. */
static uint64_t position(const ir_operand *use)
{
    return (uint64_t)(use->owner->order >> 1) << 32 | ir_operand_number(use);
}

static bool is_in_order(const ir_value *v)
{
    for (const ir_operand *use = v->uses; use && use->next_use; use = use->next_use)
        if (position(use) <= position(use->next_use))
            return false;
    return true;
}

typedef struct ranked {
    uint64_t position;
    uint32_t index;
} ranked;

static int by_position_descending(const void *a, const void *b)
{
    uint64_t x = ((const ranked *)a)->position, y = ((const ranked *)b)->position;
    return x < y ? 1 : x > y ? -1 : 0;
}

static void put_order(ir_bytecode_out *out, const ir_value *v)
{
    uint32_t n = 0, moved = 0;
    for (const ir_operand *use = v->uses; use; use = use->next_use)
        n++;
    ranked *uses = tw_xmalloc(n * sizeof *uses);
    n = 0;
    for (const ir_operand *use = v->uses; use; use = use->next_use, n++)
        uses[n] = (ranked){position(use), n};
    qsort(uses, n, sizeof *uses, by_position_descending);
    for (uint32_t i = 0; i < n; i++)
        moved += uses[i].index != i;
    bool pairs = moved < n / 2;
    ir_out_varint(out, (uint64_t)(pairs ? 2 * moved : n) << 1 | pairs);
    for (uint32_t i = 0; i < n; i++) {
        if (!pairs || uses[i].index != i)
            ir_out_varint(out, uses[i].index);
        if (pairs && uses[i].index != i)
            ir_out_varint(out, i);
    }
    free(uses);
}

uint32_t bc_count_use_orders(const bc_writer *w, const ir_value *const *values, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; w->use_orders && i < n; i++)
        count += !is_in_order(values[i]);
    return count;
}

void bc_put_use_orders(ir_bytecode_out *out, const ir_value *const *values, uint32_t n)
{
    if (n > 1)
        ir_out_varint(out, bc_count_use_orders(out->writer, values, n));
    for (uint32_t i = 0; i < n; i++) {
        if (is_in_order(values[i]))
            continue;
        if (n > 1)
            ir_out_varint(out, i);
        put_order(out, values[i]);
    }
}
