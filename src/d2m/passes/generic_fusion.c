/* generic_fusion.c: d2m-generic-fusion: joins an element-wise generic with the only one
 * that reads its result, so that what is between them stays on the core. */
#include "d2m/allocation/buffer_memory.h"
#include "d2m/generic.h"
#include "d2m/metal_layout.h"
#include "d2m/region_build.h"
#include "d2m/tile_ops.h"
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "mlir/linalg/linalg.h"
#include "mlir/tensor/tensor.h"
#include "ttcore/ttcore_tile.h"

#include <stdlib.h>

enum {
    MAX_BUFFERS = 32, /* circular buffers of a core */
    MAX_WIDE = 8,     /* operands if one is wider than 16 bits: what DST then reduces */
    MAX_OPERANDS = 64,
    WIDE_BLOCK = 4, /* tiles of a block that DST holds, if they are wider than 16 bits */
    NARROW_BLOCK = 8,
};

typedef struct fusion {
    bool with_reductions;
    int64_t l1;        /* bytes for the blocks of a fused generic; INT64_MAX: unknown */
    ir_mapping *facts; /* generic -> FACT_..., so that bodies are read once */
    ir_mapping *bytes; /* generic -> 1 + bytes_of */
} fusion;

/* What is in the body of a generic. */
enum {
    FACT_KNOWN = 1,
    FACT_COMPUTES = 2,
    FACT_SKIPS = 4, /* an operation that is never fused */
    FACT_WIDE = 8,  /* a tile in DST that is wider than 16 bits */
    FACT_FUSED = 16,
};

typedef struct pair {
    d2m_generic producer, consumer;
    uint32_t at; /* the consumer's input that is the producer's result */
} pair;

/* ---- what may be fused -------------------------------------------------------------- */

/* True if an input has more than one user beside the generic and what is in it. */
static bool shares_inputs(const d2m_generic *g)
{
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        int others = 0;
        const ir_value *v = d2m_generic_operand(g, i);
        for (const ir_operand *use = v->uses; use; use = use->next_use)
            others += !ir_op_is_ancestor(g->op, use->owner);
        if (others > 1)
            return true;
    }
    return false;
}

static bool is_wide(ir_type t)
{
    int64_t data = ttcore_tile_data_type(t);
    return data == TTCORE_DataType_Float32 || data == TTCORE_DataType_Int32 ||
           data == TTCORE_DataType_UInt32;
}

static ir_walk read_facts(ir_op *op, void *user)
{
    uintptr_t *facts = user;
    *facts |= (d2m_is_compute_op(op) ? FACT_COMPUTES : 0) |
              (d2m_skips_fusion(op) ? FACT_SKIPS : 0);
    if (!(*facts & FACT_WIDE) && d2m_tile_op_of(op)) {
        bool wide = op->n_results && is_wide(ir_type_element(op->results[0].type));
        for (uint32_t i = 0; i < op->n_operands; i++)
            wide |= is_wide(ir_type_element(ir_op_operand(op, i)->type));
        *facts |= wide ? FACT_WIDE : 0;
    }
    return IR_WALK_ON;
}

static uintptr_t facts_of(const fusion *f, const d2m_generic *g)
{
    uintptr_t facts = (uintptr_t)ir_mapping_get(f->facts, g->op);
    if (facts)
        return facts;
    facts = FACT_KNOWN;
    for (const ir_block *block = g->op->regions[0].first; block; block = block->next)
        for (ir_op *op = block->first; op; op = op->next)
            ir_walk_pre(op, read_facts, &facts);
    ir_mapping_set(f->facts, g->op, (void *)facts);
    return facts;
}

static bool is_candidate(const d2m_generic *g, const fusion *f)
{
    return d2m_generic_is_unified(g) && !d2m_generic_is_explicit(g) &&
           d2m_generic_is_of_tensors(g) && ir_op_body(g->op, 0) &&
           d2m_length(g->maps) == g->n_io &&
           (facts_of(f, g) & (FACT_COMPUTES | FACT_SKIPS)) == FACT_COMPUTES &&
           !shares_inputs(g);
}

static bool is_elementwise(const d2m_generic *g, const fusion *f)
{
    return is_candidate(g, f) && d2m_generic_is_all_parallel(g);
}

static bool has_one_reduction(const d2m_generic *g)
{
    int n = 0;
    for (uint32_t i = 0; i < g->n_loops; i++)
        n += d2m_generic_is_reduction_loop(g, i);
    return n == 1;
}

