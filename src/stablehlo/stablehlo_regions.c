/* stablehlo_regions.c: verifies regions of operations. */
#include "stablehlo/stablehlo.h"
#include "stablehlo/stablehlo_hooks.h"
#include "stablehlo/stablehlo_verify.h"
#include "support/strbuf.h"

#include <stdio.h>
#include <stdlib.h>

enum { CAPACITY = STABLEHLO_MAX_RANK, MANY = STABLEHLO_MAX_VALUES };

#define FAIL(...) ir_error(op->ctx, op->loc, __VA_ARGS__)

ir_op *stablehlo_end_of(const ir_op *op, size_t region)
{
    ir_block *block = ir_op_body(op, region);
    ir_op *last = block ? block->last : NULL;
    return last && (last->def->traits & IR_TERMINATOR) ? last : NULL;
}

static const char *text(ir_op *op, ir_type type)
{
    return ir_type_text(op->ctx, type);
}

/* ---- reducers ----------------------------------------------------------------------- */

typedef struct reducer {
    ir_op *op;
    ir_block *block;
    ir_op *end;
    size_t n;
    const int64_t *allowed;
    size_t n_allowed;
} reducer;

static bool check_argument_dims(const reducer *r, size_t i)
{
    ir_op *op = r->op;
    size_t index = r->n + i, seen = 0;
    ir_type arg = r->block->args[index]->type;
    if (!ir_type_is_tensor(arg))
        return true;
    if (arg->count > r->n_allowed)
        return FAIL("The rank of reduction-region's argument at index %zu is expected to "
                    "be <= %zu, got %u",
                    index, r->n_allowed, arg->count);
    for (size_t k = 0; k < r->n_allowed && seen < arg->count; k++)
        seen += stablehlo_sizes_fit(r->allowed[k], arg->dims[seen]);
    if (seen != arg->count)
        return FAIL("The shape of reduction-region's argument at index %zu is not "
                    "compatible with that of reduce-op's input-parameter at index %zu",
                    index, i);
    return true;
}

static bool check_reduced(const reducer *r, size_t i, ir_type input, ir_type init)
{
    ir_op *op = r->op;
    ir_type result = r->end->operands[i].value->type;
    for (size_t k = 0; k < 2; k++) {
        size_t index = i + k * r->n;
        ir_type arg = r->block->args[index]->type;
        if (!ir_type_is_shaped(arg) || !stablehlo_is_like(result, arg, k == 1))
            return FAIL("The type of reduction-region's parameter at index %zu is "
                        "different than the corresponding result type: '%s' vs '%s'",
                        index, text(op, arg), text(op, result));
    }
    if (!stablehlo_shapes_fit(init, result))
        return FAIL("The shape of reduction-region's result type at index %zu differs from "
                    "the op's corresponding init-value type: '%s' vs '%s'",
                    i, text(op, result), text(op, init));
    if (!stablehlo_is_promotable(init, result))
        return FAIL("The element-type of reduction-region's result type at index %zu is "
                    "expected to be promotable from the op's corresponding init-value "
                    "element-type: '%s' vs '%s'",
                    i, text(op, result), text(op, init));
    ir_type arg = r->block->args[r->n + i]->type;
    if (!stablehlo_is_promotable(input, arg))
        return FAIL("The element-type of reduction-region's argument at index %zu is "
                    "expected to be promotable from '%s', but got '%s'",
                    r->n + i, text(op, input->element), text(op, arg->element));
    return check_argument_dims(r, i);
}

bool stablehlo_check_reducer(ir_op *op, size_t region, const ir_type *inputs,
                             const ir_type *inits, size_t n, const int64_t *allowed,
                             size_t n_allowed)
{
    reducer r = {op,       ir_op_body(op, region), stablehlo_end_of(op, region), n, allowed,
                 n_allowed};
    if (!r.block)
        return FAIL("expect non-empty region");
    if (r.block->n_args != n * 2)
        return FAIL("Reduction-region must take %zu parameters, but takes %u parameter(s)",
                    n * 2, r.block->n_args);
    if (!r.end)
        return FAIL("The reduction-region expected to have a terminator");
    if (r.end->n_operands == 0)
        return FAIL("The reduction-region expected to return some value(s)");
    if (r.end->n_operands != n)
        return FAIL("Reduction-region here must produce %zu tensors, but produces %u "
                    "instead",
                    n, r.end->n_operands);
    for (size_t i = 0; i < n; i++)
        if (!ir_type_is_shaped(r.end->operands[i].value->type))
            return FAIL("Reduction-region here must produce tensor-typed result(s), but "
                        "produces '%s' instead",
                        text(op, r.end->operands[i].value->type));
    for (size_t i = 0; i < n; i++)
        if (!check_reduced(&r, i, inputs[i], inits[i]))
            return false;
    return true;
}

