/* decompose_layouts.c: the pass ttnn-decompose-layouts: "be in this layout" becomes the
 * steps that get there: tiles or rows, another element, another memory.
 *
 * On the device only some elements can be put into tiles or out of them; such steps of
 * others go by way of the host or of an element that can.  Section 5 of the conversion's
 * rules has the cases; each function below is one. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttnn/build.h"

#include <stdlib.h>

typedef struct move {
    ir_builder b;
    ir_op *op; /* the to_tensor_spec */
    ttnn_layout in, out;
    ir_value *v; /* how far it got */
} move;

static bool can_tilize(int64_t dtype)
{
    return dtype == TTCORE_DataType_BFloat16 || dtype == TTCORE_DataType_Float32 ||
           dtype == TTCORE_DataType_UInt32 || dtype == TTCORE_DataType_UInt16 ||
           dtype == TTCORE_DataType_Int32;
}

static bool is_float(int64_t dtype)
{
    return dtype != TTCORE_DataType_UInt32 && dtype != TTCORE_DataType_UInt16 &&
           dtype != TTCORE_DataType_UInt8 && dtype != TTCORE_DataType_Int32 &&
           dtype != TTCORE_DataType_Int16 && dtype != TTCORE_DataType_Int8 &&
           dtype != TTCORE_DataType_Bool;
}

static bool page_differs(const move *m)
{
    return m->in.tiled != m->out.tiled;
}

static bool dtype_differs(const move *m)
{
    return m->in.dtype != m->out.dtype;
}

static bool memory_differs(const ttnn_layout *a, const ttnn_layout *b)
{
    if (a->buffer != b->buffer)
        return true;
    if (ttnn_layout_on_host(a))
        return false;
    if (a->memory != b->memory)
        return true;
    return ttnn_memory_is_sharded(a->memory) && ttnn_memory_is_sharded(b->memory) &&
           (a->grid[0] != b->grid[0] || a->grid[1] != b->grid[1] || a->cores != b->cores);
}

static ttnn_layout now(const move *m)
{
    ttnn_layout l = m->in;
    ttnn_layout_of(m->v->type, &l);
    return l;
}

/* ---- single steps ------------------------------------------------------------------- */

static void step(move *m, const ir_op_def *def, const ttnn_layout *l)
{
    m->v = ir_build1(&m->b, def, ttnn_tensor_with(m->v->type, l), IR_VALUES(m->v), NULL, 0);
}

static void typecast(move *m)
{
    ttnn_layout l = now(m);
    l.dtype = m->out.dtype;
    step(m, TTNN_OP(typecast), &l);
}

static void from_device(move *m)
{
    ttnn_layout l = now(m);
    ttnn_layout_place(&l, TTNN_BufferType_SystemMemory, TTNN_ON_HOST);
    step(m, TTNN_OP(from_device), &l);
}

/* The current element and page where the result is to be. */
static ttnn_layout at_target(const move *m)
{
    ttnn_layout l = now(m);
    l.buffer = m->out.buffer;
    l.memory = m->out.memory;
    l.grid[0] = m->out.grid[0];
    l.grid[1] = m->out.grid[1];
    l.cores = m->out.cores;
    return l;
}

static void to_device(move *m)
{
    ttnn_layout l = at_target(m);
    ir_value *device = tnb_device(&m->b, m->op);
    m->v = ir_build1(&m->b, TTNN_OP(to_device), ttnn_tensor_with(m->v->type, &l),
                     IR_VALUES(m->v, device), NULL, 0);
}

static void move_memory(move *m)
{
    ttnn_layout l = now(m);
    bool from = ttnn_layout_on_host(&l), to = ttnn_layout_on_host(&m->out);
    if (from && !to) {
        to_device(m);
    } else if (!from && to) {
        from_device(m);
    } else if (!from) {
        l = at_target(m);
        step(m, TTNN_OP(to_memory_config), &l);
    }
}

static void to_layout(move *m)
{
    ttnn_layout l = now(m);
    l.tiled = m->out.tiled;
    step(m, TTNN_OP(to_layout), &l);
}

/* ---- tilizing what is sharded ------------------------------------------------------- */

static bool needs_padding(const move *m)
{
    ttnn_layout l = now(m);
    ir_type t = m->v->type;
    return m->out.tiled && l.buffer == TTNN_BufferType_L1 &&
           l.memory == TTNN_TensorMemoryLayout_HeightSharded && t->count >= 2 &&
           (t->dims[t->count - 2] % TTNN_TILE || t->dims[t->count - 1] % TTNN_TILE);
}

/* Shards of height must be whole tiles: padded in DRAM, and cut again. */
static void pad_to_layout(move *m)
{
    int64_t pairs[2 * TTNN_MAX_RANK] = {0}, zero[TTNN_MAX_RANK] = {0};
    ir_type whole = m->v->type;
    ttnn_layout l = now(m);
    ttnn_layout_place(&l, TTNN_BufferType_DRAM, TTNN_TensorMemoryLayout_Interleaved);
    step(m, TTNN_OP(to_memory_config), &l);
    for (uint32_t i = whole->count - 2; i < whole->count; i++)
        pairs[2 * i + 1] = tnb_round_up(whole->dims[i], TTNN_TILE) - whole->dims[i];
    m->v = tnb_pad(&m->b, NULL, m->v, pairs, 0, true);
    to_layout(m);
    m->v = tnb_slice(&m->b, NULL, m->v, zero, whole->dims);
}

