/* file.c: see file.h. */
#include "support/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

tw_status tw_file_read(const char *path, tw_strbuf *out)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? 0 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return tw_error(errno == ENOENT ? TW_NOT_FOUND : TW_IO, "cannot open '%s': %s",
                        path, strerror(errno));
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(fd);
        return tw_error(TW_INVALID, "'%s' is a directory, not a file", path);
    }
    tw_strbuf text = {0};
    if (S_ISREG(st.st_mode))
        tw_strbuf_reserve(&text, (size_t)st.st_size);
    for (;;) {
        tw_strbuf_reserve(&text, 65536);
        ssize_t n = read(fd, text.data + text.size, text.capacity - text.size - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            tw_status status =
                tw_error(TW_IO, "cannot read '%s': %s", path, strerror(errno));
            tw_strbuf_free(&text);
            if (!standard)
                close(fd);
            return status;
        }
        if (n == 0)
            break;
        text.size += (size_t)n;
    }
    text.data[text.size] = 0;
    if (!standard)
        close(fd);
    *out = text;
    return TW_SUCCESS;
}

static tw_status write_all(int fd, const char *path, const void *data, size_t size)
{
    const char *c = data;
    while (size) {
        ssize_t n = write(fd, c, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tw_error(TW_IO, "cannot write '%s': %s", path, strerror(errno));
        c += n;
        size -= (size_t)n;
    }
    return TW_SUCCESS;
}

tw_status tw_file_write(const char *path, const void *data, size_t size)
{
    if (strcmp(path, "-") == 0)
        return write_all(1, "standard output", data, size);
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) { /* /dev/null, a pipe */
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        if (fd < 0)
            return tw_error(TW_IO, "cannot open '%s': %s", path, strerror(errno));
        tw_status status = write_all(fd, path, data, size);
        close(fd);
        return status;
    }
    tw_strbuf temporary = {0};
    tw_strbuf_printf(&temporary, "%s.XXXXXX", path);
    int fd = mkostemp(temporary.data, O_CLOEXEC);
    if (fd < 0) {
        tw_strbuf_free(&temporary);
        return tw_error(TW_IO, "cannot create '%s': %s", path, strerror(errno));
    }
    mode_t mask = umask(0);
    umask(mask);
    tw_status status = write_all(fd, path, data, size);
    if (status == TW_SUCCESS && fchmod(fd, 0666 & ~mask) < 0)
        status = tw_error(TW_IO, "cannot write '%s': %s", path, strerror(errno));
    if (close(fd) < 0 && status == TW_SUCCESS)
        status = tw_error(TW_IO, "cannot write '%s': %s", path, strerror(errno));
    if (status == TW_SUCCESS && rename(temporary.data, path) < 0)
        status = tw_error(TW_IO, "cannot write '%s': %s", path, strerror(errno));
    if (status != TW_SUCCESS)
        unlink(temporary.data);
    tw_strbuf_free(&temporary);
    return status;
}
