/* subblock_dst.c: ttkernel-subblock-dst: computes as many tiles between one acquire and one
 * release of DST as it holds.
 *
 * Loops over tiles around one section,
 *
 *   for j in 0..N { acquire; init; op(a[j], dst 0); commit; wait; pack(dst 0, out[j]);
 *                   release }
 *
 * become, for n tiles that fit,
 *
 *   for j in 0..N by n { acquire; init; for t in 0..n { op(a[j + t], dst t) } commit;
 *                        wait; for t in 0..n { pack(dst t, out[j + t]) } release }
 *
 * so that inits, reconfigurations and the exchange of DST are paid once for n tiles.  An
 * inner loop of tile operations alone, such as a matmul's over K, stays outside of the loop
 * over t. Every tile is computed and packed as before and in the same order, so the bytes
 * are the same. */
#include "ir/pass/pass.h"
#include "ir/rewrite/effects.h"
#include "mlir/arith/arith.h"
#include "mlir/scf/scf.h"
#include "ttkernel/passes/invariant.h"
#include "ttkernel/passes/setup.h"
#include "ttkernel/passes/subblock.h"

/* ---- operations on tiles ------------------------------------------------------------- */

static const char *const dst_names[] = {
    "dst_index",       "dst0_index",     "dst1_index",     "odst_index",
    "dst_tile_idx",    "dst_tile_index", "tile_index_dst", "idst",
    "idst_in",         "idst_out",       "dst_cond_index", "dst_true_index",
    "dst_false_index", "tile_index"};

bool subblock_is_tile_op(const ir_op *op)
{
    if (op->def == TTKERNEL_OP(rand_tile) || /* its values depend on the order of all */
        op->def == TTKERNEL_OP(matmul_block))
        return false;
    bool unit = ir_def_has(op->def, "TTKernel_SFPUOpTrait") ||
                ir_def_has(op->def, "TTKernel_FPUOpTrait");
    return (unit && (ir_def_has(op->def, "TTKernel_UnaryOpTrait") ||
                     ir_def_has(op->def, "TTKernel_BinaryOpTrait") ||
                     ir_def_has(op->def, "TTKernel_TernaryOpTrait"))) ||
           op->def == TTKERNEL_OP(copy_tile) || op->def == TTKERNEL_OP(matmul_tiles) ||
           op->def == TTKERNEL_OP(transpose_wh_tile) ||
           op->def == TTKERNEL_OP(binary_dest_reuse_tiles);
}

bool subblock_is_register(const ir_op *op, size_t i)
{
    for (size_t k = 0; k < TW_COUNT(dst_names); k++)
        if (strcmp(op->def->operands.at[i].name, dst_names[k]) == 0)
            return true;
    return false;
}

bool subblock_is_pack(const ir_op *op)
{
    return op->def == TTKERNEL_OP(pack_tile);
}

bool subblock_is_setup(const ir_op *op)
{
    return ttkernel_is_init(op) || ttkernel_is_format_change(op) ||
           ttkernel_is_accumulation(op);
}

/* ---- finding a section --------------------------------------------------------------- */

/* A loop of known bounds with step 1 that carries no values. */
static bool is_counted(const ir_op *loop, int64_t *first, int64_t *trips)
{
    int64_t to, step;
    if (!ir_op_is(loop, SCF_OP(for)) || loop->n_results ||
        !arith_constant_int(ir_op_operand(loop, 0), first) ||
        !arith_constant_int(ir_op_operand(loop, 1), &to) ||
        !arith_constant_int(ir_op_operand(loop, 2), &step) || step != 1)
        return false;
    *trips = to - *first;
    return *trips > 0;
}

/* Registers have constant numbers; `registers` becomes the number of those in use. */
static bool note_registers(const ir_op *op, int64_t *registers)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        int64_t index;
        if (!subblock_is_register(op, i))
            continue;
        if (!arith_constant_int(ir_op_operand(op, i), &index) || index < 0)
            return false;
        *registers = TW_MAX(*registers, index + 1);
    }
    return true;
}

/* Between acquire and commit: tile operations, what sets them up, and loops of these. */
static bool is_compute(ir_op *op, int64_t *registers)
{
    if (op->def == SCF_OP(yield) || subblock_is_setup(op) || rw_is_pure(op))
        return op->n_regions == 0;
    if (subblock_is_tile_op(op))
        return note_registers(op, registers);
    if (op->def != SCF_OP(for) || op->n_results)
        return false;
    for (ir_op *at = ir_op_body(op, 0)->first; at; at = at->next)
        if (!is_compute(at, registers))
            return false;
    return true;
}

