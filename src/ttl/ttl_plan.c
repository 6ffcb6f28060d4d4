/* ttl_plan.c: the text of operations in the form that the language's plan gives them.
 *
 *   %r = ttl.block_add %a, %b
 *   %b = ttl.cb_wait %cb
 *   %cb = ttl.create_cb shape=[1, 1], element_type=f32, buffer_factor=2, memory_space=L1
 *   %tx = ttl.copy %accessor[%i], %b
 *
 * Types may be left out where the operands are known already and the result follows from
 * them; they are always printed: operands, attributes, `: (types) -> types`. */
#include "mlir/builtin/builtin.h"
#include "ttl/ttl_hooks.h"
#include "ttl/ttl_info.h"

enum { CAPACITY = 16 };

/* ---- what results are ---------------------------------------------------------------- */

static bool is_type(ir_type t, const ir_type_def *def)
{
    return t->kind == IR_TYPE_DIALECT && t->def == def;
}

ir_type ttl_block_tensor(ir_type t)
{
    if (!is_type(t, TTL_TYPE(block)))
        return t;
    ir_type held = t->params[0]->type; /* a memref once ttl-bufferize has been there */
    return held->kind == IR_TYPE_MEMREF
               ? ir_tensor_type(held->element, held->dims, held->count, NULL)
               : held;
}

ir_type ttl_block_in_memory(ir_type t)
{
    if (!is_type(t, TTL_TYPE(block)) || t->params[0]->type->kind != IR_TYPE_TENSOR)
        return t;
    ir_type held = t->params[0]->type, cb = t->params[1]->type;
    int64_t space = cb->params[3] ? cb->params[3]->value : TTL_MemorySpace_L1;
    ir_type memory = ir_memref_type(held->element, held->dims, held->count, NULL,
                                    ir_enum_attr(t->ctx, TTL_ATTR(memory_space), space));
    ir_attr params[] = {ir_type_attr(memory), t->params[1]};
    return ir_dialect_type(t->ctx, TTL_TYPE(block), params, 2);
}

ir_type ttl_block_of_cb(ir_type cb)
{
    int64_t dims[CAPACITY];
    size_t rank = TW_MIN(ttl_cb_rank(cb), (size_t)CAPACITY);
    for (size_t i = 0; i < rank; i++)
        dims[i] = ttl_cb_dim(cb, i);
    ir_attr params[] = {
        ir_type_attr(ir_tensor_type(ttl_cb_element(cb), dims, (uint32_t)rank, NULL)),
        ir_type_attr(cb)};
    return ir_dialect_type(cb->ctx, TTL_TYPE(block), params, 2);
}

static ir_type plain(ir_context *ctx, const ir_type_def *def)
{
    return ir_dialect_type(ctx, def, NULL, 0);
}

static ir_attr attr_of(const ir_parsed_op *op, const char *name)
{
    for (uint32_t i = 0; i < op->attrs.count; i++)
        if (tw_str_is(ir_ident_str(op->attrs.at[i].name), name))
            return op->attrs.at[i].value;
    return NULL;
}

static ir_type resized(ir_type tensor, uint32_t dim, int64_t extent)
{
    int64_t dims[CAPACITY];
    uint32_t n = TW_MIN(tensor->count, (uint32_t)CAPACITY);
    memcpy(dims, tensor->dims, n * sizeof *dims);
    if (dim < n)
        dims[dim] = extent;
    return ir_tensor_type(tensor->element, dims, n, NULL);
}

