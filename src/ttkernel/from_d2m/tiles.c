/* tiles.c: tiles that move between circular buffers and DST, and operations of the vector
 * unit.  A tile value has become an index: of the tile in its buffer, or of its slot in
 * DST. */
#include "d2m/tile_ops.h"
#include "mlir/affine/affine.h"
#include "mlir/loops/loops.h"
#include "mlir/memref/memref.h"
#include "mlir/scf/scf.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_tile.h"
#include "ttkernel/from_d2m/from_d2m.h"

/* ---- where tiles are ----------------------------------------------------------------- */

static bool is_kernel_cb(const ir_value *v)
{
    return ttkernel_is_cb(v->type);
}

ir_value *d2k_cb(d2k *k, ir_value *v)
{
    for (int depth = 0; depth < 64; depth++) {
        ir_value *to = d2k_value(k, v);
        if (is_kernel_cb(to))
            return to;
        ir_op *def = ir_value_def(v);
        if (!def || def->n_operands == 0 ||
            (def->def != MEMREF_OP(load) && def->def != MEMREF_OP(subview) &&
             def->def != MEMREF_OP(cast) && def->def != MEMREF_OP(collapse_shape) &&
             def->def != D2M_OP(wait) && def->def != D2M_OP(reserve)))
            return NULL;
        v = ir_op_operand(def, 0);
    }
    return NULL;
}

/* The buffer of the first access to L1 of that kind. */
/* `from`: how many operations are known not to be such an access. */
static ir_value *first_cb(d2k *k, const ir_op_def *def, size_t operand, size_t *from)
{
    for (; *from < k->n_ops; ++*from) {
        ir_op *op = k->ops[*from];
        if (op->def == def &&
            d2k_space(ir_op_operand(op, operand)->type) == TTCORE_MemorySpace_DeviceL1)
            return d2k_cb(k, ir_op_operand(op, operand));
    }
    return NULL;
}

ir_value *d2k_in_cb(d2k *k)
{
    return first_cb(k, MEMREF_OP(load), 0, &k->before_load);
}

ir_value *d2k_out_cb(d2k *k)
{
    return first_cb(k, MEMREF_OP(store), 1, &k->before_store);
}

static bool is_access(const ir_op *op, const ir_op_def *def, int64_t space)
{
    return ir_op_is(op, def) &&
           d2k_space(ir_op_operand(op, def == MEMREF_OP(store))->type) == space;
}

static ir_op *direct_store(ir_value *tile)
{
    for (ir_operand *use = tile->uses; use; use = use->next_use)
        if (is_access(use->owner, MEMREF_OP(store), TTCORE_MemorySpace_RegisterDst) &&
            ir_operand_number(use) == 0)
            return use->owner;
    return NULL;
}

ir_op *d2k_dst_store(ir_value *tile)
{
    ir_op *store = direct_store(tile);
    for (ir_operand *use = tile->uses; use && !store; use = use->next_use)
        if (use->owner->def == D2M_OP(dst_reinterpret_cast))
            store = direct_store(&use->owner->results[0]);
    return store;
}

ir_value *d2k_dst_of(d2k *k, ir_value *tile)
{
    ir_op *store = d2k_dst_store(tile);
    return store && store->n_operands == 3 ? d2k_value(k, ir_op_operand(store, 2)) : NULL;
}

ir_attr d2k_dtype(ir_type tile)
{
    return ir_enum_attr(tile->ctx, TTCORE_ATTR(supportedDataTypes),
                        ttcore_tile_data_type(tile));
}

/* ---- positions ----------------------------------------------------------------------- */

static bool is_before(const ir_builder *b, ir_op *op)
{
    return !b->before || ir_op_before(op, b->before);
}

void d2k_ensure_before(ir_builder *b, ir_value *v)
{
    ir_op *def = ir_value_def(v);
    if (!def || def->block != b->block || is_before(b, def))
        return;
    for (uint32_t i = 0; i < def->n_operands; i++)
        d2k_ensure_before(b, ir_op_operand(def, i));
    ir_op_remove(def);
    ir_op_insert_before(def, b->before);
}

ir_builder d2k_after(ir_op *op, ir_value *const *values, size_t n)
{
    ir_op *latest = NULL;
    for (size_t i = 0; i < n; i++) {
        ir_op *def = values[i] ? ir_value_def(values[i]) : NULL;
        if (!def)
            continue;
        if (!latest || (latest->block == def->block ? ir_op_before(latest, def)
                                                    : def->block == op->block))
            latest = def;
    }
    ir_builder b = latest ? ir_builder_after(latest) : ir_builder_before(op);
    b.loc = op->loc;
    return b;
}

