/* transfers.c: copies between a tensor's slice and a circular buffer become reads or
 * writes of single tiles, or of rows of numbers, through a tensor accessor; of pages and
 * whole shards where the copy says so (unit, shard: its rows and columns of tiles, and how
 * many stand side by side); waits become whole-core barriers.
 *
 * A tensor is argument k of its thread.  Its address is common runtime argument k; its
 * accessor's static part is compile-time argument base + its number in the kernel
 * (ttl.base_cta_index, ttl.crta_indices); a page is one tile, or one row. */
#include "mlir/arith/arith.h"
#include "mlir/builtin/builtin.h"
#include "mlir/scf/scf.h"
#include "ttcore/ttcore.h"
#include "ttkernel/ttkernel.h"
#include "ttl/to_ttkernel/ttl_to_ttkernel.h"
#include "ttl/ttl_info.h"
#include "ttnn/ttnn.h"

typedef struct transfer {
    ir_op *op, *slice;
    ir_value *cb;
    bool read;        /* from the tensor into the buffer */
    int64_t page;     /* bytes: of a tile, or of a row of the tensor */
    int64_t number;   /* bytes of a number where the tensor has rows of them; else 0 */
    int64_t across;   /* then: numbers of a row in one page */
    int64_t shard[3]; /* the copy's, if the block is one; else 0 */
} transfer;

/* What a tensor must be so that its pages can be found. */
static bool check_tensor(const transfer *t)
{
    ir_op *op = t->op;
    ir_value *tensor = t->slice->operands[0].value;
    ir_type type = tensor->type;
    ir_attr layout = type->encoding;
    if (!tensor->is_argument || tensor->owner != ir_op_body(ttl_function_of(op), 0))
        return ir_error(op->ctx, op->loc, "tensor must be a function argument");
    if (!ir_attr_is(layout, IR_ATTR_DIALECT) || layout->def != TTNN_ATTR(ttnn_layout))
        return ir_error(op->ctx, op->loc,
                        "tensor must have TTNNLayoutAttr encoding for accessor "
                        "materialization");
    ir_attr memory = ir_attr_param(layout, "mem_layout");
    int64_t kind = ir_enum_value(memory, TTNN_TensorMemoryLayout_Interleaved);
    if (kind != TTNN_TensorMemoryLayout_Interleaved && !t->number &&
        !ir_op_attr(op, "unit"))
        return ir_error(op->ctx, op->loc,
                        "sharded memory layout not yet supported for tensor accessor; use "
                        "an interleaved tensor");
    if (!t->page)
        return ir_error(op->ctx, op->loc,
                        "row-major (non-tiled) layout not yet supported for tensor "
                        "accessor; use a tiled tensor");
    if (type->count != 2 || !ir_type_has_static_shape(type))
        return ir_error(op->ctx, op->loc, "expected a static tensor of rank 2, got '%s'",
                        ir_type_text(op->ctx, type));
    if (ttl_cb_rank(t->cb->type) != 2)
        return ir_error(op->ctx, op->loc, "CB shape must be 2D, got '%s'",
                        ir_type_text(op->ctx, t->cb->type));
    return true;
}

/* base + the tensor's number in the kernel; false after an error. */
static bool compile_time_index(k_func *f, const transfer *t, uint32_t argument,
                               int64_t *out)
{
    ir_attr base = ir_op_attr(f->func, "ttl.base_cta_index");
    ir_attr numbers = ir_op_attr(f->func, "ttl.crta_indices");
    if (!base)
        return ir_error(f->ctx, t->op->loc,
                        "function missing ttl.base_cta_index attribute");
    if (!ir_attr_is(numbers, IR_ATTR_ARRAY))
        return ir_error(f->ctx, t->op->loc, "function missing ttl.crta_indices attribute");
    if (argument >= numbers->count)
        return ir_error(f->ctx, t->op->loc,
                        "argument index out of range for ttl.crta_indices");
    *out = ir_attr_int(base, 0) + ir_attr_int(numbers->items[argument], 0);
    return true;
}