static ir_type created_cb(ir_parser *p, const ir_parsed_op *op)
{
    ir_attr shape = attr_of(op, "shape"), element = attr_of(op, "element_type");
    ir_attr factor = attr_of(op, "buffer_factor"), space = attr_of(op, "memory_space");
    if (!ir_attr_is(shape, IR_ATTR_ARRAY) || !ir_attr_is(element, IR_ATTR_TYPE)) {
        ir_fail(p, op->at, "'ttl.create_cb' op needs a type, or shape= and element_type=");
        return NULL;
    }
    ir_attr dims[CAPACITY];
    uint32_t n = shape->count;
    if (n > CAPACITY) {
        ir_fail(p, op->at, "a circular buffer has at most %d dimensions, found %u",
                CAPACITY, n);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        int64_t size = ir_attr_int(shape->items[i], 0);
        if (size < 1) {
            ir_fail(p, op->at, "a circular buffer's sizes are at least 1, found %lld",
                    (long long)size);
            return NULL;
        }
        dims[i] = ir_raw_int(p->ctx, size);
    }
    ir_attr params[] = {ir_array_attr(p->ctx, dims, n), element,
                        ir_raw_int(p->ctx, ir_attr_int(factor, 2)),
                        space ? ir_raw_int(p->ctx, ir_enum_value(space, 0)) : NULL};
    return ir_dialect_type(p->ctx, TTL_TYPE(cb), params, 4);
}

/* What a core gets of a distributed tensor; the same tensor by another strategy. */
static ir_type local_shard(ir_type t)
{
    int64_t dims[CAPACITY];
    ir_attr shard = t->params[1];
    ir_type tile = ttcore_tile_of(t->params[2]->type);
    bool of_tiles = tile == t->params[2]->type;
    uint32_t n = TW_MIN(shard->count, (uint32_t)CAPACITY);
    for (uint32_t i = 0; i < n; i++)
        dims[i] = shard->items[i]->value / (of_tiles || !tile ? 1 : 32);
    return ir_tensor_type(tile ? tile : t->params[2]->type, dims, n, NULL);
}

static ir_type by_strategy(ir_type t, int64_t strategy)
{
    ir_attr grid[CAPACITY], shard[CAPACITY], params[5];
    uint32_t n = TW_MIN(t->params[0]->count, (uint32_t)CAPACITY);
    bool whole = strategy == TTL_DistributionStrategy_Replicated;
    for (uint32_t i = 0; i < n; i++) {
        int64_t cores = t->params[0]->items[i]->value, own = t->params[1]->items[i]->value;
        grid[i] = ir_raw_int(t->ctx, whole ? 1 : cores);
        shard[i] = ir_raw_int(t->ctx, whole ? cores * own : own);
    }
    memcpy(params, t->params, sizeof params);
    params[0] = ir_array_attr(t->ctx, grid, n);
    params[1] = ir_array_attr(t->ctx, shard, n);
    params[3] = ir_raw_int(t->ctx, strategy);
    return ir_dialect_type(t->ctx, TTL_TYPE(dist_tensor), params, 5);
}

/* The type of the result that follows from operands and attributes; NULL after an error. */
static ir_type inferred(ir_parser *p, const ir_parsed_op *op)
{
    ir_context *ctx = p->ctx;
    const ir_op_def *def = op->def;
    ir_type first = op->n_operands ? op->operands[0]->type : NULL;
    ir_type tensor = first ? ttl_block_tensor(first) : NULL;
    ir_attr axis = attr_of(op, "axis");
    if (def == TTL_OP(create_cb))
        return created_cb(p, op);
    if (def == TTL_OP(core) || def == TTL_OP(grid_size) || def == TTL_OP(core_linear) ||
        def == TTL_OP(acquire_dst))
        return ir_index_type(ctx);
    if (def == TTL_OP(copy))
        return plain(ctx, TTL_TYPE(mem_tx));
    if ((def == TTL_OP(cb_wait) || def == TTL_OP(cb_reserve)) && first &&
        is_type(first, TTL_TYPE(cb)))
        return ttl_block_of_cb(first);
    if (def == TTL_OP(get_tile) && first && is_type(first, TTL_TYPE(cb)))
        return ttl_cb_element(first);
    if ((def == TTL_OP(spill_tile_to_l1) || def == TTL_OP(restore_tile_from_l1)) && first)
        return first;
    if (def == TTL_OP(tensor_accessor) && first) {
        ir_attr params[] = {ir_type_attr(first), attr_of(op, "layout"),
                            ir_raw_int(ctx, ir_enum_value(attr_of(op, "memory_space"), 1))};
        if (params[1])
            return ir_dialect_type(ctx, TTL_TYPE(accessor), params, 3);
    }
    if (def == TTL_OP(extract_shard) && first && is_type(first, TTL_TYPE(dist_tensor)))
        return local_shard(first);
    if (def == TTL_OP(redistribute) && first && is_type(first, TTL_TYPE(dist_tensor)))
        return by_strategy(first, ir_enum_value(attr_of(op, "strategy"), 0));
    if (tensor && tensor->kind == IR_TYPE_TENSOR) {
        ir_type second =
            op->n_operands > 1 ? ttl_block_tensor(op->operands[1]->type) : NULL;
        if (def == TTL_OP(block_matmul) && tensor->count == 2 && second &&
            second->kind == IR_TYPE_TENSOR && second->count == 2)
            return resized(tensor, 1, second->dims[1]);
        if (def == TTL_OP(block_reduce_sum) || def == TTL_OP(block_reduce_max))
            return axis ? resized(tensor, (uint32_t)ir_attr_int(axis, 1), 1)
                        : resized(resized(tensor, 0, 1), 1, 1);
        if (def->results.count == 1)
            return resized(tensor, UINT32_MAX, 0);
    }
    if ((def == TTL_OP(grid_slice) || def == TTL_OP(index_accessor)) && first)
        return first;
    ir_fail(p, op->at, "'%s' op needs the type of its result written behind ':'",
            def->name);
    return NULL;
}

