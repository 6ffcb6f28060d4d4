/* rows.c: rows of a table, selected by indices, are copied through two scratch buffers. */
#include "d2m/memory_map.h"
#include "mlir/loops/loops.h"
#include "mlir/scf/scf.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_tile.h"
#include "ttkernel/from_d2m/from_d2m.h"

enum { SLT = 2, MAX_RANK = 8 };

/* A memref of rows over a grid of cores. */
typedef struct rows {
    ir_value *memref;
    ir_affine_map map;
    const int64_t *dims; /* grid, shard */
    int64_t unit;        /* elements of one transfer */
} rows;

static int64_t alignment(const ir_op *op, ir_type memref)
{
    return d2m_noc_alignment((ir_op *)op,
                             d2k_space(memref) == TTCORE_MemorySpace_DeviceDRAM);
}

static bool read_rows(ir_op *op, const char *name, int64_t bytes, rows *out)
{
    ir_value *v = ir_op_operand_named(op, name);
    int64_t size = ttcore_scalar_bytes(v->type->element);
    int64_t space = d2k_space(v->type);
    bool sharded = ir_attr_is(v->type->encoding, IR_ATTR_DIALECT) &&
                   v->type->encoding->def == TTCORE_ATTR(shard) && v->type->count == 4;
    if (!sharded || size <= 0 || bytes % size ||
        (space != TTCORE_MemorySpace_DeviceL1 && space != TTCORE_MemorySpace_DeviceDRAM))
        return false;
    *out = (rows){v, d2m_remote_map(op, v), v->type->dims, bytes / size};
    return out->map && out->dims[3] % out->unit == 0 && out->dims[2] > 0;
}

static ir_value *quotient(ir_builder *b, ir_value *x, int64_t n, ir_value **rest)
{
    ir_value *by = arith_index(b, n), *q = d2k_binary(b, ARITH_OP(divsi), x, by);
    ir_value *whole = d2k_binary(b, ARITH_OP(muli), q, by);
    *rest = d2k_binary(b, ARITH_OP(subi), x, whole);
    return q;
}

static d2k_endpoint element_of(d2k *k, ir_builder *b, const rows *r, ir_value *row,
                               ir_value *column)
{
    ir_value *at[4], *mapped[4];
    at[0] = quotient(b, row, r->dims[2], &at[2]);
    at[1] = quotient(b, column, r->dims[3], &at[3]);
    d2m_apply_map(b, r->map, 1, at, mapped);
    return d2k_endpoint_at(k, b, r->memref, mapped);
}

/* ---- scratch buffers ----------------------------------------------------------------- */

/* Reads to the buffer and returns the pointer to what has arrived. */
static ir_value *fetch(ir_builder *b, ir_value *cb, const d2k_endpoint *from,
                       ir_value *size, ir_value *noc)
{
    ir_type i32 = ir_integer_type(b->ctx, 32, IR_SIGNLESS);
    ir_value *page = d2k_int(b, 32, 1);
    D2K_CALL(b, TTKERNEL_OP(cb_reserve_back), cb, page);
    ir_value *to = ir_build1(b, TTKERNEL_OP(get_write_ptr), i32, &cb, 1, NULL, 0);
    d2k_read(b, from, to, size, noc);
    D2K_CALL(b, TTKERNEL_OP(noc_async_read_barrier), noc);
    D2K_CALL(b, TTKERNEL_OP(cb_push_back), cb, page);
    D2K_CALL(b, TTKERNEL_OP(cb_wait_front), cb, page);
    return ir_build1(b, TTKERNEL_OP(get_read_ptr), i32, &cb, 1, NULL, 0);
}

static void release(ir_builder *b, ir_value *cb)
{
    D2K_CALL(b, TTKERNEL_OP(cb_pop_front), cb, d2k_int(b, 32, 1));
}

static ir_value *load_word(ir_builder *b, ir_value *pointer, ir_value *lane)
{
    ir_attr width = ir_raw_int(b->ctx, 32);
    ir_type type = ir_dialect_type(b->ctx, TTKERNEL_TYPE(l1_addr_ptr), &width, 1);
    ir_value *words =
        ir_build1(b, TTKERNEL_OP(reinterpret_cast), type, &pointer, 1, NULL, 0);
    return ir_build1(b, TTKERNEL_OP(load_from_l1), ir_integer_type(b->ctx, 32, IR_SIGNLESS),
                     IR_VALUES(words, lane), NULL, 0);
}

/* ---- rows ---------------------------------------------------------------------------- */

/* The first and the last but one of what this core writes. */
static void own_share(ir_builder *b, const ir_op_def *core, int64_t size, int64_t limit,
                      ir_value **from, ir_value **to)
{
    ir_type index = ir_index_type(b->ctx);
    ir_value *at = ir_build1(b, core, index, NULL, 0, NULL, 0), *n = arith_index(b, size);
    ir_value *end = arith_index(b, limit);
    *from = d2k_binary(b, ARITH_OP(muli), at, n);
    ir_value *next = d2k_binary(b, ARITH_OP(addi), *from, n);
    ir_value *choice[] = {d2k_compare(b, SLT, next, end), next, end};
    *to = ir_build1(b, ARITH_OP(select), index, choice, 3, NULL, 0);
}

