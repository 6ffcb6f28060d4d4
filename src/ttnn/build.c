/* build.c: making TTNN operations; see build.h. */
#include "ttnn/build.h"
#include "ir/like.h"

#include <stdlib.h>

ir_loc tnb_suffix(ir_context *ctx, ir_loc loc, const char *suffix)
{
    ir_attr a = loc.bits ? ir_loc_attr(ctx, loc) : NULL;
    if (!suffix || !ir_attr_is(a, IR_ATTR_LOC_NAME))
        return loc;
    tw_strbuf text = {0};
    tw_strbuf_printf(&text, "%s%s", a->ident->text, suffix);
    ir_ident name = ir_ident_get(ctx, (tw_str){text.data, text.size});
    tw_strbuf_free(&text);
    return ir_loc_name(ctx, name, a->child ? ir_loc_from_attr(a->child) : IR_LOC_UNKNOWN);
}

ir_attr tnb_shape(ir_context *ctx, const int64_t *dims, size_t rank)
{
    ir_attr items[TTNN_MAX_RANK], list;
    assert(rank <= TTNN_MAX_RANK);
    for (size_t i = 0; i < rank; i++)
        items[i] = ir_raw_int(ctx, dims[i]);
    list = ir_array_attr(ctx, items, rank);
    return ir_dialect_attr(ctx, TTNN_ATTR(shape), &list, 1);
}

ir_type tnb_trace_id_type(ir_context *ctx)
{
    return ir_tensor_type(ir_integer_type(ctx, 32, IR_UNSIGNED), NULL, 0,
                          ir_dialect_attr(ctx, TTNN_ATTR(trace_id), NULL, 0));
}

ir_value *tnb_device(ir_builder *b, ir_op *at)
{
    ir_block *block = at->block;
    for (ir_op *o = block->first; o; o = o->next)
        if (o->def == TTNN_OP(get_device)) {
            if (at != o && ir_op_before(at, o))
                ir_op_insert_before(o, block->first);
            return ir_op_result(o, 0);
        }
    ir_builder start = *b;
    ir_context *ctx = b->ctx;
    start.block = block;
    start.before = block->first;
    start.loc = at->loc;
    int64_t mesh[2];
    ttnn_device_mesh(at, mesh);
    ir_attr shape[] = {ir_raw_int(ctx, mesh[0]), ir_raw_int(ctx, mesh[1])};
    ir_attr zero[] = {ir_raw_int(ctx, 0), ir_raw_int(ctx, 0)};
    return ir_build1(
        &start, TTNN_OP(get_device), ir_dialect_type(ctx, TTNN_TYPE(device), NULL, 0), NULL,
        0,
        IR_ATTRS({"mesh_shape", ir_dialect_attr(ctx, TTNN_ATTR(mesh_shape), shape, 2)},
                 {"mesh_offset", ir_dialect_attr(ctx, TTNN_ATTR(mesh_offset), zero, 2)}));
}

ir_value *tnb_op(ir_builder *b, const char *suffix, const ir_op_def *def, ir_type result,
                 ir_value *const *operands, size_t n_operands, const ir_attr_by_name *attrs,
                 size_t n_attrs)
{
    ir_builder at = *b;
    at.loc = tnb_suffix(b->ctx, b->loc, suffix);
    return ir_op_result(
        ir_build_op(&at, def, &result, 1, operands, n_operands, attrs, n_attrs, 0), 0);
}

ir_value *tnb_binary(ir_builder *b, const char *suffix, uint16_t op, ir_type type,
                     ir_value *x, ir_value *y)
{
    return tnb_op(b, suffix, &ttnn_ops[op], type, IR_VALUES(x, y), NULL, 0);
}

ir_value *tnb_reshape(ir_builder *b, const char *suffix, ir_value *v, const int64_t *dims,
                      size_t rank)
{
    return tnb_op(b, suffix, TTNN_OP(reshape), ttnn_tensor_reshaped(v->type, dims, rank),
                  IR_VALUES(v), IR_ATTRS({"shape", ir_i32_array_attr(b->ctx, dims, rank)}));
}

ir_value *tnb_permute(ir_builder *b, const char *suffix, ir_value *v, const int64_t *order)
{
    int64_t dims[TTNN_MAX_RANK];
    uint32_t rank = v->type->count;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = v->type->dims[order[i]];
    return tnb_op(b, suffix, TTNN_OP(permute), ttnn_tensor_reshaped(v->type, dims, rank),
                  IR_VALUES(v),
                  IR_ATTRS({"permutation", ir_dense_i64_array(b->ctx, order, rank)}));
}

