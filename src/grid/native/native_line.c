/* native_line.c: source lines of addresses in a kernel's code, from addr2line of the binary
 * utilities. Its answers are cached beside the object: "ADDRESS LINE FILE" lines. */
#include "grid/native/native.h"

#include "support/file.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reads the output of a command, up to `size` bytes; false if it failed. */
static bool output_of(char *const *argv, char *out, size_t size)
{
    posix_spawn_file_actions_t actions;
    int ends[2], status = 0;
    pid_t child;
    size_t n = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    for (ssize_t got = 1; !failed && got != 0;) {
        char rest[256];
        got = n + 1 < size ? read(ends[0], out + n, size - n - 1)
                           : read(ends[0], rest, sizeof rest);
        if (got < 0 && errno != EINTR)
            break;
        n += got > 0 && n + 1 < size ? (size_t)got : 0;
    }
    close(ends[0]);
    out[n] = 0;
    while (!failed && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return !failed && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Parses the first line "FILE:LINE" (or "FILE:LINE (discriminator N)") that is not in the
 * API's headers, from the innermost inlined function outwards. */
static bool read_location(char *text, const char *object, tw_arena *arena,
                          tw_kernel_location *out)
{
    char *next = strchr(text, '\n');
    if (next)
        *next++ = 0;
    if (strstr(text, "/tilewright/kernel_") || strstr(text, object))
        return next && read_location(next, object, arena, out);
    char *colon = strrchr(text, ':');
    unsigned long line = colon ? strtoul(colon + 1, NULL, 10) : 0;
    if (!line || text[0] == '?')
        return false;
    *colon = 0;
    *out = (tw_kernel_location){
        .file = tw_arena_printf(arena, "%s", text), .line = (uint32_t)line, .column = 1};
    return true;
}

static bool find_cached(const char *file, unsigned long long address, tw_arena *arena,
                        tw_kernel_location *out)
{
    char line[4096];
    bool found = false;
    FILE *in = fopen(file, "r");
    while (in && !found && fgets(line, sizeof line, in)) {
        char *end;
        if (strtoull(line, &end, 16) == address && *end == ' ')
            found = read_location(end + 1, "?", arena, out);
    }
    if (in)
        fclose(in);
    return found;
}

bool dev_native_line(const dev_code *code, uintptr_t pc, tw_arena *arena,
                     tw_kernel_location *out)
{
    char address[32], text[4096], name[65] = "?";
    const char *slash = strrchr(code->object, '/');
    if (slash) /* the hash, which also names the compiled text */
        snprintf(name, sizeof name, "%.64s", slash + 1);
    name[strcspn(name, ".")] = 0;
    tw_strbuf file = {0};
    if (pc < code->native_begin || pc >= code->native_end)
        return false;
    unsigned long long at = pc - code->native_begin - 1; /* an address within the call */
    tw_strbuf_printf(&file, "%s.lines", code->object);
    bool found = find_cached(file.data, at, arena, out);
    if (!found) {
        snprintf(address, sizeof address, "0x%llx", at);
        const char *argv[] = {"addr2line", "-i", "-e", code->object, address, NULL};
        found = output_of((char *const *)(uintptr_t)argv, text, sizeof text) &&
                read_location(text, name, arena, out);
        FILE *log = found ? fopen(file.data, "a") : NULL;
        if (log) {
            fprintf(log, "%llx %s:%u\n", at, out->file, out->line);
            fclose(log);
        }
    }
    tw_strbuf_free(&file);
    return found;
}