static ir_value *make_accessor(k_func *f, ir_builder *b, const transfer *t,
                               uint32_t argument, int64_t cta)
{
    ir_context *ctx = f->ctx;
    ir_type i32 = ir_integer_type(ctx, 32, IR_SIGNLESS);
    ir_value *address = ir_build1(b, TTKERNEL_OP(get_common_arg_val), i32,
                                  IR_VALUES(arith_index(b, argument)), NULL, 0);
    int32_t segments[] = {1, 1, 0};
    ir_value *args =
        ir_build1(b, TTKERNEL_OP(TensorAccessorArgs),
                  ir_dialect_type(ctx, TTKERNEL_TYPE(TensorAccessorArgs), NULL, 0),
                  IR_VALUES(arith_i32(b, cta), arith_i32(b, argument)),
                  IR_ATTRS({"operandSegmentSizes", ir_dense_array(i32, segments, 3)}));
    return ir_build1(b, TTKERNEL_OP(TensorAccessor),
                     ir_dialect_type(ctx, TTKERNEL_TYPE(TensorAccessor), NULL, 0),
                     IR_VALUES(args, address, arith_i32(b, t->page)), NULL, 0);
}

static ir_value *linear(ir_builder *b, ir_value *row, ir_value *column, int64_t columns)
{
    return k_arith(b, "arith.addi", k_arith(b, "arith.muli", row, arith_index(b, columns)),
                   column);
}

static ir_value *cast(ir_builder *b, ir_value *v, ir_type type)
{
    return ir_build1(b, ARITH_OP(index_cast), type, &v, 1, NULL, 0);
}

/* One tile, at (row, column) of the block. */
static void move_tile(ir_builder *b, const transfer *t, ir_value *accessor,
                      ir_value *pointer, ir_value *row, ir_value *column)
{
    ir_type i32 = ir_integer_type(b->ctx, 32, IR_SIGNLESS);
    ir_type tensor = t->slice->operands[0].value->type;
    ir_value *tile = k_arith(b, "arith.addi", t->slice->operands[2].value, column);
    tile = linear(b, k_arith(b, "arith.addi", t->slice->operands[1].value, row), tile,
                  tensor->dims[1]);
    ir_value *slot = linear(b, row, column, ttl_cb_dim(t->cb->type, 1));
    ir_value *address = k_arith(b, "arith.addi", pointer,
                                k_arith(b, "arith.muli", slot, arith_index(b, t->page)));
    ir_value *number = cast(b, tile, i32);
    ir_attr unit = ir_op_attr(t->op, "unit");
    bool page = unit && tw_str_is(ir_attr_str(unit), "page");
    const ir_op_def *read =
        page ? TTKERNEL_OP(noc_async_read_page) : TTKERNEL_OP(noc_async_read_tile);
    const ir_op_def *write =
        page ? TTKERNEL_OP(noc_async_write_page) : TTKERNEL_OP(noc_async_write_tile);
    K_CALL(b, t->read ? read : write, number, accessor, cast(b, address, i32));
}

static void move_shard(ir_builder *b, const transfer *t, ir_value *accessor,
                       ir_value *pointer)
{
    ir_value *at[2];
    for (uint32_t i = 0; i < 2; i++)
        at[i] = k_arith(b, "arith.divui", t->slice->operands[1 + i].value,
                        arith_index(b, t->shard[i]));
    ir_value *number = linear(b, at[0], at[1], t->shard[2]);
    K_CALL(b,
           t->read ? TTKERNEL_OP(noc_async_read_shard) : TTKERNEL_OP(noc_async_write_shard),
           cast(b, number, ir_integer_type(b->ctx, 32, IR_SIGNLESS)), accessor, pointer);
}

static void move_block(ir_builder *b, const transfer *t, ir_value *accessor,
                       ir_value *pointer)
{
    int64_t rows = ttl_cb_dim(t->cb->type, 0), columns = ttl_cb_dim(t->cb->type, 1);
    ir_value *index = cast(b, pointer, ir_index_type(b->ctx));
    if (rows == 1 && columns == 1) {
        ir_value *zero = arith_index(b, 0);
        move_tile(b, t, accessor, index, zero, zero);
        return;
    }
    ir_builder outer, inner;
    ir_value *row = k_loop(b, rows, &outer), *column = k_loop(&outer, columns, &inner);
    move_tile(&inner, t, accessor, index, row, column);
}

/* Bytes of a page from a column on, to or from L1. */
static void move_part(ir_builder *b, const transfer *t, ir_value *accessor, ir_value *page,
                      ir_value *column, ir_value *near, ir_value *size)
{
    ir_type i32 = ir_integer_type(b->ctx, 32, IR_SIGNLESS);
    ir_value *bytes = k_arith(b, "arith.muli", column, arith_index(b, t->number));
    ir_value *far =
        ir_build1(b, TTKERNEL_OP(tensor_accessor_get_noc_addr),
                  ir_dialect_type(b->ctx, TTKERNEL_TYPE(noc_addr), NULL, 0),
                  IR_VALUES(accessor, cast(b, page, i32), cast(b, bytes, i32)), NULL, 0);
    near = cast(b, near, i32);
    if (t->read)
        ir_build_op(b, TTKERNEL_OP(noc_async_read), NULL, 0,
                    (ir_value *[]){far, near, size}, 3,
                    IR_ATTRS({"operandSegmentSizes",
                              ir_dense_array(i32, (int32_t[]){0, 0, 1, 1, 1, 0}, 6)}),
                    0);
    else
        ir_build_op(b, TTKERNEL_OP(noc_async_write), NULL, 0,
                    (ir_value *[]){near, far, size}, 3,
                    IR_ATTRS({"operandSegmentSizes",
                              ir_dense_array(i32, (int32_t[]){1, 0, 0, 1, 1, 0}, 6)}),
                    0);
}

