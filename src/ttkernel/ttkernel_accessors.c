/* ttkernel_accessors.c: accessors as the plan of TTL sketches them become those that the
 * kernel API has.
 *
 *   func.func @k(%a: i64) attributes {ttkernel.compile_time_args =
 *       [0 : i32, #ttkernel.tensor_accessor_args<layout=interleaved>]} {
 *     %t = ttkernel.tensor_accessor %a {layout = #ttkernel.layout<interleaved>} : ...
 *
 * becomes
 *
 *   func.func @k() attributes {ttkernel.thread = #ttkernel.thread<noc>, ...} {
 *     %a = ttkernel.get_arg_val(0)
 *     %args = ttkernel.TensorAccessorArgs(1, 0)        the next one's: (prev = %args)
 *     %t = ttkernel.TensorAccessor(%args, %a, 4096)    the bytes of a tile
 *
 * Integer arguments of such a function are runtime arguments, by their numbers; what it is
 * given when it is compiled is ttkernel.compile_time_args: ports and numbers first, then an
 * entry for each accessor in the order of the text.  Without a list accessors come behind
 * what the function reads itself.  What an accessor says of its tensor stays with it as the
 * type ttkernel.accessor, for the device to look at. */
#include "ttkernel/ttkernel_accessors.h"

#include "mlir/arith/arith.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore_tile.h"
#include "ttkernel/ttkernel.h"
#include "ttkernel/ttkernel_layout.h"

static const char *const list_name = "ttkernel.compile_time_args";

typedef struct settling {
    ir_op *func;
    ir_builder start;     /* of the function */
    ir_op_list accessors; /* in the order of the text */
    ir_attr list;         /* or NULL */
    uint32_t first;       /* compile-time argument of an accessor */
} settling;

static ir_type i32_of(ir_context *ctx)
{
    return ir_integer_type(ctx, 32, IR_SIGNLESS);
}

static bool describes_accessor(ir_attr entry)
{
    return ir_attr_is(entry, IR_ATTR_DIALECT) &&
           entry->def == TTKERNEL_ATTR(tensor_accessor_args);
}

static bool describes_other(ir_attr entry)
{
    return ir_attr_is(entry, IR_ATTR_INTEGER) ||
           (ir_attr_is(entry, IR_ATTR_DIALECT) && entry->def == TTKERNEL_ATTR(arg));
}

/* ---- compile-time arguments */

/* Of how many words an accessor's arguments are is not known here: nothing comes behind
 * them. */
static bool read_list(settling *s)
{
    ir_attr list = s->list;
    if (!ir_attr_is(list, IR_ATTR_ARRAY))
        return ir_op_error(s->func, "%s must be an array", list_name);
    while (s->first < list->count && describes_other(list->items[s->first]))
        s->first++;
    for (uint32_t i = s->first; i < list->count; i++)
        if (!describes_accessor(list->items[i]))
            return ir_op_error(
                s->func,
                describes_other(list->items[i])
                    ? "%s: entry %u, %s, comes behind a tensor's arguments, which are of "
                      "many words: put it in front of them"
                    : "%s: entry %u, %s, is no number, #ttkernel.arg or "
                      "#ttkernel.tensor_accessor_args",
                list_name, i, ir_attr_text(s->func->ctx, list->items[i]));
    return s->accessors.n <= list->count - s->first ||
           ir_op_error(s->func, "has %zu tensor accessors, %s describes %u", s->accessors.n,
                       list_name, list->count - s->first);
}

/* Without a list accessors begin behind what is read; with one that must lie in front. */
static ir_walk note_read(ir_op *op, void *user)
{
    settling *s = user;
    int64_t index = op->def == TTKERNEL_OP(get_compile_time_arg_val)
                        ? ir_op_int(op, "arg_index", -1)
                        : -1;
    if (index < 0)
        return IR_WALK_ON;
    if (!s->list)
        s->first = TW_MAX(s->first, (uint32_t)index + 1);
    else if (index >= s->first)
        ir_op_error(op,
                    "reads compile-time argument %lld; in front of the tensors' "
                    "arguments %s has %u",
                    (long long)index, list_name, s->first);
    return s->list && index >= s->first ? IR_WALK_STOP : IR_WALK_ON;
}

/* The k-th accessor's entry says the same of the tensor as the accessor does. */
static bool agrees(const settling *s, ir_op *op, uint32_t k)
{
    if (!s->list)
        return true;
    ir_attr layout = ir_op_attr(op, "layout");
    ir_attr own = layout ? layout : ir_type_param(op->results[0].type, "layout");
    ir_attr entry = s->list->items[s->first + k];
    bool same = own->params[0]->value == entry->params[0]->value;
    for (uint32_t i = 1; i < 3; i++) /* what one leaves out follows from the other */
        same &= !own->params[i] || !entry->params[i] || own->params[i] == entry->params[i];
    return same || ir_op_error(op, "has layout %s, entry %u of %s is %s",
                               ir_attr_text(op->ctx, own), s->first + k, list_name,
                               ir_attr_text(op->ctx, entry));
}

/* ---- runtime arguments --------------------------------------------------------------- */

/* Accessors read the word, others what the function's argument was. */
static void replace_argument(settling *s, ir_value *arg, ir_value *word)
{
    for (size_t k = 0; k < s->accessors.n; k++)
        if (s->accessors.at[k]->operands[0].value == arg)
            ir_op_set_operand(s->accessors.at[k], 0, word);
    if (arg->uses && arg->type != word->type)
        word = ir_build1(&s->start,
                         arg->type->kind == IR_TYPE_INDEX ? ARITH_OP(index_cast)
                                                          : ARITH_OP(extui),
                         arg->type, &word, 1, NULL, 0);
    ir_value_replace_uses(arg, word);
}

