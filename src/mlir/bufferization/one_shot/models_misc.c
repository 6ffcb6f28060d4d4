/* models_misc.c: constants, selections and the operations of the bufferization dialect. */
#include "mlir/arith/arith.h"
#include "mlir/bufferization/bufferization.h"
#include "mlir/bufferization/one_shot/one_shot.h"
#include "mlir/memref/memref.h"
#include "mlir/shared/shape_checks.h"

/* ---- arith -------------------------------------------------------------------------- */

static bool constant_is_writable(buf_state *s, const ir_value *v)
{
    (void)s, (void)v;
    return false;
}

/* The global with these contents in the module, made if there is none. */
static ir_op *global_for(ir_op *module, ir_attr value, ir_type memref, int64_t align)
{
    ir_context *ctx = module->ctx;
    tw_strbuf name = {0};
    ir_block *body = ir_op_body(module, 0);
    for (ir_op *op = body->first; op; op = op->next)
        if (op->def == MEMREF_OP(global) && ir_op_attr(op, "constant") &&
            ir_op_attr(op, "initial_value") == value &&
            ir_op_attr(op, "type") == ir_type_attr(memref))
            return op;
    tw_strbuf_printf(&name, "__constant_");
    for (uint32_t i = 0; i < memref->count; i++)
        tw_strbuf_printf(&name, "%lldx", (long long)memref->dims[i]);
    for (const char *c = ir_type_text(ctx, memref->element); *c; c++)
        tw_strbuf_printf(&name, "%c", *c == '<' || *c == '>' || *c == '!' ? '_' : *c);
    ir_attr symbol = ir_symbol_free_name(module, tw_strbuf_text(&name));
    tw_strbuf_free(&name);
    ir_builder b = ir_builder_at_start(ctx, body, module->loc);
    return ir_build_op(&b, MEMREF_OP(global), NULL, 0, NULL, 0,
                       IR_ATTRS({"sym_name", symbol},
                                {"sym_visibility", ir_string_attr(ctx, TW_STR("private"))},
                                {"type", ir_type_attr(memref)}, {"initial_value", value},
                                {"constant", ir_unit_attr(ctx)},
                                {"alignment", align ? ir_i64_attr(ctx, align) : NULL}),
                       0);
}

static bool constant_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_type tensor = op->results[0].type;
    ir_op *module = ir_nearest_symbol_table(op);
    if (!module || tensor->kind != IR_TYPE_TENSOR)
        return ir_error_at_op(op, "op was not bufferized");
    ir_type memref = buf_identity_type(tensor, NULL);
    ir_op *global =
        global_for(module, ir_op_attr(op, "value"), memref, r->options->alignment);
    tw_str name = ir_attr_str(ir_op_attr(global, "sym_name"));
    buf_replace1(r, op,
                 ir_build1(&r->b, MEMREF_OP(get_global), memref, NULL, 0,
                           IR_ATTRS({"name", ir_symbol_ref(r->b.ctx, name)})));
    return true;
}

static void select_aliases(buf_state *s, ir_operand *use, buf_aliases *out)
{
    (void)s;
    if (ir_operand_number(use) > 0)
        buf_add_alias(out, ir_op_result(use->owner, 0), use, true, false);
}

static bool select_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_value *a = buf_buffer(r, ir_op_operand(op, 1));
    ir_value *b = buf_buffer(r, ir_op_operand(op, 2));
    ir_type type = buf_common_type(a->type, b->type);
    if (buf_is_tensor(ir_op_operand(op, 0)->type))
        return ir_error_at_op(op, "op was not bufferized");
    a = buf_cast(r, a, type);
    b = buf_cast(r, b, type);
    buf_replace1(r, op,
                 ir_build1(&r->b, ARITH_OP(select), type,
                           IR_VALUES(ir_op_operand(op, 0), a, b), NULL, 0));
    return true;
}

/* ---- bufferization ------------------------------------------------------------------ */

static bool alloc_defines(buf_state *s, ir_value *result)
{
    (void)s;
    return ir_op_operand_named(ir_value_def(result), "copy") != NULL;
}

