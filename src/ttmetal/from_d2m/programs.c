/* programs.c: a d2m.generic becomes a program: arguments, circular buffers, kernels. */
#include "d2m/threads.h"
#include "mlir/memref/memref.h"
#include "ttcore/ttcore.h"
#include "ttkernel/ttkernel.h"
#include "ttmetal/from_d2m/from_d2m.h"
#include "ttmetal/ttmetal.h"
#include "ttnn/layout.h"

#include <stdlib.h>

typedef struct program {
    d2m_generic g;
    ir_value **args, **cbs;
    int64_t *position; /* of each operand among args, or among cbs; -1: none */
    size_t n_args, n_cbs;
    ir_attr cores;
    int64_t fidelity;
    ir_op **kernels; /* of each thread, once it was looked up */
} program;

static ir_attr spec_of(ir_op *kernel)
{
    return ir_op_attr(kernel, "ttkernel.arg_spec");
}

/* A lookup walks all symbols of the module, so each kernel is looked up once. */
static ir_op *kernel_of(const program *p, uint32_t thread)
{
    if (!p->kernels[thread])
        p->kernels[thread] = d2m_kernel_of(&p->g, p->g.threads->items[thread]);
    return p->kernels[thread];
}

/* ---- operands ------------------------------------------------------------------------ */

static const char *const lists[] = {"rt_args", "ct_args"};

static bool names_cb(ir_attr args, uint32_t operand)
{
    for (uint32_t i = 0; args && i < args->count; i++) {
        ir_attr arg = args->items[i];
        if (ir_attr_int(ir_attr_param(arg, "arg_type"), -1) == TTKERNEL_ArgType_CBPort &&
            ir_attr_int(ir_attr_param(arg, "operand_index"), -1) == operand)
            return true;
    }
    return false;
}

static bool is_cb_of_kernels(const program *p, uint32_t operand, bool *out)
{
    *out = false;
    for (uint32_t t = 0; t < p->g.threads->count; t++) {
        ir_op *kernel = kernel_of(p, t);
        if (!kernel)
            return false;
        if (!spec_of(kernel))
            return ir_op_error(p->g.op, "thread kernel must have an ArgSpec");
        for (size_t l = 0; l < TW_COUNT(lists); l++)
            *out |= names_cb(ir_attr_param(spec_of(kernel), lists[l]), operand);
    }
    return true;
}

static bool add_buffer(program *p, uint32_t operand)
{
    ir_value *v = d2m_generic_operand(&p->g, operand);
    ir_op *def = ir_value_def(v);
    bool is_named;
    if (!is_cb_of_kernels(p, operand, &is_named))
        return false;
    if (!is_named)
        return true;
    if (ir_op_is(def, D2M_OP(operand_alias)))
        v = d2m_behind(ir_op_operand(def, 0));
    else if (!ir_op_is(def, MEMREF_OP(alloc)))
        return ir_op_error(p->g.op, "expected alloc or alias op for cb memref");
    p->position[operand] = (int64_t)p->n_cbs;
    p->cbs[p->n_cbs++] = v;
    return true;
}

static bool is_scalar(ir_type type)
{
    return type->kind == IR_TYPE_INTEGER || type->kind == IR_TYPE_INDEX ||
           type->kind == IR_TYPE_FLOAT;
}

static bool is_semaphore(ir_type type)
{
    return type->kind == IR_TYPE_DIALECT && (type->def == D2M_TYPE(global_semaphore) ||
                                             type->def == D2M_TYPE(local_semaphore));
}

static bool collect_operands(program *p)
{
    for (uint32_t i = 0; i < p->g.op->n_operands; i++) {
        ir_value *v = d2m_generic_operand(&p->g, i);
        p->position[i] = -1;
        if (i >= p->g.n_io && v->type->kind == IR_TYPE_MEMREF) {
            if (!add_buffer(p, i))
                return false;
            continue;
        }
        if (i >= p->g.n_io && !is_scalar(v->type) && !is_semaphore(v->type))
            return ir_op_error(
                p->g.op, "unexpected operand type in d2m.generic's additionalArgs: %s",
                ir_type_text(v->type->ctx, v->type));
        p->position[i] = (int64_t)p->n_args;
        p->args[p->n_args++] = i < p->g.n_io ? d2m_behind(v) : v;
    }
    return true;
}

/* ---- kernels ------------------------------------------------------------------------- */

