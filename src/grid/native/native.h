/* grid/native/native.h: kernels in C++.
 *
 * A kernel's source is compiled by the machine's C++ compiler against the kernel API
 * (kernel_headers.h), loaded, and run on its thread's fiber.  Each call of the API is the
 * same instruction as the operation's in TTKernel: a place in the source gets an operation
 * of its own in an otherwise empty function, so that reports know kernel, line and state.
 */
#ifndef TILEWRIGHT_GRID_NATIVE_NATIVE_H
#define TILEWRIGHT_GRID_NATIVE_NATIVE_H

#include "grid/machine/program.h"
#include "grid/native/cpp/kernel_abi.h"
#include "ir/diagnostic_print.h"
#include "tilewright/grid.h"

/* Plain pointers into L1 work from this address on: systems keep lower ones unmapped
 * (vm.mmap_min_addr). */
enum { DEV_NATIVE_POINTERS = 64 * 1024 };

/* Of a thread: none, operands, a result. */
enum { DEV_NATIVE_REGISTERS = TW_KERNEL_OPERANDS + 3 };

typedef struct native_site native_site;

/* A named part of a kernel: the place that it is known by, and what the timeline shows. */
typedef struct native_zone {
    ir_op *place, *signpost;
} native_zone;

/* A loaded object, which is one grid's.  Its variables are each thread's own: they lie in
 * place for the thread that runs, and in t->globals for the others. */
typedef struct native_module {
    char *path; /* of the file that was compiled, of which a copy may be loaded */
    void *handle;
    const tw_kernel_module_info *info;
    uintptr_t begin, end;     /* where it lies; where its code ends */
    uint8_t *globals, *image; /* image: what they are when a kernel starts */
    size_t globals_size;
    dev_thread *owner; /* whose variables are in place; NULL: nobody's */
} native_module;

typedef struct dev_native {
    ir_op *function;
    char *name, *path; /* path: what places in the source are called */
    char *text;
    char *defines; /* lines "#define NAME VALUE", or "" */
    tw_arena arena;
    native_site **sites; /* a hash table */
    size_t n_sites, sites_capacity;
    native_zone *zones;
    size_t n_zones, zones_capacity;
} dev_native;

/* All of a grid or of a program. */
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
    size_t size;
    const char *defines; /* may be NULL */
} dev_native_source;

/* What the public interface gives, checked; the arena holds the names. */
tw_status dev_native_source_of(tw_arena *arena, const tw_cpp_kernel *kernel,
                               dev_native_source *out);
/* Makes a kernel: a function of `module` in the place of one of that name, if there is. */
dev_native *dev_native_add(dev_natives *natives, ir_context *ctx, ir_op *module,
                           const dev_native_source *source);
/* Forgets the kernel of a function. */
void dev_native_remove(dev_natives *natives, const ir_op *function);
void dev_natives_free(dev_natives *natives);
dev_native *dev_native_of(const dev_natives *natives, const ir_op *function);
/* A sink for the log that quotes the kernels' texts, too. */
ir_diagnostic_sink dev_natives_sink(dev_natives *natives, ir_diagnostic_log *log);

/* Compiles (or takes from the cache) a kernel for its compile-time arguments and loads it:
 * code that dev_code_run runs.  false after diagnostics, or with a status. */
tw_status dev_native_build(dev_machine *m, const dev_program *program, dev_native *native,
                           const dev_kernel *kernel, dev_code *out, bool *out_ok);
/* native_load.c: loads an object, unless the grid has it. */
tw_status dev_native_load(dev_natives *natives, const char *path, native_module **out);
void dev_native_unload(dev_natives *natives);
/* The thread's variables take their place in the object, with the object's own values where
 * it begins; and the object gets those back, which a kernel that goes wrong may have
 * written over. */
void dev_native_take_globals(dev_thread *t);
void dev_native_leave_globals(dev_thread *t);
/* native_cache.c: <cache>/<hash of the headers>, with the headers in it; and away with the
 * oldest objects of all versions where there are too many. */
tw_status dev_native_open_cache(tw_strbuf *out);
void dev_native_prune(const char *version);
/* native_adapt.c: the texts of the files that a text includes and that lie in one of the
 * folders (NULL ends them) or beside the includer: what an object depends on. */
void dev_native_included(const char *text, const char *const *folders, tw_strbuf *out);
/* Whether a compiler's errors may go away when the source is adapted, and
 * that, in place, for a source whose includes are in it. */
bool dev_native_wants_adapting(const char *errors);
tw_status dev_native_adapt(const char *path);
/* native_signature.c: the kernel_main of a kernel whose entry is marked TT_KERNEL; nothing
 * for others. */
void dev_native_put_main(const char *source, const char *path, tw_strbuf *out);
/* native_errors.c: reports what a file of the compiler's messages says. */
tw_status dev_native_report_errors(ir_context *ctx, const dev_native *n, const char *path);

/* native.c: runs the kernel on its thread's fiber. */
void dev_native_run(dev_thread *t);
const tw_kernel_machine *dev_native_machine(void);
/* The thread's program ends here: back to dev_native_run, over the kernel's frames. */
void dev_native_leave(dev_thread *t);
/* A place in the kernel as an operation, for reports. */
ir_op *dev_native_op_for(dev_thread *t, const tw_kernel_place *at);
/* native_ask.c */
int64_t dev_native_ask(void *thread, const tw_kernel_place *at, tw_kernel_question what,
                       const int64_t *values);

/* native_guard.c: around a program's run, which waits for those of other threads; NULL
 * where it has no kernels in C++, or is called off meanwhile. */
typedef struct dev_native_guard dev_native_guard;
dev_native_guard *dev_native_guard_begin(dev_machine *m);
/* Frees what a run has given a thread. */
void dev_native_abandon(dev_thread *t);
void dev_native_guard_end(const dev_machine *m, dev_native_guard *guard);
/* The thread is about to go on. */
void dev_native_enter(dev_thread *t, dev_native_guard *guard);
/* Takes over what the kernel has written through plain pointers; t->lent says whether. */
void dev_native_settle(dev_thread *t, ir_op *op);
/* Reports the signal that ended the thread's kernel. */
void dev_native_report_fault(dev_thread *t);

/* native_line.c: the line of a place in a kernel's code; false if nobody knows. */
bool dev_native_line(const dev_code *code, uintptr_t pc, tw_arena *arena,
                     tw_kernel_place *out);
/* An operation that stands for a place in a kernel's code, for reports. */
ir_op *dev_native_op_at(dev_thread *t, uintptr_t pc);

#endif