/* Types of an operand group; at most MANY. */
static size_t group_types(const ir_op *op, size_t group, ir_type *types)
{
    size_t start, count;
    if (!ir_op_operand_group(op, group, &start, &count)) {
        count = op->n_operands / op->def->operands.count; /* a remainder is an error */
        start = group * count;
    }
    count = TW_MIN(count, (size_t)MANY);
    for (size_t i = 0; i < count; i++)
        types[i] = op->operands[start + i].value->type;
    return count;
}

/* Results have the element types that the body returns (or the inputs', if none). */
static ir_type reduced_element(const ir_op *op, size_t region, size_t i, ir_type input)
{
    ir_op *end = stablehlo_end_of(op, region);
    ir_type type = end && i < end->n_operands ? end->operands[i].value->type : NULL;
    return type && ir_type_is_shaped(type) ? type->element : input->element;
}

static bool reduced_dims(ir_op *op, ir_type *inputs, size_t n, int64_t *out, size_t *out_n)
{
    int64_t dims[MANY];
    int64_t count = ir_attr_ints(ir_op_attr(op, "dimensions"), dims, CAPACITY);
    for (size_t i = 1; i < n; i++)
        if (!stablehlo_shapes_fit(inputs[0], inputs[i]))
            return FAIL("expects all inputs to have compatible shapes. Shape at "
                        "input-index %zu is not compatible with shape at input-index 0",
                        i);
    uint64_t reduced = 0;
    for (int64_t i = 0; i < count && i < CAPACITY; i++) {
        if (dims[i] < 0 || dims[i] >= inputs[0]->count)
            return FAIL("Out-of-bounds dimension %lld, expected to be in range [0, %u)",
                        (long long)dims[i], inputs[0]->count);
        if (reduced >> dims[i] & 1)
            return FAIL("Duplicate reduction dimension: %lld", (long long)dims[i]);
        reduced |= UINT64_C(1) << dims[i];
    }
    *out_n = 0;
    for (uint32_t i = 0; i < inputs[0]->count; i++)
        if (!(reduced >> i & 1))
            out[(*out_n)++] = i;
    return true;
}

bool stablehlo_infer_reduce(ir_op *op, chk_types *out)
{
    ir_type inputs[MANY], inferred[MANY];
    int64_t kept[CAPACITY], dims[CAPACITY], bounds[CAPACITY], kept_bounds[CAPACITY];
    size_t n = group_types(op, 0, inputs), rank;
    if (n == 0 || inputs[0]->count > CAPACITY || !ir_type_is_tensor(inputs[0]))
        return true;
    if (!reduced_dims(op, inputs, n, kept, &rank))
        return false;
    bool bounded = stablehlo_bounds(inputs[0], bounds, CAPACITY) == inputs[0]->count;
    for (size_t i = 0; i < rank; i++) {
        dims[i] = inputs[0]->dims[kept[i]];
        kept_bounds[i] = bounded ? bounds[kept[i]] : IR_DYNAMIC;
    }
    for (size_t i = 0; i < n; i++)
        inferred[i] = stablehlo_bounded(inputs[0], reduced_element(op, 0, i, inputs[i]),
                                        dims, rank, kept_bounds, bounded ? rank : 0);
    ir_op *end = stablehlo_end_of(op, 0);
    return stablehlo_set_types(out, inferred, end ? TW_MIN(n, end->n_operands) : n);
}

bool stablehlo_verify_reduce(ir_op *op)
{
    ir_type inputs[MANY], inits[MANY];
    int64_t kept[CAPACITY], dims[CAPACITY];
    size_t n = group_types(op, 0, inputs), rank;
    if (n == 0)
        return FAIL("requires at least 1 input value");
    if (inputs[0]->count > CAPACITY || group_types(op, 1, inits) != n)
        return true;
    if (!reduced_dims(op, inputs, n, kept, &rank))
        return false;
    for (size_t i = 0; i < rank; i++)
        dims[i] = inputs[0]->dims[kept[i]];
    return stablehlo_check_reducer(op, 0, inputs, inits, n, dims, rank);
}

/* ---- scatter and select_and_scatter ------------------------------------------------- */

