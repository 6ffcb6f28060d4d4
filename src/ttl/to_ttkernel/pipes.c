/* pipes.c: pipes between cores, and semaphores.
 *
 * A pipe works with three semaphores on each core, numbered from its own on:
 *   ready   at the sender: how many receivers have room
 *   target  at the sender: the sum of the addresses where they want the block; all
 * receivers of a multicast have the same, so its quotient by their number is that address
 *   come    at a receiver: the block has arrived
 * A receiver adds its address to `target`, then one to `ready`, and waits for `come`; the
 * sender waits for all receivers, writes the block to all at once, and notifies them.
 *
 * Where cores send in a circle before they receive, no core would be ready.  Copies with
 * `ttl.landing`, the number of a buffer, go through that: it is free from the start, so
 * receivers say so where their thread begins, take the block from there when they come to
 * their copy, and say that it is free again.  Its address is the same on every core. */
#include "mlir/arith/arith.h"
#include "mlir/scf/scf.h"
#include "ttkernel/ttkernel.h"
#include "ttl/to_ttkernel/ttl_to_ttkernel.h"
#include "ttl/ttl_info.h"

enum { READY, TARGET, COME };
enum { MAX_SEMAPHORES = 32 };

/* What a wait means is an attribute of it, for reports: `ttl.pipe` {cores: column and row
 * of the source, the first and the last destination; sends, at the source; name; source}
 * and `ttl.semaphore` {name; source}. */
#define UNNUMBERED "it has no semaphore_index; --ttl-allocate-cbs gives it one"

typedef struct pipe {
    int64_t src[2], from[2], to[2]; /* column, row; `to` is the last one */
    int64_t semaphores;
    int64_t receivers;
    bool to_itself; /* the sender is among the receivers */
    const ir_op *made;
} pipe;

bool k_is_pipe(const ir_value *v)
{
    return v->type->kind == IR_TYPE_DIALECT && v->type->def == TTL_TYPE(pipe);
}

static bool find_pipe(ir_op *op, ir_value *v, pipe *out)
{
    ir_op *def = ir_value_def(v);
    if (!ir_op_is(def, TTL_OP(create_pipe)))
        return k_illegal(op, "its pipe is not known: it must come from ttl.create_pipe");
    out->made = def;
    ir_attr_ints(ir_op_attr(def, "src_core"), out->src, 2);
    ir_attr_ints(ir_op_attr(def, "dst_core"), out->from, 2);
    memcpy(out->to, out->from, sizeof out->to);
    ir_attr end = ir_op_attr(def, "dst_core_end");
    if (end)
        ir_attr_ints(end, out->to, 2);
    if ((out->semaphores = ir_op_int(def, "semaphore_index", -1)) < 0)
        return k_illegal(def, UNNUMBERED);
    out->receivers = (out->to[0] - out->from[0] + 1) * (out->to[1] - out->from[1] + 1);
    out->to_itself = true;
    for (int i = 0; i < 2; i++)
        out->to_itself &= out->src[i] >= out->from[i] && out->src[i] <= out->to[i];
    return true;
}

/* ---- pieces -------------------------------------------------------------------------- */

static ir_type word_type(ir_context *ctx)
{
    return ir_integer_type(ctx, 32, IR_SIGNLESS);
}

static ir_value *get_semaphore(ir_builder *b, int64_t number)
{
    return ir_build1(b, TTKERNEL_OP(get_semaphore),
                     ir_dialect_type(b->ctx, TTKERNEL_TYPE(local_semaphore), NULL, 0),
                     IR_VALUES(arith_index(b, number)), NULL, 0);
}

static ir_value *pointer_to(ir_builder *b, ir_value *semaphore)
{
    ir_attr width = ir_raw_int(b->ctx, 32);
    return ir_build1(b, TTKERNEL_OP(reinterpret_cast),
                     ir_dialect_type(b->ctx, TTKERNEL_TYPE(l1_addr_ptr), &width, 1),
                     &semaphore, 1, NULL, 0);
}

static ir_value *translated(ir_builder *b, ir_value *logical, int axis)
{
    return ir_build1(b,
                     axis == 0 ? TTKERNEL_OP(experimental_convert_logical_x_to_translated)
                               : TTKERNEL_OP(experimental_convert_logical_y_to_translated),
                     ir_index_type(b->ctx), &logical, 1, NULL, 0);
}