/* The argument as a position among the program's arguments or buffers. */
static ir_attr program_arg(const program *p, ir_attr arg)
{
    ir_context *ctx = p->g.op->ctx;
    int64_t kind = ir_attr_int(ir_attr_param(arg, "arg_type"), -1);
    int64_t operand = ir_attr_int(ir_attr_param(arg, "operand_index"), -1);
    if (kind != TTKERNEL_ArgType_NamedArgument) {
        bool known = operand >= 0 && operand < p->g.op->n_operands;
        bool in_cbs =
            known && operand >= p->g.n_io &&
            d2m_generic_operand(&p->g, (size_t)operand)->type->kind == IR_TYPE_MEMREF;
        known &= in_cbs == (kind == TTKERNEL_ArgType_CBPort);
        if (!known || p->position[operand] < 0) {
            ir_op_error(p->g.op, "has no operand %lld that a kernel could read so",
                        (long long)operand);
            return NULL;
        }
        operand = p->position[operand];
    }
    ir_attr params[] = {ir_raw_int(ctx, kind), ir_raw_int(ctx, operand)};
    return ir_dialect_attr(ctx, TTMETAL_ATTR(kernel_arg), params, 2);
}

typedef struct arg_list {
    ir_attr *at;
    size_t n;
} arg_list;

static ir_attr kernel_args(const program *p, ir_attr spec)
{
    arg_list out[3] = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    bool ok = true;
    for (size_t l = 0; l < TW_COUNT(lists); l++) {
        ir_attr args = ir_attr_param(spec, lists[l]);
        for (uint32_t i = 0; ok && args && i < args->count; i++) {
            ir_attr arg = args->items[i];
            bool uniform = ir_attr_int(ir_attr_param(arg, "is_uniform"), 1) != 0;
            arg_list *to = &out[l == 1 ? 2 : uniform ? 0 : 1];
            to->at = tw_xrealloc(to->at, (to->n + 1) * sizeof *to->at);
            ok = (to->at[to->n++] = program_arg(p, arg)) != NULL;
        }
    }
    ir_attr params[3];
    for (size_t i = 0; i < 3; i++) {
        params[i] = ok ? ir_array_attr(p->g.op->ctx, out[i].at, out[i].n) : NULL;
        free(out[i].at);
    }
    return ok ? ir_dialect_attr(p->g.op->ctx, TTMETAL_ATTR(kernel_args), params, 3) : NULL;
}

bool d2x_fidelity(ir_op *op, tw_str text, const ir_enum_def *cases, int64_t *out)
{
    for (uint32_t i = 0; i < cases->cases.count; i++)
        if (tw_str_is(text, cases->cases.at[i].symbol)) {
            *out = cases->cases.at[i].value;
            return true;
        }
    return ir_error(op->ctx, op->loc, "unknown math fidelity '%.*s'", (int)text.size,
                    text.data);
}

bool d2x_has_wide_elements(const d2m_generic *g)
{
    for (uint32_t i = 0; i < g->n_io; i++) {
        ir_type element = d2m_generic_operand(g, i)->type->element;
        int64_t dtype = element ? ttnn_dtype_of(element) : -1;
        if (dtype == TTCORE_DataType_Float32 || dtype == TTCORE_DataType_Int32 ||
            dtype == TTCORE_DataType_UInt32)
            return true;
    }
    return false;
}

static ir_attr kernel_config(const program *p, uint32_t number)
{
    ir_context *ctx = p->g.op->ctx;
    ir_attr thread = p->g.threads->items[number];
    ir_op *kernel = kernel_of(p, number);
    ir_attr spec = kernel ? spec_of(kernel) : NULL, symbol;
    if (kernel && !spec)
        ir_op_error(p->g.op, "thread kernel must have an ArgSpec");
    ir_attr args = spec ? kernel_args(p, spec) : NULL;
    if (!args)
        return NULL;
    symbol = ir_attr_param(thread, "kernelSymbol");
    int64_t type = ir_attr_int(ir_attr_param(thread, "threadType"), -1);
    if (type == D2M_ThreadType_Compute) {
        bool wide = d2x_has_wide_elements(&p->g);
        bool fp32 = wide && d2m_kernel_has(kernel, TTKERNEL_OP(typecast_tile));
        ir_attr mode = ir_raw_int(ctx, fp32 ? TTMETAL_UnpackToDestMode_Fp32
                                            : TTMETAL_UnpackToDestMode_Default);
        ir_attr params[] = {symbol,
                            p->cores,
                            args,
                            ir_raw_int(ctx, p->fidelity),
                            ir_raw_int(ctx, wide),
                            ir_raw_int(ctx, 0),
                            ir_raw_int(ctx, 0),
                            ir_array_attr(ctx, &mode, 1)};
        return ir_dialect_attr(ctx, TTMETAL_ATTR(compute_config), params, 8);
    }
    int64_t core = ir_attr_int(ir_attr_param(thread, "dmCoreIndex"), -1);
    if (type != D2M_ThreadType_Datamovement || core < 0) {
        ir_op_error(p->g.op, "a thread of it is neither one of compute nor one of a data "
                             "movement core");
        return NULL;
    }
    bool fabric =
        ir_op_attr(p->g.op, "fabricConnectionConfig") &&
        d2m_kernel_has(kernel, TTKERNEL_OP(experimental_setup_fabric_connections));
    ir_attr params[] = {symbol,
                        p->cores,
                        args,
                        ir_raw_int(ctx, core),
                        ir_raw_int(ctx, d2m_core_noc(p->g.op, core)),
                        fabric ? ir_raw_int(ctx, 0) : NULL};
    return ir_dialect_attr(ctx, TTMETAL_ATTR(noc_config), params, 6);
}

