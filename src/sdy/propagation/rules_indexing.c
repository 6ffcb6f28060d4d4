/* rules_indexing.c: sharding rules of operations that read and write at indices. */
#include "sdy/propagation/rules.h"
#include "sdy/sdy.h"
#include "stablehlo/stablehlo.h"

enum { CAPACITY = 64 };

static ir_type operand(const ir_op *op, size_t i)
{
    return op->operands[i].value->type;
}

/* ---- gather and scatter: an input, indices, and slices of the input ------------------ */

typedef struct indexing {
    sdy_rule_builder *b;
    bool scatters, adds_up;
    size_t n; /* scatter: number of inputs */
    ir_type input, slices, indices;
    int64_t window[CAPACITY], collapsed[CAPACITY], input_batch[CAPACITY],
        index_batch[CAPACITY];
    size_t n_window, n_collapsed, n_input_batch, n_index_batch;
    int64_t vector_dim;
} indexing;

/* The input of a scatter is also its result. */
static void add(const indexing *x, int64_t input, int64_t index, int64_t slice,
                int64_t size, sdy_factor_kind kind, bool blocked)
{
    sdy_rule_builder *b = x->b;
    uint32_t factor = sdy_rule_factor(b, size, kind, blocked);
    if (!x->scatters) {
        sdy_rule_use(b, 0, input, factor);
        sdy_rule_use(b, 1, index, factor);
        sdy_rule_use(b, sdy_rule_result(b, 0), slice, factor);
        return;
    }
    for (size_t i = 0; i < x->n; i++)
        sdy_rule_use(b, i, input, factor);
    sdy_rule_use(b, x->n, index, factor);
    for (size_t i = 0; i < x->n; i++)
        sdy_rule_use(b, x->n + 1 + i, slice, factor);
    for (size_t i = 0; i < x->n; i++)
        sdy_rule_use(b, sdy_rule_result(b, i), input, factor);
}

/* A dimension of the slices inside the input's window. */
static void add_window(const indexing *x, int64_t input, int64_t slice)
{
    int64_t whole = x->input->dims[input], part = x->slices->dims[slice];
    if (whole == part) {
        add(x, input, SDY_NO_DIM, slice, whole, SDY_PASS, false);
    } else if (x->scatters) {
        add(x, input, SDY_NO_DIM, SDY_NO_DIM, whole, SDY_REPLICATE, false);
        add(x, SDY_NO_DIM, SDY_NO_DIM, slice, part, SDY_REPLICATE, false);
    } else if (part == 1) { /* devices that do not hold the element contribute zeros */
        add(x, input, SDY_NO_DIM, SDY_NO_DIM, whole, SDY_REDUCE, false);
        add(x, SDY_NO_DIM, SDY_NO_DIM, slice, part, SDY_REPLICATE, false);
    } else {
        add(x, input, SDY_NO_DIM, slice, whole, SDY_REPLICATE, true);
    }
}

/* A dimension of the slices that comes from the indices. */
static void add_batch(const indexing *x, int64_t index, int64_t slice)
{
    int64_t input = SDY_NO_DIM;
    for (size_t i = 0; i < x->n_index_batch && i < x->n_input_batch; i++)
        if (x->index_batch[i] == index)
            input = x->input_batch[i];
    sdy_factor_kind kind = SDY_PASS;
    if (x->scatters && input == SDY_NO_DIM)
        kind = x->adds_up ? SDY_REDUCE : SDY_REPLICATE;
    add(x, input, index, slice, x->slices->dims[slice], kind, false);
}

static bool fill(const indexing *x)
{
    int64_t input = 0, batch = 0;
    for (uint32_t d = 0; d < x->slices->count; d++) {
        if (!sdy_contains(x->window, x->n_window, d)) {
            add_batch(x, batch < x->vector_dim ? batch : batch + 1, d);
            batch++;
            continue;
        }
        while (sdy_contains(x->collapsed, x->n_collapsed, input) ||
               sdy_contains(x->input_batch, x->n_input_batch, input))
            input++;
        if (input >= x->input->count)
            return false;
        add_window(x, input++, d);
    }
    for (size_t i = 0; i < x->n_collapsed; i++) {
        int64_t size = x->input->dims[x->collapsed[i]];
        sdy_factor_kind kind = x->scatters ? SDY_PASS
                               : size == 1 ? SDY_REPLICATE
                                           : SDY_REDUCE;
        add(x, x->collapsed[i], SDY_NO_DIM, SDY_NO_DIM, size, kind, false);
    }
    if (x->vector_dim < x->indices->count)
        add(x, SDY_NO_DIM, x->vector_dim, SDY_NO_DIM, x->indices->dims[x->vector_dim],
            SDY_REPLICATE, false);
    return true;
}

