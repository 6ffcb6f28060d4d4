/* grid/check/race.h: accesses that nothing orders.
 *
 * Threads and cores are ordered by what hardware orders them with: pages of circular
 * buffers that were pushed and waited for, popped and reserved again; words (semaphores)
 * that were sent or set and waited for or loaded.  Each thread counts its releases; a
 * clock says how far the work of every thread is known to be over.  Memory remembers who
 * wrote and read it last, at which count: whoever touches bytes that another has written,
 * or writes what another has read, without knowing of that, has a race, whatever the
 * schedule of this run made of it.  Writes that change nothing are none. */
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

enum { DEV_NEAR = 4 }; /* threads of a core that have a place in its clocks */

/* What is known of threads anywhere; shared, and never changed once it is. */
typedef struct dev_far {
    uint32_t references;
    int32_t counts[];
} dev_far;

/* What a thread knows, or a page carries: of the core's own threads, and of all. */
typedef struct dev_clock {
    int32_t near[DEV_NEAR];
    dev_far *far; /* NULL: nothing */
} dev_clock;

dev_races *dev_races_create(void);
void dev_races_destroy(dev_races *races);
void dev_shadow_free(dev_memory *memory);

/* A program begins, its threads being there; ends. */
void dev_races_begin(dev_machine *m);
void dev_races_end(dev_machine *m);

/* For dev_race_release and dev_race_acquire (machine.h). */
void dev_race_learn(dev_thread *t, dev_far *far);
void dev_race_keep(dev_thread *t, dev_clock *page);

/* The same by a word: what is sent with it (one for all receivers of a multicast), and its
 * arrival.  `op` adds to the word or sets it. */
dev_far *dev_race_send(dev_thread *t);
void dev_far_release(dev_races *races, dev_far *far);
void dev_race_word_comes(dev_thread *t, ir_op *op, dev_memory *l1, size_t at, dev_far *sent,
                         bool adds);
/* The thread has waited for a word of its core to have just one value. */
void dev_race_wait_word(dev_thread *t, ir_op *op, size_t at);
/* The thread sets a word of its core. */
void dev_race_set_word(dev_thread *t, ir_op *op, size_t at);
/* Whether a word of a core's memory is there to signal with. */
bool dev_race_is_word(const dev_thread *t, dev_memory *l1, size_t at, size_t size);
/* The thread has seen the words in a range of a core's memory. */
void dev_race_see_words(dev_thread *t, dev_memory *l1, size_t at, size_t size);

/* What it remembers of these bytes is needed soon. */
void dev_race_prefetch(const dev_memory *memory, size_t at);
/* Bytes are read; are written (by `bytes`, where that is known).  `told`: something has
 * been reported about this already. */
void dev_race_read(dev_thread *t, ir_op *op, dev_memory *memory, size_t at, size_t size,
                   bool told);
void dev_race_write(dev_thread *t, ir_op *op, dev_memory *memory, size_t at, size_t size,
                    const uint8_t *bytes, bool told);

#endif
