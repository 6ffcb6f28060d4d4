/* hoist_cb_allocs.c: d2m-hoist-cb-allocs: buffers allocated inside a d2m.generic become
 * circular buffers that are additional arguments of it. */
#include "d2m/generic.h"
#include "d2m/metal_layout.h"
#include "d2m/passes/nests.h"
#include "ir/pass/pass.h"
#include "mlir/memref/memref.h"
#include "ttcore/ttcore.h"

#include <stdlib.h>

static bool is_alias(const ir_op *op)
{
    return op->def == D2M_OP(operand_alias);
}

/* How many blocks the buffer holds; 0 after an error. */
static int64_t buffers_of(ir_op *alloc)
{
    bool scratch = ir_op_attr(alloc, "d2m.scratch_buffer");
    ir_attr count = ir_op_attr(alloc, "d2m.synchronized_buffer");
    if (!scratch && !count) {
        ir_error(alloc->ctx, alloc->loc,
                 "unexpected alloc op: expected d2m.scratch_buffer or "
                 "d2m.synchronized_buffer attribute");
        return 0;
    }
    if (!ir_attr_is(ir_op_attr(alloc, "address"), IR_ATTR_INTEGER)) {
        ir_error(alloc->ctx, alloc->loc, "%s buffer must have address attribute",
                 scratch ? "scratch" : "synchronized");
        return 0;
    }
    return scratch ? 1 : TW_MAX(ir_attr_int(count, 1), 1);
}

static ir_attr cb_layout(ir_type type, int64_t buffers)
{
    d2m_shape shape;
    if (!d2m_shape_of(type, &shape))
        return NULL;
    ir_attr shard = d2m_shard_attr(type->element, &shape, buffers);
    return ir_dialect_attr(type->ctx, TTCORE_ATTR(cb_layout), shard->params, shard->count);
}

static void append_argument(ir_op *generic, ir_value *v)
{
    size_t first, n;
    if (!ir_op_operand_group(generic, 2, &first, &n))
        return;
    ir_value **values = tw_xmalloc((n + 1) * sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] = ir_op_operand(generic, first + i);
    values[n] = v;
    ir_op_set_operand_group(generic, 2, values, n + 1);
    free(values);
}

/* The same operation in front of the generic. */
static ir_op *move_out(ir_op *generic, ir_op *op)
{
    ir_op_remove(op);
    ir_op_insert_before(op, generic);
    op->loc = generic->loc;
    append_argument(generic, &op->results[0]);
    return op;
}

static bool hoist_allocs(ir_op *generic)
{
    ir_op_list allocs = ir_ops_in(generic, d2m_is_alloc);
    bool ok = true;
    for (size_t i = 0; i < allocs.n && ok; i++) {
        ir_op *alloc = allocs.at[i];
        int64_t buffers = buffers_of(alloc);
        ir_type type = alloc->results[0].type;
        ir_attr layout = buffers ? cb_layout(type, buffers) : NULL;
        ok = layout != NULL;
        if (ok)
            alloc->results[0].type =
                ir_memref_type(type->element, type->dims, type->count, layout, type->space);
    }
    for (size_t i = 0; i < allocs.n && ok; i++) {
        ir_op *alloc = move_out(generic, allocs.at[i]);
        ir_builder b = ir_builder_after(generic);
        ir_build_op(&b, MEMREF_OP(dealloc), NULL, 0, IR_VALUES(&alloc->results[0]), NULL, 0,
                    0);
    }
    ir_op_list_free(&allocs);
    return ok;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list generics = d2m_generics_in(module);
    bool ok = true;
    for (size_t i = 0; i < generics.n && ok; i++) {
        ok = hoist_allocs(generics.at[i]);
        ir_op_list aliases = ir_ops_in(generics.at[i], is_alias);
        for (size_t a = 0; a < aliases.n && ok; a++)
            move_out(generics.at[i], aliases.at[a]);
        ir_op_list_free(&aliases);
    }
    ir_op_list_free(&generics);
    return ok;
}

const pass_def d2m_hoist_cb_allocs_pass = {
    .name = "d2m-hoist-cb-allocs",
    .summary = "Hoist buffers of d2m.generic out of it as circular buffers",
    .anchor = "builtin.module",
    .run = run,
};
