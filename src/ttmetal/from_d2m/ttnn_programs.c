/* ttnn_programs.c: a d2m.generic becomes a ttnn.generic: tensors, circular buffers,
 * semaphores, kernels. */
#include "ttmetal/from_d2m/ttnn_programs.h"
#include "ttmetal/from_d2m/from_d2m.h"

#include "d2m/metal_layout.h"
#include "d2m/threads.h"
#include "mlir/memref/memref.h"
#include "support/number.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_tile.h"
#include "ttir/ttir.h"
#include "ttkernel/ttkernel.h"
#include "ttnn/layout.h"

#include <stdlib.h>

typedef struct attr_list {
    ir_attr *at;
    size_t n;
} attr_list;

static void append(attr_list *list, ir_attr attr)
{
    list->at = tw_xrealloc(list->at, (list->n + 1) * sizeof *list->at);
    list->at[list->n++] = attr;
}

static ir_attr take(ir_context *ctx, attr_list *list)
{
    ir_attr out = ir_array_attr(ctx, list->at, list->n);
    free(list->at);
    *list = (attr_list){NULL, 0};
    return out;
}

typedef struct program {
    ir_context *ctx;
    d2m_generic g;
    ir_value **args;    /* tensors, then semaphores and numbers */
    int64_t *position;  /* of each operand: among these, or its port; -1: none */
    int64_t *semaphore; /* of each operand: the id of a local semaphore, or -1 */
    size_t n_args, n_tensors;
    attr_list cbs, semaphores;
    ir_attr cores;
    int64_t fidelity;
    bool fp32_dest;
} program;

/* ---- tensors ------------------------------------------------------------------------- */

static bool is_ttnn(ir_type type)
{
    return ir_type_is_tensor(type) && ir_attr_is(type->encoding, IR_ATTR_DIALECT) &&
           type->encoding->def == TTNN_ATTR(ttnn_layout);
}

ir_value *d2t_tensor_of(const ir_mapping *tensors, ir_value *v)
{
    while (v && !is_ttnn(v->type)) {
        ir_value *mapped = ir_mapping_get(tensors, v);
        ir_op *def = ir_value_def(v);
        if (mapped)
            return mapped;
        v = def && (def->def == D2M_OP(view_layout) ||
                    def->def == TTIR_OP(ttnn_metal_layout_cast))
                ? ir_op_operand(def, 0)
                : NULL;
    }
    ir_value *mapped = v ? ir_mapping_get(tensors, v) : NULL;
    return mapped ? mapped : v;
}

/* ---- operands ------------------------------------------------------------------------ */

static bool is_number(ir_type type)
{
    return type->kind == IR_TYPE_INTEGER || type->kind == IR_TYPE_INDEX ||
           type->kind == IR_TYPE_FLOAT;
}

static bool is_of(ir_type type, const ir_type_def *def)
{
    return type->kind == IR_TYPE_DIALECT && type->def == def;
}

static bool add_cb(program *p, uint32_t operand)
{
    ir_value *v = d2m_generic_operand(&p->g, operand);
    ir_type type = v->type;
    ir_op *def = ir_value_def(v);
    bool tiled = ttcore_is_tile(type->element);
    int64_t elements = tiled ? 1 : TTNN_TILE * TTNN_TILE,
            count = ir_type_num_elements(type);
    int64_t page = elements * d2m_element_bytes(type->element);
    int64_t dtype =
        tiled ? ttcore_tile_data_type(type->element) : ttnn_dtype_of(type->element);
    int64_t buffers = ir_attr_int(ir_attr_param(type->encoding, "buffers"), 1);
    if (dtype < 0 || count < 0)
        return ir_op_error(p->g.op, "circular buffers hold no %s",
                           ir_type_text(p->ctx, type));
    ir_attr alias = NULL;
    if (ir_op_is(def, D2M_OP(operand_alias))) {
        int64_t at = d2m_generic_index_of(&p->g, ir_op_operand(def, 0));
        if (at < 0 || at >= p->g.n_io)
            return ir_op_error(p->g.op, "a circular buffer is the alias of no operand");
        ir_attr index = ir_raw_int(p->ctx, at);
        alias = ir_dialect_attr(
            p->ctx, TTNN_ATTR(kernel_cb_global_buffer_address_of_tensor), &index, 1);
    } else if (!ir_op_is(def, MEMREF_OP(alloc)))
        return ir_op_error(p->g.op, "expected alloc or alias op for cb memref");
    int64_t port = (int64_t)p->cbs.n;
    ir_attr format[] = {ir_raw_int(p->ctx, port), ir_raw_int(p->ctx, dtype),
                        ir_raw_int(p->ctx, page)};
    ir_attr formats = ir_dialect_attr(p->ctx, TTNN_ATTR(kernel_cb_format), format, 3);
    int64_t pages = tw_ceil_div(count, elements) * buffers; /* elements fill the last */
    ir_attr params[] = {ir_raw_int(p->ctx, page * pages), p->cores,
                        ir_array_attr(p->ctx, &formats, 1), alias};
    append(&p->cbs, ir_dialect_attr(p->ctx, TTNN_ATTR(kernel_cb), params, 4));
    p->position[operand] = port;
    return true;
}

