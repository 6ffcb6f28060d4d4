/* zip_library.c: see zip_library.h. */
#include "zip_library.h"

#include "support/base.h"
#include "support/status.h"

#include <dlfcn.h>

/* Debian's libzip4; upstream and Debian 13; macOS. */
static const char *const names[] = {"libzip.so.4", "libzip.so.5", "libzip.5.dylib"};

tw_status zip_library_load(const char *path, zip_library *out)
{
    void *library = NULL;
    for (size_t i = 0; !library && i < TW_COUNT(names); i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return tw_error(
            TW_UNSUPPORTED,
            "'%s' is an archive, which libzip reads and writes: it is not "
            "installed; install the package libzip4 (Debian 12, Ubuntu), libzip5 "
            "(Debian 13) or libzip (Homebrew), or pass .npy files",
            path);
        /* ISO C has no conversion from void * to functions; POSIX guarantees this one. */
#define F(name)                                                                            \
    *(void **)&out->name = dlsym(library, #name);                                          \
    if (!out->name)                                                                        \
        return tw_error(TW_UNSUPPORTED,                                                    \
                        "'%s': the installed libzip has no function " #name                \
                        "; install libzip 1.5 or newer",                                   \
                        path);
    ZIP_FUNCTIONS(F)
#undef F
    return TW_SUCCESS;
}