/* True if nothing but one input of the consumer, and loads of it, reads the results. */
static bool is_only_reader(const pair *p)
{
    const ir_op *producer = p->producer.op, *consumer = p->consumer.op;
    for (uint32_t r = 0; r < producer->n_results; r++)
        for (const ir_operand *use = producer->results[r].uses; use; use = use->next_use) {
            bool inside = use->owner != consumer && use->owner != producer &&
                          (ir_op_is_ancestor(consumer, use->owner) ||
                           ir_op_is_ancestor(producer, use->owner));
            bool fused = use->owner == consumer && ir_operand_number(use) == p->at;
            if (!inside && !fused)
                return false;
        }
    return true;
}

/* The bytes of L1 for a buffer inside a generic: two blocks, which are later cut to what
 * DST holds. */
static int64_t buffer_bytes(ir_type type)
{
    ir_type tile = ir_type_element(type);
    int64_t most = is_wide(tile) ? WIDE_BLOCK : NARROW_BLOCK;
    return 2 * d2m_element_bytes(tile) * TW_MIN(ir_type_num_elements(type), most);
}

/* The bytes of L1 for the buffers that a generic uses inside. */
static int64_t bytes_of(const fusion *f, const d2m_generic *g)
{
    const uintptr_t known = (uintptr_t)ir_mapping_get(f->bytes, g->op);
    int64_t sum = 0;
    if (known)
        return (int64_t)known - 1;
    for (const ir_op *op = ir_op_body(g->op, 0)->first; op; op = op->next)
        if (op->def == TENSOR_OP(empty) && !ir_op_is_unused(op))
            sum += buffer_bytes(op->results[0].type);
    ir_mapping_set(f->bytes, g->op, (void *)(uintptr_t)(sum + 1));
    return sum;
}

/* The same of a pair as one: without the buffer that only the load in between fills. */
static int64_t fused_bytes(const pair *p, const fusion *f)
{
    const ir_value *buffer = d2m_operand_buffer(&p->consumer, 0, p->at);
    const bool goes = buffer && ir_op_is(ir_value_def(buffer), TENSOR_OP(empty)) &&
                      buffer->uses && !buffer->uses->next_use &&
                      buffer->uses->owner->def == D2M_OP(remote_load);
    return bytes_of(f, &p->producer) + bytes_of(f, &p->consumer) -
           (goes ? buffer_bytes(buffer->type) : 0);
}

static bool fits(const pair *p, const fusion *f)
{
    const d2m_generic *a = &p->producer, *b = &p->consumer;
    uint32_t operands = a->op->n_operands + b->op->n_operands - 2;
    ir_affine_map read = d2m_generic_map(b, p->at), made = d2m_generic_output_map(a);
    return a->grid == b->grid && a->factors == b->factors && a->n_outputs == 1 &&
           operands <= MAX_BUFFERS &&
           (operands <= MAX_WIDE || !((facts_of(f, a) | facts_of(f, b)) & FACT_WIDE)) &&
           read->n_results == a->n_loops && made->n_dims == made->n_results &&
           ir_affine_map_is_permutation(made) && bytes_of(f, a) + bytes_of(f, b) <= f->l1;
}

/* ---- the fused generic -------------------------------------------------------------- */

static ir_affine_map inverse(ir_context *ctx, ir_affine_map permutation)
{
    ir_affine results[D2M_MAX_RANK];
    for (uint32_t i = 0; i < permutation->n_results; i++)
        results[permutation->results[i]->value] = ir_affine_dim(ctx, i);
    return ir_affine_map_get(ctx, permutation->n_results, 0, results,
                             permutation->n_results);
}

/* Operands of the fused generic; with each, the generic and number that it comes from. */
typedef struct fused_operands {
    ir_value *at[MAX_OPERANDS];
    ir_affine_map maps[MAX_OPERANDS];
    const d2m_generic *from[MAX_OPERANDS];
    uint32_t number[MAX_OPERANDS];
    size_t n;
} fused_operands;

static void add_operand(fused_operands *o, const d2m_generic *g, uint32_t i,
                        ir_affine_map map)
{
    o->at[o->n] = d2m_generic_operand(g, i);
    o->maps[o->n] = map;
    o->from[o->n] = g;
    o->number[o->n++] = i;
}

