/* gspmd.h: shardings as GSPMD writes them: mhlo.sharding = "{devices=[2,4]<=[8]}". */
#ifndef TILEWRIGHT_SDY_MESH_GSPMD_H
#define TILEWRIGHT_SDY_MESH_GSPMD_H

#include "support/base.h"

enum { GSPMD_MOST_DIMS = 16 };

typedef struct gspmd_sharding {
    bool devices;                   /* otherwise every device has all of it */
    int64_t shape[GSPMD_MOST_DIMS]; /* parts of each dimension; of `devices` only */
    size_t rank;
    int64_t mesh[2];
    int64_t dims[2]; /* the dimension that each axis of the mesh splits, or -1 */
} gspmd_sharding;

/* Reads what goes on between a call and its operand, one of which says {manual} (or both
 * the same text, of an argument).  NULL, or what is wrong; nothing is written then. */
const char *gspmd_read(tw_str call, tw_str operand, gspmd_sharding *out);

#endif
