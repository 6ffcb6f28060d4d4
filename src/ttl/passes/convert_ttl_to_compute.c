/* convert_ttl_to_compute.c: operations on blocks become ttl.compute.
 *
 * From the last operation to the first: an operation takes everything with it that leads
 * back, through element-wise operations alone, to blocks that lie in circular buffers; one
 * ttl.compute does it all, tile by tile.  What others use too stays and gets its own turn.
 * Broadcasts, products, reductions and transposes read their buffers themselves, so they
 * can only begin such a chain: what they read of computed values is stored to a buffer of
 * the thread's own first (cut.c).  The result goes
 * to the buffer that a ttl.attach_cb of it names, else to the first unused one. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "mlir/tensor/tensor.h"
#include "ttl/passes/compute.h"
#include "ttl/ttl_info.h"

#include <stdlib.h>

enum { CAPACITY = TTL_MAX_INPUTS, MAX_OPERANDS = 3 };
enum { LOOK = 1 << 10 }; /* shared values are no tree: look at no more */

/* Which of a block's tiles is read for the tile (d0, d1) of the output. */
typedef enum role {
    WHOLE,     /* the same; 0 where its extent is 1 */
    ROW_OF,    /* the first of its row */
    COLUMN_OF, /* the first of its column */
    FIRST,     /* the first of all */
    SWAPPED,   /* (d1, d0) */
} role;

typedef struct root {
    ir_value *value;
    role role;
} root;

typedef struct trace {
    root roots[CAPACITY];
    ir_op *ops[CAPACITY]; /* operands before their users */
    size_t n_roots, n_ops;
    ir_value *failed;
    const char *why, *note;
    bool full; /* one compute block cannot take it */
} trace;

static bool fail(trace *t, ir_value *v, const char *why, const char *note)
{
    t->failed = v;
    t->why = why;
    t->note = note;
    return false;
}

static bool too_large(trace *t, ir_value *v, const char *why)
{
    t->full = true;
    return fail(t, v, why, NULL);
}

static bool add_root(trace *t, ir_value *v, role role)
{
    for (size_t i = 0; i < t->n_roots; i++)
        if (t->roots[i].value == v && t->roots[i].role == role)
            return true;
    if (t->n_roots == CAPACITY)
        return too_large(t, v, "more inputs than one compute block takes");
    t->roots[t->n_roots++] = (root){v, role};
    return true;
}

static bool add_op(trace *t, ir_op *op)
{
    if (t->n_ops == CAPACITY)
        return too_large(t, &op->results[0],
                         "more operations than one compute block takes");
    t->ops[t->n_ops++] = op;
    return true;
}

static bool is_traced(const trace *t, const ir_op *op)
{
    for (size_t i = 0; i < t->n_ops; i++)
        if (t->ops[i] == op)
            return true;
    return false;
}

static bool is_elementwise(const ir_op *op)
{
    const ttl_elementwise *row = ttl_elementwise_of(op->def);
    return row && row->tensor == op->def;
}

/* Of the form for blocks or for tiles. */
static role role_of(const ir_op *op, uint32_t operand)
{
    if (op->def == TTL_OP(matmul) || op->def == TTL_OP(tile_matmul))
        return operand == 0 ? ROW_OF : COLUMN_OF;
    if (op->def == TTL_OP(transpose) || op->def == TTL_OP(tile_transpose))
        return SWAPPED;
    if (op->def == TTL_OP(bcast) || op->def == TTL_OP(tile_bcast))
        return WHOLE;
    int64_t dims[2];
    int64_t n = ir_attr_ints(ir_op_attr(op, "dims"), dims, 2);
    return operand || n == 2 ? FIRST : dims[0] == 1 ? ROW_OF : COLUMN_OF;
}

/* Operands that are read from buffers; a broadcast's second one is its output. */
static uint32_t buffers_of(const ir_op *op)
{
    return op->def == TTL_OP(bcast) ? 1 : op->n_operands;
}

static bool trace_value(trace *t, ir_value *v);

static int by_need(ir_op *op, uint32_t order[MAX_OPERANDS], int *budget);

