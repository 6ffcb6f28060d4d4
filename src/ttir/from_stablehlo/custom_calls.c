/* custom_calls.c: converts stablehlo.custom_call by its target name.
 *
 * Options are text in the dictionary mhlo.frontend_attributes.  A call that writes into a
 * cache returns the cache itself. */
#include "ttir/from_stablehlo/custom_calls.h"

#include "ttcore/ttcore.h"
#include "ttir/build.h"
#include "ttir/from_stablehlo/mesh.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_VALUES = 32 };

tw_str s2t_option(const ir_op *op, const char *name)
{
    ir_attr dict = ir_op_attr(op, "mhlo.frontend_attributes");
    ir_attr value = dict ? ir_dict_get(dict, tw_str_from(name)) : NULL;
    return ir_attr_is(value, IR_ATTR_STRING) ? ir_attr_str(value) : (tw_str){0};
}

bool s2t_option_int(const ir_op *op, const char *name, int64_t *out)
{
    tw_str text = s2t_option(op, name);
    char copy[24], *end;
    if (text.size == 0 || text.size >= sizeof copy)
        return false;
    memcpy(copy, text.data, text.size);
    copy[text.size] = 0;
    *out = strtoll(copy, &end, 10);
    return *end == 0;
}

bool s2t_option_real(const ir_op *op, const char *name, double *out)
{
    tw_str text = s2t_option(op, name);
    char copy[40], *end;
    if (text.size == 0 || text.size >= sizeof copy)
        return false;
    memcpy(copy, text.data, text.size);
    copy[text.size] = 0;
    *out = strtod(copy, &end);
    return *end == 0;
}

bool s2t_option_flag(const ir_op *op, const char *name, bool otherwise, bool *out)
{
    static const char *const words[] = {"false", "true"};
    tw_str text = s2t_option(op, name);
    *out = otherwise;
    if (text.size == 0)
        return true;
    for (size_t w = 0; w < 2; w++) {
        bool same = text.size == strlen(words[w]);
        for (size_t i = 0; same && i < text.size; i++)
            same = (text.data[i] | 0x20) == words[w][i];
        if (same)
            return *out = w == 1, true;
    }
    return false;
}

static bool to_unary(ir_op *op, ir_builder *b, const ir_op_def *def)
{
    return op->n_operands == 1 && op->n_results == 1 &&
           s2t_done(op, ir_build1(b, def, op->results[0].type,
                                  IR_VALUES(op->operands[0].value), NULL, 0));
}

static bool to_erf(ir_op *op, ir_builder *b)
{
    return to_unary(op, b, TTIR_OP(erf));
}

static bool to_asinh(ir_op *op, ir_builder *b)
{
    return to_unary(op, b, TTIR_OP(asinh));
}

static bool write_cache(ir_op *op, ir_builder *b, const ir_op_def *def, uint32_t n,
                        const ir_attr_by_name *attrs, size_t n_attrs)
{
    ir_value *operands[4];
    if (op->n_operands != n || op->n_results != 1)
        return false;
    for (uint32_t i = 0; i < n; i++)
        operands[i] = op->operands[i].value;
    ir_build_op(b, def, NULL, 0, operands, n, attrs, n_attrs, 0);
    return s2t_done(op, operands[0]);
}

static bool to_fill_cache(ir_op *op, ir_builder *b)
{
    int64_t offset;
    return s2t_option_int(op, "batch_offset", &offset) && offset >= 0 &&
           write_cache(op, b, TTIR_OP(fill_cache), 2,
                       IR_ATTRS({"batch_offset", ir_i32_attr(b->ctx, offset)}));
}

static bool to_update_cache(ir_op *op, ir_builder *b)
{
    int64_t offset;
    return s2t_option_int(op, "batch_offset", &offset) && offset >= 0 &&
           write_cache(op, b, TTIR_OP(update_cache), 3,
                       IR_ATTRS({"batch_offset", ir_i32_attr(b->ctx, offset)}));
}

