/* print_loc_pretty.c: human-readable locations (--mlir-pretty-debuginfo), which cannot be
 * parsed: file:line:column, "name", a chain of calls with a line each. */
#include "ir/text/print_impl.h"

static void put_inner(ir_printer *p, ir_attr loc)
{
    if (!p->aliases || !ir_put_alias_attr(p, loc))
        ir_put_loc_pretty(p, loc);
}

static void put_call_site(ir_printer *p, ir_attr callee, ir_attr caller)
{
    bool one_line = callee->kind == IR_ATTR_LOC_NAME && caller->kind == IR_ATTR_LOC_FILE;
    put_inner(p, callee);
    ir_put(p, one_line ? " at " : "\n at ");
    put_inner(p, caller);
}

void ir_put_loc_pretty(ir_printer *p, ir_attr loc)
{
    switch (loc->kind) {
    case IR_ATTR_LOC_FILE:
        ir_put_str(p, ir_ident_str(loc->ident));
        ir_putf(p, ":%u:%u", loc->line, loc->column);
        break;
    case IR_ATTR_LOC_NAME:
        ir_put_quoted(p, ir_ident_str(loc->ident));
        if (loc->child && loc->child->kind != IR_ATTR_LOC_UNKNOWN) {
            ir_putc(p, '(');
            put_inner(p, loc->child);
            ir_putc(p, ')');
        }
        break;
    case IR_ATTR_LOC_CALLSITE:
        put_call_site(p, loc->items[0], loc->items[1]);
        break;
    case IR_ATTR_LOC_FUSED:
        if (loc->items[loc->count]) {
            ir_putc(p, '<');
            ir_put_attr(p, loc->items[loc->count]);
            ir_putc(p, '>');
        }
        ir_putc(p, '[');
        for (uint32_t i = 0; i < loc->count; i++) {
            ir_put(p, i ? ", " : "");
            put_inner(p, loc->items[i]);
        }
        ir_putc(p, ']');
        break;
    default:
        ir_put(p, "[unknown]");
    }
}
