/* completion.h: `tilewright completion SHELL`. */
#ifndef TILEWRIGHT_TOOLS_COMPLETION_H
#define TILEWRIGHT_TOOLS_COMPLETION_H

/* Prints the script for "bash" or "zsh"; the exit status. */
int completion_print(const char *shell);

#endif
