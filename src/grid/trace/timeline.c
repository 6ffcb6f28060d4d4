/* timeline.c: see timeline.h. */
#include "grid/trace/timeline.h"

#include "grid/units/code.h"
#include "ttl/ttl.h"

#include <math.h>
#include <stdlib.h>

enum { LANES = 8, MAX_ROWS = DEV_TRACKS + LANES };

/* Assigns a lane to each span; used: number of lanes per thread. */
static uint8_t *find_lanes(const dev_machine *m, uint8_t *used)
{
    uint8_t *lanes = tw_xcalloc(m->profile.n_spans + 1, 1);
    double(*ends)[LANES] = tw_xcalloc(m->n_threads + 1, sizeof *ends);
    for (size_t i = 0; i < m->profile.n_spans; i++) {
        const dev_span_record *s = &m->profile.spans[i];
        const uint32_t t = s->thread->number;
        if (s->track != DEV_TRACK_NOC)
            continue;
        int lane = 0;
        while (lane + 1 < LANES && ends[t][lane] > s->start)
            lane++;
        ends[t][lane] = fmax(ends[t][lane], s->end);
        lanes[i] = (uint8_t)lane;
        used[t] = (uint8_t)TW_MAX(used[t], lane + 1);
    }
    free(ends);
    return lanes;
}

dev_timeline dev_timeline_of(const dev_machine *m)
{
    dev_timeline out = {0};
    uint8_t *used = tw_xcalloc(m->n_threads + 1, 1), *lanes = find_lanes(m, used);
    uint32_t *rows = tw_xcalloc(m->n_threads * MAX_ROWS + 1, sizeof *rows);
    out.rows = tw_xcalloc(m->n_threads * MAX_ROWS + 1, sizeof *out.rows);
    out.row_of_span = tw_xcalloc(m->profile.n_spans + 1, sizeof *out.row_of_span);
    for (size_t i = 0; i < m->n_threads; i++) {
        const dev_thread *t = m->threads[i];
        for (int row = 0; row < DEV_TRACKS + used[t->number]; row++) {
            const int lane = TW_MAX(0, row - DEV_TRACK_NOC);
            const dev_track track = (dev_track)(row - lane);
            if (track != DEV_TRACK_WAIT && (track == DEV_TRACK_NOC) == t->is_compute)
                continue;
            if (lane && lane >= used[t->number])
                continue;
            rows[t->number * MAX_ROWS + (unsigned)row] = (uint32_t)out.n_rows;
            out.rows[out.n_rows++] = (dev_row){t, track, lane};
        }
    }
    for (size_t i = 0; i < m->profile.n_spans; i++) {
        const dev_span_record *s = &m->profile.spans[i];
        out.row_of_span[i] =
            rows[s->thread->number * MAX_ROWS + (unsigned)s->track + lanes[i]];
    }
    free(rows);
    free(lanes);
    free(used);
    return out;
}

void dev_timeline_free(dev_timeline *t)
{
    free(t->rows);
    free(t->row_of_span);
    *t = (dev_timeline){0};
}

const char *dev_track_name(dev_track track)
{
    static const char *const names[DEV_TRACKS] = {
        [DEV_TRACK_WAIT] = "waits", [DEV_TRACK_UNPACK] = "unpack",
        [DEV_TRACK_MATH] = "math",  [DEV_TRACK_PACK] = "pack",
        [DEV_TRACK_NOC] = "NoC",
    };
    return names[track];
}

void dev_row_name(const dev_row *row, tw_strbuf *out)
{
    tw_strbuf_str(out, ir_symbol_name(row->thread->code->function));
    tw_strbuf_printf(out, " %s", dev_track_name(row->track));
    if (row->lane)
        tw_strbuf_printf(out, " %d", row->lane + 1);
}

tw_str dev_span_name(const ir_op *op)
{
    if (!op)
        return TW_STR("?");
    if (ir_op_is(op, TTL_OP(signpost)))
        return ir_attr_str(ir_op_attr(op, "name"));
    const char *dot = strchr(op->def->name, '.');
    return tw_str_from(dot ? dot + 1 : op->def->name);
}

void dev_span_buffer(const dev_span_record *span, tw_strbuf *out)
{
    if (span->cb->name)
        tw_strbuf_puts(out, span->cb->name);
    else
        tw_strbuf_printf(out, "buffer %d", (int)(span->cb - span->thread->core->cb));
}

bool dev_span_location(ir_context *ctx, const ir_op *op, tw_str *out_file,
                       uint32_t *out_line)
{
    ir_ident file;
    uint32_t column;
    if (!op || !ir_loc_position(ctx, op->loc, &file, out_line, &column))
        return false;
    const tw_str path = ir_ident_str(file);
    const char *slash = memrchr(path.data, '/', path.size);
    const size_t before = slash ? (size_t)(slash + 1 - path.data) : 0;
    *out_file = (tw_str){path.data + before, path.size - before};
    return true;
}
