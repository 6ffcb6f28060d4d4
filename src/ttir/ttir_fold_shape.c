/* ttir_fold_shape.c: folds of operations that move elements about, and of constants. */
#include "ttir/build.h"
#include "ttir/ttir.h"
#include "ttir/ttir_hooks.h"

#include <stdlib.h>

enum { MAX_DIMS = 16 };

/* ---- constants ---------------------------------------------------------------------- */

bool ttir_fold_constant(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    (void)operands;
    results[0].attr = ir_op_attr(op, "value");
    return results[0].attr != NULL;
}

static bool fold_splat(ir_op *op, double real, int64_t whole, ir_fold_result *results)
{
    ir_type type = op->results[0].type, element = ir_type_element(type);
    if (!ir_type_has_static_shape(type))
        return false;
    if (element->kind == IR_TYPE_FLOAT)
        results[0].attr = ir_dense_splat(type, real);
    else if (element->kind == IR_TYPE_INTEGER)
        results[0].attr = ir_dense_splat_int(type, whole);
    return results[0].attr != NULL;
}

bool ttir_fold_zeros(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    (void)operands;
    return fold_splat(op, 0, 0, results);
}

bool ttir_fold_ones(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    (void)operands;
    return fold_splat(op, 1, 1, results);
}

bool ttir_fold_full(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    (void)operands;
    ir_attr fill = ir_op_attr(op, "fill_value");
    double real = ir_attr_real(fill, 0);
    bool fits = real > -0x1p63 && real < 0x1p63;
    ir_type element = ir_type_element(op->results[0].type);
    if (!fits && element->kind == IR_TYPE_INTEGER)
        return false;
    return fill && fold_splat(op, real,
                              ir_attr_is(fill, IR_ATTR_INTEGER) ? fill->value
                              : fits                            ? (int64_t)real
                                                                : 0,
                              results);
}

/* The fill value as the f32 or i32 attribute that ttir.full takes; NULL if it is neither.
 */
static ir_attr fill_attr(ir_attr splat)
{
    ir_type element = ir_type_element(splat->type);
    ir_context *ctx = element->ctx;
    if (element->kind == IR_TYPE_FLOAT) {
        double v = ir_dense_real(splat, 0);
        return (double)(float)v == v || v != v ? ir_f32_attr(ctx, v) : NULL;
    }
    int64_t v = ir_dense_int(splat, 0);
    return v >= INT32_MIN && v <= INT32_MAX ? ir_i32_attr(ctx, v) : NULL;
}

ir_op *ttir_materialize(void *builder, ir_attr value, ir_type type, ir_loc loc)
{
    ir_builder b = *(ir_builder *)builder;
    int64_t dims[MAX_DIMS];
    b.loc = loc;
    if (!ir_type_is_tensor(type) || !ir_attr_is(value, IR_ATTR_DENSE))
        return NULL;
    ir_attr fill =
        ttir_is_splat(value) && type->count <= MAX_DIMS ? fill_attr(value) : NULL;
    if (!fill) {
        ir_attr_by_name attr = {"value", value};
        return ir_value_def(ir_build1(&b, TTIR_OP(constant), type, NULL, 0, &attr, 1));
    }
    for (uint32_t i = 0; i < type->count; i++)
        dims[i] = type->dims[i];
    ir_attr shape = ir_dense_i32_array(b.ctx, dims, type->count);
    double v = ir_attr_real(fill, 0);
    ir_attr_by_name attrs[] = {{"shape", shape}, {"fill_value", fill}};
    const ir_op_def *def = v == 0 ? TTIR_OP(zeros) : v == 1 ? TTIR_OP(ones) : TTIR_OP(full);
    /* -0.0 is not what zeros gives */
    if (v == 0 && __builtin_signbit(v))
        def = TTIR_OP(full);
    return ir_value_def(
        ir_build1(&b, def, type, NULL, 0, attrs, def == TTIR_OP(full) ? 2 : 1));
}

/* ---- moving elements of constants --------------------------------------------------- */

/* Where element `to` of the result comes from. */
typedef int64_t source_fn(const ir_op *op, const int64_t *to, const int64_t *strides);

static void strides_of(ir_type t, int64_t *strides)
{
    int64_t stride = 1;
    for (uint32_t i = t->count; i-- > 0; stride *= t->dims[i])
        strides[i] = stride;
}

