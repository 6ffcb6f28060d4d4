/* fuzz_npz.c: any bytes as .npy and .npz files. */
#include "../../tools/npz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static unsigned long sum; /* keeps reads from being optimised away */

static void read_all(tw_status status, npz *arrays)
{
    for (size_t i = 0; !status && i < arrays->count; i++)
        for (size_t k = 0; k < arrays->at[i].bytes; k++)
            sum += ((const unsigned char *)arrays->at[i].data)[k];
    if (!status)
        npz_free(arrays);
    tw_status_free(status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    npz arrays = {0};
    int fd = memfd_create("array.npz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (size > 2 && memcmp(data, "PK", 2) == 0)
        read_all(npz_read(path, &arrays), &arrays);
    else
        read_all(npz_read_npy(path, "in0", &arrays), &arrays);
    close(fd);
    return 0;
}
