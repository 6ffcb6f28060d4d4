/* grid/machine/jobs.h: work on the bytes of tiles, done at once or by a second thread of
 * the host.
 *
 * What kernels do to marks, circular buffers and clocks decides what is timed and what is
 * reported; numbers decide nothing there.  So numbers may follow: one other thread does
 * the jobs, in the order in which they were given, and whoever looks at bytes itself
 * waits for it first.  Results and reports cannot differ from those of one thread. */
#ifndef TILEWRIGHT_GRID_MACHINE_JOBS_H
#define TILEWRIGHT_GRID_MACHINE_JOBS_H

#include "support/status.h"

#include <stdbool.h>

typedef struct dev_job dev_job;

/* How many bytes of an operand a job touches. */
typedef enum dev_extent {
    DEV_NO_BYTES,
    DEV_SIZE,     /* the job's size */
    DEV_REGISTER, /* a tile of f32 or i32 */
    DEV_HALF,     /* a tile of bf16 */
    DEV_PAGE_X,   /* a tile of the format x, or y */
    DEV_PAGE_Y,
} dev_extent;

typedef struct dev_job_kind {
    void (*run)(const dev_job *job);
    dev_extent out, a, b;
} dev_job_kind;

struct dev_job {
    const dev_job_kind *kind;
    void *out;
    const void *a, *b, *with;
    void *unit; /* a dev_compute: its formats and its scratch tiles */
    uint32_t size;
    uint8_t x, y, z, how;
    bool adds; /* what lies at `out` is read, too */
    bool past; /* nobody reads `out` soon: past the caches, if the kind can (dev_job_to) */
};

typedef struct dev_jobs dev_jobs;

tw_status dev_jobs_create(dev_jobs **out_jobs);
void dev_jobs_destroy(dev_jobs *jobs);
/* Whether the other thread is one of this process: a forked child has a copy of the queue
 * only. */
bool dev_jobs_are_here(const dev_jobs *jobs);
/* Between these the other thread stays awake; end waits for the last job. */
void dev_jobs_begin(dev_jobs *jobs);
void dev_jobs_end(dev_jobs *jobs);
void dev_jobs_add(dev_jobs *jobs, const dev_job *job);
/* Lets the other thread begin with all jobs so far. */
void dev_jobs_publish(dev_jobs *jobs);
/* Until all jobs so far are done. */
void dev_jobs_wait(dev_jobs *jobs);

/* Where a job lays its result: at `out`, or into `own`, which dev_job_put then brings there
 * past the caches.  Others see it after dev_job_fence. */
static inline void *dev_job_to(const dev_job *job, void *own)
{
    return job->past ? own : job->out;
}
void dev_job_put(const dev_job *job, const void *result, size_t size);
void dev_job_fence(void);

extern const dev_job_kind dev_job_copy;     /* size bytes from a to out */
extern const dev_job_kind dev_job_prefetch; /* size bytes of a; how: to write there */

#endif
