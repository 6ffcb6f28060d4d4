/* linalg_verify.c: verifies structured operations: maps against operands and loops, bodies
 * against element types, results against outputs.  Messages are mlir-opt's. */
#include "ir/rules/rules.h"
#include "mlir/linalg/linalg.h"
#include "mlir/linalg/linalg_hooks.h"
#include "mlir/shared/region_flow.h"
#include "support/strbuf.h"

enum { MAX_LOOPS = 32 };

static bool is_structured(const ir_op *op)
{
    return op && ir_def_has(op->def, "LinalgOp");
}

/* The outputs are the last operand group. */
static bool outputs_of(const ir_op *op, size_t *first, size_t *n)
{
    return ir_op_operand_group(op, op->def->operands.count - 1, first, n);
}

static ir_type type_at(const ir_op *op, size_t operand)
{
    return ir_op_operand(op, operand)->type;
}

static const char *type_text(const ir_op *op, ir_type type)
{
    return ir_type_text(op->ctx, type);
}

static ir_type element_or_self(ir_type type)
{
    return type->kind == IR_TYPE_MEMREF || type->kind == IR_TYPE_TENSOR ? type->element
                                                                        : type;
}

/* ---- outputs and results ------------------------------------------------------------ */

static bool check_results(ir_op *op)
{
    size_t first, n;
    return !outputs_of(op, &first, &n) || region_outputs_fit(op, first, n);
}

/* ---- maps --------------------------------------------------------------------------- */

/* The trip count of each loop, from the first operand with a dimension indexed by that loop
 * alone; false if one is not known. */
static bool loop_sizes(const ir_op *op, ir_attr maps, uint32_t loops, int64_t *out)
{
    for (uint32_t d = 0; d < loops; d++) {
        bool found = false;
        for (uint32_t i = 0; i < op->n_operands && !found; i++) {
            ir_affine_map map = maps->items[i]->map;
            for (uint32_t k = 0; k < map->n_results && !found; k++) {
                found =
                    map->results[k]->kind == IR_AFFINE_DIM && map->results[k]->value == d;
                if (found)
                    out[d] = type_at(op, i)->dims[k];
            }
        }
        if (!found || out[d] == IR_DYNAMIC)
            return false;
    }
    return true;
}

static bool check_sizes(ir_op *op, ir_attr maps, uint32_t loops)
{
    int64_t last[MAX_LOOPS], zero[MAX_LOOPS] = {0};
    CHK_ERROR_IF(loops > MAX_LOOPS, "has %u loops; at most %d are supported", loops,
                 MAX_LOOPS);
    if (!loop_sizes(op, maps, loops, last))
        return true;
    for (uint32_t d = 0; d < loops; d++)
        last[d]--;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_affine_map map = maps->items[i]->map;
        ir_type type = type_at(op, i);
        for (uint32_t k = 0; k < map->n_results; k++) {
            int64_t a, b, found = type->dims[k];
            if (found == IR_DYNAMIC || found == 0 ||
                !ir_affine_eval(map->results[k], zero, NULL, &a) ||
                !ir_affine_eval(map->results[k], last, NULL, &b))
                continue;
            int64_t size = TW_MAX(a, b) + 1;
            bool alone = map->results[k]->kind == IR_AFFINE_DIM;
            CHK_ERROR_IF(TW_MIN(a, b) < 0,
                         "unexpected result less than 0 at expression #%u in %s", k,
                         ir_attr_text(op->ctx, maps->items[i]));
            CHK_ERROR_IF(
                alone ? size != found : size > found,
                "inferred input/output operand #%u has shape's dimension #%u to be "
                "%s%lld, but found %lld",
                i, k, alone ? "" : "greater than or equal to ", (long long)size,
                (long long)found);
        }
    }
    return true;
}

