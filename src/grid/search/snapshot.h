/* grid/search/snapshot.h: the bytes of a launch's tensors and the device's clock, which
 * each run of a search finds as they were. */
#ifndef TILEWRIGHT_GRID_SEARCH_SNAPSHOT_H
#define TILEWRIGHT_GRID_SEARCH_SNAPSHOT_H

#include "grid/machine/machine.h"

typedef struct dev_saved_range {
    dev_memory *memory;
    size_t at, size;
    uint8_t *bytes;
    uint32_t *chunks, *marks;
} dev_saved_range;

typedef struct dev_snapshot {
    dev_machine *m;
    dev_saved_range *ranges;
    size_t n, capacity;
    double finish, *link_free;
} dev_snapshot;

/* Saves these tensors (indices of buffers). */
void dev_snapshot_save(dev_snapshot *s, dev_machine *m, const size_t *buffers, size_t n);
void dev_snapshot_restore(const dev_snapshot *s);
/* A hash of the tensors' present bytes. */
uint64_t dev_snapshot_hash(const dev_snapshot *s);
void dev_snapshot_free(dev_snapshot *s);

#endif
