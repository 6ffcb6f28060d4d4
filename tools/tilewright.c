/* tilewright.c: the commands of `tilewright` and their options; each command is a file of
 * its own. */
#include "blame.h"
#include "check_pass.h"
#include "cli.h"
#include "commands.h"
#include "completion.h"
#include "dap.h"
#include "doctor.h"
#include "limits.h"
#include "operations.h"
#include "reduce.h"
#include "report.h"
#include "run.h"
#include "sim.h"

#include <stddef.h>

typedef struct all_options {
    run_options run;
    sim_options sim;
    reduce_options reduce;
    check_pass_options check;
    blame_options blame;
    limits limits;
    const char *kernel_api;
    bool list_operations, list_functions, dap;
} all_options;

#define AT(member) offsetof(all_options, member)
#define LIMITS LIMIT_ROWS(AT(limits.memory), AT(limits.no_native))
#define HEADING(text)                                                                      \
    {                                                                                      \
        .kind = CLI_HEADING, .help = text                                                  \
    }

#define ENTRY(what)                                                                        \
    {                                                                                      \
        "entry", CLI_STRING, AT(run.entry), what, "name", false                            \
    }
#define INPUTS(otherwise)                                                                  \
    {                                                                                      \
        "inputs", CLI_STRING, AT(run.inputs),                                              \
            "Arrays in0, in1, ... of an .npz file" otherwise, "file,...", false            \
    }
#define OUTPUTS                                                                            \
    {                                                                                      \
        "outputs", CLI_STRING, AT(run.outputs),                                            \
            "Write arrays out0, out1, ... to an .npz file", "file", false                  \
    }

static const cli_option run_rows[] = {
    HEADING("INPUTS AND RESULTS"),
    ENTRY("Function to run (default: main)"),
    INPUTS(", or .npy files (default: random)"),
    {"seed", CLI_INT, AT(run.seed), "Seed of random inputs", "number", false},
    OUTPUTS,
    HEADING("COMPARISON"),
    {"expect", CLI_STRING, AT(run.expect),
     "Compare element by element with arrays out0, out1, ... of an .npz file", "file",
     false},
    {"atol", CLI_STRING, AT(run.atol),
     "|got - wanted| <= atol + rtol * |wanted| (default: by type; f32 1e-4 of the largest "
     "value)",
     "number", false},
    {"rtol", CLI_STRING, AT(run.rtol), "See --atol; without one of both it is 0", "number",
     false},
    {"pcc", CLI_STRING, AT(run.pcc),
     "Minimum correlation, too (default: 0.99 for bf16 and block floats)", "number", false},
    HEADING("COMPILATION AND EXECUTION"),
    {"dtype", CLI_STRING, AT(run.dtype),
     "Compute floats in bf16, f32 or bfp_bf8, whatever the program says", "format", false},
    {"pipeline-options", CLI_STRING, AT(run.pipeline_options),
     "Options of pipelines, as in ttmlir-opt: \"enable-fusing-pass=false "
     "disable-workarounds=false\" (docs/pipelines.md)",
     "options", false},
    {"no-host", CLI_FLAG, AT(run.no_host),
     "Refuse what does not run on the device, and compute 64 bits in 32", NULL, false},
    {"threads", CLI_INT, AT(run.threads),
     "Threads of this machine (default: TILEWRIGHT_THREADS, or 1)", "number", false},
    LIMITS,
    HEADING("INSPECTION"),
    {"dump", CLI_STRING, AT(run.dump),
     "Write the program after each stage into this folder", "folder", false},
    {"explain", CLI_STRING, AT(run.explain),
     "Write a page of what each pass changed, with its rules and their source lines",
     "file.html", false},
    {"profile", CLI_FLAG, AT(run.profile),
     "Show what each operation took on this machine, and would take on the chip", NULL,
     false},
    {"profile-page", CLI_STRING, AT(run.profile_page),
     "Write both times as a page with the graph of operations", "file.html", false},
    REPORT_OPTION(AT(run.report)),
};

