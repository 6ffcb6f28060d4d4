/* arguments.c: arguments of kernels: which ones a thread reads, in which order, and how. */
#include "d2m/threads.h"
#include "ttkernel/from_d2m/from_d2m.h"

#include <stdlib.h>

static int64_t param_int(ir_attr attr, const char *name)
{
    return ir_attr_int(ir_attr_param(attr, name), 0);
}

static ir_attr make_arg(ir_context *ctx, int64_t kind, int64_t operand)
{
    ir_attr params[] = {ir_raw_int(ctx, kind), ir_raw_int(ctx, operand), ir_raw_int(ctx, 1),
                        NULL};
    return ir_dialect_attr(ctx, TTKERNEL_ATTR(arg), params, 4);
}

static bool is_less(ir_attr a, ir_attr b)
{
    int64_t x = param_int(a, "arg_type"), y = param_int(b, "arg_type");
    return x != y ? x < y : param_int(a, "operand_index") < param_int(b, "operand_index");
}

typedef struct arg_list {
    ir_attr *at;
    size_t n;
} arg_list;

static void insert_sorted(arg_list *list, ir_attr arg)
{
    size_t at = 0;
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i] == arg)
            return;
    while (at < list->n && is_less(list->at[at], arg))
        at++;
    list->at = tw_xrealloc(list->at, (list->n + 1) * sizeof *list->at);
    memmove(list->at + at + 1, list->at + at, (list->n - at) * sizeof *list->at);
    list->at[at] = arg;
    list->n++;
}

static int64_t physical_port(const ir_op *func, int64_t operand)
{
    ir_attr map = ir_op_attr(func, D2M_PORT_MAP);
    int64_t port = -1;
    if (map && operand >= 0 && operand < map->count)
        port = ir_dense_array_int(map, (size_t)operand);
    return port < 0 ? operand : port;
}

/* The argument that a get_cb or get_arg reads; NULL if its type is none of an argument. */
static ir_attr arg_of(const d2k *k, const ir_op *op)
{
    bool is_cb = op->def == D2M_OP(get_cb);
    int64_t operand = ir_op_int(op, is_cb ? "cb_operand_idx" : "operand_index", 0), kind;
    ir_type type = op->results[0].type, to = d2k_type(type);
    if (to->kind == IR_TYPE_DIALECT && to->def == TTKERNEL_TYPE(cb))
        return make_arg(k->ctx, TTKERNEL_ArgType_CBPort, physical_port(k->func, operand));
    if (type->kind == IR_TYPE_MEMREF)
        kind = TTKERNEL_ArgType_BufferAddress;
    else if (type->kind == IR_TYPE_DIALECT && type->def == D2M_TYPE(global_semaphore))
        kind = TTKERNEL_ArgType_GlobalSemaphore;
    else if (type->kind == IR_TYPE_DIALECT && type->def == D2M_TYPE(local_semaphore))
        kind = TTKERNEL_ArgType_LocalSemaphore;
    else if (type->kind == IR_TYPE_INDEX || type->kind == IR_TYPE_INTEGER ||
             type->kind == IR_TYPE_FLOAT)
        kind = TTKERNEL_ArgType_Scalar;
    else
        return NULL;
    return make_arg(k->ctx, kind, operand);
}

/* The operation that reads the remote memory of a transfer by pages, or NULL. */
static ir_op *paged_memory(const ir_op *op)
{
    if ((op->def != D2M_OP(dma_read) && op->def != D2M_OP(dma_write)) ||
        !ir_op_attr(op, "tensorAccessorPageMap"))
        return NULL;
    ir_op *def =
        ir_value_def(ir_op_operand_named(op, op->def == D2M_OP(dma_read) ? "src" : "dst"));
    return ir_op_is(def, D2M_OP(get_arg)) ? def : NULL;
}

static void collect_args(d2k *k, arg_list *runtime, arg_list *compile)
{
    arg_list *of_values = k->compile_time_args ? compile : runtime;
    for (size_t i = 0; i < k->n_ops; i++) {
        ir_op *op = k->ops[i];
        ir_attr arg =
            op->def == D2M_OP(get_cb) || op->def == D2M_OP(get_arg) ? arg_of(k, op) : NULL;
        if (arg)
            insert_sorted(of_values, arg);
        ir_op *memory = paged_memory(op);
        if (memory)
            insert_sorted(compile, make_arg(k->ctx, TTKERNEL_ArgType_TensorAccessorArgs,
                                            ir_op_int(memory, "operand_index", 0)));
    }
}

/* The TensorAccessorArgs follow the other compile-time arguments; each begins where the
 * one before ends. */