/* At the operation, or behind the definition of a value that is later in its block. */
static ir_builder at_or_after(ir_op *op, ir_value *const *values, size_t n)
{
    ir_op *latest = op;
    for (size_t i = 0; i < n; i++) {
        ir_op *def = ir_value_def(values[i]);
        if (def && def->block == op->block && ir_op_before(latest, def))
            latest = def;
    }
    ir_builder b = latest == op ? ir_builder_before(op) : ir_builder_after(latest);
    b.loc = op->loc;
    return b;
}

static bool depends_on(const ir_value *v, const ir_value *on, int depth)
{
    const ir_op *def = ir_value_def(v);
    if (v == on)
        return true;
    for (uint32_t i = 0; def && depth < 32 && i < def->n_operands; i++)
        if (depends_on(ir_op_operand(def, i), on, depth + 1))
            return true;
    return false;
}

/* Loops around the operation that the index does not depend on, outermost first. */
static size_t free_loops(ir_op *op, const ir_value *index, ir_op **out, size_t max)
{
    size_t n = 0;
    for (ir_op *loop = ir_op_parent(op); loop && n < max; loop = ir_op_parent(loop))
        if (loop->def == SCF_OP(for) &&
            !depends_on(index, ir_op_body(loop, 0)->args[0], 0))
            out[n++] = loop;
    for (size_t i = 0; i < n / 2; i++) {
        ir_op *t = out[i];
        out[i] = out[n - 1 - i];
        out[n - 1 - i] = t;
    }
    return n;
}

ir_op *d2k_reduction_loop(ir_op *op, ir_value *index)
{
    ir_op *loops[LOOP_CAPACITY];
    return free_loops(op, index, loops, LOOP_CAPACITY) ? loops[0] : NULL;
}

ir_value *d2k_first_iteration(ir_builder *b, ir_op *op, ir_value *index,
                              const ir_block *within)
{
    enum { EQ = 0 };
    ir_op *loops[LOOP_CAPACITY];
    ir_value *all = NULL;
    size_t n = free_loops(op, index, loops, LOOP_CAPACITY);
    for (size_t i = 0; i < n; i++) {
        const ir_op *at = loops[i];
        while (at && within && at->block != within)
            at = ir_op_parent(at);
        if (!at) /* around the block */
            continue;
        ir_value *first = d2k_compare(b, EQ, ir_op_body(loops[i], 0)->args[0],
                                      ir_op_operand(loops[i], 0));
        all = all ? d2k_binary(b, ARITH_OP(andi), all, first) : first;
    }
    return all;
}

/* ---- loads and stores ---------------------------------------------------------------- */

bool d2k_has_elements(const ir_value *memory)
{
    return ir_op_is(ir_value_def(memory), D2M_OP(reserve)) &&
           !ttcore_is_tile(memory->type->element);
}

/* The pointer to the elements of a buffer; NULL after an error. */
static ir_value *elements_of(d2k *k, ir_builder *b, ir_op *op, ir_value *memory)
{
    ir_value *cb = d2k_cb(k, memory);
    ir_attr width = ir_raw_int(k->ctx, memory->type->element->width);
    if (!cb) {
        d2k_illegal(op, "its memory is no circular buffer");
        return NULL;
    }
    ir_value *at = ir_build1(b, TTKERNEL_OP(get_write_ptr),
                             ir_integer_type(k->ctx, 32, IR_SIGNLESS), &cb, 1, NULL, 0);
    return ir_build1(b, TTKERNEL_OP(reinterpret_cast),
                     ir_dialect_type(k->ctx, TTKERNEL_TYPE(l1_addr_ptr), &width, 1), &at, 1,
                     NULL, 0);
}

static bool load_element(d2k *k, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *memory = ir_op_operand(op, 0), *from = elements_of(k, &b, op, memory);
    ir_type bits = ir_integer_type(k->ctx, memory->type->element->width, IR_SIGNLESS);
    if (!from)
        return false;
    ir_value *at = d2k_to_i32(&b, d2k_linear_index(k, &b, op, 1, memory->type));
    return d2k_done(
        k, op,
        ir_build1(&b, TTKERNEL_OP(load_from_l1), bits, IR_VALUES(from, at), NULL, 0));
}

