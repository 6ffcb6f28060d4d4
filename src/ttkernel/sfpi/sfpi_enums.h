/* sfpi_enums.h: the cases of each enum, once: X(P, symbol, value, text), where P begins the
 * names. */
#ifndef TILEWRIGHT_TTKERNEL_SFPI_SFPI_ENUMS_H
#define TILEWRIGHT_TTKERNEL_SFPI_SFPI_ENUMS_H

#define SFPI_CASES_ABS_MOD1(X, P)                                                          \
    X(P, INT, 0, "INT")                                                                    \
    X(P, FLOAT, 1, "FLOAT")

#define SFPI_CASES_ADD_MOD1(X, P)                                                          \
    X(P, ARG_LREG_DST, 0, "ARG_LREG_DST")                                                  \
    X(P, ARG_IMM, 1, "ARG_IMM")                                                            \
    X(P, ARG_2SCOMP_LREG_DST, 2, "ARG_2SCOMP_LREG_DST")                                    \
    X(P, CC_NONE, 4, "CC_NONE")                                                            \
    X(P, CC_GTE0, 8, "CC_GTE0")

#define SFPI_CASES_ArchVariant(X, P)                                                       \
    X(P, wormhole, 0, "wormhole")                                                          \
    X(P, blackhole, 1, "blackhole")                                                        \
    X(P, quasar, 2, "quasar")

#define SFPI_CASES_CAST_MOD1(X, P)                                                         \
    X(P, INT32_TO_FP32_RNE, 0, "INT32_TO_FP32_RNE")                                        \
    X(P, INT32_TO_FP32_RNS, 1, "INT32_TO_FP32_RNS")

#define SFPI_CASES_CONFIG_DEST(X, P)                                                       \
    X(P, MACRO_INST0, 0, "MACRO_INST0")                                                    \
    X(P, MACRO_INST1, 1, "MACRO_INST1")                                                    \
    X(P, MACRO_INST2, 2, "MACRO_INST2")                                                    \
    X(P, MACRO_INST3, 3, "MACRO_INST3")                                                    \
    X(P, MACRO_SEQ0, 4, "MACRO_SEQ0")                                                      \
    X(P, MACRO_SEQ1, 5, "MACRO_SEQ1")                                                      \
    X(P, MACRO_SEQ2, 6, "MACRO_SEQ2")                                                      \
    X(P, MACRO_SEQ3, 7, "MACRO_SEQ3")                                                      \
    X(P, MACRO_CTRL, 8, "MACRO_CTRL")                                                      \
    X(P, LREG11, 11, "LREG11")                                                             \
    X(P, LREG12, 12, "LREG12")                                                             \
    X(P, LREG13, 13, "LREG13")                                                             \
    X(P, LREG14, 14, "LREG14")                                                             \
    X(P, SFPU_CTRL, 15, "SFPU_CTRL")

#define SFPI_CASES_CONFIG_MOD1(X, P) X(P, SRC_R0_LREG0, 0, "SRC_R0_LREG0")

#define SFPI_CASES_CREG_IDX(X, P)                                                          \
    X(P, C0P837300003, 8, "C0P837300003")                                                  \
    X(P, C0, 9, "C0")                                                                      \
    X(P, C1, 10, "C1")                                                                     \
    X(P, PRGM0, 11, "PRGM0")                                                               \
    X(P, PRGM1, 12, "PRGM1")                                                               \
    X(P, PRGM2, 13, "PRGM2")                                                               \
    X(P, PRGM3, 14, "PRGM3")                                                               \
    X(P, TILEID, 15, "TILEID")

#define SFPI_CASES_CmpPredicate(X, P)                                                      \
    X(P, eq, 0, "eq")                                                                      \
    X(P, ne, 1, "ne")                                                                      \
    X(P, lt, 2, "lt")                                                                      \
    X(P, le, 3, "le")                                                                      \
    X(P, gt, 4, "gt")                                                                      \
    X(P, ge, 5, "ge")                                                                      \
    X(P, uo, 6, "uo")                                                                      \
    X(P, o, 7, "o")

#define SFPI_CASES_ENCC_IMM12(X, P)                                                        \
    X(P, NEITHER, 0, "NEITHER")                                                            \
    X(P, BOTH, 3, "BOTH")

#define SFPI_CASES_ENCC_MOD1(X, P)                                                         \
    X(P, EU_R1, 0, "EU_R1")                                                                \
    X(P, EC_R1, 1, "EC_R1")                                                                \
    X(P, EI_R1, 2, "EI_R1")                                                                \
    X(P, EU_RI, 8, "EU_RI")                                                                \
    X(P, EC_RI, 9, "EC_RI")                                                                \
    X(P, EI_RI, 10, "EI_RI")

