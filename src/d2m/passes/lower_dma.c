/* lower_dma.c: d2m-lower-dma-to-fully-indexed-form: transfers of shards become transfers of
 * contiguous elements between addresses, or keep their shards and get the numbers of their
 * tensor's pages. */
#include "d2m/generic.h"
#include "d2m/memory_map.h"
#include "d2m/passes/cbs.h"
#include "d2m/passes/moves.h"
#include "d2m/passes/nests.h"
#include "d2m/passes/unaligned_reads.h"
#include "ir/pass/pass.h"
#include "mlir/affine/affine.h"
#include "mlir/arith/arith.h"
#include "mlir/scf/scf.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_tile.h"

static bool is_transfer(const ir_op *op)
{
    return op->def == D2M_OP(dma_read) || op->def == D2M_OP(dma_write) ||
           op->def == D2M_OP(local_copy);
}

static size_t group(const ir_op *op, const char *name, ir_value **out)
{
    size_t first, n;
    if (!ir_op_operand_group(op, ir_op_operand_index(op->def, name), &first, &n))
        return 0;
    n = TW_MIN(n, (size_t)D2M_MAX_RANK);
    for (size_t i = 0; i < n; i++)
        out[i] = ir_op_operand(op, first + i);
    return n;
}

/* ---- building transfers */

ir_value *d2m_build_move(ir_builder *b, const ir_op_def *def, ir_type result,
                         const d2m_move *m)
{
    ir_value *operands[8 * D2M_MAX_RANK];
    int32_t sizes[8] = {1, (int32_t)m->n_from, 1, (int32_t)m->n_to};
    static const char *const others[] = {"mcastStartIndex", "mcastShape", "startDevice",
                                         "deviceMcastShape"};
    size_t n = 0, groups = 4;
    operands[n++] = m->src;
    for (size_t i = 0; i < m->n_from; i++)
        operands[n++] = m->from[i];
    operands[n++] = m->dst;
    for (size_t i = 0; i < m->n_to; i++)
        operands[n++] = m->to[i];
    for (size_t i = 0; def == D2M_OP(dma_write) && i < 4; i++) {
        size_t count = group(m->like, others[i], operands + n);
        sizes[groups++] = (int32_t)count;
        n += count;
    }
    ir_type i32 = ir_integer_type(b->ctx, 32, IR_SIGNLESS);
    ir_named_attr attrs[] = {
        {ir_ident_get(b->ctx, TW_STR("operandSegmentSizes")),
         ir_dense_array(i32, sizes, groups)},
        {ir_ident_get(b->ctx, TW_STR("numElems")), ir_i64_attr(b->ctx, m->elements)}};
    ir_op *op = ir_build(b, &(ir_op_state){.def = def,
                                           .loc = b->loc,
                                           .operands = operands,
                                           .n_operands = n,
                                           .results = &result,
                                           .n_results = 1,
                                           .attrs = attrs,
                                           .n_attrs = 2});
    return &op->results[0];
}

/* ---- loops over a shard */

/* A transfer and the maps of its two sides. */
typedef struct lowering {
    ir_op *op;
    bool read;
    ir_value *remote, *local, *grid[D2M_MAX_RANK];
    size_t n_grid;
    ir_affine_map remote_map, local_map; /* of a copy: of its source and destination */
    d2m_shape shard;
    int64_t factor;
    ir_value
        *blocks[D2M_MAX_RANK]; /* of a copy: the variables of blocking loops, or NULL */
} lowering;

