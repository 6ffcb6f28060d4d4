/* native_load.c: compiled kernels in memory: each grid loads its own copy of an object;
 * each thread has its own variables; the memory after the variables is inaccessible. */
#include "grid/native/native.h"

#include "support/file.h"
#include "support/fork.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* True if the file is complete, up to its section table at the end: the loader maps what
 * the headers declare, and crashes if the file is shorter. */
static bool is_whole(const char *path)
{
    ElfW(Ehdr) head;
    struct stat s;
    FILE *in = fopen(path, "rb");
    bool whole =
        in && fread(&head, sizeof head, 1, in) == 1 &&
        memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && fstat(fileno(in), &s) == 0 &&
        head.e_shoff <= (size_t)s.st_size &&
        (size_t)head.e_shnum * head.e_shentsize <= (size_t)s.st_size - head.e_shoff;
    if (in)
        fclose(in);
    return whole;
}

/* Finds the object that has the module's table: its code; its variables, which are its
 * writable pages once loaded, up to the guard. */
static int find_range(struct dl_phdr_info *object, size_t size, void *user)
{
    native_module *m = user;
    const uintptr_t base = object->dlpi_addr, guard = (uintptr_t)m->info->guard;
    uintptr_t code = 0, from = 0, end = 0;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        const uintptr_t at = base + p->p_vaddr, behind = at + p->p_memsz;
        if (p->p_type == PT_LOAD && (p->p_flags & PF_X))
            code = behind;
        if (p->p_type == PT_LOAD && (p->p_flags & PF_W))
            from = TW_MAX(from, at), end = behind;
        if (p->p_type == PT_GNU_RELRO)
            from = TW_MAX(from, behind);
    }
    if ((uintptr_t)m->info < base || (uintptr_t)m->info >= end)
        return 0;
    if (end == guard + TW_KERNEL_GUARD && from <= guard) {
        m->begin = base;
        m->end = code;
        m->globals = (uint8_t *)from;
        m->globals_size = guard - from;
    }
    return 1;
}

/* Without it a kernel that overruns its variables would overwrite memory of the process. */
static bool close_guard(const native_module *m)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *guard = (uint8_t *)m->info->guard;
    return m->globals && (uintptr_t)guard % page == 0 && page < TW_KERNEL_GUARD &&
           mprotect(guard, page, PROT_READ) == 0 &&
           mprotect(guard + page, TW_KERNEL_GUARD - page, PROT_NONE) == 0;
}

/* ---- objects ----------------------------------------------------------------------- */

static tw_status open_object(const char *path, native_module *m)
{
    m->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    m->info = m->handle ? dlsym(m->handle, "tw_kernel_module") : NULL;
    if (m->info && m->info->abi == TW_KERNEL_ABI)
        return TW_SUCCESS;
    tw_status status = tw_error(TW_INVALID, "cannot load the compiled kernel %s: %s", path,
                                m->handle ? "it was not made for this version" : dlerror());
    if (m->handle)
        dlclose(m->handle);
    m->handle = NULL; /* unload() finds nothing to close */
    return status;
}

/* A copy of the file under a name that the process has not loaded: that of the grid, which
 * loads it once. */
static tw_status open_copy(const dev_natives *natives, const char *path, native_module *m)
{
    tw_strbuf text = {0}, name = {0};
    tw_strbuf_printf(&name, "%s.%d.%p", path, (int)getpid(), (const void *)natives);
    tw_status status = tw_file_read(path, &text);
    if (status == TW_SUCCESS)
        status = tw_file_write(name.data, text.data, text.size);
    if (status == TW_SUCCESS)
        status = open_object(name.data, m);
    unlink(name.data);
    tw_strbuf_free(&text);
    tw_strbuf_free(&name);
    return status;
}

/* The loader returns one object for all opens of a file; its guard names the owner. */
static tw_status open_own(const dev_natives *natives, const char *path, native_module *m)
{
    TW_TRY(open_object(path, m));
    if (*m->info->guard) {
        dlclose(m->handle);
        m->handle = NULL;
        TW_TRY(open_copy(natives, path, m));
    }
    dl_iterate_phdr(find_range, m);
    if (!*m->info->guard) /* else a copy that a former grid's unloading has left */
        *m->info->guard = dev_native_machine();
    return close_guard(m)
               ? TW_SUCCESS
               : tw_error(TW_INVALID, "cannot guard what lies behind the variables of %s",
                          path);
}

static void unload(native_module *m)
{
    if (m->handle)
        dlclose(m->handle);
    free(m->path);
    free(m->image);
    free(m);
}

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static tw_fork_watch forks;

static void after_fork(tw_fork_watch *watch)
{
    (void)watch;
    pthread_mutex_init(&loading, NULL);
}

static void watch_forks(void)
{
    tw_fork_watch_begin(&forks, after_fork);
}

tw_status dev_native_load(dev_natives *natives, const char *path, native_module **out)
{
    for (size_t i = 0; i < natives->n_modules; i++)
        if (strcmp(natives->modules[i]->path, path) == 0) {
            *out = natives->modules[i];
            return TW_SUCCESS;
        }
    if (!is_whole(path))
        return tw_error(TW_INVALID, "the compiled kernel %s is damaged", path);
    static pthread_once_t watched = PTHREAD_ONCE_INIT;
    pthread_once(&watched, watch_forks);
    native_module *m = tw_xcalloc(1, sizeof *m);
    m->path = tw_xstrdup(path);
    pthread_mutex_lock(&loading);
    tw_status status = open_own(natives, path, m);
    pthread_mutex_unlock(&loading);
    if (status != TW_SUCCESS) {
        unload(m);
        return status;
    }
    m->image = tw_xmalloc(m->globals_size + 1);
    memcpy(m->image, m->globals, m->globals_size);
    TW_PUSH(natives->modules, natives->n_modules, natives->modules_capacity, m);
    *out = m;
    return TW_SUCCESS;
}

void dev_native_unload(dev_natives *natives)
{
    for (size_t i = 0; i < natives->n_modules; i++)
        unload(natives->modules[i]);
    free(natives->modules);
}

void dev_native_take_globals(dev_thread *t)
{
    native_module *m = t->code->loaded;
    if (m->owner == t || !m->globals_size)
        return;
    if (m->owner)
        memcpy(m->owner->native.globals, m->globals, m->globals_size);
    memcpy(m->globals, t->native.globals ? t->native.globals : m->image, m->globals_size);
    if (!t->native.globals)
        t->native.globals = tw_xmalloc(m->globals_size);
    m->owner = t;
}

void dev_native_leave_globals(dev_thread *t)
{
    native_module *m = t->code->entry ? t->code->loaded : NULL;
    if (m && m->owner) { /* unloading the object also reads data there */
        memcpy(m->globals, m->image, m->globals_size);
        m->owner = NULL;
    }
    free(t->native.globals);
    t->native.globals = NULL;
}
