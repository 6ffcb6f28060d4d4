/* unaligned_reads.c: reads of a shard whose elements do not have the remainders of
 * addresses that the NoC needs on both sides.
 *
 * The local buffer is filled in groups as long as the NoC aligns to.  For each element of a
 * group, the aligned window around its source is read into the group's own memory, and the
 * element is loaded from there; the elements are stored when all of them are known, so no
 * other memory is needed.  A window that the element before has read is not read again. */
#include "d2m/passes/unaligned_reads.h"

#include "d2m/allocation/buffer_memory.h"
#include "d2m/memory_map.h"
#include "mlir/affine/affine.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"
#include "mlir/memref/memref.h"
#include "mlir/scf/scf.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_tile.h"

enum { MAX_GROUP = 64, NE = 1 };

static int64_t alignment_of(ir_op *op, const ir_value *remote)
{
    return d2m_noc_alignment(op,
                             d2m_space_of(remote->type) == TTCORE_MemorySpace_DeviceDRAM);
}

/* True if each element's addresses have equal remainders at both ends. */
static bool is_congruent(const d2m_shard_read *r, int64_t alignment)
{
    int64_t point[D2M_MAX_RANK] = {0}, from, to;
    const uint32_t last = r->remote_map->n_results - 1;
    uint32_t i;
    do {
        if (!ir_affine_eval(r->remote_map->results[last], point, NULL, &from) ||
            !ir_affine_eval(r->local_map->results[0], point + r->n_grid, NULL, &to) ||
            (from - to) % alignment)
            return false;
        for (i = r->whole.n; i-- > 0;) {
            if (++point[i] < r->whole.at[i])
                break;
            point[i] = 0;
        }
    } while (i < r->whole.n);
    return true;
}

bool d2m_is_unaligned_read(const d2m_shard_read *r, int64_t contiguous)
{
    ir_type type = r->remote->type;
    int64_t bytes = d2m_element_bytes(type->element);
    int64_t alignment = alignment_of(r->op, r->remote);
    int64_t volume = ir_type_num_elements(r->local->type);
    if (ttcore_is_tile(type->element) || (bytes != 2 && bytes != 4) || alignment <= 0 ||
        alignment % bytes || alignment / bytes > MAX_GROUP)
        return false;
    return contiguous * bytes % alignment && volume * bytes % alignment == 0 &&
           !is_congruent(r, alignment);
}

/* The coordinates of an element of the local buffer by its row-major number. */
static ir_affine_map coordinates(ir_type local)
{
    ir_context *ctx = local->ctx;
    ir_affine at[D2M_MAX_RANK], number = ir_affine_dim(ctx, 0);
    int64_t stride = 1;
    for (uint32_t i = local->count; i-- > 0; stride *= local->dims[i]) {
        ir_affine e = ir_affine_binary(ctx, IR_AFFINE_FLOORDIV, number,
                                       ir_affine_constant(ctx, stride));
        e = ir_affine_binary(ctx, IR_AFFINE_MOD, e,
                             ir_affine_constant(ctx, local->dims[i]));
        at[i] = ir_affine_simplify(ctx, e, 1, 0);
    }
    return ir_affine_map_get(ctx, 1, 0, at, local->count);
}

static ir_value *differ(ir_builder *b, ir_value *x, ir_value *y)
{
    return ir_build1(b, ARITH_OP(cmpi), ir_integer_type(b->ctx, 1, IR_SIGNLESS),
                     IR_VALUES(x, y), IR_ATTRS({"predicate", ir_i64_attr(b->ctx, NE)}));
}

/* Reads a window, its core (or bank) and first byte, to a byte of the local buffer. */
static void read_window(ir_builder *b, const d2m_shard_read *r, ir_value *const window[3],
                        ir_value *to, int64_t elements)
{
    d2m_move m = {.src = r->remote,
                  .dst = r->local,
                  .n_from = 3,
                  .n_to = 1,
                  .elements = elements,
                  .like = r->op};
    memcpy(m.from, window, 3 * sizeof *window);
    m.to[0] = to;
    ir_value *tx = d2m_build_move(b, D2M_OP(dma_read), r->op->results[0].type, &m);
    ir_build_op(b, D2M_OP(dma_wait), NULL, 0, &tx, 1, NULL, 0, 0);
}

