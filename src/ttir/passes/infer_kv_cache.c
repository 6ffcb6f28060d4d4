/* infer_kv_cache.c: ttir-infer-kv-cache-argument-types: marks the arguments that
 * operations on caches write. */
#include "ir/pass/pass.h"
#include "ttir/build.h"

static ir_walk mark(ir_op *op, void *user)
{
    static const uint16_t rows[] = {TTIR_fill_cache, TTIR_update_cache,
                                    TTIR_paged_fill_cache, TTIR_paged_update_cache};
    (void)user;
    for (size_t i = 0; i < TW_COUNT(rows); i++) {
        if (op->def != &ttir_ops[rows[i]])
            continue;
        ir_value *cache = op->operands[0].value;
        ir_op *shard = ttir_producer(cache, TTIR_OP(mesh_shard));
        cache = shard ? shard->operands[0].value : cache;
        if (cache->is_argument)
            ttir_set_argument_attr(cache, "ttcore.kv_cache", ir_unit_attr(op->ctx));
    }
    return IR_WALK_ON;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_walk_pre(module, mark, NULL);
    return true;
}

const pass_def ttir_infer_kv_cache_pass = {
    .name = "ttir-infer-kv-cache-argument-types",
    .summary = "Mark arguments that are caches of keys and values",
    .anchor = "builtin.module",
    .run = run,
};
