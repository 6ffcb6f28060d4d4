/* objects.c: what the kernel API's newer releases do by methods: circular buffers, NoCs and
 * endpoints are objects, declared where the kernel first needs them. */
#include "mlir/emitc/emitc.h"
#include "support/strbuf.h"
#include "ttkernel/to_emitc/ttkernel_to_emitc.h"
#include "ttkernel/ttkernel.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- objects that a function declares ------------------------------------------------ */

enum { OWN_NOC, NOC_0, NOC_1, UNICAST, MULTICAST, DRAM };

static const struct {
    const char *name, *declaration;
} objects[] = {
    [OWN_NOC] = {"noc", "Noc noc;"},
    [NOC_0] = {"noc0", "Noc noc0(0);"},
    [NOC_1] = {"noc1", "Noc noc1(1);"},
    [UNICAST] = {"unicast_ep", "UnicastEndpoint unicast_ep;"},
    [MULTICAST] = {"mcast_ep", "MulticastEndpoint mcast_ep;"},
    [DRAM] = {"dram_ep", "AllocatorBank<AllocatorBankType::DRAM> dram_ep;"},
};

/* The object's name; it is declared at the function's start. */
static const char *object(const ir_op *op, e_state *s, int which)
{
    if (!(s->declared & 1u << which)) {
        s->declared |= 1u << which;
        ir_builder b = ir_builder_at_start(op->ctx, ir_op_body(s->func, 0), op->loc);
        e_statement(&b, objects[which].declaration, NULL, 0);
    }
    return objects[which].name;
}

static ir_value *noc_operand(const ir_op *op)
{
    e_call c = {0};
    e_push_group(op, "noc", &c);
    return c.count ? c.at[0] : NULL;
}

/* The NoC that an operation names; one that only a run knows is made in place, with its
 * number among the operands. */
static const char *noc_of(const ir_op *op, e_state *s, e_call *operands)
{
    ir_value *noc = noc_operand(op);
    int64_t number;
    if (!noc)
        return object(op, s, OWN_NOC);
    if (e_known(noc, &number) && (number == 0 || number == 1))
        return object(op, s, number ? NOC_1 : NOC_0);
    e_push(operands, noc);
    return "Noc({})";
}

/* ---- circular buffers ---------------------------------------------------------------- */

/* What a buffer's object is called, by where its port comes from; false if unknown. */
static bool buffer_name(const ir_value *cb, char out[32])
{
    static const char compile_arg[] = "get_compile_time_arg_val(";
    ir_op *def = ir_value_def(cb);
    if (ir_op_is(def, EMITC_OP(literal))) {
        tw_str text = ir_attr_str(ir_op_attr(def, "value"));
        if (text.size <= sizeof compile_arg ||
            memcmp(text.data, compile_arg, sizeof compile_arg - 1) != 0)
            return false;
        snprintf(out, 32, "cb_ctarg_%ld",
                 strtol(text.data + sizeof compile_arg - 1, NULL, 10));
        return true;
    }
    ir_attr number = def ? ir_op_attr(def, "ttkernel.cb_arg_idx") : NULL;
    if (number)
        snprintf(out, 32, "cb_arg_%lld", (long long)ir_attr_int(number, 0));
    return number != NULL;
}

/* Declares the buffer's object behind its port, so that all uses see it. */
static bool buffer(ir_op *op, e_state *s, ir_value *cb, char out[32])
{
    if (!buffer_name(cb, out))
        return false;
    ir_op *def = ir_value_def(cb);
    for (size_t i = 0; i < s->n_buffers; i++)
        if (s->buffers[i].block == def->block && strcmp(s->buffers[i].name, out) == 0)
            return true;
    e_buffer made = {.block = def->block};
    snprintf(made.name, sizeof made.name, "%s", out);
    TW_PUSH(s->buffers, s->n_buffers, s->buffers_capacity, made);
    char text[80];
    snprintf(text, sizeof text, "CircularBuffer %s({});", out);
    ir_builder b = ir_builder_after(def);
    b.loc = op->loc;
    e_statement(&b, text, &cb, 1);
    return true;
}

