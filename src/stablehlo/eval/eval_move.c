/* eval_move.c: operations of eval.h that move or generate elements. */
#include "stablehlo/eval/eval.h"

#include "stablehlo/stablehlo.h"

/* The source of a result's element: an index into operand 0, or false for none (the
 * result's element is then unchanged). */
typedef bool source_fn(const hlo_value *from, const int64_t *index, const void *user,
                       int64_t *out);

static bool gather_from(hlo_eval *e, ir_op *op, hlo_value *to, source_fn *source,
                        const void *user)
{
    const hlo_value *from = hlo_operand(e, op, 0);
    int64_t index[HLO_MAX_RANK] = {0}, at[HLO_MAX_RANK];
    for (size_t i = 0; to && i < to->n; i++) {
        if (source(from, index, user, at) && hlo_inside(from, at))
            to->at[i] = from->at[hlo_offset(from, at)];
        hlo_next(to->dims, to->rank, index);
    }
    return hlo_set(e, op, 0, to);
}

/* The sizes in a shape operand. */
static size_t sizes_of(const hlo_eval *e, const ir_op *op, size_t operand, int64_t *out)
{
    const hlo_value *v = hlo_operand(e, op, operand);
    for (size_t i = 0; i < v->n && i < HLO_MAX_RANK; i++)
        out[i] = v->at[i].i;
    return TW_MIN(v->n, (size_t)HLO_MAX_RANK);
}

static hlo_value *new_like(hlo_eval *e, ir_op *op, const int64_t *dims, size_t rank)
{
    return hlo_new(e, op, hlo_operand(e, op, 0)->element, dims, rank);
}

/* ---- shapes ------------------------------------------------------------------------- */

static bool reshaped(hlo_eval *e, ir_op *op, const int64_t *dims, size_t rank)
{
    const hlo_value *from = hlo_operand(e, op, 0);
    hlo_value *to = new_like(e, op, dims, rank);
    if (to && to->n != from->n)
        return hlo_stuck(e, op, "shapes of other sizes");
    if (to)
        memcpy(to->at, from->at, to->n * sizeof *to->at);
    return hlo_set(e, op, 0, to);
}

static bool eval_reshape(hlo_eval *e, ir_op *op)
{
    int64_t dims[HLO_MAX_RANK];
    ir_type type = op->results[0].type;
    if (op->def == STABLEHLO_OP(dynamic_reshape)) {
        size_t rank = sizes_of(e, op, 1, dims);
        return reshaped(e, op, dims, rank);
    }
    if (!ir_type_has_static_shape(type))
        return hlo_stuck(e, op, "an unknown shape");
    return reshaped(e, op, type->dims, type->count);
}

typedef struct mapping {
    const int64_t *a, *b, *c;
    size_t n;
} mapping;

static bool from_broadcast(const hlo_value *from, const int64_t *index, const void *user,
                           int64_t *out)
{
    const mapping *m = user;
    for (size_t i = 0; i < from->rank; i++)
        out[i] = from->dims[i] == 1 ? 0 : index[m->a[i]];
    return true;
}

static bool eval_broadcast_in_dim(hlo_eval *e, ir_op *op)
{
    int64_t along[HLO_MAX_RANK], dims[HLO_MAX_RANK];
    ir_type type = op->results[0].type;
    hlo_ints(op, "broadcast_dimensions", along);
    size_t rank = type->count;
    if (op->def == STABLEHLO_OP(dynamic_broadcast_in_dim))
        rank = sizes_of(e, op, 1, dims);
    else
        memcpy(dims, type->dims, rank * sizeof *dims);
    mapping m = {.a = along};
    return gather_from(e, op, new_like(e, op, dims, rank), from_broadcast, &m);
}

static bool from_trailing(const hlo_value *from, const int64_t *index, const void *user,
                          int64_t *out)
{
    const mapping *m = user;
    for (size_t i = 0; i < from->rank; i++)
        out[i] = index[m->n + i];
    return true;
}

static bool eval_broadcast(hlo_eval *e, ir_op *op)
{
    int64_t dims[HLO_MAX_RANK];
    const hlo_value *from = hlo_operand(e, op, 0);
    mapping m = {.n = hlo_ints(op, "broadcast_sizes", dims)};
    if (m.n + from->rank > HLO_MAX_RANK)
        return hlo_stuck(e, op, "a tensor of this rank");
    memcpy(dims + m.n, from->dims, from->rank * sizeof *dims);
    return gather_from(e, op, new_like(e, op, dims, m.n + from->rank), from_trailing, &m);
}

static bool from_permuted(const hlo_value *from, const int64_t *index, const void *user,
                          int64_t *out)
{
    const mapping *m = user;
    for (size_t i = 0; i < from->rank; i++)
        out[m->a[i]] = index[i];
    return true;
}

