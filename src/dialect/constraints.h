/* constraints.h: every constraint that rows name. */
#ifndef TILEWRIGHT_DIALECT_CONSTRAINTS_H
#define TILEWRIGHT_DIALECT_CONSTRAINTS_H

#include "ir/dialect.h"

#include "dialect/arith/arith_enums.h"
#include "dialect/bufferization/bufferization_enums.h"
#include "dialect/chlo/chlo_enums.h"
#include "dialect/d2m/d2m_enums.h"
#include "dialect/emitc/emitc_enums.h"
#include "dialect/linalg/linalg_enums.h"
#include "dialect/mpmd/mpmd_enums.h"
#include "dialect/sdy/sdy_enums.h"
#include "dialect/sfpi/sfpi_enums.h"
#include "dialect/stablehlo/stablehlo_enums.h"
#include "dialect/tosa/tosa_enums.h"
#include "dialect/transform/transform_enums.h"
#include "dialect/ttcore/ttcore_enums.h"
#include "dialect/ttir/ttir_enums.h"
#include "dialect/ttkernel/ttkernel_enums.h"
#include "dialect/ttl/ttl_enums.h"
#include "dialect/ttmetal/ttmetal_enums.h"
#include "dialect/ttnn/ttnn_enums.h"
#include "dialect/vhlo/vhlo_enums.h"

/* A trait as a constant expression, for rows. */
#define IR_B(name) ((uint64_t)1 << IR_TRAIT_BIT_##name)

#define TW_CONSTRAINT(id, ...) extern const ir_constraint id;
#include "dialect/constraints.def"
#undef TW_CONSTRAINT

#endif
