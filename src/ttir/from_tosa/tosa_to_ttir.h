/* tosa_to_ttir.h: TOSA's operations as those of TTIR. */
#ifndef TILEWRIGHT_CONVERT_TOSA_TO_TTIR_H
#define TILEWRIGHT_CONVERT_TOSA_TO_TTIR_H

#include "ir/pass/pass.h"

extern const pass_def convert_tosa_to_ttir_pass;

#endif