static const char *const chips[] = {"n150", "n300", "p150", NULL};
static const char *const levels[] = {"value", "fidelity", "bit", NULL};

static const cli_option sim_rows[] = {
    HEADING("INPUTS AND RESULTS"),
    ENTRY("Host function to run (default: the only one that enqueues programs)"),
    INPUTS(" (default: 0 to 6 in turn)"),
    OUTPUTS,
    HEADING("DEVICE"),
    {"chip", CLI_STRING, AT(sim.chip), "Chip to simulate (default: n150)", "name", false,
     chips},
    {"numerics", CLI_STRING, AT(sim.numerics),
     "How exactly the matrix unit is modelled (default: value)", "level", false, levels},
    {"seed", CLI_INT, AT(run.seed), "Seed of the order in which threads run", "number",
     false},
    {"threads", CLI_INT, AT(run.threads), "Threads of this machine: 1 or 2", "number",
     false},
    HEADING("ORDERS"),
    {"explore", CLI_INT, AT(sim.explore),
     "Run in up to N orders, with delays where threads meet, until one breaks the "
     "kernels",
     "number", false},
    {"delays", CLI_STRING, AT(sim.delays),
     "Where delays that break the kernels go (default: FILE.delays)", "file", false},
    {"replay", CLI_STRING, AT(sim.replay), "Run with the delays of a file", "file", false},
    HEADING("DEBUGGER"),
    {"break", CLI_LIST, AT(sim.breaks),
     "Stop before this line of a thread, with a prompt: 0,1:reader:42; * is any core or "
     "thread",
     "core:thread:line", false},
    {"dap", CLI_FLAG, AT(dap),
     "Serve the Debug Adapter Protocol to an editor, which names the file (without FILE)",
     NULL, false},
    HEADING("CHECKS"),
    {"budget", CLI_INT, AT(sim.budget),
     "Operations of one thread before it counts as endless", "number", false},
    {"no-races", CLI_FLAG, AT(sim.no_races), "Do not look for accesses that nothing orders",
     NULL, false},
    LIMITS,
    HEADING("INSPECTION"),
    {"profile", CLI_FLAG, AT(run.profile), "Show the cycles of each kernel", NULL, false},
    {"what-if", CLI_FLAG, AT(sim.what_if),
     "Show what would help: cycles saved where each part, buffer or line is better", NULL,
     false},
    {"explain", CLI_STRING, AT(sim.explain),
     "Write a page of what each pass over the kernels changed, with its rules", "file.html",
     false},
    {"trace", CLI_STRING, AT(sim.trace),
     "Write what happened when: a page (.html), or JSON for ui.perfetto.dev", "file",
     false},
    REPORT_OPTION(AT(run.report)),
    HEADING("KERNELS IN C++"),
    {"cpp", CLI_FLAG, AT(sim.cpp),
     "Run the C++ that is emitted for kernels, compiled for this machine", NULL, false},
    {"kernel", CLI_LIST, AT(sim.kernels),
     "Run a C++ file, written for the hardware, instead of the program's kernel",
     "name=file", false},
    HEADING("LISTS (WITHOUT FILE)"),
    {"kernel-api", CLI_STRING, AT(kernel_api),
     "Write the headers of the kernel API into this folder", "folder", false},
    {"list-functions", CLI_FLAG, AT(list_functions),
     "List the functions that kernels in C++ may call", NULL, false},
    {"list-operations", CLI_FLAG, AT(list_operations),
     "List TTKernel's operations and which of them run", NULL, false},
};

static const cli_option reduce_rows[] = {
    {"test", CLI_STRING, AT(reduce.test),
     "A command that ends with status 0 for files to keep", "command", false},
    {"o", CLI_STRING, AT(reduce.output), "Where the result goes (default: -)", "file",
     false},
    {"allow-invalid", CLI_FLAG, AT(reduce.allow_invalid),
     "Also try modules that the verifier refuses", NULL, false},
    {"threads", CLI_INT, AT(run.threads), "Commands that run side by side (default: 1)",
     "number", false},
    {"timeout", CLI_INT, AT(reduce.timeout), "Seconds for one run of the command (60)",
     "seconds", false},
    {"tries", CLI_INT, AT(reduce.tries),
     "Runs of the command at most (default: until nothing goes away)", "number", false},
};

