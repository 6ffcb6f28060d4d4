/* views.c: operations of ttir that move elements and compute nothing, as views of the
 * device's tensors: permutations, reshapes, slices, rearrangements. */
#include "d2m/from_ttir/from_ttir.h"
#include "mlir/tensor/tensor.h"

/* From the result's elements to those of the input, and whether both may be tiles. */
typedef struct movement {
    ir_affine_map map;
    bool tiled;
} movement;

static ir_affine binary(ir_affine_kind kind, ir_context *ctx, ir_affine e, int64_t value)
{
    return ir_affine_binary(ctx, kind, e, ir_affine_constant(ctx, value));
}

/* ---- what the operations move ------------------------------------------------------- */

/* The last two dimensions; a vector is a row. */
static bool same_last_two(ir_type a, ir_type b)
{
    for (uint32_t k = 1; k <= 2; k++)
        if ((k <= a->count ? a->dims[a->count - k] : 1) !=
            (k <= b->count ? b->dims[b->count - k] : 1))
            return false;
    return true;
}

static bool permute_movement(d2m_conv *c, ir_op *op, movement *m)
{
    int64_t order[TTIR_MAX_DIMS];
    ir_affine results[TTIR_MAX_DIMS];
    size_t n = ttir_numbers(op, "permutation", order);
    if (n < 2)
        return d2m_refuse(c, "Permute must have at least 2 dimensions");
    if (order[n - 2] == (int64_t)n - 1 && order[n - 1] == (int64_t)n - 2)
        return d2m_refuse(c, "Complex permutes (both inner and outer permutations) are not "
                             "supported.");
    if (!ttir_are_dims(order, n, (int64_t)n))
        return d2m_refuse(c, "the permutation does not name each dimension once");
    /* Dimension i of the result is order[i] of the input. (tt-mlir has the reverse, which
     * differs where three dimensions or more move in a ring.) */
    for (size_t i = 0; i < n; i++)
        results[order[i]] = ir_affine_dim(op->ctx, (int64_t)i);
    m->map = ir_affine_map_get(op->ctx, (uint32_t)n, 0, results, n);
    m->tiled = order[n - 2] == (int64_t)n - 2 && order[n - 1] == (int64_t)n - 1;
    return true;
}

static bool slice_movement(d2m_conv *c, ir_op *op, movement *m)
{
    int64_t begins[TTIR_MAX_DIMS], ends[TTIR_MAX_DIMS], steps[TTIR_MAX_DIMS];
    ir_affine results[TTIR_MAX_DIMS];
    ir_type in = ir_op_operand(op, 0)->type;
    size_t n = ttir_numbers(op, "begins", begins);
    if (n == 0 || n != in->count || ttir_numbers(op, "ends", ends) != n ||
        ttir_numbers(op, "step", steps) != n)
        return d2m_refuse(c, "the bounds of the slice are not those of its input");
    m->tiled = n >= 2;
    for (size_t i = 0; i < n; i++) {
        results[i] = binary(
            IR_AFFINE_ADD, op->ctx,
            binary(IR_AFFINE_MUL, op->ctx, ir_affine_dim(op->ctx, (int64_t)i), steps[i]),
            begins[i]);
        if (i + 2 >= n)
            m->tiled &= begins[i] == 0 && ends[i] == in->dims[i] && steps[i] == 1;
    }
    m->map = ir_affine_map_get(op->ctx, (uint32_t)n, 0, results, n);
    return true;
}

/* One run of dimensions with as many elements in the input as in the result: the flat index
 * in the result's is split by the strides of the input's. */
