/* replay.c: runs a fuzz target over files, for builds without libFuzzer, so that past
 * findings stay tests. Arguments are files or folders; without any file it fails. */
#include "support/file.h"
#include "support/status.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t replay(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        size_t n = 0;
        DIR *folder = opendir(path);
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            char inside[4096];
            int length = snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
            if (entry->d_name[0] != '.' && length < (int)sizeof inside)
                n += replay(inside);
        }
        if (folder)
            closedir(folder);
        return n;
    }
    tw_strbuf bytes = {0};
    tw_status status = tw_file_read(path, &bytes);
    if (status) {
        fprintf(stderr, "%s\n", tw_status_message(status));
        tw_status_free(status);
        return 0;
    }
    /* Exactly as large as the file, so that sanitizers see an overrun. */
    uint8_t *exact = malloc(bytes.size ? bytes.size : 1);
    if (bytes.size)
        memcpy(exact, bytes.data, bytes.size);
    LLVMFuzzerTestOneInput(exact, bytes.size);
    free(exact);
    tw_strbuf_free(&bytes);
    return 1;
}

int main(int argc, char **argv)
{
    size_t n = 0;
    for (int i = 1; i < argc; i++)
        n += replay(argv[i]);
    printf("%zu inputs replayed\n", n);
    return n ? 0 : 1;
}
