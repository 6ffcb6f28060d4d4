/* expand_composite_reads.c: d2m-expand-dma-read-composite-view: a read of tensors that are
 * seen as one becomes loops that read each part from the tensor it is in. */
#include "d2m/generic.h"
#include "d2m/memory_map.h"
#include "d2m/passes/moves.h"
#include "ir/pass/pass.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"
#include "ttcore/ttcore_tile.h"

enum { MAX_PARTS = 64, ULT = 6 };

typedef struct part {
    ir_value *memref;
    ir_affine_map map;
    d2m_shape shard;
    int64_t extent; /* along the dimension of the parts, without padding */
} part;

typedef struct expansion {
    ir_op *read;
    ir_value *local, *grid[D2M_MAX_RANK];
    d2m_shape shard; /* of the local buffer */
    ir_affine_map local_map;
    part parts[MAX_PARTS];
    size_t n_parts, dim;
    int64_t step[D2M_MAX_RANK], elements;
    int64_t extent; /* of the whole, padding included */
} expansion;

/* The composite view behind views, or NULL. */
static ir_op *composite_of(ir_value *v)
{
    for (ir_op *def; (def = ir_value_def(v)) != NULL; v = ir_op_operand(def, 0)) {
        if (def->def == D2M_OP(composite_view))
            return def;
        if (def->def != D2M_OP(view_layout))
            return NULL;
    }
    return NULL;
}

static bool is_composite_read(const ir_op *op)
{
    return op->def == D2M_OP(dma_read) && composite_of(ir_op_operand_named(op, "src")) &&
           d2m_generic_around(op);
}

/* ---- reading ------------------------------------------------------------------------- */

static bool read_part(expansion *e, ir_op *view, size_t i)
{
    part *p = &e->parts[i];
    ir_attr sizes = ir_op_attr(view, "logicalSizes");
    p->memref = ir_op_operand(view, i);
    ir_type type = p->memref->type;
    if (type->kind != IR_TYPE_MEMREF || type->count != 2 * e->shard.n)
        return false;
    d2m_half_of(type, true, &p->shard);
    p->map = d2m_remote_map(e->read, p->memref);
    p->extent = type->dims[e->dim] * type->dims[e->shard.n + e->dim];
    if (!ttcore_is_tile(type->element)) {
        if (!sizes || i >= sizes->count)
            return false;
        p->extent = ir_dense_array_int(sizes, i);
    }
    return p->map != NULL;
}

/* Rows of elements are read in runs: along the last dimension as long as addresses are
 * aligned, else whole lines. */
static bool set_steps(expansion *e, ir_type element)
{
    for (uint32_t i = 0; i < e->shard.n; i++)
        e->step[i] = 1;
    e->elements = 1;
    if (ttcore_is_tile(element))
        return true;
    if (e->dim + 1 == e->shard.n) {
        int64_t bytes = ttcore_scalar_bytes(element);
        int64_t align = d2m_noc_alignment(e->read, false);
        if (bytes <= 0 || align < bytes)
            return false;
        e->elements = e->step[e->dim] = align / bytes;
        return true;
    }
    for (uint32_t i = (uint32_t)e->dim + 1; i < e->shard.n; i++) {
        e->elements *= e->shard.at[i];
        e->step[i] = e->shard.at[i];
    }
    return true;
}

static bool read_expansion(ir_op *op, ir_op *view, expansion *e)
{
    size_t first, n;
    ir_value *source = ir_op_operand_named(op, "src");
    *e = (expansion){.read = op, .local = ir_op_operand_named(op, "dst")};
    e->dim = (size_t)ir_op_int(view, "dim", 0);
    e->n_parts = view->n_operands;
    bool ok = d2m_shape_of(e->local->type, &e->shard) &&
              ir_op_operand_group(op, 1, &first, &n) && n == e->shard.n &&
              source->type->count == 2 * n && e->dim < n && e->n_parts &&
              e->n_parts <= MAX_PARTS && ir_op_int(op, "numElems", 0) == 0;
    for (size_t i = 0; ok && i < n; i++)
        e->grid[i] = ir_op_operand(op, first + i);
    for (size_t i = 0; ok && i < e->n_parts; i++)
        ok = read_part(e, view, i);
    if (ok) {
        e->extent = source->type->dims[e->dim] * source->type->dims[n + e->dim];
        e->local_map = d2m_local_map(e->local->type);
        ok = e->local_map && set_steps(e, source->type->element);
    }
    return ok || ir_op_error(op, "cannot be expanded to reads of the composite's tensors");
}

