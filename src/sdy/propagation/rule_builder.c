/* rule_builder.c: see rule_builder.h. */
#include "sdy/propagation/rule_builder.h"

#include "sdy/sdy.h"
#include "sdy/sdy_verify.h"

#include <stdlib.h>

static uint32_t rank_of(ir_type t)
{
    t = sdy_shaped(t);
    return ir_type_is_ranked(t) ? t->count : 0;
}

void sdy_rule_begin_types(sdy_rule_builder *b, const ir_type *types, size_t n_operands,
                          size_t n_results)
{
    ir_type *own = tw_xmalloc((n_operands + n_results + 1) * sizeof *own);
    for (size_t i = 0; i < n_operands + n_results; i++)
        own[i] = types[i];
    *b = (sdy_rule_builder){
        .n_operands = n_operands, .n_tensors = n_operands + n_results, .types = own};
}

void sdy_rule_begin(sdy_rule_builder *b, ir_op *op)
{
    size_t n = op->n_operands + op->n_results;
    ir_type *types = tw_xmalloc((n + 1) * sizeof *types);
    for (uint32_t i = 0; i < op->n_operands; i++)
        types[i] = op->operands[i].value->type;
    for (uint32_t i = 0; i < op->n_results; i++)
        types[op->n_operands + i] = op->results[i].type;
    sdy_rule_begin_types(b, types, op->n_operands, op->n_results);
    free(types);
}

uint32_t sdy_rule_factor(sdy_rule_builder *b, int64_t size, sdy_factor_kind kind,
                         bool blocked)
{
    sdy_rule_factor_def made = {size, kind, blocked};
    TW_PUSH(b->factors, b->n_factors, b->factors_capacity, made);
    return (uint32_t)b->n_factors - 1;
}

static bool has_factor(const sdy_rule_builder *b, size_t tensor, int64_t dim)
{
    for (size_t i = 0; i < b->n_uses; i++)
        if (b->uses[i].tensor == tensor && b->uses[i].dim == dim)
            return true;
    return false;
}

static void add_use(sdy_rule_builder *b, size_t tensor, int64_t dim, uint32_t factor)
{
    sdy_rule_factor_use made = {(uint32_t)tensor, (uint32_t)dim, factor};
    TW_PUSH(b->uses, b->n_uses, b->uses_capacity, made);
}

void sdy_rule_use(sdy_rule_builder *b, size_t tensor, int64_t dim, uint32_t factor)
{
    if (tensor >= b->n_tensors || dim < 0 || dim >= rank_of(b->types[tensor]) ||
        (b->factors[factor].size == 1 && has_factor(b, tensor, dim)))
        return;
    add_use(b, tensor, dim, factor);
}

static void use_range(sdy_rule_builder *b, size_t from, size_t to, int64_t dim,
                      uint32_t factor)
{
    for (size_t i = from; i < to; i++)
        if (dim >= 0 && dim < rank_of(b->types[i]))
            add_use(b, i, dim, factor);
}

void sdy_rule_all(sdy_rule_builder *b, int64_t dim, int64_t size, sdy_factor_kind kind,
                  bool blocked)
{
    use_range(b, 0, b->n_tensors, dim, sdy_rule_factor(b, size, kind, blocked));
}

void sdy_rule_operands(sdy_rule_builder *b, int64_t dim, int64_t size, sdy_factor_kind kind)
{
    use_range(b, 0, b->n_operands, dim, sdy_rule_factor(b, size, kind, false));
}

void sdy_rule_results(sdy_rule_builder *b, int64_t dim, int64_t size, sdy_factor_kind kind)
{
    use_range(b, b->n_operands, b->n_tensors, dim, sdy_rule_factor(b, size, kind, false));
}

void sdy_rule_product(sdy_rule_builder *b, int64_t lhs, int64_t rhs, int64_t out,
                      int64_t size, sdy_factor_kind kind)
{
    uint32_t factor = sdy_rule_factor(b, size, kind, false);
    sdy_rule_use(b, 0, lhs, factor);
    sdy_rule_use(b, 1, rhs, factor);
    sdy_rule_use(b, sdy_rule_result(b, 0), out, factor);
}

