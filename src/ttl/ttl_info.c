/* ttl_info.c: see ttl_info.h. */
#include "ttl/ttl_info.h"

#include "mlir/builtin/builtin.h"
#include "mlir/func/func.h"
#include "support/number.h"
#include "ttcore/ttcore.h"
#include "ttkernel/ttkernel.h"

ir_value *ttl_behind_casts(ir_value *v)
{
    for (int depth = 0; depth < 64; depth++) {
        ir_op *def = ir_value_def(v);
        if (!ir_op_is(def, BUILTIN_OP(unrealized_conversion_cast)) || def->n_operands != 1)
            break;
        v = def->operands[0].value;
    }
    return v;
}

ir_value *ttl_attached_cb(ir_value *tensor)
{
    ir_op *def = ir_value_def(ttl_behind_casts(tensor));
    if (ir_op_is(def, TTL_OP(attach_cb)))
        return def->operands[1].value;
    if (ir_op_is(def, TTL_OP(cb_wait)))
        return def->operands[0].value;
    return NULL;
}

/* ---- circular buffers -------------------------------------------------------------- */

size_t ttl_cb_rank(ir_type cb)
{
    return cb->params[0]->count;
}

int64_t ttl_cb_dim(ir_type cb, size_t i)
{
    return cb->params[0]->items[i]->value;
}

ir_type ttl_cb_element(ir_type cb)
{
    return cb->params[1]->type;
}

int64_t ttl_cb_block_size(ir_type cb)
{
    int64_t n = 1;
    for (size_t i = 0; i < ttl_cb_rank(cb); i++)
        n = tw_saturating_product(n, ttl_cb_dim(cb, i));
    return n;
}

int64_t ttl_cb_capacity(ir_type cb)
{
    return tw_saturating_product(ttl_cb_block_size(cb), cb->params[2]->value);
}

/* ---- families ---------------------------------------------------------------------- */

