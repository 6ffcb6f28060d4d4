/* tiles.c: operations on single tiles.  A tile value denotes a register of DST (by its
 * maker's dst_idx) or for a tile in a circular buffer (by the tensor it was taken from). */
#include "mlir/arith/arith.h"
#include "mlir/scf/scf.h"
#include "mlir/tensor/tensor.h"
#include "ttcore/ttcore.h"
#include "ttkernel/ttkernel.h"
#include "ttl/to_ttkernel/ttl_to_ttkernel.h"
#include "ttl/ttl_info.h"

#include <math.h>

/* ---- where a tile is ----------------------------------------------------------------- */

/* The register that ttl.get_tile fills: what it says, or the next one in its block. */
int64_t k_taken_register(const ir_op *op)
{
    int64_t n = 0;
    for (const ir_op *o = op->prev; o; o = o->prev)
        n += o->def == TTL_OP(get_tile);
    return ir_op_int(op, "dst_idx", n);
}

/* The register that holds a tile value, -1 if nothing says.  Arguments denote the
 * register of their number. */
int64_t k_register_of(const ir_value *v)
{
    if (v->is_argument)
        return v->index;
    ir_op *def = v->owner;
    if (def->def == TTL_OP(copy_tile)) {
        int64_t index = -1;
        arith_constant_int(def->operands[2].value, &index);
        return index;
    }
    if (def->def == TTL_OP(get_tile))
        return k_taken_register(def);
    return ir_op_int(def, "dst_idx", -1);
}

/* The buffer behind a tensor: attached, waited for, reserved, or carried by a loop. */
static ir_value *buffer_of(ir_value *tensor)
{
    for (int depth = 0; depth < 64; depth++) {
        tensor = ttl_behind_casts(tensor);
        if (tensor->type->kind == IR_TYPE_DIALECT &&
            (tensor->type->def == TTKERNEL_TYPE(cb) || tensor->type->def == TTL_TYPE(cb)))
            return tensor;
        ir_value *cb = ttl_attached_cb(tensor);
        if (cb)
            return cb;
        ir_op *def = ir_value_def(tensor);
        if (ir_op_is(def, TTL_OP(cb_reserve))) {
            tensor = def->operands[0].value;
        } else if (tensor->is_argument && tensor->index > 0 &&
                   ir_op_is(((ir_block *)tensor->owner)->region->owner, SCF_OP(for))) {
            ir_op *loop = ((ir_block *)tensor->owner)->region->owner;
            tensor = loop->operands[tensor->index + 2].value;
        } else {
            return NULL;
        }
    }
    return NULL;
}

/* The buffer that a tile lies in; of a compute's argument, that of its input. */
ir_value *k_buffer_of_tile(ir_value *tile)
{
    if (tile->is_argument) {
        ir_op *owner = ((ir_block *)tile->owner)->region->owner;
        return ir_op_is(owner, TTL_OP(compute)) && tile->index < owner->n_operands
                   ? buffer_of(owner->operands[tile->index].value)
                   : NULL;
    }
    ir_op *def = ir_value_def(tile);
    return buffer_of(ir_op_is(def, TENSOR_OP(extract)) ? def->operands[0].value : tile);
}

/* The row-major number of a position in a tensor, from operand `first` on. */
ir_value *k_linear_index(ir_builder *b, const ir_op *op, uint32_t first, ir_type tensor)
{
    ir_value *sum = NULL;
    for (uint32_t i = first; i < op->n_operands; i++) {
        ir_value *at = op->operands[i].value;
        int64_t extent = tensor->dims[i - first];
        sum = !sum ? at
                   : k_arith(b, "arith.addi",
                             k_arith(b, "arith.muli", sum, arith_index(b, extent)), at);
    }
    return sum ? sum : arith_index(b, 0);
}

/* ---- storing ------------------------------------------------------------------------- */

/* The position that loops of constant bounds around an operation denote; at most the
 * two innermost count. */