static bool store_element(d2k *k, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *memory = ir_op_operand(op, 1), *to = elements_of(k, &b, op, memory);
    if (!to)
        return false;
    ir_value *at = d2k_to_i32(&b, d2k_linear_index(k, &b, op, 2, memory->type));
    D2K_CALL(&b, TTKERNEL_OP(store_to_l1), d2k_value(k, ir_op_operand(op, 0)), to, at);
    return d2k_done(k, op, NULL);
}

bool d2k_load(d2k *k, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    if (d2k_has_elements(ir_op_operand(op, 0)))
        return load_element(k, op);
    return d2k_done(k, op, d2k_linear_index(k, &b, op, 1, ir_op_operand(op, 0)->type));
}

/* Copies a tile of a buffer to DST. */
static bool copy_tile(d2k *k, ir_op *store, ir_op *load)
{
    ir_builder b = ir_builder_before(store);
    ir_value *cb = d2k_cb(k, ir_op_operand(load, 0)), *in = d2k_in_cb(k);
    ir_value *out = d2k_out_cb(k);
    if (!cb || !in || !out)
        return d2k_illegal(store, "the circular buffers of the kernel are unknown");
    ir_value *dst = d2k_linear_index(k, &b, store, 2, ir_op_operand(store, 1)->type);
    ir_builder start = d2k_after(store, IR_VALUES(in, out));
    D2K_CALL(&start, TTKERNEL_OP(compute_kernel_hw_startup), in, NULL, out);
    D2K_CALL(&b, TTKERNEL_OP(reconfig_data_format_srca), cb);
    D2K_CALL(&b, TTKERNEL_OP(copy_tile_init), cb);
    D2K_CALL(&b, TTKERNEL_OP(copy_tile), cb, d2k_value(k, ir_op_operand(store, 0)), dst);
    return d2k_done(k, store, NULL);
}

static bool pack_tile(d2k *k, ir_op *store)
{
    ir_builder b = ir_builder_before(store);
    ir_value *memory = ir_op_operand(store, 1), *cb = d2k_cb(k, memory);
    ir_value *base = d2k_value(k, memory);
    if (!cb)
        return d2k_illegal(store, "the circular buffer that it writes is unknown");
    ir_value *at = d2k_linear_index(k, &b, store, 2, memory->type);
    if (base->type->kind == IR_TYPE_INDEX)
        at = d2k_binary(&b, ARITH_OP(addi), base, at);
    D2K_CALL(&b, TTKERNEL_OP(pack_reconfig_data_format), cb);
    ir_build_op(&b, TTKERNEL_OP(pack_tile), NULL, 0,
                IR_VALUES(d2k_value(k, ir_op_operand(store, 0)), cb, at),
                IR_ATTRS({"out_of_order", ir_bool_attr(k->ctx, true)}), 0);
    return d2k_done(k, store, NULL);
}

bool d2k_store(d2k *k, ir_op *op)
{
    ir_op *from = ir_value_def(ir_op_operand(op, 0));
    if (ir_op_is(from, D2M_OP(dst_reinterpret_cast)))
        from = ir_value_def(ir_op_operand(from, 0));
    if (d2k_has_elements(ir_op_operand(op, 1)))
        return store_element(k, op);
    if (!is_access(op, MEMREF_OP(store), TTCORE_MemorySpace_RegisterDst))
        return pack_tile(k, op);
    if (is_access(from, MEMREF_OP(load), TTCORE_MemorySpace_DeviceL1))
        return copy_tile(k, op, from);
    return d2k_done(k, op, NULL); /* an operation has written its slot */
}

/* ---- the vector unit ----------------------------------------------------------------- */

typedef struct kernel_op {
    const ir_op_def *op, *init;
} kernel_op;

typedef struct function_row {
    const char *name;
    kernel_op floats, integers;
} function_row;

/* The rows of elementwise.def as operations: NONE leaves both empty. */
static const function_row functions[] = {
#define ELEMENTWISE(name, form, padding, meaning, floats, integers)                        \
    {#name, {floats}, {integers}},
#define TILE(sort, shape, op, init, ...) TTKERNEL_OP(op), init
#define TILE_BY_HAND(sort, op, init) TTKERNEL_OP(op), TTKERNEL_OP(init)
#define OWN(op) TTKERNEL_OP(op)
#define TYPED(op) TTKERNEL_OP(op)
#define USES(op) TTKERNEL_OP(op)
#include "ttkernel/elementwise.def"
#undef OWN
#undef TYPED
#undef USES
};

static const struct {
    const ir_op_def *def;
    const char *function;
} names[] = {
#define TILE_OP(row, unit, loads, in_place, scalar, function) {D2M_OP(row), #function},
#include "d2m/tile_ops.def"
    {D2M_OP(tile_clamp_scalar), "clamp"},
    {D2M_OP(tile_logical_right_shift), "logical_right_shift"},
    {D2M_OP(tile_selu), "selu"},
    {D2M_OP(tile_typecast), "typecast"},
};

static const function_row *function_named(const char *name, const char *suffix)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < TW_COUNT(functions); i++)
        if (strncmp(functions[i].name, name, n) == 0 &&
            strcmp(functions[i].name + n, suffix) == 0)
            return &functions[i];
    return NULL;
}

