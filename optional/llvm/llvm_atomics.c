/* llvm_atomics.c: verifies atomic reads and writes.  Messages are MLIR's. */
#include "llvm/llvm_hooks.h"

static bool is_pointer(ir_type t)
{
    return t->kind == IR_TYPE_DIALECT && t->def == LLVM_TYPE(ptr);
}

/* True for the widths with atomic memory accesses. */
static bool is_atomic_integer(ir_type t)
{
    return t->kind == IR_TYPE_INTEGER &&
           (t->width == 8 || t->width == 16 || t->width == 32 || t->width == 64);
}

static bool is_float(ir_type t)
{
    return t->kind == IR_TYPE_FLOAT ||
           (t->kind == IR_TYPE_DIALECT && t->def == LLVM_TYPE(ppc_fp128));
}

static int64_t ordering_of(const ir_op *op, const char *name)
{
    return ir_attr_int(ir_op_attr(op, name), LLVM_AtomicOrdering_not_atomic);
}

/* Checks an atomic access of a type; its ordering must be neither of the two. */
static bool verify_access(ir_op *op, ir_type type, int64_t never, int64_t nor)
{
    int64_t ordering = ordering_of(op, "ordering");
    if (ordering == LLVM_AtomicOrdering_not_atomic)
        return !ir_op_attr(op, "syncscope") ||
               ir_op_error(op, "expected syncscope to be null for non-atomic access");
    if (!is_atomic_integer(type) && !is_float(type) && !is_pointer(type))
        return ir_op_error(op, "unsupported type '%s' for atomic access",
                           ir_type_text(op->ctx, type));
    if (ordering == never || ordering == nor)
        return ir_op_error(op, "unsupported ordering '%s'",
                           ir_enum_by_value(&llvm_enum_AtomicOrdering, ordering)->symbol);
    return ir_op_attr(op, "alignment") ||
           ir_op_error(op, "expected alignment for atomic access");
}

bool llvm_load_verify(ir_op *op)
{
    return verify_access(op, op->results[0].type, LLVM_AtomicOrdering_release,
                         LLVM_AtomicOrdering_acq_rel);
}

bool llvm_store_verify(ir_op *op)
{
    return verify_access(op, ir_op_operand(op, 0)->type, LLVM_AtomicOrdering_acquire,
                         LLVM_AtomicOrdering_acq_rel);
}

bool llvm_fence_verify(ir_op *op)
{
    return ordering_of(op, "ordering") >= LLVM_AtomicOrdering_acquire ||
           ir_op_error(op, "can be given only acquire, release, acq_rel, and seq_cst "
                           "orderings");
}

bool llvm_atomicrmw_verify(ir_op *op)
{
    int64_t how = ir_attr_int(ir_op_attr(op, "bin_op"), 0);
    ir_type type = ir_op_operand(op, 1)->type;
    bool floats = (how >= LLVM_AtomicBinOp_fadd && how <= LLVM_AtomicBinOp_fmin) ||
                  how == LLVM_AtomicBinOp_fmaximum || how == LLVM_AtomicBinOp_fminimum;
    if (floats) {
        if (!is_float(type->kind == IR_TYPE_VECTOR ? type->element : type))
            return ir_op_error(op, "expected LLVM IR floating point type");
    } else if (how == LLVM_AtomicBinOp_xchg) {
        if (!is_atomic_integer(type) && !is_pointer(type) && !is_float(type))
            return ir_op_error(op, "unexpected LLVM IR type for 'xchg' bin_op");
    } else if (!is_atomic_integer(type)) {
        return ir_op_error(op, "expected LLVM IR integer type");
    }
    return ordering_of(op, "ordering") >= LLVM_AtomicOrdering_monotonic ||
           ir_op_error(op, "expected at least 'monotonic' ordering");
}

/* The old value, and whether it was equal to the expected one. */
static ir_type pair_of(ir_context *ctx, ir_type type)
{
    ir_attr body[] = {ir_type_attr(type),
                      ir_type_attr(ir_integer_type(ctx, 1, IR_SIGNLESS))};
    ir_attr params[] = {NULL, ir_raw_int(ctx, 0), ir_raw_int(ctx, 0),
                        ir_array_attr(ctx, body, TW_COUNT(body))};
    return ir_dialect_type(ctx, LLVM_TYPE(struct), params, TW_COUNT(params));
}

bool llvm_cmpxchg_infer(ir_infer *in)
{
    if (in->n_operands < 3)
        return false;
    in->results[0] = pair_of(in->ctx, in->operands[2]->type);
    in->n_results = 1;
    return true;
}

bool llvm_cmpxchg_verify(ir_op *op)
{
    ir_type type = ir_op_operand(op, 2)->type;
    int64_t success = ordering_of(op, "success_ordering");
    int64_t failure = ordering_of(op, "failure_ordering");
    if (op->results[0].type != pair_of(op->ctx, type))
        return ir_op_error(op, "failed to verify that result #0 has an LLVM struct type "
                               "consisting of the type of operand #2 and a bool");
    if (!is_pointer(type) && !is_atomic_integer(type))
        return ir_op_error(op, "unexpected LLVM IR type");
    if (success < LLVM_AtomicOrdering_monotonic || failure < LLVM_AtomicOrdering_monotonic)
        return ir_op_error(op, "ordering must be at least 'monotonic'");
    return (failure != LLVM_AtomicOrdering_release &&
            failure != LLVM_AtomicOrdering_acq_rel) ||
           ir_op_error(op, "failure ordering cannot be 'release' or 'acq_rel'");
}
