/* kernel_abi.h: the interface between kernels in C++ and the machine that runs them. C and
 * C++; the library also embeds its text, against which kernels are compiled. */
#ifndef TILEWRIGHT_GRID_NATIVE_CPP_KERNEL_ABI_H
#define TILEWRIGHT_GRID_NATIVE_CPP_KERNEL_ABI_H

#include <stdint.h>

enum {
    TW_KERNEL_ABI = 6,
    TW_KERNEL_OPERANDS = 14,
    TW_KERNEL_GROUP_BITS = 4,
    TW_KERNEL_GUARD =
        256 * 1024, /* bytes after a kernel's variables that must not be accessed */
};
/* Value of an attribute that the call does not give. */
#define TW_KERNEL_ABSENT INT64_MIN

/* A location in the kernel's source; without a file, `pc` is the code address. */
typedef struct tw_kernel_location {
    const char *file;
    uint32_t line, column;
    uintptr_t pc;
} tw_kernel_location;

/* One operation of TTKernel: the index of its row, its operands concatenated, and the
 * number of operands in each of the row's groups (four bits each, the first lowest). */
typedef struct tw_kernel_call {
    tw_kernel_location at;
    uint16_t op, width; /* width: bits of the loaded or stored word */
    uint8_t n_operands, n_attrs;
    uint16_t variant; /* what the kernel API adds to the row: 1 + a BroadcastType of the
                       * second operand; 1 for the second source of a format */
    uint32_t blocks;  /* basic blocks executed since the last call */
    uint64_t groups;
    const int64_t *operands, *attrs;
} tw_kernel_call;

/* Calls other than operations. */
typedef enum tw_kernel_question {
    TW_ASK_NOC,          /* the thread's own NoC */
    TW_ASK_INTERLEAVED,  /* NoC address of page b of the interleaved tensor at a; c: its
                          * page's bytes, in DRAM if d */
    TW_ASK_PAGE_BYTES,   /* of accessor a's tensor */
    TW_ASK_PLACE,        /* field b of NoC address a: x, y, x_end, y_end, address */
    TW_ASK_PAGES,        /* of circular buffer a */
    TW_ASK_DST_IS_MATHS, /* whether the math unit owns DST */
    TW_ASK_BUFFER, /* field b of circular buffer a: pages that have arrived, free pages,
                    * bytes of a page, the addresses of the ring's start, of the next page
                    * to read and of the next to write */
    TW_ASK_TILE,   /* address of the values of DST tile a, for reading (b 0), overwriting
                    * all (1) or some (2); integers if c */
    TW_ASK_PACKED_TILE, /* of the values of DST tile a, owned by the packer */
    TW_SAY_TILE,     /* DST tile a is written, as integers if b, in c vector instructions */
    TW_SAY_DIVISION, /* a divided by b, without a defined result */
    TW_SAY_SHIFT,    /* shift of an a-bit value by b */
    TW_ASK_TILE_WRITTEN, /* whether DST tile a was written */
    TW_ASK_CYCLE,        /* since the program began, advanced by a */
    TW_SAY_ZONE,      /* the end of a zone of the kernel: its name a, its first cycle b */
    TW_SAY_POINTER,   /* field b of circular buffer a (TW_ASK_BUFFER) is set to address c */
    TW_SAY_ASSERTION, /* assertion with the text a failed */
    TW_SAY_MISTAKE,   /* error with text a; of DST if b, and the kernel continues */
    TW_ASK_SET_UP,    /* whether an init has configured the unpackers */
    TW_SAY_BOUNDS,    /* index a is out of bounds of an array of the type in text b */
} tw_kernel_question;

typedef struct tw_kernel_machine {
    int64_t (*call)(void *thread, const tw_kernel_call *call);
    int64_t (*ask)(void *thread, const tw_kernel_location *at, tw_kernel_question what,
                   const int64_t *values);
    void (*print)(void *thread, const tw_kernel_location *at, const char *text);
    /* Called when basic blocks were executed without a call. */
    void (*step)(void *thread, uint32_t blocks, uintptr_t pc);
} tw_kernel_machine;

/* The table that a compiled file of kernels exports as tw_kernel_module. */
typedef struct tw_kernel_module_info {
    uint32_t abi, n_entries;
    void (*enter)(void *thread); /* subsequent calls are this thread's */
    void (*const *entries)(void);
    /* The last TW_KERNEL_GUARD bytes of its memory: one page that begins with the machine's
     * address, read-only for the kernel, then pages it must not access. */
    const tw_kernel_machine **guard;
} tw_kernel_module_info;

#endif
