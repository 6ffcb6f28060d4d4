/* grid/machine/loan.h: pages of L1 whose bytes are still only in DRAM.
 *
 * A NoC read of whole pages into a circular buffer copies nothing: the page is on loan, and
 * the unpackers read DRAM. The bytes are copied, the loan settled, before either side
 * changes, before anything else looks at the page, and when the program ends. Marks, clocks
 * and recorded accesses are those of a copy: who may see the bytes does not depend on it.
 */
#ifndef TILEWRIGHT_GRID_MACHINE_LOAN_H
#define TILEWRIGHT_GRID_MACHINE_LOAN_H

#include "grid/machine/memory.h"

typedef struct dev_machine dev_machine;

/* Chunks of the largest page that is lent: a tile of 32-bit elements. */
enum { DEV_LOAN_CHUNKS = 4 };

typedef struct dev_loan {
    dev_memory *to, *from; /* a core's L1, a bank; to NULL: free */
    size_t to_at, from_at, size;
    uint32_t before, next; /* those whose bytes begin in the same chunk of the bank; 0: none
                              (next also lists the free ones) */
} dev_loan;

/* Of a program. Index 0 of `at` is unused. */
typedef struct dev_loans {
    dev_loan *at;
    size_t n, capacity;
    uint32_t free;
    size_t live;
} dev_loans;

/* Lends whole chunks of a bank to L1, instead of copying them. False, without effect, if
 * they cannot be lent: then the caller copies. */
bool dev_loan_make(dev_machine *m, dev_memory *to, size_t to_at, dev_memory *from,
                   size_t from_at, size_t size);
/* Settles the loans to a range (of L1), or from it (of a bank). */
void dev_loans_settle_range(dev_machine *m, const dev_memory *memory, size_t at,
                            size_t size);
void dev_loans_settle_all(dev_machine *m);
/* Out-of-line part of dev_bytes_at. */
const uint8_t *dev_loan_bytes(dev_machine *m, const dev_memory *memory, size_t at,
                              size_t size);

/* Called before bytes of a memory change, or are used where they lie. */
static inline void dev_own_bytes(dev_machine *m, const dev_memory *memory, size_t at,
                                 size_t size)
{
    if (TW_UNLIKELY(memory->loans != NULL))
        dev_loans_settle_range(m, memory, at, size);
}

/* Returns where the bytes of a range are at present, to be read before anything changes. */
static inline const uint8_t *dev_bytes_at(dev_machine *m, const dev_memory *memory,
                                          size_t at, size_t size)
{
    return memory->loans && !memory->base ? dev_loan_bytes(m, memory, at, size)
                                          : memory->bytes + at;
}

/* Returns the bank in which all bytes of a page of L1 are, or NULL; after dev_bytes_at. */
static inline const dev_memory *dev_lender(const dev_loans *l, const dev_memory *l1,
                                           size_t at)
{
    const uint32_t n = l1->loans ? l1->loans[at / DEV_CHUNK] : 0;
    return n ? l->at[n].from : NULL;
}

#endif