static ir_value *index_of_loops(ir_builder *b, ir_op *op)
{
    ir_op *loops[2];
    size_t n = 0;
    for (ir_op *p = ir_op_parent(op); p && n < 2; p = ir_op_parent(p))
        if (p->def == SCF_OP(for))
            loops[n++] = p;
    if (n == 0)
        return arith_index(b, 0);
    ir_value *inner = ir_op_body(loops[0], 0)->args[0];
    if (n == 1)
        return inner;
    return k_arith(b, "arith.addi",
                   k_arith(b, "arith.muli", ir_op_body(loops[1], 0)->args[0],
                           loops[0]->operands[1].value),
                   inner);
}

/* Where the stored tile goes: where the loops put it into the output's tensor. */
static ir_value *stored_at(ir_builder *b, ir_op *store)
{
    ir_value *tile = store->operands[0].value;
    for (ir_operand *use = tile->uses; use; use = use->next_use)
        if (use->owner->def == TENSOR_OP(insert) && use->owner->block == store->block &&
            ir_operand_number(use) == 0)
            return k_linear_index(b, use->owner, 2, use->owner->results[0].type);
    return index_of_loops(b, store);
}

/* An accumulating store adds to what an earlier one left since the reserve.  With acc =
 * "always" there is one; else the packer adds unless every loop between the two, but for
 * those over the block's own tiles, is in its first round. */
static ir_value *is_later_store(ir_builder *b, ir_op *store)
{
    if (ir_attr_is(ir_op_attr(store, "acc"), IR_ATTR_STRING))
        return arith_i32(b, 1);
    ir_op *reserve = ir_value_def(store->operands[1].value);
    ir_value *later = NULL;
    ir_type i1 = ir_integer_type(b->ctx, 1, IR_SIGNLESS);
    for (ir_op *p = ir_op_parent(store); p && p->block; p = ir_op_parent(p)) {
        if (p->def != SCF_OP(for) || ir_op_attr(p, "ttl.tile_loop") ||
            (reserve && ir_op_is_ancestor(p, reserve)))
            continue;
        ir_value *round =
            ir_build1(b, ARITH_OP(cmpi), i1,
                      IR_VALUES(ir_op_body(p, 0)->args[0], p->operands[0].value),
                      IR_ATTRS({"predicate", ir_i64_attr(b->ctx, ARITH_CmpIPredicate_ne)}));
        later = later ? k_arith(b, "arith.ori", later, round) : round;
    }
    if (!later)
        return arith_i32(b, 0);
    return ir_build1(b, ARITH_OP(extui), ir_integer_type(b->ctx, 32, IR_SIGNLESS), &later,
                     1, NULL, 0);
}

bool k_store(k_func *f, ir_op *op)
{
    ir_value *cb = buffer_of(op->operands[1].value), *tile = op->operands[0].value;
    if (!cb) /* at the module, as users' tests have it */
        return ir_error_unlowered(f->ctx, ir_nearest_symbol_table(f->func)->loc,
                                  op->def->name, "view must come from ttl.cb_reserve");
    ir_builder b = ir_builder_before(op);
    cb = k_cb(f, &b, cb);
    ir_value *at = stored_at(&b, op);
    int64_t reg = ir_value_def(tile) ? k_register_of(tile) : -1;
    ir_value *operands[] = {reg >= 0 ? arith_index(&b, reg) : at, cb, at};
    bool add = ir_op_attr(op, "acc") != NULL;
    if (add)
        K_CALL(&b, TTKERNEL_OP(pack_reconfig_l1_acc), is_later_store(&b, op));
    ir_build_op(&b, TTKERNEL_OP(pack_tile), NULL, 0, operands, 3,
                IR_ATTRS({"out_of_order", ir_bool_attr(f->ctx, add)}), 0);
    if (add)
        K_CALL(&b, TTKERNEL_OP(pack_reconfig_l1_acc), arith_i32(&b, 0));
    ir_op_erase(op);
    return true;
}

/* ---- loading ------------------------------------------------------------------------- */