static bool eval_transpose(hlo_eval *e, ir_op *op)
{
    int64_t order[HLO_MAX_RANK], dims[HLO_MAX_RANK];
    const hlo_value *from = hlo_operand(e, op, 0);
    hlo_ints(op, "permutation", order);
    for (size_t i = 0; i < from->rank; i++)
        dims[i] = from->dims[order[i]];
    mapping m = {.a = order};
    return gather_from(e, op, new_like(e, op, dims, from->rank), from_permuted, &m);
}

static bool from_reversed(const hlo_value *from, const int64_t *index, const void *user,
                          int64_t *out)
{
    const mapping *m = user;
    memcpy(out, index, from->rank * sizeof *out);
    for (size_t i = 0; i < m->n; i++)
        out[m->a[i]] = from->dims[m->a[i]] - 1 - index[m->a[i]];
    return true;
}

static bool eval_reverse(hlo_eval *e, ir_op *op)
{
    int64_t dims[HLO_MAX_RANK];
    const hlo_value *from = hlo_operand(e, op, 0);
    mapping m = {.a = dims, .n = hlo_ints(op, "dimensions", dims)};
    return gather_from(e, op, new_like(e, op, from->dims, from->rank), from_reversed, &m);
}

/* ---- slices ------------------------------------------------------------------------- */

static bool from_slice(const hlo_value *from, const int64_t *index, const void *user,
                       int64_t *out)
{
    const mapping *m = user;
    for (size_t i = 0; i < from->rank; i++)
        out[i] = m->a[i] + index[i] * (m->b ? m->b[i] : 1);
    return true;
}

static bool eval_slice(hlo_eval *e, ir_op *op)
{
    int64_t start[HLO_MAX_RANK], limit[HLO_MAX_RANK], step[HLO_MAX_RANK],
        dims[HLO_MAX_RANK];
    const hlo_value *from = hlo_operand(e, op, 0);
    if (op->def == STABLEHLO_OP(real_dynamic_slice)) {
        sizes_of(e, op, 1, start);
        sizes_of(e, op, 2, limit);
        sizes_of(e, op, 3, step);
    } else {
        hlo_ints(op, "start_indices", start);
        hlo_ints(op, "limit_indices", limit);
        hlo_ints(op, "strides", step);
    }
    for (size_t i = 0; i < from->rank; i++) {
        if (step[i] <= 0)
            return hlo_stuck(e, op, "this stride");
        dims[i] = (limit[i] - start[i] + step[i] - 1) / step[i];
    }
    mapping m = {.a = start, .b = step};
    return gather_from(e, op, new_like(e, op, dims, from->rank), from_slice, &m);
}

static int64_t within(int64_t x, int64_t max)
{
    return x < 0 ? 0 : x > max ? max : x;
}

static int64_t start_of(const hlo_value *v)
{
    return hlo_index(v->element, v->at[0]);
}

static bool eval_dynamic_slice(hlo_eval *e, ir_op *op)
{
    int64_t start[HLO_MAX_RANK], sizes[HLO_MAX_RANK];
    const hlo_value *from = hlo_operand(e, op, 0);
    hlo_ints(op, "slice_sizes", sizes);
    for (size_t i = 0; i < from->rank; i++)
        start[i] = within(start_of(hlo_operand(e, op, 1 + i)), from->dims[i] - sizes[i]);
    mapping m = {.a = start};
    return gather_from(e, op, new_like(e, op, sizes, from->rank), from_slice, &m);
}

static bool eval_dynamic_update_slice(hlo_eval *e, ir_op *op)
{
    int64_t index[HLO_MAX_RANK] = {0}, at[HLO_MAX_RANK];
    const hlo_value *from = hlo_operand(e, op, 0), *part = hlo_operand(e, op, 1);
    hlo_value *to = new_like(e, op, from->dims, from->rank);
    if (!to)
        return false;
    memcpy(to->at, from->at, to->n * sizeof *to->at);
    for (size_t i = 0; i < part->n; i++) {
        for (size_t d = 0; d < to->rank; d++)
            at[d] = index[d] + within(start_of(hlo_operand(e, op, 2 + d)),
                                      to->dims[d] - part->dims[d]);
        to->at[hlo_offset(to, at)] = part->at[i];
        hlo_next(part->dims, part->rank, index);
    }
    return hlo_set(e, op, 0, to);
}

/* ---- padding and concatenation ------------------------------------------------------ */

static bool from_padded(const hlo_value *from, const int64_t *index, const void *user,
                        int64_t *out)
{
    const mapping *m = user;
    for (size_t i = 0; i < from->rank; i++) {
        int64_t at = index[i] - m->a[i], step = m->b[i] + 1;
        if (at < 0 || at % step)
            return false;
        out[i] = at / step;
    }
    return true;
}