static ir_value *build_at(ir_builder *b, const lowering *l, ir_value *const *position)
{
    ir_value *at[2 * D2M_MAX_RANK], *remote[4], *local[4];
    size_t n = l->n_grid;
    memcpy(at, l->grid, n * sizeof *at);
    memcpy(at + n, position, l->shard.n * sizeof *at);
    for (uint32_t i = 0; i < l->shard.n; i++)
        if (l->blocks[i]) {
            ir_value *size = arith_index(b, l->shard.at[i]);
            ir_value *start = ir_build1(b, ARITH_OP(muli), size->type,
                                        IR_VALUES(l->blocks[i], size), NULL, 0);
            at[n + i] = ir_build1(b, ARITH_OP(addi), size->type,
                                  IR_VALUES(start, position[i]), NULL, 0);
        }
    bool copy = l->op->def == D2M_OP(local_copy);
    size_t n_remote = copy ? 1 : 3;
    d2m_apply_map(b, l->remote_map, copy ? 0 : 1, at, remote);
    d2m_apply_map(b, l->local_map, 0, position, local);
    d2m_move m = {.elements = l->factor, .like = l->op};
    m.src = l->read ? l->remote : l->local;
    m.dst = l->read ? l->local : l->remote;
    m.n_from = l->read ? n_remote : 1;
    m.n_to = l->read ? 1 : n_remote;
    memcpy(m.from, l->read ? remote : local, m.n_from * sizeof *m.from);
    memcpy(m.to, l->read ? local : remote, m.n_to * sizeof *m.to);
    return d2m_build_move(b, l->read ? D2M_OP(dma_read) : D2M_OP(dma_write),
                          l->op->results[0].type, &m);
}

static ir_value *null_tx(ir_builder *b, ir_type type)
{
    return ir_build1(b, D2M_OP(null_tx), type, NULL, 0, NULL, 0);
}

static ir_builder yielding(ir_builder *b, ir_block *block)
{
    ir_builder in = ir_builder_at_end(b->ctx, block, b->loc);
    return in;
}

static void yield(ir_builder *b, ir_value *v)
{
    ir_build_op(b, SCF_OP(yield), NULL, 0, &v, 1, NULL, 0, 0);
}

/* The element's row-major number modulo the factor is 0. */
static ir_value *begins_run(ir_builder *b, const lowering *l, ir_value *const *position)
{
    enum { EQ = 0 };
    ir_type index = ir_index_type(b->ctx);
    ir_value *factor = arith_index(b, l->factor), *zero = arith_index(b, 0), *sum = zero;
    int64_t stride = 1;
    for (uint32_t i = l->shard.n; i-- > 0; stride *= l->shard.at[i]) {
        ir_value *scale = arith_index(b, stride);
        ir_value *term =
            ir_build1(b, ARITH_OP(muli), index, IR_VALUES(scale, position[i]), NULL, 0);
        sum = ir_build1(b, ARITH_OP(addi), index, IR_VALUES(term, sum), NULL, 0);
    }
    ir_value *rest = ir_build1(b, ARITH_OP(remsi), index, IR_VALUES(sum, factor), NULL, 0);
    return ir_build1(b, ARITH_OP(cmpi), ir_integer_type(b->ctx, 1, IR_SIGNLESS),
                     IR_VALUES(rest, zero),
                     IR_ATTRS({"predicate", ir_i64_attr(b->ctx, EQ)}));
}

/* The loop over one dimension of the shard, which carries the last transaction. */
static ir_value *build_loops(ir_builder *b, const lowering *l,
                             ir_value *const bounds[3][D2M_MAX_RANK], ir_value **position,
                             uint32_t dim, ir_value *carried)
{
    ir_type tx = l->op->results[0].type;
    if (dim == l->shard.n) {
        ir_value *first = begins_run(b, l, position);
        ir_op *branch = ir_build_op(b, SCF_OP(if), &tx, 1, &first, 1, NULL, 0, 2);
        for (int r = 0; r < 2; r++) {
            ir_block *block = ir_block_create(b->ctx);
            ir_region_append(&branch->regions[r], block);
            ir_builder in = yielding(b, block);
            yield(&in, r == 0 ? build_at(&in, l, position) : carried);
        }
        return &branch->results[0];
    }
    ir_value *operands[] = {bounds[0][dim], bounds[1][dim], bounds[2][dim], carried};
    ir_op *loop = ir_build_op(b, SCF_OP(for), &tx, 1, operands, 4, NULL, 0, 1);
    ir_block *body = ir_block_create(b->ctx);
    ir_region_append(&loop->regions[0], body);
    position[dim] = ir_block_add_arg(b->ctx, body, ir_index_type(b->ctx), b->loc);
    ir_value *inner = ir_block_add_arg(b->ctx, body, tx, b->loc);
    ir_builder in = yielding(b, body);
    yield(&in, build_loops(&in, l, bounds, position, dim + 1, inner));
    return &loop->results[0];
}

