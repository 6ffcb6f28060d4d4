/* argument_names.c: names for what a kernel is given, where a person reads it. */
#include "mlir/arith/arith.h"
#include "mlir/emitc/to_cpp/cpp.h"
#include "support/strbuf.h"
#include "ttkernel/to_emitc/ttkernel_to_emitc.h"
#include "ttkernel/ttkernel.h"

#include <stdio.h>
#include <stdlib.h>

tw_str e_name(tw_str names, int64_t n)
{
    const char *at = names.data, *end = names.data + names.size;
    for (; at && n > 0; n--) {
        at = memchr(at, ',', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    const char *stop = at ? memchr(at, ',', (size_t)(end - at)) : NULL;
    return at ? (tw_str){at, (size_t)((stop ? stop : end) - at)} : (tw_str){0};
}

static bool is_compile_arg(const ir_op *op)
{
    return op->def == TTKERNEL_OP(get_compile_time_arg_val);
}

static bool is_buffer(const ir_op *op)
{
    return ttkernel_is_cb(op->results[0].type);
}

/* The user's name may be one of C++, or another buffer's: the number makes it unique. */
void e_constant_name(const e_state *s, const ir_op *op, char out[64])
{
    int64_t n = ir_op_int(op, "arg_index", 0);
    tw_str given = is_buffer(op) ? e_name(s->buffer_names, n) : (tw_str){0};
    bool valid = given.size < 48 && cpp_is_identifier(given);
    for (int64_t i = 0; valid && i < n; i++)
        valid = !tw_str_equal(e_name(s->buffer_names, i), given);
    if (valid && given.size > 3 && memcmp(given.data + given.size - 3, "_cb", 3) == 0)
        snprintf(out, 64, "%.*s", (int)given.size, given.data);
    else if (valid)
        snprintf(out, 64, "%.*s_cb", (int)given.size, given.data);
    else
        snprintf(out, 64, is_buffer(op) ? "cb_%lld" : "compile_time_arg_%lld",
                 (long long)n);
}

static int by_number(const void *a, const void *b)
{
    int64_t x = ir_op_int(*(ir_op *const *)a, "arg_index", 0);
    int64_t y = ir_op_int(*(ir_op *const *)b, "arg_index", 0);
    return (x > y) - (x < y);
}

static void declare_arguments(e_state *s)
{
    ir_op_list args = ir_ops_in(s->func, is_compile_arg);
    ir_builder b =
        ir_builder_at_start(s->func->ctx, ir_op_body(s->func, 0), IR_LOC_UNKNOWN);
    qsort(args.at, args.n, sizeof *args.at, by_number);
    for (size_t i = 0; i < args.n; i++) {
        char name[64], text[160];
        if (i && by_number(&args.at[i - 1], &args.at[i]) == 0)
            continue;
        e_constant_name(s, args.at[i], name);
        snprintf(text, sizeof text,
                 "constexpr uint32_t %s = get_compile_time_arg_val(%lld);", name,
                 (long long)ir_op_int(args.at[i], "arg_index", 0));
        e_statement(&b, text, NULL, 0);
    }
    ir_op_list_free(&args);
}

static bool is_accessor(const ir_op *op)
{
    return op->def == TTKERNEL_OP(TensorAccessor);
}

static void name_accessors(e_state *s)
{
    ir_op_list accessors = ir_ops_in(s->func, is_accessor);
    ir_attr numbers = ir_op_attr(s->func, "ttl.crta_indices");
    for (size_t i = 0; numbers && i < accessors.n; i++) {
        ir_op *address = ir_value_def(ir_op_operand(accessors.at[i], 1));
        int64_t n;
        if (!ir_op_is(address, TTKERNEL_OP(get_common_arg_val)) ||
            !arith_constant_int(ir_op_operand(address, 0), &n) || n < 0 ||
            n >= numbers->count)
            continue;
        tw_str name = e_name(s->tensor_names, ir_attr_int(numbers->items[n], -1));
        if (name.size)
            accessors.at[i]->loc =
                ir_loc_name(s->func->ctx, ir_ident_get(s->func->ctx, name), IR_LOC_UNKNOWN);
    }
    ir_op_list_free(&accessors);
}

bool e_accessor_name(e_state *s, const ir_op *op, char out[64])
{
    ir_attr loc = ir_loc_attr(op->ctx, op->results[0].uses->owner->loc);
    if (loc->kind != IR_ATTR_LOC_NAME || loc->ident->size > 48)
        return false;
    snprintf(out, 64, "%s_args", loc->ident->text);
    ir_ident name = ir_ident_from(op->ctx, out);
    bool fresh = !ir_mapping_get(s->named, name);
    ir_mapping_set(s->named, name, s);
    return fresh;
}

void e_name_arguments(e_state *s)
{
    declare_arguments(s);
    name_accessors(s);
}