static const function_row *function_of(const ir_op *op, const char *suffix)
{
    const function_row *row = NULL;
    for (size_t i = 0; i < TW_COUNT(names) && !row; i++)
        if (names[i].def == op->def)
            row = function_named(names[i].function, suffix);
    return row;
}

/* The operation on the tile's elements; one without a variant for integers serves them. */
static kernel_op kernel_op_of(const function_row *row, ir_type tile)
{
    bool integers = ttcore_is_integer_tile(tile);
    const kernel_op *first = integers ? &row->integers : &row->floats;
    return first->op ? *first : integers ? row->floats : row->integers;
}

ir_value *d2k_bits(ir_builder *b, ir_attr attr)
{
    if (!ir_attr_is(attr, IR_ATTR_FLOAT))
        return d2k_int(b, 32, ir_attr_int(attr, 0));
    ir_type f32 = ir_float_type(b->ctx, IR_F32);
    ir_value *value = ir_build1(b, ARITH_OP(constant), f32, NULL, 0,
                                IR_ATTRS({"value", ir_float_attr(f32, attr->real)}));
    return ir_build1(b, ARITH_OP(bitcast), ir_integer_type(b->ctx, 32, IR_SIGNLESS), &value,
                     1, NULL, 0);
}

/* A float as f32; of an integer the f32 value, which 16 bits might not hold. */
static ir_value *as_f32(ir_builder *b, ir_value *v)
{
    ir_type f32 = ir_float_type(b->ctx, IR_F32);
    ir_op *def = ir_value_def(v);
    if (v->type->width == 32)
        return v;
    if (ir_op_is(def, ARITH_OP(sitofp)) || ir_op_is(def, ARITH_OP(uitofp)))
        return ir_build1(b, def->def, f32, IR_VALUES(ir_op_operand(def, 0)), NULL, 0);
    return ir_build1(b, ARITH_OP(extf), f32, &v, 1, NULL, 0);
}

/* A scalar as the 32 bits that the functions take. */
static ir_value *scalar_bits(ir_builder *b, ir_value *v)
{
    ir_type i32 = ir_integer_type(b->ctx, 32, IR_SIGNLESS);
    if (v->type->kind == IR_TYPE_FLOAT) {
        v = as_f32(b, v);
        return ir_build1(b, ARITH_OP(bitcast), i32, &v, 1, NULL, 0);
    }
    if (v->type->width == 32)
        return v;
    return ir_build1(b, v->type->width < 32 ? ARITH_OP(extsi) : ARITH_OP(trunci), i32, &v,
                     1, NULL, 0);
}

static bool takes(const ir_op_def *def, const char *attr)
{
    return ir_def_prop_index(def, tw_str_from(attr)) != SIZE_MAX;
}

/* Configures the unit in front of everything that uses the buffers. */
static bool init_sfpu(d2k *k, ir_op *op)
{
    ir_value *out = d2k_out_cb(k), *in = NULL;
    if (d2m_tile_op_of(op)->loads == 1) {
        ir_op *load = ir_value_def(ir_op_operand(op, 0));
        in = is_access(load, MEMREF_OP(load), TTCORE_MemorySpace_DeviceL1)
                 ? d2k_cb(k, ir_op_operand(load, 0))
                 : out;
    } else {
        in = d2k_in_cb(k);
    }
    if (!in || !out)
        return d2k_illegal(op, "the circular buffers of the kernel are unknown");
    ir_builder b = d2k_after(op, IR_VALUES(in, out));
    D2K_CALL(&b, TTKERNEL_OP(init_sfpu), in, out);
    return true;
}

static void build_init(ir_builder *b, const ir_op_def *init, ir_type tile)
{
    ir_build_op(b, init, NULL, 0, NULL, 0,
                IR_ATTRS({"dtype", takes(init, "dtype") ? d2k_dtype(tile) : NULL}), 0);
}

