/* canonicalize.c: canonical forms of memref operations: known sizes move into types, unused
 * memory is removed, subviews of casts become subviews of the source. */
#include "mlir/memref/memref.h"
#include "mlir/memref/memref_layout.h"
#include "mlir/passes/canonical.h"
#include "mlir/shared/mixed_list.h"

#include <stdlib.h>

static ir_value *cast_to(rw_rewriter *rw, ir_value *v, ir_type type)
{
    return v->type == type
               ? v
               : ir_build1(&rw->b, MEMREF_OP(cast), type, IR_VALUES(v), NULL, 0);
}

/* ---- allocations -------------------------------------------------------------------- */

/* alloc(%c4) : memref<?xf32> is a cast of alloc() : memref<4xf32>. */
static bool fold_known_sizes(ir_op *op, rw_rewriter *rw)
{
    ir_op *made = mixed_fold_sizes(rw, op, 0);
    if (made)
        rw_replace1(rw, op, cast_to(rw, &made->results[0], op->results[0].type));
    return made != NULL;
}

/* Erases memory that is only written and freed. */
static bool drop_unread(ir_op *op, rw_rewriter *rw)
{
    for (ir_operand *use = op->results[0].uses; use; use = use->next_use) {
        bool stored = use->owner->def == MEMREF_OP(store) && ir_operand_number(use) == 1;
        if (!stored && use->owner->def != MEMREF_OP(dealloc))
            return false;
    }
    while (op->results[0].uses)
        rw_erase(rw, op->results[0].uses->owner);
    rw_erase(rw, op);
    return true;
}

/* ---- copies ------------------------------------------------------------------------- */

static bool drop_idle_copy(ir_op *op, rw_rewriter *rw)
{
    ir_type from = ir_op_operand(op, 0)->type, to = ir_op_operand(op, 1)->type;
    bool idle = ir_op_operand(op, 0) == ir_op_operand(op, 1);
    for (uint32_t i = 0; ir_type_is_ranked(from) && i < from->count; i++)
        idle |= from->dims[i] == 0;
    for (uint32_t i = 0; ir_type_is_ranked(to) && i < to->count; i++)
        idle |= to->dims[i] == 0;
    if (idle)
        rw_erase(rw, op);
    return idle;
}

/* ---- parts -------------------------------------------------------------------------- */

static ir_type part_type(ir_type whole, const mixed_part *p, ir_type old)
{
    if (p->offsets.n != whole->count || p->sizes.n != whole->count ||
        p->strides.n != whole->count)
        return NULL;
    return memref_part_type(whole, p->offsets.number, p->sizes.number, p->strides.number,
                            old);
}

static ir_value *build_part(rw_rewriter *rw, ir_op *op, ir_value *source,
                            const mixed_part *p, ir_type type)
{
    ir_op *made = rw_copy(rw, op);
    ir_op_set_operand(made, 0, source);
    mixed_part_write(made, p);
    made->results[0].type = type;
    return &made->results[0];
}

/* Constants among offsets, sizes and strides become static. */
static bool fold_constant_sizes(ir_op *op, rw_rewriter *rw)
{
    mixed_part p;
    if (!mixed_part_read(op, &p))
        return false;
    bool known = mixed_part_fold(&p);
    ir_value *source = ir_op_operand(op, 0);
    ir_type old = op->results[0].type;
    ir_type type = known ? part_type(source->type, &p, old) : NULL;
    if (!type)
        return false;
    rw_replace1(rw, op, cast_to(rw, build_part(rw, op, source, &p, type), old));
    return true;
}

/* True if the cast only drops known sizes, offset and strides. */
static bool only_drops_sizes(ir_type from, ir_type to)
{
    memref_steps a, b;
    if (from->kind != IR_TYPE_MEMREF || to->kind != IR_TYPE_MEMREF ||
        from->count != to->count || from->element != to->element ||
        from->space != to->space || !memref_steps_of(from, &a) || !memref_steps_of(to, &b))
        return false;
    bool fine = b.offset == IR_DYNAMIC || a.offset == b.offset;
    for (uint32_t i = 0; i < from->count; i++)
        fine &= (to->dims[i] == IR_DYNAMIC || from->dims[i] == to->dims[i]) &&
                (b.stride[i] == IR_DYNAMIC || a.stride[i] == b.stride[i]);
    return fine;
}

static bool part_of_cast(ir_op *op, rw_rewriter *rw)
{
    const ir_op *cast = ir_value_def(ir_op_operand(op, 0));
    mixed_part p;
    if (!ir_op_is(cast, MEMREF_OP(cast)) || !mixed_part_read(op, &p) ||
        !only_drops_sizes(ir_op_operand(cast, 0)->type, cast->results[0].type))
        return false;
    ir_value *source = ir_op_operand(cast, 0);
    ir_type old = op->results[0].type, type = part_type(source->type, &p, old);
    if (!type)
        return false;
    rw_replace1(rw, op, cast_to(rw, build_part(rw, op, source, &p, type), old));
    return true;
}

