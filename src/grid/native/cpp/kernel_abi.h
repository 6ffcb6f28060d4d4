/* kernel_abi.h: what kernels in C++ and the machine that runs them say to each other.
 * C and C++; the library holds its text, too, which kernels are compiled against. */
#ifndef TILEWRIGHT_GRID_NATIVE_CPP_KERNEL_ABI_H
#define TILEWRIGHT_GRID_NATIVE_CPP_KERNEL_ABI_H

#include <stdint.h>

enum {
    TW_KERNEL_ABI = 6,
    TW_KERNEL_OPERANDS = 14,
    TW_KERNEL_GROUP_BITS = 4,
    TW_KERNEL_GUARD =
        256 * 1024, /* bytes behind a kernel's variables that nobody may use */
};
/* In the place of an attribute that the call says nothing about. */
#define TW_KERNEL_ABSENT INT64_MIN

/* A place in the kernel's source; without a file, `pc` is the place in its code. */
typedef struct tw_kernel_place {
    const char *file;
    uint32_t line, column;
    uintptr_t pc;
} tw_kernel_place;

/* One operation of TTKernel: the number of its row, its operands one behind the other, and
 * how many there are of each of the row's (four bits each, the first lowest). */
typedef struct tw_kernel_call {
    tw_kernel_place at;
    uint16_t op, width; /* width: bits of the word that is loaded or stored */
    uint8_t n_operands, n_attrs;
    uint16_t variant; /* what the kernel API has beyond the row: 1 + a BroadcastType of the
                       * second operand; 1 for the second source of a format */
    uint32_t blocks;  /* basic blocks run since the last call */
    uint64_t groups;
    const int64_t *operands, *attrs;
} tw_kernel_call;

/* What is no operation. */
typedef enum tw_kernel_question {
    TW_ASK_NOC,          /* the thread's own */
    TW_ASK_INTERLEAVED,  /* page b of the interleaved tensor at a; c: its page's bytes, in
                          * DRAM if d: a place on the NoC */
    TW_ASK_PAGE_BYTES,   /* of accessor a's tensor */
    TW_ASK_PLACE,        /* field b of the place a: x, y, x_end, y_end, address */
    TW_ASK_PAGES,        /* of circular buffer a */
    TW_ASK_DST_IS_MATHS, /* whether the math unit has DST */
    TW_ASK_BUFFER, /* field b of circular buffer a: pages that have arrived, pages that
                    * are free, bytes of a page, the addresses of the ring's start, of
                    * the next page to read and of the next to write */
    TW_ASK_TILE,   /* the numbers of DST tile a, as they are (b 0), as all of them will be
                    * written (1), or some (2); integers if c: their address */
    TW_ASK_PACKED_TILE, /* those of DST tile a, which the packer has */
    TW_SAY_TILE, /* DST tile a is written, as integers if b, in c instructions on vectors
                  * of 32 numbers */
    TW_SAY_DIVISION,     /* of a by b, which has no result */
    TW_SAY_SHIFT,        /* of a number of a bits by b */
    TW_ASK_TILE_WRITTEN, /* whether something is in DST tile a */
    TW_ASK_CYCLE,        /* since the program began, after a more */
    TW_SAY_ZONE,    /* a part of the kernel is done: its name a, the cycle b it began at */
    TW_SAY_POINTER, /* field b of circular buffer a (TW_ASK_BUFFER) is the address c */
    TW_SAY_ASSERTION, /* the text a does not hold */
    TW_SAY_MISTAKE,   /* the text a says it; of DST if b, and the kernel goes on */
    TW_ASK_SET_UP,    /* whether an init has set up the unpackers */
    TW_SAY_BOUNDS,    /* index a lies outside of an array, whose type the text b names */
} tw_kernel_question;

typedef struct tw_kernel_machine {
    int64_t (*call)(void *thread, const tw_kernel_call *call);
    int64_t (*ask)(void *thread, const tw_kernel_place *at, tw_kernel_question what,
                   const int64_t *values);
    void (*print)(void *thread, const tw_kernel_place *at, const char *text);
    /* Basic blocks have gone by without a call. */
    void (*step)(void *thread, uint32_t blocks, uintptr_t pc);
} tw_kernel_machine;

/* What a compiled file of kernels exports as tw_kernel_module. */
typedef struct tw_kernel_module_info {
    uint32_t abi, n_entries;
    void (*enter)(void *thread); /* the calls to come are this thread's */
    void (*const *entries)(void);
    /* TW_KERNEL_GUARD bytes, the last ones of its memory: a page that begins with the
     * machine's address, which the kernel only reads, and what it may not touch */
    const tw_kernel_machine **guard;
} tw_kernel_module_info;

#endif
