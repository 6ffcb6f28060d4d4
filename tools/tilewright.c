/* tilewright.c: `tilewright run`, `sim`, `reduce`, `operations` and `doctor`: the command
 * line; each command is a file of its own. */
#include "cli.h"
#include "doctor.h"
#include "operations.h"
#include "reduce.h"
#include "run.h"
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *verb(size_t i)
{
    static const char *const verbs[] = {"run", "sim", "reduce", "operations", "doctor"};
    return i < TW_COUNT(verbs) ? verbs[i] : NULL;
}

static bool is_verb(const char *word)
{
    for (size_t i = 0; verb(i); i++)
        if (strcmp(verb(i), word) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    run_options o = {.seed = 0};
    sim_options s = {.seed = 0};
    reduce_options r = {.output = "-", .timeout = 60};
    bool list = false;
    bool functions = false;
    const char *api = NULL;
    const cli_option options[] = {
        {"allow-invalid", CLI_FLAG, &r.allow_invalid,
         "reduce: also try modules that the verifier refuses", NULL, false},
        {"budget", CLI_INT, &s.budget,
         "sim: operations of one thread before it counts as endless", "number", false},
        {"chip", CLI_STRING, &s.chip, "sim: n150 (default), n300 or p150", "name", false},
        {"cpp", CLI_FLAG, &s.cpp,
         "sim: run the C++ that is emitted for kernels, compiled for this machine", NULL,
         false},
        {"dtype", CLI_STRING, &o.dtype,
         "Compute floats in bf16, f32 or bfp_bf8, whatever the program says", "format",
         false},
        {"dump", CLI_STRING, &o.dump, "Write the program after each stage into this folder",
         "folder", false},
        {"entry", CLI_STRING, &o.entry, "Function to run (default: main)", "name", false},
        {"expect", CLI_STRING, &o.expect,
         "Compare with arrays out0, out1, ... of an .npz file", "file", false},
        {"kernel", CLI_LIST, &s.kernels,
         "sim: a file of C++ in the place of a kernel, as hardware's toolchain takes it",
         "name=file", false},
        {"kernel-api", CLI_STRING, &api,
         "sim: write the headers of the kernel API into this folder", "folder", false},
        {"list-functions", CLI_FLAG, &functions,
         "sim: list the functions that kernels in C++ may call", NULL, false},
        {"list-operations", CLI_FLAG, &list,
         "sim: list TTKernel's operations and which of them run", NULL, false},
        {"inputs", CLI_STRING, &o.inputs,
         "Arrays in0, in1, ... of an .npz file, or .npy files (default: random)",
         "file,...", false},
        {"no-host", CLI_FLAG, &o.no_host,
         "Refuse what does not run on the device, and compute 64 bits in 32", NULL, false},
        {"no-races", CLI_FLAG, &s.no_races,
         "sim: do not look for accesses that nothing orders", NULL, false},
        {"numerics", CLI_STRING, &s.numerics,
         "sim: value (default), fidelity or bit: how exactly the matrix unit is modelled",
         "level", false},
        {"o", CLI_STRING, &r.output, "reduce: where the result goes (default: -)", "file",
         false},
        {"outputs", CLI_STRING, &o.outputs, "Write arrays out0, out1, ... to an .npz file",
         "file", false},
        {"pcc", CLI_STRING, &o.pcc, "Least correlation with --expect (0.99)", "number",
         false},
        {"profile", CLI_FLAG, &o.profile, "Show what each operation took", NULL, false},
        {"seed", CLI_INT, &o.seed, "Seed of random inputs; sim: of the order of threads",
         "number", false},
        {"test", CLI_STRING, &r.test,
         "reduce: a command that ends with status 0 for files to keep", "command", false},
        {"threads", CLI_INT, &o.threads,
         "Threads of this machine (default: TILEWRIGHT_THREADS, or 1); sim: 1 or 2",
         "number", false},
        {"timeout", CLI_INT, &r.timeout, "reduce: seconds for one run of the command (60)",
         "seconds", false},
        {"trace", CLI_STRING, &s.trace,
         "sim: write what happened when: a page (.html), or JSON for ui.perfetto.dev",
         "file", false},
    };
    cli c = {
        .tool = "tilewright",
        .overview =
            "compile and run a program: tilewright run FILE; run kernels: tilewright sim "
            "FILE; shrink a module: tilewright reduce --test=COMMAND FILE; look up "
            "operations: tilewright operations [NAME]; tilewright doctor",
        .options = options,
        .n_options = TW_COUNT(options)};
    int status = cli_parse(&c, argc, argv);
    if (status >= 0)
        return status;
    const char *command = c.inputs.count ? c.inputs.at[0] : "";
    if (strcmp(command, "doctor") == 0 && c.inputs.count == 1)
        status = doctor();
    else if (strcmp(command, "operations") == 0 && c.inputs.count <= 2)
        status = operations_show(c.inputs.count == 2 ? c.inputs.at[1] : NULL);
    else if (strcmp(command, "run") == 0 && c.inputs.count == 2)
        status = run_file(c.inputs.at[1], &o);
    else if (strcmp(command, "sim") == 0 && c.inputs.count == 1 && list)
        status = sim_list_operations();
    else if (strcmp(command, "sim") == 0 && c.inputs.count == 1 && functions)
        status = sim_list_functions();
    else if (strcmp(command, "sim") == 0 && c.inputs.count == 1 && api)
        status = sim_write_api(api);
    else if (strcmp(command, "sim") == 0 && c.inputs.count == 2) {
        s.inputs = o.inputs, s.outputs = o.outputs, s.entry = o.entry;
        s.profile = o.profile, s.seed = o.seed;
        s.threads = o.threads;
        status = sim_file(c.inputs.at[1], &s);
    } else if (strcmp(command, "reduce") == 0 && c.inputs.count == 2 && r.test) {
        status = reduce_file(c.inputs.at[1], &r);
    } else if (*command && !is_verb(command)) {
        cli_unknown_verb(&c, command, verb);
        status = 2;
    } else {
        fprintf(stderr,
                "usage: tilewright run FILE [options] | tilewright sim FILE [options] | "
                "tilewright reduce --test=COMMAND FILE | tilewright operations [NAME] | "
                "tilewright doctor; see --help\n");
        status = 2;
    }
    free(c.inputs.at);
    return status;
}