/* ---- reading ------------------------------------------------------------------------- */

typedef struct statement {
    ir_ssa_list uses;
    const char *at;
    uint32_t leading; /* copy: indices in brackets behind the first operand */
    bool indexed;
} statement;

/* A value of an attribute: memory spaces and strategies are words. */
static bool parse_value(ir_parser *p, ir_parsed_op *op, tw_str name)
{
    const char *text =
        tw_arena_printf(ir_context_arena(p->ctx), "%.*s", (int)name.size, name.data);
    int64_t value;
    if ((tw_str_is(name, "memory_space") || tw_str_is(name, "memspace")) &&
        p->tok.kind == IR_TOK_BARE_ID) {
        if (!ir_parse_enum(p, &ttl_enum_MemorySpace, &value))
            return false;
        ir_add_attr(p, op, "memory_space",
                    ir_enum_attr(p->ctx, TTL_ATTR(memory_space), value));
        return true;
    }
    if (tw_str_is(name, "strategy") && p->tok.kind == IR_TOK_BARE_ID) {
        if (!ir_parse_enum(p, &ttl_enum_DistributionStrategy, &value))
            return false;
        ir_add_attr(p, op, text,
                    ir_enum_attr(p->ctx, TTL_ATTR(distribution_strategy), value));
        return true;
    }
    ir_attr attr = ir_parse_an_attr(p, NULL);
    if (tw_str_is(name, "buffer_index") && ir_attr_is(attr, IR_ATTR_INTEGER))
        attr = ir_i64_attr(p->ctx, ir_attr_int(attr, 0)); /* of any width */
    if (attr)
        ir_add_attr(p, op, text, attr);
    return attr != NULL;
}

/* A block's type that the plan leaves out. */
static bool accept_left_out(ir_parser *p)
{
    static const char text[] = "!ttl.block<...>";
    if ((size_t)(p->end - p->tok.at) < sizeof text - 1 ||
        memcmp(p->tok.at, text, sizeof text - 1) != 0)
        return false;
    ir_lex_at(p, p->tok.at + sizeof text - 1);
    return true;
}

static bool parse_named(ir_parser *p, ir_parsed_op *op)
{
    tw_str name;
    if (!ir_parse_keyword(p, &name))
        return false;
    if (!ir_accept_punct(p, '=')) {
        ir_add_attr(
            p, op,
            tw_arena_printf(ir_context_arena(p->ctx), "%.*s", (int)name.size, name.data),
            ir_unit_attr(p->ctx));
        return !p->failed;
    }
    return parse_value(p, op, name);
}