/* A core in the NoC's coordinates. */
static void core_of(ir_builder *b, const int64_t core[2], ir_value *out[2])
{
    for (int i = 0; i < 2; i++)
        out[i] = translated(b, arith_index(b, core[i]), i);
}

static ir_value *noc_address(ir_builder *b, ir_value *const core[2], ir_value *local)
{
    return ir_build1(b, TTKERNEL_OP(get_noc_addr),
                     ir_dialect_type(b->ctx, TTKERNEL_TYPE(noc_addr), NULL, 0),
                     IR_VALUES(core[0], core[1], local), NULL, 0);
}

static ir_value *multicast_address(ir_builder *b, ir_value *const from[2],
                                   ir_value *const to[2], ir_value *local)
{
    return ir_build1(b, TTKERNEL_OP(get_noc_multicast_addr),
                     ir_dialect_type(b->ctx, TTKERNEL_TYPE(noc_addr), NULL, 0),
                     IR_VALUES(from[0], from[1], to[0], to[1], local), NULL, 0);
}

/* NoC 1 runs the other way: rectangles start at their lower right corner. */
static void order_corners(const k_func *f, ir_value *from[2], ir_value *to[2])
{
    for (int i = 0; i < 2 && f->noc == 1; i++) {
        ir_value *swap = from[i];
        from[i] = to[i];
        to[i] = swap;
    }
}

static ir_value *pointer_of_buffer(k_func *f, ir_builder *b, ir_value *cb, bool write)
{
    return ir_build1(b, write ? TTKERNEL_OP(get_write_ptr) : TTKERNEL_OP(get_read_ptr),
                     word_type(b->ctx), IR_VALUES(k_cb(f, b, cb)), NULL, 0);
}

static ir_value *size_of_block(ir_op *op, ir_builder *b, ir_value *cb)
{
    int64_t bytes = ttl_block_bytes(cb->type);
    if (!bytes) {
        k_illegal(op, "only tiles and numbers go through pipes");
        return NULL;
    }
    return arith_i32(b, bytes);
}

static ir_value *both(ir_builder *b, ir_value *x, ir_value *y)
{
    return x ? k_arith(b, "arith.andi", x, y) : y;
}

static ir_value *not_before(ir_builder *b, ir_value *x, ir_value *y)
{
    return ir_build1(b, ARITH_OP(cmpi), ir_integer_type(b->ctx, 1, IR_SIGNLESS),
                     IR_VALUES(x, y),
                     IR_ATTRS({"predicate", ir_i64_attr(b->ctx, ARITH_CmpIPredicate_uge)}));
}

static ir_value *my_position(ir_builder *b, int axis)
{
    return ir_build1(b, axis == 0 ? TTKERNEL_OP(my_logical_x_) : TTKERNEL_OP(my_logical_y_),
                     ir_index_type(b->ctx), NULL, 0, NULL, 0);
}

/* Whether this core lies in a rectangle. */
static ir_value *is_here(ir_builder *b, const int64_t from[2], const int64_t to[2])
{
    ir_value *all = NULL;
    for (int i = 0; i < 2; i++) {
        ir_value *me = my_position(b, i);
        all = both(b, all, not_before(b, me, arith_index(b, from[i])));
        all = both(b, all, not_before(b, arith_index(b, to[i]), me));
    }
    return all;
}

/* ---- what is waited for -------------------------------------------------------------- */

/* A wait for a semaphore, with a dictionary of what it is for: absent entries are NULL. */
static void wait_for(ir_builder *b, const ir_op_def *def, ir_value *pointer,
                     ir_value *value, const char *kind, const ir_attr_by_name *about,
                     size_t n)
{
    ir_named_attr entries[4];
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (about[i].value)
            entries[count++] =
                (ir_named_attr){ir_ident_from(b->ctx, about[i].name), about[i].value};
    ir_build_op(b, def, NULL, 0, (ir_value *[]){pointer, value}, 2,
                IR_ATTRS({kind, count ? ir_dict_attr(b->ctx, entries, count) : NULL}), 0);
}

