/* sfpi.h: the sfpi dialect: names of its rows. */
#ifndef TILEWRIGHT_DIALECT_SFPI_H
#define TILEWRIGHT_DIALECT_SFPI_H

#include "ir/op.h"
#include "ttkernel/sfpi/sfpi_enums.h"

enum {
#define TW_OP(id, ...) SFPI_##id,
#include "ttkernel/sfpi/sfpi.def"
    SFPI_OP_COUNT
};

extern const ir_dialect sfpi_dialect;
extern const ir_op_def sfpi_ops[];
#define SFPI_OP(id) (&sfpi_ops[SFPI_##id])

enum {
#define TW_ATTR(id, ...) SFPI_ATTR_##id,
#include "ttkernel/sfpi/sfpi.def"
};
extern const ir_attr_def sfpi_attrs[];
#define SFPI_ATTR(id) (&sfpi_attrs[SFPI_ATTR_##id])

#endif
