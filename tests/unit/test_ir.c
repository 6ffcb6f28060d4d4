/* test_ir.c: the IR in memory: interning, big integers, affine expressions, operations. */
#include "ir/number.h"
#include "ir/op.h"
#include "ir/text.h"
#include "mlir/arith/arith.h"
#include "mlir/func/func.h"
#include "pipelines/dialects.h"
#include "ttir/ttir.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static int setup(void **state)
{
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    *state = ctx;
    return 0;
}

static int teardown(void **state)
{
    ir_context_destroy(*state);
    return 0;
}

static ir_type type_of(ir_context *ctx, const char *text)
{
    ir_type type = ir_parse_type(ctx, tw_str_from(text));
    assert_non_null(type);
    return type;
}

static ir_op *read_module(ir_context *ctx, const char *text)
{
    ir_op *module = ir_parse(ctx, tw_str_from(text), "test", NULL);
    assert_non_null(module);
    return module;
}

static ir_op *function(ir_op *module, const char *name)
{
    ir_op *op = ir_symbol_lookup(module, tw_str_from(name));
    assert_non_null(op);
    return op;
}

/* ---- interning ---------------------------------------------------------------------- */

static void equal_things_are_one(void **state)
{
    ir_context *ctx = *state;
    int64_t dims[] = {2, IR_DYNAMIC};
    ir_type f32 = ir_float_type(ctx, IR_F32);
    assert_ptr_equal(ir_tensor_type(f32, dims, 2, NULL), type_of(ctx, "tensor<2x?xf32>"));
    assert_ptr_not_equal(ir_tensor_type(f32, dims, 1, NULL),
                         type_of(ctx, "tensor<2x?xf32>"));
    assert_ptr_equal(ir_ident_from(ctx, "a"), ir_ident_get(ctx, (tw_str){"ab", 1}));
    assert_ptr_equal(ir_i64_attr(ctx, 7), ir_parse_attr(ctx, tw_str_from("7")));
    assert_ptr_not_equal(ir_i64_attr(ctx, 7), ir_i32_attr(ctx, 7));
    assert_ptr_equal(ir_type_with_element(type_of(ctx, "tensor<2x?xi8>"), f32),
                     type_of(ctx, "tensor<2x?xf32>"));
    ir_attr distinct = ir_distinct_attr(ctx, ir_unit_attr(ctx));
    assert_ptr_not_equal(distinct, ir_distinct_attr(ctx, ir_unit_attr(ctx)));
}

static void shapes_count(void **state)
{
    ir_context *ctx = *state;
    assert_int_equal(ir_type_num_elements(type_of(ctx, "tensor<f32>")), 1);
    assert_int_equal(ir_type_num_elements(type_of(ctx, "tensor<3x0x5xf32>")), 0);
    assert_int_equal(ir_type_num_elements(type_of(ctx, "tensor<3x?xf32>")), -1);
    assert_int_equal(
        ir_type_num_elements(type_of(ctx, "tensor<4294967296x4294967296xf32>")), -1);
    assert_true(ir_type_has_static_shape(type_of(ctx, "vector<2xf32>")));
    assert_false(ir_type_has_static_shape(type_of(ctx, "tensor<*xf32>")));
}

static void dictionaries_are_sorted(void **state)
{
    ir_context *ctx = *state;
    ir_named_attr entries[] = {{ir_ident_from(ctx, "b"), ir_i64_attr(ctx, 1)},
                               {ir_ident_from(ctx, "a"), ir_i64_attr(ctx, 2)},
                               {ir_ident_from(ctx, "b"), ir_i64_attr(ctx, 3)}};
    ir_attr dict = ir_dict_attr(ctx, entries, 3);
    assert_ptr_equal(dict, ir_parse_attr(ctx, tw_str_from("{a = 2 : i64, b = 3 : i64}")));
    assert_int_equal(ir_attr_int(ir_dict_get(dict, tw_str_from("b")), 0), 3);
    assert_null(ir_dict_get(dict, tw_str_from("c")));
    dict = ir_dict_set(ctx, dict, entries[0].name, NULL);
    assert_ptr_equal(dict, ir_parse_attr(ctx, tw_str_from("{a = 2 : i64}")));
    assert_ptr_equal(ir_dict_set(ctx, NULL, entries[1].name, entries[1].value), dict);
}

