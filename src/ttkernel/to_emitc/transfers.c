/* transfers.c: operations whose functions take something else than their operands: NoC
 * addresses on the NoC instead of coordinates, methods of accessors, text to print. */
#include "mlir/emitc/emitc.h"
#include "support/strbuf.h"
#include "ttkernel/to_emitc/ttkernel_to_emitc.h"
#include "ttkernel/ttkernel.h"

#include <stdio.h>
#include <stdlib.h>

static ir_type place_type(ir_context *ctx)
{
    return ir_integer_type(ctx, 64, IR_SIGNLESS);
}

/* get_noc_addr(x, y, address), get_noc_addr_from_bank_id<true>(bank, address), or the
 * address, which is a NoC address then. */
static ir_value *far_place(ir_builder *b, const ir_op *op, const char *core,
                           const char *bank, const char *address)
{
    e_call c = {0};
    e_push_group(op, core, &c);
    bool is_core = c.count != 0;
    if (!is_core)
        e_push_group(op, bank, &c);
    bool is_bank = !is_core && c.count != 0;
    if (!is_core && !is_bank)
        return ir_op_operand_named(op, address);
    e_push(&c, ir_op_operand_named(op, address));
    if (is_core)
        return e_call_opaque(b, "get_noc_addr", place_type(b->ctx), &c, NULL);
    ir_attr dram = emitc_opaque_attr(b->ctx, "true");
    return e_call_opaque(b, "get_noc_addr_from_bank_id", place_type(b->ctx), &c,
                         ir_array_attr(b->ctx, &dram, 1));
}

/* ---- transfers ----------------------------------------------------------------------- */

static const char *own_name(const ir_op *op)
{
    return op->def->name + strlen("ttkernel.");
}

static bool convert_read(ir_op *op, e_state *s)
{
    (void)s;
    ir_builder b = ir_builder_before(op);
    e_call c = {0};
    e_push(&c, far_place(&b, op, "srcCoreXY", "srcBankId", "srcAddress"));
    e_push_group(op, "dstLocalL1Addr", &c);
    e_push_group(op, "size", &c);
    e_push_group(op, "noc", &c);
    e_call_opaque(&b, own_name(op), NULL, &c, NULL);
    e_replace(op, NULL);
    return true;
}

static bool convert_write(ir_op *op, e_state *s)
{
    (void)s;
    ir_builder b = ir_builder_before(op);
    e_call c = {0};
    e_push_group(op, "srcLocalL1Addr", &c);
    e_push(&c, far_place(&b, op, "dstCoreXY", "dstBankId", "dstAddress"));
    e_push_group(op, "size", &c);
    e_push_group(op, "trid", &c);
    e_push_group(op, "noc", &c);
    e_call_opaque(&b, own_name(op), NULL, &c, NULL);
    e_replace(op, NULL);
    return true;
}

static bool convert_multicast(ir_op *op, e_state *s)
{
    (void)s;
    ir_builder b = ir_builder_before(op);
    e_call target = {0}, c = {0};
    e_push_group(op, "dstNocXStart", &target);
    e_push_group(op, "dstNocYStart", &target);
    e_push_group(op, "dstNocXEnd", &target);
    e_push_group(op, "dstNocYEnd", &target);
    e_push_group(op, "dstLocalL1Addr", &target);
    e_push_group(op, "srcLocalL1Addr", &c);
    e_push(&c,
           e_call_opaque(&b, "get_noc_multicast_addr", place_type(op->ctx), &target, NULL));
    e_push_group(op, "size", &c);
    e_push_group(op, "num_dests", &c);
    size_t before = c.count;
    e_push_group(op, "noc", &c);
    bool linked = ir_op_bool(op, "linked");
    if (linked || c.count > before) { /* in front of the NoC */
        ir_value *noc = c.count > before ? c.at[before] : NULL;
        c.count = before;
        e_push(&c, emitc_literal(&b, ir_integer_type(op->ctx, 1, IR_SIGNLESS),
                                 linked ? "true" : "false"));
        if (noc)
            e_push(&c, noc);
    }
    e_call_opaque(&b, own_name(op), NULL, &c, NULL);
    e_replace(op, NULL);
    return true;
}

