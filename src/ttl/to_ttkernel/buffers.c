/* buffers.c: operations on tiles that read circular buffers directly: products, reductions,
 * transposes, broadcasts.  What adds to its register loops over the tiles it sums up. */
#include "mlir/arith/arith.h"
#include "mlir/tensor/tensor.h"
#include "ttkernel/ttkernel.h"
#include "ttl/to_ttkernel/ttl_to_ttkernel.h"
#include "ttl/ttl_info.h"

/* Where the operands of such an operation are. */
typedef struct tile_at {
    ir_value *cb;
    ir_op *extract; /* of the tile that the loops name; NULL outside loops */
    ir_type block;  /* the tensor the tile is taken from, if extract */
} tile_at;

static bool find_place(k_func *f, ir_builder *b, ir_op *op, uint32_t operand, tile_at *out)
{
    ir_value *tile = op->operands[operand].value;
    ir_value *cb = k_buffer_of_tile(tile);
    if (!cb)
        return k_illegal(op, operand + 1 == op->n_operands
                                 ? "cannot find/convert output CB"
                                 : "cannot find/convert input CB");
    ir_op *def = ir_value_def(tile);
    out->cb = k_cb(f, b, cb);
    out->extract = ir_op_is(def, TENSOR_OP(extract)) ? def : NULL;
    out->block = out->extract ? def->operands[0].value->type : NULL;
    return true;
}

static int64_t extent(const tile_at *p, uint32_t dim)
{
    return p->block ? p->block->dims[dim] : 1;
}

static ir_value *position(ir_builder *b, const tile_at *p, uint32_t dim)
{
    return p->extract ? p->extract->operands[dim + 1].value : arith_index(b, 0);
}

static ir_value *linear(ir_builder *b, ir_value *row, ir_value *column, int64_t columns)
{
    return k_arith(b, "arith.addi", k_arith(b, "arith.muli", row, arith_index(b, columns)),
                   column);
}

/* A loop over `extent` tiles, or none for one; builds where `out` points. */
static ir_value *loop_over(ir_builder *b, int64_t extent, ir_builder *out)
{
    if (extent == 1) {
        *out = *b;
        return arith_index(b, 0);
    }
    return k_loop(b, extent, out);
}

static bool find_register(ir_op *op, int64_t *out)
{
    *out = ir_op_int(op, "dst_idx", -1);
    return *out >= 0 || k_illegal(op, "missing dst_idx attribute");
}

bool k_tile_bcast(k_func *f, ir_op *op)
{
    static const int64_t kinds[] = {[TTL_BcastType_Col] = TTKERNEL_BcastType_Col,
                                    [TTL_BcastType_Row] = TTKERNEL_BcastType_Row,
                                    [TTL_BcastType_Scalar] = TTKERNEL_BcastType_Scalar};
    ir_builder b = ir_builder_before(op);
    tile_at in, out;
    int64_t reg;
    if (!find_place(f, &b, op, 0, &in) || !find_place(f, &b, op, 1, &out) ||
        !find_register(op, &reg))
        return false;
    ir_attr kind = ir_enum_attr(f->ctx, TTKERNEL_ATTR(bcast_type),
                                kinds[ir_enum_value(ir_op_attr(op, "bcast_type"), 1)]);
    ir_value *at =
        in.extract ? k_linear_index(&b, in.extract, 1, in.block) : arith_index(&b, 0);
    ir_value *buffers[] = {in.cb, out.cb};
    ir_value *operands[] = {in.cb, at, arith_index(&b, reg)};
    ir_build_op(&b, TTKERNEL_OP(unary_bcast_init), NULL, 0, buffers, 2,
                IR_ATTRS({"bcast_type", kind}), 0);
    ir_build_op(&b, TTKERNEL_OP(unary_bcast), NULL, 0, operands, 3,
                IR_ATTRS({"bcast_type", kind}), 0);
    return k_replace(op, op->operands[0].value);
}