static bool add_operand(program *p, uint32_t i, const ir_mapping *tensors)
{
    ir_value *v = d2m_generic_operand(&p->g, i), *to = ir_mapping_get(tensors, v);
    p->position[i] = p->semaphore[i] = -1;
    if (i < p->g.n_io) {
        ir_value *tensor = d2t_tensor_of(tensors, v);
        if (!tensor)
            return ir_op_error(p->g.op, "operand %u comes from no tensor of TTNN", i);
        p->position[i] = (int64_t)p->n_args;
        p->args[p->n_args++] = tensor;
    } else if (v->type->kind == IR_TYPE_MEMREF)
        return add_cb(p, i);
    else if (is_of(v->type, D2M_TYPE(global_semaphore)) || is_number(v->type)) {
        p->position[i] = (int64_t)(p->g.n_io + p->n_args - p->n_tensors);
        p->args[p->n_args++] = to ? to : v;
    } else if (!is_of(v->type, D2M_TYPE(local_semaphore)))
        return ir_op_error(p->g.op,
                           "unexpected operand type in d2m.generic's additionalArgs: %s",
                           ir_type_text(p->ctx, v->type));
    return true;
}

/* The runtime wants an input: a program without one lists its output twice. */
static bool add_operands(program *p, const ir_mapping *tensors)
{
    for (uint32_t i = 0; i < p->g.op->n_operands; i++) {
        if (i == p->g.n_io) {
            if (p->g.n_inputs == 0 && p->n_args == 1) {
                p->args[1] = p->args[0];
                p->n_args++;
            }
            p->n_tensors = p->n_args;
        }
        if (!add_operand(p, i, tensors))
            return false;
    }
    if (p->g.n_io == p->g.op->n_operands) {
        if (p->g.n_inputs == 0 && p->n_args == 1) {
            p->args[1] = p->args[0];
            p->n_args++;
        }
        p->n_tensors = p->n_args;
    }
    return true;
}

/* ---- semaphores ---------------------------------------------------------------------- */

static const char *const lists[] = {"rt_args", "ct_args"};

static int64_t kind_of(ir_attr arg)
{
    return ir_attr_int(ir_attr_param(arg, "arg_type"), -1);
}

static int64_t index_of(ir_attr arg)
{
    return ir_attr_int(ir_attr_param(arg, "operand_index"), -1);
}

static ir_attr spec_of(const program *p, uint32_t thread)
{
    ir_op *kernel = d2m_kernel_of(&p->g, p->g.threads->items[thread]);
    ir_attr spec = kernel ? ir_op_attr(kernel, "ttkernel.arg_spec") : NULL;
    if (kernel && !spec)
        ir_op_error(p->g.op, "thread kernel must have an ArgSpec");
    return spec;
}

