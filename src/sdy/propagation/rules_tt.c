/* rules_tt.c: sharding rules of Tenstorrent's custom calls: attention, paged caches,
 * experts, norms and selections.
 *
 * The rules follow from the meaning of a call on whole tensors; a dimension on which all
 * of the result depends is replicated. */
#include "sdy/propagation/rules.h"
#include "stablehlo/stablehlo.h"

static ir_type type_of(const ir_op *op, size_t i)
{
    return op->operands[i].value->type;
}

static bool are_ranked(const ir_op *op, size_t n, uint32_t rank)
{
    if (op->n_operands < n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!ir_type_is_tensor(type_of(op, i)) || type_of(op, i)->count != rank ||
            !ir_type_has_static_shape(type_of(op, i)))
            return false;
    return true;
}

static bool one_result(const ir_op *op, uint32_t rank)
{
    return op->n_results == 1 && ir_type_is_tensor(op->results[0].type) &&
           op->results[0].type->count == rank;
}

static int64_t size_at(const ir_op *op, size_t i, int64_t dim)
{
    return type_of(op, i)->dims[dim];
}

/* Adds a factor: pairs of an operand and its dimension, and the result's dimension
 * `out`. */
static uint32_t link(sdy_rule_builder *b, sdy_factor_kind kind, int64_t size, int64_t out,
                     const int64_t (*uses)[2], size_t n)
{
    uint32_t factor = sdy_rule_factor(b, size, kind, false);
    for (size_t i = 0; i < n; i++)
        sdy_rule_use(b, (size_t)uses[i][0], uses[i][1], factor);
    sdy_rule_use(b, sdy_rule_result(b, 0), out, factor);
    return factor;
}

#define LINK(b, kind, size, out, ...)                                                      \
    link(b, kind, size, out, (const int64_t[][2]){__VA_ARGS__},                            \
         sizeof((const int64_t[][2]){__VA_ARGS__}) / sizeof(int64_t[2]))

/* A boolean option, written as text by front ends. */
static bool flag(const ir_op *op, const char *name, bool otherwise)
{
    ir_attr dict = ir_op_attr(op, "mhlo.frontend_attributes");
    ir_attr text =
        ir_attr_is(dict, IR_ATTR_DICT) ? ir_dict_get(dict, tw_str_from(name)) : NULL;
    if (!ir_attr_is(text, IR_ATTR_STRING))
        return otherwise;
    return tw_str_is(ir_attr_str(text), "true") || tw_str_is(ir_attr_str(text), "True");
}

/* Query heads are grouped by the key and value head that they share: dimension `q` of the
 * queries and of the result, `kv` of the others.  `out` gets the factors of heads,
 * NO_FACTOR where there is only one head. */
enum { NO_FACTOR = UINT16_MAX };

static bool link_heads(sdy_rule_builder *b, const ir_op *op, int64_t q, int64_t kv,
                       size_t n_kv, uint32_t out[2])
{
    int64_t heads = size_at(op, 0, q), shared = size_at(op, 1, kv);
    if (shared < 1 || heads % shared)
        return false;
    const int64_t sizes[2] = {shared, heads / shared};
    for (int i = 0; i < 2; i++) {
        out[i] = NO_FACTOR;
        if (sizes[i] == 1)
            continue;
        out[i] = sdy_rule_factor(b, sizes[i], SDY_PASS, false);
        sdy_rule_use(b, 0, q, out[i]);
        sdy_rule_use(b, sdy_rule_result(b, 0), q, out[i]);
    }
    for (size_t i = 0; i < n_kv && out[0] != NO_FACTOR; i++)
        sdy_rule_use(b, 1 + i, kv, out[0]);
    return true;
}

/* A mask is shared by the batch and all heads, or has one entry for each. */
static void link_mask(sdy_rule_builder *b, const ir_op *op, size_t i, uint32_t batch,
                      const uint32_t heads[2])
{
    ir_type mask = type_of(op, i);
    if (!ir_type_is_tensor(mask) || mask->count != 4)
        return;
    if (mask->dims[0] > 1 && mask->dims[0] == size_at(op, 0, 0))
        sdy_rule_use(b, i, 0, batch);
    for (int k = 0; k < 2; k++)
        if (mask->dims[1] > 1 && mask->dims[1] == size_at(op, 0, 1) &&
            heads[k] != NO_FACTOR)
            sdy_rule_use(b, i, 1, heads[k]);
}