static void wait_at_pipe(ir_builder *b, const pipe *p, ir_value *pointer, int64_t value,
                         bool sends)
{
    const int64_t cores[] = {p->src[0],  p->src[1], p->from[0],
                             p->from[1], p->to[0],  p->to[1]};
    const ir_attr_by_name about[] = {
        {"cores", ir_dense_array(ir_integer_type(b->ctx, 64, IR_SIGNLESS), cores, 6)},
        {"name", ir_op_attr(p->made, "ttl.name")},
        {"source", ir_loc_attr(b->ctx, p->made->loc)},
        {"sends", sends ? ir_unit_attr(b->ctx) : NULL}};
    wait_for(b, TTKERNEL_OP(experimental_semaphore_wait), pointer, arith_index(b, value),
             "ttl.pipe", about, TW_COUNT(about));
}

/* ---- sending and receiving ----------------------------------------------------------- */

static void wait_for_receivers(ir_builder *b, const pipe *p)
{
    ir_value *ready = pointer_to(b, get_semaphore(b, p->semaphores + READY));
    wait_at_pipe(b, p, ready, p->receivers, true);
    K_CALL(b, TTKERNEL_OP(noc_semaphore_set), ready, arith_index(b, 0));
}

/* What the receivers agreed on. */
static ir_value *agreed_target(ir_builder *b, const pipe *p)
{
    ir_value *target = pointer_to(b, get_semaphore(b, p->semaphores + TARGET));
    ir_value *sum = ir_build1(b, TTKERNEL_OP(load_from_l1), word_type(b->ctx),
                              IR_VALUES(target, arith_i32(b, 0)), NULL, 0);
    K_CALL(b, TTKERNEL_OP(noc_semaphore_set), target, arith_index(b, 0));
    return p->receivers == 1 ? sum
                             : k_arith(b, "arith.divui", sum, arith_i32(b, p->receivers));
}

static void send_to_one(ir_builder *b, const pipe *p, ir_value *src, ir_value *target,
                        ir_value *size)
{
    ir_value *core[2];
    core_of(b, p->from, core);
    int32_t segments[] = {1, 2, 0, 1, 1, 0};
    ir_value *operands[] = {src, core[0], core[1], target, size};
    const ir_named_attr attr = {ir_ident_from(b->ctx, "operandSegmentSizes"),
                                ir_dense_array(word_type(b->ctx), segments, 6)};
    ir_build(b, &(ir_op_state){.def = TTKERNEL_OP(noc_async_write),
                               .loc = b->loc,
                               .operands = operands,
                               .n_operands = 5,
                               .attrs = &attr,
                               .n_attrs = 1});
    k_call(b, TTKERNEL_OP(noc_async_write_barrier), NULL, 0);
    ir_value *come = get_semaphore(b, p->semaphores + COME);
    K_CALL(b, TTKERNEL_OP(noc_semaphore_inc), noc_address(b, core, come),
           arith_index(b, 1));
    k_call(b, TTKERNEL_OP(noc_async_atomic_barrier), NULL, 0);
}

/* The sender's own word is what the others get. */
static void signal_from_come(ir_builder *b, const pipe *p, ir_value *come, ir_value *target,
                             ir_value *n)
{
    ir_value *pointer = pointer_to(b, come);
    K_CALL(b, TTKERNEL_OP(noc_semaphore_set), pointer, arith_index(b, 1));
    K_CALL(b,
           p->to_itself ? TTKERNEL_OP(noc_semaphore_set_multicast_loopback_src)
                        : TTKERNEL_OP(noc_semaphore_set_multicast),
           come, target, n);
    k_call(b, TTKERNEL_OP(noc_async_write_barrier), NULL, 0);
    if (!p->to_itself)
        K_CALL(b, TTKERNEL_OP(noc_semaphore_set), pointer, arith_index(b, 0));
}

/* The sender's core receives in another thread, which waits for `come`: only the multicast
 * may change it.  `ready` is 0 until receivers have got that, so it serves as the word that
 * is sent; its 1 is taken back by an addition, because receivers may count it up already.
 */
