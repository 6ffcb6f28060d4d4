/* memref_verify.c: verifies ranks, sizes and indices of memref operations, and of the
 * bufferization dialect's.  Messages are MLIR's. */
#include "mlir/arith/arith.h"
#include "mlir/bufferization/bufferization.h"
#include "mlir/memref/memref.h"
#include "mlir/memref/memref_hooks.h"
#include "mlir/memref/memref_layout.h"
#include "mlir/shared/region_flow.h"
#include "mlir/shared/shape_checks.h"

static ir_type operand_type(const ir_op *op, uint32_t i)
{
    return ir_op_operand(op, i)->type;
}

static const char *text(const ir_op *op, ir_type type)
{
    return ir_type_text(op->ctx, type);
}

/* ---- allocation --------------------------------------------------------------------- */

bool memref_alloc_verify(ir_op *op)
{
    ir_type type = op->results[0].type;
    size_t symbols = shape_group_count(op, "symbolOperands");
    bool map = ir_attr_is(type->encoding, IR_ATTR_AFFINE_MAP);
    if (shape_group_count(op, "dynamicSizes") != shape_dynamic_dims(type))
        return ir_op_error(op, "dimension operand count does not equal memref dynamic "
                               "dimension count");
    size_t wanted = map ? type->encoding->map->n_symbols : 0;
    if (type->encoding && !map)
        return true; /* a layout of another kind: its symbols are not checked */
    return symbols == wanted ||
           ir_op_error(op,
                       "symbol operand count does not equal memref symbol count: expected "
                       "%zu, got %zu",
                       wanted, symbols);
}

bool memref_realloc_verify(ir_op *op)
{
    ir_type source = operand_type(op, 0), result = op->results[0].type;
    bool dynamic = result->dims[0] == IR_DYNAMIC, given = op->n_operands > 1;
    if (source->encoding)
        return ir_error_at_op(op, "unsupported layout for source memref type '%s'",
                              text(op, source));
    if (result->encoding)
        return ir_error_at_op(op, "unsupported layout for result memref type '%s'",
                              text(op, result));
    const char *differs = source->space != result->space       ? "memory spaces"
                          : source->element != result->element ? "element types"
                                                               : NULL;
    if (differs)
        return ir_error_at_op(
            op,
            "different %s specified for source memref type '%s' and result "
            "memref type '%s'",
            differs, text(op, source), text(op, result));
    if (dynamic && !given)
        return ir_error_at_op(op, "missing dimension operand for result type '%s'",
                              text(op, result));
    return dynamic || !given ||
           ir_error_at_op(op, "unnecessary dimension operand for result type '%s'",
                          text(op, result));
}

bool memref_get_global_verify(ir_op *op)
{
    ir_attr name = ir_op_attr(op, "name");
    const ir_op *global = ir_symbol_resolve(op, name);
    tw_str leaf = ir_symbol_leaf(name);
    if (!ir_nearest_symbol_table(op))
        return true;
    if (!ir_op_is(global, MEMREF_OP(global)))
        return ir_op_error(op, "'%.*s' does not reference a valid global memref",
                           (int)leaf.size, leaf.data);
    ir_attr type = ir_op_attr(global, "type");
    return !type || type->type == op->results[0].type ||
           ir_op_error(op,
                       "result type '%s' does not match type '%s' of the global memref "
                       "@%.*s",
                       text(op, op->results[0].type), text(op, type->type), (int)leaf.size,
                       leaf.data);
}

/* ---- access ------------------------------------------------------------------------- */

bool memref_indices_verify(ir_op *op)
{
    static const struct {
        const ir_op_def *def;
        uint32_t memref;
        const char *message;
    } rows[] = {
        {MEMREF_OP(store), 1, "store index operand count not equal to memref rank"},
        {MEMREF_OP(prefetch), 0, "too few indices"},
        {MEMREF_OP(atomic_rmw), 1,
         "expects the number of subscripts to be equal to memref rank"},
    };
    size_t indices = shape_group_count(op, "indices");
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (rows[i].def == op->def)
            return operand_type(op, rows[i].memref)->count == indices ||
                   ir_op_error(op, "%s", rows[i].message);
    uint32_t rank = operand_type(op, 0)->count;
    return rank == indices ||
           ir_op_error(op, "incorrect number of indices for load, expected %u but got %zu",
                       rank, indices);
}