/* Registers that computing a value takes at least, were all of it a tree. */
static int registers_for(ir_value *v, int *budget)
{
    ir_op *op = ttl_attached_cb(v) || --*budget < 0 ? NULL : ir_value_def(v);
    uint32_t order[MAX_OPERANDS];
    return op && is_elementwise(op) ? by_need(op, order, budget) : 1;
}

/* Numbers of an operation's operands, those first that need more registers, so that few
 * results are kept meanwhile; gives what all of them need.  Without a budget each operand
 * has its own. */
static int by_need(ir_op *op, uint32_t order[MAX_OPERANDS], int *budget)
{
    int needs[MAX_OPERANDS], all = 0;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        int own = LOOK;
        const int need = registers_for(op->operands[i].value, budget ? budget : &own);
        uint32_t at = i;
        for (; at > 0 && needs[at - 1] < need; at--) {
            needs[at] = needs[at - 1];
            order[at] = order[at - 1];
        }
        needs[at] = need;
        order[at] = i;
    }
    for (uint32_t i = 0; i < op->n_operands; i++)
        all = TW_MAX(all, needs[i] + (int)i);
    return all;
}

static bool trace_op(trace *t, ir_op *op)
{
    if (ttl_buffer_op_of(op->def)) {
        for (uint32_t i = 0; i < buffers_of(op); i++) {
            ir_value *v = op->operands[i].value;
            if (!ttl_attached_cb(v))
                return fail(t, v, "an operand must come directly from a circular buffer",
                            "this value is in no buffer: store it to one first");
            if (!add_root(t, v, role_of(op, i)))
                return false;
        }
        return add_op(t, op);
    }
    uint32_t order[MAX_OPERANDS];
    by_need(op, order, NULL);
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!trace_value(t, op->operands[order[i]].value))
            return false;
    return add_op(t, op);
}

static bool trace_value(trace *t, ir_value *v)
{
    if (ttl_attached_cb(v))
        return add_root(t, v, WHOLE);
    ir_op *op = ir_value_def(v);
    if (!op)
        return fail(t, v, "value is not attached to a circular buffer",
                    "this value (block argument) needs ttl.cb_wait or ttl.attach_cb");
    if (is_traced(t, op))
        return true;
    bool bcast = op->def == TTL_OP(bcast) && !ttl_attached_cb(op->operands[0].value);
    if (bcast || (!is_elementwise(op) && !ttl_buffer_op_of(op->def)))
        return fail(t, v, "cannot trace through non-elementwise op", NULL);
    return trace_op(t, op);
}

static bool report(ir_op *op, const trace *t)
{
    ir_error(op->ctx, op->loc, "fusion failed: %s", t->why);
    if (t->full)
        ir_rule(op->ctx, "compute block capacity");
    ir_op *def = ir_value_def(t->failed);
    if (def && !t->note)
        return ir_note(op->ctx, def->loc, "this op '%s' is not fusable", def->def->name);
    return t->note ? ir_note(op->ctx, ir_value_loc(t->failed), "%s", t->note) : false;
}

/* ---- the output's buffer ------------------------------------------------------------- */

static ir_op *attached_result(const ir_op *op)
{
    for (ir_operand *use = op->results[0].uses; use; use = use->next_use)
        if (use->owner->def == TTL_OP(attach_cb) && ir_operand_number(use) == 0)
            return use->owner;
    return NULL;
}

static ir_walk find_unused(ir_op *op, void *user)
{
    if (op->def != TTL_OP(bind_cb))
        return IR_WALK_ON;
    for (ir_operand *use = op->results[0].uses; use; use = use->next_use)
        if (use->owner->def == TTL_OP(attach_cb))
            return IR_WALK_ON;
    *(ir_value **)user = &op->results[0];
    return IR_WALK_STOP;
}

static ir_value *output_cb(ir_op *op)
{
    const ir_op *attach = attached_result(op);
    ir_value *cb = attach ? attach->operands[1].value : NULL;
    if (!cb)
        ir_walk_pre(ttl_function_of(op), find_unused, &cb);
    if (!cb)
        ir_error(op->ctx, op->loc,
                 "no unused bind_cb found for output; ensure a ttl.bind_cb exists for the "
                 "output tensor");
    return cb;
}

