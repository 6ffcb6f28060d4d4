/* connect.c: see connect.h. */
#include "ttl/passes/connect.h"

#include "mlir/arith/arith.h"
#include "ttl/passes/distribute.h"
#include "ttl/ttl_info.h"

/* A core has as many; a pipe needs three of them, a semaphore its own and a word that is
 * sent to others. */
enum { SEMAPHORES = 32, OF_PIPE = 3 };

/* ---- operands ------------------------------------------------------------------------ */

/* Column and row, and those of the range's other end, which is the core itself where it is
 * not given; without a core the whole grid. */
static void range_of(ir_op *op, int64_t out[4])
{
    ir_attr core = ir_op_attr(op, "core"), end = ir_op_attr(op, "core_end");
    int64_t grid[2];
    if (core) {
        ir_attr_ints(core, out, 2);
        ir_attr_ints(end ? end : core, out + 2, 2);
        return;
    }
    ttl_grid_of(op, grid);
    out[0] = out[1] = 0;
    out[2] = grid[0] - 1;
    out[3] = grid[1] - 1;
}

static ir_value *remote_of(ir_op *op, const ir_op_def *def)
{
    ir_builder b = ir_builder_before(op);
    ir_value *semaphore = op->operands[0].value, *operands[5] = {semaphore};
    const size_t n = def == TTL_OP(get_remote_semaphore) ? 2 : 4;
    int64_t at[4];
    range_of(op, at);
    for (size_t i = 0; i < n; i++)
        operands[1 + i] = arith_index(&b, at[i]);
    return ir_build1(&b, def, semaphore->type, operands, 1 + n, NULL, 0);
}

bool ttl_connect_convert(ir_op *op)
{
    if (op->n_results) {
        if (op->n_operands > 1)
            return true;
        ir_value_replace_uses(&op->results[0], remote_of(op, op->def));
        ir_op_erase(op);
        return true;
    }
    ir_attr number = ir_op_attr(op, "value");
    if (ir_op_attr(op, "core"))
        ir_op_set_operand(op, 0,
                          remote_of(op, ir_op_attr(op, "core_end")
                                            ? TTL_OP(get_remote_multicast_semaphore)
                                            : TTL_OP(get_remote_semaphore)));
    if (number) {
        ir_builder b = ir_builder_before(op);
        ir_value *value = arith_index(&b, ir_attr_int(number, 0));
        ir_op_splice_operands(op, 1, 0, &value, 1);
    }
    static const char *const done[] = {"value", "core", "core_end"};
    for (size_t i = 0; i < TW_COUNT(done); i++)
        ir_op_set_attr(op, done[i], NULL);
    return true;
}

/* ---- numbers ------------------------------------------------------------------------- */

static int count_of(const ir_op *op)
{
    return op->def == TTL_OP(create_pipe)        ? OF_PIPE
           : op->def == TTL_OP(create_semaphore) ? 2
                                                 : 0;
}

/* The numbers that an operation has, as bits. */
static uint64_t taken(const ir_op *op)
{
    int64_t first = ir_op_int(op, "semaphore_index", -1), n = count_of(op);
    if (first < 0 || first > SEMAPHORES - n)
        return 0;
    int64_t scratch = ir_op_int(op, "scratch_index", first + 1);
    if (scratch < 0 || scratch >= SEMAPHORES)
        return 0;
    return n == OF_PIPE ? (uint64_t)7 << first
                        : (uint64_t)1 << first | (uint64_t)1 << scratch;
}

bool ttl_connect_number(ir_op *owner)
{
    uint64_t used = 0;
    ir_block *body = ir_op_body(owner, 0);
    for (ir_op *op = body->first; op; op = op->next)
        if (count_of(op))
            used |= taken(op);
    for (ir_op *op = body->first; op; op = op->next) {
        if (!count_of(op) || ir_op_attr(op, "semaphore_index"))
            continue;
        const uint64_t wanted = ((uint64_t)1 << count_of(op)) - 1;
        int first = 0;
        while (first + count_of(op) <= SEMAPHORES && used & wanted << first)
            first++;
        if (first + count_of(op) > SEMAPHORES)
            return ir_op_error(op,
                               "is one too many: a core has %d semaphores, of which a "
                               "pipe takes three and a semaphore two",
                               SEMAPHORES);
        used |= wanted << first;
        ir_op_set_attr(op, "semaphore_index", ir_i64_attr(op->ctx, first));
        if (op->def == TTL_OP(create_semaphore))
            ir_op_set_attr(op, "scratch_index", ir_i64_attr(op->ctx, first + 1));
    }
    return true;
}