/* The operand types of each kind of update; `assign` allows both. */
bool memref_atomic_rmw_verify(ir_op *op)
{
    static const uint32_t floats =
        1u << ARITH_AtomicRMWKind_addf | 1u << ARITH_AtomicRMWKind_maximumf |
        1u << ARITH_AtomicRMWKind_maxnumf | 1u << ARITH_AtomicRMWKind_minimumf |
        1u << ARITH_AtomicRMWKind_minnumf | 1u << ARITH_AtomicRMWKind_mulf;
    if (!memref_indices_verify(op))
        return false;
    int64_t kind = ir_op_int(op, "kind", ARITH_AtomicRMWKind_assign);
    if (kind < 0 || kind > 31 || kind == ARITH_AtomicRMWKind_assign)
        return true;
    bool wants_float = floats >> kind & 1;
    if (operand_type(op, 0)->kind == (wants_float ? IR_TYPE_FLOAT : IR_TYPE_INTEGER))
        return true;
    const ir_enum_case *c = ir_enum_by_value(&arith_enum_AtomicRMWKind, kind);
    return ir_op_error(op, "with kind '%s' expects %s type", c ? c->text : "?",
                       wants_float ? "a floating-point" : "an integer");
}

bool memref_dma_wait_verify(ir_op *op)
{
    uint32_t rank = operand_type(op, 0)->count;
    size_t indices = shape_group_count(op, "tagIndices");
    return rank == indices ||
           ir_op_error(op,
                       "expected tagIndices to have the same number of elements as the "
                       "tagMemRef rank, expected %u, but got %zu",
                       rank, indices);
}

static bool touches_memory(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type type = operand_type(op, i);
        if (type->kind == IR_TYPE_MEMREF || type->kind == IR_TYPE_UNRANKED_MEMREF)
            return true;
    }
    return false;
}

/* Operations with recursive effects are checked through their bodies. */
static ir_walk stop_at_effect(ir_op *op, void *user)
{
    uint64_t traits = op->def->traits;
    bool structured = ir_def_has(op->def, "LinalgOp") && !touches_memory(op);
    if ((traits & (IR_PURE | IR_NO_MEMORY_EFFECT | IR_RECURSIVE_EFFECTS)) || structured ||
        op == user)
        return IR_WALK_ON;
    ir_error_at_op(
        op, "body of 'memref.generic_atomic_rmw' should contain only operations with no "
            "side effects");
    return IR_WALK_STOP;
}

bool memref_atomic_verify_body(ir_op *op)
{
    const ir_block *body = ir_op_body(op, 0);
    if (!body || body->n_args != 1)
        return ir_op_error(op, "expected single number of entry block arguments");
    if (body->args[0]->type != op->results[0].type)
        return ir_op_error(op, "expected block argument of the same type result type");
    return ir_walk_post(op, stop_at_effect, op) != IR_WALK_STOP;
}

/* ---- casts and shapes --------------------------------------------------------------- */

/* Strided layouts may become more or less static; only identity layouts are compared
 * here. */
bool memref_cast_verify(ir_op *op)
{
    ir_type a = operand_type(op, 0), b = op->results[0].type;
    bool one_ranked = a->kind == IR_TYPE_MEMREF || b->kind == IR_TYPE_MEMREF;
    bool fits = one_ranked && a->element == b->element && a->space == b->space &&
                shape_compatible(a, b);
    return (fits || shape_cast_error(op)) && ir_check_shape_traits(op);
}

bool memref_memory_space_cast_verify(ir_op *op)
{
    ir_type a = operand_type(op, 0), b = op->results[0].type;
    bool fits = a->kind == b->kind && a->element == b->element && a->count == b->count &&
                a->encoding == b->encoding &&
                (!a->count || memcmp(a->dims, b->dims, a->count * sizeof *a->dims) == 0);
    return (fits || shape_cast_error(op)) && ir_check_shape_traits(op);
}