static void chain_accessors(d2k *k, const arg_list *compile)
{
    ir_builder b = ir_builder_at_start(k->ctx, ir_op_body(k->func, 0), k->func->loc);
    ir_type type = ir_dialect_type(k->ctx, TTKERNEL_TYPE(TensorAccessorArgs), NULL, 0);
    ir_value *before = NULL;
    for (size_t i = 0; i < compile->n; i++) {
        if (param_int(compile->at[i], "arg_type") != TTKERNEL_ArgType_TensorAccessorArgs)
            continue;
        ir_value *operands[3] = {NULL, NULL, before};
        if (!before) {
            operands[0] = d2k_int(&b, 32, (int64_t)i);
            operands[1] = d2k_int(&b, 32, 0);
        }
        before = &ir_build_op(&b, TTKERNEL_OP(TensorAccessorArgs), &type, 1, operands, 3,
                              NULL, 0, 0)
                      ->results[0];
        for (size_t o = 0; o < k->n_ops; o++) {
            ir_op *memory = paged_memory(k->ops[o]);
            if (memory && ir_op_int(memory, "operand_index", 0) ==
                              param_int(compile->at[i], "operand_index"))
                ir_mapping_set(k->accessors, memory, before);
        }
    }
}

void d2k_signature(d2k *k)
{
    arg_list runtime = {NULL, 0}, compile = {NULL, 0};
    ir_op *func = k->func;
    ir_attr thread = ir_op_attr(func, "d2m.thread");
    bool compute = param_int(thread, "threadType") == D2M_ThreadType_Compute;
    collect_args(k, &runtime, &compile);
    ir_attr lists[] = {ir_array_attr(k->ctx, runtime.at, runtime.n),
                       ir_array_attr(k->ctx, compile.at, compile.n)};
    ir_op_set_attr(func, "function_type",
                   ir_type_attr(ir_function_type(k->ctx, NULL, 0, NULL, 0)));
    ir_op_set_attr(
        func, "ttkernel.thread",
        ir_enum_attr(k->ctx, TTKERNEL_ATTR(thread),
                     compute ? TTKERNEL_ThreadType_Compute : TTKERNEL_ThreadType_Noc));
    ir_op_set_attr(func, "ttkernel.arg_spec",
                   ir_dialect_attr(k->ctx, TTKERNEL_ATTR(arg_spec), lists, 2));
    chain_accessors(k, &compile);
    free(runtime.at);
    free(compile.at);
}

/* The position of an argument in the function's list, to which it is added if the function
 * has no thread that its arguments were collected for. */
static uint32_t position_of(d2k *k, ir_attr arg)
{
    ir_attr spec = ir_op_attr(k->func, "ttkernel.arg_spec");
    ir_attr lists[] = {spec ? ir_attr_param(spec, "rt_args") : NULL,
                       spec ? ir_attr_param(spec, "ct_args") : NULL};
    ir_attr old = lists[k->compile_time_args];
    arg_list list = {NULL, old ? old->count : 0};
    for (uint32_t i = 0; i < list.n; i++)
        if (old->items[i] == arg)
            return i;
    list.at = tw_xmalloc((list.n + 1) * sizeof *list.at);
    for (uint32_t i = 0; i < list.n; i++)
        list.at[i] = old->items[i];
    list.at[list.n++] = arg;
    lists[k->compile_time_args] = ir_array_attr(k->ctx, list.at, list.n);
    for (int i = 0; i < 2; i++)
        lists[i] = lists[i] ? lists[i] : ir_array_attr(k->ctx, NULL, 0);
    ir_op_set_attr(k->func, "ttkernel.arg_spec",
                   ir_dialect_attr(k->ctx, TTKERNEL_ATTR(arg_spec), lists, 2));
    free(list.at);
    return (uint32_t)list.n - 1;
}

/* Reads an argument: a common one at run time, or one that is known when the kernel is
 * compiled. */
static ir_value *read_arg(d2k *k, ir_builder *b, ir_attr arg, ir_type type)
{
    uint32_t at = position_of(k, arg);
    if (k->compile_time_args)
        return ir_build1(b, TTKERNEL_OP(get_compile_time_arg_val), type, NULL, 0,
                         IR_ATTRS({"arg_index", ir_i32_attr(k->ctx, at)}));
    return ir_build1(b, TTKERNEL_OP(get_common_arg_val), type,
                     IR_VALUES(arith_index(b, at)), NULL, 0);
}

bool d2k_arg(d2k *k, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_attr arg = arg_of(k, op);
    ir_type type = op->results[0].type, to = d2k_type(type);
    if (!arg)
        return d2k_illegal(op, "the type of its result is none of an argument");
    switch (param_int(arg, "arg_type")) {
    case TTKERNEL_ArgType_LocalSemaphore: {
        ir_value *id = read_arg(k, &b, arg, ir_integer_type(k->ctx, 32, IR_SIGNLESS));
        return d2k_done(k, op,
                        ir_build1(&b, TTKERNEL_OP(get_semaphore), to, &id, 1, NULL, 0));
    }
    case TTKERNEL_ArgType_Scalar: {
        ir_type word = ir_integer_type(k->ctx, 32, IR_UNSIGNED);
        ir_value *value = read_arg(k, &b, arg, word);
        return d2k_done(
            k, op,
            type == word ? value
                         : ir_build1(&b, TTKERNEL_OP(bitcast), type, &value, 1, NULL, 0));
    }
    default:
        return d2k_done(k, op, read_arg(k, &b, arg, to));
    }
}
