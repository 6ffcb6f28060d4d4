/* limits.h: what a command lets a file ask for (SECURITY.md). */
#ifndef TILEWRIGHT_TOOLS_LIMITS_H
#define TILEWRIGHT_TOOLS_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct limits {
    int64_t memory; /* MiB; 0: no limit of our own */
    bool no_native; /* no kernel in C++ is compiled or loaded */
} limits;

/* Rows of a table of options. */
#define LIMIT_ROWS(at_memory, at_no_native)                                                \
    {"memory-limit", CLI_INT,                                                              \
     at_memory,      "Memory that the command may take, in MiB (default: no limit)",       \
     "number",       false},                                                               \
    {                                                                                      \
        "no-native", CLI_FLAG, at_no_native,                                               \
            "Refuse kernels in C++, which are compiled and run as the user", NULL, false   \
    }

/* Sets them for this process; `tool` is named in the message of a failure. */
bool limits_apply(const limits *l, const char *tool);

#endif
