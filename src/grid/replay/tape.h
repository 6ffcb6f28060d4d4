/* grid/replay/tape.h: programs that run again as they ran before.
 *
 * Clocks, marks, circular buffers and reports never depend on numbers (jobs.h).  So a
 * program whose kernels leave all bytes to jobs does the same jobs whenever it starts with
 * the same arguments, tensors at the same places and the same schedule: its second run is
 * recorded, later ones do the recorded jobs and end at the same cycle.  What a run can be
 * told by is its key; that its inputs are defined is looked up every time.  Runs with
 * reports, with a profile, or that looked at bytes are never taken from a tape.
 *
 * A recording is folded (tape_fold.c): copies from DRAM to L1 and back that only bring
 * bytes to where an operation reads them are left out, the operation reads and writes what
 * they copied; bytes that nobody can see after the program are not computed. */
#ifndef TILEWRIGHT_GRID_REPLAY_TAPE_H
#define TILEWRIGHT_GRID_REPLAY_TAPE_H

#include "grid/machine/program.h"

/* The jobs of a run so far. */
struct dev_recording {
    dev_job *jobs;
    size_t n, capacity;
    bool full; /* too many */
};

/* A memory that jobs touch: a bank of a tensor, a core's L1, or a tile of DST. */
typedef struct dev_tape_memory {
    const uint8_t *bytes; /* where it lay */
    size_t size;
    dev_memory *memory; /* as it was; NULL: DST */
    int core;           /* -1: none */
    size_t buffer;      /* of a bank */
    int bank;
    size_t low, high; /* what is touched of it */
    uint32_t first;   /* number of its first grain, the one at `low` */
    uint8_t *own;     /* a tile of the tape's for one of DST's */
    uint64_t version; /* when operands in it were prepared last; 0: never */
    bool prepared;    /* there are such operands */
    bool fresh;       /* they need not be prepared again */
} dev_tape_memory;

typedef struct dev_tape_range {
    uint32_t memory;
    size_t at, size;
} dev_tape_range;

enum { DEV_JOB_OUT, DEV_JOB_A, DEV_JOB_B, DEV_JOB_PLACES };

enum { DEV_NO_MEMORY = UINT16_MAX }; /* the tape's own */

/* A job, the memories in which its operands lie, and its unit: its number + 1, or 0. */
typedef struct dev_tape_job {
    dev_job job;
    uint16_t memory[DEV_JOB_PLACES], unit;
} dev_tape_job;

/* So many parts that neither thread of the host waits for the other for long. */
enum { DEV_TAPE_PARTS = 64 };

typedef struct dev_tape {
    int64_t *key;
    dev_tape_job *jobs; /* those that prepare operands of products; then n others */
    size_t n_prepare, n;
    /* Of the n: where parts begin that do not touch each other's bytes, and the end. */
    uint32_t parts[DEV_TAPE_PARTS + 1];
    size_t n_parts;
    struct dev_prepared *prepared;
    dev_tape_memory *memories;
    size_t n_memories;
    dev_tape_range *needs, *writes; /* what must be defined before; what is, then */
    size_t n_needs, n_writes;
    struct dev_tape_buffer {
        size_t index;
        dev_buffer as; /* without its memory */
    } * buffers;
    size_t n_buffers;
    dev_compute **units; /* each for the first thread of the host, and for the second */
    size_t n_units;
    double cycles;
    dev_figures *threads;
    size_t n_threads;
    uint64_t noc_bytes, dram_bytes, noc_transfers;
} dev_tape;

/* Runs the program from a tape, if there is one that fits. */
bool dev_tapes_play(dev_machine *m, dev_program *p);
/* Whether the run that begins is worth recording: one like it has been before. */
bool dev_tapes_want(const dev_machine *m, dev_program *p);
/* The machine's recording of the run that has ended becomes a tape, if it can. */
void dev_tapes_keep(dev_machine *m, dev_program *p);
void dev_tapes_free(struct dev_tapes *tapes);
void dev_tape_free(dev_tape *tape);

/* tape_fold.c: fills jobs, memories and ranges; false where it cannot be done. */
bool dev_tape_fold(const dev_machine *m, const dev_program *p, const dev_recording *from,
                   dev_tape *to);

/* Bytes of an operand of a job. */
size_t dev_job_bytes(const dev_job *job, int place);

#endif