/* The whole sequences are needed; as one factor they can be exchanged for other shards. */
static void link_sequence(sdy_rule_builder *b, const ir_op *op, int64_t dim, size_t n_kv)
{
    if (size_at(op, 0, dim) != size_at(op, 1, dim))
        return;
    uint32_t f = LINK(b, SDY_REPLICATE, size_at(op, 0, dim), dim, {0, dim}, {1, dim});
    if (n_kv > 1)
        sdy_rule_use(b, 2, dim, f);
}

/* [batch, heads, sequence, size], or without heads. */
static bool attention(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    uint32_t rank = op->n_operands ? type_of(op, 0)->count : 0, heads[2];
    if ((rank != 3 && rank != 4) || !are_ranked(op, 3, rank) || !one_result(op, rank) ||
        op->results[0].type->dims[0] != size_at(op, 0, 0))
        return false;
    uint32_t batch = LINK(b, SDY_PASS, size_at(op, 0, 0), 0, {0, 0}, {1, 0}, {2, 0});
    if (rank == 4 && !link_heads(b, op, 1, 1, 2, heads))
        return false;
    if (rank == 4 && op->n_operands > 3)
        link_mask(b, op, 3, batch, heads);
    link_sequence(b, op, (int64_t)rank - 2, 2);
    return true;
}

/* Values are a prefix of the keys' features; queries have more features than values. */
static bool latent_attention(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    bool value = flag(op, "has_value", false), mask = flag(op, "has_attention_mask", false);
    size_t n_kv = value ? 2 : 1;
    uint32_t heads[2];
    if (op->n_operands != 1 + n_kv + mask || !are_ranked(op, op->n_operands, 4) ||
        !one_result(op, 4))
        return false;
    uint32_t batch = LINK(b, SDY_PASS, size_at(op, 0, 0), 0, {0, 0}, {1, 0});
    if (value)
        sdy_rule_use(b, 2, 0, batch);
    if (!link_heads(b, op, 1, 1, n_kv, heads))
        return false;
    if (mask)
        link_mask(b, op, 1 + n_kv, batch, heads);
    link_sequence(b, op, 2, n_kv);
    return true;
}

/* Queries [1, users, heads, size] on pages [pages, heads, block, size]. */
static bool paged_decode(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    uint32_t heads[2];
    if (!are_ranked(op, 3, 4) || !one_result(op, 4) || op->n_operands < 4)
        return false;
    if (!link_heads(b, op, 2, 1, 2, heads))
        return false;
    uint32_t users = LINK(b, SDY_PASS, size_at(op, 0, 1), 1, {0, 1}, {3, 0});
    size_t position = 4u + flag(op, "has_attention_mask", false);
    if (flag(op, "has_cur_pos_tensor", false) && position < op->n_operands)
        sdy_rule_use(b, position, 0, users);
    return true;
}

static bool chunked_prefill(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    uint32_t heads[2];
    if (op->n_operands != 5 || !are_ranked(op, 3, 4) || !one_result(op, 4) ||
        !link_heads(b, op, 1, 1, 2, heads))
        return false;
    LINK(b, SDY_PASS, size_at(op, 0, 0), 0, {0, 0}, {3, 0});
    return true;
}

static bool paged_latent_decode(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    size_t table = flag(op, "has_value", false) ? 3 : 2;
    bool mask = flag(op, "has_attention_mask", false);
    if (!are_ranked(op, 1, 4) || !one_result(op, 4) || table >= op->n_operands)
        return false;
    LINK(b, SDY_PASS, size_at(op, 0, 2), 2, {0, 2});
    uint32_t users = LINK(b, SDY_PASS, size_at(op, 0, 1), 1, {0, 1}, {(int64_t)table, 0});
    if (mask && table + 1 < op->n_operands && type_of(op, table + 1)->count &&
        size_at(op, table + 1, 0) == size_at(op, 0, 1))
        sdy_rule_use(b, table + 1, 0, users);
    if (flag(op, "has_cur_pos_tensor", false) && table + 1 + mask < op->n_operands)
        sdy_rule_use(b, table + 1 + mask, 0, users);
    return true;
}