/* The row of the result: all dimensions of the indices but the last are as they are, the
 * last is padded to the memory's rows. */
static ir_value *result_row(ir_builder *b, const int64_t *shape, size_t n, int64_t rows,
                            ir_value *number)
{
    int64_t outer = 1, stride;
    ir_value *sum = arith_index(b, 0), *rest = number;
    for (size_t i = 0; i + 1 < n; i++)
        outer *= shape[i];
    for (size_t i = 0; i < n; i++) {
        int64_t inner = 1;
        stride = i + 1 < n ? rows / outer : 1;
        for (size_t j = i + 1; j < n; j++)
            inner *= shape[j];
        for (size_t j = i + 1; j + 1 < n; j++)
            stride *= shape[j];
        ir_value *at = inner == 1 ? rest : quotient(b, rest, inner, &rest);
        if (stride != 1)
            at = d2k_binary(b, ARITH_OP(muli), at, arith_index(b, stride));
        sum = d2k_binary(b, ARITH_OP(addi), sum, at);
    }
    return sum;
}

bool d2k_copy_rows(d2k *k, ir_op *op)
{
    rows from, to, list;
    ir_attr shape_attr = ir_op_attr(op, "indicesShape");
    int64_t shape[MAX_RANK], column_count;
    uint32_t rank = shape_attr->count;
    ir_value *lists = ir_op_operand_named(op, "indices");
    int64_t source = alignment(op, ir_op_operand_named(op, "src")->type);
    int64_t target = alignment(op, ir_op_operand_named(op, "dst")->type);
    int64_t row_bytes = source > target ? source : target;
    int64_t list_bytes = alignment(op, lists->type), outer = 1;
    ir_value *list_cb = d2k_value(k, ir_op_operand_named(op, "indexScratch"));
    ir_value *row_cb = d2k_value(k, ir_op_operand_named(op, "rowScratch"));
    if (rank == 0 || rank > MAX_RANK || k->noc < 0 ||
        d2k_space(lists->type) != TTCORE_MemorySpace_DeviceL1 ||
        !read_rows(op, "indices", list_bytes, &list) ||
        !read_rows(op, "src", row_bytes, &from) || !read_rows(op, "dst", row_bytes, &to))
        return d2k_illegal(op, "indexed row copy requires collapsed 2D sharded memrefs "
                               "whose rows are NoC transfer aligned, and indices in L1");
    for (uint32_t i = 0; i < rank; i++) {
        shape[i] = ir_dense_array_int(shape_attr, i);
        outer *= i + 1 < rank ? shape[i] : 1;
    }
    column_count = shape[rank - 1];
    if (outer <= 0 || column_count <= 0)
        return d2k_illegal(op, "its indices have no elements");
    ir_builder b = ir_builder_before(op);
    ir_value *noc = d2k_noc(k, &b), *start, *end, *first, *last;
    ir_value *list_size = d2k_int(&b, 32, list_bytes);
    ir_value *row_size = d2k_int(&b, 32, row_bytes);
    own_share(&b, TTKERNEL_OP(my_logical_y_), to.dims[2], ir_op_int(op, "numRows", 0),
              &start, &end);
    own_share(&b, TTKERNEL_OP(my_logical_x_), to.dims[3], ir_op_int(op, "rowWidth", 0),
              &first, &last);
    ir_value *one = arith_index(&b, 1), *unit = arith_index(&b, from.unit);
    ir_builder in, inner;
    ir_value *i = d2k_for(&b, start, end, one, &in), *column = i, *lane;
    ir_value *row = arith_index(&in, 0);
    if (rank > 1)
        row = quotient(&in, i, column_count, &column);
    ir_value *group = quotient(&in, column, list.unit, &lane);
    group = d2k_binary(&in, ARITH_OP(muli), group, arith_index(&in, list.unit));
    d2k_endpoint index_at = element_of(k, &in, &list, row, group);
    ir_value *pointer = fetch(&in, list_cb, &index_at, list_size, noc);
    ir_value *word = load_word(&in, pointer, d2k_to_i32(&in, lane));
    release(&in, list_cb);
    ir_value *selected =
        ir_build1(&in, ARITH_OP(index_cast), ir_index_type(k->ctx), &word, 1, NULL, 0);
    ir_value *result = result_row(&in, shape, rank, to.dims[0] * to.dims[2], i);
    ir_value *j = d2k_for(&in, first, last, unit, &inner);
    d2k_endpoint source_at = element_of(k, &inner, &from, selected, j);
    d2k_endpoint target_at = element_of(k, &inner, &to, result, j);
    ir_value *held = fetch(&inner, row_cb, &source_at, row_size, noc);
    d2k_write(&inner, held, &target_at, row_size, noc);
    D2K_CALL(&inner, TTKERNEL_OP(noc_async_write_barrier), noc);
    release(&inner, row_cb);
    return d2k_done(k, op, NULL);
}
