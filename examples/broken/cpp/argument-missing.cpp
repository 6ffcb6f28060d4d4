// The kernel reads an argument that the launch does not pass.
// Report:
//   error <1>: kernel argument: there is no runtime argument 3: the launch gives 1 (kernel @argument-missing, core
//       0,0, cycle *)
//   note <1>: arguments are counted from 0; give the launch more (kernel_args in IR, Run(...) in Python), or ask
//       for one that is there
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t n = get_arg_val<uint32_t>(3);  // <1>
    for (uint32_t i = 0; i < n; i++) {
        cb_reserve_back(0, 1);
    }
}
