/* fuzz_executable.c: any bytes as a serialised executable of JAX's plugin: as they are, or,
 * where the first is even, behind a mark and with the digest of what follows, so that they
 * are read. */
#include "../../bindings/pjrt/pjrt.h"

#include "support/arena.h"
#include "support/sha256.h"

#include <stdlib.h>
#include <string.h>

static void load(pj_client *client, const char *bytes, size_t size)
{
    pj_deserialize_args args = {
        .struct_size = sizeof args, .client = client, .bytes = bytes, .size = size};
    pj_error *error = pj_executable_deserialize_and_load(&args);
    if (error)
        pj_error_destroy(&(pj_of_args){.object = error});
    else
        pj_loaded_executable_destroy(&(pj_of_args){.object = args.loaded});
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MARK = 16, HEAD = MARK + 32 };
    static pj_client *client;
    if (!client) {
        pj_create_args args = {.struct_size = sizeof args};
        if (pj_client_create(&args))
            abort();
        client = args.client;
    }
    if (size && data[0] % 2) {
        load(client, (const char *)data, size);
        return 0;
    }
    tw_sha256 h;
    char *bytes = tw_xcalloc(1, HEAD + size);
    memcpy(bytes, "tilewright tt 1", MARK);
    if (size)
        memcpy(bytes + HEAD, data + 1, size - 1);
    size = HEAD + (size ? size - 1 : 0);
    tw_sha256_begin(&h);
    tw_sha256_add(&h, bytes + HEAD, size - HEAD);
    tw_sha256_end(&h, (uint8_t *)bytes + MARK);
    load(client, bytes, size);
    free(bytes);
    return 0;
}
