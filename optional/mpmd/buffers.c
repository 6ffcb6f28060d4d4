/* buffers.c: aliases results of fragments to operand buffers, donates operands, and
 * computes the memory of a mesh reserved while a fragment runs. */
#include "mlir/func/func.h"
#include "mpmd/fragments.h"
#include "mpmd/passes.h"
#include "sdy/propagation/shardings.h"

#define ALIAS "tf.aliasing_output"
#define DONOR "jax.buffer_donor"

static bool operand_on_host(const ir_op *op, uint32_t i)
{
    return mpmd_is_host(mpmd_io_attr(op, "arg_attrs", i, MPMD_MEMORY_KIND));
}

static bool result_on_host(const ir_op *op, uint32_t i)
{
    return mpmd_is_host(mpmd_io_attr(op, "res_attrs", i, MPMD_MEMORY_KIND));
}

/* True if no later operation of the function's body uses the value. */
static bool is_last_reader(const ir_op *op, const ir_value *v)
{
    for (ir_operand *use = v->uses; use; use = use->next_use) {
        ir_op *user = use->owner;
        while (user && user->block != op->block)
            user = ir_op_parent(user);
        if (user && user != op && user->order > op->order)
            return false;
    }
    return true;
}

static bool seen_before(const ir_op *op, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (op->operands[k].value == op->operands[i].value)
            return true;
    return false;
}

/* ---- aliases and donations ---------------------------------------------------------- */

static bool may_alias(const ir_op *f, uint32_t operand, uint32_t result, const bool *taken)
{
    return f->results[result].type == f->operands[operand].value->type &&
           !result_on_host(f, result) && !taken[result] &&
           mpmd_io_attr(f, "arg_attrs", operand, MPMD_LAYOUT) ==
               mpmd_io_attr(f, "res_attrs", result, MPMD_LAYOUT);
}

/* The fragment's result that reaches the function's result; -1 if it is another op's. */
static int64_t fragment_result_of(const ir_op *func, int64_t function_result,
                                  const ir_op *f)
{
    ir_op *end = mpmd_end(func);
    ir_value *v = function_result >= 0 && function_result < end->n_operands
                      ? end->operands[function_result].value
                      : NULL;
    for (ir_op *producer = v ? ir_value_def(v) : NULL; producer;
         producer = ir_value_def(v)) {
        if (mpmd_is_fragment(producer))
            return producer == f ? (int64_t)v->index : -1;
        if (producer->n_operands != 1)
            return -1;
        v = producer->operands[0].value;
    }
    return -1;
}

static bool is_transferred(const ir_value *v)
{
    for (ir_operand *use = v->uses; use; use = use->next_use)
        if (mpmd_is_transfer(use->owner))
            return true;
    return false;
}

static bool is_true(ir_attr a)
{
    return ir_attr_is_bool(a) && ir_attr_bool(a);
}

/* Finds the result whose buffer a dead operand can take, -1 to donate it without one;
 * false if the caller owns it. */
static bool find_target(const ir_op *func, const ir_op *f, uint32_t i, const bool *taken,
                        int64_t *out)
{
    ir_value *v = f->operands[i].value;
    *out = -1;
    if (v->is_argument) {
        ir_attr alias = func_arg_attr(func, v->index, ALIAS);
        if (is_true(func_arg_attr(func, v->index, DONOR)))
            return true;
        if (!ir_attr_is(alias, IR_ATTR_INTEGER))
            return false;
        int64_t wanted = fragment_result_of(func, alias->value, f);
        if (wanted >= 0 && may_alias(f, i, (uint32_t)wanted, taken))
            *out = wanted;
    }
    for (uint32_t k = 0; *out < 0 && k < f->n_results; k++)
        if (may_alias(f, i, k, taken))
            *out = k;
    return true;
}

static void mark_operands(const ir_op *func, ir_op *f)
{
    bool *taken = tw_xcalloc(f->n_results + 1u, sizeof *taken);
    for (uint32_t i = 0; i < f->n_operands; i++) {
        ir_value *v = f->operands[i].value;
        bool again = false;
        int64_t target;
        for (uint32_t k = i + 1; k < f->n_operands; k++)
            again |= f->operands[k].value == v;
        if (again || !is_last_reader(f, v) || operand_on_host(f, i) || is_transferred(v) ||
            !find_target(func, f, i, taken, &target))
            continue;
        if (target >= 0)
            taken[target] = true;
        mpmd_set_io_attr(f, "arg_attrs", f->n_operands, i, target < 0 ? DONOR : ALIAS,
                         target < 0 ? ir_bool_attr(f->ctx, true)
                                    : ir_i32_attr(f->ctx, target));
    }
    free(taken);
}