static ir_attr move(const ir_op *op, ir_attr a, source_fn *source)
{
    ir_type type = op->results[0].type, from = op->operands[0].value->type;
    int64_t total = ir_type_num_elements(type);
    if (!ttir_is_dense(a) || ir_type_element(a->type) != ir_type_element(type))
        return NULL;
    if (a->splat & 1)
        return ttir_splat_as(a, type);
    if (!source || total <= 0 || total > TTIR_MAX_FOLDED_ELEMENTS ||
        type->count > MAX_DIMS || from->count > MAX_DIMS)
        return NULL;
    int64_t strides[MAX_DIMS] = {0}, at[MAX_DIMS] = {0};
    size_t size = ir_dense_element_size(ir_type_element(type));
    char *data = tw_xmalloc((size_t)total * size);
    strides_of(from, strides);
    for (int64_t i = 0; i < total; i++) {
        memcpy(data + (size_t)i * size,
               (const char *)a->blob->data + (size_t)source(op, at, strides) * size, size);
        for (uint32_t d = type->count; d-- > 0 && ++at[d] == type->dims[d];)
            at[d] = 0;
    }
    ir_attr result = ir_dense_attr(type, data, (size_t)total * size);
    free(data);
    return result;
}

static bool fold_move(ir_op *op, ir_attr a, source_fn *source, ir_fold_result *results)
{
    results[0].attr = move(op, a, source);
    return results[0].attr != NULL;
}

bool ttir_fold_same_type(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    (void)operands;
    if (op->n_results != 1 || op->operands[0].value->type != op->results[0].type)
        return false;
    results[0].value = op->operands[0].value;
    return true;
}

static size_t numbers(const ir_op *op, const char *name, int64_t *out)
{
    int64_t n = ir_attr_ints(ir_op_attr(op, name), out, MAX_DIMS);
    return n < 0 || n > MAX_DIMS ? 0 : (size_t)n;
}

static bool all_equal_to(const int64_t *values, size_t n, int64_t value)
{
    for (size_t i = 0; i < n; i++)
        if (values[i] != value)
            return false;
    return true;
}

/* ---- reshape, permute --------------------------------------------------------------- */

bool ttir_fold_reshape(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    ir_type type = op->results[0].type;
    if (ttir_fold_same_type(op, operands, results))
        return true;
    ir_op *inner = ttir_input_op(op, TTIR_OP(reshape));
    if (inner) {
        ir_op_set_operand(op, 0, inner->operands[0].value);
        return true;
    }
    if (!ttir_is_dense(operands[0]) || ir_type_element(operands[0]->type) != type->element)
        return false;
    int64_t total = ir_type_num_elements(type);
    if (total <= 0 || (!(operands[0]->splat & 1) && total > TTIR_MAX_FOLDED_ELEMENTS))
        return false;
    results[0].attr = ir_dense_reshape(operands[0], type);
    return results[0].attr != NULL;
}

static int64_t permuted(const ir_op *op, const int64_t *to, const int64_t *strides)
{
    int64_t order[MAX_DIMS], at = 0;
    size_t n = numbers(op, "permutation", order);
    for (size_t i = 0; i < n; i++)
        at += to[i] * strides[order[i]];
    return at;
}

/* Dimensions of size 1 may go anywhere without moving an element. */
static bool keeps_order(const int64_t *order, size_t n, ir_type from)
{
    int64_t last = -1;
    for (size_t i = 0; i < n; i++) {
        if (order[i] < 0 || order[i] >= (int64_t)n)
            return false;
        if (from->dims[order[i]] == 1)
            continue;
        if (order[i] < last)
            return false;
        last = order[i];
    }
    return true;
}

bool ttir_fold_permute(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    int64_t order[MAX_DIMS], inner_order[MAX_DIMS], both[MAX_DIMS];
    size_t n = numbers(op, "permutation", order);
    ir_type from = op->operands[0].value->type;
    if (n != from->count)
        return false;
    if (keeps_order(order, n, from) && ttir_fold_same_type(op, operands, results))
        return true;
    ir_op *inner = ttir_input_op(op, TTIR_OP(permute));
    if (inner && !ir_op_attr(op, "decomposed") && !ir_op_attr(inner, "decomposed") &&
        numbers(inner, "permutation", inner_order) == n) {
        for (size_t i = 0; i < n; i++)
            both[i] = inner_order[order[i]];
        ir_op_set_operand(op, 0, inner->operands[0].value);
        ir_op_set_attr(op, "permutation", ir_dense_i64_array(op->ctx, both, n));
        return true;
    }
    return fold_move(op, operands[0], permuted, results);
}

/* ---- broadcast, repeat -------------------------------------------------------------- */

bool ttir_fold_broadcast(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    int64_t factors[MAX_DIMS];
    size_t n = numbers(op, "broadcast_dimensions", factors);
    if (all_equal_to(factors, n, 1) && ttir_fold_same_type(op, operands, results))
        return true;
    return ttir_is_splat(operands[0]) && fold_move(op, operands[0], NULL, results);
}

static int64_t repeated(const ir_op *op, const int64_t *to, const int64_t *strides)
{
    ir_type from = op->operands[0].value->type;
    int64_t at = 0;
    for (uint32_t i = 0; i < from->count; i++)
        at += to[i] % from->dims[i] * strides[i];
    return at;
}

