/* mutate_text.c: mutates programs by their tokens, so that more of them still parse.
 *
 * Half of the time libFuzzer's own mutations are used. */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

static const char *const numbers[] = {
    "0",   "1",     "-1",         "2",           "3",          "7",
    "31",  "32",    "64",         "127",         "255",        "256",
    "?",   "65535", "2147483647", "-2147483648", "4294967295", "9223372036854775807",
    "1.5", "-0.0",  "1.0e38",     "0x7FC00000",  "i1",         "f32"};

typedef struct span {
    size_t at, size;
} span;

static bool in_word(uint8_t c)
{
    return isalnum(c) || c == '_' || c == '.' || c == '$';
}

/* The token that holds or follows `at`. */
static span token_at(const uint8_t *data, size_t size, size_t at)
{
    while (at < size && isspace(data[at]))
        at++;
    size_t first = at, last = at + (at < size);
    if (at < size && in_word(data[at])) {
        while (first && in_word(data[first - 1]))
            first--;
        while (last < size && in_word(data[last]))
            last++;
    }
    return (span){first, last - first};
}

static span line_at(const uint8_t *data, size_t size, size_t at)
{
    size_t first = at, last = at;
    while (first && data[first - 1] != '\n')
        first--;
    while (last < size && data[last] != '\n')
        last++;
    return (span){first, last - first + (last < size)};
}

/* Replaces a span by `n` bytes; returns the old size where there is no room. */
static size_t replace(uint8_t *data, size_t size, size_t max, span s, const void *by,
                      size_t n)
{
    if (size - s.size + n > max)
        return size;
    memmove(data + s.at + n, data + s.at + s.size, size - s.at - s.size);
    memcpy(data + s.at, by, n);
    return size - s.size + n;
}

static span some_number(const uint8_t *data, size_t size, size_t at)
{
    for (size_t i = 0; i < size; i++, at = (at + 1) % size)
        if (isdigit(data[at]) && !(at && in_word(data[at - 1])))
            return token_at(data, size, at);
    return (span){0, 0};
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    enum { KINDS = 10 };
    unsigned kind = seed % KINDS;
    if (size < 16 || kind >= 5)
        return LLVMFuzzerMutate(data, size, max);
    seed = seed / KINDS * 2654435761u;
    size_t a = (seed >> 3) % size, b = (seed * 40503u >> 5) % size;
    span s = kind < 3 ? token_at(data, size, a) : line_at(data, size, a);
    span from = kind < 3 ? token_at(data, size, b) : line_at(data, size, b);
    const char *number = numbers[seed % (sizeof numbers / sizeof *numbers)];
    uint8_t *copy = malloc(from.size + 1);
    memcpy(copy, data + from.at, from.size);
    if (kind == 0) /* another integer */
        size = replace(data, size, max, some_number(data, size, a), number, strlen(number));
    else if (kind == 1 || kind == 3) /* replace by another token or line */
        size = replace(data, size, max, s, copy, from.size);
    else if (kind == 2) /* delete the token */
        size = replace(data, size, max, s, "", 0);
    else /* one line more, or one less */
        size = replace(data, size, max, (span){s.at, seed & 4 ? s.size : 0}, copy,
                       seed & 4 ? 0 : from.size);
    free(copy);
    return size;
}