/* Semaphores that kernels name get ids in the order of operands. */
static bool add_semaphores(program *p)
{
    uint32_t n = p->g.op->n_operands;
    bool *named = tw_xcalloc(n + 1, sizeof *named), ok = true;
    for (uint32_t t = 0; ok && t < p->g.threads->count; t++) {
        ir_attr spec = spec_of(p, t);
        ok = spec != NULL;
        for (size_t l = 0; ok && l < TW_COUNT(lists); l++) {
            ir_attr args = ir_attr_param(spec, lists[l]);
            for (uint32_t i = 0; args && i < args->count; i++)
                if (kind_of(args->items[i]) == TTKERNEL_ArgType_LocalSemaphore &&
                    index_of(args->items[i]) >= 0 && index_of(args->items[i]) < n)
                    named[index_of(args->items[i])] = true;
        }
    }
    for (uint32_t i = 0; ok && i < n; i++) {
        if (!named[i])
            continue;
        p->semaphore[i] = (int64_t)p->semaphores.n;
        ir_attr params[] = {ir_raw_int(p->ctx, p->semaphore[i]),
                            ir_raw_int(p->ctx, TTNN_KernelCoreType_Worker), p->cores,
                            ir_raw_int(p->ctx, 0)};
        append(&p->semaphores,
               ir_dialect_attr(p->ctx, TTNN_ATTR(kernel_semaphore), params, 4));
    }
    free(named);
    return ok;
}

/* ---- kernels ------------------------------------------------------------------------- */

static ir_attr kernel_arg(const program *p, ir_attr arg)
{
    static const struct {
        int64_t kind;
        const ir_attr_def *def;
    } rows[] = {
        {TTKERNEL_ArgType_BufferAddress, TTNN_ATTR(kernel_arg_address_of_tensor)},
        {TTKERNEL_ArgType_CBPort, TTNN_ATTR(kernel_arg_cb_buffer_index)},
        {TTKERNEL_ArgType_LocalSemaphore, TTNN_ATTR(kernel_arg_semaphore_at)},
        {TTKERNEL_ArgType_GlobalSemaphore, TTNN_ATTR(kernel_arg_global_semaphore)},
        {TTKERNEL_ArgType_Scalar, TTNN_ATTR(kernel_arg_scalar)},
        {TTKERNEL_ArgType_TensorAccessorArgs, TTNN_ATTR(kernel_arg_tensor_accessor_args)},
    };
    int64_t kind = kind_of(arg), operand = index_of(arg), to = -1;
    if (kind == TTKERNEL_ArgType_NamedArgument) {
        ir_attr params[] = {ir_attr_param(arg, "argument_name"),
                            ir_raw_int(p->ctx, operand)};
        return ir_dialect_attr(p->ctx, TTNN_ATTR(kernel_named_arg), params, 2);
    }
    if (operand >= 0 && operand < p->g.op->n_operands)
        to = kind == TTKERNEL_ArgType_LocalSemaphore ? p->semaphore[operand]
             : kind == TTKERNEL_ArgType_BufferAddress ||
                     kind == TTKERNEL_ArgType_TensorAccessorArgs
                 ? operand
                 : p->position[operand];
    for (size_t i = 0; to >= 0 && i < TW_COUNT(rows); i++)
        if (rows[i].kind == kind) {
            ir_attr index = ir_raw_int(p->ctx, to);
            return ir_dialect_attr(p->ctx, rows[i].def, &index, 1);
        }
    ir_op_error(p->g.op, "has no operand %lld that a kernel could read so",
                (long long)operand);
    return NULL;
}

static ir_attr kernel_args(const program *p, ir_attr args)
{
    attr_list out = {NULL, 0};
    for (uint32_t i = 0; args && i < args->count; i++) {
        ir_attr one = kernel_arg(p, args->items[i]);
        if (!one) {
            free(out.at);
            return NULL;
        }
        append(&out, one);
    }
    return take(p->ctx, &out);
}

