/* tilewright.c: `tilewright run`, `sim`, `reduce`, `operations` and `doctor`: the command
 * line; each command is a file of its own. */
#include "cli.h"
#include "doctor.h"
#include "operations.h"
#include "reduce.h"
#include "run.h"
#include "sim.h"

#include <stddef.h>
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

typedef struct all_options {
    run_options run;
    sim_options sim;
    reduce_options reduce;
    const char *kernel_api;
    bool list_operations, list_functions;
} all_options;

#define AT(member) offsetof(all_options, member)

static const cli_option options[] = {
    {"allow-invalid", CLI_FLAG, AT(reduce.allow_invalid),
     "reduce: also try modules that the verifier rejects", NULL, false},
    {"atol", CLI_STRING, AT(run.atol),
     "With --expect: |got - wanted| <= atol + rtol * |wanted| (default: by type; f32 1e-4 "
     "of the largest value)",
     "number", false},
    {"budget", CLI_INT, AT(sim.budget),
     "sim: operations of one thread before it counts as endless", "number", false},
    {"chip", CLI_STRING, AT(sim.chip), "sim: n150 (default), n300 or p150", "name", false},
    {"cpp", CLI_FLAG, AT(sim.cpp),
     "sim: run the emitted C++ of the kernels, compiled for this machine", NULL, false},
    {"dtype", CLI_STRING, AT(run.dtype),
     "Compute floats in bf16, f32 or bfp_bf8, instead of the program's types", "format",
     false},
    {"dump", CLI_STRING, AT(run.dump),
     "Write the program after each stage into this folder", "folder", false},
    {"entry", CLI_STRING, AT(run.entry), "Function to run (default: main)", "name", false},
    {"expect", CLI_STRING, AT(run.expect),
     "Compare element by element with arrays out0, out1, ... of an .npz file", "file",
     false},
    {"kernel", CLI_LIST, AT(sim.kernels),
     "sim: run a C++ file, written for the hardware, instead of the program's kernel",
     "name=file", false},
    {"kernel-api", CLI_STRING, AT(kernel_api),
     "sim: write the headers of the kernel API into this folder", "folder", false},
    {"list-functions", CLI_FLAG, AT(list_functions),
     "sim: list the functions that kernels in C++ may call", NULL, false},
    {"list-operations", CLI_FLAG, AT(list_operations),
     "sim: list TTKernel's operations and which of them run", NULL, false},
    {"inputs", CLI_STRING, AT(run.inputs),
     "Arrays in0, in1, ... of an .npz file, or .npy files (default: random)", "file,...",
     false},
    {"no-host", CLI_FLAG, AT(run.no_host),
     "Reject what does not run on the device, and compute 64 bits in 32", NULL, false},
    {"no-races", CLI_FLAG, AT(sim.no_races),
     "sim: do not detect races (unordered accesses)", NULL, false},
    {"numerics", CLI_STRING, AT(sim.numerics),
     "sim: value (default), fidelity or bit: how exactly the matrix unit is modelled",
     "level", false},
    {"o", CLI_STRING, AT(reduce.output), "reduce: the output file (default: -)", "file",
     false},
    {"outputs", CLI_STRING, AT(run.outputs), "Write arrays out0, out1, ... to an .npz file",
     "file", false},
    {"pcc", CLI_STRING, AT(run.pcc),
     "With --expect: minimum correlation, too (default: 0.99 for bf16 and block floats)",
     "number", false},
    {"profile", CLI_FLAG, AT(run.profile), "Show the time of each operation", NULL, false},
    {"rtol", CLI_STRING, AT(run.rtol), "See --atol; without one of both it is 0", "number",
     false},
    {"seed", CLI_INT, AT(run.seed), "Seed of random inputs; sim: of the order of threads",
     "number", false},
    {"test", CLI_STRING, AT(reduce.test),
     "reduce: a command that ends with status 0 for files to keep", "command", false},
    {"threads", CLI_INT, AT(run.threads),
     "Threads of this machine (default: TILEWRIGHT_THREADS, or 1); sim: 1 or 2; reduce: "
     "commands side by side",
     "number", false},
    {"timeout", CLI_INT, AT(reduce.timeout),
     "reduce: seconds for one run of the command (60)", "seconds", false},
    {"trace", CLI_STRING, AT(sim.trace),
     "sim: write a timeline: a page (.html), or JSON for ui.perfetto.dev", "file", false},
    {"tries", CLI_INT, AT(reduce.tries),
     "reduce: maximum runs of the command (default: until nothing can be removed)",
     "number", false},
};

/* Copies options of `run` that `sim` shares. */
static void share_options(all_options *o)
{
    o->sim.inputs = o->run.inputs;
    o->sim.outputs = o->run.outputs;
    o->sim.entry = o->run.entry;
    o->sim.profile = o->run.profile;
    o->sim.seed = o->run.seed;
    o->sim.threads = o->run.threads;
}

static int run_sim(const char *file, all_options *o)
{
    share_options(o);
    return file                 ? sim_file(file, &o->sim)
           : o->list_operations ? sim_list_operations()
           : o->list_functions  ? sim_list_functions()
           : o->kernel_api      ? sim_write_api(o->kernel_api)
                                : -1;
}

static int run_reduce(const char *file, all_options *o)
{
    o->reduce.threads = o->run.threads;
    return reduce_file(file, &o->reduce);
}

static int run_command(const cli *c, all_options *o)
{
    const char *command = c->inputs.count ? c->inputs.at[0] : "";
    const char *file = c->inputs.count == 2 ? c->inputs.at[1] : NULL;
    int status = -1; /* the command line is incomplete */
    if (*command && !is_verb(command)) {
        cli_unknown_verb(c, command, verb);
        return 2;
    }
    if (c->inputs.count <= 2) {
        if (strcmp(command, "doctor") == 0 && !file)
            status = doctor();
        else if (strcmp(command, "operations") == 0)
            status = operations_show(file);
        else if (strcmp(command, "run") == 0 && file)
            status = run_file(file, &o->run);
        else if (strcmp(command, "sim") == 0)
            status = run_sim(file, o);
        else if (strcmp(command, "reduce") == 0 && file && o->reduce.test)
            status = run_reduce(file, o);
    }
    if (status >= 0)
        return status;
    fprintf(stderr,
            "usage: tilewright run FILE [options] | tilewright sim FILE [options] | "
            "tilewright reduce --test=COMMAND FILE | tilewright operations [NAME] | "
            "tilewright doctor; see --help\n");
    return 2;
}

int main(int argc, char **argv)
{
    all_options o = {.reduce = {.output = "-", .timeout = 60}};
    cli c = {
        .tool = "tilewright",
        .overview =
            "compile and run a program: tilewright run FILE; run kernels: tilewright sim "
            "FILE; shrink a module: tilewright reduce --test=COMMAND FILE; look up "
            "operations: tilewright operations [NAME]; tilewright doctor",
        .options = options,
        .n_options = TW_COUNT(options),
        .into = &o};
    int status = cli_parse(&c, argc, argv);
    if (status >= 0)
        return status;
    status = run_command(&c, &o);
    free(c.inputs.at);
    return status;
}