#define ELEMENTWISE(row, takes, at_edges, what, floats, integers)                          \
    {.name = #row,                                                                         \
     .meaning = what,                                                                      \
     .tensor = TTL_OP(row),                                                                \
     .tile = TTL_OP(tile_##row),                                                           \
     .form = TTL_##takes,                                                                  \
     .padding = ELEMENTWISE_##at_edges,                                                    \
     floats integers},
#define TILE(sort, shape, op, init_, ...) OF_##sort(init_, TTKERNEL_OP(op))
#define TILE_BY_HAND(sort, op, init_) OF_##sort(TTKERNEL_OP(init_), TTKERNEL_OP(op))
#define OF_FLOATS(i, op) .init = i, .compute = op,
#define OF_INTEGERS(i, op) .int_init = i, .int_compute = op,
#define OF_SIGNED(i, op) OF_INTEGERS(i, op).is_signed = true,
#define OWN(op) TTKERNEL_OP(op)
#define TYPED(op) TTKERNEL_OP(op)
#define USES(op) TTKERNEL_OP(op)
#define CONSTANTS(a, b) .n_numbers = 2, .numbers = {a, b},

static const ttl_elementwise rows[] = {
#include "ttkernel/elementwise.def"
};

const ttl_elementwise *ttl_elementwise_of(const ir_op_def *def)
{
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (rows[i].tensor == def || rows[i].tile == def)
            return &rows[i];
    return NULL;
}

const ttl_elementwise *ttl_elementwise_computed_by(const ir_op_def *compute)
{
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (rows[i].compute == compute || rows[i].int_compute == compute)
            return &rows[i];
    return NULL;
}

const ttl_elementwise *ttl_elementwise_at(size_t i)
{
    return i < TW_COUNT(rows) ? &rows[i] : NULL;
}

const char *const *ttl_number_names(ttl_form form)
{
    static const char *const names[][3] = {
        [TTL_UNARY] = {NULL},           [TTL_UNARY_CAST] = {NULL},
        [TTL_UNARY_NUMBER] = {"value"}, [TTL_UNARY_POWER] = {"value"},
        [TTL_UNARY_FILL] = {"value"},   [TTL_UNARY_RANGE] = {"min", "max"},
        [TTL_BINARY] = {NULL},          [TTL_TERNARY] = {NULL},
    };
    return names[form];
}

static const ttl_buffer_op buffer_rows[] = {
    {TTL_OP(bcast), TTL_OP(tile_bcast), false},
    {TTL_OP(matmul), TTL_OP(tile_matmul), true},
    {TTL_OP(reduce_max), TTL_OP(tile_reduce_max), true},
    {TTL_OP(reduce_sum), TTL_OP(tile_reduce_sum), true},
    {TTL_OP(transpose), TTL_OP(tile_transpose), false},
};

const ttl_buffer_op *ttl_buffer_op_of(const ir_op_def *def)
{
    for (size_t i = 0; i < TW_COUNT(buffer_rows); i++)
        if (buffer_rows[i].tensor == def)
            return &buffer_rows[i];
    return NULL;
}

const ttl_buffer_op *ttl_buffer_op_of_tile(const ir_op_def *def)
{
    for (size_t i = 0; i < TW_COUNT(buffer_rows); i++)
        if (buffer_rows[i].tile == def)
            return &buffer_rows[i];
    return NULL;
}

static bool has(const ir_op *op, const char *trait)
{
    return op->def->interfaces && ir_def_has(op->def, trait);
}

bool ttl_is_tile_compute(const ir_op *op)
{
    return has(op, "TTL_TileComputeOpTrait");
}

bool ttl_is_tile_unary(const ir_op *op)
{
    return has(op, "TTL_TileUnaryOpTrait");
}

bool ttl_reads_cb(const ir_op *op)
{
    return has(op, "TTL_CBInputTileOpTrait");
}

/* ---- buffers ------------------------------------------------------------------------- */

ir_value *ttl_buffer_of(const ir_op *op, uint32_t operand)
{
    ir_value *v = op->operands[operand].value;
    ir_op *def = ir_value_def(v);
    if (ir_op_is(def, TTL_OP(attach_cb)))
        return def->operands[1].value;
    bool view = def && (def->def == TTL_OP(cb_reserve) || def->def == TTL_OP(cb_wait));
    return view ? def->operands[0].value : v;
}

ir_op *ttl_bind_of(ir_value *cb)
{
    ir_op *def = ir_value_def(cb);
    while (ir_op_is(def, TTL_OP(reshape_cb)))
        def = ir_value_def(def->operands[0].value);
    return def;
}

int64_t ttl_block_pages(ir_value *cb)
{
    const int64_t tile = 32 * 32, n = ttl_cb_block_size(cb->type);
    const ir_op *bind = ttl_bind_of(cb);
    if (bind && ir_op_attr(bind, "ttl.padded"))
        return n / tile + (n % tile != 0);
    if (ttcore_is_tile(ttl_cb_element(cb->type)))
        return n;
    if (n % tile == 0)
        return n / tile;
    return bind && ir_op_attr(bind, "ttl.rows") ? 1 : n;
}

int64_t ttl_block_bytes(ir_type cb)
{
    ir_type element = ttl_cb_element(cb);
    int64_t bytes =
        ttcore_is_tile(element) ? ttcore_tile_bytes(element) : ttcore_scalar_bytes(element);
    return tw_saturating_product(bytes, ttl_cb_block_size(cb));
}

int64_t ttl_cb_bytes(ir_type cb)
{
    return tw_saturating_product(ttl_block_bytes(cb), cb->params[2]->value);
}

/* ---- functions --------------------------------------------------------------------- */

ir_op *ttl_function_of(ir_op *op)
{
    while (op && op->def != FUNC_OP(func))
        op = ir_op_parent(op);
    return op;
}
