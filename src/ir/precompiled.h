/* precompiled.h: what nearly every file of the compiler reads first, parsed once for each
 * of its libraries (gcc only: other compilers check that files name what they use). Headers
 * of dialects stay out: a new row would rebuild everything. */
#ifndef TILEWRIGHT_IR_PRECOMPILED_H
#define TILEWRIGHT_IR_PRECOMPILED_H

#include "ir/op.h"
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "ir/text.h"
#include "support/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#endif
