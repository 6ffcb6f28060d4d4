/* import_impl.h: shared by the files that read a .ttm back into IR. */
#ifndef TILEWRIGHT_TTMETAL_TO_FLATBUFFER_IMPORT_IMPL_H
#define TILEWRIGHT_TTMETAL_TO_FLATBUFFER_IMPORT_IMPL_H

#include "support/arena.h"
#include "ttmetal/to_flatbuffer/import_ttm.h"
#include "ttnn/to_flatbuffer/import_impl.h"

typedef struct ttm_import_state {
    ir_context *ctx;
    ir_op *module;
    bool cpp;            /* kernels are their C++, even where the file has more */
    ir_builder b;        /* at the end of the program's function */
    ir_mapping *values;  /* global id -> value, of the program */
    ir_mapping *scalars; /* global ids that kernels get as words */
    ir_mapping *by_text; /* a kernel's C++ as an attribute -> its function */
    tw_arena arena;
} ttm_import_state;

/* The memref that a BufferDesc describes; *out_map: its cores as a map from its grid, NULL
 * where they are those of the grid itself. */
tw_status ttm_import_type(ir_context *ctx, fb_view desc, ir_type *out, ir_attr *out_map);

/* The type of a scalar that kernels get as a word. */
tw_status ttm_import_scalar(ir_context *ctx, fb_view desc, ir_type *out);
/* Marks what programs of a queue pass to kernels as words, before its types are read. */
void ttm_find_scalars(ttm_import_state *im, fb_view queue);
void ttm_mark_scalar(ttm_import_state *im, fb_view ref);
bool ttm_is_scalar(const ttm_import_state *im, fb_view ref);

/* The value of a reference to a buffer or semaphore. */
tw_status ttm_value_of(const ttm_import_state *im, fb_view ref, ir_value **out);
/* A program of kernels: ttmetal.enqueue_program. */
tw_status ttm_import_program(ttm_import_state *im, fb_view table);
/* #ttmetal.core_range of one rectangle. */
ir_attr ttm_import_range(ir_context *ctx, const uint8_t *range);

#endif
