/* poison.h: memory that a pool keeps but must not be touched.
 *
 * Address sanitizer reports every access to it; in other builds nothing happens. */
#ifndef TILEWRIGHT_SUPPORT_POISON_H
#define TILEWRIGHT_SUPPORT_POISON_H

#include "support/base.h"

#ifdef TW_ASAN
#include <sanitizer/asan_interface.h>
#define TW_POISON(at, size) ASAN_POISON_MEMORY_REGION((at), (size))
#define TW_UNPOISON(at, size) ASAN_UNPOISON_MEMORY_REGION((at), (size))
enum { TW_POISONED_GAP = 16 }; /* between two pieces of an arena */
#else
#define TW_POISON(at, size) ((void)(at), (void)(size))
#define TW_UNPOISON(at, size) ((void)(at), (void)(size))
enum { TW_POISONED_GAP = 0 };
#endif

#endif