static void collect(const pair *p, fused_operands *o)
{
    ir_context *ctx = p->consumer.op->ctx;
    const d2m_generic *a = &p->producer, *b = &p->consumer;
    ir_affine_map to_producer = d2m_compose(ctx, inverse(ctx, d2m_generic_output_map(a)),
                                            d2m_generic_map(b, p->at));
    o->n = 0;
    for (uint32_t i = 0; i < b->n_io; i++) {
        if (i != p->at) {
            add_operand(o, b, i, d2m_generic_map(b, i));
            continue;
        }
        for (uint32_t k = 0; k < a->n_inputs; k++)
            add_operand(o, a, k, d2m_compose(ctx, d2m_generic_map(a, k), to_producer));
    }
}

static ir_op *build_shell(const pair *p, rw_rewriter *rw, fused_operands *o)
{
    const d2m_generic *a = &p->producer, *b = &p->consumer;
    ir_value *extra[MAX_OPERANDS];
    size_t n_extra = 0;
    for (uint32_t i = 0; i < b->n_extra; i++)
        extra[n_extra++] = ir_op_operand(b->op, b->n_io + i);
    for (uint32_t i = 0; i < a->n_extra; i++)
        extra[n_extra++] = ir_op_operand(a->op, a->n_io + i);
    return d2m_build_generic(
        &rw->b,
        &(d2m_generic_parts){.inputs = o->at,
                             .n_inputs = o->n - b->n_outputs,
                             .outputs = o->at + o->n - b->n_outputs,
                             .n_outputs = b->n_outputs,
                             .extra = extra,
                             .n_extra = n_extra,
                             .grid = b->grid,
                             .factors = b->factors,
                             .maps = d2m_maps_attr(rw->b.ctx, o->maps, o->n),
                             .iterators = b->iterators,
                             .threads = b->threads,
                             .fabric = ir_op_attr(b->op, "fabricConnectionConfig")});
}

/* Every operand's buffer becomes a new one at the start of the fused block; so does that of
 * the value in between, which must not be the consumer's output buffer: it may be packed
 * while that is read. */
static void build_buffers(const pair *p, ir_builder *b, const fused_operands *o)
{
    const d2m_generic *a = &p->producer;
    ir_value *old[MAX_OPERANDS + 1]; /* found before new ones are among them */
    for (size_t i = 0; i < o->n; i++)
        old[i] = d2m_operand_buffer(o->from[i], 0, o->number[i]);
    old[o->n] = d2m_operand_buffer(a, 0, a->n_inputs);
    for (size_t i = 0; i <= o->n; i++) {
        ir_value *made =
            d2m_build_shard(b, i < o->n ? o->at[i] : d2m_generic_operand(a, a->n_inputs));
        if (old[i])
            ir_value_replace_uses(old[i], made);
    }
}

static ir_op *yield_of(ir_block *block)
{
    for (ir_op *op = block->last; op; op = op->prev)
        if (op->def == D2M_OP(yield))
            return op;
    return NULL;
}

/* The value that a generic yields, before it is stored; the store goes. */
static ir_value *unstored(const d2m_generic *g, ir_value *yielded, rw_rewriter *rw)
{
    ir_op *store = ir_value_def(yielded);
    if (!ir_op_is(store, D2M_OP(remote_store)) ||
        ir_op_operand_named(store, "memref") != d2m_generic_operand(g, g->n_inputs))
        return yielded;
    ir_value *v = ir_op_operand_named(store, "localBuffer");
    if (!v)
        return yielded;
    rw_replace_uses(rw, yielded, v);
    rw_erase(rw, store);
    return v;
}

/* Loads of the value in between become the value. */
static void forward(const ir_op *fused, const ir_value *between, ir_value *v,
                    rw_rewriter *rw)
{
    for (ir_operand *use = between->uses, *next; use; use = next) {
        ir_op *load = use->owner;
        next = use->next_use;
        if (load->def == D2M_OP(remote_load) && load->n_results &&
            ir_op_operand_named(load, "memref") == between &&
            ir_op_is_ancestor(fused, load))
            rw_replace1(rw, load, v);
    }
}

/* What fusion made has tags already. */
static void tag_intermediates(const fusion *f, const d2m_generic *g)
{
    if ((uintptr_t)ir_mapping_get(f->facts, g->op) & FACT_FUSED)
        return;
    ir_block *block = ir_op_body(g->op, 0);
    for (ir_op *op = block->first; op; op = op->next) {
        ir_attr maps =
            op->def == LINALG_OP(generic) ? ir_op_attr(op, "indexing_maps") : NULL;
        if (d2m_length(maps))
            ir_op_set_attr(op, "d2m.blocking_map", maps->items[maps->count - 1]);
    }
}

