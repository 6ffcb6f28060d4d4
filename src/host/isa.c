/* isa.c: see isa.h. */
#include "host/isa.h"

#include <stdatomic.h>
#include <stdlib.h>
#ifdef __x86_64__
#include <cpuid.h>
#else
#include <unistd.h>
#endif

static const char *const names[] = {
    [KRN_ISA_PLAIN] = "plain",
    [KRN_ISA_AVX2] = "avx2",
    [KRN_ISA_AVX512] = "avx512",
    [KRN_ISA_AVX512BF16] = "avx512bf16",
};

const char *krn_isa_name(krn_isa isa)
{
    return names[isa];
}

bool krn_isa_named(const char *name, krn_isa *out)
{
    for (int i = 0; i < KRN_ISA_COUNT; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (krn_isa)i;
            return true;
        }
    return false;
}

krn_isa krn_isa_of_machine(void)
{
#ifdef __x86_64__
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return KRN_ISA_PLAIN;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
        return KRN_ISA_AVX2;
    return __builtin_cpu_supports("avx512bf16") ? KRN_ISA_AVX512BF16 : KRN_ISA_AVX512;
#else
    return KRN_ISA_PLAIN;
#endif
}

/* Returns the variable's value; empty means not set. */
static const char *requested(void)
{
    const char *text = getenv("TILEWRIGHT_ISA");
    return text && *text ? text : NULL;
}

krn_isa krn_isa_chosen(void)
{
    /* The answer is the same in the whole process; the first caller stores it. */
    static _Atomic int known = -1;
    int level = atomic_load_explicit(&known, memory_order_relaxed);
    if (level >= 0)
        return (krn_isa)level;
    const krn_isa most = krn_isa_of_machine();
    krn_isa wanted = most;
    const char *text = requested();
    if (text && !krn_isa_named(text, &wanted))
        wanted = most;
    wanted = TW_MIN(wanted, most);
    atomic_store_explicit(&known, (int)wanted, memory_order_relaxed);
    return wanted;
}

tw_status krn_isa_check(void)
{
    const char *text = requested();
    const krn_isa most = krn_isa_of_machine();
    krn_isa wanted;
    if (!text || (krn_isa_named(text, &wanted) && wanted <= most))
        return TW_SUCCESS;
    char known[64] = "";
    for (int i = 0; i <= (int)most; i++) {
        strcat(known, i ? ", " : "");
        strcat(known, names[i]);
    }
    return tw_error(TW_INVALID,
                    "TILEWRIGHT_ISA=%s is no instruction set of this processor; it runs %s",
                    text, known);
}

/* ---- caches ---- */

#define UNKNOWN_CACHE ((size_t)16 << 20)

#ifdef __x86_64__
/* The deterministic cache parameters (leaf 4 of Intel's manual, 0x8000001D of AMD's):
 * sysconf of older C libraries returns a multiple of the last level in virtual machines. */
static size_t ask_caches(void)
{
    unsigned a, b, c, d;
    const bool amd = __get_cpuid(0, &a, &b, &c, &d) && c == signature_AMD_ecx;
    size_t most = 0;
    for (unsigned i = 0; i < 16; i++) {
        if (!__get_cpuid_count(amd ? 0x8000001Du : 4u, i, &a, &b, &c, &d) || (a & 31) == 0)
            break;
        const size_t ways = (b >> 22) + 1, parts = (b >> 12 & 1023) + 1;
        const size_t bytes = ways * parts * ((b & 4095) + 1) * ((size_t)c + 1);
        most = TW_MAX(most, bytes);
    }
    return most ? most : UNKNOWN_CACHE;
}
#else
static size_t ask_caches(void)
{
#ifdef _SC_LEVEL3_CACHE_SIZE
    const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (bytes > 0)
        return (size_t)bytes;
#endif
    return UNKNOWN_CACHE;
}
#endif

size_t krn_cache_bytes(void)
{
    static _Atomic size_t known;
    size_t bytes = atomic_load_explicit(&known, memory_order_relaxed);
    if (!bytes) {
        bytes = ask_caches();
        atomic_store_explicit(&known, bytes, memory_order_relaxed);
    }
    return bytes;
}
