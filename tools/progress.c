/* progress.c: see progress.h. */
#include "progress.h"

#include "support/base.h"
#include "support/clock.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_MS = 2000, NEXT_MS = 200 };

/* TILEWRIGHT_PROGRESS: milliseconds before the line, instead of two seconds. */
static int first_wait(void)
{
    const char *text = getenv("TILEWRIGHT_PROGRESS");
    const int ms = text ? atoi(text) : 0;
    return ms > 0 ? ms : FIRST_MS;
}

static struct {
    tw_progress progress;
    const char *tool, *label;
    bool running, stop, shown;
    double start; /* of the phase */
    size_t total,
        done; /* as last seen: a phase begins where they change otherwise than up */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

/* "1 min 20 s" */
static void put_time(char *out, size_t size, double seconds)
{
    if (seconds < 60)
        snprintf(out, size, "%.0f s", seconds);
    else
        snprintf(out, size, "%.0f min %.0f s", (double)(int)(seconds / 60),
                 (double)((int)seconds % 60));
}

static void draw(void)
{
    const tw_progress *p = &watch.progress;
    const size_t total = p->total, done = p->done;
    const char *what = p->what;
    if (total != watch.total || done < watch.done)
        watch.start = tw_clock_seconds();
    watch.total = total;
    watch.done = done;
    const double elapsed = tw_clock_seconds() - watch.start;
    char spent[32], left[32];
    put_time(spent, sizeof spent, elapsed);
    fprintf(stderr, "\r\033[K%s: %s", watch.tool, total && what ? what : watch.label);
    if (total && done && done < total) {
        put_time(left, sizeof left, elapsed * (double)(total - done) / (double)done);
        fprintf(stderr, ", %d %%, %s left", (int)(100 * done / total), left);
    } else {
        fprintf(stderr, ", %s", spent);
    }
    fflush(stderr);
    watch.shown = true;
}

static void *run(void *unused)
{
    struct timespec until;
    int wait = first_wait();
    (void)unused;
    pthread_mutex_lock(&watch.lock);
    while (!watch.stop) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += wait / 1000;
        until.tv_nsec += wait % 1000 * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&watch.wake, &watch.lock, &until) && !watch.stop)
            draw();
        wait = TW_MIN(wait, NEXT_MS);
    }
    pthread_mutex_unlock(&watch.lock);
    return NULL;
}

static void clear(void)
{
    if (watch.shown)
        fputs("\r\033[K", stderr);
    watch.shown = false;
}

tw_progress *progress_start(const char *tool, const char *label)
{
    if (watch.running || !isatty(2))
        return &watch.progress;
    watch.progress = (tw_progress){0};
    watch.tool = tool;
    watch.label = label;
    watch.start = tw_clock_seconds();
    watch.stop = false;
    watch.running = pthread_create(&watch.thread, NULL, run, NULL) == 0;
    return &watch.progress;
}

void progress_clear(void)
{
    pthread_mutex_lock(&watch.lock);
    clear();
    pthread_mutex_unlock(&watch.lock);
}

void progress_stop(void)
{
    if (!watch.running)
        return;
    pthread_mutex_lock(&watch.lock);
    watch.stop = true;
    clear();
    pthread_cond_signal(&watch.wake);
    pthread_mutex_unlock(&watch.lock);
    pthread_join(watch.thread, NULL);
    watch.running = false;
}