/* %a | %a[%i, %j] */
static bool parse_use(ir_parser *p, statement *s, ir_ssa_list *indices)
{
    ir_ssa_use use;
    if (!ir_parse_ssa(p, &use))
        return false;
    ir_ssa_list_add(p, &s->uses, use);
    if (!ir_accept_punct(p, '['))
        return true;
    s->indexed = true;
    uint32_t before = indices->count;
    if (!ir_parse_ssa_list(p, indices) || !ir_expect_punct(p, ']'))
        return false;
    if (s->uses.count == 1)
        s->leading = indices->count - before;
    return true;
}

static bool parse_dict(ir_parser *p, ir_parsed_op *op)
{
    if (!ir_accept_punct(p, '{'))
        return !p->failed;
    while (!ir_at_punct(p, '}')) {
        if (!parse_named(p, op))
            return false;
        if (!ir_accept_punct(p, ','))
            break;
    }
    return ir_expect_punct(p, '}');
}

static bool parse_parts(ir_parser *p, ir_parsed_op *op, statement *s)
{
    ir_ssa_list indices = {0};
    s->at = p->tok.at;
    bool parentheses = ir_accept_punct(p, '(');
    bool named = parentheses || op->def == TTL_OP(create_cb);
    bool uses = op->def->operands.count > 0; /* else a value begins the next operation */
    while ((uses && p->tok.kind == IR_TOK_VALUE) ||
           (named && p->tok.kind == IR_TOK_BARE_ID)) {
        if (!(p->tok.kind == IR_TOK_VALUE ? parse_use(p, s, &indices) : parse_named(p, op)))
            return false;
        bool more = ir_accept_punct(p, ',');
        named |= more;
        if (!more)
            break;
    }
    if (ir_at_keyword(p, "strategy") &&
        !parse_named(p, op)) /* redistribute %x strategy=... */
        return false;
    if (parentheses && !ir_expect_punct(p, ')'))
        return false;
    for (uint32_t i = 0; i < indices.count; i++)
        ir_ssa_list_add(p, &s->uses, indices.at[i]);
    return parse_dict(p, op);
}

bool ttl_add_known(ir_parser *p, ir_parsed_op *op, const ir_ssa_list *uses)
{
    for (uint32_t i = 0; i < uses->count; i++) {
        ir_ssa_use use = uses->at[i];
        ir_value *v = ir_find_value(p, use);
        if (!v)
            return ir_fail(p, use.at,
                           "the type of '%%%.*s' is not known yet: write the types behind "
                           "':', as (types) -> types",
                           (int)use.name.size, use.name.data);
        if (!ir_add_operand(p, op, use, v->type))
            return false;
    }
    return true;
}

static bool add_known(ir_parser *p, ir_parsed_op *op, const statement *s)
{
    return ttl_add_known(p, op, &s->uses);
}

void ttl_plan_parse(ir_parser *p, ir_parsed_op *op)
{
    statement s = {.leading = 0};
    ir_type_list inputs = {0}, results = {0};
    if (!parse_parts(p, op, &s))
        return;
    bool typed = false;
    if (ir_accept_punct(p, ':') && !accept_left_out(p)) {
        typed = ir_at_punct(p, '(');
        if (!(typed ? ir_parse_fn_type(p, &inputs, &results)
                    : ir_parse_type_list(p, &results)))
            return;
    }
    if (!(typed ? ir_add_operands(p, op, &s.uses, inputs.at, inputs.count, s.at)
                : add_known(p, op, &s)))
        return;
    if (op->def == TTL_OP(copy) && s.uses.count < 2 + s.leading) {
        ir_fail(p, s.at, "expected a source and a destination");
        return;
    }
    if (s.indexed && op->def == TTL_OP(copy))
        ir_add_attr(p, op, "src_indices", ir_i64_attr(p->ctx, s.leading));
    size_t wanted = op->def->results.count ? TW_MAX(op->n_named, 1u) : 0;
    if (op->def->results.count == 1 && wanted > 1 && op->def != TTL_OP(core) &&
        op->def != TTL_OP(grid_size))
        wanted = 1;
    if (typed)
        wanted = results.count;
    for (size_t i = 0; i < wanted; i++) {
        ir_type t = i < results.count ? results.at[i] : inferred(p, op);
        if (!t)
            return;
        ir_add_result(p, op, t);
    }
}

