/* ir/pass/anchored.h: managers for other operations than modules. */
#ifndef TILEWRIGHT_IR_PASS_ANCHORED_H
#define TILEWRIGHT_IR_PASS_ANCHORED_H

#include "ir/pass/pass.h"

/* Says which operation it is to run on, where that is not "builtin.module"; the name must
 * outlive the manager. */
void pass_manager_set_anchor(pass_manager *pm, const char *operation);

#endif