bool k_tile_transpose(k_func *f, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    tile_at in, out;
    int64_t reg;
    if (!find_place(f, &b, op, 0, &in) || !find_place(f, &b, op, 1, &out) ||
        !find_register(op, &reg))
        return false;
    ir_value *at =
        in.extract ? k_linear_index(&b, in.extract, 1, in.block) : arith_index(&b, 0);
    K_CALL(&b, TTKERNEL_OP(transpose_wh_init), in.cb, out.cb);
    K_CALL(&b, TTKERNEL_OP(transpose_wh_tile), in.cb, at, arith_index(&b, reg));
    return k_replace(op, op->operands[0].value);
}

/* The row of the left block times the column of the right one. */
bool k_tile_matmul(k_func *f, ir_op *op)
{
    ir_builder b = ir_builder_before(op), in;
    tile_at lhs, rhs, out;
    int64_t reg;
    if (!find_place(f, &b, op, 0, &lhs) || !find_place(f, &b, op, 1, &rhs) ||
        !find_place(f, &b, op, 2, &out) || !find_register(op, &reg))
        return false;
    ir_value *to = arith_index(&b, reg);
    K_CALL(&b, TTKERNEL_OP(mm_init), lhs.cb, rhs.cb, out.cb, arith_i32(&b, 0));
    ir_value *row = position(&b, &lhs, 0), *column = position(&b, &rhs, 1);
    ir_value *k = loop_over(&b, extent(&lhs, 1), &in);
    ir_value *left = linear(&in, row, k, extent(&lhs, 1));
    ir_value *right = linear(&in, k, column, extent(&rhs, 1));
    K_CALL(&in, TTKERNEL_OP(matmul_tiles), lhs.cb, rhs.cb, left, right, to);
    return k_replace(op, op->operands[0].value);
}

/* The tiles of a row, of a column, or of the whole block become one. */
bool k_tile_reduce(k_func *f, ir_op *op)
{
    ir_builder b = ir_builder_before(op), outer, inner;
    tile_at in, scaler, out;
    int64_t reg, dims[2];
    int64_t n = ir_attr_ints(ir_op_attr(op, "dims"), dims, 2);
    if (!find_place(f, &b, op, 0, &in) || !find_place(f, &b, op, 1, &scaler) ||
        !find_place(f, &b, op, 2, &out) || !find_register(op, &reg))
        return false;
    bool rows = dims[0] == 0, columns = dims[n - 1] == 1; /* which extents go */
    ir_attr type =
        ir_enum_attr(f->ctx, TTKERNEL_ATTR(reduce_type),
                     op->def == TTL_OP(tile_reduce_max) ? TTKERNEL_ReduceType_Max
                                                        : TTKERNEL_ReduceType_Sum);
    ir_attr dim = ir_enum_attr(f->ctx, TTKERNEL_ATTR(reduce_dim),
                               rows && columns ? TTKERNEL_ReduceDim_Scalar
                               : columns       ? TTKERNEL_ReduceDim_Row
                                               : TTKERNEL_ReduceDim_Col);
    ir_value *buffers[] = {in.cb, scaler.cb, out.cb}, *to = arith_index(&b, reg);
    ir_build_op(&b, TTKERNEL_OP(reduce_init), NULL, 0, buffers, 3,
                IR_ATTRS({"reduce_type", type}, {"reduce_dim", dim}), 0);
    ir_value *zero = arith_index(&b, 0);
    ir_value *row = position(&b, &in, 0), *column = position(&b, &in, 1);
    outer = b;
    if (rows)
        row = loop_over(&b, extent(&in, 0), &outer);
    inner = outer;
    if (columns)
        column = loop_over(&outer, extent(&in, 1), &inner);
    ir_value *operands[] = {in.cb, scaler.cb, linear(&inner, row, column, extent(&in, 1)),
                            zero, to};
    ir_build_op(&inner, TTKERNEL_OP(reduce_tile), NULL, 0, operands, 5,
                IR_ATTRS({"reduce_type", type}, {"reduce_dim", dim}), 0);
    /* the packer keeps to the reduced row or column until it is reconfigured */
    ir_op *end = op;
    for (ir_op *o = op; o; o = o->next)
        if (o->def == TTKERNEL_OP(tile_regs_release))
            end = o;
    ir_builder after = ir_builder_after(end);
    k_call(&after, TTKERNEL_OP(reduce_uninit), NULL, 0);
    return k_replace(op, op->operands[0].value);
}