static size_t read_ints(ir_attr attr, const char *name, int64_t *out)
{
    return sdy_integers(ir_attr_param(attr, name), out, CAPACITY);
}

bool sdy_rule_gather(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    ir_attr n = ir_op_attr(op, "dimension_numbers");
    indexing x = {.b = b,
                  .input = operand(op, 0),
                  .indices = operand(op, 1),
                  .slices = op->results[0].type};
    x.n_window = read_ints(n, "offsetDims", x.window);
    x.n_collapsed = read_ints(n, "collapsedSliceDims", x.collapsed);
    x.n_input_batch = read_ints(n, "operandBatchingDims", x.input_batch);
    x.n_index_batch = read_ints(n, "startIndicesBatchingDims", x.index_batch);
    x.vector_dim = ir_attr_int(ir_attr_param(n, "indexVectorDim"), 0);
    return fill(&x);
}

/* True if updates of one element may be applied in any order and grouping: all results
 * are computed by the same associative operation. */
static bool adds_up(const ir_op *op, size_t n)
{
    ir_block *body = ir_op_body(op, 0);
    ir_op *end = body ? body->last : NULL, *first = NULL;
    if (!end || body->n_args != 2 * n || end->n_operands != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        ir_op *made = ir_value_def(end->operands[i].value);
        if (!made || made->n_operands != 2 || (first && made->def != first->def))
            return false;
        bool logical = ir_type_is_integer(ir_type_element(made->results[0].type), 1) &&
                       (made->def == STABLEHLO_OP(and) || made->def == STABLEHLO_OP(or));
        if (!logical && made->def != STABLEHLO_OP(add) &&
            made->def != STABLEHLO_OP(multiply) && made->def != STABLEHLO_OP(maximum) &&
            made->def != STABLEHLO_OP(minimum))
            return false;
        first = made;
    }
    return first != NULL;
}

bool sdy_rule_scatter(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    ir_attr n = ir_op_attr(op, "scatter_dimension_numbers");
    size_t inputs = op->n_operands / 2;
    if (op->n_operands != 2 * inputs + 1 || op->n_results != inputs)
        return false;
    indexing x = {.b = b,
                  .scatters = true,
                  .adds_up = adds_up(op, inputs),
                  .n = inputs,
                  .input = operand(op, 0),
                  .indices = operand(op, inputs),
                  .slices = operand(op, inputs + 1)};
    x.n_window = read_ints(n, "updateWindowDims", x.window);
    x.n_collapsed = read_ints(n, "insertedWindowDims", x.collapsed);
    x.n_input_batch = read_ints(n, "inputBatchingDims", x.input_batch);
    x.n_index_batch = read_ints(n, "scatterIndicesBatchingDims", x.index_batch);
    x.vector_dim = ir_attr_int(ir_attr_param(n, "indexVectorDim"), 0);
    return fill(&x);
}

/* ---- dynamic slices ----------------------------------------------------------------- */

bool sdy_rule_dynamic_slice(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    sdy_rule_pointwise_but(b, operand(op, 0), op->results[0].type, SDY_REPLICATE, true);
    return true;
}

static bool has_constant_starts(const ir_op *op)
{
    for (uint32_t i = 2; i < op->n_operands; i++) {
        ir_op *def = ir_value_def(op->operands[i].value);
        if (!def ||
            (def->def != SDY_OP(constant) && !(def->def->traits & IR_CONSTANT_LIKE)))
            return false;
    }
    return true;
}

/* The operand stays sharded: each device writes the part inside its shard. */
bool sdy_rule_dynamic_update_slice(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    ir_type in = operand(op, 0), update = operand(op, 1);
    sdy_factor_kind kind = has_constant_starts(op) ? SDY_PASS : SDY_REPLICATE;
    for (uint32_t d = 0; d < in->count; d++) {
        if (in->dims[d] == update->dims[d]) {
            sdy_rule_all(b, d, in->dims[d], SDY_PASS, false);
            continue;
        }
        sdy_rule_pair(b, d, d, in->dims[d], SDY_PASS, false);
        sdy_rule_use(b, 1, d, sdy_rule_factor(b, update->dims[d], kind, false));
    }
    return true;
}
