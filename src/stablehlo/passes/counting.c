/* counting.c: see counting.h. */
#include "stablehlo/passes/counting.h"

#include "stablehlo/stablehlo.h"

enum { MAX_DIMS = 32 };

/* The operand dimension mapped to dimension `dim` of a broadcast, -1 if the broadcast
 * adds it. */
static int64_t before_broadcast(const ir_op *op, int64_t dim)
{
    int64_t dims[MAX_DIMS];
    int64_t n = ir_attr_ints(ir_op_attr(op, "broadcast_dimensions"), dims, MAX_DIMS);
    ir_type in = op->operands[0].value->type;
    for (int64_t i = 0; i < n && i < MAX_DIMS; i++)
        if (dims[i] == dim)
            return in->dims[i] == op->results[0].type->dims[dim] ? i : -1;
    return -1;
}

/* The same for a reshape that only adds or drops unit dimensions. */
static int64_t before_reshape(const ir_op *op, int64_t dim)
{
    ir_type in = op->operands[0].value->type, out = op->results[0].type;
    int64_t found = -1;
    uint32_t i = 0;
    for (uint32_t o = 0; o < out->count; o++) {
        if (out->dims[o] == 1)
            continue;
        while (i < in->count && in->dims[i] == 1)
            i++;
        if (i == in->count || in->dims[i] != out->dims[o])
            return -1;
        if (o == dim)
            found = i;
        i++;
    }
    while (i < in->count && in->dims[i] == 1)
        i++;
    return i == in->count ? found : -1;
}

static bool broadcasts(const ir_op *op)
{
    return op &&
           (op->def == STABLEHLO_OP(broadcast_in_dim) || op->def == STABLEHLO_OP(reshape));
}

static int64_t before(const ir_op *op, int64_t dim)
{
    return op->def == STABLEHLO_OP(reshape) ? before_reshape(op, dim)
                                            : before_broadcast(op, dim);
}

bool hlo_counts_along(const ir_value *v, int64_t dim)
{
    ir_op *op;
    while (broadcasts(op = ir_value_def(v)) && dim >= 0) {
        dim = before(op, dim);
        v = op->operands[0].value;
    }
    return dim >= 0 && op && op->def == STABLEHLO_OP(iota) &&
           ir_op_int(op, "iota_dimension", 0) == dim;
}

bool hlo_same_along(const ir_value *v, int64_t dim)
{
    ir_op *op = ir_value_def(v);
    if (v->type->dims[dim] == 1)
        return true;
    if (!broadcasts(op))
        return false;
    int64_t from = before(op, dim);
    if (from < 0) /* a reshape does not replicate: origin unknown */
        return op->def == STABLEHLO_OP(broadcast_in_dim);
    return hlo_same_along(op->operands[0].value, from);
}
