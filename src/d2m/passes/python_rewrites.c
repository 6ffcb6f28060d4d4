/* python_rewrites.c: d2m-python-rewrites: rewrites the module by patterns that Python files
 * register with d2m_jit.pattern.
 *
 * Python runs as a program of its own (`python3`, or what TILEWRIGHT_PYTHON names), which
 * reads the module as text and writes it rewritten: no interpreter is part of the library.
 */
#include "ir/pass/pass.h"
#include "ir/text.h"
#include "support/file.h"
#include "support/spawn.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* argv: the folder of this library, the files of the module before and behind, the files of
 * patterns. Packages beside the library count where Python does not know others. */
static const char script[] =
    "import os, sys, traceback\n"
    "library, before, behind, *patterns = sys.argv[1:]\n"
    "for at in ('..', os.path.join('..', 'python')):\n"
    "    if os.path.isdir(os.path.join(library, at, 'd2m_jit')):\n"
    "        sys.path.append(os.path.join(library, at))\n"
    "try:\n"
    "    from d2m_jit._src.rewrite import apply_patterns_text\n"
    "    text = apply_patterns_text(open(before, encoding='utf-8').read(), patterns)\n"
    "except Exception as error:\n"
    "    lines = [f' at {f.filename}:{f.lineno}' for f in\n"
    "             traceback.extract_tb(error.__traceback__) if f.filename in patterns]\n"
    "    text = ' '.join(str(error).split())\n"
    "    sys.exit(f'{type(error).__name__}: {text}' + ''.join(lines[-1:]))\n"
    "with open(behind, 'w', encoding='utf-8') as out:\n"
    "    out.write(text)\n";

/* Files in a folder that is removed behind the pass. */
typedef struct scratch {
    tw_strbuf folder, before, behind, errors, library;
} scratch;

static void name_file(const scratch *s, const char *name, tw_strbuf *out)
{
    tw_strbuf_printf(out, "%s/%s", tw_strbuf_text(&s->folder), name);
}

/* The folder of the file that this code was loaded from. */
static void find_library(tw_strbuf *out)
{
    char self[4096];
    Dl_info info;
    const char *file =
        dladdr((const void *)(uintptr_t)find_library, &info) ? info.dli_fname : NULL;
    if (!file ||
        !strchr(file, '/')) { /* a program found through PATH is known by its name */
        const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
        self[n > 0 ? n : 0] = 0;
        file = self;
    }
    const char *end = strrchr(file, '/');
    tw_strbuf_append(out, file, end ? (size_t)(end - file) : 0);
}