#define SFPI_CASES_EXEXP_MOD1(X, P)                                                        \
    X(P, DEBIAS, 0, "DEBIAS")                                                              \
    X(P, NODEBIAS, 1, "NODEBIAS")                                                          \
    X(P, SET_CC_SGN_EXP, 2, "SET_CC_SGN_EXP")                                              \
    X(P, SET_CC_COMP_EXP, 8, "SET_CC_COMP_EXP")                                            \
    X(P, SET_CC_SGN_COMP_EXP, 10, "SET_CC_SGN_COMP_EXP")

#define SFPI_CASES_EXMAN_MOD1(X, P)                                                        \
    X(P, PAD8, 0, "PAD8")                                                                  \
    X(P, PAD9, 1, "PAD9")

#define SFPI_CASES_LOADI_MOD0(X, P)                                                        \
    X(P, FLOATB, 0, "FLOATB")                                                              \
    X(P, FLOATA, 1, "FLOATA")                                                              \
    X(P, USHORT, 2, "USHORT")                                                              \
    X(P, SHORT, 4, "SHORT")                                                                \
    X(P, UPPER, 8, "UPPER")                                                                \
    X(P, LOWER, 10, "LOWER")

#define SFPI_CASES_LOAD_ADDR_MODE(X, P) X(P, NOINC, 3, "NOINC")

#define SFPI_CASES_LOAD_MOD0(X, P)                                                         \
    X(P, FMT_SRCB, 0, "FMT_SRCB")                                                          \
    X(P, FMT_FP16A, 1, "FMT_FP16A")                                                        \
    X(P, FMT_FP16B, 2, "FMT_FP16B")                                                        \
    X(P, FMT_FP32, 3, "FMT_FP32")                                                          \
    X(P, FMT_INT32_TO_SM, 12, "FMT_INT32_TO_SM")

#define SFPI_CASES_LUTFP32_MOD0(X, P)                                                      \
    X(P, FP32_3ENTRY_TABLE, 0, "FP32_3ENTRY_TABLE")                                        \
    X(P, FP16_6ENTRY_TABLE1, 2, "FP16_6ENTRY_TABLE1")                                      \
    X(P, FP16_6ENTRY_TABLE2, 3, "FP16_6ENTRY_TABLE2")                                      \
    X(P, FP16_3ENTRY_TABLE, 10, "FP16_3ENTRY_TABLE")                                       \
    X(P, SGN_RETAIN, 4, "SGN_RETAIN")

#define SFPI_CASES_LUT_MOD0(X, P)                                                          \
    X(P, SGN_UPDATE, 0, "SGN_UPDATE")                                                      \
    X(P, SGN_RETAIN, 4, "SGN_RETAIN")

#define SFPI_CASES_LZ_MOD1(X, P)                                                           \
    X(P, CC_NONE, 0, "CC_NONE")                                                            \
    X(P, CC_NE0, 2, "CC_NE0")                                                              \
    X(P, CC_COMP, 8, "CC_COMP")                                                            \
    X(P, CC_EQ0, 10, "CC_EQ0")                                                             \
    X(P, NOSGN_CC_NONE, 4, "NOSGN_CC_NONE")                                                \
    X(P, NOSGN_CC_NE0, 6, "NOSGN_CC_NE0")                                                  \
    X(P, NOSGN_CC_COMP, 12, "NOSGN_CC_COMP")                                               \
    X(P, NOSGN_CC_EQ0, 14, "NOSGN_CC_EQ0")

#define SFPI_CASES_MAD_MOD1(X, P) X(P, OFFSET_NONE, 0, "OFFSET_NONE")

#define SFPI_CASES_MOV_MOD1(X, P) X(P, COMPSIGN, 1, "COMPSIGN")

#define SFPI_CASES_PUSHC_MOD1(X, P)                                                        \
    X(P, PUSH, 0, "PUSH")                                                                  \
    X(P, REPLACE, 1, "REPLACE")

#define SFPI_CASES_SDIVP2_MOD1(X, P) X(P, ADD, 0, "ADD")

#define SFPI_CASES_SETCC_MOD1(X, P)                                                        \
    X(P, LREG_LT0, 0, "LREG_LT0")                                                          \
    X(P, IMM_BIT0, 1, "IMM_BIT0")                                                          \
    X(P, LREG_NE0, 2, "LREG_NE0")                                                          \
    X(P, LREG_GTE0, 4, "LREG_GTE0")                                                        \
    X(P, LREG_EQ0, 6, "LREG_EQ0")                                                          \
    X(P, COMP, 8, "COMP")

#define SFPI_CASES_SHFT2_MOD1(X, P)                                                        \
    X(P, COPY4, 0, "COPY4")                                                                \
    X(P, SUBVEC_CHAINED_COPY4, 1, "SUBVEC_CHAINED_COPY4")                                  \
    X(P, SUBVEC_SHFLROR1_AND_COPY4, 2, "SUBVEC_SHFLROR1_AND_COPY4")                        \
    X(P, SUBVEC_SHFLROR1, 3, "SUBVEC_SHFLROR1")                                            \
    X(P, SUBVEC_SHFLSHR1, 4, "SUBVEC_SHFLSHR1")                                            \
    X(P, SHFT_LREG, 5, "SHFT_LREG")                                                        \
    X(P, SHFT_IMM, 6, "SHFT_IMM")

