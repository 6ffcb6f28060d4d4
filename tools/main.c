/* main.c: the name in argv[0] selects the command; other names are the command tilewright.
 * ttlang-opt, stablehlo-opt, sdy_opt, mpmd_opt and ttlang-translate are the names of
 * tt-lang, StableHLO and Shardy for commands that are one here. */
#include "cli.h"
#include "commands.h"
#include "dap.h"

#include "support/base.h"
#include "support/guard.h"

#include <stdio.h>
#include <string.h>

#ifndef TW_WITH_LSP
static int lacks_jansson(const char *command)
{
    fprintf(stderr,
            "%s: error: built without the JSON library jansson; install libjansson-dev "
            "(Debian) or jansson (Homebrew) and build again\n",
            command);
    return 1;
}

int ttmlir_lsp_server_main(int argc, char **argv)
{
    (void)argc;
    return lacks_jansson(cli_name(argv[0]));
}

int dap_serve(int (*run)(int argc, char **argv))
{
    (void)run;
    return lacks_jansson("tilewright sim --dap");
}

bool dap_attach(tw_sim *sim)
{
    (void)sim;
    return false;
}

void dap_detach(void)
{
}
#endif

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"tilewright", tilewright_main},
    {"ttmlir-opt", ttmlir_opt_main},
    {"ttlang-opt", ttmlir_opt_main},
    {"stablehlo-opt", ttmlir_opt_main},
    {"sdy_opt", ttmlir_opt_main},
    {"mpmd_opt", ttmlir_opt_main},
    {"ttmlir-translate", ttmlir_translate_main},
    {"ttlang-translate", ttmlir_translate_main},
    {"stablehlo-translate", stablehlo_translate_main},
    {"ttrt", ttrt_main},
    {"tt-smi", tt_smi_main},
    {"ttmlir-lsp-server", ttmlir_lsp_server_main},
};

static int run(int argc, char **argv, const char *name)
{
    for (size_t i = 0; i < TW_COUNT(commands); i++)
        if (strcmp(commands[i].name, name) == 0)
            return commands[i].run(argc, argv);
    return tilewright_main(argc, argv);
}

/* Memory that a command itself lacks ends it with a message, not with a signal. */
int main(int argc, char **argv)
{
    const char *name = argc > 0 ? cli_name(argv[0]) : "";
    tw_guard guard;
    tw_guard_enter(&guard);
    if (_setjmp(guard.at)) {
        fprintf(stderr, "%s: error: out of memory (%zu bytes)\n", name, guard.size);
        return 1;
    }
    return run(argc, argv, name);
}
