#include "compute_kernel_api.h"

namespace NAMESPACE {
void MAIN {
    exp3_tile(0);
}
}
