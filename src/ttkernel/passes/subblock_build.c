/* subblock_build.c: sections of DST for several tiles. */
#include "ir/rewrite/effects.h"
#include "mlir/arith/arith.h"
#include "mlir/scf/scf.h"
#include "mlir/scf/scf_build.h"
#include "ttkernel/passes/invariant.h"
#include "ttkernel/passes/subblock.h"
#include "ttkernel/ttkernel.h"

enum { MAX_GROUP = 64 };

/* A group of operations for all tiles of a round. */
typedef struct round {
    const subblock_nest *nest;
    ir_value *base[SUBBLOCK_LOOPS]; /* the first iteration that each loop takes */
    ir_value *last; /* iterations of the outermost loop, where they differ */
    ir_mapping *map;
    ir_value *dst[SUBBLOCK_TILES]; /* register of the tile, by its number in the source */
} round;

static ir_op *outermost(const subblock_nest *n)
{
    return n->loops[n->n - 1];
}

/* Clones the index arithmetic that a value inside the nest needs. */
static void need(round *r, ir_builder *b, ir_value *v, const ir_op *inside)
{
    ir_op *owner = ir_value_block(v)->region->owner, *def = ir_value_def(v);
    if (ir_mapping_get(r->map, v) || !ir_op_is_ancestor(outermost(r->nest), owner) ||
        (inside && ir_op_is_ancestor(inside, owner)))
        return;
    assert(def);
    for (uint32_t i = 0; i < def->n_operands; i++)
        need(r, b, ir_op_operand(def, i), NULL);
    ir_op *copy = ir_op_clone(def, r->map);
    ir_op_insert_before(copy, b->before);
    for (uint32_t i = 0; i < def->n_results; i++)
        ir_mapping_set(r->map, &def->results[i], &copy->results[i]);
}

/* A value of the nest as the copies see it. */
static ir_value *mapped(round *r, ir_builder *b, ir_value *v)
{
    need(r, b, v, NULL);
    ir_value *to = ir_mapping_get(r->map, v);
    return to ? to : v;
}

static ir_value *add(ir_builder *b, ir_value *x, ir_value *y)
{
    return ir_build1(b, ARITH_OP(addi), x->type, IR_VALUES(x, y), NULL, 0);
}

static ir_value *times(ir_builder *b, ir_value *x, int64_t by)
{
    return by == 1 ? x
                   : ir_build1(b, ARITH_OP(muli), x->type, IR_VALUES(x, arith_index(b, by)),
                               NULL, 0);
}

/* Registers of the copy: those of the tile's number in the round. */
static void shift_registers(round *r, ir_op *copy)
{
    ir_op_list ops = ir_ops_in(copy, NULL);
    for (size_t k = 0; k < ops.n; k++)
        for (uint32_t i = 0; i < ops.at[k]->n_operands; i++) {
            ir_op *op = ops.at[k];
            int64_t index;
            if ((!subblock_is_tile_op(op) && !subblock_is_pack(op)) ||
                !subblock_is_register(op, i) ||
                !arith_constant_int(ir_op_operand(op, i), &index))
                continue;
            ir_builder b = ir_builder_before(op);
            ir_type type = ir_op_operand(op, i)->type;
            ir_value *to = r->dst[index];
            ir_op_set_operand(op, i,
                              to->type == type ? to
                                               : ir_build1(&b, ARITH_OP(index_cast), type,
                                                           IR_VALUES(to), NULL, 0));
        }
    ir_op_list_free(&ops);
}

static void copy_op(round *r, ir_builder *b, ir_op *op)
{
    ir_op_list ops = ir_ops_in(op, NULL);
    for (size_t k = 0; k < ops.n; k++)
        for (uint32_t i = 0; i < ops.at[k]->n_operands; i++)
            need(r, b, ir_op_operand(ops.at[k], i), op);
    ir_op_list_free(&ops);
    ir_op *copy = ir_op_clone(op, r->map);
    ir_op_insert_before(copy, b->before);
    shift_registers(r, copy);
}

/* The operands of a block behind those that it shares with a matmul of tiles. */
static size_t block_operands(ir_builder *b, const subblock_nest *n, ir_value **out)
{
    out[0] = ir_op_operand(n->init, n->init->n_operands - 1); /* whether to transpose */
    out[1] = arith_i32(b, n->columns);
    out[2] = arith_i32(b, n->rows);
    out[3] = arith_i32(b, n->inner);
    return 4;
}

static void build_product(round *r, ir_builder *b)
{
    const subblock_nest *n = r->nest;
    const ir_op *op = n->product;
    ir_value *operands[9];
    int64_t dst = 0;
    for (uint32_t d = 0; d < n->n; d++)
        ir_mapping_set(r->map, ir_op_body(n->loops[d], 0)->args[0], r->base[d]);
    for (uint32_t i = 0; i < 4; i++)
        operands[i] = mapped(r, b, ir_op_operand(op, i));
    arith_constant_int(ir_op_operand(op, 4), &dst);
    operands[4] = arith_index(b, dst * n->columns * n->rows);
    size_t count = 5 + block_operands(b, n, operands + 5);
    ir_build_op(b, TTKERNEL_OP(matmul_block), NULL, 0, operands, count, NULL, 0, 0);
}

static void build_product_init(const subblock_nest *n, ir_builder *b)
{
    bool all = n->init->def == TTKERNEL_OP(mm_init);
    ir_value *operands[7];
    size_t count = n->init->n_operands - 1;
    for (uint32_t i = 0; i < count; i++)
        operands[i] = ir_op_operand(n->init, i);
    count += block_operands(b, n, operands + count);
    ir_build_op(b, all ? TTKERNEL_OP(mm_block_init) : TTKERNEL_OP(mm_block_init_short),
                NULL, 0, operands, count, NULL, 0, 0);
}