/* A cache holds the entries of all users, so only its heads are independent. */
static bool write_cache(sdy_rule_builder *b, ir_op *op, int64_t from)
{
    if (!are_ranked(op, 2, 4) || !one_result(op, 4))
        return false;
    LINK(b, SDY_PASS, size_at(op, 0, 1), 1, {0, 1}, {1, from});
    return true;
}

static bool update_pages(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    return write_cache(b, op, 2);
}

static bool fill_pages(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    return write_cache(b, op, 1);
}

/* a [.., K] times the experts' b [1, E, K, N]; for selected rows of a, or all. */
static bool sparse_product(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    bool rows = flag(op, "is_input_a_sparse", false);
    bool experts = flag(op, "is_input_b_sparse", true);
    if (op->n_operands != 3 || op->n_results != 1 || (!rows && !experts) ||
        !are_ranked(op, 2, 4) || !ir_type_is_tensor(type_of(op, 2)) ||
        !type_of(op, 2)->count)
        return false;
    int64_t last = (int64_t)type_of(op, 2)->count - 1;
    int64_t at = rows ? 1 : 3, n = rows ? 3 : 5;
    if (!ir_type_is_tensor(op->results[0].type) || op->results[0].type->count <= n)
        return false;
    uint32_t expert = LINK(b, SDY_PASS, size_at(op, 1, 1), at, {1, 1}, {2, last});
    if (rows)
        sdy_rule_use(b, 0, 1, expert);
    LINK(b, SDY_REDUCE, size_at(op, 1, 2), SDY_NO_DIM, {0, 3}, {1, 2});
    LINK(b, SDY_PASS, size_at(op, 1, 3), n, {1, 3});
    return true;
}

/* The call itself communicates: tensors are replicated. */
static bool whole(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)b;
    (void)op;
    (void)conservative;
    return true;
}

/* Rows are independent; the selection is along the last dimension. */
static bool choose_in_rows(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    if (!op->n_operands || !ir_type_is_tensor(type_of(op, 0)) || !type_of(op, 0)->count ||
        !op->n_results)
        return false;
    int64_t last = (int64_t)type_of(op, 0)->count - 1;
    for (int64_t d = 0; d < last; d++) {
        uint32_t f = sdy_rule_factor(b, size_at(op, 0, d), SDY_PASS, false);
        for (size_t i = 0; i < op->n_operands; i++)
            if (type_of(op, i)->count > d && size_at(op, i, d) == size_at(op, 0, d))
                sdy_rule_use(b, i, d, f);
        for (size_t i = 0; i < op->n_results; i++)
            if (op->results[i].type->count > d)
                sdy_rule_use(b, sdy_rule_result(b, i), d, f);
    }
    sdy_rule_use(b, 0, last,
                 sdy_rule_factor(b, size_at(op, 0, last), SDY_REPLICATE, false));
    return true;
}

static ir_attr own(const ir_op *op, const char *name)
{
    ir_attr dict = ir_op_attr(op, "tt.composite_attributes");
    return ir_attr_is(dict, IR_ATTR_DICT) ? ir_dict_get(dict, tw_str_from(name)) : NULL;
}

static bool norm(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    int64_t shape[8], rank = op->n_operands ? type_of(op, 0)->count : 0;
    int64_t n = own(op, "normalized_shape")
                    ? ir_attr_ints(own(op, "normalized_shape"), shape, TW_COUNT(shape))
                    : -1;
    if (n < 1 || n > rank || !one_result(op, (uint32_t)rank))
        return false;
    for (int64_t d = 0; d < rank; d++) {
        bool batch = d < rank - n;
        uint32_t f =
            LINK(b, batch ? SDY_PASS : SDY_REPLICATE, size_at(op, 0, d), d, {0, d});
        for (size_t i = 1; i < op->n_operands && !batch; i++)
            sdy_rule_use(b, i, d - (rank - n), f);
    }
    return true;
}

