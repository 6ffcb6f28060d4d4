/* vhlo_types.h: converts between vhlo's types and builtin types. */
#ifndef TILEWRIGHT_STABLEHLO_VHLO_VHLO_TYPES_H
#define TILEWRIGHT_STABLEHLO_VHLO_VHLO_TYPES_H

#include "ir/type.h"

/* NULL: the type has no counterpart.  A type that is not vhlo's is returned unchanged. */
ir_type vhlo_type_from(ir_type builtin);
ir_type vhlo_type_to_builtin(ir_type vhlo);

#endif