bool memref_reshape_verify(ir_op *op)
{
    ir_type from = operand_type(op, 0), to = op->results[0].type;
    if (from->element != to->element)
        return ir_op_error(op, "element types of source and destination memref types "
                               "should be the same");
    if (from->kind == IR_TYPE_MEMREF && from->encoding)
        return ir_op_error(op, "source memref type should have identity affine map");
    if (to->kind != IR_TYPE_MEMREF)
        return true;
    if (to->encoding)
        return ir_op_error(op, "result memref type should have identity affine map");
    return shape_check_shape_operand(op, "memref");
}

static bool check_group(ir_op *op, ir_type expanded, ir_type collapsed, size_t group,
                        size_t first, size_t n)
{
    int64_t product = shape_group_size(expanded, first, n);
    bool dynamic = product == IR_DYNAMIC;
    if ((collapsed->dims[group] == IR_DYNAMIC) != dynamic)
        return ir_op_error(op,
                           "collapsed dim (%zu) must be dynamic if and only if "
                           "reassociation group is dynamic",
                           group);
    return dynamic || product == collapsed->dims[group] ||
           ir_op_error(op,
                       "collapsed dim size (%lld) must equal reassociation group size "
                       "(%lld)",
                       (long long)collapsed->dims[group], (long long)product);
}

static bool check_groups(ir_op *op, ir_type expanded, ir_type collapsed)
{
    shape_groups groups;
    if (!shape_groups_of(op, &groups))
        return true;
    if (groups.count != collapsed->count)
        return ir_op_error(op,
                           "invalid number of reassociation groups: found %zu, expected %u",
                           groups.count, collapsed->count);
    if (!groups.contiguous)
        return ir_op_error(op, "reassociation indices must be contiguous");
    if (groups.max_index > expanded->count)
        return ir_op_error(op, "reassociation index %u is out of bounds", expanded->count);
    for (size_t g = 0, first = 0; g < groups.count; first += groups.sizes[g++])
        if (!check_group(op, expanded, collapsed, g, first, groups.sizes[g]))
            return false;
    for (uint32_t i = 0; collapsed->count == 0 && i < expanded->count; i++)
        if (expanded->dims[i] != 1)
            return ir_op_error(
                op, "rank 0 memrefs can only be extended/collapsed with/from ones");
    return collapsed->count == 0 || groups.max_index == expanded->count ||
           ir_op_error(op,
                       "expanded rank (%u) inconsistent with number of reassociation "
                       "indices (%zu)",
                       expanded->count, groups.max_index);
}

bool memref_shape_verify(ir_op *op)
{
    bool expand = op->def == MEMREF_OP(expand_shape);
    ir_type source = operand_type(op, 0), result = op->results[0].type;
    if (expand ? source->count > result->count : source->count < result->count)
        return ir_op_error(op,
                           "has source rank %u and result rank %u. This is not %s (%u %s "
                           "%u).",
                           source->count, result->count,
                           expand ? "an expansion" : "a collapse", source->count,
                           expand ? ">" : "<", result->count);
    if (!check_groups(op, expand ? result : source, expand ? source : result))
        return false;
    int64_t shape[SHAPE_MAX_RANK];
    if (source->element != result->element || source->space != result->space)
        return ir_op_error(op, "expected %s type to be like '%s' but found '%s'",
                           expand ? "expanded" : "collapsed", text(op, source),
                           text(op, result));
    return !expand || shape_ints(op, "static_output_shape", shape) == result->count ||
           ir_op_error(op,
                       "expected number of static shape bounds to be equal to the output "
                       "rank (%u) but found %lld inputs instead",
                       result->count,
                       (long long)shape_ints(op, "static_output_shape", shape));
}

bool memref_assume_alignment_verify(ir_op *op)
{
    int64_t alignment = ir_op_int(op, "alignment", 1);
    return (alignment & (alignment - 1)) == 0 ||
           ir_op_error(op, "alignment must be power of 2");
}

bool memref_atomic_yield_verify(ir_op *op)
{
    const ir_op *around = ir_op_parent(op);
    ir_type type = around && around->n_results ? around->results[0].type : NULL;
    return !type || operand_type(op, 0) == type ||
           ir_op_error(op, "types mismatch between yield op: '%s' and its parent: '%s'",
                       text(op, operand_type(op, 0)), text(op, type));
}

