/* device/jobs.h: work on the bytes of tiles, done at once or by a second thread of the
 * host.
 *
 * What kernels do to marks, circular buffers and clocks decides what is timed and what is
 * reported; numbers decide nothing there.  So numbers may follow: one other thread does
 * the jobs, in the order in which they were given, and whoever looks at bytes itself
 * waits for it first.  Results and reports cannot differ from those of one thread. */
#ifndef TILEWRIGHT_DEVICE_JOBS_H
#define TILEWRIGHT_DEVICE_JOBS_H

#include "support/status.h"

typedef struct dev_job dev_job;

struct dev_job {
    void (*run)(const dev_job *job);
    void *out;
    const void *a, *b, *with;
    void *unit;
    uint32_t size;
    uint8_t x, y, z, how;
};

typedef struct dev_jobs dev_jobs;

tw_status dev_jobs_create(dev_jobs **out_jobs);
void dev_jobs_destroy(dev_jobs *jobs);
/* Between these the other thread stays awake; end waits for the last job. */
void dev_jobs_begin(dev_jobs *jobs);
void dev_jobs_end(dev_jobs *jobs);
void dev_jobs_add(dev_jobs *jobs, const dev_job *job);
/* Until all jobs so far are done. */
void dev_jobs_wait(dev_jobs *jobs);

/* jobs: NULL does it at once. */
static inline void dev_do(dev_jobs *jobs, dev_job job)
{
    if (jobs)
        dev_jobs_add(jobs, &job);
    else
        job.run(&job);
}

void dev_job_copy(const dev_job *job);     /* size bytes from a to out */
void dev_job_prefetch(const dev_job *job); /* size bytes of a; how: to write there */

#endif