static bool is_section(ir_op *loop, int64_t *registers)
{
    const ir_op_def *steps[] = {TTKERNEL_OP(tile_regs_acquire),
                                TTKERNEL_OP(tile_regs_commit), TTKERNEL_OP(tile_regs_wait),
                                TTKERNEL_OP(tile_regs_release)};
    size_t step = 0;
    for (ir_op *op = ir_op_body(loop, 0)->first; op; op = op->next) {
        if (step < TW_COUNT(steps) && op->def == steps[step]) {
            step++;
        } else if (subblock_is_pack(op)) {
            if (step != 3 || !note_registers(op, registers))
                return false;
        } else if (step == 1
                       ? !is_compute(op, registers)
                       : op->n_regions || (!rw_is_pure(op) && !subblock_is_setup(op) &&
                                           op->def != SCF_OP(yield))) {
            return false;
        }
    }
    return step == TW_COUNT(steps) && *registers > 0;
}

/* True if two values are one circular buffer, as far as one can see. */
static bool is_same_buffer(const ir_value *a, const ir_value *b)
{
    const ir_op *x = ir_value_def(a), *y = ir_value_def(b);
    return a == b || !ir_op_is(x, TTKERNEL_OP(get_compile_time_arg_val)) ||
           !ir_op_is(y, TTKERNEL_OP(get_compile_time_arg_val)) ||
           ir_op_int(x, "arg_index", -1) == ir_op_int(y, "arg_index", -2);
}

/* True if a later tile reads a buffer that an earlier one is packed to. */
static bool reads_what_it_packs(const ir_op_list *ops)
{
    for (size_t p = 0; p < ops->n; p++)
        for (size_t t = 0; subblock_is_pack(ops->at[p]) && t < ops->n; t++)
            for (uint32_t i = 0;
                 subblock_is_tile_op(ops->at[t]) && i < ops->at[t]->n_operands; i++)
                if (ttkernel_is_cb(ir_op_operand(ops->at[t], i)->type) &&
                    is_same_buffer(ir_op_operand(ops->at[t], i),
                                   ir_op_operand_named(ops->at[p], "out_cb")))
                    return true;
    return false;
}

/* What is set up in the section itself does not depend on the loop. */
static bool sets_up_alike(const ir_op *section, const ir_op *loop)
{
    for (const ir_op *op = ir_op_body(section, 0)->first; op; op = op->next)
        if (subblock_is_setup(op) && !ttkernel_is_accumulation(op) &&
            !ttkernel_is_invariant(op, loop))
            return false;
    return true;
}

/* The loop around another that holds nothing else. */
static ir_op *only_loop_around(ir_op *loop, int64_t *first, int64_t *trips)
{
    ir_op *outer = ir_op_parent(loop);
    if (!is_counted(outer, first, trips))
        return NULL;
    for (ir_op *op = ir_op_body(outer, 0)->first; op; op = op->next)
        if (op != loop && op->def != SCF_OP(yield) && (op->n_regions || !rw_is_pure(op)))
            return NULL;
    return outer;
}

static void find_loops(ir_op *section, subblock_nest *n)
{
    ir_op *loop = section;
    int64_t first, trips;
    if (!is_counted(loop, &first, &trips))
        return;
    while (loop && n->n < SUBBLOCK_LOOPS && sets_up_alike(section, loop)) {
        n->loops[n->n] = loop;
        n->first[n->n] = first;
        n->trips[n->n++] = trips;
        loop = only_loop_around(loop, &first, &trips);
    }
}

/* Whole rows of tiles if they fit, else parts of a row: parts of equal size if these fill
 * more than half of DST, or else as many tiles as it holds and a shorter last part.  Keeps
 * the loops up to the outermost of which several iterations are taken together. */
static bool choose_times(subblock_nest *n, int64_t capacity)
{
    int64_t room = TW_MIN(capacity, SUBBLOCK_TILES) / n->registers;
    uint32_t kept = 0;
    for (uint32_t d = 0; d < n->n; d++) {
        int64_t times = TW_MIN(room, n->trips[d]);
        if (times < n->trips[d]) {
            while (times * 2 > room && n->trips[d] % times)
                times--;
            times = times * 2 > room ? times : TW_MAX(room, 1);
        }
        n->times[d] = times;
        kept = times > 1 ? d + 1 : kept;
        if (times < n->trips[d])
            break;
        room /= times;
    }
    n->n = kept;
    return kept > 0;
}

/* ---- matmuls in blocks --------------------------------------------------------------- */