static const char *method_of(const ir_op *op)
{
    static const struct {
        const ir_op_def *def;
        const char *method;
    } rows[] = {
        {TTKERNEL_OP(cb_push_back), "push_back"},
        {TTKERNEL_OP(cb_pop_front), "pop_front"},
        {TTKERNEL_OP(cb_reserve_back), "reserve_back"},
        {TTKERNEL_OP(cb_wait_front), "wait_front"},
        {TTKERNEL_OP(get_write_ptr), "get_write_ptr"},
        {TTKERNEL_OP(get_read_ptr), "get_read_ptr"},
        {TTKERNEL_OP(noc_async_read_barrier), "async_read_barrier"},
        {TTKERNEL_OP(noc_async_write_barrier), "async_write_barrier"},
        {TTKERNEL_OP(noc_async_atomic_barrier), "async_atomic_barrier"},
        {TTKERNEL_OP(noc_async_read_barrier_with_trid), "async_read_barrier"},
        {TTKERNEL_OP(noc_async_write_barrier_with_trid), "async_write_barrier"},
    };
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (rows[i].def == op->def)
            return rows[i].method;
    return NULL;
}

static bool convert_buffer_method(ir_op *op, e_state *s)
{
    char name[32], text[96];
    if (!buffer(op, s, ir_op_operand(op, 0), name))
        return false;
    ir_builder b = ir_builder_before(op);
    snprintf(text, sizeof text, "%s.%s({});", name, method_of(op));
    ir_value *pages = ir_op_operand(op, 1);
    e_statement(&b, text, &pages, 1);
    e_replace(op, NULL);
    return true;
}

/* Whether a pointer is the same wherever it is used: in its block, and with nothing between
 * that moves pointers. */
static bool stays(const ir_op *op)
{
    for (const ir_operand *use = op->results[0].uses; use; use = use->next_use)
        if (use->owner->block != op->block)
            return false;
    const ir_op *last = op;
    for (const ir_op *at = op->next; at; at = at->next)
        for (uint32_t i = 0; i < at->n_operands; i++)
            if (at->operands[i].value == &op->results[0])
                last = at;
    for (const ir_op *at = op; at != last; at = at->next)
        if (at->n_regions || at->def == TTKERNEL_OP(cb_push_back) ||
            at->def == TTKERNEL_OP(cb_pop_front))
            return false;
    return true;
}

static bool convert_pointer(ir_op *op, e_state *s)
{
    char name[32], text[64];
    if (!buffer(op, s, ir_op_operand(op, 0), name))
        return false;
    ir_builder b = ir_builder_before(op);
    ir_type type = e_type(op->results[0].type);
    if (stays(op)) {
        snprintf(text, sizeof text, "%s.%s()", name, method_of(op));
    } else {
        char declared[128];
        snprintf(text, sizeof text, "ptr_%u", s->names++);
        snprintf(declared, sizeof declared, "const int32_t %s = %s.%s();", text, name,
                 method_of(op));
        e_statement(&b, declared, NULL, 0);
    }
    e_replace(op, emitc_literal(&b, type, text));
    return true;
}

/* ---- addresses */

/* An endpoint, and the text that names an address in it. */
typedef struct endpoint {
    const char *object, *where;
} endpoint;

/* Otherwise the address is complete already. */
static bool names_endpoint(const ir_op *op, bool read)
{
    e_call c = {0};
    e_push_group(op, read ? "srcCoreXY" : "dstCoreXY", &c);
    e_push_group(op, read ? "srcBankId" : "dstBankId", &c);
    return c.count != 0;
}

static endpoint far_end(const ir_op *op, e_state *s, bool read, e_call *c)
{
    size_t before = c->count;
    e_push_group(op, read ? "srcCoreXY" : "dstCoreXY", c);
    bool core = c->count != before;
    if (!core)
        e_push_group(op, read ? "srcBankId" : "dstBankId", c);
    e_push(c, ir_op_operand_named(op, read ? "srcAddress" : "dstAddress"));
    if (core)
        return (endpoint){object(op, s, UNICAST),
                          "{{.noc_x = {}, .noc_y = {}, .addr = static_cast<uint32_t>({})}"};
    return (endpoint){object(op, s, DRAM), "{{.bank_id = static_cast<uint32_t>({}), "
                                           ".addr = static_cast<uint32_t>({})}"};
}

/* A statement in the making. */
static void finish(ir_op *op, tw_strbuf *text, const e_call *c)
{
    ir_builder b = ir_builder_before(op);
    e_statement(&b, tw_strbuf_text(text), c->at, c->count);
    tw_strbuf_free(text);
    e_replace(op, NULL);
}

static bool names_constant_noc(const ir_op *op)
{
    ir_value *noc = noc_operand(op);
    int64_t number;
    return !noc || (e_known(noc, &number) && (number == 0 || number == 1));
}

