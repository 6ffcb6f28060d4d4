/* ttl_verify.c: what ttl operations demand beyond their rows.  The texts are those that
 * users of the language and their tests know. */
#include "mlir/scf/scf.h"
#include "mlir/tensor/tensor.h"
#include "ttcore/ttcore.h"
#include "ttl/ttl_hooks.h"
#include "ttl/ttl_info.h"
#include "ttnn/ttnn.h"

#include <stdlib.h>

static const char *text_of(const ir_op *op, ir_type t)
{
    return ir_type_text(op->ctx, t);
}

/* ---- attributes -------------------------------------------------------------------- */

bool ttl_slice_verify(ir_context *ctx, ir_loc loc, ir_attr slice)
{
    int64_t start = slice->params[0]->value, stop = slice->params[1]->value;
    int64_t step = slice->params[2]->value;
    if (step == 0)
        return ir_error(ctx, loc, "slice step cannot be zero");
    if (step > 0 && stop < start)
        return ir_error(ctx, loc,
                        "slice stop (%lld) must be >= start (%lld) when step is positive",
                        (long long)stop, (long long)start);
    if (step < 0 && stop > start)
        return ir_error(ctx, loc,
                        "slice stop (%lld) must be <= start (%lld) when step is negative",
                        (long long)stop, (long long)start);
    return true;
}

/* ---- circular buffers -------------------------------------------------------------- */

bool ttl_bind_cb_verify(ir_op *op)
{
    int64_t index = ir_op_int(op, "cb_index", -1);
    if (index < 0 || index >= TTL_MAX_BUFFERS)
        return ir_op_error(op, "cb_index must be in [0,%d]", TTL_MAX_BUFFERS - 1);
    int64_t factor = ir_op_int(op, "buffer_factor", 2);
    int64_t of_type = op->results[0].type->params[2]->value;
    if (factor <= 0)
        return ir_op_error(op, "buffer_factor must be > 0");
    if (factor != of_type)
        return ir_op_error(op, "buffer_factor must match result type buffer factor (%lld)",
                           (long long)of_type);
    return true;
}

bool ttl_reshape_cb_verify(ir_op *op)
{
    ir_type from = op->operands[0].value->type, to = op->results[0].type;
    return (ttl_cb_capacity(from) == ttl_cb_capacity(to) &&
            ttl_cb_element(from) == ttl_cb_element(to)) ||
           ir_op_error(op, "must keep the pages: '%s' has %lld of '%s'", text_of(op, from),
                       (long long)ttl_cb_capacity(from), text_of(op, ttl_cb_element(from)));
}

bool ttl_get_tile_verify(ir_op *op)
{
    ir_type element = ttl_cb_element(op->operands[0].value->type);
    return op->results[0].type == element ||
           ir_op_error(op, "gives '%s', the buffer holds '%s'",
                       text_of(op, op->results[0].type), text_of(op, element));
}

bool ttl_attach_cb_verify(ir_op *op)
{
    ir_type tensor = op->operands[0].value->type, cb = op->operands[1].value->type;
    if (tensor->element != ttl_cb_element(cb))
        return ir_op_error(op,
                           "tensor element type ('%s') must match CB element type ('%s')",
                           text_of(op, tensor->element), text_of(op, ttl_cb_element(cb)));
    if (op->results[0].type != tensor)
        return ir_op_error(op, "result type must equal tensor operand type");
    return true;
}

