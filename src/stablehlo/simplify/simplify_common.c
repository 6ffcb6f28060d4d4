/* simplify_common.c: see simplify.h. */
#include "stablehlo/simplify/simplify.h"

#include "stablehlo/build.h"
#include "stablehlo/eval/eval.h"
#include "stablehlo/stablehlo_verify.h"

bool hs_is(const ir_op *op, uint16_t row)
{
    return op && op->def == &stablehlo_ops[row];
}

bool hs_is_static(ir_type t)
{
    return ir_type_has_static_shape(t);
}

bool hs_has_nothing(ir_type t)
{
    return hs_is_static(t) && ir_type_num_elements(t) == 0;
}

bool hs_is_integer(ir_type t)
{
    return hlo_class_of(t->element) == HLO_INT && !hlo_is_quantized(t->element);
}

/* True if all elements equal the integer. */
bool hs_is_all(const ir_value *v, int64_t integer)
{
    ir_attr x = hlo_dense_of(v);
    if (!x || !(x->splat || ir_type_num_elements(x->type) == 1))
        return false;
    switch (hlo_class_of(x->type->element)) {
    case HLO_INT:
        return ir_dense_int(x, 0) == integer ||
               (x->type->element->width == 1 && (ir_dense_int(x, 0) & 1) == (integer & 1));
    case HLO_FLOAT:
        return ir_dense_real(x, 0) == (double)integer;
    default:
        return false;
    }
}

bool hs_read(const ir_value *v, hs_integers *out)
{
    out->n = stablehlo_ints(v, out->at, HS_CAPACITY);
    return out->n >= 0 && out->n <= HS_CAPACITY;
}

bool hs_list(const ir_op *op, const char *name, hs_integers *out)
{
    out->n = ir_attr_ints(ir_op_attr(op, name), out->at, HS_CAPACITY);
    if (out->n < 0)
        out->n = 0;
    return out->n <= HS_CAPACITY;
}

ir_attr hs_array(rw_rewriter *rw, const hs_integers *list)
{
    return ir_dense_i64_array(rw->b.ctx, list->at, (size_t)list->n);
}

bool hs_is_iota(const hs_integers *list)
{
    for (int64_t i = 0; i < list->n; i++)
        if (list->at[i] != i)
            return false;
    return true;
}

bool hs_is_sorted(const hs_integers *list)
{
    for (int64_t i = 1; i < list->n; i++)
        if (list->at[i] <= list->at[i - 1])
            return false;
    return true;
}

/* ---- merged attributes -------------------------------------------------------------- */

static ir_attr entry_of(ir_attr dict, tw_str name)
{
    for (uint32_t i = 0; dict && i < dict->count; i++)
        if (tw_str_equal(ir_ident_str(dict->entries[i].name), name))
            return dict->entries[i].value;
    return NULL;
}

/* Merges both dictionaries; `over` takes precedence, except for payloads, which belong to
 * the replaced operation. */
static ir_attr merge(ir_context *ctx, ir_attr under, ir_attr over)
{
    ir_named_attr entries[2 * HS_CAPACITY];
    size_t n = 0;
    if (under->count > HS_CAPACITY || over->count > HS_CAPACITY)
        return under;
    for (uint32_t i = 0; i < under->count; i++) {
        tw_str name = ir_ident_str(under->entries[i].name);
        ir_attr other = entry_of(over, name), own = under->entries[i].value;
        entries[n] = under->entries[i];
        if (ir_attr_is(other, IR_ATTR_DICT) && ir_attr_is(own, IR_ATTR_DICT))
            entries[n].value = merge(ctx, own, other);
        else if (other && !tw_str_is(name, "xla_metadata_payload"))
            entries[n].value = other;
        n++;
    }
    for (uint32_t i = 0; i < over->count; i++)
        if (!entry_of(under, ir_ident_str(over->entries[i].name)))
            entries[n++] = over->entries[i];
    return ir_dict_attr(ctx, entries, n);
}

/* Replaces the operation by an existing value, merging its attributes. */
bool hs_replace(ir_op *op, rw_rewriter *rw, ir_value *v)
{
    if (v->type != op->results[0].type)
        return false;
    ir_op *def = ir_value_def(v);
    if (op->attrs && def)
        def->attrs = def->attrs ? merge(op->ctx, def->attrs, op->attrs) : op->attrs;
    rw_replace1(rw, op, v);
    return true;
}

/* Replaces the operation by a new one, merging its attributes. */
bool hs_replace_new(ir_op *op, rw_rewriter *rw, ir_value *v)
{
    ir_op *def = ir_value_def(v);
    if (v->type != op->results[0].type)
        return false;
    def->attrs = op->attrs;
    rw_replace1(rw, op, v);
    return true;
}

bool hs_put_constant(ir_op *op, rw_rewriter *rw, ir_attr value)
{
    rw_replace1(rw, op, hlo_constant(&rw->b, value));
    return true;
}

bool hs_replace_by_integer(ir_op *op, rw_rewriter *rw, int64_t integer)
{
    ir_type t = op->results[0].type;
    if (!hs_is_static(t))
        return false;
    return hs_put_constant(op, rw,
                           hlo_class_of(t->element) == HLO_INT
                               ? ir_dense_splat_int(t, integer)
                               : ir_dense_splat(t, (double)integer));
}

int64_t hs_fold_limit(const rw_rewriter *rw)
{
    return ((const hlo_optimize *)rw->user)->most_elements;
}

ir_value *hs_operand(const ir_op *op, size_t i)
{
    return op->operands[i].value;
}
