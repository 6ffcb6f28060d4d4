/* native_build.c: compiles kernels in C++ with the machine's compiler, and caches the
 * objects.
 *
 * The cache is a folder: beside the headers there is an object for each text (source,
 * defines, compile-time arguments, options, compiler), named by the text's hash. */
#include "grid/native/native.h"

#include "support/file.h"
#include "support/sha256.h"
#include "support/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
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

/* Set by --no-native, or by a user who runs files of others. */
static bool is_allowed(void)
{
    const char *text = getenv("TILEWRIGHT_NO_NATIVE");
    return !text || !*text || strcmp(text, "0") == 0;
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

/* ---- building ---------------------------------------------------------------------- */

static const char *const options[] = {
    "-std=gnu++20",
    "-O1",
    "-gdwarf-4", /* addr2line cannot find the first function's file in newer versions */
    "-g1",       /* lines, and what is inlined where */
    "-fPIC",
    "-w",
    "-fsanitize-coverage=trace-pc",
    "-fsanitize=shift-exponent,integer-divide-by-zero,bounds", /* reported: kernel_api.hpp
                                                                */
    "-fstack-protector-strong",
    "-fpermissive",
    "-fno-rtti",
    "-fno-exceptions",
    "-fno-strict-aliasing",
    "-fstack-clash-protection", /* makes large arrays touch the page below the stack too */
    "-fno-delete-null-pointer-checks",
    "-fvisibility=hidden",
};

/* Follow the source on the command line of what makes an object. */
static const char *const linking[] = {
    "-shared",
    "-Wl,-Bsymbolic",
    "-Wl,-z,now",     /* a kernel's variables must be all that it changes */
    "-nodefaultlibs", /* without the sanitizer's runtime, which kernels do not need */
    "-lstdc++",
    "-lm",
    "-lgcc_s",
    "-lgcc",
    "-lc",
};

typedef struct compilation {
    ir_context *ctx;
    const dev_native *native;
    const char *compiler, *cache;
    char *folders[5]; /* of the kernel's own headers: beside it, in the vendor's tree */
    tw_strbuf errors; /* name of the file */
} compilation;

/* Finds the vendor's tree: TT_METAL_HOME, else the one that contains the kernel. */
static bool find_tree(const char *path, tw_strbuf *out)
{
    const char *home = getenv("TT_METAL_HOME");
    char real[PATH_MAX];
    if (home && *home) {
        tw_strbuf_puts(out, home);
        return true;
    }
    if (!realpath(path, real))
        return false;
    for (char *slash; (slash = strrchr(real, '/')) != NULL;) {
        *slash = 0;
        out->size = 0;
        tw_strbuf_printf(out, "%s/tt_metal", real);
        if (access(out->data, X_OK) == 0) {
            out->size = 0;
            tw_strbuf_puts(out, real);
            return true;
        }
    }
    return false;
}

static compilation new_compilation(ir_context *ctx, const dev_native *n,
                                   const char *compiler, const char *cache)
{
    static const char *const inside[] = {"", "/ttnn", "/ttnn/cpp"};
    compilation c = {ctx, n, compiler, cache, {tw_xstrdup(n->path)}, {0}};
    char *slash = strrchr(c.folders[0], '/');
    strcpy(slash ? slash : c.folders[0], slash ? "" : ".");
    tw_strbuf home = {0};
    if (find_tree(n->path, &home))
        for (size_t i = 0; i < TW_COUNT(inside); i++) {
            tw_strbuf folder = {0};
            tw_strbuf_printf(&folder, "%s%s", home.data, inside[i]);
            c.folders[1 + i] = folder.data;
        }
    tw_strbuf_free(&home);
    return c;
}

/* What the compiler makes. */
typedef enum product { OBJECT, TEXT, HEADER } product;

/* Runs the compiler with these options, too; returns its exit status, or -1. */
static int compile_with(const compilation *c, const char *const *more, size_t n_more,
                        const char *source, const char *object, product what)
{
    const char *argv[TW_COUNT(options) + TW_COUNT(linking) + 24];
    size_t count = 0;
    argv[count++] = c->compiler;
    for (size_t i = 0; i < TW_COUNT(options); i++)
        argv[count++] = options[i];
    for (size_t i = 0; i < n_more; i++)
        argv[count++] = more[i];
    argv[count++] = "-x";
    argv[count++] = what == HEADER ? "c++-header" : "c++";
    argv[count++] = "-I";
    argv[count++] = c->cache;
    for (size_t i = 0; c->folders[i]; i++) {
        argv[count++] = "-I";
        argv[count++] = c->folders[i];
    }
    argv[count++] = source;
    argv[count++] = "-o";
    argv[count++] = object;
    for (size_t i = 0; what == OBJECT && i < TW_COUNT(linking); i++)
        argv[count++] = linking[i];
    argv[count] = NULL;
    return tw_spawn((char *const *)(uintptr_t)argv, c->errors.data);
}

/* Compiles again with the additions that the errors call for (native_adapt.c). */
static int compile_adapted(const compilation *c, const char *source, const char *object,
                           tw_status *status)
{
    static const struct {
        const char *whole[2], *again[2]; /* everything in one file, and its compilation */
        size_t n_again;
    } ways[] = {{{"-E", "-fdirectives-only"}, {"-fpreprocessed", "-fdirectives-only"}, 2},
                {{"-E", "-frewrite-includes"}, {NULL, NULL}, 0}};
    int code = -1;
    tw_strbuf whole = {0};
    tw_strbuf_printf(&whole, "%s.whole", object);
    for (size_t i = 0; i < TW_COUNT(ways) && code != 0; i++) {
        code = compile_with(c, ways[i].whole, 2, source, whole.data, TEXT);
        if (code != 0)
            continue;
        *status = dev_native_adapt(whole.data);
        if (*status == TW_SUCCESS)
            code =
                compile_with(c, ways[i].again, ways[i].n_again, whole.data, object, OBJECT);
        break;
    }
    unlink(whole.data);
    tw_strbuf_free(&whole);
    return code;
}

/* A text to compile, its file and the object's, which is named by its hash; and the text
 * that it includes first. */
typedef struct unit {
    tw_strbuf text, source, object, prelude;
    char prelude_hash[65];
} unit;

static void put_command(const compilation *c, tw_strbuf *out)
{
    tw_strbuf_printf(out, "// %s", c->compiler);
    for (size_t i = 0; i < TW_COUNT(options); i++)
        tw_strbuf_printf(out, " %s", options[i]);
    for (size_t i = 0; i < TW_COUNT(linking); i++)
        tw_strbuf_printf(out, " %s", linking[i]);
    tw_strbuf_putc(out, '\n');
}

static void make_unit(const compilation *c, const dev_machine *m, const dev_program *p,
                      const dev_kernel *k, bool constants, unit *out)
{
    put_command(c, &out->prelude);
    dev_native_put_prelude(m, p, c->native, k, constants, &out->prelude);
    tw_sha256_hex(out->prelude.data, out->prelude.size, out->prelude_hash);
    put_command(c, &out->text);
    tw_strbuf_printf(&out->text, "#include \"prelude-%.16s.hpp\"\n", out->prelude_hash);
    dev_native_put_source(c->native, k, &out->text);
}

static void name_unit(unit *u, const char *cache, const tw_strbuf *included)
{
    tw_strbuf all = {0};
    char hash[65];
    tw_strbuf_append(&all, u->text.data, u->text.size);
    tw_strbuf_append(&all, tw_strbuf_text(included), included->size);
    tw_sha256_hex(all.data, all.size, hash);
    tw_strbuf_printf(&u->object, "%s/%s.so", cache, hash);
    tw_strbuf_printf(&u->source, "%s/%s.cpp", cache, hash);
    tw_strbuf_free(&all);
}

/* ---- preludes ---------------------------------------------------------------------- */

/* Compiling a prelude takes as long as three kernels take more without it. */
enum { PRELUDE_USES = 3 };

/* Counts a use of a prelude by a byte in a file; true from the one on at which precompiling
 * it has paid off. */
static bool is_often_used(const char *prelude)
{
    struct stat s = {0};
    tw_strbuf name = {0};
    tw_strbuf_printf(&name, "%s.uses", prelude);
    int file = open(name.data, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    bool often = file >= 0 && fstat(file, &s) == 0 && s.st_size >= PRELUDE_USES;
    if (file >= 0 && !often && write(file, ".", 1) != 1)
        often = false; /* a full disk: the next one counts */
    if (file >= 0)
        close(file);
    tw_strbuf_free(&name);
    return often;
}

/* Precompiles a prelude for GCC, which takes the result for the header wherever it fits; an
 * empty file stays if there are errors in it. */
static void precompile(const compilation *c, const char *prelude)
{
    tw_strbuf made = {0}, partial = {0};
    tw_strbuf_printf(&made, "%s.gch", prelude);
    tw_strbuf_printf(&partial, "%s.%d", made.data, (int)gettid());
    if (!strstr(c->compiler, "clang") && access(made.data, F_OK) != 0 &&
        is_often_used(prelude)) {
        int code = compile_with(c, NULL, 0, prelude, partial.data, HEADER);
        if (code > 0)
            tw_status_free(tw_file_write(partial.data, "", 0));
        if (code < 0 || rename(partial.data, made.data) != 0)
            unlink(partial.data);
    }
    tw_strbuf_free(&made);
    tw_strbuf_free(&partial);
}

/* Writes a unit's source, and its prelude unless it is there. */
static tw_status write_unit(const compilation *c, const unit *u)
{
    tw_strbuf path = {0};
    tw_status status = TW_SUCCESS;
    tw_strbuf_printf(&path, "%s/prelude-%.16s.hpp", c->cache, u->prelude_hash);
    if (utimensat(AT_FDCWD, path.data, NULL, 0) != 0)
        status = tw_file_write(path.data, u->prelude.data, u->prelude.size);
    if (status == TW_SUCCESS)
        precompile(c, path.data);
    tw_strbuf_free(&path);
    return status ? status : tw_file_write(u->source.data, u->text.data, u->text.size);
}

/* Compiles a text, or its adapted form if that is needed; *out_made is the object, NULL
 * after diagnostics. */
static tw_status compile(compilation *c, const unit *plain, const unit *adapted,
                         const char **out_made)
{
    const unit *made = plain;
    tw_strbuf partial = {0}, errors = {0};
    tw_strbuf_printf(&partial, "%s.%d", plain->object.data, (int)gettid());
    tw_strbuf_printf(&c->errors, "%s.txt", partial.data);
    int code = 1;
    tw_status status = write_unit(c, plain);
    if (status == TW_SUCCESS)
        code = compile_with(c, NULL, 0, plain->source.data, partial.data, OBJECT);
    if (status == TW_SUCCESS && code > 0)
        status = tw_file_read(c->errors.data, &errors);
    if (status == TW_SUCCESS && code > 0 &&
        dev_native_wants_adapting(tw_strbuf_text(&errors))) {
        made = adapted;
        status = write_unit(c, adapted);
        if (status == TW_SUCCESS)
            code = compile_adapted(c, adapted->source.data, partial.data, &status);
    }
    *out_made = NULL;
    if (code < 0 && status == TW_SUCCESS)
        status = tw_error(TW_IO, "cannot run the C++ compiler %s", c->compiler);
    else if (code > 0 && status == TW_SUCCESS)
        status = dev_native_report_errors(c->ctx, c->native, c->errors.data);
    else if (status == TW_SUCCESS && rename(partial.data, made->object.data) != 0)
        status = tw_error(TW_IO, "cannot rename %s: %s", partial.data, strerror(errno));
    else if (status == TW_SUCCESS)
        *out_made = made->object.data;
    unlink(c->errors.data);
    tw_strbuf_free(&c->errors);
    tw_strbuf_free(&errors);
    tw_strbuf_free(&partial);
    return status;
}

static tw_status object_of(dev_machine *m, const dev_program *p, dev_native *n,
                           const dev_kernel *k, tw_strbuf *out, bool *out_ok)
{
    const char *compiler = NULL, *made = NULL;
    tw_strbuf cache = {0}, included = {0};
    unit plain = {0}, adapted = {0};
    if (!is_allowed())
        return tw_error(TW_UNSUPPORTED,
                        "kernels in C++ are refused (--no-native, TILEWRIGHT_NO_NATIVE): "
                        "they would be compiled and run as you");
    tw_status status = dev_native_open_cache(&cache);
    if (status == TW_SUCCESS)
        status = find_compiler(&compiler);
    if (status == TW_SUCCESS) {
        compilation c = new_compilation(m->ctx, n, compiler, cache.data);
        make_unit(&c, m, p, k, false, &plain);
        make_unit(&c, m, p, k, true, &adapted);
        dev_native_included(n->text, (const char *const *)c.folders, &included);
        name_unit(&plain, cache.data, &included);
        name_unit(&adapted, cache.data, &included);
        if (access(plain.object.data, R_OK) == 0)
            made = plain.object.data;
        else if (access(adapted.object.data, R_OK) == 0)
            made = adapted.object.data;
        else {
            dev_native_prune(cache.data);
            status = compile(&c, &plain, &adapted, &made);
        }
        for (size_t i = 0; c.folders[i]; i++)
            free(c.folders[i]);
    }
    *out_ok = made != NULL;
    if (made) {
        tw_strbuf_puts(out, made);
        utimensat(AT_FDCWD, made, NULL, 0); /* the cache evicts the least recently used */
    }
    tw_strbuf_free(&cache);
    tw_strbuf_free(&included);
    for (int i = 0; i < 2; i++) {
        unit *u = i ? &adapted : &plain;
        tw_strbuf_free(&u->text);
        tw_strbuf_free(&u->source);
        tw_strbuf_free(&u->object);
        tw_strbuf_free(&u->prelude);
    }
    return status;
}

tw_status dev_native_build(dev_machine *m, const dev_program *program, dev_native *native,
                           const dev_kernel *kernel, dev_code *out, bool *out_ok)
{
    tw_strbuf object = {0};
    native_module *module = NULL;
    tw_status status;
    for (bool again = false;; again = true) {
        status = object_of(m, program, native, kernel, &object, out_ok);
        if (status == TW_SUCCESS && *out_ok)
            status = dev_native_load(m->natives, object.data, &module);
        if (again || status == TW_SUCCESS || !*out_ok)
            break;
        tw_status_free(status); /* it is damaged, or another process deleted it */
        if (object.data)
            unlink(object.data);
        object.size = 0;
    }
    tw_strbuf_free(&object);
    if (!module)
        return status;
    *out =
        (dev_code){.function = native->function,
                   .native = native,
                   .module = module->info,
                   .loaded = module,
                   .entry = module->info->entries[0],
                   .native_begin = module->begin,
                   .native_end = module->end,
                   .object = module->path,
                   /* Asked before its call is met: the pack comes first. */
                   .unpack_stalls = strstr(native->text, "unpack_stall_on_pack(") != NULL,
                   .n_regs = DEV_NATIVE_REGISTERS,
                   .image = tw_xcalloc(DEV_NATIVE_REGISTERS, sizeof *out->image)};
    bool known = dev_code_kind(native->function, &out->compute);
    assert(known);
    (void)known;
    return TW_SUCCESS;
}