/* cb_wait, cb_reserve: the result is one block of the buffer. */
bool ttl_cb_view_verify(ir_op *op)
{
    ir_type cb = op->operands[0].value->type, view = op->results[0].type;
    if (view->kind == IR_TYPE_DIALECT)
        return view == ttl_block_of_cb(cb) ||
               view == ttl_block_in_memory(ttl_block_of_cb(cb)) ||
               ir_op_error(op, "result block type '%s' must be that of the CB, '%s'",
                           text_of(op, view), text_of(op, ttl_block_of_cb(cb)));
    if (ttl_cb_rank(cb) != view->count)
        return ir_op_error(op, "result tensor rank (%u) must match CB shape rank (%zu)",
                           view->count, ttl_cb_rank(cb));
    for (uint32_t i = 0; i < view->count; i++)
        if (ttl_cb_dim(cb, i) != view->dims[i])
            return ir_op_error(op,
                               "result tensor shape dimension %u (%lld) must match CB "
                               "shape dimension (%lld)",
                               i, (long long)view->dims[i], (long long)ttl_cb_dim(cb, i));
    if (view->element != ttl_cb_element(cb))
        return ir_op_error(
            op, "result tensor element type ('%s') must match CB element type ('%s')",
            text_of(op, view->element), text_of(op, ttl_cb_element(cb)));
    return true;
}

/* What a fill writes goes through DST as a number with a fraction. */
bool ttl_cb_fill_verify(ir_op *op)
{
    ir_type element = ttl_cb_element(op->operands[0].value->type);
    switch (ttcore_tile_data_type(element)) {
    case TTCORE_DataType_Float32:
    case TTCORE_DataType_Float16:
    case TTCORE_DataType_BFloat16:
    case TTCORE_DataType_BFP_BFloat8:
    case TTCORE_DataType_BFP_BFloat4:
        return true;
    default:
        return ir_op_error(op, "fills tiles of floating-point elements, got '%s'",
                           text_of(op, element));
    }
}

bool ttl_cb_pad_verify(ir_op *op)
{
    ir_type element = ttl_cb_element(op->operands[0].value->type);
    return ttcore_scalar_bytes(element) ||
           ir_op_error(op, "pads buffers of numbers, got '%s'", text_of(op, element));
}

bool ttl_store_verify(ir_op *op)
{
    ir_type tile = op->operands[0].value->type, view = op->operands[1].value->type;
    if (!ttcore_is_tile(tile))
        return ir_op_error(op, "tile operand must be !ttcore.tile, got '%s'",
                           text_of(op, tile));
    if (view->element != tile)
        return ir_op_error(op, "view element type ('%s') must match tile type ('%s')",
                           text_of(op, view->element), text_of(op, tile));
    return true;
}

bool ttl_copy_tile_verify(ir_op *op)
{
    ir_type src = op->operands[0].value->type, dst = op->results[1].type;
    if (!ttcore_is_tile(src))
        return ir_op_error(op, "expects src to be ttcore.tile");
    if (src != dst)
        return ir_op_error(
            op, "dst_tile type must match src type, but got dst_tile: '%s', src: '%s'",
            text_of(op, dst), text_of(op, src));
    return true;
}

bool ttl_linearized_index_verify(ir_op *op)
{
    ir_affine_map map = ir_op_attr(op, "index_map")->map;
    if (map->n_dims == 0)
        return ir_op_error(op, "index_map must have at least one dimension");
    if (map->n_results != 1)
        return ir_op_error(op, "index_map must have exactly one result, got %u",
                           map->n_results);
    return true;
}

/* ---- operations on blocks ---------------------------------------------------------- */

/* Blocks of rank 2 whose extents are known; the result has these. */
static bool check_blocks(ir_op *op, int64_t rows, int64_t columns)
{
    ir_type result = op->results[0].type;
    if (result->dims[0] == rows && result->dims[1] == columns)
        return true;
    return ir_op_error(op, "result is a block of %lldx%lld tiles, but its type is '%s'",
                       (long long)rows, (long long)columns, text_of(op, result));
}

static bool are_blocks(ir_op *op)
{
    for (uint32_t i = 0; i <= op->n_operands; i++) {
        ir_type t = i < op->n_operands ? op->operands[i].value->type : op->results[0].type;
        if (t->count != 2 || !ir_type_has_static_shape(t))
            return ir_op_error(op, "expects blocks of rank 2 with known extents, got '%s'",
                               text_of(op, t));
    }
    return true;
}