/* Each tile of a block is filled in DST and packed: a block without a producer. */
bool k_cb_fill(k_func *f, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_type type = op->operands[0].value->type;
    ir_value *cb = k_cb(f, &b, op->operands[0].value);
    ir_value *tiles = arith_i32(&b, ttl_cb_block_size(type)), *reg = arith_index(&b, 0);
    ir_attr number = ir_op_attr(op, "value");
    ir_value *value = ir_build1(&b, ARITH_OP(constant), number->type, NULL, 0,
                                IR_ATTRS({"value", number}));
    ir_builder in;
    const bool reserved = ir_op_attr(op, "reserved") != NULL; /* and pushed by others */
    if (!reserved)
        K_CALL(&b, TTKERNEL_OP(cb_reserve_back), cb, tiles);
    K_CALL(&b, TTKERNEL_OP(init_sfpu), cb, cb);
    ir_value *at = loop_over(&b, ttl_cb_block_size(type), &in);
    k_call(&in, TTKERNEL_OP(tile_regs_acquire), NULL, 0);
    k_call(&in, TTKERNEL_OP(fill_tile_init), NULL, 0);
    K_CALL(&in, TTKERNEL_OP(fill_tile), reg, value);
    k_call(&in, TTKERNEL_OP(tile_regs_commit), NULL, 0);
    k_call(&in, TTKERNEL_OP(tile_regs_wait), NULL, 0);
    ir_build_op(&in, TTKERNEL_OP(pack_tile), NULL, 0, (ir_value *[]){reg, cb, at}, 3,
                IR_ATTRS({"out_of_order", ir_bool_attr(f->ctx, reserved)}), 0);
    k_call(&in, TTKERNEL_OP(tile_regs_release), NULL, 0);
    if (!reserved)
        K_CALL(&b, TTKERNEL_OP(cb_push_back), cb, tiles);
    ir_op_erase(op);
    return true;
}

/* The thread that fills the buffer writes words behind each block's numbers, before any
 * block comes; copies leave them alone. */
bool k_cb_pad(k_func *f, ir_op *op)
{
    ir_builder b = ir_builder_before(op), block, word;
    ir_type type = op->operands[0].value->type;
    const int64_t bytes = ttcore_scalar_bytes(ttl_cb_element(type)), tile = 32 * 32;
    const int64_t n = ttl_cb_block_size(type), factor = type->params[2]->value;
    const int64_t words = (n + tile - 1) / tile * tile * bytes / 4, first = n * bytes / 4;
    if (words == first) {
        ir_op_erase(op);
        return true;
    }
    ir_type i32 = ir_integer_type(f->ctx, 32, IR_SIGNLESS);
    ir_value *at = ir_build1(&b, TTKERNEL_OP(get_write_ptr), i32,
                             IR_VALUES(k_cb(f, &b, op->operands[0].value)), NULL, 0);
    ir_attr width = ir_raw_int(f->ctx, 32);
    ir_value *pointer = ir_build1(
        &b, TTKERNEL_OP(reinterpret_cast),
        ir_dialect_type(f->ctx, TTKERNEL_TYPE(l1_addr_ptr), &width, 1), &at, 1, NULL, 0);
    ir_value *k = loop_over(&b, factor, &block);
    ir_value *begin = arith_index(&block, first);
    ir_value *start = k_arith(&block, "arith.muli", k, arith_index(&block, words));
    start = k_arith(&block, "arith.addi", start, begin);
    ir_value *i = loop_over(&block, words - first, &word);
    ir_value *offset = k_arith(&word, "arith.addi", start, i);
    offset = ir_build1(&word, ARITH_OP(index_cast), i32, &offset, 1, NULL, 0);
    K_CALL(&word, TTKERNEL_OP(store_to_l1), arith_i32(&word, 0), pointer, offset);
    ir_op_erase(op);
    return true;
}