/* Both operands of float functions come from DST; pow takes its exponent as an integer. */
static bool scalar_operand(d2k *k, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *slot = d2k_value(k, ir_op_operand(op, 0));
    ir_value *scalar = d2k_value(k, ir_op_operand(op, 1));
    ir_type tile = ir_op_operand(op, 0)->type;
    const function_row *row = function_of(op, "_scalar");
    kernel_op fn = row ? kernel_op_of(row, tile) : (kernel_op){NULL, NULL};
    bool power = op->def == D2M_OP(tile_pow);
    if (!fn.op)
        return d2k_illegal(op, "TTKernel takes no scalar operand for it");
    build_init(&b, fn.init, tile);
    if (!power && op->def != D2M_OP(tile_div))
        build_init(&b, fn.init, tile);
    if (power && scalar->type->kind == IR_TYPE_FLOAT)
        scalar = ir_build1(&b, ARITH_OP(fptosi), ir_integer_type(k->ctx, 32, IR_SIGNLESS),
                           &scalar, 1, NULL, 0);
    else
        scalar = scalar_bits(&b, scalar);
    D2K_CALL(&b, fn.op, slot, scalar);
    return d2k_done(k, op, slot);
}

/* In place: the result has its operand's slot. */
static bool unary(d2k *k, ir_op *op, kernel_op fn)
{
    ir_builder b = ir_builder_before(op);
    ir_value *slot = d2k_value(k, ir_op_operand(op, 0));
    ir_type tile = ir_op_operand(op, 0)->type;
    build_init(&b, fn.init, tile);
    if (op->def == D2M_OP(tile_clamp_scalar)) {
        ir_attr low = ir_op_attr(op, "min"), high = ir_op_attr(op, "max");
        bool ints = ir_attr_is(low, IR_ATTR_INTEGER) && ir_attr_is(high, IR_ATTR_INTEGER);
        ir_value *from = d2k_bits(&b, low), *to = d2k_bits(&b, high);
        D2K_CALL(&b, ints ? TTKERNEL_OP(clamp_tile_int32) : TTKERNEL_OP(clamp_tile), slot,
                 from, to);
    } else if (op->def == D2M_OP(tile_selu)) {
        ir_value *scale = d2k_bits(&b, ir_op_attr(op, "scale"));
        ir_value *alpha = d2k_bits(&b, ir_op_attr(op, "alpha"));
        D2K_CALL(&b, fn.op, slot, scale, alpha);
    } else {
        ir_build_op(&b, fn.op, NULL, 0, &slot, 1,
                    IR_ATTRS({"dtype", takes(fn.op, "dtype") ? d2k_dtype(tile) : NULL}), 0);
    }
    return d2k_done(k, op, slot);
}

bool d2k_typecast(d2k *k, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_value *slot = d2k_value(k, ir_op_operand(op, 0));
    ir_attr_by_name types[] = {{"in_dtype", d2k_dtype(ir_op_operand(op, 0)->type)},
                               {"out_dtype", d2k_dtype(op->results[0].type)}};
    ir_build_op(&b, TTKERNEL_OP(typecast_tile_init), NULL, 0, NULL, 0, types, 2, 0);
    ir_build_op(&b, TTKERNEL_OP(typecast_tile), NULL, 0, &slot, 1, types, 2, 0);
    return d2k_done(k, op, slot);
}

/* Operands and result have slots of their own. */
static bool several(d2k *k, ir_op *op, kernel_op fn)
{
    ir_value *values[4];
    size_t n = op->n_operands;
    ir_builder b = ir_builder_before(op);
    ir_value *dst = d2k_dst_of(k, &op->results[0]);
    if (!dst)
        return d2k_illegal(op, "its result is not stored to DST");
    build_init(&b, fn.init, ir_op_operand(op, 0)->type);
    for (size_t i = 0; i < n; i++)
        values[i] = d2k_value(k, ir_op_operand(op, i));
    values[n] = dst;
    b = at_or_after(op, values, n + 1);
    ir_type tile = ir_op_operand(op, op->def == D2M_OP(tile_where))->type;
    ir_build_op(&b, fn.op, NULL, 0, values, n + 1,
                IR_ATTRS({"dtype", takes(fn.op, "dtype") ? d2k_dtype(tile) : NULL}), 0);
    return d2k_done(k, op, dst);
}

