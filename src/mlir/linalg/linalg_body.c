/* linalg_body.c: the scalar bodies of linalg's named operations.
 *
 * Every body has one of a few shapes; the table lists it, with its scalar operation on
 * floats, on signed and on unsigned integers. */
#include "mlir/arith/arith.h"
#include "mlir/linalg/linalg.h"
#include "mlir/linalg/linalg_hooks.h"
#include "mlir/math/math.h"

typedef enum shape {
    COPY,      /* cast(in) */
    UNARY,     /* f(cast(in)) */
    BINARY,    /* f(cast(a), cast(b)) */
    SELECT,    /* c ? a : b */
    SQUARE,    /* x * x */
    INVERSE,   /* 1 / x */
    CONTRACT,  /* out + cast(a) * cast(b) */
    QUANTIZED, /* out + (cast(a) - za) * (cast(b) - zb) */
    POOL,      /* f(out, cast(in)) */
} shape;

typedef struct body_row {
    const char *name;
    shape shape;
    const char *real, *integer, *unsigned_integer; /* scalar operations; NULL: none */
} body_row;

static const body_row rows[] = {
    {"abs", UNARY, "math.absf", NULL, NULL},
    {"add", BINARY, "arith.addf", "arith.addi", "arith.addi"},
    {"broadcast", COPY, NULL, NULL, NULL},
    {"ceil", UNARY, "math.ceil", NULL, NULL},
    {"copy", COPY, NULL, NULL, NULL},
    {"div", BINARY, "arith.divf", "arith.divsi", "arith.divui"},
    {"div_unsigned", BINARY, NULL, "arith.divui", "arith.divui"},
    {"erf", UNARY, "math.erf", NULL, NULL},
    {"exp", UNARY, "math.exp", NULL, NULL},
    {"fill", COPY, NULL, NULL, NULL},
    {"floor", UNARY, "math.floor", NULL, NULL},
    {"log", UNARY, "math.log", NULL, NULL},
    {"max", BINARY, "arith.maximumf", "arith.maxsi", "arith.maxui"},
    {"min", BINARY, "arith.minimumf", "arith.minsi", "arith.minui"},
    {"mul", BINARY, "arith.mulf", "arith.muli", "arith.muli"},
    {"negf", UNARY, "arith.negf", NULL, NULL},
    {"powf", BINARY, "math.powf", NULL, NULL},
    {"reciprocal", INVERSE, "arith.divf", NULL, NULL},
    {"round", UNARY, "math.round", NULL, NULL},
    {"rsqrt", UNARY, "math.rsqrt", NULL, NULL},
    {"select", SELECT, NULL, NULL, NULL},
    {"sqrt", UNARY, "math.sqrt", NULL, NULL},
    {"square", SQUARE, "arith.mulf", "arith.muli", "arith.muli"},
    {"sub", BINARY, "arith.subf", "arith.subi", "arith.subi"},
    {"tanh", UNARY, "math.tanh", NULL, NULL},
    {"transpose", COPY, NULL, NULL, NULL},
};

/* Families: a name with this prefix (and suffix). */
static const struct {
    const char *head, *tail;
    body_row row;
} families[] = {
    {"quantized_", "", {NULL, QUANTIZED, NULL, NULL, NULL}},
    {"conv_", "_q", {NULL, QUANTIZED, NULL, NULL, NULL}},
    {"depthwise_conv_", "_q", {NULL, QUANTIZED, NULL, NULL, NULL}},
    {"conv_", "", {NULL, CONTRACT, NULL, NULL, NULL}},
    {"depthwise_conv_", "", {NULL, CONTRACT, NULL, NULL, NULL}},
    {"pooling_", "_max", {NULL, POOL, "arith.maximumf", "arith.maxsi", "arith.maxsi"}},
    {"pooling_", "_min", {NULL, POOL, "arith.minimumf", "arith.minsi", "arith.minsi"}},
    {"pooling_",
     "_max_unsigned",
     {NULL, POOL, "arith.maximumf", "arith.maxui", "arith.maxui"}},
    {"pooling_",
     "_min_unsigned",
     {NULL, POOL, "arith.minimumf", "arith.minui", "arith.minui"}},
    {"pooling_", "_sum", {NULL, POOL, "arith.addf", "arith.addi", "arith.addi"}},
    {"", "matmul", {NULL, CONTRACT, NULL, NULL, NULL}},
    {"", "matvec", {NULL, CONTRACT, NULL, NULL, NULL}},
    {"", "vecmat", {NULL, CONTRACT, NULL, NULL, NULL}},
    {"", "mmt4d", {NULL, CONTRACT, NULL, NULL, NULL}},
    {"dot", "", {NULL, CONTRACT, NULL, NULL, NULL}},
    {"contract", "", {NULL, CONTRACT, NULL, NULL, NULL}},
};