void sdy_rule_pair(sdy_rule_builder *b, int64_t in, int64_t out, int64_t size,
                   sdy_factor_kind kind, bool blocked)
{
    uint32_t factor = sdy_rule_factor(b, size, kind, blocked);
    sdy_rule_use(b, 0, in, factor);
    sdy_rule_use(b, sdy_rule_result(b, 0), out, factor);
}

/* ---- the attribute ------------------------------------------------------------------ */

static ir_attr dim_mapping(sdy_rule_builder *b, ir_context *ctx, size_t tensor,
                           uint32_t dim)
{
    ir_attr *items = NULL;
    size_t n = 0, capacity = 0;
    for (size_t i = 0; i < b->n_uses; i++)
        if (b->uses[i].tensor == tensor && b->uses[i].dim == dim)
            TW_PUSH(items, n, capacity, ir_raw_int(ctx, b->uses[i].factor));
    if (!n)
        TW_PUSH(items, n, capacity,
                ir_raw_int(ctx, sdy_rule_factor(b, 1, SDY_PASS, false)));
    ir_attr list = ir_array_attr(ctx, items, n);
    free(items);
    return ir_dialect_attr(ctx, SDY_ATTR(dim_mapping), &list, 1);
}

static ir_attr mappings(sdy_rule_builder *b, ir_context *ctx, size_t from, size_t to)
{
    ir_attr *tensors = NULL;
    size_t n = 0, capacity = 0;
    for (size_t i = from; i < to; i++) {
        uint32_t rank = rank_of(b->types[i]);
        ir_attr *dims = tw_xmalloc((rank + 1u) * sizeof *dims);
        for (uint32_t d = 0; d < rank; d++)
            dims[d] = dim_mapping(b, ctx, i, d);
        ir_attr list = ir_array_attr(ctx, dims, rank);
        TW_PUSH(tensors, n, capacity,
                ir_dialect_attr(ctx, SDY_ATTR(tensor_mapping), &list, 1));
        free(dims);
    }
    ir_attr all = ir_array_attr(ctx, tensors, n);
    free(tensors);
    return all;
}

/* Lists factors of a kind, or (NO_KIND) blocked ones. */
enum { NO_KIND = -1 };

static ir_attr factors_of(const sdy_rule_builder *b, ir_context *ctx, int kind)
{
    ir_attr *items = tw_xmalloc((b->n_factors + 1) * sizeof *items);
    size_t n = 0;
    for (size_t i = 0; i < b->n_factors; i++)
        if (kind == NO_KIND ? b->factors[i].blocked : (int)b->factors[i].kind == kind)
            items[n++] = ir_raw_int(ctx, (int64_t)i);
    ir_attr list = ir_array_attr(ctx, items, n);
    free(items);
    return list;
}

ir_attr sdy_rule_end(sdy_rule_builder *b, ir_context *ctx)
{
    ir_attr operands = mappings(b, ctx, 0, b->n_operands);
    ir_attr results = mappings(b, ctx, b->n_operands, b->n_tensors);
    ir_attr *sizes = tw_xmalloc((b->n_factors + 1) * sizeof *sizes);
    for (size_t i = 0; i < b->n_factors; i++)
        sizes[i] = ir_raw_int(ctx, b->factors[i].size);
    ir_attr params[] = {ir_array_attr(ctx, sizes, b->n_factors),
                        operands,
                        results,
                        factors_of(b, ctx, SDY_REDUCE),
                        factors_of(b, ctx, SDY_REPLICATE),
                        factors_of(b, ctx, SDY_PERMUTE),
                        factors_of(b, ctx, NO_KIND),
                        ir_raw_int(ctx, 0)};
    free(sizes);
    free(b->factors);
    free(b->uses);
    free(b->types);
    return ir_dialect_attr(ctx, SDY_ATTR(op_sharding_rule), params, TW_COUNT(params));
}
