/* convert_ttnn_to_ttir.c: back from ttnn to ttir, for what kernels are made of.
 *
 * An operation is converted if it carries ttnn.hoist_generic_via_d2m or is in a function
 * that a ttnn.d2m_subgraph names; every other one of ttnn stays.  Attributes that only ttnn
 * has (program configurations, arithmetic's settings) are left out. */
#include "ir/pass/pass.h"
#include "mlir/builtin/builtin.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttir/ttir.h"
#include "ttnn/ttnn.h"

#include <stdlib.h>

enum { NO_ROW = UINT16_MAX, MAX_ATTRS = 4, MAX_DIMS = 16 };

/* Operands and results are the same; attributes of both go over by name. */
static const struct {
    uint16_t from, to;
} same[] = {
#define TTIR_ELEMENTWISE(ttir, ttnn, ...) {TTNN_##ttnn, TTIR_##ttir},
#include "ttnn/elementwise.def"
#define SAME(ttnn) NO_ROW
#define BOTH_WAYS(ttnn) TTNN_##ttnn
#define BY(function) NO_ROW
#define BY_AND_BACK(function, ttnn) TTNN_##ttnn
#define NOTHING NO_ROW
#define TTIR_BECOMES(id, to) {to, TTIR_##id},
#include "ttir/ttir.def"
};

static bool done(ir_op *op, ir_value *v)
{
    ir_value_replace_uses(&op->results[0], v);
    ir_op_erase(op);
    return true;
}

static ir_value *in_layout(ir_builder *b, ir_value *v, ir_type type)
{
    ir_value *to = ir_build1(b, TTIR_OP(empty), type, NULL, 0, NULL, 0);
    return ir_build1(b, TTIR_OP(to_layout), type, IR_VALUES(v, to), NULL, 0);
}

/* Builds a movement, whose result gets its layout by a separate operation: TTIR's passes
 * decompose movements into ones without layouts. */
static ir_value *move(ir_builder *b, const ir_op_def *to, ir_type type,
                      ir_value *const *operands, size_t n, const ir_attr_by_name *attrs,
                      size_t n_attrs)
{
    ir_type plain = ir_tensor_type(type->element, type->dims, type->count, NULL);
    ir_value *v = ir_build1(b, to, plain, operands, n, attrs, n_attrs);
    return type->encoding ? in_layout(b, v, type) : v;
}

static bool is_movement(const ir_op_def *to)
{
    static const ir_op_def *const all[] = {TTIR_OP(concat),       TTIR_OP(permute),
                                           TTIR_OP(reshape),      TTIR_OP(repeat),
                                           TTIR_OP(slice_static), TTIR_OP(transpose)};
    for (size_t i = 0; i < TW_COUNT(all); i++)
        if (all[i] == to)
            return true;
    return false;
}

/* A number in the type that the row asks for: dimensions are 32 bits here, 64 there. */
static ir_attr as_declared(ir_context *ctx, const ir_op_def *to, const char *name,
                           ir_attr value)
{
    bool wide = to == TTIR_OP(cumsum) || to == TTIR_OP(cumprod);
    return wide && strcmp(name, "dim") == 0 ? ir_i64_attr(ctx, value->value) : value;
}

/* The operation of ttir that a fused activation is, NULL without one; false if ttir has
 * none of its name. */
static bool find_activation(ir_op *op, const ir_op_def **out)
{
    ir_attr attr = ir_op_attr(op, "activation");
    tw_str name = attr ? ir_attr_str(attr) : TW_STR("");
    *out = NULL;
    for (size_t i = 0; name.size && i < TW_COUNT(same) && !*out; i++)
        if (same[i].from != NO_ROW &&
            tw_str_is(name, ttir_ops[same[i].to].name + sizeof "ttir." - 1) &&
            ttir_ops[same[i].to].operands.count == 1)
            *out = &ttir_ops[same[i].to];
    return !name.size || *out;
}

static bool convert_same(ir_op *op, const ir_op_def *to, ir_builder *b)
{
    ir_attr_by_name attrs[MAX_ATTRS];
    size_t n = 0;
    const ir_op_def *activation;
    if (!find_activation(op, &activation))
        return false;
    if (to->attrs.count > MAX_ATTRS)
        return false;
    for (uint32_t i = 0; i < to->attrs.count; i++) {
        const char *name = to->attrs.at[i].name;
        if (ir_def_prop_index(op->def, tw_str_from(name)) != SIZE_MAX &&
            ir_op_attr(op, name))
            attrs[n++] = (ir_attr_by_name){
                name, as_declared(op->ctx, to, name, ir_op_attr(op, name))};
    }
    ir_value **operands = tw_xmalloc((op->n_operands + 1) * sizeof *operands);
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = op->operands[i].value;
    ir_value *v = (is_movement(to) ? move : ir_build1)(b, to, op->results[0].type, operands,
                                                       op->n_operands, attrs, n);
    free(operands);
    return done(op,
                activation ? ir_build1(b, activation, v->type, IR_VALUES(v), NULL, 0) : v);
}

