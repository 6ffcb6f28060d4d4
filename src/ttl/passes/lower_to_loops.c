/* lower_to_loops.c: a ttl.compute becomes a nest of scf.for over the tiles of its
 * largest operand.  Each round takes the tiles that the indexing maps name, does what the
 * body says, and puts the results into the tensors that the loops carry. */
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "mlir/affine/affine.h"
#include "mlir/arith/arith.h"
#include "mlir/scf/scf.h"
#include "mlir/tensor/tensor.h"
#include "ttl/passes/dst.h"
#include "ttl/ttl_info.h"

#include <stdlib.h>

enum { MAX_LOOPS = 8, MAX_OUTPUTS = 32, MAX_TILES = 16 /* of DST */ };

typedef struct nest {
    ir_op *op; /* the compute */
    size_t n_inputs, n_outputs;
    uint32_t rank;
    ir_value *ivs[MAX_LOOPS];
    int64_t times[MAX_LOOPS]; /* tiles of one round: ttl.subblock */
    int64_t registers;        /* of DST, for one tile */
} nest;

static bool is_parallel(const ir_op *op)
{
    ir_attr kinds = ir_op_attr(op, "iterator_types");
    for (uint32_t i = 0; i < kinds->count; i++)
        if (!tw_str_is(ir_attr_str(kinds->items[i]), "parallel"))
            return false;
    return true;
}

/* Whose tiles the loops go through: the output's; with reductions those of the operand of
 * the highest rank, then of the largest volume. */
static ir_value *domain_of(const ir_op *op, size_t first_output)
{
    ir_value *best = op->operands[first_output].value;
    if (is_parallel(op) && best->type->count == ir_op_attr(op, "iterator_types")->count)
        return best;
    int64_t volume = 0;
    best = NULL;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        int64_t n = ir_type_num_elements(v->type);
        n = n < 0 ? 0 : n;
        if (!best || v->type->count > best->type->count ||
            (v->type->count == best->type->count && n > volume)) {
            best = v;
            volume = n;
        }
    }
    return best;
}

/* An affine expression of the loops: a loop's variable or a constant is itself. */
static ir_value *apply(ir_builder *b, const nest *n, ir_affine_map map, uint32_t result)
{
    ir_affine e = map->results[result];
    if (e->kind == IR_AFFINE_DIM)
        return n->ivs[e->value];
    if (e->kind == IR_AFFINE_CONSTANT)
        return arith_index(b, e->value);
    /* only the dimensions that occur become operands */
    ir_affine_map one = ir_affine_map_get(b->ctx, map->n_dims, 0, &e, 1);
    return ir_build1(b, AFFINE_OP(apply), ir_index_type(b->ctx), n->ivs, map->n_dims,
                     IR_ATTRS({"map", ir_affine_map_attr(b->ctx, one)}));
}

/* tensor[map(loops)] as operands behind `first` values; returns their number. */
static size_t indices(ir_builder *b, const nest *n, size_t operand, ir_value **out)
{
    ir_affine_map map = ir_op_attr(n->op, "indexing_maps")->items[operand]->map;
    for (uint32_t i = 0; i < map->n_results; i++)
        out[i] = apply(b, n, map, i);
    return map->n_results;
}

/* A tile of a round: what the body's values are for it. */
typedef struct tile {
    ir_mapping *map;
    nest at; /* with its position */
} tile;

static void take_tile(ir_builder *b, tile *t, ir_value *const *carried)
{
    const nest *n = &t->at;
    ir_block *body = ir_op_body(n->op, 0);
    t->map = ir_mapping_create();
    for (uint32_t i = 0; i < n->op->n_operands; i++) {
        ir_value *at[MAX_LOOPS + 1];
        at[0] = i < n->n_inputs ? n->op->operands[i].value : carried[i - n->n_inputs];
        size_t count = indices(b, n, i, at + 1);
        ir_mapping_set(
            t->map, body->args[i],
            ir_build1(b, TENSOR_OP(extract), at[0]->type->element, at, count + 1, NULL, 0));
    }
    for (ir_op *op = body->first; op; op = op->next)
        if (op->def == TTL_OP(linearized_index))
            ir_mapping_set(t->map, &op->results[0],
                           apply(b, n, ir_op_attr(op, "index_map")->map, 0));
}