static bool convert_inline_write(ir_op *op, e_state *s)
{
    (void)s;
    ir_builder b = ir_builder_before(op);
    e_call target = {0}, c = {0};
    e_push_group(op, "dstNocX", &target);
    e_push_group(op, "dstNocY", &target);
    e_push_group(op, "dstAddress", &target);
    e_push(&c, e_call_opaque(&b, "get_noc_addr", place_type(op->ctx), &target, NULL));
    e_push_group(op, "val", &c);
    e_push_group(op, "byte_enable", &c);
    e_push_group(op, "noc", &c);
    e_call_opaque(&b, own_name(op), NULL, &c, NULL);
    e_replace(op, NULL);
    return true;
}

/* Functions have an offset in front of the NoC, and those that write pages a size (0: all
 * of it) in front of that. */
static bool convert_page(ir_op *op, e_state *s)
{
    (void)s;
    ir_builder b = ir_builder_before(op);
    ir_type i32 = ir_integer_type(op->ctx, 32, IR_SIGNLESS);
    int64_t offset = ir_op_int(op, "offset", 0);
    char text[24];
    e_call c = {0};
    for (uint32_t i = 0; i < 3; i++)
        e_push(&c, ir_op_operand(op, i));
    if (op->n_operands > 3 || offset) {
        if (op->def == TTKERNEL_OP(noc_async_write_page))
            e_push(&c, emitc_literal(&b, i32, "0"));
        snprintf(text, sizeof text, "%lld", (long long)offset);
        e_push(&c, emitc_literal(&b, i32, text));
    }
    e_push_group(op, "noc", &c);
    e_call_opaque(&b, own_name(op), NULL, &c, NULL);
    e_replace(op, NULL);
    return true;
}

/* ---- the rest ------------------------------------------------------------------------ */

static ir_value *opaque_constant(ir_builder *b, const ir_op *op, const char *text)
{
    return ir_build1(b, EMITC_OP(constant), e_type(op->results[0].type), NULL, 0,
                     IR_ATTRS({"value", emitc_opaque_attr(b->ctx, text)}));
}

/* my_x[noc_index] */
static bool convert_own_place(ir_op *op, e_state *s)
{
    (void)s;
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
    e_replace(op, opaque_constant(&b, op, text));
    return true;
}

static bool convert_constant(ir_op *op, e_state *s)
{
    (void)s;
    ir_builder b = ir_builder_before(op);
    e_replace(op,
              opaque_constant(&b, op,
                              op->def == TTKERNEL_OP(mem_zeros_base) ? "MEM_ZEROS_BASE"
                                                                     : "MEM_ZEROS_SIZE"));
    return true;
}

static bool convert_print(ir_op *op, e_state *s)
{
    (void)s;
    ir_builder b = ir_builder_before(op);
    tw_strbuf text = {0};
    e_call c = {0};
    tw_str format = ir_attr_str(ir_op_attr(op, "fmt"));
    if (op->n_operands + 1 > E_CAPACITY)
        return ir_op_error(op, "prints at most %d values", E_CAPACITY - 1);
    emitc_put_quoted(&text, format, true);
    e_push(&c, emitc_literal(&b, emitc_opaque_type(op->ctx, "const char[]"),
                             tw_strbuf_text(&text)));
    tw_strbuf_free(&text);
    bool compute = ir_enum_value(ir_op_attr(s->func, "ttkernel.thread"), -1) ==
                   TTKERNEL_ThreadType_Compute;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = ir_op_operand(op, i);
        bool port = v->type->kind == IR_TYPE_INTEGER && v->type->width == 32 &&
                    v->type->sign == IR_UNSIGNED; /* what circular buffers have become */
        if (s->objects && compute && port) {
            e_call one = {{v}, 1};
            v = e_call_opaque(&b, "ttmlir::CBPrinter",
                              emitc_opaque_type(op->ctx, "ttmlir::CBPrinter"), &one, NULL);
        }
        e_push(&c, v);
    }
    e_call_opaque(&b, "DPRINT", NULL, &c, NULL);
    e_replace(op, NULL);
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

/* A method's call is a statement that names what it gives. */
static bool convert_method(ir_op *op, e_state *s)
{
    ir_builder b = ir_builder_before(op);
    char name[24];
    tw_strbuf text = {0};
    e_call c = {0};
    snprintf(name, sizeof name, "temp_%u", s->names++);
    ir_type type = e_type(op->results[0].type);
    tw_strbuf_printf(&text, "%s %s = {}.%s(", type_text(type), name,
                     strrchr(op->def->name, '.') + 1);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        e_push(&c, ir_op_operand(op, i));
        if (i)
            tw_strbuf_puts(&text, i > 1 ? ", {}" : "{}");
    }
    tw_strbuf_puts(&text, ");");
    e_statement(&b, tw_strbuf_text(&text), c.at, c.count);
    tw_strbuf_free(&text);
    e_replace(op, emitc_literal(&b, type, name));
    return true;
}

