/* chip_costs.c: the cost tables of the chips.
 *
 * Sources: [isa] tt-isa-documentation, [mlir] tt-mlir's default system descriptors and
 * TTNNCollectPerfMetrics.cpp, [npe] tt-npe's device models, [ttsim] ttsim's tensix.cpp and
 * config.h; [llk] instructions of tt-llk's functions; [916] its issue 916; [gap] tt-metal's
 * op_to_op_golden.json and issue 55760; [derived] follows by arithmetic, [assumed] is not
 * measured yet.
 *
 * A call of the data movement API: a load of the command buffer's state (7 cycles) and its
 * branch (3), six register writes (source, destination, its coordinates, control, length,
 * command), the transfers' counter in local memory (load 2, add, store), four for the loop
 * and addresses: 24 (BabyRISCV/README.md, NoC/MemoryMap.md). One of the circular buffers':
 * a load of a counter in the overlay's registers (7) and its branch (3); to change one, a
 * load, an addition, a store and the pointer in local memory (3). */
#include "ttcore/system/chip_costs.h"

/* Positions: workers and DRAM tiles in [isa] NoC/Coordinates.md and DRAMTile/README.md.
 * Which two rows are fused off, and which of its three tiles a bank answers at, follows
 * from the workers that [mlir]'s descriptors name beside each bank: rows 4 and 11. */
#define WORMHOLE_NOC                                                                       \
    {                                                                                      \
        .rows = 12, .columns = 10, .row = {1, 2, 3, 5, 7, 8, 9, 10},                       \
        .column = {1, 2, 3, 4, 6, 7, 8, 9},                                                \
        .bank_row = {11, 1, 5, 7, 1, 11, 2, 9, 8, 4, 5, 7},                                \
        .bank_column = {0, 0, 0, 0, 5, 5, 5, 5, 5, 5, 5, 5},                               \
    }