bool ttir_fold_repeat(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    int64_t times[MAX_DIMS], inner_times[MAX_DIMS];
    size_t n = numbers(op, "repeat_dimensions", times);
    if (all_equal_to(times, n, 1) && ttir_fold_same_type(op, operands, results))
        return true;
    ir_op *inner = ttir_input_op(op, TTIR_OP(repeat));
    if (inner && ir_value_has_one_use(&inner->results[0]) &&
        numbers(inner, "repeat_dimensions", inner_times) == n) {
        for (size_t i = 0; i < n; i++)
            times[i] *= inner_times[i];
        ir_op_set_operand(op, 0, inner->operands[0].value);
        ir_op_set_attr(op, "repeat_dimensions", ir_dense_i64_array(op->ctx, times, n));
        return true;
    }
    return n == op->operands[0].value->type->count &&
           fold_move(op, operands[0], repeated, results);
}

static int64_t interleaved(const ir_op *op, const int64_t *to, const int64_t *strides)
{
    ir_type from = op->operands[0].value->type;
    int64_t repeats = ir_op_int(op, "repeats", 1), dim = ir_op_int(op, "dim", 0), at = 0;
    dim += dim < 0 ? from->count : 0;
    for (uint32_t i = 0; i < from->count; i++)
        at += (i == dim ? to[i] / repeats : to[i]) * strides[i];
    return at;
}

bool ttir_fold_repeat_interleave(ir_op *op, const ir_attr *operands,
                                 ir_fold_result *results)
{
    int64_t repeats = ir_op_int(op, "repeats", 0);
    if (repeats == 1 && ttir_fold_same_type(op, operands, results))
        return true;
    return repeats > 0 && fold_move(op, operands[0], interleaved, results);
}

/* ---- slice_static, concat ----------------------------------------------------------- */

typedef struct slice {
    int64_t begin[MAX_DIMS], end[MAX_DIMS], step[MAX_DIMS];
    size_t rank;
} slice;

/* Indices counted from the end are turned round. */
static bool read_slice(const ir_op *op, slice *s)
{
    ir_type from = op->operands[0].value->type;
    s->rank = numbers(op, "begins", s->begin);
    if (!ir_type_has_static_shape(from) || s->rank != from->count ||
        numbers(op, "ends", s->end) != s->rank || numbers(op, "step", s->step) != s->rank)
        return false;
    for (size_t i = 0; i < s->rank; i++) {
        s->begin[i] += s->begin[i] < 0 ? from->dims[i] : 0;
        s->end[i] += s->end[i] < 0 ? from->dims[i] : 0;
        s->end[i] = TW_MIN(s->end[i], from->dims[i]);
        if (s->step[i] == 0)
            return false;
    }
    return true;
}

static bool goes_forward(const slice *s)
{
    for (size_t i = 0; i < s->rank; i++)
        if (s->step[i] < 0)
            return false;
    return true;
}

static void write_slice(ir_op *op, const slice *s)
{
    ir_op_set_attr(op, "begins", ir_i32_array_attr(op->ctx, s->begin, s->rank));
    ir_op_set_attr(op, "ends", ir_i32_array_attr(op->ctx, s->end, s->rank));
    ir_op_set_attr(op, "step", ir_i32_array_attr(op->ctx, s->step, s->rank));
}

static int64_t sliced(const ir_op *op, const int64_t *to, const int64_t *strides)
{
    slice s;
    int64_t at = 0;
    if (!read_slice(op, &s))
        return 0;
    for (size_t i = 0; i < s.rank; i++)
        at += (s.begin[i] + to[i] * s.step[i]) * strides[i];
    return at;
}

/* A slice of a concatenation that is exactly one of its inputs. */
static ir_value *whole_input(const ir_op *concat, const slice *s)
{
    ir_type type = concat->results[0].type;
    int64_t dim = ir_op_int(concat, "dim", 0), start = 0;
    dim += dim < 0 ? type->count : 0;
    for (size_t i = 0; i < s->rank; i++)
        if (s->step[i] != 1 ||
            ((int64_t)i != dim && (s->begin[i] != 0 || s->end[i] != type->dims[i])))
            return NULL;
    for (uint32_t i = 0; i < concat->n_operands; i++) {
        ir_value *v = concat->operands[i].value;
        int64_t size = v->type->dims[dim];
        if (start == s->begin[dim] && start + size == s->end[dim])
            return v;
        start += size;
    }
    return NULL;
}