/* ---- building ------------------------------------------------------------------------ */

static ir_value *empty_like(ir_builder *b, ir_type type, ir_value *exemplar)
{
    ir_value **dynamic = tw_xmalloc((type->count + 1) * sizeof *dynamic);
    size_t n = 0;
    for (uint32_t i = 0; i < type->count; i++)
        if (type->dims[i] == IR_DYNAMIC) {
            ir_value *index =
                ir_build1(b, ir_context_op_def(b->ctx, TW_STR("arith.constant")),
                          ir_index_type(b->ctx), NULL, 0,
                          IR_ATTRS({"value", ir_index_attr(b->ctx, i)}));
            dynamic[n++] = ir_build1(b, TENSOR_OP(dim), ir_index_type(b->ctx),
                                     IR_VALUES(exemplar, index), NULL, 0);
        }
    ir_op *empty = ir_build(b, &(ir_op_state){.def = TENSOR_OP(empty),
                                              .loc = b->loc,
                                              .operands = dynamic,
                                              .n_operands = n,
                                              .results = (ir_type[]){type},
                                              .n_results = 1});
    free(dynamic);
    return ir_op_result(empty, 0);
}

static ir_attr input_map(ir_type input, role role, ir_type output)
{
    ir_context *ctx = input->ctx;
    ir_affine results[CAPACITY], zero = ir_affine_constant(ctx, 0);
    for (uint32_t i = 0; i < input->count; i++)
        results[i] =
            input->dims[i] == 1 && output->dims[i] != 1 ? zero : ir_affine_dim(ctx, i);
    if (role != WHOLE) { /* these are of rank 2 */
        results[0] = role == ROW_OF    ? ir_affine_dim(ctx, 0)
                     : role == SWAPPED ? ir_affine_dim(ctx, 1)
                                       : zero;
        results[1] = role == COLUMN_OF ? ir_affine_dim(ctx, 1)
                     : role == SWAPPED ? ir_affine_dim(ctx, 0)
                                       : zero;
    }
    return ir_affine_map_attr(
        ctx, ir_affine_map_get(ctx, output->count, 0, results, input->count));
}

ir_attr ttl_compute_map_for(const ir_op *op, uint32_t operand, ir_type block,
                            ir_type result)
{
    return input_map(block, role_of(op, operand), result);
}

/* A ttl.compute without its body's operations; false after an error. */
static bool begin_compute(ir_op *sink, const root *inputs, size_t n, ir_value *cb,
                          ttl_compute *out)
{
    ir_context *ctx = sink->ctx;
    ir_type type = sink->results[0].type;
    ir_type tile = ttcore_tile_of(type->element);
    if (!tile)
        return ir_error(ctx, sink->loc, "no tile has elements of type '%s'",
                        ir_type_text(ctx, type->element));
    ir_builder b = ir_builder_before(sink);
    ir_type plain = ir_tensor_type(type->element, type->dims, type->count, NULL);
    ir_value *init = empty_like(&b, plain, inputs[0].value);
    init = ir_build1(&b, TTL_OP(attach_cb), plain, IR_VALUES(init, cb), NULL, 0);

    ir_value *operands[CAPACITY + 1];
    ir_attr maps[CAPACITY + 1], kinds[CAPACITY];
    for (size_t i = 0; i <= n; i++) {
        root r = i < n ? inputs[i] : (root){init, WHOLE};
        operands[i] = r.value;
        ir_type t = r.value->type;
        if (t->count != type->count)
            return ir_error(ctx, sink->loc,
                            "operands of one compute block must have the same rank: "
                            "'%s' and '%s'",
                            ir_type_text(ctx, t), ir_type_text(ctx, type));
        maps[i] = input_map(t, r.role, type);
    }
    for (uint32_t i = 0; i < type->count; i++)
        kinds[i] = ir_string_attr(ctx, TW_STR("parallel"));
    *out = ttl_compute_begin(&b, operands, n, 1, ir_array_attr(ctx, maps, n + 1),
                             ir_array_attr(ctx, kinds, type->count), &type);
    return true;
}

