/* regions_to_funcs.c: d2m-generic-regions-to-funcs: threads of d2m.generic become functions
 * that it names. */
#include "d2m/generic.h"
#include "d2m/passes/cbs.h"
#include "d2m/passes/nests.h"
#include "d2m/threads.h"
#include "ir/pass/pass.h"
#include "mlir/affine/affine.h"
#include "mlir/arith/arith.h"
#include "mlir/func/func.h"
#include "support/arena.h"
#include "ttnn/layout.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- cores */

static ir_affine_map grid_map(ir_op *generic, const char *name)
{
    ir_attr map = ir_attr_param(ir_op_attr(generic, "grid"), name);
    return ir_attr_is(map, IR_ATTR_AFFINE_MAP) && map->map->n_results ? map->map : NULL;
}

/* Cores that an operation names are virtual ones: it gets the physical ones. */
static void map_cores(ir_op *op, ir_affine_map map, const char *group)
{
    size_t first, n, at = ir_op_operand_index(op->def, group);
    ir_value *virtual[D2M_MAX_RANK], *physical[D2M_MAX_RANK];
    if (!ir_op_operand_group(op, at, &first, &n) || n == 0 || n > D2M_MAX_RANK ||
        d2m_group_size(op, "startDevice") || map->n_dims != n || map->n_symbols)
        return;
    uint32_t skipped = map->n_results == n ? 0 : 1; /* the device */
    if (map->n_results < skipped + n)
        return;
    ir_builder b = ir_builder_before(op);
    for (size_t i = 0; i < n; i++)
        virtual[i] = ir_op_operand(op, first + i);
    for (size_t i = 0; i < n; i++) {
        ir_affine_map one =
            ir_affine_map_get(op->ctx, map->n_dims, 0, &map->results[skipped + i], 1);
        physical[i] = ir_build1(&b, AFFINE_OP(apply), ir_index_type(op->ctx), virtual, n,
                                IR_ATTRS({"map", ir_affine_map_attr(op->ctx, one)}));
    }
    ir_op_set_operand_group(op, at, physical, n);
}

static void resolve_cores(ir_op *generic)
{
    ir_affine_map inverse = grid_map(generic, "physicalToVirtMap");
    ir_affine_map forward = grid_map(generic, "virtToPhysicalMap");
    ir_op_list ops = ir_ops_in(generic, NULL);
    for (size_t i = 0; i < ops.n; i++) {
        ir_op *op = ops.at[i];
        if (inverse && op->def == D2M_OP(core_index))
            ir_op_set_attr(op, "phys_to_virt_map", ir_affine_map_attr(op->ctx, inverse));
        if (forward && op->def == D2M_OP(dma_write))
            map_cores(op, forward, "mcastStartIndex");
        if (forward &&
            (op->def == D2M_OP(semaphore_set) || op->def == D2M_OP(semaphore_inc)))
            map_cores(op, forward, "dstCoreIndex");
    }
    ir_op_list_free(&ops);
}

/* ---- functions */

static ir_attr thread_attr(ir_context *ctx, int64_t type, ir_attr symbol, int64_t core)
{
    ir_attr params[] = {ir_raw_int(ctx, type), symbol, ir_raw_int(ctx, core)};
    return ir_dialect_attr(ctx, D2M_ATTR(thread), params, 3);
}

/* The core of a data movement thread: its own, or the next one in turn. */
static int64_t core_of(ir_op *generic, ir_attr thread, int64_t *next)
{
    int64_t core = ir_attr_int(ir_attr_param(thread, "dmCoreIndex"), -1);
    int64_t cores = TW_MAX(ttnn_chip_int(generic, "numDatamovementThreads", 2), 1);
    if (core >= 0 ||
        ir_attr_int(ir_attr_param(thread, "threadType"), -1) != D2M_ThreadType_Datamovement)
        return core;
    core = (*next)++ % cores;
    return d2m_is_quasar(generic) ? core : 1 - core;
}