/* argmax and prod: one dimension (`name`) here, a list of them there. */
static bool convert_one_dim(ir_op *op, const ir_op_def *to, const char *name, ir_builder *b)
{
    ir_attr dim = ir_op_attr(op, name);
    ir_attr list =
        dim ? ir_array_attr(op->ctx, &(ir_attr){ir_i32_attr(op->ctx, dim->value)}, 1)
            : NULL;
    return done(op, ir_build1(b, to, op->results[0].type, IR_VALUES(op->operands[0].value),
                              IR_ATTRS({"keep_dim", ir_op_attr(op, "keep_dim")},
                                       {"dim_arg", list})));
}

static bool convert_full(ir_op *op, ir_builder *b)
{
    int64_t dims[MAX_DIMS];
    ir_type t = op->results[0].type;
    if (t->count > MAX_DIMS)
        return false;
    memcpy(dims, t->dims, t->count * sizeof *dims);
    return done(op,
                ir_build1(b, TTIR_OP(full), t, NULL, 0,
                          IR_ATTRS({"shape", ir_dense_i32_array(op->ctx, dims, t->count)},
                                   {"fill_value", ir_op_attr(op, "fill_value")})));
}

static bool convert_layout(ir_op *op, ir_builder *b)
{
    return done(op, in_layout(b, op->operands[0].value, op->results[0].type));
}

static bool convert_repeat(ir_op *op, ir_builder *b)
{
    int64_t dims[MAX_DIMS];
    ir_attr shape = ir_op_attr(op, "repeat_dims");
    int64_t n = shape ? ir_attr_ints(shape->params[0], dims, MAX_DIMS) : -1;
    return n >= 0 &&
           done(op, move(b, TTIR_OP(repeat), op->results[0].type,
                         IR_VALUES(op->operands[0].value),
                         IR_ATTRS({"repeat_dimensions",
                                   ir_dense_i64_array(op->ctx, dims, (size_t)n)})));
}

static bool convert_one(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    size_t row = (size_t)(op->def - ttnn_ops);
    for (size_t i = 0; i < TW_COUNT(same); i++)
        if (same[i].from == row)
            return convert_same(op, &ttir_ops[same[i].to], &b);
    switch (row) {
    case TTNN_argmax:
        return convert_one_dim(op, TTIR_OP(argmax), "dim", &b);
    case TTNN_prod:
        return convert_one_dim(op, TTIR_OP(prod), "dim_arg", &b);
    case TTNN_full:
        return convert_full(op, &b);
    case TTNN_repeat:
        return convert_repeat(op, &b);
    case TTNN_to_layout:
    case TTNN_to_tensor_spec:
        return convert_layout(op, &b);
    default:
        return false;
    }
}

/* ---- what is converted -------------------------------------------------------------- */

static ir_walk note_subgraph(ir_op *op, void *user)
{
    if (op->def == TTNN_OP(d2m_subgraph)) {
        ir_op *f = ir_symbol_resolve(op, ir_op_attr(op, "d2m_func"));
        if (f)
            ir_mapping_set(user, f, f);
    }
    return IR_WALK_ON;
}

typedef struct conversion {
    ir_mapping *subgraphs; /* functions that become kernels */
    bool ok;
} conversion;

static bool is_ttnn(const ir_op *op)
{
    return op->def >= ttnn_ops && op->def < ttnn_ops + TTNN_OP_COUNT;
}

static ir_walk visit(ir_op *op, void *user)
{
    conversion *c = user;
    ir_op *function = op;
    while (function && function->def != FUNC_OP(func))
        function = ir_op_parent(function);
    if (!is_ttnn(op) || (!ir_op_attr(op, "ttnn.hoist_generic_via_d2m") &&
                         !(function && ir_mapping_get(c->subgraphs, function))))
        return IR_WALK_ON;
    if (!convert_one(op))
        c->ok = ir_error_unlowered(op->ctx, op->loc, op->def->name, NULL);
    return IR_WALK_ON;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    conversion c = {ir_mapping_create(), true};
    ir_walk_pre(module, note_subgraph, c.subgraphs);
    ir_walk_post(module, visit, &c);
    ir_mapping_free(c.subgraphs);
    return c.ok;
}

const pass_def convert_ttnn_to_ttir_pass = {
    .name = "convert-ttnn-to-ttir",
    .title = "ConvertTTNNToTTIR",
    .summary = "Convert TTNN operations that are to become kernels to TTIR",
    .anchor = "builtin.module",
    .run = run,
};