static bool to_paged_update_cache(ir_op *op, ir_builder *b)
{
    bool share;
    return s2t_option_flag(op, "share_cache", false, &share) &&
           write_cache(op, b, TTIR_OP(paged_update_cache), 4,
                       IR_ATTRS({"share_cache", ir_bool_attr(b->ctx, share)}));
}

static bool to_paged_fill_cache(ir_op *op, ir_builder *b)
{
    return op->n_operands >= 3 &&
           write_cache(op, b, TTIR_OP(paged_fill_cache), op->n_operands, NULL, 0);
}

static bool to_sampling(ir_op *op, ir_builder *b)
{
    ir_value *operands[5];
    ir_type ui32 = ir_integer_type(b->ctx, 32, IR_UNSIGNED);
    bool given = s2t_option(op, "seed").size != 0;
    int64_t seed = 0;
    if (op->n_operands != 5 || op->n_results != 1 ||
        (given && !s2t_option_int(op, "seed", &seed)))
        return false;
    for (uint32_t i = 0; i < 5; i++)
        operands[i] = op->operands[i].value;
    return s2t_done(
        op, ir_build1(b, TTIR_OP(sampling), op->results[0].type, operands, 5,
                      IR_ATTRS({"seed", given ? ir_integer_attr(ui32, seed) : NULL})));
}

static bool to_topk(ir_op *op, ir_builder *b)
{
    ir_attr dict = ir_op_attr(op, "mhlo.attributes");
    ir_attr k = dict ? ir_dict_get(dict, TW_STR("k")) : NULL;
    ir_attr largest = dict ? ir_dict_get(dict, TW_STR("largest")) : NULL;
    if (!k || !largest || op->n_operands < 1 || op->n_results != 2)
        return false;
    ir_value *x = op->operands[0].value;
    ir_type types[] = {op->results[0].type, op->results[1].type};
    ir_op *made =
        ir_build_op(b, TTIR_OP(topk), types, 2, &x, 1,
                    IR_ATTRS({"k", ir_i32_attr(b->ctx, ir_attr_int(k, 1))},
                             {"dim", ir_i32_attr(b->ctx, -1)}, {"largest", largest},
                             {"sorted", ir_bool_attr(b->ctx, false)}),
                    0);
    for (uint32_t i = 0; i < 2; i++)
        ir_value_replace_uses(&op->results[i], ir_op_result(made, i));
    ir_op_erase(op);
    return true;
}

/* Sets the argument type and name given by PyTorch models on an argument. */
static bool to_marked(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value;
    tw_str kind = s2t_option(op, "ttcore.argument_type"),
           name = s2t_option(op, "ttir.name");
    if (op->n_operands != 1 || op->n_results != 1 || x->type != op->results[0].type)
        return false;
    if (!ir_value_def(x)) {
        const ir_enum_case *c =
            ir_enum_by_text(TTCORE_ATTR(argument_type)->enumeration, kind);
        if (c)
            ttir_set_argument_attr(
                x, "ttcore.argument_type",
                ir_enum_attr(b->ctx, TTCORE_ATTR(argument_type), c->value));
        if (name.size)
            ttir_set_argument_attr(x, "ttir.name", ir_string_attr(b->ctx, name));
    }
    return s2t_done(op, x);
}

/* "in,in,out": true if the counts match the operands and results. */
static bool roles_match(tw_str text, uint32_t inputs, uint32_t outputs)
{
    uint32_t found[2] = {0};
    while (text.size) {
        const char *comma = memchr(text.data, ',', text.size);
        tw_str word = {text.data, comma ? (size_t)(comma - text.data) : text.size};
        bool out = tw_str_is(word, "out");
        if (!out && !tw_str_is(word, "in"))
            return false;
        found[out]++;
        size_t used = word.size + (comma ? 1 : 0);
        text = (tw_str){text.data + used, text.size - used};
    }
    return found[0] == inputs && found[1] == outputs;
}