static void split_run(ir_context *ctx, ir_type in, ir_type out, const uint32_t from[2],
                      const uint32_t to[2], ir_affine *results)
{
    ir_affine rest = ir_affine_constant(ctx, 0);
    int64_t stride = 1, whole = 1;
    for (uint32_t i = to[1]; i-- > to[0]; stride *= out->dims[i])
        rest = ir_affine_binary(ctx, IR_AFFINE_ADD,
                                binary(IR_AFFINE_MUL, ctx, ir_affine_dim(ctx, i), stride),
                                rest);
    for (uint32_t i = from[0]; i < from[1]; i++)
        whole *= in->dims[i];
    for (uint32_t i = from[0]; i < from[1]; i++) {
        whole /= in->dims[i];
        bool last = i + 1 == from[1];
        results[i] = last ? rest : binary(IR_AFFINE_FLOORDIV, ctx, rest, whole);
        rest = last ? rest : binary(IR_AFFINE_MOD, ctx, rest, whole);
    }
}

/* The shortest runs of dimensions that have the same number of elements, from the last one
 * on: what is kept as it is moves as a whole. */
static bool reshape_movement(d2m_conv *c, ir_op *op, movement *m)
{
    ir_context *ctx = op->ctx;
    ir_type in = ir_op_operand(op, 0)->type, out = op->results[0].type;
    ir_affine results[TTIR_MAX_DIMS];
    uint32_t from[] = {in->count, in->count}, to[] = {out->count, out->count};
    if (in->count > TTIR_MAX_DIMS || ir_type_num_elements(out) <= 0 ||
        ir_type_num_elements(in) != ir_type_num_elements(out))
        return d2m_refuse(c, "the reshape has too many dimensions or no elements");
    while (from[0] > 0) {
        int64_t a = in->dims[--from[0]], b = to[0] > 0 ? out->dims[--to[0]] : 1;
        while (a != b)
            if (a < b && from[0] > 0)
                a *= in->dims[--from[0]];
            else if (to[0] > 0)
                b *= out->dims[--to[0]];
            else
                return d2m_refuse(c, "the reshape has too many dimensions or no elements");
        split_run(ctx, in, out, from, to, results);
        from[1] = from[0];
        to[1] = to[0];
    }
    m->map = ir_affine_map_get(ctx, out->count, 0, results, in->count);
    m->tiled = same_last_two(in, out);
    return true;
}

static bool rearrange_movement(d2m_conv *c, ir_op *op, movement *m)
{
    ir_context *ctx = op->ctx;
    if (!(m->map = ttir_rearrange_map(op)))
        return d2m_refuse(c, "the pattern splits a dimension of the input");
    uint32_t in = m->map->n_results, out = m->map->n_dims;
    m->tiled = in >= 2 && out >= 2 &&
               m->map->results[in - 2] == ir_affine_dim(ctx, (int64_t)out - 2) &&
               m->map->results[in - 1] == ir_affine_dim(ctx, (int64_t)out - 1);
    return true;
}

/* (batch, heads, sequence, width) to (batch, sequence, heads * width). */
static bool heads_movement(d2m_conv *c, ir_op *op, movement *m)
{
    ir_context *ctx = op->ctx;
    ir_type in = ir_op_operand(op, 0)->type, out = op->results[0].type;
    if (in->count != 4 || out->count != 3 || in->dims[3] <= 0 ||
        in->dims[1] * in->dims[3] != out->dims[2])
        return d2m_refuse(c, "Output hidden_dim must equal num_heads * head_dim");
    m->tiled = in->dims[3] % D2M_TILE == 0;
    int64_t width = in->dims[3] / (m->tiled ? D2M_TILE : 1);
    ir_affine d2 = ir_affine_dim(ctx, 2);
    ir_affine results[] = {ir_affine_dim(ctx, 0),
                           binary(IR_AFFINE_FLOORDIV, ctx, d2, width),
                           ir_affine_dim(ctx, 1), binary(IR_AFFINE_MOD, ctx, d2, width)};
    m->map = ir_affine_map_get(ctx, 3, 0, results, 4);
    return true;
}

static bool movement_of(d2m_conv *c, ir_op *op, movement *m)
{
    return op->def == TTIR_OP(permute)             ? permute_movement(c, op, m)
           : op->def == TTIR_OP(slice_static)      ? slice_movement(c, op, m)
           : op->def == TTIR_OP(reshape)           ? reshape_movement(c, op, m)
           : op->def == TTIR_OP(concatenate_heads) ? heads_movement(c, op, m)
                                                   : rearrange_movement(c, op, m);
}

