/* calls.c: operations of ttkernel become calls of the functions whose names they carry.
 * What their attributes say goes into template arguments, as a table tells. */
#include "convert/ttkernel_to_emitc/ttkernel_to_emitc.h"
#include "dialect/emitc/emitc.h"
#include "dialect/ttcore/ttcore.h"
#include "dialect/ttkernel/ttkernel.h"
#include "support/strbuf.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- names of enum cases ------------------------------------------------------------- */

typedef struct case_name {
    int64_t value;
    const char *text;
} case_name;

static const case_name formats[] = {
    {TTCORE_DataType_Float32, "DataFormat::Float32"},
    {TTCORE_DataType_Float16, "DataFormat::Float16"},
    {TTCORE_DataType_BFloat16, "DataFormat::Float16_b"},
    {TTCORE_DataType_BFP_Float8, "DataFormat::Bfp8"},
    {TTCORE_DataType_BFP_BFloat8, "DataFormat::Bfp8_b"},
    {TTCORE_DataType_BFP_Float4, "DataFormat::Bfp4"},
    {TTCORE_DataType_BFP_BFloat4, "DataFormat::Bfp4_b"},
    {TTCORE_DataType_BFP_Float2, "DataFormat::Bfp2"},
    {TTCORE_DataType_BFP_BFloat2, "DataFormat::Bfp2_b"},
    {TTCORE_DataType_UInt32, "DataFormat::UInt32"},
    {TTCORE_DataType_UInt16, "DataFormat::UInt16"},
    {TTCORE_DataType_UInt8, "DataFormat::UInt8"},
    {TTCORE_DataType_Int32, "DataFormat::Int32"},
    {0, NULL},
};
static const case_name pools[] = {
    {TTKERNEL_ReduceType_Sum, "PoolType::SUM"},
    {TTKERNEL_ReduceType_Max, "PoolType::MAX"},
    {TTKERNEL_ReduceType_Avg, "PoolType::AVG"},
    {0, NULL},
};
static const case_name dims[] = {
    {TTKERNEL_ReduceDim_Row, "ReduceDim::REDUCE_ROW"},
    {TTKERNEL_ReduceDim_Col, "ReduceDim::REDUCE_COL"},
    {TTKERNEL_ReduceDim_Scalar, "ReduceDim::REDUCE_SCALAR"},
    {0, NULL},
};
static const case_name broadcasts[] = {
    {TTKERNEL_BcastType_None, "BroadcastType::NONE"},
    {TTKERNEL_BcastType_Row, "BroadcastType::ROW"},
    {TTKERNEL_BcastType_Col, "BroadcastType::COL"},
    {TTKERNEL_BcastType_Scalar, "BroadcastType::SCALAR"},
    {0, NULL},
};
static const case_name binaries[] = {
    {TTKERNEL_EltwiseBinaryType_Add, "EltwiseBinaryType::ELWADD"},
    {TTKERNEL_EltwiseBinaryType_Sub, "EltwiseBinaryType::ELWSUB"},
    {TTKERNEL_EltwiseBinaryType_Mul, "EltwiseBinaryType::ELWMUL"},
    {0, NULL},
};
static const case_name reuses[] = {
    {TTKERNEL_BinaryDestReuseType_DestToSrcA, "EltwiseBinaryReuseDestType::DEST_TO_SRCA"},
    {TTKERNEL_BinaryDestReuseType_DestToSrcB, "EltwiseBinaryReuseDestType::DEST_TO_SRCB"},
    {0, NULL},
};

/* ---- template arguments -------------------------------------------------------------- */

typedef enum arg_kind {
    ARG_NONE,
    ARG_CASE,       /* the case's name */
    ARG_CASE_VALUE, /* its number: static_cast<...>(name) */
    ARG_BOOL,
    ARG_NUMBER,
    ARG_IF_TRUE, /* `true`, only if the attribute is set */
    ARG_TEXT,    /* always `attr` itself */
} arg_kind;

typedef struct template_arg {
    arg_kind kind;
    const char *attr;
    const case_name *cases;
} template_arg;

#define CASE(attr, names)                                                                  \
    {                                                                                      \
        ARG_CASE, attr, names                                                              \
    }
#define DTYPE CASE("dtype", formats)
#define VALUE(attr)                                                                        \
    {                                                                                      \
        ARG_CASE_VALUE, attr, formats                                                      \
    }
#define ROW(id, ...)                                                                       \
    {                                                                                      \
        TTKERNEL_OP(id),                                                                   \
        {                                                                                  \
            __VA_ARGS__                                                                    \
        }                                                                                  \
    }

