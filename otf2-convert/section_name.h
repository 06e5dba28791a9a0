/* Names of critical sections, by the variables that compilers make of them. */
#ifndef HEDDLE_OTF2_CONVERT_SECTION_NAME_H
#define HEDDLE_OTF2_CONVERT_SECTION_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* The name of the lock of a critical section, as archives have it; false: the variable is of no critical section. */
bool section_name(const char *variable, char *name, size_t size);

#endif