static const cli_option blame_rows[] = {
    HEADING("INPUTS AND BOUNDS"),
    ENTRY("Function to run (default: main)"),
    INPUTS(", or .npy files (default: random)"),
    {"seed", CLI_INT, AT(run.seed), "Seed of random inputs", "number", false},
    {"expect", CLI_STRING, AT(run.expect),
     "Arrays out0, out1, ... of an .npz file that the program itself is compared with",
     "file", false},
    {"atol", CLI_STRING, AT(run.atol), "|got - wanted| <= atol + rtol * |wanted|", "number",
     false},
    {"rtol", CLI_STRING, AT(run.rtol), "See --atol", "number", false},
    {"dtype", CLI_STRING, AT(run.dtype), "Compute floats in bf16, f32 or bfp_bf8", "format",
     false},
    {"timeout", CLI_INT, AT(blame.timeout),
     "Seconds for the reference evaluator (default: 60)", "seconds", false},
    HEADING("RESULT"),
    {"o", CLI_STRING, AT(blame.output),
     "Where the smallest program that shows it goes (default: blamed.mlir)", "file", false},
    {"no-reduce", CLI_FLAG, AT(blame.no_reduce), "Only name the operation", NULL, false},
    {"tries", CLI_INT, AT(blame.tries), "Smaller programs that are tried at most", "number",
     false},
    {"threads", CLI_INT, AT(run.threads), "Tries that run side by side (default: 1)",
     "number", false},
    {"shows", CLI_STRING, AT(blame.shows),
     "Only check: status 0 if the first operation that is off has this name", "operation",
     false},
};

static const cli_option check_rows[] = {
    {"passes", CLI_STRING, AT(check.passes),
     "A pipeline to check (default: the passes in a file's RUN lines, else all to TTNN)",
     "pipeline", false},
    {"keep", CLI_STRING, AT(check.keep),
     "Write modules and inputs whose results differ into this folder", "folder", false},
    {"timeout", CLI_INT, AT(check.timeout), "Seconds for one file (default: 60)", "seconds",
     false},
    {"threads", CLI_INT, AT(run.threads),
     "Files that are checked side by side (default: 1)", "number", false},
    {"verbose", CLI_FLAG, AT(check.verbose), "A line for each file", NULL, false},
};

/* ---- commands */

static int on_run(void *into, const cli_list *arguments)
{
    all_options *o = into;
    if (!limits_apply(&o->limits, "tilewright run"))
        return 2;
    return run_file(arguments->at[0], &o->run);
}

/* `sim` has some options under the names that `run` has. */
static int on_sim(void *into, const cli_list *arguments)
{
    all_options *o = into;
    if (!limits_apply(&o->limits, "tilewright sim"))
        return 2;
    o->sim.inputs = o->run.inputs;
    o->sim.outputs = o->run.outputs;
    o->sim.entry = o->run.entry;
    o->sim.profile = o->run.profile;
    o->sim.seed = o->run.seed;
    o->sim.threads = o->run.threads;
    o->sim.report = o->run.report;
    if (o->dap && arguments->count)
        return cli_usage("tilewright sim", "--dap takes no FILE: the editor names it");
    if (arguments->count)
        return sim_file(arguments->at[0], &o->sim);
    return o->dap               ? dap_serve(tilewright_main)
           : o->list_operations ? sim_list_operations()
           : o->list_functions  ? sim_list_functions()
           : o->kernel_api      ? sim_write_api(o->kernel_api)
                                : cli_usage("tilewright sim", "no FILE is given");
}

