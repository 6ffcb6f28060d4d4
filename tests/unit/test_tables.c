/* test_tables.c: invariants of every row of every dialect. */
#include "ir/constraints.h"
#include "ir/op.h"
#include "ir/rules/rules.h"
#include "ir/text.h"
#include "ir/text/parser.h"
#include "pipelines/dialects.h"
#include "ttir/ttir.h"
#include "ttnn/ttnn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Tests count errors, so that one run shows all of them. */
static int wrong;

static void complain(const char *row, const char *what, const char *detail)
{
    fprintf(stderr, "%s: %s%s%s\n", row, what, detail ? ": " : "", detail ? detail : "");
    wrong++;
}

static int setup(void **state)
{
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    *state = ctx;
    wrong = 0;
    return 0;
}

static int teardown(void **state)
{
    ir_context_destroy(*state);
    return 0;
}

typedef void row_check(ir_context *ctx, const ir_op_def *def);

static void for_all_ops(ir_context *ctx, row_check *check)
{
    size_t n = 0;
    for (size_t d = 0; d < ir_context_dialect_count(ctx); d++) {
        const ir_dialect *dialect = ir_context_dialect_at(ctx, d);
        for (uint32_t i = 0; i < dialect->ops.count; i++, n++)
            check(ctx, &dialect->ops.at[i]);
    }
    assert_true(n > 1000);
    assert_int_equal(wrong, 0);
}

static void expect_prefix(const char *name, const char *dialect)
{
    size_t n = strlen(dialect);
    if (strncmp(name, dialect, n) != 0 || name[n] != '.' || !name[n + 1])
        complain(name, "does not begin with its dialect's name", dialect);
}

/* Operations stand in any order; attributes and types are searched by halving. */
static void names_are_found(void **state)
{
    ir_context *ctx = *state;
    for (size_t d = 0; d < ir_context_dialect_count(ctx); d++) {
        const ir_dialect *t = ir_context_dialect_at(ctx, d);
        for (uint32_t i = 0; i < t->ops.count; i++) {
            expect_prefix(t->ops.at[i].name, t->name);
            const ir_op_def *row = &t->ops.at[i];
            if (ir_dialect_find_op(t, tw_str_from(row->name)) != row)
                complain(row->name, "is not found: two rows have this name", NULL);
        }
        for (uint32_t i = 0; i < t->attrs.count; i++) {
            const ir_attr_def *row = &t->attrs.at[i];
            expect_prefix(row->mnemonic, t->name);
            if (i && strcmp(row[-1].mnemonic, row->mnemonic) >= 0)
                complain(row->mnemonic, "is not behind the row before it", NULL);
            if (ir_attr_def_find(ctx, tw_str_from(row->mnemonic)) != row)
                complain(row->mnemonic, "is not found", NULL);
        }
        for (uint32_t i = 0; i < t->types.count; i++) {
            const ir_type_def *row = &t->types.at[i];
            expect_prefix(row->mnemonic, t->name);
            if (i && strcmp(row[-1].mnemonic, row->mnemonic) >= 0)
                complain(row->mnemonic, "is not behind the row before it", NULL);
            if (ir_type_def_find(ctx, tw_str_from(row->mnemonic)) != row)
                complain(row->mnemonic, "is not found", NULL);
        }
    }
    assert_int_equal(wrong, 0);
}

/* Each operation of ttnn and ttir is followed by one line that says what is done with it.
 */
static void rows_say_their_uses(void **state)
{
    int ttnn[TTNN_OP_COUNT] = {0}, ttir[TTIR_OP_COUNT] = {0};
    (void)state;
#define TTIR_ELEMENTWISE(id, ...) ttir[TTIR_##id]++;
#define TTNN_ELEMENTWISE(id, ...) ttnn[TTNN_##id]++;
#include "ttnn/elementwise.def"
#define TTNN_USES(id, ...) ttnn[TTNN_##id]++;
#include "ttnn/ttnn.def"
#define TTIR_BECOMES(id, ...) ttir[TTIR_##id]++;
#include "ttir/ttir.def"
    for (int i = 0; i < TTNN_OP_COUNT; i++)
        if (ttnn[i] != 1)
            complain(ttnn_ops[i].name, "has not one TTNN_USES in src/ttnn/ttnn.def", NULL);
    for (int i = 0; i < TTIR_OP_COUNT; i++)
        if (ttir[i] != 1)
            complain(ttir_ops[i].name, "has not one TTIR_BECOMES in src/ttir/ttir.def",
                     NULL);
    assert_int_equal(wrong, 0);
}

static void row_is_found(ir_context *ctx, const ir_op_def *def)
{
    if (ir_context_op_def(ctx, tw_str_from(def->name)) != def)
        complain(def->name, "is not found by its name", NULL);
    for (size_t i = 0; i < ir_def_n_props(def); i++) {
        const char *name = ir_def_prop_name(def, i);
        if (ir_def_prop_index(def, tw_str_from(name)) != i)
            complain(def->name, "attribute is not found by its name", name);
    }
    for (uint32_t i = 0; i < def->operands.count; i++)
        if (def->operands.at[i].name[0] &&
            ir_op_operand_index(def, def->operands.at[i].name) != i)
            complain(def->name, "operand is not found by its name",
                     def->operands.at[i].name);
}

