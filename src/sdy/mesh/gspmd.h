/* gspmd.h: GSPMD shardings: mhlo.sharding = "{devices=[2,4]<=[8]}". */
#ifndef TILEWRIGHT_SDY_MESH_GSPMD_H
#define TILEWRIGHT_SDY_MESH_GSPMD_H

#include "support/base.h"

enum { GSPMD_MAX_DIMS = 16 };

typedef struct gspmd_sharding {
    bool devices;                  /* false: replicated on every device */
    int64_t shape[GSPMD_MAX_DIMS]; /* shards of each dimension; valid with `devices` */
    size_t rank;
    int64_t mesh[2];
    int64_t dims[2]; /* the dimension split by each mesh axis, or -1 */
} gspmd_sharding;

/* Reads the texts of a call and of its operand, one of which is {manual} (or both texts
 * equal, for an argument).  Returns NULL, or the reason of failure, with *out unchanged. */
const char *gspmd_read(tw_str call, tw_str operand, gspmd_sharding *out);

#endif