static bool take_arguments(settling *s)
{
    ir_context *ctx = s->func->ctx;
    ir_block *entry = ir_op_body(s->func, 0);
    for (uint32_t i = 0; i < entry->n_args; i++) {
        ir_type type = entry->args[i]->type;
        if (type != i32_of(ctx) && type != ir_integer_type(ctx, 64, IR_SIGNLESS) &&
            type->kind != IR_TYPE_INDEX)
            return ir_op_error(s->func,
                               "argument %u is of type '%s': runtime arguments are i32, "
                               "i64 or index; buffers come from "
                               "ttkernel.get_compile_time_arg_val",
                               i, ir_type_text(ctx, type));
    }
    for (uint32_t i = 0; entry->n_args; i++) {
        ir_value *which = arith_i32(&s->start, i);
        ir_value *word =
            ir_build1(&s->start, TTKERNEL_OP(get_arg_val), i32_of(ctx), &which, 1, NULL, 0);
        replace_argument(s, entry->args[0], word);
        ir_block_erase_arg(entry, 0);
    }
    ir_type old = ir_op_attr(s->func, "function_type")->type;
    ir_op_set_attr(s->func, "function_type",
                   ir_type_attr(ir_function_type(ctx, NULL, 0, ir_function_results(old),
                                                 old->results)));
    ir_op_set_attr(s->func, "arg_attrs", NULL);
    return true;
}

/* The address in the 32 bits that it has. */
static ir_value *as_word(ir_builder *b, ir_value *v)
{
    ir_type i32 = i32_of(b->ctx);
    if (v->type == i32)
        return v;
    const ir_op_def *cast = v->type->kind == IR_TYPE_INDEX ? ARITH_OP(index_cast)
                            : v->type->width > 32          ? ARITH_OP(trunci)
                                                           : ARITH_OP(extui);
    return ir_build1(b, cast, i32, &v, 1, NULL, 0);
}

/* ---- accessors ----------------------------------------------------------------------- */

static ir_value *arguments_of(settling *s, uint32_t k, ir_value *before)
{
    ir_context *ctx = s->func->ctx;
    ir_builder *b = &s->start;
    int32_t segments[] = {!before, !before, before != NULL};
    ir_value *operands[2] = {before};
    if (!before) {
        operands[0] = arith_i32(b, s->first + k);
        operands[1] = arith_i32(b, 0);
    }
    return ir_build1(
        b, TTKERNEL_OP(TensorAccessorArgs),
        ir_dialect_type(ctx, TTKERNEL_TYPE(TensorAccessorArgs), NULL, 0), operands,
        before ? 1 : 2,
        IR_ATTRS({"operandSegmentSizes", ir_dense_array(i32_of(ctx), segments, 3)}));
}

/* The type with the layout in it, wherever the text has that. */
static ir_type whole_type(ir_op *op)
{
    ir_attr layout = ir_op_attr(op, "layout");
    ir_attr params[] = {op->results[0].type->params[0], layout};
    return layout ? ir_dialect_type(op->ctx, TTKERNEL_TYPE(tensor_accessor), params, 2)
                  : op->results[0].type;
}

static void lower(ir_op *op, ir_value *args)
{
    ir_builder b = ir_builder_before(op);
    ir_type tensor = op->results[0].type->params[0]->type;
    ir_value *operands[] = {
        args, as_word(&b, op->operands[0].value),
        arith_i32(&b, ttcore_tile_bytes(ttcore_tile_of(tensor->element)))};
    ir_value *to = ir_build1(
        &b, TTKERNEL_OP(TensorAccessor),
        ir_dialect_type(op->ctx, TTKERNEL_TYPE(TensorAccessor), NULL, 0), operands, 3,
        IR_ATTRS({"ttkernel.accessor", ir_type_attr(whole_type(op))}));
    ir_value_replace_uses(&op->results[0], to);
    ir_op_erase(op);
}

/* ---- functions ----------------------------------------------------------------------- */

static bool is_laid(const ir_op *op)
{
    return op->def == TTKERNEL_OP(tensor_accessor);
}

static bool settle(settling *s)
{
    if (ir_op_body(s->func, 0)->next)
        return ir_op_error(s->func, "has branches: a kernel has one block");
    if (s->list && !read_list(s))
        return false;
    if (ir_walk_pre(s->func, note_read, s) == IR_WALK_STOP || !take_arguments(s))
        return false;
    ir_value *args = NULL;
    for (uint32_t k = 0; k < s->accessors.n; k++) {
        if (!agrees(s, s->accessors.at[k], k))
            return false;
        args = arguments_of(s, k, args);
        lower(s->accessors.at[k], args);
    }
    ir_op_set_attr(s->func, list_name, NULL);
    if (s->accessors.n && ttkernel_thread_kind(s->func) < 0)
        ir_op_set_attr(
            s->func, "ttkernel.thread",
            ir_enum_attr(s->func->ctx, TTKERNEL_ATTR(thread), TTKERNEL_ThreadType_Noc));
    return true;
}

static bool settle_function(ir_op *func)
{
    ir_block *entry = ir_op_body(func, 0);
    settling s = {.func = func, .list = ir_op_attr(func, list_name)};
    if (!entry)
        return true;
    s.accessors = ir_ops_in(func, is_laid);
    bool ok = true;
    if (s.list || s.accessors.n) {
        ir_op *first = entry->first;
        s.start = ir_builder_before(first);
        s.start.loc = func->loc;
        ok = settle(&s);
    }
    ir_op_list_free(&s.accessors);
    return ok;
}

static bool is_function(const ir_op *op)
{
    return op->def == FUNC_OP(func);
}

bool ttkernel_lower_tensor_accessors(ir_op *module)
{
    return ir_each_op(module, is_function, settle_function);
}