static bool eval_pad(hlo_eval *e, ir_op *op)
{
    int64_t low[HLO_MAX_RANK], high[HLO_MAX_RANK], inner[HLO_MAX_RANK], dims[HLO_MAX_RANK];
    const hlo_value *from = hlo_operand(e, op, 0), *value = hlo_operand(e, op, 1);
    if (op->def == STABLEHLO_OP(dynamic_pad)) {
        sizes_of(e, op, 2, low);
        sizes_of(e, op, 3, high);
        sizes_of(e, op, 4, inner);
    } else {
        hlo_ints(op, "edge_padding_low", low);
        hlo_ints(op, "edge_padding_high", high);
        hlo_ints(op, "interior_padding", inner);
    }
    for (size_t i = 0; i < from->rank; i++)
        dims[i] =
            from->dims[i] + low[i] + high[i] + TW_MAX(from->dims[i] - 1, 0) * inner[i];
    hlo_value *to = new_like(e, op, dims, from->rank);
    for (size_t i = 0; to && i < to->n; i++)
        to->at[i] = value->at[0];
    mapping m = {.a = low, .b = inner};
    return gather_from(e, op, to, from_padded, &m);
}

static bool eval_concatenate(hlo_eval *e, ir_op *op)
{
    int64_t dims[HLO_MAX_RANK], index[HLO_MAX_RANK], along = ir_op_int(op, "dimension", 0);
    const hlo_value *first = hlo_operand(e, op, 0);
    memcpy(dims, first->dims, first->rank * sizeof *dims);
    for (uint32_t i = 1; i < op->n_operands; i++)
        dims[along] += hlo_operand(e, op, i)->dims[along];
    hlo_value *to = new_like(e, op, dims, first->rank);
    int64_t start = 0;
    for (uint32_t k = 0; to && k < op->n_operands; k++) {
        const hlo_value *from = hlo_operand(e, op, k);
        memset(index, 0, sizeof index);
        for (size_t i = 0; i < from->n; i++) {
            int64_t at[HLO_MAX_RANK];
            memcpy(at, index, sizeof at);
            at[along] += start;
            to->at[hlo_offset(to, at)] = from->at[i];
            hlo_next(from->dims, from->rank, index);
        }
        start += from->dims[along];
    }
    return hlo_set(e, op, 0, to);
}

/* ---- generated elements ------------------------------------------------------------- */

static bool eval_iota(hlo_eval *e, ir_op *op)
{
    int64_t dims[HLO_MAX_RANK], index[HLO_MAX_RANK] = {0};
    int64_t along = ir_op_int(op, "iota_dimension", 0);
    ir_type type = op->results[0].type, i64 = ir_integer_type(e->ctx, 64, IR_SIGNLESS);
    size_t rank = type->count;
    if (op->def == STABLEHLO_OP(dynamic_iota))
        rank = sizes_of(e, op, 0, dims);
    else
        memcpy(dims, type->dims, rank * sizeof *dims);
    hlo_value *to = hlo_new(e, op, type->element, dims, rank);
    for (size_t i = 0; to && i < to->n; i++) {
        to->at[i] = hlo_convert(i64, type->element, (hlo_num){.i = index[along]});
        hlo_next(dims, rank, index);
    }
    return hlo_set(e, op, 0, to);
}

static bool eval_dimension_size(hlo_eval *e, ir_op *op)
{
    const hlo_value *x = hlo_operand(e, op, 0);
    hlo_value *to = hlo_new(e, op, ir_type_element(op->results[0].type), NULL, 0);
    if (to)
        to->at[0].i = x->dims[ir_op_int(op, "dimension", 0)];
    return hlo_set(e, op, 0, to);
}

/* ---- gather ------------------------------------------------------------------------- */

static size_t read_ints(const ir_op *op, const char *name, int64_t *out)
{
    return hlo_integers(ir_op_attr(op, "dimension_numbers"), name, out);
}

typedef struct gathering {
    int64_t offset[HLO_MAX_RANK], dropped[2 * HLO_MAX_RANK], batch[HLO_MAX_RANK],
        index_batch[HLO_MAX_RANK], map[HLO_MAX_RANK], sizes[HLO_MAX_RANK], vector;
    size_t n_offset, n_dropped, n_batch, n_map;
    const hlo_value *indices;
} gathering;