bool d2k_elementwise(d2k *k, ir_op *op)
{
    bool done = false, ok = d2k_fpu_binary(k, op, &done);
    if (done || !ok)
        return ok;
    if (!init_sfpu(k, op))
        return false;
    if (op->def == D2M_OP(tile_typecast))
        return d2k_typecast(k, op);
    if (d2m_is_scalar_operand(op, 1))
        return scalar_operand(k, op);
    kernel_op fn = {TTKERNEL_OP(logical_not_tile), TTKERNEL_OP(logical_not_tile_init)};
    if (op->def != D2M_OP(tile_logical_not)) {
        const function_row *row = function_of(op, "");
        fn = row ? kernel_op_of(row, ir_op_operand(op, 0)->type) : (kernel_op){NULL, NULL};
    }
    if (!fn.op || op->n_operands > 3)
        return d2k_illegal(op, "ttkernel has no operation for these elements");
    return op->n_operands == 1 ? unary(k, op, fn) : several(k, op, fn);
}

/* ---- tiles without operands ---------------------------------------------------------- */

/* Starts a kernel that may read no buffer; what follows is built at `*out`. */
static ir_value *start_output(d2k *k, ir_op *op, ir_builder *out)
{
    ir_builder b = ir_builder_before(op);
    ir_value *dst = d2k_dst_of(k, &op->results[0]), *cb = d2k_out_cb(k);
    if (!dst || !cb) {
        d2k_illegal(op, dst ? "the kernel writes no circular buffer"
                            : "its result is not stored to DST");
        return NULL;
    }
    d2k_ensure_before(&b, dst);
    *out = d2k_after(op, IR_VALUES(cb));
    D2K_CALL(out, TTKERNEL_OP(compute_kernel_hw_startup), cb, NULL, cb);
    return dst;
}

bool d2k_fill(d2k *k, ir_op *op)
{
    ir_builder start, b = ir_builder_before(op);
    ir_value *dst = start_output(k, op, &start);
    ir_value *value = d2k_value(k, ir_op_operand(op, 0));
    if (!dst)
        return false;
    b = ir_builder_before(op);
    bool ints = value->type->kind == IR_TYPE_INTEGER;
    if (ints)
        value = scalar_bits(&b, value);
    else if (value->type->width < 32)
        value = ir_build1(&b, ARITH_OP(extf), ir_float_type(k->ctx, IR_F32), &value, 1,
                          NULL, 0);
    d2k_call(&b, TTKERNEL_OP(fill_tile_init), NULL, 0);
    D2K_CALL(&b, ints ? TTKERNEL_OP(fill_tile_int) : TTKERNEL_OP(fill_tile), dst, value);
    return d2k_done(k, op, dst);
}

static ir_value *f32_bits(ir_builder *b, const ir_op *op, const char *name)
{
    ir_attr attr = ir_op_attr(op, name);
    return d2k_int(b, 32, ir_attr_is(attr, IR_ATTR_FLOAT) ? (int64_t)attr->bits : 0);
}

/* Each core has a seed of its own, made of its coordinates by odd multipliers. */
bool d2k_rand(d2k *k, ir_op *op)
{
    ir_builder start;
    ir_value *dst = start_output(k, op, &start);
    if (!dst)
        return false;
    ir_type index = ir_index_type(k->ctx);
    ir_value *seed = d2k_int(&start, 32, ir_op_int(op, "seed", 0));
    ir_value *of_x = d2k_int(&start, 32, 0x9E3779B1),
             *of_y = d2k_int(&start, 32, 0x85EBCA77);
    ir_value *x = ir_build1(&start, TTKERNEL_OP(my_logical_x_), index, NULL, 0, NULL, 0);
    ir_value *y = ir_build1(&start, TTKERNEL_OP(my_logical_y_), index, NULL, 0, NULL, 0);
    x = d2k_to_i32(&start, x);
    y = d2k_to_i32(&start, y);
    x = d2k_binary(&start, ARITH_OP(muli), x, of_x);
    y = d2k_binary(&start, ARITH_OP(muli), y, of_y);
    seed = d2k_binary(&start, ARITH_OP(xori), seed, x);
    seed = d2k_binary(&start, ARITH_OP(xori), seed, y);
    D2K_CALL(&start, TTKERNEL_OP(rand_tile_init), seed);
    ir_builder b = ir_builder_before(op);
    ir_value *from = f32_bits(&b, op, "from"), *scale = f32_bits(&b, op, "scale");
    D2K_CALL(&b, TTKERNEL_OP(rand_tile), dst, from, scale);
    return d2k_done(k, op, dst);
}
