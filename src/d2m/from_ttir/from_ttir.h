/* from_ttir.h: the conversion of ttir to d2m: what its files share.
 *
 * Every operation that computes becomes the same frame: its operands are laid out on the
 * device over a grid of ones, which d2m-grid-selection widens; a d2m.generic computes; the
 * result is laid out as the user's type again. */
#ifndef TILEWRIGHT_D2M_FROM_TTIR_H
#define TILEWRIGHT_D2M_FROM_TTIR_H

#include "d2m/metal_layout.h"
#include "d2m/region_build.h"
#include "ttir/build.h"

typedef struct d2m_conv {
    ir_builder b;                /* before the operation that is converted */
    ir_op *op;                   /* that operation */
    const char *why;             /* why it cannot be converted, or NULL */
    int64_t in_space, out_space; /* TTCORE_MemorySpace_* of inputs and outputs */
    bool ttnn;                   /* tensors may have layouts of ttnn */
    bool collapse;               /* tensors of more dimensions become two-dimensional */
    bool multicast;
    ir_op **made; /* operations of ttir that conversions made, to be converted */
    size_t n_made, made_capacity;
    /* what d2m_laid_out_type was asked for last, and what it found; NULL: nothing */
    struct {
        ir_type logical, type;
        int64_t space;
        bool tiled, collapse;
    } last;
} d2m_conv;

/* Converts the operation and replaces its results; false, with `why` set or not, if it does
 * not apply. */
typedef bool d2m_convert_fn(d2m_conv *c, ir_op *op);

/* Always false. */
static inline bool d2m_refuse(d2m_conv *c, const char *why)
{
    c->why = why;
    return false;
}

/* ---- layouts.c ---------------------------------------------------------------------- */

typedef struct d2m_how {
    bool tiled, no_collapse;
    bool is_view;    /* the operation is a view, whose result is in the same memory */
    int64_t fill;    /* TTCORE_OOBVal_*: what the padding of inputs must hold */
    ir_type logical; /* the tensor that the user sees if the value is laid out; or NULL */
} d2m_how;

bool d2m_is_ttnn_tensor(ir_type type);
/* The device tensor that a tensor with a layout of ttnn is; NULL (with `why`) if none. */
ir_type d2m_metal_of_ttnn(d2m_conv *c, ir_type tensor);
/* Builds the cast of a tensor with a layout of ttnn to that type. */
ir_value *d2m_cast_from_ttnn(d2m_conv *c, ir_value *value, ir_type metal);
/* The value on the device; NULL (with `why`) if it cannot be there. */
ir_value *d2m_lay_out(d2m_conv *c, ir_value *value, int64_t space, const d2m_how *how);
/* The device tensor over a grid of ones that a tensor of the user becomes. */
ir_type d2m_laid_out_type(d2m_conv *c, ir_type logical, int64_t space, const d2m_how *how);
/* A new tensor on the device for a result of that type. */
ir_value *d2m_lay_out_result(d2m_conv *c, ir_type type, const d2m_how *how);
/* The value moved to a new tensor with a layout of ttnn; NULL (with `why`) if none has it.
 */
ir_value *d2m_into_ttnn(d2m_conv *c, ir_value *value, ir_type type);
/* The value as the user's type again. */
ir_value *d2m_take_out(d2m_conv *c, ir_value *value, ir_type type);
/* d2m.to_layout of the value to a new tensor. */
ir_value *d2m_to_new(d2m_conv *c, ir_value *value, ir_type type, d2m_virtual_grid maps);
ir_value *d2m_conv_view(d2m_conv *c, ir_value *value, ir_type type, ir_affine_map map,
                        bool reinterpret);

/* ---- frames.c ----------------------------------------------------------------------- */

/* Lays out inputs and results (placeholders of the results first) into the frame's
 * operands. */
bool d2m_frame_operands(d2m_conv *c, d2m_frame *f, ir_value *const *ins, size_t n_ins,
                        const ir_type *results, size_t n_results, const d2m_how *how);
/* Dimensions of the first output on the device. */
uint32_t d2m_frame_rank(const d2m_frame *f);
/* Starts the generic with the frame's maps and iterators. */
bool d2m_frame_start(d2m_conv *c, d2m_frame *f, const bool *is_reduction, uint32_t n_loops);
/* A map to all dimensions but those marked, which become 0. */
ir_affine_map d2m_map_without(ir_context *ctx, uint32_t rank, const bool *dropped);
/* The one result of the frame's generic as the user's type. */
ir_value *d2m_frame_result(d2m_conv *c, d2m_frame *f, size_t i, ir_type type);

/* ---- fills.c ------------------------------------------------------------------------ */

/* A tensor of the user's type filled with a number; NULL if its elements are neither floats
 * nor integers as the fill is. */
ir_value *d2m_build_filled(d2m_conv *c, ir_type type, ir_attr fill);
/* A tile of scratch for arange over the grid of a device tensor. */
ir_value *d2m_build_index_tile(d2m_conv *c, ir_type device);
/* Converts elements with a d2m.generic of tile_typecast. */
ir_value *d2m_build_typecast(d2m_conv *c, ir_value *value, ir_type type);

/* ---- converters --------------------------------------------------------------------- */

d2m_convert_fn d2m_convert_elementwise, d2m_convert_broadcast;
d2m_convert_fn d2m_convert_outer_reduction, d2m_convert_reduction, d2m_convert_min;
d2m_convert_fn d2m_convert_matmul, d2m_convert_matmul_block, d2m_convert_permute,
    d2m_convert_concat;
d2m_convert_fn d2m_convert_view, d2m_convert_slice;
d2m_convert_fn d2m_convert_fill, d2m_convert_rand, d2m_convert_arange;
d2m_convert_fn d2m_convert_argmax, d2m_convert_topk, d2m_convert_embedding;
d2m_convert_fn d2m_convert_all_gather;
d2m_convert_fn d2m_convert_to_layout, d2m_convert_empty, d2m_convert_mesh_shard;

/* Gives embeddings whose indices were flattened their two dimensions again. */
void d2m_expand_embeddings(ir_op *module);

#endif
