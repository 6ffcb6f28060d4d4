/* run_program.h: see run_program.c. */
#ifndef TILEWRIGHT_TESTS_RUN_PROGRAM_H
#define TILEWRIGHT_TESTS_RUN_PROGRAM_H

#include "tilewright/tilewright.h"

/* Text, bytecode or a binary. */
void fuzz_compile_and_run(const char *text, size_t size);
/* A program of kernels, text or .ttm, on the simulated grid with a small budget. Kernels in
 * C++ would be compiled: the caller leaves them out. */
void fuzz_run_kernels(const char *text, size_t size);

#endif