static const struct {
    const ir_op_def *def;
    template_arg args[4];
} templates[] = {
    ROW(add_int_tile, DTYPE),
    ROW(sub_int_tile, DTYPE),
    ROW(mul_int_tile, DTYPE),
    ROW(mul_int_tile_init, DTYPE),
    ROW(binary_left_shift_tile, DTYPE),
    ROW(binary_right_shift_tile, DTYPE),
    ROW(binary_logical_right_shift_tile, DTYPE),
    ROW(bitwise_and_binary_tile, DTYPE),
    ROW(bitwise_or_binary_tile, DTYPE),
    ROW(bitwise_xor_binary_tile, DTYPE),
    ROW(logical_not_tile, DTYPE),
    ROW(where_tile, DTYPE),
    ROW(copy_dest_values, CASE("data_format", formats)),
    ROW(binary_dest_reuse_tiles, CASE("eltwise_binary_type", binaries),
        CASE("reuse_type", reuses)),
    ROW(binary_dest_reuse_tiles_init, CASE("eltwise_binary_type", binaries),
        CASE("reuse_type", reuses)),
    ROW(reduce_init, CASE("reduce_type", pools), CASE("reduce_dim", dims)),
    ROW(reduce_tile, CASE("reduce_type", pools), CASE("reduce_dim", dims)),
    ROW(sfpu_reduce_init, CASE("reduce_type", pools), CASE("data_format", formats)),
    ROW(sfpu_reduce, CASE("reduce_type", pools), CASE("data_format", formats),
        CASE("reduce_dim", dims)),
    ROW(typecast_tile, VALUE("in_dtype"), VALUE("out_dtype")),
    ROW(typecast_tile_init, VALUE("in_dtype"), VALUE("out_dtype")),
    ROW(unary_bcast, CASE("bcast_type", broadcasts)),
    ROW(unary_bcast_init, CASE("bcast_type", broadcasts)),
    ROW(pack_tile, {ARG_BOOL, "out_of_order"}),
    ROW(pack_untilize_init, {ARG_NUMBER, "colsPerDstPass"}, {ARG_NUMBER, "totalColTiles"}),
    ROW(experimental_pack_untilize_block, {ARG_NUMBER, "colsPerDstPass"},
        {ARG_NUMBER, "totalColTiles"}),
    ROW(noc_semaphore_inc, {ARG_IF_TRUE, "posted"}),
    ROW(noc_semaphore_inc_multicast, {ARG_IF_TRUE, "posted"}),
    ROW(fill_tile_int, {ARG_TEXT, "DataFormat::Int32"}),
    ROW(get_arg_val, {ARG_TEXT, "uint32_t"}),
    ROW(get_common_arg_val, {ARG_TEXT, "uint32_t"}),
    ROW(get_noc_addr_from_bank_id, {ARG_TEXT, "true"}),
    ROW(exp_tile, {ARG_IF_TRUE, "approx"}),
    ROW(exp_tile_init, {ARG_IF_TRUE, "approx"}),
};

/* Names that differ from the operation's. */
static const struct {
    const ir_op_def *def;
    const char *callee;
} callees[] = {
    {TTKERNEL_OP(my_logical_x_), "get_absolute_logical_x"},
    {TTKERNEL_OP(my_logical_y_), "get_absolute_logical_y"},
};

static ir_attr opaque_attr(ir_context *ctx, const char *text)
{
    ir_attr param = ir_string_attr(ctx, tw_str_from(text));
    return ir_dialect_attr(ctx, EMITC_ATTR(opaque), &param, 1);
}

/* NULL for none */
static ir_attr template_value(ir_op *op, const template_arg *arg)
{
    ir_attr value = arg->kind == ARG_TEXT ? NULL : ir_op_attr(op, arg->attr);
    char text[96];
    switch (arg->kind) {
    case ARG_BOOL:
        return ir_bool_attr(op->ctx, ir_attr_bool(value));
    case ARG_IF_TRUE:
        return ir_attr_bool(value) ? ir_bool_attr(op->ctx, true) : NULL;
    case ARG_NUMBER:
        return ir_i32_attr(op->ctx, ir_attr_int(value, 0));
    case ARG_TEXT:
        return opaque_attr(op->ctx, arg->attr);
    case ARG_CASE:
    case ARG_CASE_VALUE:
        for (const case_name *c = arg->cases; c->text; c++)
            if (c->value == ir_enum_value(value, -1)) {
                bool number = arg->kind == ARG_CASE_VALUE;
                snprintf(text, sizeof text, "%s%s%s",
                         number ? "static_cast<std::underlying_type_t<DataFormat>>(" : "",
                         c->text, number ? ")" : "");
                return opaque_attr(op->ctx, text);
            }
        return NULL;
    default:
        return NULL;
    }
}