/* An operation of the body for one tile, in registers of its own. */
static void do_tile(ir_builder *b, const tile *t, ir_op *op, int64_t shift)
{
    ir_op *copy = ir_op_clone(op, t->map);
    ir_block_append(b->block, copy);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_mapping_set(t->map, &op->results[i], &copy->results[i]);
    int64_t index = ir_op_int(op, "dst_idx", -1);
    if (index >= 0 && shift)
        ir_op_set_attr(copy, "dst_idx", ir_i32_attr(b->ctx, index + shift));
    ir_op *number =
        op->def == TTL_OP(copy_tile) ? ir_value_def(op->operands[2].value) : NULL;
    if (ir_op_is(number, ARITH_OP(constant)) && shift) {
        ir_builder in_front = ir_builder_before(copy);
        ir_op_set_operand(
            copy, 2,
            arith_index(&in_front, ir_attr_int(ir_op_attr(number, "value"), 0) + shift));
    }
}

static bool is_for_all(const ir_op *op)
{
    return op->def == TTL_OP(tile_regs_acquire) || op->def == TTL_OP(tile_regs_commit) ||
           op->def == TTL_OP(tile_regs_wait) || op->def == TTL_OP(tile_regs_release);
}

static void put_tile(ir_builder *b, const tile *t, ir_value **outputs)
{
    const nest *n = &t->at;
    for (size_t i = 0; i < n->n_outputs; i++) {
        ir_value *yielded = ir_op_body(n->op, 0)->last->operands[i].value;
        ir_value *made = ir_mapping_get(t->map, yielded), *at[MAX_LOOPS + 2];
        at[0] = made ? made : yielded;
        at[1] = outputs[i];
        size_t count = indices(b, n, n->n_inputs + i, at + 2);
        outputs[i] =
            ir_build1(b, TENSOR_OP(insert), outputs[i]->type, at, count + 2, NULL, 0);
    }
}

/* Where the k-th tile of a round lies, row-major. */
static void place_tile(ir_builder *b, tile *t, int64_t k)
{
    for (uint32_t d = t->at.rank; d-- > 0;) {
        int64_t by = k % t->at.times[d];
        k /= t->at.times[d];
        if (by)
            t->at.ivs[d] = ir_build1(b, ARITH_OP(addi), ir_index_type(b->ctx),
                                     IR_VALUES(t->at.ivs[d], arith_index(b, by)), NULL, 0);
    }
}

/* One round: `carried` are the outputs so far, `out` the outputs after it. */
static void process_tiles(ir_builder *b, const nest *n, ir_value *const *carried,
                          ir_value **out)
{
    tile tiles[MAX_TILES];
    ir_block *body = ir_op_body(n->op, 0);
    int64_t count = 1;
    for (uint32_t d = 0; d < n->rank; d++)
        count *= n->times[d];
    for (int64_t k = 0; k < count; k++) {
        tiles[k].at = *n;
        place_tile(b, &tiles[k], k);
        take_tile(b, &tiles[k], carried);
    }
    for (ir_op *op = body->first; op != body->last; op = op->next)
        for (int64_t k = 0; k < (is_for_all(op) ? 1 : count); k++)
            if (op->def != TTL_OP(linearized_index))
                do_tile(b, &tiles[k], op, k * n->registers);
    memcpy(out, carried, n->n_outputs * sizeof *out);
    for (int64_t k = 0; k < count; k++) {
        put_tile(b, &tiles[k], out);
        ir_mapping_free(tiles[k].map);
    }
}

/* How many tiles a round takes in each dimension. */
static void read_subblock(nest *n)
{
    ir_attr blocks = ir_op_attr(n->op, "ttl.subblock");
    int64_t count = 1;
    n->registers = ttl_dst_registers(n->op);
    for (uint32_t d = 0; d < n->rank; d++)
        n->times[d] = 1;
    if (!ir_attr_is(blocks, IR_ATTR_DENSE_ARRAY) || blocks->count != n->rank)
        return;
    for (uint32_t d = 0; d < n->rank; d++)
        count *= n->times[d] = TW_MAX(ir_dense_array_int(blocks, d), 1);
    for (uint32_t d = 0; d < n->rank && count > MAX_TILES; d++)
        n->times[d] = 1;
}

