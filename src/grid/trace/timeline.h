/* grid/trace/timeline.h: rows of the timeline, for Perfetto and for the page: each thread
 * has one for its waits and one for each unit that works for it. Transfers of a NoC
 * overlap: they are distributed over lanes, since viewers show overlapping spans of one row
 * as nested. */
#ifndef TILEWRIGHT_GRID_TRACE_TIMELINE_H
#define TILEWRIGHT_GRID_TRACE_TIMELINE_H

#include "grid/machine/machine.h"

typedef struct dev_row {
    const dev_thread *thread;
    dev_track track;
    int lane; /* from 0 */
} dev_row;

typedef struct dev_timeline {
    dev_row *rows; /* rows of a thread are contiguous */
    size_t n_rows;
    uint32_t *row_of_span;
} dev_timeline;

dev_timeline dev_timeline_of(const dev_machine *m);
void dev_timeline_free(dev_timeline *t);
/* "compute math", "reader NoC 2" */
void dev_row_name(const dev_row *row, tw_strbuf *out);
const char *dev_track_name(dev_track track);
/* Name of a span: "add_tiles" for ttkernel.add_tiles, or a signpost's text. */
tw_str dev_span_name(const ir_op *op);
/* The circular buffer that was waited for: its name, or "buffer 3". */
void dev_span_buffer(const dev_span_record *span, tw_strbuf *out);
/* File (without its folders) and line of an operation, or false. */
bool dev_span_location(ir_context *ctx, const ir_op *op, tw_str *out_file,
                       uint32_t *out_line);

#endif