static ir_attr compute_kernel(const program *p, ir_attr symbol, ir_attr common, ir_attr ct)
{
    ir_context *ctx = p->ctx;
    /* 32-bit elements reach DST, and results, without rounding. */
    const bool wide = p->fp32_dest && d2x_has_wide_elements(&p->g);
    ir_attr mode = ir_raw_int(ctx, wide ? TTNN_ComputeKernelUnpackToDestMode_Fp32
                                        : TTNN_ComputeKernelUnpackToDestMode_Default);
    ir_attr no = ir_raw_int(ctx, 0), none = ir_array_attr(ctx, NULL, 0);
    ir_attr params[] = {symbol,
                        p->cores,
                        ir_raw_int(ctx, p->fidelity),
                        ir_raw_int(ctx, wide),
                        no,
                        ir_array_attr(ctx, &mode, 1),
                        no,
                        no,
                        common,
                        none,
                        ct};
    return ir_dialect_attr(ctx, TTNN_ATTR(compute_kernel), params, 11);
}

static ir_attr kernel(const program *p, uint32_t t)
{
    ir_context *ctx = p->ctx;
    ir_attr thread = p->g.threads->items[t], spec = spec_of(p, t);
    ir_attr common = spec ? kernel_args(p, ir_attr_param(spec, "rt_args")) : NULL;
    ir_attr ct = common ? kernel_args(p, ir_attr_param(spec, "ct_args")) : NULL;
    ir_attr symbol = ir_attr_param(thread, "kernelSymbol");
    int64_t type = ir_attr_int(ir_attr_param(thread, "threadType"), -1);
    int64_t core = ir_attr_int(ir_attr_param(thread, "dmCoreIndex"), -1);
    if (!ct)
        return NULL;
    if (type == D2M_ThreadType_Compute)
        return compute_kernel(p, symbol, common, ct);
    if (type != D2M_ThreadType_Datamovement || core < 0) {
        ir_op_error(p->g.op, "a thread of it is neither one of compute nor one of a data "
                             "movement core");
        return NULL;
    }
    ir_attr params[] = {symbol,
                        p->cores,
                        ir_raw_int(ctx, core == 0 ? TTNN_DataMovementProcessor_RiscV0
                                                  : TTNN_DataMovementProcessor_RiscV1),
                        ir_raw_int(ctx, d2m_core_noc(p->g.op, core)),
                        ir_raw_int(ctx, TTNN_NocMode_DedicatedNoc),
                        common,
                        ir_array_attr(ctx, NULL, 0),
                        ct};
    return ir_dialect_attr(ctx, TTNN_ATTR(data_movement_kernel), params, 8);
}

/* ---- the program --------------------------------------------------------------------- */

static bool build(program *p, const ir_mapping *tensors)
{
    int64_t origin[2], size[2];
    attr_list kernels = {NULL, 0};
    if (!d2m_generic_is_external(&p->g) || p->g.op->n_results)
        return ir_op_error(p->g.op, "needs kernels as symbols, and memrefs as outputs");
    if (!d2m_program_cores(&p->g, origin, size))
        return false;
    int64_t rect[1][4] = {
        {origin[1], origin[0], origin[1] + size[1] - 1, origin[0] + size[0] - 1}};
    p->cores = ttnn_core_ranges(p->ctx, rect, 1);
    if (!add_operands(p, tensors) || !add_semaphores(p))
        return false;
    for (uint32_t t = 0; t < p->g.threads->count; t++) {
        ir_attr one = kernel(p, t);
        if (!one) {
            free(kernels.at);
            return false;
        }
        append(&kernels, one);
    }
    ir_attr params[] = {take(p->ctx, &kernels), take(p->ctx, &p->cbs),
                        take(p->ctx, &p->semaphores)};
    int64_t groups[] = {(int64_t)p->n_tensors, (int64_t)(p->n_args - p->n_tensors)};
    ir_builder b = ir_builder_before(p->g.op);
    ir_build_op(
        &b, TTNN_OP(generic), NULL, 0, p->args, p->n_args,
        IR_ATTRS({"program", ir_dialect_attr(p->ctx, TTNN_ATTR(program), params, 3)},
                 {"operandSegmentSizes", ir_dense_i32_array(p->ctx, groups, 2)}),
        0);
    ir_op_erase(p->g.op);
    return true;
}

