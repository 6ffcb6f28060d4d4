/* gpu.h: the gpu dialect: modules of device code; and the targets of nvvm. */
#ifndef TILEWRIGHT_MLIR_GPU_GPU_H
#define TILEWRIGHT_MLIR_GPU_GPU_H

#include "ir/dialect.h"

extern const ir_dialect gpu_dialect, nvvm_dialect;

#endif