static void finish_compute(ir_op *sink, ttl_compute *c, ir_value *result)
{
    ir_build_op(&c->body, TTL_OP(yield), NULL, 0, &result, 1, NULL, 0, 0);
    ir_value_replace_uses(&sink->results[0], &c->op->results[0]);
}

static ir_value *tile_of_root(const trace *t, const ttl_compute *c, ir_value *tensor,
                              role role)
{
    for (size_t i = 0; i < t->n_roots; i++)
        if (t->roots[i].value == tensor && t->roots[i].role == role)
            return c->block->args[i];
    return NULL;
}

static ir_value *tile_of(const trace *t, ir_value *const *tiles, const ttl_compute *c,
                         ir_value *tensor)
{
    for (size_t i = 0; i < t->n_ops; i++)
        if (&t->ops[i]->results[0] == tensor)
            return tiles[i];
    return tile_of_root(t, c, tensor, WHOLE);
}

/* The tile operation of an operation on blocks. */
static ir_value *build_tile(const trace *t, ir_value *const *tiles, ttl_compute *c,
                            ir_op *op)
{
    const ttl_buffer_op *buffer = ttl_buffer_op_of(op->def);
    ir_type tile = ttcore_tile_of(op->results[0].type->element);
    ir_value *operands[4];
    uint32_t n = buffer ? buffers_of(op) : op->n_operands;
    for (uint32_t i = 0; i < n; i++) {
        ir_value *v = op->operands[i].value;
        operands[i] =
            buffer ? tile_of_root(t, c, v, role_of(op, i)) : tile_of(t, tiles, c, v);
    }
    if (buffer) { /* of another type than what is stored: its own buffer is used */
        ir_value *out = c->block->args[t->n_roots];
        operands[n++] = out->type == tile ? out : operands[0];
    }
    c->body.loc = op->loc;
    ir_value *result =
        ir_build1(&c->body, buffer ? buffer->tile : ttl_elementwise_of(op->def)->tile, tile,
                  operands, n, NULL, 0);
    static const char *const others[] = {"bcast_type", "dims", NULL};
    const char *const *names =
        buffer ? others : ttl_number_names(ttl_elementwise_of(op->def)->form);
    for (; *names; names++)
        ir_op_set_attr(ir_value_def(result), *names, ir_op_attr(op, *names));
    return result;
}

/* But for a ttl.typecast, operands and result have one element type. */
static bool check_elements(ir_op *op)
{
    ir_type result = op->results[0].type, tile = ttcore_tile_of(result->element);
    for (uint32_t i = 0; i < buffers_of(op) && op->def != TTL_OP(typecast); i++) {
        ir_type t = op->operands[i].value->type;
        if (ttcore_tile_of(t->element) != tile)
            return ir_error(op->ctx, op->loc,
                            "operands of one compute block must have the result's element "
                            "type: '%s' and '%s'; ttl.typecast converts",
                            ir_type_text(op->ctx, t), ir_type_text(op->ctx, result));
    }
    return true;
}

bool ttl_compute_chain(ir_op *sink)
{
    trace t = {.n_roots = 0};
    if (!trace_op(&t, sink))
        return report(sink, &t);
    for (size_t i = 0; i < t.n_ops; i++)
        if (!check_elements(t.ops[i]))
            return false;
    ir_value *cb = output_cb(sink), *tiles[CAPACITY];
    ttl_compute c;
    if (!cb || !begin_compute(sink, t.roots, t.n_roots, cb, &c))
        return false;
    const ir_op *attach = attached_result(sink);
    if (attach && ir_op_attr(attach, "acc"))
        ir_op_set_attr(c.op, "ttl.acc", ir_op_attr(attach, "acc"));
    /* what adds to its register comes first, while no register has been used */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < t.n_ops; i++) {
            const ttl_buffer_op *buffer = ttl_buffer_op_of(t.ops[i]->def);
            if ((pass == 0) == (buffer && buffer->accumulates))
                tiles[i] = build_tile(&t, tiles, &c, t.ops[i]);
        }
    c.body.loc = sink->loc;
    finish_compute(sink, &c, tiles[t.n_ops - 1]);
    return true;
}

