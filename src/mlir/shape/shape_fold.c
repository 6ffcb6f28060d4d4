/* shape_fold.c: folds shapes that are known to constants. */
#include "mlir/arith/arith_syntax.h"
#include "mlir/shape/shape.h"
#include "mlir/shape/shape_hooks.h"

bool shape_fold_const_shape(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    (void)constants;
    results[0].attr = ir_op_attr(op, "shape");
    return results[0].attr != NULL;
}

/* A shape broadcasts to itself: duplicates are ignored, and a single shape always
 * broadcasts. */
bool shape_fold_is_broadcastable(ir_op *op, const ir_attr *constants,
                                 ir_fold_result *results)
{
    bool changed = false;
    (void)constants;
    if (op->n_operands < 2) {
        results[0].attr = ir_bool_attr(op->ctx, true);
        return true;
    }
    for (uint32_t i = 1; i < op->n_operands; i++) {
        uint32_t k = 0;
        while (k < i && op->operands[k].value != op->operands[i].value)
            k++;
        if (k == i)
            continue;
        ir_op_splice_operands(op, i, 1, NULL, 0);
        changed = true;
        i--;
    }
    return changed;
}

bool shape_fold_shape_of(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_type type = ir_op_operand(op, 0)->type;
    (void)constants;
    if (!ir_type_is_ranked(type))
        return false;
    for (uint32_t i = 0; i < type->count; i++)
        if (type->dims[i] == IR_DYNAMIC)
            return false;
    int64_t rank = type->count;
    results[0].attr = ir_dense_i64(ir_tensor_type(ir_index_type(op->ctx), &rank, 1, NULL),
                                   type->dims, type->count);
    return true;
}

/* ---- extents ------------------------------------------------------------------------ */

enum { CAPACITY = 64 };

static ir_attr extents_attr(ir_context *ctx, const int64_t *at, int64_t n)
{
    return ir_dense_i64(ir_tensor_type(ir_index_type(ctx), &n, 1, NULL), at, (uint32_t)n);
}

/* The extents of a constant shape; -1 if it is not one. */
static int64_t extents_of(ir_attr shape, int64_t out[CAPACITY])
{
    if (!ir_attr_is(shape, IR_ATTR_DENSE) || ir_type_num_elements(shape->type) > CAPACITY)
        return -1;
    int64_t n = ir_type_num_elements(shape->type);
    for (int64_t i = 0; i < n; i++)
        out[i] = ir_dense_int(shape, (uint64_t)i);
    return n;
}

/* The extents of a value, IR_DYNAMIC where unknown; returns their count, -1 if that is
 * unknown. */
static int64_t known_extents(const ir_value *v, ir_attr constant, int64_t out[CAPACITY])
{
    const ir_op *producer = ir_value_def(v);
    if (constant)
        return extents_of(constant, out);
    if (!ir_op_is(producer, SHAPE_OP(shape_of)))
        return -1;
    ir_type type = ir_op_operand(producer, 0)->type;
    if (!ir_type_is_ranked(type) || type->count > CAPACITY)
        return -1;
    memcpy(out, type->dims, type->count * sizeof *out);
    return type->count;
}

static bool done(ir_fold_result *r, ir_attr attr)
{
    r->attr = attr;
    return attr != NULL;
}

bool shape_fold_from_extents(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    int64_t at[CAPACITY];
    if (op->n_operands > CAPACITY)
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        if (!ir_attr_is(constants[i], IR_ATTR_INTEGER))
            return false;
        at[i] = constants[i]->value;
    }
    return done(results, extents_attr(op->ctx, at, op->n_operands));
}

/* from_extent_tensor and to_extent_tensor of a constant are that constant. */
bool shape_fold_extents(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    int64_t at[CAPACITY], n = extents_of(constants[0], at);
    return n >= 0 && done(results, extents_attr(op->ctx, at, n));
}

bool shape_fold_concat(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    int64_t at[2 * CAPACITY], n = extents_of(constants[0], at);
    int64_t more = n < 0 ? -1 : extents_of(constants[1], at + n);
    return more >= 0 && done(results, extents_attr(op->ctx, at, n + more));
}

bool shape_fold_split_at(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    int64_t at[CAPACITY], n = extents_of(constants[0], at);
    if (n < 0 || !ir_attr_is(constants[1], IR_ATTR_INTEGER))
        return false;
    int64_t cut = constants[1]->value;
    if (cut < -n || cut > n)
        return false;
    cut = cut < 0 ? cut + n : cut;
    results[0].attr = extents_attr(op->ctx, at, cut);
    results[1].attr = extents_attr(op->ctx, at + cut, n - cut);
    return true;
}

