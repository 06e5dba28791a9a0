/* Names in the source from the compiler's names of functions, variables and critical sections. */
#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_SYMBOL_NAMES_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_SYMBOL_NAMES_H

#include "otf2-convert/plan/java_names.h"

#include <stdbool.h>
#include <stddef.h>

/* Replaces a compiler's name by the name in the source: removes suffixes of outlined parts and Fortran's decorations.
 * Any thread. */
void source_name(char *name);

/* True if a compiler's name belongs to a function that it outlined for an OpenMP construct. */
bool source_name_is_outlined(const char *name);

/* Returns a C++ linkage name as programmers write it, with namespaces, classes and template arguments, but without
 * parameters and result: `grid::Solver<double>::step`. The caller frees it. NULL: it is no C++ name, or memory is
 * short. Any thread. */
char *cxx_name(const char *linkage);

/* Cuts a name of C++ to at most READABLE_NAME bytes: "<...>" in place of arguments of templates, then "..." at its end.
 */
#define READABLE_NAME 80
void readable_name(char *name);

/* Writes the archive's name for the lock of a critical section, from the compiler's variable. False: the variable
 * belongs to no critical section. */
bool section_name(const char *variable, char *name, size_t size);
/* The same for a wait id in Java (RAW_MUTEX_MONITOR). False: it is another lock. */
bool section_name_in_java(const struct java_names *names, uint64_t wait_id, char *name, size_t size);

#endif
