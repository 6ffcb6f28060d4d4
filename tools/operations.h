/* operations.h: `tilewright operations [NAME]`: the reference, written from the rows. */
#ifndef TILEWRIGHT_TOOLS_OPERATIONS_H
#define TILEWRIGHT_TOOLS_OPERATIONS_H

/* NULL: the dialects; a dialect's name: its operations and their support; an operation's
 * name: its operands, attributes and results.  Prints Markdown; returns the exit status. */
int operations_show(const char *name);

#endif