bool shape_fold_get_extent(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    int64_t at[CAPACITY], n = extents_of(constants[0], at);
    if (!ir_attr_is(constants[1], IR_ATTR_INTEGER) || constants[1]->value < 0 ||
        constants[1]->value >= n)
        return false;
    return done(results, ir_index_attr(op->ctx, at[constants[1]->value]));
}

bool shape_fold_dim(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_type type = ir_op_operand(op, 0)->type;
    int64_t i = ir_attr_is(constants[1], IR_ATTR_INTEGER) ? constants[1]->value : -1;
    if (!ir_type_is_ranked(type) || i < 0 || i >= type->count ||
        type->dims[i] == IR_DYNAMIC)
        return false;
    return done(results, ir_index_attr(op->ctx, type->dims[i]));
}

bool shape_fold_num_elements(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    int64_t at[CAPACITY], n = extents_of(constants[0], at), product = 1;
    for (int64_t i = 0; i < n; i++)
        if (__builtin_mul_overflow(product, at[i], &product))
            return false;
    return n >= 0 && done(results, ir_index_attr(op->ctx, product));
}

bool shape_fold_rank(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    int64_t at[CAPACITY], n = extents_of(constants[0], at);
    return n >= 0 && done(results, ir_index_attr(op->ctx, n));
}

bool shape_fold_shape_eq(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    bool equal = true;
    if (!op->n_operands || !constants[0])
        return false;
    for (uint32_t i = 1; i < op->n_operands; i++) {
        if (!constants[i])
            return false;
        equal &= constants[i] == constants[0];
    }
    return done(results, ir_bool_attr(op->ctx, equal));
}

/* Only the last operand is checked: constants are moved to the end. */
bool shape_fold_any(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_attr last = op->n_operands ? constants[op->n_operands - 1] : NULL;
    ir_type type = op->results[0].type;
    return last && (type->kind != IR_TYPE_TENSOR || type == last->type) &&
           done(results, last);
}

/* ---- sizes -------------------------------------------------------------------------- */

static bool is_zero(ir_attr a)
{
    return ir_attr_is(a, IR_ATTR_INTEGER) && a->value == 0;
}

bool shape_fold_arith(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    if (op->def == SHAPE_OP(add) && is_zero(constants[1]) &&
        ir_op_operand(op, 1)->type->kind == IR_TYPE_INDEX &&
        ir_op_operand(op, 0)->type == op->results[0].type) {
        results[0].value = ir_op_operand(op, 0);
        return true;
    }
    if (!ir_attr_is(constants[0], IR_ATTR_INTEGER) ||
        !ir_attr_is(constants[1], IR_ATTR_INTEGER))
        return false;
    int64_t a = constants[0]->value, b = constants[1]->value, n;
    if (op->def == SHAPE_OP(add)) {
        n = (int64_t)((uint64_t)a + (uint64_t)b);
    } else if (op->def == SHAPE_OP(mul)) {
        n = (int64_t)((uint64_t)a * (uint64_t)b);
    } else {
        if (b == 0 || (a == INT64_MIN && b == -1))
            return false;
        n = a / b - (a % b != 0 && (a < 0) != (b < 0)); /* rounds down */
    }
    return done(results, ir_index_attr(op->ctx, n));
}

/* max and min of a value with itself; of shapes, too. */
bool shape_fold_extreme(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    (void)constants;
    if (ir_op_operand(op, 0) != ir_op_operand(op, 1))
        return false;
    results[0].value = ir_op_operand(op, 0);
    return true;
}

/* index_to_size, size_to_index, const_size: the constant is unchanged. */
bool shape_fold_same_constant(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_attr n = op->n_operands ? constants[0] : ir_op_attr(op, "value");
    if (op->n_operands && ir_op_operand(op, 0)->type == op->results[0].type) {
        results[0].value = ir_op_operand(op, 0);
        return true;
    }
    return ir_attr_is(n, IR_ATTR_INTEGER) && done(results, n);
}

/* ---- witnesses ---------------------------------------------------------------------- */

bool shape_fold_const_witness(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    (void)constants;
    return done(results, ir_op_attr(op, "passing"));
}