static void change_page(move *m, bool padded)
{
    if (padded)
        pad_to_layout(m);
    else
        to_layout(m);
}

/* ---- both --------------------------------------------------------------------------- */

static void change_page_and_dtype(move *m, bool on_device)
{
    bool page = page_differs(m), dtype = dtype_differs(m);
    bool padded = on_device && page && needs_padding(m);
    if (on_device && page && dtype && m->out.tiled && is_float(m->in.dtype) &&
        is_float(m->out.dtype) && !padded) {
        ttnn_layout l = now(m);
        l.tiled = true;
        l.dtype = m->out.dtype;
        step(m, TTNN_OP(to_layout), &l);
        return;
    }
    bool cast_first =
        !on_device || can_tilize(m->in.tiled ? m->out.dtype : m->in.dtype) == m->in.tiled;
    if (dtype && cast_first)
        typecast(m);
    if (page)
        change_page(m, padded);
    if (dtype && !cast_first)
        typecast(m);
}

static bool is_hoisted_call(const ir_op *op)
{
    return op && op->def == FUNC_OP(call) && ir_op_attr(op, "ttir.cpu_hoist_call");
}

/* What the host computes, or is given to compute with, is converted there. */
static bool is_host_matter(const move *m)
{
    const ir_value *result = &m->op->results[0];
    return is_hoisted_call(ir_value_def(m->op->operands[0].value)) ||
           (ir_value_has_one_use(result) && is_hoisted_call(result->uses->owner));
}

static void all_on_host(move *m)
{
    if (!ttnn_layout_on_host(&m->in))
        from_device(m);
    if (dtype_differs(m))
        typecast(m);
    if (page_differs(m))
        to_layout(m);
    if (!ttnn_layout_on_host(&m->out))
        to_device(m);
}

static void page_on_host(move *m)
{
    ttnn_layout l;
    if (m->in.tiled && dtype_differs(m))
        typecast(m);
    if (!ttnn_layout_on_host(&m->in))
        from_device(m);
    to_layout(m);
    l = now(m);
    if (memory_differs(&l, &m->out))
        to_device(m);
    if (!m->in.tiled && dtype_differs(m))
        typecast(m);
}

static bool change_before_move(const move *m)
{
    bool from = ttnn_layout_on_host(&m->in), to = ttnn_layout_on_host(&m->out);
    if (from || to)
        return !from;
    if (!page_differs(m) || m->out.tiled)
        return true;
    bool in_l1 = m->in.buffer == TTNN_BufferType_L1;
    return !(in_l1 && (ttnn_memory_is_sharded(m->in.memory) ||
                       m->out.buffer == TTNN_BufferType_DRAM));
}

static void build(move *m)
{
    bool from = ttnn_layout_on_host(&m->in), to = ttnn_layout_on_host(&m->out);
    bool by_host = page_differs(m) && !can_tilize(m->in.dtype) && !can_tilize(m->out.dtype);
    bool cast_on_device = m->in.tiled ? !from : !to;
    ttnn_layout l;
    if ((from && to) || is_host_matter(m) || (by_host && !cast_on_device)) {
        all_on_host(m);
    } else if (by_host) {
        page_on_host(m);
    } else if (change_before_move(m)) {
        change_page_and_dtype(m, true);
        l = now(m);
        if (memory_differs(&l, &m->out))
            move_memory(m);
    } else {
        move_memory(m);
        change_page_and_dtype(m, true);
    }
}

static bool decompose(ir_op *op)
{
    move m = {.b = ir_builder_before(op), .op = op, .v = op->operands[0].value};
    ir_value *input = m.v;
    m.b.loc = ir_value_loc(input);
    if (!ttnn_layout_of(input->type, &m.in) || !ttnn_layout_of(op->results[0].type, &m.out))
        return ir_op_error(op, "needs layouts on its operand and its result");
    if (!page_differs(&m) && !dtype_differs(&m) && !memory_differs(&m.in, &m.out))
        return ir_error(op->ctx, op->loc,
                        "Redundant ttnn::ToLayoutOp - no ttnn layout ops needed, this may "
                        "be due to the forcing of tile/row major layouts.");
    build(&m);
    if (m.v->type != op->results[0].type && m.v != input)
        m.v->type = op->results[0].type;
    ir_value_replace_uses(&op->results[0], m.v);
    ir_op_erase(op);
    return true;
}

typedef struct found {
    ir_op **list;
    size_t count, capacity;
} found;

static ir_walk find(ir_op *op, void *user)
{
    found *f = user;
    if (op->def == TTNN_OP(to_tensor_spec))
        TW_PUSH(f->list, f->count, f->capacity, op);
    return IR_WALK_ON;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    found f = {0};
    bool ok = true;
    ir_walk_pre(module, find, &f);
    for (size_t i = 0; ok && i < f.count; i++)
        ok = decompose(f.list[i]);
    free(f.list);
    return ok;
}

const pass_def ttnn_decompose_layouts_pass = {
    .name = "ttnn-decompose-layouts",
    .title = "TTNNDecomposeLayouts",
    .summary = "Decompose conversions of layouts into single steps",
    .anchor = "builtin.module",
    .run = run,
};
