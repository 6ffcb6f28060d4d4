/* Interposes the C library's allocator: while it is armed, the n-th allocation of the
 * process fails, once. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

static _Atomic long left; /* allocations until one fails; 0: never */
static _Atomic long made;

void failing_arm(long n)
{
    atomic_store(&made, 0);
    atomic_store(&left, n);
}

/* Returns how many allocations there were since failing_arm. */
long failing_disarm(void)
{
    atomic_store(&left, 0);
    return atomic_load(&made);
}

static int fails(void)
{
    if (atomic_load(&left) == 0)
        return 0;
    atomic_fetch_add(&made, 1);
    return atomic_fetch_sub(&left, 1) == 1;
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t),
    *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);

void *malloc(size_t size)
{
    return fails() ? (errno = ENOMEM, NULL) : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? (errno = ENOMEM, NULL) : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    return fails() ? (errno = ENOMEM, NULL) : __libc_realloc(p, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? (errno = ENOMEM, NULL) : __libc_memalign(alignment, size);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    static void *(*real)(void *, size_t, int, int, int, off_t);
    if (!real)
        real = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
    return (flags & MAP_ANONYMOUS) && fails()
               ? (errno = ENOMEM, MAP_FAILED)
               : real(at, size, protection, flags, fd, offset);
}