/* ---- building ------------------------------------------------------------------------ */

static ir_value *below(ir_builder *b, ir_value *x, int64_t limit)
{
    ir_value *end = arith_index(b, limit);
    return ir_build1(b, ARITH_OP(cmpi), ir_integer_type(b->ctx, 1, IR_SIGNLESS),
                     IR_VALUES(x, end), IR_ATTRS({"predicate", ir_i64_attr(b->ctx, ULT)}));
}

static ir_builder branch_body(ir_builder *b, ir_op *branch, size_t region)
{
    ir_block *block = ir_block_create(b->ctx);
    ir_region_append(&branch->regions[region], block);
    ir_builder in = ir_builder_at_end(b->ctx, block, b->loc);
    in.before = ir_build_op(&in, SCF_OP(yield), NULL, 0, NULL, 0, NULL, 0, 0);
    return in;
}

/* The position in the whole of a position in the shard. */
static ir_value *whole(ir_builder *b, const expansion *e, ir_value *const *at, size_t dim)
{
    ir_value *size = arith_index(b, e->shard.at[dim]);
    return arith_binary(b, ARITH_OP(addi),
                        arith_binary(b, ARITH_OP(muli), e->grid[dim], size), at[dim]);
}

static void read_from(ir_builder *b, const expansion *e, ir_value *const *at,
                      ir_value *along, const part *p, int64_t start)
{
    ir_value *full[2 * D2M_MAX_RANK], *from[8], *to[2];
    size_t n = e->shard.n;
    for (size_t i = 0; i < n; i++) {
        ir_value *position = i == e->dim ? along : whole(b, e, at, i);
        if (i == e->dim && start)
            position = arith_binary(b, ARITH_OP(subi), position, arith_index(b, start));
        ir_value *size = arith_index(b, p->shard.at[i]);
        full[i] = arith_binary(b, ARITH_OP(divsi), position, size);
        full[n + i] = arith_binary(b, ARITH_OP(remsi), position, size);
    }
    d2m_apply_map(b, p->map, 1, full, from);
    d2m_apply_map(b, e->local_map, 0, at, to);
    d2m_move m = {.src = p->memref,
                  .dst = e->local,
                  .from = {from[0], from[1], from[2]},
                  .to = {to[0]},
                  .n_from = 3,
                  .n_to = 1,
                  .elements = e->elements};
    ir_value *tx = d2m_build_move(b, D2M_OP(dma_read), e->read->results[0].type, &m);
    ir_build_op(b, D2M_OP(dma_wait), NULL, 0, &tx, 1, NULL, 0, 0);
}

/* Which part it is: a chain of comparisons. */
static void choose(ir_builder *b, const expansion *e, ir_value *const *at, ir_value *along,
                   size_t i, int64_t start)
{
    if (i + 1 == e->n_parts) {
        read_from(b, e, at, along, &e->parts[i], start);
        return;
    }
    int64_t end = start + e->parts[i].extent;
    ir_value *here = below(b, along, end);
    ir_op *branch = ir_build_op(b, SCF_OP(if), NULL, 0, &here, 1, NULL, 0, 2);
    ir_builder then = branch_body(b, branch, 0), other = branch_body(b, branch, 1);
    read_from(&then, e, at, along, &e->parts[i], start);
    choose(&other, e, at, along, i + 1, end);
}

static void expand(const expansion *e)
{
    ir_builder b = ir_builder_before(e->read);
    ir_value *at[D2M_MAX_RANK];
    int64_t total = 0;
    for (size_t i = 0; i < e->n_parts; i++)
        total += e->parts[i].extent;
    for (uint32_t i = 0; i < e->shard.n; i++) {
        ir_value *step = arith_index(&b, e->step[i]);
        ir_value *end = arith_index(&b, e->shard.at[i]);
        ir_op *loop = scf_for_build(&b, arith_index(&b, 0), end, step);
        at[i] = ir_op_body(loop, 0)->args[0];
        b = ir_builder_before(ir_op_body(loop, 0)->last);
    }
    ir_value *along = whole(&b, e, at, e->dim);
    if (total < e->extent) {
        ir_value *inside = below(&b, along, total);
        ir_op *guard = ir_build_op(&b, SCF_OP(if), NULL, 0, &inside, 1, NULL, 0, 2);
        /* kernels unpack tiles of padding, and tilize its rows: any values will do */
        ir_builder other = branch_body(&b, guard, 1);
        read_from(&other, e, at, arith_index(&other, 0), &e->parts[0], 0);
        b = branch_body(&b, guard, 0);
    }
    choose(&b, e, at, along, 0, 0);
}