/* How much an index grows with a loop's variable; false if that cannot be seen. */
static bool growth(ir_value *v, const ir_value *iv, int64_t *out)
{
    ir_op *def = ir_value_def(v);
    int64_t a, b, factor;
    *out = v == iv;
    if (!def || arith_constant_int(v, &a) ||
        !ir_op_is_ancestor(((ir_block *)iv->owner)->region->owner, def))
        return true;
    if (def->n_operands != 2 || !growth(ir_op_operand(def, 0), iv, &a) ||
        !growth(ir_op_operand(def, 1), iv, &b))
        return false;
    if (def->def == ARITH_OP(addi))
        *out = a + b;
    else if (def->def == ARITH_OP(muli) &&
             arith_constant_int(ir_op_operand(def, 1), &factor))
        *out = a * factor;
    else if (def->def == ARITH_OP(muli) &&
             arith_constant_int(ir_op_operand(def, 0), &factor))
        *out = b * factor;
    else if (def->def != ARITH_OP(muli) || a || b)
        return false;
    return true;
}

static bool is_product(const ir_op *op)
{
    return op->def == TTKERNEL_OP(matmul_tiles);
}

static bool is_product_init(const ir_op *op)
{
    return op->def == TTKERNEL_OP(mm_init) || op->def == TTKERNEL_OP(mm_init_short);
}

static ir_op *only(ir_op *loop, ir_op_test *wanted)
{
    ir_op_list found = ir_ops_in(loop, wanted);
    ir_op *op = found.n == 1 ? found.at[0] : NULL;
    ir_op_list_free(&found);
    return op;
}

/* True if nothing but the product is repeated for its tiles: it is in the section itself,
 * or alone in a loop that all tiles share. */
static bool stands_alone(const ir_op *product, const subblock_nest *n)
{
    const ir_op *loop = ir_op_parent((ir_op *)product);
    if (loop == n->loops[0])
        return true;
    if (loop->def != SCF_OP(for) || ir_op_parent((ir_op *)loop) != n->loops[0] ||
        !ttkernel_is_invariant(loop, n->loops[n->n - 1]))
        return false;
    for (const ir_op *op = ir_op_body(loop, 0)->first; op; op = op->next)
        if (op != product && op->def != SCF_OP(yield) && (op->n_regions || !rw_is_pure(op)))
            return false;
    return true;
}

/* The rows and columns of a section's only matmul, if all its tiles are one block: a loop
 * over columns moves in the second matrix by a tile, one over rows in the first by its
 * width. */
static void find_block(subblock_nest *n)
{
    ir_op *product = only(n->loops[0], is_product),
          *init = only(n->loops[0], is_product_init);
    int64_t columns = 1, rows = 1, inner = 1;
    if (!product || !init || init->block != ir_op_body(n->loops[0], 0) ||
        !stands_alone(product, n) || n->trips[n->n - 1] % n->times[n->n - 1])
        return;
    for (uint32_t d = 0; d < n->n; d++) {
        const ir_value *iv = ir_op_body(n->loops[d], 0)->args[0];
        int64_t first, second;
        if (n->times[d] == 1)
            continue;
        if (!growth(ir_op_operand(product, 2), iv, &first) ||
            !growth(ir_op_operand(product, 3), iv, &second))
            return;
        if (!first && second == 1 && columns == 1 && rows == 1)
            columns = n->times[d];
        else if (!second && first > 0 && rows == 1) {
            rows = n->times[d];
            inner = first;
        } else
            return;
    }
    n->product = product;
    n->init = init;
    n->columns = columns;
    n->rows = rows;
    n->inner = inner;
}

/* ---- the pass ------------------------------------------------------------------------ */

static bool is_acquire(const ir_op *op)
{
    return op->def == TTKERNEL_OP(tile_regs_acquire);
}

static bool run(ir_op *func, pass_run *run)
{
    int64_t capacity = pass_option_int(run, "dst-capacity");
    ir_op_list acquires = ir_ops_in(func, is_acquire);
    for (size_t i = 0; i < acquires.n; i++) {
        ir_op *loop = ir_op_parent(acquires.at[i]);
        subblock_nest n = {0};
        if (!ir_op_is(loop, SCF_OP(for)) || !is_section(loop, &n.registers))
            continue;
        ir_op_list ops = ir_ops_in(loop, NULL);
        bool safe = !reads_what_it_packs(&ops);
        ir_op_list_free(&ops);
        if (safe)
            find_loops(loop, &n);
        if (choose_times(&n, capacity)) {
            find_block(&n);
            subblock_build(&n);
        }
    }
    ir_op_list_free(&acquires);
    return true;
}

const pass_def ttkernel_subblock_dst_pass = {
    .name = "ttkernel-subblock-dst",
    .summary = "Compute as many tiles in one section of DST as it holds",
    .anchor = "func.func",
    .options = IR_LIST(pass_option_def,
                       {"dst-capacity", PASS_INT, "4",
                        "Tiles that DST holds: 4 of 32 bits or 8 of 16 if half of it is "
                        "the packer's, twice as many otherwise"}),
    .run = run,
};