bool ttl_matmul_verify(ir_op *op)
{
    if (!are_blocks(op))
        return false;
    ir_type a = op->operands[0].value->type, b = op->operands[1].value->type;
    if (a->dims[1] != b->dims[0])
        return ir_op_error(op,
                           "inner extents differ: lhs is %lldx%lld tiles, rhs %lldx%lld",
                           (long long)a->dims[0], (long long)a->dims[1],
                           (long long)b->dims[0], (long long)b->dims[1]);
    return check_blocks(op, a->dims[0], b->dims[1]);
}

bool ttl_reduce_verify(ir_op *op)
{
    int64_t dims[2];
    int64_t n = ir_attr_ints(ir_op_attr(op, "dims"), dims, 2);
    if (!are_blocks(op))
        return false;
    if (n < 1 || n > 2 || dims[0] < 0 || dims[0] > 1 ||
        (n == 2 && (dims[0] || dims[1] != 1)))
        return ir_op_error(op, "dims must be [0], [1] or [0, 1]");
    ir_type in = op->operands[0].value->type, scaler = op->operands[1].value->type;
    if (scaler->dims[0] != 1 || scaler->dims[1] != 1)
        return ir_op_error(op, "scaler must be one tile, got '%s'", text_of(op, scaler));
    bool rows = dims[0] == 0, columns = dims[n - 1] == 1;
    return check_blocks(op, rows ? 1 : in->dims[0], columns ? 1 : in->dims[1]);
}

bool ttl_transpose_verify(ir_op *op)
{
    ir_type in = op->operands[0].value->type;
    return are_blocks(op) && check_blocks(op, in->dims[1], in->dims[0]);
}

/* Blocks, or tiles, that differ in nothing but the type of elements that tiles hold. */
bool ttl_typecast_verify(ir_op *op)
{
    ir_type from = op->operands[0].value->type, to = op->results[0].type;
    const bool blocks = from->kind == IR_TYPE_TENSOR && to->kind == IR_TYPE_TENSOR;
    if (blocks && ir_tensor_type(to->element, from->dims, from->count, NULL) !=
                      ir_tensor_type(to->element, to->dims, to->count, NULL))
        return ir_op_error(op, "must keep the shape: '%s' and '%s'", text_of(op, from),
                           text_of(op, to));
    ir_type of = blocks ? from->element : from, in = blocks ? to->element : to;
    of = ttcore_tile_of(of);
    in = ttcore_tile_of(in);
    if (!of || !in)
        return ir_op_error(op, "converts tiles, or elements that tiles hold: '%s' and '%s'",
                           text_of(op, from), text_of(op, to));
    return of->params[0] == in->params[0] ||
           ir_op_error(op, "must keep the tile's shape: '%s' and '%s'", text_of(op, of),
                       text_of(op, in));
}

/* ---- transfers ---------------------------------------------------------------------
 * Every transfer must reach a ttl.wait, and every wait must come from a transfer: through
 * tensors of handles and the values that loops carry. */

typedef struct values {
    ir_value **at;
    size_t count, capacity;
} values;

/* Adds a value once; false if the set has it. */
static bool add(values *set, ir_value *v)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->at[i] == v)
            return false;
    TW_PUSH(set->at, set->count, set->capacity, v);
    return true;
}

static bool is_typed_handle(ir_type t)
{
    return t->kind == IR_TYPE_DIALECT && t->def == TTL_TYPE(transfer_handle) &&
           t->params[0];
}

static bool check_handle(ir_op *op, ir_type t)
{
    return is_typed_handle(t) ||
           ir_op_error(op, "expects transfer handle to be direction-typed "
                           "(!ttl.transfer_handle<read> or !ttl.transfer_handle<write>).");
}

typedef struct range {
    int64_t from, to, step;
} range;

static bool constant_range(const ir_op *loop, range *out)
{
    int64_t at[3];
    for (uint32_t i = 0; i < 3; i++) {
        ir_op *def = ir_value_def(loop->operands[i].value);
        ir_attr value = def ? ir_op_attr(def, "value") : NULL;
        if (!ir_attr_is(value, IR_ATTR_INTEGER))
            return false;
        at[i] = value->value;
    }
    *out = (range){at[0], at[1], at[2]};
    return true;
}

