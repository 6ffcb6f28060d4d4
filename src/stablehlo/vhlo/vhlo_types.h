/* vhlo_types.h: vhlo's types and the types they stand for, both ways. */
#ifndef TILEWRIGHT_STABLEHLO_VHLO_VHLO_TYPES_H
#define TILEWRIGHT_STABLEHLO_VHLO_VHLO_TYPES_H

#include "ir/type.h"

/* NULL: the type has no counterpart.  What is no vhlo type stays what it is. */
ir_type vhlo_type_from(ir_type builtin);
ir_type vhlo_type_to_builtin(ir_type vhlo);

#endif
