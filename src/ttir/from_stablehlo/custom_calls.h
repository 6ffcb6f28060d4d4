/* custom_calls.h: options of custom calls: text in the dictionary
 * mhlo.frontend_attributes. */
#ifndef TILEWRIGHT_TTIR_FROM_STABLEHLO_CUSTOM_CALLS_H
#define TILEWRIGHT_TTIR_FROM_STABLEHLO_CUSTOM_CALLS_H

#include "ttir/from_stablehlo/stablehlo_to_ttir.h"

/* Empty if it is absent. */
tw_str s2t_option(const ir_op *op, const char *name);
/* False if the text is not an integer. */
bool s2t_option_int(const ir_op *op, const char *name, int64_t *out);
bool s2t_option_real(const ir_op *op, const char *name, double *out);
/* "true" or "false" in any case; `otherwise` if absent. */
bool s2t_option_flag(const ir_op *op, const char *name, bool otherwise, bool *out);

s2t_fn s2t_attention_call;                           /* attention_calls.c */
s2t_fn s2t_flash_mla_prefill, s2t_indexer_score_dsa; /* composite_calls.c */

#endif