static bool fits(int64_t declared, int64_t known)
{
    return declared == IR_DYNAMIC || declared == known;
}

/* Checks that offset and strides of a reinterpret_cast match its type. */
static bool check_cast_steps(ir_op *op, ir_type result)
{
    memref_steps s;
    int64_t offset[SHAPE_MAX_RANK], strides[SHAPE_MAX_RANK];
    if (!memref_steps_of(result, &s) || shape_ints(op, "static_offsets", offset) != 1 ||
        shape_ints(op, "static_strides", strides) != result->count)
        return true;
    if (!fits(s.offset, offset[0]) && offset[0] != IR_DYNAMIC)
        return ir_error_at_op(op, "expected result type with offset = %lld instead of %lld",
                              (long long)offset[0], (long long)s.offset);
    for (uint32_t i = 0; i < result->count; i++)
        if (!fits(s.stride[i], strides[i]) && strides[i] != IR_DYNAMIC)
            return ir_error_at_op(
                op,
                "expected result type with stride = %lld instead of %lld in dim "
                "= %u",
                (long long)strides[i], (long long)s.stride[i], i);
    return true;
}

/* Checks a subview's type against its offsets, sizes and strides. */
static bool check_part(ir_op *op, ir_type source, ir_type result)
{
    int64_t offsets[SHAPE_MAX_RANK], sizes[SHAPE_MAX_RANK], strides[SHAPE_MAX_RANK];
    memref_steps a, b;
    shape_ints(op, "static_offsets", offsets);
    shape_ints(op, "static_sizes", sizes);
    shape_ints(op, "static_strides", strides);
    if (result->count > source->count)
        return ir_error_at_op(
            op, "expected result rank to be smaller or equal to the source rank. ");
    if (!memref_steps_of(source, &a) || !memref_steps_of(result, &b))
        return true; /* layouts of other dialects */
    ir_type whole = memref_part_type(source, offsets, sizes, strides, source);
    ir_type wanted = memref_part_type(source, offsets, sizes, strides, result);
    const char *differs = !wanted ? "sizes" : NULL;
    for (uint32_t i = 0; !differs && i < result->count; i++)
        differs = wanted->dims[i] != result->dims[i] ? "sizes" : NULL;
    if (!differs && memref_steps_of(wanted, &a)) {
        differs = a.offset != b.offset ? "layout" : NULL;
        for (uint32_t i = 0; !differs && i < result->count; i++)
            differs = a.stride[i] != b.stride[i] ? "layout" : NULL;
    }
    return !differs || !whole ||
           ir_error_at_op(
               op,
               "expected result type to be '%s' or a rank-reduced version. (mismatch "
               "of result %s) ",
               text(op, whole), differs);
}

bool memref_slice_verify(ir_op *op)
{
    bool cast = op->def == MEMREF_OP(reinterpret_cast);
    ir_type source = operand_type(op, 0), result = op->results[0].type;
    size_t rank = cast ? result->count : source->count;
    if (!shape_check_slice(op, (size_t[3]){cast ? 1 : rank, rank, rank}))
        return false;
    const char *differs = source->space != result->space       ? "memory spaces"
                          : source->element != result->element ? "element types"
                                                               : NULL;
    if (differs)
        return ir_error_at_op(
            op, "different %s specified for %s type '%s' and %s memref type '%s'", differs,
            cast ? "source" : "base memref", text(op, source), cast ? "result" : "subview",
            text(op, result));
    int64_t sizes[SHAPE_MAX_RANK];
    shape_ints(op, "static_sizes", sizes);
    for (uint32_t i = 0; cast && i < rank; i++)
        if (result->dims[i] != IR_DYNAMIC && result->dims[i] != sizes[i])
            return ir_error_at_op(
                op,
                "expected result type with size = %lld instead of %lld in dim "
                "= %u",
                (long long)sizes[i], (long long)result->dims[i], i);
    return cast ? check_cast_steps(op, result) : check_part(op, source, result);
}

