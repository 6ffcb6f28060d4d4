/* sfpi_to_emitc.h: the vector unit's instructions as builtins of the vendor's compiler. */
#ifndef TILEWRIGHT_CONVERT_SFPI_TO_EMITC_H
#define TILEWRIGHT_CONVERT_SFPI_TO_EMITC_H

#include "ir/pass/pass.h"

extern const pass_def convert_sfpi_to_emitc_pass;

#endif