bool d2t_program(ir_op *generic, const ir_mapping *tensors, int64_t fidelity,
                 bool fp32_dest)
{
    program p = {.ctx = generic->ctx, .fidelity = fidelity, .fp32_dest = fp32_dest};
    /* block factors without maps are read over */
    ir_op_set_attr(generic, "block_factors", ir_array_attr(generic->ctx, NULL, 0));
    if (!d2m_generic_read(generic, &p.g))
        return false;
    size_t n = generic->n_operands + 2u;
    p.args = tw_xmalloc(n * sizeof *p.args);
    p.position = tw_xmalloc(n * sizeof *p.position);
    p.semaphore = tw_xmalloc(n * sizeof *p.semaphore);
    bool ok = build(&p, tensors);
    free(p.args);
    free(p.position);
    free(p.semaphore);
    free(p.cbs.at);
    free(p.semaphores.at);
    return ok;
}

/* ---- spatial ------------------------------------------------------------------------- */

typedef struct merged {
    ir_value **tensors, **extra;
    size_t n_tensors, n_extra, all_tensors;
    attr_list kernels, cbs, semaphores;
} merged;

/* Where the tensors and the other arguments of one region's program went. */
typedef struct moved {
    size_t *tensor, n_tensors, first_extra;
} moved;

static size_t tensor_position(merged *m, ir_value *v)
{
    for (size_t i = 0; i < m->n_tensors; i++)
        if (m->tensors[i] == v)
            return i;
    m->tensors = tw_xrealloc(m->tensors, (m->n_tensors + 1) * sizeof *m->tensors);
    m->tensors[m->n_tensors] = v;
    return m->n_tensors++;
}

static ir_attr move_arg(const merged *m, const moved *to, ir_attr arg)
{
    ir_context *ctx = arg->ctx;
    const ir_attr_def *def = arg->def;
    bool tensor = def == TTNN_ATTR(kernel_arg_address_of_tensor) ||
                  def == TTNN_ATTR(kernel_arg_tensor_accessor_args) ||
                  def == TTNN_ATTR(kernel_cb_global_buffer_address_of_tensor);
    bool extra = def == TTNN_ATTR(kernel_arg_global_semaphore) ||
                 def == TTNN_ATTR(kernel_arg_scalar);
    if (!tensor && !extra)
        return arg;
    int64_t at = ir_attr_int(ir_attr_param(arg, def->params.at[0].name), 0);
    ir_attr index = arg;
    if (tensor && at >= 0 && (size_t)at < to->n_tensors)
        index = ir_raw_int(ctx, (int64_t)to->tensor[at]);
    else if (extra && at >= (int64_t)to->n_tensors)
        index = ir_raw_int(ctx, (int64_t)(m->all_tensors + to->first_extra) + at -
                                    (int64_t)to->n_tensors);
    else
        return arg;
    return ir_dialect_attr(ctx, def, &index, 1);
}

static ir_attr move_args(const merged *m, const moved *to, ir_attr args)
{
    attr_list out = {NULL, 0};
    if (!args)
        return NULL;
    for (uint32_t i = 0; i < args->count; i++)
        append(&out, move_arg(m, to, args->items[i]));
    return take(args->ctx, &out);
}

static void add_program(merged *m, const moved *to, ir_attr program)
{
    ir_attr kernels = ir_attr_param(program, "kernels");
    ir_attr cbs = ir_attr_param(program, "cbs");
    ir_attr semaphores = ir_attr_param(program, "semaphores");
    for (uint32_t i = 0; kernels && i < kernels->count; i++) {
        ir_attr k = kernels->items[i];
        static const char *const args[] = {"common_rt_args", "ct_args"};
        for (size_t a = 0; a < TW_COUNT(args); a++)
            k = d2m_with_param(k, args[a], move_args(m, to, ir_attr_param(k, args[a])));
        append(&m->kernels, k);
    }
    for (uint32_t i = 0; cbs && i < cbs->count; i++) {
        ir_attr buffer = ir_attr_param(cbs->items[i], "buffer");
        append(&m->cbs,
               buffer ? d2m_with_param(cbs->items[i], "buffer", move_arg(m, to, buffer))
                      : cbs->items[i]);
    }
    for (uint32_t i = 0; semaphores && i < semaphores->count; i++)
        append(&m->semaphores, semaphores->items[i]);
}