static bool check_maps(ir_op *op, ir_attr maps, uint32_t loops)
{
    CHK_ERROR_IF(maps->count != op->n_operands,
                 "expected the number of indexing_map (%u) to be equal to the number of "
                 "input/output operands (%u)",
                 maps->count, op->n_operands);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_affine_map map = maps->items[i]->map;
        ir_type type = type_at(op, i);
        uint32_t rank = ir_type_is_ranked(type) ? type->count : 0;
        CHK_ERROR_IF(map->n_symbols, "unexpected symbols in indexing_map #%u", i);
        CHK_ERROR_IF(map->n_dims != loops,
                     "expected indexing_map #%u to have %u dim(s) to match the number of "
                     "loops",
                     i, loops);
        CHK_ERROR_IF(map->n_results != rank,
                     "expected operand rank (%u) to match the result rank of indexing_map "
                     "#%u (%u)",
                     rank, i, map->n_results);
    }
    for (uint32_t d = 0; d < loops; d++) {
        bool alone = false;
        for (uint32_t i = 0; i < op->n_operands && !alone; i++)
            for (uint32_t k = 0; k < maps->items[i]->map->n_results; k++)
                alone |= maps->items[i]->map->results[k]->kind == IR_AFFINE_DIM &&
                         maps->items[i]->map->results[k]->value == d;
        if (!alone && op->def == LINALG_OP(contract))
            return ir_error_at_op(
                op, "iteration space dim at index %u not used to access any operand", d);
        CHK_ERROR_IF(!alone, "expected the shape-to-loops map to be non-null");
    }
    return true;
}

static bool check_argument(ir_op *op, const ir_block *body, uint32_t i)
{
    ir_type type = element_or_self(type_at(op, i)), arg = body->args[i]->type;
    CHK_ERROR_IF(type != arg,
                 "expected type of bb argument #%u ('%s') to match element or self type "
                 "of the corresponding operand ('%s')",
                 i, type_text(op, arg), type_text(op, type));
    return true;
}

static bool check_body(ir_op *op)
{
    const ir_block *body = ir_op_body(op, 0);
    CHK_ERROR_IF(op->n_regions != 1 || !body || body->next,
                 "expects to have 1 region with 1 block");
    CHK_ERROR_IF(
        body->n_args != op->n_operands,
        "expected as many non-induction variable region arguments as the number of "
        "input/output operands");
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!check_argument(op, body, i))
            return false;
    return true;
}

static bool is_pure(const ir_op *op)
{
    bool tensors = false, memory = false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        tensors |= ir_type_is_tensor(type_at(op, i));
        memory |= type_at(op, i)->kind == IR_TYPE_MEMREF;
    }
    return !tensors || !memory;
}

static bool check_purity(ir_op *op)
{
    CHK_ERROR_IF(!is_pure(op), "expected to have pure tensor or buffer semantics");
    return true;
}

bool linalg_verify_results(ir_op *op)
{
    return check_results(op) && check_purity(op);
}

bool linalg_verify_shaped(ir_op *op)
{
    return linalg_verify_results(op) && check_body(op);
}

bool linalg_verify_named(ir_op *op)
{
    uint32_t loops = 0;
    if (!linalg_verify_results(op))
        return false;
    ir_attr maps = linalg_maps_of(op, &loops);
    if (!maps)
        return true;
    linalg_note_maps(op, maps);
    return check_maps(op, maps, loops) && check_body(op) && check_sizes(op, maps, loops) &&
           linalg_verify_kind(op, maps);
}

bool linalg_verify_generic(ir_op *op)
{
    ir_attr maps = ir_op_attr(op, "indexing_maps");
    uint32_t loops = ir_op_attr(op, "iterator_types")->count;
    if (!linalg_verify_results(op))
        return false;
    return check_maps(op, maps, loops) && check_body(op) && check_sizes(op, maps, loops);
}

/* ---- operations in bodies ----------------------------------------------------------- */

bool linalg_verify_index(ir_op *op)
{
    const ir_op *around = ir_op_parent(op);
    CHK_ERROR_IF(!is_structured(around), "expected parent op with LinalgOp interface");
    ir_attr iterators = ir_op_attr(around, "iterator_types");
    int64_t dim = ir_op_int(op, "dim", 0);
    CHK_ERROR_IF(iterators && dim >= iterators->count,
                 "expected dim (%lld) to be lower than the number of loops (%u) of the "
                 "enclosing LinalgOp",
                 (long long)dim, iterators->count);
    return true;
}

bool linalg_verify_yield(ir_op *op)
{
    const ir_op *around = ir_op_parent(op);
    size_t first, n;
    CHK_ERROR_IF(around && !(around->def->traits & IR_UNREGISTERED) &&
                     !is_structured(around),
                 "expected parent op with LinalgOp interface");
    if (!around || !is_structured(around) || !outputs_of(around, &first, &n))
        return true;
    CHK_ERROR_IF(op->n_operands != n,
                 "expected number of yield values (%u) to match the number of inits / outs "
                 "operands of the enclosing LinalgOp (%zu)",
                 op->n_operands, n);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type element = element_or_self(type_at(around, first + i));
        CHK_ERROR_IF(
            type_at(op, i) != element,
            "type of yield operand %u ('%s') doesn't match the element type of the "
            "enclosing linalg.generic op ('%s')",
            i + 1, type_text(op, type_at(op, i)), type_text(op, element));
    }
    return true;
}

