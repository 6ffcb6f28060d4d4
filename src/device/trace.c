/* trace.c: what a program did in time: spans of threads and units, as Perfetto's JSON, as
 * text and as one page of HTML. */
#include "device/program.h"
#include "dialect/ttl/ttl.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_SPANS = 1 << 20 };

void dev_span_keep(dev_thread *t, dev_track track, const ir_op *op, double start,
                   double end)
{
    dev_machine *m = t->machine;
    bool point = ir_op_is(op, TTL_OP(signpost));
    if (m->n_spans >= MAX_SPANS || (end <= start && !point))
        return;
    dev_span_record s = {t, track, op, start - m->begin, end - m->begin};
    TW_PUSH(m->spans, m->n_spans, m->spans_capacity, s);
}

static const char *const track_names[DEV_TRACKS] = {
    [DEV_TRACK_WAIT] = "waits", [DEV_TRACK_UNPACK] = "unpack", [DEV_TRACK_MATH] = "math",
    [DEV_TRACK_PACK] = "pack",  [DEV_TRACK_NOC] = "NoC",
};

/* ---- Perfetto ---------------------------------------------------------------------- */

/* A row of the timeline: each thread has one for what it does and waits for, and one for
 * each unit that works for it. */
static unsigned row_of(const dev_thread *t, int track)
{
    return t->number * DEV_TRACKS + (unsigned)track + 1;
}

/* Names are identifiers mostly; what would need escaping in JSON or HTML is shown as _. */
static void put_name(tw_str name, tw_strbuf *out)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     (c >= '0' && c <= '9') || c == '.' || c == '-';
        tw_strbuf_putc(out, plain ? c : '_');
    }
}

static void name_row(const dev_machine *m, const dev_thread *t, int track, tw_strbuf *out)
{
    tw_str name = ir_symbol_name(t->code->function);
    int core = t->core->y * m->chip->grid_x + t->core->x;
    tw_strbuf_printf(out,
                     ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%u,\"name\":\"thread_name\","
                     "\"args\":{\"name\":\"",
                     core, row_of(t, track));
    put_name(name, out);
    tw_strbuf_printf(out, " %s\"}}", track_names[track]);
}

/* "add_tiles" of "ttkernel.add_tiles". */
static const char *short_name(const ir_op *op)
{
    const char *dot = op ? strchr(op->def->name, '.') : NULL;
    return dot ? dot + 1 : "?";
}

static void write_span(const dev_machine *m, const dev_span_record *s, tw_strbuf *out)
{
    const dev_core *core = s->thread->core;
    double us = 1 / m->chip->clock_ghz / 1000;
    ir_ident file;
    uint32_t line, column;
    tw_strbuf_printf(out,
                     ",\n{\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"ts\":%.4f,\"dur\":%.4f,"
                     "\"cat\":\"%s\",\"name\":\"",
                     core->y * m->chip->grid_x + core->x, row_of(s->thread, s->track),
                     s->start * us, (s->end - s->start) * us, track_names[s->track]);
    if (ir_op_is(s->op, TTL_OP(signpost)))
        put_name(ir_attr_str(ir_op_attr(s->op, "name")), out);
    else
        tw_strbuf_puts(out, short_name(s->op));
    tw_strbuf_printf(out, "\",\"args\":{\"cycle\":%.0f", s->start);
    if (s->op && ir_loc_position(m->ctx, s->op->loc, &file, &line, &column))
        tw_strbuf_printf(out, ",\"line\":%u", line);
    tw_strbuf_puts(out, "}}");
}

void dev_trace_perfetto(const dev_machine *m, tw_strbuf *out)
{
    tw_strbuf_printf(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
                          "{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"args\":"
                          "{\"name\":\"core 0,0\"}}");
    for (size_t i = 0; i < m->n_threads; i++) {
        const dev_thread *t = m->threads[i];
        int core = t->core->y * m->chip->grid_x + t->core->x;
        tw_strbuf_printf(out,
                         ",\n{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":"
                         "{\"name\":\"core %d,%d\"}}",
                         core, t->core->y, t->core->x);
        for (int track = 0; track < DEV_TRACKS; track++)
            if (track == DEV_TRACK_WAIT || (track == DEV_TRACK_NOC) != t->is_compute)
                name_row(m, t, track, out);
    }
    for (size_t i = 0; i < m->n_spans; i++)
        write_span(m, &m->spans[i], out);
    tw_strbuf_puts(out, "\n]}\n");
}