bool shape_fold_cstr_require(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    (void)op;
    return done(results, constants[0]);
}

bool shape_fold_cstr_eq(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!constants[i] || constants[i] != constants[0])
            return false;
    return done(results, ir_bool_attr(op->ctx, true));
}

/* Known witnesses are at the end: passing ones are dropped, a failing one decides. */
bool shape_fold_assuming_all(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    bool changed = false;
    for (uint32_t i = op->n_operands; i-- > 0;) {
        if (!constants[i])
            return changed;
        ir_op_splice_operands(op, i, 1, NULL, 0);
        changed = true;
        if (!constants[i]->value)
            return done(results, constants[i]);
    }
    return done(results, ir_bool_attr(op->ctx, true));
}

/* True if shapes with these known extents always broadcast. */
static bool always_broadcast(int64_t (*shapes)[CAPACITY], const int64_t *ranks, uint32_t n)
{
    int64_t max_rank = 0;
    for (uint32_t k = 0; k < n; k++)
        max_rank = ranks[k] > max_rank ? ranks[k] : max_rank;
    for (int64_t i = 1; i <= max_rank; i++) {
        int64_t other = 1; /* the size that is not 1 */
        for (uint32_t k = 0; k < n; k++) {
            int64_t dim = i > ranks[k] ? 1 : shapes[k][ranks[k] - i];
            if (dim != 1 && other != 1 && (dim != other || dim == IR_DYNAMIC))
                return false;
            if (dim != 1)
                other = dim;
        }
    }
    return true;
}

bool shape_fold_cstr_broadcastable(ir_op *op, const ir_attr *constants,
                                   ir_fold_result *results)
{
    enum { SHAPES = 8 };
    int64_t shapes[SHAPES][CAPACITY], ranks[SHAPES];
    uint32_t with_rank = 0, known = 0;
    if (op->n_operands > SHAPES)
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ranks[i] = known_extents(ir_op_operand(op, i), constants[i], shapes[i]);
        known += ranks[i] >= 0;
        with_rank += !constants[i] || ranks[i] != 0;
    }
    return (with_rank < 2 ||
            (known == op->n_operands && always_broadcast(shapes, ranks, known))) &&
           done(results, ir_bool_attr(op->ctx, true));
}

bool shape_fold_broadcast(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    int64_t shapes[2][CAPACITY], ranks[2], out[CAPACITY];
    ir_value *first = op->n_operands ? ir_op_operand(op, 0) : NULL;
    if (op->n_operands == 1 && first->type == op->results[0].type) {
        results[0].value = first;
        return true;
    }
    if (op->n_operands != 2)
        return false;
    for (uint32_t i = 0; i < 2; i++)
        if ((ranks[i] = extents_of(constants[i], shapes[i])) < 0)
            return false;
    int64_t rank = ranks[0] > ranks[1] ? ranks[0] : ranks[1];
    for (int64_t i = 1; i <= rank; i++) {
        int64_t a = i > ranks[0] ? 1 : shapes[0][ranks[0] - i];
        int64_t b = i > ranks[1] ? 1 : shapes[1][ranks[1] - i];
        if (a != b && a != 1 && b != 1)
            return false;
        out[rank - i] = a == 1 ? b : a;
    }
    return done(results, extents_attr(op->ctx, out, rank));
}

/* ---- constants ---------------------------------------------------------------------- */

static bool is_type(ir_type type, const ir_type_def *def)
{
    return type->kind == IR_TYPE_DIALECT && type->def == def;
}

/* Lists of extents become const_shape if their length fits the type. */
ir_op *shape_materialize(void *builder, ir_attr value, ir_type type, ir_loc loc)
{
    ir_builder b = *(ir_builder *)builder;
    const ir_op_def *def = SHAPE_OP(const_shape);
    const char *name = "shape";
    b.loc = loc;
    if (is_type(type, SHAPE_TYPE(size)))
        def = SHAPE_OP(const_size), name = "value";
    else if (is_type(type, SHAPE_TYPE(witness)))
        def = SHAPE_OP(const_witness), name = "passing";
    else if (!ir_attr_is(value, IR_ATTR_DENSE))
        return arith_materialize(builder, value, type, loc);
    else if (type->kind == IR_TYPE_TENSOR && type != value->type)
        return NULL;
    return ir_value_def(ir_build1(&b, def, type, NULL, 0, IR_ATTRS({name, value})));
}