/* An external kernel: its inputs, then an empty tensor for each result. */
static bool to_tt_lang(ir_op *op, ir_builder *b)
{
    static const char *const names[] = {"kernel_id", "version_tag", "arg_roles"};
    ir_value *operands[MAX_VALUES];
    ir_type types[MAX_VALUES];
    uint32_t n = op->n_operands, results = op->n_results;
    for (size_t i = 0; i < TW_COUNT(names); i++)
        if (s2t_option(op, names[i]).size == 0)
            return false;
    if (n < 1 || n + results > MAX_VALUES ||
        !roles_match(s2t_option(op, "arg_roles"), n, results))
        return false;
    for (uint32_t i = 0; i < n; i++)
        operands[i] = op->operands[i].value;
    for (uint32_t i = 0; i < results; i++) {
        types[i] = op->results[i].type;
        operands[n + i] = ir_build1(b, TTIR_OP(empty), types[i], NULL, 0, NULL, 0);
    }
    ir_named_attr attrs[4];
    size_t k = 0;
    for (size_t i = 0; i < TW_COUNT(names); i++)
        attrs[k++] = (ir_named_attr){ir_ident_from(b->ctx, names[i]),
                                     ir_string_attr(b->ctx, s2t_option(op, names[i]))};
    if (s2t_option(op, "shard_spec").size)
        attrs[k++] = (ir_named_attr){ir_ident_from(b->ctx, "shard_spec"),
                                     ir_string_attr(b->ctx, s2t_option(op, "shard_spec"))};
    ir_op *made = ir_build(b, &(ir_op_state){.def = TTIR_OP(tt_lang_op),
                                             .loc = op->loc,
                                             .operands = operands,
                                             .n_operands = n + results,
                                             .results = types,
                                             .n_results = results,
                                             .attrs = attrs,
                                             .n_attrs = k});
    for (uint32_t i = 0; i < results; i++)
        ir_value_replace_uses(&op->results[i], &made->results[i]);
    ir_op_erase(op);
    return true;
}

static const struct {
    const char *target;
    s2t_fn *convert;
} table[] = {
    {"SPMDFullToShardShape", s2t_shape_call},
    {"SPMDShardToFullShape", s2t_shape_call},
    {"Sharding", s2t_sharding_call},
    {"mhlo.asinh", to_asinh},
    {"mhlo.erf", to_erf},
    {"mhlo.topk", to_topk},
    {"tt.fill_cache", to_fill_cache},
    {"tt.flash_mla_prefill", s2t_flash_mla_prefill},
    {"tt.indexer_score_dsa", s2t_indexer_score_dsa},
    {"tt.mark_argument", to_marked},
    {"tt.paged_fill_cache", to_paged_fill_cache},
    {"tt.paged_update_cache", to_paged_update_cache},
    {"tt.sampling", to_sampling},
    {"tt.tt_lang_op", to_tt_lang},
    {"tt.update_cache", to_update_cache},
};

/* "tt.mish": an operation of TTIR without attributes that StableHLO lacks. */
static bool to_named(ir_op *op, ir_builder *b, tw_str target)
{
    enum { CAPACITY = 8 };
    char name[64];
    ir_value *operands[CAPACITY];
    const bool ours = target.size > 3 && memcmp(target.data, "tt.", 3) == 0;
    snprintf(name, sizeof name, "ttir.%.*s", ours ? (int)target.size - 3 : 0,
             target.data + 3 * ours);
    const ir_op_def *to = ir_dialect_find_op(&ttir_dialect, tw_str_from(name));
    if (!to || to->attrs.count || op->n_operands != to->operands.count ||
        op->n_operands > CAPACITY || op->n_results != 1 || to->results.count != 1)
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = op->operands[i].value;
    return s2t_done(
        op, ir_build1(b, to, op->results[0].type, operands, op->n_operands, NULL, 0));
}

bool s2t_custom_call(ir_op *op, ir_builder *b)
{
    ir_attr target = ir_op_attr(op, "call_target_name");
    for (size_t i = 0; target && i < TW_COUNT(table); i++)
        if (tw_str_is(ir_attr_str(target), table[i].target))
            return table[i].convert(op, b);
    return target && (s2t_attention_call(op, b) || to_named(op, b, ir_attr_str(target)));
}
