/* linalg_verify_pack.c: verifies packing into tiles and Winograd's transforms.
 *
 * A packed tensor has the unpacked one's dimensions, permuted and divided by the tiles,
 * followed by the tiles.  Messages are mlir-opt's. */
#include "ir/rules/rules.h"
#include "mlir/linalg/linalg.h"
#include "mlir/linalg/linalg_hooks.h"
#include "mlir/shared/shape_checks.h"

enum { MAX_DIMS = 32 };

typedef struct int_list {
    int64_t at[MAX_DIMS];
    int64_t n;
} int_list;

static bool read_list(const ir_op *op, const char *name, int_list *out)
{
    ir_attr list = ir_op_attr(op, name);
    out->n = list ? ir_attr_ints(list, out->at, MAX_DIMS) : 0;
    return out->n <= MAX_DIMS;
}

/* Checks that they are distinct dimensions of a tensor of that rank. */
static bool names_dims(const int_list *list, uint32_t rank)
{
    for (int64_t i = 0; i < list->n; i++) {
        if (list->at[i] < 0 || list->at[i] >= rank)
            return false;
        for (int64_t k = 0; k < i; k++)
            if (list->at[k] == list->at[i])
                return false;
    }
    return list->n <= rank;
}

/* ---- pack, unpack ------------------------------------------------------------------- */

typedef struct packing {
    ir_type plain, packed;
    int_list order, pos, tiles;
} packing;

static bool check_lists(ir_op *op, const packing *p)
{
    for (int64_t i = 0; i < p->tiles.n; i++)
        if (p->tiles.at[i] == 0)
            return ir_error_at_op(op, "invalid zero tile factor");
    if (!names_dims(&p->pos, p->plain->count))
        return ir_error_at_op(op, "invalid inner_dims_pos vector");
    if (!names_dims(&p->order, p->plain->count))
        return ir_error_at_op(op, "invalid outer_dims_perm vector");
    if (p->order.n && p->order.n != p->plain->count)
        return ir_error_at_op(op, "outer_dims_perm must be a permutation or empty");
    if (p->tiles.n > p->plain->count)
        return ir_error_at_op(op, "tiling factors must be less than or equal to the input "
                                  "rank for pack or output rank for unpack");
    if (p->tiles.n != p->pos.n)
        return ir_error_at_op(op,
                              "tiling factors must equal the number of dimensions to tile");
    return p->packed->count == p->plain->count + p->tiles.n ||
           ir_error_at_op(op,
                          "packed rank != (unpacked rank + num tiling factors), got %u != "
                          "%lld",
                          p->packed->count, (long long)(p->plain->count + p->tiles.n));
}

/* The minimal packed shape: permuted dimensions in tiles, then the tiles. */
static void packed_dims(const packing *p, int64_t out[2 * MAX_DIMS])
{
    int64_t outer[MAX_DIMS];
    uint32_t rank = p->plain->count;
    memcpy(outer, p->plain->dims, rank * sizeof *outer);
    for (int64_t i = 0; i < p->tiles.n; i++) {
        int64_t *dim = &outer[p->pos.at[i]], tile = p->tiles.at[i];
        *dim = *dim == IR_DYNAMIC || tile == IR_DYNAMIC ? IR_DYNAMIC
                                                        : *dim / tile + (*dim % tile != 0);
    }
    for (uint32_t i = 0; i < rank; i++)
        out[i] = outer[p->order.n ? p->order.at[i] : i];
    for (int64_t i = 0; i < p->tiles.n; i++)
        out[rank + i] = p->tiles.at[i];
}

/* True if a dimension is not a multiple of its tile. */
static bool has_remainder(const packing *p)
{
    int64_t outer[MAX_DIMS];
    for (uint32_t i = 0; i < p->plain->count; i++)
        outer[p->order.n ? p->order.at[i] : i] = p->packed->dims[i];
    for (int64_t i = 0; i < p->tiles.n; i++) {
        int64_t size = p->plain->dims[p->pos.at[i]], tile = p->tiles.at[i];
        int64_t by = tile == IR_DYNAMIC ? outer[p->pos.at[i]] : tile;
        if (size != IR_DYNAMIC && by != IR_DYNAMIC && by && size % by)
            return true;
    }
    return false;
}

