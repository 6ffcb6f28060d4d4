/* tensor_fold.c: folds of tensor operations with constant operands or known definitions. */
#include "mlir/tensor/tensor_fold.h"

#include "mlir/shared/fold_elements.h"
#include "mlir/shared/shape_checks.h"
#include "mlir/tensor/tensor.h"

static bool done(const ir_fold_result *r)
{
    return r->attr || r->value;
}

static bool is_static(ir_type t)
{
    return ir_type_is_ranked(t) && shape_dynamic_dims(t) == 0;
}

static ir_op *defined_by(const ir_value *v, const ir_op_def *def)
{
    ir_op *producer = ir_value_def(v);
    return ir_op_is(producer, def) ? producer : NULL;
}

/* The dynamic value of element `which` of an operation's partly static list; NULL if it is
 * static. */
static ir_value *dynamic_item(const ir_op *op, const char *group, const char *attr,
                              int64_t which)
{
    int64_t items[SHAPE_MAX_RANK], n = shape_ints(op, attr, items), at = 0;
    size_t first, count;
    if (which >= n || items[which] != IR_DYNAMIC ||
        !ir_op_operand_group(op, ir_op_operand_index(op->def, group), &first, &count))
        return NULL;
    for (int64_t i = 0; i < which; i++)
        at += items[i] == IR_DYNAMIC;
    return (size_t)at < count ? ir_op_operand(op, first + (size_t)at) : NULL;
}

/* ---- sizes -------------------------------------------------------------------------- */

/* The size operand of a dimension at its defining operation. */
static ir_value *given_size(const ir_op *producer, ir_type type, int64_t dim)
{
    uint32_t before = 0;
    if (!producer)
        return NULL;
    for (int64_t i = 0; i < dim; i++)
        before += type->dims[i] == IR_DYNAMIC;
    if (producer->def == TENSOR_OP(empty) || producer->def == TENSOR_OP(generate))
        return before < producer->n_operands ? ir_op_operand(producer, before) : NULL;
    if (producer->def == TENSOR_OP(extract_slice)) {
        int64_t sizes[SHAPE_MAX_RANK];
        /* the remaining dimensions in order: those of size 1 may be dropped */
        return shape_ints(producer, "static_sizes", sizes) == type->count
                   ? dynamic_item(producer, "sizes", "static_sizes", dim)
                   : NULL;
    }
    return NULL;
}

bool tensor_fold_dim(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_value *source = ir_op_operand(op, 0);
    ir_type type = source->type;
    ir_op *cast = defined_by(source, TENSOR_OP(cast));
    if (cast && ir_type_is_ranked(ir_op_operand(cast, 0)->type)) {
        ir_op_set_operand(op, 0, ir_op_operand(cast, 0));
        return true;
    }
    if (!ir_attr_is(constants[1], IR_ATTR_INTEGER) || !ir_type_is_ranked(type))
        return false;
    int64_t dim = constants[1]->value;
    if (dim < 0 || dim >= type->count)
        return false;
    if (type->dims[dim] != IR_DYNAMIC)
        results[0].attr = ir_index_attr(op->ctx, type->dims[dim]);
    else
        results[0].value = given_size(ir_value_def(source), type, dim);
    return done(results);
}

bool tensor_fold_rank(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_type type = ir_op_operand(op, 0)->type;
    (void)constants;
    if (ir_type_is_ranked(type))
        results[0].attr = ir_index_attr(op->ctx, type->count);
    return done(results);
}

bool tensor_fold_cast(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_value *in = ir_op_operand(op, 0);
    (void)constants;
    if (in->type == op->results[0].type)
        results[0].value = in;
    return done(results);
}

bool tensor_fold_reshape(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    if (ir_attr_is(constants[0], IR_ATTR_DENSE) && is_static(op->results[0].type))
        results[0].attr = ir_dense_reshape(constants[0], op->results[0].type);
    return done(results);
}

bool tensor_fold_reshape_splat(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    fold_cell value;
    if (is_static(op->results[0].type) && fold_splat(constants[0], &value))
        results[0].attr = fold_constant(op->results[0].type, value);
    return done(results);
}

bool tensor_fold_concat(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    (void)constants;
    if (op->n_operands == 1 && ir_op_operand(op, 0)->type == op->results[0].type)
        results[0].value = ir_op_operand(op, 0);
    return done(results);
}

/* ---- elements ----------------------------------------------------------------------- */

/* The row-major index of an element; -1 if an index is not known or out of bounds. */
static int64_t linear_index(ir_type type, const ir_attr *indices)
{
    int64_t at = 0;
    for (uint32_t i = 0; i < type->count; i++) {
        ir_attr index = indices[i];
        if (!ir_attr_is(index, IR_ATTR_INTEGER) || index->value < 0 ||
            index->value >= type->dims[i])
            return -1;
        at = at * type->dims[i] + index->value;
    }
    return at;
}