bool memref_transpose_verify(ir_op *op)
{
    ir_affine_map map = ir_op_attr(op, "permutation")->map;
    if (!ir_affine_map_is_permutation(map))
        return ir_op_error(op, "expected a permutation map");
    ir_type in = operand_type(op, 0), result = op->results[0].type;
    memref_steps from, to;
    if (map->n_dims != in->count)
        return ir_op_error(op, "expected a permutation map of same rank as the input");
    if (!memref_steps_of(in, &from))
        return true; /* layouts of other dialects */
    int64_t dims[SHAPE_MAX_RANK], strides[SHAPE_MAX_RANK];
    for (uint32_t i = 0; i < in->count; i++) {
        int64_t source = map->results[i]->value;
        dims[i] = in->dims[source];
        strides[i] = from.stride[source];
    }
    ir_type wanted = ir_memref_type(
        in->element, dims, in->count,
        ir_strided_attr(op->ctx, strides, in->count, from.offset), in->space);
    bool same = result->count == in->count && result->element == in->element &&
                result->space == in->space &&
                memcmp(result->dims, dims, in->count * sizeof *dims) == 0 &&
                memref_steps_of(result, &to) && to.offset == from.offset &&
                memcmp(to.stride, strides, in->count * sizeof *strides) == 0;
    if (in->count == 1 && strides[0] == 1 && from.offset == 0)
        same = result == wanted; /* MLIR does not normalise strided<[1]> */
    return same ||
           ir_op_error(op,
                       "result type '%s' is not equivalent to the canonical transposed "
                       "input type '%s'",
                       text(op, result), text(op, wanted));
}

bool memref_alloca_scope_verify_regions(ir_op *op)
{
    region_end from = region_yields(ir_op_body(op, 0)->last, 0), to = region_results(op);
    return region_flows(op, &from, &to);
}

bool memref_view_verify(ir_op *op)
{
    ir_type base = operand_type(op, 0), view = op->results[0].type;
    if (base->encoding)
        return ir_error_at_op(op, "unsupported map for base memref type '%s'",
                              text(op, base));
    if (view->encoding)
        return ir_error_at_op(op, "unsupported map for result memref type '%s'",
                              text(op, view));
    if (base->space != view->space)
        return ir_error_at_op(
            op,
            "different memory spaces specified for base memref type '%s' and "
            "view memref type '%s'",
            text(op, base), text(op, view));
    return shape_group_count(op, "sizes") == shape_dynamic_dims(view) ||
           ir_error_at_op(op, "incorrect number of size operands for type '%s'",
                          text(op, view));
}

bool memref_metadata_verify(ir_op *op)
{
    ir_type source = operand_type(op, 0);
    ir_type base = ir_memref_type(source->element, NULL, 0, NULL, source->space);
    if (op->n_results == 2 + 2 * source->count && op->results[0].type == base)
        return true;
    tw_strbuf inferred = {0};
    tw_strbuf_printf(&inferred, "inferred type(s) '%s'", text(op, base));
    for (uint32_t i = 0; i < 1 + 2 * source->count; i++)
        tw_strbuf_puts(&inferred, ", 'index'");
    for (uint32_t i = 0; i < op->n_results; i++)
        tw_strbuf_printf(&inferred, "%s'%s'",
                         i ? ", " : " are incompatible with return type(s) of operation ",
                         text(op, op->results[i].type));
    ir_op_error(op, "%s", tw_strbuf_text(&inferred));
    tw_strbuf_free(&inferred);
    return ir_op_error(op, "failed to infer returned types");
}

/* ---- global ------------------------------------------------------------------------- */

bool memref_global_verify(ir_op *op)
{
    ir_type type = ir_op_attr(op, "type")->type;
    ir_attr value = ir_op_attr(op, "initial_value");
    if (!ir_type_is_ranked(type) || !ir_type_has_static_shape(type))
        return ir_op_error(op, "type should be static shaped memref, but got '%s'",
                           ir_type_text(op->ctx, type));
    if (!value || value->kind == IR_ATTR_UNIT)
        return true;
    if (value->kind != IR_ATTR_DENSE && value->kind != IR_ATTR_RESOURCE &&
        value->kind != IR_ATTR_SPARSE)
        return ir_op_error(op,
                           "initial value should be a unit or elements attribute, but got "
                           "%s",
                           ir_attr_text(op->ctx, value));
    ir_type want = ir_tensor_type(type->element, type->dims, type->count, NULL);
    return value->type == want ||
           ir_op_error(op,
                       "initial value expected to be of type '%s', but was of type '%s'",
                       ir_type_text(op->ctx, want), ir_type_text(op->ctx, value->type));
}

