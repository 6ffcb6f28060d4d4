/* vhlo_to_stablehlo.h: portable artifacts back to StableHLO. */
#ifndef TILEWRIGHT_CONVERT_VHLO_TO_STABLEHLO_H
#define TILEWRIGHT_CONVERT_VHLO_TO_STABLEHLO_H

#include "pass/pass.h"

extern const pass_def vhlo_legalize_to_stablehlo_pass;

#endif