static ir_attr template_args(ir_op *op)
{
    ir_attr values[4];
    size_t n = 0;
    for (size_t i = 0; i < TW_COUNT(templates); i++)
        for (size_t k = 0; templates[i].def == op->def && k < TW_COUNT(values); k++) {
            ir_attr value = template_value(op, &templates[i].args[k]);
            if (value)
                values[n++] = value;
        }
    return n ? ir_array_attr(op->ctx, values, n) : NULL;
}

static ir_attr callee_of(const ir_op *op)
{
    static const char experimental[] = "experimental.";
    const char *name = op->def->name + strlen("ttkernel.");
    tw_strbuf text = {0};
    for (size_t i = 0; i < TW_COUNT(callees); i++)
        if (callees[i].def == op->def)
            name = callees[i].callee;
    if (strncmp(name, experimental, sizeof experimental - 1) == 0) {
        tw_strbuf_puts(&text, "experimental::");
        name += sizeof experimental - 1;
    }
    tw_strbuf_puts(&text, name);
    ir_attr attr = ir_string_attr(op->ctx, (tw_str){text.data, text.size});
    tw_strbuf_free(&text);
    return attr;
}

/* ---- converting ---------------------------------------------------------------------- */

static void replace(ir_op *op, ir_value *by)
{
    if (by)
        ir_value_replace_uses(&op->results[0], by);
    ir_op_erase(op);
}

static ir_value *literal(ir_builder *b, ir_type type, const char *text)
{
    return ir_build1(b, EMITC_OP(literal), type, NULL, 0,
                     IR_ATTRS({"value", ir_string_attr(b->ctx, tw_str_from(text))}));
}

/* A compile-time argument is used where it stands: the API wants a constant there. */
static bool convert_compile_arg(ir_op *op)
{
    char text[64];
    ir_builder b = ir_builder_before(op);
    snprintf(text, sizeof text, "get_compile_time_arg_val(%lld)",
             (long long)ir_op_int(op, "arg_index", 0));
    replace(op, literal(&b, e_type(op->results[0].type), text));
    return true;
}

static bool known(const ir_value *v, long long *out)
{
    ir_op *def = ir_value_def(v);
    ir_attr value = def ? ir_op_attr(def, "value") : NULL;
    *out = ir_attr_int(value, 0);
    return ir_attr_is(value, IR_ATTR_INTEGER);
}

/* The offsets of a tensor's arguments: constants, expressions given as text, or what the
 * accessor before it leaves. */
static bool accessor_offset(ir_op *op, size_t group, const char *expr, const char *next,
                            tw_strbuf *out)
{
    size_t start, count;
    long long value;
    ir_attr text = ir_op_attr(op, expr);
    ir_op_operand_group(op, group, &start, &count);
    if (text) {
        tw_strbuf_str(out, ir_attr_str(text));
        return true;
    }
    if (count && known(op->operands[start].value, &value)) {
        tw_strbuf_printf(out, "%lld", value);
        return true;
    }
    ir_op_operand_group(op, 2, &start, &count);
    ir_op *before = count ? ir_value_def(op->operands[start].value) : NULL;
    if (!ir_op_is(before, EMITC_OP(literal)))
        return ir_op_error(op,
                           "has no constant offset; give constants, %s or an accessor "
                           "before it",
                           expr);
    tw_strbuf_printf(out, "%.*s.%s()", (int)ir_attr_str(ir_op_attr(before, "value")).size,
                     ir_attr_str(ir_op_attr(before, "value")).data, next);
    return true;
}

static ir_walk count_accessors(ir_op *op, void *user)
{
    static const char prefix[] = "auto tensor_accessor_args_";
    ir_attr value = op->def == EMITC_OP(verbatim) ? ir_op_attr(op, "value") : NULL;
    if (value && ir_attr_str(value).size > sizeof prefix &&
        memcmp(ir_attr_str(value).data, prefix, sizeof prefix - 1) == 0)
        ++*(unsigned *)user;
    return IR_WALK_ON;
}

