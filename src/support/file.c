/* file.c: see file.h. */
#include "support/file.h"

#include "support/arena.h"

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

/* Describes errno for a file that cannot be written, with a suggestion where there is
 * one. */
static tw_status cannot_write(const char *path)
{
    bool full = errno == ENOSPC || errno == EDQUOT, large = errno == EFBIG;
    return tw_error(TW_IO, "cannot write '%s': %s%s", path, strerror(errno),
                    full    ? "; free space there or name another path"
                    : large ? "; raise the limit (ulimit -f) or name another path"
                            : "");
}

static tw_status write_all(int fd, const char *path, const void *data, size_t size)
{
    const char *c = data;
    while (size) {
        ssize_t n = write(fd, c, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cannot_write(path);
        c += n;
        size -= (size_t)n;
    }
    return TW_SUCCESS;
}

/* /dev/null, a pipe */
static tw_status write_special(const char *path, const void *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return cannot_write(path);
    tw_status status = write_all(fd, path, data, size);
    if (close(fd) < 0 && !status)
        status = cannot_write(path);
    return status;
}

/* Opens an unnamed file in the folder of `path`, which the system removes if the process is
 * killed; -1 if the file system does not support it. */
static int open_nameless(const char *path)
{
#ifdef O_TMPFILE
    const char *slash = strrchr(path, '/');
    tw_strbuf folder = {0};
    tw_strbuf_printf(&folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
                     slash ? path : ".");
    int fd = open(folder.data, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    tw_strbuf_free(&folder);
    return fd;
#else
    (void)path;
    return -1;
#endif
}

/* Links an unnamed file to its name; an existing file is replaced through a temporary
 * name. */
static bool name_file(int fd, const char *path)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    if (linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0)
        return true;
    if (errno != EEXIST)
        return false;
    tw_strbuf between = {0};
    tw_strbuf_printf(&between, "%s.%ld-%d", path, (long)getpid(), fd);
    bool ok = linkat(AT_FDCWD, self, AT_FDCWD, between.data, AT_SYMLINK_FOLLOW) == 0 &&
              rename(between.data, path) == 0;
    if (!ok) {
        int why = errno;
        unlink(between.data);
        errno = why;
    }
    tw_strbuf_free(&between);
    return ok;
}

/* Writes through a temporary file beside the target. */
static tw_status write_beside(const char *path, const void *data, size_t size)
{
    tw_strbuf temporary = {0};
    tw_strbuf_printf(&temporary, "%s.XXXXXX", path);
    int fd = mkostemp(temporary.data, O_CLOEXEC);
    if (fd < 0) {
        tw_strbuf_free(&temporary);
        return cannot_write(path);
    }
    mode_t mask = umask(0);
    umask(mask);
    tw_status status = write_all(fd, path, data, size);
    if (!status && fchmod(fd, 0666 & ~mask) < 0)
        status = cannot_write(path);
    if (close(fd) < 0 && !status)
        status = cannot_write(path);
    if (!status && rename(temporary.data, path) < 0)
        status = cannot_write(path);
    if (status)
        unlink(temporary.data);
    tw_strbuf_free(&temporary);
    return status;
}

tw_status tw_file_write(const char *path, const void *data, size_t size)
{
    struct stat st;
    if (strcmp(path, "-") == 0)
        return write_all(1, "standard output", data, size);
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return write_special(path, data, size);
    int fd = open_nameless(path);
    if (fd < 0)
        return write_beside(path, data, size);
    tw_status status = write_all(fd, path, data, size);
    if (!status && !name_file(fd, path))
        status = write_beside(path, data, size); /* for example without /proc */
    close(fd);
    return status;
}

tw_status tw_folder_make(const char *path)
{
    char *copy = tw_xstrdup(path);
    int why = 0;
    for (char *p = copy; *p;) {
        p += strspn(p, "/");
        p += strcspn(p, "/");
        char c = *p;
        *p = 0;
        why = mkdir(copy, 0777) == 0 || errno == EEXIST ? 0 : errno;
        *p = c;
    }
    free(copy);
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return TW_SUCCESS;
    return tw_error(TW_IO, "cannot create the folder '%s': %s", path,
                    strerror(why ? why : ENOTDIR));
}