/* ---- numbers ------------------------------------------------------------------------ */

static void integers_fit_their_type(void **state)
{
    ir_context *ctx = *state;
    assert_int_equal(ir_integer_attr(type_of(ctx, "i8"), 255)->value, -1);
    assert_int_equal(ir_integer_attr(type_of(ctx, "ui8"), 257)->value, 1);
    assert_int_equal(ir_integer_attr(type_of(ctx, "si4"), 9)->value, -7);
    assert_int_equal(ir_integer_attr(type_of(ctx, "i64"), INT64_MIN)->value, INT64_MIN);
}

static void floats_round_to_even(void **state)
{
    ir_context *ctx = *state;
    static const struct {
        const char *type;
        double value, rounded;
    } cases[] = {
        {"bf16", 1.00390625, 1.0},
        {"bf16", 1.01171875, 1.015625},
        {"f16", 1.00048828125, 1.0},
        {"f16", 65519.0, 65504.0},
        {"f16", 65520.0, INFINITY},
        {"f16", 0x1p-25, 0.0},
        {"f16", 0x1.8p-24, 0x1p-23},
        {"f8E4M3FN", 448.0, 448.0},
        {"f8E4M3FN", 1.0625, 1.0},
        {"f8E5M2", 1.125, 1.0},
        {"f32", 1.00000005960464477, 1.0},
        {"tf32", 1.00048828125, 1.0},
        {"f4E2M1FN", 2.5, 2.0},
        {"f64", 0.1, 0.1},
    };
    for (size_t i = 0; i < TW_COUNT(cases); i++) {
        ir_attr attr = ir_float_attr(type_of(ctx, cases[i].type), cases[i].value);
        if (attr->real != cases[i].rounded)
            fail_msg("%s of %.17g is %.17g", cases[i].type, cases[i].value, attr->real);
        assert_ptr_equal(ir_float_attr_bits(attr->type, attr->bits), attr);
    }
}

static void equal_elements_become_one(void **state)
{
    ir_context *ctx = *state;
    ir_type type = type_of(ctx, "tensor<2x2xi32>");
    int32_t same[] = {5, 5, 5, 5}, mixed[] = {5, 5, 5, -6};
    ir_attr splat = ir_dense_attr(type, same, sizeof same);
    assert_ptr_equal(splat, ir_dense_splat_int(type, 5));
    assert_int_equal(ir_dense_int(splat, 3), 5);
    ir_attr dense = ir_dense_attr(type, mixed, sizeof mixed);
    assert_int_equal(ir_dense_int(dense, 3), -6);
    assert_ptr_equal(ir_dense_element(dense, 3), ir_i32_attr(ctx, -6));
    ir_attr flat = ir_dense_reshape(dense, type_of(ctx, "tensor<4xi32>"));
    assert_ptr_equal(flat,
                     ir_dense_attr(type_of(ctx, "tensor<4xi32>"), mixed, sizeof mixed));
    int64_t read[4];
    assert_int_equal(ir_attr_ints(flat, read, 4), 4);
    assert_int_equal(read[3], -6);
    assert_int_equal(ir_attr_ints(splat, read, 2), 4);
    assert_int_equal(ir_attr_ints(ir_unit_attr(ctx), read, 4), -1);
}

/* ---- affine expressions ------------------------------------------------------------- */