bool stablehlo_infer_scatter(ir_op *op, chk_types *out)
{
    ir_type inputs[MANY], inferred[MANY];
    size_t n = group_types(op, 0, inputs);
    for (size_t i = 0; i < n; i++)
        inferred[i] = ir_type_with_element(inputs[i], reduced_element(op, 0, i, inputs[i]));
    return stablehlo_set_types(out, inferred, n);
}

bool stablehlo_verify_scatter_body(ir_op *op)
{
    ir_type inputs[MANY], inits[MANY];
    size_t n = group_types(op, 0, inputs);
    if (group_types(op, 2, inits) != n)
        return true;
    for (size_t i = 0; i < n; i++)
        inits[i] = stablehlo_scalar(inits[i]->element);
    return stablehlo_check_reducer(op, 0, inputs, inits, n, NULL, 0);
}

bool stablehlo_infer_select_and_scatter(ir_op *op, chk_types *out)
{
    ir_type operand = op->operands[0].value->type;
    ir_type inferred = ir_type_with_element(operand, reduced_element(op, 1, 0, operand));
    return stablehlo_set_types(out, &inferred, 1);
}

/* ---- control flow ------------------------------------------------------------------- */

static size_t argument_types(const ir_block *block, ir_type *types)
{
    size_t n = TW_MIN(block->n_args, (uint32_t)MANY);
    for (size_t i = 0; i < n; i++)
        types[i] = block->args[i]->type;
    return n;
}

static size_t operand_types(const ir_op *op, ir_type *types)
{
    size_t n = TW_MIN(op->n_operands, (uint32_t)MANY);
    for (size_t i = 0; i < n; i++)
        types[i] = op->operands[i].value->type;
    return n;
}

static bool lists_fit(const ir_type *a, size_t n, const ir_type *b, size_t m)
{
    bool fit = n == m;
    for (size_t i = 0; fit && i < n; i++)
        fit = stablehlo_types_fit(a[i], b[i]);
    return fit;
}

static bool fail_lists(ir_op *op, const char *what, const ir_type *a, size_t n,
                       const ir_type *b, size_t m)
{
    tw_strbuf types = {0};
    stablehlo_put_types(&types, op->ctx, a, n);
    tw_strbuf_puts(&types, " vs ");
    stablehlo_put_types(&types, op->ctx, b, m);
    FAIL("%s %s", what, tw_strbuf_text(&types));
    tw_strbuf_free(&types);
    return false;
}

static bool returns_truth(const ir_op *end)
{
    ir_type type = end->operands[0].value->type;
    return ir_type_is_tensor(type) && type->count == 0 &&
           ir_type_is_integer(type->element, 1);
}

bool stablehlo_verify_while(ir_op *op)
{
    ir_type own[MANY], other[MANY];
    size_t n = operand_types(op, own), m;
    ir_block *cond = ir_op_body(op, 0), *body = ir_op_body(op, 1);
    ir_op *cond_end = stablehlo_end_of(op, 0), *body_end = stablehlo_end_of(op, 1);
    if (!cond || !body)
        return FAIL("expect non-empty region");
    m = argument_types(cond, other);
    if (!lists_fit(own, n, other, m))
        return fail_lists(op,
                          "expect operands to be compatible with condition block "
                          "arguments but got",
                          own, n, other, m);
    m = argument_types(body, other);
    if (!lists_fit(own, n, other, m))
        return fail_lists(
            op, "expect operands to be compatible with body block arguments but got", own,
            n, other, m);
    if (!body_end || !cond_end)
        return FAIL("The while body-region expected to have a terminator");
    m = operand_types(body_end, other);
    if (!lists_fit(own, n, other, m))
        return fail_lists(
            op, "expect operands to be compatible with body block return types but got",
            own, n, other, m);
    if (cond_end->n_operands != 1)
        return FAIL("expect condition body returns a single value but got %u",
                    cond_end->n_operands);
    if (!returns_truth(cond_end))
        return FAIL("expect condition block return a zero-ranked tensor of i1 but got '%s'",
                    text(op, cond_end->operands[0].value->type));
    return true;
}