/* Loops over the tiles of a round around copies of the operations. */
static void repeat(round *r, ir_builder *b, ir_op *const *ops, size_t n_ops)
{
    const subblock_nest *n = r->nest;
    ir_builder at = *b;
    if (n_ops == 1 && ops[0] == n->product) {
        build_product(r, b);
        return;
    }
    ir_value *tile = NULL; /* its number in the round */
    int64_t tiles = 1;
    for (uint32_t d = n->n; d-- > 0;) {
        ir_value *iv = r->base[d];
        tiles *= n->times[d];
        if (n->times[d] > 1) {
            ir_builder in;
            ir_value *to =
                d + 1 == n->n && r->last ? r->last : arith_index(&at, n->times[d]);
            ir_value *step = arith_index(&at, 1);
            ir_value *t = scf_for(&at, arith_index(&at, 0), to, step, &in);
            at = in;
            iv = add(&at, iv, t);
            tile = tile ? add(&at, times(&at, tile, n->times[d]), t) : t;
        }
        ir_mapping_set(r->map, ir_op_body(n->loops[d], 0)->args[0], iv);
    }
    for (int64_t i = 0; i < n->registers; i++)
        r->dst[i] = i ? add(&at, tile, arith_index(&at, i * tiles)) : tile;
    for (size_t i = 0; i < n_ops; i++)
        copy_op(r, &at, ops[i]);
}

static round next_group(const round *r)
{
    round fresh = *r;
    fresh.map = ir_mapping_create();
    return fresh;
}

/* An inner loop of tile operations alone goes outside of the loops over the tiles. */
static bool interchange(const round *r, ir_builder *b, ir_op *loop)
{
    ir_op *ops[MAX_GROUP];
    size_t n = 0;
    if (loop->def != SCF_OP(for) || !ttkernel_is_invariant(loop, outermost(r->nest)))
        return false;
    for (ir_op *op = ir_op_body(loop, 0)->first; op; op = op->next) {
        if (subblock_is_tile_op(op)) {
            if (n == MAX_GROUP)
                return false;
            ops[n++] = op;
        } else if (op->def != SCF_OP(yield) && (op->n_regions || !rw_is_pure(op)))
            return false;
    }
    round group = next_group(r);
    ir_value *bounds[3];
    for (uint32_t i = 0; i < 3; i++)
        bounds[i] = mapped(&group, b, ir_op_operand(loop, i));
    ir_builder in;
    ir_value *iv = scf_for(b, bounds[0], bounds[1], bounds[2], &in);
    ir_mapping_set(group.map, ir_op_body(loop, 0)->args[0], iv);
    repeat(&group, &in, ops, n);
    ir_mapping_free(group.map);
    return true;
}

static void flush(const round *r, ir_builder *b, ir_op **ops, size_t *n)
{
    if (*n && !(*n == 1 && interchange(r, b, ops[0]))) {
        round group = next_group(r);
        repeat(&group, b, ops, *n);
        ir_mapping_free(group.map);
    }
    *n = 0;
}

/* What is done once for all tiles of a round. */
static bool is_for_all(const subblock_nest *n, const ir_op *op)
{
    return op->def == TTKERNEL_OP(tile_regs_acquire) ||
           op->def == TTKERNEL_OP(tile_regs_commit) ||
           op->def == TTKERNEL_OP(tile_regs_wait) ||
           op->def == TTKERNEL_OP(tile_regs_release) ||
           (subblock_is_setup(op) && ttkernel_is_invariant(op, outermost(n)));
}

static void build_section(const round *r, ir_builder *b)
{
    ir_op *group[MAX_GROUP];
    size_t n = 0;
    for (ir_op *op = ir_op_body(r->nest->loops[0], 0)->first; op; op = op->next) {
        if (op->def == SCF_OP(yield) || rw_is_pure(op))
            continue;
        bool alone = op->def == SCF_OP(for) || op == r->nest->product;
        if (n == MAX_GROUP || alone || is_for_all(r->nest, op))
            flush(r, b, group, &n);
        b->loc = op->loc;
        if (r->nest->product && op == r->nest->init) {
            build_product_init(r->nest, b);
        } else if (is_for_all(r->nest, op)) {
            round once = next_group(r);
            for (uint32_t i = 0; i < op->n_operands; i++)
                need(&once, b, ir_op_operand(op, i), NULL);
            ir_op_insert_before(ir_op_clone(op, once.map), b->before);
            ir_mapping_free(once.map);
        } else {
            group[n++] = op;
        }
        if (alone)
            flush(r, b, group, &n);
    }
    flush(r, b, group, &n);
}

void subblock_build(const subblock_nest *n)
{
    uint32_t top = n->n - 1;
    ir_op *loop = n->loops[top];
    ir_builder b = ir_builder_before(loop), in = b;
    round r = {.nest = n};
    for (uint32_t d = 0; d < n->n; d++)
        r.base[d] = arith_index(&b, n->first[d]);
    int64_t by = n->times[top], trips = n->trips[top];
    if (by < trips) {
        ir_value *step = arith_index(&b, by);
        ir_value *end = arith_index(&b, n->first[top] + trips);
        r.base[top] = scf_for(&b, r.base[top], end, step, &in);
    }
    if (trips % by) {
        ir_value *end = arith_index(&in, n->first[top] + trips);
        ir_value *left =
            ir_build1(&in, ARITH_OP(subi), end->type, IR_VALUES(end, r.base[top]), NULL, 0);
        r.last = ir_build1(&in, ARITH_OP(minui), end->type,
                           IR_VALUES(left, arith_index(&in, by)), NULL, 0);
    }
    build_section(&r, &in);
    ir_op_erase(loop);
}