static void signal_from_ready(ir_builder *b, const pipe *p, ir_value *target, ir_value *n)
{
    ir_value *ready = get_semaphore(b, p->semaphores + READY), *core[2];
    K_CALL(b, TTKERNEL_OP(noc_semaphore_set), pointer_to(b, ready), arith_index(b, 1));
    K_CALL(b, TTKERNEL_OP(noc_semaphore_set_multicast_loopback_src), ready, target, n);
    k_call(b, TTKERNEL_OP(noc_async_write_barrier), NULL, 0);
    core_of(b, p->src, core);
    K_CALL(b, TTKERNEL_OP(noc_semaphore_inc), noc_address(b, core, ready),
           arith_index(b, -1));
    k_call(b, TTKERNEL_OP(noc_async_atomic_barrier), NULL, 0);
}

static void send_to_all(k_func *f, ir_builder *b, const pipe *p, ir_value *src,
                        ir_value *address, ir_value *size, bool landing)
{
    ir_value *from[2], *to[2], *n = arith_i32(b, p->receivers);
    core_of(b, p->from, from);
    core_of(b, p->to, to);
    order_corners(f, from, to);
    K_CALL(b,
           p->to_itself ? TTKERNEL_OP(noc_async_write_multicast_loopback_src)
                        : TTKERNEL_OP(noc_async_write_multicast),
           src, size, n, from[0], from[1], to[0], to[1], address);
    k_call(b, TTKERNEL_OP(noc_async_write_barrier), NULL, 0);
    ir_value *come = get_semaphore(b, p->semaphores + COME);
    ir_value *signal = multicast_address(b, from, to, come);
    if (p->to_itself && !landing)
        signal_from_ready(b, p, signal, n);
    else
        signal_from_come(b, p, come, signal, n);
}

/* Adds to one of the sender's semaphores. */
static void tell_sender(ir_builder *b, const pipe *p, int which, ir_value *value)
{
    ir_value *core[2];
    core_of(b, p->src, core);
    ir_value *semaphore = get_semaphore(b, p->semaphores + which);
    K_CALL(b, TTKERNEL_OP(noc_semaphore_inc), noc_address(b, core, semaphore), value);
    k_call(b, TTKERNEL_OP(noc_async_atomic_barrier), NULL, 0);
}

static void wait_for_sender(ir_builder *b, const pipe *p)
{
    ir_value *come = pointer_to(b, get_semaphore(b, p->semaphores + COME));
    wait_at_pipe(b, p, come, 1, false);
    K_CALL(b, TTKERNEL_OP(noc_semaphore_set), come, arith_index(b, 0));
}

static void receive(ir_builder *b, const pipe *p, ir_value *to)
{
    tell_sender(b, p, TARGET, to);
    tell_sender(b, p, READY, arith_index(b, 1));
    wait_for_sender(b, p);
}

/* Where the thread begins, once for each pipe: the receivers' landing blocks are free. */
static void open_landing(k_func *f, ir_op *create_pipe, const pipe *p)
{
    if (ir_op_attr(create_pipe, "ttl.open"))
        return;
    ir_op_set_attr(create_pipe, "ttl.open", ir_unit_attr(f->ctx));
    ir_builder b = ir_builder_before(ir_op_body(f->func, 0)->first);
    b.loc = create_pipe->loc;
    ir_value *here = is_here(&b, p->from, p->to);
    ir_op *made = ir_build_op(&b, SCF_OP(if), NULL, 0, &here, 1, NULL, 0, 2);
    ir_block *block = ir_block_create(f->ctx);
    ir_region_append(&made->regions[0], block);
    ir_builder in = ir_builder_at_end(f->ctx, block, b.loc);
    tell_sender(&in, p, READY, arith_index(&in, 1));
    ir_build_op(&in, SCF_OP(yield), NULL, 0, NULL, 0, NULL, 0, 0);
}