static int on_reduce(void *into, const cli_list *arguments)
{
    all_options *o = into;
    o->reduce.threads = o->run.threads;
    return o->reduce.test ? reduce_file(arguments->at[0], &o->reduce)
                          : cli_usage("tilewright reduce", "no --test=COMMAND is given");
}

static int on_blame(void *into, const cli_list *arguments)
{
    all_options *o = into;
    o->blame.run = o->run;
    return blame(arguments->at[0], &o->blame);
}

static int on_check_pass(void *into, const cli_list *arguments)
{
    all_options *o = into;
    o->check.threads = o->run.threads;
    return check_pass(arguments, &o->check);
}

static int on_operations(void *into, const cli_list *arguments)
{
    (void)into;
    return operations_show(arguments->count ? arguments->at[0] : NULL);
}

static int on_doctor(void *into, const cli_list *arguments)
{
    (void)into;
    (void)arguments;
    return doctor();
}

static int on_completion(void *into, const cli_list *arguments)
{
    (void)into;
    return completion_print(arguments->at[0]);
}

#define ROWS(rows) .options = rows, .n_options = TW_COUNT(rows)

static const cli_command commands[] = {
    {"run", "FILE", "Compile a program, run it, and show or compare its results",
     ROWS(run_rows),
     "tilewright run model.mlir\n"
     "tilewright run model.mlir --inputs in.npz --expect want.npz\n"
     "tilewright run model.mlir --profile --dump stages\n",
     1, 1, on_run},
    {"sim", "FILE", "Run the kernels of a program on the simulated grid", ROWS(sim_rows),
     "tilewright sim kernels.mlir --profile\n"
     "tilewright sim kernels.mlir --chip=p150 --trace=trace.html\n"
     "tilewright sim kernels.mlir --explore=1000\n"
     "tilewright sim kernels.mlir --kernel=reader=reader.cpp\n",
     0, 1, on_sim},
    {"reduce", "--test=COMMAND FILE",
     "Shrink a module to the smallest one for which a command succeeds", ROWS(reduce_rows),
     "tilewright reduce --test='! ttmlir-opt --my-pass' crash.mlir -o small.mlir\n"
     "tilewright reduce --test=./interesting.sh --threads=4 crash.mlir\n",
     1, 1, on_reduce},
    {"blame", "FILE",
     "Find the first operation whose result is off, and a small program that shows it",
     ROWS(blame_rows),
     "tilewright blame model.mlir --dtype=bf16\n"
     "tilewright blame model.mlir --inputs in.npz --expect want.npz -o small.mlir\n",
     1, 1, on_blame},
    {"check-pass", "FILE or FOLDER ...",
     "Interpret modules before and after each pass and compare the results",
     ROWS(check_rows),
     "tilewright check-pass tests/lit/transform\n"
     "tilewright check-pass --passes=ttir-fusing --keep=differing model.mlir\n",
     1, SIZE_MAX, on_check_pass},
    {"operations", "[NAME]",
     "Describe the dialects, one dialect or one operation, and where it works", NULL, 0,
     "tilewright operations\ntilewright operations ttnn\n"
     "tilewright operations ttir.softmax\n",
     0, 1, on_operations},
    {"doctor", "", "Show what is installed and run a self-test", NULL, 0,
     "tilewright doctor\n", 0, 0, on_doctor},
    {"completion", "SHELL", "Print a script that completes command lines in bash or zsh",
     NULL, 0,
     "source <(tilewright completion bash)\n"
     "tilewright completion zsh >~/.zfunc/_tilewright\n",
     1, 1, on_completion},
};

int tilewright_main(int argc, char **argv)
{
    all_options o = {.reduce = {.output = "-", .timeout = 60},
                     .check = {.timeout = 60},
                     .blame = {.output = "blamed.mlir", .timeout = 60}};
    cli c = {.tool = "tilewright",
             .overview = "compile and run programs and kernels on the embedded device",
             .commands = commands,
             .n_commands = TW_COUNT(commands),
             .into = &o};
    return cli_run_command(&c, argc, argv);
}