/* The kinds of elementwise whose operations are named differently. */
static const body_row other_kinds[] = {
    {"max_signed", BINARY, "arith.maximumf", "arith.maxsi", "arith.maxsi"},
    {"max_unsigned", BINARY, NULL, "arith.maxui", "arith.maxui"},
    {"min_signed", BINARY, "arith.minimumf", "arith.minsi", "arith.minsi"},
    {"min_unsigned", BINARY, NULL, "arith.minui", "arith.minui"},
};

static const body_row *row_of(const ir_op_def *def, ir_attr kind)
{
    const char *name = def->name + strlen("linalg.");
    if (def == LINALG_OP(elementwise)) {
        const ir_enum_case *c =
            kind ? ir_enum_by_value(&linalg_enum_ElementwiseKind, ir_enum_value(kind, -1))
                 : NULL;
        name = c ? c->text : "";
        for (size_t i = 0; i < TW_COUNT(other_kinds); i++)
            if (strcmp(other_kinds[i].name, name) == 0)
                return &other_kinds[i];
    }
    size_t size = strlen(name);
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    for (size_t i = 0; i < TW_COUNT(families); i++) {
        size_t tail = strlen(families[i].tail);
        if (strncmp(name, families[i].head, strlen(families[i].head)) == 0 &&
            size >= tail && strcmp(name + size - tail, families[i].tail) == 0)
            return &families[i].row;
    }
    return NULL;
}

/* ---- scalar operations -------------------------------------------------------------- */

typedef struct builder {
    ir_context *ctx;
    ir_loc loc;
    ir_block *block;
    bool as_unsigned; /* cast = #linalg.type_fn<cast_unsigned> */
} builder;

static ir_value *emit(builder *b, const char *name, ir_value *const *operands, size_t count,
                      ir_type type)
{
    ir_op *op = ir_op_create(
        b->ctx, &(ir_op_state){.def = ir_context_op_def(b->ctx, tw_str_from(name)),
                               .loc = b->loc,
                               .operands = operands,
                               .n_operands = count,
                               .results = &type,
                               .n_results = 1});
    ir_block_append(b->block, op);
    return ir_op_result(op, 0);
}

static bool is_float(ir_type type)
{
    return type->kind == IR_TYPE_FLOAT;
}

static ir_value *cast(builder *b, ir_value *value, ir_type to)
{
    ir_type from = value->type;
    const char *name = NULL;
    if (from == to || (!is_float(to) && to->kind != IR_TYPE_INTEGER) ||
        (!is_float(from) && from->kind != IR_TYPE_INTEGER))
        return value;
    unsigned a = from->width, c = to->width;
    if (is_float(from) && is_float(to))
        name = a < c ? "arith.extf" : "arith.truncf";
    else if (is_float(from))
        name = b->as_unsigned ? "arith.fptoui" : "arith.fptosi";
    else if (is_float(to))
        name = b->as_unsigned ? "arith.uitofp" : "arith.sitofp";
    else
        name = a > c ? "arith.trunci" : b->as_unsigned ? "arith.extui" : "arith.extsi";
    return emit(b, name, &value, 1, to);
}

static ir_value *binary(builder *b, const body_row *row, ir_value *x, ir_value *y)
{
    const char *name = is_float(y->type) ? row->real
                       : b->as_unsigned  ? row->unsigned_integer
                                         : row->integer;
    if (name && x->type == y->type)
        return emit(b, name, (ir_value *[]){x, y}, 2, y->type);
    return NULL;
}

static const body_row sum = {NULL, BINARY, "arith.addf", "arith.addi", "arith.addi"};
static const body_row difference = {NULL, BINARY, "arith.subf", "arith.subi", "arith.subi"};
static const body_row product = {NULL, BINARY, "arith.mulf", "arith.muli", "arith.muli"};

/* A product of i1 values would need `and` and `or`; such types are rare enough to be left
 * to the generic form. */
static ir_value *contract(builder *b, bool quantized, ir_type to)
{
    ir_value **args = b->block->args, *out = args[b->block->n_args - 1];
    if (b->block->n_args != (quantized ? 5u : 3u) || ir_type_is_integer(to, 1))
        return NULL;
    ir_value *x = cast(b, args[0], to), *y = NULL;
    if (quantized) {
        ir_value *zero = cast(b, args[2], to);
        x = binary(b, &difference, x, zero);
        y = cast(b, args[1], to);
        zero = cast(b, args[3], to);
        y = binary(b, &difference, y, zero);
    } else {
        y = cast(b, args[1], to);
    }
    if (!x || !y)
        return NULL;
    ir_value *both = binary(b, &product, x, y);
    return both ? binary(b, &sum, out, both) : NULL;
}