/* From this core's landing address to the block. */
static void take_landed(ir_builder *b, const pipe *p, ir_value *landing, ir_value *to,
                        ir_value *size)
{
    wait_for_sender(b, p);
    ir_value *core[2];
    for (int i = 0; i < 2; i++)
        core[i] = translated(b, my_position(b, i), i);
    ir_build_op(
        b, TTKERNEL_OP(noc_async_read), NULL, 0,
        (ir_value *[]){noc_address(b, core, landing), to, size}, 3,
        IR_ATTRS({"operandSegmentSizes",
                  ir_dense_array(word_type(b->ctx), (int32_t[]){0, 0, 1, 1, 1, 0}, 6)}),
        0);
    k_call(b, TTKERNEL_OP(noc_async_read_barrier), NULL, 0);
    tell_sender(b, p, READY, arith_index(b, 1));
}

/* The address of the buffer that a copy lands in, NULL if it needs none. */
static ir_value *landing_of(const ir_op *op, ir_builder *b, const ir_value *cb)
{
    int64_t number = ir_op_int(op, "ttl.landing", -1);
    if (number < 0)
        return NULL;
    ir_value *port =
        ir_build1(b, TTKERNEL_OP(get_compile_time_arg_val), k_cb_type(cb->type), NULL, 0,
                  IR_ATTRS({"arg_index", ir_i32_attr(b->ctx, number)}));
    return ir_build1(b, TTKERNEL_OP(get_write_ptr), word_type(b->ctx), &port, 1, NULL, 0);
}

bool k_pipe_copy(k_func *f, ir_op *op)
{
    bool sends = k_is_pipe(op->operands[1].value);
    ir_value *cb = op->operands[sends ? 0 : 1].value;
    pipe p;
    if (!find_pipe(op, op->operands[sends ? 1 : 0].value, &p))
        return false;
    ir_builder b = ir_builder_before(op);
    ir_value *size = size_of_block(op, &b, cb);
    if (!size)
        return false;
    /* a block that was waited for, or one that is reserved still */
    bool reserved = ir_op_attr(op, "reserved") != NULL;
    ir_value *at = pointer_of_buffer(f, &b, cb, !sends || reserved);
    ir_value *landing = landing_of(op, &b, cb);
    if (!sends && landing) {
        open_landing(f, ir_value_def(op->operands[0].value), &p);
        take_landed(&b, &p, landing, at, size);
    } else if (!sends) {
        receive(&b, &p, at);
    } else {
        wait_for_receivers(&b, &p);
        ir_value *target = landing ? landing : agreed_target(&b, &p);
        if (p.receivers == 1)
            send_to_one(&b, &p, at, target, size);
        else
            send_to_all(f, &b, &p, at, target, size, landing != NULL);
    }
    k_end_copy(op);
    return true;
}

/* ---- semaphores ---------------------------------------------------------------------- */

/* The semaphore behind local and remote forms; NULL after an error. */
static ir_op *semaphore_of(ir_op *op, ir_op **out_remote)
{
    ir_op *def = ir_value_def(op->operands[0].value);
    *out_remote = NULL;
    if (ir_op_is(def, TTL_OP(get_remote_semaphore)) ||
        ir_op_is(def, TTL_OP(get_remote_multicast_semaphore))) {
        *out_remote = def;
        def = ir_value_def(def->operands[0].value);
    }
    if (op->n_operands < 2 || (*out_remote && (*out_remote)->n_operands < 2))
        k_illegal(op, "it is in the plan's form; --ttl-canonicalize brings it to today's");
    else if (!ir_op_is(def, TTL_OP(create_semaphore)))
        k_illegal(op, "its semaphore is not known: it must come from ttl.create_semaphore");
    else if (ir_op_int(def, "semaphore_index", -1) < 0)
        k_illegal(def, UNNUMBERED);
    else
        return def;
    return NULL;
}

static ir_value *local_of(ir_builder *b, const ir_op *semaphore)
{
    return get_semaphore(b, ir_op_int(semaphore, "semaphore_index", 0));
}

