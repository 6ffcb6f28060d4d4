/* vhlo_version.h: versions of portable artifacts, and those in which vhlo's rows exist. */
#ifndef TILEWRIGHT_STABLEHLO_VHLO_VHLO_VERSION_H
#define TILEWRIGHT_STABLEHLO_VHLO_VHLO_VERSION_H

#include "ir/op.h"

/* A version as one integer, ordered as versions are. */
#define VHLO_VERSION(major, minor, patch)                                                  \
    ((uint64_t)(major) << 40 | (uint64_t)(minor) << 20 | (uint64_t)(patch))
#define VHLO_OLDEST VHLO_VERSION(0, 9, 0)
#define VHLO_CURRENT VHLO_VERSION(1, 20, 0)

/* "1.9.0"; "current" is the newest.  False if the text is no version. */
bool vhlo_version_from(tw_str text, uint64_t *out_version);
void vhlo_version_text(uint64_t version, char text[32]);
/* The MLIR bytecode version that a release wrote. */
int vhlo_bytecode_version(uint64_t version);

/* True if a row, by name, exists in a version. */
bool vhlo_row_is_in(const char *name, uint64_t version);
/* True if all rows used in an attribute or type do. */
bool vhlo_attr_is_in(ir_attr attr, uint64_t version);
bool vhlo_type_is_in(ir_type type, uint64_t version);
/* The row of an operation ("add", without dialect and version) that is newest in a
 * version. */
const ir_op_def *vhlo_op_in(ir_context *ctx, tw_str base, uint64_t version);

#endif
