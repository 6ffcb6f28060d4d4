/* from_d2m.h: what the files of the conversion from d2m to ttmetal share. */
#ifndef TILEWRIGHT_TTMETAL_FROM_D2M_H
#define TILEWRIGHT_TTMETAL_FROM_D2M_H

#include "d2m/program.h"

/* The math fidelity of that name among an enum's cases; reports an unknown one. */
bool d2x_fidelity(ir_op *op, tw_str text, const ir_enum_def *cases, int64_t *out);
/* True if an input or output has elements of 32 bits, which DST must then hold. */
bool d2x_has_wide_elements(const d2m_generic *g);
ir_attr d2x_core_range(ir_context *ctx, const int64_t origin[2], const int64_t size[2]);
/* Replaces a d2m.generic by ttmetal.enqueue_program. */
bool d2x_program(ir_op *generic, int64_t fidelity);
/* Replaces a d2m.spatial, whose regions hold a program each, by one program. */
bool d2x_spatial(ir_op *spatial);
ir_op *d2x_build_program(ir_builder *b, ir_value *const *args, size_t n_args,
                         ir_value *const *cbs, size_t n_cbs, ir_attr kernels,
                         ir_attr fabrics);

#endif