static void read_gather(const hlo_eval *e, const ir_op *op, gathering *g)
{
    g->n_offset = read_ints(op, "offsetDims", g->offset);
    g->n_dropped = read_ints(op, "collapsedSliceDims", g->dropped);
    g->n_batch = read_ints(op, "operandBatchingDims", g->batch);
    memcpy(g->dropped + g->n_dropped, g->batch, g->n_batch * sizeof *g->dropped);
    g->n_dropped += g->n_batch;
    read_ints(op, "startIndicesBatchingDims", g->index_batch);
    g->n_map = read_ints(op, "startIndexMap", g->map);
    g->vector = ir_attr_int(
        ir_attr_param(ir_op_attr(op, "dimension_numbers"), "indexVectorDim"), 0);
    g->indices = hlo_operand(e, op, 1);
    if (op->def == STABLEHLO_OP(dynamic_gather))
        sizes_of(e, op, 2, g->sizes);
    else
        hlo_ints(op, "slice_sizes", g->sizes);
}

static bool from_gathered(const hlo_value *from, const int64_t *index, const void *user,
                          int64_t *out)
{
    const gathering *g = user;
    const hlo_value *s = g->indices;
    int64_t at[HLO_MAX_RANK] = {0}, inside[HLO_MAX_RANK];
    size_t rank = g->n_offset + s->rank - (g->vector < (int64_t)s->rank);
    size_t b = 0, o = 0;
    for (size_t i = 0; i < rank; i++) {
        if (hlo_is_in((int64_t)i, g->offset, g->n_offset)) {
            inside[o++] = index[i];
        } else {
            b += (int64_t)b == g->vector;
            at[b++] = index[i];
        }
    }
    memset(out, 0, from->rank * sizeof *out);
    for (size_t i = 0; i < g->n_map; i++) {
        if (g->vector < (int64_t)s->rank)
            at[g->vector] = (int64_t)i;
        const int64_t x = hlo_index(s->element, s->at[hlo_offset(s, at)]);
        out[g->map[i]] = within(x, from->dims[g->map[i]] - g->sizes[g->map[i]]);
    }
    for (size_t i = 0; i < g->n_batch; i++)
        out[g->batch[i]] = at[g->index_batch[i]];
    for (size_t i = 0, k = 0; i < from->rank; i++)
        if (!hlo_is_in((int64_t)i, g->dropped, g->n_dropped))
            out[i] += inside[k++];
    return true;
}

static bool eval_gather(hlo_eval *e, ir_op *op)
{
    gathering g = {.n_offset = 0};
    int64_t dims[HLO_MAX_RANK], kept[HLO_MAX_RANK];
    const hlo_value *from = hlo_operand(e, op, 0);
    read_gather(e, op, &g);
    size_t n = 0,
           rank = g.n_offset + g.indices->rank - (g.vector < (int64_t)g.indices->rank);
    for (size_t i = 0; i < from->rank; i++)
        if (!hlo_is_in((int64_t)i, g.dropped, g.n_dropped))
            kept[n++] = g.sizes[i];
    for (size_t i = 0, o = 0, b = 0; i < rank; i++) {
        bool offset = hlo_is_in((int64_t)i, g.offset, g.n_offset);
        b += !offset && (int64_t)b == g.vector;
        dims[i] = offset ? kept[o++] : g.indices->dims[b++];
    }
    return gather_from(e, op, new_like(e, op, dims, rank), from_gathered, &g);
}

hlo_fn *hlo_find_move(const ir_op_def *def)
{
    static const struct {
        uint16_t row;
        hlo_fn *fn;
    } rows[] = {
        {STABLEHLO_broadcast, eval_broadcast},
        {STABLEHLO_broadcast_in_dim, eval_broadcast_in_dim},
        {STABLEHLO_concatenate, eval_concatenate},
        {STABLEHLO_dynamic_broadcast_in_dim, eval_broadcast_in_dim},
        {STABLEHLO_dynamic_gather, eval_gather},
        {STABLEHLO_dynamic_iota, eval_iota},
        {STABLEHLO_dynamic_pad, eval_pad},
        {STABLEHLO_dynamic_reshape, eval_reshape},
        {STABLEHLO_dynamic_slice, eval_dynamic_slice},
        {STABLEHLO_dynamic_update_slice, eval_dynamic_update_slice},
        {STABLEHLO_gather, eval_gather},
        {STABLEHLO_get_dimension_size, eval_dimension_size},
        {STABLEHLO_iota, eval_iota},
        {STABLEHLO_pad, eval_pad},
        {STABLEHLO_real_dynamic_slice, eval_slice},
        {STABLEHLO_reshape, eval_reshape},
        {STABLEHLO_reverse, eval_reverse},
        {STABLEHLO_slice, eval_slice},
        {STABLEHLO_transpose, eval_transpose},
    };
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (def == &stablehlo_ops[rows[i].row])
            return rows[i].fn;
    return NULL;
}