/* ---- operations of dimensions ------------------------------------------------------- */

static bool ints_of(ir_op *op, const char *name, int64_t out[MAX_LOOPS], int64_t *n)
{
    *n = ir_attr_ints(ir_op_attr(op, name), out, MAX_LOOPS);
    CHK_ERROR_IF(*n > MAX_LOOPS, "%s has %lld entries; at most %d are checked", name,
                 (long long)*n, MAX_LOOPS);
    return true;
}

bool linalg_verify_transpose(ir_op *op)
{
    ir_type in = type_at(op, 0), init = type_at(op, 1);
    int64_t order[MAX_LOOPS], n;
    if (!ints_of(op, "permutation", order, &n))
        return false;
    if (!ir_type_is_ranked(in) || !ir_type_is_ranked(init) || n < 0)
        return true;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < i; k++)
            CHK_ERROR_IF(order[i] == order[k], "permutation is not valid");
    CHK_ERROR_IF(in->count != init->count, "input rank %u does not match init rank %u",
                 in->count, init->count);
    CHK_ERROR_IF(n != in->count,
                 "size of permutation %lld does not match the argument rank %u",
                 (long long)n, in->count);
    for (int64_t i = 0; i < n; i++)
        CHK_ERROR_IF(order[i] < 0 || order[i] >= n, "permutation is not valid");
    for (int64_t i = 0; i < n; i++)
        CHK_ERROR_IF(init->dims[i] != in->dims[order[i]],
                     "dim(result, %lld) = %lld doesn't match dim(input, "
                     "permutation[%lld]) = %lld",
                     (long long)i, (long long)init->dims[i], (long long)i,
                     (long long)in->dims[order[i]]);
    return true;
}

bool linalg_verify_broadcast(ir_op *op)
{
    ir_type in = type_at(op, 0), init = type_at(op, 1);
    int64_t added[MAX_LOOPS], n;
    if (!ints_of(op, "dimensions", added, &n))
        return false;
    if (!ir_type_is_ranked(in) || !ir_type_is_ranked(init) || n < 0)
        return true;
    CHK_ERROR_IF(in->count + n != init->count,
                 "input rank plus added dimensions does not match init rank. input rank: "
                 "%u, dimensions size: %lld, init rank: %u",
                 in->count, (long long)n, init->count);
    uint64_t is_added = 0;
    for (int64_t i = 0; i < n; i++) {
        CHK_ERROR_IF(added[i] < 0 || added[i] >= init->count,
                     "dimension %lld is out of range. expected range: [0, %u], got: %lld",
                     (long long)i, init->count - 1, (long long)added[i]);
        is_added |= added[i] < 64 ? (uint64_t)1 << added[i] : 0;
    }
    uint32_t k = 0;
    for (uint32_t d = 0; d < TW_MIN(init->count, 64u) && k < in->count; d++) {
        if (is_added >> d & 1)
            continue;
        CHK_ERROR_IF(in->dims[k] != init->dims[d],
                     "input dim %u should match init dim %u. input: %lld, init: %lld", k, d,
                     (long long)in->dims[k], (long long)init->dims[d]);
        k++;
    }
    return true;
}

static const char *list_text(const ir_op *op, const int64_t *dims, uint32_t n)
{
    tw_strbuf text = {0};
    for (uint32_t i = 0; i < n; i++)
        tw_strbuf_printf(&text, "%s%lld", i ? ", " : "", (long long)dims[i]);
    const char *copy = tw_arena_printf(ir_context_arena(op->ctx), "%s",
                                       text.size ? tw_strbuf_text(&text) : "");
    tw_strbuf_free(&text);
    return copy;
}

static bool same_dims(ir_type a, ir_type b)
{
    return ir_type_is_ranked(a) == ir_type_is_ranked(b) && a->count == b->count &&
           (!a->count || memcmp(a->dims, b->dims, a->count * sizeof *a->dims) == 0);
}

/* Checks that inputs from operand `start` on have one shape, and that outputs do. */
static bool check_same_shape(ir_op *op, size_t start, size_t n, const char *what)
{
    for (size_t i = 1; i < n; i++)
        CHK_ERROR_IF(
            !same_dims(type_at(op, start + i), type_at(op, start)),
            "expects all %ss to have the same shapes. Shape at %s-index %zu is not "
            "equal to the shape at %s-index 0.",
            what, what, i, what);
    return true;
}