bool k_semaphore_wait(k_func *f, ir_op *op)
{
    ir_op *remote, *semaphore = semaphore_of(op, &remote);
    if (!semaphore)
        return false;
    ir_builder b = ir_builder_before(op);
    ir_attr comparison = ir_op_attr(op, "comparison"),
            reset = ir_op_attr(op, "reset_value");
    bool least = comparison && tw_str_is(ir_attr_str(comparison), "min");
    ir_value *pointer = pointer_to(&b, local_of(&b, semaphore));
    ir_value *value = op->operands[1].value;
    if (least)
        value = ir_build1(&b, ARITH_OP(index_cast), word_type(f->ctx), &value, 1, NULL, 0);
    ir_attr name = ir_op_attr(semaphore, "ttl.name");
    const ir_attr_by_name about[] = {
        {"name", name}, {"source", name ? ir_loc_attr(f->ctx, semaphore->loc) : NULL}};
    wait_for(&b,
             least ? TTKERNEL_OP(experimental_semaphore_wait_min)
                   : TTKERNEL_OP(experimental_semaphore_wait),
             pointer, value, "ttl.semaphore", about, TW_COUNT(about));
    if (reset)
        K_CALL(&b, TTKERNEL_OP(noc_semaphore_set), pointer, arith_index(&b, reset->value));
    ir_op_erase(op);
    return true;
}

bool k_semaphore_inc(k_func *f, ir_op *op)
{
    (void)f;
    ir_op *remote, *semaphore = semaphore_of(op, &remote);
    if (!semaphore || !remote)
        return semaphore ? k_illegal(op, "increments another core's semaphore only")
                         : false;
    ir_builder b = ir_builder_before(op);
    ir_value *core[] = {translated(&b, remote->operands[1].value, 0),
                        translated(&b, remote->operands[2].value, 1)};
    K_CALL(&b, TTKERNEL_OP(noc_semaphore_inc),
           noc_address(&b, core, local_of(&b, semaphore)), op->operands[1].value);
    k_call(&b, TTKERNEL_OP(noc_async_atomic_barrier), NULL, 0);
    ir_op_erase(op);
    return true;
}

/* An scf.if with two sides; each builds where its builder points. */
static void branch(ir_builder *b, ir_value *condition, ir_builder sides[2])
{
    ir_op *op = ir_build_op(b, SCF_OP(if), NULL, 0, &condition, 1, NULL, 0, 2);
    for (int i = 0; i < 2; i++) {
        ir_block *block = ir_block_create(b->ctx);
        ir_region_append(&op->regions[i], block);
        sides[i] = ir_builder_at_end(b->ctx, block, b->loc);
        sides[i].before =
            ir_build_op(&sides[i], SCF_OP(yield), NULL, 0, NULL, 0, NULL, 0, 0);
    }
}

/* A word of this core goes to one other or many; the packet must say whether it comes back
 * to the sender, which only the cores' positions tell. */
static void set_remote(k_func *f, ir_builder *b, const ir_op *semaphore,
                       const ir_op *remote, ir_value *value)
{
    int64_t own = ir_op_int(semaphore, "semaphore_index", 0);
    ir_value *word = get_semaphore(b, ir_op_int(semaphore, "scratch_index", own + 1));
    K_CALL(b, TTKERNEL_OP(noc_semaphore_set), pointer_to(b, word), value);
    bool many = remote->def == TTL_OP(get_remote_multicast_semaphore);
    ir_value *from[2], *to[2], *inside = NULL, *area = NULL;
    for (int i = 0; i < 2; i++) {
        ir_value *first = remote->operands[1 + i].value;
        ir_value *last = many ? remote->operands[3 + i].value : first;
        ir_value *me = my_position(b, i);
        inside = both(b, inside, not_before(b, me, first));
        inside = both(b, inside, not_before(b, last, me));
        from[i] = translated(b, first, i);
        to[i] = translated(b, last, i);
        ir_value *span = arith_index(b, 1);
        span = k_arith(b, "arith.addi", k_arith(b, "arith.subi", last, first), span);
        area = area ? k_arith(b, "arith.muli", area, span) : span;
    }
    order_corners(f, from, to);
    ir_value *n = ir_build1(b, ARITH_OP(index_cast), word_type(b->ctx), &area, 1, NULL, 0);
    ir_value *target = multicast_address(b, from, to, get_semaphore(b, own));
    ir_builder sides[2];
    branch(b, inside, sides);
    K_CALL(&sides[0], TTKERNEL_OP(noc_semaphore_set_multicast_loopback_src), word, target,
           n);
    K_CALL(&sides[1], TTKERNEL_OP(noc_semaphore_set_multicast), word, target, n);
    k_call(b, TTKERNEL_OP(noc_async_write_barrier), NULL, 0);
}