/* A subview of the whole memref is a cast. */
static bool all_of_it(ir_op *op, rw_rewriter *rw)
{
    ir_value *source = ir_op_operand(op, 0);
    mixed_part p;
    if (!mixed_part_read(op, &p) || op->results[0].type->count != source->type->count ||
        p.sizes.n != source->type->count)
        return false;
    for (int64_t i = 0; i < p.sizes.n; i++)
        if (p.offsets.number[i] != 0 || p.strides.number[i] != 1 ||
            p.sizes.number[i] == IR_DYNAMIC || p.sizes.number[i] != source->type->dims[i])
            return false;
    rw_replace1(rw, op, cast_to(rw, source, op->results[0].type));
    return true;
}

/* ---- other operations --------------------------------------------------------------- */

/* memref.view with known sizes. */
static bool fold_known_view(ir_op *op, rw_rewriter *rw)
{
    ir_type t = op->results[0].type;
    int64_t dims[SHAPE_MAX_RANK];
    ir_value *operands[SHAPE_MAX_RANK + 2];
    uint32_t next = 2, kept = 2;
    bool known = false;
    if (t->encoding || t->count > SHAPE_MAX_RANK)
        return false;
    operands[0] = ir_op_operand(op, 0);
    operands[1] = ir_op_operand(op, 1);
    for (uint32_t i = 0; i < t->count; i++) {
        dims[i] = t->dims[i];
        if (dims[i] != IR_DYNAMIC || next >= op->n_operands)
            continue;
        ir_value *size = ir_op_operand(op, next++);
        ir_attr value = rw_constant(size);
        if (ir_attr_is(value, IR_ATTR_INTEGER) && value->value >= 0) {
            dims[i] = value->value;
            known = true;
        } else {
            operands[kept++] = size;
        }
    }
    if (known)
        rw_replace1(
            rw, op,
            cast_to(rw,
                    ir_build1(&rw->b, op->def, ir_type_with_shape(t, dims, t->count),
                              operands, kept, NULL, 0),
                    t));
    return known;
}

/* Sizes, strides and the offset that the type determines. */
static bool fold_known_metadata(ir_op *op, rw_rewriter *rw)
{
    ir_type type = ir_op_operand(op, 0)->type;
    memref_steps s;
    bool changed = false;
    if (type->kind != IR_TYPE_MEMREF || !memref_steps_of(type, &s) ||
        op->n_results != 2 + 2 * type->count)
        return false;
    for (uint32_t i = 1; i < op->n_results; i++) {
        int64_t n = i == 1                ? s.offset
                    : i < 2 + type->count ? type->dims[i - 2]
                                          : s.stride[i - 2 - type->count];
        if (n == IR_DYNAMIC || !op->results[i].uses)
            continue;
        rw_replace_uses(rw, &op->results[i], mixed_index(rw, n));
        changed = true;
    }
    return changed;
}

/* Inlines a scope in which nothing is allocated. */
static bool inline_scope(ir_op *op, rw_rewriter *rw)
{
    ir_block *body = ir_op_body(op, 0);
    if (!body || body->next)
        return false;
    for (const ir_op *o = body->first; o; o = o->next)
        if (o->n_regions || o->def == MEMREF_OP(alloca) ||
            ((o->def->traits & IR_UNREGISTERED) && o->n_regions))
            return false;
    rw_replace_by_block(rw, op, body);
    return true;
}

static const rw_pattern patterns[] = {
    {MEMREF_OP(alloc), fold_known_sizes, "memref.SimplifyAllocConst"},
    {MEMREF_OP(alloc), drop_unread, "memref.SimplifyDeadAlloc"},
    {MEMREF_OP(alloca), fold_known_sizes, "memref.SimplifyAllocaConst"},
    {MEMREF_OP(alloca), drop_unread, "memref.SimplifyDeadAlloca"},
    {MEMREF_OP(alloca_scope), inline_scope, "memref.AllocaScopeInliner"},
    {MEMREF_OP(copy), drop_idle_copy, "memref.FoldIdleCopy"},
    {MEMREF_OP(extract_strided_metadata), fold_known_metadata,
     "memref.FoldStridedMetadata"},
    {MEMREF_OP(realloc), drop_unread, "memref.SimplifyDeadRealloc"},
    {MEMREF_OP(subview), fold_constant_sizes, "memref.SubViewConstants"},
    {MEMREF_OP(subview), part_of_cast, "memref.SubViewOpMemRefCastFolder"},
    {MEMREF_OP(subview), all_of_it, "memref.TrivialSubViewOpFolder"},
    {MEMREF_OP(view), fold_known_view, "memref.ViewOpShapeFolder"},
};

const rw_pattern_table canonicalize_memref = {patterns, TW_COUNT(patterns)};