/* ---- bufferization ------------------------------------------------------------------ */

/* Of to_tensor and to_buffer. */
bool bufferization_match_verify(ir_op *op)
{
    ir_type a = operand_type(op, 0), b = op->results[0].type;
    bool shaped = ir_type_is_shaped(a), ranked = ir_type_is_ranked(a);
    if (shaped != ir_type_is_shaped(b))
        return ir_op_error(op,
                           "failed to verify that specified tensor and buffer types match");
    bool same = ranked == ir_type_is_ranked(b) &&
                (!ranked || (a->count == b->count &&
                             memcmp(a->dims, b->dims, a->count * sizeof *a->dims) == 0));
    if (!shaped || (same && a->element == b->element))
        return true;
    ir_error_at_op(op, "%s do not match", same ? "element types" : "shapes");
    return ir_op_error(op, "failed to verify that specified tensor and buffer types match");
}

bool bufferization_alloc_tensor_verify(ir_op *op)
{
    ir_value *copy = ir_op_operand_named(op, "copy");
    size_t sizes = shape_group_count(op, "dynamic_sizes"),
           wanted = shape_dynamic_dims(op->results[0].type);
    if (copy && sizes)
        return ir_error_at_op(op, "dynamic sizes not needed when copying a tensor");
    if (!copy && sizes != wanted)
        return ir_error_at_op(op, "expected %zu dynamic sizes", wanted);
    return !copy || copy->type == op->results[0].type ||
           ir_error_at_op(op, "expected that `copy` and return type match");
}

/* One condition for each retained memref. */
bool bufferization_dealloc_infer(ir_infer *in)
{
    size_t slot = ir_def_prop_index(in->def, TW_STR("operandSegmentSizes"));
    ir_attr sizes = slot == SIZE_MAX ? NULL : in->props[slot];
    int64_t retained = sizes && sizes->count == 3 ? ir_dense_array_int(sizes, 2) : 0;
    if (retained < 0 || (size_t)retained > in->n_results)
        return ir_error(in->ctx, in->loc, "too many values are retained");
    in->n_results = (size_t)retained;
    for (size_t i = 0; i < in->n_results; i++)
        in->results[i] = ir_integer_type(in->ctx, 1, IR_SIGNLESS);
    return true;
}

bool bufferization_dealloc_verify(ir_op *op)
{
    if (shape_group_count(op, "memrefs") != shape_group_count(op, "conditions"))
        return ir_op_error(
            op, "must have the same number of conditions as memrefs to deallocate");
    return shape_group_count(op, "retained") == op->n_results ||
           ir_op_error(op, "must have the same number of updated conditions (results) as "
                           "retained operands");
}

bool bufferization_materialize_verify(ir_op *op)
{
    ir_type source = operand_type(op, 0), dest = operand_type(op, 1);
    bool tensor = dest->kind == IR_TYPE_TENSOR || dest->kind == IR_TYPE_UNRANKED_TENSOR;
    bool memref = dest->kind == IR_TYPE_MEMREF || dest->kind == IR_TYPE_UNRANKED_MEMREF;
    const char *wrong =
        !tensor && !memref             ? "'dest' must be a tensor or a memref"
        : tensor && op->n_results != 1 ? "tensor 'dest' implies exactly one tensor result"
        : tensor && op->results[0].type != dest ? "result and 'dest' types must match"
        : memref && op->n_results               ? "memref 'dest' implies zero results"
        : ir_op_attr(op, "restrict") && !memref
            ? "'restrict' is valid only for memref destinations"
        : (ir_op_attr(op, "writable") != NULL) != memref
            ? "'writable' must be specified if and only if the destination is of memref "
              "type"
        : ir_type_is_ranked(source) != ir_type_is_ranked(dest)
            ? "source/destination shapes are incompatible"
        : ir_type_is_ranked(source) && source->count != dest->count
            ? "rank mismatch between source and destination shape"
        : !shape_compatible(source, dest) ? "source/destination shapes are incompatible"
                                          : NULL;
    return !wrong || ir_op_error(op, "%s", wrong);
}
