/* ttmetal.h: the ttmetal dialect: symbols of its rows. */
#ifndef TILEWRIGHT_TTMETAL_TTMETAL_H
#define TILEWRIGHT_TTMETAL_TTMETAL_H

#include "ttmetal/ttmetal_enums.h"

#define IR_DIALECT ttmetal
#define IR_PREFIX TTMETAL
#define IR_ROWS "ttmetal/ttmetal.def"
#include "ir/dialect_names.h"

#define TTMETAL_OP(id) (&ttmetal_ops[TTMETAL_##id])

#define TTMETAL_ATTR(id) (&ttmetal_attrs[TTMETAL_ATTR_##id])

#define TTMETAL_TYPE(id) (&ttmetal_types[TTMETAL_TYPE_##id])

/* On transfers between a host array of elements and a buffer of tiles: bytes are copied
 * page by page, as tt-mlir's runtime does.  Without it the array has rows and columns,
 * which the simulator converts. */
#define TTMETAL_PAGES_ATTR "tt.pages"

#endif
