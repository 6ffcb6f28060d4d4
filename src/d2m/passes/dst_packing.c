/* dst_packing.c: divides shards by what DST holds. */
#include "d2m/passes/dst_packing.h"

#include "d2m/generic.h"
#include "d2m/tile_ops.h"
#include "mlir/linalg/linalg.h"
#include "support/number.h"
#include "ttcore/ttcore_tile.h"

#include <stdlib.h>

/* One result of an operation. */
typedef struct result {
    ir_value *value;
    size_t op;
    int64_t shard, per_flip, flips;
} result;

static size_t outputs_of(const ir_op *op, size_t *first)
{
    size_t n;
    return ir_op_operand_group(op, 1, first, &n) ? n : 0;
}

/* The operands of an operation that are in DST: what the vector unit computes with, and
 * what other operations of the nest made. */
static int64_t operands_in_dst(const ir_op *op)
{
    const unsigned loads = d2m_dst_loads(op);
    int64_t n = d2m_dst_scratch(op);
    for (uint32_t i = 0; i < op->n_operands; i++)
        n += (i < 32 && loads >> i & 1) ||
             d2m_is_compute(ir_value_def(ir_op_operand(op, i)));
    return n;
}

/* Slots of DST for an iteration: only an operation that the matrix unit computes alone has
 * all of DST, the vector unit needs slots for its operands. */
static int64_t slots_of(ir_op *op)
{
    bool any = false, fpu = true;
    int64_t most = 1;
    ir_op_list ops = ir_ops_in(op, NULL);
    for (size_t i = 0; i < ops.n; i++)
        if (d2m_is_compute(ops.at[i])) {
            any = true;
            fpu &= d2m_runs_on_fpu(ops.at[i]);
            most = TW_MAX(most, operands_in_dst(ops.at[i]));
        }
    ir_op_list_free(&ops);
    return any && fpu ? most : TW_MAX(most, 2);
}

/* Tiles of each result that DST holds; 0 if not even one of each fits. */
static int64_t tiles_in_dst(ir_op *op, int64_t physical)
{
    size_t first, n = outputs_of(op, &first);
    int64_t most = INT64_MAX;
    for (size_t i = 0; i < n; i++) {
        ir_type type = ir_op_operand(op, first + i)->type;
        if (!ir_type_is_ranked(type) || !ttcore_is_tile(type->element))
            return 0;
        most = TW_MIN(most, d2m_dst_capacity(op, type->element, 0));
    }
    if (n == 0)
        return 0;
    if (physical > 0)
        most = TW_MIN(most, physical);
    return most / slots_of(op) / (int64_t)n;
}

/* The largest divisor of a shard that leaves at least two parts. */
static int64_t chunk(int64_t shard, int64_t most)
{
    int64_t c = TW_MIN(most, shard / 2);
    while (c > 1 && shard % c)
        c--;
    return c;
}

/* The most iterations of common outer loops that leave every result two flips. */
static int64_t common_iterations(const result *at, size_t n)
{
    int64_t limit = at[0].flips / 2, all = at[0].flips, best = 1;
    for (size_t i = 1; i < n; i++) {
        limit = TW_MIN(limit, at[i].flips / 2);
        all = tw_gcd(all, at[i].flips);
    }
    for (int64_t d = 1; d <= TW_MIN(limit, all); d++)
        if (all % d == 0)
            best = d;
    return best;
}

/* All results take the smallest count that divides their shards. */
static void make_uniform(result *at, size_t n)
{
    int64_t least = at[0].per_flip;
    for (size_t i = 1; i < n; i++)
        least = TW_MIN(least, at[i].per_flip);
    for (size_t i = 0; i < n; i++)
        if (at[i].shard % least == 0) {
            at[i].per_flip = least;
            at[i].flips = at[i].shard / least;
        }
}

/* Shards of different sizes but equally many rows (an element-wise operation and a
 * reduction): outer loops over groups of rows. */