bool linalg_verify_pack(ir_op *op)
{
    packing p;
    int64_t want[2 * MAX_DIMS];
    bool packs = op->def == LINALG_OP(pack);
    p.plain = ir_op_operand(op, packs ? 0 : 1)->type;
    p.packed = ir_op_operand(op, packs ? 1 : 0)->type;
    if (p.plain->count > MAX_DIMS || !read_list(op, "outer_dims_perm", &p.order) ||
        !read_list(op, "inner_dims_pos", &p.pos) ||
        !read_list(op, "static_inner_tiles", &p.tiles))
        return ir_op_error(op, "has more than %d dimensions", MAX_DIMS);
    if (!check_lists(op, &p))
        return false;
    packed_dims(&p, want);
    for (uint32_t i = 0; i < p.packed->count; i++) {
        int64_t have = p.packed->dims[i];
        if (want[i] == IR_DYNAMIC || have == IR_DYNAMIC || want[i] <= have)
            continue;
        ir_type minimal = ir_tensor_type(p.plain->element, want, p.packed->count, NULL);
        return ir_error_at_op(op,
                              "the shape of output is not large enough to hold the packed "
                              "data. Expected at least '%s', got '%s'",
                              ir_type_text(op->ctx, minimal),
                              ir_type_text(op->ctx, p.packed));
    }
    for (int64_t i = 0; i < p.tiles.n; i++)
        if (p.packed->dims[p.plain->count + i] != p.tiles.at[i])
            return ir_error_at_op(op,
                                  "mismatch in inner tile sizes specified and shaped of "
                                  "tiled dimension in the packed type");
    ir_value *padding = packs ? ir_op_operand_named(op, "padding_value") : NULL;
    if (padding && padding->type != p.plain->element)
        return ir_op_error(op, "expected padding_value has '%s' but got: '%s'",
                           ir_type_text(op->ctx, p.plain->element),
                           ir_type_text(op->ctx, padding->type));
    return !packs || padding || !has_remainder(&p) ||
           ir_op_error(op,
                       "invalid tile factor or output size provided. Only full tiles are "
                       "supported when padding_value is not set");
}

/* ---- Winograd: F(m x m, r x r), its names are F_m_r --------------------------------- */

static void sizes_of(const ir_op *op, int64_t *m, int64_t *r)
{
    static const int64_t table[][2] = {{2, 3}, {4, 3}, {2, 5}};
    int64_t fmr = ir_enum_value(ir_op_attr(op, "fmr"), 0);
    fmr = fmr >= 0 && fmr < (int64_t)TW_COUNT(table) ? fmr : 0;
    *m = table[fmr][0];
    *r = table[fmr][1];
}

static bool check_output(ir_op *op, const int64_t *want)
{
    ir_type out = ir_op_operand(op, 1)->type;
    for (uint32_t i = 0; i < out->count; i++)
        if (want[i] != out->dims[i] && want[i] != IR_DYNAMIC && out->dims[i] != IR_DYNAMIC)
            return ir_op_error(op, "the output shape is not expected");
    return true;
}

/* F H W C to height, width, C, F */
bool linalg_verify_winograd_filter(ir_op *op)
{
    const int64_t *filter = ir_op_operand(op, 0)->type->dims;
    int64_t m, r, h = filter[1], w = filter[2];
    sizes_of(op, &m, &r);
    if (h != r && h != 1)
        return ir_op_error(op, "expect filter height either equals to r or 1");
    if (w != r && w != 1)
        return ir_op_error(op, "expect filter width either equals to r or 1");
    if (h == 1 && w == 1)
        return ir_op_error(op, "expect either filter height or width equals to r");
    const int64_t want[] = {h == r ? m + r - 1 : 1, w == r ? m + r - 1 : 1, filter[3],
                            filter[0]};
    return check_output(op, want);
}

/* N H W C to tile height, tile width, tiles along both, N, C */
bool linalg_verify_winograd_input(ir_op *op)
{
    const int64_t *in = ir_op_operand(op, 0)->type->dims;
    const int64_t *out = ir_op_operand(op, 1)->type->dims;
    int64_t m, r, want[6] = {0, 0, 0, 0, in[0], in[3]};
    sizes_of(op, &m, &r);
    for (int i = 0; i < 2; i++) {
        int64_t size = in[1 + i];
        bool cut = out[i] != 1;
        want[i] = size == IR_DYNAMIC || cut ? m + r - 1 : 1;
        want[2 + i] = size == IR_DYNAMIC ? IR_DYNAMIC : cut ? (size - (r - 1)) / m : size;
    }
    return check_output(op, want);
}

/* and back, to N H W F */
bool linalg_verify_winograd_output(ir_op *op)
{
    const int64_t *in = ir_op_operand(op, 0)->type->dims;
    int64_t m, r, want[4] = {in[4], 0, 0, in[5]};
    sizes_of(op, &m, &r);
    for (int i = 0; i < 2; i++) {
        bool cut = in[i] != 1, known = in[i] != IR_DYNAMIC && in[2 + i] != IR_DYNAMIC;
        if (known && in[i] != (cut ? m + r - 1 : 1))
            return ir_op_error(op, "expect input %s equals to input tile size",
                               i ? "width" : "height");
        want[1 + i] = known ? (cut ? m : 1) * in[2 + i] : IR_DYNAMIC;
    }
    return check_output(op, want);
}