/* ---- as views ----------------------------------------------------------------------- */

/* The movement on device tensors over one core: zeros for the grid, and a row in front of
 * vectors. */
static ir_affine_map on_one_core(ir_context *ctx, ir_affine_map map)
{
    uint32_t out = TW_MAX(map->n_dims, 2U), in = TW_MAX(map->n_results, 2U);
    ir_affine dims[TTIR_MAX_DIMS], results[2 * TTIR_MAX_DIMS];
    for (uint32_t i = 0; i < map->n_dims; i++)
        dims[i] = ir_affine_dim(ctx, 2 * out - map->n_dims + i);
    for (uint32_t i = 0; i < 2 * in; i++) {
        uint32_t skipped = 2 * in - map->n_results;
        results[i] = i < skipped
                         ? ir_affine_constant(ctx, 0)
                         : ir_affine_replace(ctx, map->results[i - skipped], dims, NULL);
    }
    return ir_affine_map_get(ctx, 2 * out, 0, results, 2 * in);
}

/* A number as a tensor of one element, or the reverse, stays on the host. */
static bool reshape_number(d2m_conv *c, ir_op *op)
{
    ir_value *in = ir_op_operand(op, 0), *operands[2 + TTIR_MAX_DIMS] = {in}, *number;
    ir_type out = op->results[0].type;
    for (uint32_t i = 0; i < in->type->count; i++)
        operands[1 + i] = d2m_build_index_constant(&c->b, 0);
    number = ir_build_op(&c->b, TENSOR_OP(extract), &in->type->element, 1, operands,
                         1 + in->type->count, NULL, 0, 0)
                 ->results;
    if (out->count == 0) {
        ir_value_replace_uses(&op->results[0], ir_build1(&c->b, TENSOR_OP(from_elements),
                                                         out, &number, 1, NULL, 0));
        return true;
    }
    operands[0] = number;
    operands[1] = ir_build1(&c->b, TENSOR_OP(empty), out, NULL, 0, NULL, 0);
    for (uint32_t i = 0; i < out->count; i++)
        operands[2 + i] = d2m_build_index_constant(&c->b, 0);
    ir_op *insert = ir_build_op(&c->b, TENSOR_OP(insert), &out, 1, operands, 2 + out->count,
                                NULL, 0, 0);
    ir_value_replace_uses(&op->results[0], &insert->results[0]);
    return true;
}

bool d2m_convert_view(d2m_conv *c, ir_op *op)
{
    ir_value *in = ir_op_operand(op, 0);
    ir_type out = op->results[0].type;
    movement m;
    d2m_frame f;
    if (in->type->count > TTIR_MAX_DIMS || out->count > TTIR_MAX_DIMS)
        return d2m_refuse(c, "the tensor has too many dimensions");
    if (op->def == TTIR_OP(reshape) && (in->type->count == 0 || out->count == 0)) {
        if (ir_type_num_elements(in->type) == 1 && ir_type_num_elements(out) == 1)
            return reshape_number(c, op);
        return d2m_refuse(c, "requires scalar input or output with static unit volume");
    }
    if (!movement_of(c, op, &m))
        return false;
    bool collapse = c->collapse;
    int64_t out_space = c->out_space;
    c->collapse = false;
    c->out_space = c->in_space; /* a view is where its input is */
    bool fine = d2m_frame_operands(c, &f, &in, 1, &out, 1,
                                   &(d2m_how){.tiled = m.tiled, .is_view = true});
    c->collapse = collapse;
    c->out_space = out_space;
    if (!fine)
        return false;
    ir_affine_map map = on_one_core(op->ctx, m.map);
    if (map->n_dims != f.operands[1]->type->count ||
        map->n_results != f.operands[0]->type->count)
        return d2m_refuse(c,
                          "the layouts of the operands have other ranks than the tensors");
    ir_value *view = d2m_conv_view(c, f.operands[0], f.operands[1]->type, map, false);
    ir_value_replace_uses(&op->results[0], d2m_take_out(c, view, out));
    return true;
}

