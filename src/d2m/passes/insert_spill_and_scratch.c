/* insert_spill_and_scratch.c: d2m-insert-spill-and-scratch: values that one nest of compute
 * loops stores and a later one loads go through the generic's scratch buffer, indexed by
 * the loops of the nest that stores them. */
#include "d2m/generic.h"
#include "d2m/passes/scratch_nests.h"
#include "ir/pass/pass.h"
#include "mlir/affine/affine.h"
#include "mlir/memref/memref.h"

#include <stdlib.h>

/* ---- accesses ----------------------------------------------------------------------- */

static bool is_store(const ir_op *op)
{
    return op->def == AFFINE_OP(store);
}

static bool is_load(const ir_op *op)
{
    return op->def == AFFINE_OP(load);
}

/* The accesses of a nest to a buffer or to a part of it. */
static ir_op_list accesses(const scratch_nest *nest, const ir_value *buffer,
                           ir_op_test *kind)
{
    ir_op_list found = ir_ops_in(nest->loops[0].op, kind);
    size_t n = 0;
    for (size_t i = 0; i < found.n; i++) {
        const ir_value *v = ir_op_operand_named(found.at[i], "memref");
        for (const ir_op *part = ir_value_def(v);
             v != buffer && ir_op_is(part, MEMREF_OP(subview)); part = ir_value_def(v))
            v = ir_op_operand(part, 0);
        if (v == buffer)
            found.at[n++] = found.at[i];
    }
    found.n = n;
    return found;
}

/* A buffer whose value lives from one nest to another. */
typedef struct spill {
    size_t producer;    /* the nest that makes the value */
    size_t last;        /* the last one that may read it: the next that writes it */
    ir_op_list *stores; /* of every nest */
    ir_op_list *loads;
} spill;

/* The first nest whose value another one reads before it is written again. */
static bool find_producer(spill *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!s->stores[i].n)
            continue;
        size_t last = i + 1;
        while (last < n && !s->stores[last].n)
            last++;
        for (size_t k = i + 1; k < n && k <= last; k++)
            if (s->loads[k].n) {
                s->producer = i;
                s->last = last;
                return true;
            }
    }
    return false;
}

static void free_spill(spill *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ir_op_list_free(&s->stores[i]);
        ir_op_list_free(&s->loads[i]);
    }
    free(s->stores);
    free(s->loads);
}

static bool find_spill(spill *s, ir_op *alloc, const scratch_nest *nests, size_t n)
{
    ir_value *buffer = ir_op_result(alloc, 0);
    s->stores = tw_xcalloc(n + 1, sizeof *s->stores);
    s->loads = tw_xcalloc(n + 1, sizeof *s->loads);
    for (size_t i = 0; i < n; i++) {
        s->stores[i] = accesses(&nests[i], buffer, is_store);
        s->loads[i] = accesses(&nests[i], buffer, is_load);
    }
    return find_producer(s, n);
}

/* ---- rewriting ---------------------------------------------------------------------- */

static void replace_accesses(const ir_op_list *ops, ir_value *scratch,
                             const scratch_access *at)
{
    for (size_t i = 0; i < ops->n; i++) {
        ir_op *op = ops->at[i];
        ir_builder b = ir_builder_before(op);
        ir_value *operands[SCRATCH_MAX_LOOPS + 2];
        size_t n = 0;
        if (is_store(op))
            operands[n++] = ir_op_operand(op, 0);
        operands[n++] = scratch;
        memcpy(operands + n, at->operands, at->n * sizeof *operands);
        n += at->n;
        ir_named_attr map = {ir_ident_from(op->ctx, "map"),
                             ir_affine_map_attr(op->ctx, at->map)};
        ir_op *made = ir_build(&b, &(ir_op_state){.def = op->def,
                                                  .loc = op->loc,
                                                  .operands = operands,
                                                  .n_operands = n,
                                                  .results = &scratch->type->element,
                                                  .n_results = op->n_results,
                                                  .attrs = &map,
                                                  .n_attrs = 1});
        if (op->n_results)
            ir_value_replace_uses(&op->results[0], ir_op_result(made, 0));
        ir_op_erase(op);
    }
}