static bool lower(const lowering *l)
{
    ir_builder b = ir_builder_before(l->op);
    ir_value *position[D2M_MAX_RANK], *bounds[3][D2M_MAX_RANK], *tx;
    if (l->factor == d2m_volume(&l->shard)) {
        ir_value *zero = arith_index(&b, 0);
        for (uint32_t i = 0; i < l->shard.n; i++)
            position[i] = zero;
        tx = build_at(&b, l, position);
    } else {
        ir_value *zero = arith_index(&b, 0), *one = arith_index(&b, 1);
        for (uint32_t i = 0; i < l->shard.n; i++) {
            bounds[0][i] = zero;
            bounds[1][i] = arith_index(&b, l->shard.at[i]);
            bounds[2][i] = one;
        }
        tx = build_loops(&b, l, bounds, position, 0, null_tx(&b, l->op->results[0].type));
    }
    ir_value_replace_uses(&l->op->results[0], tx);
    ir_op_erase(l->op);
    return true;
}

/* ---- shards of tensors */

static bool lower_remote(ir_op *op)
{
    bool read = op->def == D2M_OP(dma_read);
    lowering l = {.op = op, .read = read};
    d2m_shape whole;
    l.remote = ir_op_operand_named(op, read ? "src" : "dst");
    l.local = ir_op_operand_named(op, read ? "dst" : "src");
    l.n_grid = group(op, read ? "srcIndices" : "dstIndices", l.grid);
    ir_type type = l.remote->type;
    if (!d2m_is_remote(type) || type->count % 2 || l.n_grid != type->count / 2 ||
        !d2m_shape_of(type, &whole) || !d2m_shape_of(l.local->type, &l.shard) ||
        l.shard.n != l.n_grid)
        return ir_op_error(op,
                           "expected grid indices of memory with a device layout, and a "
                           "local buffer of a shard");
    d2m_half_of(type, true, &l.shard);
    l.remote_map = d2m_remote_map(op, l.remote);
    l.local_map = d2m_local_map(l.local->type);
    if (!l.remote_map)
        return ir_op_error(op, "the layout of its remote memory has no addresses on this "
                               "device");
    l.factor = d2m_contiguous_elements(l.remote_map, &whole, (uint32_t)l.n_grid,
                                       d2m_element_bytes(type->element));
    const d2m_shard_read r = {.op = op,
                              .remote = l.remote,
                              .local = l.local,
                              .grid = l.grid,
                              .n_grid = l.n_grid,
                              .whole = whole,
                              .remote_map = l.remote_map,
                              .local_map = l.local_map};
    if (!read || !d2m_is_unaligned_read(&r, l.factor))
        return lower(&l);
    ir_builder b = ir_builder_before(op);
    d2m_build_unaligned_read(&b, &r);
    ir_value_replace_uses(&op->results[0], null_tx(&b, op->results[0].type));
    ir_op_erase(op);
    return true;
}

/* The whole block goes to the same address of all cores. */
static bool lower_multicast(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *src = ir_op_operand_named(op, "src"), *zero = arith_index(&b, 0);
    d2m_move m = {.src = src,
                  .dst = ir_op_operand_named(op, "dst"),
                  .from = {zero},
                  .to = {zero},
                  .n_from = 1,
                  .n_to = 1,
                  .elements = ir_type_num_elements(src->type),
                  .like = op};
    ir_value *tx = d2m_build_move(&b, D2M_OP(dma_write), op->results[0].type, &m);
    ir_value_replace_uses(&op->results[0], tx);
    ir_op_erase(op);
    return true;
}

