/* Names of critical sections, by the variables that compilers make of them, or by their numbers in Java. */
#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_SECTION_NAME_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_SECTION_NAME_H

#include "otf2-convert/plan/java_names.h"

#include <stdbool.h>
#include <stddef.h>

/* The name of the lock of a critical section, as archives have it; false: the variable is of no critical section. */
bool section_name(const char *variable, char *name, size_t size);
/* The same of a wait id in Java (RAW_MUTEX_MONITOR); false: it is another lock's. */
bool section_name_in_java(const struct java_names *names, uint64_t wait_id, char *name, size_t size);

#endif