/* ---- text -------------------------------------------------------------------------- */

static void shade(double share, tw_strbuf *out)
{
    static const char shades[] = " .:-=+*#%@";
    int i = (int)(share * 9 + 0.5);
    tw_strbuf_putc(out, shades[TW_MIN(TW_MAX(i, 0), 9)]);
}

/* Bytes that each core's NoC interfaces moved, as a map; each bank's beside it. */
static void heat_map(const dev_machine *m, tw_strbuf *out)
{
    const dev_chip *chip = m->chip;
    double most = 1, bank_most = 1;
    for (int i = 0; i < chip->grid_y * chip->grid_x; i++)
        most = fmax(most, (double)m->core_bytes[i]);
    for (int i = 0; i < chip->dram_banks; i++)
        bank_most = fmax(bank_most, (double)m->bank_bytes[i]);
    tw_strbuf_printf(out, "NoC, bytes of a core (@ is %.0f):\n", most);
    for (int y = 0; y < chip->grid_y; y++) {
        tw_strbuf_puts(out, "  |");
        for (int x = 0; x < chip->grid_x; x++) {
            shade((double)m->core_bytes[y * chip->grid_x + x] / most, out);
            shade((double)m->core_bytes[y * chip->grid_x + x] / most, out);
        }
        tw_strbuf_puts(out, "|\n");
    }
    tw_strbuf_printf(out, "DRAM, bytes of a bank (@ is %.0f): |", bank_most);
    for (int i = 0; i < chip->dram_banks; i++)
        shade((double)m->bank_bytes[i] / bank_most, out);
    tw_strbuf_puts(out, "|\n");
}

/* Where the program stands below the roofs of its cores' matrix units and of DRAM. */
static void roofline(const dev_machine *m, const dev_program *p, tw_strbuf *out)
{
    const dev_chip *chip = m->chip;
    int cores = 0;
    double math = 0, pack = 0, flops = m->matrix_flops;
    for (int i = 0; i < chip->grid_y * chip->grid_x; i++) {
        cores += m->cores[i] && m->cores[i]->n_threads;
        math += m->busy[i][DEV_TRACK_MATH];
        pack += m->busy[i][DEV_TRACK_PACK];
    }
    if (!cores || p->cycles <= 0)
        return;
    double span = p->cycles * cores, bytes = (double)m->dram_bytes;
    double peak = cores * 65536.0 / chip->cost.matmul_phase,
           dram = chip->dram_banks * chip->cost.dram_bytes;
    tw_strbuf_printf(out,
                     "%d cores: math busy %.0f%%, packer %.0f%%; DRAM %.1f of %.0f bytes a "
                     "cycle (%.0f%%)\n",
                     cores, 100 * math / span, 100 * pack / span, bytes / p->cycles, dram,
                     100 * bytes / p->cycles / dram);
    if (flops > 0)
        tw_strbuf_printf(
            out,
            "roofline: %.0f of %.0f operations a cycle (%.1f%%; LoFi's roof); %.1f "
            "operations a byte of DRAM, %s\n",
            flops / p->cycles, peak, 100 * flops / p->cycles / peak,
            bytes > 0 ? flops / bytes : 0,
            bytes > 0 && flops / bytes < peak / dram ? "below the ridge: memory-bound"
                                                     : "above the ridge: compute-bound");
}

void dev_trace_text(const dev_machine *m, const dev_program *p, tw_strbuf *out)
{
    roofline(m, p, out);
    heat_map(m, out);
}

/* ---- one page of HTML -------------------------------------------------------------- */