static void affine_expressions_simplify(void **state)
{
    ir_context *ctx = *state;
    ir_affine d0 = ir_affine_dim(ctx, 0), two = ir_affine_constant(ctx, 2),
              zero = ir_affine_constant(ctx, 0), one = ir_affine_constant(ctx, 1);
    assert_ptr_equal(ir_affine_binary(ctx, IR_AFFINE_ADD, d0, zero), d0);
    assert_ptr_equal(ir_affine_binary(ctx, IR_AFFINE_MUL, d0, zero), zero);
    assert_ptr_equal(ir_affine_binary(ctx, IR_AFFINE_FLOORDIV, d0, one), d0);
    assert_ptr_equal(ir_affine_binary(ctx, IR_AFFINE_ADD, two, d0),
                     ir_affine_binary(ctx, IR_AFFINE_ADD, d0, two));
    int64_t at[] = {-7}, value;
    ir_affine half = ir_affine_binary(ctx, IR_AFFINE_FLOORDIV, d0, two);
    assert_true(ir_affine_eval(half, at, NULL, &value));
    assert_int_equal(value, -4);
    assert_true(ir_affine_eval(ir_affine_binary(ctx, IR_AFFINE_CEILDIV, d0, two), at, NULL,
                               &value));
    assert_int_equal(value, -3);
    assert_true(
        ir_affine_eval(ir_affine_binary(ctx, IR_AFFINE_MOD, d0, two), at, NULL, &value));
    assert_int_equal(value, 1);
    at[0] = INT64_MAX;
    assert_false(
        ir_affine_eval(ir_affine_binary(ctx, IR_AFFINE_MUL, d0, two), at, NULL, &value));
    assert_true(ir_affine_map_is_identity(ir_affine_identity(ctx, 3)));
    int64_t swap[] = {1, 0};
    assert_true(ir_affine_map_is_permutation(ir_affine_permutation(ctx, swap, 2)));
    assert_false(ir_affine_map_is_identity(ir_affine_permutation(ctx, swap, 2)));
}

/* ---- operations --------------------------------------------------------------------- */

static const char program[] =
    "func.func @f(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %0 = \"ttir.add\"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
    "  %1 = \"ttir.multiply\"(%0, %0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
    "  return %1 : tensor<2xf32>\n"
    "}\n";

static size_t uses(const ir_value *value)
{
    size_t n = 0;
    for (const ir_operand *use = value->uses; use; use = use->next_use, n++)
        assert_ptr_equal(use->value, value);
    return n;
}

static void uses_follow_operands(void **state)
{
    ir_context *ctx = *state;
    ir_op *module = read_module(ctx, program);
    ir_block *body = ir_op_body(function(module, "f"), 0);
    ir_op *add = body->first, *mul = add->next;
    assert_true(ir_op_is(add, TTIR_OP(add)) && ir_op_is(mul, TTIR_OP(multiply)));
    assert_int_equal(uses(ir_op_result(add, 0)), 2);
    ir_op_set_operand(mul, 1, body->args[0]);
    assert_int_equal(uses(ir_op_result(add, 0)), 1);
    assert_int_equal(uses(body->args[0]), 2);
    ir_value_replace_uses(ir_op_result(add, 0), body->args[1]);
    assert_true(ir_op_is_unused(add));
    assert_int_equal(uses(body->args[1]), 2);
    ir_op_erase(add);
    assert_ptr_equal(body->first, mul);
    assert_null(mul->prev);
    assert_int_equal(uses(body->args[1]), 1);
    assert_true(ir_verify(module));
    ir_op_erase(module);
}

static void order_survives_moves(void **state)
{
    ir_context *ctx = *state;
    ir_op *module = read_module(ctx, program);
    ir_block *body = ir_op_body(function(module, "f"), 0);
    ir_op *add = body->first, *mul = add->next, *ret = body->last;
    assert_true(ir_op_before(add, ret));
    assert_true(ir_op_before(mul, ret));
    assert_false(ir_op_before(ret, add));
    ir_op_remove(add);
    ir_op_insert_after(add, mul);
    assert_true(ir_op_before(mul, add));
    assert_false(ir_verify(module)); /* %0 is used before it is defined */
    ir_op_remove(add);
    ir_op_insert_before(add, mul);
    assert_true(ir_op_before(add, mul));
    assert_true(ir_verify(module));
    ir_op_erase(module);
}

static tw_strbuf printed(ir_op *op)
{
    tw_strbuf text = {0};
    ir_print_op(op, NULL, &text);
    return text;
}

static void clones_stand_alone(void **state)
{
    ir_context *ctx = *state;
    ir_op *module = read_module(ctx, program);
    tw_strbuf before = printed(module);
    ir_mapping *map = ir_mapping_create();
    ir_op *copy = ir_op_clone(module, map);
    ir_block *body = ir_op_body(function(module, "f"), 0);
    assert_ptr_equal(ir_mapping_get(map, body->args[0]),
                     ir_op_body(function(copy, "f"), 0)->args[0]);
    ir_mapping_free(map);
    ir_op_erase(module);
    assert_true(ir_verify(copy));
    tw_strbuf after = printed(copy);
    assert_string_equal(tw_strbuf_text(&before), tw_strbuf_text(&after));
    tw_strbuf_free(&before);
    tw_strbuf_free(&after);
    ir_op_erase(copy);
}

