/* composite_calls.c: custom calls that only some devices support as one operation become
 * ttcore.composite: the operation's name, and a function with its decomposition in ttir,
 * which replaces it on other devices (ttnn-resolve-composites).
 *
 * Positions are compared as integers: bf16 cannot distinguish those beyond 256. */
#include "ir/context.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttir/from_stablehlo/custom_calls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CAPACITY = 4 };

typedef struct composite {
    const char *name;
    ir_value *inputs[CAPACITY];
    size_t n_inputs;
    ir_named_attr attrs[8];
    size_t n_attrs;
} composite;

static void add_attr(composite *c, ir_context *ctx, const char *name, ir_attr value)
{
    if (value)
        c->attrs[c->n_attrs++] = (ir_named_attr){ir_ident_from(ctx, name), value};
}

static ir_op *module_of(ir_op *op)
{
    ir_op *parent = ir_op_parent(op);
    while (ir_op_parent(parent) && !(parent->def->traits & IR_SYMBOL_TABLE))
        parent = ir_op_parent(parent);
    return parent;
}

/* Creates the private function with an empty block; `b` is set to its start. */
static ir_op *make_function(ir_op *module, ir_op *op, const composite *c, ir_builder *b)
{
    ir_context *ctx = op->ctx;
    ir_type types[CAPACITY];
    char name[96];
    for (size_t i = 0; i < c->n_inputs; i++)
        types[i] = c->inputs[i]->type;
    ir_type type = ir_function_type(ctx, types, c->n_inputs, &op->results[0].type, 1);
    *b = ir_builder_at_end(ctx, ir_op_body(module, 0), op->loc);
    snprintf(name, sizeof name, "%s_decomp", c->name);
    ir_op *func = func_create(b, ir_symbol_free_name(module, name), type, true);
    *b = ir_builder_at_end(ctx, func_add_body(func), op->loc);
    return func;
}

static bool finish(ir_op *op, ir_builder *b, const composite *c, ir_op *func)
{
    ir_context *ctx = op->ctx;
    ir_value *made = ir_build1(
        b, TTCORE_OP(composite), op->results[0].type, c->inputs, c->n_inputs,
        IR_ATTRS({"composite_name", ir_string_attr(ctx, tw_str_from(c->name))},
                 {"decomposition", ir_symbol_ref(ctx, ir_symbol_name(func))},
                 {"composite_attributes", ir_dict_attr(ctx, c->attrs, c->n_attrs)}));
    return s2t_done(op, made);
}

static void build_return(ir_builder *b, ir_value *value)
{
    ir_build_op(b, FUNC_OP(return ), NULL, 0, IR_VALUES(value), NULL, 0, 0);
}

/* ---- building blocks ----------------------------------------------------------------- */

static ir_type shaped(ir_type like, int64_t a, int64_t b, int64_t c, int64_t d)
{
    const int64_t dims[] = {a, b, c, d};
    return ir_tensor_type(like->element, dims, 4, like->encoding);
}

static ir_value *reshape(ir_builder *b, ir_value *v, int64_t a, int64_t d1, int64_t d2,
                         int64_t d3)
{
    return s2t_reshape(b, v, (const int64_t[]){a, d1, d2, d3}, 4);
}

static ir_value *product(ir_builder *b, ir_value *x, ir_value *y)
{
    ir_type type = shaped(x->type, x->type->dims[0], x->type->dims[1], x->type->dims[2],
                          y->type->dims[3]);
    return ir_build1(b, TTIR_OP(matmul), type, IR_VALUES(x, y), NULL, 0);
}

static ir_value *two(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y)
{
    return ir_build1(b, def, x->type, IR_VALUES(x, y), NULL, 0);
}

static ir_value *counted(ir_builder *b, ir_type type, int64_t dim)
{
    ir_type i64 = ir_integer_type(b->ctx, 64, IR_SIGNED);
    return ir_build1(
        b, TTIR_OP(arange), type, NULL, 0,
        IR_ATTRS({"start", ir_integer_attr(i64, 0)},
                 {"end", ir_integer_attr(i64, type->dims[dim])},
                 {"step", ir_integer_attr(i64, 1)},
                 {"arange_dimension",
                  ir_integer_attr(ir_integer_type(b->ctx, 64, IR_SIGNLESS), dim)}));
}

/* 0 where a query may attend to the key (the key's position is at most its own plus
 * `before`), otherwise -inf. */