static ir_op *loop_around(ir_op *op)
{
    ir_op *parent = ir_op_parent(op);
    while (parent && parent->def != SCF_OP(for))
        parent = ir_op_parent(parent);
    return parent;
}

static bool is_iv(const ir_value *v, const ir_op *loop)
{
    return loop && v == ir_op_body(loop, 0)->args[0];
}

static bool waited_in(const ir_op *extract, const ir_op *loop)
{
    for (ir_operand *use = extract->results[0].uses; use; use = use->next_use)
        if (use->owner->def == TTL_OP(wait) && use->owner != loop &&
            ir_op_is_ancestor(loop, use->owner))
            return true;
    return false;
}

/* Handles put into a tensor by one loop and waited on by another: -1 if the pattern does
 * not match, else whether the second loop covers all that the first one wrote. */
static int container_covered(ir_op *insert)
{
    ir_type t = insert->results[0].type;
    ir_op *writer = loop_around(insert);
    range written;
    if (t->count != 1 || !is_typed_handle(t->element) || insert->n_operands != 3 ||
        !is_iv(insert->operands[2].value, writer) || !constant_range(writer, &written))
        return -1;
    ir_op *yield = ir_op_body(writer, 0)->last;
    uint32_t at = 0;
    while (at < yield->n_operands && yield->operands[at].value != &insert->results[0])
        at++;
    if (at == yield->n_operands)
        return -1;
    int covered = -1;
    for (ir_operand *use = writer->results[at].uses; use; use = use->next_use) {
        ir_op *extract = use->owner, *reader;
        range read;
        if (extract->def != TENSOR_OP(extract) || extract->n_operands != 2 ||
            !(reader = loop_around(extract)) ||
            !is_iv(extract->operands[1].value, reader) || !waited_in(extract, reader) ||
            !constant_range(reader, &read))
            continue;
        if (covered < 0)
            covered = 0;
        if (written.step == 1 && read.step == 1 && read.from == written.from &&
            read.to >= written.to)
            covered = 1;
    }
    return covered;
}

/* Where a use hands the handle on to; true if it is a wait. */
static bool follow(const ir_operand *use, values *todo)
{
    ir_op *op = use->owner;
    size_t i = ir_operand_number(use);
    if (op->def == TTL_OP(wait))
        return true;
    if (op->def == TENSOR_OP(insert) && i == 0 && container_covered(op) != 0)
        add(todo, &op->results[0]);
    else if (op->def == TENSOR_OP(extract) && i == 0)
        add(todo, &op->results[0]);
    else if (op->def == SCF_OP(for) && i >= 3)
        add(todo, ir_op_body(op, 0)->args[i - 2]);
    else if (op->def == SCF_OP(yield) && ir_op_is(ir_op_parent(op), SCF_OP(for)))
        add(todo, &ir_op_parent(op)->results[i]);
    return false;
}

static bool is_waited_on(ir_value *handle)
{
    values todo = {.count = 0};
    bool found = false;
    add(&todo, handle);
    for (size_t i = 0; !found && i < todo.count; i++)
        for (ir_operand *use = todo.at[i]->uses; !found && use; use = use->next_use)
            found = follow(use, &todo);
    free(todo.at);
    return found;
}

/* The value that gives the handle to this one; NULL at its origin. */
static ir_value *source_of(const ir_value *v)
{
    if (v->is_argument) {
        ir_op *loop = ((ir_block *)v->owner)->region->owner;
        return ir_op_is(loop, SCF_OP(for)) && v->index >= 1
                   ? loop->operands[v->index + 2].value
                   : NULL;
    }
    ir_op *def = v->owner;
    if (def->def == TENSOR_OP(extract) || def->def == TENSOR_OP(insert))
        return def->operands[0].value;
    return def->def == SCF_OP(for) ? ir_op_body(def, 0)->last->operands[v->index].value
                                   : NULL;
}

static bool comes_from_copy(ir_value *v)
{
    values seen = {.count = 0};
    ir_value *origin = NULL;
    for (; v && add(&seen, v); v = source_of(v)) /* ends where a loop carries its own */
        origin = v;
    free(seen.at);
    return !v && ir_op_is(ir_value_def(origin), TTL_OP(copy));
}