/* A copy within a core; blocking loops around it offset the source. */
static bool lower_copy(ir_op *op)
{
    lowering l = {.op = op, .read = true};
    ir_attr maps = ir_op_attr(op, "indexing_maps");
    ir_context *ctx = op->ctx;
    l.remote = ir_op_operand_named(op, "src");
    l.local = ir_op_operand_named(op, "dst");
    if (!l.remote || !l.local || !d2m_shape_of(l.local->type, &l.shard) ||
        !ir_affine_map_is_identity(maps->items[1]->map))
        return true; /* as in tt-mlir such copies stay for the conversions to report */
    l.remote_map = d2m_compose(ctx, d2m_local_map(l.remote->type), maps->items[0]->map);
    l.local_map = d2m_local_map(l.local->type);
    for (ir_op *loop = ir_op_parent(op); loop; loop = ir_op_parent(loop)) {
        ir_attr dim = d2m_is_loop(loop) ? ir_op_attr(loop, "d2m.blocking_loop") : NULL;
        if (!ir_attr_is(dim, IR_ATTR_INTEGER))
            continue;
        if (dim->value < 0 || dim->value >= l.shard.n)
            return true;
        l.blocks[dim->value] = d2m_loop_variable(loop);
    }
    l.factor = d2m_contiguous_elements(l.remote_map, &l.shard, 0,
                                       d2m_element_bytes(l.remote->type->element));
    return lower(&l);
}

static bool lower_op(ir_op *op)
{
    if (op->def == D2M_OP(local_copy))
        return !op->n_results || op->results[0].type->kind != IR_TYPE_DIALECT ||
               lower_copy(op);
    if (ir_op_int(op, "numElems", 0) != 0 || ir_op_attr(op, "tensorAccessorPageMap"))
        return true;
    return op->def == D2M_OP(dma_write) && d2m_group_size(op, "mcastStartIndex")
               ? lower_multicast(op)
               : lower_remote(op);
}

/* ---- pages of tensors */

enum { MAX_ACCESSOR_RANK = 8 };

/* From view coordinates to the tile's row-major number in its tensor; NULL if the memory is
 * not one that accessors read. */
static ir_affine_map page_map(ir_value *remote)
{
    ir_value *base;
    ir_affine_map view;
    if (!d2m_behind_views(remote, &base, &view))
        return NULL;
    ir_type type = base->type;
    ir_attr layout = type->encoding;
    bool sharded = ir_attr_is(layout, IR_ATTR_DIALECT) && layout->def == TTCORE_ATTR(shard);
    bool interleaved =
        ir_attr_is(layout, IR_ATTR_DIALECT) && layout->def == TTCORE_ATTR(interleaved);
    int64_t space = d2m_space_of(type);
    uint32_t rank = type->count / 2;
    if (!ttcore_is_tile(type->element) || (!sharded && !interleaved) || type->count % 2 ||
        rank == 0 || rank > MAX_ACCESSOR_RANK || view->n_results != type->count ||
        (space != TTCORE_MemorySpace_DeviceDRAM &&
         (interleaved || space != TTCORE_MemorySpace_DeviceL1)))
        return NULL;
    ir_context *ctx = type->ctx;
    ir_affine page = ir_affine_constant(ctx, 0);
    int64_t strides[MAX_ACCESSOR_RANK], stride = 1;
    for (uint32_t i = rank; i-- > 0; stride *= type->dims[i] * type->dims[rank + i])
        strides[i] = stride;
    for (uint32_t i = 0; i < rank; i++) {
        ir_affine e = ir_affine_binary(ctx, IR_AFFINE_MUL, ir_affine_dim(ctx, i),
                                       ir_affine_constant(ctx, type->dims[rank + i]));
        e = ir_affine_binary(ctx, IR_AFFINE_ADD, e, ir_affine_dim(ctx, rank + i));
        e = ir_affine_binary(ctx, IR_AFFINE_MUL, e, ir_affine_constant(ctx, strides[i]));
        page = ir_affine_binary(ctx, IR_AFFINE_ADD, page, e);
    }
    ir_affine_map map =
        d2m_compose(ctx, ir_affine_map_get(ctx, type->count, 0, &page, 1), view);
    ir_affine e = ir_affine_simplify(ctx, map->results[0], map->n_dims, 0);
    return ir_affine_map_get(ctx, map->n_dims, 0, &e, 1);
}