static ir_value *causal_mask(ir_builder *b, ir_type type, int64_t before)
{
    ir_type index = ir_tensor_type(ir_integer_type(b->ctx, 32, IR_SIGNLESS), type->dims,
                                   type->count, type->encoding);
    ir_value *row = counted(b, index, 2), *column = counted(b, index, 3);
    if (before)
        row = two(b, TTIR_OP(add), row, s2t_splat(b, index, (double)before));
    ir_value *seen = two(b, TTIR_OP(ge), row, column);
    return ir_build1(b, TTIR_OP(where), type,
                     IR_VALUES(seen, s2t_splat(b, type, 0), s2t_splat(b, type, -INFINITY)),
                     NULL, 0);
}

static ir_value *transposed(ir_builder *b, ir_value *v)
{
    return s2t_permute(b, v, (const int64_t[]){0, 1, 3, 2}, 4);
}

static bool is_static_4d(const ir_value *v)
{
    if (!ir_type_is_ranked(v->type) || v->type->count != 4)
        return false;
    for (uint32_t i = 0; i < 4; i++)
        if (v->type->dims[i] <= 0)
            return false;
    return true;
}

static bool all_static_4d(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!is_static_4d(op->operands[i].value))
            return false;
    return op->n_results == 1 && is_static_4d(&op->results[0]);
}

/* ---- attention on compressed keys and values ----------------------------------------- */

typedef struct mla {
    ir_value *q, *k, *v, *mask; /* v, mask may be NULL */
    int64_t head_dim;
    double scale;
    bool causal;
} mla;

/* softmax(q k^T scale + masks) v. Without v, values are the leading features of k; if
 * several heads share a key, they are folded into the sequence. */
static ir_value *attend(ir_builder *b, const mla *m)
{
    ir_type q = m->q->type, k = m->k->type;
    int64_t batch = q->dims[0], heads = q->dims[1], n = q->dims[2], kv = k->dims[1],
            keys = k->dims[2], folded = heads / kv * n;
    ir_value *v = m->v, *x = m->q;
    if (!v)
        v = s2t_slice(b, m->k, (const int64_t[]){0, 0, 0, 0},
                      (const int64_t[]){k->dims[0], kv, keys, m->head_dim},
                      (const int64_t[]){1, 1, 1, 1});
    if (heads != kv)
        x = reshape(b, x, batch, kv, folded, q->dims[3]);
    x = product(b, x, transposed(b, m->k));
    if (heads != kv)
        x = reshape(b, x, batch, heads, n, keys);
    x = two(b, TTIR_OP(multiply), x, s2t_splat(b, x->type, m->scale));
    if (m->mask)
        x = two(b, TTIR_OP(add), x, m->mask);
    if (m->causal)
        x = two(b, TTIR_OP(add), x, causal_mask(b, shaped(q, 1, 1, n, keys), 0));
    x = ir_build1(
        b, TTIR_OP(softmax), x->type, IR_VALUES(x),
        IR_ATTRS({"dimension", ir_integer_attr(ir_integer_type(b->ctx, 32, IR_SIGNED), 3)},
                 {"numericStable", ir_bool_attr(b->ctx, true)}));
    if (heads != kv)
        x = reshape(b, x, batch, kv, folded, keys);
    x = product(b, x, v);
    return heads != kv ? reshape(b, x, batch, heads, n, m->head_dim) : x;
}

static bool shapes_fit(const mla *m, ir_type out)
{
    ir_type q = m->q->type, k = m->k->type;
    bool fits = q->dims[0] == k->dims[0] && q->dims[3] == k->dims[3] &&
                q->dims[1] % k->dims[1] == 0 && out->dims[3] == m->head_dim;
    if (m->v)
        return fits && m->v->type->dims[3] == m->head_dim &&
               m->v->type->dims[2] == k->dims[2];
    return fits && m->head_dim <= k->dims[3];
}