static ir_op *only_program(ir_op *spatial, size_t region)
{
    ir_op *found = NULL;
    size_t n = 0;
    ir_block *body = ir_op_body(spatial, region);
    for (ir_op *op = body ? body->first : NULL; op; op = op->next)
        if (op->def == TTNN_OP(generic)) {
            found = op;
            n++;
        }
    if (n == 1)
        return found;
    ir_op_error(spatial, "each region must contain exactly one ttnn.generic, got %zu", n);
    return NULL;
}

static bool collect(ir_op *spatial, merged *m, ir_op **programs, moved *to)
{
    for (uint16_t r = 0; r < spatial->n_regions; r++) {
        programs[r] = only_program(spatial, r);
        if (!programs[r])
            return false;
        if (ir_op_attr(programs[r], "program")->def != TTNN_ATTR(program))
            return ir_op_error(spatial,
                               "d2m.spatial with MeshProgramDescriptor not supported");
        size_t first, n;
        if (!ir_op_operand_group(programs[r], 0, &first, &n))
            return false;
        to[r] = (moved){tw_xmalloc((n + 1) * sizeof(size_t)), n, m->n_extra};
        for (size_t i = 0; i < n; i++)
            to[r].tensor[i] = tensor_position(m, ir_op_operand(programs[r], i));
        for (size_t i = n; i < programs[r]->n_operands; i++) {
            m->extra = tw_xrealloc(m->extra, (m->n_extra + 1) * sizeof *m->extra);
            m->extra[m->n_extra++] = ir_op_operand(programs[r], i);
        }
    }
    m->all_tensors = m->n_tensors;
    return true;
}

static void replace_spatial(ir_op *spatial, merged *m)
{
    ir_context *ctx = spatial->ctx;
    for (uint16_t r = 0; r < spatial->n_regions; r++)
        for (ir_op *op = ir_op_body(spatial, r)->first, *next; op; op = next) {
            next = op->next;
            if (op->def != TTNN_OP(generic) && !(op->def->traits & IR_TERMINATOR) &&
                op->def != D2M_OP(spatial_yield))
                ir_op_insert_before(op, spatial);
        }
    ir_attr params[] = {take(ctx, &m->kernels), take(ctx, &m->cbs),
                        take(ctx, &m->semaphores)};
    int64_t groups[] = {(int64_t)m->n_tensors, (int64_t)m->n_extra};
    m->tensors =
        tw_xrealloc(m->tensors, (m->n_tensors + m->n_extra + 1) * sizeof *m->tensors);
    for (size_t i = 0; i < m->n_extra; i++)
        m->tensors[m->n_tensors + i] = m->extra[i];
    ir_builder b = ir_builder_before(spatial);
    ir_build_op(&b, TTNN_OP(generic), NULL, 0, m->tensors, m->n_tensors + m->n_extra,
                IR_ATTRS({"program", ir_dialect_attr(ctx, TTNN_ATTR(program), params, 3)},
                         {"operandSegmentSizes", ir_dense_i32_array(ctx, groups, 2)}),
                0);
    ir_op_erase(spatial);
}

bool d2t_spatial(ir_op *spatial)
{
    merged m = {0};
    ir_op **programs = tw_xcalloc(spatial->n_regions + 1u, sizeof(ir_op *));
    moved *to = tw_xcalloc(spatial->n_regions + 1u, sizeof *to);
    bool ok =
        !spatial->n_results ||
        ir_op_error(spatial,
                    "expected no results on d2m.spatial before merge to ttnn.generic");
    ok = ok && collect(spatial, &m, programs, to);
    for (uint16_t r = 0; ok && r < spatial->n_regions; r++)
        add_program(&m, &to[r], ir_op_attr(programs[r], "program"));
    for (uint16_t r = 0; r < spatial->n_regions; r++)
        free(to[r].tensor);
    if (ok)
        replace_spatial(spatial, &m);
    free(m.tensors);
    free(m.extra);
    free(m.kernels.at);
    free(m.cbs.at);
    free(m.semaphores.at);
    free(programs);
    free(to);
    return ok;
}