static void rows_are_found(void **state)
{
    for_all_ops(*state, row_is_found);
    assert_null(ir_context_op_def(*state, tw_str_from("ttir.no_such")));
    assert_null(ir_context_op_def(*state, tw_str_from("ttir")));
    assert_null(ir_context_op_def(*state, tw_str_from("")));
}

/* The names that a format may write with a dollar sign. */
static size_t names_of(const ir_op_def *def, const char **out, size_t max)
{
    size_t n = 0;
    for (uint32_t i = 0; i < def->operands.count && n < max; i++)
        out[n++] = def->operands.at[i].name;
    for (uint32_t i = 0; i < def->attrs.count && n < max; i++)
        out[n++] = def->attrs.at[i].name;
    for (uint32_t i = 0; i < def->results.count && n < max; i++)
        out[n++] = def->results.at[i].name;
    for (uint32_t i = 0; i < def->regions.count && n < max; i++)
        out[n++] = def->regions.at[i].name;
    for (uint32_t i = 0; i < def->successors.count && n < max; i++)
        out[n++] = def->successors.at[i].name;
    return n;
}

enum { MANY_NAMES = 128 };

static void names_are_unique(ir_context *ctx, const ir_op_def *def)
{
    (void)ctx;
    const char *names[MANY_NAMES];
    size_t n = names_of(def, names, MANY_NAMES);
    assert_true(n < MANY_NAMES);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (names[i][0] && strcmp(names[i], names[k]) == 0)
                complain(def->name, "has two parts of one name", names[i]);
}

static void rows_have_unique_names(void **state)
{
    for_all_ops(*state, names_are_unique);
}

/* Two groups of unknown size require segment sizes or equal sizes. */
static void groups_are_told_apart(ir_context *ctx, const ir_op_def *def)
{
    (void)ctx;
    size_t loose = 0;
    for (uint32_t i = 0; i < def->operands.count; i++)
        loose += def->operands.at[i].arity != IR_ONE;
    if (loose > 1 && !(def->traits & (IR_OPERAND_SEGMENTS | IR_SAME_VARIADIC_OPERANDS)))
        complain(def->name, "has operand groups without segment sizes", NULL);
    loose = 0;
    for (uint32_t i = 0; i < def->results.count; i++)
        loose += def->results.at[i].arity != IR_ONE;
    if (loose > 1 && !(def->traits & (IR_RESULT_SEGMENTS | IR_SAME_VARIADIC_RESULTS)))
        complain(def->name, "has result groups without segment sizes", NULL);
    if (def->traits & IR_RETURN_LIKE && !(def->traits & IR_TERMINATOR))
        complain(def->name, "is ReturnLike but no terminator", NULL);
    for (uint32_t i = 0; i < def->operands.count; i++)
        if (!def->operands.at[i].type)
            complain(def->name, "operand without constraint", def->operands.at[i].name);
    for (uint32_t i = 0; i < def->results.count; i++)
        if (!def->results.at[i].type)
            complain(def->name, "result without constraint", def->results.at[i].name);
}

static void rows_are_complete(void **state)
{
    for_all_ops(*state, groups_are_told_apart);
}

/* Defaults are texts of attributes that their own constraint accepts. */
static void defaults_fit(ir_context *ctx, const ir_op_def *def)
{
    for (uint32_t i = 0; i < def->attrs.count; i++) {
        const ir_attr_use *use = &def->attrs.at[i];
        if (!use->type)
            complain(def->name, "attribute without constraint", use->name);
        if (!use->deflt || !use->deflt[0])
            continue;
        ir_attr attr = ir_default_attr(ctx, use);
        if (!attr)
            complain(def->name, "default does not parse", use->deflt);
        else if (use->type && !ir_attr_satisfies(attr, use->type))
            complain(def->name, "default does not satisfy its constraint", use->deflt);
        if (attr && ir_default_attr(ctx, use) != attr)
            complain(def->name, "default is not kept", use->deflt);
    }
}

static void defaults_parse(void **state)
{
    for_all_ops(*state, defaults_fit);
}

static void check_enum(const ir_enum_def *e)
{
    for (uint32_t k = 0; e && k < e->cases.count; k++) {
        const ir_enum_case *one = &e->cases.at[k];
        if (ir_enum_by_text(e, tw_str_from(one->text)) != one)
            complain(e->name, "has two cases of one text", one->text);
        if (ir_enum_by_value(e, one->value) != one)
            complain(e->name, "has two cases of one value", one->text);
    }
}

