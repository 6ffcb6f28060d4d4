/* check_rows.c: a step of the build that reads every text of the rows: predicates, rules,
 * formulas, calls and formats (docs/row-languages.md).  It ends with 1 and a line for each
 * text that does not read well; otherwise it writes the counts into the file that it is
 * given. */
#include "d2m/d2m.h"
#include "d2m/d2m_hooks.h"
#include "emitpy/emitpy.h"
#include "emitpy/emitpy_hooks.h"
#include "ir/text.h"
#include "ir/text/attr_format_impl.h"
#include "ir/text/directives.h"
#include "ir/verify_impl.h"
#include "mlir/tosa/tosa.h"
#include "mlir/tosa/tosa_hooks.h"
#include "pipelines/dialects.h"
#include "stablehlo/chlo/chlo.h"
#include "stablehlo/chlo/chlo_hooks.h"
#include "stablehlo/expand/formula.h"
#include "stablehlo/stablehlo.h"
#include "stablehlo/stablehlo_hooks.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_hooks.h"
#include "ttir/ttir.h"
#include "ttir/ttir_hooks.h"
#include "ttkernel/ttkernel.h"
#include "ttkernel/ttkernel_hooks.h"
#include "ttnn/results.h"
#include "ttnn/to_emitc/ttnn_to_emitc.h"
#include "ttnn/to_emitpy/ttnn_to_emitpy.h"
#include "ttnn/ttnn.h"
#include "ttnn/ttnn_hooks.h"

#include <stdio.h>

typedef enum language { PREDICATE, RULES, FORMULA, CALL, FORMAT, LANGUAGES } language;
static const char *const language_names[LANGUAGES] = {"predicate", "rule", "formula",
                                                      "call", "format"};
static size_t counts[LANGUAGES], wrong;

/* `what` is where the text goes wrong, which `sound` sets. */
static void judge(language l, const char *row, bool sound, const char *const *what)
{
    counts[l]++;
    if (sound)
        return;
    fprintf(stderr, "%s: a %s does not read well at: %.60s\n", row, language_names[l],
            *what ? *what : "its start");
    wrong++;
}

/* ---- predicates */

static void check_predicate(ir_context *ctx, const char *row, const char *text)
{
    const char *what;
    if (text)
        judge(PREDICATE, row, chk_predicate_is_sound(ctx, text, &what), &what);
}

static void check_predicates(ir_context *ctx, const ir_op_def *def)
{
    for (uint32_t i = 0; i < def->operands.count; i++)
        check_predicate(ctx, def->name, def->operands.at[i].type->pred);
    for (uint32_t i = 0; i < def->results.count; i++)
        check_predicate(ctx, def->name, def->results.at[i].type->pred);
    for (uint32_t i = 0; i < def->attrs.count; i++) {
        const ir_attr_use *use = &def->attrs.at[i];
        check_predicate(ctx, def->name, use->type->pred);
        check_predicate(ctx, def->name, use->confined);
        if (use->confined && !ir_confined_text(use))
            judge(PREDICATE, def->name, false, &use->confined);
    }
}

/* ---- formats */

static bool is_named(const char *name, tw_str wanted)
{
    return tw_str_is(wanted, name);
}

static bool part_of_op(void *user, tw_str name, int *kind, int *index)
{
    const ir_op_def *def = user;
    bool found = false;
    *kind = *index = 1;
    for (uint32_t i = 0; i < def->operands.count; i++)
        found |= is_named(def->operands.at[i].name, name);
    for (uint32_t i = 0; i < def->attrs.count; i++)
        found |= is_named(def->attrs.at[i].name, name);
    for (uint32_t i = 0; i < def->results.count; i++)
        found |= is_named(def->results.at[i].name, name);
    for (uint32_t i = 0; i < def->regions.count; i++)
        found |= is_named(def->regions.at[i].name, name);
    for (uint32_t i = 0; i < def->successors.count; i++)
        found |= is_named(def->successors.at[i].name, name);
    return found;
}

static void check_format(ir_context *ctx, const ir_op_def *def)
{
    uint32_t count;
    const char *what = NULL;
    if (def->format && strcmp(def->format, "custom") != 0)
        judge(FORMAT, def->name,
              dir_compile(ir_context_arena(ctx), def->format, part_of_op,
                          (void *)(uintptr_t)def, &count, &what) != NULL,
              &what);
}

/* Attributes and types. */
static void check_param_formats(ir_context *ctx, const ir_dialect *d)
{
    for (uint32_t i = 0; i < d->attrs.count; i++) {
        const ir_attr_def *def = &d->attrs.at[i];
        const char *what = def->parse ? NULL : ir_compiled_attr_format(ctx, def)->wrong;
        judge(FORMAT, def->mnemonic, !what, &what);
    }
    for (uint32_t i = 0; i < d->types.count; i++) {
        const ir_type_def *def = &d->types.at[i];
        const char *what = def->parse ? NULL : ir_compiled_type_format(ctx, def)->wrong;
        judge(FORMAT, def->mnemonic, !what, &what);
    }
}

/* ---- rules */

