/* packed_shared.c: see packed_shared.h. */
#include "runtime/packed_shared.h"

#include "support/arena.h"
#include "support/fork.h"

#include <pthread.h>
#include <stdlib.h>

#define BUCKETS 1024

struct rt_shared_form {
    const void *from;
    uint64_t stamp;
    krn_gemm_plan plan;
    void *data;
    bool whole; /* packed to its end */
    int64_t users;
    rt_shared_form *next;
};

static struct {
    pthread_mutex_t lock; /* of all else, held while a form is packed */
    pthread_once_t watched;
    tw_fork_watch fork;
    rt_shared_form *bucket[BUCKETS];
} forms = {.lock = PTHREAD_MUTEX_INITIALIZER, .watched = PTHREAD_ONCE_INIT};

/* A form that another thread was packing is not whole, and is packed again in the child. */
static void reset_in_child(tw_fork_watch *watch)
{
    (void)watch;
    pthread_mutex_init(&forms.lock, NULL);
}

static void watch(void)
{
    tw_fork_watch_begin(&forms.fork, reset_in_child);
}

static rt_shared_form **bucket_of(const void *from)
{
    const uint64_t mixed = (uint64_t)(uintptr_t)from * UINT64_C(0x9e3779b97f4a7c15);
    return &forms.bucket[mixed >> 32 & (BUCKETS - 1)];
}

bool rt_same_form(const krn_gemm_plan *a, const krn_gemm_plan *b)
{
    return a->kernels == b->kernels && a->desc.k == b->desc.k && a->desc.n == b->desc.n &&
           a->desc.b == b->desc.b && a->desc.transpose_b == b->desc.transpose_b &&
           a->desc.row_stride_b == b->desc.row_stride_b && a->batches_b == b->batches_b &&
           a->packed_b_bytes == b->packed_b_bytes;
}

static rt_shared_form *find(const void *from, uint64_t stamp, const krn_gemm_plan *plan)
{
    rt_shared_form *f = *bucket_of(from);
    while (f && !(f->from == from && f->stamp == stamp && rt_same_form(&f->plan, plan)))
        f = f->next;
    return f;
}

static rt_shared_form *add(const void *from, uint64_t stamp, const krn_gemm_plan *plan)
{
    rt_shared_form **const bucket = bucket_of(from), *f = calloc(1, sizeof *f);
    void *const data = f ? tw_malloc_lines(plan->packed_b_bytes) : NULL;
    if (!data) {
        free(f);
        return NULL;
    }
    *f = (rt_shared_form){
        .from = from, .stamp = stamp, .plan = *plan, .data = data, .next = *bucket};
    return *bucket = f;
}

/* Packing allocates nothing, and so cannot leave the lock held. */
static void fill(rt_shared_form *f, tw_threadpool *pool)
{
    krn_gemm_pack_b(&f->plan, f->from, f->data, pool);
    f->whole = !tw_threadpool_cancelled(pool);
}

rt_shared_form *rt_shared_form_acquire(const void *data, uint64_t stamp,
                                       const krn_gemm_plan *plan, bool packs,
                                       tw_threadpool *pool)
{
    pthread_once(&forms.watched, watch);
    pthread_mutex_lock(&forms.lock);
    rt_shared_form *f = find(data, stamp, plan);
    if (!f && packs)
        f = add(data, stamp, plan);
    if (f && !f->whole && packs)
        fill(f, pool);
    else if (f && !f->whole)
        f = NULL;
    if (f)
        f->users++;
    pthread_mutex_unlock(&forms.lock);
    return f;
}

void *rt_shared_form_data(const rt_shared_form *form)
{
    return form->data;
}

void rt_shared_form_release(rt_shared_form *form)
{
    pthread_mutex_lock(&forms.lock);
    if (--form->users == 0) {
        rt_shared_form **at = bucket_of(form->from);
        while (*at != form)
            at = &(*at)->next;
        *at = form->next;
        free(form->data);
        free(form);
    }
    pthread_mutex_unlock(&forms.lock);
}