/* Optional operand groups appear and vanish with their segment sizes. */
static void groups_keep_their_sizes(void **state)
{
    ir_context *ctx = *state;
    ir_op *module = read_module(
        ctx, "func.func @f(%a: tensor<2x4xf32>, %w: tensor<4xf32>) -> tensor<2x4xf32> {\n"
             "  %0 = \"ttir.rms_norm\"(%a, %w) <{normalized_shape = array<i64: 4>, "
             "operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<2x4xf32>, "
             "tensor<4xf32>) -> tensor<2x4xf32>\n"
             "  return %0 : tensor<2x4xf32>\n"
             "}\n");
    ir_block *body = ir_op_body(function(module, "f"), 0);
    ir_op *norm = body->first;
    size_t start, count, weight = ir_op_operand_index(norm->def, "weight"),
                         bias = ir_op_operand_index(norm->def, "bias");
    assert_ptr_equal(ir_op_operand_named(norm, "weight"), body->args[1]);
    assert_null(ir_op_operand_named(norm, "bias"));
    ir_op_set_operand_group(norm, bias, &body->args[1], 1);
    assert_true(ir_op_operand_group(norm, bias, &start, &count));
    assert_int_equal(start, 2);
    assert_int_equal(count, 1);
    ir_op_set_operand_group(norm, weight, NULL, 0);
    assert_int_equal(norm->n_operands, 2);
    assert_true(ir_op_operand_group(norm, bias, &start, &count));
    assert_int_equal(start, 1);
    assert_ptr_equal(ir_op_operand_named(norm, "bias"), body->args[1]);
    assert_int_equal(uses(body->args[1]), 1);
    ir_op_set_attr(norm, "operandSegmentSizes",
                   ir_dense_i32_array(ctx, (int64_t[]){1, 1, 1}, 3));
    assert_false(ir_op_operand_group(norm, bias, &start, &count));
    ir_op_erase(module);
}

static void attributes_go_where_they_belong(void **state)
{
    ir_context *ctx = *state;
    ir_op *module = read_module(ctx, "%0 = arith.constant 3 : i32\n");
    ir_op *op = ir_op_body(module, 0)->first;
    assert_true(ir_op_is(op, ARITH_OP(constant)));
    assert_null(op->attrs);
    ir_op_set_attr(op, "value", ir_i32_attr(ctx, 4));
    ir_op_set_attr(op, "mine", ir_unit_attr(ctx));
    assert_int_equal(op->attrs->count, 1);
    assert_int_equal(ir_op_int(op, "value", 0), 4);
    assert_true(ir_op_bool(op, "mine"));
    ir_op_set_attr(op, "mine", NULL);
    assert_false(ir_op_bool(op, "mine"));
    assert_int_equal(ir_op_int(op, "absent", 9), 9);
    ir_op_erase(module);
}

static ir_walk count_op(ir_op *op, void *user)
{
    ++*(int *)user;
    return ir_op_is(op, FUNC_OP(func)) && ir_symbol_name(op).size == 1 ? IR_WALK_SKIP
                                                                       : IR_WALK_ON;
}

static ir_walk erase_unused(ir_op *op, void *user)
{
    if (op->n_results && ir_op_is_unused(op)) {
        ir_op_erase(op);
        ++*(int *)user;
    }
    return IR_WALK_ON;
}

static void walks_skip_and_erase(void **state)
{
    ir_context *ctx = *state;
    ir_op *module = read_module(ctx, "func.func @f() {\n  return\n}\n"
                                     "func.func @gg() {\n"
                                     "  %0 = arith.constant 1 : i32\n"
                                     "  %1 = arith.constant 2 : i32\n"
                                     "  %2 = arith.addi %0, %0 : i32\n"
                                     "  return\n}\n");
    int n = 0;
    ir_walk_pre(module, count_op, &n);
    assert_int_equal(n, 7); /* the module, @f unvisited inside, @gg with its four */
    n = 0;
    ir_walk_post(module, erase_unused, &n);
    assert_int_equal(n, 2);
    ir_op *call = function(module, "gg");
    assert_ptr_equal(ir_symbol_resolve(call, ir_symbol_ref(ctx, tw_str_from("f"))),
                     function(module, "f"));
    assert_null(ir_symbol_resolve(call, ir_symbol_ref(ctx, tw_str_from("h"))));
    assert_true(ir_op_is_ancestor(module, call) && !ir_op_is_ancestor(call, module));
    ir_op_erase(module);
}