bool ttir_fold_slice_static(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    slice outer, inner;
    if (!read_slice(op, &outer))
        return false;
    ir_op *from = ttir_input_op(op, TTIR_OP(concat));
    ir_value *whole = from ? whole_input(from, &outer) : NULL;
    if (whole && whole->type == op->results[0].type) {
        results[0].value = whole;
        return true;
    }
    from = ttir_input_op(op, TTIR_OP(slice_static));
    if (from && ir_value_has_one_use(&from->results[0]) && read_slice(from, &inner) &&
        goes_forward(&inner) && goes_forward(&outer)) {
        for (size_t i = 0; i < outer.rank; i++) {
            outer.begin[i] = inner.begin[i] + inner.step[i] * outer.begin[i];
            outer.end[i] = inner.begin[i] + inner.step[i] * (outer.end[i] - 1) + 1;
            outer.step[i] *= inner.step[i];
        }
        ir_op_set_operand(op, 0, from->operands[0].value);
        write_slice(op, &outer);
        return true;
    }
    return fold_move(op, operands[0], sliced, results);
}

bool ttir_fold_concat(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    if (op->n_operands == 1)
        return ttir_fold_same_type(op, operands, results);
    ir_type type = op->results[0].type;
    int64_t dim = ir_op_int(op, "dim", 0);
    bool changed = false;
    dim += dim < 0 ? type->count : 0;
    for (uint32_t i = op->n_operands; i-- > 0 && op->n_operands > 1;) {
        ir_type t = op->operands[i].value->type;
        if (dim < t->count && t->dims[dim] == 0) {
            ir_op_splice_operands(op, i, 1, NULL, 0);
            changed = true;
        }
    }
    return changed;
}

/* ---- those that do nothing ---------------------------------------------------------- */

/* A window of one element. */
bool ttir_fold_pool2d(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    static const struct {
        const char *name;
        int64_t value;
    } plain[] = {{"kernel", 1}, {"stride", 1}, {"dilation", 1}, {"padding", 0}};
    for (size_t i = 0; i < TW_COUNT(plain); i++) {
        ir_attr a = ir_op_attr(op, plain[i].name);
        int64_t values[MAX_DIMS];
        int64_t n = ir_attr_is(a, IR_ATTR_INTEGER) ? 1 : ir_attr_ints(a, values, MAX_DIMS);
        if (ir_attr_is(a, IR_ATTR_INTEGER))
            values[0] = a->value;
        if (n <= 0 || n > MAX_DIMS || !all_equal_to(values, (size_t)n, plain[i].value))
            return false;
    }
    return ttir_fold_same_type(op, operands, results);
}

bool ttir_fold_scatter(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    if (ir_type_num_elements(op->operands[1].value->type) != 0 &&
        ir_type_num_elements(op->operands[2].value->type) != 0)
        return false;
    return ttir_fold_same_type(op, operands, results);
}

/* Groups of one chip. */
bool ttir_fold_collective_broadcast(ir_op *op, const ir_attr *operands,
                                    ir_fold_result *results)
{
    ir_attr groups = ir_op_attr(op, "replica_groups");
    ir_type t = groups ? groups->type : NULL;
    if (!ir_type_is_ranked(t) ||
        (ir_type_num_elements(t) != 0 && t->dims[t->count - 1] > 1))
        return false;
    return ttir_fold_same_type(op, operands, results);
}

bool ttir_fold_mesh_shard(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    int64_t shape[MAX_DIMS], volume = 1;
    size_t n = numbers(op, "shard_shape", shape);
    ir_attr kind = ir_op_attr(op, "shard_type");
    const ir_enum_case *replicate =
        kind && kind->kind == IR_ATTR_DIALECT && kind->def->enumeration
            ? ir_enum_by_text(kind->def->enumeration, TW_STR("replicate"))
            : NULL;
    if (!replicate || ir_enum_value(kind, replicate->value) == replicate->value)
        return false;
    for (size_t i = 0; i < n; i++)
        volume *= shape[i];
    return volume == 1 && ttir_fold_same_type(op, operands, results);
}

/* ---- small ones --------------------------------------------------------------------- */

/* A dimension counted from the end is turned round. */
bool ttir_fold_cumulative(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    (void)operands;
    (void)results;
    int64_t dim = ir_op_int(op, "dim", 0);
    if (dim >= 0)
        return false;
    ir_op_set_attr(op, "dim",
                   ir_integer_attr(ir_op_attr(op, "dim")->type,
                                   dim + op->operands[0].value->type->count));
    return true;
}

bool ttir_fold_get_dimension_size(ir_op *op, const ir_attr *operands,
                                  ir_fold_result *results)
{
    (void)operands;
    ir_type from = op->operands[0].value->type;
    int64_t dim = ir_op_int(op, "dimension", 0);
    if (dim < 0 || dim >= from->count || from->dims[dim] == IR_DYNAMIC)
        return false;
    results[0].attr = ir_dense_splat_int(op->results[0].type, from->dims[dim]);
    return true;
}