bool k_semaphore_set(k_func *f, ir_op *op)
{
    ir_op *remote, *semaphore = semaphore_of(op, &remote);
    if (!semaphore)
        return false;
    ir_builder b = ir_builder_before(op);
    if (remote)
        set_remote(f, &b, semaphore, remote, op->operands[1].value);
    else
        K_CALL(&b, TTKERNEL_OP(noc_semaphore_set), pointer_to(&b, local_of(&b, semaphore)),
               op->operands[1].value);
    ir_op_erase(op);
    return true;
}

/* ttl.semaphore_values: pairs of a semaphore's number and what it has at the start. */
static bool note_value(k_func *f, ir_op *op, int64_t value)
{
    int64_t pairs[2 * MAX_SEMAPHORES], number = ir_op_int(op, "semaphore_index", -1);
    if (number < 0)
        return k_illegal(op, UNNUMBERED);
    if (number >= MAX_SEMAPHORES)
        return ir_op_error(op, "is semaphore %lld; a core has %d", (long long)number,
                           MAX_SEMAPHORES);
    ir_attr known = ir_op_attr(f->func, "ttl.semaphore_values");
    int64_t n = known ? ir_attr_ints(known, pairs, TW_COUNT(pairs)) : 0, at = 0;
    while (at < n && pairs[at] != number)
        at += 2;
    if (at < n && pairs[at + 1] != value)
        return ir_op_error(op,
                           "begins with %lld; semaphore %lld begins with %lld elsewhere",
                           (long long)value, (long long)number, (long long)pairs[at + 1]);
    pairs[at] = number;
    pairs[at + 1] = value;
    ir_op_set_attr(f->func, "ttl.semaphore_values",
                   ir_dense_array(ir_integer_type(f->ctx, 64, IR_SIGNLESS), pairs,
                                  (size_t)TW_MAX(n, at + 2)));
    return true;
}

/* Names only: nothing is left of them in the function. */
bool k_drop(k_func *f, ir_op *op)
{
    if (!ir_op_is_unused(op))
        return k_illegal(op, "something still uses it");
    const int64_t value = ir_op_int(op, "initial_value", 0);
    if (value && !note_value(f, op, value)) /* who runs the kernel sets it before */
        return false;
    ir_op_erase(op);
    return true;
}

/* ---- if_pipe_src, if_pipe_dst -------------------------------------------------------- */

static bool expand(ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    ir_builder b = ir_builder_before(op);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        pipe p;
        ir_value *v = op->operands[i].value;
        if (!find_pipe(op, v, &p))
            return false;
        bool source = op->def == TTL_OP(if_pipe_src);
        ir_value *here = source ? is_here(&b, p.src, p.src) : is_here(&b, p.from, p.to);
        ir_op *made = ir_build_op(&b, SCF_OP(if), NULL, 0, &here, 1, NULL, 0, 2);
        ir_block *block = ir_block_create(b.ctx);
        ir_region_append(&made->regions[0], block);
        ir_mapping *map = ir_mapping_create();
        ir_mapping_set(map, body->args[0], v);
        for (ir_op *o = body->first; o; o = o->next) {
            ir_op *copy = ir_op_clone(o, map);
            ir_block_append(block, copy);
            for (uint32_t k = 0; k < o->n_results; k++)
                ir_mapping_set(map, &o->results[k], &copy->results[k]);
        }
        ir_mapping_free(map);
        ir_builder end = ir_builder_at_end(b.ctx, block, op->loc);
        ir_build_op(&end, SCF_OP(yield), NULL, 0, NULL, 0, NULL, 0, 0);
    }
    ir_op_erase(op);
    return true;
}

static ir_walk visit(ir_op *op, void *user)
{
    bool *ok = user;
    if (op->def == TTL_OP(if_pipe_src) || op->def == TTL_OP(if_pipe_dst))
        *ok = expand(op);
    return *ok ? IR_WALK_ON : IR_WALK_STOP;
}

bool k_expand_pipes(ir_op *func)
{
    bool ok = true;
    ir_walk_post(func, visit, &ok);
    return ok;
}
