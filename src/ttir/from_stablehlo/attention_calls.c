/* attention_calls.c: custom calls of attention, on paged or whole caches.
 *
 * Options of a call determine its optional operands; a row lists the operands in the
 * call's order, each with its name in ttir and the option that announces it. */
#include "ttir/from_stablehlo/custom_calls.h"

enum { MAX_OPERANDS = 8 };

typedef struct operand {
    const char *name;   /* in ttir; NULL ends the row */
    const char *option; /* NULL: always present */
} operand;

static const struct row {
    const char *target;
    uint16_t def;
    operand operands[MAX_OPERANDS];
    const char *output; /* operand to which the result is written; NULL: none */
    bool announced;     /* every operand's option must be present */
} rows[] = {
    {"tt.scaled_dot_product_attention",
     TTIR_scaled_dot_product_attention,
     {{"query", NULL},
      {"key", NULL},
      {"value", NULL},
      {"attention_mask", "has_attention_mask"},
      {"attention_sink", "has_attention_sink"}},
     NULL,
     false},
    {"tt.scaled_dot_product_attention_decode",
     TTIR_scaled_dot_product_attention_decode,
     {{"query", NULL},
      {"key", NULL},
      {"value", NULL},
      {"cur_pos_tensor", NULL},
      {"attention_mask", "has_attention_mask"},
      {"attention_sink", "has_attention_sink"}},
     NULL,
     true},
    {"tt.paged_scaled_dot_product_attention_decode",
     TTIR_paged_scaled_dot_product_attention_decode,
     {{"query", NULL},
      {"key", NULL},
      {"value", NULL},
      {"page_table", NULL},
      {"attention_mask", "has_attention_mask"},
      {"cur_pos_tensor", "has_cur_pos_tensor"},
      {"attention_sink", "has_attention_sink"}},
     "output",
     true},
    {"tt.chunked_scaled_dot_product_attention",
     TTIR_chunked_scaled_dot_product_attention,
     {{"query", NULL},
      {"key", NULL},
      {"value", NULL},
      {"page_table", NULL},
      {"chunk_start_idx", NULL}},
     "output",
     false},
    {"tt.paged_flash_mla_decode",
     TTIR_paged_flash_multi_latent_attention_decode,
     {{"query", NULL},
      {"key", NULL},
      {"value", "has_value"},
      {"page_table", NULL},
      {"attention_mask", "has_attention_mask"},
      {"cur_pos_tensor", "has_cur_pos_tensor"},
      {"attention_sink", "has_attention_sink"}},
     NULL,
     true},
};

static bool has_attr(const struct row *row, const char *name)
{
    return ir_def_prop_index(&ttir_ops[row->def], tw_str_from(name)) != SIZE_MAX;
}

/* Four operands without options for the two optional ones: the fourth is the mask. */
static bool unannounced_mask(const struct row *row, const ir_op *op)
{
    return row->def == TTIR_scaled_dot_product_attention && op->n_operands == 4 &&
           s2t_option(op, "has_attention_mask").size == 0 &&
           s2t_option(op, "has_attention_sink").size == 0;
}

/* The operands in ttir's order, NULL for absent ones; false on a mismatch. */
static bool place_operands(const struct row *row, ir_op *op, ir_value **out)
{
    uint32_t next = 0;
    bool mask = unannounced_mask(row, op);
    for (const operand *o = row->operands; o < row->operands + MAX_OPERANDS && o->name;
         o++) {
        bool present = true;
        if (o->option && (!s2t_option_flag(op, o->option, false, &present) ||
                          (row->announced && s2t_option(op, o->option).size == 0)))
            return false;
        present |= mask && tw_str_is(TW_STR("attention_mask"), o->name);
        if (!present)
            continue;
        if (next == op->n_operands)
            return false;
        out[ir_op_operand_index(&ttir_ops[row->def], o->name)] = op->operands[next++].value;
    }
    return next == op->n_operands;
}

/* An optional number; false if it is present but not a number. */
static bool read_attr(const struct row *row, const ir_op *op, const char *name,
                      ir_attr *out)
{
    int64_t whole;
    double real;
    *out = NULL;
    if (!has_attr(row, name) || s2t_option(op, name).size == 0)
        return true;
    if (tw_str_is(TW_STR("scale"), name)) {
        if (!s2t_option_real(op, name, &real))
            return false;
        *out = ir_f32_attr(op->ctx, real);
        return true;
    }
    if (!s2t_option_int(op, name, &whole) || whole < 0)
        return false;
    *out = ir_integer_attr(ir_integer_type(op->ctx, 32, IR_UNSIGNED), whole);
    return true;
}

static bool convert(const struct row *row, ir_op *op, ir_builder *b)
{
    ir_value *operands[MAX_OPERANDS] = {0};
    const ir_op_def *def = &ttir_ops[row->def];
    ir_attr scale, window, head_dim;
    bool causal;
    if (op->n_results != 1 || !s2t_option_flag(op, "is_causal", true, &causal) ||
        !read_attr(row, op, "scale", &scale) ||
        !read_attr(row, op, "sliding_window_size", &window) ||
        !read_attr(row, op, "head_dim_v", &head_dim) ||
        (has_attr(row, "head_dim_v") && !head_dim) || !place_operands(row, op, operands))
        return false;
    ir_type type = op->results[0].type;
    if (row->output)
        operands[ir_op_operand_index(def, row->output)] =
            ir_build1(b, TTIR_OP(empty), type, NULL, 0, NULL, 0);
    ir_attr is_causal = has_attr(row, "is_causal") ? ir_bool_attr(b->ctx, causal) : NULL;
    ir_op *made =
        ir_build_op(b, def, &type, 1, operands, def->operands.count,
                    IR_ATTRS({"is_causal", is_causal}, {"scale", scale},
                             {"sliding_window_size", window}, {"head_dim_v", head_dim}),
                    0);
    return s2t_done(op, ir_op_result(made, 0));
}

bool s2t_attention_call(ir_op *op, ir_builder *b)
{
    tw_str target = ir_attr_str(ir_op_attr(op, "call_target_name"));
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (tw_str_is(target, rows[i].target))
            return convert(&rows[i], op, b);
    return false;
}