/* ---- transfers ----------------------------------------------------------------------- */

/* A NoC that only a run knows would come first among the operands: functions take it. */
static bool convert_transfer(ir_op *op, e_state *s)
{
    bool one_packet = op->def == TTKERNEL_OP(noc_async_read_one_packet_set_state) ||
                      op->def == TTKERNEL_OP(noc_async_read_one_packet_with_state);
    bool state = op->def == TTKERNEL_OP(noc_async_read_one_packet_set_state);
    bool read = one_packet || op->def == TTKERNEL_OP(noc_async_read);
    bool id = op->def == TTKERNEL_OP(noc_async_write_one_packet_with_trid);
    e_call c = {0};
    if (!names_constant_noc(op) || !names_endpoint(op, read))
        return false;
    const char *noc = noc_of(op, s, NULL);
    if (!state)
        e_push_group(op, read ? "dstLocalL1Addr" : "srcLocalL1Addr", &c);
    e_push_group(op, "size", &c);
    endpoint end = far_end(op, s, read, &c);
    tw_strbuf t = {0};
    if (state)
        tw_strbuf_printf(&t,
                         "%s.set_async_read_state<NocOptions::DEFAULT, "
                         "NOC_MAX_BURST_SIZE>(%s, {}, %s);",
                         noc, end.object, end.where);
    else if (read)
        tw_strbuf_printf(&t, "%s.%s(%s, CoreLocalMem<uint32_t>({}), {}, %s, {{});", noc,
                         one_packet ? "async_read_with_state<NocOptions::DEFAULT, "
                                      "NOC_MAX_BURST_SIZE>"
                                    : "async_read",
                         end.object, end.where);
    else
        tw_strbuf_printf(
            &t, "%s.async_write%s(CoreLocalMem<uint32_t>({}), %s, {}, {{} , %s%s);", noc,
            id ? "<NocOptions::TXN_ID, NOC_MAX_BURST_SIZE>" : "", end.object, end.where,
            id ? ", NocOptVals{{.trid = {}}" : "");
    if (id)
        e_push_group(op, "trid", &c);
    finish(op, &t, &c);
    return true;
}

static bool convert_inline_write(ir_op *op, e_state *s)
{
    e_call c = {0};
    if (!names_constant_noc(op))
        return false;
    e_push_group(op, "val", &c);
    e_push_group(op, "dstNocX", &c);
    e_push_group(op, "dstNocY", &c);
    e_push_group(op, "dstAddress", &c);
    e_push_group(op, "byte_enable", &c);
    tw_strbuf t = {0};
    const char *noc = noc_of(op, s, NULL);
    tw_strbuf_printf(&t,
                     "%s.inline_dw_write<NocOptions::INLINE_L1>(%s, {}, {{.noc_x = {}, "
                     ".noc_y = {}, .addr = static_cast<uint32_t>({})}, {});",
                     noc, object(op, s, UNICAST));
    finish(op, &t, &c);
    return true;
}

static bool convert_page(ir_op *op, e_state *s)
{
    bool read = op->def == TTKERNEL_OP(noc_async_read_tile) ||
                op->def == TTKERNEL_OP(noc_async_read_page);
    ir_value *page = ir_op_operand(op, 0), *tensor = ir_op_operand(op, 1);
    int64_t offset = ir_op_int(op, "offset", 0);
    char name[32], text[96], where[80], from[32] = "";
    e_call c = {0};
    tw_strbuf t = {0};
    if (!names_constant_noc(op))
        return false;
    ir_builder b = ir_builder_before(op);
    snprintf(name, sizeof name, "page_id_%u", s->names++);
    snprintf(text, sizeof text, "const uint32_t %s = static_cast<uint32_t>({});", name);
    e_statement(&b, text, &page, 1);
    if (offset)
        snprintf(from, sizeof from, ", .offset_bytes = %lld", (long long)offset);
    snprintf(where, sizeof where, "{{.page_id = %s%s}", name, from);
    const char *noc = noc_of(op, s, NULL);
    e_push(&c, ir_op_operand(op, read ? 1 : 2));
    e_push(&c, ir_op_operand(op, read ? 2 : 1));
    if (read)
        tw_strbuf_printf(&t,
                         "%s.async_read({}, CoreLocalMem<uint32_t>({}), "
                         "{}.get_aligned_page_size(), %s, {{});",
                         noc, where);
    else
        tw_strbuf_printf(&t,
                         "%s.async_write(CoreLocalMem<uint32_t>({}), {}, "
                         "{}.get_aligned_page_size(), {{} , %s);",
                         noc, where);
    e_push(&c, tensor);
    finish(op, &t, &c);
    return true;
}