/* ---- printing ------------------------------------------------------------------------ */

static void put_group(ir_printer *p, const ir_op *op, size_t start, size_t count)
{
    ir_putc(p, '[');
    ir_put_operands(p, op, start, count);
    ir_putc(p, ']');
}

/* The number of indices behind the first operand, which `src_indices` states; -1 if the
 * operands are too few for it. */
static int64_t leading_indices(const ir_op *op)
{
    int64_t n = ir_attr_int(ir_op_attr(op, "src_indices"), -1);
    return op->n_operands >= 2 && n <= (int64_t)op->n_operands - 2 ? n : -1;
}

void ttl_plan_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"src_indices"};
    int64_t leading = leading_indices(op);
    if (op->n_operands)
        ir_putc(p, ' ');
    if (leading >= 0) { /* a copy from or to an element of an accessor */
        size_t n = (size_t)leading;
        ir_put_operands(p, op, 0, 1);
        if (n)
            put_group(p, op, 2, n);
        ir_put(p, ", ");
        ir_put_operands(p, op, 1, 1);
        if (op->n_operands > 2 + n)
            put_group(p, op, 2 + n, op->n_operands - 2 - n);
    } else {
        ir_put_operands(p, op, 0, op->n_operands);
    }
    ir_put_op_attr_dict(p, op, elided, leading >= 0);
    ir_put(p, " : (");
    ir_put_operand_types(p, op, 0, op->n_operands);
    ir_putc(p, ')');
    if (op->n_results)
        ir_put_arrow_results(p, op);
    else
        ir_put(p, " -> ()");
}

/* ---- operations that have today's form too */

/* %cb : <cb type> [-> block type], or the plan's form. */
void ttl_cb_parse(ir_parser *p, ir_parsed_op *op)
{
    statement s = {.leading = 0};
    if (!parse_parts(p, op, &s))
        return;
    if (s.uses.count != 1) {
        ir_fail(p, s.at, "expected one operand");
        return;
    }
    bool colon = ir_accept_punct(p, ':') && !accept_left_out(p);
    ir_type cb = NULL, result = NULL;
    if (colon && ir_at_punct(p, '<'))
        cb = ir_parse_stripped_type(p, TTL_TYPE(cb));
    else if (colon)
        cb = ir_parse_a_type(p);
    if (colon && !cb)
        return;
    if (cb && ir_accept_arrow(p)) {
        if (!(result = ir_parse_a_type(p)))
            return;
    } else if (cb && op->def->results.count) { /* only the block's type */
        result = cb;
        cb = NULL;
    }
    if (!(cb ? ir_add_operand(p, op, s.uses.at[0], cb) : add_known(p, op, &s)))
        return;
    if (op->def->results.count && !result)
        result = inferred(p, op);
    if (result)
        ir_add_result(p, op, result);
}

void ttl_cb_print(ir_printer *p, ir_op *op)
{
    ir_type t = op->operands[0].value->type;
    ir_putc(p, ' ');
    ir_put_operands(p, op, 0, 1);
    ir_put_op_attr_dict(p, op, NULL, 0);
    ir_put(p, " : ");
    if (is_type(t, TTL_TYPE(cb)))
        ir_put_stripped_type(p, t);
    else
        ir_put_type(p, t);
    if (op->n_results) {
        ir_put(p, " -> ");
        ir_put_type(p, op->results[0].type);
    }
}

/* Prints as the declarative forms do, unless indices or the plan's types are there. */
void ttl_copy_print(ir_printer *p, ir_op *op)
{
    if (leading_indices(op) >= 0) {
        ttl_plan_print(p, op);
        return;
    }
    ir_putc(p, ' ');
    ir_put_operands(p, op, 0, op->n_operands);
    ir_put_op_attr_dict(p, op, NULL, 0);
    ir_put(p, " : (");
    ir_put_operand_types(p, op, 0, op->n_operands);
    ir_putc(p, ')');
    ir_put_arrow_results(p, op);
}

