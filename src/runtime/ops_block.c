/* ops_block.c: operations that move tensors between places and formats. */
#include "dialect/ttnn/ttnn.h"
#include "runtime/plan.h"

const rt_kernel rt_block_kernels[] = {
    {0, NULL},
};