/* The fused generic takes the producer's block, which may be long after other fusions, and
 * appends the consumer's operations. */
static bool fuse(const pair *p, const fusion *f, rw_rewriter *rw)
{
    const d2m_generic *a = &p->producer, *b = &p->consumer;
    ir_block *made_by = ir_op_body(a->op, 0), *read_by = ir_op_body(b->op, 0);
    ir_op *yield = yield_of(made_by), *last = yield_of(read_by);
    ir_value *between = d2m_generic_operand(b, p->at);
    fused_operands o;
    if (!yield || !last || between->index >= yield->n_operands)
        return false;
    collect(p, &o);
    const int64_t bytes = fused_bytes(p, f);
    tag_intermediates(f, a);
    tag_intermediates(f, b);
    ir_op *fused = build_shell(p, rw, &o);
    ir_builder body = ir_builder_before(made_by->first);
    body.loc = b->op->loc;
    body.created = rw->b.created;
    body.user = rw->b.user;
    build_buffers(p, &body, &o);
    ir_value *v = ir_op_operand(yield, between->index);
    ir_block_erase(rw->b.ctx, ir_op_body(fused, 0));
    ir_region_take(&fused->regions[0], &a->op->regions[0]);
    rw_erase(rw, yield);
    v = unstored(a, v, rw);
    ir_block_splice(made_by, NULL, read_by, read_by->first, last);
    forward(fused, between, v, rw);
    ir_mapping_set(f->bytes, fused, (void *)(uintptr_t)(bytes + 1));
    const uintptr_t facts = facts_of(f, a) | facts_of(f, b) | FACT_FUSED;
    ir_mapping_set(f->facts, fused, (void *)facts);
    for (uint32_t i = 0; i < b->op->n_results; i++)
        rw_replace_uses(rw, &b->op->results[i], &fused->results[i]);
    rw_erase(rw, b->op);
    rw_erase(rw, a->op);
    return true;
}

/* ---- the pass ----------------------------------------------------------------------- */

static bool is_consumer(const d2m_generic *g, const fusion *f)
{
    return is_candidate(g, f) &&
           (d2m_generic_is_all_parallel(g) || (f->with_reductions && has_one_reduction(g)));
}

static bool fuse_first(ir_op *op, rw_rewriter *rw)
{
    const fusion *f = rw->user;
    pair p;
    int known = 0; /* whether the consumer may be fused: 1 or -1; its body is read once */
    if (!d2m_generic_of(op, &p.consumer))
        return false;
    for (p.at = 0; p.at < p.consumer.n_inputs && known >= 0; p.at++) {
        ir_op *producer = ir_value_def(d2m_generic_operand(&p.consumer, p.at));
        if (!ir_op_is(producer, D2M_OP(generic)) || producer == op ||
            producer->block != op->block || !d2m_generic_of(producer, &p.producer) ||
            !is_only_reader(&p))
            continue;
        known = known ? known : is_consumer(&p.consumer, f) ? 1 : -1;
        if (known > 0 && is_elementwise(&p.producer, f) && fits(&p, f))
            return fuse(&p, f, rw);
    }
    return false;
}

static bool run(ir_op *module, pass_run *run)
{
    static const rw_pattern patterns[] = {{D2M_OP(generic), fuse_first, NULL}};
    fusion f = {pass_option_bool(run, "enable-eltwise-reduction-fusion"), INT64_MAX,
                ir_mapping_create(), ir_mapping_create()};
    d2m_memory l1;
    /* The rest is for scratch and for what the generic reads and writes. */
    if (d2m_memory_of_chip(module, TTCORE_MemorySpace_DeviceL1, &l1))
        f.l1 = (l1.end - l1.base) / 4 * 3;
    rw_greedy(module, patterns, TW_COUNT(patterns),
              &(rw_options){.user = &f, .max_iterations = -1});
    ir_mapping_free(f.facts);
    ir_mapping_free(f.bytes);
    return true;
}

const pass_def d2m_generic_fusion_pass = {
    .name = "d2m-generic-fusion",
    .title = "D2MGenericFusion",
    .summary = "Fuse element-wise generics with the ones that read them",
    .anchor = "builtin.module",
    .run = run,
    .options =
        IR_LIST(pass_option_def,
                {"enable-eltwise-reduction-fusion", PASS_BOOL, "false",
                 "Fuse element-wise generics into one that reduces a dimension, too"}),
};
