/* propagate_weight_dtype.c: ttir-propagate-weight-dtype: what an argument says of the
 * format that it should have as a weight, noted at the matmuls that read it. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttir/build.h"

#define WEIGHT_DTYPE "ttcore.weight_dtype"

enum { MAX_DEPTH = 64 };

/* What was met on the way to the arguments. */
typedef struct search {
    bool missing, differing, too_deep;
} search;

static bool is_transparent(const ir_op *op)
{
    static const uint16_t rows[] = {TTIR_broadcast, TTIR_mesh_shard, TTIR_mesh_partition,
                                    TTIR_typecast, TTIR_repeat_interleave};
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (op->def == &ttir_ops[rows[i]])
            return true;
    return op->n_operands &&
           (ir_def_has(op->def, "TensorManipulation") || ir_def_has(op->def, "CCL"));
}

/* Bits of an element, the shared exponents of block formats aside; 0: no such format. */
static int bits_of(ir_attr name)
{
    static const struct {
        const char *name;
        int bits;
    } formats[] = {{"f32", 32},    {"f16", 16},   {"bf16", 16},   {"bfp_f8", 8},
                   {"bfp_bf8", 8}, {"bfp_f4", 4}, {"bfp_bf4", 4}, {"bfp_f2", 2},
                   {"bfp_bf2", 2}, {"u32", 32},   {"u16", 16},    {"u8", 8},
                   {"si32", 32},   {"bool", 1}};
    for (size_t i = 0; i < TW_COUNT(formats); i++)
        if (tw_str_is(ir_attr_str(name), formats[i].name))
            return formats[i].bits;
    return 0;
}

static ir_attr argument_dtype(const ir_value *v)
{
    ir_attr name = v->is_argument ? ttir_argument_attr(v, WEIGHT_DTYPE) : NULL;
    if (!ir_attr_is(name, IR_ATTR_STRING))
        return NULL;
    if (bits_of(name))
        return name;
    ir_op *func = ((ir_block *)v->owner)->region->owner;
    ir_op_warning(func, "ignoring invalid " WEIGHT_DTYPE " \"%.*s\" on argument %u",
                  (int)ir_attr_str(name).size, ir_attr_str(name).data, (unsigned)v->index);
    return NULL;
}

/* The widest format among the arguments that v is put together from. */
static ir_attr dtype_of(const ir_value *v, search *s, int depth)
{
    ir_op *def;
    while ((def = ir_value_def(v)) && def->def != TTIR_OP(concat)) {
        if (!is_transparent(def))
            return NULL;
        v = def->operands[0].value;
    }
    if (!def)
        return argument_dtype(v);
    ir_attr widest = NULL;
    s->too_deep |= depth == MAX_DEPTH;
    for (uint32_t i = 0; i < def->n_operands && depth < MAX_DEPTH; i++) {
        ir_attr part = dtype_of(def->operands[i].value, s, depth + 1);
        s->missing |= !part;
        s->differing |= part && widest && part != widest;
        if (part && (!widest || bits_of(part) > bits_of(widest)))
            widest = part;
    }
    return widest;
}

static ir_walk visit(ir_op *op, void *user)
{
    search s = {0};
    (void)user;
    if (op->def != TTIR_OP(matmul) && op->def != TTIR_OP(linear) &&
        op->def != TTIR_OP(sparse_matmul))
        return IR_WALK_ON;
    ir_attr dtype = dtype_of(op->operands[1].value, &s, 0);
    if (s.too_deep)
        ir_op_warning(op,
                      "weights that are concatenated more than %d times keep their format",
                      MAX_DEPTH);
    if (!dtype)
        return IR_WALK_ON;
    if (s.missing || s.differing)
        ir_op_warning(op,
                      "fusing matmuls with differing weight dtype overrides; using "
                      "highest-precision dtype '%.*s' for the fused weight to avoid "
                      "precision loss",
                      (int)ir_attr_str(dtype).size, ir_attr_str(dtype).data);
    ir_op_set_attr(op, WEIGHT_DTYPE, dtype);
    return IR_WALK_ON;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_walk_pre(module, visit, NULL);
    return true;
}

const pass_def ttir_propagate_weight_dtype_pass = {
    .name = "ttir-propagate-weight-dtype",
    .summary = "Tell products the format that their weights should have",
    .anchor = "builtin.module",
    .run = run,
};
