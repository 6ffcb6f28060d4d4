/* build_topk_chain.c: builds the topk that its plan describes: a leaf on every core, steps
 * that merge the bands, and what extracts the results. */
#include "d2m/generic.h"
#include "d2m/region_build.h"
#include "d2m/topk.h"
#include "ir/pass/pass.h"

#include <stdlib.h>

typedef struct chain {
    ir_op *leaf;
    ir_builder b;
    int64_t k, dim;
    d2m_placement *placements; /* in the order in which they are used */
    uint32_t n, used;
    bool failed;
} chain;

static const d2m_placement *next(chain *c)
{
    return &c->placements[c->used++];
}

/* The count of placements that a plan of this many steps needs. */
static uint32_t needed(const ir_attr plan, int64_t dim)
{
    bool transposes = dim == 1;
    return 3 + transposes + (plan->params[0]->value > 1 ? 2 : 0) +
           6 * plan->params[2]->count + 2 + (dim != 0);
}

static ir_value *empty_of(chain *c, const d2m_placement *p)
{
    return d2m_build_empty(&c->b, p->type, p->maps);
}

static ir_value *lay_out(chain *c, ir_value *v, const d2m_placement *p)
{
    if (!v)
        return NULL;
    ir_value *operands[] = {v, empty_of(c, p)};
    return ir_build1(&c->b, D2M_OP(to_layout), p->type, operands, 2, NULL, 0);
}

/* Begins a generic that computes `outs`; false after it failed. */
static bool begin(chain *c, d2m_frame *f, const d2m_placement *const *outs)
{
    ir_affine_map identity = ir_affine_identity(c->b.ctx, 2);
    f->thread = D2M_ThreadType_Unified;
    f->n_loops = 2;
    for (size_t i = 0; i < f->n_ins; i++)
        if (!f->operands[i])
            c->failed = true;
    if (c->failed)
        return false;
    for (size_t i = 0; i < f->n_outs; i++)
        f->operands[f->n_ins + i] = empty_of(c, outs[i]);
    for (size_t i = 0; i < f->n_ins + f->n_outs; i++)
        if (!f->maps[i])
            f->maps[i] = identity;
    if (!d2m_frame_begin(f, &c->b)) {
        c->failed = true;
        return false;
    }
    ir_op_set_attr(f->op, "grid", outs[0]->grid);
    return true;
}

/* ---- compaction --------------------------------------------------------------------- */

/* Every core copies the part of its shard that fits the narrow one: the wide results would
 * not fit in L1 side by side. */
static ir_value *compact(chain *c, ir_value *wide, const d2m_placement *narrow)
{
    if (!wide)
        return NULL;
    ir_context *ctx = c->b.ctx;
    ir_value *output = empty_of(c, narrow), *core[2];
    d2m_generic_parts parts = {.inputs = &wide,
                               .n_inputs = 1,
                               .outputs = &output,
                               .n_outputs = 1,
                               .grid = narrow->grid,
                               .is_explicit = true};
    ir_op *generic = d2m_build_generic(&c->b, &parts);
    ir_builder b = ir_builder_at_end(ctx, ir_op_body(generic, 0), c->b.loc);
    for (int i = 0; i < 2; i++)
        core[i] = d2m_build_dim_query(&b, D2M_OP(core_index), i);
    ir_value *buffer = d2m_build_shard(&b, wide);
    ir_value *loaded = d2m_build_load(&b, buffer, wide, core, 2, NULL, 0);
    ir_value *copied[] = {loaded, d2m_build_shard(&b, output)};
    ir_affine_map identity = ir_affine_identity(ctx, 2);
    ir_affine_map maps[] = {identity, identity};
    int64_t segments[] = {1, 1, 0, 0};
    ir_value *shard =
        ir_build1(&b, D2M_OP(local_copy), copied[1]->type, copied, 2,
                  IR_ATTRS({"indexing_maps", d2m_maps_attr(ctx, maps, 2)},
                           {"operandSegmentSizes", ir_dense_i32_array(ctx, segments, 4)}));
    ir_value *stored = d2m_build_store(&b, output, core, 2, shard);
    ir_build_op(&b, D2M_OP(yield), NULL, 0, &stored, 1, NULL, 0, 0);
    return lay_out(c, ir_op_result(generic, 0), narrow);
}

static void compact_both(chain *c, ir_value *level[2])
{
    const d2m_placement *narrow[] = {next(c), next(c)};
    for (int i = 0; i < 2; i++)
        level[i] = compact(c, level[i], narrow[i]);
}

static void lay_out_both(chain *c, ir_value *level[2], const d2m_placement *const *at)
{
    for (int i = 0; i < 2; i++)
        level[i] = lay_out(c, level[i], at[i]);
}