/* The loops from `depth` inwards; the results replace `out`. */
static void build_loops(ir_builder *b, nest *n, uint32_t depth, ir_value *const bounds[][3],
                        ir_value *const *carried, ir_value **out)
{
    if (depth == n->rank) {
        process_tiles(b, n, carried, out);
        return;
    }
    ir_value *operands[MAX_OUTPUTS + 3], *inner[MAX_OUTPUTS], *inside[MAX_OUTPUTS];
    ir_type types[MAX_OUTPUTS];
    memcpy(operands, bounds[depth], 3 * sizeof *operands);
    for (size_t i = 0; i < n->n_outputs; i++) {
        operands[3 + i] = carried[i];
        types[i] = carried[i]->type;
    }
    ir_op *loop = ir_build(
        b, &(ir_op_state) {.def = SCF_OP(for),
                                             .loc = b->loc,
                                             .operands = operands,
                                             .n_operands = n->n_outputs + 3,
                                             .results = types,
                                             .n_results = n->n_outputs,
                                             .n_regions = 1
        });
    /* an accumulating store distinguishes these from loops around the compute */
    if (ir_op_attr(n->op, "ttl.acc"))
        ir_op_set_attr(loop, "ttl.tile_loop", ir_unit_attr(b->ctx));
    ir_block *body = ir_block_create(b->ctx);
    ir_region_append(&loop->regions[0], body);
    n->ivs[depth] = ir_block_add_arg(b->ctx, body, ir_index_type(b->ctx), b->loc);
    for (size_t i = 0; i < n->n_outputs; i++)
        inner[i] = ir_block_add_arg(b->ctx, body, types[i], b->loc);
    ir_builder in = ir_builder_at_end(b->ctx, body, b->loc);
    build_loops(&in, n, depth + 1, bounds, inner, inside);
    ir_build_op(&in, SCF_OP(yield), NULL, 0, inside, n->n_outputs, NULL, 0, 0);
    for (size_t i = 0; i < n->n_outputs; i++)
        out[i] = &loop->results[i];
}

static bool lower(ir_op *op)
{
    nest n = {.op = op};
    size_t start;
    ir_op_operand_group(op, 0, &start, &n.n_inputs);
    ir_op_operand_group(op, 1, &start, &n.n_outputs);
    ir_value *domain = domain_of(op, n.n_inputs);
    n.rank = domain->type->count;
    if (n.rank > MAX_LOOPS || n.n_outputs > MAX_OUTPUTS)
        return ir_op_error(op,
                           "has %u dimensions and %zu outputs; loops are made for at "
                           "most %d and %d",
                           n.rank, n.n_outputs, MAX_LOOPS, MAX_OUTPUTS);
    for (ir_op *o = ir_op_body(op, 0)->first; o; o = o->next)
        if (o->def == TTL_OP(linearized_index) &&
            ir_op_attr(o, "index_map")->map->n_dims != n.rank)
            return ir_op_error(o, "index_map has %u dimensions, but the loops have %u",
                               ir_op_attr(o, "index_map")->map->n_dims, n.rank);
    read_subblock(&n);
    ir_builder b = ir_builder_before(op);
    ir_value *bounds[MAX_LOOPS][3], *outputs[MAX_OUTPUTS], *results[MAX_OUTPUTS];
    for (uint32_t i = 0; i < n.rank; i++) {
        int64_t extent = domain->type->dims[i];
        bounds[i][0] = arith_index(&b, 0);
        bounds[i][1] = extent != IR_DYNAMIC
                           ? arith_index(&b, extent)
                           : ir_build1(&b, TENSOR_OP(dim), ir_index_type(b.ctx),
                                       IR_VALUES(domain, arith_index(&b, i)), NULL, 0);
        bounds[i][2] = arith_index(&b, n.times[i]);
    }
    for (size_t i = 0; i < n.n_outputs; i++)
        outputs[i] = op->operands[n.n_inputs + i].value;
    build_loops(&b, &n, 0, (ir_value *const(*)[3])bounds, outputs, results);
    for (size_t i = 0; i < n.n_outputs; i++)
        ir_value_replace_uses(&op->results[i], results[i]);
    ir_op_erase(op);
    return true;
}

static ir_walk visit(ir_op *op, void *user)
{
    bool *ok = user;
    if (op->def == TTL_OP(compute) && !lower(op))
        *ok = false;
    return *ok ? IR_WALK_ON : IR_WALK_STOP;
}

static bool run(ir_op *func, pass_run *run)
{
    (void)run;
    bool ok = true;
    ir_walk_post(func, visit, &ok);
    /* equal bounds become one constant; unread tiles are erased */
    if (ok)
        rw_greedy(func, NULL, 0, NULL);
    return ok;
}

const pass_def ttl_lower_to_loops_pass = {
    .name = "ttl-lower-to-loops",
    .title = "TTLLowerToLoops",
    .summary = "Lower ttl.compute structured ops to scf.for loops",
    .anchor = "func.func",
    .run = run,
};