static bool alloc_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_value *sizes[SHAPE_MAX_RANK], *copy = ir_op_operand_named(op, "copy");
    ir_type tensor = op->results[0].type;
    ir_value *none[] = {NULL};
    size_t first = 0, n = 0;
    if (ir_op_is_unused(op)) {
        buf_replace(r, op, none);
        return true;
    }
    ir_type type = buf_identity_type(tensor, ir_op_attr(op, "memory_space"));
    if (copy) {
        ir_value *from = buf_buffer(r, copy);
        if (!ir_op_attr(op, "memory_space"))
            type = buf_identity_type(tensor, from->type->space);
        ir_value *to = buf_alloc_like(r, from, type);
        ir_build_op(&r->b, MEMREF_OP(copy), NULL, 0, IR_VALUES(from, to), NULL, 0, 0);
        buf_replace1(r, op, to);
        return true;
    }
    ir_op_operand_group(op, 0, &first, &n);
    for (size_t i = 0; i < TW_MIN(n, (size_t)SHAPE_MAX_RANK); i++)
        sizes[i] = ir_op_operand(op, first + i);
    buf_replace1(r, op, buf_alloc(r, type, sizes, TW_MIN(n, (size_t)SHAPE_MAX_RANK)));
    return true;
}

static bool dealloc_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_value *buffer = buf_buffer(r, ir_op_operand(op, 0));
    ir_build_op(&r->b, MEMREF_OP(dealloc), NULL, 0, &buffer, 1, NULL, 0, 0);
    buf_replace(r, op, NULL);
    return true;
}

static void materialize_aliases(buf_state *s, ir_operand *use, buf_aliases *out)
{
    (void)s;
    if (ir_operand_number(use) == 1 && use->owner->n_results)
        buf_add_alias(out, ir_op_result(use->owner, 0), use, true, true);
}

static bool materialize_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_value *source = buf_buffer(r, ir_op_operand(op, 0));
    ir_value *dest = buf_buffer(r, ir_op_operand(op, 1));
    ir_build_op(&r->b, MEMREF_OP(copy), NULL, 0, IR_VALUES(source, dest), NULL, 0, 0);
    buf_replace(r, op, &dest);
    return true;
}

static bool to_buffer_writes(buf_state *s, const ir_operand *use)
{
    (void)s;
    return !ir_op_attr(use->owner, "read_only");
}

static bool to_buffer_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_value *buffer = buf_buffer(r, ir_op_operand(op, 0));
    buf_replace1(r, op, buf_cast(r, buffer, op->results[0].type));
    return true;
}

static bool to_tensor_is_writable(buf_state *s, const ir_value *v)
{
    (void)s;
    return !v->is_argument && ir_op_attr(ir_value_def(v), "writable") != NULL;
}

static bool to_tensor_bufferize(buf_rewrite *r, ir_op *op)
{
    buf_replace1(r, op, ir_op_operand(op, 0));
    return true;
}

static const buf_model models[] = {
    {.def = ARITH_OP(constant),
     .is_writable = constant_is_writable,
     .bufferize = constant_bufferize},
    {.def = ARITH_OP(select), .aliases = select_aliases, .bufferize = select_bufferize},
    {.def = BUFFERIZATION_OP(alloc_tensor),
     .reads = buf_always,
     .defines = alloc_defines,
     .bufferize = alloc_bufferize,
     .is_allocation = true},
    {.def = BUFFERIZATION_OP(dealloc_tensor), .bufferize = dealloc_bufferize},
    {.def = BUFFERIZATION_OP(materialize_in_destination),
     .reads = buf_is_first,
     .writes = buf_is_second,
     .aliases = materialize_aliases,
     .bufferize = materialize_bufferize},
    {.def = BUFFERIZATION_OP(to_buffer),
     .reads = buf_always,
     .writes = to_buffer_writes,
     .is_forced = buf_always,
     .bufferize = to_buffer_bufferize},
    {.def = BUFFERIZATION_OP(to_tensor),
     .is_writable = to_tensor_is_writable,
     .bufferize = to_tensor_bufferize},
};
const buf_model_table buf_misc_models = {models, TW_COUNT(models)};
