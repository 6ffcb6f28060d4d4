/* doctor.c: see doctor.h. */
#include "doctor.h"

#include "cli.h"

#include "tilewright/tilewright.h"

#include "support/arena.h"
#include <math.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Programs that some commands and packages need beside the library: a shell command that
 * prints a version. */
static const struct {
    const char *name, *use, *command;
} others[] = {
    {"python3", "the Python packages", "python3 --version"},
    {"torch", "torch.compile(backend=\"tt\")",
     "python3 -c 'import importlib.metadata as m; print(m.version(\"torch\"))'"},
    {"numpy", "tensors from Python",
     "python3 -c 'import importlib.metadata as m; print(m.version(\"numpy\"))'"},
    {"jax", "exporting JAX programs, tests",
     "python3 -c 'import importlib.metadata as m; print(m.version(\"jax\"))'"},
    {"c++", "kernels in C++", "c++ --version"},
    {"dot", "pictures of graphs (--view-op-graph)", "dot -V 2>&1"},
};

static void show_others(void)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char line[256] = "", command[256];
        snprintf(command, sizeof command, "{ %s; } 2>%s", others[i].command, "/dev/null");
        FILE *f = popen(command, "r");
        if (f && !fgets(line, sizeof line, f))
            line[0] = 0;
        bool found = f && pclose(f) == 0 && line[0];
        line[strcspn(line, "\n")] = 0;
        printf("%s: %s (for %s)\n", others[i].name, found ? line : "not found",
               others[i].use);
    }
}

static const char self_test[] =
    "func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {\n"
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]\n"
    "      : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>\n"
    "  %1 = stablehlo.abs %0 : tensor<4x4xf32>\n"
    "  return %1 : tensor<4x4xf32>\n"
    "}\n";

/* Prints the set environment variables with our prefix and tt-mlir's. */
static void show_environment(void)
{
    static const char *const prefixes[] = {"TILEWRIGHT_", "TTXLA_", "TT_", "TTMLIR_"};
    for (char **e = environ; *e; e++)
        for (size_t i = 0; i < TW_COUNT(prefixes); i++)
            if (strncmp(*e, prefixes[i], strlen(prefixes[i])) == 0)
                printf("environment: %s\n", *e);
}

int doctor(void)
{
    tw_program *p;
    float a[32], b[32], c[16];
    const char *used, *best;
    tw_status status = tw_kernels_isa(&used, &best);
    if (status != TW_SUCCESS)
        return cli_fail(status);
    printf("tilewright %s\n", tw_version());
    printf("kernels: %s (this processor runs up to %s)\n", used, best);
    show_others();
    show_environment();
    status = tw_program_compile(self_test, sizeof self_test - 1, NULL, &p);
    if (status != TW_SUCCESS)
        return cli_fail(status);
    for (int i = 0; i < 32; i++) {
        a[i] = (float)(i % 7) - 3;
        b[i] = (float)(i % 5) - 2;
    }
    status = tw_program_run(p, (const void *const[]){a, b}, (void *const[]){c});
    tw_program_destroy(p);
    if (status != TW_SUCCESS)
        return cli_fail(status);
    for (int i = 0; i < 16; i++) {
        float want = 0;
        for (int k = 0; k < 8; k++)
            want += a[i / 4 * 8 + k] * b[k * 4 + i % 4];
        if (c[i] != fabsf(want)) {
            printf("self-test: element %d is %g, expected %g\n", i, (double)c[i],
                   (double)fabsf(want));
            return 1;
        }
    }
    printf("self-test: compile and run a matmul: ok\n");
    return 0;
}
