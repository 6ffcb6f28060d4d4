/* grid/native/native.h: kernels in C++.
 *
 * A kernel's source is compiled by the machine's C++ compiler against the kernel API
 * (kernel_headers.h), loaded, and run on its thread's fiber. Each call of the API executes
 * the same instruction as the operation in TTKernel: each source location gets its own
 * operation in an otherwise empty function, so that reports know kernel, line and state. */
#ifndef TILEWRIGHT_GRID_NATIVE_NATIVE_H
#define TILEWRIGHT_GRID_NATIVE_NATIVE_H

#include "grid/machine/program.h"
#include "grid/native/cpp/kernel_abi.h"
#include "ir/diagnostic_print.h"
#include "tilewright/grid.h"

/* Lowest address at which plain pointers into L1 work: systems keep lower ones unmapped
 * (vm.mmap_min_addr). */
enum { DEV_NATIVE_POINTERS = 64 * 1024 };

/* Registers of a thread: none, operands, a result. */
enum { DEV_NATIVE_REGISTERS = TW_KERNEL_OPERANDS + 3 };

typedef struct native_site native_site;

/* A named part of a kernel: the location that identifies it, its timeline name. */
typedef struct native_zone {
    ir_op *at, *signpost;
} native_zone;

/* A loaded object, owned by one grid. Each thread has its own variables: they are in place
 * for the running thread, and in t->globals for the others. */
typedef struct native_module {
    char *path; /* of the compiled file; a copy of it may be loaded */
    void *handle;
    const tw_kernel_module_info *info;
    uintptr_t begin, end;     /* its addresses; the end of its code */
    uint8_t *globals, *image; /* image: initial values of the variables */
    size_t globals_size;
    dev_thread *owner; /* the thread whose variables are in place, or NULL */
} native_module;

typedef struct dev_native {
    ir_op *function;
    char *name, *path; /* path: file name in source locations */
    const char *file;  /* in the compiled text: the path, or a stand-in for it */
    char *text;
    char *defines; /* lines "#define NAME VALUE", or "" */
    tw_arena arena;
    native_site **sites; /* a hash table */
    size_t n_sites, sites_capacity;
    native_zone *zones;
    size_t n_zones, zones_capacity;
} dev_native;

/* The kernels of a grid or of a program. */
typedef struct dev_natives {
    dev_native **at;
    size_t count, capacity;
    native_module **modules; /* loaded */
    size_t n_modules, modules_capacity;
} dev_natives;

typedef struct dev_native_source {
    const char *name; /* the kernel's */
    bool compute;
    const char *text, *path;
    bool of_file; /* false: the path is made from the name */
    size_t size;
    const char *defines; /* may be NULL */
} dev_native_source;

/* Checks and copies a description from the public interface to the arena. */
tw_status dev_native_source_of(tw_arena *arena, const tw_cpp_kernel *kernel,
                               dev_native_source *out);
/* Adds a kernel: a function of `module`, replacing one of the same name. */
dev_native *dev_native_add(dev_natives *natives, ir_context *ctx, ir_op *module,
                           const dev_native_source *source);
/* Removes the kernel of a function. */
void dev_native_remove(dev_natives *natives, const ir_op *function);
void dev_natives_free(dev_natives *natives);
dev_native *dev_native_of(const dev_natives *natives, const ir_op *function);
/* A sink for the log that also quotes the kernels' texts. */
ir_diagnostic_sink dev_natives_sink(dev_natives *natives, ir_diagnostic_log *log);

/* Compiles (or takes from the cache) a kernel for its compile-time arguments and loads it:
 * code that dev_code_run runs. False after diagnostics, or with a status. */
tw_status dev_native_build(dev_machine *m, const dev_program *program, dev_native *native,
                           const dev_kernel *kernel, dev_code *out, bool *out_ok);
/* native_text.c: the text that is compiled: macros and the API's header, which come first
 * (with what the launch knows as constants, if `constants`); and what is the kernel's own.
 */
void dev_native_put_prelude(const dev_machine *m, const dev_program *program,
                            const dev_native *native, const dev_kernel *kernel,
                            bool constants, tw_strbuf *out);
void dev_native_put_source(const dev_native *native, const dev_kernel *kernel,
                           tw_strbuf *out);
/* The file name in the compiled text; and a text with such names, as it is for the user. */
const char *dev_native_file_of(const dev_native_source *source, const char *path);
void dev_native_put_path(const dev_native *native, const char *text, tw_strbuf *out);
/* native_load.c: loads an object, unless the grid already has. */
tw_status dev_native_load(dev_natives *natives, const char *path, native_module **out);
void dev_native_unload(dev_natives *natives);
/* Swaps the thread's variables into the object, with their initial values at its start;
 * restores the object's own values, which a faulty kernel may have overwritten. */
void dev_native_take_globals(dev_thread *t);
void dev_native_leave_globals(dev_thread *t);
/* native_cache.c: opens <cache>/<hash of the headers>, with the headers in it; and removes
 * the oldest objects of all versions if there are too many. */
tw_status dev_native_open_cache(tw_strbuf *out);
void dev_native_prune(const char *version);
/* native_adapt.c: appends the texts of the files that a text includes and that are in one
 * of the folders (NULL ends them) or beside the includer: an object depends on them. */
void dev_native_included(const char *text, const char *const *folders, tw_strbuf *out);
/* True if the compiler's errors may disappear when the source is adapted; and the
 * adaptation, in place, of a source whose includes are expanded. */
bool dev_native_wants_adapting(const char *errors);
tw_status dev_native_adapt(const char *path);
/* native_signature.c: generates the kernel_main of a kernel whose entry is marked
 * TT_KERNEL; nothing for others. */
void dev_native_put_main(const char *source, const char *path, tw_strbuf *out);
/* native_errors.c: reports the errors in a file of compiler output. */
tw_status dev_native_report_errors(ir_context *ctx, const dev_native *n, const char *path);

/* native.c: runs the kernel on its thread's fiber. */
void dev_native_run(dev_thread *t);
const tw_kernel_machine *dev_native_machine(void);
/* Ends the thread's kernel: returns to dev_native_run, discarding the kernel's frames. */
void dev_native_leave(dev_thread *t);
/* Returns an operation for a location in the kernel, for reports. */
ir_op *dev_native_op_for(dev_thread *t, const tw_kernel_location *at);
/* native_ask.c */
int64_t dev_native_ask(void *thread, const tw_kernel_location *at, tw_kernel_question what,
                       const int64_t *values);

/* native_guard.c: encloses a program's run and serializes it with those of other threads;
 * NULL if it has no kernels in C++, or was cancelled while waiting. */
typedef struct dev_native_guard dev_native_guard;
dev_native_guard *dev_native_guard_begin(dev_machine *m);
/* Frees what a thread allocated in a run. */
void dev_native_abandon(dev_thread *t);
void dev_native_guard_end(const dev_machine *m, dev_native_guard *guard);
/* Called before the thread is resumed. */
void dev_native_enter(dev_thread *t, dev_native_guard *guard);
/* Stores to L1 what the kernel has written through plain pointers, if t->lent. */
void dev_native_store_lent(dev_thread *t, ir_op *op);
/* Reports the signal that ended the thread's kernel. */
void dev_native_report_fault(dev_thread *t);

/* native_line.c: the source line of an address in a kernel's code; false if unknown. */
bool dev_native_line(const dev_code *code, uintptr_t pc, tw_arena *arena,
                     tw_kernel_location *out);
/* Returns an operation for an address in a kernel's code, for reports. */
ir_op *dev_native_op_at(dev_thread *t, uintptr_t pc);

#endif