ir_value *tnb_slice(ir_builder *b, const char *suffix, ir_value *v, const int64_t *begins,
                    const int64_t *ends)
{
    int64_t dims[TTNN_MAX_RANK], ones[TTNN_MAX_RANK];
    uint32_t rank = v->type->count;
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = ends[i] - begins[i];
        ones[i] = 1;
    }
    return tnb_op(b, suffix, TTNN_OP(slice_static),
                  ttnn_tensor_reshaped(v->type, dims, rank), IR_VALUES(v),
                  IR_ATTRS({"begins", ir_i32_array_attr(b->ctx, begins, rank)},
                           {"ends", ir_i32_array_attr(b->ctx, ends, rank)},
                           {"step", ir_i32_array_attr(b->ctx, ones, rank)}));
}

ir_value *tnb_pad(ir_builder *b, const char *suffix, ir_value *v, const int64_t *pairs,
                  double value, bool multicore)
{
    int64_t dims[TTNN_MAX_RANK];
    uint32_t rank = v->type->count;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = v->type->dims[i] + pairs[2 * i] + pairs[2 * i + 1];
    return tnb_op(b, suffix, TTNN_OP(pad), ttnn_tensor_reshaped(v->type, dims, rank),
                  IR_VALUES(v),
                  IR_ATTRS({"padding", ir_dense_i32_array(b->ctx, pairs, 2 * (size_t)rank)},
                           {"value", ir_f32_attr(b->ctx, value)},
                           {"use_multicore", ir_bool_attr(b->ctx, multicore)}));
}

ir_value *tnb_repeat(ir_builder *b, const char *suffix, ir_value *v, const int64_t *times)
{
    int64_t dims[TTNN_MAX_RANK];
    uint32_t rank = v->type->count;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = v->type->dims[i] * times[i];
    return tnb_op(b, suffix, TTNN_OP(repeat), ttnn_tensor_reshaped(v->type, dims, rank),
                  IR_VALUES(v), IR_ATTRS({"repeat_dims", tnb_shape(b->ctx, times, rank)}));
}

ir_value *tnb_concat(ir_builder *b, const char *suffix, ir_value *const *parts, size_t n,
                     int64_t dim)
{
    int64_t dims[TTNN_MAX_RANK];
    ir_type t = parts[0]->type;
    memcpy(dims, t->dims, t->count * sizeof *dims);
    for (size_t i = 1; i < n; i++)
        dims[dim] += parts[i]->type->dims[dim];
    ir_type type = ttnn_tensor_reshaped(t, dims, t->count);
    ir_attr at = ir_si32_attr(b->ctx, dim);
    return tnb_op(b, suffix, TTNN_OP(concat), type, parts, n, IR_ATTRS({"dim", at}));
}

ir_value *tnb_full(ir_builder *b, const char *suffix, ir_type type, ir_attr fill,
                   ir_value *device)
{
    return tnb_op(b, suffix, TTNN_OP(full), type, IR_VALUES(device),
                  IR_ATTRS({"shape", tnb_shape(b->ctx, type->dims, type->count)},
                           {"fill_value", fill}));
}

ir_value *tnb_to_spec(ir_builder *b, const char *suffix, ir_value *v, const ttnn_layout *l)
{
    ir_type type = ttnn_tensor_with(v->type, l);
    if (type == v->type)
        return v;
    return tnb_op(b, suffix, TTNN_OP(to_tensor_spec), type, IR_VALUES(v), NULL, 0);
}

ir_op *tnb_clone(ir_builder *b, const char *suffix, ir_op *op, ir_value *const *operands,
                 const ir_type *results)
{
    const ir_op_state state = {.loc = tnb_suffix(b->ctx, b->loc, suffix),
                               .operands = operands,
                               .n_operands = op->n_operands,
                               .results = results,
                               .n_results = op->n_results,
                               .no_defaults = true};
    ir_op *made = ir_build_like(b, op, state);
    made->attrs = op->attrs;
    return made;
}

size_t tnb_ints(const ir_op *op, const char *name, int64_t *out, size_t max)
{
    int64_t n = ir_attr_ints(ir_op_attr(op, name), out, max);
    return n < 0 ? 0 : TW_MIN((size_t)n, max);
}

ir_attr tnb_with(ir_context *ctx, const ir_attr_def *def, ir_attr old, const char *name,
                 ir_attr value)
{
    ir_attr params[32];
    uint32_t n = def->params.count;
    assert(n <= TW_COUNT(params));
    for (uint32_t i = 0; i < n; i++) {
        params[i] = old ? old->params[i] : NULL;
        if (strcmp(def->params.at[i].name, name) == 0)
            params[i] = value;
    }
    return ir_dialect_attr(ctx, def, params, n);
}
