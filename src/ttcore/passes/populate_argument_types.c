/* populate_argument_types.c: tt-populate-argument-types: marks each argument as an input,
 * a parameter or a constant, as given by the option argument-types. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"

#include <stdlib.h>

enum { MAX_ARGUMENTS = 4096 };

static bool read_kinds(ir_op *func, tw_str name, tw_str list, int64_t *kinds)
{
    uint32_t n = 0, expected = ir_op_attr(func, "function_type")->type->count;
    while (list.size) {
        tw_str word = tw_str_cut(&list, ',');
        const ir_enum_case *c =
            ir_enum_by_text(TTCORE_ATTR(argument_type)->enumeration, word);
        if (!c)
            return ir_op_error(func, "Invalid argument type: %.*s", (int)word.size,
                               word.data);
        if (n < MAX_ARGUMENTS)
            kinds[n] = c->value;
        n++;
    }
    if (n != expected || n > MAX_ARGUMENTS)
        return ir_error(
            func->ctx, func->loc,
            "Did not provide the correct number of argument types for function: "
            "\"%.*s\". Expected: %u arguments, got: %u arguments",
            (int)name.size, name.data, expected, n);
    return true;
}

static void set_kinds(ir_op *func, const int64_t *kinds)
{
    ir_context *ctx = func->ctx;
    ir_attr old = ir_op_attr(func, "arg_attrs");
    uint32_t n = ir_op_attr(func, "function_type")->type->count;
    ir_attr *items = tw_xmalloc((n + 1) * sizeof *items);
    for (uint32_t i = 0; i < n; i++) {
        ir_attr had = old ? old->items[i] : NULL;
        uint32_t count = had ? had->count : 0, at = 0;
        ir_named_attr *entries = tw_xmalloc((count + 1) * sizeof *entries);
        for (; at < count; at++)
            entries[at] = had->entries[at];
        entries[at++] =
            (ir_named_attr){ir_ident_get(ctx, TW_STR("ttcore.argument_type")),
                            ir_enum_attr(ctx, TTCORE_ATTR(argument_type), kinds[i])};
        items[i] = ir_dict_attr(ctx, entries, at);
        free(entries);
    }
    ir_op_set_attr(func, "arg_attrs", ir_array_attr(ctx, items, n));
    free(items);
}

static bool run(ir_op *module, pass_run *run)
{
    tw_str map = pass_option_str(run, "argument-types");
    int64_t *kinds = tw_xmalloc(MAX_ARGUMENTS * sizeof *kinds);
    bool ok = true;
    while (ok && map.size) {
        tw_str list = tw_str_cut(&map, ';'), name = tw_str_cut(&list, '=');
        ir_op *func = ir_symbol_lookup(module, name);
        if (!func || func->def != FUNC_OP(func))
            ok = ir_error(
                module->ctx, module->loc,
                "Function: \"%.*s\" was provided in the argument types map, however "
                "it was not found in module!",
                (int)name.size, name.data);
        else if ((ok = read_kinds(func, name, list, kinds)))
            set_kinds(func, kinds);
    }
    free(kinds);
    return ok;
}

const pass_def tt_populate_argument_types_pass = {
    .name = "tt-populate-argument-types",
    .summary = "Set the type of each argument: input, parameter or constant",
    .anchor = "builtin.module",
    .run = run,
    .options =
        IR_LIST(pass_option_def, {"argument-types", PASS_STRING, "",
                                  "function=input,parameter,constant,...;function=..."}),
};