/* ---- merges ------------------------------------------------------------------------- */

/* Bands side by side, through a composite view that transfers resolve. */
static ir_value *gather(chain *c, ir_value *bands)
{
    const d2m_placement *wide = next(c);
    if (!bands)
        return NULL;
    ir_value *view = ir_build1(&c->b, D2M_OP(composite_view), wide->type, &bands, 1,
                               IR_ATTRS({"dim", ir_si32_attr(c->b.ctx, c->dim)}));
    d2m_frame f = {.n_ins = 1, .n_outs = 1, .operands = {view}};
    if (!begin(c, &f, &wide))
        return NULL;
    d2m_frame_end(&f, f.shards);
    return lay_out(c, ir_op_result(f.op, 0), wide);
}

static void merge(chain *c, ir_value *level[2])
{
    ir_context *ctx = c->b.ctx;
    d2m_frame f = {.n_ins = 2, .n_outs = 2};
    for (int i = 0; i < 2; i++)
        f.operands[i] = gather(c, level[i]);
    const d2m_placement *merged[] = {next(c), next(c)};
    level[0] = level[1] = NULL;
    if (begin(c, &f, merged)) {
        ir_type shards[] = {f.shards[2]->type, f.shards[3]->type};
        /* Indices cannot be generated: they are results of an earlier step. */
        ir_op *block = ir_build_op(
            &f.b, D2M_OP(topk_block), shards, 2, f.shards, 4,
            IR_ATTRS({"k", ir_i32_attr(ctx, c->k)},
                     {"num_elements",
                      ir_i64_attr(ctx, merged[0]->type->dims[2 + c->dim] * D2M_TILE)},
                     {"stable_sort", ir_bool_attr(ctx, false)},
                     {"dim", ir_i32_attr(ctx, c->dim)},
                     {"generate_indices", ir_bool_attr(ctx, false)}),
            0);
        ir_value *results[] = {ir_op_result(block, 0), ir_op_result(block, 1)};
        d2m_frame_end(&f, results);
        level[0] = ir_op_result(f.op, 0);
        level[1] = ir_op_result(f.op, 1);
    }
    const d2m_placement *narrow[] = {next(c), next(c)};
    for (int i = 0; i < 2; i++)
        level[i] = compact(c, lay_out(c, level[i], merged[i]), narrow[i]);
}

/* ---- results ------------------------------------------------------------------------ */

/* Applies a tile operation to the elements of one loaded shard, read by `map`. */
static ir_value *apply(d2m_frame *f, const ir_op_def *def, ir_affine_map map)
{
    ir_context *ctx = f->b.ctx;
    ir_affine_map maps[] = {map, ir_affine_identity(ctx, 2)};
    ir_op *linalg =
        d2m_build_linalg(&f->b, &f->shards[0], 1, &f->shards[1], 1, maps, NULL, 2);
    ir_builder body = d2m_linalg_body(linalg, f->b.loc);
    ir_value *tile = ir_build1(&body, def, f->shards[1]->type->element,
                               ir_op_body(linalg, 0)->args, 1, NULL, 0);
    d2m_linalg_yield(&body, &tile, 1);
    return ir_op_result(linalg, 0);
}

/* The first k elements, which the leaf left in the first tiles of its shard. */
static ir_value *extract(chain *c, ir_value *from)
{
    ir_context *ctx = c->b.ctx;
    const d2m_placement *to = next(c);
    ir_affine inner[2], outer[2];
    d2m_frame f = {.n_ins = 1, .n_outs = 1, .operands = {from}};
    if (!from)
        return NULL;
    for (int i = 0; i < 2; i++)
        inner[i] = outer[i] = ir_affine_dim(ctx, i);
    outer[c->dim] = ir_affine_constant(ctx, 0);
    inner[c->dim] =
        c->k <= D2M_TILE
            ? ir_affine_constant(ctx, 0)
            : ir_affine_binary(ctx, IR_AFFINE_MOD, inner[c->dim],
                               ir_affine_constant(ctx, from->type->dims[2 + c->dim]));
    f.maps[0] = ir_affine_map_get(ctx, 2, 0, outer, 2);
    if (!begin(c, &f, &to))
        return NULL;
    ir_value *shard =
        apply(&f, c->dim == 1 ? D2M_OP(tile_transpose) : D2M_OP(tile_typecast),
              ir_affine_map_get(ctx, 2, 0, inner, 2));
    d2m_frame_end(&f, &shard);
    return ir_op_result(f.op, 0);
}