/* Gathers elements of one dimension by indices into it. */
static bool gather_in(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    int64_t rank = op->n_operands == 2 ? type_of(op, 0)->count : 0;
    int64_t dim = ir_attr_int(own(op, "dim"), rank);
    dim += dim < 0 ? rank : 0;
    if (dim < 0 || dim >= rank || type_of(op, 1)->count != rank ||
        !one_result(op, (uint32_t)rank))
        return false;
    for (int64_t d = 0; d < rank; d++)
        if (d != dim && size_at(op, 0, d) == size_at(op, 1, d))
            LINK(b, SDY_PASS, size_at(op, 0, d), d, {0, d}, {1, d});
    LINK(b, SDY_PASS, size_at(op, 1, dim), dim, {1, dim});
    return true;
}

/* Key scores summed over the heads; causality depends on the position of a query. */
static bool indexer_scores(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    if (op->n_operands != 3 || !are_ranked(op, 3, 4) || !one_result(op, 4))
        return false;
    LINK(b, SDY_PASS, size_at(op, 0, 0), 0, {0, 0}, {1, 0}, {2, 0});
    LINK(b, SDY_REDUCE, size_at(op, 0, 1), SDY_NO_DIM, {0, 1}, {2, 1});
    return true;
}

static const struct {
    const char *target;
    sdy_rule_fn *rule;
} rows[] = {
    {"tenstorrent.argmax", choose_in_rows},
    {"tenstorrent.gather", gather_in},
    {"tenstorrent.gather_dim", gather_in},
    {"tenstorrent.rms_norm", norm},
    {"tenstorrent.scaled_dot_product_attention", attention},
    {"tenstorrent.topk", choose_in_rows},
    {"tenstorrent.topk_indices", choose_in_rows},
    {"tenstorrent.topk_values", choose_in_rows},
    {"tt.all_to_all_combine", whole},
    {"tt.all_to_all_dispatch", whole},
    {"tt.chunked_scaled_dot_product_attention", chunked_prefill},
    {"tt.flash_mla_prefill", latent_attention},
    {"tt.indexer_score_dsa", indexer_scores},
    {"tt.moe_expert_token_remap", whole},
    {"tt.paged_fill_cache", fill_pages},
    {"tt.paged_flash_mla_decode", paged_latent_decode},
    {"tt.paged_scaled_dot_product_attention_decode", paged_decode},
    {"tt.paged_update_cache", update_pages},
    {"tt.sampling", choose_in_rows},
    {"tt.scaled_dot_product_attention", attention},
    {"tt.sparse_matmul", sparse_product},
};

static sdy_rule_fn *rule_of(const ir_op *op)
{
    tw_str target = ir_attr_str(ir_op_attr(op, "call_target_name"));
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (tw_str_is(target, rows[i].target))
            return rows[i].rule;
    return NULL;
}

/* Replicates dimensions without a factor. */
static void replicate_rest(sdy_rule_builder *b)
{
    for (size_t t = 0; t < b->n_tensors; t++)
        for (uint32_t d = 0; ir_type_is_tensor(b->types[t]) && d < b->types[t]->count;
             d++) {
            bool used = b->types[t]->dims[d] == 1;
            for (size_t i = 0; i < b->n_uses && !used; i++)
                used = b->uses[i].tensor == t && b->uses[i].dim == d;
            if (!used)
                sdy_rule_use(
                    b, t, d,
                    sdy_rule_factor(b, b->types[t]->dims[d], SDY_REPLICATE, false));
        }
}

bool sdy_is_tt_call(const ir_op *op)
{
    return rule_of(op) != NULL;
}

bool sdy_rule_tt(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    sdy_rule_fn *rule = rule_of(op);
    if (!rule || !op->n_results || !rule(b, op, conservative))
        return false;
    replicate_rest(b);
    return true;
}
