/* vhlo_merged.h: attributes that are one in StableHLO and several in VHLO. */
#ifndef TILEWRIGHT_STABLEHLO_VHLO_VHLO_MERGED_H
#define TILEWRIGHT_STABLEHLO_VHLO_VHLO_MERGED_H

#include "ir/op.h"

enum { VHLO_MAX_PARTS = 9, VHLO_MERGED_COUNT = 5 };

/* The parts, in the order of the attribute's parameters. */
typedef struct vhlo_merged_row {
    const char *name;
    const ir_attr_def *def;
    const char *parts[VHLO_MAX_PARTS];
} vhlo_merged_row;

extern const vhlo_merged_row vhlo_merged[VHLO_MERGED_COUNT];

#endif
