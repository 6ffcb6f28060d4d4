/* llvm_enums.h: the cases of each enum, once: X(symbol, value, text). */
#ifndef TILEWRIGHT_DIALECT_LLVM_ENUMS_H
#define TILEWRIGHT_DIALECT_LLVM_ENUMS_H

#include "ir/dialect.h"

#define LLVM_CASES_AtomicBinOp(X)                                                          \
    X(xchg, 0, "xchg")                                                                     \
    X(add, 1, "add")                                                                       \
    X(sub, 2, "sub")                                                                       \
    X(_and, 3, "_and")                                                                     \
    X(nand, 4, "nand")                                                                     \
    X(_or, 5, "_or")                                                                       \
    X(_xor, 6, "_xor")                                                                     \
    X(max, 7, "max")                                                                       \
    X(min, 8, "min")                                                                       \
    X(umax, 9, "umax")                                                                     \
    X(umin, 10, "umin")                                                                    \
    X(fadd, 11, "fadd")                                                                    \
    X(fsub, 12, "fsub")                                                                    \
    X(fmax, 13, "fmax")                                                                    \
    X(fmin, 14, "fmin")                                                                    \
    X(uinc_wrap, 15, "uinc_wrap")                                                          \
    X(udec_wrap, 16, "udec_wrap")                                                          \
    X(usub_cond, 17, "usub_cond")                                                          \
    X(usub_sat, 18, "usub_sat")                                                            \
    X(fmaximum, 19, "fmaximum")                                                            \
    X(fminimum, 20, "fminimum")

#define LLVM_CASES_AtomicOrdering(X)                                                       \
    X(not_atomic, 0, "not_atomic")                                                         \
    X(unordered, 1, "unordered")                                                           \
    X(monotonic, 2, "monotonic")                                                           \
    X(acquire, 4, "acquire")                                                               \
    X(release, 5, "release")                                                               \
    X(acq_rel, 6, "acq_rel")                                                               \
    X(seq_cst, 7, "seq_cst")

#define LLVM_CASES_CConv(X)                                                                \
    X(C, 0, "ccc")                                                                         \
    X(Fast, 8, "fastcc")                                                                   \
    X(Cold, 9, "coldcc")                                                                   \
    X(GHC, 10, "cc_10")                                                                    \
    X(HiPE, 11, "cc_11")                                                                   \
    X(AnyReg, 13, "anyregcc")                                                              \
    X(PreserveMost, 14, "preserve_mostcc")                                                 \
    X(PreserveAll, 15, "preserve_allcc")                                                   \
    X(Swift, 16, "swiftcc")                                                                \
    X(CXX_FAST_TLS, 17, "cxx_fast_tlscc")                                                  \
    X(Tail, 18, "tailcc")                                                                  \
    X(CFGuard_Check, 19, "cfguard_checkcc")                                                \
    X(SwiftTail, 20, "swifttailcc")                                                        \
    X(PTX_Kernel, 71, "ptx_kernelcc")                                                      \
    X(PTX_Device, 72, "ptx_devicecc")                                                      \
    X(SPIR_FUNC, 75, "spir_funccc")                                                        \
    X(SPIR_KERNEL, 76, "spir_kernelcc")                                                    \
    X(X86_64_SysV, 78, "x86_64_sysvcc")                                                    \
    X(Win64, 79, "win64cc")

#define LLVM_CASES_FCmpPredicate(X)                                                        \
    X(_false, 0, "_false")                                                                 \
    X(oeq, 1, "oeq")                                                                       \
    X(ogt, 2, "ogt")                                                                       \
    X(oge, 3, "oge")                                                                       \
    X(olt, 4, "olt")                                                                       \
    X(ole, 5, "ole")                                                                       \
    X(one, 6, "one")                                                                       \
    X(ord, 7, "ord")                                                                       \
    X(ueq, 8, "ueq")                                                                       \
    X(ugt, 9, "ugt")                                                                       \
    X(uge, 10, "uge")                                                                      \
    X(ult, 11, "ult")                                                                      \
    X(ule, 12, "ule")                                                                      \
    X(une, 13, "une")                                                                      \
    X(uno, 14, "uno")                                                                      \
    X(_true, 15, "_true")

#define LLVM_CASES_FastmathFlags(X)                                                        \
    X(none, 0, "none")                                                                     \
    X(nnan, 1, "nnan")                                                                     \
    X(ninf, 2, "ninf")                                                                     \
    X(nsz, 4, "nsz")                                                                       \
    X(arcp, 8, "arcp")                                                                     \
    X(contract, 16, "contract")                                                            \
    X(afn, 32, "afn")                                                                      \
    X(reassoc, 64, "reassoc")                                                              \
    X(fast, 127, "fast")

