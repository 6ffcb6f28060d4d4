/* registry.h: every pass and pipeline of the library. */
#ifndef TILEWRIGHT_CONVERT_REGISTRY_H
#define TILEWRIGHT_CONVERT_REGISTRY_H

#include "pass/pass.h"

extern const pass_registry tw_passes;

#endif