static void enums_are_unambiguous(void **state)
{
    ir_context *ctx = *state;
    size_t n = 0;
    for (size_t d = 0; d < ir_context_dialect_count(ctx); d++) {
        const ir_dialect *dialect = ir_context_dialect_at(ctx, d);
        for (uint32_t i = 0; i < dialect->attrs.count; i++)
            check_enum(dialect->attrs.at[i].enumeration);
        for (uint32_t i = 0; i < dialect->enums.count; i++, n++)
            check_enum(dialect->enums.at[i]);
    }
    assert_true(n > 50);
    assert_int_equal(wrong, 0);
}

static void trait_names_are_unique(void **state)
{
    (void)state;
    assert_true(IR_TRAIT_COUNT <= 64);
    for (int i = 0; i < IR_TRAIT_COUNT; i++)
        if (ir_trait_name(i)[0])
            assert_int_equal(ir_trait_bit(tw_str_from(ir_trait_name(i))), i);
    assert_int_equal(ir_trait_bit(tw_str_from("NoSuchTrait")), -1);
}

/* Predicates evaluated on some types and attributes. */
static void predicates_decide(void **state)
{
    static const struct {
        const char *pred, *text;
        bool type, fits;
    } cases[] = {
        {"RankedTensorType and elem(f32)", "tensor<2xf32>", true, true},
        {"RankedTensorType and elem(f32)", "tensor<2xf16>", true, false},
        {"RankedTensorType and elem(f32)", "tensor<*xf32>", true, false},
        {"i1 or ui8 or index", "ui8", true, true},
        {"i1 or ui8 or index", "i8", true, false},
        {"signless_int", "i17", true, true},
        {"signless_int", "si17", true, false},
        {"not FloatType", "f8E4M3FN", true, false},
        {"rank == 2", "memref<2x3xi8>", true, true},
        {"rank == 2", "tensor<2xi8>", true, false},
        {"BFloat16Type", "bf16", true, true},
        {"Float32Type", "bf16", true, false},
        {"shape == {2, 3}", "tensor<2x3xi8>", true, true},
        {"shape == {2, 3}", "tensor<2x3x1xi8>", true, false},
        {"shape == {}", "tensor<i8>", true, true},
        {"static_shape", "tensor<2x?xi8>", true, false},
        {"tuple_elems(IntegerType)", "tuple<i1, si4>", true, true},
        {"tuple_elems(IntegerType)", "tuple<i1, f32>", true, false},
        {"tuple_elems(IntegerType)", "i1", true, false},
        {"TileType", "!ttcore.tile<32x32, f32>", true, true},
        {"TileType", "i1", true, false},
        {"IntegerAttr and value_type(i32)", "4 : i32", false, true},
        {"IntegerAttr and value_type(i32)", "4 : i64", false, false},
        {"ArrayAttr and all(StringAttr)", "[\"a\", \"b\"]", false, true},
        {"ArrayAttr and all(StringAttr)", "[\"a\", 1]", false, false},
        {"BoolAttr", "true", false, true},
        {"BoolAttr", "1 : i8", false, false},
        {"FlatSymbolRefAttr", "@a::@b", false, false},
        {"DenseI64ArrayAttr", "array<i64>", false, true},
        {"DenseI64ArrayAttr", "array<i32: 1>", false, false},
        {"type_value(FunctionType)", "() -> i32", false, true},
        {"type_value(FunctionType)", "i32", false, false},
    };
    ir_context *ctx = *state;
    /* The outcome is cached per row: each case is a row of its own, evaluated twice. */
    static ir_constraint rows[TW_COUNT(cases)];
    for (size_t i = 0; i < TW_COUNT(cases); i++) {
        tw_str text = tw_str_from(cases[i].text);
        rows[i] = (ir_constraint){.name = "case", .pred = cases[i].pred};
        for (int k = 0; k < 2; k++) {
            bool fits = cases[i].type
                            ? ir_type_satisfies(ir_parse_type(ctx, text), &rows[i])
                            : ir_attr_satisfies(ir_parse_attr(ctx, text), &rows[i]);
            if (fits != cases[i].fits)
                complain(cases[i].text, fits ? "satisfies" : "does not satisfy",
                         cases[i].pred);
        }
    }
    assert_int_equal(wrong, 0);
}

/* The check that the build makes of every predicate (tests/check_rows.c) finds mistakes. */
static void predicates_with_mistakes(void **state)
{
    static const char *const bad[] = {
        "rnak == 2",     "rank == ",          "elem(f32",      "elem(f33)",
        "f32 or or f16", "NoSuchType",        "trait()",       "RankedTensorType f32",
        "value_type",    "memory_space(x) y", "(f32 or index",
    };
    const char *what;
    for (size_t i = 0; i < TW_COUNT(bad); i++)
        if (chk_predicate_is_sound(*state, bad[i], &what))
            complain(bad[i], "is taken for a predicate", NULL);
    assert_true(chk_predicate_is_sound(*state, "not (f32 or rank in {2, 3})", &what));
    assert_int_equal(wrong, 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(names_are_found),          T(rows_are_found),        T(rows_have_unique_names),
        T(rows_are_complete),        T(defaults_parse),        T(predicates_decide),
        T(predicates_with_mistakes), T(enums_are_unambiguous), T(trait_names_are_unique),
        T(rows_say_their_uses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
