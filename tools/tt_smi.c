/* tt_smi.c: lists the embedded board under the name and options of Tenstorrent's tt-smi. */
#include "cli.h"
#include "commands.h"
#include "ttcore/system/chip_costs.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL "tt-smi"

typedef struct tool {
    const char *reset, *short_reset;
    bool list, short_list;
} tool;

static const cli_option options[] = {
    {"list", CLI_FLAG, offsetof(tool, list), "List the devices (the default)", NULL, false},
    {"ls", CLI_FLAG, offsetof(tool, short_list), "The same", NULL, false},
    {"reset", CLI_STRING, offsetof(tool, reset),
     "Reset a device; between programs the embedded one has no state to lose", "device",
     false},
    {"r", CLI_STRING, offsetof(tool, short_reset), "The same", "device", false},
};

/* The board that TTLANG_CHIP names, else an n150; NULL: none, which `error` explains. */
static const dev_chip *board(const char **error)
{
    const char *name = getenv("TTLANG_CHIP");
    *error = NULL;
    if (name && strcmp(name, "none") == 0) {
        *error = "No TT devices found (TTLANG_CHIP is none)";
        return NULL;
    }
    const dev_chip *chip = dev_chip_find(tw_str_from(name ? name : "n150"));
    if (!chip)
        *error = "TTLANG_CHIP: expected n150, n300, p150 or none";
    return chip;
}

static void show(const dev_chip *chip)
{
    bool wormhole = strncmp(chip->arch, "wormhole", 8) == 0;
    printf("Device 0: %s %c%s\n", wormhole ? "Wormhole" : "Blackhole",
           toupper(chip->name[0]), chip->name + 1);
    printf(
        "  embedded, simulated; grid %dx%d, L1 %zu KiB a core, DRAM %d banks of %llu MiB, "
        "%.2f GHz\n",
        chip->grid_y, chip->grid_x, chip->l1_bytes >> 10, chip->dram_banks,
        (unsigned long long)(chip->dram_bytes >> 20), chip->clock_ghz);
}

static int reset_device(const char *text)
{
    if (strcmp(text, "0") != 0) {
        fprintf(stderr, TOOL ": error: there is no device %s; there is 1, device 0\n",
                text);
        return 1;
    }
    printf("Device 0 was reset\n");
    return 0;
}

int tt_smi_main(int argc, char **argv)
{
    tool t = {0};
    const char *error;
    cli c = {.tool = TOOL,
             .overview = "list and reset the embedded board",
             .options = options,
             .into = &t,
             .n_options = TW_COUNT(options)};
    int status = cli_parse(&c, argc, argv);
    if (status >= 0)
        return status;
    if (c.inputs.count) {
        fprintf(stderr, TOOL ": error: unexpected argument '%s'; see --help\n",
                c.inputs.at[0]);
        status = 1;
    }
    free(c.inputs.at);
    if (status >= 0)
        return status;
    const dev_chip *chip = board(&error);
    if (!chip) {
        fprintf(stderr, TOOL ": error: %s\n", error);
        return 1;
    }
    if (t.reset || t.short_reset)
        return reset_device(t.reset ? t.reset : t.short_reset);
    show(chip);
    return 0;
}