/* ---- locations ---------------------------------------------------------------------- */

static void locations_are_found(void **state)
{
    ir_context *ctx = *state;
    ir_ident file = ir_ident_from(ctx, "f.py");
    ir_loc near = ir_loc_file(ctx, file, 12, 34),
           far = ir_loc_file(ctx, file, 4000000000u, 9);
    ir_ident found;
    uint32_t line, column;
    assert_true(ir_loc_position(ctx, ir_loc_name(ctx, file, near), &found, &line, &column));
    assert_ptr_equal(found, file);
    assert_int_equal(line, 12);
    assert_int_equal(column, 34);
    assert_true(ir_loc_position(ctx, far, &found, &line, &column));
    assert_int_equal(line, 4000000000u);
    assert_false(ir_loc_position(ctx, IR_LOC_UNKNOWN, &found, &line, &column));
    assert_true(ir_loc_equal(ir_loc_from_attr(ir_loc_attr(ctx, near)), near));
    ir_loc both[] = {near, IR_LOC_UNKNOWN, near};
    assert_true(ir_loc_equal(ir_loc_fused(ctx, both, 3), near));
}

/* ---- diagnostics -------------------------------------------------------------------- */

/* A sink that emits two diagnostics for each diagnostic. */
static void complain(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    ++*(int *)user;
    for (int i = 0; i < 2; i++) {
        ir_error(ctx, d->loc, "because of: %s", d->text);
        ir_note(ctx, d->loc, "again");
        ir_flush_diagnostics(ctx);
    }
}

static void sinks_do_not_hear_themselves(void **state)
{
    ir_context *ctx = *state;
    int heard = 0;
    size_t before = ir_context_error_count(ctx);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){complain, &heard});
    ir_error(ctx, IR_LOC_UNKNOWN, "first");
    ir_warning(ctx, IR_LOC_UNKNOWN, "second");
    ir_context_set_sink(ctx, (ir_diagnostic_sink){0});
    assert_int_equal(heard, 2);
    assert_int_equal(ir_context_error_count(ctx) - before, 1 + 2 * 2);
}

/* ---- verification that remembers ---------------------------------------------------- */

static void ignore(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    (void)user;
    (void)ctx;
    (void)d;
}

/* What was valid once is checked again as soon as anything of it is different. */
static void changed_operations_are_checked_again(void **state)
{
    ir_context *ctx = *state;
    ir_op *module = read_module(
        ctx, "func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<5x3xf32>)"
             " -> tensor<4x3xf32> {\n"
             "  %0 = \"ttir.concat\"(%a, %b) <{dim = 0 : si32}>"
             " : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>\n"
             "  return %0 : tensor<4x3xf32>\n}\n");
    ir_block *body = function(module, "f")->regions[0].first;
    ir_op *concat = body->first;
    ir_value *second = concat->operands[1].value, *third = body->args[2];
    ir_attr dim = ir_op_attr(concat, "dim");
    ir_context_set_sink(ctx, (ir_diagnostic_sink){ignore, NULL});
    for (int again = 0; again < 2; again++) {
        assert_true(ir_verify(module));
        ir_op_set_attr(concat, "dim", ir_integer_attr(dim->type, 7));
        assert_false(ir_verify(module));
        ir_op_set_attr(concat, "dim", dim);
        assert_true(ir_verify(module));
        ir_op_set_operand(concat, 1, third);
        assert_false(ir_verify(module));
        ir_op_set_operand(concat, 1, second);
    }
    assert_true(ir_verify(module));
    ir_op_erase(module);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(equal_things_are_one),         T(shapes_count),
        T(dictionaries_are_sorted),      T(integers_fit_their_type),
        T(floats_round_to_even),         T(equal_elements_become_one),
        T(uses_follow_operands),         T(order_survives_moves),
        T(clones_stand_alone),           T(groups_keep_their_sizes),
        T(walks_skip_and_erase),         T(attributes_go_where_they_belong),
        T(locations_are_found),          T(affine_expressions_simplify),
        T(sinks_do_not_hear_themselves), T(changed_operations_are_checked_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