static bool is_cb(ir_type t)
{
    return t->kind == IR_TYPE_DIALECT && t->def == TTL_TYPE(cb);
}

static bool is_pipe(ir_type t)
{
    return t->kind == IR_TYPE_DIALECT && t->def == TTL_TYPE(pipe);
}

/* In the plan's form, of blocks and elements of accessors, waits may come later. */
static bool is_planned(const ir_op *op)
{
    ir_type t = op->results[0].type;
    return t->kind == IR_TYPE_DIALECT && t->def == TTL_TYPE(mem_tx);
}

bool ttl_copy_verify(ir_op *op)
{
    ir_value *src = op->operands[0].value, *dst = op->operands[1].value;
    int64_t leading = ir_op_int(op, "src_indices", 0),
            indices = (int64_t)op->n_operands - 2;
    if (leading < 0 || leading > indices)
        return ir_op_error(op,
                           "has %lld indices, src_indices says that the source has %lld",
                           (long long)indices, (long long)leading);
    if (is_planned(op))
        return true;
    if (op->n_operands > 2)
        return ir_op_error(op, "takes indices of accessors only, and gives a !ttl.mem_tx");
    if ((is_pipe(src->type) && is_cb(dst->type)) ||
        (is_cb(src->type) && is_pipe(dst->type)))
        return check_handle(op, op->results[0].type) &&
               (is_waited_on(&op->results[0]) ||
                ir_op_error(op,
                            "expects transfer handle to be synchronized with ttl.wait."));
    if (is_cb(src->type) == is_cb(dst->type))
        return ir_op_error(
            op, "expects exactly one operand to be !ttl.cb; got src='%s' dst='%s'",
            text_of(op, src->type), text_of(op, dst->type));
    ir_value *other = is_cb(src->type) ? dst : src;
    ir_op *slice = ir_value_def(other);
    ir_type t = ir_op_is(slice, TTL_OP(tensor_slice)) && slice->n_operands
                    ? slice->operands[0].value->type
                    : other->type;
    if (t->kind != IR_TYPE_TENSOR)
        return ir_op_error(op,
                           "expects the non-CB operand to be a ranked tensor or "
                           "tensor_slice result; got '%s'",
                           text_of(op, t));
    if (!ir_attr_is(t->encoding, IR_ATTR_DIALECT) ||
        t->encoding->def != TTNN_ATTR(ttnn_layout))
        return ir_op_error(op,
                           "expects tensor operand to carry TTNNLayout encoding; got '%s'",
                           text_of(op, t));
    if (!check_handle(op, op->results[0].type))
        return false;
    return is_waited_on(&op->results[0]) ||
           ir_op_error(op, "expects transfer handle to be synchronized with ttl.wait.");
}

bool ttl_wait_verify(ir_op *op)
{
    ir_type t = op->operands[0].value->type;
    bool planned = t->kind == IR_TYPE_DIALECT && t->def == TTL_TYPE(mem_tx);
    if (!planned && !check_handle(op, t))
        return false;
    return comes_from_copy(op->operands[0].value) ||
           ir_op_error(op, "expects operand to be the result of ttl.copy.");
}

/* ---- pipes and semaphores ---------------------------------------------------------- */

/* Semaphores are counted in 32 bits; a core has far fewer. */
static bool is_numbered_well(ir_op *op)
{
    static const char *const names[] = {"semaphore_index", "scratch_index"};
    for (size_t i = 0; i < TW_COUNT(names); i++) {
        const int64_t number = ir_op_int(op, names[i], 0);
        if (number >= INT32_MAX)
            return ir_op_error(op, "%s is %lld; a core has no such semaphore", names[i],
                               (long long)number);
    }
    return true;
}

