/* packed_shared.h: packed forms of constants that programs of the process share.
 *
 * A model that is compiled for several lengths of its input has as many programs and one
 * set of weights. The forms are found by the address of the constant and the stamp that its
 * owner gave it (tw_program_share_constant), who keeps the memory until the last program
 * that uses the form has released it: an address then means one tensor. */
#ifndef TILEWRIGHT_RUNTIME_PACKED_SHARED_H
#define TILEWRIGHT_RUNTIME_PACKED_SHARED_H

#include "host/gemm/gemm.h"
#include "support/threadpool.h"

typedef struct rt_shared_form rt_shared_form;

/* True if both plans read the same packed form of one tensor. */
bool rt_same_form(const krn_gemm_plan *a, const krn_gemm_plan *b);

/* Returns the form. If no program has it, it is packed now, or with `packs` false NULL;
 * NULL also if memory is lacking. Other threads that want a form wait meanwhile. If the
 * pool's run is cancelled, the form is packed by the next call. */
rt_shared_form *rt_shared_form_acquire(const void *data, uint64_t stamp,
                                       const krn_gemm_plan *plan, bool packs,
                                       tw_threadpool *pool);
void *rt_shared_form_data(const rt_shared_form *form);
/* Frees the form with its last user. */
void rt_shared_form_release(rt_shared_form *form);

#endif
