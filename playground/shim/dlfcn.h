/* dlfcn.h: no library is loaded. */
#pragma once

#define RTLD_NOW 2
#define RTLD_LOCAL 0
#define RTLD_LAZY 1
#define RTLD_DEFAULT ((void *)0)

typedef struct Dl_info {
    const char *dli_fname;
    void *dli_fbase;
    const char *dli_sname;
    void *dli_saddr;
} Dl_info;

static inline int dladdr(const void *address, Dl_info *info)
{
    return 0;
}