static bool check_reduction_body(ir_op *op, size_t inputs)
{
    const ir_block *body = ir_op_body(op, 0);
    CHK_ERROR_IF(body->n_args != op->n_operands,
                 "mismatching number of operands and block arguments");
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type element = element_or_self(type_at(op, i)), arg = body->args[i]->type;
        CHK_ERROR_IF(element != arg,
                     "%s element type '%s' does not match corresponding block argument "
                     "type '%s'",
                     i < inputs ? "input" : "output", type_text(op, element),
                     type_text(op, arg));
    }
    return true;
}

bool linalg_verify_reduce(ir_op *op)
{
    size_t first, n;
    int64_t dims[MAX_LOOPS], left[MAX_LOOPS], count;
    if (!ints_of(op, "dimensions", dims, &count))
        return false;
    if (!outputs_of(op, &first, &n) || first == 0 || n == 0 || count < 0)
        return true;
    ir_type in = type_at(op, 0), init = type_at(op, first);
    uint64_t gone = 0;
    uint32_t k = 0;
    if (!ir_type_is_ranked(in) || !ir_type_is_ranked(init))
        return true;
    CHK_ERROR_IF(in->count > MAX_LOOPS, "reduces tensors of at most %d dimensions",
                 MAX_LOOPS);
    if (!check_same_shape(op, 0, first, "input") ||
        !check_same_shape(op, first, n, "output"))
        return false;
    for (int64_t i = 0; i < count; i++) {
        CHK_ERROR_IF(dims[i] < 0 || dims[i] >= in->count,
                     "dimensions for reduction should be in the range [0, %lld].",
                     (long long)in->count - 1);
        gone |= (uint64_t)1 << dims[i];
    }
    for (uint32_t d = 0; d < in->count; d++)
        if (!(gone >> d & 1))
            left[k++] = in->dims[d];
    CHK_ERROR_IF(k != init->count,
                 "number of dimensions after reduction %u doesn't match the init rank %u",
                 k, init->count);
    CHK_ERROR_IF(memcmp(left, init->dims, k * sizeof *left) != 0,
                 "init dimensions [%s] doesn't match input dimensions after reduction [%s]",
                 list_text(op, init->dims, k), list_text(op, left, k));
    return check_reduction_body(op, first);
}

bool linalg_verify_map(ir_op *op)
{
    const ir_block *body = ir_op_body(op, 0);
    size_t first, n;
    if (!body || !outputs_of(op, &first, &n) || n != 1)
        return true;
    ir_type out = type_at(op, first);
    /* later forms also pass the output's element as an argument */
    CHK_ERROR_IF(
        body->n_args != first && body->n_args != first + 1,
        "expects number of operands to match the arity of mapper, but got: %zu and "
        "%u",
        first + 1, body->n_args);
    for (size_t i = 0; i < first; i++) {
        ir_type element = ir_type_element(type_at(op, i)), arg = body->args[i]->type;
        CHK_ERROR_IF(element != arg,
                     "expected element type of input '%s' to match bbArg type '%s'",
                     type_text(op, element), type_text(op, arg));
    }
    for (size_t i = 0; i < first; i++) {
        ir_type in = type_at(op, i);
        if (!ir_type_is_ranked(in) || !ir_type_is_ranked(out))
            continue;
        CHK_ERROR_IF(in->count != out->count ||
                         memcmp(in->dims, out->dims, in->count * sizeof *in->dims) != 0,
                     "expected shape of input (%s) to match shape of output (%s)",
                     list_text(op, in->dims, in->count),
                     list_text(op, out->dims, out->count));
    }
    return body->n_args == first || check_argument(op, body, (uint32_t)first);
}

bool linalg_verify_softmax(ir_op *op)
{
    ir_type in = type_at(op, 0), out = type_at(op, 1);
    int64_t dim = ir_op_int(op, "dimension", 0);
    CHK_ERROR_IF(ir_type_element(in) != ir_type_element(out),
                 "failed to verify that input and output have same element type");
    CHK_ERROR_IF(!ir_type_is_ranked(in),
                 "expected that operand #0 is a ranked tensor or memref");
    bool same = in->count == out->count;
    for (uint32_t i = 0; same && i < in->count; i++)
        same = in->dims[i] == IR_DYNAMIC || out->dims[i] == IR_DYNAMIC ||
               in->dims[i] == out->dims[i];
    CHK_ERROR_IF(!same, "incompatible output shape");
    CHK_ERROR_IF(dim < 0 || dim >= in->count, "incorrect dimension specified");
    return true;
}
