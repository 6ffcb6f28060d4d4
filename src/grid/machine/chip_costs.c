/* chip_costs.c: the cost tables of the chips.
 *
 * Sources: [isa] tt-isa-documentation, [mlir] tt-mlir's default system descriptors and
 * TTNNCollectPerfMetrics.cpp, [npe] tt-npe's device models, [ttsim] ttsim's tensix.cpp and
 * config.h; [gap] tt-metal's op_to_op_golden.json and issue 55760; [derived] follows by
 * arithmetic, [assumed] is not measured yet. */
#include "grid/machine/chip_costs.h"

static const dev_chip chips[] = {
/* Wormhole: 8x8 workers remain on each chip of an n300 with two fused rows, and the
 * descriptors expose as many for the n150. */
#define WORMHOLE                                                                           \
    .arch = "wormhole_b0", .grid_y = 8, .grid_x = 8, /* [mlir] */                          \
        .translated_y = 18, .translated_x = 18,      /* [isa] NoC/Coordinates.md */        \
        .l1_bytes = 1499136,                         /* [isa] TensixTile/L1.md */          \
        .l1_base = 1024, .dram_banks = 12,           /* [mlir] */                          \
        .dram_base = 1024, .dram_bytes = 1073741824, /* [mlir] */                          \
        .l1_align = 16, .dram_align = 32,            /* [mlir] */                          \
        .circular_buffers = 32, .dst_tiles = 16,     /* [mlir] */                          \
        .noc_packet = 8192,                          /* [ttsim] config.h */                \
        .clock_ghz = 1.0,                            /* [mlir] */                          \
        .cost = {                                                                          \
            .matmul_phase = 16,  /* [mlir] */                                              \
            .matmul_extra = 2.5, /* [gap] measured on Blackhole */                         \
            .eltwise_fpu = 8,    /* [derived] 1024 / 128 */                                \
            .move_tile = 16,     /* [derived] MOVA2D */                                    \
            .reduce_phase = 16,  /* [derived] GAPOOL pairs */                              \
            .sfpu_op = 32,       /* [isa] VectorUnit.md */                                 \
            .unpack_start = 2,                                                             \
            .unpack_bytes = 32, /* [isa] UNPACR_Regular.md */                              \
            .pack_bytes = 64,   /* [isa] L1.md */                                          \
            .issue_compute = 4,                                                            \
            .issue_noc = 30,   /* [assumed] */                                             \
            .issue_scalar = 1, /* [assumed] */                                             \
            .noc_latency = 40,                                                             \
            .noc_hop = 10,     /* [npe] */                                                 \
            .noc_bytes = 28.1, /* [npe]; a test of tt-metal's reaches 29 */                \
            .read_latency = {70, 154, 170, 270}, /* [npe] */                               \
            .dram_bytes = 23.2,                  /* [npe] */                               \
            .dram_latency = 100,                 /* [assumed] */                           \
            .atomic = 5,                         /* [isa] L1.md */                         \
            .launch_us = 2.05,                   /* [gap] */                               \
    }
    {.name = "n150", WORMHOLE},
    {.name = "n300", WORMHOLE},
    /* Blackhole: 130 of the 140 workers; one column is reserved for dispatch. */
    {.name = "p150",
     .arch = "blackhole",
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
     .cost =
         {
             .matmul_phase = 16,  /* [mlir] */
             .matmul_extra = 2.5, /* [gap] */
             .eltwise_fpu = 8,
             .move_tile = 16,
             .reduce_phase = 16,
             .sfpu_op = 32,
             .unpack_start = 2,
             .unpack_bytes = 128, /* [ttsim] of 8 and 16 bits */
             .pack_bytes = 64,    /* [assumed] as on Wormhole */
             .issue_compute = 4,  /* [assumed] */
             .issue_noc = 30,
             .issue_scalar = 1,
             .noc_latency = 40, /* [npe] */
             .noc_hop = 11,
             .noc_bytes = 60.9,
             .read_latency = {65, 177, 217, 329},
             .dram_bytes = 40,
             .dram_latency = 100, /* [assumed] */
             .atomic = 5,
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
