/* registry.c: the table of passes and pipelines. */
#include "convert/registry.h"

static const pass_def passes[] = {
    {.name = "print-ir", .summary = "Print the IR to stderr", .run = NULL},
};

const pass_registry tw_passes = {
    .passes = {passes, 0},
};