/* Converts the indices to the type of the user. */
static ir_value *cast(chain *c, ir_value *indices)
{
    const d2m_placement *to = next(c);
    d2m_frame f = {.n_ins = 1, .n_outs = 1, .operands = {indices}};
    if (!begin(c, &f, &to))
        return NULL;
    ir_value *shard = apply(&f, D2M_OP(tile_typecast), ir_affine_identity(c->b.ctx, 2));
    d2m_frame_end(&f, &shard);
    return ir_op_result(f.op, 0);
}

/* ---- the leaf ----------------------------------------------------------------------- */

/* The input that grid selection laid out and marked; the leaf cannot have it as operand. */
static ir_value *take_marked(ir_value *logical)
{
    for (const ir_operand *use = logical->uses; use; use = use->next_use) {
        ir_op *op = use->owner;
        for (ir_operand *inner = NULL;;) {
            if (ir_op_attr(op, D2M_TOPK_INPUT) && op->n_results == 1) {
                ir_op_set_attr(op, D2M_TOPK_INPUT, NULL);
                return ir_op_result(op, 0);
            }
            /* A mask that uses the layout change can have the mark instead. */
            inner =
                inner ? inner->next_use
                      : (use->owner->n_results ? ir_op_result(use->owner, 0)->uses : NULL);
            if (!inner)
                break;
            op = inner->owner;
        }
    }
    return NULL;
}

static bool emit(chain *c, ir_attr plan, ir_value *logical, ir_value *input)
{
    d2m_leaf_buffers buffers = {0};
    ir_value *level[2];
    if (c->dim == 1)
        buffers.transpose = *next(c);
    buffers.scratch = *next(c);
    buffers.values = *next(c);
    buffers.indices = *next(c);
    if (!d2m_build_leaf_topk(&c->b, input, c->k, c->dim, logical->type->dims[c->dim],
                             &buffers, level))
        return false;
    if (plan->params[0]->value > 1)
        compact_both(c, level);
    else
        lay_out_both(c, level,
                     (const d2m_placement *[]){&buffers.values, &buffers.indices});
    for (uint32_t i = 0; i < plan->params[2]->count; i++)
        merge(c, level);
    for (int i = 0; i < 2; i++)
        level[i] = extract(c, level[i]);
    if (c->dim != 0)
        level[1] = cast(c, level[1]);
    if (c->failed || !level[0] || !level[1])
        return false;
    for (int i = 0; i < 2; i++)
        ir_value_replace_uses(ir_op_result(c->leaf, i), level[i]);
    ir_op_erase(c->leaf);
    return true;
}

static bool is_planned(const ir_op *op)
{
    ir_attr plan = d2m_is_generic(op) ? ir_op_attr(op, D2M_TOPK_PLAN) : NULL;
    return ir_attr_is(plan, IR_ATTR_DIALECT) && plan->def == D2M_ATTR(topk_plan) &&
           d2m_is_topk_leaf(op);
}

static bool build_chain(ir_op *leaf)
{
    ir_op *block = d2m_topk_block_of(leaf);
    ir_attr plan = ir_op_attr(leaf, D2M_TOPK_PLAN), placements = plan->params[3];
    chain c = {.leaf = leaf,
               .b = ir_builder_before(leaf),
               .k = ir_op_int(block, "k", 1),
               .dim = ir_op_int(block, "dim", 0),
               .n = placements->count};
    ir_value *logical = d2m_topk_input_of(leaf);
    if (!logical || !ir_type_is_tensor(logical->type) || logical->type->count != 2 ||
        c.dim < 0 || c.dim > 1 || c.k < 1)
        return ir_op_error(leaf, "topk leaf reads no matrix");
    if (c.n != needed(plan, c.dim))
        return ir_op_error(leaf, "topk plan holds %u placements but the emission builds %u",
                           c.n, needed(plan, c.dim));
    ir_value *input = take_marked(logical);
    if (!input || !d2m_is_remote(input->type) || input->type->count != 4)
        return ir_op_error(leaf, "topk leaf has no input placed by d2m-grid-selection");
    c.placements = tw_xcalloc(c.n, sizeof *c.placements);
    bool fine = true;
    for (uint32_t i = 0; i < c.n; i++)
        fine &= d2m_read_placement(placements->items[i], &c.placements[i]);
    fine = fine && emit(&c, plan, logical, input);
    free(c.placements);
    return fine || ir_op_error(leaf, "topk plan does not fit the leaf");
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list leaves = ir_ops_outside(module, is_planned, d2m_is_generic);
    bool fine = true;
    for (size_t i = 0; fine && i < leaves.n; i++)
        fine = build_chain(leaves.at[i]);
    ir_op_list_free(&leaves);
    return fine;
}

const pass_def d2m_build_topk_chain_pass = {
    .name = "d2m-build-topk-chain",
    .title = "D2MBuildTopkChain",
    .summary = "Build the topk that grid selection planned",
    .anchor = "builtin.module",
    .run = run,
};