/* Pages must be whole multiples of what the NoC aligns to at both ends. */
static bool is_aligned(ir_op *op, ir_type type)
{
    int64_t bytes = d2m_element_bytes(type->element);
    int64_t l1 = d2m_noc_alignment(op, false);
    int64_t dram = d2m_noc_alignment(op, true);
    return l1 > 0 && dram > 0 && bytes % l1 == 0 &&
           (d2m_space_of(type) != TTCORE_MemorySpace_DeviceDRAM || bytes % dram == 0);
}

static ir_affine_map accessor_map(ir_op *op)
{
    bool read = op->def == D2M_OP(dma_read);
    ir_value *remote = ir_op_operand_named(op, read ? "src" : "dst"), *at[D2M_MAX_RANK];
    ir_value *local = ir_op_operand_named(op, read ? "dst" : "src");
    const ir_op *generic = d2m_generic_around(op);
    d2m_shape shard;
    if (ir_op_int(op, "numElems", 0) != 0 || !d2m_is_remote(remote->type) || !generic ||
        d2m_operand_index(generic, remote) < 0 ||
        (!read &&
         (d2m_group_size(op, "mcastStartIndex") || d2m_group_size(op, "startDevice") ||
          d2m_group_size(op, "deviceMcastShape"))) ||
        !ttcore_is_tile(remote->type->element) ||
        remote->type->element != local->type->element || !is_aligned(op, remote->type))
        return NULL;
    d2m_half_of(remote->type, true, &shard);
    if (group(op, read ? "srcIndices" : "dstIndices", at) != remote->type->count / 2 ||
        d2m_volume(&shard) != ir_type_num_elements(local->type))
        return NULL;
    return page_map(remote);
}

static bool set_accessors(const ir_op_list *ops, bool wanted)
{
    for (size_t i = 0; i < ops->n; i++) {
        ir_op *op = ops->at[i];
        if (op->def == D2M_OP(local_copy))
            continue;
        if (ir_op_attr(op, "tensorAccessorPageMap"))
            return ir_op_error(op, "unexpected pre-existing TensorAccessor page map");
        ir_affine_map map = wanted ? accessor_map(op) : NULL;
        if (map)
            ir_op_set_attr(op, "tensorAccessorPageMap", ir_affine_map_attr(op->ctx, map));
    }
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    ir_op_list ops = ir_ops_in(module, is_transfer);
    bool ok = set_accessors(&ops, pass_option_bool(run, "use-tensor-accessor-dma"));
    for (size_t i = 0; i < ops.n && ok; i++)
        ok = lower_op(ops.at[i]);
    ir_op_list_free(&ops);
    return ok;
}

const pass_def d2m_lower_dma_to_fully_indexed_form_pass = {
    .name = "d2m-lower-dma-to-fully-indexed-form",
    .summary = "Lower transfers of shards to transfers between addresses",
    .anchor = "builtin.module",
    .run = run,
    .options =
        IR_LIST(pass_option_def,
                {"debug-d2m-coalescing-inference", PASS_BOOL, "false",
                 "Compare two ways to find contiguous elements",
                 "contiguous elements are always found by going through all of them", NULL},
                {"use-tensor-accessor-dma", PASS_BOOL, "false",
                 "Leave transfers of tiles to tensor accessors", NULL, NULL}),
};
