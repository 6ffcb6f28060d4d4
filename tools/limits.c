/* limits.c: see limits.h. */
#include "limits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

bool limits_apply(const limits *l, const char *tool)
{
    if (l->no_native)
        setenv("TILEWRIGHT_NO_NATIVE", "1", 1);
    if (l->memory == 0)
        return true;
    if (l->memory < 0 || l->memory > INT64_MAX >> 20) {
        fprintf(stderr, "%s: error: --memory-limit is a positive number of MiB\n", tool);
        return false;
    }
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) == 0) {
        const rlim_t wanted = (rlim_t)l->memory << 20;
        if (limit.rlim_max == RLIM_INFINITY || wanted < limit.rlim_max)
            limit.rlim_cur = wanted;
        if (setrlimit(RLIMIT_DATA, &limit) == 0)
            return true;
    }
    fprintf(stderr, "%s: error: cannot limit the memory: %s\n", tool, strerror(errno));
    return false;
}