/* Constants that the region uses from outside are copied into the function. */
static void copy_constants(ir_op *func)
{
    ir_block *body = ir_op_body(func, 0);
    ir_mapping *copies = ir_mapping_create();
    ir_op_list ops = ir_ops_in(func, NULL);
    for (size_t i = 0; i < ops.n; i++)
        for (uint32_t v = 0; v < ops.at[i]->n_operands; v++) {
            ir_op *def = ir_value_def(ir_op_operand(ops.at[i], v));
            if (!ir_op_is(def, ARITH_OP(constant)) || ir_op_is_ancestor(func, def))
                continue;
            ir_op *copy = ir_mapping_get(copies, def);
            if (!copy) {
                copy = ir_op_clone(def, NULL);
                ir_block_prepend(body, copy);
                ir_mapping_set(copies, def, copy);
            }
            ir_op_set_operand(ops.at[i], v, &copy->results[0]);
        }
    ir_op_list_free(&ops);
    ir_mapping_free(copies);
}

static void build_function(ir_op *module, ir_op *generic, ir_region *region, ir_attr thread,
                           const char *name)
{
    ir_context *ctx = module->ctx;
    ir_block *body = region->first;
    ir_builder b = ir_builder_at_end(ctx, ir_op_body(module, 0), generic->loc);
    ir_type *inputs = tw_xmalloc((body->n_args + 1u) * sizeof *inputs);
    for (uint32_t i = 0; i < body->n_args; i++)
        inputs[i] = body->args[i]->type;
    ir_op *func = func_create(&b, ir_string_attr(ctx, tw_str_from(name)),
                              ir_function_type(ctx, inputs, body->n_args, NULL, 0), true);
    free(inputs);
    ir_region_take(&func->regions[0], region);
    ir_op_set_attr(func, "d2m.thread", thread);
    ir_op_set_attr(func, D2M_PORT_MAP, ir_op_attr(generic, D2M_PORT_MAP));
    ir_op_set_attr(func, "tt.function_type", ir_string_attr(ctx, TW_STR("kernel")));
    copy_constants(func);
    ir_builder end = ir_builder_at_end(ctx, ir_op_body(func, 0), generic->loc);
    ir_build_op(&end, FUNC_OP(return ), NULL, 0, NULL, 0, NULL, 0, 0);
}

static bool outline(ir_op *module, ir_op *generic, int64_t *count)
{
    enum { MAX_REGIONS = 16 };
    ir_attr threads = ir_op_attr(generic, "threads"), named[MAX_REGIONS];
    int64_t next = 0;
    if (generic->n_regions > MAX_REGIONS || generic->n_regions != threads->count ||
        generic->n_results)
        return ir_op_error(generic,
                           "expected memrefs and one thread for each of at most %d "
                           "regions",
                           MAX_REGIONS);
    resolve_cores(generic);
    for (uint16_t r = 0; r < generic->n_regions; r++) {
        char name[64];
        ir_attr thread = threads->items[r];
        int64_t type = ir_attr_int(ir_attr_param(thread, "threadType"), 0);
        int64_t core = core_of(generic, thread, &next);
        if (!generic->regions[r].first)
            return ir_op_error(generic, "expected regions with a block");
        snprintf(name, sizeof name, "%s_kernel%lld",
                 ir_enum_by_value(&d2m_enum_ThreadType, type)->text, (long long)(*count)++);
        build_function(module, generic, &generic->regions[r],
                       thread_attr(module->ctx, type, NULL, core), name);
        named[r] = thread_attr(module->ctx, type,
                               ir_symbol_ref(module->ctx, tw_str_from(name)), core);
    }
    d2m_copy_shell(generic, ir_array_attr(module->ctx, named, generic->n_regions), 0);
    ir_op_erase(generic);
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list generics = d2m_generics_in(module);
    int64_t count = 0;
    bool ok = true;
    for (size_t i = 0; i < generics.n && ok; i++)
        if (generics.at[i]->n_regions)
            ok = outline(module, generics.at[i], &count);
    ir_op_list_free(&generics);
    return ok;
}

const pass_def d2m_generic_regions_to_funcs_pass = {
    .name = "d2m-generic-regions-to-funcs",
    .summary = "Outline the regions of d2m.generic to functions",
    .anchor = "builtin.module",
    .run = run,
};