bool ttl_create_pipe_verify(ir_op *op)
{
    static const char *const names[] = {"src_core", "dst_core", "dst_core_end"};
    int64_t at[3][2] = {{0}};
    for (size_t i = 0; i < TW_COUNT(names); i++) {
        ir_attr core = ir_op_attr(op, names[i]);
        if (!core)
            continue;
        if (ir_attr_ints(core, at[i], 2) != 2 || at[i][0] < 0 || at[i][1] < 0)
            return ir_op_error(op, "%s must be a core's column and row", names[i]);
    }
    if (ir_op_attr(op, "dst_core_end") && (at[2][0] < at[1][0] || at[2][1] < at[1][1]))
        return ir_op_error(op, "dst_core_end must not lie before dst_core");
    if (!is_numbered_well(op))
        return false;
    return true;
}

bool ttl_if_pipe_verify(ir_op *op)
{
    const ir_block *body = ir_op_body(op, 0);
    if (!op->n_operands)
        return ir_op_error(op, "needs at least one pipe");
    if (!body || body->n_args != 1 || !is_pipe(body->args[0]->type))
        return ir_op_error(op, "body must have one argument of type !ttl.pipe");
    return true;
}

/* Whether an attribute, if it is there, names a core. */
static bool is_core(ir_op *op, const char *name)
{
    int64_t at[2];
    ir_attr core = ir_op_attr(op, name);
    return !core || (ir_attr_ints(core, at, 2) == 2 && at[0] >= 0 && at[1] >= 0) ||
           ir_op_error(op, "%s must be a core's column and row", name);
}

/* A core, or two corners; the whole grid where a range is left out. */
bool ttl_remote_semaphore_verify(ir_op *op)
{
    const bool many = op->def == TTL_OP(get_remote_multicast_semaphore);
    const uint32_t given = op->n_operands - 1, wanted = many ? 4 : 2;
    if (given && given != wanted)
        return ir_op_error(op, "needs %u indices, got %u", wanted, given);
    if (given ? ir_op_attr(op, "core") != NULL : !many && !ir_op_attr(op, "core"))
        return ir_op_error(op, "needs a core: indices, or the attribute 'core'");
    return is_core(op, "core") && is_core(op, "core_end");
}

bool ttl_create_semaphore_verify(ir_op *op)
{
    const int64_t value = ir_op_int(op, "initial_value", 0);
    if (value > UINT32_MAX)
        return ir_op_error(op, "begins with %lld; a semaphore has 32 bits",
                           (long long)value);
    return is_numbered_well(op);
}

/* Which forms of a semaphore an operation takes: its own core's, another's, several's. */
bool ttl_semaphore_verify(ir_op *op)
{
    ir_op *def = ir_value_def(op->operands[0].value);
    bool one = ir_op_is(def, TTL_OP(get_remote_semaphore));
    bool many = ir_op_is(def, TTL_OP(get_remote_multicast_semaphore));
    ir_attr comparison = ir_op_attr(op, "comparison");
    one |= ir_op_attr(op, "core") != NULL && op->def == TTL_OP(semaphore_inc);
    if ((op->n_operands > 1) == (ir_op_attr(op, "value") != NULL))
        return ir_op_error(op, "needs a value: a number, or one that the thread computes");
    if (!is_core(op, "core") || !is_core(op, "core_end"))
        return false;
    if (op->def == TTL_OP(semaphore_wait) && (one || many))
        return ir_op_error(op, "waits for a semaphore of its own core only");
    if (op->def == TTL_OP(semaphore_inc) && !one)
        return ir_op_error(op, "increments the semaphore of one other core only; use "
                               "ttl.get_remote_semaphore");
    if (comparison && !tw_str_is(ir_attr_str(comparison), "equal") &&
        !tw_str_is(ir_attr_str(comparison), "min"))
        return ir_op_error(op, "comparison must be \"equal\" or \"min\"");
    return true;
}

/* ---- compute ----------------------------------------------------------------------- */

static bool check_map(ir_op *op, ir_attr map, uint32_t domain, ir_type t)
{
    if (map->map->n_dims != domain)
        return ir_op_error(op, "indexing map expected %u dims (iterator domain) but got %u",
                           domain, map->map->n_dims);
    if (map->map->n_results != t->count)
        return ir_op_error(
            op, "indexing map expected %u results to match operand rank, but got %u",
            t->count, map->map->n_results);
    return true;
}