static bool make_scratch(ir_op *module, scratch *s)
{
    const char *base = getenv("TMPDIR");
    tw_strbuf_printf(&s->folder, "%s/tilewright-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(s->folder.data))
        return ir_op_error(module,
                           "d2m-python-rewrites: no folder for files can be made "
                           "like %s (%s): let TMPDIR name one that can be written",
                           tw_strbuf_text(&s->folder), strerror(errno));
    name_file(s, "before.mlir", &s->before);
    name_file(s, "behind.mlir", &s->behind);
    name_file(s, "errors", &s->errors);
    find_library(&s->library);
    return true;
}

static void remove_scratch(scratch *s)
{
    tw_strbuf *all[] = {&s->before, &s->behind, &s->errors, &s->folder, &s->library};
    for (size_t i = 0; i < 3 && all[i]->size; i++)
        unlink(tw_strbuf_text(all[i]));
    rmdir(tw_strbuf_text(&s->folder));
    for (size_t i = 0; i < TW_COUNT(all); i++)
        tw_strbuf_free(all[i]);
}

/* The last line that Python wrote says what is wrong. */
static bool report(ir_op *module, const char *python, const scratch *s)
{
    tw_strbuf text = {0};
    tw_status status = tw_file_read(tw_strbuf_text(&s->errors), &text);
    tw_status_free(status);
    while (text.size && text.data[text.size - 1] == '\n')
        text.size--;
    size_t start = text.size;
    while (start && text.data[start - 1] != '\n')
        start--;
    const tw_str last = {text.data + start, text.size - start};
    static const char no_package[] = "No module named 'd2m_jit'";
    const bool missing =
        last.size && memmem(last.data, last.size, no_package, sizeof no_package - 1);
    if (!last.size)
        ir_op_error(module,
                    "d2m-python-rewrites: %s cannot be run: install Python, or let "
                    "TILEWRIGHT_PYTHON name it",
                    python);
    else
        ir_op_error(
            module, "d2m-python-rewrites: %s: %.*s%s", python, (int)last.size, last.data,
            missing ? "; install Tilewright's packages (pip install .), or put their "
                      "folder into PYTHONPATH"
                    : "");
    tw_strbuf_free(&text);
    return false;
}

/* Replaces the module's operations with those of the rewritten text. */
static bool replace_body(ir_op *module, const scratch *s)
{
    tw_strbuf text = {0};
    tw_status status = tw_file_read(tw_strbuf_text(&s->behind), &text);
    if (status) {
        ir_op_error(module, "d2m-python-rewrites: %s", tw_status_message(status));
        tw_status_free(status);
        return false;
    }
    ir_op *made = ir_parse(module->ctx, (tw_str){text.data, text.size},
                           "the module that Python rewrote", NULL);
    tw_strbuf_free(&text);
    if (!made)
        return false;
    ir_block *to = ir_op_body(module, 0), *from = ir_op_body(made, 0);
    while (to->last)
        ir_op_erase(to->last);
    if (from->first)
        ir_block_splice(to, NULL, from, from->first, from->last);
    module->attrs = made->attrs;
    ir_op_erase(made);
    return true;
}

typedef struct paths {
    char **at;
    size_t n, capacity;
} paths;

/* The option's list, each a file that can be read. */
static bool read_paths(ir_op *module, const pass_run *run, paths *out)
{
    tw_str text = pass_option_str(run, "module-path");
    while (text.size) {
        const tw_str item = tw_str_cut(&text, ',');
        char *path = strndup(item.data, item.size);
        TW_PUSH(out->at, out->n, out->capacity, path);
        if (access(path, R_OK) != 0)
            return ir_op_error(module, "d2m-python-rewrites: module-path=%s: %s", path,
                               strerror(errno));
    }
    return true;
}

static bool rewrite(ir_op *module, const paths *p, scratch *s)
{
    static const ir_print_options options = {.debug_info = true};
    const char *named = getenv("TILEWRIGHT_PYTHON"),
               *python = named && *named ? named : "python3";
    tw_strbuf text = {0};
    ir_print_op(module, &options, &text);
    tw_status status =
        tw_file_write(tw_strbuf_text(&s->before), tw_strbuf_text(&text), text.size);
    tw_strbuf_free(&text);
    if (status) {
        ir_op_error(module, "d2m-python-rewrites: %s", tw_status_message(status));
        tw_status_free(status);
        return false;
    }
    char **argv = NULL;
    size_t n = 0, capacity = 0;
    char *const first[] = {
        (char *)(uintptr_t)python, (char *)(uintptr_t) "-c", (char *)(uintptr_t)script,
        s->library.data,           s->before.data,           s->behind.data};
    for (size_t i = 0; i < TW_COUNT(first); i++)
        TW_PUSH(argv, n, capacity, first[i]);
    for (size_t i = 0; i < p->n; i++)
        TW_PUSH(argv, n, capacity, p->at[i]);
    TW_PUSH(argv, n, capacity, NULL);
    const int exit = tw_spawn(argv, tw_strbuf_text(&s->errors));
    free(argv);
    return exit == 0 ? replace_body(module, s) : report(module, python, s);
}

static bool run(ir_op *module, pass_run *run)
{
    paths p = {0};
    scratch s = {0};
    bool ok = read_paths(module, run, &p);
    if (ok && p.n) {
        ok = make_scratch(module, &s) && rewrite(module, &p, &s);
        remove_scratch(&s);
    }
    for (size_t i = 0; i < p.n; i++)
        free(p.at[i]);
    free(p.at);
    return ok;
}

const pass_def d2m_python_rewrites_pass = {
    .name = "d2m-python-rewrites",
    .summary = "Rewrite by the patterns that Python files register with d2m_jit.pattern",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(pass_option_def,
                       {"module-path", PASS_LIST, "",
                        "Python files, with commas between, in the order of their import"}),
};
