/* ttnn_programs.h: what the files of the conversion from d2m to ttnn share. */
#ifndef TILEWRIGHT_TTMETAL_TTNN_PROGRAMS_H
#define TILEWRIGHT_TTMETAL_TTNN_PROGRAMS_H

#include "d2m/program.h"

/* The tensor of TTNN that an operand of a d2m.generic is; NULL if there is none.  `tensors`
 * maps buffers to theirs. */
ir_value *d2t_tensor_of(const ir_mapping *tensors, ir_value *v);
/* Replaces a d2m.generic by ttnn.generic; `fp32_dest`: DST keeps 32-bit elements whole. */
bool d2t_program(ir_op *generic, const ir_mapping *tensors, int64_t fidelity,
                 bool fp32_dest);
/* Replaces a d2m.spatial, whose regions hold a ttnn.generic each, by one. */
bool d2t_spatial(ir_op *spatial);

#endif
