/* insert_device_zone_scopes.c: insert-device-zone-scopes: zones of the profiler in kernels:
 * one for all of a kernel, and one for each operation of the chosen kinds. */
#include "ir/pass/pass.h"
#include "mlir/emitc/emitc.h"
#include "mlir/func/func.h"
#include "support/strbuf.h"
#include "ttkernel/ttkernel.h"

/* Kinds as tt-mlir names them, and what rows call them; NULL: every operation of ttkernel.
 */
static const struct {
    const char *name, *trait;
} kinds[] = {
    {"all", NULL},
    {"binary", "TTKernel_BinaryOpTrait"},
    {"device-zone", "TTKernel_DeviceZoneOpTrait"},
    {"fpu", "TTKernel_FPUOpTrait"},
    {"init", "TTKernel_InitOpTrait"},
    {"layout", "TTKernel_LayoutOpTrait"},
    {"sfpu", "TTKernel_SFPUOpTrait"},
    {"ternary", "TTKernel_TernaryOpTrait"},
    {"trid-noc", "TTKernel_TridNocOpTrait"},
    {"unary", "TTKernel_UnaryOpTrait"},
};

static void write(ir_builder *b, const char *text)
{
    ir_build_op(b, EMITC_OP(verbatim), NULL, 0, NULL, 0,
                IR_ATTRS({"value", ir_string_attr(b->ctx, tw_str_from(text))}), 0);
}

static void write_zone(ir_builder *b, const char *prefix, tw_str name)
{
    tw_strbuf text = {0};
    tw_strbuf_printf(&text, "DeviceZoneScopedN(\"%s%.*s\");", prefix, (int)name.size,
                     name.data);
    write(b, tw_strbuf_text(&text));
    tw_strbuf_free(&text);
}

static bool is_used(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        if (op->results[i].uses)
            return true;
    return false;
}

typedef struct chosen {
    bool kind[TW_COUNT(kinds)];
} chosen;

/* A value that others read would not be known behind its zone. */
static ir_walk visit(ir_op *op, void *user)
{
    static const char prefix[] = "ttkernel.";
    const chosen *c = user;
    bool wanted = false;
    if (strncmp(op->def->name, prefix, sizeof prefix - 1) != 0 || is_used(op))
        return IR_WALK_ON;
    for (size_t i = 0; i < TW_COUNT(kinds) && !wanted; i++)
        wanted = c->kind[i] &&
                 (!kinds[i].trait || ir_def_has_interface(op->def, kinds[i].trait));
    if (!wanted)
        return IR_WALK_ON;
    ir_builder b = ir_builder_before(op);
    write(&b, "{");
    write_zone(&b, "", tw_str_from(op->def->name + sizeof prefix - 1));
    b = ir_builder_after(op);
    b.loc = op->loc;
    write(&b, "}");
    return IR_WALK_ON;
}

static bool read_kinds(ir_op *func, const pass_run *run, chosen *out)
{
    tw_str text = pass_option_str(run, "traits");
    while (text.size) {
        const tw_str name = tw_str_cut(&text, ',');
        size_t i = 0;
        while (i < TW_COUNT(kinds) && !tw_str_is(name, kinds[i].name))
            i++;
        if (i == TW_COUNT(kinds))
            return ir_op_error(func,
                               "insert-device-zone-scopes: no operations are of the kind "
                               "'%.*s': traits are all, binary, device-zone, fpu, init, "
                               "layout, sfpu, ternary, trid-noc or unary",
                               (int)name.size, name.data);
        out->kind[i] = true;
    }
    return true;
}

static bool run(ir_op *func, pass_run *run)
{
    chosen c = {0};
    ir_block *body = ir_op_body(func, 0);
    if (!read_kinds(func, run, &c))
        return false;
    ir_walk_pre(func, visit, &c);
    if (body && ir_op_attr(func, "ttkernel.thread")) {
        ir_builder b = ir_builder_before(body->first);
        b.loc = func->loc;
        write_zone(&b, "kernel_outer_", ir_symbol_name(func));
    }
    return true;
}

const pass_def ttkernel_insert_device_zone_scopes_pass = {
    .name = "insert-device-zone-scopes",
    .summary =
        "Put zones of the profiler around kernels and operations of the chosen kinds",
    .anchor = "func.func",
    .run = run,
    .options = IR_LIST(pass_option_def,
                       {"traits", PASS_LIST, "",
                        "all, binary, device-zone, fpu, init, layout, sfpu, ternary, "
                        "trid-noc, unary"}),
};
