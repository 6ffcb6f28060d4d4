/* grid/check/report.h: errors of kernels: recorded once for all cores that make them,
 * reported with all locations (report.c); deadlocks (deadlock.c). */
#ifndef TILEWRIGHT_GRID_CHECK_REPORT_H
#define TILEWRIGHT_GRID_CHECK_REPORT_H

#include "grid/check/race.h"
#include "ir/op.h"

typedef struct dev_cb dev_cb;

typedef enum dev_report_class {
    DEV_CB_OVERFLOW,
    DEV_CB_UNRESERVED, /* an overflow of what the reserves granted */
    DEV_CB_UNDERFLOW,
    DEV_CB_PROTOCOL,
    DEV_CB_KEPT,
    DEV_CB_OWN, /* the protocol of a buffer that its kernel alone uses */
    DEV_CB_WINDOW,
    DEV_DST_USE,
    DEV_DST_RANGE,
    DEV_DST_LOST,
    DEV_INIT,
    DEV_UNINITIALISED,
    DEV_PARTLY_WRITTEN, /* of a page */
    DEV_MISSING_BARRIER,
    DEV_WRONG_BARRIER,
    DEV_UNFINISHED,
    DEV_ORDER,
    DEV_RACE,
    DEV_DRAM_RACE,
    DEV_L1_RANGE,
    DEV_NOC_RANGE,
    DEV_ALIGNMENT,
    DEV_MULTICAST,
    DEV_SEMAPHORE,
    DEV_ARGUMENT,
    DEV_FORMAT,
    DEV_PAGE_SIZE,
    DEV_PADDING,
    DEV_PADDED_OPERAND,
    DEV_DEADLOCK,
    DEV_BUDGET,
    DEV_REPORT_CLASSES
} dev_report_class;

enum { DEV_CORE_WORDS = 4 }; /* words of a bit set of a chip's cores */

typedef struct dev_note {
    ir_loc loc;
    char *text;
} dev_note;

typedef struct dev_report {
    dev_report_class what;
    ir_op *op, *other; /* other: the second location, or NULL */
    ir_op *kernel;     /* the thread's */
    char *text, *note; /* note: about `other`, or what to do */
    dev_note *more;
    size_t n_more, more_capacity;
    uint64_t cores[DEV_CORE_WORDS];
    int y, x, times; /* the first core */
    double cycle;
} dev_report;

/* Passes the reports to the context's diagnostic handler and clears them; returns the
 * number of errors. */
size_t dev_machine_report(dev_machine *m);
void dev_reports_clear(dev_machine *m);
/* One report at the likely cause, with a note for each other wait. */
void dev_report_deadlock(dev_machine *m);
dev_report *dev_report_find(dev_machine *m, dev_report_class what, const ir_op *op);
/* Adds a note; takes ownership of the text. */
void dev_report_note(dev_report *r, ir_op *op, tw_strbuf *text);
void dev_report_note_at(dev_report *r, ir_loc loc, tw_strbuf *text);
const char *dev_report_name(dev_report_class what);
bool dev_report_warns(const dev_report *r);
tw_str dev_report_kernel(const dev_report *r); /* the function that contains it */
char *dev_report_text(const dev_machine *m, const dev_report *r); /* caller frees */
tw_str dev_function_of(const ir_op *op);
void dev_cores_add(const dev_machine *m, const dev_core *core, uint64_t *cores);
/* "0,3" or "0,0-3,7 and 5,1"; "core 0,3" or "cores 0,0-3,7 and 5,1" */
void dev_cores_print(const dev_machine *m, const uint64_t *cores, tw_strbuf *out);
void dev_cores_name(const dev_machine *m, const uint64_t *cores, tw_strbuf *out);
/* "address 0x400 of DRAM", or an address of L1 with the buffer that contains it. */
void dev_address_describe(const dev_thread *t, dev_memory *memory, size_t at,
                          tw_strbuf *out);
/* Returns the circular buffer of a core that contains these bytes, or NULL. */
dev_cb *dev_cb_owner(dev_core *core, size_t at, size_t size);
/* "circular buffer 3 ('name')" */
void dev_cb_describe(const dev_core *core, const dev_cb *cb, tw_strbuf *out);

/* Returns the plural ending for a count. */
static inline const char *dev_s(long long n)
{
    return n == 1 ? "" : "s";
}

/* Notes on arithmetic without a defined result, shared by kernels in IR and in C++. */
#define DEV_DIVISION_NOTE "hardware's result is undefined; test the divisor before"
#define DEV_SHIFT_NOTE "hardware shifts by the lowest bits of the number only"

/* Records an error; repetitions on other cores are counted. `other` with `note` is the
 * second location; both may be NULL. */
void dev_report_at(dev_thread *t, dev_report_class what, ir_op *op, ir_op *other,
                   const char *note, const char *format, ...) TW_PRINTF(6, 7);

#endif