static bool share_rows(ir_op *const *ops, size_t n, int64_t physical, dst_packing *out)
{
    int64_t rows = -1;
    for (size_t i = 0; i < n; i++) {
        size_t first;
        if (outputs_of(ops[i], &first) == 0)
            return false;
        ir_type type = ir_op_operand(ops[i], first)->type;
        if (!ir_type_is_ranked(type) || type->count < 2 ||
            ir_type_num_elements(type) <= 1 || (rows >= 0 && rows != type->dims[0]))
            return false;
        rows = type->dims[0];
    }
    for (int64_t group = rows - 1; n >= 2 && group >= 2; group--) {
        bool fits = rows % group == 0;
        for (size_t i = 0; i < n && fits; i++) {
            size_t first;
            outputs_of(ops[i], &first);
            int64_t shard = ir_type_num_elements(ir_op_operand(ops[i], first)->type);
            int64_t part = shard / rows * group, most = tiles_in_dst(ops[i], physical);
            fits = part >= 2 && most > 0;
            if (!fits)
                break;
            int64_t flip = TW_MIN(chunk(part, most), shard / rows);
            out[i] = (dst_packing){ops[i], flip, part};
            fits = part / flip >= 2;
        }
        if (fits)
            return true;
    }
    return false;
}

static bool collect(ir_op *const *ops, size_t n, int64_t physical, result *out,
                    size_t *count, size_t *single)
{
    *count = *single = 0;
    for (size_t i = 0; i < n; i++) {
        size_t first, outs = outputs_of(ops[i], &first);
        for (size_t o = 0; o < outs; o++) {
            ir_value *v = ir_op_operand(ops[i], first + o);
            int64_t shard = ir_type_is_ranked(v->type) ? ir_type_num_elements(v->type) : -1;
            if (shard < 1)
                return ir_op_error(ops[i],
                                   "expected static shaped output to compute shard size");
            if (shard == 1) {
                ++*single;
                continue;
            }
            int64_t most = tiles_in_dst(ops[i], physical);
            if (most < 1)
                return ir_op_error(ops[i], "failed to compute max DST tile capacity");
            int64_t flip = chunk(shard, most);
            out[(*count)++] = (result){v, i, shard, flip, shard / flip};
        }
    }
    return true;
}

static bool pack(ir_op *const *ops, size_t n, int64_t physical, result *at,
                 dst_packing *out, bool *failed)
{
    size_t count, single;
    if (!collect(ops, n, physical, at, &count, &single))
        return !(*failed = true);
    for (size_t i = 0; i < n; i++)
        out[i] = (dst_packing){single ? ops[i] : NULL, 1, 1};
    if (count == 0)
        return single > 0;
    make_uniform(at, count);
    /* a result of one tile (a broadcast operand's) has no loop to share */
    int64_t outer = single ? 1 : common_iterations(at, count);
    bool differ = false;
    for (size_t i = 1; i < count; i++)
        differ |= at[i].shard != at[0].shard;
    if (outer <= 1 && differ && share_rows(ops, n, physical, out))
        return true;
    for (size_t i = 0; i < count; i++)
        out[at[i].op].op = NULL;
    for (size_t i = 0; i < count; i++) {
        dst_packing *row = &out[at[i].op];
        int64_t all = at[i].flips / outer * at[i].per_flip;
        if (!row->op || at[i].per_flip < row->per_flip)
            *row = (dst_packing){ops[at[i].op], at[i].per_flip, all};
    }
    return true;
}

bool d2m_pack_dst(ir_op *const *ops, size_t n, int64_t physical, dst_packing *out,
                  bool *failed)
{
    size_t results = 0, first;
    for (size_t i = 0; i < n; i++)
        results += outputs_of(ops[i], &first);
    result *at = tw_xmalloc((results + 1) * sizeof *at);
    *failed = false;
    bool ok = n > 0 && pack(ops, n, physical, at, out, failed);
    free(at);
    return ok;
}