static bool check_operands(ir_op *op, size_t n_inputs, ir_attr maps, uint32_t domain)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        bool input = i < n_inputs;
        if (!ttl_attached_cb(v))
            return ir_op_error(op,
                               "%s %zu must have a circular buffer attached via "
                               "`ttl.attach_cb` or `ttl.cb_wait`",
                               input ? "input" : "output", input ? i : i - n_inputs);
        if (!check_map(op, maps->items[i], domain, v->type))
            return false;
    }
    return true;
}

/* A store's tile is yielded, its view is reserved in that output's buffer, once. */
static bool check_store(ir_op *op, ir_op *store, size_t n_inputs, uint64_t *stored)
{
    ir_op *yield = ir_op_body(op, 0)->last;
    uint32_t k = 0;
    while (k < yield->n_operands && yield->operands[k].value != store->operands[0].value)
        k++;
    if (k == yield->n_operands || n_inputs + k >= op->n_operands)
        return ir_op_error(store,
                           "tile operand must be yielded by the enclosing ttl.compute");
    ir_op *reserve = ir_value_def(store->operands[1].value);
    if (!ir_op_is(reserve, TTL_OP(cb_reserve)))
        return ir_op_error(store,
                           "view must be produced by ttl.cb_reserve for the output CB");
    if (reserve->operands[0].value != ttl_attached_cb(op->operands[n_inputs + k].value))
        return ir_op_error(
            store, "view CB does not match the circular buffer attached to output %u", k);
    if (*stored >> k & 1)
        return ir_op_error(store, "duplicate ttl.store for output %u", k);
    *stored |= (uint64_t)1 << k;
    return true;
}

bool ttl_compute_verify(ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    size_t start, n_inputs, n_outputs;
    ir_op_operand_group(op, 0, &start, &n_inputs);
    ir_op_operand_group(op, 1, &start, &n_outputs);
    if (!body || body->next)
        return ir_op_error(op, "body must have exactly one block");
    if (body->n_args != op->n_operands)
        return ir_op_error(op,
                           "body block must have %u arguments (matching inputs + "
                           "outputs), but got %u",
                           op->n_operands, body->n_args);
    ir_attr maps = ir_op_attr(op, "indexing_maps"),
            kinds = ir_op_attr(op, "iterator_types");
    if (maps->count != op->n_operands)
        return ir_op_error(op, "expected %u indexing maps but got %u", op->n_operands,
                           maps->count);
    for (uint32_t i = 0; i < kinds->count; i++)
        if (!ir_attr_is(kinds->items[i], IR_ATTR_STRING) ||
            (!tw_str_is(ir_attr_str(kinds->items[i]), "parallel") &&
             !tw_str_is(ir_attr_str(kinds->items[i]), "reduction")))
            return ir_op_error(
                op, "iterator_types must contain only 'parallel' or 'reduction'");
    if (!body->last || !(body->last->def->traits & IR_TERMINATOR))
        return ir_op_error(op, "body block must have a terminator");
    if (body->last->def != TTL_OP(yield))
        return ir_op_error(op, "body block must be terminated with ttl.yield");
    if (!n_inputs)
        return ir_op_error(op,
                           "requires at least one input for SFPU unpacker configuration");
    if (!n_outputs)
        return ir_op_error(op,
                           "requires at least one output for SFPU packer configuration");
    uint32_t most = 0;
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (op->operands[i].value->type->count > most)
            most = op->operands[i].value->type->count;
    if (most != kinds->count)
        return ir_op_error(op,
                           "iterator_types count (%u) must match maximum tensor rank (%u)",
                           kinds->count, most);
    if (!check_operands(op, n_inputs, maps, kinds->count))
        return false;
    uint64_t stored = 0;
    for (ir_op *o = body->first; o; o = o->next)
        if (o->def == TTL_OP(store) && !check_store(op, o, n_inputs, &stored))
            return false;
    return true;
}