bool k_copy_tile(k_func *f, ir_op *op)
{
    ir_value *cb = k_buffer_of_tile(op->operands[0].value);
    if (!cb)
        return k_illegal(op, "cannot find attached cb for src");
    ir_builder b = ir_builder_before(op);
    cb = k_cb(f, &b, cb);
    K_CALL(&b, TTKERNEL_OP(copy_tile_init), cb);
    K_CALL(&b, TTKERNEL_OP(copy_tile), cb, op->operands[1].value, op->operands[2].value);
    if (op->results[0].uses)
        return k_illegal(op, "its token is used");
    ir_value_replace_uses(&op->results[1], op->operands[0].value);
    ir_op_erase(op);
    return true;
}

bool k_get_tile(k_func *f, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *cb = k_cb(f, &b, op->operands[0].value);
    if (op->results[0].uses)
        return k_illegal(op, "its tile is used by what takes no register of DST");
    K_CALL(&b, TTKERNEL_OP(copy_tile_init), cb);
    K_CALL(&b, TTKERNEL_OP(copy_tile), cb, op->operands[1].value,
           arith_index(&b, k_taken_register(op)));
    ir_op_erase(op);
    return true;
}

bool k_pack_tile(k_func *f, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *operands[] = {op->operands[0].value, k_cb(f, &b, op->operands[1].value),
                            op->operands[2].value};
    ir_build_op(&b, TTKERNEL_OP(pack_tile), NULL, 0, operands, 3,
                IR_ATTRS({"out_of_order", ir_bool_attr(f->ctx, true)}), 0);
    ir_op_erase(op);
    return true;
}

bool k_copy_dst(k_func *f, ir_op *op)
{
    int64_t from = k_register_of(op->operands[0].value), to = ir_op_int(op, "dst_idx", -1);
    if (from < 0)
        return k_illegal(op, "cannot determine src DST index from input tile");
    if (to < 0)
        return k_illegal(op, "missing dst_idx attribute");
    ir_builder b = ir_builder_before(op);
    ir_attr format = ir_enum_attr(f->ctx, TTCORE_ATTR(supportedDataTypes),
                                  ttcore_tile_data_type(op->results[0].type));
    ir_value *operands[] = {arith_index(&b, from), arith_index(&b, to)};
    k_call(&b, TTKERNEL_OP(copy_dest_values_init), NULL, 0);
    ir_build_op(&b, TTKERNEL_OP(copy_dest_values), NULL, 0, operands, 2,
                IR_ATTRS({"data_format", format}), 0);
    return k_replace(op, op->operands[0].value);
}

/* ---- computing ----------------------------------------------------------------------- */

/* A number as the API takes it: the bits of an f32, or an integer. */
static ir_value *number_of(ir_builder *b, ir_attr value, bool whole)
{
    if (!ir_attr_is(value, IR_ATTR_FLOAT))
        return arith_i32(b, ir_attr_int(value, 0));
    float real = (float)value->real;
    int32_t bits;
    memcpy(&bits, &real, sizeof bits);
    return arith_i32(b, whole ? (int32_t)value->real : bits);
}

/* Whether integers are all that it takes, where its tiles hold integers. */
static bool takes_whole(const ttl_elementwise *row, ir_op *op)
{
    ir_type tile = op->results[0].type;
    if (!row->int_compute)
        return ir_op_error(op,
                           "computes with floating-point numbers, got tiles '%s'; the "
                           "device has no %s for integers",
                           ir_type_text(op->ctx, tile), row->tensor->name);
    if (row->is_signed && ttcore_tile_data_type(tile) == TTCORE_DataType_UInt32)
        return ir_op_error(op, "reads integers as signed ones, got tiles '%s' for %s",
                           ir_type_text(op->ctx, tile), row->tensor->name);
    for (const char *const *name = ttl_number_names(row->form); *name; name++) {
        ir_attr value = ir_op_attr(op, *name);
        if (ir_attr_is(value, IR_ATTR_FLOAT) &&
            !(fabs(value->real) < 0x1p31 && value->real == trunc(value->real)))
            return ir_op_error(op, "takes integers of 32 bits with tiles '%s', got %g",
                               ir_type_text(op->ctx, tile), value->real);
    }
    return true;
}