static ir_value *invert(builder *b, ir_value *x)
{
    ir_context *ctx = b->ctx;
    if (!is_float(x->type))
        return NULL;
    ir_op *one = ir_op_create(
        ctx, &(ir_op_state){.def = ARITH_OP(constant),
                            .loc = b->loc,
                            .results = &x->type,
                            .n_results = 1,
                            .attrs = &(ir_named_attr){ir_ident_from(ctx, "value"),
                                                      ir_float_attr(x->type, 1.0)},
                            .n_attrs = 1});
    ir_block_append(b->block, one);
    return emit(b, "arith.divf", (ir_value *[]){ir_op_result(one, 0), x}, 2, x->type);
}

static ir_value *work(builder *b, const body_row *row)
{
    ir_value **args = b->block->args;
    uint32_t n = b->block->n_args;
    ir_type to = args[n - 1]->type;
    switch (row->shape) {
    case COPY:
        return n == 2 ? cast(b, args[0], to) : NULL;
    case UNARY:
        if (n != 2 || !is_float(to))
            return NULL;
        return emit(b, row->real, (ir_value *[]){cast(b, args[0], to)}, 1, to);
    case SQUARE: {
        ir_value *x = n == 2 ? cast(b, args[0], to) : NULL;
        return x ? binary(b, row, x, x) : NULL;
    }
    case INVERSE:
        return n == 2 ? invert(b, cast(b, args[0], to)) : NULL;
    case BINARY:
        if (n != 3)
            return NULL;
        else {
            ir_value *x = cast(b, args[0], to), *y = cast(b, args[1], to);
            return binary(b, row, x, y);
        }
    case SELECT:
        return n != 4 ? NULL
                      : emit(b, "arith.select", (ir_value *[]){args[0], args[1], args[2]},
                             3, to);
    case CONTRACT:
    case QUANTIZED:
        return contract(b, row->shape == QUANTIZED, to);
    case POOL:
        return n != 3 ? NULL : binary(b, row, args[2], cast(b, args[0], to));
    }
    return NULL;
}

/* Fills the block; false if the body is not known. */
static bool fill(builder *b, const body_row *row, ir_value *const *operands, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ir_type element = ir_type_element(operands[i]->type);
        ir_block_add_arg(b->ctx, b->block, element ? element : operands[i]->type, b->loc);
    }
    ir_value *value = row && count ? work(b, row) : NULL;
    if (value)
        ir_block_append(b->block,
                        ir_op_create(b->ctx, &(ir_op_state){.def = LINALG_OP(yield),
                                                            .loc = b->loc,
                                                            .operands = &value,
                                                            .n_operands = 1}));
    return value != NULL;
}

static bool casts_unsigned(ir_attr cast)
{
    return cast && cast->kind == IR_ATTR_DIALECT &&
           cast->params[0]->value == LINALG_TypeFn_cast_unsigned;
}

bool linalg_build_body(ir_parser *p, ir_parsed_op *op, ir_region *region)
{
    builder b = {.ctx = p->ctx, .loc = op->loc, .block = ir_block_create(p->ctx)};
    ir_attr kind = NULL;
    ir_region_append(region, b.block);
    for (uint32_t i = 0; i < op->attrs.count; i++) {
        const char *name = op->attrs.at[i].name->text;
        if (strcmp(name, "cast") == 0)
            b.as_unsigned = casts_unsigned(op->attrs.at[i].value);
        else if (strcmp(name, "kind") == 0)
            kind = op->attrs.at[i].value;
    }
    return fill(&b, row_of(op->def, kind), op->operands, op->n_operands) ||
           ir_fail_own(p, op->at,
                       "the body of '%s' on these operands is not known here; write it as "
                       "linalg.generic",
                       op->def->name);
}

bool linalg_is_named(const ir_op_def *def)
{
    return def->parse == linalg_named_parse || def->parse == linalg_dims_parse;
}

bool linalg_make_body(ir_op *op)
{
    builder b = {.ctx = op->ctx,
                 .loc = op->loc,
                 .block = ir_block_create(op->ctx),
                 .as_unsigned = casts_unsigned(ir_op_attr(op, "cast"))};
    ir_value *operands[8];
    if (op->n_operands > TW_COUNT(operands) || op->regions[0].first) {
        ir_block_erase(op->ctx, b.block);
        return false;
    }
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = ir_op_operand(op, i);
    ir_region_append(&op->regions[0], b.block);
    return fill(&b, row_of(op->def, ir_op_attr(op, "kind")), operands, op->n_operands);
}
