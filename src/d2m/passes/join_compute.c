/* join_compute.c: d2m-join-compute: chains of element-wise linalg.generic in the region of
 * a d2m.generic become one, so that what is between them stays in DST instead of a buffer.
 *
 * tt-mlir has no such pass. A chain is joined where each operation takes at most one tile
 * that another one of it made, and takes it from DST: then it needs no more tiles of DST
 * than its operation with the most operands. */
#include "d2m/generic.h"
#include "d2m/passes/nests.h"
#include "d2m/region_build.h"
#include "d2m/tile_ops.h"
#include "ir/pass/pass.h"
#include "mlir/linalg/linalg.h"
#include "support/arena.h"

#include <stdlib.h>

static ir_op *yield_of(ir_op *linalg)
{
    ir_op *last = ir_op_body(linalg, 0)->last;
    return ir_op_is(last, LINALG_OP(yield)) && last->n_operands == 1 ? last : NULL;
}

/* Operands of a tile operation that its block computes. */
static uint32_t computed_operands(const ir_op *op)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        const ir_op *def = ir_value_def(ir_op_operand(op, i));
        n += def && def->block == op->block && d2m_tile_op_of(def);
    }
    return n;
}

/* True if the body computes one tile by a chain of tile operations. */
static bool is_chain(ir_op *linalg)
{
    const ir_op *yield = yield_of(linalg);
    const ir_op *end = yield ? ir_value_def(ir_op_operand(yield, 0)) : NULL;
    if (!end || end->block != yield->block || !d2m_tile_op_of(end))
        return false;
    for (const ir_op *op = yield->block->first; op != yield; op = op->next)
        if (op->n_regions || op->n_results != 1 || d2m_skips_fusion(op) ||
            (d2m_tile_op_of(op) && (computed_operands(op) > 1 || d2m_runs_on_fpu(op) ||
                                    d2m_dst_scratch(op) || d2m_dst_stride(op) > 1 ||
                                    !op->results[0].uses || op->results[0].uses->next_use)))
            return false;
    return true;
}

/* True for one output, loops that are all parallel, and maps that are all the same. */
static bool is_pointwise(const ir_op *op)
{
    size_t first, n;
    ir_attr maps = op->def == LINALG_OP(generic) ? ir_op_attr(op, "indexing_maps") : NULL;
    ir_attr loops = maps ? ir_op_attr(op, "iterator_types") : NULL;
    if (!loops || op->n_results != 1 || !ir_op_operand_group(op, 1, &first, &n) || n != 1)
        return false;
    for (uint32_t i = 0; i < loops->count; i++)
        if (ir_enum_value(loops->items[i], -1) != LINALG_IteratorType_parallel)
            return false;
    for (uint32_t i = 0; i < maps->count; i++)
        if (maps->items[i]->map->n_dims != loops->count ||
            !ir_affine_map_is_identity(maps->items[i]->map))
            return false;
    return true;
}

/* The number of the input through which an operation continues a chain; -1: it begins one.
 */
static int64_t continued_input(ir_op *op)
{
    size_t first, n;
    ir_block *body = ir_op_body(op, 0);
    ir_op_operand_group(op, 0, &first, &n);
    for (size_t i = 0; i < n; i++) {
        ir_value *in = ir_op_operand(op, first + i);
        ir_op *producer = ir_value_def(in);
        const ir_operand *use = body->args[i]->uses;
        if (!producer || producer->block != op->block || !is_pointwise(producer) ||
            in->uses->next_use || !is_chain(producer) || !use || use->next_use ||
            !d2m_tile_op_of(use->owner) || computed_operands(use->owner) ||
            !(d2m_dst_loads(use->owner) >> ir_operand_number(use) & 1))
            continue;
        return (int64_t)i;
    }
    return -1;
}

typedef struct chain {
    ir_op **ops; /* the last one first */
    int64_t *through;
    size_t n, n_inputs;
} chain;