/* A row of the block of which shards have parts: from each page that it may touch what lies
 * in both. */
static void move_pieces(ir_builder *b, const transfer *t, ir_value *accessor, ir_value *row,
                        ir_value *near)
{
    const int64_t columns = ttl_cb_dim(t->cb->type, 1), page = t->across;
    const int64_t in_row = (t->slice->operands[0].value->type->dims[1] + page - 1) / page;
    ir_value *from = t->slice->operands[2].value, *width = arith_index(b, page);
    ir_value *to = k_arith(b, "arith.addi", from, arith_index(b, columns));
    ir_value *first = k_arith(b, "arith.divui", from, width);
    ir_builder in;
    ir_value *shard =
        k_arith(&in, "arith.addi", first, k_loop(b, (columns + page - 2) / page + 1, &in));
    ir_value *begin = k_arith(&in, "arith.muli", shard, arith_index(&in, page));
    ir_value *end = k_arith(&in, "arith.addi", begin, arith_index(&in, page));
    ir_value *left = k_arith(&in, "arith.maxui", from, begin);
    ir_value *right = k_arith(&in, "arith.minui", to, end);
    ir_value *any =
        ir_build1(&in, ARITH_OP(cmpi), ir_integer_type(b->ctx, 1, IR_SIGNLESS),
                  IR_VALUES(left, right),
                  IR_ATTRS({"predicate", ir_i64_attr(b->ctx, ARITH_CmpIPredicate_ult)}));
    ir_op *check = ir_build_op(&in, SCF_OP(if), NULL, 0, &any, 1, NULL, 0, 2);
    ir_block *body = ir_block_create(b->ctx);
    ir_region_append(&check->regions[0], body);
    ir_builder then = ir_builder_at_end(b->ctx, body, b->loc);
    ir_value *number = arith_index(&then, t->number);
    ir_value *size =
        k_arith(&then, "arith.muli", k_arith(&then, "arith.subi", right, left), number);
    ir_value *offset =
        k_arith(&then, "arith.muli", k_arith(&then, "arith.subi", left, from), number);
    size = cast(&then, size, ir_integer_type(b->ctx, 32, IR_SIGNLESS));
    near = k_arith(&then, "arith.addi", near, offset);
    ir_value *within = k_arith(&then, "arith.subi", left, begin);
    ir_value *part = k_arith(&then, "arith.muli", row, arith_index(&then, in_row));
    part = k_arith(&then, "arith.addi", part, shard);
    move_part(&then, t, accessor, part, within, near, size);
    ir_build_op(&then, SCF_OP(yield), NULL, 0, NULL, 0, NULL, 0, 0);
}

/* Rows of numbers: for each row of the block a part of a page, or of several. */
static void move_rows(ir_builder *b, const transfer *t, ir_value *accessor,
                      ir_value *pointer)
{
    const int64_t rows = ttl_cb_dim(t->cb->type, 0);
    const int64_t bytes = ttl_cb_dim(t->cb->type, 1) * t->number;
    ir_value *base = cast(b, pointer, ir_index_type(b->ctx));
    ir_value *const *at = &t->slice->operands[1].value;
    ir_value *column = t->slice->operands[2].value;
    ir_builder in = *b;
    ir_value *row = rows == 1 ? arith_index(b, 0) : k_loop(b, rows, &in);
    ir_value *near = k_arith(&in, "arith.addi", base,
                             k_arith(&in, "arith.muli", row, arith_index(&in, bytes)));
    row = k_arith(&in, "arith.addi", *at, row);
    if (t->across < t->slice->operands[0].value->type->dims[1])
        move_pieces(&in, t, accessor, row, near);
    else
        move_part(&in, t, accessor, row, column, near, arith_i32(&in, bytes));
}

static ir_op *slice_of(ir_value *v)
{
    ir_op *def = ir_value_def(v);
    return ir_op_is(def, TTL_OP(tensor_slice)) ? def : NULL;
}

