/* legalize_deprecated_ops.c: replaces deprecated operations. */
#include "ir/pass/pass.h"
#include "stablehlo/build.h"
#include "stablehlo/stablehlo.h"

enum { CAPACITY = 32 };

/* Maps the operand's dimensions to the trailing ones. */
static ir_value *broadcast(ir_op *op, ir_builder *b)
{
    int64_t at[CAPACITY];
    ir_type t = op->results[0].type, from = op->operands[0].value->type;
    if (!ir_type_is_tensor(t) || t->count > CAPACITY || from->count > t->count)
        return NULL;
    for (uint32_t i = 0; i < from->count; i++)
        at[i] = t->count - from->count + i;
    return ir_build1(
        b, STABLEHLO_OP(broadcast_in_dim), t, IR_VALUES(op->operands[0].value),
        IR_ATTRS({"broadcast_dimensions", ir_dense_i64_array(b->ctx, at, from->count)}));
}

static ir_value *create_token(ir_op *op, ir_builder *b)
{
    return ir_build1(b, STABLEHLO_OP(after_all), op->results[0].type, NULL, 0, NULL, 0);
}

static ir_value *dot(ir_op *op, ir_builder *b)
{
    ir_type lhs = op->operands[0].value->type;
    if (!ir_type_is_tensor(lhs) || lhs->count == 0)
        return NULL;
    ir_attr none = ir_array_attr(b->ctx, NULL, 0);
    ir_attr left = ir_raw_int(b->ctx, lhs->count - 1), right = ir_raw_int(b->ctx, 0);
    ir_attr params[] = {none, none, ir_array_attr(b->ctx, &left, 1),
                        ir_array_attr(b->ctx, &right, 1)};
    return ir_build1(b, STABLEHLO_OP(dot_general), op->results[0].type,
                     IR_VALUES(op->operands[0].value, op->operands[1].value),
                     IR_ATTRS({"dot_dimension_numbers",
                               ir_dialect_attr(b->ctx, STABLEHLO_ATTR(dot), params, 4)},
                              {"precision_config", ir_op_attr(op, "precision_config")}));
}

/* "ab->a" is ",ab->a" with a scalar one as left operand. */
static ir_value *unary_einsum(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value;
    ir_attr equation = ir_op_attr(op, "einsum_config");
    ir_type element = ir_type_element(x->type);
    if (!ir_attr_is(equation, IR_ATTR_STRING) ||
        (element->kind != IR_TYPE_FLOAT && element->kind != IR_TYPE_INTEGER &&
         element->kind != IR_TYPE_COMPLEX))
        return NULL;
    tw_strbuf text = {0};
    tw_strbuf_putc(&text, ',');
    tw_strbuf_str(&text, ir_attr_str(equation));
    ir_attr both = ir_string_attr(b->ctx, tw_str_from(tw_strbuf_text(&text)));
    tw_strbuf_free(&text);
    ir_value *one = hlo_constant(b, ir_dense_splat(hlo_scalar_type(element), 1));
    return ir_build1(b, STABLEHLO_OP(einsum), op->results[0].type, IR_VALUES(one, x),
                     IR_ATTRS({"einsum_config", both}));
}

static ir_value *cross_replica_sum(ir_op *op, ir_builder *b)
{
    ir_type t = op->results[0].type;
    ir_type scalars[2] = {hlo_scalar_type(ir_type_element(t)),
                          hlo_scalar_type(ir_type_element(t))};
    ir_op *reduce =
        ir_build_op(b, STABLEHLO_OP(all_reduce), &t, 1, IR_VALUES(op->operands[0].value),
                    IR_ATTRS({"replica_groups", ir_op_attr(op, "replica_groups")}), 1);
    ir_block *body = hlo_add_block(reduce, 0, scalars, 2);
    ir_builder inner = ir_builder_at_end(b->ctx, body, b->loc);
    ir_value *sum = ir_build1(&inner, STABLEHLO_OP(add), scalars[0],
                              IR_VALUES(body->args[0], body->args[1]), NULL, 0);
    hlo_return(&inner, &sum, 1);
    return ir_op_result(reduce, 0);
}

static const struct {
    const char *name;
    ir_value *(*replace)(ir_op *op, ir_builder *b);
} rows[] = {
    {"stablehlo.broadcast", broadcast},
    {"stablehlo.create_token", create_token},
    {"stablehlo.cross-replica-sum", cross_replica_sum},
    {"stablehlo.dot", dot},
    {"stablehlo.unary_einsum", unary_einsum},
};

typedef struct walk {
    bool ok, refuses_unused;
} walk;

static ir_walk visit(ir_op *op, void *user)
{
    walk *w = user;
    bool refused =
        w->refuses_unused && (op->def == STABLEHLO_OP(map) || op->def == STABLEHLO_OP(rng));
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (ir_op_named(op, rows[i].name)) {
            ir_builder b = ir_builder_before(op);
            ir_value *v = rows[i].replace(op, &b);
            refused = !v;
            if (!v)
                break;
            ir_value_replace_uses(&op->results[0], v);
            ir_op_erase(op);
            return IR_WALK_ON;
        }
    if (refused) {
        ir_error_unlowered(op->ctx, op->loc, op->def->name, NULL);
        w->ok = false;
    }
    return IR_WALK_ON;
}

static bool run(ir_op *func, pass_run *run)
{
    walk w = {true, pass_option_bool(run, "fail-on-unused")};
    ir_walk_post(func, visit, &w);
    return w.ok;
}

const pass_def stablehlo_legalize_deprecated_ops_pass = {
    .name = "stablehlo-legalize-deprecated-ops",
    .title = "StablehloLegalizeDeprecatedOpsPass",
    .summary = "Legalize deprecated ops to well-supported ops",
    .anchor = "func.func",
    .run = run,
    .options = IR_LIST(pass_option_def, {"fail-on-unused", PASS_BOOL, "true",
                                         "Fail on deprecated ops without users"}),
};
