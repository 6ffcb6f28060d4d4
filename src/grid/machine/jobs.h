/* grid/machine/jobs.h: work on the bytes of tiles, done at once or by a second thread of
 * the host.
 *
 * Times and reports depend on what kernels do to marks, circular buffers and clocks, never
 * on the values in tiles. So the work on values may lag behind: one other thread does the
 * jobs, in the order in which they were queued, and code that looks at bytes waits for it
 * first. Results and reports are identical to those of one thread. */
#ifndef TILEWRIGHT_GRID_MACHINE_JOBS_H
#define TILEWRIGHT_GRID_MACHINE_JOBS_H

#include "support/status.h"

#include <stdbool.h>

typedef struct dev_job dev_job;

/* Bytes of an operand that a job touches. */
typedef enum dev_extent {
    DEV_NO_BYTES,
    DEV_SIZE,     /* the job's size */
    DEV_REGISTER, /* a tile of f32 or i32 */
    DEV_HALF,     /* a tile of bf16 */
    DEV_PAGE_X,   /* a tile in format x, or y */
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
    bool adds; /* also reads the contents of `out` */
    bool past; /* not read soon: write past the caches, if the kind can (dev_job_to) */
};

typedef struct dev_jobs dev_jobs;

tw_status dev_jobs_create(dev_jobs **out_jobs);
void dev_jobs_destroy(dev_jobs *jobs);
/* True if the second thread belongs to this process: a forked child has a copy of the queue
 * only. */
bool dev_jobs_are_here(const dev_jobs *jobs);
/* Between these the second thread stays awake; end waits for the last job. */
void dev_jobs_begin(dev_jobs *jobs);
void dev_jobs_end(dev_jobs *jobs);
void dev_jobs_add(dev_jobs *jobs, const dev_job *job);
/* Makes all queued jobs visible to the second thread. */
void dev_jobs_publish(dev_jobs *jobs);
/* Waits until all queued jobs are done. */
void dev_jobs_wait(dev_jobs *jobs);

/* Returns where a job stores its result: `out`, or `own`, which dev_job_put then copies
 * there past the caches. Other threads see it after dev_job_fence. */
static inline void *dev_job_to(const dev_job *job, void *own)
{
    return job->past ? own : job->out;
}
void dev_job_put(const dev_job *job, const void *result, size_t size);
void dev_job_fence(void);

extern const dev_job_kind dev_job_copy;     /* copies size bytes from a to out */
extern const dev_job_kind dev_job_prefetch; /* size bytes of a; how: to write */

#endif