#define LLVM_CASES_ICmpPredicate(X)                                                        \
    X(eq, 0, "eq")                                                                         \
    X(ne, 1, "ne")                                                                         \
    X(slt, 2, "slt")                                                                       \
    X(sle, 3, "sle")                                                                       \
    X(sgt, 4, "sgt")                                                                       \
    X(sge, 5, "sge")                                                                       \
    X(ult, 6, "ult")                                                                       \
    X(ule, 7, "ule")                                                                       \
    X(ugt, 8, "ugt")                                                                       \
    X(uge, 9, "uge")

#define LLVM_CASES_IntegerOverflowFlags(X)                                                 \
    X(none, 0, "none")                                                                     \
    X(nsw, 1, "nsw")                                                                       \
    X(nuw, 2, "nuw")

#define LLVM_CASES_Comdat(X)                                                               \
    X(Any, 0, "any")                                                                       \
    X(ExactMatch, 1, "exactmatch")                                                         \
    X(Largest, 2, "largest")                                                               \
    X(NoDeduplicate, 3, "nodeduplicate")                                                   \
    X(SameSize, 4, "samesize")

#define LLVM_CASES_FramePointerKind(X)                                                     \
    X(None, 0, "none")                                                                     \
    X(NonLeaf, 1, "non-leaf")                                                              \
    X(All, 2, "all")                                                                       \
    X(Reserved, 3, "reserved")                                                             \
    X(NonLeafNoReserve, 4, "non-leaf-no-reserve")

#define LLVM_CASES_GEPNoWrapFlags(X)                                                       \
    X(none, 0, "none")                                                                     \
    X(inboundsFlag, 1, "inbounds_flag")                                                    \
    X(nusw, 2, "nusw")                                                                     \
    X(nuw, 4, "nuw")                                                                       \
    X(inbounds, 3, "inbounds")

#define LLVM_CASES_ModRefInfo(X)                                                           \
    X(NoModRef, 0, "none")                                                                 \
    X(Ref, 1, "read")                                                                      \
    X(Mod, 2, "write")                                                                     \
    X(ModRef, 3, "readwrite")

#define LLVM_CASES_UWTableKind(X)                                                          \
    X(None, 0, "none")                                                                     \
    X(Sync, 1, "sync")                                                                     \
    X(Async, 2, "async")

enum { LLVM_LINKAGE_EXTERNAL = 10 };
#define LLVM_CASES_Linkage(X)                                                              \
    X(Private, 0, "private")                                                               \
    X(Internal, 1, "internal")                                                             \
    X(AvailableExternally, 2, "available_externally")                                      \
    X(Linkonce, 3, "linkonce")                                                             \
    X(Weak, 4, "weak")                                                                     \
    X(Common, 5, "common")                                                                 \
    X(Appending, 6, "appending")                                                           \
    X(ExternWeak, 7, "extern_weak")                                                        \
    X(LinkonceODR, 8, "linkonce_odr")                                                      \
    X(WeakODR, 9, "weak_odr")                                                              \
    X(External, LLVM_LINKAGE_EXTERNAL, "external")

#define LLVM_CASES_TailCallKind(X)                                                         \
    X(None, 0, "none")                                                                     \
    X(Tail, 1, "tail")                                                                     \
    X(MustTail, 2, "musttail")                                                             \
    X(NoTail, 3, "notail")

#define LLVM_CASES_UnnamedAddr(X)                                                          \
    X(None, 0, "")                                                                         \
    X(Local, 1, "local_unnamed_addr")                                                      \
    X(Global, 2, "unnamed_addr")

#define LLVM_CASES_Visibility(X)                                                           \
    X(Default, 0, "default")                                                               \
    X(Hidden, 1, "hidden")                                                                 \
    X(Protected, 2, "protected")

#define X(symbol, value, text) LLVM_AtomicBinOp_##symbol = value,
enum { LLVM_CASES_AtomicBinOp(X) };
#undef X
#define X(symbol, value, text) LLVM_AtomicOrdering_##symbol = value,
enum { LLVM_CASES_AtomicOrdering(X) };
#undef X
#define X(symbol, value, text) LLVM_GEPNoWrapFlags_##symbol = value,
enum { LLVM_CASES_GEPNoWrapFlags(X) };
#undef X

extern const ir_enum_def llvm_enum_AtomicBinOp, llvm_enum_AtomicOrdering, llvm_enum_CConv,
    llvm_enum_Comdat, llvm_enum_FCmpPredicate, llvm_enum_FastmathFlags,
    llvm_enum_FramePointerKind, llvm_enum_GEPNoWrapFlags, llvm_enum_ICmpPredicate,
    llvm_enum_ModRefInfo, llvm_enum_UWTableKind, llvm_enum_IntegerOverflowFlags,
    llvm_enum_Linkage, llvm_enum_TailCallKind, llvm_enum_UnnamedAddr, llvm_enum_Visibility;

#endif
