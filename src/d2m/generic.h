/* generic.h: d2m.generic for passes: its operand groups, loops, forms and regions, the
 * extents that operands imply, and builders.
 *
 * Operands are inputs, outputs, additional arguments, in this order; "operand i" is an
 * input or output unless stated otherwise.  A loop dimension is a dimension of the indexing
 * maps; it has a block factor and an iterator type.  The explicit form has none of the
 * three. */
#ifndef TILEWRIGHT_D2M_GENERIC_H
#define TILEWRIGHT_D2M_GENERIC_H

#include "d2m/d2m.h"
#include "d2m/d2m_verify.h"

typedef struct d2m_generic {
    ir_op *op;
    uint32_t n_inputs, n_outputs, n_extra;
    uint32_t n_io;    /* inputs and outputs; index of the first additional argument */
    uint32_t n_loops; /* 0 in the explicit form */
    ir_attr grid, factors, maps, iterators, threads;
} d2m_generic;

/* True for memref.alloc. */
bool d2m_is_alloc(const ir_op *op);
/* Reads a d2m.generic; false for another operation and for one whose maps, factors and
 * iterators do not fit each other or exceed D2M_MAX_RANK. */
bool d2m_generic_of(const ir_op *op, d2m_generic *out);
/* The same; a d2m.generic that does not fit is reported. */
bool d2m_generic_read(ir_op *op, d2m_generic *out);
/* An ir_op_test. */
bool d2m_is_generic(const ir_op *op);
/* Those in an operation, in order; none is in another. */
ir_op_list d2m_generics_in(ir_op *root);
/* The d2m.generic around an operation, or NULL. */
ir_op *d2m_generic_around(const ir_op *op);

/* ---- operands ----------------------------------------------------------------------- */

static inline ir_value *d2m_generic_operand(const d2m_generic *g, size_t i)
{
    return g->op->operands[i].value;
}
static inline ir_value *d2m_generic_output(const d2m_generic *g, size_t i)
{
    return g->op->operands[g->n_inputs + i].value;
}
static inline bool d2m_generic_is_output(const d2m_generic *g, size_t i)
{
    return i >= g->n_inputs && i < g->n_io;
}
/* The index of the first operand (of any group) with that value, or -1. */
int64_t d2m_generic_index_of(const d2m_generic *g, const ir_value *v);
/* The operand that a d2m.remote_load reads, or -1: one that is given several times (a
 * product of a matrix and itself) has several maps, and a multicast goes along parallel
 * loops. */
int64_t d2m_generic_loaded(const d2m_generic *g, const ir_op *load);

/* ---- loops -------------------------------------------------------------------------- */

static inline ir_affine_map d2m_generic_map(const d2m_generic *g, size_t i)
{
    return g->maps->items[i]->map;
}
static inline ir_affine_map d2m_generic_output_map(const d2m_generic *g)
{
    return d2m_generic_map(g, g->n_inputs);
}
static inline int64_t d2m_generic_factor(const d2m_generic *g, size_t loop)
{
    return g->factors->items[loop]->value;
}
bool d2m_generic_is_reduction_loop(const d2m_generic *g, size_t loop);
bool d2m_generic_has_reduction(const d2m_generic *g);
static inline bool d2m_generic_is_all_parallel(const d2m_generic *g)
{
    return !d2m_generic_has_reduction(g);
}
/* The loop dimensions that are plain results of operand i's map, in order; returns their
 * count. */
size_t d2m_generic_loops_of(const d2m_generic *g, size_t i, uint32_t out[D2M_MAX_RANK]);
/* The first result of a map that is exactly this dimension, or -1. */
int64_t d2m_map_result_of(ir_affine_map map, uint32_t dim);
/* Sets *out to the map's value at a point of n_dims coordinates; false on overflow or
 * division by zero. */
bool d2m_map_eval(ir_affine_map map, const int64_t *point, d2m_shape *out);

/* ---- forms -------------------------------------------------------------------------- */

static inline bool d2m_generic_is_explicit(const d2m_generic *g)
{
    return !d2m_length(g->factors) && !d2m_length(g->maps) && !d2m_length(g->iterators);
}
/* Has threads as symbols, no regions. */
static inline bool d2m_generic_is_external(const d2m_generic *g)
{
    return g->op->n_regions == 0;
}
/* One region that all threads share. */
bool d2m_generic_is_unified(const d2m_generic *g);
/* Factors, maps and iterators with one unified region, whose blocking loops are not built
 * (implicit), or are affine.for, one for each factor (affine blocked). */
bool d2m_generic_is_implicit_blocked(const d2m_generic *g);
bool d2m_generic_is_affine_blocked(const d2m_generic *g);
bool d2m_generic_is_of_tensors(const d2m_generic *g);

/* ---- regions ------------------------------------------------------------------------ */

/* The D2M_ThreadType_ of a region, or -1. */
int64_t d2m_generic_thread(const d2m_generic *g, size_t region);
static inline ir_block *d2m_generic_body(const d2m_generic *g, size_t region)
{
    return ir_op_body(g->op, region);
}
bool d2m_is_compute_op(const ir_op *op);
bool d2m_generic_has_compute(const d2m_generic *g, size_t region);
/* Has regions, none of which computes. */
bool d2m_generic_is_dma_only(const d2m_generic *g);
/* True if an operation inside must not be fused with element-wise ones. */
bool d2m_generic_skips_fusion(const d2m_generic *g);
/* Element-wise with more than two inputs: the result of a fusion. */
bool d2m_generic_is_fused(const d2m_generic *g);

