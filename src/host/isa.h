/* isa.h: which instruction set the kernels use.
 *
 * The best one that the processor runs, or the one that the environment variable
 * TILEWRIGHT_ISA names (plain, avx2, avx512, avx512bf16): results may differ in the last
 * place between sets, and every set can be tested on a machine that has it.  The variable
 * is read once in a process; krn_isa_check says what is wrong with it. */
#ifndef TILEWRIGHT_HOST_ISA_H
#define TILEWRIGHT_HOST_ISA_H

#include "support/base.h"
#include "support/status.h"

/* Each contains those before it. */
typedef enum krn_isa {
    KRN_ISA_PLAIN,
    KRN_ISA_AVX2,
    KRN_ISA_AVX512,
    KRN_ISA_AVX512BF16,
    KRN_ISA_COUNT
} krn_isa;

/* What the processor runs, whatever the environment says. */
krn_isa krn_isa_of_machine(void);
/* What the kernels use; the machine's best if the variable's value is no good. */
krn_isa krn_isa_chosen(void);
/* TW_INVALID if TILEWRIGHT_ISA names no set, or one that this processor does not run. */
tw_status krn_isa_check(void) TW_NODISCARD;
const char *krn_isa_name(krn_isa isa);
/* Bytes of the largest cache that this processor's cores share; 16 MiB if it does not say.
 */
size_t krn_cache_bytes(void);
/* Finds a set by its name; false if there is none. */
bool krn_isa_named(const char *name, krn_isa *out);

#endif
