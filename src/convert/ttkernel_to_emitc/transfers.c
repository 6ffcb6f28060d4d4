/* transfers.c: operations whose functions take something else than their operands: places
 * on the NoC instead of coordinates, methods of accessors, text to print. */
#include "convert/ttkernel_to_emitc/ttkernel_to_emitc.h"
#include "dialect/emitc/emitc.h"
#include "dialect/ttkernel/ttkernel.h"
#include "support/strbuf.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 12 };

/* A call in the making. */
typedef struct call {
    ir_value *at[MOST];
    size_t count;
} call;

static void push(call *c, ir_value *v)
{
    assert(c->count < MOST);
    c->at[c->count++] = v;
}

static ir_value *make_call(ir_builder *b, const char *callee, ir_type type, const call *c,
                           const char *template_arg)
{
    ir_attr args = NULL;
    if (template_arg) {
        ir_attr text = ir_string_attr(b->ctx, tw_str_from(template_arg));
        ir_attr opaque = ir_dialect_attr(b->ctx, EMITC_ATTR(opaque), &text, 1);
        args = ir_array_attr(b->ctx, &opaque, 1);
    }
    ir_named_attr attrs[] = {
        {ir_ident_from(b->ctx, "callee"), ir_string_attr(b->ctx, tw_str_from(callee))},
        {ir_ident_from(b->ctx, "template_args"), args}};
    ir_op *op = ir_build(b, &(ir_op_state){.def = EMITC_OP(call_opaque),
                                           .loc = b->loc,
                                           .operands = c->at,
                                           .n_operands = c->count,
                                           .results = &type,
                                           .n_results = type != NULL,
                                           .attrs = attrs,
                                           .n_attrs = args ? 2 : 1});
    return type ? &op->results[0] : NULL;
}

static void group(const ir_op *op, const char *name, call *c)
{
    size_t start, count, index = ir_op_operand_index(op->def, name);
    if (index == SIZE_MAX || !ir_op_operand_group(op, index, &start, &count))
        return;
    for (size_t i = 0; i < count; i++)
        push(c, ir_op_operand(op, start + i));
}

static ir_value *literal(ir_builder *b, ir_type type, const char *text)
{
    return ir_build1(b, EMITC_OP(literal), type, NULL, 0,
                     IR_ATTRS({"value", ir_string_attr(b->ctx, tw_str_from(text))}));
}

static void finish(ir_op *op, ir_value *by)
{
    if (op->n_results)
        ir_value_replace_uses(&op->results[0], by);
    ir_op_erase(op);
}

static ir_type place_type(ir_context *ctx)
{
    return ir_integer_type(ctx, 64, IR_SIGNLESS);
}

/* get_noc_addr(x, y, address), get_noc_addr_from_bank_id<true>(bank, address), or the
 * address, which is a place then. */
static ir_value *far_place(ir_builder *b, const ir_op *op, const char *core,
                           const char *bank, const char *address)
{
    call c = {0};
    group(op, core, &c);
    bool is_core = c.count != 0;
    if (!is_core)
        group(op, bank, &c);
    bool is_bank = !is_core && c.count != 0;
    if (!is_core && !is_bank)
        return ir_op_operand_named(op, address);
    push(&c, ir_op_operand_named(op, address));
    return is_core
               ? make_call(b, "get_noc_addr", place_type(b->ctx), &c, NULL)
               : make_call(b, "get_noc_addr_from_bank_id", place_type(b->ctx), &c, "true");
}

/* ---- transfers ----------------------------------------------------------------------- */

static const char *own_name(const ir_op *op)
{
    return op->def->name + strlen("ttkernel.");
}

static bool convert_read(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    call c = {0};
    push(&c, far_place(&b, op, "srcCoreXY", "srcBankId", "srcAddress"));
    group(op, "dstLocalL1Addr", &c);
    group(op, "size", &c);
    group(op, "noc", &c);
    make_call(&b, own_name(op), NULL, &c, NULL);
    finish(op, NULL);
    return true;
}

static bool convert_write(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    call c = {0};
    group(op, "srcLocalL1Addr", &c);
    push(&c, far_place(&b, op, "dstCoreXY", "dstBankId", "dstAddress"));
    group(op, "size", &c);
    group(op, "trid", &c);
    group(op, "noc", &c);
    make_call(&b, own_name(op), NULL, &c, NULL);
    finish(op, NULL);
    return true;
}