/* The unpacker waits for the packer before a nest that reads what an earlier one wrote. */
static void stall_before(const scratch_nest *producer, scratch_nest *consumer)
{
    ir_op *loop = consumer->loops[0].op, *before = producer->loops[0].op;
    while (before && before != loop)
        before = before->next;
    if (!before || consumer->is_guarded)
        return;
    consumer->is_guarded = true;
    while (ir_op_is(loop->prev, D2M_OP(unpack_stall_on_pack)))
        ir_op_erase(loop->prev);
    ir_builder b = ir_builder_before(loop);
    ir_build_op(&b, D2M_OP(unpack_stall_on_pack), NULL, 0, NULL, 0, NULL, 0, 0);
}

static void erase_dead(ir_op *alloc)
{
    for (ir_operand *use = alloc->results[0].uses, *next; use; use = next) {
        next = use->next_use;
        if (use->owner->def == MEMREF_OP(subview) && !use->owner->results[0].uses)
            ir_op_erase(use->owner);
    }
    if (!alloc->results[0].uses)
        ir_op_erase(alloc);
}

static bool rewrite(const spill *s, ir_op *generic, ir_op *alloc, scratch_nest *nests,
                    size_t n, int64_t slot)
{
    ir_context *ctx = alloc->ctx;
    scratch_nest *producer = &nests[s->producer];
    scratch_access *at = tw_xmalloc((n + 1) * sizeof *at);
    bool ok = scratch_access_of(ctx, producer, producer, &at[s->producer]);
    for (size_t i = 0; ok && i < n && i <= s->last; i++)
        ok = !s->loads[i].n || scratch_access_of(ctx, producer, &nests[i], &at[i]);
    if (ok) {
        int64_t shape[SCRATCH_MAX_LOOPS];
        for (size_t i = 0; i < producer->n; i++)
            shape[i] = producer->loops[i].trips;
        ir_type type =
            ir_memref_type(alloc->results[0].type->element, shape, producer->n, NULL,
                           d2m_memory_space(ctx, TTCORE_MemorySpace_DeviceL1));
        ir_builder b = ir_builder_before(alloc);
        ir_value *scratch = ir_build1(
            &b, D2M_OP(scratch_allocate), type, NULL, 0,
            IR_ATTRS(
                {"slot", ir_integer_attr(ir_integer_type(ctx, 64, IR_SIGNLESS), slot)}));
        replace_accesses(&s->stores[s->producer], scratch, &at[s->producer]);
        for (size_t i = 0; i < n && i <= s->last; i++) {
            if (!s->loads[i].n)
                continue;
            if (i != s->producer)
                stall_before(producer, &nests[i]);
            replace_accesses(&s->loads[i], scratch, &at[i]);
        }
        erase_dead(alloc);
    }
    free(at);
    return ok ||
           ir_op_error(generic, "cannot build static scratch access map for consumer");
}

/* ---- the pass ----------------------------------------------------------------------- */

/* Buffers of the generic's own; scalers of reductions are not computed. */
static bool is_intermediate(const ir_op *op)
{
    return op->def == MEMREF_OP(alloc) && !ir_op_attr(op, "d2m.reduction_scaler");
}

static bool spill_all(ir_op *generic, scratch_nest *nests, size_t n)
{
    ir_op_list allocs = ir_ops_in(generic, is_intermediate);
    int64_t slot = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < allocs.n; i++) {
        spill s;
        if (find_spill(&s, allocs.at[i], nests, n))
            ok = rewrite(&s, generic, allocs.at[i], nests, n, slot++);
        free_spill(&s, n);
    }
    ir_op_list_free(&allocs);
    for (size_t i = 0; ok && i < n; i++)
        ir_op_set_attr(nests[i].loops[0].op, "d2m.scratch_inserted",
                       ir_unit_attr(generic->ctx));
    return ok;
}

static bool run(ir_op *module, pass_run *run)
{
    ir_op_list generics = d2m_generics_in(module);
    bool ok = true;
    (void)run;
    for (size_t i = 0; ok && i < generics.n; i++) {
        size_t n;
        scratch_nest *nests = NULL;
        if (scratch_fuse_loops(generics.at[i]))
            nests = scratch_nests_of(generics.at[i], &n);
        if (nests && n > 1)
            ok = spill_all(generics.at[i], nests, n);
        free(nests);
    }
    ir_op_list_free(&generics);
    return ok;
}

const pass_def d2m_insert_spill_and_scratch_pass = {
    .name = "d2m-insert-spill-and-scratch",
    .title = "D2MInsertSpillAndScratch",
    .summary = "Put values that live from one compute nest to another into scratch buffers",
    .anchor = "builtin.module",
    .run = run,
};
