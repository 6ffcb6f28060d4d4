/* grid/replay/tape.h: replay of programs that run again.
 *
 * Clocks, marks, circular buffers and reports never depend on values (jobs.h). So a program
 * whose kernels access bytes only through jobs does the same jobs whenever it starts with
 * the same arguments, tensors at the same addresses and the same schedule: its second run
 * is recorded, later ones repeat the recorded jobs and end at the same cycle. A run is
 * identified by its key; whether its inputs are defined is checked every time. Runs with
 * reports, with a profile, or that read bytes outside of jobs are never replayed.
 *
 * A recording is folded (tape_fold.c): copies from DRAM to L1 and back whose only purpose
 * is to move bytes to the operation that reads them are removed, and the operation accesses
 * the original bytes; bytes that cannot be observed after the program are not computed. */
#ifndef TILEWRIGHT_GRID_REPLAY_TAPE_H
#define TILEWRIGHT_GRID_REPLAY_TAPE_H

#include "grid/machine/program.h"

/* The jobs of a run so far. */
struct dev_recording {
    dev_job *jobs;
    size_t n, capacity;
    bool full; /* too many jobs */
};

/* A memory that jobs access: a bank of a tensor, a core's L1, or a tile of DST. */
typedef struct dev_tape_memory {
    const uint8_t *bytes; /* its address when recorded */
    size_t size;
    dev_memory *memory; /* in the recorded run; NULL: DST */
    int core;           /* -1: none */
    size_t buffer;      /* of a bank */
    int bank;
    size_t low, high; /* the range of it that is accessed */
    uint32_t first;   /* index of its first grain, the one at `low` */
    uint8_t *own;     /* a tile of the tape's that replaces one of DST */
    uint64_t version; /* when operands in it were last prepared; 0: never */
    bool prepared;    /* has such operands */
    bool fresh;       /* they need not be prepared again */
} dev_tape_memory;

typedef struct dev_tape_range {
    uint32_t memory;
    size_t at, size;
} dev_tape_range;

enum { DEV_JOB_OUT, DEV_JOB_A, DEV_JOB_B, DEV_JOB_OPERANDS };

enum { DEV_NO_MEMORY = UINT16_MAX }; /* the tape's own */

/* A job, the memories of its operands, and the index of its unit + 1, or 0. */
typedef struct dev_tape_job {
    dev_job job;
    uint16_t memory[DEV_JOB_OPERANDS], unit;
} dev_tape_job;

/* Enough parts that neither host thread waits for the other for long. */
enum { DEV_TAPE_PARTS = 64 };

typedef struct dev_tape {
    int64_t *key;
    dev_tape_job *jobs; /* those that prepare operands of matrix products; then n others */
    size_t n_prepare, n;
    /* Of the n: start of each part, and the end; parts do not touch each other's bytes. */
    uint32_t parts[DEV_TAPE_PARTS + 1];
    size_t n_parts;
    struct dev_prepared *prepared;
    dev_tape_memory *memories;
    size_t n_memories;
    dev_tape_range *needs, *writes; /* ranges defined before, and defined by it */
    size_t n_needs, n_writes;
    struct dev_tape_buffer {
        size_t index;
        dev_buffer as; /* without its memory */
    } * buffers;
    size_t n_buffers;
    dev_compute **units; /* one each for the first and the second host thread */
    size_t n_units;
    double cycles;
    dev_figures *threads;
    size_t n_threads;
    uint64_t noc_bytes, dram_bytes, noc_transfers;
} dev_tape;

/* Replays the program from a matching tape; false if there is none. */
bool dev_tapes_play(dev_machine *m, dev_program *p);
/* True if the run that begins should be recorded: a run with the same key came before. */
bool dev_tapes_want(const dev_machine *m, dev_program *p);
/* Converts the machine's recording of the last run to a tape, if possible. */
void dev_tapes_keep(dev_machine *m, dev_program *p);
void dev_tapes_free(struct dev_tapes *tapes);
void dev_tape_free(dev_tape *tape);

/* tape_fold.c: fills jobs, memories and ranges; false if that is impossible. */
bool dev_tape_fold(const dev_machine *m, const dev_program *p, const dev_recording *from,
                   dev_tape *to);

/* Returns the bytes of an operand of a job. */
size_t dev_job_bytes(const dev_job *job, int operand);

#endif