void ttl_wait_parse(ir_parser *p, ir_parsed_op *op)
{
    statement s = {.leading = 0};
    if (!parse_parts(p, op, &s))
        return;
    if (s.uses.count != 1) {
        ir_fail(p, s.at, "expected one operand");
        return;
    }
    if (!ir_accept_punct(p, ':')) {
        add_known(p, op, &s);
        return;
    }
    ir_type t = ir_parse_a_type(p);
    if (t)
        ir_add_operand(p, op, s.uses.at[0], t);
}

void ttl_wait_print(ir_printer *p, ir_op *op)
{
    ir_putc(p, ' ');
    ir_put_operands(p, op, 0, 1);
    ir_put_op_attr_dict(p, op, NULL, 0);
    ir_put(p, " : ");
    ir_put_type(p, op->operands[0].value->type);
}

/* [at N] attr-dict : type, or what the type is made of: shape=, element_type=, ... */
void ttl_create_cb_parse(ir_parser *p, ir_parsed_op *op)
{
    static const char *const of_type[] = {"shape", "element_type", "buffer_factor",
                                          "memory_space"};
    statement s = {.leading = 0};
    int64_t number;
    if (ir_accept_keyword(p, "at")) {
        if (!ir_parse_int(p, &number))
            return;
        ir_add_attr(p, op, "buffer_index", ir_i64_attr(p->ctx, number));
    }
    if (!parse_parts(p, op, &s))
        return;
    ir_type t;
    if (ir_accept_punct(p, ':'))
        t = ir_at_punct(p, '<') ? ir_parse_stripped_type(p, TTL_TYPE(cb))
                                : ir_parse_a_type(p);
    else
        t = inferred(p, op);
    if (!t)
        return;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < op->attrs.count; i++) {
        bool drop = false;
        for (size_t k = 0; k < TW_COUNT(of_type); k++)
            drop |= tw_str_is(ir_ident_str(op->attrs.at[i].name), of_type[k]);
        if (!drop)
            op->attrs.at[kept++] = op->attrs.at[i];
    }
    op->attrs.count = kept;
    ir_add_result(p, op, t);
}

void ttl_create_cb_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"buffer_index"};
    ir_attr number = ir_op_attr(op, "buffer_index");
    if (number)
        ir_putf(p, " at %lld", (long long)ir_attr_int(number, 0));
    ir_put_op_attr_dict(p, op, elided, 1);
    ir_put(p, " : ");
    ir_put_stripped_type(p, op->results[0].type);
}

/* ---- checks */

static bool is_attr(ir_attr a, const ir_attr_def *def)
{
    return ir_attr_is(a, IR_ATTR_DIALECT) && a->def == def;
}

/* Copies move whole tiles, and numbers in pages of a tile's. */
bool ttl_create_cb_verify(ir_op *op)
{
    enum { NUMBERS = 1024 };
    ir_type element = ttl_cb_element(op->results[0].type);
    ir_attr cores = ir_op_attr(op, "core_ranges"), page = ir_op_attr(op, "page_size");
    int64_t bytes = ttcore_is_tile(element) ? ttcore_tile_bytes(element)
                                            : ttcore_scalar_bytes(element) * NUMBERS;
    if (page && ir_attr_int(page, 0) != bytes)
        return ir_op_error(op,
                           "page_size is %lld bytes, but pages of this buffer, which hold "
                           "%s, have %lld",
                           (long long)ir_attr_int(page, 0),
                           ttcore_is_tile(element) ? "a tile" : "1024 numbers",
                           (long long)bytes);
    if (cores && !is_attr(cores, TTL_ATTR(core_mask)))
        return ir_op_error(op, "core_ranges must be a #ttl.core_mask");
    bool any = !cores;
    for (uint32_t i = 0; cores && i < cores->params[0]->count; i++)
        any |= cores->params[0]->items[i]->value != 0;
    return any || ir_op_error(op, "core_ranges has no core");
}

