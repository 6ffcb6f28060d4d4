/* irgen_main.c: prints a random module.
 *
 * irgen [--seed=N] [--ops=N] [--dialects=a,b] [--plain] [--odd] [--broken] [--core]
 * [--without=x.y,x.z] [--pretty] [--locations]
 *
 * --broken: one operation is changed at random; exit status 1 if the verifier detects
 * it. */
#include "ir/text.h"
#include "irgen.h"
#include "pipelines/dialects.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    irgen_options options = {.ops = 16};
    ir_print_options print = {.generic = true};
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (strncmp(a, "--seed=", 7) == 0) {
            options.seed = strtoull(a + 7, NULL, 10);
        } else if (strncmp(a, "--ops=", 6) == 0) {
            options.ops = atoi(a + 6);
        } else if (strncmp(a, "--dialects=", 11) == 0) {
            options.dialects = a + 11;
        } else if (strncmp(a, "--without=", 10) == 0) {
            options.without = a + 10;
        } else if (strcmp(a, "--core") == 0) {
            options.core = true;
        } else if (strcmp(a, "--plain") == 0) {
            options.plain = true;
        } else if (strcmp(a, "--broken") == 0) {
            options.broken = true;
        } else if (strcmp(a, "--odd") == 0) {
            options.odd = true;
        } else if (strcmp(a, "--locations") == 0) {
            print.debug_info = true;
        } else if (strcmp(a, "--pretty") == 0) {
            print.generic = false;
        } else {
            fprintf(stderr, "irgen: unknown option '%s'\n", a);
            return 2;
        }
    }
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_allow_unregistered(ctx, options.odd);
    ir_op *module = irgen_module(ctx, &options);
    bool valid = ir_verify(module);
    tw_strbuf text = {0};
    ir_print_op(module, &print, &text);
    fwrite(text.data, 1, text.size, stdout);
    tw_strbuf_free(&text);
    ir_context_destroy(ctx);
    return valid ? 0 : 1;
}
