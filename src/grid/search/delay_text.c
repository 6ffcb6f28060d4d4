/* delay_text.c: delays as text: a file that a run reads again, and notes of reports. */
#include "grid/search/explore.h"

#include "grid/check/report.h"
#include "ir/context.h"

#include <stdlib.h>

static const char *const kinds[DEV_DELAY_KINDS] = {"start", "call", "arrival"};
static const char first_line[] = "tilewright delays 1";

void dev_delay_describe(const dev_delay *d, tw_strbuf *out)
{
    const tw_str name = d->kernel ? ir_symbol_name(d->kernel) : TW_STR("?");
    if (d->kind == DEV_DELAY_ARRIVAL)
        tw_strbuf_printf(
            out,
            "what @%.*s on core %d,%d sends or reads here arrives %.0f cycle%s "
            "later",
            (int)name.size, name.data, d->y, d->x, d->cycles, dev_s((long long)d->cycles));
    else
        tw_strbuf_printf(out, "@%.*s on core %d,%d %s %.0f cycle%s later", (int)name.size,
                         name.data, d->y, d->x,
                         d->kind == DEV_DELAY_START ? "starts" : "comes here", d->cycles,
                         dev_s((long long)d->cycles));
}

void dev_replay_write(ir_context *ctx, const dev_replay *replay, tw_strbuf *out)
{
    const dev_delay_list *list = &replay->delays;
    tw_strbuf_printf(out,
                     "%s\n# delay: program, thread, kind, its count, cycles\nseed %llu\n",
                     first_line, (unsigned long long)replay->seed);
    if (replay->budget)
        tw_strbuf_printf(out, "budget %llu\n", (unsigned long long)replay->budget);
    for (size_t i = 0; i < list->n; i++) {
        const dev_delay *d = &list->at[i];
        ir_ident file;
        unsigned line, column;
        tw_strbuf_printf(out, "delay %u %u %s %u %.0f  # ", d->program, d->thread,
                         kinds[d->kind], d->nth, d->cycles);
        if (d->op && ir_loc_position(ctx, d->op->loc, &file, &line, &column))
            tw_strbuf_printf(out, "%s:%u: ", file->text, line);
        dev_delay_describe(d, out);
        tw_strbuf_putc(out, '\n');
    }
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Reads the words of a line up to a comment; at most `max`. */
static size_t words_of(tw_str line, tw_str *out, size_t max)
{
    size_t n = 0, i = 0;
    while (i < line.size && line.data[i] != '#') {
        if (is_space(line.data[i])) {
            i++;
            continue;
        }
        const size_t start = i;
        while (i < line.size && !is_space(line.data[i]) && line.data[i] != '#')
            i++;
        if (n < max)
            out[n] = (tw_str){line.data + start, i - start};
        n++;
    }
    return n;
}

static bool number_of(tw_str word, uint64_t max, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < word.size; i++) {
        const unsigned digit = (unsigned char)word.data[i] - '0';
        if (digit > 9 || *out > (max - digit) / 10)
            return false;
        *out = *out * 10 + digit;
    }
    return word.size > 0;
}

/* delay PROGRAM THREAD KIND COUNT CYCLES */
static bool read_delay(const tw_str *words, dev_delay *out)
{
    uint64_t program, thread, nth, cycles;
    size_t kind = 0;
    while (kind < DEV_DELAY_KINDS && !tw_str_is(words[3], kinds[kind]))
        kind++;
    if (kind == DEV_DELAY_KINDS || !number_of(words[1], UINT32_MAX, &program) ||
        !number_of(words[2], UINT32_MAX, &thread) ||
        !number_of(words[4], UINT32_MAX, &nth) ||
        !number_of(words[5], UINT64_C(1) << 50, &cycles))
        return false;
    *out = (dev_delay){.program = (uint32_t)program,
                       .thread = (uint32_t)thread,
                       .kind = (dev_delay_kind)kind,
                       .nth = (uint32_t)nth,
                       .cycles = (double)cycles};
    return true;
}

static tw_status read_line(tw_str line, dev_replay *out)
{
    enum { WORDS = 6 };
    tw_str words[WORDS];
    dev_delay d;
    const size_t n = words_of(line, words, WORDS);
    if (!n || (n == 2 && ((tw_str_is(words[0], "seed") &&
                           number_of(words[1], UINT64_MAX, &out->seed)) ||
                          (tw_str_is(words[0], "budget") &&
                           number_of(words[1], UINT64_MAX, &out->budget)))))
        return TW_SUCCESS;
    if (n != WORDS || !tw_str_is(words[0], "delay") || !read_delay(words, &d))
        return tw_error(TW_INVALID,
                        "expected 'seed NUMBER', 'budget NUMBER' or 'delay PROGRAM THREAD "
                        "start|call|arrival COUNT CYCLES', found '%.*s'",
                        (int)line.size, line.data);
    TW_PUSH(out->delays.at, out->delays.n, out->delays.capacity, d);
    return TW_SUCCESS;
}

tw_status dev_replay_read(tw_str text, const char *name, dev_replay *out)
{
    unsigned number = 0;
    out->seed = out->budget = 0;
    out->delays.n = 0;
    for (size_t at = 0; at < text.size;) {
        const char *end = memchr(text.data + at, '\n', text.size - at);
        const size_t size = end ? (size_t)(end - text.data) - at : text.size - at;
        const tw_str line = {text.data + at, size};
        at += size + 1;
        if (++number == 1) {
            if (!tw_str_is(line, first_line))
                return tw_error(TW_INVALID,
                                "%s:1: expected '%s', which --explore writes, found '%.*s'",
                                name, first_line, (int)TW_MIN(size, (size_t)40), line.data);
            continue;
        }
        tw_status status = read_line(line, out);
        if (status != TW_SUCCESS)
            return tw_annotate(status, "%s:%u", name, number);
    }
    dev_delay_list_sort(&out->delays);
    return TW_SUCCESS;
}
