/* profile.c: see profile.h. */
#include "profile.h"

#include "support/arena.h"
#include "support/file.h"
#include "support/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

bool profile_flag_variable(const char *name)
{
    const char *value = getenv(name);
    return value && (!strcmp(value, "1") || !strcasecmp(value, "true") ||
                     !strcasecmp(value, "on") || !strcasecmp(value, "yes"));
}

int profile_threads(int64_t option)
{
    const char *value = getenv("TILEWRIGHT_THREADS");
    const int64_t n = option > 0 ? option : value ? strtol(value, NULL, 10) : 1;
    return (int)TW_MIN(TW_MAX(n, 1), 256);
}

typedef struct step {
    const char *name;
    uint64_t time;
} step;

static int slower_first(const void *a, const void *b)
{
    uint64_t x = ((const step *)a)->time, y = ((const step *)b)->time;
    return x < y ? 1 : x > y ? -1 : 0;
}

static void print_bank(const char *name, size_t peak, size_t bytes, size_t banks)
{
    printf("%-16s %11.1f KiB of %.1f KiB in each of %zu banks (%.1f%%)\n", name,
           (double)peak / 1024, (double)bytes / 1024, banks,
           bytes ? 100.0 * (double)peak / (double)bytes : 0.0);
}

static void print_memory(const tw_program *p)
{
    tw_memory_use m = tw_program_memory(p);
    if (m.l1_banks) { /* part of it runs on the device */
        print_bank("L1 peak:", m.l1_bank_peak, m.l1_bank_bytes, m.l1_banks);
        print_bank("DRAM peak:", m.dram_bank_peak, m.dram_bank_bytes, m.dram_banks);
    }
    printf("%-16s %11.1f KiB\n", "host tensors:", (double)m.host_bytes / 1024);
    if (m.dram_fallbacks)
        printf("%zu tensors did not fit into L1 and live in DRAM\n", m.dram_fallbacks);
}

void profile_print(const tw_program *p)
{
    size_t n = tw_program_step_count(p);
    step *steps = tw_xcalloc(n + 1, sizeof *steps);
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        steps[i] = (step){tw_program_step_name(p, i), tw_program_step_time(p, i)};
        total += steps[i].time;
    }
    qsort(steps, n, sizeof *steps, slower_first);
    printf("%-36s %12s %8s\n", "operation", "microseconds", "share");
    for (size_t i = 0; i < n; i++)
        printf("%-36s %12.2f %7.1f%%\n", steps[i].name, (double)steps[i].time / 1000,
               total ? 100.0 * (double)steps[i].time / (double)total : 0.0);
    free(steps);
    print_memory(p);
}

tw_status profile_write_trace(const tw_program *p, const char *path)
{
    tw_strbuf text = {0};
    double at = 0;
    tw_strbuf_puts(&text, "{\"traceEvents\": [");
    for (size_t i = 0; i < tw_program_step_count(p); i++) {
        double us = (double)tw_program_step_time(p, i) / 1000;
        tw_strbuf_printf(&text, "%s\n{\"name\": ", i ? "," : "");
        tw_json_string(&text, tw_str_from(tw_program_step_name(p, i)));
        tw_strbuf_printf(
            &text, ", \"ph\": \"X\", \"ts\": %.3f, \"dur\": %.3f, \"pid\": 1, \"tid\": 1}",
            at, us);
        at += us;
    }
    tw_strbuf_puts(&text, "\n], \"displayTimeUnit\": \"ns\"}\n");
    tw_status status = tw_file_write(path, text.data, text.size);
    tw_strbuf_free(&text);
    return status;
}