/* Reads the window unless it is the one before. */
static void read_other_window(ir_builder *b, const d2m_shard_read *r,
                              ir_value *const window[3], ir_value *const before[3],
                              ir_value *to, int64_t elements)
{
    ir_value *other = NULL;
    for (int i = 0; i < 3; i++) {
        if (window[i] == before[i])
            continue;
        ir_value *here = differ(b, window[i], before[i]);
        other = other ? arith_binary(b, ARITH_OP(ori), other, here) : here;
    }
    if (!other)
        return;
    ir_op *branch = ir_build_op(b, SCF_OP(if), NULL, 0, &other, 1, NULL, 0, 2);
    ir_block *block = ir_block_create(b->ctx);
    ir_region_append(&branch->regions[0], block);
    ir_builder in = ir_builder_at_end(b->ctx, block, b->loc);
    read_window(&in, r, window, to, elements);
    ir_build_op(&in, SCF_OP(yield), NULL, 0, NULL, 0, NULL, 0, 0);
}

void d2m_build_unaligned_read(ir_builder *b, const d2m_shard_read *r)
{
    ir_type local = r->local->type;
    int64_t bytes = d2m_element_bytes(local->element);
    int64_t alignment = alignment_of(r->op, r->remote), group = alignment / bytes;
    ir_affine_map shape = coordinates(local);
    ir_value *zero = arith_index(b, 0), *end = arith_index(b, ir_type_num_elements(local));
    ir_op *loop = scf_for_build(b, zero, end, arith_index(b, group));
    ir_builder in = ir_builder_before(ir_op_body(loop, 0)->last);
    ir_value *start = ir_op_body(loop, 0)->args[0], *element = arith_index(&in, bytes);
    ir_value *size = arith_index(&in, alignment), *window[2][3], *loaded[MAX_GROUP];
    ir_value *to = arith_binary(&in, ARITH_OP(muli), start, element);
    ir_value *position[MAX_GROUP][D2M_MAX_RANK];
    for (int64_t i = 0; i < group; i++) {
        ir_value *number = arith_binary(&in, ARITH_OP(addi), start, arith_index(&in, i));
        ir_value *at[2 * D2M_MAX_RANK], **now = window[i % 2], *lanes[D2M_MAX_RANK + 1];
        d2m_apply_map(&in, shape, 0, &number, position[i]);
        memcpy(at, r->grid, r->n_grid * sizeof *at);
        memcpy(at + r->n_grid, position[i], local->count * sizeof *at);
        d2m_apply_map(&in, r->remote_map, 1, at, now);
        ir_value *rest = arith_binary(&in, ARITH_OP(remui), now[2], size);
        now[2] = arith_binary(&in, ARITH_OP(subi), now[2], rest);
        if (i == 0)
            read_window(&in, r, now, to, group);
        else
            read_other_window(&in, r, now, window[(i + 1) % 2], to, group);
        ir_value *lane = arith_binary(&in, ARITH_OP(divui), rest, element);
        lane = arith_binary(&in, ARITH_OP(addi), start, lane);
        lanes[0] = r->local;
        d2m_apply_map(&in, shape, 0, &lane, lanes + 1);
        loaded[i] = ir_build1(&in, MEMREF_OP(load), local->element, lanes, 1 + local->count,
                              NULL, 0);
    }
    for (int64_t i = 0; i < group; i++) {
        ir_value *operands[D2M_MAX_RANK + 2] = {loaded[i], r->local};
        memcpy(operands + 2, position[i], local->count * sizeof *operands);
        ir_build_op(&in, MEMREF_OP(store), NULL, 0, operands, 2 + local->count, NULL, 0, 0);
    }
}
