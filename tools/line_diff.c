/* line_diff.c: see line_diff.h.  Myers' greedy algorithm (1986) on hashes of lines without
 * the numbers of values, so that a removed operation does not change all lines behind it.
 */
#include "line_diff.h"

#include "support/arena.h"
#include "support/hash.h"

#include <ctype.h>
#include <stdlib.h>

/* Texts that differ in more lines are shown as replaced between their equal ends. */
enum { MAX_EDITS = 2000 };

typedef struct lines {
    tw_str *at;
    uint64_t *key;
    size_t n, capacity, keys, keys_capacity;
} lines;

static uint64_t key_of(tw_str line)
{
    uint64_t h = 0;
    for (size_t i = 0; i < line.size; i++) {
        h = tw_hash_mix(h, (unsigned char)line.data[i]);
        if (line.data[i] == '%' || line.data[i] == '#')
            while (i + 1 < line.size && isdigit((unsigned char)line.data[i + 1]))
                i++;
    }
    return h;
}

static lines split(tw_str text)
{
    lines l = {0};
    for (size_t at = 0; at < text.size;) {
        const char *start = text.data + at, *end = memchr(start, '\n', text.size - at);
        tw_str line = {start, end ? (size_t)(end - start) : text.size - at};
        uint64_t key = key_of(line);
        TW_PUSH(l.at, l.n, l.capacity, line);
        TW_PUSH(l.key, l.keys, l.keys_capacity, key);
        at += line.size + 1;
    }
    return l;
}

static void put(diff_line *out, size_t *n, diff_kind kind, const lines *a, size_t i,
                const lines *b, size_t k)
{
    diff_line line = {kind, kind == DIFF_REMOVED ? a->at[i] : b->at[k],
                      kind == DIFF_ADDED ? 0 : i + 1, kind == DIFF_REMOVED ? 0 : k + 1};
    if (kind == DIFF_SAME && !tw_str_equal(a->at[i], b->at[k]))
        line.kind = DIFF_RENAMED;
    out[(*n)++] = line;
}

/* The furthest points of each number of edits, up to the one that reaches the end; NULL if
 * there are too many. */
static int **search(const lines *a, const lines *b, size_t from, int n, int m,
                    int *out_edits)
{
    int **steps = tw_xcalloc(MAX_EDITS + 1, sizeof *steps);
    for (int d = 0; d <= MAX_EDITS; d++) {
        int *v = steps[d] = tw_xmalloc((size_t)(2 * d + 1) * sizeof *v);
        for (int k = -d; k <= d; k += 2) {
            const int *last = d ? steps[d - 1] : NULL; /* index k + d - 1 */
            int x = !d ? 0
                    : k == -d || (k != d && last[k - 1 + d - 1] < last[k + 1 + d - 1])
                        ? last[k + 1 + d - 1]
                        : last[k - 1 + d - 1] + 1;
            while (x < n && x - k < m &&
                   a->key[from + (size_t)x] == b->key[from + (size_t)(x - k)])
                x++;
            v[k + d] = x;
            if (x >= n && x - k >= m) {
                *out_edits = d;
                return steps;
            }
        }
    }
    *out_edits = MAX_EDITS;
    for (int d = 0; d <= MAX_EDITS; d++)
        free(steps[d]);
    free(steps);
    return NULL;
}

/* Walks back from the end; lines are written from the end of `out`. */
static size_t trace_back(int **steps, int edits, const lines *a, const lines *b,
                         size_t from, int n, int m, diff_line *out)
{
    size_t count = 0;
    int x = n, y = m;
    for (int d = edits; d >= 0; d--) {
        const int k = x - y, *last = d ? steps[d - 1] : NULL;
        const bool down =
            d && (k == -d || (k != d && last[k - 1 + d - 1] < last[k + 1 + d - 1]));
        /* where the equal lines behind the edit begin */
        const int start = !d ? 0 : down ? last[k + 1 + d - 1] : last[k - 1 + d - 1] + 1;
        while (x > start) {
            x--, y--;
            put(out, &count, DIFF_SAME, a, from + (size_t)x, b, from + (size_t)y);
        }
        if (d && down)
            put(out, &count, DIFF_ADDED, a, 0, b, from + (size_t)--y);
        else if (d)
            put(out, &count, DIFF_REMOVED, a, from + (size_t)--x, b, 0);
    }
    for (size_t i = 0; i < count / 2; i++) {
        diff_line swap = out[i];
        out[i] = out[count - 1 - i];
        out[count - 1 - i] = swap;
    }
    return count;
}

diff_line *line_diff(tw_str before, tw_str after, size_t *count)
{
    lines a = split(before), b = split(after);
    diff_line *out = tw_xmalloc((a.n + b.n + 1) * sizeof *out);
    size_t first = 0, end = 0, n = 0;
    int edits;
    while (first < a.n && first < b.n && a.key[first] == b.key[first]) {
        put(out, &n, DIFF_SAME, &a, first, &b, first);
        first++;
    }
    while (end < a.n - first && end < b.n - first &&
           a.key[a.n - 1 - end] == b.key[b.n - 1 - end])
        end++;
    const size_t rest_a = a.n - first - end, rest_b = b.n - first - end;
    int **steps = search(&a, &b, first, (int)rest_a, (int)rest_b, &edits);
    if (steps) {
        n += trace_back(steps, edits, &a, &b, first, (int)rest_a, (int)rest_b, out + n);
        for (int d = 0; d <= edits; d++)
            free(steps[d]);
        free(steps);
    } else {
        for (size_t i = 0; i < rest_a; i++)
            put(out, &n, DIFF_REMOVED, &a, first + i, &b, 0);
        for (size_t i = 0; i < rest_b; i++)
            put(out, &n, DIFF_ADDED, &a, 0, &b, first + i);
    }
    for (size_t i = 0; i < end; i++)
        put(out, &n, DIFF_SAME, &a, a.n - end + i, &b, b.n - end + i);
    free(a.at);
    free(a.key);
    free(b.at);
    free(b.key);
    *count = n;
    return out;
}