/* Of a tensor in rows: pages of a sharded one are rows of its shards. */
static int64_t columns_of_page(ir_attr layout, ir_type shard, int64_t columns)
{
    const int64_t kind = ir_enum_value(ir_attr_param(layout, "mem_layout"),
                                       TTNN_TensorMemoryLayout_Interleaved);
    const bool narrow = kind == TTNN_TensorMemoryLayout_WidthSharded ||
                        kind == TTNN_TensorMemoryLayout_BlockSharded;
    const int64_t width = narrow && shard->count ? shard->dims[shard->count - 1] : columns;
    return width > 0 && width < columns ? width : columns;
}

bool k_copy(k_func *f, ir_op *op)
{
    ir_value *src = op->operands[0].value, *dst = op->operands[1].value;
    if (k_is_pipe(src) || k_is_pipe(dst))
        return k_pipe_copy(f, op);
    transfer t = {.op = op, .read = slice_of(src) != NULL};
    t.slice = slice_of(t.read ? src : dst);
    t.cb = t.read ? dst : src;
    if (!t.slice)
        return k_illegal(op, "ttl.copy requires one tensor_slice and one circular_buffer");
    ir_value *tensor = t.slice->operands[0].value;
    ir_attr layout = tensor->type->encoding;
    ir_attr memref =
        ir_attr_is(layout, IR_ATTR_DIALECT) ? ir_attr_param(layout, "memref") : NULL;
    ir_type element = memref ? memref->type->element : NULL;
    t.page = element ? ttcore_tile_bytes(element) : 0;
    if (element && !t.page && !ttcore_is_tile(ttl_cb_element(t.cb->type)) &&
        tensor->type->count == 2 && ttl_cb_element(t.cb->type) == tensor->type->element) {
        t.number = ttcore_scalar_bytes(element);
        t.across = columns_of_page(layout, memref->type, tensor->type->dims[1]);
        t.page = t.number * t.across;
    }
    int64_t cta, *shard = t.shard; /* other passes may have put blocks together */
    if (t.number || ir_attr_ints(ir_op_attr(op, "shard"), shard, 3) != 3 ||
        ttl_cb_rank(t.cb->type) != 2 || shard[0] != ttl_cb_dim(t.cb->type, 0) ||
        shard[1] != ttl_cb_dim(t.cb->type, 1))
        shard[0] = 0;
    if (!check_tensor(&t) || !compile_time_index(f, &t, tensor->index, &cta))
        return false;
    ir_builder b = ir_builder_before(op);
    ir_value *accessor = make_accessor(f, &b, &t, tensor->index, cta);
    ir_value *pointer = ir_build1(
        &b, t.read ? TTKERNEL_OP(get_write_ptr) : TTKERNEL_OP(get_read_ptr),
        ir_integer_type(f->ctx, 32, IR_SIGNLESS), IR_VALUES(k_cb(f, &b, t.cb)), NULL, 0);
    (t.number     ? move_rows
     : t.shard[0] ? move_shard
                  : move_block)(&b, &t, accessor, pointer);
    k_end_copy(op);
    return true;
}

void k_end_copy(ir_op *op)
{
    ir_value *handle = &op->results[0];
    ir_builder b = ir_builder_before(op);
    if (handle->uses)
        ir_value_replace_uses(handle, ir_build1(&b, BUILTIN_OP(unrealized_conversion_cast),
                                                handle->type, IR_VALUES(arith_i32(&b, 0)),
                                                NULL, 0));
    ir_op_erase(op);
}

bool k_wait(k_func *f, ir_op *op)
{
    (void)f;
    ir_type handle = op->operands[0].value->type;
    if (handle->def == TTL_TYPE(mem_tx))
        return k_illegal(op, "ttl-expand-threads comes first, which gives transfers their "
                             "directions");
    bool read = handle->params[0]->value == TTL_TransferKind_read;
    const ir_op_def *def =
        read ? TTKERNEL_OP(noc_async_read_barrier) : TTKERNEL_OP(noc_async_write_barrier);
    /* a barrier waits for everything: one of a row of them is enough */
    if (!ir_op_is(op->next, def)) {
        ir_builder b = ir_builder_before(op);
        k_call(&b, def, NULL, 0);
    }
    ir_op_erase(op);
    return true;
}

bool k_tensor_slice(k_func *f, ir_op *op)
{
    (void)f;
    if (!ir_op_is_unused(op))
        return k_illegal(op, "tensor_slice has remaining uses after copy lowering");
    ir_op_erase(op);
    return true;
}