static const char page_top[] =
    "<!doctype html><meta charset=\"utf-8\"><title>Timeline</title>\n"
    "<style>body{font:13px system-ui,sans-serif;margin:1em}canvas{border:1px solid #ccc;"
    "width:100%}pre{background:#f6f6f6;padding:.6em;overflow:auto}#t{min-height:1.4em}</"
    "style>\n"
    "<h1>Timeline</h1><p>Drag to move, wheel to zoom. One row a thread or unit; grey is "
    "waiting.</p><div id=\"t\"></div><canvas id=\"c\"></canvas>\n<pre>";

static const char page_script[] =
    "</pre>\n<script>\n"
    "const rows=[],index=new Map(),names=new Map(),spans=[];\n"
    "for(const e of trace.traceEvents){\n"
    " if(e.ph=='M'){if(e.name=='process_name')names.set(e.pid,e.args.name);\n"
    "  else if(!index.has(e.tid)){index.set(e.tid,rows.length);"
    "rows.push(names.get(e.pid)+' '+e.args.name)}}\n"
    " else if(index.has(e.tid))spans.push([index.get(e.tid),e.ts,e.dur,e.name,e.cat,"
    "e.args])}\n"
    "let end=1e-3;for(const s of spans)end=Math.max(end,s[1]+s[2]);\n"
    "let from=0,to=end;const c=document.getElementById('c'),g=c.getContext('2d'),"
    "t=document.getElementById('t');\n"
    "const H=14,L=170,colors={waits:'#bbb',unpack:'#4e79a7',math:'#e15759',pack:'#59a14f',"
    "NoC:'#f28e2b'};\n"
    "function draw(){c.width=c.clientWidth;c.height=rows.length*H+20;"
    "g.font='11px sans-serif';\n"
    " const k=(c.width-L)/(to-from);\n"
    " rows.forEach((r,i)=>{g.fillStyle=i%2?'#fafafa':'#fff';g.fillRect(0,i*H,c.width,H);"
    "g.fillStyle='#333';g.fillText(r,2,i*H+11)});\n"
    " for(const s of spans){const x=L+(s[1]-from)*k,w=Math.max(s[2]*k,.5);"
    "if(x+w<L||x>c.width)continue;g.fillStyle=colors[s[4]]||'#999';"
    "g.fillRect(Math.max(x,L),s[0]*H+1,w-Math.max(L-x,0),H-2)}\n"
    " g.fillStyle='#333';for(let i=0;i<=8;i++){const v=from+(to-from)*i/8;"
    "g.fillText(v.toFixed(3)+' us',L+(c.width-L)*i/8-(i==8?50:0),rows.length*H+14)}}\n"
    "const at=e=>from+(e.offsetX-L)/(c.width-L)*(to-from);\n"
    "c.onwheel=e=>{e.preventDefault();const p=at(e),f=e.deltaY>0?1.25:.8;"
    "from=p-(p-from)*f;to=p+(to-p)*f;draw()};\n"
    "let drag=null;c.onmousedown=e=>drag=at(e);onmouseup=()=>drag=null;\n"
    "c.onmousemove=e=>{if(drag!==null){const d=drag-at(e);from+=d;to+=d;draw();return}\n"
    " const p=at(e),r=Math.floor(e.offsetY/H);t.textContent='';\n"
    " for(const s of spans)if(s[0]==r&&s[1]<=p&&p<=s[1]+s[2]){t.textContent=rows[r]+': '+"
    "s[3]+', cycle '+s[5].cycle+(s[5].line?', line '+s[5].line:'')+', '+"
    "s[2].toFixed(4)+' us';break}};\n"
    "onresize=draw;draw();\n</script>\n";

static void escape(tw_str text, tw_strbuf *out)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '<')
            tw_strbuf_puts(out, "&lt;");
        else if (c == '&')
            tw_strbuf_puts(out, "&amp;");
        else
            tw_strbuf_putc(out, c);
    }
}

void dev_trace_html(const dev_machine *m, tw_str summary, tw_strbuf *out)
{
    tw_strbuf_puts(out, page_top);
    escape(summary, out);
    tw_strbuf_puts(out, "</pre><script>const trace=");
    dev_trace_perfetto(m, out);
    tw_strbuf_puts(out, "</script><pre>");
    tw_strbuf_puts(out, page_script);
}
