/* grid/machine/speed.h: a run in which one part of the device, one circular buffer or one
 * line of the kernels is better than it is: the knob of "what would help".
 *
 * Costs are the chip's table with some entries scaled. Of a line, all costs that its
 * operations book are scaled: the table is exchanged before each operation. */
#ifndef TILEWRIGHT_GRID_MACHINE_SPEED_H
#define TILEWRIGHT_GRID_MACHINE_SPEED_H

#include "ir/op.h"
#include "ttcore/system/chip_costs.h"

typedef struct dev_machine dev_machine;
typedef struct dev_thread dev_thread;
typedef struct dev_program dev_program;

/* Parts of the device, and all of them: a line's costs. */
typedef enum dev_part {
    DEV_PART_DRAM,
    DEV_PART_NOC,
    DEV_PART_UNPACK,
    DEV_PART_MATH,
    DEV_PART_PACK,
    DEV_PART_CALLS, /* calls and scalar operations of the cores' processors */
    DEV_PARTS,
    DEV_PART_ALL = DEV_PARTS,
} dev_part;

const char *dev_part_name(dev_part part);

typedef struct dev_line {
    ir_ident file;
    uint32_t line;
} dev_line;

typedef struct dev_speed {
    dev_chip chip, at_line; /* at_line: while an operation of `line` runs */
    dev_line line;          /* file NULL: none */
    int port;               /* of the circular buffer that has twice its pages; -1: none */
    /* Results: */
    bool no_room;    /* there is no space in L1 for these pages */
    double cycles;   /* of all programs of the run */
    dev_line *lines; /* that operations have, in the order of their first execution */
    size_t n_lines, lines_capacity;
    uint64_t ports;     /* configured circular buffers, a bit each; */
    uint32_t pages[64]; /* their sizes */
    const char *names[64];
    struct dev_cb_spec *saved; /* of the buffer with more pages, while the program runs */
} dev_speed;

/* Prepares a run on a chip without a change. */
void dev_speed_begin(dev_speed *s, const dev_chip *chip);
void dev_speed_free(dev_speed *s);
/* The costs of a part, times `factor`: 0.5 is twice as fast, 0 takes no time. */
void dev_speed_scale(dev_chip *chip, dev_part part, double factor);

/* Called by the machine where `speed` is set: before an operation, when a thread goes on,
 * before and after a program. */
void dev_speed_call(dev_thread *t, const ir_op *op);
void dev_speed_resume(dev_thread *t);
void dev_speed_begin_program(dev_machine *m, dev_program *p);
void dev_speed_end_program(dev_machine *m, dev_program *p);

#endif
