/* rule_source.h: the source lines of rewriting rules and passes. */
#ifndef TILEWRIGHT_TOOLS_RULE_SOURCE_H
#define TILEWRIGHT_TOOLS_RULE_SOURCE_H

/* A row of the tables that scripts/rules makes of the sources. */
typedef struct rule_source {
    const char *name, *file;
    unsigned line;
} rule_source;

extern const rule_source rule_sources[], pass_sources[]; /* up to a row without a name */

/* The row of a rule's function, which the program's own symbol table names; NULL where it
 * has none (a stripped program) or the function is not in the table. */
const rule_source *rule_source_of(void (*rule)(void));
/* The row of a pass, or NULL. */
const rule_source *pass_source_of(const char *pass);

#endif