static bool convert_multicast(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    call place = {0}, c = {0};
    group(op, "dstNocXStart", &place);
    group(op, "dstNocYStart", &place);
    group(op, "dstNocXEnd", &place);
    group(op, "dstNocYEnd", &place);
    group(op, "dstLocalL1Addr", &place);
    group(op, "srcLocalL1Addr", &c);
    push(&c, make_call(&b, "get_noc_multicast_addr", place_type(op->ctx), &place, NULL));
    group(op, "size", &c);
    group(op, "num_dests", &c);
    size_t before = c.count;
    group(op, "noc", &c);
    bool linked = ir_op_bool(op, "linked");
    if (linked || c.count > before) { /* in front of the NoC */
        ir_value *noc = c.count > before ? c.at[before] : NULL;
        c.count = before;
        push(&c, literal(&b, ir_integer_type(op->ctx, 1, IR_SIGNLESS),
                         linked ? "true" : "false"));
        if (noc)
            push(&c, noc);
    }
    make_call(&b, own_name(op), NULL, &c, NULL);
    finish(op, NULL);
    return true;
}

static bool convert_inline_write(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    call place = {0}, c = {0};
    group(op, "dstNocX", &place);
    group(op, "dstNocY", &place);
    group(op, "dstAddress", &place);
    push(&c, make_call(&b, "get_noc_addr", place_type(op->ctx), &place, NULL));
    group(op, "val", &c);
    group(op, "byte_enable", &c);
    group(op, "noc", &c);
    make_call(&b, own_name(op), NULL, &c, NULL);
    finish(op, NULL);
    return true;
}

/* The function has an offset in front of the NoC. */
static bool convert_read_tile(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    call c = {0};
    group(op, "id", &c);
    group(op, "addrGenStruct", &c);
    group(op, "dstLocalL1Addr", &c);
    if (op->n_operands > 3)
        push(&c, literal(&b, ir_integer_type(op->ctx, 32, IR_SIGNLESS), "0"));
    group(op, "noc", &c);
    make_call(&b, own_name(op), NULL, &c, NULL);
    finish(op, NULL);
    return true;
}

/* ---- the rest ------------------------------------------------------------------------ */

/* my_x[noc_index] */
static bool convert_own_place(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    char text[48];
    ir_value *noc = op->n_operands ? ir_op_operand(op, 0) : NULL;
    ir_op *def = noc ? ir_value_def(noc) : NULL;
    ir_attr value = def ? ir_op_attr(def, "value") : NULL;
    if (noc && !ir_attr_is(value, IR_ATTR_INTEGER))
        return ir_op_error(op, "needs a constant NoC to have a form in C++");
    if (noc)
        snprintf(text, sizeof text, "%s[%lld]", own_name(op),
                 (long long)ir_attr_int(value, 0));
    else
        snprintf(text, sizeof text, "%s[noc_index]", own_name(op));
    finish(op, literal(&b, e_type(op->results[0].type), text));
    return true;
}

static bool convert_constant(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    finish(op, literal(&b, e_type(op->results[0].type),
                       op->def == TTKERNEL_OP(mem_zeros_base) ? "MEM_ZEROS_BASE"
                                                              : "MEM_ZEROS_SIZE"));
    return true;
}

static bool convert_print(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    tw_strbuf text = {0};
    call c = {0};
    tw_str format = ir_attr_str(ir_op_attr(op, "fmt"));
    if (op->n_operands + 1 > MOST)
        return ir_op_error(op, "prints at most %d values", MOST - 1);
    tw_strbuf_putc(&text, '"');
    for (size_t i = 0; i < format.size; i++) {
        if (format.data[i] == '\n')
            tw_strbuf_puts(&text, "\\n");
        else if (format.data[i] == '"')
            tw_strbuf_puts(&text, "\\\"");
        else
            tw_strbuf_putc(&text, format.data[i]);
    }
    tw_strbuf_putc(&text, '"');
    push(&c, literal(&b, e_opaque(op->ctx, "const char[]"), tw_strbuf_text(&text)));
    tw_strbuf_free(&text);
    for (uint32_t i = 0; i < op->n_operands; i++)
        push(&c, ir_op_operand(op, i));
    make_call(&b, "DPRINT", NULL, &c, NULL);
    finish(op, NULL);
    return true;
}

static const char *type_text(ir_type t)
{
    if (t->kind == IR_TYPE_INTEGER && t->width == 1)
        return "bool";
    if (t->kind == IR_TYPE_INTEGER)
        return t->width == 64 ? "uint64_t" : "uint32_t";
    return t->kind == IR_TYPE_DIALECT && t->def == EMITC_TYPE(size_t) ? "size_t"
                                                                      : "PageMapping";
}

static ir_walk count_declared(ir_op *op, void *user)
{
    *(unsigned *)user += op->def == EMITC_OP(verbatim);
    return IR_WALK_ON;
}

