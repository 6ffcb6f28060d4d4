/* element.h: elements of any type as doubles. */
#ifndef TILEWRIGHT_SUPPORT_ELEMENT_H
#define TILEWRIGHT_SUPPORT_ELEMENT_H

#include "tilewright/tilewright.h"

/* True for block floats, too. */
bool tool_is_float(tw_dtype type);

double tool_element(tw_dtype t, const void *data, size_t i);
/* Rounds; integers are truncated, a boolean is true for values above 0. */
void tool_store_element(tw_dtype dtype, void *data, size_t i, double x);

#endif
