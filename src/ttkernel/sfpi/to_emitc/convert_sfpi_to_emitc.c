/* convert_sfpi_to_emitc.c: the vector unit's instructions become calls of the compiler's
 * builtins for them, __builtin_rvtt_sfpNAME; vectors are sfpi::__rvtt_vec_t.
 *
 * A builtin takes the operation's operands and then its attributes, as the names of the
 * vendor's constants; the table lists those that take them in another order. */
#include "ir/pass/pass.h"

#include "mlir/emitc/emitc.h"
#include "mlir/emitc/emitc_build.h"
#include "mlir/func/func.h"
#include "support/strbuf.h"
#include "ttkernel/sfpi/sfpi.h"

#include <stdlib.h>

/* Operands and attributes by name; a number is itself. */
static const struct {
    const ir_op_def *def;
    const char *order;
} orders[] = {
    {SFPI_OP(load), "mod0 mode addr"},
    {SFPI_OP(store), "value mod0 mode addr"},
    {SFPI_OP(xloadi), "mod0 imm"},
    {SFPI_OP(divp2), "exp src 0"},
    {SFPI_OP(setman_i), "imm src 0"},
    {SFPI_OP(stochrnd_i), "mode imm8 srcc mod1"},
    {SFPI_OP(stochrnd_v), "mode imm8 srcc mod1"},
};

/* Enums whose constants are called by another instruction's name. */
static const struct {
    const char *name, *constants;
} prefixes[] = {{"ADD_MOD1", "IADD_MOD1"}, {"ENCC_MOD1", "SETCC_MOD1"}};

enum { CAPACITY = 12 };

static ir_type vector_type(ir_context *ctx)
{
    return emitc_opaque_type(ctx, "sfpi::__rvtt_vec_t");
}

static ir_type converted(ir_type t)
{
    bool vector =
        t->kind == IR_TYPE_VECTOR && t->count == 2 && t->dims[0] == 4 && t->dims[1] == 8;
    return vector ? vector_type(t->ctx) : t;
}

static ir_value *literal(ir_builder *b, tw_str text)
{
    return ir_build1(b, EMITC_OP(literal), ir_integer_type(b->ctx, 32, IR_SIGNLESS), NULL,
                     0, IR_ATTRS({"value", ir_string_attr(b->ctx, text)}));
}

/* "sfpi::SFPLOAD_MOD0_FMT_FP32"; of bits, each, with | between. */
static ir_value *constant_of(ir_builder *b, ir_attr attr)
{
    const ir_enum_def *names = attr->def->enumeration;
    const char *prefix = names->name;
    for (size_t i = 0; i < TW_COUNT(prefixes); i++)
        if (strcmp(prefix, prefixes[i].name) == 0)
            prefix = prefixes[i].constants;
    const int64_t value = ir_enum_value(attr, 0);
    tw_strbuf text = {0};
    const ir_enum_case *whole = ir_enum_by_value(names, value);
    for (size_t i = 0; i < names->cases.count; i++) {
        const ir_enum_case *c = &names->cases.at[i];
        bool in =
            whole ? c == whole : names->bits && c->value && (value & c->value) == c->value;
        if (in)
            tw_strbuf_printf(&text, "%ssfpi::SFP%s_%s", text.size ? "|" : "", prefix,
                             c->text);
    }
    ir_value *made = literal(b, (tw_str){text.data, text.size});
    tw_strbuf_free(&text);
    return made;
}

static ir_value *argument(ir_builder *b, const ir_op *op, tw_str name)
{
    char text[16];
    if (name.size >= sizeof text)
        return NULL;
    memcpy(text, name.data, name.size);
    text[name.size] = 0;
    if (*text >= '0' && *text <= '9')
        return literal(b, name);
    ir_attr attr = ir_op_attr(op, text);
    return attr ? constant_of(b, attr) : ir_op_operand_named(op, text);
}

static size_t arguments(ir_builder *b, const ir_op *op, ir_value *out[CAPACITY])
{
    size_t n = 0;
    for (size_t i = 0; i < TW_COUNT(orders); i++) {
        if (orders[i].def != op->def)
            continue;
        for (const char *at = orders[i].order; *at;) {
            size_t size = strcspn(at, " ");
            out[n++] = argument(b, op, (tw_str){at, size});
            at += size + (at[size] == ' ');
        }
        return n;
    }
    for (uint32_t i = 0; i < op->n_operands && n < CAPACITY; i++)
        out[n++] = op->operands[i].value;
    for (size_t i = 0; i < op->def->attrs.count && n < CAPACITY; i++) {
        ir_attr attr = ir_op_attr(op, op->def->attrs.at[i].name);
        if (ir_attr_is(attr, IR_ATTR_DIALECT) && attr->def->enumeration)
            out[n++] = constant_of(b, attr);
    }
    return n;
}

static void convert(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *operands[CAPACITY];
    size_t n = arguments(&b, op, operands);
    tw_strbuf callee = {0};
    tw_strbuf_printf(&callee, "__builtin_rvtt_sfp%s", op->def->name + strlen("sfpi."));
    ir_type type = op->n_results ? converted(op->results[0].type) : NULL;
    ir_attr name = ir_string_attr(op->ctx, (tw_str){callee.data, callee.size});
    ir_op *call = ir_build_op(&b, EMITC_OP(call_opaque), &type, op->n_results != 0,
                              operands, n, IR_ATTRS({"callee", name}), 0);
    tw_strbuf_free(&callee);
    if (op->n_results)
        ir_value_replace_uses(&op->results[0], &call->results[0]);
    ir_op_erase(op);
}

typedef struct found {
    ir_op **at;
    size_t count, capacity;
} found;

static ir_type convert_type(ir_type t, void *user)
{
    (void)user;
    return converted(t);
}

static ir_walk collect(ir_op *op, void *user)
{
    found *f = user;
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *block = op->regions[r].first; block; block = block->next)
            for (uint32_t i = 0; i < block->n_args; i++)
                block->args[i]->type = converted(block->args[i]->type);
    if (strncmp(op->def->name, "sfpi.", 5) == 0)
        TW_PUSH(f->at, f->count, f->capacity, op);
    if (op->def == FUNC_OP(func))
        func_convert_types(op, convert_type, NULL);
    return IR_WALK_ON;
}

static bool run(ir_op *op, pass_run *run)
{
    (void)run;
    found f = {0};
    ir_walk_pre(op, collect, &f);
    for (size_t i = 0; i < f.count; i++)
        convert(f.at[i]);
    free(f.at);
    return true;
}

const pass_def convert_sfpi_to_emitc_pass = {
    .name = "convert-sfpi-to-emitc",
    .title = "ConvertSFPIToEmitC",
    .summary = "Convert SFPI dialect to calls of the compiler's builtins in EmitC",
    .anchor = "builtin.module",
    .run = run,
};