static const dev_chip chips[] = {
/* Wormhole: 8x8 workers remain on each chip of an n300 with two fused rows, and the
 * descriptors expose as many for the n150. */
#define WORMHOLE                                                                           \
    .arch = "wormhole_b0", .generation = DEV_WORMHOLE, .grid_y = 8,                        \
    .grid_x = 8,                                     /* [mlir] */                          \
        .translated_y = 18, .translated_x = 18,      /* [isa] NoC/Coordinates.md */        \
        .l1_bytes = 1499136,                         /* [isa] TensixTile/L1.md */          \
        .l1_base = 1024, .dram_banks = 12,           /* [mlir] */                          \
        .dram_base = 1024, .dram_bytes = 1073741824, /* [mlir] */                          \
        .l1_align = 16, .dram_align = 32,            /* [mlir] */                          \
        .circular_buffers = 32, .dst_tiles = 16,     /* [mlir] */                          \
        .noc_packet = 8192,                          /* [ttsim] config.h */                \
        .clock_ghz = 1.0,                            /* [mlir] */                          \
        .noc = WORMHOLE_NOC,                                                               \
    .cost = {                                                                              \
        .matmul_phase = 16,     /* [mlir] */                                               \
        .matmul_extra = 2.5,    /* [gap] measured on Blackhole */                          \
        .eltwise_fpu = 8,       /* [derived] 1024 / 128 */                                 \
        .move_tile = 16,        /* [derived] MOVA2D */                                     \
        .reduce_pool = 5,       /* [isa] GAPOOL's latency: the next adds to its rows */    \
        .reduce_transpose = 20, /* [llk] reduce_row_perform_transpose */                   \
        .sfpu_op = 32,          /* [isa] VectorUnit.md */                                  \
        .sfpu_tile = 8,         /* [llk] two SETRWC a face, as in C4 */                    \
        .unpack_start = 2,                                                                 \
        .unpack_bytes = 32,     /* [isa] UNPACR_Regular.md, x4 speed */                    \
        .unpack_alone = 64,     /* [isa] L1.md */                                          \
        .pack_bytes = 64,       /* [isa] L1.md */                                          \
        .pack_accumulate = 2,   /* [isa] L1.md, not atomic */                              \
        .pack_reconfigure = 12, /* [llk] a mask of four packers */                         \
        .untilize_rows = 16,                                                               \
        .untilize_row_bytes = 1024, /* [916] */                                            \
        .untilize_block = 17,                                                              \
        .dst_acquire = 2, /* [isa] STALLWAIT.md: SEMWAIT and a cycle */                    \
        .dst_commit = 7,  /* [isa] latency of the unit, SEMPOST, SETC16 */                 \
        .dst_wait = 2,                                                                     \
        .dst_release = 8, /* [llk] _llk_pack_dest_section_done_ */                         \
        .cb_poll = 10,                                                                     \
        .cb_update = 12, /* [derived] see above */                                         \
        .issue_compute = 4,                                                                \
        .issue_noc = 24,   /* [derived] see above */                                       \
        .issue_scalar = 1, /* [assumed] */                                                 \
        .noc_latency = 40,                                                                 \
        .noc_hop = 10, /* [npe] */                                                         \
        .noc_bytes = 28.1,                                                                 \
        /* [npe]; a test of tt-metal's reaches 29 */ .link_bytes = 30, /* [npe] */         \
        .read_latency = {70, 154, 170, 270},                           /* [npe] */         \
        .dram_bytes = 23.2,                                            /* [npe] */         \
        .dram_latency = 100,                                           /* [assumed] */     \
        .atomic = 5,                                                   /* [isa] L1.md */   \
        .init_unpack = 1,                                                                  \
        .init_math = 1,                                                                    \
        .init_pack = 1,                                                                    \
        .launch_us = 2.05, /* [gap] */                                                     \
    }
    {.name = "n150", WORMHOLE},
    {.name = "n300", WORMHOLE},
    /* Blackhole: 130 of the 140 workers; one column is reserved for dispatch. */
    {.name = "p150",
     .arch = "blackhole",
     .generation = DEV_BLACKHOLE,
     .grid_y = 10, /* [mlir] */
     .grid_x = 13,
     .translated_y = 18, /* [mlir] */
     .translated_x = 18,
     .l1_bytes = 1572864, /* [ttsim] config.h */
     .l1_base = 98304,    /* [mlir] */
     .dram_banks = 8,
     .dram_base = 64, /* [mlir] */
     .dram_bytes = 4278190080,
     .l1_align = 16,
     .dram_align = 64,
     .circular_buffers = 32,
     .dst_tiles = 16,
     .noc_packet = 16384, /* [ttsim] config.h */
     .clock_ghz = 1.35,   /* [mlir] */
     .noc = {.rows = 12,
             .columns = 17,
             .row = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
             .column = {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15},
             .bank_row = {11, 2, 9, 5, 11, 3, 8, 6}, .bank_column = {0, 0, 0, 0, 9, 9, 9, 9}},
     .cost =
         {
             .matmul_phase = 16,  /* [mlir] */
             .matmul_extra = 2.5, /* [gap] */
             .eltwise_fpu = 8,
             .move_tile = 16,
             .reduce_pool = 5,
             .reduce_transpose = 20,
             .sfpu_op = 32,
             .sfpu_tile = 8, /* [llk] */
             .unpack_start = 2,
             .unpack_bytes = 128, /* [ttsim] of 8 and 16 bits */
             .unpack_alone = 128,
             .pack_bytes = 64, /* [assumed] as on Wormhole */
             .pack_accumulate = 2,
             .pack_reconfigure = 12,
             .untilize_rows = 32, /* [916] */
             .untilize_row_bytes = 2048,
             .untilize_block = 192,
             .dst_acquire = 2,
             .dst_commit = 7,
             .dst_wait = 2,
             .dst_release = 8,
             .cb_poll = 10,
             .cb_update = 12,
             .issue_compute = 4, /* [assumed] */
             .issue_noc = 24,    /* [derived] */
             .issue_scalar = 1,
             .noc_latency = 40, /* [npe] */
             .noc_hop = 11,
             .noc_bytes = 60.9,
             .link_bytes = 60.9,
             .read_latency = {65, 177, 217, 329},
             .dram_bytes = 40,
             .dram_latency = 100, /* [assumed] */
             .atomic = 5,
             .init_unpack = 1,
             .init_math = 1,
             .init_pack = 1,
             .launch_us = 2.05, /* [gap] as on Wormhole */
         }},
};

const dev_chip *dev_chip_at(size_t i)
{
    return i < TW_COUNT(chips) ? &chips[i] : NULL;
}

const dev_chip *dev_chip_find(tw_str name)
{
    for (size_t i = 0; i < TW_COUNT(chips); i++)
        if (tw_str_is(name, chips[i].name) || tw_str_is(name, chips[i].arch))
            return &chips[i];
    return NULL;
}
