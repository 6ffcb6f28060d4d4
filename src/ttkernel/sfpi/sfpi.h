/* sfpi.h: the sfpi dialect: names of its rows. */
#ifndef TILEWRIGHT_TTKERNEL_SFPI_SFPI_H
#define TILEWRIGHT_TTKERNEL_SFPI_SFPI_H

#include "ttkernel/sfpi/sfpi_enums.h"

#define IR_DIALECT sfpi
#define IR_PREFIX SFPI
#define IR_ROWS "ttkernel/sfpi/sfpi.def"
#include "ir/dialect_names.h"

#define SFPI_OP(id) (&sfpi_ops[SFPI_##id])

#define SFPI_ATTR(id) (&sfpi_attrs[SFPI_ATTR_##id])

#endif