static void find(chain *c, ir_op *last)
{
    c->n = c->n_inputs = 0;
    for (ir_op *op = last; op;) {
        size_t first, n;
        ir_op_operand_group(op, 0, &first, &n);
        c->ops[c->n] = op;
        const int64_t through = c->through[c->n++] = continued_input(op);
        c->n_inputs += n - (through >= 0);
        op = through >= 0 ? ir_value_def(ir_op_operand(op, first + (size_t)through)) : NULL;
    }
}

/* Moves a body; its arguments become those of the joined one, the continued input becomes
 * the tile that is there already. Returns the tile that it yields. */
static ir_value *move_body(ir_op *from, int64_t through, ir_value *tile, ir_block *to,
                           size_t *next_arg)
{
    ir_block *body = ir_op_body(from, 0);
    for (uint32_t i = 0; i + 1 < body->n_args; i++)
        ir_value_replace_uses(body->args[i], i == through ? tile : to->args[(*next_arg)++]);
    ir_op *yield = yield_of(from);
    ir_value *made = ir_op_operand(yield, 0);
    if (yield->prev)
        ir_block_splice(to, NULL, body, body->first, yield->prev);
    return made;
}

static void join(const chain *c)
{
    ir_op *last = c->ops[0];
    ir_value **ins = tw_xmalloc((c->n_inputs + 1) * sizeof *ins), *tile = NULL;
    ir_affine_map *maps = tw_xmalloc((c->n_inputs + 1) * sizeof(ir_affine_map));
    size_t first, n, n_ins = 0, next = 0;
    for (size_t k = c->n; k-- > 0;) {
        ir_op_operand_group(c->ops[k], 0, &first, &n);
        for (size_t i = 0; i < n; i++)
            if ((int64_t)i != c->through[k])
                ins[n_ins++] = ir_op_operand(c->ops[k], first + i);
    }
    const ir_attr loops = ir_op_attr(last, "iterator_types");
    for (size_t i = 0; i <= n_ins; i++)
        maps[i] = ir_affine_identity(last->ctx, loops->count);
    ir_op_operand_group(last, 1, &first, &n);
    ir_builder b = ir_builder_before(last);
    b.loc = last->loc;
    ir_value *out = ir_op_operand(last, first);
    ir_op *joined = d2m_build_linalg(&b, ins, n_ins, &out, 1, maps, NULL, loops->count);
    ir_attr blocking = ir_op_attr(last, "d2m.blocking_map");
    if (blocking)
        ir_op_set_attr(joined, "d2m.blocking_map", blocking);
    for (size_t k = c->n; k-- > 0;)
        tile = move_body(c->ops[k], c->through[k], tile, ir_op_body(joined, 0), &next);
    ir_builder body = d2m_linalg_body(joined, last->loc);
    d2m_linalg_yield(&body, &tile, 1);
    ir_value_replace_uses(&last->results[0], &joined->results[0]);
    for (size_t k = 0; k < c->n; k++)
        ir_op_erase(c->ops[k]);
    free(ins);
    free(maps);
}

static bool is_linalg(const ir_op *op)
{
    return op->def == LINALG_OP(generic);
}

static void join_all(ir_op *generic)
{
    ir_op_list ops = ir_ops_in(generic, is_linalg);
    chain c = {.ops = tw_xmalloc((ops.n + 1) * sizeof *c.ops),
               .through = tw_xmalloc((ops.n + 1) * sizeof *c.through)};
    for (size_t i = ops.n; i-- > 0;) {
        if (!ops.at[i] || !is_pointwise(ops.at[i]) || !is_chain(ops.at[i]))
            continue;
        find(&c, ops.at[i]);
        /* what is joined lies in front of it, in the order of the chain */
        for (size_t k = 1, at = i; k < c.n && at-- > 0;)
            if (ops.at[at] == c.ops[k]) {
                ops.at[at] = NULL;
                k++;
            }
        if (c.n > 1)
            join(&c);
    }
    free(c.ops);
    free(c.through);
    ir_op_list_free(&ops);
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_visit_ops(module, d2m_is_generic, join_all);
    return true;
}

const pass_def d2m_join_compute_pass = {
    .name = "d2m-join-compute",
    .summary = "Join chains of element-wise operations of a generic, which stay in DST",
    .anchor = "builtin.module",
    .run = run,
};