bool stablehlo_infer_conditional(ir_op *op, chk_types *out)
{
    ir_type first[MANY], other[MANY], inferred[MANY];
    ir_type operand = op->operands[0].value->type;
    size_t n = 0;
    if (ir_type_is_tensor(operand) && operand->count != 0)
        return FAIL("operand should be rank 0 tensor but got rank %u", operand->count);
    if (op->n_regions == 0)
        return FAIL("expect at least one branch");
    for (uint16_t r = 0; r < op->n_regions; r++)
        if (!ir_op_body(op, r))
            return FAIL("expect non-empty region");
    for (uint16_t r = 0; r < op->n_regions; r++) {
        ir_op *end = stablehlo_end_of(op, r);
        size_t m = end ? operand_types(end, other) : 0;
        if (ir_op_body(op, r)->n_args)
            return FAIL("branch %u must have 0 arguments, but found %u", r,
                        ir_op_body(op, r)->n_args);
        if (r == 0) {
            n = m;
            memcpy(first, other, n * sizeof *first);
            memcpy(inferred, other, n * sizeof *first);
        }
        if (!lists_fit(first, n, other, m)) {
            char what[64];
            snprintf(what, sizeof what,
                     "branch 0 and branch %u have mismatched return types:", r);
            return fail_lists(op, what, first, n, other, m);
        }
        for (size_t i = 0; i < n; i++) {
            ir_type both[] = {inferred[i], other[i]};
            if (!stablehlo_merge_types(op, both, 2, true, &inferred[i]))
                return false;
        }
    }
    return stablehlo_set_types(out, inferred, n);
}

/* ---- map and sort ------------------------------------------------------------------- */

static bool check_map_body(ir_op *op, ir_block *body, ir_op *end)
{
    if (op->n_operands != body->n_args)
        return FAIL("expects number of operands to match the arity of map computation, but "
                    "got: %u and %u",
                    op->n_operands, body->n_args);
    for (uint32_t i = 0; i < body->n_args; i++) {
        ir_type arg = body->args[i]->type, operand = op->operands[i].value->type;
        if (!ir_type_is_tensor(arg) || arg->count != 0)
            return FAIL("computation arguments must be 0-rank tensor, but got: arg #%u of "
                        "type '%s'",
                        i, text(op, arg));
        if (arg->element != operand->element)
            return FAIL("element type of operands and computation arguments must match, "
                        "but got: '%s' and '%s'",
                        text(op, operand->element), text(op, arg->element));
    }
    if (!end || end->n_operands != 1)
        return FAIL("computation must return single output, but got: %u",
                    end ? end->n_operands : 0);
    ir_type out = end->operands[0].value->type;
    if (!ir_type_is_tensor(out) || out->count != 0)
        return FAIL("computation must return 0-rank tensor, but got: '%s'", text(op, out));
    return true;
}

bool stablehlo_infer_map(ir_op *op, chk_types *out)
{
    int64_t dims[CAPACITY];
    int64_t n = ir_attr_ints(ir_op_attr(op, "dimensions"), dims, CAPACITY);
    ir_block *body = ir_op_body(op, 0);
    ir_op *end = stablehlo_end_of(op, 0);
    if (!body)
        return FAIL("expect non-empty region");
    if (!check_map_body(op, body, end))
        return false;
    for (int64_t i = 0; i < n && i < CAPACITY; i++)
        if (dims[i] != i) {
            tw_strbuf list = {0};
            for (int64_t k = 0; k < n && k < CAPACITY; k++)
                tw_strbuf_printf(&list, "%s%lld", k ? ", " : "", (long long)dims[k]);
            FAIL("requires monotonically increasing dimension numbers, but got: %s",
                 tw_strbuf_text(&list));
            tw_strbuf_free(&list);
            return false;
        }
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (op->operands[i].value->type->count != n)
            return FAIL("applied to a subset of dimensions currently not supported: "
                        "operand dimensions = %u, requested map dimensions size = %lld",
                        op->operands[i].value->type->count, (long long)n);
    ir_type last = op->operands[op->n_operands - 1].value->type;
    ir_type inferred = ir_tensor_type(end->operands[0].value->type->element, last->dims,
                                      last->count, NULL);
    return stablehlo_set_types(out, &inferred, 1);
}

bool stablehlo_verify_sort(ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    ir_op *end = stablehlo_end_of(op, 0);
    if (!body)
        return FAIL("expect non-empty region");
    if (body->n_args != 2 * op->n_operands)
        return FAIL("comparator block should have %u arguments", 2 * op->n_operands);
    for (uint32_t i = 0; i < body->n_args; i++) {
        ir_type wanted = stablehlo_scalar(op->operands[i / 2].value->type->element);
        if (body->args[i]->type != wanted)
            return FAIL("comparator block argument #%u should be of type '%s' but got '%s'",
                        i, text(op, wanted), text(op, body->args[i]->type));
    }
    if (!end || end->n_operands != 1)
        return FAIL("comparator must return single output but got %u",
                    end ? end->n_operands : 0);
    if (!returns_truth(end))
        return FAIL("comparator must return tensor<i1> but got '%s'",
                    text(op, end->operands[0].value->type));
    return true;
}
