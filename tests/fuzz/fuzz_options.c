/* fuzz_options.c: any bytes as a serialised CompileOptionsProto, and the settings that it
 * asks for. */
#include "../../bindings/pjrt/pjrt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pj_compile_options options;
    pj_settings settings;
    if (!pj_options_read((const char *)data, size, &options))
        return 0;
    pj_error *error = pj_settings_read(&options, &settings);
    if (error)
        pj_error_destroy(&(pj_of_args){.object = error});
    else
        pj_settings_clear(&settings);
    return 0;
}
