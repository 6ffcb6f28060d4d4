/* slices.c: slices and concatenations that the NoC allows: a row is copied from addresses
 * that are multiples of its alignment. */
#include "d2m/from_ttir/from_ttir.h"
#include "d2m/memory_map.h"

/* Elements of the type between two addresses that the NoC can copy from. */
static int64_t aligned_elements(const d2m_conv *c, ir_op *at, ir_type tensor)
{
    int64_t bytes = d2m_element_bytes(ir_type_element(tensor));
    int64_t alignment = d2m_noc_alignment(at, c->in_space == TTCORE_MemorySpace_DeviceDRAM);
    bytes = TW_MAX(bytes, 1);
    return alignment > 0 && alignment % bytes == 0 ? alignment / bytes : 1;
}

static ir_value *transpose(d2m_conv *c, ir_value *v)
{
    int64_t order[TTIR_MAX_DIMS];
    uint32_t n = v->type->count;
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    order[n - 1] = n - 2;
    order[n - 2] = n - 1;
    return ttir_build_permute(&c->b, v, order);
}

/* ---- slices ------------------------------------------------------------------------- */

typedef struct bounds {
    int64_t begin[TTIR_MAX_DIMS], end[TTIR_MAX_DIMS], step[TTIR_MAX_DIMS];
    size_t n;
} bounds;

static void swap_last_two(int64_t *list, size_t n)
{
    int64_t last = list[n - 1];
    list[n - 1] = list[n - 2];
    list[n - 2] = last;
}

static bounds swapped(bounds b)
{
    swap_last_two(b.begin, b.n);
    swap_last_two(b.end, b.n);
    swap_last_two(b.step, b.n);
    return b;
}

static ir_value *slice(d2m_conv *c, ir_value *v, const bounds *b)
{
    return ttir_build_slice(&c->b, v, b->begin, b->end, b->step);
}

/* The columns are made rows, sliced, and made columns again, if rows can be sliced so;
 * else the columns are first cropped at aligned ones. */
static ir_value *slice_columns(d2m_conv *c, ir_value *in, bounds b, int64_t aligned,
                               bool rows_are_friendly)
{
    size_t last = b.n - 1;
    if (rows_are_friendly) {
        b = swapped(b);
        return transpose(c, slice(c, transpose(c, in), &b));
    }
    bounds crop = b, rows = {.n = b.n};
    crop.begin[last] = b.begin[last] / aligned * aligned;
    crop.end[last] =
        TW_MIN(in->type->dims[last], (b.end[last] + aligned - 1) / aligned * aligned);
    crop.step[last] = 1;
    ir_value *cropped = slice(c, in, &crop);
    for (size_t i = 0; i < b.n; i++) {
        rows.end[i] = cropped->type->dims[i];
        rows.step[i] = 1;
    }
    rows.begin[last] = b.begin[last] - crop.begin[last];
    rows.end[last] = rows.begin[last] + b.end[last] - b.begin[last];
    rows.step[last] = b.step[last];
    rows = swapped(rows);
    return transpose(c, slice(c, transpose(c, cropped), &rows));
}

bool d2m_convert_slice(d2m_conv *c, ir_op *op)
{
    ir_value *in = ir_op_operand(op, 0);
    bounds b;
    b.n = ttir_numbers(op, "begins", b.begin);
    if (b.n < 2 || b.n != in->type->count || ttir_numbers(op, "ends", b.end) != b.n ||
        ttir_numbers(op, "step", b.step) != b.n)
        return d2m_convert_view(c, op);
    int64_t aligned = aligned_elements(c, op, in->type);
    if (b.begin[b.n - 1] % aligned == 0 && b.step[b.n - 1] == 1)
        return d2m_convert_view(c, op);
    for (size_t i = 0; i < b.n; i++)
        if (b.begin[i] < 0 || b.end[i] < b.begin[i] || b.step[i] <= 0)
            return d2m_refuse(c, "a slice with negative bounds or steps is not supported");
    bool friendly = b.begin[b.n - 2] % aligned == 0 && b.step[b.n - 2] == 1;
    ir_value_replace_uses(&op->results[0], slice_columns(c, in, b, aligned, friendly));
    return true;
}

/* ---- concatenations ----------------------------------------------------------------- */

/* Whether the parts can only be joined as rows of elements, and whether that must be done
 * with columns made rows. */
static void how_to_join(const d2m_conv *c, ir_op *op, int64_t dim, int64_t rank,
                        bool *by_rows, bool *transposes)
{
    int64_t aligned = aligned_elements(c, op, op->results[0].type);
    *by_rows = *transposes = false;
    for (uint32_t i = 0; dim >= rank - 2 && i < op->n_operands; i++) {
        int64_t size = ir_op_operand(op, i)->type->dims[dim];
        if (i + 1 != op->n_operands && size % D2M_TILE != 0)
            *by_rows = true;
        if (rank >= 2 && *by_rows && dim == rank - 1 && size % aligned != 0) {
            *transposes = true;
            return;
        }
    }
}

static ir_value *join(d2m_conv *c, ir_value **parts, uint32_t n, ir_type out, int64_t dim,
                      ir_attr sizes)
{
    ir_context *ctx = c->b.ctx;
    d2m_how how = {.tiled = !sizes, .no_collapse = true, .is_view = true};
    ir_value *placeholder = d2m_build_empty(&c->b, out, (d2m_virtual_grid){0});
    for (uint32_t i = 0; i < n; i++)
        if (!(parts[i] = d2m_lay_out(c, parts[i], c->in_space, &how)))
            return NULL;
    ir_value *on_device = d2m_lay_out(c, placeholder, c->in_space, &how);
    if (!on_device)
        return NULL;
    ir_value *joined =
        ir_build1(&c->b, D2M_OP(composite_view), on_device->type, parts, n,
                  IR_ATTRS({"dim", ir_si32_attr(ctx, dim)}, {"logicalSizes", sizes}));
    return d2m_take_out(c, joined, out);
}

bool d2m_convert_concat(d2m_conv *c, ir_op *op)
{
    enum { MAX_PARTS = 256 };
    ir_value *parts[MAX_PARTS];
    int64_t sizes[MAX_PARTS];
    ir_type out = op->results[0].type;
    int64_t rank = out->count, dim = ttir_dim(ir_op_int(op, "dim", 0), rank);
    bool by_rows, transposes;
    if (rank < 1 || rank > TTIR_MAX_DIMS || dim < 0 || dim >= rank || op->n_operands < 2 ||
        op->n_operands > MAX_PARTS)
        return d2m_refuse(c, "only two to 256 tensors of rank 1 to 16 are joined");
    how_to_join(c, op, dim, rank, &by_rows, &transposes);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        parts[i] = ir_op_operand(op, i);
        sizes[i] = parts[i]->type->dims[dim];
        if (transposes)
            parts[i] = transpose(c, parts[i]);
    }
    if (transposes) {
        int64_t dims[TTIR_MAX_DIMS];
        memcpy(dims, out->dims, (size_t)rank * sizeof *dims);
        swap_last_two(dims, (size_t)rank);
        out = ir_tensor_type(out->element, dims, (size_t)rank, out->encoding);
        dim = rank - 2;
    }
    ir_value *joined =
        join(c, parts, op->n_operands, out, dim,
             by_rows ? ir_dense_i64_array(op->ctx, sizes, op->n_operands) : NULL);
    if (!joined)
        return false;
    ir_value_replace_uses(&op->results[0], transposes ? transpose(c, joined) : joined);
    return true;
}
