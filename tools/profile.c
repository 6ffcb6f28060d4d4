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

static void print_host(const tw_program *p)
{
    size_t n = tw_program_step_count(p);
    step *steps = tw_xcalloc(n + 1, sizeof *steps);
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        steps[i] = (step){tw_program_step_name(p, i), tw_program_step_time(p, i)};
        total += steps[i].time;
    }
    qsort(steps, n, sizeof *steps, slower_first);
    printf("this machine took %.2f us (measured):\n", (double)total / 1000);
    printf("%-36s %12s %8s\n", "operation", "microseconds", "share");
    for (size_t i = 0; i < n; i++)
        printf("%-36s %12.2f %7.1f%%\n", steps[i].name, (double)steps[i].time / 1000,
               total ? 100.0 * (double)steps[i].time / (double)total : 0.0);
    free(steps);
}

/* ---- the chip ------------------------------------------------------------------------ */

static int longer_first(const void *a, const void *b)
{
    const tw_device_op *x = *(const tw_device_op *const *)a,
                       *y = *(const tw_device_op *const *)b;
    return x->cycles != y->cycles ? (x->cycles < y->cycles ? 1 : -1) : (x > y) - (x < y);
}

static void print_device_op(const tw_device_time *t, const tw_device_op *op)
{
    static const char *const bounds[] = {[TW_BOUND_NOTHING] = "-",
                                         [TW_BOUND_COMPUTE] = "compute",
                                         [TW_BOUND_NOC] = "NoC",
                                         [TW_BOUND_DRAM] = "DRAM"};
    const char *slash = op->file ? strrchr(op->file, '/') : NULL;
    const double us = op->cycles / (1000 * t->clock_ghz) + t->launch_us;
    printf("%-36s %12.2f %7.1f%% %-8s %5d %10.0f %10.0f %10.0f %10.0f %10.1f", op->name, us,
           t->us > 0 ? 100 * us / t->us : 0.0, bounds[op->bound], op->cores, op->cycles,
           op->compute, op->noc, op->dram, (op->read_bytes + op->write_bytes) / 1024);
    if (op->file)
        printf("  %s:%u", slash ? slash + 1 : op->file, op->line);
    puts(op->bytes_only ? "  (bytes only)" : "");
}

/* Programs of the chip by time. */
static void print_device(tw_program *p)
{
    const tw_device_time *t = tw_program_device_time(p);
    if (!t)
        return;
    const tw_device_op **ops = tw_xcalloc(t->n_ops + 1, sizeof *ops);
    size_t n = 0;
    for (size_t i = 0; i < t->n_ops; i++)
        if (!t->ops[i].once && t->ops[i].cycles > 0)
            ops[n++] = &t->ops[i];
    qsort(ops, n, sizeof *ops, longer_first);
    printf(
        "%s would take %.2f us (predicted): %zu programs on %d cores, %.2f us of it their "
        "launches\n",
        t->chip, t->us, t->launches, t->cores, (double)t->launches * t->launch_us);
    printf("%-36s %12s %8s %-8s %5s %10s %10s %10s %10s %10s\n", "operation",
           "microseconds", "share", "bound", "cores", "cycles", "compute", "NoC", "DRAM",
           "DRAM KiB");
    for (size_t i = 0; i < n; i++)
        print_device_op(t, ops[i]);
    free(ops);
}

void profile_print(tw_program *p)
{
    print_host(p);
    print_device(p);
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