/* The call that computes, with the type of integers where it asks for one. */
static bool compute(ir_builder *b, const ttl_elementwise *row, ir_op *op,
                    ir_value *const *operands, size_t n)
{
    ir_type tile = op->results[0].type;
    bool whole = ttcore_is_integer_tile(tile);
    const ir_op_def *def = whole ? row->int_compute : row->compute;
    ir_attr type =
        ir_enum_attr(b->ctx, TTCORE_ATTR(supportedDataTypes), ttcore_tile_data_type(tile));
    const ir_op_def *init = whole ? row->int_init : row->init;
    ir_build_op(b, init, NULL, 0, NULL, 0,
                IR_ATTRS({"dtype", init->attrs.count ? type : NULL}), 0);
    ir_build_op(b, def, NULL, 0, operands, n,
                IR_ATTRS({"dtype", def->attrs.count ? type : NULL}), 0);
    return k_replace(op, op->operands[0].value);
}

bool k_elementwise(k_func *f, ir_op *op)
{
    (void)f;
    const ttl_elementwise *row = ttl_elementwise_of(op->def);
    const bool whole = ttcore_is_integer_tile(op->results[0].type);
    const bool several = row->form == TTL_BINARY || row->form == TTL_TERNARY;
    int64_t from[3] = {0}, to = ir_op_int(op, "dst_idx", -1);
    if (whole && !takes_whole(row, op))
        return false;
    if (!whole && !row->compute)
        return ir_op_error(op, "computes with integers, got tiles '%s' for %s",
                           ir_type_text(op->ctx, op->results[0].type), row->tensor->name);
    for (uint32_t i = 0; several && i < op->n_operands; i++)
        if ((from[i] = k_register_of(op->operands[i].value)) < 0)
            return k_illegal(op, i ? "failed to extract dst_idx from rhs operand"
                                   : "failed to extract dst_idx from lhs operand");
    if (to < 0)
        return k_illegal(op, "missing dst_idx attribute");
    ir_builder b = ir_builder_before(op);
    ir_value *operands[4];
    size_t n = 0;
    for (uint32_t i = 0; several && i < op->n_operands; i++)
        operands[n++] = arith_index(&b, from[i]);
    operands[n++] = arith_index(&b, to);
    for (const char *const *name = ttl_number_names(row->form); *name; name++)
        operands[n++] = number_of(&b, ir_op_attr(op, *name), whole);
    for (uint8_t i = 0; i < row->n_numbers; i++)
        operands[n++] = arith_i32(&b, row->numbers[i]);
    return compute(&b, row, op, operands, n);
}

/* Of the same type the tile is where it is to be already. */
bool k_typecast(k_func *f, ir_op *op)
{
    ir_value *in = op->operands[0].value;
    int64_t from = ttcore_tile_data_type(in->type), reg = ir_op_int(op, "dst_idx", -1);
    int64_t to = ttcore_tile_data_type(op->results[0].type);
    if (reg < 0)
        return k_illegal(op, "missing dst_idx attribute");
    if (from != to) {
        const ir_attr_by_name types[] = {
            {"in_dtype", ir_enum_attr(f->ctx, TTCORE_ATTR(supportedDataTypes), from)},
            {"out_dtype", ir_enum_attr(f->ctx, TTCORE_ATTR(supportedDataTypes), to)}};
        ir_builder b = ir_builder_before(op);
        ir_value *at = arith_index(&b, reg);
        ir_build_op(&b, TTKERNEL_OP(typecast_tile_init), NULL, 0, NULL, 0, types, 2, 0);
        ir_build_op(&b, TTKERNEL_OP(typecast_tile), NULL, 0, &at, 1, types, 2, 0);
    }
    return k_replace(op, in);
}

bool k_init_sfpu(k_func *f, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *in = k_cb(f, &b, op->operands[0].value);
    K_CALL(&b, TTKERNEL_OP(init_sfpu), in, k_cb(f, &b, op->operands[1].value));
    ir_op_erase(op);
    return true;
}
