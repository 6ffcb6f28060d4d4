/* isa.h: the instruction set that the kernels use.
 *
 * The best one that the processor supports, or the one named by the environment variable
 * TILEWRIGHT_ISA (plain, avx2, avx512, avx512bf16): results may differ in the last place
 * between sets, and every set can be tested on a machine that has it. The variable is read
 * once per process; krn_isa_check reports an invalid value. */
#ifndef TILEWRIGHT_HOST_ISA_H
#define TILEWRIGHT_HOST_ISA_H

#include "support/base.h"
#include "support/status.h"

/* Each includes those before it. */
typedef enum krn_isa {
    KRN_ISA_PLAIN,
    KRN_ISA_AVX2,
    KRN_ISA_AVX512,
    KRN_ISA_AVX512BF16,
    KRN_ISA_COUNT
} krn_isa;

/* The set that the processor supports, regardless of the environment. */
krn_isa krn_isa_of_machine(void);
/* The set that the kernels use; the machine's best if the variable's value is invalid. */
krn_isa krn_isa_chosen(void);
/* TW_INVALID if TILEWRIGHT_ISA names no set, or an unsupported one. */
tw_status krn_isa_check(void) TW_NODISCARD;
const char *krn_isa_name(krn_isa isa);
/* Bytes of the largest cache that this processor's cores share; 16 MiB if unknown. */
size_t krn_cache_bytes(void);
/* Finds a set by name; false if there is none. */
bool krn_isa_named(const char *name, krn_isa *out);

#endif