bool mpmd_mark_aliasing_and_donation(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_function(func))
        return true;
    mpmd_number_ops(ir_op_body(func, 0));
    for (ir_op *op = ir_op_body(func, 0)->first; op; op = op->next)
        if (mpmd_is_fragment(op))
            mark_operands(func, op);
    return true;
}

/* ---- reserved memory ---------------------------------------------------------------- */

/* Bits in use on each mesh of the topology. */
typedef struct usage {
    ir_op *func;
    ir_attr meshes;
    int64_t *bits;
} usage;

static int64_t element_bits(ir_type t)
{
    return t->kind == IR_TYPE_COMPLEX ? 2 * (int64_t)t->element->width : t->width;
}

/* Size of a device's shard, rounded up if shards differ. */
static int64_t bits_of(ir_op *func, ir_type type)
{
    ir_type tensor = type->params[MPMD_TYPE_TENSOR]->type;
    ir_attr sharding = type->params[MPMD_TYPE_SHARDING];
    ir_attr mesh = sharding ? sdy_mesh_of(func, sharding) : NULL;
    int64_t n = 1;
    for (uint32_t i = 0; i < tensor->count; i++) {
        int64_t parts = mesh ? sdy_dim_size(sdy_dim_at(sharding, i), mesh) : 1;
        n *= (tensor->dims[i] + parts - 1) / parts;
    }
    return n * element_bits(tensor->element);
}

static void use_bits(usage *u, ir_type type, int64_t sign)
{
    for (uint32_t i = 0; mpmd_is_mesh_tensor(type) && i < u->meshes->count; i++)
        if (u->meshes->items[i]->params[0] == type->params[MPMD_TYPE_MESH])
            u->bits[i] += sign * bits_of(u->func, type);
}

/* Bytes of other live values on the fragment's mesh. */
static int64_t bytes_of_others(const usage *u, const ir_op *f)
{
    int64_t bits = 0;
    for (uint32_t i = 0; i < u->meshes->count; i++)
        if (u->meshes->items[i]->params[0] == ir_op_attr(f, "mesh_name"))
            bits = u->bits[i];
    for (uint32_t i = 0; i < f->n_operands; i++)
        if (!seen_before(f, i) && !operand_on_host(f, i) &&
            mpmd_is_mesh_tensor(f->operands[i].value->type))
            bits -= bits_of(u->func, f->operands[i].value->type);
    return bits >= 0 ? (bits + 7) / 8 : -(-bits / 8);
}

static bool is_donated(const ir_op *func, const ir_value *arg)
{
    return is_true(func_arg_attr(func, arg->index, DONOR));
}

static void step(usage *u, ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        if (!operand_on_host(op, i) && !seen_before(op, i) && is_last_reader(op, v) &&
            (!v->is_argument || is_donated(u->func, v)))
            use_bits(u, v->type, -1);
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        if (op->results[i].uses && !result_on_host(op, i))
            use_bits(u, op->results[i].type, 1);
}

bool mpmd_mark_fragment_reserved_memory(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_function(func))
        return true;
    ir_block *body = ir_op_body(func, 0);
    usage u = {.func = func, .meshes = mpmd_meshes(func)};
    bool ok = true;
    u.bits = tw_xcalloc(u.meshes->count + 1u, sizeof *u.bits);
    mpmd_number_ops(body);
    for (uint32_t i = 0; i < body->n_args; i++)
        if (!mpmd_is_host(func_arg_attr(func, i, MPMD_MEMORY_KIND)) &&
            (!is_donated(func, body->args[i]) || body->args[i]->uses))
            use_bits(&u, body->args[i]->type, 1);
    for (ir_op *op = body->first; ok && op != body->last; op = op->next) {
        if (mpmd_is_fragment(op))
            ir_op_set_attr(op, MPMD_RESERVED,
                           ir_i64_attr(op->ctx, bytes_of_others(&u, op)));
        ok = mpmd_is_fragment(op) || mpmd_is_transfer(op) ||
             ir_error_at_op(op, "Expected only TransferOp, FragmentOp, FragmentCallOp and "
                                "ReturnOp in the function body.");
        if (ok)
            step(&u, op);
    }
    free(u.bits);
    return ok;
}
