/* run_lines.c: see run_lines.h. */
#include "run_lines.h"

#include "pipelines/registry.h"
#include "support/strbuf.h"

#include <stdlib.h>

/* All RUN lines as one text: continuations joined, commands one a line. */
static void join(tw_str text, tw_strbuf *out)
{
    const char *at = text.data, *end = at + text.size;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        const char *run = memmem(at, (size_t)(stop - at), "RUN:", 4);
        if (run) {
            tw_str line = {run + 4, (size_t)(stop - run - 4)};
            const bool goes_on = line.size && line.data[line.size - 1] == '\\';
            line.size -= goes_on;
            tw_strbuf_str(out, line);
            tw_strbuf_putc(out, goes_on ? ' ' : '\n');
        }
        at = stop + 1;
    }
}

/* The next word of a command, without quotes; NULL at its end (`*at` is behind it). */
static char *next_word(const char **at, tw_arena *arena, bool *out_command_ends)
{
    tw_strbuf word = {0};
    const char *c = *at;
    while (*c == ' ' || *c == '\t')
        c++;
    *out_command_ends = !*c || strchr("|;&\n", *c);
    if (*out_command_ends) {
        *at = *c ? c + 1 : c;
        return NULL;
    }
    char quote = 0;
    for (; *c && *c != '\n' && (quote || !strchr(" \t|;&", *c)); c++) {
        if (quote ? *c == quote : *c == '"' || *c == '\'')
            quote = quote ? 0 : *c;
        else
            tw_strbuf_putc(&word, *c);
    }
    *at = c;
    char *kept = tw_arena_copy(arena, tw_strbuf_text(&word), word.size);
    tw_strbuf_free(&word);
    return kept;
}

static bool is_opt(const char *word)
{
    static const char *const names[] = {"ttmlir-opt", "stablehlo-opt", "sdy_opt",
                                        "ttlang-opt", "mlir-opt",      "mpmd_opt"};
    for (size_t i = 0; i < TW_COUNT(names); i++)
        if (strcmp(word, names[i]) == 0)
            return true;
    return false;
}

static void add_pass(run_line *line, char *option, tw_arena *arena)
{
    char *name = option + strspn(option, "-"), *value = strchr(name, '=');
    const char *options = value ? tw_arena_copy(arena, value + 1, strlen(value + 1)) : "";
    if (value)
        *value = 0;
    const tw_str key = tw_str_from(name);
    run_pass pass = {NULL, options};
    line->split |= strcmp(name, "split-input-file") == 0;
    line->unregistered |= strcmp(name, "allow-unregistered-dialect") == 0;
    if (pass_find(&tw_passes, key))
        pass.name = pass_find(&tw_passes, key)->name;
    else if (pass_find_pipeline(&tw_passes, key))
        pass.name = pass_find_pipeline(&tw_passes, key)->name;
    else if (strcmp(name, "pass-pipeline") != 0)
        return;
    TW_PUSH(line->at, line->n, line->capacity, pass);
}

void run_lines_read(tw_str text, tw_arena *arena, run_lines *out)
{
    tw_strbuf joined = {0};
    bool ends;
    join(text, &joined);
    for (const char *at = tw_strbuf_text(&joined); *at;) {
        run_line line = {0};
        char *word = next_word(&at, arena, &ends);
        while (word && strcmp(word, "not") == 0)
            word = next_word(&at, arena, &ends);
        const bool wanted = word && is_opt(word);
        while (word) {
            word = next_word(&at, arena, &ends);
            if (wanted && word && *word == '-')
                add_pass(&line, word, arena);
        }
        if (line.n)
            TW_PUSH(out->at, out->n, out->capacity, line);
        else
            free(line.at);
    }
    tw_strbuf_free(&joined);
}

void run_lines_free(run_lines *lines)
{
    for (size_t i = 0; i < lines->n; i++)
        free(lines->at[i].at);
    free(lines->at);
    *lines = (run_lines){0};
}