/* ---- transposes of the last two dimensions ------------------------------------------- */

static bool swaps_last_two(ir_op *op, uint32_t *rank)
{
    int64_t order[TTIR_MAX_DIMS];
    size_t n = ttir_numbers(op, "permutation", order);
    *rank = (uint32_t)n;
    for (size_t i = 0; i + 2 < n; i++)
        if (order[i] != (int64_t)i)
            return false;
    return n >= 2 && order[n - 2] == (int64_t)n - 1 && order[n - 1] == (int64_t)n - 2;
}

static void swap(int64_t *list, uint32_t n)
{
    int64_t last = list[n - 1];
    list[n - 1] = list[n - 2];
    list[n - 2] = last;
}

/* The device tensor with its last two dimensions swapped, in grid and shard. */
static ir_type transposed(ir_type t, ir_affine_map *map)
{
    d2m_layout l;
    d2m_shape whole, grid, shard;
    ir_affine results[2 * D2M_MAX_RANK];
    if (!d2m_layout_of(t, &l) || !d2m_shape_of(t, &whole) || l.logical.n < 2)
        return NULL;
    uint32_t rank = whole.n / 2;
    d2m_half_of(t, false, &grid);
    d2m_half_of(t, true, &shard);
    swap(l.logical.at, l.logical.n);
    swap(l.align.at, l.align.n);
    swap(grid.at, rank);
    swap(shard.at, rank);
    for (uint32_t i = 0; i < whole.n; i++) {
        uint32_t in_half = i % rank, from = in_half + 2 < rank    ? i
                                            : in_half + 2 == rank ? i + 1
                                                                  : i - 1;
        whole.at[i] = i < rank ? grid.at[i] : shard.at[i - rank];
        results[i] = ir_affine_dim(t->ctx, from);
    }
    *map = ir_affine_map_get(t->ctx, whole.n, 0, results, whole.n);
    return ir_tensor_type(t->element, whole.at, whole.n, d2m_layout_attr(t->ctx, &l));
}

bool d2m_convert_permute(d2m_conv *c, ir_op *op)
{
    ir_value *in = ir_op_operand(op, 0);
    ir_type type = op->results[0].type;
    uint32_t rank;
    d2m_frame f;
    if (!swaps_last_two(op, &rank))
        return d2m_convert_view(c, op);
    bool collapse = c->collapse;
    c->collapse = false;
    bool fine = d2m_frame_operands(c, &f, &in, 1, &type, 1, &(d2m_how){.tiled = true});
    c->collapse = collapse;
    ir_affine_map map;
    ir_type view = fine ? transposed(f.operands[0]->type, &map) : NULL;
    if (!view || d2m_frame_rank(&f) != view->count / 2)
        return fine ? d2m_refuse(c, "the layouts of the operands have other ranks") : false;
    f.operands[0] = d2m_conv_view(c, f.operands[0], view, map, false);
    rank = d2m_frame_rank(&f);
    f.maps[0] = f.maps[1] = ir_affine_identity(op->ctx, rank);
    if (!d2m_frame_start(c, &f, NULL, rank))
        return false;
    ir_op *linalg = d2m_frame_linalg(&f);
    ir_builder b = d2m_linalg_body(linalg, c->b.loc);
    ir_value **args = ir_op_body(linalg, 0)->args;
    ir_value *result =
        ir_build1(&b, D2M_OP(tile_transpose), args[1]->type, args, 1, NULL, 0);
    d2m_linalg_yield(&b, &result, 1);
    d2m_frame_end(&f, (ir_value *[]){ir_op_result(linalg, 0)});
    ir_value_replace_uses(&op->results[0], d2m_frame_result(c, &f, 0, type));
    return true;
}