/* ---- the generic --------------------------------------------------------------------- */

static bool reads_cb(const ir_op *op)
{
    return op->def == D2M_OP(get_cb);
}

/* The composite's tensors become inputs in its stead; numbers of later operands grow. */
static bool split_operand(ir_op *generic, ir_value *source, ir_op *view)
{
    d2m_generic g;
    int64_t at = d2m_generic_read(generic, &g) ? d2m_generic_index_of(&g, source) : -1;
    size_t n = view->n_operands;
    if (at < 0) /* by an earlier read of it */
        return true;
    if ((uint32_t)at >= g.n_inputs)
        return ir_op_error(generic, "a composite view must be an input");
    ir_value *parts[MAX_PARTS];
    for (size_t i = 0; i < n; i++)
        parts[i] = ir_op_operand(view, i);
    ir_op_splice_operands(generic, (size_t)at, 1, parts, n);
    int64_t sizes[] = {(int64_t)(g.n_inputs + n) - 1, g.n_outputs, g.n_extra};
    ir_op_set_attr(generic, "operandSegmentSizes",
                   ir_dense_i32_array(generic->ctx, sizes, 3));
    ir_op_list cbs = ir_ops_in(generic, reads_cb);
    for (size_t i = 0; i < cbs.n; i++) {
        int64_t index = ir_op_int(cbs.at[i], "cb_operand_idx", 0);
        ir_attr old = ir_op_attr(cbs.at[i], "cb_operand_idx");
        if (index > at)
            ir_op_set_attr(cbs.at[i], "cb_operand_idx",
                           ir_integer_attr(old->type, index + (int64_t)n - 1));
    }
    ir_op_list_free(&cbs);
    return true;
}

/* Waits for the read go; each part's read is waited for. */
static void drop(ir_op *read)
{
    ir_value *tx = &read->results[0];
    for (ir_operand *use = tx->uses, *next; use; use = next) {
        next = use->next_use;
        if (use->owner->def == D2M_OP(dma_wait))
            ir_op_erase(use->owner);
    }
    if (!ir_op_is_unused(read)) {
        ir_builder b = ir_builder_before(read);
        ir_value_replace_uses(tx,
                              ir_build1(&b, D2M_OP(null_tx), tx->type, NULL, 0, NULL, 0));
    }
    ir_op_erase(read);
}

static bool expand_read(ir_op *op)
{
    ir_value *source = ir_op_operand_named(op, "src");
    ir_op *view = composite_of(source);
    expansion e;
    if (!read_expansion(op, view, &e) ||
        !split_operand(d2m_generic_around(op), source, view))
        return false;
    expand(&e);
    drop(op);
    return true;
}

/* ---- the pass ------------------------------------------------------------------------ */

static bool is_composite_view(const ir_op *op)
{
    return op->def == D2M_OP(composite_view);
}

static void erase_dead_views(ir_op *op)
{
    if (op->def != D2M_OP(view_layout))
        return;
    for (ir_operand *use = op->results[0].uses, *next; use; use = next) {
        next = use->next_use;
        erase_dead_views(use->owner);
    }
    if (ir_op_is_unused(op))
        ir_op_erase(op);
}

static bool erase_view(ir_op *op)
{
    for (ir_operand *use = op->results[0].uses, *next; use; use = next) {
        next = use->next_use;
        erase_dead_views(use->owner);
    }
    if (!ir_op_is_unused(op))
        return ir_error(op->ctx, op->loc,
                        "Composite view has remaining uses after expansion.");
    ir_op_erase(op);
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list reads = ir_ops_in(module, is_composite_read);
    bool ok = true;
    for (size_t i = 0; i < reads.n && ok; i++)
        ok = expand_read(reads.at[i]);
    ir_op_list_free(&reads);
    ir_op_list views = ir_ops_in(module, is_composite_view);
    for (size_t i = views.n; i-- > 0 && ok;)
        ok = erase_view(views.at[i]);
    ir_op_list_free(&views);
    return ok;
}

const pass_def d2m_expand_dma_read_composite_view_pass = {
    .name = "d2m-expand-dma-read-composite-view",
    .summary = "Expand reads of composite views to reads of their tensors",
    .anchor = "builtin.module",
    .run = run,
};