static void check_rules(const ir_op_def *ops, int count,
                        chk_rules (*rules_of)(const ir_op_def *))
{
    for (int i = 0; i < count; i++) {
        chk_rules rules = rules_of(&ops[i]);
        const char *what;
        if (rules.count)
            judge(RULES, ops[i].name, chk_rule_is_sound(&ops[i], rules, &what), &what);
    }
}

static void check_param_rules(ir_context *ctx, const chk_param_rules *rows)
{
    for (; rows->mnemonic; rows++) {
        const ir_attr_def *attr = ir_attr_def_find(ctx, tw_str_from(rows->mnemonic));
        const ir_type_def *type = ir_type_def_find(ctx, tw_str_from(rows->mnemonic));
        const char *what = "no attribute or type has this name";
        const ir_param_def *params = attr ? attr->params.at : type ? type->params.at : NULL;
        const size_t n = attr ? attr->params.count : type ? type->params.count : 0;
        judge(RULES, rows->mnemonic,
              (attr || type) && chk_param_rule_is_sound(params, n, rows->rules, &what),
              &what);
    }
}

static void check_all_rules(ir_context *ctx)
{
    check_rules(ttir_ops, TTIR_OP_COUNT, ttir_rules);
    check_rules(ttnn_ops, TTNN_OP_COUNT, ttnn_rules);
    check_rules(ttnn_ops, TTNN_OP_COUNT, ttnn_result_rules);
    check_rules(d2m_ops, D2M_OP_COUNT, d2m_rules);
    check_rules(ttkernel_ops, TTKERNEL_OP_COUNT, ttkernel_rules);
    check_rules(ttcore_ops, TTCORE_OP_COUNT, ttcore_rules);
    check_rules(emitpy_ops, EMITPY_OP_COUNT, emitpy_rules);
    check_rules(stablehlo_ops, STABLEHLO_OP_COUNT, stablehlo_inference_rules);
    check_rules(stablehlo_ops, STABLEHLO_OP_COUNT, stablehlo_own_rules);
    check_rules(chlo_ops, CHLO_OP_COUNT, chlo_own_rules);
    check_rules(tosa_ops, TOSA_OP_COUNT, tosa_own_rules);
    check_param_rules(ctx, ttcore_param_rules);
    check_param_rules(ctx, ttnn_param_rules);
    check_param_rules(ctx, emitpy_param_rules);
}

/* ---- calls and formulas */

static void check_calls(const ttnn_language *language, const ttnn_call_row *rows)
{
    for (int i = 0; i < TTNN_OP_COUNT; i++) {
        const char *what;
        if (rows[i].args)
            judge(CALL, ttnn_ops[i].name,
                  ttnn_call_is_sound(language, &ttnn_ops[i], rows[i].args, &what), &what);
    }
}

static void check_formulas(ir_context *ctx)
{
    ir_op *module = ir_module_create(ctx, (ir_loc){0});
    ir_builder b = ir_builder_at_end(ctx, ir_op_body(module, 0), (ir_loc){0});
    ir_type scalar = ir_tensor_type(ir_float_type(ctx, IR_F32), NULL, 0, NULL);
    ir_value *x = ir_build1(&b, STABLEHLO_OP(iota), scalar, NULL, 0, NULL, 0);
    const hlo_formula *f;
    for (size_t i = 0; (f = hlo_formula_at(i)) != NULL; i++) {
        const char *what;
        judge(FORMULA, f->name, hlo_formula_is_sound(&b, f, x, &what), &what);
    }
    ir_op_erase(module);
}

/* The printer keeps attributes and operands of any operation in an array, passes those of
 * the dialects that conversions build (rule `rows` in capacities.tsv). */
static void check_size(const ir_op_def *def)
{
    enum { MAX_ATTRS = 32, MAX_LISTED = 64 };
    const bool built =
        strncmp(def->name, "ttnn.", 5) == 0 || strncmp(def->name, "d2m.", 4) == 0;
    const size_t limit = built ? MAX_ATTRS : MAX_LISTED;
    if (ir_def_n_props(def) <= limit &&
        def->attrs.count + def->operands.count <= MAX_LISTED)
        return;
    fprintf(stderr, "%s: a row has at most %zu attributes, and %d with its operands\n",
            def->name, limit, MAX_LISTED);
    wrong++;
}

int main(int argc, char **argv)
{
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    for (size_t d = 0; d < ir_context_dialect_count(ctx); d++) {
        const ir_dialect *dialect = ir_context_dialect_at(ctx, d);
        for (uint32_t i = 0; i < dialect->ops.count; i++) {
            check_predicates(ctx, &dialect->ops.at[i]);
            check_format(ctx, &dialect->ops.at[i]);
            check_size(&dialect->ops.at[i]);
        }
        check_param_formats(ctx, dialect);
    }
    check_all_rules(ctx);
    check_calls(&cpp_language, cpp_calls);
    check_calls(&py_language, py_calls);
    check_formulas(ctx);
    ir_context_destroy(ctx);
    FILE *out = argc > 1 && !wrong ? fopen(argv[1], "w") : NULL;
    for (int l = 0; out && l < LANGUAGES; l++) {
        fprintf(out, "%s %zu\n", language_names[l], counts[l]);
        wrong += counts[l] == 0;
    }
    return (out && fclose(out) != 0) || wrong;
}
