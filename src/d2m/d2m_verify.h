/* d2m_verify.h: helpers shared by the d2m verifiers. */
#ifndef TILEWRIGHT_D2M_D2M_VERIFY_H
#define TILEWRIGHT_D2M_D2M_VERIFY_H

#include "d2m/d2m.h"
#include "d2m/d2m_hooks.h"
#include "ttcore/ttcore.h"

enum { D2M_MAX_RANK = 32 };

typedef struct d2m_shape {
    int64_t at[D2M_MAX_RANK];
    uint32_t n;
} d2m_shape;

static inline uint32_t d2m_length(ir_attr list)
{
    return list ? list->count : 0;
}

bool d2m_is_device_layout(ir_attr layout);
/* True if the tensor or memref has a layout in the memory of the cores or in DRAM. */
bool d2m_is_remote(ir_type type);
bool d2m_is_tiled(ir_type type); /* true if the elements are tiles */
/* The grid dimensions (first half of the shape), or with `shard` those of a shard. */
void d2m_half_of(ir_type type, bool shard, d2m_shape *out);
const char *d2m_shape_text(ir_context *ctx, const d2m_shape *s); /* "2, 3" */
/* Returns the number of values in the operand group of that name. */
size_t d2m_group_size(const ir_op *op, const char *group);
ir_op *d2m_enclosing(const ir_op *op, const ir_op_def *def); /* enclosing op, or NULL */
/* True if all inputs and outputs of a d2m.generic or d2m.spatial are tensors. */
bool d2m_is_of_tensors(const ir_op *op);

/* d2m_transfers.c */
bool d2m_check_read(ir_op *op);
bool d2m_check_write(ir_op *op);
bool d2m_check_rows(ir_op *op);
bool d2m_check_embedding(ir_op *op);
bool d2m_check_local_copy(ir_op *op);
bool d2m_check_remote_load(ir_op *op);
bool d2m_check_remote_store(ir_op *op);

/* d2m_layouts.c */
bool d2m_check_view(ir_op *op);
bool d2m_check_composite(ir_op *op);
bool d2m_check_to_device(ir_op *op);
bool d2m_check_to_host(ir_op *op);
bool d2m_check_global_semaphore(ir_op *op);

/* d2m_generic.c, d2m_spatial.c */
bool d2m_check_generic(ir_op *op);
bool d2m_check_spatial(ir_op *op);

#endif
