/* constraints.h: every constraint that rows name. */
#ifndef TILEWRIGHT_DIALECT_CONSTRAINTS_H
#define TILEWRIGHT_DIALECT_CONSTRAINTS_H

#include "ir/dialect.h"

#include "d2m/d2m_enums.h"
#include "mlir/arith/arith_enums.h"
#include "mlir/bufferization/bufferization_enums.h"
#include "mlir/emitc/emitc_enums.h"
#include "mlir/linalg/linalg_enums.h"
#include "mlir/tosa/tosa_enums.h"
#include "mlir/transform/transform_enums.h"
#include "sdy/mpmd/mpmd_enums.h"
#include "sdy/sdy_enums.h"
#include "stablehlo/chlo/chlo_enums.h"
#include "stablehlo/stablehlo_enums.h"
#include "stablehlo/vhlo/vhlo_enums.h"
#include "ttcore/ttcore_enums.h"
#include "ttir/ttir_enums.h"
#include "ttkernel/sfpi/sfpi_enums.h"
#include "ttkernel/ttkernel_enums.h"
#include "ttl/ttl_enums.h"
#include "ttmetal/ttmetal_enums.h"
#include "ttnn/ttnn_enums.h"

/* A trait as a constant expression, for rows. */
#define IR_B(name) ((uint64_t)1 << IR_TRAIT_BIT_##name)

#define TW_CONSTRAINT(id, ...) extern const ir_constraint id;
#include "constraints/constraints.def"
#undef TW_CONSTRAINT

#endif
