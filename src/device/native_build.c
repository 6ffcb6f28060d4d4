/* native_build.c: kernels in C++ become code: the machine's compiler, a cache of what it
 * has made, and what to say about errors.
 *
 * The cache is a folder: beside the headers lies an object for each text (source, defines,
 * compile-time arguments, options, compiler), under the text's hash. */
#include "device/native.h"

#include "device/kernel_headers.h"
#include "dialect/ttkernel/ttkernel.h"
#include "dialect/ttkernel/ttkernel_cpp.h"
#include "support/file.h"
#include "support/sha256.h"
#include "support/suggest.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the compiler ------------------------------------------------------------------ */

static bool in_path(const char *name)
{
    const char *path = getenv("PATH");
    char file[PATH_MAX];
    if (strchr(name, '/'))
        return access(name, X_OK) == 0;
    for (const char *at = path; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        int n = snprintf(file, sizeof file, "%.*s/%s", (int)strcspn(at, ":"), at, name);
        if (n > 0 && (size_t)n < sizeof file && access(file, X_OK) == 0)
            return true;
    }
    return false;
}

static tw_status find_compiler(const char **out)
{
    static const char *const known[] = {"c++", "g++", "clang++"};
    const char *wanted = getenv("TILEWRIGHT_CXX");
    if (wanted && *wanted) {
        *out = wanted;
        return in_path(wanted) ? TW_SUCCESS
                               : tw_error(TW_NOT_FOUND,
                                          "kernels in C++ need a compiler, and "
                                          "TILEWRIGHT_CXX names none: %s",
                                          wanted);
    }
    for (size_t i = 0; i < TW_COUNT(known); i++)
        if (in_path(known[i])) {
            *out = known[i];
            return TW_SUCCESS;
        }
    return tw_error(TW_NOT_FOUND,
                    "kernels in C++ need a C++ compiler: install g++ or clang++, or let "
                    "TILEWRIGHT_CXX name one");
}

/* Runs it with standard error into a file; its exit status, or -1. */
static int run_compiler(char *const *argv, const char *errors)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC,
                                     0666);
    int failed = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- the cache --------------------------------------------------------------------- */

static tw_status make_folder(const char *path)
{
    char part[PATH_MAX];
    size_t n = strlen(path);
    if (n >= sizeof part)
        return tw_error(TW_IO, "the name of the cache is too long: %s", path);
    memcpy(part, path, n + 1);
    for (size_t i = 1; i <= n; i++)
        if (part[i] == '/' || !part[i]) {
            part[i] = 0;
            if (mkdir(part, 0777) != 0 && errno != EEXIST)
                return tw_error(TW_IO, "cannot make the folder %s for compiled kernels: %s",
                                part, strerror(errno));
            part[i] = path[i];
        }
    return TW_SUCCESS;
}

/* <cache>/<hash of the headers>, with the headers in it. */
static tw_status open_cache(tw_strbuf *out)
{
    const char *wanted = getenv("TILEWRIGHT_KERNEL_CACHE"), *home = getenv("HOME"),
               *xdg = getenv("XDG_CACHE_HOME");
    if (wanted && *wanted)
        tw_strbuf_puts(out, wanted);
    else if (xdg && *xdg)
        tw_strbuf_printf(out, "%s/tilewright/kernels", xdg);
    else if (home && *home)
        tw_strbuf_printf(out, "%s/.cache/tilewright/kernels", home);
    else
        tw_strbuf_printf(out, "/tmp/tilewright-%d", (int)getuid());
    tw_strbuf headers = {0};
    char hash[65];
    dev_headers_text(&headers);
    tw_sha256_hex(headers.data, headers.size, hash);
    tw_strbuf_free(&headers);
    tw_strbuf_printf(out, "/%.16s", hash);
    if (access(out->data, R_OK) == 0)
        return TW_SUCCESS;
    tw_strbuf fresh = {0};
    tw_strbuf_printf(&fresh, "%s.%d", out->data, (int)getpid());
    tw_status status = make_folder(fresh.data);
    if (status == TW_SUCCESS)
        status = dev_headers_write(fresh.data);
    /* another process may have been first: then its folder stays */
    if (status == TW_SUCCESS && rename(fresh.data, out->data) != 0 &&
        access(out->data, R_OK) != 0)
        status = tw_error(TW_IO, "cannot rename %s: %s", fresh.data, strerror(errno));
    tw_strbuf_free(&fresh);
    return status;
}

/* ---- what is compiled -------------------------------------------------------------- */

/* Constants as far as they are known before a run; accessors know their tensor by their
 * place in the list. */