static bool convert_multicast(ir_op *op, e_state *s)
{
    const char *options = op->def == TTKERNEL_OP(noc_async_write_multicast_loopback_src)
                              ? "<NocOptions::MCAST_INCL_SRC>"
                          : op->def == TTKERNEL_OP(noc_async_write_multicast_one_packet)
                              ? "<NocOptions::DEFAULT, NOC_MAX_BURST_SIZE>"
                              : "";
    static const char *const operands[] = {"srcLocalL1Addr", "size",          "num_dests",
                                           "dstNocXStart",   "dstNocYStart",  "dstNocXEnd",
                                           "dstNocYEnd",     "dstLocalL1Addr"};
    e_call c = {0};
    tw_strbuf t = {0};
    const char *noc = noc_of(op, s, &c);
    for (size_t i = 0; i < TW_COUNT(operands); i++)
        e_push_group(op, operands[i], &c);
    tw_strbuf_printf(&t,
                     "%s.async_write_multicast%s(CoreLocalMem<uint32_t>({}), %s, {}, {}, "
                     "{{} , noc_traits_t<MulticastEndpoint>::dst_args_mcast_type"
                     "{{.noc_x_start = {}, .noc_y_start = {}, .noc_x_end = {}, "
                     ".noc_y_end = {}, .addr = static_cast<uint32_t>({})}, %s);",
                     noc, options, object(op, s, MULTICAST),
                     ir_op_bool(op, "linked") ? "true" : "false");
    finish(op, &t, &c);
    return true;
}

static bool convert_barrier(ir_op *op, e_state *s)
{
    e_call c = {0};
    tw_strbuf t = {0};
    const char *noc = noc_of(op, s, &c);
    tw_strbuf_printf(&t, "%s.%s();", noc, method_of(op));
    finish(op, &t, &c);
    return true;
}

static bool convert_barrier_with_id(ir_op *op, e_state *s)
{
    e_call c = {0};
    tw_strbuf t = {0};
    const char *noc = noc_of(op, s, &c);
    e_push_group(op, "trid", &c);
    tw_strbuf_printf(&t, "%s.%s<NocOptions::TXN_ID>(NocOptVals{{.trid = {}});", noc,
                     method_of(op));
    finish(op, &t, &c);
    return true;
}

static bool convert_noc_addr(ir_op *op, e_state *s)
{
    e_call c = {0};
    char name[32];
    tw_strbuf t = {0};
    for (uint32_t i = 0; i < 3; i++)
        e_push(&c, ir_op_operand(op, i));
    const char *noc = noc_of(op, s, &c);
    snprintf(name, sizeof name, "noc_addr_%u", s->names++);
    tw_strbuf_printf(&t,
                     "uint64_t %s = %s.get_noc_unicast_addr(static_cast<uint32_t>({}), "
                     "static_cast<uint32_t>({}), static_cast<uint32_t>({}), "
                     "%s.get_noc_id());",
                     name, object(op, s, UNICAST), noc);
    ir_builder b = ir_builder_before(op);
    e_statement(&b, tw_strbuf_text(&t), c.at, c.count);
    tw_strbuf_free(&t);
    e_replace(op, emitc_literal(&b, e_type(op->results[0].type), name));
    return true;
}

/* ---- the compute unit ---------------------------------------------------------------- */

/* Inits of products: the unit is set up, then configured for the matmul. */
static bool convert_product_init(ir_op *op, e_state *s)
{
    (void)s;
    bool block = op->def == TTKERNEL_OP(mm_block_init);
    ir_builder b = ir_builder_before(op);
    e_call c = {0}, d = {0};
    ir_attr order = emitc_opaque_attr(op->ctx, "SrcOrder::Reverse");
    for (uint32_t i = 0; i < 3; i++)
        e_push(&c, ir_op_operand(op, i));
    e_call_opaque(&b, "compute_kernel_hw_startup", NULL, &c,
                  ir_array_attr(op->ctx, &order, 1));
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (i != 2)
            e_push(&d, ir_op_operand(op, i));
    e_call_opaque(&b, block ? "matmul_block_init" : "matmul_init", NULL, &d, NULL);
    e_replace(op, NULL);
    return true;
}