/* A name that no other statement of the function declares. */
static void fresh_name(ir_op *op, const char *prefix, char out[48])
{
    ir_op *func = op;
    unsigned number = 0;
    while (ir_op_parent(func) && !(func->def->traits & IR_FUNCTION_LIKE))
        func = ir_op_parent(func);
    ir_walk_pre(func, count_declared, &number);
    snprintf(out, 48, "%s%u", prefix, number);
}

static void verbatim(ir_builder *b, const char *text, ir_value *const *args, size_t n)
{
    ir_attr value = ir_string_attr(b->ctx, tw_str_from(text));
    ir_build_op(b, EMITC_OP(verbatim), NULL, 0, args, n, IR_ATTRS({"value", value}), 0);
}

/* A method's call is a statement that names what it gives. */
static bool convert_method(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    char name[48];
    tw_strbuf text = {0};
    call c = {0};
    fresh_name(op, "temp_", name);
    ir_type type = e_type(op->results[0].type);
    tw_strbuf_printf(&text, "%s %s = {}.%s(", type_text(type), name,
                     strrchr(op->def->name, '.') + 1);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        push(&c, ir_op_operand(op, i));
        if (i)
            tw_strbuf_puts(&text, i > 1 ? ", {}" : "{}");
    }
    tw_strbuf_puts(&text, ");");
    verbatim(&b, tw_strbuf_text(&text), c.at, c.count);
    tw_strbuf_free(&text);
    finish(op, literal(&b, type, name));
    return true;
}

/* The bits of a number as another type. */
static bool convert_bitcast(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    char name[48], text[320];
    ir_type type = e_type(op->results[0].type);
    ir_value *from = ir_op_operand(op, 0);
    if (ir_type_is_float(type, IR_F32)) {
        fresh_name(op, "bits_", name);
        snprintf(text, sizeof text,
                 "uint32_t %s_src = {}; float %s; __builtin_memcpy(&%s, &%s_src, "
                 "sizeof(%s));",
                 name, name, name, name, name);
        verbatim(&b, text, &from, 1);
        finish(op, literal(&b, type, name));
        return true;
    }
    if (type->kind != IR_TYPE_INTEGER && type->kind != IR_TYPE_DIALECT)
        return ir_op_error(op, "has no form in C++ yet");
    finish(op, e_cast(&b, from, type));
    return true;
}

bool e_convert_transfer(ir_op *op, bool *failed)
{
    static const struct {
        const ir_op_def *def;
        bool (*convert)(ir_op *op);
    } rows[] = {
        {TTKERNEL_OP(noc_async_read), convert_read},
        {TTKERNEL_OP(noc_async_read_one_packet_set_state), convert_read},
        {TTKERNEL_OP(noc_async_read_one_packet_with_state), convert_read},
        {TTKERNEL_OP(noc_async_write), convert_write},
        {TTKERNEL_OP(noc_async_write_one_packet_with_trid), convert_write},
        {TTKERNEL_OP(noc_async_write_multicast), convert_multicast},
        {TTKERNEL_OP(noc_async_write_multicast_loopback_src), convert_multicast},
        {TTKERNEL_OP(noc_async_write_multicast_one_packet), convert_multicast},
        {TTKERNEL_OP(noc_inline_dw_write), convert_inline_write},
        {TTKERNEL_OP(noc_async_read_tile), convert_read_tile},
        {TTKERNEL_OP(my_x), convert_own_place},
        {TTKERNEL_OP(my_y), convert_own_place},
        {TTKERNEL_OP(mem_zeros_base), convert_constant},
        {TTKERNEL_OP(mem_zeros_size), convert_constant},
        {TTKERNEL_OP(dprint), convert_print},
        {TTKERNEL_OP(bitcast), convert_bitcast},
        {TTKERNEL_OP(tensor_accessor_get_noc_addr), convert_method},
        {TTKERNEL_OP(tensor_accessor_get_shard_noc_addr), convert_method},
        {TTKERNEL_OP(tensor_accessor_get_bank_and_offset), convert_method},
        {TTKERNEL_OP(tensor_accessor_is_local_bank), convert_method},
        {TTKERNEL_OP(tensor_accessor_is_local_addr), convert_method},
        {TTKERNEL_OP(tensor_accessor_is_local_page), convert_method},
        {TTKERNEL_OP(tensor_accessor_is_local_shard), convert_method},
    };
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (rows[i].def == op->def) {
            bool ok = rows[i].convert(op);
            *failed |= !ok;
            return ok;
        }
    return false;
}