static void put_arguments(const dev_kernel *k, tw_strbuf *out)
{
    size_t n = k->n_args[DEV_ARGS_COMPILE_TIME];
    tw_strbuf_printf(out, "constexpr tw::arg_list<%zu> tw_compile_time_args = {{", n);
    for (size_t i = 0; i < n; i++) {
        const dev_arg *a = &k->args[DEV_ARGS_COMPILE_TIME][i];
        bool number = a->kind != DEV_ARG_ADDRESS && a->kind != DEV_ARG_ACCESSOR;
        tw_strbuf_printf(out, "{%uu}, ", number ? (uint32_t)a->value : 0);
    }
    tw_strbuf_puts(out, "}, {");
    for (size_t i = 0; i < n; i++)
        tw_strbuf_puts(out, k->args[DEV_ARGS_COMPILE_TIME][i].kind != DEV_ARG_ADDRESS
                                ? "true, "
                                : "false, ");
    tw_strbuf_puts(out, "}};\n");
}

static void put_source(const dev_native *n, const dev_kernel *k, tw_strbuf *out)
{
    static const char tail[] = "extern \"C\" void tw_kernel_entry() { kernel_main(); }\n"
                               "TW_KERNEL_MODULE(tw_kernel_entry);\n";
    tw_strbuf_puts(out, n->defines);
    tw_strbuf_puts(out, "#include \"tilewright/kernel_objects.hpp\"\n");
    put_arguments(k, out);
    tw_strbuf_printf(out, "#line 1 \"%s\"\n", n->path);
    tw_strbuf_puts(out, n->text);
    tw_strbuf_printf(out, "\n#line 1 \"<end of %s>\"\n%s", n->path, tail);
}

/* ---- errors ------------------------------------------------------------------------ */

/* The operation whose name is nearest to what the kernel calls. */
static void suggest(const char *name, size_t size, tw_strbuf *out)
{
    size_t best = size / 3 + 1;
    tw_strbuf found = {0}, candidate = {0};
    for (int i = 0; i < TTKERNEL_OP_COUNT; i++) {
        candidate.size = 0;
        ttkernel_cpp_name(&ttkernel_ops[i], &candidate);
        size_t distance = tw_edit_distance((tw_str){name, size},
                                           (tw_str){candidate.data, candidate.size});
        if (distance <= best && distance > 0) {
            best = distance - 1;
            found.size = 0;
            tw_strbuf_append(&found, candidate.data, candidate.size);
        }
    }
    if (found.size)
        tw_strbuf_printf(out, "; did you mean '%s'?", found.data);
    tw_strbuf_free(&found);
    tw_strbuf_free(&candidate);
}

/* The name in quotes in "'foo' was not declared", "undeclared identifier 'foo'". */
static bool undeclared(const char *text, tw_str *out)
{
    bool missing = strstr(text, "not declared") || strstr(text, "undeclared") ||
                   strstr(text, "is not a member of") || strstr(text, "no member named") ||
                   strstr(text, "does not name a type") ||
                   strstr(text, "unknown type name");
    const char *start = NULL, *end = NULL;
    for (const char *c = text; missing && *c && !end; c++) {
        /* ' or one of the typographic pair in UTF-8 */
        bool quote = *c == '\'' || memcmp(c, "\xE2\x80\x98", TW_MIN(strlen(c), 3)) == 0;
        bool close = *c == '\'' || memcmp(c, "\xE2\x80\x99", TW_MIN(strlen(c), 3)) == 0;
        if (!start && quote)
            start = c + (*c == '\'' ? 1 : 3);
        else if (start && c >= start && close)
            end = c;
    }
    *out = (tw_str){start, end ? (size_t)(end - start) : 0};
    return end && out->size;
}

/* The number behind a colon and what follows it; NULL if there is none. */
static const char *number_at(const char *text, unsigned *out)
{
    char *end;
    if (*text != ':' || text[1] < '0' || text[1] > '9')
        return NULL;
    *out = (unsigned)strtoul(text + 1, &end, 10);
    return end;
}

typedef struct user_place {
    unsigned row, column;
} user_place;

/* "PATH:LINE:COLUMN:" at the start of a line, or in "required from here" and the like. */
static bool in_user_text(const char *line, const char *path, user_place *out)
{
    const char *at = strstr(line, path);
    user_place p = {0, 1};
    if (!at || (at = number_at(at + strlen(path), &p.row)) == NULL)
        return false;
    number_at(at, &p.column);
    *out = p;
    return true;
}

/* "file:line:column: error: text" of the compiler as a diagnostic of ours.  Where the API's
 * own text is wrong, the kernel's last mentioned place is to blame. */
