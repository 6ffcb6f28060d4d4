/* system.c: what a page lacks: a C++ compiler, processes and files of an operating
 * system. */
#include "grid/native/native.h"
#include "ir/diagnostic_print.h"
#include "ir/pass/pass.h"

#include <errno.h>
#include <sys/stat.h>

tw_status dev_native_source_of(tw_arena *arena, const tw_cpp_kernel *kernel,
                               dev_native_source *out)
{
    (void)arena, (void)kernel, (void)out;
    return tw_error(TW_UNSUPPORTED,
                    "kernels in C++ need a compiler: run them by tilewright");
}

static bool without_python(ir_op *module, pass_run *run)
{
    return !pass_option_str(run, "module-path").size ||
           ir_op_error(module,
                       "patterns in Python need Python: run the pass by ttmlir-opt");
}

const pass_def d2m_python_rewrites_pass = {
    .name = "d2m-python-rewrites",
    .summary = "Rewrite by patterns in Python, which a page lacks",
    .anchor = "builtin.module",
    .run = without_python,
    .options = IR_LIST(pass_option_def, {"module-path", PASS_LIST, "", "Python files"}),
};

dev_native *dev_native_add(dev_natives *natives, ir_context *ctx, ir_op *module,
                           const dev_native_source *source)
{
    (void)natives, (void)ctx, (void)module, (void)source;
    return NULL;
}

void dev_native_remove(dev_natives *natives, const ir_op *function)
{
    (void)natives, (void)function;
}

void dev_natives_free(dev_natives *natives)
{
    (void)natives;
}

dev_native *dev_native_of(const dev_natives *natives, const ir_op *function)
{
    (void)natives, (void)function;
    return NULL;
}

ir_diagnostic_sink dev_natives_sink(dev_natives *natives, ir_diagnostic_log *log)
{
    (void)natives;
    return ir_diagnostic_log_sink(log);
}

tw_status dev_native_build(dev_machine *m, const dev_program *program, dev_native *native,
                           const dev_kernel *kernel, dev_code *out, bool *out_ok)
{
    (void)m, (void)program, (void)native, (void)kernel, (void)out, (void)out_ok;
    return tw_error(TW_UNSUPPORTED,
                    "kernels in C++ need a compiler: run them by tilewright");
}

void dev_native_run(dev_thread *t)
{
    (void)t;
}

dev_native_guard *dev_native_guard_begin(dev_machine *m)
{
    (void)m;
    return NULL;
}

void dev_native_abandon(dev_thread *t)
{
    (void)t;
}

void dev_native_guard_end(const dev_machine *m, dev_native_guard *guard)
{
    (void)m, (void)guard;
}

void dev_native_enter(dev_thread *t, dev_native_guard *guard)
{
    (void)t, (void)guard;
}

int madvise(void *at, size_t size, int advice)
{
    (void)at, (void)size, (void)advice;
    return 0;
}

int getpid(void)
{
    return 1;
}

mode_t umask(mode_t mask)
{
    return mask;
}

int fchmod(int file, mode_t mode)
{
    (void)file, (void)mode;
    return 0;
}

int mkostemp(char *name, int flags)
{
    (void)name, (void)flags;
    errno = ENOSYS;
    return -1;
}
