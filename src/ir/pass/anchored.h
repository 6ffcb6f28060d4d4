/* ir/pass/anchored.h: pass managers anchored on operations other than modules. */
#ifndef TILEWRIGHT_IR_PASS_ANCHORED_H
#define TILEWRIGHT_IR_PASS_ANCHORED_H

#include "ir/pass/pass.h"

/* Sets the operation to run on if it is not "builtin.module"; the name must outlive the
 * manager. */
void pass_manager_set_anchor(pass_manager *pm, const char *operation);

#endif