/* ---- broadcast ----------------------------------------------------------------------- */

static bool check_bcast(ir_op *op)
{
    ir_type in = op->operands[0].value->type, out = op->results[0].type;
    const char *why = NULL;
    if (!ttl_attached_cb(op->operands[0].value))
        why = "broadcast input must come directly from a circular buffer, not from an "
              "elementwise result; move the broadcast to its own compute block or make it "
              "the first operation in a fused sequence";
    else if (!ttl_attached_cb(op->operands[1].value))
        why = "bcast output must be attached to a circular buffer";
    else if (in->kind != IR_TYPE_TENSOR || in->count != 2 || out->count != 2)
        why = "bcast requires rank-2 tensors";
    if (why)
        return ir_error(op->ctx, op->loc, "%s", why);
    bool rows = in->dims[0] != out->dims[0], columns = in->dims[1] != out->dims[1];
    int64_t kind = ir_enum_value(ir_op_attr(op, "bcast_type"), 0);
    if (rows && in->dims[0] != 1)
        why = "row expansion requires input dim 0 to be 1";
    else if (columns && in->dims[1] != 1)
        why = "col expansion requires input dim 1 to be 1";
    else if (rows && columns && kind != TTL_BcastType_Scalar)
        why = "row+col expansion requires scalar bcast type";
    else if (!rows && columns && kind != TTL_BcastType_Col)
        why = "col expansion requires col bcast type";
    else if (rows && !columns && kind != TTL_BcastType_Row)
        why = "row expansion requires row bcast type";
    return !why || ir_error(op->ctx, op->loc, "%s", why);
}

static bool convert_bcast(ir_op *op)
{
    if (!check_bcast(op))
        return false;
    ttl_compute c;
    const root inputs[] = {{op->operands[0].value, WHOLE}, {op->operands[1].value, WHOLE}};
    if (!begin_compute(op, inputs, 2, ttl_attached_cb(inputs[1].value), &c))
        return false;
    ir_value *tile = ir_build1(&c.body, TTL_OP(tile_bcast), c.block->args[0]->type,
                               IR_VALUES(c.block->args[0], c.block->args[1]),
                               IR_ATTRS({"bcast_type", ir_op_attr(op, "bcast_type")}));
    finish_compute(op, &c, tile);
    return true;
}

/* ---- the pass ------------------------------------------------------------------------ */

typedef struct entry {
    ir_op *op;
    bool used; /* before anything was converted */
} entry;

typedef struct list {
    entry *at;
    size_t count, capacity;
} list;

static ir_walk collect(ir_op *op, void *user)
{
    list *all = user;
    if (ttl_buffer_op_of(op->def) || is_elementwise(op))
        TW_PUSH(all->at, all->count, all->capacity, ((entry){op, !ir_op_is_unused(op)}));
    return IR_WALK_ON;
}

static bool run(ir_op *func, pass_run *run)
{
    (void)run;
    list all = {0};
    bool ok = ttl_cut_block_operands(func);
    ir_walk_pre(func, collect, &all);
    for (size_t i = all.count; i-- > 0;) {
        ir_op *op = all.at[i].op;
        /* what a later operation took along has no uses left; a broadcast that never had
         * any still writes its buffer */
        bool wanted = !ir_op_is_unused(op) || (op->def == TTL_OP(bcast) && !all.at[i].used);
        if (wanted && ok)
            ok = op->def == TTL_OP(bcast) ? convert_bcast(op) : ttl_compute_chain(op);
        if (ok)
            ir_op_erase(op);
    }
    free(all.at);
    return ok;
}

const pass_def convert_ttl_to_compute_pass = {
    .name = "convert-ttl-to-compute",
    .title = "TTLConvertTTLToCompute",
    .summary = "Lower TTL elementwise tensor ops to ttl.compute with tile ops",
    .anchor = "func.func",
    .run = run,
};