static bool report_line(ir_context *ctx, const char *line, const char *path,
                        const user_place *user)
{
    const char *mark = strstr(line, ": error: ");
    size_t skip = strlen(": error: ");
    if (!mark && (mark = strstr(line, ": fatal error: ")))
        skip = strlen(": fatal error: ");
    unsigned row, column;
    char file[PATH_MAX];
    if (!mark || (size_t)(mark - line) >= sizeof file)
        return false;
    memcpy(file, line, (size_t)(mark - line));
    file[mark - line] = 0;
    char *c2 = strrchr(file, ':');
    if (!c2)
        return false;
    column = (unsigned)strtoul(c2 + 1, NULL, 10);
    *c2 = 0;
    char *c1 = strrchr(file, ':');
    if (!c1)
        return false;
    row = (unsigned)strtoul(c1 + 1, NULL, 10);
    *c1 = 0;
    const char *name_of_file = file;
    if (strcmp(file, path) != 0 && user->row) {
        name_of_file = path;
        row = user->row;
        column = user->column;
    }
    const char *text = mark + skip;
    tw_strbuf message = {0};
    tw_str name;
    if (undeclared(text, &name)) {
        tw_strbuf_printf(&message, "the kernel API has no '%.*s' here", (int)name.size,
                         name.data);
        suggest(name.data, name.size, &message);
        tw_strbuf_puts(&message, " (docs/cpp.md lists its names; the compiler says: ");
        tw_strbuf_puts(&message, text);
        tw_strbuf_putc(&message, ')');
    } else if (strstr(text, "compile_time_argument") &&
               strstr(text, "outside the bounds")) {
        tw_strbuf_puts(&message, "there is no such compile-time argument: the launch gives "
                                 "fewer, or an address, which is no constant");
    } else {
        tw_strbuf_puts(&message, text);
    }
    ir_error(ctx,
             ir_loc_file(ctx, ir_ident_from(ctx, name_of_file), TW_MAX(row, 1),
                         TW_MAX(column, 1)),
             "%s", tw_strbuf_text(&message));
    tw_strbuf_free(&message);
    return true;
}

static tw_status report_errors(ir_context *ctx, const dev_native *n, const char *path)
{
    tw_strbuf text = {0};
    bool any = false;
    user_place user = {0, 0};
    TW_TRY(tw_file_read(path, &text));
    for (char *line = text.data, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        in_user_text(line, n->path, &user);
        any |= report_line(ctx, line, n->path, &user);
    }
    if (!any)
        ir_error(ctx, n->function->loc, "the C++ compiler failed: %s",
                 text.size ? text.data : "it said nothing");
    tw_strbuf_free(&text);
    return TW_SUCCESS;
}

/* ---- building ---------------------------------------------------------------------- */

static const char *const options[] = {
    "-x",
    "c++",
    "-std=gnu++20",
    "-O1",
    "-g",
    "-fPIC",
    "-shared",
    "-w",
    "-fsanitize-coverage=trace-pc",
    "-fpermissive",
    "-fno-rtti",
    "-fno-exceptions",
    "-fno-strict-aliasing",
    "-fno-delete-null-pointer-checks",
    "-fvisibility=hidden",
    "-Wl,-Bsymbolic",
};

/* Compiles `source` to `object`; *out_ok is false after diagnostics. */
static tw_status compile(ir_context *ctx, const dev_native *n, const char *compiler,
                         const char *cache, const char *source, const char *object,
                         bool *out_ok)
{
    const char *argv[TW_COUNT(options) + 12];
    size_t count = 0;
    char *folder = tw_xstrdup(n->path), *slash = strrchr(folder, '/');
    tw_strbuf partial = {0}, errors = {0};
    tw_strbuf_printf(&partial, "%s.%d", object, (int)getpid());
    tw_strbuf_printf(&errors, "%s.txt", partial.data);
    if (slash)
        *slash = 0;
    argv[count++] = compiler;
    for (size_t i = 0; i < TW_COUNT(options); i++)
        argv[count++] = options[i];
    argv[count++] = "-I";
    argv[count++] = cache;
    argv[count++] = "-I";
    argv[count++] = slash ? folder : ".";
    argv[count++] = source;
    argv[count++] = "-o";
    argv[count++] = partial.data;
    argv[count] = NULL;
    int code = run_compiler((char *const *)(uintptr_t)argv, errors.data);
    tw_status status = TW_SUCCESS;
    *out_ok = code == 0;
    if (code < 0)
        status = tw_error(TW_IO, "cannot run the C++ compiler %s", compiler);
    else if (code > 0)
        status = report_errors(ctx, n, errors.data);
    else if (rename(partial.data, object) != 0)
        status = tw_error(TW_IO, "cannot rename %s: %s", partial.data, strerror(errno));
    unlink(errors.data);
    tw_strbuf_free(&errors);
    tw_strbuf_free(&partial);
    free(folder);
    return status;
}

