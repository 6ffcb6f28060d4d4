/* spawn.h: runs a program of the machine. */
#ifndef TILEWRIGHT_SUPPORT_SPAWN_H
#define TILEWRIGHT_SUPPORT_SPAWN_H

/* Runs argv[0], a path or a name to find in PATH, without input and output and with
 * standard error redirected to a file; returns its exit status, or -1 if it did not start
 * or did not exit itself. */
int tw_spawn(char *const *argv, const char *errors);

#endif
