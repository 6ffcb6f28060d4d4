/* frames.c: the frame that every operation of ttir that computes becomes. */
#include "d2m/from_ttir/from_ttir.h"

bool d2m_frame_operands(d2m_conv *c, d2m_frame *f, ir_value *const *ins, size_t n_ins,
                        const ir_type *results, size_t n_results, const d2m_how *how)
{
    ir_value *placeholders[D2M_MAX_FRAME];
    d2m_how plain = *how;
    *f = (d2m_frame){.n_ins = n_ins,
                     .n_outs = n_results,
                     .multicast = c->multicast,
                     .thread = D2M_ThreadType_Unified};
    for (size_t i = 0; i < n_results; i++)
        placeholders[i] = d2m_build_empty(&c->b, results[i], (d2m_virtual_grid){0});
    for (size_t i = 0; i < n_ins; i++)
        if (!(f->operands[i] = d2m_lay_out(c, ins[i], c->in_space, how)))
            return false;
    plain.fill = TTCORE_OOBVal_Undef; /* the padding of results is written, not read */
    for (size_t i = 0; i < n_results; i++)
        if (!(f->operands[n_ins + i] =
                  d2m_lay_out(c, placeholders[i], c->out_space, &plain)))
            return false;
    return true;
}

uint32_t d2m_frame_rank(const d2m_frame *f)
{
    return f->operands[f->n_ins]->type->count / 2;
}

bool d2m_frame_start(d2m_conv *c, d2m_frame *f, const bool *is_reduction, uint32_t n_loops)
{
    f->is_reduction = is_reduction;
    f->n_loops = n_loops;
    return d2m_frame_begin(f, &c->b) ||
           d2m_refuse(c, "the layouts of the operands have different ranks");
}

ir_affine_map d2m_map_without(ir_context *ctx, uint32_t rank, const bool *dropped)
{
    ir_affine results[D2M_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++)
        results[i] =
            dropped && dropped[i] ? ir_affine_constant(ctx, 0) : ir_affine_dim(ctx, i);
    return ir_affine_map_get(ctx, rank, 0, results, rank);
}

ir_value *d2m_frame_result(d2m_conv *c, d2m_frame *f, size_t i, ir_type type)
{
    return d2m_take_out(c, ir_op_result(f->op, i), type);
}