bool ttl_cb_verify(ir_context *ctx, ir_loc loc, ir_type type)
{
    ir_attr shape = type->params[0];
    for (uint32_t i = 0; i < shape->count; i++)
        if (shape->items[i]->value < 1)
            return ir_error(ctx, loc,
                            "a circular buffer's sizes are at least 1, found %lld",
                            (long long)shape->items[i]->value);
    return true;
}

bool ttl_tensor_accessor_verify(ir_op *op)
{
    ir_attr layout = ir_op_attr(op, "layout"), space = ir_op_attr(op, "memory_space");
    if (layout && !is_attr(layout, TTL_ATTR(layout)))
        return ir_op_error(op, "layout must be a #ttl.layout");
    return !space || is_attr(space, TTL_ATTR(memory_space)) ||
           ir_op_error(op, "memory_space must be a #ttl.memory_space");
}

bool ttl_dist_tensor_verify(ir_context *ctx, ir_loc loc, ir_type type)
{
    ir_attr grid = type->params[0], shard = type->params[1];
    if (grid->count != shard->count)
        return ir_error(ctx, loc, "the grid has %u dimensions, the shard %u", grid->count,
                        shard->count);
    for (uint32_t i = 0; i < grid->count; i++) {
        int64_t cores = grid->items[i]->value, own = shard->items[i]->value, size;
        if (cores < 1 || own < 1 || __builtin_mul_overflow(cores, own, &size))
            return ir_error(ctx, loc,
                            "expected positive sizes whose product has 64 bits, found %lld "
                            "cores with %lld elements each in dimension %u",
                            (long long)cores, (long long)own, i);
    }
    return true;
}

bool ttl_extract_shard_verify(ir_op *op)
{
    return is_type(op->operands[0].value->type, TTL_TYPE(dist_tensor)) ||
           ir_op_error(op, "needs a !ttl.dist_tensor");
}

bool ttl_redistribute_verify(ir_op *op)
{
    ir_type from = op->operands[0].value->type, to = op->results[0].type;
    ir_attr strategy = ir_op_attr(op, "strategy");
    if (!is_type(from, TTL_TYPE(dist_tensor)) || !is_type(to, TTL_TYPE(dist_tensor)))
        return ir_op_error(op, "needs a !ttl.dist_tensor, and gives one");
    if (!strategy || ir_enum_value(strategy, -1) != to->params[3]->value)
        return ir_op_error(op, "gives a tensor whose type has another strategy");
    bool same =
        from->params[2] == to->params[2] && from->params[0]->count == to->params[0]->count;
    for (uint32_t i = 0; same && i < from->params[0]->count; i++)
        same = from->params[0]->items[i]->value * from->params[1]->items[i]->value ==
               to->params[0]->items[i]->value * to->params[1]->items[i]->value;
    return same || ir_op_error(op, "gives a tensor of another shape or element type");
}

bool ttl_compute_region_verify(ir_op *op)
{
    const ir_block *body = ir_op_body(op, 0);
    size_t start, inputs;
    ir_op_operand_group(op, 0, &start, &inputs);
    if (!body || body->n_args != inputs)
        return ir_op_error(op, "body must have one argument for each of %zu inputs",
                           inputs);
    if (!body->last || body->last->def != TTL_OP(yield) ||
        body->last->n_operands != op->n_results)
        return ir_op_error(op, "body must end with a ttl.yield of %u values",
                           op->n_results);
    return true;
}

bool ttl_microcore_thread_verify(ir_op *op)
{
    const ir_op *parent = ir_op_parent(op);
    if (!ir_op_is(parent, TTL_OP(tile_proc)))
        return ir_op_error(op, "must lie in a ttl.tile_proc");
    ir_attr roles = ir_op_attr(parent, "microcores"),
            role = ir_op_attr(op, "microcore_role");
    for (uint32_t i = 0; roles && i < roles->count; i++)
        if (roles->items[i] == role)
            return true;
    return ir_op_error(op, "names a microcore that its ttl.tile_proc does not have");
}
