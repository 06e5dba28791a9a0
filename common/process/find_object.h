/*
 * The loader's answer to which library has an address, in glibc 2.35 and later. It takes no lock. Older glibc needs the
 * loader's lock for that, which a callback or a waiting thread must not ask for.
 */
#ifndef HEDDLE_COMMON_PROCESS_FIND_OBJECT_H
#define HEDDLE_COMMON_PROCESS_FIND_OBJECT_H

#include <dlfcn.h>

#ifdef DLFO_STRUCT_HAS_EH_DBASE
#ifdef HEDDLE_COMMON_PROCESS_OLD_GLIBC_H
/* Built for glibc 2.17: found in the glibc that runs, when the library is loaded (old_glibc.c). NULL: it has none. */
extern __typeof__(_dl_find_object) *old_glibc_find_object __attribute__((visibility("hidden")));
#define find_object old_glibc_find_object
#else
extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));
#define find_object _dl_find_object
#endif
#endif

#endif