bool s2t_flash_mla_prefill(ir_op *op, ir_builder *b)
{
    mla m = {.causal = true};
    bool has_value, has_mask;
    if (!s2t_option_int(op, "head_dim_v", &m.head_dim) || m.head_dim <= 0 ||
        !s2t_option_flag(op, "is_causal", true, &m.causal) ||
        !s2t_option_flag(op, "has_value", false, &has_value) ||
        !s2t_option_flag(op, "has_attention_mask", false, &has_mask) ||
        op->n_operands != 2u + has_value + has_mask || !all_static_4d(op))
        return false;
    ir_context *ctx = op->ctx;
    bool scaled = s2t_option(op, "scale").size > 0;
    m.scale = 1 / sqrt((double)op->operands[0].value->type->dims[3]);
    if (scaled && !s2t_option_real(op, "scale", &m.scale))
        return false;
    composite c = {.name = "flash_mla_prefill", .n_inputs = op->n_operands};
    for (uint32_t i = 0; i < op->n_operands; i++)
        c.inputs[i] = op->operands[i].value;
    m.q = c.inputs[0];
    m.k = c.inputs[1];
    m.v = has_value ? c.inputs[2] : NULL;
    if (!shapes_fit(&m, op->results[0].type))
        return false;
    add_attr(&c, ctx, "has_attention_mask", ir_bool_attr(ctx, has_mask));
    add_attr(&c, ctx, "has_value", ir_bool_attr(ctx, has_value));
    add_attr(&c, ctx, "head_dim_v",
             ir_integer_attr(ir_integer_type(ctx, 32, IR_UNSIGNED), m.head_dim));
    add_attr(&c, ctx, "is_causal", ir_bool_attr(ctx, m.causal));
    add_attr(&c, ctx, "scale", scaled ? ir_f32_attr(ctx, m.scale) : NULL);
    ir_builder inside;
    ir_op *func = make_function(module_of(op), op, &c, &inside);
    ir_value **args = ir_op_body(func, 0)->args;
    m.q = args[0];
    m.k = args[1];
    m.v = has_value ? args[2] : NULL;
    m.mask = has_mask ? args[2 + has_value] : NULL;
    build_return(&inside, attend(&inside, &m));
    return finish(op, b, &c, func);
}

/* ---- scores of the sparse attention indexer ------------------------------------------ */

/* The weighted sum over heads of relu(q k^T), for keys before the query, which starts at
 * offset `start` of the sequence; -inf for others. */
static ir_value *score(ir_builder *b, ir_value *q, ir_value *k, ir_value *weights,
                       int64_t start)
{
    ir_type type = q->type;
    int64_t batch = type->dims[0], heads = type->dims[1], n = type->dims[2],
            keys = k->type->dims[2];
    ir_value *x = reshape(b, q, batch, 1, heads * n, type->dims[3]);
    x = product(b, x, transposed(b, k));
    x = reshape(b, x, batch, heads, n, keys);
    x = ir_build1(b, TTIR_OP(relu), x->type, IR_VALUES(x), NULL, 0);
    x = two(b, TTIR_OP(multiply), x, s2t_broadcast(b, weights, x->type->dims, 4));
    ir_type sum = shaped(type, batch, 1, n, keys);
    ir_attr heads_dim = ir_integer_attr(ir_integer_type(b->ctx, 32, IR_SIGNLESS), 1);
    x = ir_build1(b, TTIR_OP(sum), sum, IR_VALUES(x),
                  IR_ATTRS({"keep_dim", ir_bool_attr(b->ctx, true)},
                           {"dim_arg", ir_array_attr(b->ctx, &heads_dim, 1)}));
    return two(b, TTIR_OP(add), x, causal_mask(b, sum, start));
}

bool s2t_indexer_score_dsa(ir_op *op, ir_builder *b)
{
    int64_t start = 0, axis = 0;
    bool on_axis = s2t_option(op, "cluster_axis").size > 0;
    if (op->n_operands != 3 || !all_static_4d(op) ||
        (s2t_option(op, "chunk_start_idx").size &&
         (!s2t_option_int(op, "chunk_start_idx", &start) || start < 0)) ||
        (on_axis && (!s2t_option_int(op, "cluster_axis", &axis) || axis < 0)))
        return false;
    ir_context *ctx = op->ctx;
    ir_type u32 = ir_integer_type(ctx, 32, IR_UNSIGNED);
    composite c = {.name = "indexer_score_dsa", .n_inputs = 3};
    for (uint32_t i = 0; i < 3; i++)
        c.inputs[i] = op->operands[i].value;
    ir_type q = c.inputs[0]->type, k = c.inputs[1]->type, w = c.inputs[2]->type;
    if (k->dims[1] != 1 || k->dims[0] != q->dims[0] || k->dims[3] != q->dims[3] ||
        w->dims[1] != q->dims[1] || w->dims[2] != q->dims[2] || w->dims[3] != 1)
        return false;
    add_attr(&c, ctx, "chunk_start_idx", ir_integer_attr(u32, start));
    add_attr(&c, ctx, "cluster_axis", on_axis ? ir_integer_attr(u32, axis) : NULL);
    ir_builder inside;
    ir_op *func = make_function(module_of(op), op, &c, &inside);
    ir_value **args = ir_op_body(func, 0)->args;
    build_return(&inside, score(&inside, args[0], args[1], args[2], start));
    return finish(op, b, &c, func);
}