/* Where the object with the module's table lies. */
static int find_range(struct dl_phdr_info *object, size_t size, void *user)
{
    native_module *m = user;
    uintptr_t end = 0, from = 0, to = 0;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_LOAD)
            end = TW_MAX(end, object->dlpi_phdr[i].p_vaddr + object->dlpi_phdr[i].p_memsz);
    end += object->dlpi_addr;
    if ((uintptr_t)m->info < object->dlpi_addr || (uintptr_t)m->info >= end)
        return 0;
    m->begin = object->dlpi_addr;
    m->end = end;
    /* what may be written once it is loaded: variables */
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && (p->p_flags & PF_W)) {
            from = TW_MAX(from, p->p_vaddr);
            to = p->p_vaddr + p->p_memsz;
        } else if (p->p_type == PT_GNU_RELRO) {
            from = TW_MAX(from, p->p_vaddr + p->p_memsz);
        }
    }
    if (from < to) {
        m->globals = (uint8_t *)(object->dlpi_addr + from);
        m->globals_size = to - from;
    }
    return 1;
}

static tw_status load(dev_natives *natives, const char *path, native_module **out)
{
    for (size_t i = 0; i < natives->n_modules; i++)
        if (strcmp(natives->modules[i]->path, path) == 0) {
            *out = natives->modules[i];
            return TW_SUCCESS;
        }
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const tw_kernel_module_info *info = handle ? dlsym(handle, "tw_kernel_module") : NULL;
    if (!info || info->abi != TW_KERNEL_ABI) {
        tw_status status =
            tw_error(TW_INVALID, "cannot load the compiled kernel %s: %s", path,
                     handle ? "it was not made for this version" : dlerror());
        if (handle)
            dlclose(handle);
        return status;
    }
    native_module *m = tw_xcalloc(1, sizeof *m);
    *m = (native_module){.path = tw_xstrdup(path), .handle = handle, .info = info};
    dl_iterate_phdr(find_range, m);
    info->bind(dev_native_machine());
    m->image = tw_xmalloc(m->globals_size + 1);
    if (m->globals_size)
        memcpy(m->image, m->globals, m->globals_size);
    TW_PUSH(natives->modules, natives->n_modules, natives->modules_capacity, m);
    *out = m;
    return TW_SUCCESS;
}

void dev_natives_free(dev_natives *natives)
{
    while (natives->count)
        dev_native_remove(natives, natives->at[0]->function);
    for (size_t i = 0; i < natives->n_modules; i++) {
        dlclose(natives->modules[i]->handle);
        free(natives->modules[i]->path);
        free(natives->modules[i]->image);
        free(natives->modules[i]);
    }
    free(natives->modules);
    free(natives->at);
    *natives = (dev_natives){0};
}

static tw_status object_of(dev_machine *m, dev_native *n, const dev_kernel *k,
                           tw_strbuf *out, bool *out_ok)
{
    const char *compiler = NULL;
    tw_strbuf cache = {0}, text = {0}, source = {0};
    char hash[65];
    *out_ok = true;
    tw_status status = open_cache(&cache);
    if (status == TW_SUCCESS)
        status = find_compiler(&compiler);
    if (status == TW_SUCCESS) {
        tw_strbuf_printf(&text, "// %s", compiler);
        for (size_t i = 0; i < TW_COUNT(options); i++)
            tw_strbuf_printf(&text, " %s", options[i]);
        tw_strbuf_putc(&text, '\n');
        put_source(n, k, &text);
        tw_sha256_hex(text.data, text.size, hash);
        tw_strbuf_printf(out, "%s/%s.so", cache.data, hash);
        tw_strbuf_printf(&source, "%s/%s.cpp", cache.data, hash);
        if (access(out->data, R_OK) != 0) {
            status = tw_file_write(source.data, text.data, text.size);
            if (status == TW_SUCCESS)
                status = compile(m->ctx, n, compiler, cache.data, source.data, out->data,
                                 out_ok);
        }
    }
    tw_strbuf_free(&cache);
    tw_strbuf_free(&text);
    tw_strbuf_free(&source);
    return status;
}

tw_status dev_native_build(dev_machine *m, dev_native *native, const dev_kernel *kernel,
                           dev_code *out, bool *out_ok)
{
    tw_strbuf object = {0};
    native_module *module = NULL;
    tw_status status = object_of(m, native, kernel, &object, out_ok);
    if (status == TW_SUCCESS && *out_ok)
        status = load(m->natives, object.data, &module);
    tw_strbuf_free(&object);
    if (!module)
        return status;
    *out = (dev_code){.function = native->function,
                      .native = native,
                      .module = module->info,
                      .loaded = module,
                      .entry = module->info->entries[0],
                      .native_begin = module->begin,
                      .native_end = module->end,
                      .object = module->path,
                      .n_regs = DEV_NATIVE_REGISTERS,
                      .image = tw_xcalloc(DEV_NATIVE_REGISTERS, sizeof *out->image)};
    bool known = dev_code_kind(native->function, &out->compute);
    assert(known);
    (void)known;
    return TW_SUCCESS;
}