static bool convert_short_init(ir_op *op, e_state *s)
{
    (void)s;
    ir_builder b = ir_builder_before(op);
    e_call c = {0};
    for (uint32_t i = 0; i < op->n_operands; i++)
        e_push(&c, ir_op_operand(op, i));
    e_call_opaque(
        &b, op->def == TTKERNEL_OP(mm_init_short) ? "matmul_init" : "matmul_block_init",
        NULL, &c, NULL);
    e_replace(op, NULL);
    return true;
}

/* The number goes through a volatile variable, for the hardware's compiler loses it. */
static bool convert_with_number(ir_op *op, e_state *s)
{
    (void)s;
    ir_builder b = ir_builder_before(op);
    char text[128];
    snprintf(text, sizeof text, "{{ volatile int32_t __s = {}; %s({}, __s); }",
             op->def->name + strlen("ttkernel."));
    e_statement(&b, text, IR_VALUES(ir_op_operand(op, 1), ir_op_operand(op, 0)));
    e_replace(op, NULL);
    return true;
}

static bool convert_accumulate(ir_op *op, e_state *s)
{
    (void)s;
    ir_builder b = ir_builder_before(op);
    ir_value *on = ir_op_operand(op, 0);
    e_statement(&b, "PACK((llk_pack_reconfig_l1_acc({})));", &on, 1);
    e_replace(op, NULL);
    return true;
}

bool e_convert_object(ir_op *op, e_state *s)
{
    static const struct {
        const ir_op_def *def;
        e_convert_fn *convert;
    } rows[] = {
        {TTKERNEL_OP(cb_push_back), convert_buffer_method},
        {TTKERNEL_OP(cb_pop_front), convert_buffer_method},
        {TTKERNEL_OP(cb_reserve_back), convert_buffer_method},
        {TTKERNEL_OP(cb_wait_front), convert_buffer_method},
        {TTKERNEL_OP(get_write_ptr), convert_pointer},
        {TTKERNEL_OP(get_read_ptr), convert_pointer},
        {TTKERNEL_OP(noc_async_read), convert_transfer},
        {TTKERNEL_OP(noc_async_read_one_packet_set_state), convert_transfer},
        {TTKERNEL_OP(noc_async_read_one_packet_with_state), convert_transfer},
        {TTKERNEL_OP(noc_async_write), convert_transfer},
        {TTKERNEL_OP(noc_async_write_one_packet_with_trid), convert_transfer},
        {TTKERNEL_OP(noc_inline_dw_write), convert_inline_write},
        {TTKERNEL_OP(noc_async_read_tile), convert_page},
        {TTKERNEL_OP(noc_async_write_tile), convert_page},
        {TTKERNEL_OP(noc_async_read_page), convert_page},
        {TTKERNEL_OP(noc_async_write_page), convert_page},
        {TTKERNEL_OP(noc_async_write_multicast), convert_multicast},
        {TTKERNEL_OP(noc_async_write_multicast_loopback_src), convert_multicast},
        {TTKERNEL_OP(noc_async_write_multicast_one_packet), convert_multicast},
        {TTKERNEL_OP(noc_async_read_barrier), convert_barrier},
        {TTKERNEL_OP(noc_async_write_barrier), convert_barrier},
        {TTKERNEL_OP(noc_async_atomic_barrier), convert_barrier},
        {TTKERNEL_OP(noc_async_read_barrier_with_trid), convert_barrier_with_id},
        {TTKERNEL_OP(noc_async_write_barrier_with_trid), convert_barrier_with_id},
        {TTKERNEL_OP(get_noc_addr), convert_noc_addr},
        {TTKERNEL_OP(mm_init), convert_product_init},
        {TTKERNEL_OP(mm_block_init), convert_product_init},
        {TTKERNEL_OP(mm_init_short), convert_short_init},
        {TTKERNEL_OP(mm_block_init_short), convert_short_init},
        {TTKERNEL_OP(add_unary_tile), convert_with_number},
        {TTKERNEL_OP(add_unary_tile_int32), convert_with_number},
        {TTKERNEL_OP(sub_unary_tile), convert_with_number},
        {TTKERNEL_OP(sub_unary_tile_int32), convert_with_number},
        {TTKERNEL_OP(mul_unary_tile), convert_with_number},
        {TTKERNEL_OP(div_unary_tile), convert_with_number},
        {TTKERNEL_OP(pack_reconfig_l1_acc), convert_accumulate},
    };
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (rows[i].def == op->def)
            return rows[i].convert(op, s);
    return false;
}
