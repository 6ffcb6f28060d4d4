/* grid/check/race.h: detection of data races.
 *
 * Threads and cores are ordered by the hardware's synchronisation: pages of circular
 * buffers that are pushed and waited for, popped and reserved again; words (semaphores)
 * that are sent or set and waited for or loaded. Each thread counts its releases; a vector
 * clock holds, for every thread, the release up to which its work is known to be complete.
 * Memory records its last writer and readers with their counts: an access to bytes that
 * another thread has written, or a write to bytes that another has read, that does not
 * happen after that access is a race, whatever the order in this run. Writes that change no
 * byte are not races. */
#ifndef TILEWRIGHT_GRID_CHECK_RACE_H
#define TILEWRIGHT_GRID_CHECK_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ir_op ir_op;
typedef struct dev_machine dev_machine;
typedef struct dev_core dev_core;
typedef struct dev_thread dev_thread;
typedef struct dev_memory dev_memory;
typedef struct dev_races dev_races;

enum { DEV_NEAR = 4 }; /* threads of a core with a slot in its clocks */

/* Clock over all threads of the grid; shared, immutable while it has several references. */
typedef struct dev_far {
    uint32_t references;
    int32_t counts[];
} dev_far;

/* The clock of a thread, or of a page: of the core's own threads, and of all. */
typedef struct dev_clock {
    int32_t near[DEV_NEAR];
    dev_far *far; /* NULL: all zero */
} dev_clock;

dev_races *dev_races_create(void);
void dev_races_destroy(dev_races *races);
void dev_shadow_free(dev_memory *memory);

/* Called when a program begins, after its threads are created, and when it ends. */
void dev_races_begin(dev_machine *m);
void dev_races_end(dev_machine *m);

/* Out-of-line parts of dev_race_release and dev_race_acquire (machine.h). */
void dev_race_learn(dev_thread *t, dev_far *far);
void dev_race_keep(dev_thread *t, dev_clock *page);

/* Release and acquire through a word: the clock that is sent with it (one for all receivers
 * of a multicast), and its arrival. `op` adds to the word or sets it. */
dev_far *dev_race_send(dev_thread *t);
void dev_far_release(dev_races *races, dev_far *far);
void dev_race_word_comes(dev_thread *t, ir_op *op, dev_memory *l1, size_t at, dev_far *sent,
                         bool adds);
/* The thread waits for a word of its core to equal one exact value. */
void dev_race_wait_word(dev_thread *t, ir_op *op, size_t at);
/* The thread sets a word of its core. */
void dev_race_set_word(dev_thread *t, ir_op *op, size_t at);
/* True if a word of a core's memory is used for signalling. */
bool dev_race_is_word(const dev_thread *t, dev_memory *l1, size_t at, size_t size);
/* The thread acquires the clocks of the words in a range of a core's memory. */
void dev_race_see_words(dev_thread *t, dev_memory *l1, size_t at, size_t size);

/* Prefetches the recorded accesses of these bytes. */
void dev_race_prefetch(const dev_memory *memory, size_t at);
/* Checks and records a read, or a write (`bytes`: the new contents, if known). `reported`:
 * these bytes already have a report. */
void dev_race_read(dev_thread *t, ir_op *op, dev_memory *memory, size_t at, size_t size,
                   bool reported);
void dev_race_write(dev_thread *t, ir_op *op, dev_memory *memory, size_t at, size_t size,
                    const uint8_t *bytes, bool reported);

#endif
