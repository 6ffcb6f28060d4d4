/* ttir_global_data_format.c: the pass ttir-global-data-format-conversion: every float that
 * functions compute with gets one format.  What others see stays: signatures, calls, and
 * operations marked `preserveDataFormat`; their floats are cast. */
#include "ttcore/ttcore.h"
#include "ttir/build.h"
#include "ttir/to_ttnn/ttir_to_ttnn.h"
#include "ttir/ttir.h"
#include "ttnn/layout.h"

#include <stdlib.h>

typedef struct conversion {
    ir_type element;
    ir_value **back; /* casts to what an operation that keeps its types expects */
    size_t n_back, room;
} conversion;

/* The element type of the format that the option names; NULL after a diagnostic. */
static ir_type target_format(ir_op *module, tw_str name)
{
    static const struct {
        const char *name;
        int64_t dtype;
    } formats[] = {{"f32", TTCORE_DataType_Float32},
                   {"bf16", TTCORE_DataType_BFloat16},
                   {"bfp_bf8", TTCORE_DataType_BFP_BFloat8}};
    for (size_t i = 0; i < TW_COUNT(formats); i++)
        if (tw_str_is(name, formats[i].name))
            return ttnn_dtype_element(module->ctx, formats[i].dtype);
    ir_error(module->ctx, module->loc,
             "Invalid target format '%.*s'. Supported formats: f32, bf16, bfp_bf8",
             (int)name.size, name.data);
    return NULL;
}

static bool is_float_tensor(ir_type t)
{
    return ir_type_is_tensor(t) && t->element->kind == IR_TYPE_FLOAT;
}

/* Numbers of block formats share exponents: no constant can be written in them. */
static bool keeps_types(const ir_op *op, const conversion *c)
{
    return !ttir_is_op(op) || ir_op_attr(op, "preserveDataFormat") ||
           (op->def == TTIR_OP(constant) && c->element->kind != IR_TYPE_FLOAT);
}

static ir_value *typecast(ir_builder *b, ir_value *v, ir_type element)
{
    return ir_build1(b, TTIR_OP(typecast), ir_type_with_element(v->type, element), &v, 1,
                     IR_ATTRS({"conservative_folding", ir_bool_attr(b->ctx, false)}));
}

/* What keeps its types reads casts, which so far cast to what their operand is. */
static ir_walk cast_back(ir_op *op, void *user)
{
    conversion *c = user;
    for (uint32_t i = 0; i < op->n_operands && keeps_types(op, c); i++) {
        ir_value *v = op->operands[i].value;
        const ir_op *maker = ir_value_def(v);
        if (!is_float_tensor(v->type) || !maker || keeps_types(maker, c))
            continue;
        ir_builder b = ir_builder_before(op);
        ir_value *cast = typecast(&b, v, v->type->element);
        TW_PUSH(c->back, c->n_back, c->room, cast);
        ir_op_set_operand(op, i, cast);
    }
    return IR_WALK_ON;
}

/* The operations that follow the format read v in it. */
static void cast_for_users(ir_builder *b, ir_value *v, const conversion *c)
{
    ir_value *cast = NULL;
    if (!is_float_tensor(v->type) || v->type->element == c->element)
        return;
    for (ir_operand *use = v->uses, *next; use; use = next) {
        next = use->next_use;
        if (keeps_types(use->owner, c) || (cast && use->owner == ir_value_def(cast)))
            continue;
        if (!cast)
            cast = typecast(b, v, c->element);
        ir_op_set_operand(use->owner, (size_t)(use - use->owner->operands), cast);
    }
}

static ir_walk cast_forth(ir_op *op, void *user)
{
    ir_builder after = ir_builder_after(op);
    for (uint32_t i = 0; i < op->n_results && keeps_types(op, user); i++)
        cast_for_users(&after, &op->results[i], user);
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *block = op->regions[r].first; block; block = block->next) {
            for (uint32_t i = 0; i < block->n_args; i++) {
                ir_builder start = ir_builder_at_start(op->ctx, block, op->loc);
                cast_for_users(&start, block->args[i], user);
            }
        }
    return IR_WALK_ON;
}

static ir_walk convert(ir_op *op, void *user)
{
    const conversion *c = user;
    if (keeps_types(op, c))
        return IR_WALK_ON;
    for (uint32_t i = 0; i < op->n_results; i++)
        if (is_float_tensor(op->results[i].type))
            op->results[i].type = ir_type_with_element(op->results[i].type, c->element);
    if (op->def == TTIR_OP(constant))
        ir_op_set_attr(op, "value",
                       ttnn_convert_elements(ir_op_attr(op, "value"), op->results[0].type));
    if (op->def == TTIR_OP(rand) && is_float_tensor(op->results[0].type))
        ir_op_set_attr(op, "dtype", ir_type_attr(c->element));
    return IR_WALK_ON;
}

static bool run(ir_op *module, pass_run *run)
{
    conversion c = {.element =
                        target_format(module, pass_option_str(run, "target-format"))};
    if (!c.element)
        return false;
    ir_walk_pre(module, cast_back, &c);
    ir_type *declared = tw_xmalloc((c.n_back + 1) * sizeof(ir_type));
    for (size_t i = 0; i < c.n_back; i++)
        declared[i] = c.back[i]->type;
    ir_walk_pre(module, cast_forth, &c);
    ir_walk_pre(module, convert, &c);
    for (size_t i = 0; i < c.n_back; i++) {
        ir_op *cast = ir_value_def(c.back[i]);
        c.back[i]->type = declared[i];
        if (cast->operands[0].value->type != declared[i])
            continue;
        ir_value_replace_uses(c.back[i], cast->operands[0].value);
        ir_op_erase(cast);
    }
    free(declared);
    free(c.back);
    return true;
}

const pass_def ttir_global_data_format_pass = {
    .name = "ttir-global-data-format-conversion",
    .summary = "Compute every float in one format",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(pass_option_def, {"target-format", PASS_STRING, "bf16",
                                         "Format of floats: f32, bf16 or bfp_bf8"}),
};