#define SFPI_CASES_STOCHRND_MOD1(X, P)                                                     \
    X(P, FP32_TO_FP16A, 0, "FP32_TO_FP16A")                                                \
    X(P, FP32_TO_FP16B, 1, "FP32_TO_FP16B")                                                \
    X(P, FP32_TO_UINT8, 2, "FP32_TO_UINT8")                                                \
    X(P, FP32_TO_INT8, 3, "FP32_TO_INT8")                                                  \
    X(P, INT32_TO_UINT8, 4, "INT32_TO_UINT8")                                              \
    X(P, INT32_TO_INT8, 5, "INT32_TO_INT8")                                                \
    X(P, FP32_TO_UINT16, 6, "FP32_TO_UINT16")                                              \
    X(P, FP32_TO_INT16, 7, "FP32_TO_INT16")                                                \
    X(P, IMM8, 8, "IMM8")

#define SFPI_CASES_STOCHRND_RND(X, P)                                                      \
    X(P, EVEN, 0, "EVEN")                                                                  \
    X(P, STOCH, 1, "STOCH")

#define SFPI_CASES_STORE_ADDR_MODE(X, P) X(P, NOINC, 3, "NOINC")

#define SFPI_CASES_STORE_MOD0(X, P)                                                        \
    X(P, FMT_SRCB, 0, "FMT_SRCB")                                                          \
    X(P, FMT_FP16A, 1, "FMT_FP16A")                                                        \
    X(P, FMT_FP16B, 2, "FMT_FP16B")                                                        \
    X(P, FMT_FP32, 3, "FMT_FP32")                                                          \
    X(P, FMT_INT32_TO_SM, 12, "FMT_INT32_TO_SM")

#define SFPI_CASES_SWAP_MOD1(X, P)                                                         \
    X(P, SWAP, 0, "SWAP")                                                                  \
    X(P, VEC_MIN_MAX, 1, "VEC_MIN_MAX")                                                    \
    X(P, SUBVEC_MIN01_MAX23, 2, "SUBVEC_MIN01_MAX23")                                      \
    X(P, SUBVEC_MIN02_MAX13, 3, "SUBVEC_MIN02_MAX13")                                      \
    X(P, SUBVEC_MIN03_MAX12, 4, "SUBVEC_MIN03_MAX12")                                      \
    X(P, SUBVEC_MIN0_MAX123, 5, "SUBVEC_MIN0_MAX123")                                      \
    X(P, SUBVEC_MIN1_MAX023, 6, "SUBVEC_MIN1_MAX023")                                      \
    X(P, SUBVEC_MIN2_MAX013, 7, "SUBVEC_MIN2_MAX013")                                      \
    X(P, SUBVEC_MIN3_MAX012, 8, "SUBVEC_MIN3_MAX012")

#define SFPI_CASES_XBOOL_MOD1(X, P)                                                        \
    X(P, OR, 1, "OR")                                                                      \
    X(P, AND, 2, "AND")                                                                    \
    X(P, NOT, 3, "NOT")

#define SFPI_CASES_XCMP_MOD1(X, P)                                                         \
    X(P, CC_NONE, 0, "CC_NONE")                                                            \
    X(P, CC_LT, 1, "CC_LT")                                                                \
    X(P, CC_EQ, 2, "CC_EQ")                                                                \
    X(P, CC_GTE, 3, "CC_GTE")                                                              \
    X(P, CC_NE, 4, "CC_NE")                                                                \
    X(P, CC_LTE, 5, "CC_LTE")                                                              \
    X(P, CC_GT, 6, "CC_GT")

#define SFPI_CASES_XIADD_MOD1(X, P)                                                        \
    X(P, SIGNED, 8, "SIGNED")                                                              \
    X(P, IS_SUB, 16, "IS_SUB")                                                             \
    X(P, BIT12, 32, "BIT12")                                                               \
    X(P, BIT16, 64, "BIT16")

#define SFPI_CASES_XLOADI_MOD0(X, P)                                                       \
    X(P, INT32, 16, "INT32")                                                               \
    X(P, UINT32, 17, "UINT32")                                                             \
    X(P, FLOAT, 18, "FLOAT")

#define SFPI_CASES_XSCMP_MOD1(X, P)                                                        \
    X(P, FMT_A, 8, "FMT_A")                                                                \
    X(P, FMT_B, 16, "FMT_B")                                                               \
    X(P, FMT_FLOAT, 32, "FMT_FLOAT")

#endif