/* The bits of a number as another type; a bf16 is the upper half of an f32. */
static bool convert_bitcast(ir_op *op, e_state *s)
{
    ir_builder b = ir_builder_before(op);
    ir_type type = e_type(op->results[0].type);
    ir_value *from = ir_op_operand(op, 0);
    if (ir_type_is_float(type, IR_F32))
        e_replace(op, e_float_of(&b, s,
                                 ir_type_is_float(op->results[0].type, IR_BF16)
                                     ? "static_cast<uint32_t>({}) << 16"
                                     : "{}",
                                 from));
    else
        e_replace(op, e_cast(&b, from, type));
    return true;
}

/* ---- the mesh ------------------------------------------------------------------------ */

static bool convert_manager(ir_op *op, e_state *s)
{
    static const char type[] = "experimental::FabricConnectionManager";
    ir_builder b = ir_builder_before(op);
    char name[48], text[128];
    if (!op->results[0].uses) {
        ir_op_erase(op);
        return true;
    }
    snprintf(name, sizeof name, "fabric_connection_manager_%u", s->names++);
    snprintf(text, sizeof text, "%s %s;", type, name);
    e_statement(&b, text, NULL, 0);
    e_replace(op, emitc_literal(&b, emitc_opaque_type(op->ctx, type), name));
    return true;
}

static bool convert_mesh_position(ir_op *op, e_state *s)
{
    (void)s;
    ir_builder b = ir_builder_before(op);
    char dim[24];
    snprintf(dim, sizeof dim, "%lld", (long long)ir_op_int(op, "dim", 0));
    e_call c = {{ir_op_operand(op, 0),
                 emitc_literal(&b, emitc_opaque_type(op->ctx, "uint64_t"), dim)},
                2};
    e_replace(op, e_call_opaque(&b, "experimental::get_my_logical_mesh_position",
                                e_type(op->results[0].type), &c, NULL));
    return true;
}

/* The position is an array in C++. */
static bool convert_device_at(ir_op *op, e_state *s)
{
    ir_builder b = ir_builder_before(op);
    e_call target = {0};
    char type[48], name[48];
    tw_strbuf text = {0};
    if (!op->results[0].uses) {
        ir_op_erase(op);
        return true;
    }
    e_push_group(op, "position_indices", &target);
    snprintf(type, sizeof type, "std::array<uint32_t, %zu>", target.count);
    snprintf(name, sizeof name, "logical_mesh_position_%u", s->names++);
    tw_strbuf_printf(&text, "%s %s = %s{{", type, name, type);
    for (size_t i = 0; i < target.count; i++)
        tw_strbuf_puts(&text, i ? ", {}" : "{}");
    tw_strbuf_puts(&text, "};");
    e_statement(&b, tw_strbuf_text(&text), target.at, target.count);
    tw_strbuf_free(&text);
    e_call c = {
        {ir_op_operand(op, 0), emitc_literal(&b, emitc_opaque_type(op->ctx, type), name)},
        2};
    e_replace(op,
              e_call_opaque(&b, "experimental::get_device_id_from_logical_mesh_position",
                            e_type(op->results[0].type), &c, NULL));
    return true;
}

bool e_convert_transfer(ir_op *op, e_state *s)
{
    static const struct {
        const ir_op_def *def;
        e_convert_fn *convert;
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
        {TTKERNEL_OP(noc_async_read_tile), convert_page},
        {TTKERNEL_OP(noc_async_read_page), convert_page},
        {TTKERNEL_OP(noc_async_write_page), convert_page},
        {TTKERNEL_OP(my_x), convert_own_place},
        {TTKERNEL_OP(my_y), convert_own_place},
        {TTKERNEL_OP(mem_zeros_base), convert_constant},
        {TTKERNEL_OP(mem_zeros_size), convert_constant},
        {TTKERNEL_OP(dprint), convert_print},
        {TTKERNEL_OP(bitcast), convert_bitcast},
        {TTKERNEL_OP(experimental_create_fabric_connection_manager), convert_manager},
        {TTKERNEL_OP(experimental_get_my_logical_mesh_position), convert_mesh_position},
        {TTKERNEL_OP(experimental_get_device_id_from_logical_mesh_position),
         convert_device_at},
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
            bool ok = rows[i].convert(op, s);
            s->failed |= !ok;
            return ok;
        }
    return false;
}