/* The operand that a buffer inside a generic (a tensor.empty or memref.alloc, followed
 * through results of destination-style operations) is loaded from or stored to; the store
 * takes precedence.  NULL if there is none or it is ambiguous; *is_remote (may be NULL): a
 * load or store uses the buffer. */
ir_value *d2m_buffer_operand(const ir_value *buffer, bool *is_remote);
/* The buffer of operand i in a region: by its loads and stores, else by position; or
 * d2m.get_cb of it.  NULL if there is none. */
ir_value *d2m_operand_buffer(const d2m_generic *g, size_t region, size_t i);

/* The first operand that a destination-style operation writes; its results are tied to the
 * operands from there on. SIZE_MAX for other operations. */
size_t d2m_first_destination(const ir_op *op);

/* ---- extents ------------------------------------------------------------------------ */

/* The shape of the generic's grid attribute. */
void d2m_grid_shape(ir_attr grid, d2m_shape *out);
static inline void d2m_operand_grid(const ir_value *v, d2m_shape *out)
{
    d2m_half_of(v->type, false, out);
}
static inline void d2m_operand_shard(const ir_value *v, d2m_shape *out)
{
    d2m_half_of(v->type, true, out);
}
/* The extents of the loops from one shape for each map, by the inverse of the concatenated
 * maps: the first map (from the last one with `reversed`) with the dimension as a plain
 * result decides; 1 for a dimension without one. */
void d2m_loop_extents(const ir_affine_map *maps, const d2m_shape *shapes, size_t n,
                      bool reversed, d2m_shape *out);
/* The same of the operands' shards; of shards times block factors ("full factors"). */
void d2m_generic_shard_extents(const d2m_generic *g, d2m_shape *out);
void d2m_generic_full_factors(const d2m_generic *g, d2m_shape *out);
/* The grid of operand i when the generic runs on `grid` with `factors`. */
bool d2m_generic_operand_grid(const d2m_generic *g, size_t i, const d2m_shape *grid,
                              const d2m_shape *factors, d2m_shape *out);

/* ---- building ----------------------------------------------------------------------- */

/* A new d2m.generic.  NULL attributes: `grid` is that of the first output; `maps` and
 * `iterators` are identities and parallel over the output's grid; `factors` follow from the
 * operands; `threads` is one unified thread.  With `is_explicit`, factors, maps and
 * iterators are empty.  Every region gets one empty block. */
typedef struct d2m_generic_parts {
    ir_value *const *inputs, *const *outputs, *const *extra;
    size_t n_inputs, n_outputs, n_extra;
    ir_attr grid, factors, maps, iterators, threads, fabric;
    bool is_explicit;
    size_t n_regions; /* 0: one */
} d2m_generic_parts;
/* The results are the outputs' types if they are tensors, none for memrefs. */
ir_op *d2m_build_generic(ir_builder *b, const d2m_generic_parts *parts);
/* A copy of the shell: same attributes, other inputs and outputs, regions empty (no block),
 * at the builder's position. */
ir_op *d2m_generic_rebuild(ir_builder *b, const d2m_generic *g, ir_value *const *inputs,
                           ir_value *const *outputs);
/* [#d2m.thread<type>] */
ir_attr d2m_threads_attr(ir_context *ctx, int64_t thread_type);
ir_attr d2m_iterators_attr(ir_context *ctx, const bool *is_reduction, size_t n);
ir_attr d2m_maps_attr(ir_context *ctx, const ir_affine_map *maps, size_t n);

/* Replaces a generic by one on another grid (NULL: the same) with other block factors
 * (NULL: the same): operands are seen through views of the implied grids, and buffers in
 * its regions get the new shards. */
typedef struct d2m_reblocking {
    ir_op *op;          /* the new generic */
    ir_value **views;   /* of each input and output: its view, NULL where none was needed */
    ir_value *restored; /* the first output under its old type, if that was asked for */
} d2m_reblocking;
/* Reports an error and changes nothing if the operands do not divide. With `restores`, uses
 * of a result become uses of `restored`. The caller frees out->views. */
bool d2m_generic_reblock(ir_op *op, ir_attr grid, const d2m_shape *factors, bool restores,
                         d2m_reblocking *out);
/* The value seen with another grid and shard: d2m.view_layout by the reblock map. */
ir_value *d2m_build_view(ir_builder *b, ir_value *v, ir_type type);
/* The map with results that are the constant 0 (broadcast dimensions) as 1: for extents
 * instead of positions. */
ir_affine_map d2m_map_of_extents(ir_context *ctx, ir_affine_map map);

/* d2m.core_index, d2m.block_index, d2m.block_offset, d2m.get_block_factor, d2m.iter_index,
 * d2m.mesh_position of a dimension. */
ir_value *d2m_build_dim_query(ir_builder *b, const ir_op_def *def, int64_t dim);
/* The operand's position in its grid: the results of its map over d2m.block_index, as
 * arithmetic.  Writes map->n_results values. */
void d2m_build_grid_indices(ir_builder *b, ir_affine_map map, ir_value **out);

#endif