bool tensor_fold_extract(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_value *source = ir_op_operand(op, 0);
    ir_type type = source->type;
    ir_op *splat = defined_by(source, TENSOR_OP(splat));
    ir_op *elements = defined_by(source, TENSOR_OP(from_elements));
    fold_cell c;
    if (splat) {
        results[0].value = ir_op_operand(splat, 0);
    } else if (ir_attr_is(constants[0], IR_ATTR_DENSE) && fold_splat(constants[0], &c)) {
        results[0].attr = ir_dense_element(constants[0], 0);
    } else if (is_static(type)) {
        int64_t at = linear_index(type, constants + 1);
        if (at >= 0 && elements && (uint32_t)at < elements->n_operands)
            results[0].value = ir_op_operand(elements, (size_t)at);
        else if (at >= 0 && ir_attr_is(constants[0], IR_ATTR_DENSE))
            results[0].attr = ir_dense_element(constants[0], (size_t)at);
    }
    return done(results);
}

bool tensor_fold_insert(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    fold_cell into, value;
    bool real = ir_type_element(op->results[0].type)->kind == IR_TYPE_FLOAT;
    if (fold_splat(constants[0], &value) && fold_splat(constants[1], &into) &&
        (real ? memcmp(&value.real, &into.real, sizeof value.real) == 0
              : value.integer == into.integer))
        results[0].value = ir_op_operand(op, 1);
    return done(results);
}

bool tensor_fold_splat(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_type type = op->results[0].type;
    fold_cell value;
    if (is_static(type) && fold_splat(constants[0], &value))
        results[0].attr = fold_constant(type, value);
    return done(results);
}

bool tensor_fold_from_elements(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    enum { CAPACITY = 32 }; /* capacity of a fold's operands */
    ir_type type = op->results[0].type, e = type->element;
    char bytes[8 * CAPACITY];
    size_t size = ir_dense_element_size(e);
    if (op->n_operands == 0 || op->n_operands > CAPACITY || !fold_is_numeric(e))
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_attr c = constants[i];
        bool real = ir_attr_is(c, IR_ATTR_FLOAT);
        if (!real && !ir_attr_is(c, IR_ATTR_INTEGER))
            return false;
        uint64_t bits = real ? c->bits : fold_low(c->value, e);
        memcpy(bytes + i * size, &bits, size);
    }
    results[0].attr = ir_dense_attr(type, bytes, op->n_operands * size);
    return done(results);
}

/* ---- slices ------------------------------------------------------------------------- */

/* True for offsets 0, strides 1, and the static sizes of `whole`. */
static bool is_whole(const ir_op *op, ir_type whole)
{
    int64_t offsets[SHAPE_MAX_RANK], sizes[SHAPE_MAX_RANK], strides[SHAPE_MAX_RANK];
    int64_t n = shape_ints(op, "static_offsets", offsets);
    if (n != whole->count || shape_ints(op, "static_sizes", sizes) != n ||
        shape_ints(op, "static_strides", strides) != n)
        return false;
    for (int64_t i = 0; i < n; i++)
        if (offsets[i] != 0 || strides[i] != 1 || sizes[i] == IR_DYNAMIC ||
            sizes[i] != whole->dims[i])
            return false;
    return true;
}

static bool same_list(const ir_op *a, const ir_op *b, const char *group, const char *attr)
{
    int64_t x[SHAPE_MAX_RANK], y[SHAPE_MAX_RANK], n = shape_ints(a, attr, x);
    if (shape_ints(b, attr, y) != n || n < 0)
        return false;
    for (int64_t i = 0; i < n; i++)
        if (x[i] != y[i] || (x[i] == IR_DYNAMIC && dynamic_item(a, group, attr, i) !=
                                                       dynamic_item(b, group, attr, i)))
            return false;
    return true;
}

static bool same_slice(const ir_op *a, const ir_op *b)
{
    return same_list(a, b, "offsets", "static_offsets") &&
           same_list(a, b, "sizes", "static_sizes") &&
           same_list(a, b, "strides", "static_strides");
}

bool tensor_fold_extract_slice(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_value *source = ir_op_operand(op, 0);
    ir_type type = op->results[0].type;
    ir_op *inserted = defined_by(source, TENSOR_OP(insert_slice));
    fold_cell value;
    if (ir_attr_is(constants[0], IR_ATTR_DENSE) && is_static(type) &&
        fold_splat(constants[0], &value))
        results[0].attr = fold_constant(type, value);
    else if (source->type == type && is_whole(op, type))
        results[0].value = source;
    else if (inserted && ir_op_operand(inserted, 0)->type == type &&
             same_slice(op, inserted))
        results[0].value = ir_op_operand(inserted, 0);
    return done(results);
}

/* Inserting an extracted slice at its origin, or overwriting everything. */
bool tensor_fold_insert_slice(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_value *source = ir_op_operand(op, 0), *into = ir_op_operand(op, 1);
    ir_op *taken = defined_by(source, TENSOR_OP(extract_slice));
    (void)constants;
    if (source->type == op->results[0].type && is_static(source->type) &&
        is_whole(op, source->type))
        results[0].value = source;
    else if (taken && ir_op_operand(taken, 0) == into && same_slice(op, taken))
        results[0].value = into;
    return done(results);
}

bool tensor_fold_pad(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_value *source = ir_op_operand(op, 0);
    (void)constants;
    if (source->type == op->results[0].type && is_static(source->type) &&
        !ir_op_attr(op, "nofold"))
        results[0].value = source;
    return done(results);
}
