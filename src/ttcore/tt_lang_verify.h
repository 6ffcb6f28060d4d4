/* tt_lang_verify.h: checks shared by ttir.tt_lang_op and ttnn.tt_lang_op. */
#ifndef TILEWRIGHT_TTCORE_TT_LANG_VERIFY_H
#define TILEWRIGHT_TTCORE_TT_LANG_VERIFY_H

#include "ir/op.h"

bool tt_lang_verify(ir_op *op);

#endif