static bool convert_accessor_args(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    tw_strbuf text = {0};
    char name[64];
    unsigned number = 0;
    ir_op *func = op;
    while (ir_op_parent(func) && !(func->def->traits & IR_FUNCTION_LIKE))
        func = ir_op_parent(func);
    ir_walk_pre(func, count_accessors, &number);
    snprintf(name, sizeof name, "tensor_accessor_args_%u", number);
    tw_strbuf_printf(&text, "auto %s = TensorAccessorArgs<", name);
    bool ok = accessor_offset(op, 0, "cta_expr", "next_compile_time_args_offset", &text);
    tw_strbuf_puts(&text, ", ");
    ok =
        ok && accessor_offset(op, 1, "crta_expr", "next_common_runtime_args_offset", &text);
    tw_strbuf_puts(&text, ">();");
    if (ok) {
        ir_attr value = ir_string_attr(op->ctx, (tw_str){text.data, text.size});
        ir_build_op(&b, EMITC_OP(verbatim), NULL, 0, NULL, 0, IR_ATTRS({"value", value}),
                    0);
        replace(op, literal(&b, e_opaque(op->ctx, "TensorAccessorArgs"), name));
    }
    tw_strbuf_free(&text);
    return ok;
}

static ir_type pointee(const ir_value *pointer)
{
    return pointer->type->params[0]->type;
}

/* ptr[offset], as an lvalue */
static ir_value *element_of(ir_builder *b, ir_value *pointer, ir_value *offset)
{
    ir_attr param = ir_type_attr(pointee(pointer));
    ir_type type = ir_dialect_type(b->ctx, EMITC_TYPE(lvalue), &param, 1);
    return e_build(b, EMITC_OP(subscript), type, IR_VALUES(pointer, offset));
}

static bool convert_l1(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    if (op->def == TTKERNEL_OP(store_to_l1)) {
        ir_value *pointer = ir_op_operand_named(op, "l1_ptr");
        ir_value *value = e_cast(&b, ir_op_operand_named(op, "value"), pointee(pointer));
        ir_value *to = element_of(&b, pointer, ir_op_operand_named(op, "offset"));
        ir_build_op(&b, EMITC_OP(assign), NULL, 0, (ir_value *[]){to, value}, 2, NULL, 0,
                    0);
        replace(op, NULL);
        return true;
    }
    if (op->def == TTKERNEL_OP(load_from_l1)) {
        ir_value *pointer = ir_op_operand_named(op, "l1_ptr");
        ir_value *from = element_of(&b, pointer, ir_op_operand_named(op, "offset"));
        ir_value *value = e_build(&b, EMITC_OP(load), pointee(pointer), &from, 1);
        replace(op, e_cast(&b, value, e_type(op->results[0].type)));
        return true;
    }
    ir_type type = e_type(op->results[0].type);
    tw_str pointed = ir_attr_str(type->params[0]->type->params[0]);
    char callee[64];
    snprintf(callee, sizeof callee, "reinterpret_cast<%.*s*>", (int)pointed.size,
             pointed.data);
    replace(op,
            ir_build1(&b, EMITC_OP(call_opaque), type, IR_VALUES(op->operands[0].value),
                      IR_ATTRS({"callee", ir_string_attr(op->ctx, tw_str_from(callee))})));
    return true;
}

static bool convert_call(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value **operands = tw_xmalloc((op->n_operands + 1) * sizeof *operands);
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = op->operands[i].value;
    ir_type type = op->n_results ? e_type(op->results[0].type) : NULL;
    ir_named_attr attrs[2] = {{ir_ident_from(op->ctx, "callee"), callee_of(op)}};
    attrs[1] = (ir_named_attr){ir_ident_from(op->ctx, "template_args"), template_args(op)};
    ir_op *call = ir_build(&b, &(ir_op_state){.def = EMITC_OP(call_opaque),
                                              .loc = op->loc,
                                              .operands = operands,
                                              .n_operands = op->n_operands,
                                              .results = &type,
                                              .n_results = op->n_results,
                                              .attrs = attrs,
                                              .n_attrs = attrs[1].value ? 2 : 1});
    free(operands);
    replace(op, op->n_results ? &call->results[0] : NULL);
    return true;
}

bool e_convert_kernel(ir_op *op, bool *failed)
{
    if (strncmp(op->def->name, "ttkernel.", 9) != 0)
        return false;
    bool ok;
    if (op->n_results > 1 || op->n_regions)
        ok = ir_op_error(op, "has no form in C++ yet");
    else if (op->def == TTKERNEL_OP(get_compile_time_arg_val))
        ok = convert_compile_arg(op);
    else if (op->def == TTKERNEL_OP(TensorAccessorArgs))
        ok = convert_accessor_args(op);
    else if (op->def == TTKERNEL_OP(store_to_l1) || op->def == TTKERNEL_OP(load_from_l1) ||
             op->def == TTKERNEL_OP(reinterpret_cast))
        ok = convert_l1(op);
    else
        ok = convert_call(op);
    *failed |= !ok;
    return ok;
}
