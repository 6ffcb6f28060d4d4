/* sim_cpp.c: kernels in C++ for `tilewright sim`: files that replace the program's kernels,
 * or every kernel as its emitted C++. */
#include "sim.h"

#include "cli.h"

#include "flatbuffer/verify.h"
#include "support/file.h"
#include "tilewright/transform.h"

#include <stdio.h>
#include <stdlib.h>

/* NAME=FILE, or a file named like the kernel. */
static tw_status add_file(tw_sim *sim, const char *given)
{
    const char *equals = strchr(given, '='), *path = equals ? equals + 1 : given;
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t size = equals ? (size_t)(equals - given) : strcspn(base, ".");
    tw_strbuf text = {0}, name = {0};
    tw_strbuf_append(&name, equals ? given : base, size);
    tw_status status = tw_file_read(path, &text);
    if (status == TW_SUCCESS)
        status = tw_sim_add_cpp(sim, &(tw_cpp_kernel){.name = tw_strbuf_text(&name),
                                                      .text = tw_strbuf_text(&text),
                                                      .size = text.size,
                                                      .path = path});
    tw_strbuf_free(&text);
    tw_strbuf_free(&name);
    return status;
}

/* The next line "// NAME" before an #include: the start of a kernel's source. */
static const char *next_source(const char *at)
{
    for (; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        const char *end = strchr(at, '\n');
        if (strncmp(at, "// ", 3) == 0 && end && end[1] == '#')
            return at;
    }
    return NULL;
}

static tw_status add_emitted(tw_sim *sim, const char *path, tw_str program,
                             explainer *explainer)
{
    char *text;
    size_t size;
    if (explainer)
        explainer_follow_next(explainer);
    TW_TRY(tw_transform(
        program.data, program.size,
        &(tw_transform_options){.name = path,
                                .pipeline = "convert-ttkernel-to-emitc",
                                .kernels_cpp = true,
                                .watch = explainer ? explainer_watch(explainer) : NULL},
        &text, &size));
    tw_status status = TW_SUCCESS;
    const char *at = next_source(text);
    while (at && status == TW_SUCCESS) {
        const char *next = next_source(strchr(at, '\n'));
        tw_strbuf name = {0};
        tw_strbuf_append(&name, at + 3, strcspn(at + 3, "\n"));
        status = tw_sim_add_cpp(
            sim, &(tw_cpp_kernel){.name = tw_strbuf_text(&name),
                                  .text = at,
                                  .size = next ? (size_t)(next - at) : strlen(at),
                                  .defines = "#define TW_EMITTED 1\n"});
        tw_strbuf_free(&name);
        at = next;
    }
    free(text);
    return status;
}

/* A binary has the kernels' C++ itself. */
static bool is_binary(tw_str program)
{
    fb_file_id kind;
    tw_status status = fb_detect(program.data, program.size, &kind);
    tw_status_free(status);
    return !status;
}

tw_status sim_add_cpp(tw_sim *sim, const sim_options *o, const char *path, tw_str program,
                      explainer *explainer)
{
    if (o->cpp && !is_binary(program))
        TW_TRY(add_emitted(sim, path, program, explainer));
    for (size_t i = 0; i < o->kernels.count; i++)
        TW_TRY(add_file(sim, o->kernels.at[i]));
    return TW_SUCCESS;
}

int sim_list_functions(void)
{
    char *names = tw_kernel_api_names();
    size_t count = 0;
    for (const char *c = names; *c; c++)
        count += *c == '\n';
    printf("# Functions of the kernel API\n\n"
           "Written by `tilewright sim --list-functions`: what kernels in C++ may call "
           "([how](cpp.md)). %zu names; the\nmethods of `TensorAccessor`, "
           "`CircularBuffer`, `Noc` and the address generators come on top.\n\n",
           count);
    for (const char *c = names; *c; c += strcspn(c, "\n") + 1) {
        fputs("- `", stdout);
        fwrite(c, 1, strcspn(c, "\n"), stdout);
        fputs("`\n", stdout);
    }
    free(names);
    return 0;
}

int sim_write_api(const char *folder)
{
    tw_status status = tw_kernel_api_write(folder);
    if (status != TW_SUCCESS)
        return cli_fail(status);
    return 0;
}