static ir_attr kernel_configs(const program *p)
{
    ir_attr *at = tw_xmalloc((p->g.threads->count + 1) * sizeof *at), out = NULL;
    bool ok = true;
    for (uint32_t i = 0; ok && i < p->g.threads->count; i++)
        ok = (at[i] = kernel_config(p, (uint32_t)i)) != NULL;
    if (ok)
        out = ir_array_attr(p->g.op->ctx, at, p->g.threads->count);
    free(at);
    return out;
}

/* ---- the program --------------------------------------------------------------------- */

ir_attr d2x_core_range(ir_context *ctx, const int64_t origin[2], const int64_t size[2])
{
    ir_attr params[2];
    const int64_t *const pairs[] = {origin, size};
    for (size_t i = 0; i < 2; i++) {
        ir_attr at[] = {ir_raw_int(ctx, pairs[i][0]), ir_raw_int(ctx, pairs[i][1])};
        params[i] = ir_array_attr(ctx, at, 2);
    }
    return ir_dialect_attr(ctx, TTMETAL_ATTR(core_range), params, 2);
}

ir_op *d2x_build_program(ir_builder *b, ir_value *const *args, size_t n_args,
                         ir_value *const *cbs, size_t n_cbs, ir_attr kernels,
                         ir_attr fabrics)
{
    ir_value **operands = tw_xmalloc((n_args + n_cbs + 1) * sizeof(ir_value *));
    int64_t *ports = tw_xmalloc((n_cbs + 1) * sizeof *ports);
    for (size_t i = 0; i < n_args; i++)
        operands[i] = args[i];
    for (size_t i = 0; i < n_cbs; i++) {
        operands[n_args + i] = cbs[i];
        ports[i] = (int64_t)i;
    }
    int64_t groups[] = {(int64_t)n_args, (int64_t)n_cbs};
    ir_attr all_ports =
        ir_dense_array(ir_integer_type(b->ctx, 64, IR_SIGNLESS), ports, n_cbs);
    ir_op *op = ir_build_op(
        b, TTMETAL_OP(enqueue_program), NULL, 0, operands, n_args + n_cbs,
        IR_ATTRS({"cb_ports", all_ports}, {"kernelConfigs", kernels},
                 {"fabricConnectionConfigs", fabrics},
                 {"operandSegmentSizes", ir_dense_i32_array(b->ctx, groups, 2)}),
        0);
    free(operands);
    free(ports);
    return op;
}

static bool build(program *p)
{
    int64_t origin[2], size[2];
    if (!d2m_generic_is_external(&p->g) || p->g.op->n_results)
        return ir_error_unlowered(p->g.op->ctx, p->g.op->loc, p->g.op->def->name, NULL);
    if (!d2m_program_cores(&p->g, origin, size) || !collect_operands(p))
        return false;
    p->cores = d2x_core_range(p->g.op->ctx, origin, size);
    ir_attr kernels = kernel_configs(p);
    ir_attr fabric = ir_op_attr(p->g.op, "fabricConnectionConfig");
    if (!kernels)
        return false;
    ir_builder b = ir_builder_before(p->g.op);
    d2x_build_program(&b, p->args, p->n_args, p->cbs, p->n_cbs, kernels,
                      fabric ? ir_array_attr(b.ctx, &fabric, 1) : NULL);
    ir_op_erase(p->g.op);
    return true;
}

bool d2x_program(ir_op *generic, int64_t fidelity)
{
    program p = {.fidelity = fidelity};
    if (!d2m_generic_read(generic, &p.g))
        return false;
    size_t n = generic->n_operands + 1;
    p.args = tw_xmalloc(n * sizeof *p.args);
    p.cbs = tw_xmalloc(n * sizeof *p.cbs);
    p.position = tw_xmalloc(n * sizeof *p.position);
    p.kernels = tw_xcalloc(p.g.threads->count + 1, sizeof *p.kernels);
    bool ok = build(&p);
    free(p.kernels);
    free(p.args);
    free(p.cbs);
    free(p.position);
    return ok;
}
